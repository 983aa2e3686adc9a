"""Which tables an expression reads and in which it allocates.

    read(e)        the recursive types whose values ``e`` takes apart, itself or in a call
    allocated(e)   those of which it makes values that take a row

A definition without parameters has tables of its own, so mentioning it has no effect.
"""

from collections.abc import Mapping

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Def, Exp, Type
from funmem.ir.core_traverse import parts
from funmem.ir.core_types import type_of
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64
from funmem.passes.core.names import binders, inside
from funmem.passes.core.recursion.parts import definitions_in
from funmem.passes.core.tables.families import Families
from funmem.passes.core.tables.separate import Local, Locals

Tables = frozenset[Name]
NONE: Tables = frozenset()


@frozen
class Effect:
    """The tables that are read, and those that are changed."""

    read: Tables = NONE
    allocated: Tables = NONE

    def __or__(self, other: "Effect") -> "Effect":
        return Effect(self.read | other.read, self.allocated | other.allocated)

    @property
    def all(self) -> Tables:
        """The tables that are needed."""
        return self.read | self.allocated


class Scopes:
    """The types of the names that entry points and definitions bind; names are unique in each."""

    def __init__(self, p: CoreProgram) -> None:
        self.defs: Mapping[Name, Def] = {d.name: d for d in p.defs}
        self.entry = {e.name: _types(e.exp, e) for e in p.entries}
        self.definition = {d.name: _types(d.exp) for d in p.defs}


def _types(exp: Exp, e: c.Entry | None = None) -> Mapping[Name, Type]:
    out: dict[Name, Type] = {}
    if e is not None:
        out |= dict.fromkeys(e.sizes, I64)
        out |= {q.binder.name: q.binder.type for q in e.params}
    for x in inside(exp):
        out |= {b.name: b.type for b in binders(x)}
    return out


class Effects:
    """The effects of a program's definitions, and of the expressions in it.

    Expressions are known by identity, so that each is looked at once.
    """

    def __init__(self, p: CoreProgram, families: Families, scopes: Scopes, begins: Locals) -> None:
        self._families, self._begins = families, begins
        released = (x.types for x in begins.values() if x.released)
        self.released: Tables = NONE.union(*released)
        """The types whose rows are released before their tables end."""
        self._known: dict[int, tuple[Exp, Effect]] = {}
        self.of: dict[Name, Effect] = {d.name: Effect() for d in p.defs}
        """The effect of a call of each definition."""
        bodies = [(d.exp, scopes.definition[d.name]) for d in p.defs]
        bodies += [(e.exp, scopes.entry[e.name]) for e in p.entries]
        self._read: dict[int, Name] = {}
        for exp, types in bodies:
            for x in inside(exp):
                if isinstance(x, c.Match):
                    t = type_of(x.exp, types, scopes.defs)
                    if isinstance(t, c.Data) and t.name in families.names:
                        self._read[id(x)] = t.name
        functions = [d for d in p.defs if isinstance(d.exp, c.Lambda)]
        changed = True
        while changed:
            self._known.clear()
            new = {d.name: self.exp(d.exp) for d in functions}
            changed = any(self.of[x] != found for x, found in new.items())
            self.of |= new
        self._known.clear()
        self._defs = scopes.defs
        self.recursive = frozenset(d.name for d in p.defs if self._calls_itself(d.name))
        """The definitions that call themselves, directly or not."""

    def _calls_itself(self, name: Name) -> bool:
        found, todo = set[Name](), [name]
        while todo:
            for x in definitions_in(self._defs[todo.pop()].exp):
                if x == name:
                    return True
                if x not in found:
                    found.add(x)
                    todo.append(x)
        return False

    def bounds(self, e: Exp) -> dict[Name, int] | None:
        """Return how many rows of each type an expression allocates at most; None: unknown.

        A loop or an array operation that allocates has no bound, nor do recursion and vectors.
        """
        if not self.exp(e).allocated:
            return {}
        out: dict[Name, int] = {}
        match e:
            case c.If(_, then, orelse):
                choice: tuple[Exp, ...] = (then, orelse)
            case c.Match(_, arms, default):
                choice = (*(a.body for a in arms), *(() if default is None else (default,)))
            case c.Loop() | c.ParallelOperation():
                return None
            case c.Global(name):
                if name in self.recursive:
                    return None
                fn = self._defs[name].exp
                return self.bounds(fn) if isinstance(fn, c.Lambda) else {}
            case c.Leaf() | c.FunctionOperation() | c.Let() | c.Assert():
                choice = ()
            case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                choice = ()
        branches = [self.bounds(x) for x in choice]
        others = [self.bounds(x) for x in parts(e) if all(x is not y for y in choice)]
        own = self._own(e).allocated
        if own & self._families.vectors:
            return None  # the length of a vector is known only when it is made
        out |= dict.fromkeys(own, 1)
        for found in others:
            if found is None:
                return None
            for x, k in found.items():
                out[x] = out.get(x, 0) + k
        if None in branches:
            return None
        for x in {x for found in branches if found is not None for x in found}:
            out[x] = out.get(x, 0) + max(0 if b is None else b.get(x, 0) for b in branches)
        return out

    def begun(self, e: Exp) -> Local | None:
        """Return which regions begin at an expression, if some do."""
        match e:
            case c.Let((b,)):
                return self._begins.get(b.name)
            case _:
                return None

    def taken_apart(self, e: c.Match) -> Name | None:
        """Return the recursive type whose value a ``match`` takes apart, if it is one."""
        return self._read.get(id(e))

    def exp(self, e: Exp) -> Effect:
        """Return the effect of an expression; that of a lambda is the effect of its calls."""
        todo = [e]
        while todo:
            x = todo[-1]
            waiting = [y for y in parts(x) if id(y) not in self._known]
            if waiting:
                todo += waiting
                continue
            todo.pop()
            if id(x) not in self._known:
                found = self._own(x)
                for y in parts(x):
                    found = found | self._known[id(y)][1]
                begun = self.begun(x)
                if begun is not None and not begun.released:
                    found = Effect(found.read - begun.types, found.allocated - begun.types)
                self._known[id(x)] = (x, found)
        return self._known[id(e)][1]

    def _own(self, e: Exp) -> Effect:
        """Return the effect of an expression without that of its parts."""
        match e:
            case c.Construct(constructor, _, c.Data(name)) if name in self._families.names:
                boxed = constructor in self._families.of[name].rows
                return Effect(NONE, frozenset((name,))) if boxed else Effect()
            case c.Match():
                found = self._read.get(id(e))
                return Effect() if found is None else Effect(frozenset((found,)))
            case c.Global(name):
                return self.of[name]
            case c.Leaf() | c.FunctionOperation() | c.Let() | c.If() | c.Loop() | c.Assert():
                return Effect()
            case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                return Effect()
