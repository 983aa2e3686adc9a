"""Copy statements and bodies that occur at several places of a program.

Facts at a place are keyed by the identity of its statement or body.  Names are bound once, so only
a body without binders can occur more than once, which passes may produce.
"""

from funmem.ir.fun import Ann, Body, Entry, Stm
from funmem.ir.record import evolve
from funmem.ir.traverse import map_sub_bodies


def unshared(e: Entry[Ann]) -> Entry[Ann]:
    """Return an equal entry point in which each statement and body occurs once."""
    seen: set[int] = set()

    def body(b: Body[Ann]) -> Body[Ann]:
        stms = tuple(map(stm, b.stms))
        if id(b) in seen:
            return Body(stms, b.result, b.at)
        seen.add(id(b))
        same = all(s is old for s, old in zip(stms, b.stms, strict=True))
        return b if same else evolve(b, stms=stms)

    def stm(s: Stm[Ann]) -> Stm[Ann]:
        exp = map_sub_bodies(s.exp, body)
        if id(s) in seen:
            return Stm(s.pat, exp, s.at)
        seen.add(id(s))
        return s if exp is s.exp else evolve(s, exp=exp)

    found = body(e.body)
    return e if found is e.body else evolve(e, body=found)
