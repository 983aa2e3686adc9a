"""The printer of IMP: ``parse_imp(show_imp_program(p)) == p``.

entry scale [n] (x : [n]f32) (c : f32) {
  var ys : mem;
  ys <- alloc 4*n;
  kernel i < n do
    var v : f32;
    v <- x[i] : f32;
    ys[i] : f32 <- v * c;
  done
  return (ys : [n]f32)
}
"""

from collections.abc import Iterable, Sequence

from funmem.ir.fun import Atom, ScalarExp
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    CallStm,
    Check,
    Condition,
    CopyElement,
    Declare,
    ForStm,
    Holds,
    IfStm,
    ImpEntry,
    ImpFunction,
    ImpProgram,
    ImpStm,
    Injective,
    InRange,
    KernelStm,
    NonNegative,
    OpaqueStm,
    Port,
    RangeInside,
    Read,
    ScalarPort,
    Shown,
    SizesEqual,
    WhileStm,
    Write,
)
from funmem.ir.sizes import Size
from funmem.ir.text.print_parts import (
    WIDTH,
    call_words,
    ended,
    fill,
    indent,
    separated,
    show_alloc,
    show_scalar,
    show_shape,
    show_string,
)


def show_imp_program(p: ImpProgram) -> str:
    """Return the text of a program, which ends with a line break."""
    texts = (*map(show_imp_function, p.functions), *map(show_imp_entry, p.entries))
    return "\n".join(f"{text}\n" for text in texts)


def show_imp_function(f: ImpFunction) -> str:
    """Return the text of a function."""
    return _definition(["def", f.name], f.params, f.body, f.results)


def show_imp_entry(e: ImpEntry) -> str:
    """Return the text of an entry point."""
    words = ["entry", e.name, *(f"[{n}]" for n in e.sizes)]
    return _definition(words, e.params, e.body, e.results)


def _definition(
    words: list[str], params: Sequence[Port], body: Block, results: Sequence[Port]
) -> str:
    head = ended([*words, *map(_port, params)], "{")
    result = fill(["return", *map(_port, results)], WIDTH - 2)
    return "\n".join([*fill(head, WIDTH), *_nested(body, WIDTH), *indent(result), "}"])


def show_imp_stm(s: ImpStm) -> str:
    """Return the text of a statement."""
    return "\n".join(_stm(s, WIDTH))


def _port(p: Port) -> str:
    match p:
        case ScalarPort(x, t):
            return f"({x} : {t})"
        case ArrayPort(block, elem, shape):
            return f"({block} : {show_shape(shape)}{elem})"


def _nested(b: Block, width: int) -> list[str]:
    return indent(line for s in b for line in _stm(s, width - 2))


def _stm(s: ImpStm, width: int) -> list[str]:
    match s:
        case Declare(x, t):
            return [f"var {x} : {t};"]
        case Assign(x, value):
            return [f"{x} <- {show_scalar(value)};"]
        case Allocate(x, size, space):
            return [f"{x} <- {show_alloc(size, space)};"]
        case Read(x, block, index, elem):
            return [f"{x} <- {block}[{index}] : {elem};"]
        case Write(block, index, value, elem):
            return [f"{block}[{index}] : {elem} <- {show_scalar(value)};"]
        case CopyElement(dst, dst_index, src, src_index, elem):
            return [f"{dst}[{dst_index}] <- {src}[{src_index}] : {elem};"]
        case IfStm(cond, then, orelse):
            head, tail = f"if {show_scalar(cond)} then", _nested(orelse, width)
            return [head, *_nested(then, width), "else", *tail, "fi"]
        case ForStm(index, bound, body):
            return [f"for {index} < {bound} do", *_nested(body, width), "done"]
        case WhileStm(condition, body):
            return [f"while {condition} do", *_nested(body, width), "done"]
        case KernelStm(dims, body):
            ranges = separated(f"{d.index} < {d.bound}" for d in dims)
            return [*fill(ended(["kernel", *ranges], "do"), width), *_nested(body, width), "done"]
        case CallStm(results, fn, args, partial, linkage):
            head = f"call ({', '.join(results)}) <- {fn}"
            words = [head, *_group(args), *call_words(partial, linkage)]
            return fill([*words[:-1], f"{words[-1]};"], width)
        case OpaqueStm(results, fn, args, grid):
            outs = separated(map(_port, results), f") <- {fn}") or [f") <- {fn}"]
            given = separated(map(_operand, args), ")") or [")"]
            tail = [f"grid {show_shape(grid)}"] if grid else []
            words = ["opaque", f"({outs[0]}", *outs[1:], f"({given[0]}", *given[1:], *tail]
            return fill([*words[:-1], f"{words[-1]};"], width)
        case Check(condition, kind, message, args):
            place = [f"({', '.join(map(_arg, args))})"] if args else []
            words = [
                show_condition(condition),
                show_string(kind.value),
                show_string(message),
                *place,
            ]
            return fill(["check", *words[:-1], f"{words[-1]};"], width)


def _operand(a: Atom | ArrayPort) -> str:
    return _port(a) if isinstance(a, ArrayPort) else show_scalar(a)


def _group(args: Iterable[ScalarExp]) -> list[str]:
    items = separated(map(show_scalar, args), ")") or [")"]
    return [f"({items[0]}", *items[1:]]


def _arg(a: Size | Shown) -> str:
    return f"{a.x} : {a.type}" if isinstance(a, Shown) else str(a)


def show_condition(c: Condition) -> str:
    """Return the condition of a check as the parser reads it."""
    match c:
        case InRange(i, n):
            return f"{i} in {n}"
        case RangeInside(start, length, stride, n):
            return f"{start} : {length} : {stride} inside {n}"
        case Injective(dims):
            return f"injective {{{' '.join(map(str, dims))}}}"
        case NonNegative(d):
            return f"nonneg {d}"
        case SizesEqual(a, b):
            return f"{a} == {b}"
        case Holds(condition):
            return f"({show_scalar(condition)})"
