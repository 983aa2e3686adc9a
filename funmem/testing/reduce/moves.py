"""Moves: smaller replacements for a statement, or for several.

A move yields the edits that it proposes for the statement of a number, best first.  Moves check
neither types nor whether the program still fails: most candidates do not.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import TypeAlias, TypeVar

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Call,
    Collective,
    Compound,
    Const,
    Convert,
    DerivedArray,
    For,
    FreshArray,
    Hist,
    If,
    Index,
    InPlace,
    Iota,
    Kernel,
    KernelDim,
    Linkage,
    Loop,
    LoopParam,
    Map,
    MemProgram,
    MemType,
    Opaque,
    RaggedKernel,
    Reduce,
    Replicate,
    Scalar,
    ScalarExp,
    Scan,
    Stm,
    Type,
    Un,
    Var,
)
from funmem.ir.functions import bodies
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, ScalarType, normalise
from funmem.ir.sizes import Size
from funmem.ir.substitute import subst_body
from funmem.ir.traverse import bound_in_body, inner_indices, program_fresh, walk
from funmem.passes.fun.inline import expansion
from funmem.testing.reduce.edit import Edit, statements, uses


def constant(t: ScalarType, number: int) -> Const:
    """Return a number as a constant; as a boolean 1, which is tried first, is False, which ends
    loops.
    """
    return Const(number == 0 if t is BOOL else normalise(number, t), t)


def without(p: MemProgram, which: Sequence[int], number: int) -> dict[int, Edit]:
    """Return edits that remove statements: constants replace scalars, and replicated constants
    arrays.
    """
    stms, used = statements(p), uses(p)
    return {k: _dropped(stms[k], used, number) for k in which if k < len(stms)}


def _dropped(s: Stm[Ann], used: Collection[Name], number: int) -> Edit:
    image: dict[Name, Atom] = {}
    stms: list[Stm[Ann]] = []
    for b in s.pat:
        if b.name not in used:
            continue
        match b.type:
            case ScalarType() as t:
                image[b.name] = constant(t, number)
            case ArrayType() as t:
                stms.append(Stm((b,), Replicate(t.shape, constant(t.elem, number))))
            case MemType():
                return Edit((s,))
    return Edit(tuple(stms), image)


# ---------------------------------------------------------------------- a body in place of it all


def unwrapped(p: MemProgram, k: int) -> Iterator[Edit]:
    """Yield a branch for a conditional, the initial values or one iteration for a loop, the body at
    index 0 for a kernel, and the body of the function for a call.
    """
    s = statements(p)[k]
    match s.exp:
        case If(_, then, orelse):
            yield from (_inlined(s, then), _inlined(s, orelse))
        case Loop(params, form, body):
            start: dict[Name, Atom] = {q.binder.name: q.init for q in params}
            yield Edit((), dict(zip(_names(s), (q.init for q in params), strict=True)))
            if isinstance(form, For):
                start[form.index] = constant(I64, 0)
            once = _inlined(s, body)
            yield Edit(once.stms, {**start, **once.image})
        case Kernel():
            yield _first_iteration(s, s.exp)
        case RaggedKernel(row, index, _, total, own):
            if isinstance(own, Map):
                body = subst_body(s.exp.body, {row.index: constant(I64, 0)})
                yield Edit((evolve(s, exp=Kernel((KernelDim(index, total),), own, body)),))
            yield _first_iteration(s, s.exp)
        case Call(fn, linkage=Linkage.OWN):
            f = next((f for f in p.functions if f.name == fn), None)
            if f is not None:
                yield Edit(expansion(s, s.exp, f, program_fresh(p)))
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert() | Alloc():
            pass
        case Opaque():
            pass


def _names(s: Stm[Ann]) -> list[Name]:
    return [b.name for b in s.pat]


def _inlined(s: Stm[Ann], body: Body[Ann]) -> Edit:
    return Edit(body.stms, dict(zip(_names(s), body.result, strict=True)))


def _first_iteration(s: Stm[Ann], e: Kernel[Ann] | RaggedKernel[Ann]) -> Edit:
    image: dict[Name, Atom] = {x: constant(I64, 0) for x in inner_indices(e)}
    sizes = (e.total,) if isinstance(e, RaggedKernel) else tuple(d.size for d in e.dims)
    outer = (e.row.size,) if isinstance(e, RaggedKernel) else sizes[:-1]
    stms = list(e.body.stms)
    values = list(e.body.result)
    pat = list(s.pat)
    match e.collective:
        case Hist(dest):
            image.update({b.name: Var(x) for b, x in zip(pat, dest, strict=False)})
            pat, values = pat[len(dest) :], values[len(dest) + 1 :]
        case Reduce(_, ne):
            stms += [_filled(b, outer, a, image) for b, a in zip(pat, values, strict=False)][
                : len(ne)
            ]
            pat, values = pat[len(ne) :], values[len(ne) :]
        case Map() | Scan():
            pass
    stms += [_filled(b, sizes, a, image) for b, a in zip(pat, values, strict=True)]
    return Edit(tuple(t for t in stms if t.pat or not isinstance(t.exp, Const)), image)


def _filled(b: Binder[Ann], sizes: tuple[Size, ...], a: Atom, image: dict[Name, Atom]) -> Stm[Ann]:
    """Bind ``b`` to an array of equal elements; without dimensions, to the element itself."""
    if sizes:
        return Stm((b,), Replicate(sizes, a))
    image[b.name] = a
    return Stm((), constant(I64, 0))


# ---------------------------------------------------------------------- fewer results


def fewer_results(p: MemProgram, k: int) -> Iterator[Edit]:
    """Yield edits with one result less of a conditional or kernel, or one loop parameter less."""
    s = statements(p)[k]
    used = uses(p)
    for i in reversed(range(len(s.pat))):
        edit = _less(s, i, used)
        if edit is not None:
            yield edit


def _less(s: Stm[Ann], i: int, used: Collection[Name]) -> Edit | None:
    pat = _cut(s.pat, i)
    match s.exp:
        case If(cond, then, orelse) if s.pat[i].name not in used:
            return Edit((evolve(s, pat=pat, exp=If(cond, _short(then, i), _short(orelse, i))),))
        case Loop(params, form, body):
            image = {params[i].binder.name: params[i].init, s.pat[i].name: params[i].init}
            fewer: tuple[LoopParam[Ann], ...] = _cut(params, i)
            if not fewer:
                return None
            return Edit((evolve(s, pat=pat, exp=Loop(fewer, form, _short(body, i))),), image)
        case (
            Kernel(collective=collective, body=body)
            | RaggedKernel(collective=collective, body=body)
        ) if s.pat[i].name not in used and len(s.pat) > 1:
            first = len(s.pat) - len(body.result)  # the bucket of a hist is no result
            if i < _collected(collective):
                return None
            return Edit((evolve(s, pat=pat, exp=evolve(s.exp, body=_short(body, i - first))),))
        case (
            If()
            | Kernel()
            | Scalar()
            | Index()
            | DerivedArray()
            | FreshArray()
            | InPlace()
            | Assert()
            | Alloc()
            | Opaque()
            | RaggedKernel()
        ):
            return None


def _collected(c: Collective[Ann]) -> int:
    """Return the number of a kernel's results that belong to its collective."""
    match c:
        case Reduce(_, ne) | Scan(_, ne) | Hist(_, _, ne):
            return len(ne)
        case Map():
            return 0


def _short(b: Body[Ann], i: int) -> Body[Ann]:
    return evolve(b, result=_cut(b.result, i))


T = TypeVar("T")


def _cut(xs: tuple[T, ...], i: int) -> tuple[T, ...]:
    return xs[:i] + xs[i + 1 :]


# ---------------------------------------------------------------------- simpler expressions

NAMES = 4
"""Number of names of the same type that replace a statement."""


def simpler(p: MemProgram, k: int) -> Iterator[Edit]:
    """Yield edits that replace a statement by a name of the same type, or by a
    simpler expression.
    """
    s = statements(p)[k]
    if len(s.pat) != 1:
        return
    (b,) = s.pat
    for x in islice(_alike(p, b), NAMES):
        yield Edit((), {b.name: Var(x)})
    if isinstance(b.type, ScalarType):
        for number in (1, 0, 2):
            yield Edit((), {b.name: constant(b.type, number)})
    for e in _expressions(s, b.type):
        yield Edit((evolve(s, exp=e),))


def _alike(p: MemProgram, b: Binder[Ann]) -> Iterator[Name]:
    """Yield names of the same type: parameters, then those bound before ``b``, nearest first."""
    before: list[Name] = []
    for e in bodies(p):
        if b.name not in bound_in_body(e.body):
            continue
        for q in e.params:
            if _same(q.binder, b):
                yield q.binder.name
        for s in walk(e.body):
            if any(q.name == b.name for q in s.pat):
                break
            before += [q.name for q in s.pat if _same(q, b)]
    yield from reversed(before)


def _same(a: Binder[Ann], b: Binder[Ann]) -> bool:
    return a.type == b.type and a.home == b.home


def _expressions(s: Stm[Ann], t: Type) -> Iterator[ScalarExp | Replicate | Iota]:
    match s.exp:
        case Bin(_, a, b):
            yield from (a, b)
        case Un(_, a) | Convert(_, a):
            yield a
        case Call(_, args):
            yield from args
        case Const() | Var() | Assert() | Alloc():
            pass
        case Iota():
            if isinstance(t, ArrayType):
                yield Replicate(t.shape, constant(t.elem, 0))
        case Replicate(_, value):
            if isinstance(t, ArrayType):
                yield from _counted(t)
                if isinstance(value, Var):
                    yield Replicate(t.shape, constant(t.elem, 0))
        case Index() | DerivedArray() | FreshArray() | InPlace() | Compound():
            if isinstance(t, ArrayType):
                yield from _counted(t)
                yield Replicate(t.shape, constant(t.elem, 0))


def _counted(t: ArrayType) -> Iterator[Iota]:
    """Yield 0, 1, 2, … if the type is that of a vector of integers."""
    if t.rank == 1 and t.elem.is_int:
        yield Iota(t.shape[0], constant(t.elem, 0), constant(t.elem, 1))


Move: TypeAlias = Callable[[MemProgram, int], Iterator[Edit]]

MOVES: tuple[Move, ...] = (
    unwrapped,
    fewer_results,
    simpler,
)
"""The moves that are tried for each statement."""
