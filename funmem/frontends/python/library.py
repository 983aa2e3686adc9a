"""Programs of other languages in traced functions: ``fm.library``.

    lib = fm.library("lib.fut")

    @fm.jit
    def f(x): return lib.smooth(x) + 1      ->      def smooth : []f32 -> []f32 = …   smooth x + 1

An entry point becomes a definition; the definitions that it needs are copied under unused names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from funmem.driver.source import read
from funmem.frontends.python.calls import _annotated
from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.jit import Jitted, jit
from funmem.frontends.python.tape import Symbol, Tape, active
from funmem.frontends.python.types import ArrayAnnotation
from funmem.ir import core as c
from funmem.ir.core_traverse import map_parts, unsized
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import ZERO, Size


class Library:
    """The entry points of a program as attributes; each is callable, in traces and outside."""

    def __init__(self, name: str, program: c.CoreProgram) -> None:
        self._name = name
        self._entries = {str(e.name): Definition(program, e) for e in program.entries}

    def __getattr__(self, name: str) -> Definition:
        found = self.__dict__.get("_entries", {}).get(name)
        if found is None:
            raise AttributeError(f"`{self.__dict__.get('_name')}` has no entry point `{name}`")
        return found  # type: ignore[no-any-return]

    def __dir__(self) -> Iterator[str]:
        return iter(self._entries)

    def __repr__(self) -> str:
        return f"<library {self._name}: {', '.join(self._entries)}>"


def library(path: str | os.PathLike[str], language: str | None = None) -> Library:
    """Return the entry points of the program in a file, for use in jitted functions.

    Raises SourceError for a wrong program, and UsageError for one that is not translated to Core.
    """
    source = read(os.fspath(path), language)
    tree = source.tree()
    if not isinstance(tree, c.CoreProgram):
        message = f"`{source.name}` has no Core: its language is {source.language}"
        raise UsageError(Diagnostic(NOWHERE, "level", message, "write it in .fut, .nova or .core"))
    if not source.front_end.typed:
        from funmem.ir.check.core import check_core

        check_core(tree)
    return Library(source.name, tree)


class Definition:
    """An entry point of another program."""

    def __init__(self, program: c.CoreProgram, entry: c.Entry) -> None:
        self._program, self._entry = program, entry
        self.__name__ = str(entry.name)
        self._outside: Jitted | None = None

    def __call__(self, *args: Any) -> Any:
        """Return the result: in a trace that of a shared definition, else computed."""
        tape = active()
        if tape is None:
            if self._outside is None:
                definition = self

                def call(*args: Any) -> Any:
                    return definition(*args)

                call.__name__ = call.__qualname__ = self.__name__
                self._outside = jit(call)
            return self._outside(*args)
        return self._traced(tape, args)

    def __repr__(self) -> str:
        return f"<definition {self.__name__}>"

    # ------------------------------------------------------------------ in a trace

    def _traced(self, tape: Tape, args: tuple[Any, ...]) -> Any:
        e = self._entry
        if len(args) != len(e.params):
            raise TypeError(f"{e.name}() takes {len(e.params)} arguments, not {len(args)}")
        values = [
            _annotated(tape.lift(x), self._annotation(p.binder))
            for x, p in zip(args, e.params, strict=True)
        ]
        key = (id(self._program), e.name)
        name = tape.defs.get(key)
        if name is None:
            name = tape.defs[key] = self._spliced(tape)
        tape.shared[str(name)] = tape.shared.get(str(name), 0) + 1
        image = _sizes(tape, e, values)
        fn = c.Global(name, (), here())
        exp: c.Exp = fn if not values else c.App(fn, tuple(x.exp for x in values), here())
        parts = [_result(t, image, e.name) for t in self._results()]
        found = tape.bind_all(exp, [(t, tuple(ds), False) for t, ds in parts])  # type: ignore[arg-type]  # unknown sizes are replaced
        out = [tape.regular(x, ds) for x, (_, ds) in zip(found, parts, strict=True)]
        t = e.result
        if not isinstance(t, c.Record):
            return out[0]
        return tuple(out) if t.is_tuple else dict(zip([x for x, _ in t.fields], out, strict=True))

    def _results(self) -> list[c.Type]:
        t = self._entry.result
        return [x for _, x in t.fields] if isinstance(t, c.Record) else [t]

    def _annotation(self, b: c.Binder) -> ArrayAnnotation:
        t, rank = b.type, 0
        while isinstance(t, c.Array):
            t, rank = t.elem, rank + 1
        if not isinstance(t, ScalarType):
            what = f"the parameter `{b.name}` of `{self.__name__}` is no number or array"
            raise wrong(Code.UNSUPPORTED, what, "call a function of numbers and arrays")
        return ArrayAnnotation(t, (ZERO,) * rank)

    def _spliced(self, tape: Tape) -> Name:
        """Add the definitions that the entry point needs; return its own name."""
        if self._program.data:
            what = f"the program of `{self.__name__}` defines recursive data types"
            raise wrong(Code.UNSUPPORTED, what, "call a program without them")
        own = {d.name: d for d in self._program.defs}
        names: dict[Name, Name] = {}
        key = id(self._program)

        def renamed(x: c.Exp) -> c.Exp:
            if isinstance(x, c.Global):
                if x.name not in names:
                    known = tape.defs.get((key, "def", x.name))
                    names[x.name] = known or tape.fresh.reserve(x.name)
                    if known is None:
                        tape.defs[key, "def", x.name] = names[x.name]
                        d = own[x.name]
                        tape.calls.append(evolve(d, name=names[x.name], exp=renamed(d.exp)))
                return evolve(x, name=names[x.name])
            return map_parts(x, renamed, lambda t: t)

        e = self._entry
        exp = renamed(_as_function(e))
        name = tape.fresh.reserve(e.name)
        params = [unsized(p.binder.type) for p in e.params]
        tape.calls.append(c.Def(name, (), c.arrow(params, unsized(e.result)), exp, e.at))
        return name


@frozen
class _Place:
    """Dimension ``k`` of a parameter."""

    param: c.Binder
    k: int


def _as_function(e: c.Entry) -> c.Exp:
    """Return the function of an entry point: it reads its sizes off its arguments."""
    places: dict[Name, _Place] = {}
    for p in e.params:
        for k, d in enumerate(_dims(p.binder.type)):
            x = None if d is None else d.as_name
            if x is not None and x in e.sizes:
                places.setdefault(x, _Place(p.binder, k))
    body = e.exp
    for p in reversed(e.params):
        b = p.binder
        if isinstance(b.type, c.Array):
            body = c.Let((b,), c.Coerce(c.Var(b.name, e.at), b.type, _SHAPES, e.at), body, e.at)
    for x, place in places.items():
        length = c.Length(c.Var(place.param.name, e.at), place.k, e.at)
        body = c.Let((c.Binder(x, I64),), length, body, e.at)
    binders = tuple(c.Binder(p.binder.name, unsized(p.binder.type)) for p in e.params)
    return c.Lambda(binders, body, e.at) if binders else body


_SHAPES = "shape mismatch: {} and {}"


def _dims(t: c.Type) -> list[Size | None]:
    found = []
    while isinstance(t, c.Array):
        found.append(t.size)
        t = t.elem
    return found


def _sizes(tape: Tape, e: c.Entry, values: list[Symbol]) -> dict[Name, Size]:
    """Return the sizes of an entry point in a call."""
    image: dict[Name, Size] = {}
    for p, v in zip(e.params, values, strict=True):
        for d, outer in zip(_dims(p.binder.type), v.dims, strict=True):
            if d is not None and (x := d.as_name) is not None:
                image.setdefault(x, outer)
        if p.binder.type is I64:
            image.setdefault(p.binder.name, tape.dim_of(v))
    return image


def _result(t: c.Type, image: dict[Name, Size], name: Name) -> tuple[ScalarType, list[Size | None]]:
    dims = [None if d is None or not d.free() <= image.keys() else d.subst(image) for d in _dims(t)]
    while isinstance(t, c.Array):
        t = t.elem
    if not isinstance(t, ScalarType):
        what = f"a result of `{name}` is no number or array"
        raise wrong(Code.UNSUPPORTED, what, "call a function of numbers and arrays")
    return t, dims
