"""Scatters that are lowered with the loops that make their indices: loop fusion.

    let (is : [n]i64) = kernel t < m do                      kernel t < m do
      let (row : [c]i64) =                                     for i < c do
        loop (r = scratch [c]i64) for i < c do                   …
          … in (r with [i] = v)                         ->       if 0 <= v < d then
      in (row)                                                     x[v] <- vs[c*t + i]
    let (y : [d]f32) = scatter x is vs                           fi
                                                               done
                                                             done

*Why.*  The indices are 8 bytes for each element, and are written and read once.  The loops that
``schedule`` makes of a scan with a map (``filter``, ``partition``), and those that count on in each
chunk (a radix sort), know an index when the element is at hand.

*Conditions*, numbered as in the remarks:

 (1) Loops of a kernel's threads make the indices, and perhaps a loop over the remainder.  Each
     iteration stores one index at its own place.  Indices that no iteration stores are a negative
     constant, which writes nothing.  Between the loops and the scatter lie only views, and copies
     without code.
 (2) Nothing else uses the indices, so they need not be stored.
 (3) What the scatter needs besides is made before the loops, or can be moved there: allocations,
     views, ``scratch``, and ``replicate`` that cannot trap.
 (4) The block of ``x`` is no block that the loops, or statements up to the scatter, access; and it
     is allocated in the program, so nobody sees what was written before a trap.

The scatter is race free, so the order of its writes does not matter; the traps are those of the
statements that remain, in their order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import field

from funmem.ir.arith import size_exp
from funmem.ir.diagnostics import Span
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Body,
    Compound,
    Concat,
    Const,
    Copy,
    DerivedArray,
    For,
    FreshArray,
    Index,
    InPlace,
    Kernel,
    Loop,
    LoopParam,
    Map,
    Permute,
    Replicate,
    Reshape,
    Reverse,
    Scalar,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Update,
    Var,
)
from funmem.ir.imp import Assign, Block, Declare, IfStm
from funmem.ir.lmad import DimFix, DimRange
from funmem.ir.names import Name
from funmem.ir.record import define, evolve
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import ONE, ZERO, Size, var
from funmem.ir.traverse import atom_size, free_in_body, free_in_stm, walk
from funmem.passes.lower import traps
from funmem.passes.lower.context import Context, EarlyScatter
from funmem.passes.lower.copies import move


class _No(Exception):
    """A condition does not hold."""

    def __init__(self, condition: str, why: str) -> None:
        super().__init__(why)
        self.condition, self.why = condition, why


MADE = "(1) loops make the indices"
UNUSED = "(2) nothing else uses the indices"
BEFORE = "(3) what else the scatter needs can be made before the loops"
Views = Slice | Reshape | Copy | Concat | Scratch | Replicate
"""Statements between the loops and the scatter, and before the loops."""

BLOCKS = "(4) the loops access other blocks than the scatter's"


def with_early_scatters(ctx: Context, body: Body[Ann]) -> tuple[Context, tuple[Stm[Ann], ...]]:
    """Return a context that knows which scatters of a body are lowered early, and the statements of
    the body in their new order.
    """
    stms = body.stms
    for s in stms:
        if isinstance(s.exp, Scatter):
            try:
                ctx, stms = _early(ctx, s, s.exp, stms, body)
            except _No as no:
                ctx.tell(s, no.condition, no.why)
            else:
                ctx.tell(s, "", "the loops that make the indices write the elements")
    return ctx, stms


def _early(
    ctx: Context, s: Stm[Ann], e: Scatter, stms: tuple[Stm[Ann], ...], body: Body[Ann]
) -> tuple[Context, tuple[Stm[Ann], ...]]:
    if not (ctx.place(e.indices).ix.dims and ctx.place(e.indices).ix.strides == (ONE,)):
        raise _No(MADE, "the indices are not contiguous")
    if len(ctx.shape(e.values)) != 1:
        raise _No(MADE, "the scatter moves rows")
    made = _Made(ctx, {p.name: t for t in stms for p in t.pat})
    made.source(e.indices)
    if not any(isinstance(t.exp, Kernel) for t in made.producers):
        raise _No(MADE, "a loop makes all indices in order")
    first = min(q for q, t in enumerate(stms) if any(t is u for u in made.producers))
    last = next(q for q, t in enumerate(stms) if t is s)
    _unused(made, s, stms, body)
    sooner = _needed(ctx, e, stms[first:last])
    between = tuple(t for t in stms[first:last] if not any(t is u for u in sooner))
    _other_blocks(ctx, e, between)
    new = (*stms[:first], *sooner, *between, *stms[last:])
    early = EarlyScatter(e.x, e.indices, e.values, made.sliced)
    stored = dict.fromkeys(made.stored, early)
    ctx = evolve(
        ctx,
        early={**ctx.early, **stored},
        left_out=ctx.left_out | made.fills | {s.pat[0].name},
    )
    return ctx, new


# ---------------------------------------------------------------------- (1)


@define
class _Made:
    """How the indices are made."""

    ctx: Context
    by: Mapping[Name, Stm[Ann]]
    chain: set[Name] = field(factory=set)
    """The names bound on the way."""
    producers: list[Stm[Ann]] = field(factory=list)
    stored: set[Name] = field(factory=set)
    """Results of the updates that store an index."""
    fills: set[Name] = field(factory=set)
    """Initial values that are no indices."""
    sliced: bool = False
    """True if the scatter reads only the first of the indices that are made."""

    def source(self, x: Name) -> None:
        """Follow an array to the loops that make it."""
        s = self.by.get(x)
        if s is None:
            raise _No(MADE, f"{x} is made elsewhere")
        self.chain.add(x)
        match s.exp:
            case Slice(y, (DimRange(start, _, step),)) if start == ZERO and step == ONE:
                self.sliced = True
                self.source(y)
            case Reshape(_, y):
                self.source(y)
            case Copy(y) if self.ctx.place(y).same_as(self.ctx.place(x)):
                self.source(y)
            case Concat(0, (y, z)) if self._adjacent(x, y, z):
                self.source(y)
                self.source(z)
            case Kernel((d,), Map(), body):
                self.producers.append(s)
                self._row(x, s, body, var(d.index))
            case Loop():
                self.producers.append(s)
                self._filled(x, s, self.by)
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Compound():
                raise _No(MADE, f"{x} is no view of what loops make")
            case Assert() | Alloc():
                raise _No(MADE, f"{x} is no view of what loops make")

    def _adjacent(self, x: Name, y: Name, z: Name) -> bool:
        """True if the parts of a concatenation lie in the result, so that it makes no code."""
        whole, first, rest = (self.ctx.place(a) for a in (x, y, z))
        where = evolve(whole, ix=whole.ix.slice_f([DimRange(ZERO, n, ONE) for n in [self._len(y)]]))
        tail = [DimRange(self._len(y), self._len(z), ONE)]
        return where.same_as(first) and evolve(whole, ix=whole.ix.slice_f(tail)).same_as(rest)

    def _len(self, x: Name) -> Size:
        return self.ctx.shape(x)[0]

    def _row(self, x: Name, s: Stm[Ann], body: Body[Ann], i: Size) -> None:
        k = [p.name for p in s.pat].index(x)
        a = body.result[k]
        if not (isinstance(a, Var) and isinstance(self.ctx.gamma[a.name].type, ArrayType)):
            raise _No(MADE, f"a kernel makes {x} element by element")
        if not self.ctx.place(x).prefix((i,)).same_as(self.ctx.place(a.name)):
            raise _No(MADE, f"the rows of {x} are copied")
        inner = {p.name: t for t in body.stms for p in t.pat}
        loop = inner.get(a.name)
        if loop is None or not isinstance(loop.exp, Loop):
            raise _No(MADE, f"no loop makes the rows of {x}")
        self.chain.add(a.name)
        self._only(a.name, (loop,), body.stms, [r for q, r in enumerate(body.result) if q != k])
        self._filled(a.name, loop, inner, body)

    def _filled(
        self, x: Name, s: Stm[Ann], by: Mapping[Name, Stm[Ann]], around: Body[Ann] | None = None
    ) -> None:
        """A loop stores an element of ``x`` in each iteration, at the iteration's index."""
        loop = s.exp
        assert isinstance(loop, Loop)
        k = [p.name for p in s.pat].index(x)
        p, new = loop.params[k], loop.body.result[k]
        made = {q.name: t for t in loop.body.stms for q in t.pat}
        update = made.get(new.name) if isinstance(new, Var) else None
        place = self.ctx.place(p.binder.name)
        if not (isinstance(loop.form, For) and update is not None and isinstance(new, Var)):
            raise _No(MADE, f"the loop does not store an element of {x} in each iteration")
        match update.exp:
            case Update(y, (DimFix(i),), _) if y == p.binder.name and i == var(loop.form.index):
                pass
            case _:
                raise _No(MADE, f"the loop does not store an element of {x} in each iteration")
        if not all(place.same_as(self.ctx.place(z)) for z in (x, new.name)):
            raise _No(MADE, f"the loop moves {x}")
        rest = [r for q, r in enumerate(loop.body.result) if q != k]
        self._only(p.binder.name, (update,), loop.body.stms, rest)
        self._only(new.name, (), loop.body.stms, rest)
        self.chain |= {p.binder.name, new.name}
        self.stored.add(new.name)
        name = self._start(p, loop.form.bound, by)
        if name in free_in_body(loop.body):
            raise _No(UNUSED, f"{name} is used")
        if around is not None:
            self._only(name, (by[name], s), around.stms, around.result)

    def _start(self, p: LoopParam[Ann], bound: Size, by: Mapping[Name, Stm[Ann]]) -> Name:
        """Return the initial value of a loop's parameter: a negative constant, or an array without
        elements, all of which the loop stores.
        """
        x = p.binder.name
        start = by.get(p.init.name) if isinstance(p.init, Var) else None
        match start:
            case Stm(_, Scratch((n,))) if n == bound:
                pass
            case Stm(_, Replicate((_,), Const(int(v), t))) if t is I64 and v < 0:
                self.fills.add(start.pat[0].name)
            case _:
                raise _No(MADE, f"elements of {x} that the loop does not store may be indices")
        name = start.pat[0].name
        if not self.ctx.place(name).same_as(self.ctx.place(x)):
            raise _No(MADE, f"the initial value of {x} is copied")
        self.chain.add(name)
        return name

    def _only(
        self, x: Name, users: Iterable[Stm[Ann]], stms: Sequence[Stm[Ann]], results: Sequence[Atom]
    ) -> None:
        """(2) inside a loop or kernel: only ``users`` use ``x``."""
        allowed = [id(u) for u in users]
        if Var(x) in results or any(x in free_in_stm(t) and id(t) not in allowed for t in stms):
            raise _No(UNUSED, f"{x} is used")


# ---------------------------------------------------------------------- (2), (3), (4)


def _unused(made: _Made, s: Stm[Ann], stms: Sequence[Stm[Ann]], body: Body[Ann]) -> None:
    """(2) Only the statements of the chain, and the scatter, use the names on the way."""
    results = {a.name for a in body.result if isinstance(a, Var)}
    for t in stms:
        used = free_in_stm(t) & made.chain
        if isinstance(t.exp, Loop) and any(t is u for u in made.producers):
            starts = {p.init.name for p in t.exp.params if isinstance(p.init, Var)}
            used = (used - starts) | (used & free_in_body(t.exp.body))
        elif t is s or (isinstance(t.exp, Views) and made.chain & {p.name for p in t.pat}):
            continue
        if used:
            raise _No(UNUSED, f"{min(used)} is used")
    if results & made.chain:
        raise _No(UNUSED, "they are a result")
    if isinstance(s.exp, Scatter) and made.chain & {s.exp.x, s.exp.values}:
        raise _No(UNUSED, "the scatter moves the indices")


def _needed(ctx: Context, e: Scatter, between: Sequence[Stm[Ann]]) -> tuple[Stm[Ann], ...]:
    """(3) Return the statements that move before the loops, in order."""
    needed = _names(ctx, (e.x, e.values)) | ctx.shape(e.indices)[0].free()
    sooner: list[Stm[Ann]] = []
    for t in reversed(between):
        if needed.isdisjoint(p.name for p in t.pat):
            continue
        if not _may_move(ctx, t, ctx.place(e.x).block):
            raise _No(BEFORE, f"{t.pat[0].name} is made after the loops begin")
        sooner.append(t)
        needed |= free_in_stm(t) | _names(ctx, (p.name for p in t.pat))
    return tuple(reversed(sooner))


def _names(ctx: Context, xs: Iterable[Name]) -> frozenset[Name]:
    """Return arrays, and the names in their shapes and homes."""
    found = set(xs)
    for x in tuple(found):
        if isinstance(ctx.gamma[x].type, ArrayType):
            place = ctx.place(x)
            found |= {place.block, *place.ix.free()}
            found.update(*(d.free() for d in ctx.shape(x)))
    return frozenset(found)


def _may_move(ctx: Context, s: Stm[Ann], block: Name) -> bool:
    """True for a block, a view, or an array in ``block``, made without traps."""
    match s.exp:
        case Alloc():
            return True
        case Scratch(shape) | Replicate(shape, Const()):
            here = ctx.place(s.pat[0].name).block == block
            return here and not traps.size_checks(ctx, shape, s.at)
        case Permute() | Reverse():
            return True
        case Reshape(shape, x):
            return not traps.reshape_checks(ctx, ctx.shape(x), shape, s.at)
        case Slice(x, dims):
            return not traps.slice_checks(ctx, dims, ctx.shape(x), s.at)
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Compound():
            return False
        case Assert():
            return False


def _other_blocks(ctx: Context, e: Scatter, between: Sequence[Stm[Ann]]) -> None:
    """(4) No statement accesses the block of the scatter's array."""
    target = ctx.place(e.x).block
    if not ctx.blocks.roots(target) <= ctx.allocated:
        raise _No(BLOCKS, f"{e.x} may lie in a parameter's block")
    for m in _accessed(ctx, between) | {ctx.place(e.values).block}:
        if frozenset((m, target)) not in ctx.apart and not ctx.blocks.roots(m).isdisjoint(
            ctx.blocks.roots(target)
        ):
            raise _No(BLOCKS, f"{m} may be the block of {e.x}")


def _accessed(ctx: Context, stms: Sequence[Stm[Ann]]) -> frozenset[Name]:
    """Return the blocks of all arrays that statements use or make."""
    body = Body(tuple(stms), ())
    names = set(free_in_body(body))
    for s in walk(body):
        names |= free_in_stm(s) | {p.name for p in s.pat}
    return frozenset(_blocks(ctx, names))


def _blocks(ctx: Context, names: Iterable[Name]) -> Iterator[Name]:
    for x in names:
        if x in ctx.gamma and isinstance(ctx.gamma[x].type, ArrayType):
            yield ctx.place(x).block


# ---------------------------------------------------------------------- code


def element(ctx: Context, x: Name, where: DimFix, value: Atom, e: EarlyScatter, at: Span) -> Block:
    """Return the scatter of the element whose index a loop stores as element ``where`` of ``x``."""
    address = ctx.place(x).ix.part((where,)).apply(())
    k = address - ctx.place(e.indices).ix.offset
    ok = ctx.fresh("ok")
    row = move(
        ctx, ctx.place(e.x).prefix((atom_size(value),)), ctx.place(e.values).prefix((k,)), at
    )
    width, n = ctx.shape(e.x)[0], ctx.shape(e.indices)[0]
    inside = Bin(
        BinOp.LAND, Bin(BinOp.LE, Const(0, I64), value), Bin(BinOp.LT, value, size_exp(width))
    )
    if e.sliced and not ctx.in_range(k, n):
        inside = Bin(BinOp.LAND, inside, Bin(BinOp.LT, size_exp(k), size_exp(n)))
    return (Declare(ok, BOOL, at), Assign(ok, inside, at), IfStm(Var(ok), row, (), at))
