"""A program in which no statement and no body is at two places.

What is known at a place is kept by the identity of what is there.  Names are bound once, so that
only a body without binders can be at two places; but passes may put such a one there.
"""

from funmem.ir.fun import Ann, Body, Entry, Stm
from funmem.ir.record import evolve
from funmem.ir.traverse import map_sub_bodies


def unshared(e: Entry[Ann]) -> Entry[Ann]:
    """The entry point: itself, if it is like that."""
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
