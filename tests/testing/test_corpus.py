"""Mutants of given programs: what a campaign makes of a corpus.

Protects that a mutant is a program like a generated one: well typed, cheap, the same for the same
seed, seldom trapping, with an order of operations that passes may trust; and the campaign around
it.
"""

import json
import pickle
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from funmem.interp.counted import TooMuch
from funmem.interp.metered import LARGEST, MOST
from funmem.ir.check import check, check_all
from funmem.ir.diagnostics import Trap, UsageError
from funmem.ir.fun import Program
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import walk
from funmem.passes.framework import Level, levels_of
from funmem.testing import generate
from funmem.testing.campaign.batch import Settings, run_batch
from funmem.testing.campaign.orders import Orders
from funmem.testing.campaign.selection import MUTANTS, SINGLE, TURNS, Selection, select
from funmem.testing.corpus.cost import outcome_within, writes_once
from funmem.testing.corpus.further_inputs import heap_agrees
from funmem.testing.corpus.mutants import LONGEST, MUTATIONS, TRIES
from funmem.testing.corpus.operators import adds_floats, associative
from funmem.testing.corpus.samples import Corpus, read_corpus
from funmem.testing.judge.program import Case
from funmem.testing.reduce.inputs import entry_of
from tests.seeded.campaigns import campaigns
from tests.support.command_line import say
from tests.support.paths import TESTS
from tests.support.sampling import sampled

PATHS = [
    str(TESTS / "corpus"),
    str(TESTS.parent / "examples"),
    str(TESTS / "passes" / "fun" / "fuse"),
]
SEEDS = range(12)


@cache
def corpus() -> Corpus:
    return read_corpus(PATHS)


@cache
def mutants() -> list[Selection]:
    found = (select(seed, Orders.MIXED, corpus=corpus()) for seed in SEEDS)
    return [s for s in found if s.mutant]


# ---------------------------------------------------------------------- mutants


@pytest.mark.exhaustive
def test_mutants_are_programs() -> None:
    """Well typed, not long, cheap; they print and are read; the same again."""
    for s in mutants():
        check(s.case.program)
        assert parse_fun(show(s.case.program)) == s.case.program
        assert sum(1 for _ in walk(entry_of(s.case).body)) <= LONGEST
        _, statements = outcome_within(s.case)
        assert statements <= MOST
    assert len({show(s.case.program) for s in mutants()}) >= 0.95 * len(mutants())


@pytest.mark.exhaustive
def test_few_mutants_trap() -> None:
    """Those that are planned, few by chance, and few that only trap."""
    found = (select(seed, Orders.MIXED, corpus=corpus()) for seed in range(400))
    cases = [s.case for s in found if s.mutant]
    traps = sum(isinstance(outcome_within(c)[0], Trap) for c in cases)
    assert 0.05 * len(cases) < traps < 0.18 * len(cases), "38 of 262 were counted"


@pytest.mark.exhaustive
def test_the_same_seed_gives_the_same_mutant() -> None:
    """Also from a corpus that was read again, or sent to another process."""
    again: Corpus = pickle.loads(pickle.dumps(read_corpus(PATHS)))
    assert again == corpus()
    for s in mutants()[::4]:
        same = select(s.case.seed, Orders.MIXED, corpus=again)
        assert show(same.case.program) == show(s.case.program)
        assert str(same.case.args) == str(s.case.args)
        assert same.pipelines == s.pipelines


@pytest.mark.exhaustive
def test_three_in_four_and_each_sample_in_turn() -> None:
    count = len(corpus().samples())
    blocks = count // MUTANTS + 1
    firsts: Counter[str] = Counter()
    for block in range(2):
        here = [select(TURNS * block + k, Orders.FIXED, corpus=corpus()) for k in range(TURNS)]
        assert sum(s.mutant for s in here) == MUTANTS
        firsts.update(s.files[0] for s in here if s.mutant)
    assert sum(firsts.values()) == 2 * MUTANTS
    assert blocks > 3
    assert not select(0, Orders.FIXED).mutant


@pytest.mark.parametrize("name", sampled(MUTATIONS, 0, slow=0))
def test_every_mutation_makes_programs(name: str) -> None:
    """One that never gives a well-typed program would only cost time."""
    import random

    rng, mutate = random.Random(name), MUTATIONS[name][0]
    cases = [s.case for s in mutants()]
    cases += [Case.of(generate(seed)) for seed in range(40)]
    good = 0
    for c in cases:
        for _ in range(TRIES):
            new = mutate(c, rng)
            if new is None or check_all(new.program):
                continue
            good += new.program != c.program or str(new.args) != str(c.args)
            break
    assert good >= 3


@pytest.mark.exhaustive
def test_programs_go_on_with_what_others_made() -> None:
    """Somewhere a kernel reads what a statement of another file's program has made."""
    linked = [
        s for s in mutants() if len(s.files) > 1 and len(entry_of(s.case).params) < 2 * len(s.files)
    ]
    assert len(linked) >= 5


@pytest.mark.exhaustive
def test_no_orders_that_nobody_may_rely_on() -> None:
    """Operators stay what they are; if one is not associative `schedule` may change the meaning."""
    for s in mutants():
        in_memory = Level.FUN not in levels_of(s.case.program)
        assert s.case.any_order == (not in_memory and not associative(s.case.program))
        assert (s.case.tolerance is not None) == adds_floats(s.case.program)


FOLD = """
entry main [n] (xs : [n]TYPE) -> (r : TYPE) =
  let (r : TYPE) =
    kernel i < n reduce (\\(a : TYPE) (b : TYPE) -> let (c : TYPE) = {} in (c)) ({}TYPE) do
      let (x : TYPE) = xs[i]
      in (x)
  in (r)
"""


@pytest.mark.parametrize(
    ("op", "ne", "good"),
    [("a + b", 0, True), ("a - b", 0, False), ("a * 3 + b", 0, False), ("max(a, b)", 0, False)],
)
def test_what_is_associative(op: str, ne: int, *, good: bool) -> None:
    """Of a maximum 0 is no neutral element: there are negative numbers."""
    assert associative(parse_fun(FOLD.replace("TYPE", "i64").format(op, ne))) is good


def test_a_neutral_element_that_is_computed_may_be_none() -> None:
    """Who begins with 3 twice adds it twice."""
    text = FOLD.replace("TYPE", "i64").format("a + b", "")
    assert not associative(parse_fun(text.replace("(i64)", "(n)")))


LARGE = """max(a, b)
      let (large : bool) = c > 100
      let (t : i64) = if large then
        MORE
        in (a)
      else
        in (b)"""


@pytest.mark.parametrize(
    "more",
    [
        "let (row : [c]i64) = replicate [c] a",
        "let (s : i64) = loop (u : i64) = 0 for j < c do in (j)",
    ],
)
def test_what_takes_too_much_is_not_known_to_be_associative(more: str) -> None:
    """Operands are as large as i64 goes: there may be no memory for what they say."""
    op = LARGE.replace("MORE", more)
    assert not associative(parse_fun(FOLD.replace("TYPE", "i64").format(op, -(1 << 63))))


@pytest.mark.parametrize(
    ("op", "ne", "good"),
    [
        ("a + b", "0.0", True),
        ("a + b", "-0.0", True),
        ("a + b", "1.0", False),
        ("a * b", "1.0", True),
        ("min(a, b)", "inf", True),
        ("min(a, b)", "-inf", False),
        ("max(a, b)", "-inf", True),
        ("a - b", "0.0", False),
    ],
)
def test_what_is_associative_on_the_reals(op: str, ne: str, *, good: bool) -> None:
    text = FOLD.replace("TYPE", "f32").format(op, ne)
    text = text.replace("(-inff32)", "(-f32.inf)").replace("(inff32)", "(f32.inf)")
    assert associative(parse_fun(text)) is good


# ---------------------------------------------------------------------- samples


def test_what_is_no_sample(tmp_path: Path) -> None:
    """Programs that are wrong, that are long, that run for ever; inputs that are large."""
    head = "entry main (k : i64) -> (r : i64) =\n"
    long = "".join(f"  let (x{k} : i64) = k + {k}\n" for k in range(50))
    forever = (
        "  let (c0 : bool) = true\n"
        "  let (c : bool) (r : i64) = loop (b : bool) = c0, (s : i64) = k while b do\n"
        "    in (b, s)\n"
    )
    (tmp_path / "forever.fun").write_text(head + forever + "  in (r)\n")
    (tmp_path / "wrong.fun").write_text(head + "  in (true)\n")
    (tmp_path / "long.fun").write_text(head + long + "  in (k)\n")
    (tmp_path / "good.fut").write_text(
        "-- ==\n-- input { [1, 2] } output { 3 }\n"
        f"-- input {{ {list(range(5000))} }}\n\ndef main [n] (xs: [n]i32) = reduce (+) 0 xs\n"
    )
    (good,) = read_corpus([str(tmp_path)]).samples()
    assert good.file == str(tmp_path / "good.fut")
    assert [len(i) for i in good.inputs] == [1]
    with pytest.raises(UsageError, match="can be mutated"):
        read_corpus([str(tmp_path / "wrong.fun")])


def test_what_does_too_much() -> None:
    """Loops that may not end, large arrays, places that are written twice: the same everywhere."""
    loop = (
        "entry main (n : i64) -> (r : i64) =\n  let (r : i64) = loop (s : i64) = 0 for i < n do\n"
    )
    loop += "    let (t : i64) = s + i\n    in (t)\n  in (r)\n"
    outcome, statements = outcome_within(case(loop, 10))
    assert (outcome, statements) == ((45,), 22)
    with pytest.raises(TooMuch, match="statements"):
        outcome_within(case(loop, MOST))
    large = "entry main (n : i64) -> (r : i64) =\n  let (a : [n]i64) = iota [n] 0 1\n  in (n)\n"
    outcome_within(case(large, LARGEST))
    with pytest.raises(TooMuch, match="array"):
        outcome_within(case(large, LARGEST + 1))
    plus = "\\ (a : i64) (b : i64) -> let (c : i64) = a + b in (c)"
    empty = "entry main (n : i64) -> (r : [0]i64) =\n"
    empty += f"  let (t : [n]i64) = kernel i < n, j < 0 reduce ({plus}) (0) do\n    in (i)\n"
    empty += "  let (u : [0]i64) = iota [0] 0 1\n  in (u)\n"
    with pytest.raises(TooMuch, match="iterations"):
        outcome_within(case(empty, 1 << 40))


def test_a_replicated_row_is_as_large_as_all_its_elements() -> None:
    rows = "entry main (n : i64) -> (r : i64) =\n  let (a : [n]i64) = iota [n] 0 1\n"
    rows += "  let (b : [n][n]i64) = replicate [n] a\n  in (n)\n"
    outcome_within(case(rows, 22))
    with pytest.raises(TooMuch, match="array"):
        outcome_within(case(rows, 23))


SCATTER = """entry main [n] [m] (is : [n]i64) (vs : [n]f64) (xs : [m]f64) -> (out : [m]f64) =
  let (x : [m]f64) = copy xs
  let (y : [m]f64) = scatter x is vs
  in (y)
"""


@pytest.mark.parametrize(
    ("indices", "values", "once"),
    [
        ([0, 1], [5.0, 6.0], True),
        ([1, 1], [5.0, 6.0], False),
        ([1, 1], [5.0, 5.0], True),
        ([1, 1], [0.0, -0.0], False),
        ([1, 1], [np.nan, np.nan], True),
        ([-1, -1, 7, 7], [1.0, 2.0, 3.0, 4.0], True),
    ],
    ids=str,
)
def test_places_that_are_written_twice(indices: list[int], values: list[float], once: bool) -> None:
    """Nobody knows which of two values stays; what lies outside is written nowhere."""
    p = parse_fun(SCATTER)
    c = Case(p, p.entries[0].name, (np.array(indices), np.array(values), np.zeros(3)))
    assert writes_once(c) is once


EARLY = """entry main [n] [xs_mem : mem] (xs : [n]i64 @ xs_mem -> 0 + {(n : 1)}) (k : i64)
    -> [out_mem : mem] (out : [1]i64 @ out_mem -> 0 + {(1 : 1)}) =
  let (m : mem) = alloc 8*k
  let (x : i64) = xs[k]
  let (m1 : mem) = alloc 8
  let (y : [1]i64 @ m1 -> 0 + {(1 : 1)}) = replicate [1] x
  in (m1, y)
"""


def test_what_does_not_fit_into_memory_is_not_judged() -> None:
    """A block may be made before anybody looks how large it is."""
    p = parse_fun(EARLY)
    c = Case(p, p.entries[0].name, (np.array([1, 2]), 1 << 61))
    want, _ = outcome_within(c)
    assert isinstance(want, Trap)
    assert not heap_agrees(c, want)


def case(text: str, n: int) -> Case:
    p = parse_fun(text)
    assert isinstance(p, Program)
    return Case(p, p.entries[0].name, (n,))


# ---------------------------------------------------------------------- the campaign


@pytest.mark.exhaustive
def test_programs_in_memory_go_through_the_passes_on_memory() -> None:
    given = read_corpus([str(TESTS / "corpus" / "two_in_one_block.funmem")])
    found = [select(seed, Orders.MIXED, corpus=given) for seed in range(6)]
    memory = [s for s in found if s.mutant and Level.FUN not in levels_of(s.case.program)]
    assert memory
    for s in memory:
        names = {t.what.name for p in s.pipelines for t in p.steps}
        assert len(s.pipelines) == 2 + SINGLE
        assert all(len(p.steps) == 2 for p in s.pipelines[2:])
        assert not names & {"allocate", "fuse", "nest", "schedule"}
    assert run_batch(Settings(corpus=given), range(6)).trial.disagreements == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", [404, 400])
def test_all_engines_agree(first: int) -> None:
    t = run_batch(Settings(corpus=corpus()), range(first, first + 4)).trial
    assert t.disagreements == []
    assert (t.programs, t.mutants) == (4, 3)


@pytest.mark.exhaustive
def test_the_command(tmp_path: Path) -> None:
    """Figures; what is done is not done again; another corpus is another campaign."""
    state, one = tmp_path / "state", PATHS[2]
    command = f"funmem fuzz {one} -n 2 --seed 41 --jobs 1 --state {state} -o {tmp_path}/out --json"
    said = say(command)
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert (found["programs"], found["mutants"]) == (2, 1)
    again = json.loads(say(command).out)
    assert (again["programs_per_second"], again["mutants"]) == (0, 1)
    other = say(command.replace(one, PATHS[1]))
    assert other.code == 2
    assert "belongs to a campaign with other settings" in other.err
    assert say("funmem fuzz nowhere -n 1").code == 2


@pytest.mark.exhaustive
def test_what_only_the_corpus_finds() -> None:
    """A bug that generated programs do not show in as many programs."""
    name, seeds = ONLY
    (with_corpus,) = campaigns([name], len(seeds), 60.0, seeds.start, corpus())
    assert with_corpus.seen
    (without,) = campaigns([name], len(seeds), 60.0, seeds.start)
    assert not without.seen


ONLY = ("expand-results-stay", range(1, 25))
"""A bug, and seeds of which one shows it with the corpus, and none without."""
