"""The functions of the library that generated programs call, one per line, with their types.

The name of a parameter is its role: it determines which arguments are sensible.

    op ne      an associative operator and its neutral element, which are generated together
    distinct   distinct indices (the result of ``scatter`` is undefined otherwise)
    bucket     indices that are mostly in range
    k l m      the size of this name in the result
    few        a small number of repetitions
    nonempty   an array with at least one element
    literal    a literal number: its bits are visible, and those of a computed NaN are undefined
    bit truth  the position of a bit, and a bit
    unit       a number from 0 to 1
    moderate   a float that fits into an integer

Other single letters are types outside brackets and sizes inside.  A size whose name begins with
``ex`` is existential: it occurs in the result only.  ``*`` has its usual meaning: consumed
arguments must be fresh, and such results are fresh.
"""

from functools import cache

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.builtins import SCALAR_NAMES, members
from funmem.frontends.futhark.parser import parse_type
from funmem.frontends.inference.types import Array, Arrow
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, SCALARS, ScalarType
from funmem.testing.fut_generator.types import (
    Arr,
    Fun,
    Param,
    SInt,
    Size,
    SOp,
    SVar,
    Tup,
    Type,
    function,
    holds_function,
    parts,
)

FUNCTIONS: dict[str, str] = {
    "map": "(a -> x) -> [n]a -> *[n]x",
    "map1": "(a -> x) -> [n]a -> *[n]x",
    "map2": "(a -> b -> x) -> [n]a -> [n]b -> *[n]x",
    "map3": "(a -> b -> c -> x) -> [n]a -> [n]b -> [n]c -> *[n]x",
    "map4": "(a -> b -> c -> d -> x) -> [n]a -> [n]b -> [n]c -> [n]d -> *[n]x",
    "map5": "(a -> b -> c -> d -> e -> x) -> [n]a -> [n]b -> [n]c -> [n]d -> [n]e -> *[n]x",
    "reduce": "(op: a -> a -> a) -> (ne: a) -> [n]a -> a",
    "reduce_comm": "(op: a -> a -> a) -> (ne: a) -> [n]a -> a",
    "scan": "(op: a -> a -> a) -> (ne: a) -> [n]a -> *[n]a",
    "filter": "(a -> bool) -> [n]a -> *[ex]a",
    "partition": "(a -> bool) -> [n]a -> ([ex]a, [ex]a)",
    "partition2": "(a -> bool) -> (a -> bool) -> [n]a -> ([ex]a, [ex]a, [ex]a)",
    "scatter": "*[k]a -> (distinct: [n]i64) -> [n]a -> *[k]a",
    "scatter_2d": "*[k][l]a -> (distinct: [n](i64, i64)) -> [n]a -> *[k][l]a",
    "scatter_3d": "*[k][l][m]a -> (distinct: [n](i64, i64, i64)) -> [n]a -> *[k][l][m]a",
    "spread": "(k: i64) -> a -> (distinct: [n]i64) -> [n]a -> *[k]a",
    "reduce_by_index": (
        "*[m]a -> (op: a -> a -> a) -> (ne: a) -> (bucket: [n]i64) -> [n]a -> *[m]a"
    ),
    "reduce_by_index_2d": (
        "*[m][l]a -> (op: a -> a -> a) -> (ne: a) -> (bucket: [n](i64, i64)) -> [n]a -> *[m][l]a"
    ),
    "reduce_by_index_3d": (
        "*[m][l][o]a -> (op: a -> a -> a) -> (ne: a) -> (bucket: [n](i64, i64, i64)) -> [n]a"
        " -> *[m][l][o]a"
    ),
    "hist": "(op: a -> a -> a) -> (ne: a) -> (k: i64) -> (bucket: [n]i64) -> [n]a -> *[k]a",
    "all": "(a -> bool) -> [n]a -> bool",
    "any": "(a -> bool) -> [n]a -> bool",
    "and": "[n]bool -> bool",
    "or": "[n]bool -> bool",
    "foldl": "(a -> b -> a) -> a -> [n]b -> a",
    "foldr": "(b -> a -> a) -> a -> [n]b -> a",
    "length": "[n]a -> i64",
    "null": "[n]a -> bool",
    "head": "(nonempty: [n]a) -> a",
    "last": "(nonempty: [n]a) -> a",
    "tail": "(nonempty: [n]a) -> [n - 1]a",
    "init": "(nonempty: [n]a) -> [n - 1]a",
    "reverse": "[n]a -> [n]a",
    "rotate": "i64 -> [n]a -> *[n]a",
    "concat": "[n]a -> [m]a -> *[n + m]a",
    "++": "[n]a -> [m]a -> *[n + m]a",
    "split": "[n + m]a -> ([n]a, [m]a)",
    "copy": "a -> *a",
    "manifest": "a -> *a",
    "replicate": "(k: i64) -> a -> *[k]a",
    "rep": "a -> *[k]a",
    "iota": "(k: i64) -> *[k]i64",
    "indices": "[n]a -> *[n]i64",
    "tabulate": "(k: i64) -> (i64 -> a) -> *[k]a",
    "tabulate_2d": "(k: i64) -> (l: i64) -> (i64 -> i64 -> a) -> *[k][l]a",
    "tabulate_3d": "(k: i64) -> (l: i64) -> (m: i64) -> (i64 -> i64 -> i64 -> a) -> *[k][l][m]a",
    "transpose": "[n][m]a -> [m][n]a",
    "flatten": "[n][m]a -> [n * m]a",
    "flatten_3d": "[n][m][l]a -> [n * m * l]a",
    "flatten_4d": "[n][m][l][o]a -> [n * m * l * o]a",
    "unflatten": "[n * m]a -> [n][m]a",
    "unflatten_3d": "[n * m * l]a -> [n][m][l]a",
    "unflatten_4d": "[n * m * l * o]a -> [n][m][l][o]a",
    "zip": "[n]a -> [n]b -> *[n](a, b)",
    "zip2": "[n]a -> [n]b -> *[n](a, b)",
    "zip3": "[n]a -> [n]b -> [n]c -> *[n](a, b, c)",
    "zip4": "[n]a -> [n]b -> [n]c -> [n]d -> *[n](a, b, c, d)",
    "zip5": "[n]a -> [n]b -> [n]c -> [n]d -> [n]e -> *[n](a, b, c, d, e)",
    "unzip": "[n](a, b) -> ([n]a, [n]b)",
    "unzip2": "[n](a, b) -> ([n]a, [n]b)",
    "unzip3": "[n](a, b, c) -> ([n]a, [n]b, [n]c)",
    "unzip4": "[n](a, b, c, d) -> ([n]a, [n]b, [n]c, [n]d)",
    "unzip5": "[n](a, b, c, d, e) -> ([n]a, [n]b, [n]c, [n]d, [n]e)",
    "id": "a -> a",
    "const": "a -> b -> a",
    "flip": "(a -> b -> c) -> b -> a -> c",
    "curry": "((a, b) -> c) -> a -> b -> c",
    "uncurry": "(a -> b -> c) -> (a, b) -> c",
    ">->": "(a -> b) -> (b -> c) -> a -> c",
    "<-<": "(b -> c) -> (a -> b) -> a -> c",
    "|>": "a -> (a -> b) -> b",
    "<|": "(a -> b) -> a -> b",
    "not": "bool -> bool",
    "iterate": "(few: i32) -> (a -> a) -> a -> a",
    "opaque": "a -> a",
    "trace": "a -> a",
    "r32": "i32 -> f32",
    "r64": "i32 -> f64",
    "t32": "f32 -> i32",
    "t64": "f64 -> i32",
}

BY_HAND = ("take", "drop", "sized", "iterate_while", "iterate_until")
"""Functions for which arrays.py and control.py generate calls, with sensible arguments."""

ABSENT = {
    "exscan": "newer than 0.25",
    "flatmap": "newer than 0.25",
    "concat_to": "newer than 0.25",
    "break": "for a debugger",
    **dict.fromkeys((f"flat_{x}_{k}d" for x in ("index", "update") for k in (1, 2, 3, 4)), "later"),
    **dict.fromkeys(
        (
            "segmented_scan", "segmented_reduce", "replicated_iota", "segmented_iota",
            "expand", "expand_reduce", "expand_outer_reduce",
        ),
        "not in the prelude of Futhark",
    ),
}  # fmt: skip
"""Functions of the prelude that generated programs do not call, and the reason."""


@frozen
class Arg:
    """A parameter of a scheme."""

    type: Type
    role: str = ""
    """Its role; see the module's docstring."""
    consumed: bool = False


@frozen
class Callable:
    """A function that can be called: its scheme; ``fresh``: its results share no elements."""

    name: str
    args: tuple[Arg, ...]
    result: Type
    types: frozenset[str] = frozenset()
    sizes: frozenset[str] = frozenset()
    fresh: bool = False
    rough: bool = False
    """Other implementations may round its result differently."""
    traps: bool = False
    chosen: str = ""
    """Its name in test tables."""

    @property
    def multiplies(self) -> bool:
        """True if a product of sizes occurs, which has to be factored."""
        return any(
            isinstance(p, Arr) and isinstance(p.size, SOp) and p.size.op == "*"
            for t in (*(a.type for a in self.args), self.result)
            for p in parts(t)
        )

    @property
    def is_operator(self) -> bool:
        """True if the name is that of an operator, which the program defines."""
        return not (self.name[0].isalpha() or self.name[0] in "_(")

    def rest(self, k: int) -> Type:
        """Return its type after ``k`` arguments."""
        return function(*(a.type for a in self.args[k:]), self.result)

    @property
    def higher(self) -> bool:
        """True if it takes functions."""
        return any(holds_function(a.type) for a in self.args)


# ---------------------------------------------------------------------- schemes from text


def _size(e: ast.Exp | None, names: set[str]) -> Size:
    if isinstance(e, ast.IntLit):
        return SInt(e.value)
    if isinstance(e, ast.BinOp):
        return SOp(e.op.name, _size(e.left, names), _size(e.right, names))
    if isinstance(e, ast.Var):
        name = e.name.name
        if name.startswith("ex"):
            return SOp("?", SVar(name), SVar(name))
        names.add(name)
        return SVar(name)
    raise ValueError(f"no size for the table: {e}")


class _SchemeReader:
    def __init__(self) -> None:
        self.types: set[str] = set()
        self.sizes: set[str] = set()

    def read(self, te: ast.TypeExp) -> Type:
        match te:
            case ast.TEName(ast.QualName((), name)):
                if name in SCALAR_NAMES:
                    return SCALAR_NAMES[name]
                self.types.add(name)
                return Param(name)
            case ast.TEArray(size, elem):
                return Arr(_size(size, self.sizes), self.read(elem))
            case ast.TETuple(elems):
                return Tup(tuple(map(self.read, elems)))
            case ast.TEArrow(_, param, result):
                return Fun(self.read(param), self.read(result))
            case ast.TEUnique(elem):
                return self.read(elem)
            case _:
                raise ValueError(f"no type for the table: {te}")


def callable_of(name: str, text: str) -> Callable:
    """Return the function described by a line of the table."""
    reader = _SchemeReader()
    args: list[Arg] = []
    te = parse_type(text, f"<{name}>")
    while isinstance(te, ast.TEArrow):
        args.append(Arg(reader.read(te.param), te.name or "", isinstance(te.param, ast.TEUnique)))
        te = te.result
    result = reader.read(te)
    return Callable(
        name,
        tuple(args),
        result,
        frozenset(reader.types),
        frozenset(reader.sizes),
        fresh=isinstance(te, ast.TEUnique),
        chosen=name,
    )


@cache
def functions() -> tuple[Callable, ...]:
    """Return the functions of the table."""
    return tuple(callable_of(name, text) for name, text in FUNCTIONS.items())


# ---------------------------------------------------------------------- members of scalar types

ROUGH = frozenset(
    (
        "cbrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin",
        "acos", "atan", "sinpi", "cospi", "tanpi", "asinpi", "acospi", "atanpi", "sinh", "cosh",
        "tanh",
        "asinh", "acosh", "atanh", "gamma", "lgamma", "erf", "erfc", "atan2", "atan2pi", "hypot",
        "lerp", "**", "rsqrt", "mad",
    )
)  # fmt: skip
"""Float functions that implementations round differently."""

LITERAL = frozenset(("to_bits", "copysign", "get_bit", "set_bit"))
"""Float functions that make the bits of a computed NaN visible."""

BITS = frozenset(("get_bit", "set_bit"))
TRAPPING = frozenset(("/", "%", "//", "%%", "**"))
"""Integer operators that may trap."""

MISSING = {
    **{(f"f{k}", "expm1"): "Futhark 0.25 does not have it" for k in (16, 32, 64)},
    **{(t, "set_bit"): "Futhark 0.25 shifts an i32" for t in ("i64", "u64", "f64")},
    **{(f"f{k}", "%"): "Futhark 0.25 folds constants to another sign" for k in (16, 32, 64)},
    ("f16", "epsilon"): "Futhark 0.25 has that of f32",
}
"""Members of scalar modules that generated programs do not call, and the reason."""

SHIFTS = frozenset(("<<", ">>", ">>>"))


@cache
def scalar_members() -> tuple[Callable, ...]:
    """Return the functions of all scalar modules, including operators."""
    return tuple(c for t in SCALARS for c in _members(t))


def _members(t: ScalarType) -> list[Callable]:
    found: list[Callable] = []
    for name, scheme in members(str(t)).items():
        if (str(t), name) in MISSING or name in SHIFTS or name == "!":
            continue
        args: list[Arg] = []
        left = scheme.type
        while isinstance(left, Arrow):
            param = left.param
            if isinstance(param, Array):
                args.append(Arg(Arr(SVar("n"), t)))
            else:
                assert isinstance(param, ScalarType)
                args.append(Arg(param, _role(t, name, param, len(args))))
            left = left.result
        assert isinstance(left, ScalarType)
        text = f"{t}.{name}" if name[0].isalpha() else f"({t}.{name})"
        found.append(
            Callable(
                text,
                tuple(args),
                left,
                frozenset(),
                frozenset({"n"}),
                rough=_rough(t, name),
                traps=t.is_int and name in TRAPPING,
                chosen=f"{t}.{name}",
            )
        )
    return found


def _role(t: ScalarType, name: str, param: ScalarType, k: int) -> str:
    if name in BITS and k != 1:
        return "bit" if k == 0 else "truth"
    if name == "ldexp" and k == 1:
        return "few"
    if name == "lerp" and k == 2:
        return "unit"
    if t.is_float and name in LITERAL:
        return "literal"
    if param.is_float and not t.is_float and t is not BOOL and name == str(param):
        return "moderate"
    if name == "trunc":  # 0.25 converts through an integer
        return "moderate"
    return ""


def _rough(t: ScalarType, name: str) -> bool:
    if t.is_float:
        return name in ROUGH or name in ("sum", "product")
    return False
