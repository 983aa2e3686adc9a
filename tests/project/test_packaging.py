"""An installed copy has every module of the rooms and runs away from the checkout."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

pytest.importorskip("setuptools", minversion="77", reason="builds without isolation")

PLACES = {
    "funmem": Path("funmem"),
    "ir": Path("funmem/ir"),
    "passes": Path("funmem/passes"),
    "interp": Path("funmem/interp"),
    "codegen": Path("funmem/codegen"),
}
KEPT = {".py", ".cl", ".fut", ".json", ".typed"}


def files(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if path.suffix in KEPT}


@pytest.mark.packaging
@pytest.mark.slow
def test_installed_copy(tmp_path: Path) -> None:
    before = {path.name for path in ROOT.iterdir()}
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", site, "."], cwd=ROOT, check=True, stdin=subprocess.DEVNULL)

    expected = {place / f for room, place in PLACES.items() for f in files(ROOT / room)}
    installed = {Path("funmem") / f for f in files(site / "funmem")}
    assert installed == expected
    made = {path.name for path in ROOT.iterdir()} - before
    assert not made & {"build", "funmem.egg-info"}, "the checkout stays clean"

    script = """if True:
        import sys
        sys.path.insert(0, sys.argv[1])
        import funmem, funmem.ir, funmem.passes, funmem.interp, funmem.codegen
        for module in (funmem, funmem.ir, funmem.passes, funmem.interp, funmem.codegen):
            assert module.__file__.startswith(sys.argv[1]), module.__file__
        assert len(funmem.__path__) == 1
    """
    subprocess.run([sys.executable, "-c", script, site], cwd=tmp_path, check=True)
