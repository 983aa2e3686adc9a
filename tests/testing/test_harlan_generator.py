"""Generated Harlan programs: the campaign's default part, its oracle, and the tools around it."""

from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from funmem.cli import main
from funmem.testing.harlan_generator import campaign
from funmem.testing.harlan_generator.judge import Failure, judge
from funmem.testing.harlan_generator.oracle import Outcome, run
from funmem.testing.harlan_generator.program import generate_harlan
from funmem.testing.harlan_generator.scope import FEATURES
from funmem.testing.harlan_generator.shrink import shrunk


def test_generated_programs_print_what_the_oracle_says() -> None:
    """Finds elaboration that evaluates in another order, or that shares or copies wrongly."""
    for seed in range(12):
        p = generate_harlan(seed)
        assert judge(p.text, engines=False) is None, p.text


@pytest.mark.parametrize("seed", [12])
def test_a_generated_program_agrees_on_all_interpreters(seed: int) -> None:
    """Finds a judge that stops above memory."""
    p, ran = generate_harlan(seed), Counter[str]()
    assert judge(p.text, ran=ran) is None, p.text
    assert {"core", "value", "heap", "imp shuffled"} <= ran.keys()


@pytest.mark.exhaustive
@pytest.mark.parametrize("block", range(8))
def test_many_generated_programs(block: int) -> None:
    for seed in range(1000 + 6 * block, 1006 + 6 * block):
        p = generate_harlan(seed)
        assert judge(p.text) is None, p.text


def test_every_feature_occurs() -> None:
    """Finds a feature that has become impossible."""
    programs = [generate_harlan(seed) for seed in range(150)]
    assert programs[7] == generate_harlan(7)
    assert len({p.text for p in programs}) == 150
    assert set().union(*(p.features for p in programs)) == set(FEATURES)
    bodies = "".join(p.text.partition("(define (main)")[2] for p in programs)
    for word in ("kernel", "reduce", "match", "set!", "while", "for", "lambda", "scan", "filter"):
        assert f"({word} " in bodies
    for word in ("swap!", "square", "bound", "Cons", "Node", "Pack", "twice", "run", "show"):
        assert f"({word} " in bodies


def printed(body: str) -> bytes:
    return run(f"(module (define (main) {body}))").printed


def test_the_oracle_is_not_the_compiler() -> None:
    """Protects its definitions, by answers written by hand."""
    shared = "(let ((v (vector 1 2))) (let ((w v)) (set! (vector-ref w 0) 7)) (print v))"
    assert printed(shared) == b"[7 2]"
    counter = "(let ((n 1)) (let ((f (lambda (x) (set! n (+ n x)) n)))"
    counter += " (set! n 9) (f 1) (print (f 1))))"
    assert printed(counter) == b"2"
    assert printed("(print (kernel ((i (iota 3))) (iota i)))") == b"[[] \n [0] \n [0 1]]"
    assert printed("(print (scan + 5 (vector 1 2 3)))") == b"[5 6 8]"
    assert printed("(print (+ 4294967296 5))") == b"4294967301"
    assert run("(module (define (main) (print 1) (/ 1 0)))") == Outcome(b"1", None)
    assert run("(module (define (main) -1))") == Outcome(b"", 255)


def test_a_failing_program_becomes_small() -> None:
    """Finds a shrinker that stops early, or that changes what it should keep."""
    p = generate_harlan(3).text
    small = shrunk(p, lambda text: "(module" in text and "(define (main)" in text)
    assert small == "(module\n  (define (main))\n)\n"


def test_fuzz_harlan_writes_a_program_for_each_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finds a command that forgets failures, or that accepts options without effect."""
    runner, folder = CliRunner(), str(tmp_path / "out")
    good = runner.invoke(main, ["fuzz", "--harlan", "-n", "1", "--seed", "7", "-o", folder])
    assert good.exit_code == 0, good.output
    assert good.output.startswith("1 programs, 0 wrong\nruns: core 1, ")
    failure = Failure("core", "values", "seeded")
    monkeypatch.setattr(campaign, "judge", lambda *_, **__: failure)
    monkeypatch.setattr(campaign, "shrunk", lambda text, *_: text)
    bad = runner.invoke(main, ["fuzz", "--harlan", "-n", "2", "-o", folder])
    assert bad.exit_code == 3
    assert "2 programs, 2 wrong" in bad.output
    (file, _) = sorted((tmp_path / "out").iterdir())
    assert file.read_text().startswith("; seed 0: core, values\n; seeded\n(module\n")
    assert runner.invoke(main, ["fuzz", "--harlan", "--thorough"]).exit_code == 2
