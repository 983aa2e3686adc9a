"""Parse types and the declarations that consist of types."""

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.errors import Code, fail
from funmem.frontends.harlan.tokens import Cursor, is_symbol
from funmem.frontends.sexpr import Atom, Datum, List
from funmem.frontends.sexpr_cursor import shown

_HINT = "a type is `int`, `(vec int)`, `(closure (int) -> int)`, a datatype, …"


def parse_type(datum: Datum) -> ast.Type:
    """Parse one type."""
    if isinstance(datum, Atom):
        if not is_symbol(datum) or datum.text == "->":
            fail(datum.at, Code.SYNTAX, f"expected a type, found {shown(datum)}", _HINT)
        return ast.Named(datum.text, datum.at)
    c = Cursor(datum.items, datum.close)
    if c.accept("closure"):
        params, result = _signature(c, "`(closure (t …) -> t)`")
        return ast.ClosureType(params, result, datum.at)
    made = ast.Vec if c.accept("vec") else ast.Ptr if c.accept("ptr") else None
    if made is None:
        c.fail("`vec`, `ptr` or `closure`", _HINT)
    elem = parse_type(c.next("the type of the elements"))
    c.finish(hint="`(vec t)` has one type")
    return made(elem, datum.at)


def _signature(c: Cursor, hint: str) -> tuple[tuple[ast.Type, ...], ast.Type]:
    """Parse ``(t …) -> t``, the rest of a list."""
    params = tuple(map(parse_type, c.list("the parameters' types `(t …)`", hint).items))
    c.expect("->", hint)
    result = parse_type(c.next("the type of the result", hint))
    c.finish(hint=hint)
    return params, result


def extern(c: Cursor, library: bool) -> ast.Extern:
    """Parse what follows ``extern``."""
    name = c.symbol("the name of a foreign function")
    params, result = _signature(c, "`(extern f (t …) -> t)`")
    return ast.Extern(name.text, params, result, library, name.at)


def datatype(c: Cursor) -> ast.Datatype:
    """Parse what follows ``define-datatype``."""
    name = c.symbol("the name of a datatype")
    made: list[ast.Constructor] = []
    while not c.done or not made:
        inner = c.list("a constructor `(C t …)`", "a constructor without fields is `(C)`")
        constructor = inner.symbol("a constructor's name")
        fields = tuple(map(parse_type, inner.rest()))
        made.append(ast.Constructor(constructor.text, fields, constructor.at))
    return ast.Datatype(name.text, tuple(made), name.at)


def is_list_of(datum: Datum, head: str) -> bool:
    """True for ``(head …)``."""
    return (
        isinstance(datum, List)
        and bool(datum.items)
        and isinstance(datum.items[0], Atom)
        and datum.items[0].text == head
    )
