"""The definitions that stay functions on the way to FUN; all others are inlined.

*Why.*  Inlining doubles the code at each level of ``f_k x = f_(k-1) (f_(k-1) x)``.  FUN has
functions from scalars to scalars (papers/decisions/functions-in-fun.md), so such a definition need
not be inlined.  The choice is made once, here.

A definition stays a function if

1. its parameters and results are scalars, at least one result;
2. its body has scalar operations, ``let``, ``if``, loops, assertions, and calls of definitions
   whose bodies are such, too;
3. no result is an i64: sizes and indices are i64, and what is known of them must not end at a call;
4. it is called from more than one place;
5. it has at least ``least`` operations, those of the definitions that it calls included.

*Precondition*: flattened, without recursion other than tail calls.
"""

from collections import Counter
from collections.abc import Iterator

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import CoreProgram
from funmem.ir.core_traverse import parts
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import I64, ScalarType
from funmem.passes.core.to_fun.recursion import lambda_of


@frozen
class Kept:
    """A definition that stays a function: its result types, operations, and places of calls."""

    definition: c.Def
    results: tuple[ScalarType, ...]
    operations: int
    calls: int


@frozen
class Chosen:
    """The definitions that stay functions, callees before callers, and why others do not."""

    kept: dict[Name, Kept] = field(factory=dict)
    refused: dict[Name, str] = field(factory=dict)


def chosen(p: CoreProgram, least: int) -> Chosen:
    """Return the definitions of a flattened program that stay functions; none if ``least`` is 0."""
    out = Chosen()
    if least <= 0:
        return out
    bodies = _Bodies({d.name: d for d in p.defs})
    calls = Counter(x for d in p.defs for x in _mentioned(d.exp, d.name))
    calls.update(x for e in p.entries for x in _mentioned(e.exp, e.name))
    order: list[Name] = []
    for d in p.defs:
        if isinstance(d.exp, c.Lambda):
            bodies.operations(d.name, order)
    for name in order:
        d, operations = bodies.defs[name], bodies.found[name]
        results = _scalars(_result(d))
        if operations is None or results is None or not isinstance(d.exp, c.Lambda):
            continue
        if I64 in results:
            out.refused[name] = "a result is an i64, which may be a size or an index"
        elif calls[name] < 2:
            out.refused[name] = "it is called from one place"
        elif operations < least:
            out.refused[name] = f"it has {operations} of {least} operations"
        else:
            out.kept[name] = Kept(d, results, operations, calls[name])
    return out


def _mentioned(e: c.Exp, own: Name) -> Iterator[Name]:
    """Yield the definitions that an expression mentions, except ``own``, as often as it does."""
    todo = [e]
    while todo:
        x = todo.pop()
        if isinstance(x, c.Global) and x.name != own:
            yield x.name
        todo += parts(x)


def _result(d: c.Def) -> c.Type:
    t = d.type
    for _ in lambda_of(d).params:
        t = t.result if isinstance(t, c.Arrow) else t
    return t


def _scalars(t: c.Type) -> tuple[ScalarType, ...] | None:
    """Return the types of a scalar or of a tuple of at least one scalar; None for other types."""
    types = tuple(u for _, u in t.fields) if isinstance(t, c.Record) else (t,)
    found = tuple(u for u in types if isinstance(u, ScalarType))
    return found if found and len(found) == len(types) else None


@define
class _Bodies:
    """The operations of definitions whose bodies compute on scalars only; None for others."""

    defs: dict[Name, c.Def]
    found: dict[Name, int | None] = field(factory=dict)

    def operations(self, name: Name, order: list[Name]) -> int | None:
        """Return the number; ``order`` gets the definitions, callees before callers."""
        if name not in self.found:
            self.found[name] = None  # mutual recursion
            d = self.defs[name]
            fn = lambda_of(d)
            scalar = all(isinstance(b.type, ScalarType) for b in fn.params)
            if scalar:
                self.found[name] = self._count(fn.body, name, order)
            order.append(name)
        return self.found[name]

    def _count(self, e: c.Exp, own: Name, order: list[Name]) -> int | None:
        total = 0
        todo = [e]
        while todo:
            x = todo.pop()
            match x:
                case c.Global(name):
                    inner = 0 if name == own else self.operations(name, order)
                    if inner is None:
                        return None
                    total += inner
                case c.ScalarOperation() | c.If() | c.Loop() | c.Assert():
                    total += 1
                case c.Var() | c.Const() | c.Fields() | c.Let() | c.App():
                    pass
                case c.Lambda() | c.Mu() | c.RecordOperation() | c.Match() | c.ArrayOperation():
                    return None
                case c.Foreign():
                    return None
            todo += parts(x)
        return total
