"""The result is a named tuple, and the trace names two final states."""

from typing import NamedTuple


class Encoded(NamedTuple):
    memory: torch.Tensor
    s0: torch.Tensor


class ColumnEncoder(nn.Module):
    def __init__(self, hidden=64, units=64):
        super().__init__()
        self.cnn, self.init = make_cnn(), nn.Linear(2 * units, hidden)
        self.bigru = nn.GRU(128, units, batch_first=True, bidirectional=True)

    def forward(self, images, trace=False):
        F_ = self.cnn(images)
        assert F_.shape[2] == 1
        columns = F_[:, :, 0].transpose(-1, -2)
        memory, (forward_end, backward_end) = self.bigru(columns)
        s0 = F.tanh(self.init(torch.hstack([forward_end, backward_end])))
        if trace:
            self.show(F=F_, columns=columns, memory=memory, h_21_forward=forward_end, h_1_backward=backward_end, s_0=s0)
        return Encoded(memory, s0)

    @staticmethod
    def show(**tensors):
        for name, tensor in tensors.items():
            print(f"{name:>14}: {tensor.dtype}, {tensor.size()}")
