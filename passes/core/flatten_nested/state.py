"""Ragged values, the bindings that are being made, and small expressions."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_types import Defs, type_of
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.passes.core.names import free_names
from funmem.passes.core.unique import Unique

INTS = c.Array(I64)


class Refused(Exception):
    """The pass does not know how to flatten an expression: ``what``, at a place."""

    def __init__(self, what: str, at: Span = NOWHERE) -> None:
        super().__init__(what)
        self.what, self.at = what, at


@frozen
class Ragged:
    """Rows end to end: the names of the offsets, of the elements, and their type."""

    offsets: Name
    data: Name
    elem: ScalarType


@frozen
class Deep:
    """Rows of rows: the offsets of the outer ones among the inner ones, which are ragged."""

    offsets: Name
    inner: "Ragged | Deep"

    @property
    def elem(self) -> ScalarType:
        """The type of the elements."""
        return self.inner.elem


Stored: TypeAlias = Ragged | Deep


def depth(x: Stored) -> int:
    """Return the number of arrays of offsets."""
    return 1 if isinstance(x, Ragged) else 1 + depth(x.inner)


def names_of(x: Stored) -> tuple[Name, ...]:
    """Return the names of the offsets, outermost first, and of the elements."""
    if isinstance(x, Ragged):
        return (x.offsets, x.data)
    return (x.offsets, *names_of(x.inner))


def of_names(names: Sequence[Name], elem: ScalarType) -> Stored:
    """Return the value with these offsets, outermost first, and elements."""
    first, *others = names
    if len(others) == 1:
        return Ragged(first, others[0], elem)
    return Deep(first, of_names(others, elem))


def types_of(x: Stored) -> tuple[Type, ...]:
    """Return the types of :func:`names_of`."""
    return (*[INTS] * depth(x), c.Array(x.elem))


def like(t: Type) -> Stored:
    """Return a value without names, of the depth and elements of an array type."""
    return of_names([Name("")] * rank(t), elem_of(t))


def rank(t: Type) -> int:
    """Return the number of dimensions of a type."""
    k = 0
    while isinstance(t, c.Array):
        k, t = k + 1, t.elem
    return k


def elem_of(t: Type) -> ScalarType:
    """Return the scalar type of the elements of an array.  Raises Refused."""
    while isinstance(t, c.Array):
        t = t.elem
    if not isinstance(t, ScalarType):
        raise Refused(f"elements of type {t}")
    return t


@define(eq=False)
class State:
    """One entry point: the names, their types, the ragged values, and the bindings of a scope."""

    defs: Defs
    fresh: Fresh
    types: dict[Name, Type]
    ragged: dict[Name, Stored] = field(factory=dict)
    made: dict[tuple[Name, tuple[bool, ...]], Name] = field(factory=dict)
    """Recursive functions, and which arguments are ragged -> definitions that take offsets."""
    new_defs: list[c.Def] = field(factory=list)
    lifted: bool = False
    """True if a map was replaced by operations on all rows."""
    uncut: list[str] = field(factory=list)
    """Of each reduction whose rows no pieces share: why."""
    out: list[tuple[tuple[c.Binder, ...], Exp] | tuple[c.Assert]] = field(factory=list)

    def type(self, e: Exp) -> Type:
        """Return the type of an expression of the program."""
        return type_of(e, self.types, self.defs)

    def let(self, base: str, t: Type, e: Exp) -> Name:
        """Bind an expression to a new name in the current scope."""
        name = self.fresh(base)
        self.types[name] = t
        self.out.append(((c.Binder(name, t),), e))
        return name

    def check(self, cond: Exp, message: str, values: tuple[Exp, ...] = ()) -> None:
        """Add an assertion to the current scope."""
        self.out.append((c.Assert(cond, message, values, cond),))

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Collect bindings of an inner scope; :meth:`wrapped` puts them around its value."""
        outer, self.out = self.out, []
        try:
            yield
        finally:
            self.out = outer

    def wrapped(self, e: Exp) -> Exp:
        """Return an expression with the bindings of the current scope around it."""
        for step in reversed(self.out):
            if len(step) == 1:
                (a,) = step
                e = c.Assert(a.cond, a.message, a.values, e, a.at)
            else:
                binders, exp = step
                e = c.Let(binders, exp, e)
        return e

    def copy(self, e: Exp, image: Mapping[Name, Name] | None = None) -> Exp:
        """Return an expression whose bound names are new."""
        names = {x: x for x in free_names(e)} | dict(image or {})
        new = Unique({}, self.fresh).exp(e, names)
        self.note(new)
        return new

    def note(self, e: Exp) -> None:
        """Note the types of the names that an expression binds."""
        from funmem.passes.core.names import binders, inside

        for x in inside(e):
            self.types |= {b.name: b.type for b in binders(x)}

    def rows(self, x: Stored) -> Exp:
        """Return the number of rows."""
        return minus(c.Length(c.Var(x.offsets)), one())

    def total(self, x: Stored) -> Exp:
        """Return the number of elements of the rows."""
        return c.Length(c.Var(x.data)) if isinstance(x, Ragged) else self.rows(x.inner)

    def named(self, base: str, like: Stored) -> Stored:
        """Return new names for a value of the same depth and elements."""
        bases = (*[f"{base}_offsets"] * depth(like), base)
        names = [self.fresh(b) for b in bases]
        self.types |= dict(zip(names, types_of(like), strict=True))
        return of_names(names, like.elem)


def one() -> Exp:
    """Return 1."""
    return c.Const(1, I64)


def zero() -> Exp:
    """Return 0."""
    return c.Const(0, I64)


def plus(a: Exp, b: Exp) -> Exp:
    """Return a + b."""
    return c.Bin(BinOp.ADD, a, b)


def minus(a: Exp, b: Exp) -> Exp:
    """Return a - b."""
    return c.Bin(BinOp.SUB, a, b)


def at(x: Name | Exp, i: Exp) -> Exp:
    """Return element i."""
    return c.Index(x if not isinstance(x, str) else c.Var(x), (c.Fix(i),))


def iota(n: Exp) -> Exp:
    """Return 0 … n - 1."""
    return c.Iota(n, zero(), one())


def start_of(x: Stored, i: Exp) -> Exp:
    """Return the offset of row i."""
    return at(x.offsets, i)


def row_of(x: Ragged, i: Exp) -> Exp:
    """Return row i as a slice of the elements."""
    span = c.Range(start_of(x, i), start_of(x, plus(i, one())), None)
    return c.Index(c.Var(x.data), (span,))


def lengths_at(x: Stored, i: Exp) -> Exp:
    """Return the length of row i."""
    return minus(start_of(x, plus(i, one())), start_of(x, i))


def between(s: State, x: Stored, lo: Exp, hi: Exp) -> Stored:
    """Bind the rows lo … hi - 1 as a value of its own; ``lo`` and ``hi`` are variables."""
    first, last = s.let("first", I64, at(x.offsets, lo)), s.let("last", I64, at(x.offsets, hi))
    k = s.fresh("k")
    moved = minus(at(x.offsets, plus(lo, c.Var(k))), c.Var(first))
    count = plus(minus(hi, lo), one())
    own = c.Map(c.Lambda((c.Binder(k, I64),), moved), (iota(count),))
    offsets = s.let("offsets", INTS, own)
    if isinstance(x, Deep):
        return Deep(offsets, between(s, x.inner, c.Var(first), c.Var(last)))
    part = c.Index(c.Var(x.data), (c.Range(c.Var(first), c.Var(last), None),))
    return Ragged(offsets, s.let("data", c.Array(x.elem), part), x.elem)


def row_at(s: State, x: Deep, i: Exp) -> Stored:
    """Bind row i, which has rows itself."""
    lo, hi = (s.let(b, I64, start_of(x, j)) for b, j in (("lo", i), ("hi", plus(i, one()))))
    return between(s, x.inner, c.Var(lo), c.Var(hi))


def prefixes(s: State, lengths: Exp) -> Name:
    """Bind the offsets of rows of these lengths."""
    a, b = s.fresh("a"), s.fresh("b")
    add = c.Lambda((c.Binder(a, I64), c.Binder(b, I64)), plus(c.Var(a), c.Var(b)))
    ends = c.Scan(add, (zero(),), (lengths,))
    return s.let("offsets", INTS, c.Concat((c.ArrayLit((zero(),), I64), ends)))


def all_of(s: State, tests: Exp) -> Exp:
    """Return the conjunction of an array of bools."""
    a, b = s.fresh("a"), s.fresh("b")
    both = c.Bin(BinOp.LAND, c.Var(a), c.Var(b))
    op = c.Lambda((c.Binder(a, BOOL), c.Binder(b, BOOL)), both)
    return c.Reduce(op, (c.Const(True, BOOL),), (tests,), True)
