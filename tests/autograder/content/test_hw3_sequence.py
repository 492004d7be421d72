"""hw3, part 1, with its solutions: text to tensors, the GRU against loops over single numbers, sampling."""

from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

TEXT = "to be or not to be"


class Follows(nn.Module):
    """A language model that is sure of what follows: the character whose number is one higher, around the end.

    Its state counts the characters that it has read.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = nn.Parameter(torch.tensor(float(size)))
        self.reads: list[tuple[int, float]] = []  # characters read at once, and how many it had read before
        self.tracked = False

    def forward(self, x: Tensor, hidden_state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        before = 0.0 if hidden_state is None else float(hidden_state)
        self.reads.append((x.shape[1], before))
        scores = x.roll(1, dims=-1) * 100 * self.size
        self.tracked |= scores.requires_grad
        return scores, torch.tensor(before + x.shape[1])


def test_characters_are_numbered_in_lexical_order(hw3: SimpleNamespace) -> None:
    to_idx, to_char = hw3.charnn.char_maps("banana b")
    assert to_idx == {" ": 0, "a": 1, "b": 2, "n": 3}
    assert to_char == {0: " ", 1: "a", 2: "b", 3: "n"}


@pytest.mark.parametrize(
    ("text", "remove", "left"),
    [
        pytest.param("a.b*c.", [".", "*"], "abc", id="special-to-regular-expressions"),
        pytest.param("x]y^z\\", ["]", "^", "\\"], "xyz", id="special-within-brackets"),
        pytest.param("\ufeffabc", ["\ufeff"], "abc", id="byte-order-mark"),
        pytest.param("abc", ["z"], "abc", id="none-there"),
        pytest.param("zzz", ["z"], "", id="all-of-it"),
    ],
)
def test_characters_are_removed_and_counted(hw3: SimpleNamespace, text: str, remove: list[str], left: str) -> None:
    assert hw3.charnn.remove_chars(text, remove) == (left, len(text) - len(left))


def test_one_hot_rows_and_back(hw3: SimpleNamespace) -> None:
    to_idx, to_char = hw3.charnn.char_maps("abc")
    rows = hw3.charnn.chars_to_onehot("cab", to_idx)
    assert rows.dtype == torch.int8
    assert rows.tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    assert hw3.charnn.onehot_to_chars(rows, to_char) == "cab"


@pytest.mark.parametrize(
    ("length", "samples"),
    [
        pytest.param(17, 4, id="with-one-left-over-for-a-label"),
        pytest.param(16, 3, id="exact-multiple-of-the-length"),
        pytest.param(18, 4, id="with-more-left-over"),
        pytest.param(5, 1, id="one-sample"),
    ],
)
def test_samples_and_the_characters_after_them(hw3: SimpleNamespace, length: int, samples: int) -> None:
    text = TEXT[:length]
    to_idx, to_char = hw3.charnn.char_maps(TEXT)
    x, y = hw3.charnn.chars_to_labelled_samples(text, to_idx, 4)
    assert (x.shape, y.shape) == ((samples, 4, len(to_idx)), (samples, 4))
    assert y.dtype == torch.int64
    assert hw3.charnn.onehot_to_chars(x.flatten(0, 1), to_char) == text[: 4 * samples]
    assert "".join(to_char[idx] for idx in y.flatten().tolist()) == text[1 : 4 * samples + 1]


@pytest.mark.parametrize(("items", "batch"), [(32, 10), (30, 10), (7, 2), (5, 5), (4, 1)])
def test_sample_k_of_a_batch_continues_sample_k_of_the_last(hw3: SimpleNamespace, items: int, batch: int) -> None:
    sampler = hw3.charnn.SequenceBatchSampler(range(items), batch)
    order = torch.tensor(list(sampler)).reshape(-1, batch)
    assert len(order) == items // batch
    assert len(sampler) == order.numel() == len(order.unique())
    assert (order.diff(dim=0) == 1).all()


@pytest.mark.parametrize("carried", [False, True], ids=["from-zeros", "from-a-state"])
def test_the_gru_is_what_loops_over_single_numbers_give(
    hw3: SimpleNamespace, tensors: SimpleNamespace, carried: bool
) -> None:
    given = tensors.part1()
    hidden = given["hidden_state"] if carried else torch.zeros_like(given["hidden_state"])
    model = hw3.charnn.MultilayerGRU(tensors.WIDTH, tensors.WIDTH, tensors.WIDTH, tensors.LAYERS)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(given["matrix"] if parameter.dim() == 2 else given["bias"])
        found = model(given["x"], hidden) if carried else model(given["x"])
    wanted = tensors.gru(given["x"], hidden, given["matrix"], given["bias"])
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one.double(), other, atol=1e-5, rtol=0)


@pytest.fixture
def model(hw3: SimpleNamespace) -> nn.Module:
    """Widths that all differ, and weights that all differ."""
    torch.manual_seed(0)
    found: nn.Module = hw3.charnn.MultilayerGRU(in_dim=3, h_dim=4, out_dim=5, n_layers=2, dropout=0.5).eval()
    return found


def test_gates_have_weights_of_their_own(model: nn.Module) -> None:
    x, h = torch.randn(2, 3), torch.randn(2, 1, 4)
    single = type(model)(3, 4, 5, 1)
    x_maps, h_maps = single.x_maps[0], single.h_maps[0]
    z, r = (torch.sigmoid(x @ x_maps[i].weight.T + h[:, 0] @ h_maps[i].weight.T + h_maps[i].bias) for i in (0, 1))
    g = torch.tanh(x @ x_maps[2].weight.T + (r * h[:, 0]) @ h_maps[2].weight.T + h_maps[2].bias)
    _, last = single(x.unsqueeze(1), h)
    torch.testing.assert_close(last[:, 0], z * h[:, 0] + (1 - z) * g)


def test_there_are_nine_tensors_a_layer_and_two(model: nn.Module) -> None:
    assert len(list(model.parameters())) == 9 * 2 + 2


def test_two_halves_of_a_sequence_give_what_the_whole_gives(model: nn.Module) -> None:
    x = torch.randn(2, 7, 3)
    whole, last = model(x)
    first, state = model(x[:, :3])
    second, state = model(x[:, 3:], hidden_state=state)
    torch.testing.assert_close(torch.cat([first, second], 1), whole)
    torch.testing.assert_close(state, last)


def test_int8_input_is_taken_as_numbers(model: nn.Module) -> None:
    rows = torch.eye(3, dtype=torch.int8).unsqueeze(0)
    torch.testing.assert_close(model(rows)[0], model(rows.float())[0])


def test_the_last_layers_output_is_dropped_too_but_no_state_within_a_layer(model: nn.Module) -> None:
    with torch.no_grad():
        model.output.weight.fill_(1.0)
        model.output.bias.zero_()
    single = type(model)(3, 4, 5, 1, dropout=1.0).train()
    y, h = single(torch.randn(2, 6, 3))
    torch.testing.assert_close(y, single.output.bias.expand_as(y))
    assert h.abs().min() > 0
    assert not torch.equal(model.train()(torch.ones(1, 6, 3))[0], model.eval()(torch.ones(1, 6, 3))[0])


def test_gradients_reach_every_parameter_and_the_first_state(model: nn.Module) -> None:
    h = torch.randn(2, 2, 4, requires_grad=True)
    model(torch.randn(2, 6, 3), h)[0].square().sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in model.parameters())
    assert h.grad is not None
    assert h.grad.all()


def test_the_model_runs_on_another_device(model: nn.Module) -> None:
    y, h = model.to("meta")(torch.empty(2, 6, 3, device="meta"))
    assert (y.device.type, h.device.type) == ("meta", "meta")


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_hot_softmax_divides_by_the_temperature_first(hw3: SimpleNamespace, dim: int) -> None:
    scores = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    powers = (scores / 0.7).exp()
    found = hw3.charnn.hot_softmax(scores, dim=dim, temperature=0.7)
    torch.testing.assert_close(found, powers / powers.sum(dim, keepdim=True))


def test_hot_softmax_bears_large_scores_and_temperatures_near_zero(hw3: SimpleNamespace) -> None:
    scores = torch.tensor([1e4, 9e3, -1e4])
    for temperature in (1.0, 1e-4):
        assert hw3.charnn.hot_softmax(scores, temperature=temperature).tolist() == [1.0, 0.0, 0.0]


def test_generation_reads_the_beginning_at_once_and_then_each_character_with_the_state(hw3: SimpleNamespace) -> None:
    maps = hw3.charnn.char_maps("abcde")
    model = Follows(5)
    assert hw3.charnn.generate_from_model(model, "abc", 8, maps, T=1.0) == "abcdeabc"
    assert model.reads == [(3, 0.0), (1, 3.0), (1, 4.0), (1, 5.0), (1, 6.0)]
    assert not model.tracked


def test_generation_draws_by_the_temperature(hw3: SimpleNamespace) -> None:
    torch.manual_seed(0)
    maps = hw3.charnn.char_maps("abcde")
    wild = hw3.charnn.generate_from_model(Follows(5), "a", 2000, maps, T=1e6)
    assert all(350 < wild.count(char) < 450 for char in "abcde")  # 400 each, give or take 18
