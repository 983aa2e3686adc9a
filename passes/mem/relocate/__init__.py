"""Relocation: some fresh arrays get other homes, and all other homes follow from these.

A pass that moves fresh arrays states their new homes (:data:`Placing`).  All other homes are
consequences and are computed anew: those of derived arrays and consumed arrays by their rules
(``derive``), those of results of ``if`` and ``loop`` from the arrays that reach them.

    let (b : mem) (o : i64) (z : [n]f32 @ b -> o + {(n : 1)}) =      z's block, offset, strides
      if c then … in (x_mem, 0, x) else … in (y_mem, off, y)

If x moves to ``i*n + {(n : 1)}``, its branch must return ``i*n`` instead of 0.  Each component of
z's home (block, offset, every stride) is determined separately, by the first of these rules that
applies:

    agreed      all arms have the same value, expressed with names from outside
    kept        the former expression still describes every arm      (o is what each arm returns)
    returned    every arm returns the component under a new name

The arms of an ``if`` are its branches.  Those of a ``loop`` are its initial values and its body's
results.  A loop is solved by fixed-point iteration: components are guessed and the body is
traversed until all guesses hold; each round drops at least one guess.  So an invariant component is
found even if the loop's body preserves it only under this assumption (``if c then in (m, 0, x) else
in (p_mem, p_off, p)``, p being the parameter). Components that are no longer mentioned remain as
dead results, which simplify removes.

A name that ``let`` binds is an i64, and equals a polynomial only modulo 2^64.  An i64 that equals
an array's offset modulo 2^64 is the offset: the offset fits into i64 too, since no block has more
bytes.  The same holds for a stride between two elements; an array without elements may lie
anywhere. A polynomial, however, may be a different integer, and proofs about addresses are about
integers. So a component that the arms express in different ways becomes a name or a constant, or is
returned.

A block variable that a pass does not move is never renamed.  Raises
:class:`~funmem.ir.logic.derive.Homeless` if a reshape no longer has an index function, or if a
component to be returned cannot be computed in i64.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from funmem.ir.arith import says_itself, size_exp
from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Atom,
    Binder,
    Body,
    DerivedArray,
    Entry,
    Exp,
    FreshArray,
    Home,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    LoopParam,
    MemType,
    Opaque,
    RaggedKernel,
    Scalar,
    Stm,
    Type,
    Var,
)
from funmem.ir.lmad import Lmad
from funmem.ir.logic.derive import Homeless, derived_lmad, in_place_of, source_of
from funmem.ir.logic.facts import PointFacts, of_entry
from funmem.ir.names import Fresh, Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import (
    Mapper,
    bound_in_body,
    free_in_body,
    inner_binders,
    kept,
    map_exp,
    map_sub_bodies,
    size_atom,
    sub_bodies,
    with_bodies,
    with_home,
    with_parts,
    with_stms,
)
from funmem.passes.mem.relocate.components import (
    Arm,
    Component,
    Scope,
    agreed_component,
    home_of,
    kept_component,
    parts_of,
    substituted,
)

Placing: TypeAlias = Callable[[Binder[Ann]], Home]
"""Function from a fresh array or an operator's parameter to its home: the old one or another."""


def relocate(b: Body[Ann], outside: PointFacts, place: Placing, fresh: Fresh) -> Body[Ann]:
    """Return the body with fresh arrays at their homes by ``place``; ``outside`` has the arrays in
    scope.
    """
    body, _ = _Relocation(place, fresh).body(b, Scope.of(outside))
    return body


def followed(b: Body[Ann], outside: PointFacts, moved: Iterable[Name], fresh: Fresh) -> Body[Ann]:
    """Return the body in which all homes follow from those of the arrays ``moved``, which are up to
    date.

    All homes must have been consistent before: arrays that do not depend on ``moved`` keep theirs.
    """
    body, _ = _Relocation(stay, fresh, set(moved)).body(b, Scope.of(outside))
    return body


def relocate_entry(e: Entry[Ann], fresh: Fresh, moved: Iterable[Name] | None = None) -> Entry[Ann]:
    """Return the entry point with all homes that follow from others computed anew; with ``moved``,
    only those that follow from these arrays' homes (as in :func:`followed`).

    Array results must still be row-major in blocks of their own; the blocks are returned with them.
    """
    relocation = _Relocation(stay, fresh, None if moved is None else set(moved))
    body, end = relocation.body(e.body, Scope.of(of_entry(e)))
    binders = (*e.implicit_results, *e.results)
    blocks = {
        b.home.block: Var(end.homes[a.name].block)
        for b, a in zip(binders, body.result, strict=True)
        if b.home is not None and isinstance(a, Var)
    }
    result = (blocks.get(b.name, a) for b, a in zip(binders, body.result, strict=True))
    return evolve(e, body=evolve(body, result=tuple(result)))


def stay(b: Binder[Ann]) -> Home:
    """The :data:`Placing` that leaves every fresh array where it is."""
    assert b.home is not None
    return b.home


# ---------------------------------------------------------------------- results of if and loop


@frozen
class Returned:
    """A component that every arm returns under a new name, before the array at ``position``."""

    position: int
    name: Name
    array: Name
    type: Type
    parts: tuple[Component, ...]
    """The component as each arm has it."""


class _Relocation:
    """The traversal.  ``moved`` holds the arrays whose homes may have changed so far; None: any may
    have.
    """

    def __init__(self, place: Placing, fresh: Fresh, moved: set[Name] | None = None) -> None:
        self.place = place
        self.fresh = fresh
        self.moved = moved

    def body(self, b: Body[Ann], scope: Scope) -> tuple[Body[Ann], Scope]:
        stms: list[Stm[Ann]] = []
        for s in b.stms:
            for t in self.statement(s, scope):
                stms.append(t)
                scope = scope.after(t)
            self.note(s.pat, stms[-1].pat)
        return with_stms(b, stms), scope

    def untouched(self, e: Exp[Ann]) -> bool:
        """True if no array that is bound or mentioned in the bodies of an expression has moved."""
        moved = self.moved
        return moved is not None and all(
            moved.isdisjoint(bound_in_body(b)) and moved.isdisjoint(free_in_body(b))
            for b in sub_bodies(e)
        )

    def starts_unmoved(self, e: Loop[Ann]) -> bool:
        """True if no initial value of a loop has moved."""
        inits = (p.init for p in e.params)
        moved = self.moved
        return moved is not None and not any(isinstance(a, Var) and a.name in moved for a in inits)

    def note(self, old: Iterable[Binder[Ann]], new: Iterable[Binder[Ann]]) -> None:
        """Record the arrays whose homes differ between ``old`` and ``new``."""
        if self.moved is not None and old is not new:
            homes = {b.name: b.home for b in old}
            self.moved |= {b.name for b in new if homes.get(b.name) != b.home}

    def statement(self, s: Stm[Ann], scope: Scope) -> tuple[Stm[Ann], ...]:
        match s.exp:
            case Scalar() | Index():
                return (s,)
            case If() as e:
                return (s if self.untouched(e) else self.branches(s, e, scope),)
            case Loop() as e:
                return (
                    (s,) if self.untouched(e) and self.starts_unmoved(e) else self.loop(s, e, scope)
                )
            case (
                (DerivedArray() | FreshArray() | InPlace() | Kernel())
                | (Opaque() | Assert() | Alloc())
            ) as e:
                return (with_parts(s, self.pattern(s, scope), self.inside(e, scope)),)
            case RaggedKernel():
                raise unscheduled()

    def inside(self, e: Exp[Ann], scope: Scope) -> Exp[Ann]:
        """Return a kernel with its operator's parameters placed and its bodies relocated."""
        if not isinstance(e, Kernel) or self.untouched(e):
            return e
        params = {p.name: self.placed(p) for p in inner_binders(e)}
        scope = scope.binding(params.values())
        if any(params[p.name] is not p for p in inner_binders(e)):
            self.note(inner_binders(e), params.values())
            e = map_exp(e, Mapper(binder=lambda b: params.get(b.name, b)))
        return map_sub_bodies(e, lambda b: self.body(b, scope)[0])

    def placed(self, b: Binder[Ann]) -> Binder[Ann]:
        return b if b.home is None else with_home(b, self.place(b))

    def pattern(self, s: Stm[Ann], scope: Scope) -> tuple[Binder[Ann], ...]:
        """Return the pattern with new homes: of a derived array by its rule, of an array updated in
        place that of the consumed array, of a fresh array by ``place``.
        """
        x = source_of(s.exp)
        if x is not None:
            source = scope.homes[x]
            ix = derived_lmad(s.exp, source.ix)
            if ix is None:
                raise Homeless(s.pat[0].name)
            return (with_home(s.pat[0], Home(source.block, ix)),)
        consumed = in_place_of(s.exp)
        moved = tuple(with_home(b, scope.homes[c]) for b, c in zip(s.pat, consumed, strict=False))
        return (*moved, *map(self.placed, s.pat[len(moved) :]))

    # ------------------------------------------------------------------ if

    def branches(self, s: Stm[Ann], e: If[Ann], scope: Scope) -> Stm[Ann]:
        then, then_scope = self.body(e.then, scope)
        orelse, else_scope = self.body(e.orelse, scope)
        arms = (Arm(then.result, then_scope), Arm(orelse.result, else_scope))
        hidden = bound_in_body(then) | bound_in_body(orelse)
        names = [b.name for b in s.pat]
        pat: list[Binder[Ann]] = []
        new: list[Returned] = []
        for j, b in enumerate(s.pat):
            if b.home is not None:
                parts: list[Component] = []
                homes = [parts_of(arm.home(j)) for arm in arms]
                for old, *actual in zip(parts_of(b.home), *homes, strict=True):
                    part = agreed_component(actual, arms, hidden)
                    part = part if part is not None else kept_component(old, actual, names, arms)
                    if part is None:
                        new.append(self.returned(j, b, old, tuple(actual)))
                        part = _as_part(new[-1])
                    parts.append(part)
                b = with_home(b, home_of(parts, b.home))
            pat.append(b)
        arms_now = (self.returning(b, k, new) for k, b in enumerate((then, orelse)))
        return with_parts(s, _inserted(pat, new, _binder), with_bodies(e, arms_now))

    def returned(
        self, j: int, b: Binder[Ann], old: Component, actual: tuple[Component, ...]
    ) -> Returned:
        """Return a new result for a component of ``b``'s home."""
        if isinstance(old, Size):
            return Returned(j, self.fresh(f"{b.name}_at"), b.name, I64, actual)
        return Returned(j, self.fresh(f"{b.name}_mem"), b.name, MemType(), actual)

    def returning(self, b: Body[Ann], k: int, new: Sequence[Returned]) -> Body[Ann]:
        """Return the body of arm ``k`` with the new components among its results."""
        if not new:
            return b
        stms, atoms = self.atoms(k, new)
        result = _inserted(b.result, new, lambda r: atoms[r.name])
        return evolve(b, stms=(*b.stms, *stms), result=result)

    def atoms(
        self, k: int, new: Sequence[Returned]
    ) -> tuple[tuple[Stm[Ann], ...], dict[Name, Atom]]:
        """Return the new components of arm ``k`` as atoms, and the statements that compute
        these.
        """
        stms: list[Stm[Ann]] = []
        atoms: dict[Name, Atom] = {}
        for r in new:
            part = r.parts[k]
            if isinstance(part, Size) and not says_itself(part):
                raise Homeless(r.array)
            a = size_atom(part) if isinstance(part, Size) else Var(part)
            if a is None:
                assert isinstance(part, Size)
                b: Binder[Ann] = Binder(self.fresh(r.name), I64, None)
                stms.append(Stm((b,), size_exp(part)))
                a = Var(b.name)
            atoms[r.name] = a
        return tuple(stms), atoms

    # ------------------------------------------------------------------ loop

    def loop(self, s: Stm[Ann], e: Loop[Ann], scope: Scope) -> tuple[Stm[Ann], ...]:
        init = Arm(tuple(p.init for p in e.params), scope)
        names = [p.binder.name for p in e.params]
        guesses = _guesses(e, names, init)
        new: dict[tuple[int, int], Returned] = {}
        while True:
            params = kept(e.params, (_guessed(p, j, guesses) for j, p in enumerate(e.params)))
            if params is not e.params:
                self.note((p.binder for p in e.params), (p.binder for p in params))
            body, inner = self.body(e.body, scope.binding(p.binder for p in params))
            again = Arm(body.result, inner)
            wrong = [
                (j, k)
                for (j, k), (guess, *_) in guesses.items()
                if (j, k) not in new
                and kept_component(guess, (parts_of(again.home(j))[k],), names, (again,)) is None
            ]
            if not wrong:
                same = params is e.params and body is e.body
                loop = e if same else Loop(params, e.form, body)
                return self.closed(s, loop, new, init, again)
            for j, k in wrong:
                guesses[j, k] = guesses[j, k][1:]
                if not guesses[j, k]:
                    start = parts_of(init.home(j))[k]
                    new[j, k] = self.returned(j, params[j].binder, start, (start, start))
                    guesses[j, k] = (_as_part(new[j, k]),)

    def closed(
        self,
        s: Stm[Ann],
        e: Loop[Ann],
        new: Mapping[tuple[int, int], Returned],
        init: Arm,
        again: Arm,
    ) -> tuple[Stm[Ann], ...]:
        """Return the solved loop with the new components among its parameters and results."""
        added = [
            evolve(r, parts=(parts_of(init.home(j))[k], parts_of(again.home(j))[k]))
            for (j, k), r in sorted(new.items())
        ]
        before, starts = self.atoms(0, added)
        body = self.returning(e.body, 1, added)
        params = _inserted(e.params, added, lambda r: LoopParam(_binder(r), starts[r.name]))
        outer = {r.name: evolve(r, name=self.fresh(r.name)) for r in added}
        pat = _inserted(s.pat, added, lambda r: _binder(outer[r.name]))
        names = [p.binder.name for p in params]
        results = [Var(b.name) for b in pat]
        pat = tuple(
            b
            if p.binder.home is None
            else with_home(
                b,
                home_of(
                    [substituted(part, names, results) for part in parts_of(p.binder.home)],
                    Home(p.binder.home.block, _outer_lengths(b)),
                ),
            )
            for b, p in zip(pat, params, strict=True)
        )
        if added:
            e = Loop(params, e.form, body)
        return (*before, with_parts(s, pat, e))


Guesses: TypeAlias = dict[tuple[int, int], tuple[Component, ...]]
"""(j, k) -> the guesses for component k of parameter j's home, an invariant of the loop; best
first.
"""


def _guesses(e: Loop[Ann], names: Sequence[Name], init: Arm) -> Guesses:
    """Guess the initial value of each component, then the former one if it describes the initial
    value.
    """
    guesses: Guesses = {}
    for j, p in enumerate(e.params):
        if p.binder.home is not None:
            starts = parts_of(init.home(j))
            olds = parts_of(p.binder.home)
            for k, (old, start) in enumerate(zip(olds, starts, strict=True)):
                fits = old != start and kept_component(old, (start,), names, (init,)) is not None
                guesses[j, k] = (start, old) if fits else (start,)
    return guesses


def _guessed(p: LoopParam[Ann], j: int, guesses: Guesses) -> LoopParam[Ann]:
    """Return a parameter whose home consists of the first guesses."""
    home = p.binder.home
    if home is None:
        return p
    parts = [guesses[j, k][0] for k in range(len(parts_of(home)))]
    binder = with_home(p.binder, home_of(parts, home))
    return p if binder is p.binder else evolve(p, binder=binder)


def _outer_lengths(b: Binder[Ann]) -> Lmad:
    assert b.home is not None
    return b.home.ix


def _as_part(r: Returned) -> Component:
    return r.name if isinstance(r.type, MemType) else var(r.name)


def _binder(r: Returned) -> Binder[Ann]:
    return Binder(r.name, r.type, None)


T = TypeVar("T")


def _inserted(
    xs: Sequence[T], new: Sequence[Returned], make: Callable[[Returned], T]
) -> tuple[T, ...]:
    """Return ``xs`` with ``make(r)`` for every new component r, in front of its array."""
    out: list[T] = []
    for j, x in enumerate(xs):
        out += [make(r) for r in new if r.position == j]
        out.append(x)
    return tuple(out)
