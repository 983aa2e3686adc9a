"""Passes and pipelines: text, options, levels, what the runner checks, and what a failure shows."""

import importlib.metadata
import textwrap
from importlib.metadata import EntryPoint, EntryPoints

import pytest
from attrs import evolve

from funmem.ir.diagnostics import Diagnostic, ExitCode, FunmemError, FunmemWarning, UsageError
from funmem.ir.fun import (
    Ann,
    Body,
    Const,
    Copy,
    Index,
    MemProgram,
    Permute,
    Program,
    Stm,
)
from funmem.ir.imp import ImpProgram
from funmem.ir.scalars import I64
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import map_entries, map_sub_bodies, walk
from funmem.passes import framework, pipeline, registry, runner
from funmem.passes.framework import (
    AnyProgram,
    Context,
    Level,
    Option,
    Pass,
    Report,
    any_pass,
    fun_pass,
    imp_pass,
    levels_of,
    lowering_pass,
    mem_pass,
)
from funmem.passes.fun.simplify import simplify
from funmem.passes.mem.allocate import allocate
from funmem.passes.runner import PassFailed, Pipeline, Step

SUM = parse_fun("""
entry main [n] [m] (a : [n][m]i64) -> (s : [n]i64) =
  let (t : [m][n]i64) = permute (1, 0) a
  let (s1 : [n]i64) =
    kernel i < n do
      let (z : i64) =
        loop (x : i64) = 0 for j < m do
          let (v : i64) = t[j, i]
          let (w : i64) = x + v
          in (w)
      in (z)
  in (s1)
""")
SCALARS = parse_fun("entry main (a : i64) -> (b : i64) = let (c : i64) = a + 1 in (c)")

LAYOUT = Option("layout", "interleaved", ("interleaved", "contiguous"))
CHUNK = Option("chunk", 4)
FAST = Option("fast", False)


@mem_pass("expand-it", summary="takes options", options=(LAYOUT, CHUNK, FAST))
def with_options(p: MemProgram, ctx: Context) -> MemProgram:
    ctx.remark("x", "layout", f"{ctx.text('layout')} {ctx.number('chunk')} {ctx.flag('fast')}")
    return p


# ---------------------------------------------------------------------- text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "simplify",
        "allocate,simplify",
        pipeline.FUN,
        pipeline.ALLOCATE,
    ],
)
def test_a_pipeline_prints_as_it_was_written(text: str) -> None:
    assert str(Pipeline.parse(text)) == text


def test_spaces_mean_nothing() -> None:
    assert str(Pipeline.parse(" allocate , simplify ")) == "allocate,simplify"


@pytest.mark.parametrize("text", [",", "a,", "a{", "a{x=1", "a{x=1}}", "a b", "a{x}", "{}"])
def test_what_is_no_pipeline(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find", lambda name: with_options)
    with pytest.raises(UsageError):
        Pipeline.parse(text)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("expand-it", "interleaved 4 False"),
        ("expand-it{layout=contiguous}", "contiguous 4 False"),
        ("expand-it{chunk=-7,fast=true}", "interleaved -7 True"),
        ("expand-it{fast=false}", "interleaved 4 False"),
    ],
)
def test_options(text: str, seen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find", lambda name: with_options)
    parsed = Pipeline.parse(text)
    assert str(parsed) == text
    report = Report()
    parsed.run(allocate.run(SUM, allocate.context()), report=report)
    assert [r.reason for r in report.remarks] == [seen]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x{layout=diagonal}", "option layout is one of interleaved, contiguous, not `diagonal`"),
        ("x{chunk=four}", "option chunk is an integer, not `four`"),
        ("x{fast=1}", "option fast is true or false, not `1`"),
        ("x{speed=1}", "pass expand-it has no option speed"),
        ("x{fast}", "an option of pass expand-it has the form name=value, not `fast`"),
    ],
)
def test_wrong_options(text: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find", lambda name: with_options)
    with pytest.raises(UsageError) as e:
        Pipeline.parse(text)
    assert e.value.diagnostic.message == message


# ---------------------------------------------------------------------- names


def test_our_passes_have_their_names() -> None:
    for name in registry.TABLE:
        what = registry.find(name)
        assert what.name == name
        assert what.summary


def test_a_pass_says_what_it_does() -> None:
    """Why, before -> after, in the module's own words."""
    from importlib import import_module

    for place in registry.TABLE.values():
        doc = import_module(place.partition(":")[0]).__doc__ or ""
        assert "->" in doc, place


def test_an_unknown_pass_is_told_the_nearest() -> None:
    with pytest.raises(UsageError) as e:
        registry.find("simplfy")
    assert e.value.diagnostic.code == "unknown-pass"
    assert e.value.diagnostic.hint == "did you mean simplify?"
    assert e.value.exit_code is ExitCode.USAGE


def test_an_unknown_pass_is_told_all() -> None:
    with pytest.raises(UsageError) as e:
        registry.find("zzz")
    assert e.value.diagnostic.hint.startswith("there is entry-data, monomorphise")


@any_pass("theirs", summary="somebody else's")
def theirs(p: MemProgram, ctx: Context) -> MemProgram:
    return p


def test_passes_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    found = EntryPoints(
        (
            EntryPoint("theirs", "tests.passes.test_framework:theirs", registry.PASSES.group),
            EntryPoint("broken", "tests.passes.test_framework:SUM", registry.PASSES.group),
        )
    )
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: found)
    assert registry.find("theirs").summary == "somebody else's"
    assert registry.names()[-2:] == ("broken", "theirs")
    with pytest.raises(UsageError, match="is not a Pass but a Program"):
        registry.find("broken")


# ---------------------------------------------------------------------- levels


def test_levels() -> None:
    assert levels_of(SUM) == {Level.FUN}
    assert levels_of(allocate.run(SUM, allocate.context())) == {Level.FUNMEM}
    assert levels_of(SCALARS) == {Level.FUN, Level.FUNMEM}
    assert levels_of(ImpProgram(())) == {Level.IMP}


def test_a_pass_meets_its_level() -> None:
    with pytest.raises(UsageError) as e:
        Pipeline((Step(with_options),)).run(SUM)
    message = "pass expand-it works on FUNMEM, but the program is FUN"
    assert e.value.diagnostic.message == message
    Pipeline((Step(with_options),)).run(SCALARS)
    Pipeline((Step(allocate), Step(with_options))).run(SUM)


def test_the_runner_follows_the_levels() -> None:
    with pytest.raises(UsageError, match="allocate works on FUN, but the program is FUNMEM"):
        Pipeline.parse("allocate,allocate").run(SCALARS)


@lowering_pass("to-imp", summary="to IMP")
def to_imp(p: MemProgram, ctx: Context) -> ImpProgram:
    return ImpProgram(())


@imp_pass("on-imp", summary="IMP to IMP")
def on_imp(p: ImpProgram, ctx: Context) -> ImpProgram:
    return p


def test_imp_passes() -> None:
    steps = (Step(allocate), Step(to_imp), Step(on_imp))
    assert Pipeline(steps).run(SUM, verify=False) == ImpProgram(())
    with pytest.raises(UsageError, match="on-imp works on IMP, but the program is FUN"):
        Pipeline((Step(on_imp),)).run(SUM)


def test_the_default_pipeline_is_what_its_pieces_say() -> None:
    assert pipeline.DEFAULT.startswith("inline,simplify,fuse,nest,schedule,simplify,allocate")
    assert str(Pipeline.parse(pipeline.DEFAULT)) == pipeline.DEFAULT
    assert levels_of(pipeline.to_funmem(SUM)) == {Level.FUNMEM}
    assert levels_of(pipeline.to_imp(SUM)) == {Level.IMP}


# ---------------------------------------------------------------------- runs


def test_what_a_run_reports() -> None:
    steps: list[tuple[str, bool]] = []

    def after(step: Step, old: AnyProgram, new: AnyProgram) -> None:
        steps.append((str(step), old == new))

    report = Report()
    Pipeline.parse("simplify,allocate,simplify").run(SUM, report=report, after=after)
    assert steps == [("simplify", True), ("allocate", False), ("simplify", True)]
    assert [t.pass_name for t in report.timings] == ["simplify", "allocate", "simplify"]
    assert all(t.seconds > 0 and t.check_seconds > 0 for t in report.timings)


def test_remarks_say_where_and_why() -> None:
    program = parse_fun("entry main (k : i64) -> (r : i64) = let (v : i64) = 1 / k in (k)")
    report = Report()
    Pipeline.parse("simplify").run(program, report=report)
    (remark,) = report.remarks
    assert (remark.pass_name, remark.place) == ("simplify", "v")
    assert str(remark).startswith("simplify: v")
    assert str(remark).endswith("(1) dead code cannot trap: operator / traps on some operands")


def no_transposition(p: MemProgram) -> Diagnostic | None:
    for e in p.entries:
        for s in e.body.stms:
            if isinstance(s.exp, Permute):
                return Diagnostic(s.at, "permute", f"{s.pat[0].name} is transposed")
    return None


@any_pass("picky", summary="has a precondition", pre=(no_transposition,))
def picky(p: MemProgram, ctx: Context) -> MemProgram:
    return p


@any_pass("boastful", summary="has a postcondition", post=(no_transposition,))
def boastful(p: MemProgram, ctx: Context) -> MemProgram:
    return p


def test_a_precondition_is_the_users_business() -> None:
    with pytest.raises(UsageError) as e:
        Pipeline((Step(picky),)).run(SUM)
    message = "pass picky requires no_transposition: t is transposed"
    assert e.value.diagnostic.message == message


def test_a_postcondition_is_the_passes(golden) -> None:
    with pytest.raises(PassFailed) as e:
        Pipeline((Step(boastful),)).run(SUM)
    assert e.value.exit_code is ExitCode.DISAGREEMENT
    golden("passes/framework/postcondition.err", f"{e.value}\n")


@any_pass("too-few-indices", summary="a broken pass")
def broken(p: MemProgram, ctx: Context) -> MemProgram:
    def body(b: Body[Ann]) -> Body[Ann]:
        return evolve(b, stms=tuple(map(stm, b.stms)))

    def stm(s: Stm[Ann]) -> Stm[Ann]:
        exp = map_sub_bodies(s.exp, body)
        if isinstance(exp, Index):
            exp = Index(exp.x, exp.index[:1])
        return evolve(s, exp=exp)

    return map_entries(p, body)


def test_a_failure_shows_the_statement_before_and_after(golden) -> None:
    with pytest.raises(PassFailed) as e:
        Pipeline((Step(simplify), Step(broken))).run(SUM)
    assert e.value.pass_name == "too-few-indices"
    assert e.value.cause.code == "T-INDEX"
    golden("passes/framework/broken.err", f"{e.value}\n")


@any_pass("new-result", summary="a broken pass that invents a statement")
def inventive(p: MemProgram, ctx: Context) -> MemProgram:
    (e,) = p.entries
    last = e.body.stms[-1]
    new = Stm((evolve(last.pat[0], name="new"),), Const(0, I64))
    return Program((evolve(e, body=evolve(e.body, stms=(*e.body.stms, new))),))


def test_a_failure_of_a_new_statement(golden) -> None:
    with pytest.raises(PassFailed) as e:
        Pipeline((Step(allocate), Step(inventive))).run(SUM)
    golden("passes/framework/new.err", f"{e.value}\n")


def test_without_verification_nobody_looks() -> None:
    broken_program = Pipeline((Step(broken),)).run(SUM, verify=False)
    with pytest.raises(FunmemError):
        Pipeline(()).run(broken_program)


# ---------------------------------------------------------------------- a pass of one's own


def test_the_example_of_the_docs() -> None:
    example = textwrap.dedent((framework.__doc__ or "").split("in ten lines:\n", 1)[1])
    names = {
        **vars(framework),
        **vars(runner),
        "walk": walk,
        "Copy": Copy,
        "allocate": allocate,
        "program": SUM,
    }
    exec(example, names)
    report = names["report"]
    assert isinstance(report, Report)
    (remark,) = report.remarks
    assert str(remark).startswith("list-copies: s1_1")
    assert str(remark).endswith("nothing is copied: s1 is")


@fun_pass("zero", summary="every i64 constant becomes 0")
def zero(p: MemProgram, ctx: Context) -> MemProgram:
    def body(b: Body[Ann]) -> Body[Ann]:
        return evolve(b, stms=tuple(map(stm, b.stms)))

    def stm(s: Stm[Ann]) -> Stm[Ann]:
        constant = isinstance(s.exp, Const) and s.exp.type is I64
        return evolve(s, exp=Const(0, I64) if constant else map_sub_bodies(s.exp, body))

    return map_entries(p, body)


def test_passes_are_functions() -> None:
    after = Pipeline([simplify, Step(allocate)]).run(SUM)
    assert after == allocate(simplify(SUM))
    assert str(Pipeline([simplify, allocate])) == "simplify,allocate"
    with pytest.raises(UsageError, match="pass allocate has no option layout"):
        allocate(SUM, layout="contiguous")


def test_a_pass_of_ones_own() -> None:
    assert isinstance(zero, Pass)
    program = parse_fun("entry main -> (r : i64) = let (c : i64) = 5 in (c)")
    after = Pipeline((Step(zero),)).run(program)
    assert "let (c : i64) = 0" in show(after)


def test_a_pass_that_takes_long_is_a_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    def remarks() -> list[str]:
        report = Report()
        Pipeline.parse("simplify").run(SCALARS, report=report)
        return [str(r) for r in report.remarks]

    assert remarks() == []
    monkeypatch.setattr(runner, "SLOW", -1.0)
    assert remarks() == ["simplify: the whole program: compile time: this pass took 0.0 s"]


@pytest.mark.parametrize(("former", "name"), sorted(registry.RENAMED.items()))
def test_a_former_name_is_accepted_with_a_warning(former: str, name: str) -> None:
    """Scripts of the release before keep running; the warning says what to write."""
    with pytest.warns(FunmemWarning, match=f"`{former}` is now called `{name}`"):
        assert registry.find(former) is registry.find(name)
    assert former not in registry.names()
