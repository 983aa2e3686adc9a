r"""Expressions with boxed vectors.

An array that becomes nested is boxed, and one that is taken out is unboxed:

    [xs, ys]              ->   [#boxed xs, #boxed ys]
    m[i]                  ->   match m[i] { #boxed r -> r }
    map (\r -> e) m       ->   map (\(v : Row) -> e, with match v { #boxed r -> r } for r) m
    m with [i, j] = x     ->   m with [i] = #boxed (m[i], unboxed, with [j] = x)

A name from a pattern or of a lambda is unboxed where it is used, so that calls of recursive
functions keep vectors, which are numbers, and no arrays.
"""

from collections.abc import Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import map_dim, map_parts, unsized
from funmem.ir.core_types import Defs, row, type_of
from funmem.ir.diagnostics import Span
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import ScalarType
from funmem.passes.core.box_rows.types import Boxes
from funmem.passes.core.tables.families import BOXED


class Refused(Exception):
    """An operation that needs rows of one length: ``what``, at a place."""

    def __init__(self, what: str, at: Span) -> None:
        super().__init__(what)
        self.what, self.at = what, at


class Boxing:
    """The translation of one entry point or definition."""

    def __init__(
        self,
        boxes: Boxes,
        types: Mapping[Name, Type],
        defs: Defs,
        sums: Mapping[Name, c.Sum],
        fresh: Fresh,
    ) -> None:
        self.boxes, self._types, self._defs, self._fresh = boxes, types, defs, fresh
        self._sums = sums
        """The data types before the pass."""
        self._given: dict[Name, Name] = {}
        """The parameters of an entry point, and the names of what they are converted to."""
        self._vectors: dict[Name, tuple[Name, Type]] = {}
        """The names that stand for the arrays of vectors: the vectors, and the arrays' types."""

    # ------------------------------------------------------------------ definitions, entry points

    def definition(self, d: c.Def) -> c.Def:
        """Translate a definition.  A constant keeps its type, and is converted at each use."""
        if isinstance(d.exp, c.Lambda):
            fn = c.Lambda(tuple(map(self._binder, d.exp.params)), self.exp(d.exp.body), d.exp.at)
            return c.Def(d.name, d.tparams, self.boxes.value(d.type), fn, d.at)
        return c.Def(d.name, d.tparams, d.type, self._outward(self.exp(d.exp), d.type, d.at), d.at)

    def entry(self, e: c.Entry) -> c.Entry:
        """Translate an entry point, whose parameters and results keep their types."""
        converted: list[tuple[c.Binder, Exp]] = []
        for q in e.params:
            b = q.binder
            if self.boxes.value(b.type) != b.type:
                new = c.Binder(self._fresh(b.name), self.boxes.value(b.type))
                converted.append((new, self._inward(c.Var(b.name, e.at), b.type, e.at)))
                self._given[b.name] = new.name
        body = self._outward(self.exp(e.exp), e.result, e.at)
        for new, value in reversed(converted):
            body = c.Let((new,), value, body, e.at)
        return c.Entry(e.name, e.sizes, e.params, e.result, body, e.at)

    def _binder(self, b: c.Binder) -> c.Binder:
        return c.Binder(b.name, self.boxes.value(b.type))

    def _type(self, e: Exp) -> Type:
        return type_of(e, self._types, self._defs)

    # ------------------------------------------------------------------ boxed and unboxed

    def boxed(self, e: Exp, t: Type, at: Span) -> Exp:
        """Return a value of type t as a cell."""
        if self.boxes.cell(t) == self.boxes.value(t):
            return e
        match t:
            case c.Array(elem):
                return c.Construct(BOXED, (e,), self.boxes.vector(elem), at)
            case c.Record(fields) if isinstance(e, c.Fields):
                pairs = zip(e.fields, fields, strict=True)
                return c.Fields(tuple((x, self.boxed(y, u, at)) for (x, y), (_, u) in pairs), at)
            case c.Record(fields):
                whole = c.Binder(self._fresh("whole"), self.boxes.value(t))
                made = (
                    (x, self.boxed(c.Project(c.Var(whole.name), x, at), u, at)) for x, u in fields
                )
                return c.Let((whole,), e, c.Fields(tuple(made), at), at)
            case c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                raise TypeError(f"a cell of type {t}")

    def unboxed(self, e: Exp, t: Type, at: Span) -> Exp:
        """Return a cell of type t as a value."""
        if self.boxes.cell(t) == self.boxes.value(t):
            return e
        match t:
            case c.Array(elem):
                b = c.Binder(self._fresh("row"), unsized(self.boxes.value(c.Array(elem))))
                return c.Match(e, (c.Arm(BOXED, (b,), c.Var(b.name, at)),), None, at)
            case c.Record(fields):
                whole = c.Binder(self._fresh("whole"), self.boxes.cell(t))
                made = (
                    (x, self.unboxed(c.Project(c.Var(whole.name), x, at), u, at)) for x, u in fields
                )
                return c.Let((whole,), e, c.Fields(tuple(made), at), at)
            case c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                raise TypeError(f"a cell of type {t}")

    def _inward(self, e: Exp, t: Type, at: Span) -> Exp:
        """Return a value without vectors as one with vectors."""
        return self._converted(e, t, at, inward=True)

    def _outward(self, e: Exp, t: Type, at: Span) -> Exp:
        """Return a value with vectors as one without."""
        return self._converted(e, t, at, inward=False)

    def _converted(self, e: Exp, t: Type, at: Span, *, inward: bool) -> Exp:
        if self.boxes.value(t) == t:
            return e
        match t:
            case c.Array(elem):
                x = c.Binder(self._fresh("x"), elem if inward else self.boxes.cell(elem))
                body: Exp = c.Var(x.name, at)
                if inward:
                    body = self.boxed(self._inward(body, elem, at), elem, at)
                else:
                    body = self._outward(self.unboxed(body, elem, at), elem, at)
                return c.Map(c.Lambda((x,), body, at), (e,), at)
            case c.Record(fields):
                own = c.Binder(self._fresh("whole"), t if inward else self.boxes.value(t))
                parts = (
                    (x, self._converted(c.Project(c.Var(own.name), x, at), u, at, inward=inward))
                    for x, u in fields
                )
                return c.Let((own,), e, c.Fields(tuple(parts), at), at)
            case c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                raise Refused("a sum with rows of different lengths at an entry point", at)

    # ------------------------------------------------------------------ expressions

    def exp(self, e: Exp) -> Exp:
        """Return a value with vectors."""
        links: list[c.Let | c.Assert] = []
        while isinstance(e, c.Let | c.Assert):
            match e:
                case c.Let(binders, exp, body, at):
                    own = tuple(map(self._binder, binders))
                    links.append(c.Let(own, self.exp(exp), c.Fields(()), at))
                case c.Assert(cond, message, values, body, at):
                    shown = tuple(map(self.exp, values))
                    links.append(c.Assert(self.exp(cond), message, shown, c.Fields(()), at))
            e = body
        out = self._end(e)
        for link in reversed(links):
            match link:
                case c.Let(binders, exp, _, at):
                    out = c.Let(binders, exp, out, at)
                case c.Assert(cond, message, values, _, at):
                    out = c.Assert(cond, message, values, out, at)
        return out

    def _end(self, e: c.EndExp) -> Exp:
        match c.closed_end(e):
            case c.Var(name, at) if name in self._vectors:
                vector, t = self._vectors[name]
                return self.unboxed(c.Var(vector, at), t, at)
            case c.Var(name, at):
                return c.Var(self._given.get(name, name), at)
            case c.Global(name, _, at) if not isinstance(self._defs[name].exp, c.Lambda):
                return self._inward(e, self._defs[name].type, at)
            case c.Match() as made:
                return self._match(made)
            case c.Construct(name, args, t, at):
                payload = self._payload(t, name)
                cells = (self.boxed(self.exp(x), u, at) for x, u in zip(args, payload, strict=True))
                new = self.boxes.value(t)
                assert isinstance(new, c.Sum | c.Data)
                return c.Construct(name, tuple(cells), new, at)
            case c.Foreign(name, args, t, _, at):
                if any(self.boxes.value(u) != u for u in (t, *map(self._type, args))):
                    raise Refused(f"`{name}`, a foreign function with such rows", at)
                return map_parts(e, self.exp, self.boxes.value)
            case c.Leaf() | c.FunctionOperation() | c.Control() | c.RecordOperation():
                return map_parts(e, self.exp, self.boxes.value)
            case c.ScalarOperation():
                return map_parts(e, self.exp, self.boxes.value)
            case (c.ArrayAccess() | c.FreshArray()) as made:
                return self._made(made)
            case (c.DerivedArray() | c.InPlace()) as made:
                return self._changed(made)
            case c.ParallelOperation() as made:
                return self._parallel(made)

    def _payload(self, t: c.Sum | c.Data, name: str) -> tuple[Type, ...]:
        return (t if isinstance(t, c.Sum) else self._sums[t.name]).payload(name)

    def _pattern(self, b: c.Binder, at: Span) -> tuple[c.Binder, list[c.Let]]:
        """Return the binder of a cell, and what binds the name to its value.

        A vector gets no binding: its name stands for its array.
        """
        cell = self.boxes.cell(b.type)
        if cell == self.boxes.value(b.type):
            return c.Binder(b.name, cell), []
        new = c.Binder(self._fresh(b.name), cell)
        if self.boxes.is_boxed(b.type):
            self._vectors[b.name] = new.name, b.type
            return new, []
        value = self.unboxed(c.Var(new.name, at), b.type, at)
        return new, [c.Let((self._binder(b),), value, c.Fields(()), at)]

    def _inside(
        self, binders: Sequence[c.Binder], body: Exp, at: Span
    ) -> tuple[tuple[c.Binder, ...], Exp]:
        """Return the binders of cells, and the body in their scope."""
        found = [self._pattern(b, at) for b in binders]
        out = self.exp(body)
        for _, lets in reversed(found):
            for let in lets:
                out = c.Let(let.binders, let.exp, out, at)
        return tuple(b for b, _ in found), out

    def _match(self, e: c.Match) -> Exp:
        of, arms = self.exp(e.exp), list[c.Arm]()
        for a in e.arms:
            binders, body = self._inside(a.binders, a.body, e.at)
            arms.append(c.Arm(a.constructor, binders, body))
        default = None if e.default is None else self.exp(e.default)
        return c.Match(of, tuple(arms), default, e.at)

    # ------------------------------------------------------------------ arrays

    def _regular(self, e: Exp, t: Type, depth: int, at: Span) -> None:
        """Refuse an operation on the outermost dimensions of an array if one of them is boxed."""
        for _ in range(depth - 1):
            t = row(t)
            if self.boxes.is_boxed(t):
                word = type(e).__name__.lower()
                raise Refused(f"`{word}` of rows whose lengths may differ", at)

    def _made(self, e: c.AccessExp | c.FreshExp) -> Exp:
        match e:
            case c.Length(array, dim, at):
                self._regular(e, self._type(array), dim + 1, at)
                return c.Length(self.exp(array), dim, at)
            case c.Index(array, dims, at):
                return self._index(self.exp(array), self._type(array), dims, at)
            case c.FlatSlice(_, _, dims, at):
                self._regular(e, self._type(e), len(dims), at)
                return map_parts(e, self.exp, self.boxes.value)
            case c.Coerce(exp, t, message, at):
                inner: Type = t
                while isinstance(inner, c.Array) and isinstance(inner.elem, c.Array):
                    inner = inner.elem
                    if self.boxes.is_boxed(inner) and inner.size is not None:
                        raise Refused("a coercion of rows whose lengths may differ", at)
                new = self.boxes.value(t)
                assert isinstance(new, c.Array)
                return c.Coerce(self.exp(exp), new, message, at)
            case c.ArrayLit(elems, elem, at):
                cells = tuple(self.boxed(self.exp(x), elem, at) for x in elems)
                return c.ArrayLit(cells, self.boxes.cell(elem), at)
            case c.Replicate(n, value, at):
                count = self.exp(n)
                return c.Replicate(count, self.boxed(self.exp(value), self._type(value), at), at)
            case c.Scratch(n, elem, at):
                if self.boxes.cell(elem) != elem:
                    raise Refused("uninitialised rows whose lengths may differ", at)
                return c.Scratch(self.exp(n), elem, at)
            case c.Iota() | c.Copy() | c.Concat():
                return map_parts(e, self.exp, self.boxes.value)

    def _index(self, array: Exp, t: Type, dims: Sequence[c.Dim], at: Span) -> Exp:
        """Return a part of an array; an index into a vector follows the one that selects it."""
        count = 0
        while count < len(dims):
            t = row(t)
            count += 1
            if self.boxes.cell(t) != self.boxes.value(t) and self.boxes.is_boxed(t):
                break
        first, rest = dims[:count], dims[count:]
        here = c.Index(array, tuple(map_dim(d, self.exp) for d in first), at)
        whole = all(isinstance(d, c.Fix) for d in first)
        if not rest:
            return self.unboxed(here, t, at) if whole else here
        if not whole:
            raise Refused("a slice of rows whose lengths may differ", at)
        return self._index(self.unboxed(here, t, at), t, rest, at)

    def _changed(self, e: c.DerivedExp | c.InPlaceExp) -> Exp:
        match e:
            case c.Update(array, dims, value, at):
                return self._update(self.exp(array), self._type(array), dims, value, at)
            case c.Rearrange(perm, array, at):
                self._regular(e, self._type(array), len(perm), at)
            case c.Flatten(rank, array, at):
                self._regular(e, self._type(array), rank, at)
            case c.Unflatten(sizes, _, at):
                self._regular(e, self._type(e), len(sizes), at)
            case c.FlatUpdate() | c.Scatter() | c.Reverse() | c.Zip() | c.Unzip():
                pass
        return map_parts(e, self.exp, self.boxes.value)

    def _update(self, array: Exp, t: Type, dims: Sequence[c.Dim], value: Exp, at: Span) -> Exp:
        """Return an updated array; a vector that changes is boxed anew."""
        whole = self.boxes.value(t)
        count = 0
        while count < len(dims):
            t = row(t)
            count += 1
            if self.boxes.is_boxed(t):
                break
        first = tuple(map_dim(d, self.exp) for d in dims[:count])
        rest = dims[count:]
        fixed = all(isinstance(d, c.Fix) for d in first)
        if not rest:
            new = self.exp(value)
            return c.Update(array, first, self.boxed(new, t, at) if fixed else new, at)
        if not fixed:
            raise Refused("a change of several rows whose lengths may differ", at)
        old = c.Binder(self._fresh("old"), whole)
        places = [
            c.Binder(self._fresh("i"), self._type(d.index))
            for d in dims[:count]
            if isinstance(d, c.Fix)
        ]
        here = tuple(c.Fix(c.Var(b.name)) for b in places)
        inner = self.unboxed(c.Index(c.Var(old.name), here, at), t, at)
        new = self.boxed(self._update(inner, t, rest, value, at), t, at)
        out: Exp = c.Update(c.Var(old.name), here, new, at)
        for b, d in reversed(list(zip(places, first, strict=True))):
            assert isinstance(d, c.Fix)
            out = c.Let((b,), d.index, out, at)
        return c.Let((old,), array, out, at)

    # ------------------------------------------------------------------ in parallel

    def _lambda(self, fn: Exp) -> c.Lambda:
        """Return a function of cells."""
        if not isinstance(fn, c.Lambda):
            raise TypeError("the operand of an array operation is not a lambda")
        t = self._type(fn.body)
        params, body = self._inside(fn.params, fn.body, fn.at)
        return c.Lambda(params, self.boxed(body, t, fn.at), fn.at)

    def _cells(self, es: Sequence[Exp]) -> tuple[Exp, ...]:
        return tuple(self.boxed(self.exp(x), self._type(x), x.at) for x in es)

    def _parallel(self, e: c.ParallelExp) -> Exp:
        match e:
            case c.Map(fn, arrays, at):
                given = tuple(map(self.exp, arrays))
                return c.Map(self._lambda(fn), given, at)
            case c.Filter(fn, array, at):
                given = (self.exp(array),)
                return c.Filter(self._lambda(fn), given[0], at)
            case c.Scan(op, ne, arrays, at):
                return c.Scan(self._lambda(op), self._cells(ne), tuple(map(self.exp, arrays)), at)
            case c.Reduce(op, ne, arrays, comm, at):
                start, given = self._cells(ne), tuple(map(self.exp, arrays))
                new = c.Reduce(self._lambda(op), start, given, comm, at)
                return self.unboxed(new, self._type(e), at)
            case c.Hist(op, ne, dest, indices, values, at):
                start, into = self._cells(ne), tuple(map(self.exp, dest))
                index = row(self._type(indices))
                if isinstance(index, c.Record):
                    for x in dest:
                        self._regular(e, self._type(x), len(index.fields), at)
                where, given = self.exp(indices), tuple(map(self.exp, values))
                return c.Hist(self._lambda(op), start, into, where, given, at)
            case c.Segmented(_, _, _, _, _, _, _, at):
                raise Refused("a segmented operation before `flatten-nested`", at)
