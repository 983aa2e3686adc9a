"""Stored tunings: the result of ``funmem tune`` for an entry point in a place.

A place is an engine on a machine: the device, its driver and the compiler, in words.  A tuning is
stored in the user's cache folder under a hash of the entry point's text and of the place, so that
it never applies to another program, device or driver.  It changes a program's speed only.

Without any stored tuning, a look-up costs one access to the file system; otherwise the program is
printed as text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from attrs import fields_dict

from funmem import __version__
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.fun import Program
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.passes.framework import AnyProgram
from funmem.passes.tuning import DEFAULT, Tuning

if TYPE_CHECKING:
    from funmem.codegen.cache import Cache
    from funmem.codegen.device import DeviceInfo

Tunings: TypeAlias = Mapping[Name, Tuning]
"""Entry point -> tuning; entry points with the default tuning are left out."""

NONE: Tunings = MappingProxyType({})

FOLDER = "tuning"
FORMAT = "2"
MOST = 1 << 20
"""Largest value of a parameter."""


@frozen
class Place:
    """Where a program runs: ``words`` hold all that may affect its speed, ``name`` is displayed."""

    name: str
    words: tuple[str, ...]


def place_of_c() -> Place:
    """Return the place of C with OpenMP on this machine.  Raises DeviceError without a compiler."""
    import os

    from funmem.codegen.c_library import COptions, compiler_version, find_compiler

    command = find_compiler()
    threads = os.environ.get("OMP_NUM_THREADS", "")
    words = (*command, compiler_version(command), *COptions().flags, str(os.cpu_count()), threads)
    return Place("C with OpenMP", ("c", *words))


def place_of_device(info: DeviceInfo) -> Place:
    """Return the place of an OpenCL device and its driver."""
    words = (info.platform, info.name, info.version, info.driver, info.kind, str(info.units))
    return Place(info.name, ("opencl", *words, *info.options))


# ---------------------------------------------------------------------- looking up


def look_up(program: AnyProgram, place: Callable[[], Place], *, safe: bool) -> Tunings:
    """Return the stored tunings of a program's entry points.

    ``place`` is called only if there may be one.

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


def keep(
    program: AnyProgram,
    entry: Name,
    place: Place,
    tuning: Tuning,
    *,
    safe: bool,
    name: str = "",
) -> None:
    """Store a tuning for an entry point, in place of an earlier one.

    ``name`` is the program's name for listings.  Raises UsageError if the folder is not private.
    """
    from funmem.codegen.cache import Cache

    assert isinstance(program, Program)
    text = _texts(program)[entry]
    store = Cache.of(FOLDER)
    mark = _mark(text)
    said = {"program": name, "entry": entry, "place": place.name, "safe": safe, "mark": mark}
    content = {"said": said, "changes": tuning.changes()}
    store.put(_key(text, place, safe=safe), json.dumps(content).encode())
    store.put(mark, b"")


@frozen
class Kept:
    """A stored tuning and its description; ``mark`` is a hash of the entry point's text."""

    key: str
    program: str
    entry: str
    place: str
    safe: bool
    mark: str
    tuning: Tuning

    def __str__(self) -> str:
        what = f"{self.program}, entry {self.entry}" if self.program else f"entry {self.entry}"
        kernels = "" if self.safe else ", --fast"
        tuning = self.tuning if self.tuning.changes() else "the defaults"
        return f"{what}, {self.place}{kernels}: {tuning}"

    def to_json(self) -> dict[str, object]:
        """Return the record as JSON data."""
        return {
            "name": self.program,
            "entry": self.entry,
            "place": self.place,
            "safe": self.safe,
            "tuned": self.tuning.changes(),
        }


def kept(program: AnyProgram | None = None) -> list[Kept]:
    """Return all stored tunings, or those of a program's entry points, sorted by name.

    Raises UsageError for a cache folder that others may write to.
    """
    store = _store()
    if store is None:
        return []
    found = [k for key in store.stored() if (k := _kept(key, store.get(key))) is not None]
    if program is not None:
        marks = set(map(_mark, _texts(program).values())) if isinstance(program, Program) else set()
        found = [k for k in found if k.mark in marks]
    return sorted(found, key=lambda k: (k.program, k.entry, k.place, k.safe, k.key))


def forget(some: Collection[Kept]) -> None:
    """Delete stored tunings.  Raises UsageError if the folder cannot be written to."""
    store = _store()
    if store is None:
        return
    gone = {k.key for k in some}
    still = {k.mark for k in kept() if k.key not in gone}
    for key in gone | ({k.mark for k in some} - still):
        try:
            store.remove(key)
        except OSError as error:
            message = f"cannot remove files of {store.folder}: {error.strerror}"
            raise UsageError(Diagnostic(NOWHERE, "cache", message)) from None


def _kept(key: str, content: bytes | None) -> Kept | None:
    """Return what ``keep`` wrote, or None for other content, such as a mark."""
    try:
        said = json.loads(content or b"")["said"]
        texts = [said[x] for x in ("program", "entry", "place", "mark")]
        if not all(isinstance(x, str) for x in texts) or not isinstance(said["safe"], bool):
            return None
    except (ValueError, TypeError, KeyError):
        return None
    program, entry, place, mark = texts
    return Kept(key, program, entry, place, said["safe"], mark, _read(content))


def any_kept() -> bool:
    """True if the folder of stored tunings exists."""
    from funmem.codegen.folders import cache_root

    return (cache_root() / FOLDER).is_dir()


def _store() -> Cache | None:
    """Return the folder of stored tunings, or None if there is none."""
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
    """Return the tuning that ``keep`` wrote, or the defaults for other content."""
    try:
        found = json.loads(content or b"")["changes"]
    except (ValueError, TypeError, KeyError):
        return DEFAULT
    known = fields_dict(Tuning)
    fine = isinstance(found, dict) and all(
        x in known and type(n) is int and 0 <= n <= MOST for x, n in found.items()
    )
    return Tuning(**found) if fine else DEFAULT
