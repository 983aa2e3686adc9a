"""Forward traversal: copies, constants, common subexpressions, homes of derived arrays.

    let m = n            every use of m becomes n
    let k = 2 * 3        every use of k becomes 6
    let k = i + 1        in sizes k becomes i + 1, if i + 1 provably does not wrap around
    let b = a            equal expressions get one name; fresh arrays only in FUN, and only if none
                         of them is updated in place
    assert c             a repeated assertion is removed
    x[0 : n]             becomes x, like every derived array that equals its source
    copy x               in FUN, becomes x if x is not a derived array (whose layout differs) and
                         neither the copy nor x is updated in place

Homes of derived arrays are computed again by the typing rules, which must hold exactly.
"""

from funmem.ir.arith import MAX_TERMS, exp_size, expanded, scalar_type
from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Bin,
    Body,
    Call,
    Collective,
    Compound,
    Const,
    Convert,
    Copy,
    DerivedArray,
    Entry,
    Exp,
    FlatSlice,
    FreshArray,
    Hist,
    Home,
    If,
    Index,
    InPlace,
    Kernel,
    Lambda,
    Linkage,
    Loop,
    Map,
    Opaque,
    Permute,
    RaggedKernel,
    Reduce,
    Reshape,
    Reverse,
    Scalar,
    ScalarExp,
    Scan,
    Scratch,
    Slice,
    Stm,
    Un,
    Var,
)
from funmem.ir.lmad import DimRange
from funmem.ir.logic.branches import truth
from funmem.ir.logic.derive import Homeless, derived_lmad, in_place_of, source_of
from funmem.ir.logic.facts import PointFacts, checked_sizes, of_entry
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, normalise
from funmem.ir.sizes import ONE, ZERO, Size
from funmem.ir.traverse import map_exp, size_atom
from funmem.passes.fun.simplify import control
from funmem.passes.fun.simplify.refusals import NOT_UPDATED, SAME_SIZE, Refusals
from funmem.passes.fun.simplify.scalars import decide, exact, fits, fold
from funmem.passes.fun.simplify.state import (
    Again,
    Scope,
    State,
    require_lengths,
    seen_through,
    small,
    with_home,
)
from funmem.passes.fun.simplify.uses import Uses, uses_of


def forward(e: Entry[Ann], pinned: frozenset[Name], refusals: Refusals) -> Entry[Ann]:
    """Return an entry point after one traversal; raise :class:`Again` if it must be repeated with
    more names in ``pinned``, which are not substituted.
    """
    walker = _Forward(State.of(e, uses_of(e), pinned), refusals)
    return evolve(e, body=walker.body(e.body, Scope(of_entry(e))))


def same_size(q: Size, known: PointFacts) -> str | None:
    """(2) A name equals its polynomial ``q`` in a size: in a length, where wrapping around would be
    observable, and in a home, because passes use the polynomials to prove places disjoint.
    """
    if not fits(q, known.facts):
        return f"{q} may exceed i64: sizes are exact, and arithmetic wraps around"
    return None


def not_updated(x: Name, uses: Uses) -> str | None:
    """(3) No array that shares elements with ``x`` is updated in place."""
    return f"{x} is updated in place" if uses.updated(x) else None


class _Forward:
    """The traversal: each method adds the statements that replace a statement to the scope."""

    def __init__(self, state: State, refusals: Refusals) -> None:
        self.state = state
        self.refusals = refusals

    def body(self, b: Body[Ann], scope: Scope) -> Body[Ann]:
        """Return a simplified body, itself if nothing changes; ``scope`` is its own."""
        self.stms(b, scope)
        new = Body(tuple(scope.out), tuple(map(self.state.atom, b.result)), b.at)
        return b if new == b else new

    def stms(self, b: Body[Ann], scope: Scope) -> None:
        """Add the simplified statements of a body to a scope."""
        for s in b.stms:
            self.stm(s, scope)

    def stm(self, s: Stm[Ann], scope: Scope) -> None:
        """Add a simplified statement to a scope."""
        st = self.state
        match s.exp:
            case If() as e:
                control.conditional(st, s, e, scope, self.body, self.stms)
                return
            case Loop() as e:
                control.loop(st, s, e, scope, self.body, self.stms)
                return
            case (
                Scalar()
                | Index()
                | DerivedArray()
                | FreshArray()
                | InPlace()
                | Kernel()
                | RaggedKernel()
                | Assert()
                | Alloc()
                | Opaque()
            ):
                exp = map_exp(s.exp, st.mapper)
                require_lengths(checked_sizes(s.exp), checked_sizes(exp))
        match exp:
            case Const() | Var() | Bin() | Un() | Convert():
                self.scalar(s, exp, scope)
            case Call() if len(s.pat) != 1 or exp.linkage is Linkage.EFFECT:
                st.emit(evolve(s, exp=exp), scope)
            case Call() | Index():
                self.shared(evolve(s, exp=exp), scope)
            case DerivedArray():
                self.derived(s, exp, scope)
            case FreshArray():
                self.fresh(evolve(s, exp=exp, pat=tuple(map(st.binder, s.pat))), scope)
            case InPlace():
                home = st.homes.get(in_place_of(exp)[0])
                st.emit(
                    with_home(evolve(s, exp=exp, pat=tuple(map(st.binder, s.pat))), home), scope
                )
            case Opaque():
                st.emit(evolve(s, exp=exp, pat=tuple(map(st.binder, s.pat))), scope)
            case Kernel():
                self.kernel(s, exp, scope)
            case RaggedKernel():
                self.ragged_kernel(s, exp, scope)
            case Assert(Const(value)) if value:
                return
            case Assert(Var() as cond) if scope.known.holds(cond):
                return
            case Assert(Var(x)):
                holds = Assert(Var(x), "", ())
                if holds not in scope.table:  # otherwise it is a repetition
                    scope.table[holds] = x
                    st.emit(evolve(s, exp=exp), scope)
            case Assert() | Alloc():
                st.emit(evolve(s, exp=exp), scope)
            case If() | Loop():
                raise AssertionError("handled above")

    # ------------------------------------------------------------------ scalars

    def scalar(self, s: Stm[Ann], e: ScalarExp, scope: Scope) -> None:
        """Simplify a scalar: a constant, a copy, an expression that has a name, or a new one.

        Definitions are followed only for conditions in branches, which repeat those around them,
        and for comparisons with constants, such as whether an index is negative.
        """
        st, (b,) = self.state, s.pat
        types, facts = scope.known.types, scope.known.facts
        e = decide(fold(e, types), facts, types)
        e = self.widened(e, scope) if isinstance(e, Convert) and b.type is I64 else e
        if isinstance(e, Bin) and b.type is BOOL and (scope.branches or isinstance(e.b, Const)):
            given = scope.given()
            value = truth(e, given.facts, given.scalars, types)
            e = e if value is None else Const(value, BOOL)
        p = exp_size(e) if b.type is I64 else None
        key: Size | ScalarExp = e
        if p is not None:
            key = expanded(p, scope.known.values)
            e = _atom_of(key) or e
        if isinstance(e, Const | Var):
            st.replace(b, e, scope)
        elif (y := scope.table.get(key)) is not None:
            st.replace(b, Var(y), scope)
        else:
            scope.table[key] = b.name
            if p is not None:
                self.fold_size(s, p, scope)
            st.emit(evolve(s, exp=e), scope)

    def widened(self, e: Convert, scope: Scope) -> ScalarExp:
        """Return the i64 that a conversion to i64 restores, if no bits were lost; else ``e``."""
        narrow = self.state.defined(e.a.name) if isinstance(e.a, Var) else None
        if not isinstance(narrow, Convert):
            return e
        source = map_exp(narrow, self.state.mapper)
        assert isinstance(source, Convert)
        if scalar_type(source.a, scope.known.types) is not I64:
            return e
        return exact(e, source, scope.known.facts)

    def fold_size(self, s: Stm[Ann], p: Size, scope: Scope) -> None:
        """Replace a name by ``p`` in sizes if both are provably equal; a refusal is recorded if the
        name occurs in a length.
        """
        st, x = self.state, s.pat[0].name
        if x in st.pinned or x in st.uses.returned:
            return
        q = p.subst_within(st.sizes, MAX_TERMS)
        if q is None or not small(q):
            return
        why = same_size(q, scope.known)
        if why is None:
            st.sizes[x] = q
        elif x in st.uses.lengths:
            self.refusals.note(s, SAME_SIZE, why)

    # ------------------------------------------------------------------ arrays

    def shared(self, s: Stm[Ann], scope: Scope) -> None:
        """Add an expression, or replace it by an earlier equal one."""
        (b,) = s.pat
        y = scope.table.get(s.exp)
        if y is not None and b.name not in self.state.pinned:
            self.state.replace(b, Var(y), scope)
        else:
            scope.table[s.exp] = b.name
            self.state.emit(s, scope)

    def derived(self, s: Stm[Ann], e: Exp[Ann], scope: Scope) -> None:
        """Add a derived array with the home that its rule computes, or replace it by its source."""
        st = self.state
        s = evolve(s, exp=e, pat=tuple(map(st.binder, s.pat)))
        x = source_of(e)
        source = st.homes.get(x) if x is not None else None
        if (
            x is not None
            and _is_identity(e, scope.known.shape(x))
            and (source is None or derived_lmad(e, source.ix) == source.ix)
            and s.pat[0].name not in st.pinned
        ):
            st.replace(s.pat[0], Var(x), scope)
            return
        if source is not None:
            s = with_home(s, self.derived_home(s, source, scope))
        self.shared(s, scope)

    def derived_home(self, s: Stm[Ann], source: Home, scope: Scope) -> Home:
        """Return the home that the rule computes.  A reshape may have two index functions, and the
        rule chooses by the form of its source's.  If substitution changes the choice, the names are
        pinned.
        """
        (b,) = s.pat
        ix = derived_lmad(s.exp, source.ix)
        if isinstance(s.exp, Reshape) and b.home is not None:
            known = scope.known
            if ix is None or seen_through(ix, known) != seen_through(b.home.ix, known):
                self.pin_chain(b.name)
        if ix is None:
            raise Homeless(b.name)
        return Home(source.block, ix)

    def pin_chain(self, x: Name) -> None:
        """Pin all names from which a derived array's index function was computed."""
        st = self.state
        names = set(st.chain(x))
        for y in tuple(names):
            if (home := st.was_at.get(y)) is not None:
                names |= home.ix.free()
        if not names <= st.pinned:
            raise Again(names)

    def fresh(self, s: Stm[Ann], scope: Scope) -> None:
        """Add a fresh array; in FUN, replace it by an equal one if neither is updated."""
        st, (b,) = self.state, s.pat
        if st.in_memory or isinstance(s.exp, Scratch):
            st.emit(s, scope)
            return
        source = s.exp.x if isinstance(s.exp, Copy) and not self.laid_out(s.exp.x) else None
        twin = source or scope.table.get(s.exp)
        why = not_updated(b.name, st.uses)
        if source is not None:
            why = why or not_updated(source, st.uses)
        if twin is not None and why is None:
            st.replace(b, Var(twin), scope)
            return
        if twin is not None and why is not None:
            self.refusals.note(s, NOT_UPDATED, why)
        if why is None:
            scope.table[s.exp] = b.name
        st.emit(s, scope)

    def laid_out(self, x: Name) -> bool:
        """True if the layout of ``x`` may differ from that of a copy."""
        e = self.state.defined(x)
        return e is not None and (source_of(e) is not None or isinstance(e, If | Loop))

    # ------------------------------------------------------------------ kernels

    def kernel(self, s: Stm[Ann], e: Kernel[Ann], scope: Scope) -> None:
        """Simplify a kernel; the index of a dimension of length 1 becomes 0."""
        st = self.state
        for d in e.dims:
            if d.size == ONE and d.index not in st.pinned:
                st.image[d.index] = Const(0, I64)
                st.sizes[d.index] = ZERO
        *ops, inside = scope.known.inside(e)
        collective = self.collective(e.collective, [scope.inner(k) for k in ops])
        body = self.body(e.body, scope.inner(inside))
        pat = [st.binder(b) for b in s.pat]
        for j, x in enumerate(in_place_of(e)):
            pat[j] = evolve(pat[j], home=st.homes.get(x))
        st.emit(evolve(s, pat=tuple(pat), exp=Kernel(e.dims, collective, body)), scope)

    def ragged_kernel(self, s: Stm[Ann], e: RaggedKernel[Ann], scope: Scope) -> None:
        """Simplify a kernel over rows."""
        *ops, inside = scope.known.inside(e)
        collective = self.fold(e.collective, [scope.inner(k) for k in ops])
        body = self.body(e.body, scope.inner(inside))
        pat = tuple(map(self.state.binder, s.pat))
        exp = RaggedKernel(e.row, e.index, e.offsets, e.total, collective, body)
        self.state.emit(evolve(s, pat=pat, exp=exp), scope)

    def collective(self, c: Collective[Ann], scopes: list[Scope]) -> Collective[Ann]:
        """Return a collective with its operator's body simplified."""
        match c:
            case Hist(dest, op, ne):
                return Hist(dest, self.operator(op, scopes[0]), ne)
            case Map() | Reduce() | Scan():
                return self.fold(c, scopes)

    def fold(
        self, c: Map | Reduce[Ann] | Scan[Ann], scopes: list[Scope]
    ) -> Map | Reduce[Ann] | Scan[Ann]:
        """The same for a collective without destinations."""
        match c:
            case Map():
                return c
            case Reduce(op, ne, comm):
                return Reduce(self.operator(op, scopes[0]), ne, comm)
            case Scan(op, ne):
                return Scan(self.operator(op, scopes[0]), ne)

    def operator(self, op: Lambda[Ann], scope: Scope) -> Lambda[Ann]:
        """Return an operator with its body simplified; its parameters are mapped already."""
        self.state.note(op.params)
        return Lambda(op.params, self.body(op.body, scope))


def _is_identity(e: Exp[Ann], shape: tuple[Size, ...]) -> bool:
    """True if a derived array equals its source, which has the given shape."""
    match e:
        case Slice(_, dims):
            return dims == tuple(DimRange(ZERO, n, ONE) for n in shape)
        case Permute(perm):
            return perm == tuple(range(len(shape)))
        case Reshape(new):
            return new == shape
        case Reverse() | FlatSlice():
            return False
        case Scalar() | Index() | FreshArray() | InPlace() | Compound() | Assert() | Alloc():
            return False


def _atom_of(p: Size) -> Const | Var | None:
    """Return a polynomial that is a constant (modulo 2^64) or a name as an atom; None otherwise."""
    if (k := p.as_const) is not None:
        return Const(normalise(k, I64), I64)
    a = size_atom(p)
    return a if isinstance(a, Var) else None
