"""(O4) No array that is still needed is overwritten.

A backward walk over the program carries the *needs*: places whose elements will be read later as
elements of an array.  A write must not overlap a need of another array:

    read of x[d]         a need of that place
    view y of x          a need of y is a need of x at the same place
    x with [W] = v       a need of the result is a need of x except at W, and a need of v
    fresh y              needs of y end here; its sources are needed
    if, loop             needs of results become needs of the bodies' results, at their places;
                         needs of the loop's next iteration are those of this one, with primed names
                         and a later index; parameters need their next values
    kernel               a thread is walked like a body; accesses of other threads are covered by
                         races (O3); a collective is a loop over its innermost dimension

A write to ``W`` of x's place is compatible with a need of x *except at W*: an array may be built at
the place where an update will put it (short-circuiting).  Needs come from the reads in the program,
not from liveness.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from attrs import field

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Atom,
    Binder,
    Body,
    DerivedArray,
    Entry,
    For,
    FreshArray,
    Hist,
    If,
    Index,
    Kernel,
    Loop,
    Map,
    Opaque,
    RaggedKernel,
    Scalar,
    Scatter,
    Stm,
    Update,
    Var,
    While,
)
from funmem.ir.logic.derive import in_place_of, source_of
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import define, evolve, frozen
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import atom_size, bound_names, inner_indices, operators
from funmem.ir.verify.certificate import Answer, Argued, Kind, Open, Proof, Step
from funmem.ir.verify.ladder import Ladder
from funmem.ir.verify.moves import Move, Nest, moves_of, nest_of, positions
from funmem.ir.verify.record import Recorder
from funmem.ir.verify.rename import (
    PRIME,
    both,
    common,
    inside_too,
    moved,
    names_of,
    placed,
    primed,
    renamed,
    some,
)
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.spot import Spot


@frozen
class Need:
    """The elements of ``x`` at ``spot``, except those at ``out``, will be read."""

    x: Name
    spot: Spot
    out: tuple[Spot, ...] = field(eq=False)
    facts: Facts = field(eq=False)
    """The facts known where they are read."""
    by: str = field(eq=False)

    def of(self, x: Name) -> "Need":
        """Return the need as one of another array."""
        return evolve(self, x=x)


Needs = tuple[Need, ...]


def entry(e: Entry[Ann], ladder: Ladder, to: Recorder) -> None:
    """Record the obligations of an entry point: one for each place that is written.

    At the end, parameters that are not consumed must have their initial elements.
    """
    scene = ladder.scene
    facts = scene.at_end[id(e.body)].facts
    walker = _Backwards(ladder, scene, to)
    kept = [p.binder.name for p in e.params if not p.unique and p.binder.name in scene.homes]
    after = [Need(x, scene.spot(x), (), facts, "the caller") for x in kept]
    needs = (*after, *walker.results(e.body.result, facts, "the result"))
    walker.body(e.body, tuple(needs))


def merged(needs: Iterable[Need]) -> Needs:
    """Return each need once; of equal ones, the common facts and exceptions."""
    found: dict[Need, Need] = {}
    for n in needs:
        old = found.get(n)
        if old is None:
            found[n] = n
        else:
            out = tuple(s for s in old.out if s in n.out)
            facts = old.facts if old.facts is n.facts else common(old.facts, n.facts)
            found[n] = evolve(old, out=out, facts=facts)
    return tuple(found.values())


def _same(a: Needs, b: Needs) -> bool:
    """True if two sets of needs are equal, including exceptions and facts."""
    return [(n, n.out, n.facts) for n in a] == [(n, n.out, n.facts) for n in b]


@define
class _Backwards:
    ladder: Ladder
    scene: Scene
    to: Recorder
    silent: int = 0
    """Positive while the needs of a loop are collected; no obligation is recorded then."""
    loops: tuple[For, ...] = ()
    """The loops around the statement that is being visited."""

    # ------------------------------------------------------------------ bodies

    def body(self, b: Body[Ann], needs: Needs) -> Needs:
        """Return the needs before the statements, given ``needs`` after them."""
        for s in reversed(b.stms):
            needs = merged(self.statement(s, needs))
        return needs

    def statement(self, s: Stm[Ann], needs: Needs) -> Iterable[Need]:
        facts = self.scene.checked(s)
        match s.exp:
            case Alloc():  # the block is new: no need of it comes from before
                m = s.pat[0].name
                return [n for n in needs if n.spot.block != m]
            case If() as e:
                return self.branches(s, e, needs)
            case Loop() as e:
                return self.loop(s, e, needs)
            case Kernel() as e:
                return self.kernel(s, e, needs)
            case Index(x, index):
                return (*needs, Need(x, self.scene.spot(x).row(*index), (), facts, _name(s)))
            case Scatter(x, indices):
                needs = self.moves(moves_of(s, self.scene), needs, facts)
                needs = _passed_on(needs, {s.pat[0].name: x})
                return (*needs, self.whole(indices, facts, _name(s)))
            case Update(x) as e:
                (move,) = moves_of(s, self.scene)
                y = s.pat[0].name
                needs = self.moves((move,), needs, facts)
                out = move.into
                return tuple(evolve(n, x=x, out=(*n.out, out)) if n.x == y else n for n in needs)
            case DerivedArray() as e:
                source = source_of(e)
                assert source is not None
                return _passed_on(needs, {s.pat[0].name: source})
            case Opaque(_, args):
                bound = {p.name for p in s.pat}
                needs = self.moves(moves_of(s, self.scene), needs, facts)
                read = [a.name for a in args if isinstance(a, Var) and self.scene.is_array(a)]
                return (
                    *(n for n in needs if n.x not in bound),
                    *(self.whole(x, facts, _name(s)) for x in read),
                )
            case Scalar() | FreshArray() | Assert():
                needs = self.moves(moves_of(s, self.scene), needs, facts)
                bound = {p.name for p in s.pat}
                return [n for n in needs if n.x not in bound]
            case RaggedKernel():
                raise unscheduled()

    # ------------------------------------------------------------------ moves

    def moves(self, ms: Sequence[Move], needs: Needs, facts: Facts) -> Needs:
        """Visit moves from the last to the first; return the needs before them."""
        for m in reversed(ms):
            known = facts
            for i, n in m.ranges:
                known = known.with_index(i, n)
            if not m.is_nothing:
                self.judge(m, [n for n in needs if n.x != m.array], known)
            needs = tuple(n for n in needs if not (n.x == m.array and n.spot == m.into))
            if m.source is not None:
                assert m.taken is not None
                needs = (*needs, Need(m.source, m.taken, (), known, _name(m.at)))
        return needs

    def judge(self, m: Move, needs: Iterable[Need], facts: Facts) -> None:
        """Record one obligation: the move overlaps no need of another array."""
        if self.silent:
            return
        place = f"{m.what} to {m.array}"
        self.to.record(
            Kind.NOT_CLOBBERED, place, m.at, (a for n in needs for a in self.question(m, n, facts))
        )

    def question(self, m: Move, n: Need, facts: Facts) -> Iterator[Answer]:
        if self.scene.blocks.apart(m.into.block, n.spot.block):
            return
        if any(self.is_inside(m, out) for out in n.out):
            text = f"{m.into} is replaced before {n.by} reads {n.x}"
            yield Proof(Step.NORMAL_FORM, Argued(text))
            return
        n = seen_from(n, self.loops)
        known = both(facts, n.facts)
        for out in n.out:
            inside = self.ladder.within(m.into, out, known)
            if isinstance(inside, Proof):
                yield inside
                return
        answer = self.ladder.apart(m.into, n.spot, known)
        if isinstance(answer, Open):
            why = f"{n.by} needs {n.x} at {n.spot}, and {m.array} is written at {m.into}"
            answer = evolve(answer, why=f"{why}: {answer.why}")
        yield answer

    def is_inside(self, m: Move, out: Spot) -> bool:
        """True if a move writes to a part of an array that lies at ``out``."""
        x: Name | None = m.array
        while x is not None:
            if self.scene.spot(x) == out:
                return True
            x = self.scene.source(x) or self.consumed(x)
        return False

    def consumed(self, x: Name) -> Name | None:
        """Return the array that ``x`` replaces in place, or None."""
        s = self.scene.made_by.get(x)
        if s is None:
            return None
        pairs = zip(s.pat, in_place_of(s.exp), strict=False)
        return next((y for p, y in pairs if p.name == x), None)

    # ------------------------------------------------------------------ results

    def whole(self, x: Name, facts: Facts, by: str) -> Need:
        return Need(x, self.scene.spot(x), (), facts, by)

    def results(self, atoms: Iterable[Atom], facts: Facts, by: str) -> Iterator[Need]:
        """Yield a need of each array among the atoms, as a whole."""
        for a in atoms:
            if isinstance(a, Var) and a.name in self.scene.homes:
                yield self.whole(a.name, facts, by)

    def handed(
        self, needs: Needs, pat: Sequence[Binder[Ann]], values: Sequence[Atom]
    ) -> Iterator[Need]:
        """Yield needs of bound arrays as needs of their values, at the places of these values.

        Other needs are unchanged.
        """
        names = {b.name: a.name for b, a in zip(pat, values, strict=True) if isinstance(a, Var)}
        sizes = {b.name: atom_size(a) for b, a in zip(pat, values, strict=True) if b.type is I64}
        for n in needs:
            if n.x not in names:
                yield n
            else:
                spot = n.spot.subst(sizes, names)
                out = tuple(o.subst(sizes, names) for o in n.out)
                yield evolve(n, x=names[n.x], spot=spot, out=out)

    # ------------------------------------------------------------------ control

    def branches(self, s: Stm[Ann], e: If[Ann], needs: Needs) -> Iterator[Need]:
        for b in (e.then, e.orelse):
            yield from self.body(b, merged(self.handed(needs, s.pat, b.result)))

    def loop(self, s: Stm[Ann], e: Loop[Ann], needs: Needs) -> Iterator[Need]:
        params = tuple(p.binder for p in e.params)
        names = frozenset(p.name for p in params)
        inside = frozenset((*bound_names(e.body), *names, *inner_indices(e)))
        ends = tuple(self.handed(needs, s.pat, e.body.result))

        def step(start: Needs) -> Needs:
            again = later(start, inside, e.form, names)
            return merged(self.handed(tuple(again), params, e.body.result))

        def iteration(end: Needs) -> Needs:
            return self.body(e.body, end)

        outer = self.loops
        if isinstance(e.form, For):
            self.loops = (*outer, e.form)
        again = self.around(iteration, ends, step)
        start = iteration(merged((*ends, *again)))
        self.loops = outer
        inits = tuple(p.init for p in e.params)
        yield from self.handed(start, params, inits)
        yield from self.handed(needs, s.pat, inits)

    def around(
        self, iteration: Callable[[Needs], Needs], ends: Needs, step: Callable[[Needs], Needs]
    ) -> Needs:
        """Return the needs of later iterations at the end of this one: a fixed point.

        No obligations are recorded meanwhile.  After ROUNDS rounds, or with more than MANY needs,
        needs are widened to whole arrays, of which there are finitely many.
        """
        self.silent += 1
        again: Needs = ()
        rounds = 0
        while True:
            new = step(iteration(merged((*ends, *again))))
            if rounds >= ROUNDS or len(again) + len(new) > MANY:
                new = tuple(map(self.widened, new))
            found = merged((*again, *new))
            if _same(found, again):
                break
            again, rounds = found, rounds + 1
        self.silent -= 1
        return again

    def widened(self, n: Need) -> Need:
        """Return a need of the whole array, without exceptions and facts."""
        return evolve(n, spot=self.scene.spot(n.x), out=(), facts=Facts())

    # ------------------------------------------------------------------ kernels

    def kernel(self, s: Stm[Ann], e: Kernel[Ann], needs: Needs) -> Iterator[Need]:
        nest = nest_of(s, e, self.scene)
        results = {p.name for p in s.pat}
        outside = tuple(n for n in needs if n.x not in results)
        facts = self.scene.at_end[id(e.body)].facts
        if isinstance(e.collective, Map):
            ends = (*outside, *self.own_rows(nest.mapped, facts))
            yield from self.body(e.body, merged(self.moves(nest.mapped, ends, facts)))
            return
        start = self.collective(s, e, nest, outside)
        if isinstance(e.collective, Hist):
            dest = dict(zip((p.name for p in s.pat), e.collective.dest, strict=False))
            mine = (n for n in needs if n.x in dest)
            yield from _passed_on((*start, *mine), dest)
            yield from (self.whole(x, facts, _name(s)) for x in e.collective.dest)
        else:
            yield from start

    def own_rows(self, ms: Iterable[Move], facts: Facts) -> Iterator[Need]:
        """Yield a thread's results as needs, once they are written."""
        for m in ms:
            yield Need(m.array, m.into, (), facts, _name(m.at))

    def collective(self, s: Stm[Ann], e: Kernel[Ann], nest: Nest, outside: Needs) -> Needs:
        """Visit one row, a loop over its iterations; other rows are covered by races (O3).

        Rows of the results that earlier iterations wrote are needed throughout.
        """
        (op,) = operators(e)
        inside = self.scene.at_end[id(e.body)].facts
        row = self.scene.at_start[id(op.body)].facts
        after = self.scene.at_end[id(op.body)].facts
        params = frozenset(p.name for p in op.params)
        names = frozenset((*bound_names(e.body), *bound_names(op.body), *inner_indices(e)))
        names -= {d.index for d in e.dims[:-1]}
        form = For(e.dims[-1].index, e.dims[-1].size)
        whole = tuple(self.whole(m.array, row, _name(s)) for m in nest.kept)
        mapped = tuple(self.whole(m.array, row, _name(s)) for m in nest.mapped)

        def iteration(ends: Needs) -> Needs:
            """Visit an iteration from its end to its start."""
            needs = self.moves((*nest.back, *nest.kept), (*ends, *whole, *mapped), after)
            needs = merged((*needs, *self.results(op.body.result, after, _name(s))))
            needs = self.body(op.body, needs)
            needs = self.moves(nest.passed, needs, inside)
            needs = tuple(n for n in needs if n not in mapped)
            own = (*needs, *self.own_rows(nest.mapped, inside))
            return self.body(e.body, merged(self.moves(nest.mapped, own, inside)))

        last = (*outside, *self.own_rows(nest.last, row))
        ends = self.moves(nest.last, last, row)
        outer, self.loops = self.loops, (*self.loops, form)
        again = self.around(
            iteration, ends, lambda start: merged(later(start, names, form, params))
        )
        start = merged((*iteration(merged((*ends, *again))), *ends))
        self.loops = outer
        first = self.moves(nest.first, start, row)
        return tuple(n for n in first if n.x not in params and n not in whole)


ROUNDS = 4
"""Number of loop iterations that are followed before needs are widened."""

MANY = 100
"""Cap on the number of needs of later iterations; in nested loops each round multiplies them."""


def later(
    needs: Iterable[Need], inside: frozenset[Name], form: For | While, params: frozenset[Name]
) -> Iterator[Need]:
    """Yield the needs of later iterations: varying names are primed, the index is larger.

    A need of a parameter is a need of its next value at that value's place; :meth:`handed` replaces
    the names of parameters in it.  A need that already was of later iterations covers *all* of
    them, and stays.  But the facts and names that it acquired in this iteration are primed, so they
    belong to an iteration in between.
    """
    index = form.index if isinstance(form, For) else None
    for n in needs:
        known = n.spot.free().union(names_of(n.facts), *(o.free() for o in n.out))
        vary = inside | positions(known) | {x for x in known if _is_later(x, inside - {index})}
        image, facts = primed(vary, _fresh_mark(vary, known, PRIME)), Facts()
        if isinstance(form, For):
            image |= primed((form.index,), _fresh_mark((form.index,), known, LATER))
            facts = renamed(n.facts, image)  # for a parameter, facts about its next value
            reader = image[form.index].as_name
            assert reader is not None
            facts = _below(facts, reader, form.bound)
        mine = {x: y for x, y in image.items() if not (n.x in params and x in params)}
        out = tuple(moved(o, mine) for o in n.out)
        yield Need(n.x, moved(n.spot, mine), out, facts, n.by)


def seen_from(n: Need, loops: Iterable[For]) -> Need:
    """Return a need as seen in an iteration of ``loops``: later ones by their distance from it."""
    for loop in loops:
        i, far = loop.index, loop.bound - var(loop.index) - 1
        for x in [x for x, _ in n.facts.indices if _is_later(x, {i})]:
            step = Name(f"{i}.{x.removeprefix(f'{i}.').replace(LATER, 'd')}")
            value = var(i) + 1 + var(step)
            facts = placed(n.facts, x, value, (step, far))
            if not any(j == i for j, _ in facts.indices):
                facts = inside_too(facts, i, loop.bound, step)
            out = tuple(moved(o, {x: value}) for o in n.out)
            n = Need(n.x, moved(n.spot, {x: value}), out, some(facts, far - 1), n.by)
    return n


def _below(facts: Facts, i: Name, n: Size) -> Facts:
    """Return the facts with ``i < n`` added."""
    if any(j == i for j, _ in facts.indices):
        return facts
    return evolve(facts, indices=(*facts.indices, (i, n)))


LATER = "r"
"""Marks the index of an iteration that is later than the one being visited."""


def _is_later(x: Name, indices: Collection[Name]) -> bool:
    """True if ``x`` denotes a later iteration of a loop with one of the indices."""
    index, _, mark = x.partition(".")
    return bool(mark) and not mark.strip(LATER) and index in indices


def _fresh_mark(names: Iterable[Name], used: frozenset[Name], one: str) -> str:
    """Return the mark, repeated until the marked ``names`` are unused."""
    names = tuple(names)
    mark = one
    while any(f"{x}.{mark}" in used for x in names):
        mark += one
    return mark


def _passed_on(needs: Needs, image: Mapping[Name, Name]) -> Needs:
    return tuple(n.of(image[n.x]) if n.x in image else n for n in needs)


def _name(s: Stm[Ann]) -> str:
    return s.pat[0].name
