"""Array literals and comprehensions (paper 004, fig. 1).

array    ::= "[" exp, … "]"  |  "[" exp "|" zip "]"
zip      ::= seq ("|" seq)*                       side by side, loosest
seq      ::= qual ("," qual)*                     later ones see the variables of earlier ones
qual     ::= pattern "<-" exp                     binding; `[a..<b]` is the range, as in the paper
          |  exp                                  filter
          |  "(" zip ")"                          with a binding in it
          |  "order" "by" exp
          |  "group" "by" [name "="] exp ("into" name "=" atom atom exp)*

A bracket that directly contains ``<-`` is a comprehension.  Inside it ``|`` is a separator, so a
bitwise or needs parentheses: ``[(a | b) | a <- xs]``; ``[a | b]`` needs none.  The words ``order``,
``group``, ``by`` and ``into`` are special only inside comprehensions and are names elsewhere.
``into s = (+) 0 x * y`` reduces ``x * y`` over each group with ``(+)`` and the neutral element
``0``: two arguments, then an expression.
"""

from funmem.frontends.futhark.ast import (
    ArrayLit,
    Comprehension,
    Exp,
    QBind,
    QFilter,
    QFold,
    QGroup,
    QOrder,
    QSeq,
    Qualifier,
    QZip,
    Range,
)
from funmem.frontends.futhark.lexer import SEPARATOR, Kind
from funmem.frontends.futhark.parse_base import Cursor
from funmem.frontends.futhark.parse_patterns import pattern

_DRAWS = "a comprehension draws elements with `<-`: [e | x <- xs]"
_LIKE_OTHERS = {"in": _DRAWS, "for": _DRAWS}
_KEEPS = "a filter comes after a comma: [e | x <- xs, x > 0]"


def array(c: Cursor) -> Exp:
    """Read ``[e, …]`` or ``[e | q]``."""
    is_comprehension = c.at_comprehension()
    opener = c.advance()
    if not is_comprehension:
        elems = c.commas(c.exp, opener, "]", _LIKE_OTHERS)
        return ArrayLit(elems, c.span(opener))
    c.enter()
    result = c.exp(c)
    c.expect(SEPARATOR, "a comprehension looks like [e | x <- xs, …]")
    qual = _zip(c)
    c.leave()
    c.close(opener, "]", "|", ",", hints={**_LIKE_OTHERS, "if": _KEEPS})
    return Comprehension(result, qual, c.span(opener))


def _zip(c: Cursor) -> Qualifier:
    c.enter()
    first = c.token
    branches = [_seq(c)]
    while c.accept(SEPARATOR):
        branches.append(_seq(c))
    c.leave()
    return branches[0] if len(branches) == 1 else QZip(tuple(branches), c.span(first))


def _seq(c: Cursor) -> Qualifier:
    first = c.token
    quals = [_qual(c)]
    while c.accept(","):
        quals.append(_qual(c))
    return quals[0] if len(quals) == 1 else QSeq(tuple(quals), c.span(first))


def _qual(c: Cursor) -> Qualifier:
    first = c.token
    if c.at_binding():
        pat = pattern(c)
        c.expect("<-")
        bracket = c.at("[")
        e = c.exp(c)
        match e:
            case ArrayLit((Range() as lone,)) if bracket:  # [a..<b], as paper 004 writes a range
                e = lone
        return QBind(pat, e, c.span(first))
    if first.text == "(" and c.at_comprehension():
        c.advance()
        inner = _zip(c)
        c.close(first, ")", "|", ",")
        return inner
    if first.text in ("order", "group") and c.peek(1).text == "by":
        c.advance()
        c.advance()
        return _order(c) if first.text == "order" else _group(c)
    e = c.exp(c)
    return QFilter(e, e.at)


def _order(c: Cursor) -> QOrder:
    first = c.peek(-2)
    key = c.exp(c)
    return QOrder(key, c.span(first))


def _group(c: Cursor) -> QGroup:
    first = c.peek(-2)
    name = None
    if c.token.kind is Kind.NAME and c.peek(1).text == "=":
        name = c.advance().text
        c.advance()
    key = c.exp(c)
    folds = []
    while c.at("into"):
        folds.append(_fold(c))
    return QGroup(name, key, tuple(folds), c.span(first))


def _fold(c: Cursor) -> QFold:
    first = c.advance()
    name = c.name()
    c.expect("=")
    op = c.argument(c)
    neutral = c.argument(c)
    e = c.exp(c)
    return QFold(name, op, neutral, e, c.span(first))
