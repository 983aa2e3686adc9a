"""Parse the text of a NOVA program (:mod:`funmem.frontends.nova.ast`)."""

from collections.abc import Callable, Mapping

from funmem.frontends import sexpr
from funmem.frontends.nova import ast
from funmem.frontends.nova.errors import Code, fail, failure
from funmem.frontends.nova.parse_types import param, parse_type, type_definition
from funmem.frontends.nova.tokens import KEYWORDS, NUMBER, SYNTAX, Cursor, is_name, is_number
from funmem.frontends.sexpr import Atom, Datum, List
from funmem.frontends.sexpr_cursor import shown
from funmem.ir.diagnostics import Span

_SECTIONS = ("types", "foreign")


def parse(text: str, file: str) -> ast.Program:
    """Return the tree of a program.  Raises SourceError (``nova-syntax``)."""
    data, end = sexpr.read(text, file, SYNTAX)
    c = Cursor(data, end)
    start = c.at()
    first = c.list("the inputs `((x : int) …)`", "a program without inputs begins with `()`")
    inputs: list[ast.Param] = []
    while not first.done:
        inputs.append(param(first, "an input `(x : int)`"))
    types: list[ast.TypeDefinition] = []
    foreign: list[ast.Param] = []
    seen: set[str] = set()
    while (word := _head(c.peek())) in _SECTIONS:
        at = c.at()
        section = c.list("a section")
        section.pos = 1
        if word in seen:
            fail(at, Code.SYNTAX, f"there are two `{word}` sections")
        seen.add(word)
        while not section.done:
            if word == "types":
                types.append(type_definition(section))
            else:
                foreign.append(param(section, "a foreign function `(f : type)`"))
    if c.done:
        fail(c.at(), Code.SYNTAX, "expected the program's expression, found the end of the text")
    body = expression(c.next("the program's expression"))
    if not c.done:
        hint = "a program is its inputs, sections and one expression"
        fail(c.at(), Code.SYNTAX, f"expected the end of the program, found {shown(c.peek())}", hint)
    return ast.Program(tuple(inputs), tuple(types), tuple(foreign), body, start)


def _head(datum: Datum | None) -> str:
    """Return the first word of a list; empty if there is none."""
    if not isinstance(datum, List) or not datum.items or not isinstance(datum.items[0], Atom):
        return ""
    return datum.items[0].text


# ---------------------------------------------------------------------- expressions


def expression(datum: Datum) -> ast.Exp:
    """Parse one expression."""
    if isinstance(datum, List):
        return _list(datum)
    text, at = datum.text, datum.at
    match text:
        case "true" | "false":
            return ast.Bool(text == "true", at)
        case "nil":
            return ast.Nil(at)
        case _ if is_number(text):
            if not NUMBER.fullmatch(text):
                fail(at, Code.SYNTAX, f"`{text}` is no number", "a number: 1, -2.5, 1e-3, 4L")
            return ast.Number(text, "." in text or "e" in text, text.endswith("L"), at)
        case _ if is_name(text):
            return ast.Var(text, at)
        case _:
            hint = f"`{text}` is a keyword" if text in KEYWORDS else ""
            raise failure(at, Code.SYNTAX, f"expected an expression, found `{text}`", hint)


def _list(found: List) -> ast.Exp:
    """Parse a form, a tuple, an access, an application or an expression in parentheses."""
    items = found.items
    if not items:
        fail(found.at, Code.SYNTAX, "expected an expression, found `)`", "`nil` is the unit value")
    form = _FORMS.get(_head(found))
    if form is not None:
        return form(Cursor(items[1:], found.close), found.at)
    signs = {d.text: d.at for d in items if isinstance(d, Atom) and d.text in (",", ".", "!")}
    if "," in signs:
        return _tuple(found)
    if "." in signs or "!" in signs:
        return _access(found)
    head = expression(items[0])
    if len(items) == 1:
        return head
    return ast.App(head, tuple(map(expression, items[1:])), found.at)


def _tuple(found: List) -> ast.Exp:
    c = Cursor(found.items, found.close)
    elems = [expression(c.next("an expression"))]
    while not c.done:
        c.expect(",", "put parentheses around each element that is an application")
        elems.append(expression(c.next("an expression after `,`")))
    return ast.TupleExp(tuple(elems), found.at)


def _access(found: List) -> ast.Exp:
    """Parse ``(e . k)`` or ``(e ! e)``."""
    c = Cursor(found.items, found.close)
    whole = expression(c.next("an expression"))
    if c.accept("!"):
        index = expression(c.next("an index after `!`"))
        c.finish("`)` after the index", "`(X ! i)` is an element; put others in parentheses")
        return ast.Element(whole, index, found.at)
    c.expect(".", "`(t . 0)` and `(X ! i)` stand alone in their parentheses")
    word = c.word()
    if not (word.isascii() and word.isdigit() and len(word) < 4):
        c.fail("the number of a tuple's element", "elements count from 0: `(t . 0)`")
    c.pos += 1
    c.finish("`)` after the number", "`(t . 0)` is an element; put others in parentheses")
    return ast.Project(whole, int(word), found.at)


def _if(c: Cursor, at: Span) -> ast.Exp:
    cond = expression(c.next("a condition"))
    c.expect("then", "`(if c then e else e)`")
    then = expression(c.next("an expression after `then`"))
    c.expect("else", "`(if c then e else e)`")
    orelse = expression(c.next("an expression after `else`"))
    c.finish("`)` after `else …`", "put parentheses around an application")
    return ast.If(cond, then, orelse, at)


def _case(c: Cursor, at: Span) -> ast.Exp:
    exp = expression(c.next("an expression after `case`"))
    arms: list[ast.Arm] = []
    while not c.done or not arms:
        arm = c.list("an arm `(Constructor x e)`")
        constructor, where = arm.name("a constructor")
        name, _ = arm.name("a name for what the constructor holds")
        body = expression(arm.next("the arm's expression"))
        arm.finish("`)` after the arm's expression", "put parentheses around an application")
        arms.append(ast.Arm(constructor, name, body, where))
    return ast.Case(exp, tuple(arms), at)


def _let(c: Cursor, at: Span) -> ast.Exp:
    definitions: list[ast.Definition] = []
    while not definitions or (not c.done and c.word() != "in"):
        if (word := c.word()) and definitions:
            c.fail("`in`", f"`{word}` is no definition `(x e)`")
        inner = c.list("a definition `(x e)`", "`(let (x e) … in e)`")
        name, where = inner.name("a name")
        exp = expression(inner.next(f"the value of `{name}`"))
        inner.finish("`)` after the value", "put parentheses around an application")
        definitions.append(ast.Definition(name, exp, where))
    c.expect("in", "`(let (x e) … in e)`")
    body = expression(c.next("an expression after `in`"))
    c.finish("`)` after `in …`", "put parentheses around an application")
    return ast.Let(tuple(definitions), body, at)


def _lambda(c: Cursor, at: Span) -> ast.Exp:
    params = [param(c, "a parameter `(x : type)`")]
    while isinstance(c.peek(), List) and _is_param(c.peek()):
        params.append(param(c, "a parameter"))
    result = parse_type(c) if c.accept(":") else None
    body = expression(c.next("the body of the lambda"))
    c.finish("`)` after the body", "put parentheses around an application")
    return ast.Lambda(tuple(params), result, body, at)


def _is_param(datum: Datum | None) -> bool:
    """True for ``(x : …)``, which no expression is."""
    if not isinstance(datum, List) or len(datum.items) < 2:
        return False
    second = datum.items[1]
    return isinstance(second, Atom) and second.text == ":"


def _mu(c: Cursor, at: Span) -> ast.Exp:
    binder = param(c, "the function that `mu` binds, `(f : type)`")
    fn = expression(c.next("a lambda"))
    c.finish("`)` after the lambda", "put parentheses around the lambda")
    return ast.Mu(binder, fn, at)


_FORMS: Mapping[str, Callable[[Cursor, Span], ast.Exp]] = {
    "if": _if,
    "case": _case,
    "let": _let,
    "lambda": _lambda,
    "mu": _mu,
}
