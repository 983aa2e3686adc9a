"""Types: figure 4's rules, polymorphism, and the built-ins, in tables."""

import re

import pytest

from funmem.frontends.nova.builtins import BUILT_INS, SPECIAL
from funmem.frontends.nova.infer import infer
from funmem.frontends.nova.parser import parse
from funmem.frontends.nova.program import problems, to_core
from funmem.frontends.nova.typing import Typing
from funmem.ir.diagnostics import SourceError
from tests.frontends.nova.programs import ACCEPTED, REJECTED
from tests.support.paths import ROOT

INPUTS = """((i : int) (b : bool) (x : float) (y : double) (t : (int, float)) (X : vector int)
 (F : vector float) (M : vector#2 float) (N : vector vector int))
(types (Maybe 'a : (+ (Some : 'a) (None : unit))) (P : (int, int)))
"""


def typing(e: str) -> Typing:
    return infer(parse(INPUTS + e, "t.nova"))


def type_of(e: str) -> str:
    found = typing(e)
    return found.declared.text(found.types[found.program.body])


RULES = {
    # CONST
    "1": "int",
    "1.5": "float",
    "1L": "double",
    "true": "bool",
    "nil": "unit",
    # ID, APP
    "i": "int",
    "((+ i) 1)": "int",
    "((lambda (f : int -> float) (f 1)) (lambda (k : int) x))": "float",
    # TUPLE, TUPLE-ACCESS
    "(i, (x, b))": "(int, (float, bool))",
    "(t . 1)": "float",
    # VECTOR1-ACCESS, VECTORN-ACCESS
    "(X ! i)": "int",
    "(N ! i)": "vector int",
    "(M ! (i, i))": "float",
    # IF, CASE
    "(if b then 1 else y)": "double",
    "(case (Some i) (Some v (to_double v)) (None u y))": "double",
    # LET, LAMBDA, MU
    "(let (k 2) in (+ k x))": "float",
    "((lambda (p : P) (p . 0)) (1, 2))": "int",
    "((mu (f : int -> bool) (lambda (k : int) (if (= k 0) then b else (f (- k 1))))) 3)": "bool",
    # generalisation
    "(let (id (lambda (v : 'a) v)) in ((id i), (id b)))": "(int, bool)",
    "(let (k (lambda (v : 'a) (w : 'b) v)) in (k x M))": "float",
    "(let (plus +) in (plus x 1))": "float",
    # map
    "(map (+ 1) X)": "vector int",
    "(map + X X)": "vector int",
    "(map + M M)": "vector#2 float",
    "(map (map (+ 1)) N)": "vector vector int",
    "(map (map +) N N)": "vector vector int",
    "(map Some X)": "vector (Maybe int)",
    "(let (m map) in (m neg X))": "vector int",
    "(let (f (map +)) in (f F (map (* 2) F)))": "vector float",
    # the others that depend on their arguments
    "(range i)": "vector int",
    "(range 0 2 i)": "vector int",
    "(shape M)": "(int, int)",
    "(rows M)": "vector vector float",
}


@pytest.mark.parametrize("e", RULES)
def test_rules(e: str) -> None:
    assert type_of(e) == RULES[e]


def test_the_table_of_figure_4_is_true() -> None:
    """Each row of the table in papers/nova/README.md: a rule, an expression, its type."""
    text = (ROOT / "papers" / "nova" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| ([\w-]+) \| `([^`]+)` \| `([^`]+)` \|$", text)
    assert {"CONST", "VECTORN-ACCESS", "CASE", "LAMBDA", "MU", "APP"} <= {
        rule for rule, _, _ in rows
    }
    assert [(rule, type_of(e)) for rule, e, _ in rows] == [(rule, t) for rule, _, t in rows]


def test_a_definition_that_is_no_function_is_not_generalised() -> None:
    """Of two uses at different types one is wrong."""
    with pytest.raises(SourceError, match="should be"):
        type_of("(let (f ((lambda (g : 'a -> 'a) g) (lambda (v : 'a) v))) in ((f i), (f b)))")


@pytest.mark.parametrize(
    ("e", "wanted"),
    [
        ("(let (f (lambda (v : 'a) (+ v v))) in (f b))", "a number"),
        ("(let (f (lambda (v : 'a) (% v v))) in (f x))", "an integer"),
        ("(let (f (lambda (v : 'a) (sqrt v))) in (f i))", "a float"),
        ("(let (f (lambda (v : 'a) (= v v))) in ((f (+ 1))))", "compared"),
        ("(let (f (lambda (v : 'a) (v, v))) in ((f (+ 1)) . 0))", "function"),
    ],
)
def test_a_class_stays_with_the_instance(e: str, wanted: str) -> None:
    with pytest.raises(SourceError, match=wanted):
        type_of(e)


@pytest.mark.parametrize("name", [*BUILT_INS, *SPECIAL])
def test_every_built_in_has_programs(name: str) -> None:
    """One that uses it, and one that is rejected for it: by its own name or that of its class."""
    texts = [re.sub("(?m);.*$", "", p.read_text(encoding="utf-8")) for p in ACCEPTED]
    assert any(f"({name} " in t or f" {name} " in t or f"({name})" in t for t in texts)
    rejected = {p.stem: p.read_text(encoding="utf-8") for p in REJECTED}
    alike = [n for n, row in BUILT_INS.items() if name in BUILT_INS and row == BUILT_INS[name]]
    assert any(
        f"({n} " in text
        for n in (name, *alike)
        for stem, text in rejected.items()
        if stem.startswith("built_in")
    )


# ---------------------------------------------------------------------- all errors

WRONG = """((X : vector int))
(let (a (+ 1 true))
     (f (lambda (x : int) (+ x y)))
     (b (+ a (f X)))
     (c (let (d (if 1 then 2 else 3)) in (if d then (+ d 1) else (z d))))
     (e (a b c d))
 in ((a 7), (f true), (+ X 1)))
"""


def test_each_wrong_definition_has_one_error_and_no_use_of_it_another() -> None:
    found = [(d.at.line, d.at.col) for d in problems(WRONG, "p.nova")]
    assert found == [(2, 14), (3, 32), (5, 21), (5, 67), (6, 16), (7, 26)]
    with pytest.raises(SourceError) as caught:
        to_core(WRONG, "p.nova")
    assert caught.value.diagnostic == problems(WRONG, "p.nova")[0]


def test_a_program_without_errors_has_none() -> None:
    assert problems("((X : vector int)) (let (f (lambda (x : 'a) x)) in ((f X), (f 1)))", "p") == []


def test_the_first_of_all_errors_is_the_one_that_is_raised() -> None:
    """Unless it is found after inference; then it is the only one."""
    later = 0
    for path in REJECTED:
        text = path.read_text(encoding="utf-8")
        with pytest.raises(SourceError) as caught:
            to_core(text, path.name)
        found = problems(text, path.name)
        later += not found
        assert found[:1] in ([], [caught.value.diagnostic]), path.name
    assert later < len(REJECTED) / 2
