"""Paper 003: the table of its type rules is true, and its measuring script measures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import funmem as fm
from funmem.bench.tasks import load_module
from funmem.ir import core as c
from tests.support.paths import ROOT

FIGURE_3 = ("CONST", "VAR", "LET", "ABS", "APP", "PLUS", "MUL", "MAP", "ZIP")
NIKOLA = ROOT / "papers" / "nikola"


def rows(heading: str) -> Iterator[list[str]]:
    """Yield the rows of the table whose head has a cell ``heading``."""
    text = (NIKOLA / "rules.md").read_text(encoding="utf-8")
    inside = False
    for line in text.split("\n"):
        cells = [x.strip() for x in re.split(r"(?<!\\)\|", line)[1:-1]]
        inside = bool(cells) and (inside or heading in cells)
        if inside and heading not in cells and not set(cells[0]) <= {"-"}:
            yield cells


RULES = {rule: (kind.strip("`"), of_core) for rule, _, kind, of_core, _ in rows("rule of Core")}
PROGRAMS = [
    (rule, function.strip("`"), types, found.strip("`"))
    for rule, function, types, found in rows("function")
]


def escape(xs: Any) -> Any:
    found: list[Any] = []
    fm.map(lambda x: found.append(x + 1.0) or x, xs)  # type: ignore[func-returns-value]
    return found[0]


NAMES = {
    "fm": fm,
    "np": np,
    "square": fm.jit(lambda x: x * x),
    "pairs": fm.jit(lambda xs, ys: fm.concatenate([xs, ys[1:]])),
    "escape": escape,
    "curried": lambda x: lambda y: x + y,
}


def lowered(function: str, types: str) -> Any:
    given = re.findall(r"`([^`]+)`", types)
    return fm.jit(eval(function, NAMES)).lower(*(eval(f"fm.{t}", NAMES) for t in given))


def outcome(function: str, types: str) -> str:
    """Return the signature of a function, or the code of its error."""
    try:
        return str(lowered(function, types).signature)
    except fm.SourceError as error:
        return f"error: {error.diagnostic.code}"
    except TypeError:
        return "error: TypeError"


def cases() -> dict[str, str]:
    """Return the rules of Core's checker: the class of each arm -> the rule beside it."""
    text = (ROOT / "ir" / "check" / "core" / "expressions.py").read_text(encoding="utf-8")
    return dict(re.findall(r"case c\.(\w+)\(.*\):  # (C-[A-Z-]+)", text))


def test_the_table_has_the_rules_of_the_figure() -> None:
    """Finds a rule that is missing, and one without an accepted or a rejected program."""
    assert tuple(RULES) == FIGURE_3
    for rule in FIGURE_3:
        found = {x.startswith("error") for name, _, _, x in PROGRAMS if name == rule}
        assert found == {True, False}, rule


def test_the_table_names_the_rules_of_the_checker() -> None:
    """Finds a rule of Core that was renamed, or a class with another rule."""
    known = cases()
    for kind, of_core in RULES.values():
        assert known[kind] == of_core


def test_the_programs_have_these_signatures_and_errors() -> None:
    """Finds a change of the tracer's types, sizes or errors."""
    for _, function, types, want in PROGRAMS:
        assert outcome(function, types) == want, f"{function} with {types}"


def test_an_accepted_program_contains_what_its_rule_types() -> None:
    """Finds a row whose program says nothing about its rule."""
    for rule, function, types, want in PROGRAMS:
        if not want.startswith("error"):
            core = lowered(function, types)._program.core
            assert any(type(x).__name__ == RULES[rule][0] for x in expressions(core)), rule


def expressions(program: c.CoreProgram) -> Iterator[object]:
    """Yield all parts of a program."""
    from attrs import fields, has

    left: list[object] = [program]
    while left:
        x = left.pop()
        yield x
        if isinstance(x, tuple):
            left += x
        elif has(type(x)):
            left += [getattr(x, f.name) for f in fields(type(x))]


def test_unequal_lengths_trap() -> None:
    """Finds a zip that cuts to the shorter array, as the paper's does."""
    f = fm.jit(lambda xs, ys: fm.map(lambda x, y: x * y, xs, ys))
    with pytest.raises(fm.Trap, match=r"shape mismatch: \[2\] and \[3\]"), fm.using(via="value"):
        f(np.ones(3), np.ones(2))


# ---------------------------------------------------------------------- measure.py


def test_the_measured_programs_are_the_same(tmp_path: Path) -> None:
    """Finds a traced program that computes something else than its .fut."""
    measure = load_module(NIKOLA / "measure.py")
    assert list(measure.SUBJECTS) == ["black_scholes", "split_radix_sort", "american_option"]
    for subject in measure.SUBJECTS.values():
        task = subject.task(5)
        with fm.using(via="value"):
            found = measure.arrays(subject.traced()(*task.args))
        assert measure.difference(task, task.expected(), found) is None, subject.function


@pytest.mark.exhaustive
def test_measure_prints_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Finds a script that does not run; the times themselves mean nothing here."""
    file = tmp_path / "rows.json"
    command = ["black_scholes", "--sizes", "4", "--rounds", "1", "--via", "c", "--peers", "numpy"]
    load_module(NIKOLA / "measure.py").main([*command, "--json", str(file)])
    said = capsys.readouterr().out
    head = (
        "| Black-Scholes, via C: ms | traced | ahead | .fut | by hand | each call | cold | numpy |"
    )
    assert head in said
    who = {r["who"] for r in json.loads(file.read_text())["rows"] if r["rounds"]}
    assert who == {"traced", "ahead", ".fut", "by hand", "each call", "cold", "numpy"}
