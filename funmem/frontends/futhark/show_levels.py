"""The precedence of expressions, which decides where the printer writes parentheses."""

from funmem.frontends.futhark.ast import (
    Access,
    Aggregate,
    Annotated,
    App,
    Ascript,
    Assert,
    BinOp,
    Change,
    Coerce,
    Comprehension,
    Constr,
    Exp,
    Form,
    Hole,
    If,
    Lambda,
    Let,
    LetFun,
    LetWith,
    Literal,
    Loop,
    Match,
    Neg,
    Not,
    OpenIn,
    Operation,
    Range,
    Section,
    Var,
)
from funmem.frontends.futhark.parse_operators import Level, level_of


def level_of_exp(e: Exp) -> Level:
    """Return the precedence of an expression."""
    match e:
        case Form():
            return Level.GREEDY
        case Annotated():
            return Level.ASCRIPT
        case Range():
            return Level.RANGE
        case Change():
            return Level.WITH
        case BinOp(op):
            return level_of(op.name)
        case Neg() | Not():
            return Level.PREFIX
        case App() | Assert():
            return Level.APPLY
        case Constr(_, args) if args:
            return Level.APPLY
        case (
            Literal()
            | Var()
            | Hole()
            | Aggregate()
            | Access()
            | Section()
            | OpenIn()
            | Comprehension()
        ):
            return Level.ATOM


def is_ascription(e: Exp) -> bool:
    """True for ``e : te`` and ``e :> te``."""
    return isinstance(e, Ascript | Coerce)


def ends_in_match(e: Exp) -> bool:
    """True if an expression ends in a case."""
    while True:
        match e:
            case Match():
                return True
            case Let() | LetFun() | LetWith() | Lambda() | Loop():
                e = e.body
            case If():
                e = e.orelse
            case (
                Literal()
                | Var()
                | Hole()
                | Aggregate()
                | Access()
                | Operation()
                | Section()
                | Change()
                | Annotated()
                | OpenIn()
                | Comprehension()
            ):
                return False
