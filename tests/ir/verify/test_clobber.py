"""O4 of funmem verify: a program in which nothing is overwritten that is needed, and beside it one
that differs in a place, in which something is.
"""

import pytest

from funmem.ir.text import parse_fun
from funmem.ir.verify import Kind, Obligation, Verdict, verify
from funmem.verify.replay import fault_of


def of_writes(text: str) -> list[Obligation]:
    """What is said of each place that writes."""
    found = verify(parse_fun(text)).obligations
    assert all(o.entry for o in found), "ill typed"
    return [o for o in found if o.kind is Kind.NOT_CLOBBERED]


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


MORE = f"""{HEAD}
  let (o : mem) = alloc 4*n
"""
REPLACED = f"""{MORE}
  let (g : [1]i32 @ b -> AT + {{(1 : 1)}}) = replicate [1] 7i32
  let (v : [2]i32 @ b -> k + {{(2 : 1)}}) = replicate [2] 7i32
  let (y : [n]i32 @ b -> 0 + {{(n : 1)}}) = x with [k : 2 : 1] = v
  let (z : [n]i32 @ o -> 0 + {{(n : 1)}}) = copy y
  in (0i32)
"""


@pytest.mark.parametrize(("at", "fine"), [("k + 1", True), ("n", True), ("k + 2", False)])
def test_what_will_be_replaced_may_be_overwritten(at: str, fine: bool) -> None:
    """By an array that has nothing to do with the update; as may what is outside of the array."""
    assert still_open(REPLACED.replace("AT", at)) == ([] if fine else ["replicate to g"])


CHOSEN = f"""{MORE}
  let (f : i64) (p : [1]i32 @ o -> f + {{(1 : 1)}}) = if d then
      let (t1 : [1]i32 @ o -> 0 + {{(1 : 1)}}) = replicate [1] 1i32
      let (u : [1]i32 @ o -> AT + {{(1 : 1)}}) = replicate [1] 2i32
      in (0, t1)
    else
      let (t2 : [1]i32 @ o -> 1 + {{(1 : 1)}}) = replicate [1] 3i32
      in (1, t2)
  let (e : i32) = p[0]
  in (e)
"""


@pytest.mark.parametrize(("at", "wrong"), [("1", []), ("0", ["replicate to u"])])
def test_an_array_that_is_chosen_lies_where_its_branch_made_it(at: str, wrong: list[str]) -> None:
    assert still_open(CHOSEN.replace("AT", at)) == wrong


# ---------------------------------------------------------------------- loops

WALK = f"""{MORE}
  let (w : i32) = loop (l : i32) = 0i32 for i < n do
    let (e : i32) = x[READ]
    let (y : [1]i32 @ b -> WRITTEN + {{(1 : 1)}}) = replicate [1] 7i32
    in (e)
  in (w)
"""


@pytest.mark.parametrize(
    ("read", "written", "fine"),
    [
        ("i", "i", True),
        ("i", "i + 1", False),
        ("i", "n", True),
        ("i", "n - 1", False),
        ("i + 1", "i", True),
        ("i - 1", "i", False),
        ("n - 1 - i", "i", False),
        ("n - 1 - i", "n - 1 - i", True),
        ("k", "i", False),
        ("i", "2 - n", True),
    ],
)
def test_what_later_iterations_read_is_needed(read: str, written: str, fine: bool) -> None:
    """An iteration may overwrite what it and earlier ones have read."""
    found = still_open(WALK.replace("READ", read).replace("WRITTEN", written))
    assert found == ([] if fine else ["replicate to y"])


NESTED = f"""{MORE}
  let (w : i32) = loop (l : i32) = 0i32 for i < n do
    let (w1 : i32) = loop (l1 : i32) = 0i32 for j < 3 do
      let (e : i32) = x[READ]
      let (y : [1]i32 @ b -> WRITTEN + {{(1 : 1)}}) = replicate [1] 7i32
      in (e)
    in (w1)
  in (w)
"""


@pytest.mark.parametrize(
    ("read", "written", "fine"),
    [
        ("3*i + j", "3*i + j", True),
        ("3*i + j", "3*i + j + 1", False),
        ("3*i + j", "3*i + 3", False),
        ("3*i + j", "3*i + 2", False),
        ("i", "i", False),
        ("j", "n + j", True),
    ],
)
def test_what_later_iterations_of_two_loops_read_is_needed(
    read: str, written: str, fine: bool
) -> None:
    found = still_open(NESTED.replace("READ", read).replace("WRITTEN", written))
    assert found == ([] if fine else ["replicate to y"])


CARRIED = f"""{MORE}
  let (x0 : [1]i32 @ o -> 0 + {{(1 : 1)}}) = replicate [1] 3i32
  let (f : i64) (p : [1]i32 @ o -> f + {{(1 : 1)}}) =
    loop (f1 : i64) = 0, (q : [1]i32 @ o -> f1 + {{(1 : 1)}}) = x0 for i < n do
      let (e : i32) = q[0]
      let (f2 : i64) = i + 1
      let (t1 : [1]i32 @ o -> f2 + {{(1 : 1)}}) = replicate [1] e
      let (u : [1]i32 @ o -> AT + {{(1 : 1)}}) = replicate [1] 2i32
      in (f2, t1)
  let (e2 : i32) = p[0]
  in (e2)
"""


@pytest.mark.parametrize(
    ("at", "wrong"), [("i", []), ("f2", ["replicate to u"]), ("f1 + i", ["replicate to u"])]
)
def test_what_a_loop_hands_on_is_needed_where_it_will_be(at: str, wrong: list[str]) -> None:
    assert still_open(CARRIED.replace("AT", at)) == wrong


STEPS = f"""{MORE}
  let (f : i64) = loop (f1 : i64) = 0 for i < m do
      let (e : i32) = x[f1]
      let (f2 : i64) = f1 + 1
      let (u : [1]i32 @ BLOCK -> f1 + 1 + {{(1 : 1)}}) = replicate [1] e
      in (f2)
  in (0i32)
"""


@pytest.mark.parametrize(("block", "wrong"), [("o", []), ("b", ["replicate to u"])])
def test_a_number_that_a_loop_hands_on_is_another_one_later(block: str, wrong: list[str]) -> None:
    assert still_open(STEPS.replace("BLOCK", block)) == wrong


WHILE = f"""{MORE}
  let (f : i64) (g : bool) = loop (f1 : i64) = k, (go : bool) = d while go do
    let (c : bool) = f1 < 5
    let (e : i32) = if c then let (e1 : i32) = x[0] in (e1) else in (0i32)
    let (y : [1]i32 @ b -> AT + {{(1 : 1)}}) = replicate [1] 7i32
    let (g1 : bool) = m > 2
    in (m, g1)
  in (0i32)
"""


@pytest.mark.parametrize(("at", "wrong"), [("1", []), ("5 - f1", ["replicate to y"])])
def test_what_a_later_iteration_knows_is_not_known_now(at: str, wrong: list[str]) -> None:
    """There a condition holds under which something is read."""
    assert still_open(WHILE.replace("AT", at)) == wrong


GUARDED = f"""{MORE}
  let (w : i32) = loop (l : i32) = 0i32 for i < n do
    let (c : bool) = COND
    let (e : i32) = if c then let (e1 : i32) = x[READ] in (e1) else in (0i32)
    let (y : [1]i32 @ b -> WRITTEN + {{(1 : 1)}}) = replicate [1] 7i32
    in (e)
  in (w)
"""


@pytest.mark.parametrize(
    ("cond", "read", "written", "fine"),
    [
        ("i > 2", "i", "3", False),
        ("k > 0", "i + k", "i + 1", True),
        ("k > 0", "i + k", "i + 2", False),
        ("k >= 0", "i + k", "i + 1", False),
    ],
)
def test_what_later_iterations_know_holds_of_what_they_read(
    cond: str, read: str, written: str, fine: bool
) -> None:
    text = GUARDED.replace("COND", cond).replace("READ", read).replace("WRITTEN", written)
    assert still_open(text) == ([] if fine else ["replicate to y"])


TRIANGLE = f"""{MORE}
  let (w : i32) = loop (l : i32) = 0i32 for i < n do
    let (w1 : i32) = loop (l1 : i32) = 0i32 for j < i do
      let (e : i32) = x[2*i - j]
      in (e)
    let (y : [1]i32 @ b -> WRITTEN + {{(1 : 1)}}) = replicate [1] 7i32
    in (w1)
  in (w)
"""


@pytest.mark.parametrize(("written", "fine"), [("i + 1", True), ("i + 2", False)])
def test_the_bound_of_an_inner_loop_is_that_of_a_later_iteration(written: str, fine: bool) -> None:
    assert still_open(TRIANGLE.replace("WRITTEN", written)) == ([] if fine else ["replicate to y"])


# ------------------------------------------------------------- needs that travel for several rounds

ROTATED = """\
entry main (k : i64) -> (r : i64) =
  let (m1 : mem) = alloc 80
  let (a1 : [10]i64 @ m1 -> 0 + {(10 : 1)}) = iota [10] 0 1
  let (m2 : mem) = alloc 80
  let (a2 : [10]i64 @ m2 -> 0 + {(10 : 1)}) = iota [10] 0 1
  let (q1 : mem) (b1 : [10]i64 @ q1 -> 0 + {(10 : 1)}) (q2 : mem)
      (b2 : [10]i64 @ q2 -> 0 + {(10 : 1)}) (total : i64) =
    loop (p1 : mem) = m1, (x1 : [10]i64 @ p1 -> 0 + {(10 : 1)}) = a1, (p2 : mem) = m2,
        (x2 : *[10]i64 @ p2 -> 0 + {(10 : 1)}) = a2, (acc : i64) = 0 for t < 10 do
      let (s : i64) = kernel j < 10 reduce (\\ (a : i64) (aa : i64) ->
        let (c : i64) = a + aa in (c)) (0) do
        let (e : i64) = x1[j]
        in (e)
      let (acc2 : i64) = acc + s
      let (u : [10]i64 @ p2 -> 0 + {(10 : 1)}) = x2 with [t] = 100
      let (zm : mem) = alloc 88
      let (z : [10]i64 @ zm -> 0 + {(10 : 1)}) = iota [10] 0 1
      let (dead : [1]i64 @ zm -> AT + {(1 : 1)}) = replicate [1] 7
      in (p2, u, zm, z, acc2)
  in (total)
"""
WINDOW = """\
entry main (k : i64) -> (r : i64) =
  let (bm : mem) = alloc 400
  let (big : [50]i64 @ bm -> 0 + {(50 : 1)}) = iota [50] 0 1
  let (x0 : [3]i64 @ bm -> 0 + {(3 : 1)}) = big[0 : 3 : 1]
  let (o : i64) (b : [3]i64 @ bm -> o + {(3 : 1)}) (total : i64) =
    loop (po : i64) = 0, (x : [3]i64 @ bm -> po + {(3 : 1)}) = x0, (acc : i64) = 0 for t < 40 do
      let (s : i64) = kernel j < 3 reduce (\\ (a : i64) (aa : i64) ->
        let (c : i64) = a + aa in (c)) (0) do
        let (e : i64) = x[j]
        in (e)
      let (acc2 : i64) = acc + s
      let (y : [3]i64 @ bm -> t + {(3 : 1)}) = big[t : 3 : 1]
      let (dead : [1]i64 @ bm -> AT + {(1 : 1)}) = replicate [1] 7
      in (t, y, acc2)
  in (total)
"""
SHORTENED = """\
entry main (k : i64) -> (r : i64) =
  let (m1 : mem) = alloc 64
  let (a1 : [8]i64 @ m1 -> 0 + {(8 : 1)}) = iota [8] 0 1
  let (m2 : mem) = alloc 64
  let (a2 : [8]i64 @ m2 -> 0 + {(8 : 1)}) = iota [8] 0 1
  let (q1 : mem) (b1 : [8]i64 @ q1 -> 0 + {(8 : 1)}) (q2 : mem)
      (b2 : [8]i64 @ q2 -> 0 + {(8 : 1)}) (total : i64) =
    loop (p1 : mem) = m1, (x1 : [8]i64 @ p1 -> 0 + {(8 : 1)}) = a1, (p2 : mem) = m2,
        (x2 : *[8]i64 @ p2 -> 0 + {(8 : 1)}) = a2, (acc : i64) = 0 for t < 10 do
      let (h : i64) = t % 2
      let (odd : bool) = h > 0
      let (s : i64) = if odd then let (e : i64) = x1[AT] in (e) else in (0)
      let (acc2 : i64) = acc + s
      let (vm : mem) = alloc 56*h
      let (v : [7*h]i64 @ vm -> 0 + {(7*h : 1)}) = replicate [7*h] 100
      let (u : [8]i64 @ p2 -> 0 + {(8 : 1)}) = x2 with [0 : 7*h : 1] = v
      let (zm : mem) = alloc 64
      let (z : [8]i64 @ zm -> 0 + {(8 : 1)}) = iota [8] 0 1
      let (dead : [1]i64 @ zm -> 3 + {(1 : 1)}) = replicate [1] 7
      in (p2, u, zm, z, acc2)
  in (total)
"""


@pytest.mark.parametrize(
    ("text", "at", "fine"),
    [
        (SHORTENED, "3", False),
        (SHORTENED, "7", True),
        (ROTATED, "10", True),
        (ROTATED, "t", False),
        (WINDOW, "t - 1", True),
        (WINDOW, "42", True),
        (WINDOW, "t", False),
        (WINDOW, "t + 1", False),
        (WINDOW, "t + 3", False),
        (WINDOW, "40", False),
    ],
)
def test_a_later_iteration_has_an_index_of_its_own(text: str, at: str, fine: bool) -> None:
    """The next one replaces element t of what this one makes, where its own t is meant; the window
    that the one before has chosen lies where that one's t says; what is replaced in an even
    iteration, and read in an odd one, is what the even one says.
    """
    text = text.replace("AT", at)
    assert still_open(text) == ([] if fine else ["replicate to dead"])
    p = parse_fun(text)
    assert fine or fault_of(p, p.entries[0], (0,)) is not None


# ---------------------------------------------------------------------- collectives

IN_PLACE = {
    "scan": f"""{MORE}
  let (y : [n]i32 @ b -> 0 + {{(n : 1)}}) = kernel j < n scan (\\ (u : i32) (v : i32) ->
    let (w : i32) = u + v in (w)) (0i32) do
    let (e : i32) = x[READ]
    in (e)
  in (0i32)
""",
    "reduce": f"""{MORE}
  let (z : [1]i32 @ o -> 0 + {{(1 : 1)}}) = replicate [1] 0i32
  let (y : [1]i32 @ b -> 0 + {{(1 : 1)}}) = kernel j < n reduce (\\
      (u : [1]i32 @ o -> 0 + {{(1 : 1)}}) (v : [1]i32 @ o -> 1 + {{(1 : 1)}}) ->
    let (w : [1]i32 @ o -> 2 + {{(1 : 1)}}) = replicate [1] 1i32 in (w)) (z) do
    let (e : i32) = x[READ]
    let (g : [1]i32 @ o -> 3 + {{(1 : 1)}}) = replicate [1] e
    in (g)
  in (0i32)
""",
}


@pytest.mark.parametrize(
    ("how", "read", "fine"),
    [
        ("scan", "j", True),
        ("scan", "j + 1", True),
        ("scan", "n - 1 - j", False),
        ("scan", "0", False),
        ("reduce", "j", True),
        ("reduce", "0", True),
    ],
)
def test_a_scan_writes_a_result_in_each_iteration_and_a_reduction_at_the_end(
    how: str, read: str, fine: bool
) -> None:
    found = still_open(IN_PLACE[how].replace("READ", read))
    assert found == ([] if fine else ["a thread's result to y"])


REDUCED = f"""{MORE}
  let (q_mem : mem) = alloc 16
  let (y_mem : mem) = alloc 16*n
  let (z : [3]i32 @ o -> 0 + {{(3 : 1)}}) = replicate [3] 0i32
  let (y : [3]i32 @ RESULT + {{(3 : 1)}}) = kernel j < n reduce (\\
      (p : [3]i32 @ FIRST + {{(3 : 1)}}) (q : [3]i32 @ SECOND + {{(3 : 1)}}) ->
    let (s_mem : mem) = alloc 16
    let (s : [3]i32 @ NEXT + {{(3 : 1)}}) = replicate [3] 2i32
    in (s)) (z) do
    let (t_mem : mem) = alloc 16
    let (u : [3]i32 @ ROW + {{(3 : 1)}}) = replicate [3] 1i32
    in (u)
  let (e : i32) = x[0]
  in (e)
"""
PLACES = {
    "RESULT": "y_mem -> 0",
    "FIRST": "q_mem -> 9",
    "SECOND": "q_mem -> 0",
    "NEXT": "s_mem -> 0",
    "ROW": "t_mem -> 0",
}
WRITES = {
    "RESULT": ["a thread's result to y"],
    "FIRST": ["accumulator to p", "neutral element to p"],
    "SECOND": ["argument to q"],
    "NEXT": ["replicate to s"],
    "ROW": ["replicate to u"],
}


@pytest.mark.parametrize("which", WRITES)
@pytest.mark.parametrize("how", ["reduce", "scan"])
def test_what_a_collective_writes_overwrites_nothing(how: str, which: str) -> None:
    """Each of its places in turn is that of an array which is read after it."""

    def found(places: dict[str, str]) -> list[str]:
        text = REDUCED.replace("reduce", how)
        if how == "scan":
            text = text.replace("y : [3]i32 @ RESULT + {", "y : [n][3]i32 @ RESULT + {(n : 3) ")
        for word, place in places.items():
            text = text.replace(word, place)
        return sorted(still_open(text))

    assert found(PLACES) == []
    assert set(WRITES[which]) <= set(found({**PLACES, which: "b -> 0"}))


ROWS = f"""{MORE}
  let (y : [n][t]i32 @ o -> 0 + {{(n : t) (t : 1)}}) = kernel i < n, l < t, j < 3 reduce
    (\\ (p : i32) (q : i32) ->
    let (s : i32) = p + q
    in (s)) (0i32) do
    let (e : i32) = x[READ]
    let (u : [1]i32 @ b -> WRITTEN + {{(1 : 1)}}) = replicate [1] 1i32
    in (e)
  in (0i32)
"""


@pytest.mark.parametrize(
    ("read", "written", "wrong"),
    [
        ("i", "i + 1", []),
        ("i", "i", ["replicate to u"]),
        ("3*i + j", "3*i + j", []),
        ("3*i + j", "3*i + 2", ["replicate to u"]),
        ("3*i + j", "3*i + 3", []),
        ("l", "l + 1", []),
        ("l", "l", ["replicate to u"]),
    ],
)
def test_a_row_of_a_collective_is_a_loop(read: str, written: str, wrong: list[str]) -> None:
    """Its outer indices stay, and the last one grows."""
    assert still_open(ROWS.replace("READ", read).replace("WRITTEN", written)) == wrong


COUNTED = """\
entry main [n] [a : mem] (k : i64) (is : [n]i64 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (b : mem) = alloc 4*k + 4*n
  let (h : [k]i32 @ b -> 0 + {(k : 1)}) = replicate [k] 0i32
  let (g : [1]i32 @ b -> AT + {(1 : 1)}) = replicate [1] 7i32
  let (y : [k]i32 @ b -> 0 + {(k : 1)}) = kernel i < n hist (h) (\\ (p : i32) (q : i32) ->
    let (s : i32) = p + q
    in (s)) (0i32) do
    let (e : i64) = is[i]
    in (e, 1i32)
  let (e1 : i32) = y[k - 1]
  in (e1)
"""


@pytest.mark.parametrize(("at", "fine"), [("k + n", True), ("k + n - 1", False), ("0", False)])
def test_a_histogram_keeps_what_was_there(at: str, fine: bool) -> None:
    """All of it if there are no iterations, too."""
    assert still_open(COUNTED.replace("AT", at)) == ([] if fine else ["replicate to g"])
