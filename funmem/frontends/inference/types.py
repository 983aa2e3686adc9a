"""The types that the checkers compute (type expressions are syntax: see ``ast``).

    t  ::=  scalar | {l: t, …} | #c t… | … | [d]t | (x: t) -> t | 'a | m.t t… | ?meta
    d  ::=  polynomial over i64 variables | unknown

The types of all front ends that infer: `.fut` uses all of them; NOVA has no sizes, no uniqueness,
and nominal types (:class:`Opaque`) for sums and for vectors of a fixed rank.

Abbreviations are expanded.  Tuples are records with labels 0, 1, …; record fields and
constructors are sorted, so equal types are equal trees (up to sizes).
"""

from math import inf
from typing import TypeAlias

from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import F64, ScalarType, convert
from funmem.ir.sizes import Size


@frozen
class Record:
    """``{l: t, …}``, labels sorted (numbers by value); ``()`` has no fields."""

    fields: "tuple[tuple[str, Type], ...]"


@frozen
class Sum:
    """``#c t… | …``, constructors sorted by name."""

    constructors: "tuple[tuple[str, tuple[Type, ...]], ...]"


@frozen
class Array:
    """``[d]t``; ``size`` None: unknown, as in phase 1, which ignores sizes."""

    elem: "Type"
    size: Size | None = None


@frozen
class Arrow:
    """``t -> t``.

    ``name`` is the unique name of an i64 parameter that sizes in ``result`` mention.  ``consumes``:
    the parameter is ``*t``.  ``fresh``: the result is ``*t``, which aliases no argument.
    ``exists``: the sizes of the result that are known only after the call (``?[n].``).
    """

    param: "Type"
    result: "Type"
    name: Name | None = None
    consumes: bool = False
    fresh: bool = False
    exists: tuple[Name, ...] = ()


@frozen
class Rigid:
    """``'a``: a type parameter of an enclosing definition."""

    name: Name


@frozen(eq=False)
class Hidden:
    """A named type that is equal only to itself; ``text`` is its name in messages, ``m.t``.

    ``type``: what a module type hides, over ``params``; None for a nominal type, behind which there
    is no other.  ``lifted``: it may be or contain a function.  ``comparable``: its values can be
    compared if those of its arguments can.
    """

    text: str
    params: tuple[Name, ...]
    type: "Type | None"
    lifted: bool
    comparable: bool = False


@frozen
class Opaque:
    """``m.t t…``: a named type at these arguments.  Tables of `.fut` hold definitions instead."""

    hidden: Hidden
    args: "tuple[Type, ...]"


@frozen
class Meta:
    """A type still to be inferred; a finished :class:`Typing` contains none."""

    id: int


Type: TypeAlias = ScalarType | Record | Sum | Array | Arrow | Rigid | Opaque | Meta


def tuple_type(*elems: Type) -> Record:
    """Return the type ``(t, …)``."""
    return Record(tuple((str(k), t) for k, t in enumerate(elems)))


UNIT = Record(())


def nearest(value: int | float, t: ScalarType) -> int | float:
    """Return a number as a float of type ``t``, infinite if it is too large."""
    try:
        return convert(float(value), F64, t)
    except OverflowError:  # from Python, whose integers may be larger than any float
        return convert(inf if value > 0 else -inf, F64, t)
