"""Certificates as JSON.

    {"program": text, "verdict": …, "counts": {"PROVED": n, …}, "median_ms": …,
     "obligations": [{"kind": "O1", "entry": …, "place": …, "at": …, "verdict": …, "step": …,
                      "ms": …, "conditions": […], "why": …, "bound": k, "counterexample": …}]}

A condition is a statement that was proved: ``{"apart": [lmad, lmad], "facts": …}``,
``{"no-repeat": lmad, …}``, ``{"nonneg": size, …}``, ``{"within": [lmad, lmad], …}``, or
``{"argued": text}``.  Facts are ``indices`` (``[i, n]``: 0 <= i < n), ``least`` (``[x, k]``:
x >= k) and ``assumed`` (>= 0).
"""

from statistics import median
from typing import Any

from funmem.ir.logic.prove import Facts
from funmem.ir.verify.certificate import (
    Apart,
    Argued,
    Certificate,
    Condition,
    Nonneg,
    NoRepeat,
    Obligation,
    Proof,
    Verdict,
    Within,
)


def to_json(c: Certificate) -> dict[str, Any]:
    """Return the certificate as JSON data."""
    return {
        "program": c.program,
        "verdict": c.verdict.value,
        "counts": {v.value: c.count(v) for v in Verdict},
        "median_ms": round(median(o.ms for o in c.obligations), 3) if c.obligations else 0.0,
        "obligations": [_obligation(o) for o in c.obligations],
    }


def _obligation(o: Obligation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "kind": o.kind.value,
        "entry": o.entry,
        "place": o.place,
        "at": str(o.at),
        "verdict": o.verdict.value,
        "step": None if o.step is None else o.step.value,
        "ms": round(o.ms, 3),
        "conditions": [_proof(p) for p in o.proofs],
    }
    if o.why:
        found["why"] = o.why
    if o.bound:
        found["bound"] = o.bound
    if o.counterexample is not None:
        found["counterexample"] = {
            "entry": o.counterexample.entry,
            "args": list(o.counterexample.args),
            "message": o.counterexample.message,
        }
    return found


def _proof(p: Proof) -> dict[str, Any]:
    return {"step": p.step.value, **_condition(p.condition)}


def _condition(c: Condition) -> dict[str, Any]:
    match c:
        case Apart(a, b, facts):
            return {"apart": [str(a), str(b)], "facts": _facts(facts)}
        case NoRepeat(ix, facts):
            return {"no-repeat": str(ix), "facts": _facts(facts)}
        case Nonneg(p, facts):
            return {"nonneg": str(p), "facts": _facts(facts)}
        case Within(a, b, facts):
            return {"within": [str(a), str(b)], "facts": _facts(facts)}
        case Argued(text):
            return {"argued": text}


def _facts(f: Facts) -> dict[str, Any]:
    return {
        "indices": [[i, str(n)] for i, n in f.indices],
        "least": [[x, k] for x, k in f.least],
        "assumed": [str(p) for p in f.assumed],
    }
