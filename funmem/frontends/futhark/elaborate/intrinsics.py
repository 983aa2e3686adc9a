"""The intrinsics as Core: one operation for each ``intrinsics.x``."""

from collections.abc import Callable
from typing import TypeAlias

from funmem.frontends.futhark.elaborate.context import i64
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BinOp

MakeIntrinsic: TypeAlias = Callable[[tuple[Exp, ...], Span], Exp]
"""Makes the Core of an intrinsic from its size arguments, then its other arguments."""


def _map(args: tuple[Exp, ...], at: Span) -> Exp:
    return c.Map(args[0], args[1:], at)


def _zip(args: tuple[Exp, ...], at: Span) -> Exp:
    return c.Zip(tuple((str(k), e) for k, e in enumerate(args)), at)


def _unzip(args: tuple[Exp, ...], at: Span) -> Exp:
    return c.Unzip(args[0], at)


def _iota(args: tuple[Exp, ...], at: Span) -> Exp:
    """Return ``iota n``, the range ``0..1..<n``, with its check; n is an atom."""
    (n,) = args
    valid = c.Bin(BinOp.GE, n, i64(0), at)
    made = c.Iota(n, i64(0), i64(1), at)
    return c.Assert(valid, "Range 0..1..<{} is invalid.", args, made, at)


def _scatter(args: tuple[Exp, ...], at: Span) -> Exp:
    dest, indices, values = args
    return c.Scatter(dest, indices, values, at)


def _hist(args: tuple[Exp, ...], at: Span) -> Exp:
    dest, op, ne, indices, values = args
    return c.Hist(op, (ne,), (dest,), indices, (values,), at)


def _flat_index(args: tuple[Exp, ...], at: Span) -> Exp:
    array, offset, *rest = args
    return c.FlatSlice(array, offset, tuple(zip(rest[::2], rest[1::2], strict=True)), at)


def _flat_update(args: tuple[Exp, ...], at: Span) -> Exp:
    array, offset, *strides, value = args
    return c.FlatUpdate(array, offset, tuple(strides), value, at)


MAKE: dict[str, tuple[int, MakeIntrinsic]] = {
    "map": (2, _map),
    "map2": (3, _map),
    "map3": (4, _map),
    "map4": (5, _map),
    "map5": (6, _map),
    "reduce": (3, lambda a, at: c.Reduce(a[0], (a[1],), (a[2],), False, at)),
    "reduce_comm": (3, lambda a, at: c.Reduce(a[0], (a[1],), (a[2],), True, at)),
    "scan": (3, lambda a, at: c.Scan(a[0], (a[1],), (a[2],), at)),
    "scatter": (3, _scatter),
    "scatter_2d": (3, _scatter),
    "scatter_3d": (3, _scatter),
    "hist": (5, _hist),
    "hist_2d": (5, _hist),
    "hist_3d": (5, _hist),
    "filter": (2, lambda a, at: c.Filter(a[0], a[1], at)),
    "iota": (1, _iota),
    "replicate": (2, lambda a, at: c.Replicate(a[0], a[1], at)),
    "length": (1, lambda a, at: c.Length(a[0], 0, at)),
    "concat": (2, lambda a, at: c.Concat(a, at)),
    "transpose": (1, lambda a, at: c.Rearrange((1, 0), a[0], at)),
    "reverse": (1, lambda a, at: c.Reverse(a[0], at)),
    "flatten": (1, lambda a, at: c.Flatten(2, a[0], at)),
    "unflatten": (3, lambda a, at: c.Unflatten(a[:2], a[2], at)),
    "copy": (1, lambda a, at: c.Copy(a[0], at)),
    "zip2": (2, _zip),
    "zip3": (3, _zip),
    "zip4": (4, _zip),
    "zip5": (5, _zip),
    "unzip2": (1, _unzip),
    "unzip3": (1, _unzip),
    "unzip4": (1, _unzip),
    "unzip5": (1, _unzip),
    "flat_index_1d": (4, _flat_index),
    "flat_index_2d": (6, _flat_index),
    "flat_index_3d": (8, _flat_index),
    "flat_index_4d": (10, _flat_index),
    "flat_update_1d": (4, _flat_update),
    "flat_update_2d": (5, _flat_update),
    "flat_update_3d": (6, _flat_update),
    "flat_update_4d": (7, _flat_update),
}
