"""Γ; Δ ⊢ e ⇒ t: check the regions of an expression and compute its type, without sizes.

:func:`infer` has an arm for each form.  ``given`` are the regions that ``at`` names: an expression
that makes arrays, or a function, needs one for each, and another expression has none (R-AT).
"""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.check.core.context import show
from funmem.ir.check.core.premises import group, takes_apart
from funmem.ir.check.regions.arrays import Judgements, array_operation
from funmem.ir.check.regions.context import (
    Gamma,
    applied,
    binder_types,
    bound,
    in_scope,
    makes,
    only,
    same,
    shown,
    used,
    well_formed,
)
from funmem.ir.check.rules import many, require
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import map_parts, unsized
from funmem.ir.diagnostics import Span, Stuck
from funmem.ir.names import Name
from funmem.ir.regions.forms import (
    AT,
    ENDREGION,
    LETREGION,
    STATIC,
    at,
    in_place,
    regions_in,
    renamed,
    split,
    spots,
    unwrapped,
)
from funmem.ir.scalars import BOOL, I64, ScalarType, bin_result, un_result


def infer(g: Gamma, e: Exp, given: Sequence[Name] = ()) -> Type:
    """Return t with Γ; Δ ⊢ e ⇒ t, or raise :class:`SourceError`, its code the broken rule."""
    if (local := unwrapped(e, LETREGION)) is not None:
        makes(g, given, 0, e.at)
        return _letregion(g, *local, e.at)
    if (ending := unwrapped(e, ENDREGION)) is not None:
        makes(g, given, 0, e.at)
        return _endregion(g, *ending, e.at)
    rest, g = g, g.inside()
    if (placed := unwrapped(e, AT)) is not None:
        makes(g, given, 0, e.at)
        return infer(g, placed[1], placed[0])
    if not _makes(e):
        makes(g, given, 0, e.at)
    match e:
        case c.Var(name):  # R-VAR
            t = g.types[name]
            if g.ended:
                text = "{} of type {} lies in a region that has ended"
                lives = g.ended.isdisjoint(regions_in(t))
                require(lives, e.at, "R-VAR", text, name, show(t))
            return t
        case c.Const(_, t):  # R-CONST: a scalar lies nowhere
            return t
        case c.Global():  # R-GLOBAL
            return _value(g, e, given)
        case c.Lambda():  # R-LAMBDA
            makes(g, given, 1, e.at, "function")
            t = closure(given[0], code(g, e), e.at)
            _captures(g, given[0], e, (), t)
            return t
        case c.Mu(binder, fn):  # R-MU
            makes(g, given, 1, e.at, "function")
            (want,) = binder_types(g, (binder,), e.at)
            t = closure(given[0], code(g.having({binder.name: want}), fn), e.at)
            same(t, want, "R-MU", "the function", e.at)
            _captures(g, given[0], fn, (binder.name,), t)
            return want
        case c.App(fn, args):  # R-APPLY
            t = operand(g, fn, len(args))
            return applied(t, [infer(g, x) for x in args], "R-APPLY", "argument", e.at)
        case c.Foreign(_, args, t):  # R-FOREIGN
            for x in args:
                infer(g, x)
            t = well_formed(g, t, e.at)
            _states(given, tuple(spots(t)), e.at)
            return t
        case c.Let(binders, exp, body):  # R-LET
            types = binder_types(g, binders, e.at)
            takes_apart(infer(g, exp), types, "R-LET", e.at)
            return infer(rest.having(bound(binders, types)), body)
        case c.Assert(cond, _, values, body):  # R-ASSERT: the value of the body
            for x in (cond, *values):
                infer(g, x)
            return infer(rest, body)
        case c.If(cond, then, orelse):  # R-IF
            infer(g, cond)
            t = infer(rest, then)
            same(infer(rest, orelse), t, "R-IF", "the other branch", e.at)
            return t
        case c.Match():  # R-MATCH
            return _match(g, e, rest)
        case c.Loop():  # R-LOOP
            return _loop(g, e)
        case c.Fields(fields):  # R-RECORD: a record lies nowhere, its fields where they lie
            return c.Record(tuple((label, infer(g, x)) for label, x in fields))
        case c.Project(exp, label):  # R-PROJECT
            return _record(infer(g, exp)).field(label)
        case c.Construct(name, args, u):  # R-CONSTRUCT
            t = well_formed(g, u, e.at)
            for k, (x, want) in enumerate(zip(args, g.places.sum(t).payload(name), strict=True), 1):
                same(infer(g, x), unsized(want), "R-CONSTRUCT", f"argument {k} of #{name}", e.at)
            return t
        case c.Bin(op, a, b):  # R-SCALAR: operators take scalars
            infer(g, b)
            return bin_result(op, _scalar(infer(g, a))) or BOOL
        case c.Un(op, a):
            return un_result(op, _scalar(infer(g, a))) or BOOL
        case c.Convert(to, a):
            infer(g, a)
            return to
        case c.Equal(a, b):  # R-EQUAL: values are compared wherever they lie
            infer(g, a)
            infer(g, b)
            return BOOL
        case c.ArrayOperation():
            return array_operation(_JUDGEMENTS, g, c.array_exp(e), given)


def _makes(e: Exp) -> bool:
    """True if the rule of an expression itself checks the regions that ``at`` names."""
    match e:
        case c.Lambda() | c.Mu() | c.Global() | c.Foreign() | c.ArrayOperation():
            return True
        case c.Var() | c.Const() | c.App() | c.Let() | c.Assert() | c.Control():
            return False
        case c.RecordOperation() | c.ScalarOperation():
            return False


# ---------------------------------------------------------------------- regions


def _letregion(g: Gamma, regions: Sequence[Name], e: Exp, where: Span) -> Type:
    """Γ; Δ ⊢ letregion 'r … in e ⇒ t: the regions are new, and not in t (R-LETREGION)."""
    for k, r in enumerate(regions):
        known = {*g.regions, *g.ended, STATIC, *regions[:k]}
        text = "region {} is in scope already, or has ended"
        require(r not in known, where, "R-LETREGION", text, shown(r))
    t = infer(g.during(regions), e)
    for r in regions:
        ends = r not in regions_in(t)
        require(ends, where, "R-LETREGION", "the value, {}, outlives region {}", show(t), shown(r))
    return t


def _endregion(g: Gamma, regions: Sequence[Name], e: Exp, where: Span) -> Type:
    """Γ; Δ, 'r … ⊢ endregion 'r … in e ⇒ t: Γ; Δ ⊢ e ⇒ t, in tail position (R-ENDREGION)."""
    for r in regions:
        text = "region {} does not begin around this expression, or something follows it there"
        require(r in g.last, where, "R-ENDREGION", text, shown(r))
    return infer(g.after(regions), e)


def _states(given: Sequence[Name], want: Sequence[Name], where: Span) -> None:
    """Require that ``at`` names the regions that a stated type has."""
    texts = [", ".join(map(shown, rs)) or "no region" for rs in (given, want)]
    text = "`at` names {}, but the type has {}"
    require(tuple(given) == tuple(want), where, "R-AT", text, *texts)


# ---------------------------------------------------------------------- functions


def code(g: Gamma, fn: c.Lambda) -> Type:
    """Γ; Δ ⊢ p … -> e: the type of a lambda that is executed in place."""
    types = binder_types(g, fn.params, fn.at)
    return c.arrow(types, infer(g.having(bound(fn.params, types)), fn.body))


def operand(g: Gamma, fn: Exp, given: int) -> Type:
    """Return the type of a function that is applied to so many arguments."""
    if in_place(fn, given, g.defs):
        if isinstance(fn, c.Lambda):
            return code(g, fn)
        if isinstance(fn, c.Global):
            return _instance(g, fn)
    return infer(g, fn)


def _instance(g: Gamma, e: c.Global) -> Type:
    """Return the type of a definition at regions, one for each parameter (R-GLOBAL)."""
    d = g.defs[e.name]
    regions = [t.name for t in e.types if isinstance(t, c.TypeVar)]
    n = len(d.tparams)
    text = "{} takes {}, but is given {}"
    wanted = many(n, "region")
    require(len(regions) == n == len(e.types), e.at, "R-GLOBAL", text, e.name, wanted, len(e.types))
    in_scope(g, regions, e.at)
    return renamed(unsized(d.type), dict(zip(d.tparams, regions, strict=True)))


def _value(g: Gamma, e: c.Global, given: Sequence[Name]) -> Type:
    """A constant, or a closure of a definition, which captures nothing."""
    t = _instance(g, e)
    if not isinstance(g.defs[e.name].exp, c.Lambda):
        makes(g, given, 0, e.at)
        return t
    makes(g, given, 1, e.at, "function")
    return closure(given[0], t, e.at)


def closure(r: Name, t: Type, where: Span) -> Type:
    """Return ``at 'r t`` for the type t of code; functions that it returns lie in r (R-RETURN)."""
    return at(r, _spine(r, t, where))


def _spine(r: Name, t: Type, where: Span) -> Type:
    if isinstance(t, c.Arrow):
        return c.Arrow(t.param, _spine(r, t.result, where))
    found = split(t)
    if found is None or not isinstance(found[1], c.Arrow):
        return t
    text = "a function in {} returns one in {}"
    require(found[0] == r, where, "R-RETURN", text, shown(r), shown(found[0]))
    return found[1]


def _captures(g: Gamma, r: Name, fn: c.Lambda, own: Sequence[Name], t: Type) -> None:
    """All that a closure captures lies in its region (R-CAPTURE); its body uses the regions of its
    type only (R-BODY).
    """
    for x, u in g.types.items():
        if x not in own and x in _names(fn):
            only(r, [u], fn.at, "R-CAPTURE", x)
    known = {*regions_in(t), STATIC}
    for x in sorted(used(fn)):
        text = "the body uses region {}, which is not in the function's type {}"
        require(x in known, fn.at, "R-BODY", text, shown(x), show(t))


def _names(e: Exp) -> frozenset[Name]:
    """Return the variables that an expression mentions; names are unique."""
    found = set[Name]()

    def visit(x: Exp) -> Exp:
        if isinstance(x, c.Var):
            found.add(x.name)
        else:
            map_parts(x, visit, lambda t: t)
        return x

    visit(e)
    return frozenset(found)


# ---------------------------------------------------------------------- match, loop


def _match(g: Gamma, e: c.Match, rest: Gamma) -> Type:
    """Γ; Δ ⊢ match e …: an arm binds the fields at the regions of the value."""
    t = infer(g, e.exp)
    sum_, types = g.places.sum(t), list[Type]()
    for arm in e.arms:
        given = binder_types(g, arm.binders, e.at)
        payload = map(unsized, sum_.payload(arm.constructor))
        for b, found, want in zip(arm.binders, given, payload, strict=True):
            same(found, want, "R-MATCH", f"the field {b.name} of #{arm.constructor}", e.at)
        types.append(infer(rest.having(bound(arm.binders, given)), arm.body))
    if e.default is not None:
        types.append(infer(rest, e.default))
    for other in types[1:]:
        same(other, types[0], "R-MATCH", "another arm", e.at)
    return types[0]


def _loop(g: Gamma, e: c.Loop) -> Type:
    """Γ; Δ ⊢ loop p = e … form do body: the parameters keep their regions."""
    types = binder_types(g, e.params, e.at)
    for b, x, t in zip(e.params, e.init, types, strict=True):
        same(infer(g, x), t, "R-LOOP", f"the initial value of {b.name}", e.at)
    inner = g.having(bound(e.params, types))
    match e.form:
        case c.For(index, limit):
            infer(g, limit)
            inner.types[index] = I64
        case c.While(cond):
            infer(inner, cond)
    same(infer(inner, e.body), group(types), "R-LOOP", "the body", e.at)
    return group(types)


def _record(t: Type) -> c.Record:
    if not isinstance(t, c.Record):
        raise Stuck(f"{t} is not a record type")
    return t


def _scalar(t: Type) -> ScalarType:
    if not isinstance(t, ScalarType):
        raise Stuck(f"{t} is not a scalar type")
    return t


_JUDGEMENTS = Judgements(infer, operand)
