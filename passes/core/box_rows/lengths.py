r"""Which arrays may have rows of different lengths: the types of their elements.

An abstract evaluation of the entry points, with calls inlined (shapes.py has the values).  Rows
have one length if it depends on nothing inside the map that makes them, and if rows that come from
different places have lengths that are known to be equal:

    map (\row -> map f row) xs      one length, if the rows of xs have
    map (\i -> iota n) is           one length
    map (\i -> iota i) is           different lengths
    [iota n, iota m]                 different lengths, unless n and m are one name or constant

An array whose type states the lengths of its rows has rows of one length.  Maps and scans in the
body of an entry point itself are left out: ``flatten-nested`` stores their rows end to end.
"""

from collections.abc import Iterable, Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import parts, unsized
from funmem.ir.core_types import row, type_of
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.passes.core.box_rows.shapes import (
    NO,
    NOTHING,
    Shape,
    forgotten,
    joined,
    settled,
    together,
    unequal,
    unknown,
    varying,
)
from funmem.passes.core.box_rows.types import Opened, closed
from funmem.passes.core.tables.effects import Scopes

Env = dict[Name, Shape]
TURNS = 4
"""After so many turns, a loop's parameters may be anything."""


def ragged(p: CoreProgram, forced: Iterable[Type]) -> frozenset[Type]:
    """Return the types of the elements of rows whose lengths may differ; ``forced`` are among them.

    Names are unique in each definition.
    """
    work = Lengths(p, closed(forced, p.data))
    while True:
        before = work.boxed
        work.run()
        if work.boxed == before:
            return before


class Lengths:
    """The abstract evaluation of one program."""

    def __init__(self, p: CoreProgram, boxed: frozenset[Type]) -> None:
        self.p, self.boxed = p, boxed
        self._scopes, self._opened = Scopes(p), Opened(p.data)
        self._types: Mapping[Name, Type] = {}
        self._known: dict[tuple[Name, tuple[Shape, ...], int], Shape] = {}
        self._open: list[Name] = []
        self._depth = 0
        self._made = 0
        """The number of the call that is being evaluated."""
        self._calls = 0
        self._found = set[Type]()

    def run(self) -> None:
        """Evaluate all entry points, and add what is found to ``boxed``."""
        self._known.clear()
        for e in self.p.entries:
            self._types = self._scopes.entry[e.name]
            env: Env = {x: Shape(symbol=(x,)) for x in e.sizes}
            for q in e.params:
                env[q.binder.name] = _given(q.binder.type, (q.binder.name,))
            self.exp(e.exp, env)
        self.boxed = closed(self.boxed | self._found, self.p.data)

    def flag(self, elems: Iterable[Type]) -> None:
        """Note the types of the elements of rows whose lengths may differ."""
        self._found |= {unsized(t) for t in elems}

    def type_of(self, e: Exp) -> Type:
        return self._opened.type(type_of(e, self._types, self._scopes.defs))

    # ------------------------------------------------------------------ expressions

    def exp(self, e: Exp, env: Env) -> Shape:
        """Return what is known of a value; names that the expression binds are added to ``env``."""
        while isinstance(e, c.Let | c.Assert):
            match e:
                case c.Let(binders, exp, body):
                    self._bind(binders, self.exp(exp, env), env)
                    e = body
                case c.Assert(cond, _, values, body):
                    for x in (cond, *values):
                        self.exp(x, env)
                    e = body
        return self._exp(e, env)

    def _bind(self, binders: Sequence[c.Binder], s: Shape, env: Env) -> None:
        if len(binders) == 1:
            (b,) = binders
            s = _of_type(s, b.type)
            if s.symbol is None and isinstance(b.type, ScalarType):
                s = Shape(s.value, s.length, ("let", b.name, self._made))
            env[b.name] = s
            return
        for k, b in enumerate(binders):
            part = s.fields[k][1] if s.fields else Shape(s.value, s.length)
            env[b.name] = _of_type(part, b.type)

    def _exp(self, e: c.EndExp, env: Env) -> Shape:
        match c.closed_end(e):
            case c.Var(name):
                return env[name]
            case c.Const(value):
                return Shape(symbol=("const", value))
            case c.Global(name):
                return self._call(name, ())
            case c.App(c.Global(name), args):
                return self._call(name, tuple([self.exp(x, env) for x in args]))
            case c.If(cond, then, orelse):
                chosen = self.exp(cond, env).values()
                return joined(self.exp(then, env), self.exp(orelse, env), chosen)
            case c.Match() as made:
                return self._match(made, env)
            case c.Loop() as made:
                return self._loop(made, env)
            case c.Fields(fields):
                named = tuple((x, self.exp(y, env)) for x, y in fields)
                marks = together(s for _, s in named)
                return Shape(marks.value, marks.length, fields=named)
            case c.Project(exp, label):
                return self.exp(exp, env).part(label)
            case c.Convert(_, a):
                return self.exp(a, env)
            case c.Bin(op, a, b):
                x, y = self.exp(a, env), self.exp(b, env)
                known = x.symbol is not None and y.symbol is not None
                return Shape(x.value | y.value, symbol=(op, x.symbol, y.symbol) if known else None)
            case c.Un() | c.Equal():
                return Shape(together(self.exp(x, env) for x in parts(e)).value)
            case c.Construct(_, args):
                given = [self.exp(x, env) for x in args]
                return Shape(together(given).value, NO.union(*(s.lengths() for s in given)))
            case c.Lambda() | c.Mu() as made:
                return self._function(made, env, [])
            case c.App() | c.Foreign():
                s = together(self.exp(x, env) for x in parts(e))
                return _of_type(s, self.type_of(e))
            case c.ArrayAccess() as made:
                return self._access(made, env)
            case c.FreshArray() as made:
                return self._fresh(made, env)
            case c.DerivedArray() as made:
                return self._derived(made, env)
            case c.InPlace() as made:
                return self._changed(made, env)
            case c.ParallelOperation() as made:
                return self._parallel(made, env)

    def _call(self, name: Name, args: tuple[Shape, ...]) -> Shape:
        """Return the value of a call; of a recursive one, what its arguments say."""
        d = self._scopes.defs[name]
        key = (name, args, self._depth)
        if key in self._known:
            return self._known[key]
        if name in self._open or (args and not isinstance(d.exp, c.Lambda)):
            return together(args)
        types, self._types = self._types, self._scopes.definition[name]
        outer, self._calls = self._made, self._calls + 1
        self._made = self._calls
        self._open.append(name)
        self._depth += 1
        if isinstance(d.exp, c.Lambda) and args:
            names = [b.name for b in d.exp.params]
            found = self.exp(d.exp.body, dict(zip(names, args, strict=False)))
        elif isinstance(d.exp, c.Lambda):
            found = Shape()
        else:
            found = self.exp(d.exp, {})
        self._depth -= 1
        self._open.pop()
        self._types = types
        found = forgotten(found, self._made)
        self._made = outer
        self._known[key] = found
        return found

    def _match(self, e: c.Match, env: Env) -> Shape:
        of = self.exp(e.exp, env)
        found: list[Shape] = []
        payload = Shape(of.value, of.length | (of.value if self._loose(e.exp) else NO))
        for a in e.arms:
            env |= {b.name: payload for b in a.binders}
            found.append(self.exp(a.body, env))
        if e.default is not None:
            found.append(self.exp(e.default, env))
        out = found[0]
        for s in found[1:]:
            out = joined(out, s, of.values())
        return out

    def _loose(self, e: Exp) -> bool:
        """True if arrays in values of an expression's type have any lengths."""
        t = self.type_of(e)
        return isinstance(t, c.Data) or any(unsized(u) in self.boxed for u in unknown(t))

    def _loop(self, e: c.Loop, env: Env) -> Shape:
        """Return the last values of a loop's parameters.

        What a turn makes is new in each turn, so a length stays known only if no turn changes it.
        """
        now = [self.exp(x, env) for x in e.init]
        bound = self.exp(e.form.bound, env).values() if isinstance(e.form, c.For) else NO
        for turn in range(TURNS):
            for p, s in zip(e.params, now, strict=True):
                env[p.name] = s
            turns = bound
            if isinstance(e.form, c.For):
                env[e.form.index] = Shape(bound)
            else:
                turns = self.exp(e.form.cond, env).values()
            end = self.exp(e.body, env)
            ends = [end] if len(now) == 1 else [end.part(str(k)) for k in range(len(now))]
            after = [settled(a, b, turns) for a, b in zip(now, ends, strict=True)]
            if after == now:
                break
            if turn == TURNS - 2:
                marks = together((*after, Shape(turns)))
                after = [marks for _ in after]
            now = after
        if len(now) == 1:
            return now[0]
        marks = together(now)
        fields = tuple((str(k), s) for k, s in enumerate(now))
        return Shape(marks.value, marks.length, fields=fields)

    def _stated(self, s: Shape, t: Type, env: Env) -> Shape:
        """Return a value with the lengths that a type states."""
        if not isinstance(t, c.Array):
            return s
        inner = self._stated(s.element(), t.elem, env)
        if t.size is None:
            return Shape(s.value, s.length, s.symbol, inner)
        names = {x: env.get(x, Shape(symbol=(x,))) for x in sorted(t.size.free())}
        length = NO.union(*(k.value for k in names.values()))
        if t.size.as_name is not None:
            return Shape(s.value, length, names[t.size.as_name].symbol, inner)
        if t.size.as_const is not None:
            return Shape(s.value, length, ("const", t.size.as_const), inner)
        known = all(k.symbol is not None for k in names.values())
        own = ("size", str(t.size), *(k.symbol for k in names.values()))
        return Shape(s.value, length, own if known else None, inner)

    # ------------------------------------------------------------------ arrays

    def _access(self, e: c.AccessExp, env: Env) -> Shape:
        match e:
            case c.Length(array, dim):
                s = self.exp(array, env)
                for _ in range(dim):
                    s = s.element()
                return Shape(s.length, symbol=s.symbol)
            case c.Index(array, dims):
                return self._index(self.exp(array, env), self.type_of(array), dims, env)
            case c.Coerce(exp, t):
                return self._stated(self.exp(exp, env), t, env)
            case c.FlatSlice():
                return together(self.exp(x, env) for x in parts(e))

    def _index(self, s: Shape, t: Type, dims: Sequence[c.Dim], env: Env) -> Shape:
        if not dims:
            return s
        first, *others = dims
        inner = self._index(s.element(), row(t), others, env)
        match first:
            case c.Fix(index):
                where = self.exp(index, env).value
                loose = any(unsized(u) in self.boxed for u in unknown(row(t)))
                return inner.also(where, where if loose else NO)
            case c.Range(lo, hi, step):
                bounds = [x for x in (lo, hi, step) if x is not None]
                if not bounds:
                    return Shape(s.value | inner.value, s.length, s.symbol, inner)
                ends = [self.exp(x, env) for x in bounds]
                marks = together(ends).value
                known = len(ends) == 2 and step is None and None not in [x.symbol for x in ends]
                symbol = ("slice", *(x.symbol for x in ends)) if known else None
                return Shape(s.value | marks, s.length | marks, symbol, inner)

    def _fresh(self, e: c.FreshExp, env: Env) -> Shape:
        match e:
            case c.ArrayLit(elems, elem):
                rows = [_of_type(self.exp(x, env), elem) for x in elems]
                elem = self._opened.type(elem)
                return Shape(
                    together(rows).value,
                    NO.union(*(s.lengths() for s in rows)),
                    ("const", len(rows)),
                    self._meet(rows, elem),
                )
            case c.Iota(n, start, step):
                k = self.exp(n, env)
                marks = together((k, self.exp(start, env), self.exp(step, env))).value
                return Shape(marks, k.value, k.symbol, Shape(marks))
            case c.Replicate(n, value):
                k, s = self.exp(n, env), _of_type(self.exp(value, env), self.type_of(value))
                return Shape(k.value | s.values(), k.value | s.lengths(), k.symbol, s)
            case c.Scratch(n, elem):
                k = self.exp(n, env)
                inner = self._stated(Shape(), elem, env)
                return Shape(k.value, k.value, k.symbol, inner)
            case c.Copy(exp):
                return self.exp(exp, env)
            case c.Concat(arrays):
                every = [self.exp(x, env) for x in arrays]
                inner = self._meet([s.element() for s in every], row(self.type_of(e)))
                length = NO.union(*(s.length for s in every))
                return Shape(together(every).value, length, None, inner)

    def _meet(self, rows: Sequence[Shape], t: Type) -> Shape:
        """Return the elements of an array that has all of these; flag what may differ."""
        if not rows:
            return NOTHING
        out = rows[0]
        for s in rows[1:]:
            self.flag(unequal(out, s, t))
            out = joined(out, s)
        return out

    def _derived(self, e: c.DerivedExp, env: Env) -> Shape:
        match e:
            case c.Reverse(array):
                return self.exp(array, env)
            case c.Zip(arrays):
                columns = [(x, self.exp(y, env)) for x, y in arrays]
                marks = together(s for _, s in columns)
                inner = Shape(
                    marks.value,
                    NO.union(*(s.element().lengths() for _, s in columns)),
                    fields=tuple((x, s.element()) for x, s in columns),
                )
                first = columns[0][1]
                return Shape(marks.value, marks.length, first.symbol, inner)
            case c.Unzip(array):
                s, t = self.exp(array, env), row(self.type_of(array))
                assert isinstance(t, c.Record)
                labels = [x for x, _ in t.fields]
                columns = [
                    (x, Shape(s.value, s.length, s.symbol, s.element().part(x))) for x in labels
                ]
                return Shape(s.value, s.length, fields=tuple(columns))
            case c.Rearrange(perm, array):
                s = self.exp(array, env)
                levels = [s]
                for _ in perm[1:]:
                    levels.append(levels[-1].element())
                part = levels[-1].row
                for d in reversed(perm):
                    part = Shape(s.value, s.lengths(), levels[d].symbol, part)
                return s if part is None else part
            case c.Flatten(depth, array):
                s = self.exp(array, env)
                inner = s
                for _ in range(depth):
                    inner = inner.element()
                return Shape(s.value, s.lengths(), None, inner)
            case c.Unflatten(sizes, array):
                s, counts = self.exp(array, env), [self.exp(x, env) for x in sizes]
                inner = s.element()
                for n in reversed(counts):
                    inner = Shape(s.value, n.value | inner.length, n.symbol, inner)
                return inner

    def _changed(self, e: c.InPlaceExp, env: Env) -> Shape:
        match e:
            case c.Update(array, dims, value):
                s, new = self.exp(array, env), self.exp(value, env)
                places = [x for d in dims for x in _bounds(d)]
                marks = together(self.exp(x, env) for x in places).value | new.values()
                old, t = s, self.type_of(array)
                for _ in dims:
                    old, t = old.element(), row(t)
                if any(isinstance(d, c.Range) for d in dims):
                    new = new.element()
                self.flag(unequal(old, new, t))
                return s.also(marks)
            case c.Scatter(dest, indices, values):
                s, i, v = self.exp(dest, env), self.exp(indices, env), self.exp(values, env)
                self.flag(unequal(s.element(), v.element(), row(self.type_of(dest))))
                return s.also(i.values() | v.values())
            case c.FlatUpdate():
                return together(self.exp(x, env) for x in parts(e))

    # ------------------------------------------------------------------ in parallel

    def _parallel(self, e: c.ParallelExp, env: Env) -> Shape:
        match e:
            case c.Map(fn, arrays):
                return self._map(fn, [self.exp(x, env) for x in arrays], env)
            case c.Filter(fn, array):
                s = self.exp(array, env)
                marks = s.values() | self._function(fn, env, [s.element()]).values()
                return Shape(marks, marks, None, s.element())
            case c.Scan(op, ne, arrays):
                every = [self.exp(x, env) for x in (*ne, *arrays)]
                types = [row(self.type_of(x)) for x in arrays]
                one = [_given(u, ("scan", self._depth, k)) for k, u in enumerate(types)]
                out = self._function(op, env, [*one, *one])
                if self._open or self._depth:  # others are left to flatten-nested
                    outs = [out] if len(types) == 1 else [out.part(str(k)) for k in range(len(one))]
                    for s, found, u in zip(one, outs, types, strict=True):
                        self.flag(unequal(s, found, u))
                return Shape(together((*every, out)).value, every[-1].length, every[-1].symbol)
            case c.Reduce(op):
                every = [self.exp(x, env) for x in parts(e) if x is not op]
                s = together((*every, self._function(op, env, [])))
                return _of_type(s, self.type_of(e))
            case c.Hist(op, _, dest):
                into = [self.exp(x, env) for x in dest]
                every = [self.exp(x, env) for x in parts(e) if x is not op]
                marks = together((*every, self._function(op, env, []))).value
                new = [s.also(marks) for s in into]
                if len(new) == 1:
                    return new[0]
                return Shape(marks, marks, fields=tuple((str(k), s) for k, s in enumerate(new)))
            case c.Segmented():
                return together(self.exp(x, env) for x in parts(e))

    def _map(self, fn: Exp, arrays: Sequence[Shape], env: Env) -> Shape:
        """Return the value of a map; flag rows whose lengths depend on its index."""
        if not isinstance(fn, c.Lambda):
            return together((*arrays, self.exp(fn, env)))
        self._depth += 1
        mark, in_entry = self._depth, not self._open
        for p, s in zip(fn.params, arrays, strict=True):
            env[p.name] = self._element(s.element(), self._opened.type(p.type), mark)
        body = self.exp(fn.body, env)
        self._depth -= 1
        t = self.type_of(fn.body)
        if not in_entry:
            self.flag(varying(body, t, mark))
        first, inner = arrays[0], _of_type(body.without(mark), t)
        outer = NO.union(*(s.length for s in arrays))
        whole = inner.values() | together(arrays).value
        return Shape(whole, outer | inner.lengths(), first.symbol, inner)

    def _element(self, s: Shape, t: Type, mark: int) -> Shape:
        """Return an element of an array at the index of a map."""
        here = frozenset((mark,))
        match t:
            case c.Array(elem):
                loose = here if unsized(elem) in self.boxed else NO
                inner = self._element(s.element(), elem, mark)
                symbol = None if loose else s.symbol
                return Shape(s.value | here, s.length | loose, symbol, inner)
            case c.Record(fields):
                own = tuple((x, self._element(s.part(x), u, mark)) for x, u in fields)
                lengths = NO.union(*(v.lengths() for _, v in own))
                return Shape(s.value | here, lengths, fields=own)
            case c.Sum():
                loose = here if any(unsized(u) in self.boxed for u in unknown(t)) else NO
                return Shape(s.value | here, s.length | loose)
            case c.Data() | c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                return Shape(s.value | here, s.length | here)

    def _function(self, fn: Exp, env: Env, args: Sequence[Shape]) -> Shape:
        """Return what the results of a function may depend on, of whose arguments nothing more is
        known than ``args``.
        """
        if isinstance(fn, c.Mu):
            fn = fn.fn
        if not isinstance(fn, c.Lambda):
            return self.exp(fn, env)
        for k, p in enumerate(fn.params):
            env[p.name] = args[k] if k < len(args) else Shape()
        return self.exp(fn.body, env)


def _given(t: Type, symbol: tuple[object, ...]) -> Shape:
    """Return a parameter of an entry point."""
    if isinstance(t, c.Array):
        own = symbol if t.size is None else ("size", str(t.size))
        return Shape(symbol=own, row=_given(t.elem, (*symbol, "row")))
    return Shape(symbol=symbol)


def _of_type(s: Shape, t: Type) -> Shape:
    """Return what is known of a value of a type: of a scalar, its number."""
    if isinstance(t, ScalarType | c.Token):
        return Shape(s.values(), symbol=s.symbol)
    return s


def _bounds(d: c.Dim) -> Iterable[Exp]:
    match d:
        case c.Fix(index):
            yield index
        case c.Range(lo, hi, step):
            yield from (x for x in (lo, hi, step) if x is not None)
