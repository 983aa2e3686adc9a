"""Whole programs: declarations, an entry point, and its arguments."""

import random
from collections.abc import Sequence

import numpy as np

from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, I32, I64, ScalarType
from funmem.ir.values import ArgValue, dtype
from funmem.testing.fut_generator.control import binding, is_closed, with_heads
from funmem.testing.fut_generator.declarations import (
    constants,
    definition,
    operators,
    point_free,
    shown,
    types,
)
from funmem.testing.fut_generator.functional import apply
from funmem.testing.fut_generator.generator import FutGenerator
from funmem.testing.fut_generator.library import Callable, functions, scalar_members
from funmem.testing.fut_generator.scalars import allowed, apply_member
from funmem.testing.fut_generator.scope import FutScope, FutVariable
from funmem.testing.fut_generator.table import PRODUCERS
from funmem.testing.fut_generator.types import (
    Arr,
    Bound,
    SInt,
    SVar,
    Tup,
    Type,
    holds_function,
    show,
    substitute,
)

TRAPPING = 8
"""One program in this many omits guards."""
ROUGH = 3
"""One program in this many calls functions that implementations round differently."""
CASES = 3
"""Number of sets of arguments for a program."""


@frozen
class FutProgram:
    """A generated program: its text, its entry point, and arguments."""

    seed: int
    text: str
    entry: str
    args: tuple[tuple[ArgValue, ...], ...]
    types: tuple[tuple[str, ...], ...]
    """The types of the arguments; their sizes are numbers, or constants of the program."""
    results: int
    """The number of results."""
    traps: bool
    """True if guards were omitted."""


def generate(seed: int, prefix: str = "") -> FutProgram:
    """Return the well-typed program of a seed; the names of its definitions begin
    with ``prefix``.
    """
    g = FutGenerator(
        random.Random(seed),
        prefix,
        PRODUCERS,
        rough=seed % ROUGH == 1,
        traps=0.3 if seed % TRAPPING == 5 else 0.0,
    )
    decs = [*types(g), *constants(g), *operators(g, seed), *point_free(g)]
    decs += [definition(g, k) for k in range(g.rng.randint(0, 3))]
    g.fuel = 120
    entry, params, results = _entry(g, seed)
    cases = [_arguments(g, params) for _ in range(CASES)]
    text = "\n\n".join([*decs, entry]) + "\n"
    args, shapes = tuple(a for a, _ in cases), tuple(s for _, s in cases)
    return FutProgram(seed, text, f"{prefix}main", args, shapes, results, g.traps > 0)


# ---------------------------------------------------------------------- the entry point


def _outside(t: Type) -> bool:
    """True if a caller can pass or receive a value of the type."""
    return isinstance(t, ScalarType) or (isinstance(t, Arr) and _flat(t))


def _flat(t: Type) -> bool:
    return _flat(t.elem) if isinstance(t, Arr) else isinstance(t, ScalarType)


def _parameter(g: FutGenerator, scope: FutScope) -> Type:
    if g.chance(0.35):
        return g.scalar()
    elem: Type = g.scalar()
    for _ in range(g.pick((1, 1, 1, 2, 2, 3))):
        elem = Arr(g.size(scope) if g.chance(0.85) else SInt(g.rng.randint(1, 3)), elem)
    return elem


def _shown(g: FutGenerator, x: str, t: Type) -> list[str]:
    """Return the parts of a variable that a caller may receive."""
    match t:
        case Arr(_, Tup(elems)) if is_closed(t):
            k = g.rng.randrange(len(elems))
            return [f"map (\\(z: {show(t.elem)}) -> z.{k}) {x}"] if _outside(elems[k]) else []
        case _:
            return [x] if _outside(t) else []


def _entry(g: FutGenerator, seed: int) -> tuple[str, list[tuple[str, Type]], int]:
    """Return the entry point, its parameters, and the number of results.

    It calls the library functions whose turn it is (:func:`spotlight`).
    """
    sizes = g.pick((("n",), ("n",), ("n", "m"), ("n", "m")))
    scope = g.outside().sized(*sizes)
    params: list[tuple[str, Type]] = [(g.fresh("p"), Arr(SVar(s), g.scalar())) for s in sizes]
    params += [(g.fresh("p"), _parameter(g, scope)) for _ in range(g.rng.randint(1, 3))]
    unique = [isinstance(t, Arr) and g.chance(0.1) for _, t in params]
    known = [
        FutVariable(x, t, fresh=u, root=True) for (x, t), u in zip(params, unique, strict=True)
    ]
    scope = scope.add(*known, *(FutVariable(s, I64) for s in sizes))
    heads: list[tuple[tuple[str, ...], str]] = []
    seen: list[str] = []
    for spot in spotlight(g, seed, scope):
        found = spot.type.elems if isinstance(spot.type, Tup) else (spot.type,)
        names = tuple(g.fresh("s") for _ in found)
        left = names[0] if len(names) == 1 else f"({', '.join(names)})"
        heads.append((names, f"let {left} = {spot.text}"))
        for x, t in zip(names, found, strict=True):
            seen += _shown(g, x, t)
            if spot.usable and is_closed(t):
                scope = scope.add(FutVariable(x, t))
    bound: list[str] = []
    for _ in range(g.rng.randint(1, 4)):
        head, scope = binding(g, scope, 3)
        if head is not None:
            heads.append(head)
            new = [k for k in scope.known if k.name in head[0] and _outside(k.type)]
            bound += [k.name for k in new if g.chance(0.6)]
    there = {k.name for k in scope.known}
    seen += [x for x in dict.fromkeys(bound) if x in there]  # others were consumed
    results: list[str] = []
    for _ in range(g.pick((1, 1, 2, 3))):
        t = _parameter(g, scope)
        results.append(g.exp(t, scope, 4))
    results += seen
    body = results[0] if len(results) == 1 else f"({', '.join(results)})"
    declared = " ".join(
        [f"[{s}]" for s in sizes]
        + [f"({x}: {'*' * u}{shown(g, t)})" for (x, t), u in zip(params, unique, strict=True)]
    )
    return f"entry {g.prefix}main {declared} =\n  {with_heads(heads, body)}", params, len(results)


@frozen
class Spot:
    """A call of a function whose turn it is."""

    type: Type
    text: str
    usable: bool
    """True if the result may be used in other expressions."""


TURNS = 3
"""Number of members of scalar modules whose turn it is in each program."""


def spotlight(g: FutGenerator, seed: int, scope: FutScope) -> list[Spot]:
    """Return calls of the functions whose turn it is: all occur within a few hundred seeds."""
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
        around = scope if usable else FutScope()  # literals only, so that the result is exact
        text = apply_member(g, c, around, 2 if usable else 0)
        made.append(Spot(c.result, text, usable))
    return made


def _monomorphic(g: FutGenerator, c: Callable, scope: FutScope) -> Bound:
    """Return scalars for the types of a scheme, and sizes in scope for its sizes."""
    chosen: dict[str, Type] = {}
    for t in sorted(c.types):
        chosen[t] = g.pick([*chosen.values()]) if chosen and g.chance(0.3) else g.scalar()
    if any(a.role == "op" for a in c.args) and g.chance(0.3):
        chosen["a"] = Tup((I32, BOOL))
    size = g.factor if c.multiplies else g.size
    return Bound(chosen, {s: size(scope) for s in sorted(c.sizes)})


# ---------------------------------------------------------------------- arguments


def _arguments(
    g: FutGenerator, params: Sequence[tuple[str, Type]]
) -> tuple[tuple[ArgValue, ...], tuple[str, ...]]:
    """Return arguments and their types."""
    sizes = {s: g.pick((0, 1, 1, 2, 3, 4, 5, 7)) for s in ("n", "m")} | g.named_sizes
    image = Bound(sizes={x: SInt(k) for x, k in sizes.items() if x not in g.named_sizes})
    shapes = tuple(show(substitute(t, image)) for _, t in params)
    return tuple(_value(g, t, sizes) for _, t in params), shapes


def _value(g: FutGenerator, t: Type, sizes: dict[str, int]) -> ArgValue:
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


def _number(g: FutGenerator, t: ScalarType) -> float | int | bool:
    """Return a number, mostly small, sometimes extreme."""
    if t is BOOL:
        return g.chance(0.5)
    if t.is_float:
        if g.chance(0.06):
            return g.pick((float("nan"), float("inf"), float("-inf"), -0.0, 0.0))
        return round(g.rng.uniform(-10, 10), 2) if g.chance(0.9) else g.rng.uniform(-1e4, 1e4)
    if g.chance(0.08):
        return g.pick((t.min, t.max))
    return g.rng.randint(max(-10, t.min), 20) if g.chance(0.9) else g.rng.randint(t.min, t.max)
