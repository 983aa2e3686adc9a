"""Which arrays are *whole*: every element has been given a value.

No element of a ``scratch`` array has a value.  A loop fills an array if iteration i writes row i,
or row n - 1 - i, for all indices of a dimension; nested loops fill further dimensions; both
branches of an ``if`` must write.  Several updates and loops that each fill some rows fill the array
if together these are all rows.  An array made from whole arrays is whole.  A parameter of a loop or
an operator is whole if its initial value is, and if its next value is whole whenever it is.

While loops with indices i, j … fill an array in order, writing element (i, j, …), the elements that
earlier iterations wrote have values, though the array is not whole yet (:meth:`Written.behind`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from attrs import field

from funmem.ir.arith import expanded
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    Assert,
    Atom,
    Body,
    Concat,
    Copy,
    DerivedArray,
    For,
    FreshArray,
    Hist,
    If,
    Index,
    Iota,
    Kernel,
    Loop,
    Map,
    Opaque,
    RaggedKernel,
    Reduce,
    Replicate,
    Scalar,
    Scan,
    Scatter,
    Scratch,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import DimFix, DimRange, Lmad, SliceDim
from funmem.ir.logic.derive import source_of
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import define, frozen
from funmem.ir.sizes import ONE, ZERO, Size, var
from funmem.ir.traverse import bound_in_stms, operators, walk
from funmem.ir.verify.cursors import cursors
from funmem.ir.verify.distinct import all_places
from funmem.ir.verify.scene import Scene

Names = frozenset[Name]
Rows: TypeAlias = tuple[Size, Size]
NONE: Names = frozenset()


def _first(c: Reduce[Ann] | Scan[Ann] | Hist[Ann]) -> int:
    """Return the number of body results in front of the values: 1, the bucket, for a histogram."""
    return 1 if isinstance(c, Hist) else 0


def _start(c: Reduce[Ann] | Scan[Ann] | Hist[Ann]) -> tuple[Atom, ...]:
    """Return the initial values of the accumulators."""
    return tuple(map(Var, c.dest)) if isinstance(c, Hist) else c.ne


def _array(a: Atom) -> Name:
    """Return the name of an atom that is an array; constants are scalars."""
    assert isinstance(a, Var)
    return a.name


def _ends(s: Stm[Ann], x: Name, bodies: Sequence[Body[Ann]]) -> tuple[Name, ...]:
    """Return, for each body, the array that a statement binds to ``x``."""
    at = [b.name for b in s.pat].index(x)
    return tuple(_array(b.result[at]) for b in bodies)


@define
class Written:
    """Which arrays of an entry point are whole."""

    scene: Scene
    nexts: dict[Name, tuple[Atom, ...]] = field(factory=dict)
    """A parameter of a loop or of an operator -> the values that it may have."""
    loops: dict[Name, tuple[Stm[Ann], int]] = field(factory=dict)
    """A parameter of a for-loop -> the loop, and the position of the parameter."""
    known: dict[Name, bool] = field(factory=dict)

    @staticmethod
    def of(scene: Scene) -> "Written":
        """Return the analysis of an entry point; it decides each question on demand."""
        found = Written(scene)
        for s in walk(scene.entry.body):
            e = s.exp
            if isinstance(e, Loop):
                for at, (p, again) in enumerate(zip(e.params, e.body.result, strict=True)):
                    found.nexts[p.binder.name] = (p.init, again)
                    if isinstance(e.form, For):
                        found.loops[p.binder.name] = s, at
            elif isinstance(e, Kernel) and not isinstance(e.collective, Map):
                c = e.collective
                k, first = len(c.ne), _first(c)
                results = zip(_start(c), c.op.body.result, strict=True)
                for b, values in zip(c.op.params[:k], results, strict=True):
                    found.nexts[b.name] = values
                for b, a in zip(c.op.params[k:], e.body.result[first:], strict=False):
                    found.nexts[b.name] = (a,)
        return found

    # ------------------------------------------------------------------ whole

    def whole(self, x: Name) -> bool:
        """True if every element of an array is proved to have a value."""
        if x not in self.known:
            self.known[x] = self._by_maker(x, NONE)
        return self.known[x]

    def _atom(self, a: Atom, assumed: Names) -> bool:
        return not self.scene.is_array(a) or (
            isinstance(a, Var) and (a.name in assumed or self._whole(a.name, assumed))
        )

    def _whole(self, x: Name, assumed: Names) -> bool:
        """True if an array is whole, provided that those in ``assumed`` are."""
        if not assumed:
            return self.whole(x)
        return x in assumed or self.known.get(x, False) or self._by_maker(x, assumed)

    def _by_maker(self, x: Name, assumed: Names) -> bool:
        """True if an array is whole because of the way it is made."""
        if x in self.nexts:
            return all(self._atom(a, assumed | {x}) for a in self.nexts[x])
        s = self.scene.made_by.get(x)
        if s is None:
            return True  # an argument
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
                return (rest and self._atom(a, assumed)) or self._in_parts(x, s, assumed)
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
                return self._filled_by(s, e, at, (), assumed) or self._in_parts(x, s, assumed)
            case Kernel() as e:
                return self._kernel(e, [p.name for p in s.pat].index(x), assumed)
            case DerivedArray() as e:
                source = source_of(e)
                assert source is not None
                return self._whole(source, assumed)
            case Scalar() | Index() | Iota() | Assert() | Alloc() | Opaque():
                return True
            case RaggedKernel():
                raise unscheduled()

    def _kernel(self, e: Kernel[Ann], at: int, assumed: Names) -> bool:
        if isinstance(e.collective, Map):
            return self._atom(e.body.result[at], assumed)
        if at >= len(e.collective.ne):
            return self._atom(e.body.result[at + _first(e.collective)], assumed)
        (op,) = operators(e)
        start = _start(e.collective)[at]
        return self._atom(start, assumed) and self._atom(op.body.result[at], assumed)

    # ------------------------------------------------------------------ behind

    def behind(self, s: Stm[Ann]) -> bool:
        """True if an :class:`Index` reads an element that an earlier iteration of loops wrote.

        For loops i, j … around the statement, from the outside inwards, that write element
        (i, j, …) of the array in each iteration, these are the elements (i', …) with i' < i, the
        elements (i, j', …) with j' < j, and so on.  Each iteration keeps values of earlier ones.
        """
        assert isinstance(s.exp, Index)
        x, index = s.exp.x, s.exp.index
        around = self._around(x)
        return any(
            self._earlier(index[: last + 1 - first], around[first : last + 1], s)
            and self._in_order(around[first : last + 1])
            and self._kept(x, around[last:])
            for first in range(len(around))
            for last in range(first, min(len(around), first + len(index)))
        )

    def _around(self, x: Name) -> list[Name]:
        """Return the parameters of for-loops, from the outside inwards, from which ``x`` may be
        made in place.
        """
        found: list[Name] = []
        while True:
            if x in self.loops:
                s, at = self.loops[x]
                found.insert(0, x)
                assert isinstance(s.exp, Loop)
                x = _array(s.exp.params[at].init)
                continue
            match self.scene.made_by.get(x):
                case Stm(_, Update(y)):
                    x = y
                case Stm(pat, Loop(params)):
                    x = _array(params[[b.name for b in pat].index(x)].init)
                case Stm(pat, If(_, then)):
                    x = _array(then.result[[b.name for b in pat].index(x)])
                case _:
                    return found

    def _earlier(self, index: Sequence[Size], params: Sequence[Name], s: Stm[Ann]) -> bool:
        """True if leading indices are those of an earlier iteration of the innermost loop."""
        facts = self.scene.checked(s)
        *fixed, last = (
            var(self._ordered(p).form.index) - expanded(i, self.scene.exact)
            for i, p in zip(index, params, strict=True)
        )
        return all(d == ZERO for d in fixed) and nonneg(last - 1, facts)

    def _in_order(self, params: Sequence[Name]) -> bool:
        """True if each iteration of the innermost loop writes the elements at the indices."""
        loops = tuple(map(self._ordered, params))
        return self._covers(self._next(params[-1]), params[-1], loops, NONE)

    def _kept(self, x: Name, params: Sequence[Name]) -> bool:
        """True if ``x`` has kept all values of the first of the parameters from which it is made,
        and each iteration keeps those of earlier ones.
        """
        for p in reversed(params):
            if not (self._clean(x, p, NONE) and self._clean(self._next(p), p, NONE)):
                return False
            s, at = self.loops[p]
            assert isinstance(s.exp, Loop)
            x = _array(s.exp.params[at].init)
        return True

    def _next(self, p: Name) -> Name:
        """Return the value of a loop's parameter in the next iteration."""
        s, at = self.loops[p]
        assert isinstance(s.exp, Loop)
        return _array(s.exp.body.result[at])

    def _ordered(self, p: Name) -> "_Rows":
        s, _ = self.loops[p]
        assert isinstance(s.exp, Loop)
        assert isinstance(s.exp.form, For)
        return _Rows(s, s.exp.form, frozenset(bound_in_stms((s,))), ascending=True)

    # ------------------------------------------------------------------ filled

    def _filled_by(
        self, s: Stm[Ann], e: Loop[Ann], at: int, outer: tuple["_Rows", ...], assumed: Names
    ) -> bool:
        """True if a loop writes all elements of its parameter below the rows of ``outer`` loops.

        ``outer`` loops fix the leading indices; each iteration writes one index of the next
        dimension.
        """
        p, result = e.params[at].binder.name, _array(e.body.result[at])
        if not isinstance(e.form, For) or len(outer) >= self.scene.types[p].rank:
            return False
        loops = (*outer, _Rows(s, e.form, frozenset(bound_in_stms((s,)))))
        return self._clean(result, p, assumed) and self._covers(result, p, loops, assumed)

    def _covers(self, x: Name, p: Name, prefix: tuple["_Rows", ...], assumed: Names) -> bool:
        """True if ``x``, made from ``p`` in place, is written at all leading indices of the loops
        ``prefix``.
        """
        s = self.scene.made_by.get(x)
        if s is None:
            return self._made_whole(x, prefix, assumed)
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
            case Scalar() | Index() | DerivedArray() | FreshArray() | Kernel() | Assert() | Alloc():
                return self._made_whole(x, prefix, assumed)
            case Opaque():
                return self._made_whole(x, prefix, assumed)
            case RaggedKernel():
                raise unscheduled()

    def _made_whole(self, x: Name, prefix: tuple["_Rows", ...], assumed: Names) -> bool:
        """True if ``x`` is whole and made at all: each loop runs at least once per row."""
        rows = zip(prefix, self.scene.types[x].shape, strict=False)
        return self._whole(x, assumed) and all(
            loop.form.bound == n or nonneg(loop.form.bound - n, self.scene.facts_at(loop.stm))
            for loop, n in rows
        )

    def _clean(self, x: Name, p: Name, assumed: Names) -> bool:
        """True if ``x``, made from ``p`` in place, has values wherever it was written."""
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
            case Scalar() | Index() | DerivedArray() | FreshArray() | Kernel() | Assert() | Alloc():
                return self._whole(x, assumed)
            case Opaque():
                return self._whole(x, assumed)
            case RaggedKernel():
                raise unscheduled()

    def _all_of(
        self, y: Name, where: Sequence[SliceDim] | Lmad, prefix: tuple["_Rows", ...]
    ) -> bool:
        """True if slices cover an array; their leading indices are those of loops."""
        if isinstance(where, Lmad):
            return False
        shape = self.scene.types[y].shape
        for loop, d, n in zip(prefix, where, shape, strict=False):
            rows = loop.rows(d, self.scene)
            facts = self.scene.facts_at(loop.stm)  # in the body, there is at least one iteration
            if rows is None or not (nonneg(-rows[0], facts) and nonneg(rows[1] - n, facts)):
                return False
        at = len(prefix)
        return tuple(where[at:]) == tuple(DimRange(ZERO, n, ONE) for n in shape[at:])

    # ------------------------------------------------------------------ parts

    def _in_parts(self, x: Name, s: Stm[Ann], assumed: Names) -> bool:
        """True if the rows that updates and loops write one after the other are all rows."""
        n = self.scene.types[x].shape[0]
        return self._cover(self._parts(x, assumed), ZERO, n, self.scene.facts_at(s))

    def _parts(self, x: Name, assumed: Names) -> Iterator[Rows]:
        """Yield ranges of rows that have been given a value: the first, and one past the last."""
        s = self.scene.made_by.get(x)
        match s:
            case Stm(_, Update(y, where, a)):
                if not self._atom(a, assumed):
                    return
                if (rows := self._rows(y, where, None)) is not None:
                    yield rows
                yield from self._parts(y, assumed)
            case Stm(pat, Loop(params, For() as form, body)):
                at = [b.name for b in pat].index(x)
                p, result = params[at].binder.name, _array(body.result[at])
                if self._clean(result, p, assumed):
                    loop = _Rows(s, form, frozenset(bound_in_stms((s,))))
                    yield from self._parts_of(result, loop)
                    yield from self._parts(_array(params[at].init), assumed)
            case Stm(pat, Loop() as e):
                yield from self._behind(s, e, [b.name for b in pat].index(x), assumed)
            case _:
                if self._whole(x, assumed):
                    yield ZERO, self.scene.types[x].shape[0]

    def _behind(self, s: Stm[Ann], e: Loop[Ann], at: int, assumed: Names) -> Iterator[Rows]:
        """Yield the rows that a while-loop writes behind its cursor, and those written before it.

        If each iteration writes the rows from the cursor's value, less an offset, to its next value
        less that offset, then by induction the rows from its initial value on are written.
        """
        p, result = e.params[at].binder.name, _array(e.body.result[at])
        if not self._clean(result, p, assumed):
            return
        parts = list(self._parts(result, assumed))
        facts = self.scene.at_end[id(e.body)].facts
        for c in cursors(s, e, self.scene):
            for offset in (var(c.name) - first for first, _ in parts):
                if offset.free().isdisjoint(c.inside) and self._cover(
                    parts, var(c.name) - offset, c.next - offset, facts
                ):
                    yield c.first - offset, c.end - offset
        yield from self._parts(_array(e.params[at].init), assumed)

    def _cover(self, parts: Iterable[Rows], start: Size, n: Size, facts: Facts) -> bool:
        """True if the ranges contain all rows from ``start`` up to but excluding ``n``."""

        def reaches(row: Size, other: Size) -> bool:
            d = row - other
            return nonneg(d, facts) or nonneg(expanded(d, self.scene.exact), facts)

        left, end = list(parts), start
        while not reaches(end, n):
            more = next((part for part in left if reaches(end, part[0])), None)
            if more is None:
                return False
            left.remove(more)
            end = more[1]  # it may decrease: the rows up to the old end are written all the same
        return True

    def _parts_of(self, x: Name, loop: "_Rows") -> Iterator[Rows]:
        """Yield the ranges of rows that the updates in a loop's body write over all iterations."""
        while True:
            match self.scene.made_by.get(x):
                case Stm(_, Update(y, where)) as s if s.pat[0].name in loop.inside:
                    if (rows := self._rows(y, where, loop)) is not None:
                        yield rows
                    x = y
                case _:
                    return

    def _rows(self, y: Name, where: Sequence[SliceDim] | Lmad, loop: "_Rows | None") -> Rows | None:
        """Return the rows of an array that a slice selects, over all iterations of ``loop``."""
        if isinstance(where, Lmad):
            return None
        full = tuple(DimRange(ZERO, n, ONE) for n in self.scene.types[y].shape[1:])
        if tuple(where[1:]) != full:
            return None
        match where[0]:
            case d if loop is not None:
                return loop.rows(d, self.scene)
            case DimFix(at):
                return at, at + 1
            case DimRange(start, length, stride) if stride == ONE:
                return start, start + length
            case DimRange(start, length, stride) if stride == -ONE:
                return start - length + 1, start + 1
            case _:
                return None


@frozen
class _Rows:
    """A loop, each iteration of which writes one row."""

    stm: Stm[Ann]
    form: For
    inside: Names
    """The names that the loop binds."""
    ascending: bool = False
    """Iteration i writes row i only."""

    def rows(self, d: SliceDim, scene: Scene) -> Rows | None:
        """Return the range of indices ``i + c`` or ``c - i`` over all iterations, or None."""
        if not isinstance(d, DimFix):
            return None
        i, n = var(self.form.index), expanded(self.form.bound, scene.exact)
        at = expanded(d.at, scene.exact)
        if self.ascending:
            return (ZERO, n) if at == i else None
        for first, last in ((at - i, at - i + n - 1), (at + i - n + 1, at + i)):
            if first.free().isdisjoint(self.inside) and last.free().isdisjoint(self.inside):
                return first, last + 1
        return None
