"""Parts 1 to 4: training loops.

``Trainer`` runs epochs; what a batch means is up to each of its subclasses.
"""

import abc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.utils.data import DataLoader
from tqdm.auto import tqdm

from cs236781.train_results import BatchResult, EpochResult, FitResult


class Trainer(abc.ABC):
    """Trains a model: epochs, early stopping and checkpoints. Subclasses say what happens with one batch."""

    def __init__(
        self,
        model: nn.Module,
        loss_fn: Callable[..., Any] | None,
        optimizer: Optimizer,
        device: str | torch.device = "cpu",
    ) -> None:
        """
        :param model: the model to train.
        :param loss_fn: what it is trained on.
        :param optimizer: over the model's parameters.
        :param device: where training happens.
        """
        self.model = model
        self.loss_fn = loss_fn
        self.optimizer = optimizer
        self.device = device
        model.to(self.device)

    def fit(
        self,
        dl_train: DataLoader,
        dl_test: DataLoader,
        num_epochs: int,
        checkpoints: str | None = None,
        early_stopping: int | None = None,
        print_every: int = 1,
        post_epoch_fn: Callable[..., None] | None = None,
        **kw: Any,
    ) -> FitResult:
        """Train for a number of epochs, testing after each.

        An epoch is an improvement if its test accuracy is strictly better than the best so far.

        :param dl_train: training data.
        :param dl_test: test data.
        :param num_epochs: the most epochs to run.
        :param checkpoints: name, without ending, of a file in which the best model so far is kept; training resumes
            from it if it is there.
        :param early_stopping: stop after so many epochs in a row without an improvement.
        :param print_every: print every so many epochs.
        :param post_epoch_fn: called after each epoch with (epoch, train_result, test_result, verbose).
        :param kw: passed on to ``train_epoch`` and ``test_epoch`` (``max_batches``).
        :return: the number of epochs really run; losses, and accuracies in percent.
        """
        actual_num_epochs = 0
        epochs_without_improvement = 0
        train_loss: list[float] = []
        train_acc: list[float] = []
        test_loss: list[float] = []
        test_acc: list[float] = []
        best_acc: float | None = None

        checkpoint_filename = None
        if checkpoints is not None:
            checkpoint_filename = Path(f"{checkpoints}.pt")
            checkpoint_filename.parent.mkdir(parents=True, exist_ok=True)
            if checkpoint_filename.is_file():
                print(f"*** loading checkpoint file {checkpoint_filename}")
                saved_state = torch.load(checkpoint_filename, map_location=self.device)
                best_acc = saved_state.get("best_acc", best_acc)
                epochs_without_improvement = saved_state.get("ewi", epochs_without_improvement)
                self.model.load_state_dict(saved_state["model_state"])

        for epoch in range(num_epochs):
            verbose = epoch % print_every == 0 or epoch == num_epochs - 1
            self._print(f"--- EPOCH {epoch + 1}/{num_epochs} ---", verbose)
            # Train and test for one epoch, passing on kw; keep losses and accuracies; count the epoch. On an
            # improvement set save_checkpoint; otherwise count, and stop when there were early_stopping of them.
            save_checkpoint = False
            stop = False
            # YOUR CODE HERE
            raise NotImplementedError()

            if save_checkpoint and checkpoint_filename is not None:
                # Keep best_acc, ewi (epochs without improvement) and model_state in the file.
                # YOUR CODE HERE
                raise NotImplementedError()
                self._print(f"*** saved checkpoint {checkpoint_filename} at epoch {epoch + 1}", verbose)

            if post_epoch_fn is not None:
                post_epoch_fn(epoch, train_result, test_result, verbose)
            if stop:
                break

        return FitResult(actual_num_epochs, train_loss, train_acc, test_loss, test_acc)

    def train_epoch(self, dl_train: DataLoader, **kw: Any) -> EpochResult:
        """Train once over the data, or over ``max_batches`` batches of it."""
        self.model.train(True)
        return self._foreach_batch(dl_train, self.train_batch, **kw)

    def test_epoch(self, dl_test: DataLoader, **kw: Any) -> EpochResult:
        """Test once over the data, or over ``max_batches`` batches of it."""
        self.model.train(False)
        return self._foreach_batch(dl_test, self.test_batch, **kw)

    @abc.abstractmethod
    def train_batch(self, batch: Any) -> BatchResult:
        """Run one batch forward, find the loss, run it backward, and update the parameters."""

    @abc.abstractmethod
    def test_batch(self, batch: Any) -> BatchResult:
        """Run one batch forward and find the loss."""

    @staticmethod
    def _print(message: str, verbose: bool = True) -> None:
        if verbose:
            print(message)

    @staticmethod
    def _foreach_batch(
        dl: DataLoader, forward_fn: Callable[[Any], BatchResult], verbose: bool = True, max_batches: int | None = None
    ) -> EpochResult:
        """Call ``forward_fn`` on each batch; accuracy is per sample of the batch sampler's batch size."""
        losses = []
        num_correct = 0.0
        num_batches = len(dl.batch_sampler)
        num_samples = len(dl.sampler)
        if max_batches is not None and max_batches < num_batches:
            num_batches = max_batches
            num_samples = num_batches * dl.batch_size
        with tqdm(total=num_batches, desc=forward_fn.__name__, disable=not verbose) as bar:
            batches = iter(dl)
            for _ in range(num_batches):
                result = forward_fn(next(batches))
                losses.append(result.loss)
                num_correct += result.num_correct
                bar.set_description(f"{forward_fn.__name__} ({result.loss:.3f})")
                bar.update()
        accuracy = 100.0 * num_correct / num_samples
        if verbose:
            print(f"{forward_fn.__name__}: average loss {sum(losses) / num_batches:.3f}, accuracy {accuracy:.1f}")
        return EpochResult(losses=losses, accuracy=accuracy)


class RNNTrainer(Trainer):
    """Trains a recurrent character model on batches that continue each other."""

    def __init__(
        self, model: nn.Module, loss_fn: nn.Module, optimizer: Optimizer, device: str | torch.device = "cpu"
    ) -> None:
        super().__init__(model, loss_fn, optimizer, device)
        # Keep here what has to last from one batch to the next.
        # YOUR CODE HERE
        raise NotImplementedError()

    def train_epoch(self, dl_train: DataLoader, **kw: Any) -> EpochResult:
        """An epoch begins with a fresh hidden state."""
        # YOUR CODE HERE
        raise NotImplementedError()
        return super().train_epoch(dl_train, **kw)

    def test_epoch(self, dl_test: DataLoader, **kw: Any) -> EpochResult:
        """An epoch begins with a fresh hidden state."""
        # YOUR CODE HERE
        raise NotImplementedError()
        return super().test_epoch(dl_test, **kw)

    def train_batch(self, batch: tuple[Tensor, Tensor]) -> BatchResult:
        """Truncated backpropagation through time: over this batch, from the state that the last one ended with.

        :param batch: x (B, S, V), one-hot, and y (B, S), the number of the next character.
        :return: the loss; and the number of characters predicted rightly divided by S, so that B is the most.
        """
        x, y = batch
        x = x.to(self.device, dtype=torch.float)  # (B, S, V)
        y = y.to(self.device, dtype=torch.long)  # (B, S)
        seq_len = y.shape[1]
        # YOUR CODE HERE
        raise NotImplementedError()
        return BatchResult(loss=loss.item(), num_correct=num_correct.item() / seq_len)

    def test_batch(self, batch: tuple[Tensor, Tensor]) -> BatchResult:
        """As ``train_batch``, without training.

        :param batch: x (B, S, V), one-hot, and y (B, S), the number of the next character.
        :return: the loss; and the number of characters predicted rightly divided by S.
        """
        x, y = batch
        x = x.to(self.device, dtype=torch.float)  # (B, S, V)
        y = y.to(self.device, dtype=torch.long)  # (B, S)
        seq_len = y.shape[1]
        with torch.no_grad():
            # YOUR CODE HERE
            raise NotImplementedError()
        return BatchResult(loss=loss.item(), num_correct=num_correct.item() / seq_len)


class VAETrainer(Trainer):
    """Trains a variational autoencoder on batches of images."""

    def train_batch(self, batch: tuple[Tensor, Tensor]) -> BatchResult:
        """One step on the loss of the reconstruction.

        :param batch: images x (B, C, H, W), and their classes, which are not used.
        :return: the loss; in place of a count, one over the data loss, which also grows as the model gets better.
        """
        x, _ = batch
        x = x.to(self.device)  # (B, C, H, W)
        # loss_fn(x, xr, z_mu, z_log_sigma2) gives loss, data_loss, kldiv_loss.
        # YOUR CODE HERE
        raise NotImplementedError()
        return BatchResult(loss.item(), 1 / data_loss.item())

    def test_batch(self, batch: tuple[Tensor, Tensor]) -> BatchResult:
        """As ``train_batch``, without training."""
        x, _ = batch
        x = x.to(self.device)  # (B, C, H, W)
        with torch.no_grad():
            # YOUR CODE HERE
            raise NotImplementedError()
        return BatchResult(loss.item(), 1 / data_loss.item())


class TransformerEncoderTrainer(Trainer):
    """Trains a classifier of sentences with two classes."""

    def train_batch(self, batch: dict[str, Tensor]) -> BatchResult:
        """One step on the binary cross-entropy.

        :param batch: ``input_ids`` (B, S), ``attention_mask`` (B, S), 1 for a token and 0 for padding, ``label`` (B,).
        :return: the loss, and how many of the B sentences were classified rightly.
        """
        input_ids = batch["input_ids"].to(self.device)  # (B, S)
        attention_mask = batch["attention_mask"].to(self.device)  # (B, S)
        label = batch["label"].to(self.device, dtype=torch.float)  # (B,)
        # YOUR CODE HERE
        raise NotImplementedError()
        return BatchResult(loss.item(), num_correct.item())

    def test_batch(self, batch: dict[str, Tensor]) -> BatchResult:
        """As ``train_batch``, without training."""
        input_ids = batch["input_ids"].to(self.device)  # (B, S)
        attention_mask = batch["attention_mask"].to(self.device)  # (B, S)
        label = batch["label"].to(self.device, dtype=torch.float)  # (B,)
        with torch.no_grad():
            # YOUR CODE HERE
            raise NotImplementedError()
        return BatchResult(loss.item(), num_correct.item())


class FineTuningTrainer(Trainer):
    """Trains a pretrained model that computes its own loss."""

    def train_batch(self, batch: dict[str, Tensor]) -> BatchResult:
        """One step on the model's own loss.

        :param batch: ``input_ids`` (B, S), ``attention_mask`` (B, S) and ``label`` (B,).
        :return: the loss, and how many of the B sentences were classified rightly.
        """
        input_ids = batch["input_ids"].to(self.device)  # (B, S)
        attention_mask = batch["attention_mask"].to(self.device)  # (B, S)
        labels = batch["label"].to(self.device)  # (B,)
        # model(input_ids, attention_mask=..., labels=...) has .loss and .logits, (B, 2).
        # YOUR CODE HERE
        raise NotImplementedError()
        return BatchResult(loss.item(), num_correct.item())

    def test_batch(self, batch: dict[str, Tensor]) -> BatchResult:
        """As ``train_batch``, without training."""
        input_ids = batch["input_ids"].to(self.device)  # (B, S)
        attention_mask = batch["attention_mask"].to(self.device)  # (B, S)
        labels = batch["label"].to(self.device)  # (B,)
        with torch.no_grad():
            # YOUR CODE HERE
            raise NotImplementedError()
        return BatchResult(loss.item(), num_correct.item())
