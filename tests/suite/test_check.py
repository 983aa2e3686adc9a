"""Programs against their test comments: what passes, what does not, and what is said."""

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from funmem.commands.run import ENGINES
from funmem.driver.source import Source
from funmem.ir.diagnostics import (
    NOWHERE,
    DeviceError,
    Diagnostic,
    FaultKind,
    FunmemError,
    InputError,
    MemoryFault,
    SourceError,
    Span,
    Stuck,
    Trap,
    TrapKind,
    UsageError,
)
from funmem.ir.scalars import ScalarType
from funmem.suite import check
from funmem.suite.check import Plan, check_file
from funmem.suite.errors import classify, compile_error, run_time_error
from funmem.suite.reference import small_draw
from funmem.suite.spec import Random, RandomValue
from funmem.suite.verdict import Finding, Status, Verdict, Where
from tests.support.devices import has_pocl, needs_compiler

HALVES = """
entry main [n] (xs : [n]f32) -> (ys : [n]f32) =
  let (zs : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (y : f32) = x * 0.5f32
    in (y)
  in (zs)

entry first [n] (xs : [n]i32) -> (x : i32) (all : [n]i32) =
  let (y : i32) = xs[0]
  in (y, xs)

entry second [n] (xs : *[n]i32) -> (ys : [n]i32) =
  let (zs : [n]i32) = xs with [1] = 7i32
  in (zs)

entry add [n] (xs : [n]i64) (ys : [n]i64) -> (zs : [n]i64) =
  let (zs_1 : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (y : i64) = ys[i]
    let (z : i64) = x + y
    in (z)
  in (zs_1)
"""
GOOD = (
    """\
-- ==
-- tags { ours }
-- "two" input { [1f32, 2f32] } output { [0.5f32, 1f32] }
-- input { empty([0]f32) } output { empty([0]f32) }
-- input { [f32.nan, -f32.inf] }
-- output { [f32.nan, -f32.inf] }
-- random input { [100]f32 } auto output
-- random input { [3]f32 }
-- input @ in.gz output @ out

-- ==
-- entry: first
-- input { [5, 6] } output { 5 [5, 6] }
-- input { empty([0]i32) } error: [Oo]ut of bounds .*\\[0\\]

-- ==
-- entry: first second
-- input { [5] } error:

-- ==
-- entry: second
-- input { [5, 6] } output { [5, 7] }
-- random input { [5]i32 } auto output

-- ==
-- entry: add
-- input { [1i64] [2i64] } output { [3i64] }
-- input { [1i64] [2i64, 3i64] } error: n = 1
"""
    + HALVES
).replace("first second\n-- input { [5] }", "second\n-- input { [5] }")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))
    return tmp_path


def verdict(text: str, name: str = "t.fun", **plan: object) -> Verdict:
    Path(name).write_text(text)
    return check_file(name, Plan(**plan))  # type: ignore[arg-type]


def said(comment: str, program: str = HALVES, **plan: object) -> list[str]:
    """The sentences about a program with this comment."""
    return [f.sentence for f in verdict(f"-- ==\n{comment}\n{program}", **plan).findings]


# ---------------------------------------------------------------------- what passes


def test_a_program_without_core_is_not_run_via_core() -> None:
    assert verdict(HALVES, vias=("core",)).status is Status.EXCLUDED
    assert verdict(HALVES, vias=("core", "value")).checks == 2


@pytest.mark.parametrize("via", ENGINES[1:])
def test_all_that_is_right(via: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if via == "opencl":
        if not has_pocl():
            pytest.skip("needs PoCL")
        monkeypatch.setenv("FUNMEM_DEVICE", "Portable Computing Language")
    Path("in.gz").write_bytes(gzip.compress(b"[2f32, 4f32]"))
    Path("out").write_text("[1f32, 2f32]")
    found = verdict(GOOD, vias=(via,))
    assert found.findings == ()
    assert (found.status, found.checks) == (Status.PASS, 15)


def test_a_program_without_tests_must_compile() -> None:
    assert verdict(HALVES, vias=("value", "heap", "imp")).checks == 4
    assert said("-- entry: nobody") == []
    (finding,) = verdict(HALVES.replace("(zs)\n\nentry first", "(zz)\n\nentry first")).findings
    assert (finding.kind, finding.at) == ("does not compile", "t.fun:7:3")


def test_a_program_that_must_not_compile() -> None:
    wrong = "entry main (x : i32) -> (y : i32) =\n  in (z)\n"
    assert said("-- error: z is not in scope", wrong) == []
    assert said("-- error:", wrong) == []
    assert said("-- error: ^Error at t.fun:4", wrong) == []
    assert said("-- error: types?", wrong) == [
        "a different error than expected: expected `types?`, got `z is not in scope`"
    ]
    assert said("-- error: z", wrong.replace("z", "x")) == [
        "compiles, but must not: expected the error `z`"
    ]
    assert said("-- error:", wrong.replace("z", "x")) == [
        "compiles, but must not: expected an error"
    ]


# ---------------------------------------------------------------------- what does not

WRONG = {
    "-- input { [1f32] } output { [1f32] }": (
        "main #0 via value: wrong result: the result at [0]: expected 1.0f32, got 0.5f32; "
        "expected [1.0f32], got [0.5f32]"
    ),
    "-- entry: first\n-- input { [1] } output { 1 }": (
        "first #0 via value: wrong result: expected 1 result(s), got 2; "
        "expected 1i32, got 1i32 [1i32]"
    ),
    '-- "none" input { [1.0] }': (
        'main "none": input of the wrong type: `main` takes ([]f32), the input is ([]f64)'
    ),
    "-- input { }": "main #0: input of the wrong type: `main` takes ([]f32), the input is ()",
    "-- entry: add\n-- input { [1i64] [2i64, 3i64] }": (
        "add #0 via value: input of the wrong shape or type: "
        "argument 2 (`ys`): expected [n]i64 with n = 1, got [2]i64"
    ),
    "-- entry: first\n-- input { empty([0]i32) }": (
        "first #0 via value: run-time error: t.fun:13:3: "
        "Index [0] out of bounds for array of shape [0]."
    ),
    "-- entry: first\n-- input { empty([0]i32) } error: zero": (
        "first #0 via value: a different error than expected: expected `zero`, "
        "got `Index [0] out of bounds for array of shape [0].`"
    ),
    "-- entry: first\n-- input { [1] } error: bounds": (
        "first #0 via value: succeeds, but must not: expected the error `bounds`"
    ),
    "-- entry: first\n-- input { [1] } error:": (
        "first #0 via value: succeeds, but must not: expected an error"
    ),
    "-- entry: frst\n-- input { [1] }": (
        "no such entry point: there is no entry point `frst`; "
        "the program has `main`, `first`, `second`, `add`"
    ),
    "-- input @ missing": "#0: unreadable values: cannot read `missing`: No such file or directory",
    "-- random input { [10000000000000000]f32 }": (
        "#0: unreadable values: a random [10000000000000000]f32 does not fit into memory"
    ),
    "-- input 1": "broken test comment: expected values, found `1`",
    "-- script input { $mystery 1 }": "#0: not supported: `$mystery` in a script",
    "-- warning: unused": "not supported: this warning (`unused` is expected)",
}


@pytest.mark.parametrize("comment", WRONG)
def test_what_is_said(comment: str) -> None:
    assert said(comment) == [WRONG[comment]]


def test_places_are_those_of_the_cases() -> None:
    found = verdict("-- ==\n-- input { [1f32] }\n-- output { [1f32] }\n--   input @ x" + HALVES)
    assert [f.at for f in found.findings] == ["t.fun:2:4", "t.fun:4:6"]


def test_all_findings_are_kept_and_the_worst_decides() -> None:
    inputs = "-- script input { $mystery }\n-- input { [1f32] } output { [1f32] }"
    found = verdict(f"-- ==\n{inputs}" + HALVES)
    assert [f.status for f in found.findings] == [Status.UNSUPPORTED, Status.FAIL]
    assert found.status is Status.FAIL
    assert found.worst is found.findings[1]


def _miscompiled(wrong: str) -> Callable[[Source], check.Compiled]:
    """What compiles another program than the one that says what is right."""
    real = check.compile_source

    def faulty(source: Source) -> check.Compiled:
        compiled, other = real(source), real(source._replace(text=wrong))
        assert isinstance(compiled, check.Compiled)
        assert isinstance(other, check.Compiled)
        _ = compiled.reference  # cached: of the correct program
        compiled.program = other.program
        return compiled

    return faulty


def test_the_definition_is_what_auto_output_expects(monkeypatch: pytest.MonkeyPatch) -> None:
    comment = "-- random input { [3]f32 } auto output"
    wrong = HALVES.replace("0.5f32", "0.6f32")
    Path("t.fun").write_text(f"-- ==\n{comment}\n{HALVES}")
    monkeypatch.setattr(check, "compile_source", _miscompiled(wrong))
    (finding,) = check_file("t.fun", Plan(("imp",))).findings
    assert (finding.kind, finding.where) == ("wrong result", Where("main", "#0", "imp"))


LARGE = "-- ==\n-- random input { [50000]f32 } auto output\n"
"""More than the value interpreter may do."""


@needs_compiler
def test_large_data_are_judged_by_the_plain_program_and_a_small_draw_by_value() -> None:
    found = verdict(LARGE + HALVES, vias=("value", "c"))
    assert not found.findings
    assert found.checks == 1 + 2 + 1 + 2 + 1  # parsing, engines, plain, small by both, large by C
    assert found.notes == (
        "main #0: checked against the plain passes as C, with all checks; a small draw by value",
    )


def test_interpreters_leave_large_data_to_compiled_code() -> None:
    found = verdict(LARGE + HALVES, vias=("value", "imp"))
    assert not found.findings
    assert found.notes == (
        "main #0: a small draw by value; large inputs run on compiled engines only",
    )


@needs_compiler
def test_what_is_wrong_is_found_in_both_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("t.fun").write_text(LARGE + HALVES)
    wrong = HALVES.replace("0.5f32", "0.6f32")
    monkeypatch.setattr(check, "compile_source", _miscompiled(wrong))
    found = check_file("t.fun", Plan(("c",))).findings
    assert {f.kind for f in found} == {"wrong result"}
    assert [f.where.case for f in found] == ["#0 (small draw)", "#0"]


def test_a_small_draw_keeps_what_sizes_are_equal() -> None:
    sizes = Random(
        (
            RandomValue((1000, 10), ScalarType.I32),
            RandomValue((10, 2), ScalarType.F32),
            np.int64(1000),
            np.int64(7),
        )
    )
    a, b, n, k = small_draw(sizes)
    assert isinstance(a, np.ndarray)
    assert isinstance(b, np.ndarray)
    assert (a.shape, b.shape) == ((4, 3), (3, 2))
    assert (n, k) == (4, 7)


def test_numbers_in_files_are_of_the_entrys_types() -> None:
    Path("in").write_text("[1, 2.5, 3]")
    Path("out").write_text("[0.5, 1.25, 1.5]")
    assert not verdict("-- ==\n-- input @ in output @ out\n" + HALVES).findings
    Path("in").write_text("[1, 2.5]")
    (finding,) = verdict("-- ==\n-- entry: second\n-- input @ in\n" + HALVES).findings
    assert "an array of i32 holds a number with a fraction" in finding.reason


SCRIPTED = """
entry numbers (n : i64) -> (xs : [n]i64) =
  let (ys : [n]i64) = iota [n] 0 1
  in (ys)

entry both (n : i64) -> (xs : [n]i64) (m : i64) =
  let (ys : [n]i64) = iota [n] 0 1
  in (ys, n)

entry times [n] (xs : [n]i64) (k : i64) -> (ys : [n]i64) =
  let (zs : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (y : i64) = x * k
    in (y)
  in (zs)
"""


@pytest.mark.parametrize(
    "script",
    [
        "(numbers 3, 2)",
        "(numbers (3i64), 2i64)",
        "let n = 3 in (numbers n, 2)",
        "let (xs, m) = both 3i64 in (xs, 2)",
        "{xs = numbers 3, y = 2}",
        "([0, 1, 2], 2)",
        '($loaddata "three", 2)',
    ],
)
def test_scripts_make_inputs(script: str) -> None:
    Path("three").write_text("[0i64, 1i64, 2i64]")
    comment = (
        f"-- ==\n-- entry: times\n-- script input {{ {script} }} output {{ [0i64, 2i64, 4i64] }}"
    )
    found = verdict(comment + SCRIPTED)
    assert not found.findings
    Path("script").write_text(script)
    assert not verdict(comment.replace(f"{{ {script} }} o", "@ script o") + SCRIPTED).findings


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("numbers 3i64", "`times` takes ([]i64, i64), the input is ([]i64)"),
        ("(number 3, 2)", "`number` is not an entry point"),
        ("(numbers 2.5, 2)", "`numbers` takes (i64), the input is (f64)"),
        ("(numbers 3, 2", "expected `,`, found the end"),
        ("(numbers 3, [1, 2)", "the `[` is not closed"),
    ],
)
def test_what_is_wrong_with_a_script_is_said(script: str, what: str) -> None:
    (finding,) = verdict(
        f"-- ==\n-- entry: times\n-- script input {{ {script} }}" + SCRIPTED
    ).findings
    assert finding.status is Status.FAIL
    assert what in finding.reason


# ---------------------------------------------------------------------- tags


def test_programs_are_left_out() -> None:
    for tags in ("disable", "notest", "no_value", "a disable"):
        assert verdict(f"-- ==\n-- tags {{ {tags} }}\n-- input 1" + HALVES).status is Status.FAIL
        found = verdict(f"-- ==\n-- tags {{ {tags} }}\n-- input {{ }}" + HALVES)
        assert (found.status, found.checks) == (Status.EXCLUDED, 0)
    slow = "-- ==\n-- tags { slow no_imp }" + HALVES
    assert verdict(slow, exclude=("quick", "slow")).status is Status.EXCLUDED
    assert verdict(slow, vias=("value", "imp")).checks == 2  # compiled, and only for value
    assert verdict(slow, vias=("imp",)).status is Status.EXCLUDED


@pytest.mark.parametrize("tag", ["disable", "notest", "no_value", "slow", "compiled"])
def test_cases_are_left_out(tag: str) -> None:
    assert said(f"-- {tag} input {{ }}", exclude=("slow",)) == []
    assert len(said(f"-- {tag}1 nobench input {{ }}", exclude=("slow",))) == 1


# ---------------------------------------------------------------------- structure


def test_counts() -> None:
    one = "entry main (n : i64) -> (xs : [n]i64) =\n  let (ys : [n]i64) = iota [n] 0 1\n  in (ys)\n"
    assert said("-- structure seq-mem { Alloc 9 }", one) == []
    counted = verdict(
        "-- ==\n-- structure seq-mem { Alloc 9 }\n-- structure gpu-mem { Alloc 9 }\n" + one,
        structure=True,
    )
    assert [f.kind for f in counted.findings] == ["wrong number of nodes"] * 2
    n = counted.findings[0].reason.split()[2]
    assert counted.findings[0].reason == f"Alloc occurs {n} time(s) at seq-mem, expected 9"
    assert counted.findings[0].at == "t.fun:2:4"
    assert said(f"-- structure seq-mem {{ Alloc {n} }}", one, structure=True) == []
    assert said(
        "-- structure seq-mem { Map 1 }\n-- structure { Alloc 1 }", one, structure=True
    ) == [
        "not supported: counting Map at seq-mem",
        "not supported: counting Alloc at the default stage",
    ]


# ---------------------------------------------------------------------- other languages


def test_imp() -> None:
    imp = (
        "-- ==\n-- input { 5i64 } output { 6i64 }\n"
        "entry main (n : i64) {\n  var m : i64;\n  m <- n + 1;\n  return (m : i64)\n}\n"
    )
    found = verdict(imp, "t.imp", vias=("value", "heap", "imp"))
    assert [f.sentence for f in found.findings] == [
        "via value: not supported: an IMP program cannot run via value",
        "via heap: not supported: an IMP program cannot run via heap",
    ]
    assert (found.status, found.checks) == (Status.UNSUPPORTED, 5)


# ---------------------------------------------------------------------- errors

HERE = Span("t.fun", 3, 4, 9)


def test_whose_fault_an_error_is() -> None:
    d = Diagnostic(HERE, "code", "what\nmore", "hint")
    unsupported = Diagnostic(HERE, "not-supported", "not supported: modules\nmore")
    judged: dict[Exception, tuple[Status, str]] = {
        SourceError(d): (Status.FAIL, "does not compile"),
        SourceError(unsupported): (Status.UNSUPPORTED, "not supported: modules"),
        FunmemError(unsupported): (Status.UNSUPPORTED, "not supported: modules"),
        UsageError(d): (Status.ERROR, "code"),
        Trap(TrapKind.INDEX, "what", HERE): (Status.FAIL, "run-time error"),
        InputError(d): (Status.FAIL, "input of the wrong shape or type"),
        MemoryFault(FaultKind.RACE, "what", HERE): (Status.FAIL, "memory: data race"),
        DeviceError(d): (Status.ERROR, "device"),
        MemoryError(): (Status.ERROR, "out of memory"),
        RecursionError(): (Status.ERROR, "nested too deeply"),
        Stuck("what"): (Status.ERROR, "internal error"),
        ZeroDivisionError("what"): (Status.ERROR, "internal error"),
    }
    for error, (status, kind) in judged.items():
        found = classify(error)
        assert found[:2] == (status, kind)
        assert found.at == (HERE if isinstance(error, FunmemError) else NOWHERE)
        assert "\n" not in found.message


def test_an_internal_error_is_a_result_that_names_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(source: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(check, "compile_source", broken)
    (finding,) = verdict(HALVES).findings
    assert finding.status is Status.ERROR
    assert finding.sentence.startswith("internal error: KeyError: 'x' (suite/test_check.py:")


def test_what_expected_errors_are_searched_in() -> None:
    d = Diagnostic(HERE, "index", "Index [3] out", "a hint")
    backtrace = f"Backtrace:\n-> #0  t.fun:3:4-{HERE.end}\n"
    assert run_time_error(d).startswith(f"Error: Index [3] out\n\n{backtrace}")
    assert "error[index]" in run_time_error(d)
    assert compile_error(d).startswith("Error at t.fun:3:4:\nIndex [3] out\na hint\n")
    assert run_time_error(Diagnostic(NOWHERE, "c", "what")).startswith("Error: what\n")


def test_an_unreadable_program() -> None:
    assert check_file("missing.fun", Plan()).findings[0].sentence == (
        "input: cannot read `missing.fun`: No such file or directory"
    )
    Path("t.fun").write_bytes(b"\xff")
    assert "is not UTF-8" in check_file("t.fun", Plan()).findings[0].sentence


# ---------------------------------------------------------------------- verdicts as data


def test_a_verdict_reads_back() -> None:
    findings = (
        Finding(Status.FAIL, "k", "r", "t.fun:1:2", Where("main", '"é"', "heap"), "1", "2"),
        Finding(Status.ERROR, "crash", "r", "t.fun"),
    )
    for v in (Verdict("t.fun", 5, findings), Verdict("t.fun", excluded=True), Verdict("t.fun", 1)):
        assert Verdict.from_json(v.to_json()) == v


def test_a_library_passes_unless_a_case_wants_to_run_it() -> None:
    library = "def double (x: i32) = 2 * x\n"
    Path("t.fut").write_text(library)
    assert check_file("t.fut", Plan()).findings == ()
    Path("t.fut").write_text(f"-- ==\n-- input {{ 1 }} output {{ 2 }}\n{library}")
    (finding,) = check_file("t.fut", Plan()).findings
    assert "has no entry point" in finding.sentence
    Path("t.fut").write_text("def double (x: i32) = 2 * y\n")
    assert "no variable `y`" in check_file("t.fut", Plan()).findings[0].sentence
