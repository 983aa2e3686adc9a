"""Constructors and accessors of expressions, for the other modules of this folder."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import map_parts, parts, resize
from funmem.ir.diagnostics import Span, Stuck
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType, normalise
from funmem.ir.sizes import var
from funmem.passes.core.names import inside

SHAPES = "the destinations of a histogram have shapes that differ"


def body_of(d: Def) -> Exp:
    """Return the body of a definition, without its parameters."""
    return d.exp.body if isinstance(d.exp, c.Lambda) else d.exp


def int64(k: int) -> c.Const:
    """Return an i64 constant."""
    return c.Const(k, I64)


def zero(t: ScalarType) -> c.Const:
    """Return the value of an unused place."""
    return c.Const(normalise(0, t), t)


def blank(t: Type) -> Exp:
    """Return the value of an unused place of any type of a part: zero, or an empty array."""
    if isinstance(t, c.Array):
        return c.Replicate(int64(0), blank(t.elem))
    if not isinstance(t, ScalarType):
        raise Stuck(f"{t} is not the type of a part")
    return zero(t)


def binary(op: BinOp, a: Exp, b: Exp) -> Exp:
    """Return ``a ⊕ b``."""
    return c.Bin(op, a, b)


def variables(bs: Iterable[c.Binder]) -> tuple[Exp, ...]:
    """Return the names of binders, as expressions."""
    return tuple(c.Var(b.name) for b in bs)


def is_scalar(b: c.Binder) -> bool:
    """True if a binder has a scalar type."""
    return isinstance(b.type, ScalarType)


def is_scalar_type(t: Type) -> bool:
    """True if a type is a scalar type."""
    return isinstance(t, ScalarType)


def scalar_type(b: c.Binder) -> ScalarType:
    """Return the type of a scalar binder."""
    if not isinstance(b.type, ScalarType):
        raise Stuck(f"`{b.name}` is not a scalar")
    return b.type


def several(t: Type) -> list[Type]:
    """Return the types of a definition's results."""
    return [u for _, u in t.fields] if isinstance(t, c.Record) else [t]


def spelt_out(op: BinOp, a: Exp, b: Exp, at: Span) -> Exp:
    """Return ``a && b`` or ``a || b`` as an ``if``."""
    if op is BinOp.LAND:
        return c.If(a, b, c.Const(False, BOOL), at)
    return c.If(a, c.Const(True, BOOL), b, at)


def before(e: c.Let | c.Assert) -> Exp:
    """Return the expression that a link evaluates before its body; a tuple for an assertion."""
    return e.exp if isinstance(e, c.Let) else c.tuple_exp(e.cond, *e.values)


def rewrapped(chain: Sequence[c.Let | c.Assert], e: Exp) -> Exp:
    """Return ``e`` with the links of a chain around it."""
    for link in reversed(chain):
        match link:
            case c.Let(binders, exp, _, at):
                e = c.Let(binders, exp, e, at)
            case c.Assert(cond, message, values, _, at):
                e = c.Assert(cond, message, values, e, at)
    return e


def renamed(e: Exp, new: Mapping[Name, Name]) -> Exp:
    """Return ``e`` with free names renamed; it must not bind any of the new names."""
    sizes = {x: var(y) for x, y in new.items()}

    def go(x: Exp) -> Exp:
        if isinstance(x, c.Var):
            return c.Var(new.get(x.name, x.name), x.at)
        return map_parts(x, go, lambda t: resize(t, lambda d: d.subst(sizes)))

    return go(e)


def definitions_in(e: Exp) -> Iterator[Name]:
    """Yield the definitions that an expression mentions."""
    return (x.name for x in inside(e) if isinstance(x, c.Global))


class Calls:
    """True of the expressions that mention one of some definitions; each is searched once."""

    def __init__(self, names: Collection[Name]) -> None:
        self._names = names
        self._found: dict[int, tuple[Exp, bool]] = {}
        """By identity: the expressions that were searched."""

    def __call__(self, e: Exp) -> bool:
        """True if ``e`` mentions a definition."""
        if isinstance(e, c.Leaf):
            return isinstance(e, c.Global) and e.name in self._names
        known = self._found.get(id(e))
        if known is None:
            calls = False
            for part in parts(e):  # a loop takes one frame for each level: trees are deep
                if self(part):
                    calls = True
                    break
            known = self._found[id(e)] = (e, calls)
        return known[1]
