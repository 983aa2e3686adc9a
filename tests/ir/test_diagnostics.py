"""Diagnostics as people and programs read them.  Protects ``ir/diagnostics.py``: the caret stands
under the place, and nothing from a source text reaches the terminal as a command.
"""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funmem.ir.diagnostics import (
    NOWHERE,
    Diagnostic,
    ExitCode,
    FaultKind,
    MemoryFault,
    SourceError,
    Span,
    Trap,
    TrapKind,
)


def at(line: int, col: int, end: int) -> Diagnostic:
    return Diagnostic(Span("f.fun", line, col, end), "T-BIN", "message")


def excerpt(source: str, line: int, col: int, end: int) -> tuple[str, str]:
    """The source line and the line of carets, as rendered."""
    head, row, carets = at(line, col, end).render(source).split("\n")
    assert head == f"f.fun:{line}:{col}: error[T-BIN]: message"
    gutter = len(str(line)) + 3
    assert row[: gutter - 3] == str(line)
    assert row[gutter - 3 : gutter] == carets[gutter - 3 : gutter] == " | "
    return row[gutter:], carets[gutter:]


@pytest.mark.parametrize(
    ("source", "line", "col", "end", "row", "carets"),
    [
        ("let x = y", 1, 5, 6, "let x = y", "    ^"),
        ("let xyz = y", 1, 5, 8, "let xyz = y", "    ^^^"),
        ("a\nb c\nd", 2, 3, 4, "b c", "  ^"),
        ("a\r\nb c\r\n", 2, 1, 4, "b c", "^^^"),
        ("b c\r", 1, 4, 5, "b c", "   ^"),  # the end of the line: one past its last character
        ("b c", 1, 2, 99, "b c", " ^^"),  # a span that leaves the line ends with it
        ("b c", 1, 3, 3, "b c", "  ^"),  # an empty span still shows its place
        ("b c", 1, 50, 60, "b c", "   ^"),
        ("", 1, 1, 2, "", "^"),
        ("\tx +\t)", 1, 6, 7, "    x + )", "        ^"),
        ("\t\tx", 1, 3, 4, "        x", "        ^"),
        ("x\ty z", 1, 1, 5, "x   y z", "^^^^^^"),
        ("größe = 1", 1, 1, 6, "größe = 1", "^^^^^"),
        ("-- 数 x", 1, 6, 7, "-- 数 x", "      ^"),  # two columns wide
        ("-- 数 x", 1, 4, 5, "-- 数 x", "   ^^"),
        ("o\u0308 x", 1, 4, 5, "o\u0308 x", "  ^"),  # a combining mark: none
        ("\ufefflet x", 1, 1, 4, "let x", "^^^"),  # a byte order mark is no column
    ],
)
def test_the_caret_stands_under_the_span(
    source: str, line: int, col: int, end: int, row: str, carets: str
) -> None:
    assert excerpt(source, line, col, end) == (row, carets)


@pytest.mark.parametrize("line", [0, -1, 4])
def test_a_place_outside_the_source_shows_no_line(line: int) -> None:
    assert at(line, 1, 2).render("a\nb\nc") == f"f.fun:{line}:1: error[T-BIN]: message"


def test_the_gutter_is_as_wide_as_the_line_number() -> None:
    source = "\n" * 99 + "abc"
    assert at(100, 2, 3).render(source).split("\n")[1:] == ["100 | abc", "    |  ^"]


def test_without_source_or_place() -> None:
    assert at(3, 4, 5).render() == "f.fun:3:4: error[T-BIN]: message"
    d = Diagnostic(NOWHERE, "usage", "no such pass", "did you mean lower?", "warning")
    assert d.render("let x") == "warning[usage]: no such pass\nhint: did you mean lower?"


def test_a_long_line_is_cut_around_the_place() -> None:
    row = "x" * 100_000 + "HERE" + "y" * 100_000
    shown, carets = excerpt(row, 1, 100_001, 100_005)
    assert len(shown) < 200
    assert shown[0] == shown[-1] == "…"
    assert shown[carets.index("^") :].startswith("HERE")
    assert carets.count("^") == 4
    shown, carets = excerpt(row, 1, 2, 100_000)
    assert shown.startswith("xxx")
    assert len(carets) < 200


# ---------------------------------------------------------------------- hostile text


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("x \x1b[2J\x1b]0;title\x07", "x ␛[2J␛]0;title␇"),
        ("a\rb", "a␍b"),
        ("a\x08\x08b\x00\x7f", "a␈␈b␀␡"),
        ("a\x9b31mb", "a�31mb"),  # the one-character form of ESC [
        ("a\u202eb\u2066c", "a�b�c"),  # text that runs from right to left
        ("a\u2028b\x85c\x0cd", "a�b�c␌d"),  # line breaks to some terminals
        ("a\ud800b\udcffc", "a�b�c"),  # lone surrogates, as an undecodable byte becomes
    ],
)
def test_control_characters_become_signs(source: str, shown: str) -> None:
    row, carets = excerpt(source + "!", 1, len(source) + 1, len(source) + 2)
    assert row == shown + "!"
    assert carets.index("^") == len(shown)
    d = Diagnostic(Span(source, 1, 1, 2), "c", source, source)
    assert d.render() == f"{shown}:1:1: error[c]: {shown}\nhint: {shown}"


def test_messages_keep_their_lines() -> None:
    assert Diagnostic(NOWHERE, "c", "a\n\tb").render() == "error[c]: a\n\tb"


texts = st.text(st.characters(), max_size=30) | st.text(st.sampled_from("\x1b\r\n\t\x9b\ud800 ab"))


@given(texts, st.integers(-2, 5), st.integers(-2, 40), st.integers(-2, 50))
def test_whatever_the_text_the_output_is_harmless(text: str, line: int, col: int, end: int) -> None:
    out = Diagnostic(Span(text, line, col, end), "code", text, text).render(text)
    out.encode()  # a lone surrogate would raise
    assert all(c in "\n\t" or unicodedata.category(c)[0] not in "CZ" or c == " " for c in out)
    if 1 <= line <= len(text.split("\n")) and "\n" not in text:
        assert out.split("\n")[2].strip(" |").strip("^") == ""


# ---------------------------------------------------------------------- JSON and errors


@given(texts)
def test_json_holds_the_same_on_one_line(text: str) -> None:
    out = Diagnostic(Span(text, 3, 4, 5), "code", text, "hint").to_json()
    assert out.isascii()
    assert "\n" not in out
    assert json.loads(out) == {
        "file": text,
        "line": 3,
        "col": 4,
        "end": 5,
        "severity": "error",
        "code": "code",
        "message": text,
        "hint": "hint",
    }


def test_errors_carry_their_exit_code_and_kind() -> None:
    where = Span("f", 1, 2, 3)
    assert SourceError(Diagnostic(where, "T-BIN", "m")).exit_code is ExitCode.WRONG
    trap = Trap(TrapKind.INDEX, "Index [5] …", where)
    assert (trap.kind, trap.exit_code) == (TrapKind.INDEX, ExitCode.WRONG)
    assert str(trap) == "f:1:2: error[index out of bounds]: Index [5] …"
    fault = MemoryFault(FaultKind.RACE, "m", where, "h")
    assert (fault.kind, fault.exit_code) == (FaultKind.RACE, ExitCode.DISAGREEMENT)
    assert fault.diagnostic.hint == "h"
