"""How a hidden suite sees a submission: names to call, objects to hold, probes to run.

    student.attend(q, K, V)                     call; data comes back as data, the rest as a RemoteObject
    encoder = student.ColumnEncoder(hidden=8)   a module stays in the worker
    encoder.cnn(images)                         call a part
    encoder.bigru.hidden_size.value()           read an attribute
    student.VOCAB.value()                       read a global
    student.probe.gradients(encoder, images)    a function of probes.py, run in the worker
    student("hw3.charnn").char_maps(text)       the same for a module of a package

Every call may raise a StudentFault; let it: it is the test's outcome.
"""
# ruff: noqa: SLF001 - the public names of these classes are the student's, so what they tell each other is private

from collections.abc import Callable
from typing import Any

from autograder._exceptions import SandboxError
from autograder.sandbox.messages import Reply
from autograder.sandbox.session import Session
from autograder.sandbox.wire import Handle, WireError

__all__ = ["RemoteObject", "RemotePath", "Student"]


Root = str | tuple[str, str] | Handle
"""Where a path begins: a name of the notebook's, a module and a name of its own, or an object that was returned."""


class RemotePath:
    """A global, or an attribute of something in the worker; nothing is asked until it is called or read."""

    def __init__(self, student: "Student", root: "Root", path: tuple[str, ...] = ()) -> None:
        self._student = student
        self._root = root
        self._path = path

    def __getattr__(self, name: str) -> "RemotePath":
        if name.startswith("__"):
            raise AttributeError(name)
        return RemotePath(self._student, self._root, (*self._path, name))

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Call it with data or RemoteObjects."""
        return self._student._ask("call", self._root, list(self._path), list(args), keywords)

    def value(self) -> Any:
        """What it is now: data, or a RemoteObject."""
        return self._student._ask("fetch", self._root, list(self._path))

    def __repr__(self) -> str:
        match self._root:
            case Handle():
                root = f"<{self._root.type_name}>"
            case tuple():
                root = ".".join(self._root)
            case _:
                root = self._root
        return ".".join((root, *self._path))


class RemoteObject(RemotePath):
    """An object in the worker that is not data, such as a module. Good within one test only."""

    def __init__(self, student: "Student", handle: Handle, generation: int) -> None:
        super().__init__(student, handle)
        self._handle = handle
        self._generation = generation

    @property
    def type_name(self) -> str:
        """Name of its class."""
        return self._handle.type_name


class Probes:
    """``student.probe``: the functions of the suite's probes.py."""

    def __init__(self, student: "Student") -> None:
        self._student = student

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **keywords: self._student._ask("probe", name, list(args), keywords)


class Student:
    """The globals of one submission, as attributes: the notebook's, or those of one of its modules."""

    def __init__(self, session: Session, sources: dict[str, str], module: str = "") -> None:
        self._session = session
        self._sources = sources
        self._module = module
        self.probe = Probes(self)

    def __call__(self, module: str) -> "Student":
        """The submission's module of this name, imported. Raises a StudentFault where it cannot be."""
        self._session.import_module(module)
        return Student(self._session, self._sources, module)

    def __getattr__(self, name: str) -> RemotePath:
        if name.startswith("__"):
            raise AttributeError(name)
        return RemotePath(self, self._root_of(name))

    def has(self, name: str) -> bool:
        """Whether the submission defines ``name``."""
        return self._ask("has", self._root_of(name)) is True

    def _root_of(self, name: str) -> Root:
        return (self._module, name) if self._module else name

    def printed(self, function: RemotePath, *args: Any, **keywords: Any) -> tuple[str, Any]:
        """What calling ``function`` prints, and what it returns."""
        reply = self._reply("call", function._root, list(function._path), list(args), keywords)
        return reply.printed, self._revive(reply.value)

    def source(self, question: str) -> str:
        """Text of the solution cell of ``question`` (plain Python), or of a file; empty where there is none."""
        return self._sources.get(question, "")

    def _ask(self, operation: str, *arguments: Any) -> Any:
        return self._revive(self._reply(operation, *arguments).value)

    def _reply(self, operation: str, *arguments: Any) -> Reply:
        try:
            return self._session.ask(operation, *arguments, handle_for=self._handle_of)
        except WireError as error:  # raised while sending: the suite's fault, not the student's
            raise SandboxError(f"a test passed the student's code {error}") from None

    def _handle_of(self, value: object) -> Handle:
        if isinstance(value, RemotePath) and not isinstance(value, RemoteObject):
            value = value.value()
        if not isinstance(value, RemoteObject):
            raise WireError(f"a {type(value).__name__}, which is not data")
        if value._generation != self._session.generation:
            raise SandboxError("a test kept an object of a worker that is gone")
        return value._handle

    def _revive(self, value: Any) -> Any:
        """``value`` with each handle, at any depth, turned into a RemoteObject."""
        if isinstance(value, Handle):
            return RemoteObject(self, value, self._session.generation)
        if isinstance(value, (list, tuple)):
            return type(value)(map(self._revive, value))
        if isinstance(value, dict):
            return {key: self._revive(item) for key, item in value.items()}
        return value
