"""The GRU reads in one direction only; each column needs what was read from the right as well."""

FAILS = ("test_parts[bigru]", "test_backward_states")


class ColumnEncoder(nn.Module):
    def __init__(self, hidden=64, units=64):
        super().__init__()
        self.cnn = make_cnn()
        self.bigru = nn.GRU(128, 2 * units, batch_first=True)
        self.init = nn.Linear(2 * units, hidden)

    def forward(self, images, trace=False):
        features = self.cnn(images)
        columns = features.squeeze(2).transpose(1, 2)
        memory, final = self.bigru(columns)
        s0 = torch.tanh(self.init(final[0]))
        if trace:
            for tensor in (features, columns, memory, final, s0):
                print(tuple(tensor.shape))
        return memory, s0
