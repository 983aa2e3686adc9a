"""Types, patterns and expressions on one line: see show.py.

Parentheses are those that the grammar needs, except that let, if, loop, match and lambda, which
reach as far as they can, are parenthesised wherever they are operands.
"""

from collections.abc import Iterable

from funmem.frontends.futhark.ast import (
    App,
    ArrayLit,
    Ascript,
    Assert,
    BinOp,
    BoolLit,
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
    Hole,
    If,
    Index,
    IndexSection,
    IntLit,
    Lambda,
    Let,
    LetFun,
    LetWith,
    Loop,
    Match,
    Neg,
    Not,
    OpenIn,
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
    Record,
    RecordUpdate,
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
from funmem.ir.scalars import ScalarType
from funmem.ir.scalars import show as show_scalar

# ---------------------------------------------------------------------- types


def show_type(t: TypeExp) -> str:
    """A type."""
    match t:
        case TEArrow(None, param, result):
            return f"{_type_term(param)} -> {show_type(result)}"
        case TEArrow(name, param, result):
            return f"({name}: {show_type(param)}) -> {show_type(result)}"
        case TEExists(dims, elem):
            return f"?{''.join(f'[{d}]' for d in dims)}.{show_type(elem)}"
        case _:
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
        case _:
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
        case _:
            return f"({show_type(t)})"


def _size(size: Exp | None) -> str:
    return "[]" if size is None else f"[{show_exp(size)}]"


# ---------------------------------------------------------------------- patterns


def show_pattern(p: Pattern) -> str:
    """A pattern, perhaps with an ascription."""
    match p:
        case PAscript(inner, t):
            return f"{_parameter(inner)}: {show_type(t)}"
        case PLit(value):
            return show_at(value, Level.PREFIX)
        case PConstr(name, args):
            return " ".join([f"#{name}", *map(_parameter, args)])
        case _:
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
    """A pattern before ``->``, which its type would take for its own."""
    return _parameter(p) if isinstance(p, PAscript) else show_pattern(p)


def _pattern_field(label: str, p: Pattern) -> str:
    match p:
        case PVar(name) if name == label:
            return label
        case PAscript(PVar(name), t) if name == label:
            return f"{label}: {show_type(t)}"
        case _:
            return f"{label} = {show_pattern(p)}"


# ---------------------------------------------------------------------- expressions on one line


def level_of_exp(e: Exp) -> Level:
    """How tightly an expression holds together."""
    match e:
        case If() | Let() | LetFun() | LetWith() | Loop() | Match() | Lambda():
            return Level.GREEDY
        case Ascript() | Coerce():
            return Level.ASCRIPT
        case Range():
            return Level.RANGE
        case Update() | RecordUpdate() | PathUpdate():
            return Level.WITH
        case BinOp(op):
            return level_of(op.name)
        case Neg() | Not():
            return Level.PREFIX
        case App() | Assert():
            return Level.APPLY
        case Constr(_, args) if args:
            return Level.APPLY
        case _:
            return Level.ATOM


def show_at(e: Exp, level: Level) -> str:
    """An expression where at least this level is needed."""
    return show_exp(e) if level_of_exp(e) >= level else f"({show_exp(e)})"


def show_exp(e: Exp) -> str:
    """An expression."""
    match e:
        case BinOp() | App() | Neg() | Not() | Range() | Update() | RecordUpdate() | PathUpdate():
            return _infix(e)
        case If() | Let() | LetFun() | LetWith() | Loop() | Match() | Lambda():
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
        case _:
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
    """What is applied: a constructor would take the arguments that follow."""
    if isinstance(e, Constr):
        return f"({show_exp(e)})"
    return show_at(e, Level.APPLY if isinstance(e, App) else Level.ATOM)


def _range_part(e: Exp, level: Level) -> str:
    """Operators end with any sign, so only simple operands stand beside dots without spaces."""
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
    """``let p =``, ``let f p … =``, ``let x[d, …] =``."""
    match e:
        case Let(sizes, pat):
            return f"let {''.join(f'[{s}] ' for s in sizes)}{show_pattern(pat)} ="
        case LetFun(name, tparams, params, ret):
            return f"let {bound(name)}{signature(tparams, params, ret)} ="
        case LetWith(name, dims):
            return f"let {name}{_dims(dims)} ="


def loop_head(e: Loop) -> str:
    """``loop p = e for i < n``."""
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
    r"""``\p … ->``."""
    ret = "" if e.ret is None else f": {_lambda_type(e.ret)}"
    return f"\\{' '.join(map(_parameter, e.params))}{ret} ->"


def _lambda_type(t: TypeExp) -> str:
    return f"({show_type(t)})" if isinstance(t, TEArrow | TEExists) else _type_term(t)


def before_case(e: Exp) -> str:
    """An expression that ``case`` may follow: a match would take it for its own."""
    return f"({show_exp(e)})" if ends_in_match(e) else show_exp(e)


def case_exp(e: Exp) -> str:
    """An expression after ``case … ->``: an ascription would belong to the match."""
    return f"({show_exp(e)})" if is_ascription(e) else before_case(e)


def is_ascription(e: Exp) -> bool:
    """``e : te``, ``e :> te``."""
    return isinstance(e, Ascript | Coerce)


def ends_in_match(e: Exp) -> bool:
    """Whether the last thing in an expression is a case."""
    while True:
        match e:
            case Match():
                return True
            case Let() | LetFun() | LetWith() | Lambda() | Loop():
                e = e.body
            case If():
                e = e.orelse
            case _:
                return False


# ---------------------------------------------------------------------- atoms


def _atom(e: Exp) -> str:
    match e:
        case IntLit(value, suffix):
            return f"{value}{suffix or ''}"
        case FloatLit(value, suffix):
            return _float(value, suffix)
        case BoolLit(value):
            return "true" if value else "false"
        case CharLit(value):
            return _char(value)
        case StringLit(value):
            return show_string(value.decode())
        case Var(QualName(_, name) as q):
            return str(q) if name[0].isalpha() or name[0] == "_" else f"({q})"
        case Hole():
            return "???"
        case Tuple(elems):
            return f"({', '.join(map(show_exp, elems))})"
        case Record(fields):
            return "{" + ", ".join(_field(label, f) for label, f in fields) + "}"
        case ArrayLit(elems):
            return f"[{', '.join(map(show_exp, elems))}]"
        case Project(inner, label):
            return f"{_projected(inner, label)}.{label}"
        case Index(inner, dims):
            if isinstance(inner, StringLit | Record | Hole):
                return f"({show_exp(inner)}){_dims(dims)}"
            return f"{show_at(inner, Level.ATOM)}{_dims(dims)}"
        case OpSectionLeft(left, op):
            level = level_of(op.name)
            needed = level + 1 if level in RIGHT else level
            return f"({show_at(left, Level(needed))} {infix_name(op)})"
        case OpSectionRight(op, right):
            if op.name == "-" and not op.quals:
                raise ValueError("(- e) negates: there is no right section of -")
            return f"({infix_name(op)} {show_at(right, Level.RANGE)})"
        case ProjectSection(labels):
            return f"(.{'.'.join(labels)})"
        case IndexSection(dims):
            return f"(.{_dims(dims)})"
        case PathSection(path):
            return f"({'' if isinstance(path[0], str) else '.'}{_path(path)})"
        case OpenIn(module, inner):
            return f"{module}.({show_exp(inner)})"
        case _:
            return f"({show_exp(e)})"


def _path(path: tuple[Step, ...]) -> str:
    """``.l[d, …].m``."""
    return "".join([f".{step}" if isinstance(step, str) else _dims(step) for step in path])


def _projected(e: Exp, label: str) -> str:
    """What stands before ``.label``: a name would become the name of a module."""
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
    """An operator between its operands."""
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


def _float(value: float, suffix: ScalarType | None) -> str:
    t = suffix or ScalarType.F64
    if value in (float("inf"), float("-inf")):
        return f"1e999{suffix or ''}"
    digits = show_scalar(value, t)
    return f"{digits}f64" if suffix is ScalarType.F64 else digits


_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}


def _escaped(char: str, quote: str) -> str:
    if char == quote:
        return f"\\{quote}"
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isprintable() else f"\\{ord(char)}"


def _char(code: int) -> str:
    return f"'{_escaped(chr(code), chr(39))}'"


def show_string(text: str) -> str:
    """A string literal."""
    parts = []
    for k, char in enumerate(text):
        shown = _escaped(char, '"')
        digit_follows = text[k + 1 : k + 2].isdecimal()
        parts.append(
            shown + "\\&" if shown[-1].isdecimal() and len(shown) > 1 and digit_follows else shown
        )
    return f'"{"".join(parts)}"'


# ---------------------------------------------------------------------- comprehensions


def _qual(q: Qualifier) -> str:
    match q:
        case QZip(branches):
            return " | ".join(_seq(b) for b in branches)
        case _:
            return _seq(q)


def _seq(q: Qualifier) -> str:
    match q:
        case QSeq(quals):
            return ", ".join(_single(x) for x in quals)
        case _:
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
    """An expression beside which ``|`` separates, and which is no qualifier by its look."""
    text = show_exp(e)
    words = text.startswith(("order by", "group by"))
    return f"({text})" if words or _bare_bar(text) else text


def _bare_bar(text: str) -> bool:
    """Whether an operator or a type has a ``|`` of its own outside brackets; or more often."""
    return " | " in text


def signature(
    tparams: tuple[TypeParam, ...], params: tuple[Pattern, ...], ret: TypeExp | None
) -> str:
    """Parameters and result of a definition."""
    parts = [show_type_param(t) for t in tparams] + [_parameter(p) for p in params]
    return "".join(f" {p}" for p in parts) + ("" if ret is None else f": {show_type(ret)}")


def show_type_param(t: TypeParam) -> str:
    """``[n]``, ``'a``."""
    return f"[{t.name}]" if t.kind is ParamKind.SIZE else f"{t.kind.value}{t.name}"


def bound(name: str) -> str:
    """A name where it is bound."""
    return name if name[0].isalpha() or name[0] == "_" else f"({name})"
