"""Generated `.fut` programs, and the comparison with Futhark as far as it needs no Futhark."""

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from funmem.frontends.futhark.loader import PRELUDE
from funmem.ir.scalars import BOOL, F32, I32, I64
from funmem.testing.futhark import generate
from funmem.testing.futhark.generator import atom
from funmem.testing.futhark.library import (
    ABSENT,
    BY_HAND,
    FUNCTIONS,
    callable_of,
    functions,
    scalar_members,
)
from funmem.testing.futhark.types import (
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
from tests.against_futhark.judge import Call, Finding, Trial
from tests.against_futhark.ours import Ours
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
)
from tests.against_futhark.peer import line_of, message_of
from tests.against_futhark.report import Report, reproducer

# ---------------------------------------------------------------------- the generator

SEEDS = 300
WORD = re.compile(r"[A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|[^\w\s()]+))?|[^\w\s()\[\],.]+")


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


def test_every_function_occurs() -> None:
    """Each function of the prelude, each member of a scalar module, in a few hundred seeds."""
    wanted = {c.chosen for c in (*functions(), *scalar_members())} | set(BY_HAND)
    for seed in range(SEEDS):
        wanted -= set(WORD.findall(generate(seed).text))
    assert not wanted


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


@pytest.mark.parametrize("seed", range(0, 60, 2))
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
    args = [a for seed in range(60) for xs in generate(seed).args for a in xs]
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
    ],
)
def test_compare(theirs: Outcome, ours: Outcome, kind: Kind | None) -> None:
    d = compare(theirs, ours)
    assert (None if d is None else d.kind) == kind


def test_messages() -> None:
    """Of what Futhark prints, the message is what is compared."""
    message = "Index [5] out of bounds for array of shape [2]."
    assert message_of(f"./a: Error: {message}\n\nBacktrace:\n-> #0  a.fut:2:4\n") == message
    assert line_of("Error at /tmp/x.fut:12:3-5:\nUnknown name") == 12
    assert line_of("Warning at /tmp/x.fut:12:3-5:\n") is None


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
    assert report.add([_finding()]) == ["seed1.fut: another result: expected 1, got 2"]
    report.add([_finding("a fault of Futhark")])
    report.add([])
    assert report.summary() == [
        "3 programs, 1 differences unexplained",
        "      1 another result",
        "1 explained",
        "      1 a fault of Futhark",
    ]
    assert (tmp_path / "open" / "result_seed1.fut").exists()
    assert (tmp_path / "explained" / "result_seed1.fut").exists()


def test_without_futhark_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FUTHARK", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(main, [])
    assert done.exit_code == 0
    assert done.output.strip() == SKIPPED
