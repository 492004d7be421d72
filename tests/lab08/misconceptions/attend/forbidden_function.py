"""The context comes from F.scaled_dot_product_attention, which is not allowed here."""

FAILS = ("test_forbidden_function_is_not_called",)


def attend(q, K, V):
    context = F.scaled_dot_product_attention(q.unsqueeze(1), K, V).squeeze(1)
    weights = torch.softmax(torch.einsum("bd,bnd->bn", q, K) / math.sqrt(q.shape[-1]), dim=-1)
    return context, weights
