"""Recursive data as arguments and results: ``funmem/values/rows.py`` and ``literals.py``."""

import json
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import funmem
from funmem import Variant
from funmem.driver.entry_points import signature_of
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import InputError, SourceError, Trap
from funmem.ir.text import parse_core
from funmem.passes.core.entry_data import entry_data
from funmem.passes.runner import check_types
from funmem.values.arguments import read_arguments
from funmem.values.by_name import taken_apart
from funmem.values.literals import from_json, read_literals, show_literal, to_json
from tests.support.command_line import say

TEXT = r"""
data List = #nil | #cons i32 List
data Tree 'a = #leaf | #node (Tree 'a) {key : 'a, names : [][]u8} (Tree 'a)
data Named = #named []u8 (Tree f32)
def last : List -> i32 -> i32 =
  \(l : List) (d : i32) -> match l { #nil -> d; #cons (x : i32) (xs : List) -> @last xs x }
entry end (l : List) : i32 = @last l 0i32
entry same (t : Tree f32) : Tree f32 = t
entry parts (p : {n : i64, t : Named}) (ls : []List) : ([](i64, List), Named) =
  (map (\(l : List) -> (p.n, l)) (ls), p.t)
entry rows (ls : [][]List) : [][]List = ls
"""
NIL = Variant("nil")


def lists(*xs: Any) -> Variant:
    out = NIL
    for x in reversed(xs):
        out = Variant("cons", x, out)
    return out


def tree(key: Any, *names: Any) -> Variant:
    return Variant("node", Variant("leaf"), {"key": key, "names": names}, Variant("leaf"))


@pytest.fixture(scope="module")
def program() -> CoreProgram:
    found = parse_core(TEXT[: TEXT.index("entry rows")], "t.core")
    check_types(found)
    return found


def run(p: CoreProgram, entry: str, *args: Any) -> Any:
    return funmem.run(p, *args, entry=entry, via="core")


def test_in_and_out(program: CoreProgram) -> None:
    """Records, texts, arrays of arrays, numpy's arrays, types with parameters, sums with arrays."""
    assert run(program, "end", lists(4, 5, 6)) == 6
    given = Variant("node", tree(1, "a", b"bc"), {"key": 2.5, "names": []}, Variant("leaf"))
    found = run(program, "same", given)
    assert found.payload[1].key == 2.5
    left = found.payload[0].payload[1]
    assert [bytes(x) for x in left.names] == [b"a", b"bc"]
    assert run(program, "same", found) == found
    point = namedtuple("point", "t n")
    named = Variant("named", np.frombuffer(b"xy", np.uint8), Variant("leaf"))
    (numbers, values), other = run(program, "parts", point(named, 7), [lists(1), NIL])
    assert numbers.tolist() == [7, 7]
    assert values == [lists(1), NIL]
    assert other == named
    assert signature_of(program, "parts").text == (
        "(p: {n: i64, t: Named}, ls: List[]) -> ((i64[out_1 has 0], List[]), Named)"
    )


def test_the_types_stay_right_and_other_programs_stay(program: CoreProgram) -> None:
    check_types(entry_data(program))
    other = parse_core("data L = #a | #b L entry main (x : i64) : i64 = x")
    assert entry_data(other) is other


@pytest.mark.slow
def test_deep_values() -> None:
    """Neither the writer nor the reader, the literals, nor JSON recurse into data."""
    deep = lists(*range(30_000))
    s = signature_of(parse_core(TEXT[: TEXT.index("entry same")]), "end")
    columns = [part.value for part in taken_apart(s, [deep])]
    assert columns[0] == 0
    assert columns[2].tolist() == [*range(30_000), 0]
    assert show_literal(from_json(to_json(deep))) == show_literal(deep)
    (again,) = read_literals(show_literal(deep), "-i")
    assert show_literal(again) == show_literal(deep)


WRONG: dict[str, tuple[Any, str]] = {
    "a number": (7, "`l`: expected a Variant, got an int"),
    "a constructor": (
        Variant("cons", 1, Variant("end")),
        "`l.payload[1]`: there is no constructor `#end`",
    ),
    "a payload": (Variant("cons", 1), "`l`: `#cons` takes 2 value(s), got 1"),
    "a float": (lists(1, 2.5), "`l.payload[1].payload[0]`: expected i32, got the float 2.5"),
    "out of range": (lists(2**31), "`l.payload[0]`: 2147483648 is out of range for i32"),
    "deep": (
        lists(*range(40), "x"),
        "`l.payload[1].payload[1].payload[1].payload[1].payload[1].payload[1].payload[1] … (26 "
        "more) … .payload[1].payload[1].payload[1].payload[1].payload[1].payload[1].payload[1]"
        ".payload[0]`: expected i32, got a str",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_argument_is_named_with_its_place(program: CoreProgram, what: str) -> None:
    value, message = WRONG[what]
    with pytest.raises(InputError) as caught:
        run(program, "end", value)
    assert caught.value.diagnostic.message == message


def test_a_value_that_contains_itself(program: CoreProgram) -> None:
    names: list[Any] = []
    inner: dict[str, Any] = {"key": 1.0, "names": names}
    payload: list[Any] = [Variant("leaf"), inner, None]
    knot = Variant("node", *payload)
    object.__setattr__(knot, "payload", (Variant("leaf"), inner, knot))
    with pytest.raises(InputError, match="the value contains itself"):
        run(program, "same", knot)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((0, [1, 0], [7, 0], [0, 0]), "a link from row 0 to row 0, which is no later row"),
        ((0, [1, 0], [7, 0], [2, 0]), "a link from row 0 to row 2, which is no later row"),
        ((2, [1, 0], [7, 0], [1, 0]), "a link from row -1 to row 2"),
        ((0, [1, 5], [7, 0], [1, 0]), "the arguments have a row, number 1, with the tag 5"),
    ],
)
def test_rows_of_a_caller_are_checked(
    program: CoreProgram, parts: tuple[Any, ...], message: str
) -> None:
    link, tags, numbers, links = parts
    columns = np.array(tags), np.array(numbers, np.int32), np.array(links)
    with pytest.raises(Trap, match=message):
        run(program, "end", link, *columns)


def test_what_is_refused() -> None:
    with pytest.raises(SourceError, match="arrays of arrays of recursive data as results"):
        entry_data(parse_core(TEXT))


LITERALS = {
    "#cons 1 (#cons 2 #nil)": lists(1, 2),
    "(1, 2)": (1, 2),
    "(1,)": (1,),
    "((1))": 1,
    "#pair (1, #nil) [#nil, #cons 3 #nil]": Variant("pair", (1, NIL), [NIL, lists(3)]),
    "{x = 1.5, y = #nil}": {"x": 1.5, "y": NIL},
    "[]": [],
}


@pytest.mark.parametrize("text", LITERALS)
def test_literals(text: str) -> None:
    (found,) = read_literals(text, "-i")
    assert found == LITERALS[text]
    assert read_literals(show_literal(found), "-i") == [found]
    as_json = from_json(json.loads(json.dumps(to_json(found))))
    assert show_literal(as_json).replace("[", "(").replace("]", ")") == show_literal(found).replace(
        "[", "("
    ).replace("]", ")").replace(",)", ")")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#some (1", "-i:1:9: error[input]: `(` is not closed"),
        ("[#a, , #b]", "-i:1:6: error[input]: expected a value, found `,`"),
        ("(1 2)", "-i:1:4: error[input]: expected `,`"),
        ("#a\n )", "-i:2:2: error[input]: `)` closes nothing"),
        (
            "{x = 1, 2}",
            "-i:1:10: error[input]: a record has a label for each value: {x = 1, y = 2}",
        ),
        ("x = 1", "-i:1:1: error[input]: a label is only in a record"),
    ],
)
def test_wrong_literals(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_literals(text, "-i")
    assert str(caught.value).splitlines()[0] == message


def test_the_command_line(program: CoreProgram, tmp_path: Path) -> None:
    path, data = tmp_path / "t.core", tmp_path / "l.json"
    path.write_text(TEXT[: TEXT.index("entry rows")], encoding="utf-8")
    data.write_text(json.dumps(to_json(lists(8, 9))), encoding="utf-8")
    s = signature_of(program, "end")
    assert [np.asarray(x).tolist() for x in read_arguments(s, [str(data)])][1:3] == [
        [1, 1, 0],
        [8, 9, 0],
    ]
    out = say(f"funmem run {path} --via core --entry same -i #leaf").out
    assert out == "#leaf\n"
    shown = json.loads(say(f"funmem run {path} --via core --entry same -i #leaf --json").out)
    assert shown["results"][0]["values"] == {"constructor": "leaf", "payload": []}
