"""Traversals of Core: rebuild one level of an expression or a type.

``map_parts(e, f, t)`` applies ``f`` to the expressions directly inside ``e`` and ``t`` to the
types.  It ignores scopes: a rewriting that depends on the meaning of names treats the binding forms
(lambda, mu, let, match, loop) itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast, get_args

from funmem.ir import core as c
from funmem.ir.core import ClosedExp, Exp, Type, closed
from funmem.ir.diagnostics import NOWHERE
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size

ExpFn = Callable[[Exp], Exp]
TypeFn = Callable[[Type], Type]

# ---------------------------------------------------------------------- types


def map_type(t: Type, f: TypeFn) -> Type:
    """Return ``t`` with ``f`` applied to the types directly inside it."""
    match t:
        case ScalarType() | c.TypeVar() | c.Token():
            return t
        case c.Array(elem, size):
            return c.Array(f(elem), size)
        case c.Record(fields):
            return c.Record(tuple((label, f(u)) for label, u in fields))
        case c.Sum(constructors):
            return c.Sum(tuple((n, tuple(map(f, us))) for n, us in constructors))
        case c.Data(name, args):
            return c.Data(name, tuple(map(f, args)))
        case c.Arrow(param, result):
            return c.Arrow(f(param), f(result))


def resize(t: Type, size: Callable[[Size], Size | None]) -> Type:
    """Return ``t`` with every known size replaced; None makes it unknown."""
    if isinstance(t, c.Array):
        return c.Array(resize(t.elem, size), None if t.size is None else size(t.size))
    return map_type(t, lambda u: resize(u, size))


def unsized(t: Type) -> Type:
    """Return ``t`` without sizes: two types are compatible if these are equal."""
    return resize(t, lambda _: None)


def has_arrow(t: Type) -> bool:
    """True if a value of the type contains a function."""
    match t:
        case ScalarType() | c.TypeVar() | c.Token():
            return False
        case c.Array(elem):
            return has_arrow(elem)
        case c.Record(fields):
            return any(has_arrow(u) for _, u in fields)
        case c.Sum(constructors):
            return any(has_arrow(u) for _, us in constructors for u in us)
        case c.Data(_, args):
            return any(map(has_arrow, args))
        case c.Arrow():
            return True


def has_token(t: Type) -> bool:
    """True if a value of the type contains a token; functions do not."""
    match t:
        case c.Token():
            return True
        case ScalarType() | c.TypeVar() | c.Arrow():
            return False
        case c.Array(elem):
            return has_token(elem)
        case c.Record(fields):
            return any(has_token(u) for _, u in fields)
        case c.Sum(constructors):
            return any(has_token(u) for _, us in constructors for u in us)
        case c.Data(_, args):
            return any(map(has_token, args))


# ---------------------------------------------------------------------- expressions


def map_dim(d: c.Dim, f: ExpFn) -> c.Dim:
    """Return a slice's dimension with ``f`` applied to the expressions in it."""

    def opt(e: Exp | None) -> Exp | None:
        return None if e is None else f(e)

    match d:
        case c.Fix(i):
            return c.Fix(f(i))
        case c.Range(lo, hi, step):
            return c.Range(opt(lo), opt(hi), opt(step))


def map_parts(e: Exp, f: ExpFn, t: TypeFn) -> Exp:
    """Return ``e`` with ``f`` applied to the expressions, ``t`` to the types directly inside it.

    They are visited in the order of evaluation.
    """
    whole = closed(e)
    if isinstance(whole, c.Var | c.Const):  # most expressions, so they are not told apart last
        return whole

    def each(es: tuple[Exp, ...]) -> tuple[Exp, ...]:
        return tuple(map(f, es))

    def binder(b: c.Binder) -> c.Binder:
        return c.Binder(b.name, t(b.type))

    def binders(bs: tuple[c.Binder, ...]) -> tuple[c.Binder, ...]:
        return tuple(map(binder, bs))

    def named(fs: tuple[tuple[str, Exp], ...]) -> tuple[tuple[str, Exp], ...]:
        return tuple((label, f(x)) for label, x in fs)

    def dims(ds: tuple[c.Dim, ...]) -> tuple[c.Dim, ...]:
        return tuple(map_dim(d, f) for d in ds)

    def sum_or_data(u: c.Sum | c.Data) -> c.Sum | c.Data:
        new = t(u)
        if not isinstance(new, c.Sum | c.Data):
            raise TypeError(f"a constructor's type became {new}")
        return new

    match whole:
        case c.Global(name, types, at):
            return c.Global(name, tuple(map(t, types)), at)
        case c.Lambda(params, body, at):
            return c.Lambda(binders(params), f(body), at)
        case c.Mu(b, fn, at):
            return c.Mu(binder(b), c.Lambda(binders(fn.params), f(fn.body), fn.at), at)
        case c.App(fn, args, at):
            return c.App(f(fn), each(args), at)
        case c.Foreign(name, args, u, effect, at, grid):
            grid = None if grid is None else each(grid)
            return c.Foreign(name, each(args), t(u), effect, at, grid)
        case c.Let(bs, exp, body, at):
            return c.Let(binders(bs), f(exp), f(body), at)
        case c.If(cond, then, orelse, at):
            return c.If(f(cond), f(then), f(orelse), at)
        case c.Match(exp, arms, default, at):
            new = f(exp)
            arms = tuple(c.Arm(a.constructor, binders(a.binders), f(a.body)) for a in arms)
            return c.Match(new, arms, None if default is None else f(default), at)
        case c.Loop(params, init, form, body, at):
            init = each(init)
            match form:
                case c.For(i, bound):
                    form = c.For(i, f(bound))
                case c.While(cond):
                    form = c.While(f(cond))
            return c.Loop(binders(params), init, form, f(body), at)
        case c.Assert(cond, message, values, body, at):
            return c.Assert(f(cond), message, each(values), f(body), at)
        case c.Fields(fields, at):
            return c.Fields(named(fields), at)
        case c.Project(exp, label, at):
            return c.Project(f(exp), label, at)
        case c.Construct(constructor, args, u, at):
            return c.Construct(constructor, each(args), sum_or_data(u), at)
        case c.Bin(op, a, b, at):
            return c.Bin(op, f(a), f(b), at)
        case c.Un(op, a, at):
            return c.Un(op, f(a), at)
        case c.Convert(to, a, at):
            return c.Convert(to, f(a), at)
        case c.Equal(a, b, at):
            return c.Equal(f(a), f(b), at)
        case c.Length(array, dim, at):
            return c.Length(f(array), dim, at)
        case c.Index(array, ds, at):
            return c.Index(f(array), dims(ds), at)
        case c.FlatSlice(array, offset, flat, at):
            return c.FlatSlice(f(array), f(offset), tuple((f(n), f(s)) for n, s in flat), at)
        case c.Coerce(exp, u, message, at):
            new_type = t(u)
            if not isinstance(new_type, c.Array):
                raise TypeError(f"an array's type became {new_type}")
            return c.Coerce(f(exp), new_type, message, at)
        case c.ArrayLit(elems, elem, at):
            return c.ArrayLit(each(elems), t(elem), at)
        case c.Iota(n, start, step, at):
            return c.Iota(f(n), f(start), f(step), at)
        case c.Replicate(n, value, at):
            return c.Replicate(f(n), f(value), at)
        case c.Scratch(n, elem, at):
            return c.Scratch(f(n), t(elem), at)
        case c.Copy(exp, at):
            return c.Copy(f(exp), at)
        case c.Concat(arrays, at):
            return c.Concat(each(arrays), at)
        case c.Rearrange(perm, array, at):
            return c.Rearrange(perm, f(array), at)
        case c.Reverse(array, at):
            return c.Reverse(f(array), at)
        case c.Flatten(rank, array, at):
            return c.Flatten(rank, f(array), at)
        case c.Unflatten(sizes, array, at):
            return c.Unflatten(each(sizes), f(array), at)
        case c.Zip(arrays, at):
            return c.Zip(named(arrays), at)
        case c.Unzip(array, at):
            return c.Unzip(f(array), at)
        case c.Update(array, ds, value, at):
            return c.Update(f(array), dims(ds), f(value), at)
        case c.FlatUpdate(array, offset, strides, value, at):
            return c.FlatUpdate(f(array), f(offset), each(strides), f(value), at)
        case c.Scatter(dest, indices, values, at):
            return c.Scatter(f(dest), f(indices), f(values), at)
        case c.Map(fn, arrays, at):
            return c.Map(f(fn), each(arrays), at)
        case c.Reduce(op, ne, arrays, comm, at):
            return c.Reduce(f(op), each(ne), each(arrays), comm, at)
        case c.Scan(op, ne, arrays, at):
            return c.Scan(f(op), each(ne), each(arrays), at)
        case c.Hist(op, ne, dest, indices, values, at):
            return c.Hist(f(op), each(ne), each(dest), f(indices), each(values), at)
        case c.Filter(fn, array, at):
            return c.Filter(f(fn), f(array), at)
        case c.Segmented(fn, offsets, total, op, ne, by_element, comm, at):
            new_op = None if op is None else f(op)
            new_fn, new_offsets, new_total = f(fn), f(offsets), f(total)
            ones = each(ne)
            return c.Segmented(new_fn, new_offsets, new_total, new_op, ones, by_element, comm, at)


def bound_names(e: Exp) -> tuple[Name, ...]:
    """Return the names that ``e`` binds itself, without those that its parts bind."""
    match e:
        case c.Lambda(params):
            return tuple(b.name for b in params)
        case c.Loop(params, _, form):
            index = (form.index,) if isinstance(form, c.For) else ()
            return (*(b.name for b in params), *index)
        case c.Mu(binder, fn):
            return (binder.name, *(b.name for b in fn.params))
        case c.Let(binders):
            return tuple(b.name for b in binders)
        case c.Match(_, arms):
            return tuple(b.name for arm in arms for b in arm.binders)
        case c.Leaf() | c.App() | c.Foreign() | c.If() | c.Assert():
            return ()
        case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
            return ()


def instantiate_type(t: Type, image: Mapping[Name, Type]) -> Type:
    """Return ``t`` with type variables replaced."""
    if isinstance(t, c.TypeVar):
        return image.get(t.name, t)
    return map_type(t, lambda u: instantiate_type(u, image))


def instantiate(e: Exp, image: Mapping[Name, Type]) -> Exp:
    """Return ``e`` with type variables replaced in all types."""
    return map_parts(e, lambda x: instantiate(x, image), lambda t: instantiate_type(t, image))


def unplaced(e: Exp) -> Exp:
    """Return ``e`` without source positions, for code whose errors belong to the place of use."""
    return evolve(closed(map_parts(e, unplaced, lambda t: t)), at=NOWHERE)


_EXPRESSIONS = frozenset[type](get_args(ClosedExp))
_FIELDS: Mapping[type, Sequence[str]] = {
    of: of.__match_args__ for of in (*_EXPRESSIONS, *get_args(c.Dim), c.Arm, c.For, c.While)
}
"""The fields of each class that may contain expressions, in the order of evaluation."""


def parts(e: Exp) -> Iterator[Exp]:
    """Return the expressions directly inside ``e``, in the order of evaluation.

    They are those that ``map_parts`` visits; nothing is rebuilt.
    """
    found: list[Exp] = []
    _collect(e.fn if isinstance(e, c.Mu) else e, found)
    return iter(found)


def _collect(record: object, found: list[Exp]) -> None:
    """Append the expressions in a record's fields to ``found``."""
    for name in _FIELDS[record.__class__]:
        _note(getattr(record, name), found)


def _note(value: object, found: list[Exp]) -> None:
    of = value.__class__
    if of in _EXPRESSIONS:
        found.append(cast("Exp", value))
    elif isinstance(value, tuple):
        for v in value:
            _note(v, found)
    elif of in _FIELDS:
        _collect(value, found)
