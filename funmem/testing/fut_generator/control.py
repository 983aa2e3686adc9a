"""Producers of let, if, match, loop, local functions and assertions."""

import re
from collections.abc import Sequence

from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I32, I64, ScalarType
from funmem.testing.fut_generator.arrays import index_for
from funmem.testing.fut_generator.functional import pattern
from funmem.testing.fut_generator.generator import FutGenerator, atom
from funmem.testing.fut_generator.library import Arg, Callable
from funmem.testing.fut_generator.scope import FutScope, FutVariable
from funmem.testing.fut_generator.types import (
    ANY,
    Arr,
    Fun,
    Param,
    Rec,
    SInt,
    Sum,
    SVar,
    Tup,
    Type,
    function,
    holds_array,
    holds_function,
    parts,
    show,
    show_size,
)


def uses(name: str, text: str) -> bool:
    """True if a name occurs in a text."""
    return re.search(rf"(?<![\w'.]){re.escape(name)}(?![\w'])", text) is not None


def is_closed(t: Type) -> bool:
    """True if all sizes of the type have names, so that branches and loops may have it."""
    return not holds_function(t) and not any(isinstance(p, Arr) and p.size == ANY for p in parts(t))


# ---------------------------------------------------------------------- bodies


def body(g: FutGenerator, result: Type, scope: FutScope) -> str:
    """Return bindings, and a result that may use them."""
    heads: list[Head] = []
    for _ in range(g.pick((0, 1, 1, 2, 3))):
        head, scope = binding(g, scope, 2)
        if head is not None:
            heads.append(head)
    return with_heads(heads, g.exp(result, scope, 3))


def with_heads(heads: "Sequence[Head]", result: str) -> str:
    """Return the bindings that are used, followed by the result."""
    kept: list[str] = []
    text = result
    for names, head in reversed(heads):
        if any(uses(x, text) for x in names):
            kept.insert(0, head)
            text = f"{head}\n{text}"
    if not kept:
        return result
    lines = "\n  ".join(kept)
    return f"{lines}\n  {_in(result)}"


# ---------------------------------------------------------------------- let


def let(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``let p = e in body``; only the variables that the body uses are bound."""
    head, inner = binding(g, scope, depth)
    body = g.exp(goal, inner, depth)
    return body if head is None or not _needed(head, body) else f"{head[1]}\n  {_in(body)}"


Head = tuple[tuple[str, ...], str]
"""The variables of a binding, and its text."""


def _needed(head: Head, body: str) -> bool:
    return any(uses(x, body) for x in head[0])


def _in(body: str) -> str:
    return body if body.startswith("let ") else f"in {body}"


def binding(g: FutGenerator, scope: FutScope, depth: int) -> tuple[Head | None, FutScope]:
    """Return ``let p = e``, and the scope after it."""
    kind = g.rng.random()
    if kind < 0.12:
        return _local_function(g, scope, depth)
    if kind < 0.3:
        return _unsized(g, scope, depth)
    if kind < 0.45:
        return _in_place(g, scope, depth)
    if kind < 0.5:
        return _polymorphic(g, scope, depth)
    if kind < 0.56:
        return _two_at_once(g, scope, depth)
    t = g.type(scope, 2)
    e = g.exp(t, scope, depth)
    if isinstance(t, Tup) and g.chance(0.5):
        names = tuple(g.fresh("d") for _ in t.elems)
        known = [FutVariable(x, s) for x, s in zip(names, t.elems, strict=True)]
        return (names, f"let ({', '.join(names)}) = {e}"), scope.add(*known)
    if isinstance(t, Rec) and g.chance(0.3):
        names = tuple(g.fresh("d") for _ in t.fields)
        known = [FutVariable(x, s) for x, (_, s) in zip(names, t.fields, strict=True)]
        items = ", ".join(f"{label} = {x}" for x, (label, _) in zip(names, t.fields, strict=True))
        return (names, f"let {{{items}}} = {atom(e)}"), scope.add(*known)
    x = g.fresh("v")
    if isinstance(t, Arr) and g.chance(0.3):
        return ((x,), f"let {x} = copy {atom(e)}"), scope.add(FutVariable(x, t, fresh=True))
    typed = f": {show(t)} " if g.chance(0.3) else ""
    return ((x,), f"let {x} {typed}= {e}"), scope.add(FutVariable(x, t))


def _unsized(g: FutGenerator, scope: FutScope, depth: int) -> tuple[Head | None, FutScope]:
    """Bind an array of unknown length, which may get a name."""
    elem = g.type(scope, 1, arrays=g.chance(0.2))
    x = g.fresh("zs")
    if g.chance(0.2):
        y = g.fresh("zs")
        p = g.arg(Fun(elem, BOOL), scope, depth)
        e = f"partition {p} {g.arg(Arr(ANY, elem), scope, depth)}"
        return ((x, y), f"let ({x}, {y}) = {e}"), scope.add(
            FutVariable(x, Arr(ANY, elem)), FutVariable(y, Arr(ANY, elem))
        )
    e = g.exp(Arr(ANY, elem), scope, depth)
    if g.chance(0.5):
        n = g.fresh("n")
        t = Arr(SVar(n), elem)
        text = f"let [{n}] ({x}: {show(t)}) = {e}"
        return ((x, n), text), scope.sized(n).add(FutVariable(x, t), FutVariable(n, I64))
    return ((x,), f"let {x} = {e}"), scope.add(FutVariable(x, Arr(ANY, elem)))


def _in_place(g: FutGenerator, scope: FutScope, depth: int) -> tuple[Head | None, FutScope]:
    """Return ``let xs[i] = e`` or ``let ys = xs with [i] = e`` where xs is fresh."""
    ways = [k for k in scope.known if k.fresh and isinstance(k.type, Arr)]
    if not ways:
        return None, scope
    k = g.pick(ways)
    assert isinstance(k.type, Arr)
    i = index_for(g, k, scope, depth)
    if i is None:
        return None, scope
    e = g.exp(k.type.elem, scope, depth)
    if isinstance(k.type.elem, Arr) and g.chance(0.5):
        j = (
            index_for(g, FutVariable("", k.type.elem), scope, depth)
            if k.type.elem.size != ANY
            else None
        )
        i, t = (i, k.type.elem) if j is None else (f"{i}, {j}", k.type.elem.elem)
        e = g.exp(t, scope, depth)
    if isinstance(k.type.elem, Arr | Tup | Param):
        e = f"copy {atom(e)}"
    after = scope.without(k.name)
    if g.chance(0.6):
        return ((k.name,), f"let {k.name}[{i}] = {e}"), after.add(k)
    y = g.fresh("w")
    head = f"let {y} = {k.name} with [{i}] = {atom(e)}"
    return ((y,), head), after.add(FutVariable(y, k.type, fresh=True))


def _local_function(g: FutGenerator, scope: FutScope, depth: int) -> tuple[Head | None, FutScope]:
    """Return ``let f x (y: t) = e``."""
    f = g.fresh("f")
    types = [g.type(scope, 1) for _ in range(g.pick((1, 1, 2)))]
    result = g.type(scope, 1)
    if not is_closed(result) or any(not is_closed(t) for t in types):
        return None, scope
    names = [g.fresh("x") for _ in types]
    inner = scope.inner().add(*(FutVariable(x, t) for x, t in zip(names, types, strict=True)))
    params = " ".join(f"({x}: {show(t)})" for x, t in zip(names, types, strict=True))
    typed = f": {show(result)} " if g.chance(0.5) else ""
    text = f"let {f} {params} {typed}= {g.exp(result, inner, depth)}"
    y, args = g.fresh("y"), " ".join(g.arg(t, scope, depth) for t in types)
    after = scope.add(FutVariable(f, function(*types, result)), FutVariable(y, result))
    return ((f, y), f"{text}\n  let {y} = {f} {args}"), after


def _polymorphic(g: FutGenerator, scope: FutScope, depth: int) -> tuple[Head | None, FutScope]:
    """Return ``let f [k] 'a (xs: [k]a) … = e``."""
    f, a, size = g.fresh("f"), g.fresh("a"), g.fresh("k")
    inner = evolve(scope.inner(), types=(*scope.types, a)).sized(size)
    types: list[Type] = [Param(a)]
    if sized := g.chance(0.5):
        types.append(Arr(SVar(size), Param(a) if g.chance(0.5) else g.scalar()))
    else:
        inner = evolve(inner, sizes=inner.sizes[:-1])
    if g.chance(0.4):
        types.append(g.type(inner, 1))
    result = g.type(inner, 1)
    if not is_closed(result) or not all(map(is_closed, types)):
        return None, scope
    names = [g.fresh("x") for _ in types]
    inner = inner.add(*(FutVariable(x, t) for x, t in zip(names, types, strict=True)))
    inner = inner.add(FutVariable(size, I64)) if sized else inner
    params = " ".join(f"({x}: {show(t)})" for x, t in zip(names, types, strict=True))
    typed = f": {show(result)} " if g.chance(0.5) else ""
    head = f"[{size}] '{a}" if sized else f"'{a}"
    text = f"let {f} {head} {params} {typed}= {g.exp(result, inner, depth)}"
    sizes = frozenset({size} if sized else ())
    own = Callable(f, tuple(map(Arg, types)), result, frozenset({a}), sizes, rough=g.rough)
    return ((f,), text), evolve(scope, local=(*scope.local, own))


def _two_at_once(g: FutGenerator, scope: FutScope, depth: int) -> tuple[Head | None, FutScope]:
    """Return ``let (x, y) = loop (a, b) = (d, e) for i < k do (f, g)``."""
    types = [g.type(scope, 1)]
    types.append(types[0] if g.chance(0.4) else g.type(scope, 1))
    if not all(map(is_closed, types)):
        return None, scope
    a, b, i = g.fresh("l"), g.fresh("l"), g.fresh("i")
    start = ", ".join(g.exp(t, scope, depth) for t in types)
    inner = scope.inner().add(
        FutVariable(a, types[0]), FutVariable(b, types[1]), FutVariable(i, I64)
    )
    swaps = types[0] == types[1] and g.chance(0.5)
    again = f"{b}, {a}" if swaps else ", ".join(g.exp(t, inner, depth) for t in types)
    typed = f": {show(Tup(tuple(types)))}" if any(map(holds_array, types)) else ""
    x, y = g.fresh("d"), g.fresh("d")
    text = (
        f"let ({x}, {y}) = loop ({a}, {b}){typed} = ({start}) "
        f"for {i} < {g.rng.randint(0, 3)}i64 do ({again})"
    )
    return ((x, y), text), scope.add(FutVariable(x, types[0]), FutVariable(y, types[1]))


def apply_local(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return a call of a local function or of a function parameter."""
    ways: list[tuple[FutVariable, list[Type]]] = []
    for k in scope.known:
        args: list[Type] = []
        t = k.type
        while isinstance(t, Fun):
            args.append(t.param)
            t = t.result
        if args and t == goal:
            ways.append((k, args))
    if not ways:
        return None
    k, args = g.pick(ways)
    if len(args) == 1 and g.chance(0.2):
        return f"{g.arg(args[0], scope, depth)} |> {k.name}"
    return " ".join([k.name, *(g.arg(t, scope, depth) for t in args)])


# ---------------------------------------------------------------------- if, match


def if_(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``if c then a else b``."""
    c = g.exp(BOOL, scope, depth)
    a, b = (g.exp(goal, scope.inner(), depth) for _ in range(2))
    return f"if {c}\n  then {a}\n  else {b}"


def match_(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``match e case p -> …`` on numbers, tuples or sums."""
    sums = [t for t in g.declared if isinstance(t, Sum)] + [
        k.type for k in scope.known if isinstance(k.type, Sum)
    ]
    if sums and g.chance(0.7):
        return _match_sum(g, g.pick(sums), goal, scope, depth)
    kinds: tuple[Type, ...] = (I32, I64, BOOL, Tup((I32, BOOL)), Tup((BOOL, BOOL)))
    t = g.pick(kinds)
    e = g.exp(t, scope, depth)
    found = dict.fromkeys(_constant(g, t) for _ in range(g.pick((1, 2, 2))))
    # Futhark 0.25 takes a later case for a constant if an earlier matching one contains `_`, so
    # that only one case may contain it.
    cases = sorted(found, key=lambda p: "_" in p)
    cases = [p for p in cases if "_" not in p or p == cases[-1]]
    arms = [f"case {p} -> {atom(g.exp(goal, scope.inner(), depth))}" for p in cases]
    x = g.fresh("x")
    last = "_" if g.chance(0.5) else x
    inner = scope.inner() if last == "_" else scope.inner().add(FutVariable(x, t))
    arms.append(f"case {last} -> {atom(g.exp(goal, inner, depth))}")
    return "\n  ".join([f"match {atom(e)}", *arms])


def _constant(g: FutGenerator, t: Type) -> str:
    match t:
        case Tup(elems):
            parts_ = [_constant(g, e) for e in elems]
            if g.chance(0.1):  # 0.25 often miscompiles these
                parts_[g.rng.randrange(len(parts_))] = "_"
            return f"({', '.join(parts_)})"
        case ScalarType() if t is BOOL:
            return g.pick(("true", "false"))
        case _:
            return g.pick(("0", "1", "2", "-1", "7"))


def _match_sum(g: FutGenerator, t: Sum, goal: Type, scope: FutScope, depth: int) -> str | None:
    arms: list[str] = []
    constructors = list(t.constructors)
    g.rng.shuffle(constructors)
    for i, (name, ts) in enumerate(constructors):
        inner = scope.inner()
        if i and i == len(constructors) - 1 and g.chance(0.3):
            arms.append(f"case _ -> {atom(g.exp(goal, inner, depth))}")
            break
        texts = []
        for t_ in ts:
            text, known = _payload(g, t_)
            texts.append(text)
            inner = inner.add(*known)
        arms.append(f"case {' '.join([f'#{name}', *texts])} -> {atom(g.exp(goal, inner, depth))}")
    return "\n  ".join([f"match {g.arg(t, scope, depth)}", *arms])


def _payload(g: FutGenerator, t: Type) -> tuple[str, list[FutVariable]]:
    """Return a pattern for a constructor's payload."""
    if g.chance(0.15):
        return "_", []
    if isinstance(t, Tup) and g.chance(0.4):
        names = [g.fresh("q") for _ in t.elems]
        return f"({', '.join(names)})", [
            FutVariable(x, s) for x, s in zip(names, t.elems, strict=True)
        ]
    if isinstance(t, Rec) and g.chance(0.4):
        names = [g.fresh("q") for _ in t.fields]
        items = ", ".join(f"{label} = {x}" for x, (label, _) in zip(names, t.fields, strict=True))
        return "{" + items + "}", [
            FutVariable(x, s) for x, (_, s) in zip(names, t.fields, strict=True)
        ]
    x = g.fresh("q")
    return x, [FutVariable(x, t)]


def construct(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``#c e …``."""
    assert isinstance(goal, Sum)
    name, ts = g.pick(goal.constructors)
    return g.ascribe(" ".join([f"#{name}", *(g.arg(t, scope, depth) for t in ts)]), goal)


# ---------------------------------------------------------------------- loop


def loop(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return a loop, of any form, with one result of the type."""
    if not is_closed(goal):
        return None
    acc = g.fresh("acc")
    start = g.exp(goal, scope, depth)
    inner = scope.inner()
    writes = isinstance(goal, Arr) and g.chance(0.5)
    if writes:
        start = f"copy {atom(start)}"
    known = FutVariable(acc, goal)
    form, extra = _loop_form(g, scope, depth)
    if form is None:
        i = g.fresh("i")
        inner = inner.add(known, FutVariable(i, I32))
        body = g.exp(goal, inner, depth)
        more = f" && {g.arg(BOOL, inner, depth)}" if g.chance(0.4) else ""
        typed = f": ({show(goal)}, i32)" if holds_array(goal) else ""
        return (
            f"(loop ({acc}, {i}){typed} = ({start}, 0i32) while {i} < {g.rng.randint(0, 4)}{more}"
            f"\n   do ({body}, {i} + 1)).0"
        )
    inner = inner.add(known, *extra)
    written = _write(g, known, inner, depth) if writes else None
    body = g.exp(goal, inner, depth) if written is None else written
    star = "*" if written is not None else ""
    typed = f"({acc}: {star}{show(goal)})" if holds_array(goal) or g.chance(0.2) else acc
    return f"loop {typed} = {start} for {form}\n   do {body}"


def _loop_form(
    g: FutGenerator, scope: FutScope, depth: int
) -> tuple[str | None, list[FutVariable]]:
    i = g.fresh("i")
    match g.rng.randrange(5):
        case 0:
            return f"{i} < {g.rng.randint(0, 4)}i32", [FutVariable(i, I32)]
        case 1 | 2 if scope.sizes:
            size = g.size(scope)
            return f"{i} < {atom(show_size(size))}{'i64' if isinstance(size, SInt) else ''}", [
                FutVariable(i, I64, below=size)
            ]
        case 3:
            elem = g.type(scope, 1)
            if not is_closed(elem):
                return None, []
            text, known = pattern(g, elem, bare=1.0)
            return f"{text} in {g.arg(Arr(ANY, elem), scope, depth)}", known
        case _:
            return None, []


def _write(g: FutGenerator, k: FutVariable, scope: FutScope, depth: int) -> str | None:
    """Return ``acc with [i] = e``."""
    i = index_for(g, k, scope, depth)
    if i is None:
        return None
    assert isinstance(k.type, Arr)
    e = g.exp(k.type.elem, scope, depth)
    if holds_array(k.type.elem):
        e = f"copy {atom(e)}"
    return f"{k.name} with [{i}] = {atom(e)}"


# ---------------------------------------------------------------------- assertions


def assert_(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``assert c e``; c holds unless traps are wanted."""
    if g.unsafe():
        return f"assert {g.arg(BOOL, scope, depth)} {g.arg(goal, scope, depth)}"
    n = g.arg(I64, scope, 0)
    return f"assert ({n} == {n}) {g.arg(goal, scope, depth)}"


def iterate(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``iterate_while`` or ``iterate_until``, with a counter that ends it."""
    if not is_closed(goal):
        return None
    x, i = g.fresh("x"), g.fresh("i")
    inner = scope.inner().add(FutVariable(x, goal), FutVariable(i, I32))
    pair = f"(({x}, {i}): ({show(goal)}, i32))"
    count = g.rng.randint(0, 4)
    name, op = g.pick((("iterate_while", "<"), ("iterate_until", ">=")))
    step = f"(\\{pair} -> ({g.exp(goal, inner, depth)}, {i} + 1))"
    start = f"({g.exp(goal, scope, depth)}, 0i32)"
    return f"({name} (\\{pair} -> {i} {op} {count}) {step} {start}).0"
