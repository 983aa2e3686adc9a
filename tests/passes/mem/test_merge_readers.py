"""merge: which elements two threads of a kernel read (``passes/mem/merge/readers.py``).

Protects what peaks are measured against: a bound that counts too much blames a plan that is good,
and one that counts too little praises a bad one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import product as cartesian
from types import MappingProxyType

import numpy as np
import pytest

from funmem.ir.fun import Ann, Entry, Kernel, Stm
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.ir.traverse import free_in_stm
from funmem.passes.mem.liveness import Liveness
from funmem.passes.mem.merge.readers import (
    FEW,
    Numbers,
    Readers,
    _by_two,
    _modulus,
    _quotient,
    _Reads,
    _some,
)
from tests.support.memory_check import through

N, M = 6, 5
SIZES = {Name("n"): N, Name("m"): M}

Reads = Callable[[int], Iterable[int]]
"""Thread -> the addresses that it reads."""


def entry(body: str, before: str = "", dims: str = "i < n", last: str = "zs[0]") -> Entry[Ann]:
    shape = "".join(f"[{d.split('<')[1].strip()}]" for d in dims.split(","))
    text = f"""
entry main [n] [m] (xs : *[n][m]i64) (ys : *[n]i64) (ds : *[n]i64) (c : bool) (k : i64)
    -> (r : i64) =
  {before}
  let (zs : {shape}i64) = kernel {dims} do
    {body}
    in (0)
  let (first : i64) = {last}
  in (first)
"""
    (e,) = through(parse_fun(text), "allocate").entries
    return e


def kernel_of(e: Entry[Ann]) -> Stm[Ann]:
    return next(s for s in e.body.stms if isinstance(s.exp, Kernel) and s.pat[0].name == "zs")


def elements(e: Entry[Ann], sizes: Mapping[Name, int] = SIZES) -> dict[Name, int]:
    """How many elements two threads read, for each array that the kernel uses last."""
    live, s = Liveness.of_entry(e), kernel_of(e)
    used = free_in_stm(s) & live.homes.keys()
    found = Readers.of(live).shared_bytes(s, used, live.after(s), sizes)
    assert all(n % 8 == 0 for n in found.values())
    return {x: n // 8 for x, n in found.items()}


def by_definition(reads: Reads) -> int:
    who = defaultdict[int, set[int]](set)
    for thread in range(N):
        for address in reads(thread):
            who[address].add(thread)
    return sum(len(threads) > 1 for threads in who.values())


# ---------------------------------------------------------------------- where a thread reads

ONE_ARRAY: Mapping[str, tuple[str, Reads]] = MappingProxyType(
    {
        "its own": ("let (a : i64) = ys[i] let (b : i64) = ys[i]", lambda i: (i, i)),
        "the first": ("let (a : i64) = ys[0]", lambda i: (0,)),
        "a neighbour's": (
            "let (h : i64) = (i + 1) % n let (a : i64) = ys[i] let (b : i64) = ys[h]",
            lambda i: (i, (i + 1) % N),
        ),
        "half": ("let (h : i64) = i / 2 let (a : i64) = ys[h]", lambda i: (i // 2,)),
        "distance": (
            "let (h : i64) = max(i - 2, 0) let (g : i64) = min(i * 1, 3) "
            "let (a : i64) = ys[h] let (b : i64) = ys[g]",
            lambda i: (max(i - 2, 0), min(i, 3)),
        ),
        "a branch": (
            "let (a : i64) = if c then let (b : i64) = ys[2] in (b) else in (i)",
            lambda i: (2,),
        ),
        "the other branch": (
            "let (a : i64) = if c then in (i) else let (b : i64) = ys[2] in (b)",
            lambda i: (2,),
        ),
        "a loop": (
            "let (a : i64) = loop (t : i64) = 0 for j < n - 2 do let (b : i64) = ys[j] in (b)",
            lambda i: range(N - 2),
        ),
        "a while loop": (
            "let (a : i64) (go : bool) = loop (t : i64) = 0, (go1 : bool) = c while go1 do "
            "let (b : i64) = ys[3] in (b, c)",
            lambda i: (3,),
        ),
        "a kernel inside": (
            "let (v : [2][n - 2]i64) = kernel p < 2, q < n - 2 do let (b : i64) = ys[p + q] in (b)",
            lambda i: range(N - 1),
        ),
    }
)


@pytest.mark.parametrize("name", ONE_ARRAY)
def test_what_two_threads_read(name: str) -> None:
    body, reads = ONE_ARRAY[name]
    assert elements(entry(body)) == {"ys": by_definition(reads)}


ROWS: Mapping[str, tuple[str, Reads]] = MappingProxyType(
    {
        "a column and a row": (
            "let (h : i64) = (i + 1) % m let (a : i64) = xs[i, 0] let (b : i64) = xs[0, h]",
            lambda i: (i * M, (i + 1) % M),
        ),
        "any row's first": (
            "let (d : i64) = ds[i] let (a : i64) = xs[d, 0]",
            lambda i: range(0, N * M, M),
        ),
        "anything in the first row": (
            "let (d : i64) = ds[i] let (e : i64) = d * 2 let (a : i64) = xs[0, e + 1]",
            lambda i: range(M),
        ),
        "its own column of any row": (
            "let (d : i64) = ds[i] let (a : i64) = xs[d, i]",
            lambda i: range(i, N * M, M) if i < M else (),  # it traps
        ),
    }
)


@pytest.mark.parametrize("name", ROWS)
def test_what_two_threads_read_of_rows(name: str) -> None:
    body, reads = ROWS[name]
    assert elements(entry(body))[Name("xs")] == by_definition(reads)


def test_what_is_read_through_views_counts_for_the_array() -> None:
    e = entry("let (a : i64) = ys[i] let (b : i64) = v[i]", "let (v : [n]i64) = reverse 0 ys")
    assert elements(e) == {"ys": by_definition(lambda i: (i, N - 1 - i))} == {"ys": N}


def test_what_an_update_leaves_is_the_array_that_was_there() -> None:
    e = entry("let (a : i64) = ys2[0]", "let (ys2 : [n]i64) = ys with [0] = 5")
    assert elements(e) == {"ys": 1}


def test_each_array_counts_for_itself() -> None:
    e = entry("let (a : i64) = ys[i] let (b : i64) = ds[0] let (d : i64) = ds[1]")
    assert elements(e) == {"ys": 0, "ds": 2}


UNKNOWN = {
    "an index": "let (h : i32) = i32(i) let (g : i64) = i64(h) let (a : i64) = ys[g]",
    "a sum": (
        "let (h : i32) = i32(i) let (g : i64) = i64(h) let (f : i64) = g + i let (e : i64) = i + g "
        "let (a : i64) = ys[f] let (b : i64) = ys[e]"
    ),
    "where a view begins": (
        "let (h : i32) = i32(i) let (g : i64) = i64(h) let (v : [1]i64) = ys[g : 1 : 1] "
        "let (a : i64) = v[0]"
    ),
    "where a view begins, in data": (
        "let (d : i64) = ds[i] let (v : [1]i64) = ys[d : 1 : 1] let (a : i64) = v[0]"
    ),
    "how often, in data": (
        "let (d : i64) = ds[i] "
        "let (e : i64) = loop (t : i64) = 0 for j < d do let (a : i64) = ys[0] in (a)"
    ),
    "how often": "let (e : i64) = loop (t : i64) = 0 for j < k do let (a : i64) = ys[0] in (a)",
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_is_not_known_counts_as_not_read(what: str) -> None:
    assert elements(entry(UNKNOWN[what]))[Name("ys")] == 0


# ---------------------------------------------------------------------- which arrays, which kernels


def test_threads_of_two_dimensions() -> None:
    """Each has a row and a column."""
    body = "let (a : i64) = ys[i] let (b : i64) = xs[i, j] let (d : i64) = ds[j]"
    e = entry(body, dims="i < n, j < m", last="zs[0, 0]")
    assert elements(e, {Name("n"): 6, Name("m"): 4}) == {"ys": 6, "xs": 0, "ds": 4}


@pytest.mark.parametrize("last", ["ys[0]", "v[0]"])
def test_what_is_used_later_is_not_counted(last: str) -> None:
    """It is needed in any case; under whatever name."""
    e = entry("let (a : i64) = ys[0]", "let (v : [n]i64) = reverse 0 ys", last=last)
    assert elements(e) == {}


def test_other_statements_have_no_threads() -> None:
    live = Liveness.of_entry(entry("let (a : i64) = ys[0]", "let (w : [n]i64) = copy ys"))
    copied = next(s for s in live.entry.body.stms if s.pat[0].name == "w")
    assert Readers.of(live).shared_bytes(copied, frozenset((Name("ys"),)), frozenset(), SIZES) == {}


@pytest.mark.parametrize(
    ("dims", "sizes", "expected"),
    [
        ("i < n", {"n": 0}, {}),
        ("i < n", {"n": 1}, {}),
        ("i < n", {"n": 2}, {"ys": 1}),
        ("i < n", {}, {}),  # nobody says how many
        ("i < n, j < n", {"n": 2}, {"ys": 1}),
        ("i < n, j < 5", {"n": 0}, {}),
        ("i < n, j < 5", {"n": -1}, {}),
        ("i < n, j < k", {"n": 2}, {}),
    ],
)
def test_as_many_threads_as_the_sizes_say(
    dims: str, sizes: Mapping[str, int], expected: Mapping[str, int]
) -> None:
    """The first element is shared, if there are two."""
    e = entry("let (a : i64) = ys[0]", dims=dims, last="zs[0, 0]" if "," in dims else "zs[0]")
    assert elements(e, {Name(x): n for x, n in sizes.items()}) == expected


# ---------------------------------------------------------------------- numbers that are too large

LARGE = {
    "a product": (
        "let (h : i64) = 6364136223846793005 * 6364136223846793005 let (f : i64) = h * h "
        "let (g : i64) = f * 0 let (a : i64) = ys[g]",
        {"ys": 1},
    ),
    "a quotient": (
        "let (o : i64) = i * 0 - 1 let (h : i64) = -9223372036854775808 / o "
        "let (g : i64) = h * 0 let (a : i64) = ys[g]",
        {"ys": 1},
    ),
    "a factor in a size": ("let (a : i64) = ys[18446744073709551616 * k]", {"ys": 0}),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("what", LARGE)
def test_i64_arithmetic_wraps_around(what: str) -> None:
    """And nobody is warned of it; what i64 cannot hold is not known."""
    body, expected = LARGE[what]
    assert elements(entry(body), SIZES | {Name("k"): 0}) == expected


def test_more_threads_than_i64_can_count() -> None:
    """Some of the last dimension's are looked at; they are of one row."""
    e = entry("let (a : i64) = ys[i] let (b : i64) = ds[j]", dims="i < n, j < n", last="zs[0, 0]")
    assert elements(e, {Name("n"): 1 << 40}) == {"ys": 1, "ds": 0}


# ---------------------------------------------------------------------- of many only some

TWICE = "let (a : i64) = ys[j] let (b : i64) = ys[j]"


def addresses(reads: str, iterations: int, left: int) -> list[int]:
    """What a loop with some reads in its body reads, with a budget; one address for all threads."""
    loop = f"let (t : i64) = loop (u : i64) = 0 for j < {iterations} do {reads} in (a)"
    e = entry(loop)
    live, s = Liveness.of_entry(e), kernel_of(e)
    assert isinstance(s.exp, Kernel)
    known = {x: np.asarray(n, np.int64) for x, n in SIZES.items()}
    threads = np.arange(N, dtype=np.int64)
    walk = _Reads(Readers.of(live), frozenset((Name("ys"),)), threads, dict(known), left=left)
    walk.body(s.exp.body)
    (found,) = walk.places.values()
    assert all(set(address) == {address[0]} for address, _ in found)
    return [int(address[0]) for address, _ in found]


@pytest.mark.parametrize(
    ("reads", "iterations", "left", "expected"),
    [
        ("let (a : i64) = ys[j]", 9, 9 * N, [*range(9)]),
        ("let (a : i64) = ys[j]", 9, 9 * N - 1, [0, 1, 7, 8]),
        (TWICE, 6, 6 * N, [0, 0, 1, 1, 2, 2]),  # nothing is left
        (TWICE, 6, 6 * N + 1, [0, 0, 1, 1, 2, 2, 3, 3]),  # little is left
    ],
)
def test_the_budget(reads: str, iterations: int, left: int, expected: list[int]) -> None:
    """Reads of all threads: of more iterations some from both ends, and none when it is used up."""
    assert addresses(reads, iterations, left) == expected


@pytest.mark.parametrize("most", [0, FEW, FEW + 1, 7, 8, 9, 45, 80, 81])
def test_some_indices_are_from_both_ends(most: int) -> None:
    for counts in (*cartesian((0, 1, 3, FEW, FEW + 1, 9), repeat=2), (-2,), (7,)):
        every = [*cartesian(*map(range, counts))]
        ends = [{0, 1, n - 2, n - 1} for n in counts]
        few = [index for index in every if all(k in e for k, e in zip(index, ends, strict=True))]
        want = every if len(every) <= max(most, FEW) else few
        assert [*_some(counts, most)] == want, counts


# ---------------------------------------------------------------------- numbers of all threads


@pytest.mark.parametrize(
    ("operator", "definition"),
    [(_quotient, lambda a, b: a // b), (_modulus, lambda a, b: a % b)],
)
def test_a_division_by_zero_disturbs_nobody(
    operator: Callable[[Numbers, Numbers], Numbers], definition: Callable[[int, int], int]
) -> None:
    """The thread traps; the others' numbers are those of the language: rounded downwards."""
    pairs = np.array([*cartesian(range(-7, 8), range(-3, 4))], np.int64)
    with np.errstate(all="raise"):
        found = operator(pairs[:, 0], pairs[:, 1])
    for (a, b), c in zip(pairs.tolist(), found.tolist(), strict=True):
        assert b == 0 or c == definition(a, b)


@pytest.mark.parametrize("seed", range(5))
def test_addresses_that_two_threads_have(seed: int) -> None:
    """Of a thread that has one twice it is still one."""
    address, thread = np.random.default_rng(seed).integers(0, 6, (2, 9))
    who = defaultdict[int, set[int]](set)
    for a, t in zip(address.tolist(), thread.tolist(), strict=True):
        who[a].add(t)
    assert _by_two(address, thread) == sum(len(ts) > 1 for ts in who.values())
