"""Elaborate ``print``: foreign calls for a scalar or a text, and a definition for each other type,
which prints a value part by part.

    [1 2 3]      [[1 2] <newline> [3]]      (Cons 1 (Nil))
"""

from collections.abc import Sequence

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.code import Code, Program, State
from funmem.frontends.harlan.elaborate.grounds import is_scalar, mentions_store
from funmem.frontends.harlan.elaborate.parts import operands
from funmem.frontends.harlan.elaborate.stores import as_array
from funmem.frontends.harlan.elaborate.texts import sent
from funmem.frontends.harlan.elaborate.wraps import Wrap, i64, let, text, unit, wrapped
from funmem.frontends.harlan.errors import Code as ErrorCode
from funmem.frontends.harlan.errors import fail
from funmem.frontends.harlan.types import CHAR, STR, VEC_TYPE
from funmem.frontends.inference.types import Opaque, Type
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I32, I64, U64, BinOp, ScalarType

STDOUT = 0
"""The handle of the standard output."""


def print_(k: Code, e: ast.Print, st: State, out: list[Wrap]) -> Exp:
    """``(print e)``, ``(print e stream)``."""
    t = k.ground(e.value)
    if e.stream is None:
        value = k.program.exp(k, e.value, st, out)
        stream: Exp = i64(STDOUT, e.at)
    else:
        value, stream = operands(k, (e.value, e.stream), st, out)
    _require_printable(k.program, t, e.value.at, set())
    assert st.token is not None
    printed = printing(k.program, st, st.token, stream, value, t, e.at)
    token = k.program.fresh("t")
    out.append(let((c.Binder(token, c.TOKEN),), printed, e.at))
    st.token = c.Var(token, e.at)
    return unit(e.at)


def _require_printable(p: Program, t: Type, at: Span, seen: set[Type]) -> None:
    if is_scalar(t) or t in seen:
        return
    seen.add(t)
    if isinstance(t, Opaque) and t.hidden is VEC_TYPE:
        _require_printable(p, t.args[0], at, seen)
        return
    owner = p.typing.declared.by_type.get(t.hidden) if isinstance(t, Opaque) else None
    if owner is None:
        what = f"this is {p.typing.declared.text(t)}, which cannot be printed"
        fail(at, ErrorCode.TYPE, what, "numbers, texts, vectors and datatypes can")
    assert isinstance(t, Opaque)
    for _, fields in p.types.fields(t):
        for u in fields:
            _require_printable(p, u, at, seen)


def printing(p: Program, st: State, token: Exp, stream: Exp, value: Exp, t: Type, at: Span) -> Exp:
    """Return the token after a value of a type is printed; ``st`` has the stores."""
    if t == STR:
        return sent(p, token, "print", stream, I64, value, at)
    kind = _kind(t)
    if kind is not None:
        given = (c.TOKEN, I64, p.types.of(t))
        name = p.call_foreign(f"harlan_print_{kind}", given, c.TOKEN, True)
        return c.Foreign(name, (token, stream, value), c.TOKEN, True, at)
    stores = [st.env[x] for x in p.store_types] if mentions_store(t) else []
    return c.App(c.Global(_printer(p, t, at), (), at), (token, *stores, stream, value), at)


def _kind(t: Type) -> str | None:
    """Return the suffix of the foreign function that prints a scalar; None for another type."""
    if isinstance(t, ScalarType):
        return {I32: "int", U64: "u64", BOOL: "bool"}.get(t, "float")
    return "char" if t == CHAR else None


def _printer(p: Program, t: Type, at: Span) -> Name:
    """Return the definition that prints a type."""
    if t not in p.printers:
        assert isinstance(t, Opaque)
        p.printers[t] = name = p.fresh("print")
        token, stream = (c.Binder(p.fresh(x), u) for x, u in (("t", c.TOKEN), ("s", I64)))
        value = c.Binder(p.fresh("x"), p.types.of(t))
        at_token, out_stream, x = (c.Var(b.name, at) for b in (token, stream, value))
        st = State({}, None)
        stores = p.store_binders(st) if mentions_store(t) else []
        if t.hidden is VEC_TYPE:
            xs = as_array(p, st, x, t, at)
            body = _vector(p, st, at_token, out_stream, xs, t.args[0], at)
        else:
            body = _datatype(p, st, at_token, out_stream, x, t, at)
        params = (token, *stores, stream, value)
        whole = c.arrow([b.type for b in params], c.TOKEN)
        p.defs.append(c.Def(name, (), whole, c.Lambda(params, body, at), at))
    return p.printers[t]


def _in_turn(
    p: Program,
    st: State,
    token: Exp,
    stream: Exp,
    parts: Sequence[tuple[Exp, Type]],
    at: Span,
) -> Exp:
    """Return the token after several values are printed."""
    wraps: list[Wrap] = []
    for value, t in parts:
        name = p.fresh("t")
        printed = printing(p, st, token, stream, value, t, at)
        wraps.append(let((c.Binder(name, c.TOKEN),), printed, at))
        token = c.Var(name, at)
    return wrapped(wraps, token)


def _vector(p: Program, st: State, token: Exp, stream: Exp, xs: Exp, elem: Type, at: Span) -> Exp:
    between = b" " if is_scalar(elem) else b" \n "
    first, t, k = p.fresh("t"), c.Binder(p.fresh("t"), c.TOKEN), p.fresh("k")
    here = c.Var(k, at)
    separated = p.fresh("t")
    at_first = c.Bin(BinOp.EQ, here, i64(0, at), at)
    own = c.Var(t.name, at)
    sep = c.If(at_first, own, printing(p, st, own, stream, text(between, at), STR, at), at)
    element = c.Index(xs, (c.Fix(here),), at)
    printed = printing(p, st, c.Var(separated, at), stream, element, elem, at)
    body = c.Let((c.Binder(separated, c.TOKEN),), sep, printed, at)
    loop = c.Loop((t,), (c.Var(first, at),), c.For(k, c.Length(xs, 0, at)), body, at)
    last = p.fresh("t")
    closed = printing(p, st, c.Var(last, at), stream, text(b"]", at), STR, at)
    opened = printing(p, st, token, stream, text(b"[", at), STR, at)
    inner = c.Let((c.Binder(last, c.TOKEN),), loop, closed, at)
    return c.Let((c.Binder(first, c.TOKEN),), opened, inner, at)


def _datatype(p: Program, st: State, token: Exp, stream: Exp, x: Exp, t: Opaque, at: Span) -> Exp:
    arms: list[c.Arm] = []
    for name, fields in p.types.fields(t):
        binders = tuple(c.Binder(p.fresh("f"), p.types.of(u)) for u in fields)
        parts: list[tuple[Exp, Type]] = [(text(b"(" + name.encode(), at), STR)]
        for b, u in zip(binders, fields, strict=True):
            parts += [(text(b" ", at), STR), (c.Var(b.name, at), u)]
        parts.append((text(b")", at), STR))
        arms.append(
            c.Arm(p.types.identifier(name), binders, _in_turn(p, st, token, stream, parts, at))
        )
    return c.Match(x, tuple(arms), None, at)
