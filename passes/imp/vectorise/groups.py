"""Code of one group of iterations: nodes become statements, and some scalars become arrays.

This is scalar expansion.  A variable that differs between lanes is *expanded* if it is live on
entry to some part of the lanes: its value comes from another part, or from an earlier iteration of
a loop. It becomes an array in a private block, with one element for each lane.  A part that uses
the variable loads the element; a part that assigns it stores it.
"""

from collections.abc import Collection, Iterable, Sequence

from attrs import field

from funmem.ir.fun import Bin, Const, Convert, MemType, Space, Var
from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpDim,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import VarType, bound_names, own_assigns, own_uses, subst
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, I32, I64, BinOp, ScalarType
from funmem.ir.sizes import Size, const, var
from funmem.passes.imp.vectorise.masked import rounds, with_dead_variables
from funmem.passes.imp.vectorise.split import (
    Branch,
    Lanes,
    Loop,
    Masked,
    Node,
    Uniform,
    all_nodes,
    lane_parts,
)


@frozen
class Exposed:
    """The variables of a part: ``before`` are live on entry (upward exposed uses), ``assigned`` may
    be assigned, ``surely`` are assigned on every path.
    """

    before: frozenset[Name]
    assigned: frozenset[Name]
    surely: frozenset[Name]


def exposed(stms: Sequence[ImpStm]) -> Exposed:
    """Return how statements use and assign the variables that are declared outside them."""
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
        case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement():
            return ()
        case CallStm() | Check() | OpaqueStm():
            return ()


def expanded_names(nodes: Sequence[Node], varying: frozenset[Name]) -> frozenset[Name]:
    """Return the variables that are live on entry to some part, assigned in one, and vary."""
    parts = [exposed(p.stms) for p in lane_parts(nodes)]
    assigned = frozenset[Name]().union(*(e.assigned for e in parts))
    return frozenset[Name]().union(*(e.before for e in parts)) & varying & assigned


def expanded_bytes(
    nodes: Sequence[Node], types: dict[Name, VarType], varying: frozenset[Name]
) -> int:
    """Return the bytes of a lane's expanded variables, including one mask for
    each divergent loop.
    """
    kinds = (types[x] for x in expanded_names(nodes, varying))
    masked = sum(isinstance(n, Masked) for n in all_nodes(nodes))
    return sum(t.bytes for t in kinds if isinstance(t, ScalarType)) + masked * I32.bytes


@frozen
class Group:
    """Builds the body of one group.

    The group has ``lanes`` lanes, at most ``width``.  ``index`` is the kernel's index, and
    ``first`` its value in the first lane.  A divergent while-loop runs ``rounds`` iterations
    between two tests for active lanes.
    """

    types: dict[Name, VarType]
    fresh: Fresh
    varying: frozenset[Name]
    width: int
    lanes: Size
    index: Name
    first: Size
    rounds: int
    _arrays: dict[Name, Name] = field(factory=dict)

    def body(self, nodes: Sequence[Node]) -> Block:
        """Return the statements of a group."""
        nodes = with_dead_variables(nodes)
        return self._expanded(nodes, expanded_names(nodes, self.varying))

    def _expanded(self, nodes: Sequence[Node], kept: frozenset[Name]) -> Block:
        """Return the arrays of the variables in ``kept``, and the code of the nodes.  A variable
        that a kernel among the nodes declares gets its array there: each iteration has its own.
        """
        inside = [
            bound_names(n.header.body)
            for n in all_nodes(nodes)
            if isinstance(n, Loop) and isinstance(n.header, KernelStm)
        ]
        here = sorted(kept.difference(*inside))
        arrays = [s for x in here for s in self._new_array(x)]
        return (*arrays, *self._zeroed(nodes, here), *self._nodes(nodes, kept.difference(here)))

    def _zeroed(self, nodes: Sequence[Node], kept: Collection[Name]) -> Block:
        """Store zeros into the arrays that may be loaded before a store.  The program never uses
        such a value: a variable that is not assigned on some path is not used there.
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
        """Return the arrays that a part loads: variables live on entry or not surely assigned."""
        kept = self._arrays.keys()
        return (e.before | (e.assigned - e.surely)) & kept

    def _nodes(self, nodes: Iterable[Node], kept: frozenset[Name]) -> Block:
        """Return the code of nodes; ``kept`` are the variables that have no array yet."""
        return tuple(s for n in nodes for s in self._node(n, kept))

    def _node(self, node: Node, kept: frozenset[Name]) -> Block:
        match node:
            case Uniform(s):
                return (s,)
            case Loop(KernelStm() as header, body):
                own = kept & {*bound_names(header.body)}
                return (evolve(header, body=self._expanded(body, own)),)
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
        """Return the statements of the lanes as a kernel over them, with fresh
        names of variables.
        """
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
                head.append(Read(name, self._arrays[x], var(lane), self._type(x)))
            if x in self._arrays and x in e.assigned:
                tail.append(self._store(x, lane, Var(name)))
        body = (*head, *subst(stms, image), *tail)
        return KernelStm((ImpDim(lane, self.lanes),), body, stms[0].at)

    def _masked(self, loop: Masked) -> Block:
        """Return ``going <- cond; any <- true; while any do active lanes; any <- or of going
        done``.

        The mask of a lane is an i32, as wide as most of the data, and ``any`` is the or-reduction
        of the masks: C compilers vectorise this.
        """
        cond, at = loop.header.cond, loop.header.at
        going, on = self._new(f"{cond}_on", I32), self._new(cond, BOOL)
        some, bits, lane, x = (
            self._new(y, t) for y, t in (("any", BOOL), ("bits", I32), ("lane", I64), ("bit", I32))
        )
        place = self._new_array(going)
        own = evolve(self, varying=self.varying | {going})
        start = own._part((Assign(going, Convert(I32, Var(cond)), at),))
        each = rounds(loop, going, on, self._local, self.types, self.rounds, self._arrays)
        body = (Declare(on, BOOL, at), *each)
        look: Block = (
            Assign(bits, Const(0, I32), at),
            ForStm(
                lane,
                self.lanes,
                (
                    Declare(x, I32, at),
                    Read(x, self._arrays[going], var(lane), I32, at),
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

    def _new_array(self, x: Name) -> Block:
        """Declare and allocate the array of a variable, with one element for each lane."""
        place = self._arrays[x] = self._new(f"{x}s", MemType(Space.PRIVATE))
        size = const(self.width * self._type(x).bytes)
        return (
            Declare(place, MemType(Space.PRIVATE)),
            Allocate(place, size, Space.PRIVATE),
        )

    def _lane(self) -> Name:
        return self.fresh("lane")

    def _store(self, x: Name, lane: Name, value: Const | Var) -> Write:
        return Write(self._arrays[x], var(lane), value, self._type(x))

    def _type(self, x: Name) -> ScalarType:
        t = self.types[x]
        assert isinstance(t, ScalarType)
        return t


def _zero(t: ScalarType) -> bool | int | float:
    return False if t is BOOL else 0.0 if t.is_float else 0
