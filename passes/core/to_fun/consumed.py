"""Find which of some arrays a Core expression may consume."""

from collections.abc import Iterable

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import parts
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType

Origins = frozenset[Name]
NONE: Origins = frozenset()


class Consumption:
    """Tracks, for each name, which of ``arrays`` it may be made of, and which have been consumed.

    A call may consume its arguments.  Elements of an array are copied before they are consumed.
    """

    def __init__(self, arrays: Iterable[Name]) -> None:
        self._made_of: dict[Name, Origins] = {x: frozenset((x,)) for x in arrays}
        self.consumed: set[Name] = set()

    def bind(self, binders: Iterable[c.Binder], origins: Origins) -> None:
        """Bind names to a value that may be made of these arrays."""
        for b in binders:
            self._made_of[b.name] = NONE if isinstance(b.type, ScalarType) else origins

    def exp(self, e: Exp) -> Origins:
        """Return the arrays a value may be made of; note those that its expression consumes."""
        match e:
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
