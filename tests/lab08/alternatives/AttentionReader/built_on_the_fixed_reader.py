"""The class extends FixedReader and exchanges its parts."""


class AttentionReader(FixedReader):
    def __init__(self, hidden=64, emb=32, d_k=64, d_v=128):
        super().__init__(hidden, emb)
        self.gru = nn.GRUCell(emb + d_v, hidden)
        self.out = nn.Linear(hidden + d_v, VOCAB)
        for name, width in (("W_K", d_k), ("W_V", d_v)):
            setattr(self, name, nn.Linear(2 * self.encoder.bigru.hidden_size, width, bias=False))
        self.W_Q = nn.Linear(hidden, d_k, bias=False)

    def encode(self, images):
        h, s0 = self.encoder(images)
        return [s0, [self.W_K(h), self.W_V(h)]]

    def step(self, y_prev, s_prev, memory):
        context, weights = attend(q=self.W_Q(s_prev), K=memory[0], V=memory[1])
        state = self.gru(torch.hstack([self.emb(y_prev), context]), s_prev)
        return [self.out(torch.hstack([state, context])), state, weights]

    def forward(self, images, dec_in):
        B, T = dec_in.shape
        logits = images.new_empty(B, T, VOCAB)
        state, memory = self.encode(images)
        for t in range(T):
            logits[:, t], state, _ = self.step(dec_in[:, t], state, memory)
        return logits
