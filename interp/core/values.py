"""Values of Core during execution.

A value has a type, up to unknown sizes.  An array is a tuple of values; an empty array stores the
type that its elements would have.  All values are immutable.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, Span, Stuck, Trap, TrapKind
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, BinOp, ScalarType, eval_bin
from funmem.ir.scalars import Value as ScalarValue
from funmem.ir.sizes import const

# ---------------------------------------------------------------------- kinds of values


class Num(NamedTuple):
    """A scalar."""

    v: ScalarValue
    t: ScalarType


class Hole(NamedTuple):
    """A scalar or a sum that was never given a value; its use traps."""

    t: ScalarType | c.Sum | c.Data


class Rows(NamedTuple):
    """An array.  ``row``: the element type of an empty array; its sizes are numbers or unknown."""

    elems: "tuple[Val, ...]"
    row: Type


class Rec(NamedTuple):
    """A record."""

    fields: "tuple[tuple[str, Val], ...]"


class Tagged(NamedTuple):
    """A value of a sum or a data type."""

    name: str
    args: "tuple[Val, ...]"
    type: c.Sum | c.Data


@frozen(eq=False)
class Env:
    """The names in scope: the values of variables and the types of type variables."""

    values: "dict[Name, Val]"
    types: Mapping[Name, Type]

    def having(self, values: "Mapping[Name, Val]") -> "Env":
        """Return the environment extended by ``values``."""
        return Env({**self.values, **values}, self.types)


@frozen(eq=False)
class Closure:
    """A lambda with its environment; ``itself``: its own name in its body (``mu``).

    ``type``: the type of the definition whose value it is, if it is one.
    """

    params: tuple[c.Binder, ...]
    body: c.Exp
    env: Env
    itself: c.Binder | None = None
    type: Type | None = None


@frozen(eq=False)
class Partial:
    """A closure applied to fewer arguments than it has parameters."""

    fn: Closure
    args: "tuple[Val, ...]"


Fn: TypeAlias = Closure | Partial
Val: TypeAlias = Num | Hole | Rows | Rec | Tagged | Closure | Partial

UNIT = Rec(())
"""The empty record; also the value of a token, which has no bits."""

# ---------------------------------------------------------------------- making values

MOST = 1 << 24
"""Cap on the number of elements of an array, since they are Python objects."""


def i64(k: int) -> Num:
    """Return an i64."""
    return Num(k, I64)


def rows(elems: "Iterable[Val]", row: Type) -> Rows:
    """Return an array; ``row`` is its element type if it is empty."""
    return Rows(tuple(elems), row)


def group(values: "tuple[Val, ...]") -> "Val":
    """Return several results as one value: the only one, or a record of them."""
    if len(values) == 1:
        return values[0]
    return Rec(tuple((str(k), v) for k, v in enumerate(values)))


def sized(n: int, at: Span) -> int:
    """Return the size of a new array.  Raises Trap if it is negative, DeviceError above MOST."""
    if n < 0:
        raise Trap(TrapKind.NEGATIVE_SIZE, f"Size {n} is negative.", at)
    if n > MOST:
        what = f"an array of {n} elements does not fit into this interpreter"
        raise DeviceError(Diagnostic(at, "memory", what))
    return n


# ---------------------------------------------------------------------- inspecting values


def number(v: Val, at: Span = NOWHERE) -> Num:
    """Return a scalar.  Raises Trap if it was never given a value."""
    match v:
        case Num():
            return v
        case Hole():
            raise Trap(TrapKind.UNINITIALISED, "The element was never given a value.", at)
        case Rows() | Rec() | Tagged() | Closure() | Partial():
            raise Stuck(f"{at}: a scalar is needed, not {show_kind(v)}")


def integer(v: Val, at: Span = NOWHERE) -> int:
    """Return the value of an i64.  Raises Trap if it was never given a value."""
    n = number(v, at)
    if n.t is not I64 or not isinstance(n.v, int):
        raise Stuck(f"{at}: an i64 is needed, not {n.t}")
    return n.v


def array(v: Val, at: Span = NOWHERE) -> Rows:
    """Return an array.  Raises Stuck for another value."""
    if not isinstance(v, Rows):
        raise Stuck(f"{at}: an array is needed, not {show_kind(v)}")
    return v


def record(v: Val, at: Span = NOWHERE) -> Rec:
    """Return a record.  Raises Stuck for another value."""
    if not isinstance(v, Rec):
        raise Stuck(f"{at}: a record is needed, not {show_kind(v)}")
    return v


def several(v: Val, n: int, at: Span = NOWHERE) -> "tuple[Val, ...]":
    """Return the ``n`` values that :func:`group` has made one."""
    if n == 1:
        return (v,)
    fields = record(v, at).fields
    if len(fields) != n:
        raise Stuck(f"{at}: {n} values are needed, not {len(fields)}")
    return tuple([x for _, x in fields])


def show_kind(v: Val) -> str:
    """Describe a value in words, for messages."""
    match v:
        case Num(x, t):
            return f"{x} : {t}"
        case Hole(t):
            return f"an undefined {t}"
        case Rows(elems, _):
            return f"an array of {len(elems)}"
        case Rec(fields):
            return f"a record of {', '.join(label for label, _ in fields) or 'nothing'}"
        case Tagged(name, _, _):
            return f"#{name}"
        case Closure() | Partial():
            return "a function"


# ---------------------------------------------------------------------- types and shapes


def type_of_value(v: Val) -> Type:
    """Return the type of a value without functions; its sizes are numbers or unknown."""
    match v:
        case Num(_, t) | Hole(t):
            return t
        case Rows(elems, row):
            return c.Array(row_type(v) if elems else row, const(len(elems)))
        case Rec(fields):
            return c.Record(tuple([(label, type_of_value(x)) for label, x in fields]))
        case Tagged(_, _, t):
            return t
        case Closure() | Partial():
            raise Stuck("a function where data is expected")


def row_type(v: Rows) -> Type:
    """Return the element type of an array: that of its first element, if there is one."""
    if not v.elems:
        return v.row
    first = v.elems[0]
    return v.row if isinstance(first, Closure | Partial) else type_of_value(first)


Dims: TypeAlias = tuple[int | None, ...]
"""A shape; None is an unknown size, of the rows of an empty array."""


def shape(v: Val, rank: int, at: Span) -> Dims:
    """Return the outermost ``rank`` dimensions.  Raises Trap if they are irregular."""
    if rank == 0:
        return ()
    xs = array(v, at)
    if rank == 1:
        return (len(xs.elems),)
    if not xs.elems:
        return (0, *_type_shape(xs.row, rank - 1))
    found = shape(xs.elems[0], rank - 1, at)
    for x in xs.elems[1:]:
        other = shape(x, rank - 1, at)
        if any(m != n for m, n in zip(found, other, strict=True) if None not in (m, n)):
            text = f"a row of shape {show_shape(other)} where the first has shape"
            raise Trap(TrapKind.SHAPE, f"Irregular array: {text} {show_shape(found)}.", at)
        found = tuple([n if m is None else m for m, n in zip(found, other, strict=True)])
    return (len(xs.elems), *found)


def _type_shape(t: Type, rank: int) -> Dims:
    out: list[int | None] = []
    for _ in range(rank):
        if not isinstance(t, c.Array):
            raise Stuck(f"an array has fewer dimensions than {rank}")
        out.append(None if t.size is None else t.size.as_const)
        t = t.elem
    return tuple(out)


def show_shape(dims: Iterable[int | None]) -> str:
    """Return a shape as text: ``[2][3]``; an unknown size is shown as 0."""
    return "".join([f"[{n or 0}]" for n in dims])


# ---------------------------------------------------------------------- equality


def equal(a: Val, b: Val, at: Span) -> bool:
    """True if ``a == b`` in the program; floats are compared as IEEE defines.

    Arrays of one length are compared completely, as in a map, so a hole always traps.  Records and
    payloads are compared from left to right up to the first difference.
    """
    match a, b:
        case Rows(xs, _), Rows(ys, _):
            if len(xs) != len(ys):
                return False
            same = [equal(x, y, at) for x, y in zip(xs, ys, strict=True)]
            return all(same)
        case Rec(fs), Rec(gs):
            return all(equal(x, y, at) for (_, x), (_, y) in zip(fs, gs, strict=True))
        case Tagged(m, xs, _), Tagged(n, ys, _):
            return m == n and all(equal(x, y, at) for x, y in zip(xs, ys, strict=True))
        case ((Tagged() | Hole()), (Tagged() | Hole())):  # one of them is a hole, so this traps
            return bool(number(a if isinstance(a, Hole) else b, at).v)
        case ((Num() | Hole()), (Num() | Hole())):
            x, y = number(a, at), number(b, at)
            return bool(eval_bin(BinOp.EQ, x.t, x.v, y.v))
        case _:
            raise Stuck(f"{at}: {show_kind(a)} is compared with {show_kind(b)}")
