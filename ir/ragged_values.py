"""Ragged arguments and results: one nested value for a caller, offsets and elements for engines.

A parameter ``x'offsets`` before ``x`` (:func:`funmem.ir.ragged.offsets_of`) takes one argument with
it: a sequence of rows, or a matrix.  A caller may also pass both arrays, which then are taken as
they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from funmem.ir.fun import ArrayType
from funmem.ir.ragged import offsets_of
from funmem.ir.signature import Parameter
from funmem.ir.values import ArgValue, ArrayValue, Data, Value, row_of_argument

Rows: TypeAlias = "list[Data]"
"""The rows of a ragged array."""


def pairs(params: Sequence[Parameter]) -> frozenset[int]:
    """Return the positions of offsets, each of which is followed by its elements."""
    named = enumerate(pairwise(p.name for p in params))
    return frozenset(k for k, (a, b) in named if a == offsets_of(b))


def spread(params: Sequence[Parameter], args: Sequence[ArgValue]) -> tuple[ArgValue, ...]:
    """Return the arguments with each nested one as offsets and elements.

    They stay as they are if there is one for each parameter.  Raises InputError.
    """
    first = pairs(params)
    if not first or len(args) != len(params) - len(first):
        return tuple(args)
    given = iter(args)
    out: list[ArgValue] = []
    k = 0
    while k < len(params):
        a = next(given)
        if k in first:
            out += _parts(k + 1, params[k + 1], a)
        else:
            out.append(a)
        k += 2 if k in first else 1
    return tuple(out)


def _parts(k: int, p: Parameter, a: ArgValue) -> tuple[Data, Data]:
    """Return the offsets and the elements of a nested argument."""
    assert isinstance(p.type, ArrayType)
    rows = [row_of_argument(k, p, x) for x in _rows(a)]
    lengths = [len(x) for x in rows]
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    empty = row_of_argument(k, p, [])
    return offsets, np.concatenate([empty, *rows]) if rows else empty


def _rows(a: ArgValue) -> Sequence[ArgValue]:
    if isinstance(a, ArrayValue):
        a = a.data
    if isinstance(a, np.ndarray):
        return list(a) if a.ndim > 1 else [a] if a.size else []
    return a if isinstance(a, list | tuple) else [a]


def nested(
    results: Sequence[tuple[Value, Parameter]],
) -> Iterator[tuple[Value | Rows, Parameter]]:
    """Yield results with offsets and elements as rows, under the name of the elements."""
    first = pairs([p for _, p in results])
    k = 0
    while k < len(results):
        v, p = results[k]
        if k in first:
            data, p = results[k + 1]
            assert isinstance(v, ArrayValue)
            assert isinstance(data, ArrayValue)
            yield rows_of(v.data, data.data), p
        else:
            yield v, p
        k += 2 if k in first else 1


def rows_of(offsets: Data, data: Data) -> Rows:
    """Return the rows as views of the elements."""
    return [data[a:b] for a, b in pairwise(offsets.tolist())]
