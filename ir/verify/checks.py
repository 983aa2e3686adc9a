"""(C) Dynamic checks that can never fail, on any input.

Lowering omits the checks that it can prove as it goes; the others remain in the compiled program.
Here each of these is a question for the ladder, which knows more about the results of ``let``
(quotients, minima, sums that provably did not wrap around):

    check lo : chunk : 1 inside n        chunk >= 0, lo >= 0, n - 1 - (lo + chunk - 1) >= 0
    check (threads != 0)                 threads - 1 >= 0, or -threads - 1 >= 0

A check is not an obligation of memory, since programs may trap.  Proofs of checks use scalars only,
never elements of arrays, so they hold whether or not memory is proved.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from attrs import field

from funmem.ir.arith import exp_size
from funmem.ir.fun import (
    Ann,
    Bin,
    Const,
    Convert,
    Entry,
    ScalarExp,
    Stm,
    Un,
    Var,
)
from funmem.ir.imp import (
    Block,
    Check,
    Condition,
    Holds,
    ImpEntry,
    Injective,
    InRange,
    NonNegative,
    RangeInside,
    SizesEqual,
)
from funmem.ir.imp_traverse import nested
from funmem.ir.lmad import Lmad
from funmem.ir.logic.prove import Facts
from funmem.ir.record import define, frozen
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import ZERO, Size
from funmem.ir.text.print_imp import show_condition
from funmem.ir.text.print_parts import show_scalar
from funmem.ir.unchecked import without
from funmem.ir.verify.certificate import (
    Answer,
    Argued,
    Kind,
    Obligation,
    Open,
    Proof,
    Verdict,
)
from funmem.ir.verify.ladder import Ladder
from funmem.ir.verify.record import Recorder
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.unshared import unshared

Observer: TypeAlias = Callable[[Stm[Ann], Block], None]
"""Called with each statement and the IMP statements that lowering makes of it."""

Lowering: TypeAlias = Callable[[Entry[Ann], Observer], ImpEntry]
"""Lowering of an entry point (:func:`funmem.passes.lower.entry_point`).

It is an argument because the verifier imports no pass.
"""


@define
class Checks:
    """The checks of one entry point; each is judged as soon as lowering has made it."""

    ladder: Ladder
    to: Recorder
    seen: dict[int, Check] = field(factory=dict)
    """By identity."""
    proved: set[int] = field(factory=set)
    """The identities of those that never fail."""

    def made(self, s: Stm[Ann], block: Block) -> None:
        """Judge the checks that a statement was lowered to; those of inner ones are done."""
        for t in nested(block):
            if isinstance(t, Check) and id(t) not in self.seen:
                self.seen[id(t)] = t
                answers = self.answers(t.cond, self.ladder.scene.facts_at(s))
                self.to.record(Kind.CHECK, f"{t.kind.value}: {show_condition(t.cond)}", s, answers)
                if self.to.found[-1].verdict is Verdict.PROVED:
                    self.proved.add(id(t))

    # ------------------------------------------------------------------ conditions

    def answers(self, c: Condition, facts: Facts) -> Iterator[Answer]:
        """Yield the answers whose conjunction implies that a condition holds."""
        ask = self.ladder.nonneg
        match c:
            case NonNegative(d):
                yield ask(d, facts)
            case InRange(i, n):
                yield from self.inside(i, n, facts)
            case RangeInside(start, length, stride, n):
                yield ask(length, facts)
                some = self.positive(length, facts)  # an empty range may start anywhere
                for i in dict.fromkeys((start, start + (length - 1) * stride)):
                    yield from self.inside(i, n, some)
            case SizesEqual(a, b):
                yield ask(a - b, facts)
                yield ask(b - a, facts)
            case Injective(dims):
                yield self.ladder.no_repeat(Lmad(ZERO, dims), facts)
            case Holds(e):
                yield self.holds(e, facts)

    def positive(self, d: Size, facts: Facts) -> Facts:
        """Return the facts with ``d >= 1`` and the upper bounds of d."""
        facts = facts.assuming(d - 1)
        x = d.as_name
        for cap in self.ladder.scene.caps.get(x, ()) if x is not None else ():
            facts = facts.assuming(cap - d)
        return facts

    def inside(self, i: Size, n: Size, facts: Facts) -> Iterator[Answer]:
        """Yield the answers for ``0 <= i < n``."""
        yield self.ladder.nonneg(i, facts)
        yield self.ladder.nonneg(n - 1 - i, facts)

    def holds(self, e: ScalarExp, facts: Facts) -> Answer:
        """Decide a comparison of an i64 with a constant, such as a divisor that is not 0."""
        match e:
            case Bin(BinOp.NE, a, Const(int(k), t)) if t is I64:
                above = self.bounded(a, k + 1, 1, facts)
                return above if isinstance(above, Proof) else self.bounded(a, k - 1, -1, facts)
            case Bin(BinOp.GE, a, Const(int(k), t)) if t is I64:
                return self.bounded(a, k, 1, facts)
            case _:
                return _open(e)

    def bounded(self, e: ScalarExp, k: int, sign: int, facts: Facts) -> Answer:
        """Decide ``e >= k``, or for sign -1 ``e <= k``; one operand of a maximum suffices."""
        match e:
            case Bin(BinOp.MAX | BinOp.MIN as op, a, b) if (op is BinOp.MAX) == (sign > 0):
                first = self.bounded(a, k, sign, facts)
                return first if isinstance(first, Proof) else self.bounded(b, k, sign, facts)
            case Var() | Const():
                p = exp_size(e)
                return _open(e) if p is None else self.ladder.nonneg((p - k) * sign, facts)
            case Bin() | Un() | Convert():
                return _open(e)


def _open(e: ScalarExp) -> Open:
    text = f"{show_scalar(e)} is not bounded by names and constants"
    return Open(text, Argued(text))


@frozen
class Judged:
    """An entry point with all its checks, and the obligation of each."""

    lowered: ImpEntry
    obligations: tuple[Obligation, ...]
    proved: frozenset[int]
    """The identities of the checks in ``lowered`` that are PROVED."""

    def without_proved(self) -> ImpEntry:
        """Return the entry point without the checks that are proved."""
        return without(self.lowered, lambda c, _: id(c) in self.proved)


def judged(e: Entry[Ann], lower: Lowering) -> Judged:
    """Return one obligation for each check that ``lower`` makes of an entry point."""
    e = unshared(e)
    to = Recorder(e.name)
    checks = Checks(Ladder(Scene.of_entry(e, elements=False)), to)
    lowered = lower(e, checks.made)
    return Judged(lowered, tuple(to.found), frozenset(checks.proved))
