"""The flows of array operations: the functions in an array's elements."""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.passes.core.closure_convert.analysis import Analysis, Found
from funmem.passes.core.closure_convert.flows import Each, Elements, Flow, after, record


class Arrays(Analysis):
    """Walks over array operations."""

    def _array(self, e: c.ArrayExp) -> Found:
        match e:
            case c.Map(fn, arrays):
                return self._collective(e, fn, arrays)
            case c.Reduce(op, ne, arrays) | c.Scan(op, ne, arrays):
                return self._collective(e, op, (*ne, *arrays))
            case c.Hist(op, ne, dest, indices, values):
                return self._collective(e, op, (*ne, *dest, indices, *values))
            case c.Filter(fn, array):
                return self._collective(e, fn, (array,))
            case c.Segmented():
                raise TypeError("a segmented operation before `flatten-nested`, which makes them")
            case c.ArrayAccess() | c.FreshArray() | c.DerivedArray() | c.InPlace():
                kids = self._kids(e)
                flow = self._made(e, [k.flow for k in kids])
                return Found(flow, self._rebuilt(e, kids, lambda t: self._stated(e, t, flow)))

    def _stated(self, e: c.ArrayExp, t: Type, flow: Flow) -> Type:
        """Return a type that an operation states: of its result, or of its elements."""
        return self.type(t, _elem(flow) if isinstance(e, c.ArrayLit) else flow)

    def _made(self, e: c.ArrayExp, kids: Sequence[Flow]) -> Flow:
        """Return the flow of an operation without operands that are functions."""
        first = kids[0] if kids else None
        match e:
            case c.Length() | c.Iota() | c.Scratch():
                return None
            case c.Index(_, dims):
                return self._sliced(first, dims)
            case c.ArrayLit(_, elem):
                flow = self.flows.fresh(elem)
                for x in kids:
                    self.flows.unite(flow, x)
                return self.flows.elements(flow)
            case c.Replicate():
                return self.flows.elements(kids[1])
            case c.Concat():
                for x in kids[1:]:
                    self.flows.unite(first, x)
                return first
            case c.FlatSlice(_, _, dims):
                return self._nested(_elem(first), len(dims))
            case c.Flatten(rank):
                return self._nested(_inner(first, rank), 1)
            case c.Unflatten(sizes):
                return self._nested(_elem(kids[-1]), len(sizes))
            case c.Zip(arrays):
                rows = zip(arrays, kids, strict=True)
                return self.flows.elements(record((x, _elem(u)) for (x, _), u in rows))
            case c.Unzip():
                row = _elem(first)
                if not isinstance(row, Each):
                    return None
                return Each(tuple((x, (self._nested(u, 1),)) for x, (u,) in row.parts))
            case c.Update(_, dims):
                self.flows.unite(self._sliced(first, dims), kids[-1])
                return first
            case c.FlatUpdate(_, _, strides):
                self.flows.unite(_elem(first), _inner(kids[-1], len(strides)))
                return first
            case c.Scatter():
                self.flows.unite(first, kids[-1])
                return first
            case c.Coerce() | c.Copy() | c.Rearrange() | c.Reverse():
                return first
            case c.Map() | c.Reduce() | c.Scan() | c.Hist() | c.Filter() | c.Segmented():
                raise TypeError("an operation that applies a function")

    def _nested(self, flow: Flow, n: int) -> Flow:
        for _ in range(n):
            flow = self.flows.elements(flow)
        return flow

    def _sliced(self, flow: Flow, dims: tuple[c.Dim, ...]) -> Flow:
        if not dims:
            return flow
        inner = self._sliced(_elem(flow), dims[1:])
        return inner if isinstance(dims[0], c.Fix) else self._nested(inner, 1)

    # ------------------------------------------------------------------ operands

    def _collective(self, e: c.ParallelExp, fn: Exp, others: tuple[Exp, ...]) -> Found:
        """Walk over an operation that applies a function; the other parts are in their order."""
        f, kids = self.exp(fn), tuple(map(self.exp, others))
        given, result = self._operands(e, [k.flow for k in kids])
        self._apply(f.flow, given)
        got = after(f.flow, len(given))
        if isinstance(e, c.Map):
            result = self.flows.elements(got)
        elif not isinstance(e, c.Filter):
            self._accumulated(got, given[: len(given) // 2])

        def build() -> Exp:
            def rest(operand: Exp) -> Exp:
                return self._rebuilt(e, (Found(None, lambda: operand), *kids))()

            return self.operand(f.build(), f.flow, len(given), rest)

        return Found(result, build)

    def _operands(self, e: c.ParallelExp, kids: Sequence[Flow]) -> tuple[Sequence[Flow], Flow]:
        """Return the flows of what the function takes, and of the result, if it is not a map."""
        match e:
            case c.Map():
                return [_elem(x) for x in kids], None
            case c.Segmented():
                raise TypeError("a segmented operation before `flatten-nested`, which makes them")
            case c.Filter():
                return [_elem(kids[0])], kids[0]
            case c.Reduce(_, ne):
                rows = [_elem(x) for x in kids[len(ne) :]]
                result = rows[0] if len(rows) == 1 else _tuple(rows)
            case c.Scan(_, ne):
                rows = [_elem(x) for x in kids[len(ne) :]]
                result = self._nested(rows[0] if len(rows) == 1 else _tuple(rows), 1)
            case c.Hist(_, ne):
                k = len(ne)
                dest, values = kids[k : 2 * k], kids[2 * k + 1 :]
                rows = [_elem(x) for x in values]
                for x, y in zip(dest, values, strict=True):
                    self.flows.unite(x, y)
                result = dest[0] if k == 1 else _tuple(dest)
        for x, y in zip(rows, kids, strict=False):
            self.flows.unite(x, y)
        return [*rows, *rows], result

    def _accumulated(self, got: Flow, rows: Sequence[Flow]) -> None:
        """Unite what an operator gives with what it takes."""
        if len(rows) == 1:
            self.flows.unite(rows[0], got)
        else:
            self.flows.unite(_tuple(rows), got)


def _elem(flow: Flow) -> Flow:
    return flow.elem if isinstance(flow, Elements) else None


def _inner(flow: Flow, rank: int) -> Flow:
    for _ in range(rank):
        flow = _elem(flow)
    return flow


def _tuple(flows: Sequence[Flow]) -> Flow:
    return record((str(k), x) for k, x in enumerate(flows))
