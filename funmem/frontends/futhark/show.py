"""Print a tree as source text: ``parse(show(t))`` equals ``t``, except for places.

Expressions that fit are written on one line.  Larger ones are broken as by hand: lets under
each other, branches and operands indented.  Comments are not part of the tree.
"""

from typing import TypeAlias

from funmem.frontends.futhark.ast import (
    Access,
    Aggregate,
    Annotated,
    App,
    ArrayLit,
    BinOp,
    Change,
    Comprehension,
    Dec,
    Exp,
    Form,
    Hole,
    If,
    Import,
    Include,
    Lambda,
    Let,
    LetFun,
    LetWith,
    Literal,
    Local,
    Loop,
    Match,
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
    OpenIn,
    OpenModule,
    Operation,
    PAscript,
    Pattern,
    PConstr,
    PLit,
    PRecord,
    PTuple,
    PVar,
    PWild,
    QualName,
    Section,
    SigArrow,
    SigExp,
    SigName,
    SigSpecs,
    SigWith,
    SourceFile,
    Spec,
    TEApply,
    TEArray,
    TEArrow,
    TEExists,
    TEName,
    TERecord,
    TESum,
    TETuple,
    TEUnique,
    TypeDec,
    TypeExp,
    TypeSpec,
    ValDec,
    ValSpec,
    Var,
)
from funmem.frontends.futhark.parse_operators import RIGHT, Level, level_of
from funmem.frontends.futhark.show_inline import (
    before_case,
    bound,
    case_exp,
    case_pattern,
    infix_name,
    lambda_head,
    let_head,
    loop_head,
    show_exp,
    show_head,
    show_pattern,
    show_type,
    show_type_param,
    signature,
)
from funmem.frontends.futhark.show_levels import ends_in_match, is_ascription, level_of_exp
from funmem.frontends.futhark.show_literals import show_string

WIDTH = 100
"""Maximum line length in columns, where the tree allows it."""

_STEP = "  "

Tree: TypeAlias = SourceFile | Dec | Exp | TypeExp | Pattern


def show(tree: Tree) -> str:
    """Return the source text of a part of a file, or of a whole file, ending with a line break."""
    match tree:
        case SourceFile(decs):
            return "\n\n".join(_dec(d) for d in decs) + "\n" if decs else ""
        case ValDec() | TypeDec() | Open() | Import() | Local():
            return _dec(tree)
        case ModuleDec() | ModuleTypeDec() | OpenModule():
            return _dec(tree)
        case TEName() | TEApply() | TEArray() | TETuple() | TERecord() | TESum():
            return show_type(tree)
        case TEArrow() | TEUnique() | TEExists():
            return show_type(tree)
        case PVar() | PWild() | PTuple() | PRecord() | PConstr() | PLit() | PAscript():
            return show_pattern(tree)
        case (
            Literal()
            | Var()
            | Hole()
            | Aggregate()
            | Access()
            | Operation()
            | Form()
            | Section()
            | Change()
            | Annotated()
            | OpenIn()
            | Comprehension()
        ):
            return "\n".join(_block(tree, 0))


# ---------------------------------------------------------------------- declarations


def _dec(d: Dec) -> str:
    match d:
        case ValDec(name, tparams, params, ret, e, entry):
            word = "entry" if entry else "def"
            head = f"{word} {bound(name)}{signature(tparams, params, ret)} ="
            return _definition(head, e, 0)
        case TypeDec(name, tparams, t, kind):
            lifted = kind.value.strip("'")
            parts = [name, *map(show_type_param, tparams)]
            return f"type{lifted} {' '.join(parts)} = {show_type(t)}"
        case Open(module):
            return f"open {module}"
        case Local(Import(path, None)):
            return f"import {show_string(path)}"
        case Import(path, None):
            return f"open import {show_string(path)}"
        case Import(path, name):
            return f"module {name} = import {show_string(path)}"
        case Local(inner):
            return f"local {_dec(inner)}"
        case OpenModule(exp):
            return f"open {_module(exp)}"
        case ModuleTypeDec(name, sig):
            return f"module type {name} = {_sig(sig)}"
        case ModuleDec(name, params, sig, exp):
            head = " ".join([name, *map(_module_param, params)])
            return f"module {head}{_of_sig(sig)} = {_module(exp)}"


def _indented(parts: list[str]) -> str:
    lines = [f"{_STEP}{line}" if line else "" for part in parts for line in part.split("\n")]
    return "\n".join(["{", *lines, "}"])


def _module(e: ModExp) -> str:
    match e:
        case ModName(name):
            return str(name)
        case ModImport(path):
            return f"(import {show_string(path)})"
        case ModStruct(decs):
            return _indented([_dec(d) for d in decs])
        case ModApply(fn, arg):
            head = _module(fn) if isinstance(fn, ModApply | ModName) else f"({_module(fn)})"
            return f"{head} {_module_atom(arg)}"
        case ModLambda(params, sig, body):
            return f"\\{' '.join(map(_module_param, params))}{_of_sig(sig)} -> {_module(body)}"
        case ModAscript(exp, sig):
            return f"({_module(exp)}) : {_sig(sig)}"


def _module_atom(e: ModExp) -> str:
    return _module(e) if isinstance(e, ModName | ModStruct) else f"({_module(e)})"


def _module_param(p: ModParam) -> str:
    return f"({p.name}: {_sig(p.sig)})"


def _of_sig(sig: SigExp | None) -> str:
    return "" if sig is None else f" : ({_sig(sig)})"


def _sig(s: SigExp) -> str:
    match s:
        case SigName(name):
            return str(name)
        case SigSpecs(specs):
            return _indented(list(map(_spec, specs)))
        case SigWith(sig, name, tparams, image):
            head = " ".join([str(name), *map(show_type_param, tparams)])
            return f"({_sig(sig)}) with {head} = {show_type(image)}"
        case SigArrow(None, param, result):
            return f"({_sig(param)}) -> {_sig(result)}"
        case SigArrow(name, param, result):
            return f"({name}: {_sig(param)}) -> {_sig(result)}"


def _spec(s: Spec) -> str:
    match s:
        case ValSpec(name, tparams, t):
            head = " ".join([bound(name), *map(show_type_param, tparams)])
            return f"val {head} : {show_type(t)}"
        case TypeSpec(name, tparams, kind):
            head = " ".join([name, *map(show_type_param, tparams)])
            return "type" + kind.value.strip("'") + " " + head
        case TypeDec():
            return _dec(s)
        case ModSpec(name, sig):
            return f"module {name} : {_sig(sig)}"
        case Include(sig):
            return f"include {_sig(sig)}"


def _definition(head: str, e: Exp, indent: int) -> str:
    return "\n".join(_after(head, e, indent))


# ---------------------------------------------------------------------- expressions on many lines


def _fits(text: str, indent: int) -> bool:
    return indent + len(text) <= WIDTH


def _block(e: Exp, indent: int) -> list[str]:
    """Return the lines of an expression that begins at a column; the first one without indent."""
    if not isinstance(e, Let | LetFun | LetWith | Match | Loop):
        text = show_exp(e)
        if _fits(text, indent):
            return [text]
    pad = " " * indent
    inner = indent + len(_STEP)
    match e:
        case Let() | LetFun() | LetWith():
            lines: list[str] = []
            body: Exp = e
            while isinstance(body, Let | LetFun | LetWith):
                head = _after(let_head(body), body.exp, indent)
                lines += [pad + head[0], *head[1:]] if lines else head
                body = body.body
            rest = _block(body, indent + 3)
            return [*lines, f"{pad}in {rest[0]}", *rest[1:]]
        case Loop(body=body):
            return _after(f"{loop_head(e)} do", body, indent)
        case Match(scrutinee, cases):
            lines = [f"match {before_case(scrutinee)}"]
            for k in cases:
                if ends_in_match(k.exp) or is_ascription(k.exp):
                    lines.append(f"{pad}case {case_pattern(k.pat)} -> {case_exp(k.exp)}")
                else:
                    head = _after(f"case {case_pattern(k.pat)} ->", k.exp, indent)
                    lines += [pad + head[0], *head[1:]]
            return lines
        case If(cond, then, orelse):
            first, second = _after("then", then, indent), _after("else", orelse, indent)
            return [
                f"if {show_exp(cond)}",
                pad + first[0],
                *first[1:],
                pad + second[0],
                *second[1:],
            ]
        case Lambda(body=body):
            return _after(lambda_head(e), body, indent)
        case BinOp():
            return _operators(e, indent)
        case App():
            return _application(e, inner)
        case ArrayLit(elems) if elems:
            return _filled("[", list(map(show_exp, elems)), "]", indent)
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
            return [show_exp(e)]


def _after(head: str, e: Exp, indent: int) -> list[str]:
    """Return the lines of ``head e``; a longer expression starts on the next line."""
    if not isinstance(e, Let | LetFun | LetWith | Match | Loop):
        text = show_exp(e)
        if _fits(text, indent + len(head) + 1):
            return [f"{head} {text}"]
    inner = indent + len(_STEP)
    lines = _block(e, inner)
    return [head, " " * inner + lines[0], *lines[1:]]


def _operators(e: BinOp, indent: int) -> list[str]:
    """Return the lines of ``a op b op c`` of one level, each operator at the start of a line."""
    level = level_of(e.op.name)
    rest: list[tuple[QualName, Exp]] = []
    left: Exp = e
    while isinstance(left, BinOp) and level_of(left.op.name) is level and level not in RIGHT:
        rest.append((left.op, left.right))
        left = left.left
    if not rest:
        return [show_exp(e)]
    lines = _operand_lines(left, level, indent)
    for op, right in reversed(rest):
        name = infix_name(op)
        operand = _operand_lines(right, Level(level + 1), indent + len(name) + 1)
        lines += [" " * indent + f"{name} {operand[0]}", *operand[1:]]
    return lines


def _operand_lines(e: Exp, level: Level, indent: int) -> list[str]:
    if level_of_exp(e) >= level:
        return _block(e, indent)
    lines = _block(e, indent + 1)
    return [f"({lines[0]}", *lines[1:-1], f"{lines[-1]})"] if len(lines) > 1 else [f"({lines[0]})"]


def _filled(opener: str, items: list[str], closer: str, indent: int) -> list[str]:
    """Return the lines of ``[e, e, …]``, as many elements on a line as fit."""
    lines, pad = [opener], " " * (indent + len(opener))
    for k, item in enumerate(items):
        end = "," if k < len(items) - 1 else closer
        if lines[-1].strip() != opener.strip() and not _fits(lines[-1] + " " + item + end, 0):
            lines.append(pad + item + end)
        else:
            lines[-1] += (" " if k else "") + item + end
    return lines


def _application(e: App, indent: int) -> list[str]:
    """Return the lines of ``f a b``, with each argument on a line of its own."""
    args: list[Exp] = []
    head: Exp = e
    while isinstance(head, App):
        args.append(head.arg)
        head = head.fn
    lines = [show_head(head)]
    for arg in reversed(args):
        operand = _operand_lines(arg, Level.ATOM, indent)
        lines += [" " * indent + operand[0], *operand[1:]]
    return lines
