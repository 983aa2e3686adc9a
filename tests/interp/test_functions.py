"""Calls on the three interpreters: results, names of their own, and where a trap is.

Protects E-CALL (``interp/control.py``), ``interp/imp.py``, the lowering of functions and calls.
"""

from collections.abc import Callable

import pytest

from funmem.interp.counted import TooMuch
from funmem.interp.heap import run_heap
from funmem.interp.imp import run_imp
from funmem.interp.metered import Measured
from funmem.interp.value import run
from funmem.ir.diagnostics import Stuck, Trap, TrapKind
from funmem.ir.erase import erase
from funmem.ir.fun import Program
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue, ArrayValue, Value
from funmem.passes.lower import lower_program
from funmem.passes.runner import Pipeline

PROGRAM = """
def twice (x : i64) -> (r : i64) =
  let (y : i64) = x + x
  in (y)

def both (x : i64) (k : i64) -> (sum : i64) (last : i64) =
  let (y : i64) (z : i64) =
    loop (a : i64) = x, (b : i64) = 0 for i < k do
      let (t : i64) = call twice (i)
      let (a2 : i64) = a + t
      in (a2, t)
  in (y, z)

def ratio (x : i64) (y : i64) -> (r : i64) =
  let (small : bool) = x < 5
  assert small "x is {}" (x)
  let (q : i64) = x / y
  in (q)

def checked (y : i64) (x : i64) -> (r : i64) =
  let (a : i64) = call ratio (y, x) partial
  let (b : i64) = call ratio (x, y) partial
  let (c : i64) = a * 10 + b
  in (c)

entry f [n] (xs : [n]i64) (y : i64) -> (r : [n]i64) (s : [n]i64) (t : i64) =
  let (x : i64) (a : i64) = call both (y, 3)
  let (ys : [n]i64) (zs : [n]i64) =
    kernel i < n do
      let (q : i64) = xs[i]
      let (b : i64) (c : i64) = call both (q, i)
      let (d : i64) = call checked (y, q) partial
      let (e : i64) = b + c
      in (e, d)
  let (z : i64) = x + a
  in (ys, zs, z)
"""


def on_value(p: Program[None], args: tuple[ArgValue, ...]) -> tuple[Value, ...]:
    return run(p, "f", args)


def on_heap(p: Program[None], args: tuple[ArgValue, ...]) -> tuple[Value, ...]:
    placed = Pipeline.parse("allocate").run(p)
    assert isinstance(placed, Program)
    return run_heap(placed, "f", args).values


def on_imp(p: Program[None], args: tuple[ArgValue, ...]) -> tuple[Value, ...]:
    placed = Pipeline.parse("allocate").run(p)
    assert isinstance(placed, Program)
    return run_imp(lower_program(placed), "f", args)


Engine = Callable[[Program[None], tuple[ArgValue, ...]], tuple[Value, ...]]
engines = pytest.mark.parametrize("engine", [on_value, on_heap, on_imp])


def program(text: str = PROGRAM) -> Program[None]:
    return erase(parse_fun(text, "p.fun"))


@engines
def test_calls_compute(engine: Engine) -> None:
    r, s, t = engine(program(), ([2, 4, 3], 4))
    assert isinstance(r, ArrayValue)
    assert isinstance(s, ArrayValue)
    # both(q, i): q + sum of 2j for j < i, and 2(i - 1); checked(4, q): 10 * (4 / q) + q / 4
    assert r.data.tolist() == [2, 4, 7]
    assert s.data.tolist() == [20, 11, 10]
    assert t == 4 + 6 + 4


@engines
def test_a_trap_is_in_the_function(engine: Engine) -> None:
    with pytest.raises(Trap) as e:
        engine(program(), ([2, 0, 7], 4))
    assert e.value.kind is TrapKind.DIVISION
    assert (e.value.diagnostic.at.file, e.value.diagnostic.at.line) == ("p.fun", 17)
    with pytest.raises(Trap) as e:
        engine(program(), ([1, 7], 4))
    assert e.value.kind is TrapKind.ASSERTION
    assert (e.value.diagnostic.message, e.value.diagnostic.at.line) == ("x is 7", 16)


@engines
def test_a_call_without_results_or_arguments(engine: Engine) -> None:
    text = """
    def five -> (r : i64) = in (5)
    def fail (b : bool) -> =
      assert b "no"
      in ()
    entry f (b : bool) -> (r : i64) =
      let = call fail (b) partial
      let (x : i64) = call five ()
      in (x)"""
    assert engine(program(text), (True,)) == (5,)
    with pytest.raises(Trap, match="no"):
        engine(program(text), (False,))


@engines
def test_a_missing_function_is_stuck(engine: Engine) -> None:
    p = program()
    if engine is on_value:
        with pytest.raises(Stuck, match="there is no function"):
            engine(evolve(p, functions=p.functions[1:]), ([1], 1))


def test_statements_of_functions_are_counted() -> None:
    text = """
    def many (n : i64) -> (r : i64) =
      let (s : i64) = loop (a : i64) = 0 for i < n do
        let (b : i64) = a + i
        in (b)
      in (s)
    entry f (n : i64) -> (r : i64) =
      let (x : i64) = call many (n)
      in (x)"""
    meter = Measured(program(text), Name("f"), 100)
    assert meter.run((10,))[0] == (45,)
    with pytest.raises(TooMuch):
        meter.run((1000,))
