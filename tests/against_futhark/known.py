"""Differences that are explained: what Futhark 0.25 does, and why we do otherwise."""

import re

import sympy
from attrs import frozen

from tests.against_futhark.outcome import Kind


@frozen
class Known:
    """Differences of a kind whose description has the pattern."""

    kind: Kind
    pattern: str
    reason: str


KNOWN = (
    Known(
        Kind.THEY_FAIL,
        "Ratio has zero denominator",
        "0.25 divides by zero when it folds `%` of float constants",
    ),
    Known(
        Kind.THEY_FAIL,
        "Internal compiler error",
        "a fault of 0.25's compiler: an existential size of a matched or looped tuple escapes",
    ),
    Known(
        Kind.THEY_TRAP,
        "[Nn]egative allocation|Error allocating|[Oo]ut of memory",
        "0.25 makes an array of a negative size and fails at the allocation",
    ),
    Known(
        Kind.THEY_REFUSE,
        "scope violation",
        "0.25 refuses an argument whose size has no name, as on the left of `|>`; we give it one",
    ),
    Known(
        Kind.MESSAGE,
        "^`ended with -8` / `division by zero`",
        "a division by zero without a check in the C code of 0.25",
    ),
    Known(
        Kind.MESSAGE,
        "^`entry point arguments have invalid sizes",
        "we say which argument, and what its sizes are",
    ),
    Known(
        Kind.MESSAGE,
        "^`Assertion is false: entry point arguments have invalid sizes",
        "we say which argument, and what its sizes are",
    ),
    Known(
        Kind.WE_REFUSE,
        r"of `unflatten\w*` is (\[|not determined)",
        "sizes are polynomials: n * 1 is n, and nobody can tell what its factors were",
    ),
    Known(
        Kind.WE_TRAP,
        r"Index \[(\d+):[^\]]*:-\d+\] out of bounds for array of shape \[\1\]",
        "xs[n::-1] of n elements: 0.25's compiler reads beyond the array, its interpreter has none",
    ),
    Known(
        Kind.WE_REFUSE,
        "^hole:",
        "a hole is an error that tells its type; Futhark warns, and fails where it is reached",
    ),
    Known(
        Kind.THEY_REFUSE,
        r"Expected: \[loop",
        "arrays that a loop exchanges keep equal sizes equal: `loop (a, b) = (x, x) … do (b, a)`",
    ),
)

PROGRAMS = {
    "newer/": "what 0.25 does not have, or has with a fault; the documentation decides",
    "tier3/flat_slices/": "0.25 has them in no prelude of its own",
    "funmem/benchmarks/flat": "a module without entry points",
    "comprehensions/segmented_": "functions of our prelude that 0.25 has in none of its own",
    "comprehensions/": "array comprehensions are not Futhark's",
}
"""Own programs that 0.25 cannot run: a part of the path, and why."""


def reason(kind: Kind, what: str) -> str:
    """Why a difference is none of ours; empty if nobody knows."""
    text = " ".join(what.split())
    for k in KNOWN:
        if k.kind is kind and re.search(k.pattern, text):
            return k.reason
    return ""


def left_out(path: str) -> str:
    """Why an own program is not compared; empty if it is."""
    return next((why for part, why in PROGRAMS.items() if part in path), "")


THEY_ALONE = (
    ('Unknown name "', "recursion, and functions of the library that 0.25 does not have"),
    (
        r"Actual: \(.*\) -> .*Cannot link size .* \(scope violation\).* When matching return types",
        "a lambda whose result has its parameter's size is a function with an unknown size",
    ),
    (r'"(t\S*)" must be one of .*due to use of ">>>"', ">>> needs no module here"),
)
"""What they say of mutants that are accepted here, and why."""

WE_ALONE = (("^a hole of type", "a hole is an error that tells its type"),)
"""What we say of mutants that are accepted there, and why."""


def mutant_reason(ours: str | None, theirs: str | None) -> str:
    """Why a difference about a mutant is none of ours; empty if nobody knows, or there is none."""
    if ours is None and theirs is not None:
        text = " ".join(theirs.split())
        sizes = re.search(r'Sizes "([^"]*)" and "([^"]*)" do not match', text)
        if sizes is not None and _equal(sizes[1], sizes[2]):
            return "equal polynomials are equal sizes"
        return next((why for pattern, why in THEY_ALONE if re.search(pattern, text)), "")
    if ours is not None and theirs is None:
        return next((why for pattern, why in WE_ALONE if re.search(pattern, ours)), "")
    return ""


def _equal(a: str, b: str) -> bool:
    """Whether two sizes, as Futhark shows them, are the same polynomial, and not written alike."""
    try:
        x, y = (sympy.sympify(s.replace("₀", "0")) for s in (a, b))
    except (sympy.SympifyError, TypeError, SyntaxError):
        return False
    return a != b and sympy.expand(x - y) == 0
