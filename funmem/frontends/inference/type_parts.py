"""Operations on the types of phase 1: their parts, hidden types and substitution."""

from collections.abc import Callable, Container, Mapping

from funmem.frontends.inference.types import (
    Array,
    Arrow,
    Hidden,
    Meta,
    Opaque,
    Record,
    Rigid,
    Sum,
    Type,
)
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType


def children(t: Type) -> list[Type]:
    """Return the immediate parts of a type."""
    match t:
        case Array(elem):
            return [elem]
        case Record(fields):
            return [f for _, f in fields]
        case Sum(constructors):
            return [a for _, args in constructors for a in args]
        case Arrow(param, result):
            return [param, result]
        case Opaque(_, args):
            return list(args)
        case ScalarType() | Rigid() | Meta():
            return []


def map_children(t: Type, f: Callable[[Type], Type]) -> Type:
    """Return a type without sizes with its immediate parts replaced."""
    match t:
        case Array(elem):
            return Array(f(elem))
        case Record(fields):
            return Record(tuple([(label, f(u)) for label, u in fields]))
        case Sum(constructors):
            return Sum(tuple([(c, tuple([f(a) for a in args])) for c, args in constructors]))
        case Arrow(param, result):
            return Arrow(f(param), f(result))
        case Opaque(hidden, args):
            return Opaque(hidden, tuple([f(a) for a in args])) if args else t
        case ScalarType() | Rigid() | Meta():
            return t


def revealed(t: Type, only: Container[Hidden] | None = None) -> Type:
    """Replace hidden types in ``t`` by their definitions: all, or those in ``only``."""

    def go(t: Type) -> Type:
        t = map_children(t, go)
        if not isinstance(t, Opaque) or t.hidden.type is None:
            return t
        if only is not None and t.hidden not in only:
            return t
        return go(substitute(t.hidden.type, dict(zip(t.hidden.params, t.args, strict=True))))

    return go(t) if _has_opaque(t) else t


def _has_opaque(t: Type) -> bool:
    return isinstance(t, Opaque) or any(map(_has_opaque, children(t)))


def substitute(t: Type, image: Mapping[Name, Type]) -> Type:
    """Replace type variables in ``t``; sizes are dropped."""
    if isinstance(t, Rigid):
        return image.get(t.name, t)
    return map_children(t, lambda u: substitute(u, image))
