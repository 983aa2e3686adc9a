"""Core's interpreter judges the passes on Core: what a program means, traps included, stays.

All programs and all their cases: ``python -m tests.support.core_judge``.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import funmem
from funmem.frontends.futhark.program import to_core
from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp
from funmem.ir.diagnostics import TrapKind
from funmem.ir.fun import Kernel
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.text.print_core import show_core
from funmem.ir.traverse import walk
from tests.support.core_judge import (
    PROGRAMS,
    Call,
    Trapped,
    disagree,
    fun_outcome,
    judge,
    judge_file,
    makes_irregular,
    outcome,
    stages,
)
from tests.support.core_programs import (
    FALSE,
    add,
    arr,
    at,
    call,
    define,
    fmap,
    fn,
    iota,
    k,
    let,
    op,
    program,
    tup,
    v,
)
from tests.support.core_samples import SAMPLES, Sample, app, cond, the
from tests.support.core_sizes import SIZES
from tests.support.sampling import sampled

LEFT_OUT = {"errors", "typeerrors", "format", "imports", "lib"}
"""Folders of programs that are not compiled alone, or must not be."""

FILES = sorted(
    f
    for f in PROGRAMS.rglob("*.fut")
    if not LEFT_OUT & set(f.parts) and "-- error:" not in f.read_text(encoding="utf-8")
)
GOLDENS = ("polymorphic", "closures", "higher-order", "sums", "power", "nested-mu", "factorial")


@pytest.mark.parametrize("sample", SIZES.values(), ids=SIZES)
def test_sizes_that_decide(sample: Sample) -> None:
    """No pass takes a size for another one: what traps still does, and what does not does not."""
    found = stages(sample.program)
    assert list(judge(found, sample.calls)) == []
    traps = [isinstance(outcome(sample.program, x), Trapped) for x in sample.calls]
    assert traps[0] is not traps[1] or all(traps)
    assert found.fun is not None
    for x, trapped in zip(sample.calls, traps, strict=True):
        assert isinstance(fun_outcome(found.fun, x), Trapped) is trapped


@pytest.mark.parametrize("sample", sampled(SAMPLES.values(), 8, 2), ids=SAMPLES)
def test_samples(sample: Sample) -> None:
    found = stages(sample.program)
    assert (found.fun is not None) is sample.fun, found.refused
    assert list(judge(found, sample.calls)) == []


BAD = op("/", k(10), k(0))
N = [("n", I64)]
C = define("c", [], I64, BAD)
F = c.Def(Name("f"), (), c.arrow([I64], I64), let("t", I64, BAD, fn(*N, body=add(v("n"), v("t")))))
TWICE = c.Def(
    Name("twice"),
    (),
    c.arrow([c.arrow([I64], I64), I64], I64),
    let(
        "t",
        I64,
        BAD,
        fn(("g", c.arrow([I64], I64)), *N, body=app(v("g"), app(v("g"), add(v("n"), v("t"))))),
    ),
)
LATER = c.Def(
    Name("f"),
    (),
    c.arrow([I64], I64),
    c.Assert(FALSE, "no f", (), fn(*N, body=v("n"))),
)
UP = fn(("m", I64), body=add(v("m"), k(1)))

AT_THE_START = {
    "in a branch that is not taken": program(
        N, cond(FALSE, call("c"), v("n")), defs=(C,), result=I64
    ),
    "in a function that is not called": program(
        N,
        let("g", c.arrow([I64], I64), fn(("m", I64), body=call("c")), v("n")),
        defs=(C,),
        result=I64,
    ),
    "of a function that is not called": program(
        N, let("g", c.arrow([I64], I64), the("f"), v("n")), defs=(F,), result=I64
    ),
    "of a function that maps nothing": program(
        N, c.Length(fmap(the("f"), iota(k(0)))), defs=(F,), result=I64
    ),
    "of a function that takes one": program(
        N, cond(FALSE, app(the("twice"), UP, v("n")), v("n")), defs=(TWICE,), result=I64
    ),
    "an assertion": program(N, cond(FALSE, call("f", v("n")), v("n")), defs=(LATER,), result=I64),
}


@pytest.mark.parametrize("p", AT_THE_START.values(), ids=AT_THE_START)
def test_what_definitions_compute_is_computed_at_the_start(p: CoreProgram) -> None:
    """Wherever an entry point mentions them, and before and after all passes."""
    call_ = Call("main", (1,))
    assert isinstance(outcome(p, call_), Trapped)
    assert list(judge(stages(p), [call_])) == []


def test_a_definition_that_nobody_mentions_is_not_computed() -> None:
    p = program(N, v("n"), defs=(C, F), result=I64)
    assert isinstance(outcome(p, Call("main", (1,))), tuple)
    assert list(judge(stages(p), [Call("main", (1,))])) == []


def fitted(size: c.Def, *mentioned: Exp) -> CoreProgram:
    """``xs`` coerced to the size that a definition is, which nothing else may mention."""
    e = c.Coerce(v("xs"), arr(I64, "size"), "{} {}")
    types = (*(I64 for _ in mentioned), arr(I64, None))
    return program(
        [("xs", arr(I64, "n"))],
        tup(*mentioned, e) if mentioned else e,
        sizes="n",
        defs=(size,),
        result=c.tuple_type(*types) if mentioned else types[0],
    )


@pytest.mark.parametrize("mentioned", [(), (call("size"),)])
def test_a_size_that_a_definition_is_is_checked(mentioned: tuple[Exp, ...]) -> None:
    p = fitted(define("size", [], I64, k(3)), *mentioned)
    short, fits = Call("main", ([1, 2],)), Call("main", ([1, 2, 3],))
    assert isinstance(outcome(p, short), Trapped)
    assert isinstance(outcome(p, fits), tuple)
    assert list(judge(stages(p), [short, fits])) == []


def test_a_size_that_a_definition_is_is_computed_at_the_start() -> None:
    p = fitted(define("size", [], I64, BAD))
    call_ = Call("main", ([1, 2],))
    assert outcome(p, call_) == Trapped(TrapKind.DIVISION, "division by zero")
    assert list(judge(stages(p), [call_])) == []


def test_a_local_size_is_no_definition() -> None:
    """Though it has the name of one, which traps."""
    e = c.Coerce(v("xs"), arr(I64, "c"), "{} {}")
    p = program(
        [("xs", arr(I64, "n"))],
        let("c", I64, k(2), e),
        sizes="n",
        defs=(C,),
        result=arr(I64, None),
    )
    calls = [Call("main", ([1, 2],)), Call("main", ([1],))]
    assert isinstance(outcome(p, calls[0]), tuple)
    assert list(judge(stages(p), calls)) == []


def test_what_a_function_needs_is_computed_once() -> None:
    """Not by each call: the table is made outside of the kernel that calls the function."""
    table = let("t", arr(I64, None), fmap(UP, iota(k(9))), fn(*N, body=at(v("t"), v("n"))))
    f = c.Def(Name("f"), (), c.arrow([I64], I64), table)
    p = program(N, fmap(the("f"), iota(v("n"))), defs=(f,), result=arr(I64, None))
    found = stages(p)
    assert list(judge(found, [Call("main", (n,)) for n in (0, 3, 9, 10)])) == []
    assert found.fun is not None
    (entry,) = found.fun.entries
    kernels = [s for s in entry.body.stms if isinstance(s.exp, Kernel)]
    assert len(kernels) == sum(isinstance(s.exp, Kernel) for s in walk(entry.body)) == 2


BINARY = c.arrow([I64, I64], I64)
DIVIDES = c.Def(
    Name("divides"),
    (),
    BINARY,
    fn(
        ("a", I64),
        body=let("q", I64, op("/", k(9), v("a")), fn(("b", I64), body=add(v("q"), v("b")))),
    ),
)
ALIAS = c.Def(Name("alias"), (), BINARY, the("divides"))
AFTER = c.Def(Name("after"), (), BINARY, let("t", I64, k(4), the("divides")))


@pytest.mark.parametrize("name", ["divides", "alias", "after"])
def test_what_a_function_computes_of_some_of_its_arguments(name: str) -> None:
    """It is computed when it is applied to them, whether or not the others ever come."""
    part = app(the(name), v("n"))
    up = c.Arrow(I64, I64)
    for e in (
        let("f", up, part, k(3)),
        c.Length(c.Map(part, (iota(k(0)),))),
        c.Length(c.Map(part, (iota(k(2)),))),
        let("f", up, part, add(app(v("f"), k(1)), app(v("f"), v("n")))),
        app(the(name), v("n"), k(3)),
        app(part, k(3)),
    ):
        p = program(N, e, defs=(DIVIDES, ALIAS, AFTER), result=I64)
        found, zero, two = stages(p), Call("main", (0,)), Call("main", (2,))
        assert outcome(p, zero) == Trapped(TrapKind.DIVISION, "division by zero")
        assert isinstance(outcome(p, two), tuple)
        assert list(judge(found, [zero, two])) == []
        assert found.fun is not None


@pytest.mark.parametrize("path", sampled(FILES[::9], 36, 5), ids=lambda p: p.stem)
def test_programs(path: Path) -> None:
    judgement = judge_file(path, 8)
    assert judgement.wrong == ()


@pytest.mark.parametrize("name", GOLDENS)
def test_before_and_after(name: str, golden: Callable[[str, str], None]) -> None:
    found = stages(SAMPLES[name].program)
    text, last = "", None
    for stage, p in found.core:
        text += f"-- {stage}\n\n{show_core(p)}\n" if p != last else f"-- {stage}: the same\n\n"
        last = p
    golden(f"core/{name}.txt", text)


def test_an_irregular_array_is_no_excuse_for_another() -> None:
    """FUN may say that an array is irregular only if Core made one that is."""
    rows = fmap(fn(*N, body=iota(v("n"))), v("ns"))
    lengths = fmap(fn(("r", arr(I64, None)), body=c.Length(v("r"))), v("rows"))
    body = let("rows", arr(I64, None, None), rows, lengths)
    p = program([("ns", arr(I64, "k"))], body, sizes="k", result=arr(I64, None))
    found, irregular, regular = stages(p), Call("main", ([1, 2],)), Call("main", ([2, 2],))
    assert list(judge(found, [irregular, regular])) == []
    said = Trapped(TrapKind.ASSERTION, "Irregular array: a row of shape [1].")

    def wrong(call: Call) -> str | None:
        excuse = partial(makes_irregular, p, call)
        return disagree(outcome(p, call), said, words=False, irregular=excuse)

    assert wrong(irregular) is None
    assert wrong(regular) is not None


def test_a_result_of_unequal_rows_traps_after_flatten_nested() -> None:
    """The interpreter returns it, and reading it as one array traps; later programs trap."""
    text = "entry main (xs: []i64) : [][]i64 = [ replicate x x | x <- xs ]"
    found = stages(to_core(text, "rows.fut"))
    assert list(judge(found, [Call("main", ([1, 2],)), Call("main", ([2, 2],))])) == []


def test_the_judge_sees_results() -> None:
    """Every sample has a call that gives some, and no two samples give the same."""
    seen = []
    for s in SAMPLES.values():
        outcomes = [outcome(s.program, call) for call in s.calls]
        assert any(isinstance(x, tuple) for x in outcomes)
        seen.append(str(outcomes))
    assert len(set(seen)) == len(SAMPLES)


# ---------------------------------------------------------------------- places

CALLS = """\
entry main (n: i64) (xs: []i64) : i64 =
  let total = i64.sum xs
  let r =
    {}
  in r + total
"""


@pytest.mark.parametrize(
    ("call", "blamed"),
    [
        ("i64.sum (tabulate n (+ total))", "tabulate n (+ total)"),
        ("tabulate n (+ total) |> i64.sum", "tabulate n (+ total) |> i64.sum"),
        (r"i64.sum (flatten (tabulate_2d 2 n (\i j -> i + j + total)))", "tabulate_2d"),
        (r"(tabulate_3d 2 3 n (\i j k -> i + j + k + total))[0, 0, 0]", "tabulate_3d"),
        ("i64.sum (hist (+) 0 n [0, 1] [total, 2])", "hist"),
        ("let count = hist (+) 0 n in i64.sum (count [0, 1] [total, 2])", "count [0, 1]"),
        (r"i64.sum (map (\x -> i64.sum (tabulate n (+ x))) xs)", "tabulate n (+ x)"),
        (r"i64.sum (tabulate 2 (\i -> xs[i + 1]))", "xs[i + 1]"),
    ],
)
def test_the_library_has_the_place_of_its_call(call: str, blamed: str) -> None:
    """Not of the statement before."""
    text = CALLS.format(call)
    with pytest.raises(funmem.Trap) as caught:
        funmem.run(funmem.parse(text, "fut"), -2, [1, 2])
    at = caught.value.diagnostic.at
    assert text.splitlines()[at.line - 1][at.col - 1 :].startswith(blamed)
