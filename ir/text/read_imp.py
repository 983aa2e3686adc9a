"""The parser of IMP.

    program   ::= (def | entry)+, at least one entry
    def       ::= "def" name port* "{" istm* "return" port* "}"
    entry     ::= "entry" name ("[" name "]")* port* "{" istm* "return" port* "}"
    port      ::= "(" name ":" ("[" size "]")* scalar ")"
    istm      ::= "var" name ":" type ";"  |  name "<-" …  |  name "[" size "]" …
                | "if" … "fi"  |  "for" … "done"  |  "while" … "done"  |  "kernel" … "done"
                | "call" "(" [name ("," name)*] ")" "<-" name "(" [se ("," se)*] ")"
                  ["partial" | "foreign" | "effect"] ";"
                | "opaque" "(" port ("," port)* ")" "<-" name "(" [whole ("," whole)*] ")"
                  ["grid" shape] ";"
                | "check" condition kind string ["(" arg ("," arg)* ")"] ";"
    arg       ::= size | name ":" scalar        whole ::= atom | port

IMP's own words (``var``, ``done``, …) can also be names of variables: a statement is recognised as
one that begins with a name by the ``<-`` or ``[`` that follows.
"""

from collections.abc import Callable
from typing import TypeVar

from funmem.ir.diagnostics import TrapKind
from funmem.ir.fun import ArrayType, Linkage, MemType, ScalarExp
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
    ImpDim,
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
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size
from funmem.ir.text.cursor import Cursor
from funmem.ir.text.lexer import Kind
from funmem.ir.text.parse_parts import (
    SPACES,
    atom,
    comma_separated,
    condition,
    linked,
    lmad_dims,
    range_name,
    scalar_exp,
    scalar_type,
    size,
    some_shape,
    type_,
)

T = TypeVar("T")

_BLOCK_LEVELS = 2  # block and statement


def parse_imp(text: str, file: str = "<text>") -> ImpProgram:
    """Return the IMP program that a text denotes.  Raise SourceError with code ``syntax``."""
    c = Cursor(text, file)
    functions: list[ImpFunction] = []
    entries: list[ImpEntry] = []
    while not entries or c.token.kind is not Kind.END:
        if c.at("def"):
            functions.append(_function(c))
        else:
            entries.append(_entry(c))
    return ImpProgram(tuple(entries), tuple(functions))


def _function(c: Cursor) -> ImpFunction:
    start = c.next()
    name = c.name("the name of the function")
    params = _scalar_ports(c)
    at = c.span(start)
    brace = c.expect("{", "parameters look like (x : f32)")
    body = _block(c, "return")
    c.next()
    results = _scalar_ports(c)
    c.close(brace, "}", "(")
    return ImpFunction(name, params, body, results, at)


def _scalar_ports(c: Cursor) -> tuple[ScalarPort, ...]:
    ports: list[ScalarPort] = []
    while c.at("("):
        at = c.here()
        port = _port(c)
        if not isinstance(port, ScalarPort):
            raise c.mistake(at, "a function has scalars only", "(x : f32)")
        ports.append(port)
    return tuple(ports)


def _entry(c: Cursor) -> ImpEntry:
    start = c.expect("entry", "a program is a list of entries: entry f (x : i64) { … return … }")
    name = c.name("the name of the entry")
    sizes = []
    while c.at("["):
        opener = c.next()
        sizes.append(c.name())
        c.close(opener, "]")
    params = _ports(c)
    at = c.span(start)
    brace = c.expect("{", "parameters look like (m : [n]f32), sizes like [n]")
    body = _block(c, "return")
    c.next()
    results = _ports(c)
    c.close(brace, "}", "(")
    return ImpEntry(name, tuple(sizes), params, body, results, at)


def _ports(c: Cursor) -> tuple[Port, ...]:
    ports = []
    while c.at("("):
        ports.append(_port(c))
    return tuple(ports)


def _port(c: Cursor) -> Port:
    start = c.next()
    x = c.name()
    c.expect(":", "a port states a type: (m : [n]f32)")
    t = type_(c)
    c.close(start, ")")
    match t:
        case ScalarType():
            return ScalarPort(x, t)
        case ArrayType(elem, shape):
            return ArrayPort(x, elem, shape)
        case MemType():
            raise c.mistake(c.span(start), "a port is a scalar or an array", "(m : [n]f32)")


# ---------------------------------------------------------------------- statements


def _block(c: Cursor, *closers: str) -> Block:
    """Read statements up to one of the closing words, which stays unread."""
    c.enter(_BLOCK_LEVELS)
    stms = []
    while not c.at(*closers) or _at_assignment(c):
        stms.append(_stm(c, closers))
    c.leave(_BLOCK_LEVELS)
    return tuple(stms)


def _at_assignment(c: Cursor) -> bool:
    return c.at_name() and c.following.text in ("<", "[")


def _stm(c: Cursor, closers: tuple[str, ...]) -> ImpStm:
    if _at_assignment(c):
        return _write(c) if c.following.text == "[" else _assignment(c)
    match c.token.text:
        case "var":
            return _declare(c)
        case "if":
            return _if(c)
        case "for":
            return _for(c)
        case "while":
            return _while(c)
        case "kernel":
            return _kernel(c)
        case "call":
            return _call(c)
        case "opaque":
            return _opaque(c)
        case "check":
            return _check(c)
        case _:
            ends = " or ".join(f"`{w}`" for w in closers)
            raise c.unexpected(f"a statement or {ends}", _statement_hint(c))


def _statement_hint(c: Cursor) -> str:
    if c.at_name() and not c.at("fi", "done", "return"):
        return "an assignment looks like x <- y + 1;"
    return ""


def _declare(c: Cursor) -> Declare:
    start = c.next()
    x = c.name()
    c.expect(":", "a declaration looks like var x : f32;")
    at = c.here()
    t = type_(c)
    if isinstance(t, ArrayType):
        hint = "an array lives in a block: var m : mem;"
        raise c.mistake(at, "a variable is a scalar or a block", hint)
    c.expect(";")
    return Declare(x, t, c.span(start))


def _arrow(c: Cursor) -> None:
    """Read ``<-``, which is two tokens, since ``a<-b`` is a comparison."""
    first, second = c.token, c.following
    if (
        first.text != "<"
        or second.text != "-"
        or (first.line, first.end) != (second.line, second.col)
    ):
        raise c.unexpected("`<-`", "an assignment looks like x <- y + 1;")
    c.next()
    c.next()


def _assignment(c: Cursor) -> Assign | Allocate | Read:
    start = c.token
    x = c.name()
    _arrow(c)
    if c.token.text in SPACES:
        space = SPACES[c.next().text]
        bytes_ = size(c)
        c.expect(";")
        return Allocate(x, bytes_, space, c.span(start))
    if c.at_name() and c.following.text == "[":
        block, index = _element(c)
        elem = _seen_as(c)
        c.expect(";", "a read stands alone: assign it to a variable first")
        return Read(x, block, index, elem, c.span(start))
    value = _value(c)
    return Assign(x, value, c.span(start))


def _write(c: Cursor) -> Write | CopyElement:
    start = c.token
    block, index = _element(c)
    if c.at(":"):
        elem = _seen_as(c)
        _arrow(c)
        value = _value(c)
        return Write(block, index, value, elem, c.span(start))
    _arrow(c)
    if not (c.at_name() and c.following.text == "["):
        raise c.unexpected("an element", "m[i] <- k[j] : f32; moves one, m[i] : f32 <- x; writes")
    source, source_index = _element(c)
    elem = _seen_as(c)
    c.expect(";")
    return CopyElement(block, index, source, source_index, elem, c.span(start))


def _element(c: Cursor) -> tuple[Name, Size]:
    """Read ``m[size]``."""
    block = c.name("the name of a block")
    start = c.expect("[")
    index = size(c)
    c.close(start, "]")
    return block, index


def _seen_as(c: Cursor) -> ScalarType:
    c.expect(":", "an access states the type that it sees: m[i] : f32")
    return scalar_type(c)


def _value(c: Cursor) -> ScalarExp:
    value = scalar_exp(c)
    c.expect(";")
    return value


def _if(c: Cursor) -> IfStm:
    start = c.next()
    cond = condition(c, "then")
    then = _block(c, "else")
    c.next()
    orelse = _block(c, "fi")
    c.next()
    return IfStm(cond, then, orelse, c.span(start))


def _for(c: Cursor) -> ForStm:
    start = c.next()
    index, bound = range_name(c, "a loop's range")
    body = _do(c)
    return ForStm(index, bound, body, c.span(start))


def _while(c: Cursor) -> WhileStm:
    start = c.next()
    cond = c.name("the name of a variable")
    body = _do(c)
    return WhileStm(cond, body, c.span(start))


def _kernel(c: Cursor) -> KernelStm:
    start = c.next()
    dims = [ImpDim(*range_name(c, "a kernel's range"))]
    while c.accept(","):
        dims.append(ImpDim(*range_name(c, "a kernel's range")))
    body = _do(c)
    return KernelStm(tuple(dims), body, c.span(start))


def _call(c: Cursor) -> CallStm:
    start = c.next()
    results = _listed(c, lambda c: c.name("the name of a variable"))
    _arrow(c)
    fn = c.name("the name of a function")
    args = _listed(c, scalar_exp)
    linkage = linked(c)
    partial = c.accept("partial") or linkage is not Linkage.OWN
    c.expect(";", "a call looks like call (r) <- f (x, y);")
    return CallStm(results, fn, args, partial, linkage, c.span(start))


def _opaque(c: Cursor) -> OpaqueStm:
    start = c.next()
    results = _listed(c, _array_port)
    _arrow(c)
    fn = c.name("the name of a function")
    args = _listed(c, lambda c: _array_port(c) if c.at("(") else atom(c))
    grid = some_shape(c) if c.accept("grid") else ()
    c.expect(";", "foreign code looks like opaque ((r : [n]f32)) <- f (n, (x : [n]f32));")
    return OpaqueStm(results, fn, args, grid, c.span(start))


def _array_port(c: Cursor) -> ArrayPort:
    p = _port(c)
    if isinstance(p, ScalarPort):
        raise c.mistake(c.here(), f"`{p.x}` is a scalar", "an array looks like (m : [n]f32)")
    return p


def _listed(c: Cursor, item: Callable[[Cursor], T]) -> tuple[T, ...]:
    if c.at("(") and c.following.text == ")":
        c.next()
        c.next()
        return ()
    return tuple(comma_separated(c, "(", ")", item, "a call looks like call (r) <- f (x, y);"))


def _do(c: Cursor) -> Block:
    c.expect("do")
    body = _block(c, "done")
    c.next()
    return body


# ---------------------------------------------------------------------- checks

_KINDS = {kind.value: kind for kind in TrapKind}


def _check(c: Cursor) -> Check:
    start = c.next()
    cond = _condition(c)
    kind_at = c.here()
    hint = 'a check looks like check nonneg n "negative size" "message";'
    kind = _KINDS.get(c.string("the kind of the trap", hint))
    if kind is None:
        kinds = ", ".join(f'"{kind}"' for kind in _KINDS)
        raise c.mistake(kind_at, "unknown kind of trap", f"kinds are {kinds}")
    message = c.string("the message", hint)
    args = tuple(comma_separated(c, "(", ")", _arg)) if c.at("(") else ()
    c.expect(";")
    return Check(cond, kind, message, args, c.span(start))


def _arg(c: Cursor) -> Size | Shown:
    """Read a size or ``x : t``."""
    if c.at_name() and c.following.text == ":":
        x = c.name()
        c.next()
        return Shown(x, scalar_type(c))
    return size(c)


def _condition(c: Cursor) -> Condition:
    if c.at("(") and c.after_parentheses().kind is Kind.STRING:
        start = c.next()
        holds = scalar_exp(c)
        c.close(start, ")")
        return Holds(holds)
    if c.accept("nonneg"):
        return NonNegative(size(c))
    if c.accept("injective"):
        return Injective(lmad_dims(c))
    return _size_condition(c)


def _size_condition(c: Cursor) -> Condition:
    first = size(c)
    if c.accept("in"):
        return InRange(first, size(c))
    if c.accept("=="):
        return SizesEqual(first, size(c))
    if not c.accept(":"):
        hint = (
            "conditions: i in n, o : l : s inside n, injective {(n : s) …}, nonneg d, a == b, "
            "(x < y)"
        )
        raise c.unexpected("`in`, `:` or `==`", hint)
    length = size(c)
    c.expect(":", "start : length : stride inside n")
    stride = size(c)
    c.expect("inside", "start : length : stride inside n")
    return RangeInside(first, length, stride, size(c))
