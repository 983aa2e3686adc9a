r"""Γ ⊢ e ⇒ t: the type of an expression, up to sizes, whose parts are checked.

An arm for each form; array operations are in arrays.py.
"""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.check.core.context import Gamma, show, well_formed
from funmem.ir.check.rules import many, require
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import has_arrow, instantiate_type, unsized
from funmem.ir.diagnostics import Span
from funmem.ir.messages import holes
from funmem.ir.names import Name
from funmem.ir.scalars import (
    BOOL,
    I64,
    BinOp,
    ScalarType,
    UnOp,
    bin_result,
    is_value,
    un_result,
)


def infer(g: Gamma, e: Exp) -> Type:
    """Γ ⊢ e ⇒ t."""
    own = False  # whether this call made Γ, and may add names to it
    while isinstance(e, c.Let | c.Assert):
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
                said = "the message has {} for {}"
                require(
                    n == len(values),
                    *(at, "C-ASSERT", said, many(n or 0, "hole"), many(len(values), "value")),
                )
                for x in values:
                    scalar(g, x, "C-ASSERT")
                e = body
    return _infer(g, e)


def _infer(g: Gamma, e: Exp) -> Type:
    match e:
        case c.Var(name, at):  # C-VAR
            require(name in g.types, at, "C-VAR", "{} is not in scope", name)
            return g.types[name]
        case c.Global(name, types, at):  # C-GLOBAL
            require(name in g.defs, at, "C-GLOBAL", "{} is not defined", name)
            d = g.defs[name]
            said = "{} takes {}, here it has {}"
            wanted = many(len(d.tparams), "type")
            require(len(types) == len(d.tparams), at, "C-GLOBAL", said, name, wanted, len(types))
            for t in types:
                well_formed(g, t, at)
            return unsized(instantiate_type(d.type, dict(zip(d.tparams, types, strict=True))))
        case c.Const(value, t, at):  # C-CONST
            require(is_value(value, t), at, "C-CONST", "{} is no value of {}", value, t)
            return t
        case c.Lambda(params, body, at):  # C-LAMBDA
            require(bool(params), at, "C-LAMBDA", "a lambda without parameters")
            given = binder_types(g, params, at)
            result = infer(g.binding(*params), body)
            return c.arrow(given, result)
        case c.Mu(binder, fn, at):  # C-MU
            (want,) = binder_types(g, (binder,), at)
            found = infer(g.binding(binder), fn)
            same(found, want, "C-MU", "the function", at)
            return want
        case c.App(fn, args, at):  # C-APP
            require(bool(args), at, "C-APP", "an application without arguments")
            t = infer(g, fn)
            for k, x in enumerate(args, 1):
                if not isinstance(t, c.Arrow):
                    require(False, at, "C-APP", "argument {} of what is {}", k, show(t))
                    break
                expect(g, x, t.param, "C-APP", f"argument {k}")
                t = t.result
            return t
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
            require(once, at, "C-RECORD", "a record has a field twice")
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
            return _defined(bin_result(op, left), op, left, "C-BINARY", at)
        case c.Un(unop, a, at):  # C-UNARY
            operand = scalar(g, a, "C-UNARY")
            return _defined(un_result(unop, operand), unop, operand, "C-UNARY", at)
        case c.Convert(to, a):  # C-CONVERT
            scalar(g, a, "C-CONVERT")
            return to
        case c.Equal(a, b, at):  # C-EQUAL
            left_type = infer(g, a)
            expect(g, b, left_type, "C-EQUAL", "the right operand")
            require(not has_arrow(left_type), at, "C-EQUAL", "functions cannot be compared")
            return BOOL
        case _:
            from funmem.ir.check.core.arrays import array_type  # which needs this module

            return array_type(g, e)


# ---------------------------------------------------------------------- premises


def expect(g: Gamma, e: Exp, want: Type, rule: str, what: str) -> None:
    """Γ ⊢ e ⇒ want."""
    same(infer(g, e), want, rule, what, e.at)


def same(found: Type, want: Type, rule: str, what: str, at: Span) -> None:
    """Two types are one, up to sizes."""
    if found != want:
        require(False, at, rule, "{} is {}, but should be {}", what, show(found), show(want))


def scalar(g: Gamma, e: Exp, rule: str) -> ScalarType:
    """An expression of a scalar type."""
    t = infer(g, e)
    if not isinstance(t, ScalarType):
        require(False, e.at, rule, "this is {}, but should be a scalar", show(t))
        return BOOL
    return t


def binder_types(g: Gamma, binders: Sequence[c.Binder], at: Span) -> list[Type]:
    """Γ ⊢ p …: the types are types; here without sizes."""
    for b in binders:
        well_formed(g, b.type, at)
    return [unsized(b.type) for b in binders]


def group(types: Sequence[Type]) -> Type:
    """Several results as one: the only one, or a tuple of them."""
    return types[0] if len(types) == 1 else c.tuple_type(*types)


def takes_apart(found: Type, types: Sequence[Type], rule: str, at: Span) -> None:
    """A value bound to one name, or a record whose fields are bound to several."""
    if len(types) == 1:
        same(found, types[0], rule, "what is bound", at)
        return
    parts = [t for _, t in found.fields] if isinstance(found, c.Record) else None
    if parts != list(types):
        want = f"a record of ({', '.join(map(show, types))})"
        require(False, at, rule, "what is bound is {}, but should be {}", show(found), want)


def _defined(
    t: ScalarType | None, op: BinOp | UnOp, operand: ScalarType, rule: str, at: Span
) -> ScalarType:
    if t is None:
        require(False, at, rule, "{} is not defined on {}", op, operand)
        return operand
    return t


# ---------------------------------------------------------------------- match, loop, construct


def _sum(g: Gamma, t: Type, rule: str, at: Span) -> c.Sum:
    found = g.sum(t)
    if found is None:
        require(False, at, rule, "{} is no sum", show(t))
        return c.Sum(())
    return found


def _match(g: Gamma, e: c.Match) -> Type:
    """Γ ⊢ match e { #c x … -> e' … }: each constructor at most once; all, if there is no other.

    So there is an arm: by C-SUM-TYPE a sum has constructors.
    """
    t = infer(g, e.exp)
    sum_ = _sum(g, t, "C-MATCH", e.at)
    left = dict(sum_.constructors)
    types: list[Type] = []
    for arm in e.arms:
        name = arm.constructor
        require(name in left, e.at, "C-MATCH", "an arm for #{}, which {} has not", name, show(t))
        payload = left.pop(name)
        given = binder_types(g, arm.binders, e.at)
        said = "#{} has ({}), its arm ({})"
        shown = [", ".join(map(show, ts)) for ts in (payload, given)]
        require(list(payload) == given, e.at, "C-MATCH", said, name, *shown)
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
    """Γ ⊢ loop p = e … form do body: the body gives the parameters' next values."""
    types = binder_types(g, e.params, e.at)
    require(len(e.init) == len(types), e.at, "C-LOOP", "{} for {}", len(e.init), len(types))
    for b, x, t in zip(e.params, e.init, types, strict=True):
        expect(g, x, t, "C-LOOP", f"the start of {b.name}")
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
    said = "#{} takes {}, here it has {}"
    wanted = many(len(want), "argument")
    require(len(e.args) == len(want), e.at, "C-CONSTRUCT", said, name, wanted, len(e.args))
    for k, (x, u) in enumerate(zip(e.args, want, strict=True), 1):
        expect(g, x, u, "C-CONSTRUCT", f"argument {k} of #{name}")
    return t


def bound_names(e: Exp) -> tuple[Name, ...]:
    """The names that a form binds itself, outside of the expressions in it."""
    match e:
        case c.Lambda(params) | c.Loop(params, _, c.While()):
            return tuple(b.name for b in params)
        case c.Loop(params, _, c.For(index)):
            return (*(b.name for b in params), index)
        case c.Mu(binder, fn):
            return (binder.name, *(b.name for b in fn.params))
        case c.Let(binders):
            return tuple(b.name for b in binders)
        case c.Match(_, arms):
            return tuple(b.name for arm in arms for b in arm.binders)
        case _:
            return ()
