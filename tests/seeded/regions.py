"""Faulty regions, and what notices.

The modules of regions are imported anew, one of them from changed source; the checker, Core's
interpreter and everything else stay the same.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from importlib import import_module
from types import ModuleType

from attrs import frozen

from funmem.interp.core import differ, run_parts
from funmem.ir.check.regions import check_regions
from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.diagnostics import MemoryFault, SourceError
from funmem.ir.text import parse_core
from funmem.ir.text.print_core import show_core
from funmem.passes.core.monomorphise import monomorphise
from funmem.passes.core.regions import infer_regions
from tests.seeded.finder import Finder

INFER, ERASE, RUN = PACKAGES = (
    "funmem.passes.core.regions",
    "funmem.ir.regions",
    "funmem.interp.core.regions",
)
ARGUMENT = 4


class Caught(Enum):
    """What notices a bug."""

    RULE = "the checker refuses the annotations"
    ERASED = "the erased program is another one"
    PRECISION = "there are fewer regions, or they live longer"
    FAULT = "a right program has a fault"
    MISSED = "a wrong program has none"
    VALUE = "the program means something else"
    CRASH = "an exception"


@frozen
class RegionBug:
    """``old`` becomes ``new`` in ``module``; it shows on a program of ``PROGRAMS``."""

    name: str
    module: str
    old: str
    new: str
    program: str
    caught: Caught
    rule: str = ""
    placement: str = "tight"


@contextmanager
def world(bug: RegionBug | None) -> Iterator[dict[str, ModuleType]]:
    """The packages of regions, with a bug in one module."""
    kept = _taken()
    changes = {} if bug is None else {bug.module: lambda text: text.replace(bug.old, bug.new)}
    finder = Finder(changes)
    sys.meta_path.insert(0, finder)
    try:
        yield {name: import_module(name) for name in PACKAGES}
    finally:
        sys.meta_path.remove(finder)
        _taken()
        sys.modules.update(kept)
        for name, module in kept.items():
            parent, _, last = name.rpartition(".")
            setattr(sys.modules[parent], last, module)


def _taken() -> dict[str, ModuleType]:
    names = [x for x in sys.modules if any(x == p or x.startswith(f"{p}.") for p in PACKAGES)]
    return {x: sys.modules.pop(x) for x in names}


def judged(bug: RegionBug | None, text: str, placement: str) -> tuple[Caught, str] | None:
    """What notices a bug, and what it says; None is a hole in the checks."""
    with world(bug) as w:
        try:
            return _wrong(w, text) if "@letregion" in text else _right(w, text, placement)
        except Exception as e:
            return Caught.CRASH, f"{type(e).__name__}: {e}"


def _wrong(w: dict[str, ModuleType], text: str) -> tuple[Caught, str] | None:
    """A program with wrong annotations, which must have a fault."""
    try:
        w[RUN].run_regions(parse_core(text), "main", [ARGUMENT])
    except MemoryFault:
        return None
    return Caught.MISSED, "no fault"


def _right(w: dict[str, ModuleType], text: str, placement: str) -> tuple[Caught, str] | None:
    with deep():
        p = monomorphise(parse_core(text))
    infer = w[INFER]
    q = infer.infer_regions(p, infer.Strategy("inferred"), infer.Placement(placement))
    try:
        if w[ERASE].erase(q) != p:
            return Caught.ERASED, show_core(w[ERASE].erase(q))
        check_regions(q)
    except SourceError as e:
        return Caught.RULE, f"{e.diagnostic.code}: {e.diagnostic.message}"
    try:
        parts, _ = w[RUN].run_regions(q, "main", [ARGUMENT])
    except MemoryFault as fault:
        return Caught.FAULT, str(fault)
    if (d := differ(run_parts(p, "main", [ARGUMENT]), parts)) is not None:
        return Caught.VALUE, d
    if placement == "tight" and _regions(q) < _regions(infer_regions(p)):
        return Caught.PRECISION, show_core(q)
    return None


def _regions(p: CoreProgram) -> int:
    """The number of regions that a program names."""
    return len(set(re.findall(r"'r\d+", show_core(p))))
