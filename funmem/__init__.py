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
    from funmem.api import check as check
    from funmem.api import compile as compile
    from funmem.api import erase as erase
    from funmem.api import load as load
    from funmem.api import parse as parse
    from funmem.api import run as run
    from funmem.api import show as show
    from funmem.compiled import CompiledEntry as CompiledEntry
    from funmem.compiled import CompiledProgram as CompiledProgram
    from funmem.driver.stages import default_pipeline as default_pipeline
    from funmem.frontends.python.control import cond as cond
    from funmem.frontends.python.control import loop as loop
    from funmem.frontends.python.control import require as require
    from funmem.frontends.python.control import where as where
    from funmem.frontends.python.control import while_loop as while_loop
    from funmem.frontends.python.engines import using as using
    from funmem.frontends.python.export import export as export
    from funmem.frontends.python.functions import build as build
    from funmem.frontends.python.functions import filter_ as _filter
    from funmem.frontends.python.functions import hist as hist
    from funmem.frontends.python.functions import map_ as _map
    from funmem.frontends.python.functions import reduce_ as _reduce
    from funmem.frontends.python.functions import scan as scan
    from funmem.frontends.python.functions import scatter as scatter
    from funmem.frontends.python.jit import jit as jit
    from funmem.frontends.python.library import library as library
    from funmem.frontends.python.making import arange as arange
    from funmem.frontends.python.making import array as array
    from funmem.frontends.python.making import concatenate as concatenate
    from funmem.frontends.python.making import full as full
    from funmem.frontends.python.making import full_like as full_like
    from funmem.frontends.python.making import ones as ones
    from funmem.frontends.python.making import ones_like as ones_like
    from funmem.frontends.python.making import zeros as zeros
    from funmem.frontends.python.making import zeros_like as zeros_like
    from funmem.frontends.python.raw import c_function as _c
    from funmem.frontends.python.raw import opencl as opencl
    from funmem.frontends.python.types import bool_ as bool_
    from funmem.frontends.python.types import f16 as f16
    from funmem.frontends.python.types import f32 as f32
    from funmem.frontends.python.types import f64 as f64
    from funmem.frontends.python.types import i8 as i8
    from funmem.frontends.python.types import i16 as i16
    from funmem.frontends.python.types import i32 as i32
    from funmem.frontends.python.types import i64 as i64
    from funmem.frontends.python.types import u8 as u8
    from funmem.frontends.python.types import u16 as u16
    from funmem.frontends.python.types import u32 as u32
    from funmem.frontends.python.types import u64 as u64
    from funmem.frontends.python.vectorising import vectorize as vectorize
    from funmem.frontends.python.vectorising import vmap as vmap
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
    from funmem.values.variants import Variant as Variant

    c, filter, map, reduce = _c, _filter, _map, _reduce

_PUBLIC = {
    "funmem.api": (
        "check",
        "compile",
        "erase",
        "load",
        "parse",
        "run",
        "show",
    ),
    "funmem.compiled": ("CompiledEntry", "CompiledProgram"),
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
    "funmem.frontends.python.engines": ("using",),
    "funmem.frontends.python.export": ("export",),
    "funmem.frontends.python.control": ("cond", "loop", "require", "where", "while_loop"),
    "funmem.frontends.python.functions": (
        *("build", "filter", "hist", "map", "reduce", "scan", "scatter"),
    ),
    "funmem.frontends.python.making": (
        *("arange", "array", "concatenate", "full", "full_like"),
        *("ones", "ones_like", "zeros", "zeros_like"),
    ),
    "funmem.frontends.python.jit": ("jit",),
    "funmem.frontends.python.library": ("library",),
    "funmem.frontends.python.raw": ("c", "opencl"),
    "funmem.frontends.python.types": (
        *("bool_", "f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"),
    ),
    "funmem.frontends.python.vectorising": ("vectorize", "vmap"),
    "funmem.values.variants": ("Variant",),
}
"""Module -> the public names that it defines; for type checkers they are imported above."""

_OWN_NAMES = {"c": "c_function", "filter": "filter_", "map": "map_", "reduce": "reduce_"}
"""Public names that a module has under another name, mostly since Python has them."""

__all__ = ["__version__", *sorted(name for names in _PUBLIC.values() for name in names)]

if not TYPE_CHECKING:
    _HOME = {name: module for module, names in _PUBLIC.items() for name in names}

    def __getattr__(name):
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_HOME[name]), _OWN_NAMES.get(name, name))
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *_HOME})
