"""The abstract state of the analysis: the buffers held at a point of a plan, and joins."""

from collections.abc import Mapping, Sequence

from attrs import field

from funmem.codegen.memory_plan.symbols import Atoms, Op
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.sizes import Size, var

LARGEST = " is as large as it ever is"
"""The condition of a block whose size a loop changes."""


@frozen
class AbstractBuffer:
    """A buffer: the sites that may have allocated it, its bytes, and when they are exact."""

    sites: frozenset[int]
    size: Size
    conditions: tuple[str, ...] = ()


@frozen
class Joined:
    """Scalar ``x`` is ``a`` if the first path was taken, and ``b`` if the second one was."""

    x: Name
    a: Size
    b: Size


@define
class State:
    """Block variables and the buffers that they hold; two variables may hold the same one.

    ``scalars``: the known values; ``conditions``: when exactly these buffers are held.
    """

    blocks: dict[Name, AbstractBuffer] = field(factory=dict)
    scalars: dict[Name, Size] = field(factory=dict)
    conditions: tuple[str, ...] = ()

    def copy(self) -> "State":
        return State(dict(self.blocks), dict(self.scalars), self.conditions)

    def held(self) -> tuple[AbstractBuffer, ...]:
        """Return the buffers without duplicates; buffers are compared by identity."""
        return tuple({id(b): b for b in self.blocks.values()}.values())


def union(*conditions: Sequence[str]) -> tuple[str, ...]:
    """Return all conditions in order, without duplicates."""
    return tuple(dict.fromkeys(c for cs in conditions for c in cs))


def same_blocks(a: State, b: State) -> bool:
    """True if in both states the same groups of variables hold buffers of the same size."""
    if a.blocks.keys() != b.blocks.keys():
        return False
    there: dict[int, AbstractBuffer] = {}
    back: dict[int, AbstractBuffer] = {}
    for x, p in a.blocks.items():
        q = b.blocks[x]
        if there.setdefault(id(p), q) is not q or back.setdefault(id(q), p) is not p:
            return False
        if (p.size, p.conditions) != (q.size, q.conditions) or not q.sites <= p.sites:
            return False
    return True


def join_blocks(
    a: State, b: State, joined: Sequence[Joined], atoms: Atoms, why: str
) -> tuple[Mapping[Name, AbstractBuffer], tuple[str, ...]]:
    """Return the buffers held where two paths meet, and the conditions under which it is exact.

    Each pair of buffers becomes one.  Its size is exact if both sizes are equal, or if they are
    multiples of a joined scalar; otherwise it is the larger one.  Variables that share a buffer on
    only one of the paths are taken to hold two.
    """
    pairs: dict[tuple[int, int], AbstractBuffer] = {}
    blocks: dict[Name, AbstractBuffer] = {}
    exact = True
    for x in a.blocks | b.blocks:
        p, q = a.blocks.get(x), b.blocks.get(x)
        if p is None or q is None:
            exact = False
        p, q = p or q, q or p
        assert p is not None
        assert q is not None
        key = (id(p), id(q))
        if key not in pairs:
            pairs[key] = p if p is q else _merged(x, p, q, joined, atoms, why)
        blocks[x] = pairs[key]
    firsts, seconds = [k[0] for k in pairs], [k[1] for k in pairs]
    shared = len(set(firsts)) < len(firsts) or len(set(seconds)) < len(seconds)
    conditions = union(a.conditions, b.conditions, () if exact and not shared else (why,))
    return blocks, conditions


def _merged(
    x: Name,
    p: AbstractBuffer,
    q: AbstractBuffer,
    joined: Sequence[Joined],
    atoms: Atoms,
    why: str,
) -> AbstractBuffer:
    """Return one buffer for both; in a loop its size uses the largest value of a joined scalar."""
    conditions = union(p.conditions, q.conditions)
    size = _common(p.size, q.size, joined)
    if size is not None and p.size != q.size and any(map(atoms.varies, size.free())):
        size = size if atoms.grows(size) else None
        conditions = union(conditions, (f"`{x}`{LARGEST}",))
    if size is None:
        size, conditions = atoms.derived(Op.MAX, p.size, q.size), union(conditions, (why,))
    return AbstractBuffer(p.sites | q.sites, size, conditions)


def _common(a: Size, b: Size, joined: Sequence[Joined]) -> Size | None:
    """Return a polynomial that is ``a`` on the first path and ``b`` on the second, or None."""
    if a == b:
        return a
    for k, j in enumerate(joined):
        if j.a.as_const is not None and j.b.as_const is not None:
            continue
        p, q = a.divided_by(j.a), b.divided_by(j.b)
        if p is not None and q is not None:
            rest = _common(p, q, joined[k:])
            if rest is not None:
                return rest * var(j.x)
    return None
