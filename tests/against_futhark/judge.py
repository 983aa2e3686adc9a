"""One program's calls through both compilers; who is right is Futhark's interpreter's business.

Futhark's compiler drops what it finds to be unused, errors with it, and has faults of its own; its
interpreter optimises nothing.  So where compiled Futhark and funmem differ in a run, the
interpreter is asked: a difference in which it is on our side is explained.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import evolve, frozen

from funmem.ir.values import ArgValue
from tests.against_futhark.known import reason
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
from tests.against_futhark.peer import Executable, Peer

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
    theirs: Executable | Refused


@frozen
class Finding:
    """A difference, and the call that shows it."""

    trial: Trial
    call: Call | None
    difference: Difference


def judge(trial: Trial, peer: Peer, via: str) -> Iterator[Finding]:
    """The first difference of each kind."""
    ours = Ours(trial.text, trial.name, via)
    if isinstance(trial.theirs, Refused) or ours.rejection is not None:
        yield from _unequal(trial, trial.theirs, ours)
        return
    seen: set[Kind] = set()
    for call in trial.calls:
        answer = ours.run(call.entry, call.args)
        d = compare(trial.theirs.run(call.entry, call.args), answer)
        if d is not None and d.kind not in seen:
            seen.add(d.kind)
            yield Finding(trial, call, _explained(trial, peer, call, d, answer))


def _unequal(trial: Trial, theirs: Executable | Refused, ours: Ours) -> Iterator[Finding]:
    """What there is to say about a program that one of the compilers refuses."""
    said: Outcome = theirs if isinstance(theirs, Refused) else Results(())
    d = compare(said, ours.rejection or Results(()))
    call = trial.calls[0] if trial.calls else None
    if d is None:
        yield Finding(trial, None, Difference(Kind.BOTH_REFUSE, "", "no difference"))
    else:
        yield Finding(trial, call, evolve(d, known=reason(d.kind, d.what)))


def _explained(trial: Trial, peer: Peer, call: Call, d: Difference, ours: Outcome) -> Difference:
    known = reason(d.kind, d.what)
    if not known and d.kind in RUNS:
        known = _by_interpreter(trial, peer, call, ours, d.kind)
    return evolve(d, known=known)


def _by_interpreter(trial: Trial, peer: Peer, call: Call, ours: Outcome, kind: Kind) -> str:
    if not trial.path.exists():
        trial.path.write_text(trial.text)
    strict = peer.interpret(trial.path, call.entry, call.args)
    match strict, ours:
        case Failed(said), Failed(message):
            if essence(message) in " ".join(said.split()):
                return "Futhark's interpreter fails as we do"
            fails = kind is Kind.WE_TRAP
            return "Futhark's interpreter fails, too; its compiler does not" if fails else ""
        case _ if compare(strict, ours) is None:
            return "Futhark's interpreter answers what we do, its compiler something else"
        case _:
            return ""
