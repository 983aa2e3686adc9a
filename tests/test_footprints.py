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
from funmem.ir.lmad import Lmad
from funmem.ir.names import Name
from funmem.ir.signature import signature
from funmem.ir.traverse import entry_binders, inner_binders, inner_indices, sub_bodies
from funmem.ir.values import ArgValue, bind
from funmem.passes.lower.prove import NOTHING
from funmem.passes.mem.short_circuit.footprints import Access, Footprints, Use
from funmem.passes.mem.short_circuit.view import View
from funmem.testing import generate
from tests.memory_check import ALLOCATED, CORPUS, HOISTED, ROOT, inputs, load, through

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
    found = f.footprint(a, NOTHING)
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
        scope = self.scopes[s.pat[-1].name]
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
        Observed(judge).entry(e, sizes, values)
    return judge


PROGRAMS = sorted((ROOT / "short_circuit").glob("*.fun*"))
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


@pytest.mark.parametrize("file", CORPUS, ids=lambda f: f.stem)
def test_corpus(file: Path) -> None:
    for _, judge in runs(file):
        assert judge.scopes


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


@pytest.mark.parametrize("seed", range(30))
def test_generated(seed: int) -> None:
    case = generate(seed)
    for passes in (ALLOCATED, SHORT):
        q = through(case.program, passes)
        judged(q, case.entry, case.args)
