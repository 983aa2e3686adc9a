"""The conditions under which an array is built where it would be copied to.

``b`` is the copied array, W the place that it is copied to, m the block of that place.  From the
literature (SC'22, sec. V; here each in our own words):

    (1) last_used               after the copy neither b nor an alias of it is used; or until then
        kept_until_last_use     nothing else is written to W
    (2) destination_in_scope    m is allocated, or can be, before the first of the arrays that b is
                                made of is written
    (3) homes_can_be_computed   W determines where these arrays have to lie: what derives b from
                                them can be undone
        homes_are_in_scope      in terms of what is in scope where they are made, or can be
    (4) nothing_interferes      from the first write of one of these arrays to the copy, nobody else
                                uses what is written (interference.py); the next value of a loop is
                                made after the last use of the current one
    (5) loops_in_place          a loop that b comes out of carries arrays of one size, and its
                                initial and next values can be built in the one place as well

And because a write comes earlier than it did, and the copy may have been what checked it:

    (6) stays_inside            W is inside of its block and names no element twice, whether or not
                                the copy is ever reached (inside.py)
    (7) nothing_shows_through   every element of b is written: an element that is not would show
                                what was in W before, instead of being undefined

``b`` is a thread's result, too, and then the copy is at the end of the thread; or a loop's result,
and W is its initial value's place.
"""

from collections.abc import Mapping

from funmem.ir.fun import Ann, Home, Kernel, Stm, Var
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.traverse import (
    bound_in_stms,
    free_in_stm,
)
from funmem.passes.mem.short_circuit.candidates import Candidate, Kind, copied
from funmem.passes.mem.short_circuit.footprints import Access, Footprints, Place, Use, separate
from funmem.passes.mem.short_circuit.interference import Interference, Moved
from funmem.passes.mem.short_circuit.later import use_after
from funmem.passes.mem.short_circuit.origins import Origins, Unmovable
from funmem.passes.mem.short_circuit.rehome import CannotLift, lift
from funmem.passes.mem.short_circuit.view import View, body_of, bound_after, names_of

LAST_USE = "(1) the array is last used here"
IN_SCOPE = "(2) the destination is in scope where the array is made"
HOMES = "(3) new index functions exist"
INTERFERENCE = "(4) nobody else uses what is written"
LOOPS = "(5) loops work in place"
INSIDE = "(6) the destination is a place before it is checked"
WHOLE = "(7) every element is written"


@frozen
class Refusal(Exception):
    """The condition that failed, and the reason."""

    condition: str
    reason: str


def require(condition: str, why: str | None) -> None:
    """Raise :class:`Refusal` if there is a reason."""
    if why is not None:
        raise Refusal(condition, why)


def last_used(c: Candidate, view: View) -> str | None:
    """(1) Neither ``b`` nor an alias is used after the copy, but by statements that follow it in
    its body (these are looked at by :func:`kept_until_last_use`).

    A thread's results are copied when nothing else of it is left; what a loop carries is used by
    the next iteration.
    """
    if c.what.kind in (Kind.THREAD, Kind.LOOP):
        return None
    aliases = view.live.aliases(c.what.source)
    used = aliases & view.live.after(c.stm)
    if not used:
        return None
    escaped = aliases & {a.name for a in c.body.result if isinstance(a, Var)}
    escaped |= used - bound_in_stms(c.body.stms)
    return use_after(view.entry, c.stm, escaped) if escaped else None


def kept_until_last_use(c: Candidate, after: View) -> str | None:
    """(1) If ``b`` is used after the copy: nothing is written there until its last use."""
    footprints = Footprints(after, c.what.target.block)
    place = footprints.place(c.what.source)
    for s in _until_last_use(c, after):
        for u in footprints.footprints(footprints.of(s), c.known.facts):
            if u.use is Use.WRITE and not u.apart(place):
                return f"{c.what.source} is used later, and {u.array} may be written there"
    return None


def _until_last_use(c: Candidate, after: View) -> tuple[Stm[Ann], ...]:
    """The statements after the copy, up to the last one that uses ``b`` or an alias of it."""
    if c.what.kind in (Kind.THREAD, Kind.LOOP):
        return ()
    body, position = body_of(after, c.stm)
    shown = after.live.aliases(c.what.source)
    if body is after.entry.body:
        uses = [after.positions[x] for x in after.mentioning(shown)]
    else:
        uses = [k for k, s in enumerate(body.stms) if not free_in_stm(s).isdisjoint(shown)]
    return body.stms[position + 1 : max(uses, default=position) + 1]


def destination_in_scope(c: Candidate, first: int) -> str | None:
    """(2) The destination's block is bound before the statement that makes the first array, or by
    an allocation that can come first.
    """
    m = c.what.target.block
    try:
        lift(c.region, first, frozenset((m,)), c.knowledge.at(first))
    except CannotLift as why:
        what = " ".join(b.name for b in c.region[first].pat)
        late = m if why.name == m else f"{why.name}, which {m} needs,"
        return f"{late} is bound after {what} is made: {why.reason}"
    return None


def homes_can_be_computed(found: Origins | Unmovable) -> str | None:
    """(3) The place of ``b`` determines the places of the arrays that it is made of."""
    return found.reason if isinstance(found, Unmovable) and not found.in_loop else None


def homes_are_in_scope(
    c: Candidate, homes: Mapping[Name, Home], first: int, view: View
) -> str | None:
    """(3) What the new index functions mention is bound where the arrays are, or can be."""
    late = bound_in_stms(c.region[first:])
    movable = names_of(c.region[first:])
    for x, home in homes.items():
        names = late & needed(x, home, view)
        if not names <= movable:
            return f"{x} would need {', '.join(sorted(names - movable))}, bound inside"
        try:
            lift(c.region, first, names, c.knowledge.at(first))
        except CannotLift as why:
            return f"{x} would need {why.name}, which is bound later: {why.reason}"
    return None


def needed(x: Name, home: Home, view: View) -> frozenset[Name]:
    """The names that have to be bound before ``x`` for its home: those in the offset and the
    strides, without those of its own shape, which are bound where it is made, and need not be
    where another of the arrays is.
    """
    terms = home.ix.offset.free().union(*(s.free() for s in home.ix.strides))
    return terms - frozenset(v for d in view.shape(x) for v in d.free())


def nothing_interferes(c: Candidate, first: int, made: frozenset[Name], after: View) -> str | None:
    """(4) The arrays ``made`` in the destination, from the region's statement at ``first`` on, are
    written only where nobody else looks (interference.py).
    """
    body, position = body_of(after, c.stm)
    s = body.stms[position]
    region = body.stms[:position]
    if c.what.kind is Kind.THREAD:
        assert isinstance(s.exp, Kernel)
        region = s.exp.body.stms
    elif c.what.kind is Kind.LOOP:
        region = body.stms[: position + 1]
    found = Interference(after, Moved.of(made, after), c.what.target.block)
    last = _at_copy(c, s, found.footprints)
    return found.obstacle(region[first:], last, c.knowledge.at(first), c.known)


def _at_copy(c: Candidate, s: Stm[Ann], footprints: Footprints) -> tuple[Access, ...]:
    """What the statement does at the copy besides it: its other operands, or results; and the uses
    of ``b`` and its aliases afterwards, for one of them may be an older value, of another loop
    iteration.
    """
    view = footprints.view
    if c.what.kind is Kind.THREAD:
        assert isinstance(s.exp, Kernel)
        others = [k for k, p in enumerate(s.pat) if p.name != c.what.dest]
        return footprints.relevant(a for k in others for a in footprints.of_result(s, s.exp, k))
    operands = (o for o in copied(s, view) if o.slot != c.what.slot and footprints.moves(o))
    now = footprints.relevant(footprints.whole(Use.READ, o.source, s) for o in operands)
    later = _until_last_use(c, view)
    shown = view.live.aliases(c.what.source) - bound_in_stms(later)
    return (*now, *(a for a in footprints.of_all(later) if a.array in shown))


def loops_in_place(c: Candidate, found: Origins | Unmovable, view: View) -> str | None:
    """(5) What a loop carries has one size, and can be built in one place; and if that is why the
    loop's next value moves, nothing that is built in that value's block by name is left behind.

    What cannot move for other reasons does not come here (:func:`homes_can_be_computed`).
    """
    if isinstance(found, Unmovable):
        return found.reason
    if c.what.kind is not Kind.LOOP:
        return None
    for x in found.moving:
        for root in sorted(view.roots(view.homes[x].block)):
            for y in sorted(view.arrays_in(root) - found.moving.keys()):
                if view.is_put(y):
                    return f"{y} is built in the block of {x}"
    return None


def nothing_shows_through(c: Candidate, first: int, view: View) -> str | None:
    """(7) No element of ``b`` may be one that was never written; or the destination is new, and
    nothing else was ever there.
    """
    b, m = c.what.source, c.what.target.block
    if b not in c.known.uninitialised or view.written.whole(b):
        return None
    if c.what.kind in (Kind.UPDATE, Kind.LOOP):
        return f"{b} may have elements that were never written, and others show there"
    place = Place(c.what.target.ix, view.element_bytes(b))
    aliases = view.live.aliases(c.what.dest)
    for root in view.roots(m):
        there = view.arrays_in(root) - aliases
        for x in sorted(there - bound_after(view, c.stm, there)):
            other = Place(view.homes[x].ix, view.element_bytes(x))
            if not separate(place, other, c.knowledge.at(first).facts):
                return f"{b} may have elements that were never written, and {x} may have been there"
    return None
