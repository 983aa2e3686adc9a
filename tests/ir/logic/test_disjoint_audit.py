"""The non-overlap test against z3 and isl, where they are installed.

Protects ``ir/logic/disjoint/``, on questions for which no enumeration of small sizes is a proof.
"""

import sys

import pytest

from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.disjoint import disjoint
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.verify import audit
from funmem.verify.audit import MissingTool, Verdict, by_presburger, by_smt
from tests.ir.logic.test_disjoint_algorithms import NINE, Question
from tests.support.disjoint_oracle import meet, sample
from tests.support.disjoint_symbolic import Query, affine_queries, queries

n, m = var(Name("n")), var(Name("m"))
SIZES = Facts().with_nonneg(n).with_nonneg(m)


def lmad(offset: Size, length: Size, stride: int) -> Lmad:
    return Lmad(offset, (Dim(length, const(stride)),))


@pytest.mark.parametrize("oracle", [by_smt, by_presburger])
def test_the_oracles_themselves(oracle: object) -> None:
    """One question of each answer, and integers against sets of points."""
    ask = by_smt if oracle is by_smt else by_presburger
    pytest.importorskip("z3" if oracle is by_smt else "islpy")
    assert ask(lmad(ZERO, n, 1), lmad(n, m, 1), SIZES) is Verdict.DISJOINT
    assert ask(lmad(ZERO, n, 1), lmad(n - 1, m, 1), SIZES) is Verdict.OVERLAP
    assert ask(lmad(ZERO, n, 2), lmad(m, n, 2), SIZES) is Verdict.OVERLAP
    assert ask(lmad(ZERO, n, 2), lmad(2 * m + 1, n, 2), SIZES) is Verdict.DISJOINT
    for a, apart, b in sample(90_001):
        want = Verdict.OVERLAP if meet(a, apart, b) else Verdict.DISJOINT
        assert ask(a.lmad(apart), b.lmad(0), Facts()) is want


def test_products_are_not_for_presburger() -> None:
    pytest.importorskip("islpy")
    assert by_presburger(lmad(ZERO, n * m, 1), lmad(n * m, n, 1), SIZES) is Verdict.UNKNOWN


def test_affine_questions_against_isl() -> None:
    """What is claimed is so for all sizes; most of what is so is claimed."""
    pytest.importorskip("islpy")
    true = claimed = 0
    for q in affine_queries(1000, seed=6):
        verdict = by_presburger(q.a, q.b, q.facts)
        assert verdict is not Verdict.UNKNOWN
        mine = disjoint(q.a, q.b, q.facts)
        assert not (mine and verdict is Verdict.OVERLAP), str(q)
        true += verdict is Verdict.DISJOINT
        claimed += mine
    assert true > 200
    assert claimed >= 0.95 * true, f"{claimed} of {true}"


def test_claims_with_products_against_z3() -> None:
    """z3 finds no counterexample to a claim, of any size; it need not find a proof."""
    pytest.importorskip("z3")
    claims: list[Query] = []
    for q in queries(400, seed=7):
        if disjoint(q.a, q.b, q.facts):
            claims.append(q)
    assert len(claims) > 30
    for q in claims[:40]:
        assert by_smt(q.a, q.b, q.facts, seconds=0.2) is not Verdict.OVERLAP, str(q)


@pytest.mark.parametrize("x", NINE, ids=str)
def test_z3_finds_the_overlap_when_off_by_one(x: Question) -> None:
    pytest.importorskip("z3")
    assert by_smt(x.written, x.too_much, x.facts, seconds=20) is Verdict.OVERLAP


def test_isl_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It knows no time limit, but one for its operations."""
    pytest.importorskip("islpy")
    question = audit.shared(lmad(ZERO, n, 2), lmad(2 * m + 1, n, 2), SIZES)
    assert audit.presburger(question) is False
    monkeypatch.setattr(audit, "OPERATIONS", 1000)
    assert audit.presburger(question) is None


def test_an_index_function_with_an_element_twice() -> None:
    pytest.importorskip("z3")
    twice = Lmad(ZERO, (Dim(const(2), const(1)), Dim(n, const(2)), Dim(m, 2 * n - 1)))
    once = Lmad(ZERO, (Dim(const(2), const(1)), Dim(n, const(2)), Dim(m, 2 * n)))
    assert any(audit.smt(q) for q in audit.repeated(twice, SIZES))
    assert [audit.smt(q) for q in audit.repeated(once, SIZES)] == [False] * 3


def test_a_missing_tool_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(MissingTool, match=r"z3 is not installed: pip install 'funmem\[audit\]'"):
        audit.by_smt(lmad(ZERO, n, 1), lmad(n, m, 1), SIZES)
