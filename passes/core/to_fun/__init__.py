r"""to-fun: flattened Core becomes FUN (Core -> FUN).

*Why.*  Core is the common language of the front ends: expressions nest, definitions call each
other, and types need not state sizes.  FUN, which is compiled, is in A-normal form, has no
functions, and states the shape of each array by polynomials over i64 names.

*Before -> after.*

    entry main [n] (xs : [n]i32) =                 entry main [n] (xs : [n]i32) -> (r : [n]i32) =
      let ys = map (\x -> x + 1) xs                  let (ys : [n]i32) = kernel i < n do
      in map (\x y -> x * y) (xs, ys)        ->        let (x : i32) = xs[i] in (x + 1)
                                                     …

*Rules.*  (1) Shapes are found by symbolic evaluation: a Core array is represented by a FUN array,
and a computed size stays a polynomial if it is one.  (2) Where two sizes must be equal and their
polynomials differ, an assertion is added.  (3) ``if`` and ``loop`` return the sizes that are known
only inside them (control.py); the rows of a kernel have sizes that are known outside it (maps.py).
(4) Definitions are inlined; tail recursion becomes a loop (recursion.py).  (5) An array that must
not be consumed is copied first, and no other array is: aliases are tracked as the checker tracks
them (state.py); arrays that are used after they are consumed are found at the end (copies.py).
(6) An expression that may trap stays where it was evaluated.

*Precondition*: flattened (:mod:`funmem.passes.core.flatten_data`), names unique.
*Postcondition*: a well-typed FUN program.  Raises SourceError (``not-supported``).
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from funmem.ir import core as c
from funmem.ir.core import CoreProgram
from funmem.ir.core_traverse import parts
from funmem.ir.fun import (
    ArrayType,
    Binder,
    Entry,
    Function,
    FunProgram,
    Param,
    Program,
    Type,
    Var,
)
from funmem.ir.names import IDENTIFIER, Fresh, Name
from funmem.ir.ragged import offsets_of
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import Size, var
from funmem.ir.text.lexer import RESERVED
from funmem.passes.core.to_fun.copies import kept_apart
from funmem.passes.core.to_fun.expressions import Lowering
from funmem.passes.core.to_fun.recursion import applied, lambda_of
from funmem.passes.core.to_fun.state import Arr, Scalar, Val, Work, unsupported

if TYPE_CHECKING:
    from funmem.passes.core.scalar_functions import Kept

__all__ = ["to_fun"]

NONE_KEPT: "Mapping[Name, Kept]" = MappingProxyType({})


def to_fun(p: CoreProgram, kept: "Mapping[Name, Kept]" = NONE_KEPT) -> FunProgram:
    """Run the pass; see the package's docstring.

    ``kept``: the definitions that stay functions, callees before callers (scalar_functions.py).
    """
    defs = {d.name: d for d in p.defs}
    functions: dict[Name, Function] = {}
    fresh = Fresh(map(Name, RESERVED))
    for name, k in kept.items():
        own = fresh.reserve(Name(name if IDENTIFIER.fullmatch(name) else "f"))
        functions[name] = _function(own, k, defs, functions)
    entries = tuple(_entry(e, defs, functions) for e in p.entries)
    return Program(entries, tuple(functions.values()))


def _function(
    name: Name, kept: "Kept", defs: dict[Name, c.Def], functions: Mapping[Name, Function]
) -> Function:
    """Lower a definition on scalars; it calls ``functions``, and inlines other definitions."""
    d = kept.definition
    fn = lambda_of(d)
    w = Lowering((), defs, dict(functions))
    w.at = d.at
    params: list[Binder[None]] = []
    given: list[Val] = []
    for q in fn.params:
        assert isinstance(q.type, ScalarType)
        x = w.name(q.name)
        w.exists(x, q.type)
        params.append(Binder[None](x, q.type, None))
        given.append(Scalar(Var(x), q.type))
    _constants(w, fn.body)
    values = applied(w, d.name, fn, tuple(given), "")
    w.at = d.at
    body = w.body(w.code, tuple(map(w.atom, values)))
    results = tuple(Binder[None](w.fresh("out"), t, None) for t in kept.results)
    return Function(name, tuple(params), results, body, d.at)


def _entry(e: c.Entry, defs: dict[Name, c.Def], functions: Mapping[Name, Function]) -> Entry[None]:
    names = [*e.sizes, *(q.binder.name for q in e.params)]
    w = Lowering(names, defs, functions)
    w.at = e.at
    implicit = list(e.sizes)
    for x in implicit:
        w.code.names.add(x)
        w.nonneg.add(x)
        w.exists(x, I64)
        w.bind(x, Scalar(Var(x), I64))
    params = tuple(_param(w, q, implicit) for q in e.params)
    _constants(w, e.exp)
    results = w.exp(e.exp)
    w.at = e.at
    extra: list[tuple[Name, Size]] = []
    binders: list[Binder[None]] = []
    border = {*implicit, *(q.binder.name for q in params if q.binder.type is I64)}
    for out, v in zip(_result_names(w, e.result, len(results)), results, strict=True):
        t: Type = v.type
        if isinstance(v, Arr):
            t = ArrayType(v.type.elem, tuple(_outside(w, d, border, extra) for d in v.shape))
        binders.append(Binder(out, t, None))
    ks = [w.size_atom(d) for _, d in extra]
    own = {x for x, _ in extra}
    given = [w.returned(v, _named_dims(b, own)) for b, v in zip(binders, results, strict=True)]
    body = w.body(w.code, (*ks, *map(w.atom, given)))
    entry = Entry(
        e.name,
        tuple(Binder[None](x, I64, None) for x in implicit),
        params,
        tuple(Binder[None](x, I64, None) for x, _ in extra),
        tuple(binders),
        body,
        e.at,
    )
    return kept_apart(entry, w.fresh)


def _result_names(w: Work, t: c.Type, count: int) -> list[Name]:
    """Return names of results; offsets are named after their elements, which follow them."""
    labels = [x for x, _ in t.fields] if isinstance(t, c.Record) else []
    names = [w.fresh("out") for _ in range(count)]
    for k, (x, y) in reversed(list(enumerate(pairwise(labels)))):
        if x == offsets_of(y):
            names[k] = w.fresh.reserve(offsets_of(names[k + 1]))
    return names


def _param(w: Work, q: c.EntryParam, implicit: list[Name]) -> Param[None]:
    """Return a parameter; a dimension without a stated size gets an implicit size parameter."""
    name, shape, t = q.binder.name, [], q.binder.type
    w.code.names.add(name)
    while isinstance(t, c.Array):
        size = w.type_size(t.size)
        if size is None:
            fresh = w.name("n")
            implicit.append(fresh)
            w.nonneg.add(fresh)
            size = var(fresh)
        shape.append(size)
        t = t.elem
    if not isinstance(t, ScalarType):
        raise TypeError(f"`{name}` is not flattened")
    if not shape:
        w.bind(name, Scalar(Var(name), t))
        w.exists(name, t)
        return Param(Binder[None](name, t, None))
    array = ArrayType(t, tuple(shape))
    w.alias(name, (name,))
    w.exists(name, array)
    unique = q.unique is c.Unique.CONSUMED
    if not unique:
        w.kept.add(name)
    w.bind(name, Arr(name, array))
    return Param(Binder[None](name, array, None), unique)


def _outside(w: Work, d: Size, border: set[Name], extra: list[tuple[Name, Size]]) -> Size:
    """Return a dimension of a result in terms of parameters and implicit results."""
    if d.free() <= border:
        return d
    for x, known in extra:
        if known == d:
            return var(x)
    extra.append((w.fresh("n"), d))
    return var(extra[-1][0])


def _named_dims(b: Binder[None], names: set[Name]) -> list[int]:
    shape = b.type.shape if isinstance(b.type, ArrayType) else ()
    return [k for k, d in enumerate(shape) if d.as_name in names]


# ---------------------------------------------------------------------- constants


def _constants(w: Work, e: c.Exp) -> None:
    """Evaluate the definitions without parameters, in the order of their dependences."""
    done: set[Name] = set()
    todo: list[tuple[Name, bool]] = [(x, False) for x in reversed(list(_globals(e)))]
    path: list[Name] = []
    while todo:
        name, ready = todo.pop()
        if ready:
            path.remove(name)
            _constant(w, name)
            continue
        if name in done:
            if name in path and not isinstance(w.defs[name].exp, c.Lambda):
                unsupported(w.defs[name].at, f"`{name}`, whose value needs itself")
            continue
        done.add(name)
        path.append(name)
        todo.append((name, True))
        todo += [(x, False) for x in reversed(list(_globals(w.defs[name].exp)))]


def _constant(w: Work, name: Name) -> None:
    d = w.defs[name]
    if isinstance(d.exp, c.Lambda):
        return
    w.at = d.at
    w.hint = name
    names: list[Name] = []
    for k, v in enumerate(w.exp(d.exp)):
        x = Name(f"{name} is {k}")
        names.append(x)
        w.bind(x, w.named(name, v))
        if isinstance(v, Arr):
            w.kept |= w.roots[v.name]
    w.constants[name] = tuple(names)


def _globals(e: c.Exp) -> Iterator[Name]:
    """Yield the definitions that an expression mentions, in order."""
    found: dict[Name, None] = {}
    todo = [e]
    while todo:
        x = todo.pop()
        if isinstance(x, c.Global):
            found[x.name] = None
        todo += reversed(list(parts(x)))
    return iter(found)
