"""Which arrays have no element that was never given a value.

What ``scratch`` makes has only such elements.  A loop that writes row i in iteration i fills an
array: all indices of a dimension, one after the other, nested loops for further dimensions, and in
both branches of an ``if``.  What is made of whole arrays is whole.  Parameters of loops and of
operators are whole if their initial values are, and if their next values are whenever they are.
"""

from collections.abc import Sequence

from attrs import field

from funmem.ir.fun import (
    Ann,
    ArrayLit,
    Atom,
    Body,
    Concat,
    Copy,
    For,
    Hist,
    If,
    Kernel,
    Loop,
    Map,
    Reduce,
    Replicate,
    Scan,
    Scatter,
    Scratch,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import DimFix, DimRange, Lmad, SliceDim
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.sizes import ONE, ZERO, var
from funmem.ir.traverse import operators, walk
from funmem.passes.lower.prove import nonneg
from funmem.passes.mem.derive import source_of
from funmem.passes.verify.distinct import all_places
from funmem.passes.verify.scene import Scene

Names = frozenset[Name]
NONE: Names = frozenset()


def _first(c: Reduce[Ann] | Scan[Ann] | Hist[Ann]) -> int:
    """How many of a body's results come before the values: the bucket."""
    return 1 if isinstance(c, Hist) else 0


def _start(c: Reduce[Ann] | Scan[Ann] | Hist[Ann]) -> tuple[Atom, ...]:
    """What accumulators are at first."""
    return tuple(map(Var, c.dest)) if isinstance(c, Hist) else c.ne


def _array(a: Atom) -> Name:
    """An atom that is an array: no constant is one."""
    assert isinstance(a, Var)
    return a.name


def _ends(s: Stm[Ann], x: Name, bodies: Sequence[Body[Ann]]) -> tuple[Name, ...]:
    """The arrays of bodies that a statement binds ``x`` to."""
    at = [b.name for b in s.pat].index(x)
    return tuple(_array(b.result[at]) for b in bodies)


@define
class Written:
    """The arrays of an entry point."""

    scene: Scene
    nexts: dict[Name, tuple[Atom, ...]] = field(factory=dict)
    """A parameter of a loop or of an operator -> all that it may be bound to."""
    known: dict[Name, bool] = field(factory=dict)

    @staticmethod
    def of(scene: Scene) -> "Written":
        """The analysis of an entry point: questions are answered when they are asked."""
        found = Written(scene)
        for s in walk(scene.entry.body):
            match s.exp:
                case Loop(params, _, body):
                    for p, again in zip(params, body.result, strict=True):
                        found.nexts[p.binder.name] = (p.init, again)
                case Kernel(_, collective, body) if not isinstance(collective, Map):
                    k, first, start = len(collective.ne), _first(collective), _start(collective)
                    op = collective.op
                    results = zip(start, op.body.result, strict=True)
                    for b, values in zip(op.params[:k], results, strict=True):
                        found.nexts[b.name] = values
                    for b, a in zip(op.params[k:], body.result[first:], strict=False):
                        found.nexts[b.name] = (a,)
                case _:
                    pass
        return found

    # ------------------------------------------------------------------ whole

    def whole(self, x: Name) -> bool:
        """Whether every element of an array has been given a value."""
        if x not in self.known:
            self.known[x] = self._whole(x, NONE)
        return self.known[x]

    def _atom(self, a: Atom, assumed: Names) -> bool:
        return not self.scene.is_array(a) or (
            isinstance(a, Var) and (a.name in assumed or self._whole(a.name, assumed))
        )

    def _whole(self, x: Name, assumed: Names) -> bool:
        """Where the arrays in ``assumed`` are whole."""
        if x in assumed or self.known.get(x):
            return True
        if x in self.nexts:
            return all(self._atom(a, assumed | {x}) for a in self.nexts[x])
        s = self.scene.made_by.get(x)
        if s is None:
            return True  # the caller's
        match s.exp:
            case Scratch():
                return False
            case Copy(y):
                return self._whole(y, assumed)
            case Replicate(_, a):
                return self._atom(a, assumed)
            case ArrayLit(elems):
                return all(self._atom(a, assumed) for a in elems)
            case Concat(_, xs):
                return all(self._whole(y, assumed) for y in xs)
            case Update(y, where, a):
                rest = self._whole(y, assumed) or self._all_of(y, where, ())
                return rest and self._atom(a, assumed)
            case Scatter(y, indices, values):
                rows = self.scene.types[y].shape[0]
                rest = self._whole(y, assumed) or all_places(indices, rows, self.scene)
                return rest and self._whole(values, assumed)
            case If(_, then, orelse):
                at = [p.name for p in s.pat].index(x)
                return all(self._atom(b.result[at], assumed) for b in (then, orelse))
            case Loop() as e:
                at = [p.name for p in s.pat].index(x)
                p = e.params[at]
                if self._whole(p.binder.name, assumed):
                    return True
                return self._filled_by(s, e, at, (), assumed)
            case Kernel() as e:
                return self._kernel(e, [p.name for p in s.pat].index(x), assumed)
            case e if (source := source_of(e)) is not None:
                return self._whole(source, assumed)
            case _:
                return True

    def _kernel(self, e: Kernel[Ann], at: int, assumed: Names) -> bool:
        if isinstance(e.collective, Map):
            return self._atom(e.body.result[at], assumed)
        if at >= len(e.collective.ne):
            return self._atom(e.body.result[at + _first(e.collective)], assumed)
        (op,) = operators(e)
        start = _start(e.collective)[at]
        return self._atom(start, assumed) and self._atom(op.body.result[at], assumed)

    # ------------------------------------------------------------------ filled

    def _filled_by(
        self, s: Stm[Ann], e: Loop[Ann], at: int, prefix: tuple[Name, ...], assumed: Names
    ) -> bool:
        """Whether a loop gives all elements of its parameter with leading indices ``prefix`` a
        value, one index of the next dimension in each iteration.

        How many iterations there are is asked before the loop: inside there is at least one.
        """
        p, result = e.params[at].binder.name, _array(e.body.result[at])
        if not isinstance(e.form, For):
            return False
        shape = self.scene.types[p].shape
        if len(prefix) >= len(shape):
            return False
        facts = self.scene.facts_at(s)
        n = shape[len(prefix)]
        all_of_it = e.form.bound == n or nonneg(e.form.bound - n, facts)
        index = (*prefix, e.form.index)
        clean = self._clean(result, p, assumed)
        return all_of_it and clean and self._covers(result, p, index, assumed)

    def _covers(self, x: Name, p: Name, prefix: tuple[Name, ...], assumed: Names) -> bool:
        """Whether ``x``, made of ``p`` in its place, was written at all leading indices
        ``prefix``.
        """
        s = self.scene.made_by.get(x)
        if s is None:
            return self._whole(x, assumed)
        match s.exp:
            case Update(y, where):
                return self._all_of(y, where, prefix) or self._covers(y, p, prefix, assumed)
            case Scatter(y):
                return self._covers(y, p, prefix, assumed)
            case If(_, then, orelse):
                return all(self._covers(y, p, prefix, assumed) for y in _ends(s, x, (then, orelse)))
            case Loop() as e:
                at = [b.name for b in s.pat].index(x)
                before = self._covers(_array(e.params[at].init), p, prefix, assumed)
                return before or self._filled_by(s, e, at, prefix, assumed)
            case _:
                return self._whole(x, assumed)

    def _clean(self, x: Name, p: Name, assumed: Names) -> bool:
        """Whether ``x``, made of ``p`` in its place, has values wherever it was written."""
        if x == p:
            return True
        s = self.scene.made_by.get(x)
        if s is None:
            return self._whole(x, assumed)
        match s.exp:
            case Update(y, _, a):
                return self._atom(a, assumed) and self._clean(y, p, assumed)
            case Scatter(y, _, values):
                return self._whole(values, assumed) and self._clean(y, p, assumed)
            case If(_, then, orelse):
                return all(self._clean(y, p, assumed) for y in _ends(s, x, (then, orelse)))
            case Loop(params):
                at = [b.name for b in s.pat].index(x)
                (again,) = _ends(s, x, (s.exp.body,))
                return self._clean(_array(params[at].init), p, assumed) and self._clean(
                    again, params[at].binder.name, assumed
                )
            case _:
                return self._whole(x, assumed)

    def _all_of(self, y: Name, where: Sequence[SliceDim] | Lmad, prefix: tuple[Name, ...]) -> bool:
        """Whether a slice is all of an array at some leading indices."""
        if isinstance(where, Lmad):
            return False
        fixed = tuple(DimFix(var(i)) for i in prefix)
        if tuple(where[: len(prefix)]) != fixed:
            return False
        shape = self.scene.types[y].shape[len(prefix) :]
        return tuple(where[len(prefix) :]) == tuple(DimRange(ZERO, n, ONE) for n in shape)
