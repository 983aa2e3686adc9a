"""unfill: do not fill an array that a loop writes before anything reads it.

*Why.*  A program that builds an array in a loop has to give it elements first.  They cost as much
as those that the loop writes, and nothing reads them.

*Before -> after.*

    let (x : [n]i32 @ m) = replicate [n] 0i32         let (x : [n]i32 @ m) = scratch [n]i32
    loop (p : *[n]i32 @ m) = x for i < n do     ->    loop (p : *[n]i32 @ m) = x for i < n do
      … if i == 0 then y else p[i - 1] …                … if i == 0 then y else p[i - 1] …
      p with [i] = …                                    p with [i] = …

*Conditions*, for a ``replicate``:

    (1) begins_a_loop    it is the initial value of a for-loop, and its elements are scalars
    (2) not_observed     the verifier proves that no element is read or returned before it is
                         written (obligation O5, :mod:`funmem.ir.verify.visible`)

All arrays that satisfy (1) are uninitialised when (2) is decided, so the proof for one of them does
not rely on the elements of another.

*Precondition*: FUNMEM.  *Postcondition*: the same values; the verifier proves O5 for all reads of
arrays that are not filled.
"""

from collections.abc import Callable

from funmem.ir.fun import (
    Ann,
    ArrayType,
    Body,
    Entry,
    For,
    Loop,
    MemProgram,
    Program,
    Replicate,
    Scratch,
    Stm,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.traverse import map_sub_bodies, walk, with_exp, with_stms
from funmem.ir.verify.visible import visible
from funmem.passes.framework import Context, mem_pass

Names = frozenset[Name]


@mem_pass("unfill", summary="do not fill arrays that loops write before anything reads them")
def unfill(p: MemProgram, ctx: Context) -> MemProgram:
    """Rewrite every entry point."""
    return Program(tuple(_entry(e, ctx) for e in p.entries), p.functions)


def _entry(e: Entry[Ann], ctx: Context) -> Entry[Ann]:
    candidates = begins_a_loop(e)
    if not candidates:
        return e
    rest = not_observed(e, candidates)

    def done(s: Stm[Ann]) -> Stm[Ann]:
        if s.pat[0].name in rest:
            ctx.did(s, "not filled", "every element is written before it is read or returned")
            return _uninitialised(s)
        ctx.remark(s, "not_observed", "an element may be read or returned before it is written")
        return s

    return _mapped(e, candidates, done)


def begins_a_loop(e: Entry[Ann]) -> Names:
    """(1) The arrays of scalars of one value that are initial values of for-loops."""
    initial = {
        p.init.name
        for s in walk(e.body)
        if isinstance(s.exp, Loop) and isinstance(s.exp.form, For)
        for p in s.exp.params
        if isinstance(p.init, Var) and isinstance(p.binder.type, ArrayType)
    }
    arrays = {b.name for s in walk(e.body) for b in s.pat if isinstance(b.type, ArrayType)}
    arrays |= {p.binder.name for p in e.params if isinstance(p.binder.type, ArrayType)}
    return frozenset(
        s.pat[0].name
        for s in walk(e.body)
        if isinstance(s.exp, Replicate) and s.pat[0].name in initial
        if not isinstance(s.exp.value, Var) or s.exp.value.name not in arrays
    )


def not_observed(e: Entry[Ann], candidates: Names) -> Names:
    """(2) Those of some arrays whose elements need no initial value."""
    return candidates - visible(_mapped(e, candidates, _uninitialised))


def _uninitialised(s: Stm[Ann]) -> Stm[Ann]:
    (x,) = s.pat
    assert isinstance(x.type, ArrayType)
    return with_exp(s, Scratch(x.type.shape, x.type.elem))


def _mapped(e: Entry[Ann], arrays: Names, f: Callable[[Stm[Ann]], Stm[Ann]]) -> Entry[Ann]:
    """Return the entry point with ``f`` applied to the statements that bind some arrays."""

    def stm(s: Stm[Ann]) -> Stm[Ann]:
        if s.pat and s.pat[0].name in arrays:
            return f(s)
        return with_exp(s, map_sub_bodies(s.exp, body))

    def body(b: Body[Ann]) -> Body[Ann]:
        return with_stms(b, map(stm, b.stms))

    return evolve(e, body=body(e.body))
