"""Reads of a chunk's elements through a view of the chunk.

    xs[lo + c]   for c < count       ->      part = xs[lo : count], and then part[c]

A view costs nothing.  The index ``c`` is in bounds of it for all ``lo`` and ``count``, so no access
in the loop needs a check; there is one check per chunk, of the view.

*Condition*: the array is as long as the kernel has iterations.  Then neither check can fail, and
the traps of the program do not change.

    xs[i + 1]  for i < n            ->      next = xs[1 : n], and then next[i]

*Condition*: the array is known to have all of these elements, by the form of its size.
"""

from collections.abc import Mapping

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Body,
    Compound,
    DerivedArray,
    Exp,
    FreshArray,
    Index,
    InPlace,
    KernelDim,
    Scalar,
    Slice,
)
from funmem.ir.lmad import DimFix, DimRange
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.sizes import ONE, ZERO, Size, const, var
from funmem.ir.traverse import (
    bound_in_body,
    map_sub_bodies,
    walk,
)
from funmem.passes.fun.schedule.builder import Builder


def with_views(
    b: Builder, body: Body[Ann], index: Name, lo: Size, count: Size, total: Size, counter: Name
) -> Body[Ann]:
    """Return a kernel body where reads of arrays at ``index`` become reads at ``counter`` of a view
    of their elements ``lo … lo + count - 1``; the views are bound in ``b``.
    """
    found = sorted(_read_at(body, index) - bound_in_body(body))
    views: dict[Name, Name] = {}
    for x in found:
        t = b.types.get(x)
        if isinstance(t, ArrayType) and t.shape[0] == total:
            rest = tuple(DimRange(ZERO, d, ONE) for d in t.shape[1:])
            part = ArrayType(t.elem, (count, *t.shape[1:]))
            views[x] = b.let("view", part, Slice(x, (DimRange(lo, count, ONE), *rest)))
            b.types = {**b.types, views[x]: part}
    return _through(body, views, index, counter) if views else body


def with_shifted_views(b: Builder, body: Body[Ann], dim: KernelDim) -> Body[Ann]:
    """Return a kernel body where reads of arrays at a constant distance from its index become reads
    of views of as many elements as the kernel has iterations; ``b`` binds the views.

    The number of iterations must not be negative.
    """
    views: dict[tuple[Name, int], Name] = {}
    own = bound_in_body(body)

    def exp(e: Exp[Ann]) -> Exp[Ann]:
        match e:
            case Index(x, (i,)) if x not in own:
                t, ahead = b.types.get(x), (i - var(dim.index)).as_const
                if ahead is None or not isinstance(t, ArrayType) or t.shape == (dim.size,):
                    return e
                behind = (t.shape[0] - dim.size - ahead).as_const
                if ahead < 0 or behind is None or behind < 0:
                    return e
                if (x, ahead) not in views:
                    part = ArrayType(t.elem, (dim.size,))
                    slice_ = Slice(x, (DimRange(const(ahead), dim.size, ONE),))
                    views[x, ahead] = b.let("view", part, slice_)
                    b.types = {**b.types, views[x, ahead]: part}
                return Index(views[x, ahead], (var(dim.index),))
            case _:
                return e

    return evolve(body, stms=tuple(evolve(s, exp=exp(s.exp)) for s in body.stms))


def _read_at(body: Body[Ann], index: Name) -> frozenset[Name]:
    """Return the arrays of which a body reads elements, or rows, at ``index``."""
    return frozenset(x for s in walk(body) if (x := _row_of(s.exp, index)) is not None)


def _row_of(e: Exp[Ann], index: Name) -> Name | None:
    match e:
        case Index(x, (first, *_)) if first == var(index):
            return x
        case Slice(x, (DimFix(first), *_)) if first == var(index):
            return x
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Compound():
            return None
        case Assert() | Alloc():
            return None


def _through(body: Body[Ann], views: Mapping[Name, Name], index: Name, counter: Name) -> Body[Ann]:
    """Return the body with these reads replaced by reads of the views."""

    def exp(e: Exp[Ann]) -> Exp[Ann]:
        x = _row_of(e, index)
        view = None if x is None else views.get(x)
        match e:
            case Index(_, (_, *rest)) if view is not None:
                return Index(view, (var(counter), *rest))
            case Slice(_, (_, *dims)) if view is not None:
                return Slice(view, (DimFix(var(counter)), *dims))
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Compound():
                return map_sub_bodies(e, inner)
            case Assert() | Alloc():
                return map_sub_bodies(e, inner)

    def inner(b: Body[Ann]) -> Body[Ann]:
        return evolve(b, stms=tuple(evolve(s, exp=exp(s.exp)) for s in b.stms))

    return inner(body)
