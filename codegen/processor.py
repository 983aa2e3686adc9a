"""Replaces the processor name in pip's PoCL, so that it builds kernels, and fast ones.

PoCL 3.0 asks its LLVM for the name of the host's processor, and links the builtin library
(``fabs``, ``fmin``, ``exp``, …) that was built for the host's level: for ``skylake-avx512``
(AVX-512) or ``haswell`` (AVX2).  The name causes two problems:

- LLVM inlines a function only into code for a processor with the same features.  On a processor
  with other features than the library's, every builtin is a call, and no loop that contains one is
  vectorised: 8 to 30 times slower.
- A processor that is newer than that LLVM is called ``generic``, which clang refuses for x86-64:
  "unknown target CPU".

PoCL has no option for the name.  So it is replaced in PoCL's device record, where it follows the
target triple.  The new name is that of the library for the processor's level (System V psABI),
which is determined by its flags; so no instruction is used that the processor lacks.

This overwrites one pointer in PoCL's memory, in the one version whose record is known, and only if
the surrounding words are as expected.  ``FUNMEM_POCL_PATCH=off`` disables it; ``funmem doctor``
shows the name.
"""

import ctypes
import os
import re
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import pyopencl as cl

from funmem.codegen.this_processor import flags, level

SWITCH = "FUNMEM_POCL_PATCH"
"""The environment variable that disables the replacement."""

_OFF = ("off", "0", "no", "false")
_DRIVER = "3.0-rc2"  # of pocl-binary-distribution
_RECORD = 1024  # bytes of the device record that are searched
_WORD = ctypes.sizeof(ctypes.c_void_p)
_NAME = re.compile(rb"[a-z][a-z0-9_-]*\Z")
_TRIPLE = re.compile(rb"x86_64-[a-z0-9_-]+\Z")


def name_processor(device: cl.Device) -> str:
    """Replace the processor name in the device record of pip's PoCL.

    Returns the new name.  Returns "" and changes nothing on another system, with another PoCL, if
    the record is not as expected, or if FUNMEM_POCL_PATCH disables it.
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


@cache  # keeps the string alive: the device record points at it
def _name_of_this_processor() -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(level(flags()).encode())


def _place(record: int) -> int | None:
    """Return the address of the record's pointer to the name, which follows an x86-64 triple."""
    memory = _readable()
    words = [_word(record + offset, memory) for offset in range(0, _RECORD, _WORD)]
    for k, (triple, name) in enumerate(pairwise(words)):
        if _TRIPLE.match(_text(triple, memory)) and _NAME.match(_text(name, memory)):
            return record + (k + 1) * _WORD
    return None


def _readable() -> list[tuple[int, int]]:
    """Return the ranges of addresses that this process may read."""
    lines = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
    spans = [
        line[0].split("-") for line in lines if line[1].startswith("r") and line[-1] != "[vvar]"
    ]
    return [(int(start, 16), int(end, 16)) for start, end in spans]


def _word(address: int, memory: list[tuple[int, int]]) -> int:
    """Return the word at an address, or 0 if it cannot be read."""
    if not any(start <= address <= end - _WORD for start, end in memory):
        return 0
    return ctypes.c_size_t.from_address(address).value


def _text(address: int, memory: list[tuple[int, int]]) -> bytes:
    """Return the C string at an address, at most 64 bytes; empty if it cannot be read."""
    end = next((end for start, end in memory if start <= address < end), address)
    return ctypes.string_at(address, min(64, end - address)).partition(b"\0")[0]
