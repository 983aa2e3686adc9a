r"""Bring known functions to where they are called, before flows are analysed.

    let twice = \f x -> f (f x)                  (let x = 1 in inc (inc x))
    in twice inc 1 + twice dec 2           ->    + (let x = 2 in dec (dec x))

An analysis that has one answer for each variable would find that ``f`` is ``inc`` or ``dec``.
After these steps it is one of them in each copy:

* a variable that stands for a lambda is replaced by a copy of it, and a definition that takes or
  gives functions by a copy of its body, unless it is recursive;
* an applied lambda becomes ``let``;
* another definition that is not called becomes ``\x … -> f x …``;
* ``let f = if c then g else h`` of two known functions stands for a choice at each mention, and an
  application of ``if`` or ``match`` of known functions moves into the branches: no closure;
* ``\x -> \y -> e`` becomes ``\x y -> e``.

defunctionalise copies as much.  The order of evaluation stays: only values move, and what else a
moved expression needs gets a name where it was.  Names are unique in the program afterwards (entry
points may share those of their parameters).
"""

from collections.abc import Callable, Iterator

from funmem.ir import core as c
from funmem.ir.check.core.reach import computed, reached
from funmem.ir.core import CoreProgram, Def, Exp, Type
from funmem.ir.core_traverse import has_arrow, map_parts
from funmem.ir.core_types import is_size, portable, type_of
from funmem.ir.diagnostics import Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.passes.core.closure_convert.condition import component, higher_order, mentioned
from funmem.passes.core.defunctionalise.functions import lambdas
from funmem.passes.core.defunctionalise.state import arity
from funmem.passes.core.names import binders, free_names
from funmem.passes.core.unique import Unique

_Links = list[c.Let | c.Assert]
"""The links of a chain, the outermost first; their bodies do not count."""


def normalised(p: CoreProgram, fresh: Fresh) -> CoreProgram:
    """Return the program in this form, without definitions that nothing mentions any more."""
    for e in p.entries:
        for x in (*e.sizes, *(q.binder.name for q in e.params)):
            fresh.reserve(x)
    work = _Normal(p, fresh)
    entries = tuple(map(work.entry, p.entries))
    return evolve(p, entries=entries, defs=tuple(work.definitions()))


def chained(links: _Links, e: Exp) -> Exp:
    """Return ``e`` behind the links of a chain."""
    for link in reversed(links):
        e = evolve(link, body=e)
    return e


class _Normal:
    """The functions that are known by name."""

    def __init__(self, p: CoreProgram, fresh: Fresh) -> None:
        self._source = {d.name: d for d in p.defs}
        self._fresh = fresh
        self._unique = Unique({d.name: d.name for d in p.defs if is_size(d)}, fresh)
        mentions = {d.name: mentioned(d.exp) for d in p.defs}
        self._copied = {
            d.name: d.exp
            for d in p.defs
            if isinstance(d.exp, c.Lambda)
            and higher_order(d.type)
            and not component(d.name, mentions)
        }
        """The definitions that are copied at each mention."""
        self._known: dict[Name, Exp] = {}
        """The variables that stand for a known function: a lambda, or a choice of known ones."""
        self._used: dict[Name, None] = {}
        """The definitions mentioned in the result, in order."""
        self._types: dict[Name, Type] = {}

    # ------------------------------------------------------------------ definitions

    def entry(self, e: c.Entry) -> c.Entry:
        """Rewrite an entry point; what it evaluates at its start stays mentioned."""
        bound = (*e.sizes, *(q.binder.name for q in e.params))
        wanted = [x for x, _ in reached(e.exp, self._source, bound) if computed(self._source[x])]
        e = self._unique.entry(e)
        self._types |= dict.fromkeys(e.sizes, I64)
        self._types |= {q.binder.name: q.binder.type for q in e.params}
        exp = self.exp(e.exp)
        there = {x for x, _ in reached(exp, self._source, bound)}
        for x in reversed([x for x in wanted if x not in there]):
            self._used[x] = None
            binder = c.Binder(self._fresh(x), self._source[x].type)
            exp = c.Let((binder,), c.Global(x, (), e.at), exp, e.at)
        return evolve(e, exp=exp)

    def definitions(self) -> Iterator[Def]:
        """Yield the definitions that are mentioned."""
        done = 0
        while done < len(self._used):
            d = self._source[list(self._used)[done]]
            yield evolve(d, exp=self.exp(self._unique.exp(d.exp, {})))
            done += 1

    # ------------------------------------------------------------------ expressions

    def exp(self, e: Exp) -> Exp:
        """Return an expression, used as a value."""
        links: _Links = []
        e = self._head(e, links)
        if isinstance(e, c.Global):
            e = self._expanded(e)
        if isinstance(e, c.Lambda):
            e = _merged(e)
        self._note(e)
        match e:
            case c.Global(name):
                self._used[name] = None
            case c.App(c.Global(name), args):
                self._used[name] = None
                e = evolve(e, args=tuple(map(self.exp, args)))
            case c.Map(fn) | c.Filter(fn) | c.Reduce(fn) | c.Scan(fn) | c.Hist(fn):
                f = self._operand(fn, links)
                e = map_parts(e, lambda x: f if x is fn else self.exp(x), lambda t: t)
            case c.Leaf() | c.FunctionOperation() | c.Control() | c.Let() | c.Assert():
                e = map_parts(e, self.exp, lambda t: t)
            case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                e = map_parts(e, self.exp, lambda t: t)
        return chained(links, e)

    def _note(self, e: Exp) -> None:
        self._types |= {b.name: b.type for b in binders(e)}

    def _type(self, e: Exp) -> Type:
        return type_of(e, self._types, self._source)

    def _operand(self, e: Exp, links: _Links) -> Exp:
        """Return the function of an array operation."""
        fn = self._head(e, links)
        if isinstance(fn, c.If | c.Match) and (choice := self._choice(fn, links)) is not None:
            params, _ = arity(portable(self._type(choice)))
            fn = self._lambda(params, lambda xs: c.App(choice, xs, e.at), e.at)
        return self.exp(fn)

    def _lambda(
        self, params: tuple[Type, ...], body: Callable[[tuple[Exp, ...]], Exp], at: Span
    ) -> c.Lambda:
        bs = tuple(c.Binder(self._fresh(Name("x")), t) for t in params)
        return c.Lambda(bs, body(tuple(c.Var(b.name, at) for b in bs)), at)

    # ------------------------------------------------------------------ known functions

    def _head(self, e: Exp, links: _Links) -> Exp:
        """Return the end of a chain, and append its links, rewritten, to ``links``.

        The end is not rewritten yet, but applications of known functions have been unfolded, and
        names of known functions replaced.
        """
        while True:
            if isinstance(e, c.Let | c.Assert):
                e = self._link(e, links)
            elif isinstance(e, c.Var) and e.name in self._known:
                e = self._copy(self._known[e.name])
            elif isinstance(e, c.Global) and e.name in self._copied:
                e = self._copy(self._copied[e.name])
            elif isinstance(e, c.App):
                fn = self._head(e.fn, links)
                unfolded = self._unfolded(fn, e.args, e.at, links)
                if unfolded is None:
                    return evolve(e, fn=fn)
                e = unfolded
            else:
                return e

    def _copy(self, e: Exp) -> Exp:
        return self._unique.exp(e, {x: x for x in free_names(e)})

    def _link(self, e: c.Let | c.Assert, links: _Links) -> Exp:
        """Append a link, or note the function that it binds; return what follows."""
        if isinstance(e, c.Assert):
            cond, values = self.exp(e.cond), tuple(map(self.exp, e.values))
            links.append(evolve(e, cond=cond, values=values))
            return e.body
        self._note(e)
        exp, first = e.exp, e.binders[0]
        if len(e.binders) == 1 and has_arrow(first.type):
            exp = self._head(exp, links)
            known: Exp | None = None
            if isinstance(exp, c.Lambda):
                known = exp
            elif isinstance(exp, c.Global):
                known = self._expanded(exp)
            elif isinstance(exp, c.If | c.Match):
                known = self._choice(exp, links)
            if isinstance(known, c.Lambda | c.If | c.Match):
                self._known[first.name] = known
                return e.body
        links.append(evolve(e, exp=self.exp(exp)))
        return e.body

    def _unfolded(self, fn: Exp, args: tuple[Exp, ...], at: Span, links: _Links) -> Exp | None:
        """Return an application of a known function as what it stands for; bind the arguments."""
        if isinstance(fn, c.Lambda):
            fn = _merged(fn)
            n = min(len(args), len(fn.params))
            for p, arg in zip(fn.params, args[:n], strict=False):
                self._link(c.Let((p,), arg, arg, at), links)
            if n < len(fn.params):
                return c.Lambda(fn.params[n:], fn.body, fn.at)
            rest = self._named(args[n:], links)
            return c.App(fn.body, rest, at) if rest else fn.body
        if isinstance(fn, c.Global) and len(args) < (n := lambdas(self._source[fn.name].exp)):
            params, _ = arity(portable(self._source[fn.name].type))
            have = tuple(x if isinstance(x, c.Var) else self._bound(x, links) for x in args)
            left = params[len(args) : n]
            return self._lambda(left, lambda xs: c.App(fn, (*have, *xs), at), at)
        if isinstance(fn, c.If | c.Match) and (choice := self._choice(fn, links)) is not None:
            have = self._named(args, links)
            return _each_branch(choice, lambda x: c.App(x, have, at))
        return None

    def _named(self, args: tuple[Exp, ...], links: _Links) -> tuple[Exp, ...]:
        """Return the arguments as names and constants; bind the others."""
        return tuple(x if _is_atom(x) else self._bound(x, links) for x in args)

    def _bound(self, e: Exp, links: _Links) -> Exp:
        binder = c.Binder(self._fresh(Name("x")), self._type(e))
        self._link(c.Let((binder,), e, e, e.at), links)
        return c.Var(binder.name, e.at)

    def _expanded(self, e: c.Global) -> c.Global | c.Lambda:
        r"""Return a definition used as a value as ``\x … -> f x …``, if its body is a lambda."""
        d = self._source[e.name]
        params, _ = arity(portable(d.type))
        n = min(lambdas(d.exp), len(params))
        return self._lambda(params[:n], lambda xs: c.App(e, xs, e.at), e.at) if n else e

    def _choice(self, e: c.If | c.Match, links: _Links) -> c.If | c.Match | None:
        """Return a choice of known functions by a name, which can be copied; None for others."""
        if not _chooses(e) or not isinstance(self._type(e), c.Arrow):
            return None
        match e:
            case c.If(cond):
                (by,) = self._named((cond,), links)
                named = evolve(e, cond=by)
                return _each_branch(
                    named, lambda x: self._bound(x, links) if isinstance(x, c.Lambda) else x
                )
            case c.Match(exp):
                (by,) = self._named((exp,), links)
                return evolve(e, exp=by)


def _merged(fn: c.Lambda) -> c.Lambda:
    while isinstance(fn.body, c.Lambda):
        fn = c.Lambda((*fn.params, *fn.body.params), fn.body.body, fn.at)
    return fn


def _is_atom(e: Exp) -> bool:
    return isinstance(e, c.Var | c.Const)


def _chooses(e: c.If | c.Match) -> bool:
    """True if all branches are functions that are there already, which may move."""
    match e:
        case c.If(_, then, orelse):
            branches = [then, orelse]
        case c.Match(_, arms, default):
            branches = [*(a.body for a in arms), *([] if default is None else [default])]
    return all(
        isinstance(x, c.Lambda | c.Var | c.Global)
        or (isinstance(x, c.If) and _is_atom(x.cond) and _chooses(x))
        for x in branches
    )


def _each_branch(e: c.If | c.Match, f: Callable[[Exp], Exp]) -> c.If | c.Match:
    match e:
        case c.If(cond, then, orelse, at):
            return c.If(cond, f(then), f(orelse), at)
        case c.Match(exp, arms, default, at):
            new = tuple(c.Arm(a.constructor, a.binders, f(a.body)) for a in arms)
            return c.Match(exp, new, None if default is None else f(default), at)
