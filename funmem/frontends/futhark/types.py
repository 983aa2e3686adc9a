"""What expressions are: the types that the checkers compute (type expressions are in ast.py).

    t  ::=  scalar | {l: t, …} | #c t… | … | [d]t | (x: t) -> t | 'a | m.t t… | ?meta
    d  ::=  polynomial over i64 variables | unknown

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
    """``{l: t, …}``, labels sorted (numbers by value); ``()`` has none."""

    fields: "tuple[tuple[str, Type], ...]"


@frozen
class Sum:
    """``#c t… | …``, constructors sorted by name."""

    constructors: "tuple[tuple[str, tuple[Type, ...]], ...]"


@frozen
class Array:
    """``[d]t``; ``size`` None: not known to the checker (or phase 1, which ignores sizes)."""

    elem: "Type"
    size: Size | None = None


@frozen
class Arrow:
    """``t -> t``.

    ``name`` is the unique name of an i64 parameter that sizes in ``result`` mention.  ``consumes``:
    the parameter is ``*t``; ``fresh``: the result is ``*t`` (aliases no argument).
    ``exists``: sizes of the result that only the call makes known (``?[n].``).
    """

    param: "Type"
    result: "Type"
    name: Name | None = None
    consumes: bool = False
    fresh: bool = False
    exists: tuple[Name, ...] = ()


@frozen
class Rigid:
    """``'a``: a type parameter of the definition around."""

    name: Name


@frozen(eq=False)
class Hidden:
    """A type that a module type hides; ``text``: how users call it, ``m.t``.

    ``type``: what it is, over ``params``.  ``lifted``: it may be, or hold, a function.
    """

    text: str
    params: tuple[Name, ...]
    type: "Type"
    lifted: bool


@frozen
class Opaque:
    """``m.t t…``: a hidden type, equal to itself only.  In phase 1; tables have what it is."""

    hidden: Hidden
    args: "tuple[Type, ...]"


@frozen
class Meta:
    """A type that inference is to find; none is left in a finished :class:`Typing`."""

    id: int


Type: TypeAlias = ScalarType | Record | Sum | Array | Arrow | Rigid | Opaque | Meta


def tuple_type(*elems: Type) -> Record:
    """``(t, …)``."""
    return Record(tuple((str(k), t) for k, t in enumerate(elems)))


UNIT = Record(())


def nearest(value: int | float, t: ScalarType) -> int | float:
    """A number as a float of type ``t``: infinite if it is too large for all finite ones."""
    try:
        return convert(float(value), F64, t)
    except OverflowError:  # of Python's, whose integers may be larger than any float
        return convert(inf if value > 0 else -inf, F64, t)
