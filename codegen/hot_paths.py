"""Split loops of the host that seldom allocate: the iterations that do not run on the device.

A table grows in few iterations of the loop that fills it.  The other iterations only compute, but
an allocation makes the whole loop one of the host, which would launch several small tasks for each
iteration and wait for them.

    while go do                                      while go do
      top <- stack[d] : i64;                           run <- true;  rare <- false;
      full <- used >= n;                               while run do                    a task
      if full then                                       top <- stack[d] : i64;
        new <- alloc 16*n;                               full <- used >= n;
        n1 <- 2*n;                                       if full then
      else                                     ->          rare <- true;
        new <- old;                                      else
        n1 <- n;                                           n1 <- n;  old[used] : i64 <- top;
      fi                                                   used <- used + 1;  go <- used < m;
      new[used] : i64 <- top;                            fi
      used <- used + 1;  go <- used < m;                 run <- go && !rare;
      old <- new;  n <- n1;                            done
    done                                               if rare then … the iteration as it was … fi
                                                     done

An iteration of the task ends before the branch that the host has to run.  It has not written
memory or variables of the loop until there, so the host can run it again from its beginning.  In
the rest of the task a block variable holds the same block in all iterations, so it needs no
assignments; a loop for which this is not so (one that swaps two blocks) stays as it is.

``for`` loops become ``while`` loops first.
"""

from collections.abc import Collection, Sequence

from attrs import field

from funmem.ir.fun import Bin, Const, Linkage, MemType, Un, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    CallStm,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpEntry,
    ImpProgram,
    ImpStm,
    KernelStm,
    OpaqueStm,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import (
    VarType,
    bound_names,
    map_children,
    nested,
    own_assigns,
    subst,
    variable_types,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, evolve, frozen
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType, UnOp
from funmem.ir.sizes import var

TRUE, FALSE = Const(True, BOOL), Const(False, BOOL)


def split_hot_paths(p: ImpProgram) -> ImpProgram:
    """Return the program with the loops of its host split, where an iteration can be left."""
    return evolve(p, entries=tuple(evolve(e, body=_Entry(e).block(e.body)) for e in p.entries))


@define(eq=False)
class _Entry:
    """Rewrites the loops of one entry point."""

    entry: ImpEntry
    types: dict[Name, VarType] = field(init=False)
    fresh: Fresh = field(init=False)

    def __attrs_post_init__(self) -> None:
        e = self.entry
        self.types = variable_types(e)
        ports = (p.block if isinstance(p, ArrayPort) else p.x for p in e.params)
        self.fresh = Fresh((*e.sizes, *ports, *bound_names(e.body)))

    def block(self, stms: Block) -> Block:
        return tuple(t for s in stms for t in self.statement(s))

    def statement(self, s: ImpStm) -> Block:
        """Return what a statement of the host becomes."""
        if isinstance(s, KernelStm) or not _is_cold(s):
            return (s,)
        if isinstance(s, ForStm):
            return self.for_loop(s)
        if not isinstance(s, WhileStm):
            return (map_children(s, self.block),)
        rare = self.fresh(Name("rare"))
        hot, body = self.hot(s.body, rare), self.block(s.body)
        return (evolve(s, body=body if hot is None else self.split(s.cond, rare, hot, body)),)

    def split(self, cond: Name, rare: Name, hot: Block, body: Block) -> Block:
        """Return the body of a ``while`` loop: the task, and the iteration that ended it."""
        run = self.fresh(Name("run"))
        again = Bin(BinOp.LAND, Var(cond), Un(UnOp.LNOT, Var(rare)))
        return (
            Declare(rare, BOOL),
            Declare(run, BOOL),
            Assign(rare, FALSE),
            Assign(run, TRUE),
            WhileStm(run, (*hot, Assign(run, again))),
            IfStm(Var(rare), body, ()),
        )

    def for_loop(self, s: ForStm) -> Block:
        """Return a ``for`` loop as a ``while`` loop, or as it was if it cannot be split."""
        bound = s.bound.as_name
        count, go, rare = (self.fresh(Name(x)) for x in (s.index, "go", "rare"))
        body: Block = (
            Declare(s.index, I64),
            Assign(s.index, Var(count)),
            *s.body,
            Assign(count, Bin(BinOp.ADD, Var(count), Const(1, I64))),
        )
        hot = None if bound is None else self.hot(body, rare)
        body = self.block(body)
        if hot is None or bound is None:
            return (evolve(s, body=body[2:-1]),)
        more = Assign(go, Bin(BinOp.LT, Var(count), Var(bound)))
        hot = (*hot, IfStm(Var(rare), (), (more,)))
        return (
            Declare(count, I64),
            Declare(go, BOOL),
            Assign(count, Const(0, I64)),
            more,
            WhileStm(go, self.split(go, rare, hot, (*body, more)), at=s.at),
        )

    def hot(self, body: Block, rare: Name) -> Block | None:
        """Return an iteration that sets ``rare`` where the host has to run it; None if it cannot
        be left there, or does not write memory otherwise.
        """
        own = frozenset(bound_names(body))
        left = _Hot(rare, own).block(body, clean=True)
        if left is None or not any(isinstance(s, Write | CopyElement) for s in nested(left)):
            return None
        whole = self.same_blocks(left, own)
        if whole is None:
            return None
        return subst(whole, {x: var(self.another(x)) for x in bound_names(whole)})

    def another(self, x: Name) -> Name:
        new = self.fresh(x)
        self.types[new] = self.types.get(x, I64)
        return new

    def same_blocks(self, body: Block, own: frozenset[Name]) -> Block | None:
        """Return a body with one block variable for all that hold the same block in every
        iteration; None if the iterations exchange blocks.
        """
        of: dict[Name, Name] = {}

        def root(x: Name) -> Name:
            while x in of:
                x = of[x]
            return x

        for s in nested(body):
            if isinstance(s, Assign) and isinstance(s.value, Var) and self.is_block(s.x):
                a, b = root(s.x), root(s.value.name)
                if a not in own:
                    a, b = b, a
                if a != b and a not in own:
                    return None
                if a != b:
                    of[a] = b
        image = {x: var(root(x)) for x in of}
        return subst(self.without(body, image.keys()), image)

    def is_block(self, x: Name) -> bool:
        return isinstance(self.types.get(x), MemType)

    def without(self, body: Block, blocks: Collection[Name]) -> Block:
        """Return statements without declarations of ``blocks``, and assignments to blocks."""
        return tuple(
            map_children(s, lambda b: self.without(b, blocks))
            for s in body
            if not (isinstance(s, Declare) and s.x in blocks)
            and not (isinstance(s, Assign) and self.is_block(s.x))
        )


# ---------------------------------------------------------------------- iterations that are left


@frozen
class _Hot:
    """Rewrites an iteration; ``own`` are the variables that it declares."""

    rare: Name
    own: frozenset[Name]

    def block(self, stms: Block, *, clean: bool) -> Block | None:
        """Return statements that set ``rare``, and do nothing afterwards, where the host is needed;
        None if that is the case on all paths, or after a write.

        ``clean``: the iteration can be run again from its beginning.
        """
        out: list[ImpStm] = []
        for k, s in enumerate(stms):
            if not _is_cold(s):
                out.append(s)
                clean = clean and self.repeatable((s,))
                continue
            if not clean or not isinstance(s, IfStm):
                return None
            then, orelse = self.side(s.then), self.side(s.orelse)
            if then is None and orelse is None:
                return None
            clean = self.repeatable((*(then or ()), *(orelse or ())))
            rest = self.block(stms[k + 1 :], clean=clean)
            if rest is None:
                return None
            leave = (Assign(self.rare, TRUE),)
            if then is None and orelse == s.orelse:
                return (*out, evolve(s, then=leave, orelse=(*s.orelse, *rest)))
            if orelse is None and then == s.then:
                return (*out, evolve(s, then=(*s.then, *rest), orelse=leave))
            branch = evolve(
                s,
                then=leave if then is None else then,
                orelse=leave if orelse is None else orelse,
            )
            return (*_with_values(out), branch, IfStm(Var(self.rare), (), rest))
        return tuple(out)

    def side(self, stms: Block) -> Block | None:
        return self.block(stms, clean=True) if any(map(_is_cold, stms)) else stms

    def repeatable(self, stms: Block) -> bool:
        """True if statements write neither memory nor variables of other iterations."""
        return not any(
            isinstance(s, Write | CopyElement) or not self.own.issuperset(own_assigns(s))
            for s in nested(stms)
            if not (isinstance(s, Assign) and s.x == self.rare)
        )


def _is_cold(s: ImpStm) -> bool:
    """True if a statement allocates, launches kernels, or calls functions of other languages."""
    return any(
        isinstance(t, Allocate | KernelStm | OpaqueStm)
        or (isinstance(t, CallStm) and t.linkage is not Linkage.OWN)
        for t in nested((s,))
    )


def _with_values(stms: Sequence[ImpStm]) -> Block:
    """Return statements with a value for each scalar that they declare: an iteration may be left
    before it assigns one.
    """
    out: list[ImpStm] = []
    for s in stms:
        out.append(s)
        if isinstance(s, Declare) and isinstance(s.type, ScalarType):
            zero = False if s.type is BOOL else 0.0 if s.type.is_float else 0
            out.append(Assign(s.x, Const(zero, s.type)))
    return tuple(out)
