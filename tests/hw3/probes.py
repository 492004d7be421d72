"""What the hw3 suites do on the student's side. These functions run in the worker, where the package can be imported.

The first parameter, ``ns``, holds nothing: a package has no globals of a notebook. A student's code can read this file,
so it holds no expected value, no secret and no solution. Where one question needs what another asks for, a stand-in
with the same interface and other values takes its place (``mixing_attention``, ``CountingModel``, ``ToyRecurrent``),
so that a mistake costs marks at its own question only.

One long file, because the worker is given one file of probes.
"""

import ast
import contextlib
import importlib
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

Namespace = dict[str, Any]


@contextlib.contextmanager
def replaced(module: str, **names: Any) -> Iterator[Any]:
    """Within, the student's ``module`` has other values for some of its global names."""
    found = importlib.import_module(module)
    before = {name: getattr(found, name) for name in names if hasattr(found, name)}
    for name, value in names.items():
        setattr(found, name, value)
    try:
        yield found
    finally:
        for name in names:
            if name in before:
                setattr(found, name, before[name])
            else:
                delattr(found, name)


def _onehot(text: str, char_to_idx: dict[str, int]) -> Tensor:
    return torch.eye(len(char_to_idx), dtype=torch.int8)[[char_to_idx[char] for char in text]]


# -- any module -------------------------------------------------------------------------------------------------------


def parameter_shapes(ns: Namespace, model: nn.Module) -> dict[str, tuple[int, ...]]:
    """Shape of each parameter, by name."""
    return {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}


def set_parameters(ns: Namespace, model: nn.Module, values: dict[str, Tensor]) -> None:
    """Give parameters these values."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name in values:
                parameter.copy_(values[name])


def load(ns: Namespace, module: nn.Module, state: dict[str, Tensor]) -> list[str]:
    """Load a state; returns the names that were missing, unknown or of another shape."""
    own = module.state_dict()
    lost = [
        name
        for name in {**own, **state}
        if name not in own or name not in state or own[name].shape != state[name].shape
    ]
    module.load_state_dict({name: value for name, value in state.items() if name not in lost}, strict=False)
    return sorted(lost)


def changed_by(ns: Namespace, function: Any, *inputs: Tensor) -> list[int]:
    """Positions of the inputs that a call changes in place."""
    before = [tensor.clone() for tensor in inputs]
    function(*inputs)
    return [i for i, (old, new) in enumerate(zip(before, inputs, strict=True)) if not torch.equal(old, new)]


def on_device(ns: Namespace, module: nn.Module, device: str, inputs: Sequence[Tensor | None]) -> Any:
    """What a module gives on ``device``."""
    return module.to(device)(*[None if tensor is None else tensor.to(device) for tensor in inputs])


# -- characters -------------------------------------------------------------------------------------------------------


def labelled_samples(ns: Namespace, text: str, char_to_idx: dict[str, int], length: int, **options: Any) -> Any:
    """``chars_to_labelled_samples``, whatever the student's ``chars_to_onehot`` does."""
    with replaced("hw3.charnn", chars_to_onehot=_onehot) as charnn:
        result = charnn.chars_to_labelled_samples(text, char_to_idx, length, **options)
    return tuple(part.cpu() if isinstance(part, Tensor) else part for part in result)


def devices_of_samples(ns: Namespace, text: str, char_to_idx: dict[str, int], length: int, device: str) -> list[str]:
    """Where samples and labels are."""
    with replaced("hw3.charnn", chars_to_onehot=_onehot) as charnn:
        return [part.device.type for part in charnn.chars_to_labelled_samples(text, char_to_idx, length, device)]


def _sampler(items: int, batch: int) -> Any:
    return importlib.import_module("hw3.charnn").SequenceBatchSampler(range(items), batch)


def sampled_indices(ns: Namespace, items: int, batch: int) -> list[int]:
    """The sampler's order; its items may be any kind of whole number."""
    return [int(index) for index in _sampler(items, batch)]


def sampled_twice(ns: Namespace, items: int, batch: int) -> bool:
    """Whether two passes give the same order, and any."""
    sampler = _sampler(items, batch)
    first, second = ([int(index) for index in sampler] for _ in range(2))
    return bool(first) and first == second


def loaded_batches(ns: Namespace, items: int, batch: int) -> list[list[int]]:
    """The batches that a DataLoader makes with the sampler, of a data set of 0, 1, 2, ..."""
    from torch.utils.data import DataLoader, TensorDataset

    data = TensorDataset(torch.arange(items))
    loader = DataLoader(data, batch, sampler=_sampler(items, batch), drop_last=True)
    return [numbers.tolist() for (numbers,) in loader]


def softmax_changes(ns: Namespace, scores: Tensor) -> bool:
    """Whether ``hot_softmax`` changes its input."""
    before = scores.clone()
    importlib.import_module("hw3.charnn").hot_softmax(scores, temperature=0.5)
    return not torch.equal(before, scores)


# -- MultilayerGRU ----------------------------------------------------------------------------------------------------


def first_layer_changed(ns: Namespace, model: nn.Module, x: Tensor, hidden: Tensor) -> dict[str, int]:
    """For each parameter, the lowest layer whose state it changes when it is disturbed; L where only outputs change."""
    layers = hidden.shape[1]
    found = {}
    with torch.no_grad():
        output, states = model(x, hidden)
        for name, parameter in model.named_parameters():
            before = parameter.clone()
            parameter.add_(torch.linspace(0.5, 1.5, parameter.numel()).reshape(parameter.shape))
            disturbed, moved = model(x, hidden)
            parameter.copy_(before)
            touched = [layer for layer in range(layers) if (moved[:, layer] - states[:, layer]).abs().max() > 1e-6]
            found[name] = touched[0] if touched else (layers if (disturbed - output).abs().max() > 1e-6 else -1)
    return found


def gradients_of_last_output(ns: Namespace, model: nn.Module, x: Tensor, hidden: Tensor, direction: Tensor) -> Any:
    """Gradients of (last output x direction) with respect to input and state; None where there is none."""
    leaves = x.clone().requires_grad_(), hidden.clone().requires_grad_()
    output, _ = model(*leaves)
    return torch.autograd.grad((output[:, -1] * direction).sum(), leaves, allow_unused=True)


def parameters_without_gradient(ns: Namespace, model: nn.Module, *inputs: Tensor) -> list[str]:
    """Names of the parameters that no gradient of the first output reaches."""
    output = model(*inputs)
    output = output[0] if isinstance(output, tuple) else output
    names, parameters = zip(*model.named_parameters(), strict=True)
    found = torch.autograd.grad(output.square().sum(), parameters, allow_unused=True)
    return [name for name, gradient in zip(names, found, strict=True) if gradient is None or not gradient.any()]


# -- generation -------------------------------------------------------------------------------------------------------


class CountingModel(nn.Module):
    """Writes what follows from the last character and from how many were read: (last + how many) modulo V."""

    def __init__(self, scale: float = 200.0) -> None:
        super().__init__()
        self.anchor = nn.Parameter(torch.ones(1))
        self.scale = scale
        self.with_gradients = False

    def forward(self, x: Tensor, hidden_state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        self.with_gradients |= torch.is_grad_enabled()
        count = torch.zeros(x.shape[0], 1, 1) if hidden_state is None else hidden_state
        steps = torch.arange(1, x.shape[1] + 1).view(1, -1, 1)
        index = (x.argmax(-1, keepdim=True) + count + steps) % x.shape[2]
        scores = nn.functional.one_hot(index.squeeze(-1).long(), x.shape[2]).float() * self.scale
        return scores * self.anchor, count + x.shape[1]


class ConstantModel(nn.Module):
    """Gives every character the same scores at every step."""

    def __init__(self, scores: Tensor) -> None:
        super().__init__()
        self.scores = nn.Parameter(scores)

    def forward(self, x: Tensor, hidden_state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return self.scores.expand(*x.shape[:2], -1), torch.zeros(x.shape[0], 1, 1)


def _heated(y: Tensor, dim: int = 0, temperature: float = 1.0) -> Tensor:
    return torch.exp(torch.log_softmax(y / temperature, dim))


def generate(
    ns: Namespace, kind: str, alphabet: str, start: str, length: int, T: float, scores: Tensor | None = None
) -> Any:
    """What ``generate_from_model`` writes with a stand-in model, and whether gradients were tracked."""
    maps = {char: i for i, char in enumerate(alphabet)}, dict(enumerate(alphabet))
    model: Any = CountingModel() if kind == "counting" else ConstantModel(scores)
    with replaced("hw3.charnn", chars_to_onehot=_onehot, hot_softmax=_heated) as charnn:
        text = charnn.generate_from_model(model, start, length, maps, T)
    return text, bool(getattr(model, "with_gradients", False))


# -- Trainer ----------------------------------------------------------------------------------------------------------


def fitted(
    ns: Namespace,
    epochs: Sequence[tuple[float, float]],
    num_epochs: int,
    *,
    checkpoints: str | None = None,
    saved: dict[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """What ``fit`` does when each epoch gives the (test loss, test accuracy) of ``epochs``.

    The model's only number is the epoch it has seen last. ``saved`` lies in the checkpoint's file to begin with.
    """
    training = importlib.import_module("hw3.training")
    results = importlib.import_module("cs236781.train_results")
    script = iter(epochs)
    seen: dict[str, Any] = {"train_kw": [], "test_kw": [], "posts": 0, "weights": []}

    class Scripted(training.Trainer):  # type: ignore[misc, name-defined]
        def train_epoch(self, dl_train: Any, **kw: Any) -> Any:
            seen["train_kw"].append({key: kw[key] for key in kw if key != "verbose"})
            self.model.weight.data += 1
            seen["weights"].append(float(self.model.weight))
            return results.EpochResult([2.0, 1.0], 50.0)

        def test_epoch(self, dl_test: Any, **kw: Any) -> Any:
            seen["test_kw"].append({key: kw[key] for key in kw if key != "verbose"})
            loss, accuracy = next(script)
            return results.EpochResult([loss, loss], accuracy)

        def train_batch(self, batch: Any) -> Any:
            raise AssertionError

        test_batch = train_batch

    model = nn.Linear(1, 1, bias=False)
    model.weight.data.zero_()
    if checkpoints is not None:
        Path(checkpoints).parent.mkdir(parents=True, exist_ok=True)
        Path(f"{checkpoints}.pt").unlink(missing_ok=True)
        if saved is not None:
            torch.save(saved, f"{checkpoints}.pt")
    trainer = Scripted(model, None, torch.optim.SGD(model.parameters(), lr=0.1), "cpu")

    def post(*arguments: Any) -> None:
        seen["posts"] += 1

    with contextlib.redirect_stdout(io.StringIO()):
        result = trainer.fit("train", "test", num_epochs, checkpoints=checkpoints, post_epoch_fn=post, **options)
    found = {name: getattr(result, name) for name in results.FitResult._fields}
    for name in ("train_loss", "train_acc", "test_loss", "test_acc"):
        found[name] = np.asarray([float(value) for value in np.ravel(found[name])])
    file = None
    if checkpoints is not None and Path(f"{checkpoints}.pt").is_file():
        file = torch.load(f"{checkpoints}.pt", weights_only=False)
        file = {key: dict(value) if key == "model_state" else value for key, value in file.items()}
    return {"result": found, "num_epochs": int(result.num_epochs), "file": file, **seen}


# -- trainers of batches ----------------------------------------------------------------------------------------------


class CountingSGD(torch.optim.SGD):
    """SGD that counts its steps."""

    steps = 0

    def step(self, closure: Any = None) -> Any:
        self.steps += 1
        return super().step(closure)


class ToyRecurrent(nn.Module):
    """A state of decaying sums, and scores that are linear in input and state; no gates. Keeps what it was given."""

    def __init__(self, width: int, weight: Tensor) -> None:
        super().__init__()
        self.width = width
        self.weight = nn.Parameter(weight.clone())
        self.given: list[Tensor | None] = []
        self.returned: list[Tensor] = []
        self.modes: list[bool] = []
        self.tracked: list[bool] = []

    def forward(self, x: Tensor, hidden_state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        self.given.append(hidden_state)
        self.modes.append(self.training)
        self.tracked.append(torch.is_grad_enabled())
        x = x.float()
        state = x.new_zeros(x.shape[0], 1, self.width) if hidden_state is None else hidden_state
        outputs = []
        for step in x.unbind(1):
            state = 0.5 * state + step.unsqueeze(1) @ self.weight
            outputs.append(state.squeeze(1))
        self.returned.append(state)
        return torch.stack(outputs, 1), state


def rnn_training(
    ns: Namespace, weight: Tensor, batches: Sequence[tuple[Tensor, Tensor]], *, train: bool, lr: float = 0.1
) -> dict[str, Any]:
    """Batches one after the other through ``RNNTrainer``: results, weights, and how the state went on."""
    training = importlib.import_module("hw3.training")
    model = ToyRecurrent(weight.shape[1], weight)
    optimizer = CountingSGD(model.parameters(), lr=lr)
    trainer = training.RNNTrainer(model, nn.CrossEntropyLoss(), optimizer, "cpu")
    model.train(train)
    results, weights = [], []
    for batch in batches:
        result = (trainer.train_batch if train else trainer.test_batch)(batch)
        results.append((float(result.loss), float(result.num_correct)))
        weights.append(model.weight.detach().clone())
    return {
        "results": results,
        "weights": weights,
        "gradient": None if model.weight.grad is None else model.weight.grad.clone(),
        "steps": optimizer.steps,
        "given": [None if state is None else state.detach().clone() for state in model.given],
        "attached": [state is not None and state.grad_fn is not None for state in model.given],
        "returned": [state.detach().clone() for state in model.returned],
        "tracked": model.tracked,
    }


def rnn_epochs(
    ns: Namespace, weight: Tensor, x: Tensor, y: Tensor, batch: int, epochs: Sequence[str]
) -> dict[str, Any]:
    """Whole epochs of ``RNNTrainer``: for each call of the model whether it began without memory, and its mode."""
    from torch.utils.data import DataLoader, TensorDataset

    training = importlib.import_module("hw3.training")
    model = ToyRecurrent(weight.shape[1], weight)
    trainer = training.RNNTrainer(model, nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), lr=0.1), "cpu")
    loader = DataLoader(TensorDataset(x, y), batch)
    accuracies = []
    with contextlib.redirect_stdout(io.StringIO()):
        for kind in epochs:
            run = trainer.train_epoch if kind == "train" else trainer.test_epoch
            accuracies.append(float(run(loader, verbose=False).accuracy))
    fresh = [state is None or not bool(state.any()) for state in model.given]
    return {"fresh": fresh, "modes": model.modes, "accuracies": accuracies, "weight": model.weight.detach().clone()}


class ToyAutoencoder(nn.Module):
    """Gives back its input times a weight, and a mean and log-variance that are constants."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(0.2))
        self.tracked: list[bool] = []

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        self.tracked.append(torch.is_grad_enabled())
        constant = x.new_full((x.shape[0], 2), 0.5)
        return x * self.weight, constant, constant - 1


def vae_training(ns: Namespace, batches: Sequence[Tensor], *, train: bool, parallel: bool) -> dict[str, Any]:
    """Batches of images through ``VAETrainer`` with a model of one weight and a loss of its own."""
    training = importlib.import_module("hw3.training")
    model = ToyAutoencoder()
    optimizer = CountingSGD(model.parameters(), lr=0.1)

    def loss_fn(x: Tensor, xr: Tensor, z_mu: Tensor, z_log_sigma2: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        data = (x - xr).square().mean()
        divergence = z_mu.mean() + 3 * z_log_sigma2.mean()
        return data + divergence, data, divergence

    wrapped = nn.DataParallel(model) if parallel else model
    trainer = training.VAETrainer(wrapped, loss_fn, optimizer, "cpu")
    results, weights, gradients = [], [], []
    for x in batches:
        result = (trainer.train_batch if train else trainer.test_batch)((x, torch.zeros(len(x))))
        results.append(float(result.loss))
        weights.append(float(model.weight))
        gradients.append(None if model.weight.grad is None else float(model.weight.grad))
    return {
        "losses": results,
        "weights": weights,
        "gradients": gradients,
        "steps": optimizer.steps,
        "tracked": model.tracked,
    }


class ToyClassifier(nn.Module):
    """One logit a sentence: a weight times the mean of its real tokens, plus a bias."""

    def __init__(self, column: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(0.3))
        self.bias = nn.Parameter(torch.tensor(-1.0))
        self.column = column
        self.tracked: list[bool] = []

    def forward(self, sentence: Tensor, padding_mask: Tensor) -> Tensor:
        self.tracked.append(torch.is_grad_enabled())
        mean = (sentence * padding_mask).sum(1) / padding_mask.sum(1)
        logits = self.weight * mean + self.bias
        return logits.unsqueeze(1) if self.column else logits

    def predict(self, sentence: Tensor, padding_mask: Tensor) -> Tensor:
        return torch.round(torch.sigmoid(self.forward(sentence, padding_mask)))


def classifier_training(ns: Namespace, batches: Sequence[dict[str, Tensor]], *, train: bool) -> dict[str, Any]:
    """Batches of sentences through ``TransformerEncoderTrainer``; logits (B, 1), or (B,) if the trainer needs that."""
    training = importlib.import_module("hw3.training")
    failure: Exception | None = None
    for column in (True, False):
        model = ToyClassifier(column)
        optimizer = CountingSGD(model.parameters(), lr=0.1)
        trainer = training.TransformerEncoderTrainer(model, nn.BCEWithLogitsLoss(), optimizer, "cpu")
        try:
            return _run(trainer, model, optimizer, batches, train)
        except (ValueError, RuntimeError, IndexError, TypeError) as error:
            failure = failure or error
    assert failure is not None
    raise failure


class Output(dict[str, Any]):
    """What a pretrained model returns, as transformers has it: by attribute, by key, by place."""

    def __init__(self, loss: Tensor | None, logits: Tensor) -> None:
        super().__init__(logits=logits) if loss is None else super().__init__(loss=loss, logits=logits)
        self.loss, self.logits = loss, logits

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key) if isinstance(key, str) else self.to_tuple()[key]

    def to_tuple(self) -> tuple[Any, ...]:
        return tuple(self.values())


class ToyPretrained(nn.Module):
    """Two logits a sentence, and a loss of its own where labels are given; called as a pretrained model is."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(0.3))
        self.bias = nn.Parameter(torch.tensor(-1.0))
        self.tracked: list[bool] = []

    def forward(self, input_ids: Any = None, attention_mask: Any = None, *, labels: Any = None, **options: Any) -> Any:
        self.tracked.append(torch.is_grad_enabled())
        mean = (input_ids * attention_mask).sum(1) / attention_mask.sum(1)
        score = self.weight * mean + self.bias
        logits = torch.stack([-score, score], 1)
        loss = None if labels is None else 2 * nn.functional.cross_entropy(logits, labels.long())
        return Output(loss, logits)


def finetuning(ns: Namespace, batches: Sequence[dict[str, Tensor]], *, train: bool) -> dict[str, Any]:
    """Batches of sentences through ``FineTuningTrainer``."""
    training = importlib.import_module("hw3.training")
    model = ToyPretrained()
    optimizer = CountingSGD(model.parameters(), lr=0.1)
    return _run(training.FineTuningTrainer(model, None, optimizer, "cpu"), model, optimizer, batches, train)


def _run(trainer: Any, model: Any, optimizer: CountingSGD, batches: Sequence[Any], train: bool) -> dict[str, Any]:
    results, gradients = [], []
    for batch in batches:
        result = (trainer.train_batch if train else trainer.test_batch)(batch)
        results.append((float(result.loss), float(result.num_correct)))
        gradients.append([None if p.grad is None else float(p.grad) for p in model.parameters()])
    weights = [float(parameter) for parameter in model.parameters()]
    return {
        "results": results,
        "weights": weights,
        "gradients": gradients,
        "steps": optimizer.steps,
        "tracked": model.tracked,
    }


# -- VAE --------------------------------------------------------------------------------------------------------------


class PlainEncoder(nn.Module):
    """Features for a VAE whose own networks do not work: averages of patches, mixed."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.mix = nn.Conv2d(channels, 4, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.mix(nn.functional.avg_pool2d(x, 8))


class PlainDecoder(nn.Module):
    """The way back: mixed, and made larger."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.mix = nn.Conv2d(4, channels, 1)

    def forward(self, h: Tensor) -> Tensor:
        return nn.functional.interpolate(self.mix(h), scale_factor=8)


def vae(ns: Namespace, in_size: tuple[int, int, int], z_dim: int) -> Any:
    """A VAE with the student's own networks, or with plain ones where those fail; in eval mode."""
    module = importlib.import_module("hw3.autoencoder")
    channels = in_size[0]
    try:
        model = module.VAE(module.EncoderCNN(channels, 8), module.DecoderCNN(8, channels), tuple(in_size), z_dim)
        with torch.no_grad():
            model.features_decoder(model.features_encoder(torch.zeros(2, *in_size)))
    except Exception:
        model = module.VAE(PlainEncoder(channels), PlainDecoder(channels), tuple(in_size), z_dim)
    return model.eval()


def with_other_variances(ns: Namespace, model: Any, x: Tensor, z_dim: int) -> Any:
    """The model with biases of its last maps moved, so that variances are not near 1, where their root is the same."""
    log_sigma2 = model.encode(x)[2]
    vectors = [p for p in model.parameters() if p.requires_grad and p.ndim == 1 and p.numel() in (z_dim, 2 * z_dim)]
    if log_sigma2.requires_grad and vectors:
        found = torch.autograd.grad(log_sigma2.sum(), vectors, allow_unused=True)
        with torch.no_grad():
            for vector, gradient in zip(vectors, found, strict=True):
                if gradient is not None and gradient.any():
                    vector.add_(1.5)
    return model


def encoded_gradients(ns: Namespace, model: Any, x: Tensor) -> dict[str, bool]:
    """Whether gradients of z reach what mu and log_sigma2 are made of."""
    z, mu, log_sigma2 = model.encode(x)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]

    def reached(value: Tensor) -> set[int]:
        if not value.requires_grad:
            return set()
        found = torch.autograd.grad(value.square().sum(), parameters, allow_unused=True, retain_graph=True)
        return {i for i, gradient in enumerate(found) if gradient is not None and bool(gradient.any())}

    by_z, by_mu, by_sigma = reached(z), reached(mu), reached(log_sigma2)
    return {"mu": bool(by_mu) and by_mu <= by_z, "log_sigma2": bool(by_sigma) and by_sigma <= by_z}


def samples(ns: Namespace, model: Any, n: int) -> dict[str, Any]:
    """What ``sample`` gives, and the points of the latent space that it decodes."""
    decoded: list[Tensor] = []
    decode = model.decode

    def recording(z: Tensor) -> Tensor:
        decoded.append(z.detach().clone())
        return decode(z)

    model.decode = recording
    try:
        images = model.sample(n)
    finally:
        del model.decode
    images = list(images)
    return {
        "images": [image.detach().clone() for image in images],
        "tracked": any(image.requires_grad for image in images),
        "devices": [image.device.type for image in images],
        "z": torch.cat([z.reshape(-1, z.shape[-1]) for z in decoded]) if decoded else None,
    }


def sample_modes(ns: Namespace, model: Any) -> bool:
    """Whether ``sample`` leaves the model in the mode it was in."""
    model.eval()
    model.sample(1)
    return not model.training


def loss_gradients(ns: Namespace, x: Tensor, xr: Tensor, mu: Tensor, log_sigma2: Tensor, x_sigma2: float) -> Any:
    """Gradients of ``vae_loss`` with respect to reconstruction, mean and log-variance."""
    leaves = [tensor.clone().requires_grad_() for tensor in (xr, mu, log_sigma2)]
    loss = importlib.import_module("hw3.autoencoder").vae_loss(x, *leaves, x_sigma2)[0]
    return torch.autograd.grad(loss, leaves, allow_unused=True)


# -- transformer ------------------------------------------------------------------------------------------------------


def mixing_attention(
    q: Tensor, k: Tensor, v: Tensor, window_size: int, padding_mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Stands in for the attention where that is not the question: no attention, but a mixture of all it is given."""
    mask = torch.ones(q.shape[0], q.shape[-2]) if padding_mask is None else padding_mask.to(q.dtype)
    mask = mask.reshape(q.shape[0], *[1] * (q.dim() - 3), q.shape[-2], 1)
    values = (q + 2 * k.roll(1, -2) + 3 * v + math.sqrt(window_size)) * mask
    weights = (q.sum(-1, keepdim=True) - k.sum(-1).unsqueeze(-2)) * mask
    return values, weights


def with_stand_in(ns: Namespace, module: Any, *inputs: Any, **options: Any) -> Any:
    """What a module of the student's gives when ``mixing_attention`` takes the attention's place."""
    with replaced("hw3.transformer", sliding_window_attention=mixing_attention), torch.no_grad():
        return module(*inputs, **options)


def layer_with_stand_ins(ns: Namespace, layer: Any, x: Tensor, mask: Tensor) -> Any:
    """What a layer gives when its heads are stand-ins."""
    with _stand_in_heads(), torch.no_grad():
        return layer(x, mask)


def without_gradient_with_stand_ins(ns: Namespace, layer: Any, x: Tensor, mask: Tensor) -> list[str]:
    """Parameters of a layer that get no gradient then."""
    with _stand_in_heads():
        return parameters_without_gradient(ns, layer, x, mask)


def layer_changes(ns: Namespace, layer: Any, x: Tensor, mask: Tensor) -> list[int]:
    """Positions of the inputs that a layer changes in place then."""
    with _stand_in_heads():
        return changed_by(ns, layer, x, mask)


def summing_layer(layer: Any, x: Tensor, padding_mask: Tensor | None) -> Tensor:
    """Stands in for a layer's ``forward`` where that is not the question."""
    return x + 0.1 * layer.self_attn(x, padding_mask) + 0.1 * layer.feed_forward(x).roll(1, 1)


@contextlib.contextmanager
def _stand_in_heads() -> Iterator[None]:
    """Within, the heads mix what they are given, whatever the student's attention and its call do."""
    attention = importlib.import_module("hw3.transformer").MultiHeadAttention
    before = attention.forward
    attention.forward = _mixed_heads
    try:
        yield
    finally:
        attention.forward = before


@contextlib.contextmanager
def _stand_in_layers() -> Iterator[None]:
    """Within, layers are sums of their parts too."""
    layer = importlib.import_module("hw3.transformer").EncoderLayer
    before = layer.forward
    layer.forward = summing_layer
    try:
        with _stand_in_heads():
            yield
    finally:
        layer.forward = before


def _mixed_heads(layer: Any, x: Tensor, padding_mask: Tensor | None, return_attention: bool = False) -> Any:
    """``MultiHeadAttention.forward`` on ``mixing_attention``."""
    heads = layer.qkv_proj(x).reshape(*x.shape[:2], layer.num_heads, -1).permute(0, 2, 1, 3)
    values, weights = mixing_attention(*heads.chunk(3, dim=-1), layer.window_size, padding_mask)
    output = layer.o_proj(values.permute(0, 2, 1, 3).reshape(*x.shape[:2], -1))
    return (output, weights) if return_attention else output


def encoded_with_stand_ins(ns: Namespace, encoder: Any, tokens: Tensor, mask: Tensor) -> Any:
    """What an encoder gives when its attention and its layers are stand-ins."""
    with _stand_in_layers(), torch.no_grad():
        return encoder(tokens, mask)


def predicted_with_stand_ins(ns: Namespace, encoder: Any, tokens: Tensor, mask: Tensor) -> Any:
    """What ``predict`` gives then."""
    with _stand_in_layers(), torch.no_grad():
        return encoder.predict(tokens, mask)


def attention_gradients(
    ns: Namespace, q: Tensor, k: Tensor, v: Tensor, window: int, mask: Tensor | None, direction: Tensor
) -> Any:
    """Gradients of (values x direction) with respect to q, k and v."""
    leaves = [tensor.clone().requires_grad_() for tensor in (q, k, v)]
    attend = importlib.import_module("hw3.transformer").sliding_window_attention
    values = attend(*leaves, window, mask)[0]
    return torch.autograd.grad((values * direction).sum(), leaves, allow_unused=True)


def attention_changes(ns: Namespace, q: Tensor, k: Tensor, v: Tensor, window: int, mask: Tensor) -> list[int]:
    """Positions of the inputs that the attention changes in place."""
    attend = importlib.import_module("hw3.transformer").sliding_window_attention
    before = [tensor.clone() for tensor in (q, k, v, mask)]
    attend(q, k, v, window, mask)
    return [i for i, (old, new) in enumerate(zip(before, (q, k, v, mask), strict=True)) if not torch.equal(old, new)]


def attention_on(ns: Namespace, device: str, q: Tensor, k: Tensor, v: Tensor, window: int, mask: Tensor) -> Any:
    """The values on ``device``."""
    attend = importlib.import_module("hw3.transformer").sliding_window_attention
    return attend(*(tensor.to(device) for tensor in (q, k, v)), window, mask.to(device))[0]


def _fused(q: Sequence[int], k: Sequence[int], v: Sequence[int], *_: Any, **__: Any) -> int:
    """Operations of a fused attention, which the counter knows on GPUs only: two dense products of (B, H, S, D)."""
    return 2 * math.prod(q[:-1]) * k[-2] * (q[-1] + v[-1])


FUSED = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _fused}


def multiplications(ns: Namespace, lengths: Sequence[int], window: int, width: int) -> list[int]:
    """Multiplications of the attention at each length: those of matrix products, and those element by element."""
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils.flop_counter import FlopCounterMode

    attend = importlib.import_module("hw3.transformer").sliding_window_attention

    class Elementwise(TorchDispatchMode):
        count = 0

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            if func.overloadpacket in (torch.ops.aten.mul, torch.ops.aten.mul_) and result.is_floating_point():
                Elementwise.count += result.numel()
            return result

    counts = []
    for length in lengths:
        Elementwise.count = 0
        q, k, v = (torch.randn(1, length, width) for _ in range(3))
        with FlopCounterMode(display=False, custom_mapping=FUSED) as counter, Elementwise():
            attend(q, k, v, window)
        counts.append(counter.get_total_flops() // 2 + Elementwise.count)
    return counts


# -- freezing ---------------------------------------------------------------------------------------------------------


class Layer(nn.Module):
    """A layer of the toy DistilBERT."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.Linear(2, 2)
        self.ffn = nn.Linear(2, 2)


class ToyDistilBert(nn.Module):
    """The parts of a DistilBERT classifier by their names, small; it cannot be called."""

    def __init__(self) -> None:
        super().__init__()
        self.distilbert = nn.Module()
        self.distilbert.embeddings = nn.Embedding(3, 2)
        self.distilbert.transformer = nn.Module()
        self.distilbert.transformer.layer = nn.ModuleList(Layer() for _ in range(2))
        self.pre_classifier = nn.Linear(2, 2)
        self.classifier = nn.Linear(2, 2)
        self.dropout = nn.Dropout(0.2)

    @property
    def base_model(self) -> nn.Module:
        return self.distilbert


DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign)


def notebook_names() -> Namespace:
    """What the supplied first cells of the notebook have imported, as far as a cell that freezes may want it."""
    import os
    import sys
    import time

    import matplotlib.pyplot as plt
    import numpy as np

    own = {"os": os, "sys": sys, "time": time, "plt": plt, "np": np, "torch": torch, "nn": nn, "optim": torch.optim}
    shell = sys.modules["autograder.sandbox.stand_ins"]
    return own | {"F": nn.functional, "device": "cpu", "get_ipython": shell.get_ipython, "display": shell.display}


def frozen_by(ns: Namespace, source: str, trainable: bool) -> list[str]:
    """Names of the parameters that train after a cell was run on ``model``, all of which was ``trainable`` or not."""
    model = ToyDistilBert().requires_grad_(trainable)
    names = notebook_names() | {"model": model}
    for statement in ast.parse(source).body:  # first what the cell may call: helpers, perhaps of another cell
        if isinstance(statement, DEFINITIONS):
            with contextlib.suppress(Exception):
                exec(compile(ast.Module([statement], []), "<cell freezing>", "exec"), names)
    exec(compile(source, "<cell freezing>", "exec"), names)
    model = names["model"]
    return [name for name, parameter in model.named_parameters() if parameter.requires_grad]
