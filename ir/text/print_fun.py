"""The printer of FUN and FUNMEM: ``parse_fun(show_program(p)) == p``.

def half (x : f32) -> (r : f32) =
  let (y : f32) = x * 0.5f32
  in (y)

entry scale [n] [xm : mem] (x : [n]f32 @ xm -> 0 + {(n : 1)}) (c : f32)
    -> [ym : mem] (y : [n]f32 @ ym -> 0 + {(n : 1)}) =
  let (m : mem) = alloc 4*n
  let (ys : [n]f32 @ m -> 0 + {(n : 1)}) =
    kernel i < n do
      let (v : f32) = x[i]
      let (h : f32) = call half (v)
      let (w : f32) = h * c
      in (w)
  in (m, ys)
"""

from collections.abc import Iterable

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Call,
    Collective,
    Concat,
    Const,
    Convert,
    Copy,
    Entry,
    Exp,
    FlatSlice,
    For,
    Function,
    Hist,
    If,
    Index,
    Iota,
    Kernel,
    Lambda,
    Loop,
    LoopParam,
    Map,
    MemType,
    Opaque,
    Param,
    Permute,
    Program,
    RaggedKernel,
    Reduce,
    Replicate,
    Reshape,
    Reverse,
    Scan,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Un,
    Update,
    Var,
    While,
)
from funmem.ir.lmad import Lmad
from funmem.ir.text.print_parts import (
    WIDTH,
    call_words,
    ended,
    fill,
    indent,
    separated,
    show_alloc,
    show_dims,
    show_scalar,
    show_shape,
    show_string,
)


def show_program(p: Program[Ann]) -> str:
    """Return the text of a program, which ends with a line break."""
    texts = (*map(show_function, p.functions), *map(show_entry, p.entries))
    return "\n".join(f"{text}\n" for text in texts)


def show_function(f: Function) -> str:
    """Return the text of a function."""
    items = ["def", f.name, *map(show_binder, f.params)]
    return _definition(items, ["->", *map(show_binder, f.results)], f.body)


def show_entry(e: Entry[Ann]) -> str:
    """Return the text of an entry point."""
    items = ["entry", e.name, *map(_implicit, e.implicit), *map(_param, e.params)]
    results = ["->", *map(_implicit, e.implicit_results), *map(show_binder, e.results)]
    return _definition(items, results, e.body)


def _definition(items: list[str], results: list[str], body: Body[Ann]) -> str:
    results = ended(results, "=")
    head = fill([*items, " ".join(results)], WIDTH)
    if len(head) > 1:
        head = [*fill(items, WIDTH), *indent(indent(fill(results, WIDTH - 4)))]
    return "\n".join([*head, *indent(_body(body, WIDTH - 2))])


def show_body(b: Body[Ann]) -> str:
    """Return the text of a body."""
    return "\n".join(_body(b, WIDTH))


def show_stm(s: Stm[Ann]) -> str:
    """Return the text of a statement."""
    return "\n".join(_stm(s, WIDTH))


def show_exp(e: Exp[Ann]) -> str:
    """Return the text of an expression."""
    return "\n".join(_exp(e, WIDTH))


def show_atom(a: Atom) -> str:
    """Return the text of an operand."""
    return show_scalar(a)


# ---------------------------------------------------------------------- binders


def show_binder(b: Binder[Ann]) -> str:
    """Return ``(x : t)`` or ``(x : t @ m -> L)``."""
    return _marked(b, "")


def _marked(b: Binder[Ann], mark: str) -> str:
    home = "" if b.home is None else f" {b.home}"
    return f"({b.name} : {mark}{b.type}{home})"


def _implicit(b: Binder[Ann]) -> str:
    return f"[{b.name} : {b.type}]" if isinstance(b.type, MemType) else f"[{b.name}]"


def _param(p: Param[Ann]) -> str:
    return _marked(p.binder, "*" * p.unique)


# ---------------------------------------------------------------------- bodies and statements


def _body(b: Body[Ann], width: int) -> list[str]:
    stms = [line for s in b.stms for line in _stm(s, width)]
    return stms + fill(_group("in (", b.result), width)


def _stm(s: Stm[Ann], width: int) -> list[str]:
    if isinstance(s.exp, Assert) and not s.pat:
        return _exp(s.exp, width)
    head = fill(ended(["let", *map(show_binder, s.pat)], "="), width)
    exp = _exp(s.exp, width - 2)
    if len(head) == len(exp) == 1 and len(head[0]) + 1 + len(exp[0]) <= width:
        return [f"{head[0]} {exp[0]}"]
    return head + indent(exp)


def _exp(e: Exp[Ann], width: int) -> list[str]:
    match e:
        case Const() | Var() | Bin() | Un() | Convert():
            return [show_scalar(e)]
        case Call(fn, args, partial, linkage):
            words = [f"call {fn}", *_group("(", args), *call_words(partial, linkage)]
            return fill(words, width)
        case Index(x, index):
            return [f"{x}[{', '.join(map(str, index))}]"]
        case Slice(x, dims):
            return [f"{x}{show_dims(dims)}"]
        case Permute(perm, x):
            return [f"permute ({', '.join(map(str, perm))}) {x}"]
        case Reshape(shape, x):
            return [f"reshape {show_shape(shape)} {x}"]
        case Reverse(dim, x):
            return [f"reverse {dim} {x}"]
        case FlatSlice(x, offset, lmad_dims):
            return [f"flat {x}[{Lmad(offset, lmad_dims)}]"]
        case Iota(n, start, stride):
            return [f"iota [{n}] {show_atom(start)} {show_atom(stride)}"]
        case Replicate(shape, value):
            return [f"replicate {show_shape(shape)} {show_atom(value)}"]
        case ArrayLit(elems, elem, row_shape):
            return fill(_group("[", elems, f"] : {show_shape(row_shape)}{elem}"), width, " ")
        case Copy(x):
            return [f"copy {x}"]
        case Concat(dim, xs):
            return fill([f"concat {dim}", *xs], width)
        case Scratch(shape, elem):
            return [f"scratch {show_shape(shape)}{elem}"]
        case Update(x, where, value):
            part = f"flat [{where}]" if isinstance(where, Lmad) else show_dims(where)
            return [f"{x} with {part} = {show_atom(value)}"]
        case Scatter(x, indices, values):
            return [f"scatter {x} {indices} {values}"]
        case Kernel(dims):
            head = separated(f"{d.index} < {d.size}" for d in dims)
            return _kernel(head, e.collective, e.body, width)
        case RaggedKernel(row, element, offsets, total, collective, body):
            head = [f"{row.index} < {row.size},", f"{element} in {offsets} : {total}"]
            return _kernel(head, collective, body, width)
        case If(condition, then, orelse):
            return [
                *(f"if {show_atom(condition)} then", *indent(_body(then, width - 2))),
                *("else", *indent(_body(orelse, width - 2))),
            ]
        case Loop(params, form, body):
            head = ["loop", *separated(map(_loop_param, params)), f"{_form(form)} do"]
            return fill(head, width) + indent(_body(body, width - 2))
        case Opaque(fn, args, grid):
            tail = [f"grid {show_shape(grid)}"] if grid else []
            return fill([f"opaque {fn}", *_group("(", args), *tail], width)
        case Assert(condition, message, values):
            words = [show_string(message), *(_group("(", values) if values else ())]
            return fill(["assert", show_atom(condition), *words], width)
        case Alloc(size, space):
            return [show_alloc(size, space)]


def _group(opener: str, atoms: Iterable[Atom], closer: str = ")") -> list[str]:
    """Return ``( a, …, a )`` as items of a line that may be broken."""
    items = separated(map(show_atom, atoms), closer) or [closer]
    return [opener + items[0], *items[1:]]


def _one_line(opener: str, atoms: Iterable[Atom]) -> str:
    return " ".join(_group(opener, atoms))


# ---------------------------------------------------------------------- control and parallelism


def _kernel(dims: list[str], c: Collective[Ann], b: Body[Ann], width: int) -> list[str]:
    body = indent(_body(b, width - 2))
    match c:
        case Map():
            return fill(ended(["kernel", *dims], "do"), width) + body
        case Reduce(op, ne, comm):
            head, operator = "reduce comm" if comm else "reduce", _operator(op, ne, width)
        case Scan(op, ne):
            head, operator = "scan", _operator(op, ne, width)
        case Hist(dest, op, ne):
            head, operator = f"hist ({', '.join(dest)})", _operator(op, ne, width)
    return [*fill(["kernel", *dims, head], width), *operator, "do", *body]


def _operator(op: Lambda[Ann], ne: Iterable[Atom], width: int) -> list[str]:
    """Return the operator of a collective and its neutral elements as text."""
    first, *others = [*map(show_binder, op.params), "->"]
    params = fill([f"  (\\{first}", *others], width)
    body = indent(indent(_body(op.body, width - 4)))
    return [*params, *body[:-1], f"{body[-1]}) {_one_line('(', ne)}"]


def _loop_param(p: LoopParam[Ann]) -> str:
    return f"{_marked(p.binder, '*' * p.unique)} = {show_atom(p.init)}"


def _form(form: For | While) -> str:
    match form:
        case For(index, bound):
            return f"for {index} < {bound}"
        case While(condition):
            return f"while {condition}"
