"""Γ ⊢ e ⇒ t: check an expression of Core and compute its type, without sizes.

:func:`infer` has an arm for each form; the premises on types alone are in premises.py.
"""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.check.core.context import Gamma, known_sizes, show, well_formed, without_tokens
from funmem.ir.check.core.premises import (
    below,
    binder_types,
    defined,
    group,
    known_element,
    operator,
    over,
    same,
    takes_apart,
)
from funmem.ir.check.rules import many, require
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import has_arrow, has_token, instantiate_type, unsized
from funmem.ir.diagnostics import Span
from funmem.ir.messages import holes
from funmem.ir.scalars import BOOL, I64, ScalarType, bin_result, is_value, un_result


def infer(g: Gamma, e: Exp) -> Type:
    """Return t with Γ ⊢ e ⇒ t, or raise :class:`SourceError`, its code the broken rule."""
    own = False  # true if this call made Γ and may add names to it
    while True:
        match e:
            case c.Let(binders, exp, body, at):  # C-LET
                types = binder_types(g, binders, at)
                found = infer(g, exp)
                takes_apart(found, types, "C-LET", at)
                g, own = (g if own else g.having({})), True
                g.types.update(zip((b.name for b in binders), types, strict=True))
                e = body
            case c.Assert(cond, message, values, body, at):  # C-ASSERT
                expect(g, cond, BOOL, "C-ASSERT", "the condition")
                n = holes(message)
                require(
                    n == len(values),
                    *(at, "C-ASSERT", "the message has {} for {}"),
                    *(many(n or 0, "hole"), many(len(values), "value")),
                )
                for x in values:
                    scalar(g, x, "C-ASSERT")
                e = body
            case c.Var(name, at):  # C-VAR
                require(name in g.types, at, "C-VAR", "{} is not in scope", name)
                return g.types[name]
            case c.Global(name, types, at):  # C-GLOBAL
                require(name in g.defs, at, "C-GLOBAL", "{} is not defined", name)
                d = g.defs[name]
                text = "{} takes {}, but is given {}"
                wanted = many(len(d.tparams), "type")
                require(
                    len(types) == len(d.tparams), at, "C-GLOBAL", text, name, wanted, len(types)
                )
                for t in types:
                    well_formed(g, t, at)
                    without_tokens(t, "an instance", at)
                return unsized(instantiate_type(d.type, dict(zip(d.tparams, types, strict=True))))
            case c.Const(value, t, at):  # C-CONST
                require(is_value(value, t), at, "C-CONST", "{} is not a value of type {}", value, t)
                return t
            case c.Lambda(params, body, at):  # C-LAMBDA
                require(bool(params), at, "C-LAMBDA", "a lambda needs at least one parameter")
                given = binder_types(g, params, at)
                result = infer(g.binding(*params), body)
                return c.arrow(given, result)
            case c.Mu(binder, fn, at):  # C-MU
                (want,) = binder_types(g, (binder,), at)
                found = infer(g.binding(binder), fn)
                same(found, want, "C-MU", "the function", at)
                return want
            case c.App(fn, args, at):  # C-APP
                require(bool(args), at, "C-APP", "an application needs at least one argument")
                t = infer(g, fn)
                tokens = False
                for k, x in enumerate(args, 1):
                    if not isinstance(t, c.Arrow):
                        require(
                            False,
                            at,
                            "C-APP",
                            "argument {} has no parameter: {} is not a function",
                            k,
                            show(t),
                        )
                        break
                    expect(g, x, t.param, "C-APP", f"argument {k}")
                    tokens = has_token(t.param) or tokens
                    t = t.result
                text = "a function that is applied to a token needs all its arguments"
                require(not tokens or not isinstance(t, c.Arrow), at, "C-TOKEN", text)
                return t
            case c.Foreign():  # C-FOREIGN
                return _foreign(g, e)
            case c.If(cond, then, orelse, at):  # C-IF
                expect(g, cond, BOOL, "C-IF", "the condition")
                found = infer(g, then)
                same(infer(g, orelse), found, "C-IF", "the other branch", at)
                return found
            case c.Match():  # C-MATCH
                return _match(g, e)
            case c.Loop():  # C-LOOP
                return _loop(g, e)
            case c.Fields(fields, at):  # C-RECORD
                labels = [label for label, _ in fields]
                once = len(set(labels)) == len(labels)
                require(once, at, "C-RECORD", "the record has a field twice")
                return c.Record(tuple((label, infer(g, x)) for label, x in fields))
            case c.Project(exp, label, at):  # C-PROJECT
                t = infer(g, exp)
                found_field = dict(t.fields).get(label) if isinstance(t, c.Record) else None
                if found_field is None:
                    require(False, at, "C-PROJECT", "there is no field {} in {}", label, show(t))
                return found_field or t
            case c.Construct():  # C-CONSTRUCT
                return _construct(g, e)
            case c.Bin(op, a, b, at):  # C-BINARY
                left = scalar(g, a, "C-BINARY")
                expect(g, b, left, "C-BINARY", "the right operand")
                return defined(bin_result(op, left), op, left, "C-BINARY", at)
            case c.Un(unop, a, at):  # C-UNARY
                operand = scalar(g, a, "C-UNARY")
                return defined(un_result(unop, operand), unop, operand, "C-UNARY", at)
            case c.Convert(to, a):  # C-CONVERT
                scalar(g, a, "C-CONVERT")
                return to
            case c.Equal(a, b, at):  # C-EQUAL
                left_type = infer(g, a)
                expect(g, b, left_type, "C-EQUAL", "the right operand")
                require(not has_arrow(left_type), at, "C-EQUAL", "functions cannot be compared")
                without_tokens(left_type, "a comparison", at)
                return BOOL
            case c.ArrayOperation():
                return _array(g, c.array_exp(e))


def _foreign(g: Gamma, e: c.Foreign) -> Type:
    rule, name, at = "C-FOREIGN", e.fn, e.at
    require(name in g.foreign, at, rule, "the foreign function {} is not declared", name)
    d = g.foreign[name]
    kinds = ["effectful" if x else "pure" for x in (e.effect, d.effect)]
    require(e.effect is d.effect, at, rule, "{} is called as {}, but is {}", name, *kinds)
    require((e.grid is not None) is d.whole, at, rule, "{} is not opaque in both places", name)
    for x in e.grid or ():
        expect(g, x, I64, rule, "a size of the grid")
    wanted = many(len(d.params), "argument")
    text = "{} takes {}, but is given {}"
    require(len(e.args) == len(d.params), at, rule, text, name, wanted, len(e.args))
    for k, (x, t) in enumerate(zip(e.args, d.params, strict=True), 1):
        expect(g, x, unsized(t), rule, f"argument {k}")
    same(unsized(e.type), unsized(d.result), rule, "the call's type", at)
    return unsized(e.type)


# ---------------------------------------------------------------------- arrays


def _array(g: Gamma, e: c.ArrayExp) -> Type:
    match e:
        case c.Length(array, dim):  # C-LENGTH
            below(infer(g, array), dim + 1, "C-LENGTH", e.at)
            return I64
        case c.Index(array, dims):  # C-INDEX
            return _sliced(g, infer(g, array), dims, "C-INDEX", e.at)
        case c.FlatSlice(array, offset, flat):  # C-FLAT-SLICE
            t = below(infer(g, array), 1, "C-FLAT-SLICE", e.at)
            _sizes(g, [offset, *(x for pair in flat for x in pair)], "C-FLAT-SLICE")
            require(bool(flat), e.at, "C-FLAT-SLICE", "a flat slice needs at least one dimension")
            return over(t, len(flat))
        case c.Coerce(exp, t, message):  # C-COERCE
            well_formed(g, t, e.at)
            known_sizes(g, t, e.at)
            enough = holes(message) in (2, 3)
            require(
                enough, e.at, "C-COERCE", "the message must have two or three holes: {}", message
            )
            expect(g, exp, unsized(t), "C-COERCE", "the array")
            return unsized(t)
        case c.ArrayLit(elems, elem):  # C-LITERAL
            well_formed(g, elem, e.at)
            for k, x in enumerate(elems, 1):
                expect(g, x, unsized(elem), "C-LITERAL", f"element {k}")
            return c.Array(unsized(elem))
        case c.Iota(n, start, step):  # C-IOTA
            _sizes(g, [n], "C-IOTA")
            first = scalar(g, start, "C-IOTA")
            expect(g, step, first, "C-IOTA", "the step")
            require(first.is_int, e.at, "C-IOTA", "iota needs an integer type, not {}", first)
            return c.Array(first)
        case c.Replicate(n, value):  # C-REPLICATE
            _sizes(g, [n], "C-REPLICATE")
            return c.Array(infer(g, value))
        case c.Scratch(n, elem):  # C-SCRATCH
            _sizes(g, [n], "C-SCRATCH")
            well_formed(g, elem, e.at)
            known_sizes(g, elem, e.at)
            known_element(elem, e.at)
            return c.Array(unsized(elem))
        case c.Copy(exp):  # C-COPY
            return infer(g, exp)
        case c.Concat(arrays):  # C-CONCAT
            require(bool(arrays), e.at, "C-CONCAT", "concat needs at least one array")
            t = infer(g, arrays[0])
            below(t, 1, "C-CONCAT", e.at)
            for x in arrays[1:]:
                expect(g, x, t, "C-CONCAT", "another array")
            return t
        case c.Rearrange(perm, array):  # C-REARRANGE
            t = infer(g, array)
            below(t, len(perm), "C-REARRANGE", e.at)
            whole = sorted(perm) == list(range(len(perm)))
            require(whole, e.at, "C-REARRANGE", "{} is not a permutation", perm)
            return t
        case c.Reverse(array):  # C-REVERSE
            t = infer(g, array)
            below(t, 1, "C-REVERSE", e.at)
            return t
        case c.Flatten(rank, array):  # C-FLATTEN
            require(rank > 0, e.at, "C-FLATTEN", "flatten needs at least one dimension")
            return c.Array(below(infer(g, array), rank, "C-FLATTEN", e.at))
        case c.Unflatten(sizes, array):  # C-UNFLATTEN
            _sizes(g, sizes, "C-UNFLATTEN")
            require(bool(sizes), e.at, "C-UNFLATTEN", "unflatten needs at least one dimension")
            return over(below(infer(g, array), 1, "C-UNFLATTEN", e.at), len(sizes))
        case c.Zip(named):  # C-ZIP
            require(bool(named), e.at, "C-ZIP", "zip needs at least one array")
            rows = tuple((x, below(infer(g, exp), 1, "C-ZIP", e.at)) for x, exp in named)
            once = len({x for x, _ in named}) == len(named)
            require(once, e.at, "C-ZIP", "the record has a field twice")
            return c.Array(c.Record(rows))
        case c.Unzip(array):  # C-UNZIP
            t = below(infer(g, array), 1, "C-UNZIP", e.at)
            if not isinstance(t, c.Record):
                require(
                    False, e.at, "C-UNZIP", "the elements are {}, but should be records", show(t)
                )
                return t
            return c.Record(tuple((label, c.Array(u)) for label, u in t.fields))
        case c.Update(array, dims, value):  # C-UPDATE
            t = infer(g, array)
            expect(g, value, _sliced(g, t, dims, "C-UPDATE", e.at), "C-UPDATE", "the new value")
            return t
        case c.FlatUpdate(array, offset, strides, value):  # C-FLAT-UPDATE
            t = infer(g, array)
            elem = below(t, 1, "C-FLAT-UPDATE", e.at)
            _sizes(g, [offset, *strides], "C-FLAT-UPDATE")
            require(
                bool(strides), e.at, "C-FLAT-UPDATE", "a flat slice needs at least one dimension"
            )
            expect(g, value, over(elem, len(strides)), "C-FLAT-UPDATE", "the new value")
            return t
        case c.Scatter(dest, indices, values):  # C-SCATTER
            t = infer(g, dest)
            depth = _index_depth(g, indices, "C-SCATTER")
            elem = below(t, depth, "C-SCATTER", e.at)
            expect(g, values, c.Array(elem), "C-SCATTER", "the values")
            return t
        case c.Map(fn, arrays):  # C-MAP
            require(bool(arrays), e.at, "C-MAP", "map needs at least one array")
            t = infer(g, fn)
            for k, x in enumerate(arrays, 1):
                elem = below(infer(g, x), 1, "C-MAP", x.at)
                if not isinstance(t, c.Arrow):
                    require(
                        False,
                        e.at,
                        "C-MAP",
                        "array {} has no parameter: {} is not a function",
                        k,
                        show(t),
                    )
                    break
                same(elem, t.param, "C-MAP", f"the elements of array {k}", e.at)
                t = t.result
            return c.Array(t)
        case c.Reduce(op, ne, arrays):  # C-REDUCE
            types = _folded(g, ne, arrays, "C-REDUCE", e.at)
            expect(g, op, operator(types), "C-REDUCE", "the operator")
            return group(types)
        case c.Scan(op, ne, arrays):  # C-SCAN
            types = _folded(g, ne, arrays, "C-SCAN", e.at)
            expect(g, op, operator(types), "C-SCAN", "the operator")
            return c.Array(group(types))
        case c.Hist(op, ne, dest, indices, values):  # C-HIST
            types = _folded(g, ne, values, "C-HIST", e.at)
            expect(g, op, operator(types), "C-HIST", "the operator")
            depth = _index_depth(g, indices, "C-HIST")
            require(
                len(dest) == len(types),
                e.at,
                "C-HIST",
                "hist needs one destination for each array of values",
            )
            for x, t in zip(dest, types, strict=True):
                expect(g, x, over(t, depth), "C-HIST", "the destination")
            return group([over(t, depth) for t in types])
        case c.Filter(fn, array):  # C-FILTER
            t = infer(g, array)
            elem = below(t, 1, "C-FILTER", e.at)
            expect(g, fn, c.Arrow(elem, BOOL), "C-FILTER", "the predicate")
            return t
        case c.Segmented():  # C-SEGMENTED
            return _segmented(g, e)


# ---------------------------------------------------------------------- match, loop, construct


def _sum(g: Gamma, t: Type, rule: str, at: Span) -> c.Sum:
    found = g.sum(t)
    if found is None:
        require(False, at, rule, "{} is not a sum type", show(t))
        return c.Sum(())
    return found


def _match(g: Gamma, e: c.Match) -> Type:
    """Γ ⊢ match e { #c x … -> e' … }: each constructor has one arm, or at most one and a default.

    There is at least one arm or a default, since a sum has a constructor (C-SUM-TYPE).
    """
    t = infer(g, e.exp)
    sum_ = _sum(g, t, "C-MATCH", e.at)
    left = dict(sum_.constructors)
    types: list[Type] = []
    for arm in e.arms:
        name = arm.constructor
        require(
            name in left,
            e.at,
            "C-MATCH",
            "the arm for #{} matches no constructor of {}",
            name,
            show(t),
        )
        payload = left.pop(name)
        given = binder_types(g, arm.binders, e.at)
        text = "#{} carries ({}), but its arm binds ({})"
        shown = [", ".join(map(show, ts)) for ts in (payload, given)]
        require(list(payload) == given, e.at, "C-MATCH", text, name, *shown)
        types.append(infer(g.binding(*arm.binders), arm.body))
    if e.default is not None:
        types.append(infer(g, e.default))
    else:
        missing = ", ".join(f"#{name}" for name in left)
        require(not left, e.at, "C-MATCH", "no arm for {}", missing)
    for other in types[1:]:
        same(other, types[0], "C-MATCH", "another arm", e.at)
    return types[0]


def _loop(g: Gamma, e: c.Loop) -> Type:
    """Γ ⊢ loop p = e … form do body: the body computes the parameters' next values."""
    types = binder_types(g, e.params, e.at)
    require(
        len(e.init) == len(types),
        e.at,
        "C-LOOP",
        "{} for {}",
        many(len(e.init), "initial value"),
        many(len(types), "parameter"),
    )
    for b, x, t in zip(e.params, e.init, types, strict=True):
        expect(g, x, t, "C-LOOP", f"the initial value of {b.name}")
    inner = g.binding(*e.params)
    match e.form:
        case c.For(index, bound):
            expect(g, bound, I64, "C-LOOP", "the bound")
            inner.types[index] = I64
        case c.While(cond):
            expect(inner, cond, BOOL, "C-LOOP", "the condition")
    same(infer(inner, e.body), group(types), "C-LOOP", "the body", e.at)
    return group(types)


def _construct(g: Gamma, e: c.Construct) -> Type:
    """Γ ⊢ #c e … : t."""
    well_formed(g, e.type, e.at)
    t = unsized(e.type)
    payload = dict(_sum(g, t, "C-CONSTRUCT", e.at).constructors)
    name = e.constructor
    require(name in payload, e.at, "C-CONSTRUCT", "{} has no #{}", show(t), name)
    want = payload[name]
    text = "#{} takes {}, but is given {}"
    wanted = many(len(want), "argument")
    require(len(e.args) == len(want), e.at, "C-CONSTRUCT", text, name, wanted, len(e.args))
    for k, (x, u) in enumerate(zip(e.args, want, strict=True), 1):
        expect(g, x, u, "C-CONSTRUCT", f"argument {k} of #{name}")
    return t


# ---------------------------------------------------------------------- premises


def expect(g: Gamma, e: Exp, want: Type, rule: str, what: str) -> None:
    """Γ ⊢ e ⇒ want; ``what`` is the subject of the message."""
    same(infer(g, e), want, rule, what, e.at)


def scalar(g: Gamma, e: Exp, rule: str) -> ScalarType:
    """Return the type of an expression, which must be a scalar."""
    t = infer(g, e)
    if not isinstance(t, ScalarType):
        require(False, e.at, rule, "the expression is {}, but should be a scalar", show(t))
        return BOOL
    return t


def _sizes(g: Gamma, es: Sequence[Exp], rule: str) -> None:
    for x in es:
        expect(g, x, I64, rule, "a size or index")


def _sliced(g: Gamma, t: Type, dims: Sequence[c.Dim], rule: str, at: Span) -> Type:
    require(bool(dims), at, rule, "a slice needs at least one dimension")
    elem = below(t, len(dims), rule, at)
    for d in reversed(dims):
        match d:
            case c.Fix(i):
                _sizes(g, [i], rule)
            case c.Range(lo, hi, step):
                _sizes(g, [x for x in (lo, hi, step) if x is not None], rule)
                elem = c.Array(elem)
    return elem


def _segmented(g: Gamma, e: c.Segmented) -> Type:
    """Γ ⊢ segmented … ⇒ t (C-SEGMENTED)."""
    expect(g, e.offsets, c.Array(I64), "C-SEGMENTED", "the offsets")
    expect(g, e.total, I64, "C-SEGMENTED", "the number of elements")
    t = infer(g, e.fn)
    elem = t.result.result if isinstance(t, c.Arrow) and isinstance(t.result, c.Arrow) else t
    want = c.arrow([I64, I64], elem)
    same(t, want, "C-SEGMENTED", "the function of row and element", e.at)
    if e.op is not None:
        types = [infer(g, x) for x in e.ne]
        require(bool(types), e.at, "C-SEGMENTED", "there is no neutral element")
        same(elem, group(types), "C-SEGMENTED", "the value of an element", e.at)
        expect(g, e.op, operator(types), "C-SEGMENTED", "the operator")
    return c.Array(elem)


def _folded(g: Gamma, ne: Sequence[Exp], arrays: Sequence[Exp], rule: str, at: Span) -> list[Type]:
    """Return the types of the neutral elements, which must be those of the arrays' elements."""
    types = [infer(g, x) for x in ne]
    require(bool(types), at, rule, "there is no neutral element")
    require(len(arrays) == len(types), at, rule, "there must be one neutral element for each array")
    for k, (x, t) in enumerate(zip(arrays, types, strict=True), 1):
        expect(g, x, c.Array(t), rule, f"array {k}")
    return types


def _index_depth(g: Gamma, indices: Exp, rule: str) -> int:
    """Return the number of dimensions of an index, which is an i64 or a record of i64."""
    t = below(infer(g, indices), 1, rule, indices.at)
    if t is I64:
        return 1
    fine = isinstance(t, c.Record) and bool(t.fields) and all(u is I64 for _, u in t.fields)
    require(fine, indices.at, rule, "an index is {}, but should be i64 or a record of i64", show(t))
    return len(t.fields) if isinstance(t, c.Record) else 1
