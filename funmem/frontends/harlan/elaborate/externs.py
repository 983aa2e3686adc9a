"""Elaborate calls of foreign functions.

    (f e …)    effect f (token, e, …) : (token, r)

Texts go to it and come back in parts (texts.py).
"""

from collections.abc import Sequence

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.code import Code, State
from funmem.frontends.harlan.elaborate.grounds import has_value
from funmem.frontends.harlan.elaborate.texts import NUMBER, given, returned
from funmem.frontends.harlan.elaborate.wraps import Wrap
from funmem.frontends.harlan.errors import Code as ErrorCode
from funmem.frontends.harlan.errors import fail
from funmem.frontends.harlan.types import STR
from funmem.frontends.inference.types import Type
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import I32, I64, U8, ScalarType


def call_extern(
    k: Code, e: ast.Call, fn: ast.Extern, args: Sequence[Exp], st: State, out: list[Wrap]
) -> Exp:
    """Return the value of a call of a foreign function."""
    at = e.at
    if fn.name == "command-line" and fn.library:
        return _command_line(k, at)
    result = k.ground(e)
    values: list[Exp] = []
    types: list[c.Type] = []
    assert st.token is not None
    for a, value in zip(e.args, args, strict=True):
        t = k.type(a)
        if k.ground(a) == STR:
            st.token, number = given(k.program, st.token, value, out, at)
            values.append(number)
            types.append(NUMBER)
            continue
        if not isinstance(t, ScalarType):
            what = f"`{fn.name}` cannot take {k.program.typing.declared.text(k.ground(a))}"
            fail(a.at, ErrorCode.FOREIGN, what, "foreign functions take scalars and texts")
        values.append(k.atom(value, t, out))
        types.append(t)
    name = foreign_name(fn)
    if result == STR:
        length = _called(k, name, values, types, I32, st, out, at)
        st.token, text = returned(k.program, st.token, length, out, at)
        return text
    t = k.program.types.of(result)
    if has_value(result) and not isinstance(t, ScalarType):
        what = f"`{fn.name}` cannot return {k.program.typing.declared.text(result)}"
        fail(at, ErrorCode.FOREIGN, what, "foreign functions return scalars and texts")
    return _called(k, name, values, types, result, st, out, at)


def foreign_name(fn: ast.Extern) -> str:
    """Return the name in Core of a foreign function."""
    plain = "".join(x if x.isascii() and x.isalnum() else "_" for x in fn.name)
    return f"harlan_{plain}" if fn.library else plain


def _called(
    k: Code,
    name: str,
    args: Sequence[Exp],
    types: Sequence[c.Type],
    result: Type,
    st: State,
    out: list[Wrap],
    at: Span,
) -> Exp:
    value = k.program.types.of(result)
    whole = k.program.types.with_token(value)
    own = k.program.call_foreign(name, (c.TOKEN, *types), whole, True)
    assert st.token is not None
    called = c.Foreign(own, (st.token, *args), whole, True, at)
    return k.effect(st, out, called, result, at)


def _command_line(k: Code, at: Span) -> Exp:
    """The command line does not change, so its parts are pure foreign functions."""

    def pure(name: str, args: tuple[Exp, ...], t: ScalarType) -> Exp:
        own: Name = k.program.call_foreign(name, (I64,) * len(args), t, False)
        return c.Foreign(own, args, t, False, at)

    def each(n: Exp, body: "c.Exp", i: c.Binder) -> Exp:
        numbers = c.Iota(n, c.Const(0, I64, at), c.Const(1, I64, at), at)
        return c.Map(c.Lambda((i,), body, at), (numbers,), at)

    i, j = (c.Binder(k.program.fresh(x), I64) for x in "ij")
    which, place = c.Var(i.name, at), c.Var(j.name, at)
    byte = pure("harlan_argument_byte", (which, place), U8)
    word = each(pure("harlan_argument_length", (which,), I64), byte, j)
    return each(pure("harlan_arguments", (), I64), word, i)
