"""The part of the interpreters that deals with names, sizes and scalar expressions.

An interpreter runs an entry point in two steps.  It first *resolves* the syntax tree to closures,
and each operator to the function of its operand type; then it runs the closures.  Every name is
bound once in an entry point (T-FRESH), so one dictionary per run holds all values.  A body needs no
dictionary of its own: an iteration overwrites the values of the one before it.
"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeAlias, TypeVar, cast

from funmem.interp.traps import Range, SliceIndex
from funmem.ir.diagnostics import NOWHERE, Diagnostic, Span, Stuck, Trap, TrapKind, UsageError
from funmem.ir.fun import (
    Ann,
    Atom,
    Bin,
    Const,
    Convert,
    Entry,
    Program,
    ScalarExp,
    Type,
    Un,
    Var,
)
from funmem.ir.lmad import DimFix, DimRange, Lmad, SliceDim
from funmem.ir.messages import SizedMessage, fill
from funmem.ir.names import Name
from funmem.ir.scalars import (
    I64,
    BinFn,
    OperatorTrap,
    OperatorTrapKind,
    ScalarType,
    UnFn,
    Value,
    bin_fn,
    bin_result,
    convert_fn,
    un_fn,
    un_result,
)
from funmem.ir.sizes import Size

V = TypeVar("V")
Get: TypeAlias = Callable[[], Value]
GetInt: TypeAlias = Callable[[], int]
GetInts: TypeAlias = Callable[[], tuple[int, ...]]
Step: TypeAlias = Callable[[], None]

_KIND = {
    OperatorTrapKind.DIVISION_BY_ZERO: TrapKind.DIVISION,
    OperatorTrapKind.NEGATIVE_EXPONENT: TrapKind.EXPONENT,
}


def entry_named(p: Program[Ann], name: str) -> Entry[Ann]:
    """Return the entry point called ``name``.  Raises UsageError if there is none."""
    for entry in p.entries:
        if entry.name == name:
            return entry
    known = ", ".join(f"`{e.name}`" for e in p.entries)
    raise UsageError(Diagnostic(NOWHERE, "entry", f"no entry point `{name}`; there is {known}"))


def operator_trap(trap: OperatorTrap, at: Span) -> Trap:
    """Return the trap of a statement in which an operator has no result."""
    return Trap(_KIND[trap.kind], trap.kind.value, at)


class Scope(Generic[V]):
    """Maps names to their values (``values``) and to the types of their binders (``types``).

    ``V`` is the type of the values that an interpreter binds to names.  ``ints`` is the same
    dictionary as ``values``, typed for names of type i64; the checker guarantees these types.
    """

    def __init__(self) -> None:
        self.values: dict[Name, V] = {}
        self.types: dict[Name, Type] = {}
        self._scalars = cast(dict[Name, Value], self.values)
        self.ints = cast(dict[Name, int], self.values)

    def type_of(self, x: Name) -> Type:
        """Return the type in the binder of ``x``.  Raises Stuck if it is not bound."""
        if x not in self.types:
            raise Stuck(f"`{x}` is not bound")
        return self.types[x]

    # -- scalar expressions

    def scalar(self, e: ScalarExp) -> tuple[Get, ScalarType]:
        """E-SCALAR: return a function that computes ``e`` from the current values, and its type."""
        match e:
            case Const(v, t):
                return (lambda: v), t
            case Var(x):
                scalars = self._scalars
                return (lambda: scalars[x]), self.scalar_type(x)
            case Bin(op, a, b):
                (f, t), (g, u) = self.scalar(a), self.scalar(b)
                result = bin_result(op, t)
                if t is not u or result is None:
                    raise Stuck(f"operator {op} has operands of type {t} and {u}")
                return self._apply_bin(bin_fn(op, t), (a, f), (b, g)), result
            case Un(op, a):
                f, t = self.scalar(a)
                result = un_result(op, t)
                if result is None:
                    raise Stuck(f"operator {op} has an operand of type {t}")
                return self._apply_un(un_fn(op, t), a, f), result
            case Convert(to, a):
                f, t = self.scalar(a)
                return self._apply_un(convert_fn(t, to), a, f), to

    def scalar_type(self, x: Name) -> ScalarType:
        """Return the type of a scalar.  Raises Stuck if the name is not one."""
        t = self.type_of(x)
        if not isinstance(t, ScalarType):
            raise Stuck(f"`{x}` has type {t}, which is not a scalar type")
        return t

    def _apply_bin(self, fn: BinFn, a: tuple[ScalarExp, Get], b: tuple[ScalarExp, Get]) -> Get:
        """Return ``fn`` applied to the operands, without calls for frequent kinds of operands."""
        scalars = self._scalars
        match a, b:
            case (Var(x), _), (Var(y), _):
                return lambda: fn(scalars[x], scalars[y])
            case (Var(x), _), (Const(v, _), _):
                return lambda: fn(scalars[x], v)
            case (Var(x), _), (_, g):
                return lambda: fn(scalars[x], g())
            case (_, f), (Var(y), _):
                return lambda: fn(f(), scalars[y])
            case (_, f), (_, g):
                return lambda: fn(f(), g())

    def _apply_un(self, fn: UnFn, a: ScalarExp, f: Get) -> Get:
        scalars = self._scalars
        if isinstance(a, Var):
            x = a.name
            return lambda: fn(scalars[x])
        return lambda: fn(f())

    def atom(self, a: Atom) -> Callable[[], V]:
        """Return a function that gives the value of an atom of any type."""
        match a:
            case Const(v, _):
                constant = cast(V, v)
                return lambda: constant
            case Var(x):
                self.type_of(x)
                values = self.values
                return lambda: values[x]

    def atoms(self, atoms: Sequence[Atom]) -> Callable[[], tuple[V, ...]]:
        """Return a function that gives the values of several atoms as a tuple."""
        gets = [self.atom(a) for a in atoms]
        if len(gets) == 1:
            get = gets[0]
            return lambda: (get(),)
        return lambda: tuple([get() for get in gets])

    # -- sizes

    def size(self, d: Size) -> GetInt:
        """Return a function that computes a size."""
        ints = self.ints
        if (k := d.as_const) is not None:
            return lambda: k
        for monomial, _ in d.terms:
            for x in monomial:
                if self.type_of(x) is not I64:
                    raise Stuck(f"size `{x}` is of type {self.type_of(x)}")
        if (name := d.as_name) is not None:
            return lambda: ints[name]
        lookup = ints.__getitem__
        return lambda: d.eval(lookup)

    def sizes(self, ds: Sequence[Size]) -> GetInts:
        """Return a function that computes several sizes."""
        gets = [self.size(d) for d in ds]
        match gets:
            case [get]:
                return lambda: (get(),)
            case [get, other]:
                return lambda: (get(), other())
            case _:
                return lambda: tuple([get() for get in gets])

    def message(self, said: SizedMessage) -> str:
        """Return a message about sizes, filled in with their current values."""
        return fill(said.message, map(str, self.sizes(said.args)()))

    def slice(self, dims: Sequence[SliceDim]) -> Callable[[], tuple[SliceIndex, ...]]:
        """Return a function that computes the indices and ranges of a slice."""
        gets = [self._slice_dim(d) for d in dims]
        return lambda: tuple([get() for get in gets])

    def lmad(self, ix: Lmad) -> Callable[[], tuple[int, list[tuple[int, int]]]]:
        """Return a function that computes the offset and the dimensions of an LMAD."""
        offset, lens, strides = self.size(ix.offset), self.sizes(ix.shape), self.sizes(ix.strides)
        return lambda: (offset(), list(zip(lens(), strides(), strict=True)))

    def _slice_dim(self, d: SliceDim) -> Callable[[], SliceIndex]:
        match d:
            case DimFix(i):
                return self.size(i)
            case DimRange(start, length, stride):
                parts = self.sizes((start, length, stride))
                return lambda: Range(*parts())
