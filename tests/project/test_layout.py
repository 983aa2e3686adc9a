"""The checkout: where its rooms import from, and what starting the command loads."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.source_rules import MAY_IMPORT, ROOMS
from tests.support.paths import ROOT


def python(*args: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, *args], cwd=cwd, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("room", ROOMS)
def test_checkout_imports_its_own_rooms(room: str) -> None:
    out = python("-c", f"import funmem.{room}; print(funmem.{room}.__file__)", cwd=ROOT)
    assert Path(out.strip()) == ROOT / room / "__init__.py"


def test_version_command_is_light() -> None:
    script = """if True:
        import runpy, sys
        sys.argv = ["funmem", "--version"]
        try:
            runpy.run_module("funmem", run_name="__main__")
        except SystemExit as end:
            assert not end.code
        print({"numpy", "pyopencl", "sympy"} & sys.modules.keys() or "light")
    """
    version, loaded = python("-c", script, cwd=ROOT).splitlines()
    assert version.startswith("funmem, version ")
    assert loaded == "light"


def test_every_folder_with_code_is_a_package() -> None:
    folders = {path.parent for room in MAY_IMPORT for path in (ROOT / room).rglob("*.py")}
    assert [f for f in sorted(folders) if not (f / "__init__.py").is_file()] == []


def test_nothing_in_the_funmem_folder_hides_a_room() -> None:
    assert [r for r in ROOMS if (ROOT / "funmem" / r).exists()] == []
    assert [r for r in ROOMS if (ROOT / "funmem" / f"{r}.py").exists()] == []
