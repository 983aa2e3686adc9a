"""One branch copies its older array, so that the other branch may build its array in place.

    kernel i < n do                                   kernel i < n do
      let (y : [k]f32 @ m -> …) = if c then             let (y : [k]f32 @ d -> …) = if c then
        let (v : … @ x_mem -> …) = x[i, 0 : k]            let (v : … @ x_mem -> …) = x[i, 0 : k]
        in (v)                                   ->       let (w : … @ d -> …) = copy v
      else                                                in (w)
        let (b : … @ b_mem -> 0 + …) = …                else
        in (b)                                            let (b : … @ d -> …) = …
      in (y)                                              in (b)
                                                        in (y)

The result of an ``if`` is copied whichever branch is taken.  If one branch makes it and the other
one returns a view of an older array, the latter can make the copy instead.  Then both branches
return new arrays, which are built at the destination.  One copy in one branch replaces one for
both, and the block of the branch that makes its array is no longer needed.
"""

from funmem.ir.fun import Alloc, Ann, Binder, Body, Copy, Entry, Home, If, MemType, Stm, Var
from funmem.ir.lmad import row_major
from funmem.ir.names import Fresh
from funmem.ir.record import evolve
from funmem.ir.sizes import product
from funmem.ir.traverse import bound_in_body, bound_in_stms, map_sub_bodies, with_exp, with_stms
from funmem.passes.mem.short_circuit.candidates import Candidate, Kind, candidates
from funmem.passes.mem.short_circuit.origins import Origins, origins
from funmem.passes.mem.short_circuit.view import View


def with_own_branches(c: Candidate, view: View, fresh: Fresh) -> tuple[Candidate, View]:
    """Return the candidate, and the entry point in which the branch with the older array copies it.

    Both are unchanged unless the copied array is what an ``if`` chose between an older and a new
    one.
    """
    s = next((s for s in c.region if any(p.name == c.what.source for p in s.pat)), None)
    if c.what.kind is Kind.LOOP or s is None or not isinstance(s.exp, If):
        return c, view
    at = next(k for k, p in enumerate(s.pat) if p.name == c.what.source)
    bodies = (s.exp.then, s.exp.orelse)
    older = [b for b in bodies if _is_older(b, at, c, view)]
    if len(older) != 1:
        return c, view
    new = _copied(older[0], at, view, fresh)
    view = View.of(_replaced(view.entry, older[0], new))
    again = (d for d in candidates(view) if d.key == c.key)
    return next(again), view


def _is_older(b: Body[Ann], at: int, c: Candidate, view: View) -> bool:
    """True if a branch returns an array that it did not make itself, or not as a whole."""
    a = b.result[at]
    assert isinstance(a, Var)
    found = origins(a.name, c.what.target, bound_in_body(b).__contains__, view, may_stay=False)
    return not (isinstance(found, Origins) and found.moving.keys() <= bound_in_stms(b.stms))


def _copied(b: Body[Ann], at: int, view: View, fresh: Fresh) -> Body[Ann]:
    """Return the branch with a copy, in a block of its own, of the result at a position."""
    a = b.result[at]
    assert isinstance(a, Var)
    shape = view.shape(a.name)
    t = view.types[a.name]
    m = fresh(f"{a.name}_mem")
    y: Binder[Ann] = Binder(fresh(a.name), t, Home(m, row_major(shape)))
    bytes_ = product(shape) * view.element_bytes(a.name)
    block: Binder[Ann] = Binder(m, MemType(), None)
    stms: tuple[Stm[Ann], ...] = (Stm((block,), Alloc(bytes_)), Stm((y,), Copy(a.name)))
    result = tuple(Var(y.name) if k == at else r for k, r in enumerate(b.result))
    return evolve(b, stms=(*b.stms, *stms), result=result)


def _replaced(e: Entry[Ann], old: Body[Ann], new: Body[Ann]) -> Entry[Ann]:
    """Return the entry point with body ``old`` replaced by ``new``."""

    def body(b: Body[Ann]) -> Body[Ann]:
        if b is old:
            return new
        return with_stms(b, (with_exp(s, map_sub_bodies(s.exp, body)) for s in b.stms))

    return evolve(e, body=body(e.body))
