"""Values on the command line: reading arguments and writing results.

Text and binary values are in the Futhark data format (:mod:`funmem.values.futhark_data`); arrays
also come as ``.npy`` files, and several of them, each under a name, as ``.npz``.
"""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.lib.format import write_array

from funmem.codegen.files import written
from funmem.driver.streams import read_stdin
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.scalars import ScalarType
from funmem.ir.signature import Parameter, Signature
from funmem.ir.values import ArgValue, ArrayValue, Data, Value, dtype
from funmem.values.futhark_data import bad, clip, read_all, show_array, show_scalar, write_binary

FEW = 1000
"""An array of at most so many elements is written out in JSON."""

# ---------------------------------------------------------------------- reading


def read_values(spec: str) -> list[ArgValue]:
    """Values from ``-i``: a ``.npy`` or ``.npz`` file, a file of Futhark data, ``-``, or the values
    themselves.

    Raises InputError for what holds no values, UsageError if there is no standard input.
    """
    if spec == "-":
        return read_all(read_stdin(), "<stdin>")
    if spec.endswith(".npy"):
        return [_npy(spec)]
    if spec.endswith(".npz"):
        return list(_npz(spec).values())
    if not _is_file(spec):
        return read_all(spec.encode(), "-i")
    try:
        return read_all(Path(spec).read_bytes(), spec)
    except OSError as error:
        raise bad(f"cannot read `{spec}`: {error.strerror}", hint="") from None


def read_arguments(s: Signature, specs: Sequence[str]) -> list[ArgValue]:
    """The arguments of an entry point, from all ``-i``; perhaps too few or too many.

    The arrays of a ``.npz`` file go to the parameters of their names, all others to those that are
    left, in order.  A file with no name of a parameter has values in the file's order.  Raises
    InputError, also for a file of which some names are parameters and others are not.
    """
    params = [p.name for p in s.params]
    named: dict[str, ArgValue] = {}
    rest: list[ArgValue] = []
    for spec in specs:
        held = _npz(spec) if spec.endswith(".npz") else {}
        if held.keys().isdisjoint(params):
            rest += held.values() if held else read_values(spec)
            continue
        for x, value in held.items():
            if x not in params or x in named:
                why = "given twice" if x in named else f"no parameter of `{s.name}`"
                hint = f"its parameters are {', '.join(f'`{p}`' for p in params)}"
                raise bad(f"`{x}` in `{spec}` is {why}", hint=hint)
            named[x] = value
    if len(named) + len(rest) != len(params):
        return [*named.values(), *rest]
    left = iter(rest)
    return [named[x] if x in named else next(left) for x in params]


def _is_file(spec: str) -> bool:
    try:
        return os.path.isfile(spec)
    except ValueError:  # no file has a zero byte in its name
        return False


def _npy(path: str) -> ArgValue:
    found = _loaded(path)
    if not isinstance(found, np.ndarray):
        raise bad(f"`{path}` holds several arrays", hint="such a file is called .npz")
    return _value(found)


def _npz(path: str) -> dict[str, ArgValue]:
    """The arrays of a file by name, in the file's order; at least one."""
    found = _loaded(path)
    if isinstance(found, np.ndarray):
        raise bad(f"`{path}` is one array without a name", hint="such a file is called .npy")
    for name, array in found.items():
        if not isinstance(array, np.ndarray):
            raise bad(f"`{name}` in `{path}` is no array", hint="numpy.savez writes such files")
    if not found:
        raise bad(f"`{path}` holds no array", hint="")
    return {name: _value(array) for name, array in found.items()}


def _loaded(path: str) -> Data | dict[str, Data]:
    """What numpy reads: an array, or several by name."""
    try:
        found = np.load(path, allow_pickle=False)
        if isinstance(found, np.ndarray):
            return found
        with found:
            return dict(found.items())
    except Exception as error:  # of a header, numpy raises whatever Python's parser does
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise bad(f"cannot read `{path}`: {clip(why, 200)}", hint="") from None


def _value(array: Data) -> ArgValue:
    return array[()] if array.ndim == 0 else array


# ---------------------------------------------------------------------- writing


def show_value(v: Value, p: Parameter) -> str:
    """A result in Futhark's text format."""
    if isinstance(v, ArrayValue):
        return show_array(v.data, _undefined(v))
    assert isinstance(p.type, ScalarType)
    return show_scalar(v, p.type)


def _undefined(v: ArrayValue) -> Any:
    return None if v.defined is None or v.defined.all() else ~v.defined


def summarise(v: Value, p: Parameter) -> str:
    """One line about a result: its type, and of an array the least, greatest and mean element."""
    if not isinstance(v, ArrayValue):
        return f"{p.name} : {p.type} = {show_value(v, p)}"
    line = f"{p.name} : {v}"
    known = v.data if v.defined is None else v.data[v.defined]
    if known.size < v.data.size:
        line += f", {v.data.size - known.size} elements undefined"
    if not known.size:
        return line
    if known.dtype == np.bool_:
        return f"{line}, {np.count_nonzero(known)} true"
    with np.errstate(all="ignore"):
        mean = known.astype(np.float64).mean()
    return f"{line}, min {known.min()!s}, max {known.max()!s}, mean {mean:g}"


def to_json(v: Value, p: Parameter) -> dict[str, Any]:
    """A result as data: name, type, shape, and the values if they are few.

    JSON knows neither NaN nor infinities: they are texts; an undefined element is null.
    """
    if not isinstance(v, ArrayValue):
        return {"name": p.name, "type": str(p.type), "shape": [], "values": _json(v)}
    found: dict[str, Any] = {"name": p.name, "type": str(v.elem), "shape": list(v.shape)}
    if v.data.size <= FEW:
        cells = np.array([_json(x) for x in v.data.ravel().tolist()], np.object_)
        if (undefined := _undefined(v)) is not None:
            cells[undefined.ravel()] = None
        found["values"] = cells.reshape(v.shape).tolist()
    return found


def _json(x: Any) -> Any:
    return str(x) if isinstance(x, float) and not math.isfinite(x) else x


def save(results: Sequence[tuple[Value, Parameter]], path: Path) -> list[Path]:
    """Results as files: Futhark's binary data, or NumPy's if the name ends in ``.npy`` or ``.npz``.

    Several results share a binary file, and a ``.npz``, which has them under their names;
    otherwise NumPy's are NAME_1.npy, NAME_2.npy, ….  Raises UsageError.
    """
    arrays = [_image(v, p) for v, p in results]
    if path.suffix == ".npz":
        with written(path) as f, ZipFile(f, "w") as archive:
            for (_, p), array in zip(results, arrays, strict=True):
                with archive.open(ZipInfo(f"{p.name}.npy"), "w", force_zip64=True) as member:
                    write_array(member, array, allow_pickle=False)
        return [path]
    if path.suffix != ".npy":
        with written(path) as f:
            for array in arrays:
                f.write(write_binary(array))
        return [path]
    paths = [path]
    if len(arrays) != 1:
        paths = [path.with_name(f"{path.stem}_{k}.npy") for k, _ in enumerate(arrays, 1)]
    for target, array in zip(paths, arrays, strict=True):
        with written(target) as f:  # of a file itself, numpy does not notice that the disk is full
            write_array(SimpleNamespace(write=f.write), array, allow_pickle=False)
    return paths


def _image(v: Value, p: Parameter) -> Data:
    if not isinstance(v, ArrayValue):
        assert isinstance(p.type, ScalarType)
        return np.array(v, dtype(p.type))
    if _undefined(v) is not None:
        message = f"result `{p.name}` has elements that were never given a value"
        hint = "without -o they are printed as `undefined`"
        raise UsageError(Diagnostic(NOWHERE, "output", message, hint))
    return v.data
