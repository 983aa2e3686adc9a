r"""Array comprehensions as flat data-parallel code (paper 004, figs. 2 and 3).

    [[q]] : rows -> rows          rows are arrays of one length, one for each variable bound so far

A qualifier transforms the rows:

    p <- e, first                 the elements of e
    p <- e, regular               map (\row -> map (\i -> row ++ p[Fetch e i]) (iota (Size e))),
                                  flattened: the size is the same for all rows (section 4.1)
    p <- e, irregular             expand: row r and its element i for i < Size e   (section 3.1)
    p <- e, without Size, Fetch   one row after the other                          (section 4.1)
    filter e                      filter (\row -> e)
    q | q                         zip
    order by, group by            sorting.py

Beyond the paper: an irregular binding followed by filters is not expanded before it is filtered.
Each row is cut into pieces of 64 elements, and each piece becomes a mask of the elements that pass.
The masks are expanded, and each element of the result finds its position by its mask.  So filters
are evaluated once per element, and an element that does not pass costs only one bit of memory.

A branch of a zip after other qualifiers has its own elements for each row: the branches must have
equally many in each row, and ``order by`` and ``group by`` in a branch apply within each row.
"""

from collections.abc import Sequence

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.elaborate.context import (
    Elaborate,
    Elaboration,
    Wrap,
    i64,
    let,
    require,
    wrapped,
)
from funmem.frontends.futhark.elaborate.patterns import bind, sub_binders
from funmem.frontends.futhark.elaborate.rows import (
    Nest,
    Rows,
    counted_nest,
    expanded,
    is_flat,
    named_array,
    unzipped,
)
from funmem.frontends.futhark.elaborate.sizing import Drawn, drawn, prelude_name
from funmem.frontends.futhark.elaborate.sorting import OuterRows, grouped, ordered
from funmem.frontends.inference import types as ty
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, I64, U64, BinOp, UnOp
from funmem.ir.sizes import ONE

PIECE = 64
"""The number of elements in a piece of a row: the bits of a mask."""


def comprehension(ctx: Elaboration, e: ast.Comprehension, exp: Elaborate) -> Exp:
    """Return ``[e | q]`` as Core."""
    out: list[Wrap] = []
    rows = _Comprehension(ctx, exp).qualifier(e.qual, None, out)
    return wrapped(out, rows.map(ctx, exp(e.exp), e.at))


@frozen
class _Comprehension:
    ctx: Elaboration
    exp: Elaborate
    scope: OuterRows | None = None
    """The rows before a branch of a zip, if this is one."""

    def qualifier(self, q: ast.Qualifier, rows: Rows | None, out: list[Wrap]) -> Rows:
        """Return the rows after ``q``; ``rows`` None means one row without variables."""
        if isinstance(q, ast.QSeq):
            return self._sequence(q.quals, rows, out)
        if isinstance(q, ast.QBind):
            return self._binding(q, (), rows, out)
        if isinstance(q, ast.QZip):
            return self._zip(q, rows, out)
        rows = rows if rows is not None else Rows.unit(self.ctx, q.at)
        match q:
            case ast.QFilter():
                return self._filtered(rows, (q,), out)
            case ast.QOrder():
                return ordered(self.ctx, rows, q, self.exp, self.scope, out)
            case ast.QGroup():
                return grouped(self.ctx, rows, q, self.exp, self.scope, out)

    def _sequence(self, quals: Sequence[ast.Qualifier], rows: Rows | None, out: list[Wrap]) -> Rows:
        """Apply qualifiers in order; a binding is treated together with the filters after it."""
        k = 0
        while k < len(quals):
            q = quals[k]
            start = k = k + 1
            while k < len(quals) and isinstance(quals[k], ast.QFilter):
                k += 1
            filters = tuple(f for f in quals[start:k] if isinstance(f, ast.QFilter))
            if isinstance(q, ast.QBind):
                rows = self._binding(q, filters, rows, out)
            elif isinstance(q, ast.QFilter):
                given = rows if rows is not None else Rows.unit(self.ctx, q.at)
                rows = self._filtered(given, (q, *filters), out)
            else:
                rows = self._filtered(self.qualifier(q, rows, out), filters, out)
        assert rows is not None
        return rows

    def _filtered(self, rows: Rows, filters: tuple[ast.QFilter, ...], out: list[Wrap]) -> Rows:
        if not filters:
            return rows
        return rows.filter(self.ctx, self._all(filters), out, filters[0].at)

    def _all(self, filters: tuple[ast.QFilter, ...]) -> Exp:
        """Return the conjunction of filters, evaluated in order up to the first that fails."""
        *before, last = filters
        cond = self.exp(last.exp)
        for f in reversed(before):
            cond = c.Bin(BinOp.LAND, self.exp(f.exp), cond, f.at)
        return cond

    # ------------------------------------------------------------------ bindings

    def _binding(
        self,
        q: ast.QBind,
        filters: tuple[ast.QFilter, ...],
        rows: Rows | None,
        out: list[Wrap],
    ) -> Rows:
        q = self._drawn_from(q)
        if rows is None:
            return self._filtered(self._first(q, out), filters, out)
        found = drawn(self.ctx, q.exp, self.exp, rows, out)
        if found is None:
            after = self._one_by_one(q, rows, out)
        elif found.regular is not None:
            after = self._regular(q, found, found.regular, rows, out)
        elif filters:
            after, filters = self._selected(q, found, filters, rows, out), ()
        else:
            after = self._irregular(q, found, rows, out)
        return self._filtered(evolve(after, ascending=rows.ascending), filters, out)

    def _drawn_from(self, q: ast.QBind) -> ast.QBind:
        """Return ``q`` with ``[e]`` as its source if e is a single value."""
        t = self.ctx.type(q.exp)
        if isinstance(t, ty.Array):
            return q
        one = ast.ArrayLit((q.exp,), q.exp.at)
        self.ctx.typing.types[one] = ty.Array(t, ONE)
        return ast.QBind(q.pat, one, q.at)

    def _element(self, q: ast.QBind, value: Exp) -> list[Wrap]:
        """Return bindings of the pattern's variables to parts of an element."""
        inner: list[Wrap] = []
        bind(self.ctx, q.pat, value, inner)
        return inner

    def _variables(self, q: ast.QBind) -> tuple[c.Binder, ...]:
        ctx = self.ctx
        return tuple(c.Binder(ctx.typing.names[v], ctx.core(v)) for v in sub_binders(q.pat))

    def _first(self, q: ast.QBind, out: list[Wrap]) -> Rows:
        ctx = self.ctx
        source = ctx.atom(self.exp(q.exp), ctx.core(q.exp), out, "xs")
        variables = self._variables(q)
        if not variables:
            index = ctx.binder("u", I64)
            n = c.Length(source, 0, q.at)
            return Rows.made(ctx, (index,), c.Iota(n, i64(0), i64(1), q.at), out, q.at)
        x = ctx.binder("x", ctx.core(q.pat))
        inner = self._element(q, c.Var(x.name))
        body = wrapped(inner, _tuple(variables))
        made = c.Map(c.Lambda((x,), body, q.at), (source,), q.at)
        rows = Rows.made(ctx, variables, made, out, q.at)
        return evolve(rows, ascending=self._ascending(q), strictly=True)

    def _ascending(self, q: ast.QBind) -> Name | None:
        """Return the variable of the pattern if its source is an ascending range."""
        pat = q.pat
        while isinstance(pat, ast.PAscript):
            pat = pat.pat
        if not isinstance(pat, ast.PVar):
            return None
        match q.exp:
            case ast.Range(second=second, kind=kind):
                up = kind is ast.RangeEnd.BELOW or (
                    kind is ast.RangeEnd.INCLUSIVE and second is None
                )
            case ast.App(ast.Var(name)):
                up = prelude_name(self.ctx, name) in ("iota", "indices")
            case (
                ast.Literal()
                | ast.Var()
                | ast.Hole()
                | ast.Aggregate()
                | ast.Access()
                | ast.Operation()
                | ast.Form()
                | ast.Section()
                | ast.Change()
                | ast.Annotated()
                | ast.OpenIn()
                | ast.Comprehension()
            ):
                up = False
        return self.ctx.typing.names[pat] if up else None

    def _regular(
        self, q: ast.QBind, found: Drawn, regular: Exp, rows: Rows, out: list[Wrap]
    ) -> Rows:
        """Return the rows of a nest of two maps, flattened."""
        ctx, at = self.ctx, q.at
        size = ctx.atom(regular, I64, out, "m")
        if found.start and not (isinstance(size, c.Const) and size.value > 0):
            # The checks of a row run with its elements, or here if it has none.
            none = _sum(ctx, rows.map(ctx, found.count(), at), at)
            some = c.Bin(BinOp.GT, size, i64(0), at)
            size = ctx.atom(c.If(some, size, none, at), I64, out, "m")
        out.append(counted_nest(ctx.atom(rows.length(at), I64, out, "n"), size, at))
        i = ctx.binder("i", I64)
        inner = (*found.start, *self._element(q, found.fetch(c.Var(i.name))))
        variables = (*rows.variables, *self._variables(q))
        body = wrapped(inner, _tuple(variables))
        nest = c.Map(c.Lambda((i,), body, at), (c.Iota(size, i64(0), i64(1), at),), at)
        made = c.Flatten(2, rows.map(ctx, nest, at), at)
        after = Rows.made(ctx, variables, made, out, at)
        return evolve(after, nest=Nest(rows, size, i, inner))

    def _irregular(self, q: ast.QBind, found: Drawn, rows: Rows, out: list[Wrap]) -> Rows:
        """Return the rows by expansion."""
        ctx, at = self.ctx, q.at
        sizes = named_array(ctx, rows.map(ctx, found.count(), at), "sizes", out, at)
        return self._expanded(q, found, sizes, rows, out)

    def _expanded(
        self, q: ast.QBind, found: Drawn, sizes: Exp, rows: Rows, out: list[Wrap]
    ) -> Rows:
        ctx, at = self.ctx, q.at
        variables = (*rows.variables, *self._variables(q))

        def element(row: Exp, i: Exp) -> Exp:
            inner = [*rows.at(row, at), *found.again, *self._element(q, found.fetch(i))]
            return wrapped(inner, _tuple(variables))

        flat = all(is_flat(b.type) for b in variables)
        made = expanded(ctx, sizes, out, at).each(ctx, element, at, flat=flat)
        return Rows.made(ctx, variables, made, out, at)

    def _selected(
        self,
        q: ast.QBind,
        found: Drawn,
        filters: tuple[ast.QFilter, ...],
        rows: Rows,
        out: list[Wrap],
    ) -> Rows:
        """Return the rows of an irregular binding with filters: pieces of rows, masks, elements."""
        ctx, at = self.ctx, q.at
        sizes = named_array(ctx, rows.map(ctx, found.count(), at), "sizes", out, at)
        n = ctx.binder("n", I64)
        # (n - 1) / 64 + 1, since n + 63 may wrap around
        last = c.Bin(BinOp.DIV, c.Bin(BinOp.SUB, c.Var(n.name), i64(1), at), i64(PIECE), at)
        number = c.Lambda((n,), c.Bin(BinOp.ADD, last, i64(1), at), at)
        pieces = expanded(ctx, named_array(ctx, c.Map(number, (sizes,), at), "m", out, at), out, at)

        def mask(row: Exp, piece: Exp) -> Exp:
            """Return the mask of a piece, and the row that it belongs to."""
            first = c.Bin(BinOp.MUL, piece, i64(PIECE), at)
            size = c.Index(sizes, (c.Fix(row),), at)
            left = c.Bin(BinOp.MIN, c.Bin(BinOp.SUB, size, first, at), i64(PIECE), at)
            bits, b = ctx.binder("bits", U64), ctx.binder("b", I64)
            index = c.Bin(BinOp.ADD, first, c.Var(b.name), at)
            one = c.Bin(BinOp.SHL, c.Const(1, U64), c.Convert(U64, c.Var(b.name), at), at)
            more = c.Bin(BinOp.OR, c.Var(bits.name), one, at)
            passes = wrapped(self._element(q, found.fetch(index)), self._all(filters))
            body = c.If(passes, more, c.Var(bits.name), at)
            loop = c.Loop((bits,), (c.Const(0, U64),), c.For(b.name, left), body, at)
            return wrapped([*rows.at(row, at), *found.again], c.tuple_exp(loop, row, at=at))

        both = ctx.binder("masks", c.Array(U64)), ctx.binder("owners", c.Array(I64))
        made = c.Unzip(pieces.each(ctx, mask, at), at)
        out.append(lambda rest: c.Let(both, made, rest, at))
        masks, owners = (c.Var(b.name) for b in both)
        bits = ctx.binder("bits", U64)
        ones = c.Convert(I64, c.Un(UnOp.POPCOUNT, c.Var(bits.name), at), at)
        counting = c.Map(c.Lambda((bits,), ones, at), (masks,), at)
        counts = named_array(ctx, counting, "counts", out, at)
        kept = expanded(ctx, counts, out, at, counts=True)
        variables = (*rows.variables, *self._variables(q))

        def element(piece: Exp, k: Exp) -> Exp:
            row = ctx.binder("row", I64)
            whole = c.Index(masks, (c.Fix(piece),), at)
            first = c.Bin(BinOp.MUL, pieces.number(piece, c.Var(row.name), at), i64(PIECE), at)
            i = c.Bin(BinOp.ADD, first, _nth_bit(ctx, whole, k, at), at)
            inner = [
                let(row, c.Index(owners, (c.Fix(piece),), at), at),
                *rows.at(c.Var(row.name), at),
                *found.again,
                *self._element(q, found.fetch(i)),
            ]
            return wrapped(inner, _tuple(variables))

        flat = all(is_flat(b.type) for b in variables)
        return Rows.made(ctx, variables, kept.each(ctx, element, at, flat=flat), out, at)

    # ------------------------------------------------------------------ row by row

    def _one_by_one(self, q: ast.QBind, rows: Rows, out: list[Wrap]) -> Rows:
        """Return the rows by a loop over the rows: first the sizes, then the elements."""
        ctx, at = self.ctx, q.at
        ctx.remark(
            at,
            "this comprehension runs row by row",
            "the number of elements is not known without making them; "
            "draw from a range, a map over one, or an array that does not depend on the row",
        )
        own = self._variables(q)
        if not all(is_flat(b.type) for b in own):
            return self._joined(q, rows, out)
        r, xs = ctx.binder("r", I64), ctx.binder("xs", ctx.core(q.exp))
        row = [*rows.at(c.Var(r.name), at), let(xs, self.exp(q.exp), at)]
        n = ctx.atom(rows.length(at), I64, out, "n")
        sizes = ctx.binder("sizes", c.Array(I64))
        of_row = (c.Fix(c.Var(r.name)),)
        size = wrapped(row, c.Length(c.Var(xs.name), 0, at))
        noted = c.Update(c.Var(sizes.name), of_row, size, at)
        none = c.Scratch(n, I64, at)
        counting = c.Loop((sizes,), (none,), c.For(r.name, n), noted, at)
        counted = named_array(ctx, counting, "sizes", out, at)
        whole = expanded(ctx, counted, out, at)
        flat = all(is_flat(b.type) for b in rows.variables)

        def repeated(row: Exp, _: Exp) -> Exp:
            return wrapped(rows.at(row, at), _tuple(rows.variables))

        each = whole.each(ctx, repeated, at, flat=flat)
        before = Rows.made(ctx, rows.variables, each, out, at)
        if not own:
            return before
        x = ctx.binder("x", ctx.core(q.pat))
        parts = wrapped(self._element(q, c.Var(x.name)), _tuple(own))
        made = unzipped(c.Map(c.Lambda((x,), parts, at), (c.Var(xs.name),), at), len(own), at)
        acc = tuple(ctx.binder("all", c.Array(b.type)) for b in own)
        new = tuple(ctx.binder("new", c.Array(b.type)) for b in own)
        low = c.Index(whole.offsets, of_row, at)
        high = c.Bin(BinOp.ADD, low, c.Length(c.Var(xs.name), 0, at), at)
        place = (c.Range(low, high, None),)
        placed = _each(
            [
                c.Update(c.Var(a.name), place, c.Var(b.name), at)
                for a, b in zip(acc, new, strict=True)
            ]
        )
        body = wrapped([*row, lambda rest: c.Let(new, made, rest, at)], placed)
        empty = tuple(c.Scratch(whole.total, b.type, at) for b in own)
        loop = c.Loop(acc, empty, c.For(r.name, n), body, at)
        drawn_rows = Rows.unpacked(ctx, own, loop, out, at)
        return Rows(
            (*before.variables, *drawn_rows.variables), (*before.arrays, *drawn_rows.arrays)
        )

    def _joined(self, q: ast.QBind, rows: Rows, out: list[Wrap]) -> Rows:
        """Return the rows by a loop that concatenates elements, for elements that hold arrays."""
        ctx, at = self.ctx, q.at
        variables = (*rows.variables, *self._variables(q))
        xs = ctx.binder("xs", ctx.core(q.exp))
        x, r = ctx.binder("x", ctx.core(q.pat)), ctx.binder("r", I64)
        inner = self._element(q, c.Var(x.name))
        row = wrapped(inner, _tuple(variables))
        made = unzipped(c.Map(c.Lambda((x,), row, at), (c.Var(xs.name),), at), len(variables), at)
        acc = tuple(ctx.binder("acc", c.Array(b.type)) for b in variables)
        new = tuple(ctx.binder("new", c.Array(b.type)) for b in variables)
        joined = _each(
            [c.Concat((c.Var(a.name), c.Var(n.name)), at) for a, n in zip(acc, new, strict=True)]
        )
        body = wrapped(
            [
                *rows.at(c.Var(r.name), at),
                let(xs, self.exp(q.exp), at),
                lambda rest: c.Let(new, made, rest, at),
            ],
            joined,
        )
        empty = tuple(c.ArrayLit((), b.type, at) for b in variables)
        loop = c.Loop(acc, empty, c.For(r.name, rows.length(at)), body, at)
        return Rows.unpacked(ctx, variables, loop, out, at)

    # ------------------------------------------------------------------ zip

    def _zip(self, q: ast.QZip, rows: Rows | None, out: list[Wrap]) -> Rows:
        """Return the rows of the branches in step, with the check that they are equally many."""
        if rows is None:
            return _beside(
                [self.qualifier(b, None, out) for b in q.branches], (), self.ctx, out, q.at
            )
        ctx, at = self.ctx, q.at
        number = ctx.binder("number", I64)
        scope = OuterRows(number, rows)
        numbered = rows.with_variable(number, c.Iota(rows.length(at), i64(0), i64(1), at))
        work = evolve(self, scope=scope)
        found = [work.qualifier(b, numbered, out) for b in q.branches]
        together = _beside(found, numbered.variables, ctx, out, at)
        owners = [r.array(number.name) for r in found]
        for other in owners[1:]:
            assert owners[0] is not None
            assert other is not None
            same = _equal(ctx, owners[0], other, at)
            message = "The parts of a comprehension do not have the same number of elements."
            out.append(require(same, message, (), at))
        return together.without(number.name)


# ---------------------------------------------------------------------- helpers


def _tuple(variables: Sequence[c.Binder]) -> Exp:
    return _each([c.Var(b.name) for b in variables])


def _each(exps: Sequence[Exp]) -> Exp:
    return exps[0] if len(exps) == 1 else c.tuple_exp(*exps)


def _sum(ctx: Elaboration, e: Exp, at: Span) -> Exp:
    x, y = ctx.binder("x", I64), ctx.binder("y", I64)
    add = c.Lambda((x, y), c.Bin(BinOp.ADD, c.Var(x.name), c.Var(y.name), at), at)
    return c.Reduce(add, (i64(0),), (e,), True, at)


def _nth_bit(ctx: Elaboration, mask: Exp, n: Exp, at: Span) -> Exp:
    """Return the position of the n-th bit that is set in a mask, counted from 0."""
    bits, k = ctx.binder("bits", U64), ctx.fresh("k")
    less = c.Bin(BinOp.SUB, c.Var(bits.name), c.Const(1, U64), at)
    without = c.Bin(BinOp.AND, c.Var(bits.name), less, at)
    loop = c.Loop((bits,), (mask,), c.For(k, n), without, at)
    return c.Convert(I64, c.Un(UnOp.CTZ, loop, at), at)


def _equal(ctx: Elaboration, a: Exp, b: Exp, at: Span) -> Exp:
    """Return the test that two arrays of i64 of one length have equal elements."""
    x, y = ctx.binder("x", I64), ctx.binder("y", I64)
    same = c.Bin(BinOp.EQ, c.Var(x.name), c.Var(y.name), at)
    p, q = ctx.binder("p", BOOL), ctx.binder("q", BOOL)
    both = c.Lambda((p, q), c.Bin(BinOp.LAND, c.Var(p.name), c.Var(q.name), at), at)
    each = c.Map(c.Lambda((x, y), same, at), (a, b), at)
    return c.Reduce(both, (c.Const(True, BOOL),), (each,), True, at)


def _beside(
    found: list[Rows],
    shared: tuple[c.Binder, ...],
    ctx: Elaboration,
    out: list[Wrap],
    at: Span,
) -> Rows:
    """Combine rows of checked equal number; ``shared`` variables occur once."""
    first, *others = found
    n = ctx.atom(first.length(at), I64, out, "n")
    variables, arrays = list(first.variables), list(first.arrays)
    known = {b.name for b in shared}
    for rows in others:
        m = ctx.atom(rows.length(at), I64, out, "n")
        same = c.Bin(BinOp.EQ, n, m, at)
        message = "The parts of a comprehension have {} and {} elements."
        out.append(require(same, message, (n, m), at))
        for b, a in zip(rows.variables, rows.arrays, strict=True):
            if b.name not in known:
                variables.append(b)
                arrays.append(a)
    return Rows(tuple(variables), tuple(arrays), first.ascending)
