"""--verify-each: a pass that breaks a program is named, and what repeats it is a file.

Failures are real: the faulty passes of ``tests/seeded`` and of ``test_reduce.py``.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from funmem.driver.source import Source
from funmem.ir.diagnostics import InputError
from funmem.ir.text import parse_fun, show
from funmem.passes import pipeline as stage
from funmem.passes.runner import Pipeline
from funmem.suite import pool
from funmem.suite.check import Plan, check_file
from funmem.suite.verdict import Verdict
from funmem.testing.campaign.reproducer import case_of, read_reproducer
from funmem.testing.judge.after_each_pass import (
    GENERATED,
    Broken,
    ReproducerFolder,
    known_of,
    run_each,
)
from funmem.testing.reduce import failure
from tests.reduce_seeded import pipeline_of
from tests.seeded.bug import Caught, SeededBug
from tests.seeded.judge import PROGRAMS
from tests.seeded.table import BUGS
from tests.support.command_line import say
from tests.support.sampling import sampled
from tests.testing.test_reduce import PROGRAM, faulty_passes, program

__all__ = ["faulty_passes", "program"]  # fixtures

FOUND = ("fuse", "simplify", "allocate", "short-circuit", "merge", "expand", "schedule")
SEEDED = [next(b for b in BUGS if b.pass_name == name) for name in FOUND]
SEEDED += [next(b for b in BUGS if b.caught is kind) for kind in (Caught.RACE, Caught.OUTSIDE)]


@pytest.mark.parametrize("bug", sampled(SEEDED, 3, slow=1), ids=lambda b: b.name)
def test_the_faulty_pass_is_named(bug: SeededBug, tmp_path: Path) -> None:
    """Of a pipeline in which all other passes are right; the file repeats what was seen."""
    source = Source(bug.program, (PROGRAMS / bug.program).read_text(), "fun")
    tree, passes = source.parse(), pipeline_of(bug)
    known = known_of(tree, source, "main", bug.args)
    with pytest.raises(Broken) as raised:
        run_each(tree, passes, known, ReproducerFolder.of(source, tmp_path))
    error = raised.value
    upto = passes.steps[: error.failure.steps]
    assert upto[-1].what.name == bug.pass_name
    assert f"pass {bug.pass_name} ({len(upto)} of {len(passes.steps)}) broke" in str(error)
    assert error.exit_code.value == 3
    assert error.file is not None
    text = error.file.read_text()
    found = read_reproducer(text, error.file.name)
    assert str(found.pipeline) == ",".join(map(str, upto))
    assert found.kind == error.failure.kind
    assert found.entry is not None
    assert found.args is not None
    again = case_of(parse_fun(text), found.entry, found.args, found.seed, found.tolerance)
    repeated = failure(again, Pipeline(upto))
    assert repeated is not None
    assert repeated.kind == found.kind


def test_right_passes_change_nothing(tmp_path: Path) -> None:
    """The same program comes out as without the checks, and no file."""
    source = Source("p.fun", PROGRAM, "fun")
    tree, passes = source.parse(), Pipeline.parse(stage.DEFAULT)
    known = known_of(tree, source)
    assert len(known) == GENERATED
    assert run_each(
        tree, passes, known, ReproducerFolder.of(source, tmp_path / "out")
    ) == passes.run(tree)
    assert not (tmp_path / "out").exists()


def test_whose_inputs() -> None:
    """Those given, or those in test comments that interpreters run, or small ones."""
    comment = "-- ==\n-- input { 1i32 [2i32, 3i32] }\n-- compiled input { 2i32 [5i32] }\n"
    tested = Source("p.fun", comment + PROGRAM, "fun")
    tree = tested.parse()
    assert [c.args[0] for c, _ in known_of(tree, tested)] == [1]
    assert [c.args[0] for c, _ in known_of(tree, tested, "main", (7, [1, 2]))] == [7]
    large = parse_fun("entry f [n] (x : [n - 9]i64) (y : [n]i64) -> (z : i64) =\n  in (n)\n")
    with pytest.raises(InputError, match="no small input was found for `f`"):
        known_of(large, Source("l.fun", show(large), "fun"))
    far = parse_fun(
        "entry f (n : i64) -> (x : [1125899906842624*n]i64) =\n"
        "  let (x : [1125899906842624*n]i64) = replicate [1125899906842624*n] n\n  in (x)\n"
    )
    assert 0 in {c.args[0] for c, _ in known_of(far, Source("f.fun", show(far), "fun"))}
    sizes = {str(c.args[1]) for c, _ in known_of(tree, Source("p.fun", PROGRAM, "fun"))}
    assert {"[2]i32", "[3]i32"} <= sizes


def test_entry_points_without_a_test_have_small_inputs() -> None:
    """One that is tested does not speak for the others."""
    other = "entry other (k : i64) -> (r : i64) =\n  let (a : i64) = k + 1\n  in (a)\n"
    text = f"-- ==\n-- entry: other\n-- input {{ 5i64 }}\n{other}{PROGRAM}"
    known = known_of(parse_fun(text), Source("p.fun", text, "fun"))
    assert [c.args for c, _ in known if c.entry == "other"] == [(5,)]
    assert len([c for c, _ in known if c.entry != "other"]) == GENERATED


# ---------------------------------------------------------------------- commands


@pytest.mark.usefixtures("program")
def test_opt_names_the_pass() -> None:
    """Its place, too; the file repeats it, also by `funmem reduce`."""
    given = "funmem opt big.fun -p simplify,one-for-zero,allocate -i 3 -i '[4, 5, 6]'"
    said = say(f"{given} --verify-each=values")
    assert said.code == 3
    assert "error[pass-failed]: pass one-for-zero (2 of 3) broke the program: value: " in said.err
    (file,) = Path("verify-out").iterdir()
    assert file.name.startswith("big_2_one-for-zero_")
    assert f"; reproducer: {file}\n" in said.err
    assert say(f"funmem reduce --replay {file}").out.startswith("fails: value: values\n")
    assert say(f"funmem opt {file} -p one-for-zero --verify-each=values").code == 3  # its own input
    assert say("funmem opt big.fun -p one-for-zero").code == 0  # it is well typed
    assert say("funmem opt big.fun -p one-for-zero --verify-each=values").code == 3  # small inputs


@pytest.mark.usefixtures("program")
def test_a_pass_that_crashes_is_named() -> None:
    said = say("funmem opt big.fun -p simplify,no-replicate --verify-out made")
    assert said.code == 70
    assert "pass no-replicate (2 of 2) broke the program: crash: KeyError in" in said.err
    (file,) = Path("made").iterdir()
    assert say(f"funmem reduce --replay {file}").out.startswith("fails: crash: KeyError in")


@pytest.mark.usefixtures("program")
def test_a_program_that_was_wrong_before() -> None:
    """No pass is blamed for memory that the program itself has wrong."""
    text = """\
entry main [n] [m : mem] (xs : [n]i64 @ m -> 0 + {(n : 1)})
    -> [o : mem] (r : [n]i64 @ o -> 0 + {(n : 1)}) =
  let (b : mem) = alloc 8
  let (r1 : [n]i64 @ b -> 0 + {(n : 1)}) = copy xs
  in (b, r1)
"""
    Path("wrong.fun").write_text(text)
    said = say("funmem opt wrong.fun -p simplify,hoist --verify-each=values")
    assert said.code == 3
    assert "the engines disagree on the program before any pass: heap: " in said.err


@pytest.mark.usefixtures("program")
def test_inputs_are_for_values() -> None:
    assert "are for --verify-each=values" in say("funmem opt big.fun -i 3").err
    Path("p.imp").write_text("entry f { return }")
    assert "only once" in say("funmem opt - --verify-each=values -i -", stdin=PROGRAM).err
    said = say("funmem opt p.imp --verify-each=values")
    assert (said.code, "an IMP program has no other level" in said.err) == (2, True)


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("how", ["", "--safe --for gpu"])
def test_compile_makes_the_same(how: str) -> None:
    """What is compiled after it was checked is what is compiled unchecked."""
    plain, checked = (
        say(f"funmem compile big.fun -o {folder} {how} {each} --json")
        for folder, each in (("a", ""), ("b", "--verify-each=values"))
    )
    assert plain.code == checked.code == 0
    assert plain.json["pipeline"] == checked.json["pipeline"]
    files = sorted(os.listdir("a"))
    assert "big.cl" in files
    assert files == sorted(os.listdir("b"))
    for name in ("big.cl", "big.plan.json"):
        assert Path("a", name).read_text() == Path("b", name).read_text()


@pytest.mark.usefixtures("program")
def test_test_names_the_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program whose results by `value` are right fails if a default pass breaks it: exit 3."""
    comment = "-- ==\n-- input { 3i32 [4i32, 5i32] } auto output\n"
    Path("tested.fun").write_text(comment + PROGRAM)
    monkeypatch.setattr(stage, "FUN", "one-for-zero")

    def here(files: Sequence[str], plan: Plan, **_: object) -> Iterator[tuple[int, Verdict]]:
        for k, file in enumerate(files):
            yield k, check_file(file, plan)

    monkeypatch.setattr(pool, "check_files", here)
    assert say("funmem test tested.fun").code == 0
    said = say("funmem test tested.fun --verify-each values")
    assert said.code == 3
    assert "pass one-for-zero (1 of " in said.out
    (file,) = Path("verify-out").iterdir()
    assert f"reproducer: {file}" in said.out
