"""Harlan programs do what their test comments say, and are rejected with the message they ought to.

All of them, each on its own:  python -m funmem test tests/programs/harlan
"""

import io
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import funmem
from funmem.driver.options import Engine
from funmem.driver.process import run_process
from funmem.driver.source import Source, read
from funmem.frontends.harlan.errors import Code
from funmem.frontends.harlan.parser import LIBRARIES
from funmem.ir.check.core import check_core
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import SourceError, Trap
from funmem.suite.check import Plan, check_file
from funmem.suite.process import differences, read_process_spec
from funmem.suite.verdict import Status
from tests.frontends.harlan.programs import ACCEPTED, REJECTED
from tests.support.devices import pocl
from tests.support.paths import TESTS
from tests.support.sampling import sampled

PRINTS = TESTS / "programs" / "harlan" / "io" / "print_in_tail_calls.kfc"
AREAS = sorted({p.parent.name for p in ACCEPTED})


@pytest.mark.parametrize("area", sampled(AREAS, 9, 5))
def test_every_program_does_what_its_comment_says(
    area: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By Core's interpreter; the translation is well-typed Core."""
    monkeypatch.chdir(tmp_path)  # some programs write files
    wrong: list[str] = []
    for path in (p for p in ACCEPTED if p.parent.name == area):
        source = read(str(path))
        spec = read_process_spec(source.text, path.name)
        assert spec is not None, path
        tree = source.tree()
        assert isinstance(tree, CoreProgram)
        check_core(tree)
        wrong += [f"{path.stem}: {' | '.join(d)}" for d in differences(source, spec)]
    assert not wrong


def outcome(path: Path, engine: Engine) -> Sequence[tuple[str, str, str]]:
    """What a program does otherwise than its comment says, by an engine below Core."""
    source = read(str(path))
    spec = read_process_spec(source.text, path.name)
    assert spec is not None
    return differences(source, spec, engine, pocl().info.name if engine is Engine.OPENCL else None)


LOWERED = [p for p in ACCEPTED if "\n; via core\n" not in p.read_text(encoding="utf-8")]


VIA_CORE = [p for p in ACCEPTED if p not in LOWERED]


WHY: dict[str, str] = {}
"""The programs that are marked, and what happens to them below Core; none is at present."""


def happens(path: Path, engine: Engine, limit: float) -> str:
    """What happens to a program within so many seconds: ``runs``, the time limit, or an error."""
    command = [sys.executable, "-m", "funmem", "run", str(path), "--via", engine.value]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return "time limit"
    found = re.search(r"error\[[^]]*\]", done.stderr)
    return found.group() if found else "runs"


def test_only_known_programs_are_marked_via_core() -> None:
    assert sorted(p.stem for p in VIA_CORE) == sorted(WHY)


def test_a_time_limit_is_no_refusal() -> None:
    """Finds a test of marks that takes each failure for the expected one."""
    missing = TESTS / "programs" / "harlan" / "errors" / "missing_file.kfc"
    assert happens(missing, Engine.CORE, 60) == "error[assertion failed]"
    assert happens(missing, Engine.CORE, 0.001) == "time limit"


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", VIA_CORE, ids=lambda p: p.stem)
def test_a_mark_is_not_stale(path: Path) -> None:
    """A program that runs within a minute needs no mark; one that fails otherwise is a fault."""
    assert happens(path, Engine.VALUE, 60) == WHY[path.stem]


@pytest.mark.parametrize("path", sampled(LOWERED[::4], 14, 3), ids=lambda p: p.stem)
def test_by_the_value_interpreter(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert outcome(path, Engine.VALUE) == []


def test_tail_calls_print_once() -> None:
    """Finds an effect of the last step that the loop of a tail call repeats."""
    assert outcome(PRINTS, Engine.VALUE) == []


@pytest.mark.parametrize("path", sampled(LOWERED[1::12], 10, 2), ids=lambda p: p.stem)
def test_in_memory_and_after_lowering(path: Path) -> None:
    assert outcome(path, Engine.HEAP) == []
    assert outcome(path, Engine.IMP) == []


@pytest.mark.parametrize("path", sampled(LOWERED[::20], 6, 2), ids=lambda p: p.stem)
def test_as_c(path: Path) -> None:
    """The foreign functions in C print what those in Python do."""
    assert outcome(path, Engine.C) == []


@pytest.mark.slow
def test_compiled_code_that_cannot_open_a_file_traps() -> None:
    """Finds a foreign function that ends the process, and a directory that opens as a file."""
    missing = TESTS / "programs" / "harlan" / "errors" / "missing_file.kfc"
    assert outcome(missing, Engine.C) == []
    text = missing.read_text(encoding="utf-8").replace("/no/such/file", "/")
    for engine in (Engine.CORE, Engine.C):
        with pytest.raises(Trap, match="cannot open the file") as caught:
            run_process(Source("a.kfc", text, "kfc"), [], io.BytesIO(), engine)
        assert caught.value.diagnostic.at.line == 7


ON_DEVICE = [p for p in LOWERED if p.stem != "arguments"]
"""A kernel reads the command line there, and devices have no such function."""


@pytest.mark.opencl
@pytest.mark.parametrize("path", sampled(ON_DEVICE[5::24], 10, 3, slow=9), ids=lambda p: p.stem)
def test_on_a_device(path: Path) -> None:
    assert outcome(path, Engine.OPENCL) == []


def test_there_are_programs_for_each_area() -> None:
    assert len(AREAS) == 15
    for area in AREAS:
        assert sum(p.parent.name == area for p in ACCEPTED) >= 5, area
    assert len(ACCEPTED) + len(REJECTED) >= 150


def test_each_library_is_imported_by_a_program() -> None:
    texts = "\n".join(p.read_text(encoding="utf-8") for p in ACCEPTED)
    assert [n for n in LIBRARIES[1:] if f"(import {n})" not in texts] == []


def test_a_wrong_comment_is_reported(tmp_path: Path) -> None:
    """The output, the exit status and a missing error."""
    for comment in ("prints\n;   2", "status 1", "error: out of bounds"):
        path = tmp_path / "a.kfc"
        path.write_text(f"; ==\n; {comment}\n(module (define (main) (println 1)))\n")
        verdict = check_file(str(path), Plan(("core",)))
        assert verdict.status is Status.FAIL, comment
    path.write_text("; ==\n; prints\n;   1\n(module (define (main) (println 1)))\n")
    assert check_file(str(path), Plan(("core",))).status is Status.PASS


# ---------------------------------------------------------------------- rejected


@pytest.mark.parametrize("path", REJECTED, ids=lambda p: p.stem)
def test_rejected(path: Path, golden: Callable[[str, str], None]) -> None:
    """The message says what the first line of the program says, at the right place."""
    text = path.read_text(encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        funmem.parse(text, "kfc", name=path.name)
    d = caught.value.diagnostic
    assert d.code == f"harlan-{path.stem.partition('_')[0]}"
    golden(f"../programs/harlan/reject/{path.stem}.err", d.render(text) + "\n")


def test_every_code_has_a_program() -> None:
    codes = {f"harlan-{p.stem.partition('_')[0]}" for p in REJECTED}
    assert codes == {code.value for code in Code}


def test_no_golden_file_is_left_behind() -> None:
    assert {p.stem for p in REJECTED[0].parent.glob("*.err")} == {p.stem for p in REJECTED}
