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
    "passes/mem/short_circuit/footprints.py::separate: if a.size == b.size -> if False": (
        "the same question in bytes"
    ),
    "ir/logic/uninitialised.py::uninitialised_inside: if not arrays_of(inner_binders(e)) "
    "-> if False": ("names are unique: those that are bound further inside do no harm"),
    "passes/mem/liveness.py::moments: 1 -> 0 in "
    "`_Backwards(_memory(e), own_thread, found, count(1)).body(e.body, whole, NONE)`": (
        "bodies have different numbers; the entry point's own is the first of every path"
    ),
    "passes/mem/liveness.py::_Backwards.body: if not names.isdisjoint(live) -> if True": (
        "nothing is taken away"
    ),
    "passes/mem/liveness.py::_Backwards.body: if s.exp.__class__ in NESTS -> if True": (
        "others have no bodies"
    ),
    "passes/mem/liveness.py::_Backwards.body: if not used <= live -> if True": "nothing is added",
    "passes/mem/liveness.py::_Backwards.body: used <= live -> used < live": "nothing is added",
    "passes/mem/expand/sizes.py::_most: if dims -> if True": (
        "a size is not looked for where the kernel has no iterations: nobody needs it"
    ),
    "passes/mem/expand/sizes.py::_if_all: 0 -> 1 in "
    "`stms.append(Stm((most,), If(every, body, Body((), (Const(0, I64),)))))`": (
        "it is multiplied by the number of threads, and there are none"
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
    "ir/check/mem.py::statement: if s.pat[0].type is I64 -> if True": (
        "no other scalar has a place in a size"
    ),
    "ir/check/core/expressions.py::_array: 1 -> 0 in `for x in arrays[1:]:`": (
        "the first array has the type of the first array"
    ),
    "ir/check/core/expressions.py::_index_depth: if isinstance(t, c.Record) -> if True": (
        "what is neither i64 nor a record was refused in the line before"
    ),
    "ir/check/core/expressions.py::_index_depth: 1 -> 0 in "
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
    "ir/verify/accesses.py::of_move: m.source is not None and m.taken is not None -> "
    "m.source is not None or m.taken is not None": "a move has both or neither",
    "passes/mem/expand/sizes.py::_keeps_its_sign: size.terms[0][1] > 0 -> "
    "size.terms[0][1] >= 0": "no term of a size has the factor 0",
    "passes/mem/expand/sizes.py::slice_of: if names & needed -> if True": (
        "hoist has moved the allocation, and what it needs, in front of everything else"
    ),
    "passes/mem/expand/sizes.py::slice_of: names & needed -> names | needed": (
        "hoist has moved the allocation, and what it needs, in front of everything else"
    ),
    "ir/logic/saturated.py::saturated: 0 -> 1 in `most: ScalarExp = Const(0, I64)`": (
        "what the largest magnitude is compared with is more than 1"
    ),
    "ir/logic/prove.py::Facts.with_nonneg: if self._is_trivial(d) -> if False": (
        "a shortcut: what comes after it gives the same"
    ),
    "ir/logic/prove.py::Facts.with_nonneg: if facts.saturated -> if False": (
        "a shortcut: another round changes nothing either"
    ),
    "ir/logic/prove.py::Facts._is_trivial: if d.as_const is not None -> if False": (
        "a shortcut: what comes after it gives the same"
    ),
    "ir/logic/prove.py::Facts._is_trivial: x is not None -> x is None": (
        "a shortcut: what comes after it gives the same"
    ),
    "ir/logic/prove.py::Facts._is_trivial: self.floor.get(x, -1) >= 0 -> self.floor.get(x, "
    "-1) > 0": "a shortcut: what comes after it gives the same",
    "ir/logic/prove.py::Facts._is_trivial: 0 -> 1 in `return x is not None and "
    "self.floor.get(x, -1) >= 0`": "a shortcut: what comes after it gives the same",
    "ir/logic/prove.py::Facts._with_bound: if i in d.free() -> if True": (
        "what does not mention an index has the slope 0"
    ),
    "ir/logic/prove.py::Facts._with_least: k > 0 -> k >= 0": ("no term of a size has the factor 0"),
    "ir/logic/prove.py::Facts._with_least: if all((x in least and least[x] >= bound for "
    "x in factors)) -> if False": "a shortcut: the same bounds are written again",
    "ir/logic/prove.py::Facts._with_least: least[x] >= bound -> least[x] > bound": (
        "a shortcut: the same bounds are written again"
    ),
    "ir/logic/prove.py::nonneg: if (k := p.as_const) is not None -> if False": (
        "a shortcut: what comes after it gives the same"
    ),
    "ir/logic/prove.py::_follows: if not facts.assumed -> if False": (
        "a shortcut: what comes after it gives the same"
    ),
    "ir/logic/prove.py::_Elimination.nonneg: if answer is None -> if True": (
        "the same proof would be tried once more"
    ),
    "ir/logic/prove.py::_Elimination._at_ends: if self._has_sign(-slope, outer) -> if False": (
        "both ends are tried then, which takes longer"
    ),
    "ir/logic/prove.py::_Elimination._has_sign: k >= 0 -> k > 0": "no slope is 0",
    "ir/logic/prove.py::_Elimination._has_sign: 0 -> 1 in `return k >= 0 if k is not None else "
    "self.nonneg(slope, outer)`": "no slope is 0",
    "ir/logic/prove.py::_Elimination._at_ends: -slope -> --slope": (
        "both ends are tried then, which takes longer"
    ),
    "ir/logic/prove.py::_Elimination._at_ends: 1 -> 0 in `ends = ends[1:]`": (
        "both ends are tried then, which takes longer"
    ),
    "ir/logic/prove.py::_nonneg: if p.free().isdisjoint([i for i, _ in indices]) -> if False": (
        "a shortcut: what comes after it gives the same"
    ),
    "ir/logic/prove.py::_Elimination._has_sign: if k is not None -> if False": (
        "a shortcut: what comes after it gives the same"
    ),
    "ir/logic/prove.py::_linear: if x in left -> if False": (
        "the index is still there then, without its range: nothing false is proved of it"
    ),
    "ir/logic/prove.py::_no_negative_term: if all((k > 0 for _, k in p.terms)) and "
    "all((least[x] >= 0 for m, _ in p.terms for x in m)) -> if False": (
        "a shortcut: what comes after it gives the same"
    ),
    "ir/logic/prove.py::_no_negative_term: k > 0 -> k >= 0": ("no term of a size has the factor 0"),
    "ir/logic/prove.py::_no_negative_term: 0 -> 1 in `if all((k > 0 for _, k in "
    "p.terms)) and all((least[x] >= 0 for m, _ in p.terms for x in m)):`": (
        "a shortcut: what comes after it gives the same"
    ),
    "ir/logic/prove.py::_no_negative_term: if p.eval(least.__getitem__) < 0 -> if False": (
        "a shortcut: that number is the constant of the shifted polynomial"
    ),
    "ir/logic/prove.py::_shifted: if least[x] -> if True": (
        "the terms that come in addition are 0"
    ),
    "ir/logic/prove.py::_factors: k < 0 -> k <= 0": "no term of a size has the factor 0",
    "ir/logic/prove.py::_factors: ka < 0 -> ka <= 0": "no term of a size has the factor 0",
    "ir/logic/prove.py::_no_negative_term: least[x] >= 0 -> least[x] > 0": (
        "a shortcut: what comes after it gives the same"
    ),
    "ir/logic/prove.py::_factors: 0 -> 1 in `if k < 0:`": "no term of a size has the factor 0",
    "ir/logic/prove.py::_factors: 0 -> 1 in `if ka < 0 and ma and (len(ma) <= len(m)):`": (
        "no term of a size has the factor 0"
    ),
    "ir/logic/prove.py::_factors: if found not in seen -> if True": (
        "the same proof would be tried once more"
    ),
    "ir/logic/prove.py::_factors: seen.add(found) -> pass": (
        "the same proof would be tried once more"
    ),
    "ir/logic/prove.py::proved: assert_never(condition) -> pass": "nothing gets there",
    "ir/logic/prove.py::names_once: 1 -> 0 in `stride = next((s for s in (d.stride, "
    "-d.stride) if nonneg(s - 1, facts)), None)`": (
        "a shortcut: of the strides, which then are all no negative numbers, each has to "
        "exceed the reach of the others by 1 in the end"
    ),
    "ir/logic/branches.py::_Conditions.holds: if (x, truth) not in self.memo -> if True": (
        "the same would be asked once more"
    ),
    "ir/logic/facts.py::PointFacts.binding: "
    "if types is self.types and homes is self.homes -> if False": (
        "a shortcut: the same facts would be written down once more"
    ),
    "ir/logic/facts.py::PointFacts.with_nonneg: if facts is self.facts -> if False": (
        "a shortcut: the same facts would be written down once more"
    ),
    "ir/logic/facts.py::PointFacts.after: if scalars is known.scalars -> if False": (
        "a shortcut: the same facts would be written down once more"
    ),
    "ir/logic/facts.py::PointFacts.after: if facts is known.facts -> if False": (
        "a shortcut: the same facts would be written down once more"
    ),
    "ir/logic/facts.py::PointFacts._after_scalar: if scalars is self.scalars -> if False": (
        "a shortcut: the same facts would be written down once more"
    ),
    "ir/logic/facts.py::PointFacts._after_scalar: if values is known.values -> if False": (
        "a shortcut: the same facts would be written down once more"
    ),
    "ir/logic/facts.py::PointFacts._after_scalar: if facts is known.facts -> if False": (
        "a shortcut: the same facts would be written down once more"
    ),
    "ir/logic/facts.py::PointFacts.given: if facts is self.facts -> if False": (
        "a shortcut: the same facts would be written down once more"
    ),
    "ir/logic/facts.py::PointFacts._searching: if self.no_scratch or arrays_of(s.pat) <= "
    "self.searched -> if False": (
        "a shortcut: what is searched already would be searched once more, and found to be the same"
    ),
    "ir/logic/facts.py::PointFacts._searching: self.no_scratch or arrays_of(s.pat) "
    "<= self.searched -> self.no_scratch and arrays_of(s.pat) <= self.searched": (
        "a shortcut: what is searched already would be searched once more, and found to be the same"
    ),
    "ir/logic/facts.py::PointFacts._searching: arrays_of(s.pat) <= self.searched -> "
    "arrays_of(s.pat) < self.searched": (
        "a shortcut: what is searched already would be searched once more, and found to be the same"
    ),
    "ir/logic/facts.py::PointFacts._searching: self.searched | bound -> self.searched & bound": (
        "a shortcut: what is searched already would be searched once more, and found to be the same"
    ),
    "ir/logic/facts.py::PointFacts._searching_inside: if self.no_scratch or "
    "arrays_of(inner_binders(e)) <= self.searched -> if False": (
        "a shortcut: what is searched already would be searched once more, and found to be the same"
    ),
    "ir/logic/facts.py::PointFacts._searching_inside: self.no_scratch or "
    "arrays_of(inner_binders(e)) <= self.searched -> "
    "self.no_scratch and arrays_of(inner_binders(e)) <= self.searched": (
        "a shortcut: what is searched already would be searched once more, and found to be the same"
    ),
    "ir/logic/facts.py::PointFacts._searching_inside: arrays_of(inner_binders(e)) <= "
    "self.searched -> arrays_of(inner_binders(e)) < self.searched": (
        "a shortcut: what is searched already would be searched once more, and found to be the same"
    ),
    "ir/logic/facts.py::one_name: abs(k) <= FAR -> abs(k) < FAR": (
        "an index of such steps is inside only if the polynomial of its one name is 0 or "
        "next to it, and that is an i64"
    ),
    "ir/logic/facts.py::of_entry: if not any((isinstance(s.exp, Scratch) for s in "
    "walk(e.body))) -> if False": (
        "a shortcut: where there is no scratch no holes are found either"
    ),
    "ir/logic/facts.py::upper_bound: if i in d.free() -> if True": (
        "both ends of what does not mention an index are what it is"
    ),
    "ir/logic/facts.py::_never_negative: 0 -> 1 in `if max((m.count(i) for m, _ in "
    "p.terms), default=0) != 2:`": ("neither number is 2"),
    "passes/fun/schedule/strips.py::_type: if isinstance(found, ScalarType) -> if True": (
        "the operands of an operator are scalars"
    ),
    "passes/fun/simplify/dead.py::_Dead.loop: params is e.params -> params is not e.params": (
        "a shortcut: the same loop would be made once more"
    ),
    "passes/fun/simplify/dead.py::_Dead.loop: if same -> if False": "the same",
    "passes/fun/simplify/dead.py::_returning: if result is b.result -> if False": "the same",
    "passes/fun/simplify/dead.py::_Dead.iteration: if key not in self._done -> if True": (
        "a shortcut: the same question has the same answer"
    ),
    "passes/mem/merge/threads.py::accesses: if p.home is not None -> if True": (
        "what a kernel has mapped is an array, and has a home"
    ),
    "passes/mem/merge/threads.py::_Accesses.place: if not "
    "self.blocks.isdisjoint(self.live.roots(x)) -> if True": (
        "a shortcut: what lies in other blocks is left out when two of them are compared"
    ),
    "passes/mem/merge/threads.py::divisions: step.free().isdisjoint(inner) and "
    "step.terms -> step.free().isdisjoint(inner) or step.terms": (
        "a shortcut: the kernel's result, or what a thread writes, fits into no such way"
    ),
    "passes/mem/merge/threads.py::divisions: if way not in seen and (usable or "
    "isinstance(way, Interleaved)) -> if True": (
        "a shortcut: the kernel's result, or what a thread writes, fits into no such way"
    ),
    "passes/mem/merge/threads.py::divisions: way not in seen and (usable or "
    "isinstance(way, Interleaved)) -> way not in seen or (usable or isinstance(way, "
    "Interleaved))": (
        "a shortcut: the kernel's result, or what a thread writes, fits into no such way"
    ),
    "passes/mem/merge/threads.py::divisions: seen.add(way) -> pass": (
        "the same way would be tried once more"
    ),
    "passes/mem/merge/threads.py::Threads.apart: if best is None -> if False": (
        "a kernel that only looks at both blocks needs both at once, which (5) says before"
    ),
    "passes/mem/merge/threads.py::Threads._accesses: if name not in self._found -> if True": (
        "a shortcut: the kernel would be gone through once more"
    ),
    "passes/mem/merge/chosen.py::_applied: 1 -> 0 in `kept = tuple((s for s in "
    "e.body.stms if s.pat[:1] != _binder(r)))`": (
        "a block that nothing lies in any more becomes one with any other of its size"
    ),
    "passes/mem/merge/moments.py::Moments.before: if key not in self._before -> if True": (
        "a shortcut: the same question has the same answer"
    ),
    "passes/mem/merge/moments.py::Moments.nonneg: if key not in self._nonneg -> if True": (
        "the same"
    ),
    "passes/mem/merge/peak_guard.py::Timeline.sums: "
    "if owners not in self._sums -> if True": "the same",
    "passes/mem/merge/peak_guard.py::Timeline.raised: if key in seen -> if False": "the same",
    "passes/mem/merge/peak_guard.py::Timeline.raised: seen.add(key) -> pass": "the same",
    "passes/imp/unroll_and_jam.py::Candidate.of: 0 -> 1 in "
    "`rows = min(most, REGISTERS // max(bytes_ or 0, 1))`": "no bytes count as one",
    "passes/imp/tile.py::_step: var(i) + 1 -> var(i) - 1": (
        "the stride is negated, and its sign is not used"
    ),
    "passes/mem/merge/readers.py::Readers.shared_bytes: if not dying or not isinstance(s.exp, "
    "Kernel) -> if False": (
        "a shortcut: only kernels are asked about, and where no array dies nothing is found"
    ),
    "passes/mem/merge/readers.py::Readers.shared_bytes: not dying or not isinstance(s.exp, "
    "Kernel) -> not dying and (not isinstance(s.exp, Kernel))": "the same",
    "passes/mem/merge/readers.py::Readers.shared_bytes: 0 -> 1 in "
    "`lengths = [max(0, int(b)) for b in bounds if b is not None]`": (
        "without threads there is no result, and what they would read was needed before"
    ),
    "passes/mem/merge/readers.py::_Reads.iterations: 0 -> 1 in `if self.left <= 0:`": (
        "how much is looked at is a matter of taste: one read less"
    ),
    "passes/mem/merge/readers.py::_some: len(r) <= FEW -> len(r) < FEW": (
        "two at each end are all of four"
    ),
    "passes/mem/merge/sizes.py::_more: if not known.nonneg(q) -> if True": (
        "what is not negative is no less than 0"
    ),
    "passes/mem/merge/sizes.py::_grows: 2 -> 3 in `little = FAR // len(d.terms) // 2`": (
        "a matter of taste: fewer numbers count as small"
    ),
    "passes/mem/merge/sizes.py::_grows: k > 0 -> k >= 0": "no term of a size has the factor 0",
    "passes/mem/merge/sizes.py::_grows: all((known.nonneg(var(x)) for x in m)) -> "
    "any((known.nonneg(var(x)) for x in m))": (
        "a term of a size that is not a product has one name; or it is a number, and the next "
        "condition accepts those that are positive, too"
    ),
    "passes/mem/merge/sizes.py::common_factor: 1 -> 0 in "
    "`number = gcd(*(k for _, k in terms)) or 1`": ("two sizes that are not the same have a term"),
    "passes/mem/merge/sizes.py::_shared: if monomials -> if True": "the same",
    "passes/mem/merge/sizes.py::_shared: 1 -> 0 in `for m in monomials[1:]:`": (
        "a monomial has itself in common with itself"
    ),
    "passes/imp/vectorise/split.py::_assigns_uniform: assigned - declared <= varying -> "
    "assigned - declared < varying": "the index varies, and nobody assigns it",
    "passes/imp/vectorise/split.py::_is_uniform: "
    "if isinstance(t, Write | CopyElement) -> if False": (
        "what all lanes write alike is one element, so that there is only one lane"
    ),
    "passes/imp/vectorise/masked.py::rounds: if x == cond -> if False": (
        "for a lane that goes on it was true in front of the loop, and only copies of it change"
    ),
    "passes/imp/vectorise/masked.py::_used: 1 -> 0 in `size = -1`": (
        "where nothing is used there is nothing to add"
    ),
    "passes/imp/vectorise/masked.py::_used: -1 -> --1": (
        "the same; and who writes an element uses a block, and a value or an index or a condition"
    ),
    "ir/verify/races.py::_Threads.questions: if a is b -> if False": (
        "a question about one access and itself is asked twice, the other way round"
    ),
    "ir/verify/races.py::_Threads.by_origins: "
    "if (mine, theirs) == ((_Made(a),), (_Made(b),)) -> if False": (
        "a shortcut: the same question is asked once more"
    ),
    "ir/verify/scene.py::_Forwards.caught_up: if not is_all -> if True": (
        "a shortcut: what has been said is said again"
    ),
    "ir/verify/scene.py::_Forwards.iterate: "
    "if any((self.room.limits.get(x) != most for x, most in few.items())) -> if True": (
        "a shortcut: what waits is asked once more, and waits again"
    ),
    "ir/verify/scene.py::_Forwards.caught_up: if self.stuck is not None and facts is "
    "self.stuck[0] and (extents == self.stuck[1]) -> if False": "the same",
    "ir/verify/scene.py::_Forwards.caught_up: 0 -> 1 in `if self.stuck is not None and facts "
    "is self.stuck[0] and (extents == self.stuck[1]):`": "the same",
    "ir/verify/scene.py::_Forwards.caught_up: if known.facts is facts -> if False": "the same",
    "ir/verify/scene.py::_Forwards.caught_up: if known.facts is facts -> if True": (
        "what waits is asked twice for a statement: whatever the first answers gave, it is noted "
        "with which facts the second were in vain"
    ),
    "ir/verify/scene.py::_Forwards.caught_up: known.facts is facts -> known.facts is not "
    "facts": "the same",
    "ir/verify/scene.py::around: 2 -> 3 in `for _ in range(2):`": (
        "how far is looked for what may be a reason is a matter of effort"
    ),
    "ir/verify/scene.py::_Forwards.caught_up: 1 -> 0 in `if self.stuck is not None and facts "
    "is self.stuck[0] and (extents == self.stuck[1]):`": "the same",
    "ir/verify/distinct.py::_is_sum_of_totals: k < 0 -> k <= 0": (
        "a polynomial has no terms that are 0"
    ),
    "ir/verify/distinct.py::_is_sum_of_totals: 0 -> 1 in `if k < 0 or len(m) > 1:`": (
        "a polynomial has no terms that are 0"
    ),
    "ir/verify/cases.py::Iteration.each: len(found) > MOST -> len(found) >= MOST": (
        "how many cases are told apart is a matter of taste: one less"
    ),
    "ir/verify/cases.py::Iteration.name: 0 < len(found) <= MOST -> 0 < len(found) < MOST": (
        "the same"
    ),
    "ir/verify/cases.py::_small: "
    "len(p.terms) * len(q.terms) <= MAX_TERMS -> len(p.terms) * len(q.terms) < MAX_TERMS": (
        "how large a polynomial is looked at is a matter of taste"
    ),
    "ir/verify/cases.py::_small: "
    "len(p.terms) * len(q.terms) -> len(p.terms) + len(q.terms)": "the same",
    "ir/verify/cases.py::_small: "
    "p.degree + q.degree <= MAX_DEGREE -> p.degree + q.degree < MAX_DEGREE": "the same",
    "ir/verify/cases.py::Iteration.element: if a not in self.elements -> if True": (
        "a shortcut: the same element has the same cases"
    ),
    "ir/verify/written.py::Written.whole: if x not in self.known -> if True": (
        "a shortcut: the same question has the same answer"
    ),
    "ir/verify/clobber.py::merged: if old.facts is n.facts -> if False": (
        "a shortcut: facts have themselves in common"
    ),
    "ir/verify/clobber.py::_Backwards.around: 0 -> 1 in `rounds = 0`": (
        "how soon needs are widened is a matter of taste: here after a round less"
    ),
    "ir/verify/clobber.py::_Backwards.around: rounds >= ROUNDS -> rounds > ROUNDS": (
        "the same: after a round more"
    ),
    "ir/verify/clobber.py::_Backwards.around: len(again) + len(new) > MANY -> "
    "len(again) + len(new) >= MANY": "the same: with one need less",
    "ir/verify/clobber.py::_Backwards.around: rounds + 1 -> rounds - 1": (
        "the same: as soon as there are many"
    ),
    "ir/verify/clobber.py::_Backwards.around: "
    "1 -> 0 in `again, rounds = (found, rounds + 1)`": "the same",
    "ir/verify/clobber.py::seen_from: if not any((j == i for j, _ in facts.indices)) -> if True": (
        "an index that is known is written down once more, in front of another later iteration"
    ),
    "ir/verify/clobber.py::seen_from: "
    "any((j == i for j, _ in facts.indices)) -> all((j == i for j, _ in facts.indices))": (
        "the same"
    ),
    "ir/verify/maxima.py::Maxima.bounds: "
    "if value.as_name in self.terms and value.free() <= found.free() -> if True": (
        "what is said is right in any case; only where x is a part of it is it of use"
    ),
    "ir/verify/maxima.py::Maxima.bounds: "
    "value.as_name in self.terms and value.free() <= found.free() -> "
    "value.as_name in self.terms or value.free() <= found.free()": "the same",
    "ir/verify/ladder.py::separated: if a.offset == b.offset -> if False": (
        "a shortcut: no proof is found that two LMADs with one first element are apart"
    ),
    "ir/verify/ladder.py::separated: if shared(a, b, samples) is not None -> if False": (
        "a shortcut: what is false of a sample is not provable"
    ),
    "ir/verify/monotone.py::_less_constants: "
    "0 -> 1 in `constant = next((k for m, k in a.terms if not m), 0)`": (
        "neither is a negative constant"
    ),
    "ir/verify/monotone.py::_less_constants: k < 0 -> k <= 0": "no coefficient of a size is 0",
    "ir/verify/monotone.py::_less_constants: "
    "0 -> 1 in `if k < 0 and all((nonneg(var(x), facts) for x in m)):`": "the same",
    "ir/verify/maxima.py::_parts: k > 0 -> k >= 0": "nothing is divided by 0: that traps",
    "ir/logic/disjoint/separate.py::Case.nonneg: if (k := p.as_const) is not None -> if False": (
        "a shortcut: the samples and the prover say the same of a constant"
    ),
    "ir/logic/disjoint/separate.py::Case.nonneg: "
    "if any((p.eval(values.__getitem__) < 0 for values in self.samples)) -> if False": (
        "a shortcut: what is false of a sample is not provable"
    ),
    "ir/logic/disjoint/separate.py::Case.assuming: "
    "p.eval(values.__getitem__) >= 0 -> p.eval(values.__getitem__) > 0": (
        "fewer samples spare fewer attempts, and none that succeeds"
    ),
    "ir/logic/disjoint/separate.py::Case.assuming: "
    "0 -> 1 in `kept = [values for values in self.samples if p.eval(values.__getitem__) >= 0]`": (
        "the same"
    ),
    "ir/logic/disjoint/separate.py::_ZeroProof.never_zero: self.work >= 0 -> self.work > 0": (
        "how much is tried is a matter of taste: one sum less"
    ),
    "ir/logic/disjoint/separate.py::_ZeroProof.never_zero: 0 -> 1 in "
    "`return self.work >= 0 and (_all_positive_or_negative(sums, case) or not_divisible(sums) or "
    "any((self.by_stride(sums, s, case) for s in strides(sums, case.facts))))`": "the same",
    "ir/logic/disjoint/separate.py::strides: "
    "-len(s.terms[0][0]) -> --len(s.terms[0][0])": "which is tried first is a matter of taste",
    "ir/logic/disjoint/separate.py::strides: -s.terms[0][1] -> --s.terms[0][1]": "the same",
    "ir/logic/disjoint/separate.py::strides: var(i) + 1 -> var(i) - 1": (
        "the step to the index before, negated; its sign is chosen in the next line"
    ),
    "ir/logic/disjoint/separate.py::strides: "
    "slope.terms[0][1] > 0 -> slope.terms[0][1] >= 0": "no coefficient of a size is 0",
    "ir/logic/disjoint/separate.py::carries: if quotient not in seen -> if True": (
        "a shortcut: what has not helped before does not help again"
    ),
    "ir/logic/disjoint/separate.py::carries: seen.add(quotient) -> pass": "the same",
    "ir/logic/disjoint/integers.py::pattern: 0 -> 1 in `spans.append(IntSpan(0, n - 1, s))`": (
        "the spans of a pattern begin at 0, and nobody asks where they do"
    ),
    "ir/logic/disjoint/integers.py::pattern: 0 -> 1 in `spans.append(IntSpan(0, n - 1, -s))`": (
        "the same"
    ),
    "ir/logic/disjoint/integers.py::common: if apart(a, b) is not False -> if False": (
        "a shortcut: what is apart has no elements in common"
    ),
    "ir/logic/disjoint/integers.py::_SumSearch.hits: self.steps < 0 -> self.steps <= 0": (
        "how many steps are taken is a matter of taste: here one less"
    ),
    "ir/logic/disjoint/integers.py::_SumSearch.hits: 0 -> 1 in `if self.steps < 0:`": "the same",
    "ir/logic/disjoint/integers.py::zero_among: "
    "0 -> 1 in `least, greatest, divisor = ([0], [0], [0])`": (
        "the greatest sum, taken for one more: a multiple more is looked at, and is none"
    ),
    "ir/logic/disjoint/query.py::disjoint: if a.offset == b.offset -> if False": (
        "a shortcut: no proof is found that two LMADs with one first element are apart"
    ),
    "ir/logic/disjoint/query.py::disjoint: if all_positive_or_negative(sums, inside) -> if False": (
        "a shortcut: that is what is tried first below"
    ),
    "passes/mem/short_circuit/inside.py::_in: if nonneg(stride, facts) -> if False": (
        "a shortcut: both ends are compared with both borders then"
    ),
    "passes/mem/short_circuit/inside.py::_in: if nonneg(-stride, facts) -> if False": "the same",
    "passes/mem/short_circuit/inside.py::_in: -stride -> --stride": "the same",
    "passes/mem/short_circuit/inside.py::_in: if nonneg(-stride, facts) -> if True": (
        "a dimension that names no element twice, and whose stride may have either sign, has one "
        "element: its first and its last one are the same"
    ),
    "passes/mem/short_circuit/inside.py::_in: "
    "in_range(start, n, facts) and in_range(last, n, facts) -> "
    "in_range(start, n, facts) or in_range(last, n, facts)": "the same",
    "passes/mem/short_circuit/candidates.py::Candidate.key: 1 -> 0 in "
    "`return (self.stm.pat[-1].name, self.what.kind, self.what.slot)`": (
        "the first name is one statement's, too; where a loop gets other names before its arrays, "
        "its copies are tried once more in the same round, and not only in the next one"
    ),
    "passes/mem/short_circuit/candidates.py::copied: 0 -> 1 in "
    "`yield Copied(Kind.UPDATE, 0, b, x, Home(home.block, home.ix.part(where)))`": (
        "an update copies one array: its number is compared with itself only"
    ),
    "passes/mem/short_circuit/candidates.py::copied: 0 -> 1 in "
    "`yield Copied(Kind.COPY, 0, b, y, view.homes[y])`": "the same of a copy",
    "passes/mem/short_circuit/branches.py::_copied: product(shape) * view.element_bytes(a.name) -> "
    "product(shape) + view.element_bytes(a.name)": (
        "the copy is made elsewhere, or the program with it is dropped: nothing is ever in its "
        "block"
    ),
    "passes/mem/short_circuit/rehome.py::lifted: if isinstance(s.exp, Alloc) -> if True": (
        "what else moves cannot trap: nobody is told where it stands"
    ),
    "passes/mem/short_circuit/rehome.py::at_homes: "
    "if not homes.keys().isdisjoint(bound_in_stms((s,))) -> if True": (
        "a shortcut: what binds none of these arrays, inside or out, stays as it is"
    ),
    "passes/mem/short_circuit/conditions.py::last_used: if not used -> if False": (
        "an alias among the body's results is live after the copy, or bound by a later statement "
        "that mentions one: if none is used later, none escapes"
    ),
    "passes/mem/short_circuit/conditions.py::homes_are_in_scope: "
    "names <= movable -> names < movable": (
        "the first of the statements binds an array, and index functions mention scalars: there is "
        "always a name that is movable and not needed"
    ),
    "passes/fun/fuse/conditions.py::traps_of: 1 -> 0 in `inside = known.inside(s.exp)[-1]`": (
        "nobody asks what an iteration of a collective raises: a producer is a map, and has one "
        "body"
    ),
    "passes/fun/fuse/conditions.py::same_traps: if not own.all -> if False": (
        "a shortcut: what raises nothing may change places with everything, and its iterations "
        "raise nothing, either"
    ),
    "passes/fun/fuse/conditions.py::not_consumed: "
    "if shared.isdisjoint(aliases.owned) -> if False": (
        "a shortcut: the roots of what a statement consumes are among what is owned"
    ),
    "passes/fun/nest/conditions.py::consumes_own: aliases.of(x) <= own -> aliases.of(x) < own": (
        "the statement that consumes x binds a name, too, and x was there before that"
    ),
}
"""By :attr:`~tests.mutation.operators.Mutant.key`."""
