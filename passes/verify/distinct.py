"""What the indices of a scatter are: distinct, or all of them.

    iota, or a kernel that computes i*k + c      each iteration has its own
    … where a condition holds                    the same, of the iterations for which it does
    ranks                                        a scan with + counts flags that are 0 or 1

Ranks are what ``filter`` and ``partition`` scatter to: an iteration whose flag is 1 has the number
of flags up to its own, which no other one has, and all numbers from 1 to the total occur.  Where
there are several kinds of flags, one kind's places begin where those of the others end.  An index
outside of the array writes nothing (``scatter``), so -1 may occur as often as it likes.
"""

from itertools import combinations
from typing import TypeAlias

from funmem.ir.fun import Ann, Bin, Const, Iota, Kernel, Lambda, Map, Replicate, Scan, Stm, Var
from funmem.ir.names import Name
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import Size, const, var
from funmem.passes.lower.prove import Facts
from funmem.passes.verify.cases import Case, Cases, Iteration, Number, Op, Said
from funmem.passes.verify.certificate import Answer, Argued, Open, Proof, Step
from funmem.passes.verify.ladder import Ladder
from funmem.passes.verify.scene import SLACK, Scene


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

    They are ranks, all flags of 1 write, and ``n`` is the total, or 0 where there are no flags.
    """
    match scene.made_by.get(x):
        case Stm(pat, Kernel((d,), Map(), body)):
            pass
        case _:
            return False
    it = Iteration(scene, d.index, lambda _: False, lambda _: False)  # there may be no iteration
    cases = it.scalar(body.result[[b.name for b in pat].index(x)])
    writes = _writes(cases)
    length = n.as_name
    if length is None or not writes or (place := _place(writes[0][1], it)) is None:
        return False
    base, rank = place
    scanned = it.ranks[rank]
    flags = _flags(scanned, it)
    made = scene.made_by[scanned].exp
    assert isinstance(made, Kernel)
    return (
        flags is not None
        and base == const(-1)
        and made.dims[0].size == d.size
        and _never(flags, 1, [c.said for c in cases if _place(_i64(c), it) != place], it)
        and all(_is_total(_i64(c), scanned, it) for c in it.name(length))
    )


def _iteration(e: Kernel[Ann], ladder: Ladder) -> Iteration:
    """Any iteration of a kernel, and what is known at its end."""
    (d,) = e.dims
    facts = ladder.scene.at_end[id(e.body)].facts
    room = ladder.scene.room[id(e.body)]
    it = Iteration(
        ladder.scene,
        d.index,
        lambda p: isinstance(ladder.nonneg(p, facts), Proof),
        lambda p: room.fits(p, facts),
    )
    it.open(e)
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
    limits += [p for p in _inequalities(said) if p.free().isdisjoint(own)]
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


def _inequalities(said: Said) -> list[Size]:
    """What is not negative because of conditions on exact numbers."""
    found: list[Size] = []
    for t, value in said:
        match t:
            case Op("<", (Number(p, True), Number(q, True))):
                found.append(q - p - 1 if value else p - q)
            case Op("==", (Number(p, True), Number(q, True))) if value:
                found += [q - p, p - q]
            case _:
                pass
    return found


# ---------------------------------------------------------------------- ranks


def _ranked(writes: list[Write], it: Iteration, ladder: Ladder) -> bool:
    """Whether each case has the ranks of flags that are 1 there, and places of its own."""
    places: list[tuple[Size, Name]] = []
    for said, number in writes:
        place = _place(number, it)
        if place is None:
            return False
        flags = _flags(it.ranks[place[1]], it)
        if flags is None or not _never(flags, 0, [said], it):
            return False
        places.append(place)
    return all(
        a == b or _ends_before(a, b, it, ladder) or _ends_before(b, a, it, ladder)
        for a, b in combinations(places, 2)
    )


def _place(number: Number, it: Iteration) -> tuple[Size, Name] | None:
    """``base + rank``, where the base is one in all iterations."""
    ranks = [x for x in number.p.free() if x in it.ranks]
    if len(ranks) != 1:
        return None
    base = number.p - var(ranks[0])
    return None if it.varies(Number(base)) else (base, ranks[0])


def _flags(scanned: Name, it: Iteration) -> Cases | None:
    """What a scan with ``+`` adds up in an iteration, if it is 0 or 1.

    In the iterations before it, too: what is known of one of them is known of all.
    """
    s = it.scene.made_by[scanned]
    assert isinstance(s.exp, Kernel)
    collective = s.exp.collective
    assert isinstance(collective, Scan)
    at = [b.name for b in s.pat].index(scanned)
    if collective.ne[at] != Const(0, I64) or not _adds(collective.op, at, len(collective.ne)):
        return None
    it.open(s.exp)
    cases = it.scalar(s.exp.body.result[at])
    return cases if all(c.value in (Number(const(0)), Number(const(1))) for c in cases) else None


def _counts(scanned: Name, ladder: Ladder) -> bool:
    """Whether a scan with ``+`` adds up 0 or 1 in all of its own iterations."""
    scan = ladder.scene.made_by[scanned].exp
    assert isinstance(scan, Kernel)
    return _flags(scanned, _iteration(scan, ladder)) is not None


def _adds(op: Lambda[Ann], at: int, width: int) -> bool:
    """Whether a component of an operator is the sum of its two operands."""
    mine, other = op.params[at].name, op.params[width + at].name
    result = op.body.result[at]
    for s in op.body.stms:
        match s:
            case Stm((b,), Bin(BinOp.ADD, Var(x), Var(y))) if result == Var(b.name):
                return {x, y} == {mine, other}
            case _:
                pass
    return False


def _never(flags: Cases, flag: int, cases: list[Said], it: Iteration) -> bool:
    """Whether the flag is never this where one of the cases is so."""
    return all(
        it.joined(said, f.said) is None
        for f in flags
        if f.value == Number(const(flag))
        for said in cases
    )


def _ends_before(a: tuple[Size, Name], b: tuple[Size, Name], it: Iteration, ladder: Ladder) -> bool:
    """Whether all places ``a``, of which the last is the base and the total, come before ``b``.

    Then they differ by at least 1, and by less than 2^63, as totals are numbers of iterations: of
    the scan's, which may be more than those of ``it``.
    """
    gap = b[0] - a[0]
    own = 0
    for m, k in gap.terms:
        if k < 0 or len(m) > 1:
            return False
        for x in m:
            scanned = it.totals.get(x)
            if scanned is None or not _counts(scanned, ladder):
                return False
            own += k if scanned == it.ranks[a[1]] else 0
    return own >= 1 and sum(k for _, k in gap.terms) <= SLACK


# ---------------------------------------------------------------------- lengths


def _is_total(n: Number, scanned: Name, it: Iteration) -> bool:
    """Whether a length is how many flags there are; one of 0 has no places."""
    x, k = n.p.as_name, n.p.as_const
    return (x is not None and it.totals.get(x) == scanned) or (k is not None and -SLACK <= k <= 0)
