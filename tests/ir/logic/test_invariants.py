"""What is concluded about the variables of a loop is so, also where i64 arithmetic wraps around.
It suffices for binary search.

Protects ``ir/logic/invariants.py``, and ``exact`` and ``divided`` in ``ir/logic/bounded.py``: a
wrong conclusion would drop a bounds check that is needed.
"""

import random
from collections.abc import Iterator, Mapping

import pytest

from funmem.ir.fun import Bin as BinExp
from funmem.ir.fun import Body, Const, For, If, Loop, ScalarExp, Stm, Var
from funmem.ir.imp import Check
from funmem.ir.imp_traverse import nested
from funmem.ir.logic.facts import PointFacts, facts_of, of_entry
from funmem.ir.logic.invariants import Invariants, invariants
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, eval_bin
from funmem.ir.sizes import Size
from funmem.ir.text import parse_fun
from funmem.passes.pipeline import to_imp

Values = dict[Name, int | bool]

SEARCH = """entry main [n] (xs : [n]i32) (y : i32) -> (r : i64) =
  let (go : bool) = 0 < n
  let (more : bool) (low : i64) (high : i64) =
    loop (g : bool) = go, (a : i64) = 0, (b : i64) = n while g do
      let (middle : i64) = (a + b) / 2
      let (x : i32) = xs[middle]
      let (less : bool) = x < y
      let (a2 : i64) (b2 : i64) = if less then
        let (next : i64) = middle + 1 in (next, b)
      else in (a, middle)
      let (g2 : bool) = a2 < b2
      in (g2, a2, b2)
  in (low)"""

DOUBLING = """entry main [n] (xs : [n]i32) -> (r : i64) =
  let (go : bool) = 1 < n
  let (more : bool) (wide : i64) (sum : i32) =
    loop (g : bool) = go, (w : i64) = 1, (s : i32) = 0i32 while g do
      let (x : i32) = xs[w]
      let (t : i32) = s + x
      let (w2 : i64) = 2 * w
      let (g2 : bool) = w2 < n
      in (g2, w2, t)
  let (half : i64) = wide / 2
  in (half)"""

COUNTING = """entry main [n] (xs : [n]i32) -> (r : i64) =
  let (count : i64) = loop (k : i64) = 0 for i < n do
    let (x : i32) = xs[i]
    let (some : bool) = x > 0i32
    let (k2 : i64) = if some then
      let (up : i64) = max(k - 1, 0) in (up)
    else in (k)
    in (k2)
  let (c : bool) = count >= 0
  assert c "not negative"
  in (count)"""


@pytest.mark.parametrize(
    "program", [SEARCH, DOUBLING, COUNTING], ids=["search", "doubling", "count"]
)
def test_no_check_is_left(program: str) -> None:
    (e,) = to_imp(parse_fun(program)).entries
    assert not any(isinstance(s, Check) for s in nested(e.body))


UNPROVED = {
    "middle may be n": SEARCH.replace("g2 : bool) = a2 < b2", "g2 : bool) = a2 <= b2"),
    "the width is below n + 1 only": DOUBLING.replace("w2 < n", "w2 <= n"),
    "the first condition is not checked": DOUBLING.replace("1 < n", "1 < 2"),
    "the width may be negative": DOUBLING.replace(": i64) = 1,", ": i64) = -1,"),
}


@pytest.mark.parametrize("program", UNPROVED.values(), ids=UNPROVED.keys())
def test_a_check_is_left(program: str) -> None:
    (e,) = to_imp(parse_fun(program)).entries
    assert any(isinstance(s, Check) for s in nested(e.body))


# ------------------------------------------------------------------ generated loops


OUTSIDE = ("n", "k", "0", "1", "-1", "7")
COMPARED = ("<", "<=", ">", ">=", "==", "!=")


class Generator:
    """Random loops over two i64 variables, a and b."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = 0

    def operator(self, names: list[str]) -> str:
        """An i64 expression; most are small steps."""
        one, two = self.random.choice(names), self.random.choice([*names, *OUTSIDE])
        forms = (
            f"{one} + 1", f"{one} - 1", f"{one} + {two}", f"{one} - {two}", f"({one} + {two}) / 2",
            f"{one} / 2", f"2 * {one}", f"max({one}, {two})", f"min({one}, {two})", f"{one} % 5",
            f"max({one} - 1, {two})", f"{one} + 4611686018427387904",
        )  # fmt: skip
        return self.random.choice(forms)

    def lines(self, names: list[str], count: int) -> tuple[str, list[str]]:
        """Statements, and the names in scope after them."""
        out = ""
        for _ in range(count):
            self.names += 1
            out += f"      let (t{self.names} : i64) = {self.operator(names)}\n"
            names = [*names, f"t{self.names}"]
        return out, names

    def comparison(self, names: list[str]) -> str:
        one, two = self.random.choice(names), self.random.choice([*names, *OUTSIDE])
        return f"{one} {self.random.choice(COMPARED)} {two}"

    def program(self) -> str:
        pick = self.random.choice
        counted = self.random.random() < 0.3
        starts = [pick(OUTSIDE), pick(OUTSIDE)]
        first, names = self.lines(["a", "b"], self.random.randrange(3))
        then, in_then = self.lines(names, self.random.randrange(3))
        orelse, in_else = self.lines(names, self.random.randrange(3))
        last, ends = self.lines(["a2", "b2", *names], self.random.randrange(2))
        results = [pick(["a2", "b2", *ends[-1:]]), pick(["b2", "a"])]
        go = self.comparison([*results, "a2", "b2"])
        head = "for i < k" if counted else "while g"
        return f"""entry main [n] (xs : [n]i32) (k : i64) -> (r : i64) =
  let (go : bool) = {self.comparison(["n", "k"]) if pick((0, 1)) else "true"}
  let (more : bool) (low : i64) (high : i64) =
    loop (g : bool) = go, (a : i64) = {starts[0]}, (b : i64) = {starts[1]} {head} do
{first}      let (c : bool) = {self.comparison(names)}
      let (x : i32) = xs[0]
      let (a2 : i64) (b2 : i64) = if c then
{then}      in ({pick(in_then)}, {pick(in_then)})
      else
{orelse}      in ({pick(in_else)}, {pick(in_else)})
{last}      let (g2 : bool) = {go}
      in (g2, {results[0]}, {results[1]})
  in (low)"""


STEPS = 40
"""Largest number of iterations that are run."""

WORLDS = [
    {Name("n"): n, Name("k"): k}
    for n in (0, 1, 2, 6, (1 << 57) - 1)
    for k in (-7, 0, 1, 5, 1 << 62, I64.max, I64.min)
]


def scalar(e: ScalarExp, at: Mapping[Name, int | bool]) -> int | bool:
    match e:
        case Const(value):
            assert isinstance(value, int)
            return value
        case Var(x):
            return at[x]
        case BinExp(op, a, b):
            found = eval_bin(op, I64, scalar(a, at), scalar(b, at))
            assert isinstance(found, int)
            return found
        case _:
            raise AssertionError(e)


def after(stms: tuple[Stm, ...], at: Values) -> Values:  # type: ignore[type-arg]
    for s in stms:
        match s.exp:
            case If(cond, then, orelse):
                side: Body = then if scalar(cond, at) else orelse  # type: ignore[type-arg]
                inner = after(side.stms, at)
                found = [scalar(r, inner) for r in side.result]
            case Const() | Var() | BinExp() as e:
                found = [scalar(e, at)]
            case _:
                found = [0]
        at = at | {b.name: v for b, v in zip(s.pat, found, strict=True)}
    return at


def heads(e: Loop, at: Values) -> Iterator[tuple[Values, bool]]:  # type: ignore[type-arg]
    """The values at the start of each iteration and at the end, and whether one follows."""
    names = [p.binder.name for p in e.params]
    at = at | {x: scalar(p.init, at) for x, p in zip(names, e.params, strict=True)}
    for k in range(STEPS):
        if isinstance(e.form, For):
            going = k < int(at[Name("k")])
            at = at | {e.form.index: k}
        else:
            going = bool(at[e.form.cond])
        yield at, going
        if not going:
            return
        end = after(e.body.stms, at)
        at = at | {x: scalar(r, end) for x, r in zip(names, e.body.result, strict=True)}


def invariants_of(program: str) -> tuple[Stm, Loop, tuple[Stm, ...], Invariants, PointFacts]:  # type: ignore[type-arg]
    (entry,) = parse_fun(program).entries
    *before, s = entry.body.stms
    assert isinstance(s.exp, Loop)
    known = of_entry(entry).after_all(before)
    return s, s.exp, tuple(before), known.invariants(s.exp), known


def holds(p: Size, at: Values) -> bool:
    return p.eval(lambda x: int(at[x])) >= 0


def conclusions_hold(seed: int) -> int:
    """Check the invariants of a generated loop; return their number."""
    program = Generator(seed).program()
    _, e, before, found, _ = invariants_of(program)
    for world in WORLDS:
        for at, going in heads(e, after(before, dict(world))):
            for p in (*found.always, *(found.going if going else ())):
                assert holds(p, at), f"{p} < 0 where {at} in\n{program}"
    return len(found.always) + len(found.going)


def test_conclusions_hold() -> None:
    assert sum(map(conclusions_hold, range(12))) > 12


@pytest.mark.exhaustive
def test_more_conclusions_hold() -> None:
    assert sum(map(conclusions_hold, range(30, 3000))) > 3000


def test_arguments_are_in_memory() -> None:
    (entry,) = parse_fun(SEARCH).entries
    (p, _) = entry.params
    assert [str(d) for d in facts_of([p.binder]).extents] == ["n"]


def test_an_answer_is_given_again_for_equal_facts_only() -> None:
    """A body keeps what was found for its loop: not for other facts, definitions or values."""
    (entry,) = parse_fun(SEARCH).entries
    before, loop = entry.body.stms[0], entry.body.stms[1].exp
    assert isinstance(loop, Loop)
    known = of_entry(entry)
    whole = invariants(loop, known.after(before))
    assert whole.going
    assert invariants(loop, known.after(before)) is whole
    without = invariants(loop, known)
    assert without is not whole
    assert invariants(loop, known) is without
    turned = evolve(loop.params[1], init=loop.params[2].init)
    other = evolve(loop, params=(loop.params[0], turned, loop.params[2]))
    assert other.body is loop.body
    assert invariants(other, known.after(before)) != whole
