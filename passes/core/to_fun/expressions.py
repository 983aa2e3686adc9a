"""Lowering of Core expressions: names and scalars here, all others by the other modules."""

from funmem.ir import core as c
from funmem.ir.arith import size_exp
from funmem.ir.diagnostics import NOWHERE, Stuck
from funmem.ir.fun import Bin, Const, Convert, If, Un, Var
from funmem.ir.fun import Binder as FunBinder
from funmem.ir.scalars import BOOL, I64, BinOp, bin_result, can_trap, un_result
from funmem.passes.core.to_fun import (
    arrays,
    collectives,
    control,
    foreign,
    maps,
    placing,
    recursion,
    segmented,
    slices,
)
from funmem.passes.core.to_fun.elements import together
from funmem.passes.core.to_fun.state import FALSE, TRUE, Arr, Scalar, Val, Vals, Work, int64


class Lowering(Work):
    """Lowers the expressions of one entry point."""

    def exp(self, e: c.Exp) -> Vals:
        """Return the values of an expression; statements get the positions of what they compute."""
        outer = self.at
        while True:
            if e.at != NOWHERE:
                self.at = e.at
            match e:
                case c.Let(binders, rhs, body):
                    self.let_core(binders, rhs)
                    e = body
                case c.Assert(cond, message, values, body):
                    held = self.scalar(cond)
                    at = self.at
                    shown = tuple(self.atom_of(v) for v in values)
                    self.at = at
                    control.check(self, held, message, shown)
                    e = body
                case c.Leaf() | c.FunctionOperation() | c.Control():
                    break
                case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                    break
        hint, self.hint = self.hint, ""
        vals = self.simple(e, hint)
        self.at = outer
        return vals

    def let_core(self, binders: tuple[c.Binder, ...], rhs: c.Exp) -> None:
        """Lower the binding of ``let p … = e in``."""
        self.hint = binders[0].name if len(binders) == 1 else ""
        at = self.at
        vals = self.exp(rhs)
        self.hint, self.at = "", at
        if len(vals) != len(binders):
            raise TypeError(f"{len(vals)} values for {len(binders)} binders")
        for b, v in zip(binders, vals, strict=True):
            self.bind(b.name, self.bound(b.name, v) if isinstance(v, Scalar) else v)

    def simple(self, e: c.EndExp, hint: str) -> Vals:
        """Lower an expression that is not a ``let``; ``hint`` is the base name of its result."""
        match c.closed_end(e):
            case c.Var(name):
                v = self.code.find(name)
                if isinstance(v, Arr):
                    self.touched.add(v.name)
                return (v,)
            case c.Const(value, t):
                return (Scalar(Const(value, t), t),)
            case c.Fields(fields):
                return tuple(self.one(x) for _, x in fields)
            case c.Bin(BinOp.LAND | BinOp.LOR as op, a, b):
                return (self.short_circuit(op, a, b),)
            case c.Bin(op, a, b):
                return (self.operator(op, self.scalar(a), self.scalar(b)),)
            case c.Un(unop, a):
                v = self.shallow(self.scalar(a))
                result = un_result(unop, v.type)
                assert result is not None
                return (Scalar(Un(unop, v.exp), result, v.depth + 1),)
            case c.Convert(to, a):
                v = self.shallow(self.scalar(a))
                return (v if v.type is to else Scalar(Convert(to, v.exp), to, v.depth + 1),)
            case c.Equal(a, b):
                return (self.operator(BinOp.EQ, self.scalar(a), self.scalar(b)),)
            case c.Length(array, dim):
                return (Scalar(size_exp(self.array(array).shape[dim]), I64),)
            case c.Global(name):
                return recursion.constant(self, name)
            case c.App(c.Global(name), args):
                return recursion.call(self, name, args, hint)
            case c.If(cond, then, orelse):
                return control.if_(self, self.scalar(cond), then, orelse, hint)
            case c.Loop() as made:
                return control.loop(self, made, hint)
            case c.Unzip() | c.ParallelOperation():
                return self.parallel(e, hint)
            case c.Index(array, dims):
                if (element := arrays.counted(self, array, dims)) is not None:
                    return (element,)
                return (slices.index(self, array, dims, hint),)
            case c.Update(array, dims, value):
                return (slices.update(self, array, dims, value, hint),)
            case c.FlatSlice(array, offset, flat):
                return (slices.flat_slice(self, array, offset, flat, hint),)
            case c.FlatUpdate(array, offset, strides, value):
                return (slices.flat_update(self, array, offset, strides, value, hint),)
            case c.Scatter(dest, indices, values):
                return (placing.scatter(self, dest, indices, values, hint),)
            case (c.FreshArray() | c.DerivedArray() | c.Coerce()) as made:
                return (arrays.make(self, made, hint),)
            case c.Foreign() as made:
                return foreign.call(self, made, hint)
            case c.FunctionOperation() | c.Match() | c.Project() | c.Construct():
                raise Stuck(f"{type(e).__name__} is not flattened Core")

    # ------------------------------------------------------------------ scalars

    def operator(self, op: BinOp, a: Scalar, b: Scalar) -> Scalar:
        """Return ``a ⊕ b``, bound at once if it can trap."""
        if op is BinOp.MAX and b.exp == int64(0) and self.natural(a):
            return a
        t = bin_result(op, a.type)
        assert t is not None, (op, a.type)
        a, b = self.shallow(a), self.shallow(b)
        v = Scalar(Bin(op, a.exp, b.exp), t, max(a.depth, b.depth) + 1)
        if not can_trap(op, a.type) or (isinstance(b.exp, Const) and b.exp.value not in (0, False)):
            if op is BinOp.POW and a.type.is_int:
                return self.bound("t", v)
            return v
        return self.bound("t", v)

    def short_circuit(self, op: BinOp, a: c.Exp, b: c.Exp) -> Scalar:
        """Lower ``a && b`` or ``a || b``: to ``if``, unless b is only a scalar expression."""
        left = self.shallow(self.scalar(a))
        decided = TRUE if op is BinOp.LOR else FALSE
        if isinstance(left.exp, Const):
            return left if left.exp == decided else self.scalar(b)
        with self.block() as code:
            right = self.scalar(b)
        if not code.stms:
            right = self.shallow(right)
            depth = max(left.depth, right.depth) + 1
            return Scalar(Bin(op, left.exp, right.exp), BOOL, depth)
        cond = self.atom(left)
        with self.into(code):
            computed = self.body(code, (self.atom(right),))
        other = self.body(code=type(code)(None), result=(decided,))
        both = (computed, other) if op is BinOp.LAND else (other, computed)
        name = self.name("both" if op is BinOp.LAND else "either")
        self.emit((FunBinder[None](name, BOOL, None),), If(cond, *both))
        if op is BinOp.LAND:
            self.conds[name] = (left.exp, right.exp)
        return Scalar(Var(name), BOOL)

    # ------------------------------------------------------------------ parallel operations

    def parallel(self, e: c.Exp, hint: str) -> Vals:
        """Lower a map, reduce, scan, hist or filter, perhaps inside ``unzip``."""
        made = c.closed(e.array if isinstance(e, c.Unzip) else e)
        if not isinstance(made, c.ParallelOperation):
            raise Stuck(f"unzip of {type(made).__name__} is not flattened Core")
        match made:
            case c.Map(c.Lambda() as fn, arrays_):
                return maps.map_(self, fn, together(self, arrays_), hint)
            case c.Reduce(c.Lambda() as op, ne, arrays_, comm):
                start = self.each(ne)
                return collectives.reduce(self, op, start, together(self, arrays_), comm, hint)
            case c.Scan(c.Lambda() as op, ne, arrays_):
                start = self.each(ne)
                return collectives.scan(self, op, start, together(self, arrays_), hint)
            case c.Hist(c.Lambda() as op, ne, dest, indices, values):
                start = self.each(ne)
                into = self.arrays(dest)
                return collectives.hist(self, op, start, into, indices, values, hint)
            case c.Filter(c.Lambda() as fn, array):
                return (placing.filter_(self, fn, self.array(array), hint),)
            case c.Segmented():
                return segmented.segmented(self, made, self.each(made.ne), hint)
            case c.Map() | c.Reduce() | c.Scan() | c.Hist() | c.Filter():
                raise Stuck(f"the function of {type(made).__name__} is not a lambda")

    def each(self, es: tuple[c.Exp, ...]) -> list[Val]:
        """Return the values of expressions that have one value each."""
        return [self.one(e) for e in es]
