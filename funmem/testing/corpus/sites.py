"""Sites of a program for edits: statements, and the names in scope there.

Excluded are statements that compute an operator of a collective or its neutral elements: passes
assume that operators are associative, and nothing checks it.
"""

import random
from collections.abc import Callable, Mapping

from attrs import field

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Body,
    DerivedArray,
    Entry,
    For,
    FreshArray,
    Hist,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    MemProgram,
    Opaque,
    RaggedKernel,
    Reduce,
    Scalar,
    Scan,
    Stm,
    Type,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import I64
from funmem.ir.traverse import (
    free_in_body,
    free_in_stm,
    operators,
    sub_bodies,
    walk,
)
from funmem.testing.reduce.edit import Edit

Edits = Mapping[int, Edit]
"""Edits of statements by number (:mod:`funmem.testing.reduce.edit`)."""


@frozen(eq=False)
class Site:
    """Statement ``number``, the ``position``-th of ``body``; ``types`` of the names in scope."""

    number: int
    stm: Stm[Ann]
    body: Body[Ann]
    position: int
    types: Mapping[Name, Type]

    def arrays(self, t: Type | None = None) -> list[Name]:
        """Return the arrays in scope, of one type or of any."""
        return [x for x, u in self.types.items() if (u == t if t else isinstance(u, ArrayType))]

    def scalars(self, t: Type) -> list[Name]:
        """Return the scalars in scope of a type."""
        return [x for x, u in self.types.items() if u is t]


@define
class Sites:
    """The sites of an entry point that may be edited."""

    entry: Entry[Ann]
    found: list[Site] = field(factory=list)
    _next: int = 0

    @staticmethod
    def of(p: MemProgram) -> "Sites":
        """Return the sites of a program with one entry point."""
        (e,) = p.entries
        sites = Sites(e)
        binders = (*e.implicit, *(q.binder for q in e.params))
        sites._body(e.body, {b.name: b.type for b in binders})
        kept = support(e)
        sites.found = [q for q in sites.found if not kept & {b.name for b in q.stm.pat}]
        return sites

    def _body(self, b: Body[Ann], types: dict[Name, Type]) -> None:
        types = dict(types)
        for k, s in enumerate(b.stms):
            site = Site(self._next, s, b, k, dict(types))
            self.found.append(site)
            self._next += 1
            inside = dict(types)
            match s.exp:
                case Kernel(dims):
                    inside |= {d.index: I64 for d in dims}
                case Loop(params, form):
                    inside |= {q.binder.name: q.binder.type for q in params}
                    if isinstance(form, For):
                        inside[form.index] = I64
                case (
                    If()
                    | Scalar()
                    | Index()
                    | DerivedArray()
                    | FreshArray()
                    | InPlace()
                    | Assert()
                    | Alloc()
                    | Opaque()
                ):
                    pass
                case RaggedKernel(row, index):
                    inside |= {row.index: I64, index: I64}
            own = len(operators(s.exp))
            for j, c in enumerate(sub_bodies(s.exp)):
                if j < own:
                    self._next += sum(1 for _ in walk(c))
                else:
                    self._body(c, inside)
            types |= {q.name: q.type for q in s.pat}

    def some(
        self, rng: random.Random, want: Callable[[Site], bool] = lambda _: True
    ) -> Site | None:
        """Return a random site that satisfies the condition, or None."""
        good = [q for q in self.found if want(q)]
        return rng.choice(good) if good else None


def support(e: Entry[Ann]) -> frozenset[Name]:
    """Return the names on which operators and their neutral elements depend."""
    wanted: set[Name] = set()
    made: dict[Name, frozenset[Name]] = {}
    for s in walk(e.body):
        made |= {q.name: free_in_stm(s) for q in s.pat}
        for op in operators(s.exp):
            own = {q.name for q in op.params}
            wanted |= free_in_body(op.body) - own
        match s.exp:
            case Kernel(_, Reduce(_, ne) | Scan(_, ne) | Hist(_, _, ne)):
                wanted |= {a.name for a in ne if isinstance(a, Var)}
            case _:
                pass
    done: set[Name] = set()
    while wanted:
        x = wanted.pop()
        done.add(x)
        wanted |= made.get(x, frozenset()) - done
    return frozenset(done)
