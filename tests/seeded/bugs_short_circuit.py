"""Bugs of short-circuit, and of what it asks about places."""

from tests.seeded.bug import Caught, SeededBug

SHORT = "funmem.passes.mem.short_circuit"
CONDITIONS = f"{SHORT}.conditions"
INTERFERENCE = f"{SHORT}.interference"
FOOTPRINTS = f"{SHORT}.footprints"
CANDIDATES = f"{SHORT}.candidates"
ORIGINS = f"{SHORT}.origins"
INSIDE = f"{SHORT}.inside"
ATTEMPT = f"{SHORT}.attempt"
REHOME = f"{SHORT}.rehome"
LMAD = "funmem.ir.lmad"
LOWER = "funmem.passes.lower.context"

PIPELINE = "simplify,allocate,simplify,hoist,short-circuit"
FEW = [3, 1, 4, 1]
PAIRS = [[3, 1], [4, 1], [5, 9]]


def program(name: str) -> str:
    """A program of tests/short_circuit/, from tests/seeded/programs/."""
    return f"../../short_circuit/{name}"


BUGS = (
    # ------------------------------------------------------------------ (1)
    SeededBug(
        name="short-alias-escapes",
        what="a view that is made after the copy and leaves the branch is forgotten",
        module=CONDITIONS,
        old="escaped = aliases & {",
        new="escaped = used & {",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("alias_escapes.fun"),
        args=(True, FEW),
        caught=Caught.TYPES,
        rule="T-MEM-RESULT",
    ),
    SeededBug(
        name="short-two-consumers",
        what="the array is in its first consumer's place, overwritten, and read by the second one",
        module=CONDITIONS,
        old="if u.use is Use.WRITE and not u.apart(place):",
        new="if False:",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("no_1_overwritten.fun"),
        args=(FEW,),
        caught=Caught.HEAP,
    ),
    SeededBug(
        name="short-transitive-alias",
        what="only the copied view itself is looked for after the copy",
        module=CONDITIONS,
        old="shown = after.live.aliases(c.what.source)",
        new="shown = frozenset((c.what.source,))",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("transitive_alias.fun"),
        args=(FEW,),
        caught=Caught.HEAP,
    ),
    # ------------------------------------------------------------------ (2), (3)
    SeededBug(
        name="short-block-later",
        what="the destination's allocation stays behind the array that is written there",
        module=REHOME,
        old="stms=(*b.stms[: what.first], *moving, *rest)",
        new="stms=(*b.stms[: what.first], *rest[:1], *moving, *rest[1:])",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("concat.fun"),
        args=(FEW, FEW),
        caught=Caught.TYPES,
        rule="T-MEM-ARRAY",
    ),
    SeededBug(
        name="short-sliced-reshape",
        what="rows that are further apart than they are long are one vector",
        module=LMAD,
        old="if outer.stride != inner.stride * inner.len:",
        new="if False:",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("column_read.fun"),
        args=(PAIRS,),
        caught=Caught.TYPES,
        rule="T-MEM-RESHAPE",
    ),
    SeededBug(
        name="short-concat-slot",
        what="the second part of a concatenation begins one element too late",
        module=CANDIDATES,
        old="start = start + shape[dim]",
        new="start = start + shape[dim] + ONE",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("concat_constant.fun"),
        args=(FEW,),
        caught=Caught.OVERLAP,
    ),
    # ------------------------------------------------------------------ (4)
    SeededBug(
        name="short-used-between",
        what="reads of the destination between creation and copy do not count",
        module=INTERFERENCE,
        old="if self.counts(u, scope) and not u.apart(place):",
        new="if u.use is Use.WRITE and self.counts(u, scope) and not u.apart(place):",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("no_4_read_between.fun"),
        args=(FEW,),
        caught=Caught.HEAP,
    ),
    SeededBug(
        name="short-iota-writes",
        what="that iota writes its array is not recorded",
        module=FOOTPRINTS,
        old="case Iota():\n                yield self.whole(Use.WRITE, s.pat[0].name, s)",
        new="case Iota():\n                return",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("iota_written.fun"),
        args=(FEW,),
        caught=Caught.HEAP,
    ),
    SeededBug(
        name="short-later-threads",
        what="only the threads before this one count",
        module=INTERFERENCE,
        old="            yield before(u, d.index)\n            yield after(u, d.index, d.size)",
        new="            yield before(u, d.index)",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("in_next_place.fun"),
        args=(3, FEW),
        caught=Caught.RACE,
    ),
    SeededBug(
        name="short-earlier-threads",
        what="only the threads after this one count",
        module=INTERFERENCE,
        old="            yield before(u, d.index)\n            yield after(u, d.index, d.size)",
        new="            yield after(u, d.index, d.size)",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("no_4_stencil.fun"),
        args=(3, FEW),
        caught=Caught.RACE,
    ),
    SeededBug(
        name="short-own-reads",
        what="a copy of what overlaps its destination becomes a copy within it",
        module=INTERFERENCE,
        old="return self.clash(place, b.name, uses, None) or self.clash(",
        new="return self.clash(",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("no_4_self_slice.fun"),
        args=(3, FEW),
        caught=Caught.OVERLAP,
    ),
    SeededBug(
        name="short-swapped",
        what="an array that is passed on by another name does not count as used",
        module=INTERFERENCE,
        old="return u.array in scope",
        new="return u.use is not Use.MENTION and u.array in scope",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("no_4_swapped.fun"),
        args=(True, FEW),
        caught=Caught.HEAP,
    ),
    SeededBug(
        name="short-previous-value",
        what="what was bound in the iteration before is not in the way",
        module=INTERFERENCE,
        old="return self.body(s, e.body, Later(uses, known, later.scope | params))",
        new="return self.body(s, e.body, Later(uses, known, later.scope))",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("no_5_early.fun"),
        args=(3, FEW),
        caught=Caught.HEAP,
    ),
    SeededBug(
        name="short-older-alias",
        what="what is read after the copy is taken for the value that was copied",
        module=CONDITIONS,
        old="return (*now, *(a for a in footprints.of_all(later) if a.array in shown))",
        new="return now",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("loop_initial_read.fun"),
        args=(FEW,),
        caught=Caught.HEAP,
    ),
    # ------------------------------------------------------------------ (5)
    SeededBug(
        name="short-initial-value",
        what="a loop works in the place of an initial value that is used after it",
        module=ATTEMPT,
        old="if initial_value_dies(mine, around) is None:",
        new="if True:",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("loop_initial_copied.fun"),
        args=(3, FEW),
        caught=Caught.HEAP,
    ),
    # ------------------------------------------------------------------ (6)
    SeededBug(
        name="short-bounds",
        what="the array is written before it is checked that its place exists",
        module=INSIDE,
        old="return _in_block(target, facts, view, c.what.dest)",
        new="return None",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("no_6_bounds.fun"),
        args=(3, FEW),
        caught=Caught.OUTSIDE,
    ),
    SeededBug(
        name="short-stride-zero",
        what="a slice of stride 0 is a place",
        module=INSIDE,
        old="if not injective(target.ix, facts) and not (owner and _once(update, owner, view)):",
        new="if False:",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("no_6_stride_zero.fun"),
        args=(FEW,),
        caught=Caught.RACE,
    ),
    SeededBug(
        name="short-stride-negative",
        what="the last element of a slice is taken for its greatest, whatever its direction",
        module=INSIDE,
        old="if nonneg(stride, facts):",
        new="if True:",
        pass_name="short-circuit",
        pipeline=PIPELINE,
        program=program("no_6_backwards.fun"),
        args=(FEW,),
        caught=Caught.OUTSIDE,
    ),
    # ------------------------------------------------------------------ the copy
    SeededBug(
        name="lower-copy-elsewhere",
        what="a copy within a block is left out though the places differ",
        module=LOWER,
        old="and self.ix.offset == other.ix.offset\n",
        new="",
        pass_name="lower",
        pipeline=f"{PIPELINE},lower",
        program=program("twice.fun"),
        args=(FEW,),
        caught=Caught.HEAP,
    ),
)
