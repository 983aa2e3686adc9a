"""Reports on a lowered function: its peak of memory, the report of ``funmem explain``, a page."""

from __future__ import annotations

from collections.abc import Mapping
from linecache import getlines
from typing import TYPE_CHECKING

from funmem.driver.entry_points import signature_of
from funmem.driver.source import Source
from funmem.explain.as_html import to_html
from funmem.explain.as_text import to_text
from funmem.explain.budget import Given, within

if TYPE_CHECKING:
    from funmem.explain.report import Explanation
    from funmem.frontends.python.lowered import Program


def explanation(program: Program, sizes: Mapping[str, int]) -> Explanation:
    """Return the report on the function, with numbers if sizes and scalar arguments are given.

    Raises UsageError for a name that is neither a size nor a scalar parameter.
    """
    entry = program.fun.entries[0]
    file = entry.at.file or "<function>"
    source = Source(file, "".join(getlines(file)), "fun")
    given = Given.of_sizes(signature_of(program.fun, None), sizes) if sizes else Given(entry.name)
    return within(program.fun, source, given)


def peak(program: Program, sizes: Mapping[str, int]) -> int | str:
    """Return the most bytes that a call holds at one time on a processor.

    This counts arguments, results and what lies between.  Without sizes it is a formula of the
    sizes, as text.  Raises UsageError for an unknown name, and Unknown if the sizes do not suffice.
    """
    report = explanation(program, sizes).entries[0]
    return str(report.peak) if report.measured is None else report.measured.peak


def text(program: Program) -> str:
    """Return the report as ``funmem explain`` prints it."""
    report = to_text(explanation(program, {})).rstrip("\n")
    code = program.found.foreign
    raw = (*(f.name for f in code.functions), *(f.name for f in code.opaque))
    names = ", ".join(name.rpartition("_")[0] for name in raw)
    return f"{report}\n\nraw functions: {len(raw)} ({names}), trusted" if raw else report


def page(program: Program) -> str:
    """Return the report as an HTML page without scripts."""
    return to_html(explanation(program, {}))
