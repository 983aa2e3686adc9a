"""schedule: collectives become threads and sequential folds, and nothing changes its value.

Protects ``passes/fun/schedule/``.  ``tests/passes/fun/schedule/*.fun`` holds programs per rule,
(S1) to (S5); ``tests/golden/schedule/`` what becomes of them.
"""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest

from funmem.interp.value import run
from funmem.ir.diagnostics import Trap, TrapKind
from funmem.ir.fun import Ann, ArrayType, Kernel, Map, Program
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL
from funmem.ir.signature import Signature, signature
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import walk
from funmem.ir.values import ArgValue, Value, agree, dtype
from funmem.ir.verify.certificate import Verdict
from funmem.ir.verify.checks import judged
from funmem.passes.lower import entry_point
from funmem.testing import generate
from tests.support.memory_check import before_and_after, load, through
from tests.support.sampling import sampled

HERE = Path(__file__).parent / "schedule"
PROGRAMS = sorted(f.stem for f in HERE.glob("*.fun"))
ENTRIES = [(f, e.name) for f in PROGRAMS for e in load(HERE / f"{f}.fun").entries]
THREADS = (1, 3, 4, 128)

TRAPS = {
    "negative": (TrapKind.NEGATIVE_SIZE,),
    "negative_rows": (TrapKind.NEGATIVE_SIZE, TrapKind.DIVISION),
    "beyond": (TrapKind.DIVISION,),
    "constants": (TrapKind.NEGATIVE_SIZE,),
    "divides": (TrapKind.DIVISION,),
}
"""What programs, or one of their entries, are there to meet."""

Outcome = tuple[Value, ...] | TrapKind


@cache
def program(name: str) -> Program[Ann]:
    return load(HERE / f"{name}.fun")


@cache
def scheduled(name: str, threads: int) -> Program[Ann]:
    """Types and the postcondition are checked."""
    return through(program(name), f"schedule{{threads={threads}}}")


def outcome(p: Program[Ann], entry: str, args: tuple[ArgValue, ...]) -> Outcome:
    try:
        return run(p, Name(entry), args)
    except Trap as t:
        return t.kind


def same(a: Outcome, b: Outcome) -> bool:
    if isinstance(a, TrapKind) or isinstance(b, TrapKind):
        return a is b
    return agree(a, b) is None


def no_collectives(p: Program[Ann]) -> bool:
    return all(
        isinstance(s.exp.collective, Map)
        for e in p.entries
        for s in walk(e.body)
        if isinstance(s.exp, Kernel)
    )


# ---------------------------------------------------------------------- before and after


@pytest.mark.parametrize("name", PROGRAMS)
def test_before_and_after(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"schedule/{name}.fun", before_and_after(program(name), "schedule{threads=4}"))


# ---------------------------------------------------------------------- the same values

LENGTHS = (0, 1, 2, 3, 4, 5, 7, 8, 9)
"""None, fewer than the threads, as many, one more, a multiple, and no multiple."""

STRIPS = (63, 64, 65, 192, 300)
"""No strip of 64, one, and an element more; as many as threads; chunks of two, and a rest."""

ROWS = (127, 128, 129, 255, 256, 300)
"""Below and from the length at which rows of one and of two bytes go in strips; with and without
a rest.
"""


def arguments(
    sig: Signature, rng: Random, lengths: tuple[int, ...] = LENGTHS
) -> Iterator[tuple[ArgValue, ...]]:
    """The first size in all lengths, the others small; scalars from -1."""
    first = sig.sizes[0] if sig.sizes else Name("")
    for n in lengths:
        sizes = {x: n if x == first else rng.randint(0, 3) for x in sig.sizes}
        args: list[ArgValue] = []
        for p in sig.params:
            if isinstance(p.type, ArrayType):
                shape = tuple(d.eval(sizes.__getitem__) for d in p.type.shape)
                low = 0 if p.type.elem is BOOL else -2
                cells = [rng.randint(low, 4) for _ in range(int(np.prod(shape)))]
                args.append(np.array(cells, dtype(p.type.elem)).reshape(shape))
            else:
                args.append(rng.choice((-1, 0, 1, 2, n)))
        yield tuple(args)


@pytest.mark.parametrize(("name", "entry"), sampled(ENTRIES, 24), ids=lambda x: str(x))
def test_the_values_stay(name: str, entry: str) -> None:
    (sig,) = (signature(e) for e in program(name).entries if e.name == entry)
    rng = Random(entry)
    kinds = set()
    for _ in range(3):
        for args in arguments(sig, rng):
            want = outcome(program(name), entry, args)
            for threads in THREADS:
                got = outcome(scheduled(name, threads), entry, args)
                assert same(want, got), f"{threads} threads, {args}: {want}, then {got}"
            kinds.add(want if isinstance(want, TrapKind) else None)
    assert kinds == {None, *TRAPS.get(name, ()), *TRAPS.get(entry, ())}


@pytest.mark.parametrize("n", [2**61, 2**62 - 1, 2**62, 2**63 - 1])
@pytest.mark.parametrize("entry", ["sum", "counts", "sum4", "counts4"])
def test_a_kernel_beyond_i64_traps_as_it_did(entry: str, n: int) -> None:
    """No chunk starts, or ends, where i64 has wrapped around."""
    rows = np.empty((n, 0), np.int8)
    args = (rows, np.zeros(2, np.int64), 0) if entry.startswith("counts") else (rows, 0)
    for threads in THREADS:
        assert outcome(scheduled("beyond", threads), entry, args) is TrapKind.DIVISION


@pytest.mark.parametrize(("n", "m"), [(0, 2**62), (0, -5), (2, 3)])
def test_a_guard_takes_no_memory(n: int, m: int) -> None:
    """A dimension that never runs may be longer than any array, even one without elements."""
    p = parse_fun("""
entry main (n : i64) (m : i64) -> (r : [n]i64) =
  let (y : [n]i64) = kernel i < n, j < m reduce (\\(a : i64) (b : i64) ->
      let (d : i64) = a + b
      in (d)) (0) do
    let (v : i64) = i + j
    in (v)
  in (y)""")
    for threads in THREADS:
        q = through(p, f"schedule{{threads={threads}}}")
        assert same(outcome(p, "main", (n, m)), outcome(q, "main", (n, m)))


@pytest.mark.parametrize("entry", [e.name for e in load(HERE / "strips.fun").entries])
def test_strips_leave_nothing_out(entry: str) -> None:
    """Strips, chunks of them, and what is left over."""
    (sig,) = (signature(e) for e in program("strips").entries if e.name == entry)
    for args in arguments(sig, Random(entry), STRIPS):
        want = outcome(program("strips"), entry, args)
        for threads in (1, 3):
            assert same(want, outcome(scheduled("strips", threads), entry, args)), threads


def in_strips(p: Program[Ann]) -> dict[str, bool]:
    """Of each entry point, whether it folds in strips."""
    return {
        e.name: any(isinstance(s.exp, Kernel) and len(s.exp.dims) == 2 for s in walk(e.body))
        for e in p.entries
    }


def test_strips_are_for_what_commutes_and_cannot_trap() -> None:
    assert in_strips(scheduled("strips", 4)) == {
        **{"sum": True, "known": True, "triple": True},
        **{"crossed": False, "quotient": False},
        **{"choice": True, "quotient_chosen": False},
    }


MOVES = """
entry main [n] (as : [n]i32) (bs : [n]i32) -> (ra : i32) (rb : i32) (rc : i32) (rd : i32) =
  let (sa : i32) (sb : i32) (sc : i32) (sd : i32) = kernel i < n reduce
    (\\ (a1 : i32) (b1 : i32) (c1 : i32) (d1 : i32) (a2 : i32) (b2 : i32) (c2 : i32) (d2 : i32) ->
    let (a : i32) = a1 * a2 + b1 * c2
    let (b : i32) = a1 * b2 + b1 * d2
    let (c : i32) = c1 * a2 + d1 * c2
    let (d : i32) = c1 * b2 + d1 * d2 TOO_FEW
    in (a, b, c, d)) (1i32, 0i32, 0i32, 1i32) do
    let (x : i32) = as[i]
    let (y : i32) = bs[i]
    let (z : i32) = x * y + 1i32
    in (z, x, y, 1i32)
  in (sa, sb, sc, sd)"""
"""Products of matrices with determinant 1, in order."""


def test_long_operators_that_do_not_commute_keep_the_order_in_strips() -> None:
    """Each lane has a contiguous part; parts of all lanes, and what they leave, are in order."""
    long = " + ".join(["0i32 * (a1 - b2)"] * 2)
    p = parse_fun(MOVES.replace("TOO_FEW", f"+ {long}"))
    q = through(p, "schedule{threads=3}")
    assert in_strips(q) == {"main": True}
    assert in_strips(through(parse_fun(MOVES.replace("TOO_FEW", "")), "schedule")) == {
        "main": False
    }
    rng = np.random.default_rng(7)
    for n in (0, 1023, 1100, 3100):
        args = tuple(rng.integers(-9, 9, n).astype(np.int32) for _ in range(2))
        assert same(outcome(p, "main", args), outcome(q, "main", args)), n


TWO_RESULTS = """
entry main [n] [m] (xs : [n]i8) (ws : [m]TYPE) -> (ra : i8) (rb : RESULT) =
  let (sa : i8) (sb : RESULT) = kernel i < n reduce COMM
    (\\ (a1 : i8) (b1 : RESULT) (a2 : i8) (b2 : RESULT) ->
    let (a3 : i8) = a1 + a2 OP) (0i8, START) do
    let (x : i8) = xs[i]
    in (x, VALUE)
  in (sa, sb)"""
SCALAR = {"TYPE": "i8", "RESULT": "i8"}


@pytest.mark.parametrize(
    ("words", "strips"),
    [
        ({**SCALAR, "COMM": "", "OP": "let (b3 : i8) = max(b1, b2) in (a3, b3)"}, True),
        ({**SCALAR, "COMM": "", "OP": "in (a3, 0i8)"}, False),
        ({**SCALAR, "COMM": "comm", "OP": "in (a3, 0i8)"}, True),
        ({**SCALAR, "COMM": "comm", "OP": "let (b3 : i8) = b1 / (b2 + 9i8) in (a3, b3)"}, False),
        ({"TYPE": "i8", "RESULT": "[m]i8", "COMM": "comm", "OP": "in (a3, b1)"}, False),
    ],
)
def test_each_operand_is_a_scalar_and_no_operator_traps(
    words: dict[str, str], strips: bool
) -> None:
    text = TWO_RESULTS
    start = "0i8" if words["RESULT"] == "i8" else "ws"
    for word, meant in {**words, "START": start, "VALUE": start}.items():
        text = text.replace(word, meant)
    p = parse_fun(text)
    q = through(p, "schedule{threads=3}")
    assert in_strips(q) == {"main": strips}
    args = np.arange(200, dtype=np.int8), np.ones(3, np.int8)
    assert same(outcome(p, "main", args), outcome(q, "main", args))


FLOATS = """
entry main [n] (xs : [n]f32) -> (r : f32) =
  let (s : f32) = kernel i < n reduce comm (\\ (a : f32) (b : f32) ->
    OP let (c : f32) = max(a, b)
    in (c)) (-1.0f32) do
    let (x : f32) = xs[i]
    let (y : f32) = EXP
    in (y)
  in (s)"""


@pytest.mark.parametrize(
    ("exp", "op", "strips"),
    [
        ("x", "", True),
        ("1.0f32 / (x * x + 1.0f32)", "", True),
        ("(x * x + 1.0f32) / 8.0f32", "", True),
        ("x / (x + 1.0f32)", "", True),
        ("(x * x) / (x + 1.0f32)", "", False),
        ("xs[n - 1 - i]", "", False),
        ("x", "let (k : f32) = xs[0]", False),
    ],
)
def test_only_the_kernel_reads_and_at_its_index(exp: str, op: str, strips: bool) -> None:
    """A quotient of floats does not trap, where it is plain to see that it is one."""
    p = parse_fun(FLOATS.replace("EXP", exp).replace("OP", op))
    q = through(p, "schedule{threads=3}")
    assert in_strips(q) == {"main": strips}
    args = (np.arange(200, dtype=np.float32),)
    assert same(outcome(p, "main", args), outcome(q, "main", args))


@pytest.mark.parametrize(
    ("size", "ahead", "strips"),
    [("n - 1", "i + 1", True), ("n - 2", "i + 1", True), ("n - 1", "i + 2", False)],
)
def test_neighbours_are_read_from_views(size: str, ahead: str, strips: bool) -> None:
    """Where the array is sure to have them; otherwise the same element as before is missing."""
    p = parse_fun(
        f"""
entry main [n] (xs : [n]i64) -> (r : bool) =
  let (s : bool) = kernel i < {size} reduce (\\ (a : bool) (b : bool) ->
    let (c : bool) = a && b
    in (c)) (true) do
    let (x : i64) = xs[i]
    let (y : i64) = xs[{ahead}]
    let (z : bool) = x <= y
    in (z)
  in (s)"""
    )
    q = through(p, "schedule{threads=3}")
    assert ("lane_1 < 64 do" in show(q)) == strips
    for n in (0, 1, 2, 200):
        xs = np.arange(n)
        for args in ((xs,), (np.append(xs, -1),)):
            assert same(outcome(p, "main", args), outcome(q, "main", args))


ONE_ROW = """
entry main [n] [q] (xs : [n][LENGTH]i8) (zs : [q][LENGTH]i8) -> (r : [n]i8) =
  let (s : [n]i8) = kernel i < n, j < LENGTH reduce (\\ (a : i8) (b : i8) ->
    let (c : i8) = a + b
    in (c)) (0i8) do
    let (row : [LENGTH]i8) = READ
    let (x : i8) = row[j]
    in (x)
  in (s)"""


@pytest.mark.parametrize(
    ("length", "read", "strips"),
    sampled(
        [
            (127, "xs[i, 0 : 127]", False),
            (128, "xs[i, 0 : 128]", True),
            (128, "xs[i, 127 : 128 : -1]", False),
            (128, "xs[n - 1 - i, 0 : 128]", False),
            (128, "xs[j, 0 : 128]", False),
            (128, "zs[i, 0 : 128]", True),
        ],
        6,
        slow=6,
    ),
)
def test_the_rows_are_those_of_the_kernel(length: int, read: str, strips: bool) -> None:
    """Contiguous and long; if there are fewer than it has, the first one that is missing traps."""
    p = parse_fun(ONE_ROW.replace("LENGTH", str(length)).replace("READ", read))
    q = through(p, "schedule{threads=3}")
    assert in_strips(q) == {"main": strips}
    for n, rows in ((0, 1), (1, 1), (2, 1), (200, 1)):
        xs, zs = (np.arange(k * length, dtype=np.int8).reshape(k, length) for k in (n, rows))
        args = xs, zs
        assert same(outcome(p, "main", args), outcome(q, "main", args))


PARTS = """
entry main [n] [w] (xs : [n][w]i8) (k : i64) (m : i64) -> (r : [n]i8) =
  let (none : bool) = m >= 0
  assert none "negative"
  let (s : [n]i8) = kernel i < n, j < m reduce (\\ (a : i8) (b : i8) ->
    let (c : i8) = a + b
    in (c)) (0i8) do
    let (row : [w]i8) = xs[i, 0 : w]
    let (part : [m]i8) = row[k : m]
    let (x : i8) = part[j]
    in (x)
  in (s)"""


def test_parts_of_rows_go_in_strips() -> None:
    """Where no iteration runs, a part that is outside does not trap."""
    p = parse_fun(PARTS)
    q = through(p, "schedule{threads=3}")
    assert in_strips(q) == {"main": True}
    xs = np.arange(600, dtype=np.int16).astype(np.int8).reshape(3, 200)
    traps = 0
    for k, m in ((0, 200), (5, 195), (5, 128), (6, 195), (-1, 150), (300, 0), (100, 3), (198, 3)):
        for given in (xs, xs[:0]):
            want = outcome(p, "main", (given, k, m))
            traps += isinstance(want, TrapKind)
            assert same(want, outcome(q, "main", (given, k, m))), (k, m)
    assert traps == 3


@pytest.mark.parametrize("entry", sampled([e.name for e in load(HERE / "rows.fun").entries], 4))
def test_rows_are_whole(entry: str) -> None:
    (sig,) = (signature(e) for e in program("rows").entries if e.name == entry)
    for args in arguments(sig, Random(entry), ROWS):
        want = outcome(program("rows"), entry, args)
        assert same(want, outcome(scheduled("rows", 4), entry, args))


def test_long_rows_go_in_strips() -> None:
    assert in_strips(scheduled("rows", 4)) == {
        **{"sums": True, "weighted": True, "known": True, "above": True},
        **{"short": False, "columns": False, "transposed": False, "crossed": False},
    }


@pytest.mark.parametrize("threads", [1, 2, 3, 128])
@pytest.mark.parametrize("seed", sampled(range(40), 16))
def test_generated_programs(seed: int, threads: int) -> None:
    g = generate(seed)
    p = through(g.program, f"schedule{{threads={threads}}}")
    assert no_collectives(p)
    want = outcome(g.program, g.entry, g.args)
    assert same(want, outcome(p, g.entry, g.args))


# ---------------------------------------------------------------------- details


def test_a_program_without_collectives_stays() -> None:
    p = parse_fun(
        """entry main [n] (xs : [n]i64) -> (ys : [n]i64) =
          let (ys1 : [n]i64) = kernel i < n do
            let (x : i64) = xs[i]
            let (y : i64) = loop (a : i64) = x for t < 3 do
              let (b : i64) = a + t
              in (b)
            in (y)
          in (ys1)""",
        "map.fun",
    )
    assert through(p, "schedule") == p


def test_twice_is_once() -> None:
    for name in PROGRAMS:
        assert through(scheduled(name, 4), "schedule{threads=4}") == scheduled(name, 4)


def test_a_guard_survives_simplification() -> None:
    """A negative size traps also after what nobody reads was removed."""
    for e in program("negative").entries:
        p = through(scheduled("negative", 4), "simplify")
        for args in arguments(signature(e), Random(e.name)):
            assert same(outcome(program("negative"), e.name, args), outcome(p, e.name, args))


@pytest.mark.parametrize(("buckets", "threads"), [(1, 8), (4, 4), (5, 3), (16, 1), (100, 1)])
def test_private_histograms_are_no_larger_than_the_input(buckets: int, threads: int) -> None:
    """16 elements, 8 threads at most: together they have 16 private buckets, or one thread."""
    p = parse_fun(
        f"""entry main (xs : [16]i64) -> (r : [{buckets}]i32) =
          let (h : [{buckets}]i32) = replicate [{buckets}] 0i32
          let (s : [{buckets}]i32) = kernel i < 16 hist (h) (\\ (a : i32) (b : i32) ->
            let (c : i32) = a + b
            in (c)) (0i32) do
            let (x : i64) = xs[i]
            in (x, 1i32)
          in (s)""",
        "hist.fun",
    )
    after = through(p, "schedule{threads=8},simplify")
    first = next(s.exp for s in walk(after.entries[0].body) if isinstance(s.exp, Kernel))
    assert [d.size.as_const for d in first.dims] == [threads]


@pytest.mark.parametrize(("name", "entry"), [("reduce", "compose"), ("hist", "counts")])
def test_what_a_chunk_reads_is_proved_to_be_there(name: str, entry: str) -> None:
    """The check of a chunk's view can never fail, which the verifier sees."""
    (e,) = (e for e in scheduled(name, 4).entries if e.name == entry)
    found = judged(through(Program((e,)), "simplify,allocate").entries[0], entry_point).obligations
    assert [o.place for o in found if o.verdict is not Verdict.PROVED] == []


def test_so_are_those_of_a_product_of_sizes() -> None:
    p = parse_fun(
        """entry main [n] [m] (xs : [n][m]i64) -> (r : i64) =
          let (ys : [n*m]i64) = reshape [n*m] xs
          let (s : i64) = kernel i < n*m reduce (\\ (a : i64) (b : i64) ->
            let (c : i64) = b + 3 * a
            in (c)) (0) do
            let (x : i64) = ys[i]
            in (x)
          in (s)""",
        "product.fun",
    )
    after = through(p, "schedule,simplify,allocate")
    found = judged(after.entries[0], entry_point).obligations
    assert [o.place for o in found if o.verdict is not Verdict.PROVED] == []
