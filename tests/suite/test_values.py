"""Values of test comments: how they are read, made up, and compared."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from funmem.ir.diagnostics import InputError, Span
from funmem.ir.fun import ArrayType
from funmem.ir.names import Name
from funmem.ir.scalars import SCALARS, ScalarType
from funmem.ir.signature import Parameter, Signature
from funmem.ir.sizes import const
from funmem.ir.values import ArgValue, ArrayValue, dtype
from funmem.suite.spec import InFile, Inline, Random, RandomValue
from funmem.suite.values import (
    Known,
    excerpt,
    fits,
    given,
    known,
    load,
    mismatch,
    random_value,
    type_of,
)
from funmem.values.futhark_data import read_all, write_binary

AT = Span("t.fun", 2, 4, 9)

# ---------------------------------------------------------------------- reading, exactly

# What Futhark's `dataset` command makes of the same texts.
EXACT = {
    "1": "i32 1",
    "+1": "i32 1",
    "-0x10": "i32 -16",
    "1_000": "i32 1000",
    "007": "i32 7",
    "0xFF_i8": "i8 -1",
    "255i8": "i8 -1",
    "300u8": "u8 44",
    "-1u8": "u8 255",
    "99999999999": "i32 1215752191",
    "0b101": "i32 5",
    "0x10f32": "i32 69426",
    "1.5": "f64 1.5",
    "1e3": "f64 1000.0",
    "1e400": "f64 inf",
    "1f32": "f32 1.0",
    "1_0.5_0": "f64 10.5",
    "-f32.inf": "f32 -inf",
    "f16.nan": "f16 nan",
    "true": "bool True",
    '"str"': "[]u8 [115, 116, 114]",
    '"a\\n\\"\\\\\\120"': "[]u8 [97, 10, 34, 92, 120]",
    '""': "[]u8 []",
    '["ab", "cd"]': "[][]u8 [[97, 98], [99, 100]]",
    "[1, 2,]": "[]i32 [1, 2]",
    "[1i64, 300000000000]": "[]i64 [1, 300000000000]",
    "[1i8, 300]": "[]i8 [1, 44]",
    "[1.0, 2]": "[]f64 [1.0, 2.0]",
    "[1f32, 2, 3.5]": "[]f32 [1.0, 2.0, 3.5]",
    "empty([0][3]i32)": "[][]i32 []",
    "5i32 -- five\n6u8": "i32 5; u8 6",
    "1[2]": "i32 1; []i32 [2]",
}
NOT_EXACT = {
    "[]": "an empty array needs its type: empty([0]i32)",
    "[[], []]": "an empty array needs its type: empty([0]i32)",
    "[1, 2i64]": "the first element of the array has type i32, another has type i64",
    "[1, true]": "the first element of the array has type i32, another has type bool",
    "[true, 1]": "the first element of the array has type bool, another has type i32",
    "[1, 2.0]": "an array of i32 holds a number with a fraction",
    "[[1], [[2, 3]]]": "the rows of an array have different numbers of dimensions",
    "[[1], 2]": "the rows of an array have different numbers of dimensions",
    '"a\\q"': "has an invalid escape sequence",
    '"unterminated': "is not a value",
    "inf": "`inf` is not a value",
    "1.0i32": "is not a value",
    "(1, 2)": "is not a value",
    "'a'": "is not a value",
    "1, 2": "`,` is not a value",
    "empty([2]i32)": "an empty array has a dimension of size 0",
}


def spelt(v: ArgValue) -> str:
    assert isinstance(v, np.ndarray | np.generic)
    return f"{type_of(v)} {v.tolist()}"


@pytest.mark.parametrize("text", EXACT)
def test_values_have_types_of_their_own(text: str) -> None:
    assert "; ".join(map(spelt, read_all(text.encode(), "t", exact=True))) == EXACT[text]


@pytest.mark.parametrize("text", NOT_EXACT)
def test_what_is_no_value(text: str) -> None:
    with pytest.raises(InputError) as error:
        read_all(text.encode(), "t", exact=True)
    assert NOT_EXACT[text] in error.value.diagnostic.message
    assert error.value.diagnostic.at.line == 1


def test_values_may_begin_later() -> None:
    assert list(map(spelt, read_all(b"foo {\n5 6i8", "t", start=5, exact=True))) == [
        "i32 5",
        "i8 6",
    ]
    with pytest.raises(InputError) as error:
        read_all(b"foo {\n5 x", "t", start=5, exact=True)
    assert str(error.value.diagnostic.at) == "t:2:3"


# ---------------------------------------------------------------------- files


def test_files_in_either_form_also_compressed(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    (tmp_path / "text").write_text("[[0i16, 1, 2], [3, 4, 5]] 7")
    (tmp_path / "binary").write_bytes(write_binary(array) + write_binary(np.array(7, np.int32)))
    for name in ("text", "binary"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    for name in ("text", "binary", "text.gz", "binary.gz"):
        x, y = load(InFile(name, AT), tmp_path)
        np.testing.assert_array_equal(np.asarray(x), array, strict=True)
        assert spelt(y) == "i32 7"


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("1\n2 foo")
    (tmp_path / "broken").write_bytes(b"b\2\1 i32")
    (tmp_path / "no.gz").write_text("1")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"1 2 3 4 5")[:-9])
    said = {
        "missing": "cannot read `missing`: No such file or directory",
        "text": "text:2:3: `foo` is not a value",
        "broken": "broken: broken binary value at byte 0",
        "no.gz": "cannot read `no.gz`: Not a gzipped file",
        "cut.gz": "cannot read `cut.gz`: Compressed file ended",
    }
    for name, what in said.items():
        with pytest.raises(InputError) as error:
            load(InFile(name, AT), tmp_path)
        assert what in error.value.diagnostic.message
        assert error.value.diagnostic.at == AT


def test_values_in_the_comment() -> None:
    assert load(Inline((np.int32(5),)), Path()) == (np.int32(5),)


# ---------------------------------------------------------------------- random values


@pytest.mark.parametrize("t", SCALARS)
def test_random_values_are_the_same_every_time_and_use_all_of_their_type(t: ScalarType) -> None:
    x = random_value(RandomValue((1000,), t), 1)
    assert isinstance(x, np.ndarray)
    assert (x.dtype, x.shape) == (dtype(t), (1000,))
    np.testing.assert_array_equal(x, np.asarray(random_value(RandomValue((1000,), t), 1)))
    assert not np.array_equal(x, np.asarray(random_value(RandomValue((1000,), t), 2)))
    if t.is_float:
        wide = x.astype(np.float64)
        assert 0 <= wide.min() < 0.1
        assert 0.9 < wide.max() <= 1
    elif t is ScalarType.BOOL:
        assert 400 < x.sum() < 600
    else:
        reach = int(t.max) - int(t.min)
        assert int(x.min()) < int(t.min) + reach // 20
        assert int(x.max()) > int(t.max) - reach // 20


def test_random_input() -> None:
    items = (RandomValue((), ScalarType.I32), np.int64(5), RandomValue((0, 2), ScalarType.F16))
    x, five, empty = load(Random(items), Path())
    assert isinstance(x, np.int32)
    assert five == np.int64(5)
    assert isinstance(empty, np.ndarray)
    assert (empty.shape, empty.dtype) == ((0, 2), np.float16)
    with pytest.raises(InputError, match=r"random \[10000000000000000\]i32 does not fit"):
        random_value(RandomValue((10**16,), ScalarType.I32), 0)


# ---------------------------------------------------------------------- types


def test_arguments_have_exactly_the_parameters_types() -> None:
    rows = Parameter(Name("xss"), ArrayType(ScalarType.F32, (const(2), const(3))))
    s = Signature(Name("f"), (), (Parameter(Name("x"), ScalarType.I64), rows), ())
    assert fits(s, [np.int64(5), np.zeros((2, 3), np.float32)]) is None
    assert fits(s, [np.int64(5), np.zeros((9, 9), np.float32)]) is None  # sizes: the engine's
    assert fits(s, [np.int32(5)]) == "`f` takes (i64, [][]f32), the input is (i32)"
    assert fits(s, []) == "`f` takes (i64, [][]f32), the input is ()"
    wrong = fits(s, [np.int64(5), np.zeros(3, np.float64)])
    assert wrong == "`f` takes (i64, [][]f32), the input is (i64, []f64)"
    assert fits(evolve(s, params=()), []) is None


# ---------------------------------------------------------------------- comparison

# expected, got, and the difference; Futhark's own test command judges the f64 arrays alike.
COMPARED = {
    "5 5": "",
    "5 6": ": expected 5i32, got 6i32",
    "5i64 5i32": ": expected i64, got i32",
    "5i32 5f32": ": expected i32, got f32",
    "5 [5]": ": expected i32, got []i32",
    "[5] [[5]]": ": expected []i32, got [][]i32",
    "[5, 6] [5]": ": expected [2]i32, got [1]i32",
    "empty([0]f64) empty([0]f64)": "",
    "empty([0]f64) empty([0]f32)": ": expected []f64, got []f32",
    "empty([0][3]f64) empty([0][2]f64)": ": expected [0][3]f64, got [0][2]f64",
    "true false": ": expected true, got false",
    "[[1, 2], [3, 4]] [[1, 2], [9, 9]]": (
        " at [1, 0]: expected 3i32, got 9i32 (2 of 4 elements differ)"
    ),
    "[1.0, 2.1] [1.0, 2.0]": " at [1]: expected 2.1f64, got 2.0f64 (1 of 2 elements differ)",
    "[1.9, 1000.0] [1.0, 1000.0]": "",
    "[3.1, 1000.0] [1.0, 1000.0]": (
        " at [0]: expected 3.1f64, got 1.0f64 (1 of 2 elements differ)"
    ),
    "[1.9, -1000.0] [1.0, -1000.0]": (
        " at [0]: expected 1.9f64, got 1.0f64 (1 of 2 elements differ)"
    ),
    "[f64.nan, f64.inf] [f64.nan, f64.inf]": "",
    "[f64.nan, -f64.inf] [f64.nan, f64.inf]": (
        " at [1]: expected -f64.inf, got f64.inf (1 of 2 elements differ)"
    ),
    "[1.0, 1000.0] [f64.nan, 1000.0]": (
        " at [0]: expected 1.0f64, got f64.nan (1 of 2 elements differ)"
    ),
    "[f64.nan, f64.inf] [1.0, 3.0]": (
        " at [0]: expected f64.nan, got 1.0f64 (2 of 2 elements differ)"
    ),
    "[f64.inf, 10.0] [f64.inf, 3.0]": (
        " at [1]: expected 10.0f64, got 3.0f64 (1 of 2 elements differ)"
    ),
    "[2.0, 3.0] [f64.inf, 3.0]": " at [0]: expected 2.0f64, got f64.inf (1 of 2 elements differ)",
    "[0.003] [0.001]": "",
    "[0.0031] [0.001]": " at [0]: expected 0.0031f64, got 0.001f64",
    "[0.0031, 2.0] [0.001, 2.0]": "",
    "-0.0 0.0": "",
    "1001f16 1000f16": "",
    "1003f16 1000f16": ": expected 1.003e03f16, got 1e03f16",
    "1f32 1.001f32": "",
    "3.4e38f32 -3.4e38f32": ": expected 3.4e38f32, got -3.4e38f32",
}


def pair(text: str) -> tuple[Known, Known]:
    a, b = read_all(text.encode(), "t", exact=True)
    return given(a), given(b)


@pytest.mark.parametrize("text", COMPARED)
def test_what_is_the_same(text: str) -> None:
    expected, got = pair(text)
    m = mismatch([expected], [got])
    assert (m.what if m else "") == (f"the result{COMPARED[text]}" if COMPARED[text] else "")


def test_several_results() -> None:
    (a, b) = pair("1 2")
    assert mismatch([a, b], [a, b]) is None
    m = mismatch([a, b], [a, a])
    assert m is not None
    assert (m.what, m.expected, m.actual) == ("result 2: expected 2i32, got 1i32", "2i32", "1i32")
    m = mismatch([a, b], [a])
    assert m is not None
    assert (m.what, m.expected, m.actual) == ("expected 2 result(s), got 1", "1i32 2i32", "1i32")


def test_undefined_elements() -> None:
    p = Parameter(Name("r"), ArrayType(ScalarType.I32, (const(2),)))
    numbers = np.array([1, 2], np.int32)
    partly = known(ArrayValue(numbers, np.array([True, False])), p)
    assert mismatch([partly], [given(np.array([1, 9], np.int32))]) is None
    assert mismatch([partly], [partly]) is None
    m = mismatch([given(numbers)], [partly])
    assert m is not None
    what = "the result at [1]: expected 2i32, got an undefined element (1 of 2 elements differ)"
    assert (m.what, m.actual) == (what, "[1i32, undefined]")


def test_a_scalar_result_has_its_parameters_type() -> None:
    assert known(1.5, Parameter(Name("r"), ScalarType.F32))[0].dtype == np.float32


def test_excerpts() -> None:
    assert excerpt(given(np.int8(-5))) == "-5i8"
    assert excerpt(given(np.zeros((0, 3), np.float32))) == "empty([0][3]f32)"
    assert excerpt(given(np.arange(9))) == "[0i64, 1i64, 2i64, 3i64, 4i64, 5i64, …]"
    assert excerpt(given(np.zeros((2, 2), np.bool_))) == "[[false, false], [false, false]]"
    assert len(excerpt(given(np.zeros((50, 50, 50))))) == 80
