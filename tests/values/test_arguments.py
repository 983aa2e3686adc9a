"""Values outside of programs: they read back, and what is wrong is said."""

import io
import math
from pathlib import Path
from zipfile import ZipFile

import futhark_data
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from funmem.codegen.memory_limits import Limit
from funmem.ir.diagnostics import InputError, UsageError
from funmem.ir.fun import ArrayType
from funmem.ir.names import Name
from funmem.ir.scalars import F16, F32, I32, SCALARS, ScalarType, normalise
from funmem.ir.signature import Parameter, Signature, signature
from funmem.ir.sizes import const
from funmem.ir.text import parse_fun
from funmem.ir.values import ArrayValue, Data, bind, dtype
from funmem.values.arguments import (
    read_arguments,
    read_values,
    save,
    show_value,
    summarise,
    to_json,
)
from funmem.values.futhark_data import read_all, show_array, show_scalar, write_binary
from funmem.values.random_arguments import parse_sizes, random_arguments


def parameter(t: ScalarType, rank: int = 1, name: str = "r") -> Parameter:
    return Parameter(Name(name), ArrayType(t, (const(0),) * rank) if rank else t)


# ---------------------------------------------------------------------- round trips


@st.composite
def arrays(draw: st.DrawFn, least_rank: int = 1) -> Data:
    """Arrays of every type, also empty ones, NaN and infinities."""
    t = draw(st.sampled_from(SCALARS))
    shape = draw(st.lists(st.integers(0, 3), min_size=least_rank, max_size=3))
    cells = st.integers() if not t.is_float else st.floats() | st.floats(width=16)
    values = draw(st.lists(cells, min_size=math.prod(shape), max_size=math.prod(shape)))
    return np.array([normalise(v, t) for v in values], dtype(t)).reshape(shape)


def same(a: object, b: Data) -> None:
    assert isinstance(a, np.ndarray | np.generic)
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    np.testing.assert_array_equal(a, b, strict=True)
    assert np.signbit(a).tolist() == np.signbit(b).tolist() if b.dtype.kind == "f" else True


@given(arrays())
def test_text_of_an_array_reads_back_exactly(a: Data) -> None:
    (found,) = read_all(show_array(a, None).encode(), "text")
    if a.dtype.kind == "f":
        a = np.where(np.isnan(a), np.array(np.nan, a.dtype), a)
    same(found, a)


@given(arrays(least_rank=0))
def test_binary_data_reads_back_exactly(a: Data) -> None:
    (found,) = read_all(write_binary(a), "binary")
    same(found, a)


@given(st.lists(arrays(), max_size=3))
def test_text_and_binary_may_be_mixed(values: list[Data]) -> None:
    content = b"".join(
        write_binary(a) if k % 2 else show_array(a, None).encode() + b" -- comment\n"
        for k, a in enumerate(values)
    )
    found = read_all(content, "mixed")
    assert [np.asarray(x).shape for x in found] == [a.shape for a in values]


@pytest.mark.parametrize(
    "content", [write_binary(np.frombuffer(b"#(1,", np.uint8)), b"[1u8] -- #(1,"]
)
def test_bytes_and_comments_are_no_constructors(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.data").write_bytes(content)
    (found,) = read_values(str(tmp_path / "a.data"))
    same(found, read_all(content, "-i")[0])


@given(arrays())
def test_the_package_reads_our_text(a: Data) -> None:
    """What futhark-data can read at all: it knows neither NaN nor infinities, nor empty arrays."""
    if a.size and (a.dtype.kind != "f" or np.isfinite(a).all()):
        (found,) = futhark_data.loads(show_array(a, None))
        same(found, a)


@given(arrays())
def test_we_read_the_text_of_the_package(a: Data) -> None:
    if not a.size or a.dtype.kind == "f":
        return  # it calls a function that numpy 2 lacks; it rounds
    text = io.StringIO()
    for row in a.ravel():
        futhark_data.dump_text(row, text)
        text.write(" ")
    assert read_all(text.getvalue().encode(), "text") == a.ravel().tolist()


@pytest.mark.parametrize("t", SCALARS)
def test_scalars(t: ScalarType) -> None:
    for v in (0, 1) if not t.is_float else (0.1, -0.0, math.inf, -math.inf, 1e-7, 65504.0):
        value = normalise(v, t)
        (found,) = read_all(show_scalar(value, t).encode(), "text")
        assert found == value
        assert np.asarray(found).dtype == dtype(t)


# ---------------------------------------------------------------------- reading


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("-5", -5),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("0x1F", 31),
        ("-0x10i8", -16),
        ("0b101u8", 5),
        ("1_000i64", 1000),
        ("0x1.8p1f32", 3.0),
        ("0x1.8p1", 3.0),
        ("true", True),
        ("5f32", 5.0),
        ("[]", []),
        ("[1, 2]", [1, 2]),
        ("[[1.5], [2]]", [[1.5], [2]]),
        ("[ 1 , 2 , ]", [1, 2]),
    ],
)
def test_what_is_a_value(text: str, value: object) -> None:
    (found,) = read_values(text)
    assert found == value
    assert type(found) is type(value) or isinstance(found, np.generic)


@pytest.mark.parametrize("text", ["[1f32, 2]", "[1, 2f32]", "[1f32, 2.0f32]"])
def test_one_suffix_is_enough(text: str) -> None:
    (found,) = read_values(text)
    same(found, np.array([1, 2], np.float32))


def become(text: str, t: ScalarType) -> Data | None:
    """The elements of an array of that type; None if they are none."""
    takes = signature(parse_fun(f"entry f [n] (xs : [n]{t}) -> (r : i64) = in (n)").entries[0])
    try:
        (found,) = bind(takes, read_values(text))[1]
    except InputError:
        return None
    assert isinstance(found, ArrayValue)
    return found.data


@given(
    st.sampled_from([t for t in SCALARS if t is not ScalarType.BOOL]),
    st.lists(st.integers() | st.integers(0, 2**54) | st.floats(allow_nan=False), min_size=1),
)
@example(F16, [1e5])
@example(F32, [9007199791611905])
def test_a_suffix_elsewhere_changes_nothing(t: ScalarType, numbers: list[float]) -> None:
    """Numbers without one become what they become where only the parameter says the type."""
    words = ", ".join(repr(x) for x in numbers if abs(x) != math.inf)
    typed, plain = become(f"[0{t}, {words}]", t), become(f"[0, {words}]", t)
    assert (typed is None) == (plain is None)
    if typed is not None and plain is not None:
        same(typed, plain)


def test_what_is_too_large_is_infinite_in_any_base() -> None:
    digits = ["1e999", "0x1.0p9999", "-1e999f32", "-0x1.0p9999f32", "1e5f16", "0x1.0p17f16"]
    infinite = [math.inf, math.inf, -math.inf, -math.inf, math.inf, math.inf]
    assert read_values(" ".join(digits)) == infinite


def test_comments_and_several_values() -> None:
    assert read_values("-- one\n1 2 -- two\n[3] --") == [1, 2, [3]]
    assert read_values("") == []


def test_literals_are_rounded_once() -> None:
    (found,) = read_values("1.00000017881393432617187499f32")
    assert found == np.float32(1.0000001)


WRONG = {
    "[1": "-i:1:3: error[values]: the value ends too early",
    "[1 2]": "-i:1:4: error[values]: expected `,` or `]`, found `2`",
    "1\n  x1": "-i:2:3: error[values]: `x1` is not a value",
    "]": "-i:1:1: error[values]: `]` is not a value",
    "(1)": "-i:1:1: error[values]: `(` is not a value",
    "1.5i32": "-i:1:1: error[values]: `1.5i32` is not a value",
    "256u8": "-i:1:1: error[values]: 256u8 is out of range: u8 is 0 to 255",
    "[-1u8]": "-i:1:2: error[values]: -1u8 is out of range: u8 is 0 to 255",
    "[1u8, 256]": "-i:1:10: error[values]: an element is out of range for u8",
    "[1f16, 1e5]": "-i:1:11: error[values]: an element is out of range for f16",
    "[true, 1]": "-i:1:9: error[values]: an array of bool holds a number",
    "[1i32, 2i64]": "-i:1:12: error[values]: the elements of an array have different types",
    "[1.5, 2i32]": "-i:1:11: error[values]: an array of i32 holds a number with a fraction",
    "[[1i32], [[2i32, 3i32]]]": "-i:1:24: error[values]: the rows of an array have different",
    "empty([1]i32)": "-i:1:10: error[values]: an empty array has a dimension of size 0",
    "empty([0]q)": "-i:1:10: error[values]: expected an element type, found `q`",
    "empty([x]i32)": "-i:1:8: error[values]: expected a size, found `x`",
    "empty([9223372036854775806][0]i64)": "-i:1:8: error[values]: a size has at most 18 digits",
    "empty([1099511627776][1099511627776][0]f32)": "-i:1:43: error[values]: an array [10995",
    "empty [0]i32": "-i:1:7: error[values]: expected `(`, found `[`",
    "[" * 5000: "-i:1:33: error[values]: an array has at most 32 dimensions",
    "9" * 5000: "-i:1:1: error[values]: a number has at most 1000 characters",
    "b\2": "error[values]: -i: broken binary value at byte 0",
    "b\2\1 i32": "error[values]: -i: broken binary value at byte 0",
    "b\2\1 xyz": "error[values]: -i: broken binary value at byte 0",
    "b\2\1 i32" + "\x7f" * 8: "error[values]: -i: broken binary value at byte 0",
    "b\2\2 i32" + "\0" * 8 + "\x7f" * 8: "error[values]: -i: broken binary value at byte 0",
    "\0": "-i:1:1: error[values]: ",
    "nothing.npy": "error[values]: cannot read `nothing.npy`: No such file or directory",
}


@pytest.mark.parametrize("text", WRONG, ids=lambda t: ascii(t[:20]))
def test_what_is_no_value(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_values(text)
    assert str(caught.value).startswith(WRONG[text])


@given(st.binary(max_size=40) | st.text("[](),-.0123456789abefinptuxy \n", max_size=40))
def test_junk_is_refused_cleanly(junk: bytes | str) -> None:
    content = junk if isinstance(junk, bytes) else junk.encode()
    for text in (content, b"b\2" + content, b"b\2\1 f32" + content):
        try:
            read_all(text, "junk")
        except InputError:
            continue


def test_npy_files(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.float32(2.5))
    assert read_values(str(tmp_path / "a.npy")) == [np.float32(2.5)]
    np.save(tmp_path / "o.npy", np.array([None]), allow_pickle=True)
    (tmp_path / "empty.npy").touch()
    right = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "tokens.npy").write_bytes(right.replace(b"(", b"{", 1))
    (tmp_path / "syntax.npy").write_bytes(right.replace(b"'", b'"', 1))
    (tmp_path / "types.npy").write_bytes(right.replace(b" 'f", b"b'f", 1))
    with (tmp_path / "z.npy").open("wb") as f:
        np.savez(f, a=np.zeros(2))
    for name in ("o", "empty", "z", "tokens", "syntax", "types"):
        with pytest.raises(InputError, match=r"npy"):
            read_values(str(tmp_path / f"{name}.npy"))


def test_npz_files_go_out_and_in_under_their_names(tmp_path: Path) -> None:
    """Arrays go to the parameters of their names, whatever their order in the file."""
    file = tmp_path / "r.npz"
    a, b = np.arange(6, dtype=np.int32).reshape(2, 3).T, np.zeros((0, 2), np.float16)
    results = [(ArrayValue(a), parameter(I32, 2, "a")), (7, parameter(I32, 0, "b"))]
    assert save([*results, (ArrayValue(b), parameter(F16, 2, "c"))], file) == [file]
    with np.load(file) as found:
        assert found.files == ["a", "b", "c"]
        assert [x.dtype.name for x in found.values()] == ["int32", "int32", "float16"]
        np.testing.assert_array_equal(found["a"], a)
        assert found["c"].shape == (0, 2)
    params = tuple(parameter(I32, 0, x) for x in "bca")
    s = Signature(Name("main"), (), params, ())
    given = read_arguments(s, [str(file)])
    assert [np.asarray(v).tolist() for v in given] == [7, [], a.tolist()]


def test_npz_files_and_other_arguments(tmp_path: Path) -> None:
    """What a file does not name is taken from the others, in order."""
    file = str(tmp_path / "x.npz")
    s = Signature(Name("main"), (), tuple(parameter(I32, 0, x) for x in "abc"), ())
    np.savez(file, b=np.int32(2))
    assert read_arguments(s, ["1i32", file, "3i32"]) == [1, 2, 3]
    assert read_arguments(s, [file, "1i32"]) == [2, 1], "too few: what is missing is said later"
    np.savez(file, np.int32(4), np.int32(5))
    assert read_arguments(s, [file, "6i32"]) == [4, 5, 6], "no name is a parameter's"
    np.savez(file, b=np.int32(2), x=np.int32(3))
    with pytest.raises(InputError, match=r"`x` in `.*` is not a parameter of `main`"):
        read_arguments(s, [file, "1i32"])
    np.savez(file, b=np.int32(2))
    with pytest.raises(InputError, match=r"`b` in `.*` is given twice"):
        read_arguments(s, [file, file, "1i32"])


def test_what_is_no_npz(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.zeros(2))
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    np.savez(tmp_path / "none.npz")
    np.savez(tmp_path / "objects.npz", a=np.array([None]))
    (tmp_path / "junk.npz").write_bytes(b"PK\\x03\\x04junk")
    np.savez(tmp_path / "cut.npz", a=np.zeros(100))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "cut.npz").read_bytes()[:-30])
    with ZipFile(tmp_path / "text.npz", "w") as archive:
        archive.writestr("a.txt", "text")
    for name in ("one", "none", "objects", "junk", "cut", "text", "missing"):
        with pytest.raises(InputError, match=rf"{name}\.npz"):
            read_values(str(tmp_path / f"{name}.npz"))


# ---------------------------------------------------------------------- writing


def test_undefined_elements() -> None:
    v = ArrayValue(np.array([1, 2], np.int32), np.array([True, False]))
    assert show_value(v, parameter(I32)) == "[1i32, undefined]"
    assert to_json(v, parameter(I32))["values"] == [1, None]
    assert summarise(v, parameter(I32)) == "r : [2]i32, 1 elements undefined, min 1, max 1, mean 1"
    with pytest.raises(UsageError, match="never given a value"):
        save([(v, parameter(I32))], Path("nowhere.npy"))


def test_json_has_no_nan() -> None:
    v = ArrayValue(np.array([[math.nan], [-math.inf]], np.float32))
    assert to_json(v, parameter(F32, 2))["values"] == [["nan"], ["-inf"]]
    assert to_json(math.inf, parameter(F32, 0))["values"] == "inf"
    assert "values" not in to_json(ArrayValue(np.zeros(1001, np.int32)), parameter(I32))
    empty = to_json(ArrayValue(np.zeros((2, 0), np.int32)), parameter(I32, 2))
    assert (empty["shape"], empty["values"]) == ([2, 0], [[], []])


def test_summaries() -> None:
    bools = ArrayValue(np.array([True, False, True]))
    assert summarise(bools, parameter(ScalarType.BOOL)) == "r : [3]bool, 2 true"
    assert summarise(ArrayValue(np.zeros(0, np.int32)), parameter(I32)) == "r : [0]i32"
    assert summarise(7, parameter(I32, 0)) == "r : i32 = 7i32"


# ---------------------------------------------------------------------- random arguments

ENTRY = """\
entry main [n] (k : i64) (xs : [n][k + 1]f32) (b : bool) (ys : [2 * n]u8) -> (r : i64) =
  in (k)
"""


def test_random_arguments_fit() -> None:
    s = signature(parse_fun(ENTRY, "e").entries[0])
    k, xs, b, ys = random_arguments(s, {"n": 3, "k": 4}, seed=1)
    assert (k, type(b)) == (4, bool)
    assert isinstance(xs, np.ndarray)
    assert isinstance(ys, np.ndarray)
    assert (xs.shape, xs.dtype) == ((3, 5), np.float32)
    assert (ys.shape, ys.dtype) == ((6,), np.uint8)
    assert 0 <= xs.min() <= xs.max() < 1
    assert ys.max() < 100


def test_random_arrays_are_asked_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that promises more memory than it has would fill it for minutes."""
    text = "entry main [n] (xs : [n]f32) -> (ys : [n]f32) = in (xs)"
    s = signature(parse_fun(text, "e").entries[0])
    monkeypatch.setattr(
        "funmem.values.random_arguments.host_limit", lambda: Limit(1 << 20, "the test")
    )
    monkeypatch.setattr(
        "funmem.values.random_arguments._fill", lambda *_: pytest.fail("it is filled")
    )
    with pytest.raises(InputError, match=r"`xs`: \[1073741824\]f32 does not fit into memory"):
        random_arguments(s, {"n": 1 << 30}, seed=1)


def test_scalars_are_random_too() -> None:
    s = signature(parse_fun(ENTRY, "e").entries[0])
    ks = {random_arguments(s, {"n": 0}, seed)[0] for seed in range(20)}
    assert len(ks) > 5


@pytest.mark.parametrize(
    ("given_sizes", "message"),
    [
        ({}, "the size `n` is not given"),
        ({"n": 1, "m": 2}, "no size or scalar parameter `m`"),
        ({"n": 1, "k": 1 << 63}, "out of range for i64"),
        ({"n": 1, "b": 2}, None),
    ],
)
def test_wrong_sizes(given_sizes: dict[str, int], message: str | None) -> None:
    s = signature(parse_fun(ENTRY, "e").entries[0])
    if message is None:
        assert random_arguments(s, given_sizes, 0)[2] is True
        return
    with pytest.raises(UsageError, match=message):
        random_arguments(s, given_sizes, 0)


def test_sizes_as_text() -> None:
    assert parse_sizes("n=4, m=-5,") == {"n": 4, "m": -5}
    for wrong in ("n", "n=", "=4", "n=x", "n=1=2", "n=" + "9" * 40, "n=²"):
        with pytest.raises(UsageError, match="is not of the form name=integer"):
            parse_sizes(wrong)
