"""Definitions that stay functions (passes/core/scalar_functions.py): which, and how code grows."""

import pytest

from funmem.codegen.opencl import compile_imp
from funmem.frontends.futhark.program import to_core
from funmem.interp.value import run
from funmem.ir.check import check
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import SourceError
from funmem.ir.fun import Program
from funmem.ir.values import agree
from funmem.passes.core.scalar_functions import chosen
from funmem.passes.core.to_fun import to_fun
from funmem.passes.framework import Report, as_imp
from funmem.passes.pipeline import DEFAULT
from funmem.passes.runner import Pipeline
from tests.seeded.core import CoreBug, Seen, faulty

CORE = "monomorphise,lambda-lift,defunctionalise,flatten-data,recursion,to-fun{{functions={}}}"


def lowered(text: str, least: int, report: Report | None = None) -> Program[None]:
    p = Pipeline.parse(CORE.format(least)).run(to_core(text, "p.fut"), report=report)
    assert isinstance(p, Program)
    check(p)
    return p  # type: ignore[return-value]


def chain(depth: int) -> str:
    """f_k calls f_(k-1) twice."""
    lines = ["def f0 (x: f32) : f32 = x * 0.5f32 + 1f32 / (x + 2f32)"]
    lines += [
        f"def f{k} (x: f32) : f32 = f{k - 1} (f{k - 1} x + {k}f32)" for k in range(1, depth + 1)
    ]
    return "\n".join([*lines, f"entry main [n] (xs: [n]f32) : [n]f32 = map f{depth} xs"])


def source(depth: int) -> str:
    pipeline = Pipeline.parse(f"{CORE.format(8)},{DEFAULT}")
    return compile_imp(as_imp(pipeline.run(to_core(chain(depth), "p.fut"), verify=False))).source


def test_sharing_does_not_multiply_the_code() -> None:
    """Inlined, the code would be 4096 times as long at depth 18 as at depth 6."""
    short, long = source(6), source(18)
    assert len(long) <= 4 * len(short)
    assert long.count("static inline float f0_") == 17


MIXED = """
def clamp (x: f32) : f32 = f32.max 0f32 (f32.min 1f32 (x * 2f32 + 0.5f32 - x / 3f32))
def pair (x: f32) (k: i32) : (f32, i32) =
  let y = clamp x in if y > 0.25f32 then (y * 2f32, k * 3i32 + 1i32) else (y, k)
def ratio (a: i32) (b: i32) : i32 = (a * 3i32 + b) / (b - 2i32) + a % 5i32
def place (i: i64) : i64 = (i * 7i64 + 3i64) %% 5i64 + i * i - i
def steps (a: i32) : i32 =
  loop s = a for i < 3i32 do s * 2i32 + i + ratio s (i + 5i32)
entry main [n] (xs: [n]f32) (b: i32) : ([n]f32, [n]i32, i64) =
  let (ys, ks) = unzip (map (\\x -> pair x b) xs)
  let zs = map2 (\\y k -> let (p, q) = pair y k in (p, ratio q b + steps q + steps k)) ys ks
  let (ps, qs) = unzip zs
  in (map clamp ps, qs, place n + place (n + 1i64))
"""


def test_the_results_are_the_same() -> None:
    inlined, kept = lowered(MIXED, 0), lowered(MIXED, 4)
    assert inlined.functions == ()
    assert [f.name for f in kept.functions] == ["clamp", "pair", "ratio", "steps"]
    for b in (0, 3):
        args = ([0.0, 0.1, 0.5, 2.0], b)
        assert agree(run(inlined, "main", args), run(kept, "main", args)) is None


def test_a_trap_is_in_the_definition() -> None:
    for least in (0, 4):
        with pytest.raises(Exception, match="division by zero") as e:
            run(lowered(MIXED, least), "main", ([0.5], 2))
        assert e.value.diagnostic.at.line == 5  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "least", "why"),
    [
        ("place", 4, "a result is an i64, which may be a size or an index"),
        ("clamp", 50, "it has 6 of 50 operations"),
    ],
)
def test_why_a_definition_is_inlined(name: str, least: int, why: str) -> None:
    report = Report()
    p = lowered(MIXED, least, report)
    assert name not in [f.name for f in p.functions]
    assert why in [r.reason for r in report.remarks if name in str(r)]


# ---------------------------------------------------------------------- seeded bugs


def bug(name: str, old: str, new: str, seen: Seen, rule: str = "") -> CoreBug:
    module = "funmem.passes.core.to_fun.recursion"
    return CoreBug(name, "to-fun", old, new, "", seen, rule, module)


BUGS = (
    bug(
        "call-arguments-reversed",
        "given = tuple(map(w.atom, args))",
        "given = tuple(map(w.atom, args[::-1]))",
        Seen.VALUE,
    ),
    bug(
        "call-results-reversed",
        "values.append(Scalar(Var(x), r.type))",
        "values.insert(0, Scalar(Var(x), r.type))",
        Seen.VALUE,
    ),
    bug(
        "call-never-partial",
        "Call(f.name, given, is_partial(f))",
        "Call(f.name, given, False)",
        Seen.RULE,
        "T-CALL",
    ),
    bug(
        "call-named-by-its-function",
        "x = w.name(hint if hint and len(f.results) == 1 else f.name)",
        "x = Name(f.name)",
        Seen.RULE,
        "T-FRESH",
    ),
)
"""Bugs of to-fun's calls."""

CALLS = """
def turned (a: i32) (b: i32) : (i32, i32) = (a * 3i32 - b, b * 5i32 + a)
def ratio (a: i32) (b: i32) : i32 = (a * 3i32 + b) / (b - 2i32)
entry main [n] (xs: [n]i32) (b: i32) : [n]i32 =
  map (\\x -> let (p, q) = turned x b let (r, s) = turned q x in ratio p q + ratio r s) xs
"""


@pytest.mark.parametrize("b", BUGS, ids=lambda b: b.name)
def test_a_faulty_call_is_noticed(b: CoreBug) -> None:
    """Finds checks that let to-fun call functions wrongly."""
    found = noticed(b)
    assert found is not None
    assert (found[0], b.rule in found[1]) == (b.seen, True)


def test_a_right_call_is_not() -> None:
    """Finds a judge that refuses everything."""
    assert noticed(None) is None


def noticed(b: CoreBug | None) -> tuple[Seen, str] | None:
    """Return what notices a bug of to-fun, or None."""
    before = Pipeline.parse(CORE.format(4).rsplit(",", 1)[0]).run(to_core(CALLS, "p.fut"))
    assert isinstance(before, CoreProgram)
    kept = chosen(before, 3).kept
    assert sorted(kept) == ["ratio", "turned"]
    try:
        p = (to_fun if b is None else faulty(b))(before, kept)  # type: ignore[call-arg,operator]
        check(p)
    except SourceError as error:
        return Seen.RULE, error.diagnostic.code
    args = [0, 1, 5, -2], 3
    difference = agree(run(lowered(CALLS, 0), "main", args), run(p, "main", args))
    return None if difference is None else (Seen.VALUE, difference)
