"""Bugs of boxed vectors: which rows are boxed, where they are boxed, and how they are stored."""

from tests.seeded.core import CoreBug, Seen

BOX = "box-rows"
TABLES = "tables"
EXPRESSIONS = "funmem.passes.core.box_rows.expressions"
LENGTHS = "funmem.passes.core.box_rows.lengths"
SHAPES = "funmem.passes.core.box_rows.shapes"
VECTORS = "funmem.passes.core.tables.vectors"
EQUALITY = "funmem.passes.core.tables.equality"


def bug(name: str, module: str, old: str, new: str, seen: Seen, rule: str = "") -> CoreBug:
    """A bug that the roses notice."""
    own = BOX if "box_rows" in module else TABLES
    return CoreBug(name, own, old, new, "roses", seen, rule, module)


BUGS: tuple[CoreBug, ...] = (
    bug(
        "box-rows-an-array-in-data-stays-an-array",
        EXPRESSIONS,
        "cells = (self.boxed(self.exp(x), u, at) for x, u in",
        "cells = (self.exp(x) for x, u in",
        Seen.RULE,
    ),
    bug(
        "box-rows-a-new-row-stays-an-array",
        EXPRESSIONS,
        "self.boxed(new, t, at) if fixed else new",
        "new",
        Seen.RULE,
    ),
    bug(
        "box-rows-results-of-a-reduction-stay-vectors",
        EXPRESSIONS,
        "return self.unboxed(new, self._type(e), at)",
        "return new",
        Seen.RULE,
    ),
    bug(
        "box-rows-entry-returns-vectors",
        EXPRESSIONS,
        "body = self._outward(self.exp(e.exp), e.result, e.at)",
        "body = self.exp(e.exp)",
        Seen.RULE,
    ),
    bug(
        "vectors-begin-behind-themselves",
        VECTORS,
        'c.Fields((("offset", c.Var(t.used)), ("length", n)), at)',
        'c.Fields((("offset", c.Var(new.used)), ("length", n)), at)',
        Seen.VALUE,
    ),
    bug(
        "vectors-end-at-their-length",
        VECTORS,
        'c.Range(first, binary(BinOp.ADD, first, c.Project(v, "length", e.at)), None)',
        'c.Range(first, c.Project(v, "length", e.at), None)',
        Seen.TRAP,
    ),
    bug(
        "vectors-room-for-one-element",
        VECTORS,
        "t = w.grown(t, n, links, at)",
        "t = w.grown(t, c.Const(1, I64), links, at)",
        Seen.TRAP,
    ),
    bug(
        "vectors-overwrite-the-last-element",
        VECTORS,
        'end = w.let(links, "end", I64, binary(BinOp.ADD, c.Var(t.used), n), at)',
        'end = w.let(links, "end", I64, binary(BinOp.MAX, c.Var(t.used), n), at)',
        Seen.TRAP,
    ),
    bug(
        "vectors-compared-without-the-first-element",
        EQUALITY,
        "all_same = self._call(name, c.Var(x.name), c.Var(y.name), int64(0))",
        "all_same = self._call(name, c.Var(x.name), c.Var(y.name), int64(1))",
        Seen.TRAP,
    ),
    bug(
        "arrays-equal-if-the-last-elements-are",
        EQUALITY,
        "step = c.If(c.Var(same), self.equal(one, other, elem, at), FALSE, at)",
        "step = self.equal(one, other, elem, at)",
        Seen.VALUE,
    ),
)


class Plan:
    """A bug in what is known of lengths; ``text`` is a program whose rows it takes for regular."""

    def __init__(self, name: str, module: str, old: str, new: str, text: str) -> None:
        self.bug = CoreBug(name, BOX, old, new, "", Seen.TRAP, "", module)
        self.text = text


PLANS = (
    Plan(
        "box-rows-a-filter-keeps-the-length",
        LENGTHS,
        "return Shape(marks, marks, None, s.element())",
        "return Shape(marks, s.length, None, s.element())",
        "map (\\(i : i64) -> filter (\\(j : i64) -> j > i) (iota 3 0 1)) (iota n 0 1)",
    ),
    Plan(
        "box-rows-the-length-of-an-iota-is-forgotten",
        LENGTHS,
        "return Shape(marks, k.value, k.symbol, Shape(marks))",
        "return Shape(marks, symbol=k.symbol, row=Shape(marks))",
        "map (\\(i : i64) -> iota i 0 1) (iota n 0 1)",
    ),
    Plan(
        "box-rows-branches-choose-no-length",
        SHAPES,
        "more = NO if same else choice",
        "more = NO",
        "map (\\(i : i64) -> if i == 0 then iota n 0 1 else iota 3 0 1) (iota n 0 1)",
    ),
    Plan(
        "box-rows-numbers-of-calls-are-remembered",
        LENGTHS,
        "found = forgotten(found, self._made)",
        "found = forgotten(found, self._made + 1)",
        "[@kept (foreign f (1) : i64), @kept (foreign f (2) : i64)] : []i64",
    ),
    Plan(
        "box-rows-literals-are-not-compared",
        LENGTHS,
        "self.flag(unequal(out, s, t))",
        "self.flag(())",
        "[iota n 0 1, iota 2 0 1] : []i64",
    ),
    Plan(
        "box-rows-a-new-row-is-not-compared",
        LENGTHS,
        "self.flag(unequal(old, new, t))",
        "self.flag(())",
        "update [0] (replicate n (iota n 0 1)) (iota 2 0 1)",
    ),
    Plan(
        "box-rows-what-a-loop-makes-is-one-length",
        SHAPES,
        "return _without_new_symbols(out, before)",
        "return out",
        "loop (m : [][]i64) = [] : []i64 for i < n do "
        "let (k : i64) = foreign f (i) : i64 in concat m ([iota k 0 1] : []i64)",
    ),
)
