"""What the compiler made of a program before (``funmem/driver/compile_cache.py``): the same, and
only for the same.

A plan that is taken from the cache is trusted: a stale one would be a wrong result that no test of
a pass could find.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from funmem.codegen.c import CProgram
from funmem.codegen.cache import Cache
from funmem.driver import compilation, own_files
from funmem.driver import compile_cache as memo
from funmem.driver.engines import prepare, recalled
from funmem.driver.options import Engine, Options
from funmem.driver.processors import this_processor
from funmem.driver.source import Source
from funmem.driver.stages import default_pipeline
from funmem.driver.stored_tunings import NONE, keep_for_machine, place_of_c
from funmem.ir.diagnostics import FunmemError, Trap
from funmem.passes.framework import AnyProgram, Report
from funmem.passes.runner import Pipeline
from funmem.passes.tuning import DEFAULTS, Tuning
from tests.support.devices import POCL, has_pocl
from tests.support.paths import ROOT
from tests.support.sampling import sampled

TEXT = "def main (xs: []i32) (i: i64) = (map (* 2) xs)[i]"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(memo, "BEGAN", 1 << 62)  # whatever was edited last
    forget = memo.compiler.cache_clear
    forget()
    yield tmp_path / "cache" / memo.FOLDER
    forget()


def parsed(text: str = TEXT, file: str = "x.fut") -> AnyProgram:
    return Source(file, text, "fut").parse()


def kept(folder: Path) -> int:
    return len(list(folder.glob("*.bin"))) if folder.exists() else 0


def answer(options: Options, program: AnyProgram, engine: Engine = Engine.C) -> object:
    runner = prepare(program, engine, options)
    return runner.run("main", (np.arange(4, dtype=np.int32), 3)).values


@pytest.mark.parametrize("engine", [Engine.C, Engine.OPENCL])
def test_a_second_time_needs_no_passes(
    engine: Engine, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine is Engine.OPENCL and not has_pocl():
        pytest.skip("PoCL is not installed (pip install pocl-binary-distribution)")
    options = Options(device=POCL if engine is Engine.OPENCL else None, safe=True)
    first = prepare(parsed(), engine, options)
    expected = first.run("main", ([1, 2, 3], 2)).values
    assert kept(cache) == 1

    def never(*_: object, **__: object) -> None:
        raise AssertionError("it was compiled again")

    monkeypatch.setattr(compilation, "lowered_to", never)
    again = prepare(parsed(), engine, options)
    assert again.run("main", ([1, 2, 3], 2)).values == expected
    assert str(again.pipeline) == str(first.pipeline)
    with pytest.raises(AssertionError, match="compiled again"):
        prepare(parsed(), engine, evolve(options, cache=False))


def test_what_is_read_is_what_was_made() -> None:
    """Plans with control flow, traps, tasks and scratch memory come back as they were."""
    for name in ("lu", "filter"):
        path = ROOT / "papers" / "benchmarks" / name / f"{name}.fut"
        program = Source(str(path), path.read_text(encoding="utf-8"), "fut").parse()
        made, passes = compilation.compile_c_program(program, "program", Options())
        store = lambda: Cache.of("x")  # noqa: E731

        def make(of: CProgram = made, by: Pipeline = passes) -> tuple[CProgram, Pipeline]:
            return of, by

        for _ in range(2):
            found, way = memo.remember(CProgram, program, (), make, store)
            assert found == made
            assert str(way()) == str(passes)


def test_the_key_has_the_options(cache: Path) -> None:
    for safe in (True, False, True):
        answer(Options(safe=safe), parsed())
    assert kept(cache) == 2


def test_the_key_has_tunings(cache: Path) -> None:
    answer(Options(tuned=True), parsed())
    for n in (2, 4, 2):
        tuning = {parsed().entries[0].name: Tuning(strip=n)}
        answer(Options(tunings=tuning), parsed())
    assert kept(cache) == 3


def test_errors_name_the_place_where_the_text_is_now(cache: Path) -> None:
    """The same program two lines further down, or in another file, is another one."""
    for text, file, place in (
        (TEXT, "x.fut", "x.fut:1:"),
        (f"\n\n{TEXT}", "x.fut", "x.fut:3:"),
        (TEXT, "y.fut", "y.fut:1:"),
    ):
        runner = prepare(parsed(text, file), Engine.C, Options(safe=True))
        with pytest.raises(Trap) as caught:
            runner.run("main", ([1, 2, 3], 7))
        assert str(caught.value.diagnostic.at).startswith(place)
    assert kept(cache) == 3


def test_another_compiler_is_another_key(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(Options(), parsed())
    monkeypatch.setattr(memo, "compiler", lambda: "another")
    answer(Options(), parsed())
    assert kept(cache) == 2


def test_the_compiler_is_all_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is changed, added or renamed makes another compiler."""
    for room in ("funmem", *own_files.ROOMS):
        (tmp_path / room).mkdir()
    file = tmp_path / "passes" / "fuse.py"
    file.write_text("one", encoding="utf-8")

    class Package:
        def __init__(self, name: str) -> None:
            self.__path__ = [str(tmp_path / name.rpartition(".")[2])]

    monkeypatch.setattr(own_files, "import_module", Package)

    def now() -> str | None:
        memo.compiler.cache_clear()
        return memo.compiler()

    seen = [now()]
    os.utime(file, ns=(1, 1))
    seen.append(now())
    file.write_text("two!", encoding="utf-8")
    seen.append(now())
    file.rename(tmp_path / "ir" / "fuse.py")
    seen.append(now())
    (tmp_path / "passes" / "prelude.fut").write_text("", encoding="utf-8")
    seen.append(now())
    assert len({*seen}) == len(seen)
    assert None not in seen
    (tmp_path / "passes" / "__pycache__").mkdir()
    (tmp_path / "passes" / "__pycache__" / "fuse.pyc").write_text("", encoding="utf-8")
    assert now() == seen[-1]


def test_own_files_are_each_there_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a checkout, and in an installed copy, whose rooms are inside: with the same names."""
    here = [name for name, _ in own_files.own_files()]
    assert len({*here}) == len(here)
    assert {"driver/compile_cache.py", "ir/record.py", "interp/value.py"} <= {*here}
    for name in here:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    class Package:
        def __init__(self, name: str) -> None:
            self.__path__ = [str(tmp_path.joinpath(*name.split(".")[1:]))]

    monkeypatch.setattr(own_files, "import_module", Package)
    assert sorted(name for name, _ in own_files.own_files()) == sorted(here)


def test_a_compiler_that_was_edited_keeps_nothing(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a process runs that was started before is not what its files say."""
    monkeypatch.setattr(memo, "BEGAN", 1)
    assert answer(Options(), parsed()) == answer(Options(), parsed())
    assert kept(cache) == 0


@pytest.mark.parametrize(
    "options",
    [
        Options(cache=False),
        Options(pipeline=Pipeline.parse("simplify,allocate,lower")),
        Options(trust=Report(), safe=True),
    ],
    ids=["no cache", "passes of one's own", "a report"],
)
def test_what_is_not_kept(options: Options, cache: Path) -> None:
    answer(options, parsed())
    assert kept(cache) == 0


def test_damage_is_no_result(cache: Path) -> None:
    expected = answer(Options(), parsed())
    (file,) = cache.glob("*.bin")
    file.write_bytes(file.read_bytes()[:-1])
    assert answer(Options(), parsed()) == expected


@pytest.mark.parametrize(
    "content",
    sampled(
        [b"", b"{", b"\xff", b"[]", b"7", b"{}", b"[" * 100_000, b'{"passes": "", "plan": "[]"}'],
        6,
        slow=6,
    ),
)
def test_what_cannot_be_read_is_no_result(content: bytes, cache: Path) -> None:
    """As if another compiler had written it under the same name: by the program, or its text."""
    options = Options(text="the text that the program was")
    expected = answer(options, parsed())
    files = list(cache.glob("*.bin"))
    assert len(files) == 2
    for file in files:
        Cache(cache).put(file.stem, content)
        assert answer(options, parsed()) == expected


def test_a_program_that_is_wrong_is_wrong_again() -> None:
    for _ in range(2):
        with pytest.raises(FunmemError):
            answer(Options(), parsed("def main (xs: []i32) (i: i64) = xs[i] + 1.5f32"))


def test_what_a_tree_remembers_is_no_part_of_its_key() -> None:
    """Passes note free names in the tree; pickled, they were another key, or could not be."""
    program = parsed((ROOT / "tests/programs/users/growing_arrays.fut").read_text(encoding="utf-8"))
    before = memo._digest(program)
    default_pipeline().run(program)
    assert memo._digest(program) == before


@pytest.mark.slow
def test_processes_agree_on_the_key(tmp_path: Path) -> None:
    """Nothing in it depends on addresses, or on the order of a set."""
    file = tmp_path / "x.fut"
    file.write_text(TEXT, encoding="utf-8")
    command = [sys.executable, "-m", "funmem", "run", str(file), "--via", "c"]
    command += ["-i", "[1i32, 2i32]", "-i", "1"]
    for k in range(3):
        folder = tmp_path / "cache"
        env = {**os.environ, "FUNMEM_CACHE": str(folder), "PYTHONHASHSEED": str(k)}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        assert done.stdout == "4i32\n"
        assert kept(folder / memo.FOLDER) == 2, "the program, and its text"


# ---------------------------------------------------------------------- by its text


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """``funmem run`` in a process in which no `.fut` program can be parsed again."""
    return subprocess.run(
        [sys.executable, "-c", UNREADABLE, "run", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


UNREADABLE = """
import sys
from pathlib import Path
from funmem.cli import main
from funmem.driver.processors import this_processor
from funmem.driver.source import Source

if Path("ready").exists():
    def parse(*_):
        raise SystemExit("parsed")
    Source.tree = parse
main(sys.argv[1:])
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("engine", ["c", "opencl"])
def test_a_program_that_is_known_is_not_parsed(engine: str, tmp_path: Path) -> None:
    """Its errors are those that it had: entry points, arguments, traps."""
    if engine == "opencl" and not has_pocl():
        pytest.skip("PoCL is not installed (pip install pocl-binary-distribution)")
    (tmp_path / "x.fut").write_text(f"{TEXT}\nentry other (x: i32) = x + 1", encoding="utf-8")
    command = ["x.fut", "--via", engine, *(["--device", POCL] if engine == "opencl" else [])]
    calls = (
        ["-i", "[1i32, 2i32]", "-i", "1"],
        ["-i", "[1i32, 2i32]", "-i", "7"],
        ["--entry", "none", "-i", "5"],
        ["--entry", "other", "-i", "5", "--json"],
    )
    first = [run(*command, *c, folder=tmp_path) for c in calls]
    (tmp_path / "ready").touch()
    again = [run(*command, *c, folder=tmp_path) for c in calls]
    said = [(d.returncode, d.stdout, d.stderr) for d in first[:-1]]
    assert [(d.returncode, d.stdout, d.stderr) for d in again[:-1]] == said
    assert [code for code, _, _ in said] == [0, 1, 2]
    assert first[-1].stdout.split('"prepare_seconds"')[0] in again[-1].stdout


@pytest.mark.exhaustive
def test_what_is_parsed_again(tmp_path: Path) -> None:
    """Another text, name, options, or tunings that this program may have."""
    (tmp_path / "x.fut").write_text(TEXT, encoding="utf-8")
    (tmp_path / "y.fut").write_text(TEXT, encoding="utf-8")
    (tmp_path / "spaced.fut").write_text(TEXT + " ", encoding="utf-8")
    (tmp_path / "x.fun").write_text(TEXT, encoding="utf-8")
    words = ["--via", "c", "-i", "[1i32, 2i32]", "-i", "1"]
    assert run("x.fut", *words, folder=tmp_path).stdout == "4i32\n"
    (tmp_path / "ready").touch()
    assert run("x.fut", *words, folder=tmp_path).stdout == "4i32\n"

    def parsed_again(*command: str) -> bool:
        done = run(*command, *words, folder=tmp_path)
        return (done.stdout, done.stderr) == ("", "parsed\n")

    for command in (
        ("y.fut",),
        ("spaced.fut",),
        ("x.fun",),
        ("x.fut", "--fast"),
        ("x.fut", "--no-cache"),
        ("x.fut", "--against", "value"),
        ("x.fut", "-p", "simplify"),
        ("x.fut", "--trust"),
    ):
        assert parsed_again(*command), command
    (tmp_path / "cache" / "tuning").mkdir(mode=0o700)
    assert parsed_again("x.fut")


@pytest.mark.slow
def test_a_tuned_program_is_recalled(cache: Path) -> None:
    """With the tunings that it was compiled with, until others are stored."""
    assert not cache.exists()
    options = Options(tuned=True, safe=True, text=f"fut:x.fut:{TEXT}")
    first = prepare(parsed(), Engine.C, options)
    assert recalled(Engine.C, options) is not None
    keep_for_machine(place_of_c(), DEFAULTS[this_processor()].changed({"rows": 3}))
    assert recalled(Engine.C, options) is None
    tuned = prepare(parsed(), Engine.C, options)
    known = recalled(Engine.C, options)
    assert known is not None
    assert (first.tunings, known[0].tunings) == (NONE, tuned.tunings)
    assert {x: t.changes() for x, t in tuned.tunings.items()} == {"main": {"rows": 3}}
    assert str(known[0].pipeline) == str(tuned.pipeline)


@pytest.mark.slow
def test_a_program_that_imports_is_parsed_again(tmp_path: Path) -> None:
    """The text of what it imports may be another one now."""
    (tmp_path / "lib.fut").write_text("def f (x: i32) = x + 1", encoding="utf-8")
    (tmp_path / "x.fut").write_text('import "lib"\nentry main = f', encoding="utf-8")
    command = ["x.fut", "--via", "c", "-i", "1"]
    assert run(*command, folder=tmp_path).stdout == "2i32\n"
    (tmp_path / "lib.fut").write_text("def f (x: i32) = x + 2", encoding="utf-8")
    assert run(*command, folder=tmp_path).stdout == "3i32\n"
