"""Where funmem keeps things for later when the usual folder cannot be used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from funmem.codegen.device import POCL
from funmem.codegen.folders import private_folder, refused
from funmem.ir.diagnostics import UsageError
from tests.support.devices import needs_compiler
from tests.support.paths import ROOT
from tests.support.sampling import sampled

DOT = "run examples/dot.fun -i [1,2] -i [3,4]"
VARIABLES = ("FUNMEM_CACHE", "POCL_CACHE_DIR", "XDG_CACHE_HOME")


def funmem(command: str, place: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A command of a user whose home is no folder; what it keeps for a while lies in ``place``."""
    env = {x: v for x, v in os.environ.items() if x not in VARIABLES}
    env |= {"HOME": "/dev/null", "TMPDIR": str(place), "FUNMEM_DEVICE": POCL, **more}
    words = [sys.executable, "-m", "funmem", *command.split()]
    return subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    "via",
    sampled(
        [pytest.param("c", marks=needs_compiler), pytest.param("opencl", marks=pytest.mark.opencl)],
        0,
    ),
)
def test_a_home_that_cannot_be_written_to(via: str, tmp_path: Path) -> None:
    """PoCL and pyopencl keep their files there, too; what is kept is found by the next process."""
    for _ in range(2):
        done = funmem(f"{DOT} --via {via}", tmp_path)
        assert (done.returncode, done.stdout) == (0, "11.0f32\n"), done.stderr
        assert done.stderr.startswith(
            "warning[cache]: cannot use the folder /dev/null/.cache/funmem: Not a directory; "
        )
        assert len(done.stderr.splitlines()) == 2, "a warning and a hint"
    (folder,) = tmp_path.glob("funmem-*")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.glob("funmem/programs/*.bin"))


def test_who_keeps_nothing_is_not_told(tmp_path: Path) -> None:
    done = funmem("check examples/dot.fun", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(tmp_path.iterdir())


@pytest.mark.opencl
@pytest.mark.exhaustive
def test_doctor_says_what_is_wrong_with_the_cache(tmp_path: Path) -> None:
    done = funmem("doctor --json", tmp_path)
    found = json.loads(done.stdout)
    assert found["cache"]["lost"].startswith("cannot use the folder /dev/null/.cache/funmem: ")
    assert found["cache"]["folder"].startswith(str(tmp_path))
    assert found["problems"] == []
    assert json.loads(done.stderr)["severity"] == "warning"
    assert "instead of the usual folder: cannot use the folder" in funmem("doctor", tmp_path).stdout


@pytest.mark.parametrize("variable", ["FUNMEM_CACHE", "POCL_CACHE_DIR"])
def test_doctor_says_what_is_wrong_with_a_folder_of_ones_choice(
    variable: str, tmp_path: Path
) -> None:
    """PoCL offers no device without its cache: it is not to be installed again."""
    done = funmem("doctor --json", tmp_path, **{variable: "/dev/null/x"})
    assert done.returncode == 4
    problems = json.loads(done.stdout)["problems"]
    said = f"{variable}: cannot use the folder /dev/null/x: Not a directory"
    assert said in [p["what"] for p in problems]
    if variable == "POCL_CACHE_DIR":
        assert problems[0]["remedy"] == f"PoCL offers no device without its cache, {said}"


def test_a_link_that_somebody_else_may_have_made_is_refused(tmp_path: Path) -> None:
    """In a folder for temporary files, it may lead to anything of the user's."""
    (tmp_path / "mine").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("mine")
    assert private_folder(tmp_path / "link") == tmp_path / "link"
    with pytest.raises(UsageError, match="is a link"):
        private_folder(tmp_path / "link", link=False)


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(tmp_path / "not" / "there" / "yet") is None
    (tmp_path / "file").touch()
    assert str(refused(tmp_path / "file" / "x")).endswith("/file/x: Not a directory")
    assert str(refused(tmp_path / "file")).endswith("/file is not a folder")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    assert str(refused(tmp_path / "x" / "y")).endswith(f"/x/y: {tmp_path} cannot be written to")
