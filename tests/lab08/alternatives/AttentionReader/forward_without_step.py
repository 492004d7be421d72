"""`forward` has its own loop, embeds all symbols at once and reads all logits at the end."""

from collections import namedtuple

Memory = namedtuple("Memory", "keys values states")


class AttentionReader(nn.Module):
    def __init__(self, hidden=64, emb=32, d_k=64, d_v=128, attention=attend, encoder=ColumnEncoder):
        super().__init__()
        self.encoder = encoder(hidden)
        self.embedding = nn.Embedding(VOCAB, emb)
        self.wq, self.wk = nn.Linear(hidden, d_k, bias=False), nn.Linear(128, d_k, bias=False)
        self.wv = nn.Linear(128, d_v, bias=False)
        self.gru = nn.GRUCell(emb + d_v, hidden)
        self.head = nn.Linear(hidden + d_v, VOCAB)
        self.attention = attention

    def encode(self, images):
        states, s0 = self.encoder(images)
        return s0, Memory(F.linear(states, self.wk.weight), F.linear(states, self.wv.weight), states)

    def advance(self, embedded, state, memory):
        context, weights = self.attention(F.linear(state, self.wq.weight), memory.keys, memory.values)
        return self.gru(torch.cat([embedded, context], dim=1), state), context, weights

    def step(self, y_prev, s_prev, memory):
        state, context, weights = self.advance(self.embedding(y_prev), s_prev, memory)
        return self.head(torch.cat([state, context], dim=1)), state, weights

    def forward(self, images, dec_in):
        state, memory = self.encode(images)
        embedded = self.embedding(dec_in)
        seen = []
        for t in range(dec_in.shape[1]):
            state, context, _ = self.advance(embedded[:, t], state, memory)
            seen.append(torch.cat([state, context], dim=1))
        return self.head(torch.stack(seen, dim=1))
