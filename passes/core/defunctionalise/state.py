"""State shared by all parts: the definitions, fresh names, sizes and places."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Def, Exp, Type
from funmem.ir.core_traverse import resize
from funmem.ir.core_types import type_of
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.sizes import Size, const, var
from funmem.passes.core.defunctionalise.fixed_functions import fixed_functions
from funmem.passes.core.defunctionalise.static_values import Dyn, Env, Static, Table

Wrap: TypeAlias = Callable[[Exp], Exp]
"""An evaluated binding: a function that puts the binding around the rest of the program."""


def wrapped(out: Iterable[Wrap], e: Exp) -> Exp:
    """Return ``e`` with the bindings around it; the first one is the outermost."""
    for wrap in reversed(list(out)):
        e = wrap(e)
    return e


def arity(t: Type) -> tuple[tuple[Type, ...], Type]:
    """Return the types of a function's parameters, one after the other, and of its result."""
    params: list[Type] = []
    while isinstance(t, c.Arrow):
        params.append(t.param)
        t = t.result
    return tuple(params), t


class State(ABC):
    """The definitions of the program, the names in use, and where inlined code is called."""

    def __init__(self, p: CoreProgram) -> None:
        self._source = {d.name: d for d in p.defs}
        self._fresh = Fresh(())
        self._used: list[Name] = []
        """The first-order definitions that are called, in the order of their first call."""
        self._inside: tuple[Name, ...] = ()
        """The definitions whose bodies are being inlined, to notice those that never end."""
        self._place: Span | None = None
        """The position for inlined code that has none: that of the call of the library function."""
        self._def_names = Fresh([*self._source, *(e.name for e in p.entries)])
        self._fixed = {d.name: ks for d in p.defs if (ks := fixed_functions(d))}
        """For each recursive definition, the function parameters that it passes on unchanged."""
        self._own: dict[Name, tuple[Name, list[Static]]] = {}
        """For each such definition that is being specialised, the new name and the functions."""
        self._starts: dict[Name, Def] = {}
        """The definitions of what other definitions compute before they return a function."""

    @abstractmethod
    def dyn(self, e: Exp, env: Env) -> Exp:
        """Return an expression of a first-order type as one of the new program."""

    @abstractmethod
    def static(self, e: Exp, env: Env, out: list[Wrap]) -> Static:
        """Return the static value of ``e``; append what must be evaluated for it to ``out``."""

    def _each(self, es: tuple[Exp, ...], env: Env) -> tuple[Exp, ...]:
        return tuple(self.dyn(e, env) for e in es)

    def _binders(self, bs: Iterable[c.Binder], env: Env) -> tuple[tuple[c.Binder, ...], Env]:
        """Return the binders under fresh names, and the environment that contains them."""
        table: Table = {}
        new: list[c.Binder] = []
        inner = Env(table, env)
        for b in bs:
            binder = c.Binder(self._fresh.reserve(b.name), self.type(b.type, inner))
            table[b.name] = (Dyn(c.Var(binder.name), binder.type), b.type)
            new.append(binder)
        return tuple(new), inner

    def _use(self, name: Name) -> None:
        if name not in self._used:
            self._used.append(name)

    @contextmanager
    def _within(self, inside: tuple[Name, ...], place: Span | None) -> Iterator[None]:
        """Work in the bodies of these definitions; code without a position gets ``place``."""
        before = self._inside, self._place
        self._inside, self._place = inside, place
        yield
        self._inside, self._place = before

    def _placed(self, e: Exp) -> Exp:
        """Return ``e`` with a position, if it is inlined code that has none."""
        if self._place is None or isinstance(e, c.Var | c.Const) or e.at != NOWHERE:
            return e
        return evolve(c.closed(e), at=self._place)

    def type(self, t: Type, env: Env) -> Type:
        """Return ``t`` under the new names; a size without a new name becomes unknown."""
        return resize(t, lambda d: self._size(d, env))

    def _size(self, d: Size, env: Env) -> Size | None:
        image: dict[Name, Size] = {}
        for name in d.free():
            match env.static(name) if name in env else None:
                case Dyn(c.Var(new)):
                    image[name] = var(new)
                case Dyn(c.Const(int(k))):
                    image[name] = const(k)
                case _:
                    return None
        return d.subst(image)

    def _type(self, e: Exp, env: Env) -> Type:
        """Return the type of an expression of the old program."""
        return type_of(e, env, self._source)


def unknown_function(at: Span, what: str) -> SourceError:
    """Return the error for a function that is not known at compile time."""
    hint = "which function is meant must be known when the program is compiled"
    return SourceError(Diagnostic(at, "not-supported", f"not supported: {what}", hint))
