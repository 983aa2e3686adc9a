"""Peers: the same task in numpy, numba, jax and C, from files beside the program.

    peers.py    numpy_peer, numba_peer, jax_peer: each takes the arguments and returns a function
                that computes the results and can be called any number of times
    plain.c     a function `peer`; its parameters are the sizes, the arguments, and pointers to
                arrays of the results' shapes
                (a program NAME.fut without plain.c may have NAME.c instead)
    tuned.c     the same interface, hand-optimised

C is built with -O3 -march=native and OpenMP, and once more with -ffast-math.  Futhark compiles the
program itself (:mod:`funmem.bench.futhark_peer`).  A peer that is not installed, or has no file
beside the program, is absent.
"""

import ctypes
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import numpy as np

from funmem.bench.contenders import Absent, Contender, timed
from funmem.bench.tasks import Arrays, Call, Task, load_module
from funmem.codegen.c_call import c_scalar
from funmem.codegen.c_library import find_compiler
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, UsageError
from funmem.ir.scalars import ScalarType
from funmem.ir.values import ArrayValue, Value, bind

PYTHON = ("numpy", "numba", "jax")
NAMES = (*PYTHON, "gcc", "futhark")

C_FLAGS = ("-std=gnu11", "-O3", "-march=native", "-fopenmp", "-fPIC", "-shared")
BUILDS = (
    ("gcc", "plain.c", ()),
    ("gcc-fast", "plain.c", ("-ffast-math",)),
    ("gcc-tuned", "tuned.c", ("-ffast-math",)),
)


def named(text: str) -> tuple[str, ...]:
    """Return the names in ``numpy,gcc``.  Raises UsageError for an unknown name."""
    found = tuple(dict.fromkeys(filter(None, text.replace(" ", "").split(","))))
    for x in found:
        if x not in NAMES:
            message = f"there is no peer `{x}`; the peers are {', '.join(NAMES)}"
            raise UsageError(Diagnostic(NOWHERE, "peer", message))
    return found


def units(folder: Path, names: Sequence[str], futhark: str | None = None) -> tuple[str, ...]:
    """Return the units of these peers for a program in ``folder``: one unit for each way to build a
    peer, such as ``gcc-fast`` or ``futhark-multicore``.
    """
    found: list[str] = []
    for name in names:
        if name == "gcc":
            found += (x for x, file, _ in BUILDS if x != "gcc-tuned" or (folder / file).is_file())
        elif name == "futhark":
            from funmem.bench.futhark_peer import units as futhark_units

            found += futhark_units(futhark)
        else:
            found.append(name)
    return tuple(found)


def peer(
    unit: str,
    call: Call,
    expected: Arrays,
    futhark: str | None = None,
    threads: int | None = None,
) -> Contender | Absent:
    """Return one of :func:`units`, ready to run in this process, or why it cannot run.

    Only the shapes and types of ``expected`` matter.  :mod:`funmem.bench.apart` runs a peer in a
    separate process.
    """
    if call.converted:
        return Absent(unit, "it takes other types than the program")
    if unit in PYTHON:
        return _python(call, unit)
    if unit.startswith("gcc"):
        return _c(call, expected, unit)
    from funmem.bench.futhark_peer import contender

    if not call.path.endswith(".fut"):
        return Absent(unit, "the program is not in its language")
    return contender(unit, call, expected, futhark, threads)


def peers(
    task: Task,
    names: Sequence[str],
    expected: Arrays,
    futhark: str | None = None,
    threads: int | None = None,
) -> Iterator[Contender | Absent]:
    """Yield the peers of a task in this process, one after the other, as they become ready."""
    for unit in units(task.folder, names, futhark):
        yield peer(unit, task.call, expected, futhark, threads)


# ---------------------------------------------------------------------- Python


def _python(call: Call, name: str) -> Contender | Absent:
    if find_spec(name) is None:
        return Absent(name, "not installed")
    file = call.folder / "peers.py"
    make = getattr(load_module(file), f"{name}_peer", None) if file.is_file() else None
    if make is None:
        return Absent(name, "the program has no such peer")
    start = perf_counter()
    compute: Callable[[], Arrays] = make(*call.args)
    compute()
    return Contender(name, lambda: timed(compute), {"build": perf_counter() - start})


# ---------------------------------------------------------------------- C


def _c(call: Call, expected: Arrays, unit: str) -> Contender | Absent:
    """Return a C peer, built as the unit says."""
    (name, file, flags), *_ = (b for b in BUILDS if b[0] == unit)
    source = call.folder / file
    if file == "plain.c" and not source.is_file():
        source = Path(call.path).with_suffix(".c")
    if not source.is_file():
        return Absent(name, "the program has no such peer")
    start = perf_counter()
    try:
        function = build_c(find_compiler(), source, flags)
    except DeviceError as error:
        return Absent(name, error.diagnostic.message)
    compute = _calling(function, call, expected, _parameters(source))
    if compute is None:
        return Absent(name, "its function takes other sizes than the program")
    return Contender(name, partial(timed, compute), {"build": perf_counter() - start})


def build_c(
    command: Sequence[str], source: Path, flags: Sequence[str] = (), symbol: str = "peer"
) -> Callable[..., object]:
    """Build and load a C file, and return one of its functions.  Raises DeviceError with the
    compiler's message.
    """
    library = load_c([*command, *C_FLAGS, *flags], [str(source)], ["-lm"])
    function = getattr(library, symbol)
    function.restype = None
    return function  # type: ignore[no-any-return]  # ctypes has no signatures


def load_c(command: Sequence[str], sources: Sequence[str], after: Sequence[str]) -> ctypes.CDLL:
    """Build a shared library in a temporary folder, and load it.  Raises DeviceError.

    A library that is linked with -ffast-math flushes subnormal numbers to zero in the process that
    loads it.  Therefore compiling and linking are two steps, and the second omits this flag.
    """
    with tempfile.TemporaryDirectory(prefix="funmem-bench-") as folder:
        objects = [os.path.join(folder, f"{k}.o") for k in range(len(sources))]
        for source, target in zip(sources, objects, strict=True):
            _run([*command, "-c", "-o", target, source])
        path = os.path.join(folder, "peer.so")
        plain = [flag for flag in command if flag != "-ffast-math"]
        _run([*plain, "-o", path, *objects, *after])
        return ctypes.CDLL(path)


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["the compiler failed without a message"]
        message = next((line for line in lines if "error" in line), lines[0])
        raise DeviceError(Diagnostic(NOWHERE, "build", message[:200]))


def _parameters(source: Path) -> int:
    """Return the number of parameters of the function ``peer`` in a C file; 0 if there is none."""
    found = re.search(r"\bpeer\(([^)]*)\)", source.read_text(encoding="utf-8"))
    return found[1].count(",") + 1 if found else 0


def _calling(
    function: Callable[..., object], task: Call, expected: Arrays, parameters: int
) -> Callable[[], Arrays] | None:
    """Return a function that calls ``function`` with the task's arguments and result arrays.

    A program may have several names for sizes that are equal, and the function one.  Returns None
    if the number of parameters still differs.
    """
    sizes, values = bind(task.signature, task.args)
    lengths = [sizes[x] for x in task.signature.sizes]
    others = len(values) + len(expected)
    if len(lengths) + others != parameters:
        lengths = list(dict.fromkeys(lengths))
    if len(lengths) + others != parameters:
        return None
    given: list[object] = [ctypes.c_int64(n) for n in lengths]
    kept = [_contiguous(v) for v in values]
    for p, v in zip(task.signature.params, kept, strict=True):
        if isinstance(v, ArrayValue):
            given.append(ctypes.c_void_p(v.data.ctypes.data))
        else:
            assert isinstance(p.type, ScalarType)
            given.append(c_scalar(p.type, v))
    out = tuple(np.empty(x.shape, x.dtype) for x in expected)
    given += [ctypes.c_void_p(x.ctypes.data) for x in out]

    return partial(_call, function, given, (*kept, *out), out)


def _call(
    function: Callable[..., object], given: Sequence[object], _: object, out: Arrays
) -> Arrays:
    """Call a function.  The third argument keeps the arrays alive that ``given`` points to."""
    function(*given)
    return out


def _contiguous(v: Value) -> Value:
    return ArrayValue(np.ascontiguousarray(v.data)) if isinstance(v, ArrayValue) else v
