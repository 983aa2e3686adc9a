"""Parse types and binders: ``(x : vector (int, float))``."""

from funmem.frontends.nova import ast
from funmem.frontends.nova.errors import Code, fail
from funmem.frontends.nova.tokens import Cursor, is_name
from funmem.frontends.sexpr import Atom, Datum, List
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, F32, F64, I8, I16, I32, ScalarType

BASIC: dict[str, ScalarType] = {
    "int": I32,
    "int32": I32,
    "int16": I16,
    "int8": I8,
    "float": F32,
    "double": F64,
    "bool": BOOL,
}
BUILT_IN = frozenset([*BASIC, "unit", "vector"])
"""Names that a ``types`` section cannot define."""

MAX_RANK = 16


def param(c: Cursor, what: str) -> ast.Param:
    """Parse ``(x : t)``."""
    inner = c.list(what)
    name, at = inner.name("a name")
    inner.expect(":", "a binder states its type: `(x : int)`")
    t = parse_type(inner)
    inner.finish("`)` after the type")
    return ast.Param(name, t, at)


def parse_type(c: Cursor) -> ast.Type:
    """Parse ``atom ["->" type]``."""
    parts = [atom(c)]
    while c.accept("->"):
        parts.append(atom(c))
    t = parts.pop()
    for p in reversed(parts):
        t = ast.Function(p, t, _joined(p.at, t.at))
    return t


def atom(c: Cursor) -> ast.Type:
    """Parse a type that is not a function type, unless in parentheses."""
    found = c.next("a type")
    if isinstance(found, List):
        return _group(found)
    text, at = found.text, found.at
    if text in BASIC:
        return ast.Basic(BASIC[text], at)
    if text == "unit":
        return ast.Unit(at)
    if text[0] == "'":
        return ast.TypeVar(text, at)
    if text == "vector" or text.startswith("vector#"):
        rank = None if text == "vector" else int(text[7:])
        if rank is not None and not 1 <= rank <= MAX_RANK:
            fail(at, Code.SYNTAX, f"a vector has 1 to {MAX_RANK} dimensions, not {rank}")
        elem = atom(c)
        return ast.Vector(elem, rank, _joined(at, elem.at))
    if not is_name(text) or "#" in text:
        c.pos -= 1
        c.fail("a type")
    return ast.Named(text, (), at)


def _group(found: List) -> ast.Type:
    """Parse ``(Id t …)``, ``(t)`` or ``(t, t, …)``."""
    c = Cursor(found.items, found.close)
    head = c.peek()
    second = found.items[1] if len(found.items) > 1 else None
    applied = isinstance(head, Atom) and is_name(head.text) and head.text not in BUILT_IN
    if applied and second is not None and _is_argument(second):
        name, _ = c.name("a type")
        args: list[ast.Type] = []
        while not c.done:
            args.append(atom(c))
        return ast.Named(name, tuple(args), found.at)
    elems = [parse_type(c)]
    while c.accept(","):
        elems.append(parse_type(c))
    c.finish("`,` or `)` in a type")
    return elems[0] if len(elems) == 1 else ast.Tuple(tuple(elems), found.at)


def _is_argument(datum: Datum) -> bool:
    return isinstance(datum, List) or datum.text not in ("->", ",", ":")


def type_definition(c: Cursor) -> ast.TypeDefinition:
    """Parse ``(Id 'a … : sum)`` or ``(Id 'a … : t)``."""
    inner = c.list("a type definition `(Name : …)`")
    name, at = inner.name("the name of a type")
    if name in BUILT_IN:
        fail(at, Code.NAME, f"`{name}` is a built-in type", "choose another name")
    params: list[str] = []
    while inner.word().startswith("'"):
        if inner.word() in params:
            fail(inner.at(), Code.NAME, f"`{inner.word()}` occurs twice")
        params.append(inner.word())
        inner.pos += 1
    inner.expect(":", "`(Name : …)` defines a type")
    found = inner.peek()
    body: ast.Type | tuple[ast.Constructor, ...]
    if isinstance(found, List) and _first_word(found) == "+":
        inner.pos += 1
        body = _constructors(Cursor(found.items[1:], found.close))
    else:
        body = parse_type(inner)
    inner.finish("`)` after the definition")
    return ast.TypeDefinition(name, tuple(params), body, at)


def _constructors(c: Cursor) -> tuple[ast.Constructor, ...]:
    out: list[ast.Constructor] = []
    while not c.done or not out:
        p = param(c, "a constructor `(Name : type)`")
        out.append(ast.Constructor(p.name, p.type, p.at))
    return tuple(out)


def _first_word(found: List) -> str:
    head = found.items[0] if found.items else None
    return head.text if isinstance(head, Atom) else ""


def _joined(a: Span, b: Span) -> Span:
    return Span(a.file, a.line, a.col, b.end) if a.line == b.line else a
