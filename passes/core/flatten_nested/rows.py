r"""Maps over rows: the body of the function becomes operations on all rows.

    map (\r -> let m = reduce max ne r            m = segmented reduce max ne (\i k -> d[k]) offs n
               let e = map (exp . (- m)) r   ->   e = segmented (\i k -> exp (d[k] - m[i])) offs n
               let s = reduce + 0 e               s = segmented reduce + 0 (\i k -> e[k]) offs n
               in map (/ s) e) X                  segmented (\i k -> e[k] / s[i]) offs n

A scalar of the body becomes an array with one element per row, a row elements with offsets.
A reduction over such rows is segmented; another scalar is computed by one thread per row, which
sees its rows as slices.  Elements of a row that is used once are computed where they are used.
"""

from collections.abc import Sequence

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.passes.core.flatten_nested.sizes import plain_scalar
from funmem.passes.core.flatten_nested.state import (
    INTS,
    Ragged,
    Refused,
    State,
    all_of,
    at,
    elem_of,
    iota,
    minus,
    plus,
    prefixes,
    rank,
    row_of,
    start_of,
)
from funmem.passes.core.names import free_names, inside

Result = Name | Ragged
"""An array of one scalar for each row, or rows."""


@frozen
class Plain:
    """A name whose value in row i is element i of an array (for rank 2: its row i)."""

    array: Name


@frozen
class Delayed:
    """A row whose elements are computed where they are used."""

    exp: Exp


Local = Plain | Ragged | Delayed


@define(eq=False)
class Lift:
    """One map over n rows: the names that its body has bound so far."""

    s: State
    n: Exp
    local: dict[Name, Local] = field(factory=dict)
    equal: set[tuple[Name, Name]] = field(factory=set)
    """Offsets whose rows are known to have equal lengths."""
    place: tuple[Name, Name] | None = None
    """The offsets of a segmented operation, and the name of its element."""

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
        if rank(t) == 0:
            if isinstance(e, c.Var) and isinstance(x := self.local.get(e.name), Plain):
                return x.array
            return self.scalar(e)
        return self.stored(e)

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
        if len(binders) > 1:
            self.several(binders, e)
            return
        (b,) = binders
        if rank(b.type) == 0:
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

    def several(self, binders: tuple[c.Binder, ...], e: Exp) -> None:
        """Add a binding of several scalars."""
        if any(rank(b.type) for b in binders):
            raise Refused("several rows that are computed together", e.at)
        if (found := self.segmented(e)) is None:
            new = tuple(c.Binder(self.s.fresh(b.name), b.type) for b in binders)
            fields = c.tuple_exp(*(c.Var(b.name) for b in new))
            found = self.per_row(c.Let(new, e, fields))
        arrays = tuple(c.Binder(self.s.fresh(b.name), c.Array(b.type)) for b in binders)
        self.s.types |= {b.name: b.type for b in arrays}
        self.s.out.append((arrays, c.Unzip(found)))
        self.local |= {b.name: Plain(x.name) for b, x in zip(binders, arrays, strict=True)}

    def scalar(self, e: Exp) -> Name:
        """Bind the values of a scalar expression in all rows."""
        found = self.segmented(e)
        t = c.Array(self.s.type(e))
        return self.s.let("of_rows", t, self.per_row(e) if found is None else found)

    # ------------------------------------------------------------------ one thread per row

    def per_row(self, e: Exp) -> Exp:
        """Return the map that computes an expression once for each row."""
        i = self.s.fresh("i")
        self.s.types[i] = I64
        body = self.in_row(e, c.Var(i))
        return c.Map(c.Lambda((c.Binder(i, I64),), body), (iota(self.n),))

    def in_row(self, e: Exp, i: Exp) -> Exp:
        """Return a copy of an expression in row i, with what it uses of the row bound around it."""
        image: dict[Name, Name] = {}
        bound: list[tuple[c.Binder, Exp]] = []
        for x in free_names(e):
            v = self.local.get(x)
            if isinstance(v, Delayed):
                v = self.local[x] = self.stored(v.exp)
            if v is None:
                continue
            new = self.s.fresh(x)
            image[x] = new
            t = self.s.types[x]
            self.s.types[new] = t
            value = at(v.array, i) if isinstance(v, Plain) else row_of(v, i)
            bound.append((c.Binder(new, c.Array(elem_of(t)) if rank(t) else t), value))
        new_e = self.s.copy(e, image)
        for b, value in reversed(bound):
            new_e = c.Let((b,), value, new_e)
        return new_e

    # ------------------------------------------------------------------ segmented operations

    def segmented(self, e: Exp) -> Exp | None:
        """Return the segmented reduction of rows that have offsets; None for another scalar."""
        if not isinstance(e, c.Reduce) or not isinstance(e.op, c.Lambda):
            return None
        own = {*free_names(e.op), *(x for v in e.ne for x in free_names(v))}
        if not own.isdisjoint(self.local) or not all(map(self.is_elementwise, e.arrays)):
            return None
        domain = self.domain(e.arrays)
        if domain is None:
            return None
        return self.over(domain, e.arrays, e.op, e.ne, comm=e.comm)

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

    def equal_rows(self, a: Ragged, b: Ragged) -> None:
        """Add the check that rows have equal lengths, one by one, unless it is known."""
        known = (a.offsets, b.offsets)
        if a.offsets != b.offsets and known not in self.equal:
            self.equal.add(known)
            same_offsets(self.s, a, b, self.n)

    def stored(self, e: Exp) -> Ragged:
        """Bind the elements and offsets of a row expression in all rows."""
        s, t = self.s, elem_of(self.s.type(e))
        match e:
            case c.Var(x) if isinstance(v := self.local.get(x), Ragged):
                return v
            case c.Var(x) if isinstance(v := self.local.get(x), Delayed):
                self.local[x] = found = self.stored(v.exp)
                return found
            case c.Scan(c.Lambda() as op, ne, (xs,)):
                domain = self.stored_domain(xs)
                own = {*free_names(op), *(x for v in ne for x in free_names(v))}
                if not own.isdisjoint(self.local):
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
        lengths = self.s.let("lengths", INTS, self.per_row(c.Length(e)))
        offsets = prefixes(self.s, c.Var(lengths))
        total = at(offsets, self.n)
        return Ragged(offsets, self.s.let("places", INTS, iota(total)), I64)

    def filtered(self, fn: c.Lambda, xs: Exp) -> Ragged:
        """Bind the elements that fulfil a predicate, in order, and the offsets that are left."""
        s, t = self.s, elem_of(self.s.type(xs))
        row = self.stored(xs)
        x = c.Map(fn, (xs,))
        keep = s.let("keep", c.Array(BOOL), self.over(row, (x,)))
        a, b, i, k = (s.fresh(y) for y in ("a", "b", "i", "k"))
        add = c.Lambda((c.Binder(a, I64), c.Binder(b, I64)), plus(c.Var(a), c.Var(b)))
        number = c.If(at(keep, c.Var(k)), c.Const(1, I64), c.Const(0, I64))
        count = c.Lambda((c.Binder(i, I64), c.Binder(k, I64)), number)
        counts = c.Segmented(
            count, c.Var(row.offsets), s.total(row), add, (c.Const(0, I64),), comm=True
        )
        offsets = prefixes(s, counts)
        q, p = s.fresh("k"), s.fresh("k")
        places = s.let(
            "places",
            INTS,
            c.Filter(c.Lambda((c.Binder(q, I64),), at(keep, c.Var(q))), iota(s.total(row))),
        )
        kept = c.Map(c.Lambda((c.Binder(p, I64),), at(row.data, c.Var(p))), (c.Var(places),))
        return Ragged(offsets, s.let("kept", c.Array(t), kept), t)

    # ------------------------------------------------------------------ elements

    def is_elementwise(self, e: Exp) -> bool:
        """True if element j of a row can be computed by itself."""
        match e:
            case c.Var(x):
                v = self.local.get(x)
                return not isinstance(v, Delayed) or self.is_elementwise(v.exp)
            case c.Map(c.Lambda(_, body), arrays):
                return plain_scalar(body) and all(map(self.is_elementwise, arrays))
            case c.Iota() | c.Replicate():
                return True
            case c.Index(c.Var(), dims):
                return sum(isinstance(d, c.Range) for d in dims) == 1
            case c.If(cond, then, orelse):
                return all(map(self.is_elementwise, (then, orelse))) and plain_scalar(cond)
            case c.Let(binders, _, body) if _is_unused(binders, body):
                return self.is_elementwise(body)
            case c.Let(binders, exp, body):
                plain = not any(rank(b.type) for b in binders) and plain_scalar(exp)
                return plain and self.is_elementwise(body)
            case c.Assert(cond, _, values, body):  # the length of the row is computed with it
                return all(map(plain_scalar, (cond, *values))) and self.is_elementwise(body)
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

    def element(self, e: Exp, i: Exp, j: Exp) -> Exp:
        """Return element j of a row expression in row i."""
        match e:
            case c.Var(x):
                match self.local.get(x):
                    case Delayed(exp):
                        return self.element(exp, i, j)
                    case Ragged() as v if self.place and v.offsets == self.place[0]:
                        return at(v.data, c.Var(self.place[1]))
                    case Ragged() as v:
                        return at(v.data, plus(start_of(v, i), j))
                    case Plain(array):
                        return c.Index(c.Var(array), (c.Fix(i), c.Fix(j)))
                    case None:
                        return at(x, j)
            case c.Map(c.Lambda(params, body), arrays):
                image = {p.name: self.s.fresh(p.name) for p in params}
                self.s.types |= {image[p.name]: p.type for p in params}
                value = self.element_code(body, i, image)
                for p, xs in reversed(list(zip(params, arrays, strict=True))):
                    b = c.Binder(image[p.name], p.type)
                    value = c.Let((b,), self.element(xs, i, j), value)
                return value
            case c.Iota(_, start, step):
                t = self.s.type(start)
                where = j if t is I64 else c.Convert(elem_of(t), j)
                first, by = self.in_row(start, i), self.in_row(step, i)
                return plus(first, c.Bin(BinOp.MUL, where, by))
            case c.Replicate(_, value):
                return self.in_row(value, i)
            case c.Let(binders, _, body) if _is_unused(binders, body):
                return self.element(body, i, j)
            case c.Let():
                own = self.s.copy(e)
                assert isinstance(own, c.Let)
                return c.Let(own.binders, self.in_row(own.exp, i), self.element(own.body, i, j))
            case c.Assert(body=body):
                return self.element(body, i, j)
            case c.If(cond, then, orelse):
                return c.If(
                    self.in_row(cond, i), self.element(then, i, j), self.element(orelse, i, j)
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
                return at(self.in_row(e, i), j)

    def element_code(self, body: Exp, i: Exp, image: dict[Name, Name]) -> Exp:
        """Return a copy of scalar code in row i, where parameters have the names of ``image``."""
        return self.in_row(self.s.copy(body, image), i)


def same_offsets(s: State, a: Ragged, b: Ragged, n: Exp) -> None:
    """Add a check that rows have equal lengths, one by one."""
    i = s.fresh("i")

    def length(x: Ragged) -> Exp:
        return minus(start_of(x, plus(c.Var(i), c.Const(1, I64))), start_of(x, c.Var(i)))

    same = c.Lambda((c.Binder(i, I64),), c.Bin(BinOp.EQ, length(a), length(b)))
    s.check(all_of(s, c.Map(same, (iota(n),))), "Rows of different lengths.")


def _is_unused(binders: tuple[c.Binder, ...], body: Exp) -> bool:
    """True if an expression uses no name of a binding in front of it."""
    return not {b.name for b in binders} & set(free_names(body))


def _in_loop(e: Exp, x: Name) -> bool:
    """True if an expression mentions a name in a loop or a lambda, whose body may run often."""
    return any(
        isinstance(y, c.Var) and y.name == x
        for outer in inside(e)
        if isinstance(outer, c.Loop | c.Lambda)
        for y in inside(outer)
    )
