"""facts: what cannot trap, what is certainly written, how large a size can become."""

import pytest

from funmem.ir.fun import Ann, Entry, Stm
from funmem.ir.names import Name
from funmem.ir.sizes import ZERO, const, var
from funmem.ir.text import parse_fun
from funmem.passes.facts import Known, of_entry, upper_bound
from funmem.passes.may_trap import why_traps

HEAD = "entry main [n] [m] (xs : [n]i32) (a : [n][m]i32) (k : i64) (f : f32) -> (r : i64) ="
N, M, K, I = (Name(x) for x in ("n", "m", "k", "i"))  # noqa: E741


def last(stms: str) -> tuple[Stm[Ann], Known]:
    """The last of some statements, and what is known before it."""
    (e,) = parse_fun(f"{HEAD}\n{stms}\nin (0)").entries
    *before, s = e.body.stms
    return s, of_entry(e).after_all(before)


def entry() -> Entry[Ann]:
    (e,) = parse_fun(f"{HEAD} in (0)").entries
    return e


SAFE = [
    "let (x : i64) = k * k - 3",
    "let (x : i64) = k / 2",
    "let (x : i64) = k ** 2",
    "let (x : f32) = f / f",
    "let (x : [n]i32) = iota [n] 0i32 1i32",
    "let (x : [n][m]i32) = replicate [n][m] 1i32",
    "let (x : [m][n]i32) = permute (1, 0) a",
    "let (x : [n * m]i32) = reshape [n * m] a",
    "let (x : [n]i32) = xs[0 : n]",
    "let (x : [n]i32) = xs[n - 1 : n : -1]",
    "let (x : [0]i32) = xs[0 : 0]",
    "let (x : [n]i32) = flat xs[0 + {(n : 1)}]",
    "let (x : [2 * n]i32) = concat 0 xs xs",
    "let (x : [n]i32) = kernel i < n do let (y : i32) = xs[i] in (y)",
    "let (x : [n]i32) = kernel i < n do let (j : i64) = n - 1 - i let (y : i32) = xs[j] in (y)",
    "let (x : i32) = loop (s : i32) = 0i32 for i < n do let (y : i32) = xs[i] in (y)",
    "let (x : [n]i32) = kernel i < n do let (j : i64) = n - i let (h : i64) = 0 - 1 "
    "let (y : i32) = xs[j + h] in (y)",
    "let (x : [n]i32) = kernel i < n do let (j : i64) = 7 - i let (h : i64) = i "
    "let (y : i32) = xs[7 - j] in (y)",
    "let (x : [n]i32) = xs with [0 : n] = xs",
    "let (x : [n]i32) = xs with flat [n - 1 + {(n : -1)}] = xs",
]

UNSAFE = {
    "let (x : i64) = k / k": "operator / traps",
    "let (x : i64) = 2 ** k": "operator ** traps",
    "let (x : i64) = k / 0": "operator / traps",
    "let (x : i32) = xs[k]": "[k] may lie outside",
    "let (x : i32) = xs[0]": "[0] may lie outside",
    "let (x : [k]i32) = xs[0 : k]": "may lie outside",
    "let (x : [n]i32) = xs[1 : n]": "may lie outside",
    "let (x : [k]i64) = iota [k] 0 1": "size k may be negative",
    "let (x : [n - 1]i32) = scratch [n - 1]i32": "may be negative",
    "let (x : [k]i32) = reshape [k] a": "another number of elements",
    "let (x : [n]i32) = flat xs[1 + {(n : 1)}]": "may leave xs",
    "let (x : [n]i32) = xs with flat [1 + {(n : 1)}] = xs": "may leave xs",
    "let (x : [n]i32) = xs with flat [0 + {(n : 1) (2 : 0)}] = xs": "name an element twice",
    "let (x : [n]i32) = kernel i < n do let (y : i32) = xs[i + 1] in (y)": "may lie outside",
    "let (x : [k]i32) = kernel i < k do in (1i32)": "size k may be negative",
    "let (x : [n]i32) = kernel i < n do let (j : i64) = i + k let (y : i32) = xs[j - k] in (y)": (
        "may lie outside"  # i + k wraps around
    ),
    "let (x : [n]i32) = kernel i < n do let (j : i64) = i - k let (y : i32) = xs[j + k] in (y)": (
        "may lie outside"
    ),
    "let (x : [n]i32) = kernel i < n do let (j : i64) = i + 4611686018427387904 "
    "let (h : i64) = j + 4611686018427387904 let (y : i32) = xs[h - 9223372036854775807 - 1] "
    "in (y)": "may lie outside",
    'assert true "x"': "assertion",
    "let (g : bool) = true let (x : bool) = loop (c : bool) = g while c do in (c)": "terminate",
    "let (b : [k]i32) = scratch [k]i32 let (x : [n]i32) = xs with [0 : n : 0] = xs": "twice",
}


@pytest.mark.parametrize("stms", SAFE)
def test_cannot_trap(stms: str) -> None:
    s, known = last(stms)
    assert why_traps(s.exp, known) is None


@pytest.mark.parametrize("stms", UNSAFE)
def test_may_trap(stms: str) -> None:
    s, known = last(stms)
    why = why_traps(s.exp, known)
    assert why is not None
    assert UNSAFE[stms] in why


def test_a_let_bound_index_is_its_polynomial() -> None:
    s, known = last("let (j : i64) = n - n let (x : [n]i32) = xs[j : n]")
    assert why_traps(s.exp, known) is None


HOLES = [
    "let (h : [n]i32) = scratch [n]i32",
    "let (g : [n]i32) = scratch [n]i32 let (h : [n]i32) = copy g",
    "let (g : [n]i32) = scratch [n]i32 let (h : [n]i32) = g with [0 : 0] = xs",
    "let (g : [n]i32) = scratch [n]i32 "
    "let (h : [n]i32) = loop (y : [n]i32) = g for i < k do in (y)",
    "let (h : [1][n]i32) = kernel i < 1 do let (g : [n]i32) = scratch [n]i32 in (g)",
    "let (h : [n]i32) = loop (y : [n]i32) = xs for i < k do "
    "let (g : [n]i32) = scratch [n]i32 in (g)",
]

WHOLE = [
    "let (h : [n]i32) = copy xs",
    "let (h : [n]i32) = loop (y : [n]i32) = xs for i < k do let (z : [n]i32) = copy y in (z)",
    "let (h : [n]i32) = kernel i < n do let (g : i32) = xs[i] in (g)",
]


@pytest.mark.parametrize("stms", HOLES)
def test_may_have_elements_that_were_never_written(stms: str) -> None:
    read = "let (x : [1]i32) = [0i32] : i32"
    _, known = last(f"{stms} {read}")
    assert "h" in known.holes


@pytest.mark.parametrize("stms", WHOLE)
def test_is_written_completely(stms: str) -> None:
    _, known = last(f"{stms} let (x : [1]i32) = [0i32] : i32")
    assert "h" not in known.holes


POSITIVE = """
    let (t : bool) = k > 0
    let (both : bool) = if t then
      let (d : i64) = n % k
      let (e : bool) = d == 0
      in (e)
    else
      in (false)
    assert both "k divides n"
    let (q : i64) = n / k
    """


def test_a_condition_in_two_steps_is_known_where_it_holds() -> None:
    s, known = last(POSITIVE + "let (x : [q * k]i64) = iota [q * k] 0 1")
    assert why_traps(s.exp, known) is None
    assert known.nonneg(var(K) - 1)
    _, known = last(POSITIVE.replace("assert both", "assert t") + "let (x : i64) = n")
    assert known.nonneg(var(K) - 1)
    _, known = last(POSITIVE.replace('assert both "k divides n"', "") + "let (x : i64) = n")
    assert not known.nonneg(var(K))
    assert not known.nonneg(var(Name("q")))  # k may be negative


def test_a_reshaped_array_has_as_many_elements() -> None:
    _, known = last(POSITIVE + "let (x : [q][k]i32) = reshape [q][k] xs\nlet (y : i64) = n")
    assert known.nonneg(var(N) - var(K) * var(Name("q")))
    assert known.nonneg(var(K) * var(Name("q")) - var(N))
    assert not known.nonneg(var(N) - var(K) * var(Name("q")) - 1)


def test_a_whole_dimension_is_inside_whatever_its_size() -> None:
    stms = """let (x : i64) = loop (s : i64) = 0 for i < n do
      let (r : [n - i - 1]i64) = iota [n - i - 1] 0 1
      let (w : [n - i - 1]i64) = r[0 : n - i - 1]
      in (s)"""
    s, known = last(stms)
    assert why_traps(s.exp, known) is None


def test_the_rows_of_an_empty_kernel_say_nothing() -> None:
    rows = "let (y : [n][k]i32) = kernel i < n do let (z : [k]i32) = replicate [k] 1i32 in (z)"
    s, known = last(f"{rows} let (x : [k]i64) = iota [k] 0 1")
    assert why_traps(s.exp, known) is not None


# ---------------------------------------------------------------------- bounds


def bound(d: str) -> str | None:
    """The bound of a size over i < n, where n - i etc. are as in a loop."""
    (e,) = parse_fun(
        f"{HEAD}\nlet (i : i64) = 0 let (x : [{d}]i64) = iota [{d}] 0 1 in (0)"
    ).entries
    (size,) = e.body.stms[1].pat[0].type.shape  # type: ignore[union-attr]
    found = upper_bound(size, ((I, var(N)),), of_entry(entry()))
    return None if found is None else str(found)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("m", "m"),
        ("i + 1", "n"),
        ("4 * (n - i)", "4*n"),
        ("m * i", "m*n - m"),
        ("(n - i) * i", None),
        ("(n - i) * (n - i)", "n*n"),
        ("(n - i) * (n + i)", None),
        ("k * i", None),
    ],
)
def test_upper_bound(size: str, expected: str | None) -> None:
    assert bound(size) == expected


def test_bounds_of_two_indices() -> None:
    j = Name("j")
    dims = ((I, var(N)), (j, var(I) + 1))
    found = upper_bound(var(I) + var(j), dims, of_entry(entry()))
    assert found == var(N) * 2 - 2
    assert upper_bound(const(7), (), Known()) == const(7)
    assert upper_bound(ZERO, dims, Known()) == ZERO
