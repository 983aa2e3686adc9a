"""Elaborate ``set!`` of variables and of elements of vectors (places.py says how)."""

from collections.abc import Sequence

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.code import Code, Level, State
from funmem.frontends.harlan.elaborate.parts import operands
from funmem.frontends.harlan.elaborate.places import Path, path
from funmem.frontends.harlan.elaborate.wraps import Wrap, let, unit
from funmem.frontends.harlan.errors import Code as ErrorCode
from funmem.frontends.harlan.errors import fail, failure
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
    if found is None:
        what = "an element of a vector without a name is set"
        fail(e.at, ErrorCode.ALIAS, what, "bind the vector to a variable with `let`")
    if found.indices or k.program.sharing.inner(found.root):
        require_apart(k, found.root, e.at)
    *indices, last, value = operands(k, (*found.indices, e.index, e.value), st, out)
    where = [c.Convert(I64, i, e.at) for i in (*indices, last)]
    store(k, st, out, found.root, tuple(where), value, k.own_region(e.vector), e.at)
    return unit(e.at)


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
        old = k.read(st, root, at)
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
        if x not in chain and k.regions(k.program.typing.bound[x]) & regions:
            st.stale[x] = at


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

    others = [
        x
        for x in st.env
        if x not in chain and outer(x) and k.regions(k.program.typing.bound[x]) & regions
    ]
    if level is Level.FUNCTION:
        if others:
            what = f"`{others[0].name}` may hold the vector that is changed here: not supported"
            fail(at, ErrorCode.ALIAS, what, "change a copy, and return it")
    elif others or outer(root):
        hint = "make a vector inside, or return the new elements"
        if level is Level.KERNEL:
            what = "an element of a vector made outside of the kernel is set"
            fail(at, ErrorCode.KERNEL, what, hint)
        what = "an element of a vector that a lambda captures or gets is set: not supported"
        fail(at, ErrorCode.ALIAS, what, hint)


def require_apart(k: Code, x: ast.Local, at: Span) -> None:
    """Require that no row of a vector of vectors is in it twice."""
    root = k.program.places.chain(x)[-1]
    if not k.program.sharing.apart(root):
        what = f"an element of a row of `{root.name}` is set, whose rows may share a vector"
        hint = f"make them anew: `(kernel ((row {root.name})) (kernel ((e row)) e))`"
        fail(at, ErrorCode.ALIAS, what, hint)


def argument_path(k: Code, e: ast.Exp, what: str) -> Path | None:
    """Return the place that a call changes; None for a new vector, which nobody else sees."""
    found = path(e)
    if found is not None:
        return found
    if k.program.sharing.new(e):
        return None
    hint = "bind the vector to a variable with `let`"
    message = f"{what} changes elements of a vector without a name"
    raise failure(e.at, ErrorCode.ALIAS, message, hint)
