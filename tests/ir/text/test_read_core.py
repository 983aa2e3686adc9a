"""Core's text: what is printed is read back as the same tree, and what the parser says else."""

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings

from funmem.frontends.futhark.program import to_core
from funmem.ir import core as c
from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.diagnostics import FunmemError, SourceError
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.text import parse_core, show
from funmem.passes.core import to_fun_by
from funmem.passes.core.names import inside
from funmem.passes.pipeline import to_fun
from funmem.passes.runner import PassFailed
from funmem.suite.check import Plan, check_file
from funmem.suite.verdict import Status
from tests.ir.text.test_text_fuzz import MUTATIONS, TOKEN
from tests.support.core_samples import SAMPLES
from tests.support.paths import ROOT, TESTS
from tests.support.sampling import sampled
from tests.support.syntax_trees import core_programs

PROGRAMS = sorted((TESTS / "programs").rglob("*.fut")) + sorted((ROOT / "papers").rglob("*.fut"))


def reads_back(p: CoreProgram) -> None:
    text = show(p)
    again = parse_core(text)
    assert again == p
    assert show(again) == text


@settings(max_examples=20)
@given(core_programs())
def test_any_core_program_reads_back(p: CoreProgram) -> None:
    reads_back(p)


FORMS = TESTS / "texts" / "forms.core"


def test_a_text_with_every_form(golden: Callable[[str, str], None]) -> None:
    """Printed, read, and run by the interpreter of Core and after all passes on it."""
    p = parse_core(FORMS.read_text(encoding="utf-8"), FORMS.name)
    reads_back(p)
    found = {type(e) for d in (*p.defs, *p.entries) for e in inside(d.exp)}
    assert set(get_args(c.ClosedExp)) - found == {c.Foreign}  # test_core_foreign.py
    golden("text/forms.core", show(p))
    assert check_file(str(FORMS), Plan(("core", "value"))).status is Status.PASS


@pytest.mark.parametrize("sample", SAMPLES)
def test_samples_read_back(sample: str) -> None:
    reads_back(SAMPLES[sample].program)


@pytest.mark.parametrize("path", sampled(PROGRAMS, 600, 250), ids=lambda p: p.stem)
def test_programs_read_back_at_every_stage(path: Path) -> None:
    """Polymorphic and higher-order Core, and what each pass makes of it."""
    try:
        program = to_core(path.read_text(encoding="utf-8"), str(path))
        to_fun_by(program, lambda _, p: reads_back(p))
    except SourceError:
        pass  # programs that must be refused have tests of their own


@pytest.mark.slow
def test_a_long_chain_is_no_deep_one() -> None:
    total: c.Exp = c.Var(Name("x"))
    lets: c.Exp = c.Var(Name("x"))
    for _ in range(2_000):
        total = c.Bin(c.BinOp.ADD, total, c.Var(Name("x")))
        lets = c.Let((c.Binder(Name("x"), I64),), c.Var(Name("y")), lets)
    for e in (total, lets):
        with deep():
            reads_back(CoreProgram((c.Entry(Name("main"), (), (), I64, e),)))


# ---------------------------------------------------------------------- wrong texts

EXP = "entry main [n] (xs : [n]i64) : i64 =\n  {}\n"

WRONG = {
    "something else": "let (x : i64) = 1",
    "FUN": "entry f (x : i64) -> (y : i64) = in (x)",
    "no type": "def f = 1",
    "a data type that is no sum": "data t = i64",
    "a type parameter without a name": "def f ' : i64 = 1",
    "an unknown character": "def f : i64 = 1 ? 2",
    "a string that does not end": 'def f : i64 = assert true "x in 1',
    "a quoted name that does not end": "def `f : i64 = 1",
    "an unknown escape": "def `f\\q` : i64 = 1",
    "text behind a definition": "def f : i64 = 1 )",
    "an open type": "def f : (i64 = 1",
    "a type that is none": "def f : [n] = 1",
    "a size that is none": "def f : [n / 2]i64 = 1",
} | {
    name: EXP.format(text)
    for name, text in {
        "nothing": "",
        "a reserved word": "size + 1",
        "a reserved word as a binder": "let (map : i64) = 1 in 2",
        "a binder without a type": "let (x) = 1 in 2",
        "a chain without an end": "let (x : i64) = 1",
        "an assertion without a message": "assert true in 1",
        "no operand": "1 +",
        "comparisons": "1 < 2 < 3",
        "a phrase as an argument": "f map g (xs)",
        "a function without arguments": "min + 1",
        "too few arguments": "min(1)",
        "too many arguments": "sqrt(1.0, 2.0)",
        "a constructor without a type": "#none",
        "a constructor of a scalar type": "#none : i64",
        "a literal without a type": "[1, 2]",
        "a match without braces": "match x #none -> 1",
        "a match that is not closed": "match x { #none -> 1",
        "an arm that is none": "match x { none -> 1 }",
        "a loop without a form": "loop (x : i64) = 1 do x",
        "a loop without values": "loop (x : i64) for i < n do x",
        "an if without an else": "if c then 1",
        "a zip of a name": "zip xs",
        "a map without a tuple": "map f xs",
        "a missing operand": "iota 1 0",
        "an empty index": "xs[0, , 1]",
        "a number too large": "300u8",
        "a coercion to a scalar type": 'coerce i64 "x" xs',
        "strides that are no pairs": "flat_slice xs 0 (1)",
        "an equals sign": "x = 1",
        "a record without values": "{x : 1}",
        "a label that is none": "x.+",
    }.items()
}


def message(text: str) -> str:
    with pytest.raises(SourceError) as caught:
        parse_core(text, "wrong.core")
    d = caught.value.diagnostic
    assert (d.code, d.severity) == ("syntax", "error")
    return d.render(text)


def test_messages(golden: Callable[[str, str], None]) -> None:
    messages = [f"==> {case}\n{message(text)}\n" for case, text in WRONG.items()]
    golden("text/errors/core.txt", "\n".join(messages))


DEEP = {
    "parentheses": ("(", "x", ")"),
    "prefixes": ("~", "x", ""),
    "branches": ("if c then 1 else ", "x", ""),
    "functions": ("\\(x : i64) -> ", "x", ""),
    "a right chain": ("x ** ", "x", ""),
}


@pytest.mark.parametrize("parts", sampled([(x,) for x in DEEP.values()], 2), ids=DEEP)
def test_too_deep(parts: tuple[str, str, str]) -> None:
    before, middle, after = parts
    assert "nested too deeply" in message(EXP.format(before * 10_000 + middle + after * 10_000))
    with deep():
        reads_back(parse_core(EXP.format(before * 200 + middle + after * 200)))


def test_a_type_that_is_too_deep() -> None:
    assert "nested too deeply" in message(EXP.format("\\(x : " + "(" * 10_000))


@pytest.mark.parametrize("link", [" + x", ".y", "[0]"])
def test_a_chain_that_is_too_long(link: str) -> None:
    assert "a chain of more than 5000 parts" in message(EXP.format("x" + link * 20_000))


@cache
def texts() -> tuple[str, ...]:
    """Definitions of Core."""
    printed = [show(s.program) for s in SAMPLES.values()]
    return tuple(part for text in printed for part in re.split(r"\n\n", text))


def damaged(r: random.Random) -> str:
    tokens = TOKEN.findall(r.choice(texts()))
    for _ in range(r.randrange(1, 4)):
        if tokens:
            r.choice(MUTATIONS)(r, tokens)
    return "".join(tokens)


def read(text: str) -> bool:
    """True if the text is a program, which then reads back and which no pass breaks."""
    try:
        program = parse_core(text)
    except SourceError as error:
        if error.diagnostic.code != "syntax":
            raise
        return False
    reads_back(program)
    try:
        to_fun(program)
    except PassFailed as error:
        raise AssertionError(str(error)) from error
    except FunmemError:
        pass  # it is ill typed, or FUN cannot express it
    return True


def test_damaged_texts() -> None:
    """Whatever is read, the answer is a program or a SourceError."""
    r = random.Random(7)
    assert 4 < sum(read(damaged(r)) for _ in range(400)) < 300
