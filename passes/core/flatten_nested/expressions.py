"""Expressions of an entry point: what is ragged becomes offsets and elements."""

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import map_parts, unsized
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import I64, BinOp
from funmem.passes.core.flatten_nested.rows import Lift, Local, Plain
from funmem.passes.core.flatten_nested.sizes import Varying
from funmem.passes.core.flatten_nested.state import (
    INTS,
    Ragged,
    Refused,
    State,
    at,
    elem_of,
    iota,
    one,
    plus,
    rank,
    row_of,
)
from funmem.passes.core.names import free_names, inside


@define(eq=False)
class Flatten:
    """The pass on one entry point."""

    s: State
    depth: int = field(default=0)

    # ------------------------------------------------------------------ expressions

    def exp(self, e: Exp) -> Exp:
        """Return an expression whose value is regular, in its own scope if it is a chain."""
        if isinstance(e, c.Let | c.Assert):
            with self.s.scope():
                last = self.exp(self.chain(e))
                return self.s.wrapped(last)
        match e:
            case c.Var(x) if x in self.s.ragged:
                raise Refused(f"`{x}`, whose rows differ, as a whole", e.at)
            case c.Length(c.Var(x), dim) if x in self.s.ragged:
                if dim != 0:
                    raise Refused(f"the length of the rows of `{x}`, which differ", e.at)
                return self.s.rows(self.s.ragged[x])
            case c.Index(array, dims) if self.is_ragged(array):
                rows = self.stored(array)
                first, *others = dims
                if not isinstance(first, c.Fix):
                    raise Refused("a slice of rows as a whole", e.at)
                row = row_of(rows, self.exp(first.index))
                if not others:
                    return row
                return c.Index(row, tuple(map(self.dim, others)), e.at)
            case c.Flatten(2, array) if self.is_ragged(array):
                return c.Var(self.stored(array).data)
            case c.Map(c.Lambda() as fn, arrays) if self.lifts(fn, arrays):
                (found,) = self.mapped(fn, arrays)
                assert not isinstance(found, Ragged)
                return c.Var(found)
            case c.Lambda(params, body, at_):
                return c.Lambda(params, self.exp(body), at_)
            case c.Loop() | c.If() | c.App() | c.Foreign():
                if any(isinstance(x, c.Var) and x.name in self.s.ragged for x in inside(e)):
                    return self.control(e)
                return map_parts(e, self.exp, lambda t: t)
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
            ):
                return map_parts(e, self.exp, lambda t: t)

    def control(self, e: Exp) -> Exp:
        """Return an if, a loop or a call that mentions ragged values."""
        match e:
            case c.If(cond, then, orelse, at_):
                return c.If(self.exp(cond), self.exp(then), self.exp(orelse), at_)
            case c.App(c.Global() as f, args, at_):
                return self.call(f, args, at_)
            case c.Loop(params, init, form, body, at_):
                if any(map(self.is_ragged, init)):
                    raise Refused("a loop that computes rows of different lengths", e.at)
                bound = (
                    c.For(form.index, self.exp(form.bound))
                    if isinstance(form, c.For)
                    else c.While(self.exp(form.cond))
                )
                return c.Loop(params, tuple(map(self.exp, init)), bound, self.exp(body), at_)
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
                raise Refused("a call with rows of different lengths", e.at)

    def call(self, f: c.Global, args: tuple[Exp, ...], at_: Span) -> Exp:
        """Return a call of a definition that takes offsets and elements for ragged arguments."""
        s, places = self.s, tuple(k for k, x in enumerate(args) if self.is_ragged(x))
        given: list[Exp] = []
        for k, x in enumerate(args):
            if k in places:
                rows = self.stored(x)
                given += [c.Var(rows.offsets), c.Var(rows.data)]
            else:
                given.append(self.exp(x))
        if (f.name, places) not in s.made:
            self.define(f.name, places)
        return c.App(c.Global(s.made[f.name, places], (), f.at), tuple(given), at_)

    def define(self, f: Name, places: tuple[int, ...]) -> None:
        """Add the definition of a function whose parameters at some places are ragged."""
        s, d = self.s, self.s.defs[f]
        fn = s.copy(d.exp)
        if not isinstance(fn, c.Lambda):
            raise Refused(f"`{f}`, which is no function of its arguments", d.at)
        s.made[f, places] = name = s.fresh(f)
        params: list[c.Binder] = []
        for k, p in enumerate(fn.params):
            if k not in places:
                params.append(p)
                continue
            if rank(p.type) != 2:
                raise Refused(f"`{p.name}`, an argument with more than two dimensions", d.at)
            elem = elem_of(p.type)
            rows = Ragged(s.fresh("offsets"), s.fresh("data"), elem)
            own = c.Binder(rows.offsets, INTS), c.Binder(rows.data, c.Array(elem))
            s.types |= {b.name: b.type for b in own}
            s.ragged[p.name] = rows
            params += own
        result = s.type(fn.body)
        if rank(result) > 1:
            raise Refused(f"`{f}`, a function with rows as its result", d.at)
        with s.scope():
            body = s.wrapped(self.exp(fn.body))
        t = c.arrow([b.type for b in params], unsized(result))
        s.new_defs.append(c.Def(name, (), t, c.Lambda(tuple(params), body, fn.at), d.at))

    def dim(self, d: c.Dim) -> c.Dim:
        """Return a dimension of an index."""
        match d:
            case c.Fix(index):
                return c.Fix(self.exp(index))
            case c.Range(lo, hi, step):
                return c.Range(*(None if x is None else self.exp(x) for x in (lo, hi, step)))

    # ------------------------------------------------------------------ chains

    def chain(self, e: Exp) -> Exp:
        """Add the bindings of a chain to the current scope; return its end."""
        while isinstance(e, c.Let | c.Assert):
            match e:
                case c.Assert(cond, message, values, body):
                    self.s.out.append(
                        (
                            c.Assert(
                                self.exp(cond), message, tuple(map(self.exp, values)), body, e.at
                            ),
                        )
                    )
                case c.Let(binders, exp, body):
                    self.binding(binders, exp)
            e = e.body
        return e

    def binding(self, binders: tuple[c.Binder, ...], e: Exp) -> None:
        """Add a binding."""
        if isinstance(e, c.Let | c.Assert):
            e = self.chain(e)
        inner = e.array if isinstance(e, c.Unzip) else e
        fn = inner.fn if isinstance(inner, c.Map) else None
        if isinstance(inner, c.Map) and isinstance(fn, c.Lambda) and self.lifts(fn, inner.arrays):
            for b, found in zip(binders, self.mapped(fn, inner.arrays), strict=True):
                self.named(b, found)
            return
        if len(binders) == 1 and self.is_ragged(e):
            self.named(binders[0], self.stored(e))
            return
        self.s.out.append((binders, self.exp(e)))

    def named(self, b: c.Binder, found: Name | Ragged) -> None:
        """Bind a result under its name in the program."""
        if isinstance(found, Ragged):
            self.s.ragged[b.name] = found
        else:
            t = c.Array(elem_of(b.type))
            self.s.out.append(((c.Binder(b.name, t),), c.Var(found)))

    # ------------------------------------------------------------------ rows of different lengths

    def is_ragged(self, e: Exp) -> bool:
        """True if the plan of an expression is offsets and elements."""
        match e:
            case c.Var(x):
                return x in self.s.ragged
            case c.Let(body=body) | c.Assert(body=body):
                return self.is_ragged(body)
            case c.Map(c.Lambda() as fn, arrays):
                return rank(self.s.type(fn.body)) == 1 and self.lifts(fn, arrays)
            case c.Filter(_, array) | c.Copy(array):
                return self.is_ragged(array)
            case c.Index(array, dims):
                return all(isinstance(d, c.Range) for d in dims[:1]) and self.is_ragged(array)
            case c.If(_, then, orelse):
                return self.is_ragged(then) or self.is_ragged(orelse)
            case c.Concat(arrays):
                return any(map(self.is_ragged, arrays))
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

    def stored(self, e: Exp) -> Ragged:
        """Bind the offsets and elements of an expression."""
        s = self.s
        match e:
            case c.Var(x) if x in s.ragged:
                return s.ragged[x]
            case c.Let() | c.Assert():
                return self.stored(self.chain(e))
            case c.Map(c.Lambda() as fn, arrays) if self.is_ragged(e):
                (found,) = self.mapped(fn, arrays)
                assert isinstance(found, Ragged)
                return found
            case c.Copy(array):
                return self.stored(array)
            case c.Filter(c.Lambda() as fn, array):
                return self.kept(fn, array)
            case c.Index(array, (c.Range() as d, *others)) if not others:
                rows = self.stored(array)
                places = c.Index(iota(s.rows(rows)), (self.dim(d),), e.at)
                return self.gathered(rows, s.let("places", INTS, places))
            case c.If(cond, then, orelse):
                return self.either(cond, then, orelse)
            case c.Concat(arrays):
                return self.joined([self.stored(x) for x in arrays])
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
                if rank(s.type(e)) == 2:
                    return self.of_regular(e)
                raise Refused(f"{type(e).__name__} on rows of different lengths", e.at)

    def of_regular(self, e: Exp) -> Ragged:
        """Bind a matrix as rows."""
        s, t = self.s, s_type(self.s, e)
        x = s.let("matrix", t, self.exp(e))
        width = s.let("width", I64, c.Length(c.Var(x), 1))
        i = s.fresh("i")
        fn = c.Lambda((c.Binder(i, I64),), c.Bin(BinOp.MUL, c.Var(i), c.Var(width)))
        offsets = c.Map(fn, (iota(plus(c.Length(c.Var(x)), one())),))
        elem = elem_of(t)
        data = s.let("data", c.Array(elem), c.Flatten(2, c.Var(x)))
        return Ragged(s.let("offsets", INTS, offsets), data, elem)

    def gathered(self, rows: Ragged, places: Name) -> Ragged:
        """Bind the rows at some places."""
        x, i = self.s.fresh("rows"), self.s.fresh("i")
        self.s.ragged[x] = rows
        self.s.types |= {x: c.Array(c.Array(rows.elem)), i: I64}
        fn = c.Lambda((c.Binder(i, I64),), at(x, c.Var(i)))
        (found,) = self.mapped(fn, (c.Var(places),))
        assert isinstance(found, Ragged)
        return found

    def kept(self, fn: c.Lambda, array: Exp) -> Ragged:
        """Bind the rows that fulfil a predicate."""
        s, rows = self.s, self.stored(array)
        x = s.fresh("rows")
        s.ragged[x] = rows
        s.types[x] = c.Array(c.Array(rows.elem))
        (keep,) = self.mapped(fn, (c.Var(x),))
        assert not isinstance(keep, Ragged)
        i = s.fresh("i")
        test = c.Lambda((c.Binder(i, I64),), at(keep, c.Var(i)))
        return self.gathered(rows, s.let("places", INTS, c.Filter(test, iota(s.rows(rows)))))

    def either(self, cond: Exp, then: Exp, orelse: Exp) -> Ragged:
        """Bind the rows of one branch."""
        s, elem = self.s, elem_of(s_type(self.s, then))
        branches = []
        for b in (then, orelse):
            with s.scope():
                found = self.stored(b)
                both = c.tuple_exp(c.Var(found.offsets), c.Var(found.data))
                branches.append(s.wrapped(both))
        names = s.fresh("offsets"), s.fresh("data")
        binders = c.Binder(names[0], INTS), c.Binder(names[1], c.Array(elem))
        s.types |= {b.name: b.type for b in binders}
        taken, other = branches
        s.out.append((binders, c.If(self.exp(cond), taken, other)))
        return Ragged(*names, elem)

    def joined(self, parts: list[Ragged]) -> Ragged:
        """Bind rows and the rows that follow them."""
        s, (first, *others) = self.s, parts
        offsets, length = [c.Var(first.offsets)], s.total(first)
        for x in others:
            before = s.let("before", I64, length)
            i = s.fresh("i")
            moved = plus(at(x.offsets, plus(c.Var(i), one())), c.Var(before))
            fn = c.Lambda((c.Binder(i, I64),), moved)
            offsets.append(c.Var(s.let("moved", INTS, c.Map(fn, (iota(s.rows(x)),)))))
            length = plus(c.Var(before), s.total(x))
        data = c.Concat(tuple(c.Var(x.data) for x in parts))
        name = s.let("offsets", INTS, c.Concat(tuple(offsets)))
        return Ragged(name, s.let("data", c.Array(first.elem), data), first.elem)

    # ------------------------------------------------------------------ maps

    def lifts(self, fn: c.Lambda, arrays: tuple[Exp, ...]) -> bool:
        """True if a map is about rows of different lengths: it has them, or it makes them."""
        if any(map(self.is_ragged, arrays)):
            return True
        v = Varying(self.s, fn, frozenset())
        return any(rank(self.s.type(x)) == 1 and v.row_varies(x) for x in _results(fn.body))

    def mapped(self, fn: c.Lambda, arrays: tuple[Exp, ...]) -> tuple[Name | Ragged, ...]:
        """Bind the results of a map over rows."""
        s = self.s
        s.lifted = True
        local: dict[Name, Local] = {}
        plain: list[Exp] = []
        for p, x in zip(fn.params, arrays, strict=True):
            s.types[p.name] = p.type
            if self.is_ragged(x):
                rows = self.stored(x)
                local[p.name] = rows
                plain.append(iota(s.rows(rows)))
            else:
                t = c.Array(p.type)
                name = s.let(p.name, t, self.exp(x))
                local[p.name] = Plain(name)
                plain.append(c.Var(name))
        n: Exp = c.Length(plain[0]) if not isinstance(plain[0], c.Iota) else plain[0].n
        if len(plain) > 1:  # the map traps unless all have one length
            params = tuple(c.Binder(s.fresh("x"), s_type(s, x).elem) for x in plain)
            both = c.Map(c.Lambda(params, c.Const(1, I64)), tuple(plain))
            n = c.Length(c.Var(s.let("together", INTS, both)))
        n = c.Var(s.let("n", I64, n))
        body = self.inner(fn.body)
        if all(rank(s.type(x)) == 0 for x in _results(fn.body)) and not _folds(fn.body):
            return self.per_row(Lift(s, n, local), fn.body, body)
        saved, types = list(s.out), dict(s.ragged)
        try:
            return Lift(s, n, local).body(body)
        except Refused:
            if any(rank(s.type(x)) for x in _results(fn.body)):
                raise
            s.out[:], s.ragged = saved, types
            return self.per_row(Lift(s, n, dict(local)), fn.body, body)

    def per_row(self, lift: Lift, before: Exp, body: Exp) -> tuple[Name, ...]:
        """Bind the results of one thread per row: scalars."""
        s = self.s
        types = [c.Array(s.type(x)) for x in _results(before)]
        binders = tuple(c.Binder(s.fresh("of_rows"), t) for t in types)
        s.types |= {b.name: b.type for b in binders}
        e = lift.per_row(body)
        s.out.append((binders, e if len(binders) == 1 else c.Unzip(e)))
        return tuple(b.name for b in binders)

    def inner(self, e: Exp) -> Exp:
        """Return the body of a map, where rows of ragged values from outside become slices."""
        used = [x for x in free_names(e) if x in self.s.ragged]
        if not used:
            return e

        def visit(x: Exp) -> Exp:
            match x:
                case c.Index(c.Var(y), (c.Fix(i), *others)) if y in self.s.ragged:
                    row = row_of(self.s.ragged[y], visit(i))
                    if not others:
                        return row
                    rest = tuple(map_dim(d, visit) for d in others)
                    return c.Index(row, rest, x.at)
                case c.Length(c.Var(y), 0) if y in self.s.ragged:
                    return self.s.rows(self.s.ragged[y])
                case c.Var(y) if y in self.s.ragged:
                    raise Refused(f"`{y}`, whose rows differ, as a whole in a map", x.at)
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
                    return map_parts(x, visit, lambda t: t)

        return visit(e)


def map_dim(d: c.Dim, f: "object") -> c.Dim:
    """Return a dimension with ``f`` applied to its parts."""
    assert callable(f)
    match d:
        case c.Fix(i):
            return c.Fix(f(i))
        case c.Range(lo, hi, step):
            return c.Range(*(None if x is None else f(x) for x in (lo, hi, step)))


def s_type(s: State, e: Exp) -> c.Array:
    """Return the type of an array."""
    t: Type = s.type(e)
    assert isinstance(t, c.Array)
    return t


def _results(e: Exp) -> tuple[Exp, ...]:
    """Return the results of a body; names that it binds have types in the state."""
    while isinstance(e, c.Let | c.Assert):
        e = e.body
    return tuple(x for _, x in e.fields) if isinstance(e, c.Fields) else (e,)


def _folds(e: Exp) -> bool:
    """True if a body has a reduction at its top level: it becomes segmented."""
    while isinstance(e, c.Let | c.Assert):
        if isinstance(e, c.Let) and isinstance(e.exp, c.Reduce):
            return True
        e = e.body
    return any(isinstance(x, c.Reduce) for x in _results(e))
