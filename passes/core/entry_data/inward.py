"""Values of recursive data made of rows, at the beginning of an entry point.

    loop (lists = scratch n List) for j < n do
      let i = n - 1 - j in
      if tag[i] == 0 then lists with [i] = #nil
      else if tag[i] == 1 then lists with [i] = #cons c0[i] lists[c1[i]]
      else assert false "row {} has the tag {}" in lists

A link leads to a later row, so the rows are taken from the last one to the first.  A link to
another row, or to one of another family, is a trap.
"""

from collections.abc import Iterator, Sequence

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.diagnostics import Span
from funmem.ir.names import Fresh
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.passes.core.entry_data.code import Bindings, Code, around, plus, several
from funmem.passes.core.entry_data.layout import Layout, Made

WRONG_TAG = "the arguments have a row, number {}, with the tag {}"
WRONG_LINK = "the arguments have a link from row {} to row {}, which is no later row of its type"


class Inward(Code):
    """The rows of the parameters of one entry point; the binders are further parameters."""

    def __init__(self, layout: Layout, fresh: Fresh, at: Span) -> None:
        super().__init__(fresh, at)
        self._layout = layout
        n = fresh("rows")
        self._tags = c.Binder(fresh("tags"), c.Array(I64))
        self._columns = [c.Binder(fresh("column"), c.Array(t)) for t in layout.columns]
        self._pools = [
            [c.Binder(fresh("pool"), c.Array(t)) for t in ts] for ts in layout.pool_columns
        ]
        self._n = c.Var(n, at)
        self._values = [
            c.Binder(fresh("values"), c.Array(layout.element(t))) for t in layout.families
        ]

    @property
    def params(self) -> list[c.Binder]:
        """The parameters that have the rows."""
        return [self._tags, *self._columns, *(b for bs in self._pools for b in bs)]

    def rows(self, links: Bindings) -> None:
        """Bind the values of all rows, by family."""
        layout, at = self._layout, self.at
        tags = c.Var(self._tags.name, at)
        self.bind(links, [c.Binder(self._n.name, I64)], self.size(tags))
        now = [c.Binder(self.fresh(b.name), b.type) for b in self._values]
        j, i = self.fresh("j"), c.Binder(self.fresh("i"), I64)
        here = c.Var(i.name, at)
        last = c.Bin(BinOp.SUB, self._n, c.Const(1, I64))
        inner: Bindings = []
        self.bind(inner, [i], c.Bin(BinOp.SUB, last, c.Var(j)))
        tag = self.let(inner, "tag", I64, self.element(tags, here))
        done, self._values = self._values, now
        cases = [
            self._case(f, t, made, here)
            for f, t in enumerate(layout.families)
            for made in layout.cases[f]
        ]
        same = several([c.Var(b.name) for b in now])
        wrong = c.Assert(c.Const(False, BOOL), WRONG_TAG, (here, tag), same, at)
        body = around(inner, self.chosen(tag, cases, wrong))
        init = tuple([c.Scratch(self._n, layout.element(t), at) for t in layout.families])
        loop = c.Loop(tuple(now), init, c.For(j, self._n), body, at)
        self._values = done
        self.bind(links, done, loop)

    def _case(self, f: int, t: c.Sum | c.Data, made: Made, i: Exp) -> Exp:
        """Return the values of all families after a row of this constructor."""
        links: Bindings = []
        cells = iter([self.element(c.Var(self._columns[k].name), i) for k in made.columns])
        args = tuple([self._value(u, cells, i, links) for u in made.payload])
        key = unsized(t)
        assert isinstance(key, c.Sum | c.Data)
        value = c.Construct(made.name, args, key, self.at)
        out: list[Exp] = [c.Var(b.name) for b in self._values]
        out[f] = c.Update(out[f], (c.Fix(i),), self._layout.into(value, key), self.at)
        return around(links, several(out))

    def _value(self, t: Type, cells: Iterator[Exp], i: Exp, links: Bindings) -> Exp:
        """Return a value in row i, made of its parts."""
        match t:
            case ScalarType():
                return next(cells)
            case c.Record(fields):
                return c.Fields(tuple([(x, self._value(u, cells, i, links)) for x, u in fields]))
            case c.Sum() | c.Data():
                return self._linked(t, next(cells), i, links)
            case c.Array(elem):
                first = self.let(links, "first", I64, next(cells))
                n = self.let(links, "n", I64, next(cells))
                return self._array(elem, first, n, i, links)
            case c.Arrow() | c.TypeVar() | c.Token():
                raise TypeError(f"{t} in a row")

    def _linked(self, t: c.Sum | c.Data, link: Exp, i: Exp, links: Bindings) -> Exp:
        """Return the value that a link leads to, which has to be after row i."""
        f = self._layout.family(t)
        link = self.let(links, "link", I64, link)
        first = self._layout.first[f]
        end = first + len(self._layout.cases[f])
        tag = self.element(c.Var(self._tags.name), link)
        conds = [
            c.Bin(BinOp.GT, link, i),
            c.Bin(BinOp.LT, link, self._n),
            c.Bin(BinOp.GE, tag, c.Const(first, I64)),
            c.Bin(BinOp.LT, tag, c.Const(end, I64)),
        ]
        whole: Exp = conds[-1]
        for cond in reversed(conds[:-1]):
            whole = c.Bin(BinOp.LAND, cond, whole)
        links.append(c.Assert(whole, WRONG_LINK, (i, link), c.Fields(()), self.at))
        element = self.element(c.Var(self._values[f].name), link)
        return self._layout.out_of(element, t, self.fresh)

    def _array(self, elem: Type, first: Exp, n: Exp, i: Exp, links: Bindings) -> Exp:
        """Return an array in row i."""
        pool = self._pools[self._layout.pool(elem)]
        if not pool:
            return c.Replicate(n, self._value(elem, iter(()), i, links), self.at)
        columns = [self.part(c.Var(b.name), first, plus(first, n)) for b in pool]
        if isinstance(elem, ScalarType):
            return columns[0]
        types = self._layout.cells(elem)
        params = [c.Binder(self.fresh("x"), u) for u in types]
        inner: Bindings = []
        value = self._value(unsized(elem), iter([c.Var(b.name) for b in params]), i, inner)
        return c.Map(
            c.Lambda(tuple(params), around(inner, value), self.at), tuple(columns), self.at
        )

    # ------------------------------------------------------------------ parameters

    def value(self, e: Exp, t: Type, links: Bindings) -> Exp:
        """Return a parameter, which has links, as a value of type t."""
        if not self._layout.links.inside(t):
            return e
        match t:
            case c.Sum() | c.Data():
                return self._linked(t, e, c.Const(-1, I64), links)
            case c.Record():
                outer = self._layout.links.type(t)
                assert isinstance(outer, c.Record)
                parts = zip(self.fields(links, e, outer), t.fields, strict=True)
                return c.Fields(
                    tuple([(x, self.value(y, u, links)) for (y, x, _), (_, u) in parts])
                )
            case c.Array(elem):
                b = c.Binder(self.fresh("x"), self._layout.links.type(elem))
                inner: Bindings = []
                value = self.value(c.Var(b.name), elem, inner)
                return c.Map(c.Lambda((b,), around(inner, value), self.at), (e,), self.at)
            case c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                raise TypeError(f"links in a value of type {t}")


def all_values(work: Inward, given: Sequence[tuple[c.Binder, c.Binder]]) -> Bindings:
    """Return bindings of parameters: pairs of a parameter and what it is outside."""
    links: Bindings = []
    work.rows(links)
    for own, outside in given:
        value = work.value(c.Var(outside.name, work.at), own.type, links)
        links.append(c.Let((own,), value, c.Fields(()), work.at))
    return links
