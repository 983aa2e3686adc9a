"""The layout of a value of any type as scalars and arrays of scalars: its parts.

    scalar                     itself
    {l: t, …}                  the parts of its fields, in order; unit has none
    token                      one bool, ``false``
    #a t u | #b t | …          a tag, i8 or wider, the position of the constructor; then the slots,
                               which the constructors share: if ``#a`` needs two parts of a type and
                               ``#b`` one, there are two slots of that type
    [d]t                       an array for each part of t

An array of units has a length, so in an array a type without parts is one bool, ``false``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.core_types import tag_type
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType, normalise
from funmem.ir.sizes import Size


@frozen
class Slots:
    """The types of a sum's slots, and the slots that each constructor's parts occupy."""

    types: tuple[Type, ...]
    of: Mapping[str, tuple[int, ...]]


class Layouts:
    """The layouts of the types of one program."""

    def __init__(self, data: Iterable[c.DataDef]) -> None:
        self._data = {d.name: d for d in data}
        self._parts: dict[Type, tuple[Type, ...]] = {}
        self._open: list[Name] = []

    def parts(self, t: Type, at: Span = NOWHERE) -> tuple[Type, ...]:
        """Return the types of the parts of a value."""
        if isinstance(t, ScalarType):
            return (t,)
        found = self._parts.get(t)
        if found is None:
            found = self._parts[t] = self._find(t, at)
        return found

    def _find(self, t: Type, at: Span) -> tuple[Type, ...]:
        match t:
            case ScalarType():
                return (t,)
            case c.Array(elem, size):
                return tuple(c.Array(u, size) for u in self.cells(elem, at))
            case c.Record(fields):
                return tuple(u for _, f in fields for u in self.parts(f, at))
            case c.Sum():
                return (tag_type(t), *self.slots(t, at).types)
            case c.Data(name):
                if name in self._open:
                    raise _unsupported(self._data[name].at, "recursive data")
                self._open.append(name)
                found = self.parts(self.sum(t), at)
                self._open.pop()
                return found
            case c.Token():
                return (BOOL,)
            case c.Arrow():
                raise _unsupported(at, "a function as a value")
            case c.TypeVar():
                raise _unsupported(at, "a value whose type is not known")

    def hidden(self, t: Type, at: Span = NOWHERE) -> tuple[bool, ...]:
        """Return for each part of a type if it is a token, which callers do not see."""
        match t:
            case c.Token():
                return (True,)
            case c.Record(fields):
                return tuple(h for _, f in fields for h in self.hidden(f, at))
            case ScalarType() | c.Array() | c.Sum() | c.Data() | c.Arrow() | c.TypeVar():
                return (False,) * len(self.parts(t, at))

    def cells(self, t: Type, at: Span = NOWHERE) -> tuple[Type, ...]:
        """Return the types of the parts of an array's element, of which there is at least one."""
        return self.parts(t, at) or (BOOL,)

    def sum(self, t: Type) -> c.Sum:
        """Return the sum type that a type is, or that a data type is defined as."""
        if isinstance(t, c.Data):
            return self._data[t.name].type
        if not isinstance(t, c.Sum):
            raise TypeError(f"{t} is not a sum")
        return t

    def slots(self, t: c.Sum, at: Span = NOWHERE) -> Slots:
        """Return the slots of a sum."""
        types: list[Type] = []
        where: dict[str, tuple[int, ...]] = {}
        for name, payload in t.constructors:
            taken: list[int] = []
            for part in (p for u in payload for p in self.parts(u, at)):
                k = next(
                    (
                        k
                        for k, s in enumerate(types)
                        if k not in taken and unsized(s) == unsized(part)
                    ),
                    len(types),
                )
                if k == len(types):
                    types.append(part)
                else:
                    types[k] = meet(types[k], part)
                taken.append(k)
            where[name] = tuple(taken)
        return Slots(tuple(types), where)

    def field(self, t: c.Record, label: str) -> slice:
        """Return the range of a field's parts among the parts of its record."""
        start = 0
        for name, u in t.fields:
            count = len(self.parts(u))
            if name == label:
                return slice(start, start + count)
            start += count
        raise KeyError(label)


def meet(a: Type, b: Type) -> Type:
    """Return the common type of two types that differ in sizes only: other sizes are unknown."""
    match a, b:
        case c.Array(s, m), c.Array(t, n):
            return c.Array(meet(s, t), m if m == n else None)
        case c.Record(fs), c.Record(gs):
            return c.Record(tuple((x, meet(s, t)) for (x, s), (_, t) in zip(fs, gs, strict=True)))
        case _:
            return a if a == b else unsized(a)


def zero(t: ScalarType) -> c.Const:
    """Return the value that fills an unused slot of a scalar type."""
    return c.Const(normalise(0, t), t)


def blank(t: Type) -> Exp:
    """Return the value that fills an unused slot.

    It is zeros, of the sizes that the type states; an unknown size is 0.
    """
    if isinstance(t, ScalarType):
        return zero(t)
    if not isinstance(t, c.Array):
        raise TypeError(f"{t} is not the type of a part")
    return c.Replicate(_possible(t.size), blank(t.elem))


def _possible(s: Size | None) -> Exp:
    """Return a size as an expression that is never negative; 0 if the size is unknown.

    A type may state a negative size if no value of that constructor exists.  A size that is a name
    is the length of an array, so it is taken as it is.
    """
    if s is None:
        return c.Const(0, I64)
    if any(k < 0 for _, k in s.terms):
        return _clamped(size_exp(s, c.Var))
    return size_exp(s, lambda x: _clamped(c.Var(x)))


def _clamped(e: Exp) -> Exp:
    return c.Bin(BinOp.MAX, e, c.Const(0, I64))


def size_exp(s: Size, named: Callable[[Name], Exp]) -> Exp:
    """Return a size as an expression; ``named`` gives the expression for each name."""
    total: Exp | None = None
    for monomial, k in s.terms:
        factors = [named(x) for x in monomial]
        if k != 1 or not factors:
            factors.insert(0, c.Const(normalise(k, I64), I64))
        term = _joined(BinOp.MUL, factors)
        total = term if total is None else c.Bin(BinOp.ADD, total, term)
    return c.Const(0, I64) if total is None else total


def _joined(op: BinOp, es: Sequence[Exp]) -> Exp:
    total = es[0]
    for e in es[1:]:
        total = c.Bin(op, total, e)
    return total


def _unsupported(at: Span, what: str) -> SourceError:
    return SourceError(Diagnostic(at, "not-supported", f"not supported: {what}"))
