"""coalesce: which arrays are copied into which order, why others are not, and that values stay."""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from attrs import frozen

from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
from funmem.driver.stages import default_pipeline, language
from funmem.explain.report import explain
from funmem.interp.imp import Order, run_imp
from funmem.ir.fun import Alloc, Ann, ArrayType, Copy, Loop, Program
from funmem.ir.scalars import F64
from funmem.ir.sizes import const
from funmem.ir.text import parse_fun
from funmem.ir.traverse import walk
from funmem.passes.context import Remark
from funmem.passes.framework import Level, Report, as_imp
from funmem.passes.mem.coalesce.conditions import near
from funmem.passes.mem.copying import copies
from funmem.passes.runner import Pipeline
from funmem.testing import generate
from funmem.testing.judge.peaks import counted_peak
from tests.support.devices import pocl
from tests.support.memory_check import (
    CORPUS,
    EXAMPLES,
    allocs_in_loops,
    before_and_after,
    difference,
    heap_outcome,
    inputs,
    load,
    same,
    through,
    value_outcome,
)
from tests.support.sampling import sampled

FOLDER = Path(__file__).parent / "coalesce"
PROGRAMS = sorted(FOLDER.glob("*.fun*"))
GOLDEN = ("rows", "in_loop", "carried", "no_4_both_ways")


def named(file: Path) -> str:
    return file.stem


def whole(p: Program[Ann]) -> str:
    """The passes that a GPU's program goes through, from its language to FUNMEM."""
    return str(default_pipeline(language(p), Level.FUNMEM, gpu=True))


@cache
def before(file: Path) -> Program[Ann]:
    """The program after those passes that stand before ``coalesce``."""
    p = load(file)
    return through(p, whole(p).partition(",coalesce,")[0])


@cache
def after(file: Path) -> Program[Ann]:
    """The program after ``coalesce``, and before what follows it."""
    return through(before(file), "coalesce")


@cache
def finished(file: Path) -> Program[Ann]:
    """The program after all of these passes."""
    p = load(file)
    return through(p, whole(p))


# ---------------------------------------------------------------------- what programs expect


@frozen
class Expected:
    """What the head of a program says about the pass's remarks."""

    done: Counter[str]
    refused: list[tuple[str, str]]

    @staticmethod
    def of(file: Path) -> "Expected":
        """``-- done: array: distance -> index function`` and ``-- refused: (n) array: reason``."""
        text = file.read_text(encoding="utf-8")
        done = Counter(re.findall(r"^-- done: (.*)$", text, re.M))
        return Expected(done, re.findall(r"^-- refused: (\(\d\)) (.*)$", text, re.M))


def remarks(p: Program[Ann]) -> list[Remark]:
    """What the pass said about a program."""
    report = Report()
    through(p, "coalesce", report)
    return [r for r in report.remarks if r.pass_name == "coalesce"]


def copy_of(r: Remark) -> str:
    """``array: distance -> index function``."""
    found = re.fullmatch(r".* reads (\S+), where .* are (.*) apart; here @ \S+ (-> .*)", r.reason)
    assert found is not None, r.reason
    return f"{found[1]}: {found[2]} {found[3]}"


@pytest.mark.parametrize("file", PROGRAMS, ids=named)
def test_what_is_copied_and_why_other_arrays_are_not(file: Path) -> None:
    want = Expected.of(file)
    found = remarks(before(file))
    assert Counter(copy_of(r) for r in found if r.done) == want.done
    refused = [(r.condition[:3], r.reason) for r in found if not r.done]
    assert all(refusal in refused for refusal in want.refused), refused
    if want.refused:
        assert not want.done


@pytest.mark.parametrize("number", range(1, 7))
def test_each_condition_has_a_program_that_violates_it(number: int) -> None:
    files = [f for f in PROGRAMS if f.name.startswith(f"no_{number}_")]
    assert files
    for f in files:
        assert Expected.of(f).refused[0][0] == f"({number})"
        assert f.read_text(encoding="utf-8").startswith(f"-- ({number}) ")


@pytest.mark.parametrize("file", [f for f in PROGRAMS if f.name.startswith("no_")], ids=named)
def test_what_is_refused_changes_nothing(file: Path) -> None:
    assert after(file) == before(file)


def test_how_much_is_fetched_at_once_is_an_option() -> None:
    """Elements of 8 bytes, four apart, and two apart: within 33 bytes nothing is far, within 16
    all is.
    """
    p = before(FOLDER / "wide_elements.fun")
    assert through(p, "coalesce{sector=33}") == p
    assert reordered(through(p, "coalesce{sector=16}")) == 2


WINDOWS = """
entry main [n] [m] (xs : [n][m]f64) (ys : [n][m]f64) -> (sums : [8][n][n]f64) =
  let (zs : [2*n][m]f64) = concat 0 xs ys
  let (sums1 : [8][n][n]f64) = kernel h < 8, i < n, w < n do
    let (sum : f64) = loop (s : f64) = 0.0f64 for j < m do
      let (x : f64) = zs[i + w, j]
      let (s1 : f64) = s + x
      in (s1)
    in (sum)
  in (sums1)
"""


def test_two_indices_may_move_along_one_dimension() -> None:
    """Windows: the rows that neighbours read are neighbours, along both."""
    p = parse_fun(WINDOWS)
    allocated = through(p, whole(p).partition(",coalesce,")[0])
    found = [copy_of(r) for r in remarks(allocated) if r.done]
    assert found == ["zs: m -> 0 + {(2*n : 1) (m : 2*n)}"]
    assert difference(p, through(allocated, "coalesce")) is None


STEPS = """
entry main [n] [m] (xs : [n][m]f64) -> (sums : [n]f64) =
  let (zs : [5*n][m]f64) = concat 0 xs xs xs xs xs
  let (sums1 : [n]f64) = kernel i < n do
    let (sum : f64) = loop (s : f64) = 0.0f64 for j < m do
      let (x : f64) = zs[5*i, j]
      let (s1 : f64) = s + x
      in (s1)
    in (sum)
  in (sums1)
"""


def test_rows_that_are_no_neighbours_have_no_order() -> None:
    p = parse_fun(STEPS)
    allocated = through(p, whole(p).partition(",coalesce,")[0])
    said = [(r.condition[:3], r.reason) for r in remarks(allocated) if not r.done]
    assert said == [("(3)", "zs: threads i and i + 1 read neighbours along no dimension")]


def test_the_next_element_is_near_however_little_is_fetched() -> None:
    wide = ArrayType(F64, (const(9),))
    assert near(const(1), wide, 8)
    assert near(const(-1), wide, 4)
    assert near(const(3), wide, 32)
    assert not near(const(2), wide, 16)


# ---------------------------------------------------------------------- nobody sees a difference


@pytest.mark.parametrize("file", sampled(PROGRAMS, 6), ids=named)
def test_value_is_heap_is_imp(file: Path) -> None:
    """At once after the pass, which only then fails for itself, and after the whole pipeline."""
    p = load(file)
    assert difference(p, after(file)) is None
    assert difference(p, finished(file)) is None
    imp = as_imp(Pipeline.parse("lower").run(finished(file)))
    for e in p.entries:
        for args in inputs(e):
            want = value_outcome(p, e.name, args)
            for order in Order:
                assert same(want, run_imp(imp, e.name, args, order=order, seed=1))


@pytest.mark.parametrize("file", sampled([*CORPUS[::4], *EXAMPLES[::4]], 3), ids=named)
def test_corpus_is_valid(file: Path) -> None:
    assert difference(load(file), finished(file)) is None


@pytest.mark.parametrize("seed", [16, 23, 111, 360])
def test_generated_programs(seed: int) -> None:
    """Seeds with arrays to copy; sizes are small, and so is what is fetched at once."""
    g = generate(seed)
    once = "coalesce{sector=2}"
    passes = f"schedule{{threads=2}},allocate,simplify,{once},short-circuit,expand,{once}"
    want = value_outcome(g.program, g.entry, g.args)
    assert same(want, heap_outcome(through(g.program, passes), g.entry, g.args))


# ---------------------------------------------------------------------- other passes


def reordered(p: Program[Ann]) -> int:
    """How many copies to another order move elements."""
    return sum("coalesced" in c.dest for c in copies(p))


@pytest.mark.parametrize("file", sampled(PROGRAMS, 3), ids=named)
def test_other_passes_do_not_undo_it(file: Path) -> None:
    """Merging does not make a copy of two orders one of the same place.  Short-circuiting may
    build an array where it would be copied to, in the order that threads read; not an argument.
    """
    once = after(file)
    assert reordered(finished(file)) == reordered(once)
    short = through(once, "merge,short-circuit,simplify")
    assert reordered(short) == (0 if file.stem == "holes" else reordered(once))
    assert not [r for r in remarks(short) if r.done]


@pytest.mark.parametrize("file", sampled(PROGRAMS, 3, 1), ids=named)
def test_twice_is_once(file: Path) -> None:
    once = after(file)
    assert through(once, "coalesce") == once
    assert not [r for r in remarks(once) if r.done]


@pytest.mark.parametrize("file", sampled(PROGRAMS, 6), ids=named)
def test_the_peak_is_the_one_that_was_predicted(file: Path) -> None:
    p = load(file)
    imp = as_imp(Pipeline.parse("lower").run(finished(file)))
    for e in imp.entries:
        found = [counted_peak(file.name, e, args) for args in inputs(p.entries[0])]
        assert found
        assert [str(p) for p in found if not p.right] == []


@pytest.mark.opencl
def test_a_device_agrees() -> None:
    """Value and peak on a device: copies in front of a loop, and in each of its iterations."""
    p = finished(FOLDER / "carried.fun")
    imp = as_imp(Pipeline.parse("lower").run(p))
    (e,) = imp.entries
    entry = Executable.load(compile_imp(imp, safe=True), pocl(), None).entry(e.name)
    for args in inputs(p.entries[0]):
        assert same(value_outcome(p, e.name, args), tuple(entry.run(args)))
        assert counted_peak("carried", e, args).predicted == entry.stats.peak_bytes


# ---------------------------------------------------------------------- where the copies are


def program(name: str) -> Program[Ann]:
    """A program of the folder, as a GPU gets it in FUNMEM."""
    return finished(FOLDER / f"{name}.fun")


def at_top(p: Program[Ann]) -> list[str]:
    """The arrays that are copied to another order in the bodies of entry points."""
    stms = (s for e in p.entries for s in e.body.stms)
    return [s.exp.x for s in stms if isinstance(s.exp, Copy) and "coalesced" in s.pat[0].name]


def test_an_array_that_a_loop_does_not_change_is_copied_in_front_of_it() -> None:
    assert at_top(program("in_loop")) == ["xs"]


def test_kernels_share_a_copy() -> None:
    assert at_top(program("twice")) == ["xs"]


def test_a_copy_in_a_branch_stays_there() -> None:
    p = program("branch")
    assert at_top(p) == []
    assert reordered(p) == 1


def test_a_copy_in_a_loop_allocates_nothing_there() -> None:
    p = program("carried")
    (loop,) = (s.exp for s in p.entries[0].body.stms if isinstance(s.exp, Loop))
    assert any(isinstance(s.exp, Copy) and "coalesced" in s.pat[0].name for s in loop.body.stms)
    assert allocs_in_loops(p) == []


def test_a_cpu_gets_no_copy() -> None:
    """Each row is read once: a copy would cost as much as the sums."""
    passes = str(default_pipeline(Level.FUN, Level.FUNMEM))
    p = through(load(FOLDER / "rows.fun"), passes)
    assert sum(isinstance(s.exp, Alloc) for s in walk(p.entries[0].body)) == 1


def test_explain_tells_what_the_copy_is_for() -> None:
    file = FOLDER / "rows.fun"
    text = file.read_text(encoding="utf-8")
    (entry,) = explain(load(file), text, file.name, gpu=True).entries
    (kept,) = (k for k in entry.kept if k.copy.source == "xs")
    assert kept.reason.pass_name == "coalesce"
    assert "sums1 reads xs, where threads i and i + 1 are m apart" in kept.reason.reason


# ---------------------------------------------------------------------- golden files


@pytest.mark.parametrize("name", GOLDEN)
def test_before_and_after(name: str, golden: Callable[[str, str], None]) -> None:
    p = before(FOLDER / f"{name}.fun")
    golden(f"coalesce/{name}.funmem", before_and_after(p, "coalesce"))


# ---------------------------------------------------------------------- for vectors

ZERO = "let (v : f32) = f32(i)"
LANES = "coalesce{sector=1,reuse=1}"

PRODUCT = """
entry main [n] [m] (xs : [n][m]f32) (ys : [n][m]f32) (zs : [2*n]f32) -> (r : [n][n]f32) =
  let (s : [n][n]f32) = kernel i < n, j < n do
    {first}
    let (sum : f32) = loop (acc : f32) = v for k < m do
      let (x : f32) = xs[i, k]
      let (y : f32) = ys[j, k]
      let (z : f32) = acc + x * y
      in (z)
    in (sum)
  in (s)
"""


def for_vectors(first: str) -> list[Remark]:
    """What the pass says about a product of matrices, for vectors."""
    p = parse_fun(PRODUCT.format(first=first))
    allocated = through(p, "allocate,hoist,short-circuit")
    report = Report()
    after = through(allocated, LANES, report)
    assert difference(p, after) is None
    found = [r for r in report.remarks if r.pass_name == "coalesce"]
    assert (after == allocated) is not any(r.done for r in found)
    return found


def test_lanes_of_a_vector_read_neighbours() -> None:
    """The second matrix is read for all rows of the first: its copy is cheap."""
    (copied,) = for_vectors(ZERO)
    assert copied.done
    assert copy_of(copied) == "ys: m -> 0 + {(n : 1) (m : n)}"


def test_lanes_of_a_vector_that_read_each_element_once() -> None:
    """A sum of each row."""
    text = (
        PRODUCT.format(first="let (v : f32) = f32(j)")
        .replace("i < n, j < n", "j < n")
        .replace("xs[i, k]", "xs[j, k]")
    )
    p = through(parse_fun(text.replace("[n][n]", "[n]")), "allocate,hoist,short-circuit")
    assert through(p, LANES) == p
    assert reordered(through(p, "coalesce")) == 2


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (
            "let (q : i64) = i % 2 let (own : [2]f32) = [1.0f32, 2.0f32] : f32"
            " let (v : f32) = own[q]",
            "threads make own",
        ),
        ("let (v : f32) = zs[2*j]", "zs is still read far apart"),
    ],
)
def test_copies_are_made_only_for_whole_vectors(first: str, reason: str) -> None:
    assert ("(7)", reason) in [(r.condition[:3], r.reason) for r in for_vectors(first)]
