"""Elaborate texts that cross to foreign functions, which take scalars only.

    (print "hello world")    effect harlan_print_bytes (t, stream, 0x6f77206f6c6c6568, 8), …
    (print s)                loop (t) for i < size s do effect harlan_print_char (t, stream, s[i])
    (f s)                    effect harlan_text_begin (t) : (t, number), its bytes,
                             effect f (t, number)

A constant text goes in words of eight bytes.  A text that a function returns comes back in the same
way: first its length, then each byte.
"""

from funmem.frontends.harlan.elaborate.code import Program
from funmem.frontends.harlan.elaborate.wraps import Wrap, i64, let, wrapped
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import I64, U8, U16, U64

NUMBER = U16
"""The type of the number by which a foreign function knows a text."""
_WORD = 8


def constant(value: Exp) -> bytes | None:
    """Return the bytes of a text that is a constant; None for another one."""
    if not isinstance(value, c.ArrayLit):
        return None
    out: list[int] = []
    for e in value.elems:
        if not isinstance(e, c.Const) or not isinstance(e.value, int):
            return None
        out.append(e.value)
    return bytes(out)


def sent(p: Program, token: Exp, name: str, to: Exp, kind: c.Type, value: Exp, at: Span) -> Exp:
    """Return the token after the bytes of a text have gone to ``harlan_NAME_bytes`` or ``_char``.

    ``to`` is the stream or the text that they are added to, and ``kind`` its type.
    """
    known = constant(value)
    wraps: list[Wrap] = []
    if known is not None:
        words = p.call_foreign(f"harlan_{name}_bytes", (c.TOKEN, kind, U64, I64), c.TOKEN, True)
        for k in range(0, len(known), _WORD):
            part = known[k : k + _WORD]
            word = c.Const(int.from_bytes(part, "little"), U64, at)
            after = p.fresh("t")
            called = c.Foreign(words, (token, to, word, i64(len(part), at)), c.TOKEN, True, at)
            wraps.append(let((c.Binder(after, c.TOKEN),), called, at))
            token = c.Var(after, at)
        return wrapped(wraps, token)
    byte = p.call_foreign(f"harlan_{name}_char", (c.TOKEN, kind, U8), c.TOKEN, True)
    xs, i, t = p.fresh("text"), p.fresh("i"), c.Binder(p.fresh("t"), c.TOKEN)
    element = c.Index(c.Var(xs, at), (c.Fix(c.Var(i, at)),), at)
    body = c.Foreign(byte, (c.Var(t.name, at), to, element), c.TOKEN, True, at)
    loop = c.Loop((t,), (token,), c.For(i, c.Length(c.Var(xs, at), 0, at)), body, at)
    return c.Let((c.Binder(xs, c.Array(U8)),), value, loop, at)


def given(p: Program, token: Exp, value: Exp, out: list[Wrap], at: Span) -> tuple[Exp, Exp]:
    """Return the token after a text has been given away, and the text's number."""
    pair = c.tuple_type(c.TOKEN, NUMBER)
    begin = p.call_foreign("harlan_text_begin", (c.TOKEN,), pair, True)
    first, number, last = p.fresh("t"), p.fresh("text"), p.fresh("t")
    begun = c.Foreign(begin, (token,), pair, True, at)
    out.append(let((c.Binder(first, c.TOKEN), c.Binder(number, NUMBER)), begun, at))
    own = c.Var(number, at)
    added = sent(p, c.Var(first, at), "text", own, NUMBER, value, at)
    out.append(let((c.Binder(last, c.TOKEN),), added, at))
    return c.Var(last, at), own


def returned(p: Program, token: Exp, length: Exp, out: list[Wrap], at: Span) -> tuple[Exp, Exp]:
    """Return the token, and the text that the last foreign call has made."""
    pair = c.tuple_type(c.TOKEN, U8)
    byte = p.call_foreign("harlan_text_byte", (c.TOKEN, I64), pair, True)
    t, xs = c.Binder(p.fresh("t"), c.TOKEN), c.Binder(p.fresh("xs"), c.Array(U8))
    i, after, b, n = (p.fresh(x) for x in ("i", "t", "b", "n"))
    got = c.Foreign(byte, (c.Var(t.name, at), c.Var(i, at)), pair, True, at)
    grown = c.Update(c.Var(xs.name, at), (c.Fix(c.Var(i, at)),), c.Var(b, at), at)
    next_ = c.tuple_exp(c.Var(after, at), grown, at=at)
    body = c.Let((c.Binder(after, c.TOKEN), c.Binder(b, U8)), got, next_, at)
    out.append(let((c.Binder(n, I64),), c.Convert(I64, length, at), at))
    count = c.Var(n, at)
    start = (token, c.Replicate(count, c.Const(0, U8, at), at))
    loop = c.Loop((t, xs), start, c.For(i, count), body, at)
    last, value = p.fresh("t"), p.fresh("text")
    out.append(let((c.Binder(last, c.TOKEN), c.Binder(value, c.Array(U8))), loop, at))
    return c.Var(last, at), c.Var(value, at)
