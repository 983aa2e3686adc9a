"""funmem run --trust: what is left out can never fail, and everything else still does.

Protects ir/verify/checks.py, passes/lower/verified.py and the option.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from funmem.interp.imp import run_imp
from funmem.ir.diagnostics import Trap
from funmem.ir.fun import Ann, Entry, Program
from funmem.ir.imp import Check, ImpProgram
from funmem.ir.imp_traverse import nested
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue
from funmem.ir.verify import Verdict
from funmem.ir.verify.checks import judged
from funmem.passes.lower import entry_point
from funmem.passes.lower.verified import lower_verified
from funmem.verify import judge
from funmem.verify.as_json import to_json
from funmem.verify.inputs import small_inputs
from funmem.verify.recheck import recheck
from funmem.verify.replay import Outcome, compared, value_outcome
from tests.support.command_line import say
from tests.support.devices import needs_compiler
from tests.support.memory_check import CORPUS, EXAMPLES
from tests.support.paths import TESTS
from tests.support.sampling import sampled
from tests.verify_table import staged

HISTOGRAM = TESTS.parent / "examples" / "histogram.fun"
APPLICATIONS = TESTS.parent / "papers" / "applications"

GATHER = """\
def main [n] [m] (xs: [n]i64) (is: [m]i64) : [m]i64 =
  map (\\i -> xs[i] + xs[(i - 1) % n]) is
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gather.fut").write_text("entry" + GATHER.removeprefix("def"))
    return tmp_path


def application(name: str) -> Path:
    return APPLICATIONS / name / f"{name}.fut"


@cache
def in_memory(name: str) -> Program[Ann]:
    return staged(application(name), "default")


def trusting(p: Program[Ann]) -> ImpProgram:
    found = lower_verified(p)
    assert isinstance(found, ImpProgram)
    return found


def outcome(p: ImpProgram, e: Entry[Ann], args: tuple[ArgValue, ...]) -> Outcome:
    try:
        return run_imp(p, e.name, args)
    except Trap as t:
        return t.kind


# ---------------------------------------------------------------------- the pass


@pytest.mark.parametrize(
    "file",
    sampled([*CORPUS[1::4], *EXAMPLES[::3], application("spmv")], 9),
    ids=lambda f: f.stem,
)
def test_programs_do_and_trap_as_before(file: Path) -> None:
    """An access that a missing check lets out of bounds is a fault in the interpreter of IMP."""
    p = staged(file, "default")
    lowered = trusting(p)
    for e in p.entries:
        for args in small_inputs(e, 12):
            assert compared(value_outcome(p, e.name, args), outcome(lowered, e, args), args) is None


@pytest.mark.parametrize(
    ("name", "proved", "left"), sampled([("life", 20, 1), ("spmv", 15, 21)], 0)
)
def test_many_checks_of_applications_are_proved(name: str, proved: int, left: int) -> None:
    """Of life 20 of 21, of spmv 15 of 36: what is left depends on data."""
    p = in_memory(name)
    found = [o for e in p.entries for o in judged(e, entry_point).obligations]
    assert len(found) >= proved + left
    assert sum(o.verdict is not Verdict.PROVED for o in found) <= left


def test_what_goes_is_what_was_proved() -> None:
    """One obligation for each check that lowering makes; those that are not proved stay."""
    (e,) = staged(HISTOGRAM, "default").entries
    found = judged(e, entry_point)
    before = [s for s in nested(found.lowered.body) if isinstance(s, Check)]
    after = [s for s in nested(found.without_proved().body) if isinstance(s, Check)]
    assert len(before) == len(found.obligations) > len(found.proved) > 0
    assert after == [s for s in before if id(s) not in found.proved]


def test_no_check_is_proved_by_what_arrays_hold() -> None:
    """Faulty memory may hold anything: that no length exceeds the maximum of all is no proof."""
    text = """\
entry main [n] [a : mem] (lens : [n]i64 @ a -> 0 + {(n : 1)}) (k : i64) -> (r : i64) =
  let (most : i64) = kernel i < n reduce
      (\\(p : i64) (q : i64) -> let (o : i64) = max(p, q) in (o)) (0i64) do
    let (a : i64) = lens[i]
    in (a)
  let (l : i64) = lens[k]
  let (m : mem) = alloc 8*most
  let (z : [most]i64 @ m -> 0 + {(most : 1)}) = replicate [most] 1i64
  let (v : [l]i64 @ m -> 0 + {(l : 1)}) = z[0 : l]
  let (r : i64) = l + 1
  in (r)
"""
    (e,) = parse_fun(text).entries
    open_ = [o.place for o in judged(e, entry_point).obligations if o.verdict is not Verdict.PROVED]
    assert "slice out of bounds: 0 : l : 1 inside most" in open_


DIVISIONS = """\
entry main [n] [a : mem] (x : [n]i64 @ a -> 0 + {(n : 1)}) (d : i64) -> (r : i64) =
  let (q : i64) = DIVISOR
  let (i : i64) = 7 % q
  let (s : i64) = x[i]
  in (s)
"""


@pytest.mark.parametrize(
    ("divisor", "proved"), [("max(d, 1)", True), ("min(d, -1)", True), ("d + 1", False)]
)
def test_a_divisor_is_not_zero_if_it_is_bounded(divisor: str, *, proved: bool) -> None:
    """``d + 1`` may be 0, and may have wrapped around."""
    (e,) = parse_fun(DIVISIONS.replace("DIVISOR", divisor)).entries
    first, *_ = judged(e, entry_point).obligations
    assert first.place == "division by zero: (q != 0)"
    assert (first.verdict is Verdict.PROVED) == proved


def test_a_remainder_is_less_than_its_divisor() -> None:
    """Only if that is positive: ``7 % -3`` is -2 in FUN, and n may be 0."""
    for divisor, inside in (("max(n, 1)", False), ("min(d, -1)", False)):
        (e,) = parse_fun(DIVISIONS.replace("DIVISOR", divisor)).entries
        assert (judged(e, entry_point).obligations[-1].verdict is Verdict.PROVED) == inside
    (e,) = parse_fun(DIVISIONS.replace("DIVISOR", "max(d, 1)").replace("x[i]", "i + 1")).entries
    assert [o.verdict for o in judged(e, entry_point).obligations] == [Verdict.PROVED]


LARGE = """\
entry main [n] [a : mem] (x : [n]i64 @ a -> 0 + {(n : 1)}) (k : i64) -> (r : i64) =
  let (v : [k]i64 @ a -> 0 + {(k : STRIDE)}) = x[0 : k : STRIDE]
  let (q : i64) = k * 4
  let (s : i64) = q - k
  let (m : mem) = alloc 8*s
  let (z : [s]i64 @ m -> 0 + {(s : 1)}) = replicate [s] 1i64
  let (r : i64) = v[0]
  in (r)
"""


@pytest.mark.parametrize(("stride", "proved"), [(1, True), (0, False)])
def test_an_array_without_a_place_for_each_element_may_be_large(
    stride: int, *, proved: bool
) -> None:
    """``4 * k`` wraps around for k = 2^62; an array that shows one element k times exists."""
    (e,) = parse_fun(LARGE.replace("STRIDE", str(stride))).entries
    found = {o.place: o.verdict for o in judged(e, entry_point).obligations}
    assert (found["negative size: nonneg s"] is Verdict.PROVED) == proved


# ---------------------------------------------------------------------- certificates


def test_checks_have_certificates() -> None:
    """They are judged again like obligations, and count for nothing else."""
    p = staged(HISTOGRAM, "default")
    plain, found = judge(p, inputs=0), judge(p, inputs=0, checks=True)
    assert plain.verdict is found.verdict is Verdict.PROVED
    assert len(found.obligations) > len(plain.obligations)
    certificate = json.loads(json.dumps(to_json(found)))
    assert recheck(certificate) == []
    for o in certificate["obligations"]:
        if o["kind"] == "C":
            for c in o["conditions"]:
                c["nonneg"] = f"{c['nonneg']} - 100"
    assert any("is negative" in line for line in recheck(certificate))


# ---------------------------------------------------------------------- the command


@needs_compiler
def test_what_is_not_proved_still_traps(folder: Path) -> None:
    """``xs[i]`` is checked, in a kernel; ``xs[(i - 1) % n]`` needs it no more."""
    assert folder.is_dir()
    line = "funmem run gather.fut --via c --trust --no-cache -i '[10, 20, 30]' -i"
    good = say(f"{line} '[2, 0]'")
    assert (good.code, good.out) == (0, "[50i64, 40i64]\n")
    assert good.err == "2 of 3 checks are proved and left out, 1 stay\n"
    bad = say(f"{line} '[2, 3]'")
    assert bad.code == 1
    assert "Index [3] out of bounds for array of shape [3]" in bad.err


def test_the_numbers_in_json(folder: Path) -> None:
    assert folder.is_dir()
    said = say("funmem run gather.fut --via imp --trust --json -i '[10, 20]' -i '[1]'")
    assert json.loads(said.out)["checks"] == {"proved": 2, "stay": 1}
    assert "lower-verified" in json.loads(said.out)["pipeline"]


@pytest.mark.parametrize("more", ["--via value", "--via heap", "--via c --fast"])
def test_who_checks_as_it_goes_leaves_nothing_out(more: str, folder: Path) -> None:
    assert folder.is_dir()
    assert say(f"funmem run gather.fut --trust {more} -i '[1]' -i '[0]'").code == 2


def test_an_imp_program_has_no_checks_to_prove(folder: Path) -> None:
    (folder / "gather.imp").write_text(say("funmem opt gather.fut --emit imp").out)
    said = say("funmem run gather.imp --via imp --trust -i '[1]' -i '[0]'")
    assert said.code == 2
    assert "does not lower to IMP" in said.err


@needs_compiler
@pytest.mark.parametrize("more", ["", "--verify-each=types"])
@pytest.mark.slow
def test_compiled_libraries_lack_what_is_proved(more: str, folder: Path) -> None:
    """The proved checks are not in the C, the other one still is; and it says so."""
    line = f"funmem compile gather.fut --target c -o lib {more}"
    assert say(line).code == 0
    with_all = (folder / "lib" / "gather.c").read_text()
    said = say(f"{line} --trust")
    assert said.err == "2 of 3 checks are proved and left out, 1 stay\n"
    with_one = (folder / "lib" / "gather.c").read_text()
    assert len(with_one) < len(with_all)
    assert "rt_fail(status" in with_one
    answer = json.loads(say(f"{line} --trust --json").out)
    assert answer["checks"] == {"proved": 2, "stay": 1}
    assert "lower-verified" in answer["pipeline"]


def test_kernels_lack_what_is_proved(folder: Path) -> None:
    said = say("funmem compile gather.fut -o cl --trust")
    assert said.err == "2 of 3 checks are proved and left out, 1 stay\n"
    assert '"safe": true' in (folder / "cl" / "gather.plan.json").read_text()
    assert say("funmem compile gather.fut -o cl --trust --fast").code == 2
    assert say("funmem compile gather.fut -o cl --trust -p simplify").code == 0
