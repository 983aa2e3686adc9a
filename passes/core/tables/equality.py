r"""``==`` of recursive data becomes a definition (Core -> Core).

    a == b     ->   @same a b       def same = \(a : List) (b : List) -> match a {
                                      #nil -> match b { #nil -> true; _ -> false };
                                      #cons x xs -> match b {
                                        #cons y ys -> if x == y then @same xs ys else false; … } }

Records and sums that contain recursive data are compared part by part, arrays and boxed vectors
element by element, up to the first difference.
"""

from collections.abc import Callable, Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Def, Exp, Type
from funmem.ir.core_traverse import map_parts, unsized
from funmem.ir.core_types import type_of
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.passes.core.names import inside
from funmem.passes.core.recursion.parts import binary, int64
from funmem.passes.core.tables.effects import Scopes
from funmem.passes.core.tables.families import BOXED, Families, element_type

TRUE, FALSE = c.Const(True, BOOL), c.Const(False, BOOL)


def spelt_out(p: CoreProgram, families: Families, fresh: Fresh) -> CoreProgram:
    """Return the program without ``==`` of recursive data."""
    bodies = (*(d.exp for d in p.defs), *(e.exp for e in p.entries))
    if not any(isinstance(x, c.Equal) for e in bodies for x in inside(e)):
        return p
    work, scopes = _Equality(families, fresh), Scopes(p)

    def go(e: Exp, types: Mapping[Name, Type]) -> Exp:
        new = map_parts(e, lambda x: go(x, types), lambda t: t)
        if isinstance(e, c.Equal) and isinstance(new, c.Equal):
            t = type_of(e.a, types, scopes.defs)
            return work.equal(new.a, new.b, t, e.at) if families.inside(t) else new
        return new

    entries = tuple(evolve(e, exp=go(e.exp, scopes.entry[e.name])) for e in p.entries)
    defs = tuple(evolve(d, exp=go(d.exp, scopes.definition[d.name])) for d in p.defs)
    return evolve(p, entries=entries, defs=(*defs, *work.made()))


class _Equality:
    """The definitions that compare values, one for each data type."""

    def __init__(self, families: Families, fresh: Fresh) -> None:
        self._families, self._fresh = families, fresh
        self._names: dict[Name, Name] = {}
        self._defs: list[Def] = []

    def made(self) -> Sequence[Def]:
        """Return the definitions that have become necessary."""
        return self._defs

    def equal(self, a: Exp, b: Exp, t: Type, at: Span) -> Exp:
        """Return ``a == b`` at a type."""
        if not self._families.inside(t):
            return c.Equal(a, b, at)
        match t:
            case c.Data(name) if name in self._families.vectors:
                return self._vectors(a, b, name, at)
            case c.Data(name):
                return c.App(c.Global(self._definition(name), (), at), (a, b), at)
            case c.Record(fields):
                x, y = (c.Binder(self._fresh(base), t) for base in "ab")
                pairs = [
                    (c.Project(c.Var(x.name), label), c.Project(c.Var(y.name), label), u)
                    for label, u in fields
                ]
                return c.Let((x,), a, c.Let((y,), b, self._all(pairs, at), at), at)
            case c.Sum():
                return self._sums(a, b, t, at)
            case c.Array(elem):
                return self._arrays(a, b, elem, at)
            case c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                raise TypeError(f"a value of type {t} contains no data")

    def _all(self, pairs: Sequence[tuple[Exp, Exp, Type]], at: Span) -> Exp:
        """Return that all pairs are equal; later ones are compared only if earlier ones are."""
        if not pairs:
            return TRUE
        *first, last = pairs
        whole = self.equal(*last, at)
        for a, b, t in reversed(first):
            whole = c.If(self.equal(a, b, t, at), whole, FALSE, at)
        return whole

    def _sums(self, a: Exp, b: Exp, t: c.Sum | c.Data, at: Span) -> Exp:
        """Return the equality of two sums, or of two values of a data type."""
        constructors = self._families.sum(t).constructors
        first, other = (c.Binder(self._fresh(base), t) for base in "ab")
        arms: list[c.Arm] = []
        for name, payload in constructors:
            xs, ys = (tuple(c.Binder(self._fresh(x), u) for u in payload) for x in "xy")
            pairs = [
                (c.Var(x.name), c.Var(y.name), u) for x, y, u in zip(xs, ys, payload, strict=True)
            ]
            same = c.Arm(name, ys, self._all(pairs, at))
            rest = FALSE if len(constructors) > 1 else None
            arms.append(c.Arm(name, xs, c.Match(c.Var(other.name), (same,), rest, at)))
        chosen = c.Match(c.Var(first.name), tuple(arms), None, at)
        return c.Let((first,), a, c.Let((other,), b, chosen, at), at)

    def _arrays(self, a: Exp, b: Exp, elem: Type, at: Span) -> Exp:
        """Return the equality of two arrays: a loop."""
        x, y = (c.Binder(self._fresh(base), c.Array(unsized(elem))) for base in "ab")
        same, i = self._fresh("same"), self._fresh("i")
        here = (c.Fix(c.Var(i)),)
        one, other = (c.Index(c.Var(v.name), here, at) for v in (x, y))
        step = c.If(c.Var(same), self.equal(one, other, elem, at), FALSE, at)
        n = c.Length(c.Var(x.name), 0, at)
        whole = c.Loop((c.Binder(same, BOOL),), (TRUE,), c.For(i, n), step, at)
        chosen = c.If(_equal_lengths(c.Var(x.name), c.Var(y.name), at), whole, FALSE, at)
        return c.Let((x,), a, c.Let((y,), b, chosen, at), at)

    def _vectors(self, a: Exp, b: Exp, name: Name, at: Span) -> Exp:
        """Return the equality of two boxed vectors.

        If elements contain data, a definition compares them from an index on: vectors that contain
        themselves are compared by recursion, which cannot be in a loop.
        """
        t = c.Data(name)
        x, y = (c.Binder(self._fresh(base), t) for base in "ab")
        elem = element_type(self._families.data(name))
        assert elem is not None

        def opened(u: Exp, v: Exp, body: Callable[[Exp, Exp], Exp]) -> Exp:
            xs, ys = (c.Binder(self._fresh(base), c.Array(elem)) for base in ("xs", "ys"))
            inner = c.Match(v, (c.Arm(BOXED, (ys,), body(c.Var(xs.name), c.Var(ys.name))),))
            return c.Match(u, (c.Arm(BOXED, (xs,), inner),), None, at)

        if not self._families.inside(elem):
            return opened(a, b, lambda u, v: c.Equal(u, v, at))
        if name not in self._names:
            self._names[name] = self._fresh(f"same_{name}")
            p, q = (c.Binder(self._fresh(base), t) for base in "ab")
            i = c.Binder(self._fresh("i"), I64)

            def rest(u: Exp, v: Exp) -> Exp:
                here = (c.Fix(c.Var(i.name)),)
                after = binary(BinOp.ADD, c.Var(i.name), int64(1))
                onwards = self._call(name, c.Var(p.name), c.Var(q.name), after)
                one = self.equal(c.Index(u, here), c.Index(v, here), elem, NOWHERE)
                end = binary(BinOp.EQ, c.Var(i.name), c.Length(u))
                return c.If(end, TRUE, c.If(one, onwards, FALSE))

            body = opened(c.Var(p.name), c.Var(q.name), rest)
            type_ = c.arrow([t, t, I64], BOOL)
            self._defs.append(Def(self._names[name], (), type_, c.Lambda((p, q, i), body), NOWHERE))
        fits = opened(c.Var(x.name), c.Var(y.name), lambda u, v: _equal_lengths(u, v, at))
        all_same = self._call(name, c.Var(x.name), c.Var(y.name), int64(0))
        chosen = c.If(fits, all_same, FALSE, at)
        return c.Let((x,), a, c.Let((y,), b, chosen, at), at)

    def _call(self, name: Name, *args: Exp) -> Exp:
        return c.App(c.Global(self._names[name]), args)

    def _definition(self, name: Name) -> Name:
        """Return the definition that compares values of a data type."""
        if name not in self._names:
            self._names[name] = self._fresh(f"same_{name}")
            t = c.Data(name)
            x, y = (c.Binder(self._fresh(base), t) for base in "ab")
            body = self._sums(c.Var(x.name), c.Var(y.name), t, NOWHERE)
            type_ = c.arrow([t, t], BOOL)
            fn = c.Lambda((x, y), body)
            self._defs.append(Def(self._names[name], (), type_, fn, NOWHERE))
        return self._names[name]


def _equal_lengths(a: Exp, b: Exp, at: Span) -> Exp:
    return c.Bin(BinOp.EQ, c.Length(a, 0, at), c.Length(b, 0, at), at)
