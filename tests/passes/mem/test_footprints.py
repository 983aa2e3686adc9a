"""Footprints: every byte that a statement was seen to touch is one that its footprint has.

The heap interpreter runs programs, and beside each statement somebody notes which bytes it reads
and writes, at whatever depth.  What :class:`Footprints` says of the statement, in terms of what is
in scope before it, has to cover these bytes in every block in scope.  By how much it is more than
they are is in a golden file: what is claimed in vain prevents that arrays are built in place.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from funmem.interp import places, races
from funmem.interp.heap import _HeapEvaluator
from funmem.interp.heap_memory import Heap
from funmem.interp.places import Block, Points
from funmem.interp.races import Watch
from funmem.interp.scope import entry_named
from funmem.ir.diagnostics import MemoryFault, Trap
from funmem.ir.fun import Ann, Body, Entry, Program, Stm
from funmem.ir.functions import table
from funmem.ir.lmad import Lmad
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.signature import signature
from funmem.ir.text import parse_fun
from funmem.ir.traverse import entry_binders, inner_binders, inner_indices, sub_bodies
from funmem.ir.values import ArgValue, bind
from funmem.passes.mem.short_circuit.footprints import Access, Footprints, Use
from funmem.passes.mem.short_circuit.view import View
from funmem.testing import generate
from tests.support.memory_check import ALLOCATED, CORPUS, HOISTED, inputs, load, through
from tests.support.paths import TESTS
from tests.support.sampling import sampled

OFTEN = 3
"""So many times a statement is looked at in one run."""


# ---------------------------------------------------------------------- what happens


class Seen(Watch):
    """What one execution of a statement touches; a race is somebody else's business."""

    def __init__(self, level: int) -> None:
        super().__init__(level, 1, (), (), (), 0)
        self.touched: dict[races.Use, set[tuple[int, int]]] = {u: set() for u in races.Use}
        self.blocks: dict[int, Block] = {}
        """Those that were touched: while one is here, no other one has its identity."""

    def _note(self, use: races.Use, block: Block, g: int) -> None:
        k = block.grain
        self.blocks[id(block)] = block
        self.touched[use].update((id(block), byte) for byte in range(g * k, (g + 1) * k))

    def read(self, block: Block, g: int, site: int) -> None:
        self._note(races.Use.READ, block, g)

    def write(self, block: Block, g: int, site: int) -> None:
        self._note(races.Use.WRITE, block, g)

    def read_all(self, block: Block, where: Points, site: int) -> None:
        for g in _grains(where):
            self._note(races.Use.READ, block, g)

    def write_all(self, block: Block, where: Points, site: int) -> None:
        for g in _grains(where):
            self._note(races.Use.WRITE, block, g)

    def keep(self, block: Block, g: int, site: int) -> None:
        self._note(races.Use.WRITE, block, g)

    def keep_all(self, block: Block, where: Points, site: int) -> None:
        self.write_all(block, where, site)


def _grains(where: Points) -> Iterator[int]:
    if isinstance(where, slice):
        yield from range(where.start, where.stop, where.step or 1)
    else:
        yield from (int(g) for g in np.asarray(where).ravel())


class Observed(_HeapEvaluator):
    """A run in which each statement is looked at when it is done."""

    def __init__(self, look: Callable[[Stm[Ann], Seen, dict[Name, object]], None]) -> None:
        super().__init__(Heap(check_races=True))
        self.look = look
        self.times: Counter[Name] = Counter()

    def stm(self, s: Stm[Ann]) -> Callable[[], None]:
        step, level, heap = super().stm(s), self.level, self.heap
        if not s.pat:
            return step
        x = s.pat[-1].name

        def observed() -> None:
            self.times[x] += 1
            if self.times[x] > OFTEN:
                step()
                return
            seen = Seen(level)
            heap.enter(seen)
            step()
            heap.leave()
            self.look(s, seen, dict(self.values))

        return observed


# ---------------------------------------------------------------------- what footprints say


def scopes(e: Entry[Ann]) -> dict[Name, frozenset[Name]]:
    """What is bound before each statement and by it; a statement is known by its last name."""
    found: dict[Name, frozenset[Name]] = {}

    def body(b: Body[Ann], scope: frozenset[Name]) -> None:
        for s in b.stms:
            inside = scope.union((p.name for p in inner_binders(s.exp)), inner_indices(s.exp))
            for inner in sub_bodies(s.exp):
                body(inner, inside)
            scope = scope.union(p.name for p in s.pat)
            if s.pat:
                found[s.pat[-1].name] = scope

    body(e.body, frozenset(b.name for b in entry_binders(e)))
    return found


def addresses(ix: Lmad, env: dict[Name, int]) -> Iterator[int]:
    """The addresses of an LMAD, in elements."""
    p = places.Place(
        Block(Name("m"), 0, 0),
        None,  # type: ignore[arg-type]  # nobody asks for an element
        ix.offset.eval(env.__getitem__),
        tuple(d.len.eval(env.__getitem__) for d in ix.dims),
        tuple(d.stride.eval(env.__getitem__) for d in ix.dims),
    )
    yield from (
        p.offset + sum(int(k) * s for k, s in zip(where, p.strides, strict=True))
        for where in np.ndindex(*(max(0, n) for n in p.lens))
    )


def claimed(a: Access, f: Footprints, env: dict[Name, int]) -> set[int] | None:
    """The bytes that an access says it touches; None: any of the block."""
    found = f.footprint(a, Facts())
    if found.place is None:
        return None
    k, ix = found.place.size, found.place.ix
    bytes_: set[int] = set()

    def over(ranges: tuple[tuple[Name, object], ...], env: dict[Name, int]) -> None:
        if not ranges:
            for at in addresses(ix, env):
                bytes_.update(range(at * k, (at + 1) * k))
            return
        (i, n), *rest = ranges
        for value in range(n.eval(env.__getitem__)):  # type: ignore[attr-defined]
            over(tuple(rest), {**env, i: value})

    over(found.ranges, env)
    return bytes_


class Judge:
    """Compares, for the statements of an entry point."""

    def __init__(self, e: Entry[Ann]) -> None:
        self.view = View.of(e)
        self.scopes = scopes(e)
        self.compared = 0
        self.more: Counter[str] = Counter()
        """Bytes that were claimed, and not touched: by statement, use and block."""

    def __call__(self, s: Stm[Ann], seen: Seen, values: dict[Name, object]) -> None:
        scope = self.scopes.get(s.pat[-1].name)
        if scope is None:
            return  # a statement of a function, which has no memory
        ints = {
            x: int(v) for x, v in values.items() if x in scope and isinstance(v, int | np.integer)
        }
        for m in sorted(scope):
            block = values.get(m)
            if isinstance(block, Block):
                self.compare(s, seen, m, block, ints)

    def compare(
        self, s: Stm[Ann], seen: Seen, m: Name, block: Block, ints: dict[Name, int]
    ) -> None:
        """One block, under one of its names."""
        f = Footprints(self.view, m)
        claims = {use: _union(claimed(a, f, ints) for a in f.of(s) if a.use is use) for use in Use}
        kept = claims[Use.KEEP]  # what is kept may be looked at, but need not be
        for use, kind in ((Use.READ, races.Use.READ), (Use.WRITE, races.Use.WRITE)):
            had = claims[use]
            touched = {byte for b, byte in seen.touched[kind] if b == id(block)}
            self.compared += len(touched)
            if use is Use.READ:
                touched -= touched if kept is None else kept
            if had is not None:
                assert touched <= had, (s.pat[-1].name, use, m, sorted(touched - had))
            over = block.size if had is None else len(had - touched)
            if over:
                self.more[f"{s.pat[-1].name} {use.value} {m}"] += over


def _union(sets: Iterable[set[int] | None]) -> set[int] | None:
    """All of them; None is everything."""
    found: set[int] = set()
    for one in sets:
        if one is None:
            return None
        found |= one
    return found


def judged(p: Program[Ann], entry: Name, args: tuple[ArgValue, ...]) -> Judge:
    """A run of an entry point, judged."""
    e = entry_named(p, entry)
    judge = Judge(e)
    sizes, values = bind(signature(e), args)
    with suppress(Trap, MemoryFault):  # what came before was looked at
        observed = Observed(judge)
        observed.functions = table(p)
        observed.entry(e, sizes, values)
    return judge


PROGRAMS = sorted((TESTS / "passes" / "mem" / "short_circuit").glob("*.fun*"))[::2]
SHORT = f"{HOISTED},short-circuit"
MEMORY = "hoist,short-circuit"


def runs(file: Path) -> Iterator[tuple[str, Judge]]:
    """A program before and after short-circuiting, on its inputs."""
    p = load(file)
    for passes in (ALLOCATED, SHORT) if file.suffix == ".fun" else ("hoist", MEMORY):
        q = through(p, passes)
        for e in q.entries:
            for args in inputs(e):
                yield passes.rpartition(",")[2], judged(q, e.name, args)


@pytest.mark.parametrize("file", sampled(CORPUS, 24), ids=lambda f: f.stem)
def test_corpus(file: Path) -> None:
    for _, judge in runs(file):
        assert judge.scopes


@pytest.mark.exhaustive
def test_short_circuit(golden: Callable[[str, str], None]) -> None:
    """What is claimed in vain, most of it for arrays that may lie in another block."""
    lines = []
    for file in PROGRAMS:
        more: Counter[str] = Counter()
        compared = 0
        for last, judge in runs(file):
            more += Counter({f"{last}: {what}": n for what, n in judge.more.items()})
            compared += judge.compared
        lines.append(f"{file.name} {compared}")
        lines += [f"  {what}: {n}" for what, n in sorted(more.items())]
    golden("footprints.txt", "\n".join(lines) + "\n")


# ---------------------------------------------------------------------- no more than it has to

START = """
entry main [xs_mem : mem] (c : bool) (k : i64) (xs : [8]i8 @ xs_mem -> 0 + {(8 : 1)})
    -> (r : i8) =
  let (m : mem) = alloc 16
  let (o : [2][2]i8 @ m -> 4 + {(2 : 2) (2 : 1)}) = replicate [2][2] 1i8
  let (q : [4]i8 @ m -> 8 + {(4 : 1)}) = replicate [4] 1i8
  let (n : i64) = max(0, min(1, k))
  let (v : i8) = if c then
      let (e : i64) = n / 2
BODY
    else
      in (7i8)
  in (v)
"""
"""A branch in which ``e`` is bound: what is said outside cannot mention it."""

READ_UP = {
    "let (w : i8) = o[e, 1] in (w)": {5, 7},
    "let (w : i8) = xs[e] in (w)": set(),
    "let (y : [2]i8 @ m -> 2*e + 4 + {(2 : 1)}) = o[e, 0 : 2] let (w : i8) = y[0] in (w)": {
        *range(4, 8)
    },
    "let (y : [2]i8 @ m -> e + 8 + {(2 : 1)}) = q[e : 2] "
    "let (y2 : [2]i8 @ m -> e + 8 + {(2 : 1)}) = y with [0] = 3i8 "
    "let (w : i8) = y2[1] in (w)": {*range(8, 12)},
    "let (y : [2]i8 @ m -> e + 8 + {(2 : 1)}) = replicate [2] 3i8 let (w : i8) = y[0] in (w)": None,
    "let (w : i8) (h2 : i64) (y2 : [2]i8 @ m -> h2 + {(2 : 1)}) = "
    "loop (s : i8) = 1i8, (h : i64) = 8, (y : [2]i8 @ m -> h + {(2 : 1)}) = y0 "
    "for i < 2 do let (s2 : i8) = y[0] in (s2, h, y) in (w)": None,
}
"""What a branch reads of ``m``; None is all of it."""

WRITE_UP = {
    "let (q2 : [4]i8 @ m -> 8 + {(4 : 1)}) = q with [e : 2] = part let (w : i8) = q2[0] in (w)": {
        *range(8, 12)
    },
    "let (q2 : [4]i8 @ m -> 8 + {(4 : 1)}) = q with [1] = 3i8 let (w : i8) = q2[0] in (w)": {9},
    "let (q2 : [4]i8 @ m -> 8 + {(4 : 1)}) = q with flat [e + {(2 : 1)}] = part "
    "let (w : i8) = q2[0] in (w)": {*range(8, 12)},
    "let (q2 : [4]i8 @ m -> 8 + {(4 : 1)}) = loop (q1 : *[4]i8 @ m -> 8 + {(4 : 1)}) = q "
    "for j < e do let (q3 : [4]i8 @ m -> 8 + {(4 : 1)}) = q1 with [j] = 3i8 in (q3) "
    "let (w : i8) = q2[0] in (w)": {*range(8, 12)},
    "let (o2 : [2][2]i8 @ m -> 4 + {(2 : 2) (2 : 1)}) = "
    "loop (o1 : *[2][2]i8 @ m -> 4 + {(2 : 2) (2 : 1)}) = o for i < 2 do "
    "let (o5 : [2][2]i8 @ m -> 4 + {(2 : 2) (2 : 1)}) = "
    "loop (o3 : *[2][2]i8 @ m -> 4 + {(2 : 2) (2 : 1)}) = o1 for j < e do "
    "let (o4 : [2][2]i8 @ m -> 4 + {(2 : 2) (2 : 1)}) = o3 with [j, 1] = 3i8 in (o4) in (o5) "
    "let (w : i8) = o2[0, 0] in (w)": {5, 7},
}
"""What it writes."""


def said(p: Program[Ann], x: str, m: str, use: Use) -> set[int] | None:
    """The bytes of a block that the statement that binds ``x`` is said to use, if n is 1."""
    view = View.of(p.entries[0])
    (s,) = (s for s in p.entries[0].body.stms if s.pat[0].name == x)
    f = Footprints(view, Name(m))
    return _union(claimed(a, f, {Name("n"): 1}) for a in f.of(s) if a.use is use)


def branch(body: str) -> Program[Ann]:
    """The entry point with that branch; the type rules allow what is in it."""
    before = "".join(
        line
        for name, line in {
            "part": "let (part : [2]i8 @ xs_mem -> 0 + {(2 : 1)}) = xs[0 : 2] ",
            "y0": "let (y0 : [2]i8 @ m -> 8 + {(2 : 1)}) = q[0 : 2] ",
        }.items()
        if name in body
    )
    return through(parse_fun(START.replace("BODY", before + body)), "")


@pytest.mark.parametrize("body", READ_UP)
def test_what_is_read_is_said_without_what_is_gone(body: str) -> None:
    """No more of a dimension, a view or a block than there is no other word for."""
    assert said(branch(body), "v", "m", Use.READ) == READ_UP[body]


@pytest.mark.parametrize("body", WRITE_UP)
def test_what_is_written_is_said_without_what_is_gone(body: str) -> None:
    assert said(branch(body), "v", "m", Use.WRITE) == WRITE_UP[body]


ROWS = """
entry main [n] (xss : [n][2]i64) -> (r : [2]i64) (rows : [n][2]i64) =
  let (zero : [2]i64) = replicate [2] 0
  let (r1 : [2]i64) (rows1 : [n][2]i64) =
    kernel i < n reduce comm
      (\\(a : [2]i64) (b : [2]i64) ->
        let (c : [2]i64) = kernel j < 2 do
          let (x : i64) = a[j]
          let (y : i64) = b[j]
          let (z : i64) = x + y
          in (z)
        in (c)) (zero)
    do
      let (xs : [2]i64) = xss[i, 0 : 2]
      let (ys : [2]i64) = kernel l < 2 do
        let (x2 : i64) = xs[l]
        let (z2 : i64) = x2 * 2
        in (z2)
      in (xs, ys)
  in (r1, rows1)
"""


def test_what_a_collective_makes_it_does_not_read() -> None:
    """Neither rows that are where they have to be, nor what a reduction results in."""
    p = through(parse_fun(ROWS), "allocate,simplify,hoist,short-circuit")
    (s,) = (s for s in p.entries[0].body.stms if s.pat[0].name == "r1")
    r1, rows1 = (b.home.block for b in s.pat if b.home is not None)
    assert said(p, "r1", r1, Use.READ) == said(p, "r1", rows1, Use.READ) == set()
    assert said(p, "r1", rows1, Use.KEEP) == said(p, "r1", rows1, Use.WRITE) == {*range(16)}
    assert said(p, "r1", r1, Use.WRITE) == {*range(16)}


@pytest.mark.parametrize("seed", sampled(range(30), 10))
def test_generated(seed: int) -> None:
    case = generate(seed)
    for passes in (ALLOCATED, SHORT):
        q = through(case.program, passes)
        judged(q, case.entry, case.args)
