"""The values to try, by parameter.  Parameters that tend to matter most come first."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

Values: TypeAlias = Mapping[str, tuple[int, ...]]

CPU: Values = MappingProxyType(
    {
        "width": (0, 16, 32, 48, 64, 96, 128),
        "kept": (128, 256, 512, 1024, 2048),
        "block": (0, 16, 32),
        "rows": (2, 3, 4, 6, 8, 12, 16),
        "rounds": (1, 2, 4, 8),
        "tall": (16, 32, 64, 128, 256),
        "wide": (4, 8, 16, 32),
        "threads": (16, 32, 64, 128, 256, 512, 1024),
        "strip": (16, 32, 64, 128, 256),
        "piece": (1024, 4096, 16384),
    }
)
"""For processors, in C and in OpenCL."""

GPU: Values = MappingProxyType(
    {
        "threads": (128, 512, 2048, 8192, 32768),
        "strip": (32, 64, 128, 256),
        "piece": (64, 256, 1024, 4096),
        "group": (0, 32, 64, 128, 256, 512, 1024),
    }
)
"""For GPUs, whose default pipeline has neither tile, vectorise nor unroll-and-jam."""


def nearest_first(values: tuple[int, ...], now: int) -> tuple[int, ...]:
    """Return the other values, ordered by their distance from ``now``."""
    place = values.index(now) if now in values else 0
    order = sorted(range(len(values)), key=lambda k: (abs(k - place), k))
    return tuple(values[k] for k in order if values[k] != now)
