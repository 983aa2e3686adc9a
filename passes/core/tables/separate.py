r"""A data type for each region, so that each has tables of its own (Core -> Core).

    def last 'r1 : list 'r1 -> i64            def last : list -> i64
    … @letregion['r2] (@last['r2] …)      ->  … let (region : {}) = {} in @last …

A region is a number here: data types that lie in region 1 are copies of those that lie in region 0.
A region gets the lowest number that is not in scope, so regions whose lives do not overlap share
their copies, and few definitions are needed.  Definitions are copied for the numbers of their
regions.  :class:`Local` says what begins at a binding ``region``:

fresh      new tables, which nothing refers to after the body
released   the number of used rows is after the body what it was before it

Outside of loops, recursion and kernels a region is fresh.  Inside, its tables begin before the
loop, before the first call, or with the index of the kernel, and are released at its end: tables
are a stack of the regions that are alive.  That is sound although regions may share tables: who
allocates between begin and end has all regions in which it allocates in scope, and these have
other numbers.

Regions of arrays outside of data types are erased (they are ordinary arrays).

*Precondition*: monomorphic, lifted, first-order; no ``==`` of recursive data.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

from funmem.ir import core as c
from funmem.ir.components import strongly_connected
from funmem.ir.core import CoreProgram, DataDef, Def, Exp, Type
from funmem.ir.core_traverse import map_parts, map_type
from funmem.ir.depth import deep
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, evolve, frozen
from funmem.ir.regions.forms import (
    AT,
    ENDREGION,
    LETREGION,
    OWN,
    RESERVED,
    STATIC,
    regions_in,
    split,
    unwrapped,
)
from funmem.passes.core.names import binders, inside
from funmem.passes.core.recursion.parts import definitions_in
from funmem.passes.core.regions import Strategy, infer_regions
from funmem.passes.core.tables.families import Families
from funmem.passes.core.unique import top_names


@frozen
class Local:
    """The data types whose tables begin at a binding; ``released``: they are in use before it."""

    types: frozenset[Name]
    released: bool


Locals = Mapping[Name, Local]
"""The regions that begin at a binding, by the name that it binds."""


def separated(p: CoreProgram, strategy: Strategy) -> tuple[CoreProgram, Locals]:
    """Return a program in which each region has data types of its own, and where regions begin."""
    bodies = [*(d.exp for d in p.defs), *(e.exp for e in p.entries)]
    names = {b.name for e in bodies for x in inside(e) for b in binders(x)}
    names |= {q.binder.name for e in p.entries for q in e.params} | set(top_names(p))
    fresh = Fresh([*names, *RESERVED])
    p = _not_reserved(p, fresh)
    families = Families(p.data)
    with deep():
        copied = frozenset(d.name for d in p.data if families.inside(c.Data(d.name)))
        return _Separation(infer_regions(p, strategy), copied, fresh).program()


def _not_reserved(p: CoreProgram, fresh: Fresh) -> CoreProgram:
    """Rename definitions and data types that have the names of annotations."""
    image = {x: fresh(x) for x in top_names(p) if x in RESERVED}
    if not image:
        return p

    def type_(t: Type) -> Type:
        found = map_type(t, type_)
        if isinstance(found, c.Data) and found.name in image:
            return evolve(found, name=image[found.name])
        return found

    def exp(e: Exp) -> Exp:
        found = map_parts(e, exp, type_)
        if isinstance(found, c.Global) and found.name in image:
            return evolve(found, name=image[found.name])
        return found

    def entry(e: c.Entry) -> c.Entry:
        binders = (c.Binder(q.binder.name, type_(q.binder.type)) for q in e.params)
        params = tuple(evolve(q, binder=b) for q, b in zip(e.params, binders, strict=True))
        return evolve(e, params=params, result=type_(e.result), exp=exp(e.exp))

    def data(d: DataDef) -> DataDef:
        t = type_(d.type)
        assert isinstance(t, c.Sum)
        return evolve(d, name=name(d.name), type=t)

    def name(x: Name) -> Name:
        return image.get(x, x)

    return evolve(
        p,
        entries=tuple(map(entry, p.entries)),
        defs=tuple(
            evolve(d, name=name(d.name), type=type_(d.type), exp=exp(d.exp)) for d in p.defs
        ),
        data=tuple(map(data, p.data)),
    )


class Mode(Enum):
    """Where code runs: what is in a loop or recursion runs more than once."""

    ONCE = "once"
    AGAIN = "again"
    KERNEL = "kernel"


@frozen
class _Scope:
    """The numbers of the regions in scope."""

    numbers: Mapping[Name, int]

    def begin(self, regions: Iterable[Name]) -> "_Scope":
        """Return the scope in which regions have begun."""
        numbers = dict(self.numbers)
        for r in regions:
            taken = set(numbers.values())
            numbers[r] = next(k for k in range(len(taken) + 1) if k not in taken)
        return _Scope(numbers)

    def end(self, regions: Iterable[Name]) -> "_Scope":
        """Return the scope in which regions have ended."""
        gone = set(regions)
        return _Scope({r: k for r, k in self.numbers.items() if r not in gone})

    def lacks(self, numbers: Iterable[int]) -> frozenset[int]:
        """Return those numbers that no region in scope has."""
        return frozenset(numbers) - set(self.numbers.values())


@define(eq=False)
class _Copy:
    """A copy of a definition; ``released`` are the numbers that it releases and does not begin."""

    name: Name
    released: set[int]
    made: Def | None = None


class _Separation:
    """The work on one program with regions."""

    def __init__(self, p: CoreProgram, copied: frozenset[Name], fresh: Fresh) -> None:
        self._p, self._fresh = p, fresh
        self._defs = {d.name: d for d in p.defs}
        self._data = {d.name: d for d in p.data}
        self._copied = copied
        """The data types that need a copy for each region."""
        self._relevant = self._regions_of_data()
        self._data_copies: dict[tuple[Name, int], Name] = {}
        self._copies: dict[tuple[Name, tuple[int, ...], Mode], _Copy] = {}
        uses = {d.name: list(dict.fromkeys(definitions_in(d.exp))) for d in p.defs}
        uses = {x: [y for y in ys if y in self._defs] for x, ys in uses.items()}
        self._group: dict[Name, int] = {}
        recursive = set[int]()
        for k, group in enumerate(strongly_connected(list(self._defs), uses)):
            self._group |= dict.fromkeys(group, k)
            if len(group) > 1 or group[0] in uses[group[0]]:
                recursive.add(k)
        self._recursive = frozenset(recursive)
        self._together: dict[tuple[int, Mode], set[int]] = {}
        """What the copies of a group that calls itself release."""
        self._begins: dict[Name, tuple[frozenset[int], bool]] = {}
        self._mode, self._released = Mode.ONCE, set[int]()

    def program(self) -> tuple[CoreProgram, Locals]:
        """Return the program, and where regions begin."""
        entries = tuple(map(self._entry, self._p.entries))
        reached = {name for name, _, _ in self._copies}
        for d in self._p.defs:
            if d.name not in reached:
                params = tuple(range(sum(r in self._relevant for r in d.tparams)))
                self._copy(d, params, Mode.ONCE)
        order = {d.name: k for k, d in enumerate(self._p.defs)}
        made = sorted(self._copies.items(), key=lambda kv: order[kv[0][0]])
        defs = tuple(copy.made for _, copy in made if copy.made is not None)
        data = self._all_data()
        of: dict[int, set[Name]] = {}
        for (_, k), name in self._data_copies.items():
            of.setdefault(k, set()).add(name)
        found = {
            x: Local(frozenset().union(*(of.get(k, ()) for k in numbers)), released)
            for x, (numbers, released) in self._begins.items()
        }
        return CoreProgram(entries, defs, data, self._p.foreign), found

    # ------------------------------------------------------------------ which regions matter

    def _regions_of_data(self) -> frozenset[Name]:
        """Return the regions of data types that need copies."""
        found = set[Name]()

        def note(t: Type) -> Type:
            if isinstance(t, c.Data) and t.name in self._copied:
                found.update(r.name for r in t.args if isinstance(r, c.TypeVar))
            return map_type(t, note)

        calls: list[c.Global] = []
        for body in (*(d.exp for d in self._p.defs), *(e.exp for e in self._p.entries)):
            for x in inside(body):
                map_parts(x, lambda y: y, note)
                if isinstance(x, c.Global) and x.name in self._defs:
                    calls.append(x)
        for d in self._p.defs:
            note(d.type)
        for e in self._p.entries:
            for t in (*(q.binder.type for q in e.params), e.result):
                note(t)
        size = -1
        while size < len(found):
            size = len(found)
            for x in calls:
                pairs = zip(self._defs[x.name].tparams, x.types, strict=True)
                for param, arg in pairs:
                    if param in found and isinstance(arg, c.TypeVar):
                        found.add(arg.name)
        return frozenset(found - {STATIC})

    def _number(self, r: Name, s: _Scope) -> int:
        """Return the number of a region; only the static one has the number 0 with `one`."""
        return 0 if r == STATIC else s.numbers[r]

    # ------------------------------------------------------------------ types

    def _type(self, t: Type, s: _Scope) -> Type:
        """Return a type of Core."""
        found = split(t)
        if found is not None:
            return self._type(found[1], s)
        if isinstance(t, c.Data):
            if t.name not in self._copied:
                return c.Data(t.name)
            (r,) = t.args
            assert isinstance(r, c.TypeVar)
            return c.Data(self._data_copy(t.name, self._number(r.name, s)))
        return map_type(t, lambda u: self._type(u, s))

    def _data_copy(self, name: Name, k: int) -> Name:
        """Return the name of a data type in region k: its own in region 0."""
        if (name, k) not in self._data_copies:
            self._data_copies[name, k] = name if k == 0 else self._fresh(name)
            self._type(self._data[name].type, _Scope({OWN: k}))  # those inside are needed as well
        return self._data_copies[name, k]

    def _all_data(self) -> tuple[DataDef, ...]:
        out: list[DataDef] = []
        for d in self._p.data:
            numbers = sorted(k for x, k in self._data_copies if x == d.name) or [0]
            for k in numbers:
                name = self._data_copy(d.name, k) if d.name in self._copied else d.name
                t = self._type(d.type, _Scope({OWN: k}))
                assert isinstance(t, c.Sum)
                out.append(DataDef(name, (), t, d.at))
        return tuple(out)

    # ------------------------------------------------------------------ definitions

    def _entry(self, e: c.Entry) -> c.Entry:
        regions = [r for t in (*(q.binder.type for q in e.params), e.result) for r in regions_in(t)]
        s = _Scope({}).begin(r for r in dict.fromkeys(regions) if r in self._relevant)
        self._mode, self._released = Mode.ONCE, set()
        params = tuple(evolve(q, binder=self._binder(q.binder, s)) for q in e.params)
        return evolve(e, params=params, result=self._type(e.result, s), exp=self._exp(e.exp, s))

    def _binder(self, b: c.Binder, s: _Scope) -> c.Binder:
        return c.Binder(b.name, self._type(b.type, s))

    def _called(self, e: c.Global, s: _Scope) -> _Copy:
        """Return the copy of a definition for its regions and the place of the call."""
        d = self._defs[e.name]
        args: list[int] = []
        for param, arg in zip(d.tparams, e.types, strict=True):
            if param in self._relevant:
                assert isinstance(arg, c.TypeVar)
                args.append(self._number(arg.name, s))
        return self._copy(d, tuple(args), self._mode)

    def _copy(self, d: Def, args: tuple[int, ...], mode: Mode) -> _Copy:
        k = self._group[d.name]
        if not isinstance(d.exp, c.Lambda):
            mode = Mode.ONCE
        elif k in self._recursive and mode is Mode.ONCE:
            mode = Mode.AGAIN
        key = d.name, args, mode
        if key in self._copies:
            return self._copies[key]
        first = all(name != d.name for name, _, _ in self._copies)
        released = set[int]()
        if k in self._recursive:
            released = self._together.setdefault((k, mode), released)
        copy = self._copies[key] = _Copy(d.name if first else self._fresh(d.name), released)
        before = self._mode, self._released
        self._mode, self._released = mode, released
        s = _Scope(dict(zip((r for r in d.tparams if r in self._relevant), args, strict=True)))
        exp = self._exp(d.exp, s)
        copy.made = Def(copy.name, (), self._type(d.type, s), exp, d.at)
        self._mode, self._released = before
        return copy

    # ------------------------------------------------------------------ expressions

    def _exp(self, e: Exp, s: _Scope) -> Exp:
        """Return an expression without regions, in which bindings say where they begin."""
        if (found := unwrapped(e, LETREGION)) is not None:
            regions = [r for r in found[0] if r in self._relevant]
            inner = s.begin(regions)
            return self._beginning({inner.numbers[r] for r in regions}, found[1], inner)
        if (found := unwrapped(e, ENDREGION)) is not None:
            return self._exp(found[1], s.end(found[0]))
        if (found := unwrapped(e, AT)) is not None:
            return self._exp(found[1], s)
        match e:
            case c.App(c.Global() as fn, args, at):
                copy = self._called(fn, s)
                given = tuple(self._exp(x, s) for x in args)
                whole = c.App(c.Global(copy.name, (), fn.at), given, at)
                if self._mode is Mode.ONCE:
                    return self._binding(s.lacks(copy.released), whole, released=False)
                self._released |= s.lacks(copy.released)
                return whole
            case c.Global():
                return c.Global(self._called(e, s).name, (), e.at)
            case c.Map(c.Lambda() as fn, arrays) if self._mode is not Mode.KERNEL:
                given = tuple(self._exp(x, s) for x in arrays)
                return evolve(e, fn=self._kernel(fn, s), arrays=given)
            case c.Filter(c.Lambda() as fn, array) if self._mode is not Mode.KERNEL:
                return evolve(e, fn=self._kernel(fn, s), array=self._exp(array, s))
            case c.Loop() | c.ParallelOperation() if self._mode is Mode.ONCE:
                loop, released = self._apart(e, s, Mode.AGAIN)
                return self._binding(s.lacks(released), loop, released=False)
            case (
                c.Let()
                | c.Assert()
                | c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
            ):
                return self._parts(e, s)

    def _parts(self, e: Exp, s: _Scope) -> Exp:
        return map_parts(e, lambda x: self._exp(x, s), lambda t: self._type(t, s))

    def _apart(self, e: Exp, s: _Scope, mode: Mode) -> tuple[Exp, Sequence[int]]:
        """Return an expression whose parts are in a mode, and the numbers that it releases."""
        before = self._mode, self._released
        self._mode, self._released = mode, set()
        whole, released = self._parts(e, s), sorted(self._released)
        self._mode, self._released = before
        return whole, released

    def _kernel(self, fn: c.Lambda, s: _Scope) -> c.Lambda:
        """Return the function of a kernel: what it releases begins with each index."""
        whole, released = self._apart(fn, s, Mode.KERNEL)
        assert isinstance(whole, c.Lambda)
        return evolve(whole, body=self._binding(s.lacks(released), whole.body, released=False))

    def _beginning(self, numbers: set[int], e: Exp, s: _Scope) -> Exp:
        """Return an expression around which regions live."""
        if self._mode is Mode.ONCE:
            return self._binding(frozenset(numbers), self._exp(e, s), released=False)
        self._released |= numbers
        return self._binding(frozenset(numbers), self._exp(e, s), released=True)

    def _binding(self, numbers: frozenset[int], e: Exp, *, released: bool) -> Exp:
        if not numbers:
            return e
        x = self._fresh("region")
        self._begins[x] = numbers, released
        return c.Let((c.Binder(x, c.UNIT),), c.Fields(()), e)
