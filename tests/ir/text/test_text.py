"""The texts of the three languages: what is printed is read back as the same tree."""

from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings

from funmem.ir import fun, imp
from funmem.ir.diagnostics import Span, TrapKind
from funmem.ir.fun import Ann, Body, Const, Program, Space, Stm
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.scalars import BinOp, ScalarType, UnOp
from funmem.ir.sizes import const, var
from funmem.ir.text import (
    RESERVED,
    Level,
    level_of,
    parse_fun,
    parse_imp,
    show,
    show_body,
    show_entry,
    show_exp,
    show_imp_stm,
    show_scalar,
    show_stm,
)
from tests.support.paths import ROOT
from tests.support.syntax_trees import imp_programs, programs

TEXTS = sorted(
    p
    for folder in ("tests/texts", "examples", "papers/funmem")
    for p in (ROOT / folder).iterdir()
    if p.suffix in (".fun", ".funmem", ".imp")
)
Golden = Callable[[str, str], None]


def parse(path: Path) -> Program[Ann] | ImpProgram:
    read = parse_imp if path.suffix == ".imp" else parse_fun
    return read(path.read_text(encoding="utf-8"), path.name)


def file_name(path: Path) -> str:
    return path.name


# ---------------------------------------------------------------------- round trips


@pytest.mark.parametrize("path", TEXTS, ids=file_name)
def test_printed_text(path: Path, golden: Golden) -> None:
    golden(f"text/{path.name}", show(parse(path)))


@pytest.mark.parametrize("path", TEXTS, ids=file_name)
def test_printed_text_reads_back(path: Path) -> None:
    program = parse(path)
    text = show(program)
    again = parse_imp(text) if isinstance(program, ImpProgram) else parse_fun(text)
    assert again == program
    assert show(again) == text


@settings(max_examples=20)
@given(programs())
def test_any_fun_or_funmem_program_reads_back(program: Program[Ann]) -> None:
    text = show(program)
    again = parse_fun(text)
    assert again == program
    assert show(again) == text


@settings(max_examples=20)
@given(imp_programs())
def test_any_imp_program_reads_back(program: ImpProgram) -> None:
    text = show(program)
    again = parse_imp(text)
    assert again == program
    assert show(again) == text


@pytest.mark.parametrize("path", TEXTS, ids=file_name)
def test_lines_fit_where_they_can_be_broken(path: Path) -> None:
    assert [line for line in show(parse(path)).split("\n") if len(line) > 100] == []


def test_white_space_and_comments_mean_nothing() -> None:
    plain = "entry f [n] (x : [n]i64) -> (y : i64) =\n  let (y : i64) = x[n - 1]\n  in (y)\n"
    program = parse_fun(plain)
    tokens = plain.replace("(", " ( ").split()
    assert parse_fun("\n".join(tokens)) == program
    assert parse_fun("\r\n".join(tokens)) == program
    assert parse_fun("\t".join(tokens)) == program
    assert parse_fun(" -- début ∀\n".join(tokens)) == program
    assert parse_fun("\N{ZERO WIDTH NO-BREAK SPACE}" + plain) == program
    assert parse_fun(plain + "-- no line break at the end") == program


# ---------------------------------------------------------------------- the texts are complete


def parts(node: object) -> Iterator[object]:
    """Everything that a tree consists of."""
    yield node
    if isinstance(node, tuple):
        for child in node:
            yield from parts(child)
    elif not isinstance(node, Span):
        for f in getattr(node, "__attrs_attrs__", ()):
            yield from parts(getattr(node, f.name))


@pytest.fixture(scope="module")
def occurring() -> list[object]:
    return [part for path in TEXTS for part in parts(parse(path))]


@pytest.mark.parametrize("union", ["fun.Exp", "fun.Collective", "imp.ImpStm", "imp.Condition"])
def test_the_texts_have_every_construct(occurring: list[object], union: str) -> None:
    room, name = union.split(".")
    classes = get_args(getattr({"fun": fun, "imp": imp}[room], name))
    names = {getattr(c, "__origin__", c).__name__ for c in classes}
    assert names - {type(part).__name__ for part in occurring} == set()


@pytest.mark.parametrize("enum", [BinOp, UnOp, ScalarType, Space, TrapKind], ids=str)
def test_the_texts_have_every_member(occurring: list[object], enum: type[Enum]) -> None:
    missing = {member for member in enum if not any(part is member for part in occurring)}
    assert {m.name for m in missing} <= {"OVERFLOW"} if enum is TrapKind else missing == set()


def test_the_texts_have_every_level() -> None:
    assert {level_of(parse(path)) for path in TEXTS} == set(Level) - {Level.CORE}


# ---------------------------------------------------------------------- places


@pytest.mark.parametrize("path", TEXTS, ids=file_name)
def test_every_place_is_where_its_node_stands(path: Path) -> None:
    rows = path.read_text(encoding="utf-8").split("\n")
    opening = {
        "Entry": ("entry ",),
        "ImpEntry": ("entry ",),
        "Binder": ("(", "["),
        "Body": ("in",),
        "Stm": ("let", "assert"),
        "Declare": ("var ",),
        "IfStm": ("if ",),
        "ForStm": ("for ",),
        "WhileStm": ("while ",),
        "KernelStm": ("kernel ",),
        "Check": ("check ",),
    }
    seen = 0
    for node in parts(parse(path)):
        at = getattr(node, "at", None)
        if not isinstance(at, Span):
            continue
        seen += 1
        text = rows[at.line - 1][at.col - 1 : at.end - 1]
        assert at.file == path.name
        assert text == text.strip() != ""
        assert text.startswith(opening.get(type(node).__name__, ("",)))
    assert seen > 0


def test_the_place_of_a_node_on_one_line_is_its_text() -> None:
    text = 'entry f [n] (x : [n]i64) -> =\n  let (y : i64) = x[0]\n\tassert c "m"  in (y, y)'
    entry = parse_fun(text, "f.fun").entries[0]
    rows = text.split("\n")

    def spelled(at: Span) -> str:
        return rows[at.line - 1][at.col - 1 : at.end - 1]

    assert spelled(entry.at) == "entry f [n] (x : [n]i64) -> ="
    assert spelled(entry.implicit[0].at) == "[n]"
    assert spelled(entry.params[0].binder.at) == "(x : [n]i64)"
    assert spelled(entry.body.at) == "in (y, y)"
    assert spelled(entry.body.stms[0].at) == "let (y : i64) = x[0]"
    assert spelled(entry.body.stms[0].pat[0].at) == "(y : i64)"
    assert spelled(entry.body.stms[1].at) == 'assert c "m"'
    assert entry.body.stms[1].at == Span("f.fun", 3, 2, 14)


# ---------------------------------------------------------------------- small things


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("entry f -> = in ()", Level.FUN),
        ("entry f [m : mem] -> = in ()", Level.FUNMEM),
        ("entry f -> [m : mem] = in ()", Level.FUNMEM),
        ("entry f -> = let = alloc 3 in ()", Level.FUNMEM),
        ("entry f -> = let (x : [1]i8 @ m -> 0 + {}) = y in ()", Level.FUNMEM),
        ("entry f -> = let = loop (m : mem) = b for i < 3 do in () in ()", Level.FUNMEM),
        ("entry f -> = let = if c then in () else let = alloc 3 in () in ()", Level.FUNMEM),
        (
            "entry f -> = let = kernel i < 3 reduce (\\ (x : [1]i8 @ m -> 0 + {}) -> in ()) (0)"
            " do in () in ()",
            Level.FUNMEM,
        ),
        (
            "entry f -> = let = kernel i < 3 scan (\\ (x : i8) -> let = alloc 3 in ()) (0) do"
            " in () in ()",
            Level.FUNMEM,
        ),
    ],
)
def test_level(text: str, level: Level) -> None:
    assert level_of(parse_fun(text)) is level


def test_parts_are_shown_for_messages() -> None:
    entry = parse_fun("entry f -> =\n let (x : i64) = - -3 + y\n in (x, 1u8)").entries[0]
    (stm,) = entry.body.stms
    assert show_entry(entry) == "entry f -> =\n  let (x : i64) = - -3 + y\n  in (x, 1u8)"
    assert show_body(entry.body) == "let (x : i64) = - -3 + y\nin (x, 1u8)"
    assert show_stm(stm) == "let (x : i64) = - -3 + y"
    assert show_exp(stm.exp) == "- -3 + y"
    assert show_scalar(Const(1.5, ScalarType.F32)) == "1.5f32"
    kernel = imp.KernelStm((imp.ImpDim(Name("i"), var(Name("n"))),), ())
    assert show_imp_stm(kernel) == "kernel i < n do\ndone"


def test_what_no_text_spells_is_shown_nevertheless() -> None:
    """Messages print trees that a pass got wrong."""
    empty: fun.Lambda[Ann] = fun.Lambda((), Body((), ()))
    kernel = fun.Kernel((), fun.Reduce(empty, ()), Body((), ()))
    assert show_stm(Stm((), kernel)).startswith("let =\n  kernel")
    assert show_exp(fun.ArrayLit((), ScalarType.I64, (const(2),))) == "[] : [2]i64"
    assert show_exp(fun.Permute((), Name("x"))) == "permute () x"


def test_reserved_words_are_no_names() -> None:
    for word in RESERVED:
        with pytest.raises(Exception, match="syntax"):
            parse_fun(f"entry f ({word} : i64) -> = in ()")


@pytest.mark.parametrize("word", ["min", "sqrt", "mem", "comm", "var", "done", "fi", "check"])
def test_functions_and_the_words_of_imp_are_names(word: str) -> None:
    program = parse_fun(f"entry f ({word} : i64) -> (r : i64) = in ({word})")
    assert program.entries[0].params[0].binder.name == word
    assert parse_imp(f"entry f ({word} : i64) {{ {word} <- {word}; return }}").entries[0].body
