"""Test comments: what they say, and what is said of broken ones."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from funmem.ir.diagnostics import SourceError
from funmem.ir.scalars import ScalarType
from funmem.ir.values import ArgValue
from funmem.suite.reader import read_spec
from funmem.suite.spec import (
    AutoOutput,
    Case,
    InFile,
    Inline,
    Message,
    Output,
    Random,
    RandomValue,
    Script,
    Spec,
    Success,
)

PROGRAM = "entry main (x : i32) -> (y : i32) =\n  in (x)\n"


def read(*comment: str) -> Spec:
    return read_spec("\n".join(["-- ==", *comment, "", PROGRAM]), "t.fun")


def case(*comment: str) -> Case:
    (block,) = read(*comment).blocks
    (found,) = block.cases
    return found


def inline(source: object) -> list[str]:
    assert isinstance(source, Inline)
    return list(map(spelt, source.values))


def spelt(v: ArgValue) -> str:
    assert isinstance(v, np.ndarray | np.generic)
    return f"{v.dtype} {v.tolist()}"


# ---------------------------------------------------------------------- blocks


def test_a_program_without_a_comment() -> None:
    assert read_spec(PROGRAM, "t.fun") == Spec()
    assert read_spec("-- a comment\n-- no test\n\n  -- ==\n  -- input { 1 }\n", "t.fun") == Spec()
    assert read_spec("--==\n-- input { 1 }\n--  ==\n", "t.fun") == Spec()


def test_everything() -> None:
    spec = read_spec(
        """\
-- A description: with input { 1 }, say.
-- ==
-- tags { slow no_opencl
--        x-1 }
-- entry: sum prefix
-- "two" input { [1, 2] } output { 3 }
-- compiled nobench
-- random input { [100]i32 5i64 [2][3]f32 }
-- auto output
-- input @ data/large.in.gz error: out of [a-z]+
-- structure seq-mem { Alloc 1 Copy/If 0 }
-- structure { Map 2 }
-- warning: unused

entry sum = …

-- and more
-- ==
-- entry: other
-- input {} output @ out
""",
        "t.fun",
    )
    assert spec.tags == {"slow", "no_opencl", "x-1"}
    assert [b.entries for b in spec.blocks] == [("sum", "prefix"), ("other",)]
    two, large, file = spec.blocks[0].cases
    assert (two.label, two.index, two.tags, str(two.at)) == ('"two"', 0, frozenset(), "t.fun:6:4")
    assert inline(two.input) == ["int32 [1, 2]"]
    assert isinstance(two.expected, Output)
    assert inline(two.expected.source) == ["int32 3"]
    assert (large.label, large.tags) == ("#1", {"compiled", "nobench", "random"})
    assert isinstance(large.input, Random)
    assert large.input.items == (
        RandomValue((100,), ScalarType.I32),
        np.int64(5),
        RandomValue((2, 3), ScalarType.F32),
    )
    assert large.expected == AutoOutput()
    assert isinstance(file.input, InFile)
    assert (file.input.path, str(file.input.at)) == ("data/large.in.gz", "t.fun:10:12")
    assert isinstance(file.expected, Message)
    assert file.expected.text == "out of [a-z]+"
    assert file.expected.matches("Error: out of bounds")
    assert [(c.stage, c.nodes) for c in spec.counts] == [
        ("seq-mem", (("Alloc", 1), ("Copy/If", 0))),
        ("", (("Map", 2),)),
    ]
    assert [w.text for w in spec.warnings] == ["unused"]
    (last,) = spec.blocks[1].cases
    assert isinstance(last.expected, Output)
    assert isinstance(last.expected.source, InFile)
    assert inline(last.input) == []


def test_a_program_that_must_not_compile() -> None:
    spec = read("-- tags { a } error: .*type.*")
    assert spec.rejected is not None
    assert (spec.rejected.text, spec.tags, spec.blocks) == (".*type.*", {"a"}, ())
    assert read("-- error:").rejected == Message()


def test_entry_points() -> None:
    assert read("-- input { 1 }").blocks[0].entries == ("main",)
    assert read("-- entry: a b'", "-- input { 1 }").blocks[0].entries == ("a", "b'")
    (block,) = read("-- entry:", "-- input { 1 }").blocks
    assert (block.entries, len(block.cases)) == ((), 1)


# ---------------------------------------------------------------------- cases

RESULTS = {
    "": Success(),
    "auto output": AutoOutput(),
    "error:": Message(),
}


@pytest.mark.parametrize("text", RESULTS)
def test_results(text: str) -> None:
    assert case(f"-- input {{ 1 }} {text}").expected == RESULTS[text]


def test_a_regular_expression_ends_with_its_line() -> None:
    first, second = read("-- input { 1 } error: a { b  ", "-- input { 2 }").blocks[0].cases
    assert isinstance(first.expected, Message)
    assert first.expected.text == "a { b"
    assert inline(second.input) == ["int32 2"]


def test_an_empty_regular_expression_is_any_error() -> None:
    any_error, named, last = (
        read(
            '-- input { 1 } error:\n-- "x" slow input { 2 } error:\n-- of it\n-- input { 3 } error:'
        )
        .blocks[0]
        .cases
    )
    assert any_error.expected == Message()
    assert isinstance(named.expected, Message)
    assert (named.label, named.expected.text) == ('"x"', "of it")  # as in Futhark
    assert last.expected == Message()


def test_lines_and_blanks_do_not_matter() -> None:
    for text in (
        "--input{1}output{2}",
        "--\n-- input {\n--   1\n-- }\n--\n-- output\n-- { 2\n-- }\n--",
        "-- input { 1 }\r\n-- output { 2 }\r",
    ):
        found = case(text)
        assert isinstance(found.expected, Output)
        assert (inline(found.input), inline(found.expected.source)) == (["int32 1"], ["int32 2"])
    assert [len(b.cases) for b in read("-- input { 1 } input { 2 }").blocks] == [2]
    assert read_spec("-- == input { 1 }\n", "t").blocks[0].cases[0].label == "#0"


def test_a_comment_ends_where_lines_are_no_comments() -> None:
    found = case("-- input { 1 }", " -- output { 2 }")
    assert found.expected == Success()
    assert case("-- input { 1 }", "", "-- output { 2 }").expected == Success()


def test_names_and_tags() -> None:
    found = case('-- "a \\"b\\" }" output entry-1 input { 1 }')
    assert (found.name, found.tags) == ('a "b" }', {"output", "entry-1"})


def test_script_input_is_kept_as_text() -> None:
    first, second = read("-- script input { f { a = 1 } }", "-- input { 1 }").blocks[0].cases
    assert isinstance(first.input, Script)
    assert (first.input.text, inline(second.input)) == (" f { a = 1 } ", ["int32 1"])
    given = case("-- script input @ x").input
    assert isinstance(given, Script)
    assert given.file is not None
    assert given.file.path == "x"


VALUES = {
    "1 2i8 -3": ["int32 1", "int8 2", "int32 -3"],
    "1[2]true": ["int32 1", "int32 [2]", "bool True"],
    '"}{--\\n" "b"': ["uint8 [125, 123, 45, 45, 10]", "uint8 [98]"],
    "[[1.0, 2],[3, 4f64]] empty([0][2]u8)": ["float64 [[1.0, 2.0], [3.0, 4.0]]", "uint8 []"],
}


@pytest.mark.parametrize("text", VALUES)
def test_values(text: str) -> None:
    assert inline(case(f"-- input {{ {text} }}").input) == VALUES[text]


# ---------------------------------------------------------------------- broken comments

BROKEN = {
    "junk": "-- foo",
    "junk-after-cases": "-- input { 1 } output { 1 } foo bar",
    "output-first": "-- output { 1 }",
    "two-outputs": "-- input { 1 } output { 1 } output { 2 }",
    "auto-what": "-- input { 1 } auto input { 2 }",
    "no-braces": "-- input 1",
    "output-nothing": "-- input { 1 } output",
    "not-closed": "-- input { 1",
    "nested": "-- input { { 1 } }",
    "no-value": "-- input { foo }",
    "separated": "-- input { 1, 2 }",
    "mixed": "-- input { [1, 2i64] }",
    "no-comment": "-- input { 1 -- one\n-- }",
    "no-file": "-- input @",
    "random-file": "-- random input @ foo",
    "random-value": "-- random input { [1, 2] }",
    "random-type": "-- random input { 5i32 foo }",
    "random-size": "-- random input { [n]i32 }",
    "random-open": "-- random input { i32",
    "script-open": "-- script input { (f { 1 }",
    "tags": "-- tags { a, b }",
    "tags-braces": "-- tags foo",
    "entry-and-case": "-- entry: main input { 1 }",
    "regex": "-- input { 1 } error: (foo",
    "regex-below": "-- input { 1 } error:\n-- [[:foo:]]",
    "rejected-and-cases": "-- error: foo\n-- input { 1 }",
    "rejected-and-comment": "-- error: foo\n\n-- ==\n-- input { 1 }",
    "stage": "-- structure fast { Alloc 1 }",
    "count": "-- structure gpu-mem { Alloc }",
    "count-negative": "-- structure { Alloc -1 }",
    "count-too-long": f"-- structure {{ Alloc {'9' * 19} }}",
    "structure-first": "-- structure { Alloc 1 }\n-- input { 1 }",
    "warning-first": "-- warning: a\n-- structure { Alloc 1 }",
    "later-structure": "-- input { 1 }\n\n-- ==\n-- input { 2 }\n-- structure { Alloc 1 }",
    "later-tags": "-- input { 1 }\n\n-- ==\n-- tags { a }",
    "comment-in-comment": "-- input { 1 }\n-- ==\n-- input { 2 }",
    "three-signs": "-- input { 1 }\n\n-- ===\n-- input { 1 }",
}


def test_broken_comments(golden: Callable[[str, str], None]) -> None:
    said: list[str] = []
    for name, comment in BROKEN.items():
        text = f"-- ==\n{comment}\n\n{PROGRAM}"
        with pytest.raises(SourceError) as error:
            read_spec(text, f"{name}.fun")
        said.append(error.value.diagnostic.render(text))
    golden("suite/broken.txt", "\n\n".join(said) + "\n")


WORDS = """
input output auto error: random script { } { 1 } [1,2] @ "a" "x tags { entry: structure
seq-mem warning: Alloc 1 == -- foo [10]i32 i32 ( [ empty([0]i32) é 1.5f32
"""


@given(st.lists(st.sampled_from([*WORDS.split(), "\n--", "\n-- "]), max_size=12))
def test_any_comment_is_read_or_refused_with_a_place(words: list[str]) -> None:
    text = "-- == " + " ".join(words) + "\n" + PROGRAM
    try:
        read_spec(text, "t.fun")
    except SourceError as error:
        d = error.diagnostic
        assert d.code == "test comment"
        assert 1 <= d.at.line <= text.count("\n") + 1
        assert d.message
