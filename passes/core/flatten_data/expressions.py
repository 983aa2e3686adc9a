"""Flattening of names, control, records and sums, scalars, and definitions."""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.core_types import applied, forget, portable, tag_type
from funmem.ir.diagnostics import Diagnostic, SourceError
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType, bin_result, can_trap, un_result
from funmem.ir.sizes import var
from funmem.passes.core.flatten_data import arrays, equality
from funmem.passes.core.flatten_data.layout import blank, meet
from funmem.passes.core.flatten_data.state import Flat, Link, Scope, State

_NO_BITS = c.Const(False, BOOL)
"""What remains of a token."""


class Flattening(State):
    """Flattens the entry points and definitions of one program."""

    # ------------------------------------------------------------------ definitions

    def entry(self, e: c.Entry) -> c.Entry:
        """Flatten an entry point; a parameter of one part keeps its name."""
        with self.inner() as scope:
            sizes = list(e.sizes)
            for x in e.sizes:
                scope.table[x] = Flat(I64, (c.Var(x),))
            params: list[c.EntryParam] = []
            for q in e.params:
                t = self._shared_sizes(self.type(q.binder.type), sizes)
                types, hidden = self.layouts.parts(t, e.at), self.layouts.hidden(t, e.at)
                x = q.binder.name
                names = (
                    [x] if len(types) == 1 else [self.name(f"{x}_{k}") for k in range(len(types))]
                )
                bs = tuple(map(c.Binder, names, types))
                parts = (_NO_BITS if h else c.Var(b.name) for b, h in zip(bs, hidden, strict=True))
                scope.table[x] = Flat(t, tuple(parts))
                params += [
                    c.EntryParam(b, q.unique) for b, h in zip(bs, hidden, strict=True) if not h
                ]
            v = self.value(e.exp)
            result, shown = self._visible(v)
            return c.Entry(
                e.name, tuple(sizes), tuple(params), result, self.closed(scope, shown), e.at
            )

    def _visible(self, v: Flat) -> tuple[Type, tuple[Exp, ...]]:
        """Return the type and the parts of a result without its tokens."""
        hidden = self.layouts.hidden(v.type)
        types = [t for t, h in zip(self.layouts.parts(v.type), hidden, strict=True) if not h]
        parts = tuple(p for p, h in zip(v.parts, hidden, strict=True) if not h)
        return types[0] if len(types) == 1 else c.tuple_type(*types), parts

    def foreign(self, f: c.ForeignDef) -> c.ForeignDef:
        """Flatten a foreign function: its parameters and results become their parts."""
        params = tuple(u for t in f.params for u in self.layouts.parts(t, f.at))
        return c.ForeignDef(f.name, params, self._result(f.result), f.effect, f.at, f.whole)

    def _shared_sizes(self, t: Type, sizes: list[Name]) -> Type:
        """Give each unknown length of a parameter that becomes several arrays a common name."""
        if not isinstance(t, c.Array):
            if isinstance(t, c.Record):
                return c.Record(tuple((x, self._shared_sizes(u, sizes)) for x, u in t.fields))
            return t
        size = t.size
        if size is None and len(self.layouts.parts(t)) > 1:
            sizes.append(self.name("n"))
            size = var(sizes[-1])
        return c.Array(self._shared_sizes(t.elem, sizes), size)

    def _result(self, t: Type) -> Type:
        """Return the type of several results."""
        types = self.layouts.parts(t)
        return types[0] if len(types) == 1 else c.tuple_type(*types)

    def definition(self, d: c.Def) -> c.Def:
        """Flatten a definition: its parameters and results become their parts."""
        params: list[c.Binder] = []
        e, t = d.exp, d.type
        with self.inner() as scope:
            while isinstance(e, c.Lambda):
                for p in e.params:
                    params += self.parameter(p)
                    t = applied(t, 1)
                e = e.body
            v = self.value(e)
            body = self.closed(scope, v.parts)
            result = self._result(unsized(t))
            if not isinstance(d.exp, c.Lambda):
                return c.Def(d.name, (), result, body, d.at)
            bs = tuple(params) or (c.Binder(self.name("unit"), BOOL),)
            type_ = c.arrow([unsized(b.type) for b in bs], result)
            return c.Def(d.name, (), type_, c.Lambda(bs, body, d.at), d.at)

    def parameter(self, p: c.Binder) -> tuple[c.Binder, ...]:
        """Return binders for the parts of a parameter."""
        bs, _ = self.binders(p.name, self.type(p.type))
        return bs

    # ------------------------------------------------------------------ expressions

    def value(self, e: Exp, hint: str = "") -> Flat:
        """Return the parts of an expression; append the bindings it needs to the scope's links."""
        if not isinstance(e, c.Let | c.Assert):
            return self._value(e, hint)
        with self.names():
            return self._chain(e, hint)

    def _chain(self, e: Exp, hint: str) -> Flat:
        """Flatten ``let … in let … in e`` in a loop, since such chains are long."""
        while isinstance(e, c.Let | c.Assert):
            match e:
                case c.Let(binders, exp, body):
                    self._let(binders, exp)
                    e = body
                case c.Assert(cond, message, values, body, at):
                    held = self.scalar(cond)
                    shown = tuple(self.scalar(v) for v in values)
                    self.scope.out.append(
                        Link((), c.Assert(held, message, shown, c.Fields(()), at))
                    )
                    e = body
        return self._value(e, hint)

    def scalar(self, e: Exp) -> Exp:
        """Return the only part of an expression."""
        (part,) = self.value(e).parts
        return part

    def atoms(self, e: Exp, base: str = "x") -> Flat:
        return self.named(self.value(e, base), base)

    def block(self, e: Exp) -> tuple[Scope, Flat]:
        """Flatten an expression in a new scope; its type mentions names of the outer scope only."""
        with self.inner() as scope:
            v = self.value(e)
        return scope, Flat(self.outside(v.type, scope), v.parts)

    def _let(self, binders: tuple[c.Binder, ...], exp: Exp) -> None:
        v = self.value(exp, binders[0].name if binders else "")
        types = [self.type(b.type) for b in binders]
        vs = [Flat(types[0], v.parts)] if len(binders) == 1 else self.take_apart(v, types)
        for b, field in zip(binders, vs, strict=True):
            self.scope.table[b.name] = self.named(field, b.name)

    def _value(self, e: c.EndExp, hint: str) -> Flat:
        match e:
            case c.Var(name):
                return self.scope.find(name)
            case c.Const(_, t):
                return Flat(t, (e,))
            case c.Global(name, _, at):
                of = portable(self.defs[name].type)
                types = self.layouts.parts(of, at)
                return Flat(of, self.results(hint or name, types, c.Global(name, (), at)))
            case c.App(c.Global(name, _, where), args, at):
                given = tuple(p for a in args for p in self.atoms(a).parts) or (
                    c.Const(False, BOOL),
                )
                of = unsized(applied(self.defs[name].type, len(args)))
                call = c.App(c.Global(name, (), where), given, at)
                return Flat(of, self.results(hint or name, self.layouts.parts(of, at), call))
            case c.Foreign(name, args, t, effect, at, grid):
                given = tuple(p for a in args for p in self.atoms(a).parts)
                of = self.type(t)
                dims = None if grid is None else tuple(map(self.scalar, grid))
                made = c.Foreign(name, given, self._result(of), effect, at, dims)
                return Flat(of, self.results(hint or name, self.layouts.parts(of, at), made))
            case c.If(cond, then, orelse, at):
                return self._if(self.scalar(cond), self.block(then), self.block(orelse), e, hint)
            case c.Match():
                return self._match(e, hint)
            case c.Loop():
                return self._loop(e, hint)
            case c.Fields(fields):
                vs = [(label, self.value(x, label)) for label, x in fields]
                record = c.Record(tuple((label, v.type) for label, v in vs))
                return Flat(record, tuple(p for _, v in vs for p in v.parts))
            case c.Project(exp, label):
                v = self.value(exp, hint)
                if not isinstance(v.type, c.Record):
                    raise TypeError(f"{v.type} has no fields")
                return Flat(v.type.field(label), v.parts[self.layouts.field(v.type, label)])
            case c.Construct(constructor, args, t):
                return self._construct(constructor, args, self.type(t), hint)
            case c.Bin(BinOp.LAND | BinOp.LOR as op, a, b, at):
                return self._short_circuit(op, self.scalar(a), b, e)
            case c.Bin(op, a, b, at):
                return self.operator(op, self.value(a), self.value(b), e)
            case c.Un(unop, a, at):
                v = self.value(a)
                result = _defined(un_result(unop, _scalar(v.type)))
                return Flat(result, (c.Un(unop, v.parts[0], at),))
            case c.Convert(to, a, at):
                return Flat(to, (c.Convert(to, self.scalar(a), at),))
            case c.Equal(a, b, at):
                x, y = self.atoms(a), self.atoms(b)
                return Flat(BOOL, (equality.equal(self, x, y, at),))
            case c.Lambda() | c.Mu() | c.App():
                message = "not supported: a function as a value"
                raise SourceError(Diagnostic(e.at, "not-supported", message))
            case c.ArrayOperation():
                return arrays.array_value(self, c.array_exp(e), hint)

    # ------------------------------------------------------------------ control

    def _if(
        self, cond: Exp, then: tuple[Scope, Flat], orelse: tuple[Scope, Flat], e: Exp, hint: str
    ) -> Flat:
        (yes, a), (no, b) = then, orelse
        t = meet(a.type, b.type)
        whole = c.If(cond, self.closed(yes, a.parts), self.closed(no, b.parts), e.at)
        return Flat(t, self.results(hint or "r", self.layouts.parts(t), whole))

    def _match(self, e: c.Match, hint: str) -> Flat:
        """Flatten a ``match`` to a chain of ``if`` on the tag."""
        v = self.atoms(e.exp, "tag")
        sum_ = self.layouts.sum(v.type)
        slots = self.layouts.slots(sum_, e.at)
        tags = [name for name, _ in sum_.constructors]
        cases: list[tuple[Exp, Scope, Flat]] = []
        cond: Exp
        exp: Exp
        for arm in e.arms:
            with self.inner() as scope:
                parts = tuple(v.parts[1 + k] for k in slots.of[arm.constructor])
                types = [self.type(b.type) for b in arm.binders]
                vs = self.take_apart(Flat(c.tuple_type(*types), parts), types)
                for b, field in zip(arm.binders, vs, strict=True):
                    scope.table[b.name] = field
                r = self.value(arm.body)
            tag = c.Const(tags.index(arm.constructor), tag_type(sum_))
            cond = c.Bin(BinOp.EQ, v.parts[0], tag, e.at)
            cases.append((cond, scope, Flat(self.outside(r.type, scope), r.parts)))
        if e.default is not None:
            scope, r = self.block(e.default)
            cases.append((c.Const(True, BOOL), scope, r))
        _, last, r = cases.pop()
        t = r.type
        exp = self.closed(last, r.parts)
        for cond, scope, arm_value in reversed(cases):
            t = meet(arm_value.type, t)
            exp = c.If(cond, self.closed(scope, arm_value.parts), exp, e.at)
        return Flat(t, self.results(hint or "r", self.layouts.parts(t), exp))

    def _loop(self, e: c.Loop, hint: str) -> Flat:
        init = tuple(p for x in e.init for p in self.atoms(x).parts)
        form = e.form
        bound = self.scalar(form.bound) if isinstance(form, c.For) else None
        with self.inner() as scope:
            params = tuple(b for p in e.params for b in self.parameter(p))
            types = [scope.table[p.name].type for p in e.params]
            match form:
                case c.For(index, _):
                    (i,) = self.parameter(c.Binder(index, I64))
                    assert bound is not None
                    form = c.For(i.name, bound)
                case c.While(cond):
                    inside, held = self.block(cond)
                    form = c.While(self.closed(inside, held.parts))
            inside, v = self.block(e.body)
            if not params:  # a loop has a parameter, be it for its assertions only
                params, init = (c.Binder(self.name("unit"), BOOL),), (c.Const(False, BOOL),)
            body = self.closed(inside, v.parts or init)
        whole = c.Loop(params, init, form, body, e.at)
        types = [forget(t, scope.bound) for t in types]
        t = types[0] if len(types) == 1 else c.tuple_type(*types)
        results = self.layouts.parts(t)
        made = self.results(hint or "r", results or (BOOL,), whole)
        return Flat(t, made if results else ())

    # ------------------------------------------------------------------ sums

    def _construct(self, name: str, args: Sequence[Exp], t: Type, hint: str) -> Flat:
        sum_ = self.layouts.sum(t)
        slots = self.layouts.slots(sum_)
        given = [p for a in args for p in self.value(a, hint).parts]
        parts: list[Exp | None] = [None] * len(slots.types)
        for k, p in zip(slots.of[name], given, strict=True):
            parts[k] = p
        filled: list[Exp] = []
        for part, u in zip(parts, slots.types, strict=True):
            if part is not None:
                filled.append(part)
            else:
                empty = blank(u)
                filled.append(empty if isinstance(u, ScalarType) else self.let("blank", u, empty))
        tag = [x for x, _ in sum_.constructors].index(name)
        return Flat(t, (c.Const(tag, tag_type(sum_)), *filled))

    # ------------------------------------------------------------------ scalars

    def operator(self, op: BinOp, a: Flat, b: Flat, e: Exp) -> Flat:
        """Return ``a ⊕ b``, bound at once if it can trap."""
        operand = _scalar(a.type)
        t = _defined(bin_result(op, operand))
        exp = c.Bin(op, a.parts[0], b.parts[0], e.at)
        return Flat(t, (self.let("t", t, exp) if can_trap(op, operand) else exp,))

    def _short_circuit(self, op: BinOp, a: Exp, b: Exp, e: Exp) -> Flat:
        inside, v = self.block(b)
        exp = c.Bin(op, a, self.closed(inside, v.parts), e.at)
        return Flat(BOOL, (self.let("t", BOOL, exp) if inside.out else exp,))


def _scalar(t: Type) -> ScalarType:
    if not isinstance(t, ScalarType):
        raise TypeError(f"{t} is not a scalar type")
    return t


def _defined(t: ScalarType | None) -> ScalarType:
    if t is None:
        raise TypeError("an operator on a type on which it is not defined")
    return t
