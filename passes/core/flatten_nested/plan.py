r"""Plan: which values of a program are stored as offsets and elements.

    map (\r -> filter p r) X          its rows vary (sizes.py), or those of X do
    if c then X else Y                if those of a branch do
    loop xs = [] for … do xs ++ ys    if the rows of ys have another length in each iteration
    f X                               if those of f's result do

A name is *planned* once its binding was found to be ragged; the binding itself may come later.
"""

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import unsized
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.passes.core.flatten_nested.sizes import Varying
from funmem.passes.core.flatten_nested.state import State, rank
from funmem.passes.core.names import inside

Parts = tuple[bool, ...]
"""For each part of a record, or for the only value, if it is ragged."""


@define(eq=False)
class Plan:
    """What is known to be ragged."""

    s: State
    nested: dict[Name, bool]
    """The definitions that compute something ragged; the same for all entry points."""
    asked: set[Name] = field(factory=set)
    """The definitions of which this is being found out."""
    planned: set[Name] = field(factory=set)
    calls: dict[tuple[Name, Parts], Parts] = field(factory=dict)

    def ragged(self, e: Exp) -> bool:
        """True if a value is ragged, or a part of it."""
        return any(self.parts(e))

    def parts(self, e: Exp) -> Parts:
        """Return what is ragged of a value."""
        match e:
            case c.Var(x):
                return (x in self.s.ragged or x in self.planned,)
            case c.Let(binders, exp, body):
                self.plan(binders, exp)
                return self.parts(body)
            case c.Assert(body=body):
                return self.parts(body)
            case c.Fields(fields):
                return tuple(self.ragged(x) for _, x in fields)
            case c.Map(c.Lambda() as fn, arrays):
                lifts = self.lifts(fn, arrays)
                return tuple(lifts and rank(t) > 0 for t in parts_of(self.s.type(fn.body)))
            case c.Unzip(array) | c.Filter(_, array) | c.Copy(array) | c.Reverse(array):
                return self.parts(array)
            case c.Index(array, dims):
                some = bool(dims) and rank(self.s.type(e)) > 1 and self.ragged(array)
                return (some,)
            case c.Coerce(array, wanted):
                return (keeps_rows(wanted) and self.ragged(array),)
            case c.Flatten(2, array):
                return (rank(self.s.type(array)) > 2 and self.ragged(array),)
            case c.If(_, then, orelse):
                both = zip(self.parts(then), self.parts(orelse), strict=True)
                return tuple(a or b for a, b in both)
            case c.Concat(arrays):
                return (any(map(self.ragged, arrays)),)
            case c.Loop():
                return self.loop(e)
            case c.App(c.Global(f), args) if f in self.s.defs:
                return self.call(f, tuple(map(self.ragged, args)))
            case c.Reduce(c.Lambda(params, body), ne, arrays) if any(map(self.ragged, arrays)):
                return self.of_loop(params[: len(ne)], ne, body)
            case c.Scan(c.Lambda(), ne, arrays) if any(map(self.ragged, arrays)):
                return tuple(rank(self.s.type(x)) > 0 for x in ne)
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
            ):
                t = self.s.type(e)
                return (False,) * (len(t.fields) if isinstance(t, c.Record) else 1)

    def plan(self, binders: tuple[c.Binder, ...], e: Exp) -> None:
        """Note what is ragged of a binding."""
        for b, yes in zip(binders, self.parts(e), strict=False):
            if yes and rank(b.type) > 1:
                self.planned.add(b.name)

    def loop(self, e: c.Loop) -> Parts:
        """Return which parameters of a loop are ragged."""
        grows = _grown_rows(self.s, e)
        self.planned |= {p.name for p, yes in zip(e.params, grows, strict=True) if yes}
        found = self.of_loop(e.params, e.init, e.body)
        return tuple(a or b for a, b in zip(found, grows, strict=True))

    def of_loop(self, params: tuple[c.Binder, ...], init: tuple[Exp, ...], body: Exp) -> Parts:
        """Return which accumulators are ragged at first or after an iteration."""
        for p, x in zip(params, init, strict=True):
            self.plan((p,), x)
        while True:
            known = len(self.planned)
            for p, yes in zip(params, self.parts(body), strict=True):
                if yes and rank(p.type) > 1:
                    self.planned.add(p.name)
            if len(self.planned) == known:
                return tuple(p.name in self.planned for p in params)

    def call(self, f: Name, args: Parts) -> Parts:
        """Return what is ragged of a function's result."""
        if (f, args) in self.calls:
            return self.calls[f, args]
        fn = self.s.copy(self.s.defs[f].exp)
        if not isinstance(fn, c.Lambda):
            return (False,)
        given = zip(fn.params, args, strict=False)
        self.planned |= {p.name for p, yes in given if yes and rank(p.type) > 1}
        t = self.s.type(fn.body)
        found = (False,) * (len(t.fields) if isinstance(t, c.Record) else 1)
        while self.calls.get((f, args)) != found:  # again if it calls itself
            self.calls[f, args] = found
            found = self.parts(fn.body)
        return found

    def is_recursive(self, f: Name) -> bool:
        """True if a function may call itself."""
        seen, todo = set[Name](), [f]
        while todo:
            for x in inside(self.s.defs[todo.pop()].exp):
                if isinstance(x, c.Global) and x.name == f:
                    return True
                if isinstance(x, c.Global) and x.name in self.s.defs and x.name not in seen:
                    seen.add(x.name)
                    todo.append(x.name)
        return False

    def makes_rows(self, f: Name) -> bool:
        """True if a function computes something ragged, even if no argument is."""
        if f in self.asked:  # it calls itself
            return False
        if f not in self.nested:
            self.asked.add(f)
            self.nested[f] = self.contains(self.s.copy(self.s.defs[f].exp))
            self.asked.remove(f)
        return self.nested[f]

    def contains(self, e: Exp) -> bool:
        """True if an expression computes something ragged."""
        for x in inside(e):
            match x:
                case c.Map(c.Lambda()) | c.Loop():
                    if self.ragged(x):
                        return True
                case c.App(c.Global(f)) if f in self.s.defs:
                    if self.makes_rows(f):
                        return True
                case (
                    c.Leaf()
                    | c.FunctionOperation()
                    | c.Control()
                    | c.RecordOperation()
                    | c.ScalarOperation()
                    | c.ArrayOperation()
                    | c.Let()
                    | c.Assert()
                ):
                    pass
        return False

    def lifts(self, fn: c.Lambda, arrays: tuple[Exp, ...]) -> bool:
        """True if a map is about rows of different lengths: it has them, or it makes them."""
        if any(map(self.ragged, arrays)):
            return True
        results = results_of(fn.body)
        ranks = [rank(t) for t in parts_of(self.s.type(fn.body))]
        if not any(ranks):
            return False
        v = Varying(self.s, fn, frozenset())
        if any(r and v.varies(x, r) for x, r in zip(results, ranks, strict=False)):
            return True
        return max(ranks) > 1 and any(self.parts(fn.body))


def keeps_rows(t: c.Array) -> bool:
    """True if a coercion to a type checks the number of rows only; others need one length."""
    inner = t.elem
    return t.size is not None and isinstance(inner, c.Array) and unsized(inner) == inner


def parts_of(t: c.Type) -> list[c.Type]:
    """Return the types of the parts of a value."""
    return [u for _, u in t.fields] if isinstance(t, c.Record) else [t]


def results_of(e: Exp) -> tuple[Exp, ...]:
    """Return the results of a body; names that it binds have types in the state."""
    while isinstance(e, c.Let | c.Assert):
        e = e.body
    return tuple(x for _, x in e.fields) if isinstance(e, c.Fields) else (e,)


def _grown_rows(s: State, e: c.Loop) -> Parts:
    """Return which parameters get rows appended whose length is another in each iteration."""
    if not any(rank(p.type) > 1 for p in e.params):
        return tuple(False for _ in e.params)
    index = (c.Binder(e.form.index, s.types[e.form.index]),) if isinstance(e.form, c.For) else ()
    v = Varying(s, c.Lambda((*index, *e.params), e.body), frozenset())
    given = zip(e.params, results_of(e.body), strict=False)
    found = [rank(p.type) > 1 and _appends(v, p.name, x) for p, x in given]
    return tuple(found) if len(found) == len(e.params) else tuple(False for _ in e.params)


def _appends(v: Varying, p: Name, e: Exp) -> bool:
    """True if a result is the parameter ``p`` with rows after it that vary."""
    while isinstance(e, c.Var) and e.name in v.lets:
        e = v.lets[e.name]
    if not isinstance(e, c.Concat) or not any(x == c.Var(p) for x in e.arrays):
        return False
    return any(v.inner_varies(x) for x in e.arrays if x != c.Var(p))
