"""What ``funmem tune`` has found, kept for later: a :class:`Tuning` for an entry point in a place.

A place is an engine on a machine: the device, its driver and the compiler, in words.  A tuning is
kept in the user's cache under a hash of the entry point's text and of the place, so that another
program, another device or another driver never gets it.  It changes how fast a program is, and
nothing else.

Who never tunes pays for one look at the file system; who tunes other programs, for the program's
text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from attrs import fields_dict

from funmem import __version__
from funmem.ir.fun import Program
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.passes.framework import AnyProgram
from funmem.passes.tuning import DEFAULT, Tuning

if TYPE_CHECKING:
    from funmem.codegen.cache import Cache
    from funmem.codegen.device import DeviceInfo

Tunings: TypeAlias = Mapping[Name, Tuning]
"""By entry point; of those only whose tuning is not the default one."""

NONE: Tunings = MappingProxyType({})

FOLDER = "tuning"
FORMAT = "1"
MOST = 1 << 20
"""No parameter is larger."""


@frozen
class Place:
    """Where a program runs: ``words`` are all that may decide how fast; ``name`` is for people."""

    name: str
    words: tuple[str, ...]


def place_of_c() -> Place:
    """C with OpenMP on this machine.  Raises DeviceError without a compiler."""
    import os

    from funmem.codegen.c_library import COptions, compiler_version, find_compiler

    command = find_compiler()
    threads = os.environ.get("OMP_NUM_THREADS", "")
    words = (*command, compiler_version(command), *COptions().flags, str(os.cpu_count()), threads)
    return Place("C with OpenMP", ("c", *words))


def place_of_device(info: DeviceInfo) -> Place:
    """An OpenCL device and its driver."""
    words = (info.platform, info.name, info.version, info.driver, info.kind, str(info.units))
    return Place(info.name, ("opencl", *words, *info.options))


# ---------------------------------------------------------------------- looking up


def look_up(program: AnyProgram, place: Callable[[], Place], *, safe: bool) -> Tunings:
    """The tunings of a program's entry points; ``place`` is called only if there may be any.

    Raises UsageError for a cache folder that others may write to.
    """
    if not isinstance(program, Program) or (store := _store()) is None:
        return NONE
    found: dict[Name, Tuning] = {}
    for name, text in _texts(program).items():
        if store.get(_mark(text)) is None:
            continue
        tuning = _read(store.get(_key(text, place(), safe=safe)))
        if tuning != DEFAULT:
            found[name] = tuning
    return found


def keep(program: AnyProgram, entry: Name, place: Place, tuning: Tuning, *, safe: bool) -> None:
    """Keeps a tuning for an entry point, instead of what was kept.  Raises UsageError."""
    from funmem.codegen.cache import Cache

    assert isinstance(program, Program)
    text = _texts(program)[entry]
    store = Cache.of(FOLDER)
    store.put(_key(text, place, safe=safe), json.dumps(tuning.changes()).encode())
    store.put(_mark(text), b"")


def any_kept() -> bool:
    """Whether there are any tunings."""
    from funmem.codegen.folders import cache_root

    return (cache_root() / FOLDER).is_dir()


def _store() -> Cache | None:
    """Where tunings are kept, if there are any."""
    if not any_kept():
        return None
    from funmem.codegen.cache import Cache

    return Cache.of(FOLDER)


def _texts(program: Program) -> dict[Name, str]:  # type: ignore[type-arg]  # of any kind
    from funmem.ir.text import show

    return {e.name: show(evolve(program, entries=(e,))) for e in program.entries}


def _mark(text: str) -> str:
    from funmem.codegen.cache import key_of

    return key_of("tuned somewhere", FORMAT, __version__, text)


def _key(text: str, place: Place, *, safe: bool) -> str:
    from funmem.codegen.cache import key_of

    return key_of("tuned", FORMAT, __version__, "safe" if safe else "fast", *place.words, text)


def _read(content: bytes | None) -> Tuning:
    """What ``keep`` wrote; the defaults for anything else."""
    try:
        found = json.loads(content or b"{}")
    except ValueError:
        return DEFAULT
    known = fields_dict(Tuning)
    fine = isinstance(found, dict) and all(
        x in known and type(n) is int and 0 <= n <= MOST for x, n in found.items()
    )
    return Tuning(**found) if fine else DEFAULT
