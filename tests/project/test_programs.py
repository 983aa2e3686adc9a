"""Our own programs in the array language do what their test comments say.

Protects the whole way from the surface syntax to kernels.  Here every program runs by the value
interpreter, a part of them by the heap and IMP interpreters, and a smaller part on PoCL; all of
them by all engines is a command of its own:

    python -m funmem test tests/programs papers/applications --via value --via heap --via imp \
        --via opencl
"""

import importlib.util
from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

import funmem
from funmem.suite.check import Plan, check_file
from funmem.suite.verdict import Status
from tests.support.devices import pocl
from tests.support.paths import ROOT
from tests.support.sampling import sampled

PROGRAMS = sorted(
    str(p.relative_to(ROOT))
    for folder in ("tests/programs", "papers/applications", "papers/comprehensions")
    for p in (ROOT / folder).rglob("*.fut")
)
SMALL = [p for p in PROGRAMS if p.startswith("tests/programs/tier1/")]
LARGE = [pytest.param(p, marks=pytest.mark.exhaustive) for p in PROGRAMS if p not in SMALL]
"""Programs that may take a minute to lower: they run on request."""
APPLICATIONS = sorted(p.parent.name for p in ROOT.glob("papers/applications/*/reference.py"))


def require_pass(path: str, vias: Sequence[str]) -> None:
    """The program passes by these engines; what a part of Tier 3 says is not supported may be."""
    device = pocl().info.name if "opencl" in vias else None
    verdict = check_file(str(ROOT / path), Plan(tuple(vias), device=device))
    wrong = [f for f in verdict.findings if f.status is not Status.PASS]
    assert verdict.status in (Status.PASS, Status.EXCLUDED), wrong


@pytest.mark.parametrize("path", sampled(PROGRAMS, 72, 4))
def test_by_the_value_interpreter(path: str) -> None:
    require_pass(path, ["value"])


@pytest.mark.parametrize("path", [*sampled(SMALL[::4], 24, 3), *LARGE[::12]])
def test_in_memory_and_after_lowering(path: str) -> None:
    require_pass(path, ["heap", "imp"])


@pytest.mark.opencl
@pytest.mark.parametrize("path", [*sampled(SMALL[1::8], 12, slow=6), *LARGE[::24]])
def test_on_a_device(path: str) -> None:
    require_pass(path, ["opencl"])


# ---------------------------------------------------------------------- applications


def reference(name: str) -> ModuleType:
    """``papers/applications/NAME/reference.py``."""
    path = ROOT / "papers" / "applications" / name / "reference.py"
    spec = importlib.util.spec_from_file_location(f"reference_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_fifteen_applications() -> None:
    assert len(APPLICATIONS) >= 15


@pytest.mark.parametrize("name", sampled(APPLICATIONS, 12, 1))
def test_application_agrees_with_numpy(name: str) -> None:
    """``main`` by the value interpreter, at the sizes that the reference names."""
    module = reference(name)
    program = funmem.load(ROOT / "papers" / "applications" / name / f"{name}.fut")
    for n in module.SIZES[:3]:
        args = module.inputs(n, seed=1)
        got = funmem.run(program, *args, entry="main")
        results = got if isinstance(got, tuple) else (got,)
        for ours, theirs in zip(results, module.reference(*args), strict=True):
            close(np.asarray(ours), np.asarray(theirs), module.RTOL)


def close(got: NDArray[np.generic], want: NDArray[np.generic], rtol: float) -> None:
    """Equal shapes; no element further off than ``rtol`` of the largest, or of 1."""
    assert got.shape == want.shape
    if got.size == 0:
        return
    if rtol == 0:
        assert (got == want).all()
        return
    limit = rtol * max(1.0, float(np.abs(want).max()))
    assert float(np.abs(got.astype(np.float64) - want.astype(np.float64)).max()) <= limit
