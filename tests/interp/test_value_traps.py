"""How programs go wrong: every trap of the table, what is undefined, and what is not a program."""

import numpy as np
import pytest

from funmem.ir.diagnostics import DeviceError, Stuck, Trap, TrapKind
from funmem.ir.values import ArgValue
from tests.interp.test_value import ADD2, compute, plain, run_all


def trap(head: str, body: str, *args: ArgValue) -> tuple[TrapKind, str]:
    with pytest.raises(Trap) as e:
        compute(head, body, *args)
    return e.value.kind, e.value.diagnostic.message


# ---------------------------------------------------------------------- traps


@pytest.mark.parametrize(
    ("head", "exp", "args", "kind", "message"),
    [
        ("(a : i64) -> (r : i64)", "1 / a", [0], TrapKind.DIVISION, "division by zero"),
        ("(a : u8) -> (r : u8)", "1u8 %% a", [0], TrapKind.DIVISION, "division by zero"),
        ("(a : i64) -> (r : i64)", "2 ** a", [-1], TrapKind.EXPONENT, "negative exponent"),
        (
            "[n] [m] (x : [n][m]i8) (i : i64) -> (r : i8)",
            "x[1, i]",
            [np.zeros((3, 4), "i1"), 4],
            TrapKind.INDEX,
            "Index [1, 4] out of bounds for array of shape [3][4].",
        ),
        (
            "[n] (x : [n]i8) (i : i64) -> (r : i8)",
            "x[i]",
            [[1, 2], -1],
            TrapKind.INDEX,
            "Index [-1] out of bounds for array of shape [2].",
        ),
        (
            "[n] [m] (x : [n][m]i8) (i : i64) -> (r : [2]i8)",
            "x[1 : 2 : 3, i]",
            [np.zeros((3, 4), "i1"), 0],
            TrapKind.SLICE,
            "Index [1:7:3, 0] out of bounds for array of shape [3][4].",
        ),
        (
            "[n] [m] (x : [n][m]i8) (i : i64) -> (r : [2]i8)",
            "x[0 : 2, i]",
            [np.zeros((3, 4), "i1"), 4],
            TrapKind.SLICE,
            "Index [0:2, 4] out of bounds for array of shape [3][4].",
        ),
        (
            "[n] (x : [n]i8) (l : i64) -> (r : [l]i8)",
            "x[0 : l]",
            [[1, 2], -1],
            TrapKind.SLICE,
            "Index [0:-1] out of bounds for array of shape [2].",
        ),
        (
            "[n] (x : [n]i8) (l : i64) -> (r : [l]i8)",
            "x[1 : l : -1]",
            [[1, 2], 3],
            TrapKind.SLICE,
            "Index [1:-2:-1] out of bounds for array of shape [2].",
        ),
        (
            "[n] [m] (x : [n][m]i8) (i : i64) -> (r : [m]i8)",
            "x[i, 0 : m]",
            [np.zeros((3, 4), "i1"), 3],
            TrapKind.SLICE,
            "Index [3] out of bounds for array of shape [3].",
        ),
        (
            "[n] [m] (x : [n][m]i8) (i : i64) -> (r : [m]i8)",
            "x[i, 0 : m : i]",
            [np.zeros((3, 4), "i1"), 3],
            TrapKind.SLICE,
            "Index [3, 0:12:3] out of bounds for array of shape [3][4].",
        ),
        (
            "[n] [m] (x : [n][m]i8) (l : i64) -> (r : [l][m]i8)",
            "x[-1 : l, 0 : m]",
            [np.zeros((3, 4), "i1"), 4],
            TrapKind.SLICE,
            "Index [-1:3] out of bounds for array of shape [3].",
        ),
        (
            "[n] (x : [n]i8) (l : i64) -> (r : [l][2]i8)",
            "flat x[0 + {(l : 2) (2 : 1)}]",
            [[1, 2, 3], 2],
            TrapKind.SLICE,
            "Slice [0 + {(2 : 2) (2 : 1)}] out of bounds for array of shape [3].",
        ),
        (
            "[n] (x : [n]i8) (l : i64) -> (r : [l]i8)",
            "flat x[0 + {(l : 1)}]",
            [[1, 2, 3], -1],
            TrapKind.SLICE,
            "Slice [0 + {(-1 : 1)}] out of bounds for array of shape [3].",
        ),
        (
            "[n] (x : *[n]i8) (i : i64) -> (r : [n]i8)",
            "x with [i] = 1i8",
            [[1, 2], 2],
            TrapKind.SLICE,
            "Index [2] out of bounds for array of shape [2].",
        ),
        (
            "[n] (x : *[n]i8) (y : [2]i8) -> (r : [n]i8)",
            "x with [1 : 2 : 0] = y",
            [[1, 2], [3, 4]],
            TrapKind.OVERLAP,
            "Update writes an element twice.",
        ),
        (
            "[n] (x : [n]i8) (k : i64) -> (r : [k][2]i8)",
            "reshape [k][2] x",
            [[1, 2, 3], 2],
            TrapKind.SHAPE,
            "Cannot unflatten array of shape [3] to array of shape [2][2]",
        ),
        (
            "[n] [m] (x : [n][m]i8) (k : i64) -> (r : [k]i8)",
            "reshape [k] x",
            [np.zeros((3, 4), "i1"), 11],
            TrapKind.SHAPE,
            "Cannot reshape array of shape [3][4] to array of shape [11]",
        ),
        (
            "[n] (x : [n]i8) (k : i64) -> (r : [k][k]i8)",
            "reshape [k][k] x",
            [[1], -1],
            TrapKind.NEGATIVE_SIZE,
            "Cannot unflatten array of shape [1] to array of shape [-1][-1]",
        ),
    ],
)
def test_traps(head, exp, args, kind, message):
    result = head.split("(r : ")[1][:-1]
    assert trap(head, f"let (y : {result}) = {exp} in (y)", *args) == (kind, message)


@pytest.mark.parametrize(
    "exp",
    [
        "iota [n] 0i8 1i8",
        "replicate [n] 0i8",
        "scratch [n]i8",
        "kernel i < n do in (1i8)",
        "kernel i < n scan (\\(a : i8) (b : i8) -> in (a)) (0i8) do in (1i8)",
    ],
)
def test_a_negative_size_traps(exp):
    """Errata 11 and 13."""
    got = trap("(n : i64) -> (r : [n]i8)", f"let (y : [n]i8) = {exp} in (y)", -2)
    assert got == (TrapKind.NEGATIVE_SIZE, "Size -2 is negative.")


@pytest.mark.parametrize(
    "exp",
    ["[] : [n]i8", "kernel i < 0 do let (row : [n]i8) = replicate [n] 1i8 in (row)"],
)
def test_rows_of_an_empty_array_have_no_negative_size(exp):
    got = trap("(n : i64) -> (r : [0][n]i8)", f"let (y : [0][n]i8) = {exp} in (y)", -2)
    assert got == (TrapKind.NEGATIVE_SIZE, "Size -2 is negative.")


def test_a_failed_assertion_says_its_message_and_its_place():
    text = 'entry main (b : bool) -> (r : i64) =\n  assert b "b must hold"\n  in (1)'
    assert run_all(text, True) == (1,)
    with pytest.raises(Trap) as e:
        run_all(text, False)
    assert e.value.kind is TrapKind.ASSERTION
    assert (e.value.diagnostic.at.line, e.value.diagnostic.message) == (2, "b must hold")


@pytest.mark.parametrize(
    ("t", "value", "shown"),
    [
        ("i64", -5, "-5"),
        ("u64", 2**64 - 1, "18446744073709551615"),
        ("i8", -128, "-128"),
        ("bool", True, "true"),
        ("bool", False, "false"),
        ("f64", 1.5, "1.5f64"),
        ("f64", -1e300, "-1e300f64"),
        ("f32", 0.1, "0.1f32"),
        ("f16", -0.0, "-0.0f16"),
        ("f32", float("nan"), "f32.nan"),
        ("f64", float("-inf"), "-f64.inf"),
    ],
)
def test_a_failed_assertion_shows_values_of_every_type(t, value, shown):
    """In the order of the holes; constants too, and the same value twice."""
    text = 'assert false "{{}} {}, {} and {} {{{}}}" (k, v, 2u8, v) in (k)'
    got = trap(f"(v : {t}) (k : i64) -> (r : i64)", text, value, 3)
    assert got == (TrapKind.ASSERTION, f"{{}} 3, {shown} and 2 {{{shown}}}")


@pytest.mark.parametrize(
    ("exp", "line"),
    [("1 / a", 3), ("x[a - 1]", 3)],
)
def test_a_trap_names_the_statement(exp, line):
    head = "entry main [n] (a : i64) (x : [n]i64) -> (r : i64) ="
    text = f"{head}\n let (b : i64) = 1\n let (c : i64) = {exp}\n in (c)"
    with pytest.raises(Trap) as e:
        run_all(text, 0, [1])
    assert (e.value.diagnostic.at.file, e.value.diagnostic.at.line) == ("t.fun", line)


def test_the_first_trap_wins():
    body = """let (y : [n]i64) = kernel i < n do
                let (z : i64) = i - 1
                let (v : i64) = 1 / z
                let (w : i64) = x[i + 9]
                in (w)
              in (y)"""
    head = "[k] (n : i64) (x : [k]i64) -> (r : [n]i64)"
    assert trap(head, body, 3, [1])[0] is TrapKind.INDEX, "in iteration 0, z is -1"
    assert trap(head, body, 3, list(range(10)))[0] is TrapKind.DIVISION, "in iteration 1"


def test_operands_are_evaluated_strictly():
    body = "let (c : bool) = a == 0 || 1 / a == 1 in (c)"
    assert trap("(a : i64) -> (r : bool)", body, 0)[0] is TrapKind.DIVISION


def test_a_branch_that_is_not_taken_does_not_trap():
    body = "let (r1 : i64) = if c then let (d : i64) = 1 / 0 in (d) else in (5) in (r1)"
    assert compute("(c : bool) -> (r : i64)", body, False) == 5


# ---------------------------------------------------------------------- undefined elements

SCRATCH = "let (s : [n]i8) = scratch [n]i8 let (y : [n]i8) = s with [0] = 7i8 "


@pytest.mark.parametrize(
    ("exp", "want"),
    [
        ("copy y", [7, None]),
        ("reverse 0 y", [None, 7]),
        ("y[1 : n : -1]", [None, 7]),
        ("flat y[0 + {(n : 1)}]", [7, None]),
        ("if true then in (y) else in (s)", [7, None]),
        ("kernel i < n reduce (\\(a : [n]i8) (b : [n]i8) -> in (b)) (s) do in (y)", [7, None]),
        ("x with [0 : n] = y", [7, None]),
        ("y with [0 : n] = x", [5, 5]),
        ("scatter x is y", [5, None]),
    ],
)
def test_undefined_elements_are_moved(exp, want):
    more = "let (x : [n]i8) = replicate [n] 5i8 let (is : [n]i64) = replicate [n] 1"
    body = f"{SCRATCH} {more} let (z : [n]i8) = {exp} in (z)"
    assert compute("(n : i64) -> (r : [n]i8)", body, 2) == want


def test_undefined_elements_are_joined_with_others():
    body = f"{SCRATCH} let (z : [2*n]i8) = concat 0 y y in (z)"
    assert compute("(n : i64) -> (r : [2*n]i8)", body, 2) == [7, None, 7, None]
    body = f"{SCRATCH} let (z : [2][n]i8) = [y, y] : [n]i8 in (z)"
    assert compute("(n : i64) -> (r : [2][n]i8)", body, 2) == [[7, None], [7, None]]


@pytest.mark.parametrize(
    "use",
    [
        "let (v : i8) = y[1] in (v)",
        "let (k : [n]i64) = scratch [n]i64 let (z : [n]i8) = scatter y k y in (0i8)",
        f"let (z : [n]i8) = kernel i < n hist (y) {ADD2.replace('i32', 'i8')} (0i8) do in (1, 1i8)"
        " in (0i8)",
    ],
)
def test_undefined_elements_are_not_used(use):
    kind, message = trap("(n : i64) -> (r : i8)", SCRATCH + use, 2)
    assert kind is TrapKind.UNINITIALISED
    assert message.endswith("was never given a value.")


# ---------------------------------------------------------------------- what is not well typed


@pytest.mark.parametrize(
    "body",
    [
        "let (a : i64) = nobody in (a)",
        "let (a : i64) = 1 + 2i32 in (0)",
        "let (a : f32) = 1.0f32 & 2.0f32 in (0)",
        "let (a : i64) = x + x in (0)",
        "let (y : [n + 1]i64) = copy x in (0)",
        "let (y : [2*n]i64) = concat 0 x x let (z : [n]i64) = y[0 : 2*n] in (0)",
        "let (y : [n]i64) = copy n in (0)",
        "let (b : bool) = true let (k : [b]i64) = scratch [b]i64 in (0)",
    ],
)
def test_an_ill_typed_program_is_stuck(body):
    """The checker refuses all of these; an interpreter must not make sense of them."""
    with pytest.raises(Stuck):
        run_all(f"entry main [n] (x : [n]i64) -> (r : i64) = {body}", [1, 2])


@pytest.mark.parametrize(
    "body",
    [
        "let (y : [n][n][n][0]i8) = replicate [n][n][n][0] 1i8 in (y)",
        "let (e : [0]i8) = replicate [0] 1i8 "
        "let (y : [n][n][n][0]i8) = reshape [n][n][n][0] e in (y)",
    ],
)
def test_an_empty_array_may_be_too_far_for_numpy(body):
    with pytest.raises(DeviceError, match="does not fit into memory"):
        compute("(n : i64) -> (r : [n][n][n][0]i8)", body, 2**21)


def test_an_array_that_no_machine_holds_is_the_machines_fault():
    body = "let (y : [n]i8) = replicate [n] 1i8 in (y)"
    with pytest.raises(DeviceError, match="does not fit into memory"):
        compute("(n : i64) -> (r : [n]i8)", body, 2**50)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (
            "(x : [2]i8) (n : i64) -> (r : i8)",
            "let (y : [n*n]i8) = x[0 : n*n : 0] let (v : i8) = y[5]",
        ),
        (
            "(x : [2]i8) (n : i64) -> (r : i8)",
            "let (y : [n][n]i8) = flat x[1 + {(n : 0) (n : 0)}] let (v : i8) = y[n - 1, 5]",
        ),
        (
            "[z] (x : [z]i8) (n : i64) -> (r : i8)",
            "let (y : [n][n][n][z]i8) = reshape [n][n][n][z] x let (v : i8) = 1",
        ),
    ],
    ids=["slice", "flat", "reshape"],
)
def test_nor_is_a_view_that_numpy_has_not(head: str, body: str) -> None:
    """Even one without elements, whose other sizes are too many."""
    x = [] if "[z]" in head else [1, 2]
    with pytest.raises(DeviceError, match="does not fit into memory"):
        compute(head, f"{body} in (v)", np.array(x, np.int8), 2**40)


def test_nothing_is_counted_in_what_has_no_elements() -> None:
    """A kernel's nest, and the places of an update, beside a dimension of any length."""
    text = """
    entry main [k] [z] (x : *[k]i64) (e : [z]i64) (n : i64) -> (r : [k]i64) (s : [n][z]i64) =
      let (v : [n][z]i64) = reshape [n][z] e
      let (y : [k]i64) = x with flat [0 + {(n : 1) (z : 1)}] = v
      let (t : [n][z]i64) = kernel i < n, j < z do
        in (i)
      in (y, t)
    """
    y, t = run_all(text, [1, 2], np.zeros(0, np.int64), 10**12)
    assert (plain(y), t.shape) == ([1, 2], (10**12, 0))


def test_too_many_places_are_not_counted() -> None:
    """An update of more elements than the array has writes one twice."""
    body = "let (v : [n]i8) = x[0 : n : 0] let (y : [2]i8) = x with flat [0 + {(n : 0)}] = v in (y)"
    kind, message = trap(
        "(x : *[2]i8) (n : i64) -> (r : [2]i8)", body, np.array([1, 2], np.int8), 2**39
    )
    assert (kind, message) == (TrapKind.OVERLAP, "Update writes an element twice.")
