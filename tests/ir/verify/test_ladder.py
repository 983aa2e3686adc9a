"""The questions of funmem verify about numbers and places, one rung at a time.

Protects ``ir/verify/ladder.py``, ``monotone.py`` and ``origins.py``: what is proved holds for
all small values, the rung and the condition are those that a certificate names, and what must stay
open does.
"""

import pytest

from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.sizes import Size, SizeLike, const, var
from funmem.ir.text import parse_fun
from funmem.ir.verify.certificate import Apart, Nonneg, NoRepeat, Open, Proof, Step, Within
from funmem.ir.verify.ladder import Ladder, rewritten, separated
from funmem.ir.verify.monotone import nonneg_by_ends
from funmem.ir.verify.origins import Origins
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.spot import Spot
from tests.support.disjoint_symbolic import instances, points

N, M, K, S, I0, J, B = (Name(x) for x in ("n", "m", "k", "s", "i", "j", "b"))
n, m, k, s, i, j = (var(x) for x in (N, M, K, S, I0, J))
SIZES = Facts().with_nonneg(n).with_nonneg(m)
SOME = Facts().with_nonneg(n - 1).with_nonneg(m - 1)
BELOW = SOME.with_index(I0, n).with_index(J, n - i)


def lmad(offset: SizeLike, *dims: tuple[SizeLike, SizeLike]) -> Lmad:
    return Lmad(Size.of(offset), tuple(Dim(Size.of(c), Size.of(s)) for c, s in dims))


def at(x: Lmad, size: int = 4) -> Spot:
    return Spot(B, x, size)


def ladder(*, seen: Size | None = None) -> Ladder:
    """Of a program of which nothing is known, but perhaps what ``s`` is."""
    p = parse_fun("entry main (n : i64) -> (r : i64) =\n  let (r1 : i64) = n\n  in (r1)\n")
    scene = Scene.of_entry(p.entries[0])
    scene.exact.clear()
    if seen is not None:
        scene.exact[S] = seen
    return Ladder(scene)


# ---------------------------------------------------------------------- inequalities


@pytest.mark.parametrize(
    ("p", "facts"),
    [
        (2 * j * n, SOME.with_index(I0, m).with_index(J, n - i)),
        (n * n + n - i * i, SOME.with_index(I0, n).with_index(J, n)),
        (m * m - 2 * m + n + 1 - i * i, SOME.with_index(I0, m).with_index(J, n)),
        (j * n - i * j, BELOW),
        # the other end of j's range may be that of an empty one
        (n - i - j - 2, SOME.with_index(I0, n).with_index(J, n - i - 1)),
        # the same, where the rest is concave
        (i * (n - 1 - i) + j, SOME.with_index(I0, n).with_index(J, n - i - 1)),
        (i * (n - 1 - i) + n - i - j - 2, SOME.with_index(I0, n).with_index(J, n - i - 1)),
        # the constant of what is assumed
        (k * n * m - 3 * k, SIZES.with_nonneg(k).assuming(n * m - 3)),
        (2 * k * n * m - 5 * k, SIZES.with_nonneg(k).assuming(n * m - 3)),
    ],
    ids=str,
)
def test_never_negative(p: Size, facts: Facts) -> None:
    assert all(p.eval(v.__getitem__) >= 0 for v in instances(facts, 4, (N, M, K)))
    assert nonneg_by_ends(p, facts)


@pytest.mark.parametrize(
    ("p", "facts"),
    [
        (n - i * i, SIZES.with_index(I0, n)),
        (2 * n * i - i * i - 1, SIZES.with_nonneg(n - 2).with_index(I0, n)),
        (-i, SIZES.with_index(I0, n)),
        (-i * n, SIZES.with_index(I0, n)),
        # a slope of unknown sign: one of the ends is not enough
        (i * (m - n), SIZES.with_index(I0, n)),
        ((i - n + 1) * (n - m), SIZES.with_index(I0, n)),
        # convex, and negative between the ends
        (i * i - (n - 1) * i, SIZES.with_index(I0, n)),
        (4 * k - k * n * m, SIZES.with_nonneg(k).assuming(n * m - 3)),
    ],
    ids=str,
)
def test_perhaps_negative(p: Size, facts: Facts) -> None:
    assert any(p.eval(v.__getitem__) < 0 for v in instances(facts, 4, (N, M, K)))
    assert not nonneg_by_ends(p, facts)


def test_a_factor_may_be_negative() -> None:
    """``n * m >= 3`` says nothing of ``k * n * m - 3 * k``, unless k is not negative."""
    assert not nonneg_by_ends(k * n * m - 3 * k, SIZES.assuming(n * m - 3))
    assert not nonneg_by_ends(k * n * (n * m) - 3 * k * n, SIZES.assuming(n * m - 3))


# ---------------------------------------------------------------------- two places


@pytest.mark.parametrize(
    ("a", "b", "facts", "step"),
    [
        (lmad(n, (-m, 1)), lmad(n), SIZES, Step.INTERVALS),
        (lmad(1, (-m, 1)), lmad(n), SIZES, Step.INTERVALS),
        (lmad(0, (2, 3)), lmad(1, (2, 1)), SIZES, Step.CONSTANTS),
        (lmad(0, (2, 3)), lmad(2, (2, 1)), SIZES, None),
        (lmad(0, (n, 2 * k)), lmad(1, (m, 4 * k)), Facts(), Step.DIVISORS),
        (lmad(0, (n, 2 * k)), lmad(2, (m, 4 * k)), Facts(), None),
        (lmad(6), lmad(8, (i, 4)), BELOW, Step.INTERVALS),
        (lmad(2 * i + 2), lmad(3), BELOW, Step.DIVISORS),
        (lmad(j + 1), lmad(j, (i - j, n)), SOME.with_index(I0, n).with_index(J, m),
         Step.DIMENSIONS),
        (lmad(i * m + m * m + 1), lmad(2 * i * m, (m - j, 1)),
         SOME.with_nonneg(m - 2).with_index(I0, m).with_index(J, n - i), Step.INTERVALS),
        (lmad(i * (n - 1 - i) + 1), lmad(0), SOME.with_index(I0, n), Step.INTERVALS),
        (lmad(0), lmad(i * (n - 1 - i) + 1), SOME.with_index(I0, n), Step.INTERVALS),
        (lmad(i + 1), lmad(2 * i), SOME.with_index(I0, n * m), None),
        (lmad(n), lmad(n, (m, 1)), SIZES, None),
    ],
    ids=str,
)  # fmt: skip
def test_the_rung_that_separates(a: Lmad, b: Lmad, facts: Facts, step: Step | None) -> None:
    assert separated(a, b, facts) is step
    met = [v for v in instances(facts, 3, (N, M, K)) if set(points(a, v)) & set(points(b, v))]
    assert bool(met) == (step is None)


def test_names_are_seen_through_if_that_is_needed() -> None:
    ask = ladder(seen=n)
    assert list(ask.spellings(lmad(n), lmad(m), SIZES)) == [(lmad(n), lmad(m), SIZES)]
    assert [a for a, _, _ in ask.spellings(lmad(s), lmad(m), SIZES)] == [lmad(s), lmad(n)]
    about = SIZES.with_nonneg(s)
    assert [f for _, _, f in ask.spellings(lmad(n), lmad(m), about)] == [about, SIZES]
    found = ask.apart(at(lmad(0, (s, 1))), at(lmad(n, (m, 1))), SIZES)
    assert found == Proof(Step.INTERVALS, Apart(lmad(0, (n, 1)), lmad(n, (m, 1)), SIZES))


def test_what_stays_open_is_named_as_it_is_spelt() -> None:
    """With values at which it fails, if there are; else what was not decided."""
    x, y = lmad(0, (s, 1)), lmad(n - 1, (m, 1))
    facts = SIZES.with_nonneg(s)
    found = ladder(seen=n).apart(at(x), at(y), facts)
    assert isinstance(found, Open)
    assert found.condition == Apart(x, y, facts)
    assert found.why.endswith(" both have element 1")
    assert dict(found.hint).keys() == {S, N, M}
    sign = ladder().apart(at(lmad(0, (n, k))), at(lmad(1, (m, k))), Facts().assuming(k * k - 2))
    assert isinstance(sign, Open)
    assert sign.why == "the sign of stride k is unknown"
    far = ladder().apart(at(lmad(0, (2 * n * m, 1))), at(lmad(n * n + m * m, (n, 1))), SIZES)
    assert isinstance(far, Open)
    assert far.why.startswith("not proved that -m*m - n*n + [-n + 1 .. 2*m*n - 1]*(1) is never")


def test_where_an_index_has_no_values_nothing_meets() -> None:
    x = at(lmad(i))
    assert isinstance(ladder().apart(x, x, SIZES.with_index(I0, const(0))), Proof)
    assert isinstance(ladder().apart(x, x, SIZES.with_index(I0, const(1))), Open)


def test_the_first_oracle_that_knows_is_believed() -> None:
    scene = ladder().scene
    x, y = at(lmad(0, (n, 1))), at(lmad(1, (m, 1)))
    assert isinstance(Ladder(scene).apart(x, y, SIZES), Open)
    assert isinstance(Ladder(scene, (lambda _: None,)).apart(x, y, SIZES), Open)
    found = Ladder(scene, (lambda _: None, lambda _: Step.Z3)).apart(x, y, SIZES)
    assert found == Proof(Step.Z3, Apart(x.ix, y.ix, SIZES))


def test_elements_of_different_sizes_are_compared_byte_by_byte() -> None:
    small, large = at(lmad(0, (2 * n, 1)), 4), at(lmad(n, (m, 1)), 8)
    found = ladder().apart(small, large, SIZES)
    assert isinstance(found, Proof)
    assert found.condition == Apart(lmad(0, (2 * n, 4), (4, 1)), lmad(8 * n, (m, 8), (8, 1)), SIZES)
    assert isinstance(ladder().apart(at(lmad(0, (n, 1)), 8), at(lmad(n, (m, 1)), 4), SIZES), Open)
    same = ladder().apart(at(lmad(0, (n, 1))), at(lmad(n, (m, 1))), SIZES)
    assert isinstance(same, Proof)
    assert same.condition == Apart(lmad(0, (n, 1)), lmad(n, (m, 1)), SIZES)
    assert at(lmad(n, (m, 3)), 1).over_bytes == lmad(n, (m, 3))


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (lmad(n, (m, 3)), lmad(n, (m, 3)), True),
        (lmad(s, (m, 3)), lmad(n, (m, 3)), True),
        (lmad(n, (1, 3), (m, 1)), lmad(n, (1, 5), (m, 1)), True),
        (lmad(n, (1, 3), (m, 1)), lmad(n, (1, 3), (m, 2)), False),
        (lmad(n, (m, 3)), lmad(n, (m, 5)), False),
        (lmad(n, (m, 3)), lmad(n + 3, (m, 3)), False),
        (lmad(n, (m, 3)), lmad(n, (m, 3), (1, 1)), False),
    ],
    ids=str,
)
def test_one_function(a: Lmad, b: Lmad, same: bool) -> None:
    """Strides of dimensions with one index do not matter, all others do."""
    ask = ladder(seen=n)
    assert (ask.same(a, b, SIZES) is not None) == same
    found = ask.same_or_apart(at(a), at(b), SIZES)
    assert isinstance(found, Proof) == same
    if a == b:
        assert found == Proof(Step.NORMAL_FORM, Within(a, b, SIZES))


@pytest.mark.parametrize(
    ("a", "b", "facts", "inside"),
    [
        (lmad(n, (m, 3)), lmad(n, (m, 3)), SIZES, True),
        (lmad(i * m, (m, 1)), lmad(0, (n, m), (m, 1)), SIZES.with_index(I0, n), True),
        (lmad(i * m + 1, (m, 1)), lmad(0, (n, m), (m, 1)), SIZES.with_index(I0, n), False),
        (lmad(i * m), lmad(0, (n, m), (n, 1)), SOME.with_index(I0, n), True),
        (lmad(i, (m, n)), lmad(0, (m, n), (n, 1)), SOME.with_index(I0, n), True),
        (lmad(i, (m, n)), lmad(0, (m, n), (n - 1, 1)), SOME.with_index(I0, n), False),
        (lmad(0, (-n, 1)), lmad(7), SIZES, True),
        (lmad(0, (n, 1)), lmad(7), SOME, False),
        (lmad(0, (n + 1, 1)), lmad(0, (n, 1)), SOME, False),
        (lmad(0, (n, 1), (2, 1)), lmad(0, (n, 1)), SOME, False),
        (lmad(3, (n, 1), (1, 5)), lmad(3, (n, 1)), SOME, True),
        (lmad(4, (n, 1)), lmad(3, (n, 1), (2, 0)), SOME, False),
        (lmad(3, (n, 1)), lmad(3, (n, 1), (2, 0)), SOME, True),
        (lmad(n - 1), lmad(0, (n, 1)), SOME, True),
        (lmad(n), lmad(0, (n, 1)), SOME, False),
        (lmad(m, (n, 2)), lmad(0, (n, 1)), SOME, False),
    ],
    ids=str,
)
def test_one_place_inside_another(a: Lmad, b: Lmad, facts: Facts, inside: bool) -> None:
    assert isinstance(ladder().within(at(a), at(b), facts), Proof) == inside
    truth = all(set(points(a, v)) <= set(points(b, v)) for v in instances(facts, 4))
    assert truth == inside


def test_the_same_place_is_inside_itself() -> None:
    """As a normal form, also where a stride has no known sign."""
    found = ladder().within(at(lmad(0, (n, k))), at(lmad(0, (n, k))), SIZES)
    assert found == Proof(Step.NORMAL_FORM, Within(lmad(0, (n, k)), lmad(0, (n, k)), SIZES))


# ---------------------------------------------------------------------- one place


@pytest.mark.parametrize(
    ("x", "step"),
    [
        (lmad(n), Step.NORMAL_FORM),
        (lmad(0, (n, 1)), Step.NORMAL_FORM),
        (lmad(0, (1, 7)), Step.NORMAL_FORM),
        (lmad(0, (n, 2)), Step.DIMENSIONS),
        (lmad(0, (n, m), (m, 1)), Step.DIMENSIONS),
        (lmad(0, (n, 0)), None),
    ],
    ids=str,
)
def test_no_element_twice(x: Lmad, step: Step | None) -> None:
    found = ladder().no_repeat(x, SIZES)
    assert (found.step if isinstance(found, Proof) else None) is step
    assert found.condition == NoRepeat(x, SIZES)


def test_what_is_not_negative() -> None:
    """By the names as they are, by what they stand for, or at the ends of ranges."""
    assert ladder().nonneg(const(0), SIZES) == Proof(Step.NORMAL_FORM, Nonneg(const(0), SIZES))
    assert isinstance(ladder().nonneg(const(-1), SIZES), Open)
    facts = Facts().with_nonneg(s)
    ask = ladder(seen=n - 5)
    assert ask.nonneg(s, facts) == Proof(Step.INTERVALS, Nonneg(s, facts))
    assert ask.nonneg(s + 5, SIZES) == Proof(Step.INTERVALS, Nonneg(n, SIZES))
    assert isinstance(ask.nonneg(s, SIZES), Open)
    assert isinstance(ladder().nonneg(i * (n - 1 - i), SOME.with_index(I0, n)), Proof)
    triangle = SOME.with_index(I0, n).with_index(J, n - i - 1)
    assert isinstance(ladder().nonneg(n - i - j - 2, triangle), Proof)
    assert isinstance(ladder().nonneg(n - i - j - 3, triangle), Open)


def test_the_ends_of_a_place() -> None:
    """Of a descending dimension the last element is the least."""
    facts = SIZES.with_nonneg(k)
    assert ladder().ends(lmad(n, (m, 3), (k, -2)), facts) == (n - 2 * (k - 1), n + 3 * (m - 1))
    assert ladder().ends(lmad(n, (m, k)), SIZES) == k


def test_facts_about_what_names_stand_for() -> None:
    """All that is said of a name is said of its image; other facts stay."""
    image = {S: n + 1}
    assert rewritten(SIZES, image) is SIZES
    least = Facts().with_nonneg(m).with_nonneg(s - 3)
    assert rewritten(least, image) == Facts().with_nonneg(m).with_nonneg(n - 2)
    assumed = Facts().with_nonneg(m).assuming(m * m - m * s)
    found = rewritten(assumed, image)
    assert found.assumed == (m * m - m * n - m,)
    assert found.least == ((M, 0),)
    ranged = Facts(((I0, s),), ((M, 0),))
    assert rewritten(ranged, image) == Facts(((I0, n + 1),), ((M, 0),))


# ---------------------------------------------------------------------- chains of views

CHAINS = """\
entry main [n] [a : mem] (c : bool) (k : i64) (x : *[n]i32 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (b : mem) = alloc 4*n
  let (y : [n]i32 @ b -> 0 + {(n : 1)}) = copy x
  let (odd : [n]i32 @ a -> 0 + {(n : 2)}) = x[0 : n : 2]
  let (back : [n]i32 @ a -> 0 + {(n : -1)}) = x[0 : n : -1]
  let (one : [n]i32 @ a -> 0 + {(n : 0)}) = x[0 : n : 0]
  let (short : [1]i32 @ a -> 0 + {(1 : 0)}) = x[0 : 1 : 0]
  let (again : [n]i32 @ a -> 0 + {(n : 0)}) = one[0 : n : 1]
  let (some : [n]i32 @ a -> 0 + {(n : k)}) = x[0 : n : k]
  let (m1 : mem) (z : [n]i32 @ m1 -> 0 + {(n : 1)}) = if c then in (a, x) else in (b, y)
  let (v : [1]i32 @ m1 -> 0 + {(1 : 1)}) = z[0 : 1 : 1]
  let (q1 : i64) (w : [n]i32 @ a -> 0 + {(n : q1)}) = if c then in (0, one) else in (1, x)
  let (far : [n]i32 @ a -> 0 + {(n : n)}) = x[0 : n : n]
  let (h : i64) = k % 2
  let (few : [h]i32 @ a -> 0 + {(h : 0)}) = x[0 : h : 0]
  let (q2 : i64) (e : [n]i32 @ a -> 0 + {(n : q2)}) = if c then in (1, x) else in (2, odd)
  let (f : [n]i32 @ a -> 0 + {(n : q2)}) = e[0 : n : 1]
  let (rows : [n][2]i32 @ b -> 0 + {(n : 2) (2 : 1)}) = scratch [n][2]i32
  let (still : [n][2]i32 @ b -> 0 + {(n : 2) (2 : 0)}) = rows[0 : n : 1, 0 : 2 : 0]
  let (g : [n]i32 @ a -> 0 + {(n : 1)}) =
    loop (t : [n]i32 @ a -> 0 + {(n : 1)}) = x for i2 < k do
      let (t1 : [n]i32 @ a -> 0 + {(n : 1)}) = t[0 : n : 1]
      in (t1)
  let (m2 : mem) (l : [n]i32 @ m2 -> 0 + {(n : 1)}) =
    loop (p2 : mem) = a, (p : [n]i32 @ p2 -> 0 + {(n : 1)}) = x for i < k do
      let (o_mem : mem) = alloc 4*n
      let (o : [n]i32 @ o_mem -> 0 + {(n : 1)}) = copy p
      in (o_mem, o)
  let (u : [n]i32 @ b -> 0 + {(n : 1)}) = y with [0] = 1i32
  in (0i32)
"""


VIEWS = """\
entry main [n] [a : mem] (x : [n]i32 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (y1 : [n]i32 @ a -> 0 + {(n : 1)}) = x[0 : n : 1]
  let (y2 : [n]i32 @ a -> 0 + {(n : 1)}) = y1[0 : n : 1]
  in (0i32)
"""


def chains() -> Origins:
    return Origins(Scene.of_entry(parse_fun(CHAINS).entries[0]))


def test_whose_elements_an_array_may_show() -> None:
    origins = chains()
    want = {
        "x": "x", "y": "y", "odd": "x", "again": "x", "z": "x y", "v": "x y", "w": "x",
        "l": "o x", "p": "o x", "u": "y", "g": "x",
    }  # fmt: skip
    for x, ends in want.items():
        assert origins.of(Name(x)).keys() == {Name(y) for y in ends.split()}, x
    assert Name("q1") not in origins.shown


def test_which_names_may_have_changed_since_an_array_was_made() -> None:
    """Those that are bound in a loop which has handed it on; a branch changes nothing."""
    origins = chains()
    for x, names in {"z": "", "l": "p2 p i o_mem o", "p": "p2 p i o_mem o", "g": "t t1 i2"}.items():
        for y, others in origins.of(Name(x)).items():
            assert others == {Name(z) for z in names.split()}, (x, y)


def test_whose_place_is_chosen() -> None:
    """By a branch or an iteration, and so is that of a view of it."""
    origins = chains()
    arrays = "x y odd again u z v w l p e f g"
    chosen = [x for x in arrays.split() if origins.is_chosen(Name(x))]
    assert " ".join(chosen) == "z v w l p e f g"
    assert not Origins(Scene.of_entry(parse_fun(VIEWS).entries[0])).is_chosen(Name("y2"))


def test_which_arrays_show_no_element_twice() -> None:
    """Views keep that, unless they stand still; of two branches both have to."""
    origins = chains()
    arrays = "one again some w still x y odd back short far few e f g z v l p u"
    twice = [x for x in arrays.split() if not origins.shows_once(Name(x))]
    assert " ".join(twice) == "one again some w still"
