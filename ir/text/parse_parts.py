"""The productions that FUN, FUNMEM and IMP share: types, sizes, constants, scalar expressions.

type    ::= ("[" size "]")* scalar | "mem" | "mem.local" | "mem.private"
size    ::= polynomial: names, integers, + - * and parentheses
atom    ::= name | constant
scalar expression, from the loosest operator to the tightest:
        ||   &&   == != < <= > >=   |   ^   &   << >>   + -   * / % // %%   **   - ~ !
"""

from collections.abc import Callable, Mapping, Sequence
from math import isinf
from typing import NamedTuple, TypeVar

from funmem.ir.diagnostics import SourceError
from funmem.ir.fun import (
    ArrayType,
    Atom,
    Bin,
    Const,
    Convert,
    Linkage,
    MemType,
    ScalarExp,
    Space,
    Type,
    Un,
    Var,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, SliceDim
from funmem.ir.names import Name
from funmem.ir.scalars import BinOp, ScalarType, UnOp, read
from funmem.ir.sizes import MAX_BITS, MAX_DEGREE, MAX_TERMS, ONE, Monomial, Size, const
from funmem.ir.text.cursor import Cursor
from funmem.ir.text.lexer import HEADS, SCALAR_WORDS, SPECIAL_FLOATS, Kind, Token, clip

T = TypeVar("T")

_ATOMS = "operands are names and constants: name anything larger with `let`"

# ---------------------------------------------------------------------- lists


def linked(c: Cursor) -> Linkage:
    """Read where a called function is: nothing, ``foreign`` or ``effect``."""
    for linkage in (Linkage.FOREIGN, Linkage.EFFECT):
        if c.accept(linkage.value):
            return linkage
    return Linkage.OWN


def comma_separated(
    c: Cursor, opener: str, closer: str, item: Callable[[Cursor], T], hint: str = ""
) -> list[T]:
    """``( item, …, item )``: at least one."""
    start = c.expect(opener, hint)
    items = [item(c)]
    while c.accept(","):
        items.append(item(c))
    if item is atom and c.token.text in INFIX:
        raise c.unexpected(f"`,` or `{closer}`", _ATOMS)
    c.close(start, closer, ",")
    return items


# ---------------------------------------------------------------------- types

_MEM_TYPES: Mapping[str, MemType] = {str(MemType(space)): MemType(space) for space in Space}


SPACES: Mapping[str, Space] = {
    "alloc": Space.DEVICE,
    "alloc.local": Space.LOCAL,
    "alloc.private": Space.PRIVATE,
}
"""The word that allocates in each space."""


def scalar_type(c: Cursor) -> ScalarType:
    """Read ``i64``, ``f32``, …"""
    if c.token.text not in SCALAR_WORDS:
        raise c.unexpected(
            "a scalar type", f"scalar types are {', '.join(t.value for t in ScalarType)}"
        )
    return ScalarType(c.next().text)


def at_mem_type(c: Cursor) -> bool:
    """True if a type of memory is next."""
    return c.token.text in _MEM_TYPES


def mem_type(c: Cursor) -> MemType:
    """Read ``mem``, ``mem.local`` or ``mem.private``."""
    if not at_mem_type(c):
        raise c.unexpected("a type of memory", f"types of memory are {', '.join(_MEM_TYPES)}")
    return _MEM_TYPES[c.next().text]


def shape(c: Cursor) -> tuple[Size, ...]:
    """Read ``[size]…[size]``, possibly empty."""
    sizes = []
    while c.at("["):
        start = c.next()
        sizes.append(size(c))
        c.close(start, "]")
    return tuple(sizes)


def some_shape(c: Cursor) -> tuple[Size, ...]:
    """Read ``[size]…[size]``, at least one."""
    if not c.at("["):
        raise c.unexpected("`[`", "a shape looks like [n][m]")
    return shape(c)


def type_(c: Cursor) -> Type:
    """Read a type."""
    if at_mem_type(c):
        return mem_type(c)
    sizes = shape(c)
    if c.token.text not in SCALAR_WORDS:
        raise c.unexpected("a type", "types look like f32, [n][m]f32 and mem")
    elem = scalar_type(c)
    return ArrayType(elem, sizes) if sizes else elem


# ---------------------------------------------------------------------- integers and sizes


def integer(c: Cursor, what: str) -> int:
    """Read a decimal integer without sign and suffix."""
    if c.token.kind is not Kind.NUMBER or not c.token.text.isdigit():
        raise c.unexpected(what)
    return int(c.next().text)


def size(c: Cursor) -> Size:
    """Read a polynomial: a sum of products, in normal form."""
    start = c.token
    terms: dict[Monomial, int] = {}
    sign = 1
    while True:
        for monomial, k in _product(c, start).terms:
            terms[monomial] = terms.get(monomial, 0) + sign * k
        if len(terms) > MAX_TERMS:
            raise _too_large(c, start)
        if not c.at("+", "-") or c.following.text == "{":  # `o + {…}` is an LMAD
            break
        sign = 1 if c.next().text == "+" else -1
    _no_other_operator(c)
    return Size.from_terms(terms)


def _product(c: Cursor, start: Token) -> Size:
    """Read ``factor * … * factor``.  Constants are multiplied separately, which is cheap."""
    scale, rest = 1, ONE
    while True:
        factor = _factor(c)
        if (k := factor.as_const) is not None:
            scale *= k
        elif len(rest.terms) * len(factor.terms) > MAX_TERMS:
            raise _too_large(c, start)
        else:
            rest = rest * factor
        if scale.bit_length() > MAX_BITS or rest.degree > MAX_DEGREE:
            raise _too_large(c, start)
        if not c.accept("*"):
            return rest * scale


def _factor(c: Cursor) -> Size:
    sign = 1
    while c.accept("-"):
        sign = -sign
    if c.at("("):
        start = c.next()
        c.enter()
        inner = size(c)
        c.leave()
        c.close(start, ")")
        return inner * sign
    if c.token.kind is Kind.NUMBER:
        return const(sign * integer(c, "an integer without suffix"))
    return Size((((c.name("a size (a name or an integer)"),), sign),))


def _too_large(c: Cursor, start: Token) -> SourceError:
    return c.mistake(
        c.span_of(start),
        "this size is too large",
        f"at most {MAX_TERMS} terms, degree {MAX_DEGREE} and {MAX_BITS} bits per coefficient",
    )


def _no_other_operator(c: Cursor) -> None:
    if c.at("/", "//", "%", "%%", "**", "<<", ">>"):
        raise c.unexpected(
            "the end of the size", "sizes are polynomials: + - * only; name the rest with `let`"
        )


def lmad(c: Cursor) -> Lmad:
    """Read ``size + {(size : size) …}``."""
    offset = size(c)
    c.expect("+", "an LMAD looks like 0 + {(n : m) (m : 1)}")
    return Lmad(offset, lmad_dims(c))


def lmad_dims(c: Cursor) -> tuple[Dim, ...]:
    """Read ``{(size : size) …}``."""
    start = c.expect("{")
    dims = []
    while c.at("("):
        dims.append(_lmad_dim(c))
    c.close(start, "}", "(")
    return tuple(dims)


def _lmad_dim(c: Cursor) -> Dim:
    start = c.next()
    length = size(c)
    c.expect(":", "a dimension of an LMAD looks like (length : stride)")
    stride = size(c)
    c.close(start, ")")
    return Dim(length, stride)


def slice_dims(c: Cursor) -> tuple[SliceDim, ...]:
    """Read ``[dim, …, dim]``."""
    return tuple(comma_separated(c, "[", "]", _slice_dim, "dimensions look like [i, 0 : n]"))


def _slice_dim(c: Cursor) -> SliceDim:
    start = size(c)
    if not c.accept(":"):
        return DimFix(start)
    length = size(c)
    return DimRange(start, length, size(c) if c.accept(":") else ONE)


# ---------------------------------------------------------------------- constants and atoms


def _at_number(token: Token) -> bool:
    return token.kind is Kind.NUMBER or token.text in SPECIAL_FLOATS


def at_constant(c: Cursor) -> bool:
    """True if a constant is next; ``-`` directly before a number is its sign."""
    if c.at("-"):
        return _at_number(c.following)
    return _at_number(c.token) or c.at("true", "false")


def constant(c: Cursor) -> Const:
    """Read a constant, which must be next."""
    first = c.token
    text = c.next().text
    if text == "-":
        text += c.next().text
    try:
        value, t = read(text)
    except ValueError:
        t = ScalarType(text.lstrip("-0123456789") or "i64")
        message = f"{clip(text)} is out of range: {t} is {t.min} to {t.max}"
        raise c.mistake(c.span(first), message) from None
    if t.is_float and isinf(value) and "inf" not in text:
        infinity = f"{'-' * text.startswith('-')}{t}.inf"
        raise c.mistake(
            c.span(first), f"{clip(text)} is too large for {t}", f"infinity is {infinity}"
        )
    return Const(value, t)


def condition(c: Cursor, after: str) -> Atom:
    """Read an operand, then the word ``after``."""
    a = atom(c)
    c.expect(after, "a condition is a name or a constant: name anything larger with `let`")
    return a


def atom(c: Cursor) -> Atom:
    """Read a name or a constant."""
    if at_constant(c):
        return constant(c)
    if not c.at_name():
        raise c.unexpected("a name or a constant", _ATOMS)
    return Var(c.name())


# ---------------------------------------------------------------------- scalar expressions


class Infix(NamedTuple):
    """The precedence of an operator and the least precedence of its left and right operand."""

    op: BinOp
    level: int
    left: int
    right: int


_LEFT, _RIGHT, _NONE = (0, 1), (1, 0), (1, 1)
_LEVELS = (
    ("||", _LEFT),
    ("&&", _LEFT),
    ("== != < <= > >=", _NONE),
    ("|", _LEFT),
    ("^", _LEFT),
    ("&", _LEFT),
    ("<< >>", _LEFT),
    ("+ -", _LEFT),
    ("* / % // %%", _LEFT),
    ("**", _RIGHT),
)
INFIX: Mapping[str, Infix] = {
    op: Infix(BinOp(op), level, level + left, level + right)
    for level, (ops, (left, right)) in enumerate(_LEVELS)
    for op in ops.split()
}
"""Infix operators; one with a larger level binds tighter."""

PREFIX_LEVEL = len(_LEVELS)
PREFIX: Mapping[str, UnOp] = {op.value: op for op in (UnOp.NEG, UnOp.NOT, UnOp.LNOT)}


class Function(NamedTuple):
    """An operator that is written ``f(a)`` or ``f(a, b)``."""

    arity: int
    apply: Callable[[Sequence[ScalarExp]], ScalarExp]


def _conversion(t: ScalarType) -> Function:
    return Function(1, lambda args: Convert(t, args[0]))


def _unary(op: UnOp) -> Function:
    return Function(1, lambda args: Un(op, args[0]))


def _binary(op: BinOp) -> Function:
    return Function(2, lambda args: Bin(op, args[0], args[1]))


_FUNCTIONS = {
    **{t.value: _conversion(t) for t in ScalarType},
    **{op.value: _unary(op) for op in UnOp if op.value not in PREFIX},
    **{op.value: _binary(op) for op in BinOp if op.value not in INFIX},
}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def scalar_exp(c: Cursor) -> ScalarExp:
    """Read a scalar expression."""
    return _infix(c, 0)[0]


# At most three frames per level, so that MAX_DEPTH levels fit Python's stack.


def _infix(c: Cursor, loosest: int) -> tuple[ScalarExp, int]:
    """Read operators at least as tight as ``loosest``; return the expression and its height."""
    left, height = _operand(c)
    while (infix := INFIX.get(c.token.text)) is not None and infix.level >= loosest:
        at = c.next()
        c.enter()
        right, right_height = _infix(c, infix.right)
        c.leave()
        left, height = Bin(infix.op, left, right), max(height, right_height) + 1
        c.limit(height, at)
        if at.text in COMPARISONS and c.at(*COMPARISONS):
            raise c.mistake(c.here(), "comparisons do not associate", "use parentheses or `&&`")
    return left, height


def _operand(c: Cursor) -> tuple[ScalarExp, int]:
    if at_constant(c):
        return constant(c), 0
    if c.at(*PREFIX):
        prefix = c.next()
        c.enter()
        a, height = _operand(c)
        c.leave()
        return Un(PREFIX[prefix.text], a), height + 1
    if c.following.text == "(" and (c.at_name() or c.token.text in SCALAR_WORDS):
        function = _function(c)
        args, height = _arguments(c, function.arity)
        return function.apply(args), height + 1
    if c.at_name():
        return Var(c.name()), 0
    if not c.at("("):
        raise c.unexpected("an operand", _operand_hint(c.token))
    start = c.next()
    c.enter()
    inner = _infix(c, 0)
    c.leave()
    c.close(start, ")")
    return inner


def _operand_hint(token: Token) -> str:
    if token.text in SCALAR_WORDS:
        return f"a conversion looks like {token.text}(x)"
    if token.text in HEADS:
        return f"`{token.text}` is not allowed inside an expression: name its result with `let`"
    return ""


def _function(c: Cursor) -> Function:
    function = _FUNCTIONS.get(c.token.text)
    if function is None:
        message = f"unknown function `{clip(c.token.text)}`"
        raise c.mistake(c.here(), message, _similar_function(c.token.text))
    c.next()
    return function


def _similar_function(name: str) -> str:
    from difflib import get_close_matches  # only needed to report a mistake

    matches = get_close_matches(name[:100], _FUNCTIONS, n=1)
    if matches:
        return f"did you mean `{matches[0]}`?"
    return f"functions are {', '.join(f for f in _FUNCTIONS if f not in SCALAR_WORDS)}"


def _arguments(c: Cursor, count: int) -> tuple[list[ScalarExp], int]:
    """Read ``(a, …, a)``; return the arguments and the largest height."""
    opener = c.expect("(")
    c.enter()
    args: list[ScalarExp] = []
    heights: list[int] = []
    while not args or c.accept(","):
        arg, height = _infix(c, 0)
        args.append(arg)
        heights.append(height)
    c.leave()
    c.close(opener, ")", ",")
    if len(args) != count:
        message = f"expected {count} argument{'s' * (count > 1)}, found {len(args)}"
        raise c.mistake(c.span(opener), message)
    return args, max(heights)


# ---------------------------------------------------------------------- binders


def range_name(c: Cursor, what: str) -> tuple[Name, Size]:
    """``i < size``."""
    index = c.name("a name for the index")
    c.expect("<", f"{what} looks like i < n")
    return index, size(c)
