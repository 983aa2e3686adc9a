"""Edits of one statement: change its operators, operands, constants or sizes; remove, duplicate or
move it.

An edit may be ill typed; the checker decides (:mod:`.mutants`).
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
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Compound,
    Concat,
    Const,
    Convert,
    Copy,
    DerivedArray,
    Exp,
    FlatSlice,
    FreshArray,
    If,
    Index,
    InPlace,
    Iota,
    Loop,
    MemType,
    Replicate,
    Reverse,
    Scalar,
    ScalarExp,
    Scratch,
    Slice,
    Stm,
    Type,
    Un,
    Update,
    Var,
)
from funmem.ir.lmad import (
    Dim,
    DimFix,
    DimRange,
    Lmad,
    Part,
    SliceDim,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp, ScalarType, bin_result, is_exact, normalise
from funmem.ir.sizes import ONE, Size, const, var
from funmem.ir.substitute import rename, subst_stm
from funmem.ir.traverse import (
    Mapper,
    bound_in_stms,
    free_in_stm,
    map_exp,
    sub_bodies,
    walk,
    with_exp,
)
from funmem.testing.corpus.sites import Edits, Site, Sites
from funmem.testing.generator.scalars import safe_operators
from funmem.testing.reduce.edit import Edit

FAR = (1 << 61, 1 << 62, (1 << 63) - 1, -(1 << 62), -(1 << 63))
"""Numbers whose sums and products wrap around, also with element sizes.  An array of so many
elements is never allocated.
"""

Change: TypeAlias = Callable[[Sites, random.Random, Fresh], Edits | None]
"""Proposes edits; None if there is nothing to change."""


# ---------------------------------------------------------------------- parts of an expression


def _kth_size(e: Exp[Ann], k: int, new: Callable[[Size], Size]) -> Exp[Ann]:
    """Return the expression with its k-th size replaced."""
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
    """Change an index, offset, stride or bound by one, or to another number in scope."""
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
    """Replace an operand by a name in scope of its type, or by a constant close to it."""
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
    """Return the names and atoms of an expression, outside its bodies."""
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
    """Replace an operator by one with the same result type, or swap the operands."""
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


def _type_of(e: ScalarExp, q: Site) -> ScalarType | None:
    """Return the type of a scalar expression, or None if its leaves do not determine it."""
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
        case Un():
            return None


def other_slice(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """Reverse a range, shift it, or change its stride."""
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
        case Update(x, where, value):
            new = Update(x, _part(where, q, rng), value)
        case (
            Scalar()
            | Index()
            | DerivedArray()
            | FreshArray()
            | InPlace()
            | Compound()
            | Assert()
            | Alloc()
        ):
            return None
    return {q.number: Edit((with_exp(q.stm, new),))}


def _parts(e: Update) -> tuple[SliceDim | Dim, ...]:
    return e.where.dims if isinstance(e.where, Lmad) else e.where


def _part(where: Part, q: Site, rng: random.Random) -> Part:
    return (
        Lmad(*_flat(where.offset, where.dims, rng))
        if isinstance(where, Lmad)
        else _ranges(where, q, rng)
    )


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
    """Remove a statement: other names in scope or constants replace the names that it binds."""
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
    """Duplicate a statement; one later statement may use the names of the copy."""
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
    """Replace a statement; one of the later statements may use other names."""
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
    """Move a later statement in front of an earlier one."""
    q = sites.some(rng, lambda q: q.position + 1 < len(q.body.stms))
    if q is None:
        return None
    steps = min(rng.choice((1, 1, 2, 3)), len(q.body.stms) - q.position - 1)
    last = q.body.stms[q.position + steps]
    return {q.number: Edit((last, q.stm)), _number(q, steps): Edit(())}


def _number(q: Site, steps: int) -> int:
    """Return the number of the statement ``steps`` later in the same body."""
    between = q.body.stms[q.position : q.position + steps]
    return q.number + sum(1 + sum(map(_inside, sub_bodies(s.exp))) for s in between)


def _inside(b: Body[Ann]) -> int:
    return sum(1 for _ in walk(b))


def copied(sites: Sites, rng: random.Random, fresh: Fresh) -> Edits | None:
    """Insert a copy or two reversals between an array's computation and its uses."""
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
    """Replace the copy of an array by the array itself."""
    q = sites.some(rng, lambda q: isinstance(q.stm.exp, Copy))
    if q is None or not isinstance(q.stm.exp, Copy):
        return None
    return {q.number: Edit((), {q.stm.pat[0].name: Var(q.stm.exp.x)})}


def other_condition(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """Swap the branches of a conditional."""
    q = sites.some(rng, lambda q: isinstance(q.stm.exp, If))
    if q is None or not isinstance(e := q.stm.exp, If):
        return None
    return {q.number: Edit((with_exp(q.stm, If(e.cond, e.orelse, e.then)),))}


def other_order(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """Permute the parts of a concatenation, or swap two results of a loop."""
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
        case (
            Scalar()
            | Index()
            | DerivedArray()
            | FreshArray()
            | InPlace()
            | Compound()
            | Assert()
            | Alloc()
        ):
            return None


def unwritten(sites: Sites, rng: random.Random, _fresh: Fresh) -> Edits | None:
    """Replace an initialised array by an uninitialised one."""
    q = sites.some(rng, lambda q: isinstance(q.stm.exp, Replicate | Iota | Copy | ArrayLit))
    if q is None:
        return None
    (b,) = q.stm.pat
    assert isinstance(b.type, ArrayType)
    return {q.number: Edit((with_exp(q.stm, Scratch(b.type.shape, b.type.elem)),))}


def _in_sizes(e: Exp[Ann]) -> frozenset[Name]:
    """Return the names in an expression's sizes."""
    used: set[Name] = set()

    def size(s: Size) -> Size:
        used.update(s.free())
        return s

    map_exp(e, Mapper(size=size))
    return frozenset(used)


def detour(sites: Sites, rng: random.Random, fresh: Fresh) -> Edits | None:
    """Compute a number through one that is far away: ``a = x + 2^62``, and ``a - 2^62`` for ``x``.
    The i64 arithmetic may wrap around where sizes do not.
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
"""The edits, and their weights."""
