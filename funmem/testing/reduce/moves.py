"""Smaller programs: what a statement, or several, may be replaced with.

Nothing here looks whether the result is well typed, or still fails: candidates are many, and most
do neither.  A move answers the edits that it proposes for the statement of a number, best first.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import TypeAlias, TypeVar

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
    Hist,
    If,
    Iota,
    Kernel,
    Loop,
    LoopParam,
    Map,
    MemProgram,
    MemType,
    Reduce,
    Replicate,
    ScalarExp,
    Scan,
    Stm,
    Type,
    Un,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, ScalarType, normalise
from funmem.ir.sizes import Size
from funmem.testing.reduce.edit import Edit, statements, uses


def constant(t: ScalarType, number: int) -> Const:
    """A number as a constant; of a bool first False, with which loops end."""
    return Const(number == 0 if t is BOOL else normalise(number, t), t)


def without(p: MemProgram, which: Sequence[int], number: int) -> dict[int, Edit]:
    """Nothing instead of these statements: where a scalar was used stands a constant, an array is
    one repeated constant.
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
    """A branch instead of the conditional, one round or none instead of the loop, the body for
    index 0 instead of the kernel.
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
        case _:
            pass


def _names(s: Stm[Ann]) -> list[Name]:
    return [b.name for b in s.pat]


def _inlined(s: Stm[Ann], body: Body[Ann]) -> Edit:
    return Edit(body.stms, dict(zip(_names(s), body.result, strict=True)))


def _first_iteration(s: Stm[Ann], e: Kernel[Ann]) -> Edit:
    image: dict[Name, Atom] = {d.index: constant(I64, 0) for d in e.dims}
    sizes = tuple(d.size for d in e.dims)
    stms = list(e.body.stms)
    values = list(e.body.result)
    pat = list(s.pat)
    match e.collective:
        case Hist(dest):
            image.update({b.name: Var(x) for b, x in zip(pat, dest, strict=False)})
            pat, values = pat[len(dest) :], values[len(dest) + 1 :]
        case Reduce(_, ne):
            stms += [_filled(b, sizes[:-1], a, image) for b, a in zip(pat, values, strict=False)][
                : len(ne)
            ]
            pat, values = pat[len(ne) :], values[len(ne) :]
        case Map() | Scan():
            pass
    stms += [_filled(b, sizes, a, image) for b, a in zip(pat, values, strict=True)]
    return Edit(tuple(t for t in stms if t.pat or not isinstance(t.exp, Const)), image)


def _filled(b: Binder[Ann], sizes: tuple[Size, ...], a: Atom, image: dict[Name, Atom]) -> Stm[Ann]:
    """``b`` as an array of equal elements; without dimensions it is the element itself."""
    if sizes:
        return Stm((b,), Replicate(sizes, a))
    image[b.name] = a
    return Stm((), constant(I64, 0))


# ---------------------------------------------------------------------- fewer results


def fewer_results(p: MemProgram, k: int) -> Iterator[Edit]:
    """A result of the conditional or kernel less, or a parameter of the loop."""
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
        case Kernel(_, collective, body) if s.pat[i].name not in used and len(s.pat) > 1:
            first = len(s.pat) - len(body.result)  # hist: its bucket is no result
            if i < _collected(collective):
                return None
            return Edit((evolve(s, pat=pat, exp=evolve(s.exp, body=_short(body, i - first))),))
        case _:
            return None


def _collected(c: object) -> int:
    """How many results of a kernel are its collective's."""
    match c:
        case Reduce(_, ne) | Scan(_, ne) | Hist(_, _, ne):
            return len(ne)
        case _:
            return 0


def _short(b: Body[Ann], i: int) -> Body[Ann]:
    return evolve(b, result=_cut(b.result, i))


T = TypeVar("T")


def _cut(xs: tuple[T, ...], i: int) -> tuple[T, ...]:
    return xs[:i] + xs[i + 1 :]


# ---------------------------------------------------------------------- simpler expressions

NAMES = 4
"""So many names of the same type are tried in place of a statement."""


def simpler(p: MemProgram, k: int) -> Iterator[Edit]:
    """Another name of the same type instead of the statement; a simpler expression in it."""
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
    """Names of the same type: parameters, and what is bound before ``b``, the nearest first."""
    before: list[Name] = []
    for e in p.entries:
        for q in e.params:
            if _same(q.binder, b):
                yield q.binder.name
    for s in statements(p):
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
        case Const() | Var():
            pass
        case e if isinstance(t, ArrayType):
            if t.rank == 1 and t.elem.is_int and not isinstance(e, Iota):
                yield Iota(t.shape[0], constant(t.elem, 0), constant(t.elem, 1))
            if not isinstance(e, Replicate) or isinstance(e.value, Var):
                yield Replicate(t.shape, constant(t.elem, 0))
        case _:
            pass


Move: TypeAlias = Callable[[MemProgram, int], Iterator[Edit]]

MOVES: tuple[Move, ...] = (
    unwrapped,
    fewer_results,
    simpler,
)
"""What is tried for each statement."""
