"""The rows of a comprehension: arrays of one length, one for each variable bound so far."""

from collections.abc import Callable

from funmem.frontends.futhark.elaborate.context import Elaboration, Wrap, i64, let, require, wrapped
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, BinOp, ScalarType


@frozen
class Nest:
    """A regular nest of rows: ``size`` inner rows for each row of ``outer``.

    ``inner`` binds the inner variables, given ``index``, an i64.
    """

    outer: "Rows"
    size: Exp
    index: c.Binder
    inner: tuple[Wrap, ...]


@frozen
class Rows:
    """The rows: ``variables[k]`` takes the values of ``arrays[k]``; there is at least one variable.

    ``ascending``: a variable whose values never decrease from row to row.  ``strictly``: they
    always increase.  ``nest``: the nest that the rows were made from, unless changed since.
    """

    variables: tuple[c.Binder, ...]
    arrays: tuple[Exp, ...]
    ascending: Name | None = None
    nest: Nest | None = None
    strictly: bool = False

    @staticmethod
    def made(
        ctx: Elaboration, variables: tuple[c.Binder, ...], made: Exp, out: list[Wrap], at: Span
    ) -> "Rows":
        """Make rows from an array of records, or, for one variable, from an array of its values."""
        return Rows.unpacked(ctx, variables, unzipped(made, len(variables), at), out, at)

    @staticmethod
    def unpacked(
        ctx: Elaboration, variables: tuple[c.Binder, ...], arrays: Exp, out: list[Wrap], at: Span
    ) -> "Rows":
        """Make rows from a record of arrays, or, for one variable, from its array."""
        binders = tuple(ctx.binder(b.name, c.Array(b.type)) for b in variables)
        out.append(lambda rest: c.Let(binders, arrays, rest, at))
        return Rows(variables, tuple(c.Var(b.name) for b in binders))

    @staticmethod
    def unit(ctx: Elaboration, at: Span) -> "Rows":
        """Make a single row, whose variable has no name in the program."""
        return Rows((ctx.binder("u", I64),), (c.Iota(i64(1), i64(0), i64(1), at),))

    @property
    def names(self) -> frozenset[Name]:
        """The names of the variables."""
        return frozenset(b.name for b in self.variables)

    def array(self, name: Name) -> Exp | None:
        """Return the values of a variable, or None if there is no such variable."""
        for b, a in zip(self.variables, self.arrays, strict=True):
            if b.name == name:
                return a
        return None

    def length(self, at: Span) -> Exp:
        """Return the number of rows."""
        return c.Length(self.arrays[0], 0, at)

    def nonempty(self, at: Span) -> Exp:
        """Return the test that there is a row."""
        return c.Bin(BinOp.GT, self.length(at), i64(0), at)

    def record(self, at: Span) -> Exp:
        """Return the arrays as a record; a single array as itself."""
        return self.arrays[0] if len(self.arrays) == 1 else c.tuple_exp(*self.arrays, at=at)

    def with_variable(self, b: c.Binder, values: Exp) -> "Rows":
        """Return the rows with one more variable, with one value per row."""
        return Rows((*self.variables, b), (*self.arrays, values), self.ascending)

    def without(self, name: Name) -> "Rows":
        """Return the rows without one variable."""
        kept = [k for k, b in enumerate(self.variables) if b.name != name]
        variables = tuple(self.variables[k] for k in kept)
        return Rows(variables, tuple(self.arrays[k] for k in kept), self.ascending)

    def map(self, ctx: Elaboration, body: Exp, at: Span) -> Exp:
        """Return the map of an expression over the variables, over all rows."""
        fresh = tuple(ctx.binder(b.name, b.type) for b in self.variables)
        inner = [let(b, c.Var(f.name), at) for b, f in zip(self.variables, fresh, strict=True)]
        return c.Map(c.Lambda(fresh, wrapped(inner, body), at), self.arrays, at)

    def at(self, index: Exp, at: Span) -> list[Wrap]:
        """Return bindings of the variables to the values in one row."""
        return [
            let(b, c.Index(a, (c.Fix(index),), at), at)
            for b, a in zip(self.variables, self.arrays, strict=True)
        ]

    def filter(self, ctx: Elaboration, cond: Exp, out: list[Wrap], at: Span) -> "Rows":
        """Return the rows that satisfy a condition on the variables."""
        if len(self.variables) == 1:
            (b,) = self.variables
            kept: Exp = c.Filter(c.Lambda((b,), cond, at), self.arrays[0], at)
        else:
            fields = tuple((str(k), b.type) for k, b in enumerate(self.variables))
            row = ctx.binder("row", c.Record(fields))
            test = c.Let(self.variables, c.Var(row.name), cond, at)
            zipped = c.Zip(tuple((str(k), a) for k, a in enumerate(self.arrays)), at)
            kept = c.Filter(c.Lambda((row,), test, at), zipped, at)
        found = Rows.made(ctx, self.variables, kept, out, at)
        return evolve(found, ascending=self.ascending, strictly=self.strictly)

    def permuted(self, ctx: Elaboration, order: Exp, out: list[Wrap], at: Span) -> "Rows":
        """Return the rows in a given order: row k is row ``order[k]``."""
        i = ctx.binder("i", I64)
        picked = [c.Index(a, (c.Fix(c.Var(i.name)),), at) for a in self.arrays]
        body = picked[0] if len(picked) == 1 else c.tuple_exp(*picked, at=at)
        return Rows.made(
            ctx, self.variables, c.Map(c.Lambda((i,), body, at), (order,), at), out, at
        )


def is_flat(t: c.Type) -> bool:
    """True if a value of the type consists of scalars."""
    return isinstance(t, ScalarType) or (
        isinstance(t, c.Record) and all(is_flat(u) for _, u in t.fields)
    )


def unzipped(made: Exp, variables: int, at: Span) -> Exp:
    """Convert an array of records to a record of arrays; any other array stays as it is."""
    return made if variables == 1 else c.Unzip(made, at)


def sums(
    ctx: Elaboration, sizes: Exp, out: list[Wrap], at: Span, *, counts: bool = False
) -> tuple[Exp, Exp]:
    """Return the offsets of rows of these sizes in sequence, one more than rows, and the total.

    ``counts``: the sizes count elements in memory.  The sum of other sizes may exceed an i64, in
    which case the program traps.
    """
    n = ctx.atom(c.Length(sizes, 0, at), I64, out, "n")
    add = _operator(ctx, BinOp.ADD, at) if counts else _sum_or_negative(ctx, at)
    ends = c.Scan(add, (i64(0),), (sizes,), at)
    offsets = c.Concat((c.ArrayLit((i64(0),), I64, at), ends), at)
    named = named_array(ctx, offsets, "offsets", out, at)
    total = ctx.atom(c.Index(named, (c.Fix(n),), at), I64, out, "total")
    if not counts:
        out.append(_counted(c.Bin(BinOp.GE, total, i64(0), at), at))
    return named, total


def counted_nest(rows: Exp, size: Exp, at: Span) -> Wrap:
    """Return the check that an i64 can count the elements of ``rows`` rows of one size.

    It compares the upper half of the product with the sign of the lower half.
    """
    upper = c.Bin(BinOp.MULHI, rows, size, at)
    sign = c.Bin(BinOp.SHR, c.Bin(BinOp.MUL, rows, size, at), i64(63), at)
    return _counted(c.Bin(BinOp.EQ, upper, sign, at), at)


def _counted(fits: Exp, at: Span) -> Wrap:
    return require(fits, "The comprehension has more elements than an i64 counts.", (), at)


def _operator(ctx: Elaboration, op: BinOp, at: Span) -> c.Lambda:
    x, y = ctx.binder("x", I64), ctx.binder("y", I64)
    return c.Lambda((x, y), c.Bin(op, c.Var(x.name), c.Var(y.name), at), at)


def _sum_or_negative(ctx: Elaboration, at: Span) -> c.Lambda:
    """Return ``x + y`` for two counts, or -1 once a sum exceeds an i64 or an operand is -1.

    This is ``s | ((x | y | s) >> 63)``: the sign of any of the three, in all bits.  It is
    associative, since the sum of two counts that wraps around is negative.
    """
    x, y, s = ctx.binder("x", I64), ctx.binder("y", I64), ctx.binder("s", I64)
    a, b, total = (c.Var(v.name) for v in (x, y, s))
    signs = c.Bin(BinOp.OR, c.Bin(BinOp.OR, a, b, at), total, at)
    wrong = c.Bin(BinOp.SHR, signs, i64(63), at)
    body = let(s, c.Bin(BinOp.ADD, a, b, at), at)(c.Bin(BinOp.OR, total, wrong, at))
    return c.Lambda((x, y), body, at)


@frozen
class Expansion:
    """Rows of given sizes, in sequence: row r has the elements offsets[r] <= j < offsets[r + 1]."""

    offsets: Exp
    total: Exp

    def each(
        self, ctx: Elaboration, body: Callable[[Exp, Exp], Exp], at: Span, *, flat: bool = True
    ) -> Exp:
        """Return the map over all elements; ``body`` takes the row and the index in the row.

        ``flat``: its value consists of scalars.  For others the rows' numbers are stored.
        """
        r, j, i = ctx.binder("r", I64), ctx.binder("j", I64), ctx.binder("i", I64)
        number = self.number(c.Var(j.name), c.Var(r.name), at)
        inner = c.Let((i,), number, body(c.Var(r.name), c.Var(i.name)), at)
        if flat:
            return c.Segmented(c.Lambda((r, j), inner, at), self.offsets, self.total, at=at)
        o, k = ctx.binder("o", I64), ctx.binder("k", I64)
        owner = c.Lambda((o, k), c.Var(o.name), at)
        owners = c.Segmented(owner, self.offsets, self.total, at=at)
        everything = c.Iota(self.total, i64(0), i64(1), at)
        return c.Map(c.Lambda((r, j), inner, at), (owners, everything), at)

    def number(self, element: Exp, row: Exp, at: Span) -> Exp:
        """Return the index of an element in its row."""
        return c.Bin(BinOp.SUB, element, c.Index(self.offsets, (c.Fix(row),), at), at)


def expanded(
    ctx: Elaboration, sizes: Exp, out: list[Wrap], at: Span, *, counts: bool = False
) -> Expansion:
    """Return the expansion of rows of these sizes, which are not negative; see :func:`sums`.

    The paper (004, section 3.1) computes an array with the row of each element.  A kernel over rows
    finds it by binary search for many elements at once.
    """
    return Expansion(*sums(ctx, sizes, out, at, counts=counts))


def named_array(
    ctx: Elaboration, e: Exp, base: str, out: list[Wrap], at: Span, elem: c.Type = I64
) -> Exp:
    """Bind an array to a name and return the variable."""
    b = ctx.binder(base, c.Array(elem))
    out.append(let(b, e, at))
    return c.Var(b.name)
