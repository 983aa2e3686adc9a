"""Certificates read from JSON, whose structure as_json.py documents; any data may be given.

Conditions are FUNMEM text in which names may have primes and dots, for other iterations.  All
functions raise InputError for data that is not a certificate.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from math import prod
from typing import TypeVar

from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError
from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import Monomial, Size
from funmem.ir.verify.certificate import (
    Apart,
    Argued,
    Condition,
    Kind,
    Nonneg,
    NoRepeat,
    Step,
    Verdict,
    Within,
)


@frozen
class Claim:
    """The statement of a certificate about one obligation."""

    kind: Kind
    entry: str
    place: str
    verdict: Verdict
    step: Step | None
    conditions: tuple[Condition, ...]
    input: tuple[str, tuple[str, ...]] | None
    """For a counterexample: the entry point, and its arguments as text."""


@frozen
class Claims:
    """A certificate as it was read; its program is text that may not parse."""

    program: str
    verdict: Verdict
    obligations: tuple[Claim, ...]


def from_json(data: object) -> Claims:
    """Return the certificate that JSON data represent."""
    c = _object(data, "the certificate")
    claims = tuple(_claim(o) for o in _list(_get(c, "obligations"), "obligations"))
    return Claims(_text(_get(c, "program"), "program"), _one_of(Verdict, c, "verdict"), claims)


def _claim(data: object) -> Claim:
    o = _object(data, "an obligation")
    return Claim(
        _one_of(Kind, o, "kind"),
        _text(_get(o, "entry"), "entry"),
        _text(_get(o, "place"), "place"),
        _one_of(Verdict, o, "verdict"),
        None if _get(o, "step") is None else _one_of(Step, o, "step"),
        tuple(_condition(c) for c in _list(_get(o, "conditions"), "conditions")),
        _input(o["counterexample"]) if "counterexample" in o else None,
    )


def _input(data: object) -> tuple[str, tuple[str, ...]]:
    c = _object(data, "a counterexample")
    args = _list(_get(c, "args"), "args")
    return _text(_get(c, "entry"), "entry"), tuple(_text(a, "an argument") for a in args)


def _condition(data: object) -> Condition:
    c = _object(data, "a condition")
    match sorted(c.keys() - {"facts", "step"}):
        case ["argued"]:
            return Argued(_text(c["argued"], "argued"))
        case ["apart"]:
            return Apart(*_two(c["apart"]), _facts(_get(c, "facts")))
        case ["no-repeat"]:
            return NoRepeat(read_lmad(_text(c["no-repeat"], "no-repeat")), _facts(_get(c, "facts")))
        case ["nonneg"]:
            return Nonneg(read_size(_text(c["nonneg"], "nonneg")), _facts(_get(c, "facts")))
        case ["within"]:
            return Within(*_two(c["within"]), _facts(_get(c, "facts")))
        case other:
            raise no_certificate(f"a condition {other}")


def _two(data: object) -> tuple[Lmad, Lmad]:
    a, b = (read_lmad(_text(x, "an index function")) for x in _list(data, "two places", 2))
    return a, b


def _facts(data: object) -> Facts:
    """Return facts: a bound mentions only indices before it, and no index is bound twice."""
    f = _object(data, "facts")
    indices = tuple(_pair(p, _bound) for p in _list(_get(f, "indices"), "indices"))
    later = [i for i, _ in indices]
    for i, n in indices:
        if not n.free().isdisjoint(later) or later.count(i) > 1:
            raise no_certificate(f"index {i} below {n}")
        later.remove(i)
    least = tuple(_pair(p, _number) for p in _list(_get(f, "least"), "least"))
    assumed = _list(_get(f, "assumed"), "assumed")
    return Facts(indices, least, tuple(read_size(_text(p, "assumed")) for p in assumed))


T = TypeVar("T")


def _pair(data: object, second: Callable[[object], T]) -> tuple[Name, T]:
    x, y = _list(data, "a fact", 2)
    name = _text(x, "a name")
    if _NAME.fullmatch(name) is None:
        raise no_certificate(f"the name {name}")
    return Name(name), second(y)


def _bound(data: object) -> Size:
    return read_size(_text(data, "a bound"))


def _number(data: object) -> int:
    if not isinstance(data, int):
        raise no_certificate(f"the number {data}")
    return data


# ---------------------------------------------------------------------- JSON


def _object(data: object, what: str) -> Mapping[str, object]:
    if not isinstance(data, dict):
        raise no_certificate(f"{what} is not an object")
    return data


def _get(data: Mapping[str, object], key: str) -> object:
    if key not in data:
        raise no_certificate(f"{key} is missing")
    return data[key]


def _list(data: object, what: str, n: int | None = None) -> Sequence[object]:
    if not isinstance(data, list) or (n is not None and len(data) != n):
        raise no_certificate(f"{what}: not a list" + (f" of {n}" if n else ""))
    return data


def _text(data: object, what: str) -> str:
    if not isinstance(data, str) or _SURROGATE.search(data):
        raise no_certificate(f"{what} is not text")
    return data


_SURROGATE = re.compile("[\ud800-\udfff]")
"""A surrogate: JSON can contain one, text cannot."""

E = TypeVar("E", bound=Enum)


def _one_of(of: type[E], data: Mapping[str, object], key: str) -> E:
    value = _get(data, key)
    for x in of:
        if x.value == value:
            return x
    raise no_certificate(f"{key} is not one of {', '.join(str(x.value) for x in of)}")


def no_certificate(what: str) -> InputError:
    """Return the error for data that is not a certificate."""
    return InputError(Diagnostic(NOWHERE, "certificate", f"not a certificate: {what}"))


# ---------------------------------------------------------------------- text

_NAME = re.compile(r"[A-Za-z_][\w'.]*")
_FACTOR = rf"(?:\d{{1,40}}|{_NAME.pattern})"
_TERM = re.compile(rf"\s*([+-])?\s*({_FACTOR}(?:\*{_FACTOR})*)\s*", re.ASCII)
_LMAD = re.compile(r"(?P<offset>.*) \+ \{(?P<dims>.*)\}")
_DIM = re.compile(r"\(([^():]*) : ([^():]*)\) ?")


MOST = 1000
"""Cap on dimensions of an index function and factors of a term; the verifier writes about 40."""


def read_size(text: str) -> Size:
    """Return a polynomial from its text; names may belong to other iterations."""
    total: dict[Monomial, int] = {}
    at = 0
    while at < len(text) or not at:
        m = _TERM.match(text, at)
        if m is None or (at and m[1] is None):
            raise no_certificate(f"the size {text}")
        factors = m[2].split("*")
        if len(factors) > MOST:
            raise no_certificate(f"a term of {len(factors)} factors")
        names = tuple(sorted(Name(f) for f in factors if not f.isdecimal()))
        k = prod(int(f) for f in factors if f.isdecimal())
        total[names] = total.get(names, 0) + (-k if m[1] == "-" else k)
        at = m.end()
    return Size.from_terms(total)


def read_lmad(text: str) -> Lmad:
    """Return an index function from its text."""
    m = _LMAD.fullmatch(text)
    if m is None or _DIM.sub("", m["dims"]):
        raise no_certificate(f"the index function {text}")
    found = _DIM.findall(m["dims"])
    if len(found) > MOST:
        raise no_certificate(f"an index function of {len(found)} dimensions")
    return Lmad(read_size(m["offset"]), tuple(Dim(read_size(n), read_size(s)) for n, s in found))
