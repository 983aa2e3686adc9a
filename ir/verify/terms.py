"""Terms for the scalars of an iteration (cases.py), path conditions, and cases."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from attrs import field

from funmem.ir.fun import Const
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import Size

WRAP = 1 << 64
"""Numbers that differ by a multiple of it are equal as i64."""


@frozen
class Number:
    """An i64: a polynomial modulo 2^64, whose names may stand for opaque terms."""

    p: Size
    exact: bool = field(default=True, eq=False)


@frozen
class Op:
    """Any other scalar that is not a constant: a name, an element, the result of an operator.

    ``name`` is the name, or the array.
    """

    what: str
    args: "tuple[Term, ...]" = ()
    name: Name | None = None
    truth: bool = field(default=False, eq=False)
    """True if it is a bool."""


Term: TypeAlias = Number | Op | Const
PathCondition: TypeAlias = tuple[tuple[Term, bool], ...]
"""A path condition: terms, each with the value that it has."""


@frozen
class Case:
    """The scalar is ``value`` if the path condition holds."""

    path: PathCondition
    value: Term


Cases: TypeAlias = tuple[Case, ...]
"""In each iteration exactly one of the cases applies."""


def certain(value: Term) -> Cases:
    """Return the cases of a scalar that is ``value`` in all iterations."""
    return (Case((), value),)


def equal_to(a: Term, path: Iterable[Term]) -> Iterator[Term]:
    """Yield the terms to which ``a`` is equal by assumption."""
    for t in path:
        if isinstance(t, Op) and t.what == "==" and t.args[0] == a:
            yield t.args[1]


def differ(a: Term, b: Term) -> bool:
    """True if two constants differ as values; floats with different bits may be equal (zeros)."""
    match a, b:
        case Number(p), Number(q):
            k = (p - q).as_const
            return k is not None and k % WRAP != 0
        case Const(int(k), _), Const(int(j), _):
            return k != j
        case _:
            return False
