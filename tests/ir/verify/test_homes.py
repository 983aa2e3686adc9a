"""O1, O2, O6 and O7 of funmem verify, one rule at a time: what is proved, and what must stay open.

Each wrong program is wrong in one way only, which no other obligation would show.
"""

from time import perf_counter

import pytest

from funmem.interp.heap import run_heap
from funmem.interp.value import run
from funmem.ir.diagnostics import MemoryFault, Trap
from funmem.ir.fun import Ann, Program
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue
from funmem.ir.verify import Kind, Obligation, Verdict, verify


def still_open(p: Program[Ann]) -> dict[tuple[Kind, str], Obligation]:
    """The obligations of a program that are not proved."""
    found = verify(p).obligations
    assert all(o.entry for o in found), "ill typed"
    return {(o.kind, o.place): o for o in found if o.verdict is not Verdict.PROVED}


# ---------------------------------------------------------------------- O6: copies

OWN_ROW = """\
entry main [n] [a : mem] (xs : [n]i32 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (m : mem) = alloc 16*n
  let (y : [n][3]i32 @ m -> 0 + {(n : 4) (3 : 1)}) = kernel i < n do
    let (t : [3]i32 @ m -> 4*i + AT + {(3 : 1)}) = replicate [3] 1i32
    in (t)
  in (0i32)
"""


@pytest.mark.parametrize(("at", "fine"), [("0", True), ("1", False)])
def test_a_threads_row_is_where_it_goes_or_apart_from_there(at: str, fine: bool) -> None:
    found = still_open(parse_fun(OWN_ROW.replace("AT", at)))
    assert list(found) == ([] if fine else [(Kind.COPY, "a thread's result: t to y")])
    said = "t at m -> 4*i + 1 + {(3 : 1)} and y at m -> 4*i + {(3 : 1)}: "
    assert all(o.why.startswith(said) for o in found.values())


REDUCED = """\
entry main [n] [a : mem] (xs : [n][3]i32 @ a -> 0 + {(n : 3) (3 : 1)}) -> (r : i32) =
  let (p_mem : mem) = alloc 16
  let (q_mem : mem) = alloc 16
  let (y_mem : mem) = alloc 16
  let (z_mem : mem) = alloc 16
  let (z : [3]i32 @ ZERO + {(3 : 1)}) = replicate [3] 0i32
  let (y : [3]i32 @ RESULT + {(3 : 1)}) = kernel j < n reduce (\\ (p : [3]i32 @ p_mem -> P)
      (q : [3]i32 @ q_mem -> 0 + {(3 : 1)}) ->
    let (s_mem : mem) = alloc 16
    let (s : [3]i32 @ NEXT + {(3 : 1)}) = replicate [3] 2i32
    in (s)) (z) do
    let (t_mem : mem) = alloc 16
    let (t : [3]i32 @ ROW + {(3 : 1)}) = replicate [3] 1i32
    in (t)
  in (0i32)
"""
SCANNED = (
    REDUCED.replace("reduce", "scan")
    .replace("alloc 16\n", "alloc 12*n + 16\n")
    .replace("y : [3]i32 @ RESULT + {", "y : [n][3]i32 @ RESULT + {(n : 3) ")
)
APART = {
    "ZERO": "z_mem -> 0",
    "RESULT": "y_mem -> 0",
    "NEXT": "s_mem -> 0",
    "ROW": "t_mem -> 0",
    "-> P": "-> 0 + {(3 : 1)}",
}
MOVES = {
    "ZERO": ("p_mem -> 1", "neutral element: z to p"),
    "NEXT": ("p_mem -> 1", "accumulator: s to p"),
    "ROW": ("q_mem -> 1", "argument: t to q"),
    "RESULT": ("p_mem -> 1", "a thread's result: p to y"),
}


def placed(text: str, places: dict[str, str]) -> Program[Ann]:
    """A program with places for words."""
    for word, place in places.items():
        text = text.replace(word, place)
    return parse_fun(text)


@pytest.mark.parametrize("which", MOVES)
@pytest.mark.parametrize("text", [REDUCED, SCANNED], ids=["reduce", "scan"])
def test_what_a_collective_moves_is_where_it_goes_or_apart_from_there(
    text: str, which: str
) -> None:
    """Neutral element, argument, accumulator, result: each has its place."""
    wrong, move = MOVES[which]
    assert still_open(placed(text, APART)) == {}
    found = still_open(placed(text, {**APART, which: wrong}))
    assert [place for kind, place in found if kind is Kind.COPY] == [move]


@pytest.mark.parametrize(
    ("ix", "kind"), [("2 + {(3 : 1)}", Kind.INSIDE), ("0 + {(3 : 0)}", Kind.INJECTIVE)]
)
def test_an_accumulator_has_a_place_like_any_new_array(ix: str, kind: Kind) -> None:
    """Inside of its block, and for each element another one."""
    assert (kind, "p") in still_open(placed(REDUCED, {**APART, "-> P": f"-> {ix}"}))


# ---------------------------------------------------------------------- O1, O2

NEW = """\
entry main [n] [a : mem] (k : i64) (xs : [n]i32 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (m : mem) = alloc 4*n
  let (y : [SIZE]i32 @ m -> AT + {(SIZE : BY)}) = replicate [SIZE] 1i32
  in (0i32)
"""


@pytest.mark.parametrize(
    ("size", "at", "by", "why"),
    [
        ("n", "0", "1", None),
        ("0", "17", "1", None),
        ("n", "1", "1", "m -> 1 + {(n : 1)} may leave the 4*n bytes of m"),
        ("n", "-1", "1", "-1 is negative"),
        ("n", "0", "k", "the sign of stride k is unknown"),
    ],
)
def test_an_array_with_elements_lies_inside_of_its_block(
    size: str, at: str, by: str, why: str | None
) -> None:
    """One that has none may be anywhere.  What is not proved is named."""
    found = still_open(placed(NEW, {"SIZE": size, "AT": at, "BY": by}))
    said = [o.why for (kind, _), o in found.items() if kind is Kind.INSIDE]
    assert len(said) == (why is not None)
    assert all(str(why) in text for text in said)


CHOSEN = """\
entry main [n] [a : mem] (k : i64) (c : bool) (x : *[n]i32 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (last : i64) = n - 1
  let (o : i64) (s : i64) (p : [n]i32 @ a -> o + {(n : s)}) = if c
    then in (0, 1, x)
    else
      let (t : [n]i32 @ a -> n - 1 + {(n : -1)}) = reverse 0 x
      in (last, -1, t)
  let (q : [n]i32 @ a -> o + {(n : s)}) = p with [0] = 5i32
  in (0i32)
"""


def test_an_array_that_is_chosen_shows_no_element_twice() -> None:
    """Its stride is a name; how it was made says what the name does not."""
    assert still_open(parse_fun(CHOSEN)) == {}


STANDING_STILL = """\
entry main [n] [a : mem] (c : bool) (xs : *[n]i32 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (some : bool) = n >= 3
  assert some "some"
VIEW
  let (u : [2]i32 @ a -> 1 + {(2 : STRIDE)}) = t with [0] = 5i32
  let (w : i32) = u[1]
  in (w)
"""
ALWAYS = {
    "VIEW": "  let (t : [2]i32 @ a -> 1 + {(2 : BY)}) = xs[1 : 2 : BY]",
    "STRIDE": "BY",
}
SOMETIMES = {
    "VIEW": """\
  let (s : i64) (t : [2]i32 @ a -> 1 + {(2 : s)}) = if c then
      let (t1 : [2]i32 @ a -> 1 + {(2 : BY)}) = xs[1 : 2 : BY] in (BY, t1)
    else
      let (t2 : [2]i32 @ a -> 1 + {(2 : -1)}) = xs[1 : 2 : -1] in (-1, t2)""",
    "STRIDE": "s",
}


@pytest.mark.parametrize("how", [ALWAYS, SOMETIMES])
def test_what_shows_an_element_twice_is_not_updated(how: dict[str, str]) -> None:
    """Its other values would change as well: where it lies is right, and nothing is overwritten
    that is used later on.
    """
    right, wrong = (placed(STANDING_STILL, {**how, "BY": by}) for by in ("1", "0"))
    assert still_open(right) == {}
    assert still_open(wrong).keys() == {(Kind.INJECTIVE, "updated t")}
    args: tuple[ArgValue, ...] = (True, [1, 2, 3])
    assert run_heap(right, "main", args).values == run(right, "main", args) == (3,)
    assert run_heap(wrong, "main", args).values == (5,) != run(wrong, "main", args)


IN_ITS_PLACE = """\
entry main [n] [a : mem] (xs : [n]i32 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (b : mem) = alloc 8*n + 8
  let (x : [n]i32 @ b -> 0 + {(n : 1)}) = copy xs
  let (y : [2]i32 @ b -> AT + {(2 : 1)}) = replicate [2] 1i32
  let (z : [n + 2]i32 @ b -> 0 + {(n + 2 : 1)}) = concat 0 x y
  let (c : mem) = alloc 24*n
  let (u : [n][2]i32 @ c -> 0 + {(n : 6) (2 : 1)}) = replicate [n][2] 1i32
  let (v : [n][2]i32 @ c -> AT - n + 2 + {(n : 6) (2 : 1)}) = replicate [n][2] 1i32
  let (w : [n][4]i32 @ c -> 0 + {(n : 6) (4 : 1)}) = concat 1 u v
  in (0i32)
"""


def test_a_part_of_a_concatenation_is_where_it_goes() -> None:
    """Along the first dimension and along the second one; shifted by one it is not."""
    assert still_open(parse_fun(IN_ITS_PLACE.replace("AT", "n"))) == {}
    shifted = IN_ITS_PLACE.replace("-> AT - n + 2", "-> 1").replace("AT", "n - 1")
    found = {place for kind, place in still_open(parse_fun(shifted)) if kind is Kind.COPY}
    assert found == {"part of a concatenation: y to z", "part of a concatenation: v to w"}


# --------------------------------------------------------------------- O1: blocks handed on

HANDED = """\
entry main [n] [a : mem] (xs : [n]i8 @ a -> 0 + {(n : 1)}) -> (r : i64) =
  let (b : mem) = alloc n + 1
  let (m : mem) (s : i64) = loop (m0 : mem) = b, (l : i64) = 1 for i < n do
    let (t : [LEN]i8 @ m0 -> 0 + {(LEN : 1)}) = replicate [LEN] 1i8
    let (l1 : i64) = STEP
    let (m1 : mem) = alloc BYTES
    let (t1 : [OWN]i8 @ m1 -> 0 + {(OWN : 1)}) = replicate [OWN] 1i8
    in (m1, l1)
  let (t2 : [1]i8 @ m -> LAST + {(1 : 1)}) = replicate [1] 1i8
  in (s)
"""
PLAIN = {"LEN": "n", "STEP": "l + 1", "BYTES": "n + 1", "OWN": "1", "LAST": "0"}


def handed(changed: dict[str, str]) -> Program[Ann]:
    text = HANDED
    for word, by in {**PLAIN, **changed}.items():
        text = text.replace(word, by)
    return parse_fun(text)


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({"LEN": "i + 1", "BYTES": "i + 1", "OWN": "i + 1"}, ["t", "t2"]),
        ({"LEN": "l", "BYTES": "l"}, ["t", "t1", "t2"]),
        ({"LEN": "n + 2"}, ["t"]),
        ({"LAST": "n + 1"}, ["t2"]),
    ],
    ids=str,
)
def test_a_block_of_an_earlier_iteration_has_the_size_it_had_then(
    changed: dict[str, str], wrong: list[str]
) -> None:
    """Which the size in this iteration does not tell."""
    assert not any(kind is Kind.INSIDE for kind, _ in still_open(handed({})))
    p = handed(changed)
    found = still_open(p)
    assert [place for kind, place in found if kind is Kind.INSIDE] == wrong
    with pytest.raises(MemoryFault):
        run_heap(p, "main", [[0, 0, 0]])


BRANCHES = """\
entry main [a : mem] (k : i64) (d : bool) (xs : [4]i64 @ a -> 0 + {(4 : 1)}) -> (r : i64) =
  let (n : i64) = loop (l : i64) = 0 for i < 4 do
    let (v : i64) = xs[i] in (v)
  let (few : bool) = n < 100
  assert few "few"
  let (some : bool) = n >= 0
  assert some "some"
  let (m : mem) = if d then
      let (two : i64) = MORE
      let (b1 : mem) = alloc two
      in (b1)
    else
      let (b2 : mem) = alloc n + 2
      in (b2)
  let (t : [2]i8 @ m -> n + {(2 : 1)}) = replicate [2] 1i8
  let (c : i64) = if d then
      let (t1 : [2]i64 @ a -> AT + {(2 : 1)}) = replicate [2] 1
      in (1)
    else
      in (2)
  in (c)
"""


def test_a_block_that_is_chosen_has_the_size_of_its_branch() -> None:
    """What a loop has answered is what it is, too, and an argument's block is as large as that."""
    plain = BRANCHES.replace("AT", "2")
    right, wrong = (parse_fun(plain.replace("MORE", more)) for more in ("n - -2", "n - -1"))
    for p, fine in ((right, True), (wrong, False)):
        found = [place for kind, place in still_open(p) if kind is Kind.INSIDE]
        assert found == ([] if fine else ["t"])
    for at in ("3", "100"):
        p = parse_fun(BRANCHES.replace("AT", at).replace("MORE", "n - -2"))
        assert (Kind.INSIDE, "t1") in still_open(p)
    with pytest.raises(MemoryFault):
        run_heap(wrong, "main", [0, True, [0, 0, 0, 3]])


# ---------------------------------------------------------------------- O7

TRAPS = """\
entry main [n] [a : mem] (k : i64) (xs : [n]i64 @ a -> 0 + {(n : 1)}) -> (r : i64) =
  let (d : i64) = n / k
BODY
  in (n)
"""
PLACED = """\
  let (m : mem) = alloc 8*n
  let (y : [n]i64 @ m -> d + {(n : 1)}) = copy xs
"""
ALLOCATED = """\
  let (m : mem) = alloc 8*n + d
"""
INDIRECT = """\
  let (e : i64) = d + 1
  let (m : mem) = alloc e
"""
SUMMED = """\
  let (s : i64) = kernel j < n reduce (\\ (u : i64) (v : i64) ->
    let (w : i64) = u + v in (w)) (d) do in (1)
"""
BOUND = """\
  let (s : i64) = loop (l : i64) = 0 for i < d do in (i)
"""
FIRST = """\
  let (s : i64) = loop (l : i64) = d for i < k do in (i)
"""
BRANCH = """\
  let (c : bool) = d > 3
  let (s : i64) = if c then in (1) else in (2)
"""
IN_A_THREAD = """\
  let (m : mem) = alloc 8*n
  let (z_mem : mem) = alloc 8*n
  let (z : [n]i64 @ z_mem -> 0 + {(n : 1)}) = kernel i < n do
    let (f : i64) = i / k
    let (t : [1]i64 @ m -> f + {(1 : 1)}) = replicate [1] 1
    in (RESULT)
"""


@pytest.mark.parametrize("body", [PLACED, ALLOCATED, INDIRECT])
def test_what_is_computed_for_memory_only_must_not_trap(body: str) -> None:
    """A division whose result is an offset, or a size, or what a size is computed from."""
    assert (Kind.SIZES, "trap of d") in still_open(placed(TRAPS, {"BODY": body}))
    safe = placed(TRAPS, {"BODY": body, "/ k": "/ 2"})
    assert not any(kind is Kind.SIZES for kind, _ in still_open(safe))


FIFTH = """\
entry main [a : mem] (k : i64) (xs : [9]i64 @ a -> 0 + {(9 : 1)}) -> (r : i64) =
  let (p : i64) = WHICH + 5
  let (d : i64) = xs[p - WHICH]
  let (m : mem) = alloc d
  in (k)
"""


def test_an_index_that_has_wrapped_around_on_the_way_may_trap() -> None:
    """k + 5 - k is 5, but not where k + 5 is larger than an i64: sizes are exact."""
    wrong, right = (parse_fun(FIFTH.replace("WHICH", word)) for word in ("k", "0"))
    assert still_open(wrong).keys() == {(Kind.SIZES, "trap of d")}
    assert still_open(right) == {}
    with pytest.raises(Trap, match="out of bounds"):
        run_heap(wrong, "main", [2**63 - 3, [1] * 9])


@pytest.mark.parametrize("use", [SUMMED, BOUND, FIRST, BRANCH])
def test_what_values_depend_on_may_trap(use: str) -> None:
    """Neutral element, number of iterations, initial value, condition; all are sizes, too."""
    p = placed(TRAPS, {"BODY": use + ALLOCATED})
    assert not any(kind is Kind.SIZES for kind, _ in still_open(p))


def test_what_is_a_result_is_not_computed_for_memory_only() -> None:
    """Of the program, and of a body in it."""
    assert not still_open(placed(TRAPS, {"BODY": ALLOCATED, "in (n)": "in (d)"}))
    for result, is_open in (("1", True), ("f", False)):
        p = placed(TRAPS, {"/ k": "/ 2", "BODY": IN_A_THREAD, "RESULT": result, "i / 2": "i / k"})
        assert ((Kind.SIZES, "trap of f") in still_open(p)) is is_open


def test_obligations_say_how_long_they_took() -> None:
    """Together no longer than everything took."""
    p = parse_fun(CHOSEN)
    start = perf_counter()
    found = verify(p).obligations
    most = (perf_counter() - start) * 1e3
    assert all(o.ms > 0 for o in found)
    assert sum(o.ms for o in found) < most


# ---------------------------------------------------------------------- O6: arrays of arrays

MADE = """\
entry main [n] [k] [a : mem] (xs : [n][k]i32 @ a -> 0 + {(n : k) (k : 1)}) -> (r : i32) =
  let (m : mem) = alloc 12*n*k + 4
  let (x : [n][k]i32 @ m -> 0 + {(n : k) (k : 1)}) = copy xs
  let (y : [n][k]i32 @ m -> n*k + {(n : k) (k : 1)}) = copy xs
  let (z : [n][k]i32 @ m -> 2*n*k + AT + {(n : k) (k : 1)}) = copy xs
  let (w : [TYPE]i32 @ m -> 0 + {DIMS}) = EXP
  in (0i32)
"""


@pytest.mark.parametrize(
    ("type_", "dims", "exp", "what"),
    [
        ("3*n][k", "(3*n : k) (k : 1)", "concat 0 x y z", "part of a concatenation"),
        ("3][n][k", "(3 : n*k) (n : k) (k : 1)", "[x, y, z] : [n][k]i32", "row of a literal"),
    ],
)
@pytest.mark.parametrize(("at", "fine"), [("0", True), ("1", False)])
def test_parts_that_are_in_their_place_stay_there(
    type_: str, dims: str, exp: str, what: str, at: str, fine: bool
) -> None:
    """All of them; one that is nearly there overlaps where it goes."""
    found = still_open(placed(MADE, {"AT": at, "TYPE": type_, "DIMS": dims, "EXP": exp}))
    assert list(found) == ([] if fine else [(Kind.COPY, f"{what}: z to w")])


REPEATED = """\
entry main [n] [a : mem] (xs : *[n]i32 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (m : mem) = alloc 32
  let (x : [3]i32 @ m -> AT + {(3 : 1)}) = replicate [3] 1i32
  let (y : [2][3]i32 @ m -> 0 + {(2 : 3) (3 : 1)}) = replicate [2] x
  let (z : [2]i32 @ m -> 6 + {(2 : 1)}) = [1i32, 2i32] : i32
  let (w : [n]i32 @ a -> 0 + {(n : 1)}) = xs with flat [1 + {(2 : 1)}] = z
  in (0i32)
"""


def test_an_array_that_is_repeated_lies_elsewhere() -> None:
    p = placed(REPEATED, {"AT": "5", "alloc 32": "alloc 64", "-> 6": "-> 8", "5 +": "9 +"})
    assert still_open(placed(REPEATED, {"AT": "5", "-> 6": "-> 6"})).keys() == {
        (Kind.COPY, "replicate: x to y")
    }
    assert still_open(p) == {}
    places = [o.place for o in verify(p).obligations if o.kind is Kind.NOT_CLOBBERED]
    assert "literal to z" in places
