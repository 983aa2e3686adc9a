"""Expressions of an entry point: what is ragged becomes offsets and elements."""

from collections.abc import Mapping

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import map_parts, unsized
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import I64, BinOp
from funmem.passes.core.flatten_data.layout import size_exp
from funmem.passes.core.flatten_nested import combine
from funmem.passes.core.flatten_nested.accumulate import as_loop, loop, scanned
from funmem.passes.core.flatten_nested.maps import mapped
from funmem.passes.core.flatten_nested.plan import Parts, Plan, parts_of
from funmem.passes.core.flatten_nested.state import (
    INTS,
    Deep,
    Ragged,
    Refused,
    State,
    Stored,
    elem_of,
    iota,
    like,
    names_of,
    rank,
    row_at,
    row_of,
    types_of,
)

Part = Exp | Stored
"""A part of a value: an expression if it is regular."""


class RegularInput(Exception):
    """An input whose rows have one length, by its type: ``name``."""

    def __init__(self, name: Name) -> None:
        super().__init__(name)
        self.name = name


@define(eq=False)
class Flatten:
    """The pass on one entry point."""

    s: State
    plan: Plan
    inputs: Mapping[Name, Stored] = field(factory=dict)

    # ------------------------------------------------------------------ expressions

    def scoped(self, e: Exp) -> Exp:
        """Return an expression whose value is regular, with its bindings around it."""
        with self.s.scope():
            last = self.exp(self.chain(e))
            return self.s.wrapped(last)

    def exp(self, e: Exp) -> Exp:
        """Return an expression whose value is regular."""
        if isinstance(e, c.Let | c.Assert):
            return self.scoped(e)
        if self.has_parts(e):
            values = [combine.as_regular(self.s, x) for x in self.values(e)]
            return values[0] if len(values) == 1 else c.tuple_exp(*values)
        match e:
            case c.Var(x) if x in self.s.ragged:
                return combine.regular(self.s, self.s.ragged[x])
            case c.Length(array, dim) if self.is_ragged(array):
                rows = self.stored(array)
                return self.s.rows(rows) if dim == 0 else combine.width(self.s, rows, dim)
            case c.Index(array, dims) if self.is_ragged(array):
                return self.indexed(e, self.stored(array), dims)
            case c.Flatten(2, array) if self.is_ragged(array):
                rows = self.stored(array)
                if isinstance(rows, Deep):
                    return combine.regular(self.s, rows.inner)
                return c.Var(rows.data)
            case c.Coerce(exp) if self.is_ragged(exp):
                rows = self.stored(exp)
                if rows in self.inputs.values():  # its type has a size that is computed
                    raise RegularInput(next(x for x, y in self.inputs.items() if y == rows))
                return map_parts(e, lambda _: combine.regular(self.s, rows), lambda t: t)
            case c.Bin(BinOp.LAND | BinOp.LOR as op, a, b, at_):
                return c.Bin(op, self.exp(a), self.scoped(b), at_)
            case c.Lambda(params, body, at_):
                return c.Lambda(params, self.scoped(body), at_)
            case c.If(cond, then, orelse, at_):
                return c.If(self.exp(cond), self.scoped(then), self.scoped(orelse), at_)
            case c.Loop(params, init, form, body, at_):
                first = tuple(map(self.exp, init))
                return c.Loop(params, first, self.form(form), self.scoped(body), at_)
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
            ):
                return map_parts(e, self.exp, lambda t: t)

    def indexed(self, e: Exp, rows: Stored, dims: tuple[c.Dim, ...]) -> Exp:
        """Return an element, a row, or a part of rows."""
        first, *others = dims
        if not isinstance(first, c.Fix):
            return c.Index(combine.regular(self.s, rows), tuple(map(self.dim, dims)))
        index = self.exp(first.index)
        if isinstance(rows, Ragged):
            row = row_of(rows, index)
            return c.Index(row, tuple(map(self.dim, others))) if others else row
        inner = row_at(self.s, rows, index)
        if others:
            return self.indexed(e, inner, tuple(others))
        return combine.regular(self.s, inner)

    def dim(self, d: c.Dim) -> c.Dim:
        """Return a dimension of an index."""
        match d:
            case c.Fix(index):
                return c.Fix(self.exp(index))
            case c.Range(lo, hi, step):
                return c.Range(*(None if x is None else self.exp(x) for x in (lo, hi, step)))

    def form(self, form: c.For | c.While) -> c.For | c.While:
        """Return how a loop repeats."""
        match form:
            case c.For(index, bound):
                return c.For(index, self.exp(bound))
            case c.While(cond):
                return c.While(self.scoped(cond))

    # ------------------------------------------------------------------ chains

    def chain(self, e: Exp) -> Exp:
        """Add the bindings of a chain to the current scope; return its end."""
        while isinstance(e, c.Let | c.Assert):
            match e:
                case c.Assert(cond, message, values, body):
                    test = self.exp(cond)
                    own = tuple(map(self.exp, values))
                    self.s.out.append((c.Assert(test, message, own, body, e.at),))
                case c.Let(binders, exp, body):
                    self.binding(binders, exp)
            e = e.body
        return e

    def binding(self, binders: tuple[c.Binder, ...], e: Exp) -> None:
        """Add a binding."""
        if isinstance(e, c.Let | c.Assert):
            e = self.chain(e)
        if self.has_parts(e) or (len(binders) == 1 and self.is_ragged(e)):
            for b, x in zip(binders, self.values(e), strict=True):
                self.named(b, x)
            return
        self.s.out.append((binders, self.exp(e)))

    def named(self, b: c.Binder, x: Part) -> None:
        """Bind a part of a value under its name in the program."""
        if isinstance(x, Ragged | Deep):
            self.s.ragged[b.name] = x
        else:
            self.s.out.append(((c.Binder(b.name, unsized(b.type)),), x))

    # ------------------------------------------------------------------ parts of values

    def is_ragged(self, e: Exp) -> bool:
        """True if the plan of an expression is offsets and elements."""
        return self.plan.ragged(e)

    def has_parts(self, e: Exp) -> bool:
        """True if :meth:`values` is to bind an expression: some of what it computes is ragged."""
        match e:
            case c.Unzip(array):
                return self.has_parts(array)
            case c.Map(c.Lambda() as fn, arrays):
                return self.plan.lifts(fn, arrays)
            case c.If() | c.Loop():
                return self.is_ragged(e)
            case c.Reduce(c.Lambda(), _, arrays) | c.Scan(c.Lambda(), _, arrays):
                return any(map(self.is_ragged, arrays))
            case c.App(c.Global(f), args):
                return f in self.s.defs and (
                    any(map(self.is_ragged, args)) or self.plan.makes_rows(f)
                )
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
                | c.Let()
                | c.Assert()
            ):
                return False

    def values(self, e: Exp) -> tuple[Part, ...]:
        """Bind the parts of a value."""
        match e:
            case c.Let() | c.Assert():
                return self.values(self.chain(e))
            case c.Fields(fields):
                return tuple(self.part(x) for _, x in fields)
            case c.Unzip(array) if self.has_parts(array):
                return self.values(array)
            case c.Map(c.Lambda() as fn, arrays) if self.has_parts(e):
                made = mapped(self, fn, arrays)
                return tuple(c.Var(x) if isinstance(x, str) else x for x in made)
            case c.If() if self.has_parts(e):
                return self.either(e)
            case c.Loop() if self.has_parts(e):
                return loop(self, e)
            case c.Reduce(c.Lambda()) if self.has_parts(e):
                return loop(self, as_loop(self, e))
            case c.Scan(c.Lambda()) if self.has_parts(e):
                return scanned(self, e)
            case c.App(c.Global(f), args) if self.has_parts(e):
                return self.inlined(f, args, e)
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
            ):
                t = self.s.type(e)
                if not isinstance(t, c.Record):
                    return (self.part(e),)
                binders, found = self.results(parts_of(t), (False,) * len(t.fields))
                self.s.out.append((tuple(binders), self.exp(e)))
                return found

    def part(self, e: Exp) -> Part:
        """Bind a single value."""
        return self.stored(e) if self.is_ragged(e) else self.exp(e)

    def stored(self, e: Exp) -> Stored:
        """Bind the offsets and elements of an expression."""
        s = self.s
        match e:
            case c.Var(x) if x in s.ragged:
                return s.ragged[x]
            case c.Let() | c.Assert():
                return self.stored(self.chain(e))
            case c.Copy(array):
                return self.stored(array)
            case c.Coerce(array, wanted) if self.is_ragged(e):
                rows = self.stored(array)
                assert wanted.size is not None
                size = size_exp(wanted.size, c.Var)
                s.check(c.Bin(BinOp.EQ, s.rows(rows), size), combine.ROWS, (s.rows(rows), size))
                return rows
            case c.Filter(c.Lambda() as fn, array) if self.is_ragged(array):
                return self.kept(fn, self.stored(array))
            case c.Flatten(2, array) if self.is_ragged(array):
                rows = self.stored(array)
                if isinstance(rows, Deep):
                    return rows.inner
            case c.Index(array, (first, *others)) if self.is_ragged(array):
                rows = self.stored(array)
                if isinstance(first, c.Range) and not others:
                    places = c.Index(iota(s.rows(rows)), (self.dim(first),), e.at)
                    return combine.gathered(s, rows, s.let("places", INTS, places))
                if isinstance(first, c.Fix) and isinstance(rows, Deep):
                    row = row_at(s, rows, self.exp(first.index))
                    if not others:
                        return row
                    x = s.fresh("row")
                    s.ragged[x] = row
                    t = s_type_at(s, array)
                    s.types[x] = t
                    return self.stored(c.Index(c.Var(x), tuple(others), e.at))
            case c.Reverse(array) if self.is_ragged(array):
                rows = self.stored(array)
                last = c.Bin(BinOp.SUB, s.rows(rows), c.Const(1, I64))
                back = c.Iota(s.rows(rows), last, c.Const(-1, I64))
                return combine.gathered(s, rows, s.let("places", INTS, back))
            case c.Concat(arrays):
                return combine.joined(s, [self.stored(x) for x in arrays])
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
            ):
                pass
        if self.has_parts(e):
            (found,) = self.values(e)
            if isinstance(found, Ragged | Deep):
                return found
            return combine.of_regular(s, found, unsized(s.type(e)))
        return combine.of_regular(s, self.exp(e), unsized(s.type(e)))

    def kept(self, fn: c.Lambda, rows: Stored) -> Stored:
        """Bind the rows that fulfil a predicate."""
        s = self.s
        x = s.fresh("rows")
        s.ragged[x] = rows
        s.types[x] = c.Array(fn.params[0].type)
        (keep,) = mapped(self, fn, (c.Var(x),))
        assert isinstance(keep, str)
        return combine.gathered(s, rows, combine.places_of(s, keep, s.rows(rows)))

    # ------------------------------------------------------------------ control

    def tail(self, e: Exp, flags: Parts) -> Exp:
        """Return a branch or a body, with offsets and elements as its results.

        An ``if`` and a recursive call at its end stay there, so that tail calls remain.
        """
        with self.s.scope():
            end = self.chain(e)
            match end:
                case c.If(cond, then, orelse, at_):
                    test = self.exp(cond)
                    last: Exp = c.If(test, self.tail(then, flags), self.tail(orelse, flags), at_)
                case c.App(c.Global(f), args) if self.has_parts(end) and self.plan.is_recursive(f):
                    last = self.call(f, args, end)
                    if self.plan.parts(end) != flags:
                        raise Refused(f"`{f}`, whose results are ragged for some calls only")
                case (
                    c.Leaf()
                    | c.FunctionOperation()
                    | c.Control()
                    | c.RecordOperation()
                    | c.ScalarOperation()
                    | c.ArrayOperation()
                    | c.Let()
                    | c.Assert()
                ):
                    last = self.components(end, flags)
            return self.s.wrapped(last)

    def components(self, e: Exp, flags: Parts) -> Exp:
        """Return a value with offsets and elements in place of its ragged parts."""
        types = parts_of(self.s.type(e))
        found = [
            y
            for x, t, yes in zip(self.values(e), types, flags, strict=True)
            for y in self.arrays(x, t, ragged=yes)
        ]
        return found[0] if len(found) == 1 else c.tuple_exp(*found)

    def arrays(self, x: Part, t: c.Type, *, ragged: bool) -> list[Exp]:
        """Return the offsets and elements of a part that is stored as such, or the part."""
        if not ragged:
            return [combine.as_regular(self.s, x)]
        own = x if isinstance(x, Ragged | Deep) else combine.of_regular(self.s, x, t)
        return [c.Var(name) for name in names_of(own)]

    def results(self, types: list[c.Type], flags: Parts) -> tuple[list[c.Binder], tuple[Part, ...]]:
        """Return binders for the parts of a value, and the parts."""
        s, found, parts = self.s, list[c.Binder](), list[Part]()
        for t, yes in zip(types, flags, strict=True):
            if yes:
                rows = s.named("rows", like(t))
                own = zip(names_of(rows), types_of(rows), strict=True)
                found += [c.Binder(x, u) for x, u in own]
                parts.append(rows)
            else:
                b = c.Binder(s.fresh("x"), unsized(t))
                s.types[b.name] = b.type
                found.append(b)
                parts.append(c.Var(b.name))
        return found, tuple(parts)

    def either(self, e: c.If) -> tuple[Part, ...]:
        """Bind what one of two branches computes."""
        flags = self.plan.parts(e)
        binders, found = self.results(parts_of(self.s.type(e)), flags)
        taken, other = self.tail(e.then, flags), self.tail(e.orelse, flags)
        self.s.out.append((tuple(binders), c.If(self.exp(e.cond), taken, other, e.at)))
        return found

    def inlined(self, f: Name, args: tuple[Exp, ...], e: c.App) -> tuple[Part, ...]:
        """Bind what a function computes: its body, or the call of a definition with offsets."""
        if self.plan.is_recursive(f):
            return self.called(f, args, e)
        fn = self.s.copy(self.s.defs[f].exp)
        if not isinstance(fn, c.Lambda) or len(fn.params) != len(args):
            raise Refused(f"`{f}`, which is no function of its arguments", e.at)
        for p, x in zip(fn.params, args, strict=True):
            b = c.Binder(p.name, unsized(p.type))
            self.s.types[b.name] = b.type
            self.binding((b,), x)
        return self.values(fn.body)

    def called(self, f: Name, args: tuple[Exp, ...], e: c.App) -> tuple[Part, ...]:
        """Bind the results of a recursive function that takes offsets and elements."""
        binders, found = self.results(parts_of(self.s.type(e)), self.plan.parts(e))
        self.s.out.append((tuple(binders), self.call(f, args, e)))
        return found

    def call(self, f: Name, args: tuple[Exp, ...], e: c.App) -> Exp:
        """Return the call of a recursive function that takes offsets and elements."""
        s, flags = self.s, tuple(map(self.is_ragged, args))
        given: list[Exp] = []
        for x, yes in zip(args, flags, strict=True):
            given += map(c.Var, names_of(self.stored(x))) if yes else [self.exp(x)]
        if (f, flags) not in s.made:
            self.define(f, flags, parts_of(s.type(e)))
        return c.App(c.Global(s.made[f, flags]), tuple(given), e.at)

    def define(self, f: Name, flags: Parts, types: list[c.Type]) -> None:
        """Add the definition of a function whose parameters and results may be ragged."""
        s, d = self.s, self.s.defs[f]
        fn = s.copy(d.exp)
        if not isinstance(fn, c.Lambda) or len(fn.params) != len(flags):
            raise Refused(f"`{f}`, which is no function of its arguments", d.at)
        s.made[f, flags] = name = s.fresh(f)
        params: list[c.Binder] = []
        for p, yes in zip(fn.params, flags, strict=True):
            if not yes:
                params.append(p)
                continue
            s.ragged[p.name] = rows = s.named(p.name, like(p.type))
            params += [c.Binder(*b) for b in zip(names_of(rows), types_of(rows), strict=True)]
        results = self.plan.call(f, flags)
        binders, _ = self.results(types, results)
        body = self.tail(fn.body, results)
        of = [b.type for b in binders]
        result = of[0] if len(of) == 1 else c.tuple_type(*of)
        t = c.arrow([unsized(b.type) for b in params], result)
        s.new_defs.append(c.Def(name, (), t, c.Lambda(tuple(params), body, fn.at), d.at))


def s_type_at(s: State, e: Exp) -> c.Type:
    """Return the type of a row of an array."""
    t = s.type(e)
    assert isinstance(t, c.Array)
    elem_of(t), rank(t)
    return unsized(t.elem)
