"""Check a certificate again.

    1  its program is well typed
    2  its obligations are those of the program: none is missing
    3  each obligation claimed as PROVED has a condition, and is proved again
    4  each condition holds for small values of its variables: the addresses of index functions are
       enumerated
    5  with oracles, each condition holds for all values: two index functions are disjoint, one has
       distinct addresses, a polynomial is not negative (islpy, z3)
    6  each obligation that is REFUTED, or TRAPS, does so when the program runs on its input again;
       the number of inputs of a BOUNDED one is not checked

Steps 4 to 6 are independent of the search that found the proofs.  The result is a list of errors,
empty for a correct certificate.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from itertools import product as cartesian
from math import prod
from random import Random
from typing import TypeAlias, assert_never

from funmem.ir.diagnostics import FunmemError
from funmem.ir.fun import Ann, Program
from funmem.ir.functions import bodies
from funmem.ir.lmad import Lmad
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.sizes import Size
from funmem.ir.text import parse_fun
from funmem.ir.verify import verify
from funmem.ir.verify.certificate import (
    Apart,
    Argued,
    Condition,
    Kind,
    Nonneg,
    NoRepeat,
    Obligation,
    Step,
    Verdict,
    Within,
    overall,
)
from funmem.ir.verify.checks import judged
from funmem.ir.verify.ladder import Oracle
from funmem.passes.lower import entry_point
from funmem.values.futhark_data import read_all
from funmem.verify import audit
from funmem.verify.from_json import Claim, from_json
from funmem.verify.replay import rerun

INSTANCES = 120
"""Cap on the instances of a condition that are tried, ..."""
EACH = 20
"""... and on those among them that differ in the indices only."""
OUTER = 3
"""Cap on the values of an index around others; inner ranges may be empty for many of them."""
STARTS = 240
"""Cap on the assignments to variables other than indices."""
POINTS = 5000
"""Cap on the addresses of an index function that are enumerated."""

Values: TypeAlias = Mapping[Name, int]


def recheck(
    certificate: object, oracles: Sequence[audit.Asked] = (), rungs: Sequence[Oracle] = ()
) -> list[str]:
    """Return the errors in a certificate; raise InputError for data that is not one.

    Obligations whose proof needs an oracle are proved again with ``rungs``.
    """
    claims = from_json(certificate)
    try:
        program = parse_fun(claims.program, "certificate")
        again = verify(program, rungs).obligations
    except FunmemError as e:
        return [f"its program: {e.diagnostic.message}"]
    pairs = _paired([c for c in claims.obligations if c.kind is not Kind.CHECK], again)
    wrong = [*_missing(pairs, again), *_unproved(pairs, again)]
    wrong += _unproved(*_checks(claims.obligations, program, again))
    if claims.verdict is not (worst := overall((o.kind, o.verdict) for o in claims.obligations)):
        claimed = claims.verdict.value
        wrong.append(f"its verdict: {claimed}, but that of its obligations is {worst.value}")
    wrong += _unseen(pairs, program, again)
    seen: set[str] = set()
    for o in claims.obligations:
        if o.verdict is Verdict.PROVED:
            if not o.conditions:
                wrong.append(f"{o.kind.value} {o.place}: PROVED without a condition")
            for c in o.conditions:
                if (key := str(c)) not in seen:
                    seen.add(key)
                    why = _condition(c, oracles)
                    wrong += [f"{o.kind.value} {o.place}: {why}"] if why else []
    return wrong


Pairs: TypeAlias = Sequence[tuple[Claim, int | None]]
"""Claims, each with the index of the obligation of the program that it is about.

Among those of one kind and place, the first claim belongs to the first obligation, and so on.
"""


def _paired(claimed: Sequence[Claim], again: Sequence[Obligation]) -> Pairs:
    """Pair all claims; a claim added by a run may belong to no obligation."""
    left: dict[Key, deque[int]] = defaultdict(deque)
    for k, o in enumerate(again):
        left[_key(o)].append(k)
    return [(c, left[_key(c)].popleft() if left[_key(c)] else None) for c in claimed]


def _missing(pairs: Pairs, again: Sequence[Obligation]) -> Iterator[str]:
    claimed = {k for _, k in pairs}
    for k, o in enumerate(again):
        if k not in claimed:
            yield f"{o.kind.value} {o.place} of {o.entry} is missing"


def _unproved(pairs: Pairs, again: Sequence[Obligation]) -> Iterator[str]:
    """Yield errors for obligations that are claimed as PROVED but are not."""
    for c, k in pairs:
        shown = k is not None and again[k].verdict is Verdict.PROVED
        if c.verdict is Verdict.PROVED and not shown:
            oracle = c.step if c.step in (Step.ISL, Step.Z3) else None
            hint = f" (--oracle {oracle.value} may know)" if oracle else ""
            yield f"{c.kind.value} {c.place}: PROVED, but is not proved again{hint}"


def _checks(
    claimed: Sequence[Claim], program: Program[Ann], again: Sequence[Obligation]
) -> tuple[Pairs, Sequence[Obligation]]:
    """Return the claimed checks, paired, and the checks of the program if it is well typed."""
    mine = [c for c in claimed if c.kind is Kind.CHECK]
    entries = bodies(program) if mine and all(o.entry for o in again) else ()
    checks = [o for e in entries for o in judged(e, entry_point).obligations]
    return _paired(mine, checks), checks


def _unseen(pairs: Pairs, program: Program[Ann], again: Sequence[Obligation]) -> Iterator[str]:
    """Yield errors for failures that are claimed but do not occur on their input."""
    after = cache(partial(_after, program, again))
    for c, k in pairs:
        if c.verdict in (Verdict.REFUTED, Verdict.TRAPS) and c.kind.of_memory:
            if c.input is None:
                yield f"{c.kind.value} {c.place}: {c.verdict.value} without a counterexample"
                continue
            found = after(*c.input)
            about = found[len(again) :] if k is None else [found[k]]
            if not any((_key(o), o.verdict) == (_key(c), c.verdict) for o in about):
                yield f"{c.kind.value} {c.place}: {c.verdict.value}, but not on its input"


def _after(
    program: Program[Ann], again: Sequence[Obligation], entry: str, args: Sequence[str]
) -> list[Obligation]:
    """Return the obligations after one execution; unchanged if the input is not valid."""
    try:
        values = [v for text in args for v in read_all(text.encode(), "certificate")]
        for e in program.entries:
            if e.name == entry:
                return rerun(program, e, values, list(again))
    except FunmemError:  # not an input of the program
        return list(again)
    return list(again)


Key: TypeAlias = tuple[Kind, str, str]


def _key(o: Claim | Obligation) -> Key:
    return o.kind, o.entry, o.place


# ---------------------------------------------------------------------- conditions


def _condition(c: Condition, oracles: Sequence[audit.Asked]) -> str | None:
    if isinstance(c, Argued):
        return None
    free, judge = _question(c)
    for values in islice(_instances(free, c.facts), INSTANCES):
        if (why := judge(values)) is not None:
            return f"{why} for {', '.join(f'{x} = {k}' for x, k in sorted(values.items()))}"
    what, questions = _asked(c)
    if any(_can_be(q, oracles) for q in questions):
        return f"an oracle refutes {what}"
    return None


def _question(
    c: Apart | NoRepeat | Nonneg | Within,
) -> tuple[frozenset[Name], Callable[[Values], str | None]]:
    """Return the variables of a condition, and a function that finds its error for some values."""
    match c:
        case Apart(a, b, _):

            def apart(values: Values) -> str | None:
                both = points(a, values) & points(b, values)
                return f"{a} and {b} share {min(both)}" if both else None

            return a.free() | b.free(), apart
        case NoRepeat(ix, _):

            def repeats(values: Values) -> str | None:
                listed = list(islice(_listed(ix, values), POINTS))
                return None if len(set(listed)) == len(listed) else f"{ix} repeats an element"

            return ix.free(), repeats
        case Nonneg(p, _):

            def negative(values: Values) -> str | None:
                return None if p.eval(values.__getitem__) >= 0 else f"{p} is negative"

            return p.free(), negative
        case Within(a, b, _):

            def outside(values: Values) -> str | None:
                around = points(b, values)
                fine = len(around) == POINTS or points(a, values) <= around
                return None if fine else f"{a} is not inside {b}"

            return a.free() | b.free(), outside
        case _:
            assert_never(c)


def _asked(c: Condition) -> tuple[str, Sequence[audit.Question]]:
    """Return a description of a condition, and questions that must not be satisfiable."""
    match c:
        case Apart(a, b, facts):
            return f"apart {a}, {b}", (audit.shared(a, b, facts),)
        case NoRepeat(ix, facts):
            return f"no-repeat {ix}", tuple(audit.repeated(ix, facts))
        case Nonneg(p, facts):
            return f"nonneg {p}", (audit.negative(p, facts),)
        case Within() | Argued():
            return "", ()


def _can_be(q: audit.Question, oracles: Sequence[audit.Asked]) -> bool:
    """True if the first oracle that knows the answer says that it can be satisfied."""
    answers = (ask(q) for ask in oracles)
    return next((a for a in answers if a is not None), False)


def _instances(free: frozenset[Name], facts: Facts) -> Iterator[Values]:
    """Yield small values that satisfy the facts."""
    wanted = set(free).union(*(p.free() for p in facts.assumed))
    ranges = dict(facts.indices)
    for i, n in reversed(facts.indices):
        if i in wanted:
            wanted |= n.free()
    least = dict(facts.least)
    order = [i for i, _ in facts.indices if i in wanted]
    for start in _starts(sorted(wanted - ranges.keys()), least):
        for values in islice(_indexed(start, order, ranges, least), EACH):
            if all(p.eval(values.__getitem__) >= 0 for p in facts.assumed):
                yield values


def _starts(names: Sequence[Name], least: Mapping[Name, int]) -> Iterator[dict[Name, int]]:
    """Yield values of names: from the lower bound on, with negative ones if there is none.

    All combinations are tried, or a sample if there are more than STARTS.
    """
    small: list[Sequence[int]] = [
        [least[x] + k for k in (2, 1, 0, 3)] if x in least else FREE for x in names
    ]
    if prod(map(len, small)) <= STARTS:
        choices: Iterator[Sequence[int]] = cartesian(*small)
    else:
        random = Random(len(names))
        choices = ([random.choice(values) for values in small] for _ in range(STARTS))
    for values in choices:
        yield dict(zip(names, values, strict=True))


FREE: Sequence[int] = (2, 1, 0, -1, 3, -2)
"""Values of a name without a lower bound."""


def _indexed(
    values: dict[Name, int],
    order: Sequence[Name],
    ranges: Mapping[Name, Size],
    least: Mapping[Name, int],
) -> Iterator[dict[Name, int]]:
    if not order:
        yield values
        return
    i, *rest = order
    n = ranges[i].eval(values.__getitem__)
    for k in islice(range(max(0, least.get(i, 0)), n), OUTER if rest else EACH):
        yield from _indexed({**values, i: k}, rest, ranges, least)


def points(ix: Lmad, values: Values) -> frozenset[int]:
    """Return the addresses of an index function, at most POINTS."""
    return frozenset(islice(_listed(ix, values), POINTS))


def _listed(ix: Lmad, values: Values) -> Iterator[int]:
    """Yield addresses in row-major order: the first ``POINTS``, and possibly more.

    If the last dimensions have so many already, the indices of those before stay 0.
    """
    value = values.__getitem__
    lens = [d.len.eval(value) for d in ix.dims]
    if min(lens, default=1) <= 0:
        return
    steps: list[Sequence[int]] = []
    count = 1
    for n, d in zip(reversed(lens), reversed(ix.dims), strict=True):
        if count < POINTS and n > 1:
            count, stride = count * n, d.stride.eval(value)
            steps.append(_multiples(min(n, POINTS), stride))
    start = ix.offset.eval(value)
    for parts in cartesian(*reversed(steps)):
        yield start + sum(parts)


def _multiples(n: int, stride: int) -> Sequence[int]:
    return range(0, n * stride, stride) if stride else (0,) * n
