r"""Infer the regions of an expression: section 3 of paper 000 on Core.

    x[i]                      the element of the array's type
    if, match, loop           the values of all branches and iterations have one type
    \x -> e                   a closure in a region; all that it captures lies there
    f x, f a definition       the definition's type at fresh regions
    an array operation        makes its arrays in fresh regions (arrays.py)

A lambda or a definition that is applied where it stands, or is the operand of an array operation,
is code in place: it captures nothing.
"""

from collections.abc import Mapping, Sequence

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.diagnostics import Span, Stuck
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.regions.forms import (
    Places,
    at,
    in_place,
    keys,
    made,
    regions_in,
    renamed,
    split,
    step,
)
from funmem.ir.scalars import BOOL, I64, ScalarType, bin_result, un_result
from funmem.passes.core.names import free_names
from funmem.passes.core.regions.draft import Draft, Regions

Types = Mapping[Name, Type]


@frozen
class Scheme:
    """The type of a definition, and its regions, which each use replaces by fresh ones."""

    type: Type
    params: tuple[Name, ...]


@define
class Inference:
    """What is known of the program, and the regions of the group that is being inferred."""

    places: Places
    defs: Mapping[Name, Def]
    regions: Regions
    schemes: dict[Name, Scheme] = field(factory=dict)
    group: dict[Name, Type] = field(factory=dict)
    """The types of the definitions of the group, at the regions that they are being given."""
    closures: list[Name] = field(factory=list)
    """The regions of the closures around the expression."""
    named: Mapping[Span, str] = field(factory=dict)
    """The regions that the source names for what ``iota``, ``map`` and literals make."""

    def located(self, t: Type) -> Type:
        """Return a type of Core with fresh regions."""
        return self.places.located(t, self.regions.fresh)

    def binders(self, bs: Sequence[c.Binder]) -> tuple[Type, ...]:
        """Return the types of binders with fresh regions."""
        return tuple(self.located(b.type) for b in bs)

    # ------------------------------------------------------------------ functions

    def operand(self, fn: Exp, given: int, types: Types) -> Draft:
        """Infer a function that is applied to so many arguments."""
        if in_place(fn, given, self.defs):
            if isinstance(fn, c.Global):
                return self.instance(fn, code=True)
            if isinstance(fn, c.Lambda):
                return self.code(fn, types)
        return self.exp(fn, types)

    def code(self, fn: c.Lambda, types: Types) -> Draft:
        """Infer a lambda that is executed in place."""
        ts = self.binders(fn.params)
        inner = self.exp(fn.body, {**types, **_bound(fn.params, ts)})
        return Draft(fn, c.arrow(ts, inner.type), ts, (inner,), code=True)

    def instance(self, e: c.Global, *, code: bool = False) -> Draft:
        """Return a definition at fresh regions; one of the same group at the group's own."""
        if e.name in self.group:
            t = self.group[e.name]
            for r in self.closures:  # its regions are free in the closures around it
                for x in regions_in(t):
                    self.regions.union(r, x)
            return Draft(e, t, group=e.name, code=code)
        scheme = self.schemes[e.name]
        of = keys(scheme.type)
        image = {r: self.regions.fresh(of[r]) for r in scheme.params}
        return Draft(e, renamed(scheme.type, image), args=tuple(image.values()), code=code)

    def value(self, e: c.Global) -> Draft:
        """Infer a definition that is used as a value: a constant, or a closure of a function."""
        d = self.instance(e)
        if not isinstance(self.defs[e.name].exp, c.Lambda):
            return d
        d.type = self.closure(self.regions.fresh(self.defs[e.name].type), d.type)
        d.made = made(e, d.type)
        return d

    def closure(self, r: Name, t: Type) -> Type:
        """Return ``at 'r t`` for the type of code; functions that it returns lie in r as well."""
        return at(r, self._spine(r, t))

    def _spine(self, r: Name, t: Type) -> Type:
        if isinstance(t, c.Arrow):
            return c.Arrow(t.param, self._spine(r, t.result))
        found = split(t)
        if found is None or not isinstance(found[1], c.Arrow):
            return t
        self.regions.union(r, found[0])
        return found[1]

    def applied(self, t: Type, args: Sequence[Type]) -> Type:
        """Return the type of a function's result.  A partial application captures its arguments."""
        captured: list[Type] = []
        partial = False
        for u in args:
            found = split(t)
            param, t = step(t)
            self.regions.unify(param, u)
            if found is not None:
                captured.append(u)
                rest = split(t)
                partial = rest is not None and isinstance(rest[1], c.Arrow)
        if partial and (rest := split(t)) is not None:
            self.capture(rest[0], captured)
        return t

    def capture(self, r: Name, types: Sequence[Type]) -> None:
        """Make all regions of the types one with r, the region of a closure."""
        for t in types:
            for x in regions_in(t):
                self.regions.union(r, x)

    def inside(self, r: Name, body: Exp, types: Types) -> Draft:
        """Infer the body of a closure that lies in r."""
        self.closures.append(r)
        with self.regions.closure():
            inner = self.exp(body, types)
        self.closures.pop()
        return inner

    def lambda_(self, e: c.Lambda, types: Types) -> Draft:
        """Infer a closure."""
        r = self.regions.fresh(c.arrow([b.type for b in e.params], c.UNIT))
        ts = self.binders(e.params)
        self.capture(r, [types[x] for x in free_names(e) if x in types])
        inner = self.inside(r, e.body, {**types, **_bound(e.params, ts)})
        t = self.closure(r, c.arrow(ts, inner.type))
        return Draft(e, t, ts, (inner,), made(e, t))

    def mu(self, e: c.Mu, types: Types) -> Draft:
        """Infer a local recursive function: a closure that knows itself."""
        itself, ts = self.located(e.binder.type), self.binders(e.fn.params)
        found = split(itself)
        if found is None:
            raise Stuck(f"{itself} is not a function type")
        r = found[0]
        own = {e.binder.name: itself, **_bound(e.fn.params, ts)}
        captured = [types[x] for x in free_names(e) if x in types]
        self.capture(r, captured)
        inner = self.inside(r, e.fn.body, {**types, **own})
        self.regions.unify(itself, self.closure(r, c.arrow(ts, inner.type)))
        return Draft(e, itself, (itself, *ts), (inner,), made(e, itself))

    # ------------------------------------------------------------------ all expressions

    def each(self, es: Sequence[Exp], types: Types) -> tuple[Draft, ...]:
        """Infer several expressions."""
        return tuple(self.exp(e, types) for e in es)

    def exp(self, e: Exp, types: Types) -> Draft:
        """Infer an expression in the scope of names with these types."""
        match e:
            case c.Var(name):
                return Draft(e, types[name])
            case c.Const(_, t):
                return Draft(e, t)
            case c.Global():
                return self.value(e)
            case c.Lambda():
                return self.lambda_(e, types)
            case c.Mu():
                return self.mu(e, types)
            case c.App(fn, args):
                f, xs = self.operand(fn, len(args), types), self.each(args, types)
                return Draft(e, self.applied(f.type, [x.type for x in xs]), parts=(f, *xs))
            case c.Foreign(_, args, t):
                xs, t = self.each(args, types), self.located(t)
                return Draft(e, t, (t,), xs, made(e, t))
            case c.Let(binders, exp, body):
                return self.let(e, binders, exp, body, types)
            case c.Assert(cond, _, values, body):
                xs = (self.exp(cond, types), *self.each(values, types))
                inner = self.exp(body, types)
                return Draft(e, inner.type, parts=(*xs, inner))
            case c.If(cond, then, orelse):
                parts = self.each((cond, then, orelse), types)
                self.regions.unify(parts[1].type, parts[2].type)
                return Draft(e, parts[1].type, parts=parts)
            case c.Match():
                return self.match(e, types)
            case c.Loop():
                return self.loop(e, types)
            case c.Fields(fields):
                xs = self.each([x for _, x in fields], types)
                pairs = zip(fields, xs, strict=True)
                return Draft(e, c.Record(tuple((x, d.type) for (x, _), d in pairs)), parts=xs)
            case c.Project(exp, label):
                x = self.exp(exp, types)
                return Draft(e, _record(x.type).field(label), parts=(x,))
            case c.Construct(name, args, t):
                xs, t = self.each(args, types), self.located(t)
                for x, u in zip(xs, self.places.sum(t).payload(name), strict=True):
                    self.regions.unify(x.type, u)
                return Draft(e, t, (t,), xs)
            case c.Bin(op, a, b):
                parts = self.each((a, b), types)
                return Draft(e, bin_result(op, _scalar(parts[0].type)) or BOOL, parts=parts)
            case c.Un(op, a):
                x = self.exp(a, types)
                return Draft(e, un_result(op, _scalar(x.type)) or BOOL, parts=(x,))
            case c.Convert(to, a):
                return Draft(e, to, parts=(self.exp(a, types),))
            case c.Equal(a, b):
                return Draft(e, BOOL, parts=self.each((a, b), types))
            case c.ArrayOperation():
                from funmem.passes.core.regions.arrays import array_operation

                return self._named(array_operation(self, c.array_exp(e), types))

    def _named(self, d: Draft) -> Draft:
        """Make the region in which an operation makes its array the one that the source names."""
        if isinstance(d.exp, c.ArrayLit | c.Iota | c.Map) and d.made:
            name = self.named.get(d.exp.at)
            if name is not None:
                self.regions.union(d.made[0], self.regions.called(name))
        return d

    def let(
        self, e: c.Let, binders: Sequence[c.Binder], exp: Exp, body: Exp, types: Types
    ) -> Draft:
        """Infer ``let p … = e in body``."""
        x, ts = self.exp(exp, types), self.binders(binders)
        self.regions.unify(x.type, ts[0] if len(ts) == 1 else _like(x.type, ts))
        inner = self.exp(body, {**types, **_bound(binders, ts)})
        return Draft(e, inner.type, ts, (x, inner))

    def match(self, e: c.Match, types: Types) -> Draft:
        """Infer a match: an arm binds the fields of the constructor at the value's regions."""
        x = self.exp(e.exp, types)
        sum_ = self.places.sum(x.type)
        given: list[Type] = []
        bodies: list[Draft] = []
        for arm in e.arms:
            ts = self.binders(arm.binders)
            for t, u in zip(ts, sum_.payload(arm.constructor), strict=True):
                self.regions.unify(t, u)
            given += ts
            bodies.append(self.exp(arm.body, {**types, **_bound(arm.binders, ts)}))
        if e.default is not None:
            bodies.append(self.exp(e.default, types))
        for d in bodies[1:]:
            self.regions.unify(bodies[0].type, d.type)
        return Draft(e, bodies[0].type, tuple(given), (x, *bodies))

    def loop(self, e: c.Loop, types: Types) -> Draft:
        """Infer a loop: its parameters keep their regions."""
        start, ts = self.each(e.init, types), self.binders(e.params)
        for x, t in zip(start, ts, strict=True):
            self.regions.unify(x.type, t)
        inner: dict[Name, Type] = {**types, **_bound(e.params, ts)}
        match e.form:
            case c.For(index, bound):
                form = self.exp(bound, types)
                inner[index] = I64
            case c.While(cond):
                form = self.exp(cond, inner)
        t = ts[0] if len(ts) == 1 else c.tuple_type(*ts)
        body = self.exp(e.body, inner)
        self.regions.unify(body.type, t if len(ts) == 1 else _like(body.type, ts))
        return Draft(e, t, ts, (*start, form, body))


def _bound(bs: Sequence[c.Binder], types: Sequence[Type]) -> dict[Name, Type]:
    return {b.name: t for b, t in zip(bs, types, strict=True)}


def _like(t: Type, types: Sequence[Type]) -> Type:
    """Return the record type with the labels of ``t`` and these types."""
    labels = [label for label, _ in _record(t).fields]
    return c.Record(tuple(zip(labels, types, strict=True)))


def _record(t: Type) -> c.Record:
    if not isinstance(t, c.Record):
        raise Stuck(f"{t} is not a record type")
    return t


def _scalar(t: Type) -> ScalarType:
    if not isinstance(t, ScalarType):
        raise Stuck(f"{t} is not a scalar type")
    return t
