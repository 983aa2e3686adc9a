"""The postcondition: outside of kernels an iteration of a loop makes no more copies than before."""

from collections.abc import Iterator
from typing import TypeAlias

from funmem.ir.diagnostics import Diagnostic
from funmem.ir.fun import Ann, Body, Kernel, Loop, MemProgram, Stm
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.traverse import sub_bodies
from funmem.passes.context import Context
from funmem.passes.mem.copying import ArrayCopy, copies, loop_names


def copies_do_not_grow(before: MemProgram, after: MemProgram, ctx: Context) -> Diagnostic | None:
    """None if no iteration of a loop on the host makes more copies than before, inner loops
    included; otherwise the diagnostic for the first loop that does.

    With ``swap=never`` the result is always None.
    """
    if ctx.text("swap") == "never":
        return None
    old = {x: found for key, found in _loops(before) for x in key}
    for key, found in _loops(after):
        known = next((old[x].copies for x in key if x in old), ())
        if len(found.copies) > len(known):
            made = ", ".join(f"{c.source} to {c.dest}" for c in found.copies)
            what = f"an iteration copies {len(found.copies)} arrays instead of {len(known)}: {made}"
            return Diagnostic(found.stm.at, "copies-grow", what)
    return None


Key: TypeAlias = tuple[tuple[Name, Name], ...]
"""The names that a loop of an entry point binds; each of them identifies the loop."""


@frozen
class Found:
    """A loop outside of kernels, and the copies in its body."""

    stm: Stm[Ann]
    copies: tuple[ArrayCopy, ...]


def _loops(p: MemProgram) -> Iterator[tuple[Key, Found]]:
    inside: dict[tuple[Name, Name], list[ArrayCopy]] = {}
    for c in copies(p):
        if all(a.what != "kernel" for a in c.around):
            for a in c.around:
                for x in a.binds:
                    inside.setdefault((c.entry, x), []).append(c)
    for e in p.entries:
        for s, loop in _on_host(e.body):
            key = tuple((e.name, x) for x in sorted(loop_names(loop)))
            yield key, Found(s, tuple(inside.get(key[0], ())) if key else ())


def _on_host(b: Body[Ann]) -> Iterator[tuple[Stm[Ann], Loop[Ann]]]:
    for s in b.stms:
        if isinstance(s.exp, Loop):
            yield s, s.exp
        if not isinstance(s.exp, Kernel):
            for inner in sub_bodies(s.exp):
                yield from _on_host(inner)
