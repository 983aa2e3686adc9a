"""What is consumed although it is used afterwards is copied first.

    let ys = xs with [0] = 1          let own = copy xs
    let a = xs[0]                ->   let ys = own with [0] = 1
                                      let a = xs[0]

Core has values, so nothing there forbids it.  A source language that has consumption forbids it in
what people write, but not in what becomes of that: the arrays that were zipped, which are a new
array to the language, are here the arrays themselves; and a loop that stands for a tail call keeps
the parameters that its body has updated.  Who uses what afterwards is known when all is lowered,
and the checker of FUN says it.
"""

from collections.abc import Iterator

from funmem.ir.check import uniqueness
from funmem.ir.erase import erase_body
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Binder,
    Body,
    Copy,
    Entry,
    Exp,
    Hist,
    Kernel,
    Loop,
    Scatter,
    Stm,
    Update,
    Var,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.traverse import entry_binders, inner_binders, map_sub_bodies, walk, with_exp


def kept_apart(e: Entry[None], fresh: Fresh) -> Entry[None]:
    """The entry point with a copy of each array that is consumed too early."""
    while early := uniqueness.uses(e).early:
        types = {b.name: b.type for b in _binders(e) if isinstance(b.type, ArrayType)}
        # A copy is a use, so what was consumed before it may be found only then.
        e = evolve(e, body=erase_body(_Copies(early, types, fresh).body(e.body)))
    return e


def _binders(e: Entry[Ann]) -> Iterator[Binder[Ann]]:
    yield from entry_binders(e)
    for s in walk(e.body):
        yield from s.pat
        yield from inner_binders(s.exp)


class _Copies:
    """Gives what consumes one of the ``early`` arrays a copy of it."""

    def __init__(self, early: set[Name], types: dict[Name, ArrayType], fresh: Fresh) -> None:
        self.early = early
        self.types = types
        self.fresh = fresh

    def body(self, b: Body[Ann]) -> Body[Ann]:
        stms: list[Stm[Ann]] = []
        for s in b.stms:
            exp = self.consuming(map_sub_bodies(s.exp, self.body), stms, s)
            stms.append(with_exp(s, exp))
        return evolve(b, stms=tuple(stms))

    def consuming(self, e: Exp[Ann], stms: list[Stm[Ann]], s: Stm[Ann]) -> Exp[Ann]:
        """An expression that consumes copies; the statements that make them go to ``stms``."""

        def copy(x: Name) -> Name:
            if x not in self.early:
                return x
            name = self.fresh(x)
            stms.append(Stm[Ann]((Binder(name, self.types[x], None),), Copy(x), s.at))
            return name

        match e:
            case Update(x) | Scatter(x) if x in self.early:
                return evolve(e, x=copy(x))
            case Kernel(_, Hist(dest) as c) if self.early.intersection(dest):
                return evolve(e, collective=evolve(c, dest=tuple(map(copy, dest))))
            case Loop(params):
                new = tuple(
                    evolve(q, init=Var(copy(q.init.name)))
                    if q.unique and isinstance(q.init, Var) and q.init.name in self.early
                    else q
                    for q in params
                )
                return evolve(e, params=new)
            case _:
                return e
