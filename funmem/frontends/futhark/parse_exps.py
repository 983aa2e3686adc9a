r"""Expressions.

exp      ::= infix (":" type | ":>" type)*
infix    ::= operand (operator operand | "with" … "=" operand | range sign operand)*
             by level, see parse_operators.py
operand  ::= ("-" | "!")* (form | constructor argument* | atom argument*)
argument ::= atom  |  a lambda, as the last one
atom     ::= (name | literal | brackets) ("." label | "[" dims "]")*
             where the bracket of an index is adjacent
form     ::= let | if | loop | match | lambda | assert | "#[" attribute "]" exp

Infix expressions are read with an explicit operator stack and lets in a loop, so a level of nesting
costs at most four Python frames.
"""

from typing import NamedTuple, TypeAlias

from funmem.frontends.futhark.ast import (
    App,
    Ascript,
    BinOp,
    Coerce,
    Constr,
    Dim,
    Exp,
    FixDim,
    Hole,
    Index,
    IndexSection,
    Neg,
    Not,
    OpenIn,
    OpSectionLeft,
    OpSectionRight,
    PathSection,
    PathUpdate,
    Project,
    ProjectSection,
    QualName,
    Range,
    RangeEnd,
    RecordLit,
    RecordUpdate,
    SliceDim,
    Step,
    Tuple,
    Update,
    Var,
)
from funmem.frontends.futhark.lexer import Kind, Token
from funmem.frontends.futhark.parse_base import Cursor, Productions
from funmem.frontends.futhark.parse_comprehensions import array
from funmem.frontends.futhark.parse_forms import FORMS, lambda_
from funmem.frontends.futhark.parse_literals import literal, string
from funmem.frontends.futhark.parse_operators import RANGES, RIGHT, Level, operator
from funmem.frontends.futhark.parse_types import type_exp
from funmem.ir.diagnostics import SourceError, Span

# ---------------------------------------------------------------------- infix


def infix(c: Cursor) -> Exp:
    """Read an expression without an ascription: a ``:`` after it belongs to its context."""
    return exp(c, ascription=False)


class _With(NamedTuple):
    """``with [d, …] =``, ``with l.m =`` or ``with l[d, …].m =``."""

    path: tuple[Step, ...]


class _Second(NamedTuple):
    """``..``: the second element of a range comes next."""


_Sign: TypeAlias = QualName | _With | RangeEnd | _Second


class _Infix(NamedTuple):
    """An operator or sign between two operands, while its right operand is being read."""

    level: Level
    sign: _Sign
    at: Token


_Operands: TypeAlias = list[tuple[Exp, Token]]
"""Operands, each with its first token."""


def exp(c: Cursor, *, ascription: bool = True, section: bool = False) -> Exp:
    """Read operands and the operators between them, then an optional ``: type``.

    With ``section``, stop before an operator that a closing parenthesis follows, as in ``(e op)``.
    """
    c.enter()
    first = c.token
    operands: _Operands = [(_operand(c), first)]
    waiting: list[_Infix] = []
    while (level := _level(c.token)) is not None:
        _reduce(c, operands, waiting, level)
        if section and not waiting and c.peek(1).text == ")" and c.token.kind is Kind.OP:
            break
        waiting.append(_shift(c, level))
        first = c.token
        operands.append((_operand(c), first))
    _reduce(c, operands, waiting, Level.GREEDY)
    made, first = operands[0]
    while ascription and c.token.text in (":", ":>"):
        node = Ascript if c.advance().text == ":" else Coerce
        type_ = type_exp(c)
        made = node(made, type_, c.span(first))
    c.leave()
    return made


def _level(token: Token) -> Level | None:
    """Return how tightly ``token`` binds as an infix operator; None if it is not one."""
    if token.kind is Kind.OP:
        return operator(token.text).level
    if token.kind is Kind.SYMBOL and token.text in RANGES:
        return Level.RANGE
    return Level.WITH if token.text == "with" and token.kind is Kind.WORD else None


def _shift(c: Cursor, level: Level) -> _Infix:
    token = c.advance()
    if level is Level.RANGE:
        sign = _Second() if token.text == ".." else RangeEnd(token.text)
        return _Infix(level, sign, token)
    if token.kind is Kind.OP:
        return _Infix(level, _qual_name(c, token), token)
    update = _With(path(c, dims(c) if c.at("[") else c.label()))
    c.expect("=")
    return _Infix(level, update, token)


def _reduce(c: Cursor, operands: _Operands, waiting: list[_Infix], level: Level) -> None:
    """Build the trees of the waiting operators that bind more tightly than ``level``."""
    while waiting and (waiting[-1].level > level or _left(waiting[-1].level, level)):
        top = waiting.pop()
        right, _ = operands.pop()
        left, first = operands.pop()
        match top.sign:
            case QualName() as op:
                made: Exp = BinOp(op, left, right, c.span(first))
            case _With(steps):
                made = updated(left, steps, right, c.span(first))
            case _Second():
                raise c.mistake(
                    c.span_of(top.at),
                    "`..` does not end a range",
                    "write a...b to include b, a..<b to stop before it",
                )
            case RangeEnd() as kind:
                start: Exp = left
                second = None
                if waiting and isinstance(waiting[-1].sign, _Second):
                    waiting.pop()
                    second = left
                    start, first = operands.pop()
                made = Range(start, second, right, kind, c.span(first))
        operands.append((made, first))


def _left(top: Level, level: Level) -> bool:
    return top is level and level not in RIGHT


# ---------------------------------------------------------------------- operands


def _operand(c: Cursor) -> Exp:
    prefixes: list[Token] = []
    while c.token.text in ("-", "!"):
        prefixes.append(c.advance())
    first = c.token
    made: Exp
    if (form := FORMS.get(first.text)) is not None and first.kind is not Kind.NAME:
        made = form(c)
    elif first.kind is Kind.CONSTR and not (_is_index(c, 1) or c.peek(1).text == "."):
        c.advance()
        args = []
        while _at_atom(c.token):
            args.append(atom(c))
        if c.at("\\"):
            args.append(lambda_(c))
        made = Constr(first.text[1:], tuple(args), c.span(first))
    else:
        made = atom(c)
        while _at_atom(c.token):
            arg: Exp = atom(c)
            made = App(made, arg, c.span(first))
        if c.at("\\"):
            arg = lambda_(c)
            made = App(made, arg, c.span(first))
    for token in reversed(prefixes):
        made = (Neg if token.text == "-" else Not)(made, c.span(token))
    return made


_ATOM_KINDS = frozenset((Kind.NAME, Kind.NUMBER, Kind.CHAR, Kind.STRING, Kind.CONSTR))
_ATOM_TEXTS = frozenset(("(", "[", "{", "???", "true", "false"))


def _at_atom(token: Token) -> bool:
    return token.kind in _ATOM_KINDS or token.text in _ATOM_TEXTS


def _is_index(c: Cursor, ahead: int) -> bool:
    token = c.peek(ahead)
    return token.text == "[" and not token.gap


def atom(c: Cursor) -> Exp:
    """Read an expression that can be an argument."""
    first = c.token
    made: Exp
    indexed = True  # {…}[i], "…"[i] and ???[i] are applications to [i]
    match first.kind:
        case Kind.NAME:
            name = c.qualified("an expression")
            if c.at(".") and c.peek(1).text == "(":
                c.advance()
                opener = c.advance()
                inner = exp(c)
                c.close(opener, ")")
                made = OpenIn(name, inner, c.span(first))
            else:
                made = Var(name, name.at)
        case Kind.NUMBER | Kind.CHAR:
            made = literal(c)
        case Kind.STRING:
            made, indexed = string(c), False
        case Kind.CONSTR:
            c.advance()
            made = Constr(first.text[1:], (), c.span_of(first))
        case _:
            match first.text:
                case "(":
                    made = _parentheses(c)
                case "[":
                    made = array(c)
                case "{":
                    c.advance()
                    fields = c.commas(_field, first, "}")
                    made, indexed = RecordLit(fields, c.span(first)), False
                case "???":
                    c.advance()
                    made, indexed = Hole(c.span_of(first)), False
                case "true" | "false":
                    made = literal(c)
                case _:
                    raise _no_expression(c)
    while True:
        if c.token.text == "." and c.token.kind is Kind.SYMBOL:
            c.advance()
            label = c.label()
            made, indexed = Project(made, label, c.span(first)), True
        elif indexed and _is_index(c, 0):
            made = Index(made, dims(c), c.span(first))
        else:
            return made


def _no_expression(c: Cursor) -> SourceError:
    token = c.token
    if token.text in ("let", "if", "loop", "match", "\\", "assert"):
        return c.unexpected("an operand", f"write parentheses: ({token.text} …)")
    if token.text == ".." or token.text in RANGES:
        return c.unexpected("an expression", "a range has a start: a..<b")
    if token.kind is Kind.OP:
        return c.unexpected("an expression", "an operator as a function looks like (+)")
    return c.unexpected("an expression")


def _field(c: Cursor) -> tuple[str, Exp]:
    first = c.token
    label = c.label()
    if c.accept("="):
        return label, exp(c)
    at = c.span_of(first)
    if first.kind is Kind.NUMBER or not c.at(",", "}"):
        raise c.unexpected("`=`", "a record looks like {x = 1, y}")
    return label, Var(QualName((), label, at), at)


# ---------------------------------------------------------------------- parentheses


def _parentheses(c: Cursor) -> Exp:
    """Read ``(e)``, ``(e, …)``, ``()`` or a section."""
    first, second = c.advance(), c.token
    if second.kind is Kind.OP and second.text != "-":
        return _right_section(c, first)
    if second.text == "-" and c.peek(1).text == ")":
        return _right_section(c, first)
    if second.text == ".":
        return _access_section(c, first)
    if second.text == ")":
        c.advance()
        return Tuple((), c.span(first))
    made = exp(c, section=True)
    if c.token.kind is Kind.OP and c.peek(1).text == ")":
        op = _qual_name(c, c.advance())
        c.advance()
        return OpSectionLeft(made, op, c.span(first))
    if not c.at(","):
        c.close(first, ")", ",")
        return made
    elems = [made]
    while c.accept(","):
        elems.append(exp(c))
    c.close(first, ")", ",")
    return Tuple(tuple(elems), c.span(first))


def _right_section(c: Cursor, first: Token) -> Exp:
    """Read the rest of ``(op)`` or ``(op e)`` after the opening parenthesis."""
    op = _qual_name(c, c.advance())
    if c.accept(")"):
        return Var(op, op.at)
    c.enter()
    right = infix(c)
    c.leave()
    c.close(first, ")")
    return OpSectionRight(op, right, c.span(first))


def _access_section(c: Cursor, first: Token) -> Exp:
    """Read the rest of ``(.l.m)``, ``(.[d, …])`` or ``(.l[d, …].m)`` after the parenthesis."""
    c.advance()
    steps = path(c, dims(c) if c.at("[") else c.label())
    c.close(first, ")")
    at = c.span(first)
    match steps:
        case (tuple() as places,):
            return IndexSection(places, at)
        case _:
            labels = _labels(steps)
            return PathSection(steps, at) if labels is None else ProjectSection(labels, at)


def _qual_name(c: Cursor, token: Token) -> QualName:
    quals, name, _ = operator(token.text)
    return QualName(quals, name, c.span_of(token))


# ---------------------------------------------------------------------- indices and slices


def path(c: Cursor, first: Step) -> tuple[Step, ...]:
    """Read ``l[d, …].m …`` after its first step."""
    steps: list[Step] = [first]
    while True:
        if c.accept("."):
            steps.append(c.label())
        elif _is_index(c, 0):
            steps.append(dims(c))
        else:
            return tuple(steps)


def _labels(steps: tuple[Step, ...]) -> tuple[str, ...] | None:
    """Return the labels of a path, or None if it contains indices."""
    labels = tuple(s for s in steps if isinstance(s, str))
    return labels if len(labels) == len(steps) else None


def updated(e: Exp, steps: tuple[Step, ...], value: Exp, at: Span) -> Exp:
    """Build ``e with l[d, …].m = value``."""
    match steps:
        case (tuple() as places,):
            return Update(e, places, value, at)
        case _:
            labels = _labels(steps)
            if labels is None:
                return PathUpdate(e, steps, value, at)
            return RecordUpdate(e, labels, value, at)


def dims(c: Cursor) -> tuple[Dim, ...]:
    """Read ``[d, …]``, indices and slices."""
    opener = c.advance()
    if c.at("]"):
        raise c.unexpected("an index")
    return c.commas(_dim, opener, "]")


def _dim(c: Cursor) -> Dim:
    first = c.token
    lo = None if c.at(":") else infix(c)
    if lo is not None and not c.at(":"):
        return FixDim(lo, lo.at)
    c.expect(":")
    hi = None if c.at(":", ",", "]") else infix(c)
    step = None
    if c.accept(":") and not c.at(",", "]"):
        step = infix(c)
    return SliceDim(lo, hi, step, c.span(first))


PRODUCTIONS = Productions(exp, infix, atom, dims, path, updated)
