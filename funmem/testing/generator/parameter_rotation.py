"""Loops that rotate arrays among their parameters, sometimes conditionally.

    loop (a, b, c) = (x, y, x) for j < k do
      let z = … a …                              zero to two new arrays
      let d = if j % 2 == 0 then z else b
      in (z, a, d)                               alternating, shifted, or any of them

The arrays may be reversed views, come from outside the loop, or be the results of an inner loop
that rotates arrays itself.
"""

from funmem.ir.fun import (
    ArrayType,
    Bin,
    Binder,
    Body,
    Const,
    For,
    If,
    Loop,
    LoopParam,
    Stm,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, BinOp
from funmem.testing.generator.elements import of_elements, some_array
from funmem.testing.generator.program import I64, MAX_DEPTH, Generator, Out
from funmem.testing.generator.scope import Range, Scope, Variable
from funmem.testing.generator.views import view


def handed(g: Generator, scope: Scope, out: Out) -> bool:
    """Add one such loop."""
    first = some_array(g, scope)
    return first is not None and _loop(g, scope, out, first) is not None


def _loop(g: Generator, scope: Scope, out: Out, first: Variable) -> list[Variable] | None:
    """Add a loop over arrays of one type; return its results."""
    assert isinstance(first.type, ArrayType)
    alike = scope.arrays(lambda k: k.type == first.type and k.defined)
    inits = [first, *(g.rng.choice(alike) for _ in range(g.rng.choice((0, 1, 1, 2, 3))))]
    bound, index = g.size(scope, 4), g.fresh("j")
    inside = scope.inner()
    inside.add(Variable(index, I64, Range(0, scope.range_of(bound).hi - 1), bound=bound))
    names = [g.fresh("w") for _ in inits]
    params = [inside.add(Variable(name, first.type, roots=frozenset({name}))) for name in names]
    body: Out = []
    new = [of_elements(g, inside, body, g.rng.choice(params)) for _ in range(_few(g))]
    g.statements(inside, body, g.rng.choice((0, 0, 1)))
    if inside.depth < MAX_DEPTH and g.rng.random() < 0.2:
        new += _loop(g, inside, body, g.rng.choice(params)) or []
    if not all(map(inside.live, new)):
        return None
    results = _results(g, inside, body, (params, new, alike), Var(index))
    pat = tuple(Binder[None](g.fresh("z"), first.type, None) for _ in results)
    roots = frozenset[Name]().union(*(x.roots for x in (*inits, *results))) & scope.bound
    roots |= {b.name for b in pat}
    g.counts["Loop"] += 1
    loop_params = tuple(
        LoopParam(Binder(n, first.type, None), Var(x.name), False)
        for n, x in zip(names, inits, strict=True)
    )
    values = tuple(Var(r.name) for r in results)
    out.append(Stm(pat, Loop(loop_params, For(index, bound), Body(tuple(body), values))))
    return [scope.add(Variable(b.name, first.type, roots=roots)) for b in pat]


def _few(g: Generator) -> int:
    return g.rng.choice((0, 1, 1, 1, 2))


def _results(
    g: Generator,
    scope: Scope,
    out: Out,
    from_: tuple[list[Variable], list[Variable], list[Variable]],
    index: Var,
) -> list[Variable]:
    """Return the next values of the parameters."""
    params, new, outside = from_
    count, rng = len(params), g.rng
    turns = [*new, *params]
    match rng.randrange(4):
        case 0:  # each one becomes the next one
            results = turns[:count]
        case 1:  # in the other direction: the first one is dropped
            results = [*params, *new][-count:]
        case 2:
            results = rng.sample(turns, count)
        case _:
            results = [rng.choice(turns) for _ in params]
    for k, r in enumerate(results):
        choice = rng.random()
        if choice < 0.2:
            results[k] = _chosen(g, scope, out, r, rng.choice(turns), index)
        elif choice < 0.3:
            results[k] = view(g, scope, out, r)
        elif choice < 0.35 and scope.live(x := rng.choice(outside)):
            results[k] = x
    return [
        r if r.type == p.type and scope.live(r) else p for r, p in zip(results, params, strict=True)
    ]


def _chosen(g: Generator, scope: Scope, out: Out, x: Variable, y: Variable, index: Var) -> Variable:
    """Return ``if … then x else y``, often alternating."""
    assert isinstance(x.type, ArrayType)
    cond = g.operand(scope, BOOL)
    if g.rng.random() < 0.7:
        turn = g.scalar(scope, out, I64, Bin(BinOp.MOD, index, Const(g.rng.choice((2, 3)), I64)))
        cond = Var(g.scalar(scope, out, BOOL, Bin(BinOp.EQ, Var(turn.name), Const(0, I64))).name)
    name = g.fresh("y")
    g.counts["If"] += 1
    then, orelse = Body[None]((), (Var(x.name),)), Body[None]((), (Var(y.name),))
    out.append(Stm((Binder(name, x.type, None),), If(cond, then, orelse)))
    roots = x.roots | y.roots | {name}
    return scope.add(Variable(name, x.type, roots=roots))
