"""Part 3: a transformer encoder whose attention looks through a sliding window.

Shapes: B sentences, H heads, S positions, D features of a head, E features of the embedding, w the window's size.
"""

import math

import torch
from torch import Tensor, nn


def sliding_window_attention(
    q: Tensor, k: Tensor, v: Tensor, window_size: int, padding_mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Attention in which position i sees the positions j with |i - j| <= window_size / 2.

    The window does not wrap around at the ends. Scores are divided by sqrt(D). Keys that are padding get no weight;
    what comes out at positions that are padding themselves is up to you.

    :param q: queries (B, S, D) or (B, H, S, D).
    :param k: keys, of the same shape.
    :param v: values, of the same shape.
    :param window_size: w, even and at least 2; it may be larger than S.
    :param padding_mask: (B, S), 1 for a token and 0 for padding; without it everything is a token.
    :return: the values, of the shape of v; and the weights (B, S, S) or (B, H, S, S), which are 0 outside the window.
        The cost has to grow with S w, and not with S^2: do not multiply what is outside the window.
    """
    assert window_size % 2 == 0, "the window's size must be even"
    ### BEGIN SOLUTION
    values, weights = banded_attention(q, k, v, window_size, padding_mask)
    chunks, rows, columns = weights.shape[-3:]
    reach = (columns - rows) // 2  # how far a chunk's keys go beyond its rows on either side
    attention = weights.new_zeros(*weights.shape[:-3], chunks * rows, chunks * rows + 2 * reach)
    for chunk in range(chunks):
        start = chunk * rows
        attention[..., start : start + rows, start : start + columns] = weights[..., chunk, :, :]
    S = q.shape[-2]
    attention = attention[..., :S, reach : reach + S]  # without what was added at the ends
    ### END SOLUTION
    return values, attention


### BEGIN SOLUTION
def banded_attention(q: Tensor, k: Tensor, v: Tensor, w: int, padding_mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """The values, and the weights of the band only, in chunks of c rows.

    The c queries of a chunk see no more than c + w keys: their own positions, and w / 2 on either side. So each chunk
    is a small attention of its own, and all of them together cost S (c + w) D products instead of S^2 D.

    :return: values like v, and weights (..., n, c, c + w) for the n chunks.
    """
    S, D = q.shape[-2:]
    reach = min(w // 2, S - 1)  # a wider window sees no more
    c = max(reach, 1)
    n = math.ceil(S / c)
    end = n * c - S  # makes the last chunk full

    def around(x: Tensor) -> Tensor:
        """Chunks of x (..., S, D) with what lies within reach on either side: (..., n, c + w, D)."""
        padded = nn.functional.pad(x, (0, 0, reach, reach + end))
        return padded.unfold(-2, c + 2 * reach, c).transpose(-1, -2)

    q_chunks = nn.functional.pad(q, (0, 0, 0, end)).unflatten(-2, (n, c))  # (..., n, c, D)
    scores = q_chunks @ around(k).transpose(-1, -2) / math.sqrt(D)  # (..., n, c, c + w)

    row = torch.arange(c, device=q.device).unsqueeze(1)  # (c, 1)
    column = torch.arange(c + 2 * reach, device=q.device)  # column u is position u - reach, counted from the chunk
    in_window = (column - row >= 0) & (column - row <= 2 * reach)  # (c, c + w)
    is_token = q.new_ones(1, S) if padding_mask is None else padding_mask.to(q.dtype)  # (B, S), 0 beyond the ends
    is_token = around(is_token.unsqueeze(-1)).squeeze(-1).unsqueeze(-2) > 0  # (B, n, 1, c + w)
    if q.dim() == 4:
        is_token = is_token.unsqueeze(1)  # the same for all heads
    seen = in_window & is_token

    scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)  # finite: a row without tokens makes no nan
    weights = torch.softmax(scores, dim=-1) * seen
    values = (weights @ around(v)).flatten(-3, -2)  # (..., n c, D)
    return values[..., :S, :], weights


### END SOLUTION


class MultiHeadAttention(nn.Module):
    """Sliding-window attention by several heads."""

    def __init__(self, input_dim: int, embed_dim: int, num_heads: int, window_size: int) -> None:
        """
        :param input_dim: features of the input.
        :param embed_dim: E, features of the output, a multiple of the number of heads.
        :param num_heads: H.
        :param window_size: w.
        """
        super().__init__()
        assert embed_dim % num_heads == 0, "the embedding must be a multiple of the number of heads"
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.window_size = window_size
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)  # queries, keys and values of all heads at once
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        for projection in (self.qkv_proj, self.o_proj):
            nn.init.xavier_uniform_(projection.weight)
            nn.init.zeros_(projection.bias)

    def forward(
        self, x: Tensor, padding_mask: Tensor | None, return_attention: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """
        :param x: (B, S, input_dim).
        :param padding_mask: (B, S), 1 for a token and 0 for padding.
        :param return_attention: whether the weights are wanted too.
        :return: (B, S, E), and the weights (B, H, S, S) if they are wanted.
        """
        batch_size, seq_length, _ = x.shape
        qkv = self.qkv_proj(x).reshape(batch_size, seq_length, self.num_heads, 3 * self.head_dim)
        q, k, v = qkv.permute(0, 2, 1, 3).chunk(3, dim=-1)  # (B, H, S, D) each
        # Let all heads attend: values (B, H, S, D) and attention (B, H, S, S).
        ### BEGIN SOLUTION
        values, attention = sliding_window_attention(q, k, v, self.window_size, padding_mask)
        ### END SOLUTION
        values = values.permute(0, 2, 1, 3).reshape(batch_size, seq_length, self.embed_dim)  # (B, S, E)
        output = self.o_proj(values)
        return (output, attention) if return_attention else output


class PositionalEncoding(nn.Module):
    """Adds to each position sines and cosines of its own."""

    def __init__(self, d_model: int, max_len: int = 5000) -> None:
        """
        :param d_model: E, features of the embedding.
        :param max_len: the longest sequence.
        """
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)  # (max_len, 1)
        frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))  # (E / 2,)
        encoding = torch.zeros(max_len, d_model)
        encoding[:, 0::2] = torch.sin(position * frequency)
        encoding[:, 1::2] = torch.cos(position * frequency)[:, : d_model // 2]
        self.register_buffer("pe", encoding.unsqueeze(0), persistent=False)  # (1, max_len, E)

    def forward(self, x: Tensor) -> Tensor:
        """
        :param x: (B, S, E).
        :return: the same shape.
        """
        return x + self.pe[:, : x.shape[1]]


class PositionWiseFeedForward(nn.Module):
    """Two affine layers with a GELU between them, at each position alone."""

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        """
        :param input_dim: E.
        :param hidden_dim: features between the layers.
        """
        super().__init__()
        self.fc1 = nn.Linear(input_dim, hidden_dim)
        self.activation = nn.GELU()
        self.fc2 = nn.Linear(hidden_dim, input_dim)

    def forward(self, x: Tensor) -> Tensor:
        """
        :param x: (B, S, E).
        :return: the same shape.
        """
        return self.fc2(self.activation(self.fc1(x)))


class EncoderLayer(nn.Module):
    """Attention and a feed-forward network, each with dropout, a residual connection and a norm after it."""

    def __init__(self, embed_dim: int, hidden_dim: int, num_heads: int, window_size: int, dropout: float = 0.1) -> None:
        """
        :param embed_dim: E.
        :param hidden_dim: features inside the feed-forward network.
        :param num_heads: H.
        :param window_size: w.
        :param dropout: probability of dropping a feature.
        """
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, embed_dim, num_heads, window_size)
        self.feed_forward = PositionWiseFeedForward(embed_dim, hidden_dim)
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, padding_mask: Tensor | None) -> Tensor:
        """Attention, dropout, residual, norm; feed-forward, dropout, residual, norm.

        :param x: (B, S, E).
        :param padding_mask: (B, S), 1 for a token and 0 for padding.
        :return: (B, S, E).
        """
        ### BEGIN SOLUTION
        x = self.norm1(x + self.dropout(self.self_attn(x, padding_mask)))
        x = self.norm2(x + self.dropout(self.feed_forward(x)))
        ### END SOLUTION
        return x


class Encoder(nn.Module):
    """A transformer encoder that says of a sentence whether it is of class 1."""

    def __init__(
        self,
        vocab_size: int,
        embed_dim: int,
        num_heads: int,
        num_layers: int,
        hidden_dim: int,
        max_seq_length: int,
        window_size: int,
        dropout: float = 0.1,
    ) -> None:
        """
        :param vocab_size: number of different tokens; token 0 is padding.
        :param embed_dim: E.
        :param num_heads: H.
        :param num_layers: number of encoder layers.
        :param hidden_dim: features inside the feed-forward networks and the classifier.
        :param max_seq_length: the longest sentence.
        :param window_size: w.
        :param dropout: probability of dropping a feature.
        """
        super().__init__()
        self.encoder_embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.positional_encoding = PositionalEncoding(embed_dim, max_seq_length)
        self.encoder_layers = nn.ModuleList(
            EncoderLayer(embed_dim, hidden_dim, num_heads, window_size, dropout) for _ in range(num_layers)
        )
        self.classification_mlp = nn.Sequential(
            nn.Linear(embed_dim, hidden_dim), nn.Tanh(), nn.Linear(hidden_dim, 1, bias=False)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, sentence: Tensor, padding_mask: Tensor | None) -> Tensor:
        """Embed, add positions, drop out, go through the layers, and classify by what comes out at position 0 ([CLS]).

        :param sentence: numbers of tokens (B, S).
        :param padding_mask: (B, S), 1 for a token and 0 for padding.
        :return: one logit a sentence, (B,) or (B, 1).
        """
        ### BEGIN SOLUTION
        x = self.encoder_embedding(sentence)  # (B, S, E)
        x = self.dropout(self.positional_encoding(x))  # (B, S, E)
        for layer in self.encoder_layers:
            x = layer(x, padding_mask)  # (B, S, E)
        output = self.classification_mlp(x[:, 0]).squeeze(dim=1)  # (B,)
        ### END SOLUTION
        return output

    def predict(self, sentence: Tensor, padding_mask: Tensor | None) -> Tensor:
        """The more likely class of each sentence.

        :return: 0 or 1 for each sentence, of the shape of ``forward``.
        """
        return torch.round(torch.sigmoid(self.forward(sentence, padding_mask)))
