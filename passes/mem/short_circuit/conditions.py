"""The conditions under which an array is built where it would be copied to.

``b`` is the copied array, W the place to which it is copied, m the block of that place.  From the
literature (SC'22, sec. V), reformulated:

    (1) last_used               neither b nor an alias of it is used after the copy; or else
        kept_until_last_use     no other array is written to W until its last use
    (2) destination_in_scope    m is allocated, or can be, before the first write to an array that b
                                is made of
    (3) homes_can_be_computed   W determines the homes of these arrays: the operations that derive b
                                from them can be inverted
        homes_are_in_scope      the names in these homes are in scope where the arrays are made, or
                                can be
    (4) nothing_interferes      from the first write to one of these arrays to the copy, no other
                                array uses the written elements (interference.py); the next value of
                                a loop is made after the last use of the current one
    (5) loops_in_place          a loop that b comes out of carries arrays of one size, and its
                                initial and next values can be built in the same place as well

Two more are needed because writes come earlier, and because the copy may have checked bounds:

    (6) stays_inside            W is inside its block and contains no element twice, even if the
                                copy is never reached (inside.py)
    (7) nothing_shows_through   every element of b is written: an element that is not would have the
                                old value in W, instead of being undefined

``b`` may also be a thread's result, copied at the end of the thread; or a loop's result, where W is
its initial value's place.
"""

from collections.abc import Mapping

from funmem.ir.fun import Ann, Home, Kernel, Loop, Stm, Var
from funmem.ir.lmad import row_major
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
from funmem.passes.mem.short_circuit.origins import Origins, Unmovable, size_varies
from funmem.passes.mem.short_circuit.rehome import CannotLift, lift
from funmem.passes.mem.short_circuit.view import View, body_of, bound_after, call_arrays, names_of

LAST_USE = "(1) the array is last used here"
IN_SCOPE = "(2) the destination is in scope where the array is made"
HOMES = "(3) new index functions exist"
INTERFERENCE = "(4) no other array uses the written elements"
LOOPS = "(5) loops work in place"
INSIDE = "(6) the destination is valid before it is checked"
WHOLE = "(7) every element is written"


@frozen
class Refused(Exception):
    """The condition that failed, and the reason."""

    condition: str
    reason: str


def require(condition: str, why: str | None) -> None:
    """Raise :class:`Refused` if there is a reason."""
    if why is not None:
        raise Refused(condition, why)


def last_used(c: Candidate, view: View) -> str | None:
    """(1) Neither ``b`` nor an alias is used after the copy, except by statements that follow it in
    its body (:func:`kept_until_last_use` checks these).

    A thread's results are copied at its end; a value that a loop carries is used by the next
    iteration.
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
    """(1) If ``b`` is used after the copy, no other array is written there until its last use."""
    footprints = Footprints(after, c.what.target.block)
    place = footprints.place(c.what.source)
    for s in _until_last_use(c, after):
        for u in footprints.footprints(footprints.of(s), c.known.facts):
            if u.use is Use.WRITE and not u.apart(place):
                return f"{c.what.source} is used later, and {u.array} may be written there"
    return None


def _until_last_use(c: Candidate, after: View) -> tuple[Stm[Ann], ...]:
    """Return the statements after the copy, up to the last one that uses ``b`` or an alias
    of it.
    """
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
    an allocation that can be moved there.
    """
    m = c.what.target.block
    try:
        lift(c.region, first, frozenset((m,)), c.knowledge.at(first))
    except CannotLift as why:
        what = " ".join(b.name for b in c.region[first].pat)
        late = m if why.name == m else f"{why.name}, which {m} needs,"
        return f"{late} is bound after {what} is made: {why.reason}"
    return None


def stays_whole(homes: Mapping[Name, Home], view: View) -> str | None:
    """(3) Foreign code takes whole blocks: its arguments and results move only to the beginning of
    a block, row-major, in which no other array of the call lies.
    """
    named = frozenset(homes)
    for x in sorted(view.whole & (named | view.live.showing(named))):
        if x not in homes or homes[x].ix != row_major(view.shape(x)):
            return f"foreign code takes {x} as a whole block"
        target = view.roots(homes[x].block)
        for s in view.foreign:
            others = call_arrays(s) - {x}
            if x in call_arrays(s) and any(
                y in homes or not target.isdisjoint(view.roots(view.homes[y].block))
                for y in others
                if y in view.homes
            ):
                return f"another array of the foreign code that takes {x} would lie there"
    return None


def homes_can_be_computed(found: Origins | Unmovable) -> str | None:
    """(3) The place of ``b`` determines the homes of the arrays that it is made of."""
    return found.reason if isinstance(found, Unmovable) and not found.in_loop else None


def homes_are_in_scope(
    c: Candidate, homes: Mapping[Name, Home], first: int, view: View
) -> str | None:
    """(3) The names in the new index functions are bound where the arrays are made, or can be."""
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
    """Return the names that must be bound before ``x`` for its home: those in the offset and the
    strides, without those of its own shape.  The latter are bound where ``x`` is made, but need not
    be bound where another of the arrays is made.
    """
    terms = home.ix.offset.free().union(*(s.free() for s in home.ix.strides))
    return terms - frozenset(v for d in view.shape(x) for v in d.free())


def nothing_interferes(c: Candidate, first: int, made: frozenset[Name], after: View) -> str | None:
    """(4) The arrays ``made`` in the destination, from the region's statement at ``first`` on,
    overwrite no element that is still used (interference.py).
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
    """Return the accesses at the copy and after it: the statement's other operands or results, and
    later uses of ``b`` and its aliases, since one of them may be an older value from another
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
    """(5) The values that a loop carries have one size and can be built in one place.  If a loop's
    next value moves, no other array that is built in that value's block by name stays behind.

    Other reasons why an array cannot move are handled by :func:`homes_can_be_computed`.
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


def has_one_size(c: Candidate, view: View) -> str | None:
    """(5) for a loop, before anything is copied: what it carries has one size."""
    e = c.stm.exp
    if c.what.kind is not Kind.LOOP or not isinstance(e, Loop):
        return None
    return size_varies(e.params[c.what.slot].binder.name, e, view)


def nothing_shows_through(c: Candidate, first: int, view: View) -> str | None:
    """(7) Every element of ``b`` is written; or the destination is new, and nothing else was ever
    there.  The latter is asked first, because it is decided faster.
    """
    b = c.what.source
    if b not in c.known.uninitialised:
        return None
    why = _was_there(c, first, view)
    return None if why is None or view.written.whole(b) else why


def _was_there(c: Candidate, first: int, view: View) -> str | None:
    """Return why elements of other arrays may be at the destination; None if it is new."""
    b, m = c.what.source, c.what.target.block
    if c.what.kind in (Kind.UPDATE, Kind.LOOP):
        return f"{b} may have elements that were never written, and others would show there"
    place = Place(c.what.target.ix, view.element_bytes(b))
    aliases = view.live.aliases(c.what.dest)
    for root in view.roots(m):
        there = view.arrays_in(root) - aliases
        for x in sorted(there - bound_after(view, c.stm, there)):
            other = Place(view.homes[x].ix, view.element_bytes(x))
            if not separate(place, other, c.knowledge.at(first).facts):
                return f"{b} may have elements that were never written, and {x} may have been there"
    return None
