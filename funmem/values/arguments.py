"""Read arguments from the command line, and write results.

Text and binary values are in the Futhark data format (:mod:`funmem.values.futhark_data`).  An
array can also be a ``.npy`` file, and several named arrays a ``.npz`` file.  Values of records,
tuples and sums are texts or JSON (:mod:`funmem.values.literals`).
"""

from __future__ import annotations

import json
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
from funmem.ir.fun import ArrayType
from funmem.ir.ragged_values import Rows, flat_rows
from funmem.ir.scalars import ScalarType
from funmem.ir.signature import Parameter, Signature
from funmem.ir.values import ArgValue, ArrayValue, Data, Value, dtype
from funmem.values.by_name import returned, taken_apart
from funmem.values.futhark_data import bad, clip, read_all, show_array, show_scalar, write_binary
from funmem.values.literals import from_json, is_nested, read_literals, show_literal
from funmem.values.literals import to_json as literal_json

FEW = 1000
"""JSON contains the elements of arrays with at most this many elements."""

# ---------------------------------------------------------------------- reading


def read_values(spec: str) -> list[Any]:
    """Return the values of ``-i``: a ``.npy``, ``.npz`` or ``.json`` file, a file of other values,
    ``-`` for standard input, or the values themselves.

    Raises InputError for malformed values, UsageError if there is no standard input.
    """
    if spec == "-":
        return _texts(read_stdin(), "<stdin>")
    if spec.endswith(".npy"):
        return [_npy(spec)]
    if spec.endswith(".npz"):
        return list(_npz(spec).values())
    if not _is_file(spec):
        return _texts(spec.encode(), "-i")
    try:
        content = Path(spec).read_bytes()
    except OSError as error:
        raise bad(f"cannot read `{spec}`: {error.strerror}", hint="") from None
    return [_from_json(content, spec)] if spec.endswith(".json") else _texts(content, spec)


def _texts(content: bytes, name: str) -> list[Any]:
    """Return the values in a text, or in binary form."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return list(read_all(content, name))
    nested = is_nested(text, texts=True)
    return read_literals(text, name) if nested else list(read_all(content, name))


def _from_json(content: bytes, name: str) -> Any:
    try:
        return from_json(json.loads(content))
    except (ValueError, RecursionError) as error:
        raise bad(f"cannot read `{name}`: {error}", hint="") from None


def read_arguments(s: Signature, specs: Sequence[str]) -> list[ArgValue]:
    """Return the arguments of an entry point, from all ``-i``.  There may be too few or too many.

    An argument for each parameter of the interface, if there is one, is taken apart.
    """
    args = _arguments(s, specs)
    if s.interface is None or len(args) != len(s.interface.params):
        return args
    return [part.value for part in taken_apart(s, args)]


def _arguments(s: Signature, specs: Sequence[str]) -> list[Any]:
    """Return the values of all ``-i``.

    The arrays of a ``.npz`` file go to the parameters with their names; the other values go to the
    remaining parameters in order.  If no name in a ``.npz`` file is a parameter, its arrays are
    values in the file's order.  Raises InputError, also for a file in which only some of the names
    are parameters.
    """
    params = [p.name for p in s.params]
    named: dict[str, ArgValue] = {}
    rest: list[ArgValue] = []
    for spec in specs:
        arrays = _npz(spec) if spec.endswith(".npz") else {}
        if arrays.keys().isdisjoint(params):
            rest += arrays.values() if arrays else read_values(spec)
            continue
        for x, value in arrays.items():
            if x not in params or x in named:
                why = "given twice" if x in named else f"not a parameter of `{s.name}`"
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
    except ValueError:  # a zero byte, which file names cannot have
        return False


def _npy(path: str) -> ArgValue:
    found = _loaded(path)
    if not isinstance(found, np.ndarray):
        raise bad(f"`{path}` holds several arrays", hint="name such a file .npz")
    return _value(found)


def _npz(path: str) -> dict[str, ArgValue]:
    """Return the arrays of a file by name, in the file's order; at least one."""
    found = _loaded(path)
    if isinstance(found, np.ndarray):
        raise bad(f"`{path}` is one array without a name", hint="name such a file .npy")
    for name, array in found.items():
        if not isinstance(array, np.ndarray):
            raise bad(f"`{name}` in `{path}` is not an array", hint="numpy.savez writes .npz files")
    if not found:
        raise bad(f"`{path}` contains no array", hint="")
    return {name: _value(array) for name, array in found.items()}


def _loaded(path: str) -> Data | dict[str, Data]:
    """Read a file with numpy: an array, or several by name."""
    try:
        found = np.load(path, allow_pickle=False)
        if isinstance(found, np.ndarray):
            return found
        with found:
            return dict(found.items())
    except Exception as error:  # for a malformed header, numpy passes on any parser error
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise bad(f"cannot read `{path}`: {clip(why, 200)}", hint="") from None


def _value(array: Data) -> ArgValue:
    return array[()] if array.ndim == 0 else array


# ---------------------------------------------------------------------- writing


def show_value(v: Value | Rows, p: Parameter) -> str:
    """Return a result in Futhark's text format; rows of any lengths in brackets."""
    if isinstance(v, list):
        return _show_rows(v, p)
    if isinstance(v, ArrayValue):
        return show_array(v.data, _undefined(v))
    assert isinstance(p.type, ScalarType)
    return show_scalar(v, p.type)


def has_rows(s: Signature) -> bool:
    """True if the result of an entry point has recursive data, so that it is written by name."""
    return s.interface is not None and s.interface.returned is not None


def by_name(s: Signature, values: Sequence[Value]) -> Any:
    """Return results as their source language has them."""
    return returned(s)(tuple([v.data if isinstance(v, ArrayValue) else v for v in values]))


def show_by_name(s: Signature, values: Sequence[Value]) -> str:
    """Return results as text, with the names of constructors and fields."""
    return show_literal(by_name(s, values))


def json_by_name(s: Signature, values: Sequence[Value]) -> dict[str, Any]:
    """Return results as JSON: the type, and the values (literals.py)."""
    return {"name": "out", "type": s.results_text, "values": literal_json(by_name(s, values))}


def _undefined(v: ArrayValue) -> Any:
    return None if v.defined is None or v.defined.all() else ~v.defined


def summarise(v: Value, p: Parameter) -> str:
    """Return one line about a result: its type, and an array's least, greatest and mean element."""
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


def _show_rows(rows: Rows, p: Parameter) -> str:
    assert isinstance(p.type, ArrayType)
    flat = not any(isinstance(x, list) for x in rows)
    if flat and not any(x.size for x in flat_rows(rows)):
        return f"empty([{len(rows)}][0]{p.type.elem})"
    return _show_nested(rows)


def _show_nested(rows: Rows) -> str:
    shown = [
        _show_nested(x) if isinstance(x, list) else show_array(x, None) if x.size else "[]"
        for x in rows
    ]
    return f"[{', '.join(shown)}]"


def to_json(v: Value | Rows, p: Parameter) -> dict[str, Any]:
    """Return a result as JSON: name, type, shape, and the values if there are at most FEW.

    NaN and infinities are texts, since JSON lacks them; an undefined element is null.
    """
    if isinstance(v, list):
        assert isinstance(p.type, ArrayType)
        ragged: dict[str, Any] = {"name": p.name, "type": str(p.type.elem), "shape": [len(v), None]}
        if sum(x.size for x in flat_rows(v)) <= FEW:
            ragged["values"] = _json_rows(v)
        return ragged
    if not isinstance(v, ArrayValue):
        return {"name": p.name, "type": str(p.type), "shape": [], "values": _json(v)}
    found: dict[str, Any] = {"name": p.name, "type": str(v.elem), "shape": list(v.shape)}
    if v.data.size <= FEW:
        cells = np.array([_json(x) for x in v.data.ravel().tolist()], np.object_)
        if (undefined := _undefined(v)) is not None:
            cells[undefined.ravel()] = None
        found["values"] = cells.reshape(v.shape).tolist()
    return found


def _json_rows(rows: Rows) -> list[Any]:
    return [_json_rows(x) if isinstance(x, list) else [_json(y) for y in x.tolist()] for x in rows]


def _json(x: Any) -> Any:
    return str(x) if isinstance(x, float) and not math.isfinite(x) else x


def save(results: Sequence[tuple[Value, Parameter]], path: Path) -> list[Path]:
    """Write results to files, and return the paths.  Raises UsageError.

    The format is Futhark's binary one, or NumPy's if the path ends in ``.npy`` or ``.npz``.  A
    binary file holds all results, and a ``.npz`` file holds all of them under their names.  Several
    ``.npy`` results are NAME_1.npy, NAME_2.npy, ….
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
        with written(target) as f:  # if numpy opens the file, it does not notice a full disk
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
