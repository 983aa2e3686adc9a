"""``np.einsum`` on traced values: a sum of products over the labels that the result lacks.

    einsum("ij,jk->ik", a, b)        sum over j of a[i, j] * b[j, k]

The operands get one axis for each label, in the order of the result's and then of the others; the
product of them is summed over the last ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funmem.frontends.python import indexing, reductions
from funmem.frontends.python.elementwise import ufunc
from funmem.frontends.python.errors import Code, wrong
from funmem.frontends.python.tape import Symbol, Tape, describe


def einsum(tape: Tape, subscripts: Any, operands: Sequence[Any]) -> Symbol:
    """Return the sum of products.  Raises SourceError (``unsupported``, ``shape``)."""
    if not isinstance(subscripts, str):
        raise wrong(
            Code.UNSUPPORTED, "np.einsum without a text of subscripts", 'np.einsum("ij->i", x)'
        )
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    if "." in given or "." in result:
        raise wrong(Code.UNSUPPORTED, "np.einsum with `...`", "name each dimension")
    labels = given.split(",")
    xs = [tape.lift(x) for x in operands]
    if len(labels) != len(xs):
        what = f"np.einsum: {len(labels)} subscripts for {len(xs)} operands"
        raise wrong(Code.SHAPE, what)
    every = sorted(set("".join(labels)))
    if not arrow:  # numpy: labels that occur once, in alphabetical order
        result = "".join(x for x in every if "".join(labels).count(x) == 1)
    if len(set(result)) < len(result) or not set(result) <= set(every):
        what = f"np.einsum: the result `{result}` names a label twice, or one of no operand"
        raise wrong(Code.SHAPE, what)
    order = result + "".join(x for x in every if x not in result)
    whole = _aligned(xs[0], labels[0], order)
    for x, own in zip(xs[1:], labels[1:], strict=True):
        whole = ufunc(np.multiply, (whole, _aligned(x, own, order)), tape)
    axes = tuple(range(len(result), len(order)))
    return reductions.sum_(whole, axes) if axes else whole


def _aligned(x: Symbol, labels: str, order: str) -> Symbol:
    """Return an operand with one axis for each label of ``order``, of size 1 if it lacks it."""
    if len(labels) != len(x.dims):
        raise wrong(Code.SHAPE, f"np.einsum: the subscripts `{labels}` do not fit {describe(x)}")
    if len(set(labels)) < len(labels):
        hint = "np.diagonal(x) are the elements with equal indices"
        raise wrong(Code.UNSUPPORTED, f"np.einsum: `{labels}` names a label twice", hint)
    perm = sorted(range(len(labels)), key=lambda k: order.index(labels[k]))
    if perm != list(range(len(perm))):
        x = indexing.rearranged(x, perm)
    for k, label in enumerate(order):
        if label not in labels:
            x = indexing.with_dimension(x, k)
    return x
