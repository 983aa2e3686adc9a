"""Generated Core programs whose functions are chosen at run time.

    python -m tests.support.closure_programs [-n 500] [--first 0]

Functions come out of ``if``, ``match``, loops, arrays, records, sums, data types, recursion and
calls; they capture scalars, arrays and other functions, and take and give functions.  Core's
interpreter judges each pass, and FUN's interpreter of values the result.  Numbers stay small, so
no program traps unless an index is out of bounds.
"""

import random
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Sequence

from attrs import frozen

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.text import parse_core
from funmem.passes.core.defunctionalise.state import arity
from tests.support.core_judge import Call, judge, stages

NUMBERS = c.Array(I64)
UNARY = c.Arrow(I64, I64)
BINARY = c.arrow([I64, I64], I64)
HIGHER = c.arrow([UNARY, I64], I64)
MAKER = c.arrow([I64], UNARY)
BOX = c.Sum((("one", (UNARY,)), ("two", (UNARY, I64)), ("none", ())))
PAIR = c.tuple_type(UNARY, I64)
NAMED = c.Data(Name("held"))
DATA = c.DataDef(Name("held"), (), c.Sum((("keep", (UNARY,)), ("both", (BINARY, UNARY)))))
FUNCTIONS: tuple[Type, ...] = (UNARY, BINARY, HIGHER)
HOLDERS: tuple[Type, ...] = (c.Array(UNARY), c.Array(BINARY), BOX, PAIR, NAMED)

Scope = Sequence[tuple[str, Type]]


class Generator:
    """Makes expressions of a type from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._count = 0

    def name(self, base: str) -> str:
        """Return a name, which may hide another one."""
        if self._random.random() < 0.15:
            return self._random.choice(["x", "y", "f", "g"])
        self._count += 1
        return f"{base}{self._count}"

    def names(self, base: str, n: int) -> list[str]:
        """Return n different names."""
        found = [self.name(base) for _ in range(n)]
        return found if len(set(found)) == n else [f"{base}_{k}" for k in range(n)]

    def pick(self, choices: Sequence[Callable[[], Exp]]) -> Exp:
        """Return what one of the choices makes."""
        return self._random.choice(choices)()

    def exp(self, t: Type, scope: Scope, depth: int) -> Exp:
        """Return an expression of the type."""
        seen = dict(scope)  # the last one wins, as in the program
        there = [x for x, u in seen.items() if u == t]
        if depth <= 0 or (there and self._random.random() < 0.25):
            return c.Var(Name(self._random.choice(there))) if there else self.leaf(t, scope)
        if self._random.random() < 0.3:
            return self.let(t, scope, depth)
        own = self.made(t, scope, depth - 1)
        if isinstance(t, c.Arrow) or t in HOLDERS:
            own += [lambda: self.branch(t, scope, depth - 1)] * 2
            own += [lambda: self.loop(t, scope, depth - 1)]
        return self.pick(own)

    def leaf(self, t: Type, scope: Scope) -> Exp:
        """Return a small expression."""
        if t is I64:
            return c.Const(self._random.randrange(-3, 4), I64)
        if t is BOOL:
            return self.test(scope, 0)
        return self.pick(self.made(t, scope, 0))

    def let(self, t: Type, scope: Scope, depth: int) -> Exp:
        """Return ``let x = … in …``."""
        u = self._random.choice((I64, *FUNCTIONS, *HOLDERS))
        x = self.name("v")
        exp = self.exp(u, scope, depth - 1)
        return c.Let((c.Binder(Name(x), u),), exp, self.exp(t, [*scope, (x, u)], depth - 1))

    def branch(self, t: Type, scope: Scope, depth: int) -> Exp:
        """Return ``if`` or ``match``."""
        if self._random.random() < 0.7:
            then, orelse = self.exp(t, scope, depth), self.exp(t, scope, depth)
            return c.If(self.test(scope, depth), then, orelse)
        return self.match(t, scope, depth)

    def match(self, t: Type, scope: Scope, depth: int) -> Exp:
        """Return a ``match`` of a sum or a data type."""
        u, payloads = self._random.choice(((BOX, BOX), (NAMED, DATA.type)))
        exp, arms = self.exp(u, scope, depth), []
        for x, types in payloads.constructors:
            bs = list(zip(self.names("p", len(types)), types, strict=True))
            body = self.exp(t, [*scope, *bs], depth)
            arms.append(c.Arm(x, tuple(c.Binder(Name(n), v) for n, v in bs), body))
        return c.Match(exp, tuple(arms))

    def loop(self, t: Type, scope: Scope, depth: int) -> Exp:
        """Return a loop that may keep or replace a value, without wrapping it."""
        self._count += 1
        x, i = self.name("a"), f"i{self._count}"
        init = self.exp(t, scope, depth)
        inner = [*((n, u) for n, u in scope if u != t), (i, I64)]
        new = self.exp(t, inner, depth)
        old = c.Var(Name(x))
        body = c.If(self.test(inner, depth), old, new)
        n = c.Const(self._random.randrange(0, 4), I64)
        return c.Loop((c.Binder(Name(x), t),), (init,), c.For(Name(i), n), body)

    def test(self, scope: Scope, depth: int) -> Exp:
        """Return a condition."""
        a = self.exp(I64, scope, min(depth, 1))
        two = c.Const(self._random.choice((2, 3)), I64)
        return c.Bin(BinOp.EQ, c.Bin(BinOp.REM, a, two), c.Const(0, I64))

    def fn(self, params: Sequence[Type], result: Type, scope: Scope, depth: int) -> c.Lambda:
        """Return a lambda."""
        names = self.names("x", len(params))
        bs = tuple(c.Binder(Name(x), u) for x, u in zip(names, params, strict=True))
        inner = [*scope, *zip(names, params, strict=True)]
        return c.Lambda(bs, self.exp(result, inner, depth))

    def made(self, t: Type, scope: Scope, depth: int) -> list[Callable[[], Exp]]:
        """Return the ways to make a value of the type."""

        def exp(u: Type) -> Exp:
            return self.exp(u, scope, depth)

        match t:
            case c.Arrow(param, result):
                params, end = arity(t)
                out = [lambda: self.fn(params, end, scope, depth)] * 4
                if len(params) > 1:
                    out.append(lambda: self.fn([param], result, scope, depth))
                if depth > 0 and t == UNARY:
                    out += [
                        lambda: c.App(exp(BINARY), (exp(I64),)),
                        lambda: c.App(exp(HIGHER), (exp(UNARY),)),
                        lambda: c.App(c.Global(Name("maker")), (exp(I64),)),
                        lambda: c.App(c.Global(Name("twice")), (exp(UNARY),)),
                        lambda: c.Project(exp(PAIR), "0"),
                        lambda: self.element(c.Array(UNARY), scope, depth),
                        lambda: c.App(c.Global(Name("picked")), (exp(I64),)),
                    ]
                if depth > 0 and t == BINARY:
                    out += [
                        lambda: self.element(c.Array(BINARY), scope, depth),
                        lambda: c.Global(Name("plus")),
                    ]
                return out
            case c.Array(elem):
                size = self._random.randrange(1, 4)
                return [
                    lambda: c.ArrayLit(tuple(exp(elem) for _ in range(size)), elem),
                    lambda: c.Map(self.fn([I64], elem, scope, depth), (c.Var(Name("ns")),)),
                    lambda: c.Replicate(c.Const(size, I64), exp(elem)),
                ]
            case c.Sum():
                return [
                    lambda: c.Construct("one", (exp(UNARY),), t),
                    lambda: c.Construct("two", (exp(UNARY), exp(I64)), t),
                    lambda: c.Construct("none", (), t),
                ]
            case c.Data():
                return [
                    lambda: c.Construct("keep", (exp(UNARY),), t),
                    lambda: c.Construct("both", (exp(BINARY), exp(UNARY)), t),
                ]
            case c.Record():
                return [lambda: c.tuple_exp(exp(UNARY), exp(I64))]
            case _:
                return self.numbers(scope, depth)

    def element(self, t: c.Array, scope: Scope, depth: int) -> Exp:
        """Return the first element of an array, which has one unless the input is empty."""
        return c.Index(self.exp(t, scope, depth), (c.Fix(c.Const(0, I64)),))

    def numbers(self, scope: Scope, depth: int) -> list[Callable[[], Exp]]:
        """Return the ways to make a number."""

        def exp(u: Type) -> Exp:
            return self.exp(u, scope, depth)

        def operand(n: int) -> Exp:
            return self.pick(
                [
                    lambda: self.fn([I64] * n, I64, scope, depth),
                    lambda: exp(UNARY if n == 1 else BINARY),
                ]
            )

        zero = (c.Const(0, I64),)
        plus = c.Global(Name("plus"))
        if depth <= 0:
            return [lambda: c.Const(self._random.randrange(-3, 4), I64)]
        return [
            lambda: c.Bin(self._random.choice((BinOp.ADD, BinOp.SUB)), exp(I64), exp(I64)),
            lambda: c.App(exp(UNARY), (exp(I64),)),
            lambda: c.App(exp(BINARY), (exp(I64), exp(I64))),
            lambda: c.App(exp(HIGHER), (exp(UNARY), exp(I64))),
            lambda: c.App(c.App(exp(BINARY), (exp(I64),)), (exp(I64),)),
            lambda: c.App(c.Global(Name("maker")), (exp(I64), exp(I64))),
            lambda: c.App(c.Global(Name("times")), (exp(UNARY), c.Const(2, I64), exp(I64))),
            lambda: c.App(c.Global(Name("turns")), (exp(UNARY), c.Const(3, I64), exp(I64))),
            lambda: self.match(I64, scope, depth),
            lambda: c.Reduce(plus, zero, (c.Map(operand(1), (c.Var(Name("ns")),)),)),
            lambda: c.Reduce(
                plus, zero, (c.Map(self.fn([UNARY], I64, scope, depth), (exp(c.Array(UNARY)),)),)
            ),
            lambda: c.Loop(
                (c.Binder(Name("acc"), I64),),
                (exp(I64),),
                c.For(Name("k"), c.Const(2, I64)),
                c.App(exp(BINARY), (c.Var(Name("acc")), c.Var(Name("k")))),
            ),
        ]


DEFINITIONS = r"""
def plus : i64 -> i64 -> i64 = \(x : i64) (y : i64) -> x + y
def maker : i64 -> i64 -> i64 = \(x : i64) -> let (z : i64) = x + 1 in \(y : i64) -> y - z
def twice : (i64 -> i64) -> i64 -> i64 = \(f : i64 -> i64) (x : i64) -> f (f x)
def picked : i64 -> i64 -> i64 =
  \(n : i64) -> if n <= 0 then \(x : i64) -> x + n else if n > 5 then @plus n else @picked (n - 2)
def times : (i64 -> i64) -> i64 -> i64 -> i64 =
  \(f : i64 -> i64) (n : i64) (x : i64) -> if n == 0 then x else @times f (n - 1) (f x)
def turns : (i64 -> i64) -> i64 -> i64 -> i64 =
  \(f : i64 -> i64) (n : i64) (x : i64) ->
    if n == 0 then f x else @turns (\(y : i64) -> y + n) (n - 1) (f x)
"""


BASE = parse_core(DEFINITIONS)


def program(seed: int) -> CoreProgram:
    """Return a program."""
    make = Generator(seed)
    inputs: list[tuple[str, Type]] = [("n", I64), ("b", I64), ("ns", NUMBERS)]
    size = 3 + seed % 3
    body = c.tuple_exp(make.exp(I64, inputs, size), make.exp(I64, inputs, size))
    params = tuple(c.EntryParam(c.Binder(Name(x), t)) for x, t in inputs)
    entry = c.Entry(Name("main"), (), params, c.tuple_type(I64, I64), body)
    return CoreProgram((entry,), BASE.defs, (DATA,))


def calls(seed: int) -> list[Call]:
    """Return inputs for a program."""
    rng = random.Random(seed)
    return [
        Call("main", (rng.randrange(-5, 6), k, [rng.randrange(-4, 5) for _ in range(1 + k)]))
        for k in (0, 1)
    ]


@frozen
class Verdict:
    """What is wrong, whether closure-convert changed the program, and what is refused."""

    wrong: tuple[str, ...]
    converted: bool
    refused: str | None


def judged(seed: int) -> Verdict:
    """Judge a program after each pass.

    FUN may refuse an array of closures that capture arrays of different lengths.
    """
    found = stages(program(seed))
    made = dict(found.core)
    wrong = (x for x in judge(found, calls(seed)) if "Irregular array" not in x)
    refused = None if found.refused is None else found.refused.message
    return Verdict(tuple(wrong), made["closure-convert"] != made["lambda-lift"], refused)


def main() -> int:
    """Run the command."""
    parser = ArgumentParser()
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    count: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.n):
        try:
            verdict = judged(seed)
        except Exception as e:  # one broken program must not hide the others
            verdict = Verdict((f"{type(e).__name__}: {str(e)[:300]}",), False, None)
        for line in verdict.wrong:
            print(f"seed {seed}: {line[:300]}", flush=True)
        count["wrong"] += bool(verdict.wrong)
        count["converted"] += verdict.converted
        if verdict.refused is not None:
            count[verdict.refused] += 1
    print(dict(count))
    return 1 if count["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
