"""Names, sizes and scalar expressions: rules shared by FUN, FUNMEM and IMP (fig. 3, top).

    fresh x    Γ ⊢ x ⇒ τ    Γ ⊢ x ⇒ [d]…[d]t    Γ ⊢ a ⇒ τ    Γ ⊢ se : t    Γ ⊢ a condition
    Γ ⊢ d      Γ ⊢ d length    Γ ⊢ τ    a message for k values

``⇒`` means that the judgement computes what stands to the right of it.
"""

from collections.abc import Iterable
from math import prod

from funmem.ir.check.context import Gamma
from funmem.ir.check.rules import many, require
from funmem.ir.diagnostics import Span
from funmem.ir.fun import ArrayType, Atom, Bin, Const, Convert, ScalarExp, Type, Un, Var
from funmem.ir.messages import holes
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, ScalarType, bin_result, is_value, un_result
from funmem.ir.sizes import MAX_TERMS, Size

MAX_RANK = 32
"""The limit of numpy 1, in whose arrays callers and interpreters hold the elements."""


def fresh(g: Gamma, x: Name, at: Span) -> None:
    """Γ, (x : τ): a name is bound once in an entry point, at any depth (T-FRESH)."""
    first = g.seen.get(x)
    require(
        first is None,
        at,
        "T-FRESH",
        "{} is already bound{}; every name is bound once in an entry point",
        x,
        f" in line {first.line}" if first is not None and first.line else "",
        hint="give one of the two another name",
    )
    g.seen[x] = at


def name(g: Gamma, x: Name, at: Span) -> Type:
    """(x : τ) ∈ Γ (T-NAME)."""
    t = g.types.get(x)
    require(t is not None, at, "T-NAME", "{} is not in scope", x, hint=g.help(x))
    assert t is not None
    return t


def array(g: Gamma, x: Name, at: Span) -> ArrayType:
    """(x : [d]…[d]t) ∈ Γ (T-ARRAY)."""
    t = name(g, x, at)
    require(isinstance(t, ArrayType), at, "T-ARRAY", "{} has type {}, not an array type", x, t)
    assert isinstance(t, ArrayType)
    return t


def constant(c: Const, at: Span) -> ScalarType:
    """Γ ⊢ k : t (T-CONST)."""
    require(
        is_value(c.value, c.type),
        at,
        "T-CONST",
        "the constant {} is not a value of type {}",
        c.value,
        c.type,
    )
    return c.type


def atom(g: Gamma, a: Atom, at: Span) -> Type:
    """Γ ⊢ a ⇒ τ."""
    match a:
        case Const():
            return constant(a, at)
        case Var(x):
            return name(g, x, at)


def scalar(g: Gamma, e: ScalarExp, at: Span) -> ScalarType:
    """Γ ⊢ se : t (fig. 3)."""
    match e:
        case Const():  # T-CONST
            return constant(e, at)
        case Var(x):  # T-VAR
            t = name(g, x, at)
            require(
                isinstance(t, ScalarType),
                at,
                "T-VAR",
                "{} has type {}, not a scalar type",
                x,
                t,
                hint="an array is duplicated with copy, and read with x[i]",
            )
            assert isinstance(t, ScalarType)
            return t
        case Bin(bop, a, b):  # T-BIN
            left, right = scalar(g, a, at), scalar(g, b, at)
            require(
                left is right,
                at,
                "T-BIN",
                "the operands of {} have types {} and {}; they must be equal",
                bop,
                left,
                right,
                hint="convert one of them, for instance f32(x)",
            )
            result = bin_result(bop, left)
            require(result is not None, at, "T-BIN", "{} is not defined on {}", bop, left)
            assert result is not None
            return result
        case Un(uop, a):  # T-UN
            operand = scalar(g, a, at)
            result = un_result(uop, operand)
            require(result is not None, at, "T-UN", "{} is not defined on {}", uop, operand)
            assert result is not None
            return result
        case Convert(to, a):  # T-CONVERT
            scalar(g, a, at)
            return to


def truth(g: Gamma, a: Atom, at: Span) -> None:
    """Γ ⊢ a : bool, the condition of if, assert and while (T-COND)."""
    t = atom(g, a, at)
    require(t is BOOL, at, "T-COND", "the condition has type {}, not bool", t)


def message(text: str, count: int, at: Span) -> None:
    """A message has a hole for each of its values, and no other single brace (T-MESSAGE)."""
    wanted = holes(text)
    require(
        wanted is not None,
        at,
        "T-MESSAGE",
        'the message "{}" has a single brace',
        text,
        hint="{} is the place of a value; a brace is written {{ or }}",
    )
    require(
        wanted is None or wanted == count,
        at,
        "T-MESSAGE",
        'the message "{}" has {} for {}',
        text,
        many(wanted or 0, "place"),
        many(count, "value"),
        hint="{} is the place of a value; a brace is written {{ or }}",
    )


def sizes(g: Gamma, ds: Iterable[Size], at: Span) -> None:
    """Γ ⊢ d: the variables of a size are i64 variables in scope (T-SIZE)."""
    for d in ds:
        wrong = g.not_i64((d,))
        require(
            wrong is None,
            at,
            "T-SIZE",
            "the size {} needs i64 variables in scope: {}",
            d,
            g.what(wrong),
            hint=g.help_i64(wrong),
        )


def lengths(g: Gamma, ds: Iterable[Size], at: Span) -> None:
    """Γ ⊢ d length: a size that counts elements is not a negative constant (T-LEN)."""
    for d in ds:
        sizes(g, (d,), at)
        k = d.as_const
        require(k is None or k >= 0, at, "T-LEN", "{} is not a number of elements", d)


def well_formed(g: Gamma, t: Type, at: Span) -> None:
    """Γ ⊢ τ: an array has dimensions, and their sizes are in scope (T-TYPE)."""
    if isinstance(t, ArrayType):
        require(t.rank > 0, at, "T-TYPE", "an array type has at least one dimension")
        require(
            t.rank <= MAX_RANK,
            at,
            "T-TYPE",
            "an array type has at most {} dimensions, not {}",
            MAX_RANK,
            t.rank,
        )
        require(
            prod(max(len(d.terms), 1) for d in t.shape) <= MAX_TERMS,
            at,
            "T-TYPE",
            "the number of elements of an array is a size of at most {} terms",
            MAX_TERMS,
            hint="give the sums in its type names: let (k : i64) = n + m",
        )
        lengths(g, t.shape, at)
