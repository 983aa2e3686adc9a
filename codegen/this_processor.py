"""What the system tells of this machine's processor: its name, its flags, and their level."""

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")

# The name of each level of x86-64 (System V psABI), and the flags that it adds in Linux.
_LEVELS = (
    ("x86-64-v2", "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"),
    ("haswell", "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave"),
    ("skylake-avx512", "avx512f avx512bw avx512cd avx512dq avx512vl"),
)


def level(flags: Collection[str]) -> str:
    """Return the name of the highest level whose flags a processor has, given its flags."""
    found = "x86-64"
    for name, needed in _LEVELS:
        if not set(needed.split()) <= set(flags):
            break
        found = name
    return found


def flags() -> tuple[str, ...]:
    """Return this processor's flags, as Linux calls them."""
    return tuple(_line("flags").split())


def model() -> str:
    """Return the name of this processor, or an empty text if the system does not tell."""
    return _line("model name")


@cache
def _line(name: str) -> str:
    """Return a line of the first record in ``/proc/cpuinfo``, or an empty text."""
    try:
        with _CPUINFO.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if re.match(rf"{name}\s*:", line):
                    return line.partition(":")[2].strip()
                if not line.strip():
                    break
    except OSError:  # another system than Linux
        pass
    return ""
