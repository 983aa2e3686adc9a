"""Branches and loops: constant conditions, trip counts of 0 and 1, and loop-invariant parameters.

    if true then b else c             b
    loop … for i < 1 do b             b, with i = 0
    if c then 1 else 0                i64(c), and so for all integers; of 0 and 1, i64(!c)
    if c then … in (m, 0, x) else … in (m, 0, y)
                                      block m and offset 0 leave the pattern; a polynomial that both
                                      branches return is computed after the branch
    loop (p = a) … do … in (p)        p is replaced by a; likewise if the body returns a, or an
                                      equal polynomial

This removes the redundant supporting information that ``allocate`` adds.  A pattern never becomes
empty: at least one position stays (dead.py removes the statement if it is dead as a whole).
"""

from collections.abc import Callable, Iterator, Sequence

from funmem.ir.arith import expanded, size_exp
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Bin,
    Binder,
    Body,
    Const,
    Convert,
    For,
    If,
    Loop,
    LoopParam,
    Stm,
    Un,
    Var,
    While,
)
from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.uninitialised import LazyNames, arrays_of
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, I64, INTS, ScalarType, UnOp
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import Mapper, atom_size, map_binder
from funmem.passes.fun.simplify.state import RunBody, Scope, State, small

RunStms = Callable[[Body[Ann], Scope], None]

# ---------------------------------------------------------------------- if


def conditional(
    st: State, s: Stm[Ann], e: If[Ann], scope: Scope, run: RunBody, run_stms: RunStms
) -> None:
    """Simplify an ``if``: one branch if the condition is constant, else without equal results."""
    cond = st.atom(e.cond)
    if isinstance(cond, Const) and _may_vanish(st, s.pat):
        _inline(st, s.pat, e.then if cond.value else e.orelse, scope, run_stms)
        return
    in_then = scope.inner(scope.known, (cond, True))
    in_else = scope.inner(scope.known, (cond, False))
    then, orelse = run(e.then, in_then), run(e.orelse, in_else)
    agreed = _Agreement(st, s.pat, cond, (then, orelse), (in_then.known, in_else.known))
    keep = agreed.replace_all(scope)
    flags = {j: f for j in keep if (f := agreed.flag(j)) is not None}
    if any(isinstance(s.pat[j].type, ArrayType) for j in keep):
        flags = {}  # a flag may be the offset of an array, and is returned along with it
    if len(flags) < len(keep) or not (then.stms or orelse.stms):
        keep = [j for j in keep if j not in flags]
        made = (Stm((s.pat[j],), f, s.at) for j, f in flags.items())
        run_stms(Body(tuple(made), (), s.at), scope)
    if flags and not keep:
        return
    st.emit(
        evolve(
            s,
            pat=tuple(agreed.binder(j) for j in keep),
            exp=If(cond, _returning(then, keep), _returning(orelse, keep)),
        ),
        scope,
    )


def _may_vanish(st: State, pat: Sequence[Binder[Ann]]) -> bool:
    """True if every array of a pattern may be replaced by another."""
    return not any(isinstance(b.type, ArrayType) and b.name in st.pinned for b in pat)


def _inline(
    st: State, pat: Sequence[Binder[Ann]], b: Body[Ann], scope: Scope, run_stms: RunStms
) -> None:
    """Inline a body in place of the statement that runs it exactly once."""
    run_stms(b, scope)
    for p, a in zip(pat, b.result, strict=True):
        st.replace(p, st.atom(a), scope)


def _returning(b: Body[Ann], keep: Sequence[int]) -> Body[Ann]:
    return _with_result(b, tuple(b.result[j] for j in keep))


def _with_result(b: Body[Ann], result: tuple[Atom, ...]) -> Body[Ann]:
    return b if result == b.result else evolve(b, result=result)


@frozen
class _Agreement:
    """The results on which both branches of an ``if`` agree."""

    st: State
    pat: Sequence[Binder[Ann]]
    cond: Atom
    branches: tuple[Body[Ann], Body[Ann]]
    known: tuple[PointFacts, PointFacts]
    """The facts at the end of each branch."""

    def replace_all(self, scope: Scope) -> list[int]:
        """Replace the results on which the branches agree; return the remaining positions."""
        st = self.st
        atoms = {j: a for j in self.candidates() if (a := self.scalar(j)) is not None}
        sums = {j: p for j in self.candidates() if j not in atoms and (p := self.sum(j))}
        arrays = {j: a for j in self.candidates() if (a := self.array(j)) is not None}
        if sums and len(sums) == len(self.pat):  # the pattern must not become empty
            sums.popitem()
        for j, a in atoms.items():
            st.replace(self.pat[j], a, scope)
        for j, p in sums.items():
            st.emit(Stm((self.pat[j],), size_exp(p), self.pat[j].at), scope)
        same = {j: a for j, a in arrays.items() if self.lies_at(j, a, scope.known)}
        for j, a in same.items():
            st.replace(self.pat[j], a, scope)
        rest = [j for j in range(len(self.pat)) if j not in {*atoms, *sums, *same}]
        return rest or sorted({*atoms, *same})[:1]

    def candidates(self) -> Iterator[int]:
        return (j for j, p in enumerate(self.pat) if p.name not in self.st.pinned)

    def common(self, j: int) -> Atom | None:
        """Return the atom from outside that both branches return; None if there is none."""
        a, b = (x.result[j] for x in self.branches)
        inner = isinstance(a, Var) and a.name in self.inside()
        return a if a == b and not inner else None

    def scalar(self, j: int) -> Atom | None:
        """Return the atom by which a scalar or block may be replaced; None if there is none."""
        p = self.pat[j]
        if isinstance(p.type, ArrayType):
            return None
        results = tuple(x.result[j] for x in self.branches)
        found = self.cond if results == _TRUE_FALSE else self.common(j)
        return None if found is None or self.st.must_stay(p.name, found) else found

    def flag(self, j: int) -> Convert | None:
        """Return the integer that the branches return if it is 1 or 0, as a conversion."""
        t = self.pat[j].type
        if not (isinstance(t, ScalarType) and t in INTS) or self.pat[j].name in self.st.pinned:
            return None
        match tuple(x.result[j] for x in self.branches):
            case (Const(1), Const(0)):
                return Convert(t, self.cond)
            case (Const(0), Const(1)):
                return Convert(t, Un(UnOp.LNOT, self.cond))
            case _:
                return None

    def sum(self, j: int) -> Size | None:
        """Return the polynomial over names from outside that both branches return, or None."""
        if self.pat[j].type is not I64:
            return None
        a, b = (
            self.st.unfold(x.result[j], k) for x, k in zip(self.branches, self.known, strict=True)
        )
        return a if a == b and a.free().isdisjoint(self.inside()) and small(a) else None

    def array(self, j: int) -> Var | None:
        """Return the array from outside that both branches return; None if there is none."""
        a = self.common(j) if isinstance(self.pat[j].type, ArrayType) else None
        return a if isinstance(a, Var) else None

    def lies_at(self, j: int, a: Var, known: PointFacts) -> bool:
        """True if the pattern's array has the home of ``a``."""
        home = self.st.binder(self.pat[j]).home
        return self.st.same_home(home, self.st.homes.get(a.name), known)

    def binder(self, j: int) -> Binder[Ann]:
        """Return a binder of the pattern, with those offsets and strides on which both branches'
        homes agree.

        An offset that is returned as well is less precise: computed in i64, it equals the
        polynomial in these homes only if the array has elements.
        """
        b = self.st.binder(self.pat[j])
        if b.home is None or b.name in self.st.pinned:
            return b
        then, orelse = (self.st.homes[a.name].ix for a in self.arrays_at(j))
        ix, dims = b.home.ix, zip(b.home.ix.dims, then.dims, orelse.dims, strict=True)
        offset = self.agreed(ix.offset, then.offset, orelse.offset)
        strides = (Dim(d.len, self.agreed(d.stride, p.stride, q.stride)) for d, p, q in dims)
        return evolve(b, home=evolve(b.home, ix=Lmad(offset, tuple(strides))))

    def arrays_at(self, j: int) -> Iterator[Var]:
        """Yield the arrays that the branches return at a position."""
        for b in self.branches:
            a = b.result[j]
            assert isinstance(a, Var)
            yield a

    def agreed(self, so_far: Size, p: Size, q: Size) -> Size:
        """Return an offset or stride of both branches over names from outside,
        or else ``so_far``.
        """
        return p if p == q and p.free().isdisjoint(self.inside()) else so_far

    def inside(self) -> frozenset[Name]:
        """Return the names that the branches bind."""
        return frozenset(p.name for b in self.branches for s in b.stms for p in s.pat)


_TRUE_FALSE = (Const(True, BOOL), Const(False, BOOL))


# ---------------------------------------------------------------------- loop


def loop(
    st: State, s: Stm[Ann], e: Loop[Ann], scope: Scope, run: RunBody, run_stms: RunStms
) -> None:
    """Simplify a loop: no iteration, one iteration, or a loop without invariant parameters."""
    init = tuple(st.atom(p.init) for p in e.params)
    form = For(e.form.index, st.size(e.form.bound)) if isinstance(e.form, For) else e.form
    binders = tuple(p.binder for p in e.params)
    times = _iterations(form, binders, init)
    if times is not None and _may_vanish(st, (*s.pat, *binders)):
        if times == 0:
            for p, a in zip(s.pat, init, strict=True):
                st.replace(p, a, scope)
            return
        for p, a in zip(binders, init, strict=True):
            st.replace(p, a, scope)
        if isinstance(form, For):
            st.replace(Binder(form.index, I64, None), Const(0, I64), scope)
        _inline(st, s.pat, e.body, scope, run_stms)
        return
    fixed = _Invariants(st, s.pat, e, init, scope).find()
    for j in fixed:
        st.replace(binders[j], init[j], scope)
    keep = [j for j in range(len(init)) if j not in fixed] or [*range(len(init))][:1]
    params = tuple(
        LoopParam(st.binder(binders[j]), init[j], e.params[j].unique and j not in fixed)
        for j in keep
    )
    st.note(p.binder for p in params)
    body = run(e.body, scope.inner(_inside(st, params, form, scope.known)))
    result = tuple(init[j] if j in fixed else body.result[j] for j in keep)
    body = _with_result(body, result)
    for j in fixed:
        st.replace(s.pat[j], init[j], scope)
    pat = tuple(st.binder(s.pat[j]) for j in keep)
    st.emit(evolve(s, pat=pat, exp=Loop(params, form, body)), scope)


def _iterations(
    form: For | While, params: Sequence[Binder[Ann]], init: Sequence[Atom]
) -> int | None:
    """Return the trip count if it is 0 or 1; None otherwise."""
    match form:
        case For(_, bound):
            k = bound.as_const
            return None if k is None or k > 1 else max(k, 0)
        case While(c):
            start = next(a for p, a in zip(params, init, strict=True) if p.name == c)
            return 0 if start == Const(False, BOOL) else None


def _inside(
    st: State, params: Sequence[LoopParam[Ann]], form: For | While, known: PointFacts
) -> PointFacts:
    """Return the facts in the body.  If the program has ``scratch``, every array parameter counts
    as uninitialised.
    """
    known = known.binding(p.binder for p in params)
    if st.uses.scratch:
        arrays = arrays_of(p.binder for p in params)
        outside = known.uninitialised
        known = evolve(known, uninitialised=LazyNames(lambda: arrays.union(outside)))
    return known.iterating(((form.index, form.bound),)) if isinstance(form, For) else known


class _Invariants:
    """Finds the parameters that have their initial value in every iteration."""

    def __init__(
        self,
        st: State,
        pat: Sequence[Binder[Ann]],
        e: Loop[Ann],
        init: Sequence[Atom],
        scope: Scope,
    ) -> None:
        self.st, self.pat, self.e, self.init, self.known = st, pat, e, init, scope.known
        self.values = _top_level_values(e.body)
        self.position = {p.binder.name: j for j, p in enumerate(e.params)}
        self.fixed: list[int] = []

    def find(self) -> list[int]:
        """Return the positions of invariant parameters; one may depend on another."""
        todo = [j for j in range(len(self.init)) if self.allowed(j)]
        while found := [j for j in todo if self.invariant(j)]:
            self.fixed += found
            todo = [j for j in todo if j not in found]
        return self.fixed

    def allowed(self, j: int) -> bool:
        b = self.e.params[j].binder
        if isinstance(self.e.form, While) and self.e.form.cond == b.name:
            return False
        return not any(self.st.must_stay(x, self.init[j]) for x in (b.name, self.pat[j].name))

    def invariant(self, j: int) -> bool:
        """True if the body returns parameter j itself, or its initial value."""
        b, a = self.e.params[j].binder, self.e.body.result[j]
        if b.type is I64:
            value = self.polynomial(a)
            return value in (var(b.name), self.st.unfold(self.init[j], self.known))
        if a != Var(b.name) and self.resolve(a) != self.init[j]:
            return False
        return not isinstance(b.type, ArrayType) or self.lies_there(j)

    def resolve(self, a: Atom) -> Atom:
        """Return a result of the body as an atom of the new program, outside
        the loop if possible.
        """
        if isinstance(a, Var) and (k := self.position.get(a.name)) in self.fixed and k is not None:
            return self.init[k]
        return self.st.atom(a)

    def polynomial(self, a: Atom) -> Size:
        """Return an i64 result of the body as a polynomial over outer names and
        other parameters.
        """
        p = expanded(atom_size(a), self.values)
        fixed = {self.e.params[k].binder.name: self.init[k] for k in self.fixed}
        params = {x: atom_size(b) for x, b in fixed.items() if self.is_i64(x)}
        return expanded(expanded(p.subst(params), self.st.sizes), self.known.values)

    def is_i64(self, x: Name) -> bool:
        return self.e.params[self.position[x]].binder.type is I64

    def lies_there(self, j: int) -> bool:
        """True if an array parameter has the home of its initial value."""
        b, a = self.e.params[j].binder, self.init[j]
        if b.home is None or not isinstance(a, Var):
            return b.home is None
        fixed = {self.e.params[k].binder.name: self.init[k] for k in self.fixed}
        blocks = {x: y.name for x, y in fixed.items() if isinstance(y, Var)}
        sizes = {x: atom_size(y) for x, y in fixed.items() if self.is_i64(x)}
        start = map_binder(
            b, Mapper(name=lambda x: blocks.get(x, x), size=lambda d: d.subst(sizes))
        )
        return self.st.same_home(self.st.binder(start).home, self.st.homes.get(a.name), self.known)


def _top_level_values(b: Body[Ann]) -> dict[Name, Size]:
    """Return the polynomials that the statements of a body bind."""
    scalars = (s for s in b.stms if isinstance(s.exp, Const | Var | Bin))
    return dict(PointFacts().after_all(scalars).values)
