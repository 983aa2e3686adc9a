"""Elaborate calls of foreign functions.

    (f e …)    effect f (token, e, …) : (token, r)

Texts go to it and come back in parts (texts.py).  A function that opens a file returns a negative
number if it cannot; the check of it traps at the call, on every engine.
"""

from collections.abc import Sequence

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.code import Code, State
from funmem.frontends.harlan.elaborate.grounds import has_value
from funmem.frontends.harlan.elaborate.stores import is_reference, stored
from funmem.frontends.harlan.elaborate.texts import NUMBER, given, returned
from funmem.frontends.harlan.elaborate.wraps import Wrap, i64, require
from funmem.frontends.harlan.errors import Code as ErrorCode
from funmem.frontends.harlan.errors import fail
from funmem.frontends.harlan.types import STR
from funmem.frontends.inference.types import Type
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import I32, I64, U8, BinOp, ScalarType

OPENING = frozenset({"harlan_open_outfile", "harlan_file_open", "harlan_fopen"})
"""The functions that open a file."""


def call_extern(
    k: Code, e: ast.Call, fn: ast.Extern, args: Sequence[Exp], st: State, out: list[Wrap]
) -> Exp:
    """Return the value of a call of a foreign function."""
    at = e.at
    if _is_command_line(fn):
        made, words = k.ground(e), command_line(k, at)
        return stored(k.program, st, out, words, made, at) if is_reference(made) else words
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
    value = _called(k, name, values, types, result, st, out, at)
    return _opened(k, value, out, at) if name in OPENING else value


def _opened(k: Code, value: Exp, out: list[Wrap], at: Span) -> Exp:
    """Return the number of a file, which the program may use only if the file could be opened."""
    number = k.atom(value, I64, out, "file")
    out.append(require(c.Bin(BinOp.LE, i64(0, at), number, at), "cannot open the file", at))
    return number


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


def is_command_line(e: ast.Exp) -> bool:
    """True for ``(command-line)`` of the library."""
    return isinstance(e, ast.Call) and isinstance(e.fn, ast.Extern) and _is_command_line(e.fn)


def _is_command_line(fn: ast.Extern) -> bool:
    return fn.name == "command-line" and fn.library


def names_command_line(k: Code, e: ast.Exp) -> bool:
    """True for ``(command-line)``, or a variable that is bound to it."""
    return is_command_line(e) or (isinstance(e, ast.Var) and e.local in k.command_lines)


def word_count(k: Code, at: Span) -> Exp:
    """Return the number of words of the command line."""
    return _pure(k, "harlan_arguments", (), I64, at)


def word(k: Code, i: Exp, at: Span) -> Exp:
    """Return a word of the command line; the index is an i64.  Words have different lengths.

    A loop makes it, since a kernel on a device cannot call this function.
    """
    fresh = k.program.fresh
    n, j, out = c.Binder(fresh("n"), I64), fresh("j"), c.Binder(fresh("word"), c.Array(U8))
    byte = _pure(k, "harlan_argument_byte", (i, c.Var(j, at)), U8, at)
    longer = c.Update(c.Var(out.name, at), (c.Fix(c.Var(j, at)),), byte, at)
    start, form = c.Scratch(c.Var(n.name, at), U8, at), c.For(j, c.Var(n.name, at))
    length = _pure(k, "harlan_argument_length", (i,), I64, at)
    return c.Let((n,), length, c.Loop((out,), (start,), form, longer, at), at)


def checked_word(k: Code, index: Exp, out: list[Wrap], at: Span) -> Exp:
    """``(vector-ref (command-line) i)``."""
    i = k.atom(c.Convert(I64, index, at), I64, out, "i")
    n = k.atom(word_count(k, at), I64, out, "n")
    low = c.Bin(BinOp.LE, c.Const(0, I64, at), i, at)
    inside = c.Bin(BinOp.LAND, low, c.Bin(BinOp.LT, i, n, at), at)
    message = "Index [{}] out of bounds for a command line of {} words."
    out.append(lambda rest: c.Assert(inside, message, (i, n), rest, at))
    return word(k, i, at)


def command_line(k: Code, at: Span) -> Exp:
    """Return all words; the command line does not change, so its parts are pure functions."""
    i = c.Binder(k.program.fresh("i"), I64)
    return _each(word_count(k, at), word(k, c.Var(i.name, at), at), i, at)


def _pure(k: Code, name: str, args: tuple[Exp, ...], t: ScalarType, at: Span) -> Exp:
    own = k.program.call_foreign(name, (I64,) * len(args), t, False)
    return c.Foreign(own, args, t, False, at)


def _each(n: Exp, body: Exp, i: c.Binder, at: Span) -> Exp:
    numbers = c.Iota(n, c.Const(0, I64, at), c.Const(1, I64, at), at)
    return c.Map(c.Lambda((i,), body, at), (numbers,), at)
