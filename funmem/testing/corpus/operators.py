"""Test that operators are associative and their neutral elements neutral, as passes assume.

Hand-written programs may violate this.  If a test shows it, ``schedule``, which changes the order
of operations, may change the program's meaning.  An operator on floats counts as associative if it
is a single Bin that is associative on the reals.  Other operators on floats, and operators on
arrays or with free names, count as not associative.  So do those with a computed neutral element,
which may be neutral on some inputs only.
"""

import random
from collections.abc import Iterator, Sequence
from math import inf

from funmem.interp.counted import TooMuch
from funmem.interp.metered import Measured
from funmem.ir.diagnostics import Trap
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Bin,
    Binder,
    Body,
    Call,
    Const,
    Entry,
    Hist,
    Kernel,
    Lambda,
    MemProgram,
    Param,
    Program,
    Reduce,
    Scan,
    Stm,
    Type,
    Var,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import BinOp, ScalarType, Value, normalise
from funmem.ir.substitute import rename, subst_body
from funmem.ir.traverse import bound_names, free_in_body, map_body, walk

ROUNDS = 40
"""Number of triples on which an operator is tested."""

_NEUTRAL = {BinOp.ADD: 0.0, BinOp.MUL: 1.0, BinOp.MIN: inf, BinOp.MAX: -inf}
"""Operators that are associative on the reals, and their neutral elements."""


def operators_of(p: MemProgram) -> Iterator[tuple[Lambda[Ann], tuple[Atom, ...]]]:
    """Yield the operators of collectives, with their neutral elements."""
    for e in p.entries:
        for s in walk(e.body):
            match s.exp:
                case Kernel(_, Reduce(op, ne) | Scan(op, ne) | Hist(_, op, ne)):
                    yield op, ne
                case _:
                    pass


def adds_floats(p: MemProgram) -> bool:
    """True if floats are combined in an order that passes may change."""
    return any(_elem(b.type).is_float for op, _ in operators_of(p) for b in op.params)


def _elem(t: Type) -> ScalarType:
    assert isinstance(t, ScalarType | ArrayType)
    return t.elem if isinstance(t, ArrayType) else t


def associative(p: MemProgram) -> bool:
    """True if all operators are associative, as far as tests can tell."""
    return all(_associative(op, ne) for op, ne in operators_of(p))


def _associative(op: Lambda[Ann], ne: Sequence[Atom]) -> bool:
    types = [b.type for b in op.params[: len(ne)]]
    if free_in_body(op.body) - {b.name for b in op.params} - _local(op):
        return False
    if any(isinstance(s.exp, Call) for s in walk(op.body)):
        return False  # the functions are not at hand
    if not all(isinstance(t, ScalarType) for t in types):
        return False
    if not all(isinstance(a, Const) for a in ne):
        return False
    if any(_elem(t).is_float for t in types):
        return _plain(op, ne)
    return _holds(op, [t for t in types if isinstance(t, ScalarType)], ne)


def _local(op: Lambda[Ann]) -> frozenset[Name]:
    return frozenset(bound_names(op.body))


def _plain(op: Lambda[Ann], ne: Sequence[Atom]) -> bool:
    """True if each component is one operator of Bin with its neutral element."""
    k = len(op.params) // 2
    pairs = [{op.params[j].name, op.params[k + j].name} for j in range(k)]
    made = {s.pat[0].name: s.exp for s in op.body.stms if len(s.pat) == 1}
    for a, pair, neutral in zip(op.body.result, pairs, ne, strict=True):
        e = made.get(a.name) if isinstance(a, Var) else None
        match e:
            case Bin(bin_op, Var(x), Var(y)) if bin_op in _NEUTRAL and {x, y} == pair:
                if not isinstance(neutral, Const) or neutral.value != _NEUTRAL[bin_op]:
                    return False
            case _:
                return False
    return True


def _holds(op: Lambda[Ann], types: Sequence[ScalarType], ne: Sequence[Atom]) -> bool:
    """Test (a b) c = a (b c) and ne a = a = a ne for random a, b, c; ``ne`` are constants."""
    law = Measured(_law(op, types), Name("law"))
    rng = random.Random(0)
    neutral = [a.value for a in ne if isinstance(a, Const)]
    for k in range(ROUNDS):
        a, b, c = ([_some(t, rng) for t in types] for _ in range(3))
        a, b = (neutral, b) if k % 4 == 0 else (a, neutral) if k % 4 == 2 else (a, b)
        try:
            found, _ = law.run((*a, *b, *c))
        except TooMuch:
            return False
        if isinstance(found, Trap):
            return False
        n = len(types)
        left, right, both = found[:n], found[n : 2 * n], found[2 * n :]
        if left != right or (a is neutral and list(both) != list(b)):
            return False
        if b is neutral and list(both) != list(a):
            return False
    return True


def _some(t: ScalarType, rng: random.Random) -> Value:
    if t is ScalarType.BOOL:
        return rng.random() < 0.5
    k = rng.choice((rng.randint(-5, 9), rng.randint(-5, 9), t.min, t.max, t.max // 3))
    return normalise(k, t)


def _law(op: Lambda[Ann], types: Sequence[ScalarType]) -> MemProgram:
    """Return ``law a b c = ((a b) c, a (b c), a b)``."""
    fresh = Fresh((*bound_names(op.body), *(b.name for b in op.params)))
    names = [[fresh("a") for _ in types] for _ in range(3)]
    stms: list[Stm[Ann]] = []

    def apply(x: Sequence[Atom], y: Sequence[Atom]) -> list[Atom]:
        m = rename({n: fresh(n) for n in bound_names(op.body)})
        again = map_body(op.body, m)
        given = dict(zip((b.name for b in op.params), (*x, *y), strict=True))
        inlined: Body[Ann] = subst_body(again, given)
        stms.extend(inlined.stms)
        return list(inlined.result)

    a, b, c = ([Var(x) for x in xs] for xs in names)
    ab, bc = apply(a, b), apply(b, c)
    results = (*apply(ab, c), *apply(a, bc), *ab)
    params = tuple(
        Param[Ann](Binder(x, t, None)) for xs in names for x, t in zip(xs, types, strict=True)
    )
    out = tuple(Binder[Ann](fresh("r"), t, None) for t in (*types, *types, *types))
    return Program((Entry(Name("law"), (), params, (), out, Body(tuple(stms), results)),))
