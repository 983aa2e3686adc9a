"""Memory limits, with which the need of a call is compared before the call.

--max-bytes            if it is given, it is the only limit
the device             the memory that OpenCL reports
the cgroup             the least limit of this process's control group and its ancestors
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
"""Bytes that every machine has; the limits are not read for a smaller need."""


@frozen
class Need:
    """The peak memory of a run in bytes, and the source position of the allocation that reaches it.

    If it is not ``exact``, it is a lower bound.  ``block``, ``block_at``: the largest block.
    """

    bytes: int
    at: Span = NOWHERE
    exact: bool = True
    block: int = 0
    block_at: Span = NOWHERE


@frozen
class Limit:
    """A limit in bytes: in total, and for one ``block``; ``whose``: what imposes it, in words."""

    bytes: int
    whose: str
    block: int | None = None

    def suffices(self, need: Need) -> bool:
        """True if the limit is at least the need."""
        return need.bytes <= self.bytes and (self.block is None or need.block <= self.block)


def require(need: Need, limit: Limit) -> None:
    """Raise DeviceError, with the need and the limit, if the limit does not suffice."""
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
    hint = "try smaller sizes; `funmem explain` shows the size of each block"
    raise DeviceError(Diagnostic(at, "memory", message, hint))


def budget(max_bytes: int) -> Limit:
    """Return the limit that the user has set."""
    return Limit(max_bytes, "the budget")


def host_limit(root: Path = Path("/")) -> Limit:
    """Return the memory limit of this process; ``root`` is the root of the file system."""
    found = [*_groups(root), *_address_space(), *_machine(root)]
    return min(found, key=lambda limit: limit.bytes, default=Limit((1 << 63) - 1, "this machine"))


def _groups(root: Path) -> Iterator[Limit]:
    """Yield the limits of the process's control group and its ancestors (cgroup v1 and v2)."""
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
        for group in (own, *own.parents):  # in a container some of these do not exist
            yield from _numbers(_lines(top / group / file), "the cgroup of this process")


def _address_space() -> Iterator[Limit]:
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        yield Limit(most, "the address space (ulimit -v)")


def _machine(root: Path) -> Iterator[Limit]:
    found = dict(line.split(":", 1) for line in _lines(root / "proc/meminfo") if ":" in line)
    with suppress(KeyError, ValueError, IndexError):  # not Linux
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
    except OSError:  # this limit does not exist
        return []


def _numbers(lines: Iterable[str], whose: str) -> Iterator[Limit]:
    """Yield the lines that are numbers as limits; other lines (``max``) mean no limit."""
    for line in lines:
        if line.strip().isdigit():
            yield Limit(int(line), whose)


_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def human(size: int) -> str:
    """Return a number of bytes for people: ``1536`` -> ``1.5 KiB``, with four digits at most."""
    power = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    return f"{size / (1 << 10 * power):.4g} {_UNITS[power]}"
