"""Tuning parameters: the sizes of chunks, strips, tiles and groups.

They do not change the meaning of a program, nor the iterations of a kernel, but how iterations are
grouped and distributed.  The best values depend on the program, its sizes, the device and its
compiler.  There are defaults for each class of processors; ``funmem tune`` searches for better
values, for a program or, with ``--machine``, for all programs on a machine.

    threads   schedule         chunks of a top-level collective, one per thread
    strip     schedule         elements that are folded in parallel if a reduction commutes
    piece     schedule         elements of a piece of a long row of a ragged array
    tall      tile             rows of a tile
    wide      tile             columns of a tile
    width     vectorise        iterations of a group; 0: 64, 48, 32, 16 or 8, as ``kept`` permits
    kept      vectorise        bytes of a group's expanded scalars, if ``width`` is 0
    block     vectorise        largest group, if rows that read the same elements run together
    rounds    vectorise        iterations of a while-loop between two tests for active lanes
    rows      unroll-and-jam   largest unroll factor, as registers permit
    group     kernel launch    work-items of a work-group on a GPU; 0: by the length of the range

The class is an input of a compilation (``Options.processor``, ``--processor``), so that the same
compilation gives the same code on every machine.  Some defaults also depend on the compiler of the
emitted code: gcc for C, LLVM for OpenCL on processors.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from attrs import fields

from funmem.ir.record import evolve, frozen


class Processor(Enum):
    """A class of processors: the vector instructions that its members have.

    The registers of SSE and of processors that are not x86 have 16 bytes, those of AVX2 32, those
    of AVX-512 64.  There are 16 of them; with AVX-512 32.
    """

    SSE = "sse"
    AVX2 = "avx2"
    AVX512 = "avx512"


class Compiler(Enum):
    """The compiler of the emitted code: C's default one, and that of OpenCL drivers."""

    GCC = "gcc"
    LLVM = "llvm"


REFERENCE = Processor.AVX512
"""The class whose defaults are those of the passes' options."""


@frozen
class Tuning:
    """A value for each parameter; it is compared with the defaults of ``processor`` and
    ``compiler``.
    """

    threads: int = 128
    strip: int = 64
    piece: int = 4096
    tall: int = 64
    wide: int = 8
    width: int = 0
    kept: int = 1024
    block: int = 0
    rounds: int = 4
    rows: int = 8
    group: int = 0
    processor: Processor = REFERENCE
    compiler: Compiler = Compiler.GCC

    def values(self) -> dict[str, int]:
        """Return the value of each parameter."""
        return {x: getattr(self, x) for x in PARAMETERS}

    def changed(self, values: Mapping[str, int]) -> "Tuning":
        """Return the tuning with other values of some parameters."""
        changed = {**self.values(), **values}
        return Tuning(**changed, processor=self.processor, compiler=self.compiler)

    def changes(self) -> dict[str, int]:
        """Return the parameters that differ from the defaults of the class and the compiler."""
        return self._beside(defaults(self.processor, self.compiler))

    def options(self) -> dict[str, int]:
        """Return the parameters that differ from the defaults of the passes' options."""
        return self._beside(DEFAULT)

    def _beside(self, plain: "Tuning") -> dict[str, int]:
        return {x: n for x, n in self.values().items() if n != getattr(plain, x)}

    def __str__(self) -> str:
        return ", ".join(f"{x}={n}" for x, n in self.changes().items()) or "defaults"


PARAMETERS = tuple(f.name for f in fields(Tuning) if f.name not in ("processor", "compiler"))

DEFAULT = Tuning()
"""The defaults of the passes' options, and of GPUs."""

DEFAULTS: Mapping[Processor, Tuning] = MappingProxyType(
    {
        Processor.SSE: Tuning(kept=512, processor=Processor.SSE),
        Processor.AVX2: Tuning(kept=512, processor=Processor.AVX2),
        Processor.AVX512: DEFAULT,
    }
)
"""The defaults of each class of processors, for code that gcc compiles.

With registers of 16 or 32 bytes, groups of 32 iterations beat groups of 48 in mandelbrot (0.86 of
the processor time in C for SSE, 0.92 for AVX2, 0.91 through PoCL) and nbody (0.90 through PoCL,
1.03 in C), in interleaved runs; groups of 8 take several times as long.  Eight rows beat four.
"""

LLVM: Mapping[Processor, Mapping[str, int]] = MappingProxyType(
    {Processor.AVX2: MappingProxyType({"block": 16, "rows": 4, "rounds": 3})}
)
"""What differs from ``DEFAULTS`` in code that LLVM compiles.

With registers of 32 bytes, four rows of 16 sums stay in 8 of 16 registers.  LLVM keeps them there;
it stores eight rows of 64 sums in every step.  Through PoCL this takes 0.75 of the time in matmul
and lu; through C 1.6 in matmul.  Three rounds between two tests need fewer registers: mandelbrot
takes 0.78 of the time of four (processor times of interleaved runs under load, one thread).
"""


def defaults(processor: Processor, compiler: Compiler) -> Tuning:
    """Return the defaults of a class of processors, for code that a compiler compiles."""
    plain = evolve(DEFAULTS[processor], compiler=compiler)
    return plain.changed(LLVM.get(processor, {})) if compiler is Compiler.LLVM else plain


GPU_PIECE = 256
"""The value of ``piece`` on a GPU."""

PASSES: Mapping[str, str] = MappingProxyType(
    {
        "threads": "schedule",
        "strip": "schedule",
        "piece": "schedule",
        "tall": "tile",
        "wide": "tile",
        "width": "vectorise",
        "kept": "vectorise",
        "block": "vectorise",
        "rounds": "vectorise",
        "rows": "unroll-and-jam",
    }
)
"""Parameter -> the pass whose option of that name it is."""
