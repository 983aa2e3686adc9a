"""Bugs of recursion in array operations: capacities, flags, and what runs again."""

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
    let (rows : []i64) = map (\(i : i64) -> @depth (i * 3 * n)) (iota 2 0 1)
    let (s : i64) = @steps (5 * n)
    in q + rows[1] / rows[0] + s) (ns)
"""


@cache
def sample_of(name: str) -> Sample:
    """Return the program that the bugs change."""
    assert name == RECURSION
    calls = tuple(Call("main", (np.array(ns, np.int64),)) for ns in ([0, 1, 30], [31, 2, 150]))
    return Sample(parse_core(TEXT), calls)


def bug(name: str, module: str, old: str, new: str, seen: Seen) -> CoreBug:
    """A bug that the program notices."""
    return CoreBug(name, RECURSION, old, new, RECURSION, seen, "", module)


BUGS: tuple[CoreBug, ...] = (
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
        Seen.VALUE,
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
)
