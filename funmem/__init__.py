"""funmem: a research compiler in which memory is an annotation on a functional IR.

Importing this package loads nothing else: a public name is imported when it is first used, so
that a command pays only for what it needs (PEP 562).
"""

from importlib import import_module
from os.path import dirname, isfile, join
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# In a checkout the rooms lie beside this folder; in an installed copy they lie inside it.
_root = dirname(dirname(__file__))
if all(isfile(join(_root, r, "__init__.py")) for r in ("ir", "passes", "interp", "codegen")):
    __path__.append(_root)

if TYPE_CHECKING:
    from funmem.api import CompiledProgram as CompiledProgram
    from funmem.api import check as check
    from funmem.api import compile as compile
    from funmem.api import erase as erase
    from funmem.api import load as load
    from funmem.api import parse as parse
    from funmem.api import run as run
    from funmem.api import show as show
    from funmem.driver.stages import default_pipeline as default_pipeline
    from funmem.ir.diagnostics import DeviceError as DeviceError
    from funmem.ir.diagnostics import Diagnostic as Diagnostic
    from funmem.ir.diagnostics import FunmemError as FunmemError
    from funmem.ir.diagnostics import FunmemWarning as FunmemWarning
    from funmem.ir.diagnostics import InputError as InputError
    from funmem.ir.diagnostics import MemoryFault as MemoryFault
    from funmem.ir.diagnostics import SourceError as SourceError
    from funmem.ir.diagnostics import Trap as Trap
    from funmem.ir.diagnostics import UsageError as UsageError
    from funmem.passes.framework import Context as Context
    from funmem.passes.framework import Option as Option
    from funmem.passes.framework import Pass as Pass
    from funmem.passes.framework import Remark as Remark
    from funmem.passes.framework import Report as Report
    from funmem.passes.framework import any_pass as any_pass
    from funmem.passes.framework import fun_pass as fun_pass
    from funmem.passes.framework import imp_pass as imp_pass
    from funmem.passes.framework import lowering_pass as lowering_pass
    from funmem.passes.framework import mem_pass as mem_pass
    from funmem.passes.runner import PassFailed as PassFailed
    from funmem.passes.runner import Pipeline as Pipeline
    from funmem.passes.runner import Step as Step

_PUBLIC = {
    "funmem.api": (
        "CompiledProgram",
        "check",
        "compile",
        "erase",
        "load",
        "parse",
        "run",
        "show",
    ),
    "funmem.ir.diagnostics": (
        "DeviceError",
        "Diagnostic",
        "FunmemError",
        "FunmemWarning",
        "InputError",
        "MemoryFault",
        "SourceError",
        "Trap",
        "UsageError",
    ),
    "funmem.passes.framework": (
        "Context",
        "Option",
        "Pass",
        "Remark",
        "Report",
        "any_pass",
        "fun_pass",
        "imp_pass",
        "lowering_pass",
        "mem_pass",
    ),
    "funmem.passes.runner": ("PassFailed", "Pipeline", "Step"),
    "funmem.driver.stages": ("default_pipeline",),
}
"""Module -> the public names that it defines; for type checkers they are imported above."""

__all__ = ["__version__", *sorted(name for names in _PUBLIC.values() for name in names)]

if not TYPE_CHECKING:
    _HOME = {name: module for module, names in _PUBLIC.items() for name in names}

    def __getattr__(name):
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *_HOME})
