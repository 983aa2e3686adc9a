"""Compute the size and the i-th element of an array expression without making the array.

Paper 004, fig. 3: ``Size`` and ``Fetch``, for an array that each row of a comprehension draws from:

    a..<b, iota, indices, replicate, tabulate       their definitions
    map f e, [f | p <- e], let p = e in e           by Size and Fetch of the inner e
    [e, …]                                          the number of elements
    xs[…], take, drop, init, tail, reverse          derived arrays: no data is moved
    a variable of the row                           its array
    an expression independent of the row            computed once, outside the rows (section 4)

A size that is the same in all rows is known outside (section 4.1).

An expression independent of the row is computed before it is known that there is a row; if it may
trap, it is computed only if there is a row.
"""

from collections.abc import Callable, Sequence
from functools import reduce

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.elaborate.context import (
    Elaborate,
    Elaboration,
    Wrap,
    core_type,
    i64,
    let,
    wrapped,
)
from funmem.frontends.futhark.elaborate.core_exps import (
    arbitrary_value,
    free_names,
    may_trap,
    polynomial,
)
from funmem.frontends.futhark.elaborate.patterns import bind, sub_binders
from funmem.frontends.futhark.elaborate.ranges import counted_as, counting, range_length
from funmem.frontends.futhark.elaborate.rows import Rows
from funmem.frontends.futhark.typing import GlobalRef
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, BinOp

SHORT = 8
"""Maximum length of an array literal that becomes a choice between its elements."""

DERIVED = frozenset({"take", "drop", "init", "tail", "reverse"})
"""Functions of the prelude that return derived arrays: they move no data."""


@frozen
class Drawn:
    """An array from which each row draws elements.

    ``start``: the bindings and checks that a row needs before ``size`` and ``fetch``.  ``again``:
    the part of ``start`` that ``fetch`` needs once the row has done all of ``start``.
    ``regular``: the size as an expression outside of the rows, if it is the same in all rows.
    """

    start: tuple[Wrap, ...]
    again: tuple[Wrap, ...]
    size: Exp
    fetch: Callable[[Exp], Exp]
    regular: Exp | None = None

    def count(self) -> Exp:
        """Return the size in one row, as an expression over its variables."""
        return wrapped(self.start, self.size)


def drawn(
    ctx: Elaboration, e: ast.Exp, exp: Elaborate, rows: Rows, out: list[Wrap]
) -> Drawn | None:
    """Return the array ``e`` for the rows, or None if its size is known only by making it.

    Expressions that do not depend on the row are computed once, by ``out``.
    """
    return _Drawing(ctx, exp, rows, rows.names, out).draw(e)


@frozen
class _Drawing:
    ctx: Elaboration
    exp: Elaborate
    rows: Rows
    inner: frozenset[Name]
    """The variables of the row, and those bound inside it."""
    out: list[Wrap]

    def draw(self, e: ast.Exp) -> Drawn | None:
        while isinstance(e, ast.OpenIn):
            e = e.exp
        match e:
            case ast.Range():
                return self._range(e)
            case ast.Let(sizes=()):
                return self._let(e)
            case ast.Comprehension(inner, ast.QBind(pat, source)) if not self._outside(self.exp(e)):
                return self._mapped(source, lambda x: self._through(pat, x, inner))
            case ast.App() | ast.BinOp():
                found = self._application(e, *self._spine(e))
                if found is not None:
                    return found
            case (
                ast.Literal()
                | ast.Var()
                | ast.Hole()
                | ast.Aggregate()
                | ast.Access()
                | ast.Operation()
                | ast.Form()
                | ast.Section()
                | ast.Change()
                | ast.Annotated()
                | ast.OpenIn()
                | ast.Comprehension()
            ):
                pass
        core = self.exp(e)
        if self._outside(core):
            xs = self._once(core, core_type(self.ctx.type(e)), "xs", e.at)
            return _of_array(xs, e.at, regular=True)
        match e:
            case ast.ArrayLit(elems, at):
                return self._literal(tuple(map(self.exp, elems)), core, at)
            case ast.Index(array) if isinstance(core, c.Index):
                there = self._available(array)
                return None if there is None else self._derived(e, evolve(core, array=there))
            case ast.Var(at=at) | ast.Project(at=at) if self._available(e) is not None:
                length = None if e in self.ctx.typing.rows else self._rows_array(core)
                return evolve(_of_array(core, at), regular=length)
            case (
                ast.Literal()
                | ast.Var()
                | ast.Hole()
                | ast.Aggregate()
                | ast.Access()
                | ast.Operation()
                | ast.Form()
                | ast.Section()
                | ast.Change()
                | ast.Annotated()
                | ast.OpenIn()
                | ast.Comprehension()
            ):
                return None

    # ------------------------------------------------------------------ outside of the rows

    def _outside(self, e: Exp) -> bool:
        """True if an expression does not depend on the row."""
        return free_names(e).isdisjoint(self.inner)

    def _once(self, e: Exp, t: c.Type, base: str, at: Span) -> Exp:
        """Compute ``e``, which does not depend on the row, outside, if there is a row."""
        if may_trap(e):
            e = c.If(self.rows.nonempty(at), e, arbitrary_value(t, at), at)
        return self.ctx.atom(e, t, self.out, base)

    # ------------------------------------------------------------------ forms with a definition

    def _range(self, e: ast.Range) -> Drawn:
        ctx, at, start = self.ctx, e.at, list[Wrap]()
        of = ctx.scalar(e.start)
        t = counted_as(of)

        def named(x: ast.Exp) -> Exp:
            return ctx.atom(counting(of, self.exp(x)), t, start)

        outside = self._outside(self.exp(e))
        first = named(e.start)
        second = None if e.second is None else named(e.second)
        again = list(start)
        end = named(e.end)
        n, step = range_length(ctx, t, first, second, end, e.kind, start, at, counted=True)
        if outside:
            a, s, k = ctx.binder("first", t), ctx.binder("step", t), ctx.binder("n", I64)
            value = wrapped(start, c.tuple_exp(first, step, n, at=at))
            if may_trap(value):
                zero = c.Const(0, t, at)
                value = c.If(self.rows.nonempty(at), value, c.tuple_exp(zero, zero, i64(0)), at)
            self.out.append(lambda rest: c.Let((a, s, k), value, rest, at))
            first = c.Var(a.name)
            step = step if isinstance(step, c.Const) else c.Var(s.name)
            size: Exp = c.Var(k.name)
            start, again = [], []
        else:
            size = ctx.atom(n, I64, start, "n")

        def fetch(i: Exp) -> Exp:
            k = i if t is I64 else c.Convert(t, i, at)
            far = k if step == c.Const(1, t) else c.Bin(BinOp.MUL, k, step, at)
            element = c.Bin(BinOp.ADD, first, far, at)
            return element if t is of else c.Convert(of, element, at)

        if second is not None and isinstance(step, c.Var) and not outside:
            again.append(let(c.Binder(step.name, t), c.Bin(BinOp.SUB, second, first, at), at))
        known = size if outside else self._cancelled(e)
        return Drawn(tuple(start), tuple(again), size, fetch, known)

    def _cancelled(self, e: ast.Range) -> Exp | None:
        """Return ``end - start`` if the variables of the row cancel out, as in ``x..<x+4``."""
        if e.second is not None or self.ctx.scalar(e.start) is not I64:
            return None
        start, end = polynomial(self.exp(e.start)), polynomial(self.exp(e.end))
        if start is None or end is None:
            return None
        size = end - start if e.kind is ast.RangeEnd.BELOW else start - end
        if e.kind is ast.RangeEnd.INCLUSIVE:
            size = end - start + 1
        k = size.as_const
        return i64(k) if k is not None and 0 < k <= I64.max else None

    def _let(self, e: ast.Let) -> Drawn | None:
        start: list[Wrap] = []
        bind(self.ctx, e.pat, self.exp(e.exp), start)
        bound = {self.ctx.typing.names[v] for v in sub_binders(e.pat)}
        found = evolve(self, inner=self.inner | bound).draw(e.body)
        return None if found is None else _after(start, found)

    def _mapped(self, xs: ast.Exp, f: Callable[[Exp], Exp]) -> Drawn | None:
        inner = self.draw(xs)
        if inner is None:
            return None
        return evolve(inner, fetch=lambda i: f(inner.fetch(i)))

    def _through(self, pat: ast.Pattern, value: Exp, e: ast.Exp) -> Exp:
        start: list[Wrap] = []
        bind(self.ctx, pat, value, start)
        return wrapped(start, self.exp(e))

    def _spine(self, e: ast.App | ast.BinOp) -> tuple[ast.Exp, list[ast.Exp]]:
        """Return a function and its arguments; ``x |> f`` and ``f <| x`` are applications too."""
        args: list[ast.Exp] = []
        fn: ast.Exp = e
        while True:
            match fn:
                case ast.App():
                    args.insert(0, fn.arg)
                    fn = fn.fn
                case ast.BinOp(op, x, f, _) if prelude_name(self.ctx, op) == "|>":
                    fn, args = f, [x, *args]
                case ast.BinOp(op, f, x, _) if prelude_name(self.ctx, op) == "<|":
                    fn, args = f, [x, *args]
                case (
                    ast.Literal()
                    | ast.Var()
                    | ast.Hole()
                    | ast.Aggregate()
                    | ast.Access()
                    | ast.Operation()
                    | ast.Form()
                    | ast.Section()
                    | ast.Change()
                    | ast.Annotated()
                    | ast.OpenIn()
                    | ast.Comprehension()
                ):
                    return fn, args

    def _application(
        self, e: ast.App | ast.BinOp, fn: ast.Exp, args: list[ast.Exp]
    ) -> Drawn | None:
        """Return the array of an application of a prelude function, or None."""
        ctx, exp, at = self.ctx, self.exp, e.at
        if not isinstance(fn, ast.Var):
            return None
        match prelude_name(ctx, fn.name), args:
            case "iota", [n]:
                return self._sized(exp(n), at, lambda i: i)
            case "replicate", [n, x]:
                start: list[Wrap] = []
                value = ctx.atom(exp(x), ctx.core(x), start)
                found = self._sized(exp(n), at, lambda _: value)
                return _after(start, found)
            case "tabulate", [n, f] if not self._outside(exp(e)):
                start, made = self._function(f)
                return _after(start, self._sized(exp(n), at, lambda i: c.App(made, (i,), at)))
            case "indices", [xs]:
                return self._indices(xs)
            case "map", [f, xs] if not self._outside(exp(e)):
                start, made = self._function(f)
                mapped = self._mapped(xs, lambda x: c.App(made, (x,), at))
                return None if mapped is None else _after(start, mapped)
            case name, [*_, xs] if name in DERIVED and not self._outside(exp(e)):
                core, there = exp(e), self._available(xs)
                if there is None or not isinstance(core, c.App):
                    return None
                if core.args[-1] == exp(xs):
                    core = evolve(core, args=(*core.args[:-1], there))
                return self._derived(e, core)
            case _:
                return None

    def _function(self, f: ast.Exp) -> tuple[list[Wrap], Exp]:
        """Return a function, and the bindings that even a row without elements evaluates."""
        start: list[Wrap] = []
        made = self.exp(f)
        if may_trap(made) and not isinstance(made, c.Global):
            made = self.ctx.atom(made, self.ctx.core(f), start, "f")
        return start, made

    def _indices(self, xs: ast.Exp) -> Drawn | None:
        """Return ``indices xs``; elements that may trap are evaluated: making xs would trap too."""
        inner = self.draw(xs)
        if inner is None:
            return None
        t = core_type(self.ctx.type(xs))
        assert isinstance(t, c.Array)
        x = self.ctx.binder("x", t.elem)

        def fetch(i: Exp) -> Exp:
            element = inner.fetch(i)
            there = isinstance(element, c.Index) and not may_trap(element.array)
            return i if there or not may_trap(element) else let(x, element, xs.at)(i)

        return evolve(inner, fetch=fetch)

    def _sized(self, n: Exp, at: Span, fetch: Callable[[Exp], Exp]) -> Drawn:
        """Return the array of ``n`` elements, with the check that n is not negative."""
        checks: list[Wrap] = []
        size = self.ctx.atom(n, I64, checks, "n")
        valid = c.Bin(BinOp.GE, size, i64(0), at)
        message = "Range 0..1..<{} is invalid."
        checks.append(lambda rest: c.Assert(valid, message, (size,), rest, at))
        if not self._outside(n):
            return Drawn(tuple(checks), (), size, fetch)
        known = self._once(wrapped(checks, size), I64, "n", at)
        return Drawn((), (), known, fetch, known)

    # ------------------------------------------------------------------ available arrays

    def _literal(self, elems: tuple[Exp, ...], whole: Exp, at: Span) -> Drawn:
        k = i64(len(elems))
        if len(elems) > SHORT:
            return Drawn((), (), k, lambda i: c.Index(whole, (c.Fix(i),), at), k)

        def fetch(i: Exp) -> Exp:
            def choose(rest: Exp, numbered: tuple[int, Exp]) -> Exp:
                number, elem = numbered
                return c.If(c.Bin(BinOp.EQ, i, i64(number), at), elem, rest, at)

            return reduce(choose, reversed(list(enumerate(elems[:-1]))), elems[-1])

        return Drawn((), (), k, fetch, k)

    def _derived(self, e: ast.Exp, core: Exp) -> Drawn:
        """Return a part of an array, named and indexed in the row."""
        row = self.ctx.binder("row", core_type(self.ctx.type(e)))
        found = _after([let(row, core, e.at)], _of_array(c.Var(row.name), e.at))
        length = None if e in self.ctx.typing.rows else self._whole_row(core)
        return evolve(found, regular=length)

    def _available(self, e: ast.Exp) -> Exp | None:
        """Return an array that no row has to make: independent of the row, or a part of it."""
        core = self.exp(e)
        if self._outside(core):
            return self._once(core, core_type(self.ctx.type(e)), "xs", e.at)
        inner = core
        while isinstance(inner, c.Project | c.Index):
            inner = inner.exp if isinstance(inner, c.Project) else inner.array
        is_part = isinstance(inner, c.Var) and inner.name in self.rows.names
        return core if is_part else None

    def _whole_row(self, core: Exp) -> Exp | None:
        """Return the length of ``xs[i, …]`` if xs does not depend on the row but i does."""
        if not isinstance(core, c.Index) or not self._outside(core.array):
            return None
        if not all(isinstance(d, c.Fix) for d in core.dims):
            return None
        return c.Length(core.array, len(core.dims), core.at)

    def _rows_array(self, core: Exp) -> Exp | None:
        """Return the length of an array in the rows, which is the same in all rows."""
        labels: list[str] = []
        inner: Exp = core
        while isinstance(inner, c.Project):
            labels.insert(0, inner.label)
            inner = inner.exp
        if not isinstance(inner, c.Var):
            return None
        array = self.rows.array(inner.name)
        if array is None:
            return None
        for label in labels:
            array = c.Project(c.Unzip(array, core.at), label, core.at)
        return c.Length(array, 1, core.at)


def _of_array(xs: Exp, at: Span, *, regular: bool = False) -> Drawn:
    n = c.Length(xs, 0, at)
    return Drawn((), (), n, lambda i: c.Index(xs, (c.Fix(i),), at), n if regular else None)


def _after(start: Sequence[Wrap], found: Drawn) -> Drawn:
    """Return ``found`` with ``start`` before it."""
    return evolve(found, start=(*start, *found.start), again=(*start, *found.again))


def prelude_name(ctx: Elaboration, name: ast.QualName) -> str | None:
    """Return the name of a function of the prelude, or None for other functions."""
    ref = ctx.typing.refs[name]
    if not isinstance(ref, GlobalRef):
        return None
    d = ctx.typing.definitions[ref.name]
    return d.dec.name if d.prelude else None
