r"""Maps over rows: the body of the function becomes operations on all rows.

    map (\r -> let m = reduce max ne r            m = segmented reduce max ne (\i k -> d[k]) offs n
               let e = map (exp . (- m)) r   ->   e = segmented (\i k -> exp (d[k] - m[i])) offs n
               let s = reduce + 0 e               s = segmented reduce + 0 (\i k -> e[k]) offs n
               in map (/ s) e) X                  segmented (\i k -> e[k] / s[i]) offs n

A scalar of the body becomes an array with one element per row, a row elements with offsets.
A reduction over such rows is segmented; another scalar is computed by one thread per row, which
sees its rows as slices.  Elements of a row that is used once are computed where they are used.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, I64
from funmem.ir.sizes import var
from funmem.passes.core.flatten_nested.combine import ELEMENTS, gathered, kept_in_rows, same_offsets
from funmem.passes.core.flatten_nested.elements import Delayed, Elements, Plain
from funmem.passes.core.flatten_nested.plan import results_of
from funmem.passes.core.flatten_nested.sizes import plain_scalar
from funmem.passes.core.flatten_nested.state import (
    INTS,
    Deep,
    Ragged,
    Refused,
    Stored,
    at,
    depth,
    elem_of,
    iota,
    minus,
    one,
    plus,
    prefixes,
    rank,
    start_of,
)
from funmem.passes.core.names import free_names, inside

Result: TypeAlias = Name | Stored
"""An array of one scalar for each row, or rows."""


Mapped: TypeAlias = Callable[[c.Lambda, tuple[Exp, ...]], tuple[Result, ...]]
"""Binds the results of a map over rows."""


@define(eq=False)
class Lift(Elements):
    """One map over n rows."""

    mapped: Mapped | None = None
    equal: set[tuple[Name, Name]] = field(factory=set)
    """Offsets whose rows are known to have equal lengths."""
    lengths: dict[Name, Name] = field(factory=dict)
    """Scalar -> the row whose length it is."""

    # ------------------------------------------------------------------ statements

    def body(self, e: Exp) -> tuple[Result, ...]:
        """Add the operations for a body; return its results."""
        while isinstance(e, c.Let | c.Assert):
            match e:
                case c.Assert(cond, message, values, rest):
                    test = c.Assert(cond, message, values, c.Const(True, BOOL), e.at)
                    self.s.let("checked", c.Array(BOOL), self.per_row(test))
                case c.Let(binders, exp, rest):
                    self.statement(binders, exp, rest)
            e = rest
        parts = tuple(x for _, x in e.fields) if isinstance(e, c.Fields) else (e,)
        return tuple(self.result(x) for x in parts)

    def result(self, e: Exp) -> Result:
        """Return the values of an expression in all rows."""
        t = self.s.type(e)
        if (found := self.rows_of_rows(e)) is not None:
            (own,) = found
            return own
        if rank(t) == 0:
            if isinstance(e, c.Var) and isinstance(x := self.local.get(e.name), Plain):
                return x.array
            return self.scalar(e)
        if rank(t) > 1:
            raise Refused("a matrix in each row", e.at)
        return self.stored(self.uncoerced(e))

    def statement(self, binders: tuple[c.Binder, ...], e: Exp, rest: Exp) -> None:
        """Add a binding."""
        while isinstance(e, c.Let | c.Assert):
            match e:
                case c.Assert(cond, message, values, inner):
                    test = c.Assert(cond, message, values, c.Const(True, BOOL), e.at)
                    self.s.let("checked", c.Array(BOOL), self.per_row(test))
                case c.Let(own, exp, inner):
                    self.statement(own, exp, inner)
            e = inner
        e = self.uncoerced(e)
        if (found := self.rows_of_rows(e)) is not None:
            self.local |= dict(zip((b.name for b in binders), found, strict=True))
            return
        if len(binders) > 1:
            self.several(binders, e)
            return
        (b,) = binders
        if rank(b.type) == 0:
            match e:
                case c.Length(c.Var(x), 0) if x in self.local:
                    self.lengths[b.name] = x
                case _:
                    pass
            self.local[b.name] = Plain(self.scalar(e))
        elif rank(b.type) == 1:
            uses = sum(isinstance(x, c.Var) and x.name == b.name for x in inside(rest))
            once = uses <= 1 and not _in_loop(rest, b.name)
            if once and self.is_elementwise(e):
                self.local[b.name] = Delayed(e)
            else:
                self.local[b.name] = self.stored(e)
        else:
            raise Refused(f"`{b.name}`, a matrix in each row", e.at)

    def uncoerced(self, e: Exp) -> Exp:
        """Return a row without a statement of its length, which is checked unless it is known."""
        while isinstance(e, c.Coerce) and rank(e.type) == 1:
            size = None if e.type.size is None else e.type.size.as_name
            row = e.exp
            while isinstance(row, c.Var) and isinstance(v := self.local.get(row.name), Delayed):
                row = v.exp
            known = isinstance(row, c.Iota | c.Replicate) and row.n == c.Var(size or Name(""))
            if not known:
                self.s.let("checked", INTS, self.per_row(c.Length(e)))
            e = e.exp
        return e

    def several(self, binders: tuple[c.Binder, ...], e: Exp) -> None:
        """Add a binding of several scalars."""
        if any(rank(b.type) for b in binders):
            self.together(binders, e)
            return
        if (found := self.segmented(e)) is None:
            new = tuple(c.Binder(self.s.fresh(b.name), b.type) for b in binders)
            fields = c.tuple_exp(*(c.Var(b.name) for b in new))
            found = self.per_row(c.Let(new, e, fields))
        arrays = tuple(c.Binder(self.s.fresh(b.name), c.Array(b.type)) for b in binders)
        self.s.types |= {b.name: b.type for b in arrays}
        self.s.out.append((arrays, c.Unzip(found)))
        self.local |= {b.name: Plain(x.name) for b, x in zip(binders, arrays, strict=True)}

    def together(self, binders: tuple[c.Binder, ...], e: Exp) -> None:
        """Add a binding of rows of tuples, which are one row for each part: a map or a scan."""
        op: c.Lambda | None = None
        ne: tuple[Exp, ...] = ()
        rows: tuple[Exp, ...]
        match e:
            case c.Unzip(c.Map() as m):
                rows = (m,)
            case c.Unzip(c.Scan(c.Lambda() as op, ne, rows)) if self.is_fixed(op, ne):
                pass
            case _:
                raise Refused("several rows that are computed together", e.at)
        rows = self.prepared(rows)
        if not all(map(self.is_elementwise, rows)) or any(rank(b.type) != 1 for b in binders):
            raise Refused("several rows that are computed together", e.at)
        domain = self.domain(rows) or self.sized(_of_scalars(rows[0]))
        found = self.over(domain, rows, op, ne, each=op is not None)
        arrays = tuple(c.Binder(self.s.fresh(b.name), c.Array(elem_of(b.type))) for b in binders)
        self.s.types |= {b.name: b.type for b in arrays}
        self.s.out.append((arrays, c.Unzip(found)))
        for b, x in zip(binders, arrays, strict=True):
            self.local[b.name] = Ragged(domain.offsets, x.name, elem_of(b.type))

    def is_fixed(self, op: c.Lambda, ne: tuple[Exp, ...]) -> bool:
        """True if an operator and its start are the same in all rows."""
        return self.own(op, ne) == []

    def own(self, op: c.Lambda, ne: tuple[Exp, ...]) -> list[Name]:
        """Return the names in an operator and its start whose values differ between rows."""
        used = {*free_names(op), *(x for v in ne for x in free_names(v))}
        return sorted(used.intersection(self.local))

    def scalar(self, e: Exp) -> Name:
        """Bind the values of a scalar expression in all rows."""
        found = self.segmented(e)
        t = c.Array(self.s.type(e))
        return self.s.let("of_rows", t, self.per_row(e) if found is None else found)

    # ------------------------------------------------------------------ segmented operations

    def segmented(self, e: Exp) -> Exp | None:
        """Return the segmented reduction of rows that have offsets; None for another scalar."""
        if not isinstance(e, c.Reduce) or not isinstance(e.op, c.Lambda):
            return None
        if own := self.own(e.op, e.ne):
            names = ", ".join(own)
            self.s.uncut.append(f"a reduction at {e.at} goes in order in each row: it uses {names}")
            return None
        arrays = self.prepared(e.arrays)
        if not all(map(self.is_elementwise, arrays)):
            return None
        domain = self.domain(arrays)
        if domain is None:
            return None
        return self.over(domain, arrays, e.op, e.ne, comm=e.comm)

    def over(
        self,
        domain: Ragged,
        rows: Sequence[Exp],
        op: c.Lambda | None = None,
        ne: tuple[Exp, ...] = (),
        *,
        each: bool = False,
        comm: bool = False,
    ) -> Exp:
        """Return a segmented operation on the elements of rows with the offsets of ``domain``."""
        i, k = self.s.fresh("i"), self.s.fresh("k")
        self.s.types |= {i: I64, k: I64}
        j = minus(c.Var(k), start_of(domain, c.Var(i)))
        self.place = (domain.offsets, k)
        values = tuple(self.element(x, c.Var(i), j) for x in rows)
        self.place = None
        value = values[0] if len(values) == 1 else c.tuple_exp(*values)
        fn = c.Lambda((c.Binder(i, I64), c.Binder(k, I64)), value)
        new_op = None if op is None else self.s.copy(op)
        start = tuple(self.s.copy(x) for x in ne)
        total = self.s.total(domain)
        return c.Segmented(fn, c.Var(domain.offsets), total, new_op, start, each, comm)

    def domain(self, rows: Sequence[Exp]) -> Ragged | None:
        """Return a value with the offsets of all these rows; None if they have no common ones."""
        found: Ragged | None = None
        for e in rows:
            match e:
                case c.Var(x):
                    v = self.local.get(x)
                    one = self.domain((v.exp,)) if isinstance(v, Delayed) else v
                case c.Map(_, arrays):
                    one = self.domain(arrays)
                case c.Iota(c.Var(x)) | c.Replicate(c.Var(x)) if x in self.lengths:
                    one = self.domain((c.Var(self.lengths[x]),))
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
                    one = None
            if not isinstance(one, Ragged):
                return None
            if found is not None:
                self.equal_rows(found, one)
            found = found or one
        return found

    def equal_rows(self, a: Stored, b: Stored) -> None:
        """Add the check that rows have equal lengths, one by one, unless it is known."""
        known = (a.offsets, b.offsets)
        if a.offsets != b.offsets and known not in self.equal:
            self.equal.add(known)
            same_offsets(self.s, a, b, self.n)
        if isinstance(a, Ragged) and isinstance(b, Ragged) and a.offsets != b.offsets:
            self.align(a, b)

    def align(self, a: Ragged, b: Ragged) -> None:
        """Bind the elements of rows as rows with the offsets of others, which are equal numbers.

        Both begin at 0, and no difference of two that follow each other differs.
        """
        key, s = (a.offsets, b.data), self.s
        if key not in self.aligned:
            total = s.let("total", I64, s.total(a))
            same = c.Array(b.elem, var(total))
            data = s.let("data", c.Array(b.elem), c.Coerce(c.Var(b.data), same, ELEMENTS))
            self.aligned[key] = Ragged(a.offsets, data, b.elem)

    def stored(self, e: Exp) -> Ragged:
        """Bind the elements and offsets of a row expression in all rows."""
        s, t = self.s, elem_of(self.s.type(e))
        (e,) = self.prepared((e,))
        match e:
            case c.Var(x) if isinstance(v := self.local.get(x), Ragged):
                return v
            case c.Var(x) if isinstance(v := self.local.get(x), Delayed):
                self.local[x] = found = self.stored(v.exp)
                return found
            case c.Scan(c.Lambda() as op, ne, (xs,)):
                (xs,) = self.prepared((xs,))
                domain = self.stored_domain(xs)
                if not self.is_fixed(op, ne):
                    raise Refused("a scan whose operator or start depends on the row", e.at)
                scanned = self.over(domain, (xs,), op, ne, each=True)
                return Ragged(domain.offsets, s.let("scanned", c.Array(t), scanned), t)
            case c.Filter(c.Lambda() as fn, xs):
                return self.filtered(fn, xs)
            case c.Let() | c.Assert():
                x = s.fresh("row")
                s.types[x] = s.type(e)
                self.statement((c.Binder(x, c.Array(t)),), e, c.Var(x))
                return self.stored(c.Var(x))
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
                return self.elements(e)

    def elements(self, e: Exp) -> Ragged:
        """Bind the elements of a row expression that are computed one by one, and the offsets."""
        s, t = self.s, elem_of(self.s.type(e))
        if not self.is_elementwise(e):
            raise Refused(f"{type(e).__name__} as a row", e.at)
        domain = self.domain((e,)) or self.sized(e)
        data = s.let("data", c.Array(t), self.over(domain, (e,)))
        return Ragged(domain.offsets, data, t)

    def stored_domain(self, e: Exp) -> Ragged:
        """Return a value with the offsets of a row, which is stored if it has none yet."""
        found = self.domain((e,)) if self.is_elementwise(e) else None
        if found is not None:
            return found
        return self.stored(e)

    def sized(self, e: Exp) -> Ragged:
        """Bind the offsets of a row whose length is computed row by row."""
        lengths = self.s.let("lengths", INTS, self.per_row(self.length(e)))
        offsets = prefixes(self.s, c.Var(lengths))
        total = at(offsets, self.n)
        return Ragged(offsets, self.s.let("places", INTS, iota(total)), I64)

    def length(self, e: Exp) -> Exp:
        """Return the length of a row expression, without the elements that it maps."""
        match e:
            case c.Var(x) if isinstance(v := self.local.get(x), Delayed):
                return self.length(v.exp)
            case c.Map(_, (array,)):
                return self.length(array)
            case c.Let(binders, exp, body, at_):
                return c.Let(binders, exp, self.length(body), at_)
            case c.Assert(cond, message, values, body, at_):
                return c.Assert(cond, message, values, self.length(body), at_)
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
            ):
                return c.Length(e)

    def filtered(self, fn: c.Lambda, xs: Exp) -> Ragged:
        """Bind the elements that fulfil a predicate, in order, and the offsets that are left."""
        s, t = self.s, elem_of(self.s.type(xs))
        row = self.stored(xs)
        x = c.Map(fn, (xs,))
        keep = s.let("keep", c.Array(BOOL), self.over(row, (x,)))
        flags = Ragged(row.offsets, keep, BOOL)
        offsets, places = kept_in_rows(s, flags, s.total(row))
        p = s.fresh("k")
        kept = c.Map(c.Lambda((c.Binder(p, I64),), at(row.data, c.Var(p))), (c.Var(places),))
        return Ragged(offsets, s.let("kept", c.Array(t), kept), t)

    # ------------------------------------------------------------------ rows of rows

    def rows_of_rows(self, e: Exp) -> tuple[Stored, ...] | None:
        """Bind what an operation on the rows of each row computes; None for another expression.

        A map over the rows of rows is one over all of them; what its function uses of the outer
        row, a number, is a further argument, with an element for each inner row.
        """
        match e:
            case c.Unzip(array):
                return self.rows_of_rows(array)
            case c.Map(c.Lambda() as fn, arrays) if self.is_nested(fn, arrays):
                return self.inner_map(fn, arrays)
            case c.Filter(c.Lambda() as fn, xs) if self.is_deep(xs):
                rows = self.deep(xs)
                (flags,) = self.inner_map(fn, (xs,))
                assert isinstance(flags, Ragged)
                offsets, places = kept_in_rows(self.s, flags, self.s.total(rows))
                return (Deep(offsets, gathered(self.s, rows.inner, places)),)
            case c.Flatten(2, xs) if self.is_deep(xs):
                return (self.flattened(self.deep(xs)),)
            case c.Var(x) if isinstance(v := self.local.get(x), Deep):
                return (v,)
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
                return None

    def is_nested(self, fn: c.Lambda, arrays: tuple[Exp, ...]) -> bool:
        """True if a map in a row has rows, or operations on arrays in its function."""
        return any(map(self.is_deep, arrays)) or not plain_scalar(fn.body)

    def prepared(self, rows: Sequence[Exp]) -> tuple[Exp, ...]:
        """Return rows, those that have no element by element rule bound to names."""
        found: list[Exp] = []
        for e in rows:
            if isinstance(e, c.Map) and not self.is_elementwise(e):
                made = self.rows_of_rows(e)
                if made is None:
                    e = c.Map(e.fn, self.prepared(e.arrays), e.at)
                else:
                    x = self.s.fresh("row")
                    self.s.types[x] = self.s.type(e)
                    (self.local[x],) = made
                    e = c.Var(x)
            found.append(e)
        return tuple(found)

    def is_deep(self, e: Exp) -> bool:
        """True if a value has rows of rows."""
        return isinstance(e, c.Var) and isinstance(self.local.get(e.name), Deep)

    def deep(self, e: Exp) -> Deep:
        """Return rows of rows."""
        v = self.local.get(e.name) if isinstance(e, c.Var) else None
        if not isinstance(v, Deep):
            raise Refused("a map over rows of rows and others")
        return v

    def inner_map(self, fn: c.Lambda, arrays: tuple[Exp, ...]) -> tuple[Stored, ...]:
        """Bind the results of a map over the rows of each row."""
        s = self.s
        outer, *others = (self.inner_rows(x) for x in arrays)
        for other in others:
            self.equal_rows(outer, other)
        own = s.copy(fn)
        assert isinstance(own, c.Lambda)
        params, given = list(own.params), [self.inner_value(outer_x) for outer_x in arrays]
        for x in free_names(fn):
            v = self.local.get(x)
            if v is None:
                continue
            if not isinstance(v, Plain) or rank(s.types[x]):
                raise Refused(f"`{x}`, a row that is used for each row in it")
            params.append(c.Binder(x, s.types[x]))
            given.append(c.Var(self.for_inner(outer, v.array, s.types[x])))
        image = {p.name: s.fresh(p.name) for p in params}
        s.types |= {image[p.name]: p.type for p in params}
        body = s.copy(own.body, image)
        new = tuple(c.Binder(image[p.name], p.type) for p in params)
        assert self.mapped is not None
        found = self.mapped(c.Lambda(new, body, fn.at), tuple(given))
        elems = [elem_of(s.type(x)) for x in results_of(body)]
        return tuple(
            Ragged(outer.offsets, x, t) if isinstance(x, str) else Deep(outer.offsets, x)
            for x, t in zip(found, elems, strict=True)
        )

    def inner_rows(self, e: Exp) -> Stored:
        """Return an array of a map over the rows of each row."""
        v = self.local.get(e.name) if isinstance(e, c.Var) else None
        if isinstance(v, Delayed):
            assert isinstance(e, c.Var)
            v = self.local[e.name] = self.stored(v.exp)
        if isinstance(v, Ragged | Deep):
            return v
        return self.stored(e)

    def inner_value(self, e: Exp) -> Exp:
        """Return a name for the elements of :meth:`inner_rows`, of all rows."""
        v = self.inner_rows(e)
        if isinstance(v, Ragged):
            return c.Var(v.data)
        x = self.s.fresh("inner")
        self.s.ragged[x] = v.inner
        t: Type = v.elem
        for _ in range(depth(v.inner) + 1):
            t = c.Array(t)
        self.s.types[x] = t
        return c.Var(x)

    def for_inner(self, outer: Stored, of_rows: Name, t: Type) -> Name:
        """Bind a number of each row, once for each row in it."""
        i, k = self.s.fresh("i"), self.s.fresh("k")
        self.s.types |= {i: I64, k: I64}
        fn = c.Lambda((c.Binder(i, I64), c.Binder(k, I64)), at(of_rows, c.Var(i)))
        e = c.Segmented(fn, c.Var(outer.offsets), self.s.total(outer))
        return self.s.let("of_inner", c.Array(t), e)

    def flattened(self, x: Deep) -> Stored:
        """Bind the rows of each row as one."""
        i = self.s.fresh("i")
        self.s.types[i] = I64
        end = at(x.inner.offsets, at(x.offsets, c.Var(i)))
        own = c.Map(c.Lambda((c.Binder(i, I64),), end), (iota(plus(self.n, one())),))
        offsets = self.s.let("offsets", INTS, own)
        return (
            Ragged(offsets, x.inner.data, x.elem)
            if isinstance(x.inner, Ragged)
            else Deep(offsets, x.inner.inner)
        )


def _in_loop(e: Exp, x: Name) -> bool:
    """True if an expression mentions a name in a loop or a lambda, whose body may run often."""
    return any(
        isinstance(y, c.Var) and y.name == x
        for outer in inside(e)
        if isinstance(outer, c.Loop | c.Lambda)
        for y in inside(outer)
    )


def _of_scalars(row: Exp) -> Exp:
    """Return a row expression of the same length whose elements are no tuples."""
    if not isinstance(row, c.Map) or not isinstance(row.fn, c.Lambda):
        return row
    return c.Map(c.Lambda(row.fn.params, c.Const(0, I64)), row.arrays, row.at)
