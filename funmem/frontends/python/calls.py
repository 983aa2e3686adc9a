"""Calls of jitted functions in a trace: shared definitions (lambda-sharing, paper 003, 3.2).

    square(x) + square(y)      ->      def square : f32 -> f32 = …      square x + square y

The function is traced once for each combination of argument types.  Values of the caller that it
uses become further parameters, since definitions have no closures.
"""

from __future__ import annotations

from typing import Any

from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.functions import result_exp, returned
from funmem.frontends.python.places import of_function
from funmem.frontends.python.signatures import Parameters, _plain
from funmem.frontends.python.tape import (
    Root,
    Symbol,
    Tape,
    core_type,
    describe,
    sane,
    unsized_binder,
)
from funmem.frontends.python.trees import Structure, flat, flatten, paths, rebuilt
from funmem.frontends.python.types import ArrayAnnotation
from funmem.ir import core as c
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import Size


@frozen
class Definition:
    """A traced definition: its parameters and results, and the outer values that it uses."""

    name: Name
    params: tuple[Symbol, ...]
    root: Root
    structure: Structure
    types: tuple[tuple[ScalarType, bool], ...]
    shapes: tuple[tuple[Size | None, ...], ...]


def call(jitted: Any, parameters: Parameters, tape: Tape, args: Any, options: Any) -> Any:
    """Return the result of a call of a jitted function in a trace."""
    given = parameters.bind(args, options)
    values: list[Symbol] = []
    structures: list[Structure] = []
    names: list[str] = []
    static: dict[str, Any] = {}
    for name, x in given.items():
        if name in parameters.static:
            static[name] = x
            continue
        leaves, structure = flat(x)
        wanted: list[Any] = []
        if parameters.annotations[name] is not None:
            flatten(_plain(parameters.annotations[name]), wanted)
        structures.append(structure)
        lifted = [tape.lift(leaf) for leaf in leaves]
        if wanted and len(wanted) == len(lifted):
            lifted = [_annotated(v, a) for v, a in zip(lifted, wanted, strict=True)]
        values += lifted
        names += paths(structure, name)
    kinds = tuple((v.type, v.weak, tuple(d.as_const for d in v.dims)) for v in values)
    key = (id(jitted), tuple(structures), kinds, tuple(static.values()))
    try:
        made = tape.defs.get(key)
    except TypeError:
        what = f"a static argument of `{jitted.__name__}` is not hashable"
        raise wrong(Code.TYPE, what) from None
    if made is _UNFINISHED:
        what = f"`{jitted.__name__}` calls itself"
        raise wrong(Code.RECURSION, what, "use fm.loop or fm.while_loop")
    if made is None:
        tape.defs[key] = _UNFINISHED
        try:
            made = _defined(jitted, parameters, tape, structures, names, values, static)
        except BaseException:
            del tape.defs[key]
            raise
        tape.defs[key] = made
    return _applied(tape, made, values)


class _Unfinished:
    """The definition that is being traced."""


_UNFINISHED = _Unfinished()


def _annotated(v: Symbol, a: Any) -> Symbol:
    from funmem.frontends.python.elementwise import astype

    if not isinstance(a, ArrayAnnotation):
        return v
    if v.weak or (v.type is not a.elem and v.type.is_float == a.elem.is_float):
        v = astype(v, a.elem)
    if v.type is not a.elem or len(v.dims) != len(a.sizes):
        raise wrong(Code.TYPE, f"expected {a}, got {describe(v)}")
    return v


def _defined(
    jitted: Any,
    parameters: Parameters,
    tape: Tape,
    structures: list[Structure],
    names: list[str],
    values: list[Symbol],
    static: dict[str, Any],
) -> Definition:
    f = parameters.function
    at = of_function(f.__code__)
    copy = tape.captures.copy(f)
    with tape.definition() as root:
        scope = tape.current
        params = [
            tape.received(
                v.type, len(v.dims), tuple(d.as_const for d in v.dims), v.weak, sane(_plainly(x))
            )
            for v, x in zip(values, names, strict=True)
        ]
        for p, v in zip(params, values, strict=True):
            p.natural = v.natural and p.type is I64
        trees = []
        pos = 0
        for structure in structures:
            leaves, _ = flat(structure_leaves(structure))
            trees.append(rebuilt(structure, params[pos : pos + len(leaves)]))
            pos += len(leaves)
        positional, named = parameters.arguments(trees, static)
        found, structure = returned(tape, copy(*positional, **named), at)
        body = scope.closed(result_exp(found))
    own = {x for p in params for d in p.dims for x in d.free()}
    own |= {x for _, p in root.captured.values() for d in p.dims for x in d.free()}
    own |= {p.exp.name for p in params if isinstance(p.exp, c.Var)}
    shapes = tuple(tuple(d if d.free() <= own else None for d in x.dims) for x in found)
    every = [*params, *(p for _, p in root.captured.values())]
    name = tape.fresh.reserve(Name(_name(tape, jitted)))
    result = [core_type(x.type, [None] * len(x.dims)) for x in found]
    result_type = result[0] if len(result) == 1 else c.tuple_type(*result)
    binders = tuple(unsized_binder(p) for p in every)
    exp: c.Exp = body if not binders else c.Lambda(binders, body, at)
    t = c.arrow([b.type for b in binders], result_type)
    tape.calls.append(c.Def(name, (), t, exp, at))
    return Definition(
        name,
        tuple(params),
        root,
        structure,
        tuple((x.type, x.weak and not x.dims) for x in found),
        shapes,
    )


def _name(tape: Tape, jitted: Any) -> str:
    """Return the name of a definition: the function's, or that by which a lambda was found."""
    own: str = jitted.__name__
    return sane(own if own.isidentifier() else tape.captures.name_of(jitted) or "f")


def structure_leaves(structure: Structure) -> list[int]:
    """Return a list with one item for each leaf."""
    parts = getattr(structure, "parts", None)
    if parts is None:
        return [0]
    return [0 for p in parts for _ in structure_leaves(p)]


def _plainly(path: str) -> str:
    return path.replace(".", "_").replace("[", "_").replace("]", "").replace("'", "")


def _applied(tape: Tape, d: Definition, values: list[Symbol]) -> Any:
    captured = [tape.local(outer) for outer, _ in d.root.captured.values()]
    args = [*values, *captured]
    tape.shared[str(d.name)] = tape.shared.get(str(d.name), 0) + 1
    image: dict[Name, Size] = {}
    params = [*d.params, *(p for _, p in d.root.captured.values())]
    for p, v in zip(params, args, strict=True):
        for own, outer in zip(p.dims, v.dims, strict=True):
            x = own.as_name
            if x is not None:
                image[x] = outer
        if isinstance(p.exp, c.Var) and p.type is I64 and not p.dims and p.poly is not None:
            image[p.exp.name] = tape.dim_of(v)
    fn = c.Global(d.name, (), here())
    exp: c.Exp = fn if not args else c.App(fn, tuple(x.exp for x in args), here())
    dims = [
        [None if e is None or not e.free() <= image.keys() else e.subst(image) for e in shape]
        for shape in d.shapes
    ]
    parts = [(t, tuple(ds), weak) for (t, weak), ds in zip(d.types, dims, strict=True)]
    out = tape.bind_all(exp, parts)  # type: ignore[arg-type]  # unknown ones are replaced
    return rebuilt(d.structure, [tape.regular(x, ds) for x, ds in zip(out, dims, strict=True)])
