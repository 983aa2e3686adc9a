r"""Array operations in which an index allocates without a bound: arenas, repetition, relocation.

    map (\x -> build x) xs

        ->  loop (at, room, out, c_0, used) = (0, 4, …) while at < n do
              let most = max 1 (limit / (room * bytes of a row))
              let m = min (n - at) (min most (max 64 (n / 32)))
              let (rs, as_0, useds) =
                unzip (map (\x -> build' x (replicate room 0) c_0 used 0 room) xs[at : at + m])
              in if reduce max 0 useds <= room then
                   (at + m, …, out with [at : at + m] = rs', scatter c_0 … as_0', used + sum useds)
                 else (at, 2 * room, out, c_0, used)

Each index fills an arena of ``room`` rows.  An index that needs more gives up: its ``used`` exceeds
``room``, and nothing is evaluated that could look at a row which is not there (``Exit`` in
store.py).  Then all m indices run again with twice the room; what they compute is pure.  Otherwise
the rows are put into the tables one after the other, in the order of the indices: the links are
those of a sequential run.

All arenas of a chunk are there at once, beside the tables.  A chunk has at most a 32nd of the
indices, so the arenas, whose rows may be used by half, take little more than a 16th of the rows
that the whole operation allocates.

In an arena a link below ``used`` is that of a row outside, which stays; others are relocated by the
rows of the indices before: one pass over the columns that hold links, and over the results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.passes.core.recursion.parts import binary, int64
from funmem.passes.core.tables.effects import Tables
from funmem.passes.core.tables.families import LINK
from funmem.passes.core.tables.store import Arena, Links, around, several

if TYPE_CHECKING:
    from funmem.passes.core.tables.expressions import Translation

FIRST = 4
"""The capacity of the first arenas, in rows."""

CHUNKS, FEW = 32, 64
"""A chunk has this part of the indices, or this number of indices if that is more."""

DEEP = (
    "An array operation allocates: the tables of one element need more than {} bytes, the limit "
    "(option `deepest` of the pass `tables`)."
)


def growing(
    w: Translation,
    fn: c.Lambda,
    arrays: Sequence[Exp],
    at: Span,
    kept: Tables,
) -> Exp:
    """Return ``map fn arrays``; the rows of the types ``kept`` are put into the tables."""
    return _Growing(w, fn, arrays, at, kept).loop()


class _Growing:
    """One array operation."""

    def __init__(
        self, w: Translation, fn: c.Lambda, arrays: Sequence[Exp], at: Span, kept: Tables
    ) -> None:
        self.w, self.fn, self.arrays, self.at, self.kept = w, fn, arrays, at, kept
        self.names = sorted(w.effects.exp(fn).allocated)
        self.type, self.old = w.type_of(fn.body), unsized(w.old_type(fn.body))
        self.start = c.Binder(w.fresh("at"), I64)
        self.rooms = {x: c.Binder(w.fresh("room"), I64) for x in self.names}
        self.out = c.Binder(w.fresh("out"), c.Array(self.type))
        self.n = w.let(w.links, "n", I64, c.Length(arrays[0], 0, at), at)

    def loop(self) -> Exp:
        """Return the whole operation."""
        w, params = self.w, [self.start, *self.rooms.values(), self.out]
        rooms = [int64(FIRST) for _ in self.names]
        init: list[Exp] = [int64(0), *rooms, c.Scratch(self.n, self.type, self.at)]
        form = c.While(binary(BinOp.LT, c.Var(self.start.name), self.n))
        return w.repeated(params, init, form, self.kept, [], self._step, self.at)[-1]

    # ------------------------------------------------------------------ one chunk

    def _step(self) -> list[Exp]:
        """Return the loop's next values; the tables are bound anew."""
        w, at = self.w, self.at
        end, where = self._chunk()
        value = c.Binder(w.fresh("r"), c.Array(self.type))
        useds = {x: c.Binder(w.fresh("useds"), c.Array(I64)) for x in self.names}
        arenas: dict[Name, list[c.Binder]] = {}
        for x in sorted(self.kept):
            columns = w.store[x].family.columns
            arenas[x] = [c.Binder(w.fresh("arenas"), c.Array(c.Array(u))) for u in columns]
        made = [b for x in self.names for b in (*arenas.get(x, ()), useds[x])]
        parts = tuple(c.Index(x, (where,), at) for x in self.arrays)
        run = c.Unzip(c.Map(self._function(), parts, at), at)
        w.links.append(c.Let((value, *made), run, c.Fields(()), at))
        fits: Exp | None = None
        most: dict[Name, Exp] = {}
        for x in self.names:
            most[x] = w.let(w.links, "most", I64, self._reduced(BinOp.MAX, useds[x]), at)
            enough = binary(BinOp.LE, most[x], c.Var(self.rooms[x].name))
            fits = enough if fits is None else binary(BinOp.LAND, fits, enough)
        assert fits is not None
        more = [self._next_room(x, most[x], enough=False) for x in self.names]
        state = w.states(frozenset(arenas))
        again = several([c.Var(self.start.name), *more, c.Var(self.out.name), *state])
        less = [self._next_room(x, most[x], enough=True) for x in self.names]
        done = self._done([end, *less], where, value, arenas, useds)
        results = [c.Binder(w.fresh(b.name), b.type) for b in (self.start, *self.rooms.values())]
        results.append(c.Binder(w.fresh("out"), self.out.type))
        for x in arenas:
            w.store[x] = w.renewed(w.store[x])
        tables = [b for x in arenas for b in w.store[x].binders()]
        w.links.append(c.Let((*results, *tables), c.If(fits, done, again, at), c.Fields(()), at))
        return [c.Var(b.name) for b in results]

    def _chunk(self) -> tuple[Exp, c.Range]:
        """Bind the end of the chunk of indices that run now; return it, and the chunk."""
        w, at = self.w, self.at
        rows: Exp = int64(0)
        for x in self.names:
            width = sum(map(_bytes, w.store[x].family.columns))
            one = binary(BinOp.MUL, c.Var(self.rooms[x].name), int64(width))
            rows = binary(BinOp.ADD, rows, one)
        rows = w.let(w.links, "bytes", I64, rows, at)
        limit = int64(w.limits.deepest)
        few = binary(BinOp.LE, rows, limit)
        w.links.append(c.Assert(few, DEEP, (limit,), c.Fields(()), at))
        some = binary(BinOp.MAX, int64(1), binary(BinOp.DIV, int64(w.limits.private), rows))
        part = binary(BinOp.MAX, int64(FEW), binary(BinOp.DIV, self.n, int64(CHUNKS)))
        left = binary(BinOp.SUB, self.n, c.Var(self.start.name))
        m = binary(BinOp.MIN, left, binary(BinOp.MIN, some, part))
        end = w.let(w.links, "end", I64, binary(BinOp.ADD, c.Var(self.start.name), m), at)
        return end, c.Range(c.Var(self.start.name), end, None)

    def _next_room(self, x: Name, most: Exp, *, enough: bool) -> Exp:
        """Return the next capacity: at most twice what was needed, or twice what was too little."""
        room = c.Var(self.rooms[x].name)
        if enough and x in self.w.effects.released:
            return room  # what was needed is not known: rows have been released
        if enough:
            needed = binary(BinOp.MIN, room, binary(BinOp.MUL, most, int64(2)))
            return binary(BinOp.MAX, int64(FIRST), needed)
        return c.If(binary(BinOp.LE, most, room), room, binary(BinOp.MUL, room, int64(2)))

    def _function(self) -> c.Lambda:
        """Return the function of the kernel: the value, and for each type the arena."""
        w, at, outer, links = self.w, self.at, dict(self.w.store), Links()
        for x in self.names:
            room = self.rooms[x].name
            own = evolve(w.empty(x, links, c.Var(room)), grows=False, written=True, room=room)
            w.store[x] = evolve(own, arena=Arena(outer[x].columns, outer[x].used))
        body = w.arenas(self.fn.body, sorted(self.kept), self.names, links)
        w.store = outer
        return c.Lambda(tuple(map(w.binder, self.fn.params)), body, at)

    # ------------------------------------------------------------------ the arenas' rows

    def _done(
        self,
        first: Sequence[Exp],
        where: c.Range,
        value: c.Binder,
        arenas: Mapping[Name, Sequence[c.Binder]],
        useds: Mapping[Name, c.Binder],
    ) -> Exp:
        """Return the loop's next values after a chunk that had room; ``first`` are some of them."""
        w, at = self.w, self.at
        outer, store, w.links = w.links, dict(w.store), []
        bases = {x: w.store[x].used for x in arenas}
        shifts: dict[Name, Exp] = {}
        for x in arenas:
            before = self._before(useds[x])
            shifts[x] = w.let(w.links, "before", c.Array(I64), before, at)
        for x, columns in arenas.items():
            self._put(x, columns, useds[x], shifts, bases)
        moved = self._moved(c.Var(value.name), self.old, shifts, bases)
        out = c.Update(c.Var(self.out.name), (where,), moved, at)
        whole = around(w.links, several([*first, out, *w.states(frozenset(arenas))]))
        w.links, w.store = outer, store
        return whole

    def _put(
        self,
        x: Name,
        columns: Sequence[c.Binder],
        used: c.Binder,
        shifts: Mapping[Name, Exp],
        bases: Mapping[Name, Name],
    ) -> None:
        """Bind tables that end in the rows of the arenas."""
        w, at, room = self.w, self.at, c.Var(self.rooms[x].name)
        total = w.let(w.links, "total", I64, self._reduced(BinOp.ADD, used), at)
        t = w.grown(w.store[x], total, w.links, at)
        s, u, j = (c.Binder(w.fresh(y), I64) for y in ("before", "used", "j"))
        row = binary(BinOp.ADD, c.Var(bases[x]), binary(BinOp.ADD, c.Var(s.name), c.Var(j.name)))
        filled = binary(BinOp.LT, c.Var(j.name), c.Var(u.name))
        one = c.Lambda((j,), c.If(filled, row, int64(-1), at), at)
        each = c.Map(one, (c.Iota(room, int64(0), int64(1), at),), at)
        places = c.Map(c.Lambda((s, u), each, at), (shifts[x], c.Var(used.name)), at)
        flat = c.Flatten(2, places, at)
        index = w.let(w.links, "places", c.Array(I64), flat, at)
        new = w.renewed(t)
        family = t.family
        for b, old, arena, elem, origin in zip(
            new.binders(), t.columns, columns, family.columns, family.origins, strict=False
        ):
            values = self._rows(c.Var(arena.name), elem, origin, shifts, bases)
            rows = c.Flatten(2, values, at)
            w.links.append(c.Let((b,), c.Scatter(c.Var(old), index, rows, at), c.Fields(()), at))
        end = binary(BinOp.ADD, c.Var(t.used), total)
        w.links.append(c.Let((c.Binder(new.used, I64),), end, c.Fields(()), at))
        w.store[x] = new

    def _rows(
        self,
        arenas: Exp,
        elem: Type,
        origin: Type,
        shifts: Mapping[Name, Exp],
        bases: Mapping[Name, Name],
    ) -> Exp:
        """Return the rows of a column with their links relocated."""
        w, at = self.w, self.at
        families = sorted(w.families.inside(origin) & shifts.keys())
        if not families:
            return arenas
        row, b = c.Binder(w.fresh("row"), c.Array(elem)), c.Binder(w.fresh("x"), elem)
        by = {x: c.Binder(w.fresh("before"), I64) for x in families}
        inner = _Relocation(w, {x: (bases[x], by[x].name) for x in families}, at)
        one = c.Lambda((b,), inner.value(c.Var(b.name), origin), at)
        each = c.Map(one, (c.Var(row.name),), at)
        given = (arenas, *(shifts[x] for x in families))
        return c.Map(c.Lambda((row, *by.values()), each, at), given, at)

    def _moved(
        self, values: Exp, t: Type, shifts: Mapping[Name, Exp], bases: Mapping[Name, Name]
    ) -> Exp:
        """Return the results of all indices with their links relocated."""
        w, at = self.w, self.at
        families = sorted(w.families.inside(t) & shifts.keys())
        if not families:
            return values
        b = c.Binder(w.fresh("x"), self.type)
        by = {x: c.Binder(w.fresh("before"), I64) for x in families}
        inner = _Relocation(w, {x: (bases[x], by[x].name) for x in families}, at)
        fn = c.Lambda((b, *by.values()), inner.value(c.Var(b.name), t), at)
        return c.Map(fn, (values, *(shifts[x] for x in families)), at)

    def _reduced(self, op: BinOp, xs: c.Binder) -> Exp:
        """Return the sum or the largest of some numbers of rows."""
        return c.Reduce(self._operator(op), (int64(0),), (c.Var(xs.name),), True, self.at)

    def _operator(self, op: BinOp) -> c.Lambda:
        a, b = (c.Binder(self.w.fresh(x), I64) for x in "ab")
        return c.Lambda((a, b), binary(op, c.Var(a.name), c.Var(b.name)), self.at)

    def _before(self, used: c.Binder) -> Exp:
        """Return for each index the number of rows of the indices before it."""
        at, (s, u) = self.at, (c.Binder(self.w.fresh(x), I64) for x in ("sum", "used"))
        sums = c.Scan(self._operator(BinOp.ADD), (int64(0),), (c.Var(used.name),), at)
        less = binary(BinOp.SUB, c.Var(s.name), c.Var(u.name))
        return c.Map(c.Lambda((s, u), less, at), (sums, c.Var(used.name)), at)


class _Relocation:
    """Relocates links: ``by`` has for each type the first link of an arena, and the distance."""

    def __init__(self, w: Translation, by: Mapping[Name, tuple[Name, Name]], at: Span) -> None:
        self._w, self._by, self._at = w, by, at

    def value(self, e: Exp, t: Type) -> Exp:
        """Return a value in which links are relocated; ``t`` was its type before the pass."""
        w, at = self._w, self._at
        if not w.families.inside(t) & self._by.keys():
            return e
        match t:
            case c.Data(name) if name in w.families.names:
                return self._link(e, name) if name in self._by else e
            case c.Record(fields):
                whole = c.Binder(w.fresh("x"), w.families.type(t))
                parts = tuple(
                    (label, self.value(c.Project(c.Var(whole.name), label, at), u))
                    for label, u in fields
                )
                return c.Let((whole,), e, c.Fields(parts, at), at)
            case c.Sum() | c.Data():
                new = w.families.type(t)
                assert isinstance(new, c.Sum | c.Data)
                arms: list[c.Arm] = []
                for constructor, payload in w.families.sum(t).constructors:
                    old = [unsized(u) for u in payload]
                    bs = tuple(c.Binder(w.fresh("x"), w.families.type(u)) for u in old)
                    args = (self.value(c.Var(b.name), u) for b, u in zip(bs, old, strict=True))
                    arms.append(
                        c.Arm(constructor, bs, c.Construct(constructor, tuple(args), new, at))
                    )
                return c.Match(e, tuple(arms), None, at)
            case c.Array() | c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                raise TypeError(f"links in a value of type {t}")

    def _link(self, e: Exp, name: Name) -> Exp:
        """Return a link: one that is below the arena's first stays."""
        base, before = self._by[name]
        link = c.Binder(self._w.fresh("link"), LINK)
        wide = c.Convert(I64, c.Var(link.name), self._at)
        moved = c.Convert(LINK, binary(BinOp.ADD, wide, c.Var(before)), self._at)
        older = binary(BinOp.LT, wide, c.Var(base))
        return c.Let((link,), e, c.If(older, c.Var(link.name), moved, self._at), self._at)


def _bytes(t: Type) -> int:
    """Return the bytes of an element of a column; those of a sum are an estimate."""
    return (t.bits + 7) // 8 if isinstance(t, ScalarType) else 16
