"""funmem verify: what is proved is right, what is refuted was seen, and little is left open."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from attrs import evolve

from funmem.ir.fun import Ann, Body, Kernel, Program
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.sizes import var
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import map_sub_bodies, walk
from funmem.ir.verify import Kind, Verdict, clobber, verify
from funmem.ir.verify.blocks import Blocks
from funmem.ir.verify.monotone import nonneg_by_ends
from funmem.passes.framework import as_tree
from funmem.passes.runner import Pipeline
from funmem.verify import judge
from tests.support.memory_check import CORPUS, EXAMPLES, difference, load
from tests.support.paths import TESTS
from tests.support.sampling import sampled
from tests.verify_mutants import trials
from tests.verify_table import staged

YARDSTICKS = sorted((TESTS / "yardsticks").glob("*.funmem"))
DATA = {Kind.WRITTEN}
"""Obligations of corpus programs that depend on data, not on annotations."""


def named(file: Path) -> str:
    return file.stem


def head(file: Path, key: str) -> str:
    """What a comment at the head of a program says."""
    lines = file.read_text().splitlines()
    return next((x.removeprefix(f"-- {key}: ") for x in lines if x.startswith(f"-- {key}: ")), "")


# ---------------------------------------------------------------------- yardsticks


def test_there_are_many_yardsticks() -> None:
    racy = [f for f in YARDSTICKS if head(f, "verify") == "REFUTED O3"]
    fine = [f for f in YARDSTICKS if head(f, "verify") == "PROVED"]
    assert len(YARDSTICKS) >= 60
    assert min(len(racy), len(fine)) >= 25


@pytest.mark.parametrize("file", YARDSTICKS, ids=named)
def test_a_yardstick_is_decided_rightly(file: Path) -> None:
    """Known patterns of access, racy and not: an inverted condition would show here."""
    want, _, kind = head(file, "verify").partition(" ")
    found = judge(load(file))
    assert found.verdict.value == want, [o.why for o in found.obligations if o.why]
    if kind:
        refuted = [o for o in found.obligations if o.verdict is Verdict.REFUTED]
        assert kind in {o.kind.value for o in refuted}
        assert all(o.counterexample is not None for o in refuted)


# ---------------------------------------------------------------------- programs


@pytest.mark.parametrize("stage", sampled(["allocate", "short-circuit", "merge"], 3, slow=6))
def test_annotations_that_passes_make_are_proved(stage: str) -> None:
    """All obligations of the corpus, but for elements that its programs never give a value."""
    open_ = [
        (file.name, o.kind.value, o.place, o.why)
        for file in (*CORPUS[::2], *EXAMPLES[::3])
        for o in verify(staged(file, stage)).obligations
        if o.verdict is not Verdict.PROVED and o.kind not in DATA
    ]
    assert open_ == []


@pytest.mark.parametrize("name", ["unwritten", "unwritten_without_iterations"])
def test_a_program_that_reads_holes_traps(name: str) -> None:
    """The program reads what nobody has written: a trap, so nobody may prove that it does not, and
    no memory is to blame.
    """
    found = judge(staged(TESTS / "corpus" / f"{name}.fun", "allocate"))
    (open_,) = [o for o in found.obligations if o.verdict is not Verdict.PROVED]
    assert (open_.kind, open_.verdict) == (Kind.WRITTEN, Verdict.TRAPS)
    assert open_.decided
    assert open_.counterexample is not None
    assert "were never written" in open_.counterexample.message
    assert found.verdict is Verdict.TRAPS


def test_a_hole_that_no_input_finds_stays_open() -> None:
    """That no square is 3 modulo 8, nobody proves, and no input shows it."""
    text = (TESTS / "corpus" / "unwritten.fun").read_text()
    never = "let (q : i64) = z * z let (q8 : i64) = q % 8 let (never : bool) = q8 == 3"
    source = parse_fun(text.replace("let (never : bool) = z < 0", never))
    found = judge(as_tree(Pipeline.parse("allocate").run(source)))
    (open_,) = [o for o in found.obligations if o.verdict is not Verdict.PROVED]
    assert (open_.kind, open_.verdict) == (Kind.WRITTEN, Verdict.BOUNDED)
    assert not open_.decided
    assert open_.bound > 10


@pytest.mark.slow
def test_no_proof_is_wrong() -> None:
    """Corrupted annotations; many more of them: python -m tests.verify_mutants."""
    found = [t for t in trials(25, seed=7) if t is not None]
    assert [t.name for t in found if t.is_wrong] == []
    assert sum(t.fault is not None for t in found) > 4
    assert sum(t.proved for t in found) > 4


LARGE = """\
entry main [n] [a : mem] (k : i64) (xs : [n]i64 @ a -> 0 + {(n : 1)}) -> (r : i64) =
  let (b : mem) = alloc SIZE*8
  let (big : [SIZE]i64 @ b -> 0 + {(SIZE : 1)}) = iota [SIZE] 0 1
  let (q : i64) = k * k
  let (q8 : i64) = q % 8
  let (h : bool) = q8 == 3
  let (s : i64) = if h then
      let (m : mem) = alloc 8*n
      let (x : [n]i64 @ m -> 0 + {(n : 1)}) = copy xs
      let (y : [n]i64 @ m -> 0 + {(n : 1)}) = kernel i < n do
        let (v : i64) = x[n - 1 - i]
        in (v)
      in (1)
    else
      in (2)
  in (s)
"""


@pytest.mark.parametrize(("size", "runs"), [(4, True), (2**40, False)])
def test_what_does_not_run_shows_nothing(size: int, *, runs: bool) -> None:
    """Only executions bound a verdict, of the memory and of what passes mean.  That no square is 3
    modulo 8, nobody proves.
    """
    p = parse_fun(LARGE.replace("SIZE", str(size)))
    found = judge(p, p)
    open_ = [o for o in found.obligations if o.verdict is not Verdict.PROVED]
    assert {o.kind for o in open_} == {Kind.RACE_FREE, Kind.MEANING}
    assert {o.verdict for o in open_} == {Verdict.BOUNDED if runs else Verdict.UNKNOWN}
    assert all((o.bound > 5) is runs for o in open_)


TWINS = """\
entry main [n] [a : mem] (k : i64) (xs : [n]i32 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (b : mem) = alloc 4*n
  let (x : [n]i32 @ b -> 0 + {(n : 1)}) = copy xs
  let (y : [n]i32 @ b -> 0 + {(n : 1)}) = kernel i < n do in (7i32)
  let (none : bool) = n < 1
  let (s : i32) = if none then
      let (c : mem) = alloc 4*k
      let (z : [k]i32 @ c -> 0 + {(k : 1)}) = kernel j < k do in (7i32)
      in (1i32)
    else
      let (d : mem) = alloc 4*n
      let (w : [n]i32 @ d -> 0 + {(n : 1)}) = copy x
      let (e : i32) = w[0]
      in (e)
  in (s)
"""


def test_a_body_may_be_at_two_places() -> None:
    """As one object: what is known at one of them is not known at the other."""
    p = parse_fun(TWINS)
    (e,) = p.entries
    (body,) = {s.exp.body for s in walk(e.body) if isinstance(s.exp, Kernel)}

    def shared(b: Body[Ann]) -> Body[Ann]:
        if b == body:
            return body
        return evolve(b, stms=tuple(evolve(s, exp=map_sub_bodies(s.exp, shared)) for s in b.stms))

    p = evolve(p, entries=(evolve(e, body=shared(e.body)),))
    (wrong,) = [o for o in judge(p).obligations if o.verdict is not Verdict.PROVED]
    assert (wrong.kind, wrong.verdict) == (Kind.NOT_CLOBBERED, Verdict.REFUTED)


# ---------------------------------------------------------------------- parts

TWO_BLOCKS = """\
entry main [n] [a : mem] (k : i64) (x : [n]i32 @ a -> 0 + {(n : 1)})
    -> [c : mem] (y : [n]i32 @ c -> 0 + {(n : 1)}) =
  let (b : mem) = alloc 4*n
  let (x1 : [n]i32 @ b -> 0 + {(n : 1)}) = copy x
  let (d : mem) = alloc 4*n
  let (x2 : [n]i32 @ d -> 0 + {(n : 1)}) = copy x
  let (m1 : mem) (m2 : mem) (z1 : [n]i32 @ m1 -> 0 + {(n : 1)})
      (z2 : [n]i32 @ m2 -> 0 + {(n : 1)}) =
    loop (p1 : mem) = b, (p2 : mem) = d, (q1 : *[n]i32 @ p1 -> 0 + {(n : 1)}) = x1,
        (q2 : *[n]i32 @ p2 -> 0 + {(n : 1)}) = x2 for i < k do
      let (r : [n]i32 @ p2 -> 0 + {(n : 1)}) = kernel j < n do
        let (v : i32) = q1[n - 1 - j]
        in (v)
      in (p2, p1, r, q1)
  let (e : mem) = alloc 4*n
  let (out : [n]i32 @ e -> 0 + {(n : 1)}) = copy z1
  in (e, out)
"""


def test_blocks_that_a_loop_exchanges_stay_apart() -> None:
    """Without the loop's invariant the kernel would be racy."""
    p = parse_fun(TWO_BLOCKS)
    blocks = Blocks.of_entry(p.entries[0])
    assert blocks.apart(Name("p1"), Name("p2"))
    assert not blocks.apart(Name("p1"), Name("b"))
    assert verify(p).verdict is Verdict.PROVED
    assert difference(p, p) is None


def test_blocks_that_may_meet_are_not_apart() -> None:
    """The same loop, started with one block twice."""
    p = parse_fun(
        TWO_BLOCKS.replace("(p2 : mem) = d", "(p2 : mem) = b").replace("@ d ->", "@ b ->")
    )
    assert not Blocks.of_entry(p.entries[0]).apart(Name("p1"), Name("p2"))
    assert judge(p).verdict is Verdict.REFUTED


def test_blocks_that_are_chosen_are_apart_from_none_of_the_choices() -> None:
    """By a branch, or by the number of iterations; a third block they are never."""
    text = """\
entry main (k : i64) (c : bool) -> (r : i64) =
  let (a : mem) = alloc 8
  let (b : mem) = alloc 8
  let (d : mem) = alloc 8
  let (p : mem) = if c then in (a) else in (b)
  let (q : mem) = loop (l : mem) = a for i < k do in (b)
  in (k)
"""
    blocks = Blocks.of_entry(parse_fun(text).entries[0])
    for x in "plq":
        met = {y for y in "abd" if not blocks.apart(Name(x), Name(y))}
        assert met == {"a", "b"}, x


def test_one_end_is_enough_if_the_slope_has_a_sign() -> None:
    """The other end may belong to an empty range."""
    i, j, n = var(Name("i")), var(Name("j")), var(Name("n"))
    facts = Facts().with_index(Name("i"), n).with_index(Name("j"), n - i - 1)
    assert nonneg_by_ends(n - i - j - 2, facts)
    assert not nonneg_by_ends(n - i - j - 3, facts)
    assert nonneg_by_ends((n - i) * (n + i) - 1, facts)  # concave
    assert not nonneg_by_ends(i * i - i - 1, facts)


def test_facts_are_not_taken_from_numbers_that_may_wrap_around() -> None:
    """``max(k + 1, 0)`` is less than k + 1 where k + 1 wraps around."""
    text = """\
entry main (k : i64) -> (r : i32) =
  let (s : i64) = k + 9223372036854775807
  let (t : i64) = min(s, 3)
  let (u : i64) = max(t, 1)
  let (m : mem) = alloc 4*u
  let (x : [3]i32 @ m -> 0 + {(3 : 1)}) = replicate [3] 1i32
  let (e : i32) = x[0]
  in (e)
"""
    found = judge(parse_fun(text))
    assert {o.kind for o in found.obligations if o.verdict is not Verdict.PROVED} == {Kind.INSIDE}


EARLIER = """\
entry main (n : i64) -> (r : i32) =
  let (m0 : mem) = alloc 4
  let (x0 : [1]i32 @ m0 -> 0 + {(1 : 1)}) = replicate [1] 0i32
  let (m : mem) (x : [1]i32 @ m -> 0 + {(1 : 1)}) =
    loop (p : mem) = m0, (q : [1]i32 @ p -> 0 + {(1 : 1)}) = x0 for i < n do
      let (b : mem) = alloc 4*i + 4
      let (y : [1]i32 @ b -> 0 + {(1 : 1)}) = replicate [1] 1i32
      let (z : [i + 1]i32 @ p -> 0 + {(i + 1 : 1)}) = replicate [i + 1] 2i32
      in (b, y)
  let (e : i32) = x[0]
  in (e)
"""


def test_a_block_of_an_earlier_iteration_has_another_size() -> None:
    """Its ``alloc`` mentions the loop's index, which was smaller then."""
    found = judge(parse_fun(EARLIER))
    assert {o.place for o in found.obligations if o.verdict is Verdict.REFUTED} == {"z"}


PARTLY = """\
entry main (n : i64) -> (r : i32) =
  let (m : mem) = alloc 4*n
  let (s : [n]i32 @ m -> 0 + {(n : 1)}) = scratch [n]i32
  let (f : [n]i32 @ m -> 0 + {(n : 1)}) =
    loop (p : *[n]i32 @ m -> 0 + {(n : 1)}) = s for i < n do
      let (h_mem : mem) = alloc 4
      let (h : [1]i32 @ h_mem -> 0 + {(1 : 1)}) = scratch [1]i32
      let (p1 : [n]i32 @ m -> 0 + {(n : 1)}) = p with [0 : 1] = VALUE
      let (p2 : [n]i32 @ m -> 0 + {(n : 1)}) = p1 with [i] = 5i32
      in (p2)
  let (e : i32) = f[0]
  in (e)
"""


def test_a_filled_array_may_be_emptied_again() -> None:
    """Iteration i fills element i, and takes the value of element 0 away."""
    found = judge(parse_fun(PARTLY.replace("VALUE", "h")))
    assert {o.kind for o in found.obligations if o.verdict is not Verdict.PROVED} == {Kind.WRITTEN}


def open_races(text: str) -> dict[str, str]:
    """The accesses of a program's kernels that are not proved to be race-free, and why."""
    found = verify(parse_fun(text)).obligations
    races = [o for o in found if o.kind is Kind.RACE_FREE and o.verdict is not Verdict.PROVED]
    return {o.place: o.why for o in races}


def test_arrays_of_threads_that_are_chosen_lie_elsewhere_in_each() -> None:
    """Both the array that a branch makes, and the update of whichever it is, may meet another
    iteration's; the reason names them.
    """
    made = "let (t{0} : [1]i32 @ m -> i + g + {{(1 : 1)}}) = replicate [1] {0}i32"
    made += " let (o{0} : i64) = i + g in (o{0}, t{0})"
    text = f"""\
entry main [n] [a : mem] (x : [n]i64 @ a -> 0 + {{(n : 1)}}) -> (r : i32) =
  let (m : mem) = alloc 4*n + 4
  let (z_mem : mem) = alloc 4*n
  let (z : [n]i32 @ z_mem -> 0 + {{(n : 1)}}) = kernel i < n do
    let (e : i64) = x[i]
    let (g : i64) = e % 2
    let (c : bool) = e > 5
    let (o : i64) (p : [1]i32 @ m -> o + {{(1 : 1)}}) = if c then {made.format(1)}
      else {made.format(2)}
    let (q : [1]i32 @ m -> o + {{(1 : 1)}}) = p with [0] = 3i32
    let (v : i32) = q[0]
    in (v)
  in (0i32)
"""
    found = open_races(text)
    assert found.keys() == {"kernel z: t1", "kernel z: t2", "kernel z: q"}
    assert all("another iteration " in why for why in found.values()), found


def test_rows_are_judged_where_there_are_rows() -> None:
    """A reduction over one dimension is one row."""
    text = """\
entry main [n] [a : mem] (x : [n]i64 @ a -> 0 + {(n : 1)}) -> (r : i64) =
  let (m : mem) = alloc 8*n
  let (s : i64) = kernel j < n reduce (\\ (u : i64) (w : i64) ->
    let (v : i64) = u + w in (v)) (0) do
    let (t : [1]i64 @ m -> j + {(1 : 1)}) = replicate [1] 3
    in (3)
  in (s)
"""
    places = [o.place for o in verify(parse_fun(text)).obligations]
    assert "kernel s: t" in places
    assert not any(p.startswith("rows: ") for p in places)


ROW = """\
entry main [n] [xs_mem : mem] (k : i64) (xs : [n]i32 @ xs_mem -> 0 + {(n : 1)}) -> (r : i32) =
  let (m : mem) = alloc 4*n
  let (x : [n]i32 @ m -> 0 + {(n : 1)}) = copy xs
  let (b : [1]i32 @ m -> PLACE + {(1 : 1)}) = replicate [1] 7i32
  let (a : i32) = x[READ]
  let (y : [n]i32 @ m -> 0 + {(n : 1)}) = x with [k : 1] = b
  let (e : i32) = y[k + 1]
  let (s : i32) = a + e
  in (s)
"""


@pytest.mark.parametrize(
    ("place", "read", "verdict"),
    [("k", "k + 1", Verdict.PROVED), ("k", "k", Verdict.REFUTED), ("k + 1", "k", Verdict.REFUTED)],
)
def test_an_array_may_be_built_where_an_update_will_put_it(
    place: str, read: str, verdict: Verdict
) -> None:
    """Unless somebody still reads what was there, or it is another place."""
    text = ROW.replace("PLACE", place).replace("READ", read)
    found = judge(parse_fun(text))
    clobbered = [o for o in found.obligations if o.kind is Kind.NOT_CLOBBERED]
    assert max((o.verdict for o in clobbered), key=list(Verdict).index) is verdict


def ill_placed(offset: int) -> Program[Ann]:
    text = f"""\
entry main [n] [a : mem] (x : [n]i32 @ a -> 0 + {{(n : 1)}}) -> (r : i32) =
  let (b : mem) = alloc 4*n
  let (y : [n]i32 @ b -> {offset} + {{(n : 1)}}) = copy x
  let (e : i32) = y[0]
  in (e)
"""
    return parse_fun(text)


def test_a_counterexample_is_an_execution() -> None:
    """It names the input, the block and the bytes."""
    found = judge(ill_placed(1))
    (refuted,) = [o for o in found.obligations if o.verdict is Verdict.REFUTED]
    assert refuted.kind is Kind.INSIDE
    assert refuted.counterexample is not None
    assert "block `b`" in refuted.counterexample.message
    assert refuted.counterexample.args


def test_nothing_is_refuted_without_running() -> None:
    """A failed proof is no counterexample."""
    assert judge(ill_placed(1), inputs=0).verdict is Verdict.UNKNOWN


OVERWRITTEN = """\
entry main (k : i64) -> (res : i64) (res2 : i64) =
  let (m : mem) = alloc 64
  let (x : [4]i64 @ m -> 0 + {(4 : 1)}) = iota [4] 10 1
  let (kk : i64) = k & 3
  let (k2 : i64) = kk + 4
  let (z1 : [1]i64 @ m -> AT + {(1 : 1)}) = replicate [1] 7i64
  let (r1 : i64) = z1[0]
  let (z2 : [1]i64 @ m -> 0 + {(1 : 1)}) = replicate [1] 8i64
  let (r2 : i64) = z2[0]
  let (a : i64) = x[0]
  let (b : i64) = x[3]
  let (s : i64) = a + b
  let (t : i64) = r1 + r2
  in (s, t)
"""


@pytest.mark.parametrize(
    ("at", "open_", "refuted"),
    [
        ("4", [], ["replicate to z2"]),
        ("k2", ["z1", "replicate to z2", "replicate to z1"], ["run"]),
    ],
)
def test_a_wrong_result_refutes_none_of_several(
    at: str, open_: list[str], refuted: list[str]
) -> None:
    """It does not say which of them does not hold; here z1 overwrites nothing in any case."""
    found = judge(parse_fun(OVERWRITTEN.replace("AT", at))).obligations
    assert [o.place for o in found if o.verdict is Verdict.UNKNOWN] == open_
    assert [o.place for o in found if o.verdict is Verdict.REFUTED] == refuted


def test_what_is_ill_typed_is_not_proved() -> None:
    p = ill_placed(0)
    wrong = evolve(p.entries[0].params[0].binder, type=p.entries[0].body.stms[2].pat[0].type)
    entry = evolve(p.entries[0], params=(evolve(p.entries[0].params[0], binder=wrong),))
    assert verify(Program((entry,))).verdict is Verdict.UNKNOWN


def test_what_means_nothing_is_not_run() -> None:
    """A faulty pass may bind a name to nothing: that is no counterexample, and no crash."""
    text = "entry f (x : [2]f32) -> (v : f32) =\n  let (w : f32) = x[0]\n  in (w)\n"
    after = Pipeline.parse("allocate").run(parse_fun(text, "after"))
    lost = as_tree(parse_fun(show(after).replace("x[0]", "y[0]"), "lost"))
    found = judge(lost, parse_fun(text, "before"))
    (meaning,) = (o for o in found.obligations if o.kind is Kind.MEANING)
    assert meaning.verdict is Verdict.UNKNOWN
    assert meaning.why.startswith("it is ill typed: ")
    assert found.verdict is not Verdict.PROVED


@pytest.mark.exhaustive
def test_loops_in_loops_do_not_multiply_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six loops in each of two: without widening, thousands after three of their rounds."""
    sizes = [0]

    def counted(needs: Iterable[clobber.Need]) -> clobber.Needs:
        found = merged(needs)
        sizes.append(len(found))
        assert sizes[-1] < 1000
        return found

    merged = clobber.merged
    monkeypatch.setattr(clobber, "merged", counted)
    certificate = verify(staged(TESTS / "programs/tier2/mixed/segmented_sort.fut", "default"))
    open_ = [o for o in certificate.obligations if o.verdict is not Verdict.PROVED]
    assert {o.kind for o in open_} == {Kind.RACE_FREE}, "scatters to places that are data"
    assert len(open_) == 4


HOLE = """\
entry main [n] (xs : [n]i64) -> (out : i64) =
  let (x : [n]i64) = copy xs
  let (x1 : [n]i64) = x with [0] = 3
  let (a : i64) = x1[1]
  let (y : [n]i64) = scratch [n]i64
  let (b : i64) = y[0]
  let (c : i64) = a + b
  in (c)
"""


@pytest.mark.parametrize(
    ("passes", "verdict"),
    [("allocate", Verdict.TRAPS), ("allocate,merge", Verdict.REFUTED)],
)
def test_a_trap_of_values_refutes_memory_that_has_an_answer(passes: str, verdict: Verdict) -> None:
    """What was never written is what was there before, once the block of another array is used."""
    source = parse_fun(HOLE)
    found = judge(as_tree(Pipeline.parse(passes).run(source)), source)
    (open_,) = [o for o in found.obligations if o.verdict is not Verdict.PROVED and o.kind in DATA]
    assert open_.verdict is verdict


OLD_CONTENTS = """\
entry main (n : i64) (i : i64) (k : u8) -> (r : i64) =
  let (m : mem) = alloc 8*n
  let (a : [n]i64 @ m -> 0 + {(n : 1)}) = iota [n] 0 1
  let (s : [n]i64 @ m -> 0 + {(n : 1)}) = scratch [n]i64
  let (c : bool) = k == 201u8
  let (t : [n]i64 @ m -> 0 + {(n : 1)}) =
    if c then
      in (s)
    else
      let (z : [n]i64 @ m -> 0 + {(n : 1)}) = iota [n] 0 1
      in (z)
  let (b : i64) = t[i]
  in (b)
"""


@pytest.mark.exhaustive
def test_inputs_are_searched_until_a_fault_is_found() -> None:
    """One value of a byte of 256, together with sizes and indices; a search by total size."""
    few, many = (judge(parse_fun(OLD_CONTENTS), inputs=k) for k in (60, 20_000))
    assert few.verdict is Verdict.BOUNDED
    assert many.verdict is Verdict.REFUTED
    (wrong,) = [o for o in many.obligations if o.verdict is Verdict.REFUTED]
    assert wrong.counterexample is not None
    assert wrong.counterexample.args[2] == "201u8"


CUBE = """\
entry main (k : i64) -> (r : i8) =
  let (v : i8) = i8(k)
  let (a : [512]i8) = replicate [512] v
  let (b : [512][512]i8) = replicate [512] a
  let (c : [512][512][512]i8) = replicate [512] b
  let (d : [3][512][512][512]i8) = replicate [3] c
  let (x : i8) = d[2, 1, 2, 3]
  in (x)
"""


def test_a_block_may_be_as_large_as_an_array_was() -> None:
    """Only where arrays were small does a large block refute anything."""
    source = parse_fun(CUBE)
    found = judge(as_tree(Pipeline.parse("allocate").run(source)), source)
    assert found.verdict is Verdict.PROVED


ENDLESS = """\
entry main [n] (xs : [n]i64) (step : i64) -> (total : i64) =
  let (sum : i64) (last : i64) (go : bool) =
    loop (acc : i64) = 0, (i : i64) = 0, (more : bool) = true while more do
      let (next : i64) = i + step
      let (acc1 : i64) = acc + i
      let (again : bool) = next < n
      in (acc1, next, again)
  in (sum)
"""


def test_a_program_without_end_is_not_run_to_its_end() -> None:
    """A step of 0 is among the small inputs."""
    source = parse_fun(ENDLESS)
    found = judge(as_tree(Pipeline.parse("allocate").run(source)), source)
    (meaning,) = [o for o in found.obligations if o.kind is Kind.MEANING]
    assert (meaning.verdict, meaning.bound > 30) == (Verdict.BOUNDED, True)
