"""Check that a program is unchanged: types, text, value, heap, IMP in three orders, peak memory.

The value semantics of the original program is the reference.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from funmem.codegen.foreign_library import table
from funmem.interp.heap import run_heap
from funmem.interp.imp import Machine, Order, entry_named
from funmem.interp.value import run
from funmem.ir.diagnostics import MemoryFault, SourceError, Trap, TrapKind
from funmem.ir.foreign import NONE, ForeignCode
from funmem.ir.foreign_calls import Table
from funmem.ir.fun import ArrayType, Linkage, MemProgram
from funmem.ir.imp import CallStm, ImpProgram, ImpStm, OpaqueStm
from funmem.ir.imp_traverse import nested
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
from funmem.testing.generator.foreign import foreign_code
from funmem.testing.generator.program import Generated


@frozen(eq=False)
class Case:
    """A FUN or FUNMEM program, the entry point to call, and its arguments.

    ``seed`` shuffles the iterations of kernels.  Without a ``tolerance`` floats have to agree to
    the bit, as in generated programs, which never add them in parallel.  With ``any_order``
    operators need not be associative: ``schedule`` may change what the program means.  ``foreign``
    has the foreign functions, in Python, C and OpenCL C.
    """

    program: MemProgram
    entry: Name
    args: tuple[ArgValue, ...]
    seed: int = 0
    tolerance: Tolerance | None = None
    any_order: bool = False
    foreign: ForeignCode = NONE

    @staticmethod
    def of(g: Generated) -> "Case":
        """Return the case of a generated program."""
        return Case(g.program, g.entry, g.args, g.seed, foreign=foreign_code(g.program))

    @property
    def functions(self) -> Table:
        """The foreign functions in Python."""
        return table(self.foreign, interpreted=True)


Outcome: TypeAlias = tuple[Value, ...] | Trap
"""The results of a program, or its trap."""


@frozen(eq=False)
class FurtherInput:
    """Arguments of a program, and the expected outcome.  ``huge``: chosen to exceed all array
    sizes.
    """

    args: tuple[ArgValue, ...]
    want: Outcome
    huge: bool = False


class Disagrees(Exception):
    """An engine disagrees with the reference; ``code`` is the kind of disagreement."""

    def __init__(self, engine: str, code: str, message: str) -> None:
        super().__init__(message)
        self.engine = engine
        self.code = code


def define_outcome(g: Case | Generated) -> Outcome:
    """Return the outcome by the value semantics: results, or the trap.  Raises InputError."""
    try:
        return run(g.program, g.entry, g.args, _functions(g))
    except Trap as t:
        return t


def _functions(g: Case | Generated) -> Table:
    return (g if isinstance(g, Case) else Case.of(g)).functions


def meaning_after(step: Step, g: Case, p: AnyProgram, want: Outcome) -> Outcome:
    """Return the expected outcome after a step.

    It is ``want``, except after ``schedule`` in a case with ``any_order``: operators are applied in
    another order, so it is the outcome of ``p``, which is well typed.  A program that reads no
    uninitialised element in one order reads none in any order.
    """
    if not g.any_order or step.what.name != "schedule" or isinstance(p, ImpProgram):
        return want
    means = define_outcome(evolve(g, program=p))
    return want if reads_hole(means) else means


# ---------------------------------------------------------------------- comparing

MOST_ITERATIONS = 1 << 16
"""Largest number of iterations of a trapping kernel that is run in other orders."""

ANY_ORDER = tuple(Order)
"""All orders of iterations."""

OTHER_ORDER = {f"imp {order.value}" for order in Order if order is not Order.FORWARDS}
"""Engines that may meet another failing iteration of a kernel first, and so another trap."""


def reads_hole(want: Outcome) -> bool:
    """True if the program reads an uninitialised element."""
    return isinstance(want, Trap) and want.kind is TrapKind.UNINITIALISED


def compare(
    engine: str,
    want: Outcome,
    answer: Callable[[], Sequence[Value]],
    tolerance: Tolerance | None = None,
    types: Sequence[ScalarType | ArrayType] = (),
) -> bool:
    """Require that ``answer()`` returns the expected values, or raises a trap of the same kind.

    For a failed assertion the message has to agree too, with its values.  Only the value semantics
    traps on reads of uninitialised elements; other engines may find any value there. In that case
    they do not run, and the result is False.  Raises Disagrees.
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
    """Return the types of the entry point's results."""
    (e,) = (e for e in g.program.entries if e.name == g.entry)
    return tuple(r.type for r in signature(e).results)


# ---------------------------------------------------------------------- engines

Check: TypeAlias = Callable[[], bool]
"""Runs an engine; True if it ran, as in :func:`compare`.  Raises Disagrees."""


def engines(
    p: AnyProgram,
    g: Case | Generated,
    want: Outcome,
    orders: Sequence[Order] = ANY_ORDER,
    *,
    every: bool = True,
) -> Iterator[tuple[str, Check]]:
    """Yield the engines of a program's level, and a check for each; IMP in the given orders.

    Without ``every``, a program in memory runs in memory only: its values with the annotations
    erased are compared only if the heap interpreter cannot tell, as :func:`compare` says.

    A program that traps may have more iterations than can be run, of which only the first one
    traps. It is then run forwards only.
    """
    tolerance = g.tolerance if isinstance(g, Case) else None
    foreign = _functions(g)

    def check(name: str, answer: Callable[[], Sequence[Value]]) -> tuple[str, Check]:
        return name, partial(compare, name, want, answer, tolerance, result_types(g))

    if isinstance(p, ImpProgram):
        machine = Machine(entry_named(p, g.entry), functions=p.functions, foreign=foreign)
        for order in orders:
            yield check(
                f"imp {order.value}", partial(machine.run, g.args, order=order, seed=g.seed)
            )
            if machine.iterations < 2:
                return  # no kernel has two iterations: all orders are the same run
            if isinstance(want, Trap) and machine.iterations > MOST_ITERATIONS:
                return
        return
    tree: MemProgram = p
    in_memory = Level.FUNMEM in levels_of(p)
    if every or not in_memory or reads_hole(want):
        yield check("value", partial(run, tree, g.entry, g.args, foreign))
    if in_memory:
        yield check("heap", lambda: run_heap(tree, g.entry, g.args, foreign=foreign).values)


def judge_types(p: AnyProgram) -> None:
    """Raise Disagrees if the program is ill typed; the code is that of the type rule."""
    try:
        check_types(p)
    except SourceError as e:
        raise Disagrees("types", e.diagnostic.code, str(e)) from e


def judge_text(p: AnyProgram) -> None:
    """Raise Disagrees if the printed program does not parse, or parses as a different program."""
    try:
        again: AnyProgram = parse_imp(show(p)) if isinstance(p, ImpProgram) else parse_fun(show(p))
    except SourceError as e:
        raise Disagrees("text", e.diagnostic.code, str(e)) from e
    if again != p:
        raise Disagrees("text", "text", "the printed program parses as a different program")


def judge_variant(original: Case | Generated, g: Case) -> None:
    """Raise Disagrees if a variant differs from the original on its input."""
    compare(
        "variant", define_outcome(original), partial(run, g.program, g.entry, g.args, g.functions)
    )


def judge_promises(step: Step, before: AnyProgram, after: AnyProgram) -> None:
    """Raise Disagrees if a postcondition of the pass does not hold."""
    for name, fails in promises(step, before):
        if (wrong := fails(after)) is not None:
            raise Disagrees("promises", name, wrong.message)


def _is_foreign(s: ImpStm) -> bool:
    return isinstance(s, CallStm) and s.linkage is not Linkage.OWN


def judge_peak(p: ImpProgram, g: Case | Generated, *, ready: bool) -> bool:
    """Compare predicted and measured peak memory; False if a device could not run the program, or
    if it has foreign code on arrays, which the memory plan does not run.

    Raises Disagrees, also if the program should be ``ready`` for a device and is not.
    """
    from funmem.testing.judge.peaks import counted_peak

    (e,) = (e for e in p.entries if e.name == g.entry)
    if any(isinstance(s, OpaqueStm) or _is_foreign(s) for s in nested(e.body)):
        return False
    try:
        peak = counted_peak(f"seed {g.seed}", e, g.args, p.functions)
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
    thorough: bool = True,
    orders: Sequence[Order] = ANY_ORDER,
) -> None:
    """Check the types, and with ``run_it`` the text and every engine of the program's level.

    IMP runs in the given orders.  ``ran`` counts the runs of each engine; if not ``thorough``, the
    program need not print and parse back, and runs on one engine.  Raises Disagrees.
    """
    judge_types(p)
    if not run_it:
        return
    if thorough:
        judge_text(p)
    for name, ask in engines(p, g, want, orders, every=thorough):
        if ask() and ran is not None:
            ran[name] += 1


REORDERING = frozenset(CPU.split(","))
"""Passes after which iterations run in parallel, or in another order."""


def orders_to_run(passes: Sequence[Step], want: Outcome) -> Sequence[Order]:
    """Return the orders in which a program still traps as expected after ``unchecked``.

    There are none if ``unchecked`` removed the check.  If it removed only another iteration's
    check, that iteration may come first; so only sequential execution is left, in which the program
    traps at the first trapping iteration.
    """
    names = {s.what.name for s in passes}
    if not isinstance(want, Trap) or "unchecked" not in names:
        return ANY_ORDER
    if want.kind in DROPPED or not names.isdisjoint(REORDERING):
        return ()
    return (Order.FORWARDS,)


def anything_goes(passes: Sequence[Step], want: Outcome) -> bool:
    """True if the program has undefined behaviour: ``unchecked`` removed the check that would trap,
    or that of an iteration that may run before.
    """
    return not orders_to_run(passes, want)
