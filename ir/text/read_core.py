r"""The parser of Core: ``parse_core(show_core(p)) == p``.

    program  ::= (data | foreign | def | entry)*
    data     ::= "data" name tyvar* "=" sum
    foreign  ::= ("foreign" | "effect" | "opaque") name "(" type "," … ")" ":" type
    def      ::= "def" name tyvar* ":" type "=" exp
    entry    ::= "entry" name ("[" name "]")* ("(" name ":" ["*"] type ")")* ":" type "=" exp
    type     ::= sum | arrow                    sum   ::= "#" | ctor ("|" ctor)*
    ctor     ::= "#" name tight*                arrow ::= (name tight* | tight) ["->" type]
    tight    ::= scalar | "token" | tyvar | name | "[" [size] "]" tight | "(" type "," … ")"
               | "{" label ":" type "," … "}" | "(" type ")"
    tyvar    ::= "'" name
    binder   ::= "(" name ":" type ")"          binders ::= "()" | binder*
    exp      ::= (let | assert)+ "in" exp | infix operators on operands, as in FUN
    let      ::= "let" binders "=" exp          assert ::= "assert" exp string ["(" exp, … ")"]
    operand  ::= constant | ("-" | "~" | "!") operand | phrase | atom+
    phrase   ::= "\" binders "->" exp | "mu" binder lambda | "if" exp "then" exp "else" exp
               | "match" atom "{" arm ";" … "}" | "loop" (binder "=" exp) "," … form "do" exp
               | ("foreign" | "effect") name "(" exp "," … ")" ":" tight
               | "opaque" name "(" exp "," … ")" "grid" "(" exp "," … ")" ":" tight
               | "#" name atom* ":" tight | "[" exp "," … "]" ":" tight | array operations
    arm      ::= "#" name binder* "->" exp | "_" "->" exp
    form     ::= "for" name "<" exp | "while" exp
    atom     ::= primary ("[" dim "," … "]" | "." label)*
    primary  ::= name | constant | "@" name ["[" type "," … "]"] | "(" exp ")" | "(" exp "," … ")"
               | "{" label "=" exp "," … "}" | function "(" exp "," … ")"
    dim      ::= exp | [exp] ":" [exp] [":" [exp]]

An operand of several atoms is an application.  A list in brackets may end with its separator; a
tuple of one element must.  Names in backquotes may have any characters.  Types and names are
checked by :mod:`funmem.ir.check.core`, not here.
"""

from collections.abc import Callable, Mapping

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.depth import deep
from funmem.ir.names import Name
from funmem.ir.scalars import BinOp, ScalarType, UnOp
from funmem.ir.text import read_core_parts as r
from funmem.ir.text.core_words import FUNCTIONS, LEXICON
from funmem.ir.text.cursor import Cursor
from funmem.ir.text.lexer import Kind
from funmem.ir.text.parse_parts import (
    COMPARISONS,
    INFIX,
    PREFIX,
    at_constant,
    constant,
    integer,
)

MAX_DEPTH = 2_000
"""Cap on the nesting of brackets and bodies; a chain of ``let`` or of operators is one level."""

MAX_LINKS = 5_000
"""Cap on the length of a chain: passes over Core recurse over it, a few frames per link."""


def parse_core(text: str, file: str = "<text>") -> CoreProgram:
    """Return the program that a text denotes.  Raise SourceError with code ``syntax``."""
    with deep():
        return _program(Cursor(text, file, LEXICON, MAX_DEPTH))


def _program(k: Cursor) -> CoreProgram:
    data: list[c.DataDef] = []
    defs: list[c.Def] = []
    entries: list[c.Entry] = []
    foreign: list[c.ForeignDef] = []
    while k.token.kind is not Kind.END:
        if k.at("data"):
            data.append(_data(k))
        elif k.at("def"):
            defs.append(_def(k))
        elif k.at("foreign", "effect", "opaque"):
            foreign.append(_foreign_def(k))
        elif k.at("entry"):
            entries.append(_entry(k))
        else:
            hint = "a program is a list of definitions: def f : i64 -> i64 = …"
            in_exp = k.token.text in _PHRASES and bool(entries or defs)
            raise k.unexpected(
                "`data`, `foreign`, `effect`, `def` or `entry`", _hint(k) if in_exp else hint
            )
    return CoreProgram(tuple(entries), tuple(defs), tuple(data), tuple(foreign))


# ---------------------------------------------------------------------- definitions


def _data(k: Cursor) -> c.DataDef:
    start = k.next()
    name, tparams = r.name(k, "the name of the type"), _tparams(k)
    k.expect("=", "a data type looks like data option 'a = #none | #some 'a")
    at = k.span(start)
    if not k.at("#"):
        raise k.unexpected("`#`", "a data type is a sum: #none | #some i64")
    return c.DataDef(name, tparams, r.sum_(k), at)


def _def(k: Cursor) -> c.Def:
    start = k.next()
    name, tparams = r.name(k, "the name of the definition"), _tparams(k)
    k.expect(":", "a definition states its type: def f 'a : 'a -> 'a = …")
    type_ = r.type_(k)
    k.expect("=")
    at = k.span(start)
    return c.Def(name, tparams, type_, _exp(k), at)


_FOREIGN = "a foreign function looks like foreign f (i64, f32) : f32"


def _foreign_def(k: Cursor) -> c.ForeignDef:
    start = k.next()
    name = r.name(k, "the name of the function")
    opener = k.expect("(", _FOREIGN)
    params = r.until(k, opener, ")", r.type_)
    k.expect(":", _FOREIGN)
    at = k.span(start)
    kind = start.text
    return c.ForeignDef(name, tuple(params), r.type_(k), kind == "effect", at, kind == "opaque")


def _entry(k: Cursor) -> c.Entry:
    start = k.next()
    name = r.name(k, "the name of the entry")
    sizes: list[Name] = []
    while k.at("["):
        opener = k.next()
        sizes.append(r.name(k, "the name of a size"))
        k.close(opener, "]")
    params: list[c.EntryParam] = []
    while k.at("("):
        params.append(_entry_param(k))
    k.expect(":", "an entry looks like entry f [n] (x : [n]i64) : i64 = …")
    result = r.type_(k)
    k.expect("=")
    at = k.span(start)
    return c.Entry(name, tuple(sizes), tuple(params), result, _exp(k), at)


def _entry_param(k: Cursor) -> c.EntryParam:
    opener = k.next()
    name = r.name(k)
    k.expect(":", "a parameter states its type: (x : i64)")
    unique = c.Unique.CONSUMED if k.accept("*") else c.Unique.SHARED
    binder = c.Binder(name, r.type_(k))
    k.close(opener, ")")
    return c.EntryParam(binder, unique)


def _tparams(k: Cursor) -> tuple[Name, ...]:
    names: list[Name] = []
    while k.accept("'"):
        names.append(r.name(k, "the name of a type variable"))
    return tuple(names)


# ---------------------------------------------------------------------- expressions


def _exp(k: Cursor) -> Exp:
    """Read an expression, with the chain of ``let`` and ``assert`` before it."""
    k.enter()
    links: list[Callable[[Exp], Exp]] = []
    while k.at("let", "assert"):
        links.append(_let(k) if k.at("let") else _assert(k))
        if k.at("let", "assert"):
            continue
        if not k.accept("in"):
            raise k.unexpected("`let`, `assert` or `in`", "a chain ends with its value: in x")
    e = _infix(k, 0)
    for link in reversed(links):
        e = link(e)
    k.leave()
    return e


def _let(k: Cursor) -> Callable[[Exp], Exp]:
    start = k.next()
    binders = r.binders(k)
    k.expect("=", "a binding looks like let (x : i64) = 1")
    at = k.span(start)
    exp = _exp(k)
    return lambda body: c.Let(binders, exp, body, at)


def _assert(k: Cursor) -> Callable[[Exp], Exp]:
    start = k.next()
    cond = _exp(k)
    message = k.string("the message", 'an assertion looks like assert c "message"')
    values = _several(k, "values") if k.at("(") else ()
    at = k.span(start)
    return lambda body: c.Assert(cond, message, values, body, at)


def _infix(k: Cursor, loosest: int) -> Exp:
    """Read operators at least as tight as ``loosest``."""
    first, links = k.token, 0
    left = _operand(k)
    while (infix := INFIX.get(k.token.text)) is not None and infix.level >= loosest:
        links = _longer(k, links)
        op = k.next()
        k.enter()
        right = _infix(k, infix.right)
        k.leave()
        left = c.Bin(infix.op, left, right, k.span(first))
        if op.text in COMPARISONS and k.at(*COMPARISONS):
            raise k.mistake(k.here(), "comparisons do not associate", "use parentheses or `&&`")
    return left


def _longer(k: Cursor, links: int) -> int:
    """Return the length of a chain with one more link."""
    if links > MAX_LINKS:
        message = f"a chain of more than {MAX_LINKS} parts"
        raise k.mistake(k.here(), message, "name some with `let`")
    return links + 1


def _operand(k: Cursor) -> Exp:
    start = k.token
    if at_constant(k):
        return _constant(k) if k.at("-") else _application(k)
    if k.at(*PREFIX):
        k.next()
        k.enter()
        a = _operand(k)
        k.leave()
        return c.Un(PREFIX[start.text], a, k.span(start))
    if (phrase := _PHRASES.get(start.text)) is not None:
        k.enter()
        e = phrase(k)
        k.leave()
        return e
    return _application(k)


def _application(k: Cursor) -> Exp:
    start = k.token
    fn = _atom(k)
    args = _atoms(k)
    return c.App(fn, args, k.span(start)) if args else fn


def _atoms(k: Cursor) -> tuple[Exp, ...]:
    atoms: list[Exp] = []
    while _at_atom(k):
        atoms.append(_atom(k))
    return tuple(atoms)


def _at_atom(k: Cursor) -> bool:
    if k.at("(", "{", "@") or k.at_name() or k.token.text in FUNCTIONS:
        return True
    return not k.at("-") and at_constant(k)


def _atom(k: Cursor) -> Exp:
    """Read an expression that needs no parentheses as an argument."""
    start, links = k.token, 0
    e = _primary(k)
    while True:
        links = _longer(k, links)
        if k.at("["):
            opener = k.next()
            e = c.Index(e, tuple(r.until(k, opener, "]", _dim)), k.span(start))
        elif k.accept("."):
            e = c.Project(e, r.label(k), k.span(start))
        else:
            return e


def _primary(k: Cursor) -> Exp:
    start = k.token
    if k.at_name():
        return c.Var(k.name(), k.span(start))
    if at_constant(k) and not k.at("-"):
        return _constant(k)
    if k.accept("@"):
        name = r.name(k, "the name of a definition")
        types: tuple[Type, ...] = ()
        if k.at("["):
            opener = k.next()
            types = tuple(r.until(k, opener, "]", r.type_))
        return c.Global(name, types, k.span(start))
    if k.at("("):
        opener = k.next()
        items, comma = r.group(k, opener, _exp)
        return items[0] if items and not comma else c.tuple_exp(*items, at=k.span(start))
    if k.at("{"):
        opener = k.next()
        return c.Fields(tuple(r.until(k, opener, "}", _field)), k.span(start))
    if k.token.text in FUNCTIONS:
        return _function(k)
    raise k.unexpected("an expression", _hint(k))


def _hint(k: Cursor) -> str:
    """Return a hint on the probable mistake where an operand should begin."""
    word = k.token.text
    if word in _PHRASES:
        return f"an operand that begins with `{word}` stands in parentheses"
    if k.token.kind is Kind.WORD:
        return f"`{word}` is a reserved word; in backquotes it is a name"
    return "equality is written ==" if word == "=" else ""


def _field(k: Cursor) -> tuple[str, Exp]:
    label = r.label(k)
    k.expect("=", "a record looks like {x = 1, y = 2}")
    return label, _exp(k)


def _constant(k: Cursor) -> c.Const:
    start = k.token
    const = constant(k)
    return c.Const(const.value, const.type, k.span(start))


def _function(k: Cursor) -> Exp:
    """Read ``f(a)`` or ``f(a, b)``."""
    start = k.next()
    function = FUNCTIONS[start.text]
    opener = k.expect("(", f"an operation looks like {start.text}(x)")
    args = r.until(k, opener, ")", _exp)
    at = k.span(start)
    count = 2 if isinstance(function, BinOp) else 1
    if len(args) != count:
        message = f"expected {count} argument{'s' * (count > 1)}, found {len(args)}"
        raise k.mistake(k.span(opener), message)
    match function:
        case ScalarType():
            return c.Convert(function, args[0], at)
        case UnOp():
            return c.Un(function, args[0], at)
        case BinOp():
            return c.Bin(function, args[0], args[1], at)


def _dim(k: Cursor) -> c.Dim:
    def bound() -> Exp | None:
        return None if k.at(":", ",", "]") else _exp(k)

    lo = bound()
    if not k.accept(":"):
        if lo is None:
            raise k.unexpected("an index or a slice", "a slice looks like [lo:hi:step]")
        return c.Fix(lo)
    hi = bound()
    return c.Range(lo, hi, bound() if k.accept(":") else None)


# ---------------------------------------------------------------------- functions, control, sums


def _lambda(k: Cursor) -> c.Lambda:
    start = k.expect("\\", "a function looks like \\(x : i64) -> x")
    params = r.binders(k)
    k.expect("->", "a function looks like \\(x : i64) -> x")
    at = k.span(start)
    return c.Lambda(params, _exp(k), at)


def _mu(k: Cursor) -> c.Mu:
    start = k.next()
    binder = r.binder(k)
    at = k.span(start)
    return c.Mu(binder, _lambda(k), at)


def _if(k: Cursor) -> c.If:
    start = k.next()
    cond = _exp(k)
    k.expect("then")
    at = k.span(start)
    then = _exp(k)
    k.expect("else", "every `if` has an `else`")
    return c.If(cond, then, _exp(k), at)


def _match(k: Cursor) -> c.Match:
    start = k.next()
    exp = _atom_of(k, "match")
    at = k.span(start)
    opener = k.expect("{", "a match looks like match x { #none -> 0; #some (y : i64) -> y }")
    k.enter()
    arms: list[c.Arm] = []
    while k.at("#"):
        arms.append(_arm(k))
        if not k.accept(";"):
            break
    default = None
    if k.at("_"):
        k.next()
        k.expect("->")
        default = _exp(k)
        k.accept(";")
    k.leave()
    k.close(opener, "}", ";")
    return c.Match(exp, tuple(arms), default, at)


def _arm(k: Cursor) -> c.Arm:
    k.next()
    name = r.name(k, "the name of a constructor")
    binders = r.binders(k)
    k.expect("->", "an arm looks like #some (x : i64) -> x")
    return c.Arm(name, binders, _exp(k))


def _loop(k: Cursor) -> c.Loop:
    start = k.next()
    params: list[c.Binder] = []
    init: list[Exp] = []
    while k.at("("):
        params.append(r.binder(k))
        k.expect("=", "a loop parameter has an initial value: (x : i64) = 0")
        init.append(_exp(k))
        if not k.accept(","):
            break
    form = _form(k)
    k.expect("do")
    at = k.span(start)
    return c.Loop(tuple(params), tuple(init), form, _exp(k), at)


def _form(k: Cursor) -> c.For | c.While:
    if k.accept("for"):
        index = r.name(k, "a name for the index")
        k.expect("<", "a loop's range looks like i < n")
        return c.For(index, _exp(k))
    if k.accept("while"):
        return c.While(_exp(k))
    hint = "a loop looks like loop (x : i64) = 0 for i < n do x + 1"
    raise k.unexpected("`,`, `for` or `while`", hint)


def _construct(k: Cursor) -> c.Construct:
    start = k.next()
    name = r.name(k, "the name of a constructor")
    args = _atoms(k)
    k.expect(":", "a constructor states its type: #some 1 : (#none | #some i64)")
    opener = k.token
    t = r.tight(k)
    if not isinstance(t, c.Sum | c.Data):
        raise k.mistake(
            k.span(opener), "expected a sum or a data type", "sums stand in parentheses"
        )
    return c.Construct(name, args, t, k.span(start))


def _foreign(k: Cursor) -> c.Foreign:
    start = k.next()
    name = r.name(k, "the name of the function")
    args = _several(k, "arguments")
    grid = None
    if start.text == "opaque":
        k.expect("grid", "foreign code on arrays states its grid: opaque f (x) grid (n) : [n]f32")
        grid = _several(k, "the sizes of the grid")
    k.expect(":", "a foreign call states its type: foreign f (x) : f32")
    t = r.tight(k)
    return c.Foreign(name, args, t, start.text == "effect", k.span(start), grid)


# ---------------------------------------------------------------------- array operations


def _several(k: Cursor, what: str) -> tuple[Exp, ...]:
    """Read ``(exp, …, exp)``, the operands of an array operation."""
    opener = k.expect("(", f"{what} stand in parentheses: (x, y)")
    return tuple(r.until(k, opener, ")", _exp))


def _literal(k: Cursor) -> c.ArrayLit:
    start = k.next()
    elems = r.until(k, start, "]", _exp)
    k.expect(":", "a literal states the type of its elements: [1, 2] : i64")
    return c.ArrayLit(tuple(elems), r.tight(k), k.span(start))


def _atom_of(k: Cursor, word: str) -> Exp:
    """Read an operand of an operation."""
    if not _at_atom(k):
        raise k.unexpected("an operand", _hint(k) or f"an operand of `{word}` is missing")
    return _atom(k)


def _operands(word: str, count: int, make: Callable[..., Exp]) -> Callable[[Cursor], Exp]:
    """Return the reader of an operation on ``count`` atoms."""

    def read(k: Cursor) -> Exp:
        start = k.next()
        args = [_atom_of(k, word) for _ in range(count)]
        return make(*args, at=k.span(start))

    return read


def _length(k: Cursor) -> c.Length:
    start = k.next()
    dim = integer(k, "a dimension")
    return c.Length(_atom_of(k, "size"), dim, k.span(start))


def _flat_slice(k: Cursor) -> c.FlatSlice:
    start = k.next()
    array, offset = _atom_of(k, start.text), _atom_of(k, start.text)
    dims: list[tuple[Exp, Exp]] = []
    while k.at("("):
        first = k.token
        pair = _several(k, "a length and a stride")
        if len(pair) != 2:
            message = f"expected a length and a stride, found {len(pair)} expressions"
            raise k.mistake(k.span(first), message)
        dims.append((pair[0], pair[1]))
    return c.FlatSlice(array, offset, tuple(dims), k.span(start))


def _coerce(k: Cursor) -> c.Coerce:
    start = k.next()
    first = k.token
    t = r.tight(k)
    if not isinstance(t, c.Array):
        raise k.mistake(k.span(first), "expected an array type", "a coercion is to a shape")
    message = k.string("the message", 'a coercion looks like coerce [n]i64 "message" xs')
    return c.Coerce(_atom_of(k, "coerce"), t, message, k.span(start))


def _scratch(k: Cursor) -> c.Scratch:
    start = k.next()
    elem = r.tight(k)
    return c.Scratch(_atom_of(k, "scratch"), elem, k.span(start))


def _concat(k: Cursor) -> c.Concat:
    start = k.next()
    arrays = (_atom_of(k, "concat"), *_atoms(k))
    return c.Concat(arrays, k.span(start))


def _rearrange(k: Cursor) -> c.Rearrange:
    start = k.next()
    opener = k.expect("(", "a permutation looks like rearrange (1, 0) x")
    perm = r.until(k, opener, ")", lambda k: integer(k, "a dimension"))
    return c.Rearrange(tuple(perm), _atom_of(k, "rearrange"), k.span(start))


def _flatten(k: Cursor) -> c.Flatten:
    start = k.next()
    rank = integer(k, "a number of dimensions")
    return c.Flatten(rank, _atom_of(k, "flatten"), k.span(start))


def _unflatten(k: Cursor) -> c.Unflatten:
    start = k.next()
    sizes = _several(k, "sizes")
    return c.Unflatten(sizes, _atom_of(k, "unflatten"), k.span(start))


def _zip(k: Cursor) -> c.Zip:
    start = k.next()
    first = k.token
    arrays = _atom_of(k, "zip")
    if not isinstance(arrays, c.Fields):
        message = "expected a record of arrays"
        raise k.mistake(k.span(first), message, "zip takes (xs, ys) or {x = xs, y = ys}")
    return c.Zip(arrays.fields, k.span(start))


def _update(k: Cursor) -> c.Update:
    start = k.next()
    opener = k.expect("[", "an update looks like update [i] xs v")
    dims = r.until(k, opener, "]", _dim)
    array, value = _atom_of(k, "update"), _atom_of(k, "update")
    return c.Update(array, tuple(dims), value, k.span(start))


def _flat_update(k: Cursor) -> c.FlatUpdate:
    start = k.next()
    array, offset = _atom_of(k, start.text), _atom_of(k, start.text)
    strides = _several(k, "strides")
    return c.FlatUpdate(array, offset, strides, _atom_of(k, start.text), k.span(start))


def _map(k: Cursor) -> c.Map:
    start = k.next()
    fn = _atom_of(k, "map")
    return c.Map(fn, _several(k, "arrays"), k.span(start))


def _reduce(k: Cursor) -> c.Reduce:
    start = k.next()
    comm = k.accept("comm")
    op = _atom_of(k, "reduce")
    ne, arrays = _several(k, "neutral elements"), _several(k, "arrays")
    return c.Reduce(op, ne, arrays, comm, k.span(start))


def _segmented(k: Cursor) -> c.Segmented:
    start = k.next()
    op: c.Exp | None = None
    ne: tuple[c.Exp, ...] = ()
    each = k.accept("scan")
    folds = each or k.accept("reduce")
    comm = folds and not each and k.accept("comm")
    if folds:
        op, ne = _atom_of(k, "segmented"), _several(k, "neutral elements")
    fn, offsets, total = (_atom_of(k, "segmented") for _ in range(3))
    return c.Segmented(fn, offsets, total, op, ne, each, comm, k.span(start))


def _scan(k: Cursor) -> c.Scan:
    start = k.next()
    op = _atom_of(k, "scan")
    ne, arrays = _several(k, "neutral elements"), _several(k, "arrays")
    return c.Scan(op, ne, arrays, k.span(start))


def _hist(k: Cursor) -> c.Hist:
    start = k.next()
    op = _atom_of(k, "hist")
    ne, dest = _several(k, "neutral elements"), _several(k, "destinations")
    indices = _atom_of(k, "hist")
    return c.Hist(op, ne, dest, indices, _several(k, "arrays"), k.span(start))


_PHRASES: Mapping[str, Callable[[Cursor], Exp]] = {
    "\\": _lambda,
    "mu": _mu,
    "if": _if,
    "match": _match,
    "loop": _loop,
    "opaque": _foreign,
    "foreign": _foreign,
    "effect": _foreign,
    "#": _construct,
    "[": _literal,
    "size": _length,
    "flat_slice": _flat_slice,
    "coerce": _coerce,
    "iota": _operands("iota", 3, c.Iota),
    "replicate": _operands("replicate", 2, c.Replicate),
    "scratch": _scratch,
    "copy": _operands("copy", 1, c.Copy),
    "concat": _concat,
    "rearrange": _rearrange,
    "reverse": _operands("reverse", 1, c.Reverse),
    "flatten": _flatten,
    "unflatten": _unflatten,
    "zip": _zip,
    "unzip": _operands("unzip", 1, c.Unzip),
    "update": _update,
    "flat_update": _flat_update,
    "scatter": _operands("scatter", 3, c.Scatter),
    "map": _map,
    "reduce": _reduce,
    "scan": _scan,
    "hist": _hist,
    "filter": _operands("filter", 2, c.Filter),
    "segmented": _segmented,
    "equal": _operands("equal", 2, c.Equal),
}
"""The first symbol or word of a phrase -> the function that reads it."""
