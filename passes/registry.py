"""The registry of passes by name: those of funmem, of entry points, of files, and of a process.

A third-party package declares in its ``pyproject.toml``

    [project.entry-points."funmem.passes"]
    my-pass = "my_package.passes:my_pass"

Passes in a Python file: ``FUNMEM_PASSES=script.py`` (several files are separated as in ``PATH``)
makes the passes in it known to every command.  :func:`register` makes a pass known to the current
process, for instance in an interactive session.

A module is imported when one of its passes is looked up.  Entry points and files are read only for
names that are not passes of funmem.
"""

import os
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from funmem.ir.diagnostics import NOWHERE, Diagnostic, FunmemWarning, UsageError
from funmem.ir.plugins import Plugins
from funmem.passes.framework import Pass

if TYPE_CHECKING:
    from pathlib import Path

TABLE: Mapping[str, str] = MappingProxyType(
    {
        "entry-data": "funmem.passes.core.declared:entry_data",
        "monomorphise": "funmem.passes.core.declared:monomorphise",
        "lambda-lift": "funmem.passes.core.declared:lambda_lift",
        "closure-convert": "funmem.passes.core.declared:closure_convert",
        "defunctionalise": "funmem.passes.core.declared:defunctionalise",
        "box-rows": "funmem.passes.core.declared:box_rows",
        "tables": "funmem.passes.core.declared:tables",
        "flatten-data": "funmem.passes.core.declared:flatten_data",
        "widen": "funmem.passes.core.declared:widen",
        "recursion": "funmem.passes.core.declared:recursion",
        "flatten-nested": "funmem.passes.core.declared:flatten_nested",
        "to-fun": "funmem.passes.core.declared:to_fun",
        "inline": "funmem.passes.fun.inline:inline",
        "simplify": "funmem.passes.fun.simplify:simplify",
        "fuse": "funmem.passes.fun.fuse:fuse",
        "nest": "funmem.passes.fun.nest:nest",
        "schedule": "funmem.passes.fun.schedule:schedule",
        "allocate": "funmem.passes.mem.allocate:allocate",
        "unfill": "funmem.passes.mem.unfill:unfill",
        "hoist": "funmem.passes.mem.hoist:hoist",
        "double-buffer": "funmem.passes.mem.double_buffer:double_buffer",
        "short-circuit": "funmem.passes.mem.short_circuit:short_circuit",
        "expand": "funmem.passes.mem.expand:expand",
        "merge": "funmem.passes.mem.merge:merge",
        "sequentialise": "funmem.passes.mem.sequentialise:sequentialise",
        "coalesce": "funmem.passes.mem.coalesce:coalesce",
        "lower": "funmem.passes.lower:lower",
        "lower-verified": "funmem.passes.lower.verified:lower_verified",
        "unchecked": "funmem.passes.imp.unchecked:unchecked",
        "peel": "funmem.passes.imp.peel:peel",
        "loop-versioning": "funmem.passes.imp.loop_versioning:loop_versioning",
        "tile": "funmem.passes.imp.tile:tile",
        "vectorise": "funmem.passes.imp.vectorise:vectorise",
        "unroll-and-jam": "funmem.passes.imp.unroll_and_jam:unroll_and_jam",
        "pack": "funmem.passes.imp.pack:pack",
    }
)
"""Pass name -> module and the name of the :class:`Pass` in it."""

PASSES = Plugins("funmem.passes", Pass, "pass", TABLE, "unknown-pass")

RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "edges": "peel",
        "jam": "unroll-and-jam",
        "lanes": "vectorise",
        "tiles": "tile",
        "versions": "loop-versioning",
    }
)
"""Former names of passes.  They are accepted, with a warning, until version 0.2."""


FILES = "FUNMEM_PASSES"
"""The environment variable that names Python files with passes."""

_registered: dict[str, Pass] = {}


def register(p: Pass) -> Pass:
    """Register a pass under its name in this process; it replaces an earlier one of that name.

    Raises UsageError if funmem has a pass of that name.
    """
    if p.name in TABLE:
        message = f"`{p.name}` is the name of a pass of funmem"
        raise UsageError(Diagnostic(NOWHERE, "unknown-pass", message, "choose another name"))
    _registered[p.name] = p
    return p


def file_of(p: Pass) -> "Path | None":
    """Return the Python file that defines a pass; None if another process cannot read it."""
    from inspect import unwrap
    from pathlib import Path

    code = getattr(unwrap(p.run), "__code__", None)
    path = Path(code.co_filename) if code is not None else None
    return path.resolve() if path is not None and path.suffix == ".py" and path.is_file() else None


def is_found_anywhere(p: Pass) -> bool:
    """True if another process finds a pass by its name alone."""
    return p.name in TABLE or p.name in PASSES.foreign()


@cache
def _of_files(paths: str) -> Mapping[str, Pass]:
    """Return the passes in files.  Raises UsageError for a file that cannot be executed."""
    from importlib.util import module_from_spec, spec_from_file_location

    found: dict[str, Pass] = {}
    for k, path in enumerate(filter(None, paths.split(os.pathsep))):
        spec = spec_from_file_location(f"funmem_passes_{k}", path)
        try:
            if spec is None or spec.loader is None:
                raise ImportError("not a Python file")
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
        except Exception as error:  # whatever the file raises
            message = f"the passes of `{path}` cannot be loaded: {type(error).__name__}: {error}"
            hint = f"{FILES} lists the Python files that contain passes"
            raise UsageError(Diagnostic(NOWHERE, "unknown-pass", message, hint)) from error
        found |= {p.name: p for p in vars(module).values() if isinstance(p, Pass)}
    return MappingProxyType(found)


def _own() -> Mapping[str, Pass]:
    """Return the passes of ``FUNMEM_PASSES`` and those that were registered."""
    return {**_of_files(os.environ.get(FILES, "")), **_registered}


def names() -> tuple[str, ...]:
    """Return the names of all passes that :func:`find` knows, those of funmem first."""
    return (*TABLE, *sorted((PASSES.foreign().keys() | _own().keys()) - TABLE.keys()))


def find(name: str) -> Pass:
    """Return the pass of a name; raise a :class:`UsageError` that lists similar names if there is
    none.
    """
    if name in RENAMED and name not in _own():
        _warn_of_former_name(name)
        name = RENAMED[name]
    if (place := TABLE.get(name)) is not None:
        return PASSES.load(name, place)
    if (own := _own().get(name)) is not None:
        return own
    found = PASSES.get(name)
    return PASSES.unknown(name, names()) if found is None else found


def _warn_of_former_name(name: str) -> None:
    import warnings

    message = f"the pass `{name}` is now called `{RENAMED[name]}`"
    hint = "the former name is accepted until version 0.2"
    warning = Diagnostic(NOWHERE, "renamed-pass", message, hint, "warning")
    warnings.warn(FunmemWarning(warning), stacklevel=3)
