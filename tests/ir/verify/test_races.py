"""O3 of funmem verify: what is known of two threads at once."""

import pytest

from funmem.interp.heap import run_heap
from funmem.ir.diagnostics import MemoryFault
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue
from funmem.ir.verify import Kind, Verdict, verify
from funmem.verify.replay import fault_of

UP_AND_DOWN = """\
entry main [n] [a : mem] (xs : [n]i32 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (b : mem) = alloc 8*n + 16
  let (w : i32) = kernel i < n reduce (\\ (u : i32) (v : i32) ->
    let (s : i32) = u + v in (s)) (0i32) do
    let (t : [1]i32 @ b -> n + 2 - i + {(1 : 1)}) = replicate [1] 7i32
    let (c : bool) = i > LEAST
    let (e : i32) =
      if c then
        let (t1 : [1]i32 @ b -> n + i + {(1 : 1)}) = replicate [1] 7i32
        in (1i32)
      else
        in (0i32)
    in (e)
  in (w)
"""


@pytest.mark.parametrize(("least", "fine"), [(2, True), (1, False)])
def test_what_a_branch_knows_of_a_thread_holds_of_another_one(least: int, fine: bool) -> None:
    """Threads from 3 on write behind what threads from 0 on write."""
    p = parse_fun(UP_AND_DOWN.replace("LEAST", str(least)))
    (racing,) = [o for o in verify(p).obligations if o.place == "kernel w: t"]
    assert racing.kind is Kind.RACE_FREE
    assert (racing.verdict is Verdict.PROVED) is fine
    if fine:
        run_heap(p, "main", [[1] * 6])
    else:
        with pytest.raises(MemoryFault, match="race"):
            run_heap(p, "main", [[1] * 6])


# ---------------------------------------------------------------------- programs that may race


def check(text: str, args: tuple[ArgValue, ...], wrong: list[str]) -> None:
    """What is not proved about races; if that is anything, an input shows one."""
    p = parse_fun(text)
    asked = [o for o in verify(p).obligations if o.kind is Kind.RACE_FREE]
    assert asked
    assert [o.place for o in asked if o.verdict is not Verdict.PROVED] == wrong
    fault = fault_of(p, p.entries[0], args)
    assert (fault is not None and fault.kind is Kind.RACE_FREE) is bool(wrong)


BLOCK_BEFORE = """\
entry main (n : i64) -> [out_mem : mem] (out : [n]i64 @ out_mem -> 0 + {(n : 1)}) =
  let (m1 : mem) = alloc 8*n
  let (m2 : mem) = alloc 8*n
  let (m3 : mem) = alloc 8*n
  let (a0 : [n]i64 @ m3 -> 0 + {(n : 1)}) = iota [n] 0 1
  let (p1 : mem) (q1 : mem) (am1 : mem) (a1 : [n]i64 @ am1 -> 0 + {(n : 1)}) =
    loop (p : mem) = m1, (q : mem) = m2, (am : mem) = m3,
        (a : [n]i64 @ am -> 0 + {(n : 1)}) = a0 for i < 2 do
      let (z : [n]i64 @ q -> 0 + {(n : 1)}) = kernel j < n do
        let (k : i64) = min(j + 1, n - 1)
        let (v : i64) = a[k]
        let (w : i64) = v + 10
        in (w)
      let (x : [n]i64 @ p -> 0 + {(n : 1)}) = copy z
      in (NEXT, p, x)
  let (om : mem) = alloc 8*n
  let (y : [n]i64 @ om -> 0 + {(n : 1)}) = copy a1
  in (om, y)
"""


@pytest.mark.parametrize(("following", "wrong"), [("p, q", []), ("q, p", ["kernel z: z"])])
def test_a_block_name_may_have_stood_for_another_block(following: str, wrong: list[str]) -> None:
    """What the last iteration wrote to p is now read, and q may be that block."""
    check(BLOCK_BEFORE.replace("NEXT", following), (4,), wrong)


PLACE_BEFORE = """\
entry main (n : i64) (k : i64) -> (res : i64) =
  let (c : bool) = k >= 1
  assert c "k"
  let (m : mem) = alloc 16*n*k + 8*n
  let (m0 : mem) = alloc 8*n
  let (a0 : [n]i64 @ m0 -> 0 + {(n : 1)}) = iota [n] 0 1
  let (am1 : mem) (of : i64) (a1 : [n]i64 @ am1 -> of + {(n : 1)}) =
    loop (am : mem) = m0, (o : i64) = 0, (a : [n]i64 @ am -> o + {(n : 1)}) = a0 for t < k do
      let (zm : mem) = alloc 8*n
      let (z : [n]i64 @ zm -> 0 + {(n : 1)}) = kernel j < n do
        let (kk : i64) = min(j + 1, n - 1)
        let (v : i64) = a[kk]
        let (w : [1]i64 @ m -> AT + j + {(1 : 1)}) = replicate [1] v
        let (w1 : i64) = w[0]
        in (w1)
      let (o1 : i64) = t * n + n
      let (x : [n]i64 @ m -> t*n + n + {(n : 1)}) = copy z
      in (m, o1, x)
  let (y : i64) = a1[0]
  in (y)
"""


@pytest.mark.parametrize(
    ("at", "wrong"), [("n*k + n", []), ("n*k + t*n + n", []), ("t*n", ["kernel z: w"])]
)
def test_names_may_have_stood_for_other_numbers(at: str, wrong: list[str]) -> None:
    """Where the last iteration's array lies, this one's index says nothing of."""
    check(PLACE_BEFORE.replace("AT", at), (4, 2), wrong)


CHOSEN_NOW = """\
entry main [n] [x_mem : mem] (xs : [n]i64 @ x_mem -> 0 + {(n : 1)}) (k : i64) -> (res : i64) =
  let (c0 : bool) = k >= 0
  assert c0 "k"
  let (m : mem) = alloc 24*n*k
  let (s : i64) = loop (s0 : i64) = 0 for t < k do
    let (c : bool) = s0 < t
    let (o : i64) (a : [n]i64 @ m -> 3*n*t + o + {(n : 1)}) = if c then
        let (a1 : [n]i64 @ m -> 3*n*t + {(n : 1)}) = copy xs
        in (0, a1)
      else
        let (a2 : [n]i64 @ m -> 3*n*t + n + {(n : 1)}) = copy xs
        in (n, a2)
    let (zm : mem) = alloc 8*n
    let (z : [n]i64 @ zm -> 0 + {(n : 1)}) = kernel j < n do
      let (v : i64) = a[n - 1 - j]
      let (w : [1]i64 @ m -> 3*n*t + AT + j + {(1 : 1)}) = replicate [1] v
      let (w1 : i64) = w[0]
      in (w1)
    in (t)
  in (s)
"""


@pytest.mark.parametrize(("at", "wrong"), [("2*n", []), ("n", ["kernel z: w"])])
def test_a_branch_of_this_iteration_chose_among_its_own_arrays(at: str, wrong: list[str]) -> None:
    """The names in their places are what they are now."""
    check(CHOSEN_NOW.replace("AT", at), ([1, 2, 3], 2), wrong)


BRANCHES = """\
entry main [n] [es_mem : mem] (es : [n]i64 @ es_mem -> 0 + {(n : 1)}) (l : i64)
    -> [out_mem : mem] (out : [n]i64 @ out_mem -> 0 + {(n : 1)}) =
  let (c0 : bool) = l >= 0
  assert c0 "l"
  let (m : mem) = alloc 8*n + 8*l
  let (om : mem) = alloc 8*n
  let (o : [n]i64 @ om -> 0 + {(n : 1)}) = kernel i < n do
    let (e : i64) = es[i]
    let (lo : bool) = e >= 0
    assert lo "low"
    let (hi : bool) = e < l
    assert hi "high"
    let (c : bool) = e <= 0
    let (v : i64) = if c then
      let (z1 : [1]i64 @ m -> i + e + {(1 : 1)}) = replicate [1] 1i64
      let (v1 : i64) = z1[0]
      in (v1)
    else
      let (d : bool) = e COND
      let (v2 : i64) = if d then
        let (z2 : [1]i64 @ m -> i + e + {(1 : 1)}) = replicate [1] i
        let (v3 : i64) = z2[0]
        in (v3)
      else
        in (0)
      in (v2)
    in (v)
  in (om, o)
"""


@pytest.mark.parametrize(
    ("cond", "wrong"),
    [
        ("< 0", []),
        (">= n", ["kernel o: z2"]),
        (">= 2", ["kernel o: z1", "kernel o: z2"]),
    ],
)
def test_a_place_that_is_written_in_two_branches(cond: str, wrong: list[str]) -> None:
    """One spelling, but what is known of its names differs, so each is a question."""
    check(BRANCHES.replace("COND", cond), ([4, 3, 0], 9), wrong)


TWO_CHOICES = """\
entry main [n] [a : mem] (es : [n]i64 @ a -> 0 + {(n : 1)}) -> (res : i64) =
  let (m : mem) = alloc 16*n + 16
  let (zm : mem) = alloc 8*n
  let (z : [n]i64 @ zm -> 0 + {(n : 1)}) = kernel j < n do
    let (s0 : i64) = n + 1 + j
    let (x0 : [1]i64 @ m -> n + 1 + j + {(1 : 1)}) = scratch [1]i64
    let (o : i64) (q : [1]i64 @ m -> o + {(1 : 1)}) =
      loop (o0 : i64) = s0, (p : [1]i64 @ m -> o0 + {(1 : 1)}) = x0 for t < n do
        let (v : i64) = es[j]
        let (c : bool) = v >= j
        let (o1 : i64) (p1 : [1]i64 @ m -> o1 + {(1 : 1)}) = if c then
            let (t1 : [1]i64 @ m -> j + {(1 : 1)}) = scratch [1]i64
            in (j, t1)
          else
            let (j2 : i64) = AT
            let (t2 : [1]i64 @ m -> AT + {(1 : 1)}) = scratch [1]i64
            in (j2, t2)
        in (o1, p1)
    let (u : [1]i64 @ m -> o + {(1 : 1)}) = q with [0] = 3
    let (w : i64) = u[0]
    in (w)
  let (r : i64) = z[0]
  in (r)
"""


@pytest.mark.parametrize(("at", "wrong"), [("j", []), ("j + 1", ["kernel z: u"])])
def test_another_iteration_may_have_come_another_way(at: str, wrong: list[str]) -> None:
    """What is known of v where t1 is made is not known of the v where another thread made t2."""
    check(TWO_CHOICES.replace("AT", at), ([-1, 1, 1],), wrong)


BLOCK_BY_THREAD = """\
entry main [n] [a : mem] (es : [n]i64 @ a -> 0 + {(n : 1)}) -> (res : i64) =
  let (m1 : mem) = alloc 16*n
  let (m2 : mem) = alloc 16*n
  let (zm : mem) = alloc 8*n
  let (z : [n]i64 @ zm -> 0 + {(n : 1)}) = kernel j < n do
    let (v : i64) = es[j]
    let (c : bool) = v >= 2
    let (m : mem) = if c then in (m1) else in (m2)
    let (s0 : i64) = AT
    let (x0 : [1]i64 @ m -> AT + {(1 : 1)}) = scratch [1]i64
    let (o : i64) (q : [1]i64 @ m -> o + {(1 : 1)}) =
      loop (o0 : i64) = s0, (p : [1]i64 @ m -> o0 + {(1 : 1)}) = x0 for t < v do
        let (o1 : i64) = n + j
        let (t1 : [1]i64 @ m -> n + j + {(1 : 1)}) = scratch [1]i64
        in (o1, t1)
    let (u : [1]i64 @ m -> o + {(1 : 1)}) = q with [0] = 3
    let (w : i64) = u[0]
    in (w)
  let (r : i64) = z[0]
  in (r)
"""


@pytest.mark.parametrize(("at", "wrong"), [("j", []), ("0", ["kernel z: u"])])
def test_threads_that_choose_a_block_may_choose_the_same(at: str, wrong: list[str]) -> None:
    """The name is bound in the thread, but not what it stands for; in which iteration of a loop
    the array was made does not matter.
    """
    check(BLOCK_BY_THREAD.replace("AT", at), ([-1, -1, 3],), wrong)


ELEMENT_AND_CHOICE = """\
entry main [n] [a : mem] (es : [n]i64 @ a -> 0 + {(n : 1)}) -> (res : i64) =
  let (m : mem) = alloc 16*n
  let (x : [n]i64 @ m -> 0 + {(n : 1)}) = copy es
  let (zm : mem) = alloc 8*n
  let (z : [n]i64 @ zm -> 0 + {(n : 1)}) = kernel j < n do
    let (v : i64) = x[AT]
    let (c : bool) = v >= 2
    let (o : i64) (t : [1]i64 @ m -> o + {(1 : 1)}) = if c then
        let (t1 : [1]i64 @ m -> j + {(1 : 1)}) = scratch [1]i64
        in (j, t1)
      else
        let (j2 : i64) = n + j
        let (t2 : [1]i64 @ m -> n + j + {(1 : 1)}) = scratch [1]i64
        in (j2, t2)
    let (u : [1]i64 @ m -> o + {(1 : 1)}) = t with [0] = 3
    let (w : i64) = u[0]
    in (w)
  let (r : i64) = z[0]
  in (r)
"""


@pytest.mark.parametrize(("at", "wrong"), [("j", []), ("0", ["kernel z: u"])])
def test_of_an_array_that_nobody_chose_only_what_is_read_counts(at: str, wrong: list[str]) -> None:
    """Not all of it, as of the arrays that a branch may have handed on."""
    check(ELEMENT_AND_CHOICE.replace("AT", at), ([3, 1, 2],), wrong)


ACCUMULATOR_OUTSIDE = """\
entry main [n] [a : mem] (xs : [n][n]i32 @ a -> 0 + {(n : n) (n : 1)}) -> (r : i32) =
  let (pm : mem) = alloc 4*n
  let (qm : mem) = alloc 4*n
  let (zm : mem) = alloc 4
  let (z : [1]i32 @ zm -> 0 + {(1 : 1)}) = replicate [1] 0i32
  let (ym : mem) = alloc 4*n
  let (y : [n][1]i32 @ ym -> 0 + {(n : 1) (1 : 1)}) = kernel i < n, j < n reduce (\\
      (p : [1]i32 @ pm -> AT + {(1 : 1)}) (q : [1]i32 @ qm -> i + {(1 : 1)}) ->
    let (c : i32) = p[0]
    let (d : i32) = q[0]
    let (e : i32) = c + d
    let (sm : mem) = alloc 4
    let (s : [1]i32 @ sm -> 0 + {(1 : 1)}) = replicate [1] e
    in (s)) (z) do
    let (v : [1]i32 @ a -> i*n + j + {(1 : 1)}) = xs[i, j : 1]
    in (v)
  let (w : i32) = y[0, 0]
  in (w)
"""


@pytest.mark.parametrize(("at", "wrong"), [("i", []), ("0", ["rows: kernel y: p"])])
def test_a_place_that_is_written_twice_is_one_question(at: str, wrong: list[str]) -> None:
    """The accumulator of a row gets the neutral element, then what the operator makes."""
    check(ACCUMULATOR_OUTSIDE.replace("AT", at), ([[1, 2], [3, 4]],), wrong)
    asked = [o.place for o in verify(parse_fun(ACCUMULATOR_OUTSIDE.replace("AT", at))).obligations]
    assert asked.count("rows: kernel y: p") == 1


OVER_ITSELF = """\
entry main (n : i64) -> (res : i64) =
  let (c : bool) = n >= 3
  assert c "n"
  let (m : mem) = alloc 16*n
  let (vm : mem) = alloc 8*n
  let (vs : [n - 1]i64 @ vm -> 0 + {(n - 1 : 1)}) = VALUES
  let (x : [n]i64 @ m -> 0 + {(n : 1)}) = iota [n] 0 1
  let (last : i64) = n - 1
  let (is : [n - 1]i64 @ m -> AT + {(n - 1 : 1)}) = iota [n - 1] last -1
  let (y : [n]i64 @ m -> 0 + {(n : 1)}) = scatter x is vs
  let (r : i64) = y[0]
  in (r)
"""


@pytest.mark.parametrize("values", ["iota [n - 1] 100 1", "replicate [n - 1] 100"])
@pytest.mark.parametrize(("at", "wrong"), [("n", []), ("1", ["scatter y"])])
def test_a_scatter_overwrites_no_index(at: str, values: str, wrong: list[str]) -> None:
    """Another iteration reads it, even if what is written is always the same."""
    check(OVER_ITSELF.replace("AT", at).replace("VALUES", values), (6,), wrong)


def test_which_indices_a_scatter_may_overwrite() -> None:
    """Both places are named, and who reads."""
    p = parse_fun(OVER_ITSELF.replace("AT", "1").replace("VALUES", "replicate [n - 1] 100"))
    (asked,) = [o for o in verify(p).obligations if o.kind is Kind.RACE_FREE]
    place = "m -> 1 + {(n - 1 : 1)}"
    said = f"writes x at m -> 0 + {{(n : 1)}}, another iteration reads is at {place}: "
    assert asked.why.startswith(said)


STAYS = """\
entry main [n] [xs_mem : mem] (xs : [n]i64 @ xs_mem -> 0 + {(n : 1)})
    -> [rm : mem] (r : [n]i64 @ rm -> 0 + {(n : 1)}) =
  let (m : mem) = alloc 16*n + 8
  let (x0 : [n]i64 @ m -> 0 + {(n : 1)}) = copy xs
  let (x : [n][1]i64 @ m -> 0 + {(n : 1) (1 : 1)}) = reshape [n][1] x0
  let (y : [n][1]i64 @ m -> 0 + {(n : 1) (1 : 1)}) = kernel i < n do
    BEFORE
    let (dead : [1]i64 @ m -> AT + {(1 : 1)}) = replicate [1] 7
    RESULT
    in (row)
  let (z : [n]i64 @ m -> 0 + {(n : 1)}) = reshape [n] y
  let (om : mem) = alloc 8*n
  let (o : [n]i64 @ om -> 0 + {(n : 1)}) = copy z
  in (om, o)
"""
VIEWED = {"BEFORE": "", "RESULT": "let (row : [1]i64 @ m -> i + {(1 : 1)}) = x[i, 0 : 1 : 1]"}
BUILT = {"BEFORE": "", "RESULT": "let (row : [1]i64 @ m -> i + {(1 : 1)}) = replicate [1] 3"}
CHOSEN = {
    "BEFORE": """let (e : i64) = xs[i]
    let (c : bool) = e > 2""",
    "RESULT": """let (row : [1]i64 @ m -> i + {(1 : 1)}) = if c then
        let (r1 : [1]i64 @ m -> i + {(1 : 1)}) = x[i, 0 : 1 : 1] in (r1)
      else
        let (r2 : [1]i64 @ m -> i + {(1 : 1)}) = replicate [1] 3 in (r2)""",
}


@pytest.mark.parametrize("how", [VIEWED, BUILT, CHOSEN])
@pytest.mark.parametrize(("at", "fine"), [("n + i", True), ("i + 1", False)])
def test_a_row_that_stays_where_it_is_belongs_to_its_thread(
    how: dict[str, str], at: str, fine: bool
) -> None:
    """No other thread writes it, though its own one writes nothing."""
    text = STAYS.replace("AT", at)
    for word, stms in how.items():
        text = text.replace(word, stms)
    check(text, ([1, 2, 3, 4],), [] if fine else ["kernel y: dead"])
