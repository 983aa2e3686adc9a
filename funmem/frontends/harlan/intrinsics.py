"""Operations on scalars and texts that the library's definitions name, ``(%name e …)``.

They are written with types of the language; elaborate/scalars.py has their meaning.
"""

from collections.abc import Mapping
from types import MappingProxyType

INTRINSICS: Mapping[str, tuple[tuple[str, ...], str]] = MappingProxyType(
    {
        "%not": (("bool",), "bool"),
        "%int->float": (("int",), "float"),
        "%float->int": (("float",), "int"),
        "%char->int": (("char",), "int"),
        "%u64->float": (("u64",), "float"),
        "%int->u64": (("int",), "u64"),
        "%u64->int": (("u64",), "int"),
        "%sqrt": (("float",), "float"),
        "%floor": (("float",), "float"),
        "%atan2": (("float", "float"), "float"),
        "%str->vec": (("str",), "vec char"),
    }
)
"""Name -> the types of the parameters and of the result."""
