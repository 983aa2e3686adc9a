"""Expressions of first-order types, whose function values have been replaced by their code."""

from funmem.ir import core as c
from funmem.ir.core import Def, Exp
from funmem.ir.core_traverse import has_arrow, map_parts
from funmem.ir.core_types import portable
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import I64
from funmem.passes.core.defunctionalise.fixed_functions import captured, needed, with_arguments
from funmem.passes.core.defunctionalise.functions import Functions
from funmem.passes.core.defunctionalise.state import Wrap, arity, unknown_function, wrapped
from funmem.passes.core.defunctionalise.static_values import Closure, Defined, Dyn, Env, Rec, Table
from funmem.passes.core.names import free_names
from funmem.passes.core.unique import Unique


class Expressions(Functions):
    """Rewrites expressions to first-order ones."""

    def dyn(self, e: Exp, env: Env) -> Exp:
        """Return an expression of a first-order type as one of the new program."""
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
                        raise unknown_function(at, "a function as a value")
            case c.Global(name, _, at):
                self._use(name)
                return c.Global(name, (), at)
            case c.Lambda() | c.Mu():
                raise unknown_function(e.at, "a function as a value")
            case c.Let() | c.Assert():
                return self._chain(e, env)
            case c.App(c.Global(name), args, at) if name in self._fixed and len(args) == len(
                arity(self._source[name].type)[0]
            ):
                return self._recursive(self._source[name], args, env, at)
            case c.App(fn, args, at):
                out: list[Wrap] = []
                static = self.static(fn, env, out)
                return wrapped(out, self.apply(static, args, env, at))
            case c.Match():
                return self._match(e, env)
            case c.Loop():
                return self._loop(e, env)
            case c.Project(exp, label, at) if has_arrow(self._type(exp, env)):
                out = []
                found = self._field(self.static(exp, env, out), label, at)
                return wrapped(out, self._exp(found, at))
            case c.Map(fn, arrays, at):
                out = []
                f = self.operand(self.static(fn, env, out), len(arrays), at)
                return wrapped(out, c.Map(f, self._each(arrays, env), at))
            case c.Reduce(op, ne, arrays, comm, at):
                out = []
                f = self.operand(self.static(op, env, out), 2 * len(ne), at)
                ne, arrays = self._each(ne, env), self._each(arrays, env)
                return wrapped(out, c.Reduce(f, ne, arrays, comm, at))
            case c.Segmented(fn, offsets, total, op, ne, by_element, comm, at):
                out = []
                f = self.operand(self.static(fn, env, out), 2, at)
                folded = None
                if op is not None:
                    folded = self.operand(self.static(op, env, out), 2 * len(ne), at)
                where, count = self.dyn(offsets, env), self.dyn(total, env)
                start = self._each(ne, env)
                made = c.Segmented(f, where, count, folded, start, by_element, comm, at)
                return wrapped(out, made)
            case c.Scan(op, ne, arrays, at):
                out = []
                f = self.operand(self.static(op, env, out), 2 * len(ne), at)
                return wrapped(out, c.Scan(f, self._each(ne, env), self._each(arrays, env), at))
            case c.Hist(op, ne, dest, indices, values, at):
                out = []
                f = self.operand(self.static(op, env, out), 2 * len(ne), at)
                ne, dest = self._each(ne, env), self._each(dest, env)
                indices, values = self.dyn(indices, env), self._each(values, env)
                return wrapped(out, c.Hist(f, ne, dest, indices, values, at))
            case c.Filter(fn, array, at):
                out = []
                f = self.operand(self.static(fn, env, out), 1, at)
                return wrapped(out, c.Filter(f, self.dyn(array, env), at))
            case (
                c.Const() | c.If() | c.Foreign()
                | c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation()
            ):  # fmt: skip
                return map_parts(e, lambda x: self.dyn(x, env), lambda t: self.type(t, env))

    def _chain(self, e: Exp, env: Env) -> Exp:
        """Rewrite ``let … in let … in e`` in a loop, since such chains are long."""
        out: list[Wrap] = []
        while isinstance(e, c.Let | c.Assert):
            env, e = self._bind(e, env, out)
            e = self._placed(e)
        return wrapped(out, self.dyn(e, env))

    def _match(self, e: c.Match, env: Env) -> Exp:
        if has_arrow(self._type(e.exp, env)):
            raise unknown_function(e.at, "a sum type that contains functions")
        exp, arms = self.dyn(e.exp, env), []
        for arm in e.arms:
            binders, inner = self._binders(arm.binders, env)
            arms.append(c.Arm(arm.constructor, binders, self.dyn(arm.body, inner)))
        default = None if e.default is None else self.dyn(e.default, env)
        return c.Match(exp, tuple(arms), default, e.at)

    def _loop(self, e: c.Loop, env: Env) -> Exp:
        for b in e.params:
            if has_arrow(b.type):
                raise unknown_function(e.at, "a function in a loop's parameter")
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

    def _recursive(self, d: Def, args: tuple[Exp, ...], env: Env, at: Span) -> Exp:
        r"""Return a call of a recursive definition, specialised to the functions it passes on.

        def go = \f n x -> … go f (n - 1) (f x)    go (\y -> y * k) n x
            ->  def go_1 = \k n x -> … go_1 k (n - 1) (x * k)    go_1 k n x
        """
        out: list[Wrap] = []
        fixed = self._fixed[d.name]
        functions = [self.static(args[k], env, out) for k in fixed]
        given = self._each(tuple(a for k, a in enumerate(args) if k not in fixed), env)
        name, own = self._own.get(d.name, (d.name, None))
        if own is not None and all(x is y for x, y in zip(own, functions, strict=True)):
            return wrapped(out, c.App(c.Global(name, (), at), given, at))
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
        result = portable(arity(d.type)[1])
        t = c.arrow([portable(b.type) for b in fn.params], result)
        self._source[name] = Def(name, (), t, Unique({}, self._fresh).exp(fn, {}), d.at)
        self._use(name)
        return wrapped(out, c.App(c.Global(name, (), at), (*extra, *given), at))
