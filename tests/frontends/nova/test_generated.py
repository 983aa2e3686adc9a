"""Generated NOVA programs: all engines compute what the evaluation of the syntax tree does.

2,000 of them: ``python -m tests.support.nova_generated -n 2000``.
"""

import pytest

from funmem.api import Via
from funmem.frontends.nova.program import to_core
from tests.support.core_judge import Call, judge, stages
from tests.support.nova_generated import TRAPPED, arguments, differs, expected
from tests.support.nova_oracle import run as evaluate
from tests.support.nova_oracle import value_of
from tests.support.nova_programs import program
from tests.support.sampling import sampled


@pytest.mark.parametrize("part", sampled(range(40), 40))
def test_generated_programs(part: int) -> None:
    for seed in range(10 * part, 10 * part + 10):
        p = program(seed)
        assert differs(p, "value") is None, p.text


@pytest.mark.parametrize("via", sampled(["imp", "heap", "c"], 0))
def test_generated_programs_after_lowering(via: Via) -> None:
    for seed in range(1000, 1002):
        p = program(seed)
        assert differs(p, via) is None, p.text


@pytest.mark.parametrize("part", sampled(range(20), 20))
def test_the_core_interpreter_agrees_after_each_pass(part: int) -> None:
    for seed in range(3000 + 2 * part, 3002 + 2 * part):
        p = program(seed)
        call = Call("main", tuple(arguments(p)))  # type: ignore[arg-type]
        assert list(judge(stages(to_core(p.text, "t.nova")), [call])) == [], p.text


def test_programs_do_not_only_trap() -> None:
    """Of the programs some trap, and most have results, which depend on the inputs."""
    outcomes = [expected(program(seed)) for seed in range(50)]
    assert 2 < sum(o == TRAPPED for o in outcomes) < 30


ORACLE = {
    # e: its value, with X = [3, 1, 2], by hand
    "(reduce + 10 X)": "16",
    "(scan + 10 X)": "[10, 13, 14]",
    "(iscan + 10 X)": "[13, 14, 16]",
    "(fold (lambda (a : int) (x : int) (- x a)) 0 X)": "4",
    "(permute (map (+ -1) X) X)": "[1, 2, 3]",
    "(gather (range 2 -2 -1) X)": "[2, 3]",
    "(slice 2 -1 0 X)": "[2, 1]",
    "(let (N (map (lambda (k : int) (range k)) X)) in (unflatten (segments N) (flatten N)))": (
        "[[0, 1, 2], [0], [0, 1]]"
    ),
    "(/ -7 2)": "-3",
    "(% -7 2)": "-1",
    "(let (f (lambda (v : 'a) (+ v 1))) in ((to_double (f 1)), (f 1.5)))": "(2.0, 2.5)",
    "(and false (= 1 (/ 1 0)))": "False",
}


@pytest.mark.parametrize("e", ORACLE)
def test_the_oracle(e: str) -> None:
    """The judge itself, on values that were computed by hand."""
    found = evaluate(f"((X : vector int))\n{e}", [value_of([3, 1, 2])])
    assert plain(found) == ORACLE[e]


def plain(v: object) -> str:
    match v:
        case list():
            return f"[{', '.join(map(plain, v))}]"
        case tuple():
            return f"({', '.join(map(plain, v))})"
        case _:
            return repr(getattr(v, "value", v))
