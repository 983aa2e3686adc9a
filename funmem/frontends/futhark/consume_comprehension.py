"""Array comprehensions: they run many times, so they must not consume outer variables."""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.consume_context import ELEMENT, ConsumeContext
from funmem.frontends.futhark.consume_pat import matched
from funmem.frontends.futhark.consume_types import (
    NOTHING,
    Aliases,
    Scalar,
    Value,
    aliases,
    fill,
    shape,
)


def comprehension(cx: ConsumeContext, e: ast.Comprehension) -> Value:
    """Return the value of ``[e | q]``, a new array."""

    def body() -> None:
        _qualifier(cx, e.qual)
        cx.exp(cx, e.exp)

    cx.inside("the comprehension", body)
    return fill(NOTHING, shape(cx.typing.types[e]))


def _qualifier(cx: ConsumeContext, q: ast.Qualifier) -> None:
    match q:
        case ast.QBind(pat, exp):
            source = aliases(cx.exp(cx, exp))
            elements(cx, pat, source)
        case ast.QFilter(exp):
            cx.exp(cx, exp)
        case ast.QSeq(quals) | ast.QZip(quals):
            for part in quals:
                _qualifier(cx, part)
        case ast.QOrder(key):
            cx.exp(cx, key)
        case ast.QGroup():
            cx.exp(cx, q.key)
            for fold in q.folds:
                cx.exp(cx, fold.op)
                cx.exp(cx, fold.neutral)
                value = cx.exp(cx, fold.exp)
                if not isinstance(value, Scalar):
                    name = cx.typing.names[(fold, fold.name)]
                    cx.bind(name, fold.name, fill(frozenset({name}), value), ELEMENT)


def elements(cx: ConsumeContext, pat: ast.Pattern, source: Aliases) -> None:
    """Bind the variables of ``pat`` to parts of an element of an array."""
    for v, part in matched(pat, shape(cx.typing.types[pat])):
        if not isinstance(part, Scalar):
            name = cx.typing.names[v]
            cx.bind(name, v.name, fill(source | {name}, part), ELEMENT)
