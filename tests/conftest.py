"""Settings and fixtures for all tests."""

import gc
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

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

os.environ["FUNMEM_PROCESSOR"] = "avx512"  # the same code on every machine

GOLDEN = Path(__file__).parent / "golden"


DEFAULT_RUN = "not slow and not exhaustive"
"""The markers of the default run, as pyproject.toml gives them to ``-m``."""


def pytest_configure(config: pytest.Config) -> None:
    """The default profile takes no constants from the modules that happen to be imported.

    Hypothesis parses each of them for its constants (8 s in a new checkout, in each process), and
    the examples would depend on the tests that ran before.
    """
    if not config.getoption("--hypothesis-profile", None):
        providers._get_local_constants = lambda: providers._local_constants


def pytest_sessionstart(session: pytest.Session) -> None:
    """A process of pytest-xdist reports a test that passes by its call only, and by its end.

    That it begins, and a set-up and a tear-down that do nothing, are half of its messages: 1 ms of
    processor time for each test.  With ``-v`` or ``--junitxml``, which show them, all are sent.
    """
    option = session.config.option
    if option.verbose > 0 or getattr(option, "xmlpath", None):
        return
    for plugin in session.config.pluginmanager.get_plugins():
        if (send := getattr(plugin, "sendevent", None)) is not None:
            plugin.sendevent = partial(_send, send)


def _send(send: Callable[..., None], name: str, **content: Any) -> None:
    report = content.get("data", {})
    silent = (
        name == "testreport"
        and report["when"] != "call"
        and report["outcome"] == "passed"
        and report["duration"] < 0.01
        and not report["sections"]
    )
    if name != "logstart" and not silent:
        send(name, **content)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """``-m slow`` does not import files that neither mark nor sample tests."""
    if config.getoption("-m") != "slow" or collection_path.suffix != ".py":
        return None
    text = collection_path.read_text(encoding="utf-8")
    return True if "slow" not in text and "sampled(" not in text else None


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make no tests of parameters that ``-m`` leaves out: making 8,000 of them takes seconds."""
    of_all = {mark.name for mark in metafunc.definition.iter_markers()}
    runs = partial(_runs, metafunc.config.getoption("-m"))
    calls = metafunc._calls
    # Without any parameters pytest would make one test of the function.
    calls[:] = [c for c in calls if runs(of_all | {mark.name for mark in c.marks})] or calls[:1]


def _runs(expression: str, marks: set[str]) -> bool:
    """False if a run with ``-m expression`` surely leaves a test with these marks out."""
    if expression == DEFAULT_RUN:
        return marks.isdisjoint({"slow", "exhaustive"})
    return expression != "slow" or ("slow" in marks and "exhaustive" not in marks)


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
