"""A certificate judged again, by means that share nothing with the search that made it.

    1  the program in it is well typed
    2  its obligations are those that the program has: none is missing
    3  every condition holds for all small values of its variables: the points of index functions
       are listed one by one
    4  with oracles, also for all values: two index functions are apart, one has no element twice,
       a number is not negative (islpy, z3)

What is wrong is said; nothing is wrong if nothing is said.  A condition that is written down is
text of FUNMEM, in which names may have primes and dots: they stand for other iterations.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from itertools import product as cartesian
from typing import Any

from funmem.ir.diagnostics import NOWHERE, Diagnostic, FunmemError, InputError
from funmem.ir.lmad import Dim, Lmad
from funmem.ir.names import Name
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.ir.text import parse_fun
from funmem.passes.lower.prove import Facts
from funmem.passes.mem.disjoint import audit
from funmem.passes.verify import verify

INSTANCES = 60
"""Values of the variables that are tried of each condition."""
POINTS = 5000
"""Points of an index function that are listed."""

Values = Mapping[Name, int]


def recheck(certificate: Mapping[str, Any], oracles: Sequence[audit.Asked] = ()) -> list[str]:
    """What is wrong with a certificate.  Raises InputError for what is none."""
    try:
        text, obligations = certificate["program"], certificate["obligations"]
        program = parse_fun(text, "certificate")
        again = verify(program)
    except (KeyError, TypeError) as e:
        raise _no_certificate(str(e)) from None
    except FunmemError as e:
        return [f"its program: {e.diagnostic.message}"]
    wrong = _missing(obligations, again.obligations)
    seen: set[str] = set()
    for o in obligations:
        if o["verdict"] == "PROVED":
            for c in o["conditions"]:
                if (key := str(c)) not in seen:
                    seen.add(key)
                    why = _condition(c, oracles)
                    wrong += [f"{o['kind']} {o['place']}: {why}"] if why else []
    return wrong


def _missing(claimed: Sequence[Mapping[str, Any]], again: Sequence[Any]) -> list[str]:
    have = Counter((o["kind"], o["entry"], o["place"]) for o in claimed)
    need = Counter((o.kind.value, o.entry, o.place) for o in again)
    return [f"{kind} {place} of {entry} is missing" for kind, entry, place in need - have]


# ---------------------------------------------------------------------- conditions


def _condition(c: Mapping[str, Any], oracles: Sequence[audit.Asked]) -> str | None:
    if "argued" in c:
        return None
    facts = _facts(c["facts"])
    judge: Callable[[Values], str | None]
    questions: list[audit.Question] = []
    if "apart" in c:
        a, b = map(read_lmad, c["apart"])
        questions += [audit.shared(a, b, facts)]
        free = a.free() | b.free()

        def judge(values: Values) -> str | None:
            both = points(a, values) & points(b, values)
            return f"{a} and {b} share {min(both)}" if both else None
    elif "no-repeat" in c:
        ix = read_lmad(c["no-repeat"])
        questions += audit.repeated(ix, facts)
        free = ix.free()

        def judge(values: Values) -> str | None:
            listed = list(islice(_listed(ix, values), POINTS))
            return None if len(set(listed)) == len(listed) else f"{ix} repeats an element"
    elif "nonneg" in c:
        p = read_size(c["nonneg"])
        questions += [audit.negative(p, facts)]
        free = p.free()

        def judge(values: Values) -> str | None:
            return None if p.eval(values.__getitem__) >= 0 else f"{p} is negative"
    elif "within" in c:
        a, b = map(read_lmad, c["within"])
        free = a.free() | b.free()

        def judge(values: Values) -> str | None:
            return None if points(a, values) <= points(b, values) else f"{a} is not inside {b}"
    else:
        raise _no_certificate(f"a condition {sorted(c)}")
    for values in islice(_instances(free, facts), INSTANCES):
        if (why := judge(values)) is not None:
            return f"{why} for {', '.join(f'{x} = {k}' for x, k in sorted(values.items()))}"
    if any(_can_be(q, oracles) for q in questions):
        (kind,) = c.keys() - {"facts", "step"}
        return f"an oracle refutes {kind} {c[kind]}"
    return None


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
    sizes = sorted(wanted - ranges.keys())
    order = [i for i, _ in facts.indices if i in wanted]
    more = (2, 1, 0, 3) if len(sizes) <= 4 else (1, 2)
    for extra in islice(cartesian(more, repeat=len(sizes)), INSTANCES * 4):
        start = {x: least.get(x, 0) + k for x, k in zip(sizes, extra, strict=True)}
        for values in islice(_indexed(start, order, ranges, least), INSTANCES):
            if all(p.eval(values.__getitem__) >= 0 for p in facts.assumed):
                yield values


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
    for k in range(max(0, least.get(i, 0)), n):
        yield from _indexed({**values, i: k}, rest, ranges, least)


def points(ix: Lmad, values: Values) -> frozenset[int]:
    """The elements of an index function, at most so many."""
    return frozenset(islice(_listed(ix, values), POINTS))


def _listed(ix: Lmad, values: Values) -> Iterator[int]:
    value = values.__getitem__
    ranges = [range(max(0, d.len.eval(value))) for d in ix.dims]
    strides = [d.stride.eval(value) for d in ix.dims]
    start = ix.offset.eval(value)
    for index in cartesian(*ranges):
        yield start + sum(i * s for i, s in zip(index, strides, strict=True))


# ---------------------------------------------------------------------- text

_TERM = re.compile(r"\s*([+-])?\s*([^\s+-][^\s]*)")
_LMAD = re.compile(r"(?P<offset>.*) \+ \{(?P<dims>.*)\}")
_DIM = re.compile(r"\(([^():]*) : ([^():]*)\)")


def read_size(text: str) -> Size:
    """A polynomial as it is printed; names may be of other iterations."""
    total, rest = ZERO, text.strip()
    while rest:
        m = _TERM.match(rest)
        if m is None:
            raise _no_certificate(f"the size {text}")
        term = const(-1 if m[1] == "-" else 1)
        for factor in m[2].split("*"):
            term = term * (int(factor) if factor.isdecimal() else var(Name(factor)))
        total, rest = total + term, rest[m.end() :].strip()
    return total


def read_lmad(text: str) -> Lmad:
    """An index function as it is printed."""
    m = _LMAD.fullmatch(text)
    if m is None:
        raise _no_certificate(f"the index function {text}")
    dims = [Dim(read_size(n), read_size(s)) for n, s in _DIM.findall(m["dims"])]
    return Lmad(read_size(m["offset"]), tuple(dims))


def _facts(f: Mapping[str, Any]) -> Facts:
    return Facts(
        tuple((Name(i), read_size(n)) for i, n in f["indices"]),
        tuple((Name(x), int(k)) for x, k in f["least"]),
        tuple(read_size(p) for p in f["assumed"]),
    )


def _no_certificate(what: str) -> InputError:
    return InputError(Diagnostic(NOWHERE, "certificate", f"no certificate: {what}"))
