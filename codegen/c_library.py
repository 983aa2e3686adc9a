"""Building a C library and calling it from Python.

    lib = CLibrary.load(compile_c(imp, "dot"))
    lib.entry("main")(x, y)

What the C compiler was asked, and what it is, are the key under which the result is kept in the
cache.  Results are numpy arrays over the library's memory, which they give back when they go.
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
from typing import TypeAlias

import numpy as np
from attrs import field
from numpy.typing import NDArray

from funmem.codegen.c import CProgram, symbols
from funmem.codegen.cache import Cache, key_of
from funmem.codegen.demand import Demand
from funmem.codegen.files import write_file
from funmem.codegen.forks import Threads, claim
from funmem.codegen.host import reported, signature_of, trap
from funmem.codegen.interrupts import Interruptible
from funmem.codegen.memory_limits import host_limit
from funmem.codegen.plan import STATUS_VALUES, Alloc, EntryPlan, Plan, every_step
from funmem.ir.diagnostics import (
    NOWHERE,
    DeviceError,
    Diagnostic,
    FaultKind,
    MemoryFault,
    Span,
    Stuck,
    UsageError,
)
from funmem.ir.imp import ArrayPort, ScalarPort
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BOOL, ScalarType, Value, unpack
from funmem.ir.values import ArgValue, ArrayValue, bind, dtype, holdable
from funmem.ir.values import Value as AnyValue

Result: TypeAlias = Value | NDArray[np.generic]

FLAGS = (
    *("-std=gnu11", "-march=native", "-fPIC", "-shared", "-w"),
    "-ffp-contract=off",  # no a * b + c in one rounding
    *("-fno-math-errno", "-fno-trapping-math"),  # nobody looks at errno or at exception flags
)
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")

_CResult: TypeAlias = (
    type[ctypes.c_int] | type[ctypes.c_int64] | type[ctypes.c_char_p] | type[ctypes.c_void_p] | None
)

_OK, _TRAP, _MEMORY, _BLOCK, _INTERRUPTED = range(5)


@frozen
class COptions:
    """How the C compiler is called: the environment's ``CC``, or ``cc``, ``gcc``, ``clang``.

    ``sanitize``: addresses and undefined behaviour are checked at run time; the sanitizer's library
    must be in the process already (``LD_PRELOAD``).  Not ``optimise``: the library is built faster.
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
    """The C compiler's command.  Raises DeviceError, which names the ways out."""
    if given := os.environ.get("CC"):
        return _named(given)
    for name in ("cc", "gcc", "clang"):
        if (path := shutil.which(name)) is not None:
            return (path,)
    raise _no_compiler("there is no C compiler")


def _named(given: str) -> tuple[str, ...]:
    """The command that ``CC`` is."""
    try:
        command = tuple(shlex.split(given))
    except ValueError as e:
        raise _no_compiler(f"CC is `{given}`, which is no command: {e}") from None
    if not command or shutil.which(command[0]) is None:
        raise _no_compiler(f"CC is `{given}`, and there is no such command")
    return command


def _no_compiler(message: str) -> DeviceError:
    hint = "install gcc or clang, or name one in the environment variable CC"
    return DeviceError(Diagnostic(NOWHERE, "c-compiler", message, hint))


@cached
def compiler_version(command: tuple[str, ...]) -> str:
    """What the compiler says of itself and of the processor that it compiles for."""
    asked = (*command, "-march=native", "-E", "-v", "-x", "c", os.devnull)
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return done.stderr


def build(program: CProgram, options: COptions, cache: Cache | None) -> bytes:
    """The shared library.  Raises DeviceError with the compiler's words."""
    command = find_compiler()
    key = key_of("c", *command, compiler_version(command), *options.flags, program.source)
    if cache is not None and (known := cache.get(key)) is not None:
        return known
    with tempfile.TemporaryDirectory(prefix="funmem-") as folder:
        source, library = Path(folder) / "program.c", Path(folder) / "program.so"
        write_file(source, program.source)
        asked = [*command, *options.flags, "-o", str(library), str(source), "-lm"]
        code, said = _compiled(asked, folder)
        if code:
            log = "\n".join(said.strip().splitlines()[:20])
            message = f"{command[0]} does not compile the program: {log}"
            raise DeviceError(Diagnostic(NOWHERE, "build", message))
        if not library.exists():
            raise _no_compiler(f"`{command[0]}` writes no library: it is no C compiler")
        content = library.read_bytes()
    if cache is not None:
        cache.put(key, content)
    return content


def _compiled(command: Sequence[str], folder: str) -> tuple[int, str]:
    """A compiler's exit code and messages.  Its own files are in the folder; it and what it has
    started end with us.
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
        _, said = process.communicate()
    except BaseException:
        with suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return process.returncode, said


# ---------------------------------------------------------------------- a library in this process


@define(eq=False)
class CLibrary:
    """A program as a loaded C library; its calls take turns.  With ``max_bytes`` none may need
    more.
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
        """Builds the library, or takes it from the cache, and loads it.  Raises DeviceError."""
        content = build(program, options or COptions(), cache)
        with tempfile.TemporaryDirectory(prefix="funmem-") as folder:
            path = Path(folder) / "program.so"
            write_file(path, content)
            return CLibrary.open(path, program.name, program.plan)

    @staticmethod
    def open(path: Path, name: str, plan: Plan) -> "CLibrary":
        """A library that was built before.  Raises DeviceError."""
        try:
            library = CLibrary(name, plan, ctypes.CDLL(str(path)))
        except OSError as error:
            raise DeviceError(Diagnostic(NOWHERE, "build", str(error))) from None
        library.context = int(str(library.function(f"{name}_new", ctypes.c_void_p)()))
        return library

    def entry(self, name: str | None = None) -> "CEntryPoint":
        """An entry point by its name; the only one needs no name.  Raises UsageError."""
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
        """A function of the library's own."""
        f = getattr(self.handle, name)
        f.restype = result
        return f  # type: ignore[no-any-return]  # ctypes knows no signatures


class CEntryPoint:
    """An entry point of a loaded library."""

    def __init__(self, plan: EntryPlan, library: CLibrary) -> None:
        self.plan = plan
        self.signature = signature_of(plan)
        self.peak_bytes = 0
        self._library, self._demand = library, Demand(plan)
        name = library.name
        self._call = library.function(symbols(name, library.plan.entries)[plan.name])
        self._release = library.function(f"{name}_release", None)
        self._check = library.function(f"{name}_check")
        self._message = library.function(f"{name}_message", ctypes.c_char_p)
        self._peak = library.function(f"{name}_peak", ctypes.c_int64)
        self._interrupt = library.function(f"{name}_interrupt", None)

    def __call__(self, *args: ArgValue) -> Result | tuple[Result, ...]:
        """The results as Python scalars and numpy arrays; one result stands for itself."""
        results = tuple(v.data if isinstance(v, ArrayValue) else v for v in self.run(args))
        return results[0] if len(results) == 1 else results

    def run(self, args: Sequence[ArgValue]) -> tuple[AnyValue, ...]:
        """The results.  Raises InputError, Trap, DeviceError."""
        return self.bound(args).run()

    def bound(self, args: Sequence[ArgValue]) -> "BoundCall":
        """A call with these arguments, to run as often as one likes; each run reads the arrays
        anew, but of those that are not contiguous and aligned a copy is made here.  Raises
        InputError, and DeviceError if there is not the memory that a run needs.
        """
        sizes, values = bind(self.signature, args)
        self._demand.require(sizes, values, self._library.max_bytes, host_limit)
        given: list[object] = [ctypes.c_int64(sizes[x]) for x in self.plan.sizes]
        kept: list[NDArray[np.generic]] = []
        for p, v in zip(self.plan.params, values, strict=True):
            match p, v:
                case ScalarPort(_, t), bool() | int() | float():
                    given.append(c_scalar(t, v))
                case ArrayPort(), ArrayValue(data):
                    array = np.require(data, requirements=("C", "A"))
                    kept.append(array)
                    given.append(ctypes.c_void_p(array.ctypes.data))
                case _:
                    raise Stuck(f"`{v}` was bound to {p}")
        return BoundCall(self, tuple(given), tuple(kept))

    def call(self, given: Sequence[object]) -> tuple[AnyValue, ...]:
        """The results for arguments as C receives them.  Raises Trap, DeviceError."""
        claim(Threads.C)
        answers = [_answer(p) for p in self.plan.results]
        cells = [ctypes.byref(cell) for a in answers for cell in a.cells]
        with self._library.lock:
            context = ctypes.c_void_p(self._library.context)
            with Interruptible(self._interrupt):
                code = self._call(context, *given, *cells)
            self.peak_bytes = int(str(self._peak(context)))
            taken = [a.taken(self._release) for a in answers]
            if code == _INTERRUPTED:
                raise KeyboardInterrupt
            if code != _OK:
                raise self._failure(code, context)
        return tuple(x.array() if isinstance(x, _Memory) else x for x in taken)

    def _failure(self, code: object, context: ctypes.c_void_p) -> Exception:
        words = ctypes.POINTER(ctypes.c_int64)()
        number = int(str(self._check(context, ctypes.byref(words))))
        if code == _TRAP:
            check = self.plan.checks[number - 1]
            return trap(check, reported(check, words[:STATUS_VALUES]))
        said = self._message(context)
        message = said.decode() if isinstance(said, bytes) else ""
        if code == _MEMORY:
            return DeviceError(Diagnostic(self._allocated_at(number), "memory", message))
        return MemoryFault(FaultKind.OUTSIDE, message, self.plan.at)

    def _allocated_at(self, number: int) -> Span:
        """Where the ``number``-th allocation stands, from 1; 0: that of an argument or result."""
        steps = (s for s in every_step(self.plan.steps) if isinstance(s, Alloc))
        return next((s.at for k, s in enumerate(steps, 1) if k == number), self.plan.at)


@frozen(eq=False)
class BoundCall:
    """A call of an entry point with its arguments as C receives them; ``kept`` are the arrays that
    it reads.
    """

    entry: CEntryPoint
    given: tuple[object, ...]
    kept: tuple[NDArray[np.generic], ...]

    def run(self) -> tuple[AnyValue, ...]:
        """The results.  Raises Trap, DeviceError."""
        return self.entry.call(self.given)


_SCALARS: dict[ScalarType, Callable[..., object]] = {
    ScalarType.BOOL: ctypes.c_uint8,
    ScalarType.I8: ctypes.c_int8,
    ScalarType.I16: ctypes.c_int16,
    ScalarType.I32: ctypes.c_int32,
    ScalarType.I64: ctypes.c_int64,
    ScalarType.U8: ctypes.c_uint8,
    ScalarType.U16: ctypes.c_uint16,
    ScalarType.U32: ctypes.c_uint32,
    ScalarType.U64: ctypes.c_uint64,
    ScalarType.F16: ctypes.c_uint16,
    ScalarType.F32: ctypes.c_float,
    ScalarType.F64: ctypes.c_double,
}


def c_scalar(t: ScalarType, v: Value) -> object:
    """A scalar as C receives it; f16 as its bits."""
    if t is ScalarType.F16:
        return ctypes.c_uint16(int(np.array(v, np.float16).view(np.uint16)))
    return _SCALARS[t](int(v) if t is BOOL else v)


# ---------------------------------------------------------------------- results


@frozen
class _ScalarAnswer:
    """A scalar result: eight bytes to write it into."""

    type: ScalarType
    cells: tuple[ctypes.c_uint64, ...] = field(factory=lambda: (ctypes.c_uint64(),))

    def taken(self, _: object) -> Value:
        return unpack(bytes(self.cells[0])[: self.type.bytes], self.type)


@frozen
class _ArrayAnswer:
    """An array result: a cell for the pointer, and one for the shape."""

    elem: ScalarType
    cells: tuple[ctypes.c_void_p, "ctypes.Array[ctypes.c_int64]"]

    def taken(self, release: Callable[..., object]) -> "_Memory":
        pointer, shape = self.cells
        return _Memory(pointer.value or 0, tuple(shape), self.elem, release)


def _answer(p: ScalarPort | ArrayPort) -> _ScalarAnswer | _ArrayAnswer:
    match p:
        case ScalarPort(_, t):
            return _ScalarAnswer(t)
        case ArrayPort(_, t, shape):
            return _ArrayAnswer(t, (ctypes.c_void_p(), (ctypes.c_int64 * len(shape))()))


class _Memory:
    """The library's memory as an array's; given back with the last array that shows it."""

    def __init__(
        self, pointer: int, shape: tuple[int, ...], t: ScalarType, release: Callable[..., object]
    ) -> None:
        self._pointer, self._release = pointer, release
        self._shape, self._elem = shape, t
        self.__array_interface__ = {
            "version": 3,
            "data": (pointer, False),
            "shape": shape,
            "typestr": dtype(t).str,
        }

    def array(self) -> ArrayValue:
        """The array.  Raises DeviceError for an empty one that is no array of numpy."""
        holdable(self._shape, self._elem)
        return ArrayValue(np.asarray(self))

    def __del__(self) -> None:
        self._release(ctypes.c_void_p(self._pointer))
