"""The indices of a scatter: proofs that they are distinct, or that they are all indices.

    iota, or a kernel that computes i*k + c      each iteration has its own index
    (i + c) % n, in n iterations                 likewise
    … where a condition holds                    likewise, among the iterations in which it holds
    ranks                                        a scan with + counts flags that are 0 or 1
    starts                                       a scan with + adds up sizes

Running sums (prefix.py) of nonnegative numbers divide the indices into segments, one for each
iteration, whose length is the iteration's addend.  ``filter`` and ``partition`` add flags that are
0 or 1 and scatter to the only index of the segment; the expansion of an irregular comprehension
adds sizes and scatters to the first index of the segment, if there is one.  ``i + 1 - rank`` counts
the flags that are 0.  Several families of segments are disjoint if one family begins where another
one ends.  An index out of bounds writes nothing (``scatter``), so -1 may occur repeatedly.

Sums do not wrap around if the addends are small (fewer than 2^57 of up to 64), or if they are
guarded: then a sum that overflows stays negative, and an index from it is out of bounds.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import combinations
from types import MappingProxyType
from typing import TypeAlias

from funmem.ir.arith import exp_size
from funmem.ir.fun import Ann, Atom, Concat, Const, Iota, Kernel, KernelDim, Map, Replicate, Stm
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.ir.verify.cases import Iteration
from funmem.ir.verify.certificate import Answer, Argued, Open, Proof, Step
from funmem.ir.verify.ladder import Ladder
from funmem.ir.verify.prefix import Sums, mapped, sums, total
from funmem.ir.verify.scene import OVERFLOW, SLACK, Room, Scene
from funmem.ir.verify.signs import WORD, between, inequalities
from funmem.ir.verify.terms import Case, Cases, Number, Op, PathCondition, certain

MOST_ADDED = WORD
"""Fewer than 2^57 numbers up to this one have a sum that fits i64."""
NO_SUMS: Mapping[Name, Sums] = MappingProxyType({})


def distinct(x: Name, ladder: Ladder) -> Answer:
    """Decide if the elements of a vector of indices are distinct, from the way it was made."""
    condition = Argued(f"the elements of {x} are distinct")
    s = ladder.scene.made_by.get(x)
    match s:
        case Stm(_, Iota(_, _, Const(int(k)))) if 0 < abs(k) <= SLACK:  # i*k does not wrap around
            return Proof(Step.NORMAL_FORM, condition)
        case Stm(pat, Kernel((_,), Map(), body) as e):
            it = _iteration(e, ladder)
            writes = _writes(it.scalar(body.result[[b.name for b in pat].index(x)]))
            facts = ladder.scene.at_end[id(body)].facts
            step = _apart(*writes[0], it, ladder, facts) if len(writes) == 1 else None
            if step is not None:
                return Proof(step, condition)
            if len(writes) == 1 and _rotated(writes[0][1], e.dims[0].size, it):
                return Proof(Step.DIVISORS, condition)
            if _ranked(writes, it, ladder):
                return Proof(Step.VALUES, condition)
        case Stm(_, Concat()) as s:
            it = _iteration_of(x, s, ladder)
            found = mapped(x, it)
            if found is not None and _ranked(_writes(found[0]), it, ladder, found[1]):
                return Proof(Step.VALUES, condition)
        case _:
            pass
    return Open(f"the elements of {x} may repeat", condition)


def equal(x: Name, ladder: Ladder) -> bool:
    """True if all elements of a vector are proved equal."""
    scene = ladder.scene
    match scene.made_by.get(x):
        case Stm(_, Replicate()):
            return True
        case Stm(pat, Kernel((_,), Map(), body) as e):
            it = _iteration(e, ladder)
            cases = it.scalar(body.result[[b.name for b in pat].index(x)])
            return len(cases) == 1 and not it.varies(cases[0].value)
        case _:
            return False


def all_places(x: Name, n: Size, scene: Scene) -> bool:
    """True if every index below ``n`` is proved to be in a vector of indices.

    The indices are ranks, written for all flags of 1, and ``n`` is the total, or 0 if there are no
    flags.  Or they are the iterations' indices, ascending or descending, possibly rotated.
    """
    match scene.made_by.get(x):
        case Stm(_, Iota(size, start, Const(int(k)))) as s if k in (1, -1):
            first = exp_size(start, scene.exact)
            i = Name(f"{x}.i")
            return first is not None and _are_all(first + var(i) * k, i, size, n, scene.facts_at(s))
        case Stm(_, Concat()):
            return _chunks_rank_all(x, n, scene)
        case Stm(pat, Kernel((d,), Map(), body) as e) as s:
            pass
        case _:
            return False
    if _are_all_indices(body.result[[b.name for b in pat].index(x)], e, s, n, scene):
        return True
    a = body.result[[b.name for b in pat].index(x)]
    return any(_ranks_all(it.scalar(a), d.size, n, it) for it in _iterations(d, scene))


def _chunks_rank_all(x: Name, n: Size, scene: Scene) -> bool:
    """True if a vector that the loops of a scan make (prefix.py) holds every index below ``n``."""
    (size,) = scene.types[x].shape
    d = KernelDim(Name(f"{x}.i"), size)
    for it in _iterations(d, scene):
        it.varying.add(d.index)
        found = mapped(x, it)
        if found is not None and _ranks_all(found[0], size, n, it, found[1]):
            return True
    return False


def _iterations(d: KernelDim, scene: Scene) -> Iterator[Iteration]:
    """Yield models of an iteration of a kernel that may have none.

    The first model treats names in the number of iterations as opaque: if filters follow one
    another, that number is the total of the last one.
    """
    for opaque in (d.size.free(), frozenset[Name]()):
        it = Iteration(scene, d.index, lambda _: False, lambda _: False)
        it.known.update({x: certain(it.variable(x)) for x in opaque})
        yield it


def _ranks_all(
    cases: Cases, size: Size, n: Size, it: Iteration, given: Mapping[Name, Sums] = NO_SUMS
) -> bool:
    """True if a scalar is the rank of an iteration's flag, and ``n`` the total of all flags of
    ``size`` iterations.  ``given``: sums that no array holds.
    """
    writes = _writes(cases)
    length = n.as_name
    sums_of = cache(lambda a: given[a] if a in given else sums(a, it))
    if length is None or not writes or (segments := _segments_of(*writes[0], it, sums_of)) is None:
        return False
    flags = sums_of(segments.scanned)
    others = [c.path for c in cases if _segments_of(c.path, _i64(c), it, sums_of) != segments]
    return (
        flags is not None
        and flags.at_most(1, it)
        and segments == _Segments(ZERO, segments.scanned)
        and flags.length == size
        and _never(flags.addend, others, it)
        and all(_is_length(_i64(c), segments.scanned, it, sums_of) for c in it.name(length))
    )


def _are_all_indices(a: Atom, e: Kernel[Ann], s: Stm[Ann], n: Size, scene: Scene) -> bool:
    """True if a scalar takes every value below ``n`` over the iterations of a kernel."""
    (d,) = e.dims
    facts, room = scene.at_end[id(e.body)].facts, scene.room[id(e.body)]
    it = Iteration(scene, d.index, lambda _: False, lambda p: room.fits(p, facts))
    it.open(e)
    match it.scalar(a):
        case (Case((), Number() as place),):
            own = it.varying - {d.index}
            plain = place.p.free().isdisjoint(own)
            if plain and _are_all(place.p, d.index, d.size, n, scene.facts_at(s)):
                return True
            return n == d.size and _rotated(place, n, it)
        case _:
            return False


def _are_all(p: Size, i: Name, size: Size, n: Size, facts: Facts) -> bool:
    """True if ``i + c`` or ``c - i`` takes every value below ``n`` for ``0 <= i < size``."""
    for first, last in ((p - var(i), p - var(i) + size - 1), (p + var(i) - size + 1, p + var(i))):
        if i not in first.free() and nonneg(-first, facts) and nonneg(last + 1 - n, facts):
            return True
    return False


def _rotated(place: Number, size: Size, it: Iteration) -> bool:
    """True if an index is ``(i + c) % m`` or ``(c - i) % m``, in m iterations."""
    match it.operator(place.p):
        case Op(BinOp.MOD.value, (Number(p, True), Number(m))) if m == it.resolved(size).p:
            i = var(it.index)
            return any(not it.varies(Number(c)) for c in (p - i, p + i))
        case _:
            return False


def _never(flags: Cases, cases: list[PathCondition], it: Iteration) -> bool:
    """True if the flag is never 1 where one of the path conditions holds."""
    return all(
        it.joined(path, f.path) is None
        for f in flags
        if f.value == Number(const(1))
        for path in cases
    )


def _iteration(e: Kernel[Ann], ladder: Ladder) -> Iteration:
    """Return a model of any iteration of a kernel, with the facts known at its end."""
    (d,) = e.dims
    facts = ladder.scene.at_end[id(e.body)].facts
    it = _model(d.index, facts, ladder.scene.room[id(e.body)], ladder)
    it.open(e)
    return _not_empty(it, d.size, facts, ladder)


def _iteration_of(a: Name, s: Stm[Ann], ladder: Ladder) -> Iteration:
    """Return a model of any iteration that makes an element of a vector, which ``s`` binds."""
    i = Name(f"{a}.i")
    (n,) = ladder.scene.types[a].shape
    facts = ladder.scene.facts_at(s).with_index(i, n)
    it = _model(i, facts, Room(), ladder)
    it.varying.add(i)
    return _not_empty(it, n, facts, ladder)


def _model(i: Name, facts: Facts, room: Room, ladder: Ladder) -> Iteration:
    """Return a model of an iteration with index ``i``, in which the facts hold."""
    proved = _proved_from(facts, ladder)
    return Iteration(ladder.scene, i, proved, lambda p: room.fits(p, facts))


def _not_empty(it: Iteration, n: Size, facts: Facts, ladder: Ladder) -> Iteration:
    """Assume in a model that there is at least one of ``n`` iterations."""
    size = it.resolved(n)
    if size.exact and size.p != n:
        it.nonneg = _proved_from(facts.assuming(size.p - 1), ladder)
    return it


def _proved_from(facts: Facts, ladder: Ladder) -> Callable[[Size], bool]:
    return lambda p: isinstance(ladder.nonneg(p, facts), Proof)


Write: TypeAlias = tuple[PathCondition, Number]
"""An index that is written, and its path condition."""


def _i64(c: Case) -> Number:
    """Return the value of a case of an i64."""
    assert isinstance(c.value, Number)
    return c.value


def _writes(cases: Cases) -> list[Write]:
    """Return the cases whose index may be in bounds: a small negative constant is not."""
    return [
        (c.path, place)
        for c in cases
        if (k := (place := _i64(c)).p.as_const) is None or not -SLACK <= k < 0
    ]


# ---------------------------------------------------------------------- polynomials


def _apart(
    path: PathCondition, place: Number, it: Iteration, ladder: Ladder, facts: Facts
) -> Step | None:
    """Return the step that proves that two iterations write different indices, or None.

    The index is a polynomial that increases, or decreases, from an iteration to a later one if the
    path condition holds in both; or the path condition holds in only one iteration.
    """
    i = it.index
    own = it.varying - {i}
    between = Name(f"{i}.d")  # the number of iterations between the two
    later = {i: var(i) + 1 + var(between)}
    known = facts.with_nonneg(var(between))
    limits = [n - 1 - var(j) for j, n in facts.indices if j == i]
    limits += [p for p in inequalities(path) if p.free().isdisjoint(own)]
    for p in limits:
        known = known.assuming(p).assuming(p.subst(later))
    apart: list[Size] = []
    if place.exact and place.p.free().isdisjoint(own):
        gap = place.p.subst(later) - place.p
        apart += [gap - 1, -gap - 1]
    for both in (p + q.subst(later) for p in limits for q in limits):
        known = known.with_nonneg(both)
        apart.append(-both - 1)  # if this is not negative, the two iterations cannot both write
    for p in apart:
        answer = ladder.nonneg(p, known)
        if isinstance(answer, Proof):
            return answer.step
    return None


# ---------------------------------------------------------------------- ranks


@frozen
class _Segments:
    """Segments of indices, one after the other: that of iteration k begins at ``base`` plus the sum
    of the addends before k, and its length is the addend of k; or, with ``zeros``, its length is 1
    if the flag of k is 0.
    """

    base: Size
    scanned: Name
    zeros: bool = False


def _ranked(
    writes: list[Write], it: Iteration, ladder: Ladder, given: Mapping[Name, Sums] = NO_SUMS
) -> bool:
    """True if each index is in its iteration's segment, and families of segments are disjoint.

    ``given``: sums that no array holds.
    """
    families: set[_Segments] = set()
    found = cache(lambda a: given[a] if a in given else sums(a, it))
    for path, number in writes:
        segments = _segments_of(path, number, it, found)
        if segments is None:
            return False
        families.add(segments)
    counts = cache(lambda a: given[a].at_most(1, it) if a in given else _counts(a, ladder))
    totals = _Totals(it, frozenset(f.scanned for f in families), found, counts)
    return all(
        _ends_before(a, b, totals) or _ends_before(b, a, totals)
        for a, b in combinations(families, 2)
    )


def _segments_of(
    path: PathCondition, number: Number, it: Iteration, sums_of: Callable[[Name], Sums | None]
) -> _Segments | None:
    """Return the segments, of which an index is the first or last one where it is written."""
    ranks = [x for x in number.p.free() if x in it.ranks]
    if len(ranks) != 1:
        return None
    (rank,) = ranks
    found = sums_of(it.ranks[rank])
    if found is None:
        return None
    added = [(both, f) for f in found.addend if (both := it.joined(path, f.path)) is not None]
    rest = number.p - var(rank)
    if rank in rest.free():
        return _of_zeros(number.p, rank, [f for _, f in added], found, it)
    if not all(_some(both, f, found, it) for both, f in added):
        return None
    for lengths in ([const(1) for _ in added], [_i64(f).p for _, f in added]):
        bases = {rest + w for w in lengths}
        if len(bases) == 1 and not it.varies(Number(base := bases.pop())):
            segments = _Segments(base, it.ranks[rank])
            if found.at_most(MOST_ADDED, it) or _stays_outside(segments, found, it):
                return segments
    return None


def _some(path: PathCondition, f: Case, found: Sums, it: Iteration) -> bool:
    """True if the addend is proved to be at least 1."""
    v, none = _i64(f), Number(const(0))
    if (k := v.p.as_const) is not None:
        return 1 <= k < OVERFLOW
    if it.decided(Op("<", (none, v)), path) is True:
        return True
    unequal = (it.decided(Op("==", pair), path) is False for pair in ((v, none), (none, v)))
    if any(unequal) and between(f, I64.max, found.length, it):
        return True
    return between(Case(path, Number(v.p - 1)), I64.max - 1, found.length, it)


def _stays_outside(segments: _Segments, found: Sums, it: Iteration) -> bool:
    """True if a guarded sum gives indices out of bounds once it is -1: they are less than -1."""
    return found.guarded and segments.base == ZERO and found.at_most(I64.max, it)


def _of_zeros(
    p: Size, rank: Name, added: list[Case], found: Sums, it: Iteration
) -> _Segments | None:
    """Return segments for ``base + i - rank``, the number of zero flags up to iteration i."""
    base = p + var(rank) - var(it.index)
    flags = found.at_most(1, it) and all(_i64(f).p == ZERO for f in added)
    if not flags or rank in base.free() or it.varies(Number(base)):
        return None
    return _Segments(base, it.ranks[rank], zeros=True)


def _counts(scanned: Name, ladder: Ladder) -> bool:
    """True if an array is the running sum of flags, 0 or 1, in all of its own iterations."""
    s = ladder.scene.made_by[scanned]
    match s.exp:
        case Kernel() as scan:
            it = _iteration(scan, ladder)
        case _:
            it = _iteration_of(scanned, s, ladder)
    found = sums(scanned, it)
    return found is not None and found.at_most(1, it)


@frozen
class _Totals:
    """Which scalars are the sums of all addends of the vectors and accumulators ``scanned``."""

    it: Iteration
    scanned: frozenset[Name]
    sums_of: Callable[[Name], Sums | None]
    counts: Callable[[Name], bool]

    def never_negative(self, x: Name) -> bool:
        """True if a scalar is the total of flags."""
        last = self.it.totals.get(x)
        if last is not None:
            return self.counts(last)
        return any(self.counts(a) and _is_total(x, a, self.it, self.sums_of) for a in self.scanned)


def _ends_before(a: _Segments, b: _Segments, totals: _Totals) -> bool:
    """True if all indices in segments ``a``, up to base plus total, are before segments ``b``.

    Two indices then differ by at least 1, and by less than 2^63, since a total is at most the
    number of iterations of the scan (which may exceed those of ``it``).
    """
    found = totals.sums_of(a.scanned)
    if found is None or not totals.counts(a.scanned):
        return False
    between = b.base - a.base
    own = [
        var(x)
        for x in between.free() | totals.it.totals.keys()
        if _is_total(x, a.scanned, totals.it, totals.sums_of)
    ]
    if a.zeros:
        length = totals.it.resolved(found.length).p
        own = [length - x for x in own]
    return any(_is_sum_of_totals(between - x, totals) for x in own)


def _is_sum_of_totals(gap: Size, totals: _Totals) -> bool:
    """True if a gap is a sum of totals and a number, none of them negative."""
    for m, k in gap.terms:
        if k < 0 or len(m) > 1:
            return False
        if not all(totals.never_negative(x) for x in m):
            return False
    return sum(k for _, k in gap.terms) < SLACK


# ---------------------------------------------------------------------- lengths


def _is_total(
    x: Name, scanned: Name, it: Iteration, sums_of: Callable[[Name], Sums | None]
) -> bool:
    """True if a scalar is the sum of all addends of a running sum: its last element, or computed
    apart.
    """
    if x in it.totals:
        return it.totals[x] == scanned
    whole = total(x, it)
    return whole is not None and whole == sums_of(scanned)


def _is_length(
    n: Number, scanned: Name, it: Iteration, sums_of: Callable[[Name], Sums | None]
) -> bool:
    """True if a length is the total number of flags; if it is at most 0 there are no indices."""
    x, k = n.p.as_name, n.p.as_const
    if x is not None:
        return _is_total(x, scanned, it, sums_of)
    return k is not None and -SLACK <= k <= 0
