"""The gallery of wrong programs: each error stands at the user's expression, and says what to do.

The programs are scripts in ``wrong/``; what their last line raises is a golden text.
"""

import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

import funmem as fm
from tests.support.paths import ROOT

WRONG = sorted((Path(__file__).parent / "wrong").glob("*.py"))


def raised_by(path: Path) -> BaseException:
    """What a script raises; the file is named as the golden texts show it."""
    code = compile(path.read_text(encoding="utf-8"), path.name, "exec")
    try:
        with fm.using(via="c"):
            exec(code, {"__name__": path.stem})
    except Exception as error:
        return error
    pytest.fail(f"{path.name} raises nothing")


@pytest.mark.parametrize("path", WRONG, ids=lambda p: p.stem)
def test_the_error_is_shown_at_the_users_expression(
    path: Path, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    error = raised_by(path)
    golden(f"jit/{path.stem}.err", f"{type(error).__name__}: {error}\n")


DEFINED = ("annotation_that_is_no_size", "raw_kernel", "raw_function")
AT_RUN_TIME = ("raw_function_of_an_array", "raw_kernel_inside_a_map")
CALLS = [p for p in WRONG if p.stem in AT_RUN_TIME or not p.stem.startswith(DEFINED)]
"""The others are wrong where they are called, and not where they are defined."""


@pytest.mark.parametrize("path", CALLS, ids=lambda p: p.stem)
def test_a_traceback_ends_in_the_users_code(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No frame of funmem's stands in it."""
    monkeypatch.chdir(path.parent)
    frames = traceback.extract_tb(raised_by(path).__traceback__)
    ours = [f.filename for f in frames if f.filename.startswith(str(ROOT / "funmem"))]
    assert ours == []
