"""Scans and what follows them (F5), (F6).

(F5) The last element of a scan of integers is their reduction, which does not wait for the scan:

     let (upto : [n]i64) = kernel i < n scan (op) (ne) do b in (x)
     … let (all : i64) = upto[n - 1]
     ->
     let (total : i64) = kernel i < n reduce (op) (ne) do b in (x)
     let (upto : [n]i64) = kernel i < n scan (op) (ne) do b in (x)
     … let (all : i64) = total

(F6) A scan moves to the map that reads it; ``schedule`` computes both in one pass.

Conditions of (F5): (11) the index is provably in bounds and the last one; (12) operands are
integers or booleans, whose operators are associative without rounding, and ``b`` is cheap and
cannot trap (again.py).  Conditions of (F6): those of (F4) for moving a kernel; no statement between
reads the scan.
"""

from collections.abc import Mapping, Sequence

from funmem.ir.arith import expanded
from funmem.ir.fun import Ann, Binder, Body, Index, Kernel, Map, Reduce, Scan, Stm, Var
from funmem.ir.logic.body_facts import At, BodyFacts
from funmem.ir.logic.facts import PointFacts
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size
from funmem.ir.substitute import freshen_body
from funmem.ir.traverse import free_in_exp, free_in_stm, sub_bodies, walk, with_bodies
from funmem.passes.fun.fuse.again import cheap_again
from funmem.passes.fun.fuse.aliases import Aliases
from funmem.passes.fun.fuse.conditions import (
    Refusal,
    not_consumed,
    only_read,
    same_iterations,
    traps_of,
)
from funmem.passes.fun.fuse.traps import bound_only, commute, effects, effects_of_all


def with_totals(b: Body[Ann], start: At, fresh: Fresh) -> Body[Ann]:
    """Apply (F5) to the scans of a body."""
    places = BodyFacts(b.stms, start)
    out: list[Stm[Ann]] = []
    rest = list(b.stms)
    for q, s in enumerate(b.stms):
        found = _scan(s)
        later = rest[q + 1 :]
        if found is not None and _reads_elements(later, s) and _exact_and_cheap(s, places.at(q)):
            totals = {p.name: fresh("total") for p in s.pat}
            image = dict(totals)
            size = found.dims[0].size
            after = places.of_changed(rest)
            new = [_with_total(t, q + 1 + k, after, size, image) for k, t in enumerate(later)]
            if any(x is not y for x, y in zip(new, later, strict=True)):
                out.append(_reduction(s, found, totals, fresh))
                rest[q + 1 :] = new
        out.append(rest[q])
    return evolve(b, stms=tuple(out))


def _scan(s: Stm[Ann]) -> Kernel[Ann] | None:
    """Return the kernel of a scan of one dimension without mapped results; None for another."""
    e = s.exp
    if not (isinstance(e, Kernel) and isinstance(e.collective, Scan) and len(e.dims) == 1):
        return None
    return e if len(e.collective.ne) == len(s.pat) else None


def _reads_elements(later: Sequence[Stm[Ann]], s: Stm[Ann]) -> bool:
    made = {p.name for p in s.pat}
    whole = walk(Body(tuple(later), ()))
    return any(isinstance(t.exp, Index) and t.exp.x in made for t in whole)


def _exact_and_cheap(s: Stm[Ann], known: PointFacts) -> bool:
    """(12) The reduction has exactly the value of the last element, and costs little."""
    e = s.exp
    assert isinstance(e, Kernel)
    assert isinstance(e.collective, Scan)
    types = (p.type for p in e.collective.op.params)
    exact = all(isinstance(t, ScalarType) and not t.is_float for t in types)
    return exact and cheap_again(s, traps_of(s, known), known) is None


def _with_total(
    s: Stm[Ann], q: int, places: BodyFacts, size: Size, totals: Mapping[Name, Name]
) -> Stm[Ann]:
    """Return statement ``q`` with totals in place of last elements (11)."""
    e = s.exp
    if isinstance(e, Index) and e.x in totals:
        last = _last(e.index[0], size, places.at(q))
        return evolve(s, exp=Var(totals[e.x])) if last else s
    bodies = sub_bodies(s.exp)
    new = [_in_body(b, places.inside(q, s.exp, k), size, totals) for k, b in enumerate(bodies)]
    if all(x is y for x, y in zip(new, bodies, strict=True)):
        return s
    return evolve(s, exp=with_bodies(s.exp, new))


def _in_body(b: Body[Ann], start: At, size: Size, totals: Mapping[Name, Name]) -> Body[Ann]:
    if not any(isinstance(t.exp, Index) and t.exp.x in totals for t in walk(b)):
        return b
    places = BodyFacts(b.stms, start)
    new = [_with_total(s, q, places, size, totals) for q, s in enumerate(b.stms)]
    if all(x is y for x, y in zip(new, b.stms, strict=True)):
        return b
    return evolve(b, stms=tuple(new))


def _last(i: Size, n: Size, known: PointFacts) -> bool:
    """True if ``i`` is in bounds, and n - 1 modulo 2^64, so that it is n - 1."""
    return known.indexes(i, n) and expanded(i, known.values) == n - 1


def _reduction(s: Stm[Ann], e: Kernel[Ann], totals: Mapping[Name, Name], fresh: Fresh) -> Stm[Ann]:
    """Return the reduction of what a scan folds."""
    scan = e.collective
    assert isinstance(scan, Scan)
    lanes = scan.op.params[: len(scan.ne)]
    pat = tuple(
        Binder[Ann](totals[p.name], a.type, None, p.at) for p, a in zip(s.pat, lanes, strict=True)
    )
    whole = Kernel(e.dims, Reduce(scan.op, scan.ne, False), e.body)
    (copy,) = freshen_body(Body((Stm(pat, whole, s.at),), ()), fresh).stms
    return evolve(copy, pat=pat)


def beside_maps(b: Body[Ann], start: At, aliases: Aliases) -> Body[Ann]:
    """Apply (F6) to the scans of a body."""
    stms = list(b.stms)
    for s in b.stms:
        if _scan(s) is None:
            continue
        q = next(k for k, t in enumerate(stms) if t is s)
        r = _reader(s, stms, q)
        if r is None or r == q + 1:
            continue
        if _may_move(s, stms[q + 1 : r], BodyFacts(stms, start).at(q), aliases):
            stms[q:r] = [*stms[q + 1 : r], s]
    return evolve(b, stms=tuple(stms))


def _reader(s: Stm[Ann], stms: Sequence[Stm[Ann]], q: int) -> int | None:
    """Return the position of the first statement that uses a scan, if it is a map whose iteration i
    reads element i only; None otherwise.
    """
    made = frozenset(p.name for p in s.pat)
    for r in range(q + 1, len(stms)):
        if made.isdisjoint(free_in_stm(stms[r])):
            continue
        e = stms[r].exp
        if not (isinstance(e, Kernel) and isinstance(e.collective, Map) and len(e.dims) == 1):
            return None
        return r if reads_scan(s, e) else None
    return None


def reads_scan(s: Stm[Ann], e: Kernel[Ann]) -> bool:
    """True if iteration i of a map reads element i of a scan's results, and no other."""
    assert isinstance(s.exp, Kernel)
    made = frozenset(p.name for p in s.pat) & free_in_exp(e)
    reads = only_read(e, made, 1)
    if isinstance(reads, Refusal) or not reads:
        return False
    m = same_iterations(s.exp, e, reads, lambda a, b: a == b)
    return not isinstance(m, Refusal) and m.identity


def _may_move(
    s: Stm[Ann], between: Sequence[Stm[Ann]], known: PointFacts, aliases: Aliases
) -> bool:
    later = bound_only(s, known)
    own = effects(s, known)
    return (
        commute(own, effects_of_all(between, later))
        and not_consumed(free_in_exp(s.exp), between, aliases) is None
    )
