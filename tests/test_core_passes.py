"""Core's interpreter judges the passes on Core: what a program means, traps included, stays.

All programs and all their cases: ``python -m tests.core_judge``.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from funmem.ir.text.print_core import show_core
from tests.core_judge import PROGRAMS, judge, judge_file, outcome, stages
from tests.core_samples import SAMPLES, Sample

LEFT_OUT = {"errors", "typeerrors", "format", "imports"}
"""Folders of programs that are not compiled alone, or must not be."""

FILES = sorted(
    f
    for f in PROGRAMS.rglob("*.fut")
    if not LEFT_OUT & set(f.parts) and "-- error:" not in f.read_text(encoding="utf-8")
)
GOLDENS = ("polymorphic", "closures", "higher-order", "sums", "power", "nested-mu", "factorial")


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_samples(sample: Sample) -> None:
    found = stages(sample.program)
    assert (found.fun is not None) is sample.fun, found.refused
    assert list(judge(found, sample.calls)) == []


@pytest.mark.parametrize("path", FILES[::9], ids=lambda p: p.stem)
def test_programs(path: Path) -> None:
    judgement = judge_file(path, 8)
    assert judgement.wrong == ()


@pytest.mark.parametrize("name", GOLDENS)
def test_before_and_after(name: str, golden: Callable[[str, str], None]) -> None:
    found = stages(SAMPLES[name].program)
    text, last = "", None
    for stage, p in found.core:
        text += f"-- {stage}\n\n{show_core(p)}\n" if p != last else f"-- {stage}: the same\n\n"
        last = p
    golden(f"core/{name}.txt", text)


def test_the_judge_sees_results() -> None:
    """Every sample has a call that gives some, and no two samples give the same."""
    seen = []
    for s in SAMPLES.values():
        outcomes = [outcome(s.program, call) for call in s.calls]
        assert any(isinstance(x, tuple) for x in outcomes)
        seen.append(str(outcomes))
    assert len(set(seen)) == len(SAMPLES)
