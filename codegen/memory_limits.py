"""How much memory there is: what a run's need is held against before the run.

--max-bytes            if it is given, and then nothing else
the device             what OpenCL says that it has
the cgroup             the least limit of this process's control group and those around it
the address space      ``ulimit -v``
this machine           memory and swap
"""

import os
import resource
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, Span
from funmem.ir.record import frozen

ALWAYS_THERE = 1 << 26
"""Bytes that every machine has which runs us at all: nobody looks how many it has."""


@frozen
class Need:
    """The bytes that a run holds at some time, and where it allocates the last of them; not
    ``exact``: it holds so many at least.  ``block``: those of its largest block.
    """

    bytes: int
    at: Span = NOWHERE
    exact: bool = True
    block: int = 0
    block_at: Span = NOWHERE


@frozen
class Limit:
    """So many bytes, and who has them; ``block``: so many for one block at most."""

    bytes: int
    whose: str
    block: int | None = None

    def suffices(self, need: Need) -> bool:
        """Whether it is as much as is needed."""
        return need.bytes <= self.bytes and (self.block is None or need.block <= self.block)


def require(need: Need, limit: Limit) -> None:
    """Raises DeviceError, which says what is needed and what is there."""
    if limit.suffices(need):
        return
    if need.bytes > limit.bytes:
        least = "" if need.exact else "at least "
        needs = f"the program needs {least}{human(need.bytes)}"
        at, message = need.at, f"{needs}, {limit.whose} has {human(limit.bytes)}"
    else:
        there = human(limit.block or 0)
        needs = f"a block needs {human(need.block)}"
        at, message = need.block_at, f"{needs}, {limit.whose} has {there} for one block"
    hint = "try smaller sizes; `funmem explain` says what takes how much"
    raise DeviceError(Diagnostic(at, "memory", message, hint))


def budget(max_bytes: int) -> Limit:
    """What somebody allows."""
    return Limit(max_bytes, "the budget")


def host_limit(root: Path = Path("/")) -> Limit:
    """What this process may have on this machine; ``root`` is where the system's files are."""
    found = [*_groups(root), *_address_space(), *_machine(root)]
    return min(found, key=lambda limit: limit.bytes, default=Limit((1 << 63) - 1, "this machine"))


def _groups(root: Path) -> Iterator[Limit]:
    """The limits of control groups, of both versions of these, from the process's own upwards."""
    for line in _lines(root / "proc/self/cgroup"):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            top, file = root / "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            top, file = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        own = Path(path.lstrip("/"))
        for group in (own, *own.parents):  # a path of which we see only a part is no hindrance
            yield from _numbers(_lines(top / group / file), "the cgroup of this process")


def _address_space() -> Iterator[Limit]:
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        yield Limit(most, "the address space (ulimit -v)")


def _machine(root: Path) -> Iterator[Limit]:
    found = dict(line.split(":", 1) for line in _lines(root / "proc/meminfo") if ":" in line)
    with suppress(KeyError, ValueError, IndexError):  # another kind of system
        kib = [int(found[x].split()[0]) for x in ("MemTotal", "SwapTotal")]
        yield Limit(1024 * sum(kib), "this machine")
        return
    with suppress(ValueError, OSError, AttributeError):
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if pages > 0:
            yield Limit(pages, "this machine")


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:  # there is no such limit
        return []


def _numbers(lines: Iterable[str], whose: str) -> Iterator[Limit]:
    """What is not a number (``max``) is no limit."""
    for line in lines:
        if line.strip().isdigit():
            yield Limit(int(line), whose)


_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def human(size: int) -> str:
    """``1536`` -> ``1.5 KiB``; three digits, rounded up where it matters to nobody."""
    power = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    return f"{size / (1 << 10 * power):.4g} {_UNITS[power]}"
