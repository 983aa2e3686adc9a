"""short-circuit: an array is built where it would be copied to (paper 002, sec. 6; SC'22, sec. V).

*Why.*  Functional code makes an array and then puts it somewhere: into a slice, a concatenation, a
kernel's result.  If the array is not needed afterwards and nobody looks at that place in the
meantime, it can be written there at once, and there is nothing left to copy.

*Before -> after.*

    let (b_mem : mem) = alloc 4*n                      let (y_mem : mem) = alloc 4*n + 4*k
    let (b : … @ b_mem -> 0 + {(n : 1)}) = …           let (b_mem : mem) = alloc 4*n
    let (y_mem : mem) = alloc 4*n + 4*k          ->    let (b : … @ y_mem -> k + {(n : 1)}) = …
    let (y : … @ y_mem -> …) = concat 0 a b            let (y : … @ y_mem -> …) = concat 0 a b

The statements stay, since as values nothing has changed.  But b is now where ``concat`` puts it: a
copy from a place to itself moves nothing (errata 16), and lowering leaves it out.  What b's block
was allocated for is gone; simplify removes the allocation.

*Candidates* (``candidates.py``): updates, concatenations, array literals, copies, results of
threads.  What moves are the *fresh* arrays that the copied array is made of (``origins.py``), from
there all its aliases follow (``relocate``).  So a candidate may be the end of a chain: b = reverse
of the result of a loop, whose initial value is a concatenation, ….

*Conditions*: seven functions, in ``conditions.py``.  Each refusal is a remark, and each success.

*Traps.*  A write comes earlier than it did, perhaps before a statement that traps.  Nobody sees
that: no result of a program that traps is returned.  Nobody but the owner of a block that exists
outside: the caller, whose argument it was.  The entry point may write there only if the parameter
is marked ``*``; then the caller has given the array away, trap or not, and what it holds after a
trap is anybody's guess.  That the place exists at all is condition (6).

*Precondition*: FUNMEM.  *Postcondition*: same values; no block is larger, none is written by more
threads.
"""

from funmem.ir.fun import Ann, Entry, MemProgram, Program
from funmem.ir.logic.derive import Homeless
from funmem.ir.names import Fresh
from funmem.ir.traverse import (
    program_fresh,
)
from funmem.passes.framework import Context, mem_pass
from funmem.passes.fun.simplify.dead import without_dead_code
from funmem.passes.fun.simplify.refusals import Refusals
from funmem.passes.mem.relocate import relocate_entry
from funmem.passes.mem.short_circuit.attempt import Survey, short_circuited
from funmem.passes.mem.short_circuit.candidates import Candidate, Key, Kind
from funmem.passes.mem.short_circuit.conditions import Refusal
from funmem.passes.mem.short_circuit.view import View


@mem_pass("short-circuit", summary="build arrays where they would be copied to")
def short_circuit(p: MemProgram, ctx: Context) -> MemProgram:
    """One candidate after the other, the last one first, until nothing changes."""
    fresh = program_fresh(p)
    return Program(tuple(_entry(e, fresh, ctx) for e in p.entries))


def _entry(e: Entry[Ann], fresh: Fresh, ctx: Context) -> Entry[Ann]:
    """Copies first: a loop may then work in place if it still makes its next value at once."""
    attempts = _Attempts(_settled(e, fresh), fresh, ctx)
    while attempts.round(COPIES) or attempts.round(LOOPS):
        pass
    for c, why in attempts.refused:
        ctx.remark(c.stm, why.condition, f"{c.what}: {why.reason}")
    return without_dead_code(attempts.now.view.entry, Refusals()) if attempts.successes else e


LOOPS = frozenset({Kind.LOOP})
COPIES = frozenset(Kind) - LOOPS


class _Attempts:
    """The entry point as it is by now, and the refusals of the last rounds."""

    def __init__(self, entry: Entry[Ann], fresh: Fresh, ctx: Context) -> None:
        self.now = Survey.of(View.of(entry))
        self.fresh = fresh
        self.ctx = ctx
        self.successes = 0
        self._refused: dict[Key, tuple[Candidate, Refusal]] = {}

    @property
    def refused(self) -> tuple[tuple[Candidate, Refusal], ...]:
        """The copies that are left, and why."""
        return tuple(self._refused[c.key] for c in self.now.copies)

    def round(self, kinds: frozenset[Kind]) -> bool:
        """Every candidate of some kinds once; whether one of them was short-circuited."""
        tried: set[Key] = set()
        before = self.successes
        while self.next(kinds, tried):
            self.successes += 1
        return self.successes > before

    def next(self, kinds: frozenset[Kind], tried: set[Key]) -> bool:
        """Candidates up to the first success; False: there was none."""
        for copy in self.now.copies:
            if copy.kind not in kinds or copy.key in tried:
                continue
            tried.add(copy.key)
            c = self.now.candidate(copy.key)
            try:
                self.now, target = short_circuited(c, self.now, self.fresh)
            except Refusal as why:
                self._refused[c.key] = (c, why)
                continue
            self.ctx.did(c.stm, "no copy", f"{c.what}: it is built {target}")
            return True
        return False


def _settled(e: Entry[Ann], fresh: Fresh) -> Entry[Ann]:
    """The entry point without supporting information that never varies."""
    try:
        return without_dead_code(relocate_entry(e, fresh), Refusals())
    except Homeless:
        return e
