"""(O4) No array that is still needed is overwritten.

A walk from the end of the program to its start carries the *needs*: places whose elements will be
read later as elements of an array.  Whatever writes must not meet a need of another array:

    read of x[d]         a need of that place
    view y of x          a need of y is one of x at the same place
    x with [W] = v       a need of the result is one of x, but for W, and one of v
    fresh y              needs of y end here; its sources are needed
    if, loop             needs of results are those of the bodies' results, at the places that
                         these have; the loop's next iteration needs what it needs, its names
                         primed, at later indices; parameters need their next values
    kernel               a thread is walked like a body; what other threads do is a matter of races
                         (O3); a collective is a loop over its innermost dimension

A write to ``W`` of x's place does no harm to a need of x *but for W*: that is how an array may be
built where an update will put it (short-circuiting).  Needs are not derived from liveness: only
from reads that are in the program.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from attrs import field

from funmem.ir.fun import (
    Alloc,
    Ann,
    Atom,
    Binder,
    Body,
    Entry,
    For,
    Hist,
    If,
    Index,
    Kernel,
    Loop,
    Map,
    Scatter,
    Stm,
    Update,
    Var,
    While,
)
from funmem.ir.logic.derive import in_place_of, source_of
from funmem.ir.logic.prove import NOTHING, Facts
from funmem.ir.names import Name
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
    """The elements of ``x`` at ``spot``, but for those at ``out``, will be read."""

    x: Name
    spot: Spot
    out: tuple[Spot, ...] = field(eq=False)
    facts: Facts = field(eq=False)
    """What is known where they are read."""
    by: str = field(eq=False)

    def of(self, x: Name) -> "Need":
        """The same elements as those of another array."""
        return evolve(self, x=x)


Needs = tuple[Need, ...]


def entry(e: Entry[Ann], ladder: Ladder, to: Recorder) -> None:
    """The obligations of an entry point: one for each place that writes.

    What the caller does not give away must be as it was.
    """
    scene = ladder.scene
    facts = scene.at_end[id(e.body)].facts
    walker = _Backwards(ladder, scene, to)
    kept = [p.binder.name for p in e.params if not p.unique and p.binder.name in scene.homes]
    after = [Need(x, scene.spot(x), (), facts, "the caller") for x in kept]
    needs = (*after, *walker.results(e.body.result, facts, "the result"))
    walker.body(e.body, tuple(needs))


def merged(needs: Iterable[Need]) -> Needs:
    """Every need once; of two the facts and the exceptions that both have."""
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
    """Whether two sets of needs are one, exceptions and facts included."""
    return [(n, n.out, n.facts) for n in a] == [(n, n.out, n.facts) for n in b]


@define
class _Backwards:
    ladder: Ladder
    scene: Scene
    to: Recorder
    silent: int = 0
    """While a loop's needs are collected, nothing is judged."""
    loops: tuple[For, ...] = ()
    """Those of which an iteration is walked."""

    # ------------------------------------------------------------------ bodies

    def body(self, b: Body[Ann], needs: Needs) -> Needs:
        """What is needed before the statements, if ``needs`` is what is needed after them."""
        for s in reversed(b.stms):
            needs = merged(self.statement(s, needs))
        return needs

    def statement(self, s: Stm[Ann], needs: Needs) -> Iterable[Need]:
        facts = self.scene.checked(s)
        match s.exp:
            case Alloc():  # nothing has been in this block before
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
            case e if (source := source_of(e)) is not None:
                return _passed_on(needs, {s.pat[0].name: source})
            case _:
                needs = self.moves(moves_of(s, self.scene), needs, facts)
                bound = {p.name for p in s.pat}
                return [n for n in needs if n.x not in bound]

    # ------------------------------------------------------------------ moves

    def moves(self, ms: Sequence[Move], needs: Needs, facts: Facts) -> Needs:
        """Moves one after the other, from the last to the first."""
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
        """One obligation: the move meets no need of another array."""
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
        """Whether a move writes to a part of an array that lies at ``out``."""
        x: Name | None = m.array
        while x is not None:
            if self.scene.spot(x) == out:
                return True
            x = self.scene.source(x) or self.consumed(x)
        return False

    def consumed(self, x: Name) -> Name | None:
        """The array that ``x`` replaces, in its place."""
        s = self.scene.made_by.get(x)
        if s is None:
            return None
        pairs = zip(s.pat, in_place_of(s.exp), strict=False)
        return next((y for p, y in pairs if p.name == x), None)

    # ------------------------------------------------------------------ results

    def whole(self, x: Name, facts: Facts, by: str) -> Need:
        return Need(x, self.scene.spot(x), (), facts, by)

    def results(self, atoms: Iterable[Atom], facts: Facts, by: str) -> Iterator[Need]:
        """All arrays among atoms, whole."""
        for a in atoms:
            if isinstance(a, Var) and a.name in self.scene.homes:
                yield self.whole(a.name, facts, by)

    def handed(
        self, needs: Needs, pat: Sequence[Binder[Ann]], values: Sequence[Atom]
    ) -> Iterator[Need]:
        """Needs of bound arrays as needs of what they are bound to, at the place they have there;
        the others as they are.
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
        """What later iterations need at the end of this one: a fixed point, found silently.

        After some rounds, or where there are many, needs are widened to whole arrays, which are
        finitely many.
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
        """All of the array, where everything is forgotten that changes."""
        return evolve(n, spot=self.scene.spot(n.x), out=(), facts=NOTHING)

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
        """A thread's results, once they are there."""
        for m in ms:
            yield Need(m.array, m.into, (), facts, _name(m.at))

    def collective(self, s: Stm[Ann], e: Kernel[Ann], nest: Nest, outside: Needs) -> Needs:
        """One row, whose iterations follow each other; other rows are a matter of races.

        Rows that earlier iterations have left in the results are needed all the time.
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
            """From the end of an iteration to its start."""
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
"""Iterations of a loop that are followed before needs are widened."""

MANY = 100
"""Needs of later iterations that are told apart.  Loops in loops multiply them, a round each."""


def later(
    needs: Iterable[Need], inside: frozenset[Name], form: For | While, params: frozenset[Name]
) -> Iterator[Need]:
    """Needs of later iterations: what varies has another value, the index a larger one.

    The need of a parameter is one of its next value, at the place that this will have: the names
    of parameters in it are replaced by whoever hands it on.  A need that is one of later
    iterations already was about *all* of them, and stays; but what it has met in this iteration
    was said in this one's names, the index among them, and so is about an iteration in between.
    """
    index = form.index if isinstance(form, For) else None
    for n in needs:
        known = n.spot.free().union(names_of(n.facts), *(o.free() for o in n.out))
        vary = inside | positions(known) | {x for x in known if _is_later(x, inside - {index})}
        image, facts = primed(vary, _fresh_mark(vary, known, PRIME)), NOTHING
        if isinstance(form, For):
            image |= primed((form.index,), _fresh_mark((form.index,), known, LATER))
            facts = renamed(n.facts, image)  # of parameters: it was about their next values
            reader = image[form.index].as_name
            assert reader is not None
            facts = _below(facts, reader, form.bound)
        mine = {x: y for x, y in image.items() if not (n.x in params and x in params)}
        out = tuple(moved(o, mine) for o in n.out)
        yield Need(n.x, moved(n.spot, mine), out, facts, n.by)


def seen_from(n: Need, loops: Iterable[For]) -> Need:
    """A need in an iteration of ``loops``: those that are later are told by how much later."""
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
    """The facts, and that ``i < n``."""
    if any(j == i for j, _ in facts.indices):
        return facts
    return evolve(facts, indices=(*facts.indices, (i, n)))


LATER = "r"
"""Marks an index as that of an iteration later than the one that is looked at."""


def _is_later(x: Name, indices: Collection[Name]) -> bool:
    """Whether ``x`` is a later iteration of one of the loops with these indices."""
    index, _, mark = x.partition(".")
    return bool(mark) and not mark.strip(LATER) and index in indices


def _fresh_mark(names: Iterable[Name], used: frozenset[Name], one: str) -> str:
    """As many marks as make other names of ``names`` than those that are used."""
    names = tuple(names)
    mark = one
    while any(f"{x}.{mark}" in used for x in names):
        mark += one
    return mark


def _passed_on(needs: Needs, image: Mapping[Name, Name]) -> Needs:
    return tuple(n.of(image[n.x]) if n.x in image else n for n in needs)


def _name(s: Stm[Ann]) -> str:
    return s.pat[0].name
