"""Keep scalars that only the device uses in its memory, so that the host does not wait for them.

    for k < m do                                 norm_cell <- alloc 8;
      norm <- sqrt(part[0] + part[1]);           for k < m do
      kernel i < n do                     ->       norm_1 <- sqrt(part[0] + part[1]);
        y[i] <- x[i] / norm;                       norm_cell[0] <- norm_1;
      done                                         kernel i < n do
    done                                             norm_2 <- norm_cell[0];
                                                     y[i] <- x[i] / norm_2;
                                                   done
                                                 done

What the host computes from memory becomes a task of the device (:mod:`split
<funmem.codegen.split>`).  The host must wait for the scalars that it passes on to later kernels,
and the device is idle until they arrive: on PoCL this takes longer than several launches.

A scalar is kept on the device if it is assigned in a loop of the host, only by statements that can
be part of a task, and if no condition, bound, size, check, foreign call or result needs it.  Each
run of such statements, and each kernel, reads the scalars that it uses at its beginning, and a run
writes those that it changes at its end, under names of its own.

A scalar that only some paths assign is read before it was written.  Its value is not used then, but
IMP's interpreter would report the read.  So this is done last, on what is printed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from attrs import field

from funmem.codegen.facts import Facts, facts
from funmem.ir.fun import MemType, Space, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    CallStm,
    Check,
    Declare,
    ForStm,
    IfStm,
    ImpEntry,
    ImpProgram,
    ImpStm,
    KernelStm,
    Port,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import (
    bound_names,
    children,
    exp_names,
    map_children,
    nested,
    own_assigns,
    own_uses,
    sizes_names,
    subst,
    variable_types,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, evolve, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import ZERO, const, var

Names = frozenset[Name]


def with_cells(p: ImpProgram) -> ImpProgram:
    """Return the program with the scalars that only the device uses in its memory."""
    return evolve(p, entries=tuple(map(_entry, p.entries)))


def _entry(e: ImpEntry) -> ImpEntry:
    known = _Known()
    kept = _kept(e, known)
    units = tuple(_units(e.body, kept, known))
    often = Counter(x for u in units for x in u.names)
    exposed = frozenset[Name]().union(*(u.exposed for u in units))
    shared = sorted(x for x in kept if often[x] > 1 or x in exposed)
    if not kept:
        return e
    fresh = Fresh((*e.sizes, *map(_port_name, e.params), *bound_names(e.body)))
    types = {x: t for x, t in variable_types(e).items() if isinstance(t, ScalarType)}
    cells = {x: fresh(f"{x}_cell") for x in shared}
    body = _Rewriter(kept, cells, types, fresh, known).block(e.body)
    head: list[ImpStm] = []
    for x, cell in cells.items():
        head.append(Declare(cell, MemType(), e.at))
        head.append(Allocate(cell, const(types[x].bytes), Space.DEVICE, e.at))
    return evolve(e, body=(*head, *body))


@define
class _Known:
    """The facts of the statements that were asked for: each statement is asked for several times,
    by itself and by those around it.
    """

    found: dict[int, tuple[ImpStm, Facts]] = field(factory=dict)
    """By the identity of the statement, which is kept so that no other one gets it."""

    def of(self, s: ImpStm) -> Facts:
        """Return the facts of a statement."""
        entry = self.found.get(id(s))
        if entry is None:
            entry = self.found[id(s)] = (s, facts(s))
        return entry[1]

    def is_leaf(self, s: ImpStm) -> bool:
        """True if a statement has no kernels, allocations and foreign calls."""
        f = self.of(s)
        return not (f.has_kernel or f.has_alloc or f.has_foreign)

    def is_task(self, s: ImpStm) -> bool:
        """True if it is always part of a task; the host reads single elements itself."""
        return self.is_leaf(s) and self.of(s).is_for_device and not isinstance(s, Read)


def _port_name(p: Port) -> Name:
    return p.block if isinstance(p, ArrayPort) else p.x


# ---------------------------------------------------------------------- which scalars


def _kept(e: ImpEntry, known: _Known) -> Names:
    """Return the scalars that only kernels and tasks use, and that a task in a loop assigns."""
    types = variable_types(e)
    given = {*e.sizes, *map(_port_name, e.params), *map(_port_name, e.results)}
    given |= sizes_names(d for p in e.results if isinstance(p, ArrayPort) for d in p.shape)
    steps = tuple(_steps(e.body, known, inside=False))
    kept: set[Name] = set()
    size = -1
    while size < len(kept):
        size = len(kept)
        for s, inside in steps:
            if inside and (known.is_task(s) or isinstance(s, Read)):
                kept |= known.of(s).assigns - known.of(s).declares
            elif inside and isinstance(s, Assign) and not kept.isdisjoint(exp_names(s.value)):
                kept.add(s.x)
    kept = {x for x in kept - given if isinstance(types.get(x), ScalarType)}
    while bad := {x for s, _ in steps for x in _on_host(s, kept, known)} & kept:
        kept -= bad
    return frozenset(kept)


def _steps(stms: Block, known: _Known, *, inside: bool) -> Iterator[tuple[ImpStm, bool]]:
    """Yield the statements of the host, and if a loop contains them; those with kernels or
    allocations in them before what they contain.
    """
    for s in stms:
        yield s, inside
        if not known.is_leaf(s):
            loop = inside or isinstance(s, ForStm | WhileStm)
            for part in _parts(s):
                yield from _steps(part, known, inside=loop)


def _parts(s: ImpStm) -> Sequence[Block]:
    """Return the statements of the host in a statement."""
    return () if isinstance(s, KernelStm) else children(s)


def _on_host(s: ImpStm, kept: set[Name], known: _Known) -> Names:
    """Return the scalars that the host must know, or sets, for a statement."""
    if known.is_task(s) or (isinstance(s, Assign | Read) and s.x in kept):
        return frozenset()
    if known.is_leaf(s):
        f = known.of(s)
        return f.uses | f.assigns
    return own_uses(s) | frozenset(own_assigns(s))


# ---------------------------------------------------------------------- runs and kernels


@frozen
class _Unit:
    """The kept scalars of a kernel or a run; those that it uses before it sets them; those that it
    may leave as they were.
    """

    names: Names
    exposed: Names
    partial: Names = frozenset()


def _runs(stms: Block, kept: Names, known: _Known) -> Iterator[tuple[bool, Block]]:
    """Yield the runs of statements that become one task, and each other statement.

    Declarations, and assignments and checks that the host can make earlier, come before a run.
    """
    run: list[ImpStm] = []
    for s in stms:
        if known.is_task(s) or (isinstance(s, Assign | Read) and s.x in kept):
            run.append(s)
            continue
        if run and not _may_precede(s, run, known):
            yield True, tuple(run)
            run = []
        yield False, (s,)
    if run:
        yield True, tuple(run)


def _may_precede(s: ImpStm, run: Sequence[ImpStm], known: _Known) -> bool:
    """True if the host may execute a statement before a run.  What a run did cannot be seen if a
    check fails; so a check may, if no check of the run can fail, and the run ends.
    """
    if isinstance(s, Check):
        if any(isinstance(t, Check | CallStm | WhileStm) for t in nested(tuple(run))):
            return False
    elif not isinstance(s, Declare | Assign):
        return False
    f, g = facts(*run), known.of(s)
    return (f.uses | f.assigns).isdisjoint(g.assigns) and f.assigns.isdisjoint(g.uses)


def _units(stms: Block, kept: Names, known: _Known) -> Iterator[_Unit]:
    for is_run, part in _runs(stms, kept, known):
        (s, *_) = part
        if is_run:
            yield _unit(part, kept)
        elif isinstance(s, KernelStm):
            used = known.of(s).uses & kept
            yield _Unit(used, used)
        elif not known.is_leaf(s):
            for inner in _parts(s):
                yield from _units(inner, kept, known)


def _unit(run: Block, kept: Names) -> _Unit:
    f = facts(*run)
    exposed, known = _exposed(run, frozenset())
    changed = f.assigns - f.declares
    return _Unit((f.uses | changed) & kept, exposed & kept, (changed - known) & kept)


def _exposed(stms: Block, known: Names) -> tuple[Names, Names]:
    """Return the variables that statements may use before they set them, and those that are set
    after them whichever way they take; ``known`` are set before.
    """
    exposed: Names = frozenset()
    for s in stms:
        inner = [_exposed(part, known) for part in children(s)]
        exposed = exposed.union(own_uses(s) - known, *(e for e, _ in inner))
        known |= frozenset(own_assigns(s))
        if isinstance(s, IfStm):
            known |= inner[0][1] & inner[1][1]
    return exposed, known


@define
class _Rewriter:
    """Replaces the scalars that have cells."""

    kept: Names
    cells: Mapping[Name, Name]
    types: Mapping[Name, ScalarType]
    fresh: Fresh
    known: _Known

    def block(self, stms: Block) -> Block:
        done: list[ImpStm] = []
        for is_run, part in _runs(stms, self.kept, self.known):
            (s, *_) = part
            if is_run:
                done += self.run(part)
            elif isinstance(s, KernelStm):
                used = self.known.of(s).uses & self.cells.keys()
                image, head = self.copies(s, used, used)
                body = subst(s.body, {x: var(y) for x, y in image.items()})
                done.append(evolve(s, body=(*head, *body)))
            elif not (isinstance(s, Declare) and s.x in self.cells):
                done.append(s if self.known.is_leaf(s) else map_children(s, self.block))
        return tuple(done)

    def run(self, run: Block) -> Block:
        while run and isinstance(run[-1], Assign) and run[-1].x not in self.cells:
            run = run[:-1]  # nothing uses it
        if not run:
            return ()
        u, changed = _unit(run, self.kept), facts(*run).assigns
        image, head = self.copies(run[0], u.names & self.cells.keys(), u.exposed | u.partial)
        tail = tuple(
            Write(self.cells[x], ZERO, Var(y), self.types[x], run[-1].at)
            for x, y in image.items()
            if x in changed
        )
        return (*head, *subst(run, {x: var(y) for x, y in image.items()}), *tail)

    def copies(
        self, s: ImpStm, names: Names, exposed: Names
    ) -> tuple[dict[Name, Name], list[ImpStm]]:
        """Return new variables for scalars, and statements that declare and read them."""
        image = {x: self.fresh(x) for x in sorted(names)}
        head: list[ImpStm] = []
        for x, y in image.items():
            head.append(Declare(y, self.types[x], s.at))
            if x in exposed:
                head.append(Read(y, self.cells[x], ZERO, self.types[x], s.at))
        return image, head
