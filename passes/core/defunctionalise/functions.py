"""Function values at compile time: what an expression stands for, and how it is applied."""

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import has_arrow
from funmem.ir.core_types import portable
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.passes.core.defunctionalise.state import State, Wrap, arity, unknown_function, wrapped
from funmem.passes.core.defunctionalise.static_values import (
    Closure,
    Defined,
    Dyn,
    Env,
    Rec,
    Static,
    Table,
)


class Functions(State):
    """Evaluates function-valued expressions, and applies their values."""

    # ------------------------------------------------------------------ evaluation

    def static(self, e: Exp, env: Env, out: list[Wrap]) -> Static:
        """Return the static value of ``e``; append what must be evaluated for it to ``out``."""
        e = self._placed(e)
        while isinstance(e, c.Let | c.Assert):
            env, e = self._bind(e, env, out)
            e = self._placed(e)
        match e:
            case c.Var(name):
                return env.static(name)
            case c.Global(name):
                return self.definition(self._source[name], out)
            case c.Lambda(params, body, at):
                return Closure(params, body, env, at, self._inside)
            case c.Mu(_, _, at):
                raise unknown_function(at, "`mu` that lambda-lift did not remove")
            case c.App(fn, args, at):
                return self._apply_static(self.static(fn, env, out), args, env, out, at)
            case c.Project(exp, label, at):
                if has_arrow(self._type(exp, env)):
                    return self._field(self.static(exp, env, out), label, at)
            case c.Fields(fields):
                return Rec(tuple((label, self._value(x, env, out)) for label, x in fields))
            case c.If(_, _, _, at):
                raise unknown_function(at, "a function that `if` chooses")
            case c.Match(_, _, _, at):
                raise unknown_function(at, "a function that `match` chooses")
            case c.Loop(_, _, _, _, at):
                raise unknown_function(at, "a function that a loop computes")
            case c.Const() | c.Foreign() | c.Construct():
                pass
            case c.ScalarOperation() | c.ArrayOperation():
                pass
        raise unknown_function(e.at, "a function that comes out of an array or a sum type")

    def _bind(self, e: c.Let | c.Assert, env: Env, out: list[Wrap]) -> tuple[Env, Exp]:
        """Append the binding of a link to ``out``; return the rest and its environment."""
        match e:
            case c.Let(binders, exp, body, at):
                if any(has_arrow(b.type) for b in binders):
                    static = self.static(exp, env, out)
                    return Env(self._take_apart(binders, static, at), env), body
                new_exp = self.dyn(exp, env)
                if len(binders) == 1 and isinstance(new_exp, c.Var | c.Const):
                    type_ = self.type(binders[0].type, env)
                    known = (Dyn(new_exp, type_), binders[0].type)
                    return Env({binders[0].name: known}, env), body
                new, inner = self._binders(binders, env)
                out.append(lambda rest: c.Let(new, new_exp, rest, at))
                return inner, body
            case c.Assert(cond, message, values, body, at):
                new_cond, new_values = self.dyn(cond, env), self._each(values, env)
                out.append(lambda rest: c.Assert(new_cond, message, new_values, rest, at))
                return env, body

    def _value(self, e: Exp, env: Env, out: list[Wrap]) -> Static:
        """Return the static value of ``e``; a first-order value gets a name."""
        t = self._type(e, env)
        if has_arrow(t):
            return self.static(e, env, out)
        return self._named(self.dyn(e, env), self.type(t, env), "x", out)

    def _named(self, e: Exp, t: Type, base: str, out: list[Wrap]) -> Dyn:
        if isinstance(e, c.Var | c.Const):
            return Dyn(e, t)
        binder = c.Binder(self._fresh.reserve(Name(base)), t)
        out.append(lambda rest: c.Let((binder,), e, rest, e.at))
        return Dyn(c.Var(binder.name), t)

    def _take_apart(self, binders: tuple[c.Binder, ...], static: Static, at: Span) -> Table:
        if len(binders) == 1:
            return {binders[0].name: (static, binders[0].type)}
        if not isinstance(static, Rec):
            raise unknown_function(at, "a record of functions that is computed")
        fields = zip(binders, static.fields, strict=True)
        return {b.name: (s, b.type) for b, (_, s) in fields}

    def _field(self, static: Static, label: str, at: Span) -> Static:
        if isinstance(static, Rec):
            for name, value in static.fields:
                if name == label:
                    return value
        raise unknown_function(at, "a record of functions that is computed")

    def _exp(self, s: Static, at: Span) -> Exp:
        match s:
            case Dyn(atom):
                return atom
            case Rec(fields):
                return self._record(fields, at)
            case Closure() | Defined():
                raise unknown_function(at, "a function as a value")

    def _record(self, fields: tuple[tuple[str, Static], ...], at: Span) -> Exp:
        return c.Fields(tuple((label, self._exp(s, at)) for label, s in fields), at)

    # ------------------------------------------------------------------ definitions

    def definition(self, d: Def, out: list[Wrap]) -> Static:
        """Return the static value of a definition: itself if it is first-order, else its body."""
        params, _ = arity(d.type)
        if params and _first_order(d.type):
            return Defined(d, params, ())
        return self._function(d, out)

    def _function(self, d: Def, out: list[Wrap]) -> Static:
        """Return the static value of a definition's body.

        What the definition computes before it returns a function becomes a definition of its own,
        since it is computed once, at the start of an entry point.  The names of its results are
        bound in ``out``.
        """
        before: list[Wrap] = []
        static = self._body_of(d, before)
        if not before:
            return static
        end = c.Fields(())
        chain, names = wrapped(before, end), list[c.Binder]()
        while chain is not end and isinstance(chain, c.Let | c.Assert):
            names += chain.binders if isinstance(chain, c.Let) else ()
            chain = chain.body
        binders = tuple(names) or (c.Binder(self._fresh.reserve(d.name), I64),)
        if d.name not in self._starts:
            values = tuple(c.Var(b.name) for b in names) or (c.Const(0, I64),)
            types = [portable(b.type) for b in binders]
            several = len(values) > 1
            t = c.tuple_type(*types) if several else types[0]
            exp = wrapped(before, c.tuple_exp(*values) if several else values[0])
            self._starts[d.name] = Def(self._def_names(d.name), (), t, exp, d.at)
        known = c.Global(self._starts[d.name].name)
        out.append(lambda rest: c.Let(binders, known, rest, d.at))
        return static

    def _body_of(self, d: Def, out: list[Wrap]) -> Static:
        """Return the static value of a definition's body; append its bindings to ``out``."""
        if d.name in self._inside:
            raise unknown_function(
                d.at, f"`{d.name}`, which takes or gives functions and calls itself"
            )
        with self._within((*self._inside, d.name), None):
            return self.static(d.exp, Env({}), out)

    # ------------------------------------------------------------------ application

    def apply(self, f: Static, args: tuple[Exp, ...], env: Env, at: Span) -> Exp:
        """Return the code of an application whose result is of a first-order type."""
        out: list[Wrap] = []
        match f:
            case Closure(params, body, _, where, inside):
                inner, n = self._enter(f, args, env, out)
                if n < len(params):
                    raise unknown_function(at, "a partial application as a value")
                rest, env = self._awaiting(args[n:], env, out)
                with self._within(inside, _call_of(where, at)):
                    if not rest:
                        return wrapped(out, self.dyn(body, inner))
                    static = self.static(body, inner, out)
                return wrapped(out, self.apply(static, rest, env, at))
            case Defined(d, _, have):
                self._use(d.name)
                given = tuple(x.atom for x in have) + self._each(args, env)
                return c.App(c.Global(d.name, (), at), given, at)
            case Dyn() | Rec():
                raise unknown_function(at, "an application of a value that is not a function")

    def _apply_static(
        self, f: Static, args: tuple[Exp, ...], env: Env, out: list[Wrap], at: Span
    ) -> Static:
        """Return the static value of an application whose result is or contains a function."""
        match f:
            case Closure(params, body, _, where, inside):
                inner, n = self._enter(f, args, env, out)
                if n < len(params):
                    return Closure(params[n:], body, inner, where, inside)
                rest, env = self._awaiting(args[n:], env, out)
                with self._within(inside, _call_of(where, at)):
                    static = self.static(body, inner, out)
                return self._apply_static(static, rest, env, out, at) if rest else static
            case Defined(d, params, have):
                given = [
                    self._named(self.dyn(a, env), portable(t), "x", out)
                    for a, t in zip(args, params[len(have) :], strict=False)
                ]
                return self._partial(d, params, (*have, *given), out, at)
            case Dyn() | Rec():
                raise unknown_function(at, "an application of a value that is not a function")

    def _partial(
        self, d: Def, params: tuple[Type, ...], have: tuple[Dyn, ...], out: list[Wrap], at: Span
    ) -> Static:
        """Return a first-order definition applied to some of its arguments.

        If the definition computes something once it has them, its body is evaluated, and the
        bindings are appended to ``out``.
        """
        if len(have) < lambdas(d.exp):
            return Defined(d, params, have)
        table: Table = {Name(str(k)): (x, x.type) for k, x in enumerate(have)}
        args = tuple(map(c.Var, table))
        return self._apply_static(self._function(d, out), args, Env(table), out, at)

    def _enter(
        self, f: Closure, args: tuple[Exp, ...], env: Env, out: list[Wrap]
    ) -> tuple[Env, int]:
        """Return the environment that binds the first arguments, and their number."""
        n = min(len(args), len(f.params))
        table: Table = {}
        inner = Env(table, f.env)
        for p, arg in zip(f.params[:n], args[:n], strict=True):
            if has_arrow(p.type):
                table[p.name] = (self.static(arg, env, out), p.type)
            else:
                t = self.type(p.type, inner)
                table[p.name] = (self._named(self.dyn(arg, env), t, p.name, out), p.type)
        return inner, n

    def _awaiting(
        self, args: tuple[Exp, ...], env: Env, out: list[Wrap]
    ) -> tuple[tuple[Exp, ...], Env]:
        """Evaluate the arguments that the function's result will take; return them as names."""
        table: Table = {}
        for arg in args:
            t = self.type(self._type(arg, env), env)
            table[self._fresh(Name("x"))] = (self._value(arg, env, out), t)
        return tuple(map(c.Var, table)), Env(table)

    def operand(self, f: Static, arity: int, at: Span) -> c.Lambda:
        """Return a function as a lambda with this many parameters."""
        out: list[Wrap] = []
        params: list[c.Binder] = []
        while len(params) < arity:
            fresh = self._awaited(f, at)[: arity - len(params)]
            params += fresh
            table: Table = {b.name: (Dyn(c.Var(b.name), b.type), b.type) for b in fresh}
            args: tuple[Exp, ...] = tuple(c.Var(b.name) for b in fresh)
            if len(params) == arity:
                body = self.apply(f, args, Env(table), at)
                return c.Lambda(tuple(params), wrapped(out, body), at)
            f = self._apply_static(f, args, Env(table), out, at)
        raise unknown_function(at, "an operand without parameters")

    def _awaited(self, f: Static, at: Span) -> list[c.Binder]:
        """Return fresh binders for the parameters that a function takes next."""
        match f:
            case Closure(params, _, env):
                return [
                    c.Binder(self._fresh.reserve(p.name), self.type(p.type, env)) for p in params
                ]
            case Defined(_, params, have):
                return [c.Binder(self._fresh(Name("x")), portable(t)) for t in params[len(have) :]]
            case Dyn() | Rec():
                raise unknown_function(at, "an application of a value that is not a function")


def lambdas(e: Exp) -> int:
    """Return the number of arguments that a definition takes before it computes anything.

    Bindings in front of the outermost lambda do not count: they are evaluated at the start.  The
    number is 0 unless a lambda follows them.
    """
    while isinstance(e, c.Let | c.Assert):
        e = e.body
    count = 0
    while isinstance(e, c.Lambda):
        count, e = count + len(e.params), e.body
    return count


def _first_order(t: Type) -> bool:
    params, result = arity(t)
    return not any(map(has_arrow, (*params, result)))


def _call_of(where: Span, at: Span) -> Span | None:
    """Return the position of the call for the body of a function that has no position."""
    return at if where == NOWHERE and at != NOWHERE else None
