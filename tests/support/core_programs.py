"""Core programs by hand, short to write; and what they compute after lowering, on each engine."""

from collections.abc import Sequence

import numpy as np

from funmem.interp import run, run_heap, run_imp
from funmem.ir import core as c
from funmem.ir.check import check
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.fun import FunProgram
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I32, I64, BinOp, ScalarType
from funmem.ir.scalars import Value as ScalarValue
from funmem.ir.sizes import Size, const, var
from funmem.ir.text import parse_fun, show
from funmem.ir.values import ArgValue, ArrayValue, Value
from funmem.passes.core.flatten_data import flatten_data
from funmem.passes.core.to_fun import to_fun
from funmem.passes.framework import as_imp
from funmem.passes.pipeline import CPU, LOWER, to_funmem
from funmem.passes.runner import Pipeline

__all__ = ["I32", "I64"]

# ---------------------------------------------------------------------- types


def arr(t: Type, *dims: "str | int | Size | None") -> Type:
    """``arr(t, "n", None, 3)``: ``[n][][3]t``."""
    for d in reversed(dims):
        size = var(Name(d)) if isinstance(d, str) else const(d) if isinstance(d, int) else d
        t = c.Array(t, size)
    return t


def rec(**fields: Type) -> c.Record:
    """A record type."""
    return c.Record(tuple(fields.items()))


def sum_type(**constructors: tuple[Type, ...]) -> c.Sum:
    """A sum type."""
    return c.Sum(tuple(constructors.items()))


# ---------------------------------------------------------------------- expressions


def v(name: str) -> c.Var:
    """A variable."""
    return c.Var(Name(name))


def k(value: ScalarValue, t: ScalarType = I64) -> c.Const:
    """A constant."""
    return c.Const(value, t)


def b(name: str, t: Type) -> c.Binder:
    """A binder."""
    return c.Binder(Name(name), t)


def let(name: str, t: Type, e: Exp, body: Exp) -> Exp:
    """``let name : t = e in body``."""
    return c.Let((b(name, t),), e, body)


def lets(*bindings: tuple[str, Type, Exp], body: Exp) -> Exp:
    """Several ``let``."""
    for name, t, e in reversed(bindings):
        body = let(name, t, e, body)
    return body


def fn(*params: tuple[str, Type], body: Exp) -> c.Lambda:
    """A lambda."""
    return c.Lambda(tuple(b(x, t) for x, t in params), body)


def op(o: str, x: Exp, y: Exp) -> c.Bin:
    """An operator."""
    return c.Bin(BinOp(o), x, y)


def add(x: Exp, y: Exp) -> c.Bin:
    return op("+", x, y)


def mul(x: Exp, y: Exp) -> c.Bin:
    return op("*", x, y)


def plus(t: Type = I32) -> c.Lambda:
    r"""``\a b -> a + b``."""
    return fn(("a", t), ("b", t), body=add(v("a"), v("b")))


def at(x: Exp, *index: "Exp | c.Dim | int") -> c.Index:
    """``x[i, …]``."""
    return c.Index(x, dims(*index))


def dims(*index: "Exp | c.Dim | int") -> tuple[c.Dim, ...]:
    """The dimensions of a slice."""
    return tuple(
        d if isinstance(d, c.Fix | c.Range) else c.Fix(k(d)) if isinstance(d, int) else c.Fix(d)
        for d in index
    )


def span(
    lo: "Exp | int | None" = None, hi: "Exp | int | None" = None, step: "Exp | int | None" = None
) -> c.Range:
    """``lo:hi:step``."""
    lo, hi, step = (k(x) if isinstance(x, int) else x for x in (lo, hi, step))
    return c.Range(lo, hi, step)


def iota(n: Exp) -> c.Iota:
    """``0 … n-1``."""
    return c.Iota(n, k(0), k(1))


def fmap(f: c.Lambda, *xs: Exp) -> c.Map:
    """``map f xs …``."""
    return c.Map(f, xs)


def fields(**es: Exp) -> c.Fields:
    """A record."""
    return c.Fields(tuple(es.items()))


def tup(*es: Exp) -> c.Fields:
    """A tuple."""
    return c.tuple_exp(*es)


def loop_for(params: Sequence[tuple[str, Type, Exp]], i: str, n: Exp, body: Exp) -> c.Loop:
    """``loop … for i < n do body``."""
    binders = tuple(b(x, t) for x, t, _ in params)
    return c.Loop(binders, tuple(e for _, _, e in params), c.For(Name(i), n), body)


def loop_while(params: Sequence[tuple[str, Type, Exp]], cond: Exp, body: Exp) -> c.Loop:
    """``loop … while cond do body``."""
    binders = tuple(b(x, t) for x, t, _ in params)
    return c.Loop(binders, tuple(e for _, _, e in params), c.While(cond), body)


# ---------------------------------------------------------------------- programs


def define(name: str, params: Sequence[tuple[str, Type]], result: Type, body: Exp) -> c.Def:
    """A definition of a function."""
    t = c.arrow([t for _, t in params], result)
    return c.Def(Name(name), (), t, fn(*params, body=body) if params else body)


def call(name: str, *args: Exp) -> Exp:
    """A call of a definition; of a constant without arguments."""
    g = c.Global(Name(name))
    return c.App(g, args) if args else g


def program(
    params: Sequence[tuple[str, Type]],
    body: Exp,
    *,
    sizes: str = "",
    defs: Sequence[c.Def] = (),
    data: Sequence[c.DataDef] = (),
    unique: str = "",
    result: Type = c.UNIT,
) -> CoreProgram:
    """``entry main [sizes] params = body``; those in ``unique`` may be consumed."""
    ps = tuple(
        c.EntryParam(b(x, t), c.Unique.CONSUMED if x in unique.split() else c.Unique.SHARED)
        for x, t in params
    )
    names = tuple(map(Name, sizes.split()))
    entry = c.Entry(Name("main"), names, ps, result, body)
    return CoreProgram((entry,), tuple(defs), tuple(data))


def lowered(p: CoreProgram) -> FunProgram:
    """The FUN program, checked, which reads back from its text."""
    fun = to_fun(flatten_data(p))
    check(fun)
    assert parse_fun(show(fun), "t.fun") == fun
    return fun


def plain(x: Value) -> object:
    """A value as Python lists."""
    return x.data.tolist() if isinstance(x, ArrayValue) else x


def compute(p: CoreProgram, *args: ArgValue, heap: bool = True) -> object:
    """The results on the interpreters of all three languages, which agree; one is no tuple."""
    fun = lowered(p)
    want = [plain(r) for r in run(fun, "main", args)]
    if heap:
        mem = to_funmem(fun)
        assert [plain(r) for r in run_heap(mem, "main", args).values] == want
        imp = as_imp(Pipeline.parse(f"{LOWER},{CPU}").run(mem))
        assert [plain(r) for r in run_imp(imp, "main", args)] == want
    return want[0] if len(want) == 1 else tuple(want)


def i32s(*xs: int) -> "np.ndarray[tuple[int, ...], np.dtype[np.int32]]":
    """An array of i32."""
    return np.array(xs, np.int32)


def i64s(*xs: int) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    """An array of i64."""
    return np.array(xs, np.int64)


TRUE, FALSE = k(True, BOOL), k(False, BOOL)
