"""Properties of Core expressions that the elaboration of comprehensions needs."""

from collections.abc import Iterator

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import parts
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import Size, const, var


def polynomial(e: Exp) -> Size | None:
    """Return an i64 expression of sums and products as a polynomial, or None."""
    if isinstance(e, c.Const):
        return const(e.value) if e.type is I64 and isinstance(e.value, int) else None
    if isinstance(e, c.Var):
        return var(e.name)
    if not isinstance(e, c.Bin) or e.op not in (BinOp.ADD, BinOp.SUB, BinOp.MUL):
        return None
    x, y = polynomial(e.a), polynomial(e.b)
    if x is None or y is None:
        return None
    return x + y if e.op is BinOp.ADD else x - y if e.op is BinOp.SUB else x * y


_TOTAL = frozenset(BinOp) - {BinOp.DIV, BinOp.MOD, BinOp.QUOT, BinOp.REM, BinOp.POW}


def may_trap(e: Exp) -> bool:
    """True unless evaluating ``e`` surely does not trap."""
    match e:
        case c.Var() | c.Const() | c.Lambda():
            return False
        case c.Assert(cond=c.Const(True), body=body):
            return may_trap(body)
        case c.Bin(op, _, _) if op not in _TOTAL:
            return True
        case (
            c.Let()
            | c.If()
            | c.Fields()
            | c.Project()
            | c.Construct()
            | c.Bin()
            | c.Un()
            | c.Convert()
            | c.Equal()
            | c.ArrayLit()
            | c.Copy()
            | c.Rearrange()
            | c.Reverse()
            | c.Unzip()
            | c.Length(dim=0)
        ):
            return any(map(may_trap, parts(e)))
        case c.Global() | c.Mu() | c.App() | c.Foreign() | c.Match() | c.Loop() | c.Assert():
            return True
        case c.ArrayOperation():
            return True


def arbitrary_value(t: c.Type, at: Span) -> Exp:
    """Return an arbitrary value of a type, for a place that is never read."""
    match t:
        case ScalarType():
            return c.Const(False if t is BOOL else 0.0 if t.is_float else 0, t, at)
        case c.Array(elem):
            return c.ArrayLit((), elem, at)
        case c.Record() | c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token():
            raise TypeError(f"{at}: no value of type {t} is known")


def free_names(e: Exp) -> frozenset[Name]:
    """Return the local names that occur; names are unique, so a bound one is not a row variable."""
    return frozenset(_names(e))


def _names(e: Exp) -> Iterator[Name]:
    if isinstance(e, c.Var):
        yield e.name
    for part in parts(e):
        yield from _names(part)
