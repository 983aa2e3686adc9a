"""The result type of a function that is not applied, since the array it is mapped over is empty.

The elements of ``map f []`` have a shape if their sizes follow from the types of arrays, the types
of definitions, and ``let`` bindings computed from lengths.  This module finds them without
evaluating f.  A size that does not follow is unknown, and agrees with any size.  A negative size is
unknown as well, since the program does not reach the trap.  (FUN traps there if the size is known
outside the map, since its types contain it, errata 13.)
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

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
    i64,
    show_kind,
)
from funmem.interp.core.values import type_of_value as type_of_data
from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import instantiate_type, resize
from funmem.ir.core_types import applied, row, type_of
from funmem.ir.diagnostics import Stuck
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, BinOp, normalise
from funmem.ir.sizes import Size, const

if TYPE_CHECKING:
    from funmem.interp.core.evaluate import CoreEvaluator

DEEP = 12
"""Cap on the depth of nested calls that are followed."""


def resolved(run: "CoreEvaluator", t: Type, env: Env) -> Type:
    """Return a type with numbers for the sizes that are in scope; other sizes are unknown."""
    return resize(instantiate_type(t, env.types), lambda d: _size(run, d, env.values))


def _size(run: "CoreEvaluator", d: Size, values: Mapping[Name, Val]) -> Size | None:
    image: dict[Name, int] = {}
    for name in d.free():
        v = values.get(name)
        if v is None:
            v = run.constant(name)
        if not isinstance(v, Num) or v.t is not I64:
            return None
        image[name] = int(v.v)
    return const(d.eval(image.__getitem__))


def possible(t: Type) -> Type:
    """Return a type in which negative sizes are unknown."""
    return resize(t, lambda d: None if (d.as_const or 0) < 0 else d)


def more(t: Type, also: Type) -> Type:
    """Return type ``t``, with the sizes of ``also`` where its own sizes are unknown."""
    match t, also:
        case c.Array(elem, size), c.Array(other, n):
            return c.Array(more(elem, other), n if size is None else size)
        case c.Record(fs), c.Record(gs) if len(fs) == len(gs):
            return c.Record(tuple([(x, more(u, w)) for (x, u), (_, w) in zip(fs, gs, strict=True)]))
        case _:
            return t


def function_type(run: "CoreEvaluator", v: Val) -> Type:
    """Return the type of any value, functions included."""
    match v:
        case Closure(params, _, env, itself):
            if itself is not None:
                return resolved(run, itself.type, env)
            types = [resolved(run, p.type, env) for p in params]
            return c.arrow(types, result_type(run, v, types))
        case Partial(fn, have):
            return applied(function_type(run, fn), len(have))
        case Rows(elems, t) if elems and isinstance(elems[0], Closure | Partial):
            return c.Array(t, const(len(elems)))
        case Rec(fields):
            return c.Record(tuple([(label, function_type(run, x)) for label, x in fields]))
        case Num() | Hole() | Rows() | Tagged():
            return type_of_data(v)


def result_type(run: "CoreEvaluator", f: Val, args: Sequence[Type], depth: int = 0) -> Type:
    """Return the type of ``f`` applied to arguments of these types."""
    match f:
        case Partial(fn, have):
            types = [function_type(run, v) for v in have]
            return result_type(run, fn, [*types, *args], depth)
        case Closure(_, _, env, _, declared) if declared is not None:
            sizes: dict[Name, Val] = {}
            t = declared
            for arg in args:
                if not isinstance(t, c.Arrow):
                    raise Stuck(f"{declared} is applied to {len(args)} arguments")
                _learn(t.param, arg, sizes)
                t = t.result
            return resolved(run, t, Env(sizes, env.types))
        case Closure(params, body, env, itself):
            n = len(params)
            awaited = [resolved(run, p.type, env) for p in params[len(args) :]]
            given = dict(zip((p.name for p in params), [*args[:n], *awaited], strict=True))
            if itself is not None:
                given.setdefault(itself.name, itself.type)
            known = {x: v for x, v in env.values.items() if x not in given}
            scope = _StaticScope(run, Env(known, env.types), given, depth)
            return applied(c.arrow(awaited, scope.type(body)), len(args) - n)
        case Num() | Hole() | Rows() | Rec() | Tagged():
            raise Stuck(f"{show_kind(f)} is applied")


def _learn(t: Type, given: Type, sizes: dict[Name, Val]) -> None:
    """Add the sizes that a definition's parameter names, given the type of an argument."""
    if isinstance(t, c.Array) and isinstance(given, c.Array):
        name = None if t.size is None else t.size.as_name
        known = None if given.size is None else given.size.as_const
        if name is not None and known is not None:
            sizes[name] = i64(known)
        _learn(t.elem, given.elem, sizes)


class _Types(Mapping[Name, Type]):
    """The types of all names in scope, with or without values."""

    def __init__(self, scope: "_StaticScope") -> None:
        self._scope = scope

    def __getitem__(self, name: Name) -> Type:
        if name in self._scope.absent:
            return self._scope.absent[name]
        return function_type(self._scope.run, self._scope.env.values[name])

    def __iter__(self) -> Iterator[Name]:
        return iter({**self._scope.env.values, **self._scope.absent})

    def __len__(self) -> int:
        return len({**self._scope.env.values, **self._scope.absent})


@frozen(eq=False)
class _StaticScope:
    """The scope of an expression that is not evaluated: values, and types of ``absent`` names."""

    run: "CoreEvaluator"
    env: Env
    absent: Mapping[Name, Type]
    depth: int

    @property
    def _defs(self) -> Mapping[Name, Def]:
        return self.run.defs

    def _having(self, name: Name, t: Type, value: int | None) -> "_StaticScope":
        values = {x: v for x, v in self.env.values.items() if x != name}
        absent = {x: u for x, u in self.absent.items() if x != name}
        if value is None:
            absent[name] = t
        else:
            values[name] = i64(value)
        return evolve(self, env=Env(values, self.env.types), absent=absent)

    def type(self, e: Exp) -> Type:
        """Return the type of an expression; its sizes are numbers or unknown."""
        scope = self
        while isinstance(e, c.Let | c.Assert):
            if isinstance(e, c.Let):
                scope = scope._bound(e.binders, e.exp)
            e = e.body
        return scope._type(e)

    def _bound(self, binders: Sequence[c.Binder], e: Exp) -> "_StaticScope":
        if len(binders) == 1 and binders[0].type is I64:
            return self._having(binders[0].name, I64, self._number(e))
        t = self.type(e)
        types = [t] if len(binders) == 1 else [u for _, u in _fields(t)]
        scope = self
        for b, u in zip(binders, types, strict=True):
            scope = scope._having(b.name, more(u, resolved(self.run, b.type, scope.env)), None)
        return scope

    def _number(self, e: Exp) -> int | None:
        """Return the value of an i64 expression; None if it depends on an absent name.

        Only the forms that compute sizes from lengths are evaluated; the others give None.
        """
        match e:
            case c.Const(int(k)):
                return k
            case c.Var(name):
                v = self.env.values.get(name)
                return int(v.v) if isinstance(v, Num) else None
            case c.Length(exp, dim):
                t = self.type(exp)
                for _ in range(dim):
                    t = row(t)
                return t.size.as_const if isinstance(t, c.Array) and t.size is not None else None
            case c.Bin(BinOp.ADD | BinOp.SUB | BinOp.MUL as op, a, b):
                m, n = self._number(a), self._number(b)
                if m is None or n is None:
                    return None
                k = m + n if op is BinOp.ADD else m - n if op is BinOp.SUB else m * n
                return int(normalise(k, I64))
            case c.Const() | c.Bin() | c.Un() | c.Convert() | c.Equal() | c.ArrayOperation():
                return None
            case c.Global() | c.Lambda() | c.Mu() | c.App() | c.Let() | c.Assert():
                return None
            case c.Foreign():
                return None
            case c.If() | c.Match() | c.Loop() | c.Fields() | c.Project() | c.Construct():
                return None

    def _type(self, e: Exp) -> Type:
        """Return the static type of an expression, with more sizes where they can be derived."""
        static = resolved(self.run, type_of(e, _Types(self), self._defs), self.env)
        if self.depth > DEEP:
            return static
        match e:
            case c.Coerce(exp, _):
                return more(static, self.type(exp))
            case c.Map(fn, arrays):
                types = [self.type(x) for x in arrays]
                first = types[0]
                n = first.size if isinstance(first, c.Array) else None
                return more(c.Array(self._result(fn, [row(t) for t in types]), n), static)
            case c.App(fn, args):
                return more(static, self._result(fn, [self.type(x) for x in args]))
            case c.Scan(_, _, (only,)) | c.Reverse(only) | c.Copy(only) | c.Update(only):
                return more(static, self.type(only))
            case c.Rearrange(perm, exp):
                return more(static, _rearranged(self.type(exp), perm))
            case c.Fields(fields):
                return c.Record(tuple([(label, self.type(x)) for label, x in fields]))
            case c.Project(exp, label):
                return more(static, dict(_fields(self.type(exp)))[label])
            case c.Replicate(n, value):
                k = self._number(n)
                return c.Array(self.type(value), None if k is None or k < 0 else const(k))
            case c.Iota(n, _, _):
                k = self._number(n)
                return more(static, c.Array(row(static), None if k is None else const(max(k, 0))))
            case c.Var() | c.Global() | c.Const() | c.Lambda() | c.Mu() | c.Let() | c.Assert():
                return static
            case c.If() | c.Match() | c.Loop() | c.Construct() | c.Foreign():
                return static
            case c.Bin() | c.Un() | c.Convert() | c.Equal() | c.ArrayOperation():
                return static

    def _result(self, fn: Exp, args: Sequence[Type]) -> Type:
        """Return the type of a function's result for arguments of these types."""
        match fn:
            case c.Lambda(params, body) if len(params) == len(args):
                scope = evolve(self, depth=self.depth + 1)
                for p, t in zip(params, args, strict=True):
                    known = more(t, resolved(self.run, p.type, self.env))
                    scope = scope._having(p.name, known, None)
                return scope.type(body)
            case c.Global():
                return result_type(self.run, self.run.eval(fn, self.env), args, self.depth + 1)
            case c.Var(name) if name in self.env.values:
                return result_type(self.run, self.env.values[name], args, self.depth + 1)
            case c.App(inner, have):
                return self._result(inner, [*(self.type(x) for x in have), *args])
            case c.Lambda() | c.Var() | c.Mu() | c.Let() | c.Assert() | c.If() | c.Match():
                return self._static_result(fn, len(args))
            case c.Loop() | c.Fields() | c.Project() | c.Construct():
                return self._static_result(fn, len(args))
            case c.Foreign() | c.ArrayOperation():
                return self._static_result(fn, len(args))
            case c.Const() | c.Bin() | c.Un() | c.Convert() | c.Equal():
                return self._static_result(fn, len(args))

    def _static_result(self, fn: Exp, arguments: int) -> Type:
        static = resolved(self.run, type_of(fn, _Types(self), self._defs), self.env)
        return applied(static, arguments)


def _fields(t: Type) -> tuple[tuple[str, Type], ...]:
    if not isinstance(t, c.Record):
        raise Stuck(f"{t} is not a record type")
    return t.fields


def _rearranged(t: Type, perm: Sequence[int]) -> Type:
    sizes: list[Size | None] = []
    for _ in perm:
        sizes.append(t.size if isinstance(t, c.Array) else None)
        t = row(t)
    for k in reversed(perm):
        t = c.Array(t, sizes[k])
    return t
