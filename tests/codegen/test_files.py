"""Files are written beside their place and renamed: who uses the old one keeps it, and a disk that
is full leaves it as it was."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from funmem.codegen.files import append, write_file, write_files
from funmem.ir.diagnostics import UsageError
from tests.support.command_line import say
from tests.support.devices import needs_compiler
from tests.support.paths import ROOT
from tests.support.sampling import sampled

IOTA = """\
entry main (n : i64) -> (r : [n]i64) =
  let (xs : [n]i64) = iota [n] 0 1
  in (xs)
"""
WRONG = """\
entry main (n : i64) -> (r : i64) =
  let (x : i64) = n // 0
  in (x)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "iota.fun").write_text(IOTA)
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))
    return tmp_path


def python(script: str, place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What a script in a process of its own says."""
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )


# ---------------------------------------------------------------------- who uses the old file


@pytest.mark.slow
@needs_compiler
def test_a_library_that_is_loaded_survives_being_compiled_again(place: Path) -> None:
    """Overwritten in place, it kills the process at the next call."""
    script = """
import sys
from pathlib import Path
from tests.support.command_line import say
said = say("funmem compile iota.fun --target c -o lib")
assert said.code == 0, said
sys.path.insert(0, "lib")
import iota
print(iota.main(3))
text = Path("iota.fun").read_text()
Path("iota.fun").write_text(text.replace("0 1", "7 1"))
assert say("funmem compile iota.fun --target c -o lib").code == 0
print(iota.main(3))
"""
    done = python(script, place)
    assert (done.returncode, done.stdout) == (0, "[0 1 2]\n[0 1 2]\n"), done.stderr
    again = python("import sys; sys.path.insert(0, 'lib'); import iota; print(iota.main(3))", place)
    assert again.stdout == "[7 8 9]\n"


def test_a_file_that_is_open_keeps_its_content(place: Path) -> None:
    write_file(place / "x", "old")
    with (place / "x").open() as old:
        write_file(place / "x", "new")
        assert old.read() == "old"
    assert (place / "x").read_text() == "new"


# ---------------------------------------------------------------------- a full disk

FULL = """
import os, resource, signal, sys
from funmem.cli import main
# Python does not notice that a file of bytecode is cut off, in this process or in its workers.
sys.dont_write_bytecode, os.environ["PYTHONDONTWRITEBYTECODE"] = True, "1"
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
main(sys.argv[1:])
"""
"""The command line where no file can be longer than 200 bytes: as on a disk that is full."""

WRITERS = {
    "run-npy": "run iota.fun -i 400 -o old.npy",
    "run-npz": "run iota.fun -i 400 -o old.npz",
    "run-binary": "run iota.fun -i 400 -o old.bin",
    "explain": "explain iota.fun --html old.html",
    "compile": "compile iota.fun --no-cache -o . --name old",
    "reduce": "reduce race.funmem -p sequentialise -i 4 -o old.funmem",
    "fuzz": "fuzz -n 1 --state old.state",
}


@pytest.mark.parametrize("name", sampled(WRITERS, 7, 2))
def test_a_full_disk_leaves_the_old_files_and_is_named(name: str, place: Path) -> None:
    command = WRITERS[name]
    (place / "race.funmem").write_bytes(
        (ROOT / "tests/ir/check/broken/race-block-shared-by-threads.funmem").read_bytes()
    )
    names = ["old.npy", "old.npz", "old.bin", "old.html", "old.funmem"]
    names += ["old.py", "old.cl", "old.plan.json"]
    for old in names:
        (place / old).write_text("mine")
    before = {p.name for p in place.iterdir()}
    done = python(FULL, place, *command.split())
    assert done.returncode == 2, done.stderr
    assert "error[output]: cannot write to `" in done.stderr
    assert "old" in done.stderr
    assert "File too large" in done.stderr
    assert {old: (place / old).read_text() for old in names} == dict.fromkeys(names, "mine")
    assert {p.name for p in place.iterdir()} - before <= {"old.state"}


@pytest.mark.parametrize("suffix", ["", "/x.npy"])
def test_a_device_that_is_full_is_named(suffix: str) -> None:
    said = say(f"funmem run iota.fun -i 4 -o /dev/full{suffix}")
    assert said.code == 2
    assert f"cannot write to `/dev/full{suffix}`: " in said.err


def test_files_that_belong_together_are_all_new_or_all_old(place: Path) -> None:
    """The third one cannot be written: the first two stay what they were."""
    for name in "ab":
        write_file(place / name, "old")
    with pytest.raises(UsageError, match=r"cannot write to `.*/no/c`"):
        write_files(place, {"a": "new", "b": "new", "no/c": "new"})
    assert (place / "a").read_text() == (place / "b").read_text() == "old"
    assert not list(place.glob(".new-*"))


# ---------------------------------------------------------------------- places


def test_permissions_stay_and_new_files_have_the_usual_ones(place: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_file(place / "new", b"")
        write_file(place / "old", b"")
        (place / "old").chmod(0o751)
        write_file(place / "old", b"")
    finally:
        os.umask(mask)
    assert (place / "new").stat().st_mode & 0o777 == 0o640
    assert (place / "old").stat().st_mode & 0o777 == 0o751


def test_a_link_is_replaced_not_followed(place: Path) -> None:
    write_file(place / "victim", "mine")
    (place / "victim").chmod(0o400)
    (place / "link").symlink_to("victim")
    write_file(place / "link", "new")
    assert (place / "victim").read_text() == "mine"
    assert not (place / "link").is_symlink()
    assert os.access(place / "link", os.W_OK)


def test_what_is_no_file_is_written_as_it_is(place: Path) -> None:
    """A rename would put a file into the place of the device, or of ``/dev/stdout`` itself."""
    done = python(
        "from pathlib import Path; from funmem.codegen.files import write_file\n"
        "write_file(Path('/dev/null'), 'x'); write_file(Path('/dev/stdout'), 'out')",
        place,
    )
    assert (done.returncode, done.stdout) == (0, "out"), done.stderr
    assert Path("/dev/null").is_char_device()
    assert Path("/dev/stdout").is_symlink()


def test_what_grows_is_appended_to(place: Path) -> None:
    for line in ("a\n", "b\n"):
        append(place / "log", line)
    assert (place / "log").read_text() == "a\nb\n"
    with pytest.raises(UsageError, match="cannot write to"):
        append(place / "no" / "log", "a")
