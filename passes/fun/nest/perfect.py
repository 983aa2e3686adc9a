"""Flattening: a kernel that is the body of a kernel becomes one kernel, (N1) and (N2)."""

from collections.abc import Iterable

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
    Convert,
    Copy,
    DerivedArray,
    Exp,
    Index,
    InPlace,
    Iota,
    Kernel,
    KernelDim,
    Map,
    Reduce,
    Replicate,
    Scalar,
    ScalarExp,
    Scan,
    Scratch,
    Stm,
    Var,
)
from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.may_trap import why_traps
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import var
from funmem.ir.traverse import free_in_body, free_in_stm
from funmem.passes.fun.fuse.aliases import Aliases
from funmem.passes.fun.fuse.conditions import Refusal
from funmem.passes.fun.nest.conditions import (
    PERFECT,
    cheap,
    operator_free,
    regular,
    regular_types,
    sizes_nonneg,
    types_nonneg,
)
from funmem.passes.fun.schedule.builder import of_rows
from funmem.passes.fun.schedule.fold import row_type

Stms = tuple[Stm[Ann], ...]


def flatten(
    s: Stm[Ann], outer: Kernel[Ann], known: PointFacts, fresh: Fresh, aliases: Aliases
) -> Stms | Refusal:
    """(N1) Return the statements that a nest of two kernels becomes, or the reason why it stays.

    ``known`` are the facts before the statement.
    """
    body = outer.body
    (inside,) = known.inside(outer)
    if not (body.stms and isinstance(body.stms[-1].exp, Kernel)):
        rows = rows_as_kernel(s, outer, inside, fresh)
        if rows is None:
            return Refusal(PERFECT, "it does not end with a kernel")
        body = rows
    *before, last = body.stms
    inner = last.exp
    assert isinstance(inner, Kernel)
    place = {p.name: k for k, p in enumerate(last.pat)}
    if not all(isinstance(a, Var) and a.name in place for a in body.result):
        return Refusal(PERFECT, "some results are not results of the inner kernel")
    indices = frozenset(d.index for d in outer.dims)
    hoisted = _invariant(before, _needed_outside(inner), indices, known, aliases)
    rest = [t for t in before if t not in hoisted]
    bound = frozenset(p.name for t in rest for p in t.pat)
    returned = {a.name for a in body.result if isinstance(a, Var)}
    unused = [p for p in last.pat if p.name not in returned]
    outside = known.after_all(hoisted)
    no = (
        regular(inner, bound | indices)
        or regular_types(last.pat, bound | indices)
        or operator_free(inner, bound, indices)
        or sizes_nonneg(inner, s.pat, outside)
        or types_nonneg(unused, outside)
        or cheap(rest, inner, inside.after_all(hoisted))
    )
    if no is not None:
        return no
    new = Kernel(
        (*outer.dims, *inner.dims),
        inner.collective,
        Body((*rest, *inner.body.stms), inner.body.result, inner.body.at),
    )
    pat, copies = _pattern(s, outer, last, body.result, fresh)
    return (*hoisted, Stm(pat, new, s.at), *copies)


def _pattern(
    s: Stm[Ann],
    outer: Kernel[Ann],
    last: Stm[Ann],
    result: tuple[Atom, ...],
    fresh: Fresh,
) -> tuple[tuple[Binder[Ann], ...], list[Stm[Ann]]]:
    """Return the outer kernel's binders in the order of the inner kernel's results, and copies of
    results that are returned twice.
    """
    named: dict[Name, Binder[Ann]] = {}
    copies: list[Stm[Ann]] = []
    for b, a in zip(s.pat, result, strict=True):
        assert isinstance(a, Var)
        if a.name in named:
            copies.append(Stm((b,), Copy(named[a.name].name), s.at))
        else:
            named[a.name] = b
    sizes = tuple(d.size for d in outer.dims)
    pat = tuple(
        named.get(p.name) or Binder[Ann](fresh(p.name), of_rows(p.type, *sizes), None, p.at)
        for p in last.pat
    )
    return pat, copies


# ---------------------------------------------------------------------- loop-invariant statements


def _needed_outside(inner: Kernel[Ann]) -> frozenset[Name]:
    """Return the names that the sizes, the operator and the neutral elements use."""
    found = frozenset[Name]().union(*(d.size.free() for d in inner.dims))
    match inner.collective:
        case Reduce(op, ne) | Scan(op, ne):
            starts = frozenset(a.name for a in ne if isinstance(a, Var))
            return found | starts | free_in_body(op.body)
        case _:
            return found


def _invariant(
    stms: Iterable[Stm[Ann]],
    needed: frozenset[Name],
    indices: frozenset[Name],
    known: PointFacts,
    aliases: Aliases,
) -> list[Stm[Ann]]:
    """Return the loop-invariant statements that compute ``needed``, if they cannot trap and none of
    their arrays is updated.
    """
    stms = list(stms)
    wanted = set(needed)
    for s in reversed(stms):
        if any(p.name in wanted for p in s.pat):
            wanted |= free_in_stm(s)
    own = {p.name for s in stms for p in s.pat} | indices
    out: list[Stm[Ann]] = []
    for s in stms:
        if not any(p.name in wanted for p in s.pat) or not _movable(s.exp):
            continue
        if not free_in_stm(s).isdisjoint(own) or why_traps(s.exp, known) is not None:
            continue
        if any(isinstance(p.type, ArrayType) and p.name in aliases.owned for p in s.pat):
            continue
        known = known.after(s)
        own -= {p.name for p in s.pat}
        out.append(s)
    return out


def _movable(e: Exp[Ann]) -> bool:
    """True for scalars, and for fresh arrays that copy no other array."""
    return isinstance(e, Scalar | Replicate | Iota | ArrayLit)


# ---------------------------------------------------------------------- rows


def rows_as_kernel(
    s: Stm[Ann], outer: Kernel[Ann], inside: PointFacts, fresh: Fresh
) -> Body[Ann] | None:
    """(N2) Return a body whose results are rows of one shape as a kernel over their elements; None
    for other bodies.

    The elements of ``iota``, ``replicate`` and ``copy`` are computed, those of other rows are read.
    A row that may have uninitialised elements is excluded: reading them would trap.
    """
    body = outer.body
    types = [row_type(b.type, len(outer.dims)) for b in s.pat]
    shapes = {t.shape if isinstance(t, ArrayType) else () for t in types}
    if len(shapes) != 1 or () in shapes or not types:
        return None
    after = inside.after_all(body.stms)
    if any(not isinstance(a, Var) or a.name in after.uninitialised for a in body.result):
        return None
    (shape,) = shapes
    dims = tuple(KernelDim(fresh("j"), d) for d in shape)
    at = tuple(d.index for d in dims)
    makers = {t.pat[0].name: t for t in body.stms if isinstance(t.exp, Iota | Replicate | Copy)}
    out: list[Stm[Ann]] = []
    result: list[Atom] = []
    for t, a in zip(types, body.result, strict=True):
        assert isinstance(t, ArrayType)
        assert isinstance(a, Var)
        maker = makers.get(a.name)
        exp = _element(a.name, maker.exp if maker else None, at, t, after)
        b = Binder[Ann](fresh("v"), t.elem, None, s.at)
        out.append(Stm((b,), exp, s.at))
        result.append(Var(b.name))
    pat = tuple(Binder[Ann](fresh("row"), t, None, s.at) for t in types)
    kernel = Stm(pat, Kernel(dims, Map(), Body(tuple(out), tuple(result))), s.at)
    stms = _without(body.stms, {a.name for a in body.result if isinstance(a, Var)}, makers, kernel)
    return evolve(body, stms=stms, result=tuple(Var(b.name) for b in pat))


def _without(stms: Stms, rows: set[Name], makers: dict[Name, Stm[Ann]], kernel: Stm[Ann]) -> Stms:
    """Return the statements and the kernel, without the rows that are not used any more."""
    used = free_in_stm(kernel).union(*(free_in_stm(t) for t in stms))
    gone = {x for x in rows & makers.keys() if x not in used}
    return (*(t for t in stms if not any(p.name in gone for p in t.pat)), kernel)


def _element(
    x: Name, e: Exp[Ann] | None, at: tuple[Name, ...], t: ArrayType, known: PointFacts
) -> Exp[Ann]:
    """Return one element of the row ``x``; ``e`` computes the row, None if that is not known."""
    index = tuple(var(j) for j in at)
    match e:
        case Iota(_, start, stride):
            exp: ScalarExp = Var(at[0])
            if t.elem is not I64:
                exp = Convert(t.elem, exp)
            return Bin(BinOp.ADD, start, Bin(BinOp.MUL, exp, stride))
        case Replicate(shape, value):
            if isinstance(value, Var) and isinstance(known.types[value.name], ArrayType):
                return Index(value.name, index[len(shape) :])
            return value
        case Copy(y):
            return Index(y, index)
        case Scalar() | Index() | DerivedArray() | ArrayLit() | Concat() | Scratch() | None:
            return Index(x, index)
        case InPlace() | Compound() | Assert() | Alloc():
            return Index(x, index)
