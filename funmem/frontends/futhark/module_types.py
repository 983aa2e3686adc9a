"""The module types of Futhark's prelude, which describe the modules of numbers."""

from functools import cache

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.parser import parse
from funmem.ir.scalars import NUMBERS, ScalarType

_FROM = "".join(
    f"  val {t} : {t} -> t\n"
    for t in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bool")
)


def _vals(names: str, t: str) -> str:
    return "".join(f"  val {name} : {t}\n" for name in names.split())


_BITS = (
    _vals("num_bits", "i32")
    + _vals("get_bit", "i32 -> t -> i32")
    + _vals("set_bit", "i32 -> t -> i32 -> t")
)

_TYPES = {
    "from_prim": f"type t\n{_FROM}",
    "numeric": (
        "include from_prim\n"
        + _vals("+ - * / % ** max min", "t -> t -> t")
        + _vals("== != < > <= >=", "t -> t -> bool")
        + _vals("neg abs sgn", "t -> t")
        + _vals("highest lowest", "t")
        + "".join(f"  val {f} [n] : [n]t -> t\n" for f in ("sum", "product", "maximum", "minimum"))
        + _vals("to_i64", "t -> i64")
    ),
}
_TYPES |= {
    "integral": (
        "include numeric\n"
        + _vals("// %% & | ^ << >> >>> mul_hi", "t -> t -> t")
        + _vals("not", "t -> t")
        + _vals("popc clz ctz", "t -> i32")
        + _vals("mad_hi", "t -> t -> t -> t")
        + _BITS
    ),
    "real": (
        "include numeric\n"
        + _vals("e pi inf nan", "t")
        + _vals(
            "sqrt cbrt exp log log2 log10 log1p sin cos tan asin acos atan sinpi cospi tanpi "
            "asinpi acospi atanpi sinh cosh tanh asinh acosh atanh gamma lgamma erf erfc ceil "
            "floor trunc round rsqrt recip",
            "t -> t",
        )
        + _vals("atan2 atan2pi hypot", "t -> t -> t")
        + _vals("fma mad lerp", "t -> t -> t -> t")
        + _vals("isnan isinf", "t -> bool")
        + _vals("from_fraction", "i64 -> i64 -> t")
        + _vals("to_f64", "t -> f64")
    ),
    "float": (
        "include real\ntype int_t\n"
        + _vals("epsilon", "t")
        + _vals("copysign nextafter", "t -> t -> t")
        + _vals("to_bits", "t -> int_t")
        + _vals("from_bits", "int_t -> t")
        + _vals("ldexp", "t -> i32 -> t")
        + _BITS
    ),
}


PREDEFINED = tuple(_TYPES)
"""The names of the predefined module types."""


def satisfies(t: ScalarType, name: str) -> bool:
    """True if the built-in module of type ``t`` has the predefined module type ``name``."""
    match name:
        case "from_prim":
            return True
        case "numeric":
            return t in NUMBERS
        case "integral":
            return t.is_int
        case _:
            return t.is_float


@cache
def module_type(name: str) -> ast.SigExp:
    """Return the definition of a predefined module type, which may include others."""
    tree = parse(f"module type {name} = {{\n{_TYPES[name]}}}\n", f"<{name}>")
    (dec,) = tree.decs
    assert isinstance(dec, ast.ModuleTypeDec)
    return dec.sig


@cache
def predefined(name: str) -> tuple[str, ...]:
    """Return the names of the values in a predefined module type."""
    sig = module_type(name)
    assert isinstance(sig, ast.SigSpecs)
    names: list[str] = []
    for spec in sig.specs:
        match spec:
            case ast.ValSpec(value):
                names.append(value)
            case ast.Include(ast.SigName(q)):
                names += predefined(q.name)
            case ast.Include() | ast.TypeSpec() | ast.TypeDec() | ast.ModSpec():
                pass
    return tuple(names)
