"""The names of passes: ours in a literal table, others through the entry points ``funmem.passes``.

A third-party package declares in its ``pyproject.toml``

    [project.entry-points."funmem.passes"]
    my-pass = "my_package.passes:my_pass"

Nothing is imported before a name is asked for, and foreign packages only for names that are not
ours.
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.passes.framework import Pass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "funmem.passes"

TABLE: Mapping[str, str] = MappingProxyType(
    {
        "simplify": "funmem.passes.simplify:simplify",
        "fuse": "funmem.passes.fuse:fuse",
        "nest": "funmem.passes.nest:nest",
        "schedule": "funmem.passes.schedule:schedule",
        "allocate": "funmem.passes.mem.allocate:allocate",
        "hoist": "funmem.passes.mem.hoist:hoist",
        "double-buffer": "funmem.passes.mem.double_buffer:double_buffer",
        "short-circuit": "funmem.passes.mem.short_circuit:short_circuit",
        "expand": "funmem.passes.mem.expand:expand",
        "merge": "funmem.passes.mem.merge:merge",
        "sequentialise": "funmem.passes.mem.sequentialise:sequentialise",
        "coalesce": "funmem.passes.mem.coalesce:coalesce",
        "lower": "funmem.passes.lower:lower",
        "lower-verified": "funmem.passes.trust:lower_verified",
        "unchecked": "funmem.passes.unchecked:unchecked",
        "edges": "funmem.passes.edges:edges",
        "versions": "funmem.passes.versions:versions",
        "tiles": "funmem.passes.tiles:tiles",
        "lanes": "funmem.passes.lanes:lanes",
        "jam": "funmem.passes.jam:jam",
    }
)
"""Pass name -> module and the name of the :class:`Pass` in it."""


def _foreign() -> "dict[str, EntryPoint]":
    from importlib.metadata import entry_points  # asks for much, and few need it

    return {e.name: e for e in entry_points(group=GROUP)}


def names() -> tuple[str, ...]:
    """Every pass that :func:`find` knows, ours first."""
    return (*TABLE, *sorted(_foreign().keys() - TABLE.keys()))


def find(name: str) -> Pass:
    """The pass of that name; a :class:`UsageError` that lists the nearest names otherwise."""
    if (place := TABLE.get(name)) is not None:
        module, _, attribute = place.partition(":")
        return _as_pass(name, getattr(import_module(module), attribute))
    if (foreign := _foreign().get(name)) is not None:
        return _as_pass(name, foreign.load())
    from difflib import get_close_matches

    near = get_close_matches(name, names(), n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"passes: {', '.join(names())}"
    raise UsageError(Diagnostic(NOWHERE, "unknown-pass", f"there is no pass `{name}`", hint))


def _as_pass(name: str, value: object) -> Pass:
    if isinstance(value, Pass):
        return value
    message = f"what is registered as pass `{name}` is no Pass but {type(value).__name__}"
    raise UsageError(Diagnostic(NOWHERE, "unknown-pass", message))
