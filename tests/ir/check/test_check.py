"""The type checker: what it accepts, what it rejects and says, and the table of its rules."""

import ast
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from funmem.ir.check import check, check_all, check_imp, check_imp_all
from funmem.ir.check.context import Gamma
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Binder,
    Body,
    Const,
    Entry,
    Param,
    Program,
    Stm,
    Update,
)
from funmem.ir.imp import ImpProgram
from funmem.ir.lmad import DimFix
from funmem.ir.messages import MAX_VALUES
from funmem.ir.names import Name
from funmem.ir.scalars import F32, I64
from funmem.ir.sizes import ZERO, var
from funmem.ir.text import parse_fun
from tests.ir.check.corpus import ACCEPTED, BUILT, REJECTED, read, rule_of
from tests.ir.check.premises import PREMISES, SOURCES, TREES
from tests.support.paths import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.fun"))


def errors(program: Program[Ann] | ImpProgram) -> tuple[Diagnostic, ...]:
    return check_imp_all(program) if isinstance(program, ImpProgram) else check_all(program)


def raises(program: Program[Ann] | ImpProgram) -> Diagnostic:
    with pytest.raises(SourceError) as caught:
        check_imp(program) if isinstance(program, ImpProgram) else check(program)
    return caught.value.diagnostic


# ---------------------------------------------------------------------- programs


@pytest.mark.parametrize("path", [*ACCEPTED, *EXAMPLES], ids=lambda p: p.name)
def test_accepted(path: Path) -> None:
    assert errors(read(path)) == ()


def test_rejected(golden: Callable[[str, str], None]) -> None:
    for path in REJECTED:
        program, source = read(path), path.read_text(encoding="utf-8")
        assert path.name.startswith(rule_of(path) + "-")
        assert raises(program).code == rule_of(path), path.name
        found = [d.render(source) for d in errors(program)]
        golden(f"../ir/check/reject/{path.stem}.err", "\n".join(found) + "\n")


@pytest.mark.parametrize("name", BUILT)
def test_rejected_without_text(name: str) -> None:
    rule, program, message = BUILT[name]
    assert [(d.code, d.message) for d in errors(program)] == [(rule, message)]


def test_no_golden_file_is_left_behind() -> None:
    golden = {p.stem for p in REJECTED[0].parent.glob("*.err")}
    assert golden == {p.stem for p in REJECTED}


def test_what_is_just_allowed() -> None:
    """A kernel without results, and an assertion with as many values as a device reports."""
    text = f"""
    entry f (c : bool) (n : i64) -> (r : i64) =
      assert c "{"{}" * MAX_VALUES}" ({", ".join(["n"] * MAX_VALUES)})
      let = kernel i < n do
        in ()
      in (n)
    """
    assert check_all(parse_fun(text)) == ()


def test_a_use_after_consumption_in_a_program_without_text() -> None:
    """No line is named then."""
    n, xs = Name("n"), Name("xs")
    t = ArrayType(I64, (var(n),))
    first, second = (
        Stm((Binder(Name(y), t, None),), Update(xs, (DimFix(ZERO),), Const(1, I64))) for y in "yz"
    )
    param = Param(Binder(xs, t, None), unique=True)
    body: Body[Ann] = Body((first, second), ())
    e = Entry(Name("f"), (Binder(n, I64, None),), (param,), (), (), body)
    (found,) = check_all(Program((e,)))
    assert found.message == "xs is used after it was consumed (where z is bound)"


def test_hints_about_names() -> None:
    """One that is bound in a program without text, and one that may have been meant."""
    x, size, sizes = Name("x"), Name("size"), Name("sizes")
    g = Gamma({size: I64, sizes: F32}, seen={x: NOWHERE})
    assert g.help(x) == "x is bound, but that is not visible here"
    assert g.help_i64(Name("sizess")) == "did you mean size?"


def test_one_error_per_statement_and_none_that_follows_from_another() -> None:
    text = """
    entry f (n : i64) -> (r : i64) =
      let (a : i32) = n + 1
      let (b : i32) = a + 1i32
      let (c : [n]i64) = kernel i < n do
        let (d : f32) = i
        let (e : f32) = d + 1.0f32
        in (x)
      let (g : i64) = c[0, 0]
      in (g)
    entry g (n : i64) -> (r : i64) =
      in (m)
    """
    found = [(d.at.line, d.code) for d in check_all(parse_fun(text))]
    assert found == [
        (3, "T-SCALAR"),
        (6, "T-SCALAR"),
        (8, "T-NAME"),
        (9, "T-INDEX"),
        (12, "T-NAME"),
    ]


# ---------------------------------------------------------------------- depth and speed


def test_the_deepest_program_that_parses() -> None:
    depth = 60
    lines = ["entry f (c : bool) (x : i64) -> (r : i64) ="]
    lines += [f"let (y{k} : i64) = if c then" for k in range(depth)]
    lines += ["in (x)"]
    lines += [f"else in (x) in (y{k})" for k in reversed(range(depth))]
    check(parse_fun("\n".join(lines)))


@pytest.mark.parametrize("level", ["fun", "funmem"])
def test_a_thousand_statements(level: str) -> None:
    home = " @ m -> 0 + {(n : 1)}" if level == "funmem" else ""
    block = "let (m : mem) = alloc 8 * n" if level == "funmem" else ""
    lines = ["entry f (n : i64) -> (r : i64) =", block, f"let (x0 : [n]i64{home}) = iota [n] 0 1"]
    for k in range(250):
        lines += [
            f"let (x{k + 1} : [n]i64{home}) = kernel j{k} < n do",
            f"let (a{k} : i64) = x{k}[j{k}]",
            f"let (b{k} : i64) = a{k} * 2 + n",
            f"let (s{k} : [n]i64{home}) = x{k}[0 : n]",
            f"in (b{k})",
        ]
    program = parse_fun("\n".join([*lines, "in (n)"]))
    start = time.process_time()
    check(program)
    assert time.process_time() - start < 1


# ---------------------------------------------------------------------- the table of rules

# RULE    figure    module.function    statement
ROW = re.compile(r"(T-[A-Z-]+) +(fig\. \d|extension) +(\w+\.\w+) +(\S.*)")


def table() -> dict[str, tuple[str, str]]:
    """papers/funmem/rules.md: rule -> (section, function)."""
    rows: dict[str, tuple[str, str]] = {}
    section = ""
    for line in (ROOT / "papers/funmem/rules.md").read_text(encoding="utf-8").split("\n"):
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("T-"):
            row = ROW.fullmatch(line)
            assert row is not None, line
            assert row[1] not in rows, f"{row[1]} stands twice in the table"
            rows[row[1]] = section, row[3]
    return rows


RULES = {rule for rule, (section, _) in table().items() if section != "Rules without premises"}


def test_the_table_names_the_rules_that_are_implemented() -> None:
    assert sorted(RULES) == sorted({p.rule for p in PREMISES if p.rule is not None})


def test_the_table_names_the_rules_that_have_rejected_programs() -> None:
    rejected = {rule_of(p) for p in REJECTED} | {rule for rule, _, _ in BUILT.values()}
    assert sorted(RULES) == sorted(rejected)


def test_each_rule_is_implemented_in_one_function_which_the_table_names() -> None:
    places = {(p.rule, f"{p.module}.{p.function}") for p in PREMISES if p.rule}
    assert sorted(places) == sorted((rule, table()[rule][1]) for rule in RULES)


def test_every_require_is_a_premise() -> None:
    """Each call of ``require`` names its rule in a literal and is a statement of its own."""
    calls = [
        n
        for tree in TREES.values()
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "require"
    ]
    assert len(calls) == sum(p.rule is not None for p in PREMISES)


def test_every_rule_that_the_code_mentions_is_in_the_table() -> None:
    mentioned = {
        rule
        for path in SOURCES
        for rule in re.findall(r"\bT-[A-Z]+(?:-[A-Z]+)*\b", path.read_text())
    }
    assert sorted(mentioned - {"T-IMP", "T-MEM"}) == sorted(table())
