"""A group of iterations: nodes become statements, and variables that are kept become arrays.

A variable that differs between lanes is *kept* if some part uses the value that it had before that
part: from another part, or from the last round of a loop.  It gets one place for each lane in a
private block; a part that uses it loads it, and one that assigns it stores it.
"""

from collections.abc import Collection, Iterable, Sequence

from attrs import field

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
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, I32, I64, BinOp, ScalarType
from funmem.ir.sizes import Size, const, var
from funmem.passes.imp.vectorise.masked import rounds, running_on
from funmem.passes.imp.vectorise.split import (
    Alike,
    Branch,
    Lanes,
    Loop,
    Masked,
    Node,
    every,
    lane_parts,
)


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
    """The bytes that a lane keeps; in a while-loop of its own, whether it goes on as well."""
    kinds = (types[x] for x in kept_names(nodes, varying))
    masked = sum(isinstance(n, Masked) for n in every(nodes))
    return sum(t.bytes for t in kinds if isinstance(t, ScalarType)) + masked * I32.bytes


@frozen
class Group:
    """The making of one group's body.

    ``lanes`` lanes, at most ``width``; ``index`` is the kernel's own index, and ``first`` its value
    in the first lane; a while-loop of the lanes does so many ``rounds`` between two looks.
    """

    types: dict[Name, VarType]
    fresh: Fresh
    varying: frozenset[Name]
    width: int
    lanes: Size
    index: Name
    first: Size
    rounds: int
    _places: dict[Name, Name] = field(factory=dict)

    def body(self, nodes: Sequence[Node]) -> Block:
        """The statements of a group."""
        nodes = running_on(nodes)
        return self._placed(nodes, kept_names(nodes, self.varying))

    def _placed(self, nodes: Sequence[Node], kept: frozenset[Name]) -> Block:
        """Nodes in front of which these variables get their places, but for those that are declared
        in a kernel among the nodes: each of its iterations has its own.
        """
        inside = [
            bound_names(n.header.body)
            for n in every(nodes)
            if isinstance(n, Loop) and isinstance(n.header, KernelStm)
        ]
        here = sorted(kept.difference(*inside))
        places = [s for x in here for s in self._place(x)]
        return (*places, *self._cleared(nodes, here), *self._nodes(nodes, kept.difference(here)))

    def _cleared(self, nodes: Sequence[Node], kept: Collection[Name]) -> Block:
        """Zeros for what is loaded before anything is sure to have been stored: a variable that is
        not set on every way is never used on the others.
        """
        stored: set[Name] = set()
        unset: set[Name] = set()
        for part in lane_parts(nodes):
            unset |= self._loaded(exposed(part.stms)) & {*kept} - stored
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

    def _nodes(self, nodes: Iterable[Node], kept: frozenset[Name]) -> Block:
        """Nodes in which these variables have to get places."""
        return tuple(s for n in nodes for s in self._node(n, kept))

    def _node(self, node: Node, kept: frozenset[Name]) -> Block:
        match node:
            case Alike(s):
                return (s,)
            case Loop(KernelStm() as header, body):
                own = kept & {*bound_names(header.body)}
                return (evolve(header, body=self._placed(body, own)),)
            case Loop(header, body):
                return (evolve(header, body=self._nodes(body, kept)),)
            case Branch(header, then, orelse):
                both = self._nodes(then, kept), self._nodes(orelse, kept)
                return (evolve(header, then=both[0], orelse=both[1]),)
            case Lanes(stms):
                return (self._part(stms),)
            case Masked():
                return self._masked(node)

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

    def _masked(self, loop: Masked) -> Block:
        """``going <- cond; any <- true; while any do lanes that go on; any <- does one go on done``

        Whether a lane goes on is an integer as wide as most of what is computed, and whether any
        does is an or of these: compilers recognise that.
        """
        cond, at = loop.header.cond, loop.header.at
        going, on = self._new(f"{cond}_on", I32), self._new(cond, BOOL)
        some, bits, lane, x = (
            self._new(y, t) for y, t in (("any", BOOL), ("bits", I32), ("lane", I64), ("bit", I32))
        )
        place = self._place(going)
        own = evolve(self, varying=self.varying | {going})
        start = own._part((Assign(going, Convert(I32, Var(cond)), at),))
        each = rounds(loop, going, on, self._local, self.types, self.rounds, self._places)
        body = (Declare(on, BOOL, at), *each)
        look: Block = (
            Assign(bits, Const(0, I32), at),
            ForStm(
                lane,
                self.lanes,
                (
                    Declare(x, I32, at),
                    Read(x, self._places[going], var(lane), I32, at),
                    Assign(bits, Bin(BinOp.OR, Var(bits), Var(x)), at),
                ),
                at,
            ),
            Assign(some, Bin(BinOp.NE, Var(bits), Const(0, I32)), at),
        )
        return (
            *place,
            start,
            Declare(some, BOOL, at),
            Declare(bits, I32, at),
            Assign(some, Const(True, BOOL), at),
            WhileStm(some, (own._part(body), *look), at),
            self._part((Assign(cond, Const(False, BOOL), at),)),
        )

    def _new(self, like: str, t: VarType) -> Name:
        x = self.fresh(like)
        self.types[x] = t
        return x

    def _local(self, x: Name) -> Declare:
        t = self._type(x)
        return Declare(self._new(x, t), t)

    def _place(self, x: Name) -> Block:
        """Places for a variable, one for each lane."""
        place = self._places[x] = self._new(f"{x}s", MemType(Space.PRIVATE))
        size = const(self.width * self._type(x).bytes)
        return (
            Declare(place, MemType(Space.PRIVATE)),
            Allocate(place, size, Space.PRIVATE),
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
