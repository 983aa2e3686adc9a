"""The functions of ``fm`` on numpy's arrays, by their definitions: the oracle of traced programs.

It shares no code with the tracer.  Operators are applied in order; an element of a map is computed
by calling the Python function.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Fn = Callable[..., Any]


class EagerArray(np.ndarray):
    """An array of numpy's that has ``x.at[i].set(v)``, as traced arrays have."""

    @property
    def at(self) -> At:
        """Return the view whose elements can be replaced in a copy."""
        return At(self)


class At:
    """``x.at``."""

    def __init__(self, x: np.ndarray[Any, Any]) -> None:
        self._x = x

    def __getitem__(self, key: Any) -> Place:
        return Place(self._x, key)


class Place:
    """``x.at[key]``: the updates of a copy."""

    def __init__(self, x: np.ndarray[Any, Any], key: Any) -> None:
        self._x, self._key = x, key

    def set(self, v: Any) -> Any:
        """Return a copy with these elements replaced."""
        out = self._x.copy()
        out[self._key] = v
        return out

    def add(self, v: Any) -> Any:
        """Return a copy with ``v`` added, as often as an element is named."""
        out = self._x.copy()
        np.add.at(out, self._key, np.asarray(v).astype(out.dtype))
        return out

    def max(self, v: Any) -> Any:
        """Return a copy with the larger values."""
        out = self._x.copy()
        np.maximum.at(out, self._key, np.asarray(v).astype(out.dtype))
        return out


def with_at(x: Any) -> Any:
    """Return a value with ``at`` on its arrays."""
    if isinstance(x, np.ndarray):
        return x.view(EagerArray) if x.shape else x[()]
    if isinstance(x, tuple):
        return tuple(map(with_at, x))
    if isinstance(x, dict):
        return {k: with_at(v) for k, v in x.items()}
    return x


# ---------------------------------------------------------------------- trees


def _parts(tree: Any) -> list[Any]:
    if isinstance(tree, tuple):
        return [x for part in tree for x in _parts(part)]
    if isinstance(tree, dict):
        return [x for part in tree.values() for x in _parts(part)]
    if dataclasses.is_dataclass(tree):
        return [x for part in vars(tree).values() for x in _parts(part)]
    return [tree]


def _each(f: Fn, *trees: Any) -> Any:
    """Return ``f`` applied to the leaves of trees of one structure."""
    first = trees[0]
    if isinstance(first, tuple):
        return tuple(_each(f, *parts) for parts in zip(*trees, strict=True))
    if isinstance(first, dict):
        return {k: _each(f, *(t[k] for t in trees)) for k in first}
    if dataclasses.is_dataclass(first) and not isinstance(first, type):
        return type(first)(**{k: _each(f, *(vars(t)[k] for t in trees)) for k in vars(first)})
    return f(*trees)


def _row(tree: Any, k: int) -> Any:
    return _each(lambda x: x[k], tree)


def _stacked(rows: Sequence[Any]) -> Any:
    return _each(lambda *xs: np.array(xs), *rows)


def _length(tree: Any) -> int:
    return len(_parts(tree)[0])


def _blank(tree: Any) -> Any:
    """Return an element of the type that the elements of no elements have."""
    return _each(lambda x: np.zeros(x.shape[1:], x.dtype)[()], tree)


def _like(dtype: Any, x: Any) -> Any:
    return np.asarray(x).astype(dtype)[()]


# ---------------------------------------------------------------------- fm's functions


class Eager:
    """Replacement of the module ``funmem`` when numpy runs a program."""

    bool_, f16, f32, f64 = np.bool_, np.float16, np.float32, np.float64
    i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64
    u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64
    arange, zeros, ones, full = np.arange, np.zeros, np.ones, np.full
    zeros_like, ones_like, concatenate, array = (
        np.zeros_like,
        np.ones_like,
        np.concatenate,
        np.array,
    )
    where = np.where

    @staticmethod
    def jit(f: Fn) -> Fn:
        """Return the function itself."""
        return f

    @staticmethod
    def map(f: Fn, *xs: Any) -> Any:
        """Return ``f`` of each element."""
        n = _length(xs[0])
        if not n:
            one = f(*(_blank(x) for x in xs))
            return _each(lambda y: np.zeros((0, *np.shape(y)), np.asarray(y).dtype), one)
        return _stacked([f(*(_row(x, k) for x in xs)) for k in range(n)])

    @staticmethod
    def vmap(f: Fn, axis: int) -> Fn:
        """Return ``f`` on the rows or on the columns of a matrix."""
        return lambda x: Eager.map(f, np.moveaxis(x, axis, 0))

    @staticmethod
    def require(test: Any, message: str, *values: Any) -> None:
        """Raise IndexError, a trap, unless the condition holds."""
        if not test:
            raise IndexError(message.format(*values))

    @staticmethod
    def scan(op: Fn, ne: Any, xs: Any) -> Any:
        """Return the reductions of all prefixes."""
        if not _length(xs):
            return xs
        state, out = _row(xs, 0), []
        out.append(state)
        for k in range(1, _length(xs)):
            state = op(state, _row(xs, k))
            out.append(state)
        types = _each(np.result_type, xs, ne)
        return _each(lambda t, a: a.astype(t), types, _stacked(out))

    @staticmethod
    def reduce(op: Fn, ne: Any, xs: Any) -> Any:
        """Return ``op`` folded over the elements in order."""
        types = _each(np.result_type, xs, ne)
        state = _each(_like, types, ne)
        for k in range(_length(xs)):
            state = op(state, _row(xs, k))
        return _each(_like, types, state)

    @staticmethod
    def filter(p: Fn, xs: Any) -> Any:
        """Return the elements for which ``p`` is true."""
        keep = [k for k in range(_length(xs)) if p(_row(xs, k))]
        return _each(lambda x: x[np.array(keep, np.int64)], xs)

    @staticmethod
    def hist(op: Fn, ne: Any, n: Any, indices: Any, values: Any) -> Any:
        """Return n times ``ne`` with ``op`` applied to each value at its index."""
        out = np.full(n, ne, np.result_type(values, ne))
        for i, v in zip(indices, values, strict=True):
            if 0 <= i < len(out):
                out[i] = op(out[i], v)
        return out

    @staticmethod
    def scatter(dest: Any, indices: Any, values: Any) -> Any:
        """Return ``dest`` with the elements at the indices replaced."""
        out = dest.copy()
        for i, v in zip(indices, values, strict=True):
            if 0 <= i < len(out):
                out[i] = v
        return out

    @staticmethod
    def build(shape: Any, f: Fn) -> Any:
        """Return the array whose element at (i, j) is ``f(i, j)``."""
        if isinstance(shape, tuple):
            n, m = shape
            return np.array([[f(i, j) for j in range(m)] for i in range(n)]).reshape(n, m)
        return np.array([f(i) for i in range(shape)])

    @staticmethod
    def cond(test: Any, then: Fn, orelse: Fn) -> Any:
        """Return the result of one branch, in the common type of both."""
        found = then() if test else orelse()
        try:
            other = orelse() if test else then()
        except (ArithmeticError, IndexError, ValueError):
            return found
        return _each(lambda a, b: _like(np.result_type(a, b), a), found, other)

    @staticmethod
    def loop(n: Any, body: Fn, init: Any) -> Any:
        """Return the state after n iterations."""
        state = init
        for i in range(int(n)):
            state = body(i, *state) if isinstance(init, tuple) else body(i, state)
        return state

    @staticmethod
    def while_loop(test: Fn, body: Fn, init: Any) -> Any:
        """Return the first state for which the test fails."""
        state = init
        while test(*state):
            state = body(*state)
        return state
