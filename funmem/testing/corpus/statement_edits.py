"""Edits of one statement: other operators, operands, constants and places; less, twice, elsewhere.

An edit proposes; whether the mutant is a program the checker says (:mod:`.mutants`).
"""

import random
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Atom,
    Bin,
    Binder,
    Body,
    Concat,
    Const,
    Convert,
    Copy,
    Exp,
    FlatSlice,
    If,
    Index,
    Iota,
    Loop,
    MemType,
    Replicate,
    Reverse,
    Scratch,
    Slice,
    Stm,
    Type,
    Update,
    Var,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, SliceDim
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp, ScalarType, bin_result, is_exact, normalise
from funmem.ir.sizes import ONE, Size, const, var
from funmem.ir.traverse import (
    Mapper,
    bound_in_stms,
    free_in_stm,
    map_exp,
    rename,
    sub_bodies,
    subst_stm,
    walk,
    with_exp,
)
from funmem.testing.corpus.sites import Edits, Site, Sites
from funmem.testing.generator.producers import safe_operators
from funmem.testing.reduce.edit import Edit

FAR = (1 << 61, 1 << 62, (1 << 63) - 1, -(1 << 62), -(1 << 63))
"""Numbers of which sums and products wrap around, or those with element sizes.  No array of so many
elements is ever made: nobody tries to.
"""

Change: TypeAlias = Callable[[Sites, random.Random, Fresh], Edits | None]
"""Proposes edits; None where there is nothing to change."""


# ---------------------------------------------------------------------- parts of an expression


def _kth_size(e: Exp[Ann], k: int, new: Callable[[Size], Size]) -> Exp[Ann]:
    """The expression with its k-th size replaced."""
    count = iter(range(1 << 30))
    return map_exp(e, Mapper(size=lambda s: new(s) if next(count) == k else s))


def _sizes_of(e: Exp[Ann]) -> int:
    count = 0

    def size(s: Size) -> Size:
        nonlocal count
        count += 1
        return s

    map_exp(e, Mapper(size=size))
    return count


def other_size(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """An index, an offset, a stride or a bound is one more or less, or another number in scope."""
    q = sites.some(rng, lambda q: _sizes_of(q.stm.exp) > 0 and not isinstance(q.stm.exp, Alloc))
    if q is None:
        return None
    known = q.scalars(I64)

    def new(s: Size) -> Size:
        kind = rng.random()
        if kind < 0.5:
            return s + rng.choice((-1, 1))
        if kind < 0.6:
            return -s
        if kind < 0.8 and known:
            x = var(rng.choice(known))
            return rng.choice((x, s + x, s - x, x - 1 - s))
        return const(rng.choice((0, 1, 2)))

    exp = _kth_size(q.stm.exp, rng.randrange(_sizes_of(q.stm.exp)), new)
    return {q.number: Edit((with_exp(q.stm, exp),))}


def other_atom(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """An operand is another name in scope of its type, or a constant near to it."""
    q = sites.some(rng, lambda q: not isinstance(q.stm.exp, Alloc))
    if q is None:
        return None
    total = len(_operands(q.stm.exp))
    if not total:
        return None
    chosen, count = rng.randrange(total), iter(range(total))

    def atom(a: Atom) -> Atom:
        return _other(a, q, rng) if next(count) == chosen else a

    def name(x: Name) -> Name:
        if next(count) != chosen:
            return x
        t = q.types.get(x)
        return rng.choice(q.arrays(t)) if isinstance(t, ArrayType) else x

    exp = map_exp(q.stm.exp, Mapper(atom=atom, name=name))
    return None if exp == q.stm.exp else {q.number: Edit((with_exp(q.stm, exp),))}


def _operands(e: Exp[Ann]) -> list[Atom]:
    """The names and atoms of an expression itself."""
    found: list[Atom] = []

    def atom(a: Atom) -> Atom:
        found.append(a)
        return a

    def name(x: Name) -> Name:
        found.append(Var(x))
        return x

    map_exp(e, Mapper(atom=atom, name=name))
    return found


def _other(a: Atom, q: Site, rng: random.Random) -> Atom:
    t: Type | None = a.type if isinstance(a, Const) else q.types.get(a.name)
    if isinstance(t, ArrayType):
        return Var(rng.choice(q.arrays(t)))
    if not isinstance(t, ScalarType):
        return a
    known = q.scalars(t)
    if known and rng.random() < 0.6:
        return Var(rng.choice(known))
    return _constant(a, t, rng)


def _constant(a: Atom, t: ScalarType, rng: random.Random) -> Const:
    if isinstance(a, Const) and t.is_int and rng.random() < 0.7:
        return Const(normalise(int(a.value) + rng.choice((-1, 1)), t), t)
    if t is ScalarType.BOOL:
        return Const(rng.random() < 0.5, t)
    if t.is_float:
        return Const(normalise(rng.choice((0.0, -0.0, 1.0, 2.0, -1.5)), t), t)
    k = rng.choice((0, 1, 2, 3)) if rng.random() < 0.9 else rng.choice((t.min, t.max))
    return Const(k, t)


def other_operator(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """Another operator, with a result of the same type, or the operands swapped."""
    q = sites.some(rng, lambda q: isinstance(q.stm.exp, Bin))
    if q is None or not isinstance(e := q.stm.exp, Bin):
        return None
    if rng.random() < 0.3:
        return {q.number: Edit((with_exp(q.stm, Bin(e.op, e.b, e.a)),))}
    t = _type_of(e.a, q)
    if t is None:
        return None
    result = bin_result(e.op, t)
    ops = [op for op in BinOp if bin_result(op, t) is result and is_exact(op, t)]
    if rng.random() < 0.8 and result is t:
        ops = safe_operators(t)
    return {q.number: Edit((with_exp(q.stm, Bin(rng.choice(ops), e.a, e.b)),))}


def _type_of(e: Exp[Ann], q: Site) -> ScalarType | None:
    """The type of a scalar expression, where a leaf says it."""
    match e:
        case Const(_, t):
            return t
        case Var(x):
            t2 = q.types.get(x)
            return t2 if isinstance(t2, ScalarType) else None
        case Convert(to):
            return to
        case Bin(op, a, _):
            t3 = _type_of(a, q)
            return None if t3 is None else bin_result(op, t3)
        case _:
            return None


def other_slice(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """A range backwards, or every second element, or all from the same place on."""
    q = sites.some(
        rng,
        lambda q: (
            isinstance(q.stm.exp, Slice | FlatSlice)
            or (isinstance(q.stm.exp, Update) and any(map(_is_range, _parts(q.stm.exp))))
        ),
    )
    if q is None:
        return None
    e = q.stm.exp
    new: Exp[Ann]
    match e:
        case Slice(x, dims):
            new = Slice(x, _ranges(dims, q, rng))
        case FlatSlice(x, offset, flat):
            offset, flat = _flat(offset, flat, rng)
            new = FlatSlice(x, offset, flat)
        case Update(x, Lmad(offset, flat), value):
            offset, flat = _flat(offset, flat, rng)
            new = Update(x, Lmad(offset, flat), value)
        case Update(x, where, value) if not isinstance(where, Lmad):
            new = Update(x, _ranges(where, q, rng), value)
        case _:
            return None
    return {q.number: Edit((with_exp(q.stm, new),))}


def _parts(e: Update) -> tuple[SliceDim | Dim, ...]:
    return e.where.dims if isinstance(e.where, Lmad) else e.where


def _is_range(d: SliceDim | Dim) -> bool:
    return not isinstance(d, DimFix)


def _ranges(dims: tuple[SliceDim, ...], q: Site, rng: random.Random) -> tuple[SliceDim, ...]:
    k = rng.randrange(len(dims))
    return tuple(_range(d, q, rng) if j == k else d for j, d in enumerate(dims))


def _range(d: SliceDim, q: Site, rng: random.Random) -> SliceDim:
    if isinstance(d, DimFix):
        known = q.scalars(I64)
        x = var(rng.choice(known)) if known and rng.random() < 0.4 else const(rng.randrange(3))
        return DimFix(rng.choice((d.at + 1, d.at - 1, x)))
    match rng.randrange(4):
        case 0 | 1:
            return DimRange(d.start + (d.len - 1) * d.stride, d.len, -d.stride)
        case 2:
            return DimRange(d.start + rng.choice((-1, 1)), d.len, d.stride)
        case _:
            return DimRange(d.start, d.len, d.stride * rng.choice((0, 2, 2)))


def _flat(offset: Size, dims: tuple[Dim, ...], rng: random.Random) -> tuple[Size, tuple[Dim, ...]]:
    k = rng.randrange(len(dims))
    d = dims[k]
    match rng.randrange(4):
        case 0 | 1:
            offset, d = offset + (d.len - 1) * d.stride, Dim(d.len, -d.stride)
        case 2:
            offset = offset + rng.choice((-1, 1))
        case _:
            d = Dim(d.len, rng.choice((d.stride + 1, d.stride - 1, d.stride * 2, ONE)))
    return offset, (*dims[:k], d, *dims[k + 1 :])


# ---------------------------------------------------------------------- statements


def dropped(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """A statement less: for what it binds stands something else in scope."""
    q = sites.some(rng, lambda q: not isinstance(q.stm.exp, Alloc))
    if q is None:
        return None
    image: dict[Name, Atom] = {}
    for b in q.stm.pat:
        same = [x for x, t in q.types.items() if t == b.type and not isinstance(t, MemType)]
        if same:
            image[b.name] = Var(rng.choice(same))
        elif isinstance(b.type, ScalarType):
            image[b.name] = _constant(Var(b.name), b.type, rng)
        else:
            return None
    return {q.number: Edit((), image)}


def twice(sites: Sites, rng: random.Random, fresh: Fresh) -> Edits | None:
    """A statement twice, and what follows uses what the second one binds."""
    q = sites.some(rng, lambda q: bool(q.stm.pat) and not isinstance(q.stm.exp, Alloc))
    if q is None:
        return None
    names = {x: fresh(x) for x in bound_in_stms((q.stm,))}
    m = rename(names)
    again = Stm(tuple(m.binder(p) for p in q.stm.pat), map_exp(q.stm.exp, m), q.stm.at)
    first = {p.name: Var(names[p.name]) for p in q.stm.pat}
    order = (again, q.stm) if rng.random() < 0.5 else (q.stm, again)
    if rng.random() < 0.5:
        return _later(q, order, first, rng)
    return {q.number: Edit(order)}


def _later(
    q: Site, stms: tuple[Stm[Ann], ...], image: Mapping[Name, Atom], rng: random.Random
) -> Edits:
    """These statements; one of the later statements uses other names, or all that follows does."""
    rest = q.body.stms[q.position + 1 :]
    users = [k for k, s in enumerate(rest) if _mentions(s, image)]
    if not users or rng.random() < 0.3:
        return {q.number: Edit(stms)}
    chosen = rng.choice(users)
    number = _number(q, chosen + 1)
    return {q.number: Edit(stms), number: Edit((subst_stm(rest[chosen], image),))}


def _mentions(s: Stm[Ann], image: Mapping[Name, Atom]) -> bool:
    return bool(free_in_stm(s) & image.keys())


def moved(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """A statement before the one that it stood behind, or further up."""
    q = sites.some(rng, lambda q: q.position + 1 < len(q.body.stms))
    if q is None:
        return None
    steps = min(rng.choice((1, 1, 2, 3)), len(q.body.stms) - q.position - 1)
    last = q.body.stms[q.position + steps]
    return {q.number: Edit((last, q.stm)), _number(q, steps): Edit(())}


def _number(q: Site, steps: int) -> int:
    """The number of the statement of the same body that is so many behind a place."""
    between = q.body.stms[q.position : q.position + steps]
    return q.number + sum(1 + sum(map(_inside, sub_bodies(s.exp))) for s in between)


def _inside(b: Body[Ann]) -> int:
    return sum(1 for _ in walk(b))


def copied(sites: Sites, rng: random.Random, fresh: Fresh) -> Edits | None:
    """A copy of an array in between: one that a statement made, or that it is about to use."""
    q = sites.some(rng, lambda q: len(q.stm.pat) == 1 and _is_array(q.stm.pat[0]))
    if q is None:
        return None
    (b,) = q.stm.pat
    assert isinstance(b.type, ArrayType)
    inner, kind = fresh(b.name), rng.randrange(3)
    first = Stm((evolve(b, name=inner),), q.stm.exp, q.stm.at)
    if kind == 2:
        return {q.number: Edit((first, Stm((b,), Copy(inner))))}
    d, there = rng.randrange(b.type.rank), fresh(b.name)
    turned: Stm[Ann] = Stm((Binder(there, b.type, None),), Reverse(d, inner))
    last: Exp[Ann] = Reverse(d, there) if kind == 0 else Copy(there)
    return {q.number: Edit((first, turned, Stm((b,), last)))}


def _is_array(b: Binder[Ann]) -> bool:
    return isinstance(b.type, ArrayType)


def instead_of_copy(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """What is copied itself, where that is allowed."""
    q = sites.some(rng, lambda q: isinstance(q.stm.exp, Copy))
    if q is None or not isinstance(q.stm.exp, Copy):
        return None
    return {q.number: Edit((), {q.stm.pat[0].name: Var(q.stm.exp.x)})}


def other_condition(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """The branches change places."""
    q = sites.some(rng, lambda q: isinstance(q.stm.exp, If))
    if q is None or not isinstance(e := q.stm.exp, If):
        return None
    return {q.number: Edit((with_exp(q.stm, If(e.cond, e.orelse, e.then)),))}


def other_order(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """The parts of a concatenation in another order, or results of a loop exchanged."""
    q = sites.some(rng, lambda q: isinstance(q.stm.exp, Concat | Loop))
    if q is None:
        return None
    match q.stm.exp:
        case Concat(d, xs):
            return {q.number: Edit((with_exp(q.stm, Concat(d, tuple(rng.sample(xs, len(xs))))),))}
        case Loop(params, form, body) if len(params) > 1:
            i, j = rng.sample(range(len(params)), 2)
            result = list(body.result)
            result[i], result[j] = result[j], rng.choice((result[i], result[j]))
            new = Loop(params, form, evolve(body, result=tuple(result)))
            return {q.number: Edit((with_exp(q.stm, new),))}
        case _:
            return None


def unwritten(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """An array that nobody has written yet, in place of one that was."""
    q = sites.some(rng, lambda q: isinstance(q.stm.exp, Replicate | Iota | Copy | ArrayLit))
    if q is None:
        return None
    (b,) = q.stm.pat
    assert isinstance(b.type, ArrayType)
    return {q.number: Edit((with_exp(q.stm, Scratch(b.type.shape, b.type.elem)),))}


def _in_sizes(e: Exp[Ann]) -> frozenset[Name]:
    """The names in an expression's own sizes."""
    used: set[Name] = set()

    def size(s: Size) -> Size:
        used.update(s.free())
        return s

    map_exp(e, Mapper(size=size))
    return frozenset(used)


def detour(sites: Sites, rng: random.Random, fresh: Fresh) -> Edits | None:
    """A number by way of one that is far from it, or from everything: ``a = x + 2^62``, and
    ``a - 2^62`` for ``x``.  On the way i64 arithmetic may wrap around, where sizes do not.
    """
    q = sites.some(rng, lambda q: isinstance(q.stm.exp, Index | Slice | Update | Iota | Replicate))
    if q is None:
        return None
    known = sorted(_in_sizes(q.stm.exp).intersection(q.scalars(I64)))
    if not known:
        return None
    x, far = rng.choice(known), rng.choice(FAR)
    a = fresh(x)
    image = {x: var(a) - far}
    exp = map_exp(q.stm.exp, Mapper(size=lambda s: s.subst(image)))
    there: Stm[Ann] = Stm((Binder(a, I64, None),), Bin(BinOp.ADD, Var(x), Const(far, I64)))
    return {q.number: Edit((there, with_exp(q.stm, exp)))}


CHANGES: Mapping[str, tuple[Change, float]] = MappingProxyType(
    {
        "size": (other_size, 2.0),
        "atom": (other_atom, 3.0),
        "operator": (other_operator, 1.0),
        "slice": (other_slice, 2.0),
        "dropped": (dropped, 1.0),
        "twice": (twice, 1.0),
        "moved": (moved, 1.5),
        "copied": (copied, 1.5),
        "not copied": (instead_of_copy, 0.5),
        "condition": (other_condition, 0.3),
        "order": (other_order, 1.0),
        "unwritten": (unwritten, 0.5),
        "detour": (detour, 0.5),
    }
)
"""The changes, and how likely each is."""
