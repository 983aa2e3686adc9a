"""Facts at a program point.

:class:`PointFacts` collects what the prover needs: the ranges of kernel and loop indices, the signs
of sizes, the types in scope, the polynomials that ``let`` binds, and the arrays that may have
uninitialised elements.  :mod:`funmem.ir.logic.may_trap` decides by these which expressions cannot
trap.

    upper_bound(d, dims, known)    a size that ``d`` never exceeds, for block sizes

All reasoning is in Z, sound and incomplete.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from attrs import field

from funmem.ir.arith import WIDEST, exp_size, expanded, scalar_type
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
    Call,
    Compound,
    Concat,
    Const,
    Convert,
    Copy,
    DerivedArray,
    Entry,
    Exp,
    FlatSlice,
    For,
    FreshArray,
    Home,
    If,
    Index,
    InPlace,
    Iota,
    Kernel,
    KernelDim,
    Loop,
    Opaque,
    RaggedKernel,
    Replicate,
    Reshape,
    Scalar,
    ScalarExp,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Type,
    Un,
    Update,
    Var,
)
from funmem.ir.lmad import part_lens
from funmem.ir.logic.bounded import converted, divided, shown
from funmem.ir.logic.branches import follows, given, iterating
from funmem.ir.logic.invariants import Invariants, Memo
from funmem.ir.logic.prove import Facts, in_range, nonneg
from funmem.ir.logic.symbol_table import symbol_table
from funmem.ir.logic.uninitialised import (
    LazyNames,
    arrays_of,
    uninitialised_in,
    uninitialised_inside,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import ZERO, Monomial, Size, const, product, var
from funmem.ir.traverse import (
    atom_size,
    bound_in_body,
    bound_in_stms,
    inner_binders,
    operators,
    walk,
)

DIVISIONS = (BinOp.DIV, BinOp.MOD, BinOp.QUOT, BinOp.REM)
FAR = 1 << 62
"""The sum of two numbers of at most this magnitude does not wrap around in i64."""


@frozen
class PointFacts:
    """The facts at one program point.

    ``types``, ``homes`` and ``values`` may also contain names that are bound elsewhere.
    """

    facts: Facts = field(factory=Facts)
    types: Mapping[Name, Type] = field(factory=dict)
    homes: Mapping[Name, Home] = field(factory=dict)
    values: Mapping[Name, Size] = field(factory=dict)
    """The polynomials that ``let`` binds: equal to the i64 value modulo 2^64."""
    scalars: Mapping[Name, ScalarExp] = field(factory=dict)
    """The operators that ``let`` binds: the definitions of conditions."""
    either: tuple[Var, ...] = ()
    """Asserted disjunctions: which operand holds may follow only from facts further inside."""
    uninitialised: Collection[Name] = frozenset()
    """The arrays that may have uninitialised elements (:mod:`funmem.ir.logic.uninitialised`)."""
    searched: frozenset[Name] = frozenset()
    """The names that the analysis behind ``uninitialised`` has covered."""
    loops: int = 0
    """How many loops around this point are being searched for their invariants."""
    memo: Memo = field(factory=Memo, eq=False, repr=False)
    """The invariants that were found at this point and elsewhere."""
    no_scratch: bool = False
    """True if the program has no ``scratch``, so that no element is uninitialised."""
    rows: frozenset[tuple[Name, Size]] = frozenset()
    """Offsets of rows that a kernel over rows has checked, each with the number of elements."""

    # ------------------------------------------------------------------ scopes

    def binding(self, binders: Iterable[Binder[Ann]]) -> "PointFacts":
        """Return the facts with ``binders`` in scope as well."""
        types, homes = symbol_table(self.types), symbol_table(self.homes)
        for b in binders:
            types = types.with_(b.name, b.type)
            if b.home is not None:
                homes = homes.with_(b.name, b.home)
        if types is self.types and homes is self.homes:
            return self
        return evolve(self, types=types, homes=homes)

    def with_nonneg(self, sizes: Iterable[Size]) -> "PointFacts":
        """Return the facts where no size among ``sizes`` is negative."""
        facts = self.facts
        for d in sizes:
            facts = facts.with_nonneg(d)
        return self if facts is self.facts else evolve(self, facts=facts)

    def assuming(self, polynomials: Iterable[Size]) -> "PointFacts":
        """Return the facts where the polynomials are not negative, kept as inequalities."""
        facts = self.facts
        for p in polynomials:
            facts = facts.assuming(p)
        return self if facts is self.facts else evolve(self, facts=facts)

    def after(self, s: Stm[Ann]) -> "PointFacts":
        """Return the facts after a statement."""
        known = self.binding(s.pat)
        match s.exp:
            case Bin() | Un() | Const() | Var() | Convert() as e:
                return known._after_scalar(s.pat[0], e)
            case Call():  # nothing is known of its results
                return known
            case Assert(cond):
                return known._asserting(cond)
            case If(cond, then, Body((), (Const(False),))) if len(s.pat) == 1:  # cond && …
                both = Bin(BinOp.LAND, cond, then.result[0])
                scalars = symbol_table(known.scalars).with_(s.pat[0].name, both)
                return known if scalars is known.scalars else evolve(known, scalars=scalars)
            case Reshape(shape, x):  # has as many elements as before
                more = product(shape) - product(known.shape(x))
                known = known.with_nonneg(shape)
                facts = known.facts.assuming(more).assuming(-more)
                known = known if facts is known.facts else evolve(known, facts=facts)
                return known._searching(s)
            case RaggedKernel(_, _, offsets, total):
                known = known.with_nonneg(checked_sizes(s.exp))._searching(s)
                return evolve(known, rows=known.rows | {(offsets, total)})
            case Loop(params) as loop:
                image = {p.binder.name: var(b.name) for p, b in zip(params, s.pat, strict=True)}
                always = self.invariants(loop).always
                return known.assuming(p.subst(image) for p in always)._searching(s)
            case Index() | DerivedArray() | FreshArray() | InPlace() | Compound() | Alloc():
                return known.with_nonneg(checked_sizes(s.exp))._searching(s)

    def _asserting(self, cond: Atom) -> "PointFacts":
        known = self.given(cond, True)
        match self.scalars.get(cond.name) if isinstance(cond, Var) else None:
            case Bin(BinOp.LOR):
                assert isinstance(cond, Var)
                return evolve(known, either=(*known.either, cond))
            case _:
                return known

    def _after_scalar(self, b: Binder[Ann], e: ScalarExp) -> "PointFacts":
        """Return the facts where ``b`` is bound to the value of an expression."""
        known = self
        if isinstance(e, Bin | Un):
            scalars = symbol_table(self.scalars).with_(b.name, e)
            known = self if scalars is self.scalars else evolve(self, scalars=scalars)
        if b.type is not I64:
            return known
        match e:
            case Bin(op) if op in DIVISIONS:
                facts = divided(b.name, e, self.facts, known.scalars)
                return known if facts is known.facts else evolve(known, facts=facts)
            case Bin(BinOp.MAX, Var() | Const() as x, Var() | Const() as y):
                some = self.nonneg(atom_size(x)) or self.nonneg(atom_size(y))
                return known.with_nonneg((var(b.name),)) if some else known
            case Convert(_, a):
                source = scalar_type(a, self.types)
                facts = converted(b.name, e, source, self.facts)
                return known if facts is self.facts else evolve(known, facts=facts)
            case Const() | Var() | Bin() | Un():
                if (p := exp_size(e, self.values)) is None:
                    return known
                values = symbol_table(self.values).with_(b.name, p)
                return known if values is known.values else evolve(known, values=values)

    def _searching(self, s: Stm[Ann]) -> "PointFacts":
        """Return the facts with the statement's arrays that may have uninitialised elements."""
        if self.no_scratch or arrays_of(s.pat) <= self.searched:
            return self
        bound = bound_in_stms((s,))
        return evolve(
            self,
            uninitialised=uninitialised_in((s,), self.uninitialised),
            searched=self.searched | bound,
        )

    def after_all(self, stms: Iterable[Stm[Ann]]) -> "PointFacts":
        """Return the facts after statements in order."""
        known = self
        for s in stms:
            known = known.after(s)
        return known

    def given(self, cond: Atom, truth: bool) -> "PointFacts":
        """Return the facts where the value of a condition is ``truth``."""
        facts = given(cond, truth, self.facts, self.scalars, self.types)
        return self if facts is self.facts else evolve(self, facts=facts)

    def iterating(self, dims: Iterable[tuple[Name, Size]]) -> "PointFacts":
        """Return the facts inside an iteration ``i < d, …``."""
        types, facts = symbol_table(self.types), self.facts
        for i, d in dims:
            types = types.with_(i, I64)
            facts = iterating(i, d, facts, self.scalars)
        return evolve(self, types=types, facts=facts)

    def inside(self, e: Exp[Ann]) -> tuple["PointFacts", ...]:
        """Return the facts at the start of each body of :func:`sub_bodies`, in its order."""
        match e:
            case Kernel(dims, _, _):
                body = self.iterating(_ranges(dims))
                for cond in self.either:
                    body = body.given(cond, True)
                return (*self._in_operators(e, dims[:-1]), body)
            case RaggedKernel(row, index, _, total):
                body = self.iterating(((row.index, row.size), (index, total)))
                return (*self._in_operators(e, (row,)), body)
            case Loop():
                return (self.starting(e, self.invariants(e)),)
            case If(cond):
                return self.given(cond, True), self.given(cond, False)
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace():
                return ()
            case Assert() | Alloc() | Opaque():
                return ()

    def _in_operators(
        self, e: Kernel[Ann] | RaggedKernel[Ann], dims: Sequence[KernelDim]
    ) -> tuple["PointFacts", ...]:
        """Return the facts in a kernel's operators, which are applied inside ``dims``."""
        ops = operators(e)
        if not ops:
            return ()
        outer = self.iterating(_ranges(dims))
        return tuple(outer.binding(op.params)._searching_inside(e) for op in ops)

    def invariants(self, e: Loop[Ann]) -> Invariants:
        """Return what holds for the i64 variables of a loop, given the facts before it."""
        return self.memo.of(e, self)

    def in_loop(self) -> "PointFacts":
        """Return the facts for the search for a loop's invariants."""
        return evolve(self, loops=self.loops + 1, memo=Memo())

    def starting(self, e: Loop[Ann], held: Invariants) -> "PointFacts":
        """Return the facts at the start of an iteration of a loop with these invariants."""
        known = self.binding(p.binder for p in e.params)._searching_inside(e)
        if isinstance(e.form, For):
            known = known.iterating(((e.form.index, e.form.bound),))
        return known.assuming((*held.always, *held.going))

    def _searching_inside(self, e: Exp[Ann]) -> "PointFacts":
        """Return the facts with the parameters of a loop or an operator that may have uninitialised
        elements.
        """
        if self.no_scratch or arrays_of(inner_binders(e)) <= self.searched:
            return self
        return evolve(self, uninitialised=uninitialised_inside(e, self.uninitialised))

    # ------------------------------------------------------------------ questions

    def indexes(self, i: Size, n: Size) -> bool:
        """True if ``0 <= i < n`` follows.

        The polynomials of names give the index modulo 2^64.  The index is that number if the i64
        arithmetic of none of the names has wrapped around; or if it mentions one name only, and
        after wrapping around the polynomial would be far out of bounds.
        """
        if in_range(i, n, self.facts):
            return True
        bound = [p for x in i.free() if (p := self.values.get(x)) is not None]
        known = self._shows_wrapping(i, n) or all(self._is_i64(p, n) for p in bound)
        if known and in_range(expanded(i, self.values), n, self.facts):
            return True
        return all(shown(p, self.facts, self.scalars) for p in (i, n - 1 - i))

    def _shows_wrapping(self, i: Size, n: Size) -> bool:
        """True if ``0 <= i < n`` for the polynomial of the only name in ``i`` implies that the
        polynomial fits in i64.

        For ``k*x + c`` the polynomial lies between -c/k and (n - 1 - c)/k, and n, the length of an
        array, is less than 2^63.  So it may exceed i64 only if k is 1 or -1, and c less than -1.
        """
        if not one_name(i):
            return False
        (_, slope), *rest = i.terms  # the constant comes last
        return abs(slope) > 1 or all(c >= -1 for _, c in rest) or self.nonneg(FAR - n)

    def _is_i64(self, p: Size, n: Size) -> bool:
        """True if a polynomial is a name, or lies between -2^62 and 2^62 or some name."""
        names = n.free().union(*(d.free() for _, d in self.facts.indices))
        tops = (const(FAR), *map(var, sorted(names)))
        return p.as_name is not None or (
            self.nonneg(p + FAR) and any(self.nonneg(top - p) for top in tops)
        )

    def holds(self, cond: Atom) -> bool:
        """True if the facts prove a condition."""
        return follows(cond, self.facts, self.scalars, self.types)

    def nonneg(self, d: Size) -> bool:
        """True if ``d >= 0`` follows."""
        return nonneg(d, self.facts)

    def shape(self, x: Name) -> tuple[Size, ...]:
        """Return the shape of an array in scope."""
        t = self.types[x]
        return t.shape if isinstance(t, ArrayType) else ()


def one_name(i: Size) -> bool:
    """True if an index is linear in one name, with small coefficients.

    If the i64 arithmetic of the name has wrapped around, its polynomial does not fit in i64.
    Substituted for the name, it gives an index far out of bounds of every array that fits memory.
    """
    return len(i.free()) == 1 and all(len(m) <= 1 and abs(k) <= FAR for m, k in i.terms)


def of_entry(e: Entry[Ann]) -> PointFacts:
    """Return the facts at the start of an entry point's body."""
    params = tuple(p.binder for p in e.params)
    known = PointFacts(facts_of(params)).binding((*e.implicit, *params))
    if not any(isinstance(s.exp, Scratch) for s in walk(e.body)):
        return evolve(known, no_scratch=True)
    return evolve(
        known,
        uninitialised=LazyNames(lambda: uninitialised_in(e.body.stms, ())),
        searched=bound_in_body(e.body),
    )


def facts_of(params: Iterable[Binder[Ann]]) -> Facts:
    """Return the facts about the arguments of an entry point: no size of an array is negative, and
    its elements are in memory.
    """
    return _facts_of_arrays(tuple(p.type.shape for p in params if isinstance(p.type, ArrayType)))


@lru_cache(maxsize=32)
def _facts_of_arrays(shapes: tuple[tuple[Size, ...], ...]) -> Facts:
    """Return the facts about arrays of these shapes.

    The passes over an entry point begin with the same facts, and so share what is derived from
    them.
    """
    facts = Facts()
    for shape in shapes:
        for d in shape:
            facts = facts.with_nonneg(d)
        facts = facts.existing(product(shape))
    return facts


def checked_sizes(e: Exp[Ann]) -> tuple[Size, ...]:
    """Return the sizes on which an expression traps if they are negative.

    An empty kernel makes no rows, so nothing follows for their sizes.
    """
    match e:
        case Iota(n):
            return (n,)
        case Replicate(shape) | Scratch(shape) | Reshape(shape):
            return shape
        case Slice(_, where) | Update(_, where):
            return part_lens(where)
        case FlatSlice(_, _, flat):
            return tuple(d.len for d in flat)
        case Kernel(kdims):
            return tuple(d.size for d in kdims)
        case RaggedKernel(row, _, _, total):
            return (row.size, total)
        case Scalar() | Index() | DerivedArray() | ArrayLit() | Copy() | Concat():
            return ()
        case Scatter() | If() | Loop() | Assert() | Alloc() | Opaque():
            return ()


def _ranges(dims: Sequence[KernelDim]) -> tuple[tuple[Name, Size], ...]:
    return tuple((d.index, d.size) for d in dims)


# ---------------------------------------------------------------------- bounds


def upper_bound(d: Size, dims: Sequence[tuple[Name, Size]], known: PointFacts) -> Size | None:
    """Return a size without the indices of ``dims`` that ``d`` does not exceed where ``i < n, …``.

    Each index is replaced by one end of its range, innermost first.  Return None if ``d`` is not
    provably largest at one of the ends.
    """
    inside = known.iterating(dims)
    for i, n in reversed(dims):
        if i in d.free():
            ends = (d.subst({i: ZERO}), d.subst_within({i: n - 1}, WIDEST))
            bounds = [b for b in ends if b is not None and _never_negative(b - d, i, n, inside)]
            if not bounds:
                return None
            d = bounds[0]
    return d


def _never_negative(p: Size, i: Name, n: Size, inside: PointFacts) -> bool:
    """True if ``p >= 0`` follows for ``0 <= i < n``: p is linear or concave in i, so least at an
    end.
    """
    square = Size.from_terms({_without(m, i): k for m, k in p.terms if m.count(i) == 2})
    if max((m.count(i) for m, _ in p.terms), default=0) != 2:
        return inside.nonneg(p)
    ends = (p.subst({i: ZERO}), p.subst({i: n - 1}))
    return inside.nonneg(-square) and all(map(inside.nonneg, ends))


def _without(m: Monomial, i: Name) -> Monomial:
    return tuple(x for x in m if x != i)
