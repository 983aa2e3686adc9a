"""Futhark as a peer: the program compiled by the real compiler, called through its C interface.

Each back end's library is built from the same file as ours.  A run is the entry point and
``futhark_context_sync``; arguments are handed over before, and results read after it.
"""

import ctypes
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from attrs import field

from funmem.bench.contenders import Absent, Contender, Run
from funmem.bench.tasks import Arrays, Call
from funmem.codegen.c_library import c_scalar, find_compiler
from funmem.codegen.files import write_files
from funmem.frontends.futhark.loader import load
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic
from funmem.ir.record import define
from funmem.ir.scalars import ScalarType
from funmem.ir.values import ArrayValue, Data, bind, dtype, elem_type

BACKENDS = ("c", "multicore", "ispc", "opencl")
VARIABLE = "FUTHARK"
"""The environment's word for where the compiler is."""


def units(given: str | None) -> tuple[str, ...]:
    """A name for each back end, or one for all where there is no compiler."""
    return ("futhark",) if _compiler(given) is None else tuple(f"futhark-{b}" for b in BACKENDS)


def _compiler(given: str | None) -> Path | None:
    command = given or os.environ.get(VARIABLE) or shutil.which("futhark")
    return None if command is None or shutil.which(command) is None else Path(command)


def contender(
    unit: str, call: Call, expected: Arrays, given: str | None, threads: int | None
) -> Contender | Absent:
    """One back end, if there is everything for it."""
    command = _compiler(given)
    if command is None:
        return Absent(unit, f"not found; name it in {VARIABLE} or with --futhark")
    try:
        start = perf_counter()
        library = _Library.build(command, call, unit.removeprefix("futhark-"), threads)
        return library.contender(unit, call, expected, perf_counter() - start)
    except (DeviceError, OSError) as error:
        why = error.diagnostic.message if isinstance(error, DeviceError) else str(error)
        return Absent(unit, why)


def write_program(root: str, folder: Path) -> Path:
    """A program and what it imports, in a folder, for Futhark; answers the root.

    Paths keep their places relative to each other.  Raises DeviceError for a program that uses
    functions which funmem's prelude has, and Futhark only as intrinsics.
    """
    files = {os.path.abspath(path): text for path, text in load(root).texts.items()}
    if missing := _missing(files.values()):
        message = f"Futhark lacks {', '.join(missing)}; papers/funmem/benchmarks/flat.fut has them"
        raise DeviceError(Diagnostic(NOWHERE, "futhark", message))
    top = os.path.commonpath([os.path.dirname(path) for path in files])
    for path, text in files.items():
        target = folder / os.path.relpath(path, top)
        write_files(target.parent, {target.name: text})
    return folder / os.path.relpath(os.path.abspath(root), top)


def _missing(texts: Iterable[str]) -> list[str]:
    """The functions for flat slices that are used and not defined."""
    used, defined = set[str](), set[str]()
    for text in texts:
        code = re.sub(r"--.*", "", text)
        used.update(re.findall(r"\bflat_(?:index|update)_\dd\b", code))
        defined.update(re.findall(r"^(?:def|let) (flat_\w+)", code, re.MULTILINE))
    return sorted(used - defined)


# ---------------------------------------------------------------------- one library


@define(eq=False)
class _Library:
    """A compiled program, its context, and its manifest."""

    handle: ctypes.CDLL
    manifest: Mapping[str, Any]
    config: ctypes.c_void_p
    context: ctypes.c_void_p = field(factory=ctypes.c_void_p)

    @staticmethod
    def build(futhark: Path, task: Call, backend: str, threads: int | None) -> "_Library":
        """Raises DeviceError where either compiler refuses, or the context does."""
        with tempfile.TemporaryDirectory(prefix="funmem-bench-") as name:
            folder = Path(name)
            source = write_program(task.path, folder / "source")
            stem = folder / "peer"
            path = f"{futhark.parent}{os.pathsep}{os.environ.get('PATH', '')}"  # ispc
            environment = {**os.environ, "PATH": path}
            asked = [str(futhark), backend, "--library", "-o", str(stem), str(source)]
            _run(asked, environment)
            manifest = json.loads((folder / "peer.json").read_text("utf-8"))
            objects = [str(folder / "peer.c"), *_ispc(backend, folder, environment)]
            library = folder / "peer.so"
            flags = ("-std=gnu99", "-O3", "-march=native", "-fPIC", "-shared", "-w", "-pthread")
            after = ("-lm", *_opencl(backend))
            _run([*find_compiler(), *flags, "-o", str(library), *objects, *after], environment)
            handle = ctypes.CDLL(str(library))
        made = _Library(handle, manifest, ctypes.c_void_p())
        made.config = made.pointer("futhark_context_config_new")
        if threads is not None and backend in ("multicore", "ispc"):
            count = ctypes.c_int(threads)
            made.call("futhark_context_config_set_num_threads", made.config, count)
        if backend == "opencl":
            made.call("futhark_context_config_set_platform", made.config, b"Portable")
        made.context = made.pointer("futhark_context_new", made.config)
        made.check(made.error())
        return made

    def pointer(self, name: str, *args: object) -> ctypes.c_void_p:
        f = getattr(self.handle, name)
        f.restype = ctypes.c_void_p
        return ctypes.c_void_p(f(*args))

    def call(self, name: str, *args: object) -> int:
        return int(getattr(self.handle, name)(*args))

    def error(self) -> str | None:
        """What went wrong last."""
        f = self.handle.futhark_context_get_error
        f.restype = ctypes.c_void_p
        found = f(self.context)
        return None if found is None else ctypes.string_at(found).decode(errors="replace")

    def check(self, error: str | None) -> None:
        if error is not None:
            raise DeviceError(Diagnostic(NOWHERE, "futhark", " ".join(error.split())[:200]))

    # -- values

    def array(self, key: str, data: Data) -> ctypes.c_void_p:
        """An array handed over."""
        contiguous = np.ascontiguousarray(data)
        shape = [ctypes.c_int64(n) for n in contiguous.shape]
        new = self.manifest["types"][key]["ops"]["new"]
        made = self.pointer(new, self.context, ctypes.c_void_p(contiguous.ctypes.data), *shape)
        self.call("futhark_context_sync", self.context)
        self.check(self.error())
        return made

    def read(self, key: str, made: ctypes.c_void_p, t: ScalarType) -> Data:
        """An array of results."""
        info = self.manifest["types"][key]
        f = getattr(self.handle, info["ops"]["shape"])
        f.restype = ctypes.POINTER(ctypes.c_int64)
        data = np.empty(tuple(f(self.context, made)[: info["rank"]]), dtype(t))
        self.call(info["ops"]["values"], self.context, made, ctypes.c_void_p(data.ctypes.data))
        self.call("futhark_context_sync", self.context)
        return data

    # -- runs

    def contender(self, name: str, task: Call, expected: Arrays, built: float) -> Contender:
        """The entry point with the task's arguments, which are handed over for each run if it
        consumes one.
        """
        point = self.manifest["entry_points"][task.signature.name]
        _, values = bind(task.signature, task.args)
        consumes = any(p["unique"] for p in point["inputs"])

        def hand_over() -> list[object]:
            given: list[object] = []
            for p, own, v in zip(point["inputs"], task.signature.params, values, strict=True):
                if isinstance(v, ArrayValue):
                    given.append(self.array(p["type"], v.data))
                else:
                    assert isinstance(own.type, ScalarType)
                    given.append(c_scalar(own.type, v))
            return given

        kept = hand_over()

        def run() -> Run:
            start = perf_counter()
            given = hand_over() if consumes else kept
            handed = perf_counter()
            outs = [_Out(p["type"]) for p in point["outputs"]]
            code = self.call(
                point["cfun"], self.context, *(ctypes.byref(o.cell) for o in outs), *given
            )
            code = code or self.call("futhark_context_sync", self.context)
            seconds = perf_counter() - handed
            if code:
                self.check(self.error() or f"the run answers {code}")
            if consumes:
                self.free(point["inputs"], given)
            answer = _Answer(self, outs, tuple(x.dtype for x in expected))
            return Run(seconds, answer.arrays, handed - start)

        return Contender(name, run, {"build": built}, self.close)

    def free(self, ports: Sequence[Mapping[str, Any]], given: Sequence[object]) -> None:
        for p, x in zip(ports, given, strict=True):
            if isinstance(x, ctypes.c_void_p):
                self.call(self.manifest["types"][p["type"]]["ops"]["free"], self.context, x)

    def close(self) -> None:
        """Gives back the context and all that it holds."""
        self.call("futhark_context_free", self.context)
        self.call("futhark_context_config_free", self.config)


class _Out:
    """Where an entry point puts a result: a pointer, or a scalar's eight bytes."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.cell = ctypes.c_void_p() if key.startswith("[") else ctypes.c_uint64()


@define(eq=False)
class _Answer:
    """The results of one run, which are given back with it."""

    library: _Library
    outs: Sequence[_Out]
    types: Sequence[np.dtype[np.generic]]

    def arrays(self) -> Arrays:
        found: list[Data] = []
        for out, t in zip(self.outs, self.types, strict=True):
            if isinstance(out.cell, ctypes.c_void_p):
                elem = elem_type(t)
                assert elem is not None
                found.append(self.library.read(out.key, out.cell, elem))
            else:
                found.append(np.frombuffer(bytes(out.cell)[: t.itemsize], t)[0].reshape(()))
        return tuple(found)

    def __del__(self) -> None:
        for out in self.outs:
            if isinstance(out.cell, ctypes.c_void_p):
                free = self.library.manifest["types"][out.key]["ops"]["free"]
                self.library.call(free, self.library.context, out.cell)


# ---------------------------------------------------------------------- tools


def _run(asked: Sequence[str], environment: Mapping[str, str]) -> None:
    done = subprocess.run(asked, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["it says nothing"]
        message = next((line for line in lines if "error" in line.lower()), lines[0])
        raise DeviceError(Diagnostic(NOWHERE, "futhark", message[:200]))


def _ispc(backend: str, folder: Path, environment: Mapping[str, str]) -> list[str]:
    """The object file of the kernels that Futhark writes for ispc."""
    if backend != "ispc":
        return []
    target = folder / "kernels.o"
    command = shutil.which("ispc", path=environment["PATH"])
    if command is None:
        raise DeviceError(Diagnostic(NOWHERE, "futhark", "ispc is not installed"))
    kernels = str(folder / "peer.kernels.ispc")
    flags = ("-O3", "--pic", "--addressing=64", "-woff")
    _run([command, *flags, kernels, "-o", str(target)], environment)
    return [str(target)]


def _opencl(backend: str) -> list[str]:
    """The OpenCL loader that pyopencl brings, if the machine has none; headers must be there."""
    if backend != "opencl":
        return []
    import pyopencl

    own = sorted((Path(pyopencl.__file__).parent / ".libs").glob("libOpenCL*.so*"))
    own += sorted((Path(pyopencl.__file__).parent.parent / "pyopencl.libs").glob("libOpenCL*.so*"))
    return [str(own[0])] if own else ["-lOpenCL"]
