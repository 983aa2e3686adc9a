"""The built-in modules: ``i8`` … ``u64``, ``f16`` ``f32`` ``f64``, ``bool``, and ``intrinsics``.

A member is a :class:`Scheme`.  Each number type T has the operators as members (``T.+``), the
conversions ``T.S`` : S -> T, and the functions below; ``T.t`` and the type ``T`` are the same, and
``T.int_t`` is the integer type with the bits of a float.  No member has a body: ``elaborate``
translates ``BuiltinRef(T, name, type)`` to Core.

The members on arrays (``T.sum``, ``T.product``, ``T.maximum``, ``T.minimum``) have a size parameter
``n``, which the callee finds in its argument, so ``BuiltinRef.sizes`` has one entry for them.

The overloaded operators (module "") have no scheme here: see infer_operators.py.  The prelude is
built on ``intrinsics``, which programs may use too (flat slices have no other name).
"""

from functools import cache

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.builtins_intrinsics import INTRINSICS
from funmem.frontends.futhark.parser import parse_type
from funmem.frontends.futhark.typing import Scheme
from funmem.frontends.inference.types import Array, Arrow, Meta, Opaque, Record, Rigid, Sum, Type
from funmem.ir import sizes
from funmem.ir.names import Name
from funmem.ir.scalars import (
    BOOL,
    F16,
    F32,
    F64,
    I32,
    I64,
    NUMBERS,
    SCALARS,
    U16,
    U32,
    U64,
    ScalarType,
)
from funmem.ir.sizes import Size

INTRINSICS_MODULE = "intrinsics"

SCALAR_NAMES: dict[str, ScalarType] = {str(t): t for t in SCALARS}

N = Name("n")
"""The size parameter of ``T.sum``, ``T.product``, ``T.maximum`` and ``T.minimum``."""

# ---------------------------------------------------------------------- numbers

_ARITHMETIC = ("+", "-", "*", "/", "%", "**")
_INT_ARITHMETIC = ("//", "%%", "&", "|", "^", "<<", ">>", ">>>")
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_UNARY = ("neg", "abs", "sgn")
_BINARY = ("max", "min")
_CONSTANTS = ("highest", "lowest")
_ARRAYS = ("sum", "product", "maximum", "minimum")
_FLOAT_CONSTANTS = ("e", "pi", "inf", "nan", "epsilon")
_FLOAT_UNARY = (
    "sqrt", "cbrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinpi", "cospi", "tanpi", "asinpi", "acospi", "atanpi", "sinh",
    "cosh", "tanh", "asinh", "acosh", "atanh", "gamma", "lgamma", "erf", "erfc", "ceil",
    "floor", "trunc", "round", "rsqrt", "recip",
)  # fmt: skip
_FLOAT_BINARY = ("atan2", "atan2pi", "hypot", "copysign", "nextafter")
_FLOAT_TERNARY = ("fma", "mad", "lerp")


def arrow(*types: Type) -> Type:
    """Return the type ``t -> … -> t``."""
    result = types[-1]
    for t in reversed(types[:-1]):
        result = Arrow(t, result)
    return result


def _number(t: ScalarType) -> dict[str, Type]:
    """Return the members of every number type."""
    bits: ScalarType = I32
    members: dict[str, Type] = {
        **dict.fromkeys((*_ARITHMETIC, *_BINARY), arrow(t, t, t)),
        **dict.fromkeys(_COMPARISONS, arrow(t, t, BOOL)),
        **dict.fromkeys(_UNARY, arrow(t, t)),
        **dict.fromkeys(_CONSTANTS, t),
        **dict.fromkeys(_ARRAYS, Arrow(Array(t, sizes.var(N)), t)),
        **{str(s): arrow(s, t) for s in SCALARS},
        "num_bits": bits,
        "get_bit": arrow(I32, t, I32),
        "set_bit": arrow(I32, t, I32, t),
        "to_i64": arrow(t, I64),
    }
    return members


def _integer(t: ScalarType) -> dict[str, Type]:
    """Return the further members of integer types."""
    return {
        **dict.fromkeys((*_INT_ARITHMETIC, "mul_hi"), arrow(t, t, t)),
        **dict.fromkeys(("not", "!"), arrow(t, t)),
        **dict.fromkeys(("popc", "clz", "ctz"), arrow(t, I32)),
        "mad_hi": arrow(t, t, t, t),
    }


def _bits(t: ScalarType) -> ScalarType:
    return {F16: U16, F32: U32}.get(t, U64)


def _float(t: ScalarType) -> dict[str, Type]:
    """Return the further members of float types."""
    bits = _bits(t)
    return {
        **dict.fromkeys(_FLOAT_CONSTANTS, t),
        **dict.fromkeys(_FLOAT_UNARY, arrow(t, t)),
        **dict.fromkeys(_FLOAT_BINARY, arrow(t, t, t)),
        **dict.fromkeys(_FLOAT_TERNARY, arrow(t, t, t, t)),
        **dict.fromkeys(("isnan", "isinf"), arrow(t, BOOL)),
        "to_bits": arrow(t, bits),
        "from_bits": arrow(bits, t),
        "ldexp": arrow(t, I32, t),
        "from_fraction": arrow(I64, I64, t),
        "to_f64": arrow(t, F64),
    }


@cache
def members(module: str) -> dict[str, Scheme]:
    """Return all members of a built-in scalar module.  Raises KeyError."""
    t = SCALAR_NAMES[module]
    if t in NUMBERS:
        types = {**_number(t), **(_integer(t) if t.is_int else _float(t))}
    else:
        types = {str(s): arrow(s, BOOL) for s in SCALARS}
    return {
        name: Scheme((), (N,), type_, frozenset({N})) if name in _ARRAYS else Scheme((), (), type_)
        for name, type_ in types.items()
    }


def member(module: str, name: str) -> Scheme | None:
    """Return the scheme of ``module.name``, or None if there is no such member."""
    if module == INTRINSICS_MODULE:
        return intrinsic(name) if name in INTRINSICS else None
    return members(module).get(name)


def member_types(module: str) -> dict[str, ScalarType]:
    """Return the types in a built-in module: ``t``, and for floats the integer type of its bits."""
    t = SCALAR_NAMES.get(module)
    if t is None:
        return {}
    return {"t": t, "int_t": _bits(t)} if t in NUMBERS and t.is_float else {"t": t}


def member_names(module: str) -> list[str]:
    """Return the names of the values in a built-in module."""
    return list(INTRINSICS) if module == INTRINSICS_MODULE else list(members(module))


# ---------------------------------------------------------------------- intrinsics


def intrinsic(name: str) -> Scheme:
    """Return the scheme of an intrinsic; see builtins_intrinsics.py."""
    return _read(name)[0]


def intrinsic_forms(name: str) -> dict[Size, tuple[str, Size, Size]]:
    """Return the sums and products in an intrinsic's type as written: ``n * m`` is n times m."""
    return _read(name)[1]


@cache
def _read(name: str) -> tuple[Scheme, dict[Size, tuple[str, Size, Size]]]:
    reader = _Reader()
    type_ = reader.read(parse_type(INTRINSICS[name], f"<intrinsics.{name}>"))
    bound = reader.named | reader.exists
    all_sizes = tuple(n for n in reader.sizes if n not in bound)
    implicit = implicit_sizes(type_) & frozenset(all_sizes)
    return Scheme(tuple(reader.types), all_sizes, type_, implicit), reader.forms


class _Reader:
    """Converts type expressions of the table to types, and collects their names."""

    def __init__(self) -> None:
        self.types: dict[Name, None] = {}
        self.sizes: dict[Name, None] = {}
        self.named: set[Name] = set()
        self.exists: set[Name] = set()
        self.forms: dict[Size, tuple[str, Size, Size]] = {}

    def read(self, te: ast.TypeExp) -> Type:
        match te:
            case ast.TEName(ast.QualName((), name)):
                if name in SCALAR_NAMES:
                    return SCALAR_NAMES[name]
                self.types[Name(name)] = None
                return Rigid(Name(name))
            case ast.TEArray(size, elem):
                dim = None if size is None else self.size(size)
                return Array(self.read(elem), dim)
            case ast.TETuple(elems):
                return Record(tuple((str(k), self.read(t)) for k, t in enumerate(elems)))
            case ast.TEArrow(param_name, param, result):
                consumes = isinstance(param, ast.TEUnique)
                if param_name is not None:
                    self.named.add(Name(param_name))
                left = self.read(param)
                exists: tuple[Name, ...] = ()
                fresh = False
                while isinstance(result, ast.TEUnique | ast.TEExists):
                    if isinstance(result, ast.TEExists):
                        exists += tuple(Name(d) for d in result.dims)
                        self.exists.update(exists)
                    else:
                        fresh = True
                    result = result.elem
                return Arrow(
                    left,
                    self.read(result),
                    None if param_name is None else Name(param_name),
                    consumes,
                    fresh,
                    exists,
                )
            case ast.TEUnique(elem):
                return self.read(elem)
            case ast.TEName() | ast.TEApply() | ast.TERecord() | ast.TESum() | ast.TEExists():
                raise ValueError(f"no such type in the table of intrinsics: {te}")

    def size(self, e: ast.Exp) -> Size:
        match e:
            case ast.IntLit(value):
                return sizes.const(value)
            case ast.Var(ast.QualName((), name)):
                self.sizes[Name(name)] = None
                return sizes.var(Name(name))
            case ast.BinOp(ast.QualName((), "+" | "*" as op), a, b):
                x, y = self.size(a), self.size(b)
                result = x + y if op == "+" else x * y
                self.forms[result] = (op, x, y)
                return result
            case ast.BinOp(ast.QualName((), "-"), a, b):
                return self.size(a) - self.size(b)
            case (
                ast.Literal()
                | ast.Var()
                | ast.Hole()
                | ast.Aggregate()
                | ast.Access()
                | ast.Operation()
                | ast.Form()
                | ast.Section()
                | ast.Change()
                | ast.Annotated()
                | ast.OpenIn()
                | ast.Comprehension()
            ):
                raise ValueError(f"no such size in the table of intrinsics: {e}")


def implicit_sizes(t: Type) -> frozenset[Name]:
    """Return the sizes that a function of this type finds in its arguments: see Scheme."""
    found: set[Name] = set()

    def visit(p: Type) -> None:
        match p:
            case Array(elem, size):
                if size is not None and size.as_name is not None:
                    found.add(size.as_name)
                visit(elem)
            case Record(fields):
                for _, f in fields:
                    visit(f)
            case ScalarType() | Rigid() | Sum() | Arrow() | Opaque() | Meta():
                pass

    while isinstance(t, Arrow):
        visit(t.param)
        t = t.result
    return frozenset(found)
