"""Mutants that mean the same, each with the reason why no test can tell them apart."""

EQUIVALENT: dict[str, str] = {
    "ir/lmad.py::_groups: 1 -> 0 in "
    "`cuts = {product(lens[:k]): k for k in range(len(lens) + 1)}`": (
        "the last group reaches to the end in any case; only the stride of a dimension of length 1 "
        "may be another"
    ),
    "ir/lmad.py::_groups: 1 -> 0 in `for k in range(1, len(new)):`": (
        "no dimensions hold one element, and dimensions of length 1 were left out before: the cut "
        "is 0, where the first group begins"
    ),
    "ir/check/context.py::Gamma.add: if p.home is not None -> if True": (
        "what has no home is no array of a program in memory, and nobody asks where it is"
    ),
    "ir/check/fun.py::operator: 0 -> 1 in "
    "`require(len(c.op.params) == 2 * len(c.ne) > 0, at, 'T-OPERATOR', 'the operator has {} for "
    "{}; it needs two for each', many(len(c.op.params), 'parameter'), many(len(c.ne), 'neutral "
    "element'))`": "twice as many are an even number: more than 0 is more than 1",
    "ir/check/mem.py::border: p.home is None or not isinstance(p.type, ArrayType) -> "
    "p.home is None and (not isinstance(p.type, ArrayType))": (
        "after T-MEM-HOME what has no home is no array, and the other way round"
    ),
    "ir/check/mem.py::pattern: p.home is not None and isinstance(p.type, ArrayType) -> "
    "p.home is not None or isinstance(p.type, ArrayType)": "the same",
    "ir/check/mem.py::fits: isinstance(p.type, MemType) and isinstance(a, Var) -> "
    "isinstance(p.type, MemType) or isinstance(a, Var)": (
        "only blocks are looked up there, and no other name is a block's; a block is a name"
    ),
    "ir/check/core/arrays.py::array_type: 1 -> 0 in `for x in arrays[1:]:`": (
        "the first array has the type of the first array"
    ),
    "ir/check/core/arrays.py::_index_depth: if isinstance(t, c.Record) -> if True": (
        "what is neither i64 nor a record was refused in the line before"
    ),
    "ir/check/core/arrays.py::_index_depth: 1 -> 0 in "
    "`return len(t.fields) if isinstance(t, c.Record) else 1`": "the same",
    "ir/check/core/expressions.py::infer: if own -> if False": (
        "a shortcut: to add to an environment of one's own, or to a copy of it"
    ),
    "ir/check/core/expressions.py::_match: 1 -> 0 in `for other in types[1:]:`": (
        "the first arm has the type of the first arm"
    ),
    "ir/check/core/postconditions.py::_some: if not found -> if True": (
        "a shortcut: what was found stays found"
    ),
    "ir/check/uniqueness.py::Uses.bind: if isinstance(p.type, ArrayType) -> if True": (
        "no scalar is ever consumed, so nobody asks what it may alias"
    ),
    "passes/verify/accesses.py::of_move: m.source is not None and m.taken is not None -> "
    "m.source is not None or m.taken is not None": "a move has both or neither",
    "passes/jam.py::Candidate.of: 0 -> 1 in "
    "`rows = min(most, REGISTERS // max(bytes_ or 0, 1))`": "no bytes count as one",
    "passes/tiles.py::_step: var(i) + 1 -> var(i) - 1": (
        "the step is negated, and nobody asks for its sign"
    ),
    "passes/verify/races.py::_Threads.questions: if a is b -> if False": (
        "a question about one access and itself is asked twice, the other way round"
    ),
    "passes/verify/races.py::_Threads.by_origins: if (mine, theirs) == ((a,), (b,)) -> if False": (
        "a shortcut: the same question is asked once more"
    ),
    "passes/verify/races.py::_distinct: var(d.index) + 1 -> var(d.index) - 1": (
        "the step to the index before, negated: both signs are tried"
    ),
    "passes/verify/written.py::Written.whole: if x not in self.known -> if True": (
        "a shortcut: the same question has the same answer"
    ),
    "passes/verify/clobber.py::merged: if old.facts is n.facts -> if False": (
        "a shortcut: facts have themselves in common"
    ),
    "passes/verify/clobber.py::_Backwards.around: 0 -> 1 in `rounds = 0`": (
        "how soon needs are widened is a matter of taste: here after a round less"
    ),
    "passes/verify/clobber.py::_Backwards.around: rounds >= ROUNDS -> rounds > ROUNDS": (
        "the same: after a round more"
    ),
    "passes/verify/clobber.py::_Backwards.around: len(again) + len(new) > MANY -> "
    "len(again) + len(new) >= MANY": "the same: with one need less",
    "passes/verify/clobber.py::_Backwards.around: rounds + 1 -> rounds - 1": (
        "the same: as soon as there are many"
    ),
    "passes/verify/clobber.py::_Backwards.around: "
    "1 -> 0 in `again, rounds = (found, rounds + 1)`": "the same",
    "passes/verify/maxima.py::Maxima.bounds: "
    "if value.as_name in self.terms and value.free() <= found.free() -> if True": (
        "what is said is right in any case; only where x is a part of it is it of use"
    ),
    "passes/verify/maxima.py::Maxima.bounds: "
    "value.as_name in self.terms and value.free() <= found.free() -> "
    "value.as_name in self.terms or value.free() <= found.free()": "the same",
    "passes/verify/maxima.py::_parts: k > 0 -> k >= 0": "nothing is divided by 0: that traps",
    "passes/mem/short_circuit/conditions.py::last_used: if not used -> if False": (
        "an alias among the body's results is live after the copy, or bound by a later statement "
        "that mentions one: if none is used later, none escapes"
    ),
    "passes/mem/short_circuit/conditions.py::homes_are_in_scope: "
    "names <= movable -> names < movable": (
        "the first of the statements binds an array, and index functions mention scalars: there is "
        "always a name that is movable and not needed"
    ),
    "passes/fuse/conditions.py::traps_of: 1 -> 0 in `inside = known.inside(s.exp)[-1]`": (
        "nobody asks what an iteration of a collective raises: a producer is a map, and has one "
        "body"
    ),
    "passes/fuse/conditions.py::same_traps: if not own.all -> if False": (
        "a shortcut: what raises nothing may change places with everything, and its iterations "
        "raise nothing, either"
    ),
    "passes/fuse/conditions.py::not_consumed: if shared.isdisjoint(aliases.owned) -> if False": (
        "a shortcut: the roots of what a statement consumes are among what is owned"
    ),
    "passes/nest/conditions.py::consumes_own: aliases.of(x) <= own -> aliases.of(x) < own": (
        "the statement that consumes x binds a name, too, and x was there before that"
    ),
}
"""By :attr:`~tests.mutation.operators.Mutant.key`."""
