"""Print types, patterns and expressions on one line: see show.py.

The output has only the parentheses that the grammar needs, except that a let, if, loop, match or
lambda that is an operand is always parenthesised, since it extends as far right as possible.
"""

from collections.abc import Iterable

from funmem.frontends.futhark.ast import (
    Access,
    Aggregate,
    Annotated,
    App,
    ArrayLit,
    Ascript,
    Assert,
    BinOp,
    BoolLit,
    Change,
    CharLit,
    Coerce,
    Comprehension,
    Constr,
    Dim,
    Exp,
    FixDim,
    FloatLit,
    ForIn,
    ForLess,
    Form,
    Hole,
    If,
    Index,
    IndexSection,
    IntLit,
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
    OpSectionLeft,
    OpSectionRight,
    ParamKind,
    PAscript,
    PathSection,
    PathUpdate,
    Pattern,
    PConstr,
    PLit,
    PRecord,
    Project,
    ProjectSection,
    PTuple,
    PVar,
    PWild,
    QBind,
    QFilter,
    QFold,
    QGroup,
    QOrder,
    QSeq,
    Qualifier,
    QualName,
    QZip,
    Range,
    RecordLit,
    RecordUpdate,
    Section,
    SliceDim,
    Step,
    StringLit,
    TEApply,
    TEArray,
    TEArrow,
    TEExists,
    TEName,
    TERecord,
    TESize,
    TESum,
    TETuple,
    TEUnique,
    Tuple,
    TypeExp,
    TypeParam,
    Update,
    Var,
    While,
)
from funmem.frontends.futhark.parse_operators import RIGHT, Level, level_of
from funmem.frontends.futhark.show_levels import ends_in_match, is_ascription, level_of_exp
from funmem.frontends.futhark.show_literals import show_char, show_float, show_string

# ---------------------------------------------------------------------- types


def show_type(t: TypeExp) -> str:
    """Return a type as text."""
    match t:
        case TEArrow(None, param, result):
            return f"{_type_term(param)} -> {show_type(result)}"
        case TEArrow(name, param, result):
            return f"({name}: {show_type(param)}) -> {show_type(result)}"
        case TEExists(dims, elem):
            return f"?{''.join(f'[{d}]' for d in dims)}.{show_type(elem)}"
        case TEName() | TEApply() | TEArray() | TETuple() | TERecord() | TESum() | TEUnique():
            return _type_term(t)


def _type_term(t: TypeExp) -> str:
    match t:
        case TEUnique(TEUnique() as elem):  # ** would be one operator
            return f"*({_type_term(elem)})"
        case TEUnique(elem):
            return f"*{_type_term(elem)}"
        case TEArray(size, elem):
            return f"{_size(size)}{_type_term(elem)}"
        case TESum(constructors):
            clauses = (" ".join([f"#{n}", *map(_type_atom, a)]) for n, a in constructors)
            return " | ".join(clauses)
        case TEApply(fn, arg):
            shown = _size(arg.size) if isinstance(arg, TESize) else _type_atom(arg)
            return f"{_type_fn(fn)} {shown}"
        case TEName() | TETuple() | TERecord() | TEArrow() | TEExists():
            return _type_atom(t)


def _type_fn(t: TypeExp) -> str:
    return _type_term(t) if isinstance(t, TEApply) else _type_atom(t)


def _type_atom(t: TypeExp) -> str:
    match t:
        case TEName(name):
            return str(name)
        case TETuple(elems):
            return f"({', '.join(map(show_type, elems))}{',' if len(elems) == 1 else ''})"
        case TERecord(fields):
            return "{" + ", ".join(f"{label}: {show_type(u)}" for label, u in fields) + "}"
        case TEApply() | TEArray() | TESum() | TEArrow() | TEUnique() | TEExists():
            return f"({show_type(t)})"


def _size(size: Exp | None) -> str:
    return "[]" if size is None else f"[{show_exp(size)}]"


# ---------------------------------------------------------------------- patterns


def show_pattern(p: Pattern) -> str:
    """Return a pattern as text, with its ascription, if any."""
    match p:
        case PAscript(inner, t):
            return f"{_parameter(inner)}: {show_type(t)}"
        case PLit(value):
            return show_at(value, Level.PREFIX)
        case PConstr(name, args):
            return " ".join([f"#{name}", *map(_parameter, args)])
        case PVar() | PWild() | PTuple() | PRecord():
            return _parameter(p)


def _parameter(p: Pattern) -> str:
    match p:
        case PVar(name):
            return bound(name)
        case PWild():
            return "_"
        case PTuple(elems):
            return f"({', '.join(map(show_pattern, elems))})"
        case PRecord(fields):
            return "{" + ", ".join(_pattern_field(label, q) for label, q in fields) + "}"
        case PLit(value):  # def f -1 = … would define an operator
            return show_at(value, Level.ATOM)
        case PConstr(name, ()):
            return f"#{name}"
        case PAscript() | PConstr():
            return f"({show_pattern(p)})"


def case_pattern(p: Pattern) -> str:
    """Return a pattern before ``->``; an ascription is parenthesised, or it would take ``->``."""
    return _parameter(p) if isinstance(p, PAscript) else show_pattern(p)


def _pattern_field(label: str, p: Pattern) -> str:
    match p:
        case PVar(name) if name == label:
            return label
        case PAscript(PVar(name), t) if name == label:
            return f"{label}: {show_type(t)}"
        case PVar() | PWild() | PTuple() | PRecord() | PConstr() | PLit() | PAscript():
            return f"{label} = {show_pattern(p)}"


# ---------------------------------------------------------------------- expressions on one line


def show_at(e: Exp, level: Level) -> str:
    """Return an expression, in parentheses if its precedence is below ``level``."""
    return show_exp(e) if level_of_exp(e) >= level else f"({show_exp(e)})"


def show_exp(e: Exp) -> str:
    """Return an expression as text."""
    match e:
        case BinOp() | App() | Neg() | Not() | Range() | Change():
            return _infix(e)
        case Form():
            return _form(e)
        case Ascript(inner, t):
            return f"{show_at(inner, Level.ASCRIPT)} : {show_type(t)}"
        case Coerce(inner, t):
            return f"{show_at(inner, Level.ASCRIPT)} :> {show_type(t)}"
        case Assert(cond, inner):
            return f"assert {show_at(cond, Level.ATOM)} {show_at(inner, Level.ATOM)}"
        case Constr(name, args):
            return " ".join([f"#{name}", *(show_at(a, Level.ATOM) for a in args)])
        case Comprehension(inner, qual):
            return f"[{_without_bar(inner)} | {_qual(qual)}]"
        case Literal() | Var() | Hole() | Aggregate() | Access() | Section() | OpenIn():
            return _atom(e)


def _infix(e: BinOp | App | Neg | Not | Range | Update | RecordUpdate | PathUpdate) -> str:
    match e:
        case BinOp(op, left, right):
            level = level_of(op.name)
            to_left, to_right = (level + 1, level) if level in RIGHT else (level, level + 1)
            operands = show_at(left, Level(to_left)), show_at(right, Level(to_right))
            return f" {infix_name(op)} ".join(operands)
        case App(fn, arg):
            return f"{show_head(fn)} {show_at(arg, Level.ATOM)}"
        case Neg(inner) | Not(inner):
            sign = "-" if isinstance(e, Neg) else "!"
            return f"{sign}{show_at(inner, Level.APPLY)}"
        case Range(start, second, end, kind):
            middle = "" if second is None else f"..{_range_part(second, Level.BACKQUOTE)}"
            return (
                f"{_range_part(start, Level.BACKQUOTE)}{middle}{kind.value}"
                f"{_range_part(end, Level.RANGE)}"
            )
        case Update(inner, dims, value):
            what = _dims(dims)
        case RecordUpdate(inner, labels, value):
            what = ".".join(labels)
        case PathUpdate(inner, path, value):
            what = _path(path).removeprefix(".")
    return f"{show_at(inner, Level.WITH)} with {what} = {show_at(value, Level.PIPE)}"


def show_head(e: Exp) -> str:
    """Return an applied expression; a constructor is parenthesised, or it would take arguments."""
    if isinstance(e, Constr):
        return f"({show_exp(e)})"
    return show_at(e, Level.APPLY if isinstance(e, App) else Level.ATOM)


def _range_part(e: Exp, level: Level) -> str:
    """Return a part of a range, spaced if it is not simple: operators end with any sign."""
    simple = level_of_exp(e) is Level.ATOM and not isinstance(e, FloatLit)
    return show_at(e, level) if simple else f" {show_at(e, level)} "


def _form(e: If | Let | LetFun | LetWith | Loop | Match | Lambda) -> str:
    match e:
        case If(cond, then, orelse):
            return f"if {show_exp(cond)} then {show_exp(then)} else {show_exp(orelse)}"
        case Loop(body=body):
            return f"{loop_head(e)} do {show_exp(body)}"
        case Match(inner, cases):
            return " ".join(
                [f"match {before_case(inner)}"]
                + [f"case {case_pattern(k.pat)} -> {case_exp(k.exp)}" for k in cases]
            )
        case Lambda(body=body):
            return f"{lambda_head(e)} {show_exp(body)}"
        case Let() | LetFun() | LetWith():
            parts = []
            rest: Exp = e
            while isinstance(rest, Let | LetFun | LetWith):
                parts.append(f"{let_head(rest)} {show_exp(rest.exp)}")
                rest = rest.body
            return f"{' '.join(parts)} in {show_exp(rest)}"


def let_head(e: Let | LetFun | LetWith) -> str:
    """Return ``let p =``, ``let f p … =`` or ``let x[d, …] =``."""
    match e:
        case Let(sizes, pat):
            return f"let {''.join(f'[{s}] ' for s in sizes)}{show_pattern(pat)} ="
        case LetFun(name, tparams, params, ret):
            return f"let {bound(name)}{signature(tparams, params, ret)} ="
        case LetWith(name, dims):
            return f"let {name}{_dims(dims)} ="


def loop_head(e: Loop) -> str:
    """Return ``loop p = e for i < n``."""
    sizes = "".join(f"[{s}] " for s in e.sizes)
    init = "" if e.init is None else f" = {show_exp(e.init)}"
    match e.form:
        case ForLess(index, bound):
            form = f"for {index} < {show_exp(bound)}"
        case ForIn(pat, array):
            form = f"for {show_pattern(pat)} in {show_exp(array)}"
        case While(cond):
            form = f"while {show_exp(cond)}"
    return f"loop {sizes}{show_pattern(e.pat)}{init} {form}"


def lambda_head(e: Lambda) -> str:
    r"""Return ``\p … ->``."""
    ret = "" if e.ret is None else f": {_lambda_type(e.ret)}"
    return f"\\{' '.join(map(_parameter, e.params))}{ret} ->"


def _lambda_type(t: TypeExp) -> str:
    return f"({show_type(t)})" if isinstance(t, TEArrow | TEExists) else _type_term(t)


def before_case(e: Exp) -> str:
    """Return an expression before ``case``; a match is parenthesised, or it would take the case."""
    return f"({show_exp(e)})" if ends_in_match(e) else show_exp(e)


def case_exp(e: Exp) -> str:
    """Return the body of a case; an ascription is parenthesised, or the match would take it."""
    return f"({show_exp(e)})" if is_ascription(e) else before_case(e)


# ---------------------------------------------------------------------- atoms


def _atom(e: Exp) -> str:
    match e:
        case IntLit(value, suffix):
            return f"{value}{suffix or ''}"
        case FloatLit(value, suffix):
            return show_float(value, suffix)
        case BoolLit(value):
            return "true" if value else "false"
        case CharLit(value):
            return show_char(value)
        case StringLit(value):
            return show_string(value.decode())
        case Var(QualName(_, name) as q):
            return str(q) if name[0].isalpha() or name[0] == "_" else f"({q})"
        case Hole():
            return "???"
        case Tuple(elems):
            return f"({', '.join(map(show_exp, elems))})"
        case RecordLit(fields):
            return "{" + ", ".join(_field(label, f) for label, f in fields) + "}"
        case ArrayLit(elems):
            return f"[{', '.join(map(show_exp, elems))}]"
        case Project(inner, label):
            return f"{_projected(inner, label)}.{label}"
        case Index(inner, dims):
            if isinstance(inner, StringLit | RecordLit | Hole):
                return f"({show_exp(inner)}){_dims(dims)}"
            return f"{show_at(inner, Level.ATOM)}{_dims(dims)}"
        case OpSectionLeft(left, op):
            level = level_of(op.name)
            needed = level + 1 if level in RIGHT else level
            return f"({show_at(left, Level(needed))} {infix_name(op)})"
        case OpSectionRight(op, right):
            if op.name == "-" and not op.quals:
                raise ValueError("(- e) is a negation: the right section of - does not exist")
            return f"({infix_name(op)} {show_at(right, Level.RANGE)})"
        case ProjectSection(labels):
            return f"(.{'.'.join(labels)})"
        case IndexSection(dims):
            return f"(.{_dims(dims)})"
        case PathSection(path):
            return f"({'' if isinstance(path[0], str) else '.'}{_path(path)})"
        case OpenIn(module, inner):
            return f"{module}.({show_exp(inner)})"
        case Constr() | Operation() | Form() | Change() | Annotated() | Comprehension():
            return f"({show_exp(e)})"


def _path(path: tuple[Step, ...]) -> str:
    """Return ``.l[d, …].m``."""
    return "".join([f".{step}" if isinstance(step, str) else _dims(step) for step in path])


def _projected(e: Exp, label: str) -> str:
    """Return the record before ``.label``; a name is parenthesised, or it would name a module."""
    if isinstance(e, IntLit | FloatLit) or (isinstance(e, Var) and not label.isdecimal()):
        return f"({show_exp(e)})"
    return show_at(e, Level.ATOM)


def _field(label: str, e: Exp) -> str:
    match e:
        case Var(QualName((), name)) if name == label:
            return label
        case _:
            return f"{label} = {show_exp(e)}"


def infix_name(op: QualName) -> str:
    """Return an operator between its operands."""
    return f"`{op}`" if op.name[0].isalpha() or op.name[0] == "_" else str(op)


def _dims(dims: Iterable[Dim]) -> str:
    return f"[{', '.join(map(_dim, dims))}]"


def _dim(d: Dim) -> str:
    match d:
        case FixDim(index):
            return show_at(index, Level.RANGE)
        case SliceDim(lo, hi, step):
            parts = ["" if x is None else show_at(x, Level.RANGE) for x in (lo, hi)]
            return ":".join(parts if step is None else [*parts, show_at(step, Level.RANGE)])


# ---------------------------------------------------------------------- comprehensions


def _qual(q: Qualifier) -> str:
    match q:
        case QZip(branches):
            return " | ".join(_seq(b) for b in branches)
        case QBind() | QFilter() | QSeq() | QOrder() | QGroup():
            return _seq(q)


def _seq(q: Qualifier) -> str:
    match q:
        case QSeq(quals):
            return ", ".join(_single(x) for x in quals)
        case QBind() | QFilter() | QZip() | QOrder() | QGroup():
            return _single(q)


def _single(q: Qualifier) -> str:
    match q:
        case QBind(pat, e):
            bound = show_pattern(pat)
            lone = isinstance(e, ArrayLit) and len(e.elems) == 1 and isinstance(e.elems[0], Range)
            source = f"({show_exp(e)})" if lone else _without_bar(e)
            return f"{f'({bound})' if '|' in bound else bound} <- {source}"
        case QFilter(e):
            return _without_bar(e)
        case QOrder(key):
            return f"order by {_without_bar(key)}"
        case QGroup(None, key, folds):
            return " ".join([f"group by {_without_bar(key)}", *map(_fold, folds)])
        case QGroup(name, key, folds):
            return " ".join([f"group by {name} = {_without_bar(key)}", *map(_fold, folds)])
        case QSeq() | QZip():
            return f"({_qual(q)})"


def _fold(f: QFold) -> str:
    op, neutral = show_at(f.op, Level.ATOM), show_at(f.neutral, Level.ATOM)
    return f"into {f.name} = {op} {neutral} {_without_bar(f.exp)}"


def _without_bar(e: Exp) -> str:
    """Return an expression beside a separator ``|``, parenthesised if it looks like a qualifier."""
    text = show_exp(e)
    words = text.startswith(("order by", "group by"))
    return f"({text})" if words or _bare_bar(text) else text


def _bare_bar(text: str) -> bool:
    """True if the text may have a ``|`` of its own outside brackets."""
    return " | " in text


def signature(
    tparams: tuple[TypeParam, ...], params: tuple[Pattern, ...], ret: TypeExp | None
) -> str:
    """Return the parameters and the result type of a definition."""
    parts = [show_type_param(t) for t in tparams] + [_parameter(p) for p in params]
    return "".join(f" {p}" for p in parts) + ("" if ret is None else f": {show_type(ret)}")


def show_type_param(t: TypeParam) -> str:
    """Return ``[n]`` or ``'a``."""
    return f"[{t.name}]" if t.kind is ParamKind.SIZE else f"{t.kind.value}{t.name}"


def bound(name: str) -> str:
    """Return a name as its binder spells it."""
    return name if name[0].isalpha() or name[0] == "_" else f"({name})"
