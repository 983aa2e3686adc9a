"""Index functions of derived arrays, and re-deriving the homes of a whole body.

A derived array's home is not a choice: it is its source's block and the LMAD that the rule
computes from the source's (figs. 8 and 10); update, scatter and hist results live where the
consumed array lives.  So a pass that moves an array, or rewrites its sizes, changes one home and
calls :func:`rehome` for all that follow from it.
"""

from collections.abc import Mapping

from attrs import evolve

from funmem.ir.fun import (
    Ann,
    Binder,
    Body,
    Exp,
    FlatSlice,
    Hist,
    Home,
    Kernel,
    Permute,
    Reshape,
    Reverse,
    Scatter,
    Slice,
    Stm,
    Update,
)
from funmem.ir.lmad import Lmad
from funmem.ir.names import Name
from funmem.ir.traverse import inner_binders, map_sub_bodies


def source_of(e: Exp[Ann]) -> Name | None:
    """The array whose elements a derived array shows; None if the expression is no such array."""
    match e:
        case Slice(x) | Permute(_, x) | Reshape(_, x) | Reverse(_, x) | FlatSlice(x):
            return x
        case _:
            return None


def derived_lmad(e: Exp[Ann], source: Lmad) -> Lmad | None:
    """The index function of a derived array; None if a reshape has none."""
    match e:
        case Slice(_, dims):
            return source.slice_f(dims)
        case Permute(perm):
            return source.permute(perm)
        case Reshape(shape):
            return source.reshape(shape)
        case Reverse(dim):
            return source.reverse(dim)
        case FlatSlice(_, offset, flat):
            return source.flat_slice(offset, flat)
        case _:
            return None


def in_place_of(e: Exp[Ann]) -> tuple[Name, ...]:
    """The arrays that an expression consumes and whose homes its first results keep."""
    match e:
        case Update(x) | Scatter(x):
            return (x,)
        case Kernel(_, Hist(dest)):
            return dest
        case _:
            return ()


class Homeless(Exception):
    """A reshape has no index function any more."""

    def __init__(self, x: Name) -> None:
        super().__init__(f"{x} has no index function")
        self.x = x


def rehome(b: Body[Ann], homes: Mapping[Name, Home]) -> Body[Ann]:
    """The body with every home that a rule determines computed anew from ``homes``.

    ``homes`` are those of the arrays in scope outside.  Raises :class:`Homeless`.
    """
    known = dict(homes)
    return _body(b, known)


def _body(b: Body[Ann], known: dict[Name, Home]) -> Body[Ann]:
    return evolve(b, stms=tuple(_stm(s, known) for s in b.stms))


def _stm(s: Stm[Ann], known: dict[Name, Home]) -> Stm[Ann]:
    _note(inner_binders(s.exp), known)
    exp = map_sub_bodies(s.exp, lambda inner: _body(inner, known))
    s = evolve(s, exp=exp, pat=_pattern(s, known))
    _note(s.pat, known)
    return s


def _note(binders: tuple[Binder[Ann], ...], known: dict[Name, Home]) -> None:
    for b in binders:
        if b.home is not None:
            known[b.name] = b.home


def _pattern(s: Stm[Ann], known: Mapping[Name, Home]) -> tuple[Binder[Ann], ...]:
    x = source_of(s.exp)
    if x is not None and s.pat[0].home is not None:
        ix = derived_lmad(s.exp, known[x].ix)
        if ix is None:
            raise Homeless(s.pat[0].name)
        return (evolve(s.pat[0], home=Home(known[x].block, ix)),)
    consumed = in_place_of(s.exp)
    moved = tuple(
        evolve(b, home=known[c]) if b.home is not None else b
        for b, c in zip(s.pat, consumed, strict=False)
    )
    return (*moved, *s.pat[len(moved) :])
