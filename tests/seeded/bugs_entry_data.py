"""Bugs of entry-data: rows that are read or written wrongly, and checks of a caller's rows."""

from tests.seeded.core import CoreBug, Seen

PACKAGE = "funmem.passes.core.entry_data"


def bug(name: str, module: str, old: str, new: str, seen: Seen = Seen.VALUE) -> CoreBug:
    """A bug in a module of the pass."""
    return CoreBug(
        f"entry-data-{name}", "entry-data", old, new, "", seen, "", f"{PACKAGE}.{module}"
    )


BUGS: tuple[CoreBug, ...] = (
    bug("link-to-itself", "inward", "BinOp.GT, link, i", "BinOp.GE, link, i"),
    bug("link-behind-the-rows", "inward", "BinOp.LT, link, self", "BinOp.LE, link, self"),
    bug("link-to-another-family", "inward", "BinOp.LT, tag,", "BinOp.LE, tag,"),
    bug(
        "unknown-tag", "inward", "c.Const(False, BOOL), WRONG_TAG", "c.Const(True, BOOL), WRONG_TAG"
    ),
    bug(
        "last-row-is-lost",
        "inward",
        "c.Bin(BinOp.SUB, self._n, c.Const(1, I64))",
        "c.Bin(BinOp.SUB, self._n, c.Const(2, I64))",
        Seen.TRAP,
    ),
    bug(
        "array-ends-at-its-length",
        "inward",
        "first, plus(first, n)) for",
        "first, n) for",
        Seen.TRAP,
    ),
    bug(
        "rows-at-one-place",
        "outward",
        "plus(link, c.Const(1, I64))",
        "plus(link, c.Const(0, I64))",
        Seen.TRAP,
    ),
    bug(
        "growth-by-what-there-is",
        "outward",
        "c.Bin(BinOp.MAX, c.Const(FIRST, I64), c.Bin(BinOp.MAX, room, lacks))",
        "c.Bin(BinOp.MAX, c.Const(FIRST, I64), room)",
        Seen.TRAP,
    ),
    bug("room-for-the-least", "outward", "self._spare = max(", "self._spare = min(", Seen.TRAP),
    bug(
        "no-room-behind-an-array",
        "outward",
        "first, plus(n, c.Const(self._spare, I64)))",
        "first, n)",
        Seen.TRAP,
    ),
    bug(
        "elements-of-the-first-family",
        "outward",
        "marks = c.Replicate(n, c.Const(f, I64), self.at)",
        "marks = c.Replicate(n, c.Const(0, I64), self.at)",
        Seen.TRAP,
    ),
    bug("links-behind-the-elements", "outward", "c.Iota(n, first, c", "c.Iota(n, stop, c"),
    bug("array-behind-itself", "outward", "return first, n\n", "return self._get(end), n\n"),
)
