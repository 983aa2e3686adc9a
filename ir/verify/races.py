"""(O3) Race freedom of kernels (paper 002, eq. 4): no iteration reads or writes what another one
writes.

The obligations are those that the heap interpreter checks (errata 19): for each kernel, also nested
ones, all pairs of index tuples, with the accesses of the body and of the moves of mapped results;
for a collective over several dimensions also all pairs of outer indices, with all accesses
including those of its operator.  A block that an iteration allocates belongs to that iteration.

Two iterations differ in a first index k.  The names of the earlier iteration are primed; indices
before k are equal, index k is ``d < i``, and those after k are arbitrary.  A scatter is a kernel
over its indices, which must be distinct: that is shown where a kernel or an iota computes them.  If
all values are equal, repeated indices are harmless.
"""

from collections.abc import Iterator, Sequence

from funmem.ir.fun import Ann, Kernel, KernelDim, Map, Scatter, Stm
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import bound_names, inner_binders, operators
from funmem.ir.verify.accesses import Access, of_iteration, of_operator
from funmem.ir.verify.certificate import Answer, Argued, Kind, Open, Proof, Step
from funmem.ir.verify.distinct import distinct, equal
from funmem.ir.verify.ladder import Ladder
from funmem.ir.verify.moves import nest_of, positions
from funmem.ir.verify.record import Recorder
from funmem.ir.verify.rename import both, moved, names_of, placed, primed, renamed, some
from funmem.ir.verify.spot import Spot


def kernel(s: Stm[Ann], e: Kernel[Ann], ladder: Ladder, to: Recorder) -> None:
    """Record the obligations of one kernel: one for each access that writes."""
    scene = ladder.scene
    nest = nest_of(s, e, scene)
    inside = frozenset((*bound_names(e.body), *(d.index for d in e.dims)))
    body = tuple(of_iteration(e, nest, scene))
    _Threads(e.dims, inside, ladder, s).judge(body, to, "")
    if isinstance(e.collective, Map) or len(e.dims) == 1:
        return
    ops = operators(e)
    inside |= frozenset(x for op in ops for x in bound_names(op.body))
    inside |= frozenset(b.name for b in inner_binders(e))
    everything = (*body, *of_operator(e, nest, scene))
    _Threads(e.dims[:-1], inside, ladder, s).judge(everything, to, "rows: ")


@frozen
class _Threads:
    dims: Sequence[KernelDim]
    inside: frozenset[Name]
    """All names whose values may differ between iterations."""
    ladder: Ladder
    of: Stm[Ann]

    def judge(self, accesses: Sequence[Access], to: Recorder, what: str) -> None:
        """Record one obligation for each write to a block from outside the kernel."""
        shared = [(a, blocks) for a in accesses if (blocks := self.outer_blocks(a.spot.block))]
        seen: set[tuple[Name, Spot, Facts]] = set()
        for k, (a, blocks) in enumerate(shared):
            key = (a.array, a.spot, a.facts)  # another branch may write the same place
            if not a.writes or key in seen:
                continue
            seen.add(key)
            others = [
                b
                for j, (b, theirs) in enumerate(shared)
                if (j >= k or not b.writes) and self.meet(blocks, theirs)
            ]
            place = f"{what}kernel {self.of.pat[0].name}: {a.array}" if self.of.pat else what
            to.record(
                Kind.RACE_FREE, place, a.at, (x for b in others for x in self.questions(a, b))
            )

    def outer_blocks(self, m: Name) -> frozenset[Name]:
        """Return the blocks from outside the kernel that a block name may stand for."""
        return self.ladder.scene.blocks.leaves(m, self.inside) - self.inside

    def meet(self, mine: frozenset[Name], theirs: frozenset[Name]) -> bool:
        blocks = self.ladder.scene.blocks
        return any(not blocks.apart(m, n) for m in mine for n in theirs)

    def questions(self, a: Access, b: Access) -> Iterator[Answer]:
        """Yield answers for a write of one iteration against an access of another one."""
        for k, d in enumerate(self.dims):
            if isinstance(self.ladder.nonneg(1 - d.size, a.facts), Proof):
                yield Proof(Step.NORMAL_FORM, Argued(f"{d.index} has no two values"))
                continue
            for larger in (True,) if a is b else (True, False):
                answer = self.question(a, b, k, larger)
                if isinstance(answer, Open):
                    yield from self.by_origins(a, b, k, larger, answer)
                else:
                    yield answer

    def by_origins(
        self, a: Access, b: Access, k: int, larger: bool, answer: Open
    ) -> Iterator[Answer]:
        """Yield the answers for the arrays that a branch or loop may have selected.

        The block of an array made earlier is the one that its name stood for at that time.
        """
        mine, theirs = self.alternatives(a), self.alternatives(b)
        if (mine, theirs) == ((_Made(a),), (_Made(b),)):
            yield _explained(answer, a, b)
            return
        for x in mine:
            for y in theirs:
                others = self.inside | x.others | y.others
                if self.meet(self.blocks_of(x, others), self.blocks_of(y, others)):
                    found = self.question(x.access, y.access, k, larger)
                    yield _explained(found, a, b) if isinstance(found, Open) else found

    def blocks_of(self, x: "_Made", others: frozenset[Name]) -> frozenset[Name]:
        """Return the blocks from outside the kernel that an origin may lie in.

        Blocks bound by names in ``others`` or by an ``alloc`` inside the kernel are left out.
        """
        return self.ladder.scene.blocks.leaves(x.access.spot.block, others) - self.inside

    def alternatives(self, a: Access) -> tuple["_Made", ...]:
        """Return the accesses to each array whose elements ``a`` may touch.

        Names bound by the loops that passed the array on may have had other values when it was
        made.
        """
        origins, scene = self.ladder.origins, self.ladder.scene
        if not origins.is_chosen(a.array):
            return (_Made(a),)
        found: list[_Made] = []
        for x, others in sorted(origins.of(a.array).items()):
            image = primed(others, ORIGIN)
            s = scene.made_by.get(x)
            facts = renamed(scene.checked(s), image) if s is not None else Facts()
            spot = moved(scene.spot(x), image)
            found.append(_Made(evolve(a, spot=spot, facts=both(a.facts, facts)), others))
        return tuple(found)

    def question(self, a: Access, b: Access, k: int, larger: bool) -> Answer:
        """Compare iterations that differ first in index ``k``; b's index is larger or smaller."""
        return self.later(b, a, k) if larger else self.later(a, b, k)

    def later(self, a: Access, b: Access, k: int) -> Answer:
        """Compare the iteration of ``a`` with one of ``b`` whose index ``k`` is smaller."""
        d = self.dims[k]
        used = b.spot.free() | names_of(b.facts)
        names = self.inside | positions(used) | {x for x in used if x.endswith(f".{ORIGIN}")}
        image = primed(names)
        theirs, place = renamed(b.facts, image), moved(b.spot, image)
        for same in self.dims[:k]:
            theirs, place = _at(theirs, place, image, same.index, var(same.index), None)
        step = Name(f"{d.index}.d")
        theirs, place = _at(theirs, place, image, d.index, var(step), (step, var(d.index)))
        facts = some(both(a.facts, theirs), var(d.index) - 1)
        return self.ladder.apart(a.spot, place, facts)


@frozen
class _Made:
    """An access described in terms of the statement that made the array."""

    access: Access
    others: frozenset[Name] = frozenset()
    """Names bound by loops, which may have had other values at that time."""


ORIGIN = "o"
"""Marks names with their values at the time when an array was made."""


def _at(
    facts: Facts,
    place: Spot,
    image: dict[Name, Size],
    i: Name,
    value: Size,
    extra: tuple[Name, Size] | None,
) -> tuple[Facts, Spot]:
    """Replace the other iteration's index ``i`` by a value in terms of this iteration's names."""
    theirs = image[i].as_name
    assert theirs is not None
    return placed(facts, theirs, value, extra), moved(place, {theirs: value})


def _explained(answer: Open, a: Access, b: Access) -> Open:
    return evolve(answer, why=f"{a}, another iteration {b}: {answer.why}")


# ---------------------------------------------------------------------- scatter


def scatter(s: Stm[Ann], e: Scatter, ladder: Ladder, to: Recorder) -> None:
    """Record that the indices are distinct or all values equal, and that no iteration writes an
    index that another one reads.
    """
    if equal(e.values, ladder):
        answer: Answer = Proof(Step.NORMAL_FORM, Argued(f"the elements of {e.values} are equal"))
    else:
        answer = distinct(e.indices, ladder)
    to.record(Kind.RACE_FREE, f"scatter {s.pat[0].name}", s, (answer, *_indices_stay(s, e, ladder)))


def _indices_stay(s: Stm[Ann], e: Scatter, ladder: Ladder) -> Iterator[Answer]:
    """A write may go anywhere in ``x``; copies of the values are covered by O6."""
    scene = ladder.scene
    into, read = scene.spot(e.x), scene.spot(e.indices)
    if scene.blocks.apart(into.block, read.block):
        return
    answer = ladder.apart(into, read, scene.checked(s))
    if isinstance(answer, Open):
        why = f"writes {e.x} at {into}, another iteration reads {e.indices} at {read}"
        answer = evolve(answer, why=f"{why}: {answer.why}")
    yield answer
