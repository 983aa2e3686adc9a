"""Calls of foreign functions: on scalars, and ``opaque`` ones on whole arrays."""

from funmem.ir import core as c
from funmem.ir.fun import ArrayType, Binder, Call, Linkage, Opaque, Var
from funmem.ir.scalars import ScalarType
from funmem.passes.core.to_fun.state import Arr, Scalar, Vals, Work


def call(w: Work, e: c.Foreign, hint: str) -> Vals:
    """Lower ``foreign f (e, …) : t``."""
    w.at = e.at
    if e.grid is not None:
        return opaque(w, e, e.grid, hint)
    given = [w.one(a) for a in e.args]
    types = [t for _, t in e.type.fields] if isinstance(e.type, c.Record) else [e.type]
    if not all(isinstance(v, Scalar) for v in given) or not all(
        isinstance(t, ScalarType) for t in types
    ):
        what = f"the foreign function `{e.fn}` on arrays"
        w.unsupported(what, "pass the elements, or their number and one element at a time")
    args = tuple(w.atom(v) for v in given)
    pat: list[Binder[None]] = []
    for t in types:
        assert isinstance(t, ScalarType)
        name = w.name(hint if hint and len(types) == 1 else e.fn)
        pat.append(Binder[None](name, t, None))
    linkage = Linkage.EFFECT if e.effect else Linkage.FOREIGN
    w.emit(pat, Call(e.fn, args, partial=True, linkage=linkage))
    return tuple(Scalar(Var(b.name), b.type) for b in pat if isinstance(b.type, ScalarType))


def opaque(w: Work, e: c.Foreign, grid: tuple[c.Exp, ...], hint: str) -> Vals:
    """Lower ``opaque f (e, …) grid (e, …) : t``, whose type states the sizes of the results."""
    args = tuple(w.atom(w.one(a)) for a in e.args)
    sizes = tuple(w.size_of(d) for d in grid)
    types = [t for _, t in e.type.fields] if isinstance(e.type, c.Record) else [e.type]
    pat = tuple(
        Binder(w.name(hint if hint and len(types) == 1 else e.fn), _array_type(w, e, t), None)
        for t in types
    )
    w.emit(pat, Opaque(e.fn, args, sizes))
    for b in pat:
        w.alias(b.name, (b.name,))
    return tuple(Arr(b.name, b.type) for b in pat if isinstance(b.type, ArrayType))


def _array_type(w: Work, e: c.Foreign, t: c.Type) -> ArrayType:
    shape = []
    while isinstance(t, c.Array):
        size = w.type_size(t.size)
        if size is None:
            w.unsupported(f"an array of `{e.fn}` whose size is not known", "state it in the type")
        shape.append(size)
        t = t.elem
    assert isinstance(t, ScalarType)
    return ArrayType(t, tuple(shape))
