"""The flow of every expression, and what the expression becomes once all flows are known.

``Analysis.exp`` walks over an expression once.  It unites the flows that meet there, and returns
the expression's own flow with a function that builds the new expression.  The builders run after
the analysis, when it is known which classes are data.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import map_parts, parts
from funmem.ir.core_types import type_of
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64
from funmem.passes.core.closure_convert.condition import changing
from funmem.passes.core.closure_convert.flows import Each, Flow, Flows, Fn, after, record, steps
from funmem.passes.core.names import free_names

Build: TypeAlias = Callable[[], Exp]


@frozen
class Found:
    """An expression's flow, and the expression of the new program."""

    flow: Flow
    build: Build


@frozen
class Place:
    """Where an expression is."""

    owner: Name
    """The entry point or definition."""
    time: int
    """When the walk was there; see ``Analysis.once``."""
    within: int | None
    """The number of the innermost lambda around it, apart from that of a definition."""


@frozen
class Source:
    """A lambda of the old program."""

    number: int
    at: Place
    fn: c.Lambda
    steps: tuple[Fn, ...]
    """The flows of the function, of what it gives for one argument, and so on: one a parameter."""
    captured: tuple[c.Binder, ...]
    flows: Mapping[Name, Flow]
    """The flows of what it captures and of its parameters."""


class Analysis(ABC):
    """Walks over the definitions and entry points; subclasses know what functions become."""

    def __init__(self, p: CoreProgram) -> None:
        self.flows = Flows({d.name: d for d in p.data})
        self._source = {d.name: d for d in p.defs}
        self.sources: list[Source] = []
        self._bodies: dict[int, Found] = {}
        self.sites: list[tuple[Fn, Place]] = []
        """The functions that are applied, and where."""
        self.once: dict[tuple[Name, Name], tuple[int, int]] = {}
        """When the walk entered and left the scope of each variable that an owner binds at most
        once in a run: outside of lambdas and loops."""
        self._owner = Name("")
        self._time, self._is_once = 0, True
        self._within: int | None = None
        self._scope: list[Name] = []
        self._changing = changing(self._source)
        self.definitions = {d.name: self.flows.fresh(d.type) for d in p.defs}
        self._vars: dict[Name, Flow] = {}
        self._types: dict[Name, Type] = {}

    # ------------------------------------------------------------------ what functions become

    @abstractmethod
    def type(self, t: Type, flow: Flow) -> Type:
        """Return the type of the values of a flow."""

    @abstractmethod
    def function(self, source: Source, start: int, at: Span) -> Exp:
        """Return a lambda as a value, once its first parameters are bound."""

    @abstractmethod
    def applied(self, fn: Exp, flow: Flow, args: Sequence[Exp], at: Span) -> Exp:
        """Return the application of a function of the flow."""

    @abstractmethod
    def operand(self, fn: Exp, flow: Flow, n: int, rest: Callable[[Exp], Exp]) -> Exp:
        """Return ``rest`` of a lambda with n parameters that does what a function does."""

    # ------------------------------------------------------------------ definitions

    def body(self, d: c.Def) -> Found:
        """Walk over a definition."""
        self._begin(d.name)
        found = self._lambda(d.exp, once=True) if isinstance(d.exp, c.Lambda) else self.exp(d.exp)
        self._leave(0)
        self.flows.unite(found.flow, self.definitions[d.name])
        if d.name in self._changing:
            count = len(d.exp.params) if isinstance(d.exp, c.Lambda) else 0
            for step in list(steps(found.flow))[:count]:
                self.flows.mark(step.found.param)
            self.flows.mark(after(found.flow, count))
        return found

    def type_of_definition(self, d: c.Def) -> Type:
        """Return the new type of a definition."""
        return self.type(d.type, self.definitions[d.name])

    def entry(self, e: c.Entry) -> Found:
        """Walk over an entry point."""
        self._begin(e.name)
        params = [*(c.Binder(x, I64) for x in e.sizes), *(q.binder for q in e.params)]
        self._bind(params, [None] * len(params))
        found = self.exp(e.exp)
        self._leave(0)
        return found

    def _begin(self, owner: Name) -> None:
        self._owner, self._within, self._is_once, self._scope = owner, None, True, []
        self._vars, self._types = {}, {}

    def _place(self) -> Place:
        self._time += 1
        return Place(self._owner, self._time, self._within)

    # ------------------------------------------------------------------ expressions

    def exp(self, e: Exp) -> Found:
        """Walk over an expression."""
        links: list[Callable[[Exp], Exp]] = []
        depth = len(self._scope)
        while isinstance(e, c.Let | c.Assert):
            links.append(self._link(e))
            e = e.body
        found = self._end(e)
        self._leave(depth)
        if not links:
            return found

        def build() -> Exp:
            result = found.build()
            for link in reversed(links):
                result = link(result)
            return result

        return Found(found.flow, build)

    def _leave(self, depth: int) -> None:
        """Note that the scope of all but the first variables has been left."""
        while len(self._scope) > depth:
            x = (self._owner, self._scope.pop())
            self.once[x] = (self.once[x][0], self._time)

    def _link(self, e: c.Let | c.Assert) -> Callable[[Exp], Exp]:
        match e:
            case c.Let(binders, exp, _, at):
                found = self.exp(exp)
                bind = self._bind(binders, self._fields(found.flow, len(binders)))
                return lambda rest: c.Let(bind(), found.build(), rest, at)
            case c.Assert(cond, message, values, _, at):
                first, others = self.exp(cond), tuple(map(self.exp, values))
                return lambda rest: c.Assert(first.build(), message, _built(others), rest, at)

    def _fields(self, flow: Flow, n: int) -> tuple[Flow, ...]:
        """Return the flows of n names for a value: for the value itself, or for its fields."""
        if n == 1:
            return (flow,)
        if isinstance(flow, Each):
            return tuple(u for _, (u,) in flow.parts)
        return (None,) * n

    def _bind(
        self, binders: Sequence[c.Binder], flows: Sequence[Flow]
    ) -> Callable[[], tuple[c.Binder, ...]]:
        """Note binders and their flows; return what gives the new binders."""
        given = list(zip(binders, flows, strict=True))
        for b, flow in given:
            self._vars[b.name], self._types[b.name] = flow, b.type
            if self._is_once:
                self.once[self._owner, b.name] = (self._time, self._time)
                self._scope.append(b.name)
        return lambda: tuple(c.Binder(b.name, self.type(b.type, flow)) for b, flow in given)

    def _end(self, e: c.EndExp) -> Found:
        match e:
            case c.Var(name):
                return Found(self._vars[name], lambda: e)
            case c.Global(name):
                return Found(self.definitions[name], lambda: e)
            case c.Const():
                return Found(None, lambda: e)
            case c.Lambda():
                return self._lambda(e)
            case c.Mu(_, _, at):
                raise TypeError(f"{at}: `mu` that lambda-lift did not remove")
            case c.App(fn, args, at):
                f, given = self.exp(fn), tuple(map(self.exp, args))
                self._apply(f.flow, [x.flow for x in given])
                return Found(
                    after(f.flow, len(args)),
                    lambda: self.applied(f.build(), f.flow, _built(given), at),
                )
            case c.If():
                kids = self._kids(e)
                return self._joined(e, kids, kids[1:])
            case c.Match():
                return self._match(e)
            case c.Loop():
                return self._loop(e)
            case c.Fields(fields):
                kids = self._kids(e)
                flow = record([(x, k.flow) for (x, _), k in zip(fields, kids, strict=True)])
                return Found(flow, self._rebuilt(e, kids))
            case c.Project(_, label):
                kids = self._kids(e)
                flow = kids[0].flow
                (part,) = flow.part(label) if isinstance(flow, Each) else (None,)
                return Found(part, self._rebuilt(e, kids))
            case c.Construct(constructor, args, t):
                kids, flow = self._kids(e), self.flows.fresh(t)
                payload = self.flows.payload(flow, constructor, len(args))
                for kid, part in zip(kids, payload, strict=True):
                    self.flows.unite(part, kid.flow)
                return Found(flow, self._rebuilt(e, kids, lambda u: self.type(u, flow)))
            case c.Foreign() | c.ScalarOperation():
                return Found(None, self._rebuilt(e, self._kids(e)))
            case c.ArrayOperation():
                return self._array(c.array_exp(e))

    def _apply(self, fn: Flow, args: Sequence[Flow]) -> None:
        """Note an application."""
        for k, (step, flow) in enumerate(zip(steps(fn), args, strict=False)):
            step.found.applied(len(args) - k)
            self.flows.unite(step.found.param, flow)
            self.sites.append((step, self._place()))

    def _kids(self, e: Exp) -> tuple[Found, ...]:
        return tuple(map(self.exp, parts(e)))

    def _rebuilt(
        self, e: Exp, kids: Sequence[Found], t: Callable[[Type], Type] = lambda t: t
    ) -> Build:
        def build() -> Exp:
            given = iter(kids)
            return map_parts(e, lambda _: next(given).build(), t)

        return build

    def _joined(self, e: Exp, kids: Sequence[Found], branches: Sequence[Found]) -> Found:
        """Return an expression that is one of its branches: a function among them is data."""
        flow = branches[0].flow
        for other in branches[1:]:
            self.flows.unite(flow, other.flow)
        self.flows.mark(flow)
        return Found(flow, self._rebuilt(e, kids))

    def _match(self, e: c.Match) -> Found:
        exp = self.exp(e.exp)
        arms: list[tuple[c.Arm, Callable[[], tuple[c.Binder, ...]], Found]] = []
        for a in e.arms:
            flows = self.flows.payload(exp.flow, a.constructor, len(a.binders))
            depth = len(self._scope)
            bind = self._bind(a.binders, flows)
            arms.append((a, bind, self.exp(a.body)))
            self._leave(depth)
        default = None if e.default is None else self.exp(e.default)
        bodies = [*(body for _, _, body in arms), *([] if default is None else [default])]

        def build() -> Exp:
            new = tuple(c.Arm(a.constructor, bind(), body.build()) for a, bind, body in arms)
            other = None if default is None else default.build()
            return c.Match(exp.build(), new, other, e.at)

        return Found(self._joined(e, (), bodies).flow, build)

    def _loop(self, e: c.Loop) -> Found:
        init, form = tuple(map(self.exp, e.init)), e.form
        bound = self.exp(form.bound) if isinstance(form, c.For) else None
        outside, self._is_once = self._is_once, False
        bind = self._bind(e.params, [x.flow for x in init])
        if isinstance(form, c.For):
            self._bind((c.Binder(form.index, I64),), (None,))
        cond = self.exp(form.cond) if isinstance(form, c.While) else None
        body = self.exp(e.body)
        self._is_once = outside
        for x, y in zip(init, self._fields(body.flow, len(init)), strict=True):
            self.flows.unite(x.flow, y)
            self.flows.mark(x.flow)

        def build() -> Exp:
            start = _built(init)
            match form:
                case c.For(i, _):
                    assert bound is not None
                    new: c.For | c.While = c.For(i, bound.build())
                case c.While():
                    assert cond is not None
                    new = c.While(cond.build())
            return c.Loop(bind(), start, new, body.build(), e.at)

        return Found(body.flow, build)

    def _lambda(self, e: c.Lambda, *, once: bool = False) -> Found:
        """Walk over a lambda, and note what it captures; sizes come first.

        ``once``: it is a definition, whose body counts as evaluated once in each run.
        """
        at, number = self._place(), len(self.sources)
        captured = [c.Binder(x, self._types[x]) for x in free_names(e) if x in self._types]
        captured.sort(key=lambda b: b.type is not I64)
        flows = {b.name: self._vars[b.name] for b in captured}
        flow = self.flows.fresh(type_of(e, self._types, self._source))
        taken = tuple(steps(flow))[: len(e.params)]
        params = [step.found.param for step in taken]
        outside, self._is_once = self._is_once, once
        self._bind(e.params, params)
        flows |= {p.name: u for p, u in zip(e.params, params, strict=True)}
        self._within = None if once else number
        source = Source(number, at, e, taken, tuple(captured), flows)
        self.sources.append(source)
        body = self.exp(e.body)
        self._within, self._is_once = at.within, outside
        self.flows.unite(after(flow, len(params)), body.flow)
        self._bodies[number] = body
        return Found(flow, lambda: self.function(source, 0, e.at))

    @abstractmethod
    def _array(self, e: c.ArrayExp) -> Found:
        """Walk over an array operation."""


def _built(found: Sequence[Found]) -> tuple[Exp, ...]:
    return tuple(x.build() for x in found)
