"""The type rules of calls in FUN: of functions of the program, and of foreign ones.

Γ ⊢ let p … = call f (a, …)                     T-CALL
Γ ⊢ let p … = call f (a, …) foreign, effect     T-FOREIGN, T-EFFECT
Γ ⊢ let p … = opaque f (a, …)                   T-OPAQUE
"""

from collections.abc import Sequence

from funmem.ir.check.context import Gamma
from funmem.ir.check.rules import many, names, place, require
from funmem.ir.check.scalar import atom, scalar, sizes
from funmem.ir.diagnostics import Span
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Binder,
    Call,
    Kernel,
    Linkage,
    MemType,
    Opaque,
    RaggedKernel,
)
from funmem.ir.functions import is_partial
from funmem.ir.scalars import BOOL, ScalarType
from funmem.ir.traverse import sub_bodies, walk


def foreign(g: Gamma, pat: Sequence[Binder[Ann]], e: Call, at: Span) -> None:
    """Γ ⊢ let p … = call f (a, …) foreign, effect (T-FOREIGN)."""
    given = [scalar(g, a, at) for a in e.args]
    require(e.partial, at, "T-FOREIGN", "a foreign function may not terminate: {}", e.fn)
    for p in pat:
        text = "{} is bound with type {}; a foreign function gives scalars"
        require(isinstance(p.type, ScalarType), place(p, at), "T-FOREIGN", text, p.name, p.type)
    if e.linkage is Linkage.EFFECT:
        found = [ts[0] if ts else None for ts in (given, [p.type for p in pat])]
        text = "an effect takes and gives a token, a bool, first: {} has {}"
        require(found == [BOOL, BOOL], at, "T-FOREIGN", text, e.fn, tuple(found))


def opaque(g: Gamma, pat: Sequence[Binder[Ann]], e: Opaque, at: Span) -> None:
    """Γ ⊢ let p … = opaque f (a, …) grid [d]… (T-OPAQUE)."""
    for a in e.args:
        found = atom(g, a, at)
        block = isinstance(found, MemType)
        require(not block, at, "T-OPAQUE", "an argument of {} is a block: {}", e.fn, a)
    sizes(g, e.grid, at)
    require(len(pat) > 0, at, "T-OPAQUE", "{} has no result", e.fn)
    for p in pat:
        text = "{} is bound with type {}; foreign code on arrays gives arrays"
        require(isinstance(p.type, ArrayType), place(p, at), "T-OPAQUE", text, p.name, p.type)


def effects(e: Kernel[Ann] | RaggedKernel[Ann]) -> None:
    """No effect is inside a kernel, whose iterations have no order, and no foreign code on arrays,
    which is a kernel of its own (T-EFFECT).
    """
    for s in (s for b in sub_bodies(e) for s in walk(b)):
        effect = isinstance(s.exp, Call) and s.exp.linkage is Linkage.EFFECT
        hint = "call it before or after the kernel"
        require(not effect, s.at, "T-EFFECT", "an effect inside a kernel", hint=hint)
        opaque = isinstance(s.exp, Opaque)
        text = "foreign code on arrays inside a kernel"
        require(not opaque, s.at, "T-EFFECT", text, hint=hint)


def call(g: Gamma, pat: Sequence[Binder[Ann]], e: Call, at: Span) -> None:
    """Γ ⊢ let p … = call f (a, …) (T-CALL)."""
    if e.linkage is not Linkage.OWN:
        foreign(g, pat, e, at)
        return
    f = g.functions.get(e.fn)
    require(
        f is not None,
        at,
        "T-CALL",
        "there is no function {} before this call",
        e.fn,
        hint="a function calls those that stand before it",
    )
    assert f is not None
    require(
        len(e.args) == len(f.params),
        at,
        "T-CALL",
        "{} has {}, the call has {}",
        f.name,
        many(len(f.params), "parameter"),
        many(len(e.args), "argument"),
    )
    for a, p in zip(e.args, f.params, strict=True):
        found = atom(g, a, at)
        require(
            found == p.type,
            at,
            "T-CALL",
            "the argument for {} has type {}, expected {}",
            p.name,
            found,
            p.type,
        )
    require(
        len(pat) == len(f.results),
        at,
        "T-CALL",
        "{} has {}, the pattern {} binds {}",
        f.name,
        many(len(f.results), "result"),
        names(pat),
        len(pat),
    )
    for p, r in zip(pat, f.results, strict=True):
        require(
            p.type == r.type,
            place(p, at),
            "T-CALL",
            "{} is bound with type {}, the result {} has type {}",
            p.name,
            p.type,
            r.name,
            r.type,
        )
    require(
        e.partial or not is_partial(f),
        at,
        "T-CALL",
        "{} may trap or not terminate",
        f.name,
        hint="write partial after the arguments",
    )
