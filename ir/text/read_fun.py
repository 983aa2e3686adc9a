"""The parser of FUN and FUNMEM, which differ only in annotations.

    program   ::= (def | entry)+, at least one entry
    def       ::= "def" name binder* "->" binder* "=" body
    entry     ::= "entry" name implicit* param* "->" implicit* binder* "=" body
    body      ::= stm* "in" "(" [atom ("," atom)*] ")"
    stm       ::= "let" binder* "=" exp | "assert" atom string
    exp       ::= "call" name "(" [atom ("," atom)*] ")" ["partial" | "foreign" | "effect"]
                | "opaque" name "(" [atom ("," atom)*] ")" ["grid" shape]
                | see _HEADS, _bracketed and scalar_exp

Names, types and homes are checked by the type checker, not here.
"""

from collections.abc import Callable, Mapping

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    Assert,
    Atom,
    Binder,
    Body,
    Call,
    Collective,
    Concat,
    Copy,
    Entry,
    Exp,
    FlatSlice,
    For,
    Function,
    Hist,
    Home,
    If,
    Index,
    Iota,
    Kernel,
    KernelDim,
    Lambda,
    Linkage,
    Loop,
    LoopParam,
    Map,
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
    Update,
    While,
)
from funmem.ir.lmad import DimFix, Lmad
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.text.cursor import BODY_LEVELS, Cursor
from funmem.ir.text.lexer import Kind
from funmem.ir.text.parse_parts import (
    INFIX,
    SPACES,
    atom,
    comma_separated,
    condition,
    integer,
    linked,
    lmad,
    mem_type,
    range_name,
    scalar_exp,
    scalar_type,
    shape,
    size,
    slice_dims,
    some_shape,
    type_,
)


def parse_fun(text: str, file: str = "<text>") -> Program[Ann]:
    """Return the program that a text denotes.  Raise SourceError with code ``syntax``."""
    c = Cursor(text, file)
    functions: list[Function] = []
    entries: list[Entry[Ann]] = []
    while not entries or c.token.kind is not Kind.END:
        if c.at("def"):
            functions.append(_function(c))
        else:
            entries.append(_entry(c))
    return Program(tuple(entries), tuple(functions))


# ---------------------------------------------------------------------- entries and binders


def _function(c: Cursor) -> Function:
    start = c.next()
    name = c.name("the name of the function")
    params = _binders(c)
    c.expect("->", "parameters look like (x : f32)")
    results = _binders(c)
    c.expect("=", "results look like (r : f32)")
    at = c.span(start)
    # A home here is an error of the type checker's (T-FUNCTION), not of the grammar.
    return Function(name, params, results, _body(c), at)


def _entry(c: Cursor) -> Entry[Ann]:
    start = c.expect("entry", "a program is a list of entries: entry f (x : i64) -> (y : i64) = …")
    name = c.name("the name of the entry")
    implicit = _implicits(c)
    params = []
    while c.at("("):
        params.append(Param(*_binder(c)))
    c.expect("->", "parameters look like (x : [n]f32), sizes like [n]")
    implicit_results = _implicits(c)
    results = _binders(c)
    c.expect("=", "results look like (r : [k]f32)")
    at = c.span(start)
    return Entry(name, implicit, tuple(params), implicit_results, results, _body(c), at)


def _implicits(c: Cursor) -> tuple[Binder[Ann], ...]:
    """Read any number of ``[n]``, an i64, or ``[m : mem]``."""
    implicits: list[Binder[Ann]] = []
    while c.at("["):
        start = c.next()
        name = c.name()
        t = mem_type(c) if c.accept(":") else I64
        c.close(start, "]", ":")
        implicits.append(Binder(name, t, None, c.span(start)))
    return tuple(implicits)


def _binder(c: Cursor) -> tuple[Binder[Ann], bool]:
    """Read ``(x : type)`` or ``(x : *type @ m -> lmad)``; also return True if it has a ``*``."""
    start = c.expect("(")
    name = c.name()
    c.expect(":", "a binder states its type: (x : i64)")
    unique = c.accept("*")
    t = type_(c)
    home = None
    if c.accept("@"):
        block = c.name("the name of a block")
        c.expect("->", "a home looks like @ m -> 0 + {(n : 1)}")
        home = Home(block, lmad(c))
    c.close(start, ")", "@")
    return Binder(name, t, home, c.span(start)), unique


def _binders(c: Cursor) -> tuple[Binder[Ann], ...]:
    binders = []
    while c.at("("):
        start = c.token
        binder, unique = _binder(c)
        if unique:
            raise c.mistake(c.span(start), "only a parameter can be unique", "remove the `*`")
        binders.append(binder)
    return tuple(binders)


# ---------------------------------------------------------------------- bodies and statements


def _body(c: Cursor) -> Body[Ann]:
    c.enter(BODY_LEVELS)
    stms = []
    while c.at("let", "assert"):
        stms.append(_stm(c))
    start = c.token
    if not c.accept("in"):
        raise c.unexpected("`let`, `assert` or `in`", _missing_in_hint(c))
    result = _atoms(c)
    c.leave(BODY_LEVELS)
    return Body(tuple(stms), result, c.span(start))


def _missing_in_hint(c: Cursor) -> str:
    """Return a hint on the probable mistake where a statement or ``in`` should begin."""
    if c.token.text in INFIX or c.at("["):
        return "an array expression stands alone in a statement: name its result with `let`"
    if c.at(")", "]", "}"):
        return f"no bracket is open that `{c.token.text}` could close"
    if c.at("="):
        return "equality is written =="
    return "a body ends with its results: in (x, y)"


def _atoms(c: Cursor, hint: str = "results stand in parentheses: in (x, y)") -> tuple[Atom, ...]:
    """Read ``(atom, …)``, possibly empty."""
    if not c.at("("):
        raise c.unexpected("`(`", hint)
    if c.following.text == ")":
        c.next()
        c.next()
        return ()
    return tuple(comma_separated(c, "(", ")", atom))


def _stm(c: Cursor) -> Stm[Ann]:
    start = c.token
    if c.accept("assert"):
        cond = atom(c)
        message = c.string("the message", 'an assertion looks like assert c "message"')
        values = tuple(comma_separated(c, "(", ")", atom)) if c.at("(") else ()
        return Stm((), Assert(cond, message, values), c.span(start))
    c.expect("let")
    pattern = _binders(c)
    c.expect("=", "a statement looks like let (x : i64) = y + 1")
    return Stm(pattern, _exp(c), c.span(start))


# ---------------------------------------------------------------------- expressions


def _exp(c: Cursor) -> Exp[Ann]:
    head = _HEADS.get(c.token.text)
    if head is not None:
        return head(c)
    if c.at("["):
        return _literal(c)
    if c.at_name() and c.following.text in ("[", "with"):
        return _bracketed(c)
    return scalar_exp(c)


def _bracketed(c: Cursor) -> Exp[Ann]:
    """Read ``x[i, j]``, ``x[o : n : s, i]``, ``x with [i] = a`` or ``x with flat [L] = a``."""
    x = c.name()
    if c.accept("with"):
        where = _flat_part(c) if c.accept("flat") else slice_dims(c)
        c.expect("=", "an update looks like x with [i] = a")
        return Update(x, where, atom(c))
    dims = slice_dims(c)
    index = tuple(d.at for d in dims if isinstance(d, DimFix))
    return Index(x, index) if len(index) == len(dims) else Slice(x, dims)


def _literal(c: Cursor) -> ArrayLit:
    elems: tuple[Atom, ...] = ()
    if c.following.text == "]":
        c.next()
        c.next()
    else:
        elems = tuple(comma_separated(c, "[", "]", atom))
    c.expect(":", "a literal states the type of its elements: [1, 2] : i64")
    row = shape(c)
    return ArrayLit(elems, scalar_type(c), row)


def _call(c: Cursor) -> Call:
    c.next()
    fn = c.name("the name of a function")
    args = _atoms(c, "arguments stand in parentheses: call f (x, y)")
    linkage = linked(c)
    return Call(fn, args, c.accept("partial") or linkage is not Linkage.OWN, linkage)


def _opaque(c: Cursor) -> Opaque:
    c.next()
    fn = c.name("the name of a function")
    args = _atoms(c, "arguments stand in parentheses: opaque f (x, y)")
    return Opaque(fn, args, some_shape(c) if c.accept("grid") else ())


def _permute(c: Cursor) -> Permute:
    c.next()
    perm = comma_separated(c, "(", ")", _dimension, "a permutation looks like permute (1, 0) x")
    return Permute(tuple(perm), _array(c))


def _reshape(c: Cursor) -> Reshape:
    c.next()
    return Reshape(some_shape(c), _array(c))


def _reverse(c: Cursor) -> Reverse:
    c.next()
    return Reverse(_dimension(c), _array(c))


def _flat(c: Cursor) -> FlatSlice:
    c.next()
    x = _array(c)
    ix = _flat_part(c)
    return FlatSlice(x, ix.offset, ix.dims)


def _flat_part(c: Cursor) -> Lmad:
    start = c.expect("[", "an LMAD slice looks like flat x[0 + {(n : 2)}]")
    ix = lmad(c)
    c.close(start, "]")
    return ix


def _iota(c: Cursor) -> Iota:
    c.next()
    start = c.expect("[", "iota [n] start stride")
    n = size(c)
    c.close(start, "]")
    return Iota(n, atom(c), atom(c))


def _replicate(c: Cursor) -> Replicate:
    c.next()
    return Replicate(some_shape(c), atom(c))


def _copy(c: Cursor) -> Copy:
    c.next()
    return Copy(_array(c))


def _concat(c: Cursor) -> Concat:
    c.next()
    dim = _dimension(c)
    xs = [_array(c)]
    while c.at_name():
        xs.append(_array(c))
    return Concat(dim, tuple(xs))


def _scratch(c: Cursor) -> Scratch:
    c.next()
    return Scratch(some_shape(c), scalar_type(c))


def _scatter(c: Cursor) -> Scatter:
    c.next()
    return Scatter(_array(c), _array(c), _array(c))


def _alloc(c: Cursor) -> Alloc:
    space = SPACES[c.next().text]
    return Alloc(size(c), space)


def _dimension(c: Cursor) -> int:
    return integer(c, "a dimension")


def _array(c: Cursor) -> Name:
    return c.name("the name of an array")


# ---------------------------------------------------------------------- control and parallelism


def _if(c: Cursor) -> If[Ann]:
    c.next()
    cond = condition(c, "then")
    then = _body(c)
    c.expect("else", "every `if` has an `else`")
    return If(cond, then, _body(c))


def _loop(c: Cursor) -> Loop[Ann]:
    c.next()
    params = []
    if c.at("("):
        params.append(_loop_param(c))
        while c.accept(","):
            params.append(_loop_param(c))
    form = _form(c)
    c.expect("do")
    return Loop(tuple(params), form, _body(c))


def _loop_param(c: Cursor) -> LoopParam[Ann]:
    binder, unique = _binder(c)
    c.expect("=", "a loop parameter has an initial value: (x : i64) = 0")
    return LoopParam(binder, atom(c), unique)


def _form(c: Cursor) -> For | While:
    if c.accept("for"):
        return For(*range_name(c, "a loop's range"))
    if c.accept("while"):
        return While(c.name("the name of a loop parameter"))
    raise c.unexpected(
        "`,`, `for` or `while`", "a loop looks like loop (x : i64) = 0 for i < n do …"
    )


def _kernel(c: Cursor) -> Kernel[Ann] | RaggedKernel[Ann]:
    c.next()
    dims = [_kernel_dim(c)]
    while c.accept(","):
        if len(dims) == 1 and c.following.text == "in":
            return _ragged_kernel(c, dims[0])
        dims.append(_kernel_dim(c))
    collective = _collective(c)
    if not c.accept("do"):
        is_map = isinstance(collective, Map)
        raise c.unexpected("`,`, `reduce`, `scan`, `hist` or `do`" if is_map else "`do`")
    return Kernel(tuple(dims), collective, _body(c))


def _ragged_kernel(c: Cursor, row: KernelDim) -> RaggedKernel[Ann]:
    index = c.name("the index of an element")
    c.expect("in")
    offsets = c.name("the offsets of the rows")
    c.expect(":", "the number of elements follows: kernel i < n, k in offs : m do …")
    total = size(c)
    at = c.here()
    collective = _collective(c)
    if isinstance(collective, Hist):
        raise c.mistake(at, "a histogram has no rows", "write kernel k < m hist …")
    if not c.accept("do"):
        is_map = isinstance(collective, Map)
        raise c.unexpected("`reduce`, `scan` or `do`" if is_map else "`do`")
    return RaggedKernel(row, index, offsets, total, collective, _body(c))


def _kernel_dim(c: Cursor) -> KernelDim:
    return KernelDim(*range_name(c, "a kernel's range"))


def _collective(c: Cursor) -> Collective[Ann]:
    if c.accept("reduce"):
        commutative = c.accept("comm")
        return Reduce(_lambda(c), _neutral(c), commutative)
    if c.accept("scan"):
        return Scan(_lambda(c), _neutral(c))
    if c.accept("hist"):
        dest = comma_separated(c, "(", ")", _array)
        return Hist(tuple(dest), _lambda(c), _neutral(c))
    return Map()


def _lambda(c: Cursor) -> Lambda[Ann]:
    hint = "an operator looks like (\\(a : f32) (b : f32) -> let … in (c))"
    start = c.expect("(", hint)
    c.expect("\\", hint)
    if not c.at("("):
        raise c.unexpected("`(`", hint)
    params = _binders(c)
    c.expect("->", hint)
    body = _body(c)
    c.close(start, ")")
    return Lambda(params, body)


def _neutral(c: Cursor) -> tuple[Atom, ...]:
    if not c.at("("):
        raise c.unexpected("`(`", "the operator is followed by its neutral elements: (0.0f32)")
    return tuple(comma_separated(c, "(", ")", atom))


_HEADS: Mapping[str, Callable[[Cursor], Exp[Ann]]] = {
    "call": _call,
    "opaque": _opaque,
    "permute": _permute,
    "reshape": _reshape,
    "reverse": _reverse,
    "flat": _flat,
    "iota": _iota,
    "replicate": _replicate,
    "copy": _copy,
    "concat": _concat,
    "scratch": _scratch,
    "scatter": _scatter,
    "kernel": _kernel,
    "if": _if,
    "loop": _loop,
    **dict.fromkeys(SPACES, _alloc),
}
"""The first word of an expression -> the function that reads it."""
