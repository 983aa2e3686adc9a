r"""allocate: FUN to FUNMEM.  Every array gets a home (paper 002, sec. 3.5).

*Why.*  The first FUNMEM program has to be obviously right, not good: every fresh array gets a
block of its own, row-major, and every derived array the index function that its rule computes.
Later passes remove what was not needed.

*Before -> after.*

    let (x : [n]i64) = iota [n] 0 1
    ->
    let (x_mem : mem) = alloc 8*n
    let (x : [n]i64 @ x_mem -> 0 + {(n : 1)}) = iota [n] 0 1

    let (z : [n]i64) = if c then … in (x) else … in (y)
    ->
    let (z_mem : mem) (z_off : i64) (z_st : i64) (z : [n]i64 @ z_mem -> z_off + {(n : z_st)}) =
      if c then … in (x_mem, 0, 1, x) else … let (y_off : i64) = i * n in (y_mem, y_off, 1, y)

*How each expression is treated.*

    scalars, assert             unchanged
    slice permute reverse flat  the source's block, the rule's LMAD
    reshape                     ditto; if that LMAD does not exist, of a row-major copy
    iota replicate literal copy concat scratch     alloc, row-major
    update scatter hist         the consumed array's home: its block is written in place, which is
                                safe because whatever aliases it can no longer be used; a view
                                that may show an element twice is copied first (overlap.py)
    kernel                      alloc and row-major for every other array result; every array
                                parameter of the operator owns a part of a block for each outer
                                index, and an operator result that a copy to an earlier parameter
                                would overwrite is copied first
    if, loop                    all supporting information (block, offset, strides) is returned,
                                or becomes loop parameters, by position: names are never compared
    entry                       parameters row-major in implicit blocks; array results copied to
                                row-major blocks of their own, which are implicit results

*Precondition*: FUN.  *Postcondition*: every array binder has a home.
"""

from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from funmem.ir.diagnostics import Diagnostic, Span, Stuck
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Collective,
    Concat,
    Const,
    Convert,
    Copy,
    Entry,
    FlatSlice,
    Hist,
    Home,
    If,
    Index,
    Iota,
    Kernel,
    KernelDim,
    Lambda,
    Loop,
    LoopParam,
    Map,
    MemProgram,
    MemType,
    Param,
    Permute,
    Program,
    Reduce,
    Replicate,
    Reshape,
    Reverse,
    Scan,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Type,
    Un,
    Update,
    Var,
)
from funmem.ir.lmad import Dim, Lmad, row_major
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, product, var
from funmem.ir.traverse import (
    entry_binders,
    inner_binders,
    program_fresh,
    size_atom,
    walk,
)
from funmem.passes.arith import size_exp
from funmem.passes.framework import Context, Level, fun_pass
from funmem.passes.mem.derive import derived_lmad
from funmem.passes.mem.overlap import body_may_overlap, view_may_overlap


def every_array_has_a_home(p: MemProgram) -> Diagnostic | None:
    """Every array binder says where the array lives."""
    for e in p.entries:
        inner = (b for s in walk(e.body) for b in (*s.pat, *inner_binders(s.exp)))
        for b in (*entry_binders(e), *inner):
            if isinstance(b.type, ArrayType) and b.home is None:
                return Diagnostic(b.at, "home", f"array {b.name} has no home")
    return None


@fun_pass(
    "allocate",
    summary="give every array a home: a block and an index function",
    output=Level.FUNMEM,
    post=(every_array_has_a_home,),
)
def allocate(p: MemProgram, ctx: Context) -> MemProgram:  # noqa: ARG001
    """TransformProgram."""
    fresh = program_fresh(p)
    return Program(tuple(_Entry(fresh).entry(e) for e in p.entries))


@frozen
class _Support:
    """Procedure Support: what has to be returned along with an array, and how to compute it."""

    stms: tuple[Stm[Ann], ...]
    atoms: tuple[Atom, ...]
    """Block, offset, strides."""


class _Entry:
    """Γ of one entry point (types and homes of arrays), and the supply of fresh names."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh
        self.types: dict[Name, Type] = {}
        self.homes: dict[Name, Home] = {}
        self.blocks: dict[Name, frozenset[Name]] = {}
        """Which blocks a block variable may be; a name that is absent is only itself."""
        self.overlapping: set[Name] = set()
        """Arrays that may show an element at several indices."""

    # ------------------------------------------------------------------ Γ

    def bind(self, binders: Sequence[Binder[Ann]]) -> None:
        """Γ, p … p."""
        for b in binders:
            self.types[b.name] = b.type
            if b.home is not None:
                self.homes[b.name] = b.home

    def is_array(self, a: Atom) -> bool:
        return isinstance(a, Var) and isinstance(self.types.get(a.name), ArrayType)

    def may_be(self, block: Name) -> frozenset[Name]:
        """The blocks that a block variable may stand for."""
        return self.blocks.get(block, frozenset({block}))

    # ------------------------------------------------------------------ fresh arrays

    def new_block(self, x: Name, t: ArrayType, at: Span) -> tuple[Name, Stm[Ann]]:
        """A block that holds exactly an array of type ``t``."""
        m = self.fresh(f"{x}_mem")
        return m, self.block_stm(m, product(t.shape) * t.elem.bytes, at)

    def block_stm(self, m: Name, size: Size, at: Span) -> Stm[Ann]:
        return Stm((Binder(m, MemType(), None, at),), Alloc(size), at)

    def fresh_array(self, b: Binder[Ann], at: Span) -> tuple[Stm[Ann], Binder[Ann]]:
        """``alloc`` and the binder with a row-major home in the new block."""
        t = _array(b)
        m, alloc = self.new_block(b.name, t, at)
        return alloc, evolve(b, home=Home(m, row_major(t.shape)))

    def copied(self, x: Name, at: Span) -> tuple[Name, tuple[Stm[Ann], ...]]:
        """A row-major copy of ``x`` under a fresh name."""
        y: Binder[Ann] = Binder(self.fresh(x), self.types[x], None, at)
        alloc, y = self.fresh_array(y, at)
        self.bind((y,))
        return y.name, (alloc, Stm((y,), Copy(x), at))

    def own(self, x: Name, at: Span) -> tuple[Name, tuple[Stm[Ann], ...]]:
        """An array to be updated in place: ``x``, or a copy if it may overlap itself."""
        return self.copied(x, at) if x in self.overlapping else (x, ())

    def overlaps(self, a: Atom) -> bool:
        return isinstance(a, Var) and a.name in self.overlapping

    # ------------------------------------------------------------------ TransformStms

    def body(self, b: Body[Ann]) -> tuple[Stm[Ann], ...]:
        """TransformStms: the statements of a body; its results are the caller's business."""
        stms: list[Stm[Ann]] = []
        for s in b.stms:
            for t in self.stm(s):
                self.bind(t.pat)
                stms.append(t)
        return tuple(stms)

    def stm(self, s: Stm[Ann]) -> Iterator[Stm[Ann]]:
        """TransformStm."""
        match s.exp:
            case Const() | Var() | Bin() | Un() | Convert() | Index() | Assert():
                yield s
            case Slice(x) | Permute(_, x) | Reverse(_, x) | FlatSlice(x):
                yield self.derived(s, x)
            case Reshape(_, x):
                yield from self.reshape(s, x)
            case Iota() | Replicate() | ArrayLit() | Copy() | Concat() | Scratch():
                alloc, b = self.fresh_array(s.pat[0], s.at)
                yield alloc
                yield evolve(s, pat=(b,))
            case Update(x) | Scatter(x):
                y, copy = self.own(x, s.at)
                yield from copy
                yield evolve(s, pat=(evolve(s.pat[0], home=self.homes[y]),), exp=evolve(s.exp, x=y))
            case Kernel():
                yield from self.kernel(s, s.exp)
            case If():
                yield self.branches(s, s.exp)
            case Loop():
                yield from self.loop(s, s.exp)
            case Alloc():
                raise Stuck("FUN has no alloc")

    # ------------------------------------------------------------------ derived arrays

    def derived(self, s: Stm[Ann], x: Name) -> Stm[Ann]:
        """The source's block and the index function that the rule computes."""
        source = self.homes[x]
        if x in self.overlapping or view_may_overlap(s.exp):
            self.overlapping.add(s.pat[0].name)
        ix = derived_lmad(s.exp, source.ix)
        if ix is None:
            raise Stuck(f"{s.pat[0].name} has no index function")
        return evolve(s, pat=(evolve(s.pat[0], home=Home(source.block, ix)),))

    def reshape(self, s: Stm[Ann], x: Name) -> Iterator[Stm[Ann]]:
        """A reshape that no LMAD expresses is taken of a row-major copy."""
        if derived_lmad(s.exp, self.homes[x].ix) is None:
            assert isinstance(s.exp, Reshape)
            y, copy = self.copied(x, s.at)
            yield from copy
            s, x = evolve(s, exp=Reshape(s.exp.shape, y)), y
        yield self.derived(s, x)

    # ------------------------------------------------------------------ kernels

    def kernel(self, s: Stm[Ann], k: Kernel[Ann]) -> Iterator[Stm[Ann]]:
        """Blocks for the results and for the operator's parameters, then the kernel."""
        if isinstance(k.collective, Hist):
            owned = [self.own(x, s.at) for x in k.collective.dest]
            yield from (stm for _, copy in owned for stm in copy)
            k = evolve(k, collective=evolve(k.collective, dest=tuple(y for y, _ in owned)))
        collective, allocs = self.collective(k.collective, k.dims[:-1], s.at)
        pat: list[Binder[Ann]] = []
        dest = k.collective.dest if isinstance(k.collective, Hist) else ()
        for j, b in enumerate(s.pat):
            if j < len(dest):
                pat.append(evolve(b, home=self.homes[dest[j]]))
            elif isinstance(b.type, ArrayType):
                alloc, b = self.fresh_array(b, s.at)
                allocs.append(alloc)
                pat.append(b)
            else:
                pat.append(b)
        body = evolve(k.body, stms=self.body(k.body))
        yield from allocs
        yield evolve(s, pat=tuple(pat), exp=Kernel(k.dims, collective, body))

    def collective(
        self, c: Collective[Ann], outer: tuple[KernelDim, ...], at: Span
    ) -> tuple[Collective[Ann], list[Stm[Ann]]]:
        """The collective, and the allocations of its operator's parameters."""
        match c:
            case Map():
                return c, []
            case Reduce(op, ne, comm):
                op, allocs = self.operator(op, outer, at, by_copy=True)
                return Reduce(op, ne, comm), allocs
            case Scan(op, ne):
                op, allocs = self.operator(op, outer, at, by_copy=True)
                return Scan(op, ne), allocs
            case Hist(dest, op, ne):
                op, allocs = self.operator(op, outer, at, by_copy=False)
                return Hist(dest, op, ne), allocs

    def operator(
        self, op: Lambda[Ann], outer: tuple[KernelDim, ...], at: Span, *, by_copy: bool
    ) -> tuple[Lambda[Ann], list[Stm[Ann]]]:
        """Every array parameter lives in its own block, at the outer indices' place."""
        params: list[Binder[Ann]] = []
        allocs: list[Stm[Ann]] = []
        for p in op.params:
            if isinstance(p.type, ArrayType):
                whole = (*(d.size for d in outer), *p.type.shape)
                m, alloc = self.new_block(p.name, ArrayType(p.type.elem, whole), at)
                ix = row_major(whole).prefix([var(d.index) for d in outer])
                allocs.append(alloc)
                p = evolve(p, home=Home(m, ix))
            params.append(p)
        self.bind(params)
        stms = self.body(op.body)
        result = op.body.result
        if by_copy:
            copies, result = self.results_by_copy(params[: len(result)], result, op.body.at)
            stms += copies
        return Lambda(tuple(params), Body(stms, result, op.body.at)), allocs

    def results_by_copy(
        self, params: Sequence[Binder[Ann]], result: tuple[Atom, ...], at: Span
    ) -> tuple[tuple[Stm[Ann], ...], tuple[Atom, ...]]:
        """An operator's results are copied to its first parameters one after the other; copy
        first what an earlier of these copies would overwrite, or its own would overlap.
        """
        stms: list[Stm[Ann]] = []
        atoms: list[Atom] = []
        for j, a in enumerate(result):
            if isinstance(a, Var) and self.is_array(a) and self.clobbered(a.name, params[: j + 1]):
                y, copy = self.copied(a.name, at)
                stms += copy
                a = Var(y)
            atoms.append(a)
        return tuple(stms), tuple(atoms)

    def clobbered(self, x: Name, params: Sequence[Binder[Ann]]) -> bool:
        """Whether ``x`` may lie where one of the parameters does, and is not exactly the last."""
        home = self.homes[x]
        *_, own = params
        if home == own.home:
            return False
        owned = {p.home.block for p in params if p.home is not None}
        return not owned.isdisjoint(self.may_be(home.block))

    # ------------------------------------------------------------------ control

    def support(self, x: Name, at: Span) -> _Support:
        """Support: block, offset and strides as atoms, and statements that compute these."""
        home = self.homes[x]
        stms: list[Stm[Ann]] = []

        def atom(s: Size, base: str) -> Atom:
            a = size_atom(s)
            if a is None:
                b: Binder[Ann] = Binder(self.fresh(base), I64, None, at)
                stms.append(Stm((b,), size_exp(s), at))
                a = Var(b.name)
            return a

        offset = atom(home.ix.offset, f"{x}_off")
        strides = [atom(s, f"{x}_st") for s in home.ix.strides]
        return _Support(tuple(stms), (Var(home.block), offset, *strides))

    def existential(self, b: Binder[Ann]) -> tuple[Binder[Ann], ...]:
        """Binders for block, offset, strides, and the array that lives there, all by position."""
        t = _array(b)
        block = Binder[Ann](self.fresh(f"{b.name}_mem"), MemType(), None, b.at)
        offset = Binder[Ann](self.fresh(f"{b.name}_off"), I64, None, b.at)
        strides = [Binder[Ann](self.fresh(f"{b.name}_st"), I64, None, b.at) for _ in t.shape]
        dims = tuple(Dim(n, var(s.name)) for n, s in zip(t.shape, strides, strict=True))
        home = Home(block.name, Lmad(var(offset.name), dims))
        return (block, offset, *strides, evolve(b, home=home))

    def pattern(self, pat: Sequence[Binder[Ann]]) -> tuple[Binder[Ann], ...]:
        """A pattern in which every array's home is existential."""
        return tuple(
            p for b in pat for p in (self.existential(b) if isinstance(b.type, ArrayType) else (b,))
        )

    def supported(self, atoms: Sequence[Atom], at: Span) -> _Support:
        """Atoms, each array preceded by its supporting information."""
        stms: list[Stm[Ann]] = []
        out: list[Atom] = []
        for a in atoms:
            if isinstance(a, Var) and self.is_array(a):
                support = self.support(a.name, at)
                stms += support.stms
                out += support.atoms
            out.append(a)
        return _Support(tuple(stms), tuple(out))

    def owned(self, a: Atom, at: Span, *, unique: bool) -> tuple[Atom, tuple[Stm[Ann], ...]]:
        """A loop parameter's value; one that is updated in place must not overlap itself."""
        if not unique or not isinstance(a, Var):
            return a, ()
        y, copy = self.own(a.name, at)
        return Var(y), copy

    def returning(self, b: Body[Ann], unique: tuple[bool, ...] = ()) -> Body[Ann]:
        """A body that returns its arrays with all supporting information.

        ``unique`` says which results become loop parameters that are updated in place.
        """
        stms = self.body(b)
        flags = unique or (False,) * len(b.result)
        owned = [self.owned(a, b.at, unique=u) for a, u in zip(b.result, flags, strict=True)]
        stms += tuple(stm for _, copy in owned for stm in copy)
        result = self.supported([a for a, _ in owned], b.at)
        return Body(stms + result.stms, result.atoms, b.at)

    def branches(self, s: Stm[Ann], e: If[Ann]) -> Stm[Ann]:
        """Both branches return all supporting information."""
        then, orelse = self.returning(e.then), self.returning(e.orelse)
        pat = self.pattern(s.pat)
        self.note_blocks(pat, then.result, orelse.result)
        self.note_overlaps(pat, then.result, orelse.result)
        return evolve(s, pat=pat, exp=If(e.cond, then, orelse))

    def loop(self, s: Stm[Ann], e: Loop[Ann]) -> Iterator[Stm[Ann]]:
        """Supporting information becomes loop parameters, so the body may return any array."""
        unique = {p.binder.name for p in e.params if p.unique}
        owned = [self.owned(p.init, s.at, unique=p.unique) for p in e.params]
        init = self.supported([a for a, _ in owned], s.at)
        params = self.pattern([p.binder for p in e.params])
        self.bind(params)
        self.note_blocks(params, init.atoms)
        if any(map(self.overlaps, init.atoms)) or body_may_overlap(e.body):
            self.overlapping |= {p.binder.name for p in e.params} - unique
        body = self.returning(e.body, tuple(p.unique for p in e.params))
        pat = self.pattern(s.pat)
        self.note_blocks(pat, init.atoms, body.result)
        self.note_overlaps(pat, init.atoms, body.result)
        yield from (stm for _, copy in owned for stm in copy)
        yield from init.stms
        yield evolve(
            s,
            pat=pat,
            exp=Loop(
                tuple(
                    LoopParam(b, a, b.name in unique)
                    for b, a in zip(params, init.atoms, strict=True)
                ),
                e.form,
                body,
            ),
        )

    def note_blocks(self, pat: Sequence[Binder[Ann]], *results: Sequence[Atom]) -> None:
        """A block bound by ``pat`` may be any block among the results (a loop may rotate them)."""
        named = (
            self.may_be(a.name)
            for result in results
            for b, a in zip(pat, result, strict=True)
            if isinstance(b.type, MemType) and isinstance(a, Var)
        )
        reachable = frozenset[Name]().union(*named)
        for b in pat:
            if isinstance(b.type, MemType):
                self.blocks[b.name] = reachable | {b.name}

    def note_overlaps(self, pat: Sequence[Binder[Ann]], *results: Sequence[Atom]) -> None:
        """An array bound by ``pat`` may overlap itself if one of its values may.

        A loop hands its parameters on to each other; those that may overlap all count then.
        """
        for b, *values in zip(pat, *results, strict=True):
            if any(map(self.overlaps, values)):
                self.overlapping.add(b.name)

    # ------------------------------------------------------------------ entry points

    def entry(self, e: Entry[Ann]) -> Entry[Ann]:
        """Arrays cross the border row-major, each in an implicit block of its own."""
        blocks, params = self.at_border([p.binder for p in e.params])
        self.bind((*e.implicit, *params))
        stms = list(self.body(e.body))
        k = len(e.implicit_results)
        mems: list[Atom] = []
        results: list[Atom] = []
        for a in e.body.result[k:]:
            if isinstance(a, Var) and self.is_array(a):
                y, copy = self.copied(a.name, e.body.at)
                stms += copy
                mems.append(Var(self.homes[y].block))
                a = Var(y)
            results.append(a)
        result = (*e.body.result[:k], *mems, *results)
        result_blocks, result_binders = self.at_border(e.results)
        return Entry(
            e.name,
            (*e.implicit, *blocks),
            tuple(Param(b, p.unique) for b, p in zip(params, e.params, strict=True)),
            (*e.implicit_results, *result_blocks),
            tuple(result_binders),
            Body(tuple(stms), result, e.body.at),
            e.at,
        )

    def at_border(
        self, binders: Sequence[Binder[Ann]]
    ) -> tuple[list[Binder[Ann]], list[Binder[Ann]]]:
        """Implicit blocks, and the binders with row-major homes in these."""
        blocks: list[Binder[Ann]] = []
        homed: list[Binder[Ann]] = []
        for b in binders:
            if isinstance(b.type, ArrayType):
                m = self.fresh(f"{b.name}_mem")
                blocks.append(Binder(m, MemType(), None, b.at))
                b = evolve(b, home=Home(m, row_major(b.type.shape)))
            homed.append(b)
        return blocks, homed


def _array(b: Binder[Ann]) -> ArrayType:
    """The type of an array binder."""
    if not isinstance(b.type, ArrayType):
        raise Stuck(f"{b.name} is no array")
    return b.type
