"""Find which of some arrays a Core expression may consume."""

from collections.abc import Iterable, Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import parts
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType

Origins = frozenset[Name]
NONE: Origins = frozenset()

Kept = Mapping[Name, frozenset[int]]
"""The positions of the parameters that each definition neither consumes nor returns."""


class Consumption:
    """Tracks, for each name, which of ``arrays`` it may be made of, and which have been consumed.

    A call may consume its arguments, but for those that its definition keeps.  Elements of an array
    are copied before they are consumed.
    """

    def __init__(self, arrays: Iterable[Name], kept: Kept | None = None) -> None:
        self._made_of: dict[Name, Origins] = {x: frozenset((x,)) for x in arrays}
        self.consumed: set[Name] = set()
        self._kept = {} if kept is None else kept

    def bind(self, binders: Iterable[c.Binder], origins: Origins) -> None:
        """Bind names to a value that may be made of these arrays."""
        for b in binders:
            self._made_of[b.name] = NONE if isinstance(b.type, ScalarType) else origins

    def exp(self, e: Exp) -> Origins:
        """Return the arrays a value may be made of; note those that its expression consumes."""
        match c.closed(e):
            case c.Var(name):
                return self._made_of.get(name, NONE)
            case c.Let(binders, exp, body):
                self.bind(binders, self.exp(exp))
                return self.exp(body)
            case c.Loop(params, init, form, body):
                origins = self._all(init)
                self.bind(params, origins)
                self.exp(form.bound if isinstance(form, c.For) else form.cond)
                return origins | self.exp(body)
            case c.Update(array) | c.FlatUpdate(array) | c.Scatter(array):
                return self._taken(e, (array,))
            case c.Hist(_, _, dest):
                return self._taken(e, dest)
            case c.App(c.Global(name), args) if name in self._kept:
                same = self._kept[name]
                return self._taken(e, [x for k, x in enumerate(args) if k not in same])
            case c.App(_, args):
                return self._taken(e, args)
            case c.Lambda(params, body):
                self.bind(params, NONE)
                return self.exp(body)
            case c.Map() | c.Reduce() | c.Scan() | c.Filter() | c.Segmented():
                self._all(parts(e))
                return NONE
            case c.Copy() | c.Concat():
                self._all(parts(e))
                return NONE
            case c.Foreign():  # its arrays are fresh
                self._all(parts(e))
                return NONE
            case c.Global() | c.Const() | c.Mu() | c.Assert() | c.If() | c.Match():
                return self._all(parts(e))
            case c.RecordOperation() | c.ScalarOperation():
                return self._all(parts(e))
            case c.ArrayAccess() | c.FreshArray() | c.DerivedArray():
                return self._all(parts(e))

    def _all(self, es: Iterable[Exp]) -> Origins:
        return NONE.union(*[self.exp(x) for x in es])

    def _taken(self, e: Exp, arrays: Iterable[Exp]) -> Origins:
        """Note that an expression consumes these arrays; return what its result is made of."""
        self._all(parts(e))
        taken = self._all(arrays)
        self.consumed |= taken
        return taken


def kept_parameters(defs: Sequence[c.Def]) -> Kept:
    """Return which parameters definitions neither consume nor return, themselves or in calls."""
    functions = {d.name: d.exp for d in defs if isinstance(d.exp, c.Lambda)}
    kept = {x: frozenset(range(len(fn.params))) for x, fn in functions.items()}
    changed = True
    while changed:
        new: dict[Name, frozenset[int]] = {}
        for x, fn in functions.items():
            seen = Consumption((b.name for b in fn.params), kept)
            gone = seen.exp(fn.body) | seen.consumed
            new[x] = frozenset(k for k, b in enumerate(fn.params) if b.name not in gone)
        changed, kept = new != kept, new
    return kept
