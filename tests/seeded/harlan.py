"""Faulty front ends of Harlan, and what notices.

The modules of the front end are imported anew, one of them from changed source.  The judge is the
oracle of generated programs, which the faulty front end does not touch.
"""

import sys
from collections.abc import Callable
from enum import Enum
from importlib import import_module
from types import ModuleType

from attrs import frozen

import funmem.frontends
from funmem.ir.check.core import check_core
from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.diagnostics import SourceError
from funmem.testing.harlan_generator.judge import core_outcome
from funmem.testing.harlan_generator.oracle import Outcome, run
from tests.seeded.core import source
from tests.seeded.finder import Finder

PACKAGE = "funmem.frontends.harlan"
Translate = Callable[[str, str], CoreProgram]


class Noticed(Enum):
    """What notices a bug."""

    RULE = "the type rules of Core"
    VALUES = "the program prints something else"
    CRASH = "the front end itself fails"
    REFUSAL = "the program is refused, or it should be"


@frozen
class HarlanBug:
    """``old`` becomes ``new`` in a module of the front end; ``what`` says what is then wrong.

    The program is a body of ``main``, or a whole module.  ``refused``: the right front end refuses
    it with this code.
    """

    name: str
    what: str
    module: str
    old: str
    new: str
    program: str
    noticed: Noticed
    refused: str = ""

    @property
    def place(self) -> str:
        return f"{PACKAGE}.{self.module}"

    @property
    def text(self) -> str:
        if self.program.startswith("(module"):
            return self.program
        return f"(module (define (main) {self.program}))"


def faulty(bug: HarlanBug) -> Translate:
    """Return the front end with the bug in it."""
    assert source(bug.place).count(bug.old) == 1, bug.name
    finder = Finder({bug.place: lambda text: text.replace(bug.old, bug.new)})
    kept = _taken()
    sys.meta_path.insert(0, finder)
    try:
        translate: Translate = import_module(f"{PACKAGE}.program").to_core
    finally:
        sys.meta_path.remove(finder)
        _taken()
        sys.modules.update(kept)
        funmem.frontends.harlan = kept[PACKAGE]  # type: ignore[attr-defined]
    return translate


def _taken() -> dict[str, ModuleType]:
    """Remove the modules of the front end from the imported ones; return them."""
    names = [x for x in sys.modules if x == PACKAGE or x.startswith(f"{PACKAGE}.")]
    return {x: sys.modules.pop(x) for x in names}


def judge_bug(bug: HarlanBug, translate: Translate) -> tuple[Noticed, str] | None:
    """Return what notices a front end's mistake, and what it says; None is a hole in the checks."""
    want = wanted(bug.text)
    try:
        core = translate(bug.text, "bug.kfc")
    except SourceError as error:
        code = error.diagnostic.code
        return None if code == bug.refused else (Noticed.REFUSAL, code)
    except AssertionError:
        return Noticed.CRASH, "an assertion"
    if want is None:
        return Noticed.REFUSAL, "it is taken"
    try:
        with deep():
            check_core(core)
    except SourceError as error:
        return Noticed.RULE, error.diagnostic.code
    got = core_outcome(core)
    return None if got == want else (Noticed.VALUES, f"expected {want}, got {got}")


def wanted(text: str) -> Outcome | None:
    """Return what a program does; None if inference refuses it."""
    try:
        return run(text)
    except SourceError:
        return None
