"""Arguments and expected values, and how results are compared."""

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError
from funmem.ir.interface import Interface
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, ScalarType
from funmem.ir.signature import Parameter, Signature
from funmem.ir.values import ArgValue, ArrayValue, Data, Mask, Value, dtype, elem_type, spread
from funmem.suite.spec import InFile, Inline, Random, RandomValue, Source
from funmem.values.by_name import taken_apart
from funmem.values.futhark_data import bad, clip, read_all, show_array
from funmem.values.variants import Variant

TOLERANCE = 0.002
"""Largest error of a float: absolute, and relative to the largest expected element."""

# ---------------------------------------------------------------------- reading


def load(
    given: Source | Random, folder: Path, wanted: Sequence[Parameter] = ()
) -> tuple[ArgValue, ...]:
    """Return the values.  Raises InputError.

    Paths are relative to ``folder``.  Numbers without a suffix in files get the types of the
    ``wanted`` parameters.
    """
    match given:
        case Inline(values):
            return values
        case Random(items):
            return tuple(
                random_value(x, seed) if isinstance(x, RandomValue) else x
                for seed, x in enumerate(items)
            )
        case InFile(path):
            try:
                types = [p.type if isinstance(p.type, ScalarType) else p.type.elem for p in wanted]
                return tuple(read_all(_content(folder / path), path, exact=True, types=types))
            except InputError as error:
                d = error.diagnostic
                message = d.message if d.at == NOWHERE else f"{d.at}: {d.message}"
                raise InputError(Diagnostic(given.at, d.code, message)) from None


def text_of(file: InFile, folder: Path) -> str:
    """Return the text of a file.  Raises InputError."""
    try:
        return _content(folder / file.path).decode("utf-8")
    except UnicodeDecodeError:
        raise bad(f"`{file.path}` is not UTF-8", hint="") from None


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise bad(f"cannot read `{path.name}`: {clip(why, 200)}") from None


def random_value(x: RandomValue, seed: int) -> ArgValue:
    """Return a random value, the same one for the same seed.

    Integers are drawn from their whole type, floats from [0, 1).
    """
    rng = np.random.default_rng(seed)
    t = dtype(x.elem)
    try:
        if x.elem.is_float:
            wide = np.float64 if x.elem is ScalarType.F64 else np.float32
            data = rng.random(x.shape, wide).astype(t)
        elif x.elem is BOOL:
            data = rng.integers(0, 2, x.shape).astype(t)
        else:
            data = rng.integers(x.elem.min, x.elem.max, x.shape, t, endpoint=True)
    except (ValueError, OverflowError, MemoryError):
        shape = "".join(f"[{n}]" for n in x.shape)
        raise bad(f"a random {shape}{x.elem} does not fit into memory", hint="") from None
    return np.asarray(data) if x.shape else t.type(data)


def arguments(s: Signature, given: Sequence[Any]) -> tuple[ArgValue, ...]:
    """Return the arguments of an entry point as numpy values; Variants and tuples are taken apart.

    Raises InputError.
    """
    if s.interface is None or not any(isinstance(x, Variant | tuple | list) for x in given):
        return tuple(given)
    if len(given) != len(s.interface.params):
        return tuple(given)
    return _numpy([part.value for part in taken_apart(s, given)], s.params)


def results(s: Signature, given: Sequence[Any]) -> tuple[ArgValue, ...]:
    """Return expected results as numpy values; Variants and tuples are taken apart.

    A tuple may be several values.  Raises InputError.
    """
    if s.interface is None or not any(isinstance(x, Variant | tuple | list) for x in given):
        return tuple(given)
    whole = given[0] if len(given) == 1 else tuple(given)
    tree, table = s.interface.result, s.interface.returned
    inward = Interface(((Name("result"), tree),), tree, table)
    parts = taken_apart(Signature(s.name, s.sizes, s.results, (), inward), [whole])
    return _numpy([part.value for part in parts], s.results)


def _numpy(parts: Sequence[Any], types: Sequence[Parameter]) -> tuple[ArgValue, ...]:
    """Return parts as numpy values of the types of parameters or results.  Raises InputError."""
    out: list[ArgValue] = []
    for x, p in zip(parts, types, strict=True):
        t = p.type if isinstance(p.type, ScalarType) else p.type.elem
        try:
            out.append(np.array(x, dtype(t))[()])
        except (TypeError, ValueError, OverflowError) as error:
            raise bad(f"`{p.name}` has the type {p.type}: {error}", hint="") from None
    return tuple(out)


# ---------------------------------------------------------------------- types


def type_of(a: ArgValue) -> str:
    """Return the type in the notation of test comments, which has no sizes."""
    if isinstance(a, list):
        return "rows of different lengths"
    if not isinstance(a, np.generic | np.ndarray):
        return f"a Python {type(a).__name__}"
    return "[]" * a.ndim + str(elem_type(a.dtype) or a.dtype)


def fits(s: Signature, args: Sequence[ArgValue]) -> str | None:
    """Return None if the arguments have the types of the parameters, or else a description."""
    wanted = [_without_sizes(p) for p in s.params]
    got = [type_of(a) for a in spread(s.params, args)]
    if wanted == got:
        return None
    return f"`{s.name}` takes {_listed(wanted)}, the input is {_listed(got)}"


def _without_sizes(p: Parameter) -> str:
    if isinstance(p.type, ScalarType):
        return str(p.type)
    return "[]" * len(p.type.shape) + str(p.type.elem)


def _listed(types: Sequence[str]) -> str:
    return f"({', '.join(types)})"


# ---------------------------------------------------------------------- comparison


@frozen
class Mismatch:
    """The first difference in words, and excerpts of the expected and actual values."""

    what: str
    expected: str
    actual: str


Known: TypeAlias = tuple[Data, Mask | None]
"""A result's elements, and a mask of the defined ones (None: all)."""


def known(v: Value, p: Parameter) -> Known:
    """Return the result of a run with its mask."""
    if isinstance(v, ArrayValue):
        return v.data, v.defined
    assert isinstance(p.type, ScalarType)
    return np.array(v, dtype(p.type)), None


def given(a: ArgValue) -> Known:
    """Return a value of a test comment, which is a numpy value.  Raises InputError for rows of
    different lengths.
    """
    if isinstance(a, list):
        raise bad("the rows of an expected result differ in length; its type is regular", hint="")
    return np.asarray(a), None


def mismatch(expected: Sequence[Known], got: Sequence[Known]) -> Mismatch | None:
    """Return None if the results are as expected, or else the first difference.

    Types, ranks and sizes have to be equal, and so do integers and booleans.  A float may differ by
    TOLERANCE, or by TOLERANCE times the largest finite expected element.  All NaNs are equal; equal
    infinities are equal.  Elements that are expected to be undefined are not compared.
    """
    if len(expected) != len(got):
        what = f"expected {len(expected)} result(s), got {len(got)}"
        return Mismatch(what, _excerpts(expected), _excerpts(got))
    for k, (a, b) in enumerate(zip(expected, got, strict=True), 1):
        difference = _difference(a, b)
        if difference is not None:
            which = f"result {k}" if len(expected) > 1 else "the result"
            return Mismatch(which + difference, excerpt(a), excerpt(b))
    return None


def _difference(expected: Known, got: Known) -> str | None:
    a, b = expected[0], got[0]
    if (a.dtype, a.ndim) != (b.dtype, b.ndim):
        return f": expected {type_of(a)}, got {type_of(b)}"
    if a.shape != b.shape:
        return f": expected {_type(a)}, got {_type(b)}"
    different = np.asarray(~_same(a, b))
    if got[1] is not None:
        different |= ~got[1]
    if expected[1] is not None:
        different &= expected[1]
    count = int(np.count_nonzero(different))
    if not count:
        return None
    at = tuple(int(i) for i in np.argwhere(different)[0])
    where = f" at [{', '.join(map(str, at))}]" if at else ""
    rest = f" ({count} of {a.size} elements differ)" if a.size > 1 else ""
    return f"{where}: expected {_element(expected, at)}, got {_element(got, at)}{rest}"


def _same(a: Data, b: Data) -> Mask:
    if a.dtype.kind != "f":
        return np.asarray(a == b)
    with np.errstate(all="ignore"):
        x, y = a.astype(np.float64), b.astype(np.float64)
        finite = x[np.isfinite(x)]
        bound = max(TOLERANCE, TOLERANCE * float(finite.max())) if finite.size else TOLERANCE
        close = (np.abs(x - y) <= bound) & np.isfinite(x) & np.isfinite(y)
    return np.asarray(close | (x == y) | (np.isnan(x) & np.isnan(y)))


# ---------------------------------------------------------------------- excerpts

FEW = 6
"""Elements of a row, and rows, in an excerpt."""


def _type(a: Data) -> str:
    return "".join(f"[{n}]" for n in a.shape) + str(elem_type(a.dtype) or a.dtype)


def _element(v: Known, at: tuple[int, ...]) -> str:
    return _spelt(v[0][at], v[1] is None or bool(v[1][at]))


def _spelt(x: np.generic | Data, defined: bool) -> str:
    if not defined:
        return "an undefined element"
    t = elem_type(x.dtype)
    assert t is not None
    return show_array(np.asarray(x).reshape(1), None)[1:-1]


def excerpt(v: Known, most: int = 80) -> str:
    """Return the beginning of a value in the Futhark data format."""
    data, defined = v
    if not data.size and data.ndim:
        return show_array(data, None)
    mask = np.ones(data.shape, np.bool_) if defined is None else defined
    return clip(_begin(data, mask), most)


def _begin(data: Data, mask: Mask) -> str:
    if data.ndim == 0:
        return _spelt(data, bool(mask)) if mask else "undefined"
    items = [_begin(data[k], mask[k]) for k in range(min(len(data), FEW))]
    return f"[{', '.join(items + ['…'] * (len(data) > FEW))}]"


def _excerpts(values: Sequence[Known]) -> str:
    return " ".join(excerpt(v) for v in values)
