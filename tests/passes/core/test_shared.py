"""Random Core programs over a few arrays, all of which are used again after they were updated.

Core has values, so that is no fault there; to-fun makes copies, and what it makes is well typed.
"""

from random import Random

import numpy as np
import pytest

from funmem.ir import core as c
from funmem.ir.check import check
from funmem.ir.core import CoreProgram, Exp
from tests.support.core_judge import Call, judge, stages
from tests.support.core_programs import (
    I64,
    add,
    arr,
    at,
    b,
    dims,
    fmap,
    k,
    loop_for,
    op,
    plus,
    program,
    span,
    tup,
    v,
)
from tests.support.sampling import sampled

FOUR = arr(I64, 4)

CALL = Call("main", (np.arange(4), np.arange(4)[::-1] + 1))


class Writer:
    """Writes a program, as the seed wants it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names = 0

    def program(self) -> CoreProgram:
        """Two arrays to two arrays."""
        body = self.block(["a", "b"], 3, 2)
        params = [("a", FOUR), ("b", FOUR)]
        return program(params, body, unique="a", result=c.tuple_type(FOUR, FOUR))

    def block(self, known: list[str], depth: int, results: int) -> Exp:
        """Some steps, and of the arrays known by then as many as there shall be results."""
        known, chain = list(known), []
        for _ in range(self.random.randint(1, 4)):
            chain.append(self.step(known, depth))
            known += chain[-1][0]
        picked = [v(self.random.choice(known[-4:])) for _ in range(results)]
        e = picked[0] if results == 1 else tup(*picked)
        for new, rhs in reversed(chain):
            e = c.Let(tuple(b(x, FOUR) for x in new), rhs, e)
        return e

    def step(self, known: list[str], depth: int) -> tuple[list[str], Exp]:
        """New arrays, and what they are."""
        r = self.random
        x, y = r.choice(known), r.choice(known)
        forms = ["element", "part", "scatter", "map"]
        deep = ["if", "two ifs", "loop", "name"] if depth else []
        match r.choice([*forms, *deep, *deep]):
            case "element":
                e = add(at(v(y), r.randrange(4)), k(1))
                return [self.name()], c.Update(v(x), dims(r.randrange(4)), e)
            case "part":
                return [self.name()], c.Update(v(x), dims(span(1, 4)), at(v(y), span(0, 3)))
            case "scatter":
                return [self.name()], c.Scatter(v(x), at(v(y), span(0, 1)), at(v(y), span(3, 4)))
            case "map":
                return [self.name()], fmap(plus(I64), v(x), v(y))
            case "name":
                return [self.name()], v(x)
            case "if":
                orelse = v(r.choice(known))
                return [self.name()], c.If(self.cond(y), self.block(known, depth - 1, 1), orelse)
            case "two ifs":
                then, orelse = (self.block(known, depth - 1, 2) for _ in "ab")
                return [self.name(), self.name()], c.If(self.cond(y), then, orelse)
            case _:
                params = [(self.name(), FOUR, v(z)) for z in (x, y)]
                body = self.block([*known, *(p for p, _, _ in params)], depth - 1, 2)
                return [self.name(), self.name()], loop_for(params, self.name(), k(3), body)

    def cond(self, x: str) -> Exp:
        return op("<", at(v(x), self.random.randrange(4)), k(self.random.randint(0, 6)))

    def name(self) -> str:
        self.names += 1
        return f"x{self.names}"


@pytest.mark.parametrize("block", sampled(range(16), 0, slow=16))
def test_arrays_are_values(block: int) -> None:
    for seed in range(block, 80, 16):
        s = stages(Writer(seed).program())
        assert s.fun is not None, seed
        check(s.fun)
        assert not list(judge(s, [CALL])), seed
