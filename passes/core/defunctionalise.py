r"""Function values become the code they stand for (Core -> Core).

    let add = \(x : i32) (y : i32) -> x + y in        let n = e in
    let inc = add e in                            ->  map (\(v : i32) -> n + v) (xs)
    map inc (xs)

Every function-valued expression is evaluated here, at compile time, to a *static value*: a lambda
with what it captured (values, which get names, and static values), a definition, or a record that
contains some.  An application of a lambda, and of a definition that takes or gives functions,
becomes a ``let`` of its parameters around its body.  That is defunctionalisation as in Futhark
(Hovgaard, Henriksen, Elsman 2018), where each function-typed expression has one static value,
except that the static value is put in its place instead of being encoded in a record.

Evaluation order is kept: what a function value captures is named where the value is made.  What a
definition computes before it is a function becomes a definition of its own, since it is computed at
the start of an entry point.  An entry point that would no longer mention such a definition, or one
that is no function, names it first.

A recursive definition that passes its functions on unchanged becomes one definition for each use,
which takes what the functions have captured (fixed_functions.py).

Precondition: monomorphic, names unique, no ``mu``.  Postcondition: names are unique in an entry
point or definition; lambdas stand only as operands of map, reduce, scan, hist and filter; every
other application is of a definition, first-order in parameters and result, to all its arguments.

Raises SourceError (``not-supported``) where which function is meant is known only at run time:
functions that come out of ``if``, ``match``, ``loop`` or an array.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.check.core.reach import computed, reached
from funmem.ir.core import CoreProgram, Def, Exp, Type
from funmem.ir.core_traverse import has_arrow, map_parts, resize
from funmem.ir.core_types import portable, type_of
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, const, var
from funmem.passes.core.fixed_functions import captured, fixed_functions, needed, with_arguments
from funmem.passes.core.names import free_names
from funmem.passes.core.static_values import Closure, Defined, Dyn, Env, Rec, Static, Table
from funmem.passes.core.unique import Unique

Wrap: TypeAlias = Callable[[Exp], Exp]
"""A binding that was evaluated: puts itself around the rest."""


def _wrapped(out: Iterable[Wrap], e: Exp) -> Exp:
    for wrap in reversed(list(out)):
        e = wrap(e)
    return e


# ---------------------------------------------------------------------- the pass


def defunctionalise(p: CoreProgram) -> CoreProgram:
    """The pass; see the module's text."""
    work = _Work(p)
    entries = [work.entry(e) for e in p.entries]
    wanted = [work.wanted(e) for e in p.entries]
    defs = work.finish()
    made = {d.name: d for d in defs}
    kept = tuple(work.naming(e, names, made) for e, names in zip(entries, wanted, strict=True))
    return CoreProgram(kept, defs, p.data)


def _arity(t: Type) -> tuple[tuple[Type, ...], Type]:
    """The parameters a function awaits in turn, and what it gives in the end."""
    params: list[Type] = []
    while isinstance(t, c.Arrow):
        params.append(t.param)
        t = t.result
    return tuple(params), t


def _lambdas(e: Exp) -> int:
    """How many arguments a definition takes before it computes anything, other than at the start.

    None if that is not seen from its form.
    """
    while isinstance(e, c.Let | c.Assert):
        e = e.body
    count = 0
    while isinstance(e, c.Lambda):
        count, e = count + len(e.params), e.body
    return count


def _first_order(t: Type) -> bool:
    params, result = _arity(t)
    return not any(map(has_arrow, (*params, result)))


class _Work:
    """One run of the pass."""

    def __init__(self, p: CoreProgram) -> None:
        self._source = {d.name: d for d in p.defs}
        self._fresh = Fresh(())
        self._used: list[Name] = []
        self._inside: tuple[Name, ...] = ()
        self._place: Span | None = None
        """Where the library's code that is being inlined, which has no places, is called."""
        self._def_names = Fresh([*self._source, *(e.name for e in p.entries)])
        self._fixed = {d.name: ks for d in p.defs if (ks := fixed_functions(d))}
        """Recursive definitions, and which functions they pass on unchanged."""
        self._own: dict[Name, tuple[Name, list[Static]]] = {}
        """Those whose bodies are being made, for these functions, under another name."""
        self._starts: dict[Name, Def] = {}
        """For definitions that compute something before they are functions: that."""

    def entry(self, e: c.Entry) -> c.Entry:
        """An entry point; its parameters and sizes keep their names."""
        for name in (*e.sizes, *(q.binder.name for q in e.params)):
            self._fresh.reserve(name)
        binders = [*(c.Binder(n, I64) for n in e.sizes), *(q.binder for q in e.params)]
        table: Table = {b.name: (Dyn(c.Var(b.name), b.type), b.type) for b in binders}
        return c.Entry(e.name, e.sizes, e.params, e.result, self.dyn(e.exp, Env(table)), e.at)

    def finish(self) -> tuple[Def, ...]:
        """The first-order definitions that are called, in the order in which they were met."""
        out: list[Def] = []
        for name in self._used:  # grows
            d = self._source[name]
            params, _ = _arity(d.type)
            if params:
                before: list[Wrap] = []
                fn = self.operand(self._function(d, before), len(params), d.exp.at)
                fn = evolve(fn, body=_wrapped(before, fn.body))
                out.append(Def(name, (), d.type, fn, d.at))
            else:
                out.append(Def(name, (), d.type, self.dyn(d.exp, Env({})), d.at))
        return (*out, *self._starts.values())

    def wanted(self, e: c.Entry) -> list[Name]:
        """What the definitions that an old entry point needs compute at its start."""
        out: list[Name] = []
        for name, _ in reached(e.exp, self._source, _parameters(e)):
            d = self._source[name]
            if not has_arrow(d.type):
                self._use(name)
                out.append(name)
            elif computed(d):
                self._function(d, [])
                out += [self._starts[name].name] if name in self._starts else []
        return out

    def naming(self, e: c.Entry, names: Sequence[Name], defs: Mapping[Name, Def]) -> c.Entry:
        """An entry point that needs these definitions."""
        there = {name for name, _ in reached(e.exp, defs, _parameters(e))}
        exp = e.exp
        for name in reversed([x for x in names if x not in there]):
            binder = c.Binder(self._fresh.reserve(name), defs[name].type)
            exp = c.Let((binder,), c.Global(name), exp, e.at)
        return evolve(e, exp=exp)

    # ------------------------------------------------------------------ values that are there

    def dyn(self, e: Exp, env: Env) -> Exp:
        """``e``, which is no function and contains none, as an expression of the new program."""
        e = self._placed(e)
        match e:
            case c.Var(name, at):
                match env.static(name):
                    case Dyn(c.Var(new)):
                        return c.Var(new, at)
                    case Dyn(constant):
                        return constant
                    case Rec(fields):
                        return self._record(fields, at)
                    case Closure() | Defined():
                        raise _run_time(at, "a function as a value")
            case c.Global(name, _, at):
                self._use(name)
                return c.Global(name, (), at)
            case c.Lambda() | c.Mu():
                raise _run_time(e.at, "a function as a value")
            case c.Let() | c.Assert():
                return self._chain(e, env)
            case c.App(c.Global(name), args, at) if name in self._fixed and len(args) == len(
                _arity(self._source[name].type)[0]
            ):
                return self._recursive(self._source[name], args, env, at)
            case c.App(fn, args, at):
                out: list[Wrap] = []
                static = self.static(fn, env, out)
                return _wrapped(out, self.apply(static, args, env, at))
            case c.Match():
                return self._match(e, env)
            case c.Loop():
                return self._loop(e, env)
            case c.Project(exp, label, at) if has_arrow(self._type(exp, env)):
                out = []
                found = self._field(self.static(exp, env, out), label, at)
                return _wrapped(out, self._exp(found, at))
            case c.Map(fn, arrays, at):
                out = []
                f = self.operand(self.static(fn, env, out), len(arrays), at)
                return _wrapped(out, c.Map(f, self._each(arrays, env), at))
            case c.Reduce(op, ne, arrays, comm, at):
                out = []
                f = self.operand(self.static(op, env, out), 2 * len(ne), at)
                ne, arrays = self._each(ne, env), self._each(arrays, env)
                return _wrapped(out, c.Reduce(f, ne, arrays, comm, at))
            case c.Scan(op, ne, arrays, at):
                out = []
                f = self.operand(self.static(op, env, out), 2 * len(ne), at)
                return _wrapped(out, c.Scan(f, self._each(ne, env), self._each(arrays, env), at))
            case c.Hist(op, ne, dest, indices, values, at):
                out = []
                f = self.operand(self.static(op, env, out), 2 * len(ne), at)
                ne, dest = self._each(ne, env), self._each(dest, env)
                indices, values = self.dyn(indices, env), self._each(values, env)
                return _wrapped(out, c.Hist(f, ne, dest, indices, values, at))
            case c.Filter(fn, array, at):
                out = []
                f = self.operand(self.static(fn, env, out), 1, at)
                return _wrapped(out, c.Filter(f, self.dyn(array, env), at))
            case (
                c.Const() | c.If() | c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation()
            ):
                return map_parts(e, lambda x: self.dyn(x, env), lambda t: self.type(t, env))

    def _each(self, es: tuple[Exp, ...], env: Env) -> tuple[Exp, ...]:
        return tuple(self.dyn(e, env) for e in es)

    def _chain(self, e: Exp, env: Env) -> Exp:
        """``let … in let … in e``: a loop, for programs are long."""
        out: list[Wrap] = []
        while isinstance(e, c.Let | c.Assert):
            env, e = self._bind(e, env, out)
            e = self._placed(e)
        return _wrapped(out, self.dyn(e, env))

    def _bind(self, e: c.Let | c.Assert, env: Env, out: list[Wrap]) -> tuple[Env, Exp]:
        """One link of a chain: what it binds goes to ``out``; the rest, and where it stands."""
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

    def _binders(self, bs: Iterable[c.Binder], env: Env) -> tuple[tuple[c.Binder, ...], Env]:
        """Binders under fresh names."""
        table: Table = {}
        new: list[c.Binder] = []
        inner = Env(table, env)
        for b in bs:
            binder = c.Binder(self._fresh.reserve(b.name), self.type(b.type, inner))
            table[b.name] = (Dyn(c.Var(binder.name), binder.type), b.type)
            new.append(binder)
        return tuple(new), inner

    def _match(self, e: c.Match, env: Env) -> Exp:
        if has_arrow(self._type(e.exp, env)):
            raise _run_time(e.at, "a sum type that contains functions")
        exp, arms = self.dyn(e.exp, env), []
        for arm in e.arms:
            binders, inner = self._binders(arm.binders, env)
            arms.append(c.Arm(arm.constructor, binders, self.dyn(arm.body, inner)))
        default = None if e.default is None else self.dyn(e.default, env)
        return c.Match(exp, tuple(arms), default, e.at)

    def _loop(self, e: c.Loop, env: Env) -> Exp:
        for b in e.params:
            if has_arrow(b.type):
                raise _run_time(e.at, "a function in a loop's parameter")
        init = self._each(e.init, env)
        form = e.form
        bound = self.dyn(form.bound, env) if isinstance(form, c.For) else None
        params, inner = self._binders(e.params, env)
        match form:
            case c.For(index, _):
                (i,), inner = self._binders((c.Binder(index, I64),), inner)
                form = c.For(i.name, bound if bound is not None else form.bound)
            case c.While(cond):
                form = c.While(self.dyn(cond, inner))
        return c.Loop(params, init, form, self.dyn(e.body, inner), e.at)

    # ------------------------------------------------------------------ function values

    def static(self, e: Exp, env: Env, out: list[Wrap]) -> Static:
        """What ``e`` stands for; what must be evaluated on the way goes to ``out``."""
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
                raise _run_time(at, "`mu` that lambda-lift did not remove")
            case c.App(fn, args, at):
                return self._apply_static(self.static(fn, env, out), args, env, out, at)
            case c.Project(exp, label, at):
                if has_arrow(self._type(exp, env)):
                    return self._field(self.static(exp, env, out), label, at)
            case c.Fields(fields):
                return Rec(tuple((label, self._value(x, env, out)) for label, x in fields))
            case c.If(_, _, _, at):
                raise _run_time(at, "a function that `if` chooses")
            case c.Match(_, _, _, at):
                raise _run_time(at, "a function that `match` chooses")
            case c.Loop(_, _, _, _, at):
                raise _run_time(at, "a function that a loop computes")
            case c.Const() | c.Construct() | c.ScalarOperation() | c.ArrayOperation():
                pass
        raise _run_time(e.at, "a function that comes out of an array or a sum type")

    def definition(self, d: Def, out: list[Wrap]) -> Static:
        """A definition as a function: itself if it is first-order, else its body."""
        params, _ = _arity(d.type)
        if params and _first_order(d.type):
            return Defined(d, params, ())
        return self._function(d, out)

    def _function(self, d: Def, out: list[Wrap]) -> Static:
        """The function that a definition stands for; the names of what it computes go to ``out``.

        Those get the values of a definition that is no function.
        """
        before: list[Wrap] = []
        static = self._body_of(d, before)
        if not before:
            return static
        end = c.Fields(())
        chain, names = _wrapped(before, end), list[c.Binder]()
        while chain is not end and isinstance(chain, c.Let | c.Assert):
            names += chain.binders if isinstance(chain, c.Let) else ()
            chain = chain.body
        binders = tuple(names) or (c.Binder(self._fresh.reserve(d.name), I64),)
        if d.name not in self._starts:
            values = tuple(c.Var(b.name) for b in names) or (c.Const(0, I64),)
            types = [portable(b.type) for b in binders]
            several = len(values) > 1
            t = c.tuple_type(*types) if several else types[0]
            exp = _wrapped(before, c.tuple_exp(*values) if several else values[0])
            self._starts[d.name] = Def(self._def_names(d.name), (), t, exp, d.at)
        known = c.Global(self._starts[d.name].name)
        out.append(lambda rest: c.Let(binders, known, rest, d.at))
        return static

    def _body_of(self, d: Def, out: list[Wrap]) -> Static:
        """The function that a definition stands for; what it computes before goes to ``out``."""
        if d.name in self._inside:
            raise _run_time(d.at, f"`{d.name}`, which takes or gives functions and calls itself")
        with self._within((*self._inside, d.name), None):
            return self.static(d.exp, Env({}), out)

    @contextmanager
    def _within(self, inside: tuple[Name, ...], place: Span | None) -> Iterator[None]:
        """In the body of definitions; what has no place there is at this one."""
        before = self._inside, self._place
        self._inside, self._place = inside, place
        yield
        self._inside, self._place = before

    def _placed(self, e: Exp) -> Exp:
        """``e`` with a place, if it is code that is being inlined."""
        if self._place is None or isinstance(e, c.Var | c.Const) or e.at != NOWHERE:
            return e
        return evolve(e, at=self._place)

    def _value(self, e: Exp, env: Env, out: list[Wrap]) -> Static:
        """``e`` as a static value: a function, or a value under a name."""
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

    def _enter(
        self, f: Closure, args: tuple[Exp, ...], env: Env, out: list[Wrap]
    ) -> tuple[Env, int]:
        """The environment in which the first arguments are bound, and how many they are."""
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
        """Arguments for what a function gives: evaluated before its body, and then under names."""
        table: Table = {}
        for arg in args:
            t = self.type(self._type(arg, env), env)
            table[self._fresh(Name("x"))] = (self._value(arg, env, out), t)
        return tuple(map(c.Var, table)), Env(table)

    def _apply_static(
        self, f: Static, args: tuple[Exp, ...], env: Env, out: list[Wrap], at: Span
    ) -> Static:
        """The application of a function, whose value is a function again, or contains some."""
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
                raise _run_time(at, "an application of what is no function")

    def _partial(
        self, d: Def, params: tuple[Type, ...], have: tuple[Dyn, ...], out: list[Wrap], at: Span
    ) -> Static:
        """A first-order definition applied to a few arguments; ``out`` gets what that computes."""
        if len(have) < _lambdas(d.exp):
            return Defined(d, params, have)
        table: Table = {Name(str(k)): (x, x.type) for k, x in enumerate(have)}
        args = tuple(map(c.Var, table))
        return self._apply_static(self._function(d, out), args, Env(table), out, at)

    def apply(self, f: Static, args: tuple[Exp, ...], env: Env, at: Span) -> Exp:
        """The application of a function, whose value is none."""
        out: list[Wrap] = []
        match f:
            case Closure(params, body, _, where, inside):
                inner, n = self._enter(f, args, env, out)
                if n < len(params):
                    raise _run_time(at, "a partial application as a value")
                rest, env = self._awaiting(args[n:], env, out)
                with self._within(inside, _call_of(where, at)):
                    if not rest:
                        return _wrapped(out, self.dyn(body, inner))
                    static = self.static(body, inner, out)
                return _wrapped(out, self.apply(static, rest, env, at))
            case Defined(d, _, have):
                self._use(d.name)
                given = tuple(x.atom for x in have) + self._each(args, env)
                return c.App(c.Global(d.name, (), at), given, at)
            case Dyn() | Rec():
                raise _run_time(at, "an application of what is no function")

    def _recursive(self, d: Def, args: tuple[Exp, ...], env: Env, at: Span) -> Exp:
        r"""A call of a definition that passes its functions on: one for these functions is called.

        def go = \f n x -> … go f (n - 1) (f x)    go (\y -> y * k) n x
            ->  def go_1 = \k n x -> … go_1 k (n - 1) (x * k)    go_1 k n x
        """
        out: list[Wrap] = []
        fixed = self._fixed[d.name]
        functions = [self.static(args[k], env, out) for k in fixed]
        given = self._each(tuple(a for k, a in enumerate(args) if k not in fixed), env)
        name, own = self._own.get(d.name, (d.name, None))
        if own is not None and all(x is y for x, y in zip(own, functions, strict=True)):
            return _wrapped(out, c.App(c.Global(name, (), at), given, at))
        assert isinstance(d.exp, c.Lambda)
        name = self._def_names(d.name)
        table: Table = {}
        inner = Env(table)
        for k, f in zip(fixed, functions, strict=True):
            table[d.exp.params[k].name] = (f, d.exp.params[k].type)
        plain = [p for k, p in enumerate(d.exp.params) if k not in fixed]
        binders, inner = self._binders(plain, inner)
        before = self._own.get(d.name)
        self._own[d.name] = (name, functions)
        body = self.dyn(d.exp.body, inner)
        self._own.pop(d.name)
        if before is not None:
            self._own[d.name] = before
        fn = c.Lambda(binders, body, d.exp.at)
        more = needed(free_names(fn), captured(functions))
        extra = tuple(c.Var(b.name) for b in more)
        fn = c.Lambda((*more, *binders), with_arguments(body, name, extra), fn.at)
        result = portable(_arity(d.type)[1])
        t = c.arrow([portable(b.type) for b in fn.params], result)
        self._source[name] = Def(name, (), t, Unique({}, self._fresh).exp(fn, {}), d.at)
        self._use(name)
        return _wrapped(out, c.App(c.Global(name, (), at), (*extra, *given), at))

    def operand(self, f: Static, arity: int, at: Span) -> c.Lambda:
        """A function as a lambda with this many parameters."""
        out: list[Wrap] = []
        params: list[c.Binder] = []
        while len(params) < arity:
            fresh = self._awaited(f, at)[: arity - len(params)]
            params += fresh
            table: Table = {b.name: (Dyn(c.Var(b.name), b.type), b.type) for b in fresh}
            args: tuple[Exp, ...] = tuple(c.Var(b.name) for b in fresh)
            if len(params) == arity:
                body = self.apply(f, args, Env(table), at)
                return c.Lambda(tuple(params), _wrapped(out, body), at)
            f = self._apply_static(f, args, Env(table), out, at)
        raise _run_time(at, "an operand without parameters")

    def _awaited(self, f: Static, at: Span) -> list[c.Binder]:
        """Fresh binders for the parameters that a function takes next."""
        match f:
            case Closure(params, _, env):
                return [
                    c.Binder(self._fresh.reserve(p.name), self.type(p.type, env)) for p in params
                ]
            case Defined(_, params, have):
                return [c.Binder(self._fresh(Name("x")), portable(t)) for t in params[len(have) :]]
            case Dyn() | Rec():
                raise _run_time(at, "an application of what is no function")

    def _take_apart(self, binders: tuple[c.Binder, ...], static: Static, at: Span) -> Table:
        if len(binders) == 1:
            return {binders[0].name: (static, binders[0].type)}
        if not isinstance(static, Rec):
            raise _run_time(at, "a record of functions that is computed")
        fields = zip(binders, static.fields, strict=True)
        return {b.name: (s, b.type) for b, (_, s) in fields}

    def _field(self, static: Static, label: str, at: Span) -> Static:
        if isinstance(static, Rec):
            for name, value in static.fields:
                if name == label:
                    return value
        raise _run_time(at, "a record of functions that is computed")

    def _exp(self, s: Static, at: Span) -> Exp:
        match s:
            case Dyn(atom):
                return atom
            case Rec(fields):
                return self._record(fields, at)
            case Closure() | Defined():
                raise _run_time(at, "a function as a value")

    def _record(self, fields: tuple[tuple[str, Static], ...], at: Span) -> Exp:
        return c.Fields(tuple((label, self._exp(s, at)) for label, s in fields), at)

    def _use(self, name: Name) -> None:
        if name not in self._used:
            self._used.append(name)

    # ------------------------------------------------------------------ types

    def type(self, t: Type, env: Env) -> Type:
        """``t`` under the new names; a size that has no name any more is unknown."""
        return resize(t, lambda d: self._size(d, env))

    def _size(self, d: Size, env: Env) -> Size | None:
        image: dict[Name, Size] = {}
        for name in d.free():
            match env.static(name) if name in env else None:
                case Dyn(c.Var(new)):
                    image[name] = var(new)
                case Dyn(c.Const(int(k))):
                    image[name] = const(k)
                case _:
                    return None
        return d.subst(image)

    def _type(self, e: Exp, env: Env) -> Type:
        """The type of an expression of the old program."""
        return type_of(e, env, self._source)


def _parameters(e: c.Entry) -> tuple[Name, ...]:
    return (*e.sizes, *(q.binder.name for q in e.params))


def _call_of(where: Span, at: Span) -> Span | None:
    """The place that a function's body has, as it has none of its own, when it is called at one."""
    return at if where == NOWHERE and at != NOWHERE else None


def _run_time(at: Span, what: str) -> SourceError:
    hint = "which function is meant must be known when the program is compiled"
    return SourceError(Diagnostic(at, "not-supported", f"not supported: {what}", hint))
