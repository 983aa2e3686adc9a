r"""Declarations of types and modules.

type-dec  ::= "type" ["~" | "^"] name type-param* "=" type
open      ::= "open" ("import" string | module)
module    ::= "module" name ("(" name ":" sig ")")* [":" sig] "=" ("import" string | mod-exp)
           |  "module" "type" name "=" sig
mod-exp   ::= mod-app [":" sig]  |  "\\" param+ [":" sig-with] "->" mod-exp
mod-app   ::= mod-atom+
mod-atom  ::= qualified-name  |  "{" declaration* "}"  |  "(" mod-exp ")"
sig       ::= sig-with ["->" sig]  |  "(" name ":" sig ")" "->" sig
sig-with  ::= sig-atom ("with" qualified-name type-param* "=" type)*
sig-atom  ::= qualified-name  |  "{" spec* "}"  |  "(" sig ")"
spec      ::= "val" (name | operator) type-param* ":" type  |  "include" sig
           |  "type" ["~" | "^"] name type-param* ["=" type]  |  "module" name ":" sig
"""

from collections.abc import Callable

from funmem.frontends.futhark.ast import (
    Dec,
    Import,
    Include,
    ModApply,
    ModAscript,
    ModExp,
    ModImport,
    ModLambda,
    ModName,
    ModParam,
    ModSpec,
    ModStruct,
    ModuleDec,
    ModuleTypeDec,
    Open,
    OpenModule,
    ParamKind,
    SigArrow,
    SigExp,
    SigName,
    SigSpecs,
    SigWith,
    Spec,
    TypeDec,
    TypeSpec,
    ValSpec,
)
from funmem.frontends.futhark.lexer import Kind, Token
from funmem.frontends.futhark.parse_base import Cursor
from funmem.frontends.futhark.parse_literals import string
from funmem.frontends.futhark.parse_patterns import attribute, operator_name
from funmem.frontends.futhark.parse_types import type_exp, type_params

ReadDec = Callable[[Cursor], Dec]
"""Parses a declaration; the caller passes it in to avoid an import circle."""

# ---------------------------------------------------------------------- types

_LIFTED = {"~": ParamKind.SIZE_LIFTED, "^": ParamKind.LIFTED}


def type_declaration(c: Cursor) -> Dec:
    """Read ``type t 'a [n] = te``."""
    made = _type(c)
    if isinstance(made, TypeSpec):
        c.expect("=", "abstract types are allowed only in module types")
    assert isinstance(made, TypeDec)
    return made


def _type(c: Cursor) -> TypeDec | TypeSpec:
    first = c.advance()
    kind = ParamKind.TYPE
    if c.at(*_LIFTED):
        kind = _LIFTED[c.advance().text]
    name = c.name("the name of a type")
    tparams = type_params(c)
    if not c.accept("="):
        return TypeSpec(name, tparams, kind, c.span(first))
    return TypeDec(name, tparams, type_exp(c), kind, c.span(first))


# ---------------------------------------------------------------------- declarations of modules


def path(c: Cursor) -> str:
    """Read the path of an import."""
    if c.token.kind is not Kind.STRING:
        raise c.unexpected("a path", 'an import looks like import "folder/file"')
    return string(c).value.decode()


def open_declaration(c: Cursor, dec: ReadDec) -> Dec:
    """Read ``open m``."""
    first = c.advance()
    if c.accept("import"):
        return Import(path(c), None, c.span(first))
    exp = _exp(c, dec)
    if isinstance(exp, ModName):
        return Open(exp.name, c.span(first))
    return OpenModule(exp, c.span(first))


def module_declaration(c: Cursor, dec: ReadDec) -> Dec:
    """Read ``module m … = e`` or ``module type t = s``."""
    first = c.advance()
    if c.accept("type"):
        name = c.name("the name of a module type")
        c.expect("=")
        return ModuleTypeDec(name, _sig(c), c.span(first))
    name = c.name("the name of a module")
    params = _params(c)
    sig = _sig(c) if c.accept(":") else None
    c.expect("=")
    if not params and sig is None and c.accept("import"):
        return Import(path(c), name, c.span(first))
    return ModuleDec(name, params, sig, _exp(c, dec), c.span(first))


def _params(c: Cursor) -> tuple[ModParam, ...]:
    params = []
    while c.at("("):
        params.append(_param(c))
    return tuple(params)


def _param(c: Cursor) -> ModParam:
    opener = c.expect("(")
    name = c.name("the name of a module")
    c.expect(":", "a parameter of a module has a module type: (m: t)")
    sig = _sig(c)
    c.close(opener, ")")
    return ModParam(name, sig, c.span(opener))


# ---------------------------------------------------------------------- module expressions


def _exp(c: Cursor, dec: ReadDec) -> ModExp:
    c.enter()
    first = c.token
    made: ModExp
    if c.accept("\\"):
        params = _params(c)
        if not params:
            raise c.unexpected("a parameter", "it looks like (m: t)")
        sig = _with(c) if c.accept(":") else None
        c.expect("->")
        made = ModLambda(params, sig, _exp(c, dec), c.span(first))
    else:
        made = _atom(c, dec)
        while c.token.kind is Kind.NAME or c.at("(", "{"):
            made = ModApply(made, _atom(c, dec), c.span(first))
        if c.accept(":"):
            made = ModAscript(made, _sig(c), c.span(first))
    c.leave()
    return made


def _atom(c: Cursor, dec: ReadDec) -> ModExp:
    first = c.token
    if first.kind is Kind.NAME:
        name = c.qualified("a module")
        return ModName(name, name.at)
    if c.accept("("):
        made = _exp(c, dec)
        c.close(first, ")")
        return made
    if c.accept("{"):
        c.enter()
        decs = []
        while not c.at("}") and c.token.kind is not Kind.END:
            decs.append(dec(c))
        c.leave()
        c.close(first, "}")
        return ModStruct(tuple(decs), c.span(first))
    if c.accept("import"):
        return ModImport(path(c), c.span(first))
    raise c.unexpected("a module", "modules look like m, m.n, f m and { def x = 1 }")


# ---------------------------------------------------------------------- module types


def _sig(c: Cursor) -> SigExp:
    c.enter()
    first = c.token
    made: SigExp
    named = c.at("(") and c.peek(1).kind is Kind.NAME and c.peek(2).text == ":"
    if named:
        param = _param(c)
        c.expect("->")
        made = SigArrow(param.name, param.sig, _sig(c), c.span(first))
    else:
        made = _with(c)
        if c.accept("->"):
            made = SigArrow(None, made, _sig(c), c.span(first))
    c.leave()
    return made


def _with(c: Cursor) -> SigExp:
    first = c.token
    made = _sig_atom(c)
    while c.accept("with"):
        name = c.qualified("a type")
        tparams = type_params(c)
        c.expect("=")
        made = SigWith(made, name, tparams, type_exp(c), c.span(first))
    return made


def _sig_atom(c: Cursor) -> SigExp:
    first = c.token
    if first.kind is Kind.NAME:
        name = c.qualified("a module type")
        return SigName(name, name.at)
    if c.accept("("):
        made = _sig(c)
        c.close(first, ")")
        return made
    if c.accept("{"):
        c.enter()
        specs = []
        while not c.at("}") and c.token.kind is not Kind.END:
            specs.append(_spec(c))
        c.leave()
        c.close(first, "}")
        return SigSpecs(tuple(specs), c.span(first))
    raise c.unexpected("a module type", "module types look like t and { val x : i32 }")


def _spec(c: Cursor) -> Spec:
    while c.at("#["):
        attribute(c)
    first = c.token
    match first.text:
        case "val":
            c.advance()
            return _value(c, first)
        case "type":
            return _type(c)
        case "module":
            c.advance()
            name = c.name("the name of a module")
            c.expect(":")
            return ModSpec(name, _sig(c), c.span(first))
        case "include":
            c.advance()
            return Include(_sig(c), c.span(first))
        case _:
            raise c.unexpected("a specification", "it begins with val, type, module or include")


def _value(c: Cursor, first: Token) -> ValSpec:
    if c.token.kind is Kind.NAME:
        name = c.advance().text
    elif (op := operator_name(c)) is not None:
        name = op
    elif c.token.kind is Kind.OP:
        name = c.advance().text
    else:
        raise c.unexpected("the name of a value")
    tparams = type_params(c)
    c.expect(":")
    return ValSpec(name, tparams, type_exp(c), c.span(first))
