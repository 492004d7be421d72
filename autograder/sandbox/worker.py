"""The untrusted side of one submission: runs its cells and answers calls, inside the jail.

Everything here shares a process with student code and may be tampered with by it; nothing here is believed.
"""

import ast
import builtins
import importlib
import io
import linecache
import os
import sys
import traceback
import types
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import torch

from autograder.sandbox import modules, shims, stand_ins
from autograder.sandbox.messages import Frame, Reply, reply_to_data
from autograder.sandbox.modules import ASSIGNMENTS, DEFINITIONS
from autograder.sandbox.wire import HEADER_BYTES, Handle, WireError, decode, encode, lengths

__all__ = ["Worker", "serve"]

CELL_PREFIX = "<cell "
BUFFER_BYTES = 2**20  # as long as the pipe: a message goes through in one system call


class MissingName(Exception):
    """The submission does not define what was asked for."""


class BoundedText(io.StringIO):
    """Text that keeps its first ``limit`` characters and swallows the rest."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.room = limit

    def write(self, text: str) -> int:
        """Keep what there is room for; claims to have written all, so that endless output does no harm."""
        self.room -= super().write(text[: max(self.room, 0)])
        return len(text)


class Worker:
    """One submission's namespace, its objects that stay here, and the operations on them."""

    def __init__(self, output_bytes: int) -> None:
        self.module = types.ModuleType("__main__")  # what a notebook's code believes it runs in
        self.names: dict[str, Any] = self.module.__dict__
        self.names.update(__builtins__=builtins, get_ipython=stand_ins.get_ipython, display=stand_ins.display)
        self.objects: dict[int, object] = {}
        self.scratch = ""  # where the submission's modules lie, once there are any
        self.output_bytes = output_bytes
        self.probes: dict[str, Any] = {"__name__": "probes", "__builtins__": builtins}

    def handle(self, operation: str, arguments: list[Any]) -> Reply:
        """Carry out one request. Whatever student code raises, exits included, becomes the reply's fault."""
        printed = BoundedText(self.output_bytes)
        try:
            with redirect_stdout(printed), redirect_stderr(io.StringIO()):
                value = OPERATIONS[operation](self, *arguments)
        except BaseException as error:  # noqa: BLE001 - SystemExit and KeyboardInterrupt are a student's error like any other
            return _fault(error, printed.getvalue(), self.scratch)
        return Reply(value, printed.getvalue())

    def handle_for(self, value: object) -> Handle:
        """Keep ``value`` here and give the trusted side a number for it."""
        number = len(self.objects)
        self.objects[number] = value
        return Handle(number, type(value).__name__)

    # -- operations -------------------------------------------------------------------------------------------------

    def load_probes(self, source: str) -> None:
        """Define the suite's probes, apart from the student's names."""
        exec(compile(source, "<probes>", "exec"), self.probes)  # noqa: S102 - the suite's own

    def run_cell(self, cell: str, source: str) -> None:
        """Run a whole cell."""
        self._execute(source, cell, self.names)

    def run_definitions(self, cell: str, source: str, assignments: bool) -> int:
        """Run a cell's definitions one by one, passing over those that fail; returns how many did."""
        kinds = DEFINITIONS + ASSIGNMENTS if assignments else DEFINITIONS
        failed = 0
        self._remember(source, cell)
        for statement in ast.parse(source).body:
            if isinstance(statement, kinds):
                code = compile(ast.Module([statement], []), f"{CELL_PREFIX}{cell}>", "exec")
                try:
                    exec(code, self.names)  # noqa: S102 - student code, in the jail
                except BaseException:  # noqa: BLE001 - one definition that fails must not cost its neighbours
                    failed += 1
        return failed

    def place_files(self, files: list[tuple[str, bytes]]) -> None:
        """Write the submission's modules into the scratch folder, where imports look first."""
        for name, data in files:
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        self.scratch = str(Path.cwd())
        modules.import_from(self.scratch)

    def import_module(self, name: str) -> list[tuple[str, str]]:
        """Import one of the submission's modules, so that what goes wrong in it is told apart from what a call does.

        Returns the files that did not run through so far, each with what was raised.
        """
        self._module(name)
        return list(modules.PROBLEMS.items())

    def reset(self, seed: int) -> list[str]:
        """Before each test: forget kept objects, seed what student code may draw from, clear the recorders.

        Returns which shims were used so far.
        """
        self.objects.clear()
        torch.default_generator.manual_seed(seed)  # torch.manual_seed also walks the stack, for 1 ms a test
        if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
            torch.cuda.manual_seed_all(seed)
        stand_ins.reset()
        return sorted(shims.USED)

    def has(self, root: Any) -> bool:
        """Whether a global of this name exists, in the notebook or in a module."""
        namespace, name = self._namespace(root)
        return name in namespace

    def fetch(self, root: Any, path: list[str]) -> Any:
        """A global or kept object, or an attribute of it."""
        return self._resolve(root, path)

    def call(self, root: Any, path: list[str], args: list[Any], keywords: dict[str, Any]) -> Any:
        """Call what ``fetch`` would give."""
        function = self._resolve(root, path)
        return function(*map(self._real, args), **{key: self._real(value) for key, value in keywords.items()})

    def probe(self, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
        """Call a probe; its first argument is the dict of the student's globals."""
        probe = self.probes[name]
        return probe(self.names, *map(self._real, args), **{key: self._real(value) for key, value in keywords.items()})

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _resolve(self, root: Any, path: list[str]) -> Any:
        if isinstance(root, Handle):
            value = self.objects[root.number]
        else:
            namespace, name = self._namespace(root)
            if name not in namespace:
                raise modules.RAISED.get(namespace.get("__name__", ""), MissingName(name))
            value = namespace[name]
        for attribute in path:
            value = getattr(value, attribute)
        return value

    def _namespace(self, root: Any) -> tuple[dict[str, Any], str]:
        """Where ``root`` is to be found: a name of the notebook's, or a pair of module and name."""
        if isinstance(root, tuple):
            module, name = root
            return vars(self._module(module)), name
        return self.names, root

    def _module(self, name: str) -> types.ModuleType:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is not None and f"{name}.".startswith(f"{error.name}."):
                raise MissingName(name) from None  # it was not handed in; another that it imports is its own error
            raise

    def _real(self, value: Any) -> Any:
        """``value`` with each handle in it, at any depth of lists, tuples and dicts, replaced by its object."""
        if isinstance(value, Handle):
            return self.objects[value.number]
        if isinstance(value, (list, tuple)):
            return type(value)(map(self._real, value))
        if isinstance(value, dict):
            return {key: self._real(item) for key, item in value.items()}
        return value

    def _remember(self, source: str, cell: str) -> None:
        """Let tracebacks and ``inspect.getsource`` find the text of a cell."""
        name = f"{CELL_PREFIX}{cell}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)

    def _execute(self, source: str, cell: str, namespace: dict[str, Any]) -> None:
        self._remember(source, cell)
        exec(compile(source, f"{CELL_PREFIX}{cell}>", "exec"), namespace)  # noqa: S102 - student code, in the jail


OPERATIONS: dict[str, Callable[..., Any]] = {
    "load probes": Worker.load_probes,
    "place files": Worker.place_files,
    "import": Worker.import_module,
    "run": Worker.run_cell,
    "definitions": Worker.run_definitions,
    "reset": Worker.reset,
    "has": Worker.has,
    "fetch": Worker.fetch,
    "call": Worker.call,
    "probe": Worker.probe,
}


def _fault(error: BaseException, printed: str, scratch: str) -> Reply:
    frames = tuple(
        Frame(place, frame.lineno or 0, frame.name, frame.line or "")
        for frame in traceback.extract_tb(error.__traceback__)
        if (place := _place(frame.filename, scratch))
    )
    if isinstance(error, SyntaxError) and (place := _place(error.filename or "", scratch)):
        frames = (*frames, Frame(place, error.lineno or 0, "", (error.text or "").strip()))
    message = str(error.msg) if isinstance(error, SyntaxError) else str(error)
    return Reply(None, printed, _fault_kind(error, frames), type(error).__name__, message, frames)


def _place(filename: str, scratch: str) -> str:
    """The cell, or the file of the submission, that is known to Python as ``filename``; empty for anything else."""
    if filename.startswith(CELL_PREFIX):
        return filename.removeprefix(CELL_PREFIX).removesuffix(">")
    return filename.removeprefix(f"{scratch}/") if scratch and filename.startswith(f"{scratch}/") else ""


def _fault_kind(error: BaseException, frames: tuple[Frame, ...]) -> str:
    if isinstance(error, MissingName):
        return "missing"
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return "memory"
    # A stub raises a bare NotImplementedError in the student's cell; torch raises the same type with a text.
    if isinstance(error, NotImplementedError) and not str(error) and frames:
        return "stub"
    return "error"


def serve(worker: Worker, requests: int, replies: int) -> None:
    """Answer the requests that arrive on file descriptor ``requests`` until it closes."""
    own = os.getpid()
    with (
        io.BufferedReader(io.FileIO(requests), BUFFER_BYTES) as source,
        io.BufferedWriter(io.FileIO(replies, "wb"), BUFFER_BYTES) as sink,
    ):
        while header := source.read(HEADER_BYTES):
            tree_length, payload_length = lengths(header)
            tree, payload = source.read(tree_length), bytearray(payload_length)
            source.readinto(payload)  # its own memory: student code may change its inputs in place
            operation, arguments = decode(tree, payload)
            reply = worker.handle(operation, arguments)
            if os.getpid() != own:
                os._exit(0)  # a child that student code forked and did not end: the parent answers, and goes on reading
            for chunk in _encoded(worker, reply):
                sink.write(chunk)
            sink.flush()


def _encoded(worker: Worker, reply: Reply) -> list[bytes | memoryview]:
    try:
        return encode(reply_to_data(reply), worker.handle_for)
    except Exception as error:  # noqa: BLE001 - what student code returned may misbehave in any way while it is read
        reason = str(error) if isinstance(error, WireError) else f"{type(error).__name__} while reading it"
        return encode(reply_to_data(Reply(None, reply.printed, "not-data", "", reason)))


def stay_quiet() -> None:
    """Point standard input, output and error at nothing: student code may print without end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - lives as long as the process
