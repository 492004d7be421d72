"""The biases are rows of a matrix of one line."""

MODULE = "charnn"


class MultilayerGRU(nn.Module):
    def __init__(self, in_dim, h_dim, out_dim, n_layers, dropout=0):
        super().__init__()
        self.h_dim, self.n_layers = h_dim, n_layers
        self.drop = nn.Dropout(dropout)
        self.weights = nn.ParameterDict()
        for k in range(n_layers):
            for gate in ("z", "r", "g"):
                size = h_dim if k else in_dim
                self.weights[f"U{k}{gate}"] = nn.Parameter(torch.empty(size, h_dim).uniform_(-0.1, 0.1))
                self.weights[f"W{k}{gate}"] = nn.Parameter(torch.empty(h_dim, h_dim).uniform_(-0.1, 0.1))
                self.weights[f"b{k}{gate}"] = nn.Parameter(torch.zeros(1, h_dim))
        self.Why = nn.Parameter(torch.empty(h_dim, out_dim).uniform_(-0.1, 0.1))
        self.by = nn.Parameter(torch.zeros(1, out_dim))

    def forward(self, input, hidden_state=None):
        B, S, _ = input.shape
        p = self.weights
        if hidden_state is None:
            hidden_state = torch.zeros(B, self.n_layers, self.h_dim, device=self.by.device)
        states = [hidden_state[:, k] for k in range(self.n_layers)]
        outputs = []
        for t in range(S):
            x = input[:, t].float()
            for k, h in enumerate(states):
                z = torch.sigmoid(x @ p[f"U{k}z"] + h @ p[f"W{k}z"] + p[f"b{k}z"])
                r = torch.sigmoid(x @ p[f"U{k}r"] + h @ p[f"W{k}r"] + p[f"b{k}r"])
                g = torch.tanh(x @ p[f"U{k}g"] + (r * h) @ p[f"W{k}g"] + p[f"b{k}g"])
                states[k] = z * h + (1 - z) * g
                x = self.drop(states[k])
            outputs.append(x @ self.Why + self.by)
        return torch.stack(outputs, dim=1), torch.stack(states, dim=1)
