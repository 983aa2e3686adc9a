"""Liveness in FUNMEM: what is used for the last time where, through all aliases.

A name is *live* after a statement if it may be mentioned later on some path: further down in the
same body, as a result, in the next iteration of an enclosing loop, by another thread of an
enclosing kernel, or after the statements around.  Where a name goes out of scope says nothing.

    let (y : …) = x[0 : n]          x and y are *aliases*: an element may be seen through both.
    let (b : …) = copy y            So do results of `if` and `loop`, the loop's parameters, and
    let (z : …) = y with [0] = 5    what an update, scatter or hist leaves behind.

An array is last used where neither it nor any alias of it is live any more.

A *block* is not its name.  ``if`` and ``loop`` bind block variables that are one of several blocks
at run time; a block here is what an ``alloc`` makes or an entry point's parameter brings (its
*root*, see ``blocks.py``), and an array lies in every root that its home's block variable may be.
Two notions of liveness follow:

    needed     some array in the block is live: its bytes matter
    held       the block or an array in it will be mentioned: it must not be freed

    live = Liveness.of_entry(e)
    live.last_use(b, s)             neither b nor an alias of b is used after s
    live.aliases(b)                 b and all arrays that may share an element with it
    live.after(s)                   the arrays and blocks that may be mentioned after s
    live.roots(x)                   the blocks in which array x may lie
    live.needed_after(m, s)         block m holds an element that matters after s
    live.held_after(m, s)           block m must exist after s

Statements are known by what they bind, so they may have been rebuilt since; one that binds nothing
(an assertion) cannot be asked about.  All answers are for *all* executions: "live" is always a
correct answer, "last use" never a guess.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cached_property
from itertools import count, takewhile

from attrs import field

from funmem.ir.diagnostics import Stuck
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Binder,
    Body,
    Entry,
    Exp,
    Home,
    If,
    Kernel,
    Loop,
    Map,
    Stm,
    Var,
)
from funmem.ir.logic.blocks import Blocks, blocks_of
from funmem.ir.logic.derive import in_place_of, source_of
from funmem.ir.names import Name
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
    """Where every array of the entry point lies."""
    memory: Names
    """The names of all arrays and blocks."""
    blocks: Blocks
    _after: Mapping[Name, Names]
    """First name that a statement binds -> what is live after the statement."""
    _origins: Mapping[Name, Names]
    """Array -> the fresh arrays and parameters whose elements it may show."""

    @staticmethod
    def of_entry(e: Entry[Ann]) -> "Liveness":
        """The analysis; linear in the size of the program times its depth and what is live."""
        homes = {b.name: b.home for b in binders_of(e) if b.home is not None}
        stms = ((m.at, m.after) for m in moments(e))
        after = {s.pat[0].name: live for s, live in stms if s is not None and s.pat}
        origins = _origins(homes, _shown(e.body))
        return Liveness(e, homes, _memory(e), blocks_of(e.body), after, origins)

    # ------------------------------------------------------------------ arrays

    def after(self, s: Stm[Ann]) -> Names:
        """The arrays and blocks that may be mentioned after a statement."""
        if not s.pat:
            raise Stuck("a statement that binds nothing has no place")
        return self._after[s.pat[0].name]

    def origins(self, x: Name) -> Names:
        """The fresh arrays and parameters whose elements ``x`` may show."""
        return self._origins[x]

    def aliases(self, x: Name) -> Names:
        """``x`` and every array that may share an element with it, wherever it is bound."""
        return self.showing(self._origins[x])

    def showing(self, origins: Iterable[Name]) -> Names:
        """Every array that may show an element of one of these fresh arrays and parameters."""
        return NONE.union(*(self._showing.get(o, ()) for o in origins))

    @cached_property
    def _showing(self) -> Mapping[Name, list[Name]]:
        found: dict[Name, list[Name]] = {}
        for y, origins in self._origins.items():
            for o in origins:
                found.setdefault(o, []).append(y)
        return found

    def last_use(self, x: Name, s: Stm[Ann]) -> bool:
        """Neither ``x`` nor an alias of it is used after ``s``; so not if ``s`` makes an alias."""
        return self.aliases(x).isdisjoint(self.after(s))

    # ------------------------------------------------------------------ blocks

    def roots(self, x: Name) -> Names:
        """The blocks in which an array may lie."""
        return self.blocks.roots(self.homes[x].block)

    def arrays_in(self, m: Name) -> Names:
        """The arrays that may lie in a block."""
        return frozenset(x for x in self.homes if m in self.roots(x))

    def needed_after(self, m: Name, s: Stm[Ann]) -> bool:
        """Some array that may lie in block ``m`` is used after ``s``."""
        return any(x in self.homes and m in self.roots(x) for x in self.after(s))

    def held_after(self, m: Name, s: Stm[Ann]) -> bool:
        """Block ``m``, under whatever name, or an array in it is mentioned after ``s``."""
        return any(m in self.blocks_named(x) for x in self.after(s))

    def blocks_named(self, x: Name) -> Names:
        """The blocks that an array lies in or that a block variable is."""
        return self.roots(x) if x in self.homes else self.blocks.roots(x)


def binders_of(e: Entry[Ann]) -> Iterator[Binder[Ann]]:
    """Every binder of an entry point."""
    yield from entry_binders(e)
    for s in walk(e.body):
        yield from s.pat
        yield from inner_binders(s.exp)


def _memory(e: Entry[Ann]) -> Names:
    """The names of arrays and blocks."""
    return frozenset(b.name for b in binders_of(e) if not isinstance(b.type, ScalarType))


# ---------------------------------------------------------------------- what an array shows


def _origins(arrays: Iterable[Name], shown: Mapping[Name, Names]) -> dict[Name, Names]:
    """For every array: the arrays at the ends of the chains of :func:`_shown`."""

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
    """For every array bound inside a body: the arrays whose elements it shows."""
    sources: dict[Name, Names] = {}
    for s in walk(b):
        for x in (p for p in (*s.pat, *inner_binders(s.exp)) if isinstance(p.type, ArrayType)):
            sources[x.name] = NONE
        for x, values in _bindings(s):
            if isinstance(x.type, ArrayType):
                sources[x.name] |= {a.name for a in values if isinstance(a, Var)}
    return sources


def _bindings(s: Stm[Ann]) -> Iterator[tuple[Binder[Ann], tuple[Atom, ...]]]:
    """What a statement binds without making a fresh array, and what that stands for."""
    match s.exp:
        case If(_, then, orelse):
            for p, a, b in zip(s.pat, then.result, orelse.result, strict=True):
                yield p, (a, b)
        case Loop(params, _, body):
            for p, q, again in zip(s.pat, params, body.result, strict=True):
                yield q.binder, (q.init, again)
                yield p, (q.init, again)
        case e if (x := source_of(e)) is not None:
            yield s.pat[0], (Var(x),)
        case e:
            for p, x in zip(s.pat, in_place_of(e), strict=False):
                yield p, (Var(x),)


# ---------------------------------------------------------------------- from the end to the start


class Role(Enum):
    """What a body is the body of."""

    ENTRY = "entry point"
    BRANCH = "branch"
    LOOP = "loop"
    KERNEL = "kernel"
    OPERATOR = "operator"


@frozen
class Level:
    """A body and where it stands; ``path`` numbers the bodies from the entry point's to this."""

    role: Role
    path: tuple[int, ...]
    of: Stm[Ann] | None = field(eq=False)
    """The statement whose body it is."""
    outer: "Level | None" = field(eq=False)

    def encloses(self, other: "Level") -> bool:
        """Whether ``other`` is this body or one inside it."""
        return other.path[: len(self.path)] == self.path

    def outwards(self) -> Iterator["Level"]:
        """This body and those around it, up to the entry point's."""
        level: Level | None = self
        while level is not None:
            yield level
            level = level.outer

    def up_to(self, outer: "Level") -> Iterator["Level"]:
        """This body and those around it that are inside of ``outer``."""
        return takewhile(lambda level: level != outer, self.outwards())


@frozen
class Moment:
    """A statement, or the end of a body (``at`` is None), and what is live after it."""

    level: Level
    at: Stm[Ann] | None
    body: Body[Ann]
    after: Names


def moments(e: Entry[Ann], *, own_thread: bool = False) -> tuple[Moment, ...]:
    """Every statement and every end of a body, a body's moments being in order, and arrays and
    blocks live after each.

    With ``own_thread`` a kernel's other threads do not count: only what the same thread does later.
    """
    found: list[Moment] = []
    whole = Level(Role.ENTRY, (0,), None, None)
    _Backwards(_memory(e), own_thread, found, count(1)).body(e.body, whole, NONE)
    return tuple(reversed(found))


@frozen
class _Backwards:
    """The traversal, from the last moment to the first."""

    memory: Names
    """The arrays and blocks; other names are not looked at."""
    own_thread: bool
    found: list[Moment]
    numbers: Iterator[int]

    def body(self, b: Body[Ann], level: Level, out: Names) -> None:
        """``out``: what is live after the body, its results apart."""
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
            if not used <= live:  # most statements leave it as it is
                live |= used

    def inside(self, s: Stm[Ann], level: Level, live: Names) -> None:
        """``live``: what is live after the statement, and not bound by it."""
        match s.exp:
            case Kernel() as e if not self.own_thread or not isinstance(e.collective, Map):
                live |= free_in_stm(s) & self.memory  # other threads and the collective use it
            case Loop(params, _, body):  # the next iteration uses it
                live |= (free_in_body(body) & self.memory) - {p.binder.name for p in params}
            case _:
                pass
        for role, b in zip(roles(s.exp), sub_bodies(s.exp), strict=True):
            inner = Level(role, (*level.path, next(self.numbers)), s, level)
            self.body(b, inner, live)


def roles(e: Exp[Ann]) -> tuple[Role, ...]:
    """The role of each body of :func:`~funmem.ir.traverse.sub_bodies`."""
    match e:
        case Kernel():
            return (*(Role.OPERATOR for _ in operators(e)), Role.KERNEL)
        case Loop():
            return (Role.LOOP,)
        case _:
            return tuple(Role.BRANCH for _ in sub_bodies(e))


def names_of_atoms(atoms: Iterable[Atom]) -> Names:
    """The names among atoms."""
    return frozenset(a.name for a in atoms if isinstance(a, Var))
