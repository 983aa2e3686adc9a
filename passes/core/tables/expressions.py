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
from funmem.passes.core.tables import calls, kernels
from funmem.passes.core.tables.effects import Effects, Scopes, Tables
from funmem.passes.core.tables.families import LINK, Families, Family
from funmem.passes.core.tables.store import Links, Making, Table, around, several

Remark = Callable[[str, str], None]
"""Notes what became of a place in the program, and why."""


class Translation(Making):
    """Translates the entry points and definitions of one program."""

    def __init__(
        self, families: Families, scopes: Scopes, effects: Effects, fresh: Fresh, remark: Remark
    ) -> None:
        super().__init__(families, fresh)
        self.scopes, self.effects, self.remark = scopes, effects, remark
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
        effect = self.effects.of[d.name]
        tables = [self.named(name) for name in sorted(effect.all)]
        self.store = {t.family.data.name: t for t in tables}
        params = [self.binder(b) for b in d.exp.params]
        result: Type = self.families.type(applied(d.type, len(params)))
        given = [b for t in tables for b in self._given(t, effect.allocated)]
        types: list[Type] = [self.families.type(b.type) for b in params]
        type_ = c.arrow([*map(unsized, types), *(b.type for b in given)], result)
        if effect.allocated:
            changed = [u for x in sorted(effect.allocated) for u in self.store[x].types()]
            whole = c.tuple_type(unsized(result), *changed)
            type_ = c.arrow([*map(unsized, types), *(b.type for b in given)], whole)
        body = self.block(d.exp.body, effect.allocated)
        return evolve(d, type=type_, exp=c.Lambda((*params, *given), body, d.exp.at))

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
        whole = around(self.links, whole)
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
        return c.Var(x, at)

    def arenas(self, e: Exp, names: Sequence[Name], before: Links) -> Exp:
        """Return a value and the columns of the arenas as one expression."""
        outer, store, self.links = self.links, dict(self.store), before
        value = self.exp(e)
        columns = [c.Var(x) for name in names for x in self.store[name].columns]
        whole = around(self.links, c.tuple_exp(value, *columns))
        self.links, self.store = outer, store
        return whole

    # ------------------------------------------------------------------ expressions

    def exp(self, e: Exp) -> Exp:
        """Return what is left of an expression; its bindings are appended to ``links``."""
        while isinstance(e, c.Let | c.Assert) and self.allocated(e):
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
                return kernels.parallel(self, e)
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
            case c.Match() if (name := self.effects.taken_apart(e)) is not None:
                links: Links = []
                link = self.let(links, "link", LINK, self.pure(e.exp), e.at)
                return around(links, self._arms(e, self.store[name], link, self._pure_arm))
            case c.Construct(constructor, args, c.Data(name)) if name in self.families.names:
                return self._single(name, constructor, [self.pure(a) for a in args])
            case c.App(c.Global(name), args):
                return calls.reading(self, e, name, [self.pure(a) for a in args])
            case c.Leaf() | c.FunctionOperation() | c.Let() | c.Assert() | c.Control():
                return map_parts(e, self.pure, self.families.type)
            case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                return map_parts(e, self.pure, self.families.type)

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
        if isinstance(form, c.While):
            form = c.While(self.pure(form.cond))
        links, self.links = self.links, before
        values = step()
        body = around(self.links, several([*values, *self.states(changed)]))
        self.links, self.store = links, outer
        loop = c.Loop((*params, *inside), tuple(start), form, body, at)
        ends = [c.Binder(self.fresh(b.name), unsized(b.type)) for b in params]
        self._renew(changed)
        after = [b for x in sorted(changed) for b in self.store[x].binders()]
        self.links.append(c.Let((*ends, *after), loop, c.Fields(()), at))
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
        if constructor in self.families.of[name].links:
            return self._single(name, constructor, given)
        payload = self.families.sum(c.Data(name)).payload(constructor)
        leaves: list[Exp] = []
        for x, t in zip(given, payload, strict=True):
            leaves += self._leaves(x, unsized(self.families.type(t)), at)
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
        if (name := self.effects.taken_apart(e)) is not None:
            link = self.let(self.links, "link", LINK, value, e.at)
            whole = self._arms(e, self.store[name], link, arm)
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

    def _arms(self, e: c.Match, table: Table, link: Exp, arm: Callable[[Links, Exp], Exp]) -> Exp:
        """Return a ``match`` on a link as a chain of ``if``; ``arm`` translates a body."""
        family, links = table.family, Links()
        number = link
        if family.tagged and any(a.constructor in family.rows for a in e.arms):
            tag = self.read(table, 0, link, e.at)
            if family.links:
                single = binary(BinOp.LT, link, c.Const(0, LINK))
                tag = c.If(single, link, c.Convert(LINK, tag), e.at)
            t = LINK if family.links else family.tag
            number = self.let(links, "tag", t, tag, e.at)
        cases: list[tuple[Exp, Exp]] = []
        for a in e.arms:
            before: Links = []
            if a.constructor in family.rows:
                self._payload(before, table, link, a, e.at)
            else:
                for b in a.binders:
                    unit = self.families.blank(unsized(self.families.type(b.type)))
                    before.append(c.Let((self.binder(b),), unit, c.Fields(()), e.at))
            is_it = self._is(family, a.constructor, number, e.at)
            cases.append((is_it, arm(before, a.body)))
        if e.default is not None:
            cases.append((c.Const(True, BOOL), arm([], e.default)))
        whole = cases[-1][1]
        for cond, body in reversed(cases[:-1]):
            whole = c.If(cond, body, whole, e.at)
        return around(links, whole)

    def _is(self, family: Family, constructor: str, number: Exp, at: Span) -> Exp:
        """Return the test for a constructor by its number: its link, or the tag of its rows."""
        if constructor in family.links:
            return c.Bin(BinOp.EQ, number, c.Const(family.links[constructor], LINK), at)
        if not family.tagged:
            return c.Bin(BinOp.GE, number, c.Const(0, LINK), at)
        t = LINK if family.links else family.tag
        return c.Bin(BinOp.EQ, number, c.Const(family.rows[constructor].tag, t), at)

    def _payload(self, links: Links, table: Table, link: Exp, a: c.Arm, at: Span) -> None:
        """Bind an arm's names to the payload of a row; fields that nobody uses are not read."""
        columns = iter(table.family.rows[a.constructor].columns)
        for b in a.binders:
            used = _used(b.name, a.body)
            new = self.binder(b)
            value = self._part(table, link, unsized(new.type), columns, used, at)
            links.append(c.Let((new,), value, c.Fields(()), at))

    def _part(
        self,
        table: Table,
        link: Exp,
        t: Type,
        columns: Iterator[int],
        used: "frozenset[str] | None",
        at: Span,
    ) -> Exp:
        """Return a value of type t from the next columns; ``used`` are its fields, None: all."""
        if not isinstance(t, c.Record):
            k = next(columns)
            return self.families.blank(t) if used == NOBODY else self.read(table, k, link, at)
        fields: list[tuple[str, Exp]] = []
        for label, u in t.fields:
            inner = None if used is None or label in used else NOBODY
            fields.append((label, self._part(table, link, u, columns, inner, at)))
        return c.Fields(tuple(fields), at)

    def refused(self, at: Span, what: str, hint: str = "") -> SourceError:
        """Return an error."""
        return SourceError(Diagnostic(at, "not-supported", f"not supported: {what}", hint))


NOBODY: frozenset[str] = frozenset()
"""A value that is not used, or only as an operand of ``.l`` for these fields."""


def _used(name: Name, e: Exp) -> "frozenset[str] | None":
    """Return the fields of a variable that an expression uses; None if it uses all of it."""
    found = set[str]()
    todo = [e]
    while todo:
        x = todo.pop()
        if isinstance(x, c.Project) and isinstance(x.exp, c.Var) and x.exp.name == name:
            found.add(x.label)
        elif isinstance(x, c.Var) and x.name == name:
            return None
        else:
            todo += parts(x)
    return frozenset(found)
