"""Copy arrays that are consumed although they are used afterwards.

    let ys = xs with [0] = 1          let own = copy xs
    let a = xs[0]                ->   let ys = own with [0] = 1
                                      let a = xs[0]

Core has value semantics, so it allows such uses.  A source language with consumption forbids them
in source programs, but translation may introduce them: zipped arrays are a new array in the source
language, and the same arrays here; and a loop for a tail call returns parameters that its body has
updated.  The later uses are known when the whole entry point is lowered; FUN's checker finds them.
"""

from collections.abc import Iterator, Sequence

from funmem.ir.check import uniqueness
from funmem.ir.diagnostics import Span
from funmem.ir.erase import erase_body
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Binder,
    Body,
    Copy,
    DerivedArray,
    Entry,
    Exp,
    FreshArray,
    Hist,
    If,
    Index,
    Kernel,
    Loop,
    LoopParam,
    Opaque,
    RaggedKernel,
    Scalar,
    Scatter,
    Stm,
    Update,
    Var,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.traverse import entry_binders, inner_binders, map_sub_bodies, walk, with_exp


def kept_apart(e: Entry[None], fresh: Fresh) -> Entry[None]:
    """Return the entry point with a copy of each array that is consumed before its last use."""
    while (u := uniqueness.uses(e)).early or u.read or u.shared:
        types = {b.name: b.type for b in _binders(e) if isinstance(b.type, ArrayType)}
        # A copy is a use, so what was consumed before it may be found only then; and an `if` no
        # longer inherits what it then returns without having consumed it, so its result is shared.
        e = evolve(e, body=erase_body(_Copies(u, types, fresh).body(e.body)))
    return e


def _binders(e: Entry[Ann]) -> Iterator[Binder[Ann]]:
    yield from entry_binders(e)
    for s in walk(e.body):
        yield from s.pat
        yield from inner_binders(s.exp)


class _Copies:
    """Rewrites consuming expressions so that they consume a copy of each array in ``early``.

    Arrays in ``read`` and next values in ``shared`` are copied as well.
    """

    def __init__(self, uses: uniqueness.Uses, types: dict[Name, ArrayType], fresh: Fresh) -> None:
        self.uses = uses
        self.types = types
        self.fresh = fresh

    def body(self, b: Body[Ann]) -> Body[Ann]:
        stms: list[Stm[Ann]] = []
        for s in b.stms:
            exp = self.consuming(map_sub_bodies(s.exp, self.body), stms, s.at)
            stms.append(with_exp(s, exp))
        return evolve(b, stms=tuple(stms))

    def copy(self, x: Name, stms: list[Stm[Ann]], at: Span) -> Name:
        """Append the statement that copies an array to ``stms``; return the copy's name."""
        name = self.fresh(x)
        stms.append(Stm[Ann]((Binder(name, self.types[x], None),), Copy(x), at))
        return name

    def consuming(self, e: Exp[Ann], stms: list[Stm[Ann]], at: Span) -> Exp[Ann]:
        """Return an expression that consumes copies; the copies are appended to ``stms``."""

        def own(x: Name) -> Name:
            return self.copy(x, stms, at) if x in self.uses.early else x

        def other(x: Name, y: Name) -> Name:
            return self.copy(y, stms, at) if (x, y) in self.uses.read else y

        match e:
            case Update(x, value=Var(y)):
                return evolve(e, x=own(x), value=Var(other(x, y)))
            case Update(x):
                return evolve(e, x=own(x))
            case Scatter(x, indices, values):
                return evolve(e, x=own(x), indices=other(x, indices), values=other(x, values))
            case Kernel(_, Hist(dest) as c):
                return evolve(e, collective=evolve(c, dest=tuple(map(own, dest))))
            case Loop(params, _, body):
                new = tuple(
                    evolve(q, init=Var(own(q.init.name)))
                    if q.unique and isinstance(q.init, Var)
                    else q
                    for q in params
                )
                return evolve(e, params=new, body=self.handed_on(params, body))
            case Scalar() | Index() | DerivedArray() | FreshArray():
                return e
            case Kernel() | If() | Assert() | Alloc() | Opaque():
                return e
            case RaggedKernel():
                return e

    def handed_on(self, params: Sequence[LoopParam[Ann]], b: Body[Ann]) -> Body[Ann]:
        """Return a loop's body with the next values of parameters in ``shared`` copied."""
        stms = list(b.stms)
        result = tuple(
            Var(self.copy(a.name, stms, b.at))
            if q.binder.name in self.uses.shared and isinstance(a, Var)
            else a
            for q, a in zip(params, b.result, strict=True)
        )
        return evolve(b, stms=tuple(stms), result=result)
