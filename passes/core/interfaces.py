"""Interfaces of entry points: how Core's types are made of FUN's parameters and results.

    entry main (p : {x : f32, y : f32}) …     ->     entry main (p : f32) (p_1 : f32) …
                                                     with p = Group(x, y)

flatten-data takes records and sums apart; the interface (ir/interface.py) of the entry point in FUN
says how callers put them together.  Callers see no tokens.  Recursive data are rows of a table
(entry_data).  An entry point has no interface if it needs none, or if its types are represented in
another way.
"""

from collections.abc import Iterable, Sequence

from funmem.ir import core as c
from funmem.ir.core import CoreProgram
from funmem.ir.core_types import endless
from funmem.ir.fun import ArrayType, Entry, FunProgram, Program
from funmem.ir.interface import Case, Choice, Group, Interface, Part, Tree, array_of
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.signature import Parameter, signature, visible
from funmem.passes.core.entry_data import layouts as row_layouts
from funmem.passes.core.entry_data.layout import Layout, Links
from funmem.passes.core.flatten_data.layout import Layouts


def with_interfaces(p: FunProgram, core: CoreProgram) -> FunProgram:
    """Return ``p``, which is ``core`` after the passes on Core, with its interfaces."""
    known = {e.name: e for e in core.entries}
    return Program(
        tuple([_with_interface(e, known.get(e.name), core) for e in p.entries]), p.functions
    )


def _with_interface(e: Entry[None], source: c.Entry | None, core: CoreProgram) -> Entry[None]:
    if source is None:
        return e
    flat = signature(e)
    found = interface_of(source, core.data, flat.params, flat.results)
    return e if found is None else evolve(e, interface=found)


def interface_of(
    e: c.Entry,
    data: Sequence[c.DataDef],
    params: Sequence[Parameter],
    results: Sequence[Parameter],
) -> Interface | None:
    """Return the interface of an entry point with these parameters and results below Core.

    None if it needs none, or if its types are represented in another way.
    """
    links = Links(data)
    given, returned = row_layouts(links, e)
    inward, outward = _Trees(data, links, given), _Trees(data, links, returned)
    types = [q.binder.type for q in e.params]
    if any(map(inward.is_other, types)) or outward.is_other(e.result):
        return None
    shown = tuple(
        [
            (q.binder.name, inward.tree(q.binder.type))
            for q in e.params
            if not isinstance(q.binder.type, c.Token)
        ]
    )
    tables = [None if x is None else x.table() for x in (given, returned)]
    found = Interface(shown, outward.tree(e.result), *tables)
    if found.is_flat:
        return None
    same = inward.kinds(types) == _kinds(params) and outward.kinds([e.result]) == _kinds(results)
    return found if same else None


class _Trees:
    """The trees of the types of parameters or results, whose recursive data are ``rows``."""

    def __init__(self, data: Sequence[c.DataDef], links: Links, rows: Layout | None) -> None:
        self._links, self._rows = links, rows
        self._layouts = Layouts(data)

    def is_other(self, t: c.Type, inside: frozenset[Name] = frozenset()) -> bool:
        """True for a type that is no tree of scalars and arrays, or has type parameters."""
        match t:
            case ScalarType() | c.Token():
                return False
            case c.Array(elem):
                return self.is_other(elem, inside)
            case c.Record(fields):
                return any(self.is_other(u, inside) for _, u in fields)
            case c.Sum(constructors):
                return any(self.is_other(u, inside) for _, us in constructors for u in us)
            case c.Data() if self._links.inside(t):
                return False
            case c.Data(name, args):
                recursive = bool(args) or name in inside or endless([t])
                return recursive or self.is_other(self._layouts.sum(t), inside | {name})
            case c.Arrow() | c.TypeVar():
                return True

    def tree(self, t: c.Type) -> Tree:
        """Return the tree of a type."""
        match t:
            case ScalarType():
                return Part()
            case c.Sum() | c.Data() if self._rows is not None and self._links.inside(t):
                return self._rows.link(t)
            case c.Array(elem):
                return array_of(self.tree(elem))
            case c.Record(fields):
                own = [(x, self.tree(u)) for x, u in fields if not isinstance(u, c.Token)]
                if t.is_tuple and len(own) < len(fields):
                    return _without_tokens([u for _, u in own])
                return Group(tuple([x for x, _ in own]), tuple([u for _, u in own]))
            case c.Sum() | c.Data():
                found = self._layouts.sum(t)
                slots = self._layouts.slots(found)
                cases = [Case(x, self._payload(us), slots.of[x]) for x, us in found.constructors]
                return Choice(tuple(cases), len(slots.types))
            case c.Token():
                return Group((), ())
            case c.Arrow() | c.TypeVar():
                raise TypeError(f"{t} has no tree")

    def _payload(self, types: Sequence[c.Type]) -> tuple[Tree, ...]:
        """Return the trees of a payload; one unit, which NOVA writes ``nil``, is no payload."""
        return () if tuple(types) == (c.Record(()),) else tuple(map(self.tree, types))

    def kinds(self, types: Iterable[c.Type]) -> list[tuple[ScalarType, int]]:
        """Return element type and rank of the parts of types, without tokens; rows come last."""
        found = []
        for t in map(self._links.type, types):
            parts = zip(self._layouts.parts(t), self._layouts.hidden(t), strict=True)
            found += [_kind(u) for u, hidden in parts if not hidden]
        if self._rows is not None:
            pools = [u for us in self._rows.pool_columns for u in us]
            found += [(u, 1) for u in (I64, *self._rows.columns, *pools)]
        return found


def _without_tokens(trees: Sequence[Tree]) -> Tree:
    """Return the tree of a tuple that had tokens; one other element stands for itself."""
    if len(trees) == 1:
        return trees[0]
    return Group(tuple(map(str, range(len(trees)))), tuple(trees))


def _kind(t: c.Type) -> tuple[ScalarType, int]:
    rank = 0
    while isinstance(t, c.Array):
        t, rank = t.elem, rank + 1
    if not isinstance(t, ScalarType):
        raise TypeError(f"{t} is not the type of a part")
    return t, rank


def _kinds(params: Sequence[Parameter]) -> list[tuple[ScalarType, int]]:
    """Return element type and rank of parameters; offsets are a dimension of what follows them."""
    return [
        (p.type.elem, len(p.type.shape) + levels)
        if isinstance(p.type, ArrayType)
        else (p.type, levels)
        for p, levels in visible(params)
    ]
