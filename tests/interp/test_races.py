"""Race freedom (paper 002, eq. 4): what is a race, what is none, and what its report says."""

import math
from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pytest

from funmem.interp import places, run_heap
from funmem.interp.heap_memory import Heap
from funmem.interp.imp import Order, run_imp
from funmem.interp.places import Block, Place
from funmem.interp.races import Site, Use, Watch
from funmem.interp.value import run as run_value
from funmem.ir.diagnostics import FaultKind, MemoryFault
from funmem.ir.fun import Const, Program, Stm
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.scalars import I32, I64, U8
from funmem.ir.text import parse_fun
from funmem.ir.values import agree
from funmem.passes.runner import Pipeline
from tests.interp.test_heap import R1, X, entry, fault, heap

ZERO_TO_N = "{(n : 1)}"


def kernel(body: str, dims: str = "i < n", head: str = "(n : i64)") -> str:
    """A kernel over ``dims`` with a block ``t`` of 64 bytes outside it."""
    return entry(
        head,
        f"""
  let (t : mem) = alloc 64
  let (r1 : mem) = alloc 8*n
  let (y1 : {R1}) = kernel {dims} do
    {body}
    in (v)""",
    )


SHARED = """let (a : [2]i64 @ t -> 0 + {(2 : 1)}) = iota [2] i 1
    let (v : i64) = a[1]"""
EXPANDED = SHARED.replace("t -> 0 +", "t -> 2*i +")


def test_two_iterations_write_the_same_place():
    f = fault(kernel(SHARED), 2)
    assert f.kind is FaultKind.RACE
    assert f.diagnostic.message.splitlines() == [
        "iteration (i = 1) writes bytes 0 to 15 of block `t`, which iteration (i = 0) writes",
        "  writes: t.mem:6:5: let (a : [2]i64 @ t -> 0 + {(2 : 1)}) = iota [2] i 1",
        "  writes: t.mem:6:5: let (a : [2]i64 @ t -> 0 + {(2 : 1)}) = iota [2] i 1",
    ]
    assert f.diagnostic.hint.startswith("the iterations are those of t.mem:5:3: let (y1 : ")


def test_one_iteration_is_no_race():
    assert heap(kernel(SHARED), 1) == [[1]]


def test_no_iteration_is_no_race():
    assert heap(kernel(SHARED), 0) == [[]]


def test_places_that_differ_are_no_race():
    assert heap(kernel(EXPANDED), 4) == [[1, 2, 3, 4]]


def test_memory_of_an_iteration_is_no_race():
    private = SHARED.replace("let (a", "let (p : mem) = alloc 16\n    let (a").replace("@ t", "@ p")
    assert heap(kernel(private), 4) == [[1, 2, 3, 4]]


def in_place(index: str) -> str:
    """A kernel that writes its results where ``x`` lies, and reads ``x[index]``."""
    return entry(
        X,
        f"""
  let (b : mem) = alloc 8*n
  let (c : [n]i64 @ b -> 0 + {ZERO_TO_N}) = copy x
  let (r1 : mem) = b
  let (y1 : {R1}) = kernel i < n do
    let (v : i64) = c[{index}]
    in (v)""",
    )


def test_an_iteration_may_read_what_it_will_write():
    assert heap(in_place("i"), [1, 2, 3]) == [[1, 2, 3]]


def test_an_iteration_reads_what_another_wrote():
    f = fault(in_place("0*i"), [1, 2, 3])
    assert f.diagnostic.message.splitlines()[0] == (
        "iteration (i = 1) reads bytes 0 to 7 of block `b`, which iteration (i = 0) writes"
    )
    assert "c[0]" in f.diagnostic.message


def test_an_iteration_writes_what_another_read():
    f = fault(in_place("n - 1"), [1, 2, 3])
    assert f.diagnostic.message.splitlines()[0] == (
        "iteration (i = 2) writes bytes 16 to 23 of block `b`, which iteration (i = 0) reads"
    )


def test_a_place_read_by_its_writer_and_somebody_else():
    """The first reader is the writer itself: the second must not be forgotten."""
    text = in_place("i").replace(
        "let (v : i64) = c[i]",
        """let (w : i64) = c[0]
    let (last : bool) = i == n - 1
    let (v : i64) = if last then let (u : i64) = c[0] in (u) else in (w)""",
    )
    assert fault(text, [1, 2]).kind is FaultKind.RACE


def test_many_may_read_one_place():
    text = entry(
        X,
        f"""
  let (r1 : mem) = alloc 8*n
  let (y1 : {R1}) = kernel i < n do
    let (v : i64) = x[0]
    in (v)""",
    )
    assert heap(text, [7, 8, 9]) == [[7, 7, 7]]


def test_elements_of_different_size_are_compared_by_their_bytes():
    """Iteration i writes the i64 number i, and the i32 number 1 - i: the half of another's i64."""
    body = """let (a : [1]i64 @ t -> i + {(1 : 1)}) = replicate [1] 1
    let (b : [1]i32 @ t -> 1 - i + {(1 : 1)}) = replicate [1] 2i32
    let (v : i64) = i"""
    f = fault(kernel(body), 2)
    assert f.diagnostic.message.splitlines()[0] == (
        "iteration (i = 1) writes bytes 0 to 3 of block `t`, which iteration (i = 0) writes"
    )


def test_smaller_elements_between_larger_ones_are_no_race():
    body = """let (a : [1]i64 @ t -> 2*i + {(1 : 1)}) = replicate [1] 1
    let (b : [1]i32 @ t -> 4*i + 2 + {(1 : 1)}) = replicate [1] 2i32
    let (c : [1]u8 @ t -> 16*i + 12 + {(1 : 1)}) = replicate [1] 2u8
    let (v : i64) = a[0]"""
    assert heap(kernel(body), 4) == [[1] * 4]


def nested(home: str, alloc: str) -> str:
    """The iterations of an inner kernel over j write to ``home`` of a block."""
    inside = f"let (p : mem) = {alloc}"
    return kernel(
        f"""{inside}
    let (q : mem) = alloc 24
    let (z : [3]i64 @ q -> 0 + {{(3 : 1)}}) = kernel j < 3 do
      let (a : [1]i64 @ p -> {home} + {{(1 : 1)}}) = replicate [1] j
      let (w : i64) = a[0]
      in (w)
    let (v : i64) = z[2]"""
    )


def test_a_race_of_a_nested_kernel():
    """Errata 19: the iterations of one inner kernel, in one iteration of the outer."""
    f = fault(nested("0", "alloc 64"), 1)
    assert "iteration (j = 1) writes" in f.diagnostic.message
    assert "kernel j < 3" in f.diagnostic.hint


def test_a_race_of_the_outer_kernel_in_a_nested_one():
    f = fault(nested("j", "t"), 2)
    assert "iteration (i = 1) writes bytes 0 to 7 of block `t`" in f.diagnostic.message
    assert "kernel i < n" in f.diagnostic.hint


@pytest.mark.parametrize(("home", "alloc"), [("j", "alloc 64"), ("3*i + j", "t")])
def test_nested_kernels_without_a_race(home, alloc):
    assert heap(nested(home, alloc), 2) == [[2, 2]]


def test_all_indices_of_a_nest_are_named():
    text = """entry main (n : i64) -> (r : i64) =
      let (t : mem) = alloc 64
      let (q : mem) = alloc 8*n*n
      let (y : [n][n]i64 @ q -> 0 + {(n : n) (n : 1)}) = kernel i < n, j < n do
        let (a : [1]i64 @ t -> j + {(1 : 1)}) = replicate [1] i
        let (v : i64) = a[0]
        in (v)
      in (0)"""
    message = fault(text, 2).diagnostic.message
    assert "iteration (i = 1, j = 0) writes" in message
    assert "which iteration (i = 0, j = 0) writes" in message


def test_results_of_two_kernels_may_share_a_place():
    """A kernel is a barrier: what earlier kernels did is no conflict."""
    text = entry(
        X,
        f"""
  let (r1 : mem) = alloc 8*n
  let (a : {R1}) = kernel i < n do
    let (v : i64) = x[i]
    in (v)
  let (y1 : {R1}) = kernel j < n do
    let (w : i64) = x[n - 1 - j]
    in (w)""",
    )
    assert heap(text, [1, 2, 3]) == [[3, 2, 1]]


def test_a_scatter_index_that_occurs_twice():
    text = """entry main [n] [m : mem] [l : mem] (x : *[n]i64 @ m -> 0 + {(n : 1)})
        (is : [n]i64 @ l -> 0 + {(n : 1)}) -> [r : mem] (y : [n]i64 @ r -> 0 + {(n : 1)}) =
      let (b : mem) = alloc 8*n
      let (v : [n]i64 @ b -> 0 + {(n : 1)}) = iota [n] 5 1
      let (s : [n]i64 @ m -> 0 + {(n : 1)}) = scatter x is v
      in (m, s)"""
    assert heap(text, [0, 0, 0], [2, 0, 9]) == [[6, 0, 5]]
    f = fault(text, [0, 0, 0], [2, 9, 2])
    assert "iteration (k = 2) writes bytes 16 to 23 of block `m`" in f.diagnostic.message
    f = fault(text, [0, 0, 5], [2, 9, 2])
    assert f.kind is FaultKind.RACE
    assert f.diagnostic.message.splitlines() == [
        "iteration (k = 2) writes bytes 16 to 23 of block `m`, which iteration (k = 0) writes as "
        "they were",
        "  writes: t.mem:5:7: let (s : [n]i64 @ m -> 0 + {(n : 1)}) = scatter x is v",
        "  writes as they were: t.mem:5:7: let (s : [n]i64 @ m -> 0 + {(n : 1)}) = scatter x is v",
    ]


HALF_HOLES = """entry main [n] [m] (is : [n]i64) (xs : [m][2]i64) -> (out : [m]i64) =
  let (none : [2]i64) = scratch [2]i64
  let (row : [2]i64) = none with [0] = 5
  let (rows : [n][2]i64) = replicate [n] row
  let (x : [m][2]i64) = copy xs
  let (y : [m][2]i64) = scatter x is rows
  let (first : [m]i64) = y[0 : m, 0]
  let (z : [m]i64) = copy first
  in (z)
"""


@pytest.mark.parametrize("indices", [[0, 0], [1, 1, 1], [0, -1, 7, 0]])
def test_an_unwritten_element_is_written_as_it_was(indices: list[int]) -> None:
    """Of equal rows, half of which nobody has written, it does not matter which one stays."""
    in_memory = Pipeline.parse("allocate").run(parse_fun(HALF_HOLES))
    imp = Pipeline.parse("lower").run(in_memory)
    assert isinstance(in_memory, Program)
    assert isinstance(imp, ImpProgram)
    args = (np.array(indices), np.array([[1, 2], [3, 4]]))
    (want,) = run_value(in_memory, "main", args)
    results = [run_heap(in_memory, "main", args).values]
    results += [run_imp(imp, "main", args, order=order) for order in Order]
    assert all(agree([want], found) is None for found in results)


SCATTER = """entry main [n] [k] (x : [n]f64) (is : [k]i64) (vs : [k]f64) -> (r : [n]f64) =
  let (d : [n]f64) = copy x
  let (y : [n]f64) = scatter d is vs
  in (y)
"""
OTHER_NAN = float(np.array(0xFFF8_0000_0000_0007, np.uint64).view(np.float64))


@pytest.mark.parametrize(
    ("values", "ok"),
    [
        ((5.0, 5.0, 5.0), True),
        ((7.0, 7.0, 7.0), True),
        ((5.0, 7.0, 7.0), False),
        ((7.0, 5.0, 5.0), False),
        ((7.0, 7.0, 5.0), False),
        ((5.0, 5.0, 7.0), False),
        ((6.0, 7.0, 7.0), False),
        ((0.0, -0.0, 0.0), False),
        ((math.nan, OTHER_NAN, math.nan), True),
        ((math.nan, math.nan, 5.0), False),
    ],
    ids=str,
)
def test_a_scatter_gives_a_place_one_value(values: tuple[float, ...], ok: bool) -> None:
    """Which may be the one that is there, 5; in whatever order, with rows or elements moved."""
    in_memory = Pipeline.parse("allocate").run(parse_fun(SCATTER))
    imp = Pipeline.parse("lower").run(in_memory)
    assert isinstance(in_memory, Program)
    assert isinstance(imp, ImpProgram)
    args = (np.array([1.0, 5.0]), np.array([1, 1, 1]), np.array(values))
    assert succeeds(lambda: run_heap(in_memory, "main", args)) == ok
    for order in Order:
        assert succeeds(lambda o=order: run_imp(imp, "main", args, order=o)) == ok


def succeeds(run: Callable[[], object]) -> bool:
    """Whether there is no race."""
    try:
        run()
    except MemoryFault as e:
        return e.kind is not FaultKind.RACE
    return True


def test_races_need_not_be_looked_for():
    program = parse_fun(kernel(SHARED), "t")
    assert run_heap(program, "main", [2], check_races=False).values[0].data.tolist() == [1, 2]


# ---------------------------------------------------------------------- collectives


def column_sums(acc: str) -> str:
    """For each i the sum of two rows; the accumulators lie in ``acc`` of block t."""
    return f"""entry main (n : i64) -> (r : i64) =
      let (t : mem) = alloc 256
      let (q : mem) = alloc 16*n
      let (z : mem) = alloc 16
      let (zero : [2]i64 @ z -> 0 + {{(2 : 1)}}) = replicate [2] 0
      let (y : [n][2]i64 @ q -> 0 + {{(n : 2) (2 : 1)}}) = kernel i < n, j < 2 reduce
        (\\(a : [2]i64 @ t -> {acc} + {{(2 : 1)}}) (b : [2]i64 @ t -> {acc} + 16 + {{(2 : 1)}}) ->
          let (m : mem) = alloc 16
          let (c : [2]i64 @ m -> 0 + {{(2 : 1)}}) = kernel k < 2 do
            let (u : i64) = a[k]
            let (w : i64) = b[k]
            let (s : i64) = u + w
            in (s)
          in (c)) (zero) do
        let (d : mem) = alloc 16
        let (row : [2]i64 @ d -> 0 + {{(2 : 1)}}) = iota [2] i j
        in (row)
      let (v : i64) = y[n - 1, 1]
      in (v)"""


def test_accumulators_of_different_rows_must_not_meet():
    f = fault(column_sums("0"), 2)
    assert "iteration (i = 1) writes" in f.diagnostic.message


def test_accumulators_of_one_row_are_one_place():
    """The innermost dimension folds one after the other: its iterations share accumulators."""
    assert heap(column_sums("0"), 1) == [1]
    assert heap(column_sums("2*i"), 3) == [5]


def test_bodies_of_one_row_may_run_at_once():
    """The bodies of a reduce are watched over all indices, also those of one row."""
    body = """let (y : [n]i64 @ q -> 0 + {(n : 1)}) = kernel i < n, j < 2 reduce
        (\\(a : i64) (b : i64) -> let (c : i64) = a + b in (c)) (0) do
        let (p : [1]i64 @ t -> i + {(1 : 1)}) = replicate [1] j
        let (v : i64) = p[0]
        in (v)"""
    text = f"""entry main (n : i64) -> (r : i64) =
      let (t : mem) = alloc 64
      let (q : mem) = alloc 8*n
      {body}
      in (0)"""
    message = fault(text, 1).diagnostic.message
    assert "iteration (i = 0, j = 1) writes bytes 0 to 7 of block `t`" in message


def test_a_histogram_updates_its_buckets_one_after_the_other():
    text = """entry main [n] [w] [m : mem] [l : mem] (d : *[w]i64 @ m -> 0 + {(w : 1)})
        (k : [n]i64 @ l -> 0 + {(n : 1)}) -> [r : mem] (h : [w]i64 @ r -> 0 + {(w : 1)}) =
      let (h1 : [w]i64 @ m -> 0 + {(w : 1)}) = kernel i < n hist (d)
        (\\(a : i64) (b : i64) -> let (c : i64) = a + b in (c)) (0) do
        let (bucket : i64) = k[i]
        in (bucket, 1)
      in (m, h1)"""
    assert heap(text, [0, 0], [1, 1, 0, 1, 5]) == [[1, 3]]


# ---------------------------------------------------------------------- the memory of a watch


def test_what_is_remembered_splits_when_a_smaller_element_appears():
    block = Block(Name("b"), 20, 0)
    assert block.grains(I64) == 1
    block.defined[0] = 1
    assert block.grains(I32) == 1
    assert block.grains(I64) == 2
    assert list(block.defined[:4]) == [1, 1, 0, 0]


# ---------------------------------------------------------------------- against the definitions

Access = tuple[bool, Place]
"""Whether it writes, and what."""


def bytes_of(p: Place) -> set[int]:
    """Eq. 1, by one loop per dimension."""
    k = p.elem.bytes
    return {
        (p.offset + sum(i * s for i, s in zip(index, p.strides, strict=True))) * k + b
        for index in np.ndindex(*p.lens)
        for b in range(k)
    }


def racefree(iterations: list[list[Access]]) -> bool:
    """Eq. 4 as it is written: sets of bytes, all pairs of iterations."""
    sets = [
        (
            set().union(*(bytes_of(p) for w, p in accesses if not w)),
            set().union(*(bytes_of(p) for w, p in accesses if w)),
        )
        for accesses in iterations
    ]
    return all(
        not (w1 & (r2 | w2)) and not (w2 & r1) for (r1, w1), (r2, w2) in combinations(sets, 2)
    )


def random_access(rng: np.random.Generator, block: Block) -> Access:
    """A scalar or a small strided array somewhere in the block's 48 bytes."""
    elem = (I64, I32, U8)[int(rng.choice(3, p=[0.5, 0.4, 0.1]))]
    n = int(rng.integers(0, 3)) if rng.random() < 0.5 else 1
    cells = 48 // elem.bytes
    stride = int(rng.integers(1, 3)) * int(rng.choice([1, -1]))
    span = (max(n, 1) - 1) * stride
    low, high = max(0, -span), cells - max(0, span)
    offset = int(rng.integers(low, high))
    scalar = n == 1 and rng.random() < 0.8
    return bool(rng.random() < 0.3), Place(
        block, elem, offset, () if scalar else (n,), () if scalar else (stride,)
    )


def written(name: Name, level: int) -> Block:
    """A block all of whose bytes are defined."""
    block = Block(name, 48, level)
    block.defined[:] = b"\1" * len(block.defined)
    return block


def perform(heap: Heap, access: Access, scrap: Block, site: int) -> None:
    """Has the heap do it, element by element or as a copy."""
    writes, p = access
    other = places.row_major(scrap, p.elem, p.lens)
    if p.lens:
        heap.copy(*((p, other) if writes else (other, p)), site)
    elif writes:
        heap.store(p, p.offset, 0, site)
    else:
        heap.load(p, p.offset, site)


def compare_with_the_equation(seed):
    """Two nested kernels; the block lies outside both, ``scrap`` belongs to an inner iteration."""
    rng = np.random.default_rng(seed)
    heap = Heap(check_races=True)
    site = heap.site(Stm((), Const(0, I64)))
    block = written(Name("b"), 0)
    n, m = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    todo = [
        [[random_access(rng, block) for _ in range(rng.integers(0, 4))] for _ in range(m)]
        for _ in range(n)
    ]
    free = racefree([[a for inner in row for a in inner] for row in todo])
    free = free and all(racefree(row) for row in todo)

    def run() -> None:
        outer = heap.watch(0, [Name("i")], (n,), site)
        heap.enter(outer)
        for row in todo:
            outer.next()
            inner = heap.watch(1, [Name("j")], (m,), site)
            for accesses in row:
                heap.enter(inner)
                inner.next()
                for access in accesses:
                    perform(heap, access, written(Name("s"), 2), site)
                heap.leave()
        heap.leave()

    if free:
        run()
    else:
        with pytest.raises(MemoryFault) as e:
            run()
        assert e.value.kind is FaultKind.RACE


@pytest.mark.parametrize("first", range(0, 300, 30))
def test_races_are_those_of_the_equation(first):
    for seed in range(first, first + 30):
        compare_with_the_equation(seed)


def test_places_are_those_of_the_formula():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        lens = tuple(int(n) for n in rng.integers(0, 4, size=rng.integers(0, 4)))
        strides = tuple(int(s) for s in rng.integers(-5, 6, size=len(lens)))
        p = Place(Block(Name("b"), 0, 0), I64, int(rng.integers(0, 9)), lens, strides)
        want = [
            p.offset + sum(i * s for i, s in zip(index, strides, strict=True))
            for index in np.ndindex(*lens)
        ]
        where = places.points(p)
        got = list(range(where.start, where.stop)) if isinstance(where, slice) else where.tolist()
        assert got == want, seed
        assert places.injective(p) == (len(set(want)) == len(want)), seed
        if want:
            assert places.extent(p) == range(min(want), max(want) + 1)


# ---------------------------------------------------------------------- one grain after the other

Step = tuple[Use, slice]
"""A use of one grain, or of two at once."""

STEPS: tuple[Step, ...] = tuple(
    (use, w) for use in (Use.READ, Use.WRITE) for w in (slice(0, 1), slice(0, 2))
)
KEEP: Step = (Use.KEEP, slice(0, 2))
TURNS: tuple[tuple[Step, ...], ...] = (
    *(steps for k in range(3) for steps in product(STEPS, repeat=k)),
    (KEEP,),
    *((KEEP, (use, slice(0, 1))) for use in (Use.READ, Use.WRITE)),
)
"""What an iteration may do: up to two steps."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("at_once", [False, True], ids=["one by one", "at once"])
@pytest.mark.parametrize(
    "order",
    [(0, 1, 2), pytest.param((2, 0, 1), marks=pytest.mark.exhaustive)],
    ids=["forwards", "shuffled"],
)
def test_every_short_run_of_three_iterations(at_once: bool, order: tuple[int, ...]) -> None:
    """The first step that meets a foreign one is reported, with both statements, and no other is.

    A kernel that ran before has touched the same grains, which must not count.
    """
    block = Block(Name("b"), 16, 0)
    sites = [Site(Stm((), Const(k, I64))) for k in range(7)]
    for serial, turns in enumerate(product(TURNS, repeat=3)):
        first = 4 * serial + 1
        earlier = Watch(0, first, [Name("i")], (1,), sites, 0)
        earlier.next()
        watch = Watch(0, first + 1, [Name("i")], (3,), sites, 0, order.__getitem__)
        for use in Use:
            touch(earlier, block, (use, slice(0, 2)), 0, at_once)
        done: list[tuple[int, Step, int]] = []
        for k, steps in zip(order, turns, strict=True):
            watch.next()
            for step in steps:
                site = len(done)
                foreign = {
                    (use, there)
                    for i, (use, grains), there in done
                    if i != k and conflict(use, step[0]) and meets(grains, step[1])
                }
                if not foreign:
                    touch(watch, block, step, site, at_once)
                    done.append((k, step, site))
                    continue
                with pytest.raises(MemoryFault) as e:
                    touch(watch, block, step, site, at_once)
                said = e.value.diagnostic.message.splitlines()
                assert said[1] == f"  {step[0].value}: {sites[site]}"
                assert said[2] in {f"  {use.value}: {sites[there]}" for use, there in foreign}
                break
            else:
                continue
            break


@pytest.mark.parametrize("where", [[0, 2, 4], [2, 0, 4], [4, 2, 3]])
def test_of_places_apart_only_those_that_meet_are_named(where: list[int]) -> None:
    block, sites = Block(Name("b"), 48, 0), [Site(Stm((), Const(k, I64))) for k in range(2)]
    watch = Watch(0, 1, [Name("i")], (2,), sites, 0)
    watch.next()
    watch.write(block, 2, 0)
    watch.next()
    with pytest.raises(MemoryFault, match="reads bytes 16 to 23 of block"):
        watch.read_all(block, np.array(where), 1)


@pytest.mark.parametrize(
    ("where", "named"),
    [
        (slice(1, 5), "16 to 31"),
        (np.array([0, 2, 3, 5]), "16 to 31"),
        (np.array([3, 2]), "24 to 31"),
        (np.array([2, 0, 3]), "16 to 23"),
    ],
    ids=str,
)
def test_neighbours_that_meet_are_named_together(where: places.Points, named: str) -> None:
    """Iteration 0 has written two grains of 8 bytes, and iteration 1 reads some."""
    block, sites = Block(Name("b"), 48, 0), [Site(Stm((), Const(k, I64))) for k in range(2)]
    watch = Watch(0, 1, [Name("i")], (2,), sites, 0)
    watch.next()
    watch.write_all(block, slice(2, 4), 0)
    watch.next()
    with pytest.raises(MemoryFault, match=f"reads bytes {named} of block"):
        watch.read_all(block, where, 1)


def conflict(before: Use, now: Use) -> bool:
    """What was the value of a place may be written to it whatever others did before, but not before
    others change it.
    """
    return Use.WRITE in (before, now) and now is not Use.KEEP


def meets(a: slice, b: slice) -> bool:
    return max(a.start, b.start) < min(a.stop, b.stop)


def touch(watch: Watch, block: Block, step: Step, site: int, at_once: bool) -> None:
    use, where = step
    if at_once:
        every = {Use.READ: watch.read_all, Use.WRITE: watch.write_all, Use.KEEP: watch.keep_all}
        every[use](block, where, site)
        return
    one = {Use.READ: watch.read, Use.WRITE: watch.write, Use.KEEP: watch.keep}[use]
    for g in range(where.start, where.stop):
        one(block, g, site)
