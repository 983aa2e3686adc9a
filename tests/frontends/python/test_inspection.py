"""The peak, report and page of a lowered function: what a user reads before the first call."""

import numpy as np
import pytest

import funmem as fm


@fm.jit
def center(a: fm.f32["n", "m"]):  # type: ignore[no-untyped-def]
    """Each column minus its mean, transposed."""
    return (a - a.mean(axis=0)).T


def test_the_peak_is_a_formula_or_a_number() -> None:
    """Arguments, the means and the result: the difference is built in the result's place."""
    low = center.lower()
    assert low.peak() == "8*m*n + 4*m"
    assert low.peak(n=100, m=200) == 8 * 100 * 200 + 4 * 200


def test_a_size_that_is_unknown_or_missing_is_named() -> None:
    low = center.lower()
    with pytest.raises(fm.FunmemError, match=r"no size or scalar parameter `q`"):
        low.peak(q=3)
    with pytest.raises(fm.FunmemError, match=r"the peak depends on `m`"):
        low.peak(n=3)


def test_the_report_names_places_in_the_python_file() -> None:
    report = center.lower().explain()
    assert "Peak: 8*m*n + 4*m bytes" in report
    line = center.__wrapped__.__code__.co_firstlineno + 3
    assert f"(line {line})" in report


def test_the_page_runs_no_scripts() -> None:
    page = center.lower()._repr_html_()
    assert page.startswith("<iframe sandbox ")
    assert "<script" not in page
    assert "8*m*n" in page


def test_texts_end_without_a_blank_line() -> None:
    low = center.lower(np.ones((2, 3), np.float32))
    assert low.core.startswith("entry center")
    assert low.funmem.endswith("in (t_2_mem_1, t_2)")
