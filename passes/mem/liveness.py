"""Liveness in FUNMEM: live ranges and last uses of arrays and blocks, aliases included.

A name is *live* after a statement if it may be mentioned later on some path: further down in the
same body, as a result, in the next iteration of an enclosing loop, by another thread of an
enclosing kernel, or after an enclosing statement.  The end of a name's scope does not matter.

    let (y : …) = x[0 : n]          x and y are *aliases*: an element may be seen through both.
    let (b : …) = copy y            Results of `if` and `loop`, the loop's parameters, and results
    let (z : …) = y with [0] = 5    of an update, scatter or hist are aliases of their sources too.

The last use of an array is the point after which neither it nor an alias of it is live.

A *block* differs from a block name.  ``if`` and ``loop`` bind block variables that stand for one of
several blocks at run time.  A block here is one that an ``alloc`` makes or that an entry point has
as a parameter: a *root* (see ``blocks.py``).  An array lies in one of the roots of its home's block
variable.  Hence there are two notions of liveness of a block:

    needed     some array in the block is live: its bytes matter
    held       the block or an array in it will be mentioned: it must not be freed

    live = Liveness.of_entry(e)
    live.last_use(b, s)             neither b nor an alias of b is used after s
    live.aliases(b)                 b and all arrays that may share an element with it
    live.after(s)                   the arrays and blocks that may be mentioned after s
    live.roots(x)                   the blocks in which array x may lie
    live.needed_after(m, s)         block m holds an element that matters after s
    live.held_after(m, s)           block m must exist after s

A statement is identified by the names it binds, so queries also accept rebuilt statements.  A
statement that binds nothing (an assertion) is rejected.  All answers hold for *all* executions:
"live" is the conservative answer, and "last use" is always certain.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cached_property
from itertools import count, takewhile

from attrs import field

from funmem.ir.diagnostics import Stuck
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Atom,
    Binder,
    Body,
    DerivedArray,
    Entry,
    Exp,
    FreshArray,
    Home,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Map,
    Opaque,
    RaggedKernel,
    Scalar,
    Stm,
    Var,
)
from funmem.ir.logic.blocks import Blocks, blocks_of
from funmem.ir.logic.derive import in_place_of
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.traverse import (
    NESTS,
    entry_binders,
    free_in_body,
    free_in_stm,
    inner_binders,
    operators,
    sub_bodies,
    walk,
)

Names = frozenset[Name]
NONE: Names = frozenset()


@frozen
class Liveness:
    """The liveness of one entry point."""

    entry: Entry[Ann]
    homes: Mapping[Name, Home]
    """The home of every array of the entry point."""
    memory: Names
    """The names of all arrays and blocks."""
    blocks: Blocks
    _after: Mapping[Name, Names]
    """First name that a statement binds -> the names that are live after the statement."""
    _origins: Mapping[Name, Names]
    """Array -> the fresh arrays and parameters whose elements it may show."""

    @staticmethod
    def of_entry(e: Entry[Ann]) -> "Liveness":
        """Return the liveness of an entry point, in time linear in program size times depth and
        live names.
        """
        homes = {b.name: b.home for b in binders_of(e) if b.home is not None}
        stms = ((m.at, m.after) for m in moments(e))
        after = {s.pat[0].name: live for s, live in stms if s is not None and s.pat}
        origins = _origins(homes, _shown(e.body))
        return Liveness(e, homes, _memory(e), blocks_of(e.body), after, origins)

    # ------------------------------------------------------------------ arrays

    def after(self, s: Stm[Ann]) -> Names:
        """Return the arrays and blocks that may be mentioned after a statement.

        Raises :class:`Stuck` for a statement that binds nothing.
        """
        if not s.pat:
            raise Stuck("liveness identifies a statement by its names; an assertion has none")
        return self._after[s.pat[0].name]

    def origins(self, x: Name) -> Names:
        """Return the fresh arrays and parameters whose elements ``x`` may show."""
        return self._origins[x]

    def aliases(self, x: Name) -> Names:
        """Return ``x`` and every array of the entry point that may share an element with it."""
        return self.showing(self._origins[x])

    def showing(self, origins: Iterable[Name]) -> Names:
        """Return every array that may show an element of one of these origins."""
        return NONE.union(*(self._showing.get(o, ()) for o in origins))

    @cached_property
    def _showing(self) -> Mapping[Name, list[Name]]:
        found: dict[Name, list[Name]] = {}
        for y, origins in self._origins.items():
            for o in origins:
                found.setdefault(o, []).append(y)
        return found

    def last_use(self, x: Name, s: Stm[Ann]) -> bool:
        """True if neither ``x`` nor an alias of it, even one made by ``s``, is used after ``s``."""
        return self.aliases(x).isdisjoint(self.after(s))

    # ------------------------------------------------------------------ blocks

    def roots(self, x: Name) -> Names:
        """Return the blocks in which an array may lie."""
        return self.blocks.roots(self.homes[x].block)

    def arrays_in(self, m: Name) -> Names:
        """Return the arrays that may lie in a block."""
        return frozenset(x for x in self.homes if m in self.roots(x))

    def needed_after(self, m: Name, s: Stm[Ann]) -> bool:
        """True if some array that may lie in block ``m`` is used after ``s``."""
        return any(x in self.homes and m in self.roots(x) for x in self.after(s))

    def held_after(self, m: Name, s: Stm[Ann]) -> bool:
        """True if block ``m``, under any name, or an array in it is mentioned after ``s``."""
        return any(m in self.blocks_named(x) for x in self.after(s))

    def blocks_named(self, x: Name) -> Names:
        """Return the blocks that an array may lie in or that a block variable may stand for."""
        return self.roots(x) if x in self.homes else self.blocks.roots(x)


def binders_of(e: Entry[Ann]) -> Iterator[Binder[Ann]]:
    """Yield every binder of an entry point."""
    yield from entry_binders(e)
    for s in walk(e.body):
        yield from s.pat
        yield from inner_binders(s.exp)


def _memory(e: Entry[Ann]) -> Names:
    return frozenset(b.name for b in binders_of(e) if not isinstance(b.type, ScalarType))


# ---------------------------------------------------------------------- what an array shows


def _origins(arrays: Iterable[Name], shown: Mapping[Name, Names]) -> dict[Name, Names]:
    """Return, for every array, the arrays at the ends of the chains of :func:`_shown`."""

    def ends(x: Name) -> Names:
        seen: set[Name] = set()
        todo = [x]
        while todo:
            y = todo.pop()
            if y not in seen:
                seen.add(y)
                todo += shown.get(y, NONE)
        return frozenset(y for y in seen if not shown.get(y))

    return {x: ends(x) for x in arrays}


def _shown(b: Body[Ann]) -> dict[Name, Names]:
    """Return, for every array bound inside a body, the arrays whose elements it shows."""
    sources: dict[Name, Names] = {}
    for s in walk(b):
        for x in (p for p in (*s.pat, *inner_binders(s.exp)) if isinstance(p.type, ArrayType)):
            sources[x.name] = NONE
        for x, values in _bindings(s):
            if isinstance(x.type, ArrayType):
                sources[x.name] |= {a.name for a in values if isinstance(a, Var)}
    return sources


def _bindings(s: Stm[Ann]) -> Iterator[tuple[Binder[Ann], tuple[Atom, ...]]]:
    """Yield each binder that a statement binds without a fresh array, with the values it may stand
    for.
    """
    match s.exp:
        case If(_, then, orelse):
            for p, a, b in zip(s.pat, then.result, orelse.result, strict=True):
                yield p, (a, b)
        case Loop(params, _, body):
            for p, q, again in zip(s.pat, params, body.result, strict=True):
                yield q.binder, (q.init, again)
                yield p, (q.init, again)
        case DerivedArray() as e:
            yield s.pat[0], (Var(e.x),)
        case InPlace() | Kernel() as e:
            for p, x in zip(s.pat, in_place_of(e), strict=False):
                yield p, (Var(x),)
        case Scalar() | Index() | FreshArray() | Assert() | Alloc() | Opaque():
            return
        case RaggedKernel():
            raise unscheduled()


# ---------------------------------------------------------------------- from the end to the start


class Role(Enum):
    """The construct that a body belongs to."""

    ENTRY = "entry point"
    BRANCH = "branch"
    LOOP = "loop"
    KERNEL = "kernel"
    OPERATOR = "operator"


@frozen
class Level:
    """A body and its position; ``path`` numbers the bodies from the entry point's to this one."""

    role: Role
    path: tuple[int, ...]
    of: Stm[Ann] | None = field(eq=False)
    """The statement whose body it is."""
    outer: "Level | None" = field(eq=False)

    def encloses(self, other: "Level") -> bool:
        """True if ``other`` is this body or one inside it."""
        return other.path[: len(self.path)] == self.path

    def outwards(self) -> Iterator["Level"]:
        """Yield this body and those around it, up to the entry point's."""
        level: Level | None = self
        while level is not None:
            yield level
            level = level.outer

    def up_to(self, outer: "Level") -> Iterator["Level"]:
        """Yield this body and those around it that are inside ``outer``."""
        return takewhile(lambda level: level != outer, self.outwards())


@frozen
class Moment:
    """A statement, or the end of a body (``at`` is None), and the names that are live after it."""

    level: Level
    at: Stm[Ann] | None
    body: Body[Ann]
    after: Names


def moments(e: Entry[Ann], *, own_thread: bool = False) -> tuple[Moment, ...]:
    """Return every statement and every end of a body with the arrays and blocks live after it.

    The moments of one body are in textual order.  With ``own_thread``, only later uses by the same
    thread of a kernel count, and uses by its other threads do not.
    """
    found: list[Moment] = []
    whole = Level(Role.ENTRY, (0,), None, None)
    _Backwards(_memory(e), own_thread, found, count(1)).body(e.body, whole, NONE)
    return tuple(reversed(found))


@frozen
class _Backwards:
    """The traversal, from the last moment to the first."""

    memory: Names
    """The arrays and blocks; other names are ignored."""
    own_thread: bool
    found: list[Moment]
    numbers: Iterator[int]

    def body(self, b: Body[Ann], level: Level, out: Names) -> None:
        """Record the moments of a body; ``out`` is live after the body, besides its results."""
        live = out | (names_of_atoms(b.result) & self.memory)
        self.found.append(Moment(level, None, b, live))
        for s in reversed(b.stms):
            after = live
            names = {p.name for p in s.pat}
            if not names.isdisjoint(live):
                live -= names
            if s.exp.__class__ in NESTS:
                self.inside(s, level, live)
            self.found.append(Moment(level, s, b, after))
            used = free_in_stm(s) & self.memory
            if not used <= live:  # most statements add nothing
                live |= used

    def inside(self, s: Stm[Ann], level: Level, live: Names) -> None:
        """Record the moments of a statement's bodies; ``live`` is live after it and not bound by
        it.
        """
        match s.exp:
            case Kernel() as e:
                if not self.own_thread or not isinstance(e.collective, Map):
                    live |= free_in_stm(s) & self.memory  # other threads and the collective use it
            case Loop(params, _, body):  # the next iteration uses it
                live |= (free_in_body(body) & self.memory) - {p.binder.name for p in params}
            case If():
                pass
            case (
                Scalar()
                | Index()
                | DerivedArray()
                | FreshArray()
                | InPlace()
                | Assert()
                | Alloc()
                | Opaque()
            ):
                return
            case RaggedKernel():
                raise unscheduled()
        for role, b in zip(roles(s.exp), sub_bodies(s.exp), strict=True):
            inner = Level(role, (*level.path, next(self.numbers)), s, level)
            self.body(b, inner, live)


def roles(e: Exp[Ann]) -> tuple[Role, ...]:
    """Return the role of each body of :func:`~funmem.ir.traverse.sub_bodies`."""
    match e:
        case Kernel():
            return (*(Role.OPERATOR for _ in operators(e)), Role.KERNEL)
        case Loop():
            return (Role.LOOP,)
        case If():
            return (Role.BRANCH, Role.BRANCH)
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert() | Alloc():
            return ()
        case Opaque():
            return ()
        case RaggedKernel():
            raise unscheduled()


def names_of_atoms(atoms: Iterable[Atom]) -> Names:
    """Return the names among atoms."""
    return frozenset(a.name for a in atoms if isinstance(a, Var))
