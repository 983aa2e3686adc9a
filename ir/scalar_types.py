"""The scalar types and their values (see :mod:`funmem.ir.scalars`)."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

Value: TypeAlias = bool | int | float


class ScalarType(Enum):
    """A scalar type.  `bits` is its width (bool: 1), `bytes` its size in memory (bool: 1)."""

    BOOL = "bool"
    I8 = "i8"
    I16 = "i16"
    I32 = "i32"
    I64 = "i64"
    U8 = "u8"
    U16 = "u16"
    U32 = "u32"
    U64 = "u64"
    F16 = "f16"
    F32 = "f32"
    F64 = "f64"

    is_signed: bool
    is_unsigned: bool
    is_int: bool
    is_float: bool
    bits: int
    bytes: int

    def __init__(self, name: str) -> None:
        self.is_signed = name[0] == "i"
        self.is_unsigned = name[0] == "u"
        self.is_int = self.is_signed or self.is_unsigned
        self.is_float = name[0] == "f"
        self.bits = 1 if name == "bool" else int(name[1:])
        self.bytes = max(1, self.bits // 8)

    @property
    def min(self) -> int:
        """The smallest value of an integer type."""
        return -(1 << (self._int_bits() - 1)) if self.is_signed else 0

    @property
    def max(self) -> int:
        """The largest value of an integer type."""
        return (1 << (self._int_bits() - self.is_signed)) - 1

    def _int_bits(self) -> int:
        if not self.is_int:
            raise TypeError(f"{self.value} is not an integer type")
        return self.bits

    def __str__(self) -> str:
        return str(self.value)

    __hash__ = object.__hash__  # Enum's is a Python function: too slow as a key of inner loops


BOOL, F16, F32, F64 = ScalarType.BOOL, ScalarType.F16, ScalarType.F32, ScalarType.F64
I8, I16, I32, I64 = ScalarType.I8, ScalarType.I16, ScalarType.I32, ScalarType.I64
U8, U16, U32, U64 = ScalarType.U8, ScalarType.U16, ScalarType.U32, ScalarType.U64

SIGNED = (I8, I16, I32, I64)
UNSIGNED = (U8, U16, U32, U64)
INTS = SIGNED + UNSIGNED
FLOATS = (F16, F32, F64)
NUMBERS = INTS + FLOATS
SCALARS = (BOOL, *NUMBERS)
