"""Elaborate calls of foreign functions.

    (f e …)    effect f (token, e, …) : (token, r)

A text that such a function returns comes in parts: first its length, then each byte.
"""

from collections.abc import Sequence

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.code import Code, State
from funmem.frontends.harlan.elaborate.grounds import has_value
from funmem.frontends.harlan.elaborate.wraps import Wrap, let
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
    types = [k.type(a) for a in e.args]
    for a, t in zip(e.args, types, strict=True):
        if not _passes(t):
            what = f"`{fn.name}` cannot take {k.program.typing.declared.text(k.ground(a))}"
            fail(
                a.at, ErrorCode.FOREIGN, what, "foreign functions take scalars and vectors of them"
            )
    name = foreign_name(fn)
    assert st.token is not None
    if result == STR:
        length = _called(k, name, (st.token, *args), types, I32, st, out, at)
        return _text(k, length, st, out, at)
    t = k.program.types.of(result)
    if has_value(result) and not isinstance(t, ScalarType):
        what = f"`{fn.name}` cannot return {k.program.typing.declared.text(result)}"
        fail(at, ErrorCode.FOREIGN, what, "foreign functions return scalars and texts")
    return _called(k, name, (st.token, *args), types, result, st, out, at)


def foreign_name(fn: ast.Extern) -> str:
    """Return the name in Core of a foreign function."""
    plain = "".join(x if x.isascii() and x.isalnum() else "_" for x in fn.name)
    return f"harlan_{plain}" if fn.library else plain


def _passes(t: c.Type) -> bool:
    return isinstance(t, ScalarType) or (isinstance(t, c.Array) and isinstance(t.elem, ScalarType))


def _called(
    k: Code,
    name: str,
    args: tuple[Exp, ...],
    types: Sequence[c.Type],
    result: Type,
    st: State,
    out: list[Wrap],
    at: Span,
) -> Exp:
    value = k.program.types.of(result)
    whole = k.program.types.with_token(value)
    own = k.program.call_foreign(name, (c.TOKEN, *types), whole, True)
    return k.effect(st, out, c.Foreign(own, args, whole, True, at), result, at)


def _text(k: Code, length: Exp, st: State, out: list[Wrap], at: Span) -> Exp:
    """Return the text that the last foreign call has made."""
    byte = k.program.call_foreign(
        "harlan_text_byte", (c.TOKEN, I64), c.tuple_type(c.TOKEN, U8), True
    )
    t, xs = c.Binder(k.program.fresh("t"), c.TOKEN), c.Binder(k.program.fresh("xs"), c.Array(U8))
    i, after, b = k.program.fresh("i"), k.program.fresh("t"), k.program.fresh("b")
    got = c.Foreign(byte, (c.Var(t.name, at), c.Var(i, at)), c.tuple_type(c.TOKEN, U8), True, at)
    grown = c.Update(c.Var(xs.name, at), (c.Fix(c.Var(i, at)),), c.Var(b, at), at)
    pair = c.tuple_exp(c.Var(after, at), grown, at=at)
    body = c.Let((c.Binder(after, c.TOKEN), c.Binder(b, U8)), got, pair, at)
    count = k.atom(c.Convert(I64, length, at), I64, out, "n")
    assert st.token is not None
    start = (st.token, c.Replicate(count, c.Const(0, U8, at), at))
    loop = c.Loop((t, xs), start, c.For(i, count), body, at)
    token, value = k.program.fresh("t"), k.program.fresh("text")
    binders = (c.Binder(token, c.TOKEN), c.Binder(value, c.Array(U8)))
    out.append(let(binders, loop, at))
    st.token = c.Var(token, at)
    return c.Var(value, at)


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
