"""facts: what cannot trap, what is certainly written, how large a size can become."""

import pytest

from funmem.interp.value import run
from funmem.ir.diagnostics import Trap
from funmem.ir.fun import Ann, Binder, Entry, Home, Stm, Var
from funmem.ir.lmad import Lmad
from funmem.ir.logic.facts import FAR, PointFacts, of_entry, one_name, upper_bound
from funmem.ir.logic.may_trap import row_sizes, why_statement_traps, why_traps
from funmem.ir.names import Name
from funmem.ir.scalars import F32, I64
from funmem.ir.sizes import ZERO, const, var
from funmem.ir.text import parse_fun

HEAD = "entry main [n] [m] (xs : [n]i32) (a : [n][m]i32) (k : i64) (f : f32) -> (r : i64) ="
N, M, K, I = (Name(x) for x in ("n", "m", "k", "i"))  # noqa: E741


def last(stms: str) -> tuple[Stm[Ann], PointFacts]:
    """The last of some statements, and what is known before it."""
    (e,) = parse_fun(f"{HEAD}\n{stms}\nin (0)").entries
    *before, s = e.body.stms
    return s, of_entry(e).after_all(before)


def entry() -> Entry[Ann]:
    (e,) = parse_fun(f"{HEAD} in (0)").entries
    return e


EMPTY_ROWS = """let (y : [n][k]i32) = kernel i < n do
    let (z : [k]i32) = replicate [k] 1i32 in (z)
  let (w : [k][n]i32) = permute (1, 0) y"""
"""An array of which it is not known that k is no negative number."""

SAFE = [
    "let (x : i64) = k * k - 3",
    "let (x : i64) = k / 2",
    "let (x : i64) = k ** 2",
    "let (x : i64) = k ** 0",
    "let (x : i64) = k / max(m, 1)",
    "let (x : i64) = k / max(1, k)",
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
    "let (x : [n]i32) = kernel i < n do let (j : i64) = i + 1 let (y : i32) = xs[j - 1] in (y)",
    "let (h : [2 * n]i32) = concat 0 xs xs let (x : [n]i32) = kernel i < n do "
    "let (j : i64) = i + 5 let (y : i32) = h[2 * j - 10] in (y)",
    "let (x : [n]i32) = kernel i < n do let (j : i64) = i - 5 let (y : i32) = xs[j + 5] in (y)",
    "let (x : [n]i32) = kernel i < n do let (j : i64) = 0 - i - 1 let (y : i32) = xs[-1 - j] "
    "in (y)",
    "let (x : [n]i32) = kernel i < n do let (j : i64) = i + 2 let (y : i32) = xs[j - 2] in (y)",
    "let (x : [n]i32) = kernel i < n do let (j : i64) = 0 - i - 2 let (y : i32) = xs[-2 - j] "
    "in (y)",  # an argument is in memory
    "let (h : [9]i32) = replicate [9] 1i32 "
    "let (x : [9]i32) = kernel i < 9 do let (j : i64) = i + 5 let (y : i32) = h[j - 5] in (y)",
    "let (x : i32) = loop (s : i32) = 0i32 for i < n - 4 do let (j : i64) = i + 4 "
    "let (y : i32) = xs[j - 4] in (y)",
    'let (j : i64) = k * m let (c : bool) = j >= 0 && j < n assert c "inside" '
    "let (x : i32) = xs[j]",  # what j is, does not matter
    'let (o : bool) = n <= 0 let (p : bool) = k >= 1 let (c : bool) = o || p assert c "one" '
    "let (x : [n]i32) = kernel i < n do let (z : [k]i32) = replicate [k] 1i32 "
    "let (y : i32) = z[0] in (y)",  # where there is an i, n is above 0
    f"{EMPTY_ROWS} let (x : [2][k][n]i32) = [w, w] : [k][n]i32",  # w exists
    f"{EMPTY_ROWS} let (x : [n][k]i32) = reshape [n][k] w",
    "let (h : [n * m]i32) = reshape [n * m] a let (x : [n][m]i32) = kernel i < n, l < m do "
    "let (j : i64) = i * m + l let (y : i32) = h[j] in (y)",  # h would be larger than 2^63
]

UNSAFE = {
    "let (x : i64) = k / k": "operator / traps",
    "let (x : i64) = k / n": "operator / traps",
    "let (x : i64) = ~(k / k)": "operator / traps",
    "let (x : i64) = k / k / 2": "operator / traps",
    "let (x : i64) = k / k + 1": "operator / traps",
    "let (x : i64) = k / max(k, 0)": "operator / traps",
    "let (x : i64) = k ** -1": "operator ** traps",
    "let (h : [n]i32) = scratch [n]i32 "
    "let (x : [n]i32) = kernel i < n do let (y : i32) = h[i] in (y)": "never written",
    f"{EMPTY_ROWS} let (x : [0][k]i32) = [] : [k]i32": "size k may be negative",
    "let (x : [n]i32) = kernel i < n do let (v : [n]i32) = xs[i : n] let (y : i32) = v[0] "
    "in (y)": "may be out of bounds",
    "let (x : [n]i32) = kernel i < n do let (j : i64) = i + k let (h : i64) = i "
    "let (y : i32) = xs[j - k + h - i] in (y)": (
        "may be out of bounds"  # of two names, one may wrap
    ),
    "let (v : [k]i32) = flat xs[0 + {(k : 0)}] let (x : [k]i32) = kernel i < k do "
    "let (j : i64) = i + 2 let (y : i32) = v[j - 2] in (y)": (
        "may be out of bounds"  # an array that a view repeats may have 2^63 - 1 elements
    ),
    "let (v : [k]i32) = flat xs[0 + {(k : 0)}] let (x : [k]i32) = kernel i < k do "
    "let (j : i64) = 0 - i - 2 let (y : i32) = v[-2 - j] in (y)": "may be out of bounds",
    "let (x : i64) = 2 ** k": "operator ** traps",
    "let (x : i64) = k / 0": "operator / traps",
    "let (x : i32) = xs[k]": "[k] may be out of bounds",
    "let (x : i32) = xs[0]": "[0] may be out of bounds",
    "let (x : [k]i32) = xs[0 : k]": "may be out of bounds",
    "let (x : [n]i32) = xs[1 : n]": "may be out of bounds",
    "let (x : [k]i64) = iota [k] 0 1": "size k may be negative",
    "let (x : [n - 1]i32) = scratch [n - 1]i32": "may be negative",
    "let (x : [k]i32) = reshape [k] a": "a different number of elements",
    "let (x : [n]i32) = flat xs[1 + {(n : 1)}]": "may be out of bounds of xs",
    "let (x : [n]i32) = xs with flat [1 + {(n : 1)}] = xs": "may be out of bounds of xs",
    "let (x : [n]i32) = xs with flat [0 + {(n : 1) (2 : 0)}] = xs": "address an element twice",
    "let (x : [n]i32) = kernel i < n do let (y : i32) = xs[i + 1] in (y)": "may be out of bounds",
    "let (x : [k]i32) = kernel i < k do in (1i32)": "size k may be negative",
    "let (x : [n]i32) = kernel i < n do let (j : i64) = i + k let (y : i32) = xs[j - k] in (y)": (
        "may be out of bounds"  # i + k wraps around
    ),
    "let (x : [n]i32) = kernel i < n do let (j : i64) = i - k let (y : i32) = xs[j + k] in (y)": (
        "may be out of bounds"
    ),
    "let (x : [n]i32) = kernel i < n do let (j : i64) = i + 4611686018427387904 "
    "let (h : i64) = j + 4611686018427387904 let (y : i32) = xs[h - 9223372036854775807 - 1] "
    "in (y)": "may be out of bounds",
    "let (h : [9]i32) = replicate [9] 1i32 let (x : [9]i32) = kernel i < 9 do "
    "let (j : i64) = i + 4611686018427387904 let (l : i64) = j + 4611686018427387904 "
    "let (y : i32) = h[l - 9223372036854775807 - 1] in (y)": "may be out of bounds",
    "let (x : [n + 1]i32) = reshape [n + 1] xs": "a different number of elements",
    "let (h : [k * k]i32) = replicate [k * k] 1i32 let (x : [k][k]i32) = reshape [k][k] h": (
        "size k may be negative"
    ),
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


def test_a_repeated_element_may_be_at_an_index_near_the_end_of_i64() -> None:
    """There k + 2 wraps around, and so k is no longer that number less 2."""
    p = parse_fun("""\
entry main (n : i64) (k : i64) -> (r : bool) =
  let (low : bool) = k >= 0
  assert low "k"
  let (high : bool) = k < n
  assert high "k"
  let (one : [1]bool) = replicate [1] true
  let (x : [n]bool) = one[0 : n : 0]
  let (j : i64) = k + 2
  let (r1 : bool) = x[j - 2]
  in (r1)
""")
    *before, s = p.entries[0].body.stms
    assert why_traps(s.exp, of_entry(p.entries[0]).after_all(before)) is not None
    assert run(p, "main", (2**63 - 1, 5)) == (True,)
    with pytest.raises(Trap, match="out of bounds"):
        run(p, "main", (2**63 - 1, 2**63 - 2))


def test_a_let_bound_index_is_its_polynomial() -> None:
    s, known = last("let (j : i64) = n - n let (x : [n]i32) = xs[j : n]")
    assert why_traps(s.exp, known) is None


def test_rows_of_an_empty_kernel_may_be_negative() -> None:
    """Its body traps nowhere, and no iteration has shown that k is no negative number."""
    s, known = last(
        f"{EMPTY_ROWS} let (u : [n][k][n]i32) (v : [n]i32) = kernel i < n do "
        "let (a1 : [k][n]i32) = copy w in (a1, 7i32)"
    )
    assert why_traps(s.exp, known) is None
    assert why_statement_traps(s, known) == "size k may be negative"
    assert row_sizes(s) == (var(K), var(N))
    assert row_sizes(s, [Name("v")]) == ()
    assert row_sizes(s, [Name("u")]) == (var(K), var(N))
    other, _ = last("let (x : [n]i32) = iota [n] 0i32 1i32")
    assert row_sizes(other) == ()


def test_a_quotient_is_bounded_and_a_remainder_is_not() -> None:
    q, rest = var(Name("q")), "let (y : i64) = 0"
    _, known = last(f"let (q : i64) = n / 3 {rest}")
    assert known.nonneg(var(N) - q * 3)
    assert known.nonneg(q)
    assert not known.nonneg(var(N) - q * 3 - 1)
    _, known = last(f"let (q : i64) = n % 3 {rest}")
    assert known.nonneg(q)
    assert not known.nonneg(var(N) - q * 3)
    _, known = last(f"let (q : i64) = n / m {rest}")
    assert known.nonneg(q)


@pytest.mark.parametrize(
    ("value", "known"),
    [("max(n, k)", True), ("max(k, 0)", True), ("max(k, -1)", False), ("min(n, k)", False)],
)
def test_the_larger_of_two_is_not_negative_if_one_of_them_is_not(value: str, known: bool) -> None:
    _, facts = last(f"let (q : i64) = {value} let (y : i64) = 0")
    assert facts.nonneg(var(Name("q"))) is known


def test_a_reshaped_vector_has_the_length_that_it_is_given() -> None:
    _, known = last("let (x : [k]i32) = reshape [k] xs let (y : i64) = 0")
    assert known.nonneg(var(K) - var(N))
    assert known.nonneg(var(N) - var(K))
    assert not known.nonneg(var(N) - var(K) - 1)
    assert not known.nonneg(-var(N))


def test_an_assertion_of_a_constant_says_nothing() -> None:
    s, known = last('assert true "x" let (x : i32) = xs[k]')
    assert why_traps(s.exp, known) is not None


def test_what_is_written_down_of_scalars() -> None:
    """Operators, and polynomials of i64 only: other types wrap around elsewhere."""
    _, known = last(
        "let (a1 : i64) = k + 1 let (b : i64) = k let (h : i32) = i32(k) "
        "let (c : i32) = h + h let (y : i64) = 0"
    )
    assert {Name("a1"), Name("c")} <= known.scalars.keys()
    assert Name("b") not in known.scalars
    assert known.values[Name("b")] == var(K)
    assert Name("c") not in known.values


def test_shapes() -> None:
    _, known = last("let (y : i64) = 0")
    assert known.shape(Name("a")) == (var(N), var(M))
    assert known.shape(K) == ()


def test_a_name_that_is_bound_anew_leaves_what_was_known_before() -> None:
    """Code that passes copy has the names that it had, and perhaps other types and homes."""
    x, ix = Name("x"), Lmad(ZERO, ())
    first = PointFacts().binding([Binder(x, I64, Home(Name("b"), ix)), Binder(K, I64, None)])
    assert first.homes.keys() == {x}
    typed = first.binding([Binder(x, F32, None)])
    moved = first.binding([Binder(x, I64, Home(Name("c"), ix))])
    assert (first.types[x], typed.types[x], moved.types[x]) == (I64, F32, I64)
    assert [f.homes[x].block for f in (first, typed, moved)] == ["b", "b", "c"]


def test_a_conjunction_that_is_bound_anew() -> None:
    """``both`` is ``t && …`` first, and ``u && …`` then: what it says is what it is."""
    lets = "let (t : bool) = k > 0 let (u : bool) = k > 7"
    both = "let (both : bool) = if {} then let (e : bool) = k == n in (e) else in (false)"
    s, known = last(f"{lets} {both.format('t')}")
    other, _ = last(f"{lets} {both.format('u')}")
    before, after = known.after(s), known.after(s).after(other)
    assert before.given(Var(Name("both")), True).nonneg(var(K) - 1)
    assert not before.given(Var(Name("both")), True).nonneg(var(K) - 8)
    assert after.given(Var(Name("both")), True).nonneg(var(K) - 8)


def test_what_is_assumed() -> None:
    """A polynomial is known as it is; what was known before is the same object."""
    _, known = last("let (y : i64) = 0")
    assert known.assuming([var(K) - 3]).nonneg(var(K) - 3)
    assert not known.nonneg(var(K) - 3)
    assert known.assuming([]) is known


def test_what_an_operator_sees() -> None:
    """The indices around the innermost dimension, along which it combines."""
    add = "(\\(p : i32) (q : i32) -> let (w : i32) = p + q in (w)) (0i32)"
    s, known = last(f"let (x : [n]i32) = kernel i < n, j < m reduce {add} do in (1i32)")
    operator, body = known.inside(s.exp)
    assert [i for i, _ in operator.facts.indices] == ["i"]
    assert [i for i, _ in body.facts.indices] == ["i", "j"]
    s, known = last(f"let (x : i32) = kernel i < n reduce {add} do in (1i32)")
    operator, _ = known.inside(s.exp)
    assert operator.facts.indices == ()


def test_a_loop_without_an_index() -> None:
    s, known = last("let (g : bool) = true let (x : bool) = loop (c : bool) = g while c do in (c)")
    (inside,) = known.inside(s.exp)
    assert inside.facts == known.facts


ADD = r"(\ (a1 : i32) (b1 : i32) -> let (c1 : i32) = a1 + b1 in (c1))"
ROW = r"(\ (a1 : [n]i32) (b1 : [n]i32) -> let (c1 : [n]i32) = replicate [n] 1i32 in (c1))"

TWO = (
    r"(\ (a1 : i32) (a2 : i32) (b1 : i32) (b2 : i32) -> "
    "let (c1 : i32) = a1 + b1 let (c2 : i32) = a2 + b2 in (c1, c2))"
)
TWO_ROWS = (
    r"(\ (a1 : [n]i32) (a2 : [n]i32) (b1 : [n]i32) (b2 : [n]i32) -> "
    "let (c1 : [n]i32) = replicate [n] 1i32 let (c2 : [n]i32) = replicate [n] 1i32 in (c1, c2))"
)
SOME = "let (g : [n]i32) = scratch [n]i32"

HOLES = [
    "let (h : [n]i32) = scratch [n]i32",
    "let (g : [n]i32) = scratch [n]i32 let (h : [n]i32) = copy g",
    "let (g : [n]i32) = scratch [n]i32 let (h : [n]i32) = g with [0 : 0] = xs",
    "let (g : [n]i32) = scratch [n]i32 "
    "let (h : [n]i32) = loop (y : [n]i32) = g for i < k do in (y)",
    "let (h : [1][n]i32) = kernel i < 1 do let (g : [n]i32) = scratch [n]i32 in (g)",
    "let (h : [n]i32) = loop (y : [n]i32) = xs for i < k do "
    "let (g : [n]i32) = scratch [n]i32 in (g)",
    "let (g : [n]i32) = scratch [n]i32 "
    f"let (h : [n]i32) = kernel i < n hist (g) {ADD} (0i32) do in (7, 1i32)",
    "let (g : [n]i32) = scratch [n]i32 "
    f"let (h : [n]i32) = kernel i < n reduce {ROW} (g) do in (xs)",
    "let (g : [n]i32) = scratch [n]i32 "
    f"let (h : [n][n]i32) = kernel i < n scan {ROW} (g) do in (xs)",
    # one of several
    f"{SOME} let (h : [2][n]i32) = [xs, g] : [n]i32",
    f"{SOME} let (h : [n + n]i32) = concat 0 xs g",
    f"{SOME} let (d : [n]i32) = copy xs let (is : [n]i64) = iota [n] 0 1 "
    "let (h : [n]i32) = scatter d is g",
    f"{SOME} let (is : [n]i64) = iota [n] 0 1 let (h : [n]i32) = scatter g is xs",
    f"{SOME} let (h : [n]i32) (h2 : [n]i32) = kernel i < n reduce {TWO_ROWS} (xs, g) do "
    "in (xs, xs)",
    f"{SOME} let (d : [n]i32) = copy xs "
    f"let (h : [n]i32) (h2 : [n]i32) = kernel i < n hist (d, g) {TWO} (0i32, 0i32) do "
    "in (7, 1i32, 1i32)",
    f"{SOME} let (d : [n][n]i32) = replicate [n] xs let (d2 : [n][n]i32) = replicate [n] xs "
    f"let (h : [n][n]i32) (h2 : [n][n]i32) = kernel i < n hist (d, d2) {TWO_ROWS} (xs, g) do "
    "in (7, xs, xs)",
    f"{SOME} let (h : [n]i32) (h2 : [n]i32) = loop (y : [n]i32) = xs, (z : [n]i32) = g "
    "for i < k do in (xs, xs)",
    f"{SOME} let (t : bool) = k > 0 let (h : [n]i32) = if t then in (g) else in (xs)",
    f"{SOME} let (t : bool) = k > 0 "
    "let (h : [n]i32) (h2 : [n]i32) = if t then in (xs, g) else in (xs, xs)",
]

WHOLE = [
    "let (d : [n]i32) = copy xs let (is : [n]i64) = iota [n] 0 1 "
    "let (h : [n]i32) = scatter d is xs",
    "let (h : [n + n]i32) = concat 0 xs xs",
    "let (h : [n]i32) = copy xs",
    "let (h : [n]i32) = loop (y : [n]i32) = xs for i < k do let (z : [n]i32) = copy y in (z)",
    "let (h : [n]i32) = kernel i < n do let (g : i32) = xs[i] in (g)",
    "let (g : [n]i32) = copy xs "
    f"let (h : [n]i32) = kernel i < n hist (g) {ADD} (0i32) do in (7, 1i32)",
    f"let (h : [n]i32) = kernel i < n reduce {ROW} (xs) do in (xs)",
]


@pytest.mark.parametrize("stms", HOLES)
def test_may_have_elements_that_were_never_written(stms: str) -> None:
    read = "let (x : [1]i32) = [0i32] : i32"
    _, known = last(f"{stms} {read}")
    assert "h" in known.uninitialised


@pytest.mark.parametrize("stms", WHOLE)
def test_is_written_completely(stms: str) -> None:
    _, known = last(f"{stms} let (x : [1]i32) = [0i32] : i32")
    assert "h" not in known.uninitialised


def test_an_operator_may_be_given_anything() -> None:
    """If anything was never written."""
    made = f"let (x : [n]i32) = kernel i < n reduce {ROW} (xs) do in (xs)"
    s, known = last(made)
    assert not any(inside.uninitialised for inside in known.inside(s.exp))
    s, known = last(f"{SOME} {made}")
    operator, body = known.inside(s.exp)
    assert {"a1", "b1"} <= set(operator.uninitialised)
    assert "xs" not in body.uninitialised


def test_who_reads_what_was_never_written() -> None:
    """A scatter reads its indices, a histogram the buckets that it adds to; of arrays in buckets
    its operator reads the elements, or does not.
    """
    scatter = "let (x : [n]i32) = scatter d h v"
    hist = f"let (x : [n]i32) = kernel i < n hist (h) {ADD} (0i32) do in (7, 1i32)"
    rows = f"let (x : [k][n]i32) = kernel i < n hist (h) {ROW} (xs) do in (7, xs)"
    some = "let (d : [n]i32) = copy xs let (v : [2]i32) = replicate [2] 1i32"
    for made, s, reads in (
        (f"{some} let (h : [2]i64) = scratch [2]i64", scatter, True),
        (f"{some} let (h : [2]i64) = replicate [2] 0", scatter, False),
        ("let (h : [n]i32) = scratch [n]i32", hist, True),
        ("let (h : [n]i32) = copy xs", hist, False),
        ("let (h : [k][n]i32) = scratch [k][n]i32", rows, False),
    ):
        stm, known = last(f"{made} {s}")
        why = why_traps(stm.exp, known)
        assert (why == "h may have elements that were never written") is reads, (made, s)
        assert (why is None) is not reads


@pytest.mark.parametrize(("made", "hole"), [("scratch [n]i32", True), ("copy xs", False)])
def test_code_from_elsewhere_is_searched(made: str, hole: bool) -> None:
    """Statements that passes have made are not in the program that ``of_entry`` has seen."""
    _, known = last("let (g : [n]i32) = scratch [n]i32 let (y : i64) = 0")
    s, _ = last(f"let (h9 : [n]i32) = {made}")
    assert (Name("h9") in known.after(s).uninitialised) is hole
    loop, _ = last(
        f"let (h9 : [n]i32) = {made} "
        "let (h8 : [n]i32) = loop (p : [n]i32) = h9 for i < n do let (d : i32) = p[i] in (p)"
    )
    (inside,) = known.after(s).inside(loop.exp)
    assert (Name("p") in inside.uninitialised) is hole


@pytest.mark.parametrize(("made", "hole"), [("scratch [n]i32", True), ("copy xs", False)])
def test_a_loop_may_return_what_it_began_with(made: str, hole: bool) -> None:
    """Without iterations it does, whatever its body makes."""
    _, known = last(
        f"let (h : [n]i32) = {made} "
        "let (x : [n]i32) = loop (p : [n]i32) = h for i < n do let (q : [n]i32) = copy xs in (q) "
        "let (e : i32) = xs[0]"
    )
    assert ("x" in known.uninitialised) is hole


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
        ("i * i", "n*n - 2*n + 1"),
        ("i * i - m * i", None),
        ("(n - i) * i * i", None),
    ],
)
def test_upper_bound(size: str, expected: str | None) -> None:
    assert bound(size) == expected


def test_bounds_of_two_indices() -> None:
    j = Name("j")
    dims = ((I, var(N)), (j, var(I) + 1))
    found = upper_bound(var(I) + var(j), dims, of_entry(entry()))
    assert found == var(N) * 2 - 2
    assert upper_bound(const(7), (), PointFacts()) == const(7)
    assert upper_bound(ZERO, dims, PointFacts()) == ZERO


def test_an_index_in_one_name() -> None:
    """What is far from the name, or a product of it, may have wrapped around on the way there."""
    m = var(Name("m"))
    for good in (var(K), 3 * var(K) - 7, var(K) + FAR):
        assert one_name(good)
    for bad in (var(K) * var(K), var(K) * var(K) + var(K), var(K) + m, const(3)):
        assert not one_name(bad)
    for bad in ((FAR + 1) * var(K), var(K) + FAR + 1, var(K) - FAR - 1):
        assert not one_name(bad)
