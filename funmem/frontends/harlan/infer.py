"""Hindley-Milner inference, with generalisation by strongly connected components.

    infer(program) = what elaboration needs to know: the type of each expression and variable, the
                     type schemes of definitions, and the instance at each use

One function judges expressions, with one arm for each form.  Types, regions and effects are
inferred together (types.py); a definition is generalised over all three.
"""

from collections.abc import Sequence

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.context import Context
from funmem.frontends.harlan.errors import Code, fail
from funmem.frontends.harlan.intrinsics import INTRINSICS
from funmem.frontends.harlan.types import (
    CHAR,
    CHAR_TYPE,
    IO,
    PTR_TYPE,
    STR,
    STR_TYPE,
    VEC_TYPE,
    VOID,
    Datatype,
)
from funmem.frontends.harlan.typing import Typing
from funmem.frontends.harlan.walk import components
from funmem.frontends.inference.types import Hidden, Meta, Opaque, Type
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, F32, I32, U64, BinOp, ScalarType

_INTS = frozenset([I32, U64])
_BITS = (BinOp.SHL, BinOp.SHR, BinOp.OR, BinOp.XOR, BinOp.AND)
_ORDER = (BinOp.LT, BinOp.LE, BinOp.GT, BinOp.GE)


def infer(program: ast.Program, float_: ScalarType = F32) -> Typing:
    """Return the tables of a valid program.  Raises SourceError."""
    cx = Context(expression, float_)
    cx.declared.define(program.datatypes)
    for group in components(program.defines):
        cx.begin(group)
        for d in group:
            _define(cx, d)
        cx.generalise(group)
    return cx.close(program)


def _define(cx: Context, d: ast.Define) -> None:
    *_, result, effect = cx.monotypes[d].args
    with cx.code(effect):
        found = expression(cx, d.exp)
    cx.same(d.at, found, result, f"the value of `{d.name}`")


def expression(cx: Context, e: ast.Exp) -> Type:
    """Return the type of an expression, and note it in the table.  Raises SourceError."""
    t = cx.types[e] = _expression(cx, e)
    return t


def _expression(cx: Context, e: ast.Exp) -> Type:
    match e:
        case ast.Var(local):
            return cx.bound[local]
        case ast.Number():
            return _number(cx, e)
        case ast.Bool():
            return BOOL
        case ast.Char():
            return CHAR
        case ast.Str():
            return STR
        case ast.Bin():
            return _bin(cx, e)
        case ast.Intrinsic(name, args):
            params, result = INTRINSICS[name]
            for k, (arg, p) in enumerate(zip(args, params, strict=True)):
                _operand(cx, arg, _simple(cx, p, e.at), f"operand {k + 1} of `{name[1:]}`")
            return _simple(cx, result, e.at)
        case ast.If():
            return _if(cx, e)
        case ast.Begin(parts):
            return [expression(cx, x) for x in parts][-1]
        case ast.Let(bindings, body):
            for x, value in bindings:
                cx.bound[x] = expression(cx, value)
            return expression(cx, body)
        case ast.While(cond, body):
            _operand(cx, cond, BOOL, "the condition")
            expression(cx, body)
            return VOID
        case ast.For():
            return _for(cx, e)
        case ast.Match():
            return _match(cx, e)
        case ast.Lambda():
            return _lambda(cx, e)
        case ast.Apply():
            return _apply(cx, e)
        case ast.Call():
            return _call(cx, e)
        case ast.Construct():
            return _construct(cx, e)
        case ast.SetVar(local, value):
            _operand(cx, value, cx.bound[local], f"the new value of `{local.name}`")
            return VOID
        case ast.SetElem(vector, index, value):
            elem = _element(cx, vector, index, e.at)
            _operand(cx, value, elem, "the new element")
            return VOID
        case ast.Print():
            return _print(cx, e)
        case ast.Assert(cond):
            _operand(cx, cond, BOOL, "what `assert` checks")
            return VOID
        case ast.Error():
            return cx.fresh(e.at)
        case ast.LetRegion():
            return _let_region(cx, e)
        case ast.Cast():
            return _cast(cx, e)
        case ast.VectorOf(elems, region, at):
            elem = cx.fresh(at)
            for k, element in enumerate(elems):
                _operand(cx, element, elem, f"element {k} of the vector")
            return _vec(elem, cx.region(region, at))
        case ast.Iota(count, region, at):
            _operand(cx, count, I32, "the length of `iota`")
            return _vec(I32, cx.region(region, at))
        case ast.Length(vector, at):
            _operand(cx, vector, _vec(cx.fresh(at), cx.fresh(at)), "the operand of `length`")
            return I32
        case ast.VectorRef(vector, index, at):
            return _element(cx, vector, index, at)
        case ast.Reinterpret(exp, elem, at):
            return _reinterpret(cx, exp, elem, at)
        case ast.Kernel():
            return _kernel(cx, e)
        case ast.Fold():
            return _fold(cx, e)


def _operand(cx: Context, e: ast.Exp, expected: Type, what: str) -> None:
    cx.same(e.at, expression(cx, e), expected, what)


def _simple(cx: Context, text: str, at: Span) -> Type:
    """Return a type of the table of intrinsics."""
    if text.startswith("vec "):
        return _vec(_simple(cx, text[4:], at), cx.fresh(at))
    return cx.declared.of(ast.Named(text, at), cx.regions(at))


def _vec(elem: Type, region: Type) -> Opaque:
    return Opaque(VEC_TYPE, (elem, region))


def _number(cx: Context, e: ast.Number) -> Type:
    if e.fractional:
        return cx.float
    value = int(e.text) if len(e.text) < 30 else 1 << 64
    if value >= 1 << 64:
        fail(e.at, Code.TYPE, "this number is too large", "an u64 is below 2^64")
    options = frozenset([U64, cx.float]) if value >= 1 << 32 else cx.declared.numbers
    return cx.solver.one_of(options, f"the number `{e.text}`", e.at)


def _bin(cx: Context, e: ast.Bin) -> Type:
    if e.op is BinOp.EQ:
        first, second = expression(cx, e.a), expression(cx, e.b)
        _compared(cx, e.b.at, second, first)
        cx.declared.comparable(e.at, first)
        return BOOL
    options = _INTS if e.op in _BITS else cx.declared.numbers
    t = cx.solver.one_of(options, f"an operand of `{e.text}`", e.at)
    _operand(cx, e.a, t, f"the first operand of `{e.text}`")
    _operand(cx, e.b, t, f"the second operand of `{e.text}`")
    return BOOL if e.op in _ORDER else t


def _compared(cx: Context, at: Span, found: Type, expected: Type) -> None:
    """Require that two types are equal up to regions: vectors that are compared stay apart."""
    types = [cx.solver.resolve(t) for t in (found, expected)]
    vectors = [isinstance(t, Opaque) and t.hidden is VEC_TYPE for t in types]
    if any(vectors) and all(v or isinstance(t, Meta) for v, t in zip(vectors, types, strict=True)):
        elems: list[Type] = []
        for t in types:
            elems.append(cx.fresh(at))
            cx.same(at, t, _vec(elems[-1], cx.fresh(at)), "the second operand of `=`")
        _compared(cx, at, elems[0], elems[1])
        return
    cx.same(at, found, expected, "the second operand of `=`")


# ---------------------------------------------------------------------- control


def _if(cx: Context, e: ast.If) -> Type:
    _operand(cx, e.cond, BOOL, "the condition")
    then = expression(cx, e.then)
    if e.orelse is None:
        return VOID
    orelse = expression(cx, e.orelse)
    return _joined(cx, then, orelse, e.orelse.at, "the second branch")


def _joined(cx: Context, first: Type, other: Type, at: Span, what: str) -> Type:
    """Return the type of two branches; one without a value makes the whole a statement."""
    types = [cx.solver.resolve(t) for t in (first, other)]
    unknown = any(isinstance(t, Meta) and cx.solver.cells[t.id].shape is None for t in types)
    if not unknown and [t == VOID for t in types].count(True) == 1:
        return VOID
    cx.same(at, other, first, what)
    return first


def _for(cx: Context, e: ast.For) -> Type:
    t: Type = cx.solver.one_of(cx.declared.numbers, "the variable of `for`", e.at)
    _operand(cx, e.start, t, "where `for` begins")
    _operand(cx, e.stop, t, "where `for` ends")
    if e.step is not None:
        _operand(cx, e.step, t, "the step of `for`")
    cx.bound[e.local] = t
    expression(cx, e.body)
    return VOID


def _match(cx: Context, e: ast.Match) -> Type:
    found = expression(cx, e.exp)
    owner = _datatype_of(cx, e)
    region = cx.fresh(e.at)
    cx.same(e.exp.at, found, cx.declared.data(owner, region), "what `match` examines")
    by_name = {k.name: k for k in owner.tree.constructors}
    result: Type | None = None
    seen: set[str] = set()
    for arm in e.arms:
        made = by_name.get(arm.constructor)
        if made is None:
            what = f"`{arm.constructor}` is no constructor of `{owner.name}`"
            fail(arm.at, Code.MATCH, what)
        if arm.constructor in seen:
            fail(arm.at, Code.MATCH, f"there are two arms for `{arm.constructor}`")
        seen.add(arm.constructor)
        _count(arm.at, len(arm.binders), len(made.fields), f"`{made.name}` holds")
        for x, t in zip(arm.binders, cx.fields(made, region), strict=True):
            cx.bound[x] = t
        t = expression(cx, arm.body)
        what = f"the arm of `{arm.constructor}`"
        result = t if result is None else _joined(cx, result, t, arm.body.at, what)
    missing = [name for name in by_name if name not in seen]
    if missing:
        names = ", ".join(f"`{n}`" for n in missing)
        fail(e.at, Code.MATCH, f"there is no arm for {names}", "`match` has all constructors")
    assert result is not None
    return result


def _datatype_of(cx: Context, e: ast.Match) -> Datatype:
    first = e.arms[0]
    found = cx.declared.constructors.get(first.constructor)
    if found is None:
        known = ", ".join(f"`{n}`" for n in cx.declared.constructors)
        hint = f"the constructors are {known}" if known else "`define-datatype` defines them"
        fail(first.at, Code.MATCH, f"there is no constructor `{first.constructor}`", hint)
    return found[0]


def _let_region(cx: Context, e: ast.LetRegion) -> Type:
    for r in e.regions:
        cx.declared.regions[r] = Opaque(Hidden(r.name, (), None, False, comparable=True), ())
    t = expression(cx, e.body)
    cx.open_regions.append((e, t))
    return t


# ---------------------------------------------------------------------- functions


def _count(at: Span, given: int, wanted: int, what: str) -> None:
    if given != wanted:
        plural = "" if wanted == 1 else "s"
        noun = "value" if what.endswith("holds") else "argument"
        fail(at, Code.ARITY, f"{what} {wanted} {noun}{plural}, not {given}")


def _lambda(cx: Context, e: ast.Lambda) -> Type:
    params: list[Type] = []
    for x in e.params:
        cx.bound[x] = cx.fresh(x.at)
        params.append(cx.bound[x])
    effect, region = cx.fresh(e.at), cx.fresh(e.at)
    cx.effects[e] = effect
    with cx.code(effect):
        result = expression(cx, e.body)
    cx.captures.extend((cx.bound[x], region, e.at) for x in e.captured)
    return cx.declared.closure(params, result, effect, region)


def _apply(cx: Context, e: ast.Apply) -> Type:
    fn = cx.solver.resolve(expression(cx, e.fn))
    if cx.declared.is_closure(fn):
        assert isinstance(fn, Opaque)
        _count(e.at, len(e.args), len(fn.args) - 3, f"{_called(e.fn)} takes")
    elif not isinstance(fn, Meta) or cx.solver.cells[fn.id].shape is not None:
        fail(e.fn.at, Code.TYPE, f"{_called(e.fn)} is no function: it is {cx.text(fn)}")
    else:
        params = [cx.fresh(a.at) for a in e.args]
        made = cx.declared.closure(params, cx.fresh(e.at), cx.fresh(e.at), cx.fresh(e.at))
        cx.same(e.fn.at, fn, made, _called(e.fn))
        fn = made
    *types, result, effect, _ = fn.args
    _arguments(cx, e.args, types, _called(e.fn))
    cx.happens(effect)
    return result


def _called(fn: ast.Exp) -> str:
    return f"`{fn.local.name}`" if isinstance(fn, ast.Var) else "this function"


def _arguments(cx: Context, args: Sequence[ast.Exp], types: Sequence[Type], what: str) -> None:
    for k, (arg, t) in enumerate(zip(args, types, strict=True)):
        number = f"argument {k + 1}" if len(args) > 1 else "the argument"
        _operand(cx, arg, t, f"{number} of {what}")


def _call(cx: Context, e: ast.Call) -> Type:
    fn = e.fn
    if isinstance(fn, ast.Extern):
        params = [cx.declared.of(t, cx.regions(e.at)) for t in fn.params]
        result = cx.declared.of(fn.result, cx.regions(e.at))
        effect: Type = IO
    else:
        _count(e.at, len(e.args), len(fn.params), f"`{fn.name}` takes")
        *params, result, effect = cx.instance(e, fn).args
    _count(e.at, len(e.args), len(params), f"`{fn.name}` takes")
    _arguments(cx, e.args, params, f"`{fn.name}`")
    cx.happens(effect)
    return result


def _construct(cx: Context, e: ast.Construct) -> Type:
    owner, made = cx.declared.constructors[e.constructor]
    region = cx.fresh(e.at)
    _count(e.at, len(e.args), len(made.fields), f"`{made.name}` takes")
    _arguments(cx, e.args, cx.fields(made, region), f"`{made.name}`")
    return cx.declared.data(owner, region)


def _print(cx: Context, e: ast.Print) -> Type:
    expression(cx, e.value)
    if e.stream is not None:
        stream = cx.declared.of(ast.Ptr(ast.Named("ofstream", e.at), e.at), cx.regions(e.at))
        _operand(cx, e.stream, stream, "the stream")
    cx.happens(IO)
    return VOID


def _cast(cx: Context, e: ast.Cast) -> Type:
    source = cx.declared.of(e.source, cx.regions(e.at))
    _operand(cx, e.exp, source, "what is converted")
    target = cx.declared.of(e.target, cx.regions(e.at))
    for t in (source, target):
        scalar = isinstance(t, ScalarType) or (
            isinstance(t, Opaque) and t.hidden in (CHAR_TYPE, STR_TYPE)
        )
        if not scalar or t == STR:
            what = f"`unsafe-explicit-cast` of {cx.text(t)} is not supported"
            fail(e.at, Code.FOREIGN, what, "it converts numbers, bools and chars")
    return target


# ---------------------------------------------------------------------- vectors


def _element(cx: Context, vector: ast.Exp, index: ast.Exp, at: Span) -> Type:
    elem = cx.fresh(at)
    _operand(cx, vector, _vec(elem, cx.fresh(at)), "the vector")
    _operand(cx, index, cx.solver.one_of(_INTS, "an index", index.at), "the index")
    return elem


def _reinterpret(cx: Context, exp: ast.Exp, elem: ast.Type | None, at: Span) -> Type:
    region = cx.fresh(at)
    if elem is None:
        inner: Type = cx.fresh(at)
        _operand(cx, exp, _vec(inner, region), "the operand of `unsafe-vec-ptr`")
        return Opaque(PTR_TYPE, (inner, region))
    inner = cx.declared.of(elem, cx.regions(at))
    _operand(cx, exp, Opaque(PTR_TYPE, (inner, region)), "the pointer")
    return _vec(inner, region)


def _kernel(cx: Context, e: ast.Kernel) -> Type:
    for x, value in e.bindings:
        elem = cx.fresh(x.at)
        _operand(cx, value, _vec(elem, cx.fresh(x.at)), f"the vector of `{x.name}`")
        cx.bound[x] = elem
    effect = cx.effects[e] = cx.fresh(e.at)
    with cx.code(effect):
        made = expression(cx, e.body)
    cx.kernels.append(e)
    if cx.solver.resolve(made) == VOID:
        fail(e.body.at, Code.TYPE, "the body of a kernel has no value", "it makes an element")
    return _vec(made, cx.region(e.region, e.at))


def _fold(cx: Context, e: ast.Fold) -> Type:
    elem = cx.fresh(e.at)
    if e.init is not None:
        _operand(cx, e.init, elem, f"the first value of `{e.kind.value}`")
    _operand(cx, e.vector, _vec(elem, cx.fresh(e.at)), f"the vector of `{e.kind.value}`")
    for x in e.params:
        cx.bound[x] = elem
    effect = cx.effects[e] = cx.fresh(e.at)
    with cx.code(effect):
        found = expression(cx, e.body)
    cx.happens(effect)
    what = f"the value of the function of `{e.kind.value}`"
    match e.kind:
        case ast.FoldKind.FILTER:
            cx.same(e.body.at, found, BOOL, what)
            return _vec(elem, cx.fresh(e.at))
        case ast.FoldKind.SCAN:
            cx.same(e.body.at, found, elem, what)
            return _vec(elem, cx.fresh(e.at))
        case ast.FoldKind.REDUCE | ast.FoldKind.INNER_REDUCE:
            cx.same(e.body.at, found, elem, what)
            return elem
