"""The built-in functions and their types (papers/frontends/nova.md says what they mean)."""

from collections.abc import Mapping
from functools import cache

from funmem.frontends import sexpr
from funmem.frontends.nova import ast
from funmem.frontends.nova.parse_types import parse_type
from funmem.frontends.nova.tokens import SYNTAX, Cursor
from funmem.frontends.nova.types import FLOAT, INT, NUM
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType


@frozen
class BuiltIn:
    """The type of a built-in, whose ``'a`` is of a class; ``eq``: its values can be compared."""

    text: str
    options: frozenset[ScalarType] | None = None
    eq: bool = False

    @property
    def type(self) -> ast.Type:
        return _parsed(self.text)


@cache
def _parsed(text: str) -> ast.Type:
    data, end = sexpr.read(text, "<built-in>", SYNTAX)
    return parse_type(Cursor(data, end))


_TWO, _ONE = "'a -> 'a -> 'a", "'a -> 'a"
_COMPARE = "'a -> 'a -> bool"
_FOLD = "'a -> vector 'a"

BUILT_INS: Mapping[str, BuiltIn] = {
    **{op: BuiltIn(_TWO, NUM) for op in ("+", "-", "*", "/", "min", "max")},
    **{op: BuiltIn(_ONE, NUM) for op in ("neg", "abs")},
    **{op: BuiltIn(_TWO, INT) for op in ("%", "&", "|", "^", "<<", ">>")},
    "~": BuiltIn(_ONE, INT),
    **{op: BuiltIn(_COMPARE, NUM) for op in ("<", "<=", ">", ">=")},
    **{op: BuiltIn(_COMPARE, eq=True) for op in ("=", "~=")},
    **{op: BuiltIn("bool -> bool -> bool") for op in ("and", "or")},
    "not": BuiltIn("bool -> bool"),
    **{op: BuiltIn(_ONE, FLOAT) for op in ("sqrt", "exp", "log", "sin", "cos", "floor")},
    "pow": BuiltIn(_TWO, FLOAT),
    "to_double": BuiltIn("'a -> double", NUM),
    "from_double": BuiltIn("double -> 'a", NUM),
    "reduce": BuiltIn(f"('a -> 'a -> 'a) -> {_FOLD} -> 'a"),
    "fold": BuiltIn("('b -> 'a -> 'b) -> 'b -> vector 'a -> 'b"),
    **{op: BuiltIn(f"('a -> 'a -> 'a) -> {_FOLD} -> vector 'a") for op in ("scan", "iscan")},
    **{op: BuiltIn("vector int -> vector 'a -> vector 'a") for op in ("permute", "gather")},
    "slice": BuiltIn("int -> int -> int -> vector 'a -> vector 'a"),
    "filter": BuiltIn("('a -> bool) -> vector 'a -> vector 'a"),
    "length": BuiltIn("vector 'a -> int"),
    "flatten": BuiltIn("vector vector 'a -> vector 'a"),
    "segments": BuiltIn("vector vector 'a -> vector int"),
    "unflatten": BuiltIn("vector int -> vector 'a -> vector vector 'a"),
}
"""Those with one type.  In messages and instances, ``'a`` and ``'b`` are new at each use."""

SPECIAL: Mapping[str, tuple[int, ...]] = {"map": (), "range": (1, 3), "shape": (1,), "rows": (1,)}
"""Those whose type depends on their arguments, and how many of these they need (``map``: any)."""
