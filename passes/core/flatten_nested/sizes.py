"""Plan: which maps have rows whose lengths differ.

A row has one length if it does not depend on values inside the map: on the lengths of rows of a
regular array, on sizes from outside.  Otherwise it is ragged: ``filter``, ``iota n`` and a slice
with bounds that are computed inside, rows of a ragged array, and what is mapped over these.
"""

from collections.abc import Callable

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.names import Name
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import Size, const, var
from funmem.passes.core.flatten_nested.state import State, rank
from funmem.passes.core.names import free_names, inside


def plain_scalar(e: Exp) -> bool:
    """True if code computes scalars with scalars, reads elements, and has no array operations."""
    return not any(
        isinstance(x, c.ParallelOperation | c.FreshArray | c.InPlace | c.Loop | c.DerivedArray)
        for x in inside(e)
    )


class Varying:
    """The lengths of rows in the body of a map."""

    def __init__(self, s: State, fn: c.Lambda, ragged_params: frozenset[Name]) -> None:
        self.s = s
        self.rows = set(ragged_params)
        self.inside = {p.name for p in fn.params if rank(p.type) == 0}
        self.lets: dict[Name, Exp] = {}
        self.elements: dict[Name, Exp] = {}
        self.calling: list[Name] = []
        self.note(fn.body)

    def note(self, e: Exp) -> None:
        """Note what code binds."""
        for x in inside(e):
            if isinstance(x, c.Let) and len(x.binders) == 1:
                self.lets[x.binders[0].name] = x.exp
            elif isinstance(x, c.Let):
                self.inside |= {b.name for b in x.binders if rank(b.type) == 0}
                for k, b in enumerate(x.binders):
                    if (part := _part(x.exp, k)) is not None:
                        self.lets[b.name] = part
            elif isinstance(x, c.Map) and isinstance(x.fn, c.Lambda):
                self.elements |= {p.name: xs for p, xs in zip(x.fn.params, x.arrays, strict=True)}

    def size_varies(self, e: Exp) -> bool:
        """True if a number depends on the row."""
        p = self.polynomial(e)
        if p is not None:
            return any(self.depends(c.Var(x)) for x in p.free())
        return self.depends(e)

    def depends(self, e: Exp) -> bool:
        """True if the value of an expression may depend on the row."""
        if isinstance(e, c.Length):
            return self.row_varies(e.array)
        for x in free_names(e):
            if x in self.inside or x in self.rows:
                return True
            if x in self.lets and self.depends(self.lets[x]):
                return True
        return False

    def polynomial(self, e: Exp) -> Size | None:
        """Return a number as a polynomial of names, where definitions inside are expanded."""
        match e:
            case c.Const(value) if isinstance(value, int):
                return const(value)
            case c.Var(x):
                known = self.polynomial(self.lets[x]) if x in self.lets else None
                return var(x) if known is None else known
            case c.Bin(BinOp.ADD | BinOp.SUB | BinOp.MUL as op, a, b):
                left, right = self.polynomial(a), self.polynomial(b)
                if left is None or right is None:
                    return None
                if op is BinOp.MUL:
                    return left * right
                return left + right if op is BinOp.ADD else left - right
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

    def varies(self, e: Exp, dims: int) -> bool:
        """True if the length of a row, or of what it consists of, depends on the row."""
        return self.row_varies(e) or (dims > 1 and self.inner_varies(e))

    def inner_varies(self, e: Exp) -> bool:
        """True if the length of the rows of a row depends on it."""
        match e:
            case c.Var(x):
                return x in self.lets and self.inner_varies(self.lets[x])
            case c.Let(_, _, body) | c.Assert(body=body):
                return self.inner_varies(body)
            case c.Map(c.Lambda(_, body), _):
                return self.row_varies(body)
            case c.Replicate(_, value):
                return self.row_varies(value)
            case c.Filter(_, array) | c.Reverse(array) | c.Copy(array) | c.Unzip(array):
                return self.inner_varies(array)
            case c.Concat(arrays):
                return any(map(self.inner_varies, arrays))
            case c.ArrayLit((first, *_)):
                return self.row_varies(first)
            case c.Unflatten(sizes) if len(sizes) > 1:
                return self.size_varies(sizes[1])
            case c.Coerce(exp, t):
                inner = t.elem
                if isinstance(inner, c.Array) and inner.size is not None:
                    return any(map(self.depends, map(c.Var, inner.size.free())))
                return self.inner_varies(exp)
            case c.App(c.Global(f), args) if f in self.s.defs:
                return self.of_call(f, args, self.inner_varies)
            case c.If(_, then, orelse):
                return self.inner_varies(then) or self.inner_varies(orelse)
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
            ):
                return False

    def row_varies(self, e: Exp) -> bool:
        """True if the length of a row depends on the row."""
        match e:
            case c.Var(x):
                if x in self.elements:
                    return self.inner_varies(self.elements[x])
                return x in self.rows or (x in self.lets and self.row_varies(self.lets[x]))
            case c.Let(_, _, body) | c.Assert(body=body):
                return self.row_varies(body)
            case c.Map(_, arrays) | c.Scan(_, _, arrays):
                return any(map(self.row_varies, arrays))
            case c.Iota(n) | c.Replicate(n):
                return self.size_varies(n)
            case c.Filter():
                return True
            case c.If(_, then, orelse):
                return self.row_varies(then) or self.row_varies(orelse)
            case c.Index(array, dims):
                return self._slice_varies(array, dims)
            case c.Reverse(array) | c.Copy(array) | c.Unzip(array):
                return self.row_varies(array)
            case c.Concat(arrays):
                return any(map(self.row_varies, arrays))
            case c.Flatten(_, array):
                return self.row_varies(array) or self.inner_varies(array)
            case c.Unflatten(sizes):
                return self.size_varies(sizes[0])
            case c.Coerce(exp, t):
                if t.size is not None:
                    return any(map(self.depends, map(c.Var, t.size.free())))
                return self.row_varies(exp)
            case c.App(c.Global(f), args) if f in self.s.defs:
                return self.of_call(f, args, self.row_varies)
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
                return False

    def of_call(self, f: Name, args: tuple[Exp, ...], test: Callable[[Exp], bool]) -> bool:
        """Return what a test says of a function's body."""
        fn = self.s.copy(self.s.defs[f].exp)
        if f in self.calling or not isinstance(fn, c.Lambda):
            return False
        self.calling.append(f)
        self.note(fn.body)
        self.lets |= {p.name: x for p, x in zip(fn.params, args, strict=False)}
        found = test(fn.body)
        self.calling.pop()
        return found

    def _slice_varies(self, array: Exp, dims: tuple[c.Dim, ...]) -> bool:
        if isinstance(array, c.Var) and array.name in self.s.ragged:
            return True
        ranges = [d for d in dims if isinstance(d, c.Range)]
        if not ranges:
            return False
        (d,) = ranges[:1]
        lo, hi = d.lo or c.Const(0, I64), d.hi or c.Length(array)
        if d.step is not None and self.size_varies(d.step):
            return True
        return self.size_varies(c.Bin(BinOp.SUB, hi, lo))


def _part(e: Exp, k: int) -> Exp | None:
    """Return part k of a record that a map or a chain makes; None for another expression."""
    match e:
        case c.Unzip(c.Map(c.Lambda(params, body, at), arrays)):
            part = _part(body, k)
            return None if part is None else c.Map(c.Lambda(params, part, at), arrays)
        case c.Fields(fields):
            return fields[k][1]
        case c.Let(binders, exp, body):
            part = _part(body, k)
            return None if part is None else c.Let(binders, exp, part)
        case c.Assert(body=body):
            return _part(body, k)
        case (
            c.Leaf()
            | c.FunctionOperation()
            | c.Control()
            | c.RecordOperation()
            | c.ScalarOperation()
            | c.ArrayOperation()
        ):
            return None
