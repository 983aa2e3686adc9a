"""Counterexamples and bounded verdicts: programs are run on the heap interpreter.

An obligation is REFUTED only by an execution: a memory fault, which names block, bytes, both
iterations and both statements, or a result that differs from that of the value interpreter.  If
none of the first k inputs shows one, it is BOUNDED(k).  If both the heap and the value interpreter
read an element that was never written, memory is not at fault: the program TRAPS there, and the
obligation is decided.  Inputs are small; then some with numbers of large magnitude follow, on which
the program also executes few statements.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
from attrs import field

from funmem.interp.counted import TooMuch
from funmem.interp.heap import run_heap
from funmem.interp.heap_memory import NOT_INJECTIVE
from funmem.interp.metered import LARGEST, MOST, Measured, Metered
from funmem.interp.value import run
from funmem.ir.check import check
from funmem.ir.diagnostics import (
    NOWHERE,
    DeviceError,
    FaultKind,
    MemoryFault,
    SourceError,
    Span,
    Stuck,
    Trap,
    TrapKind,
)
from funmem.ir.erase import erase
from funmem.ir.fun import Ann, ArrayType, Entry, Program
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.signature import signature
from funmem.ir.values import ArgValue, ArrayValue, Tolerance, Value, agree, bind
from funmem.ir.verify.certificate import (
    Certificate,
    Counterexample,
    Kind,
    Obligation,
    Verdict,
)
from funmem.ir.verify.reads import result_of
from funmem.values.arguments import show_value
from funmem.verify.enumeration import searched
from funmem.verify.inputs import far_inputs, small_inputs

INPUTS = 60
"""Number of small inputs per entry point, not counting those on which a program does too much."""

STRUCTURED = 200
"""Number of structured small inputs; beyond it, inputs are enumerated by total size."""

FAR_INPUTS = 40
"""Number of inputs with numbers of large magnitude, if any inputs are tried."""

STATEMENTS, ELEMENTS = 1 << 17, 1 << 20
"""Caps on statements and on elements of an array, on small inputs, for the unoptimised program."""

LARGEST_BLOCK = 1 << 28
"""Cap on the bytes of a block on these inputs; arrays have few elements (interp/metered.py)."""

KINDS: Mapping[FaultKind, Kind] = {
    FaultKind.RACE: Kind.RACE_FREE,
    FaultKind.POISON: Kind.WRITTEN,
    FaultKind.OUTSIDE: Kind.INSIDE,
    FaultKind.INCOHERENT: Kind.COHERENT,
    FaultKind.COPY_OVERLAP: Kind.COPY,
    FaultKind.CLOBBERED: Kind.NOT_CLOBBERED,
}

CANNOT_RUN = (DeviceError, Stuck)
"""Failures that show nothing about memory: it is too small, or the program has no meaning."""

Outcome = tuple[Value, ...] | TrapKind


@frozen
class ValueOutcome:
    """The outcome of a program on some arguments in the value semantics, and its work."""

    outcome: Outcome
    work: int

    @property
    def most(self) -> int:
        """Cap on the work in the heap semantics: statements, or iterations of parts of kernels.

        A program that does more there is considered not to end.
        """
        return 1000 + 4 * self.work


@frozen
class Found:
    """The result of a run: the kind of obligation that is violated, the place, and a message."""

    kind: Kind
    at: Span
    message: str
    args: tuple[ArgValue, ...]


def replayed(
    p: Program[Ann], c: Certificate, inputs: int = INPUTS, seconds: float | None = None
) -> Certificate:
    """Return the certificate after trying unproved obligations, on ``inputs`` per entry point.

    Inputs with numbers of large magnitude follow.  After ``seconds``, no further input is searched.
    """
    if c.verdict is Verdict.PROVED or not _can_run(c):
        return c
    found = list(c.obligations)
    for e in p.entries:
        found = _entry(p, e, found, inputs, seconds)
    return evolve(c, obligations=tuple(found))


def _can_run(c: Certificate) -> bool:
    """True if only annotations can be wrong: a program with other type errors has no meaning."""
    return all(code.startswith("T-MEM") for code in broken(c))


def broken(c: Certificate) -> tuple[str, ...]:
    """Return the type rules that the program breaks."""
    return tuple(o.place for o in c.obligations if not o.entry)


def _entry(
    p: Program[Ann],
    e: Entry[Ann],
    obligations: list[Obligation],
    inputs: int,
    seconds: float | None,
) -> list[Obligation]:
    mine = [o for o in obligations if o.entry in (e.name, "") and o.verdict is not Verdict.PROVED]
    if not mine:
        return obligations
    hints = tuple(dict(o.hint) for o in mine if o.hint)
    tried, refuted = 0, False
    meter = _meter(p, e)
    far = (args for args, _ in _cheap(p, e))
    first = small_inputs(e, min(inputs, STRUCTURED), hints)
    for args in chain(first, far, searched(e, inputs - STRUCTURED, seconds)):
        try:
            shown = _shown_by(p, e, args, _measured(meter, args))
        except CANNOT_RUN:
            continue
        if shown is None:
            continue
        tried += 1
        refuted = refuted or shown.fault is not None
        obligations = shown.of(obligations, e)
        if all(o.decided for o in obligations) or (refuted and tried > STRUCTURED):
            break
    if refuted or not tried:
        return obligations
    return [
        o.bounded(tried) if o.verdict is Verdict.UNKNOWN and o.entry == e.name else o
        for o in obligations
    ]


def _cheap(p: Program[Ann], e: Entry[Ann]) -> Iterator[tuple[tuple[ArgValue, ...], ValueOutcome]]:
    """Yield inputs with numbers of large magnitude and little work, each with its outcome."""
    meter = Measured(p, e.name)
    for args in far_inputs(e, FAR_INPUTS):
        want = _measured(meter, args)
        if want is not None:
            yield args, want


def _measured(meter: Measured, args: tuple[ArgValue, ...]) -> ValueOutcome | None:
    """Return the outcome on some arguments; None if the program cannot run or does too much."""
    try:
        want, _ = meter.run(args)
    except (TooMuch, *CANNOT_RUN):
        return None
    return ValueOutcome(want.kind if isinstance(want, Trap) else want, meter.used)


def _meter(p: Program[Ann], e: Entry[Ann]) -> Measured:
    """Return an interpreter of an entry point with the caps for small inputs."""
    return Measured(p, e.name, STATEMENTS, Metered(ELEMENTS))


@frozen
class Shown:
    """The findings of one execution.

    ``fault``: a memory fault; ``hole``: the program itself reads an element that was never written;
    ``returned``: results with such an element, by the place of their obligation.
    """

    fault: Found | None = None
    hole: Found | None = None
    returned: Mapping[str, Found] = field(factory=dict)

    def of(self, obligations: list[Obligation], e: Entry[Ann]) -> list[Obligation]:
        """Return the obligations, with those decided that the findings decide."""
        if self.hole is not None:
            obligations = _trapping(obligations, e, self.hole)
        if self.returned:
            obligations = _returned(obligations, e, self.returned)
        if self.fault is not None:
            obligations = _blamed(obligations, e, self.fault)
        return obligations


def _shown_by(
    p: Program[Ann], e: Entry[Ann], args: tuple[ArgValue, ...], want: ValueOutcome | None
) -> Shown | None:
    """Return the findings on some arguments; None without an outcome in the value semantics."""
    if want is None:
        return None
    if want.outcome is TrapKind.UNINITIALISED:
        return _own_hole(p, e, args, want)
    return Shown(_fault(p, e, args, want), returned=_holes_returned(e, args, want.outcome))


def fault_of(p: Program[Ann], e: Entry[Ann], args: tuple[ArgValue, ...]) -> Found | None:
    """Return the memory fault of one execution.

    None: there is none, the program cannot run, or it does too much.
    """
    try:
        shown = _shown_by(p, e, args, _measured(_meter(p, e), args))
    except CANNOT_RUN:
        return None
    return None if shown is None else shown.fault


def rerun(
    p: Program[Ann], e: Entry[Ann], args: Sequence[ArgValue], obligations: list[Obligation]
) -> list[Obligation]:
    """Return the obligations of a program, none of which has been tried, after one execution.

    If the execution adds an obligation, it is the last.  Raise InputError for invalid arguments.
    """
    _, bound = bind(signature(e), args)
    try:
        shown = _shown_by(p, e, bound, _measured(_meter(p, e), bound))
    except CANNOT_RUN:
        return obligations
    return obligations if shown is None else shown.of(obligations, e)


def _fault(
    p: Program[Ann], e: Entry[Ann], args: tuple[ArgValue, ...], want: ValueOutcome
) -> Found | None:
    try:
        got: Outcome = run_heap(p, e.name, args, largest=LARGEST_BLOCK, most=want.most).values
    except Trap as t:
        got = t.kind
    except TooMuch as much:
        message = f"value semantics: {_kind(want.outcome)}; heap semantics: no end, {much}"
        return Found(Kind.NOT_CLOBBERED, NOWHERE, message, args)
    except MemoryFault as f:
        shared = f.kind is FaultKind.RACE and f.diagnostic.message.startswith(NOT_INJECTIVE)
        kind = Kind.INJECTIVE if shared else KINDS[f.kind]
        d = f.diagnostic
        message = f"{f.kind.value}: {d.message}" + (f"\n  {d.hint}" if d.hint else "")
        return Found(kind, d.at, message, args)
    return compared(want.outcome, got, args)


def _own_hole(
    p: Program[Ann], e: Entry[Ann], args: tuple[ArgValue, ...], want: ValueOutcome
) -> Shown | None:
    """Return the findings for a program that reads an element that was never written.

    The heap interpreter must find that too.  It is a fault of memory if it finds the value of
    another array instead and returns results.
    """
    try:
        run(p, e.name, args)
    except Trap as t:
        at, message = t.diagnostic.at, t.diagnostic.message
    else:
        return None
    try:
        run_heap(p, e.name, args, largest=LARGEST_BLOCK, most=want.most)
    except MemoryFault as f:
        text = f"{message}\n  {f.kind.value}: {f.diagnostic.message}"
        alike = f.kind is FaultKind.POISON and f.diagnostic.at == at
        return Shown(hole=Found(Kind.WRITTEN, at, text, args)) if alike else None
    except (Trap, TooMuch):
        return None
    text = f"{message}\n  on the heap there is what was in the block before, and there are results"
    return Shown(fault=Found(Kind.WRITTEN, at, text, args))


def _holes_returned(
    e: Entry[Ann], args: tuple[ArgValue, ...], outcome: Outcome
) -> Mapping[str, Found]:
    """Return the results with an element that was never written, by place of their obligation."""
    if isinstance(outcome, TrapKind):
        return {}
    found: dict[str, Found] = {}
    for b, v in zip(e.results, outcome, strict=True):
        if isinstance(v, ArrayValue) and v.defined is not None and not v.defined.all():
            at = ", ".join(map(str, np.argwhere(~v.defined)[0]))
            message = f"result {b.name}: element [{at}] was never given a value"
            found[result_of(b.name)] = Found(Kind.WRITTEN, b.at, message, args)
    return found


def _returned(
    obligations: list[Obligation], e: Entry[Ann], holes: Mapping[str, Found]
) -> list[Obligation]:
    """Return the obligations, with those refuted that are about results with holes."""

    def judged(o: Obligation) -> Obligation:
        mine = (o.kind, o.entry) == (Kind.WRITTEN, e.name) and not o.decided
        hole = holes.get(o.place) if mine else None
        if hole is None:
            return o
        return o.refuted(Counterexample(e.name, shown(e, hole.args), hole.message))

    return [judged(o) for o in obligations]


def _trapping(obligations: list[Obligation], e: Entry[Ann], hole: Found) -> list[Obligation]:
    """Return the obligations, with the open ones about a hole that the program reads as TRAPS."""
    c = Counterexample(e.name, shown(e, hole.args), hole.message)
    return [
        o.traps(c)
        if (o.kind, o.entry, o.at) == (hole.kind, e.name, hole.at) and not o.decided
        else o
        for o in obligations
    ]


def value_outcome(p: Program[Ann], entry: Name, args: Sequence[ArgValue]) -> Outcome:
    """Return the outcome of a program in the value semantics."""
    try:
        return run(p, entry, args)
    except Trap as t:
        return t.kind


def compared(
    want: Outcome,
    got: Outcome,
    args: tuple[ArgValue, ...],
    near: Tolerance | None = None,
    types: Sequence[ScalarType | ArrayType] = (),
) -> Found | None:
    """Return how two outcomes differ, or None; without a tolerance floats must be equal bits."""
    if isinstance(want, TrapKind) or isinstance(got, TrapKind):
        if want is got:
            return None
        message = f"value semantics: {_kind(want)}; heap semantics: {_kind(got)}"
        return Found(Kind.SIZES, NOWHERE, message, args)
    difference = agree(want, got, tolerance=near, types=types)
    if difference is None:
        return None
    return Found(Kind.NOT_CLOBBERED, NOWHERE, f"value against heap: {difference}", args)


def _kind(o: Outcome) -> str:
    return o.value if isinstance(o, TrapKind) else "results"


def _blamed(obligations: list[Obligation], e: Entry[Ann], fault: Found) -> list[Obligation]:
    """Return the obligations, with the one refuted that a fault is about.

    It is the one of the same kind and place, or the only open one of its kind, or the only open
    one.  If several or none qualify, the fault becomes an obligation of its own, unless one that
    is refuted already explains it.
    """
    c = Counterexample(e.name, shown(e, fault.args), fault.message)
    open_ = [o for o in obligations if o.entry in (e.name, "") and o.verdict is not Verdict.PROVED]
    same = [o for o in open_ if o.kind is fault.kind]
    here = [o for o in same if o.at == fault.at]
    chosen = here or same or open_
    if any(o.verdict is Verdict.REFUTED for o in chosen):
        return obligations
    if len(chosen) != 1:
        new = Obligation(fault.kind, e.name, "run", fault.at, Verdict.UNKNOWN, None, 0.0)
        return [*obligations, new.refuted(c)]
    return [o.refuted(c) if o is chosen[0] else o for o in obligations]


def shown(e: Entry[Ann], args: Sequence[ArgValue]) -> tuple[str, ...]:
    """Return arguments as they are written on the command line."""
    sig = signature(e)
    _, values = bind(sig, args)
    return tuple(show_value(v, p) for v, p in zip(values, sig.params, strict=True))


# ---------------------------------------------------------------------- before and after passes


def same_meaning(
    source: Program[Ann],
    result: Program[Ann],
    inputs: int = INPUTS,
    *,
    rounded: bool = False,
) -> tuple[Obligation, ...]:
    """Return one obligation per entry point: that passes preserved its meaning, which is tested.

    ``rounded``: the passes may have added floats in another order.
    """
    near = Tolerance() if rounded else None
    try:
        check(erase(result))
    except SourceError as error:  # the program has no meaning
        why = f"it is ill typed: {error.diagnostic.message}"
        return tuple(evolve(_open(e), why=why) for e in source.entries)
    return tuple(_same(source, result, e, inputs, near) for e in source.entries)


def _open(e: Entry[Ann]) -> Obligation:
    return Obligation(Kind.MEANING, e.name, e.name, e.at, Verdict.UNKNOWN, None, 0.0)


def _same(
    source: Program[Ann],
    result: Program[Ann],
    e: Entry[Ann],
    inputs: int,
    near: Tolerance | None,
) -> Obligation:
    types = [r.type for r in signature(e).results]
    open_ = _open(e)
    tried = 0
    outcomes = chain(_on_small(source, result, e, inputs), _on_far(source, result, e))
    for args, want, got in outcomes:
        tried += 1
        found = got if isinstance(got, Found) else compared(want, got, args, near, types)
        if found is not None:
            message = found.message.replace("value", "before", 1).replace("heap", "after", 1)
            c = Counterexample(e.name, shown(e, args), message)
            return open_.refuted(c)
    return open_.bounded(tried) if tried else evolve(open_, why="nothing was run")


Outcomes = Iterator[tuple[tuple[ArgValue, ...], Outcome, Outcome | Found]]
"""Arguments, the outcome before passes, and the outcome or the fault after them."""


def _on_small(source: Program[Ann], result: Program[Ann], e: Entry[Ann], inputs: int) -> Outcomes:
    before = _meter(source, e)
    after = Measured(result, e.name, LONGER * STATEMENTS, Metered(LONGER * ELEMENTS))
    for args in small_inputs(e, inputs):
        want = _measured(before, args)
        got = None if want is None else _measured(after, args)
        if want is not None and got is not None:
            yield args, want.outcome, got.outcome


def _on_far(source: Program[Ann], result: Program[Ann], e: Entry[Ann]) -> Outcomes:
    after = Measured(result, e.name, LONGER * MOST, Metered(LONGER * LARGEST))
    for args, want in _cheap(source, e):
        got = _measured(after, args)
        if got is None:
            continue
        large = None if isinstance(want.outcome, TrapKind) else _too_large(result, e, args, got)
        yield args, want.outcome, large or got.outcome


LONGER = 16
"""Factor by which a program may do more after the passes."""


def _too_large(
    result: Program[Ann], e: Entry[Ann], args: tuple[ArgValue, ...], want: ValueOutcome
) -> Found | None:
    """Return the fault that a block does not fit into memory though all arrays before are small."""
    try:
        run_heap(result, e.name, args, check_races=False, largest=LARGEST_BLOCK, most=want.most)
    except DeviceError as error:
        message = f"value semantics: results; heap semantics: {error.diagnostic.message}"
        return Found(Kind.MEANING, NOWHERE, message, args)
    except (Trap, MemoryFault, TooMuch):  # covered by the obligations of memory
        return None
    return None
