"""Certificates of `funmem verify`, what judges them again, and the command."""

import json
import re
import sys
from collections.abc import Callable
from itertools import islice, product
from operator import mul
from pathlib import Path
from types import ModuleType

import pytest

from funmem.ir.diagnostics import InputError
from funmem.ir.sizes import const
from funmem.ir.text import parse_fun
from funmem.ir.verify import Kind, Step, Verdict, verify
from funmem.passes.framework import as_tree
from funmem.passes.runner import Pipeline
from funmem.verify import judge, oracles
from funmem.verify.as_json import to_json
from funmem.verify.from_json import read_lmad, read_size
from funmem.verify.recheck import points, recheck
from tests.passes.test_growth import at_most
from tests.support.command_line import say
from tests.support.memory_check import EXAMPLES, load
from tests.support.paths import TESTS
from tests.verify_table import staged

# ---------------------------------------------------------------------- certificates


def test_a_certificate_is_right_and_complete() -> None:
    """Judged again without the search; what is tampered with is noticed."""
    certificate = json.loads(json.dumps(to_json(verify(staged(EXAMPLES[5], "merge")))))
    assert recheck(certificate) == []
    for o in certificate["obligations"]:
        assert {"kind", "verdict", "step", "ms", "place"} <= o.keys()
    missing = {**certificate, "obligations": certificate["obligations"][1:]}
    assert any("is missing" in line for line in recheck(missing))


def test_a_copy_to_its_own_place_has_a_certificate_that_is_right() -> None:
    """What is shown is that the places are one, and not that they are apart."""
    text = """\
entry main [n] [a : mem] (x : *[n]i32 @ a -> 0 + {(n : 1)})
    -> [b : mem] (y : [n]i32 @ b -> 0 + {(n : 1)}) =
  let (z : [n]i32 @ a -> 0 + {(n : 1)}) = copy x
  in (a, z)
"""
    found = verify(parse_fun(text))
    assert found.verdict is Verdict.PROVED
    assert recheck(to_json(found)) == []


def test_an_oracle_judges_all_that_has_numbers() -> None:
    """Places that are apart, elements that do not repeat, numbers that are not negative; the first
    oracle that knows is believed.
    """
    certificate = to_json(verify(staged(EXAMPLES[5], "merge")))
    asked = [c for o in certificate["obligations"] for c in o["conditions"]]
    kinds = {k for c in asked for k in ("apart", "no-repeat", "nonneg") if k in c}
    wrong = recheck(certificate, (lambda _: None, lambda _: True, lambda _: False))
    assert {k for k in kinds if any(f"an oracle refutes {k}" in line for line in wrong)} == kinds
    assert len(kinds) == 3
    assert recheck(certificate, (lambda _: None, lambda _: False, lambda _: True)) == []


@pytest.mark.parametrize("name", ["islpy", "z3"])
def test_oracles_judge_certificates(name: str) -> None:
    """Where they are installed; one of them is enough."""
    pytest.importorskip(name)
    certificate = to_json(verify(staged(EXAMPLES[5], "merge")))
    assert recheck(certificate, oracles.asked([name])) == []
    for o in certificate["obligations"]:
        for c in o["conditions"]:
            if "nonneg" in c:
                c["nonneg"] = f"{2**40} - n"
                c["facts"] = {"indices": [], "least": [["n", 0]], "assumed": []}
    assert any("refutes nonneg" in line for line in recheck(certificate, oracles.asked([name])))


def test_a_wrong_condition_is_noticed() -> None:
    certificate = to_json(verify(load(TESTS / "yardsticks" / "interleaved_arrays.funmem")))
    for o in certificate["obligations"]:
        for c in o["conditions"]:
            if "apart" in c:
                c["apart"][1] = c["apart"][0]
    assert any("share" in line for line in recheck(certificate))


SHIFTED = """\
entry main [n] [xs_mem : mem] (xs : [n]i32 @ xs_mem -> 0 + {(n : 1)}) -> (r : i32) =
  let (m : mem) = alloc 4*n
  let (x : [n]i32 @ m -> 0 + {(n : 1)}) = copy xs
  let (y : [n - 1]i32 @ m -> 0 + {(n - 1 : 1)}) = kernel i < n - 1 do
    let (a : i32) = x[i + 1]
    in (a)
  let (b : i32) = y[0]
  in (b)
"""


def test_a_claim_that_is_not_proved_again_is_noticed() -> None:
    """The kernel is racy, whatever a certificate says; or however little."""
    certificate = to_json(judge(parse_fun(SHIFTED)))
    assert recheck(certificate) == []
    (racy,) = [o for o in certificate["obligations"] if o["verdict"] != "PROVED"]
    certificate["verdict"] = "PROVED"
    racy |= {"verdict": "PROVED", "step": "intervals"}
    again = "O3 kernel y: y: PROVED, but is not proved again"
    assert recheck(certificate) == [again, "O3 kernel y: y: PROVED without a condition"]
    racy["conditions"] = [{"step": "types", "argued": "it is so"}]
    assert recheck(certificate) == [again]
    racy["step"] = "z3"
    assert recheck(certificate) == [f"{again} (--oracle z3 may know)"]
    certificate["obligations"].remove(racy)
    certificate["verdict"] = "BOUNDED"
    assert "its verdict: BOUNDED, but that of its obligations is PROVED" in recheck(certificate)


@pytest.mark.parametrize("verdict", ["REFUTED", "TRAPS"])
def test_a_counterexample_is_run_again(verdict: str) -> None:
    """What fails has to be seen to fail, on the input that the certificate gives."""
    racy, holes = parse_fun(SHIFTED), staged(TESTS / "corpus" / "unwritten.fun", "allocate")
    certificate = to_json(judge(racy if verdict == "REFUTED" else holes))
    assert recheck(json.loads(json.dumps(certificate))) == []
    (found,) = [o for o in certificate["obligations"] if o["verdict"] == verdict]
    said = f"{found['kind']} {found['place']}: {verdict}"
    for args in (["[7i32]"], ["1i64", "[7i64]"], ["no value"]):
        found["counterexample"]["args"] = args
        assert recheck(certificate) == [f"{said}, but not on its input"]
    del found["counterexample"]
    assert recheck(certificate) == [f"{said} without a counterexample"]


def test_what_rests_on_an_oracle_is_proved_again_by_one() -> None:
    certificate = to_json(verify(parse_fun(SHIFTED), [lambda _: Step.Z3]))
    assert certificate["verdict"] == "PROVED"
    wrong = recheck(certificate)
    assert any("--oracle z3 may know" in line for line in wrong)
    again = recheck(certificate, rungs=[lambda _: Step.Z3])
    assert again
    assert all(" share " in line for line in again)


LONG = """\
entry main [m] [k] (xs : [m]i64) (ys : [k]i64) -> (out : [100000000]i64) =
  let (r : [100000000]i64) = kernel i < 100000000 do
    let (row : [m - k]i64) = kernel j < m - k do
      let (x : i64) = xs[j + k]
      let (y : i64) = x + i
      in (y)
    let (z : i64) = row[0]
    in (z)
  in (r)
"""


def test_rechecking_does_not_walk_through_long_ranges() -> None:
    """Inside of a long one another may be empty for all small values."""
    p = as_tree(Pipeline.parse("allocate,hoist,expand").run(parse_fun(LONG)))
    certificate = to_json(verify(p))
    with at_most(2_000_000):
        assert recheck(certificate) == []


def test_a_name_that_nothing_bounds_may_be_negative() -> None:
    certificate = to_json(verify(parse_fun(SHIFTED)))
    shown = certificate["obligations"][1]
    facts = {"indices": [], "least": [], "assumed": []}
    shown["conditions"] = [{"step": "intervals", "nonneg": "k", "facts": facts}]
    assert [line.partition(": ")[2] for line in recheck(certificate)] == [
        "k is negative for k = -1"
    ]
    facts["least"] = [["k", 0]]
    assert recheck(certificate) == []


HOLE = (
    SHIFTED.replace("-> (r : i32)", "(k : i64) -> (r : i32) (s : i32)").replace("  in (b)\n", "")
    + """\
  let (h_mem : mem) = alloc 12
  let (h : [3]i32 @ h_mem -> 0 + {(3 : 1)}) = scratch [3]i32
  let (h1 : [3]i32 @ h_mem -> 0 + {(3 : 1)}) = h with [0] = b
  let (t : i32) = h1[k]
  in (b, t)
"""
)


def test_an_execution_shows_what_is_to_blame() -> None:
    """A race and a hole: neither is refuted, nor traps, by the input that shows the other one, and
    what is proved again by none.
    """
    certificate = to_json(judge(parse_fun(HOLE)))
    assert recheck(certificate) == []
    wrong = [o for o in certificate["obligations"] if o["verdict"] != "PROVED"]
    assert [o["verdict"] for o in wrong] == ["REFUTED", "TRAPS"]
    race, hole = (dict(o) for o in wrong)
    as_trap = {k: hole[k] for k in ("verdict", "step", "counterexample")}
    as_refuted = {k: race[k] for k in ("verdict", "step", "counterexample")}
    for o, how in [(wrong[0], as_trap), (wrong[1], as_refuted)]:
        o |= how
        (said,) = [line for line in recheck(certificate) if "its verdict" not in line]
        assert said == f"{o['kind']} {o['place']}: {how['verdict']}, but not on its input"
        o |= race if o is wrong[0] else hole
    assert recheck(certificate) == []
    for o in certificate["obligations"]:
        o |= as_refuted
    assert len(recheck(certificate)) == len(certificate["obligations"]) - 1


def test_a_run_may_show_what_no_obligation_is_to_blame_for() -> None:
    """What it adds to a certificate is right if the run does."""
    text = """\
entry main (k : i64) -> (r : i32) =
  let (c : bool) = k > 1
  let (m : mem) = alloc 12
  let (x : [3]i32 @ m -> 0 + {(3 : 1)}) = replicate [3] 5i32
  let (y : [3]i32 @ m -> 0 + {(3 : 1)}) = replicate [3] 6i32
  let (z : [3]i32 @ m -> 0 + {(3 : 1)}) = replicate [3] 7i32
  let (a : i32) = x[k]
  let (b : i32) = y[k]
  let (d : i32) = a + b
  in (d)
"""
    certificate = to_json(judge(parse_fun(text)))
    assert certificate["verdict"] == "REFUTED"
    assert recheck(certificate) == []
    (added,) = [o for o in certificate["obligations"] if o["place"] == "run"]
    added["kind"] = "O3"
    assert recheck(certificate) == ["O3 run: REFUTED, but not on its input"]


ENDLESS = """\
entry main (n : i64) -> (r : i64) =
  let (m : mem) = alloc 8
  let (x : [1]i64 @ m -> 0 + {(1 : 1)}) = iota [1] 1 1
  let (y : [1]i64 @ m -> 0 + {(1 : 1)}) = iota [1] 0 1
  let (go : bool) (k : i64) = loop (g : bool) = true, (j : i64) = 0 while g do
    let (a : i64) = x[0]
    let (h : bool) = a == 0
    let (j1 : i64) = j + 1
    in (h, j1)
  in (k)
"""


def test_what_ends_in_values_and_not_in_memory_is_refuted() -> None:
    certificate = to_json(judge(parse_fun(ENDLESS)))
    (o,) = [o for o in certificate["obligations"] if o["verdict"] != "PROVED"]
    assert (o["kind"], o["verdict"]) == ("O4", "REFUTED")
    assert "results; heap semantics: no end" in o["counterexample"]["message"]
    assert recheck(certificate) == []


FACTS = {"indices": [], "least": [], "assumed": []}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("program", 5),
        ("verdict", "FINE"),
        ("obligations", 5),
        ("obligations", [{}]),
        ("kind", "O99"),
        ("entry", None),
        ("step", "hope"),
        ("conditions", {}),
        ("conditions", [{"facts": FACTS}]),
        ("conditions", [{"nonneg": "1"}]),
        ("conditions", [{"nonneg": 5, "facts": FACTS}]),
        ("conditions", [{"nonneg": "1 1", "facts": FACTS}]),
        ("conditions", [{"nonneg": "9" * 5000, "facts": FACTS}]),
        ("conditions", [{"nonneg": "", "facts": FACTS}]),
        ("conditions", [{"nonneg": "*".join(["n"] * 1001), "facts": FACTS}]),
        ("conditions", [{"no-repeat": f"0 + {{{'(2 : n) ' * 1001}}}", "facts": FACTS}]),
        ("place", "\ud800"),
        ("conditions", [{"no-repeat": "0 + {n : 1}", "facts": FACTS}]),
        ("conditions", [{"apart": ["0 + {}"], "facts": FACTS}]),
        ("conditions", [{"nonneg": "i", "facts": {**FACTS, "least": [["i", "z"]]}}]),
        ("conditions", [{"nonneg": "i", "facts": {**FACTS, "indices": ["i"]}}]),
        (
            "conditions",
            [{"nonneg": "i", "facts": {**FACTS, "indices": [["i", "j"], ["j", "i"]]}}],
        ),
        ("conditions", [{"nonneg": "i", "facts": {**FACTS, "indices": [["i", "2"], ["i", "3"]]}}]),
    ],
)
def test_what_is_no_certificate_is_said_to_be_none(key: str, value: object) -> None:
    certificate = to_json(verify(parse_fun(SHIFTED)))
    where = (
        certificate if key in certificate and key != "verdict" else certificate["obligations"][0]
    )
    assert key in where
    where[key] = value
    with pytest.raises(InputError, match="not a certificate"):
        recheck(certificate)
    del where[key]
    with pytest.raises(InputError, match=f"{key} is missing"):
        recheck(certificate)


@pytest.mark.parametrize("text", ["0", "n", "2*i*n + i.d - 3*j.' - 1", "-n*n + 4"])
def test_sizes_read_back(text: str) -> None:
    assert str(read_size(text)) == text


def test_index_functions_read_back() -> None:
    for text in ("0 + {}", "i*m - 1 + {(-i.d + n : -m) (m : 1)}"):
        assert str(read_lmad(text)) == text
    assert read_lmad("1 + {}").offset == const(1)


def test_the_first_elements_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with the smallest indices, however many dimensions there are."""
    monkeypatch.setattr("funmem.verify.recheck.POINTS", 7)
    for lens in product((0, 1, 2, 3, 8), repeat=3):
        for strides in ((24, 8, 1), (1, -3, 0), (5, 5, 5)):
            dims = " ".join(f"({n} : {s})" for n, s in zip(lens, strides, strict=True))
            every = (
                4 + sum(map(mul, index, strides)) for index in product(*(range(n) for n in lens))
            )
            assert points(read_lmad(f"4 + {{{dims}}}"), {}) == frozenset(islice(every, 7))
    monkeypatch.setattr("funmem.verify.recheck.POINTS", 5000)
    with at_most(200_000):
        assert len(points(read_lmad(f"0 + {{{'(2 : 2) ' * 1000}}}"), {})) == 13


# ---------------------------------------------------------------------- the command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(TESTS.parent / "examples")
    (tmp_path / "yardsticks").symlink_to(TESTS / "yardsticks")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("verify", "funmem verify examples/transpose.fun"),
        ("verify-refuted", "funmem verify yardsticks/antidependence.funmem"),
        ("verify-all", "funmem verify --all yardsticks/copy_beside.funmem"),
        ("verify-json", "funmem verify --json yardsticks/private_block.funmem"),
    ],
)
def test_what_the_command_prints(
    name: str, line: str, folder: Path, golden: Callable[[str, str], None]
) -> None:
    said = say(line)
    assert said.code == (3 if name == "verify-refuted" else 0)
    golden(f"cli/{name}.txt", re.sub(r'(ms": )[\d.]+', r"\1…", str(said)))


HARMONIC = """\
entry main (k : i64) -> (s : f64) =
  let (n : i64) = 100 * k
  let (r : f64) = kernel i < n reduce (\\(a : f64) (b : f64) ->
    let (c : f64) = a + b
    in (c)) (0.0) do
    let (x : f64) = 1.0 / f64(i + 1)
    in (x)
  in (r)
"""


def test_a_sum_in_another_order_is_not_refuted(folder: Path) -> None:
    """`schedule` gives each thread a part of the sum; what is more than rounding is refuted."""
    (folder / "harmonic.fun").write_text(HARMONIC)
    said = say("funmem verify harmonic.fun")
    assert said.code == 0, said.out
    assert "program's meaning (tested, never proved): BOUNDED(" in said.out
    before = parse_fun(HARMONIC, "before")
    after = Pipeline.parse("allocate").run(parse_fun(HARMONIC.replace("100", "101"), "after"))
    found = judge(as_tree(after), before, rounded=True)
    assert [o.verdict for o in found.obligations if o.kind is Kind.MEANING] == [Verdict.REFUTED]
    assert not any(o.why for o in found.obligations if o.verdict is Verdict.REFUTED)


def test_strict_and_recheck(folder: Path) -> None:
    """Exit codes: 1 for what is not proved, 3 for a certificate that is wrong."""
    assert say("funmem verify --strict examples/transpose.fun").code == 0
    certificate = say("funmem verify --json examples/transpose.fun").out
    (folder / "c.json").write_text(certificate)
    assert say("funmem verify --recheck c.json").code == 0
    (folder / "c.json").write_text(certificate.replace('"O4"', '"O5"'))
    assert say("funmem verify --recheck c.json").code == 3
    (folder / "c.json").write_text("[]")
    assert say("funmem verify --recheck c.json").code == 1
    assert say("funmem verify").code == 2


def test_an_oracle_is_all_that_rechecking_with_it_needs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that is named is asked, and no other has to be installed."""
    (folder / "c.json").write_text(say("funmem verify --json examples/transpose.fun").out)
    monkeypatch.setitem(sys.modules, "islpy", None)
    monkeypatch.setitem(sys.modules, "z3", ModuleType("z3"))
    monkeypatch.setitem(oracles.ASKED, "z3", lambda _: False)
    assert say("funmem verify --oracle z3 --recheck c.json").code == 0
    assert "islpy is not installed" in say("funmem verify --oracle islpy --recheck c.json").err


def test_an_oracle_that_is_not_installed_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    said = say("funmem verify --oracle z3 examples/transpose.fun")
    assert said.code == 2
    assert "pip install 'funmem[audit]'" in said.err
