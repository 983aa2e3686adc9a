r"""Arrays in array operations that run in order: the types of their elements.

    map (\i -> map (\k -> @build k) (iota 3 0 1)) is        build allocates recursive data
    def f = \n -> … map (\i -> replicate 3 (@f i)) (iota n 0 1)

An operation whose function allocates recursive data without a bound, or calls the definition that
it is in, becomes a loop in ``tables`` or ``recursion``.  A loop fills an array whose elements are
scalars, so rows in its operands and results are boxed, whatever their lengths are.
"""

from collections.abc import Iterator, Mapping

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import parts
from funmem.ir.core_types import type_of
from funmem.ir.names import Name
from funmem.passes.core.box_rows.types import Opened, arrays_in
from funmem.passes.core.names import free_names, inside
from funmem.passes.core.recursion.parts import definitions_in
from funmem.passes.core.tables.effects import Scopes
from funmem.passes.core.tables.families import reached, recursive_types

NONE: frozenset[Name] = frozenset()


def in_order(p: CoreProgram) -> frozenset[Type]:
    """Return the types of the elements of arrays in the operands and results of such operations.

    Names are unique in each definition.
    """
    work = _Ordered(p)
    bodies = [(e.exp, work.scopes.entry[e.name], NONE) for e in p.entries]
    bodies += [(d.exp, work.scopes.definition[d.name], work.group(d.name)) for d in p.defs]
    found: set[Type] = set()
    for exp, types, group in bodies:
        for x in inside(exp):
            e = c.closed(x)
            if isinstance(e, c.ParallelOperation):
                found |= set(work.arrays(e, types, group))
    return frozenset(found)


class _Ordered:
    """The array operations of one program."""

    def __init__(self, p: CoreProgram) -> None:
        self.scopes, self._opened = Scopes(p), Opened(p.data)
        self._data = {d.name: d for d in p.data}
        self._recursive = recursive_types(p.data)
        called = {d.name: frozenset(definitions_in(d.exp)) for d in p.defs}
        self._reach = {x: _reached(x, called) for x in called}
        self._known: dict[Name, bool] = {}
        """The definitions of which it is known if they allocate without a bound."""

    def group(self, name: Name) -> frozenset[Name]:
        """Return the definitions that are mutually recursive with a definition."""
        return frozenset(x for x in self._reach[name] if name in self._reach[x])

    def arrays(
        self, e: c.ParallelExp, types: Mapping[Name, Type], group: frozenset[Name]
    ) -> Iterator[Type]:
        """Yield the types of the elements of arrays, if an operation runs in order."""
        for fn in parts(e):
            if not isinstance(fn, c.Lambda):
                continue
            result = type_of(fn.body, types, self.scopes.defs)
            values = [self._opened.type(t) for t in (*(b.type for b in fn.params), result)]
            arrays = [a.elem for t in values for a in arrays_in(t)]
            own = any(x in group for x in definitions_in(fn))
            if arrays and (own or (self._unbounded(fn) and self._shares(fn, values, types))):
                yield from arrays

    def _shares(self, fn: c.Lambda, values: list[Type], types: Mapping[Name, Type]) -> bool:
        """True if recursive data come into a function, or leave it."""
        outside = [types[x] for x in free_names(fn) if x in types]
        return any(reached(t, self._data) & self._recursive for t in (*values, *outside))

    def _unbounded(self, fn: Exp) -> bool:
        """True if a function may allocate more recursive data than its text shows."""
        for x in inside(fn):
            repeats = isinstance(x, c.Loop | c.ParallelOperation)
            if repeats and any(self._allocates(y) for y in parts(x)):
                return True
            if isinstance(x, c.Global) and x.name in self._reach and self._without_bound(x.name):
                return True
        return False

    def _without_bound(self, name: Name) -> bool:
        """The same of a definition."""
        if name not in self._known:
            e, again = self.scopes.defs[name].exp, name in self._reach[name]
            self._known[name] = self._allocates(e) if again else self._unbounded(e)
        return self._known[name]

    def _allocates(self, e: Exp) -> bool:
        """True if an expression makes recursive data, itself or in a call."""
        called = {y for x in definitions_in(e) if x in self._reach for y in {x, *self._reach[x]}}
        return self._constructs(e) or any(self._constructs(self.scopes.defs[x].exp) for x in called)

    def _constructs(self, e: Exp) -> bool:
        """True if the text of an expression makes recursive data."""
        return any(
            isinstance(x, c.Construct)
            and isinstance(x.type, c.Data)
            and x.type.name in self._recursive
            and x.args != ()
            for x in inside(e)
        )


def _reached(name: Name, called: Mapping[Name, frozenset[Name]]) -> frozenset[Name]:
    """Return the definitions that a definition calls, directly or not."""
    found, todo = set[Name](), list(called[name])
    while todo:
        x = todo.pop()
        if x in called and x not in found:
            found.add(x)
            todo += called[x]
    return frozenset(found)
