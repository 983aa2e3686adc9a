"""A certificate judged again.

    1  the program in it is well typed
    2  its obligations are those that the program has: none is missing
    3  what is claimed to be proved rests on a condition, and is proved of that program again
    4  every condition holds for small values of its variables: the points of index functions are
       listed one by one
    5  with oracles, also for all values: two index functions are apart, one has no element twice,
       a number is not negative (islpy, z3)
    6  what is refuted, or traps, shows when the program runs on its input again

Steps 4 to 6 share nothing with the search that has found the proofs.  What is wrong is said;
nothing is wrong if nothing is said.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from itertools import product as cartesian
from math import prod
from random import Random
from typing import TypeAlias, assert_never

from funmem.futhark import read_all
from funmem.ir.diagnostics import FunmemError
from funmem.ir.fun import Ann, Program
from funmem.ir.lmad import Lmad
from funmem.ir.names import Name
from funmem.ir.sizes import Size
from funmem.ir.text import parse_fun
from funmem.passes.lower.prove import Facts
from funmem.passes.mem.disjoint import audit
from funmem.passes.verify import verify
from funmem.passes.verify.certificate import (
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
from funmem.passes.verify.checks import judged
from funmem.passes.verify.ladder import Oracle
from funmem.verify.from_json import Claim, Claims, from_json
from funmem.verify.replay import rerun

INSTANCES = 120
"""Values of the variables that are tried of each condition, ..."""
EACH = 20
"""... of which so many differ in the indices only."""
OUTER = 3
"""Values of an index around others: their ranges may be empty for all of very many."""
STARTS = 240
"""Values of all variables but the indices."""
POINTS = 5000
"""Points of an index function that are listed."""

Values: TypeAlias = Mapping[Name, int]


def recheck(
    certificate: object, oracles: Sequence[audit.Asked] = (), rungs: Sequence[Oracle] = ()
) -> list[str]:
    """What is wrong with a certificate.  What rests on an oracle is proved again with ``rungs``.
    Raises InputError for what is none.
    """
    claims = from_json(certificate)
    try:
        again = _again(claims, rungs)
    except FunmemError as e:
        return [f"its program: {e.diagnostic.message}"]
    wrong = [*_missing(claims.obligations, again), *_unproved(claims.obligations, again)]
    if claims.verdict is not (worst := overall((o.kind, o.verdict) for o in claims.obligations)):
        said = claims.verdict.value
        wrong.append(f"its verdict: {said}, but that of its obligations is {worst.value}")
    wrong += _unseen(claims)
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


def _again(claims: Claims, rungs: Sequence[Oracle]) -> tuple[Obligation, ...]:
    """The obligations of the program, and its checks if these are claimed."""
    program = parse_fun(claims.program, "certificate")
    found = verify(program, rungs).obligations
    if any(o.kind is Kind.CHECK for o in claims.obligations) and all(o.entry for o in found):
        found += tuple(o for e in program.entries for o in judged(e).obligations)
    return found


Key: TypeAlias = tuple[Kind, str, str]


def _missing(claimed: Sequence[Claim], again: Sequence[Obligation]) -> Iterator[str]:
    have = Counter(map(_key, claimed))
    need = Counter(_key(o) for o in again if o.kind is not Kind.CHECK)
    for kind, entry, place in need - have:
        yield f"{kind.value} {place} of {entry} is missing"


def _unproved(claimed: Sequence[Claim], again: Sequence[Obligation]) -> Iterator[str]:
    """What is claimed to be proved more often than it is."""
    said = Counter(_key(o) for o in claimed if o.verdict is Verdict.PROVED)
    shown = Counter(_key(o) for o in again if o.verdict is Verdict.PROVED)
    asked = {_key(o): o.step for o in claimed if o.step in (Step.ISL, Step.Z3)}
    for key in said - shown:
        kind, _, place = key
        step = asked.get(key)
        hint = "" if step is None else f" (--oracle {step.value} may know)"
        yield f"{kind.value} {place}: PROVED, but is not proved again{hint}"


def _unseen(claims: Claims) -> Iterator[str]:
    """What is claimed to fail on an input, and does not."""
    shows = cache(partial(_shows, parse_fun(claims.program, "certificate")))
    for o in claims.obligations:
        if o.verdict in (Verdict.REFUTED, Verdict.TRAPS) and o.kind.of_memory:
            if o.input is None:
                yield f"{o.kind.value} {o.place}: {o.verdict.value} without a counterexample"
            elif not shows(o.verdict, *o.input):
                yield f"{o.kind.value} {o.place}: {o.verdict.value}, but not on its input"


def _shows(program: Program[Ann], verdict: Verdict, entry: str, args: Sequence[str]) -> bool:
    try:
        values = [v for text in args for v in read_all(text.encode(), "certificate")]
        found = (rerun(program, e, values) for e in program.entries if e.name == entry)
        return next(found, None) is verdict
    except FunmemError:  # it is none of the program's inputs
        return False


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
    """The variables of a condition, and what is wrong with it for some values of them."""
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
    """A condition's kind and places, and what must not be, as it is put to oracles."""
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
    """Whether the first oracle that knows says so."""
    answers = (ask(q) for ask in oracles)
    return next((a for a in answers if a is not None), False)


def _instances(free: frozenset[Name], facts: Facts) -> Iterator[Values]:
    """Small values that satisfy the facts."""
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
    """Values of names: from the least one on, and negative ones where there is none; all of them,
    or where these are too many, a sample.
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
"""Values of a name that nothing bounds."""


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
    """The elements of an index function, at most so many."""
    return frozenset(islice(_listed(ix, values), POINTS))


def _listed(ix: Lmad, values: Values) -> Iterator[int]:
    """Its elements in row-major order: the first ``POINTS`` of them, and perhaps others."""
    value = values.__getitem__
    ranges = [range(max(0, min(d.len.eval(value), POINTS))) for d in ix.dims]
    strides = [d.stride.eval(value) for d in ix.dims]
    start = ix.offset.eval(value)
    for index in cartesian(*ranges):
        yield start + sum(i * s for i, s in zip(index, strides, strict=True))
