"""Is "PROVED" ever wrong?  ``python -m tests.verify_mutants -n 2000 --seed 1``.

The annotations of valid programs are corrupted, one at a time: an offset, a stride, a block, the
size of an allocation; or an array that nobody reads is written near to where another one will be.
What is still well typed is verified, and run on small inputs: no program that is PROVED may show a
fault.  Most corruptions do show, some do not matter.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

from attrs import evolve, frozen

from funmem.ir.check import check_all
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Binder,
    Body,
    Const,
    Entry,
    Home,
    Loop,
    MemType,
    Program,
    Replicate,
    Stm,
    Var,
)
from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.blocks import is_fresh
from funmem.ir.logic.derive import derived_lmad, in_place_of, source_of
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, FLOATS, I64
from funmem.ir.sizes import ONE, Size, const, var
from funmem.ir.text import show
from funmem.ir.traverse import inner_indices, map_sub_bodies, walk
from funmem.ir.verify import Verdict, verify
from funmem.testing import generate
from funmem.verify.inputs import small_inputs
from funmem.verify.replay import fault_of
from tests.support.memory_check import (
    ALLOCATED,
    CORPUS,
    EXAMPLES,
    EXPANDED,
    HOISTED,
    load,
    through,
)
from tests.support.paths import TESTS

FILES = [
    *CORPUS,
    *EXAMPLES,
    *sorted((TESTS / "passes" / "mem" / "short_circuit").glob("*.fun*")),
    *sorted((TESTS / "seeded" / "programs").glob("merge*")),
]
STAGES = (
    ALLOCATED,
    EXPANDED,
    f"{EXPANDED},merge",
    f"{HOISTED},short-circuit",
    f"{HOISTED},short-circuit,double-buffer,hoist,short-circuit,simplify,expand,merge",
)
INPUTS = 25


@cache
def valid(path: Path | int, stage: str) -> Program[Ann]:
    """A program whose annotations passes have made; a number is the seed of a generated one."""
    return through(generate(path).program if isinstance(path, int) else load(path), stage)


# ---------------------------------------------------------------------- corruptions


def corrupted(p: Program[Ann], rng: Random) -> tuple[Program[Ann], Name] | None:
    """The program with one wrong annotation, and the entry point that it is in."""
    e = rng.choice(p.entries)
    stms = [s for s in walk(e.body) if isinstance(s.exp, Alloc) or _housed(s)]
    if not stms:
        return None
    old = rng.choice(stms)
    if _housed(old) and not rng.randrange(3):
        body = _before(e.body, old, _dead(old, e, rng))
        return Program(tuple(evolve(e, body=body) if x is e else x for x in p.entries)), e.name
    new = _corrupt(old, e, rng)
    homes = {b.name: b.home for b in (*e.implicit, *(q.binder for q in e.params)) if b.home}
    was = {b.name: b.home for s in walk(e.body) for b in s.pat if b.home}
    changed = evolve(e, body=_Follow(old, new, homes, was).body(e.body))
    return Program(tuple(changed if x is e else x for x in p.entries)), e.name


def _housed(s: Stm[Ann]) -> bool:
    return is_fresh(s.exp) and any(b.home is not None for b in s.pat)


def _dead(s: Stm[Ann], e: Entry[Ann], rng: Random) -> Stm[Ann]:
    """One element written near to where ``s`` will write, and never read."""
    t, home = next((b.type, b.home) for b in s.pat if b.home is not None)
    assert isinstance(t, ArrayType)
    indices = [i for x in walk(e.body) for i in inner_indices(x.exp)]
    offset = _size(home.ix.offset, indices, rng)
    value = {BOOL: True}.get(t.elem, 7.0 if t.elem in FLOATS else 7)
    dead = Binder(
        Name("dead"), ArrayType(t.elem, (ONE,)), Home(home.block, Lmad(offset, (Dim(ONE, ONE),)))
    )
    return Stm((dead,), Replicate((ONE,), Const(value, t.elem)))


def _before(b: Body[Ann], at: Stm[Ann], new: Stm[Ann]) -> Body[Ann]:
    """The body, at any depth of which a statement has got one before it."""
    stms: list[Stm[Ann]] = []
    for s in b.stms:
        inner = evolve(s, exp=map_sub_bodies(s.exp, lambda c: _before(c, at, new)))
        stms += [new, inner] if s is at else [inner]
    return evolve(b, stms=tuple(stms))


def _corrupt(s: Stm[Ann], e: Entry[Ann], rng: Random) -> Stm[Ann]:
    binders = (*e.implicit, *(p.binder for p in e.params))
    names = [b.name for b in binders if b.type is I64]
    blocks = [b.name for b in e.implicit if isinstance(b.type, MemType)]
    blocks += [t.pat[0].name for t in walk(e.body) if isinstance(t.exp, Alloc)]
    if isinstance(s.exp, Alloc):
        return evolve(s, exp=evolve(s.exp, size=_size(s.exp.size, names, rng)))
    at = rng.choice([k for k, b in enumerate(s.pat) if b.home is not None])
    b = s.pat[at]
    assert b.home is not None
    ix = b.home.ix
    match rng.randrange(4):
        case 1:
            home = Home(b.home.block, evolve(ix, offset=_size(ix.offset, names, rng)))
        case 2 if ix.dims:
            k = rng.randrange(ix.rank)
            d = Dim(ix.dims[k].len, _size(ix.dims[k].stride, names, rng))
            home = Home(b.home.block, Lmad(ix.offset, (*ix.dims[:k], d, *ix.dims[k + 1 :])))
        case _:
            home = Home(rng.choice(blocks), ix)
    return evolve(s, pat=(*s.pat[:at], evolve(b, home=home), *s.pat[at + 1 :]))


def _size(s: Size, names: Sequence[Name], rng: Random) -> Size:
    match rng.randrange(5):
        case 0:
            return s + 1
        case 1:
            return s - 1
        case 2 if s.terms:
            k = rng.randrange(len(s.terms))
            return Size((*s.terms[:k], *s.terms[k + 1 :]))
        case 3 if names:
            return s + var(rng.choice(names))
        case _:
            return const(0)


@frozen
class _Follow:
    """Views, updates and loops follow the array whose home has changed, so that types are right."""

    old: Stm[Ann]
    new: Stm[Ann]
    homes: dict[Name, Home]
    was: dict[Name, Home]

    def body(self, b: Body[Ann]) -> Body[Ann]:
        return evolve(b, stms=tuple(self.statement(s) for s in b.stms))

    def statement(self, s: Stm[Ann]) -> Stm[Ann]:
        s = self.new if s is self.old else s
        pat = list(s.pat)
        source = source_of(s.exp)
        if source is not None:
            home = self.homes[source]
            ix = derived_lmad(s.exp, home.ix)
            if ix is not None:
                pat[0] = evolve(pat[0], home=Home(home.block, ix))
        for k, x in enumerate(in_place_of(s.exp)):
            pat[k] = evolve(pat[k], home=self.homes.get(x))
        if isinstance(s.exp, Loop):
            s = evolve(s, exp=self.loop(s.exp, pat))
        self.homes.update({b.name: b.home for b in pat if b.home is not None})
        return evolve(s, pat=tuple(pat), exp=map_sub_bodies(s.exp, self.body))

    def loop(self, e: Loop[Ann], pat: list[Binder[Ann]]) -> Loop[Ann]:
        params = list(e.params)
        for k, q in enumerate(params):
            if q.binder.home is None:
                continue
            if isinstance(q.init, Var) and q.binder.home == self.was.get(q.init.name):
                home = self.homes[q.init.name]
                params[k] = evolve(q, binder=evolve(q.binder, home=home))
                pat[k] = evolve(pat[k], home=home)
            self.homes[q.binder.name] = params[k].binder.home or q.binder.home
        return evolve(e, params=tuple(params))


# ---------------------------------------------------------------------- trials


@frozen
class Trial:
    """A corrupted program: whether everything was proved, and what a run shows."""

    name: str
    program: Program[Ann]
    proved: bool
    fault: str | None

    @property
    def is_wrong(self) -> bool:
        return self.proved and self.fault is not None


def trials(n: int, seed: int, *, generated: bool = False) -> Iterator[Trial | None]:
    """``n`` trials; None: there was nothing to corrupt, or types show it."""
    rng = Random(seed)
    for _ in range(n):
        path: Path | int = rng.randrange(1 << 30) if generated else rng.choice(FILES)
        stage = rng.choice(STAGES)
        found = corrupted(valid(path, stage), rng)
        if found is None or check_all(found[0]):
            yield None
        else:
            yield tried(f"{path} {stage}", *found)


def tried(name: str, p: Program[Ann], entry: Name) -> Trial:
    """What verifier and heap interpreter say."""
    open_ = [
        o for o in verify(p).obligations if o.entry == entry and o.verdict is not Verdict.PROVED
    ]
    e = next(e for e in p.entries if e.name == entry)
    faults = (fault_of(p, e, args) for args in small_inputs(e, INPUTS))
    fault = next((f for f in faults if f is not None), None)
    return Trial(name, p, not open_, None if fault is None else fault.message)


def main(args: Sequence[str]) -> None:
    """The command line; exits with 1 if a proof is wrong."""
    parser = ArgumentParser(prog="python -m tests.verify_mutants", description=__doc__)
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generated", action="store_true", help="corrupt generated programs")
    given = parser.parse_args(args)
    counts: Counter[str] = Counter()
    wrong = 0
    for t in trials(given.n, given.seed, generated=given.generated):
        if t is None:
            counts["ill typed"] += 1
            continue
        shows = "no fault" if t.fault is None else "a fault"
        counts[f"{'proved' if t.proved else 'not proved'}, {shows}"] += 1
        if t.is_wrong:
            wrong += 1
            print(f"-- PROVED, but {t.fault}\n-- {t.name}\n{show(t.program)}")
    print(", ".join(f"{k}: {n}" for k, n in sorted(counts.items())))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
