"""Core's array operations as ``.fut`` text: calls of library functions, indexing, updates."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from funmem.frontends.futhark.elaborate.context import not_supported
from funmem.frontends.futhark.export import scalars
from funmem.frontends.futhark.export.state import State, Text, merged, show_size
from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import parts
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, ScalarType, normalise
from funmem.ir.sizes import Size, const, var

ANY = c.Record(())


class Arrays(ABC):
    """The part of the printer for operations on arrays."""

    def __init__(self, state: State) -> None:
        self.state = state

    @abstractmethod
    def exp(self, e: Exp, want: Type = ANY) -> Text:
        """Return the text of an expression."""

    @abstractmethod
    def lambda_of(self, fn: Exp, params: Sequence[Type], want: Type) -> tuple[list[str], Text]:
        """Return the names of the parameters of a function, and its body, for these arguments."""

    @abstractmethod
    def size_of(self, e: Exp) -> Size | None:
        """Return an i64 as a variable or number of the text, if it is one."""

    def array(self, e: c.ArrayExp, want: Type) -> Text:
        """Return the text of an operation on arrays."""
        match e:
            case c.Length() | c.Index() | c.FlatSlice() | c.Coerce():
                return self._access(e)
            case c.ArrayLit() | c.Iota() | c.Replicate() | c.Scratch() | c.Copy() | c.Concat():
                return self._made(e)
            case c.Rearrange() | c.Reverse() | c.Flatten() | c.Unflatten() | c.Zip() | c.Unzip():
                return self._derived(e)
            case c.Update() | c.FlatUpdate() | c.Scatter():
                return self._changed(e)
            case c.Map() | c.Reduce() | c.Scan() | c.Hist() | c.Filter() | c.Segmented():
                return self._parallel(e, want)

    # ------------------------------------------------------------------ access

    def _access(self, e: c.AccessExp) -> Text:
        match e:
            case c.Length(array, dim):
                x = self.exp(array)
                if dim == 0:
                    return Text(f"length {x.atom}", I64)
                t = self.state.named(x).type
                for _ in range(dim):
                    t = _row(t)
                assert isinstance(t, c.Array)
                assert t.size is not None
                k = t.size.as_const
                return Text(show_size(t.size) if k is None else f"{k}i64", I64, True)
            case c.Index(array, dims):
                x = self.state.named(self.exp(array))
                return Text(f"{x.text}[{self._dims(dims)}]", _sliced(x.type, dims), True)
            case c.FlatSlice(array, offset, flat):
                if not 1 <= len(flat) <= 4:
                    raise not_supported("a flat slice of more than 4 dimensions in `.fut`", e.at)
                x = self.exp(array)
                given = [offset, *(y for d in flat for y in d)]
                t = _row(x.type)
                for n, _ in reversed(flat):
                    t = c.Array(t, self.size_of(n))
                args = " ".join([x.atom, *[self.exp(y).atom for y in given]])
                return Text(f"flat_index_{len(flat)}d {args}", t)
            case c.Coerce(exp, t):
                return self.state.coerced(self.exp(exp), self.state.wanted(t))

    def _dims(self, dims: Sequence[c.Dim]) -> str:
        def part(x: Exp | None) -> str:
            return "" if x is None else self.exp(x).atom

        shown = []
        for d in dims:
            match d:
                case c.Fix(i):
                    shown.append(self.exp(i).text)
                case c.Range(lo, hi, None):
                    shown.append(f"{part(lo)}:{part(hi)}")
                case c.Range(lo, hi, step):
                    shown.append(f"{part(lo)}:{part(hi)}:{part(step)}")
        return ", ".join(shown)

    # ------------------------------------------------------------------ fresh arrays

    def _made(self, e: c.FreshExp) -> Text:
        st = self.state
        match e:
            case c.ArrayLit(elems, elem):
                t = st.wanted(elem)
                found: list[str] = []
                for item in elems:
                    y = st.coerced(self.exp(item, t), t)
                    t = merged(y.type, t) if not found else t
                    found.append(st.coerced(y, t).text)
                whole = c.Array(t, const(len(elems)))
                if not elems:
                    return Text(f"([] : {st.type(whole)})", whole, True, True)
                return Text(f"[{', '.join(found)}]", whole, True, True)
            case c.Iota(n, start, step):
                return self._iota(n, start, step)
            case c.Replicate(n, value):
                x = self.exp(value)
                t = c.Array(x.type, self.size_of(n))
                return Text(f"replicate {self.exp(n).atom} {x.atom}", t, False, True)
            case c.Scratch(n, elem):
                zero = self._zero(st.wanted(elem), e)
                t = c.Array(zero.type, self.size_of(n))
                return Text(f"replicate {self.exp(n).atom} {zero.atom}", t, False, True)
            case c.Copy(exp):
                x = self.exp(exp)
                return Text(f"copy {x.atom}", x.type, False, True)
            case c.Concat(arrays):
                xs = [self.exp(array) for array in arrays]
                row = c.Array(_row(xs[0].type))
                joined = " ++ ".join([st.coerced(x, row).atom for x in xs])
                return Text(joined, row, len(xs) == 1 and xs[0].tight, len(xs) > 1)

    def _iota(self, n: Exp, start: Exp, step: Exp) -> Text:
        count, size = self.exp(n).atom, self.size_of(n)
        first, by = self.exp(start), self.exp(step)
        t = first.type
        assert isinstance(t, ScalarType)
        if (first.text, by.text) == ("0i64", "1i64"):
            return Text(f"iota {count}", c.Array(I64, size), False, True)
        a, s = self.state.named(first).atom, self.state.named(by).atom
        i = self.state.fresh("i")
        k = scalars.conversion(I64, t, i, self.state.define)
        k = k if t is I64 else f"({k})"
        scaled = k if by.text == scalars.constant(1, t) else f"{k} * {s}"
        text = f"map (\\{i} -> {a} + {scaled}) (iota {count})"
        return Text(text, c.Array(t, size), False, True)

    def _zero(self, t: Type, e: c.Scratch) -> Text:
        """Return a value of a type; nobody reads it."""
        match t:
            case ScalarType():
                return Text(scalars.constant(normalise(0, t), t), t, True)
            case c.Array(elem, size) if size is not None:
                k = size.as_const
                n = show_size(size) if k is None else f"{k}i64"
                x = self._zero(elem, e)
                return Text(f"replicate {n} {x.atom}", c.Array(x.type, size))
            case c.Record(fields) if t.is_tuple:
                xs = [self._zero(u, e).text for _, u in fields]
                return Text(f"({', '.join(xs)})", t, True)
            case _:
                raise not_supported("an array without values in `.fut`", e.at)

    # ------------------------------------------------------------------ derived arrays

    def _derived(self, e: c.DerivedExp) -> Text:
        st = self.state
        match e:
            case c.Rearrange(perm, array):
                return self._rearranged(self.exp(array), perm)
            case c.Reverse(array):
                x = self.exp(array)
                return Text(f"reverse {x.atom}", x.type)
            case c.Flatten(rank, array):
                x = self.exp(array)
                for _ in range(rank - 1):
                    x = Text(f"flatten {x.atom}", c.Array(_row(_row(x.type))))
                return x
            case c.Unflatten(sizes, array):
                return self._unflattened(self.exp(array), sizes, e)
            case c.Zip(fields):
                xs = self._same_length([self.exp(x) for _, x in fields])
                labels = [x for x, _ in fields]
                t = c.Record(tuple(zip(labels, [_row(x.type) for x in xs], strict=True)))
                whole = c.Array(t, _size(xs[0].type))
                st.type(t, e.at)
                if t.is_tuple and 2 <= len(xs) <= 5:
                    return Text(_zipped([x.atom for x in xs])[0], whole, False, True)
                names = [st.fresh("x") for _ in xs]
                value = f"({', '.join(names)})"
                if not t.is_tuple:
                    value = (
                        f"{{{', '.join(f'{a} = {x}' for a, x in zip(labels, names, strict=True))}}}"
                    )
                return Text(self._map(names, value, xs), whole, False, True)
            case c.Unzip(array):
                x = st.named(self.exp(array))
                row = _row(x.type)
                assert isinstance(row, c.Record)
                parts = [f"map (.{label}) {x.atom}" for label, _ in row.fields]
                size = _size(x.type)
                t = c.Record(tuple([(label, c.Array(u, size)) for label, u in row.fields]))
                st.type(t, e.at)
                if not t.is_tuple:
                    pairs = zip(row.fields, parts, strict=True)
                    return Text("{" + ", ".join(f"{a} = {p}" for (a, _), p in pairs) + "}", t, True)
                if 2 <= len(parts) <= 5:
                    return Text(f"unzip{len(parts) if len(parts) > 2 else ''} {x.atom}", t)
                return Text(f"({', '.join(parts)})", t, True)

    def _rearranged(self, x: Text, perm: Sequence[int]) -> Text:
        """Return an array with its dimensions in another order, by swaps of neighbours."""
        order, sizes, t = list(range(len(perm))), [], x.type
        for _ in perm:
            sizes.append(_size(t))
            t = _row(t)
        text = x.atom
        for k, dim in enumerate(perm):
            for j in range(order.index(dim), k, -1):
                order[j - 1], order[j] = order[j], order[j - 1]
                swap = "transpose"
                for _ in range(j - 1):
                    swap = f"(map {swap})"
                swap = swap.removeprefix("(").removesuffix(")") if j > 1 else swap
                text = f"({swap} {text})"
        for d in reversed(order):
            t = c.Array(t, sizes[d])
        if text == x.atom:
            return x
        return Text(text[1:-1], t)

    def _unflattened(self, x: Text, sizes: Sequence[Exp], e: c.Unflatten) -> Text:
        if len(sizes) == 1:
            return self.state.coerced(x, c.Array(_row(x.type), self.size_of(sizes[0])))
        if len(sizes) > 4:
            raise not_supported("an array split into more than 4 dimensions in `.fut`", e.at)
        names, known = [], []
        for n in sizes:
            d = self.size_of(n)
            if d is not None and d.as_name is not None:
                names.append(str(d.as_name))
            else:
                names.append(self.state.temporary("d"))
                self.state.let(names[-1], self.exp(n).text)
            known.append(d)
        elem = _row(x.type)
        joined = f"[{' * '.join(names)}]{self.state.type(elem)}"
        t = elem
        for name in reversed(names):
            t = c.Array(t, var(Name(name)))
        suffix = "" if len(sizes) == 2 else f"_{len(sizes)}d"
        shape = self.state.type(t)  # if a size is 1, the product does not say which one
        found = Text(f"unflatten{suffix} ({x.atom} :> {joined}) : {shape}", t)
        own = elem
        for d in reversed(known):
            own = c.Array(own, d)
        return self.state.coerced(found, own)

    # ------------------------------------------------------------------ updates

    def _changed(self, e: c.InPlaceExp) -> Text:
        match e:
            case c.Update(array, dims, value):
                x = self.exp(array)
                where, v = self._dims(dims), self.exp(value)
                x = self._owned(array, x, (value, v))
                text = f"{x.atom} with [{where}] = {v.atom}"
                return Text(text, x.type, False, True)
            case c.FlatUpdate(array, offset, strides, value):
                if not 1 <= len(strides) <= 4:
                    raise not_supported("a flat update of more than 4 dimensions in `.fut`", e.at)
                x = self.exp(array)
                given = [self.exp(y) for y in (offset, *strides, value)]
                x = self._owned(array, x, (value, given[-1]))
                words = [f"flat_update_{len(strides)}d", x.atom, *(y.atom for y in given)]
                text = " ".join(words)
                return Text(text, x.type, False, True)
            case c.Scatter(dest, indices, values):
                x = self.exp(dest)
                at, vs = self._same_length([self.exp(indices), self.exp(values)])
                x = self._owned(dest, x, (indices, at), (values, vs))
                name = f"scatter{_by(at.type)}"
                return Text(f"{name} {x.atom} {at.atom} {vs.atom}", x.type, False, True)

    def _owned(self, e: Exp, x: Text, *others: tuple[Exp, Text]) -> Text:
        """Return an array, whose text is ``x``, or a copy of one that may not be consumed.

        The operands that are evaluated after it have been printed.  ``others`` are those of them
        that may be arrays: what is consumed must not be one of them, nor a part of one.
        """
        own = self.state.is_last(e.name) if isinstance(e, c.Var) else x.own
        if own and isinstance(e, c.Var):
            views = (y for y, of in others if isinstance(of.type, c.Array))
            own = not any(_is_part(y, e.name) for y in views)
        return x if own else Text(f"copy {x.atom}", x.type, False, True)

    # ------------------------------------------------------------------ in parallel

    def _parallel(self, e: c.ParallelExp, want: Type) -> Text:
        match e:
            case c.Map(fn, arrays):
                row = want.elem if isinstance(want, c.Array) else ANY
                xs = self._same_length([self.exp(x) for x in arrays])
                names, body = self.lambda_of(fn, [_row(x.type) for x in xs], row)
                if not _fits(body.type):
                    what = "rows whose length is known only inside a `map`, in `.fut`"
                    raise not_supported(what, e.at)
                t = c.Array(body.type, _size(xs[0].type))
                return Text(self._map(names, body.text, xs), t, False, True)
            case c.Reduce(op, ne, arrays, comm):
                text, row, _ = self._folded("reduce_comm" if comm else "reduce", op, ne, arrays)
                return Text(text, row)
            case c.Scan(op, ne, arrays):
                text, row, size = self._folded("scan", op, ne, arrays)
                return Text(text, c.Array(row, size), False, True)
            case c.Hist():
                return self._hist(e)
            case c.Filter(fn, array):
                x = self.exp(array)
                names, body = self.lambda_of(fn, [_row(x.type)], BOOL)
                text = f"filter {_function([*names], body.text)} {x.atom}"
                return Text(text, c.Array(_row(x.type)), False, True)
            case c.Segmented():
                raise not_supported("an operation on rows of different lengths in `.fut`", e.at)

    def _map(self, names: Sequence[str], body: str, xs: Sequence[Text]) -> str:
        """Return ``map`` of a function of several arrays, which are zipped if they are many."""
        if len(xs) <= 5:
            word = "map" if len(xs) == 1 else f"map{len(xs)}"
            given = " ".join([x.atom for x in xs])
            return f"{word} {_function(names, body)} {given}"
        zipped, pattern = _zipped([x.atom for x in xs], names)
        return f"map {_function([pattern], body)} ({zipped})"

    def _operator(self, op: Exp, types: Sequence[Type]) -> str:
        """Return an operator on tuples for one whose parameters are two lists of values."""
        want = types[0] if len(types) == 1 else c.tuple_type(*types)
        names, body = self.lambda_of(op, [*types, *types], want)
        k = len(types)
        if k == 1:
            return _function(names, body.text)
        sides = [f"({', '.join(names[:k])})", f"({', '.join(names[k:])})"]
        return _function(sides, body.text)

    def _folded(
        self, word: str, op: Exp, ne: Sequence[Exp], arrays: Sequence[Exp]
    ) -> tuple[str, Type, Size | None]:
        """Return the text of ``reduce`` or ``scan``, the type of a value, and the length."""
        xs = self._same_length([self.exp(x) for x in arrays])
        size = _size(xs[0].type)
        types = [_row(x.type) for x in xs]
        neutral = [
            self.state.coerced(self.exp(x, t), t).text for x, t in zip(ne, types, strict=True)
        ]
        f = self._operator(op, types)
        if len(xs) == 1:
            return f"{word} {f} ({neutral[0]}) {xs[0].atom}", types[0], size
        zipped, pattern = _zipped([x.atom for x in xs], [f"x{k}" for k in range(len(xs))])
        given = f"({zipped})"
        if len(xs) > 5:  # the nest of pairs becomes one tuple
            flat = ", ".join([f"x{k}" for k in range(len(xs))])
            given = f"(map (\\{pattern} -> ({flat})) ({zipped}))"
        text = f"{word} {f} ({', '.join(neutral)}) {given}"
        return text, c.tuple_type(*types), size

    def _hist(self, e: c.Hist) -> Text:
        dest = [self.exp(x) for x in e.dest]
        at, *vs = self._same_length([self.exp(e.indices), *map(self.exp, e.values)])
        types = [_row(v.type) for v in vs]
        neutral = [
            self.state.coerced(self.exp(x, t), t).text for x, t in zip(e.ne, types, strict=True)
        ]
        f = self._operator(e.op, types)
        name = f"reduce_by_index{_by(at.type)}"
        if len(vs) == 1:
            x = self._owned(e.dest[0], dest[0], (e.indices, at), (e.values[0], vs[0]))
            text = f"{name} {x.atom} {f} ({neutral[0]}) {at.atom} {vs[0].atom}"
            return Text(text, x.type, False, True)
        if len(vs) > 5 or name != "reduce_by_index":
            raise not_supported("`hist` of several arrays of several dimensions in `.fut`", e.at)
        dest = self._same_length(dest)
        zipped = [_zipped([x.atom for x in xs])[0] for xs in (dest, vs)]
        text = (
            f"unzip{len(vs) if len(vs) > 2 else ''} "
            f"({name} (copy ({zipped[0]})) {f} ({', '.join(neutral)}) {at.atom} ({zipped[1]}))"
        )
        return Text(text, c.tuple_type(*[x.type for x in dest]), False, True)

    def _same_length(self, xs: Sequence[Text]) -> list[Text]:
        """Return arrays of one length, which ``:>`` checks where it is not known."""
        if len(xs) == 1:
            return list(xs)
        first = self.state.named(xs[0])
        size = _size(first.type)
        rest = [self.state.coerced(x, c.Array(_row(x.type), size)) for x in xs[1:]]
        return [first, *rest]


def _function(params: Sequence[str], body: str) -> str:
    line = f"(\\{' '.join(params)} -> {body})"
    if "\n" not in body and len(line) <= 80:
        return line
    inner = body.replace("\n", "\n     ")
    return f"(\\{' '.join(params)} ->\n     {inner})"


def _zipped(arrays: Sequence[str], names: Sequence[str] = ()) -> tuple[str, str]:
    """Return zipped arrays, and a pattern with these names for an element; at most five at once."""
    names = names or arrays
    if len(arrays) == 1:
        return arrays[0], names[0]
    if len(arrays) <= 5:
        word = "zip" if len(arrays) == 2 else f"zip{len(arrays)}"
        return f"{word} {' '.join(arrays)}", f"({', '.join(names)})"
    left, first = _zipped(arrays[:5], names[:5])
    right, second = _zipped(arrays[5:], names[5:])
    return f"zip ({left}) ({right})", f"({first}, {second})"


def _row(t: Type) -> Type:
    assert isinstance(t, c.Array)
    return t.elem


def _size(t: Type) -> Size | None:
    assert isinstance(t, c.Array)
    return t.size


def _sliced(t: Type, dims: Sequence[c.Dim]) -> Type:
    if not dims:
        return t
    inner = _sliced(_row(t), dims[1:])
    match dims[0]:
        case c.Fix():
            return inner
        case c.Range(None, None, None):
            return c.Array(inner, _size(t))
        case c.Range():
            return c.Array(inner)


def _is_part(e: Exp, x: Name) -> bool:
    """True if the array ``e`` may share elements with the array ``x``."""
    if isinstance(e, c.Var):
        return e.name == x
    if isinstance(e, c.FreshArray | c.ParallelOperation):
        return False
    return any(_is_part(y, x) for y in parts(e))


def _by(indices: Type) -> str:
    """Return the suffix of a function for indices of this type."""
    row = _row(indices)
    return f"_{len(row.fields)}d" if isinstance(row, c.Record) else ""


def _fits(t: Type) -> bool:
    """True if all sizes of a row are known."""
    match t:
        case c.Array(elem, size):
            return size is not None and _fits(elem)
        case c.Record(fields):
            return all(_fits(u) for _, u in fields)
        case ScalarType() | c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token():
            return True
