"""O4 of funmem verify: a program in which nothing is overwritten that is needed, and beside it one
that differs in a place, in which something is.
"""

import pytest

from funmem.ir.text import parse_fun
from funmem.passes.verify import Kind, Obligation, Verdict, verify


def of_writes(text: str) -> list[Obligation]:
    """What is said of each place that writes."""
    return [o for o in verify(parse_fun(text)).obligations if o.kind is Kind.NOT_CLOBBERED]


def still_open(text: str) -> list[str]:
    """The writes that are not proved to be harmless."""
    return [o.place for o in of_writes(text) if o.verdict is not Verdict.PROVED]


HEAD = """\
entry main [n] [a : mem] (k : i64) (m : i64) (t : i64) (d : bool) (xs : [n]i32 @ a -> 0 + {(n : 1)})
    -> (r : i32) =
  let (b : mem) = alloc 4*n
  let (x : [n]i32 @ b -> 0 + {(n : 1)}) = copy xs
"""
READ = " let (e{0} : i32) = x[k] in (e{0})"
NOTHING = " in (0i32)"


@pytest.mark.parametrize(
    ("cond", "then", "orelse", "fine"),
    [
        ("k < m", READ, NOTHING, True),
        ("k < m", READ, READ, False),
        ("k >= m", NOTHING, READ, True),
        ("k >= m", READ, READ, False),
    ],
)
def test_what_two_branches_read_is_needed_in_both_cases(
    cond: str, then: str, orelse: str, fine: bool
) -> None:
    """Where only one reads element k, its condition says that it is not m."""
    text = f"""{HEAD}
  let (y : [1]i32 @ b -> m + {{(1 : 1)}}) = replicate [1] 7i32
  let (c : bool) = {cond}
  let (e : i32) = if c then{then.format(1)} else{orelse.format(2)}
  in (e)
"""
    assert still_open(text) == ([] if fine else ["replicate to y"])


@pytest.mark.parametrize(
    ("other", "fine"), [("", True), ("let (z : [n]i32 @ o -> 0 + {(n : 1)}) = copy x", False)]
)
@pytest.mark.parametrize("first", [True, False])
def test_what_one_branch_replaces_the_other_may_read(first: bool, other: str, fine: bool) -> None:
    """An element that an update will put there is built in its place."""
    one = """
    let (y : [n]i32 @ b -> 0 + {(n : 1)}) = x with [k : 1 : 1] = v
    let (w : [n]i32 @ o -> 0 + {(n : 1)}) = copy y in (0i32)"""
    then, orelse = (one, f" {other} in (0i32)")[:: 1 if first else -1]
    text = f"""{HEAD}
  let (o : mem) = alloc 4*n
  let (v : [1]i32 @ b -> k + {{(1 : 1)}}) = replicate [1] 7i32
  let (e : i32) = if d then{then} else{orelse}
  in (e)
"""
    assert still_open(text) == ([] if fine else ["replicate to v"])


def test_a_result_is_needed_to_the_end() -> None:
    text = """\
entry main [n] [a : mem] (xs : [n]i32 @ a -> 0 + {(n : 1)})
    -> [o : mem] (r : [n]i32 @ o -> 0 + {(n : 1)}) =
  let (b : mem) = alloc 4*n
  let (x : [n]i32 @ b -> 0 + {(n : 1)}) = copy xs
  let (y : [n]i32 @ b -> 0 + {(n : 1)}) = replicate [n] 1i32
  in (b, x)
"""
    (found,) = [o for o in of_writes(text) if o.verdict is not Verdict.PROVED]
    assert found.place == "replicate to y"
    assert "the result needs x at b -> 0 + {(n : 1)}, and y is written at b -> " in found.why


BUILT = f"""{HEAD}
  let (v : [m]i32 @ b -> k + {{(m : 1)}}) = replicate [m] 7i32
  let (u : [m]i32 @ b -> k + m - 1 + {{(m : -1)}}) = reverse 0 v
  let (p : [2]i32 @ a -> 0 + {{(2 : 1)}}) = xs[0 : 2 : 1]
  let (u1 : [m]i32 @ b -> k + m - 1 + {{(m : -1)}}) = u with [0 : 2 : t] = p
  let (v1 : [m]i32 @ b -> AT + {{(m : 1)}}) = reverse 0 u1
  let (y : [n]i32 @ b -> 0 + {{(n : 1)}}) = x with [k : m : 1] = v1
  let (o : mem) = alloc 4*n
  let (z : [n]i32 @ o -> 0 + {{(n : 1)}}) = copy y
  in (0i32)
""".replace("AT", "k")


def test_part_of_what_an_update_replaces_may_be_written_before() -> None:
    """However it is shown: the array that it is a part of lies where the update puts it."""
    assert still_open(BUILT) == []
    elsewhere = BUILT.replace("[k : m : 1] = v1", "[k + 1 : m : 1] = v1")
    assert "update to u1" in still_open(elsewhere)


LOOP = f"""{HEAD}
  let (v : [1]i32 @ b -> k + {{(1 : 1)}}) = replicate [1] 7i32
  let (w : [1]i32 @ b -> k + {{(1 : 1)}}) =
    loop (q : *[1]i32 @ b -> k + {{(1 : 1)}}) = v for i < m do
      let (q1 : [1]i32 @ b -> k + {{(1 : 1)}}) = q with [0] = 3i32
      in (q1)
  let (y : [n]i32 @ b -> 0 + {{(n : 1)}}) = x with [AT : 1 : 1] = w
  let (o : mem) = alloc 4*n
  let (z : [n]i32 @ o -> 0 + {{(n : 1)}}) = copy y
  in (0i32)
"""


@pytest.mark.parametrize(("at", "wrong"), [("k", []), ("t", ["update to q1", "replicate to v"])])
def test_what_a_loop_builds_in_its_place(at: str, wrong: list[str]) -> None:
    """Each write is judged once, though loops are walked more than once."""
    text = LOOP.replace("AT", at)
    assert still_open(text) == wrong
    places = [o.place for o in of_writes(text)]
    assert len(places) == len(set(places))
