"""Smaller inputs and interfaces: entry points, results, parameters, sizes, values."""

import math
from collections.abc import Iterator

import numpy as np

from funmem.ir.fun import Ann, ArrayType, Atom, Const, Entry, Param, Program
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.signature import signature
from funmem.ir.values import ArrayValue, Value, bind
from funmem.testing.judge.program import Case
from funmem.testing.reduce.edit import substituted, uses
from funmem.testing.reduce.functions import smaller_functions


def smaller_cases(c: Case) -> Iterator[Case]:
    """Yield cases with smaller interfaces and inputs, best first."""
    yield from _one_entry(c)
    yield from (evolve(c, program=p) for p in smaller_functions(c.program))
    yield from fewer_results(c)
    yield from _fewer_parameters(c)
    yield from _smaller_sizes(c)
    yield from _simpler_values(c)


def entry_of(c: Case) -> Entry[Ann]:
    """Return the entry point that is called."""
    return next(e for e in c.program.entries if e.name == c.entry)


def _with_entry(c: Case, e: Entry[Ann]) -> Case:
    entries = tuple(e if o.name == c.entry else o for o in c.program.entries)
    return evolve(c, program=Program(entries, c.program.functions))


def _one_entry(c: Case) -> Iterator[Case]:
    if len(c.program.entries) > 1:
        yield evolve(c, program=Program((entry_of(c),), c.program.functions))


# ---------------------------------------------------------------------- results


def fewer_results(c: Case) -> Iterator[Case]:
    """Yield cases with a single result, and with one result less, without unused result sizes."""
    e = entry_of(c)
    n = len(e.results)
    kept: list[tuple[int, ...]] = [(i,) for i in range(n)] if n > 1 else []
    kept += [tuple(j for j in range(n) if j != i) for i in range(n)] if n > 2 else []
    for which in kept:
        yield _with_entry(c, _keeping(e, which))
    for i in range(len(e.implicit_results)):
        implicit = e.implicit_results[:i] + e.implicit_results[i + 1 :]
        values = e.body.result[:i] + e.body.result[i + 1 :]
        yield _with_entry(
            c, evolve(e, implicit_results=implicit, body=evolve(e.body, result=values))
        )


def _keeping(e: Entry[Ann], which: tuple[int, ...]) -> Entry[Ann]:
    results = tuple(e.results[i] for i in which)
    first = len(e.implicit_results)
    used: set[Name] = set()
    for r in results:
        if isinstance(r.type, ArrayType):
            used.update(*(d.free() for d in r.type.shape))
        if r.home is not None:
            used.add(r.home.block)
    implicit = [(b, a) for b, a in zip(e.implicit_results, e.body.result, strict=False)]
    implicit = [(b, a) for b, a in implicit if b.name in used]
    values: tuple[Atom, ...] = (
        *(a for _, a in implicit),
        *(e.body.result[first + i] for i in which),
    )
    return evolve(
        e,
        implicit_results=tuple(b for b, _ in implicit),
        results=results,
        body=evolve(e.body, result=values),
    )


# ---------------------------------------------------------------------- parameters


def _fewer_parameters(c: Case) -> Iterator[Case]:
    """Yield cases without a parameter: it is unused, or its value replaces a scalar.

    A size that no remaining parameter determines is replaced by its value.
    """
    e = entry_of(c)
    sizes, values = bind(signature(e), c.args)
    used = uses(c.program)
    for i, p in enumerate(e.params):
        b, v = p.binder, values[i]
        image: dict[Name, Atom] = {}
        if isinstance(v, ArrayValue):
            if b.name in used:
                continue
        elif isinstance(b.type, ScalarType):
            image[b.name] = Const(v, b.type)
        params, args = e.params[:i] + e.params[i + 1 :], values[:i] + values[i + 1 :]
        carried = frozenset[Name]().union(*map(_sizes, params))
        if b.name in carried:
            continue
        lost = {x for x in sizes if x not in carried}
        image |= {x: Const(sizes[x], I64) for x in lost}
        gone = lost if b.home is None else lost | {b.home.block}
        implicit = tuple(q for q in e.implicit if q.name not in gone)
        (new,) = substituted(Program((evolve(e, implicit=implicit, params=params),)), image).entries
        yield evolve(_with_entry(c, new), args=args)


def _sizes(p: Param[Ann]) -> frozenset[Name]:
    t = p.binder.type
    if not isinstance(t, ArrayType):
        return frozenset()
    return frozenset[Name]().union(*(d.free() for d in t.shape))


# ---------------------------------------------------------------------- values


def _smaller_sizes(c: Case) -> Iterator[Case]:
    """Yield cases whose arrays are cut off, consistently for each named size."""
    e = entry_of(c)
    sizes, values = bind(signature(e), c.args)
    for x, n in sizes.items():
        for k in sorted({0, 1, 2, 3, n // 2, n - 1}):
            if 0 <= k < n:
                cut = [_cut(p, v, x, k) for p, v in zip(e.params, values, strict=True)]
                yield evolve(c, args=tuple(cut))


def _cut(p: Param[Ann], v: Value, x: Name, k: int) -> Value:
    if not isinstance(v, ArrayValue) or not isinstance(p.binder.type, ArrayType):
        return v
    part = tuple(slice(k) if d.as_name == x else slice(None) for d in p.binder.type.shape)
    return ArrayValue(v.data[part].copy())


def _simpler_values(c: Case) -> Iterator[Case]:
    """Yield cases with smaller numbers; with arrays of zeros or of 0, 1, 2, …"""
    _, values = bind(signature(entry_of(c)), c.args)
    for i, v in enumerate(values):
        for new in _simpler(v):
            yield evolve(c, args=(*values[:i], new, *values[i + 1 :]))


def _simpler(v: Value) -> Iterator[Value]:
    if isinstance(v, ArrayValue):
        zero = np.zeros_like(v.data)
        yield ArrayValue(zero)
        if v.data.size < LARGEST_NUMBERED:
            counted = np.arange(v.data.size).reshape(v.shape)
            yield ArrayValue(counted.astype(v.data.dtype))
    elif isinstance(v, bool):
        yield False
    else:
        t = type(v)
        yield from (t(k) for k in (0, 1, 2, 3))
        if math.isfinite(v):
            yield t(int(v) // 2)


LARGEST_NUMBERED = 100
"""Largest number of elements that are numbered: the numbers fit every type."""


def amount(c: Case) -> tuple[int, int]:
    """Return the number of elements passed, and their distance from the simplest values."""
    elements = far = 0
    for v in bind(signature(entry_of(c)), c.args)[1]:
        if isinstance(v, ArrayValue):
            elements += v.data.size
            far += _distance(v)
        else:
            elements += 1
            far += 20 if not math.isfinite(v) else min(20, abs(int(v)) + (v != int(v)))
    return elements, far


def _distance(v: ArrayValue) -> int:
    """Return 0 for all zeros, 1 for 0, 1, 2, …, and 2 otherwise."""
    if not v.data.any():
        return 0
    counted = np.arange(v.data.size).reshape(v.shape).astype(v.data.dtype)
    return 1 if np.array_equal(v.data, counted) else 2
