"""Generated programs for ``@funmem.jit``: the campaign's default part, and the tools around it."""

from __future__ import annotations

import ast
import os
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from funmem.cli import main
from funmem.frontends.python import elementwise
from funmem.ir.record import evolve
from funmem.testing.jit_generator import campaign
from funmem.testing.jit_generator.eager import Eager
from funmem.testing.jit_generator.judge import (
    Failure,
    difference,
    judge,
    reproducer,
    shortened,
    traced,
)
from funmem.testing.jit_generator.program import JitProgram, generate_jit, run_eagerly
from funmem.testing.jit_generator.statements import STATEMENTS
from tests.support.sampling import sampled


@pytest.mark.parametrize("seed", sampled(range(20), 3))
def test_a_generated_program_has_numpys_results(seed: int) -> None:
    """Protects numpy's answers, the types, and one trace for two lengths."""
    p = generate_jit(seed)
    failure = judge(p, engines=False)
    assert failure is None, reproducer(p, failure)


@pytest.mark.parametrize("seed", range(1))
def test_a_generated_program_agrees_on_all_interpreters(seed: int) -> None:
    """Protects the way from Core through FUN and memory to IMP, races included."""
    p = generate_jit(seed)
    failure = judge(p)
    assert failure is None, reproducer(p, failure)


@pytest.mark.exhaustive
@pytest.mark.parametrize("block", range(4))
def test_many_generated_programs(block: int) -> None:
    for seed in range(1000 + 8 * block, 1008 + 8 * block):
        p = generate_jit(seed)
        failure = judge(p)
        assert failure is None, reproducer(p, failure)


def test_a_seed_determines_the_program() -> None:
    """Protects that a printed seed can be run again."""
    a, b = generate_jit(7), generate_jit(7)
    assert a.source == b.source
    assert difference(a.args, b.args) is None
    assert len({generate_jit(s).source for s in range(20)}) == 20


def test_every_kind_of_statement_occurs() -> None:
    """Protects that no kind has become impossible."""
    counts: Counter[str] = Counter()
    for seed in range(150):
        generate_jit(seed, counts)
    assert set(counts) == set(STATEMENTS)


def program(source: str, *args: Any) -> JitProgram:
    lines = tuple(source.splitlines())
    return JitProgram(0, (), ("a", "b")[: len(args)], lines[:-1], lines[-1], args, args)


def test_the_oracle_is_not_the_tracer() -> None:
    """Protects the definitions of the oracle, by answers written by hand."""
    xs = np.array([3, 1, 2])
    assert Eager.reduce(lambda a, b: a + b, 0, xs) == 6
    assert Eager.scan(lambda a, b: a + b, 0, xs).tolist() == [3, 4, 6]
    assert Eager.filter(lambda x: x > 1, xs).tolist() == [3, 2]
    assert Eager.hist(lambda a, b: a + b, 0, 3, np.array([0, 0, 9]), xs).tolist() == [4, 0, 0]
    assert Eager.scatter(xs, np.array([2, 5]), np.array([8, 9])).tolist() == [3, 1, 8]
    assert Eager.build((2, 2), lambda i, j: 2 * i + j).tolist() == [[0, 1], [2, 3]]
    assert Eager.loop(3, lambda i, s: s + i, 0) == 3
    assert Eager.while_loop(lambda a, b: a < 3, lambda a, b: (a + 1, b * 2), (0, 1)) == (3, 8)
    assert Eager.cond(True, lambda: np.int32(1), lambda: np.float64(2)).dtype == np.float64


def test_a_wrong_answer_is_noticed_and_the_program_shortened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Protects the whole way of a finding: judged, shortened, printed as a script that runs."""
    p = program(
        "c = a + 1\nd = fm.where(a > 1, a, b)\ne = d * 2\n(c, d, e)",
        np.array([1, 2, 3]),
        np.array([4, 5, 6]),
    )
    assert judge(p, engines=False) is None
    monkeypatch.setattr("funmem.frontends.python.control.select", _swapped(elementwise.select))
    failure = judge(p, engines=False)
    assert failure is not None
    assert failure.engine == "numpy"
    short = shortened(p, failure)
    assert short.lines == ("d = fm.where(a > 1, a, b)",)
    assert short.result == "d"
    text = reproducer(short, failure)
    ast.parse(text)
    assert "np.array([1, 2, 3], np.int64)" in text


def _swapped(select: Any) -> Any:
    return lambda cond, a, b, tape: select(cond, b, a, tape)


def test_a_user_error_is_told_with_its_line() -> None:
    """Protects the reproducer: it names the line of the generated source."""
    p = program("c = a[7.5]\nc", np.array([1, 2, 3]))
    with pytest.raises(IndexError):
        run_eagerly(p, p.args)
    failure = judge(evolve(p, lines=("c = a.at[0].set(1) if a[0] > 0 else a",)), engines=False)
    assert failure is not None
    assert (failure.engine, failure.code) == ("trace", "traced-bool")
    assert ":3:" in failure.message


def test_two_lengths_are_one_trace() -> None:
    """Protects the key of a variant: types, never lengths."""
    p = generate_jit(3)
    f = traced(p)
    f.interpret(*p.args)
    f.interpret(*p.more)
    assert f.cache_info().traces == 1


@pytest.mark.slow
def test_fuzz_jit_writes_a_script_for_each_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finds a command that forgets failures, or that accepts options without effect."""
    runner, folder = CliRunner(), str(tmp_path / "out")
    good = runner.invoke(main, ["fuzz", "--jit", "-n", "1", "--seed", "3", "-o", folder])
    assert good.exit_code == 0
    assert good.output.startswith("1 programs, 0 wrong\nruns: core ")
    failure = Failure("core", "values", "seeded")
    monkeypatch.setattr(campaign, "judge", lambda *_, **__: failure)
    monkeypatch.setattr(campaign, "shortened", lambda p, *_: p)
    bad = runner.invoke(main, ["fuzz", "--jit", "-n", "2", "-o", folder])
    assert bad.exit_code == 3
    assert "2 programs, 2 wrong" in bad.output
    (script, _) = sorted((tmp_path / "out").iterdir())
    assert script.read_text().startswith("# seed 0\n# core: seeded\n")
    assert runner.invoke(main, ["fuzz", "--jit", "--thorough"]).exit_code == 2


def test_an_index_out_of_bounds_must_trap() -> None:
    """Finds a judge that skips what numpy refuses."""
    p = program("v1 = a[3]\nv1", np.arange(5))
    p = evolve(p, more=(np.arange(2),))
    ran: Counter[str] = Counter()
    assert judge(p, ran=ran, engines=False) is None
    assert ran["traps"] == 1
    q = evolve(p, lines=("v1 = a + 0", "v2 = refused(v1)"), defs=(REFUSED,), result="v2")
    failure = judge(q, engines=False)
    assert failure is not None
    assert (failure.engine, failure.code) == ("numpy", "traps")


REFUSED = """def refused(x):
    if isinstance(x, np.ndarray) and len(x) < 3:
        raise IndexError("few")
    return x"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_campaign_that_is_stopped_tells_its_totals(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that ignores SIGINT at first, as a command in the background of a script does."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        monkeypatch.setattr(campaign, "generate_jit", lambda _: os.kill(os.getpid(), number))
        result = CliRunner().invoke(main, ["fuzz", "--jit", "-n", "3"])
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.output.startswith("0 programs, 0 wrong")
    assert result.exit_code == 128 + number
