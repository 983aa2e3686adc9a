"""Core expressions as ``.fut`` text; operations on arrays are in ``arrays.py``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from funmem.frontends.futhark.elaborate.context import not_supported
from funmem.frontends.futhark.export import scalars
from funmem.frontends.futhark.export.arrays import Arrays
from funmem.frontends.futhark.export.state import Scope, Text, indented, is_sized, met
from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import parts as parts_of
from funmem.ir.core_types import instance, portable
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType, bin_result
from funmem.ir.sizes import Size, const

ANY = c.Record(())
"""The wanted type of an expression of which nothing is wanted."""


class Printer(Arrays):
    """Prints the expressions of one program; the text of bindings goes to the current scope."""

    def exp(self, e: Exp, want: Type = ANY) -> Text:
        """Return the text of an expression.  ``want``: its type, as far as its sizes are known.

        Raises SourceError for what the language lacks.
        """
        match e:
            case c.Var(name):
                return self._variable(name)
            case c.Global(name, types):
                t = portable(instance(self.state.defs[name], types))
                return Text(self.state.globals[name], t, True)
            case c.Const(value, t):
                return Text(scalars.constant(value, t), t, True)
            case c.Lambda(params, body):
                return self._lambda(params, body)
            case c.Mu(binder, _, at):
                raise not_supported(f"`{binder.name}`, a local recursive function, in `.fut`", at)
            case c.Foreign(name, at=at):
                raise not_supported(f"`{name}`, a foreign function, in `.fut`", at)
            case c.App(fn, args):
                return self._application(fn, args)
            case c.Let() | c.Assert():
                return self.block(e, want, once=True)
            case c.If(cond, then, orelse):
                test = self.exp(cond).text
                a, b = self.block(then, want, once=True), self.block(orelse, want, once=True)
                text = f"if {test} then {a.text} else {b.text}"
                if "\n" in text or len(text) > 80:
                    text = f"if {indented(test)}\nthen {indented(a.text)}\nelse {indented(b.text)}"
                return Text(text, met(a.type, b.type))
            case c.Match():
                return self._match(e, want)
            case c.Loop():
                return self._loop(e)
            case c.Fields() | c.Project() | c.Construct():
                return self._record(e, want)
            case c.Bin() | c.Un() | c.Convert() | c.Equal():
                return self._scalar(e)
            case c.ArrayOperation():
                return self.array(c.array_exp(e), want)

    def _variable(self, name: Name) -> Text:
        self.state.seen[name] += 1
        own = self.state.is_last(name)
        return Text(self.state.names[name], self.state.types[name], True, own)

    # ------------------------------------------------------------------ scopes

    @contextmanager
    def inside(self, *, once: bool = False) -> Iterator[Scope]:
        """Open a scope while the block runs; ``once``: it runs at most once."""
        outer = self.state.scope
        own = set(outer.own) if once else set()
        self.state.scope = Scope(outer, once, own=own)
        try:
            yield self.state.scope
        finally:
            self.state.scope = outer

    def block(self, e: Exp, want: Type, *, once: bool = False) -> Text:
        """Return an expression with its bindings, in a scope of its own."""
        with self.inside(once=once) as scope:
            found = self.ended(scope, self.chain(e, want))
        return Text(found.text, self.state.outside(found.type), found.tight, found.own)

    def ended(self, scope: Scope, e: Text) -> Text:
        """Return an expression after the bindings of a scope."""
        if not scope.lines:
            return e
        binds = any(x.startswith("let ") for x in scope.lines)  # others are comments
        last = f"in {indented(e.text, 3)}" if binds else e.text
        text = "\n".join([*scope.lines, last])
        return Text(text, e.type, False, e.own)

    def chain(self, e: Exp, want: Type) -> Text:
        """Append the bindings of a chain to the current scope; return what it ends with."""
        end, checks = self._bindings(e)
        return self._checked(self.state.coerced(self.exp(end, want), want), checks)

    def _bindings(self, e: Exp) -> tuple[Exp, list[str]]:
        """Append the bindings of a chain; return its end, and the conditions checked before it."""
        checks: list[str] = []
        while isinstance(e, c.Let | c.Assert):
            if isinstance(e, c.Assert):
                self.state.scope.lines.append(f"-- {' '.join(e.message.split())}")
                checks.append(self.exp(e.cond).atom)
            else:
                self._let(e, checks)
                checks = []
            e = e.body
        return e, checks

    def _checked(self, e: Text, checks: Sequence[str]) -> Text:
        for cond in reversed(checks):
            e = Text(f"assert {indented(cond)} {e.atom}", e.type, False, e.own)
        return e

    def _let(self, e: c.Let, checks: Sequence[str]) -> None:
        """Append a binding; a name for a size that has one already is not printed."""
        st = self.state
        types = [b.type for b in e.binders]
        if types == [I64] and not checks and (d := self._as_size(e.exp)) is not None:
            x = e.binders[0].name
            d = st.bound_size(d) or d
            if d.as_name is not None or d.as_const is not None:
                st.known[x], st.types[x] = d, I64
                k = d.as_const
                st.names[x] = str(d.as_name) if k is None else scalars.constant(k, I64)
                return
            text = self.exp(e.exp).text
            name = st.bind(x, I64)
            st.let(name, text)
            st.scope.sizes.setdefault(d, name)
            return
        want = st.wanted(types[0] if len(types) == 1 else c.tuple_type(*types))
        found = self._checked(st.coerced(self.exp(e.exp, want), want), checks)
        if not found.own and not all(isinstance(t, ScalarType) for t in types):
            st.shared(e.exp)
        if len(types) == 1:
            x = e.binders[0].name
            name = st.bind(x, types[0])
            st.types[x] = st.bound_text(name, found).type
            return
        t, sizes = st.with_names(found.type)
        assert isinstance(t, c.Record)
        own = [st.bind(b.name, u) for b, (_, u) in zip(e.binders, t.fields, strict=True)]
        for b, (_, u) in zip(e.binders, t.fields, strict=True):
            st.types[b.name] = u
        pattern = f"({', '.join(own)})"
        if sizes:
            typed = [f"{x}: {st.type(u)}" for x, (_, u) in zip(own, t.fields, strict=True)]
            pattern = f"({', '.join(typed)})"
        st.let(" ".join([*(f"[{x}]" for x in sizes), pattern]), found.text)

    def _as_size(self, e: Exp) -> Size | None:
        """Return an i64 as a polynomial over names of the text, if it is one."""
        if isinstance(e, c.Var):
            return self.state.known.get(e.name)
        if isinstance(e, c.Const):
            return const(int(e.value)) if e.type is I64 else None
        if isinstance(e, c.Length) and isinstance(e.array, c.Var):
            t = self.state.types[e.array.name]
            for _ in range(e.dim):
                t = t.elem if isinstance(t, c.Array) else t
            return t.size if isinstance(t, c.Array) else None
        if isinstance(e, c.Bin) and e.op in (BinOp.ADD, BinOp.SUB, BinOp.MUL):
            x, y = self._as_size(e.a), self._as_size(e.b)
            if x is None or y is None:
                return None
            return x + y if e.op is BinOp.ADD else x - y if e.op is BinOp.SUB else x * y
        return None

    def size_of(self, e: Exp) -> Size | None:
        """Return an i64 as a variable or number of the text, if it is one."""
        d = self._as_size(e)
        return None if d is None else self.state.atom(d)

    # ------------------------------------------------------------------ functions

    def lambda_of(self, fn: Exp, params: Sequence[Type], want: Type) -> tuple[list[str], Text]:
        """Return the names of the parameters of a function, and its body, for these arguments."""
        names: list[str] = []
        with self.inside() as scope:
            if isinstance(fn, c.Lambda) and len(fn.params) == len(params):
                for b, t in zip(fn.params, params, strict=True):
                    names.append(self.state.bind(b.name, b.type))
                    self.state.types[b.name] = t
                body = self.chain(fn.body, want)
            else:
                names = [self.state.temporary("x") for _ in params]
                f = self.exp(fn)
                t = f.type
                for _ in params:
                    t = t.result if isinstance(t, c.Arrow) else t
                body = self.state.coerced(Text(" ".join([f.atom, *names]), t), want)
            found = self.ended(scope, body)
        return names, Text(found.text, self.state.outside(found.type))

    def _lambda(self, params: Sequence[c.Binder], body: Exp) -> Text:
        with self.inside() as scope:
            types = [self.state.wanted(b.type) for b in params]
            shown = []
            for b, t in zip(params, types, strict=True):
                shown.append(f"({self.state.bind(b.name, b.type)}: {self.state.type(t)})")
                self.state.types[b.name] = t
            found = self.ended(scope, self.chain(body, ANY))
        t = self.state.outside(c.arrow(types, found.type))
        return Text(f"\\{' '.join(shown)} ->\n  {indented(found.text)}", t)

    def _application(self, fn: Exp, args: Sequence[Exp]) -> Text:
        f = self.exp(fn)
        t, shown = f.type, [f.atom]
        for a in args:
            assert isinstance(t, c.Arrow)
            shown.append(self.state.coerced(self.exp(a, t.param), t.param).atom)
            t = t.result
        return Text(" ".join(shown), t)

    # ------------------------------------------------------------------ control

    def _match(self, e: c.Match, want: Type) -> Text:
        subject = self.exp(e.exp)
        t = subject.type
        total = self.state.sum(t, e.at) if isinstance(t, c.Data) else t
        assert isinstance(total, c.Sum)
        lines = [f"match {indented(subject.text)}"]
        result: Type | None = None
        for arm in e.arms:
            with self.inside(once=True) as scope:
                names = []
                for b, u in zip(arm.binders, total.payload(arm.constructor), strict=True):
                    names.append(self.state.bind(b.name, b.type))
                    self.state.types[b.name] = u
                body = self.ended(scope, self.chain(arm.body, want))
            lines.append(f"case {' '.join([f'#{arm.constructor}', *names])} -> {_arm(body)}")
            own = self.state.outside(body.type)
            result = own if result is None else met(result, own)
        if e.default is not None:
            body = self.block(e.default, want, once=True)
            lines.append(f"case _ -> {_arm(body)}")
            result = body.type if result is None else met(result, body.type)
        assert result is not None
        return Text("\n".join(lines), result)

    def _loop(self, e: c.Loop) -> Text:
        st = self.state
        types = [st.wanted(p.type) for p in e.params]
        updated = _updated(e)
        init = []
        for p, x, t in zip(e.params, e.init, types, strict=True):
            found = st.coerced(self.exp(x, t), t)
            copied = p.name in updated and not found.own
            init.append(f"copy {found.atom}" if copied else found.text)
        bound = self.exp(e.form.bound) if isinstance(e.form, c.For) else None
        with self.inside() as scope:
            given = [self._parameter(p, t) for p, t in zip(e.params, types, strict=True)]
            if isinstance(e.form, c.For):
                assert bound is not None
                form = f"for {st.bind(e.form.index, I64)} < {bound.text} do"
            else:
                with self.inside() as test:
                    self._sized(e.params, types, given)
                    form = f"while {self.ended(test, self.chain(e.form.cond, ANY)).text} do"
            self._sized(e.params, types, given)
            scope.own |= {st.names[x] for x in updated}
            want = types[0] if len(types) == 1 else c.tuple_type(*types)
            body = self.ended(scope, self._next(e, want, updated))
        shown = []
        for p, name, t in zip(e.params, given, types, strict=True):
            star = "*" if p.name in updated else ""
            shown.append(f"{name}: {star}{st.type(t)}" if isinstance(t, c.Array) else name)
        left = f"({', '.join(shown)})"
        right = f"({', '.join(init)})" if len(init) != 1 else init[0]
        text = f"loop {left} = {indented(right)}\n{form}\n  {indented(body.text)}"
        return Text(text, want)

    def _parameter(self, p: c.Binder, t: Type) -> str:
        """Return the name of a loop's parameter; one of unknown sizes has another in the body."""
        if is_sized(t):
            name = self.state.bind(p.name, p.type)
            self.state.types[p.name] = t
            return name
        return self.state.temporary(p.name)

    def _sized(
        self, params: Sequence[c.Binder], types: Sequence[Type], given: Sequence[str]
    ) -> None:
        """Bind names to the unknown sizes of a loop's parameters."""
        for p, t, x in zip(params, types, given, strict=True):
            if not is_sized(t):
                name = self.state.bind(p.name, p.type)
                self.state.types[p.name] = self.state.bound_text(name, Text(x, t, True)).type

    def _next(self, e: c.Loop, want: Type, updated: set[Name]) -> Text:
        """Return the end of a loop's body; next values of updated arrays have no aliases."""
        if not updated:
            return self.chain(e.body, want)
        if len(e.params) == 1:
            found = self.chain(e.body, want)
            return found if found.own else Text(f"copy {found.atom}", found.type, False, True)
        end, checks = self._bindings(e.body)
        if checks or not isinstance(end, c.Fields):
            t, _ = self.state.with_names(want)
            whole = self._checked(self.exp(end, want), checks)
            names = [self.state.temporary("x") for _ in e.params]
            self.state.let(f"({', '.join(names)})", self.state.coerced(whole, want).text)
            parts = [Text(x, u, True) for x, (_, u) in zip(names, _fields(t), strict=True)]
        else:
            given = zip(end.fields, _fields(want), strict=True)
            parts = [self.state.coerced(self.exp(x, u), u) for (_, x), (_, u) in given]
        shown = [
            f"copy {x.atom}" if p.name in updated and not x.own else x.text
            for p, x in zip(e.params, parts, strict=True)
        ]
        return Text(f"({', '.join(shown)})", c.tuple_type(*[x.type for x in parts]))

    # ------------------------------------------------------------------ records, sums

    def _record(self, e: c.Fields | c.Project | c.Construct, want: Type) -> Text:
        match e:
            case c.Fields(fields):
                wants = want.fields if isinstance(want, c.Record) and want.fields else None
                found = [
                    self.state.coerced(self.exp(x, u), u)
                    for (_, x), u in zip(
                        fields, [u for _, u in wants] if wants else [ANY] * len(fields), strict=True
                    )
                ]
                labels = [label for label, _ in fields]
                t = c.Record(tuple(zip(labels, [x.type for x in found], strict=True)))
                self.state.type(t, e.at)
                if t.is_tuple:
                    return Text(f"({', '.join([x.text for x in found])})", t, True)
                shown = [f"{x} = {y.text}" for x, y in zip(labels, found, strict=True)]
                return Text("{" + ", ".join(shown) + "}", t, True)
            case c.Project(exp, label):
                x = self.exp(exp)
                assert isinstance(x.type, c.Record)
                return Text(f"{x.atom}.{label}", x.type.field(label), True)
            case c.Construct(constructor, args, t):
                total = self.state.sum(t, e.at) if isinstance(t, c.Data) else t
                shown = [f"#{constructor}", *[self.exp(x).atom for x in args]]
                return Text(f"({' '.join(shown)} : {self.state.type(total, e.at)})", total, True)

    # ------------------------------------------------------------------ scalars

    def _scalar(self, e: c.Bin | c.Un | c.Convert | c.Equal) -> Text:
        define = self.state.define
        match e:
            case c.Bin(BinOp.LAND | BinOp.LOR as op, a, b):
                right = self.block(b, ANY, once=True)
                return Text(f"{self.exp(a).atom} {op} {right.atom}", BOOL)
            case c.Bin(op, a, b):
                x, y = self.exp(a), self.exp(b)
                t = _scalar_type(x.type)
                if t is BOOL and not y.tight:
                    y = self.state.named(y)  # `&&` need not evaluate its second operand
                shift = int(b.value) if isinstance(b, c.Const) else None
                result = bin_result(op, t)
                assert result is not None
                return Text(scalars.binary(op, t, x.atom, y.atom, shift, define), result)
            case c.Un(unop, a):
                x = self.exp(a)
                t = _scalar_type(x.type)
                text, tight = scalars.unary(unop, t, x.atom)
                return Text(text, scalars.result_type(unop, t), tight)
            case c.Convert(to, a):
                x = self.exp(a)
                if x.type is to:
                    return x
                return Text(scalars.conversion(_scalar_type(x.type), to, x.atom, define), to)
            case c.Equal(a, b):
                return Text(f"{self.exp(a).atom} == {self.exp(b).atom}", BOOL)


def _arm(e: Text) -> str:
    return e.atom if "\n" in e.text else e.text


def _fields(t: Type) -> Sequence[tuple[str, Type]]:
    assert isinstance(t, c.Record)
    return t.fields


def _scalar_type(t: Type) -> ScalarType:
    assert isinstance(t, ScalarType)
    return t


def _updated(e: c.Loop) -> set[Name]:
    """Return the parameters of a loop that its body updates in place."""
    names = {p.name for p in e.params}
    found: set[Name] = set()
    todo: list[Exp] = [e.body]
    while todo:
        x = todo.pop()
        if isinstance(x, c.Lambda | c.Loop):
            continue  # it may run many times, so it takes a copy
        changed: tuple[Exp, ...] = ()
        if isinstance(x, c.Update | c.FlatUpdate):
            changed = (x.array,)
        elif isinstance(x, c.Scatter):
            changed = (x.dest,)
        elif isinstance(x, c.Hist):
            changed = x.dest
        found |= {y.name for y in changed if isinstance(y, c.Var)} & names
        todo += parts_of(x)
    return found
