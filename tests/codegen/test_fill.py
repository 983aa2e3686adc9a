"""What was never written does not leave a program: verify refuses it, machines give zeros."""

from collections.abc import Callable

import numpy as np
import pytest

from funmem.driver.engines import prepare
from funmem.driver.options import Engine, Options
from funmem.driver.source import Source, read
from funmem.driver.stages import Level, default_pipeline
from funmem.ir.text import parse_fun, show
from funmem.ir.values import ArrayValue
from funmem.ir.verify.certificate import Kind, Verdict
from funmem.passes.framework import AnyProgram, as_tree
from funmem.passes.lower.fill import filled
from funmem.passes.runner import Pipeline
from funmem.verify import judge
from tests.support.paths import TESTS
from tests.support.sampling import sampled

HOLES = """\
entry main [n] (xs : [n]f32) -> (r : [n]f32) =
  let (x : [n]f32) = scratch [n]f32
  let (a : f32) = 1.0f32
  let (y : [n]f32) = x with [0] = a
  in (y)
"""
"""A result of which one element is written."""

ONE_OF_TWO = """\
entry main [n] (xs : [n]f32) -> (r : [n]f32) (q : [n]f32) =
  let (x : [n]f32) = scratch [n]f32
  let (z : [n]f32) = scratch [n]f32
  let (y : [n]f32) = x with [0 : n : 1] = xs
  in (y, z)
"""
"""A result that is written, and one that is not."""

READ = """\
entry main [n] (xs : [n]f32) -> (r : f32) =
  let (x : [n]f32) = scratch [n]f32
  let (y : [n]f32) = x with [0 : n : 1] = xs
  let (z : [n]f32) = scratch [n]f32
  let (a : f32) = z[1]
  let (b : f32) = y[1]
  let (c : f32) = a + b
  in (c)
"""
"""A scalar that is computed of an element that nobody wrote."""

IN_KERNEL = """\
entry main [n] (xs : [n]f32) -> (r : [n][2]f32) =
  let (rows : [n][2]f32) = kernel i < n do
    let (x : [2]f32) = scratch [2]f32
    let (a : f32) = xs[i]
    let (y : [2]f32) = x with [0] = a
    in (y)
  in (rows)
"""
"""Rows of a kernel of which half is written."""

COPIED = """\
entry main [n] (xs : [n]f32) -> (r : [n]f32) =
  let (y : [n]f32) = copy xs
  in (y)
"""

XS = [7.0, 8.0, 9.0]

Stage = Callable[[str], AnyProgram]


def as_fun(text: str) -> AnyProgram:
    return parse_fun(text)


def as_funmem(text: str) -> AnyProgram:
    return Pipeline.parse("allocate").run(parse_fun(text))


def as_imp(text: str) -> AnyProgram:
    return default_pipeline(Level.FUN, Level.IMP).run(parse_fun(text))


def dirty(engine: Engine) -> None:
    """Leaves other numbers in memory than zeros."""
    text = (
        "entry main [n] (xs : [n]f32) -> (r : [n]f32) =\n  let (y : [n]f32) = copy xs\n  in (y)\n"
    )
    other = prepare(parse_fun(text), engine, Options(cache=False))
    for n in (1, 2, 3, 6):
        other.run("main", [np.full(n, 5, np.float32)])


@pytest.mark.parametrize(
    "engine", [Engine.C, pytest.param(Engine.OPENCL, marks=pytest.mark.opencl)]
)
@pytest.mark.parametrize("stage", sampled([as_fun, as_funmem, as_imp], 3, 2))
@pytest.mark.parametrize(
    ("text", "want"),
    sampled(
        [
            (HOLES, [[1, 0, 0]]),
            (ONE_OF_TWO, [[7, 8, 9], [0, 0, 0]]),
            (READ, [8]),
            (IN_KERNEL, [[[7, 0], [8, 0], [9, 0]]]),
        ],
        4,
        slow=6,
    ),
)
def test_machines_give_zeros(engine: Engine, stage: Stage, text: str, want: list[object]) -> None:
    runner = prepare(stage(text), engine, Options(cache=False))
    dirty(engine)
    values = runner.run("main", [np.array(XS, np.float32)]).values
    got = [v.data.tolist() if isinstance(v, ArrayValue) else v for v in values]
    assert got == want


@pytest.mark.parametrize("engine", [Engine.VALUE, Engine.HEAP, Engine.IMP])
def test_interpreters_say_what_is_undefined(engine: Engine) -> None:
    (r,) = prepare(parse_fun(HOLES), engine).run("main", [np.array(XS, np.float32)]).values
    assert isinstance(r, ArrayValue)
    assert r.defined is not None
    assert r.defined.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        (HOLES, {"result r": Verdict.REFUTED}),
        (ONE_OF_TWO, {"result r": Verdict.PROVED, "result q": Verdict.REFUTED}),
        (IN_KERNEL, {"result r": Verdict.REFUTED}),
    ],
)
def test_verify_refuses_a_result_with_holes(text: str, verdicts: dict[str, Verdict]) -> None:
    found = judge(as_tree(Pipeline.parse("allocate").run(parse_fun(text))))
    of_results = {
        o.place: o.verdict
        for o in found.obligations
        if o.kind is Kind.WRITTEN and o.place.startswith("result")
    }
    assert of_results == verdicts


def test_only_what_is_not_proved_is_filled() -> None:
    p = filled(parse_fun(ONE_OF_TWO)).program
    text = show(p)
    assert "let (x : [n]f32) = scratch [n]f32" in text
    assert "let (z : [n]f32) = replicate [n] 0.0f32" in text


@pytest.mark.parametrize(
    "path",
    [
        "papers/comprehensions/sieve.fut",
        pytest.param("tests/programs/comprehensions/filters.fut", marks=pytest.mark.exhaustive),
        pytest.param("tests/programs/comprehensions/group_by.fut", marks=pytest.mark.exhaustive),
    ],
)
def test_a_program_that_is_proved_pays_nothing(path: str) -> None:
    p = read(str(TESTS.parent / path)).parse()
    found = filled(p)
    assert found.program == p
    assert not found.blocks_of


def test_a_long_chain_of_filters_is_proved() -> None:
    """Sizes that are totals of sizes are not looked into."""
    steps = "".join(f"  let x{i + 1} = filter (\\x -> x % {i + 2} != 0) x{i}\n" for i in range(40))
    text = f"entry main [n] (x0: [n]i32) : []i32 =\n{steps}  in x40\n"
    p = Source("chain.fut", text, "fut").parse()
    assert filled(p).program == p


def test_a_long_chain_of_updates_of_what_is_whole_is_not_followed() -> None:
    steps = "".join(f"  let (x{i + 1} : [n]f32) = x{i} with [{i}] = 1.0f32\n" for i in range(1500))
    text = (
        "entry main [n] (xs : [n]f32) -> (r : [n]f32) (q : [n]f32) =\n"
        f"  let (x0 : [n]f32) = copy xs\n{steps}  let (s : [n]f32) = scratch [n]f32\n"
        "  let (s1 : [n]f32) = s with [0] = 1.0f32\n  in (x1500, s1)\n"
    )
    assert "let (s : [n]f32) = replicate" in show(filled(parse_fun(text)).program)
