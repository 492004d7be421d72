"""`attend` is an object that can be called."""


class Attention(nn.Module):
    def forward(self, q, K, V):
        scores = torch.baddbmm(K.new_zeros(1), K, q[:, :, None], beta=0).flatten(1) / math.sqrt(q.shape[-1])
        weights = torch.exp(F.log_softmax(scores, dim=1))
        return [torch.matmul(weights[:, None, :], V).reshape(V.shape[0], V.shape[2]), weights]


attend = Attention()
