"""Compose two programs: the second one continues with results of the first.

The composed program has the parameters and the results of both.  A parameter of the second program
whose type equals that of a name in the first one's body, up to names of sizes, may be replaced by
that name.  Then a pass on the second program meets the output of passes on the first.
"""

import random

from funmem.ir.fun import (
    Ann,
    ArrayType,
    Binder,
    Copy,
    Entry,
    Function,
    Param,
    Program,
    Stm,
    Var,
)
from funmem.ir.functions import renamed_calls
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.sizes import Size
from funmem.ir.substitute import rename, substitution
from funmem.ir.traverse import bound_names, map_binder, map_body, map_params, program_fresh
from funmem.testing.corpus.sites import support
from funmem.testing.judge.program import Case
from funmem.testing.reduce.inputs import entry_of

LINK_CHANCE = 0.5
"""Fraction of the matching parameters that are replaced by a name of the first program."""


def composed(first: Case, second: Case, rng: random.Random, linked: float = LINK_CHANCE) -> Case:
    """Return a program that runs both, one after the other; it may be ill typed."""
    a, fresh = entry_of(first), program_fresh(first.program)
    b, functions = _renamed(second.program, entry_of(second), fresh)
    link = _Link(a, rng, fresh)
    args = list(second.args)
    fixed = support(b)
    for k in reversed(range(len(b.params))):
        if b.params[k].binder.name not in fixed and rng.random() < linked:
            new = link.without(b, k)
            if new is not None:
                b = new
                del args[k]
    entry = evolve(
        a,
        implicit=a.implicit + b.implicit,
        params=a.params + b.params,
        implicit_results=a.implicit_results + b.implicit_results,
        results=a.results + b.results,
        body=evolve(
            a.body,
            stms=(*a.body.stms, *link.copies, *b.body.stms),
            result=(
                *a.body.result[: len(a.implicit_results)],
                *b.body.result[: len(b.implicit_results)],
                *a.body.result[len(a.implicit_results) :],
                *b.body.result[len(b.implicit_results) :],
            ),
        ),
    )
    return evolve(
        first,
        program=Program((entry,), (*first.program.functions, *functions)),
        args=(*first.args, *args),
    )


def _renamed(
    p: Program[Ann], e: Entry[Ann], fresh: Fresh
) -> tuple[Entry[Ann], tuple[Function, ...]]:
    """Return an entry point of a program and the functions, with all names fresh."""
    called = {f.name: fresh(f.name) for f in p.functions}
    functions = tuple(
        evolve(f, name=called[f.name], body=renamed_calls(f.body, called)) for f in p.functions
    )
    binders = (*e.implicit, *(p.binder for p in e.params), *e.implicit_results, *e.results)
    own = [*(b.name for b in binders), *bound_names(e.body)]
    m = rename({x: fresh(x) for x in own})
    new = evolve(
        e,
        implicit=tuple(map_binder(b, m) for b in e.implicit),
        params=map_params(e.params, m),
        implicit_results=tuple(map_binder(b, m) for b in e.implicit_results),
        results=tuple(map_binder(b, m) for b in e.results),
        body=map_body(renamed_calls(e.body, called), m),
    )
    return new, functions


class _Link:
    """The names of the first program, ``a``, that the second one may use."""

    def __init__(self, a: Entry[Ann], rng: random.Random, fresh: Fresh) -> None:
        self.rng, self.fresh = rng, fresh
        self.border = {b.name for b in a.implicit} | {p.binder.name for p in a.params}
        inside = [b for s in a.body.stms for b in s.pat]
        self.names = [*(p.binder for p in a.params), *inside, *inside]
        self.copies: list[Stm[Ann]] = []

    def without(self, b: Entry[Ann], k: int) -> Entry[Ann] | None:
        """Return the second program without its ``k``-th parameter; None if no name matches."""
        p = b.params[k]
        rest = b.params[:k] + b.params[k + 1 :]
        if p.binder.home is not None:
            return None
        found = [
            (x, sizes) for x in self.names if (sizes := self._sizes(p, x, b, rest)) is not None
        ]
        if not found:
            return None
        x, sizes = self.rng.choice(found)
        name = x.name
        if p.unique:
            name = self.fresh(name)
            self.copies.append(Stm((Binder(name, x.type, None),), Copy(x.name)))
        m = substitution({p.binder.name: Var(name)}, sizes)
        return evolve(
            b,
            implicit=tuple(i for i in b.implicit if i.name not in sizes),
            params=rest,
            implicit_results=tuple(map_binder(r, m) for r in b.implicit_results),
            results=tuple(map_binder(r, m) for r in b.results),
            body=map_body(b.body, m),
        )

    def _sizes(
        self, p: Param[Ann], x: Binder[Ann], b: Entry[Ann], rest: tuple[Param[Ann], ...]
    ) -> dict[Name, Size] | None:
        """Return the sizes of a parameter if it is ``x``; None if ``x`` does not match."""
        t, u = p.binder.type, x.type
        if not isinstance(t, ArrayType) or not isinstance(u, ArrayType):
            return {} if t == u and not isinstance(u, ArrayType) else None
        if t.elem is not u.elem or t.rank != u.rank:
            return None
        sizes: dict[Name, Size] = {}
        own = {i.name for i in b.implicit}
        for d, s in zip(t.shape, u.shape, strict=True):
            n = d.as_name
            if n is None or n not in own:
                if d != s:
                    return None
            elif sizes.setdefault(n, s) != s or not s.free() <= self.border:
                return None
        shared = frozenset[Name]().union(
            *(
                d.free()
                for q in rest
                if isinstance(q.binder.type, ArrayType)
                for d in q.binder.type.shape
            )
        )
        return None if shared & sizes.keys() else sizes
