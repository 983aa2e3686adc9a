"""Differences that are explained: what Futhark 0.25 does, and why we do otherwise."""

import re

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
        "negative allocation|Error allocating|[Oo]ut of memory",
        "0.25 makes an array of a negative size and fails at the allocation",
    ),
    Known(
        Kind.THEY_REFUSE,
        "scope violation",
        "0.25 refuses a value whose size has no name on the left of `|>`",
    ),
    Known(
        Kind.WE_REFUSE,
        "not supported: warnings",
        "we have no warnings",
    ),
)

PROGRAMS = {
    "newer/": "what 0.25 does not have, or has with a fault; the documentation decides",
    "tier3/flat_slices/": "0.25 has them in no prelude of its own",
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
