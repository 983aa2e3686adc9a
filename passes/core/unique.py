r"""Make names unique, so that a size in a type means the same wherever the type is moved.

    \(n : i64) (xs : [n]i32) -> let (n : i64) = 5 in e
        ->  \(n : i64) (xs : [n]i32) -> let (n_1 : i64) = 5 in e[n := n_1]

The first binder of a name keeps the name.  A size that mentions names out of scope becomes unknown,
so that it cannot be captured by another binder.
"""

from collections.abc import Iterable, Iterator, Mapping

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import map_parts, resize
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var

_Image = dict[Name, Name]
"""The new names of the names in scope."""


class Unique:
    """Makes the names of an entry point or definition unique, or of several that share ``fresh``.

    ``constants`` maps i64 definitions, which sizes may mention, to their new names.
    """

    def __init__(self, constants: Mapping[Name, Name], fresh: Fresh | None = None) -> None:
        self._constants = constants
        self._fresh = Fresh(()) if fresh is None else fresh

    def entry(self, e: c.Entry) -> c.Entry:
        """Rename an entry point; its sizes and parameters keep their names."""
        image = {x: x for x in (*e.sizes, *(q.binder.name for q in e.params))}
        for x in image:
            self._fresh.reserve(x)
        params = tuple(
            c.EntryParam(c.Binder(q.binder.name, self.type(q.binder.type, image)), q.unique)
            for q in e.params
        )
        result = self.type(e.result, image)
        return c.Entry(e.name, e.sizes, params, result, self.exp(e.exp, image), e.at)

    def exp(self, e: Exp, image: _Image) -> Exp:
        """Return ``e`` renamed; ``image`` are the new names in scope."""
        chain: list[tuple[c.Let | c.Assert, tuple[Exp, ...], tuple[c.Binder, ...]]] = []
        image = dict(image) if isinstance(e, c.Let) else image
        while isinstance(e, c.Let | c.Assert):
            match e:
                case c.Let(binders, exp):
                    new = self.exp(exp, image)
                    chain.append((e, (new,), self._bind(binders, image)))
                case c.Assert(cond, _, values):
                    if isinstance(e.body, c.Let):
                        image = dict(image)
                    chain.append((e, tuple(self.exp(x, image) for x in (cond, *values)), ()))
            e = e.body
        result = self._exp(e, image)
        for link, (first, *others), binders in reversed(chain):
            match link:
                case c.Let():
                    result = c.Let(binders, first, result, link.at)
                case c.Assert():
                    result = c.Assert(first, link.message, tuple(others), result, link.at)
        return result

    def type(self, t: Type, image: _Image) -> Type:
        """Return ``t`` under the new names."""
        return resize(t, lambda d: self._size(d, image))

    def _size(self, d: Size, image: _Image) -> Size | None:
        new = {x: image.get(x) or self._constants.get(x) for x in d.free()}
        found = {x: var(y) for x, y in new.items() if y is not None}
        return d.subst(found) if len(found) == len(new) else None

    def _bind(self, binders: Iterable[c.Binder], image: _Image) -> tuple[c.Binder, ...]:
        """Return the binders under new names, which are in scope from then on."""
        out = []
        for b in binders:
            t = self.type(b.type, image)
            image[b.name] = self._fresh.reserve(b.name)
            out.append(c.Binder(image[b.name], t))
        return tuple(out)

    def _exp(self, e: c.EndExp, image: _Image) -> Exp:
        match e:
            case c.Var(name, at):
                return c.Var(image[name], at)
            case c.Lambda(params, body, at):
                inner = dict(image)
                return c.Lambda(self._bind(params, inner), self.exp(body, inner), at)
            case c.Mu(binder, fn, at):
                inner = dict(image)
                (b,) = self._bind((binder,), inner)
                params = self._bind(fn.params, inner)
                return c.Mu(b, c.Lambda(params, self.exp(fn.body, inner), fn.at), at)
            case c.Match(exp, arms, default, at):
                new = self.exp(exp, image)
                cases = tuple(self._arm(a, dict(image)) for a in arms)
                other = None if default is None else self.exp(default, image)
                return c.Match(new, cases, other, at)
            case c.Loop(params, init, form, body, at):
                start, inner = tuple(self.exp(x, image) for x in init), dict(image)
                match form:
                    case c.For(index, bound):
                        bound = self.exp(bound, image)
                        bs = self._bind(params, inner)
                        (i,) = self._bind((c.Binder(index, I64),), inner)
                        form = c.For(i.name, bound)
                    case c.While(cond):
                        bs = self._bind(params, inner)
                        form = c.While(self.exp(cond, inner))
                return c.Loop(bs, start, form, self.exp(body, inner), at)
            case c.Global() | c.Const() | c.App() | c.Foreign() | c.If():
                return map_parts(e, lambda x: self.exp(x, image), lambda t: self.type(t, image))
            case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                return map_parts(e, lambda x: self.exp(x, image), lambda t: self.type(t, image))

    def _arm(self, a: c.Arm, image: _Image) -> c.Arm:
        return c.Arm(a.constructor, self._bind(a.binders, image), self.exp(a.body, image))


def renamed(p: CoreProgram, fresh: Fresh | None) -> CoreProgram:
    """Return a program in which names are unique: in all of it, or in each part without ``fresh``.

    Definitions are inlined in kernels, so their names must not be those of others.
    """
    constants = {d.name: d.name for d in p.defs if d.type is I64}
    return evolve(
        p,
        entries=tuple(Unique(constants, fresh).entry(e) for e in p.entries),
        defs=tuple(evolve(d, exp=Unique(constants, fresh).exp(d.exp, {})) for d in p.defs),
    )


def top_names(p: CoreProgram) -> Iterator[Name]:
    """Yield the names of a program's definitions, data types and entry points."""
    yield from (d.name for d in p.defs)
    yield from (d.name for d in p.data)
    yield from (e.name for e in p.entries)
