"""Lowering to IMP: what it produces, and that this means the same in every order of iterations.

``tests/passes/lower/programs/*.funmem`` holds one program per construct,
``tests/golden/lower/*.imp`` its IMP.
"""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from funmem.interp.heap import run_heap
from funmem.interp.imp import Machine, Order, run_imp
from funmem.interp.value import run
from funmem.ir.check import check, check_imp
from funmem.ir.diagnostics import Trap
from funmem.ir.fun import ArrayType
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, ScalarType
from funmem.ir.signature import Signature, signature
from funmem.ir.text import parse_fun, parse_imp, show
from funmem.ir.values import ArgValue, ArrayValue, Value, agree, dtype
from funmem.passes.lower import lower_program
from funmem.passes.runner import Pipeline
from tests.support.paths import ROOT
from tests.support.sampling import sampled

HERE = Path(__file__).parent / "programs"
PAPER = ROOT / "papers" / "funmem"
PROGRAMS = sorted(f.stem for f in HERE.glob("*.funmem"))
ROUNDS, MOST_ROUNDS = 60, 150


def lowered(name: str) -> ImpProgram:
    return lower_program(parse_fun((HERE / f"{name}.funmem").read_text(), f"{name}.funmem"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_golden(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"lower/{name}.imp", show(lowered(name)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_lowered_programs_are_well_typed(name: str) -> None:
    source = parse_fun((HERE / f"{name}.funmem").read_text(), f"{name}.funmem")
    check(source)
    program = lower_program(source)
    check_imp(program)
    assert parse_imp(show(program)) == program


# ------------------------------------------------------------------- meaning


def some_scalar(t: ScalarType, rng: Random) -> bool | int | float:
    if t is BOOL:
        return rng.random() < 0.5
    if t.is_float:
        return rng.randint(-8, 8) / 4
    return rng.randint(0 if t.is_unsigned else -2, 4)


def some_arguments(sig: Signature, rng: Random) -> list[ArgValue]:
    """Small arguments: sizes from 0, scalars from -2, so that all traps are met.  The elements of
    an array called ``distinct`` are distinct.
    """
    sizes: dict[Name, int] = {x: rng.randint(0, 3) for x in sig.sizes}
    args: list[ArgValue] = []
    for p in sig.params:
        if isinstance(p.type, ArrayType):
            shape = tuple(d.eval(sizes.__getitem__) for d in p.type.shape)
            cells = [some_scalar(p.type.elem, rng) for _ in range(int(np.prod(shape)))]
            if p.name == "distinct":
                cells = list(rng.sample(range(-2, 4), len(cells)))
            args.append(np.array(cells, dtype(p.type.elem)).reshape(shape))
        else:
            args.append(some_scalar(p.type, rng))
    return args


def outcome(f: Callable[[], tuple[Value, ...]]) -> tuple[Value, ...] | Trap:
    try:
        return f()
    except Trap as trap:
        return trap


@pytest.mark.parametrize("name", sampled(PROGRAMS, 6))
def test_lowered_programs_compute_the_same(name: str) -> None:
    source = parse_fun((HERE / f"{name}.funmem").read_text(), f"{name}.funmem")
    rng = Random(name)
    for entry, imp in zip(source.entries, lower_program(source).entries, strict=True):
        machine, results, traps = Machine(imp), 0, 0
        for k in range(MOST_ROUNDS):
            if k >= ROUNDS and results:
                break
            args = some_arguments(signature(entry), rng)
            expected = outcome(lambda: run(source, entry.name, args))  # noqa: B023
            for order in Order:
                got = outcome(lambda: machine.run(args, order=order))  # noqa: B023
                same(expected, got, order)
            traps += isinstance(expected, Trap)
            results += not isinstance(expected, Trap)
        assert results, f"{entry.name} has always trapped"


def same(expected: tuple[Value, ...] | Trap, got: tuple[Value, ...] | Trap, order: Order) -> None:
    """The same results, or the same trap; in the order of the definition also the same message."""
    if isinstance(expected, Trap):
        assert isinstance(got, Trap), f"should trap: {expected}"
        assert got.kind is expected.kind
        assert order is not Order.FORWARDS or got.diagnostic == expected.diagnostic
    else:
        assert not isinstance(got, Trap), f"should not trap: {got}"
        assert agree(expected, got) is None


SCATTERED = "scatter d is vs"
COUNTED = """kernel i < k hist (d) (\\(p : i64) (q : i64) ->
      let (s : i64) = p + q
      in (s)) (0) do
    let (v : i64) = is[i]
    in (v, 1)"""


@pytest.mark.parametrize("exp", [SCATTERED, COUNTED], ids=["scatter", "hist"])
def test_a_size_may_have_a_factor_that_no_i64_can_be(exp: str) -> None:
    """As long as it is multiplied by 0; an index is compared with it modulo 2^64."""
    text = f"""
entry main [k] (z : i64) (is : [k]i64) (vs : [k]i64) -> (y : [18446744073709551616*z]i64) =
  let (d : [18446744073709551616*z]i64) = replicate [18446744073709551616*z] 0
  let (h : [18446744073709551616*z]i64) = {exp}
  in (h)
"""
    source = parse_fun(text)
    program = Pipeline.parse("allocate,lower").run(source)
    assert isinstance(program, ImpProgram)
    args = (0, np.array([0, 1, -1]), np.array([3, 4, 5]))
    assert agree(run(source, "main", args), Machine(program.entries[0]).run(args)) is None


# ------------------------------------------------------------------- the paper's figures


def read(name: str) -> str:
    return (PAPER / name).read_text()


def up_to_names(program: ImpProgram) -> str:
    """The text with every variable and index replaced by the position of its binding."""
    text = show(program)
    bound = re.findall(r"\((\w+) : |var (\w+) :|(?:kernel|for|,) (\w+) <", text)
    names = dict.fromkeys(next(filter(None, groups)) for groups in bound)
    for k, x in enumerate(names):
        text = re.sub(rf"\b{x}\b", f"#{k}", text)
    return text


def test_figure_7_lowers_to_figure_13() -> None:
    figure_7 = parse_fun(read("fig7.funmem"))
    figure_13 = parse_imp(read("fig13.imp"))
    check(figure_7)
    check_imp(figure_13)
    assert up_to_names(lower_program(figure_7)) == up_to_names(figure_13)
    assert "i_1" in show(lower_program(figure_7))  # names do differ


@pytest.mark.parametrize("x_size", [-1, 0, 3])
@pytest.mark.parametrize("y_size", [-1, 0, 2])
@pytest.mark.parametrize("condition", [True, False])
def test_figures_2_7_and_13_compute_the_same(x_size: int, y_size: int, condition: bool) -> None:
    figure_2, figure_7 = parse_fun(read("fig2.fun")), parse_fun(read("fig7.funmem"))
    figure_13 = parse_imp(read("fig13.imp"))
    check(figure_2)
    args = (x_size, y_size, condition)
    expected = outcome(lambda: run(figure_2, "main", args))
    others = (
        lambda: run(figure_7, "main", args),
        lambda: run_heap(figure_7, "main", args).values,
        lambda: run_imp(figure_13, "main", args),
    )
    for other in others:
        got = outcome(other)
        same(expected, got, Order.SHUFFLED)
        if not isinstance(got, Trap):
            (array,) = got
            assert isinstance(array, ArrayValue)
            assert array.data.tolist() == list(range(x_size if condition else y_size))
