"""Bugs of schedule in kernels over rows: rules (S6) and (S7)."""

from tests.seeded.bug import Caught, SeededBug

PARTS = "funmem.passes.fun.schedule.row_parts"
FOLDS = "funmem.passes.fun.schedule.row_folds"
CHUNKS = "funmem.passes.fun.schedule.row_chunks"
LANES = "funmem.passes.fun.schedule.row_lanes"

OFFSETS = [0, 0, 5, 5, 6, 13, 13]
"""Empty rows at both ends and between others; rows of several pieces and chunks."""
XS = [3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5, 8, 9]


def bug(
    name: str,
    what: str,
    module: str,
    *,
    old: str,
    new: str,
    caught: Caught = Caught.VALUE,
    program: str = "fold",
    offsets: list[int] = OFFSETS,
    piece: int = 2,
) -> SeededBug:
    """On a program of ``programs/``: three threads, two accumulators for six elements or more."""
    return SeededBug(
        name=f"schedule-rows-{name}",
        what=what,
        module=module,
        old=old,
        new=new,
        pass_name="schedule",
        pipeline=f"schedule{{threads=3,piece={piece},lanes=2}}",
        program=f"rows/{program}.fun",
        args=(offsets, XS),
        caught=caught,
    )


BUGS: tuple[SeededBug, ...] = (
    bug(
        "front-forgotten",
        "the elements of a long row in front of its first whole piece are not folded",
        FOLDS,
        old='front = joined.let("front", I64, size_exp(var(next_) * r.piece))',
        new='front = joined.let("front", I64, size_exp(var(lo)))',
        offsets=[0, 0, 1, 1, 6, 13, 13],
    ),
    bug(
        "piece-too-long",
        "the last piece of a row runs into the next row",
        FOLDS,
        old="Bin(BinOp.MIN, Var(end), size_exp(var(start) + r.piece))",
        new="size_exp(var(start) + r.piece)",
        caught=Caught.TRAP,
    ),
    bug(
        "first-piece-only",
        "the row takes its first piece, and forgets the others",
        FOLDS,
        old="s = Stretch(q, var(next_), var(count), var(count))",
        new="s = Stretch(q, var(next_), var(count) * 0 + 1, var(count) * 0 + 1)",
    ),
    bug(
        "scan-over-rows",
        "a scan goes on from one row to the next",
        CHUNKS,
        old="fresh_start = scan.ne if scan is not None else ()",
        new="fresh_start = tuple(map(Var, accs))",
        program="scan",
    ),
    bug(
        "scan-from-neutral",
        "each chunk of a scan begins with the neutral element, also within a row",
        CHUNKS,
        old="ne = _select(b, begins, scan.ne, start, types)",
        new="ne = scan.ne",
        program="scan",
    ),
    bug(
        "scan-carries-all",
        "what a chunk has at its end is added to what was before if a row began, and not otherwise",
        CHUNKS,
        old="inner.stms.append(Stm(after, If(Var(new), Body((), own), both), b.at))",
        new="inner.stms.append(Stm(after, If(Var(new), both, Body((), own)), b.at))",
        program="scan",
    ),
    bug(
        "offsets-unchecked-within",
        "only the first and the last offset are checked",
        PARTS,
        old='fine = b.let("fine", BOOL, Bin(BinOp.LAND, Var(fine), Var(rises)))',
        new="",
        caught=Caught.TRAP,
        offsets=[0, 6, 5, 5, 6, 13, 13],
    ),
    bug(
        "lane-forgotten",
        "the row takes its first accumulator, and forgets the other",
        LANES,
        old="start = _joined(b, reduce, sums)",
        new="start = sums[0]",
        program="sums",
        piece=64,
    ),
    bug(
        "lanes-rest-forgotten",
        "the elements after the last whole round are not folded",
        LANES,
        old='rest = var(b.let("left", I64, size_exp(s.count - var(done))))',
        new='rest = var(b.let("left", I64, size_exp(var(done) - var(done))))',
        program="sums",
        piece=64,
    ),
    bug(
        "lanes-index-in-round",
        "an element that is computed from its place takes its place in the round",
        LANES,
        old="at = b.let(j, I64, size_exp(round_ * lanes + lane))",
        new="at = b.let(j, I64, size_exp(round_ + lane))",
        program="sums",
        piece=64,
    ),
)
