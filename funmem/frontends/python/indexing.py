"""Indexing: ``x[i, 1:, None]``, gather ``x[is]``, masks ``x[x > 0]``, ``x.at[i].set(v)``.

As in numpy a negative index counts from the end.  Slices do not clip, they trap: otherwise each
size of a slice would be a minimum.  An index out of bounds traps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funmem.frontends.python.elementwise import astype, broadcast, common, fitted
from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.functions import map_
from funmem.frontends.python.tape import Dims, Symbol, Tape, binder, core_type, describe
from funmem.ir import core as c
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import ONE, ZERO, Size, const, product


@frozen
class Cut:
    """A slice with its bounds resolved: ``lo:hi:step``, and the number of its elements."""

    range: c.Range
    size: Size | None


def _keys(x: Symbol, key: Any) -> list[Any]:
    """Return one key per dimension, with ``...`` expanded; None adds a dimension."""
    keys = list(key) if isinstance(key, tuple) else [key]
    keys = [_key(x.tape, k) for k in keys]
    used = sum(_rank_of(k) for k in keys)
    if sum(k is Ellipsis for k in keys) > 1:
        raise wrong(Code.UNSUPPORTED, "an index has more than one `...`")
    if used > len(x.dims):
        raise wrong(Code.SHAPE, f"too many indices for {describe(x)}")
    rest = [slice(None)] * (len(x.dims) - used)
    if Ellipsis in [k for k in keys if k is Ellipsis]:
        k = next(j for j, other in enumerate(keys) if other is Ellipsis)
        return [*keys[:k], *rest, *keys[k + 1 :]]
    return [*keys, *rest]


def _rank_of(k: Any) -> int:
    """Return the number of dimensions that a key indexes."""
    if k is None or k is Ellipsis:
        return 0
    return len(k.dims) if isinstance(k, Symbol) and k.type is BOOL else 1


def _key(tape: Tape, k: Any) -> Any:
    if k is None or k is Ellipsis or isinstance(k, slice):
        return k
    if isinstance(k, Symbol):
        k = tape.local(k)
    elif isinstance(k, bool | np.bool_):
        raise wrong(Code.UNSUPPORTED, "a single bool is not an index")
    elif isinstance(k, int | np.integer):
        return int(k)
    elif isinstance(k, float | np.floating | str):
        raise wrong(Code.TYPE, f"an index is an integer, not {type(k).__name__}")
    else:
        k = tape.lift(np.asarray(k) if isinstance(k, list) else k)
    if k.type.is_float:
        raise wrong(
            Code.TYPE, f"an index is an integer, not {describe(k)}", "convert it: fm.i64(…)"
        )
    if k.type is BOOL and not k.dims:
        raise wrong(Code.UNSUPPORTED, "a single bool is not an index")
    return k


def getitem(x: Symbol, key: Any) -> Symbol:
    """Return ``x[key]``."""
    x = x.tape.local(x)
    keys = _keys(x, key)
    masks = [k for k in keys if isinstance(k, Symbol) and k.type is BOOL]
    if masks:
        others = [k for k in keys if k is not masks[0]]
        if len(masks) > 1 or any(k != slice(None) for k in others) or keys[0] is not masks[0]:
            raise wrong(
                Code.UNSUPPORTED, "a mask together with other indices", "index twice: x[mask][i]"
            )
        return masked(x, masks[0])
    arrays = [j for j, k in enumerate(keys) if isinstance(k, Symbol) and k.dims]
    if not arrays:
        return _basic(x, keys)
    return _gathered(x, keys)


def _basic(x: Symbol, keys: Sequence[Any]) -> Symbol:
    """Index with integers, slices and new dimensions."""
    tape = x.tape
    at = here()
    dims: list[c.Dim] = []
    out: list[Size | None] = []
    new: list[int] = []
    j = 0
    for k in keys:
        if k is None:
            new.append(len(out) + len(new))
            continue
        d = x.dims[j]
        j += 1
        if isinstance(k, slice):
            cut = cut_of(tape, k, d)
            dims.append(cut.range)
            out.append(cut.size)
        else:
            dims.append(c.Fix(index_atom(tape, k, d)))
    whole = c.Range(None, None, None)
    while dims and dims[-1] == whole:
        dims.pop()
    if dims:
        x = tape.bind(c.Index(x.exp, tuple(dims), at), x.type, _maybe(out), at)
        x = tape.regular(x, out)
    for k in new:
        x = with_dimension(x, k)
    return x


def _maybe(dims: Sequence[Size | None]) -> Dims:
    return tuple(dims)  # type: ignore[arg-type]  # unknown ones are replaced by regular()


def with_dimension(x: Symbol, k: int) -> Symbol:
    """Return the array with a dimension of size 1 at position k."""
    tape, at = x.tape, here()
    natural = x.natural
    if not x.dims:
        one = c.Replicate(c.Const(1, I64), x.exp, at)
        return tape.bind(one, x.type, (ONE,), at, natural=natural)
    first = tape.size_atom(x.dims[0])
    if k == 1:
        dims = (x.dims[0], ONE, *x.dims[1:])
        e = c.Unflatten((first, c.Const(1, I64)), x.exp, at)
        return tape.bind(e, x.type, dims, at, natural=natural)
    dims = (ONE, *x.dims)
    unflat = c.Unflatten((c.Const(1, I64), first), x.exp, at)
    x = tape.bind(unflat, x.type, dims, at, natural=natural)
    if k == 0:
        return x
    perm = (*range(1, k + 1), 0, *range(k + 1, len(dims)))
    return rearranged(x, perm)


def rearranged(x: Symbol, perm: Sequence[int]) -> Symbol:
    """Return the array whose dimension k is dimension perm[k] of ``x``."""
    if list(perm) == list(range(len(x.dims))):
        return x
    dims = tuple(x.dims[k] for k in perm)
    return x.tape.bind(c.Rearrange(tuple(perm), x.exp, here()), x.type, dims, natural=x.natural)


# ---------------------------------------------------------------------- one dimension


def index_atom(tape: Tape, k: Any, d: Size) -> c.Exp:
    """Return an index into a dimension as an i64; a negative one counts from the end."""
    if isinstance(k, int):
        n = d.as_const
        if n is not None and not -n <= k < n:
            raise wrong(Code.SHAPE, f"index {k} is out of bounds for a dimension of size {n}")
        return c.Const(k, I64) if k >= 0 else tape.size_atom(d + k)
    assert isinstance(k, Symbol)
    x = astype(k, I64)
    if x.natural or not k.type.is_signed:
        return x.exp
    return tape.bind(_wrapped(x.exp, tape.size_atom(d)), I64, natural=True).exp


def _wrapped(i: c.Exp, n: c.Exp) -> c.Exp:
    """``i + n`` for a negative index i, else i."""
    negative = c.Bin(BinOp.LT, i, c.Const(0, I64))
    return c.If(negative, c.Bin(BinOp.ADD, i, n), i)


def cut_of(tape: Tape, s: slice, d: Size) -> Cut:
    """Return a slice of a dimension of size ``d``."""
    step = s.step
    if isinstance(step, Symbol):
        raise wrong(Code.UNSUPPORTED, "a slice's step must be a Python integer")
    step = 1 if step is None else step.__index__()
    if step == 0:
        raise wrong(Code.SHAPE, "a slice's step cannot be 0")
    lo, hi, n = s.start, s.stop, d.as_const
    if lo is None and hi is None and abs(step) == 1:
        given = None if step == 1 else c.Const(-1, I64)
        return Cut(c.Range(None, None, given), d)
    if n is not None and not isinstance(lo, Symbol) and not isinstance(hi, Symbol):
        start, stop, _ = s.indices(n)
        count = len(range(start, stop, step))
        if count == 0:
            zero = c.Const(0, I64)
            return Cut(c.Range(zero, zero, None), ZERO)
        stop = start + count * step if step == 1 else stop
        bounds = (c.Const(start, I64), c.Const(stop, I64), c.Const(step, I64))
        return Cut(c.Range(bounds[0], bounds[1], None if step == 1 else bounds[2]), const(count))
    first = _bound(tape, lo, d)
    last = _bound(tape, hi, d)
    range_ = c.Range(
        None if first is None else tape.size_atom(first),
        None if last is None else tape.size_atom(last),
        None if step == 1 else c.Const(step, I64),
    )
    if step != 1:
        return Cut(range_, None)
    return Cut(range_, (d if last is None else last) - (ZERO if first is None else first))


def _bound(tape: Tape, x: Any, d: Size) -> Size | None:
    """Return a bound of a slice; a negative Python integer counts from the end."""
    if x is None:
        return None
    if isinstance(x, Symbol):
        return tape.dim_of(x)
    if not isinstance(x, int | np.integer):
        raise wrong(Code.TYPE, f"a slice's bound is an integer, not {type(x).__name__}")
    return const(int(x)) if x >= 0 else d + int(x)


# ---------------------------------------------------------------------- arrays as indices


def masked(x: Symbol, mask: Symbol) -> Symbol:
    """Return the elements (rows) where a mask is true, in order."""
    tape, at = x.tape, here()
    rank = len(mask.dims)
    mask = fitted(mask, x.dims[:rank])
    if rank > 1:
        flat = product(x.dims[:rank])
        rest = x.dims[rank:]
        x = tape.bind(c.Flatten(rank, x.exp, at), x.type, (flat, *rest), at)
        mask = tape.bind(c.Flatten(rank, mask.exp, at), BOOL, (flat,), at)
    row = core_type(x.type, x.dims[1:])
    pair = c.Binder(tape.name(), c.tuple_type(row, BOOL))
    both = c.Zip((("0", x.exp), ("1", mask.exp)), at)
    keep = c.Lambda((pair,), c.Project(c.Var(pair.name), "1"), at)
    kept = c.Unzip(c.Filter(keep, both, at), at)
    values = tape.symbol(tape, c.Var(tape.name(), at), x.type, ())
    rest_ = c.Binder(tape.name(), core_type(BOOL, [None]))
    assert isinstance(values.exp, c.Var)
    b = c.Binder(values.exp.name, core_type(x.type, [None, *x.dims[1:]]))
    tape.current.items.append(((b, rest_), kept, at))
    values = tape.regular(values, [None, *x.dims[1:]])
    tape.bounded(values.dims[0], x.dims[0])
    return values


def _gathered(x: Symbol, keys: Sequence[Any]) -> Symbol:
    """Index with integer arrays: in each row, if the first key is a slice; else the other keys
    first, then a map over the indices.
    """
    where_new = [j for j, k in enumerate(keys) if k is None]
    if where_new:
        raise wrong(Code.UNSUPPORTED, "None together with an index array", "index twice")
    arrays = [j for j, k in enumerate(keys) if not isinstance(k, slice)]
    adjacent = arrays == list(range(arrays[0], arrays[-1] + 1))
    if adjacent and arrays[0] > 0:
        indices = [k if isinstance(k, slice) else index_array(x.tape, k) for k in keys[1:]]
        rows = _basic(x, [keys[0], *[slice(None)] * len(indices)])
        found: Symbol = map_(lambda row: _gathered(row, indices), rows)
        return found
    sliced = [k if isinstance(k, slice) else slice(None) for k in keys]
    x = _basic(x, sliced)
    others = [j for j in range(len(keys)) if j not in arrays]
    x = rearranged(x, [*arrays, *others])
    return take(x, [keys[j] for j in arrays])


def take(x: Symbol, indices: Sequence[Any]) -> Symbol:
    """Return ``x[i, j, …]`` for index arrays that broadcast."""
    tape, at = x.tape, here()
    given = [index_array(tape, k) for k in indices]
    shape, given = common(given)
    given = [broadcast(g, shape) if g.dims else g for g in given]
    sizes = [tape.size_atom(d) for d in x.dims[: len(given)]]
    rest = x.dims[len(given) :]

    def element(es: Sequence[c.Exp]) -> c.Exp:
        fixed: list[c.Dim] = []
        lets: list[tuple[c.Binder, c.Exp]] = []
        for e, g, n in zip(es, given, sizes, strict=True):
            i: c.Exp = e if g.type is I64 else c.Convert(I64, e)
            if g.type.is_signed and not g.natural and not isinstance(e, c.Const):
                name = tape.name()
                lets.append((c.Binder(name, I64), _wrapped(i, n)))
                i = c.Var(name)
            fixed.append(c.Fix(i))
        found: c.Exp = c.Index(x.exp, tuple(fixed), at)
        for b, e in reversed(lets):
            found = c.Let((b,), e, found, at)
        return found

    e = nested(tape, element, given, shape)
    return tape.bind(e, x.type, (*shape, *rest), at)


def index_array(tape: Tape, k: Any) -> Symbol:
    """Return an index, or an array of them, as a value; constants are not negative."""
    x = tape.lift(k)
    if isinstance(x.exp, c.Const):
        x.natural = x.exp.value >= 0
    return x


def nested(tape: Tape, body: Any, operands: Sequence[Symbol], shape: Dims) -> c.Exp:
    """Return maps over all dimensions of operands of one shape; scalars stay as they are."""
    at = here()

    def go(es: Sequence[c.Exp], depth: int) -> c.Exp:
        if depth == len(shape):
            return body(es)  # type: ignore[no-any-return]
        params: list[c.Binder] = []
        arrays: list[c.Exp] = []
        inner: list[c.Exp] = []
        for e, g in zip(es, operands, strict=True):
            if not g.dims:
                inner.append(e)
                continue
            name = tape.name()
            params.append(c.Binder(name, core_type(g.type, g.dims[depth + 1 :])))
            arrays.append(e)
            inner.append(c.Var(name, at))
        return c.Map(c.Lambda(tuple(params), go(inner, depth + 1), at), tuple(arrays), at)

    return go([g.exp for g in operands], 0)


# ---------------------------------------------------------------------- x.at[…]


class At:
    """``x.at``: ``x.at[i].set(v)`` is x with some elements replaced; x does not change."""

    __slots__ = ("_x",)

    def __init__(self, x: Symbol) -> None:
        self._x = x

    def __getitem__(self, key: Any) -> Place:
        return Place(self._x, key)


class Place:
    """``x.at[key]``: what can be done with these elements."""

    __slots__ = ("_key", "_x")

    def __init__(self, x: Symbol, key: Any) -> None:
        self._x, self._key = x, key

    def get(self) -> Symbol:
        """Return the elements."""
        return getitem(self._x, self._key)

    def set(self, v: Any) -> Any:
        """Return the array with these elements replaced; of several values for one, any."""
        return _changed(self._x, self._key, v, None)

    def add(self, v: Any) -> Any:
        """Return the array with ``v`` added; an element that is named twice is added to twice."""
        return _changed(self._x, self._key, v, np.add)

    def multiply(self, v: Any) -> Any:
        """Return the array with these elements multiplied by ``v``."""
        return _changed(self._x, self._key, v, np.multiply)

    def min(self, v: Any) -> Any:
        """Return the array with these elements replaced by ``v`` where it is smaller."""
        return _changed(self._x, self._key, v, np.minimum)

    def max(self, v: Any) -> Any:
        """Return the array with these elements replaced by ``v`` where it is larger."""
        return _changed(self._x, self._key, v, np.maximum)


def _changed(x: Symbol, key: Any, v: Any, f: np.ufunc | None) -> Symbol:
    from funmem.frontends.python.elementwise import select, ufunc

    tape = x.tape
    x = tape.local(x)
    value = tape.lift(v)
    keys = _keys(x, key)
    if any(k is None for k in keys):
        raise wrong(Code.UNSUPPORTED, "None in x.at[…]")
    if any(isinstance(k, Symbol) and k.type is BOOL for k in keys):
        mask = keys[0]
        if 1 < len(mask.dims) < len(x.dims) or value.dims:
            raise wrong(Code.UNSUPPORTED, "x.at[mask] with an array", "use fm.where(mask, v, x)")
        for _ in range(len(x.dims) - len(mask.dims)):
            mask = with_dimension(mask, len(mask.dims))
        new = value if f is None else ufunc(f, [x, value], tape)
        return select(mask, astype(new, x.type), x, tape)
    if any(isinstance(k, Symbol) and k.dims for k in keys):
        return _scattered(x, keys, value, f)
    old = None
    if f is not None:
        old = _basic(x, keys)
        value = ufunc(f, [old, value], tape)
    value = astype(value, x.type)
    dims: list[c.Dim] = []
    shape: list[Size] = []
    for k, d in zip(keys, x.dims, strict=True):
        if not isinstance(k, slice):
            dims.append(c.Fix(index_atom(tape, k, d)))
            continue
        cut = cut_of(tape, k, d)
        dims.append(cut.range)
        if cut.size is None:
            old = _basic(x, keys) if old is None else old
            shape.append(old.dims[len(shape)])
        else:
            shape.append(cut.size)
    value = broadcast(value, tuple(shape))
    at = here()
    return tape.bind(c.Update(x.exp, tuple(dims), value.exp, at), x.type, x.dims, at)


def _scattered(x: Symbol, keys: Sequence[Any], value: Symbol, f: np.ufunc | None) -> Symbol:
    """``x.at[is, js].set(v)`` and ``add``: each index is checked."""
    tape, at = x.tape, here()
    arrays = [k for k in keys if not isinstance(k, slice)]
    m = len(arrays)
    if any(isinstance(k, slice) for k in keys[:m]) or any(k != slice(None) for k in keys[m:]):
        raise wrong(
            Code.UNSUPPORTED, "slices before an index array in x.at[…]", "transpose x first"
        )
    given = [index_array(tape, k) for k in arrays]
    shape, given = common(given)
    given = [astype(broadcast(g, shape), I64) for g in given]
    rest = x.dims[m:]
    value = broadcast(astype(value, x.type), (*shape, *rest))
    sizes = [tape.size_atom(d) for d in x.dims[:m]]

    def checked(es: Sequence[c.Exp]) -> c.Exp:
        names: list[Name] = []
        found: c.Exp
        lets: list[tuple[Name, c.Exp]] = []
        for e, n in zip(es, sizes, strict=True):
            names.append(tape.name())
            lets.append((names[-1], _wrapped(e, n)))
        found = c.Var(names[0]) if m == 1 else c.tuple_exp(*map(c.Var, names))
        for name, n, e in zip(names[::-1], sizes[::-1], list(es)[::-1], strict=True):
            ok = c.Bin(
                BinOp.AND,
                c.Bin(BinOp.LE, c.Const(0, I64), c.Var(name)),
                c.Bin(BinOp.LT, c.Var(name), n),
            )
            said = "index {} is out of bounds for a dimension of size {}"
            found = c.Assert(ok, said, (e, n), found, at)
        for name, e in reversed(lets):
            found = c.Let((c.Binder(name, I64),), e, found, at)
        return found

    index_type: c.Type = I64 if m == 1 else c.tuple_type(*[I64] * m)
    es = nested(tape, checked, given, shape)
    flat = product(shape)
    if len(shape) > 1:
        es = c.Flatten(len(shape), es, at)
        e = c.Flatten(len(shape), value.exp, at)
        value = tape.bind(e, x.type, (flat, *rest), at)
    name = tape.name()
    tape.current.items.append(((c.Binder(name, c.Array(index_type, flat)),), es, at))
    if f is None:
        return tape.bind(c.Scatter(x.exp, c.Var(name), value.exp, at), x.type, x.dims, at)
    op, ne = _operator(tape, f, x, rest)
    changed = c.Hist(op, (ne,), (x.exp,), c.Var(name), (value.exp,), at)
    return tape.bind(changed, x.type, x.dims, at)


def _operator(tape: Tape, f: np.ufunc, x: Symbol, rest: Dims) -> tuple[c.Lambda, c.Exp]:
    """Return an update's operator and its neutral element, on rows of this shape."""
    from funmem.frontends.python.elementwise import ufunc
    from funmem.frontends.python.scalars import neutral

    with tape.scope() as scope:
        a, b = tape.parameter(x.type, rest), tape.parameter(x.type, rest)
        found = astype(ufunc(f, [a, b], tape), x.type)
        body = scope.closed(found.exp)
    op = c.Lambda((binder(a), binder(b)), body, here())
    ne: c.Exp = neutral(f, x.type)
    for d in reversed(rest):
        ne = c.Replicate(tape.size_atom(d), ne, here())
    return op, ne
