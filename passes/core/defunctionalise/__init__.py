r"""Replace function values by their code (Core -> Core).

    let add = \(x : i32) (y : i32) -> x + y in        let n = e in
    let inc = add e in                            ->  map (\(v : i32) -> n + v) (xs)
    map inc (xs)

Every function-valued expression is evaluated here, at compile time, to a *static value*: a lambda
with what it captured (values, which get names, and static values), a definition, or a record that
contains some.  An application of a lambda, and of a definition that takes or gives functions,
becomes a ``let`` of its parameters around its body.  This is defunctionalisation as in Futhark
(Hovgaard, Henriksen, Elsman 2018), where each function-typed expression has one static value.
Here the static value's code is inserted at once, without a record of captured values.

The order of evaluation does not change: the variables that a function value captures are bound
where the value is made.  What a definition computes before it returns a function becomes a
definition of its own, since it is computed at the start of an entry point.  If an entry point no
longer mentions a definition that it evaluated at its start, a ``let`` that mentions it is added.

A recursive definition that passes its function parameters on unchanged is specialised for each
use; the new definition takes the variables that the functions capture (fixed_functions.py).

Files: the values (static_values.py), how expressions become values (functions.py), how first-order
expressions are rewritten (expressions.py), what these share (state.py).

Precondition: monomorphic, names unique, no ``mu``.  Postcondition: names are unique in an entry
point or definition; lambdas occur only as operands of map, reduce, scan, hist and filter; every
application is of a first-order definition to all its arguments.

Raises SourceError (``not-supported``) for a function that is known only at run time: the result of
``if``, ``match`` or ``loop``, or an element of an array.
"""

from collections.abc import Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.check.core.reach import computed, reached
from funmem.ir.core import CoreProgram, Def
from funmem.ir.core_traverse import has_arrow
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.passes.core.defunctionalise.expressions import Expressions
from funmem.passes.core.defunctionalise.state import Wrap, arity, wrapped
from funmem.passes.core.defunctionalise.static_values import Dyn, Env, Table

__all__ = ["defunctionalise"]


def defunctionalise(p: CoreProgram) -> CoreProgram:
    """Run the pass; see the module's docstring."""
    work = _Program(p)
    entries = [work.entry(e) for e in p.entries]
    wanted = [work.wanted(e) for e in p.entries]
    defs = work.finish()
    made = {d.name: d for d in defs}
    kept = tuple(work.naming(e, names, made) for e, names in zip(entries, wanted, strict=True))
    return CoreProgram(kept, defs, p.data, p.foreign)


class _Program(Expressions):
    """The entry points, and the definitions that they need."""

    def entry(self, e: c.Entry) -> c.Entry:
        """Rewrite an entry point; its parameters and sizes keep their names."""
        for name in (*e.sizes, *(q.binder.name for q in e.params)):
            self._fresh.reserve(name)
        binders = [*(c.Binder(n, I64) for n in e.sizes), *(q.binder for q in e.params)]
        table: Table = {b.name: (Dyn(c.Var(b.name), b.type), b.type) for b in binders}
        return c.Entry(e.name, e.sizes, e.params, e.result, self.dyn(e.exp, Env(table)), e.at)

    def finish(self) -> tuple[Def, ...]:
        """Return the definitions of the new program, in the order of their first call."""
        out: list[Def] = []
        for name in self._used:  # grows
            d = self._source[name]
            params, _ = arity(d.type)
            if params:
                before: list[Wrap] = []
                fn = self.operand(self._function(d, before), len(params), d.exp.at)
                fn = evolve(fn, body=wrapped(before, fn.body))
                out.append(Def(name, (), d.type, fn, d.at))
            else:
                out.append(Def(name, (), d.type, self.dyn(d.exp, Env({})), d.at))
        return (*out, *self._starts.values())

    def wanted(self, e: c.Entry) -> list[Name]:
        """Return the definitions that the old entry point evaluates at its start."""
        out: list[Name] = []
        for name, _ in reached(e.exp, self._source, _parameters(e)):
            d = self._source[name]
            if not has_arrow(d.type):
                self._use(name)
                out.append(name)
            elif computed(d):
                self._function(d, [])
                out += [self._starts[name].name] if name in self._starts else []
        return out

    def naming(self, e: c.Entry, names: Sequence[Name], defs: Mapping[Name, Def]) -> c.Entry:
        """Return the entry point, which mentions each of these definitions at least once."""
        there = {name for name, _ in reached(e.exp, defs, _parameters(e))}
        exp = e.exp
        for name in reversed([x for x in names if x not in there]):
            binder = c.Binder(self._fresh.reserve(name), defs[name].type)
            exp = c.Let((binder,), c.Global(name), exp, e.at)
        return evolve(e, exp=exp)


def _parameters(e: c.Entry) -> tuple[Name, ...]:
    return (*e.sizes, *(q.binder.name for q in e.params))
