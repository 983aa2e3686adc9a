"""What our own programs hold in memory: counts derived by hand, and what broke other compilers.

Protects every memory pass at once: each program under ``tests/programs/memory`` says in its first
lines why it needs so many blocks and copies, and a ``structure`` comment counts them after the
default pipeline.  Its cases run by the value, the heap and the IMP interpreter.

    python -m funmem test tests/programs/memory --structure --via value --via heap --via imp

The classes of programs that broke real compilers have a table in ``papers/funmem/memory.md``; each
has a file there, among ours or in another test.
"""

import re
from pathlib import Path

import pytest

from funmem.driver.source import read
from funmem.suite.check import Plan, check_file
from funmem.suite.program import COUNTED, Compiled, compile_source
from funmem.suite.reader import read_spec
from funmem.suite.verdict import Status
from tests.support.paths import ROOT
from tests.support.sampling import sampled

FOLDER = ROOT / "tests" / "programs" / "memory"
PROGRAMS = sorted(FOLDER.rglob("*.fut"))
TOPICS = {"map", "concat", "copy", "if", "loop", "chain", "lu", "in_place", "broken"}
TABLE = ROOT / "papers" / "funmem" / "memory.md"


def named(file: Path) -> str:
    return str(file.relative_to(FOLDER))


def wanted(file: Path) -> dict[str, int]:
    """What a program's comment counts at ``seq-mem``."""
    counts = read_spec(file.read_text(encoding="utf-8"), file.name).counts
    return {node: n for c in counts if c.stage == "seq-mem" for node, n in c.nodes}


@pytest.mark.parametrize("file", sampled(PROGRAMS, 48), ids=named)
def test_counts_and_values(file: Path) -> None:
    verdict = check_file(str(file), Plan(("value", "heap", "imp"), structure=True))
    assert verdict.status is Status.PASS, [f.sentence for f in verdict.findings]


def test_there_are_enough_of_them_and_each_says_why() -> None:
    assert {f.parent.name for f in PROGRAMS} == TOPICS
    assert len(PROGRAMS) >= 60
    for file in PROGRAMS:
        assert set(wanted(file)) == {*COUNTED}, f"{named(file)} counts something else"
        first = file.read_text(encoding="utf-8").partition("\n-- ==")[0]
        assert first.startswith("-- "), f"{named(file)} does not say why"


def test_many_need_no_block_at_all() -> None:
    none = [f for f in PROGRAMS if wanted(f) == {"Alloc": 0, "Copy": 0}]
    assert len(none) >= 30
    assert {f.parent.name for f in none} >= {"map", "copy", "if", "loop", "lu", "in_place"}


def test_a_wrong_count_fails(tmp_path: Path) -> None:
    text = (FOLDER / "map" / "result.fut").read_text(encoding="utf-8")
    file = tmp_path / "result.fut"
    file.write_text(text.replace("Alloc 1 Copy 0", "Alloc 0 Copy 1"), encoding="utf-8")
    verdict = check_file(str(file), Plan(("value",), structure=True))
    assert [f.kind for f in verdict.findings] == ["wrong number of nodes"] * 2


def test_what_is_counted() -> None:
    """A copy to where the array lies already is none, and a scatter is none; arguments are no
    allocation, results are one; a GPU gets its own memory.
    """
    program = compile_source(read(str(FOLDER / "in_place" / "scatter.fut")))
    assert isinstance(program, Compiled)
    assert [program.occurrences(node, "seq-mem") for node in COUNTED] == [0, 0]
    program = compile_source(read(str(FOLDER / "copy" / "returned_argument.fut")))
    assert isinstance(program, Compiled)
    assert [program.occurrences(node, "gpu-mem") for node in COUNTED] == [1, 1]


# ---------------------------------------------------------------------- what broke compilers


def classes() -> dict[str, list[str]]:
    """The table in memory.md: a class of programs, and the files that test it."""
    text = TABLE.read_text(encoding="utf-8")
    _, _, rest = text.partition("## What broke other compilers")
    rows = re.findall(r"^\| (.+?) \| (`.+`) \|$", rest, re.M)
    return {what: re.findall(r"`([^`]+)`", files) for what, files in rows}


def test_every_class_that_broke_a_compiler_has_tests() -> None:
    found = classes()
    assert len(found) == 13
    for what, files in found.items():
        assert any(f.startswith("tests/programs/memory/broken/") for f in files), what
        for f in files:
            assert (ROOT / f).is_file(), f"{what}: there is no {f}"
    mentioned = {ROOT / f for files in found.values() for f in files}
    assert {*(FOLDER / "broken").glob("*.fut")} <= mentioned
