r"""Loops and array operations that call the definition they are in (Core -> Core).

    def f = \(k : i64) -> let (xs : []i64) = map (\(j : i64) -> j * (@f j)) (iota k 0 1) in …

    ->  def f = \(k : i64) ->
          let (is : [k]i64) = iota k 0 1
          let (n : i64) = length is
          let (xs : []i64) = @f_loop is n 0 (scratch n) in …

        def f_loop = \(is : []i64) (n : i64) (i : i64) (out : []i64) ->
          if i < n then
            let (j : i64) = is[i]
            let (r : i64) = @f j
            in @f_loop is n (i + 1) (out with [i] = j * r)
          else out

A ``map``, ``reduce``, ``scan``, ``hist`` or ``filter`` is first a loop, and a loop a definition
that calls itself, whose parameters are what the loop uses.  The arrays among them are kept during
each call (saved.py), so an iteration takes time for their elements.

The elements of the operations are scalars: rows of such programs are boxed (``box-rows``).
"""

from collections.abc import Sequence
from itertools import product

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import map_parts, unsized
from funmem.ir.core_types import applied
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, evolve
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.passes.core.names import binders, free_names, inside
from funmem.passes.core.recursion.parts import (
    SHAPES,
    binary,
    definitions_in,
    int64,
    is_scalar,
    rewrapped,
    several,
    variables,
)
from funmem.passes.core.unique import Unique


def without_own_loops(group: Sequence[Def], fresh: Fresh) -> list[Def]:
    """Return mutually recursive definitions without calls in loops and array operations, and the
    definitions that these become; what is not let-bound or has other elements stays.
    """
    out: list[Def] = []
    for d in group:
        work = _Loops(d, frozenset(x.name for x in group), fresh)
        k = len(d.exp.params) if isinstance(d.exp, c.Lambda) else 0
        new = evolve(d, exp=work.exp(d.exp, several(applied(d.type, k))))
        out += [new if work.made else d, *work.made]
    return out


@define(eq=False)
class _Loops:
    """The loops of one definition of a group."""

    d: Def
    group: frozenset[Name]
    fresh: Fresh
    made: list[Def] = field(factory=list)
    types: dict[Name, Type] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.types = {b.name: b.type for x in inside(self.d.exp) for b in binders(x)}

    def calls(self, e: Exp) -> bool:
        """True if an expression calls a definition of the group."""
        return any(x in self.group for x in definitions_in(e))

    def exp(self, e: Exp, results: Sequence[Type]) -> Exp:
        """Return an expression with calls of definitions in place of its own loops."""
        if not self.calls(e):
            return e
        match e:
            case c.Let(bs, exp, body, at):
                links, new = self.bound(exp, bs)
                return rewrapped(links, c.Let(bs, new, self.exp(body, results), at))
            case c.Lambda() | c.If() | c.Assert():
                return map_parts(e, lambda x: self.exp(x, results), lambda t: t)
            case c.Loop() | c.Unzip() | c.ParallelOperation():
                bs = tuple(c.Binder(self.fresh("r"), unsized(t)) for t in results)
                self.types |= {b.name: b.type for b in bs}
                return self.exp(c.Let(bs, e, _several(list(variables(bs))), e.at), results)
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
                | c.Let()
                | c.Assert()
            ):
                return e

    def bound(self, e: Exp, bs: tuple[c.Binder, ...]) -> tuple[list[c.Let | c.Assert], Exp]:
        """Return the bindings in front of what is bound to ``bs``, and its new expression."""
        links: list[c.Let | c.Assert] = []
        if not self.calls(e):
            return links, e
        if isinstance(e, c.Filter):
            return links, self.filtered(e, links)
        operation = e.array if isinstance(e, c.Unzip) else e
        if isinstance(operation, c.Hist) and isinstance(operation.indices, c.Zip):
            return links, self.flattened(operation, operation.indices, bs, links) or e
        if isinstance(operation, c.ParallelOperation):
            if not all(isinstance(_elem(b.type), ScalarType) for b in bs):
                return links, e
            loop = self.as_loop(operation, bs, links)
            return (links, e) if loop is None else (links, self.definition(loop))
        if isinstance(e, c.Loop):
            return links, self.definition(e)
        return links, self.exp(e, [b.type for b in bs])

    def filtered(self, e: c.Filter, links: list[c.Let | c.Assert]) -> Exp:
        """Return the elements for which a loop has found that they are kept."""
        t = self.types.get(e.array.name) if isinstance(e.array, c.Var) else None
        if not isinstance(e.array, c.Var) or t is None or not isinstance(_elem(t), ScalarType):
            return e
        flags = c.Binder(self.fresh("keep"), c.Array(BOOL))
        before, loop = self.bound(c.Map(e.fn, (e.array,), e.at), (flags,))
        links += before
        name = self.let(links, "keep", c.Array(BOOL), loop)
        q, k = self.fresh("q"), self.fresh("k")
        kept = c.Lambda((c.Binder(q, I64),), c.Index(c.Var(name), (c.Fix(c.Var(q)),)))
        all_ = c.Iota(c.Length(c.Var(name)), int64(0), int64(1))
        places = self.let(links, "places", c.Array(I64), c.Filter(kept, all_, e.at))
        found = c.Lambda((c.Binder(k, I64),), c.Index(e.array, (c.Fix(c.Var(k)),)))
        return c.Map(found, (c.Var(places),), e.at)

    # ------------------------------------------------------------------ operations as loops

    def let(self, links: list[c.Let | c.Assert], base: str, t: Type, e: Exp) -> Name:
        """Bind an expression to a new name."""
        name = self.fresh(base)
        self.types[name] = t
        links.append(c.Let((c.Binder(name, t),), e, c.Fields(())))
        return name

    def as_loop(
        self, e: Exp, bs: tuple[c.Binder, ...], links: list[c.Let | c.Assert]
    ) -> c.Loop | None:
        """Return an operation as a loop; None if it is not one of those above."""
        ne: tuple[Exp, ...] = ()
        match e:
            case c.Hist(c.Lambda()):
                return self.histogram(e, bs, links)
            case c.Map(c.Lambda() as fn, arrays):
                params, body = fn.params, fn.body
            case c.Reduce(c.Lambda() as op, ne, arrays) | c.Scan(c.Lambda() as op, ne, arrays):
                params, body = op.params[len(ne) :], op.body
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
                | c.Let()
                | c.Assert()
            ):
                return None
        if self.calls(c.tuple_exp(*arrays, *ne)) or not all(map(is_scalar, params)):
            return None
        names = [
            self.let(links, "xs", c.Array(p.type), x) for p, x in zip(params, arrays, strict=True)
        ]
        n = self.let(links, "n", I64, self.together(names, params, links))
        i = self.fresh("i")
        self.types[i] = I64
        accs = op.params[: len(ne)] if isinstance(e, c.Reduce | c.Scan) else ()
        results = [c.Binder(self.fresh("r"), _elem(b.type)) for b in bs]
        out: list[c.Binder] = []
        first: list[Exp] = []
        if not isinstance(e, c.Reduce):
            out = [c.Binder(self.fresh("out"), c.Array(r.type)) for r in results]
            first = [c.Scratch(c.Var(n), _elem(r.type)) for r in results]
        self.types |= {b.name: b.type for b in (*out, *results)}
        written = [
            c.Update(c.Var(o.name), (c.Fix(c.Var(i)),), c.Var(r.name))
            for o, r in zip(out, results, strict=False)
        ]
        after: list[Exp] = [*variables(results[: len(accs)]), *written]
        new: Exp = c.Let(tuple(results), body, _several(after), e.at)
        for p, x in reversed(list(zip(params, names, strict=True))):
            new = c.Let((p,), c.Index(c.Var(x), (c.Fix(c.Var(i)),), e.at), new, e.at)
        return c.Loop((*accs, *out), (*ne, *first), c.For(i, c.Var(n)), new, e.at)

    def histogram(
        self, e: c.Hist, bs: tuple[c.Binder, ...], links: list[c.Let | c.Assert]
    ) -> c.Loop | None:
        """Return a histogram as a loop that applies the operator at indices in bounds.

        if 0 <= j && j < length dest
          then let a = dest[j] let x = vs[i] let r = op a x in dest with [j] = r else dest
        """
        t = self.types.get(e.indices.name) if isinstance(e.indices, c.Var) else None
        op, k, at = e.op, len(e.dest), e.at
        if not isinstance(op, c.Lambda) or t is None or _elem(t) is not I64:
            return None
        if self.calls(c.tuple_exp(*e.ne, *e.dest, e.indices, *e.values)):
            return None
        if not all(map(is_scalar, op.params)):
            return None
        integer = c.Binder(self.fresh("j"), I64)
        given = (integer, *op.params[k:])
        names = [
            self.let(links, "xs", c.Array(p.type), x)
            for p, x in zip(given, (e.indices, *e.values), strict=True)
        ]
        n = self.let(links, "n", I64, self.together(names, given, links))
        olds = [c.Binder(self.fresh("old"), unsized(b.type)) for b in bs]
        init: list[Exp] = list(e.dest)
        if k > 1:
            init = [
                c.Var(self.let(links, "dest", b.type, x)) for b, x in zip(olds, init, strict=True)
            ]
            self.together([x.name for x in init if isinstance(x, c.Var)], op.params[:k], links)
        i = self.fresh("i")
        out = [c.Binder(self.fresh("out"), b.type) for b in olds]
        results = [c.Binder(self.fresh("r"), _elem(b.type)) for b in bs]
        self.types |= {b.name: b.type for b in (*out, *results, integer)} | {i: I64}
        j = c.Var(integer.name)
        written: list[Exp] = [
            c.Update(c.Var(o.name), (c.Fix(j),), c.Var(r.name))
            for o, r in zip(out, results, strict=True)
        ]
        changed: Exp = c.Let(tuple(results), op.body, _several(written), at)
        sources = [c.Index(c.Var(o.name), (c.Fix(j),), at) for o in out]
        sources += [c.Index(c.Var(x), (c.Fix(c.Var(i)),), at) for x in names[1:]]
        for p, x in reversed(list(zip(op.params, sources, strict=True))):
            changed = c.Let((p,), x, changed, at)
        size = c.Length(c.Var(out[0].name))
        below = c.If(binary(BinOp.LT, j, size), changed, _several(list(variables(out))), at)
        inside = c.If(binary(BinOp.GE, j, int64(0)), below, _several(list(variables(out))), at)
        first = c.Index(c.Var(names[0]), (c.Fix(c.Var(i)),), at)
        body = c.Let((integer,), first, inside, at)
        return c.Loop(tuple(out), tuple(init), c.For(i, c.Var(n)), body, at)

    def flattened(
        self, e: c.Hist, indices: c.Zip, bs: tuple[c.Binder, ...], links: list[c.Let | c.Assert]
    ) -> Exp | None:
        r"""Return a histogram over tuples of indices by one over positions in the destinations,
        flattened; None unless its elements are scalars.

        map (\(j k) -> if (j, k) is in bounds then j * n + k else -1) (js, ks)
        """
        rank, at = len(indices.arrays), e.at
        elems = [_elem(b.type, rank) for b in bs]
        given = (*e.ne, *e.dest, indices, *e.values)
        if self.calls(c.tuple_exp(*given)) or not all(isinstance(t, ScalarType) for t in elems):
            return None
        dest = [
            self.let(links, "dest", unsized(b.type), x) for b, x in zip(bs, e.dest, strict=True)
        ]
        sizes = [self.let(links, "n", I64, c.Length(c.Var(dest[0]), d, at)) for d in range(rank)]
        for x, (d, n) in product(dest[1:], enumerate(sizes)):
            same = binary(BinOp.EQ, c.Length(c.Var(x), d, at), c.Var(n))
            links.append(c.Assert(same, SHAPES, (), c.Fields(()), at))
        js = tuple(c.Binder(self.fresh("j"), I64) for _ in sizes)
        place: Exp = c.Var(js[0].name)
        for j, n in zip(js[1:], sizes[1:], strict=True):
            place = binary(BinOp.ADD, binary(BinOp.MUL, place, c.Var(n)), c.Var(j.name))
        for j, n in zip(js, sizes, strict=True):
            place = c.If(binary(BinOp.LT, c.Var(j.name), c.Var(n)), place, int64(-1), at)
            place = c.If(binary(BinOp.GE, c.Var(j.name), int64(0)), place, int64(-1), at)
        where = c.Map(c.Lambda(js, place), tuple(x for _, x in indices.arrays), at)
        places = c.Var(self.let(links, "places", c.Array(I64), where))
        flat = tuple(c.Binder(self.fresh("flat"), c.Array(t)) for t in elems)
        self.types |= {b.name: b.type for b in flat}
        into = tuple(c.Flatten(rank, c.Var(x), at) for x in dest)
        before, new = self.bound(c.Hist(e.op, e.ne, into, places, e.values, at), flat)
        links += [*before, c.Let(flat, new, c.Fields(()), at)]
        shape = tuple(c.Var(n) for n in sizes)
        return _several([c.Unflatten(shape, x, at) for x in variables(flat)])

    def together(
        self, names: Sequence[Name], params: Sequence[c.Binder], links: list[c.Let | c.Assert]
    ) -> Exp:
        """Return the length of arrays; the program traps unless all have it."""
        if len(names) == 1:
            return c.Length(c.Var(names[0]))
        own = tuple(c.Binder(self.fresh(p.name), p.type) for p in params)
        both = c.Map(c.Lambda(own, c.Const(True, BOOL)), tuple(map(c.Var, names)))
        return c.Length(c.Var(self.let(links, "together", c.Array(BOOL), both)))

    # ------------------------------------------------------------------ loops as definitions

    def definition(self, e: c.Loop) -> Exp:
        """Add the definition that a loop becomes; return its call."""
        counted = isinstance(e.form, c.For)
        body = self.exp(e.body, [p.type for p in e.params])
        own = {p.name for p in e.params} | ({e.form.index} if isinstance(e.form, c.For) else set())
        cond = e.form.cond if isinstance(e.form, c.While) else None
        uses = dict.fromkeys((*free_names(body), *(free_names(cond) if cond else ())))
        free = [
            c.Binder(x, unsized(self.types[x])) for x in uses if x in self.types and x not in own
        ]
        name = self.fresh(f"{self.d.name}_loop")
        index: tuple[c.Binder, ...] = ()
        given: tuple[Exp, ...] = ()
        if isinstance(e.form, c.For):
            n = c.Binder(self.fresh("n"), I64)
            index, given = (n, c.Binder(e.form.index, I64)), (e.form.bound, int64(0))
            cond = binary(BinOp.LT, c.Var(e.form.index), c.Var(n.name))
        assert cond is not None
        params = tuple(c.Binder(p.name, unsized(p.type)) for p in e.params)
        after = tuple(c.Binder(self.fresh(p.name), p.type) for p in params)
        next_ = (
            (c.Var(index[0].name), binary(BinOp.ADD, c.Var(index[1].name), int64(1)))
            if counted
            else ()
        )
        again = c.App(c.Global(name), (*variables(free), *next_, *variables(after)), e.at)
        step = c.Let(after, body, again, e.at)
        whole = c.If(cond, step, _several(list(variables(params))), e.at)
        types = [unsized(p.type) for p in params]
        result = types[0] if len(types) == 1 else c.tuple_type(*types)
        every = (*free, *index, *params)
        t = c.arrow([b.type for b in every], result)
        self.made.append(Def(name, (), t, self.renamed(c.Lambda(every, whole, e.at)), e.at))
        return c.App(c.Global(name), (*variables(free), *given, *e.init), e.at)

    def renamed(self, e: c.Lambda) -> Exp:
        """Return a function with names of its own."""
        return Unique({}, self.fresh).exp(e, {})


def _several(xs: Sequence[Exp]) -> Exp:
    return xs[0] if len(xs) == 1 else c.tuple_exp(*xs)


def _elem(t: Type, rank: int = 1) -> Type:
    for _ in range(rank):
        t = t.elem if isinstance(t, c.Array) else t
    return t
