"""The contents of test comments.

    -- ==
    -- tags { slow }
    -- entry: sum prefix
    -- "two" input { [1, 2] } output { 3 }
    -- random input { [100]i32 } auto output
    -- input @ data/large.in.gz error: out of [a-z]+
    -- structure seq-mem { Alloc 1 }
    entry sum …

Blocks after the first one have entry points and cases only.
"""

import re
from typing import TypeAlias

import numpy as np
from attrs import field

from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.values import ArgValue

# ---------------------------------------------------------------------- arguments


@frozen(eq=False)
class Inline:
    """Values in the comment itself.  They are numpy values, since each has a type of its own."""

    values: tuple[ArgValue, ...]


@frozen
class InFile:
    """Values in a file.  The path is relative to the program's folder; ``.gz`` files are
    decompressed.
    """

    path: str
    at: Span


@frozen
class RandomValue:
    """A random value; a scalar if the shape is empty."""

    shape: tuple[int, ...]
    elem: ScalarType


@frozen(eq=False)
class Random:
    """Random values, and constants between them."""

    items: tuple[RandomValue | np.generic, ...]


@frozen
class Script:
    """An expression of the script language (:mod:`funmem.suite.script`), or the file that contains
    it.
    """

    text: str
    file: InFile | None
    at: Span


Source: TypeAlias = Inline | InFile
Input: TypeAlias = Inline | InFile | Random | Script


# ---------------------------------------------------------------------- expectations


@frozen
class Message:
    """An expected error or warning, which contains a match of the pattern; None: any message."""

    text: str = ""
    pattern: re.Pattern[str] | None = None

    def matches(self, said: str) -> bool:
        return self.pattern is None or self.pattern.search(said) is not None


@frozen
class Output:
    """The case returns these results."""

    source: Source


@frozen
class AutoOutput:
    """The case returns what the reference returns (:mod:`funmem.suite.reference`)."""


@frozen
class Success:
    """The case returns any results, without an error."""


Expected: TypeAlias = Output | AutoOutput | Success | Message


# ---------------------------------------------------------------------- cases


@frozen
class Case:
    """One call of each entry point of its block, and the expected outcome."""

    index: int
    """Position within the block, from 0."""
    name: str
    tags: frozenset[str]
    input: Input
    expected: Expected
    at: Span

    @property
    def label(self) -> str:
        return f'"{self.name}"' if self.name else f"#{self.index}"


@frozen
class Block:
    """Cases, and the entry points that each of them calls."""

    entries: tuple[str, ...]
    cases: tuple[Case, ...]


@frozen
class Count:
    """Expected numbers of nodes at a stage of the compiler; an empty stage is the default one."""

    stage: str
    nodes: tuple[tuple[str, int], ...]
    at: Span


@frozen
class Spec:
    """All test comments of a program.  Without any, the program only has to compile."""

    tags: frozenset[str] = frozenset()
    rejected: Message | None = None
    """The error with which compilation must fail."""
    blocks: tuple[Block, ...] = ()
    counts: tuple[Count, ...] = ()
    warnings: tuple[Message, ...] = field(default=())
