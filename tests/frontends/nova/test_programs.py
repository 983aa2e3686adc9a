"""NOVA programs do what their test comments say, and are rejected with the message they ought to.

All programs on all engines, and after each pass on Core:

    python -m funmem test tests/programs/nova papers/nova --via value --via heap --via imp --via c \
        --via opencl
    python -m tests.support.core_judge tests/programs/nova
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import funmem
from funmem.frontends.nova.errors import Code
from funmem.ir.diagnostics import SourceError
from funmem.suite.check import Plan, check_file
from funmem.suite.verdict import Status
from tests.frontends.nova.programs import ACCEPTED, BENCHMARKS, REJECTED
from tests.support.core_judge import judge_file
from tests.support.devices import pocl
from tests.support.sampling import sampled

RAGGED = [p for p in ACCEPTED if p.parent.name in ("ragged", "irregular")]
REGULAR = [p for p in ACCEPTED if p not in RAGGED]

LONG = (
    "bfs",
    "given",
    "lists_in_a_map",
    "mapped_deep",
    "own_map",
    "rows_in_tuples",
    "rose_tree",
    "rows_by_operators",
    "rows_kept",
    "rows_of_rows",
    "rows_of_rows_kept",
    "three_levels",
)
"""Programs that take ten seconds or more to lower: they run on request."""

LOWERED = [pytest.param(p, marks=pytest.mark.exhaustive) if p.stem in LONG else p for p in ACCEPTED]


def require_pass(path: Path, vias: Sequence[str]) -> None:
    device = pocl().info.name if "opencl" in vias else None
    verdict = check_file(str(path), Plan(tuple(vias), device=device))
    wrong = [f for f in verdict.findings if f.status is not Status.PASS]
    assert verdict.status in (Status.PASS, Status.EXCLUDED), wrong


@pytest.mark.parametrize("path", sampled(ACCEPTED, 24, 5), ids=lambda p: p.stem)
def test_by_the_value_interpreter(path: Path) -> None:
    require_pass(path, ["value"])


@pytest.mark.parametrize("path", sampled(LOWERED, 48, 41), ids=lambda p: p.stem)
def test_in_memory_and_after_lowering(path: Path) -> None:
    require_pass(path, ["heap", "imp"])


@pytest.mark.parametrize("path", sampled(LOWERED, 120, 5, slow=36), ids=lambda p: p.stem)
def test_as_c(path: Path) -> None:
    require_pass(path, ["c"])


@pytest.mark.opencl
@pytest.mark.parametrize("path", sampled(LOWERED, 120, 7, slow=200), ids=lambda p: p.stem)
def test_on_a_device(path: Path) -> None:
    require_pass(path, ["opencl"])


@pytest.mark.parametrize(
    "path",
    [*sampled([*REGULAR, *BENCHMARKS], 24, 4), *sampled(RAGGED, 10, 2)],
    ids=lambda p: p.stem,
)
def test_the_core_interpreter_agrees_after_each_pass(path: Path) -> None:
    found = judge_file(path, most=3)
    assert found.wrong == ()
    assert found.refused is None
    assert found.calls > 0


# ---------------------------------------------------------------------- rejected


@pytest.mark.parametrize("path", REJECTED, ids=lambda p: p.stem)
def test_rejected(path: Path, golden: Callable[[str, str], None]) -> None:
    """The message says what the first line of the program says, at the right place."""
    text = path.read_text(encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        funmem.parse(text, "nova", name=path.name)
    d = caught.value.diagnostic
    prefix = path.stem.partition("_")[0]
    assert d.code == f"nova-{'type' if prefix == 'built' else prefix}"
    golden(f"../programs/nova/reject/{path.stem}.err", d.render(text) + "\n")


def test_every_code_has_a_program() -> None:
    codes = {f"nova-{p.stem.partition('_')[0]}" for p in REJECTED} - {"nova-built"}
    assert codes == {code.value for code in Code}


def test_no_golden_file_is_left_behind() -> None:
    assert {p.stem for p in REJECTED[0].parent.glob("*.err")} == {p.stem for p in REJECTED}
