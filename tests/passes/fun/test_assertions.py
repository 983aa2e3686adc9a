"""What a failed assertion, index or slice says: the same on every engine, at host level and inside
kernels, whatever passes did to the program.
"""

from pathlib import Path

import numpy as np
import pytest

from funmem.driver.engines import prepare
from funmem.driver.options import Engine, Options
from funmem.ir.diagnostics import Trap, TrapKind
from funmem.ir.text import parse_fun, show
from funmem.ir.values import ArgValue
from funmem.passes.runner import Pipeline
from tests.support.devices import needs_compiler
from tests.support.sampling import sampled

ENGINES = [
    *(pytest.param(e, id=e.value) for e in Engine if e.interprets and e is not Engine.CORE),
    pytest.param(Engine.C, id="c", marks=needs_compiler),
    pytest.param(Engine.OPENCL, id="opencl", marks=pytest.mark.opencl),
]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))


def trap(text: str, engine: Engine, *args: ArgValue) -> tuple[TrapKind, str, int]:
    """The kind, the message and the line."""
    options = Options(safe=True, cache=False)
    if engine is Engine.OPENCL:
        from funmem.codegen.device import POCL
        from tests.support.devices import has_pocl

        if not has_pocl():
            pytest.skip("PoCL is not installed (pip install pocl-binary-distribution)")
        options = Options(device=POCL, safe=True)
    runner = prepare(parse_fun(text, "t.fun"), engine, options)
    with pytest.raises(Trap) as caught:
        runner.run("main", args)
    d = caught.value.diagnostic
    return caught.value.kind, d.message, d.at.line


HOST = """
entry main [n] (a : i64) (b : i64) (e : i64) (x : f32) (xs : [n]f64) -> (r : i64) =
  let (first : f64) = xs[0]
  let (up : bool) = a < b
  let (good : bool) = up && e > b
  assert good "Range {}..{}..<{} is invalid; {} {{{}}} {} {}" (a, b, e, x, good, first, -0.5f16)
  in (a)
"""
KERNEL = """
entry main [n] [m] (xs : [n][m]f32) (u : u8) -> (ys : [n][m]f32) =
  let (zs : [n][m]f32) = kernel i < n, j < m do
    let (x : f32) = xs[i, j]
    let (k : i64) = i * m + j
    let (good : bool) = x < 4.0f32
    assert good "[{}, {}] = {} (number {} of {}; {}, {})" (i, j, x, k, n, u, good)
    let (y : f32) = x + 1.0f32
    in (y)
  in (zs)
"""
REDUCTION = """
entry main [n] (xs : [n]i32) -> (r : i32) =
  let (s : i32) = kernel i < n reduce (\\(a : i32) (b : i32) ->
      let (c : i32) = a + b
      in (c)) (0i32) do
    let (x : i32) = xs[i]
    let (good : bool) = x >= 0i32
    assert good "{} at {}" (x, i)
    in (x)
  in (s)
"""
LOOP = """
entry main (n : i64) -> (r : u64) =
  let (s : u64) = loop (acc : u64) = 18446744073709551614u64 for i < n do
    let (next : u64) = acc + 1u64
    let (good : bool) = next > acc
    assert good "after {} steps {} is followed by {}" (i, acc, next)
    in (next)
  in (s)
"""


@pytest.mark.parametrize("engine", sampled(ENGINES, 3, slow=6))
@pytest.mark.parametrize(
    ("text", "args", "message", "line"),
    [
        (
            HOST,
            (1, 3, 0, 0.1, [2.5]),
            "Range 1..3..<0 is invalid; 0.1f32 {false} 2.5f64 -0.5f16",
            6,
        ),
        (
            KERNEL,
            (np.arange(12, dtype=np.float32).reshape(2, 6), 200),
            "[0, 4] = 4.0f32 (number 4 of 2; 200, false)",
            7,
        ),
        (REDUCTION, ([3, 4, -7, 5],), "-7 at 2", 8),
        (LOOP, (5,), "after 1 steps 18446744073709551615 is followed by 0", 6),
    ],
    ids=["host", "kernel", "reduction", "loop"],
)
def test_a_message_shows_its_values(
    text: str, args: tuple[ArgValue, ...], message: str, line: int, engine: Engine
) -> None:
    assert trap(text, engine, *args) == (TrapKind.ASSERTION, message, line)


@pytest.mark.parametrize("engine", sampled(ENGINES, 4, slow=6))
@pytest.mark.parametrize("inside", [False, True], ids=["host", "kernel"])
@pytest.mark.parametrize(
    ("type_", "exp", "kind", "message"),
    [
        ("i64", "xs[k, 2]", "INDEX", "Index [7, 2] {bounds} [5][3]."),
        ("[6]i64", "xs[1 : 6, 2]", "SLICE", "Index [1:7, 2] {bounds} [5][3]."),
        ("[m]i64", "xs[k, 0 : m]", "SLICE", "Index [7] {bounds} [5]."),
        ("[k]i64", "xs[4 : k : -1, 0]", "SLICE", "Index [4:-3:-1, 0] {bounds} [5][3]."),
        ("[2][m]i64", "xs[-1 : 2, 0 : m]", "SLICE", "Index [-1:1] {bounds} [5]."),
        (
            "[2][k]i64",
            "reshape [2][k] row",
            "SHAPE",
            "Cannot unflatten {shape} [3] to {shape} [2][7]",
        ),
        ("[k]i64", "reshape [k] xs", "SHAPE", "Cannot reshape {shape} [5][3] to {shape} [7]"),
        ("i64", "k / (m - 3)", "DIVISION", "division by zero"),
        ("i64", "k ** (4 - n)", "EXPONENT", "negative exponent"),
    ],
)
def test_what_traps_say(
    type_: str, exp: str, kind: str, message: str, inside: bool, engine: Engine
) -> None:
    stms = f"let (row : [m]i64) = xs[0, 0 : m]\n let (y : {type_}) = {exp}"
    head = "entry main [n] [m] (xs : [n][m]i64) (k : i64)"
    if inside:
        kernel = f"let (s : [2]i64) = kernel i < 2 do\n {stms}\n in (i) in (s)"
        text = f"{head} -> (r : [2]i64) = {kernel}"
    else:
        text = f"{head} -> (r : i64) =\n {stms}\n in (k)"
    found = trap(text, engine, np.zeros((5, 3), np.int64), 7)
    shape = "array of shape"
    said = message.format(bounds=f"out of bounds for {shape}", shape=shape)
    assert found == (TrapKind[kind], said, 3)


def test_values_of_a_message_live_on() -> None:
    """What only a message shows is no dead code; what is known of it is shown in its place."""
    text = """entry main (c : bool) (x : i64) -> (r : i64) =
  let (two : i64) = 1 + 1
  let (y : i64) = x * x
  let (z : i64) = y
  assert c "{} {} {}" (two, y, z)
  in (x)
"""
    after = Pipeline.parse("simplify").run(parse_fun(text, "t.fun"))
    assert '  let (y : i64) = x * x\n  assert c "{} {} {}" (2, y, y)\n' in show(after)
