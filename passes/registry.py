"""The names of passes: ours in a literal table, others through the entry points ``funmem.passes``,
files of one's own through the environment variable ``FUNMEM_PASSES``, and what a process registers.

A third-party package declares in its ``pyproject.toml``

    [project.entry-points."funmem.passes"]
    my-pass = "my_package.passes:my_pass"

Who writes passes in a script has them in a file: ``FUNMEM_PASSES=script.py`` (several are separated
as in ``PATH``) makes the passes in it known to every command.  In a session without a file,
:func:`register` makes a pass known to this process.

Nothing is imported before a name is asked for, and what is not ours only for names that are not
ours.
"""

import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from funmem.ir.diagnostics import NOWHERE, Diagnostic, FunmemWarning, UsageError
from funmem.passes.framework import Pass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from pathlib import Path

GROUP = "funmem.passes"

TABLE: Mapping[str, str] = MappingProxyType(
    {
        "simplify": "funmem.passes.fun.simplify:simplify",
        "fuse": "funmem.passes.fun.fuse:fuse",
        "nest": "funmem.passes.fun.nest:nest",
        "schedule": "funmem.passes.fun.schedule:schedule",
        "allocate": "funmem.passes.mem.allocate:allocate",
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
    }
)
"""Pass name -> module and the name of the :class:`Pass` in it."""

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
    """Makes a pass known by its name in this process, in place of an earlier one of that name.

    Raises UsageError for the name of one of ours.
    """
    if p.name in TABLE:
        message = f"there is a pass `{p.name}` already, and it is funmem's"
        raise UsageError(Diagnostic(NOWHERE, "unknown-pass", message, "give it another name"))
    _registered[p.name] = p
    return p


def file_of(p: Pass) -> "Path | None":
    """The Python file in which a pass is defined, if it is one that another process can read."""
    from inspect import unwrap
    from pathlib import Path

    code = getattr(unwrap(p.run), "__code__", None)
    path = Path(code.co_filename) if code is not None else None
    return path.resolve() if path is not None and path.suffix == ".py" and path.is_file() else None


def is_found_anywhere(p: Pass) -> bool:
    """Whether another process finds a pass by its name alone."""
    return p.name in TABLE or p.name in _foreign()


@cache
def _of_files(paths: str) -> Mapping[str, Pass]:
    """The passes in files.  Raises UsageError for a file that cannot be run."""
    from importlib.util import module_from_spec, spec_from_file_location

    found: dict[str, Pass] = {}
    for k, path in enumerate(filter(None, paths.split(os.pathsep))):
        spec = spec_from_file_location(f"funmem_passes_{k}", path)
        try:
            if spec is None or spec.loader is None:
                raise ImportError("it is no Python file")
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
        except Exception as error:  # whatever the file raises
            message = f"the passes of `{path}` cannot be loaded: {type(error).__name__}: {error}"
            hint = f"{FILES} names the Python files that passes are in"
            raise UsageError(Diagnostic(NOWHERE, "unknown-pass", message, hint)) from error
        found |= {p.name: p for p in vars(module).values() if isinstance(p, Pass)}
    return MappingProxyType(found)


def _own() -> Mapping[str, Pass]:
    """The passes that this process has been told of."""
    return {**_of_files(os.environ.get(FILES, "")), **_registered}


def _foreign() -> "dict[str, EntryPoint]":
    from importlib.metadata import entry_points  # asks for much, and few need it

    return {e.name: e for e in entry_points(group=GROUP)}


def names() -> tuple[str, ...]:
    """Every pass that :func:`find` knows, ours first."""
    return (*TABLE, *sorted((_foreign().keys() | _own().keys()) - TABLE.keys()))


def find(name: str) -> Pass:
    """The pass of that name; a :class:`UsageError` that lists the nearest names otherwise."""
    if name in RENAMED and name not in _own():
        _warn_of_former_name(name)
        name = RENAMED[name]
    if (place := TABLE.get(name)) is not None:
        module, _, attribute = place.partition(":")
        return _as_pass(name, getattr(import_module(module), attribute))
    if (own := _own().get(name)) is not None:
        return own
    if (foreign := _foreign().get(name)) is not None:
        return _as_pass(name, foreign.load())
    from difflib import get_close_matches

    near = get_close_matches(name, names(), n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"passes: {', '.join(names())}"
    raise UsageError(Diagnostic(NOWHERE, "unknown-pass", f"there is no pass `{name}`", hint))


def _warn_of_former_name(name: str) -> None:
    import warnings

    message = f"the pass `{name}` is now called `{RENAMED[name]}`"
    hint = "the former name is accepted until version 0.2"
    said = Diagnostic(NOWHERE, "renamed-pass", message, hint, "warning")
    warnings.warn(FunmemWarning(said), stacklevel=3)


def _as_pass(name: str, value: object) -> Pass:
    if isinstance(value, Pass):
        return value
    message = f"what is registered as pass `{name}` is no Pass but {type(value).__name__}"
    raise UsageError(Diagnostic(NOWHERE, "unknown-pass", message))
