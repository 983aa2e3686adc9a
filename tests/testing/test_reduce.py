"""funmem reduce: the smallest program that still fails, and fails in the same way.

Failures are real: faulty passes of ``tests/seeded`` and the two below, on generated programs.
``python -m tests.reduce_seeded`` measures how small all seeded bugs become.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from funmem.interp.heap import run_heap
from funmem.ir.check import check
from funmem.ir.diagnostics import SourceError, Trap, TrapKind, UsageError
from funmem.ir.fun import (
    Ann,
    Assert,
    Binder,
    Body,
    Call,
    Const,
    Entry,
    Kernel,
    MemProgram,
    Program,
    Reduce,
    Replicate,
    Scatter,
    Stm,
)
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import Mapper, map_body, map_sub_bodies, with_stms
from funmem.ir.values import ArgValue, ArrayValue
from funmem.passes import registry
from funmem.passes.framework import Context, Pass, any_pass
from funmem.passes.runner import Pipeline
from funmem.testing import generate
from funmem.testing import reduce as reducing
from funmem.testing.campaign.reproducer import read_reproducer, reproducer
from funmem.testing.judge import program as judging
from funmem.testing.judge.program import Case
from funmem.testing.reduce import Reduced, failure, reduce
from funmem.testing.reduce.edit import edited, statements, weight
from funmem.testing.reduce.inputs import smaller_cases
from funmem.testing.reduce.moves import MOVES, without
from funmem.testing.reduce.oracle import trusted
from tests.reduce_seeded import pipeline_of, rows
from tests.seeded.table import BUGS
from tests.support.command_line import say

# ---------------------------------------------------------------------- faulty passes


@any_pass("one-for-zero", summary="the constant 0 of i32 becomes 1")
def one_for_zero(p: MemProgram, _: Context) -> MemProgram:
    """Wrong: programs mean something else."""
    zero, one = Const(0, ScalarType.I32), Const(1, ScalarType.I32)

    def entry(e: Entry) -> Entry:
        m = Mapper(atom=lambda a: one if a == zero else a, body=lambda b: map_body(b, m))
        return evolve(e, body=map_body(e.body, m))

    return Program(tuple(map(entry, p.entries)))


@any_pass("no-replicate", summary="fails where an array is replicated")
def no_replicate(p: MemProgram, _: Context) -> MemProgram:
    """Raises what no pass may raise."""
    for s in statements(p):
        if isinstance(s.exp, Replicate):
            raise KeyError(s.pat[0].name)
    return p


@any_pass("wrong-call", summary="a call with an argument 3 computes with 4")
def wrong_call(p: MemProgram, _: Context) -> MemProgram:
    """Wrong: it is a mistake about calls."""
    three, four = Const(3, ScalarType.I32), Const(4, ScalarType.I32)

    def statement(s: Stm) -> Stm:
        if isinstance(s.exp, Call):
            return evolve(
                s, exp=evolve(s.exp, args=tuple(four if a == three else a for a in s.exp.args))
            )
        return evolve(s, exp=map_sub_bodies(s.exp, body))

    def body(b: Body) -> Body:
        return with_stms(b, map(statement, b.stms))

    return Program(tuple(evolve(e, body=body(e.body)) for e in p.entries), p.functions)


PROGRAM = """\
entry main [n] (k : i32) (xs : [n]i32) -> (r : [n]i32) (s : i32) =
  let (c : bool) = k < 7i32
  let (ys : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (y : i32) = x + k
    let (z : i32) (unused : i32) = if c then
      let (t : i32) = y * 2i32
      in (t, y)
    else
      let (u : i32) = 0i32
      in (u, x)
    in (z)
  let (sum : i32) (last : i32) = loop (a : i32) = 5i32, (b : i32) = k for j < n do
    let (y1 : i32) = ys[j]
    let (a1 : i32) = a + y1
    in (a1, b)
  let (v : i32) = 0i32
  let (zs : [n]i32) = replicate [n] v
  let (ws : [n]i32) = kernel l < n do
    let (p : i32) = ys[l]
    let (q : i32) = zs[l]
    let (o : i32) = p - q
    in (o)
  in (ws, sum)
"""


FUNCTIONS = """\
def inner (x : i32) (y : i32) -> (s : i32) =
  let (z : i32) = x * y
  let (w : i32) = z + 1i32
  in (w)

def outer (a : i32) (b : i32) -> (c : i32) (d : i32) =
  let (e : i32) = a + b
  let (f : i32) = call inner (e, b)
  let (g : i32) = f - a
  in (e, g)

entry main [n] (k : i32) (xs : [n]i32) -> (r : [n]i32) (v : i32) (w : i32) =
  let (ys : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (t : i32) (u : i32) = call outer (x, 3i32)
    let (o : i32) = call inner (t, u)
    in (o)
  let (v1 : i32) (w1 : i32) = call outer (k, 2i32)
  let (zs : [n]i32) = replicate [n] w1
  in (ys, v1, w1)
"""


def case() -> Case:
    values = (3, ArrayValue(np.array([4, 5, 6], np.int32)))
    return Case(parse_fun(PROGRAM), Name("main"), values)


@pytest.fixture
def faulty_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The faulty passes have names, as if a package had registered them."""
    here = {p.name: f"{__name__}:{p.name.replace('-', '_')}" for p in (one_for_zero, no_replicate)}
    monkeypatch.setattr(registry, "TABLE", {**registry.TABLE, **here})


# ---------------------------------------------------------------------- what comes out


def test_a_wrong_constant_is_isolated() -> None:
    passes = Pipeline((*Pipeline.parse("simplify").steps, *Pipeline([one_for_zero]).steps))
    r = reduce(case(), passes)
    assert r is not None
    assert r.done
    assert str(r.pipeline) == "one-for-zero"
    assert r.failure.kind == ("value", "values")
    assert r.statements <= 1
    assert "0i32" in show(r.case.program)


def test_functions_become_smaller() -> None:
    """They lose statements, parameters and results; one that is not called is dropped."""
    values = (3, ArrayValue(np.array([4, 5, 6], np.int32)))
    r = reduce(Case(parse_fun(FUNCTIONS), Name("main"), values), Pipeline([wrong_call]))
    assert r is not None
    assert r.done
    (f,) = r.case.program.functions
    assert not f.body.stms
    assert (len(f.params), len(f.results)) == (1, 1)
    assert show(r.case.program).count("call") == 1


def test_a_crash_is_isolated() -> None:
    r = reduce(case(), Pipeline([no_replicate]))
    assert r is not None
    assert r.failure.kind == ("crash", "KeyError in no_replicate")
    assert [type(s.exp) for s in statements(r.case.program)] == [Replicate]


def test_a_number_that_is_a_size_stays() -> None:
    """A parameter that another one's type mentions is needed, though no statement uses it."""
    p = parse_fun(
        "entry main (k : i64) (xs : [k + 1]i32) -> (r : i32) =\n"
        "  let (ys : [2]i32) = replicate [2] 1i32\n"
        "  let (x : i32) = xs[0]\n  let (y : i32) = ys[0]\n  in (y)\n"
    )
    r = reduce(Case(p, Name("main"), (2, [1, 2, 3])), Pipeline([no_replicate]))
    assert r is not None
    assert r.done
    assert r.statements == 1


@pytest.mark.parametrize(
    ("name", "seed"),
    [("slice-unscaled", 16), ("operator-shared-place", 99)],
)
@pytest.mark.slow
def test_seeded_bugs_on_generated_programs(name: str, seed: int) -> None:
    """From some fifty statements to at most four; smaller, well typed, and failing alike."""
    (bug,) = (b for b in BUGS if b.name == name)
    passes, before = pipeline_of(bug), Case.of(generate(seed))
    first = failure(before, passes)
    assert first is not None
    r = reduce(before, passes, seconds=300)
    assert r is not None
    check(r.case.program)
    assert r.done
    assert r.failure.kind == first.kind
    assert len(statements(before.program)) > 30
    assert r.statements <= 4
    assert weight(r.case.program) < weight(before.program)
    again = failure(r.case, r.pipeline)
    assert again == r.failure
    assert failure(r.case, Pipeline.parse(str(r.pipeline))) is None  # without the bug


def test_a_crash_of_an_interpreter_is_isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows which engine it was: all are asked."""

    def faulty(p: MemProgram, *_: object, **_options: object) -> None:
        if any(isinstance(s.exp, Replicate) for s in statements(p)):
            raise KeyError
        raise Trap(TrapKind.BOUNDS, "in another way")

    monkeypatch.setattr(judging, "run_heap", faulty)
    r = reduce(case(), Pipeline.parse("simplify,allocate"))
    assert r is not None
    assert r.failure.kind == ("crash", "KeyError in faulty")
    assert len(statements(r.case.program)) == 1


@any_pass("no-order", summary="fails where there are a fold and a scatter")
def no_order(p: MemProgram, _: Context) -> MemProgram:
    """Raises what no pass may raise."""
    kinds = {type(s.exp.collective if isinstance(s.exp, Kernel) else s.exp) for s in statements(p)}
    if {Reduce, Scatter} <= kinds:
        raise KeyError
    return p


MARK = Name("mark")


@any_pass("marks", summary="a mark, and in small programs a trap")
def marks(p: MemProgram, _: Context) -> MemProgram:
    """Wrong in another way as soon as reducing has nearly ended."""
    (e,) = p.entries
    mark: Stm[Ann] = Stm((Binder(MARK, ScalarType.BOOL, None),), Const(True, ScalarType.BOOL))
    fails: Stm[Ann] = Stm((), Assert(Const(False, ScalarType.BOOL), "small"))
    more = (mark, fails) if len(statements(p)) < 4 else (mark,)
    return Program((evolve(e, body=with_stms(e.body, (*more, *e.body.stms))),))


FOLDED = """\
entry main [n] (xs : [n]i64) (is : [n]i64) -> (r : i64) (q : [n]i64) =
  let (k : i64) = xs[0]
  let (l : i64) = k + 1
  let (s : i64) = kernel i < n reduce (\\(a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (x : i64) = xs[i]
    in (x)
  let (d : [n]i64) = replicate [n] l
  let (t : [n]i64) = scatter d is xs
  in (s, t)
"""
ARGS = ([3, 5], [1, 0])


def test_what_passes_trust_is_kept() -> None:
    """No operator becomes one that is not associative, no scatter writes a place twice: then the
    compiler may do what it wants, and the reproducer would show nothing.
    """
    whole = trusted(Case(parse_fun(FOLDED), Name("main"), ARGS))
    assert len(whole) == 2
    for text in (
        FOLDED.replace("a + b", "a - b"),
        FOLDED.replace("(0)", "(1)"),
        FOLDED.replace("a + b", "b + 0"),
    ):
        assert len(trusted(Case(parse_fun(text), Name("main"), ARGS))) == 1
    assert len(trusted(Case(parse_fun(FOLDED), Name("main"), ([3, 5], [1, 1])))) == 1
    r = reduce(Case(parse_fun(FOLDED), Name("main"), ARGS), Pipeline([no_order]))
    assert r is not None
    assert r.done
    assert trusted(r.case) == whole


def test_another_failure_that_comes_before_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the guilty engine is asked at first; where that leads is judged by all in the end."""

    def faulty(p: MemProgram, entry: Name, args: tuple[ArgValue, ...], **options: Any) -> object:
        marked = any(b.name == MARK for s in statements(p) for b in s.pat)
        return SimpleNamespace(values=()) if marked else run_heap(p, entry, args, **options)

    monkeypatch.setattr(judging, "run_heap", faulty)
    steps = (*Pipeline([marks]).steps, *Pipeline.parse("allocate").steps)
    r = reduce(case(), Pipeline(steps))
    assert r is not None
    assert r.failure.kind == ("heap", "values")
    assert r.done
    assert r.statements == 4


def test_what_does_not_fail_is_not_reduced() -> None:
    assert reduce(case(), Pipeline.parse("simplify,allocate,lower")) is None


def test_it_stops_when_time_is_up() -> None:
    r = reduce(case(), Pipeline([one_for_zero]), seconds=0.0)
    assert r is not None
    assert not r.done
    assert show(r.case.program) == show(case().program)


# ---------------------------------------------------------------------- that it ends


@pytest.mark.parametrize("seed", range(3))
def test_it_ends_whatever_fails(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """If all well-typed programs failed alike: each that is kept is smaller, nothing is left."""
    found = failure(case(), Pipeline([no_replicate]))
    sizes: list[tuple[int, ...]] = []

    def typed(_: object, c: Case, passes: Pipeline, __: float) -> bool:
        try:
            check(c.program)
        except SourceError:
            return False
        sizes.append(reducing._measure(c, passes))
        return True

    monkeypatch.setattr(reducing, "failure", lambda *_: found)
    monkeypatch.setattr(reducing, "fails_alike", typed)
    monkeypatch.setattr(reducing, "trusted", lambda _: frozenset[str]())
    r = reduce(Case.of(generate(seed)), Pipeline.parse("simplify,allocate,merge"), seconds=300)
    assert r is not None
    assert r.done
    assert r.statements <= 1  # what the result is
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)


# ---------------------------------------------------------------------- candidates


def candidates(c: Case) -> Iterator[tuple[str, Case]]:
    """Every candidate of every kind, for each statement."""
    n = len(statements(c.program))
    for k in range(n):
        for number in (0, 1):
            yield "without", evolve(c, program=edited(c.program, without(c.program, [k], number)))
        for move in MOVES:
            for edit in move(c.program, k):
                yield move.__name__, evolve(c, program=edited(c.program, {k: edit}))
    for smaller in smaller_cases(c):
        yield "smaller_cases", smaller


def test_candidates_of_every_kind_are_well_typed() -> None:
    """Most of them, of every kind: a move that only makes ill-typed programs moves nothing."""
    tried: dict[str, list[bool]] = {}
    for kind, c in candidates(case()):
        try:
            check(c.program)
        except SourceError:
            tried.setdefault(kind, []).append(False)
        else:
            tried.setdefault(kind, []).append(True)
    assert tried.keys() == {"without", "smaller_cases", *(m.__name__ for m in MOVES)}
    for kind, sound in tried.items():
        assert sum(sound) >= len(sound) / 2, kind


# ---------------------------------------------------------------------- reproducers


def reduced() -> Reduced:
    r = reduce(case(), Pipeline([one_for_zero]))
    assert r is not None
    return r


@pytest.mark.usefixtures("faulty_passes")
def test_a_reproducer_says_all() -> None:
    r = reduced()
    text = reproducer(r)
    found = read_reproducer(text, "r.fun")
    assert parse_fun(text) == r.case.program
    assert str(found.pipeline) == str(r.pipeline)
    assert found.kind == r.failure.kind
    assert found.seed == r.case.seed
    assert found.entry == r.case.entry
    assert found.args is not None
    assert len(found.args) == len(r.case.args)
    assert reproducer(r) == text


SHARED = """\
entry f [n] [x_mem : mem] (x : [n]f32 @ x_mem -> 0 + {(n : 1)})
    -> [out_mem : mem] (out : [n]f32 @ out_mem -> 0 + {(n : 1)}) =
  let (y_mem : mem) = alloc 4*n
  let (y : [n]f32 @ y_mem -> 0 + {(n : 1)}) = copy x
  let (z : [n]f32 @ y_mem -> 0 + {(n : 1)}) = replicate [n] 1.0f32
  let (u_mem : mem) = alloc 4*n
  let (u : [n]f32 @ u_mem -> 0 + {(n : 1)}) =
    kernel i < n do
      let (v : f32) = y[i]
      in (v)
  in (u_mem, u)
"""


def test_another_program_has_no_such_head() -> None:
    found = read_reproducer("-- pipeline: merge\n-- ==\n-- input { 3i32 }\n" + PROGRAM, "p.fun")
    assert found.pipeline is None
    assert found.kind is None
    assert found.args == (3,)


# ---------------------------------------------------------------------- the command


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faulty_passes: None) -> None:
    """big.fun in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    Path("big.fun").write_text(PROGRAM)


@pytest.mark.usefixtures("program")
def test_the_command(golden: Callable[[str, str], None]) -> None:
    """It writes a reproducer, which fails alike, also by hand, and whose head suffices."""
    made = say("funmem reduce big.fun -p simplify,one-for-zero -i 3 -i '[4, 5, 6]' -o small.fun")
    assert made.code == 0
    assert made.err.startswith("reduced 16 statements to ")
    text = Path("small.fun").read_text()
    golden("reduce/small.fun", "".join(x for x in text.splitlines(True) if "versions:" not in x))
    again = say("funmem reduce --replay small.fun")
    assert again.code == 3
    assert again.out.startswith("fails: value: values\n")
    (by_hand,) = (x for x in text.splitlines() if x.startswith("-- by hand: "))
    assert say(by_hand.removeprefix("-- by hand: ")).code == 3
    assert say("funmem reduce small.fun").out.count("let") == text.count("let")
    assert say("funmem test small.fun").code == 0  # its own input fits


@pytest.mark.slow
@pytest.mark.usefixtures("program")
def test_the_command_says_what_does_not_fail() -> None:
    given = "big.fun -i 3 -i '[4, 5, 6]'"
    said = say(f"funmem reduce {given} -p simplify")
    assert said.code == 1
    assert "error[nothing-fails]: the program does not fail after simplify" in said.err
    assert say(f"funmem reduce --replay {given} -p simplify").out == "does not fail\n"
    assert say("funmem reduce").code == 2
    assert say("funmem reduce big.fun --generated 3").code == 2
    few = say("funmem reduce big.fun -i 3")
    assert (few.code, "with -i, or use --random" in few.err) == (1, True)
    assert '"fails": false' in say("funmem reduce --replay --json --generated 3").out


def test_what_is_wrong_before_any_pass(tmp_path: Path) -> None:
    """It is reduced like any other; no pass is at fault, and none is named."""
    before, after = tmp_path / "shared.funmem", tmp_path / "small.funmem"
    before.write_text(SHARED)
    made = say(f"funmem reduce {before} -i '[2f32, 3f32]' -o {after}")
    assert (made.code, made.err.split(";")[0]) == (0, "reduced 6 statements to 3")
    assert "-- pipeline:" not in after.read_text()
    assert say(f"funmem reduce --replay {after}").out.startswith("fails: heap: values\n")


@pytest.mark.usefixtures("program")
def test_the_command_in_json() -> None:
    said = say("funmem reduce big.fun -p no-replicate --random n=4,k=2 --json")
    assert '"engine": "crash", "code": "KeyError in no_replicate"' in said.out
    assert '"statements": 1' in said.out


def test_what_is_measured_is_the_bug() -> None:
    """A pass on memory is asked for programs in memory: that it refuses others is no failure."""
    (row,) = rows(["expand-bytes"], programs=1, seconds=20)
    assert row.reduced is not None
    assert row.reduced.failure.engine == "heap"


# ---------------------------------------------------------------------- passes of one's own

OWN = """\
from funmem.ir.fun import Const
from funmem.ir.scalars import ScalarType
from funmem.ir.traverse import Mapper, map_body
from funmem.passes.framework import any_pass
from tests.testing.test_reduce import one_for_zero

@any_pass("own", summary="as one-for-zero")
def own(p, ctx):
    return one_for_zero.run(p, ctx)
"""


def own_pass(file: Path, monkeypatch: pytest.MonkeyPatch) -> Pass:
    """A faulty pass in a file, as a script of somebody's has it."""
    monkeypatch.setattr(registry, "_registered", {})
    file.write_text(OWN)
    monkeypatch.setenv(registry.FILES, str(file))
    found = registry.find("own")
    monkeypatch.delenv(registry.FILES)
    return found


def test_a_pass_of_a_script_is_replayed_by_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reproducer names the file; only the environment variable runs it."""
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "script.py"
    r = reduce(case(), Pipeline([own_pass(script, monkeypatch)]))
    assert r is not None
    Path("small.fun").write_text(reproducer(r, "small.fun"))
    assert f"-- passes: own in {script}\n" in Path("small.fun").read_text()
    refused = say("funmem reduce --replay small.fun")
    assert refused.code == 2
    assert f"there is own in {script}: FUNMEM_PASSES=FILE.py makes those of" in refused.err
    monkeypatch.setenv(registry.FILES, str(script))
    assert say("funmem reduce --replay small.fun").out.startswith("fails: value: values\n")
    assert "own (" in say("funmem passes").out
    (by_hand,) = (
        x.removeprefix("-- by hand: ")
        for x in Path("small.fun").read_text().splitlines()
        if x.startswith("-- by hand: ")
    )
    before = f"env FUNMEM_PASSES={script} "
    assert by_hand.startswith(before)
    assert say(by_hand.removeprefix(before)).code == 3


def test_a_pass_of_a_session_is_replayed_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.setattr(registry, "file_of", lambda _: None)
    r = reduce(case(), Pipeline([one_for_zero]))
    assert r is not None
    Path("small.fun").write_text(reproducer(r, "small.fun"))
    assert "-- passes: one-for-zero of a session without a file\n" in Path("small.fun").read_text()
    assert say("funmem reduce --replay small.fun").code == 2
    registry.register(one_for_zero)
    assert say("funmem reduce --replay small.fun").out.startswith("fails: value: values\n")


def test_a_name_of_ours_is_not_registered() -> None:
    with pytest.raises(UsageError, match="`fuse` is the name of a pass of funmem"):
        registry.register(evolve(one_for_zero, name="fuse"))


def test_a_file_that_cannot_be_run_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.py").write_text("1 / 0")
    for file, why in (("bad.py", "ZeroDivisionError"), ("none.py", "FileNotFoundError")):
        monkeypatch.setenv(registry.FILES, str(tmp_path / file))
        with pytest.raises(UsageError, match=rf"{file}` cannot be loaded: {why}"):
            registry.find("own")
