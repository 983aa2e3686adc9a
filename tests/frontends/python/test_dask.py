"""``papers/dask.md``: its program runs on two worker processes and prints what the page shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGE = ROOT / "papers" / "dask.md"
BLOCK = re.compile(r"<!-- (file|output): (\S+) -->\n```\w*\n(.*?)```\n", re.DOTALL)


@pytest.mark.exhaustive
def test_the_page_runs_on_two_workers(tmp_path: Path) -> None:
    """Blocks, a reduction, xarray, futures; each worker traces once for blocks of all lengths."""
    for package in ("dask.array", "distributed", "xarray"):
        pytest.importorskip(package, reason="needs funmem[dask]")
    found = {(kind, name): text for kind, name, text in BLOCK.findall(PAGE.read_text())}
    for (kind, name), text in found.items():
        if kind == "file":
            (tmp_path / name).write_text(text)
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    done = subprocess.run(
        [sys.executable, "reduction.py"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.stdout == found["output", "reduction.py"], done.stderr
