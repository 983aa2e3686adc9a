r"""The printer of Core: ``parse_core(show_core(p)) == p`` for a program p.

    def sum : []i32 -> i32 =
      \(xs : []i32) ->
        reduce (\(a : i32) (b : i32) -> a + b) (0i32) (xs)

    entry main [n] (xs : [n]{x : i32, y : f32}) : i32 =
      let (ys : [n]i32) = map (\(p : {x : i32, y : f32}) -> p.x) (xs)
      in @sum ys

An expression stands on one line if it is short and binds nothing; otherwise the same tokens stand
on several lines, a part on each.  ``@`` marks definitions.  read_core.py has the grammar.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import parts
from funmem.ir.depth import deep
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType, UnOp
from funmem.ir.scalars import show as show_constant
from funmem.ir.sizes import Size, var
from funmem.ir.text.core_words import show_label, show_name
from funmem.ir.text.parse_parts import INFIX, PREFIX, PREFIX_LEVEL
from funmem.ir.text.print_parts import WIDTH, indent, show_string

Top: TypeAlias = c.Def | c.DataDef | c.ForeignDef | c.Entry
Node: TypeAlias = CoreProgram | Top | Exp | Type


def show_core(x: Node) -> str:
    """Return the text of a program, definition, expression or type."""
    with deep():
        if isinstance(x, CoreProgram):
            tops: tuple[Top, ...] = (*x.data, *x.foreign, *x.defs, *x.entries)
            return "\n".join(f"{_top(d)}\n" for d in tops)
        if isinstance(x, Top):
            return _top(x)
        if isinstance(x, Type):
            return _type(x)
        return "\n".join(_exp(x, WIDTH))


def _top(x: Top) -> str:
    match x:
        case c.DataDef(name, tparams, type_):
            return f"{_head('data', name, tparams)} = {_type(type_)}"
        case c.ForeignDef(name, types, result, effect, _, whole):
            given_types = ", ".join(map(_type, types))
            return f"{_foreign(name, effect, whole)} ({given_types}) : {_type(result)}"
        case c.Def(name, tparams, type_, exp):
            head = f"{_head('def', name, tparams)} : {_type(type_)} ="
        case c.Entry(name, sizes, params, result, exp):
            named = [f"[{show_name(s)}]" for s in sizes]
            given = [_binder(q.binder, q.unique) for q in params]
            head = f"{' '.join(['entry', show_name(name), *named, *given])} : {_type(result)} ="
    return "\n".join([head, *indent(_exp(exp, WIDTH - 2))])


def _head(word: str, name: str, tparams: Iterable[str]) -> str:
    return " ".join([word, show_name(name), *(f"'{show_name(a)}" for a in tparams)])


def _foreign(name: str, effect: bool, whole: bool) -> str:
    kind = "effect" if effect else "opaque" if whole else "foreign"
    return f"{kind} {show_name(name)}"


def _grid(grid: Sequence[Exp] | None) -> str:
    return "" if grid is None else f" grid ({', '.join(map(_line, grid))})"


# ---------------------------------------------------------------------- types


def _type(t: Type, tight: bool = False) -> str:
    """Return the text of a type; ``tight`` if it is an element or an argument."""
    match t:
        case ScalarType():
            return str(t)
        case c.TypeVar(name):
            return f"'{show_name(name)}"
        case c.Token():
            return "token"
        case c.Array(elem, size):
            return f"[{'' if size is None else _size(size)}]{_type(elem, True)}"
        case c.Record(fields):
            if t.is_tuple:
                return _tuple_text([_type(u) for _, u in fields])
            return f"{{{', '.join(f'{show_label(label)} : {_type(u)}' for label, u in fields)}}}"
        case c.Data(name, args):
            text = " ".join([show_name(name), *(_type(a, True) for a in args)])
            return f"({text})" if args and tight else text
        case c.Sum(constructors):
            text = " | ".join(
                " ".join([f"#{show_name(name)}", *(_type(u, True) for u in us)])
                for name, us in constructors
            )
            text = text or "#"
            return f"({text})" if tight else text
        case c.Arrow(param, result):
            left = _type(param, isinstance(param, c.Arrow | c.Sum))
            text = f"{left} -> {_type(result)}"
            return f"({text})" if tight else text


def _tuple_text(items: Sequence[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _size(d: Size) -> str:
    """Return the text of a size, with quoted names."""
    odd = {x: var(Name(shown)) for x in d.free() if (shown := show_name(x)) != x}
    return str(d.subst(odd) if odd else d)


def _binder(b: c.Binder, unique: c.Unique = c.Unique.SHARED) -> str:
    return f"({show_name(b.name)} : {unique.value}{_type(b.type)})"


def _binders(bs: Iterable[c.Binder]) -> str:
    return " ".join(map(_binder, bs)) or "()"


# ---------------------------------------------------------------------- precedence

_LOOSE, _TIGHT = -1, 100
"""Precedence of the context: any expression; only one that needs no parentheses."""


def _precedence(e: Exp) -> int:
    """Return the tightest context in which an expression stands without parentheses."""
    match e:
        case c.Var() | c.Global() | c.Fields() | c.Project() | c.Index() | c.Convert():
            return _TIGHT
        case c.Const(value, t):
            return PREFIX_LEVEL if show_constant(value, t).startswith("-") else _TIGHT
        case c.Bin(op):
            infix = INFIX.get(op.value)
            return _TIGHT if infix is None else infix.level
        case c.Un(op):
            return PREFIX_LEVEL if op.value in PREFIX else _TIGHT
        case c.FunctionOperation() | c.Control() | c.Construct() | c.Equal() | c.ArrayOperation():
            return _LOOSE
        case c.Let() | c.Assert():
            return _LOOSE


# ---------------------------------------------------------------------- one line


def _line(e: Exp, level: int = _LOOSE) -> str:
    """Return an expression on one line; ``level`` is the precedence of the context, as in FUN."""
    text = _words(e)
    return text if _precedence(e) >= level else f"({text})"


def _words(e: Exp) -> str:
    """Return an expression on one line, without parentheses around it."""
    match e:
        case c.Var(name):
            return show_name(name)
        case c.Const(value, t):
            return show_constant(value, t)
        case c.Global(name, types):
            at = f"[{', '.join(map(_type, types))}]" if types else ""
            return f"@{show_name(name)}{at}"
        case c.Lambda(params, body):
            return f"\\{_binders(params)} -> {_line(body)}"
        case c.Mu(binder, fn):
            return f"mu {_binder(binder)} {_line(fn)}"
        case c.App(fn, args):
            return " ".join(_line(x, _TIGHT) for x in (fn, *args))
        case c.Foreign(name, args, t, effect, _, grid):
            call = f"{_foreign(name, effect, grid is not None)} ({', '.join(map(_line, args))})"
            return f"{call}{_grid(grid)} : {_type(t, True)}"
        case c.Let(binders, exp, body):
            return f"let {_binders(binders)} = {_line(exp)} in {_line(body)}"
        case c.Assert(cond, message, values, body):
            return f"{_assertion(cond, message, values)} in {_line(body)}"
        case c.If(cond, then, orelse):
            return f"if {_line(cond)} then {_line(then)} else {_line(orelse)}"
        case c.Match(exp, arms, default):
            last = [] if default is None else [f"_ -> {_line(default)}"]
            each = "; ".join([*(f"{_pattern(a)} -> {_line(a.body)}" for a in arms), *last])
            return f"match {_line(exp, _TIGHT)} {{ {each} }}"
        case c.Loop(params, init, form, body):
            given = [f"{_binder(b)} = {_line(x)}" for b, x in zip(params, init, strict=True)]
            head = ["loop", ", ".join(given)] if given else ["loop"]
            return " ".join([*head, _form(form), _line(body)])
        case c.Fields(fields):
            if _is_tuple(fields):
                return _tuple_text([_line(x) for _, x in fields])
            return f"{{{', '.join(f'{show_label(label)} = {_line(x)}' for label, x in fields)}}}"
        case c.Project(exp, label):
            return f"{_line(exp, _TIGHT)}.{show_label(label)}"
        case c.Construct(constructor, args, t):
            words = [f"#{show_name(constructor)}", *(_line(x, _TIGHT) for x in args)]
            return f"{' '.join(words)} : {_type(t, True)}"
        case c.Bin() | c.Un() | c.Convert():
            return _scalar(e)
        case c.Equal(a, b):
            return f"equal {_line(a, _TIGHT)} {_line(b, _TIGHT)}"
        case c.Index(array, dims):
            return f"{_indexed(array)}[{_dims(dims)}]"
        case c.ArrayLit(elems, elem):
            return f"[{', '.join(map(_line, elems))}] : {_type(elem, True)}"
        case c.ArrayOperation():
            return " ".join(map(_operand_text, _call(c.array_exp(e))))


def _scalar(e: c.Bin | c.Un | c.Convert) -> str:
    match e:
        case c.Bin(op, a, b):
            infix = INFIX.get(op.value)
            if infix is None:
                return f"{op}({_line(a)}, {_line(b)})"
            return f"{_line(a, infix.left)} {op} {_line(b, infix.right)}"
        case c.Un(op, a):
            if op.value not in PREFIX:
                return f"{op}({_line(a)})"
            text = _line(a, PREFIX_LEVEL)
            if op is UnOp.NEG and text.startswith("-"):
                return f"- {text}"  # `--` would begin a comment
            if op is UnOp.NEG and isinstance(a, c.Const) and not isinstance(a.value, bool):
                return f"-({text})"  # `-5` is a constant
            return f"{op}{text}"
        case c.Convert(to, a):
            return f"{to}({_line(a)})"


def _assertion(cond: Exp, message: str, values: Sequence[Exp]) -> str:
    shown = f" ({', '.join(map(_line, values))})" if values else ""
    return f"assert {_line(cond)} {show_string(message)}{shown}"


def _form(form: c.For | c.While) -> str:
    match form:
        case c.For(index, bound):
            return f"for {show_name(index)} < {_line(bound)} do"
        case c.While(cond):
            return f"while {_line(cond)} do"


def _pattern(arm: c.Arm) -> str:
    return " ".join([f"#{show_name(arm.constructor)}", *map(_binder, arm.binders)])


def _is_tuple(fields: "Sequence[tuple[str, Exp]]") -> bool:
    return all(label == str(k) for k, (label, _) in enumerate(fields))


def _indexed(array: Exp) -> str:
    """Return the text of an array before its index: ``@f[…]`` would be an instance of f."""
    text = _line(array, _TIGHT)
    return f"({text})" if isinstance(array, c.Global) and not array.types else text


def _dims(dims: Sequence[c.Dim]) -> str:
    return ", ".join(map(_dim, dims))


def _dim(d: c.Dim) -> str:
    def opt(e: Exp | None) -> str:
        return "" if e is None else _line(e)

    match d:
        case c.Fix(i):
            return _line(i)
        case c.Range(lo, hi, None):
            return f"{opt(lo)}:{opt(hi)}"
        case c.Range(lo, hi, step):
            return f"{opt(lo)}:{opt(hi)}:{opt(step)}"


# ---------------------------------------------------------------------- array operations


@frozen
class _Group:
    """Several expressions in parentheses: ``(xs, ys)``.  They are not a tuple."""

    items: tuple[Exp, ...]


@frozen
class _Slice:
    """``[d, …]``."""

    dims: tuple[c.Dim, ...]


_Operand: TypeAlias = "str | Exp | _Group | _Slice"


def _operand_text(x: _Operand) -> str:
    if isinstance(x, str):
        return x
    if isinstance(x, _Group):
        return f"({', '.join(map(_line, x.items))})"
    if isinstance(x, _Slice):
        return f"[{_dims(x.dims)}]"
    return _line(x, _TIGHT)


def _call(e: c.ArrayExp) -> list[_Operand]:
    """Return an operation as words and operands."""
    match e:
        case c.Length(array, dim):
            return [f"size {dim}", array]
        case c.FlatSlice(array, offset, dims):
            return ["flat_slice", array, offset, *(_Group(d) for d in dims)]
        case c.Coerce(exp, t, message):
            return [f"coerce {_type(t, True)} {show_string(message)}", exp]
        case c.Iota(n, start, step):
            return ["iota", n, start, step]
        case c.Replicate(n, value):
            return ["replicate", n, value]
        case c.Scratch(n, elem):
            return [f"scratch {_type(elem, True)}", n]
        case c.Copy(exp):
            return ["copy", exp]
        case c.Concat(arrays):
            return ["concat", *arrays]
        case c.Rearrange(perm, array):
            return [f"rearrange ({', '.join(map(str, perm))})", array]
        case c.Reverse(array):
            return ["reverse", array]
        case c.Flatten(rank, array):
            return [f"flatten {rank}", array]
        case c.Unflatten(sizes, array):
            return ["unflatten", _Group(sizes), array]
        case c.Zip(arrays):
            return ["zip", c.Fields(arrays)]
        case c.Unzip(array):
            return ["unzip", array]
        case c.Update(array, dims, value):
            return ["update", _Slice(dims), array, value]
        case c.FlatUpdate(array, offset, strides, value):
            return ["flat_update", array, offset, _Group(strides), value]
        case c.Scatter(dest, indices, values):
            return ["scatter", dest, indices, values]
        case c.Map(fn, arrays):
            return ["map", fn, _Group(arrays)]
        case c.Reduce(op, ne, arrays, comm):
            return ["reduce comm" if comm else "reduce", op, _Group(ne), _Group(arrays)]
        case c.Segmented(fn, offsets, total, None):
            return ["segmented", fn, offsets, total]
        case c.Segmented(fn, offsets, total, op, ne, each, comm):
            word = "scan" if each else "reduce comm" if comm else "reduce"
            assert op is not None
            return [f"segmented {word}", op, _Group(ne), fn, offsets, total]
        case c.Scan(op, ne, arrays):
            return ["scan", op, _Group(ne), _Group(arrays)]
        case c.Hist(op, ne, dest, indices, values):
            return ["hist", op, _Group(ne), _Group(dest), indices, _Group(values)]
        case c.Filter(fn, array):
            return ["filter", fn, array]
        case c.Index() | c.ArrayLit():
            return [_line(e, _TIGHT)]


# ---------------------------------------------------------------------- several lines


def _exp(e: Exp, width: int, level: int = _LOOSE) -> list[str]:
    """Return lines: one if the expression is short and binds nothing."""
    if not _is_long(e):
        line = _line(e, level)
        if len(line) <= width:
            return [line]
    if _precedence(e) >= level:
        return _block(e, width)
    lines = [f"({line}" if k == 0 else f" {line}" for k, line in enumerate(_block(e, width - 1))]
    return [*lines[:-1], f"{lines[-1]})"]


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


def _headed(head: str, e: Exp, width: int, level: int = _LOOSE) -> list[str]:
    """Return a head and an expression, on one line if there is room."""
    lines = _exp(e, width - 2, level)
    if len(lines) == 1 and len(head) + 1 + len(lines[0]) <= width:
        return [f"{head} {lines[0]}"]
    return [head, *indent(lines)]


def _ended(lines: list[str], end: str) -> list[str]:
    """Append ``end`` to the last line."""
    return [*lines[:-1], f"{lines[-1]}{end}"]


def _listed(
    opener: str, items: Iterable[list[str]], closer: str, separator: str = ","
) -> list[str]:
    """Return items between brackets, each on lines of its own."""
    return [opener, *indent([line for x in items for line in _ended(x, separator)]), closer]


def _block(e: Exp, width: int) -> list[str]:
    """Return the lines of an expression that needs several."""
    inner = width - 2
    match e:
        case c.Let() | c.Assert():
            return _chain(e, width)
        case c.If() | c.Match() | c.Loop():
            return _control(e, width)
        case c.Lambda(params, body):
            return [f"\\{_binders(params)} ->", *indent(_exp(body, inner))]
        case c.Mu(binder, fn):
            return [f"mu {_binder(binder)}", *indent(_exp(fn, inner))]
        case c.App(fn, args):
            return _spread([fn, *args], width)
        case c.Foreign(name, args, t, effect, _, grid):
            head = f"{_foreign(name, effect, grid is not None)} ("
            lines = _listed(head, (_exp(x, inner - 1) for x in args), ")")
            return _ended(lines, f"{_grid(grid)} : {_type(t, True)}")
        case c.Fields(fields):
            if _is_tuple(fields):
                return _listed("(", (_exp(x, inner - 1) for _, x in fields), ")")
            named = (_headed(f"{show_label(label)} =", x, inner - 1) for label, x in fields)
            return _listed("{", named, "}")
        case c.Project(exp, label):
            return _ended(_exp(exp, width, _TIGHT), f".{show_label(label)}")
        case c.Construct(constructor, args, t):
            head = f"#{show_name(constructor)}"
            return [*_spread([head, *args], width), f"  : {_type(t, True)}"]
        case c.Bin() | c.Un() | c.Convert():
            return _scalar_lines(e, width)
        case c.Equal(a, b):
            return _spread(["equal", a, b], width)
        case c.Index(array, dims):
            lines = [_indexed(array)] if isinstance(array, c.Global) else _exp(array, width, _TIGHT)
            first, *rest = _slice(dims, width)
            return [*_ended(lines, first), *rest]
        case c.ArrayLit(elems, elem):
            closer = f"] : {_type(elem, True)}"
            return _listed("[", (_exp(x, inner - 1) for x in elems), closer)
        case c.ArrayOperation():
            return _spread(_call(c.array_exp(e)), width)
        case c.Leaf():
            return [_line(e)]


def _chain(e: Exp, width: int) -> list[str]:
    """Return ``let … let … assert … in e``."""
    out: list[str] = []
    while isinstance(e, c.Let | c.Assert):
        match e:
            case c.Let(binders, exp, body):
                out += _headed(f"let {_binders(binders)} =", exp, width)
            case c.Assert(cond, message, values, body):
                out += _assert_lines(cond, message, values, width)
        e = body
    return out + _headed("in", e, width)


def _assert_lines(cond: Exp, message: str, values: Sequence[Exp], width: int) -> list[str]:
    if not any(map(_is_long, (cond, *values))):
        return [_assertion(cond, message, values)]
    shown = _listed("(", (_exp(x, width - 5) for x in values), ")") if values else []
    return [*_headed("assert", cond, width), *indent([show_string(message), *shown])]


def _control(e: c.If | c.Match | c.Loop, width: int) -> list[str]:
    inner = width - 2
    match e:
        case c.If(cond, then, orelse):
            first = _ended(_headed("if", cond, width - 5), " then")
            return [*first, *indent(_exp(then, inner)), "else", *indent(_exp(orelse, inner))]
        case c.Match(exp, arms, default):
            first = _headed("match", exp, inner, _TIGHT)
            each = [_headed(f"{_pattern(a)} ->", a.body, inner - 1) for a in arms]
            each += [] if default is None else [_headed("_ ->", default, inner - 1)]
            opened, *rest = _listed(" {", each, "}", ";")
            return [*_ended(first, opened), *rest]
        case c.Loop(params, init, form, body):
            given = zip(params, init, strict=True)
            heads = [_headed(f"{_binder(b)} =", x, inner - 1) for b, x in given]
            heads = [*(_ended(x, ",") for x in heads[:-1]), *heads[-1:]]
            match form:
                case c.For(index, bound):
                    form_lines = _headed(f"for {show_name(index)} <", bound, width - 3)
                case c.While(cond):
                    form_lines = _headed("while", cond, width - 3)
            starts = [line for x in heads for line in x]
            return ["loop", *indent(starts), *_ended(form_lines, " do"), *indent(_exp(body, inner))]


def _scalar_lines(e: c.Bin | c.Un | c.Convert, width: int) -> list[str]:
    inner = width - 2
    match e:
        case c.Bin(op, a, b) if (infix := INFIX.get(op.value)) is not None:
            left = _ended(_exp(a, width - 4, infix.left), f" {op}")
            return [*left, *indent(_exp(b, inner, infix.right))]
        case c.Un(op, a) if op.value in PREFIX:
            first, *rest = _exp(a, width - 1, _TIGHT)
            is_number = isinstance(a, c.Const) and not isinstance(a.value, bool)
            return [f"{op}({first})" if is_number else f"{op}{first}", *rest]
        case c.Bin(op, a, b):
            return _listed(f"{op}(", (_exp(x, inner - 1) for x in (a, b)), ")")
        case c.Un(op, a) | c.Convert(op, a):
            return [f"{op}(", *indent(_exp(a, inner)), ")"]


def _spread(operands: Sequence[_Operand], width: int) -> list[str]:
    """Return a word or function, and each operand on lines of its own."""
    first, *rest = (_operand_lines(x, width - 2) for x in operands)
    return [*first, *indent([line for lines in rest for line in lines])]


def _operand_lines(x: _Operand, width: int) -> list[str]:
    if isinstance(x, str):
        return [x]
    if isinstance(x, _Group):
        if not any(map(_is_long, x.items)) and len(line := _operand_text(x)) <= width:
            return [line]
        return _listed("(", (_exp(y, width - 3) for y in x.items), ")")
    if isinstance(x, _Slice):
        return _slice(x.dims, width)
    return _exp(x, width, _TIGHT)


def _slice(dims: Sequence[c.Dim], width: int) -> list[str]:
    text = f"[{_dims(dims)}]"
    if len(text) <= width and not any(_is_long(x) for d in dims for x in _dim_parts(d)):
        return [text]
    return _listed("[", (_dim_lines(d, width - 3) for d in dims), "]")


def _dim_parts(d: c.Dim) -> list[Exp]:
    given = [d.index] if isinstance(d, c.Fix) else [d.lo, d.hi, d.step]
    return [x for x in given if x is not None]


def _dim_lines(d: c.Dim, width: int) -> list[str]:
    match d:
        case c.Fix(i):
            return _exp(i, width)
        case c.Range(lo, hi, step):
            ends = (lo, hi) if step is None else (lo, hi, step)
            sections = [[""] if x is None else _exp(x, width - 1) for x in ends]
            lines = [line for x in sections[:-1] for line in _ended(x, ":")]
            return lines + sections[-1]
