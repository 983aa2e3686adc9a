"""Generated NOVA programs on rows of different lengths, and Core's interpreter as their judge."""

from collections.abc import Sequence
from random import Random

import numpy as np

from funmem.driver.source import Source
from funmem.interp.core.evaluate import CoreEvaluator
from funmem.interp.core.values import Env, Num, Rec, Rows, Val, i64
from funmem.interp.value import run
from funmem.ir.core import Array, CoreProgram, Type
from funmem.ir.diagnostics import Trap
from funmem.ir.foreign_calls import NO_FUNCTIONS
from funmem.ir.ragged_values import nested
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
OUTER = "(map (lambda (R : vector vector int) {}) X)"
DEEP = (
    "(map (map (reduce + 0)) X)",
    "(map (map (map (+ 1))) X)",
    "(map (map (filter (< 2))) X)",
    "(map (map length) X)",
    "(map flatten X)",
    "(flatten (flatten X))",
    "(map (filter (lambda (r : vector int) (> (length r) 0))) X)",
    OUTER.format("(map (lambda (r : vector int) (map (+ (length R)) r)) R)"),
    OUTER.format("(reduce + 0 (map (reduce + 0) R))"),
    OUTER.format("(map (lambda (r : vector int) (reduce + (length R) r)) R)"),
    OUTER.format("(if (> (length R) 0) then (R ! 0) else (range 2))"),
    "(filter (lambda (R : vector vector int) (> (length R) 1)) X)",
    "((X ! 0) ! 2)",
    "(slice 0 1 (min 2 (length X)) X)",
    "(map segments X)",
    OUTER.format("(slice 0 1 (length R) R)"),
    "(map (map (lambda (r : vector int) (map (lambda (q : int) (range q)) r))) X)",
    "(map (map (lambda (r : vector int) (flatten (map (lambda (q : int) (range q)) r)))) X)",
    "(iscan (lambda (a : vector vector int) (b : vector vector int)"
    " (if (> (length a) (length b)) then a else b)) (unflatten (range 1) (range 0)) X)",
)
"""What three levels become."""
SHORTER = """(let (g (mu (f : int -> vector vector int -> vector vector int)
  (lambda (n : int) (lambda (Y : vector vector int) (if (< n 1) then Y else (f (- n 1)
    (map (lambda (r : vector int) (slice (min 1 (length r)) 1 (length r) r)) Y))))))) in (g 2 X))"""
LONGER = "(lambda (a : vector int) (b : vector int) (if (> (length a) (length b)) then a else b))"
HARD = (
    f"(reduce {LONGER} (range 0) X)",
    f"(fold {LONGER} (range 2) X)",
    "(reduce (map +) (range 3) (filter (lambda (r : vector int) (= (length r) 3)) X))",
    "(reduce (map +) (range 3) X)",
    f"(iscan {LONGER} (range 0) X)",
    "(if (> (length X) 3) then (let (Y (map (filter (< 0)) X)) in (map (map (+ 1)) Y)) else X)",
    "(let (g (lambda (Y : vector vector int) (map (filter (< 0)) Y))) in (g (g X)))",
    "(let (g (lambda (n : int) (map (lambda (q : int) (range q)) (range n))))"
    " in (map (reduce + 0) (g (length X))))",
    SHORTER,
    "(map (lambda (r : vector int) (map (lambda (q : int) (range q)) (filter (< -1) r))) X)",
    "(map (lambda (r : vector int) (reduce + 0 (map (lambda (x : int)"
    " (reduce + 0 (map (* x) r))) r))) X)",
    "(map (fold (lambda (a : vector int) (x : int) (map (+ x) a)) (range 2)) X)",
    "(map (lambda (r : vector int) (permute (range (length r)) r)) X)",
    "(map (lambda (r : vector int) (map (lambda (q : vector int) (length q)) X)) X)",
    "(map (lambda (n : int) (length (flatten (map (lambda (q : int) (range q)) (range n)))))"
    " (range (length X)))",
    "(iscan (map +) (range 3) (filter (lambda (r : vector int) (= (length r) 3)) X))",
    f"(scan {LONGER} (range 2) X)",
)
"""What a rule of its own does not describe."""


LONG = (24, 31, 32, 33, 40, 48, 64)
"""Lengths of rows that have vectors of accumulators."""


def program(rng: Random) -> str:
    """Return a program with one ragged input and several results."""
    lines, names = [], ["X"]
    for k in range(rng.randint(1, 3)):
        lines.append(f"(Y{k} {rng.choice(ROWS).format(rng.choice(names))})")
        names.append(f"Y{k}")
    results = [names[-1], *(rng.choice(ENDS).format(rng.choice(names)) for _ in range(2))]
    return f"((X : vector vector int)) (let {' '.join(lines)} in ({', '.join(results)}))"


def any_program(rng: Random) -> tuple[str, list[Nested]]:
    """Return a program of any kind on rows, or on rows of rows, and an input."""
    kind = rng.randrange(10)
    if kind < 5:
        return program(rng), [*rows(rng)]
    if kind < 8:
        whole = rng.choice(HARD)
        if rng.random() < 0.7:
            whole = f"(let (X {rng.choice(ROWS).format('X')}) in {whole})"
        end = rng.choice(ENDS).format("X")
        return f"((X : vector vector int)) ({whole}, {end})", [*rows(rng)]
    whole = rng.choice(DEEP)
    if rng.random() < 0.7:
        some = rng.choice(ROWS).format("R")
        whole = f"(let (X (map (lambda (R : vector vector int) {some}) X)) in {whole})"
    given: list[Nested] = [[*rows(rng)] for _ in range(rng.choice((0, 1, 2, 4)))]
    return f"((X : vector vector vector int)) ({whole}, (length X))", given


def rows(rng: Random) -> list[list[int]]:
    """Return rows, often without elements, at both ends, too; some are folded in several
    accumulators, whose numbers divide their lengths or do not.
    """
    some = (0, 0, 1, 2, 3, 5, *rng.choice(((), (), LONG)))
    lengths = [rng.choice(some) for _ in range(rng.choice((0, 1, 2, 4, 6)))]
    return [[rng.randint(-5, 9) for _ in range(n)] for n in lengths]


def core(text: str) -> CoreProgram:
    """Return a program as Core."""
    tree = Source.of("generated", text, "nova").tree()
    assert isinstance(tree, CoreProgram)
    return tree


def by_core(p: CoreProgram, xs: Sequence[Nested]) -> list[Nested] | None:
    """Return the results of Core's interpreter; None if it traps."""
    (e,) = p.entries
    (q,) = e.params
    env = Env({q.binder.name: _val(xs, q.binder.type), **{n: i64(len(xs)) for n in e.sizes}}, {})
    evaluator = CoreEvaluator(p, NO_FUNCTIONS)
    try:
        evaluator.start(e.exp, env.values)
        found = evaluator.eval(e.exp, env)
    except Trap:
        return None
    assert isinstance(found, Rec)
    return [_plain(v) for _, v in found.fields]


def _val(x: Nested | Sequence[Nested], t: Type) -> Val:
    if isinstance(x, int):
        return Num(x, I32)
    assert isinstance(t, Array)
    return Rows(tuple(_val(y, t.elem) for y in x), t.elem)


def _plain(v: Val) -> Nested:
    if isinstance(v, Rows):
        return [_plain(x) for x in v.elems]
    assert isinstance(v, Num)
    return int(v.v)


def by_fun(p: CoreProgram, xs: Sequence[Nested]) -> list[Nested] | None:
    """Return the results of FUN's interpreter, nested; None if it traps."""
    fun = to_fun(p)
    (e,) = fun.entries
    try:
        found = run(fun, "main", [given_rows(xs)])
    except Trap:
        return None
    pairs = zip(found, signature(e).results, strict=True)
    return [shown(v) for v, _ in nested(list(pairs))]


def given_rows(xs: Sequence[Nested]) -> list[ArgValue]:
    """Return rows as an argument: the innermost ones as arrays."""
    rows = [x for x in xs if isinstance(x, list)]
    return [
        given_rows(x) if any(isinstance(y, list) for y in x) else np.array(x, np.int32)
        for x in rows
    ]


def shown(v: object) -> Nested:
    """Return a result as lists of numbers."""
    if isinstance(v, list):
        return [shown(x) for x in v]
    if isinstance(v, np.ndarray):
        return list(v.tolist())
    if isinstance(v, ArrayValue):
        return list(v.data.tolist())
    return list(np.asarray(v).tolist()) if hasattr(v, "shape") else int(v)  # type: ignore[call-overload]
