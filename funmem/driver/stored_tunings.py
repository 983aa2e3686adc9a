"""Stored tunings: the results of ``funmem tune`` for an entry point, or for all, in a place.

A place is an engine on a machine: the device, its driver and the compiler, in words.  A tuning is
stored in the user's cache folder under a hash of the entry point's text and of the place, so that
it never applies to another program, device or driver.  It changes a program's speed only.  The
defaults that ``funmem tune --machine`` found apply in their place to all entry points without a
tuning of their own.

Without any stored tuning, a look-up costs one access to the file system; otherwise the program is
printed as text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from funmem import __version__
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.fun import Program
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.passes.framework import AnyProgram
from funmem.passes.tuning import DEFAULT, PARAMETERS, Compiler, Processor, Tuning, defaults

if TYPE_CHECKING:
    from funmem.codegen.cache import Cache
    from funmem.codegen.device import DeviceInfo

Tunings: TypeAlias = Mapping[Name, Tuning]
"""Entry point -> tuning; entry points with the defaults of the class are left out."""

NONE: Tunings = MappingProxyType({})

FOLDER = "tuning"
FORMAT = "4"
MOST = 1 << 20
"""Largest value of a parameter."""

MACHINE = "this machine"
"""Stands for the text and the name of a program in what is stored for all programs."""


@frozen
class Place:
    """Where a program runs: ``words`` hold all that may affect its speed, ``name`` is displayed."""

    name: str
    words: tuple[str, ...]


def place_of_c() -> Place:
    """Return the place of C with OpenMP on this machine.  Raises DeviceError without a compiler."""
    import os

    from funmem.codegen.c_library import COptions, compiler_version, find_compiler
    from funmem.codegen.this_processor import model

    command = find_compiler()
    threads = os.environ.get("OMP_NUM_THREADS", "")
    words = (*command, compiler_version(command), *COptions().flags, str(os.cpu_count()), threads)
    return Place("C with OpenMP", ("c", model(), *words))


def place_of_device(info: DeviceInfo) -> Place:
    """Return the place of an OpenCL device and its driver."""
    words = (info.platform, info.name, info.version, info.driver, info.kind, str(info.units))
    return Place(info.name, ("opencl", *words, *info.options))


# ---------------------------------------------------------------------- looking up


def look_up(
    program: AnyProgram, place: Callable[[], Place], *, safe: bool, plain: Tuning = DEFAULT
) -> Tunings:
    """Return the stored tunings of a program's entry points that differ from ``plain``.

    ``place`` is called only if there may be one.

    Raises UsageError for a cache folder that others may write to.
    """
    if not isinstance(program, Program) or (store := _store()) is None:
        return NONE
    usual = None if store.get(_mark(MACHINE)) is None else _read(store.get(_key(MACHINE, place())))
    found: dict[Name, Tuning] = {}
    for name, text in _texts(program).items():
        own = None
        if store.get(_mark(text)) is not None:
            own = _read(store.get(_key(text, place(), safe=safe)))
        tuning = own or usual or plain
        if tuning.values() != plain.values():
            found[name] = tuning
    return found


def machine_defaults(place: Place) -> Tuning | None:
    """Return what ``funmem tune --machine`` found for a place, or None.

    Raises UsageError for a cache folder that others may write to.
    """
    store = _store()
    return None if store is None else _read(store.get(_key(MACHINE, place)))


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
    assert isinstance(program, Program)
    text = _texts(program)[entry]
    said = {"program": name, "entry": entry, "place": place.name, "safe": safe}
    _put(text, _key(text, place, safe=safe), said, tuning)


def keep_for_machine(place: Place, tuning: Tuning) -> None:
    """Store the defaults for a place.  Raises UsageError if the folder is not private."""
    said = {"program": MACHINE, "entry": "", "place": place.name, "safe": True}
    _put(MACHINE, _key(MACHINE, place), said, tuning)


def _put(text: str, key: str, said: Mapping[str, object], tuning: Tuning) -> None:
    from funmem.codegen.cache import Cache

    store, mark = Cache.of(FOLDER), _mark(text)
    content = {"said": {**said, "mark": mark}, **_content(tuning)}
    store.put(key, json.dumps(content).encode())
    store.put(mark, b"")


@frozen
class Kept:
    """A stored tuning and its description; ``mark`` is a hash of the entry point's text.

    The program of a machine's defaults is MACHINE.
    """

    key: str
    program: str
    entry: str
    place: str
    safe: bool
    mark: str
    tuning: Tuning

    @property
    def for_machine(self) -> bool:
        """True if it applies to all programs without a tuning of their own."""
        return self.program == MACHINE

    def __str__(self) -> str:
        if self.for_machine:
            return f"{MACHINE}, {self.place}: {self._tuning}"
        what = f"{self.program}, entry {self.entry}" if self.program else f"entry {self.entry}"
        kernels = "" if self.safe else ", --fast"
        return f"{what}, {self.place}{kernels}: {self._tuning}"

    @property
    def _tuning(self) -> str:
        return str(self.tuning) if self.tuning.changes() else "the defaults"

    def to_json(self) -> dict[str, object]:
        """Return the record as JSON data."""
        if self.for_machine:
            return {"machine": True, "place": self.place, "tuned": self.tuning.changes()}
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
    tuning = _read(content)
    return None if tuning is None else Kept(key, program, entry, place, said["safe"], mark, tuning)


def stored_in(place: Callable[[], Place]) -> tuple[str, ...]:
    """Return words that change when :func:`look_up` may find something else for a program.

    They are empty if nothing is stored; ``place`` is not called then.

    Raises UsageError for a cache folder that others may write to.
    """
    from funmem.codegen.cache import key_of

    if (store := _store()) is None:
        return ()
    each = ((key, (store.get(key) or b"").hex()) for key in sorted(store.stored()))
    return (key_of("stored", *chain.from_iterable(each)), *place().words)


def spelled(tunings: Tunings) -> str:
    """Return tunings as text, which :func:`unspelled` reads."""
    return json.dumps({x: _content(t) for x, t in tunings.items()})


def unspelled(text: str) -> Tunings | None:
    """Return the tunings that :func:`spelled` wrote, or None for another text."""
    try:
        content = json.loads(text)
        each = {Name(x): _read(json.dumps(t).encode()) for x, t in content.items()}
    except (ValueError, AttributeError):
        return None
    found = {x: t for x, t in each.items() if t is not None}
    return found if len(found) == len(each) else None


def _content(t: Tuning) -> dict[str, object]:
    return {
        "processor": t.processor.value,
        "compiler": t.compiler.value,
        "changes": t.changes(),
    }


def _store() -> Cache | None:
    """Return the folder of stored tunings, or None if there is none."""
    from funmem.codegen.folders import cache_root

    if not (cache_root() / FOLDER).is_dir():
        return None
    from funmem.codegen.cache import Cache

    return Cache.of(FOLDER)


def _texts(program: Program) -> dict[Name, str]:  # type: ignore[type-arg]  # of any kind
    from funmem.ir.text import show

    return {e.name: show(evolve(program, entries=(e,))) for e in program.entries}


def _mark(text: str) -> str:
    from funmem.codegen.cache import key_of

    return key_of("tuned somewhere", FORMAT, __version__, text)


def _key(text: str, place: Place, *, safe: bool = True) -> str:
    from funmem.codegen.cache import key_of

    return key_of("tuned", FORMAT, __version__, "safe" if safe else "fast", *place.words, text)


def _read(content: bytes | None) -> Tuning | None:
    """Return the tuning that ``keep`` wrote, or None for other content."""
    try:
        said = json.loads(content or b"")
        found = said["changes"]
        plain = defaults(Processor(said["processor"]), Compiler(said["compiler"]))
    except (ValueError, TypeError, KeyError):
        return None
    fine = isinstance(found, dict) and all(
        x in PARAMETERS and type(n) is int and 0 <= n <= MOST for x, n in found.items()
    )
    return plain.changed(found) if fine else None
