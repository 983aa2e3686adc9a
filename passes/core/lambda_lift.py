r"""Lift local recursive functions to definitions (Core -> Core); Johnsson 1985, paper 001, 3.1.3.

    entry main (n : i64) (k : i64) =             def pow : i64 -> i64 -> i64 =
      (mu (pow : i64 -> i64)               ->      \(n_1 : i64) (i : i64) ->
         \(i : i64) ->                               if i == 0 then 1 else n_1 * pow n_1 (i - 1)
           if i == 0 then 1                      entry main (n : i64) (k : i64) =
           else n * pow (i - 1)) k                 pow n k

The variables that ``mu`` captures become leading parameters of a new definition.  ``mu`` itself,
and its name in its body, are replaced by the definition applied to these variables.  Sizes that its
types mention are captured like values.

*Precondition*: monomorphic, names unique.  *Postcondition*: the same, and no ``mu``.

A ``mu`` that captures functions becomes a definition with function parameters.
"""

from collections.abc import Mapping

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Def, Exp, Type
from funmem.ir.core_traverse import map_parts, resize
from funmem.ir.diagnostics import Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var
from funmem.passes.core.names import binders, free_names, inside


@frozen
class _Applied:
    """A definition applied to variables, possibly to none."""

    definition: Name
    args: tuple[Name, ...]


_Image = Mapping[Name, c.Var | _Applied]
"""The replacements of some of the old program's names."""


def lambda_lift(p: CoreProgram) -> CoreProgram:
    """Run the pass; see the module's docstring."""
    work = _Lifting(p)
    defs: list[Def] = []
    for d in p.defs:
        defs.append(c.Def(d.name, (), d.type, work.top(d.exp, {}), d.at))
    entries: list[c.Entry] = []
    for e in p.entries:
        types: dict[Name, Type] = dict.fromkeys(e.sizes, I64)
        types |= {q.binder.name: q.binder.type for q in e.params}
        entries.append(c.Entry(e.name, e.sizes, e.params, e.result, work.top(e.exp, types), e.at))
    return CoreProgram(tuple(entries), (*defs, *work.lifted), p.data, p.foreign)


class _Lifting:
    """The definitions lifted so far, and the names in use."""

    def __init__(self, p: CoreProgram) -> None:
        self._defs = Fresh([*(d.name for d in p.defs), *(e.name for e in p.entries)])
        self._fresh = Fresh(())
        self._types: dict[Name, Type] = {}
        self.lifted: list[Def] = []

    def top(self, e: Exp, types: Mapping[Name, Type]) -> Exp:
        """Rewrite the body of a definition or entry point with these parameters."""
        bound = [b for x in inside(e) for b in binders(x)]
        if not any(isinstance(x, c.Mu) for x in inside(e)):
            return e
        self._types = {**types, **{b.name: b.type for b in bound}}
        self._fresh = Fresh(self._types)
        return self.exp(e, {})

    def exp(self, e: Exp, image: _Image) -> Exp:
        """Return ``e`` without ``mu``."""
        match e:
            case c.Var(name, at):
                return _placed(image[name], at) if name in image else e
            case c.Mu():
                return self.mu(e, image)
            case c.App(fn, args, at):
                f, given = self.exp(fn, image), tuple(self.exp(x, image) for x in args)
                if isinstance(f, c.App) and not isinstance(fn, c.App):
                    return c.App(f.fn, (*f.args, *given), at)
                return c.App(f, given, at)
            case c.Foreign() | c.Global() | c.Const() | c.Lambda() | c.Let() | c.Assert():
                return map_parts(e, lambda x: self.exp(x, image), lambda t: self.type(t, image))
            case c.Control():
                return map_parts(e, lambda x: self.exp(x, image), lambda t: self.type(t, image))
            case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                return map_parts(e, lambda x: self.exp(x, image), lambda t: self.type(t, image))

    def type(self, t: Type, image: _Image) -> Type:
        """Return ``t`` under the new names."""
        return resize(t, lambda d: _renamed(d, image))

    def mu(self, e: c.Mu, image: _Image) -> Exp:
        r"""Lift ``mu (f : t) \p … -> e``: return the new definition applied to what it captures."""
        free = tuple(x for x in free_names(e) if x in self._types)  # the others are definitions
        taken = self._captured(free, image)
        new = {x: self._fresh(x) for x in taken}
        inner = {x: _moved(image.get(x, c.Var(x)), new) for x in free}
        given = tuple(c.Binder(y, _in_definition(taken[x], new)) for x, y in new.items())
        self._types |= {b.name: b.type for b in given}
        here = c.Global(self._defs.reserve(e.binder.name), (), e.at)
        inner[e.binder.name] = _Applied(here.name, tuple(new.values()))
        params = tuple(c.Binder(b.name, self.type(b.type, inner)) for b in e.fn.params)
        fn = c.Lambda((*given, *params), self.exp(e.fn.body, inner), e.fn.at)
        t = c.arrow([_portable(b.type) for b in given], _portable(e.binder.type))
        self.lifted.append(Def(here.name, (), t, fn, e.at))
        return c.App(here, tuple(map(c.Var, taken)), e.at) if taken else here

    def _captured(self, free: tuple[Name, ...], image: _Image) -> dict[Name, Type]:
        """Return the variables that a ``mu`` captures, under their new names; sizes come first.

        If it mentions an enclosing ``mu``, these include what that one captures.
        """
        out: dict[Name, Type] = {}
        for x in free:
            match image.get(x, c.Var(x)):
                case c.Var(y):
                    out[y] = self.type(self._types[y], image)
                case _Applied(_, args):
                    out |= {y: self._types[y] for y in args}
        return dict(sorted(out.items(), key=lambda item: item[1] is not I64))


def _moved(e: c.Var | _Applied, new: Mapping[Name, Name]) -> c.Var | _Applied:
    """Return what replaces a name inside a new definition."""
    match e:
        case c.Var(x):
            return c.Var(new[x])
        case _Applied(definition, args):
            return _Applied(definition, tuple(new[x] for x in args))


def _placed(e: c.Var | _Applied, at: Span) -> Exp:
    """Return what replaces a name, at the place where the name stood."""
    match e:
        case c.Var(name):
            return c.Var(name, at)
        case _Applied(definition, args):
            fn = c.Global(definition, (), at)
            return c.App(fn, tuple(c.Var(x, at) for x in args), at) if args else fn


# ---------------------------------------------------------------------- types


def _renamed(d: Size, image: _Image) -> Size:
    return d.subst({x: var(e.name) for x in d.free() if isinstance(e := image.get(x), c.Var)})


def _in_definition(t: Type, new: Mapping[Name, Name]) -> Type:
    """Return the type of a captured variable in the definition.

    A size that is not captured is unknown there.
    """
    names = {x: var(y) for x, y in new.items()}
    return resize(t, lambda d: d.subst(names) if d.free() <= names.keys() else None)


def _portable(t: Type) -> Type:
    """Return a type without the names of a scope: only constant sizes stay."""
    return resize(t, lambda d: d if d.as_const is not None else None)
