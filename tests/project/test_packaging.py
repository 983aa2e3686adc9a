"""An installed copy has every module of the rooms and runs away from the checkout."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
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


def expected() -> set[Path]:
    return {place / f for room, place in PLACES.items() for f in files(ROOT / room)}


def site_of_environment() -> Path | None:
    """Where the environment has an installed copy of this checkout; None if it has none.

    ``.ci/run`` has installed one, and building another takes ten seconds.
    """
    try:
        found = distribution("funmem")
    except PackageNotFoundError:
        return None
    have = {Path(f) for f in found.files or () if f.suffix in KEPT and f.parts[0] == "funmem"}
    return Path(str(found.locate_file(""))) if have == expected() else None


def build(site: Path) -> Path:
    before = {path.name for path in ROOT.iterdir()}
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", site, "."], cwd=ROOT, check=True, stdin=subprocess.DEVNULL)
    made = {path.name for path in ROOT.iterdir()} - before
    assert not made & {"build", "funmem.egg-info"}, "the checkout stays clean"
    return site


@pytest.mark.packaging
@pytest.mark.slow
def test_installed_copy(tmp_path: Path) -> None:
    site = site_of_environment() or build(tmp_path / "site")
    assert {Path("funmem") / f for f in files(site / "funmem")} == expected()

    script = """if True:
        import sys
        sys.path.insert(0, sys.argv[1])
        import funmem, funmem.ir, funmem.passes, funmem.interp, funmem.codegen
        for module in (funmem, funmem.ir, funmem.passes, funmem.interp, funmem.codegen):
            assert module.__file__.startswith(sys.argv[1]), module.__file__
        assert len(funmem.__path__) == 1
    """
    subprocess.run([sys.executable, "-c", script, site], cwd=tmp_path, check=True)
