"""vectorise: neighbouring iterations of a kernel run side by side, loop by loop.

*Why.*  A processor with vectors computes 8 to 16 neighbours in one instruction, if a loop over
them is the innermost one.  A kernel whose iterations contain loops has it outside.

*Before -> after.*

    kernel i < n, j < m do                      q <- m // 64;
      var acc : f32;                            kernel i < n, g < q do
      acc <- 0.0f32;                              var accs : mem.private;
      for k < d do                                accs <- alloc.private 256;
        var a : f32; …                            kernel l < 64 do accs[l] <- 0.0f32; done
        a <- as[i*d + k] : f32;         ->        for k < d do
        b <- bs[k*m + j] : f32;                     var a : f32;
        acc <- acc + a * b;                         a <- as[i*d + k] : f32;
      done                                          kernel l < 64 do
      cs[i*m + j] : f32 <- acc;                       … bs[k*m + 64*g + l] … accs[l] …
    done                                            done
                                                  done
                                                  kernel l < 64 do … cs[i*m + 64*g + l] … done
                                                done
                                                kernel i < n, r < m - 64*q do
                                                  (the body, where j is 64*q + r)
                                                done

A while-loop that some iterations leave earlier goes on until the last one is done; those that are
done wait (:mod:`masked <funmem.passes.imp.vectorise.masked>`).  What is needed only after a loop is
computed there (:mod:`sink <funmem.passes.imp.vectorise.sink>`).

*Correct* because a kernel's iterations are independent: any order will do, also one in which each
statement of 64 iterations is done before the next one.  What an iteration keeps from one loop to
another gets 64 places.  What is the same in all iterations of a group is computed once.

*Conditions.*

    (1) own_group       it is the host's kernel, and its body neither allocates nor names blocks
    (2) fails_alike     what it checks is the same in all iterations of a group, so that the first
                        iteration that fails is still the one reported, and checked before the group
                        waits for those of its lanes that loop for longer, or for ever
    (3) has_a_loop      a loop or kernel in it runs alike in all iterations of a group, or a
                        while-loop without loops in it
    (4) neighbours      in such loops neighbouring iterations access neighbouring elements, or one
    (5) fits_registers  what is kept from loop to loop is little enough to stay in registers
    (6) wide_enough     it is not known to have fewer iterations than the smallest group

*Precondition*: IMP.  *Postcondition*: same statements on each element, in the same order.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from funmem.ir.arith import exp_size, size_exp
from funmem.ir.diagnostics import TrapKind
from funmem.ir.fun import Bin, Const, ScalarExp, Var
from funmem.ir.imp import (
    Assign,
    Block,
    Check,
    Declare,
    ImpDim,
    ImpProgram,
    KernelStm,
)
from funmem.ir.imp_traverse import nested, own_assigns, own_indices
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.passes.context import usage_error
from funmem.passes.framework import Context, Option, imp_pass
from funmem.passes.imp.host_kernels import Names, map_host
from funmem.passes.imp.vectorise.groups import Group, kept_bytes
from funmem.passes.imp.vectorise.sink import sunk
from funmem.passes.imp.vectorise.split import (
    Alike,
    Branch,
    Loop,
    Node,
    lane_parts,
    lanes_loop,
    loops,
    split,
)
from funmem.passes.imp.vectorise.varying import varying_names
from funmem.passes.tuning import DEFAULT

WIDTHS = (64, 48, 32, 16)
KEPT = 1024
"""Bytes of a group's kept variables that processors with 32 vector registers have room for."""


@imp_pass(
    "vectorise",
    summary="neighbouring iterations of kernels with loops run side by side",
    options=(
        Option(
            "width",
            DEFAULT.width,
            help="iterations of a group; 0: 64, 48, 32 or 16, as there is room",
        ),
        Option("rounds", DEFAULT.rounds, help="of a while-loop, before somebody looks who is done"),
    ),
)
def vectorise(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Every kernel of the host that meets the conditions.  Raises UsageError for bad numbers."""
    if ctx.number("width") < 0:
        raise usage_error("vectorise{width=…} is a number of iterations, or 0: as there is room")
    if ctx.number("rounds") < 1:
        raise usage_error("vectorise{rounds=…} is a positive number of rounds")
    return map_host(p, lambda names: _Host(names, ctx).kernel)


class _Host:
    """The kernels of the host."""

    def __init__(self, names: Names, ctx: Context) -> None:
        self.names, self.types, self.fresh, self.ctx = names, names.types, names.fresh, ctx

    def kernel(self, s: KernelStm) -> Block:
        """(1) to (5), and then the groups and what is left of the last one."""
        before, s = s, evolve(s, body=sunk(s.body))
        last = s.dims[-1]
        nodes, varying = self.nodes(s)
        kept = kept_bytes(nodes, self.types, varying)
        asked = self.ctx.number("width")
        for condition in CONDITIONS[:-1] if asked else CONDITIONS:
            if (why := condition(s, nodes, varying, kept)) is not None:
                self.ctx.remark(f"kernel over {last.index}", condition.__name__, why)
                return (before,)
        width = asked or max(w for w in WIDTHS if w * kept <= KEPT)
        if (bound := last.bound.as_const) is not None and bound % width == 0:
            return (self.groups(s, width, const(bound // width), ZERO, const(width)),)
        groups, left, more = (self.fresh(x) for x in ("groups", "left", "more"))
        self.types.update(dict.fromkeys((groups, left, more), I64))
        start = var(groups) * width
        counts: tuple[tuple[Name, ScalarExp], ...] = (
            (groups, Bin(BinOp.QUOT, size_exp(last.bound), Const(width, I64))),
            (left, size_exp(last.bound - start)),
            (more, Bin(BinOp.MIN, Var(left), Const(1, I64))),
        )
        head = tuple(t for x, e in counts for t in (Declare(x, I64, s.at), Assign(x, e, s.at)))
        return (
            *head,
            self.groups(s, width, var(groups), ZERO, const(width)),
            self.groups(self.names.copy(s), width, var(more), start, var(left)),
        )

    def nodes(self, s: KernelStm) -> tuple[tuple[Node, ...], frozenset[Name]]:
        """What the body of a kernel is made of, and what varies in it."""
        varying = varying_names(s.body, s.dims[-1].index)
        return split(s.body, varying), varying

    def groups(self, s: KernelStm, width: int, count: Size, start: Size, lanes: Size) -> KernelStm:
        """``count`` groups from iteration ``start`` on, all of so many ``lanes``."""
        nodes, varying = self.nodes(s)
        g = self.fresh("g")
        first = start + var(g) * width
        index, rounds = s.dims[-1].index, self.ctx.number("rounds")
        group = Group(self.types, self.fresh, varying, width, lanes, index, first, rounds)
        return evolve(s, dims=(*s.dims[:-1], ImpDim(g, count)), body=group.body(nodes))


# ---------------------------------------------------------------------- conditions


def own_group(s: KernelStm, _: tuple[Node, ...], __: frozenset[Name], ___: int) -> str | None:
    """(1) Its body binds no blocks, and so allocates none: each lane would need one."""
    for t in nested(s.body):
        match t:
            case Declare(x, kind) if not isinstance(kind, ScalarType):
                return f"it binds the block {x}"
            case _:
                pass
    return None


def fails_alike(_: KernelStm, nodes: tuple[Node, ...], __: frozenset[Name], ___: int) -> str | None:
    """(2) No lane checks anything: side by side, another than the first could fail first.  Nor is
    anything checked after a lane's own loop: the first iteration could come to the check and fail,
    while the group would wait for another that never ends.
    """
    for part in lane_parts(nodes):
        for t in nested(part.stms):
            if isinstance(t, Check):
                return f"an iteration checks for: {t.kind.value}"
    late = next(_late(nodes, waited=False), None)
    return None if late is None else f"a loop of an iteration precedes a check for: {late.value}"


def _late(nodes: Sequence[Node], *, waited: bool) -> Iterator[TrapKind]:
    """What is checked when some lanes may have waited for others."""
    for n in nodes:
        match n:
            case Alike(s) if waited:
                yield from (t.kind for t in nested((s,)) if isinstance(t, Check))
            case Loop(_, body):
                yield from _late(body, waited=waited or lanes_loop((n,)))
            case Branch(_, then, orelse):
                yield from _late(then, waited=waited)
                yield from _late(orelse, waited=waited)
            case _:
                pass
        waited = waited or lanes_loop((n,))


def has_a_loop(_: KernelStm, nodes: tuple[Node, ...], __: frozenset[Name], ___: int) -> str | None:
    """(3) Without a loop that all iterations run alike, there is nothing to gain."""
    return None if any(True for _ in loops(nodes)) else "no loop in it runs alike in all iterations"


def neighbours(
    s: KernelStm, nodes: tuple[Node, ...], varying: frozenset[Name], __: int
) -> str | None:
    """(4) In such loops, indices grow by 1, 0 or -1 from one iteration to the next."""
    j = s.dims[-1].index
    known = _polynomials(s.body)
    for loop in loops(nodes):
        for t in nested(loop.header.body):
            for written in own_indices(t):
                index = _expanded(written, known)
                if not index.free() & varying <= {j}:
                    return f"an iteration computes where it reads, [{index}]"
                step = index.subst({j: var(j) + 1}) - index
                if step.as_const not in (-1, 0, 1):
                    return f"neighbours read [{index}], {step} apart"
    return None


def _polynomials(body: Block) -> dict[Name, Size]:
    """The i64 variables that are assigned once, as polynomials of others.

    An i64 may have wrapped around where a polynomial does not; what is found with these says how
    fast a program is, not whether it is right.
    """
    assigned = Counter(x for t in nested(body) for x in own_assigns(t))
    once = (t for t in nested(body) if isinstance(t, Assign) and assigned[t.x] == 1)
    return {t.x: p for t in once if (p := exp_size(t.value)) is not None}


def _expanded(index: Size, known: dict[Name, Size]) -> Size:
    """An index in which names stand for what was assigned to them, a few times over."""
    for _ in range(_STEPS):
        if known.keys().isdisjoint(index.free()):
            break
        index = index.subst(known)
    return index


_STEPS = 8


def fits_registers(
    _: KernelStm, __: tuple[Node, ...], ___: frozenset[Name], kept: int
) -> str | None:
    """(5) What is kept fits for the smallest groups."""
    too_many = kept * WIDTHS[-1] > KEPT
    return f"{kept} bytes are kept from loop to loop" if too_many else None


def wide_enough(s: KernelStm, _: tuple[Node, ...], __: frozenset[Name], ___: int) -> str | None:
    """(6) A few iterations are done sooner one after the other."""
    bound = s.dims[-1].bound.as_const
    few = bound is not None and bound < WIDTHS[-1]
    return f"it has only {bound} iterations" if few else None


Condition = Callable[[KernelStm, tuple[Node, ...], frozenset[Name], int], str | None]

CONDITIONS: tuple[Condition, ...] = (
    own_group,
    fails_alike,
    has_a_loop,
    neighbours,
    fits_registers,
    wide_enough,
)
