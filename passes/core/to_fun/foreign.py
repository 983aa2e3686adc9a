"""Calls of foreign functions: their arguments are scalars, and so are their results."""

from funmem.ir import core as c
from funmem.ir.fun import Binder, Call, Linkage, Var
from funmem.ir.scalars import ScalarType
from funmem.passes.core.to_fun.state import Scalar, Vals, Work


def call(w: Work, e: c.Foreign, hint: str) -> Vals:
    """Lower ``foreign f (e, …) : t``."""
    w.at = e.at
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
