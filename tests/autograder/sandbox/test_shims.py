"""Code written for older libraries runs as it did, and whoever relied on it is told."""

from collections.abc import Callable

import pytest

from autograder.sandbox.faults import StudentError
from autograder.sandbox.remote import Student
from autograder.sandbox.session import Session
from autograder.sandbox.shims import SENTENCES

Submit = Callable[..., Student]


def used(student: Student) -> list[str]:
    session: Session = student._session
    by_sentence = {sentence: name for name, sentence in SENTENCES.items()}
    return [by_sentence[sentence] for sentence in session.old_ways()]


def test_a_sampler_hands_its_data_to_its_base(submit: Submit) -> None:
    student = submit(
        """
        from torch.utils.data import DataLoader, Sampler

        class Backwards(Sampler):
            def __init__(self, data, named):
                super().__init__(data_source=data) if named else super().__init__(data)
                self.data = data

            def __iter__(self):
                return iter(range(len(self.data) - 1, -1, -1))

        def order(named):
            data = [10, 20, 30]
            return [batch.tolist() for batch in DataLoader(data, batch_size=2, sampler=Backwards(data, named))]
        """
    )
    assert used(student) == []
    assert student.order(True) == student.order(False) == [[30, 20], [10]]
    assert used(student) == ["sampler"]


def test_a_sampler_that_hands_over_nothing_is_not_noted(submit: Submit) -> None:
    student = submit(
        """
        from torch.utils.data import RandomSampler, Sampler

        class Plain(Sampler):
            def __init__(self):
                super().__init__()

        def make():
            return len(list(RandomSampler(range(4)))), Plain() is not None
        """
    )
    assert student.make() == (4, True)
    assert used(student) == []


LOAD = """
    import io
    import numpy as np
    import torch

    def load(where, best, **keywords):
        there = io.BytesIO() if where == "memory" else "some.pt"
        torch.save({"best_acc": np.float64(best) if best < 1 else torch.tensor(best)}, there)
        if where == "memory":
            there.seek(0)
        return float(torch.load(f=there, **keywords)["best_acc"])
    """


@pytest.mark.parametrize("where", ["memory", "file"])
def test_a_checkpoint_that_holds_more_than_tensors_is_loaded(submit: Submit, where: str) -> None:
    student = submit(LOAD)
    assert student.load(where, 1.0) == 1.0
    assert used(student) == []
    assert student.load(where, 0.75) == 0.75
    assert used(student) == ["load"]


def test_who_asks_for_tensors_only_gets_tensors_only(submit: Submit) -> None:
    student = submit(LOAD)
    with pytest.raises(StudentError, match="UnpicklingError"):
        student.load("file", 0.75, weights_only=True)
    assert student.load("file", 0.75, weights_only=False) == 0.75
    assert used(student) == []


SCHEDULERS = """
    import torch
    from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau, StepLR, _LRScheduler

    class Halving(_LRScheduler):
        def __init__(self, optimizer, last_epoch=-1, verbose=False):
            super().__init__(optimizer, last_epoch, verbose)

        def get_lr(self):
            return [group["lr"] * 0.5 for group in self.optimizer.param_groups]

    def rates(kind, **keywords):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
        made = {
            "plateau": lambda: ReduceLROnPlateau(optimizer, patience=0, factor=0.5, **keywords),
            "step": lambda: StepLR(optimizer, step_size=1, gamma=0.5, **keywords),
            "by place": lambda: StepLR(optimizer, 1, 0.5, -1, False),
            "lambda": lambda: LambdaLR(optimizer, lambda epoch: 0.5**epoch, **keywords),
            "own": lambda: Halving(optimizer),
        }[kind]()
        found = []
        for _ in range(3):
            optimizer.step()
            made.step(1.0) if kind == "plateau" else made.step()
            found.append(optimizer.param_groups[0]["lr"])
        return found
    """


@pytest.mark.parametrize("kind", ["plateau", "step", "lambda"])
def test_a_scheduler_is_told_to_be_verbose(submit: Submit, kind: str) -> None:
    student = submit(SCHEDULERS)
    quiet = student.rates(kind)
    assert used(student) == []
    assert student.rates(kind, verbose=True) == quiet
    assert quiet[-1] < 1.0
    assert used(student) == ["verbose"]


def test_a_scheduler_is_told_so_by_place(submit: Submit) -> None:
    student = submit(SCHEDULERS)
    assert student.rates("by place") == [0.5, 0.25, 0.125]
    assert student.rates("own") == [0.25, 0.125, 0.0625]  # a scheduler takes a first step when it is made
    assert used(student) == ["verbose"]


def test_a_metric_is_loaded_from_datasets(new_session: Callable[..., Session]) -> None:
    text = """
        def accuracy(name="accuracy"):
            from datasets import Dataset, load_metric

            metric = load_metric(name)
            metric.add_batch(predictions=[1, 0, 1], references=[1, 1, 1])
            metric.add(prediction=0, reference=0)
            kept = metric.compute()
            return kept, metric.compute(predictions=[1], references=[0]), len(Dataset.from_dict({"x": [1, 2]}))
        """
    session = new_session(text)
    session.call_seconds = 30.0  # datasets takes seconds to import
    session.begin_test(seed=1, seconds=60.0)
    student = Student(session, {})
    assert student.accuracy() == ({"accuracy": 0.75}, {"accuracy": 0.0}, 2)
    assert used(student) == ["load_metric"]
    with pytest.raises(StudentError, match="it knows 'accuracy' and no 'bleu'"):
        student.accuracy("bleu")


def test_what_a_worker_claims_beyond_the_known_is_not_believed(submit: Submit) -> None:
    student = submit(
        """
        import sys

        def lie(*claims):
            sys.modules["autograder.sandbox.shims"].USED = claims
            sys.modules["autograder.sandbox.worker"].sorted = lambda used: list(used)
        """
    )
    student.lie("sampler", "an insult", 3, [1], {"a": 2})
    assert used(student) == ["sampler"]


def test_names_of_older_pythons_and_numpys(submit: Submit) -> None:
    student = submit(
        """
        import numpy as np

        def old(data):
            from collections import Iterable, Mapping
            assert isinstance(data, Iterable) and not isinstance(data, Mapping)
            return np.asarray(data, dtype=np.float).astype(np.int).sum()

        def never():
            return np.never
        """
    )
    assert used(student) == []
    assert student.old([1.5, 2.5]) == 3
    assert used(student) == ["names"]
    with pytest.raises(StudentError, match="has no attribute 'never'"):
        student.never()
