"""Further inputs: what a campaign also runs a program on, after it has come through all passes.

Protects that there are inputs on which a program traps, that a pass is caught that is wrong on
these only, and that what the language leaves open is no disagreement.
"""

import random

import numpy as np
import pytest

from funmem.interp.value import run
from funmem.ir.diagnostics import Trap, TrapKind
from funmem.ir.fun import Ann, Assert, Bin, Const, Index, MemProgram, Stm
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import map_entries, map_sub_bodies, walk, with_exp, with_stms
from funmem.ir.unchecked import without
from funmem.ir.values import agree
from funmem.passes import registry
from funmem.passes.framework import Context, any_pass
from funmem.passes.runner import Pipeline
from funmem.testing import generate
from funmem.testing.campaign.orders import Orders
from funmem.testing.campaign.reproducer import FREE, read_reproducer, reproducer
from funmem.testing.campaign.selection import Selection, select
from funmem.testing.campaign.trial import run_trial
from funmem.testing.corpus.further_inputs import RUNS, TRAPS, further
from funmem.testing.judge.further_inputs import judge_still_fits
from funmem.testing.judge.program import (
    Case,
    Disagrees,
    FurtherInput,
    compare,
    define_outcome,
    engines,
    meaning_after,
    orders_to_run,
    reads_hole,
)
from funmem.testing.reduce import reduce

DIVIDES = """
entry main [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (ys : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (ok : bool) = m >= 0
    assert ok "negative: {}" (m)
    let (y : i64) = 12 / x
    in (y)
  let (s : i64) = xs[m]
  in (ys)
"""


def case(text: str, *args: object) -> Case:
    return Case(parse_fun(text), Name("main"), args)  # type: ignore[arg-type]


def divides() -> Case:
    return case(DIVIDES, [1, 2, 3], 1)


def test_inputs_that_people_forget() -> None:
    """Nothing to do, a negative number, a divisor of 0, an index outside; each time the same."""
    found = further(divides(), random.Random(0))
    kinds = {k.want.kind for k in found if isinstance(k.want, Trap)}
    assert kinds == {TrapKind.DIVISION, TrapKind.ASSERTION, TrapKind.INDEX}
    runs = [k for k in found if not isinstance(k.want, Trap)]
    assert runs
    assert len(runs) <= RUNS
    assert len(found) - len(runs) <= TRAPS
    again = further(divides(), random.Random(0))
    assert [str(k.args) for k in again] == [str(k.args) for k in found]
    for k in found:
        outcome = define_outcome(evolve(divides(), args=k.args))
        if isinstance(outcome, Trap):
            assert isinstance(k.want, Trap)
            assert outcome.kind is k.want.kind
        else:
            assert not isinstance(k.want, Trap)
            assert agree(outcome, k.want) is None


# ---------------------------------------------------------------------- who is caught


def _is_dead(s: Stm[Ann]) -> bool:
    return all(b.name == "s" for b in s.pat)


def _without(p: MemProgram, kind: type) -> MemProgram:
    """The program without statements of a kind whose results nobody needs."""

    def body(b):  # type: ignore[no-untyped-def]
        kept = [
            s for s in b.stms if not isinstance(s.exp, kind) or (s.pat and s.pat[0].name != "s")
        ]
        return with_stms(b, [with_exp(s, map_sub_bodies(s.exp, body)) for s in kept])

    return map_entries(p, body)


@any_pass("forget-assertions", summary="wrong on purpose")
def forget_assertions(p: MemProgram, _: Context) -> MemProgram:
    """Assertions hold on nearly all inputs."""
    return _without(p, Assert)


@any_pass("forget-dead-reads", summary="wrong on purpose")
def forget_dead_reads(p: MemProgram, _: Context) -> MemProgram:
    """``s`` is used by nobody, but its index may be none."""
    return _without(p, Index)


@pytest.mark.parametrize("wrong", [forget_assertions, forget_dead_reads], ids=lambda p: p.name)
def test_what_shows_on_further_inputs_only(wrong) -> None:  # type: ignore[no-untyped-def]
    """The disagreement has the number of its input, from which it is reduced."""
    passes = Pipeline((*Pipeline([wrong]).steps, *Pipeline.parse("allocate,lower").steps))
    s = Selection(divides(), (passes,), further=further(divides(), random.Random(0)))
    assert run_trial(s.case, passes).disagreements == []
    (d,) = run_trial(s.case, passes, further=s.further, thorough=True).disagreements
    assert (d.passes, d.engine) == (wrong.name, "value")
    assert isinstance(s.further[d.input - 1].want, Trap)
    assert reduce(s.case, passes) is None
    smallest = reduce(s.on(d.input), passes)
    assert smallest is not None
    assert str(smallest.pipeline) == wrong.name
    assert smallest.statements <= 3


# ---------------------------------------------------------------------- what is left open

HOLES = """
entry main (k : i64) -> (r : i64) =
  let (x : [2]i64) = scratch [2]i64
  let (s : i64) = x[k]
  in (k)
"""


def test_a_hole_is_seen_by_the_value_semantics_only() -> None:
    """On a heap there may be what was there before; but that it is read must not be forgotten."""
    c = case(HOLES, 0)
    want = define_outcome(c)
    assert isinstance(want, Trap)
    assert want.kind is TrapKind.UNINITIALISED
    assert not compare("heap", want, lambda: (0,))
    with pytest.raises(Disagrees):
        compare("value", want, lambda: (0,))
    good = Pipeline.parse("allocate,lower")
    t = run_trial(c, good, further=[FurtherInput((1,), want)])
    assert t.disagreements == []
    assert set(t.engines) == {"value", "further inputs"}  # who was not asked is not counted
    bad = Pipeline((*Pipeline([forget_dead_reads]).steps, *good.steps))
    outside = case(HOLES, 7)
    (d,) = run_trial(outside, bad, further=[FurtherInput((1,), want)]).disagreements
    assert d.engine in ("value", "imp forwards", "heap")


FIRST_TRAPS = """
entry main (k : i64) (xs : [2]i64) -> (out : i64) =
  let (sum : i64) =
    kernel i < k reduce comm (\\(a : i64) (b : i64) -> let (c : i64) = a + b in (c)) (0) do
      let (s : i64) = min(max(i, 0), 2)
      let (x : i64) = xs[i + 2]
      let (ys : [s]i64) = replicate [s] x
      let (y : i64) = ys[s - 1]
      in (y)
  in (sum)
"""


def test_an_input_is_left_out_if_too_many_iterations_precede_its_trap() -> None:
    """expand looks for the largest part of all threads before the first one runs."""
    c = case(FIRST_TRAPS, 0, np.zeros(2, np.int64))
    few, many = ((k, np.zeros(2, np.int64)) for k in (3, 1 << 60))
    known = [FurtherInput(args, define_outcome(evolve(c, args=args))) for args in (few, many)]
    expand = "allocate,simplify,hoist,expand"
    assert "let (most" in show(Pipeline.parse(expand).run(c.program))
    for passes in (expand, f"{expand},sequentialise,lower"):
        t = run_trial(c, Pipeline.parse(passes), further=known)
        assert t.disagreements == []
        assert t.engines["further inputs"] == 1


GUARDED = """
entry main (k : i64) (c : bool) -> (r : i64) =
  let (r1 : i64) = if c then
      let (m : mem) = alloc 8*k
      let (a : [k]i64 @ m -> 0 + {(k : 1)}) = iota [k] 5 1
      let (x : i64) = a[0]
      in (x)
    else
      in (7)
  in (r1)
"""


def test_what_fitted_into_memory_still_has_to() -> None:
    """A block that is allocated whether it is needed or not."""
    c = case(GUARDED, 3, False)
    alloc = "      let (m : mem) = alloc 8*k\n"
    always = GUARDED.replace(alloc, "").replace("  let (r1", f"{alloc}  let (r1")
    far = [FurtherInput((1 << 60, False), (7,))]
    judge_still_fits("merge", c.program, c.program, c, far)
    with pytest.raises(Disagrees, match="does not fit"):
        judge_still_fits("merge", c.program, parse_fun(always), c, far)


@pytest.mark.parametrize("last", ["lower", "lower-verified"])
def test_the_last_program_in_memory_is_run(last: str) -> None:
    """However it is lowered: what only the heap sees is seen."""
    c = Case.of(generate(3))
    t = run_trial(c, Pipeline.parse(f"allocate,hoist,short-circuit,merge,{last},peel"))
    assert (t.disagreements, t.engines["heap"]) == ([], 1)


TWO_TRAPS = """
entry main [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (y : i64) = xs[x]
    let (z : i64) = 12 / y
    in (z)
  in (ys)
"""


def test_which_iteration_traps_is_open() -> None:
    """But that one does is not, nor how, where they are done in order."""
    c = case(TWO_TRAPS, [1, 0, 7])
    assert run_trial(c, Pipeline.parse("allocate,lower")).disagreements == []
    want = define_outcome(c)
    assert isinstance(want, Trap)

    def index() -> tuple[()]:
        raise Trap(TrapKind.INDEX, "outside")

    assert run_trial(c, Pipeline.parse("allocate,lower,unchecked")).disagreements == []
    compare("imp backwards", want, index)
    with pytest.raises(Disagrees):
        compare("imp forwards", want, index)
    with pytest.raises(Disagrees):
        compare("imp backwards", want, lambda: (0,))


DIFFERENCE = """
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (all : i64) =
    kernel i < n reduce (\\(a : i64) (b : i64) -> let (c : i64) = a - b in (c)) (0i64) do
      let (x : i64) = xs[i]
      in (x)
  in (all)
"""


def test_an_operator_that_is_not_associative_goes_through_schedule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What comes out of it has to mean the same after all later passes; and only then."""
    monkeypatch.setattr(registry, "TABLE", {**registry.TABLE, "add-one": f"{__name__}:add_one"})
    c = case(DIFFERENCE, [1, 2, 3, 4, 5])
    passes = Pipeline.parse("schedule{threads=2},allocate,lower")
    (d,) = run_trial(c, passes).disagreements
    assert d.code == "values"
    assert run_trial(evolve(c, any_order=True), passes).disagreements == []
    wrong = Pipeline((*passes.steps[:1], *Pipeline([add_one]).steps, *passes.steps[1:]))
    free = evolve(c, any_order=True)
    (d,) = run_trial(free, wrong, thorough=True).disagreements
    assert d.passes.endswith("add-one")
    smallest = reduce(free, wrong)
    assert smallest is not None
    text = reproducer(smallest)
    assert f"-- order: {FREE}\n" in text
    assert read_reproducer(text, "again.fun").any_order


def test_no_order_reads_what_was_never_written() -> None:
    """A pass that folds a neutral element without elements, whatever the operator is."""
    c = evolve(case(DIFFERENCE, [1, 2]), any_order=True)
    (schedule,) = Pipeline.parse("schedule").steps
    want = define_outcome(c)
    reads = parse_fun(HOLES.replace("(k : i64)", "[n] (ks : [n]i64)").replace("x[k]", "x[0]"))
    reads = map_entries(reads, lambda b: evolve(b, result=(Const(0, I64),)))
    assert reads_hole(define_outcome(evolve(c, program=reads)))
    assert meaning_after(schedule, c, reads, want) is want
    assert meaning_after(schedule, c, c.program, want) is not want


@any_pass("add-one", summary="wrong on purpose")
def add_one(p: MemProgram, _: Context) -> MemProgram:
    """A constant of i64 is one more."""

    def body(b):  # type: ignore[no-untyped-def]
        stms = []
        for s in b.stms:
            e = map_sub_bodies(s.exp, body)
            if isinstance(e, Bin) and e.op is BinOp.SUB:
                e = Bin(e.op, e.a, Bin(BinOp.ADD, e.b, Const(1, I64)))
            stms.append(with_exp(s, e))
        return with_stms(b, stms)

    return map_entries(p, body)


def test_the_faulty_passes_do_something() -> None:
    """Otherwise nothing here could fail."""
    p = divides().program
    for wrong, kind in ((forget_assertions, Assert), (forget_dead_reads, Index)):
        q = Pipeline([wrong]).run(p)
        count = [sum(isinstance(s.exp, kind) for s in walk(x.entries[0].body)) for x in (p, q)]
        assert count[1] == count[0] - 1
    q = Pipeline([forget_dead_reads]).run(divides().program)
    assert agree(run(p, "main", ([1, 2], 0)), run(q, "main", ([1, 2], 0))) is None


def test_a_variant_has_none() -> None:
    """Branches that are dead on its own input may be alive on others: seed 20020659 has a neutral
    element that is none there, and no pass is wrong.
    """
    s = select(20020659, Orders.MIXED, 3)
    assert s.original is not None
    assert s.further == ()
    assert select(20020659, Orders.MIXED).further


CHECKED = """
entry main [n] (xs : [n]i64) (k : i64) -> (r : [n]i64) =
  let (c : bool) = k > 0
  assert c "k is positive"
  let (ys : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (d : bool) = x > 0
    assert d "x is positive"
    let (y : i64) = x + k
    in (y)
  in (ys)
"""


@pytest.mark.parametrize("args", [([1, 2, 3], 0), ([1, -2, 3], 1)], ids=["host", "kernel"])
@pytest.mark.parametrize("further", [False, True], ids=["own", "further"])
def test_checks_that_stay_are_asked_for(
    args: tuple[object, ...], further: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pass that leaves out all of them where it may leave out those of bounds is seen."""
    passes = Pipeline.parse("allocate,lower,unchecked")
    c = case(CHECKED, *(([1, 2, 3], 1) if further else args))
    known = [FurtherInput(args, define_outcome(evolve(c, args=args)))] if further else []  # type: ignore[arg-type]
    assert run_trial(c, passes, further=known).disagreements == []
    monkeypatch.setattr("funmem.passes.imp.unchecked.drop_checks", _without_any)
    (d,) = run_trial(c, passes, further=known).disagreements
    assert (d.engine, d.code) == ("imp forwards", "no trap")


def _without_any(p: ImpProgram) -> ImpProgram:
    return ImpProgram(tuple(without(e, lambda check, kernel: True) for e in p.entries))


@pytest.mark.parametrize(
    ("passes", "kind", "orders"),
    [
        ("lower", TrapKind.INDEX, "forwards backwards shuffled"),
        ("lower,unchecked", None, "forwards backwards shuffled"),
        ("lower,unchecked", TrapKind.INDEX, ""),
        ("lower,unchecked", TrapKind.DIVISION, "forwards"),
        ("lower,vectorise,unchecked", TrapKind.DIVISION, ""),
        ("lower,unchecked,loop-versioning", TrapKind.DIVISION, ""),
    ],
)
def test_in_which_orders_a_program_without_checks_is_run(
    passes: str, kind: TrapKind | None, orders: str
) -> None:
    want = () if kind is None else Trap(kind, "it traps")
    found = orders_to_run(Pipeline.parse(passes).steps, want)
    assert " ".join(o.value for o in found) == orders


ONE_TRAPS = """
entry main [n] (k : i64) (zs : [n]i64) -> (r : i64) =
  let (a : [k][0]i64) = kernel i < k do
    let (b : [1]i64) = replicate [1] i
    let (y : i64) = b[0]
    let (w : i64) = 5 / y
    let (e : [0]i64) = replicate [0] w
    in (e)
  in (k)
"""


def test_iterations_that_nobody_can_run_are_run_forwards() -> None:
    """The other way round it takes them all before the first one traps."""
    for k, orders in ((1 << 62, 1), (9, 3)):
        c = case(ONE_TRAPS, k, [1])
        p = Pipeline.parse("allocate,lower").run(c.program)
        assert [ask() for _, ask in engines(p, c, define_outcome(c))] == [True] * orders
