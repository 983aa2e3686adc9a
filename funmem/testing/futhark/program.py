"""Whole programs: types, functions, an entry point, and arguments for it."""

import random
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from funmem.ir.scalars import BOOL, I32, I64, ScalarType
from funmem.ir.values import ArgValue, dtype
from funmem.testing.futhark.control import binding, is_closed, uses
from funmem.testing.futhark.functional import apply
from funmem.testing.futhark.generator import Generator
from funmem.testing.futhark.library import Arg, Callable, functions, scalar_members
from funmem.testing.futhark.scalars import allowed, apply_member
from funmem.testing.futhark.scope import Known, Scope
from funmem.testing.futhark.table import PRODUCERS
from funmem.testing.futhark.types import (
    Arr,
    Bound,
    Param,
    Rec,
    SInt,
    Sum,
    SVar,
    Tup,
    Type,
    function,
    holds_function,
    show,
    substitute,
)

TRAPPING = 8
"""One program in so many leaves guards out."""
ROUGH = 3
"""One program in so many has functions that libraries round differently."""
CASES = 3
"""Sets of arguments for a program."""


@frozen
class FutProgram:
    """A generated program: its text, its entry point, arguments for it."""

    seed: int
    text: str
    entry: str
    args: tuple[tuple[ArgValue, ...], ...]


def generate(seed: int, prefix: str = "") -> FutProgram:
    """The well-typed program of a seed; the names of its definitions begin with ``prefix``."""
    g = Generator(
        random.Random(seed),
        prefix,
        PRODUCERS,
        rough=seed % ROUGH == 1,
        traps=0.3 if seed % TRAPPING == 5 else 0.0,
    )
    decs = [*_types(g), *(_function(g, k) for k in range(g.rng.randint(0, 3)))]
    g.fuel = 120
    entry, params = _entry(g, seed)
    cases = tuple(_arguments(g, params) for _ in range(CASES))
    return FutProgram(seed, "\n\n".join([*decs, entry]) + "\n", f"{prefix}main", cases)


# ---------------------------------------------------------------------- types


def _types(g: Generator) -> list[str]:
    """Abbreviations of records and sums."""
    decs: list[str] = []
    plain = Scope()
    for k in range(g.pick((0, 0, 1, 1, 2))):
        name = f"{g.prefix}t{k}"
        fields = [g.type(plain, 1, arrays=False) for _ in range(g.pick((1, 2, 2, 3)))]
        if g.chance(0.5):
            labels = ("x", "y", "z")
            t: Type = Rec(tuple(zip(labels, fields, strict=False)), name)
            decs.append(f"type {name} = {show(Rec(t.fields))}" if isinstance(t, Rec) else "")
        else:
            t = _sum(g, name, fields)
            assert isinstance(t, Sum)
            decs.append(f"type {name} = {show(Sum(t.constructors))}")
        g.declared.append(t)
    return decs


def _sum(g: Generator, name: str, fields: Sequence[Type]) -> Type:
    payloads: list[tuple[Type, ...]] = [(f,) for f in fields]
    if g.chance(0.6):
        payloads.append(())
    if g.chance(0.3):
        payloads[0] = (*payloads[0], *fields[-1:])
    names = ("some", "none", "both", "left", "right")
    return Sum(tuple(zip(names, payloads, strict=False)), name)


# ---------------------------------------------------------------------- functions


def _function(g: Generator, k: int) -> str:
    """A function at the top: sizes, type parameters, functions as parameters."""
    g.fuel = 60
    name = f"{g.prefix}f{k}"
    types = g.pick(((), (), (), ("a",), ("a", "b")))
    sizes = g.pick(((), ("n",), ("n",), ("n", "m")))
    scope = Scope(types=types).sized(*sizes)
    params: list[Type] = [Param(t) for t in types]
    for s in sizes:
        params.append(Arr(SVar(s), g.type(scope, 1, arrays=False)))
    for _ in range(g.pick((0, 1, 1, 2)) if params else 1):
        params.append(g.type(scope, 2))
    if g.chance(0.4):
        params.append(function(*(g.type(scope, 0) for _ in range(g.pick((2, 2, 3))))))
    g.rng.shuffle(params)
    names = [g.fresh("p") for _ in params]
    unique = [isinstance(t, Arr) and g.chance(0.15) for t in params]
    result = g.type(scope, 2)
    known = [Known(x, t, fresh=u, root=True) for x, t, u in zip(names, params, unique, strict=True)]
    body = _body(g, result, scope.add(*known, *(Known(s, I64) for s in sizes)))
    head = " ".join(
        [*(f"[{s}]" for s in sizes), *(f"'{t}" for t in types)]
        + [f"({x}: {'*' * u}{show(t)})" for x, t, u in zip(names, params, unique, strict=True)]
    )
    args = tuple(Arg(t, consumed=u) for t, u in zip(params, unique, strict=True))
    g.functions.append(
        Callable(name, args, result, frozenset(types), frozenset(sizes), rough=g.rough)
    )
    return f"def {name} {head} : {show(result)} =\n  {body}"


def _body(g: Generator, result: Type, scope: Scope) -> str:
    """Some bindings and a result that uses them, as far as it does."""
    heads: list[tuple[tuple[str, ...], str]] = []
    for _ in range(g.pick((0, 1, 1, 2, 3))):
        head, scope = binding(g, scope, 2)
        if head is not None:
            heads.append(head)
    return _with(heads, g.exp(result, scope, 3))


def _with(heads: Sequence[tuple[tuple[str, ...], str]], body: str) -> str:
    """The bindings that something uses, then the body."""
    kept: list[str] = []
    text = body
    for names, head in reversed(heads):
        if any(uses(x, text) for x in names):
            kept.insert(0, head)
            text = f"{head}\n{text}"
    if not kept:
        return body
    lines = "\n  ".join(kept)
    return f"{lines}\n  {body}" if body.startswith("let ") else f"{lines}\n  in {body}"


# ---------------------------------------------------------------------- the entry point


def _outside(t: Type) -> bool:
    """Whether a caller can pass or receive it."""
    return isinstance(t, ScalarType) or (isinstance(t, Arr) and _flat(t))


def _flat(t: Type) -> bool:
    return _flat(t.elem) if isinstance(t, Arr) else isinstance(t, ScalarType)


def _parameter(g: Generator, scope: Scope) -> Type:
    if g.chance(0.35):
        return g.scalar()
    elem: Type = g.scalar()
    for _ in range(g.pick((1, 1, 1, 2, 2, 3))):
        elem = Arr(g.size(scope) if g.chance(0.85) else SInt(g.rng.randint(1, 3)), elem)
    return elem


def _shown(g: Generator, x: str, t: Type) -> list[str]:
    """What a caller may see of a variable."""
    match t:
        case Arr(_, Tup(elems)) if is_closed(t):
            k = g.rng.randrange(len(elems))
            return [f"map (\\(z: {show(t.elem)}) -> z.{k}) {x}"] if _outside(elems[k]) else []
        case _:
            return [x] if _outside(t) else []


def _entry(g: Generator, seed: int) -> tuple[str, list[tuple[str, Type]]]:
    """The entry point, with two functions of the library whose turn it is."""
    sizes = g.pick((("n",), ("n",), ("n", "m"), ("n", "m")))
    scope = Scope().sized(*sizes)
    params: list[tuple[str, Type]] = [(g.fresh("p"), Arr(SVar(s), g.scalar())) for s in sizes]
    params += [(g.fresh("p"), _parameter(g, scope)) for _ in range(g.rng.randint(1, 3))]
    unique = [isinstance(t, Arr) and g.chance(0.1) for _, t in params]
    known = [Known(x, t, fresh=u, root=True) for (x, t), u in zip(params, unique, strict=True)]
    scope = scope.add(*known, *(Known(s, I64) for s in sizes))
    heads: list[tuple[tuple[str, ...], str]] = []
    shown: list[str] = []
    for spot in spotlight(g, seed, scope):
        types = spot.type.elems if isinstance(spot.type, Tup) else (spot.type,)
        names = tuple(g.fresh("s") for _ in types)
        left = names[0] if len(names) == 1 else f"({', '.join(names)})"
        heads.append((names, f"let {left} = {spot.text}"))
        for x, t in zip(names, types, strict=True):
            shown += _shown(g, x, t)
            if spot.usable and is_closed(t):
                scope = scope.add(Known(x, t))
    for _ in range(g.rng.randint(1, 4)):
        head, scope = binding(g, scope, 3)
        if head is not None:
            heads.append(head)
    results: list[str] = []
    for _ in range(g.pick((1, 1, 2, 3))):
        t = _parameter(g, scope)
        results.append(g.exp(t, scope, 4))
    results += shown
    body = results[0] if len(results) == 1 else f"({', '.join(results)})"
    declared = " ".join(
        [f"[{s}]" for s in sizes]
        + [f"({x}: {'*' * u}{show(t)})" for (x, t), u in zip(params, unique, strict=True)]
    )
    return f"entry {g.prefix}main {declared} =\n  {_with(heads, body)}", params


@frozen
class Spot:
    """A call of a function whose turn it is."""

    type: Type
    text: str
    usable: bool
    """Whether more may be computed with the result."""


TURNS = 3
"""Members of scalar modules whose turn it is in a program."""


def spotlight(g: Generator, seed: int, scope: Scope) -> list[Spot]:
    """Calls of the functions whose turn it is, so that all occur within a few hundred seeds."""
    made: list[Spot] = []
    c = functions()[seed % len(functions())]
    found = _monomorphic(g, c, scope)
    text = apply(g, c, found, len(c.args), scope, 2)
    result = substitute(c.result, found)
    if text is not None and not holds_function(result):
        made.append(Spot(result, text, True))
    members = scalar_members()
    for k in range(TURNS):
        c = members[(TURNS * seed + k) % len(members)]
        usable = allowed(g, c)
        around = scope if usable else Scope()  # numbers only: what they give is known exactly
        text = apply_member(g, c, around, 2 if usable else 0)
        made.append(Spot(c.result, text, usable))
    return made


def _monomorphic(g: Generator, c: Callable, scope: Scope) -> Bound:
    """Scalars for the types of a scheme, sizes in scope for its sizes."""
    types: dict[str, Type] = {t: g.scalar() for t in sorted(c.types)}
    if any(a.role == "op" for a in c.args) and g.chance(0.3):
        types["a"] = Tup((I32, BOOL))
    return Bound(types, {s: g.size(scope) for s in sorted(c.sizes)})


# ---------------------------------------------------------------------- arguments


def _arguments(g: Generator, params: Sequence[tuple[str, Type]]) -> tuple[ArgValue, ...]:
    sizes = {s: g.pick((0, 1, 1, 2, 3, 4, 5, 7)) for s in ("n", "m")}
    return tuple(_value(g, t, sizes) for _, t in params)


def _value(g: Generator, t: Type, sizes: dict[str, int]) -> ArgValue:
    shape: list[int] = []
    while isinstance(t, Arr):
        assert isinstance(t.size, SVar | SInt)
        shape.append(sizes[t.size.name] if isinstance(t.size, SVar) else t.size.value)
        t = t.elem
    assert isinstance(t, ScalarType)
    count = int(np.prod(shape)) if shape else 1
    numbers = [_number(g, t) for _ in range(count)]
    data = np.array(numbers, dtype(t)).reshape(shape)
    return data if shape else data[()]


def _number(g: Generator, t: ScalarType) -> float | int | bool:
    """Mostly small, sometimes extreme."""
    if t is BOOL:
        return g.chance(0.5)
    if t.is_float:
        if g.chance(0.06):
            return g.pick((float("nan"), float("inf"), float("-inf"), -0.0, 0.0))
        return round(g.rng.uniform(-10, 10), 2) if g.chance(0.9) else g.rng.uniform(-1e4, 1e4)
    if g.chance(0.08):
        return g.pick((t.min, t.max))
    return g.rng.randint(max(-10, t.min), 20) if g.chance(0.9) else g.rng.randint(t.min, t.max)
