"""Calls of entry points of other programs in a trace: they become shared definitions.

    smooth(x) + 1      ->      def smooth : []f32 -> []f32 = …      smooth x + 1

The definitions that an entry point needs are copied under unused names.
"""

from __future__ import annotations

from typing import Any

from funmem.frontends.python.calls import _annotated
from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.library_records import (
    given_leaves,
    leaf_types,
    of_leaves,
    to_leaves,
    tree_of,
)
from funmem.frontends.python.tape import Symbol, Tape
from funmem.frontends.python.types import ArrayAnnotation
from funmem.ir import core as c
from funmem.ir.core_traverse import map_parts, unsized
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import ZERO, Size


def call_entry(tape: Tape, program: c.CoreProgram, e: c.Entry, args: tuple[Any, ...]) -> Any:
    """Return the result of a call in a trace of an entry point of ``program``."""
    if len(args) != len(e.params):
        raise TypeError(f"{e.name}() takes {len(e.params)} arguments, not {len(args)}")
    types: list[c.Type] = []
    given: list[Any] = []
    for q, arg in zip(e.params, args, strict=True):
        what = f"the parameter `{q.binder.name}` of `{e.name}`"
        types += leaf_types(q.binder.type, what)
        given += given_leaves(q.binder.type, arg, what)
    results = leaf_types(e.result, f"the result of `{e.name}`")
    values = [_annotated(tape.lift(x), _annotation(t)) for x, t in zip(given, types, strict=True)]
    key = (id(program), e.name)
    name = tape.defs.get(key)
    if name is None:
        name = tape.defs[key] = _spliced(tape, program, e)
    tape.shared[str(name)] = tape.shared.get(str(name), 0) + 1
    image = _sizes(tape, e, types, values)
    fn = c.Global(name, (), here())
    exp: c.Exp = fn if not values else c.App(fn, tuple(x.exp for x in values), here())
    parts = [_result(t, image) for t in results]
    found = tape.bind_all(exp, [(t, tuple(ds), False) for t, ds in parts])  # type: ignore[arg-type]  # unknown sizes are replaced
    out = [tape.regular(x, ds) for x, (_, ds) in zip(found, parts, strict=True)]
    return tree_of(e.result, iter(out))


def _spliced(tape: Tape, program: c.CoreProgram, e: c.Entry) -> Name:
    """Add the definitions that the entry point needs; return its own name."""
    if program.data:
        what = f"the program of `{e.name}` defines recursive data types"
        raise wrong(Code.UNSUPPORTED, what, "call a program without them")
    own = {d.name: d for d in program.defs}
    names: dict[Name, Name] = {}
    key = id(program)

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

    exp = renamed(_on_leaves(e, _as_function(e), tape))
    name = tape.fresh.reserve(e.name)
    params = [unsized(t) for p in e.params for t in leaf_types(p.binder.type, "")]
    results = [unsized(t) for t in leaf_types(e.result, "")]
    result = results[0] if len(results) == 1 else c.tuple_type(*results)
    tape.calls.append(c.Def(name, (), c.arrow(params, result), exp, e.at))
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


def _on_leaves(e: c.Entry, function: c.Exp, tape: Tape) -> c.Exp:
    """Return the function of an entry point on the leaves of its parameters and results."""
    types = [p.binder.type for p in e.params]
    if not any(isinstance(t, c.Record) or leaf_types(t, "") != [t] for t in (*types, e.result)):
        return function
    binders: list[c.Binder] = []
    args: list[c.Exp] = []
    for t in types:
        own = [c.Binder(tape.name(), unsized(u)) for u in leaf_types(t, "")]
        binders += own
        args.append(of_leaves(t, iter([c.Var(b.name) for b in own])))
    called = c.App(function, tuple(args), e.at) if args else function
    body = to_leaves(unsized(e.result), called, tape.name)
    return c.Lambda(tuple(binders), body, e.at) if binders else body


_SHAPES = "shape mismatch: {} and {}"


def _dims(t: c.Type) -> list[Size | None]:
    found = []
    while isinstance(t, c.Array):
        found.append(t.size)
        t = t.elem
    return found


def _sizes(tape: Tape, e: c.Entry, types: list[c.Type], values: list[Symbol]) -> dict[Name, Size]:
    """Return the sizes of an entry point in a call."""
    image: dict[Name, Size] = {}
    for t, v in zip(types, values, strict=True):
        for d, outer in zip(_dims(t), v.dims, strict=True):
            if d is not None and (x := d.as_name) is not None:
                image.setdefault(x, outer)
    given = iter(values)
    for p in e.params:
        own = [next(given) for _ in leaf_types(p.binder.type, "")]
        if p.binder.type is I64:
            image.setdefault(p.binder.name, tape.dim_of(own[0]))
    return image


def _annotation(t: c.Type) -> ArrayAnnotation:
    rank = 0
    while isinstance(t, c.Array):
        t, rank = t.elem, rank + 1
    assert isinstance(t, ScalarType)
    return ArrayAnnotation(t, (ZERO,) * rank)


def _result(t: c.Type, image: dict[Name, Size]) -> tuple[ScalarType, list[Size | None]]:
    dims = [None if d is None or not d.free() <= image.keys() else d.subst(image) for d in _dims(t)]
    while isinstance(t, c.Array):
        t = t.elem
    assert isinstance(t, ScalarType)
    return t, dims
