"""Supporting information: what is returned along with an array (procedure Support).

Everything is by position: the existential home of a pattern gets fresh names for block, offset and
strides, and a body returns an atom for each (errata 23).
"""

from collections.abc import Sequence

from funmem.ir.arith import size_exp
from funmem.ir.diagnostics import Span
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Binder,
    Home,
    MemType,
    Stm,
    Var,
)
from funmem.ir.lmad import Dim, Lmad
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import size_atom
from funmem.passes.mem.allocate.gamma import Gamma, array_type


@frozen
class Support:
    """The atoms to return along with an array, and the statements that compute them."""

    stms: tuple[Stm[Ann], ...]
    atoms: tuple[Atom, ...]
    """Block, offset, strides."""


def support(g: Gamma, x: Name, at: Span) -> Support:
    """Return block, offset and strides of ``x`` as atoms, and the statements that compute these."""
    home = g.homes[x]
    stms: list[Stm[Ann]] = []

    def atom(s: Size, base: str) -> Atom:
        a = size_atom(s)
        if a is None:
            b: Binder[Ann] = Binder(g.fresh(base), I64, None, at)
            stms.append(Stm((b,), size_exp(s), at))
            a = Var(b.name)
        return a

    offset = atom(home.ix.offset, f"{x}_off")
    strides = [atom(s, f"{x}_st") for s in home.ix.strides]
    return Support(tuple(stms), (Var(home.block), offset, *strides))


def existential(g: Gamma, b: Binder[Ann]) -> tuple[Binder[Ann], ...]:
    """Return binders for block, offset, strides, and the array at this home."""
    t = array_type(b)
    block = Binder[Ann](g.fresh(f"{b.name}_mem"), MemType(), None, b.at)
    offset = Binder[Ann](g.fresh(f"{b.name}_off"), I64, None, b.at)
    strides = [Binder[Ann](g.fresh(f"{b.name}_st"), I64, None, b.at) for _ in t.shape]
    dims = tuple(Dim(n, var(s.name)) for n, s in zip(t.shape, strides, strict=True))
    home = Home(block.name, Lmad(var(offset.name), dims))
    return (block, offset, *strides, evolve(b, home=home))


def pattern(g: Gamma, pat: Sequence[Binder[Ann]]) -> tuple[Binder[Ann], ...]:
    """Return the pattern in which every array's home is existential."""
    return tuple(
        p for b in pat for p in (existential(g, b) if isinstance(b.type, ArrayType) else (b,))
    )


def supported(g: Gamma, atoms: Sequence[Atom], at: Span) -> Support:
    """Return the atoms with each array preceded by its supporting information."""
    stms: list[Stm[Ann]] = []
    out: list[Atom] = []
    for a in atoms:
        if isinstance(a, Var) and g.is_array(a):
            info = support(g, a.name, at)
            stms += info.stms
            out += info.atoms
        out.append(a)
    return Support(tuple(stms), tuple(out))
