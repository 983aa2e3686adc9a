"""What is known at a place of a program.

:class:`Known` collects what the prover needs: the ranges of kernel and loop indices, the signs of
sizes, the types in scope, the polynomials that ``let`` binds, and the arrays that may hold elements
that were never written.  What can therefore not trap, is asked in :mod:`funmem.ir.logic.may_trap`.

    upper_bound(d, known, …) a size that ``d`` never exceeds, for block sizes

All reasoning is in Z, sound and incomplete.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from attrs import field

from funmem.ir.arith import WIDEST, exp_size, expanded
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Const,
    Convert,
    Entry,
    Exp,
    FlatSlice,
    For,
    Home,
    If,
    Iota,
    Kernel,
    KernelDim,
    Loop,
    Replicate,
    Reshape,
    ScalarExp,
    Scratch,
    Slice,
    Stm,
    Type,
    Un,
    Update,
    Var,
)
from funmem.ir.lmad import part_lens
from funmem.ir.logic.branches import given
from funmem.ir.logic.holes import Holes, arrays_of, holes_inside, holes_of
from funmem.ir.logic.prove import NOTHING, Facts, in_range, nonneg
from funmem.ir.logic.shared import shared
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
    sub_bodies,
    walk,
)

DIVISIONS = (BinOp.DIV, BinOp.MOD, BinOp.QUOT, BinOp.REM)
QUOTIENTS = (BinOp.DIV, BinOp.QUOT)
"""Those of which the divisor times the result is no more than the dividend, if none is negative."""
FAR = 1 << 62
"""Two numbers up to this one in magnitude have a sum that i64 arithmetic does not wrap around."""


@frozen
class Known:
    """What is known at one place.

    ``types``, ``homes`` and ``values`` may also have names that are bound elsewhere.
    """

    facts: Facts = NOTHING
    types: Mapping[Name, Type] = field(factory=dict)
    homes: Mapping[Name, Home] = field(factory=dict)
    values: Mapping[Name, Size] = field(factory=dict)
    """The polynomials that ``let`` binds: equal modulo 2^64."""
    scalars: Mapping[Name, ScalarExp] = field(factory=dict)
    """The operators that ``let`` binds: what a condition is made of."""
    either: tuple[Var, ...] = ()
    """Asserted alternatives: which one holds may be known only further inside."""
    holes: Collection[Name] = frozenset()
    """Arrays in which an element may never have been written (:mod:`funmem.ir.logic.holes`)."""
    searched: frozenset[Name] = frozenset()
    """The names of which ``holes`` tells already, wherever they are bound."""
    whole: bool = False
    """There are no holes anywhere: the program has no ``scratch``."""

    # ------------------------------------------------------------------ scopes

    def binding(self, binders: Iterable[Binder[Ann]]) -> "Known":
        """These facts, where ``binders`` are in scope as well."""
        types, homes = shared(self.types), shared(self.homes)
        for b in binders:
            types = types.with_(b.name, b.type)
            if b.home is not None:
                homes = homes.with_(b.name, b.home)
        if types is self.types and homes is self.homes:
            return self
        return evolve(self, types=types, homes=homes)

    def with_nonneg(self, sizes: Iterable[Size]) -> "Known":
        """These facts, where no size among ``sizes`` is negative."""
        facts = self.facts
        for d in sizes:
            facts = facts.with_nonneg(d)
        return self if facts is self.facts else evolve(self, facts=facts)

    def assuming(self, polynomials: Iterable[Size]) -> "Known":
        """The same of polynomials as they are: what follows for single names is not looked for."""
        facts = self.facts
        for p in polynomials:
            facts = facts.assuming(p)
        return self if facts is self.facts else evolve(self, facts=facts)

    def after(self, s: Stm[Ann]) -> "Known":
        """These facts, after a statement."""
        known = self.binding(s.pat)
        match s.exp:
            case Bin() | Un() | Const() | Var() | Convert() as e:
                return known._after_scalar(s.pat[0], e)
            case Assert(cond):
                return known._asserting(cond)
            case If(cond, then, Body((), (Const(False),))) if len(s.pat) == 1:  # cond && …
                both = Bin(BinOp.LAND, cond, then.result[0])
                scalars = shared(known.scalars).with_(s.pat[0].name, both)
                return known if scalars is known.scalars else evolve(known, scalars=scalars)
            case Reshape(shape, x):  # has as many elements as before
                more = product(shape) - product(known.shape(x))
                known = known.with_nonneg(shape)
                facts = known.facts.assuming(more).assuming(-more)
                known = known if facts is known.facts else evolve(known, facts=facts)
                return known._searching(s)
            case e:
                return known.with_nonneg(_checked_sizes(e))._searching(s)

    def _asserting(self, cond: Atom) -> "Known":
        known = self.given(cond, True)
        match self.scalars.get(cond.name) if isinstance(cond, Var) else None:
            case Bin(BinOp.LOR):
                assert isinstance(cond, Var)
                return evolve(known, either=(*known.either, cond))
            case _:
                return known

    def _after_scalar(self, b: Binder[Ann], e: ScalarExp) -> "Known":
        """These facts, where ``b`` is bound to the value of an expression."""
        known = self
        if isinstance(e, Bin | Un):
            scalars = shared(self.scalars).with_(b.name, e)
            known = self if scalars is self.scalars else evolve(self, scalars=scalars)
        if b.type is not I64:
            return known
        match e:
            case Bin(op, Var() | Const() as x, Var() | Const() as y) if op in DIVISIONS:
                return known._after_division(b.name, op, x, y)
            case _:
                if (p := exp_size(e, self.values)) is None:
                    return known
                values = shared(self.values).with_(b.name, p)
                return known if values is known.values else evolve(known, values=values)

    def _after_division(self, q: Name, op: BinOp, x: Atom, y: Atom) -> "Known":
        """These facts, where ``q`` is what a division gives."""
        if not (self.nonneg(atom_size(x)) and self.nonneg(atom_size(y))):
            return self
        known = self.with_nonneg((var(q),))
        if op in QUOTIENTS and isinstance(y, Const) and y.value:
            facts = known.facts.assuming(atom_size(x) - atom_size(y) * var(q))
            return known if facts is known.facts else evolve(known, facts=facts)
        return known

    def _searching(self, s: Stm[Ann]) -> "Known":
        """These facts, with the arrays of a statement that may have holes."""
        if self.whole or arrays_of(s.pat) <= self.searched:
            return self
        bound = bound_in_stms((s,))
        return evolve(self, holes=holes_of((s,), self.holes), searched=self.searched | bound)

    def after_all(self, stms: Iterable[Stm[Ann]]) -> "Known":
        """These facts, after statements in order."""
        known = self
        for s in stms:
            known = known.after(s)
        return known

    def given(self, cond: Atom, truth: bool) -> "Known":
        """These facts, where a condition has turned out to be ``truth``."""
        facts = given(cond, truth, self.facts, self.scalars, self.types)
        return self if facts is self.facts else evolve(self, facts=facts)

    def iterating(self, dims: Iterable[tuple[Name, Size]]) -> "Known":
        """These facts, inside an iteration ``i < d, …``."""
        types, facts = shared(self.types), self.facts
        for i, d in dims:
            types = types.with_(i, I64)
            facts = facts.with_index(i, d)
        return evolve(self, types=types, facts=facts)

    def inside(self, e: Exp[Ann]) -> tuple["Known", ...]:
        """The facts at the start of each body of :func:`sub_bodies`, in its order."""
        match e:
            case Kernel(dims, _, _):
                body = self.iterating(_ranges(dims))
                for cond in self.either:
                    body = body.given(cond, True)
                outer = self.iterating(_ranges(dims[:-1]))
                ops = tuple(outer.binding(op.params)._searching_inside(e) for op in operators(e))
                return (*ops, body)
            case Loop(params, form, _):
                known = self.binding(p.binder for p in params)._searching_inside(e)
                if isinstance(form, For):
                    known = known.iterating(((form.index, form.bound),))
                return (known,)
            case If(cond):
                return self.given(cond, True), self.given(cond, False)
            case _:
                return tuple(self for _ in sub_bodies(e))

    def _searching_inside(self, e: Exp[Ann]) -> "Known":
        """These facts, with the parameters of a loop or an operator that may have holes."""
        if self.whole or arrays_of(inner_binders(e)) <= self.searched:
            return self
        return evolve(self, holes=holes_inside(e, self.holes))

    # ------------------------------------------------------------------ questions

    def indexes(self, i: Size, n: Size) -> bool:
        """Whether ``0 <= i < n``.

        The polynomials of names tell the index modulo 2^64.  It is that number if i64 arithmetic on
        the way to none of the names has wrapped, or if there is one name only, and it could not
        have wrapped without the index being far outside.
        """
        if in_range(i, n, self.facts):
            return True
        bound = [p for x in i.free() if (p := self.values.get(x)) is not None]
        known = self._shows_wrapping(i, n) or all(self._is_i64(p, n) for p in bound)
        return known and in_range(expanded(i, self.values), n, self.facts)

    def _shows_wrapping(self, i: Size, n: Size) -> bool:
        """Whether ``0 <= i < n`` for the polynomial of the only name in ``i`` says that it is i64.

        Of ``k*x + c`` it is between -c/k and (n - 1 - c)/k, and n, the length of an array, is less
        than 2^63: too far only if k is 1 or -1, and c less than -1.
        """
        if not one_name(i):
            return False
        (_, slope), *rest = i.terms  # the constant comes last
        return abs(slope) > 1 or all(c >= -1 for _, c in rest) or self.nonneg(FAR - n)

    def _is_i64(self, p: Size, n: Size) -> bool:
        """Whether a polynomial is a name, or lies between -2^62 and 2^62, or some name."""
        names = n.free().union(*(d.free() for _, d in self.facts.indices))
        tops = (const(FAR), *map(var, sorted(names)))
        return p.as_name is not None or (
            self.nonneg(p + FAR) and any(self.nonneg(top - p) for top in tops)
        )

    def nonneg(self, d: Size) -> bool:
        """Whether ``d >= 0``."""
        return nonneg(d, self.facts)

    def shape(self, x: Name) -> tuple[Size, ...]:
        """The shape of an array in scope."""
        t = self.types[x]
        return t.shape if isinstance(t, ArrayType) else ()


def one_name(i: Size) -> bool:
    """Whether an index is linear in one name, with small numbers.

    If i64 arithmetic has wrapped on the way to the name, the name's polynomial is no i64; put in
    the name's place it would make the index lie far outside of every array that fits into memory.
    """
    return len(i.free()) == 1 and all(len(m) <= 1 and abs(k) <= FAR for m, k in i.terms)


def of_entry(e: Entry[Ann]) -> Known:
    """What is known at the start of an entry point's body."""
    params = tuple(p.binder for p in e.params)
    sizes = (d for p in params if isinstance(p.type, ArrayType) for d in p.type.shape)
    known = Known().binding((*e.implicit, *params)).with_nonneg(sizes)
    if not any(isinstance(s.exp, Scratch) for s in walk(e.body)):
        return evolve(known, whole=True)
    return evolve(
        known, holes=Holes(lambda: holes_of(e.body.stms, ())), searched=bound_in_body(e.body)
    )


def _checked_sizes(e: Exp[Ann]) -> tuple[Size, ...]:
    """The sizes that an expression traps on if they are negative.

    The rows of an empty kernel's result are never made, so their sizes say nothing.
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
        case _:
            return ()


def _ranges(dims: Sequence[KernelDim]) -> tuple[tuple[Name, Size], ...]:
    return tuple((d.index, d.size) for d in dims)


# ---------------------------------------------------------------------- bounds


def upper_bound(d: Size, dims: Sequence[tuple[Name, Size]], known: Known) -> Size | None:
    """A size without the indices of ``dims`` that ``d`` does not exceed where ``i < n, …``.

    Each index is set to one end of its range, innermost first; None if neither end is provably
    the larger one.
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


def _never_negative(p: Size, i: Name, n: Size, inside: Known) -> bool:
    """Whether ``p >= 0`` for ``0 <= i < n``: linear in i, or concave, hence least at an end."""
    square = Size.from_terms({_without(m, i): k for m, k in p.terms if m.count(i) == 2})
    if max((m.count(i) for m, _ in p.terms), default=0) != 2:
        return inside.nonneg(p)
    ends = (p.subst({i: ZERO}), p.subst({i: n - 1}))
    return inside.nonneg(-square) and all(map(inside.nonneg, ends))


def _without(m: Monomial, i: Name) -> Monomial:
    return tuple(x for x in m if x != i)
