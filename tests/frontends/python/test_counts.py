"""Counts that the tracer promises: traces, threads, pickles, no source, guards."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import funmem as fm
from funmem.frontends.python import guards
from tests.support.paths import ROOT


@fm.jit
def affine(a: Any, x: Any) -> Any:
    return a * x + 1


def test_a_hundred_lengths_are_one_trace() -> None:
    """Protects rule 2: variants are keyed by types, never by lengths."""
    f = fm.jit(lambda x, y: (x * y).sum() + x[x > 0].sum())
    with fm.using(via="value"):
        for n in range(2, 102):
            x = np.arange(n, dtype=np.int64) - 3
            assert f(x, x) == (x * x).sum() + x[x > 0].sum()
    assert f.cache_info() == (1, 99)


def test_dimensions_of_size_1_are_the_only_variants() -> None:
    """Protects the bound of 2^rank variants."""
    f = fm.jit(lambda x, y: x + y)
    with fm.using(via="value"):
        for n in range(1, 5):
            for m in range(1, 5):
                x, y = np.ones((n, m)), np.ones((4, 4)) if n == m == 1 else np.ones((n, m))
                assert f(x, y).shape == y.shape
    assert f.cache_info().traces <= 5


def _threads(f: Any, calls: int, via: str) -> list[int]:
    """Call a function from eight threads at once; return the number of wrong answers of each."""
    ready = Barrier(8)

    def work(k: int) -> int:
        x = np.arange(3 + k, dtype=np.int32)
        want = x * np.int32(k) + 1
        ready.wait()
        with fm.using(via=via):
            return sum(not np.array_equal(f(np.int32(k), x), want) for _ in range(calls))

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(work, range(8)))


@pytest.mark.slow
def test_eight_threads_of_a_thousand_calls_share_one_trace() -> None:
    """Protects the lock around traces, and calls in parallel of one variant."""
    f = fm.jit(lambda a, x: a * x + 1)
    assert _threads(f, 1000, "c") == [0] * 8
    assert f.cache_info() == (1, 7999)


def test_eight_threads_share_one_trace() -> None:
    """Protects the same with few calls and no C compiler."""
    f = fm.jit(lambda a, x: a * x + 1)
    assert _threads(f, 20, "value") == [0] * 8
    assert f.cache_info() == (1, 159)


def test_a_pickled_function_is_the_function() -> None:
    """Protects rule 8: pickled by module and name, so nothing is traced again."""
    assert pickle.loads(pickle.dumps(affine)) is affine


def test_a_pickled_function_runs_in_another_process(tmp_path: Path) -> None:
    """Protects what executors and clusters do with a function."""
    (tmp_path / "kernels.py").write_text(
        "import funmem as fm\n@fm.jit\ndef twice(x):\n    return x + x\n"
    )
    dump = "import kernels, pickle, sys; sys.stdout.buffer.write(pickle.dumps(kernels.twice))"
    load = (
        "import pickle, sys, funmem as fm, numpy as np\n"
        "f = pickle.loads(sys.stdin.buffer.read())\n"
        "with fm.using(via='value'): print(f(np.arange(3)).tolist(), f.cache_info().traces)"
    )
    path = f"import sys; sys.path[:0] = {[str(tmp_path), str(ROOT)]!r}\n"
    text = _python(path + dump, b"")
    assert _python(path + load, text) == b"[0, 2, 4] 1\n"


def _python(script: str, given: bytes) -> bytes:
    done = subprocess.run([sys.executable, "-c", script], input=given, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def test_a_function_without_source_is_traced() -> None:
    """Protects rule 4: tracing needs no source, so ``exec`` and a REPL work."""
    names: dict[str, Any] = {"fm": fm, "k": 3}
    exec("@fm.jit\ndef f(x):\n    return fm.map(lambda v: v * k, x)", names)
    with fm.using(via="value"):
        assert names["f"](np.arange(3)).tolist() == [0, 3, 6]
        names["k"] = 4
        assert names["f"](np.arange(3)).tolist() == [0, 4, 8]


def test_an_error_in_a_function_without_source_names_its_line() -> None:
    """Protects errors where there is no text to show."""
    names: dict[str, Any] = {"fm": fm}
    exec(compile("@fm.jit\ndef f(x):\n    return 1 if x > 0 else 2", "nowhere.py", "exec"), names)
    with pytest.raises(fm.SourceError) as caught:
        names["f"](3)
    assert "nowhere.py:3" in str(caught.value)
    assert "traced-bool" in str(caught.value)


# ---------------------------------------------------------------------- guards


def _after_changes() -> list[Any]:
    """Return answers of a function while what it sees outside of itself changes."""
    names: dict[str, Any] = {"fm": fm, "np": np, "k": 2, "table": np.array([1, 2])}
    exec(
        "def g(x):\n    return x * k\n"
        "def make(c):\n    def f(x):\n        return g(x) + c + table[0]\n"
        "    def change(v):\n        nonlocal c\n        c = v\n    return f, change\n"
        "f, change = make(10)\njitted = fm.jit(f)",
        names,
    )
    f, x, found = names["jitted"], np.array([1, 5]), []
    for change in (
        lambda: None,
        lambda: names.update(k=3),  # a global of a function that is called
        lambda: names["change"](20),  # a cell
        lambda: names["table"].__setitem__(0, 100),  # an element of an array
        lambda: names.update(table=np.array([7, 7, 7])),  # another array
        lambda: names.update(g=lambda x: x),  # a function
    ):
        change()
        found.append((f.interpret(x).tolist(), names["f"](x).tolist()))
    return found


def test_nothing_goes_stale() -> None:
    """Protects rule 3: scalars and functions are guarded, arrays are arguments."""
    for found, want in _after_changes():
        assert found == want


class SeededBug:
    """A fault of the guards that the test above must notice: what it replaces, and by what."""

    def __init__(self, name: str, where: Any, attribute: str, wrong: Any) -> None:
        self.name, self.where, self.attribute, self.wrong = name, where, attribute, wrong


class _NoGuards(list):  # type: ignore[type-arg]
    """A list of guards that forgets those of some kind."""

    def __init__(self, forget: Any) -> None:
        super().__init__()
        self._forget = forget

    def append(self, guard: Any) -> None:
        if not self._forget(guard):
            super().append(guard)


def _forgetting(forget: Any) -> Any:
    right = guards.Captures.__init__

    def init(self: Any, receive: Any) -> None:
        right(self, receive)
        self.guards = _NoGuards(forget)

    return init


BUGS = (
    SeededBug("forgets globals", guards.Captures, "__init__", _forgetting(lambda g: g.name == "k")),
    SeededBug("forgets cells", guards.Captures, "__init__", _forgetting(lambda g: g.name == "c")),
    SeededBug(
        "forgets functions", guards.Captures, "__init__", _forgetting(lambda g: g.name == "g")
    ),
    SeededBug("guards always hold", guards.Guard, "holds", lambda self: True),
    SeededBug("compares types only", guards, "_same", lambda a, b: type(a) is type(b)),
)


@pytest.mark.parametrize("bug", BUGS, ids=lambda b: b.name)
def test_a_guard_that_forgets_is_noticed(bug: SeededBug, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects the test of rule 3 itself: each faulty guard gives a stale answer."""
    monkeypatch.setattr(bug.where, bug.attribute, bug.wrong)
    assert any(found != want for found, want in _after_changes())


def test_a_baked_array_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects hidden arguments: one whose array is fetched once only gives a stale answer."""
    right = guards.Captures._hide

    def baked(self: Any, name: str, fetch: Any, spec: Any) -> Any:
        now = np.array(fetch())
        return right(self, name, lambda: now, spec)

    monkeypatch.setattr(guards.Captures, "_hide", baked)
    assert any(found != want for found, want in _after_changes())
