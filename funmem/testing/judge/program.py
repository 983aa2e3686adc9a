"""Is a program still what it was?  Types, text, value, heap, IMP in three orders, peak memory.

The value semantics of the program that everything started from is the definition.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from funmem.interp.heap import run_heap
from funmem.interp.imp import Machine, Order, entry_named
from funmem.interp.value import run
from funmem.ir.diagnostics import MemoryFault, SourceError, Trap, TrapKind
from funmem.ir.fun import ArrayType, MemProgram
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.signature import signature
from funmem.ir.text import parse_fun, parse_imp, show
from funmem.ir.unchecked import DROPPED
from funmem.ir.values import ArgValue, Tolerance, Value, agree
from funmem.passes.framework import AnyProgram, Level, levels_of
from funmem.passes.pipeline import CPU
from funmem.passes.runner import Step, check_types, promises
from funmem.testing.generator.program import Generated


@frozen(eq=False)
class Case:
    """A FUN or FUNMEM program, the entry point to call, and its arguments.

    ``seed`` shuffles the iterations of kernels.  Without a ``tolerance`` floats have to agree to
    the bit, as in generated programs, which never add them in parallel.  With ``any_order``
    operators need not be associative: ``schedule`` may change what the program means.
    """

    program: MemProgram
    entry: Name
    args: tuple[ArgValue, ...]
    seed: int = 0
    tolerance: Tolerance | None = None
    any_order: bool = False

    @staticmethod
    def of(g: Generated) -> "Case":
        """A generated program."""
        return Case(g.program, g.entry, g.args, g.seed)


Outcome: TypeAlias = tuple[Value, ...] | Trap
"""The results of a program, or how it trapped."""


@frozen(eq=False)
class FurtherInput:
    """Arguments of a program, and what it means on them; ``far``: they were drawn to be far from
    being sizes.
    """

    args: tuple[ArgValue, ...]
    want: Outcome
    far: bool = False


class Disagrees(Exception):
    """An engine's answer differs from the definition; ``code`` says in which way."""

    def __init__(self, engine: str, code: str, message: str) -> None:
        super().__init__(message)
        self.engine = engine
        self.code = code


def define_outcome(g: Case | Generated) -> Outcome:
    """The value semantics of the program: results, or the trap.  Raises InputError."""
    try:
        return run(g.program, g.entry, g.args)
    except Trap as t:
        return t


def meaning_after(step: Step, g: Case, p: AnyProgram, want: Outcome) -> Outcome:
    """What a program has to mean after a step: what it meant, or what it then means, if operators
    are applied in another order, and nobody knows whether they are associative.

    In no order they read an element that was never written, if they did not in the one.
    ``p`` is well typed.
    """
    if not g.any_order or step.what.name != "schedule" or isinstance(p, ImpProgram):
        return want
    means = define_outcome(evolve(g, program=p))
    return want if reads_hole(means) else means


# ---------------------------------------------------------------------- comparing

MOST_ITERATIONS = 1 << 16
"""Of a kernel that traps, if it is run in other orders."""

ANY_ORDER = tuple(Order)
"""All orders of iterations."""

OTHER_ORDER = {f"imp {order.value}" for order in Order if order is not Order.FORWARDS}
"""Engines that may fail in another iteration of a kernel first, and so in another way."""


def reads_hole(want: Outcome) -> bool:
    """Whether an element is read that was never written."""
    return isinstance(want, Trap) and want.kind is TrapKind.UNINITIALISED


def compare(
    engine: str,
    want: Outcome,
    answer: Callable[[], Sequence[Value]],
    tolerance: Tolerance | None = None,
    types: Sequence[ScalarType | ArrayType] = (),
) -> bool:
    """``answer()`` must be what is wanted: equal values, or a trap of the same kind.

    Of a failed assertion also the message, values and all: whatever passes did with them.  What
    reads an element that was never written traps by the value semantics only: others may find what
    was there before: these are not asked, and False is the answer.
    Raises Disagrees.
    """
    if reads_hole(want) and engine not in ("value", "variant"):
        return False
    try:
        got = answer()
    except Trap as t:
        if isinstance(want, Trap):
            said, wanted = t.diagnostic.message, want.diagnostic.message
            same = t.kind is want.kind and (t.kind is not TrapKind.ASSERTION or said == wanted)
            if same or engine in OTHER_ORDER:
                return True
        raise Disagrees(engine, f"trap: {t.kind.value}", f"traps: {t}") from t
    except MemoryFault as f:
        raise Disagrees(engine, f.diagnostic.code, str(f)) from f
    if isinstance(want, Trap):
        raise Disagrees(engine, "no trap", f"does not trap, but should: {want}")
    difference = agree(want, got, tolerance=tolerance, types=types)
    if difference is not None:
        raise Disagrees(engine, "values", difference)
    return True


def result_types(g: Case | Generated) -> tuple[ScalarType | ArrayType, ...]:
    """What the entry point answers."""
    (e,) = (e for e in g.program.entries if e.name == g.entry)
    return tuple(r.type for r in signature(e).results)


# ---------------------------------------------------------------------- engines

Check: TypeAlias = Callable[[], bool]
"""Whether the engine was asked, as by :func:`compare`.  Raises Disagrees."""


def engines(
    p: AnyProgram, g: Case | Generated, want: Outcome, orders: Sequence[Order] = ANY_ORDER
) -> Iterator[tuple[str, Check]]:
    """The engines of a program's level, and how each is asked; IMP in some orders.

    A program that traps may have more iterations than anybody can run, of which only the first one
    does: then it is run forwards.
    """
    tolerance = g.tolerance if isinstance(g, Case) else None

    def check(name: str, answer: Callable[[], Sequence[Value]]) -> tuple[str, Check]:
        return name, partial(compare, name, want, answer, tolerance, result_types(g))

    if isinstance(p, ImpProgram):
        machine = Machine(entry_named(p, g.entry))
        for order in orders:
            yield check(
                f"imp {order.value}", partial(machine.run, g.args, order=order, seed=g.seed)
            )
            if machine.iterations < 2:
                return  # no kernel had two: another order is the same run
            if isinstance(want, Trap) and machine.iterations > MOST_ITERATIONS:
                return
        return
    tree: MemProgram = p
    yield check("value", partial(run, tree, g.entry, g.args))
    if Level.FUNMEM in levels_of(p):
        yield check("heap", lambda: run_heap(tree, g.entry, g.args).values)


def judge_types(p: AnyProgram) -> None:
    """Raises Disagrees if the program is ill typed; its code is that of the type rule."""
    try:
        check_types(p)
    except SourceError as e:
        raise Disagrees("types", e.diagnostic.code, str(e)) from e


def judge_text(p: AnyProgram) -> None:
    """Raises Disagrees if the program is printed, but read as another one, or not at all."""
    try:
        again: AnyProgram = parse_imp(show(p)) if isinstance(p, ImpProgram) else parse_fun(show(p))
    except SourceError as e:
        raise Disagrees("text", e.diagnostic.code, str(e)) from e
    if again != p:
        raise Disagrees("text", "text", "does not read back as it was printed")


def judge_variant(original: Case | Generated, g: Case) -> None:
    """Raises Disagrees if a program does not mean on its input what the original means."""
    compare("variant", define_outcome(original), partial(run, g.program, g.entry, g.args))


def judge_promises(step: Step, before: AnyProgram, after: AnyProgram) -> None:
    """Raises Disagrees if a postcondition of the pass does not hold."""
    for name, fails in promises(step, before):
        if (wrong := fails(after)) is not None:
            raise Disagrees("promises", name, wrong.message)


def judge_peak(p: ImpProgram, g: Case | Generated, *, ready: bool) -> bool:
    """Predicted and measured peak agree; False if a device could not run the program at all.

    Raises Disagrees: also then, if the program should be ``ready`` for a device.
    """
    from funmem.testing.judge.peaks import counted_peak

    (e,) = (e for e in p.entries if e.name == g.entry)
    try:
        peak = counted_peak(f"seed {g.seed}", e, g.args)
    except SourceError as error:
        if ready:
            raise Disagrees("peak", error.diagnostic.code, str(error)) from error
        return False
    if not peak.right:
        raise Disagrees("peak", "peak", str(peak))
    return True


def judge(
    p: AnyProgram,
    g: Case | Generated,
    want: Outcome,
    ran: Counter[str] | None = None,
    *,
    run_it: bool,
    text: bool = True,
    orders: Sequence[Order] = ANY_ORDER,
) -> None:
    """Types, and with ``run_it`` the text and every engine of the program's level, IMP in some
    orders.

    ``ran`` counts the runs of each; without ``text`` it need not print and parse back.
    Raises Disagrees.
    """
    judge_types(p)
    if not run_it:
        return
    if text:
        judge_text(p)
    for name, ask in engines(p, g, want, orders):
        if ask() and ran is not None:
            ran[name] += 1


REORDERING = frozenset(CPU.split(","))
"""Passes after which iterations run side by side, or later ones first."""


def orders_to_run(passes: Sequence[Step], want: Outcome) -> Sequence[Order]:
    """The orders in which a program still traps as it should after ``unchecked``: none if that
    check was left out.

    If it was not, but that of another iteration was, that one may come first: not where they run
    one after the other, and the program traps in the one that is first to trap.
    """
    names = {s.what.name for s in passes}
    if not isinstance(want, Trap) or "unchecked" not in names:
        return ANY_ORDER
    if want.kind in DROPPED or not names.isdisjoint(REORDERING):
        return ()
    return (Order.FORWARDS,)


def anything_goes(passes: Sequence[Step], want: Outcome) -> bool:
    """Whether the program may do anything: it traps, and the check was left out on demand, or that
    of an iteration that may come before.
    """
    return not orders_to_run(passes, want)
