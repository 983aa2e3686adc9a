"""Foreign functions on every engine: results, the order of effects, traps, wrong implementations.

Protects ``ir/foreign.py``, ``ir/foreign_calls.py``, ``codegen/foreign.py``,
``codegen/foreign_library.py``, and the calls of the interpreters and of the host plans.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from funmem.driver.engines import prepare
from funmem.driver.options import Engine, Options
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import SourceError, Trap, UsageError
from funmem.ir.foreign import ForeignCode, ForeignFunction
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, F32, I32, I64, U64
from funmem.ir.text.read_core import parse_core
from funmem.ir.values import ArrayValue

PROGRAM = parse_core("""
foreign weighted (f32, (f32, f32)) : f32
foreign split (i64) : (i64, bool)
effect note (token, i32) : token
effect count (token) : (token, u64)

def both : token -> i32 -> (token, i32) =
  \\(t : token) (x : i32) ->
    let (t1 : token) = effect note (t, x) : token
    let (t2 : token) = effect note (t1, x + 1i32) : token
    in (t2, x * 2i32)

entry main (t : token) (x : i32) (y : f32) : (token, i32, f32, u64, i64) =
  let (t1 : token) (a : i32) = @both t x
  let (t2 : token) (b : i32) = loop (s : token) = t1, (b : i32) = a for i < 2 do
    let (r : token) (c : i32) = if b > 3i32 then @both s b else (s, b)
    in (r, c)
  let (t3 : token) = effect note (t2, 99i32) : token
  let (t4 : token) (n : u64) = effect count (t3) : (token, u64)
  let (q : i64) (odd : bool) = foreign split (i64(x)) : (i64, bool)
  in (t4, b, foreign weighted (y, (y, y)) : f32, n, if odd then q else 0)

entry inside (xs : []f32) : ([]f32, f32) =
  let (ys : []f32) = map (\\(x : f32) -> foreign weighted (x, (x, 2f32)) : f32) (xs)
  let (s : f32) = reduce (\\(a : f32) (b : f32) -> a + b) (0f32) (ys)
  in (ys, foreign weighted (s, (1f32, 1f32)) : f32)

entry stops (t : token) (x : i32) : (token, i32) =
  let (t1 : token) = effect note (t, x) : token
  assert x > 0i32 "not positive: {}" (x)
  let (t2 : token) = effect note (t1, 1i32) : token
  in (t2, x)

entry guarded (xs : []i64) : []i64 =
  map (\\(x : i64) -> if x > 0 then (foreign split (x) : (i64, bool)).0 else 0) (xs)
""")

C = """
#include <stdio.h>
#include <stdlib.h>
static unsigned long noted;
static inline void foreign_weighted(float a, float b, float c, float *r) { *r = a + b * c; }
static void foreign_note(int x) { noted++; printf("%d ", x); }
static void foreign_count(unsigned long *r) { *r = noted; noted = 0; }
static void foreign_split(long x, long *half, unsigned char *odd)
{
    if (x <= 0)
        abort();
    *half = x / 2;
    *odd = x % 2;
}
"""

DEVICE = """
static inline void foreign_weighted(float a, float b, float c, float *r) { *r = a + b * c; }
static inline void foreign_split(long x, long *h, uchar *odd) { *h = x / 2; *odd = x % 2; }
"""

CODE = ForeignCode(
    (
        ForeignFunction(Name("weighted"), (F32, F32, F32), (F32,), c=True, cl=True),
        ForeignFunction(Name("split"), (I64,), (I64, BOOL), c=True, cl=True),
        ForeignFunction(Name("note"), (I32,), (), c=True),
        ForeignFunction(Name("count"), (), (U64,), c=True),
    ),
    C,
    DEVICE,
)

ENGINES = [pytest.param(e, marks=pytest.mark.opencl) if e is Engine.OPENCL else e for e in Engine]


def options(code: ForeignCode = CODE) -> Options:
    return Options(foreign=code)


@pytest.mark.parametrize("engine", ENGINES, ids=[e.value for e in Engine])
def test_every_engine_calls_the_same_code(
    engine: Engine, capfd: pytest.CaptureFixture[str]
) -> None:
    """An effect that is lost, repeated or moved changes what is printed and counted."""
    runner = prepare(PROGRAM, engine, options())
    assert runner.run("main", [3, 2.0]).values == (24, 6.0, 7, 1)
    assert capfd.readouterr().out == "3 4 6 7 12 13 99 "
    ys, s = runner.run("inside", [np.array([1, 2, 3], np.float32)]).values
    assert isinstance(ys, ArrayValue)
    assert (ys.data.tolist(), s) == ([3.0, 6.0, 9.0], 19.0)


@pytest.mark.parametrize("engine", ENGINES, ids=[e.value for e in Engine])
def test_output_before_a_trap_is_written(engine: Engine, capfd: pytest.CaptureFixture[str]) -> None:
    runner = prepare(PROGRAM, engine, options())
    with pytest.raises(Trap, match="not positive: -3"):
        runner.run("stops", [-3])
    assert capfd.readouterr().out == "-3 "


@pytest.mark.parametrize("engine", [Engine.VALUE, Engine.HEAP, Engine.IMP, Engine.C])
def test_no_call_is_speculated(engine: Engine) -> None:
    """The function ends the process for arguments that the program does not pass."""
    (ys,) = prepare(PROGRAM, engine, options()).run("guarded", [[-1, 7, 0, 9]]).values
    assert isinstance(ys, ArrayValue)
    assert ys.data.tolist() == [0, 3, 0, 4]


def wrong(**parts: object) -> ForeignCode:
    (first, *others) = CODE.functions
    return evolve(CODE, functions=(evolve(first, **parts), *others))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (ForeignCode(), "the foreign function `note` has no implementation"),
        (wrong(params=(F32, F32)), "called as (f32, f32, f32) -> (f32), but is implemented as"),
        (wrong(c=False), "`weighted` has no C source"),
    ],
    ids=["missing", "another signature", "no C"],
)
def test_the_code_must_fit_the_program(code: ForeignCode, said: str) -> None:
    with pytest.raises(SourceError, match=re.escape(said)) as e:
        prepare(PROGRAM, Engine.C, options(code))
    assert e.value.diagnostic.code == "foreign"


def test_a_source_of_another_type_is_an_error_of_the_compiler() -> None:
    code = evolve(CODE, c=CODE.c.replace("float a, float b", "float *a, float b"))
    with pytest.raises(SourceError, match=r"conflicting types|incompatible") as e:
        prepare(PROGRAM, Engine.VALUE, options(code))
    assert e.value.diagnostic.code == "foreign"


def test_a_kernel_of_a_device_needs_device_code() -> None:
    from funmem.driver.compilation import compile_kernels
    from funmem.driver.stages import to_fun

    fun = to_fun(PROGRAM)
    with pytest.raises(SourceError, match="`weighted` is called in a kernel"):
        compile_kernels(fun, options(wrong(cl=False)))


def test_references_in_python() -> None:
    noted: list[object] = []
    plain: Sequence[ForeignFunction] = [evolve(f, c=False, cl=False) for f in CODE.functions]
    refs = [lambda a, b, c: a + b * c, lambda x: (x // 2, x % 2 == 1), noted.append, lambda: 5]
    code = ForeignCode(
        tuple(evolve(f, reference=r) for f, r in zip(plain, refs, strict=True))  # type: ignore[misc]
    )
    got = prepare(PROGRAM, Engine.HEAP, options(code)).run("main", [3, 2.0]).values
    assert got == (24, 6.0, 5, 1)
    assert noted == [3, 4, 6, 7, 12, 13, 99]
    with pytest.raises(UsageError, match="no implementation"):
        prepare(PROGRAM, Engine.HEAP).run("main", [3, 2.0])


def test_the_program_is_unchanged_by_its_text() -> None:
    assert isinstance(PROGRAM, CoreProgram)
    assert len(PROGRAM.foreign) == 4


@pytest.mark.slow
@pytest.mark.parametrize("what", ["foreign", "raw", "rows"])
def test_sanitizers_see_foreign_code(what: str) -> None:
    """A planted overrun is found, and only where the program goes there."""
    from tests.c_sanitized import sanitized

    done = sanitized(what, 1)
    assert done.returncode != 0
    assert done.stdout == "inside\n"
    assert "heap-buffer-overflow" in done.stderr


def test_the_verifier_names_what_it_trusts() -> None:
    from tests.support.command_line import say

    path = "tests/programs/nova/foreign/scalars_and_tuples.nova"
    said = say(f"funmem verify {path}")
    assert said.code == 0
    assert "trusted: eight, scaled, sum, twice (foreign, so nothing was run)" in said.out


def test_a_module_for_a_device_has_no_foreign_calls_on_the_host(tmp_path: Path) -> None:
    from tests.support.command_line import say

    path = "tests/programs/nova/foreign/scalars_and_tuples.nova"
    said = say(f"funmem compile {path} --target opencl -o {tmp_path}")
    assert said.code == 1
    assert "calls the foreign function `scaled` on the host" in said.err
