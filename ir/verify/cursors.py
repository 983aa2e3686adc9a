"""While-loops that end when one of their variables, the cursor, has reached a number.

    loop (at = lo) (go = lo < end) while go do
      let stop = …                                 after the loop, and if it does not start,
      let go' = stop < end                         the cursor is at least end
      in (stop, go')

The condition of the next iteration compares the next value of the cursor, and the first condition
its initial value, with the same number from outside the loop.  When the loop ends, the condition
was false, so the comparison does not hold.
"""

from collections.abc import Iterator

from funmem.ir.arith import expanded
from funmem.ir.fun import Ann, Atom, Const, Loop, Stm, Var, While
from funmem.ir.logic.branches import comparisons
from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.prove import nonneg
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, BinOp
from funmem.ir.sizes import Size
from funmem.ir.traverse import atom_size, bound_in_stms
from funmem.ir.verify.scene import Scene


@frozen
class Cursor:
    """An i64 variable of a while-loop that is at least ``end`` when the loop has ended."""

    name: Name
    first: Size
    """The initial value."""
    next: Size
    """The value after an iteration, in names of the body."""
    end: Size
    inside: frozenset[Name]
    """The names that the loop binds."""


def cursors(s: Stm[Ann], e: Loop[Ann], scene: Scene) -> Iterator[Cursor]:
    """Yield the variables of loop ``s`` that have reached a number from outside when it ends."""
    if not isinstance(e.form, While):
        return
    inside = frozenset(bound_in_stms((s,)))
    places = {e.body.result[k]: k for k, p in enumerate(e.params)}
    cond = [p.binder.name for p in e.params].index(e.form.cond)
    before, after = scene.before[id(s)], scene.at_end[id(e.body)]
    for value, end in _at_least(e.body.result[cond], after):
        at = places.get(value)
        if at is None or not end.free().isdisjoint(inside):
            continue
        first = atom_size(e.params[at].init)
        start = e.params[cond].init
        ended = before.given(start, False).facts
        past = (first - end, expanded(first - end, scene.exact))
        if start == Const(True, BOOL) or any(nonneg(p, ended) for p in past):
            values = [expanded(p, scene.exact) for p in (first, atom_size(value), end)]
            yield Cursor(e.params[at].binder.name, values[0], values[1], values[2], inside)


def _at_least(cond: Atom, known: PointFacts) -> Iterator[tuple[Atom, Size]]:
    """Yield atoms, and sizes that they are not less than where the condition is false."""
    for op, a, b in comparisons(cond, False, known.scalars, known.types):
        match op:
            case BinOp.GE | BinOp.GT | BinOp.EQ:
                low, high = b, a
            case BinOp.LE | BinOp.LT:
                low, high = a, b
            case _:
                continue
        if isinstance(high, Var) and isinstance(low, Var | Const):
            yield high, atom_size(low)
