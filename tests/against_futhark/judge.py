"""One program's calls through both compilers; who is right is Futhark's interpreter's business.

Futhark's compiler drops what it finds to be unused, errors with it, and has faults of its own; its
interpreter optimises nothing.  So where compiled Futhark and funmem differ in a run, the
interpreter is asked: a difference in which it is on our side is explained.  Where the interpreter
was asked first, the compiler is the second opinion.
"""

from collections.abc import Sequence
from pathlib import Path

from attrs import evolve, frozen

from funmem.ir.values import ArgValue
from tests.against_futhark.known import reason
from tests.against_futhark.order import from_the_right
from tests.against_futhark.ours import Ours
from tests.against_futhark.outcome import (
    Difference,
    Failed,
    Kind,
    Outcome,
    Refused,
    Results,
    compare,
    essence,
)
from tests.against_futhark.peer import Executable, Interpreted, Peer

RUNS = (Kind.RESULT, Kind.WE_TRAP, Kind.THEY_TRAP, Kind.MESSAGE)
"""Differences that the interpreter may explain."""


@frozen
class Call:
    """An entry point and arguments for it."""

    entry: str
    args: tuple[ArgValue, ...]


@frozen
class Trial:
    """A program with calls: what Futhark said about it, and where its text is."""

    name: str
    path: Path
    """Where Futhark's interpreter finds it."""
    text: str
    calls: Sequence[Call]
    theirs: Executable | Interpreted | Refused


@frozen
class Finding:
    """A difference, and the call that shows it."""

    trial: Trial
    call: Call | None
    difference: Difference


@frozen
class Verdict:
    """What came of a program: the first difference of each kind, and how many calls agreed."""

    findings: tuple[Finding, ...]
    same_results: int = 0
    same_errors: int = 0
    different: int = 0
    refused: bool = False
    """By both."""


def judge(trial: Trial, peer: Peer, ours: Ours) -> Verdict:
    """Both compilers on all calls."""
    if isinstance(trial.theirs, Refused) or ours.rejection is not None:
        return _unequal(trial, trial.theirs, ours)
    found: dict[Kind, Finding] = {}
    results = errors = different = 0
    for call in trial.calls:
        answer = ours.run(call.entry, call.args)
        d = compare(trial.theirs.run(call.entry, call.args), answer)
        if d is not None:
            different += 1
            if d.kind not in found:
                explained = _explained(trial, peer, call, d, answer)
                found[d.kind] = Finding(trial, call, explained)
        elif isinstance(answer, Results):
            results += 1
        else:
            errors += 1
    return Verdict(tuple(found.values()), results, errors, different)


def _unequal(trial: Trial, theirs: Executable | Interpreted | Refused, ours: Ours) -> Verdict:
    """What there is to say about a program that one of the compilers refuses."""
    said: Outcome = theirs if isinstance(theirs, Refused) else Results(())
    d = compare(said, ours.rejection or Results(()))
    if d is None:
        return Verdict((), refused=True)
    call = trial.calls[0] if trial.calls else None
    return Verdict((Finding(trial, call, evolve(d, known=reason(d.kind, d.what))),))


def _explained(trial: Trial, peer: Peer, call: Call, d: Difference, ours: Outcome) -> Difference:
    known = reason(d.kind, d.what)
    if not known and d.kind in RUNS:
        if not trial.path.exists():
            trial.path.write_text(trial.text)
        asks = _by_compiler if isinstance(trial.theirs, Interpreted) else _by_interpreter
        known = asks(trial, peer, call, ours, d.kind)
    return evolve(d, known=known)


def _by_compiler(trial: Trial, peer: Peer, call: Call, ours: Outcome, kind: Kind) -> str:
    """The interpreter has faults of its own: ``atan2 inf inf`` is NaN, says it."""
    made = peer.compile(trial.path)
    if isinstance(made, Executable) and compare(made.run(call.entry, call.args), ours) is None:
        return "Futhark's compiler answers what we do, its interpreter something else"
    return _by_interpreter(trial, peer, call, ours, kind)


def _by_interpreter(trial: Trial, peer: Peer, call: Call, ours: Outcome, kind: Kind) -> str:
    strict = peer.interpret(trial.path, call.entry, call.args)
    match strict, ours:
        case Failed(said, where), Failed(message, places):
            if essence(message) in essence(said) or set(where) & set(places):
                return "Futhark's interpreter fails as we do, or at the same place"
            if kind is Kind.MESSAGE and from_the_right(trial.text, where, places):
                return "of two errors in arguments, Futhark meets the one on the right first"
            fails = kind is Kind.WE_TRAP
            return "Futhark's interpreter fails, too; its compiler does not" if fails else ""
        case _ if compare(strict, ours) is None:
            return "Futhark's interpreter answers what we do, its compiler something else"
        case _:
            return ""
