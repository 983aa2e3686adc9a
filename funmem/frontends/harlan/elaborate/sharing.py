"""Which vectors of vectors hold no vector twice, so that an element of a row can be set.

    (kernel ((i (iota n))) (kernel ((j (iota m))) 0))     each row is new: its elements can be set
    (make-vector n row)                                   all rows are the same vector: they cannot

A functional update of one row would leave the others as they were.  A variable's rows are *apart*
if it is bound to an expression that makes all of them, and no row that exists is put into it.  Of
a parameter they must be apart at each call.
"""

from collections.abc import Sequence

from attrs import field

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.places import Places, path
from funmem.frontends.harlan.typing import Typing
from funmem.frontends.harlan.walk import walk
from funmem.frontends.inference.types import Meta, Type
from funmem.ir.record import define

_NONE: frozenset[ast.Local] = frozenset()


@define(eq=False)
class Sharing:
    """Answers for one program."""

    typing: Typing
    places: Places
    bound_to: dict[ast.Local, ast.Exp] = field(factory=dict)
    parameters: set[ast.Local] = field(factory=set)
    mixed: set[ast.Local] = field(factory=set)
    """Variables into which a row is put that exists already."""
    needs: dict[ast.Define, frozenset[int]] = field(factory=dict)
    """The parameters whose rows must be apart, by their numbers."""
    makes: dict[ast.Define, bool] = field(factory=dict)
    """True if all vectors in a definition's value are new."""

    def analyse(self, defines: Sequence[ast.Define]) -> None:
        """Find what definitions need: a least fixed point."""
        for d in defines:
            self.needs[d] = _NUMBERS
            self.parameters.update(d.params)
            for e in walk(d.exp):
                if isinstance(e, ast.Let):
                    self.bound_to.update(e.bindings)
        changed = True
        while changed:
            changed = False
            for d in defines:
                before = (self.needs[d], len(self.mixed))
                roots = self._roots(d)
                self.needs[d] = frozenset(k for k, x in enumerate(d.params) if x in roots)
                changed |= before != (self.needs[d], len(self.mixed))

    def _roots(self, d: ast.Define) -> set[ast.Local]:
        """Return the variables of a definition whose rows must be apart; note mixed ones."""
        roots: set[ast.Local] = set()
        for e in walk(d.exp):
            if isinstance(e, ast.SetElem):
                found = path(e.vector)
                if found is None:
                    continue
                chain = self.places.chain(found.root)
                if found.indices or self.inner(found.root):
                    roots.add(chain[-1])
                if self.holds_vectors(e.value) and not self.new(e.value):
                    self.mixed.update(chain)
            elif isinstance(e, ast.Call) and isinstance(e.fn, ast.Define):
                for k in self.places.inouts[e.fn]:
                    found = path(e.args[k])
                    if found is None:
                        continue
                    chain = self.places.chain(found.root)
                    if found.indices or self.inner(found.root) or k in self.needs[e.fn]:
                        roots.add(chain[-1])
                    if e.fn.params[k] in self.mixed:
                        self.mixed.update(chain)
        return roots

    def inner(self, x: ast.Local) -> bool:
        """True if a variable is a view of a part of another one."""
        view = self.places.views.get(x)
        return view is not None and (bool(view.indices) or self.inner(view.root))

    def apart(self, x: ast.Local) -> bool:
        """True if the rows of a variable are known to be different vectors."""
        if x in self.mixed or x.assigned:
            return False
        return x in self.parameters or (x in self.bound_to and self.new(self.bound_to[x]))

    def holds_vectors(self, e: ast.Exp) -> bool:
        """True if vectors, or values that may hold them, can be reached from a value."""
        return self._regional(self.typing.types[e])

    def _regional(self, t: Type) -> bool:
        solver = self.typing.solver
        t = solver.resolve(t)
        if isinstance(t, Meta):
            return solver.cells[t.id].shape is None
        return any(True for _ in self.typing.declared.regions_in(t))

    def new(self, e: ast.Exp, inside: frozenset[ast.Local] = _NONE) -> bool:
        """True if all vectors in a value are made by the expression, and each is in it once.

        ``inside``: variables that it binds to such values.
        """
        match e:
            case ast.Kernel(_, body):
                return not self.holds_vectors(body) or self.new(body)
            case ast.VectorOf(elems):
                return all(not self.holds_vectors(x) or self.new(x) for x in elems)
            case ast.Iota() | ast.Error():
                return True
            case ast.Fold(_, _, _, _, vector):
                return e.kind in _MAKING and not self._elements_hold_vectors(vector)
            case ast.Let(bindings, body):
                more = frozenset(x for x, v in bindings if not x.assigned and self.new(v, inside))
                return self.new(body, inside | more)
            case ast.Begin(parts):
                return self.new(parts[-1], inside)
            case ast.LetRegion(_, body):
                return self.new(body, inside)
            case ast.If(_, then, orelse):
                return orelse is not None and self.new(then, inside) and self.new(orelse, inside)
            case ast.Match(_, arms):
                return all(self.new(arm.body, inside) for arm in arms)
            case ast.Var(local):
                return local in inside and local not in self.mixed
            case ast.Call(fn) if isinstance(fn, ast.Define):
                if fn not in self.makes:
                    self.makes[fn] = True  # as far as its own calls are concerned
                    self.makes[fn] = self.new(fn.exp)
                return self.makes[fn]
            case _:
                return False

    def _elements_hold_vectors(self, vector: ast.Exp) -> bool:
        return sum(1 for _ in self.typing.declared.regions_in(self.typing.types[vector])) > 1


_NUMBERS: frozenset[int] = frozenset()
_MAKING = (ast.FoldKind.SCAN, ast.FoldKind.FILTER)
