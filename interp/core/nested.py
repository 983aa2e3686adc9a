"""Arguments of Core that are nested lists of rows of different lengths."""

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

import numpy as np

from funmem.interp.core.values import Dims
from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.core_traverse import unsized
from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError
from funmem.ir.fun import ArrayType
from funmem.ir.messages import OFFSETS
from funmem.ir.ragged_values import Rows as Nested
from funmem.ir.ragged_values import rows_of_all
from funmem.ir.scalars import ScalarType
from funmem.ir.signature import Parameter
from funmem.ir.values import ArgValue, ArrayValue, Data, dtype, taken_apart


def rank(t: Type) -> int:
    """Return the number of dimensions of a type."""
    return 1 + rank(t.elem) if isinstance(t, c.Array) else 0


def rows_of_any_length(t: Type) -> bool:
    """True for an array of arrays whose type states no inner size."""
    if not isinstance(t, c.Array) or not isinstance(t.elem, c.Array):
        return False
    return t.elem == unsized(t.elem)


def nested(k: int, p: Parameter, a: ArgValue) -> Nested:
    """Return the k-th argument as rows.  Raises InputError if an element does not fit."""
    assert isinstance(p.type, ArrayType)
    elements = Parameter(p.name, ArrayType(p.type.elem, p.type.shape[-1:]))
    return rows_of_all(taken_apart(k, elements, a, len(p.type.shape) - 1))


def joined(args: Sequence[ArgValue], types: Sequence[Type]) -> Sequence[ArgValue]:
    """Return arguments with rows where all have offsets and elements; others as they are.

    Raises InputError if offsets do not rise from 0 to the number of elements.
    """
    levels = [rank(t) - 1 if rows_of_any_length(t) else 0 for t in types]
    if not any(levels) or len(args) != len(types) + sum(levels):
        return args
    given = iter(args)
    parts = [[next(given) for _ in range(n + 1)] for n in levels]
    return [_joined(x) if len(x) > 1 else x[0] for x in parts]


def _joined(parts: Sequence[ArgValue]) -> Nested:
    data = [x.data if isinstance(x, ArrayValue) else np.asarray(x) for x in parts]
    if isinstance(parts[-1], list | tuple):  # its numbers have no type yet: slices keep them
        data[-1] = cast("Data", parts[-1])
    for ends, inside in pairwise(data):
        last = len(inside) - (inside is not data[-1])
        rises = ends.ndim == 1 and ends.dtype.kind in "iu" and ends.size and ends[0] == 0
        if not rises or ends[-1] != last or (np.diff(ends) < 0).any():
            raise InputError(Diagnostic(NOWHERE, "argument", OFFSETS.format(last)))
    return rows_of_all(data)


def outer(rows: Nested, t: Type) -> Data:
    """Return an array that has as many rows, without elements: it determines the outer size."""
    elem = t
    while isinstance(elem, c.Array):
        elem = elem.elem
    assert isinstance(elem, ScalarType)
    return np.zeros((len(rows), *[0] * (rank(t) - 1)), dtype(elem))


def inner(x: "Data | Nested", row: Type) -> Dims:
    """Return the sizes of the rows of an array, each of a type; those of a list are unknown."""
    return x.shape[1:] if isinstance(x, np.ndarray) else (None,) * rank(row)
