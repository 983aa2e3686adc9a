"""The use of an array after a copy of it, as the text of a remark.

y uses x afterwards                          a statement after the copy
x is a result of the kernel z                of a loop, a branch, or the entry point
the next iteration of the loop z uses x      x is bound in front of the loop
other threads of the kernel z use x          x is bound outside of the kernel
"""

from collections.abc import Collection, Iterator

from funmem.ir.diagnostics import Stuck
from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Body,
    DerivedArray,
    Entry,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Opaque,
    RaggedKernel,
    Scalar,
    Stm,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.traverse import free_in_body, free_in_stm, sub_bodies


def use_after(e: Entry[Ann], at: Stm[Ann], names: Collection[Name]) -> str:
    """Return the innermost use of one of ``names`` after a statement of an entry point."""
    found = next(_uses(e.body, "the entry point", at, names), None)
    return found or f"{', '.join(sorted(names))} may be used again"


def _uses(b: Body[Ann], what: str, at: Stm[Ann], names: Collection[Name]) -> Iterator[str]:
    """Yield uses from the inside to the outside; none if the statement is not in the body."""
    for k, s in enumerate(b.stms):
        if s is at:
            yield from _in_body(b, k, what, names)
            return
        for inner in sub_bodies(s.exp):
            if _has(inner, at):
                yield from _uses(inner, f"{_word(s)} {_name(s)}", at, names)
                again = sorted(free_in_body(inner).intersection(names))
                if again and isinstance(s.exp, Kernel):
                    yield f"other threads of the kernel {_name(s)} use {again[0]}"
                if again and isinstance(s.exp, Loop):
                    yield f"the next iteration of the loop {_name(s)} uses {again[0]}"
                yield from _in_body(b, k, what, names)
                return


def _in_body(b: Body[Ann], k: int, what: str, names: Collection[Name]) -> Iterator[str]:
    """Yield the uses after statement ``k`` in its body."""
    for s in b.stms[k + 1 :]:
        for x in sorted(free_in_stm(s).intersection(names)):
            yield f"{_name(s)} uses {x} afterwards"
    for a in b.result:
        if isinstance(a, Var) and a.name in names:
            yield f"{a.name} is a result of {what}"


def _has(b: Body[Ann], at: Stm[Ann]) -> bool:
    return any(s is at or any(_has(inner, at) for inner in sub_bodies(s.exp)) for s in b.stms)


def _word(s: Stm[Ann]) -> str:
    match s.exp:
        case If():
            return "a branch of"
        case Loop():
            return "the loop"
        case Kernel():
            return "the kernel"
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert() | Alloc():
            raise Stuck("a statement without bodies encloses no other")
        case Opaque():
            raise Stuck("a statement without bodies encloses no other")
        case RaggedKernel():
            raise unscheduled()


def _name(s: Stm[Ann]) -> str:
    return " ".join(p.name for p in s.pat if p.home is not None) or " ".join(p.name for p in s.pat)
