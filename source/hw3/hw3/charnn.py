"""Part 1: a character-level recurrent network.

Shapes: N samples, B sequences in a batch, S time steps, V characters, H hidden units, L layers.
"""

from collections.abc import Iterator, Sized

import torch
from torch import Tensor, nn
from torch.utils.data import Sampler


def char_maps(text: str) -> tuple[dict[str, int], dict[int, str]]:
    """Number the distinct characters of a text.

    :param text: any text.
    :return: ``char_to_idx``, from each character to its number, and ``idx_to_char``, back. Numbers run from 0, in the
        lexical order of the characters.
    """
    ### BEGIN SOLUTION
    idx_to_char = dict(enumerate(sorted(set(text))))
    char_to_idx = {char: idx for idx, char in idx_to_char.items()}
    return char_to_idx, idx_to_char
    ### END SOLUTION


def remove_chars(text: str, chars_to_remove: list[str]) -> tuple[str, int]:
    """Take every occurrence of some characters out of a text.

    :param text: any text.
    :param chars_to_remove: single characters; some of them may mean something to regular expressions.
    :return: the text without them, and how many characters were taken out.
    """
    ### BEGIN SOLUTION
    text_clean = text.translate({ord(char): None for char in chars_to_remove})
    return text_clean, len(text) - len(text_clean)
    ### END SOLUTION


def chars_to_onehot(text: str, char_to_idx: dict[str, int]) -> Tensor:
    """Embed each character of a text as a one-hot row.

    :param text: a text of N characters, all of them in the map.
    :param char_to_idx: from each of the V characters to its number.
    :return: a tensor (N, V) of dtype ``torch.int8``: row i is 1 in the column of character i, and 0 elsewhere.
    """
    ### BEGIN SOLUTION
    idx = torch.tensor([char_to_idx[char] for char in text], dtype=torch.long)  # (N,)
    rows = torch.zeros(len(text), len(char_to_idx), dtype=torch.int8)  # (N, V); one_hot would take eight times as much
    return rows.scatter_(1, idx.unsqueeze(1), 1)
    ### END SOLUTION


def onehot_to_chars(embedded_text: Tensor, idx_to_char: dict[int, str]) -> str:
    """Read one-hot rows as a text; the inverse of ``chars_to_onehot``.

    :param embedded_text: one-hot rows, (N, V).
    :param idx_to_char: from each number to its character.
    :return: the text, of N characters.
    """
    ### BEGIN SOLUTION
    return "".join(idx_to_char[idx] for idx in embedded_text.argmax(dim=1).tolist())
    ### END SOLUTION


def chars_to_labelled_samples(
    text: str, char_to_idx: dict[str, int], seq_len: int, device: str = "cpu"
) -> tuple[Tensor, Tensor]:
    """Cut a text into samples of S characters; the label of a character is the number of the one after it.

    There are N = (len(text) - 1) // S samples. What is left over at the end is dropped; the last character of all can
    only be a label.

    :param text: the text.
    :param char_to_idx: from each of the V characters to its number.
    :param seq_len: S, the length of a sample.
    :param device: where the tensors are wanted.
    :return: samples (N, S, V), one-hot, and labels (N, S), numbers of characters.
    """
    ### BEGIN SOLUTION
    num_samples = (len(text) - 1) // seq_len
    length = num_samples * seq_len
    embedded = chars_to_onehot(text[: length + 1], char_to_idx).to(device)  # (N S + 1, V)
    samples = embedded[:-1].reshape(num_samples, seq_len, -1)  # (N, S, V)
    labels = embedded[1:].argmax(dim=1).reshape(num_samples, seq_len)  # (N, S)
    return samples, labels
    ### END SOLUTION


class SequenceBatchSampler(Sampler[int]):
    """An order of samples such that sample k of each batch continues sample k of the batch before it.

    The samples are a text's, in the text's order. An incomplete last batch is dropped.
    """

    def __init__(self, dataset: Sized, batch_size: int) -> None:
        """
        :param dataset: the samples; only their number is used.
        :param batch_size: how many samples there are in a batch, at most as many as in the data set.
        """
        super().__init__()
        self.dataset = dataset
        self.batch_size = batch_size

    def __iter__(self) -> Iterator[int]:
        """Go through the indices of the samples, batch after batch."""
        ### BEGIN SOLUTION
        num_batches = len(self.dataset) // self.batch_size
        for batch in range(num_batches):
            for k in range(self.batch_size):
                yield k * num_batches + batch
        ### END SOLUTION

    def __len__(self) -> int:
        return len(self.dataset) // self.batch_size * self.batch_size


class MultilayerGRU(nn.Module):
    """A gated recurrent unit of several layers, with an affine layer on top.

    Layer by layer, from its input x and its state h:

        z = sigmoid(x W_xz + h W_hz + b_z)          how much of the state stays
        r = sigmoid(x W_xr + h W_hr + b_r)          how much of the state the candidate sees
        g = tanh(x W_xg + (r * h) W_hg + b_g)       the candidate
        h' = z * h + (1 - z) * g                    the new state, and the layer's output
    """

    def __init__(self, in_dim: int, h_dim: int, out_dim: int, n_layers: int, dropout: float = 0) -> None:
        """
        :param in_dim: I, features of the input (in a character model V).
        :param h_dim: H, features of each layer's state.
        :param out_dim: O, features of the output (in a character model V).
        :param n_layers: L, number of layers.
        :param dropout: probability that a feature of a layer's output is dropped on its way to the next layer, or from
            the last layer to the output.
        """
        super().__init__()
        assert min(in_dim, h_dim, out_dim, n_layers) > 0
        self.in_dim = in_dim
        self.h_dim = h_dim
        self.out_dim = out_dim
        self.n_layers = n_layers
        # Make the parameters: for each layer six maps without bias or with one, so that every gate has one bias; then
        # the affine map to the output. Together 9 L + 2 tensors. Use nn.Linear, or nn.Parameter: names are up to you.
        ### BEGIN SOLUTION
        self.x_maps = nn.ModuleList()  # of each layer, for z, r and g
        self.h_maps = nn.ModuleList()
        for layer in range(n_layers):
            size = in_dim if layer == 0 else h_dim
            self.x_maps.append(nn.ModuleList(nn.Linear(size, h_dim, bias=False) for _ in "zrg"))
            self.h_maps.append(nn.ModuleList(nn.Linear(h_dim, h_dim) for _ in "zrg"))
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(h_dim, out_dim)
        ### END SOLUTION

    def forward(self, input: Tensor, hidden_state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Read a batch of sequences.

        :param input: (B, S, I).
        :param hidden_state: (B, L, H), the state of each layer to begin with; zeros without it.
        :return: the output (B, S, O), and the state of each layer after the last step, (B, L, H).
        """
        ### BEGIN SOLUTION
        x = input.to(self.output.weight.dtype).transpose(0, 1)  # (S, B, I), one step after another; may come as int8
        if hidden_state is None:
            hidden_state = x.new_zeros(x.shape[1], self.n_layers, self.h_dim)
        last_states = []
        for layer in range(self.n_layers):
            states = self._layer(layer, x, hidden_state[:, layer])  # (S, B, H)
            last_states.append(states[-1])
            x = self.dropout(states)
        return self.output(x).transpose(0, 1), torch.stack(last_states, dim=1)  # (B, S, O), (B, L, H)
        ### END SOLUTION

    ### BEGIN SOLUTION
    def _layer(self, layer: int, x: Tensor, h: Tensor) -> Tensor:
        """The states (S, B, H) of one layer, from its input x (S, B, I) and its first state h (B, H).

        What the maps make of the input needs no state, so it is computed for all steps at once. The maps of the state
        to z and r are joined to one. What is left in the loop is two products a step.
        """
        (w_xz, w_xr, w_xg), (w_hz, w_hr, w_hg) = self.x_maps[layer], self.h_maps[layer]
        w_x = torch.cat([w_xz.weight, w_xr.weight])  # (2 H, I)
        w_h = torch.cat([w_hz.weight, w_hr.weight]).T  # (H, 2 H)
        x_zr = nn.functional.linear(x, w_x, torch.cat([w_hz.bias, w_hr.bias]))  # (S, B, 2 H)
        x_g = nn.functional.linear(x, w_xg.weight, w_hg.bias)  # (S, B, H)
        states = []
        for step_zr, step_g in zip(x_zr.unbind(), x_g.unbind(), strict=True):
            z, r = torch.sigmoid(torch.addmm(step_zr, h, w_h)).chunk(2, dim=1)  # (B, H) each
            g = torch.tanh(torch.addmm(step_g, r * h, w_hg.weight.T))  # (B, H)
            h = torch.lerp(g, h, z)  # z * h + (1 - z) * g
            states.append(h)
        return torch.stack(states)

    ### END SOLUTION


def hot_softmax(y: Tensor, dim: int = 0, temperature: float = 1.0) -> Tensor:
    """Softmax of scores that are divided by a temperature first.

    :param y: scores, of any shape.
    :param dim: the dimension along which the probabilities add up to one.
    :param temperature: T > 0; the lower, the more the largest score gets.
    :return: probabilities, of the shape of ``y``.
    """
    ### BEGIN SOLUTION
    return torch.softmax(y / temperature, dim=dim)
    ### END SOLUTION


def generate_from_model(
    model: nn.Module,
    start_sequence: str,
    n_chars: int,
    char_maps: tuple[dict[str, int], dict[int, str]],
    T: float,
) -> str:
    """Let a model write on, character by character.

    :param model: a trained model; ``model(x, hidden_state)`` gives scores (1, S, V) and a state.
    :param start_sequence: the beginning of the text, at least one character.
    :param n_chars: length of the text, the beginning included.
    :param char_maps: ``(char_to_idx, idx_to_char)``.
    :param T: temperature of ``hot_softmax``, by whose probabilities each character is drawn.
    :return: a text of ``n_chars`` characters that begins with ``start_sequence``.
    """
    assert 0 < len(start_sequence) <= n_chars
    device = next(model.parameters()).device
    char_to_idx, idx_to_char = char_maps
    out_text = start_sequence
    # Feed the beginning first, then each new character alone together with the state that came back. No gradients.
    ### BEGIN SOLUTION
    hidden_state = None
    to_read = start_sequence
    with torch.no_grad():
        while len(out_text) < n_chars:
            x = chars_to_onehot(to_read, char_to_idx).unsqueeze(dim=0).to(device, torch.float)  # (1, S, V)
            scores, hidden_state = model(x, hidden_state)  # (1, S, V)
            probabilities = hot_softmax(scores[0, -1], dim=0, temperature=T)  # (V,)
            to_read = idx_to_char[int(torch.multinomial(probabilities, num_samples=1))]
            out_text += to_read
    ### END SOLUTION
    return out_text
