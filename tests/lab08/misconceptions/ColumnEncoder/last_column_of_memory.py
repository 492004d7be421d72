"""s_0 starts from the last column's state, but there the backward state has read one column only.

Its final state, after all columns, is that of column 1.
"""

FAILS = ("test_first_decoder_state",)


class ColumnEncoder(nn.Module):
    def __init__(self, hidden=64, units=64):
        super().__init__()
        self.cnn = make_cnn()
        self.bigru = nn.GRU(128, units, batch_first=True, bidirectional=True)
        self.init = nn.Linear(2 * units, hidden)

    def forward(self, images, trace=False):
        features = self.cnn(images)
        columns = features.squeeze(2).transpose(1, 2)
        memory, final = self.bigru(columns)
        s0 = torch.tanh(self.init(memory[:, -1]))
        if trace:
            for tensor in (features, columns, memory, final, s0):
                print(tuple(tensor.shape))
        return memory, s0
