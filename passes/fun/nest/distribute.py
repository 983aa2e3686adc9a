"""Loop distribution: a kernel whose body has several parts becomes one kernel per part (N3)."""

from collections.abc import Iterable, Sequence
from enum import Enum

from attrs import field

from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Binder,
    Body,
    Concat,
    Const,
    Copy,
    Exp,
    Index,
    Kernel,
    Loop,
    Map,
    Permute,
    Reverse,
    Slice,
    Stm,
    Type,
    Var,
)
from funmem.ir.logic.facts import PointFacts
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, evolve, frozen
from funmem.ir.scalars import BOOL
from funmem.ir.sizes import var
from funmem.ir.substitute import rename
from funmem.ir.traverse import free_in_body, free_in_stm, map_exp, with_exp, with_stms
from funmem.passes.fun.fuse.aliases import Aliases
from funmem.passes.fun.fuse.conditions import Refusal, consumed_by
from funmem.passes.fun.fuse.traps import NO_EFFECTS, Effects, bound_only, effects
from funmem.passes.fun.nest.conditions import (
    WORTH,
    again,
    consumes_own,
    counted,
    is_map,
    one_trap,
    operator_free,
    regular,
    regular_types,
    repeatable,
    types_nonneg,
)
from funmem.passes.fun.schedule.builder import of_rows
from funmem.passes.fun.schedule.fold import row_dims

Stms = tuple[Stm[Ann], ...]


class Kind(Enum):
    """What a part of a body becomes."""

    MAP = "a kernel of more dimensions"
    LOOP = "a loop around a kernel"
    CONCAT = "a concatenation of the arrays of all iterations"
    THREAD = "sequential code of a thread"


@define
class Part:
    """Statements that stay in one kernel."""

    kind: Kind
    stms: list[Stm[Ann]] = field(factory=list)
    effects: Effects = NO_EFFECTS

    def binders(self) -> list[Binder[Ann]]:
        """Return the binders of the statements."""
        return [b for s in self.stms for b in s.pat]


@frozen
class Plan:
    """The parts of a kernel's body in order, and the statements that are repeated where needed."""

    parts: tuple[Part, ...]
    repeated: tuple[Stm[Ann], ...]
    kept: tuple[tuple[Binder[Ann], ...], ...]
    """For each part the binders that later parts or the results use."""


def plan(outer: Kernel[Ann], known: PointFacts, aliases: Aliases) -> Plan | Refusal:
    """Return how to split a kernel, or why it is not split; ``known`` are the facts before it.

    Conditions: sizes of inner kernels and of stored values are the same in all iterations (2) and
    not negative (5), arrays are consumed in the part that makes them (6), the parts raise the same
    kind of trap (7), and there is parallelism to gain (8).
    """
    (inside,) = known.inside(outer)
    own = frozenset(d.index for d in outer.dims) | {p.name for s in outer.body.stms for p in s.pat}
    parts, repeated = _parts(outer, own, inside, aliases)
    if all(p.kind is Kind.THREAD for p in parts):
        return Refusal(WORTH, "no part of the body is a map")
    kept = _kept(outer, parts, repeated)
    for part, binders in zip(parts, kept, strict=True):
        no = (
            regular_types(binders, own)
            or types_nonneg(binders, known)
            or consumes_own(part.stms, aliases)
        )
        if no is not None:
            return no
    no = one_trap([p.effects for p in parts])
    return no or Plan(tuple(parts), tuple(repeated), kept)


def _parts(
    outer: Kernel[Ann], own: frozenset[Name], inside: PointFacts, aliases: Aliases
) -> tuple[list[Part], list[Stm[Ann]]]:
    """Return the parts of a body, and the statements that are repeated.

    Consecutive sequential statements are one part.  A cheap statement is repeated, unless it reads
    an array that the body consumes: then it must stay before the consumption.
    """
    indices = frozenset(d.index for d in outer.dims)
    consumed = {y for s in outer.body.stms for x in consumed_by(s) for y in aliases.of(x)}
    parts: list[Part] = []
    repeated: list[Stm[Ann]] = []
    for s in outer.body.stms:
        reads = {y for x in free_in_stm(s) for y in aliases.of(x)}
        if repeatable(s, inside) is None and reads.isdisjoint(consumed):
            repeated.append(s)
        else:
            kind = _kind(s, own, indices, parts)
            if not parts or kind is not Kind.THREAD or parts[-1].kind is not Kind.THREAD:
                parts.append(Part(kind))
            parts[-1].stms.append(s)
            parts[-1].effects |= effects(s, inside)
        # A repeated statement may precede the statement that shows that a size is not negative.
        inside = inside.after(s) if repeated[-1:] == [s] else bound_only(s, inside)
    return parts, repeated


def _kind(
    s: Stm[Ann], own: frozenset[Name], indices: frozenset[Name], parts: Sequence[Part]
) -> Kind:
    e = s.exp
    if isinstance(e, Concat):
        made = {b.name: p.kind for p in parts for b in p.binders()}
        kinds = [made.get(x) for x in e.xs]
        spread = Kind.MAP in kinds or Kind.CONCAT in kinds
        return Kind.CONCAT if spread and None not in kinds else Kind.THREAD
    if isinstance(e, Kernel) and is_map(s):
        no = regular(e, own) or operator_free(e, own - indices, indices)
        return Kind.THREAD if no else Kind.MAP
    if isinstance(e, Loop) and counted(s, own) is None:
        return Kind.LOOP
    return Kind.THREAD


def _kept(
    outer: Kernel[Ann], parts: Sequence[Part], repeated: Sequence[Stm[Ann]]
) -> tuple[tuple[Binder[Ann], ...], ...]:
    """Return the binders of each part that the results, later parts or repeated statements use."""
    needed = {a.name for a in outer.body.result if isinstance(a, Var)}
    kept: list[tuple[Binder[Ann], ...]] = []
    for part in reversed(parts):
        needed = _with_repeated(needed, repeated)
        kept.append(tuple(b for b in part.binders() if b.name in needed))
        needed |= free_in_body(Body(tuple(part.stms), ()))
    return tuple(reversed(kept))


def _with_repeated(names: Iterable[Name], repeated: Sequence[Stm[Ann]]) -> set[Name]:
    """Return the names, and those that the repeated statements computing them use."""
    found = set(names)
    for s in reversed(repeated):
        if any(p.name in found for p in s.pat):
            found |= free_in_stm(s)
    return found


def with_own_operands(outer: Kernel[Ann], known: PointFacts, fresh: Fresh) -> Kernel[Ann]:
    """Return the kernel where a concatenation of an inner map's result has copies for operands that
    are views or come from outside.  Then every operand is made in the kernel, and can be stored for
    all iterations.  ``known`` are the facts before the kernel.
    """
    if not any(isinstance(s.exp, Concat) for s in outer.body.stms):
        return outer
    types = {**known.types, **{b.name: b.type for s in outer.body.stms for b in s.pat}}
    maps = {p.name for s in outer.body.stms if is_map(s) for p in s.pat}
    made: dict[Name, Exp[Ann]] = {}
    stms: list[Stm[Ann]] = []
    for s in outer.body.stms:
        if isinstance(s.exp, Concat) and not maps.isdisjoint(s.exp.xs):
            xs: list[Name] = []
            for x in s.exp.xs:
                if x not in made or again(made[x]) is not None:
                    y: Binder[Ann] = Binder(fresh(x), types[x], None, s.at)
                    stms.append(Stm((y,), Copy(x), s.at))
                    x = y.name
                xs.append(x)
            s = with_exp(s, evolve(s.exp, xs=tuple(xs)))
            maps.add(s.pat[0].name)
        stms.append(s)
        made |= {p.name: s.exp for p in s.pat}
    return evolve(outer, body=with_stms(outer.body, stms))


# ---------------------------------------------------------------------- the kernels


class Distribute:
    """Makes the kernels of a plan."""

    def __init__(self, s: Stm[Ann], outer: Kernel[Ann], what: Plan, fresh: Fresh) -> None:
        self.s = s
        self.outer = outer
        self.plan = what
        self.fresh = fresh
        self.sizes = tuple(d.size for d in outer.dims)
        self.arrays: dict[Name, Binder[Ann]] = {}
        """For a name of the body: the array of its values in all iterations."""

    def kernels(self) -> list[tuple[Kind, Stm[Ann]]]:
        """Return one kernel per part, then one for the results that belong to no part, then copies
        of results that are returned twice or as views.
        """
        made = frozenset(b.name for bs in self.plan.kept for b in bs)
        result = self.outer.body.result
        first: dict[Name, Binder[Ann]] = {}
        rest: list[tuple[Binder[Ann], Atom]] = []
        copies: list[tuple[Binder[Ann], Name]] = []
        for b, a in zip(self.s.pat, result, strict=True):
            if not (isinstance(a, Var) and a.name in made):
                rest.append((b, a))
            elif a.name in first:
                copies.append((b, first[a.name].name))
            else:
                first[a.name] = b
        out: list[tuple[Kind, Stm[Ann]]] = []
        for part, kept in zip(self.plan.parts, self.plan.kept, strict=True):
            pat = [first.get(b.name) or self.expanded(b) for b in kept]
            results: tuple[Atom, ...] = tuple(Var(b.name) for b in kept)
            if not pat:  # the part matters for its traps only
                pat = [self.expanded(Binder(Name("done"), BOOL, None, self.s.at))]
                results = (Const(True, BOOL),)
            if part.kind is Kind.CONCAT and kept:
                out.append((part.kind, self.concat(pat[0], part.stms[0])))
            else:
                out.append((part.kind, self.kernel(tuple(pat), part.stms, results)))
            self.arrays.update((b.name, p) for b, p in zip(kept, pat, strict=False))
        turned = [(b, self.turned(a)) for b, a in rest]
        rest = [(b, a) for (b, a), (_, views) in zip(rest, turned, strict=True) if not views]
        if rest:
            pat = [b for b, _ in rest]
            out.append((Kind.THREAD, self.kernel(tuple(pat), [], tuple(a for _, a in rest))))
        for b, views in turned:
            out += [(Kind.THREAD, s) for s in views]
            copies += [(b, s.pat[0].name) for s in views[-1:]]
        return out + [(Kind.THREAD, Stm((b,), Copy(x), self.s.at)) for b, x in copies]

    def concat(self, y: Binder[Ann], s: Stm[Ann]) -> Stm[Ann]:
        """Return the concatenation of the arrays of all iterations."""
        assert isinstance(s.exp, Concat)
        xs = tuple(self.arrays[x].name for x in s.exp.xs)
        return Stm((y,), Concat(s.exp.dim + len(self.sizes), xs), self.s.at)

    def turned(self, a: Atom) -> list[Stm[Ann]]:
        """Return the statements of a view of all iterations' rows, if ``a`` is a view of one row
        with permuted or reversed dimensions; the empty list otherwise.
        """
        made = {s.pat[0].name: s for s in self.plan.repeated}
        chain: list[Stm[Ann]] = []
        while isinstance(a, Var) and isinstance((s := made.get(a.name)), Stm):
            if not isinstance(s.exp, Permute | Reverse):
                break
            chain.append(s)
            a = Var(s.exp.x)
        if not chain or not isinstance(a, Var) or a.name not in self.arrays:
            return []
        views: list[Stm[Ann]] = []
        x, outer = self.arrays[a.name].name, len(self.sizes)
        for s in reversed(chain):
            if isinstance(s.exp, Permute):
                all_ = (*range(outer), *(outer + k for k in s.exp.perm))
                exp: Exp[Ann] = Permute(all_, x)
            else:
                assert isinstance(s.exp, Reverse)
                dim = s.exp.dim
                exp = Reverse(outer + dim, x)
            y = self.expanded(s.pat[0])
            views.append(Stm((y,), exp, s.at))
            x = y.name
        return views

    def expanded(self, b: Binder[Ann]) -> Binder[Ann]:
        """Return the binder of the array of the values of ``b`` in all iterations."""
        return Binder(self.fresh(b.name), of_rows(b.type, *self.sizes), None, b.at)

    def kernel(
        self, pat: tuple[Binder[Ann], ...], stms: Sequence[Stm[Ann]], results: tuple[Atom, ...]
    ) -> Stm[Ann]:
        """Return the kernel of one part.  It reads the values that earlier parts have stored, and
        repeats cheap statements.  Names that occur in several kernels get fresh names in each.
        """
        needed = {a.name for a in results if isinstance(a, Var)}.union(*map(free_in_stm, stms))
        needed = _with_repeated(needed, self.plan.repeated)
        again = [s for s in self.plan.repeated if any(p.name in needed for p in s.pat)]
        own = frozenset(p.name for s in stms for p in s.pat)
        reads = [self.read(x, b) for x, b in self.arrays.items() if x in needed - own]
        names = {p.name: self.fresh(p.name) for s in (*reads, *again) for p in s.pat}
        names |= {d.index: self.fresh(d.index) for d in self.outer.dims}
        mine = {id(s) for s in (*again, *stms)}
        in_order = tuple(s for s in self.outer.body.stms if id(s) in mine)
        body = Body((*reads, *in_order), results, self.outer.body.at)
        kernel: Exp[Ann] = Kernel(self.outer.dims, Map(), body)
        return Stm(pat, map_exp(kernel, rename(names)), self.s.at)

    def read(self, x: Name, b: Binder[Ann]) -> Stm[Ann]:
        """Return ``let x = xs[i, …]``, an element or a row."""
        index = tuple(var(d.index) for d in self.outer.dims)
        assert isinstance(b.type, ArrayType)
        t = _row(b.type, len(index))
        exp: Exp[Ann] = Index(b.name, index)
        if isinstance(t, ArrayType):
            exp = Slice(b.name, row_dims(t, *index))
        return Stm((Binder(x, t, None, self.s.at),), exp, self.s.at)


def _row(t: ArrayType, outer: int) -> Type:
    return ArrayType(t.elem, t.shape[outer:]) if t.rank > outer else t.elem
