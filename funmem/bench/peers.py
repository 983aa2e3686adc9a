"""Peers: the same task in numpy, numba, jax and C, from files beside the program.

    peers.py    numpy_peer, numba_peer, jax_peer: each takes the arguments and answers a function
                that computes the results, to be called any number of times
    plain.c     `peer`: the sizes that the arrays have, the arguments, then pointers to arrays for
                the results, which are as large as they will be
    tuned.c     the same, as fast as its author could make it

C is built with -O3 -march=native and OpenMP, and once more with -ffast-math.  Futhark compiles the
program itself (:mod:`funmem.bench.futhark`).  What is not installed, or has no file, is absent.
"""

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import numpy as np

from funmem.bench.contenders import Absent, Contender, timed
from funmem.bench.tasks import Arrays, Task, load_module
from funmem.codegen.c_library import c_scalar, find_compiler
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
    """``numpy,gcc`` as names.  Raises UsageError for one that nobody has."""
    found = tuple(dict.fromkeys(filter(None, text.replace(" ", "").split(","))))
    for x in found:
        if x not in NAMES:
            message = f"there is no peer `{x}`; there is {', '.join(NAMES)}"
            raise UsageError(Diagnostic(NOWHERE, "peer", message))
    return found


def peers(
    task: Task,
    names: Sequence[str],
    expected: Arrays,
    futhark: str | None = None,
    threads: int | None = None,
) -> Iterator[Contender | Absent]:
    """The peers of a task, one after the other, as they become ready."""
    for name in names:
        if name in PYTHON:
            yield _python(task, name)
        elif name == "gcc":
            yield from _c(task, expected)
        else:
            from funmem.bench.futhark import contenders

            yield from contenders(task, expected, futhark, threads)


# ---------------------------------------------------------------------- Python


def _python(task: Task, name: str) -> Contender | Absent:
    if find_spec(name) is None:
        return Absent(name, "not installed")
    file = task.folder / "peers.py"
    make = getattr(load_module(file), f"{name}_peer", None) if file.is_file() else None
    if make is None:
        return Absent(name, "the program has no such peer")
    start = perf_counter()
    call: Callable[[], Arrays] = make(*task.args)
    call()
    return Contender(name, lambda: timed(call), {"build": perf_counter() - start})


# ---------------------------------------------------------------------- C


def _c(task: Task, expected: Arrays) -> Iterator[Contender | Absent]:
    """Each way to build each file."""
    try:
        command = find_compiler()
    except DeviceError as error:
        yield Absent("gcc", error.diagnostic.message)
        return
    for name, file, flags in BUILDS:
        source = task.folder / file
        if not source.is_file():
            if file == "plain.c":
                yield Absent(name, "the program has no such peer")
            continue
        start = perf_counter()
        try:
            function = build_c(command, source, flags)
        except DeviceError as error:
            yield Absent(name, error.diagnostic.message)
            continue
        call = _calling(function, task, expected)
        yield Contender(name, partial(timed, call), {"build": perf_counter() - start})


def build_c(
    command: Sequence[str], source: Path, flags: Sequence[str] = (), symbol: str = "peer"
) -> Callable[..., object]:
    """A function of a C file, built and loaded.  Raises DeviceError with the compiler's words."""
    library = load_c([*command, *C_FLAGS, *flags], [str(source)], ["-lm"])
    function = getattr(library, symbol)
    function.restype = None
    return function  # type: ignore[no-any-return]  # ctypes knows no signatures


def load_c(command: Sequence[str], sources: Sequence[str], after: Sequence[str]) -> ctypes.CDLL:
    """A shared library, built in a folder that goes at once.  Raises DeviceError.

    What is linked with -ffast-math turns subnormal numbers to zero in the process that loads it;
    hence it is compiled and linked in two steps, the second without.
    """
    with tempfile.TemporaryDirectory(prefix="funmem-bench-") as folder:
        objects = [os.path.join(folder, f"{k}.o") for k in range(len(sources))]
        for source, target in zip(sources, objects, strict=True):
            _run([*command, "-c", "-o", target, source])
        path = os.path.join(folder, "peer.so")
        plain = [flag for flag in command if flag != "-ffast-math"]
        _run([*plain, "-o", path, *objects, *after])
        return ctypes.CDLL(path)


def _run(asked: Sequence[str]) -> None:
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["it says nothing"]
        message = next((line for line in lines if "error" in line), lines[0])
        raise DeviceError(Diagnostic(NOWHERE, "build", message[:200]))


def _calling(function: Callable[..., object], task: Task, expected: Arrays) -> Callable[[], Arrays]:
    """A call with the task's arguments, into arrays of the shapes that are expected."""
    sizes, values = bind(task.signature, task.args)
    given: list[object] = [ctypes.c_int64(sizes[x]) for x in task.signature.sizes]
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
    """Calls a function; the third argument is what the pointers among the second point to."""
    function(*given)
    return out


def _contiguous(v: Value) -> Value:
    return ArrayValue(np.ascontiguousarray(v.data)) if isinstance(v, ArrayValue) else v
