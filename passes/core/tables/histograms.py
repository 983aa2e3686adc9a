r"""Histograms whose operators allocate: a loop over the elements that passes the tables along.

hist (\(a : t) (x : t) -> e) (ne) (dest) (is) (vs)

    ->  loop (dest : []t) = dest, tables … for i < length is do
          let (j : i64) = is[i]
          let (inside : bool) = 0 <= j && j < length dest
          let (r : t) tables … = if inside then let a = dest[j] let x = vs[i] in e else ne
          let (dest : []t) = if inside then dest with [j] = r else dest
          in (dest, tables …)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import unsized
from funmem.ir.core_types import row
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.passes.core.recursion.parts import SHAPES, binary, int64, variables
from funmem.passes.core.tables.store import Links, several

if TYPE_CHECKING:
    from funmem.passes.core.tables.expressions import Translation


def histogram(w: Translation, e: c.Hist, op: c.Lambda) -> list[Exp]:
    """Return the destinations after a histogram; its bindings are appended."""
    work = _Histogram(w, e, op)
    fixed = (*e.ne, *e.dest, e.indices, *e.values)
    work.bind([(x, unsized(w.old_type(x))) for x in fixed])
    return work.loop()


@define(eq=False)
class _Histogram:
    """One histogram; its operands are bound to names."""

    w: Translation
    e: c.Hist
    op: c.Lambda
    start: list[c.Binder] = field(factory=list)
    dest: list[c.Binder] = field(factory=list)
    """The destinations, as parameters of the loop."""
    indices: Name = Name("")
    values: list[Name] = field(factory=list)
    init: list[Exp] = field(factory=list)

    def bind(self, operands: Sequence[tuple[Exp, c.Type]]) -> None:
        """Bind the operands to names, in order; the types are those before the pass."""
        w, k = self.w, len(self.e.ne)
        given = w.operands([x for x, _ in operands])
        old = [t for _, t in operands]
        self.init = given[k : 2 * k]
        for x, t in zip(given[:k], old[:k], strict=True):
            self.start.append(self._named(x, t))
        self.dest = [self._declared("dest", t) for t in old[k : 2 * k]]
        self.indices, *self.values = (
            self._named(x, t).name for x, t in zip(given[2 * k :], old[2 * k :], strict=True)
        )

    def _named(self, x: Exp, t: c.Type) -> c.Binder:
        b = self._declared("x", t)
        new = c.Binder(b.name, unsized(self.w.families.type(t)))
        self.w.links.append(c.Let((new,), x, c.Fields(()), self.e.at))
        return b

    def _declared(self, base: str, t: c.Type) -> c.Binder:
        """Return a new name whose type before the pass is known."""
        b = c.Binder(self.w.fresh(base), t)
        self.w.types = {**self.w.types, b.name: t}
        return b

    def loop(self) -> list[Exp]:
        """Return the results of the loop."""
        w, at, i = self.w, self.e.at, self.w.fresh("i")
        place = row(self.w.types[self.indices])
        j, inside = c.Binder(w.fresh("j"), place), self._declared("inside", BOOL)
        w.types = {**w.types, j.name: place, i: I64}
        dims = self._dims(j)
        n = w.let(w.links, "n", I64, c.Length(c.Var(self.indices), 0, at), at)
        self._same_shapes(dims)
        here: Links = [
            c.Let((j,), c.Index(c.Var(self.indices), (c.Fix(c.Var(i)),), at), c.Fields(()), at),
            c.Let((inside,), self._inside(dims), c.Fields(()), at),
        ]
        params = [c.Binder(b.name, unsized(w.binder(b).type)) for b in self.dest]

        def step() -> list[Exp]:
            results = [c.Binder(w.fresh("r"), self._element(b.type, dims)) for b in params]
            value = c.If(c.Var(inside.name), self._applied(i, dims), self._neutral(), at)
            w.links.append(c.Let(tuple(results), w.exp(value), c.Fields(()), at))
            written: list[Exp] = [
                c.Update(c.Var(b.name), dims, c.Var(r.name), at)
                for b, r in zip(params, results, strict=True)
            ]
            news = [c.Binder(w.fresh(b.name), b.type) for b in params]
            same = several(list(variables(params)))
            new = c.If(c.Var(inside.name), several(written), same, at)
            w.links.append(c.Let(tuple(news), new, c.Fields(()), at))
            return list(variables(news))

        form, changed = c.For(i, n), w.allocated(self.op)
        return w.repeated(params, self.init, form, changed, here, step, at)

    def _element(self, t: c.Type, dims: Sequence[c.Fix]) -> c.Type:
        """Return the type of what an index selects."""
        for _ in dims:
            t = row(t)
        return t

    def _dims(self, j: c.Binder) -> tuple[c.Fix, ...]:
        """Return the indices of the outermost dimensions of a destination that an index selects."""
        if isinstance(j.type, c.Record):
            return tuple(c.Fix(c.Project(c.Var(j.name), label)) for label, _ in j.type.fields)
        return (c.Fix(c.Var(j.name)),)

    def _inside(self, dims: Sequence[c.Fix]) -> Exp:
        """Return the condition that an index is in bounds."""
        whole: Exp | None = None
        for d, dim in enumerate(dims):
            size = c.Length(c.Var(self.dest[0].name), d, self.e.at)
            for test in (
                binary(BinOp.GE, dim.index, int64(0)),
                binary(BinOp.LT, dim.index, size),
            ):
                whole = test if whole is None else binary(BinOp.LAND, whole, test)
        assert whole is not None
        return whole

    def _same_shapes(self, dims: Sequence[c.Fix]) -> None:
        """Assert that an index selects the same elements of all destinations."""
        w, at = self.w, self.e.at
        if len(self.init) == 1:
            return
        for k, (x, b) in enumerate(zip(self.init, self.dest, strict=True)):
            t = unsized(w.binder(b).type)
            self.init[k] = w.let(w.links, "dest", t, x, at)
        first, *others = self.init
        for x in others:
            for d in range(len(dims)):
                same = binary(BinOp.EQ, c.Length(x, d, at), c.Length(first, d, at))
                w.links.append(c.Assert(same, SHAPES, (), c.Fields(()), at))

    def _applied(self, i: Name, dims: tuple[c.Fix, ...]) -> Exp:
        """Return the operator's value, as it is before the pass."""
        out, at = self.op.body, self.e.at
        sources = [c.Index(c.Var(b.name), dims, at) for b in self.dest]
        sources += [c.Index(c.Var(x), (c.Fix(c.Var(i)),), at) for x in self.values]
        for b, x in reversed(list(zip(self.op.params, sources, strict=True))):
            out = c.Let((b,), x, out, at)
        return out

    def _neutral(self) -> Exp:
        """Return a value for an index that is out of bounds, which nobody uses."""
        return several(list(variables(self.start)))
