"""The processor's name that pip's PoCL should have, so that it builds kernels, and fast ones.

PoCL 3.0 asks its LLVM what the host is called, and takes the builtin library (``fabs``, ``fmin``,
``exp``, …) that was built for the host's level: AVX-512 for ``skylake-avx512``, AVX2 for
``haswell``.  Two things go wrong with the name:

- LLVM inlines a function only into code for a processor with the same features.  On any other
  processor than the library's every builtin is a call, and no loop with one in it is vectorised:
  8 to 30 times slower.
- A processor that is newer than that LLVM is called ``generic``, which clang refuses for x86-64:
  "unknown target CPU".

PoCL has no option for the name, so it is exchanged where PoCL keeps it: in the device's record,
right after the target triple.  The new name is the library's, which asks for no instruction that
the processor lacks: the level (System V psABI) is found in its flags.

This writes into memory that is PoCL's: one pointer, of the one version whose record is known, if
the words around it are what they should be.  ``FUNMEM_POCL_PATCH=off`` leaves it alone;
``funmem doctor`` shows the name.
"""

import ctypes
import os
import re
import sys
from collections.abc import Collection
from functools import cache
from itertools import pairwise
from pathlib import Path

import pyopencl as cl

SWITCH = "FUNMEM_POCL_PATCH"
"""The environment variable that switches it off."""

_OFF = ("off", "0", "no", "false")
_DRIVER = "3.0-rc2"  # of pocl-binary-distribution
_RECORD = 1024  # bytes of a device's record that are looked at
_WORD = ctypes.sizeof(ctypes.c_void_p)
_NAME = re.compile(rb"[a-z][a-z0-9_-]*\Z")
_TRIPLE = re.compile(rb"x86_64-[a-z0-9_-]+\Z")

# A level's name, and the flags that it adds, as Linux calls them.
_LEVELS = (
    ("x86-64-v2", "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"),
    ("haswell", "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave"),
    ("skylake-avx512", "avx512f avx512bw avx512cd avx512dq avx512vl"),
)


def level(flags: Collection[str]) -> str:
    """The name for the highest level of which a processor has every flag."""
    found = "x86-64"
    for name, needed in _LEVELS:
        if not set(needed.split()) <= set(flags):
            break
        found = name
    return found


def name_processor(device: cl.Device) -> str:
    """Tells pip's PoCL what the processor is called.

    Returns the name given, or "" if it was left alone: another system or another PoCL, a record
    that is not as expected, or somebody has switched it off.
    """
    if os.environ.get(SWITCH, "").strip().lower() in _OFF:
        return ""
    if sys.platform != "linux" or device.driver_version.strip() != _DRIVER:
        return ""
    place = _place(device.int_ptr)
    if place is None:
        return ""
    name = _name_of_this_processor()
    ctypes.c_void_p.from_address(place).value = ctypes.addressof(name)
    return name.value.decode()


@cache  # kept alive: the device's record points at it
def _name_of_this_processor() -> ctypes.Array[ctypes.c_char]:
    cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    found = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    return ctypes.create_string_buffer(level(found[1].split() if found else ()).encode())


def _place(record: int) -> int | None:
    """Where the record keeps the address of the name: after that of an x86-64 triple."""
    memory = _readable()
    words = [_word(record + offset, memory) for offset in range(0, _RECORD, _WORD)]
    for k, (triple, name) in enumerate(pairwise(words)):
        if _TRIPLE.match(_text(triple, memory)) and _NAME.match(_text(name, memory)):
            return record + (k + 1) * _WORD
    return None


def _readable() -> list[tuple[int, int]]:
    """The ranges of addresses that this process may read."""
    lines = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
    spans = [
        line[0].split("-") for line in lines if line[1].startswith("r") and line[-1] != "[vvar]"
    ]
    return [(int(start, 16), int(end, 16)) for start, end in spans]


def _word(address: int, memory: list[tuple[int, int]]) -> int:
    """The word at an address, or 0 if it cannot be read."""
    if not any(start <= address <= end - _WORD for start, end in memory):
        return 0
    return ctypes.c_size_t.from_address(address).value


def _text(address: int, memory: list[tuple[int, int]]) -> bytes:
    """The C string at an address, its first 64 bytes; nothing if it cannot be read."""
    end = next((end for start, end in memory if start <= address < end), address)
    return ctypes.string_at(address, min(64, end - address)).partition(b"\0")[0]
