"""The tables at one point of the program, and the code that reads them and allocates in them.

    column k of row l               c_k[l]
    a new row with these leaves     let (c_0, …) = if used == size 0 c_0
                                                   then (c_0 ++ replicate more 0, …) else (c_0, …)
                                    let c_0 = c_0 with [used] = leaf …
                                    in the link is used, and then used is used + 1

In a kernel each index has an *arena*: small tables of its own, of a fixed capacity, for the rows
that it allocates.  Their links begin at ``base``; rows with smaller links are in the tables
outside.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.diagnostics import NOWHERE, Span, Stuck
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import var
from funmem.passes.core.recursion.parts import binary, int64
from funmem.passes.core.tables.families import LINK, Families, Family

FIRST = 32
"""The capacity of a table after its first growth."""

MOST = 2**31 - 1
"""The largest number of rows, since a link is an i32."""


@frozen
class Limits:
    """Bytes for the arenas of the indices that run at once, and for the arena of one."""

    private: int = 64 << 20
    deepest: int = 1 << 30


@frozen
class Arena:
    """What an arena's table lies in: the columns outside, and the link of the arena's first row."""

    outside: tuple[Name, ...]
    base: Name


@frozen
class Table:
    """The names of the tables of one type: the columns, and the number of rows that are used.

    ``grows``: an allocation makes room if there is none.  ``written``: there may be rows that this
    entry point, definition or index has allocated.  ``room``: the capacity of an arena that may be
    too short; if it is, ``used`` exceeds it, and what follows is not evaluated.
    """

    family: Family
    columns: tuple[Name, ...]
    used: Name
    grows: bool = True
    arena: Arena | None = None
    written: bool = False
    room: Name | None = None

    def binders(self) -> tuple[c.Binder, ...]:
        """Return the binders of what an allocation changes."""
        arrays = (
            c.Binder(x, c.Array(t)) for x, t in zip(self.columns, self.family.columns, strict=True)
        )
        return (*arrays, c.Binder(self.used, I64))

    def values(self) -> tuple[Exp, ...]:
        """Return what an allocation changes, as expressions."""
        return (*map(c.Var, self.columns), c.Var(self.used))

    def types(self) -> tuple[Type, ...]:
        """Return the types of what an allocation changes."""
        return tuple(b.type for b in self.binders())


Store = Mapping[Name, Table]
"""The tables of each recursive type that is in use."""


@frozen
class Exit:
    """What follows is evaluated only if ``enough``; otherwise the tables are these.

    ``states`` are the values of the tables of each type.
    """

    enough: Exp
    states: Mapping[Name, tuple[Exp, ...]]


Links = list[c.Let | c.Assert | Exit]
"""Bindings, and tests for lack of room, to be put around an expression."""


class Making:
    """Makes code that works on tables, with names from one supply."""

    def __init__(self, families: Families, fresh: Fresh) -> None:
        self.families, self.fresh = families, fresh

    def renewed(self, t: Table) -> Table:
        """Return a table under new names."""
        columns = tuple(self.fresh(x) for x in t.columns)
        return evolve(t, columns=columns, used=self.fresh(t.used))

    def named(self, name: Name) -> Table:
        """Return the tables of a type under new names."""
        family = self.families.of[name]
        columns = [self.fresh(f"{name}_{k}") for k in _texts(family)]
        return Table(family, tuple(columns), self.fresh(f"{name}_used"))

    def let(self, links: Links, base: str, t: Type, e: Exp, at: Span = NOWHERE) -> Exp:
        """Bind an expression unless it is a name or a constant; return what stands for it."""
        if isinstance(e, c.Var | c.Const):
            return e
        x = self.fresh(base)
        links.append(c.Let((c.Binder(x, t),), e, c.Fields(()), at))
        return c.Var(x, at)

    def empty(self, name: Name, links: Links, room: Exp) -> Table:
        """Bind new tables of a type, with this capacity and no used row."""
        table = self.named(name)
        for b, t in zip(table.binders(), table.family.columns, strict=False):
            rows = c.Replicate(room, self.families.blank(t))
            links.append(c.Let((b,), rows, c.Fields(())))
        links.append(c.Let((c.Binder(table.used, I64),), int64(0), c.Fields(())))
        return table

    # ------------------------------------------------------------------ rows

    def read(self, t: Table, column: int, link: Exp, at: Span) -> Exp:
        """Return an element of a column; ``link`` may be repeated."""
        row = c.Convert(I64, link, at)
        inside = c.Var(t.columns[column])
        if t.arena is None:
            return c.Index(inside, (c.Fix(row),), at)
        own = c.Fix(binary(BinOp.SUB, row, c.Var(t.arena.base)))
        older = binary(BinOp.LT, row, c.Var(t.arena.base))
        outside = c.Var(t.arena.outside[column])
        return c.If(older, c.Index(outside, (c.Fix(row),), at), c.Index(inside, (own,), at), at)

    def allocate(
        self, t: Table, constructor: str, leaves: Sequence[Exp], links: Links, at: Span
    ) -> tuple[Table, Exp]:
        """Bind a new row; return the tables that have it, and its link."""
        if t.grows:
            t = self.grown(t, int64(1), links, at)
        row = t.family.rows[constructor]
        given: dict[int, Exp] = dict(zip(row.columns, leaves, strict=True))
        if t.family.tagged:
            given[0] = c.Const(row.tag, t.family.tag)
        where = (c.Fix(c.Var(t.used)),)
        new = self.renewed(t)
        for k, (b, old) in enumerate(zip(new.binders(), t.columns, strict=False)):
            if k in given:
                written = c.Update(c.Var(old), where, given[k], at)
                links.append(c.Let((b,), written, c.Fields(()), at))
        columns = tuple(new.columns[k] if k in given else x for k, x in enumerate(t.columns))
        used: Exp = c.Var(t.used)
        if t.arena is not None:
            used = binary(BinOp.ADD, c.Var(t.arena.base), used)
        link = self.let(links, "link", LINK, c.Convert(LINK, used, at), at)
        more = binary(BinOp.ADD, c.Var(t.used), int64(1))
        links.append(c.Let((c.Binder(new.used, I64),), more, c.Fields(()), at))
        return evolve(t, columns=columns, used=new.used, written=True), link

    def grown(self, t: Table, count: Exp, links: Links, at: Span) -> Table:
        """Bind tables with room for ``count`` rows more.

        If they grow, the capacity doubles for one row, and grows by half for several at once.
        """
        new = self.renewed(t)
        need = self.let(links, "need", I64, binary(BinOp.ADD, c.Var(t.used), count), at)
        room = c.Length(c.Var(t.columns[0]), 0, at)
        inner: Links = []
        cap = self.let(inner, "cap", I64, room, at)
        message = "a program can have at most {} values of one recursive type"
        few = binary(BinOp.LE, need, int64(MOST))
        inner.append(c.Assert(few, message, (int64(MOST),), c.Fields(()), at))
        lacks = binary(BinOp.SUB, need, cap)
        spare = cap if count == int64(1) else binary(BinOp.DIV, cap, int64(2))
        wanted = binary(BinOp.MAX, int64(FIRST), binary(BinOp.MAX, spare, lacks))
        more = self.let(inner, "more", I64, wanted, at)
        longer: list[Exp] = []
        for x, u in zip(t.columns, t.family.columns, strict=True):
            zeros = c.Replicate(more, self.families.blank(u), at)
            longer.append(c.Concat((c.Var(x), zeros), at))
        same = several([c.Var(x) for x in t.columns])
        full = binary(BinOp.GT, need, room)
        bigger = c.If(full, around(inner, several(longer)), same, at)
        links.append(c.Let(new.binders()[:-1], bigger, c.Fields(()), at))
        return evolve(t, columns=new.columns)


def several(es: Sequence[Exp]) -> Exp:
    """Return several results; one is itself."""
    return es[0] if len(es) == 1 else c.tuple_exp(*es)


def around(links: Links, e: Exp, otherwise: Callable[[Exit], Exp] | None = None) -> Exp:
    """Return an expression with links around it; ``otherwise`` is its value at an exit."""
    for link in reversed(links):
        if not isinstance(link, Exit):
            e = evolve(link, body=e)
        elif otherwise is None:
            raise Stuck("an exit where no value is known")
        else:
            e = c.If(link.enough, e, otherwise(link))
    return e


def sized(column: Exp, elem: Type, room: Name) -> Exp:
    """Return an arena's column at a type that states its capacity."""
    message = "an arena of shape {} where {} is expected"
    return c.Coerce(column, c.Array(elem, var(room)), message)


def _texts(family: Family) -> Iterator[str]:
    """Yield a word for each column."""
    for k in range(len(family.columns)):
        yield "tag" if family.tagged and k == 0 else f"c{k}"
