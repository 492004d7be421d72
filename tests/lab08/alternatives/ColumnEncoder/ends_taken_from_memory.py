"""The final states are looked up at the two ends of memory."""


class ColumnEncoder(nn.Module):
    def __init__(self, hidden=64, units=64):
        super().__init__()
        self.units = units
        self.cnn = make_cnn()
        self.bigru = nn.GRU(input_size=128, hidden_size=units, bidirectional=True, batch_first=True)
        self.init = nn.Linear(2 * units, hidden)

    def forward(self, images, trace=False):
        fmap = self.cnn(images)
        columns = fmap.flatten(start_dim=2).permute(0, 2, 1).contiguous()
        memory = self.bigru(columns)[0]
        ends = torch.cat((memory[:, -1, : self.units], memory[:, 0, self.units :]), dim=-1)
        s0 = self.init(ends).tanh()
        if trace:
            B, C, _, N = fmap.shape
            print(f"F is {B} x {C} x 1 x {N}; as a sequence of columns {B} x {N} x {C}.")
            print(f"memory h_1 to h_{N}: {list(memory.shape)}, end states {list(ends.shape)}, s_0 {list(s0.shape)}")
        return memory, s0
