r"""Print Core for people: on one line where it fits, else one part per line, indented.

    def sum : []i32 -> i32 =
      \(xs : []i32) ->
        reduce (\(a : i32) (b : i32) -> a + b) (0i32) (xs)

    entry main [n] (xs : [n]{x : i32, y : f32}) : i32 =
      let (ys : [n]i32) = map (\(p : {x : i32, y : f32}) -> p.x) (xs)
      in sum (ys)

No parser reads this text back.
"""

from collections.abc import Iterable, Sequence

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import parts
from funmem.ir.scalars import ScalarType
from funmem.ir.scalars import show as show_constant
from funmem.ir.text.parse_parts import INFIX, PREFIX, PREFIX_LEVEL
from funmem.ir.text.print_parts import WIDTH, indent, show_string

Node = CoreProgram | c.Def | c.DataDef | c.Entry | Exp | Type


def show_core(x: Node) -> str:
    """Return the text of a program, definition, expression or type."""
    match x:
        case CoreProgram(entries, defs, data):
            tops: tuple[Node, ...] = (*data, *defs, *entries)
            return "\n".join(f"{show_core(x)}\n" for x in tops)
        case c.DataDef(name, tparams, type_):
            return f"{_head('data', name, tparams)} = {_type(type_)}"
        case c.Def(name, tparams, type_, exp):
            head = f"{_head('def', name, tparams)} : {_type(type_)} ="
            return "\n".join([head, *indent(_exp(exp, WIDTH - 2))])
        case c.Entry(name, sizes, params, result, exp):
            given = [f"({q.binder.name} : {q.unique.value}{_type(q.binder.type)})" for q in params]
            head = " ".join(["entry", name, *(f"[{s}]" for s in sizes), *given])
            return "\n".join([f"{head} : {_type(result)} =", *indent(_exp(exp, WIDTH - 2))])
        case ScalarType() | c.Array() | c.Record() | c.Sum() | c.Data() | c.Arrow() | c.TypeVar():
            return _type(x)
        case _:
            return "\n".join(_exp(x, WIDTH))


def _head(word: str, name: str, tparams: Iterable[str]) -> str:
    return " ".join([word, name, *(f"'{a}" for a in tparams)])


# ---------------------------------------------------------------------- types


def _type(t: Type, tight: bool = False) -> str:
    """Return the text of a type; ``tight`` if it is an element or an argument."""
    match t:
        case ScalarType():
            return str(t)
        case c.TypeVar(name):
            return f"'{name}"
        case c.Array(elem, size):
            return f"[{'' if size is None else size}]{_type(elem, True)}"
        case c.Record(fields):
            if t.is_tuple:
                return f"({', '.join(_type(u) for _, u in fields)})"
            return f"{{{', '.join(f'{label} : {_type(u)}' for label, u in fields)}}}"
        case c.Data(name, args):
            text = " ".join([name, *(_type(a, True) for a in args)])
            return f"({text})" if args and tight else text
        case c.Sum(constructors):
            text = " | ".join(
                " ".join([f"#{name}", *(_type(u, True) for u in us)]) for name, us in constructors
            )
            return f"({text})" if tight else text
        case c.Arrow(param, result):
            left = _type(param, isinstance(param, c.Arrow | c.Sum))
            text = f"{left} -> {_type(result)}"
            return f"({text})" if tight else text


def _binder(b: c.Binder) -> str:
    return f"({b.name} : {_type(b.type)})"


def _binders(bs: Iterable[c.Binder]) -> str:
    return " ".join(map(_binder, bs)) or "()"


# ---------------------------------------------------------------------- expressions


def _exp(e: Exp, width: int) -> list[str]:
    """Return lines: one if the expression is short and binds nothing."""
    if not _is_long(e):
        line = _line(e, 0)
        if len(line) <= width:
            return [line]
    return _lines(e, width)


def _is_long(e: Exp) -> bool:
    """True if an expression has a part that needs several lines, or more than WIDTH parts."""
    todo, count = [e], 0
    while todo:
        x = todo.pop()
        count += 1
        if isinstance(x, c.Let | c.Assert | c.Loop | c.Match) or count > WIDTH:
            return True
        todo += parts(x)
    return False


def _lines(e: Exp, width: int) -> list[str]:
    out: list[str] = []
    chain = False
    while isinstance(e, c.Let | c.Assert):
        chain = True
        match e:
            case c.Let(binders, exp, body):
                out += _headed(f"let {_binders(binders)} =", exp, width)
                e = body
            case c.Assert(cond, message, values, body):
                shown = f" ({', '.join(_line(v, 0) for v in values)})" if values else ""
                out.append(f"assert {_line(cond, 9)} {show_string(message)}{shown}")
                e = body
    if chain:
        return out + _headed("in", e, width)
    return _block(e, width)


def _headed(head: str, e: Exp, width: int) -> list[str]:
    """Return a head and an expression, on one line if there is room."""
    lines = _exp(e, width - 2)
    if len(lines) == 1 and len(head) + 1 + len(lines[0]) <= width:
        return [f"{head} {lines[0]}"]
    return [head, *indent(lines)]


def _block(e: Exp, width: int) -> list[str]:
    """Return the lines of an expression that needs several."""
    inner = width - 2
    match e:
        case c.If(cond, then, orelse):
            first = _headed("if", cond, width)
            return [
                *first[:-1],
                f"{first[-1]} then",
                *indent(_exp(then, inner)),
                "else",
                *indent(_exp(orelse, inner)),
            ]
        case c.Match(exp, arms, default):
            out = _headed("match", exp, width)
            for arm in arms:
                names = [f"#{arm.constructor}", *map(_binder, arm.binders)]
                out += indent(_headed(f"| {' '.join(names)} ->", arm.body, inner))
            if default is not None:
                out += indent(_headed("| _ ->", default, inner))
            return out
        case c.Loop(params, init, form, body):
            out = ["loop"]
            for b, x in zip(params, init, strict=True):
                out += indent(_headed(f"{_binder(b)} =", x, inner))
            match form:
                case c.For(index, bound):
                    out += _headed(f"for {index} <", bound, width)
                case c.While(cond):
                    out += _headed("while", cond, width)
            return [*out[:-1], f"{out[-1]} do", *indent(_exp(body, inner))]
        case c.Lambda(params, body):
            return [f"\\{_binders(params)} ->", *indent(_exp(body, inner))]
        case c.Mu(binder, fn):
            return [f"mu {_binder(binder)}", *indent(_exp(fn, inner))]
        case c.Fields(fields):
            named = not c.Record(tuple((label, c.UNIT) for label, _ in fields)).is_tuple
            out = []
            for label, x in fields:
                lines = _headed(f"{label} =", x, inner) if named else _exp(x, inner - 1)
                out += indent([*lines[:-1], f"{lines[-1]},"])
            return ["{" if named else "(", *out, "}" if named else ")"]
        case c.Var() | c.Global() | c.Const() | c.App() | c.Let() | c.Assert():
            return _spread(e, inner)
        case c.Project() | c.Construct() | c.Bin() | c.Un() | c.Convert() | c.Equal():
            return _spread(e, inner)
        case c.ArrayOperation():
            return _spread(e, inner)


def _spread(e: Exp, width: int) -> list[str]:
    """Return a word, and each operand on lines of its own."""
    head, operands = _spelt_out(e) if _needs_lines(e) else _call(e)
    return [head, *(f"  {line}" for x in operands for line in _operand(x, width))]


def _needs_lines(e: Exp) -> bool:
    """True if an expression with a notation of its own has a part that needs several lines."""
    match e:
        case c.App(fn, _):
            return _is_long(fn)
        case c.Index(_, dims) | c.Update(_, dims):
            return isinstance(e, c.Index) or any(map(_is_long, _dim_parts(dims)))
        case c.Bin() | c.Un() | c.Convert() | c.Project() | c.ArrayLit():
            return True
        case c.Var() | c.Global() | c.Const() | c.Lambda() | c.Mu() | c.Let() | c.If():
            return False
        case c.Match() | c.Loop() | c.Assert() | c.Fields() | c.Construct() | c.Equal():
            return False
        case c.ArrayOperation():
            return False


def _dim_parts(dims: Sequence[c.Dim]) -> list[Exp]:
    """Return the expressions in a slice."""
    out: list[Exp | None] = []
    for d in dims:
        out += [d.index] if isinstance(d, c.Fix) else [d.lo, d.hi, d.step]
    return [x for x in out if x is not None]


def _spelt_out(e: Exp) -> tuple[str, list[Exp]]:
    """Return an expression that has a notation on one line as a word and operands instead."""
    match e:
        case c.App(fn, args):
            return "apply", [fn, *args]
        case c.Index(array, dims):
            if any(map(_is_long, _dim_parts(dims))):
                return "index", [array, *_dim_parts(dims)]
            return f"index [{_dims(dims)}]", [array]
        case c.Update(array, dims, value):
            return "update", [array, *_dim_parts(dims), value]
        case c.Bin(op, a, b):
            return str(op), [a, b]
        case c.Un(unop, a):
            return str(unop), [a]
        case c.Convert(to, a):
            return str(to), [a]
        case c.Project(exp, label):
            return f".{label}", [exp]
        case c.ArrayLit(elems, elem):
            return f"array {_type(elem, True)}", list(elems)
        case c.Var() | c.Global() | c.Const() | c.Lambda() | c.Mu() | c.Let() | c.If():
            return _call(e)
        case c.Match() | c.Loop() | c.Assert() | c.Fields() | c.Construct() | c.Equal():
            return _call(e)
        case c.ArrayOperation():
            return _call(e)


def _operand(e: Exp, width: int) -> list[str]:
    """Return an operand on lines of its own, in parentheses."""
    lines = _exp(e, width - 1)
    if len(lines) == 1:
        return [_line(e, _TIGHT)]
    return [f"({lines[0]}", *(f" {line}" for line in lines[1:-1]), f" {lines[-1]})"]


# ---------------------------------------------------------------------- one line

_LOOSE, _TIGHT = 0, 100
"""Precedence of the context: any expression; only one that needs no parentheses."""


def _line(e: Exp, level: int) -> str:
    """Return an expression on one line; ``level`` is the precedence of the context, as in FUN."""
    match e:
        case c.Var(name):
            return name
        case c.Const(value, t):
            return show_constant(value, t)
        case c.Global(name, types):
            return f"{name}[{', '.join(map(_type, types))}]" if types else name
        case c.Bin(op, a, b):
            infix = INFIX.get(op.value)
            if infix is None:
                return f"{op}({_line(a, 0)}, {_line(b, 0)})"
            text = f"{_line(a, infix.left)} {op} {_line(b, infix.right)}"
            return text if infix.level >= level else f"({text})"
        case c.Un(op, a):
            prefix = op.value in PREFIX
            return f"{op}{_line(a, PREFIX_LEVEL)}" if prefix else f"{op}({_line(a, 0)})"
        case c.Convert(to, a):
            return f"{to}({_line(a, 0)})"
        case c.Fields(fields):
            if c.Record(tuple((label, c.UNIT) for label, _ in fields)).is_tuple:
                return f"({', '.join(_line(x, 0) for _, x in fields)})"
            return f"{{{', '.join(f'{label} = {_line(x, 0)}' for label, x in fields)}}}"
        case c.Project(exp, label):
            return f"{_line(exp, _TIGHT)}.{label}"
        case c.Index(array, dims):
            return f"{_line(array, _TIGHT)}[{_dims(dims)}]"
        case c.ArrayLit(elems, elem):
            return f"[{', '.join(_line(x, 0) for x in elems)}] : {_type(elem)}"
        case c.Lambda() | c.Mu() | c.App() | c.Let() | c.If() | c.Match() | c.Loop():
            return _phrase(e, level)
        case c.Assert() | c.Construct() | c.Equal() | c.ArrayOperation():
            return _phrase(e, level)


def _phrase(e: Exp, level: int) -> str:
    """Return an expression that needs parentheses as an operand."""
    text = _words(e)
    return text if level == _LOOSE else f"({text})"


def _words(e: Exp) -> str:
    """Return an expression without parentheses around it."""
    match e:
        case c.Lambda(params, body):
            return f"\\{_binders(params)} -> {_line(body, 0)}"
        case c.If(cond, then, orelse):
            return f"if {_line(cond, 0)} then {_line(then, 0)} else {_line(orelse, 0)}"
        case c.Let(binders, exp, body):
            return f"let {_binders(binders)} = {_line(exp, 0)} in {_line(body, 0)}"
        case c.Mu() | c.App() | c.Match() | c.Loop() | c.Assert() | c.Construct() | c.Equal():
            return _applied(e)
        case c.Var() | c.Global() | c.Const() | c.Fields() | c.Project():
            return _applied(e)
        case c.Bin() | c.Un() | c.Convert() | c.ArrayOperation():
            return _applied(e)


def _applied(e: Exp) -> str:
    head, operands = _call(e)
    return " ".join([head, *(_line(x, _TIGHT) for x in operands)])


def _dims(dims: Sequence[c.Dim]) -> str:
    def opt(e: Exp | None) -> str:
        return "" if e is None else _line(e, 0)

    out: list[str] = []
    for d in dims:
        match d:
            case c.Fix(i):
                out.append(_line(i, 0))
            case c.Range(lo, hi, None):
                out.append(f"{opt(lo)}:{opt(hi)}")
            case c.Range(lo, hi, step):
                out.append(f"{opt(lo)}:{opt(hi)}:{opt(step)}")
    return ", ".join(out)


def _tuple(es: Sequence[Exp]) -> Exp:
    """Return several operands as one."""
    return c.tuple_exp(*es)


def _call(e: Exp) -> tuple[str, list[Exp]]:
    """Return an expression as a word and operands."""
    match e:
        case c.App(fn, args):
            return _line(fn, _TIGHT), list(args)
        case c.Construct(constructor, args, t):
            return f"#{constructor} : {_type(t, True)}" if not args else f"#{constructor}", list(
                args
            )
        case c.Equal(a, b):
            return "equal", [a, b]
        case c.Length(array, dim):
            return f"size {dim}", [array]
        case c.FlatSlice(array, offset, dims):
            return "flat-slice", [array, offset, *(_tuple(d) for d in dims)]
        case c.Coerce(exp, t, message):
            return f"coerce {_type(t, True)} {show_string(message)}", [exp]
        case c.Iota(n, start, step):
            return "iota", [n, start, step]
        case c.Replicate(n, value):
            return "replicate", [n, value]
        case c.Scratch(n, elem):
            return f"scratch {_type(elem, True)}", [n]
        case c.Copy(exp):
            return "copy", [exp]
        case c.Concat(arrays):
            return "concat", list(arrays)
        case c.Rearrange(perm, array):
            return f"rearrange ({', '.join(map(str, perm))})", [array]
        case c.Reverse(array):
            return "reverse", [array]
        case c.Flatten(rank, array):
            return f"flatten {rank}", [array]
        case c.Unflatten(sizes, array):
            return "unflatten", [_tuple(sizes), array]
        case c.Zip(arrays):
            return "zip", [c.Fields(arrays)]
        case c.Unzip(array):
            return "unzip", [array]
        case c.Update(array, dims, value):
            return f"update [{_dims(dims)}]", [array, value]
        case c.FlatUpdate(array, offset, strides, value):
            return "flat-update", [array, offset, _tuple(strides), value]
        case c.Scatter(dest, indices, values):
            return "scatter", [dest, indices, values]
        case c.Map(fn, arrays):
            return "map", [fn, _tuple(arrays)]
        case c.Reduce(op, ne, arrays, comm):
            return "reduce comm" if comm else "reduce", [op, _tuple(ne), _tuple(arrays)]
        case c.Scan(op, ne, arrays):
            return "scan", [op, _tuple(ne), _tuple(arrays)]
        case c.Hist(op, ne, dest, indices, values):
            return "hist", [op, _tuple(ne), _tuple(dest), indices, _tuple(values)]
        case c.Filter(fn, array):
            return "filter", [fn, array]
        case c.Mu(binder, fn):
            return f"mu {_binder(binder)}", [fn]
        case c.Loop() | c.Match() | c.Assert():
            raise TypeError(f"{type(e).__name__} needs several lines")
        case c.Var() | c.Global() | c.Const() | c.Lambda() | c.Let() | c.If():
            return _line(e, _TIGHT), []
        case c.Fields() | c.Project() | c.Bin() | c.Un() | c.Convert():
            return _line(e, _TIGHT), []
        case c.Index() | c.ArrayLit():
            return _line(e, _TIGHT), []
