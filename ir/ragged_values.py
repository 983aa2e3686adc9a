"""Ragged results: rows for a caller, made from the offsets and elements of an engine.

Ragged arguments are taken apart by :func:`funmem.ir.values.spread`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias, cast

from funmem.ir.fun import ArrayType
from funmem.ir.ragged import offsets_of
from funmem.ir.scalars import I64
from funmem.ir.signature import Parameter, offset_places
from funmem.ir.values import ArrayValue, Data, Value, spread, taken_apart

Rows: TypeAlias = "list[Data] | list[Rows]"
"""The rows of a ragged array, or rows of these."""


def nested(
    results: Sequence[tuple[Value, Parameter]],
) -> Iterator[tuple[Value | Rows, Parameter]]:
    """Yield results with offsets and elements as rows, under the name of the elements."""
    first = offset_places([p for _, p in results])
    k = 0
    while k < len(results):
        levels = 0
        while k + levels in first:
            levels += 1
        parts = [v for v, _ in results[k : k + levels + 1]]
        _, p = results[k + levels]
        data = [v.data for v in parts if isinstance(v, ArrayValue)]
        yield (rows_of_all(data) if levels else parts[0]), p
        k += levels + 1


def spelled(
    results: Sequence[Value | Rows], params: Sequence[Parameter]
) -> list[tuple[Value, Parameter]]:
    """Return results without nesting: rows are offsets and elements, with names of their own.

    ``params`` are the results as a signature has them: with offsets, or with an array for rows.
    """
    found: list[tuple[Value, Parameter]] = []
    for v, p in zip(spread(params, results), params, strict=True):
        if isinstance(v, list):
            found += _spelled(v, p)
        else:
            plain = isinstance(v, ArrayValue | bool | int | float)
            found.append((cast("Value", v) if plain else ArrayValue(cast("Data", v)), p))
    return found


def _spelled(rows: Rows, p: Parameter) -> Iterator[tuple[Value, Parameter]]:
    assert isinstance(p.type, ArrayType)
    *outer, inner = p.type.shape
    params = [Parameter(p.name, ArrayType(p.type.elem, (inner,)))]
    for size in reversed(outer):
        params.insert(0, Parameter(offsets_of(params[0].name), ArrayType(I64, (size + 1,))))
    parts = taken_apart(1, params[-1], rows, len(outer))
    yield from zip(map(ArrayValue, parts), params, strict=True)


def rows_of_all(parts: Sequence[Data]) -> Rows:
    """Return the rows of offsets, outermost first, and elements."""
    *offsets, data = parts
    rows: Rows = rows_of(offsets[-1], data)
    for ends in reversed(offsets[:-1]):
        rows = [rows[a:b] for a, b in pairwise(ends.tolist())]
    return rows


def rows_of(offsets: Data, data: Data) -> list[Data]:
    """Return the rows as views of the elements."""
    return [data[a:b] for a, b in pairwise(offsets.tolist())]


def flat_rows(rows: Rows) -> list[Data]:
    """Return the innermost rows, in order."""
    found: list[Data] = []
    for x in rows:
        found += flat_rows(x) if isinstance(x, list) else [x]
    return found


def copied(rows: Rows) -> Rows:
    """Return rows of their own memory."""
    return [copied(x) if isinstance(x, list) else x.copy() for x in rows]  # type: ignore[return-value]
