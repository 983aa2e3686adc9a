"""Relocation: some fresh arrays get other homes; everything else follows.

A pass that moves fresh arrays says where to (:data:`Placing`); all other homes are consequences
and are computed anew: derived arrays and consumed arrays by their rules (``derive``), results of
``if`` and ``loop`` from the arrays that reach them.

    let (b : mem) (o : i64) (z : [n]f32 @ b -> o + {(n : 1)}) =      z's block, offset, strides
      if c then … in (x_mem, 0, x) else … in (y_mem, off, y)

If x moves to ``i*n + {(n : 1)}``, its branch has to return ``i*n`` where it returned 0.  So each
component of z's home (block, offset, every stride) is settled for itself, in this order:

    agreed      all arms say the same, in terms known outside
    kept        what it was still describes every arm         (o is what each arm returns)
    returned    a new name for it is returned along by every arm

The arms of an ``if`` are its branches, those of a ``loop`` its initial values and its body's
results; a loop is settled by guessing and running through its body until all guesses hold, each
round giving up at least one.  So what never varies is found even where a loop's body says so only
if it holds (``if c then in (m, 0, x) else in (p_mem, p_off, p)``, p being the parameter).
Components that are no longer mentioned stay behind as dead results, for simplify to remove.

What ``let`` binds is an i64, and equal to a polynomial modulo 2^64 only.  An i64 that is equal to
an array's offset modulo 2^64 is the offset: this is one as well, since a block has no more bytes
(as is a stride between two elements; without elements an array lies anywhere).  A polynomial may be
another integer, and what is proved of places is about integers.  So what arms say in two ways is
said by a name or a constant, or returned.

A block variable that a pass does not move is never renamed.  Raises
:class:`~funmem.ir.logic.derive.Homeless` if a reshape has no index function any more, or what is
to be returned cannot be computed in i64.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from funmem.ir.arith import exp_size, expanded, is_i64, literal, says_itself, size_exp
from funmem.ir.fun import (
    Ann,
    Atom,
    Bin,
    Binder,
    Body,
    Const,
    Convert,
    Entry,
    Exp,
    Home,
    If,
    Index,
    Kernel,
    Loop,
    LoopParam,
    MemType,
    ScalarExp,
    Stm,
    Type,
    Un,
    Var,
)
from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.derive import Homeless, derived_lmad, in_place_of, source_of
from funmem.ir.logic.facts import Known, of_entry
from funmem.ir.logic.shared import Shared
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import (
    Mapper,
    atom_size,
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

Placing: TypeAlias = Callable[[Binder[Ann]], Home]
"""Where a fresh array (an operator's parameter included) shall live: its old home, or another."""

Part: TypeAlias = Name | Size
"""A component of a home: its block, or its offset or a stride."""


@frozen
class Scope:
    """Homes of the arrays in scope, what ``let`` binds, and which polynomials these are."""

    homes: Shared[Home]
    values: Shared[Size]
    lets: Shared[ScalarExp]

    @staticmethod
    def of(known: Known) -> "Scope":
        """The scope at a place of a program."""
        return Scope(Shared(known.homes), Shared(known.values), Shared(known.scalars))

    def binding(self, binders: Iterable[Binder[Ann]]) -> "Scope":
        homes = self.homes
        for b in binders:
            if b.home is not None:
                homes = homes.with_(b.name, b.home)
        return self if homes is self.homes else evolve(self, homes=homes)

    def after(self, s: Stm[Ann]) -> "Scope":
        match s:
            case Stm((b,), Const() | Var() | Bin() | Un() | Convert() as e) if b.type is I64:
                lets, values = self.lets.with_(b.name, e), self.values
                if (p := exp_size(e, values)) is not None:
                    values = values.with_(b.name, p)
                same = lets is self.lets and values is self.values
                return self if same else evolve(self, lets=lets, values=values)
            case _:
                return self.binding(s.pat)

    def expand(self, part: Part) -> Part:
        """A component in terms of what no ``let`` binds to a polynomial."""
        return expanded(part, self.values) if isinstance(part, Size) else part

    def bound(self, part: Part) -> Size | None:
        """The polynomial that ``let`` binds to a component that is a name."""
        e = self.lets.get(x) if isinstance(part, Size) and (x := part.as_name) else None
        return None if e is None else literal(e)


@frozen
class Arm:
    """One way to reach a pattern: the atoms returned, and the scope they are returned from."""

    result: tuple[Atom, ...]
    scope: Scope

    def home(self, j: int) -> Home:
        """Where the array at position ``j`` lives."""
        a = self.result[j]
        assert isinstance(a, Var)
        return self.scope.homes[a.name]

    def has(self, part: Part, said: Part) -> bool:
        """Whether ``said`` is a component, ``part``, of the home of an array of this arm."""
        if said == part:
            return True
        expand, bound = self.scope.expand, self.scope.bound
        return _is_i64(said) and (bound(said) == part or expand(said) == expand(part))


def relocate(b: Body[Ann], outside: Known, place: Placing, fresh: Fresh) -> Body[Ann]:
    """The body with fresh arrays where ``place`` says; ``outside`` knows the arrays in scope."""
    body, _ = _Relocation(place, fresh).body(b, Scope.of(outside))
    return body


def followed(b: Body[Ann], outside: Known, moved: Iterable[Name], fresh: Fresh) -> Body[Ann]:
    """The body in which everything follows from arrays ``moved``, which are at their new homes.

    All other homes must have followed from each other before: what none of ``moved`` reaches stays
    as it is.
    """
    body, _ = _Relocation(stay, fresh, set(moved)).body(b, Scope.of(outside))
    return body


def relocate_entry(e: Entry[Ann], fresh: Fresh, moved: Iterable[Name] | None = None) -> Entry[Ann]:
    """The entry point with all homes that follow from others computed anew; with ``moved``, those
    that follow from these arrays' (as in :func:`followed`).

    Array results still have to be row-major in blocks of their own; these are returned along.
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


# ---------------------------------------------------------------------- components of homes


def parts_of(h: Home) -> tuple[Part, ...]:
    """Block, offset, strides."""
    return (h.block, h.ix.offset, *h.ix.strides)


def _home(parts: Sequence[Part], like: Home) -> Home:
    """The home with these components and the lengths of ``like``."""
    block, offset, *strides = parts
    assert not isinstance(block, Size)
    sizes = [s for s in (offset, *strides) if isinstance(s, Size)]
    dims = tuple(Dim(d.len, s) for d, s in zip(like.ix.dims, sizes[1:], strict=True))
    return Home(block, Lmad(sizes[0], dims))


def _substituted(part: Part, pat: Sequence[Name], result: Sequence[Atom]) -> Part:
    """S(part), where S maps a pattern's names to the atoms returned for them."""
    image = dict(zip(pat, result, strict=True))
    if isinstance(part, Size):
        used = part.free() & image.keys()
        return part.subst({x: atom_size(image[x]) for x in used})
    a = image.get(part)
    return a.name if isinstance(a, Var) else part


def _mentions(part: Part, names: frozenset[Name]) -> bool:
    free = part.free() if isinstance(part, Size) else frozenset({part})
    return not free.isdisjoint(names)


# ---------------------------------------------------------------------- results of if and loop


@frozen
class Returned:
    """A component that every arm returns under a new name, before the array at ``position``."""

    position: int
    name: Name
    array: Name
    type: Type
    parts: tuple[Part, ...]
    """What each arm returns."""


class _Relocation:
    """The traversal: how fresh arrays are placed, the supply of names, and the arrays that may
    have moved so far, None if any may have.
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
        """Whether no array has moved that is bound or mentioned in the bodies of an expression."""
        moved = self.moved
        return moved is not None and all(
            moved.isdisjoint(bound_in_body(b)) and moved.isdisjoint(free_in_body(b))
            for b in sub_bodies(e)
        )

    def starts(self, e: Loop[Ann]) -> bool:
        """Whether a loop starts with arrays that have not moved."""
        inits = (p.init for p in e.params)
        moved = self.moved
        return moved is not None and not any(isinstance(a, Var) and a.name in moved for a in inits)

    def note(self, old: Iterable[Binder[Ann]], new: Iterable[Binder[Ann]]) -> None:
        """Which arrays have moved, of those that these binders bind before and after."""
        if self.moved is not None and old is not new:
            homes = {b.name: b.home for b in old}
            self.moved |= {b.name for b in new if homes.get(b.name) != b.home}

    def statement(self, s: Stm[Ann], scope: Scope) -> tuple[Stm[Ann], ...]:
        match s.exp:
            case Bin() | Var() | Const() | Un() | Convert() | Index():
                return (s,)
            case If() as e:
                return (s if self.untouched(e) else self.branches(s, e, scope),)
            case Loop() as e:
                return (s,) if self.untouched(e) and self.starts(e) else self.loop(s, e, scope)
            case e:
                return (with_parts(s, self.pattern(s, scope), self.inside(e, scope)),)

    def inside(self, e: Exp[Ann], scope: Scope) -> Exp[Ann]:
        """A kernel with its operator's parameters placed and its bodies relocated."""
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
        """Derived: by the rule.  In place: where the consumed array lives.  Fresh: as placed."""
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
                parts: list[Part] = []
                homes = [parts_of(arm.home(j)) for arm in arms]
                for old, *actual in zip(parts_of(b.home), *homes, strict=True):
                    part = _agreed(actual, arms, hidden)
                    part = part if part is not None else _kept(old, actual, names, arms)
                    if part is None:
                        new.append(self.returned(j, b, old, tuple(actual)))
                        part = _as_part(new[-1])
                    parts.append(part)
                b = with_home(b, _home(parts, b.home))
            pat.append(b)
        arms_now = (self.returning(b, k, new) for k, b in enumerate((then, orelse)))
        return with_parts(s, _inserted(pat, new, _binder), with_bodies(e, arms_now))

    def returned(self, j: int, b: Binder[Ann], old: Part, actual: tuple[Part, ...]) -> Returned:
        """A new result for a component of ``b``'s home."""
        if isinstance(old, Size):
            return Returned(j, self.fresh(f"{b.name}_at"), b.name, I64, actual)
        return Returned(j, self.fresh(f"{b.name}_mem"), b.name, MemType(), actual)

    def returning(self, b: Body[Ann], k: int, new: Sequence[Returned]) -> Body[Ann]:
        """The body of arm ``k`` that returns the new components as well."""
        if not new:
            return b
        stms, atoms = self.atoms(k, new)
        result = _inserted(b.result, new, lambda r: atoms[r.name])
        return evolve(b, stms=(*b.stms, *stms), result=result)

    def atoms(
        self, k: int, new: Sequence[Returned]
    ) -> tuple[tuple[Stm[Ann], ...], dict[Name, Atom]]:
        """The new components of arm ``k`` as atoms, and the statements that compute these."""
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
                and _kept(guess, (parts_of(again.home(j))[k],), names, (again,)) is None
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
        """The settled loop, with the new components among its parameters and results."""
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
                _home(
                    [_substituted(part, names, results) for part in parts_of(p.binder.home)],
                    Home(p.binder.home.block, _outer_lengths(b)),
                ),
            )
            for b, p in zip(pat, params, strict=True)
        )
        if added:
            e = Loop(params, e.form, body)
        return (*before, with_parts(s, pat, e))


Guesses: TypeAlias = dict[tuple[int, int], tuple[Part, ...]]
"""For component k of parameter j's home: what it may be in every iteration, best guess first."""


def _guesses(e: Loop[Ann], names: Sequence[Name], init: Arm) -> Guesses:
    """What it is initially, or else what it was if that fits initially."""
    guesses: Guesses = {}
    for j, p in enumerate(e.params):
        if p.binder.home is not None:
            starts = parts_of(init.home(j))
            olds = parts_of(p.binder.home)
            for k, (old, start) in enumerate(zip(olds, starts, strict=True)):
                fits = old != start and _kept(old, (start,), names, (init,)) is not None
                guesses[j, k] = (start, old) if fits else (start,)
    return guesses


def _guessed(p: LoopParam[Ann], j: int, guesses: Guesses) -> LoopParam[Ann]:
    """A parameter whose home is as first guessed."""
    home = p.binder.home
    if home is None:
        return p
    parts = [guesses[j, k][0] for k in range(len(parts_of(home)))]
    binder = with_home(p.binder, _home(parts, home))
    return p if binder is p.binder else evolve(p, binder=binder)


def _outer_lengths(b: Binder[Ann]) -> Lmad:
    assert b.home is not None
    return b.home.ix


def _kept(
    old: Part, actual: Sequence[Part], pat: Sequence[Name], arms: Sequence[Arm]
) -> Part | None:
    """``old``, if for every arm it is what the arm's array has."""
    images = (_substituted(old, pat, arm.result) for arm in arms)
    same = all(arm.has(p, q) for arm, p, q in zip(arms, actual, images, strict=True))
    return old if same else None


def _agreed(actual: Sequence[Part], arms: Sequence[Arm], hidden: frozenset[Name]) -> Part | None:
    """What all arms say, if it is said with names that are bound outside of them."""
    for said in (*actual, arms[0].scope.expand(actual[0])):
        outside = not _mentions(said, hidden)
        if outside and all(arm.has(p, said) for arm, p in zip(arms, actual, strict=True)):
            return said
    return None


def _is_i64(part: Part) -> bool:
    """Whether an offset or a stride is an i64, whatever the values of its names."""
    return isinstance(part, Size) and is_i64(part)


def _as_part(r: Returned) -> Part:
    return r.name if isinstance(r.type, MemType) else var(r.name)


def _binder(r: Returned) -> Binder[Ann]:
    return Binder(r.name, r.type, None)


T = TypeVar("T")


def _inserted(
    xs: Sequence[T], new: Sequence[Returned], make: Callable[[Returned], T]
) -> tuple[T, ...]:
    """``xs`` with something for every new component, in front of its array."""
    out: list[T] = []
    for j, x in enumerate(xs):
        out += [make(r) for r in new if r.position == j]
        out.append(x)
    return tuple(out)
