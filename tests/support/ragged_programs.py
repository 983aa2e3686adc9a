"""Generated NOVA programs on rows of different lengths, and Core's interpreter as their judge."""

from random import Random

import numpy as np

from funmem.driver.source import Source
from funmem.interp.core.evaluate import CoreEvaluator
from funmem.interp.core.values import Env, Num, Rec, Rows, Val, i64
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import Trap
from funmem.ir.foreign_calls import NO_FUNCTIONS
from funmem.ir.scalars import I32
from funmem.ir.signature import signature
from funmem.ir.values import ArgValue, ArrayValue
from funmem.passes.pipeline import to_fun

Nested = int | list["Nested"]

ROWS = (
    "(map (map (+ 3)) {})",
    "(map (map (* 2)) {})",
    "(map (filter (< 0)) {})",
    "(map (filter (lambda (x : int) (= (% x 2) 0))) {})",
    "(map (scan + 0) {})",
    "(map (iscan max -9) {})",
    "(map (lambda (r : vector int) (map (+ (length r)) r)) {})",
    "(map (lambda (r : vector int) (let (s (reduce + 0 r)) in"
    " (map (lambda (x : int) (- x s)) r))) {})",
    "(map (lambda (r : vector int) (range (length r))) {})",
    "(map (lambda (r : vector int) (slice 0 1 (length r) r)) {})",
    "(map (lambda (r : vector int) (if (> (length r) 1) then r else (range 2))) {})",
    "(filter (lambda (r : vector int) (> (length r) 0)) {})",
    "(gather (range (length {0})) {0})",
    "(unflatten (segments {0}) (flatten {0}))",
    "(map (lambda (a : vector int) (b : vector int) (map + a b)) {0} {0})",
)
"""Rows from rows."""
ENDS = (
    "(map (reduce + 0) {})",
    "(map (reduce max -9) {})",
    "(map length {})",
    "(map (reduce (lambda (a : int) (b : int) (+ a b)) 7) {})",
    "(map (fold (lambda (a : int) (x : int) (- (* a 3) x)) 1) {})",
    "(map (lambda (r : vector int) (if (> (length r) 0) then (r ! 0) else -1)) {})",
    "(map (lambda (r : vector int) (reduce + 0"
    " (map (lambda (x : int) (* x x)) (filter (< 1) r)))) {})",
    "(flatten {})",
    "(length {})",
)
"""Vectors and numbers from rows."""


def program(rng: Random) -> str:
    """Return a program with one ragged input and several results."""
    lines, names = [], ["X"]
    for k in range(rng.randint(1, 3)):
        lines.append(f"(Y{k} {rng.choice(ROWS).format(rng.choice(names))})")
        names.append(f"Y{k}")
    results = [names[-1], *(rng.choice(ENDS).format(rng.choice(names)) for _ in range(2))]
    return f"((X : vector vector int)) (let {' '.join(lines)} in ({', '.join(results)}))"


def rows(rng: Random) -> list[list[int]]:
    """Return rows, often without elements, at both ends, too."""
    lengths = [rng.choice((0, 0, 1, 2, 3, 5)) for _ in range(rng.choice((0, 1, 2, 4, 6)))]
    return [[rng.randint(-5, 9) for _ in range(n)] for n in lengths]


def core(text: str) -> CoreProgram:
    """Return a program as Core."""
    tree = Source.of("generated", text, "nova").tree()
    assert isinstance(tree, CoreProgram)
    return tree


def by_core(p: CoreProgram, xs: list[list[int]]) -> list[Nested] | None:
    """Return the results of Core's interpreter; None if it traps."""
    (e,) = p.entries
    (q,) = e.params
    row = q.binder.type.elem  # type: ignore[union-attr]
    cells = tuple(Rows(tuple(Num(x, I32) for x in r), I32) for r in xs)
    env = Env({q.binder.name: Rows(cells, row), **{n: i64(len(xs)) for n in e.sizes}}, {})
    evaluator = CoreEvaluator(p, NO_FUNCTIONS)
    try:
        evaluator.start(e.exp, env.values)
        found = evaluator.eval(e.exp, env)
    except Trap:
        return None
    assert isinstance(found, Rec)
    return [_plain(v) for _, v in found.fields]


def _plain(v: Val) -> Nested:
    if isinstance(v, Rows):
        return [_plain(x) for x in v.elems]
    assert isinstance(v, Num)
    return int(v.v)


def by_fun(p: CoreProgram, xs: list[list[int]]) -> list[Nested] | None:
    """Return the results of FUN's interpreter, nested; None if it traps."""
    from funmem.interp.value import run
    from funmem.ir.ragged_values import nested

    fun = to_fun(p)
    (e,) = fun.entries
    given: list[ArgValue] = [[np.array(r, np.int32) for r in xs]]
    try:
        found = run(fun, "main", given)
    except Trap:
        return None
    pairs = zip(found, signature(e).results, strict=True)
    return [
        [x.tolist() for x in v]
        if isinstance(v, list)
        else v.data.tolist()
        if isinstance(v, ArrayValue)
        else int(v)
        for v, _ in nested(list(pairs))
    ]
