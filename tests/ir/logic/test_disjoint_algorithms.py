"""Blocked Needleman-Wunsch and LU with unknown sizes: what short-circuiting has to prove there.

Protects ``ir/logic/disjoint/``.  The algorithms are those of Rodinia, in the form in which
"Memory Optimizations in an Array Language" (SC'22) optimises them: the result of each kernel is
built where it will be in the matrix, while the kernel still reads other parts of it.  Both are
written down here as they are on paper, from rows and columns of blocks; nothing is simplified for
the prover.  Each question comes with one that is off by one, of which brute force finds an
instance that overlaps.
"""

from collections.abc import Callable

import pytest
from attrs import frozen

from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.disjoint import aggregate, aggregate_range, disjoint, why_not_disjoint
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.sizes import ONE, Size, SizeLike, var
from tests.support.disjoint_symbolic import Query, overlap

N, B, D, T, U, K, I0, J, P, Q = (
    Name(x) for x in ("n", "b", "d", "t", "u", "k", "i", "j", "p", "q")
)
n, b, d, t, u, k, i, j, p, q = (var(x) for x in (N, B, D, T, U, K, I0, J, P, Q))

SIZES = Facts().with_nonneg(n - 1).with_nonneg(b - 1)
"""n blocks of b rows and columns; one of either is enough."""


def part(width: Size, row: Size, column: Size, rows: SizeLike, columns: SizeLike) -> Lmad:
    """A part of a row-major matrix of a width; a dimension of one element is left out."""
    dims = (Dim(Size.of(rows), width), Dim(Size.of(columns), ONE))
    return Lmad(row * width + column, tuple(x for x in dims if x.len != ONE))


def over(x: Lmad, index: Name, start: SizeLike, count: Size, facts: Facts) -> Lmad:
    found = aggregate_range(x, index, start, count, facts)
    assert found is not None
    return found


# ------------------------------------------------------------------------ Needleman-Wunsch

WIDTH = n * b + 1
"""The score matrix: row and column 0 are given, block (r, c) starts at row r*b + 1."""


@frozen
class Diagonal:
    """The blocks that one kernel computes: thread t has block ``(row, column)``."""

    row: Callable[[Size], Size]
    column: Callable[[Size], Size]
    threads: Size
    facts: Facts

    def block(self, t: Size) -> Lmad:
        """What thread t writes."""
        return part(WIDTH, self.row(t) * b + 1, self.column(t) * b + 1, b, b)

    def above(self, t: Size, more: int = 0) -> Lmad:
        """The row above the block with the corner on its left, which thread t reads."""
        return part(WIDTH, self.row(t) * b, self.column(t) * b, 1, b + 1 + more)

    def left(self, t: Size, more: int = 0) -> Lmad:
        """The column left of the block, which thread t reads."""
        return part(WIDTH, self.row(t) * b + 1, self.column(t) * b, b + more, 1)

    def all(self, x: Lmad) -> Lmad:
        found = aggregate(x, T, self.threads, self.facts)
        assert found is not None
        return found


FIRST = Diagonal(
    row=lambda t: t,
    column=lambda t: d - t,
    threads=d + 1,
    facts=SIZES.with_index(D, n),
)
"""The upper left half: anti-diagonal d has d + 1 blocks."""

SECOND = Diagonal(
    row=lambda t: d + 1 + t,
    column=lambda t: n - 1 - t,
    threads=n - 1 - d,
    facts=SIZES.with_index(D, n - 1),
)
"""The lower right half, from the last column down to the last row."""


# ------------------------------------------------------------------------ LU decomposition


def block(r: Size, c: Size, taller: int = 0, wider: int = 0) -> Lmad:
    """Block (r, c) of a matrix of n by n blocks."""
    return part(n * b, r * b, c * b, b + taller, b + wider)


STEP = SIZES.with_index(K, n)
"""Step k: the diagonal block (k, k), the perimeter right of it and below, then the interior."""
LEFT = n - k - 1
DIAGONAL = block(k, k)
ROW = over(block(k, j), J, k + 1, LEFT, STEP)
COLUMN = over(block(i, k), I0, k + 1, LEFT, STEP)
INTERIOR = over(over(block(i, j), J, k + 1, LEFT, STEP), I0, k + 1, LEFT, STEP)
LONG_ROW = over(block(k, j), J, k, LEFT, STEP)
LONG_COLUMN = over(block(i, k), I0, k, LEFT, STEP)
TALL_ROW = over(block(k, j, taller=1), J, k + 1, LEFT, STEP)
WIDE_COLUMN = over(block(i, k, wider=1), I0, k + 1, LEFT, STEP)


@frozen
class Question:
    """Something written, something read, and what would be read if the program were off by one."""

    place: str
    written: Lmad
    read: Lmad
    too_much: Lmad
    facts: Facts

    def __str__(self) -> str:
        return self.place


def diagonal(name: str, x: Diagonal) -> list[Question]:
    blocks = x.all(x.block(t))
    return [
        Question(f"NW, {name}: all blocks, all rows above",
                 blocks, x.all(x.above(t)), x.all(x.above(t, more=1)), x.facts),
        Question(f"NW, {name}: all blocks, all columns left of them",
                 blocks, x.all(x.left(t)), x.all(x.left(t, more=1)), x.facts),
    ]  # fmt: skip


NINE = [
    *diagonal("first half", FIRST),
    *diagonal("second half", SECOND),
    Question("LUD: diagonal block, perimeter row", DIAGONAL, ROW, LONG_ROW, STEP),
    Question("LUD: diagonal block, perimeter column", DIAGONAL, COLUMN, LONG_COLUMN, STEP),
    Question("LUD: perimeter row, perimeter column", ROW, COLUMN,
             over(block(i, k, wider=1), I0, k, LEFT, STEP), STEP),
    Question("LUD: interior, perimeter row", INTERIOR, ROW, TALL_ROW, STEP),
    Question("LUD: interior, perimeter column", INTERIOR, COLUMN, WIDE_COLUMN, STEP),
]  # fmt: skip


def threads(name: str, x: Diagonal) -> list[Question]:
    """Block t, and what the other threads read and write: u < t, and u > t as t + 1 + u."""
    one = x.facts.with_index(T, x.threads)
    earlier = one.with_index(U, t)
    later = one.with_index(U, x.threads - t - 1)
    mine = x.block(t)
    reads = (("row above", x.above), ("column left", x.left))
    found = [
        Question(f"NW, {name}: block, an earlier one", mine, x.block(u), x.block(u + 1), earlier),
        Question(f"NW, {name}: block, a later one", mine, x.block(t + 1 + u), x.block(t + u),
                 later),
    ]  # fmt: skip
    for what, read in reads:
        found += [
            Question(f"NW, {name}: block, own {what}", mine, read(t),
                     read(t).shifted(WIDTH + 1), one),
            Question(f"NW, {name}: block, later {what}", mine, read(t + 1 + u),
                     read(t + 1 + u, 1) if what == "row above" else x.block(t + u), later),
            Question(f"NW, {name}: block, earlier {what}", mine, read(u),
                     read(u, 1) if what == "column left" else x.block(u + 1), earlier),
            Question(f"NW, {name}: block, all earlier threads' {what}", mine,
                     over(read(u), U, 0, t, one), over(x.block(u), U, 1, t, one), one),
            Question(f"NW, {name}: block, all later threads' {what}", mine,
                     over(read(u), U, t + 1, x.threads - t - 1, one),
                     over(x.block(u), U, t, x.threads - t - 1, one), one),
        ]  # fmt: skip
    return found


INSIDE = STEP.with_index(I0, LEFT).with_index(J, LEFT)
"""Thread (i, j) of the interior's kernel."""
MINE = block(k + 1 + i, k + 1 + j)
LUD_THREADS = [
    Question("LUD: interior block, the row block above", MINE, block(k, k + 1 + j),
             block(k + 1, k + 1 + j), INSIDE),
    Question("LUD: interior block, the column block left", MINE, block(k + 1 + i, k),
             block(k + 1 + i, k + 1), INSIDE),
    Question("LUD: interior block, one in an earlier row", MINE, block(k + 1 + p, k + 1 + q),
             block(k + 1 + p, k + 1 + q, taller=1), INSIDE.with_index(P, i).with_index(Q, LEFT)),
    Question("LUD: interior block, an earlier one in its row", MINE, block(k + 1 + i, k + 1 + q),
             block(k + 1 + i, k + 1 + q, wider=1), INSIDE.with_index(Q, j)),
    Question("LUD: interior block, all of the rows before", MINE,
             over(over(block(p, q), Q, k + 1, LEFT, STEP), P, k + 1, i, INSIDE),
             over(over(block(p, q), Q, k + 1, LEFT, STEP), P, k + 1, i + 1, INSIDE), INSIDE),
    Question("LUD: perimeter block, the diagonal block", block(k, k + 1 + j), DIAGONAL,
             block(k, k, wider=1), STEP.with_index(J, LEFT)),
    Question("LUD: the next step's diagonal block, this one's row", block(k + 1, k + 1), ROW,
             TALL_ROW, SIZES.with_index(K, n - 1)),
]  # fmt: skip

OTHERS = [*threads("first half", FIRST), *threads("second half", SECOND), *LUD_THREADS]


def test_there_are_nine() -> None:
    assert len(NINE) == len({x.place for x in NINE}) == 9


@pytest.mark.parametrize("x", [*NINE, *OTHERS], ids=str)
def test_is_proved(x: Question) -> None:
    assert disjoint(x.written, x.read, x.facts)
    assert disjoint(x.read, x.written, x.facts)
    assert overlap(Query(x.written, x.read, x.facts), 3, (N, B)) is None


@pytest.mark.parametrize("x", [*NINE, *OTHERS], ids=str)
def test_off_by_one_is_not(x: Question) -> None:
    assert overlap(Query(x.written, x.too_much, x.facts), 3, (N, B)) is not None
    assert not disjoint(x.written, x.too_much, x.facts)
    assert not disjoint(x.too_much, x.written, x.facts)
    why = why_not_disjoint(x.written, x.too_much, x.facts)
    assert why is not None
    assert "both have element" in why


@pytest.mark.parametrize("x", NINE, ids=str)
def test_the_facts_are_needed(x: Question) -> None:
    """Without the ranges of the indices there is nothing to prove it from."""
    assert not disjoint(x.written, x.read, Facts())
