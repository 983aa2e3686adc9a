"""Passes on Core are passes like the others: named, checked, printed between, judged."""

import importlib.metadata
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from funmem.driver.engines import prepare
from funmem.driver.options import Engine, Options
from funmem.driver.source import Source
from funmem.driver.stages import complete, default_pipeline, split
from funmem.ir import core as c
from funmem.ir.core import CoreProgram
from funmem.ir.core_traverse import map_parts
from funmem.ir.diagnostics import SourceError, UsageError
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp
from funmem.ir.text import parse_core, parse_fun, show
from funmem.passes import pipeline as stage
from funmem.passes import registry
from funmem.passes.context import Context
from funmem.passes.framework import Level, as_core, core_pass
from funmem.passes.runner import PassFailed, Pipeline, check_types
from tests.support.command_line import say

TEXT = r"""
-- ==
-- entry: main
-- input { [1i64, 2i64, 3i64] } output { 14i64 }

data shape 'a = #dot | #circle 'a

def square 'a : 'a -> i64 -> i64 =
  \(_ : 'a) (x : i64) -> x * x

entry main [n] (xs : [n]i64) : i64 =
  reduce (\(a : i64) (b : i64) -> a + b) (0) (map (@square[bool] true) (xs))
"""
PROGRAM = parse_core(TEXT, "p.core")


def test_the_default_pipeline_begins_with_them() -> None:
    assert str(default_pipeline(Level.CORE)).startswith(f"{stage.CORE},{stage.FUN},")
    names = stage.CORE.split(",")
    assert list(registry.TABLE)[: len(names)] == names
    for name in names:
        assert registry.find(name).inputs == (Level.CORE,)
    assert registry.find("to-fun").output is Level.FUN


def test_each_meets_its_conditions() -> None:
    """Types and conditions are checked before and after each pass."""
    seen: list[str] = []
    Pipeline.parse(stage.CORE).run(PROGRAM, after=lambda step, _, p: seen.append(show(p)))
    assert len(seen) == len(stage.CORE.split(","))
    with pytest.raises(UsageError, match="lambda-lift requires monomorphic: square has type"):
        Pipeline.parse("lambda-lift").run(PROGRAM)
    with pytest.raises(UsageError, match=r"simplify works on FUN or FUNMEM, but .* Core"):
        Pipeline.parse("simplify").run(PROGRAM)
    with pytest.raises(SourceError) as wrong:
        Pipeline.parse("monomorphise").run(parse_core("entry main : i64 = true", "w.core"))
    assert wrong.value.diagnostic.at.file == "w.core"


def test_a_pipeline_is_completed() -> None:
    """Before a pass that does not work on Core come the default passes that are left."""

    def completed(text: str, end: Level) -> str:
        return str(complete(Pipeline.parse(text), Level.CORE, end))

    rest = stage.CORE.removeprefix("entry-data,monomorphise,")
    assert completed("monomorphise", Level.CORE) == "monomorphise"
    assert completed("monomorphise", Level.FUN) == f"monomorphise,{rest}"
    assert completed("simplify,allocate", Level.FUNMEM) == f"{stage.CORE},simplify,allocate"
    assert completed("monomorphise,lower", Level.IMP) == f"monomorphise,{rest},lower"
    assert completed("monomorphise", Level.IMP) == f"monomorphise,{rest},allocate,lower"
    on_core, below = split(Pipeline.parse("monomorphise,simplify"))
    assert (str(on_core), str(below)) == (f"monomorphise,{rest}", "simplify")
    with pytest.raises(UsageError, match="a program in FUN cannot become Core again"):
        complete(Pipeline.parse("to-fun"), Level.CORE, Level.CORE)


# ---------------------------------------------------------------------- passes of others


def swapped(e: c.Exp) -> c.Exp:
    e = map_parts(e, swapped, lambda t: t)
    return evolve(e, op=BinOp.SUB) if isinstance(e, c.Bin) and e.op is BinOp.MUL else e


@core_pass("minus-for-times", summary="a mistake that the types do not show")
def minus_for_times(p: CoreProgram, ctx: Context) -> CoreProgram:
    return evolve(p, defs=tuple(evolve(d, exp=swapped(d.exp)) for d in p.defs))


@core_pass("ill-typed", summary="a mistake that the types show")
def ill_typed(p: CoreProgram, ctx: Context) -> CoreProgram:
    first, *rest = p.defs
    wrong = c.Let((c.Binder(Name("t"), I64),), c.Const(True, c.ScalarType.BOOL), first.exp)
    return evolve(p, defs=(evolve(first, exp=wrong), *rest))


@pytest.fixture
def entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that declares the two."""
    found = EntryPoints(
        EntryPoint(p.name, f"{__name__}:{p.name.replace('-', '_')}", "funmem.passes")
        for p in (minus_for_times, ill_typed)
    )
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: found)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "p.core"
    path.write_text(TEXT)
    return path


@pytest.mark.usefixtures("entry_points")
def test_a_pass_of_another_package(path: Path) -> None:
    assert "minus-for-times (Core)" in say("funmem passes").out
    said = say(f"funmem opt {path} -p monomorphise,minus-for-times,defunctionalise")
    assert (said.code, said.err) == (0, "")
    assert "x - x" in said.out
    between = say(f"funmem opt {path} -p monomorphise,minus-for-times --print-ir-after-change").out
    assert between.count("-- after") == 2
    said = say(f"funmem compile {path} -p minus-for-times --target c -o {path.parent}/made")
    assert (said.code, said.err) == (0, "")
    assert say(f"funmem explain {path} -p minus-for-times").code == 0
    assert say(f"funmem verify {path} -p minus-for-times").code == 0
    said = say(f"funmem run {path} -p minus-for-times --via core -i '[1, 2, 3]'")
    assert (said.code, said.out) == (0, "0i64\n")
    said = say(f"funmem run {path} -p minus-for-times --via imp --against core -i '[1, 2, 3]'")
    assert said.code == 3
    assert "core and imp disagree" in said.err


@pytest.mark.usefixtures("entry_points")
def test_the_core_interpreter_judges_each_pass(path: Path) -> None:
    """The error names the pass; inputs come from the test comments, or from the command line."""
    passes = "monomorphise,minus-for-times,simplify"
    for inputs in ("", " -i '[1, 2, 3]'"):
        said = say(f"funmem opt {path} -p {passes} --verify-each=values{inputs}")
        assert said.code == 3
        assert "a pass on Core broke the program: main after minus-for-times" in said.err
    assert say(f"funmem opt {path} --emit fun --verify-each=values").code == 0


def test_a_pass_that_breaks_types_is_named() -> None:
    with pytest.raises(PassFailed) as failed:
        Pipeline((*Pipeline.parse("monomorphise").steps, ill_typed)).run(PROGRAM)
    said = failed.value.diagnostic.message
    assert said.startswith("pass ill-typed broke the program: [C-LET]")
    before, _, after = failed.value.piece.partition("\nafter:\n")
    assert before.startswith("before:\n  def square")
    assert "let (t : i64) = true" in after


# ---------------------------------------------------------------------- engines, files


@pytest.mark.slow
def test_core_runs_on_every_engine(path: Path) -> None:
    vias = " ".join(f"--via {x}" for x in ("core", "value", "heap", "imp"))
    said = say(f"funmem test {path} {vias}")
    assert (said.code, said.out) == (0, "1 of 1 program(s) passed\n")
    assert say(f"funmem test {path} --verify-each=values").code == 0
    assert Source.of("p", TEXT, None).language == "core"
    assert say(f"funmem check {path}").out.startswith(f"{path}: FUN: main [n]")
    for engine in (Engine.CORE, Engine.VALUE, Engine.HEAP, Engine.IMP):
        assert prepare(PROGRAM, engine).run("main", ([1, 2, 3],)).values == (14,)


def test_what_only_core_expresses_runs_via_core(tmp_path: Path) -> None:
    path = tmp_path / "rows.fut"
    path.write_text(
        "def f (n: i64) : i64 =\n"
        "  if n == 0 then 1 else length (transpose (map (\\q -> replicate 2 (f q)) (iota n)))\n"
        "entry main (n: i64) : i64 = f n\n"
    )
    assert say(f"funmem run {path} --via core -i 3").out == "2i64\n"
    assert say(f"funmem run {path} --via value -i 3").code == 1


def test_other_programs_do_not_run_via_core() -> None:
    fun = parse_fun("entry main (x : i64) -> (x1 : i64) = in (x)")
    with pytest.raises(UsageError, match="a program in FUN cannot run via core"):
        prepare(fun, Engine.CORE, Options())


def test_wrong_core_is_an_error_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "wrong.core"
    path.write_text("entry main (x : i64) : i64 = let (y : bool) = x in x\n")
    for command in ("check", "run -i 1", "run --via core -i 1", "opt", "core"):
        verb, *options = command.split()
        said = say(f"funmem {verb} {path} {' '.join(options)}")
        assert said.code == 1
        assert "error[C-LET]" in said.err
        assert f"{path}:1:30" in said.err
    path.write_text("-- nothing\n")
    assert "the program has no entry point" in say(f"funmem check {path}").err


def test_core_printed_by_opt_is_read_again(tmp_path: Path) -> None:
    source = tmp_path / "sum.fut"
    source.write_text("entry main [n] (xs: [n]i64) : i64 = reduce (+) 0 (map (\\x -> x * x) xs)\n")
    for passes in ("", "-p monomorphise", "-p monomorphise,lambda-lift,defunctionalise"):
        out = tmp_path / "sum.core"
        out.write_text(say(f"funmem opt {source} {passes or '--emit core'}").out)
        check_types(as_core(parse_core(out.read_text())))
        assert say(f"funmem run {out} -i '[1, 2, 3]'").out == "14i64\n"
