"""An explanation as JSON.

    {"program": …, "pipeline": …, "entries": [{
        "name", "signature", "sizes": {…},
        "blocks":  [{"name", "bytes", "value", "argument", "result", "arrays": [{"name", "type",
                     "line", "place"}], "from", "to", "conditions"}],
        "thread_blocks": [{"name", "bytes", "space", "line"}],
        "copies":  [{"kind", "statement", "source", "dest", "line", "bytes", "times", "inside",
                     "condition", "reason", "pass"}],
        "removed": [{"kind", "statement", "source", "dest", "line", "bytes", "pass", "how"}],
        "steps":   [{"step", "line", "what", "live_bytes"}],
        "quantities": [{"name", "kind", "of", "line", "value"}],
        "peak_bytes": {"formula", "for_positive_sizes", "exact", "conditions", "value"},
        "status_bytes": 256}]}

``from`` and ``to`` are ``{"step", "line", "what"}``, or null for the start and the end of the call.
Numbers that depend on sizes are null unless the sizes are given.
"""

import math
from typing import Any

from funmem.codegen.memory_plan import BlockPlan
from funmem.codegen.memory_plan.formula import show, show_size
from funmem.explain.report import (
    EntryReport,
    Explanation,
    Moment,
    lifetime,
    status_words,
)
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.scalars import Value
from funmem.passes.mem.copying import ArrayCopy


def to_json(x: Explanation) -> dict[str, Any]:
    """Return the explanation of a program as JSON."""
    return {
        "program": x.source,
        "pipeline": str(x.pipeline),
        "entries": [_entry(e) for e in x.entries],
        "operations": [
            {"place": r.place, "parallel": r.done, "how": r.reason} for r in x.operations
        ],
    }


def _entry(r: EntryReport) -> dict[str, Any]:
    m = r.measured
    return {
        "name": r.name,
        "signature": r.head,
        "sizes": {x: _number(v) for x, v in r.scalars.items()},
        "blocks": [_block(b, r) for b in r.plan.blocks],
        "thread_blocks": [
            {
                "name": b.name,
                "bytes": show_size(b.bytes),
                "space": b.space.value,
                "line": line(b.at),
            }
            for b in r.thread_blocks
        ],
        "copies": [
            {
                **_copy(k.copy),
                "times": None if k.copy.times is None else show_size(k.copy.times),
                "inside": [{"what": a.what, "line": line(a.at)} for a in k.copy.around],
                "condition": k.reason.condition,
                "reason": k.reason.reason,
                "pass": k.reason.pass_name or None,
            }
            for k in r.kept
        ],
        "removed": [{**_copy(g.copy), "pass": g.pass_name, "how": g.how} for g in r.gone],
        "steps": [
            {**_moment(s), "live_bytes": None if m is None else m.live.get(s.step)}
            for s in r.moments
            if s.work
        ],
        "quantities": [
            {
                "name": q.name,
                "kind": q.kind.value,
                "of": q.of,
                "line": line(r.place(q.of)),
                "value": None if m is None else m.quantities[q.name],
            }
            for q in r.peak.quantities
        ],
        "peak_bytes": {
            "formula": str(r.peak),
            "for_positive_sizes": str(r.peak.for_positive_sizes()),
            "exact": r.peak.exact,
            "conditions": list(r.peak.conditions),
            "value": None if m is None else m.peak,
        },
        "status_bytes": 8 * status_words(r.plan.entry),
    }


def _number(v: Value) -> Value | str:
    """Return a scalar for JSON, which has neither NaN nor infinities: these become texts."""
    return str(v) if isinstance(v, float) and not math.isfinite(v) else v


def _block(b: BlockPlan, r: EntryReport) -> dict[str, Any]:
    first, last = lifetime(b, r)
    return {
        "name": b.name,
        "bytes": show(b.bytes, r.peak.atoms),
        "value": block_value(b, r),
        "argument": b.step is None,
        "result": b.result,
        "arrays": [
            {"name": a.name, "type": str(a.type), "line": line(a.at), "place": str(a.home.ix)}
            for a in r.arrays.get(b.name, ())
        ],
        "from": None if first is None else _moment(first),
        "to": None if last is None else _moment(last),
        "conditions": list(b.conditions),
    }


def block_value(b: BlockPlan, r: EntryReport) -> int | None:
    """Return the largest size of a block during the run, in bytes; None without a run."""
    if r.measured is None:
        return None
    return r.measured.blocks.get(b.site, 0)


def _copy(c: ArrayCopy) -> dict[str, Any]:
    return {
        "kind": c.kind.value,
        "statement": c.statement,
        "source": c.source,
        "dest": c.dest,
        "line": line(c.at),
        "bytes": show_size(c.bytes),
    }


def _moment(m: Moment) -> dict[str, Any]:
    return {"step": m.step, "line": line(m.at), "what": m.what}


def line(at: Span) -> int | None:
    """Return a place's line, if it has one."""
    return None if at == NOWHERE else at.line
