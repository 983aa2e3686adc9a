"""The procedures TransformStms and TransformStm, kernels, control, and the border of an entry
point.
"""

from collections.abc import Iterator, Sequence

from funmem.ir.diagnostics import Span, Stuck
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Atom,
    Binder,
    Body,
    Collective,
    DerivedArray,
    Entry,
    FlatSlice,
    FreshArray,
    Hist,
    Home,
    If,
    Index,
    Kernel,
    KernelDim,
    Lambda,
    Loop,
    LoopParam,
    Map,
    MemType,
    Opaque,
    Param,
    Permute,
    RaggedKernel,
    Reduce,
    Reshape,
    Reverse,
    Scalar,
    Scan,
    Scatter,
    Slice,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import row_major
from funmem.ir.logic.derive import derived_lmad
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import evolve
from funmem.ir.sizes import var
from funmem.passes.mem.allocate.conditions import (
    can_be_returned,
    evenly_spaced,
    is_readable,
    is_whole,
    stays_in_place,
)
from funmem.passes.mem.allocate.gamma import Gamma
from funmem.passes.mem.allocate.support import pattern, supported
from funmem.passes.mem.overlap import view_may_overlap


class Transform:
    """The procedures of sec. 3.5, on one Γ."""

    def __init__(self, g: Gamma) -> None:
        self.g = g

    # ------------------------------------------------------------------ TransformStms

    def body(self, b: Body[Ann]) -> tuple[Stm[Ann], ...]:
        """TransformStms: return the statements of a body; the caller handles its results."""
        stms: list[Stm[Ann]] = []
        for s in b.stms:
            for t in self.stm(s):
                self.g.bind(t.pat)
                stms.append(t)
        return tuple(stms)

    def stm(self, s: Stm[Ann]) -> Iterator[Stm[Ann]]:
        """TransformStm."""
        match s.exp:
            case Scalar() | Index() | Assert():
                yield s
            case DerivedArray() as e:
                yield from self.view(s, e.x)
            case FreshArray():
                alloc, b = self.g.fresh_array(s.pat[0], s.at)
                yield alloc
                yield evolve(s, pat=(b,))
            case Update(x) | Scatter(x):
                y, copy = self.g.own(x, s.at)
                yield from copy
                yield evolve(
                    s, pat=(evolve(s.pat[0], home=self.g.homes[y]),), exp=evolve(s.exp, x=y)
                )
            case Kernel():
                yield from self.kernel(s, s.exp)
            case Opaque():
                yield from self.opaque(s, s.exp)
            case If():
                yield self.branches(s, s.exp)
            case Loop():
                yield from self.loop(s, s.exp)
            case Alloc():
                raise Stuck("FUN has no alloc")
            case RaggedKernel():
                raise unscheduled()

    # ------------------------------------------------------------------ derived arrays

    def derived(self, s: Stm[Ann], x: Name) -> Stm[Ann]:
        """Give a derived array its source's block and the index function that its rule computes."""
        source = self.g.homes[x]
        if x in self.g.overlapping or view_may_overlap(s.exp):
            self.g.overlapping.add(s.pat[0].name)
        ix = derived_lmad(s.exp, source.ix)
        if ix is None:
            raise Stuck(f"{s.pat[0].name} has no index function")
        return evolve(s, pat=(evolve(s.pat[0], home=Home(source.block, ix)),))

    def view(self, s: Stm[Ann], x: Name) -> Iterator[Stm[Ann]]:
        """Derive an array from its source, or from a row-major copy of it if no LMAD, or only one
        with a too large text, expresses the result.
        """
        home = self.g.homes[x]
        for condition, why in (
            ("(1) a reshape moves no data", evenly_spaced(s.exp, x, home)),
            ("(4) an index function can be written", is_readable(s.exp, x, home)),
        ):
            if why is not None:
                self.g.ctx.remark(s, condition, why)
                assert isinstance(s.exp, Slice | Permute | Reverse | FlatSlice | Reshape)
                y, copy = self.g.copied(x, s.at)
                yield from copy
                s, x = evolve(s, exp=evolve(s.exp, x=y)), y
        yield self.derived(s, x)

    # ------------------------------------------------------------------ kernels

    def kernel(self, s: Stm[Ann], k: Kernel[Ann]) -> Iterator[Stm[Ann]]:
        """Yield blocks for the results and for the operator's parameters, then the kernel."""
        if isinstance(k.collective, Hist):
            owned = [self.g.own(x, s.at) for x in k.collective.dest]
            yield from (stm for _, copy in owned for stm in copy)
            k = evolve(k, collective=evolve(k.collective, dest=tuple(y for y, _ in owned)))
        collective, allocs = self.collective(k.collective, k.dims[:-1], s.at)
        pat: list[Binder[Ann]] = []
        dest = k.collective.dest if isinstance(k.collective, Hist) else ()
        for j, b in enumerate(s.pat):
            if j < len(dest):
                pat.append(evolve(b, home=self.g.homes[dest[j]]))
            elif isinstance(b.type, ArrayType):
                alloc, b = self.g.fresh_array(b, s.at)
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
        """Return the collective, and the allocations of its operator's parameters."""
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
        """Give every array parameter a part of a block of its own for each value of the outer
        indices.
        """
        params: list[Binder[Ann]] = []
        allocs: list[Stm[Ann]] = []
        for p in op.params:
            if isinstance(p.type, ArrayType):
                whole = (*(d.size for d in outer), *p.type.shape)
                m, alloc = self.g.new_block(p.name, ArrayType(p.type.elem, whole), at)
                ix = row_major(whole).prefix([var(d.index) for d in outer])
                allocs.append(alloc)
                p = evolve(p, home=Home(m, ix))
            params.append(p)
        self.g.bind(params)
        stms = self.body(op.body)
        result = op.body.result
        if by_copy:
            copies, result = self.results_by_copy(params[: len(result)], result, op.body.at)
            stms += copies
        return Lambda(tuple(params), Body(stms, result, op.body.at)), allocs

    def results_by_copy(
        self, params: Sequence[Binder[Ann]], result: tuple[Atom, ...], at: Span
    ) -> tuple[tuple[Stm[Ann], ...], tuple[Atom, ...]]:
        """Return an operator's results, and copies of some of them that are made first.

        The results are copied to the operator's first parameters one after the other.  A result is
        copied first if an earlier one of these copies would overwrite it, or if source and
        destination of its own copy overlap.
        """
        stms: list[Stm[Ann]] = []
        atoms: list[Atom] = []
        for j, a in enumerate(result):
            if isinstance(a, Var) and self.g.is_array(a):
                home = self.g.homes[a.name]
                why = stays_in_place(home, self.g.may_be(home.block), params[: j + 1])
                if why is not None:
                    self.g.ctx.remark(a.name, "(2) an operator's result is copied once", why)
                    y, copy = self.g.copied(a.name, at)
                    stms += copy
                    a = Var(y)
            atoms.append(a)
        return tuple(stms), tuple(atoms)

    def opaque(self, s: Stm[Ann], e: Opaque) -> Iterator[Stm[Ann]]:
        """Yield blocks for the results of foreign code, and copies of the arguments that are not
        whole blocks.
        """
        args: list[Atom] = []
        for a in e.args:
            if isinstance(a, Var) and self.g.is_array(a):
                t = self.g.types[a.name]
                assert isinstance(t, ArrayType)
                why = is_whole(t, self.g.homes[a.name])
                if why is not None:
                    self.g.ctx.remark(a.name, "(6) foreign code takes whole blocks", why)
                    y, copy = self.g.copied(a.name, s.at)
                    yield from copy
                    a = Var(y)
            args.append(a)
        pat: list[Binder[Ann]] = []
        for b in s.pat:
            alloc, b = self.g.fresh_array(b, s.at)
            yield alloc
            pat.append(b)
        yield evolve(s, pat=tuple(pat), exp=evolve(e, args=tuple(args)))

    # ------------------------------------------------------------------ control

    def owned(self, a: Atom, at: Span, *, unique: bool) -> tuple[Atom, tuple[Stm[Ann], ...]]:
        """Return a branch's result or a loop parameter's value as an array whose home can be
        returned, and the copy that makes it one; ``unique``: it is updated in place and must not
        overlap itself.
        """
        if not isinstance(a, Var) or not self.g.is_array(a):
            return a, ()
        y, copy = self.g.own(a.name, at) if unique else (a.name, ())
        why = can_be_returned(y, self.g.homes[y])
        if why is not None:
            self.g.ctx.remark(y, "(5) the home of a returned array can be computed", why)
            y, copy = self.g.copied(y, at)
        return Var(y), copy

    def returning(self, b: Body[Ann], unique: tuple[bool, ...] = ()) -> Body[Ann]:
        """Return the body that returns its arrays with all supporting information.

        ``unique`` marks the results that become loop parameters that are updated in place.
        """
        stms = self.body(b)
        flags = unique or (False,) * len(b.result)
        owned = [self.owned(a, b.at, unique=u) for a, u in zip(b.result, flags, strict=True)]
        stms += tuple(stm for _, copy in owned for stm in copy)
        result = supported(self.g, [a for a, _ in owned], b.at)
        return Body(stms + result.stms, result.atoms, b.at)

    def branches(self, s: Stm[Ann], e: If[Ann]) -> Stm[Ann]:
        """Return an ``if`` whose branches return all supporting information."""
        then, orelse = self.returning(e.then), self.returning(e.orelse)
        pat = pattern(self.g, s.pat)
        self.g.note_blocks(pat, then.result, orelse.result)
        self.g.note_overlaps(pat, then.result, orelse.result)
        return evolve(s, pat=pat, exp=If(e.cond, then, orelse))

    def loop(self, s: Stm[Ann], e: Loop[Ann]) -> Iterator[Stm[Ann]]:
        """Turn supporting information into loop parameters, so that the body may return any
        array.
        """
        unique = {p.binder.name for p in e.params if p.unique}
        owned = [self.owned(p.init, s.at, unique=p.unique) for p in e.params]
        init = supported(self.g, [a for a, _ in owned], s.at)
        params = pattern(self.g, [p.binder for p in e.params])
        self.g.bind(params)
        self.g.note_blocks(params, init.atoms)
        body = self.returning(e.body, tuple(p.unique for p in e.params))
        pat = pattern(self.g, s.pat)
        self.g.note_blocks(pat, init.atoms, body.result)
        results = [b.name for b, p in zip(s.pat, e.params, strict=True) if not p.unique]
        self.g.note_rotated(results, (*init.atoms, *body.result))
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

    # ------------------------------------------------------------------ entry points

    def entry(self, e: Entry[Ann]) -> Entry[Ann]:
        """Rewrite an entry point: arrays cross its border row-major, each in an implicit block of
        its own.
        """
        blocks, params = self.at_border([p.binder for p in e.params])
        self.g.bind((*e.implicit, *params))
        stms = list(self.body(e.body))
        k = len(e.implicit_results)
        mems: list[Atom] = []
        results: list[Atom] = []
        for a in e.body.result[k:]:
            if isinstance(a, Var) and self.g.is_array(a):
                y, copy = self.g.copied(a.name, e.body.at)
                stms += copy
                mems.append(Var(self.g.homes[y].block))
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
            e.interface,
        )

    def at_border(
        self, binders: Sequence[Binder[Ann]]
    ) -> tuple[list[Binder[Ann]], list[Binder[Ann]]]:
        """Return implicit blocks, and the binders with row-major homes in these."""
        blocks: list[Binder[Ann]] = []
        homed: list[Binder[Ann]] = []
        for b in binders:
            if isinstance(b.type, ArrayType):
                m = self.g.fresh(f"{b.name}_mem")
                blocks.append(Binder(m, MemType(), None, b.at))
                b = evolve(b, home=Home(m, row_major(b.type.shape)))
            homed.append(b)
        return blocks, homed
