"""Bare parameters in the orientation of the equations, layer after layer."""

MODULE = "charnn"


class MultilayerGRU(nn.Module):
    def __init__(self, in_dim, h_dim, out_dim, n_layers, dropout=0):
        super().__init__()
        self.h_dim, self.L, self.p = h_dim, n_layers, dropout
        w = lambda *shape: nn.Parameter(torch.randn(*shape) / shape[0] ** 0.5)
        self.b = nn.ParameterList(nn.Parameter(torch.zeros(h_dim)) for _ in range(3 * n_layers))
        self.h = nn.ParameterList(w(h_dim, h_dim) for _ in range(3 * n_layers))
        self.x = nn.ParameterList(w(in_dim if i < 3 else h_dim, h_dim) for i in range(3 * n_layers))
        self.y, self.y_bias = w(h_dim, out_dim), nn.Parameter(torch.zeros(out_dim))

    def forward(self, input, hidden_state=None):
        seq = input.float()
        if hidden_state is None:
            hidden_state = seq.new_zeros(seq.shape[0], self.L, self.h_dim)
        finals = []
        for layer in range(self.L):
            (g, r, z) = range(3 * layer, 3 * layer + 3)
            h, outs = hidden_state[:, layer], []
            for t in range(seq.shape[1]):
                x = seq[:, t]
                zt = torch.sigmoid(x @ self.x[z] + h @ self.h[z] + self.b[z])
                rt = torch.sigmoid(x @ self.x[r] + h @ self.h[r] + self.b[r])
                gt = torch.tanh(x @ self.x[g] + (rt * h) @ self.h[g] + self.b[g])
                h = zt * h + (1 - zt) * gt
                outs.append(h)
            finals.append(h)
            seq = nn.functional.dropout(torch.stack(outs, 1), self.p, self.training)
        return seq @ self.y + self.y_bias, torch.stack(finals, 1)
