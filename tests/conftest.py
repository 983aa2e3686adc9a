"""Settings and fixtures for all tests."""

import gc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The default: the same examples on every run, judged by no clock.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
# New examples on every run: pytest --hypothesis-profile explore
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("ci")

GOLDEN = Path(__file__).parent / "golden"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that is ``exhaustive`` in one of its parameters is so, and not ``slow``."""
    for item in items:
        if item.get_closest_marker("exhaustive") is not None:
            item.own_markers[:] = [m for m in item.own_markers if m.name != "slow"]


def pytest_collection_finish() -> None:
    """Take what was collected out of the garbage collector's sight: it stays until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)  # tests make trees, few of them with cycles


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what the tests produce to tests/golden/ instead of comparing with it",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """``golden("text/fig2.fun", actual)``: the text is what tests/golden/text/fig2.fun holds."""
    update = request.config.getoption("--update-golden")

    def check(name: str, actual: str) -> None:
        file = GOLDEN / name
        if update:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(actual, encoding="utf-8", newline="\n")
        if not file.is_file():
            pytest.fail(f"{file} is missing: run pytest --update-golden and review the difference")
        assert actual == file.read_text(encoding="utf-8")

    return check
