"""The registers in which the arrays of an expression's results are already."""

from collections.abc import Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.names import Name
from funmem.passes.core.recursion.state import Place


def cells_of(e: Exp, n: int, cells: Mapping[Name, Place]) -> Sequence[Place | None]:
    """Return for each of n results the register whose array it is made of, if it is known.

    ``cells`` are the registers of names.
    """
    inner: dict[Name, Place | None] = {}
    while isinstance(e, c.Let | c.Assert):
        if isinstance(e, c.Let):
            found = cells_of(e.exp, len(e.binders), cells)
            inner |= {b.name: p for b, p in zip(e.binders, found, strict=True)}
        e = e.body

    def one(x: Exp) -> Place | None:
        while isinstance(x, c.Update | c.FlatUpdate | c.Coerce | c.Scatter | c.Concat):
            if isinstance(x, c.Scatter):
                x = x.dest
            elif isinstance(x, c.Concat):
                x = x.arrays[0]
            else:
                x = x.exp if isinstance(x, c.Coerce) else x.array
        return inner.get(x.name) or cells.get(x.name) if isinstance(x, c.Var) else None

    if isinstance(e, c.If):
        pairs = zip(cells_of(e.then, n, cells), cells_of(e.orelse, n, cells), strict=True)
        return [a or b for a, b in pairs]
    if isinstance(e, c.Fields) and len(e.fields) == n:
        return [one(x) for _, x in e.fields]
    return [one(e)] if n == 1 else [None] * n
