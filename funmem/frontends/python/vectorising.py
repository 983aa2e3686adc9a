"""``fm.vectorize`` and ``fm.vmap``: functions of elements or rows as functions of arrays.

    fm.vectorize(lambda x, y: …)(xs, y)            numpy's broadcasting; the function sees scalars
    fm.vmap(f, in_axes=(0, None))(rows, table)     a map over some axis of some arguments

Both return jitted functions, which may be called in traced code, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funmem.frontends.python.elementwise import common
from funmem.frontends.python.errors import Code, wrong
from funmem.frontends.python.functions import map_, tape_of
from funmem.frontends.python.indexing import getitem, rearranged
from funmem.frontends.python.jit import Jitted, jit
from funmem.frontends.python.tape import Dims, Symbol, describe
from funmem.frontends.python.trees import map_tree
from funmem.ir.sizes import ONE


def vectorize(f: Callable[..., Any]) -> Jitted:
    """Return a jitted function that applies ``f`` to the elements of broadcast arrays."""

    def vectorized(*xs: Any) -> Any:
        tape = tape_of("vectorize")
        dims, values = common([tape.lift(x) for x in xs])
        return _mapped(f, values, dims)

    return _named(vectorized, f)


def _mapped(f: Callable[..., Any], xs: Sequence[Symbol], dims: Dims) -> Any:
    """Map over the outermost dimension; operands without it, or with size 1, are the same for all
    rows.
    """
    if not dims:
        return f(*xs)
    rank = len(dims)
    varies = [len(x.dims) == rank and (x.dims[0] != ONE or dims[0] == ONE) for x in xs]
    fixed = [
        getitem(x, 0) if len(x.dims) == rank and not v else x
        for x, v in zip(xs, varies, strict=True)
    ]

    def row(*given: Any) -> Any:
        left = iter(given)
        inner = [next(left) if v else x for x, v in zip(fixed, varies, strict=True)]
        return _mapped(f, inner, dims[1:])

    return map_(row, *(x for x, v in zip(xs, varies, strict=True) if v))


def vmap(f: Callable[..., Any], in_axes: Any = 0) -> Jitted:
    """Return a jitted function that maps ``f`` over an axis of each argument; None: not mapped."""

    def mapped(*xs: Any) -> Any:
        tape_of("vmap")
        axes = list(in_axes) if isinstance(in_axes, tuple | list) else [in_axes] * len(xs)
        if len(axes) != len(xs):
            raise wrong(Code.TYPE, f"fm.vmap has {len(axes)} axes for {len(xs)} arguments")
        if all(a is None for a in axes):
            raise wrong(Code.TYPE, "fm.vmap maps over no argument: all its axes are None")
        moved = [x if a is None else _in_front(x, a) for x, a in zip(xs, axes, strict=True)]

        def row(*given: Any) -> Any:
            left = iter(given)
            return f(*(x if a is None else next(left) for x, a in zip(moved, axes, strict=True)))

        return map_(row, *(x for x, a in zip(moved, axes, strict=True) if a is not None))

    return _named(mapped, f)


def _in_front(tree: Any, axis: int) -> Any:
    """Return arrays with an axis moved to the front."""
    tape = tape_of("vmap")

    def moved(leaf: Any) -> Symbol:
        x = tape.lift(leaf)
        rank = len(x.dims)
        if not -rank <= axis < rank:
            raise wrong(Code.SHAPE, f"fm.vmap over axis {axis} of {describe(x)}")
        k = axis % rank
        return rearranged(x, [k, *(j for j in range(rank) if j != k)])

    return map_tree(moved, tree)


def _named(made: Callable[..., Any], f: Callable[..., Any]) -> Jitted:
    """Return a jitted function with the name and text of another one."""
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(made, attribute, getattr(f, attribute, getattr(made, attribute)))
    found: Jitted = jit(made)
    return found


__all__ = ["vectorize", "vmap"]
