"""Translate expressions to Core; one arm per form of the surface syntax."""

from collections.abc import Mapping, Sequence

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.elaborate import builtins, intrinsics
from funmem.frontends.futhark.elaborate.context import (
    Elaboration,
    Wrap,
    core_type,
    let,
    not_supported,
    wrapped,
)
from funmem.frontends.futhark.elaborate.functions import (
    bind_size,
    claimed,
    coerced,
    function,
    size_there,
)
from funmem.frontends.futhark.elaborate.literals import constant
from funmem.frontends.futhark.elaborate.paths import Step, reached, replaced
from funmem.frontends.futhark.elaborate.patterns import bind, match
from funmem.frontends.futhark.elaborate.ranges import range_array
from funmem.frontends.futhark.typing import BuiltinRef, GlobalRef, LocalRef, Ref, Scheme
from funmem.frontends.inference import types as ty
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import instantiate_type, map_parts
from funmem.ir.diagnostics import Span
from funmem.ir.messages import literal
from funmem.ir.names import Name
from funmem.ir.scalars import I64, U8, ScalarType
from funmem.ir.sizes import Size


def expression(ctx: Elaboration, e: ast.Exp) -> Exp:
    """Return ``e`` as Core.  Raises SourceError (``not-supported``)."""
    return _Expressions(ctx).exp(e)


class _Expressions:
    """The translation of expressions."""

    def __init__(self, ctx: Elaboration) -> None:
        self.ctx = ctx

    def exp(self, e: ast.Exp) -> Exp:
        ctx = self.ctx
        match e:
            case ast.IntLit() | ast.FloatLit() | ast.BoolLit() | ast.CharLit():
                return constant(e, ctx.type(e))
            case ast.StringLit(value, at):
                return c.ArrayLit(tuple(c.Const(b, U8, at) for b in value), U8, at)
            case ast.Var(name, at):
                return self.ref(ctx.typing.refs[name], (), at)
            case ast.Hole(at):
                raise not_supported("a hole", at, "write an expression in its place")
            case ast.Tuple(elems, at):
                return c.tuple_exp(*map(self.exp, elems), at=at)
            case ast.RecordLit():
                return self._record(e)
            case ast.ArrayLit(elems, at):
                t = core_type(ctx.type(e))
                assert isinstance(t, c.Array)
                return c.ArrayLit(tuple(map(self.exp, elems)), t.elem, at)
            case ast.Constr(name, args, at):
                t = core_type(ctx.type(e))
                assert isinstance(t, c.Sum)
                return c.Construct(name, tuple(map(self.exp, args)), t, at)
            case ast.Project(inner, label, at):
                return c.Project(self.exp(inner), label, at)
            case ast.Index(inner, dims, at):
                return c.Index(self.exp(inner), self.dims(dims), at)
            case ast.App():
                return self._application(e)
            case ast.BinOp(op, left, right, at):
                return self.ref(ctx.typing.refs[op], (self.exp(left), self.exp(right)), at)
            case ast.Neg(inner, at):
                return builtins.negate(ctx.type(inner), self.exp(inner), at)
            case ast.Not(inner, at):
                return builtins.complement(ctx.type(inner), self.exp(inner), at)
            case ast.Range():
                return self._range(e)
            case ast.If(cond, then, orelse, at):
                return c.If(self.exp(cond), self.exp(then), self.exp(orelse), at)
            case ast.Let() | ast.LetFun() | ast.LetWith():
                return self._chain(e)
            case ast.Loop():
                return self._loop(e)
            case ast.Match():
                return self._match(e)
            case ast.Lambda(params, ret, body, at):
                return function(ctx, params, ret, body, self.exp, at)
            case ast.OpSectionLeft(left, op, at):
                return self._section(e, op, left, None, at)
            case ast.OpSectionRight(op, right, at):
                return self._section(e, op, None, right, at)
            case ast.ProjectSection(labels, at):
                x = self._awaited(e, 0)
                return c.Lambda((x,), _projected(c.Var(x.name), labels, at), at)
            case ast.IndexSection(dims, at):
                out: list[Wrap] = []
                x = self._awaited(e, 0)
                shared = tuple(self._shared_dim(d, out) for d in self.dims(dims))
                return wrapped(out, c.Lambda((x,), c.Index(c.Var(x.name), shared, at), at))
            case ast.PathSection(path, at):
                return self._path_section(e, path, at)
            case ast.PathUpdate():
                return self._path_update(e)
            case ast.Update(inner, dims, value, at):
                return c.Update(self.exp(inner), self.dims(dims), self.exp(value), at)
            case ast.RecordUpdate(inner, labels, value, at):
                return self._record_update(inner, labels, value, at)
            case ast.Ascript(inner, te, at):
                return coerced(ctx, self.exp(inner), ctx.typing.annotations[te], at)
            case ast.Coerce(inner, te, at):
                return claimed(ctx, self.exp(inner), ctx.typing.annotations[te], at)
            case ast.Assert(cond, inner, source, at):
                message = literal(f"Assertion is false: {source}")
                return c.Assert(self.exp(cond), message, (), self.exp(inner), at)
            case ast.OpenIn(_, inner, _):
                return self.exp(inner)
            case ast.Comprehension():
                from funmem.frontends.futhark.elaborate.comprehension import comprehension

                return comprehension(ctx, e, self.exp)

    # ------------------------------------------------------------------ names, application

    def ref(self, ref: Ref, args: Sequence[Exp], at: Span) -> Exp:
        """Return the value that a name refers to, applied to arguments."""
        match ref:
            case LocalRef(name, labels, types, sizes):
                core_types = tuple(map(core_type, types))
                fn: Exp = c.Var(self.ctx.instance(name, core_types) if types else name, at)
                if sizes:
                    fn = self._with_sizes(fn, self.ctx.local_schemes[name], sizes, at)
            case GlobalRef(name, types, sizes, labels):
                fn = c.Global(name, tuple(map(core_type, types)), at)
                scheme = self.ctx.typing.definitions[name].scheme
                fn = self._with_sizes(fn, scheme, sizes, at)
            case BuiltinRef(_, _, _, _, labels):
                fn, args = self._builtin(ref, tuple(args), at)
        fn = _projected(fn, labels, at)
        return c.App(fn, tuple(args), at) if args else fn

    def _with_sizes(self, fn: Exp, scheme: Scheme, sizes: tuple[Size | None, ...], at: Span) -> Exp:
        """Return ``fn`` applied to the sizes that it does not find in its arguments."""
        args = tuple(
            self._size(size, name, at)
            for name, size in zip(scheme.sizes, sizes, strict=True)
            if name not in scheme.implicit_sizes
        )
        return c.App(fn, args, at) if args else fn

    def _size(self, size: Size | None, name: str, at: Span) -> Exp:
        made = None if size is None else self.ctx.size(size, at)
        if made is None:
            hint = "annotate the type of the result"
            raise not_supported(f"a size `{name}` that nothing determines", at, hint)
        return made

    def _builtin(
        self, ref: BuiltinRef, args: tuple[Exp, ...], at: Span
    ) -> tuple[Exp, tuple[Exp, ...]]:
        """Return a built-in applied to as many arguments as it takes, and the other arguments."""
        sizes: tuple[Exp, ...] = ()
        if ref.module == "intrinsics":
            arity, make_intrinsic = intrinsics.MAKE[ref.name]
            sizes = tuple(self._size(s, ref.name, at) for s in ref.sizes if s is not None)
            arity -= len(sizes)
        elif ref.module == "":
            arity = 2 if ref.name not in ("!", "neg") else 1
        else:
            arity, make = builtins.member(ref.module, ref.name, at)
        rest = args[arity:]
        missing = [
            self.ctx.binder("x", t)
            for t in builtins.parameters(ref.type, max(arity, 0))[len(args) :]
        ]
        out: list[Wrap] = []
        if missing:
            types = builtins.parameters(ref.type, len(args))
            args = tuple(self.ctx.atom(a, t, out) for a, t in zip(args, types, strict=True))
        full = (*args[:arity], *(c.Var(b.name) for b in missing))
        if ref.module == "intrinsics":
            body = make_intrinsic((*sizes, *full), at)
        elif ref.module == "":
            body = self._operator(ref, full, at)
        else:
            body = make(ScalarType(ref.module), full, at)
        if missing:
            body = wrapped(out, c.Lambda(tuple(missing), body, at))
        return body, rest

    def _operator(self, ref: BuiltinRef, args: tuple[Exp, ...], at: Span) -> Exp:
        assert isinstance(ref.type, ty.Arrow)
        t = ref.type.param
        match ref.name:
            case "!":
                return builtins.complement(t, args[0], at)
            case "neg":
                return builtins.negate(t, args[0], at)
            case op:
                return builtins.operator(op, t, args[0], args[1], at)

    def _application(self, e: ast.App) -> Exp:
        args: list[ast.Exp] = []
        fn: ast.Exp = e
        while isinstance(fn, ast.App):
            args.append(fn.arg)
            fn = fn.fn
        args.reverse()
        core_args = tuple(map(self.exp, args))
        if isinstance(fn, ast.Var):
            return self.ref(self.ctx.typing.refs[fn.name], core_args, e.at)
        return c.App(self.exp(fn), core_args, e.at)

    def _awaited(self, e: ast.Exp, k: int) -> c.Binder:
        """Return a binder for the k-th parameter of a function-valued expression."""
        return self.ctx.binder("x", builtins.parameters(self.ctx.type(e), k + 1)[k])

    def _section(
        self, e: ast.Exp, op: ast.QualName, left: ast.Exp | None, right: ast.Exp | None, at: Span
    ) -> Exp:
        out: list[Wrap] = []
        x = self._awaited(e, 0)
        given = left if left is not None else right
        assert given is not None
        operand = self._shared(given, out)
        args = (operand, c.Var(x.name)) if left is not None else (c.Var(x.name), operand)
        return wrapped(out, c.Lambda((x,), self.ref(self.ctx.typing.refs[op], args, at), at))

    def _shared(self, e: ast.Exp, out: list[Wrap]) -> Exp:
        return self.ctx.atom(self.exp(e), self.ctx.core(e), out)

    # ------------------------------------------------------------------ records

    def _record(self, e: ast.RecordLit) -> Exp:
        """Return a record; fields are evaluated as written and stored in the order of the type."""
        t = self.ctx.type(e)
        assert isinstance(t, ty.Record)
        made = {label: self.exp(x) for label, x in e.fields}
        order = [label for label, _ in t.fields]
        if order == list(made):
            return c.Fields(tuple(made.items()), e.at)
        out: list[Wrap] = []
        types = dict(t.fields)
        atoms = {n: self.ctx.atom(x, core_type(types[n]), out) for n, x in made.items()}
        return wrapped(out, c.Fields(tuple((n, atoms[n]) for n in order), e.at))

    def _record_update(
        self, inner: ast.Exp, labels: tuple[str, ...], value: ast.Exp, at: Span
    ) -> Exp:
        out: list[Wrap] = []
        whole = self._shared(inner, out)
        new = self._shared(value, out)
        t = self.ctx.type(inner)
        return wrapped(out, replaced(self.ctx, whole, t, labels, new, out, at))

    def _path_section(self, e: ast.Exp, path: tuple[ast.Step, ...], at: Span) -> Exp:
        out: list[Wrap] = []
        x = self._awaited(e, 0)
        steps = self._shared_path(path, out)
        return wrapped(out, c.Lambda((x,), reached(c.Var(x.name), steps, at), at))

    def _path_update(self, e: ast.PathUpdate) -> Exp:
        out: list[Wrap] = []
        whole = self._shared(e.exp, out)
        steps = self._shared_path(e.path, out)
        new = self._shared(e.value, out)
        made = replaced(self.ctx, whole, self.ctx.type(e.exp), steps, new, out, e.at)
        return wrapped(out, made)

    def _shared_path(self, path: tuple[ast.Step, ...], out: list[Wrap]) -> tuple[Step, ...]:
        return tuple(
            s if isinstance(s, str) else tuple(self._shared_dim(d, out) for d in self.dims(s))
            for s in path
        )

    # ------------------------------------------------------------------ arrays

    def index(self, e: ast.Exp) -> Exp:
        """Return an index or a size of any integer type as i64."""
        t, value = self.ctx.scalar(e), self.exp(e)
        if t is I64:
            return value
        if isinstance(value, c.Const):
            return c.Const(int(value.value), I64, e.at)
        return c.Convert(I64, value, e.at)

    def dims(self, dims: tuple[ast.Dim, ...]) -> tuple[c.Dim, ...]:
        """Return the dimensions of an index, a slice or an update."""

        def opt(e: ast.Exp | None) -> Exp | None:
            return None if e is None else self.index(e)

        out: list[c.Dim] = []
        for d in dims:
            match d:
                case ast.FixDim(i, _):
                    out.append(c.Fix(self.index(i)))
                case ast.SliceDim(lo, hi, step, _):
                    out.append(c.Range(opt(lo), opt(hi), opt(step)))
        return tuple(out)

    def _shared_dim(self, d: c.Dim, out: list[Wrap]) -> c.Dim:
        def opt(e: Exp | None) -> Exp | None:
            return None if e is None else self.ctx.atom(e, I64, out)

        match d:
            case c.Fix(i):
                return c.Fix(self.ctx.atom(i, I64, out))
            case c.Range(lo, hi, step):
                return c.Range(opt(lo), opt(hi), opt(step))

    def _range(self, e: ast.Range) -> Exp:
        out: list[Wrap] = []
        start = self._shared(e.start, out)
        second = None if e.second is None else self._shared(e.second, out)
        end = self._shared(e.end, out)
        t = self.ctx.scalar(e.start)
        return wrapped(out, range_array(self.ctx, t, start, second, end, e.kind, out, e.at))

    # ------------------------------------------------------------------ binding

    def _chain(self, e: ast.Exp) -> Exp:
        """Return ``let … let … in e``; a loop walks the lets, since programs have long chains."""
        out: list[Wrap] = []
        while isinstance(e, ast.Let | ast.LetFun | ast.LetWith):
            match e:
                case ast.Let():
                    self._let(e, out)
                case ast.LetFun():
                    self._let_fun(e, out)
                case ast.LetWith(name, dims, exp, _, at):
                    old = self.ref(self.ctx.typing.opened[e], (), at)
                    new = c.Update(old, self.dims(dims), self.exp(exp), at)
                    binder = c.Binder(self.ctx.name(e, name), self.ctx.updated_type(e))
                    out.append(let(binder, new, at))
            e = e.body
        return wrapped(out, self.exp(e))

    def _let_fun(self, e: ast.LetFun, out: list[Wrap]) -> None:
        scheme = self.ctx.typing.local_schemes[e]
        name = self.ctx.name(e, e.name)
        self.ctx.local_schemes[name] = scheme
        t = c.arrow([I64 for _ in scheme.explicit_sizes], core_type(scheme.type))
        fn = function(self.ctx, e.params, e.ret, e.exp, self.exp, e.at, scheme)
        if not scheme.types:
            out.append(let(c.Binder(name, t), fn, e.at))
            return

        def each_instance(rest: Exp) -> Exp:
            """Add a function for each instance in use; Core has no local polymorphism."""
            instances = self.ctx.instances.pop(name, {})
            used = self.ctx.open_instances(scheme.types)
            for types, instance in reversed(instances.items()):
                image = dict(zip(scheme.types, types, strict=True))
                binder = c.Binder(instance, instantiate_type(t, image))
                called = {
                    old: self.ctx.instance(f, tuple(instantiate_type(u, image) for u in ts))
                    for old, f, ts in used
                }
                rest = c.Let((binder,), _instance(fn, image, called), rest, e.at)
            return rest

        out.append(each_instance)

    def _let(self, e: ast.Let, out: list[Wrap]) -> None:
        value = self.exp(e.exp)
        if e.sizes:
            value = self.ctx.atom(value, self.ctx.core(e.pat), out)
            for size in e.sizes:
                name, t = self.ctx.name(e, size), self.ctx.type(e.pat)
                if not bind_size(name, value, t, out, e.at):
                    found = self._size(size_there(name, t, self.ctx.type(e.exp)), size, e.at)
                    out.append(let(c.Binder(name, I64), found, e.at))
        bind(self.ctx, e.pat, value, out)

    # ------------------------------------------------------------------ control

    def _loop(self, e: ast.Loop) -> Exp:
        ctx, at = self.ctx, e.at
        t = ctx.core(e.pat)
        init = self.exp(e.init) if e.init is not None else self._initial(e.pat)
        param = ctx.binder("p", t)
        whole: Exp = c.Var(param.name)
        start: list[Wrap] = []
        for size in e.sizes:
            name = ctx.name(e, size)
            if not bind_size(name, whole, ctx.type(e.pat), start, at):
                self._size(None, size, at)
        bind(ctx, e.pat, whole, start)
        out: list[Wrap] = []
        form: c.For | c.While
        match e.form:
            case ast.ForLess(index, bound, where):
                bt = ctx.scalar(bound)
                i, name = ctx.binder("i", I64), ctx.name(e.form, index)
                form = c.For(i.name if bt is not I64 else name, self.index(bound))
                if bt is not I64:
                    start.append(let(c.Binder(name, bt), c.Convert(bt, c.Var(i.name)), where))
            case ast.ForIn(pat, array, where):
                xs = self.ctx.atom(self.exp(array), ctx.core(array), out, "xs")
                i = ctx.binder("i", I64)
                form = c.For(i.name, c.Length(xs, 0, where))
                bind(ctx, pat, c.Index(xs, (c.Fix(c.Var(i.name)),), where), start)
            case ast.While(cond, _):
                form = c.While(wrapped(start, self.exp(cond)))
        body = wrapped(start, self.exp(e.body))
        return wrapped(out, c.Loop((param,), (init,), form, body, at))

    def _initial(self, pat: ast.Pattern) -> Exp:
        """Return the pattern of ``loop (x, y) for …`` as an expression over the outer variables."""
        match pat:
            case ast.PVar(_, at):
                return self.ref(self.ctx.typing.initials[pat], (), at)
            case ast.PAscript(inner, _, _):
                return self._initial(inner)
            case ast.PTuple(elems, at):
                return c.tuple_exp(*map(self._initial, elems), at=at)
            case ast.PRecord(fields, at):
                values = {label: self._initial(p) for label, p in fields}
                t = self.ctx.type(pat)
                assert isinstance(t, ty.Record)
                return c.Fields(tuple((label, values[label]) for label, _ in t.fields), at)
            case ast.PWild(at) | ast.PConstr(_, _, at) | ast.PLit(_, at):
                raise not_supported("this pattern without an initial value", at)

    def _match(self, e: ast.Match) -> Exp:
        out: list[Wrap] = []
        b = self.ctx.binder("m", self.ctx.core(e.exp))
        out.append(let(b, self.exp(e.exp), e.at))
        cases = [(case.pat, lambda case=case: self.exp(case.exp)) for case in e.cases]
        return wrapped(out, match(self.ctx, b.name, cases, e.at))


# ---------------------------------------------------------------------- helpers


def _instance(e: Exp, image: Mapping[Name, c.Type], called: Mapping[Name, Name]) -> Exp:
    """Return ``e`` with type variables replaced, also in its uses of local functions."""
    if isinstance(e, c.Var):
        return c.Var(called.get(e.name, e.name), e.at)
    return map_parts(e, lambda x: _instance(x, image, called), lambda t: instantiate_type(t, image))


def _projected(e: Exp, labels: Sequence[str], at: Span) -> Exp:
    for label in labels:
        e = c.Project(e, label, at)
    return e
