"""vectorise: strip-mine a kernel, and move the strip inside the loops of its iterations.

*Why.*  A vector instruction computes 8 to 16 neighbouring iterations at once, if the loop over them
is the innermost one.  In a kernel whose iterations contain loops it is an outer one.

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

A strip is a *group*; its iterations are *lanes*.  A while-loop whose trip count differs between
lanes runs until all lanes have left it, and finished lanes are masked
(:mod:`masked <funmem.passes.imp.vectorise.masked>`).  A value that is needed only after a loop is
computed after it (:mod:`sink <funmem.passes.imp.vectorise.sink>`).

*Correct* because a kernel's iterations are independent, so any order is allowed, also one that runs
each statement for 64 iterations before the next statement.  A scalar that is live from one loop to
another is expanded to an array of 64 elements.  A statement that is uniform, that is, the same in
all iterations of a group, runs once.

*Conditions.*

    (1) no_own_blocks     the host launches the kernel, and its body declares no memory blocks
    (2) uniform_checks    its checks are uniform, so that the first failing iteration is still the
                          one reported; and they precede every loop whose trip count differs between
                          lanes, because one lane could delay the report, even for ever
    (3) has_uniform_loop  its body contains a loop or kernel with uniform trip counts, or a
                          while-loop without inner loops
    (4) unit_stride       in such loops neighbouring iterations access neighbouring elements, or the
                          same element (stride 1, 0 or -1); a loop with many operations may read
                          elements at another uniform stride
    (5) fits_registers    the scalars that are expanded fit the vector registers
    (6) wide_enough       the trip count is not a constant below the smallest group

*Precondition*: IMP.  *Postcondition*: same statements on each element, in the same order.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from funmem.ir.arith import exp_size, size_exp
from funmem.ir.fun import Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.imp import (
    Assign,
    Block,
    CallStm,
    Check,
    Declare,
    ImpDim,
    ImpProgram,
    KernelStm,
    Read,
)
from funmem.ir.imp_traverse import nested, own_assigns, own_indices
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import ONE, ZERO, Size, const, var
from funmem.passes.context import usage_error
from funmem.passes.framework import Context, Option, imp_pass
from funmem.passes.imp.host_kernels import Names, map_host
from funmem.passes.imp.vectorise.groups import Group, expanded_bytes
from funmem.passes.imp.vectorise.sink import sink_statements
from funmem.passes.imp.vectorise.split import (
    Branch,
    Loop,
    Node,
    Uniform,
    has_divergent_loop,
    lane_parts,
    loops,
    split,
)
from funmem.passes.imp.vectorise.varying import varying_names
from funmem.passes.tuning import DEFAULT

WIDTHS = (64, 48, 32, 16, 8)
LEAST = 16
"""Iterations of a kernel, if their number is known, at least."""
MANY = 16
"""Operations that outweigh a read at another stride than 1, 0 or -1."""
KEPT = 1024
"""Largest number of bytes of the expanded scalars of the smallest group: they fit 32 registers of
64 bytes, with as many for other values.
"""


@imp_pass(
    "vectorise",
    summary="strip-mine kernels with loops, and move the strips inside, for vector instructions",
    options=(
        Option(
            "width",
            DEFAULT.width,
            help="iterations of a group; 0: 64, 48, 32, 16 or 8, as `kept` permits",
        ),
        Option("kept", DEFAULT.kept, help="bytes of a group's expanded scalars, if width is 0"),
        Option(
            "block",
            DEFAULT.block,
            help="largest group in a block of rows that read the same elements; 0: any",
        ),
        Option("rounds", DEFAULT.rounds, help="iterations of a while-loop between tests"),
    ),
)
def vectorise(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Vectorise every kernel of the host that meets the conditions.

    Raises UsageError for an option out of range.
    """
    if ctx.number("width") < 0:
        raise usage_error("vectorise{width=…} is a number of iterations, or 0: as kept permits")
    if ctx.number("block") < 0:
        raise usage_error("vectorise{block=…} is a number of iterations, or 0: any")
    if ctx.number("rounds") < 1:
        raise usage_error("vectorise{rounds=…} is a positive number of rounds")
    return map_host(p, lambda names: _Host(names, ctx).kernel)


class _Host:
    """Vectorises the kernels of an entry point."""

    def __init__(self, names: Names, ctx: Context) -> None:
        self.names, self.types, self.fresh, self.ctx = names, names.types, names.fresh, ctx

    def kernel(self, s: KernelStm) -> Block:
        """Check the conditions; return the kernel of whole groups, and that of the remainder."""
        before, s = s, evolve(s, body=sink_statements(s.body))
        last = s.dims[-1]
        nodes, varying = self.nodes(s)
        kept = expanded_bytes(nodes, self.types, varying)
        asked = self.ctx.number("width")
        for condition in CONDITIONS[:-1] if asked else CONDITIONS:
            if (why := condition(s, nodes, varying, kept)) is not None:
                self.ctx.remark(f"kernel over {last.index}", condition.__name__, why)
                return (before,)
        bound = last.bound.as_const
        width = asked or widest(kept, self.ctx.number("kept"))
        if not asked and bound in WIDTHS and is_strip(s, nodes):
            width = max(width, bound)
        if not asked and (block := self.ctx.number("block")) and rows_share(s, nodes):
            width = min(width, block)
        if bound is not None and bound % width == 0:
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
        """Return the nodes of a kernel's body, and the variables that differ between lanes."""
        varying = varying_names(s.body, s.dims[-1].index)
        return split(s.body, varying), varying

    def groups(self, s: KernelStm, width: int, count: Size, start: Size, lanes: Size) -> KernelStm:
        """Return a kernel of ``count`` groups from iteration ``start`` on, of
        ``lanes`` lanes each.
        """
        nodes, varying = self.nodes(s)
        g = self.fresh("g")
        first = start + var(g) * width
        index, rounds = s.dims[-1].index, self.ctx.number("rounds")
        group = Group(self.types, self.fresh, varying, width, lanes, index, first, rounds)
        return evolve(s, dims=(*s.dims[:-1], ImpDim(g, count)), body=group.body(nodes))


# ---------------------------------------------------------------------- conditions


def no_own_blocks(s: KernelStm, _: tuple[Node, ...], __: frozenset[Name], ___: int) -> str | None:
    """(1) The body declares no blocks: each lane would need one of its own."""
    for t in nested(s.body):
        match t:
            case Declare(x, kind) if not isinstance(kind, ScalarType):
                return f"it declares the block {x}"
            case _:
                pass
    return None


def uniform_checks(
    _: KernelStm, nodes: tuple[Node, ...], __: frozenset[Name], ___: int
) -> str | None:
    """(2) Lanes have no checks of their own: in lockstep, another lane than the first could fail
    first.  No check follows a divergent loop: the first iteration could reach the check and fail,
    while the group waits for another one that never ends.
    """
    for part in lane_parts(nodes):
        for t in nested(part.stms):
            if isinstance(t, Check):
                return f"iterations of a group differ in a check for: {t.kind.value}"
            if isinstance(t, CallStm) and t.partial:
                return f"iterations of a group call {t.fn}, which may trap"
    late = next(_late(nodes, waited=False), None)
    return None if late is None else f"a divergent loop precedes a check for: {late}"


def _late(nodes: Sequence[Node], *, waited: bool) -> Iterator[str]:
    """Yield the kinds of the checks that run after some lanes may have waited for others."""
    for n in nodes:
        match n:
            case Uniform(s) if waited:
                yield from (t.kind.value for t in nested((s,)) if isinstance(t, Check))
                yield from (t.fn for t in nested((s,)) if isinstance(t, CallStm) and t.partial)
            case Loop(_, body):
                yield from _late(body, waited=waited or has_divergent_loop((n,)))
            case Branch(_, then, orelse):
                yield from _late(then, waited=waited)
                yield from _late(orelse, waited=waited)
            case _:
                pass
        waited = waited or has_divergent_loop((n,))


def has_uniform_loop(
    _: KernelStm, nodes: tuple[Node, ...], __: frozenset[Name], ___: int
) -> str | None:
    """(3) There is a loop with a uniform trip count; without one, vectorising gains nothing."""
    return None if any(True for _ in loops(nodes)) else "no loop in it has a uniform trip count"


def unit_stride(
    s: KernelStm, nodes: tuple[Node, ...], varying: frozenset[Name], __: int
) -> str | None:
    """(4) In such loops, accesses have stride 1, 0 or -1 in the kernel's last index.

    A read at another stride takes an instruction for each lane, which many operations outweigh.
    """
    j = s.dims[-1].index
    known = _polynomials(s.body)
    for loop in loops(nodes):
        few = _operations(loop.header.body) // MANY
        for t in nested(loop.header.body):
            for written in own_indices(t):
                index = _expanded(written, known)
                if not index.free() & varying <= {j}:
                    return f"index [{index}] is not affine in {j}"
                step = index.subst({j: var(j) + 1}) - index
                if step.as_const in (-1, 0, 1):
                    continue
                few -= 1
                if few < 0 or not isinstance(t, Read) or not step.free().isdisjoint(varying):
                    return f"index [{index}] has stride {step} in {j}"
    return None


def widest(each: int, most: int) -> int:
    """Return the largest group whose expanded scalars, ``each`` bytes a lane, have ``most`` bytes;
    the smallest group if none is small enough.

    A group that is a whole strip may have more: they stay in the nearest cache, which costs less
    than to go through memory again for the next group (summary statistics in 64 lanes take 0.36 of
    the time that they take in 16).
    """
    return max((w for w in WIDTHS if w * each <= most), default=WIDTHS[-1])


def is_strip(s: KernelStm, nodes: tuple[Node, ...]) -> bool:
    """True if a loop reads a strip after the other: neighbouring iterations of the kernel read
    neighbouring elements, and all of them together a row of contiguous elements.

    Narrower groups would each read a part of every row.
    """
    steps = [step for _, step in _strides(s, nodes)]
    return any(step == ONE for step in steps) and all(step.as_const in (-1, 0, 1) for step in steps)


def rows_share(s: KernelStm, nodes: tuple[Node, ...]) -> bool:
    """True if all elements that neighbouring iterations access in loops are the same in all rows.

    Such rows run together, and each element serves all of them, if their accumulators fit the
    registers (``unroll-and-jam``).  Other groups gain nothing from being narrow: they access more
    neighbouring elements if they are wide.
    """
    if len(s.dims) < 2:
        return False
    by_lanes = [index for index, step in _strides(s, nodes) if step != ZERO]
    return bool(by_lanes) and all(s.dims[-2].index not in index.free() for index in by_lanes)


def _strides(s: KernelStm, nodes: tuple[Node, ...]) -> Iterator[tuple[Size, Size]]:
    """Yield the indices of accesses in loops, and their strides in the kernel's last index."""
    j = s.dims[-1].index
    known = _polynomials(s.body)
    for loop in loops(nodes):
        for t in nested(loop.header.body):
            for i in own_indices(t):
                index = _expanded(i, known)
                yield index, index.subst({j: var(j) + 1}) - index


def _operations(body: Block) -> int:
    """Return the number of operators in the assignments of a loop."""
    return sum(_operators(t.value) for t in nested(body) if isinstance(t, Assign))


def _operators(e: ScalarExp) -> int:
    """Return the number of operators in an expression."""
    match e:
        case Bin(_, a, b):
            return 1 + _operators(a) + _operators(b)
        case Un(_, a) | Convert(_, a):
            return 1 + _operators(a)
        case Const() | Var():
            return 0


def _polynomials(body: Block) -> dict[Name, Size]:
    """Return the i64 variables that are assigned once, as polynomials of others.

    An i64 may have wrapped around where a polynomial does not.  So these may decide about speed,
    but not about correctness.
    """
    assigned = Counter(x for t in nested(body) for x in own_assigns(t))
    once = (t for t in nested(body) if isinstance(t, Assign) and assigned[t.x] == 1)
    return {t.x: p for t in once if (p := exp_size(t.value)) is not None}


def _expanded(index: Size, known: dict[Name, Size]) -> Size:
    """Substitute the polynomials for names in an index, repeatedly, at most ``_STEPS`` times."""
    for _ in range(_STEPS):
        if known.keys().isdisjoint(index.free()):
            break
        index = index.subst(known)
    return index


_STEPS = 8


def fits_registers(
    _: KernelStm, __: tuple[Node, ...], ___: frozenset[Name], kept: int
) -> str | None:
    """(5) The expanded scalars of the smallest group fit the vector registers."""
    too_many = kept * WIDTHS[-1] > KEPT
    return f"{kept} bytes of each iteration are live between loops" if too_many else None


def wide_enough(s: KernelStm, _: tuple[Node, ...], __: frozenset[Name], ___: int) -> str | None:
    """(6) The kernel is not known to have fewer iterations than the smallest group."""
    bound = s.dims[-1].bound.as_const
    few = bound is not None and bound < LEAST
    return f"it has only {bound} iterations" if few else None


Condition = Callable[[KernelStm, tuple[Node, ...], frozenset[Name], int], str | None]

CONDITIONS: tuple[Condition, ...] = (
    no_own_blocks,
    uniform_checks,
    has_uniform_loop,
    unit_stride,
    fits_registers,
    wide_enough,
)
