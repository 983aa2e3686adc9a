"""The plan of ``expand``: the allocations of a kernel that become one block for all threads.

An allocation is expanded if

    (1) is_at_the_top        it is a statement of the kernel's body or of its operator's, not of a
                             loop or branch inside
    (2) part_of (sizes.py)   the size of a thread's part can be computed in front of the kernel
    (3) moves_as_one         an array in a block chosen by ``if`` or ``loop`` gets the same home in
                             each block that may be chosen
    (5) is_readable          the texts of the block's size and of all homes in it are short enough
                             for the parser

and interleaved if also

    (4) has_one_element_size every array in the block has elements of the same size
"""

from collections.abc import Iterable, Iterator, Mapping
from math import prod

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Binder,
    Body,
    Exp,
    Home,
    Kernel,
    KernelDim,
    Space,
    Stm,
)
from funmem.ir.logic.blocks import Blocks, blocks_of, is_fresh
from funmem.ir.logic.facts import PointFacts
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import Size
from funmem.ir.traverse import (
    bound_in_body,
    inner_binders,
    inner_indices,
    map_sub_bodies,
    operators,
    sub_bodies,
    walk,
    with_exp,
    with_stms,
)
from funmem.passes.mem.expand.layout import Layout
from funmem.passes.mem.expand.sizes import Inside, Part, part_of
from funmem.passes.mem.refusal import Refusal
from funmem.passes.mem.relocate import Placing, relocate

TERMS = 1 << 12
"""Products with more terms than this are not computed to see whether terms cancel out."""


@frozen
class ExpansionPlan:
    """The allocations that leave a kernel."""

    layouts: Mapping[Name, Layout]
    """The blocks that are expanded, and the layout of each."""
    before: tuple[Stm[Ann], ...]
    """The statements that compute the sizes of parts."""
    refusals: tuple[Refusal, ...]


# ---------------------------------------------------------------------- analysis


def plan(s: Stm[Ann], known: PointFacts, fresh: Fresh, *, interleaved: bool) -> ExpansionPlan:
    """Return the plan for a kernel statement; ``known`` holds the facts before it."""
    assert isinstance(s.exp, Kernel)
    blocks = blocks_of(Body((s,), ()))
    layouts: dict[Name, Layout] = {}
    before: list[Stm[Ann]] = []
    refusals: list[Refusal] = []
    parts: dict[tuple[Size, int, int], Part] = {}
    for alloc, size, inside in _allocations(s.exp, known):
        m = alloc.pat[0].name
        elements = element_sizes(s, m, blocks)
        unit = max(elements, default=1)
        key = (size, unit, len(inside.dims))
        part = parts[key] if key in parts else part_of(alloc, size, unit, inside, fresh)
        if isinstance(part, Refusal):
            refusals.append(part)
            continue
        if key not in parts:
            before += part.before
            parts[key] = part
        mixed = has_one_element_size(alloc, elements)
        if interleaved and mixed is not None:
            refusals.append(mixed)
        layout = Layout(inside.dims, unit, part.size, interleaved and mixed is None)
        if (large := is_readable(alloc, layout, arrays_in(s, m, blocks))) is not None:
            refusals.append(large)
            continue
        layouts[m] = layout
    refusals += split_by(s, layouts, blocks)
    return ExpansionPlan(layouts, tuple(before), (*refusals, *_too_deep(s.exp)))


def _allocations(k: Kernel[Ann], known: PointFacts) -> Iterator[tuple[Stm[Ann], Size, Inside]]:
    """Yield the device allocations at the top level of the kernel's bodies, with their sizes."""
    local = frozenset(_own(k)).union(*map(bound_in_body, sub_bodies(k)))
    for b, dims in _bodies(k):
        for j, s in enumerate(b.stms):
            match s.exp:
                case Alloc(size, Space.DEVICE):
                    yield s, size, Inside(dims, local, b.stms[:j], known)
                case _:
                    pass


def _bodies(k: Kernel[Ann]) -> Iterator[tuple[Body[Ann], tuple[KernelDim, ...]]]:
    """Yield each body of a kernel with the dimensions that number the threads that run it."""
    for op in operators(k):
        yield op.body, k.dims[:-1]
    yield k.body, k.dims


def _own(k: Kernel[Ann]) -> tuple[Name, ...]:
    return (*inner_indices(k), *(b.name for b in inner_binders(k)))


# ---------------------------------------------------------------------- conditions


def is_at_the_top(s: Stm[Ann]) -> Refusal:
    """(1) Return the refusal of an allocation that hoisting left in a loop or branch."""
    reason = "it is allocated in a loop or branch, each time this is entered"
    return Refusal(s, "it is allocated once per thread", reason)


def _too_deep(k: Kernel[Ann]) -> Iterator[Refusal]:
    for b in sub_bodies(k):
        for s in b.stms:
            yield from map(is_at_the_top, _inner_allocations(s.exp))


def _inner_allocations(e: Exp[Ann]) -> Iterator[Stm[Ann]]:
    """Yield the allocations in loops and branches, without those in inner kernels."""
    if not isinstance(e, Kernel):
        for b in sub_bodies(e):
            for s in b.stms:
                if isinstance(s.exp, Alloc) and s.exp.space is Space.DEVICE:
                    yield s
                yield from _inner_allocations(s.exp)


def split_by(s: Stm[Ann], layouts: dict[Name, Layout], blocks: Blocks) -> Iterator[Refusal]:
    """(3) Drop from ``layouts`` each block that moves_as_one refuses, and yield the refusals."""
    allocs = {p.name: t for b in sub_bodies(s.exp) for t in walk(b) for p in t.pat}
    while True:
        wrong = [r for b in placed(s) if (r := moves_as_one(b, layouts, blocks))]
        if not wrong:
            return
        for block, why in wrong:
            if layouts.pop(block, None) is not None:
                yield Refusal(allocs[block], "arrays in a chosen block move together", why)


def moves_as_one(
    b: Binder[Ann], layouts: Mapping[Name, Layout], blocks: Blocks
) -> tuple[Name, str] | None:
    """(3) None if the array gets the same home in each block that may be chosen; otherwise a block
    that must not be expanded, and the reason.
    """
    assert b.home is not None
    roots = sorted(blocks.roots(b.home.block))
    expanded_roots = [m for m in roots if m in layouts]
    places = {moved(b, b.home, layouts.get(m)).ix for m in roots}
    if not expanded_roots or len(places) == 1:
        return None
    return expanded_roots[0], f"{b.name} is put into {b.home.block}, one of {', '.join(roots)}"


def has_one_element_size(alloc: Stm[Ann], sizes: frozenset[int]) -> Refusal | None:
    """(4) Interleaved, the elements of all arrays in the block have the same size."""
    if len(sizes) <= 1:
        return None
    text = ", ".join(map(str, sorted(sizes)))
    return Refusal(alloc, "elements interleave", f"the block holds elements of {text} bytes")


def element_sizes(s: Stm[Ann], m: Name, blocks: Blocks) -> frozenset[int]:
    """Return the sizes in bytes of the elements of the arrays that may lie in block ``m``."""
    return frozenset(t.elem.bytes for t, _ in arrays_in(s, m, blocks))


def arrays_in(s: Stm[Ann], m: Name, blocks: Blocks) -> Iterator[tuple[ArrayType, Home]]:
    """Yield the arrays that may lie in block ``m``, with their homes."""
    inner = (t for b in sub_bodies(s.exp) for t in walk(b))
    for b in (b for t in inner for b in (*t.pat, *inner_binders(t.exp))):
        if isinstance(b.type, ArrayType) and b.home is not None and m in blocks.roots(b.home.block):
            yield b.type, b.home


def is_readable(
    alloc: Stm[Ann], layout: Layout, arrays: Iterable[tuple[ArrayType, Home]]
) -> Refusal | None:
    """(5) The texts of the block's size and of all homes in it are short enough for the parser:
    they are products with the kernel's sizes.
    """
    lens = (len(d.size.terms) for d in layout.dims)
    if (
        prod(lens, start=len(layout.part.terms)) <= TERMS
        and layout.bytes.readable
        and all(layout.home(home, t.elem.bytes).ix.readable for t, home in arrays)
    ):
        return None
    return Refusal(
        alloc, "sizes can be written", "the size of a block for all threads would be too large"
    )


def placed(s: Stm[Ann]) -> Iterator[Binder[Ann]]:
    """Yield the arrays in a kernel whose homes are chosen freely: fresh ones and operators'
    parameters.
    """
    for b in sub_bodies(s.exp):
        for t in walk(b):
            fresh = t.pat if is_fresh(t.exp) else ()
            params = inner_binders(t.exp) if isinstance(t.exp, Kernel) else ()
            yield from (p for p in (*fresh, *params) if p.home is not None)


# ---------------------------------------------------------------------- apply


def moved(b: Binder[Ann], home: Home, layout: Layout | None) -> Home:
    """Return the new home of an array with this home if its block is divided by ``layout``."""
    assert isinstance(b.type, ArrayType)
    return home if layout is None else layout.home(home, b.type.elem.bytes)


def placing(layouts: Mapping[Name, Layout], blocks: Blocks) -> Placing:
    """Return the new home of every fresh array; by (3) each block that may be chosen gives the
    same.
    """

    def place(b: Binder[Ann]) -> Home:
        assert b.home is not None
        return moved(b, b.home, layouts.get(min(blocks.roots(b.home.block))))

    return place


def expanded(
    s: Stm[Ann], p: ExpansionPlan, known: PointFacts, fresh: Fresh
) -> tuple[Stm[Ann], ...]:
    """Return the kernel with its planned allocations in front of it.

    Raises :class:`~funmem.ir.logic.derive.Homeless`.
    """
    one: Body[Ann] = Body((s,), ())
    allocs = tuple(
        evolve(t, exp=Alloc(p.layouts[t.pat[0].name].bytes))
        for b in sub_bodies(s.exp)
        for t in b.stms
        if isinstance(t.exp, Alloc) and t.pat[0].name in p.layouts
    )
    moved_body = relocate(one, known, placing(p.layouts, blocks_of(one)), fresh)
    (s,) = moved_body.stms
    inside = map_sub_bodies(s.exp, lambda b: _without(b, p.layouts))
    return (*p.before, *allocs, with_exp(s, inside))


def _without(b: Body[Ann], gone: Mapping[Name, Layout]) -> Body[Ann]:
    stms = (s for s in b.stms if not (isinstance(s.exp, Alloc) and s.pat[0].name in gone))
    return with_stms(b, stms)
