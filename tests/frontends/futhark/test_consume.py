"""Uniqueness: what may be consumed, and what must not be used afterwards."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from funmem.frontends.futhark.consume import consume
from funmem.frontends.futhark.infer import check
from funmem.frontends.futhark.library import load_prelude, stated
from funmem.frontends.futhark.loader import load_text
from funmem.ir.depth import deep
from funmem.ir.diagnostics import SourceError
from tests.support.paths import TESTS
from tests.support.sampling import sampled

HERE = TESTS
HEADING = re.compile(r"^--- ([\w-]+): ([\w-]+)( \(not in Futhark\))?$", re.M)


def table() -> Iterator[tuple[str, str, str]]:
    """Name, verdict, program."""
    pieces = HEADING.split((HERE / "consumption" / "programs.fut").read_text("utf-8"))[1:]
    for k in range(0, len(pieces), 4):
        yield pieces[k], pieces[k + 1], pieces[k + 3].strip() + "\n"


TABLE = {name: (verdict, text) for name, verdict, text in table()}


def checked(text: str, files: Mapping[str, str] | None = None) -> SourceError | None:
    """What is wrong with a program, if anything is; ``files`` are those that it imports."""
    read = (files or {}).__getitem__
    try:
        with deep():
            typing = check(load_text(text, "x.fut", read), load_prelude())
            consume(typing)
    except SourceError as e:
        return e
    return None


def test_verdicts_and_messages(golden: Callable[[str, str], None]) -> None:
    codes, shown = {}, []
    for name, (_, text) in TABLE.items():
        error = checked(text)
        codes[name] = error.diagnostic.code if error else "ok"
        if error is not None:
            shown.append(f"--- {name}\n{error.diagnostic.render(text)}\n")
    assert codes == {name: verdict for name, (verdict, _) in TABLE.items()}
    golden("futhark/consumption.err", "\n".join(shown))


def test_the_table_is_large_and_has_no_name_twice() -> None:
    assert len(TABLE) == len(list(table())) > 300


def test_the_prelude_keeps_its_promises() -> None:
    with deep():
        consume(check(load_text("", "x.fut"), load_prelude(), all=True), all=True)


def test_a_wrong_promise_of_the_prelude_would_be_found() -> None:
    wrong = stated("def head' [n] 't (x: [n]t) : *t = x[0]", "x.fut")
    typing = check(load_text("", "y.fut"), (*load_prelude(), *wrong), all=True)
    consume(typing)
    with pytest.raises(SourceError, match="result-alias"):
        consume(typing, all=True)


def programs() -> list[Path]:
    return sorted((HERE / "programs").rglob("*.fut"))


@pytest.mark.parametrize(
    "path", sampled(programs(), 24), ids=lambda p: str(p.relative_to(HERE / "programs"))
)
def test_own_programs(path: Path) -> None:
    """What the own programs consume is theirs; those that are wrong say so."""
    text = path.read_text("utf-8")
    first = re.search(r"^-- ==\n(?:-- tags.*\n)?(-- .*)\n", text, re.M)
    wrong = first is not None and first[1].startswith("-- error:")
    try:
        with deep():
            typing = check(load_text(text, str(path)), load_prelude())
    except SourceError:
        return  # another check's business
    if wrong:
        with pytest.raises(SourceError), deep():
            consume(typing)
    else:
        with deep():
            consume(typing)


def test_imported_definitions_are_checked() -> None:
    files = {"lib.fut": "def f [n] (xs: [n]i32) = xs with [0] = 1"}
    error = checked('import "lib"\ndef g = f [1, 2]', files)
    assert error is not None
    assert error.diagnostic.at.file == "lib.fut"


def test_a_definition_of_an_imported_file_must_not_be_consumed() -> None:
    files = {"lib.fut": "def xs : [2]i32 = [1, 2]"}
    error = checked('module m = import "lib"\ndef g = m.xs with [0] = 1', files)
    assert error is not None
    assert error.diagnostic.code == "not-consumable"


def test_the_place_of_the_consumption_is_named() -> None:
    error = checked("def f (xs: *[3]i32) =\n  let ys = xs with [0] = 1\n  in (ys, xs)")
    assert error is not None
    assert error.diagnostic.message == "`xs` is used here, but was consumed at 2:12"
    assert (error.diagnostic.at.line, error.diagnostic.at.col) == (3, 11)


def test_long_programs_take_little_time() -> None:
    lines = "".join(f"  let xs[{k % 7}] = xs[{(k + 1) % 7}] + {k}\n" for k in range(100))
    text = "".join(f"def f{k} [n] (xs: *[n]i32) =\n{lines}  in xs\n" for k in range(10))
    with deep():
        typing = check(load_text(text, "x.fut"), load_prelude())
        start = time.process_time()
        consume(typing)
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    "text",
    [
        "def f = " + " + ".join(["1"] * 140),
        "def f (c: bool) = " + "if c then 1 else " * 100 + "2",
        "def f (xs: *[3]i32) = xs" + "".join(f" with [0] = {k}" for k in range(100)),
        "def f = " + "let x = 1 " * 400 + "in x",
        "def f = " + "(" * 100 + "1" + ")" * 100,
        "def f (x: i32) = " + "(\\y -> " * 40 + "x" + ") x" * 40,
    ],
    ids=["sum", "else if", "with", "let", "parentheses", "lambda"],
)
def test_deep_programs(text: str) -> None:
    assert checked(text) is None
