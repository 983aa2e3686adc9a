"""Generated FUN programs to Core and back: the same results, and well typed."""

import pytest

from funmem.frontends.futhark.program import to_core
from funmem.interp import run
from funmem.ir.check import check
from funmem.ir.core import Exp
from funmem.ir.core_traverse import map_parts, parts, unsized
from funmem.ir.core_types import type_of
from funmem.ir.diagnostics import Trap
from funmem.ir.text.print_core import show_core
from funmem.ir.values import ArrayValue, Value, agree
from funmem.passes.core.flatten_data import flatten_data
from funmem.passes.core.to_fun import to_fun
from funmem.testing import Generated, generate
from tests.support.fun_to_core import core_of, type_
from tests.support.paths import ROOT
from tests.support.sampling import sampled

SEEDS = range(120)
PAPERS = ROOT / "papers"


def outcome(g: Generated, p: object) -> tuple[Value, ...] | Trap:
    """The results, or the trap."""
    try:
        return run(p, g.entry, g.args)  # type: ignore[arg-type]
    except Trap as t:
        return t


def same(a: Value, z: Value) -> bool:
    """Equal; of arrays without elements the inner sizes do not count."""
    if isinstance(a, ArrayValue) and isinstance(z, ArrayValue) and a.data.size == z.data.size == 0:
        return a.data.ndim == z.data.ndim
    return agree([a], [z]) is None


@pytest.mark.parametrize("block", sampled(range(12), 12))
def test_there_and_back(block):
    for seed in SEEDS[block::12]:
        g = generate(seed)
        core = core_of(g.program)
        assert show_core(core)
        back = to_fun(flatten_data(core))
        check(back)
        want, got = outcome(g, g.program), outcome(g, back)
        if isinstance(want, Trap) or isinstance(got, Trap):
            assert type(want) is type(got), (seed, want, got)
            continue
        assert all(map(same, want, got)), seed


def seen_by_map_parts(e: Exp) -> list[Exp]:
    found: list[Exp] = []

    def note(x: Exp) -> Exp:
        found.append(x)
        return x

    map_parts(e, note, lambda t: t)
    return found


@pytest.mark.slow
def test_parts_are_what_map_parts_sees():
    """In generated programs and in those of the papers, which have all forms between them."""
    programs = [core_of(generate(seed).program) for seed in SEEDS[:20]]
    programs += [
        to_core(f.read_text(), str(f))
        for f in sorted(PAPERS.rglob("*.fut"))[::3]
        if "entry" in f.read_text()
    ]
    forms = set[type]()
    for p in programs:
        todo = [d.exp for d in (*p.defs, *p.entries)]
        while todo:
            e = todo.pop()
            forms.add(type(e))
            inner = list(parts(e))
            assert [id(x) for x in inner] == [id(x) for x in seen_by_map_parts(e)], e
            todo += inner
    assert len(forms) > 30, forms


def test_the_types_of_expressions():
    for seed in SEEDS[:40]:
        g = generate(seed)
        (fun,) = g.program.entries
        (core,) = core_of(g.program).entries
        scope = {q.binder.name: q.binder.type for q in core.params}
        sizes = {b.name: b.type for b in fun.implicit}
        found = type_of(core.exp, {**scope, **sizes}, {})
        results = [unsized(type_(r.type)) for r in fun.results]
        fields = getattr(unsized(found), "fields", None)
        assert results == ([t for _, t in fields] if len(results) != 1 else [unsized(found)]), seed
