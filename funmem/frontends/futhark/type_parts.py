"""Operations on the types of phase 1: their parts, hidden types and substitution."""

from collections.abc import Container, Mapping

from funmem.frontends.futhark.types import (
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


def revealed(t: Type, only: Container[Hidden] | None = None) -> Type:
    """Replace hidden types in ``t`` by their definitions: all, or those in ``only``."""

    def go(t: Type) -> Type:
        match t:
            case Array(elem):
                return Array(go(elem))
            case Record(fields):
                return Record(tuple([(label, go(f)) for label, f in fields]))
            case Sum(constructors):
                return Sum(tuple([(c, tuple(map(go, args))) for c, args in constructors]))
            case Arrow(param, result):
                return Arrow(go(param), go(result))
            case Opaque(hidden, args):
                inner = tuple(map(go, args))
                if only is not None and hidden not in only:
                    return Opaque(hidden, inner)
                return go(substitute(hidden.type, dict(zip(hidden.params, inner, strict=True))))
            case ScalarType() | Rigid() | Meta():
                return t

    return go(t) if _has_opaque(t) else t


def _has_opaque(t: Type) -> bool:
    return isinstance(t, Opaque) or any(map(_has_opaque, children(t)))


def substitute(t: Type, image: Mapping[Name, Type]) -> Type:
    """Replace type variables in ``t``; sizes are dropped."""
    match t:
        case Rigid(name):
            return image.get(name, t)
        case Array(elem):
            return Array(substitute(elem, image))
        case Record(fields):
            return Record(tuple([(label, substitute(f, image)) for label, f in fields]))
        case Sum(constructors):
            return Sum(
                tuple(
                    [(c, tuple([substitute(a, image) for a in args])) for c, args in constructors]
                )
            )
        case Arrow(param, result):
            return Arrow(substitute(param, image), substitute(result, image))
        case Opaque(hidden, args):
            return Opaque(hidden, tuple([substitute(a, image) for a in args])) if args else t
        case ScalarType() | Meta():
            return t
