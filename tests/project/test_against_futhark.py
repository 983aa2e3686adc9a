"""Generated `.fut` programs, and the comparison with Futhark as far as it needs no Futhark."""

import re
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.library import PRELUDE
from funmem.frontends.futhark.parser import parse
from funmem.frontends.futhark.show import show as show_tree
from funmem.ir.diagnostics import NOWHERE, Diagnostic
from funmem.ir.scalars import BOOL, F32, I32, I64
from funmem.ir.values import ArgValue
from funmem.testing.fut_generator import generate
from funmem.testing.fut_generator.generator import atom
from funmem.testing.fut_generator.library import ABSENT, BY_HAND, FUNCTIONS, callable_of
from funmem.testing.fut_generator.types import (
    ANY,
    Arr,
    Bound,
    Fun,
    Param,
    SInt,
    SOp,
    SVar,
    Tup,
    Type,
    match_type,
    show,
    substitute,
)
from tests.against_futhark.__main__ import SKIPPED, main
from tests.against_futhark.batch import literal
from tests.against_futhark.coverage import Coverage
from tests.against_futhark.judge import Call, Finding, Trial, Verdict
from tests.against_futhark.known import left_out, mutant_reason, reason
from tests.against_futhark.mutants import Both, Campaign
from tests.against_futhark.order import from_the_right
from tests.against_futhark.ours import Ours, together
from tests.against_futhark.outcome import (
    Crashed,
    Difference,
    Failed,
    Kind,
    Outcome,
    Refused,
    Results,
    TookTooLong,
    compare,
    essence,
)
from tests.against_futhark.peer import Peer, line_of, message_of, places_of
from tests.against_futhark.report import Report, reproducer
from tests.against_futhark.shrink import replaced, smaller
from tests.support.sampling import sampled

# ---------------------------------------------------------------------- the generator

SEEDS = 300


def test_a_seed_is_a_program() -> None:
    """The same every time, and another for another seed."""
    assert generate(7).text == generate(7).text
    assert generate(7).text != generate(8).text
    first, second = generate(7).args, generate(7).args
    for xs, ys in zip(first, second, strict=True):
        assert all(np.array_equal(x, y, equal_nan=True) for x, y in zip(xs, ys, strict=True))


def test_names_begin_with_the_prefix() -> None:
    """So that many programs can be one file."""
    names = re.findall(r"^(?:def|type|entry) (\w+)", generate(9, "q_").text, re.M)
    assert names
    assert all(n.startswith("q_") for n in names)


def test_the_table_knows_the_prelude() -> None:
    """A function that is added to the prelude is added to the table, or to what it leaves out."""
    defined = {
        name
        for file in PRELUDE.glob("*.fut")
        for name in re.findall(r"^def (?:\(([^)]+)\)|(\w+))", file.read_text(), re.M)
        for name in name
        if name
    }
    assert defined - {*FUNCTIONS, *BY_HAND, *ABSENT} == set()


@pytest.mark.parametrize("seed", sampled(range(0, 60, 2), 30))
def test_generated_programs_run(seed: int) -> None:
    """They are accepted, and answer or trap; what traps is one in eight."""
    p = generate(seed)
    ours = Ours(p.text, f"seed{seed}.fut")
    assert ours.rejection is None, f"{ours.rejection}\n{p.text}"
    for args in p.args:
        got = ours.run(p.entry, args)
        assert isinstance(got, Results | Failed), f"{got}\n{p.text}"


def test_edge_sizes_occur() -> None:
    """Arguments have sizes 0 and 1, negative numbers, extremes, NaN."""
    args = [a for seed in range(20) for xs in generate(seed).args for a in xs]
    arrays = [a for a in map(np.asarray, args) if a.ndim]
    assert any(a.size == 0 for a in arrays)
    assert any(a.shape == (1,) for a in arrays)
    assert any(a.dtype == np.int32 and (a < 0).any() for a in arrays)
    assert any(a.dtype == np.int32 and (a == np.iinfo(np.int32).max).any() for a in arrays)
    assert any(a.dtype.kind == "f" and np.isnan(a.astype(np.float64)).any() for a in arrays)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x", "x"),
        ("-1", "(-1)"),
        ("f x", "(f x)"),
        ("(a, b)", "(a, b)"),
        ("(a) + (b)", "((a) + (b))"),
        ("xs[i]", "xs[i]"),
        ("[1, 2]", "[1, 2]"),
        ("1.5f32", "1.5f32"),
    ],
)
def test_atom(text: str, wanted: str) -> None:
    assert atom(text) == wanted


# ---------------------------------------------------------------------- types

N, M = SVar("n"), SVar("m")


@pytest.mark.parametrize(
    ("scheme", "goal", "wanted"),
    [
        ("(a -> x) -> [n]a -> [n]x", Arr(M, I32), {"x": I32}),
        ("[n][m]a -> [n * m]a", Arr(SOp("*", N, SInt(2)), F32), {"a": F32}),
        ("[n][m]a -> [n * m]a", Arr(N, F32), None),
        ("[n]a -> [n]b -> [n](a, b)", Arr(N, Tup((I32, BOOL))), {"a": I32, "b": BOOL}),
        ("(a -> bool) -> [n]a -> [ex]a", Arr(N, I32), None),
        ("(a -> bool) -> [n]a -> [ex]a", Arr(ANY, I32), {"a": I32}),
        ("a -> a", Arr(N, I32), {"a": Arr(N, I32)}),
        ("a -> a", Fun(I32, I32), None),
        ("a -> i64", I32, None),
    ],
)
def test_match(scheme: str, goal: Type, wanted: dict[str, Type] | None) -> None:
    """What a scheme's names must be for its result to be the goal."""
    c = callable_of("f", scheme)
    found = match_type(c.result, goal, Bound(), c.types, c.sizes)
    assert (None if found is None else dict(found.types)) == wanted
    if found is not None and ANY not in (getattr(goal, "size", None),):
        assert show(substitute(c.result, found)) == show(goal)


def test_show() -> None:
    t = Arr(N, Tup((Param("a"), Fun(Fun(I32, I64), BOOL))))
    assert show(t) == "[n](a, (i32 -> i64) -> bool)"


# ---------------------------------------------------------------------- the comparison


def results(*values: object) -> Results:
    return Results(tuple(np.asarray(v) for v in values))


@pytest.mark.parametrize(
    ("theirs", "ours", "kind"),
    [
        (results(1, 2.0), results(1, 2.0001), None),
        (results(1), results(2), Kind.RESULT),
        (results(np.float32("nan")), results(np.float32("nan")), None),
        (results(1), Failed("division by zero"), Kind.WE_TRAP),
        (Failed("division by zero"), results(1), Kind.THEY_TRAP),
        (Failed("Index [5] out of\n bounds"), Failed("Index [5] out of bounds"), None),
        (Failed("Index [5] out of bounds"), Failed("division by zero"), Kind.MESSAGE),
        (Failed("Assertion is false: (x\n > 0)"), Failed("Assertion is false: x > 0"), None),
        (Refused("a"), Refused("b"), None),
        (Refused("a"), results(1), Kind.THEY_REFUSE),
        (Refused("Internal compiler error."), results(1), Kind.THEY_FAIL),
        (results(1), Refused("b"), Kind.WE_REFUSE),
        (Refused("a"), Crashed("TypeError"), Kind.CRASH),
        (TookTooLong(), results(1), Kind.TIME),
        (Failed("", ("52:49", "3:4")), Failed("Index [5] out of bounds", ("3:4",)), None),
        (Failed("", ("52:49", "3:4")), Failed("division by zero", ("9:9",)), Kind.MESSAGE),
    ],
)
def test_compare(theirs: Outcome, ours: Outcome, kind: Kind | None) -> None:
    d = compare(theirs, ours)
    assert (None if d is None else d.kind) == kind


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("Index [0:, 7] out of bounds for array of shape [3][3].", "[0:3, 7]"),
        ("Index [, 7] out of bounds for array of shape [3][3].", "[2:-1:-1, 7]"),
        ("Index [7, 0:] out of bounds for array of shape [3][5].", "[7]"),
        ("Index [7] out of bounds for array of shape [3].", "[7]"),
    ],
)
def test_whole_dimensions_are_spelt_in_several_ways(theirs: str, ours: str) -> None:
    shape = "[3]" if ours == "[7]" else "[3][3]"
    assert essence(theirs) == essence(f"Index {ours} out of bounds for array of shape {shape}.")
    assert essence(theirs) != essence(f"Index [8, 7] out of bounds for array of shape {shape}.")


def test_messages() -> None:
    """Of what Futhark prints, the message is what is compared."""
    message = "Index [5] out of bounds for array of shape [2]."
    assert message_of(f"./a: Error: {message}\n\nBacktrace:\n-> #0  a.fut:2:4\n") == message
    assert line_of("Error at /tmp/x.fut:12:3-5:\nUnknown name") == 12
    assert line_of("Warning at /tmp/x.fut:12:3-5:\n") is None


def test_places() -> None:
    said = """Error at
-> #0  /prelude/array.fut:52:49-54
   #1  /tmp/a.fut:12:31-46
"""
    assert places_of(said) == ("52:49", "12:31")
    assert message_of(said) == ""
    assert message_of(said + "Index [7] out of bounds.\n") == "Index [7] out of bounds."


@pytest.mark.parametrize(
    ("kind", "what", "explained"),
    [
        (Kind.THEY_TRAP, "Negative allocation of -8 bytes attempted for mem", True),
        (Kind.MESSAGE, "`ended with -8` / `division by zero`", True),
        (Kind.MESSAGE, "`ended with -8` / `Index [3] out of bounds`", False),
        (Kind.MESSAGE, "`entry point arguments have invalid sizes.` / `argument 2`", True),
        (Kind.RESULT, "expected 1, got 2", False),
        (Kind.WE_TRAP, "Index [5::-1] out of bounds for array of shape [5].", True),
        (Kind.WE_TRAP, "Index [6::-1] out of bounds for array of shape [5].", False),
    ],
)
def test_known_differences(kind: Kind, what: str, explained: bool) -> None:
    assert bool(reason(kind, what)) is explained


def test_some_programs_are_left_out() -> None:
    assert left_out("tests/programs/comprehensions/segmented_scans.fut")
    assert left_out("tests/programs/tier1/newer/exscan.fut")
    assert not left_out("tests/programs/tier2/polymorphism/segmented_scan.fut")


def _finding(known: str = "") -> Finding:
    call = Call("main", (np.array([1, 2], np.int32), np.float32(0.5)))
    text = "entry main (xs: []i32) (y: f32) = length xs\n"
    trial = Trial("seed1.fut", Path("seed1.fut"), text, (call,), Refused(""))
    return Finding(trial, call, Difference(Kind.RESULT, "expected 1, got 2", known))


def test_a_reproducer_is_a_program_with_its_input() -> None:
    text = reproducer(_finding())
    assert "-- entry: main\n-- input { [1i32, 2i32] 0.5f32 }\n" in text
    assert text.endswith("length xs\n")


def test_the_report_counts_what_is_unexplained(tmp_path: Path) -> None:
    report = Report(tmp_path)
    one, other = _finding(), _finding("a fault of Futhark")
    said = report.add(one.trial, Verdict((one,), 1, 0, 1))
    assert said == ["seed1.fut: another result: expected 1, got 2"]
    report.add(other.trial, Verdict((other,), 0, 0, 1))
    report.add(one.trial, Verdict((), 2, 1))
    report.add(one.trial, Verdict((), refused=True))
    assert report.summary()[:5] == [
        "4 programs (1 refused by both), 6 sets of arguments: 3 with the same results, "
        "1 with the same error",
        "1 differences unexplained",
        "      1 another result",
        "1 explained",
        "      1 another result: a fault of Futhark",
    ]
    assert (tmp_path / "open" / "result_seed1.fut").exists()
    assert (tmp_path / "explained" / "result_seed1.fut").exists()


@pytest.mark.parametrize(
    ("value", "of", "wanted"),
    [
        (np.int32(-5), "i32", "(-5i32)"),
        (np.int64(-(2**63)), "i64", "(i64.lowest)"),
        (np.float32(0.5), "f32", "(0.5f32)"),
        (np.float64(1e30), "f64", "(1e30f64)"),
        (np.float16("nan"), "f16", "(f16.nan)"),
        (np.array([True, False]), "[2]bool", "([true, false] : [2]bool)"),
        (np.array([-np.inf], np.float32), "[c]f32", "([(-f32.inf)] :> [c]f32)"),
        (np.zeros((0, 3), np.uint8), "[0][3]u8", "([] : [0][3]u8)"),
    ],
)
def test_arguments_in_the_language(value: ArgValue, of: str, wanted: str) -> None:
    assert literal(np.asarray(value), of) == wanted


def test_the_order_of_arguments() -> None:
    text = "entry main (x: i32) = f (x / 0)\n  (g [x][7] (x % 0))\n"
    assert from_the_right(text, ["2:6"], ["1:26"])
    assert not from_the_right(text, ["1:26"], ["2:6"])
    assert from_the_right(text, ["52:1", "2:14"], ["2:6"])
    assert not from_the_right(text, ["9:9"], ["1:26"])


def test_shrink() -> None:
    """What is left shows the same, and nothing in it can go."""
    text = """
        def spare (x: i32) : i32 = x * 2
        def both 'a (f: a -> a) (x: a) : (a, a) = (f x, x)
        entry main [n] (xs: [n]i32) =
          let ys = map (\\x -> (spare x + 1) %% 4) (reverse xs)
          let (a, b) = both (+ 1) (i32.sum ys)
          in (if a > b then map (+ a) ys else xs, n)
    """

    def keeps(program: str) -> bool:
        return "%%" in program and Ours(program, "a.fut").rejection is None

    assert smaller(text, keeps) == "entry main [n] (xs: [n]i32) = \\x -> x %% 4\n"
    assert smaller("entry main (x: i32) = (", keeps) == "entry main (x: i32) = ("


def test_replaced() -> None:
    """Only the node itself is another; what does not contain it is the same."""
    program = parse("def a = 1 + 2\ndef b = 1\n", "a.fut")
    a, b = program.decs
    assert isinstance(a, ast.ValDec)
    assert isinstance(a.exp, ast.BinOp)
    new = replaced(program, a.exp.right, a.exp.left)
    assert show_tree(new) == "def a = 1 + 1\n\ndef b = 1\n"
    assert new.decs[1] is b


@pytest.mark.exhaustive
def test_coverage() -> None:
    """A few hundred programs have every construct of Tiers 1 and 2 and every function of the
    library, and the report says so.
    """
    coverage = Coverage()
    coverage.add("entry main (xs: []i32) = length xs\n", "a.fut")
    assert coverage.summary()[0].startswith("constructs: 7 of ")
    assert coverage.names["length"] == 1
    for seed in range(SEEDS):
        coverage.add(generate(seed).text, "a.fut")
    constructs, _, functions = coverage.summary()[:3]
    assert re.fullmatch(r"constructs: (\d+) of \1 occurred", constructs)
    assert re.fullmatch(r"library functions: (\d+) of \1 occurred", functions)


@pytest.mark.parametrize("via", ["value", "imp"])
def test_programs_compiled_together(via: str) -> None:
    """They answer as each alone does, and errors are at lines of the program, not of the batch."""
    first = "entry first (x: i32) : i32 =\n  x + 1\n"
    second = "def half = 2i32\n\nentry second (x: i32) : i32 =\n  half / x\n"
    ours = together([("a.fut", first), ("b.fut", second)], via)
    got = ours[0].run("first", (np.int32(4),))
    assert isinstance(got, Results)
    assert got.values[0] == 5
    assert ours[1].run("second", (np.int32(0),)) == Failed("division by zero", ("4:3",))


def test_what_one_of_them_refuses_is_compiled_alone() -> None:
    good, bad = "entry good (x: i32) = x\n", "entry bad (x: i32) = y\n"
    ours = together([("a.fut", good), ("b.fut", bad)], "imp")
    assert ours[0].rejection is None
    assert isinstance(ours[1].rejection, Refused)


def test_mutants_repeat_and_parse() -> None:
    """A seed means one mutant; mutations change what they are for, and most results are read."""
    path = Path("a.fut")
    text = "def f [n] (xs: [n]i32) : [n]i32 = map (+ 1) xs\ndef main = f [1, 2]\n"
    first, again = (Campaign(Peer(path, path), None, {path: text}, {path: True}) for _ in range(2))
    some = list(islice(first.mutants(0), 40))
    assert some == list(islice(again.mutants(0), 40))
    assert len({mutant for _, _, mutant in some}) == 40
    assert some[-1][0] < 120
    assert text not in {mutant for _, _, mutant in some}


def test_mutants_that_differ_are_told_or_explained() -> None:
    refused = Diagnostic(NOWHERE, "size-mismatch", "n and m differ")
    assert Both(None, "Unknown type").kind == "accepted here only"
    assert Both(refused, None).kind == "accepted there only"
    assert mutant_reason(None, 'Sizes "n + m" and "m + n" do not match.')
    assert not mutant_reason(None, 'Sizes "n" and "m" do not match.')
    assert not mutant_reason("n and m differ", 'Sizes "n" and "m" do not match.')


def test_without_futhark_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FUTHARK", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(main, [])
    assert done.exit_code == 0
    assert done.output.strip() == SKIPPED
