"""Futhark as a peer: the program, compiled by Futhark's compiler, called through its C interface.

The library of each back end is built from the same file as funmem's.  A run calls the entry point
and ``futhark_context_sync``.  Arguments are transferred before it, and results after it.
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
from funmem.codegen.c_call import c_scalar
from funmem.codegen.c_library import find_compiler
from funmem.codegen.files import write_files
from funmem.frontends.futhark.loader import load
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic
from funmem.ir.record import define
from funmem.ir.scalars import ScalarType
from funmem.ir.values import ArrayValue, Data, bind, dtype, elem_type

BACKENDS = ("c", "multicore", "ispc", "opencl")
VARIABLE = "FUTHARK"
"""The environment variable with the path of Futhark's compiler."""


def units(given: str | None) -> tuple[str, ...]:
    """Return a name for each back end, or a single name if there is no compiler."""
    return ("futhark",) if _compiler(given) is None else tuple(f"futhark-{b}" for b in BACKENDS)


def _compiler(given: str | None) -> Path | None:
    command = given or os.environ.get(VARIABLE) or shutil.which("futhark")
    return None if command is None or shutil.which(command) is None else Path(command)


def contender(
    unit: str, call: Call, expected: Arrays, given: str | None, threads: int | None
) -> Contender | Absent:
    """Return a back end as a contender, or why it cannot run."""
    command = _compiler(given)
    if command is None:
        return Absent(unit, f"not found; set {VARIABLE} or use --futhark")
    try:
        start = perf_counter()
        library = _Library.build(command, call, unit.removeprefix("futhark-"), threads)
        return library.contender(unit, call, expected, perf_counter() - start)
    except (DeviceError, OSError) as error:
        why = error.diagnostic.message if isinstance(error, DeviceError) else str(error)
        return Absent(unit, why)


def write_program(root: str, folder: Path) -> Path:
    """Write a program and its imports to a folder for Futhark, and return the root file's path.

    Relative paths between the files are kept.  Raises DeviceError for a program that uses
    functions of funmem's prelude which Futhark has only as intrinsics.
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
    """Return the flat-slice functions that are used but not defined."""
    used, defined = set[str](), set[str]()
    for text in texts:
        code = re.sub(r"--.*", "", text)
        used.update(re.findall(r"\bflat_(?:index|update)_\dd\b", code))
        defined.update(re.findall(r"^(?:def|let) (flat_\w+)", code, re.MULTILINE))
    return sorted(used - defined)


# ---------------------------------------------------------------------- one library


@define(eq=False)
class _Library:
    """A compiled program: its library, manifest, configuration and context."""

    handle: ctypes.CDLL
    manifest: Mapping[str, Any]
    config: ctypes.c_void_p
    context: ctypes.c_void_p = field(factory=ctypes.c_void_p)

    @staticmethod
    def build(futhark: Path, task: Call, backend: str, threads: int | None) -> "_Library":
        """Build and load the library.  Raises DeviceError if a compiler or the context fails."""
        with tempfile.TemporaryDirectory(prefix="funmem-bench-") as name:
            folder = Path(name)
            source = write_program(task.path, folder / "source")
            stem = folder / "peer"
            path = f"{futhark.parent}{os.pathsep}{os.environ.get('PATH', '')}"  # ispc
            environment = {**os.environ, "PATH": path}
            command = [str(futhark), backend, "--library", "-o", str(stem), str(source)]
            _run(command, environment)
            manifest = json.loads((folder / "peer.json").read_text("utf-8"))
            objects = [str(folder / "peer.c"), *_ispc(backend, folder, environment)]
            library = folder / "peer.so"
            flags = ("-std=gnu99", "-O3", "-march=native", "-fPIC", "-shared", "-w", "-pthread")
            after = ("-lm", *_opencl(backend))
            _run([*find_compiler(), *flags, "-o", str(library), *objects, *after], environment)
            handle = ctypes.CDLL(str(library))
        loaded = _Library(handle, manifest, ctypes.c_void_p())
        loaded.config = loaded.pointer("futhark_context_config_new")
        if threads is not None and backend in ("multicore", "ispc"):
            count = ctypes.c_int(threads)
            loaded.call("futhark_context_config_set_num_threads", loaded.config, count)
        if backend == "opencl":
            loaded.call("futhark_context_config_set_platform", loaded.config, b"Portable")
        loaded.context = loaded.pointer("futhark_context_new", loaded.config)
        loaded.check(loaded.error())
        return loaded

    def pointer(self, name: str, *args: object) -> ctypes.c_void_p:
        f = getattr(self.handle, name)
        f.restype = ctypes.c_void_p
        return ctypes.c_void_p(f(*args))

    def call(self, name: str, *args: object) -> int:
        return int(getattr(self.handle, name)(*args))

    def error(self) -> str | None:
        """Return the message of the context's last error, if any."""
        f = self.handle.futhark_context_get_error
        f.restype = ctypes.c_void_p
        found = f(self.context)
        return None if found is None else ctypes.string_at(found).decode(errors="replace")

    def check(self, error: str | None) -> None:
        if error is not None:
            raise DeviceError(Diagnostic(NOWHERE, "futhark", " ".join(error.split())[:200]))

    # -- values

    def array(self, key: str, data: Data) -> ctypes.c_void_p:
        """Transfer an array to the context and return its handle."""
        contiguous = np.ascontiguousarray(data)
        shape = [ctypes.c_int64(n) for n in contiguous.shape]
        new = self.manifest["types"][key]["ops"]["new"]
        handle = self.pointer(new, self.context, ctypes.c_void_p(contiguous.ctypes.data), *shape)
        self.call("futhark_context_sync", self.context)
        self.check(self.error())
        return handle

    def read(self, key: str, handle: ctypes.c_void_p, t: ScalarType) -> Data:
        """Return the elements of a result array."""
        info = self.manifest["types"][key]
        f = getattr(self.handle, info["ops"]["shape"])
        f.restype = ctypes.POINTER(ctypes.c_int64)
        data = np.empty(tuple(f(self.context, handle)[: info["rank"]]), dtype(t))
        self.call(info["ops"]["values"], self.context, handle, ctypes.c_void_p(data.ctypes.data))
        self.call("futhark_context_sync", self.context)
        return data

    # -- runs

    def contender(self, name: str, task: Call, expected: Arrays, built: float) -> Contender:
        """Return the entry point with the task's arguments as a contender.  If the entry point
        consumes an argument, all arguments are transferred again for each run.
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
                self.check(self.error() or f"the run returns {code}")
            if consumes:
                self.free(point["inputs"], given)
            results = _Results(self, outs, tuple(x.dtype for x in expected))
            return Run(seconds, results.arrays, handed - start)

        return Contender(name, run, {"build": built}, self.close)

    def free(self, ports: Sequence[Mapping[str, Any]], given: Sequence[object]) -> None:
        for p, x in zip(ports, given, strict=True):
            if isinstance(x, ctypes.c_void_p):
                self.call(self.manifest["types"][p["type"]]["ops"]["free"], self.context, x)

    def close(self) -> None:
        """Free the context and its configuration."""
        self.call("futhark_context_free", self.context)
        self.call("futhark_context_config_free", self.config)


class _Out:
    """An output parameter of an entry point: a pointer to an array, or a scalar's eight bytes."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.cell = ctypes.c_void_p() if key.startswith("[") else ctypes.c_uint64()


@define(eq=False)
class _Results:
    """The results of one run; their arrays are freed with it."""

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


def _run(command: Sequence[str], environment: Mapping[str, str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or [
            f"`{Path(command[0]).name}` failed without a message"
        ]
        message = next((line for line in lines if "error" in line.lower()), lines[0])
        raise DeviceError(Diagnostic(NOWHERE, "futhark", message[:200]))


def _ispc(backend: str, folder: Path, environment: Mapping[str, str]) -> list[str]:
    """Compile the kernels that Futhark writes for ispc, and return their object file."""
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
    """Return the linker's argument for OpenCL: the loader in pyopencl's wheel if it has one, else
    the system's.  OpenCL headers must be installed.
    """
    if backend != "opencl":
        return []
    import pyopencl

    own = sorted((Path(pyopencl.__file__).parent / ".libs").glob("libOpenCL*.so*"))
    own += sorted((Path(pyopencl.__file__).parent.parent / "pyopencl.libs").glob("libOpenCL*.so*"))
    return [str(own[0])] if own else ["-lOpenCL"]
