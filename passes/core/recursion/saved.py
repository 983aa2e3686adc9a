r"""Arrays that are needed after a call are kept in a growing array, the store (Core -> Core).

    def f = \(k : i64) (xs : []i32) ->
      if k == 0 then xs else let r = f (k - 1) (map g xs) in map (+) xs r

    ->  def f = \(k : i64) (xs : []i32) -> let (r, store) = f_saved k xs (replicate 0 0) 0 in r

        def f_saved = \(k : i64) (xs : []i32) (store : []i32) (used : i64) ->
          if k == 0 then (xs, store) else
            let n = length xs
            let store = store, if it is too short twice as long       -- roughly
            let store = store with [used : used + n] = xs
            let (r, store) = f_saved (k - 1) (map g xs) store (used + n)
            let xs = store[used : used + n]
            in (map (+) xs r, store)

A frame of the stack (machine.py) holds scalars: how much of the store is used, and how long each
array is.  There is a store for each scalar type.  Of an array of arrays the lengths of the rows and
the elements are kept, so its rows may have any lengths.  A call writes only behind what is used
when it begins; the caller's arrays stay as they are.

Array parameters that all calls pass on unchanged are in scope everywhere, and are not kept.
"""

from collections.abc import Iterator, Mapping, Sequence

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.core_types import applied
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.passes.core.names import binders, free_names, inside
from funmem.passes.core.recursion.parts import (
    before,
    binary,
    definitions_in,
    int64,
    is_scalar,
    renamed,
    rewrapped,
    several,
    spelt_out,
    variables,
    zero,
)

Stores = dict[ScalarType, tuple[Name, Name]]
"""For each scalar type the names of the store, and of how many elements of it are used."""


def with_stores(group: Sequence[Def], fresh: Fresh) -> list[Def]:
    """Return mutually recursive definitions that keep their arrays, and wrappers of the old names;
    the definitions themselves if no array is needed after a call, or if one has an unusual form.
    """
    work = _Saving({d.name: d for d in group}, fresh)
    types = sorted(work.kept_types(), key=lambda t: t.value)
    if not types:
        return list(group)
    work.types = tuple(types)
    work.new = {d.name: fresh(f"{d.name}_saved") for d in group}
    return [x for d in group for x in work.definitions(d)]


@define(eq=False)
class _Saving:
    """The transformation of one group of definitions."""

    defs: Mapping[Name, Def]
    fresh: Fresh
    types: tuple[ScalarType, ...] = ()
    """The scalar types of the stores."""
    new: dict[Name, Name] = field(factory=dict)
    known: dict[Name, Type] = field(factory=dict)
    same: set[Name] = field(factory=set)
    """The array parameters that all calls pass on unchanged."""

    # ------------------------------------------------------------------ what has to be kept

    def kept_types(self) -> set[ScalarType]:
        """Return the scalar types of the arrays that are needed after a call, and of lengths."""
        for d in self.defs.values():
            if not isinstance(d.exp, c.Lambda):
                return set()
            self.known |= {b.name: b.type for x in inside(d.exp) for b in binders(x)}
        self.same = self._unchanged()
        found: set[ScalarType] = set()
        for d in self.defs.values():
            assert isinstance(d.exp, c.Lambda)
            for t in self._live(d.exp.body):
                elem: Type = t
                while isinstance(elem, c.Array):
                    elem = elem.elem
                if not isinstance(elem, ScalarType):
                    return set()
                found |= {elem, I64} if isinstance(t.elem, c.Array) else {elem}
        return found

    def _unchanged(self) -> set[Name]:
        """Return the array parameters of the only definition that its calls pass on."""
        if len(self.defs) > 1:
            return set()
        (d,) = self.defs.values()
        assert isinstance(d.exp, c.Lambda)
        alias = {p.name: p.name for p in d.exp.params}
        calls: list[tuple[Exp, ...]] = []
        for x in inside(d.exp):
            match x:
                case c.Let((b,), c.Coerce(c.Var(y)) | c.Copy(c.Var(y)) | c.Var(y)) if y in alias:
                    alias[b.name] = alias[y]
                case c.App(c.Global(name), args) if name == d.name:
                    calls.append(args)
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
                    pass
        return {
            p.name
            for k, p in enumerate(d.exp.params)
            if not is_scalar(p)
            and all(
                isinstance(x := args[k], c.Var) and alias.get(x.name) == p.name for args in calls
            )
        }

    def _live(self, e: Exp) -> Iterator[c.Array]:
        """Yield the types of the arrays that are needed after calls in an expression."""
        while isinstance(e, c.Let | c.Assert):
            if isinstance(e, c.Let) and self.calls(e.exp):
                yield from (t for _, t in self.needed(e))
                yield from self._live(e.exp)
            e = e.body
        if isinstance(e, c.If):
            yield from self._live(e.then)
            yield from self._live(e.orelse)

    def needed(self, e: c.Let) -> list[tuple[Name, c.Array]]:
        """Return the arrays that the body of a binding uses, and does not get from it."""
        own = {b.name for b in e.binders} | self.same
        names = (x for x in dict.fromkeys(free_names(e.body)) if x not in own)
        found = ((x, self.known.get(x)) for x in names)
        return [(x, t) for x, t in found if isinstance(t, c.Array)]

    def calls(self, *es: Exp) -> bool:
        """True if an expression calls one of the definitions."""
        return any(x in self.defs for e in es for x in definitions_in(e))

    # ------------------------------------------------------------------ definitions

    def definitions(self, d: Def) -> tuple[Def, Def]:
        """Return the definition that keeps its arrays, and the wrapper."""
        fn = d.exp
        assert isinstance(fn, c.Lambda)
        results = [unsized(t) for t in several(applied(d.type, len(fn.params)))]
        stores = [c.Binder(self.fresh("store"), c.Array(t)) for t in self.types]
        used = [c.Binder(self.fresh("used"), I64) for _ in self.types]
        own = zip(self.types, stores, used, strict=True)
        body = self.tail(fn.body, {t: (a.name, n.name) for t, a, n in own}, results)
        given = [*(unsized(p.type) for p in fn.params), *(b.type for b in (*stores, *used))]
        t = c.arrow(given, c.tuple_type(*results, *(b.type for b in stores)))
        params = (*fn.params, *stores, *used)
        new = Def(self.new[d.name], (), t, c.Lambda(params, body, fn.at), d.at)
        return new, self._wrapper(d, fn, results)

    def _wrapper(self, d: Def, fn: c.Lambda, results: Sequence[Type]) -> Def:
        """Return the definition of the old name, which begins with empty stores."""
        params = tuple(c.Binder(self.fresh(p.name), p.type) for p in fn.params)
        found = tuple(c.Binder(self.fresh("r"), t) for t in results)
        left = tuple(c.Binder(self.fresh("store"), c.Array(t)) for t in self.types)
        empty = [c.Replicate(int64(0), zero(t)) for t in self.types]
        args = (*variables(params), *empty, *(int64(0) for _ in self.types))
        call = c.App(c.Global(self.new[d.name]), args, fn.at)
        values = variables(found)
        value = values[0] if len(values) == 1 else c.tuple_exp(*values)
        body = c.Let((*found, *left), call, value, fn.at)
        return Def(d.name, (), d.type, c.Lambda(params, body, fn.at), d.at)

    # ------------------------------------------------------------------ expressions

    def tail(self, e: Exp, s: Stores, results: Sequence[Type]) -> Exp:
        """Return an expression that gives its results, of these types, and then the stores."""
        chain: list[c.Let | c.Assert] = []
        while isinstance(e, c.Let | c.Assert) and not self.calls(before(e)):
            chain.append(e)
            e = e.body
        return rewrapped(chain, self._end(e, s, results))

    def _end(self, e: Exp, s: Stores, results: Sequence[Type]) -> Exp:
        stores = [c.Var(s[t][0]) for t in self.types]
        match e:
            case c.Let() if self.calls(e.exp):
                return self._after_call(e, s, results)
            case c.If(cond, then, orelse, at) if not self.calls(cond):
                return c.If(cond, self.tail(then, s, results), self.tail(orelse, s, results), at)
            case c.Bin(BinOp.LAND | BinOp.LOR as op, a, b, at) if self.calls(b):
                return self._end(spelt_out(op, a, b, at), s, results)
            case c.App(c.Global(name), args, at) if name in self.defs:
                used = [c.Var(s[t][1]) for t in self.types]
                return c.App(c.Global(self.new[name]), (*args, *stores, *used), at)
            case c.Fields(fields):
                return c.tuple_exp(*(x for _, x in fields), *stores)
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
                bs = tuple(c.Binder(self.fresh("r"), t) for t in results)
                return c.Let(bs, e, c.tuple_exp(*variables(bs), *stores), e.at)

    def _after_call(self, e: c.Let, s: Stores, results: Sequence[Type]) -> Exp:
        """Return a binding that makes calls, where the arrays needed after it are kept."""
        links: list[c.Let | c.Assert] = []
        places: list[tuple[Name, c.Array, list[tuple[ScalarType, Name, Name]]]] = []
        now = dict(s)
        for x, t in self.needed(e):
            places.append((x, t, self._pushed(c.Var(x), t, now, links)))
        types = [unsized(b.type) for b in e.binders]
        call = self.tail(e.exp, now, types)
        after = {t: (self.fresh("store"), s[t][1]) for t in self.types}
        back: list[c.Let | c.Assert] = []
        image: dict[Name, Name] = {}
        for x, t, parts in places:
            image[x] = self._popped(x, t, iter(parts), after, back)
        self.known |= {new: self.known[x] for x, new in image.items()}
        rest = self.tail(renamed(e.body, image), after, results)
        stores = tuple(c.Binder(after[t][0], c.Array(t)) for t in self.types)
        whole = c.Let((*e.binders, *stores), call, rewrapped(back, rest), e.at)
        return rewrapped(links, whole)

    # ------------------------------------------------------------------ the stores

    def _let(self, links: list[c.Let | c.Assert], base: str, t: Type, e: Exp) -> Name:
        b = c.Binder(self.fresh(base), t)
        links.append(c.Let((b,), e, c.Fields(())))
        return b.name

    def _pushed(
        self, x: Exp, t: c.Array, s: Stores, links: list[c.Let | c.Assert]
    ) -> list[tuple[ScalarType, Name, Name]]:
        """Write an array behind what is used; return the type, start and end of each part."""
        if isinstance(t.elem, c.Array):
            name = self._let(links, "rows", unsized(t), x)
            row, inner = c.Binder(self.fresh("row"), unsized(t.elem)), unsized(t.elem)
            count = c.Lambda((row,), c.Length(c.Var(row.name)))
            lengths = self._pushed(c.Map(count, (c.Var(name),)), c.Array(I64), s, links)
            assert isinstance(inner, c.Array)
            return lengths + self._pushed(c.Flatten(2, c.Var(name)), inner, s, links)
        assert isinstance(t.elem, ScalarType)
        store, used = s[t.elem]
        own = c.Array(t.elem)
        name = self._let(links, "kept", own, x)
        n = self._let(links, "n", I64, c.Length(c.Var(name)))
        end = self._let(links, "used", I64, binary(BinOp.ADD, c.Var(used), c.Var(n)))
        room = self._let(links, "room", I64, c.Length(c.Var(store)))
        more = c.Replicate(binary(BinOp.MAX, c.Var(n), c.Var(room)), zero(t.elem))
        fits = binary(BinOp.LE, c.Var(end), c.Var(room))
        longer = c.Concat((c.Var(store), more))
        wide = self._let(links, "store", own, c.If(fits, c.Var(store), longer))
        where = c.Range(c.Var(used), c.Var(end), None)
        full = self._let(links, "store", own, c.Update(c.Var(wide), (where,), c.Var(name)))
        s[t.elem] = (full, end)
        return [(t.elem, used, end)]

    def _popped(
        self,
        x: Name,
        t: c.Array,
        parts: Iterator[tuple[ScalarType, Name, Name]],
        s: Stores,
        links: list[c.Let | c.Assert],
    ) -> Name:
        """Bind an array that was kept, in the order of :meth:`_pushed`."""
        elem, start, end = next(parts)
        where = c.Range(c.Var(start), c.Var(end), None)
        part = c.Copy(c.Index(c.Var(s[elem][0]), (where,)))
        if not isinstance(t.elem, c.Array):
            return self._let(links, x, c.Array(elem), part)
        lengths = self._let(links, "lengths", c.Array(I64), part)
        inner = unsized(t.elem)
        assert isinstance(inner, c.Array)
        data = self._popped(x, inner, parts, s, links)
        a, b, i = (self.fresh(y) for y in ("a", "b", "i"))
        both = binary(BinOp.ADD, c.Var(a), c.Var(b))
        add = c.Lambda((c.Binder(a, I64), c.Binder(b, I64)), both)
        sums = c.Scan(add, (int64(0),), (c.Var(lengths),))
        ends = self._let(links, "ends", c.Array(I64), sums)
        hi = c.Index(c.Var(ends), (c.Fix(c.Var(i)),))
        lo = binary(BinOp.SUB, hi, c.Index(c.Var(lengths), (c.Fix(c.Var(i)),)))
        row = c.Index(c.Var(data), (c.Range(lo, hi, None),))
        rows = c.Iota(c.Length(c.Var(lengths)), int64(0), int64(1))
        made = c.Map(c.Lambda((c.Binder(i, I64),), row), (rows,))
        return self._let(links, x, unsized(t), made)
