"""vendors: registrations of OpenCL drivers that name a library of another machine."""

import os
from pathlib import Path

import pytest

from funmem.codegen import vendors


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment with three registrations, of which one can be mended."""
    monkeypatch.setenv(vendors.VARIABLE, "")
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(vendors, "SYSTEM", tmp_path / "system")
    folder, lib = tmp_path / "env" / "etc" / "OpenCL" / "vendors", tmp_path / "env" / "lib"
    for made in (folder, lib, tmp_path / "system"):
        made.mkdir(parents=True)
    (lib / "libcpu.so").touch()
    (folder / "cpu.icd").write_text("/elsewhere/lib/libcpu.so\n")
    (folder / "emulator.icd").write_text("/elsewhere/lib/libemulator.so\n")
    (folder / "right.icd").write_text(f"{lib / 'libcpu.so'}\n")
    (tmp_path / "system" / "other.icd").write_text("libother.so.1\n")
    return tmp_path / "env"


def test_a_wrong_path_is_mended_and_the_drivers_of_the_system_stay(environment: Path) -> None:
    folder = vendors.register(environment)
    assert folder is not None
    assert {f.name: f.read_text() for f in folder.iterdir()} == {
        "cpu.icd": f"{environment / 'lib' / 'libcpu.so'}\n",
        "other.icd": "libother.so.1\n",
    }
    assert os.environ[vendors.VARIABLE] == str(folder)


def test_the_choice_of_the_user_stays(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(vendors.VARIABLE, "/chosen")
    assert vendors.register(environment) is None
    assert os.environ[vendors.VARIABLE] == "/chosen"


def test_nothing_to_mend_changes_nothing(environment: Path) -> None:
    (environment / "lib" / "libcpu.so").unlink()
    assert vendors.register(environment) is None
    assert os.environ[vendors.VARIABLE] == ""
