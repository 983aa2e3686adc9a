"""Bugs of recursion and allocation in array operations: capacities, flags, relocation."""

from functools import cache

import numpy as np

from funmem.ir.text.read_core import parse_core
from tests.seeded.core import CoreBug, Seen
from tests.support.core_judge import Call
from tests.support.core_samples import Sample

RECURSION = "recursion"
BOUNDED = "funmem.passes.core.recursion.bounded"
KERNELS = "funmem.passes.core.recursion.kernels"
MACHINE = "funmem.passes.core.recursion.machine"

TEXT = r"""
def depth : i64 -> i64 = \(n : i64) -> if n <= 0 then 1 else 1 + @depth (n - 1)
def steps : i64 -> i64 =
  \(n : i64) -> if n <= 0 then 0 else
    let (d : i64) = @depth n
    let (q : i64) = assert d == n + 1 "{}" (d) in 200 / d
    let (s : i64) = @steps (n / 2)
    in q + s
entry main [k] (ns : [k]i64) : [k]i64 =
  map (\(n : i64) ->
    let (d : i64) = @depth n
    let (q : i64) = assert d == n + 1 "{}" (d) in 300 / d
    let (rows : []i64) = map (\(i : i64) -> @depth (i * 20 * (n - 30))) (iota 2 0 1)
    let (s : i64) = @steps (5 * n)
    in q + rows[1] / rows[0] + s) (ns)
"""

TABLES = "tables"
STORE = "funmem.passes.core.tables.store"
FAMILIES = "funmem.passes.core.tables.families"
EXPRESSIONS = "funmem.passes.core.tables.expressions"
GROWING = "funmem.passes.core.tables.growing"

GROWS = r"""
data Chain = #end i32 | #next Chain i32
def chain : i64 -> Chain -> Chain =
  \(k : i64) (c : Chain) -> if k <= 0 then c else #next (@chain (k - 1) c) (i32(k)) : Chain
def total : Chain -> i64 =
  \(t : Chain) -> match t { #end (x : i32) -> i64(x); #next (r : Chain) (x : i32) ->
    3 * i64(x) + @total r; }
entry main [k] (ns : [k]i64) : [k]i64 =
  let (old : Chain) = #next (#next (#end 5i32 : Chain) 1i32 : Chain) 2i32 : Chain
  let (cs : [k]Chain) =
    map (\(n : i64) ->
      let (c : Chain) = @chain n old
      let (d : Chain) = loop (d : Chain) = c for i < 2 do #next d 1i32 : Chain
      let (q : i64) = assert @total d == 3 * (n * (n + 1) / 2 + 5) + 5 "{}" (n) in n
      in #next d (i32(q)) : Chain) (ns)
  let (z : Chain) = @chain 4 old
  in map (\(c : Chain) -> @total c + @total z) (cs)
"""

HISTOGRAMS = r"""
data List = #nil | #cons i64 List
def push : List -> List -> List =
  \(a : List) (b : List) -> match b { #nil -> a; #cons (x : i64) (r : List) -> #cons x a : List }
def poly : List -> i64 =
  \(l : List) -> match l { #nil -> 7; #cons (x : i64) (r : List) -> x + 31 * @poly r; }
def own : i64 -> i64 =
  \(n : i64) -> if n <= 0 then 1 else
    let (ps : []i64) = hist (\(a : i64) (b : i64) -> a + b * @own (b - 2)) (0) (replicate 2 0)
      (map (\(i : i64) -> i - 1) (iota (n % 6) 0 1)) (iota (n % 6) 1 1)
    in ps[0] + 3 * ps[1]
entry main [k] (ns : [k]i64) : []i64 =
  let (ls : []List) = hist (\(a : List) (b : List) -> @push a b) (#nil : List)
    (replicate 3 (#nil : List)) (map (\(n : i64) -> n % 6 - 1) (ns))
    (map (\(n : i64) -> #cons n (#nil : List) : List) (ns))
  in concat (map (\(l : List) -> @poly l) (ls)) (map (\(n : i64) -> @own n) (ns))
"""
"""Histograms that become loops; their indices are out of bounds on both sides."""

HISTOGRAM = "funmem.passes.core.tables.histograms"
OWN_LOOPS = "funmem.passes.core.recursion.own_loops"


@cache
def sample_of(name: str) -> Sample:
    """Return the program that the bugs change."""
    calls = tuple(Call("main", (np.array(ns, np.int64),)) for ns in ([0, 1, 30], [31, 2, 70]))
    return Sample(
        parse_core({RECURSION: TEXT, TABLES: GROWS, "histograms": HISTOGRAMS}[name]), calls
    )


def bug(
    name: str, module: str, old: str, new: str, seen: Seen, pass_name: str = RECURSION
) -> CoreBug:
    """A bug that the program notices."""
    return CoreBug(name, pass_name, old, new, pass_name, seen, "", module)


def histogram(
    name: str, old: str, new: str, seen: Seen, module: str = HISTOGRAM, pass_name: str = TABLES
) -> CoreBug:
    """A bug of histograms that become loops."""
    return CoreBug(
        f"{pass_name}-histogram-{name}", pass_name, old, new, "histograms", seen, "", module
    )


def growing(name: str, old: str, new: str, seen: Seen, module: str = GROWING) -> CoreBug:
    """A bug of allocation in array operations."""
    return bug(f"tables-growing-{name}", module, old, new, seen, TABLES)


BUGS: tuple[CoreBug, ...] = (
    histogram(
        "below-zero",
        "binary(BinOp.GE, dim.index, int64(0))",
        "binary(BinOp.GE, dim.index, int64(-1))",
        Seen.TRAP,
    ),
    histogram("above", "binary(BinOp.LT, dim.index, size)", "c.Const(True, BOOL)", Seen.TRAP),
    histogram(
        "not-written",
        "c.If(c.Var(inside.name), several(written), same, at)",
        "c.If(c.Const(False, BOOL), several(written), same, at)",
        Seen.VALUE,
    ),
    histogram(
        "without-the-first",
        "binary(BinOp.GE, j, int64(0))",
        "binary(BinOp.GT, j, int64(0))",
        Seen.VALUE,
        OWN_LOOPS,
        RECURSION,
    ),
    histogram(
        "not-written",
        "_several(written), at)",
        "_several(list(variables(out))), at)",
        Seen.VALUE,
        OWN_LOOPS,
        RECURSION,
    ),
    bug(
        "recursion-kernel-stack-off-by-one",
        MACHINE,
        "fits = binary(BinOp.LT, c.Var(now.depth.name), cap)",
        "fits = binary(BinOp.LE, c.Var(now.depth.name), cap)",
        Seen.TRAP,
    ),
    bug(
        "recursion-kernel-needs-one-frame-less",
        MACHINE,
        "need = binary(BinOp.ADD, c.Var(last.name), int64(1))",
        "need = binary(BinOp.ADD, c.Var(last.name), int64(0))",
        Seen.TRAP,
    ),
    bug(
        "recursion-kernel-flag-ignored",
        KERNELS,
        "c.If(made.enough(need.name, cap.name), done, again, at)",
        "c.If(made.enough(cap.name, cap.name), done, again, at)",
        Seen.VALUE,
    ),
    bug(
        "recursion-kernel-goes-on-after-a-lack",
        BOUNDED,
        "c.If(self.enough(need.name, cap), rest, lacks)",
        "c.If(self.enough(cap, cap), rest, lacks)",
        Seen.TRAP,
    ),
    bug(
        "recursion-kernel-repeats-nothing",
        KERNELS,
        "again = c.tuple_exp(c.Var(start.name), more",
        "again = c.tuple_exp(c.Var(end), more",
        Seen.VALUE,
    ),
    bug(
        "recursion-kernel-inner-lack-forgotten",
        MACHINE,
        "enough = self._bounded.enough(need.name, self._cap)",
        "enough = self._bounded.enough(self._cap, self._cap)",
        Seen.TRAP,
    ),
    bug(
        "recursion-kernel-need-of-a-map-forgotten",
        BOUNDED,
        "most = self.most(needs.name, so_far)",
        "most = so_far",
        Seen.VALUE,
    ),
    growing(
        "flag-ignored",
        "c.If(fits, done, again, at)",
        "c.If(binary(BinOp.GE, self.n, int64(0)), done, again, at)",
        Seen.VALUE,
    ),
    growing(
        "older-links-are-moved",
        "older = binary(BinOp.LT, wide, c.Var(base))",
        "older = binary(BinOp.LT, wide, int64(0))",
        Seen.VALUE,
    ),
    growing(
        "results-are-not-moved",
        "out = c.Update(c.Var(self.out.name), (where,), moved, at)",
        "out = c.Update(c.Var(self.out.name), (where,), c.Var(value.name), at)",
        Seen.VALUE,
    ),
    growing(
        "rows-are-not-moved",
        "rows = c.Flatten(2, values, at)",
        "rows = c.Flatten(2, c.Var(arena.name), at)",
        Seen.VALUE,
    ),
    growing(
        "moved-by-the-rows-of-the-index-too",
        "less = binary(BinOp.SUB, c.Var(s.name), c.Var(u.name))",
        "less = binary(BinOp.ADD, c.Var(s.name), int64(0))",
        Seen.TRAP,
    ),
    growing(
        "growth-loses-the-rows-of-one-index",
        "filled = binary(BinOp.LT, c.Var(j.name), c.Var(u.name))",
        "filled = binary(BinOp.LT, c.Var(j.name), c.Var(s.name))",
        Seen.VALUE,
    ),
    growing(
        "table-counts-no-rows",
        "end = binary(BinOp.ADD, c.Var(t.used), total)",
        "end = binary(BinOp.ADD, c.Var(t.used), int64(0))",
        Seen.VALUE,
    ),
    growing(
        "repeats-nothing",
        "again = several([c.Var(self.start.name), *more",
        "again = several([end, *more",
        Seen.TRAP,
    ),
    growing(
        "room-for-one-row-more",
        "room = binary(BinOp.LT, c.Var(table.used), c.Var(table.room))",
        "room = binary(BinOp.LE, c.Var(table.used), c.Var(table.room))",
        Seen.TRAP,
        EXPRESSIONS,
    ),
    growing(
        "goes-on-without-room",
        "fits = binary(BinOp.LE, c.Var(table.used), c.Var(table.room))",
        "fits = binary(BinOp.LE, c.Var(table.used), c.Var(table.used))",
        Seen.TRAP,
        EXPRESSIONS,
    ),
    growing(
        "numbers-share-a-column-with-links",
        "yield new, old if self.inside(old) else new",
        "yield new, new",
        Seen.VALUE,
        FAMILIES,
    ),
)
