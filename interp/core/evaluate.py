r"""Evaluates expressions of Core, Γ ⊢ e ⇓ v: :mod:`funmem.ir.core` in executable form.

There is one arm per form.  Operands are evaluated from left to right, in the order of the fields of
a form.  The expression in tail position is evaluated without a new Python frame, so tail calls may
be repeated any number of times.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from funmem.interp.core import arrays as a
from funmem.interp.core import slices
from funmem.interp.core.foreign_calls import call_foreign
from funmem.interp.core.layout import Layout
from funmem.interp.core.missing import function_type, possible, resolved, result_type
from funmem.interp.core.values import (
    Closure,
    Env,
    Hole,
    Num,
    Partial,
    Rec,
    Rows,
    Tagged,
    Val,
    array,
    equal,
    group,
    i64,
    integer,
    number,
    record,
    row_type,
    rows,
    several,
    shape,
    show_kind,
    sized,
)
from funmem.interp.scope import operator_trap
from funmem.interp.traps import offsets_of_rows
from funmem.ir import core as c
from funmem.ir.check.core.reach import computed, reached
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import instantiate_type, unsized
from funmem.ir.diagnostics import Span, Stuck, Trap, TrapKind
from funmem.ir.foreign_calls import NO_FUNCTIONS, Table
from funmem.ir.messages import fill, show_value
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import (
    BOOL,
    BinOp,
    OperatorTrap,
    ScalarType,
    bin_fn,
    bin_result,
    convert_fn,
    un_fn,
    un_result,
)

_Key: TypeAlias = tuple[Name, tuple[Type, ...]]


@frozen(eq=False)
class TailCall:
    """An expression to evaluate next, and its environment."""

    exp: Exp
    env: Env


_Records: TypeAlias = c.Fields | c.Project | c.Construct | c.Un | c.Convert | c.Equal
Selections: TypeAlias = c.Index | c.FlatSlice | c.Update | c.FlatUpdate
_Parallel: TypeAlias = c.Map | c.Reduce | c.Scan | c.Hist | c.Filter | c.Segmented
Arrays: TypeAlias = (
    c.Length | c.Coerce | c.ArrayLit | c.Iota | c.Replicate | c.Scratch | c.Copy | c.Concat
    | c.Rearrange | c.Reverse | c.Flatten | c.Unflatten | c.Zip | c.Unzip | c.Scatter
)  # fmt: skip


class CoreEvaluator:
    """One run of a program."""

    def __init__(self, p: CoreProgram, foreign: Table = NO_FUNCTIONS) -> None:
        self.defs = {d.name: d for d in p.defs}
        self._foreign = {f.name: f for f in p.foreign}
        self._functions, self._layout = foreign, Layout(p.data)
        self._globals: dict[_Key, Val] = {}

    # ------------------------------------------------------------------ names, functions, control

    def eval(self, e: Exp, env: Env) -> Val:
        """Return the value of an expression."""
        own = False  # True if this call made env, and may add names to it
        while True:
            match e:
                case c.Var(name):
                    return env.values[name]
                case c.Const(v, t):
                    return Num(v, t)
                case c.Bin(op, x, y, at):
                    return self.bin(op, x, y, env, at)
                case c.Let(binders, exp, body, at):
                    parts = several(self.eval(exp, env), len(binders), at)
                    env, own = (env if own else env.having({})), True
                    for b, part in zip(binders, parts, strict=True):
                        env.values[b.name] = part
                    e = body
                case c.App(fn, args, at):
                    f = self.eval(fn, env)
                    found = self.enter(f, self.each(args, env), at)
                    if not isinstance(found, TailCall):
                        return found
                    e, env, own = found.exp, found.env, True
                case c.Foreign(name, args, _, _, at):
                    given, d = self.each(args, env), self._foreign[name]
                    return call_foreign(self._layout, self._functions, d, given, at)
                case c.If(cond, then, orelse):
                    e = then if self.holds(cond, env) else orelse
                case c.Match(exp, arms, default, at):
                    found = self.arm(self.eval(exp, env), arms, default, env, at)
                    e, env, own = found.exp, found.env, True
                case c.Assert(cond, message, values, body, at):
                    held = self.holds(cond, env)
                    shown = [number(self.eval(x, env), at) for x in values]
                    if not held:
                        text = fill(message, [show_value(n.v, n.t) for n in shown])
                        raise Trap(TrapKind.ASSERTION, text, at)
                    e = body
                case c.Global(name, types):
                    return self.global_(name, tuple([self.instance(t, env) for t in types]))
                case c.Lambda(params, body):
                    return Closure(params, body, env.having({}))
                case c.Mu(binder, fn):
                    return Closure(fn.params, fn.body, env.having({}), binder)
                case c.Loop():
                    return self.loop(e, env)
                case c.Fields() | c.Project() | c.Construct() | c.Un() | c.Convert() | c.Equal():
                    return self.data(e, env)
                case c.ArrayOperation():
                    return self.array_operation(c.array_exp(e), env)

    def each(self, es: Sequence[Exp], env: Env) -> tuple[Val, ...]:
        """Return the values of several expressions, evaluated from left to right."""
        return tuple([self.eval(e, env) for e in es])

    def enter(self, f: Val, args: tuple[Val, ...], at: Span) -> "Val | TailCall":
        """Apply a function: return the body to evaluate next, or a partial application."""
        while True:
            match f:
                case Partial(fn, have):
                    f, args = fn, (*have, *args)
                case Closure(params, body, env, itself):
                    if len(args) < len(params):
                        return Partial(f, args)
                    inner = env.having({p.name: v for p, v in zip(params, args, strict=False)})
                    if itself is not None and all(p.name != itself.name for p in params):
                        inner.values[itself.name] = f
                    if len(args) == len(params):
                        return TailCall(body, inner)
                    f, args = self.eval(body, inner), args[len(params) :]
                case Num() | Hole() | Rows() | Rec() | Tagged():
                    raise Stuck(f"{at}: {show_kind(f)} is applied")

    def apply(self, f: Val, args: tuple[Val, ...], at: Span) -> Val:
        """Return the value of ``f v …``."""
        found = self.enter(f, args, at)
        return self.eval(found.exp, found.env) if isinstance(found, TailCall) else found

    def start(self, e: Exp, bound: Iterable[Name]) -> None:
        """Evaluate the definitions that an entry point needs, if they compute something."""
        for name, types in reached(e, self.defs, bound):
            if computed(self.defs[name]):
                self.global_(name, types)

    def global_(self, name: Name, types: tuple[Type, ...]) -> Val:
        """Return the value of a definition at some types; it is evaluated once."""
        key = (name, types)
        found = self._globals.get(key)
        if found is None:
            d = self.defs[name]
            env = Env({}, dict(zip(d.tparams, types, strict=True)))
            found = self.eval(d.exp, env)
            if isinstance(found, Closure):
                found = evolve(found, type=instantiate_type(d.type, env.types))
            self._globals[key] = found
        return found

    def constant(self, name: Name) -> Val | None:
        """Return the value of a definition, or None if it has not been evaluated."""
        return self._globals.get((name, ()))

    def arm(
        self, v: Val, arms: Sequence[c.Arm], default: Exp | None, env: Env, at: Span
    ) -> "TailCall":
        """Return the branch that a match takes."""
        if isinstance(v, Hole):
            number(v, at)
        if not isinstance(v, Tagged):
            raise Stuck(f"{at}: {show_kind(v)} is matched")
        for arm in arms:
            if arm.constructor == v.name:
                names = {b.name: x for b, x in zip(arm.binders, v.args, strict=True)}
                return TailCall(arm.body, env.having(names))
        if default is None:
            raise Stuck(f"{at}: no arm for #{v.name}")
        return TailCall(default, env.having({}))

    def holds(self, e: Exp, env: Env) -> bool:
        """Return the value of a condition."""
        n = number(self.eval(e, env), e.at)
        if n.t is not BOOL:
            raise Stuck(f"{e.at}: a condition of type {n.t}")
        return bool(n.v)

    def loop(self, e: c.Loop, env: Env) -> Val:
        """Return the final parameters of a loop; each iteration binds them to the body's values."""
        names, k = [p.name for p in e.params], len(e.params)
        now = self.each(e.init, env)
        match e.form:
            case c.For(index, bound):
                for i in range(integer(self.eval(bound, env), e.at)):
                    inner = env.having({**dict(zip(names, now, strict=True)), index: i64(i)})
                    now = several(self.eval(e.body, inner), k, e.at)
            case c.While(cond):
                inner = env.having(dict(zip(names, now, strict=True)))
                while self.holds(cond, inner):
                    now = several(self.eval(e.body, inner), k, e.at)
                    inner = env.having(dict(zip(names, now, strict=True)))
        return group(now)

    # ------------------------------------------------------------------ records, sums, scalars

    def data(self, e: _Records, env: Env) -> Val:
        """Evaluate an expression on records, sums or scalars."""
        match e:
            case c.Fields(fields):
                return Rec(tuple([(label, self.eval(x, env)) for label, x in fields]))
            case c.Project(exp, label, at):
                for name, v in record(self.eval(exp, env), at).fields:
                    if name == label:
                        return v
                raise Stuck(f"{at}: no field {label}")
            case c.Construct(constructor, args, t):
                return Tagged(constructor, self.each(args, env), self.tagged_type(t, env))
            case c.Un(op, x, at):
                n = number(self.eval(x, env), at)
                return Num(un_fn(op, n.t)(n.v), _known(un_result(op, n.t)))
            case c.Convert(to, x, at):
                n = number(self.eval(x, env), at)
                return Num(convert_fn(n.t, to)(n.v), to)
            case c.Equal(x, y, at):
                first = self.eval(x, env)
                return Num(equal(first, self.eval(y, env), at), BOOL)

    def bin(self, op: BinOp, x: Exp, y: Exp, env: Env, at: Span) -> Val:
        """Return the value of ``x ⊕ y``; ``&&`` and ``||`` evaluate y only if needed."""
        m = number(self.eval(x, env), at)
        if (op is BinOp.LAND and not m.v) or (op is BinOp.LOR and m.v):
            return m
        n = number(self.eval(y, env), at)
        if m.t is not n.t:
            raise Stuck(f"{at}: operator {op} has operands of type {m.t} and {n.t}")
        try:
            return Num(bin_fn(op, m.t)(m.v, n.v), _known(bin_result(op, m.t)))
        except OperatorTrap as trap:
            raise operator_trap(trap, at) from None

    # ------------------------------------------------------------------ arrays: selections

    def array_operation(self, e: c.ArrayExp, env: Env) -> Val:
        """Evaluate an array operation."""
        match e:
            case c.Index() | c.FlatSlice() | c.Update() | c.FlatUpdate():
                return self.selection(e, env)
            case c.Map() | c.Reduce() | c.Scan() | c.Hist() | c.Filter() | c.Segmented():
                return self.parallel(e, env)
            case c.Length() | c.Coerce() | c.ArrayLit() | c.Iota() | c.Replicate() | c.Scratch():
                return self.array(e, env)
            case c.Copy() | c.Concat() | c.Rearrange() | c.Reverse() | c.Flatten():
                return self.array(e, env)
            case c.Unflatten() | c.Zip() | c.Unzip() | c.Scatter():
                return self.array(e, env)

    def where(self, dims: Sequence[c.Dim], env: Env, at: Span) -> list[slices.Where]:
        """Return the indices and ranges of a slice."""

        def opt(e: Exp | None) -> int | None:
            return None if e is None else integer(self.eval(e, env), at)

        out: list[slices.Where] = []
        for d in dims:
            match d:
                case c.Fix(i):
                    out.append(integer(self.eval(i, env), at))
                case c.Range(lo, hi, step):
                    out.append(slices.SliceRange(opt(lo), opt(hi), opt(step)))
        return out

    def selection(self, e: Selections, env: Env) -> Val:
        """Evaluate a read or an update of a part of an array."""
        match e:
            case c.Index(exp, dims, at):
                v = self.eval(exp, env)
                found = slices.select(v, self.where(dims, env, at), at)
                return number(found, at) if isinstance(found, Hole) else found
            case c.Update(exp, dims, value, at):
                v = self.eval(exp, env)
                where = self.where(dims, env, at)
                return slices.update(v, where, self.eval(value, env), at)
            case c.FlatSlice(exp, offset, flat, at):
                xs = array(self.eval(exp, env), at)
                start = integer(self.eval(offset, env), at)
                ns = [
                    (integer(self.eval(n, env), at), integer(self.eval(s, env), at))
                    for n, s in flat
                ]
                return slices.flat_slice(xs, start, ns, at)
            case c.FlatUpdate(exp, offset, strides, value, at):
                xs = array(self.eval(exp, env), at)
                start = integer(self.eval(offset, env), at)
                steps = [integer(v, at) for v in self.each(strides, env)]
                return slices.flat_update(xs, start, steps, self.eval(value, env), at)

    # ------------------------------------------------------------------ arrays: fresh and derived

    def array(self, e: Arrays, env: Env) -> Val:
        """Evaluate a fresh or derived array, or a length."""
        match e:
            case c.Length(exp, dim, at):
                return i64(shape(self.eval(exp, env), dim + 1, at)[dim] or 0)
            case c.ArrayLit(elems, elem, at):
                t = self.type(elem, env)
                return rows(self.each(elems, env), t if elems else a.row_of_none(t, at))
            case c.Coerce(exp, to, message, at):
                return a.coerce(self.eval(exp, env), self.type(to, env), message, at)
            case c.Iota(n, start, step, at):
                count = integer(self.eval(n, env), at)
                first = number(self.eval(start, env), at)
                return a.iota(count, first, number(self.eval(step, env), at), at)
            case c.Replicate(n, value, at):
                count = integer(self.eval(n, env), at)
                v = self.eval(value, env)
                return rows([v] * sized(count, at), function_type(self, v))
            case c.Scratch(n, elem, at):
                t = self.type(elem, env)
                return rows([_hole(t, at)] * sized(integer(self.eval(n, env), at), at), t)
            case c.Copy(exp):
                return self.eval(exp, env)
            case c.Concat(parts, at):
                return a.concat([array(v, at) for v in self.each(parts, env)])
            case c.Rearrange(perm, exp, at):
                return a.rearrange(self.eval(exp, env), perm, at)
            case c.Reverse(exp, at):
                xs = array(self.eval(exp, env), at)
                return Rows(xs.elems[::-1], xs.row)
            case c.Flatten(rank, exp, at):
                return a.flatten(self.eval(exp, env), rank, at)
            case c.Unflatten(sizes, exp, at):
                ns = [integer(v, at) for v in self.each(sizes, env)]
                return a.unflatten(array(self.eval(exp, env), at), ns, at)
            case c.Zip(named, at):
                return a.zip_([(label, array(self.eval(x, env), at)) for label, x in named], at)
            case c.Unzip(exp, at):
                return a.unzip(array(self.eval(exp, env), at), at)
            case c.Scatter(dest, indices, values, at):
                d, places = self.eval(dest, env), array(self.eval(indices, env), at)
                return a.scatter(d, places, array(self.eval(values, env), at), at)

    # ------------------------------------------------------------------ arrays: in parallel

    def parallel(self, e: _Parallel, env: Env) -> Val:
        """Evaluate a map, reduce, scan, hist or filter."""
        match e:
            case c.Map(fn, exps, at):
                f, xs = self.eval(fn, env), self.arrays(exps, env, at)
                cells = zip(*[x.elems for x in xs], strict=True)
                n = a.same_lengths(xs, at)
                row: Type = BOOL
                if n == 0:
                    row = possible(result_type(self, f, [row_type(x) for x in xs]))
                return rows([self.apply(f, args, at) for args in cells], row)
            case c.Segmented():
                return self.segmented(e, env)
            case c.Filter(fn, exp, at):
                f, v = self.eval(fn, env), array(self.eval(exp, env), at)
                kept = [x for x in v.elems if number(self.apply(f, (x,), at), at).v]
                return rows(kept, row_type(v))
            case c.Reduce(op, ne, exps, _, at):
                f, acc = self.eval(op, env), self.each(ne, env)
                steps = [acc, *self.accumulated(f, acc, self.arrays(exps, env, at), at)]
                return group(steps[-1])
            case c.Scan(op, ne, exps, at):
                f, acc = self.eval(op, env), self.each(ne, env)
                xs = self.arrays(exps, env, at)
                t = row_type(xs[0]) if len(xs) == 1 else c.tuple_type(*map(row_type, xs))
                return rows([group(v) for v in self.accumulated(f, acc, xs, at)], t)
            case c.Hist(op, ne, dest, indices, values, at):
                f = self.eval(op, env)
                self.each(ne, env)
                ds = self.each(dest, env)
                places = array(self.eval(indices, env), at)
                return self.hist(f, ds, places, self.arrays(values, env, at), at)

    def segmented(self, e: c.Segmented, env: Env) -> Val:
        """Evaluate a segmented map, reduce or scan: row by row."""
        f, at = self.eval(e.fn, env), e.at
        ends = [integer(x, at) for x in array(self.eval(e.offsets, env), at).elems]
        offsets_of_rows(ends, integer(self.eval(e.total, env), at), at)
        op = None if e.op is None else self.eval(e.op, env)
        start = self.each(e.ne, env)
        out: list[Val] = []
        for i, (lo, hi) in enumerate(pairwise(ends)):
            cells = (self.apply(f, (i64(i), i64(k)), at) for k in range(lo, hi))
            if op is None:
                out += cells
                continue
            acc, k = start, len(start)
            for v in cells:
                acc = several(self.apply(op, (*acc, *several(v, k, at)), at), k, at)
                if e.each:
                    out.append(group(acc))
            if not e.each:
                out.append(group(acc))
        if out:
            return rows(out, BOOL)
        return rows((), possible(result_type(self, f, [ScalarType.I64] * 2)))

    def arrays(self, es: Sequence[Exp], env: Env, at: Span) -> list[Rows]:
        return [array(v, at) for v in self.each(es, env)]

    def accumulated(
        self, f: Val, acc: tuple[Val, ...], xs: Sequence[Rows], at: Span
    ) -> Iterator[tuple[Val, ...]]:
        """Yield the accumulators after each element."""
        a.same_lengths(xs, at)
        for new in zip(*[x.elems for x in xs], strict=True):
            acc = several(self.apply(f, (*acc, *new), at), len(acc), at)
            yield acc

    def hist(
        self, f: Val, dest: tuple[Val, ...], places: Rows, values: Sequence[Rows], at: Span
    ) -> Val:
        """Apply ``dest[is[k]] := op(dest[is[k]], vs[k])`` in the order of k."""
        a.same_lengths([places, *values], at)
        a.same_shapes(dest, places, at)
        buffers = [a.PendingUpdates(d) for d in dest]
        for k, place in enumerate(places.elems):
            index = a.index_of(place, at)
            if a.has(dest[0], index):
                old = [b.get(index, at) for b in buffers]
                new = self.apply(f, (*old, *(v.elems[k] for v in values)), at)
                for b, v in zip(buffers, several(new, len(dest), at), strict=True):
                    b.put(index, v)
        return group(tuple([b.freeze() for b in buffers]))

    # ------------------------------------------------------------------ types at run time

    def instance(self, t: Type, env: Env) -> Type:
        """Return a type argument; its sizes are unknown."""
        return unsized(instantiate_type(t, env.types))

    def type(self, t: Type, env: Env) -> Type:
        """Return a type with numbers for the sizes that are in scope; other sizes are unknown."""
        return resolved(self, t, env)

    def tagged_type(self, t: c.Sum | c.Data, env: Env) -> c.Sum | c.Data:
        found = self.type(t, env)
        if not isinstance(found, c.Sum | c.Data):
            raise Stuck(f"a constructor of {t}")
        return found


def _known(t: ScalarType | None) -> ScalarType:
    if t is None:
        raise Stuck("an operator on a type on which it is not defined")
    return t


def _hole(t: Type, at: Span) -> Val:
    """Return an undefined value of a type."""
    match t:
        case ScalarType() | c.Sum() | c.Data():
            return Hole(t)
        case c.Array(elem, size):
            n = None if size is None else size.as_const
            if n is None:
                raise Stuck(f"{at}: scratch of arrays whose size is not known")
            return rows([_hole(elem, at)] * sized(n, at), elem)
        case c.Record(fields):
            return Rec(tuple([(label, _hole(u, at)) for label, u in fields]))
        case c.Arrow() | c.TypeVar() | c.Token():
            raise Stuck(f"{at}: scratch of {t}")
