"""What the indices of a scatter are: distinct, or all of them.

    iota, or a kernel that computes i*k + c      each iteration has its own
    (i + c) % n, in n iterations                 the same
    … where a condition holds                    the same, of the iterations for which it does
    ranks                                        a scan with + counts flags that are 0 or 1
    starts                                       a scan with + adds up sizes

Running sums (prefix.py) of numbers that are not negative cut all places into segments, one for each
iteration, as long as what it adds.  ``filter`` and ``partition`` add flags that are 0 or 1, and
scatter to the only place of an iteration's segment; the expansion of an irregular comprehension
adds sizes, and scatters to the first place, if there is one.  Of flags, those that are 0 are
counted by ``i + 1 - rank``.  Where there are several kinds of places, one kind's begin where those
of the others end.  An index outside of the array writes nothing (``scatter``), so -1 may occur as
often as it likes.

Sums do not wrap around if the numbers are small (fewer than 2^57 of up to 64), or if they are
guarded: then they become negative for good, and what is scattered to them is outside.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from typing import TypeAlias

from funmem.ir.arith import exp_size
from funmem.ir.fun import Ann, Atom, Const, Iota, Kernel, KernelDim, Map, Replicate, Stm
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.ir.verify.cases import Case, Cases, Iteration, Number, Op, Said, certain
from funmem.ir.verify.certificate import Answer, Argued, Open, Proof, Step
from funmem.ir.verify.ladder import Ladder
from funmem.ir.verify.prefix import Sums, sums
from funmem.ir.verify.scene import OVERFLOW, SLACK, Scene
from funmem.ir.verify.signs import WORD, between, inequalities

MOST_ADDED = WORD
"""Fewer than 2^57 numbers up to this one have a sum that is an i64."""


def distinct(x: Name, ladder: Ladder) -> Answer:
    """Whether no two elements of a vector of indices are one place, by the way it was made."""
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
        case _:
            pass
    return Open(f"the elements of {x} may repeat", condition)


def equal(x: Name, ladder: Ladder) -> bool:
    """Whether all elements of a vector are one value."""
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
    """Whether every place of an array of length ``n`` is among a vector of indices.

    They are ranks, all flags of 1 write, and ``n`` is the total, or 0 where there are no flags.  Or
    they are the indices of the iterations, forwards or backwards, rotated or not.
    """
    match scene.made_by.get(x):
        case Stm(_, Iota(size, start, Const(int(k)))) as s if k in (1, -1):
            first = exp_size(start, scene.exact)
            i = Name(f"{x}.i")
            return first is not None and _are_all(first + var(i) * k, i, size, n, scene.facts_at(s))
        case Stm(pat, Kernel((d,), Map(), body) as e) as s:
            pass
        case _:
            return False
    if _are_all_indices(body.result[[b.name for b in pat].index(x)], e, s, n, scene):
        return True
    a = body.result[[b.name for b in pat].index(x)]
    return any(_ranks_all(a, d, n, it) for it in _iterations(d, scene))


def _iterations(d: KernelDim, scene: Scene) -> Iterator[Iteration]:
    """The scalars of an iteration, of which there may be none.  At first nothing is known of how
    many there are: where filters follow one another that is the last one's total, and so on.
    """
    for opaque in (d.size.free(), frozenset[Name]()):
        it = Iteration(scene, d.index, lambda _: False, lambda _: False)
        it.known.update({x: certain(it.variable(x)) for x in opaque})
        yield it


def _ranks_all(a: Atom, d: KernelDim, n: Size, it: Iteration) -> bool:
    """Whether a scalar is the rank of an iteration's flag, and ``n`` the total of all flags."""
    cases = it.scalar(a)
    writes = _writes(cases)
    length = n.as_name
    sums_of = cache(lambda a: sums(a, it))
    if length is None or not writes or (kind := _kind(*writes[0], it, sums_of)) is None:
        return False
    flags = sums_of(kind.scanned)
    others = [c.said for c in cases if _kind(c.said, _i64(c), it, sums_of) != kind]
    return (
        flags is not None
        and flags.at_most(1, it)
        and kind == _Kind(ZERO, kind.scanned)
        and flags.length == d.size
        and _never(flags.addend, others, it)
        and all(_is_total(_i64(c), kind.scanned, it) for c in it.name(length))
    )


def _are_all_indices(a: Atom, e: Kernel[Ann], s: Stm[Ann], n: Size, scene: Scene) -> bool:
    """Whether a scalar is each index of an array of length ``n`` in some iteration of a kernel."""
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
    """Whether ``i + c`` or ``c - i`` is each index below ``n`` for some ``0 <= i < size``."""
    for first, last in ((p - var(i), p - var(i) + size - 1), (p + var(i) - size + 1, p + var(i))):
        if i not in first.free() and nonneg(-first, facts) and nonneg(last + 1 - n, facts):
            return True
    return False


def _rotated(place: Number, size: Size, it: Iteration) -> bool:
    """Whether a place is ``(i + c) % m`` or ``(c - i) % m``, and there are m iterations."""
    match it.operator(place.p):
        case Op(BinOp.MOD.value, (Number(p, True), Number(m))) if m == it.resolved(size).p:
            i = var(it.index)
            return any(not it.varies(Number(c)) for c in (p - i, p + i))
        case _:
            return False


def _never(flags: Cases, cases: list[Said], it: Iteration) -> bool:
    """Whether the flag is never 1 where one of the cases is so."""
    return all(
        it.joined(said, f.said) is None
        for f in flags
        if f.value == Number(const(1))
        for said in cases
    )


def _iteration(e: Kernel[Ann], ladder: Ladder) -> Iteration:
    """Any iteration of a kernel, and what is known at its end."""
    (d,) = e.dims
    facts = ladder.scene.at_end[id(e.body)].facts
    room = ladder.scene.room[id(e.body)]

    def among(known: Facts) -> Callable[[Size], bool]:
        return lambda p: isinstance(ladder.nonneg(p, known), Proof)

    it = Iteration(ladder.scene, d.index, among(facts), lambda p: room.fits(p, facts))
    it.open(e)
    size = it.resolved(d.size)
    if size.exact and size.p != d.size:  # there is one iteration
        it.nonneg = among(facts.assuming(size.p - 1))
    return it


Write: TypeAlias = tuple[Said, Number]
"""A place that is written, and when."""


def _i64(c: Case) -> Number:
    """The value of a case of an i64."""
    assert isinstance(c.value, Number)
    return c.value


def _writes(cases: Cases) -> list[Write]:
    """The cases whose place may be inside of an array: a small negative constant is not."""
    return [
        (c.said, place)
        for c in cases
        if (k := (place := _i64(c)).p.as_const) is None or not -SLACK <= k < 0
    ]


# ---------------------------------------------------------------------- polynomials


def _apart(said: Said, place: Number, it: Iteration, ladder: Ladder, facts: Facts) -> Step | None:
    """A polynomial in the index that grows, or falls, from one iteration to a later one, where what
    is said holds in both; or it holds in one iteration only.
    """
    i = it.index
    own = it.varying - {i}
    between = Name(f"{i}.d")  # iterations between the two
    later = {i: var(i) + 1 + var(between)}
    known = facts.with_nonneg(var(between))
    limits = [n - 1 - var(j) for j, n in facts.indices if j == i]
    limits += [p for p in inequalities(said) if p.free().isdisjoint(own)]
    for p in limits:
        known = known.assuming(p).assuming(p.subst(later))
    apart: list[Size] = []
    if place.exact and place.p.free().isdisjoint(own):
        gap = place.p.subst(later) - place.p
        apart += [gap - 1, -gap - 1]
    for both in (p + q.subst(later) for p in limits for q in limits):
        known = known.with_nonneg(both)
        apart.append(-both - 1)  # then there are no two
    for p in apart:
        answer = ladder.nonneg(p, known)
        if isinstance(answer, Proof):
            return answer.step
    return None


# ---------------------------------------------------------------------- ranks


@frozen
class _Kind:
    """Places in segments one after the other: that of iteration k begins at ``base`` and the sum of
    the addends before it, and has as many places as k adds; or, of flags, as it has ``zeros``.
    """

    base: Size
    scanned: Name
    zeros: bool = False


def _ranked(writes: list[Write], it: Iteration, ladder: Ladder) -> bool:
    """Whether each case has places in the iteration's own segment, and all kinds their own."""
    kinds: set[_Kind] = set()
    found = cache(lambda a: sums(a, it))
    for said, number in writes:
        kind = _kind(said, number, it, found)
        if kind is None:
            return False
        kinds.add(kind)
    counts = cache(lambda a: _counts(a, ladder))
    return all(
        _ends_before(a, b, it, counts) or _ends_before(b, a, it, counts)
        for a, b in combinations(kinds, 2)
    )


def _kind(
    said: Said, number: Number, it: Iteration, sums_of: Callable[[Name], Sums | None]
) -> _Kind | None:
    """Where the segments begin of which a place is the first, or the last, where it is written."""
    ranks = [x for x in number.p.free() if x in it.ranks]
    if len(ranks) != 1:
        return None
    (rank,) = ranks
    found = sums_of(it.ranks[rank])
    if found is None:
        return None
    added = [(both, f) for f in found.addend if (both := it.joined(said, f.said)) is not None]
    rest = number.p - var(rank)
    if rank in rest.free():
        return _of_zeros(number.p, rank, [f for _, f in added], found, it)
    if not all(_some(both, f, found, it) for both, f in added):
        return None
    for lengths in ([const(1) for _ in added], [_i64(f).p for _, f in added]):
        bases = {rest + w for w in lengths}
        if len(bases) == 1 and not it.varies(Number(base := bases.pop())):
            kind = _Kind(base, it.ranks[rank])
            if found.at_most(MOST_ADDED, it) or _stays_outside(kind, found, it):
                return kind
    return None


def _some(said: Said, f: Case, found: Sums, it: Iteration) -> bool:
    """Whether at least 1 is added."""
    v, none = _i64(f), Number(const(0))
    if (k := v.p.as_const) is not None:
        return 1 <= k < OVERFLOW
    if it.decided(Op("<", (none, v)), said) is True:
        return True
    unequal = (it.decided(Op("==", pair), said) is False for pair in ((v, none), (none, v)))
    if any(unequal) and between(f, I64.max, found.length, it):
        return True
    return between(Case(said, Number(v.p - 1)), I64.max - 1, found.length, it)


def _stays_outside(kind: _Kind, found: Sums, it: Iteration) -> bool:
    """Whether the places of a guarded sum are no places once it is -1: they are less than that."""
    return found.guarded and kind.base == ZERO and found.at_most(I64.max, it)


def _of_zeros(p: Size, rank: Name, added: list[Case], found: Sums, it: Iteration) -> _Kind | None:
    """``base + i - rank``: of flags that are 0, as many are in the iterations up to ``i``."""
    base = p + var(rank) - var(it.index)
    flags = found.at_most(1, it) and all(_i64(f).p == ZERO for f in added)
    if not flags or rank in base.free() or it.varies(Number(base)):
        return None
    return _Kind(base, it.ranks[rank], zeros=True)


def _counts(scanned: Name, ladder: Ladder) -> bool:
    """Whether an array adds up 0 or 1 in all of its own iterations."""
    s = ladder.scene.made_by[scanned]
    match s.exp:
        case Kernel() as scan:
            it = _iteration(scan, ladder)
        case _:
            i = Name(f"{scanned}.i")
            (n,) = ladder.scene.types[scanned].shape
            facts = ladder.scene.facts_at(s).with_index(i, n)
            it = Iteration(
                ladder.scene,
                i,
                lambda p: isinstance(ladder.nonneg(p, facts), Proof),
                lambda _: False,
            )
            it.varying.add(i)
    found = sums(scanned, it)
    return found is not None and found.at_most(1, it)


def _ends_before(a: _Kind, b: _Kind, it: Iteration, counts: Callable[[Name], bool]) -> bool:
    """Whether all places ``a``, of which the last is the base and the total, come before ``b``.

    Then they differ by at least 1, and by less than 2^63, as totals are numbers of iterations: of
    the scan's, which may be more than those of ``it``.
    """
    own = [var(x) for x, scanned in it.totals.items() if scanned == a.scanned]
    if a.zeros:
        (n,) = it.scene.types[a.scanned].shape
        length = it.resolved(n).p
        own = [length - total for total in own]
    return counts(a.scanned) and any(
        _is_sum_of_totals(b.base - a.base - total, it, counts) for total in own
    )


def _is_sum_of_totals(gap: Size, it: Iteration, counts: Callable[[Name], bool]) -> bool:
    """Whether it is a sum of totals and of a number, of which none is negative."""
    for m, k in gap.terms:
        if k < 0 or len(m) > 1:
            return False
        for x in m:
            scanned = it.totals.get(x)
            if scanned is None or not counts(scanned):
                return False
    return sum(k for _, k in gap.terms) < SLACK


# ---------------------------------------------------------------------- lengths


def _is_total(n: Number, scanned: Name, it: Iteration) -> bool:
    """Whether a length is how many flags there are; one of 0 has no places."""
    x, k = n.p.as_name, n.p.as_const
    return (x is not None and it.totals.get(x) == scanned) or (k is not None and -SLACK <= k <= 0)
