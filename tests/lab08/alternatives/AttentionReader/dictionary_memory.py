"""Memory is a dict, `attend` is bound as a static method, and the sizes of the parts have other names."""


class AttentionReader(nn.Module):
    look = staticmethod(attend)

    def __init__(self, hidden=64, emb=32, d_k=64, d_v=128):
        super().__init__()
        self.encoder = ColumnEncoder(hidden)
        width = self.encoder.init.in_features
        self.symbols = nn.Embedding(VOCAB, emb, padding_idx=PAD)
        self.project = nn.ModuleDict(
            {
                "query": nn.Linear(hidden, d_k, bias=False),
                "key": nn.Linear(width, d_k, bias=False),
                "value": nn.Linear(width, d_v, bias=False),
            }
        )
        self.decoder = nn.GRUCell(input_size=emb + d_v, hidden_size=hidden)
        self.classify = nn.Linear(hidden + d_v, VOCAB)

    def encode(self, images):
        h, s0 = self.encoder(images)
        return s0, {"keys": self.project["key"](h), "values": self.project["value"](h), "columns": h.shape[1]}

    def step(self, y_prev, s_prev, memory):
        c, a = self.look(self.project["query"](s_prev), memory["keys"], memory["values"])
        s = self.decoder(torch.cat((self.symbols(y_prev), c), dim=-1), s_prev)
        return self.classify(torch.cat((s, c), dim=-1)), s, a

    def forward(self, images, dec_in):
        s, memory = self.encode(images)
        outputs = []
        for y in dec_in.unbind(dim=1):
            logits, s, _ = self.step(y, s, memory)
            outputs.append(logits)
        return torch.stack(outputs, dim=1)
