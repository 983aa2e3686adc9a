"""Rows that a loop computes one after the other: first their lengths, then their elements.

    lengths = loop for i < n: of row i           offsets = 0 ++ scan + lengths
    filled  = loop for i < n: the elements of row i, from offsets[i]

The loop runs twice, so that each row is written once, at its place.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import unsized
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.passes.core.flatten_nested import combine
from funmem.passes.core.flatten_nested.state import (
    INTS,
    Deep,
    Ragged,
    Refused,
    State,
    Stored,
    at,
    elem_of,
    iota,
    minus,
    names_of,
    of_names,
    one,
    plus,
    prefixes,
    rank,
    zero,
)

OfRow: TypeAlias = Callable[[Exp, tuple[Exp | Stored, ...]], list[Exp]]
"""The next values of a loop's parameters, of the row's index and of what the row computes."""
Run: TypeAlias = Callable[[Sequence[c.Binder], Sequence[Exp], OfRow], list[Name]]
"""Binds a loop over the rows with these parameters, which are first such values."""


def filled(s: State, types: Sequence[c.Type], n: Exp, run: Run) -> tuple[Name | Stored, ...]:
    """Bind, for each type, a value of n rows of this type: an array of numbers, or rows."""
    places = _lengths(s, types, n, run) if any(map(rank, types)) else [()] * len(types)
    first: list[Exp] = []
    params: list[c.Binder] = []
    out: list[tuple[Name, ...]] = []
    for t, ends in zip(types, places, strict=True):
        d, elem = rank(t), elem_of(c.Array(t))
        start: list[Exp] = []
        for k in range(d - 1):  # the offsets of inner rows, whose first one is 0
            start.append(c.Replicate(plus(at(ends[k], n), one()), zero()))
        start.append(c.Scratch(at(ends[-1], n) if ends else n, elem))
        names = tuple(s.fresh("filled") for _ in start)
        out.append(names)
        first += start
        params += [
            c.Binder(x, c.Array(elem) if k == len(start) - 1 else INTS) for k, x in enumerate(names)
        ]
    s.types |= {p.name: p.type for p in params}

    def fill(i: Exp, found: tuple[Exp | Stored, ...]) -> list[Exp]:
        new: list[Exp] = []
        for x, names, ends in zip(found, out, places, strict=True):
            new += _placed(s, x, names, ends, i)
        return new

    done = run(params, first, fill)
    found: list[Name | Stored] = []
    for t, ends in zip(types, places, strict=True):
        own, done = done[: max(rank(t), 1)], done[max(rank(t), 1) :]
        found.append(of_names((ends[0], *own), elem_of(c.Array(t))) if ends else own[0])
    return tuple(found)


def _lengths(s: State, types: Sequence[c.Type], n: Exp, run: Run) -> list[tuple[Name, ...]]:
    """Bind, for each result, where each row begins: among the rows, and among their elements."""
    params = [c.Binder(s.fresh("lengths"), INTS) for t in types for _ in range(rank(t))]
    s.types |= {p.name: p.type for p in params}

    def note(i: Exp, found: tuple[Exp | Stored, ...]) -> list[Exp]:
        sizes = [size for x, t in zip(found, types, strict=True) for size in _sizes(s, x, t)]
        given = zip(params, sizes, strict=True)
        return [c.Update(c.Var(p.name), (c.Fix(i),), size) for p, size in given]

    first: list[Exp] = [c.Scratch(n, I64) for _ in params]
    counts = iter(run(params, first, note))
    return [tuple(prefixes(s, c.Var(next(counts))) for _ in range(rank(t))) for t in types]


def stored_part(s: State, x: Exp | Stored) -> Exp | Stored:
    """Bind an expression, so that its value can be used more than once."""
    if isinstance(x, Ragged | Deep):
        return x
    t = unsized(s.type(x))
    if rank(t) > 1:
        return combine.of_regular(s, x, t)
    if isinstance(x, c.Var | c.Const):
        return x
    return c.Var(s.let("row", t, x))


def _sizes(s: State, x: Exp | Stored, t: c.Type) -> list[Exp]:
    """Return how many rows a row has, how many they have, …, and how many elements."""
    if rank(t) == 0:
        return []
    if isinstance(x, Ragged | Deep):
        return _counts(s, x)
    if rank(t) > 1:
        raise Refused("a matrix in each row")
    return [c.Length(x)]


def _counts(s: State, x: Stored) -> list[Exp]:
    return [s.rows(x), *(_counts(s, x.inner) if isinstance(x, Deep) else [s.total(x)])]


def _placed(
    s: State, x: Exp | Stored, names: tuple[Name, ...], ends: tuple[Name, ...], i: Exp
) -> list[Exp]:
    """Return the arrays of a result with those of row ``i`` at their places."""
    if not ends:
        assert not isinstance(x, Ragged | Deep)
        return [c.Update(c.Var(names[0]), (c.Fix(i),), x)]
    parts = [c.Var(y) for y in names_of(x)] if isinstance(x, Ragged | Deep) else [x]
    found: list[Exp] = []
    for k, part in enumerate(parts):
        last = k == len(parts) - 1
        lo, hi = at(ends[k], i), at(ends[k], plus(i, one()))
        if last:
            where = c.Range(lo, hi, None)
            found.append(c.Update(c.Var(names[k]), (where,), part))
            continue
        q, before = s.fresh("k"), at(ends[k + 1], i)
        moved = plus(at(part, plus(c.Var(q), one())), before)
        count = minus(hi, lo)
        own = c.Map(c.Lambda((c.Binder(q, I64),), moved), (iota(count),))
        where = c.Range(plus(lo, one()), plus(hi, one()), None)
        found.append(c.Update(c.Var(names[k]), (where,), own))
    return found
