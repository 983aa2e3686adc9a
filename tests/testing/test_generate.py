"""The generator of programs: what it must cover, and that its programs are worth running.

Protects ``funmem/testing/``.  A campaign is as good as its programs: a kind of expression that
never occurs is never tested.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from funmem.interp.value import run
from funmem.ir.check import check
from funmem.ir.diagnostics import Trap, TrapKind
from funmem.ir.fun import (
    ArrayType,
    Body,
    Call,
    Hist,
    If,
    Kernel,
    Loop,
    Permute,
    Reverse,
    Scatter,
    Slice,
    Stm,
    Update,
    Var,
)
from funmem.ir.functions import bodies as bodies_of
from funmem.ir.functions import called
from funmem.ir.lmad import DimRange
from funmem.ir.names import Name
from funmem.ir.sizes import ZERO
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import inner_indices, sub_bodies, walk
from funmem.testing import PRODUCERS, Generated, generate
from funmem.testing.campaign.trial import kinds_of, nesting
from funmem.testing.generator.foreign import foreign_code, with_foreign
from funmem.testing.generator.functions import outlined
from funmem.testing.generator.trapping import EVERY, KINDS, planned

COUNT = 300

NAMES = """
    ArrayLit Assert Bin Concat Const Convert Copy FlatSlice If Index Iota Kernel Loop Permute
    Replicate Reshape Reverse Scatter Scratch Slice Un Update Var Map Reduce Scan Hist
"""
KINDS_OF_EXPRESSIONS = NAMES.split()


@cache
def programs() -> tuple[Generated, ...]:
    return tuple(map(generate, range(COUNT)))


def bodies() -> Iterator[Body[None]]:
    for g in programs():
        yield g.program.entries[0].body


# ---------------------------------------------------------------------- programs


@pytest.mark.parametrize("seed", [0, 7, 18, 123456789])
def test_a_seed_is_a_program(seed: int) -> None:
    one, other = generate(seed), generate(seed)
    assert show(one.program) == show(other.program)
    assert len(one.args) == len(other.args)
    for a, b in zip(one.args, other.args, strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.slow
def test_all_are_well_typed_and_read_back() -> None:
    """Every third is printed and read; the types of all are checked."""
    for g in programs():
        check(g.program)
        if g.seed % 3 == 0:
            assert parse_fun(show(g.program), "generated") == g.program


def test_seeds_differ() -> None:
    assert len({show(g.program) for g in programs()}) == COUNT


def test_counts_steer_towards_what_is_rare() -> None:
    """With common counts no kind of statement is forgotten for long."""
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for seed in range(120):
        kinds += kinds_of(generate(seed, counts).program)
    assert set(KINDS_OF_EXPRESSIONS) <= set(kinds)
    assert all(counts[k] >= 15 for k in PRODUCERS)


def test_functions_are_outlined() -> None:
    """Most programs have one that is called from several places, and some that call another."""
    several = inner = partial = 0
    for g in programs()[:80]:
        p = outlined(g).program
        check(p)
        stms = [s.exp for f in bodies_of(p) for s in walk(f.body)]
        calls = Counter(e.fn for e in stms if isinstance(e, Call))
        assert set(calls) == {f.name for f in p.functions}
        several += any(n > 1 for n in calls.values())
        inner += any(called(f.body) for f in p.functions)
        partial += any(isinstance(e, Call) and e.partial for e in stms)
    assert several >= 50
    assert inner >= 10
    assert partial >= 2


def test_foreign_code_is_called() -> None:
    """All kinds of it: on scalars, in kernels too, and on arrays."""
    kinds: Counter[str] = Counter()
    inside = 0
    for g in programs()[:60]:
        p = with_foreign(g).program
        code = foreign_code(p)
        kinds.update(f.name.split("_")[0] for f in (*code.functions, *code.opaque))
        called = [s.exp for f in p.entries for s in walk(f.body) if isinstance(s.exp, Kernel)]
        inside += any(isinstance(s.exp, Call) for e in called for s in walk(e.body))
    assert kinds.keys() == {"pick", "twin", "turned", "spread", "flipped"}
    assert inside >= 5


# ---------------------------------------------------------------------- coverage


def test_every_kind_of_expression_occurs_often() -> None:
    kinds: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for g in programs():
        found = kinds_of(g.program)
        kinds += found
        inside.update(found.keys())
    rare = {k: (kinds[k], inside[k]) for k in KINDS_OF_EXPRESSIONS if inside[k] < COUNT // 15}
    assert not rare
    assert set(kinds) == set(KINDS_OF_EXPRESSIONS)


def test_nesting_and_sizes() -> None:
    depths = Counter(nesting(g.program) for g in programs())
    assert all(depths[d] >= COUNT // 100 for d in range(5))
    lengths = Counter(n for g in programs() for a in g.args if isinstance(a, np.ndarray)
                      for n in a.shape)  # fmt: skip
    assert all(lengths[n] >= COUNT // 10 for n in (0, 1, 2, 3))


def kernels_deep(b: Body[None]) -> int:
    return max(
        (isinstance(s.exp, Kernel) + kernels_deep(c) for s in b.stms for c in sub_bodies(s.exp)),
        default=0,
    )


def test_kernels_are_nested_three_deep() -> None:
    depths = Counter(map(kernels_deep, bodies()))
    assert sum(n for d, n in depths.items() if d >= 3) >= COUNT // 5


def thread_variant(b: Body[None], inside: frozenset[Name] | None = None) -> bool:
    """Whether an array inside a kernel has a size that differs from thread to thread."""
    for s in b.stms:
        for p in s.pat:
            if inside and isinstance(p.type, ArrayType) and any(
                d.free() & inside for d in p.type.shape
            ):  # fmt: skip
                return True
        for c in sub_bodies(s.exp):
            names = {*inner_indices(s.exp), *(p.name for t in c.stms for p in t.pat)}
            if isinstance(s.exp, Kernel) or inside is not None:
                if thread_variant(c, (inside or frozenset()) | names):
                    return True
            elif thread_variant(c):
                return True
    return False


def test_sizes_differ_from_thread_to_thread() -> None:
    assert sum(map(thread_variant, bodies())) >= COUNT // 5


def origins() -> dict[str, Counter[str]]:
    """What stands where arrays leave branches and loops, are consumed, and are results."""
    found: dict[str, Counter[str]] = {x: Counter() for x in ("if", "loop", "consumed", "results")}
    for b in bodies():
        how = {p.name: type(s.exp).__name__ for s in walk(b) for p in s.pat}
        arrays = {p.name for s in walk(b) for p in s.pat if isinstance(p.type, ArrayType)}
        for s in walk(b):
            match s.exp:
                case If(_, then, orelse):
                    for x, y in zip(then.result, orelse.result, strict=True):
                        if isinstance(x, Var) and isinstance(y, Var) and x.name in arrays:
                            pair = sorted((how[x.name], how.get(y.name, "parameter")))
                            found["if"][" ".join(pair)] += 1
                case Loop(_, _, body):
                    found["loop"].update(how.get(a.name, "parameter") for a in body.result
                                         if isinstance(a, Var))  # fmt: skip
                case Update(x) | Scatter(x):
                    found["consumed"][how.get(x, "parameter")] += 1
                case Kernel(_, Hist(dest), _):
                    found["consumed"].update(how.get(x, "parameter") for x in dest)
        found["results"].update(how.get(a.name, "parameter") for a in b.result
                                if isinstance(a, Var))  # fmt: skip
    return found


VIEWS = ("Slice", "Reverse", "Permute", "FlatSlice", "Reshape")


def test_views_leave_branches_and_loops_and_are_consumed() -> None:
    found = origins()
    assert len(found["if"]) >= 30, "branches return arrays of few pairs of origins"
    for place in ("loop", "consumed", "results"):
        assert all(found[place][v] >= 3 for v in VIEWS), (place, found[place])


def test_results_alias_one_another_and_the_parameters() -> None:
    twice = parameters = 0
    for g in programs():
        e = g.program.entries[0]
        names = [a.name for a in e.body.result if isinstance(a, Var)]
        derived = {s.pat[0].name: s.exp.x for s in e.body.stms
                   if isinstance(s.exp, Slice | Reverse | Permute)}  # fmt: skip
        names = [derived.get(x, x) for x in names]
        twice += len(set(names)) < len(names)
        own = {p.binder.name for p in e.params if isinstance(p.binder.type, ArrayType)}
        parameters += bool(own & set(names))
    assert twice >= COUNT // 10
    assert parameters >= COUNT // 10


def overlapping(s: Stm[None]) -> bool:
    """A slice of stride 0: several of its elements are one in memory."""
    return isinstance(s.exp, Slice) and any(
        isinstance(d, DimRange) and d.stride == ZERO for d in s.exp.dims
    )


def test_views_whose_elements_overlap_are_consumed() -> None:
    consumed = 0
    for b in bodies():
        views = {s.pat[0].name for s in walk(b) if overlapping(s)}
        consumed += sum(s.exp.x in views for s in walk(b) if isinstance(s.exp, Update | Scatter))
    assert consumed >= 5


# ---------------------------------------------------------------------- traps


def trap_of(g: Generated) -> TrapKind | None:
    try:
        run(g.program, g.entry, g.args)
    except Trap as t:
        return t.kind
    return None


def test_programs_trap_rarely_and_as_planned() -> None:
    """Every fifth of them is run, and all that may trap."""
    trapped = 0
    for g in programs():
        plan = planned(g.seed)
        if plan is not None or g.seed % 5 == 0:
            kind = trap_of(g)
            assert kind in (None, plan), g.seed
            trapped += kind is not None
    assert 1 <= trapped <= COUNT * 0.05


def test_every_kind_of_trap_is_met() -> None:
    """Twelve programs for each kind; both outcomes occur."""
    met: Counter[TrapKind] = Counter()
    seeds = [s for s in range(EVERY * len(KINDS) * 12) if planned(s)]
    for seed in seeds:
        kind = trap_of(generate(seed))
        if kind is not None:
            met[kind] += 1
    assert set(met) == set(KINDS), met
    assert sum(met.values()) < len(seeds)


@pytest.mark.parametrize("seed", [4291, 5791, 12215])
def test_results_that_are_one_array_inside_alias_outside(seed: int) -> None:
    """A branch and a loop that hand out one array twice: consuming one result ends the other."""
    check(generate(seed).program)
