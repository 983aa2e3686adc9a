"""Which initial values may become neutral elements of Core's reductions: a table of proofs."""

import math

import pytest

from funmem.frontends.neutral import neutral
from funmem.frontends.nova.program import to_core
from funmem.ir import core as c
from funmem.ir.scalars import BOOL, F32, I8, I32, BinOp, eval_bin

SUM_MAX = "(lambda (p : P) (q : P) ((+ (p . 0) (q . 0)), (max (q . 1) (p . 1))))"
SUM_PRODUCT = "(lambda (p : P) (q : P) ((+ (p . 0) (q . 0)), (* (p . 1) (q . 1))))"
CROSSED = "(lambda (p : P) (q : P) ((+ (p . 0) (q . 1)), (* (p . 1) (q . 0))))"
REDUCTIONS = {
    # i: it is passed; exact: the operator's is, and i is folded once; flags: neither is known
    "(reduce + 0 X)": "i",
    "(reduce + 1 X)": "exact",
    "(reduce * 1 X)": "i",
    "(reduce min 2147483647 X)": "i",
    "(reduce max 0 X)": "exact",
    "(reduce & -1 X)": "i",
    "(reduce + n X)": "exact",
    "(reduce (lambda (a : int) (b : int) (+ b a)) 0 X)": "i",
    "(reduce (lambda (a : int) (b : int) (let (t b) in (+ a t))) 0 X)": "i",
    "(let (f (lambda (a : 'a) (b : 'a) (+ a b))) (zero (- 3 3)) in (reduce f zero X))": "i",
    "(let (g (+ 0)) in (reduce (lambda (a : int) (b : int) (+ (g a) b)) 0 X))": "i",
    "(reduce (lambda (a : int) (b : int) (if true then (* a b) else 7)) 1 X)": "i",
    # no operator of the table, or not proved
    "(reduce - 0 X)": "flags",
    "(reduce (lambda (a : int) (b : int) b) 0 X)": "flags",
    "(reduce (lambda (a : int) (b : int) (+ a (* 2 b))) 0 X)": "flags",
    "(reduce (lambda (a : int) (b : int) (+ a (+ b n))) 0 X)": "flags",
    "(reduce (lambda (a : int) (b : int) (% (+ a b) 7)) 0 X)": "flags",
    # tuples, component by component
    f"(reduce {SUM_MAX} (0, 0) Y)": "exact",
    f"(reduce {SUM_PRODUCT} (0, 1) Y)": "i",
    f"(reduce {CROSSED} (0, 1) Y)": "flags",
    "(reduce (lambda (p : P) (q : P) q) (0, 1) Y)": "flags",
    # floats
    "(reduce + 0.0 F)": "i",
    "(reduce min (/ 1.0 0.0) F)": "i",
    "(reduce min (neg (/ 1.0 0.0)) F)": "exact",
}
INPUTS = """((n : int) (X : vector int) (F : vector float))
(types (P : (int, int)))
(let (Y (map (lambda (x : int) (x, x)) X)) in """


def how(e: c.Exp) -> str:
    """How the last reduction of an expression gets i."""
    while isinstance(e, c.Let | c.Assert):
        e = e.body
    match e:
        case c.Reduce():
            return "i"
        case c.App(_, (_, c.Reduce())):
            return "exact"
        case c.If(c.Project(), c.App(), _):
            return "flags"
        case _:
            raise AssertionError(e)


@pytest.mark.parametrize("e", REDUCTIONS)
def test_how_the_initial_value_is_passed_on(e: str) -> None:
    (entry,) = to_core(f"{INPUTS}{e})", "t.nova").entries
    assert how(entry.exp) == REDUCTIONS[e]


@pytest.mark.parametrize("op", BinOp)
@pytest.mark.parametrize("t", [BOOL, I8, I32, F32])
def test_the_table_is_right(op: BinOp, t: c.ScalarType) -> None:
    """Exactly neutral, on both sides, also for -0 and NaN."""
    try:
        e = neutral(op, t)
    except TypeError:
        return
    if e is None:
        return
    values = [False, True] if t is BOOL else [-3, 0, 7, 100]
    values = [*map(float, values), -0.0, math.inf, -math.inf, math.nan] if t.is_float else values
    for x in values:
        try:
            both = eval_bin(op, t, e, x), eval_bin(op, t, x, e)
        except TypeError:  # the operator is not defined on the type
            return
        assert repr(both) == repr((x, x)), (op, t, x)


def test_proofs_end() -> None:
    """A chain of definitions, each of which uses the one before twice."""
    twice = (f"(f{k} (lambda (a : int) (+ (f{k - 1} a) (f{k - 1} a))))" for k in range(1, 40))
    chain = f"(f0 (lambda (a : int) a)) {' '.join(twice)}"
    operator = "(lambda (a : int) (b : int) (+ (f39 a) b))"
    text = f"((X : vector int))\n(let {chain} in (reduce {operator} 0 X))"
    (entry,) = to_core(text, "t.nova").entries
    assert how(entry.exp) == "flags"
