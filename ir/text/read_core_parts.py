"""The productions of Core's grammar below expressions: names, types, lists, binders."""

from collections.abc import Callable
from typing import TypeVar

from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.names import Name
from funmem.ir.text.cursor import Cursor
from funmem.ir.text.lexer import SCALAR_WORDS, Kind, Token
from funmem.ir.text.parse_parts import scalar_type, size

T = TypeVar("T")

# ---------------------------------------------------------------------- names

_AFTER = ("in", "then", "else", "do", "entry", "def", "data", "foreign", "effect", "opaque")
"""The words that follow an unfinished expression or definition."""


def name(k: Cursor, what: str = "a name") -> Name:
    """Read a name; messages call it ``what``."""
    if k.token.kind is Kind.WORD and not k.at(*_AFTER):
        word = k.token.text
        raise k.unexpected(what, f"`{word}` is a reserved word; in backquotes it is a name")
    return k.name(what)


# ---------------------------------------------------------------------- types


def type_(k: Cursor) -> Type:
    """Read a type."""
    k.enter()
    t = sum_(k) if k.at("#") else _arrow(k)
    k.leave()
    return t


def sum_(k: Cursor) -> c.Sum:
    """Read ``#c t… | …``."""
    k.expect("#")
    if k.token.kind is not Kind.NAME:
        return c.Sum(())
    constructors = [_constructor(k)]
    while k.accept("|"):
        k.expect("#", "each constructor of a sum begins with `#`")
        constructors.append(_constructor(k))
    return c.Sum(tuple(constructors))


def _constructor(k: Cursor) -> tuple[str, tuple[Type, ...]]:
    return name(k, "the name of a constructor"), _tights(k)


def _arrow(k: Cursor) -> Type:
    params: list[Type] = []
    while True:
        params.append(c.Data(name(k), _tights(k)) if k.at_name() else tight(k))
        if not k.accept("->"):
            return c.arrow(params[:-1], params[-1])
        if k.at("#"):
            return c.arrow(params, sum_(k))


def _tights(k: Cursor) -> tuple[Type, ...]:
    types: list[Type] = []
    while k.at_name() or k.at("(", "[", "{", "'", "token") or k.token.text in SCALAR_WORDS:
        types.append(tight(k))
    return tuple(types)


def tight(k: Cursor) -> Type:
    """Read a type that needs no parentheses as an element or argument."""
    if k.at_name():
        return c.Data(name(k))
    if k.accept("'"):
        return c.TypeVar(name(k, "the name of a type variable"))
    if k.accept("token"):
        return c.TOKEN
    if k.at("["):
        return _array_type(k)
    if k.at("{"):
        opener = k.next()
        return c.Record(tuple(until(k, opener, "}", _field_type)))
    if k.at("("):
        opener = k.next()
        types, commas = group(k, opener, type_)
        return c.tuple_type(*types) if commas or not types else types[0]
    if k.token.text not in SCALAR_WORDS:
        hint = "types look like i64, [n]f32, (i64, bool), {x : i64}, i64 -> i64, 'a, #a | #b i64"
        raise k.unexpected("a type", hint)
    return scalar_type(k)


def _array_type(k: Cursor) -> Type:
    """Read ``[d]…[d]t``."""
    sizes = []
    while k.at("["):
        opener = k.next()
        sizes.append(None if k.at("]") else size(k))
        k.close(opener, "]")
    t = tight(k)
    for d in reversed(sizes):
        t = c.Array(t, d)
    return t


def _field_type(k: Cursor) -> tuple[str, Type]:
    x = label(k)
    k.expect(":", "a record type looks like {x : i64, y : f32}")
    return x, type_(k)


def label(k: Cursor) -> str:
    """Read a field's label."""
    if k.token.kind is Kind.NUMBER and k.token.text.isdigit():
        return k.next().text
    return name(k, "a label")


# ---------------------------------------------------------------------- lists


def until(
    k: Cursor, opener: Token, closer: str, item: Callable[[Cursor], T], separator: str = ","
) -> list[T]:
    """Read ``item, …, item )`` behind the opening bracket; a last separator may follow."""
    items: list[T] = []
    k.enter()
    while not k.at(closer):
        items.append(item(k))
        if not k.accept(separator):
            break
    k.leave()
    k.close(opener, closer, separator)
    return items


def group(k: Cursor, opener: Token, item: Callable[[Cursor], T]) -> tuple[list[T], bool]:
    """Read ``item, …, item )``; also return True if there is a comma."""
    items: list[T] = []
    comma = False
    k.enter()
    while not k.at(")"):
        items.append(item(k))
        if not k.accept(","):
            break
        comma = True
    k.leave()
    k.close(opener, ")", ",")
    return items, comma


# ---------------------------------------------------------------------- binders


def binder(k: Cursor) -> c.Binder:
    """Read ``(x : t)``."""
    opener = k.expect("(", "a binder looks like (x : i64)")
    x = name(k)
    k.expect(":", "a binder states its type: (x : i64)")
    b = c.Binder(x, type_(k))
    k.close(opener, ")")
    return b


def binders(k: Cursor) -> tuple[c.Binder, ...]:
    """Read ``()`` or any number of binders."""
    if k.at("(") and k.following.text == ")":
        k.next()
        k.next()
        return ()
    found: list[c.Binder] = []
    while k.at("("):
        found.append(binder(k))
    return tuple(found)
