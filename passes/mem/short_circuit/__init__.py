"""short-circuit: an array is built where it would be copied to (paper 002, sec. 6; SC'22, sec. V).

*Why.*  A functional program makes an array and then copies it somewhere: into a slice, a
concatenation, a kernel's result.  If the array is not needed afterwards and the destination is not
used in the meantime, the array can be built in the destination, and the copy moves no data.

*Before -> after.*

    let (b_mem : mem) = alloc 4*n                      let (y_mem : mem) = alloc 4*n + 4*k
    let (b : … @ b_mem -> 0 + {(n : 1)}) = …           let (b_mem : mem) = alloc 4*n
    let (y_mem : mem) = alloc 4*n + 4*k          ->    let (b : … @ y_mem -> k + {(n : 1)}) = …
    let (y : … @ y_mem -> …) = concat 0 a b            let (y : … @ y_mem -> …) = concat 0 a b

The statements remain, since the values are the same.  But b now lies where ``concat`` puts it: a
copy from a place to itself moves no data (errata 16), and lowering leaves it out.  b's old block is
unused; simplify removes its allocation.

*Candidates* (``candidates.py``): updates, concatenations, array literals, copies, results of
threads.  The arrays that move are the *fresh* arrays that the copied array is made of
(``origins.py``); the homes of all their aliases follow (``relocate``).  So a candidate may be the
end of a chain: b = reverse of the result of a loop, whose initial value is a concatenation, ….

*Conditions*: seven, in ``conditions.py``.  Each refusal and each success is a remark.

*Traps.*  A write comes earlier than before, perhaps before a statement that traps.  This is not
observable within the program, since a program that traps returns no result.  It is observable only
in a block from outside: that of an argument.  The entry point may write there only if the parameter
is marked ``*``.  Then the caller has given the array away, and its contents after a trap are
undefined.  Condition (6) ensures that the destination exists when it is written.

*Precondition*: FUNMEM.  *Postcondition*: same values; no block is larger or written by more
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
from funmem.passes.mem.short_circuit.conditions import Refused
from funmem.passes.mem.short_circuit.view import View


@mem_pass("short-circuit", summary="build arrays where they would be copied to")
def short_circuit(p: MemProgram, ctx: Context) -> MemProgram:
    """Try one candidate after the other, the last one first, until nothing changes."""
    fresh = program_fresh(p)
    return Program(tuple(_entry(e, fresh, ctx) for e in p.entries), p.functions)


def _entry(e: Entry[Ann], fresh: Fresh, ctx: Context) -> Entry[Ann]:
    """Short-circuit copies before loops: a loop may then work in place if it still makes its next
    value directly.
    """
    attempts = _Attempts(_settled(e, fresh), fresh, ctx)
    while attempts.round(COPIES) or attempts.round(LOOPS):
        pass
    for c, why in attempts.refused:
        ctx.remark(c.stm, why.condition, f"{c.what}: {why.reason}")
    return without_dead_code(attempts.now.view.entry, Refusals()) if attempts.successes else e


LOOPS = frozenset({Kind.LOOP})
COPIES = frozenset(Kind) - LOOPS


class _Attempts:
    """The current entry point, and the refusals of the last rounds."""

    def __init__(self, entry: Entry[Ann], fresh: Fresh, ctx: Context) -> None:
        self.now = Survey.of(View.of(entry))
        self.fresh = fresh
        self.ctx = ctx
        self.successes = 0
        self._refused: dict[Key, tuple[Candidate, Refused]] = {}

    @property
    def refused(self) -> tuple[tuple[Candidate, Refused], ...]:
        """The remaining copies, each with its refusal."""
        return tuple(self._refused[c.key] for c in self.now.copies)

    def round(self, kinds: frozenset[Kind]) -> bool:
        """Try every candidate of some kinds once; True if one of them was short-circuited."""
        tried: set[Key] = set()
        before = self.successes
        while self.next(kinds, tried):
            self.successes += 1
        return self.successes > before

    def next(self, kinds: frozenset[Kind], tried: set[Key]) -> bool:
        """Try candidates up to the first success; False if there is none."""
        for copy in self.now.copies:
            if copy.kind not in kinds or copy.key in tried:
                continue
            tried.add(copy.key)
            c = self.now.candidate(copy.key)
            try:
                self.now, target = short_circuited(c, self.now, self.fresh)
            except Refused as why:
                self._refused[c.key] = (c, why)
                continue
            self.ctx.did(c.stm, "no copy", f"{c.what}: it is built {target}")
            return True
        return False


def _settled(e: Entry[Ann], fresh: Fresh) -> Entry[Ann]:
    """Return the entry point without supporting information that never varies."""
    try:
        return without_dead_code(relocate_entry(e, fresh), Refusals())
    except Homeless:
        return e
