"""Faulty passes on Core, and what notices.

Programs of Core have no text to read back, so the modules of a pass are imported anew, one of them
from changed source, while all other modules stay the same.
"""

import sys
from collections.abc import Callable
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from attrs import field, frozen

from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.passes.core.box_rows import box_rows
from funmem.passes.core.closure_convert import closure_convert
from funmem.passes.core.defunctionalise import defunctionalise
from funmem.passes.core.flatten_data import flatten_data
from funmem.passes.core.lambda_lift import lambda_lift
from funmem.passes.core.monomorphise import monomorphise
from funmem.passes.core.recursion import recursion
from funmem.passes.core.tables import tables
from funmem.passes.core.widen import widen
from tests.seeded.finder import Finder
from tests.support.core_judge import Trapped, Wrong, disagree, examine, outcome
from tests.support.core_samples import Sample

CorePass = Callable[[CoreProgram], CoreProgram]

PASSES: dict[str, CorePass] = {
    "monomorphise": monomorphise,
    "lambda-lift": lambda_lift,
    "closure-convert": closure_convert,
    "defunctionalise": defunctionalise,
    "box-rows": box_rows,
    "tables": tables,
    "flatten-data": flatten_data,
    "widen": widen,
    "recursion": recursion,
}


class Seen(Enum):
    """What notices a bug."""

    RULE = "the checker, or the pass's postcondition"
    VALUE = "the program means something else"
    TRAP = "the program traps differently"


@frozen
class CoreBug:
    """``old`` becomes ``new`` in ``module``, which ``pass_name`` is, or which it uses."""

    name: str
    pass_name: str
    old: str
    new: str
    sample: str
    seen: Seen
    rule: str = ""
    """For RULE: which one."""
    module: str = field(default="")

    @property
    def place(self) -> str:
        return self.module or f"funmem.passes.core.{self.pass_name.replace('-', '_')}"


def source(module: str) -> str:
    """The text of a module."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).read_text(encoding="utf-8")


def faulty(bug: CoreBug) -> CorePass:
    """The pass with the bug in it."""
    assert source(bug.place).count(bug.old) == 1, bug.name
    pass_ = bug.pass_name.replace("-", "_")
    own = f"funmem.passes.core.{pass_}"
    finder = Finder({bug.place: lambda text: text.replace(bug.old, bug.new)})
    kept = _taken(own, bug.place)
    sys.meta_path.insert(0, finder)
    try:
        run: CorePass = getattr(import_module(own), pass_)
    finally:
        sys.meta_path.remove(finder)
        _taken(own, bug.place)
        sys.modules.update(kept)
        for name, module in kept.items():
            parent, _, last = name.rpartition(".")
            setattr(sys.modules[parent], last, module)
    return run


def _taken(own: str, place: str) -> dict[str, ModuleType]:
    """Remove the modules of a pass, and the changed one, from the imported ones; return them."""
    names = [x for x in sys.modules if x in (own, place) or x.startswith(f"{own}.")]
    return {x: sys.modules.pop(x) for x in names}


def judge_bug(bug: CoreBug | None, pass_name: str, sample: Sample) -> tuple[Seen, str] | None:
    """What notices a bug, and what it says; None is a hole in the checks."""
    p = sample.program
    with deep():
        for name, run in PASSES.items():
            if name != pass_name:
                p = run(p)
                continue
            before, p = p, run(p) if bug is None else faulty(bug)(p)
            break
    try:
        examine(pass_name, p)
    except Wrong as wrong:
        return Seen.RULE, str(wrong)
    for call in sample.calls:
        want, got = outcome(before, call), outcome(p, call)
        if (d := disagree(want, got, words=True)) is not None:
            trapped = isinstance(want, Trapped) or isinstance(got, Trapped)
            return Seen.TRAP if trapped else Seen.VALUE, d
    return None
