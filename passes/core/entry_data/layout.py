"""The table of rows that values of recursive data are outside of the program.

    data List = #nil | #cons i32 List           tag   i32   i64
    #cons 7 (#cons 8 #nil), a link to row 0       1     7     1
                                                  1     8     2
                                                  0     0     0

A *family* is a sum or data type from which recursive data can be reached, or that is in a row.  The
constructors of all families have one numbering, which gives the tags, and share columns of equal
types.  A link, an i64, leads to a later row.  An array in a row is an offset and a length in a
*pool*, which has a column for each part of an element.  Of a payload, records are taken apart.
"""

from collections.abc import Iterable, Sequence

from funmem.ir import core as c
from funmem.ir.core import DataDef, Exp, Type
from funmem.ir.core_traverse import instantiate_type, unsized
from funmem.ir.core_types import endless, type_text
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.interface import Case, Family, Group, Link, Part, Table, Tree, Vector
from funmem.ir.names import Fresh
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, ScalarType
from funmem.passes.core.tables.families import reached, recursive_types

MOST = 1000
"""The maximum number of families; a type that needs more is taken to need infinitely many."""


@frozen
class Made:
    """A constructor: its payload, and the column of each part of the payload."""

    name: str
    payload: tuple[Type, ...]
    columns: tuple[int, ...]


class Links:
    """Which types of a program have links, and what they are outside."""

    def __init__(self, data: Iterable[DataDef]) -> None:
        self.data = {d.name: d for d in data}
        self._recursive = recursive_types(tuple(self.data.values()))
        self._fresh = Fresh(self.data)
        self.holders: dict[Type, DataDef] = {}
        """Recursive types, each with one constructor of a value; see ``holder``."""

    def inside(self, t: Type) -> bool:
        """True if recursive data can be reached from a value of a type."""
        return bool(self._recursive and reached(t, self.data) & self._recursive)

    def type(self, t: Type) -> Type:
        """Return the type that a parameter or result has outside, without its rows."""
        if not self.inside(t):
            return t
        match t:
            case c.Sum() | c.Data():
                return I64
            case c.Record(fields):
                return c.Record(tuple([(label, self.type(u)) for label, u in fields]))
            case c.Array(elem, size):
                return c.Array(self.type(elem), size)
            case c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                return t

    def holder(self, t: c.Sum | c.Data) -> c.Data | None:
        """Return a type for values of a family in arrays; None: they may be in arrays themselves.

        Arrays in recursive data are boxed, so their lengths may differ.  Those in other sums are
        not; therefore such sums are put into ``data T = #held t ([]T)``.
        """
        if not self._has_array(t):
            return None
        key = unsized(t)
        if key not in self.holders:
            name = self._fresh("held")
            held = c.Sum((("held", (key, c.Array(c.Data(name)))),))
            self.holders[key] = DataDef(name, (), held)
        return c.Data(self.holders[key].name)

    def _has_array(self, t: Type) -> bool:
        """True if a value contains an array that is not in recursive data."""
        match t:
            case c.Array():
                return True
            case c.Record(fields):
                return any(self._has_array(u) for _, u in fields)
            case c.Data(name) if name in self._recursive:
                return False
            case c.Sum() | c.Data():
                return any(self._has_array(u) for _, us in self.sum(t).constructors for u in us)
            case c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                return False

    def sum(self, t: c.Sum | c.Data) -> c.Sum:
        """Return the sum that a type is, or that a data type is defined as."""
        if isinstance(t, c.Sum):
            return t
        d = self.data[t.name]
        found = instantiate_type(d.type, dict(zip(d.tparams, t.args, strict=True)))
        assert isinstance(found, c.Sum)
        return found


class Layout:
    """The rows of some types: of the parameters of an entry point, or of its result."""

    def __init__(self, links: Links, types: Sequence[Type], at: Span) -> None:
        self.links, self._at = links, at
        self.families: dict[c.Sum | c.Data, int] = {}
        self.first: list[int] = []
        """The tag of the first constructor of each family."""
        self.cases: list[tuple[Made, ...]] = []
        """The constructors of each family."""
        self.columns: list[ScalarType] = []
        self.pools: dict[Type, int] = {}
        """The types of the elements of arrays in rows."""
        for t in types:
            self._visit(t)
        done, tags = 0, 0
        every = list(self.families)
        while done < len(every):
            self.first.append(tags)
            self.cases.append(
                tuple(self._made(*one) for one in links.sum(every[done]).constructors)
            )
            tags += len(self.cases[-1])
            done += 1
            every = list(self.families)

    @property
    def pool_columns(self) -> list[list[ScalarType]]:
        """The types of the columns of each pool."""
        return [self.cells(t) for t in self.pools]

    def element(self, t: c.Sum | c.Data) -> Type:
        """Return the type of the elements of an array of values of a family."""
        return self.links.holder(t) or unsized(t)

    def into(self, e: Exp, t: c.Sum | c.Data) -> Exp:
        """Return a value of a family as such an element."""
        holder = self.links.holder(t)
        if holder is None:
            return e
        return c.Construct("held", (e, c.ArrayLit((), holder)), holder)

    def out_of(self, e: Exp, t: c.Sum | c.Data, fresh: Fresh) -> Exp:
        """Return such an element as a value of a family."""
        holder = self.links.holder(t)
        if holder is None:
            return e
        value, none = fresh("value"), fresh("none")
        binders = c.Binder(value, unsized(t)), c.Binder(none, c.Array(holder))
        return c.Match(e, (c.Arm("held", binders, c.Var(value)),))

    def family(self, t: c.Sum | c.Data) -> int:
        """Return the number of a family."""
        key = unsized(t)
        assert isinstance(key, c.Sum | c.Data)
        if key not in self.families:
            if len(self.families) >= MOST or endless([key]):
                raise self._refused(f"{type_text(t)}, whose values have ever larger types,")
            self.families[key] = len(self.families)
        return self.families[key]

    def pool(self, elem: Type) -> int:
        """Return the number of a pool."""
        return self.pools.setdefault(unsized(elem), len(self.pools))

    def cells(self, t: Type) -> list[ScalarType]:
        """Return the types of the parts of a value in a row; families and pools become known."""
        match t:
            case ScalarType():
                return [t]
            case c.Record(fields):
                return [x for _, u in fields for x in self.cells(u)]
            case c.Sum() | c.Data():
                self.family(t)
                return [I64]
            case c.Array(elem):
                known = unsized(elem) in self.pools
                self.pool(elem)
                if not known:
                    self.cells(elem)
                return [I64, I64]
            case c.Arrow() | c.TypeVar() | c.Token():
                raise self._refused(f"{type_text(t)} in recursive data")

    def _visit(self, t: Type) -> None:
        """Find the families of a parameter's or result's type."""
        if not self.links.inside(t):
            return
        match t:
            case c.Sum() | c.Data():
                self.family(t)
            case c.Record(fields):
                for _, u in fields:
                    self._visit(u)
            case c.Array(elem):
                self._visit(elem)
            case c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                return

    def _made(self, name: str, payload: Sequence[Type]) -> Made:
        taken: list[int] = []
        for t in (x for u in payload for x in self.cells(u)):
            free = (k for k, u in enumerate(self.columns) if u is t and k not in taken)
            k = next(free, len(self.columns))
            if k == len(self.columns):
                self.columns.append(t)
            taken.append(k)
        return Made(name, tuple(map(unsized, payload)), tuple(taken))

    def _refused(self, what: str) -> SourceError:
        message = f"not supported: {what} as an input or a result of an entry point"
        return SourceError(Diagnostic(self._at, "not-supported", message))

    # ------------------------------------------------------------------ for callers

    def table(self) -> Table:
        """Return the rows as callers see them."""
        families = [
            Family(
                _name(t),
                first,
                tuple([Case(m.name, self._payload(m.payload), m.columns) for m in cases]),
            )
            for t, first, cases in zip(self.families, self.first, self.cases, strict=True)
        ]
        return Table(tuple(families), len(self.columns), tuple(map(self.tree, self.pools)))

    def _payload(self, types: Sequence[Type]) -> tuple[Tree, ...]:
        """Return the trees of a payload; one unit, which NOVA writes ``nil``, is no payload."""
        return () if tuple(types) == (c.UNIT,) else tuple(map(self.tree, types))

    def tree(self, t: Type) -> Tree:
        """Return the tree of a value in a row."""
        match t:
            case ScalarType():
                return Part()
            case c.Record(fields):
                return Group(
                    tuple([x for x, _ in fields]), tuple([self.tree(u) for _, u in fields])
                )
            case c.Sum() | c.Data():
                return self.link(t)
            case c.Array(elem):
                return Vector(self.pool(elem))
            case c.Arrow() | c.TypeVar() | c.Token():
                raise TypeError(f"{t} has no tree")

    def link(self, t: c.Sum | c.Data) -> Link:
        """Return the tree of a value that is a row."""
        return Link(self.family(t), _name(t))


def _name(t: c.Sum | c.Data) -> str:
    return str(t.name) if isinstance(t, c.Data) and not t.args else type_text(t)
