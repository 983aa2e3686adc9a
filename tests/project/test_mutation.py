"""The machine of ``python -m tests.mutation``: mutants are what they say, and a deaf test is seen.

The campaign itself takes minutes and is run by hand; that its list of equivalent mutants holds no
mutant that is gone is checked here.
"""

import ast
from pathlib import Path

import pytest

from tests.mutation import forked
from tests.mutation.__main__ import ROOT, judge, planned, table
from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.operators import Mutant, mutants
from tests.mutation.targets import TARGETS, Target
from tests.support.sampling import sampled

CODE = '''
def fits(n: int, of: list[int]) -> str | None:
    """No more than two."""
    total = 0
    for k in of:
        total += k * n
    if total <= 2 and not of[0]:
        return None
    return f"{total} is more than {2}"
'''


def every(source: str) -> list[Mutant]:
    return list(mutants("m.py", source, lambda _: True))


def test_each_place_is_changed_once() -> None:
    found = every(CODE)
    assert [m.what for m in found] == [
        "0 -> 1 in `total = 0`",
        "total += k * n -> pass",
        "k * n -> k + n",
        "if total <= 2 and (not of[0]) -> if True",
        "if total <= 2 and (not of[0]) -> if False",
        "total <= 2 and (not of[0]) -> total <= 2 or not of[0]",
        "total <= 2 -> total < 2",
        "2 -> 3 in `if total <= 2 and (not of[0]):`",
        "not of[0] -> not not of[0]",
        "0 -> 1 in `if total <= 2 and (not of[0]):`",
        "return why -> return None",
        "allows everything",
    ]
    assert len({m.source for m in found} | {ast.unparse(ast.parse(CODE))}) == len(found) + 1
    for m in found:
        compile(m.source, "m.py", "exec")


def test_messages_and_docstrings_are_left_alone() -> None:
    source = (
        'def f(a: int) -> None:\n    """1 + 1."""\n    assert a == 1\n    raise ValueError(1 + 1)\n'
    )
    assert every(source) == []


@pytest.mark.parametrize("group", sampled(TARGETS, 25, slow=18))
def test_every_target_is_there(group: str) -> None:
    for target in TARGETS[group]:
        assert (ROOT / target.path).exists()
        assert all((ROOT / t.split()[0]).exists() for t in target.tests)
        assert any(w.target is target for w in planned([group])), "nothing to mutate"


@pytest.mark.exhaustive
def test_equivalent_mutants_are_still_there() -> None:
    keys = [w.mutant.key for w in planned(tuple(TARGETS))]
    assert EQUIVALENT.keys() <= set(keys)


@pytest.mark.exhaustive
def test_forks_judge_as_fresh_processes_do() -> None:
    """A premise that is dropped is noticed in a fork; what means the same is not."""
    paths = [t.path for t in TARGETS["core-types"]]
    number = paths.index("ir/check/core/expressions.py")
    keys = [m.key for m in forked.mutants_of(TARGETS["core-types"][number], ROOT)]
    same = next(k for k, key in enumerate(keys) if key in EQUIVALENT)
    dropped = next(k for k, key in enumerate(keys) if "concat needs at least one array" in key)
    found = forked.verdicts(ROOT, "core-types", number, [same, dropped], 2)
    assert found == {same: False, dropped: True}


@pytest.mark.exhaustive
def test_a_deaf_test_is_seen(tmp_path: Path) -> None:
    """Of three mutants of a function whose test looks at one value, two are not noticed."""
    source = "def f(a: int) -> bool:\n    return -a < 0\n"
    (tmp_path / "m.py").write_text(source)
    (tmp_path / "test_m.py").write_text("from m import f\n\ndef test():\n    assert f(1)\n")
    target = Target("m.py", ".*", ("test_m.py",))
    found = [judge(tmp_path, "mine", target, m) for m in mutants("m.py", source, target.wants)]
    assert {f.mutant.what: f.noticed for f in found} == {
        "-a < 0 -> -a <= 0": False,
        "-a -> --a": True,
        "0 -> 1 in `return -a < 0`": False,
    }
    assert (tmp_path / "m.py").read_text() == source
    assert table(found).split()[-5:] == ["mine", "3", "1", "0", "2"]
