"""Values of programs: arguments, results, and comparison of results.

A scalar is a Python ``bool``, ``int`` or ``float`` as in :mod:`funmem.ir.scalars`.  An array is an
:class:`ArrayValue`: a numpy array, which keeps its shape even if it is empty (errata 13), and a
mask of the elements that have a value.  Interpreters and back ends take their arguments through
:func:`bind` and are compared by :func:`agree`, so they accept the same inputs and use the same
notion of equal results.

This module and ``host_arrays`` are the only ones of the room that import numpy; only interpreters
and code generators import them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from attrs import field
from numpy.typing import NDArray

from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, InputError
from funmem.ir.fun import ArrayType
from funmem.ir.host_arrays import Elsewhere, IsArray, contains, host_array
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, F16, F32, F64, I64, SCALARS, ScalarType, is_value, normalise
from funmem.ir.scalars import Value as ScalarValue
from funmem.ir.signature import Parameter, Signature, offset_places
from funmem.ir.sizes import Size

if TYPE_CHECKING:
    from typing_extensions import Buffer

Data: TypeAlias = NDArray[np.generic]
Mask: TypeAlias = NDArray[np.bool_]

_NUMPY_NAME = {t: str(t) for t in SCALARS} | {
    t: {"i": "int", "u": "uint", "f": "float"}[str(t)[0]] + str(t)[1:] for t in SCALARS[1:]
}
_DTYPE: Mapping[ScalarType, np.dtype[np.generic]] = {
    t: np.dtype(name) for t, name in _NUMPY_NAME.items()
}
_ELEM = {d: t for t, d in _DTYPE.items()}


def dtype(t: ScalarType) -> np.dtype[np.generic]:
    """Return the numpy type whose memory image is that of ``t`` (bool: one byte)."""
    return _DTYPE[t]


def elem_type(d: np.dtype[np.generic]) -> ScalarType | None:
    """Return the scalar type of a numpy type, or None."""
    return _ELEM.get(d)


def widens(d: np.dtype[np.generic], t: ScalarType) -> bool:
    """True if every value of a numpy type, in any byte order, is a value of ``t``."""
    source = _ELEM.get(d.newbyteorder("="))
    return source is not None and contains(t, source)


# ---------------------------------------------------------------------- values


@frozen(eq=False)
class ArrayValue:
    """An array; ``defined`` marks the elements that have a value, None means all.

    ``data`` and ``defined`` are never modified, since derived arrays share them.
    """

    data: Data
    defined: Mask | None = None

    @property
    def elem(self) -> ScalarType:
        return _ELEM[self.data.dtype]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    def mask(self) -> Mask:
        """Return ``defined`` as an array, also if it is None."""
        return np.ones(self.shape, np.bool_) if self.defined is None else self.defined

    def __str__(self) -> str:
        return _show_shape(self.shape) + str(self.elem)


Value: TypeAlias = ScalarValue | ArrayValue


def holdable(shape: Sequence[int], t: ScalarType) -> None:
    """Raise DeviceError if an array of a shape cannot exist, even if it is empty.

    numpy requires that the product of all nonzero dimensions, in bytes, fits 64 bits.
    """
    if math.prod(n for n in shape if n) * t.bytes > I64.max:
        what = f"an array {_show_shape(shape)}{t} does not fit into memory"
        raise DeviceError(Diagnostic(NOWHERE, "memory", what))


ArgValue: TypeAlias = "Value | np.generic | Data | IsArray | Buffer | Sequence[ArgValue]"
"""An argument: also numpy scalars, arrays of other libraries, buffers, nested sequences."""


# ---------------------------------------------------------------------- arguments


def bind(sig: Signature, args: Sequence[ArgValue]) -> tuple[dict[Name, int], tuple[Value, ...]]:
    """Return the sizes that the arguments determine, and the arguments as values.

    An array, also inside a sequence, must have the parameter's element type, or one whose values
    are all values of it: it is then copied (``widens``).  Python numbers and sequences have no
    element type and are accepted if they are in range.  A dimension that is a
    name determines that size; all other dimensions are checked once all sizes are known.  Raise
    InputError.  Nested arguments for offsets and elements are taken apart (:func:`spread`).
    """
    args = spread(sig.params, args)
    if len(args) != len(sig.params):
        raise _wrong(f"`{sig.name}` takes {len(sig.params)} argument(s), got {len(args)}")
    slots = [_Argument(k, p) for k, p in enumerate(sig.params, 1)]
    values = tuple(slot.value(a) for slot, a in zip(slots, args, strict=True))
    known = {
        slot.p.name: v
        for slot, v in zip(slots, values, strict=True)
        if slot.p.type is I64 and isinstance(v, int)
    }
    pairs = [
        (slot, slot.p.type, v)
        for slot, v in zip(slots, values, strict=True)
        if isinstance(slot.p.type, ArrayType) and isinstance(v, ArrayValue)
    ]
    for arg, t, v in pairs:
        arg.learn(t, v, known, frozenset(sig.sizes))
    for x in sig.sizes:
        if x not in known:
            raise _wrong(f"no argument of `{sig.name}` determines the size `{x}`")
    for arg, t, v in pairs:
        if v.shape != tuple(d.eval(known.__getitem__) for d in t.shape):
            raise arg.expected(str(v), known)
    return {x: known[x] for x in sig.sizes}, values


def spread(params: Sequence[Parameter], args: Sequence[ArgValue]) -> tuple[ArgValue, ...]:
    """Return the arguments with each nested one as offsets and elements.

    A parameter ``x'offsets`` before ``x`` takes one argument with it: a sequence of rows, or a
    matrix; ``x'offsets'offsets`` before both takes rows of rows.  If there is an argument for each
    parameter, all stay as they are.  Raises InputError.
    """
    first = offset_places(params)
    if not first or len(args) != len(params) - len(first):
        return tuple(args)
    given = iter(args)
    out: list[ArgValue] = []
    k = 0
    while k < len(params):
        a, levels = next(given), 0
        while k + levels in first:
            levels += 1
        if levels:
            out += taken_apart(k + levels, params[k + levels], a, levels)
        else:
            out.append(a)
        k += levels + 1
    return tuple(out)


def taken_apart(k: int, p: Parameter, a: ArgValue, levels: int) -> list[Data]:
    """Return the offsets, outermost first, and the elements of the k-th argument, which is nested.

    ``p`` is the parameter for the elements.  Raises InputError.
    """
    assert isinstance(p.type, ArrayType)
    found: list[Data] = []
    rows = _rows(a)
    for _ in range(levels - 1):
        found.append(_offsets([len(_rows(x)) for x in rows]))
        rows = [y for x in rows for y in _rows(x)]
    made = [_row(k, p, x) for x in rows]
    empty = _row(k, p, [])
    return [
        *found,
        _offsets([len(x) for x in made]),
        np.concatenate([empty, *made]) if made else empty,
    ]


def _offsets(lengths: list[int]) -> Data:
    """Return where rows of these lengths begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)


def _rows(a: ArgValue) -> Sequence[ArgValue]:
    if isinstance(a, ArrayValue):
        a = a.data
    if isinstance(a, np.ndarray):
        return list(a) if a.ndim > 1 else [a] if a.size else []
    return a if isinstance(a, list | tuple) else [a]


def _row(k: int, p: Parameter, a: ArgValue) -> Data:
    """Return a row of the k-th argument, whose elements are those of the array ``p``."""
    v = _Argument(k, p).value(a)
    assert isinstance(v, ArrayValue)
    return v.data


@frozen
class _Argument:
    """The ``k``-th argument on its way to parameter ``p``."""

    k: int
    p: Parameter

    def wrong(self, what: str, hint: str = "", command: str | None = None) -> InputError:
        return _wrong(f"argument {self.k} (`{self.p.name}`): {what}", hint, command)

    def expected(
        self, got: str, known: Mapping[Name, int], hint: str = "", command: str | None = None
    ) -> InputError:
        shape = self.p.type.shape if isinstance(self.p.type, ArrayType) else ()
        names = sorted({x for d in shape for x in d.free() if x in known})
        where = f" with {', '.join(f'{x} = {known[x]}' for x in names)}" if names else ""
        return self.wrong(f"expected {self.p.type}{where}, got {got}", hint, command)

    def other_type(self, a: "Data | np.generic", t: ScalarType, where: str = "") -> InputError:
        """Return the error for a numpy value of another type; the hint tells how to convert it."""
        x = "a" if where else self.p.name
        rank = len(self.p.type.shape) if isinstance(self.p.type, ArrayType) else 0
        numpy = "np.bool_" if t is BOOL else f"np.{_NUMPY_NAME[t]}"
        how = f"{x}.astype({numpy})" if a.ndim else f"{numpy}({x})"
        fits = a.dtype != dtype(t) and a.dtype.kind in "biuf" and (where or a.ndim == rank)
        if not fits:
            return self.expected(_describe(a) + where, {})
        command = f"write numbers without a type, or with the suffix `{t}`"
        return self.expected(_describe(a) + where, {}, f"numpy converts it: `{how}`", command)

    def value(self, a: ArgValue) -> Value:
        """Return the argument as a value of the parameter's element type and rank."""
        match self.p.type:
            case ScalarType() as t:
                return self.scalar(a, t)
            case ArrayType(elem, shape):
                v = self.array(a, elem)
                if v.data.dtype != dtype(elem) and widens(v.data.dtype, elem):
                    v = ArrayValue(v.data.astype(dtype(elem)), v.defined)
                if v.data.dtype != dtype(elem) or v.data.ndim != len(shape):
                    if isinstance(a, np.ndarray):
                        raise self.other_type(a, elem)
                    raise self.expected(_describe(v.data), {})
                return v

    def scalar(self, a: ArgValue, t: ScalarType) -> ScalarValue:
        match a:
            case np.generic() | np.ndarray():  # first: numpy's float64 is also a Python float
                if a.ndim or not widens(a.dtype, t):
                    raise self.other_type(a, t)
                return a.astype(dtype(t)).item()  # type: ignore[no-any-return]
            case bool() if t is BOOL:
                return a
            case int() if t.is_int and not isinstance(a, bool):
                if not is_value(a, t):
                    raise self.wrong(f"{_number(a)} is out of range for {t}")
                return a
            case int() | float() if t.is_float and not isinstance(a, bool):
                v = normalise(a, t)
                if math.isinf(v) and not (isinstance(a, float) and math.isinf(a)):
                    raise self.wrong(f"{_number(a)} is out of range for {t}")
                return v
            case _:
                found = self.foreign(a)
                if found is None:
                    raise self.expected(_describe(a), {})
                return self.scalar(found, t)

    def foreign(self, a: object) -> Data | None:
        """Return an array of another library, or None."""
        if isinstance(a, ArrayValue | list | tuple):
            return None
        try:
            return host_array(a)
        except Elsewhere:
            what = f"the elements of this {type(a).__name__} are not in memory of the host"
            raise self.wrong(what, "copy it to the host") from None

    def array(self, a: ArgValue, elem: ScalarType) -> ArrayValue:
        match a:
            case ArrayValue():
                return a
            case np.ma.MaskedArray():
                raise self.wrong(_MASKED)
            case np.ndarray():
                return ArrayValue(np.asarray(a))  # a subclass may redefine indexing
            case list() | tuple():
                return ArrayValue(self.from_sequence(a, elem))
            case _:
                found = self.foreign(a)
                if found is None:
                    raise self.expected(_describe(a), {})
                return ArrayValue(found)

    def from_sequence(self, a: Sequence[ArgValue], elem: ScalarType) -> Data:
        """Return a nested sequence as an array; numpy's own promotion would lose digits."""
        rank = len(self.p.type.shape) if isinstance(self.p.type, ArrayType) else 0
        for x in _arrays_in(a, rank):
            if isinstance(x, np.ma.MaskedArray):
                raise self.wrong(_MASKED)
            if not widens((found := np.asarray(x)).dtype, elem):
                raise self.other_type(found, elem, _INSIDE)
        try:
            cells = np.array(a, dtype=np.object_)
        except ValueError:  # arrays, not all of the same length
            raise self.wrong(_RAGGED) from None
        flat = [self.cell(x, elem) for x in cells.ravel().tolist()]
        return np.array(flat, dtype=dtype(elem)).reshape(cells.shape)

    def cell(self, x: ArgValue, elem: ScalarType) -> ScalarValue:
        if isinstance(x, list | tuple | ArrayValue) or (isinstance(x, np.ndarray) and x.ndim):
            raise self.wrong(_RAGGED)
        if isinstance(x, np.generic) and not widens(x.dtype, elem):
            raise self.other_type(x, elem, _INSIDE)
        return self.scalar(x, elem)

    def learn(
        self, t: ArrayType, v: ArrayValue, known: dict[Name, int], sizes: frozenset[Name]
    ) -> None:
        """Bind the sizes that are dimensions of ``t``; check those that are known already."""
        before = dict(known)
        for d, n in zip(t.shape, v.shape, strict=True):
            x = d.as_name
            if x is not None and x in sizes:
                known.setdefault(x, n)
            if d.free() <= known.keys() and d.eval(known.__getitem__) != n:
                raise self.expected(str(v), before)


_INSIDE = " in a sequence"
_RAGGED = "the rows of a nested sequence have different lengths"
_MASKED = "a masked array may lack elements: pass the result of `filled`"


def _arrays_in(a: Sequence[ArgValue], levels: int) -> Iterator[IsArray]:
    """Yield the arrays in a nested sequence, whose element type numpy would forget."""
    for x in a:
        if isinstance(x, list | tuple):
            if levels > 1:
                yield from _arrays_in(x, levels - 1)
        elif not isinstance(x, int | float | np.generic) and isinstance(x, IsArray):
            yield x


def _wrong(what: str, hint: str = "", command: str | None = None) -> InputError:
    return InputError(Diagnostic(NOWHERE, "argument", what, hint, command=command))


def _show_shape(shape: Sequence[int | Size]) -> str:
    return "".join(f"[{n}]" for n in shape)


_LONG = 256
"""Cap on the bits of an integer in a message; Python may refuse to print longer ones."""


def _number(a: float) -> str:
    """Return a number that a caller passed, as text."""
    long = isinstance(a, int) and a.bit_length() > _LONG
    return f"an integer of {int(a).bit_length()} bits" if long else str(a)


def _describe(a: ArgValue) -> str:
    """Return the type of an argument as text, in the program's terms if possible."""
    match a:
        case ArrayValue():
            return str(a)
        case np.ndarray() | np.generic():
            t = elem_type(a.dtype)
            return _show_shape(a.shape) + (str(t) if t is not None else str(a.dtype))
        case int() if a.bit_length() > _LONG:
            return _number(a)
        case bool() | int() | float():
            return f"the {type(a).__name__} {a}"
        case _:
            return f"a {type(a).__name__}"


# ---------------------------------------------------------------------- comparison


@frozen
class Bound:
    """``|a - b| <= absolute + relative * |a|``; infinities must be equal."""

    relative: float
    absolute: float


@frozen
class Tolerance:
    """Allowed differences of elements of each float type; other types must be equal."""

    f16: Bound = field(default=Bound(4e-3, 1e-4))
    f32: Bound = field(default=Bound(1e-4, 1e-6))
    f64: Bound = field(default=Bound(1e-9, 1e-12))

    def bound(self, t: ScalarType) -> Bound | None:
        return {F16: self.f16, F32: self.f32, F64: self.f64}.get(t)


def agree(
    expected: Sequence[Value],
    got: Sequence[Value],
    *,
    tolerance: Tolerance | None = None,
    types: Sequence[ScalarType | ArrayType] = (),
) -> str | None:
    """Return None if two results are the same, else the first difference in words.

    Without a tolerance, floats are compared by their bits; all NaNs are one value.  An element that
    is undefined in ``expected`` matches anything; one that is undefined only in ``got`` differs.  A
    float scalar has no type of its own: without ``types``, those of the results, it is compared as
    f32 if both sides are values of f32.
    """
    if len(expected) != len(got):
        return f"expected {len(expected)} result(s), got {len(got)}"
    for k, (a, b) in enumerate(zip(expected, got, strict=True), 1):
        difference = _difference(a, b, tolerance, types[k - 1] if types else None)
        if difference is not None:
            return f"result {k}{difference}"
    return None


def _difference(
    a: Value, b: Value, tolerance: Tolerance | None, t: ScalarType | ArrayType | None
) -> str | None:
    match a, b:
        case ArrayValue(), ArrayValue():
            if a.shape != b.shape or a.data.dtype != b.data.dtype:
                return f": expected {a}, got {b}"
            return _array_difference(a, b, tolerance)
        case (ArrayValue(), _) | (_, ArrayValue()):
            return f": expected {_describe(a)}, got {_describe(b)}"
        case _:
            if type(a) is not type(b):
                return f": expected {_describe(a)}, got {_describe(b)}"
            same = _same_scalar(a, b, t, tolerance) if isinstance(a, float) else a == b
            return None if same else f": expected {a}, got {b}"


def _same_scalar(
    a: ScalarValue, b: ScalarValue, t: ScalarType | ArrayType | None, tolerance: Tolerance | None
) -> bool:
    """True if two floats agree as values of the first type that contains both."""
    types = (t if isinstance(t, ScalarType) else F32, F64)
    t = next(t for t in types if is_value(a, t) and is_value(b, t))
    return bool(_same(np.array(a, dtype(t)), np.array(b, dtype(t)), t, tolerance).all())


def _array_difference(a: ArrayValue, b: ArrayValue, tolerance: Tolerance | None) -> str | None:
    different = ~_same(a.data, b.data, a.elem, tolerance)
    if b.defined is not None:
        different |= ~b.defined
    if a.defined is not None:
        different &= a.defined
    count = int(np.count_nonzero(different))
    if not count:
        return None
    at = tuple(int(i) for i in np.argwhere(different)[0])
    seen = b.data[at] if b.defined is None or b.defined[at] else "an undefined element"
    rest = f" ({count} of {a.data.size} elements differ)" if a.data.size > 1 else ""
    return f"[{', '.join(map(str, at))}]: expected {a.data[at]}, got {seen}{rest}"


def _same(a: Data, b: Data, t: ScalarType, tolerance: Tolerance | None) -> Mask:
    """Return a mask of the elements in which two arrays of one shape and type agree."""
    if not t.is_float:
        return np.asarray(a == b)
    bits = np.dtype(f"u{t.bytes}")
    both_nan = np.isnan(a) & np.isnan(b)
    same: Mask = (np.ascontiguousarray(a).view(bits) == np.ascontiguousarray(b).view(bits)).reshape(
        a.shape
    ) | both_nan
    bound = None if tolerance is None else tolerance.bound(t)
    if bound is None:
        return same
    with np.errstate(all="ignore"):
        x, y = a.astype(np.float64), b.astype(np.float64)
        close = np.abs(x - y) <= bound.absolute + bound.relative * np.abs(x)
        return np.asarray(same | (close & np.isfinite(x) & np.isfinite(y)))
