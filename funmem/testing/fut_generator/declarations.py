"""Top-level declarations of a program: types, constants, operators, functions."""

from collections.abc import Sequence

from funmem.ir.scalars import BOOL, I64, ScalarType
from funmem.testing.fut_generator.control import body
from funmem.testing.fut_generator.generator import FutGenerator
from funmem.testing.fut_generator.library import Arg, Callable
from funmem.testing.fut_generator.scope import FutScope, FutVariable
from funmem.testing.fut_generator.types import (
    ANY,
    Arr,
    Bound,
    Fun,
    Param,
    Rec,
    SInt,
    Sum,
    SVar,
    Type,
    function,
    holds_array,
    show,
    substitute,
)

# ---------------------------------------------------------------------- types


def types(g: FutGenerator) -> list[str]:
    """Return abbreviations of records and sums, some with a type parameter, and of vectors."""
    decs: list[str] = []
    for k in range(g.pick((0, 0, 1, 1, 2))):
        name = f"{g.prefix}t{k}"
        params = ("'a",) if g.chance(0.35) else ()
        scope = FutScope(types=("a",) if params else ())
        fields = [_field(g, scope) for _ in range(g.pick((1, 2, 2, 3)))]
        if params:
            fields[0] = Param("a")
        t: Type = _record(fields) if g.chance(0.5) else _sum(g, fields)
        decs.append(f"type {' '.join([name, *params])} = {show(t)}")
        if not params:
            g.declared.append(_named(t, name))
        for _ in range(2 if params else 0):
            arg = g.scalar()
            shown = f"({name} {arg})"
            g.declared.append(_named(substitute(t, Bound({"a": arg})), shown))
    if g.chance(0.3):
        g.vector = f"{g.prefix}vec"
        decs.append(f"type {g.vector} [n] 'a = [n]a")
    return decs


def _field(g: FutGenerator, scope: FutScope) -> Type:
    """Return a type for a field of a record or sum; its arrays have constant sizes."""
    t = g.type(scope, 1, arrays=False)
    plain = isinstance(t, ScalarType)
    return Arr(SInt(g.pick((1, 2, 3))), t) if plain and g.chance(0.12) else t


def _named(t: Type, name: str) -> Type:
    return Rec(t.fields, name) if isinstance(t, Rec) else Sum(_constructors(t), name)


def _constructors(t: Type) -> tuple[tuple[str, tuple[Type, ...]], ...]:
    assert isinstance(t, Sum)
    return t.constructors


def _record(fields: Sequence[Type]) -> Type:
    return Rec(tuple(zip(("x", "y", "z"), fields, strict=False)))


def _sum(g: FutGenerator, fields: Sequence[Type]) -> Type:
    payloads: list[tuple[Type, ...]] = [(f,) for f in fields]
    if g.chance(0.6):
        payloads.append(())
    if g.chance(0.3):
        payloads[0] = (*payloads[0], *fields[-1:])
    names = ("some", "none", "both", "left", "right")
    return Sum(tuple(zip(names, payloads, strict=False)))


# ---------------------------------------------------------------------- constants, operators


def constants(g: FutGenerator) -> list[str]:
    """Return ``def c = …``: constants that all functions see; a number may be a size."""
    decs: list[str] = []
    for k in range(g.pick((0, 0, 0, 1, 1, 2))):
        name = f"{g.prefix}c{k}"
        if g.chance(0.3):
            size = g.rng.randint(1, 4)
            decs.append(f"def {name} = {size}i64")
            g.constants.append(FutVariable(name, I64))
            g.named_sizes[name] = size
            continue
        t = _field(g, FutScope())
        typed = f": {show(t)}" if g.chance(0.5) or not isinstance(t, ScalarType) else ""
        e = g.exp(t, FutScope(), 2)
        e = f"({e} : {t})" if isinstance(t, ScalarType) and not typed else e
        decs.append(f"def {name}{typed} = {e}")
        # Results may not share elements with a constant.
        g.constants.append(FutVariable(f"(copy {name})" if holds_array(t) else name, t))
    return decs


LEADING = (
    "+", "-", "*", "/", "%", "**", "//", "%%", "<", ">", "==", "<=", "&", "|", "^", "<<", ">>",
    "&&", "||", "|>", "<|",
)  # fmt: skip
"""Beginnings of operator names, which determine the precedence."""

DIGITS = "+*%^"


def operators(g: FutGenerator, seed: int) -> list[str]:
    """Return ``def (+*) (a: t) (b: t) : t = …``; the name contains the seed, so
    that it is unique.
    """
    decs: list[str] = []
    for _ in range(g.pick((0, 0, 1, 1, 2))):
        name = g.pick(LEADING) + _digits(seed)
        if any(o.name == name for o in g.functions):
            continue
        t = g.scalar()
        while t is BOOL:
            t = g.scalar()
        a, b = g.fresh("a"), g.fresh("b")
        scope = g.outside().add(FutVariable(a, t), FutVariable(b, t))
        op = g.pick(("+", "-", "*"))
        e = f"{a} {op} {b}" if g.chance(0.4) else f"{a} {op} {g.arg(t, scope, 1)} - {b}"
        decs.append(f"def ({name}) ({a}: {t}) ({b}: {t}) : {t} = {e}")
        g.functions.append(Callable(name, (Arg(t), Arg(t)), t, rough=g.rough))
    return decs


def _digits(seed: int) -> str:
    text = DIGITS[seed % 4]
    while seed >= 4:
        seed //= 4
        text += DIGITS[seed % 4]
    return f"^{text}"


# ---------------------------------------------------------------------- functions


def point_free(g: FutGenerator) -> list[str]:
    """Return ``def f : t -> u = g`` for a function g without parameters."""
    if not g.chance(0.25):
        return []
    name = f"{g.prefix}h"
    params = [g.scalar() for _ in range(g.pick((1, 1, 2)))]
    result = g.scalar()
    e = g.exp(function(*params, result), g.outside(), 2)
    g.functions.append(Callable(name, tuple(map(Arg, params)), result, rough=g.rough))
    return [f"def {name} : {show(function(*params, result))} = {e}"]


def definition(g: FutGenerator, k: int) -> str:
    """Return a top-level function, with sizes, type parameters and functions as parameters."""
    g.fuel = 60
    name = f"{g.prefix}f{k}"
    tparams = g.pick(((), (), (), ("a",), ("a", "b")))
    sizes = g.pick(((), ("n",), ("n",), ("n", "m")))
    scope = g.outside(*tparams).sized(*sizes)
    params: list[Type] = [Param(t) for t in tparams]
    for s in sizes:
        params.append(Arr(SVar(s), g.type(scope, 1, arrays=False)))
    for _ in range(g.pick((0, 1, 1, 2)) if params else 1):
        params.append(g.type(scope, 2))
    if g.chance(0.4):
        params.append(function(*(g.type(scope, 0) for _ in range(g.pick((2, 2, 3))))))
    g.rng.shuffle(params)
    names = [g.fresh("p") for _ in params]
    unique = [isinstance(t, Arr) and g.chance(0.15) for t in params]
    result = _result(g, scope)
    known = [
        FutVariable(x, t, fresh=u, root=True) for x, t, u in zip(names, params, unique, strict=True)
    ]
    text = body(g, result, scope.add(*known, *(FutVariable(s, I64) for s in sizes)))
    head = " ".join(
        [*(f"[{s}]" for s in sizes), *(f"'{t}" for t in tparams)]
        + [f"({x}: {'*' * u}{shown(g, t)})" for x, t, u in zip(names, params, unique, strict=True)]
    )
    args = tuple(Arg(t, consumed=u) for t, u in zip(params, unique, strict=True))
    free = frozenset(sizes)
    g.functions.append(Callable(name, args, result, frozenset(tparams), free, rough=g.rough))
    return f"def {name} {head} : {_written(g, result)} =\n  {text}"


def _result(g: FutGenerator, scope: FutScope) -> Type:
    """Return a function's result type: sometimes an array of existential size, or a function."""
    kind = g.rng.random()
    if kind < 0.15:
        return Arr(ANY, g.type(scope, 1, arrays=False))
    if kind < 0.22:
        return Fun(g.scalar(), g.scalar())
    return g.type(scope, 2)


def _written(g: FutGenerator, t: Type) -> str:
    if isinstance(t, Arr) and t.size == ANY and g.chance(0.5):
        return f"?[k].[k]{show(t)[2:]}"
    return f"({show(t)})" if isinstance(t, Fun) else shown(g, t)


def shown(g: FutGenerator, t: Type) -> str:
    """Return the type, possibly by the abbreviation for vectors."""
    if g.vector and isinstance(t, Arr) and isinstance(t.size, SVar | SInt) and g.chance(0.5):
        inner = show(t.elem)
        plain = isinstance(t.elem, ScalarType | Param) or inner[0] in "({"
        return f"{g.vector} {show(Arr(t.size, I64))[:-3]} {inner if plain else f'({inner})'}"
    return show(t)
