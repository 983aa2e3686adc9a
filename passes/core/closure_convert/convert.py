"""Functions become data, and applications calls of dispatch functions."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_types import is_size, portable
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.passes.core.closure_convert.analysis import Source
from funmem.passes.core.closure_convert.arrays import Arrays
from funmem.passes.core.closure_convert.classes import Member, Solution
from funmem.passes.core.closure_convert.flows import (
    Class,
    Each,
    Elements,
    Flow,
    Fn,
    Named,
    after,
    steps,
)
from funmem.passes.core.defunctionalise.state import arity
from funmem.passes.core.unique import Unique


class Conversion(Arrays):
    """Builds the new program, once :class:`Solution` has said which classes are data."""

    def __init__(self, p: CoreProgram, fresh: Fresh) -> None:
        super().__init__(p)
        self._fresh = fresh
        self._names = Fresh([x.name for xs in (p.defs, p.data, p.entries) for x in xs])
        self._constants = {d.name: d.name for d in p.defs if is_size(d)}
        self._data: dict[Class, Name] = {}
        """The data types of classes with several constructors, as far as they are needed."""
        self._dispatch: dict[Class, Name] = {}
        """The dispatch functions of classes, as far as they are needed."""

    def program(self, p: CoreProgram) -> CoreProgram:
        """Return the new program."""
        for e in p.entries:
            self._plain(e)
        defs = [self.body(d) for d in p.defs]
        entries = [self.entry(e) for e in p.entries]
        self._solution = Solution(self)
        new = [
            evolve(d, type=self.type_of_definition(d), exp=x.build())
            for d, x in zip(p.defs, defs, strict=True)
        ]
        tops = tuple(evolve(e, exp=x.build()) for e, x in zip(p.entries, entries, strict=True))
        new += _growing(self._dispatch, self._applying)
        data = [evolve(d, type=self._payloads(d)) for d in p.data]
        data += _growing(self._data, self._definition)
        return evolve(p, entries=tops, defs=tuple(new), data=tuple(data))

    def _plain(self, e: c.Entry) -> None:
        """Raise SourceError if a function would have to cross the boundary of an entry point."""
        types = [(f"parameter {q.binder.name}", q.binder.type) for q in e.params]
        for what, t in (*types, ("the result", e.result)):
            if self.flows.functional(t):
                said = f"not supported: {what} of {e.name} holds a function"
                hint = "take or return what the function is made of"
                raise SourceError(Diagnostic(e.at, "not-supported", said, hint))

    # ------------------------------------------------------------------ types

    def type(self, t: Type, flow: Flow) -> Type:
        """Return the type of the values of a flow; ``t`` is the old one."""
        match flow, t:
            case Fn(), c.Arrow(param, result):
                k = flow.found
                if k.data:
                    return self._representation(k)
                return c.Arrow(self.type(param, k.param), self.type(result, k.result))
            case Elements(elem), c.Array(u, size):
                return c.Array(self.type(u, elem), size)
            case Each(parts), c.Record(fields):
                given = zip(fields, parts, strict=True)
                return c.Record(tuple((x, self.type(u, v)) for (x, u), (_, (v,)) in given))
            case Each(), c.Sum():
                return self._sum(t, flow)
            case ((Named() | None), _):
                return t
            case _:
                raise TypeError(f"{t} has the flow {flow}")

    def _sum(self, t: c.Sum, flow: Each) -> c.Sum:
        given = zip(t.constructors, flow.parts, strict=True)
        return c.Sum(
            tuple(
                (x, tuple(self.type(u, v) for u, v in zip(us, vs, strict=True)))
                for (x, us), (_, vs) in given
            )
        )

    def _payloads(self, d: c.DataDef) -> c.Sum:
        return self._sum(d.type, self.flows.definition(d.name))

    def _representation(self, of: Class) -> Type:
        """Return the type of a class: what its only lambda captures, or a data type."""
        members = self._solution.members(of)
        if self._solution.named(of):
            if of not in self._data:
                self._data[of] = self._names(Name("closure"))
            return c.Data(self._data[of])
        types = self._captured_types(members[0]) if members else ()
        return types[0] if len(types) == 1 else c.tuple_type(*types)

    def _captured_types(self, m: Member) -> tuple[Type, ...]:
        return tuple(portable(self.type(b.type, flow)) for b, flow in self._solution.captured(m))

    def _definition(self, of: Class, name: Name) -> c.DataDef:
        """Return the data type of a class: one constructor for each lambda."""
        members = self._solution.members(of)
        constructors = tuple((f"fn{k}", self._captured_types(m)) for k, m in enumerate(members))
        return c.DataDef(name, (), c.Sum(constructors), members[0].source.fn.at)

    # ------------------------------------------------------------------ functions

    def function(self, source: Source, start: int, at: Span) -> Exp:
        """Return a lambda as a value, once its first parameters are bound."""
        if start == len(source.steps):
            return self._bodies[source.number].build()
        if source.steps[start].found.data:
            return self._constructed(Member(source, start), at)
        end = self._solution.end(source, start)
        params = tuple(
            c.Binder(p.name, self.type(p.type, source.flows[p.name]))
            for p in source.fn.params[start:end]
        )
        return c.Lambda(params, self.function(source, end, at), at)

    def _constructed(self, m: Member, at: Span) -> Exp:
        values = tuple(c.Var(b.name, at) for b, _ in self._solution.captured(m))
        t = self._representation(m.of)
        if isinstance(t, c.Data) and self._solution.named(m.of):
            return c.Construct(f"fn{self._solution.index(m)}", values, t, at)
        return values[0] if len(values) == 1 else c.tuple_exp(*values, at=at)

    # ------------------------------------------------------------------ applications

    def applied(self, fn: Exp, flow: Flow, args: Sequence[Exp], at: Span) -> Exp:
        """Return the application of a function of the flow.

        If it takes several calls, the arguments are evaluated before the first one.
        """
        taken = self._taken(flow, len(args))
        if taken == len(args):
            return self._called(fn, flow, args, at)
        bound: list[tuple[c.Binder, Exp]] = []

        def name(e: Exp, t: Type, u: Flow) -> Exp:
            if isinstance(e, c.Var | c.Const | c.Global):
                return e
            binder = c.Binder(self._fresh(Name("x")), portable(self.type(t, u)))
            bound.append((binder, e))
            return c.Var(binder.name, at)

        assert isinstance(flow, Fn)
        fn = name(fn, flow.found.type, flow)
        params, _ = arity(flow.found.type)
        given = [
            name(a, t, step.found.param)
            for a, t, step in zip(args, params, steps(flow), strict=False)
        ]
        while given:
            taken = self._taken(flow, len(given))
            fn = self._called(fn, flow, given[:taken], at)
            flow, given = after(flow, taken), given[taken:]
        for binder, e in reversed(bound):
            fn = c.Let((binder,), e, fn, at)
        return fn

    def _taken(self, flow: Flow, n: int) -> int:
        """Return how many of n arguments one call takes."""
        first, *rest = [step.found for step in list(steps(flow))[:n]]
        if first.data:
            return self._solution.arity(first)
        return next((k for k, x in enumerate(rest, 1) if x.data), n)

    def _called(self, fn: Exp, flow: Flow, args: Sequence[Exp], at: Span) -> Exp:
        assert isinstance(flow, Fn)
        if not flow.found.data:
            return c.App(fn, tuple(args), at)
        passed = tuple(c.Var(b.name, at) for b in self._solution.passed(flow.found))
        return c.App(c.Global(self._dispatching(flow.found), (), at), (*passed, fn, *args), at)

    def operand(self, fn: Exp, flow: Flow, n: int, rest: Callable[[Exp], Exp]) -> Exp:
        """Return ``rest`` of a lambda with n parameters that does what a function does."""
        classes = [step.found for step in steps(flow)][:n]
        if not any(k.data for k in classes):
            return rest(fn)
        at = fn.at
        binders = tuple(
            c.Binder(self._fresh(Name("x")), portable(self.type(k.type.param, k.param)))
            for k in classes
        )
        value = c.Binder(self._fresh(Name("f")), portable(self.type(classes[0].type, flow)))
        args = tuple(c.Var(b.name, at) for b in binders)
        body = self.applied(c.Var(value.name, at), flow, args, at)
        return c.Let((value,), fn, rest(c.Lambda(binders, body, at)), at)

    # ------------------------------------------------------------------ dispatch

    def _dispatching(self, of: Class) -> Name:
        if of not in self._dispatch:
            self._dispatch[of] = self._names(Name("apply"))
        return self._dispatch[of]

    def _applying(self, of: Class, name: Name) -> c.Def:
        """Return the dispatch function of a class."""
        n = self._solution.arity(of)
        t, flow = of.type, Fn(of)
        value = c.Binder(self._fresh(Name("f")), portable(self.type(t, flow)))
        params: list[c.Binder] = []
        for step in list(steps(flow))[:n]:
            new = portable(self.type(step.found.type.param, step.found.param))
            params.append(c.Binder(self._fresh(Name("x")), new))
        types, end = arity(t)
        result = portable(self.type(c.arrow(types[n:], end), after(flow, n)))
        body = self._chosen(of, c.Var(value.name), params, result)
        binders = (*self._solution.passed(of), value, *params)
        fn = Unique(self._constants).exp(c.Lambda(binders, body), {})
        return c.Def(name, (), c.arrow([portable(b.type) for b in binders], result), fn)

    def _chosen(self, of: Class, value: c.Var, params: Sequence[c.Binder], result: Type) -> Exp:
        members = self._solution.members(of)
        if not members:  # nothing flows here, so nothing is applied
            zero = c.Fix(c.Const(0, I64))
            return c.Index(c.ArrayLit((), result), (zero,))
        arms: list[c.Arm] = []
        for k, m in enumerate(members):
            binders = tuple(
                c.Binder(b.name, self.type(b.type, u)) for b, u in self._solution.captured(m)
            )
            arms.append(c.Arm(f"fn{k}", binders, self._arm(m, params)))
        if self._solution.named(of):
            return c.Match(value, tuple(arms))
        only = arms[0]
        return c.Let(only.binders, value, only.body) if only.binders else only.body

    def _arm(self, m: Member, params: Sequence[c.Binder]) -> Exp:
        """Return the body of a lambda, applied to the parameters of the dispatch function."""
        e = self.function(m.source, m.start + len(params), m.source.fn.at)
        given = zip(m.source.fn.params[m.start :], params, strict=False)
        for p, x in reversed(list(given)):
            binder = c.Binder(p.name, self.type(p.type, m.source.flows[p.name]))
            e = c.Let((binder,), c.Var(x.name), e)
        return e


_V = TypeVar("_V")


def _growing(table: dict[Class, Name], make: Callable[[Class, Name], _V]) -> Iterable[_V]:
    """Yield what ``make`` gives for the entries of a table, which may grow meanwhile."""
    done = 0
    while done < len(table):
        key, name = list(table.items())[done]
        yield make(key, name)
        done += 1
