"""One candidate: its plan, the transformed program, and the conditions in order."""

from collections.abc import Callable, Iterator, Mapping

from attrs import field

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Binder,
    Body,
    Copy,
    Entry,
    Home,
    Loop,
    MemType,
    Reshape,
    Stm,
    Var,
)
from funmem.ir.lmad import row_major
from funmem.ir.logic.derive import Homeless
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import product
from funmem.ir.traverse import (
    bound_in_stms,
    map_sub_bodies,
    with_exp,
    with_stms,
)
from funmem.passes.mem.double_buffer import carried
from funmem.passes.mem.double_buffer.initial import initial_value_dies
from funmem.passes.mem.short_circuit.branches import with_own_branches
from funmem.passes.mem.short_circuit.candidates import (
    Candidate,
    Key,
    Kind,
    candidates,
    candidates_in,
)
from funmem.passes.mem.short_circuit.conditions import (
    HOMES,
    IN_SCOPE,
    INSIDE,
    INTERFERENCE,
    LAST_USE,
    LOOPS,
    WHOLE,
    Refused,
    destination_in_scope,
    has_one_size,
    homes_are_in_scope,
    homes_can_be_computed,
    kept_until_last_use,
    last_used,
    loops_in_place,
    needed,
    nothing_interferes,
    nothing_shows_through,
    require,
    stays_whole,
)
from funmem.passes.mem.short_circuit.inside import reshapes_agree, stays_inside
from funmem.passes.mem.short_circuit.origins import Origins, origins
from funmem.passes.mem.short_circuit.rehome import (
    Lift,
    lift,
    moved_everywhere,
    moved_inside,
    replaced_in,
)
from funmem.passes.mem.short_circuit.view import View


@frozen
class Plan:
    """The new homes of fresh arrays, and the names that must be bound earlier."""

    homes: Mapping[Name, Home]
    made: frozenset[Name]
    """These arrays, and all others that the copied array may be made of."""
    lift: Lift
    reshapes: tuple[Reshape, ...]
    """The reshapes between these arrays and the copied one."""


@frozen
class Copying:
    """A copy that moves data."""

    key: Key
    cost: int

    @property
    def kind(self) -> Kind:
        """The kind of copy."""
        return self.key[1]


@frozen
class Survey:
    """An entry point, its copies, and their total cost."""

    view: View
    cost: int
    _found: Mapping[Name, tuple[Copying, ...]]
    """A statement of the entry point's body, by its last name -> the copies in it, last one
    first.
    """
    _candidates: dict[int, Mapping[Key, Candidate]] = field(
        factory=dict, init=False, eq=False, repr=False
    )
    """The position of a statement -> the candidates in it; filled when one is asked for."""

    @staticmethod
    def of(view: View) -> "Survey":
        """Return the survey of an entry point."""
        found = {x: _copies_in(k, view) for x, k in view.positions.items()}
        return Survey(view, sum(c.cost for copies in found.values() for c in copies), found)

    def following(self, view: View) -> "Survey":
        """Return the survey after arrays have moved; only statements that mention these are
        examined.
        """
        again = view.mentioning(view.moved).union(view.changed)
        now = {x: _copies_in(view.positions[x], view) for x in again}
        before = sum(c.cost for x in again for c in self._found.get(x, ()))
        cost = self.cost - before + sum(c.cost for copies in now.values() for c in copies)
        return Survey(view, cost, {**self._found, **now})

    @property
    def copies(self) -> Iterator[Copying]:
        """Yield the copies, the last one first."""
        for x in reversed(self.view.positions):
            yield from self._found[x]

    def candidate(self, key: Key) -> Candidate:
        """Return the candidate of one of the copies."""
        k = self.view.position(key[0])
        if k not in self._candidates:
            self._candidates[k] = {c.key: c for c in candidates_in(k, self.view)}
        return self._candidates[k][key]


def _copies_in(k: int, view: View) -> tuple[Copying, ...]:
    return tuple(Copying(c.key, _cost(c)) for c in candidates_in(k, view))


def _cost(c: Candidate) -> int:
    """Return the cost of a copy that moves data, or of a loop that does not work in place.

    A loop costs as much as two copies, so that a copy in front of it pays.  A copy in only one
    branch costs half.  An operand that lies elsewhere is no copy, and costs less than any copy.
    """
    cost = {Kind.LOOP: 8, Kind.OPERAND: 1}
    return cost.get(c.what.kind, 2 if c.in_branch else 4)


def short_circuited(c: Candidate, start: Survey, fresh: Fresh) -> tuple[Survey, Home]:
    """Return the entry point in which the copy moves no data, and the destination.

    Raises :class:`Refused`.
    """
    view = start.view
    require(LOOPS, has_one_size(c, view))
    if c.what.kind is Kind.LOOP:
        c, view = with_own_initial_value(c, view, fresh)
    else:
        c, view = with_own_branches(c, view, fresh)
    require(LAST_USE, last_used(c, view))
    plan = planned(c, view)
    require(WHOLE, nothing_shows_through(c, plan.lift.first, view))
    require(INSIDE, reshapes_agree(c, plan.reshapes, plan.lift.first, view))
    require(INSIDE, stays_inside(c, plan.lift.first, view))
    after = view.following(_moved(c, plan, view, fresh))
    assert after.homes[c.what.source] == c.what.target, c.what
    require(INTERFERENCE, nothing_interferes(c, plan.lift.first, plan.made, after))
    require(LAST_USE, kept_until_last_use(c, after))
    done = start.following(after) if view is start.view else Survey.of(after)
    require(LAST_USE, fewer_copies(start.cost, done.cost))
    return done, c.what.target


def _moved(c: Candidate, plan: Plan, view: View, fresh: Fresh) -> Entry[Ann]:
    """Return the entry point that implements a plan.  Only a loop's results may leave its body."""
    try:
        if c.what.kind is Kind.LOOP:
            return moved_everywhere(view.entry, c.body, plan.lift, plan.homes, fresh)
        start = c.knowledge.at(plan.lift.first)
        end = _end(c, plan, view)
        new = moved_inside(c.body, plan.lift, plan.homes, start, end, fresh)
        if c.body is view.entry.body:
            return evolve(view.entry, body=new)
        k = view.position(c.stm.pat[-1].name)
        return evolve(view.entry, body=replaced_in(view.entry.body, k, c.body, new))
    except Homeless as why:
        raise Refused(HOMES, str(why)) from why


def _end(c: Candidate, plan: Plan, view: View) -> int:
    """Return the number of statements of the body after which no moved array is mentioned."""
    if c.body is not view.entry.body:
        return len(c.body.stms)
    shown = view.live.showing(plan.homes)
    uses = [view.positions[x] for x in view.mentioning(shown)]
    return max([c.position, *uses, *map(view.position, shown)]) + 1


def fewer_copies(before: int, after: int) -> str | None:
    """(1) The removed copy does not cause another one.  This would happen if the array were already
    built at the destination of another copy of it.  So the pass terminates.
    """
    return None if after < before else "it is already built where another copy of it goes"


def _inside(c: Candidate, view: View) -> Callable[[Name], bool]:
    """Return the test whether a name is bound in the region, at any depth."""
    if c.body is view.entry.body:
        return lambda x: 0 <= view.position(x) < c.position
    return bound_in_stms(c.region).__contains__


def _first(c: Candidate, homes: Mapping[Name, Home], view: View) -> int:
    """Return the position of the first statement of the region that makes one of some arrays."""
    if c.body is view.entry.body:
        return min(map(view.position, homes))
    return min(k for k, s in enumerate(c.region) if not bound_in_stms((s,)).isdisjoint(homes))


def planned(c: Candidate, view: View) -> Plan:
    """Return the plan, which satisfies conditions (2), (3) and (5).  Raises :class:`Refused`."""
    what = c.what
    found = origins(
        what.source, what.target, _inside(c, view), view, may_stay=what.kind is Kind.LOOP
    )
    require(HOMES, homes_can_be_computed(found))
    require(LOOPS, loops_in_place(c, found, view))
    assert isinstance(found, Origins)
    homes = found.moving
    require(HOMES, stays_whole(homes, view))
    first = _first(c, homes, view)
    require(IN_SCOPE, destination_in_scope(c, first))
    require(HOMES, homes_are_in_scope(c, homes, first, view))
    names = frozenset((what.target.block,)).union(*(needed(x, homes[x], view) for x in homes))
    made = frozenset(homes).union(*map(view.live.origins, found.staying))
    return Plan(homes, made, lift(c.region, first, names, c.knowledge.at(first)), found.reshapes)


# ---------------------------------------------------------------------- loops


def with_own_initial_value(c: Candidate, view: View, fresh: Fresh) -> tuple[Candidate, View]:
    """Return a loop whose initial value is not needed otherwise: unchanged, or with a copy of that
    value, which is made once and replaces an allocation in each iteration.
    """
    e = c.stm.exp
    assert isinstance(e, Loop)
    p, result = e.params[c.what.slot], e.body.result[c.what.slot]
    b = p.binder
    assert isinstance(b.type, ArrayType)
    assert isinstance(p.init, Var)
    assert isinstance(result, Var)
    assert b.home is not None
    at_top = c.body is view.entry.body
    around = carried.LoopView(
        stm=c.stm,
        loop=e,
        in_kernel=False,
        in_loop=False,
        around=c.body,
        updatable=frozenset(q.binder.name for q in view.entry.params if q.unique and at_top),
        entry=view.entry.body,
        blocks=view.blocks,
        homes=view.homes,
    )
    mine = carried.Carried(c.what.slot, b.name, b.type, b.home, p.init.name, result.name)
    if initial_value_dies(mine, around) is None:
        return c, view
    view = View.of(_copying(c, p.init.name, b.type, view.entry, fresh))
    again = (d for d in candidates(view) if d.key == c.key)
    return next(again), view


def _copying(c: Candidate, init: Name, t: ArrayType, e: Entry[Ann], fresh: Fresh) -> Entry[Ann]:
    """Return the entry point with a copy of a loop's initial value, in a block of its own."""
    m = fresh(f"{init}_mem")
    y: Binder[Ann] = Binder(fresh(init), t, Home(m, row_major(t.shape)))
    bytes_ = product(t.shape) * t.elem.bytes
    block: Binder[Ann] = Binder(m, MemType(), None)
    before: tuple[Stm[Ann], ...] = (Stm((block,), Alloc(bytes_)), Stm((y,), Copy(init)))

    def body(b: Body[Ann]) -> Body[Ann]:
        stms: list[Stm[Ann]] = []
        for s in b.stms:
            if s is c.stm:
                assert isinstance(s.exp, Loop)
                params = tuple(
                    evolve(p, init=Var(y.name)) if k == c.what.slot else p
                    for k, p in enumerate(s.exp.params)
                )
                stms += [*before, evolve(s, exp=evolve(s.exp, params=params))]
            else:
                stms.append(with_exp(s, map_sub_bodies(s.exp, body)))
        return with_stms(b, stms)

    return evolve(e, body=body(e.body))
