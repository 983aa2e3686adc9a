"""A group of iterations: nodes become statements, and variables that are kept become arrays.

A variable that differs between lanes is *kept* if some part uses the value that it had before that
part: from another part, or from the last round of a loop.  It gets one place for each lane in a
private block; a part that uses it loads it, and one that assigns it stores it.
"""

from collections.abc import Iterable, Sequence

from attrs import evolve, field, frozen

from funmem.ir.fun import Bin, Const, Convert, MemType, Space, Var
from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    Declare,
    ForStm,
    IfStm,
    ImpDim,
    ImpStm,
    KernelStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import VarType, bound_names, own_assigns, own_uses, subst
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import BOOL, I32, BinOp, ScalarType
from funmem.ir.sizes import Size, const, var
from funmem.passes.lanes.split import Alike, Branch, Lanes, Loop, Masked, Node, lane_parts


@frozen
class Exposed:
    """What a part does with variables: ``before`` are used with the value from before the part,
    ``assigned`` may get one, ``surely`` get one however control goes.
    """

    before: frozenset[Name]
    assigned: frozenset[Name]
    surely: frozenset[Name]


def exposed(stms: Sequence[ImpStm]) -> Exposed:
    """What statements do with variables that are declared outside them."""
    before: set[Name] = set()
    assigned: set[Name] = set()
    surely: set[Name] = set()
    for s in stms:
        before |= own_uses(s) - surely
        inner = [exposed(b) for b in _bodies(s)]
        for e in inner:
            before |= e.before - surely
            assigned |= e.assigned
        if isinstance(s, IfStm):
            surely |= inner[0].surely & inner[1].surely
        assigned.update(own_assigns(s))
        surely.update(own_assigns(s))
    own = frozenset(bound_names(tuple(stms)))
    return Exposed(frozenset(before) - own, frozenset(assigned) - own, frozenset(surely) - own)


def _bodies(s: ImpStm) -> tuple[Block, ...]:
    match s:
        case IfStm(_, then, orelse):
            return (then, orelse)
        case ForStm(_, _, body) | WhileStm(_, body) | KernelStm(_, body):
            return (body,)
        case _:
            return ()


def kept_names(nodes: Sequence[Node], varying: frozenset[Name]) -> frozenset[Name]:
    """The variables that some part uses with a value from before it."""
    parts = [exposed(p.stms) for p in lane_parts(nodes)]
    assigned = frozenset[Name]().union(*(e.assigned for e in parts))
    return frozenset[Name]().union(*(e.before for e in parts)) & varying & assigned


def kept_bytes(nodes: Sequence[Node], types: dict[Name, VarType], varying: frozenset[Name]) -> int:
    """The bytes that a lane keeps."""
    kinds = (types[x] for x in kept_names(nodes, varying))
    return sum(t.bytes for t in kinds if isinstance(t, ScalarType))


@frozen
class Group:
    """The making of one group's body.

    ``lanes`` lanes, at most ``width``; ``index`` is the kernel's own index, and ``first`` its value
    in the first lane.
    """

    types: dict[Name, VarType]
    fresh: Fresh
    varying: frozenset[Name]
    width: int
    lanes: Size
    index: Name
    first: Size
    _places: dict[Name, Name] = field(factory=dict)

    def body(self, nodes: Sequence[Node]) -> Block:
        """The statements of a group."""
        kept = sorted(kept_names(nodes, self.varying))
        head: list[ImpStm] = []
        for x in kept:
            place = self._places[x] = self.fresh(f"{x}s")
            self.types[place] = MemType(Space.PRIVATE)
            head.append(Declare(place, MemType(Space.PRIVATE)))
            size = const(self.width * self._type(x).bytes)
            head.append(Allocate(place, size, Space.PRIVATE))
        head += self._cleared(nodes)
        return (*head, *self._nodes(nodes))

    def _cleared(self, nodes: Sequence[Node]) -> Block:
        """Zeros for what is loaded before anything is sure to have been stored: a variable that is
        not set on every way is never used on the others.
        """
        stored: set[Name] = set()
        unset: set[Name] = set()
        for part in lane_parts(nodes):
            unset |= self._loaded(exposed(part.stms)) - stored
            stored |= exposed(part.stms).assigned
        if not unset:
            return ()
        lane = self._lane()
        zeros = [
            self._store(x, lane, Const(_zero(self._type(x)), self._type(x))) for x in sorted(unset)
        ]
        return (KernelStm((ImpDim(lane, self.lanes),), tuple(zeros)),)

    def _loaded(self, e: Exposed) -> frozenset[Name]:
        """What a part must load: what it uses, and what it may leave as it was."""
        kept = self._places.keys()
        return (e.before | (e.assigned - e.surely)) & kept

    def _nodes(self, nodes: Iterable[Node]) -> Block:
        return tuple(s for n in nodes for s in self._node(n))

    def _node(self, node: Node) -> Block:
        match node:
            case Alike(s):
                return (s,)
            case Loop(header, body):
                return (evolve(header, body=self._nodes(body)),)
            case Branch(header, then, orelse):
                return (evolve(header, then=self._nodes(then), orelse=self._nodes(orelse)),)
            case Lanes(stms):
                return (self._part(stms),)
            case Masked(header, part):
                return self._masked(header, part)

    def _part(self, stms: Block) -> ImpStm:
        """What the lanes do, as a kernel over them; each variable has a name of its own here."""
        e = exposed(stms)
        lane = self._lane()
        image = {self.index: self.first + var(lane)}
        head: list[ImpStm] = []
        tail: list[ImpStm] = []
        for x in sorted((e.before | e.assigned) & self.varying - {self.index}):
            name = self.fresh(x)
            self.types[name] = self._type(x)
            image[x] = var(name)
            head.append(Declare(name, self._type(x)))
            if x in self._loaded(e):
                head.append(Read(name, self._places[x], var(lane), self._type(x)))
            if x in self._places and x in e.assigned:
                tail.append(self._store(x, lane, Var(name)))
        body = (*head, *subst(stms, image), *tail)
        return KernelStm((ImpDim(lane, self.lanes),), body, stms[0].at)

    def _masked(self, header: WhileStm, part: Lanes) -> Block:
        """``any <- true; while any do lanes that go on; any <- does any lane go on done``

        Whether any does is an or of integers, which compilers recognise.
        """
        cond, at = self._places[header.cond], header.at
        going, lane, x = self.fresh("any"), self._lane(), self.fresh(header.cond)
        bits = self.fresh("bits")
        self.types.update({going: BOOL, x: BOOL, bits: I32})
        look: Block = (
            Assign(bits, Const(0, I32), at),
            ForStm(
                lane,
                self.lanes,
                (
                    Declare(x, BOOL, at),
                    Read(x, cond, var(lane), BOOL, at),
                    Assign(bits, Bin(BinOp.OR, Var(bits), Convert(I32, Var(x))), at),
                ),
                at,
            ),
            Assign(going, Bin(BinOp.NE, Var(bits), Const(0, I32)), at),
        )
        return (
            Declare(going, BOOL, at),
            Declare(bits, I32, at),
            Assign(going, Const(True, BOOL), at),
            WhileStm(going, (self._part(part.stms), *look), at),
        )

    def _lane(self) -> Name:
        return self.fresh("lane")

    def _store(self, x: Name, lane: Name, value: Const | Var) -> Write:
        return Write(self._places[x], var(lane), value, self._type(x))

    def _type(self, x: Name) -> ScalarType:
        t = self.types[x]
        assert isinstance(t, ScalarType)
        return t


def _zero(t: ScalarType) -> bool | int | float:
    return False if t is BOOL else 0.0 if t.is_float else 0
