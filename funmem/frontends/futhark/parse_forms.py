r"""Expressions that begin with a reserved word or symbol.

let      ::= "let" binding ("in" exp | let)
binding  ::= ("[" name "]")* pattern "=" exp  |  name ("." label | "[" dims "]")+ "=" exp
          |  name type-param* term+ [":" type] "=" exp
if       ::= "if" exp "then" exp "else" exp
loop     ::= "loop" ("[" name "]")* pattern ["=" exp] while "do" exp
while    ::= "for" name "<" exp  |  "for" pattern "in" exp  |  "while" exp
match    ::= "match" exp ("case" pattern "->" infix)+
lambda   ::= "\" term+ [":" term type] "->" exp
assert   ::= "assert" atom atom
"""

from collections.abc import Callable, Mapping

from funmem.frontends.futhark.ast import (
    Assert,
    Case,
    Exp,
    ForIn,
    ForLess,
    If,
    Lambda,
    Let,
    LetFun,
    LetWith,
    Loop,
    Match,
    Pattern,
    PVar,
    QualName,
    TypeExp,
    Var,
    While,
)
from funmem.frontends.futhark.lexer import Kind, Token
from funmem.frontends.futhark.parse_base import Cursor
from funmem.frontends.futhark.parse_patterns import (
    at_parameter,
    attribute,
    operator_name,
    parameters,
    pattern,
)
from funmem.frontends.futhark.parse_types import size_binders, type_exp, type_params, type_term

# ---------------------------------------------------------------------- let

_Binding = Callable[[Exp], Exp]
"""Builds a let expression, given its body."""


def _let(c: Cursor) -> Exp:
    """Read consecutive lets in a loop: there may be thousands."""
    bindings: list[_Binding] = []
    while c.at("let"):
        bindings.append(_binding(c))
        if not c.at("let"):
            _in(c, c.peek(-1))
    made = c.exp(c)
    for binding in reversed(bindings):
        made = binding(made)
    return made


def _in(c: Cursor, before: Token) -> None:
    if c.accept("in"):
        return
    hint = "after a let comes `in` and its result, or another let"
    if c.at("def", "entry", "type", "open", "import", "local", "module"):
        hint = f"`{c.token.text}` begins a definition of the file: is an `in` missing before it?"
    elif c.token.line == before.line and c.token.kind not in (Kind.WORD, Kind.END):
        hint = ""
    raise c.unexpected("`in`", hint)


def _binding(c: Cursor) -> _Binding:
    first = c.advance()
    after = c.peek(1)
    if c.token.kind is Kind.NAME and after.text in ("[", ".") and not after.gap:
        return _update(c, first)
    if c.token.kind is Kind.NAME and _begins_parameters(after):
        return _function(c, first, c.advance().text)
    if _begins_parameters(c.peek(3)) and operator_name(c) is not None:
        hint = "bind a function: `let (op) = \\x y -> …`, or define the operator in the file"
        raise c.unexpected("`=`", hint)
    sizes = size_binders(c)
    pat = pattern(c)
    if c.token.kind is Kind.OP and not c.token.text.startswith("="):
        raise c.unexpected(
            "`=`", "only definitions of the file can bind `a op b`: let (op) a b = …"
        )
    c.expect("=")
    e = c.exp(c)
    at = c.span(first)
    return lambda body: Let(sizes, pat, e, body, at)


def _begins_parameters(t: Token) -> bool:
    """True if this token after a name makes it a function definition."""
    if t.kind in (Kind.NAME, Kind.CONSTR, Kind.NUMBER, Kind.CHAR):
        return True
    return t.text in ("[", "'", "'~", "'^", "_", "(", "{", "true", "false")


def _update(c: Cursor, first: Token) -> _Binding:
    """Read ``x[d, …] = e``, or ``x.l[d, …].m = e``: ``let x = x with l[d, …].m = e``."""
    where, name = c.here(), c.advance().text
    dot = c.accept(".")
    steps = c.path(c, c.label() if dot else c.dims(c))
    spaced = at_parameter(c) and not dot
    c.expect("=", f"with a space before `[`, `{name}` is a function" if spaced else "")
    e = c.exp(c)
    at = c.span(first)
    match steps:
        case (tuple() as dims,):
            return lambda body: LetWith(name, dims, e, body, at)
        case _:
            new = c.updated(Var(QualName((), name, where), where), steps, e, at)
            return lambda body: Let((), PVar(name, where), new, body, at)


def _function(c: Cursor, first: Token, name: str) -> _Binding:
    tparams = type_params(c)
    if not at_parameter(c):
        raise c.unexpected("a parameter")
    params, ret, e = signature_and_body(c)
    at = c.span(first)
    return lambda body: LetFun(name, tparams, params, ret, e, body, at)


def signature_and_body(c: Cursor) -> tuple[tuple[Pattern, ...], TypeExp | None, Exp]:
    """Read ``term* [":" type] "=" exp``: the part of a definition after its name."""
    params = parameters(c)
    ret = type_exp(c) if c.accept(":") else None
    if c.at("->"):
        raise c.unexpected("`=`", "the result type comes after `:`")
    c.expect("=")
    return params, ret, c.exp(c)


# ---------------------------------------------------------------------- if, match, loop


def _if(c: Cursor) -> Exp:
    """Read ``if … else if … else …`` in a loop."""
    waiting: list[tuple[Token, Exp, Exp]] = []
    while c.at("if"):
        first = c.advance()
        cond = c.exp(c)
        c.expect("then")
        then = c.exp(c)
        c.expect("else", "an if is an expression: it needs both branches")
        waiting.append((first, cond, then))
    made = c.exp(c)
    for first, cond, then in reversed(waiting):
        made = If(cond, then, made, c.span(first))
    return made


def _match(c: Cursor) -> Exp:
    first = c.advance()
    e = c.exp(c)
    if not c.at("case"):
        raise c.unexpected("`case`")
    cases = []
    while c.at("case"):
        start = c.advance()
        pat = pattern(c)
        c.expect("->")
        result = c.infix(c)  # match … case … -> e : t  is  (match … case … -> e) : t
        cases.append(Case(pat, result, c.span(start)))
    return Match(e, tuple(cases), c.span(first))


def _loop(c: Cursor) -> Exp:
    first = c.advance()
    sizes = size_binders(c)
    pat = pattern(c)
    init = c.exp(c) if c.accept("=") else None
    form = _loop_form(c)
    c.expect("do")
    body = c.exp(c)
    return Loop(sizes, pat, init, form, body, c.span(first))


def _loop_form(c: Cursor) -> ForLess | ForIn | While:
    first = c.token
    if c.accept("while"):
        cond = c.exp(c)
        return While(cond, c.span(first))
    if not c.accept("for"):
        raise c.unexpected("`for` or `while`", "loops look like loop x = 0 for i < n do x + i")
    if c.token.kind is Kind.NAME and c.peek(1).text == "<":
        index = c.advance().text
        c.advance()
        bound = c.exp(c)
        return ForLess(index, bound, c.span(first))
    pat = pattern(c)
    c.expect("in", "after `for` comes `i < n` or `x in xs`")
    array = c.exp(c)
    return ForIn(pat, array, c.span(first))


# ---------------------------------------------------------------------- the others


def lambda_(c: Cursor) -> Exp:
    r"""Read ``\p … : te -> e``."""
    first = c.advance()
    if not at_parameter(c):
        raise c.unexpected("a parameter")
    params = parameters(c)
    ret = type_term(c) if c.accept(":") else None
    c.expect("->")
    body = c.exp(c)
    return Lambda(params, ret, body, c.span(first))


def _assert(c: Cursor) -> Exp:
    first = c.advance()
    c.enter()
    start = c.position()
    cond = c.argument(c)
    source = c.text_since(start)
    e = c.argument(c)
    c.leave()
    return Assert(cond, e, source, c.span(first))


def _attributed(c: Cursor) -> Exp:
    while c.at("#["):
        attribute(c)
    return c.exp(c)


FORMS: Mapping[str, Callable[[Cursor], Exp]] = {
    "let": _let,
    "if": _if,
    "match": _match,
    "loop": _loop,
    "\\": lambda_,
    "assert": _assert,
    "#[": _attributed,
}
"""Parsers of expressions, by the word or symbol that the expression begins with."""
