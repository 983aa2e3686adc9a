"""Builds a C library and calls it from Python.

    lib = CLibrary.load(compile_c(imp, "dot"))
    lib.entry("main")(x, y)

The library is cached under the version and command of the C compiler and the source.  Results are
numpy arrays over the library's memory, which is released when the arrays are deleted.
"""

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache as cached
from pathlib import Path
from threading import RLock
from typing import Any, TypeAlias, cast

import numpy as np
from attrs import field
from numpy.typing import NDArray

from funmem.codegen.c import CProgram, symbols
from funmem.codegen.c_call import ToC, argument_types, as_number, go_text
from funmem.codegen.cache import Cache, key_of
from funmem.codegen.demand import Demand
from funmem.codegen.fast_call import fast_call
from funmem.codegen.files import write_file
from funmem.codegen.forks import Threads, claim
from funmem.codegen.generated import define as define_functions
from funmem.codegen.host import array_argument, reported, scalar_argument, trap
from funmem.codegen.interrupts import Interruptible
from funmem.codegen.memory_limits import host_limit
from funmem.codegen.plan import STATUS_VALUES, Alloc, EntryPlan, Plan, every_step, signature_of
from funmem.codegen.stats import Stats
from funmem.ir.diagnostics import (
    NOWHERE,
    DeviceError,
    Diagnostic,
    FaultKind,
    MemoryFault,
    Span,
    UsageError,
)
from funmem.ir.imp import ArrayPort, ScalarPort
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.values import ArgValue, ArrayValue, bind
from funmem.ir.values import Value as AnyValue

FLAGS = (
    *("-std=gnu11", "-march=native", "-fPIC", "-shared", "-w"),
    "-ffp-contract=off",  # round a * b + c twice
    *("-fno-math-errno", "-fno-trapping-math"),  # errno and exception flags are not used
)
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")

_CResult: TypeAlias = (
    type[ctypes.c_int] | type[ctypes.c_int64] | type[ctypes.c_char_p] | type[ctypes.c_void_p] | None
)

_OK, _TRAP, _MEMORY, _BLOCK, _INTERRUPTED = range(5)


@frozen
class COptions:
    """Options for the C compiler: ``CC`` of the environment, or else ``cc``, ``gcc`` or ``clang``.

    ``sanitize``: addresses and undefined behaviour are checked at run time; the sanitizer's library
    must be loaded already (``LD_PRELOAD``).  ``optimise`` = False makes the build faster.
    """

    openmp: bool = True
    sanitize: bool = False
    optimise: bool = True

    @property
    def flags(self) -> tuple[str, ...]:
        return (
            *FLAGS,
            "-O3" if self.optimise else "-O1",
            *(("-fopenmp",) if self.openmp else ()),
            *(SANITIZE if self.sanitize else ()),
        )


def find_compiler() -> tuple[str, ...]:
    """Return the C compiler's command.  Raises DeviceError with a hint if there is none."""
    if given := os.environ.get("CC"):
        return _named(given)
    for name in ("cc", "gcc", "clang"):
        if (path := shutil.which(name)) is not None:
            return (path,)
    raise _no_compiler("there is no C compiler")


def _named(given: str) -> tuple[str, ...]:
    """Return the command in ``CC``.  Raises DeviceError if it is not an existing command."""
    try:
        command = tuple(shlex.split(given))
    except ValueError as e:
        raise _no_compiler(f"CC is `{given}`, which is not a command: {e}") from None
    if not command or shutil.which(command[0]) is None:
        raise _no_compiler(f"CC is `{given}`, and there is no such command")
    return command


def _no_compiler(message: str) -> DeviceError:
    hint = "install gcc or clang, or name one in the environment variable CC"
    return DeviceError(Diagnostic(NOWHERE, "c-compiler", message, hint))


@cached
def compiler_version(command: tuple[str, ...]) -> str:
    """Return the compiler's description of itself and of the processor that it compiles for."""
    probe = (*command, "-march=native", "-E", "-v", "-x", "c", os.devnull)
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    return done.stderr


def build(program: CProgram, options: COptions, cache: Cache | None) -> bytes:
    """Return the shared library's content.  Raises DeviceError with the compiler's log."""
    return shared_library(program.source, options, cache)


def shared_library(text: str, options: COptions, cache: Cache | None) -> bytes:
    """Return a C source as a shared library.  Raises DeviceError with the compiler's log."""
    command = find_compiler()
    key = key_of("c", *command, compiler_version(command), *options.flags, text)
    if cache is not None and (known := cache.get(key)) is not None:
        return known
    with tempfile.TemporaryDirectory(prefix="funmem-") as folder:
        source, library = Path(folder) / "program.c", Path(folder) / "program.so"
        write_file(source, text)
        call = [*command, *options.flags, "-o", str(library), str(source), "-lm"]
        code, errors = _compiled(call, folder)
        if code:
            log = "\n".join(errors.strip().splitlines()[:20])
            message = f"{command[0]} does not compile the program: {log}"
            raise DeviceError(Diagnostic(NOWHERE, "build", message))
        if not library.exists():
            raise _no_compiler(f"`{command[0]}` wrote no library: it is not a C compiler")
        content = library.read_bytes()
    if cache is not None:
        cache.put(key, content)
    return content


def _compiled(command: Sequence[str], folder: str) -> tuple[int, str]:
    """Run a compiler and return its exit code and messages; its temporary files are in ``folder``.

    If this process is interrupted, the compiler and its child processes are killed.
    """
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": folder},
    )
    try:
        _, errors = process.communicate()
    except BaseException:
        with suppress(ProcessLookupError):  # it has already ended
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return process.returncode, errors


# ---------------------------------------------------------------------- a library in this process


@define(eq=False)
class CLibrary:
    """A program as a loaded C library; its calls run one at a time.

    ``max_bytes`` limits the memory of a call.
    """

    name: str
    plan: Plan
    handle: ctypes.CDLL
    context: int = 0
    max_bytes: int | None = None
    lock: RLock = field(factory=RLock)
    _entries: dict[Name, "CEntryPoint"] = field(factory=dict)

    @staticmethod
    def load(
        program: CProgram, options: COptions | None = None, cache: Cache | None = None
    ) -> "CLibrary":
        """Build the library, or take it from the cache, and load it.  Raises DeviceError."""
        content = build(program, options or COptions(), cache)
        with tempfile.TemporaryDirectory(prefix="funmem-") as folder:
            path = Path(folder) / "program.so"
            write_file(path, content)
            return CLibrary.open(path, program.name, program.plan)

    @staticmethod
    def open(path: Path, name: str, plan: Plan) -> "CLibrary":
        """Load a library that was built before.  Raises DeviceError."""
        try:
            library = CLibrary(name, plan, ctypes.CDLL(str(path)))
        except OSError as error:
            raise DeviceError(Diagnostic(NOWHERE, "build", str(error))) from None
        library.context = int(str(library.function(f"{name}_new", ctypes.c_void_p)()))
        return library

    def entry(self, name: str | None = None) -> "CEntryPoint":
        """Return the entry point called ``name``, or the only one.  Raises UsageError."""
        entries = self.plan.entries
        if name is None and len(entries) == 1:
            name = entries[0].name
        for e in entries:
            if e.name == name:
                if e.name not in self._entries:
                    self._entries[e.name] = CEntryPoint(e, self)
                return self._entries[e.name]
        known = ", ".join(f"`{e.name}`" for e in entries)
        raise UsageError(Diagnostic(NOWHERE, "entry", f"no entry point `{name}`; there is {known}"))

    def function(self, name: str, result: _CResult = ctypes.c_int) -> Callable[..., object]:
        """Return the library's C function ``name`` with the given ctypes result type."""
        f = getattr(self.handle, name)
        f.restype = result
        return f  # type: ignore[no-any-return]  # ctypes has no signatures


class CEntryPoint:
    """An entry point of a loaded library."""

    def __init__(self, plan: EntryPlan, library: CLibrary) -> None:
        self.plan = plan
        self.signature = signature_of(plan)
        self.peak_bytes = 0
        self.owner = 0
        """The process that has claimed the threads of compiled C for this entry point."""
        self._library, self._demand = library, Demand(plan)
        name = library.name
        function = library.function(symbols(name, library.plan.entries)[plan.name])
        self._check = library.function(f"{name}_check")
        self._message = library.function(f"{name}_message", ctypes.c_char_p)
        self._interrupt = library.function(f"{name}_interrupt", None)
        self._release = library.function(f"{name}_release", None)
        peak = library.function(f"{name}_peak", ctypes.c_int64)
        _declare(function, argument_types(plan))
        _declare(self._release, [ctypes.c_void_p])
        _declare(peak, [ctypes.c_void_p])
        text, names = go_text(plan, self._release)
        names |= {
            **ToC.names(),
            "entry": self,
            "library": library,
            "lock": library.lock,
            "context": library.context,
            "function": function,
            "peak": peak,
            "interrupt": self._interrupt,
            "Interruptible": Interruptible,
            "failed": self._failed,
            "slow": lambda args: self._explained(*args),
            "memory": self._require,
        }
        define_functions(text, names, "call of a C function")
        self._go = cast(Callable[..., Any], names["go"])
        self.call = fast_call(plan, ToC(plan), names) or self._explained

    def __call__(self, *args: ArgValue) -> Any:
        """Return the results as Python scalars and numpy arrays; a single one without a tuple.

        Raises InputError, Trap, DeviceError.
        """
        return self.call(*args)

    @property
    def stats(self) -> Stats:
        """Return the cost of the last call."""
        return Stats(peak_bytes=self.peak_bytes)

    def _explained(self, *args: ArgValue) -> Any:
        """Return the results for any arguments: converts them, or explains what is wrong."""
        bound = self.bound(args)
        self._claim()
        return self._go(*bound.given)

    def run(self, args: Sequence[ArgValue]) -> tuple[AnyValue, ...]:
        """Return the results.  Raises InputError, Trap, DeviceError."""
        return self.bound(args).run()

    def bound(self, args: Sequence[ArgValue]) -> "BoundCall":
        """Return a call with these arguments, which may be run any number of times.

        Each run reads the arrays again; an array that is not contiguous and aligned is copied here.
        Raises InputError, and DeviceError if a run needs more memory than there is.
        """
        named, values = bind(self.signature, args)
        sizes = [named[x] for x in self.plan.sizes]
        self._require(sizes, values)
        given: list[int | float] = [*sizes]
        kept: list[NDArray[np.generic]] = []
        for p, v in zip(self.plan.params, values, strict=True):
            match p:
                case ScalarPort(_, t):
                    given.append(as_number(t, scalar_argument(p, v)))
                case ArrayPort():
                    array = np.require(array_argument(p, v).data, requirements=("C", "A"))
                    kept.append(array)
                    given.append(array.ctypes.data)
        return BoundCall(self, tuple(given), tuple(kept))

    def called(self, given: Sequence[int | float]) -> tuple[AnyValue, ...]:
        """Return the results for arguments as C receives them.  Raises Trap, DeviceError."""
        self._claim()
        results = self._go(*given)
        every = results if len(self.plan.results) != 1 else (results,)
        return tuple(ArrayValue(x) if isinstance(x, np.ndarray) else x for x in every)

    def _claim(self) -> None:
        claim(Threads.C)
        self.owner = os.getpid()

    def _require(self, sizes: Sequence[int], values: Sequence[object]) -> None:
        """Raise DeviceError if the call needs more memory than there is."""
        named = dict(zip(self.plan.sizes, sizes, strict=True))
        self._demand.require(named, values, self._library.max_bytes, host_limit)

    def _failed(self, code: object, memories: Sequence[ctypes.c_void_p]) -> None:
        """Raise the exception of a call that returned ``code``; release its results."""
        for memory in memories:
            self._release(memory.value or 0)
        if code == _INTERRUPTED:
            raise KeyboardInterrupt
        raise self._failure(code, ctypes.c_void_p(self._library.context))

    def _failure(self, code: object, context: ctypes.c_void_p) -> Exception:
        words = ctypes.POINTER(ctypes.c_int64)()
        number = int(str(self._check(context, ctypes.byref(words))))
        if code == _TRAP:
            check = self.plan.checks[number - 1]
            return trap(check, reported(check, words[:STATUS_VALUES]))
        text = self._message(context)
        message = text.decode() if isinstance(text, bytes) else ""
        if code == _MEMORY:
            return DeviceError(Diagnostic(self._allocated_at(number), "memory", message))
        return MemoryFault(FaultKind.OUTSIDE, message, self.plan.at)

    def _allocated_at(self, number: int) -> Span:
        """Return the source position of the ``number``-th allocation, counted from 1.

        0 stands for the allocation of an argument or result, which has the entry point's position.
        """
        steps = (s for s in every_step(self.plan.steps) if isinstance(s, Alloc))
        return next((s.at for k, s in enumerate(steps, 1) if k == number), self.plan.at)


def _declare(function: Callable[..., object], types: Sequence[type]) -> None:
    """Set the types of the parameters of a C function."""
    function.argtypes = types  # type: ignore[attr-defined]  # ctypes has no signatures


@frozen(eq=False)
class BoundCall:
    """A call of an entry point, with its arguments as C receives them.

    ``kept``: the arrays whose memory the call reads.
    """

    entry: CEntryPoint
    given: tuple[int | float, ...]
    kept: tuple[NDArray[np.generic], ...]

    def run(self) -> tuple[AnyValue, ...]:
        """Return the results.  Raises Trap, DeviceError."""
        return self.entry.called(self.given)
