r"""Evaluates Core/r: Core's interpreter, with arrays, payloads and closures in real regions.

The program is erased, and each expression keeps its annotations aside, so values, traps and the
order of evaluation are those of Core.  What an expression makes is stored in the region that its
annotation names; everybody reads it from there.  Three faults of annotations are reported:

    REGION_ENDED      a read, a write or a call of what lies in a region that has ended
    REGION_ESCAPE     the value of ``letregion`` lies in the region that ends
    REGION_FOREIGN    a name's value lies in another region than its type says

A type variable of the environment is a region of the run.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from funmem.interp.core import arrays as a
from funmem.interp.core.evaluate import Arrays, CoreEvaluator, Selections, TailCall
from funmem.interp.core.regions.memory import (
    Memory,
    Region,
    StoredClosure,
    StoredRows,
    StoredTagged,
    place_of,
    width,
    widths,
)
from funmem.interp.core.values import (
    Closure,
    Env,
    Partial,
    Rec,
    Rows,
    Tagged,
    Val,
    array,
    group,
    number,
    row_type,
    several,
    type_of_value,
)
from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import map_parts, unsized
from funmem.ir.diagnostics import FaultKind, MemoryFault, Span, Stuck, Trap, TrapKind
from funmem.ir.foreign_calls import NO_FUNCTIONS, Table
from funmem.ir.messages import fill, show_value
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.regions.erasure import Annotations, erase
from funmem.ir.regions.forms import STATIC, Places, split

_Located = tuple[tuple[Name, Type], ...]


class RegionEvaluator(CoreEvaluator):
    """One run of a program of Core/r."""

    def __init__(self, p: CoreProgram, foreign: Table = NO_FUNCTIONS) -> None:
        self._notes: dict[int, Annotations] = {}
        self._located: dict[int, _Located] = {}
        self._kept: list[Exp] = []  # a note is found by the identity of its expression
        self.plain = erase(p, self._see)
        super().__init__(self.plain, foreign)
        self._params = {d.name: d.tparams for d in p.defs}
        self._types = {d.name: d.type for d in p.defs}
        self.places = Places(self.plain.data)
        self._sums = {d.name: d.type for d in self.plain.data}
        self.memory = Memory()
        self._regions: dict[Name, Region] = {STATIC: self.memory.begin(STATIC)}
        self._free: dict[int, frozenset[Name]] = {}

    def _see(self, e: Exp, a: Annotations) -> None:
        if a.local or a.ended or a.made or a.args:
            self._notes[id(e)] = a
        names = _binders(e)
        located = tuple((x, t) for x, t in zip(names, a.types, strict=False) if _lies(t))
        if names and located:
            self._located[id(e)] = located
        self._kept.append(e)

    # ------------------------------------------------------------------ regions

    def region(self, name: Name, env: Env) -> Region:
        """Return the region of the run that a region of the program is."""
        found = env.types.get(name, c.TypeVar(name))
        if not isinstance(found, c.TypeVar) or found.name not in self._regions:
            raise Stuck(f"region '{name} is not in scope")
        return self._regions[found.name]

    @contextmanager
    def regions(self, names: Sequence[Name]) -> Iterator[Mapping[Name, Type]]:
        """Begin regions, and end them after the block."""
        begun = [self.memory.begin(x) for x in names]
        keys = [Name(f"{r.name}#{r.number}") for r in begun]
        self._regions.update(zip(keys, begun, strict=True))
        try:
            yield {x: c.TypeVar(k) for x, k in zip(names, keys, strict=True)}
        finally:
            for key in keys:
                self._regions.pop(key).end()

    def store(self, v: Val, where: Sequence[Region]) -> Val:
        """Return a value whose new parts lie in these regions, the outermost first."""
        return self._store(v, list(where))

    def _store(self, v: Val, where: list[Region]) -> Val:
        if not where:
            return v
        match v:
            case Rows(elems, row):
                n, t = self._arrays(row_type(v)), row_type(v)
                inner = [self._store(x, where[1:][:n]) for x in elems] if n else elems
                del where[1 : 1 + n]
                return self.rows(tuple(inner), t if elems else row, where.pop(0))
            case Rec(fields):
                return Rec(tuple([(label, self._store(x, where)) for label, x in fields]))
            case Tagged(name, args, t):
                payload = self._payload(t, name)
                cell = where.pop(0).allocate(
                    t, max(1, widths(payload, self.places.boxed, self._sums)), args, 1
                )
                return StoredTagged.of(cell, name, t)
            case Closure():
                return self._closure(v, where.pop(0))
            case _:
                return v

    def _arrays(self, t: Type) -> int:
        """Return the number of arrays in a type outside sums, data types and functions."""
        match t:
            case c.Array(elem):
                return 1 + self._arrays(elem)
            case c.Record(fields):
                return sum(self._arrays(u) for _, u in fields)
            case _:
                return 0

    def _payload(self, t: c.Sum | c.Data, name: str) -> Sequence[Type]:
        return (self._sums[t.name] if isinstance(t, c.Data) else t).payload(name)

    def rows(self, elems: tuple[Val, ...], row: Type, where: Region) -> Rows:
        """Return a new array in a region."""
        key = unsized(row)
        cell = where.allocate(key, width(key, self.places.boxed, self._sums), elems, len(elems))
        return StoredRows.of(cell, row)

    def _closure(self, f: Closure, where: Region) -> Closure:
        """Return a closure in a region: a row with what it captures."""
        names = self._free.get(id(f.body))
        if names is None:
            names = self._free[id(f.body)] = _names(f.body)
        captured = tuple([f.env.values[x] for x in sorted(names) if x in f.env.values])
        size = sum(width(_kind(v), self.places.boxed, self._sums) for v in captured)
        cell = where.allocate(c.Arrow(c.UNIT, c.UNIT), max(1, size), captured, 1)
        return StoredClosure(f.params, f.body, f.env, f.itself, f.type, cell)

    def home(self, v: Val, t: Type, env: Env) -> Val:
        """Return a value from outside, stored in the regions of its type."""
        match t, v:
            case c.Data(), Rows(elems, row) if (found := split(t)) is not None:
                elem = found[1].elem if isinstance(found[1], c.Array) else found[1]
                inner = tuple([self.home(x, elem, env) for x in elems])
                return self.rows(inner, row, self.region(found[0], env))
            case c.Record(types), Rec(fields):
                pairs = zip(fields, types, strict=True)
                return Rec(tuple([(x, self.home(w, u, env)) for (x, w), (_, u) in pairs]))
            case ((c.Sum() | c.Data()), Tagged(name, args, own)):
                payload = self.places.sum(t).payload(name)
                new = tuple([self.home(x, u, env) for x, u in zip(args, payload, strict=True)])
                again = Tagged(name, new, own)
                if not (isinstance(t, c.Data) and t.args and new):
                    return again
                regions = [self.region(u.name, env) for u in t.args if isinstance(u, c.TypeVar)]
                return self._store(again, regions)
            case _:
                return v

    def again(self, old: Val, new: Val) -> Val:
        """Return an updated array in the region and the memory of the old one."""
        match old, new:
            case StoredRows(), StoredRows():
                return new
            case StoredRows(xs, _), Rows(ys, row):
                pairs = zip(xs, ys, strict=False)
                elems = tuple([self.again(x, y) for x, y in pairs])
                return StoredRows.of(old.cell.region.replace(old.cell, elems), row)
            case Rec(fs), Rec(gs):
                pairs_ = zip(fs, gs, strict=True)
                return Rec(tuple([(x, self.again(v, w)) for (x, v), (_, w) in pairs_]))
            case _:
                return new

    def agree(self, e: Exp, env: Env) -> None:
        """Require that names lie where their types say."""
        for name, t in self._located.get(id(e), ()):
            if name in env.values:
                self._agrees(name, env.values[name], t, env, e.at)

    def _agrees(self, name: Name, v: Val, t: Type, env: Env, at: Span) -> None:
        if isinstance(t, c.Record) and isinstance(v, Rec):
            for (_, x), (_, u) in zip(v.fields, t.fields, strict=True):
                self._agrees(name, x, u, env, at)
            return
        real = place_of(v)
        if real is None or not isinstance(t, c.Data) or not t.args:
            return
        first = t.args[0]
        if isinstance(first, c.TypeVar) and self.region(first.name, env) is not real:
            message = f"{name} lies in region '{real.name}, but its type says '{first.name}"
            raise MemoryFault(FaultKind.REGION_FOREIGN, message, at)

    # ------------------------------------------------------------------ evaluation

    def eval(self, e: Exp, env: Env) -> Val:
        """Return the value of an expression; what it makes is stored."""
        note = self._notes.get(id(e))
        if note is None:
            return self._core(e, env)
        if not note.local:
            self._end(note.ended, env)
            return self._made(e, note, env)
        with self.regions(note.local) as begun:
            inner = Env(env.values, {**env.types, **begun})
            self._end(note.ended, inner)
            v = self._made(e, note, inner)
            ending = [self._regions[t.name] for t in begun.values() if isinstance(t, c.TypeVar)]
            if (r := _inside(v, ending)) is not None:
                message = f"a value in region '{r.name} leaves the expression with which it ends"
                raise MemoryFault(FaultKind.REGION_ESCAPE, message, e.at)
        return v

    def _end(self, regions: Sequence[Name], env: Env) -> None:
        for r in regions:
            self.region(r, env).end()

    def _made(self, e: Exp, note: Annotations, env: Env) -> Val:
        if isinstance(e, c.Global):  # a closure of a definition captures nothing
            return self._definition(e.name, note.args, env)
        v = self._core(e, env)
        where = [self.region(r, env) for r in note.made]
        if isinstance(e, c.Unzip) and isinstance(v, Rec):  # one array for each field
            pairs = zip(v.fields, where, strict=True)
            return Rec(tuple([(label, self.store(x, [r])) for (label, x), r in pairs]))
        if not isinstance(e, c.ParallelOperation):
            return self.store(v, where)
        with self.kernel():  # which writes its result
            return self.store(v, where)

    def _definition(self, name: Name, args: Sequence[Name], env: Env) -> Val:
        """Return a function at the caller's regions.

        A region may be missing if only the function's type is asked for (interp/core/missing.py).
        """
        d = self.defs[name]
        if not isinstance(d.exp, c.Lambda):
            raise Stuck(f"{name} is a constant with regions")
        pairs = zip(self._params[name], args, strict=True)
        types = {p: env.types.get(r, c.TypeVar(r)) for p, r in pairs}
        return Closure(d.exp.params, d.exp.body, Env({}, types), type=d.type)

    def _core(self, e: Exp, env: Env) -> Val:
        """Evaluate an expression whose own annotations are taken care of."""
        own = False
        while True:
            match e:
                case c.Let(binders, exp, body, at):
                    parts = several(self.eval(exp, env), len(binders), at)
                    env, own = (env if own else env.having({})), True
                    for b, part in zip(binders, parts, strict=True):
                        env.values[b.name] = part
                    self.agree(e, env)
                    e = body
                case c.App(fn, args, at):
                    f = self.eval(fn, env)
                    found = self.enter(f, self.each(args, env), at)
                    if not isinstance(found, TailCall):
                        return found
                    e, env, own = found.exp, found.env, True
                case c.If(cond, then, orelse):
                    e = then if self.holds(cond, env) else orelse
                case c.Match(exp, arms, default, at):
                    found = self.arm(self.eval(exp, env), arms, default, env, at)
                    self.agree(e, found.env)
                    e, env, own = found.exp, found.env, True
                case c.Assert(cond, message, values, body, at):
                    held = self.holds(cond, env)
                    shown = [number(self.eval(x, env), at) for x in values]
                    if not held:
                        text = fill(message, [show_value(n.v, n.t) for n in shown])
                        raise Trap(TrapKind.ASSERTION, text, at)
                    e = body
                case c.Leaf() | c.Lambda() | c.Mu() | c.Foreign() | c.Loop():
                    return super().eval(e, env)
                case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                    return super().eval(e, env)
            if id(e) in self._notes:
                return self.eval(e, env)

    def enter(self, f: Val, args: tuple[Val, ...], at: Span) -> "Val | TailCall":
        """Apply a function, which must not have ended."""
        inner = f.fn if isinstance(f, Partial) else f
        if isinstance(inner, StoredClosure) and inner.cell is not None:
            inner.cell.read()
        return super().enter(f, args, at)

    # ------------------------------------------------------------------ operations in place

    def selection(self, e: Selections, env: Env) -> Val:
        """Evaluate a selection, or an update in the memory of the array."""
        if isinstance(e, c.Index | c.FlatSlice):
            return super().selection(e, env)
        old = self.eval(e.array, env)
        name = Name("array of an update")
        bound = env.having({name: old})
        return self.again(old, super().selection(evolve(e, array=c.Var(name)), bound))

    def array(self, e: Arrays, env: Env) -> Val:
        """Evaluate an array operation; coercions and scatters keep the memory of the array."""
        if isinstance(e, c.Coerce):
            old = self.eval(e.exp, env)
            return self.again(old, a.coerce(old, self.type(e.type, env), e.message, e.at))
        if isinstance(e, c.Scatter):
            old, places = self.eval(e.dest, env), array(self.eval(e.indices, env), e.at)
            new = array(self.eval(e.values, env), e.at)
            return self.again(old, a.scatter(old, places, new, e.at))
        return super().array(e, env)

    def parallel(self, e: c.ParallelExp, env: Env) -> Val:
        """Evaluate a kernel."""
        with self.kernel():
            return super().parallel(e, env)

    @contextmanager
    def kernel(self) -> Iterator[None]:
        """Within, code runs on the device."""
        self.memory.kernels += 1
        yield
        self.memory.kernels -= 1

    def hist(
        self, f: Val, dest: tuple[Val, ...], places: Rows, values: Sequence[Rows], at: Span
    ) -> Val:
        """Evaluate a hist in the memory of its destinations."""
        new = several(super().hist(f, dest, places, values, at), len(dest), at)
        return group(tuple([self.again(d, v) for d, v in zip(dest, new, strict=True)]))


# ---------------------------------------------------------------------- annotations


def _lies(t: Type) -> bool:
    """True if a value of the type, or a field of it, lies in a region."""
    if isinstance(t, c.Record):
        return any(_lies(u) for _, u in t.fields)
    return isinstance(t, c.Data) and bool(t.args)


def _binders(e: Exp) -> tuple[Name, ...]:
    """Return the names that an expression binds to the first types inside it."""
    if isinstance(e, c.Let):
        return tuple(b.name for b in e.binders)
    if isinstance(e, c.Match):
        return tuple(b.name for arm in e.arms for b in arm.binders)
    return ()


def _names(e: Exp) -> frozenset[Name]:
    """Return the variables that an expression mentions."""
    found = set[Name]()

    def visit(x: Exp) -> Exp:
        if isinstance(x, c.Var):
            found.add(x.name)
        else:
            map_parts(x, visit, lambda t: t)
        return x

    visit(e)
    return frozenset(found)


def _kind(v: Val) -> Type:
    """Return a type as wide as a captured value."""
    match v:
        case Closure() | Partial():
            return c.Arrow(c.UNIT, c.UNIT)
        case Rows():
            return c.Array(c.UNIT)
        case Rec(fields):
            return c.Record(tuple((label, _kind(x)) for label, x in fields))
        case _:
            return type_of_value(v)


def _inside(v: Val, ending: Sequence[Region]) -> Region | None:
    """Return a region that ends and in which a value lies; None if there is none.

    What an array or a payload contains is not looked at: whoever reads it finds poison.
    """
    todo = [v]
    while todo:
        x = todo.pop()
        real = place_of(x)
        if real is not None:
            if any(real is r for r in ending):
                return real
        elif isinstance(x, Rec):
            todo += [y for _, y in x.fields]
        elif isinstance(x, Tagged):
            todo += x.args
    return None
