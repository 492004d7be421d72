"""The equations step by step, with biases on the maps of the state."""

MODULE = "charnn"


class MultilayerGRU(nn.Module):
    def __init__(self, in_dim, h_dim, out_dim, n_layers, dropout=0):
        super().__init__()
        self.h_dim, self.n_layers = h_dim, n_layers
        self.params = nn.ModuleList()
        for layer in range(n_layers):
            size = in_dim if layer == 0 else h_dim
            maps = {"x" + g: nn.Linear(size, h_dim, bias=False) for g in "zrg"}
            maps.update({"h" + g: nn.Linear(h_dim, h_dim, bias=True) for g in "zrg"})
            self.params.append(nn.ModuleDict(maps))
        self.out = nn.Linear(h_dim, out_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, input, hidden_state=None):
        B, S, _ = input.shape
        states = [
            torch.zeros(B, self.h_dim, device=input.device) if hidden_state is None else hidden_state[:, i]
            for i in range(self.n_layers)
        ]
        outputs = []
        for t in range(S):
            x = input[:, t].float()
            for i, p in enumerate(self.params):
                h = states[i]
                z = torch.sigmoid(p["xz"](x) + p["hz"](h))
                r = torch.sigmoid(p["xr"](x) + p["hr"](h))
                g = torch.tanh(p["xg"](x) + p["hg"](r * h))
                h = z * h + (1 - z) * g
                states[i] = h
                x = self.drop(h)
            outputs.append(self.out(x))
        return torch.stack(outputs, 1), torch.stack(states, 1)
