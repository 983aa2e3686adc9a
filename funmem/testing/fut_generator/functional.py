"""Producers of functions and of calls: of the library's functions and of the program's own."""

from collections.abc import Sequence

from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, I64, ScalarType
from funmem.testing.fut_generator.generator import FutGenerator, atom
from funmem.testing.fut_generator.library import Arg, Callable, functions, scalar_members
from funmem.testing.fut_generator.scalars import allowed
from funmem.testing.fut_generator.scope import FutScope, FutVariable
from funmem.testing.fut_generator.types import (
    ANY,
    Arr,
    Bound,
    Fun,
    Param,
    Rec,
    SInt,
    Size,
    SOp,
    SVar,
    Tup,
    Type,
    holds_function,
    match_type,
    parts,
    show,
    show_size,
    substitute,
)

SCALAR_ELEMENTS = frozenset(("reduce_by_index_2d", "reduce_by_index_3d"))
"""Functions on which Futhark 0.25 fails with an internal error if the elements are arrays."""

INFIX = frozenset(("++", "|>", "<|", ">->", "<-<"))


def is_function(t: Type) -> bool:
    """True if the type is a function type."""
    return isinstance(t, Fun)


def is_value(t: Type) -> bool:
    """True if the type is not a function type."""
    return not isinstance(t, Fun)


# ---------------------------------------------------------------------- associative operators


@frozen
class Monoid:
    """An associative operator and its neutral element, as arguments."""

    op: str
    neutral: str


def monoid(g: FutGenerator, t: Type) -> Monoid | None:
    """Return an associative operator for the type, or None."""
    match t:
        case ScalarType():
            return _scalar_monoid(g, t)
        case Arr(SVar() | SInt() as size, elem):
            inner = monoid(g, elem)
            if inner is None:
                return None
            n = atom(show_size(size))
            return Monoid(f"(map2 {inner.op})", f"(replicate {n} {inner.neutral})")
        case Tup((ScalarType() as a, b)) if a is b and a.is_int and g.chance(0.5):
            linear = "(\\(a, b) (c, d) -> (a * c, b * c + d))"
            larger = "(\\(a, i) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j))"
            return g.pick((Monoid(linear, "(1, 0)"), Monoid(larger, f"({a}.lowest, {a}.highest)")))
        case Tup(elems):
            inners = [monoid(g, e) for e in elems]
            if any(m is None for m in inners):
                return None
            known = [m for m in inners if m is not None]
            left = ", ".join(f"a{i}" for i in range(len(known)))
            right = ", ".join(f"b{i}" for i in range(len(known)))
            body = ", ".join(f"{m.op} a{i} b{i}" for i, m in enumerate(known))
            return Monoid(
                f"(\\({left}) ({right}) -> ({body}))",
                f"({', '.join(m.neutral for m in known)})",
            )
        case Rec(fields):
            each = [(label, monoid(g, f)) for label, f in fields]
            items = ", ".join(
                f"{label} = {m.op} p.{label} q.{label}" for label, m in each if m is not None
            )
            if any(m is None for _, m in each):
                return None
            neutral = ", ".join(f"{label} = {m.neutral}" for label, m in each if m is not None)
            op = f"(\\(p: {show(t)}) (q: {show(t)}) -> {{{items}}})"
            return Monoid(op, f"({{{neutral}}} : {show(t)})")
        case _:
            return None


def _scalar_monoid(g: FutGenerator, t: ScalarType) -> Monoid:
    if t is BOOL:
        return g.pick(
            (Monoid("(&&)", "true"), Monoid("(||)", "false"), Monoid("(\\p q -> p != q)", "false"))
        )
    extremes = [Monoid(f"{t}.max", f"{t}.lowest"), Monoid(f"{t}.min", f"{t}.highest")]
    if t.is_float:
        extremes = [Monoid(f"{t}.max", f"(-{t}.inf)"), Monoid(f"{t}.min", f"{t}.inf")]
        return g.pick([*extremes, *([Monoid("(+)", "0")] * 3 if g.rough else [])])
    sums = [Monoid(g.pick(("(+)", f"({t}.+)", "(\\a b -> a + b)")), "0")] * 3
    others = [
        Monoid("(*)", "1"),
        Monoid("(|)", "0"),
        Monoid("(^)", f"0{t}"),
        Monoid("(&)", f"(!0{t})"),
    ]
    return g.pick([*sums, *extremes, *others])


# ---------------------------------------------------------------------- calls


def candidates(g: FutGenerator, scope: FutScope) -> Sequence[Callable]:
    """Return the functions that may be called; the program's own ones count more."""
    own = [*g.functions, *scope.local]
    return [*functions(), *own, *own, *own]


def call(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return a function applied to all of its arguments."""
    ways: list[tuple[Callable, Bound]] = []
    for c in candidates(g, scope):
        found = match_type(c.result, goal, Bound(), c.types, c.sizes)
        unsized = c.name == "rep" and isinstance(goal, Arr) and goal.size == ANY
        if found is not None and not unsized and not (c.rough and not g.rough):
            ways.append((c, found))
    if not ways:
        return None
    weights = [0.3 if goal_free(c) else 1.0 for c, _ in ways]
    ((c, found),) = g.rng.choices(ways, weights)
    return apply(g, c, found, len(c.args), scope, depth)


def goal_free(c: Callable) -> bool:
    """True if the function returns any type, such as ``id``: it always fits, but
    is rarely useful.
    """
    return isinstance(c.result, Param) and not any(isinstance(a.type, Arr) for a in c.args)


def apply(
    g: FutGenerator, c: Callable, found: Bound, count: int, scope: FutScope, depth: int
) -> str | None:
    """Return ``f a b …`` with the first ``count`` arguments."""
    bound = complete(g, c, found, scope)
    if bound is None:
        return None
    texts: list[str] = []
    neutral = ""
    for a in c.args[:count]:
        t = substitute(a.type, bound)
        if a.role == "op":
            assert isinstance(t, Fun)
            m = monoid(g, t.param)
            if m is None:
                return None
            texts.append(m.op)
            neutral = m.neutral
            continue
        text = neutral if a.role == "ne" else argument(g, a, t, bound, scope, depth)
        if text is None:
            return None
        texts.append(text)
    full = count == len(c.args)
    return written(g, c, texts, count, substitute(c.result, bound) if full else None)


def written(
    g: FutGenerator, c: Callable, texts: list[str], count: int, goal: Type | None = None
) -> str:
    """Return the call in the notation that people use."""
    if c.name == "rep" and goal is not None:
        return g.ascribe(f"rep {texts[0]}", goal)
    if c.name in INFIX or c.is_operator:
        if count == 2:
            return f"{texts[0]} {c.name} {texts[1]}"
        if count > 2:
            return " ".join([f"({texts[0]} {c.name} {texts[1]})", *texts[2:]])
        return " ".join([f"({c.name})", *texts])
    if count == len(c.args) and count > 1 and g.chance(0.15):
        last = c.args[-1]
        consumes = any(a.consumed for a in c.args) or " with [" in "".join(texts)
        unnamed = texts[-1].startswith("(let ")  # its size may be unnamed outside
        if not (last.role or consumes or unnamed or holds_function(last.type)):
            return f"{texts[-1]} |> {' '.join([c.name, *texts[:-1]])}"
    if count == len(c.args) == 2 and g.chance(0.08) and c.name[0].isalpha():
        return f"{texts[0]} `{c.name}` {texts[1]}"
    return " ".join([c.name, *texts])


def complete(g: FutGenerator, c: Callable, found: Bound, scope: FutScope) -> Bound | None:
    """Choose the bound names that the goal left open."""
    types, sizes = dict(found.types), dict(found.sizes)
    if any(isinstance(p, Arr) and p.size == ANY for t in types.values() for p in parts(t)):
        return None
    for name in sorted(c.types - types.keys()):
        same = [t for t in types.values() if isinstance(t, ScalarType)]
        again = same and g.chance(0.4)
        types[name] = g.pick(same) if again else g.type(scope, 1, arrays=g.chance(0.25))
    if c.name in SCALAR_ELEMENTS and any(isinstance(p, Arr) for p in parts(types["a"])):
        return None
    for name in sorted(c.sizes - sizes.keys()):
        whole = g.factor if c.multiplies else g.size
        sizes[name] = ANY if _once(c, name) else whole(scope)
    return Bound(types, sizes)


def _once(c: Callable, name: str) -> bool:
    """True if a size is the length of exactly one argument, and occurs nowhere else."""
    outer = 0
    for a in c.args:
        if a.role == name:
            return False
        for p in parts(a.type):
            if isinstance(p, Arr) and _mentions(p.size, name):
                if p is not a.type or p.size != SVar(name):
                    return False
                outer += 1
    return outer <= 1


def _mentions(s: Size, name: str) -> bool:
    match s:
        case SVar(n):
            return n == name
        case SOp(_, a, b):
            return _mentions(a, name) or _mentions(b, name)
        case _:
            return False


def argument(
    g: FutGenerator, a: Arg, t: Type, bound: Bound, scope: FutScope, depth: int
) -> str | None:
    """Return an argument of the type that is sensible for its role."""
    match t, a.role:
        case _, role if role in bound.sizes:
            return atom(show_size(bound.sizes[role]))
        case Arr(size, elem), "distinct":
            return distinct(g, size, elem)
        case Arr(size, elem), "bucket":
            return bucket(g, size, elem, scope, depth)
        case _, "few":
            return str(g.rng.randint(0, 4))
        case Arr(size, elem), "nonempty":
            if g.unsafe():
                return g.arg(t, scope, depth)
            return f"([{g.exp(elem, scope, depth)}] ++ {g.arg(Arr(ANY, elem), scope, depth)})"
        case _ if a.consumed:
            text = g.arg(t, scope, depth)
            if text.startswith("(let "):  # 0.25 needs a name for the size
                text = atom(g.leaf(t, scope))
            return f"(copy {text})"
        case _:
            return g.arg(t, scope, depth)


def distinct(g: FutGenerator, size: Size, elem: Type) -> str:
    """Return distinct indices; some are out of range."""
    n = "3" if size == ANY else atom(show_size(size))
    flat = g.pick(
        (f"(iota {n})", f"(map (\\i -> i * 2 - 1) (iota {n}))", f"(reverse (iota {n}))",
         f"(map (+ {g.rng.randint(-2, 2)}) (iota {n}))")
    )  # fmt: skip
    match elem:
        case Tup((_, _)):
            return f"(map (\\i -> (i / 2, i % 2)) {flat})"
        case Tup((_, _, _)):
            return f"(map (\\i -> (i / 4, i / 2 % 2, i % 2)) {flat})"
        case _:
            return flat


def bucket(g: FutGenerator, size: Size, elem: Type, scope: FutScope, depth: int) -> str:
    """Return indices in [-1, 4]."""
    t = Arr(size, I64)
    one = f"(map (\\i -> i % {g.pick((2, 3, 6))} - {g.pick((0, 0, 1))}) {g.arg(t, scope, depth)})"
    match elem:
        case Tup(elems):
            k = len(elems)
            others = " ".join(g.arg(t, scope, 0) for _ in range(k - 1))
            names = [f"i{j}" for j in range(k)]
            made = ", ".join(f"{x} % 3" for x in names)
            return f"(map{k} (\\{' '.join(names)} -> ({made})) {one} {others})"
        case _:
            return one


# ---------------------------------------------------------------------- functions as values


def lambda_(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    r"""Return ``\x (a, b) -> e``."""
    inner = scope.inner()
    params: list[str] = []
    bare = 0.0 if g.chance(0.3) else 0.6
    t = goal
    while isinstance(t, Fun):
        text, known = pattern(g, t.param, bare=bare)
        params.append(text)
        inner = inner.add(*known)
        t = t.result
    return f"\\{' '.join(params)} -> {g.exp(t, inner, depth)}"


def pattern(g: FutGenerator, t: Type, *, bare: float = 0.0) -> tuple[str, list[FutVariable]]:
    """Return a pattern for a parameter, and the variables that it binds."""
    if isinstance(t, Tup) and g.chance(0.6) and _shown(t):
        names = [g.fresh("c") for _ in t.elems]
        inside = ", ".join(names)
        known = [FutVariable(x, e) for x, e in zip(names, t.elems, strict=True)]
        scalars = all(isinstance(e, ScalarType) for e in t.elems)
        if scalars and g.chance(bare):
            return f"({inside})", known
        return f"(({inside}): {show(t)})", known
    x = g.fresh("x")
    return g.param(x, t, bare=bare), [FutVariable(x, t)]


def _shown(t: Type) -> bool:
    return not any(isinstance(p, Arr) and p.size == ANY for p in parts(t))


def section(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``(+ e)``, ``(e -)``, ``(<)``, ``(.x)``."""
    match goal:
        case Fun(ScalarType() as a, ScalarType() as b) if a is b and a is not BOOL:
            own = [c.name for c in g.functions if c.is_operator and c.result is a]
            op = g.pick(("+", "-", "*", *own * 3))
            e = g.arg(a, scope, depth)
            if op != "-" and g.chance(0.5):
                return f"({op} {e})"
            return f"({e} {op})" if g.chance(0.7) else f"(\\x -> x {op} {e})"
        case Fun(ScalarType() as a, ScalarType() as b) if b is BOOL and not (
            a.is_float and g.rough
        ):
            ops = ("==", "!=") if a is BOOL else ("<", ">", "<=", ">=", "==", "!=")
            e = g.arg(a, scope, depth)
            return f"({g.pick(ops)} {e})" if g.chance(0.7) else f"({e} {g.pick(ops)})"
        case Fun(ScalarType() as a, Fun(ScalarType() as b, ScalarType() as c)) if a is b is c:
            if a is BOOL:
                return g.pick(("(&&)", "(||)", "(==)"))
            own = [f"({c.name})" for c in g.functions if c.is_operator and c.result is a]
            return g.pick(("(+)", "(-)", "(*)", f"({a}.-)", f"{a}.max", f"{a}.min", *own))
        case Fun(Arr(SInt(n), elem), result) if elem == result and n > 0:
            return f"(.[{g.rng.randrange(n)}])"
        case Fun(Rec(fields), result):
            labels = [label for label, t in fields if t == result]
            return f"(.{g.pick(labels)})" if labels else None
        case _:
            return None


def module_function(g: FutGenerator, goal: Type, _scope: FutScope, _depth: int) -> str | None:
    """Return a function of a scalar module as a value: ``i32.max``, ``f64.i32``."""
    ways = [
        c
        for c in scalar_members()
        if c.args and allowed(g, c) and not c.traps and c.rest(0) == goal
        if not any(a.role for a in c.args)
    ]
    return g.pick(ways).name if ways else None


def partial(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return a function applied to some of its arguments."""
    ways: list[tuple[Callable, Bound, int]] = []
    for c in candidates(g, scope):
        for k in range(len(c.args) + isinstance(c.result, Fun)):
            if c.name == "rep" or any(a.role or a.consumed for a in c.args[k:]):
                continue
            found = match_type(c.rest(k), goal, Bound(), c.types, c.sizes)
            if found is not None and not (c.rough and not g.rough):
                ways.append((c, found, k))
    if not ways:
        return None
    c, found, k = g.pick(ways)
    return apply(g, c, found, k, scope, depth)
