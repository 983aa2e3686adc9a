"""Elaborate ``set!`` of variables and of elements of vectors (places.py says how)."""

from collections.abc import Sequence
from typing import NoReturn

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.code import Code, Level, State
from funmem.frontends.harlan.elaborate.parts import operands
from funmem.frontends.harlan.elaborate.places import Path, path
from funmem.frontends.harlan.elaborate.shared import Aliased
from funmem.frontends.harlan.elaborate.stores import is_reference, set_cell
from funmem.frontends.harlan.elaborate.wraps import Wrap, let, unit
from funmem.frontends.harlan.errors import Code as ErrorCode
from funmem.frontends.harlan.errors import fail
from funmem.frontends.inference.types import Type
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import I64


def set_variable(k: Code, e: ast.SetVar, st: State, out: list[Wrap]) -> Exp:
    """``(set! x e)``.  A variable that a lambda captures is its own inside."""
    x, at = e.local, e.at
    crossed = k.levels[k.level_of[x] :]
    if Level.KERNEL in crossed:
        what = f"a kernel cannot assign `{x.name}`, which is bound outside of it"
        fail(at, ErrorCode.KERNEL, what, "`reduce` joins the values that a kernel makes")
    value = k.program.exp(k, e.value, st, out)
    st.env[x] = k.atom(value, k.local_type(x), out, k.program.plain(x.name))
    st.stale.pop(x, None)
    return unit(at)


def set_element(k: Code, e: ast.SetElem, st: State, out: list[Wrap]) -> Exp:
    """``(set! (vector-ref v i) e)``."""
    found = path(e.vector)
    t = k.ground(e.vector)
    if is_reference(t):
        if found is not None:
            _require_inside(k, found.root, e.at)
        v, index, value = operands(k, (e.vector, e.index, e.value), st, out)
        set_cell(k.program, st, out, v, t, c.Convert(I64, index, e.at), value, e.at)
        return unit(e.at)
    regions = k.own_region(e.vector)
    if found is None:
        raise Aliased(regions)
    if found.indices or k.program.sharing.inner(found.root):
        require_apart(k, found.root, regions)
    *indices, last, value = operands(k, (*found.indices, e.index, e.value), st, out)
    where = [c.Convert(I64, i, e.at) for i in (*indices, last)]
    store(k, st, out, found.root, tuple(where), value, regions, e.at)
    return unit(e.at)


def _require_inside(k: Code, x: ast.Local, at: Span) -> None:
    """Require that a vector whose element is set does not come from outside of a kernel."""
    root = k.program.places.chain(x)[-1]
    given = k.levels[-1] is Level.KERNEL and root in k.given
    if given or Level.KERNEL in k.levels[k.level_of[root] :]:
        _outside(at)


def _outside(at: Span) -> NoReturn:
    what = "an element of a vector made outside of the kernel is set"
    fail(at, ErrorCode.KERNEL, what, "make a vector inside, or return the new elements")


def store(
    k: Code,
    st: State,
    out: list[Wrap],
    root: ast.Local,
    indices: tuple[Exp, ...],
    value: Exp,
    regions: set[Type],
    at: Span,
) -> None:
    """Replace a part of a variable's value, and of what it is a view of."""
    chain = k.program.places.chain(root)
    _require_own(k, st, chain, regions, at)
    # the part itself first: its new value is then a part of what it is a view of
    while True:
        old = k.read(st, root)
        dims = tuple(c.Fix(i) for i in indices)
        new = c.Update(old, dims, value, at) if indices else value
        name = k.program.fresh(k.program.plain(root.name))
        out.append(let((c.Binder(name, k.local_type(root)),), new, at))
        st.env[root] = value = c.Var(name, at)
        view = k.program.places.views.get(root)
        if view is None:
            break
        root, indices = view.root, k.indices[root]
    for x in st.env:
        shared = k.local_regions(x) & regions
        if x not in chain and shared:
            st.stale[x] = shared


def _require_own(
    k: Code, st: State, chain: Sequence[ast.Local], regions: set[Type], at: Span
) -> None:
    """Require that nobody outside of this code can see the change of a vector.

    A vector that was made here may be changed, and that of a parameter of a definition, which is
    returned.  Any other value from outside that its region may share is in the way.
    """
    level, here, root = k.levels[-1], len(k.levels), chain[-1]

    def outer(x: ast.Local) -> bool:
        return k.level_of[x] < here or x in k.given

    others = [x for x in st.env if k.local_regions(x) & regions and x not in chain and outer(x)]
    if level is Level.KERNEL and outer(root):
        _outside(at)
    if others or (level is Level.LAMBDA and outer(root)):
        raise Aliased(regions)


def require_apart(k: Code, x: ast.Local, regions: set[Type]) -> None:
    """Require that no row of a vector of vectors is in it twice; the rows lie in ``regions``."""
    root = k.program.places.chain(x)[-1]
    if not k.program.sharing.apart(root):
        raise Aliased(regions)


def argument_path(k: Code, e: ast.Exp) -> Path | None:
    """Return the place that a call changes; None for a new vector, which nobody else sees."""
    found = path(e)
    if found is None and not k.program.sharing.new(e):
        raise Aliased(k.regions(k.program.typing.types[e]))
    return found
