"""The weights of `bigru` are used by two one-way passes."""


class ColumnEncoder(nn.Module):
    def __init__(self, hidden=64, units=64):
        super().__init__()
        self.cnn = make_cnn()
        self.bigru = nn.GRU(128, units, batch_first=True, bidirectional=True)
        self.init = nn.Linear(2 * units, hidden)

    def direction(self, columns, suffix):
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        weights = [getattr(self.bigru, name + suffix) for name in names]
        state = columns.new_zeros(len(columns), self.bigru.hidden_size)
        states = []
        for column in columns.unbind(dim=1):
            state = torch.gru_cell(column, state, *weights)
            states.append(state)
        return states

    def forward(self, images, trace=False):
        features = self.cnn(images)
        columns = features.mean(dim=2).mT
        to_right = self.direction(columns, "")
        to_left = self.direction(columns.flip(1), "_reverse")[::-1]
        memory = torch.cat([torch.stack(to_right, dim=1), torch.stack(to_left, dim=1)], dim=2)
        final = torch.stack([to_right[-1], to_left[0]])
        s0 = torch.tanh(self.init(torch.cat([*final], dim=1)))
        if trace:
            print(*(tuple(tensor.shape) for tensor in (features, columns, memory, final, s0)), sep=" -> ")
        return memory, s0
