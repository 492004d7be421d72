"""squeeze() without a number drops every axis of size one, the batch axis too when there is one strip."""

FAILS = ("test_batch_of_one",)


class ColumnEncoder(nn.Module):
    def __init__(self, hidden=64, units=64):
        super().__init__()
        self.cnn = make_cnn()
        self.bigru = nn.GRU(128, units, batch_first=True, bidirectional=True)
        self.init = nn.Linear(2 * units, hidden)

    def forward(self, images, trace=False):
        features = self.cnn(images)
        columns = features.squeeze().transpose(-1, -2)
        memory, final = self.bigru(columns)
        s0 = torch.tanh(self.init(torch.cat([final[0], final[1]], dim=-1)))
        if trace:
            for tensor in (features, columns, memory, final, s0):
                print(tuple(tensor.shape))
        return memory, s0
