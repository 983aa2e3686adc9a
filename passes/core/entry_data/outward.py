"""Rows made of values of recursive data, at the end of an entry point.

    queue [l], tags [0], used 1                       a value that is still to be taken apart
    loop … i = 0 while i < used do
      match queue[i] { #nil -> …; #cons x xs -> c0[i] = x, c1[i] = used, queue[used] = xs, … }

A value gets the number of its row when it is put into the queue of its family; until it is taken
apart, its tag is the number of its family.  So links lead to later rows, and the rows are in order
of breadth: equal on every engine.  Nothing recurses, so values may be deep.  A value that can be
reached in several ways has a row for each.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64, BinOp, ScalarType, normalise
from funmem.passes.core.entry_data.code import Bindings, Code, around, plus, several
from funmem.passes.core.entry_data.layout import Layout, Made

FIRST = 32
"""The length of columns after their first growth."""

Key: TypeAlias = tuple[str, int, int]
"""A part of the state: ``tags``, ``used``, ``column`` k, ``queue`` f, ``pool`` p k, ``end`` p."""

TAGS: Key = ("tags", 0, 0)
USED: Key = ("used", 0, 0)


class Outward(Code):
    """The rows of the result of one entry point.

    The state is a name for each part.  Code binds the parts that it changes to new names.
    """

    def __init__(self, layout: Layout, fresh: Fresh, at: Span) -> None:
        super().__init__(fresh, at)
        self._layout = layout
        self._types: dict[Key, Type] = {TAGS: c.Array(I64)}
        for k, t in enumerate(layout.columns):
            self._types["column", k, 0] = c.Array(t)
        for f, u in enumerate(layout.families):
            self._types["queue", f, 0] = c.Array(layout.element(u))
        self._wide = list(self._types)
        """The arrays with a place for each row."""
        self._types[USED] = I64
        for p, ts in enumerate(layout.pool_columns):
            for k, t in enumerate(ts):
                self._types["pool", p, k] = c.Array(t)
            self._types["end", p, 0] = I64
        self._now: Mapping[Key, Name] = {}
        self._spare = max(_values_in(made) for cases in layout.cases for made in cases)
        """The largest number of values that a payload leads to without arrays."""

    # ------------------------------------------------------------------ the state

    def _get(self, key: Key) -> Exp:
        return c.Var(self._now[key], self.at)

    def _set(self, links: Bindings, key: Key, e: Exp) -> None:
        """Bind a part of the state."""
        name = self.fresh(key[0])
        self.bind(links, [c.Binder(name, self._types[key])], e)
        self._now = {**self._now, key: name}

    def _renewed(self, keys: Sequence[Key]) -> list[c.Binder]:
        """Give parts of the state new names; return their binders."""
        names = {key: self.fresh(key[0]) for key in keys}
        self._now = {**self._now, **names}
        return [c.Binder(names[key], self._types[key]) for key in keys]

    def _all(self) -> list[Exp]:
        return [self._get(key) for key in self._types]

    def _scratch(self, key: Key, n: Exp) -> Exp:
        t = self._types[key]
        assert isinstance(t, c.Array)
        if isinstance(t.elem, ScalarType):
            return c.Replicate(n, c.Const(normalise(0, t.elem), t.elem), self.at)
        return c.Scratch(n, t.elem, self.at)

    def start(self, links: Bindings) -> None:
        """Bind a state without rows."""
        zero = c.Const(0, I64)
        for key, t in self._types.items():
            self._set(links, key, self._scratch(key, zero) if isinstance(t, c.Array) else zero)

    def _ensure(self, links: Bindings, keys: Sequence[Key], used: Exp, count: Exp) -> None:
        """Make room in some arrays of one length for ``count`` elements more."""
        if not keys:
            return
        need = self.let(links, "need", I64, plus(used, count))
        room = self.let(links, "room", I64, self.size(self._get(keys[0])))
        inner: Bindings = []
        lacks = c.Bin(BinOp.SUB, need, room)
        wanted = c.Bin(BinOp.MAX, c.Const(FIRST, I64), c.Bin(BinOp.MAX, room, lacks))
        more = self.let(inner, "more", I64, wanted)
        longer = [c.Concat((self._get(k), self._scratch(k, more)), self.at) for k in keys]
        same = [self._get(k) for k in keys]
        full = c.Bin(BinOp.GT, need, room)
        bigger = c.If(full, around(inner, several(longer)), several(same), self.at)
        self.bind(links, self._renewed(keys), bigger)

    # ------------------------------------------------------------------ values

    def _push(self, links: Bindings, t: c.Sum | c.Data, value: Exp) -> Exp:
        """Put a value into the queue of its family, which has room; return its link."""
        f = self._layout.family(t)
        link, here = self._get(USED), (c.Fix(self._get(USED)),)
        self._set(links, TAGS, c.Update(self._get(TAGS), here, c.Const(f, I64), self.at))
        queue: Key = ("queue", f, 0)
        element = self._layout.into(value, t)
        self._set(links, queue, c.Update(self._get(queue), here, element, self.at))
        self._set(links, USED, plus(link, c.Const(1, I64)))
        return link

    def _cells(self, links: Bindings, e: Exp, t: Type) -> list[Exp]:
        """Return the parts of a value in a row; there is room for the values that it leads to."""
        match t:
            case ScalarType():
                return [e]
            case c.Record():
                return [x for y, _, u in self.fields(links, e, t) for x in self._cells(links, y, u)]
            case c.Sum() | c.Data():
                return [self._push(links, t, e)]
            case c.Array(elem):
                return list(self._vector(links, e, elem))
            case c.Arrow() | c.TypeVar() | c.Token():
                raise TypeError(f"{t} in a row")

    def _vector(self, links: Bindings, e: Exp, elem: Type) -> tuple[Exp, Exp]:
        """Put the elements of an array into their pool; return offset and length."""
        xs = self.let(links, "xs", c.Array(unsized(elem)), e)
        n = self.let(links, "n", I64, self.size(xs))
        columns = self._columns(links, xs, n, elem)
        p = self._layout.pool(elem)
        keys: list[Key] = [("pool", p, k) for k in range(len(columns))]
        end: Key = ("end", p, 0)
        first = self._get(end)
        self._ensure(links, keys, first, n)
        stop = self.let(links, "stop", I64, plus(first, n))
        where = (c.Range(first, stop, None),)
        for key, column in zip(keys, columns, strict=True):
            self._set(links, key, c.Update(self._get(key), where, column, self.at))
        self._set(links, end, stop)
        return first, n

    def _columns(self, links: Bindings, xs: Exp, n: Exp, t: Type) -> list[Exp]:
        """Return an array for each part of the n elements of an array."""
        match t:
            case ScalarType():
                return [xs]
            case c.Record(fields):
                out: list[Exp] = []
                for label, u in fields:
                    b = c.Binder(self.fresh("x"), unsized(t))
                    one = c.Lambda((b,), c.Project(c.Var(b.name), label), self.at)
                    column = c.Map(one, (xs,), self.at)
                    name = self.let(links, "xs", c.Array(unsized(u)), column)
                    out += self._columns(links, name, n, u)
                return out
            case c.Sum() | c.Data():
                return [self._queued(links, xs, n, t)]
            case c.Array(elem):
                return self._nested(links, xs, n, elem)
            case c.Arrow() | c.TypeVar() | c.Token():
                raise TypeError(f"{t} in a row")

    def _queued(self, links: Bindings, xs: Exp, n: Exp, t: c.Sum | c.Data) -> Exp:
        """Put the n elements of an array into the queue of their family; return their links.

        The queues keep room for the other values of the payload, which may follow.
        """
        f, first = self._layout.family(t), self._get(USED)
        self._ensure(links, self._wide, first, plus(n, c.Const(self._spare, I64)))
        stop = self.let(links, "stop", I64, plus(first, n))
        where = (c.Range(first, stop, None),)
        marks = c.Replicate(n, c.Const(f, I64), self.at)
        self._set(links, TAGS, c.Update(self._get(TAGS), where, marks, self.at))
        queue: Key = ("queue", f, 0)
        b = c.Binder(self.fresh("x"), unsized(t))
        element = self._layout.into(c.Var(b.name), t)
        if element != c.Var(b.name):
            xs = c.Map(c.Lambda((b,), element, self.at), (xs,), self.at)
        self._set(links, queue, c.Update(self._get(queue), where, xs, self.at))
        self._set(links, USED, stop)
        numbers = c.Iota(n, first, c.Const(1, I64), self.at)
        return self.let(links, "numbers", c.Array(I64), numbers)

    def _nested(self, links: Bindings, xs: Exp, n: Exp, elem: Type) -> list[Exp]:
        """Put the rows of an array into their pool, one after the other; return where they are."""
        keys = list(self._types)
        start = [c.Scratch(n, I64, self.at), c.Scratch(n, I64, self.at), *self._all()]
        offsets, lengths = (c.Binder(self.fresh(x), c.Array(I64)) for x in ("firsts", "lengths"))
        params, k = [offsets, lengths, *self._renewed(keys)], self.fresh("k")
        inner: Bindings = []
        first, length = self._vector(inner, self.element(xs, c.Var(k)), elem)
        here = (c.Fix(c.Var(k)),)
        values = [
            c.Update(c.Var(b.name), here, x, self.at)
            for b, x in ((offsets, first), (lengths, length))
        ]
        body = around(inner, several([*values, *self._all()]))
        loop = c.Loop(tuple(params), tuple(start), c.For(k, n), body, self.at)
        ends = [c.Binder(self.fresh(b.name), b.type) for b in (offsets, lengths)]
        self.bind(links, [*ends, *self._renewed(keys)], loop)
        return [c.Var(b.name) for b in ends]

    # ------------------------------------------------------------------ rows

    def rows(self, links: Bindings) -> list[Exp]:
        """Take apart what is in the queues, until nothing is left; return the columns."""
        keys = list(self._types)
        start, i = self._all(), c.Binder(self.fresh("i"), I64)
        params = [i, *self._renewed(keys)]
        here = c.Var(i.name)
        left = c.While(c.Bin(BinOp.LT, here, self._get(USED)))
        inner: Bindings = []
        if self._spare:
            self._ensure(inner, self._wide, self._get(USED), c.Const(self._spare, I64))
        family = self.let(inner, "family", I64, self.element(self._get(TAGS), here))
        cases = [self._taken_apart(f, here, keys) for f in range(len(self._layout.families))]
        self.bind(inner, self._renewed(keys), self.chosen(family, cases))
        body = around(inner, several([plus(here, c.Const(1, I64)), *self._all()]))
        loop = c.Loop(tuple(params), (c.Const(0, I64), *start), left, body, self.at)
        done = c.Binder(self.fresh("i"), I64)
        self.bind(links, [done, *self._renewed(keys)], loop)
        return self._results()

    def _results(self) -> list[Exp]:
        """Return the columns without unused places."""
        zero, out = c.Const(0, I64), list[Exp]()
        for key in self._types:
            part, p, _ = key
            if part in ("tags", "column"):
                out.append(self.part(self._get(key), zero, self._get(USED)))
            elif part == "pool":
                out.append(self.part(self._get(key), zero, self._get(("end", p, 0))))
        return out

    def _taken_apart(self, f: int, i: Exp, keys: Sequence[Key]) -> Exp:
        """Return the state after row i of a family has been written."""
        before = self._now
        arms: list[c.Arm] = []
        for k, made in enumerate(self._layout.cases[f]):
            self._now = before
            binders = [c.Binder(self.fresh("x"), u) for u in made.payload]
            links: Bindings = []
            tag = c.Const(self._layout.first[f] + k, I64)
            self._set(links, TAGS, c.Update(self._get(TAGS), (c.Fix(i),), tag, self.at))
            cells: list[Exp] = []
            for b in binders:
                cells += self._cells(links, c.Var(b.name), b.type)
            for column, x in zip(made.columns, cells, strict=True):
                key: Key = ("column", column, 0)
                new = c.Update(self._get(key), (c.Fix(i),), x, self.at)
                self._set(links, key, new)
            state = around(links, several([self._get(key) for key in keys]))
            arms.append(c.Arm(made.name, tuple(binders), state))
        self._now = before
        taken = self.element(self._get(("queue", f, 0)), i)
        family = list(self._layout.families)[f]
        return c.Match(self._layout.out_of(taken, family, self.fresh), tuple(arms), None, self.at)

    # ------------------------------------------------------------------ results

    def value(self, links: Bindings, e: Exp, t: Type) -> Exp:
        """Return a result of type t, with links where it has recursive data."""
        if not self._layout.links.inside(t):
            return e
        match t:
            case c.Sum() | c.Data():
                self._ensure(links, self._wide, self._get(USED), c.Const(1, I64))
                return self._push(links, t, e)
            case c.Record():
                parts = self.fields(links, e, t)
                return c.Fields(tuple([(x, self.value(links, y, u)) for y, x, u in parts]))
            case c.Array(elem):
                xs = self.let(links, "xs", c.Array(unsized(elem)), e)
                return self._array(links, xs, elem)
            case c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                raise TypeError(f"links in a value of type {t}")

    def _array(self, links: Bindings, xs: Exp, t: Type) -> Exp:
        """Return a result that is an array with links."""
        if not self._layout.links.inside(t):
            return xs
        match t:
            case c.Sum() | c.Data():
                n = self.let(links, "n", I64, self.size(xs))
                return self._queued(links, xs, n, t)
            case c.Record(fields):
                columns: list[tuple[str, Exp]] = []
                for label, u in fields:
                    b = c.Binder(self.fresh("x"), unsized(t))
                    one = c.Lambda((b,), c.Project(c.Var(b.name), label), self.at)
                    ys = self.let(links, "xs", c.Array(unsized(u)), c.Map(one, (xs,), self.at))
                    columns.append((label, self._array(links, ys, u)))
                return c.Zip(tuple(columns), self.at)
            case _:
                what = "not supported: arrays of arrays of recursive data as results"
                hint = "return an array, and the lengths of the rows"
                raise SourceError(Diagnostic(self.at, "not-supported", what, hint))


def _values_in(made: Made) -> int:
    """Return the number of values that a payload leads to without arrays."""

    def values(t: Type) -> int:
        match t:
            case c.Sum() | c.Data():
                return 1
            case c.Record(fields):
                return sum(values(u) for _, u in fields)
            case c.Array() | c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                return 0

    return sum(map(values, made.payload))


def result(work: Outward, e: Exp, t: Type) -> Exp:
    """Return the result of an entry point: its value, and the rows that it leads to."""
    links: Bindings = []
    value = work.let(links, "result", unsized(t), e)
    work.start(links)
    root = work.value(links, value, t)
    return around(links, c.tuple_exp(root, *work.rows(links)))
