r"""Arithmetic on narrow ints becomes arithmetic on i64 where it cannot overflow (Core -> Core).

    map (\(x : i32) -> … xs[i64(x - 1)] …)            map (\(k : i64) -> let (x : i32) = i32(k) in
        (iota i64(n) 0i32 1i32)                  ->        … xs[k - 1] …) (iota i64(n) 0 1)

Languages whose index type is narrower than i64 (NOVA's ``int``) convert every index.  All later
reasoning about indices is about polynomials of i64 variables, and a conversion hides them: an i32
may have wrapped around.  This pass computes intervals of the narrow ints; where the exact value of
an expression lies in its type's interval, ``i64(e)`` is the same expression on i64.

*Intervals*: of constants, of i64 sizes that an assertion bounds, of elements of an ``iota``, and
of sums, differences, products, minima and maxima of these.  A comparison that they decide becomes a
constant, and an assertion of ``true`` is left out.

*Precondition*: flat, names unique.  *Postcondition*: the same.  No expression that may trap is
repeated or moved; a narrow value that is no longer used is dead code.
"""

from collections.abc import Mapping
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp
from funmem.ir.core_traverse import map_parts
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, evolve, frozen
from funmem.ir.scalars import BOOL, I8, I16, I32, I64, BinOp, ScalarType, UnOp
from funmem.passes.core.names import free_names, inside, local_names
from funmem.passes.core.unique import top_names

NARROW = frozenset([I8, I16, I32])
Interval: TypeAlias = tuple[int, int]
MAX_NODES = 24
"""Largest wide expression that takes the place of a name: CSE in FUN joins the copies."""

_RINGS = frozenset([BinOp.ADD, BinOp.SUB, BinOp.MUL, BinOp.MIN, BinOp.MAX])
_COMPARISONS = frozenset([BinOp.LT, BinOp.LE, BinOp.GT, BinOp.GE])


def widen(p: CoreProgram) -> CoreProgram:
    """The pass; see the module's text."""
    fresh = Fresh((*top_names(p), *local_names(p)))  # definitions are inlined
    return evolve(
        p,
        entries=tuple(evolve(e, exp=_Widening(e.exp, e.sizes, fresh).run()) for e in p.entries),
        defs=tuple(evolve(d, exp=_Widening(d.exp, (), fresh).run()) for d in p.defs),
    )


@frozen(eq=False)
class _Env:
    """Facts about the names in scope.

    ``types``: those of scalars.  ``intervals``: narrower ones than the type's.  ``wide``: an i64
    expression that is equal to a narrow int.  ``arrays``: each ``iota`` that has a name.
    """

    types: Mapping[Name, ScalarType]
    intervals: Mapping[Name, Interval]
    wide: Mapping[Name, Exp]
    arrays: Mapping[Name, c.Iota]

    def scalar(self, b: c.Binder, interval: Interval | None, wide: Exp | None) -> "_Env":
        """The scope with another scalar."""
        if not isinstance(b.type, ScalarType):
            return self
        types = {**self.types, b.name: b.type}
        intervals = {**self.intervals, b.name: interval} if interval is not None else self.intervals
        more = {**self.wide, b.name: wide} if wide is not None else self.wide
        return _Env(types, intervals, more, self.arrays)


@define(eq=False)
class _Widening:
    """The pass on one definition or entry point."""

    exp: Exp
    sizes: tuple[Name, ...]
    fresh: Fresh

    def run(self) -> Exp:
        """Return the new expression; the old one where no narrow int is converted."""
        if not any(isinstance(x, c.Convert) and x.to is I64 for x in inside(self.exp)):
            return self.exp
        types = dict.fromkeys(self.sizes, I64)
        intervals = dict.fromkeys(self.sizes, (0, I64.max))
        return self.visit(self.exp, _Env(types, intervals, {}, {}))

    # ------------------------------------------------------------------ expressions

    def visit(self, e: Exp, env: _Env) -> Exp:
        """Return an expression whose conversions are widened."""
        match e:
            case c.Let(bs, exp, body, at):
                new = self.visit(exp, env)
                return c.Let(bs, new, self.visit(body, self._after(bs, new, env)), at)
            case c.Assert(cond, message, values, body, at):
                test = self.visit(cond, env)
                given = tuple(self.visit(x, env) for x in values)
                rest = self.visit(body, self._asserted(test, env))
                if test == c.Const(True, BOOL) and all(map(_is_pure, given)):
                    return rest
                return c.Assert(test, message, given, rest, at)
            case c.Convert(to, a, at) if to is I64:
                inner = self.visit(a, env)
                wide = self._wide(inner, env)
                if wide is None or not _has_name(wide):  # constants are folded in FUN
                    return c.Convert(to, inner, at)
                return wide
            case c.Bin(op, a, b, at) if op in _COMPARISONS:
                x, y = self.visit(a, env), self.visit(b, env)
                decided = self._decided(op, x, y, env)
                return c.Bin(op, x, y, at) if decided is None else c.Const(decided, BOOL, at)
            case c.Map():
                return self._map(e, env)
            case c.Lambda(params, body, at):
                for param in params:
                    env = env.scalar(param, None, None)
                return c.Lambda(params, self.visit(body, env), at)
            case c.Loop():
                return self._loop(e, env)
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
                return map_parts(e, lambda x: self.visit(x, env), lambda t: t)

    def _after(self, bs: tuple[c.Binder, ...], e: Exp, env: _Env) -> _Env:
        """Return the scope of a ``let``."""
        if len(bs) != 1:
            for b in bs:
                env = env.scalar(b, None, None)
            return env
        (b,) = bs
        if isinstance(e, c.Iota):
            return evolve(env, arrays={**env.arrays, b.name: e})
        wide = self._wide(e, env) if b.type in NARROW else None
        if wide is not None and _nodes(wide) > MAX_NODES:
            wide = None
        return env.scalar(b, self._interval(e, env), wide)

    def _asserted(self, cond: Exp, env: _Env) -> _Env:
        """Return the scope after ``assert x <= k`` or ``assert x >= k``."""
        match cond:
            case c.Bin(BinOp.LE, c.Var(x), c.Const(int(k))):
                low, high = self._interval(c.Var(x), env) or (I64.min, I64.max)
                return evolve(env, intervals={**env.intervals, x: (low, min(high, k))})
            case c.Bin(BinOp.GE, c.Var(x), c.Const(int(k))):
                low, high = self._interval(c.Var(x), env) or (I64.min, I64.max)
                return evolve(env, intervals={**env.intervals, x: (max(low, k), high)})
            case _:
                return env

    def _loop(self, e: c.Loop, env: _Env) -> Exp:
        init = tuple(self.visit(x, env) for x in e.init)
        inner = env
        for b in e.params:
            inner = inner.scalar(b, None, None)
        match e.form:
            case c.For(index, bound):
                n = self.visit(bound, env)
                most = (self._interval(n, env) or (0, I64.max))[1]
                form: c.For | c.While = c.For(index, n)
                inner = inner.scalar(c.Binder(index, I64), (0, max(0, most - 1)), None)
            case c.While(cond):
                form = c.While(self.visit(cond, inner))
        return c.Loop(e.params, init, form, self.visit(e.body, inner), e.at)

    def _map(self, e: c.Map, env: _Env) -> Exp:
        """Return a map; over ``iota n 0 1`` of narrow ints it may become one over i64."""
        arrays = [self.visit(x, env) for x in e.arrays]
        if not isinstance(e.fn, c.Lambda):
            return c.Map(self.visit(e.fn, env), tuple(arrays), e.at)
        inner = env
        wide: list[c.Binder | None] = []
        for b, x in zip(e.fn.params, arrays, strict=True):
            iota = env.arrays.get(x.name) if isinstance(x, c.Var) else x
            counted = self._counted(iota, env)
            if counted is None or not isinstance(b.type, ScalarType):
                inner = inner.scalar(b, None, None)
                wide.append(None)
                continue
            k = c.Binder(self.fresh("k"), I64)
            inner = inner.scalar(k, counted, None)
            fits = b.type in NARROW and counted[1] <= b.type.max  # else the elements wrap around
            inner = inner.scalar(b, counted, c.Var(k.name) if fits else None)
            wide.append(k)
        body = self.visit(e.fn.body, inner)
        used = free_names(body)
        params: list[c.Binder] = []
        for j, (b, counter) in enumerate(zip(e.fn.params, wide, strict=True)):
            if counter is None or counter.name not in used:
                params.append(b)
                continue
            x = arrays[j]
            iota = env.arrays[x.name] if isinstance(x, c.Var) else x
            assert isinstance(iota, c.Iota)
            arrays[j] = c.Iota(iota.n, c.Const(0, I64), c.Const(1, I64), iota.at)
            assert isinstance(b.type, ScalarType)
            params.append(counter)
            body = c.Let((b,), c.Convert(b.type, c.Var(counter.name), e.at), body, e.at)
        return c.Map(c.Lambda(tuple(params), body, e.fn.at), tuple(arrays), e.at)

    def _counted(self, e: Exp | None, env: _Env) -> Interval | None:
        """Return the interval of the elements of ``iota n 0 1``, if its size may be repeated."""
        match e:
            case c.Iota(n, c.Const(0), c.Const(1)) if _is_pure(n) and _nodes(n) <= MAX_NODES:
                most = (self._interval(n, env) or (0, I64.max))[1]
                return (0, max(0, most - 1))
            case _:
                return None

    # ------------------------------------------------------------------ values

    def _type(self, e: Exp, env: _Env) -> ScalarType | None:
        match e:
            case c.Var(x):
                return env.types.get(x)
            case c.Const(_, t) | c.Convert(t, _):
                return t
            case c.Bin(op, a, _) if op in _RINGS:
                return self._type(a, env)
            case c.Un(UnOp.NEG, a):
                return self._type(a, env)
            case c.Length():
                return I64
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

    def _interval(self, e: Exp, env: _Env) -> Interval | None:
        """Return bounds of an int; None if it is not known to be one."""
        t = self._type(e, env)
        if t is None or not t.is_int:
            return None
        exact = self._exact(e, env)
        inside_ = exact is not None and t.min <= exact[0] and exact[1] <= t.max
        return exact if inside_ else (t.min, t.max)

    def _exact(self, e: Exp, env: _Env) -> Interval | None:
        """Return bounds of the value that an expression would have without wrapping around."""
        match e:
            case c.Const(int(k)):
                return (k, k)
            case c.Var(x):
                return env.intervals.get(x)
            case c.Length():
                return (0, I64.max)
            case c.Convert(_, a):
                return self._interval(a, env)
            case c.Un(UnOp.NEG, a):
                found = self._interval(a, env)
                return None if found is None else (-found[1], -found[0])
            case c.Bin(op, a, b):
                left, right = self._interval(a, env), self._interval(b, env)
                return None if left is None or right is None else _combined(op, left, right)
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

    def _wide(self, e: Exp, env: _Env) -> Exp | None:
        """Return an i64 expression that is equal to a narrow int, without conversions of what is
        known; None if there is none.
        """
        match e:
            case c.Const(int(k), t) if t in NARROW:
                return c.Const(k, I64, e.at)
            case c.Var(x):
                return env.wide.get(x)
            case c.Convert(to, a) if to in NARROW and _is_pure(a):
                source, bounds = self._type(a, env), self._interval(a, env)
                if bounds is None or bounds[0] < to.min or bounds[1] > to.max:
                    return None
                return a if source is I64 else self._wide(a, env)
            case c.Bin(op, a, b, at) if op in _RINGS and self._type(e, env) in NARROW:
                if not self._fits(e, env):
                    return None
                left, right = self._wide(a, env), self._wide(b, env)
                if left is None and right is None:
                    return None
                left = left if left is not None else c.Convert(I64, a, at)
                right = right if right is not None else c.Convert(I64, b, at)
                pure = _is_pure(left) and _is_pure(right)
                return c.Bin(op, left, right, at) if pure else None
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

    def _fits(self, e: Exp, env: _Env) -> bool:
        """True if an operator on narrow ints provably does not wrap around."""
        t, exact = self._type(e, env), self._exact(e, env)
        return t is not None and exact is not None and t.min <= exact[0] and exact[1] <= t.max

    def _decided(self, op: BinOp, a: Exp, b: Exp, env: _Env) -> bool | None:
        """Return the value of a comparison of pure ints that their intervals decide."""
        x, y = self._interval(a, env), self._interval(b, env)
        if x is None or y is None or not (_is_pure(a) and _is_pure(b)):
            return None
        known = [w for w in (self._wide(a, env), self._wide(b, env)) if w is not None]
        if not any(map(_has_name, known)):  # FUN decides comparisons of i64
            return None
        if op in (BinOp.GT, BinOp.GE):
            x, y, op = y, x, BinOp.LT if op is BinOp.GT else BinOp.LE
        if op is BinOp.LT:
            return True if x[1] < y[0] else False if x[0] >= y[1] else None
        return True if x[1] <= y[0] else False if x[0] > y[1] else None


def _combined(op: BinOp, x: Interval, y: Interval) -> Interval | None:
    match op:
        case BinOp.ADD:
            return (x[0] + y[0], x[1] + y[1])
        case BinOp.SUB:
            return (x[0] - y[1], x[1] - y[0])
        case BinOp.MUL:
            ends = [a * b for a in x for b in y]
            return (min(ends), max(ends))
        case BinOp.MIN:
            return (min(x[0], y[0]), min(x[1], y[1]))
        case BinOp.MAX:
            return (max(x[0], y[0]), max(x[1], y[1]))
        case _:
            return None


def _is_pure(e: Exp) -> bool:
    """True for scalar expressions that cannot trap and read no array."""
    match e:
        case c.Var() | c.Const():
            return True
        case c.Convert(_, a):
            return _is_pure(a)
        case c.Bin(op, a, b):
            return op in _RINGS and _is_pure(a) and _is_pure(b)
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


def _has_name(e: Exp) -> bool:
    return any(isinstance(x, c.Var) for x in inside(e))


def _nodes(e: Exp) -> int:
    return sum(1 for _ in inside(e))
