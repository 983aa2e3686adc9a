"""Small expressions, and taking expressions apart."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import map_parts, resize
from funmem.ir.diagnostics import Span, Stuck
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType, normalise
from funmem.ir.sizes import var
from funmem.passes.core.names import inside


def body_of(d: Def) -> Exp:
    """What a definition computes, from its parameters if it has some."""
    return d.exp.body if isinstance(d.exp, c.Lambda) else d.exp


def int64(k: int) -> c.Const:
    """An i64 constant."""
    return c.Const(k, I64)


def zero(t: ScalarType) -> c.Const:
    """The value of places that hold nothing."""
    return c.Const(normalise(0, t), t)


def binary(op: BinOp, a: Exp, b: Exp) -> Exp:
    """``a ⊕ b``."""
    return c.Bin(op, a, b)


def variables(bs: Iterable[c.Binder]) -> tuple[Exp, ...]:
    """The names of binders, as expressions."""
    return tuple(c.Var(b.name) for b in bs)


def is_scalar(b: c.Binder) -> bool:
    """Whether a binder's type is a scalar's."""
    return isinstance(b.type, ScalarType)


def scalar_type(b: c.Binder) -> ScalarType:
    """The type of a binder that is a scalar's."""
    if not isinstance(b.type, ScalarType):
        raise Stuck(f"`{b.name}` is no scalar")
    return b.type


def several(t: Type) -> list[Type]:
    """The types of a definition's results."""
    return [u for _, u in t.fields] if isinstance(t, c.Record) else [t]


def spelt_out(op: BinOp, a: Exp, b: Exp, at: Span) -> Exp:
    """``a && b`` and ``a || b`` as what they are short for."""
    if op is BinOp.LAND:
        return c.If(a, b, c.Const(False, BOOL), at)
    return c.If(a, c.Const(True, BOOL), b, at)


def before(e: c.Let | c.Assert) -> Exp:
    """What a link of a chain evaluates before its body."""
    return e.exp if isinstance(e, c.Let) else c.tuple_exp(e.cond, *e.values)


def rewrapped(chain: Sequence[c.Let | c.Assert], e: Exp) -> Exp:
    """The links of a chain around another end."""
    for link in reversed(chain):
        match link:
            case c.Let(binders, exp, _, at):
                e = c.Let(binders, exp, e, at)
            case c.Assert(cond, message, values, _, at):
                e = c.Assert(cond, message, values, e, at)
    return e


def renamed(e: Exp, new: Mapping[Name, Name]) -> Exp:
    """``e`` where free names are called otherwise; none of the new names is bound in it."""
    sizes = {x: var(y) for x, y in new.items()}

    def go(x: Exp) -> Exp:
        if isinstance(x, c.Var):
            return c.Var(new.get(x.name, x.name), x.at)
        return map_parts(x, go, lambda t: resize(t, lambda d: d.subst(sizes)))

    return go(e)


def definitions_in(e: Exp) -> Iterator[Name]:
    """The definitions that an expression mentions."""
    return (x.name for x in inside(e) if isinstance(x, c.Global))
