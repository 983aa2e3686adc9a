"""Names of ``.fut`` programs: what Core's names become, and what they must not hide."""

from functools import cache

from funmem.frontends.futhark.lexer import RESERVED
from funmem.ir.scalars import ScalarType

_WORDS = """
    assert concat copy filter flatten flatten_3d flatten_4d iota length map map1 map2 map3 map4
    map5 reduce reduce_by_index reduce_by_index_2d reduce_by_index_3d reduce_comm replicate
    reverse scan scatter scatter_2d scatter_3d transpose unflatten unflatten_3d unflatten_4d
    unzip unzip2 unzip3 unzip4 unzip5 zip zip2 zip3 zip4 zip5
"""

LIBRARY = frozenset(_WORDS.split())
"""The library functions that the printed programs call."""


@cache
def reserved() -> frozenset[str]:
    """Return what no variable or definition may be called."""
    return frozenset({*RESERVED, *LIBRARY, *(t.value for t in ScalarType), "intrinsics", "_"})
