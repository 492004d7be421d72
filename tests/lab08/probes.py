"""What the lab08 suites do on the student's side. These functions run in the worker, among the student's objects.

The first parameter, ``ns``, is the dict of the student's globals. A student's code can read this file, so it holds no
expected value, no secret and no solution. Where one question needs what another defines, a stand-in with the same
interface and other values takes its place (``PixelEncoder``, ``nearness_attend``, ...), so that a mistake costs marks
at its own question only.

One long file, because the worker is given one file of probes.
"""

import contextlib
import io
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor, nn

# -- any question -----------------------------------------------------------------------------------------------------


def changed(ns: dict[str, Any], target: Any, *inputs: Tensor) -> list[int]:
    """Positions of the ``inputs`` that calling ``target`` (a global's name, or an object) changes in place."""
    before = [tensor.clone() for tensor in inputs]
    _callable(ns, target)(*inputs)
    return [i for i, (old, new) in enumerate(zip(before, inputs, strict=True)) if not torch.equal(old, new)]


def gradients(
    ns: dict[str, Any], target: Any, inputs: Sequence[Tensor], directions: Sequence[Tensor]
) -> dict[str, Any]:
    """Gradients of sum(outputs x directions): of the inputs by position ("0", "1", ...), of parameters by name.

    None stands for a gradient that does not exist.
    """
    function = _callable(ns, target)
    leaves = {str(i): tensor.clone().requires_grad_() for i, tensor in enumerate(inputs)}
    parameters = dict(function.named_parameters()) if isinstance(function, nn.Module) else {}
    outputs = function(*leaves.values())
    loss = sum((output * direction).sum() for output, direction in zip(outputs, directions, strict=True))
    names = [*leaves, *parameters]
    found = torch.autograd.grad(loss, [*leaves.values(), *parameters.values()], allow_unused=True)
    return dict(zip(names, found, strict=True))


def on_device(ns: dict[str, Any], target: Any, device: str, *inputs: Tensor) -> Any:
    """What ``target`` gives on ``device``."""
    function = _callable(ns, target)
    if isinstance(function, nn.Module):
        function.to(device)
    return function(*[tensor.to(device) for tensor in inputs])


def _callable(ns: dict[str, Any], target: Any) -> Any:
    return ns[target] if isinstance(target, str) else target


# -- attend -----------------------------------------------------------------------------------------------------------


def attend_strided(ns: dict[str, Any], q: Tensor, K: Tensor, V: Tensor) -> Any:
    """``attend`` on views that are not contiguous in memory."""
    views = [tensor.transpose(0, -1).contiguous().transpose(0, -1) for tensor in (q, K, V)]
    return ns["attend"](*views)


def functions_called(ns: dict[str, Any], target: Any, *inputs: Tensor) -> list[str]:
    """Names of the torch functions and operators that run while ``target`` is called, however they are bound."""
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: set[str] = set()

    class Functions(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.add(getattr(func, "__name__", str(func)))
            return func(*args, **(kwargs or {}))

    class Operators(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.add(str(func))
            return func(*args, **(kwargs or {}))

    with Operators(), Functions():
        _callable(ns, target)(*inputs)
    return sorted(seen)


# -- ColumnEncoder ----------------------------------------------------------------------------------------------------


def load(ns: dict[str, Any], module: nn.Module, state: dict[str, Tensor]) -> list[str]:
    """Copy ``state`` into ``module`` where names and shapes agree; returns the names that found no place."""
    own = module.state_dict()
    lost = [name for name, value in state.items() if name not in own or own[name].shape != value.shape]
    with torch.no_grad():
        for name in state.keys() - set(lost):
            own[name].copy_(state[name])
    return sorted(lost)


def parameters_of(ns: dict[str, Any], module: nn.Module, names: Sequence[str]) -> dict[str, int]:
    """Number of parameters of each part in ``names`` (-1 where there is no such part), and in all as "total"."""
    parts = {name: getattr(module, name, None) for name in names}
    return {
        name: sum(p.numel() for p in part.parameters()) if isinstance(part, nn.Module) else -1
        for name, part in [*parts.items(), ("total", module)]
    }


# -- AttentionReader --------------------------------------------------------------------------------------------------


class PixelEncoder(nn.Module):
    """Stands in for the student's ColumnEncoder: same call and parts, but its states are pixels of the image.

    images (B, 1, 28, W) -> memory (B, W // 16, 128), s0 (B, hidden).
    """

    def __init__(self, hidden: int = 64, units: int = 64) -> None:
        nn.Module.__init__(self)  # not super(): also called on instances of the student's class, see stand_in_encoder
        self.hidden, self.units, self.runs = hidden, units, 0
        self.cnn = nn.Sequential(nn.Identity())
        self.bigru = nn.GRU(128, units, batch_first=True, bidirectional=True)  # for readers that ask its width
        self.init = nn.Linear(2 * units, hidden)

    def forward(self, images: Tensor, trace: bool = False) -> tuple[Tensor, Tensor]:
        self.runs += 1
        return pixel_states(images), images[:, 0, 8:12, :16].flatten(1)[:, : self.hidden]


def pixel_states(images: Tensor) -> Tensor:
    """images (B, 1, 28, W) -> (B, W // 16, 128): for each 16-pixel column the pixels of the first eight rows."""
    columns = images.shape[-1] // 16
    tiles = images[:, 0, :8, : 16 * columns].unflatten(-1, (columns, 16))  # (B, 8, N, 16)
    return tiles.transpose(1, 2).flatten(2)


def nearness_attend(*given: Any, **named: Any) -> Any:
    """Stands in for the student's ``attend``: same call, but columns are weighted by how near their keys are.

    Uses no name from this module: its code also runs in the place of the student's function, see stand_in_attend.
    """
    q, K, V = [*given, *named.values()][:3]
    nearness = 1 / (0.1 + (K - q.unsqueeze(1)).square().mean(-1))
    weights = nearness / nearness.sum(-1, keepdim=True)
    return (weights.unsqueeze(-1) * V).sum(1), weights


class Kept:
    """A reader's memory, of whatever type, kept on this side."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory


@contextlib.contextmanager
def stand_in_attend(ns: dict[str, Any]) -> Iterator[None]:
    """Within, whoever calls the student's ``attend`` gets ``nearness_attend``.

    The function keeps its identity and changes its code, so that a name bound early or a static method follows too.
    """
    own = ns.get("attend")
    if not isinstance(own, types.FunctionType):
        with _global(ns, "attend", nearness_attend):
            yield
        return
    code = own.__code__
    own.__code__ = nearness_attend.__code__.replace(co_freevars=code.co_freevars)
    try:
        yield
    finally:
        own.__code__ = code


@contextlib.contextmanager
def stand_in_encoder(ns: dict[str, Any]) -> Iterator[None]:
    """Within, ``ColumnEncoder(...)`` makes a PixelEncoder, or, bound early, an object with its parts."""
    own = ns.get("ColumnEncoder")
    with contextlib.ExitStack() as stack:
        stack.enter_context(_global(ns, "ColumnEncoder", PixelEncoder))
        if isinstance(own, type):
            stack.enter_context(patch.object(own, "__init__", PixelEncoder.__init__))
        yield


@contextlib.contextmanager
def _global(ns: dict[str, Any], name: str, value: Any) -> Iterator[None]:
    held = {name: ns[name]} if name in ns else {}
    ns[name] = value
    try:
        yield
    finally:
        del ns[name]
        ns.update(held)


def reader(ns: dict[str, Any], weights: dict[str, dict[str, Tensor]], **sizes: int) -> tuple[nn.Module, list[str]]:
    """An AttentionReader of these ``sizes`` on a PixelEncoder, in eval mode.

    ``weights``: role -> name of parameter -> values.

    Also names the roles and parameters that the reader has no place for.
    """
    model = _built(ns, sizes)
    lost = []
    with torch.no_grad():
        for role, values in weights.items():
            modules = _modules(model, role, sizes)
            lost += [] if modules else [role]
            for module in modules:
                lost += _set(module, role, values)
    return model.eval(), lost


def _built(ns: dict[str, Any], sizes: dict[str, int]) -> nn.Module:
    own = ns.get("ColumnEncoder")
    with stand_in_encoder(ns):
        model = ns["AttentionReader"](**sizes)
    kinds = (PixelEncoder, own) if isinstance(own, type) else PixelEncoder
    for name, part in list(model.named_children()):
        if isinstance(part, kinds) and not isinstance(part, PixelEncoder):
            setattr(model, name, PixelEncoder(part.hidden, part.units))
    return model


def encoder_given(ns: dict[str, Any], model: nn.Module) -> dict[str, Any]:
    """What stands at ``model.encoder``: whether it is the encoder that was asked for, and its width."""
    encoder = getattr(model, "encoder", None)
    return {"is_encoder": isinstance(encoder, PixelEncoder), "hidden": getattr(encoder, "hidden", None)}


def _own_modules(model: nn.Module) -> list[nn.Module]:
    """All modules of a reader but its encoder's."""
    inside = {id(m) for part in model.modules() if isinstance(part, PixelEncoder) for m in part.modules()}
    return [module for module in model.modules() if id(module) not in inside]


def _modules(model: nn.Module, role: str, sizes: dict[str, int]) -> list[nn.Module]:
    """The parts of a reader that have the type and shape of ``role``."""
    hidden, emb = sizes.get("hidden", 64), sizes.get("emb", 32)
    d_k, d_v = sizes.get("d_k", 64), sizes.get("d_v", 128)
    linear = {"W_Q": (hidden, d_k), "W_K": (128, d_k), "W_V": (128, d_v), "out": (hidden + d_v, 13)}

    def fits(module: nn.Module) -> bool:
        if role == "emb":
            return isinstance(module, nn.Embedding) and module.weight.shape == (13, emb)
        if role == "cell":
            return isinstance(module, nn.GRUCell) and (module.input_size, module.hidden_size) == (emb + d_v, hidden)
        return isinstance(module, nn.Linear) and (module.in_features, module.out_features) == linear[role]

    return [module for module in _own_modules(model) if fits(module)]


def _set(module: nn.Module, role: str, values: dict[str, Tensor]) -> list[str]:
    parameters = dict(module.named_parameters())
    for name in parameters.keys() - values.keys():
        parameters[name].zero_()  # a bias that should not be there must not disturb the values
    for name in parameters.keys() & values.keys():
        parameters[name].copy_(values[name])
    return [f"{role}.{name}" for name in sorted(values.keys() - parameters.keys())]


def reader_parts(ns: dict[str, Any], model: nn.Module, roles: Sequence[str], **sizes: int) -> dict[str, list[int]]:
    """For each role the parameter counts of the modules that fit it; as "all" the count of all but the encoder."""
    counts = {
        role: [sum(p.numel() for p in module.parameters()) for module in _modules(model, role, sizes)] for role in roles
    }
    return {**counts, "all": [sum(p.numel() for p in _own_parameters(model).values())]}


def _own_parameters(model: nn.Module) -> dict[str, nn.Parameter]:
    """Name -> parameter, for all of a reader but its encoder."""
    encoder = {id(p) for part in model.modules() if isinstance(part, PixelEncoder) for p in part.parameters()}
    return {name: p for name, p in model.named_parameters() if id(p) not in encoder}


def encode(ns: dict[str, Any], model: Any, images: Tensor) -> tuple[Any, Kept]:
    """``model.encode``: s0, and the memory kept here."""
    with stand_in_attend(ns):
        found = model.encode(images)
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        raise TypeError("encode should return two things, s0 and memory")
    return found[0], Kept(found[1])


def step(ns: dict[str, Any], model: Any, y_prev: Tensor, s_prev: Tensor, kept: Kept) -> Any:
    """``model.step``: logits, state, weights."""
    with stand_in_attend(ns):
        return model.step(y_prev, s_prev, kept.memory)


def forward(ns: dict[str, Any], model: Any, images: Tensor, dec_in: Tensor) -> Any:
    """``model(images, dec_in)``: logits."""
    with stand_in_attend(ns):
        return model(images, dec_in)


def forward_on(ns: dict[str, Any], model: Any, device: str, images: Tensor, dec_in: Tensor) -> Any:
    """``forward`` with model and inputs on ``device``."""
    return forward(ns, model.to(device), images.to(device), dec_in.to(device))


def encoder_runs(ns: dict[str, Any], model: Any, images: Tensor, dec_in: Tensor) -> int:
    """How many times one ``forward`` runs the encoder."""
    encoders = [part for part in model.modules() if isinstance(part, PixelEncoder)]
    before = sum(encoder.runs for encoder in encoders)
    forward(ns, model, images, dec_in)
    return sum(encoder.runs for encoder in encoders) - before


def step_without_projections(
    ns: dict[str, Any], model: Any, y_prev: Tensor, s_prev: Tensor, kept: Kept, **sizes: int
) -> Any:
    """``step`` after the weights that make keys and values were set to zero (and set back afterwards)."""
    projections = [p for role in ("W_K", "W_V") for m in _modules(model, role, sizes) for p in m.parameters()]
    held = [p.detach().clone() for p in projections]
    with torch.no_grad():
        for p in projections:
            p.zero_()
        try:
            return step(ns, model, y_prev, s_prev, kept)
        finally:
            for p, value in zip(projections, held, strict=True):
                p.copy_(value)


def forward_flops(ns: dict[str, Any], model: Any, images: Tensor, dec_in: Tensor) -> int:
    """Floating-point operations in matrix products of one ``forward``."""
    from torch.utils.flop_counter import FlopCounterMode

    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        forward(ns, model, images, dec_in)
    return int(counter.get_total_flops())


def reader_gradients(
    ns: dict[str, Any], model: Any, images: Tensor, dec_in: Tensor, direction: Tensor
) -> dict[str, Any]:
    """Largest absolute gradient of sum(logits x direction) for each of the reader's own parameters and the images."""
    images = images.clone().requires_grad_()
    parameters = _own_parameters(model)
    loss = (forward(ns, model, images, dec_in) * direction).sum()
    found = torch.autograd.grad(loss, [*parameters.values(), images], allow_unused=True)
    names = [*parameters, "images"]
    return {name: None if g is None else g.abs().max().item() for name, g in zip(names, found, strict=True)}


def reader_changes(ns: dict[str, Any], model: Any, images: Tensor, dec_in: Tensor) -> list[str]:
    """Names of the inputs that ``forward``, ``encode`` and ``step`` change in place."""
    s0, kept = encode(ns, model, images.clone())
    s0 = s0.detach().clone()
    inputs = {"images": images, "dec_in": dec_in, "y_prev": dec_in[:, 0].clone(), "s_prev": s0}
    before = {name: tensor.clone() for name, tensor in inputs.items()}
    forward(ns, model, images, dec_in)
    encode(ns, model, images)
    step(ns, model, inputs["y_prev"], s0, kept)
    return [name for name, tensor in inputs.items() if not torch.equal(tensor, before[name])]


# -- receptive fields, parameter counts, memory_change ----------------------------------------------------------------


def small_cnn(ns: dict[str, Any], kind: str) -> nn.Module:
    """A CNN other than the lab's, for images of 28 rows."""
    layers: dict[str, Callable[[], list[nn.Module]]] = {
        "conv 5, average 4": lambda: [nn.Conv2d(1, 2, 5, padding=2), nn.AvgPool2d(4)],
        "conv 7 by 5 pixels": lambda: [nn.Conv2d(1, 3, (28, 7), stride=(1, 5))],
        "two convs 3, batch norm": lambda: [
            nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.Conv2d(2, 2, 3, padding=1)
        ],
    }  # fmt: skip
    return nn.Sequential(*layers[kind]())


def field_and_traces(ns: dict[str, Any], training: bool, column: int) -> dict[str, Any]:
    """``receptive_field_by_gradient`` on the lab's CNN: the field, the mode afterwards, the gradients left."""
    cnn = ns["make_cnn"]().train(training)
    field = ns["receptive_field_by_gradient"](cnn, column)
    left = [name for name, p in cnn.named_parameters() if p.grad is not None and bool(p.grad.any())]
    return {"field": field, "modes": sorted({module.training for module in cnn.modules()}), "left": left}


class TiedModule(nn.Module):
    """Two parts that share one parameter, one without parameters, one nested, and a parameter of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(13, 4)
        self.read = nn.Linear(4, 13)
        self.read.weight = self.table.weight
        self.act = nn.ReLU()
        self.deep = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 1, bias=False)))
        self.scale = nn.Parameter(torch.ones(5))


def counts_of_tied(ns: dict[str, Any]) -> Any:
    """``parameter_counts`` of a TiedModule."""
    return ns["parameter_counts"](TiedModule())


def counts_of_cnn(ns: dict[str, Any]) -> Any:
    """``parameter_counts`` of the lab's CNN."""
    return ns["parameter_counts"](ns["make_cnn"]())


class SumEncoder(nn.Module):
    """Stands in for the student's ColumnEncoder where the states must be easy to follow.

    With m_j the mean of the pixels of column j, the forward half of state j is (m_1 + ... + m_j) x (1, -2, 0.5), the
    backward half (m_j + ... + m_N) x (3, 1, -1). In training mode all is seven times as much.
    """

    def __init__(self) -> None:
        super().__init__()
        self.cnn = nn.Sequential(nn.AvgPool2d((28, 16)))
        self.bigru = nn.GRU(1, 3, batch_first=True, bidirectional=True)  # there for those who ask for its width
        self.init = nn.Linear(6, 2)
        self.gain = nn.Parameter(torch.tensor([[1.0, -2.0, 0.5], [3.0, 1.0, -1.0]]))

    def forward(self, images: Tensor, trace: bool = False) -> tuple[Tensor, Tensor]:
        means = self.cnn(images).flatten(2).transpose(1, 2)  # (B, N, 1)
        gain = self.gain * (7 if self.training else 1)
        left = means.cumsum(1) * gain[0]
        right = means.flip(1).cumsum(1).flip(1) * gain[1]
        memory = torch.cat([left, right], dim=2)
        return memory, self.init(memory.mean(1))


def change_and_traces(ns: dict[str, Any], before: Tensor, after: Tensor, training: bool = False) -> dict[str, Any]:
    """``memory_change`` on a SumEncoder: the result, the mode afterwards, and what traces are left."""
    encoder = SumEncoder().to(before.dtype).train(training)
    kept = before.clone(), after.clone()
    result = ns["memory_change"](encoder, before, after)
    values = list(result.values()) if isinstance(result, dict) else []
    return {
        "result": result,
        "modes": sorted({module.training for module in encoder.modules()}),
        "graph": any(isinstance(value, Tensor) and value.requires_grad for value in values),
        "changed": not (torch.equal(before, kept[0]) and torch.equal(after, kept[1])),
    }


# -- memorise ---------------------------------------------------------------------------------------------------------


class TinyReader(nn.Module):
    """A reader small enough to follow: logits (B, T, 13) from the previous symbol and the image's mean."""

    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(13, 6)
        self.out = nn.Linear(7, 13)
        self.modes: list[bool] = []

    def forward(self, images: Tensor, dec_in: Tensor) -> Tensor:
        self.modes.append(self.training)
        brightness = images.flatten(1).mean(1)[:, None, None].expand(-1, dec_in.shape[1], 1)
        return self.out(torch.cat([self.emb(dec_in), brightness], dim=2))


def memorised(ns: dict[str, Any], state: dict[str, Tensor], batch: Sequence[Tensor], **options: Any) -> dict[str, Any]:
    """``memorise`` on a TinyReader that starts in eval mode: losses, what was printed and logged, the weights after."""
    import wandb

    model = TinyReader()
    model.load_state_dict(state)
    model.eval()
    wandb.runs.clear()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        losses = ns["memorise"](model, tuple(batch), **options)
    return {
        "losses": losses, "printed": printed.getvalue(), "modes": model.modes, "runs": list(wandb.runs),
        "state": model.state_dict(),
    }  # fmt: skip


# -- replace_digit ----------------------------------------------------------------------------------------------------


def replaced(
    ns: dict[str, Any], images: np.ndarray, labels: np.ndarray, strips: dict[str, Any], calls: Sequence[Sequence[int]],
    seed: int, elsewhere: int = 0, drawn_from: np.ndarray | None = None,
) -> dict[str, Any]:  # fmt: skip
    """``replace_digit`` for each (i, k) of ``calls`` with one generator of ``seed``; what it did to the dataset.

    ``strips`` are StripDataset's further arguments. The dataset draws from ``images`` too, unless others are given in
    ``drawn_from``. All other generators are seeded with ``elsewhere`` first.
    """
    import random

    dataset = ns["StripDataset"](images if drawn_from is None else drawn_from, labels, **strips)
    before = _strips_of(dataset)
    random.seed(elsewhere)
    np.random.seed(elsewhere)  # noqa: NPY002 - the generator that the student should leave alone
    torch.manual_seed(elsewhere)
    rng = np.random.default_rng(seed)
    results = [ns["replace_digit"](dataset, i, k, images, labels, rng) for i, k in calls]
    return {"results": results, "dataset_changed": _strips_of(dataset) != before}


def _strips_of(dataset: Any) -> list[Any]:
    return [
        (image.tolist(), digits.tolist(), [int(x) for x in dataset.xs[i]], [int(x) for x in dataset.src[i]])
        for i, (image, digits) in ((i, dataset[i]) for i in range(len(dataset)))
    ]


# -- tables and lists -------------------------------------------------------------------------------------------------


def call_with(ns: dict[str, Any], name: str, arguments: Sequence[Any], lengths: Any) -> Any:
    """Call with one group of ``lengths``; a list stands for a range, which the wire would make a list."""
    group = range(min(lengths), max(lengths) + 1) if isinstance(lengths, list) else lengths
    return ns[name](*arguments, {"group": group})


def arguments_after(ns: dict[str, Any], name: str, arguments: list[Any]) -> list[Any]:
    """The arguments as they are after the call."""
    ns[name](*arguments)
    return arguments
