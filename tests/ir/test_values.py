"""What callers may pass, what is refused and how, and when two results are the same."""

import numpy as np
import pytest

from funmem.ir.diagnostics import InputError
from funmem.ir.erase import erase
from funmem.ir.fun import Ann, Entry
from funmem.ir.imp import ArrayPort, ImpEntry, ScalarPort
from funmem.ir.names import Name
from funmem.ir.scalars import F16, F32, I64, SCALARS
from funmem.ir.signature import Parameter, signature
from funmem.ir.sizes import var
from funmem.ir.text import parse_fun, show
from funmem.ir.values import ArgValue, ArrayValue, Tolerance, Value, agree, bind, dtype, elem_type


def entry(head: str) -> Entry[Ann]:
    """An entry point with that head; its body does not matter here."""
    return parse_fun(f"entry main {head} -> (r : i64) = in (0)", "test").entries[0]


def refusal(head: str, *args: ArgValue) -> str:
    with pytest.raises(InputError) as e:
        bind(signature(entry(head)), args)
    return e.value.diagnostic.message


def array(*xs: float, t: str = "float32") -> ArrayValue:
    return ArrayValue(np.array(xs, t))


# ---------------------------------------------------------------------- element types


@pytest.mark.parametrize("t", SCALARS)
def test_a_scalar_type_and_its_numpy_type_have_one_memory_image(t):
    assert dtype(t).itemsize == t.bytes
    assert elem_type(dtype(t)) is t


def test_numpy_types_without_a_scalar_type_are_known_to_have_none():
    assert elem_type(np.dtype("complex64")) is None
    assert elem_type(np.dtype(">f4")) is None


# ---------------------------------------------------------------------- signatures


def test_signature_shows_what_the_caller_passes_and_gets():
    sig = signature(entry("[n] (k : i64) (x : [n][k]f32)"))
    assert sig.sizes == ("n",)
    assert [str(p.type) for p in sig.params] == ["i64", "[n][k]f32"]
    assert sig.results == (Parameter(Name("r"), I64),)


MEM = """
entry main [n] [m : mem] (x : [n]f32 @ m -> 0 + {(n : 1)})
  -> [r : mem] (y : [n]f32 @ r -> 0 + {(n : 1)}) =
  let (b : mem) = alloc 4*n
  let (z : [n]f32 @ b -> 0 + {(n : 1)}) = copy x
  in (b, z)
"""


def test_signature_is_the_same_with_and_without_memory():
    program = parse_fun(MEM, "test")
    assert signature(program.entries[0]) == signature(erase(program).entries[0])
    assert signature(program.entries[0]).sizes == ("n",)


def test_signature_of_imp_has_the_names_of_blocks():
    n = Name("n")
    imp = ImpEntry(
        Name("main"), (n,), (ArrayPort(Name("m"), F32, (var(n),)),), (), (ScalarPort(n, I64),)
    )
    assert [str(p.type) for p in signature(imp).params] == ["[n]f32"]
    assert signature(imp).results == (Parameter(n, I64),)


# ---------------------------------------------------------------------- erasure


def test_erasure_leaves_no_trace_of_memory():
    text = show(erase(parse_fun(MEM, "test")))
    assert "mem" not in text
    assert "@" not in text
    assert "alloc" not in text
    assert "let (b : i64) = 0" in text


def test_erasure_defines_the_blocks_that_a_body_mentions():
    mentions = MEM.replace("in (b, z)", "let (c : mem) = m\n in (b, z)")
    text = show(erase(parse_fun(mentions, "test")))
    assert "let (m : i64) = 0" in text
    assert "[m" not in text


def test_erasure_is_the_identity_on_fun():
    program = parse_fun("entry main [n] (x : [n]f32) -> (y : [n]f32) = in (x)", "test")
    assert erase(program) == program


# ---------------------------------------------------------------------- arguments


def test_sizes_come_from_shapes():
    sig = signature(entry("[n] [m] (x : [n][m]f32) (y : [m]i8)"))
    sizes, values = bind(sig, [np.zeros((2, 3), "f4"), [1, 2, 3]])
    assert sizes == {"n": 2, "m": 3}
    assert str(values[1]) == "[3]i8"


@pytest.mark.parametrize(
    ("t", "given", "value"),
    [
        ("i8", -128, -128),
        ("u64", 2**64 - 1, 2**64 - 1),
        ("f32", 0.1, float(np.float32(0.1))),
        ("f32", 3, 3.0),
        ("f16", float("inf"), float("inf")),
        ("bool", True, True),
        ("i32", np.int32(7), 7),
        ("f64", np.array(1.5), 1.5),
    ],
)
def test_a_scalar_is_taken_at_its_type(t, given, value):
    (got,) = bind(signature(entry(f"(x : {t})")), [given])[1]
    assert got == value
    assert type(got) is type(value)


def test_a_list_keeps_every_digit():
    """numpy alone would make floats of integers beyond i64."""
    (got,) = bind(signature(entry("[n] (x : [n]u64)")), [[2**64 - 1, 0]])[1]
    assert isinstance(got, ArrayValue)
    assert got.data.tolist() == [2**64 - 1, 0]


def test_an_empty_list_of_lists_has_a_shape():
    sizes, _ = bind(signature(entry("[n] [m] (x : [n][m]f32)")), [[[], []]])
    assert sizes == {"n": 2, "m": 0}


def test_arrays_without_dimensions_are_elements():
    _, (x,) = bind(signature(entry("[n] (x : [n]i64)")), [[np.array(1), 2, np.int64(3)]])
    _, (y,) = bind(signature(entry("[n] [m] (y : [n][m]f32)")), [[[np.array(0.5, "f4")], [1]]])
    assert isinstance(x, ArrayValue)
    assert isinstance(y, ArrayValue)
    assert (x.data.tolist(), y.data.tolist()) == ([1, 2, 3], [[0.5], [1]])


@pytest.mark.parametrize(
    ("head", "given", "hint"),
    [
        ("[n] (x : [n]f32)", np.zeros(6), "numpy converts it: `x.astype(np.float32)`"),
        ("[n] (x : [n]bool)", np.zeros(6, "i8"), "numpy converts it: `x.astype(np.bool_)`"),
        ("[n] [m] (x : [n][m]f16)", [np.zeros(2)], "numpy converts it: `a.astype(np.float16)`"),
        ("[n] (x : [n]u8)", [np.int64(1)], "numpy converts it: `np.uint8(a)`"),
        ("(x : f32)", np.float64(1), "numpy converts it: `np.float32(x)`"),
        ("[n] [m] (x : [n][m]f32)", np.zeros(6), ""),
        ("[n] (x : [n]f32)", np.zeros(6, "c8"), ""),
        ("(x : f32)", np.zeros(1), ""),
        ("[n] (x : [n]f32)", ArrayValue(np.zeros(6)), ""),
    ],
)
def test_how_to_convert_what_is_numpys(head, given, hint):
    with pytest.raises(InputError) as caught:
        bind(signature(entry(head)), [given])
    assert caught.value.diagnostic.hint == hint


def test_undefined_elements_may_be_passed():
    x = ArrayValue(np.zeros(2, "f4"), np.array([True, False]))
    assert bind(signature(entry("[n] (x : [n]f32)")), [x])[1] == (x,)


@pytest.mark.parametrize(
    ("head", "args", "message"),
    [
        ("(x : i8)", [], "`main` takes 1 argument(s), got 0"),
        ("(x : i8)", [128], "argument 1 (`x`): 128 is out of range for i8"),
        ("(x : f32)", [1e39], "argument 1 (`x`): 1e+39 is out of range for f32"),
        ("(x : i32)", [1.0], "argument 1 (`x`): expected i32, got the float 1.0"),
        ("(x : i32)", [True], "argument 1 (`x`): expected i32, got the bool True"),
        ("(x : f32)", [True], "argument 1 (`x`): expected f32, got the bool True"),
        ("[n] (x : [n]f32)", [[1, True]], "argument 1 (`x`): expected [n]f32, got the bool True"),
        (
            "(x : i64)",
            [10**5000],
            "argument 1 (`x`): an integer of 16610 bits is out of range for i64",
        ),
        (
            "(x : f64)",
            [-(10**5000)],
            "argument 1 (`x`): an integer of 16610 bits is out of range for f64",
        ),
        ("(x : bool)", [10**5000], "argument 1 (`x`): expected bool, got an integer of 16610 bits"),
        (
            "[n] [m] (x : [n][m]f32)",
            [[np.array([0.1])]],
            "argument 1 (`x`): expected [n][m]f32, got [1]f64 in a sequence",
        ),
        (
            "[n] (x : [n]f32)",
            [[np.float64(0.1)]],
            "argument 1 (`x`): expected [n]f32, got f64 in a sequence",
        ),
        (
            "[n] (x : [n]f32)",
            [(np.array(0.1),)],
            "argument 1 (`x`): expected [n]f32, got f64 in a sequence",
        ),
        ("(x : bool)", [1], "argument 1 (`x`): expected bool, got the int 1"),
        ("(x : f32)", [np.float64(1)], "argument 1 (`x`): expected f32, got f64"),
        ("(x : f32)", [np.zeros(2, "f4")], "argument 1 (`x`): expected f32, got [2]f32"),
        ("[n] (x : [n]f32)", [np.zeros(3)], "argument 1 (`x`): expected [n]f32, got [3]f64"),
        ("[n] (x : [n]f32)", [3], "argument 1 (`x`): expected [n]f32, got the int 3"),
        ("[n] (x : [n]f32)", ["abc"], "argument 1 (`x`): expected [n]f32, got a str"),
        ("[n] (x : [n]i8)", [[1, 300]], "argument 1 (`x`): 300 is out of range for i8"),
        (
            "[n] [m] (x : [n][m]f32)",
            [np.zeros(3, "f4")],
            "argument 1 (`x`): expected [n][m]f32, got [3]f32",
        ),
        (
            "[n] [m] (x : [n][m]f32)",
            [[[1, 2], [3]]],
            "argument 1 (`x`): the rows of a nested sequence have different lengths",
        ),
        (
            "[n] [m] [k] (x : [n][m][k]f32)",
            [[np.zeros((2, 2), "f4"), np.zeros((2, 3), "f4")]],
            "argument 1 (`x`): the rows of a nested sequence have different lengths",
        ),
        (
            "[n] [m] [k] (a : [n][m]f32) (b : [m][k]f32)",
            [np.zeros((2, 3), "f4"), np.zeros((4, 5), "f4")],
            "argument 2 (`b`): expected [m][k]f32 with m = 3, got [4][5]f32",
        ),
        (
            "[n] (x : [n][n]f32)",
            [np.zeros((2, 3), "f4")],
            "argument 1 (`x`): expected [n][n]f32, got [2][3]f32",
        ),
        (
            "(k : i64) (x : [k]f32)",
            [2, np.zeros(3, "f4")],
            "argument 2 (`x`): expected [k]f32 with k = 2, got [3]f32",
        ),
        (
            "[n] (x : [2*n]f32) (y : [n]f32)",
            [np.zeros(3, "f4"), np.zeros(2, "f4")],
            "argument 1 (`x`): expected [2*n]f32 with n = 2, got [3]f32",
        ),
        (
            "[n] (x : [n + 1]f32)",
            [np.zeros(3, "f4")],
            "no argument of `main` determines the size `n`",
        ),
    ],
)
def test_arguments_that_do_not_fit(head, args, message):
    assert refusal(head, *args) == message


def test_a_polynomial_size_is_checked_when_its_variables_are_known():
    sig = signature(entry("[n] (x : [n + 1]f32) (y : [n]f32)"))
    assert bind(sig, [np.zeros(3, "f4"), np.zeros(2, "f4")])[0] == {"n": 2}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_indices_mean_what_they_mean_in_arrays():
    """A row of a numpy matrix is a matrix again."""
    sig = signature(entry("[n] [m] (x : [n][m]i64)"))
    _, (v,) = bind(sig, [np.matrix([[1, 2], [3, 4]], dtype=np.int64)])
    assert isinstance(v, ArrayValue)
    assert type(v.data) is np.ndarray
    assert v.data[0].tolist() == [1, 2]


def test_a_masked_array_is_refused():
    given = np.ma.masked_array(np.arange(2), [True, False])
    assert "a masked array may lack elements" in refusal("[n] (x : [n]i64)", given)
    assert "a masked array may lack elements" in refusal("[n] [m] (x : [n][m]i64)", [given])


def test_an_unknown_numpy_type_is_named():
    assert "complex64" in refusal("[n] (x : [n]f32)", np.zeros(2, "c8"))


# ---------------------------------------------------------------------- comparison


@pytest.mark.parametrize(
    ("expected", "got", "difference"),
    [
        ([1], [1], None),
        ([1], [1, 2], "expected 1 result(s), got 2"),
        ([1], [True], "result 1: expected the int 1, got the bool True"),
        ([0.0], [-0.0], "result 1: expected 0.0, got -0.0"),
        ([float("nan")], [float("nan")], None),
        ([2**63], [2**63], None),
        ([1, 2], [1, 3], "result 2: expected 2, got 3"),
        ([array(1)], [1.0], "result 1: expected [1]f32, got the float 1.0"),
        ([array(1)], [array(1, 2)], "result 1: expected [1]f32, got [2]f32"),
        ([array(1)], [array(1, t="float64")], "result 1: expected [1]f32, got [1]f64"),
        ([array()], [array()], None),
        ([array(1, np.nan)], [array(1, np.nan)], None),
        (
            [array(1, 2)],
            [array(1, 5)],
            "result 1[1]: expected 2.0, got 5.0 (1 of 2 elements differ)",
        ),
    ],
)
def test_results_agree_bit_by_bit(expected: list[Value], got: list[Value], difference):
    assert agree(expected, got) == difference


def test_the_sign_of_zero_in_an_array_is_seen():
    assert agree([array(0.0)], [array(-0.0)]) == "result 1[0]: expected 0.0, got -0.0"


def test_strided_and_many_dimensional_arrays_are_compared():
    a = np.arange(12, dtype="f4").reshape(3, 4)
    assert agree([ArrayValue(a.T)], [ArrayValue(np.ascontiguousarray(a.T))]) is None
    assert agree([ArrayValue(a[::2])], [ArrayValue(a[1:])]) is not None


def test_an_element_without_a_value_matches_anything_but_not_the_other_way_round():
    hole = ArrayValue(np.zeros(2, "f4"), np.array([True, False]))
    assert agree([hole], [array(0, 7)]) is None
    assert agree([array(0, 7)], [hole]) == (
        "result 1[1]: expected 7.0, got an undefined element (1 of 2 elements differ)"
    )


def test_a_tolerance_is_for_floats_only():
    near = Tolerance()
    assert agree([array(1.0)], [array(1.00001)], tolerance=near) is None
    assert agree([array(1.0)], [array(1.001)], tolerance=near) is not None
    assert agree([array(1e-9)], [array(-1e-9)], tolerance=near) is None
    assert agree([array(np.inf)], [array(3e38)], tolerance=near) is not None
    assert agree([array(5, t="int32")], [array(6, t="int32")], tolerance=near) is not None


def test_a_float_scalar_is_judged_by_the_narrowest_type_it_can_have():
    near = Tolerance()
    assert agree([1.0], [float(np.float32(1.00001))], tolerance=near) is None
    assert agree([1.0], [1.00001], tolerance=near) is not None, "not values of f32"


def test_a_float_scalar_of_a_known_type_is_judged_as_that():
    """One f16 and the next; 250 and 251 are values of f16, but results of f32."""
    near = Tolerance()
    one, next_ = 1.0, float(np.nextafter(np.float16(1), np.float16(2)))
    assert agree([one], [next_], tolerance=near) is not None
    assert agree([one], [next_], tolerance=near, types=[F16]) is None
    assert agree([250.0], [251.0], tolerance=near, types=[F32]) is not None
    assert agree([1.0], [1.00001], tolerance=near, types=[F32]) is not None, "no values of f32"
    assert agree([7, one], [7, next_], tolerance=near, types=[I64, F16]) is None
    assert agree([one], [next_], types=[F16]) is not None


def test_integers_need_no_common_type():
    assert agree([-1], [2**64 - 1]) == "result 1: expected -1, got 18446744073709551615"
