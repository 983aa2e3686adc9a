"""Ragged results: rows for a caller, made from the offsets and elements of an engine.

Ragged arguments are taken apart by :func:`funmem.ir.values.spread`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from funmem.ir.signature import Parameter
from funmem.ir.values import ArrayValue, Data, Value, offset_places

Rows: TypeAlias = "list[Data]"
"""The rows of a ragged array."""


def nested(
    results: Sequence[tuple[Value, Parameter]],
) -> Iterator[tuple[Value | Rows, Parameter]]:
    """Yield results with offsets and elements as rows, under the name of the elements."""
    first = offset_places([p for _, p in results])
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
