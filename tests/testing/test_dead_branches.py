"""Variants of generated programs: dead branches change nothing, and there is something in them.

Protects the part of the campaign that asks what a pass does for branches that are not taken.
"""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from funmem.ir.check import check
from funmem.ir.diagnostics import Trap
from funmem.ir.fun import Body, If, Kernel, Loop, Stm, Var
from funmem.ir.names import Name
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import sub_bodies
from funmem.ir.values import agree
from funmem.passes.runner import Pipeline
from funmem.testing import Generated, generate, variant
from funmem.testing.campaign.batch import Settings, run_batch
from funmem.testing.campaign.orders import Orders
from funmem.testing.campaign.run import figures
from funmem.testing.campaign.selection import select
from funmem.testing.campaign.trial import run_trial, trial
from funmem.testing.generator.dead_branches import consumed
from funmem.testing.judge.program import Case, define_outcome
from tests.support.command_line import say
from tests.testing.test_reduce import faulty_passes, no_replicate

__all__ = ["faulty_passes"]  # a fixture
SEEDS = range(60)


@cache
def variants() -> list[tuple[int, Generated]]:
    return [(seed, v) for seed in SEEDS if (v := variant(seed, 1)) is not None]


@pytest.mark.slow
def test_a_variant_means_the_same() -> None:
    """Well typed, the same for the same seed, and the same results or trap as the program has."""
    found = 0
    for seed, v in variants():
        g = generate(seed)
        check(v.program)
        assert parse_fun(show(v.program)) == v.program
        assert list(map(str, Case.of(v).args)) == list(map(str, Case.of(g).args))
        want, got = define_outcome(g), define_outcome(v)
        if isinstance(want, Trap):
            assert isinstance(got, Trap)
            assert got.kind == want.kind
        else:
            assert not isinstance(got, Trap)
            assert agree(want, got) is None, seed
        found += 1
    assert found >= 0.8 * len(SEEDS)
    again, once_more = (select(3, Orders.MIXED, 1).case.program for _ in range(2))
    assert show(again) == show(once_more)


def test_one_in_so_many() -> None:
    """Not by the number of the seed, which decides on the pipeline as well."""
    chosen = [seed for seed in range(60) if variant(seed, 3) is not None]
    assert 10 <= len(chosen) <= 30
    assert {seed % 2 for seed in chosen} == {0, 1}
    assert variant(chosen[0], 0) is None


def dead(b: Body[None], where: str = "") -> Iterator[tuple[str, Stm[None], Body[None]]]:
    """Dead branches: what they are in, their statement and what is not executed of it.

    A branch that is taken without further ado, and the other one is not: that has statements.
    """
    for s in b.stms:
        if isinstance(s.exp, If) and isinstance(s.exp.cond, Var) and "dead" in s.exp.cond.name:
            yield where, s, max(s.exp.then, s.exp.orelse, key=lambda c: len(c.stms))
        for c in sub_bodies(s.exp):
            inside = {Kernel: "kernel", Loop: "loop"}.get(type(s.exp), where)
            yield from dead(c, inside)


def updates_outside(b: Body[None]) -> set[Name]:
    bound = {p.name for s in b.stms for p in s.pat}
    return {x for s in b.stms for x in consumed(s.exp)} - bound


def test_what_is_in_dead_branches() -> None:
    """They are everywhere, and update live arrays in place."""
    counts: Counter[str] = Counter()
    for _, v in variants():
        for where, _, body in dead(v.program.entries[0].body):
            counts[where] += 1
            counts["statements"] += len(body.stms)
            counts["updates"] += bool(updates_outside(body))
    assert min(counts[""], counts["kernel"], counts["loop"]) >= 5
    assert counts["statements"] >= 2 * (counts[""] + counts["kernel"] + counts["loop"])
    assert counts["updates"] >= 10


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(2000, 2012, 4))
def test_all_engines_agree(first: int) -> None:
    for seed in range(first, first + 4):
        t = trial(seed, orders=Orders.MIXED, variants=1)
        assert t.disagreements == [], f"seed {seed}"
        assert t.variants == int(variant(seed, 1) is not None)


def test_another_meaning_is_noticed() -> None:
    """A variant is compared with the program that it was made of."""
    s = select(12, Orders.MIXED, 1)
    assert s.original is not None
    assert run_trial(s.case, Pipeline(()), original=s.original).disagreements == []
    other = Case.of(generate(13))
    (d,) = run_trial(s.case, Pipeline(()), original=other).disagreements
    assert d.engine == "variant"


# ---------------------------------------------------------------------- in a campaign


@pytest.mark.slow
def test_a_variant_is_reduced_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only the variant has is found, and is the smallest program in the end."""
    monkeypatch.setattr(Orders, "pipelines", lambda *_, **__: (Pipeline([no_replicate]),))
    only = [
        seed
        for seed, v in variants()
        if "replicate" not in show(generate(seed).program) and "replicate" in show(v.program)
    ]
    seed = only[0]
    seeds = range(seed, seed + 1)
    assert run_batch(Settings(), seeds).trial.disagreements == []
    done = run_batch(Settings(variants=1), seeds)
    t = done.trial
    assert [(d.engine, d.code) for d in t.disagreements] == [
        ("crash", "KeyError in no_replicate"),
    ]
    assert done.reduced[seed].count("let") == 1
    assert figures(t, 1.0)["variants"] == 1


@pytest.mark.usefixtures("faulty_passes")
@pytest.mark.exhaustive
def test_reduce_takes_variants_as_fuzz_does() -> None:
    seed = next(s for s, v in variants() if "replicate" in show(v.program))
    given = f"funmem reduce --replay --generated {seed} -p no-replicate --json"
    assert json.loads(say(f"{given} --variants 1").out)["code"] == "KeyError in no_replicate"
    plain = "replicate" in show(generate(seed).program)
    assert json.loads(say(f"{given} --variants 0").out)["fails"] == plain
