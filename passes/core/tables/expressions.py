"""Values of recursive data become links, and tables are passed along (store passing).

An expression that allocates nothing becomes one expression, in the same place.  One that allocates
becomes bindings of its operands in the order of evaluation, which bind the tables anew, and what is
left of it.  ``if``, ``match``, loops and calls return the tables that they change.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import map_parts, parts, unsized
from funmem.ir.core_types import applied, type_of
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, BinOp
from funmem.passes.core.recursion.parts import binary, int64
from funmem.passes.core.tables import calls, kernels, lives, vectors
from funmem.passes.core.tables.copies import Copies
from funmem.passes.core.tables.effects import Effects, Scopes, Tables
from funmem.passes.core.tables.families import LINK, Families
from funmem.passes.core.tables.matches import on_link
from funmem.passes.core.tables.store import (
    Exit,
    Limits,
    Links,
    Making,
    Table,
    around,
    several,
    sized,
)
from funmem.passes.core.to_fun.consumed import Consumption

Note = Callable[[str, str, bool], None]
"""Notes what became of a place in the program: the place, a text, true if it is parallel."""


class Translation(Making):
    """Translates the entry points and definitions of one program."""

    def __init__(
        self,
        families: Families,
        scopes: Scopes,
        effects: Effects,
        fresh: Fresh,
        note: Note,
        limits: Limits,
    ) -> None:
        super().__init__(families, fresh)
        self.scopes, self.effects, self.note, self.limits = scopes, effects, note, limits
        self.copies = Copies()
        self.types: Mapping[Name, Type] = {}
        self.store: dict[Name, Table] = {}
        self.links: Links = []
        self.place = ""
        """The entry point or definition, for remarks."""

    # ------------------------------------------------------------------ definitions

    def entry(self, e: c.Entry) -> c.Entry:
        """Translate an entry point; its tables are empty at first."""
        for t in (*(q.binder.type for q in e.params), e.result):
            if self.families.inside(t):
                what = "recursive data as an input or a result of an entry point"
                raise self.refused(e.at, what, "take or return an array of its parts")
        self.types, self.place = self.scopes.entry[e.name], e.name
        types = (evolve(q, binder=self.binder(q.binder)) for q in e.params)
        return evolve(
            e, params=tuple(types), result=self.families.type(e.result), exp=self._own(e.exp)
        )

    def definition(self, d: Def) -> Def:
        """Translate a definition: tables that it needs are parameters, changed ones results."""
        self.types, self.place = self.scopes.definition[d.name], d.name
        if not isinstance(d.exp, c.Lambda):
            if self.families.inside(d.type):
                what = f"`{d.name}`, a constant that contains recursive data"
                raise self.refused(d.at, what, "make it a function, or bind it where it is used")
            return evolve(d, type=self.families.type(d.type), exp=self._own(d.exp))
        allocated = self.effects.of[d.name].allocated
        tables = [self.named(name) for name in sorted(self.effects.of[d.name].all)]
        self.store = {t.family.data.name: t for t in tables}
        return self.function(d, d.exp, [b for t in tables for b in self._given(t, allocated)])

    def function(self, d: Def, fn: c.Lambda, given: Sequence[c.Binder]) -> Def:
        """Translate a function definition whose tables, in the store, have these parameters."""
        effect = self.effects.of[d.name]
        params = [self.binder(b) for b in fn.params]
        result: Type = self.families.type(applied(d.type, len(params)))
        types: list[Type] = [self.families.type(b.type) for b in params]
        type_ = c.arrow([*map(unsized, types), *(b.type for b in given)], result)
        if effect.allocated:
            changed = [u for x in sorted(effect.allocated) for u in self.store[x].types()]
            whole = c.tuple_type(unsized(result), *changed)
            type_ = c.arrow([*map(unsized, types), *(b.type for b in given)], whole)
        body = self.block(fn.body, effect.allocated)
        return evolve(d, type=type_, exp=c.Lambda((*params, *given), body, fn.at))

    def foreign(self, f: c.ForeignDef) -> None:
        """Refuse a foreign function that takes or returns recursive data."""
        if any(self.families.inside(t) for t in (*f.params, f.result)):
            what = f"`{f.name}`, a foreign function with recursive data"
            raise self.refused(f.at, what, "pass its parts")

    def _own(self, e: Exp) -> Exp:
        """Return an expression with tables of its own."""
        self.store, links = {}, Links()
        for name in sorted(self.effects.exp(e).all):
            self.store[name] = self.empty(name, links, int64(0))
        return around(links, self.block(e, frozenset()))

    def _given(self, t: Table, changed: Tables) -> tuple[c.Binder, ...]:
        """Return the binders of tables as parameters: the number of rows only if it changes."""
        return t.binders() if t.family.data.name in changed else t.binders()[:-1]

    def binder(self, b: c.Binder) -> c.Binder:
        return c.Binder(b.name, self.families.type(b.type))

    # ------------------------------------------------------------------ blocks

    def block(self, e: Exp, changed: Tables, before: Links | None = None) -> Exp:
        """Return a value, and the tables ``changed`` after it, as one expression.

        ``before`` are bindings around it.  The present tables stay what they are.
        """
        outer, store, self.links = self.links, dict(self.store), [] if before is None else before
        value = self.exp(e)
        whole = self.with_tables(value, changed)
        if isinstance(value, c.Var | c.Const):
            while self.links and isinstance(self.links[-1], Exit):
                self.links.pop()  # whoever takes the tables asks again

        def otherwise(lack: Exit) -> Exp:
            blank = self.families.blank(self.type_of(e))
            return several([blank, *(x for name in sorted(changed) for x in lack.states[name])])

        whole = around(self.links, whole, otherwise)
        self.links, self.store = outer, store
        return whole

    def with_tables(self, value: Exp, changed: Tables) -> Exp:
        """Return a value and tables as several results."""
        return several([value, *self.states(changed)])

    def states(self, changed: Tables) -> list[Exp]:
        """Return the present tables, as expressions."""
        return [x for name in sorted(changed) for x in self.store[name].values()]

    def allocated(self, *es: Exp) -> Tables:
        """Return the tables in which expressions allocate."""
        return frozenset().union(*(self.effects.exp(e).allocated for e in es))

    def old_type(self, e: Exp) -> Type:
        """Return the type of an expression before the pass."""
        return type_of(e, self.types, self.scopes.defs)

    def type_of(self, e: Exp) -> Type:
        """Return the new type of an expression, without sizes."""
        return unsized(self.families.type(self.old_type(e)))

    def bound(self, e: Exp, t: Type, changed: Tables, at: Span, base: str = "r") -> Exp:
        """Bind the value and the tables that a translated expression returns; return the value."""
        x = self.fresh(base)
        binders = [c.Binder(x, t)]
        for name in sorted(changed):
            self.store[name] = evolve(self.renewed(self.store[name]), written=True)
            binders += self.store[name].binders()
        self.links.append(c.Let(tuple(binders), e, c.Fields(()), at))
        self.check(changed)
        return c.Var(x, at)

    def check(self, changed: Tables) -> None:
        """Test that the arenas had room for what was allocated in them."""
        enough = self.enough(changed)
        if enough is not None:
            self.links.append(Exit(enough, self._rooms()))

    def enough(self, changed: Tables) -> Exp | None:
        """Return whether arenas had room for what was allocated; None if none can be too short."""
        whole: Exp | None = None
        for table in (self.store[x] for x in sorted(changed)):
            if table.room is not None:
                fits = binary(BinOp.LE, c.Var(table.used), c.Var(table.room))
                whole = fits if whole is None else binary(BinOp.LAND, whole, fits)
        return whole

    def _rooms(self) -> dict[Name, tuple[Exp, ...]]:
        """Return the values of the arenas that can be too short."""
        return {x: t.values() for x, t in self.store.items() if t.room is not None}

    def _reserve(self, name: Name) -> None:
        """Test that an arena has room for one row more."""
        table = self.store[name]
        if table.room is not None:
            full = binary(BinOp.ADD, c.Var(table.room), int64(1))
            states = {**self._rooms(), name: (*map(c.Var, table.columns), full)}
            room = binary(BinOp.LT, c.Var(table.used), c.Var(table.room))
            self.links.append(Exit(room, states))

    def arenas(self, e: Exp, kept: Sequence[Name], counted: Sequence[Name], before: Links) -> Exp:
        """Return a value, the columns of the arenas ``kept``, and the rows of those ``counted``."""
        outer, store, self.links = self.links, dict(self.store), before
        value = self.exp(e)

        def whole(first: Exp, states: Mapping[Name, Sequence[Exp]]) -> Exp:
            out = [first]
            for name in sorted({*kept, *counted}):
                table, columns = self.store[name], list(states[name])
                used = columns.pop()
                if name in kept:
                    out += self._columns(table, columns)
                if name in counted:
                    out.append(used)
            return several(out)

        def otherwise(lack: Exit) -> Exp:
            return whole(self.families.blank(self.type_of(e)), lack.states)

        states = {x: self.store[x].values() for x in {*kept, *counted}}
        body = around(self.links, whole(value, states), otherwise)
        self.links, self.store = outer, store
        return body

    def _columns(self, table: Table, columns: Sequence[Exp]) -> list[Exp]:
        """Return an arena's columns; if it may be too short, at a type that states its size."""
        if table.room is None:
            return list(columns)
        types = table.family.columns
        return [sized(x, u, table.room) for x, u in zip(columns, types, strict=True)]

    # ------------------------------------------------------------------ expressions

    def exp(self, e: Exp) -> Exp:
        """Return what is left of an expression; its bindings are appended to ``links``."""
        while isinstance(e, c.Let | c.Assert) and self.allocated(e):
            if isinstance(e, c.Let) and (begun := self.effects.begun(e)) is not None:
                return lives.in_regions(self, e, begun)
            match e:
                case c.Let(binders, exp, body, at):
                    value = self.exp(exp)
                    new = tuple(map(self.binder, binders))
                    self.links.append(c.Let(new, value, c.Fields(()), at))
                    e = body
                case c.Assert(cond, message, values, body, at):
                    held, *shown = self.operands((cond, *values))
                    link = c.Assert(held, message, tuple(shown), c.Fields(()), at)
                    self.links.append(link)
                    e = body
        if isinstance(e, c.Let | c.Assert) or not self.allocated(e):
            return self.pure(e)
        return self._allocating(e)

    def operands(self, es: Sequence[Exp]) -> list[Exp]:
        """Return what is left of operands; those before one that allocates are bound."""
        out: list[Exp] = []
        for k, e in enumerate(es):
            value = self.exp(e)
            if self.allocated(*es[k + 1 :]):
                value = self.let(self.links, "x", self.type_of(e), value, e.at)
            out.append(value)
        return out

    def _allocating(self, e: c.EndExp) -> Exp:
        match e:
            case c.App(c.Global(name), args):
                return calls.call(self, e, name, self.operands(args))
            case c.If(cond, then, orelse, at):
                changed = self.allocated(then, orelse)
                held = self.exp(cond)
                whole = c.If(held, self.block(then, changed), self.block(orelse, changed), at)
                return self.bound(whole, self.type_of(e), changed, at)
            case c.Bin(BinOp.LAND | BinOp.LOR as op, a, b, at) if self.allocated(b):
                left, changed = self.exp(a), self.allocated(b)
                none = self.block(c.Const(op is BinOp.LOR, BOOL), changed)
                right = self.block(b, changed)
                then, orelse = (right, none) if op is BinOp.LAND else (none, right)
                return self.bound(c.If(left, then, orelse, at), BOOL, changed, at)
            case c.Match():
                return self._match(e)
            case c.Loop():
                return self._loop(e)
            case c.Construct(constructor, args, c.Data(name), at) if name in self.families.names:
                return self._construct(name, constructor, args, at)
            case c.ParallelOperation():
                made = c.closed(e)
                assert isinstance(made, c.ParallelOperation)
                return kernels.parallel(self, made)
            case c.Lambda() | c.Mu() | c.App():
                raise TypeError("a function that allocates is used as a value")
            case c.Leaf() | c.Foreign() | c.RecordOperation():
                return self._strict(e)
            case c.ScalarOperation() | c.ArrayOperation():
                return self._strict(e)

    def _strict(self, e: Exp) -> Exp:
        """Translate an expression that evaluates all its parts, in order."""
        given = iter(self.operands(list(parts(e))))
        return map_parts(e, lambda _: next(given), self.families.type)

    def pure(self, e: Exp) -> Exp:
        """Return an expression that allocates nothing: reads and links in the place of data."""
        match e:
            case c.Let() if (begun := self.effects.begun(e)) is not None and not begun.released:
                return self._apart(lambda: lives.in_regions(self, e, begun))
            case c.Map(c.Lambda(_, body)) | c.Filter(c.Lambda(_, body)) if self.effects.begun(body):
                return self._apart(lambda: kernels.parallel(self, e))
            case c.Match() if (name := self.effects.taken_apart(e)) is not None:
                if name in self.families.vectors:
                    value = self.pure(e.exp)
                    return vectors.opened(self, e, self.store[name], value, self._pure_arm)
                links: Links = []
                link = self.let(links, "link", LINK, self.pure(e.exp), e.at)
                return around(links, on_link(self, e, self.store[name], link, self._pure_arm))
            case c.Length(c.Match() as of, 0, at) if vectors.is_unboxing(of):
                return c.Project(self.pure(of.exp), "length", at)
            case c.Construct(constructor, args, c.Data(name)) if name in self.families.names:
                return self._single(name, constructor, [self.pure(a) for a in args])
            case c.App(c.Global(name), args):
                return calls.reading(self, e, name, [self.pure(a) for a in args])
            case c.Leaf() | c.FunctionOperation() | c.Let() | c.Assert() | c.Control():
                return map_parts(e, self.pure, self.families.type)
            case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                return map_parts(e, self.pure, self.families.type)

    def _apart(self, value: Callable[[], Exp]) -> Exp:
        """Return an expression with its bindings around it; it changes no tables in use."""
        outer, store, self.links = self.links, dict(self.store), []
        found = value()
        whole = around(self.links, found)
        self.links, self.store = outer, store
        return whole

    # ------------------------------------------------------------------ control

    def _loop(self, e: c.Loop) -> Exp:
        """Translate a loop that allocates: the tables that it changes are parameters.

        A condition that allocates is evaluated before the loop, and at the end of each iteration.
        """
        at, n = e.at, len(e.init)
        bounds = (e.form.bound,) if isinstance(e.form, c.For) else ()
        cond = e.form.cond if isinstance(e.form, c.While) else None
        init = self.operands((*e.init, *bounds))
        params, start = [self.binder(b) for b in e.params], init[:n]
        asks = cond if cond is not None and self.allocated(cond) else None
        if asks is not None:
            self._rebind(params, start, at)
            goes = self.let(self.links, "goes_on", BOOL, self.exp(asks), at)
            start = [*(c.Var(b.name) for b in params), goes]
            params.append(c.Binder(self.fresh("goes_on"), BOOL))
        changed = self.allocated(e.body, *(() if cond is None else (cond,)))
        if self.enough(changed) is not None:
            seen = Consumption(b.name for b in e.params)
            seen.exp(e.body)
            if seen.consumed:
                raise calls.Unbounded("a loop that allocates changes an array")

        def step() -> list[Exp]:
            names = [c.Binder(self.fresh(b.name), b.type) for b in params[:n]]
            self.links.append(c.Let(tuple(names), self.exp(e.body), c.Fields(()), at))
            values: list[Exp] = [c.Var(b.name) for b in names]
            if asks is not None:
                self._rebind(params[:n], values, at)
                values.append(self.let(self.links, "goes_on", BOOL, self.exp(asks), at))
            return values

        form: c.For | c.While
        match e.form:
            case c.For(index):
                form = c.For(index, init[n])
            case c.While(again):
                form = c.While(again if asks is None else c.Var(params[n].name))
        return several(self.repeated(params, start, form, changed, [], step, at)[:n])

    def repeated(
        self,
        params: Sequence[c.Binder],
        init: Sequence[Exp],
        form: c.For | c.While,
        changed: Tables,
        before: Links,
        step: Callable[[], list[Exp]],
        at: Span,
    ) -> list[Exp]:
        """Bind the results of a loop whose parameters are values and changed tables.

        ``step`` gives the next values, after the bindings ``before``.  The condition is not
        translated yet.
        """
        start = [*init, *self.states(changed)]
        outer = dict(self.store)
        self._renew(changed)
        inside = [b for x in sorted(changed) for b in self.store[x].binders()]
        enough = self.enough(changed)
        if isinstance(form, c.While):
            cond = self.pure(form.cond)
            form = c.While(cond if enough is None else binary(BinOp.LAND, enough, cond))
        links, self.links = self.links, before
        if isinstance(form, c.For):
            self.check(changed)
        values = step()

        def otherwise(lack: Exit) -> Exp:
            states = [x for name in sorted(changed) for x in lack.states[name]]
            return several([*(c.Var(b.name) for b in params), *states])

        body = around(self.links, several([*values, *self.states(changed)]), otherwise)
        self.links, self.store = links, outer
        loop = c.Loop((*params, *inside), tuple(start), form, body, at)
        ends = [c.Binder(self.fresh(b.name), unsized(b.type)) for b in params]
        self._renew(changed)
        after = [b for x in sorted(changed) for b in self.store[x].binders()]
        self.links.append(c.Let((*ends, *after), loop, c.Fields(()), at))
        self.check(changed)
        return [c.Var(b.name, at) for b in ends]

    def _rebind(self, binders: Sequence[c.Binder], values: Sequence[Exp], at: Span) -> None:
        """Bind the parameters of a loop to values, all at once."""
        self.links.append(c.Let(tuple(binders), several(list(values)), c.Fields(()), at))

    def _renew(self, changed: Tables) -> None:
        """Give tables new names."""
        for x in changed:
            self.store[x] = self.renewed(self.store[x])

    # ------------------------------------------------------------------ data

    def _single(self, name: Name, constructor: str, args: Sequence[Exp]) -> Exp:
        """Return the link of a constructor without a payload; its arguments are units."""
        e: Exp = c.Const(self.families.of[name].links[constructor], LINK)
        for x in reversed(args):
            if not isinstance(x, c.Fields | c.Var):
                e = c.Let((c.Binder(self.fresh("unit"), c.UNIT),), x, e)
        return e

    def _construct(self, name: Name, constructor: str, args: Sequence[Exp], at: Span) -> Exp:
        """Allocate a row, if the constructor has one; return the link."""
        given = self.operands(args)
        if name in self.families.vectors:
            self.store[name], made = vectors.store(self, self.store[name], given[0], self.links, at)
            return made
        if constructor in self.families.of[name].links:
            return self._single(name, constructor, given)
        payload = self.families.sum(c.Data(name)).payload(constructor)
        leaves: list[Exp] = []
        for x, t in zip(given, payload, strict=True):
            leaves += self._leaves(x, unsized(self.families.type(t)), at)
        self._reserve(name)
        table, link = self.allocate(self.store[name], constructor, leaves, self.links, at)
        self.store[name] = table
        return link

    def _leaves(self, e: Exp, t: Type, at: Span) -> Iterator[Exp]:
        """Yield the leaves of a payload, each bound or without cost."""
        if not isinstance(t, c.Record):
            yield self.let(self.links, "leaf", t, e, at)
            return
        if isinstance(e, c.Fields):
            given = [x for _, x in e.fields]
        else:
            whole = self.let(self.links, "payload", t, e, at)
            given = [c.Project(whole, label, at) for label, _ in t.fields]
        for x, (_, u) in zip(given, t.fields, strict=True):
            yield from self._leaves(x, u, at)

    def _match(self, e: c.Match) -> Exp:
        """Translate a ``match`` that allocates in its arms or in the value that it takes apart."""
        value = self.exp(e.exp)
        bodies = [a.body for a in e.arms] + ([] if e.default is None else [e.default])
        changed = self.allocated(*bodies)

        def arm(before: Links, body: Exp) -> Exp:
            return self.block(body, changed, before)

        t = self.type_of(e)
        name = self.effects.taken_apart(e)
        if name is not None and name in self.families.vectors:
            whole = vectors.opened(self, e, self.store[name], value, arm)
        elif name is not None:
            link = self.let(self.links, "link", LINK, value, e.at)
            whole = on_link(self, e, self.store[name], link, arm)
        else:
            arms = tuple(
                c.Arm(a.constructor, tuple(map(self.binder, a.binders)), arm([], a.body))
                for a in e.arms
            )
            default = None if e.default is None else arm([], e.default)
            whole = c.Match(value, arms, default, e.at)
        return self.bound(whole, t, changed, e.at)

    def _pure_arm(self, before: Links, body: Exp) -> Exp:
        return around(before, self.pure(body))

    def refused(self, at: Span, what: str, hint: str = "") -> SourceError:
        """Return an error."""
        return SourceError(Diagnostic(at, "not-supported", f"not supported: {what}", hint))
