"""The reader of S-expressions: data with their places, and what it says of wrong texts."""

import re
import time

import pytest

from funmem.frontends.sexpr import MAX_DEPTH, Atom, Datum, List, Syntax, read
from funmem.ir.diagnostics import SourceError, Span

SYNTAX = Syntax(re.compile(r"[a-z0-9]+|[+,]"), ";", {"(": ")", "[": "]"}, "reader")


def spelt(d: Datum) -> str:
    if isinstance(d, Atom):
        return d.text
    return d.bracket + " ".join(map(spelt, d.items)) + SYNTAX.brackets[d.bracket]


def data(text: str) -> tuple[Datum, ...]:
    return read(text, "t", SYNTAX)[0]


def error(text: str) -> str:
    with pytest.raises(SourceError) as caught:
        read(text, "t", SYNTAX)
    d = caught.value.diagnostic
    assert d.code == "reader"
    return f"{d.at.line}:{d.at.col}: {d.message}"


def test_data() -> None:
    text = "(a (b c) [1 + 2]) x ; rest ( [\n(\n; ) \n)"
    assert [spelt(d) for d in data(text)] == ["(a (b c) [1 + 2])", "x", "()"]
    assert data("") == data(" \t\r\n; nothing") == ()


def test_places() -> None:
    """A list's place is its part in the first line; the end is behind the last character."""
    outer, end = read("  (a\n   bc) ", "t", SYNTAX)
    (whole,) = outer
    assert isinstance(whole, List)
    assert whole.at == Span("t", 1, 3, 5)
    assert [d.at for d in whole.items] == [Span("t", 1, 4, 5), Span("t", 2, 4, 6)]
    assert whole.close == Span("t", 2, 6, 7)
    assert end == Span("t", 2, 8, 8)
    (short,) = data("(a b)")
    assert short.at == Span("t", 1, 1, 6)


def test_a_mark_of_the_byte_order_is_skipped() -> None:
    (a,) = data("\N{ZERO WIDTH NO-BREAK SPACE}a")
    assert spelt(a) == "a"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(a (b", "1:4: this `(` is not closed"),
        ("a\n )", "2:2: `)` closes nothing"),
        ("(a]", "1:3: expected `)` for the `(` at 1:1, found `]`"),
        ("(a\n A)", "2:2: unexpected character `A`"),
    ],
)
def test_wrong_texts(text: str, said: str) -> None:
    assert error(text) == said


def test_depth_has_an_end() -> None:
    data("(" * MAX_DEPTH + ")" * MAX_DEPTH)
    start = time.process_time()
    assert error("(" * 100_000) == f"1:{MAX_DEPTH + 1}: too deeply nested"
    assert len(data("(a) " * 20_000)) == 20_000
    assert time.process_time() - start < 2
