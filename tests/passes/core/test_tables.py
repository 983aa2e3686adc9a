"""Recursive data as tables: what programs mean, what is refused, and how rows are laid out.

All programs on all engines:

    python -m funmem test tests/programs/recursive --via value --via heap --via imp --via c \
        --via opencl
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

import funmem
from funmem.driver.engines import prepare
from funmem.driver.options import Engine, Options
from funmem.driver.stages import through_core
from funmem.interp.core import run_core
from funmem.interp.core.regions import run_regions
from funmem.ir import core as c
from funmem.ir.check.core import finite
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import SourceError
from funmem.ir.text.print_core import show_core
from funmem.ir.text.read_core import parse_core
from funmem.ir.values import ArgValue
from funmem.passes.core.monomorphise import monomorphise
from funmem.passes.core.names import inside
from funmem.passes.core.regions import Strategy, infer_regions
from funmem.passes.core.tables import tables
from funmem.passes.pipeline import CORE
from funmem.passes.runner import Pipeline
from funmem.suite.check import Plan, check_file
from funmem.suite.verdict import Status
from tests.seeded.bugs_kernels import HISTOGRAMS
from tests.support.core_judge import Call, disagree, judge, judge_file, outcome, stages
from tests.support.core_samples import SAMPLES
from tests.support.devices import pocl
from tests.support.paths import TESTS
from tests.support.recursive_programs import calls, generated
from tests.support.sampling import sampled

IN_ORDER = sorted((TESTS / "programs" / "recursive" / "in_order").glob("*.core"))
"""Array operations that become loops, or definitions."""

PROGRAMS = sorted((TESTS / "programs" / "recursive").glob("*.core"))

LONG = ("constants", "grow_numbers", "kernel_builds", "mergesort", "own_operations", "regions")
"""Programs that take ten seconds or more to lower: they run on request."""

LOWERED = [pytest.param(p, marks=pytest.mark.exhaustive) if p.stem in LONG else p for p in PROGRAMS]

LIST = """
data List = #nil | #cons i64 List
def sum : List -> i64 =
  \\(l : List) -> match l { #nil -> 0; #cons (x : i64) (r : List) -> x + (@sum r); }
def upto : i64 -> List =
  \\(k : i64) -> if k == 0 then #nil : List else #cons k (@upto (k - 1)) : List
"""


KERNELS = {
    "lists": f"""{LIST}
    entry main (n : i64) : i64 =
      let (ls : [n]List) = map (\\(i : i64) -> @upto (i % 5)) (iota n 0 1)
      in reduce (\\(a : i64) (b : i64) -> a + b) (0) (map (\\(l : List) -> @sum l) (ls))
    """,
    "trees": """
    data Tree = #leaf | #node Tree i64 Tree
    def build : i64 -> i64 -> Tree =
      \\(n : i64) (k : i64) -> if n == 0 then #leaf : Tree else
        let (l : i64) = (n - 1) / 2
        in #node (@build l (3 * k + 1)) k (@build (n - 1 - l) (5 * k + 2)) : Tree
    def fold : Tree -> i64 =
      \\(t : Tree) -> match t { #leaf -> 1;
        #node (l : Tree) (x : i64) (r : Tree) -> x + 3 * @fold l - @fold r; }
    entry main (n : i64) : i64 =
      let (ts : [n]Tree) = map (\\(i : i64) -> @build 50 i) (iota n 0 1)
      in reduce (\\(a : i64) (b : i64) -> a + b) (0) (map (\\(t : Tree) -> @fold t) (ts))
    """,
}
"""One kernel builds, and another one folds: lists of few elements, trees of fifty."""


def require_pass(path: Path, vias: tuple[str, ...]) -> None:
    device = pocl().info.name if "opencl" in vias else None
    verdict = check_file(str(path), Plan(vias, device=device))
    assert verdict.status is Status.PASS, verdict.findings


def after(text: str) -> CoreProgram:
    """The program after the pass."""
    return tables(monomorphise(parse_core(text)))


# ---------------------------------------------------------------------- meaning


@pytest.mark.parametrize("group", sampled(range(48), 48, 2), ids=str)
def test_programs_by_the_value_interpreter(group: int) -> None:
    for path in PROGRAMS[group::48]:
        require_pass(path, ("value",))


@pytest.mark.parametrize("path", sampled(LOWERED, 23, 3), ids=lambda p: p.stem)
def test_the_core_interpreter_agrees_after_each_pass(path: Path) -> None:
    found = judge_file(path, most=3)
    assert found.wrong == ()
    assert found.refused is None


@pytest.mark.parametrize("path", sampled(IN_ORDER, 0, slow=3), ids=lambda p: p.stem)
def test_operations_that_become_loops_mean_the_same_after_each_pass(path: Path) -> None:
    found = judge_file(path)
    assert found.wrong == ()
    assert found.refused is None


@pytest.mark.exhaustive
@pytest.mark.opencl
@pytest.mark.parametrize("path", IN_ORDER, ids=lambda p: p.stem)
def test_operations_that_become_loops_on_all_engines(path: Path) -> None:
    require_pass(path, ("value", "heap", "imp", "c", "opencl"))


@pytest.mark.parametrize("path", sampled(LOWERED[3::5], 0, slow=6), ids=lambda p: p.stem)
def test_in_memory_and_after_lowering(path: Path) -> None:
    require_pass(path, ("heap", "imp"))


@pytest.mark.opencl
@pytest.mark.parametrize("path", sampled(LOWERED[2::8], 0, slow=12), ids=lambda p: p.stem)
def test_as_c_and_on_a_device(path: Path) -> None:
    require_pass(path, ("c", "opencl"))


@pytest.mark.parametrize("seed", sampled([4, 0, 1, 2, 3, 5, 6, 7], 0, slow=12))
def test_generated(seed: int) -> None:
    """Types, builders and folds that nobody thought of, after each pass on Core."""
    p = parse_core(generated(seed))
    found = stages(p)
    assert found.refused is None
    assert list(judge(found, calls(seed))) == []


@pytest.mark.slow
def test_deep_recursion() -> None:
    """A list of 10^5 elements: growth keeps what was there, and nothing is copied at each step."""
    text = LIST + "entry main (n : i64) : i64 = @sum (@upto n)"
    found = funmem.run(text, 100_000, via="c", language="core")
    assert found == 100_000 * 100_001 // 2


# ---------------------------------------------------------------------- regions


def costs(text: str, regions: str, via: Engine, *args: ArgValue) -> Mapping[str, int]:
    """The costs of a call with so many regions."""
    passes = Pipeline.parse(CORE.replace("tables", f"tables{{regions={regions}}}"))
    below, _ = through_core(parse_core(text), passes)
    device = pocl().info.name if via is Engine.OPENCL else None
    outcome = prepare(below, via, Options(device=device)).run("main", args)
    return outcome.costs


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [Strategy.ONE, Strategy.TYPE], ids=lambda s: s.value)
def test_the_number_of_regions_changes_no_value(strategy: Strategy) -> None:
    p = SAMPLES["regions"].program
    new = tables(p, strategy=strategy)
    for call in SAMPLES["regions"].calls:
        assert disagree(outcome(p, call), outcome(new, call), words=True) is None


def test_names_of_annotations_are_names() -> None:
    text = LIST.replace("@upto", "@at").replace("def upto", "def at").replace("List", "letregion")
    new = after(text + "entry main (n : i64) : i64 = @sum (@at n)")
    assert "at" not in {d.name for d in new.defs}
    assert run_core(new, "main", (np.int64(3),)) == run_core(
        after(LIST + "entry main (n : i64) : i64 = @sum (@upto n)"), "main", (np.int64(3),)
    )


@pytest.mark.slow
def test_a_region_of_an_iteration_ends_with_it() -> None:
    """The peak is the growth from 64 to 128 rows: old rows, zeros, and new tables."""
    text = """
    data List = #nil | #cons i64 List
    def sum : List -> i64 -> i64 =
      \\(l : List) (s : i64) ->
        match l { #nil -> s; #cons (x : i64) (r : List) -> @sum r (s + x); }
    entry main (n : i64) : i64 =
      loop (s : i64) = 0 for i < n do
        @sum (loop (l : List) = #nil : List for k < n do #cons k l : List) s
    """
    row, n = 8 + 4, 100
    one, inferred = (costs(text, how, Engine.HEAP, n)["peak_bytes"] for how in ("one", "inferred"))
    assert inferred == (64 + 64 + 128) * row
    assert one >= n * n * row


def test_indices_run_in_chunks() -> None:
    """64 of 70 indices run at once; the arenas have room for four rows."""
    p = monomorphise(parse_core(KERNELS["lists"]))
    call = Call("main", (np.int64(70),))
    assert disagree(outcome(p, call), outcome(tables(p), call), words=True) is None


@pytest.mark.exhaustive
@pytest.mark.parametrize("n", [520, 700, 1000])
def test_the_peak_is_at_most_so_many_times_what_lives(n: int) -> None:
    """2.5 times, apart from the old tables at the moment in which they grow."""
    text = f"""{LIST}
    entry main (n : i64) : i64 =
      let (l : List) = loop (l : List) = #nil : List for k < n do #cons k l : List
      in match l {{ #nil -> 0; #cons (x : i64) (r : List) -> x; }}
    """
    lives = alive(text, n)
    row, old = 8 + 4, 512
    assert lives == n * row
    peak = costs(text, "inferred", Engine.HEAP, n)["peak_bytes"]
    assert peak == (old + 2 * old) * row
    assert peak - old * row <= 2.5 * lives


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "n"), [("lists", 40_000), ("trees", 2_000)])
def test_the_peak_of_kernels_that_build(name: str, n: int) -> None:
    """2.5 times what lives, arenas, stacks, arguments and growth included."""
    lives = alive(KERNELS[name], 200) * n // 200
    assert costs(KERNELS[name], "inferred", Engine.C, n)["peak_bytes"] <= 2.5 * lives


def alive(text: str, n: int) -> int:
    """Return the most bytes that are allocated in regions that are alive."""
    annotated = infer_regions(monomorphise(parse_core(text)), Strategy.INFERRED)
    return run_regions(annotated, "main", (np.int64(n),))[1].peak


@pytest.mark.opencl
@pytest.mark.exhaustive
def test_ten_kernels_on_one_region_need_one_transfer_each_way() -> None:
    """The lists are built in a kernel, read by ten others, and nobody looks at them on the host."""
    kernel = "let (ys : [n]i64) = map (\\(l : List) (y : i64) -> @sum l + y % 7) (ls, ys) "
    text = f"""{LIST}
    entry main [n] (xs : [n]i64) : [n]i64 =
      let (ls : [n]List) = map (\\(x : i64) -> @upto (x % 5)) (xs)
      let (ys : [n]i64) = xs {9 * kernel}
      in map (\\(l : List) (y : i64) -> @sum l + y % 7) (ls, ys)
    """
    found = costs(text, "inferred", Engine.OPENCL, np.arange(100))
    assert (found["transfers"], found["moved_bytes"]) == (2, 1600)


# ---------------------------------------------------------------------- shape


def test_a_program_without_recursive_data_stays() -> None:
    p = monomorphise(parse_core("entry main (x : i64) : i64 = x"))
    assert tables(p) is p


def test_before_and_after(golden: Callable[[str, str], None]) -> None:
    new = after(LIST + "entry main (n : i64) : i64 = @sum (@upto n)")
    assert finite(new) is None
    golden("core/tables.txt", show_core(new))


def test_a_type_may_contain_itself_through_others() -> None:
    text = """
    data A = #a B
    data B = #none | #b ([]A)
    data C = #c i64
    entry main (x : i64) : i64 = x
    """
    found = finite(parse_core(text))
    assert found is not None
    assert found.code == "C-FINITE"
    assert found.message == "data type A contains itself"
    assert finite(parse_core("data C = #c i64 entry main (x : i64) : i64 = x")) is None


WAYS = {
    "map (\\(i : i64) -> @sum (#cons i (#nil : List) : List)) (iota n 0 1)": (
        "an array operation has tables of its own at each index",
        True,
    ),
    "map (\\(l : List) -> @sum l) (map (\\(i : i64) -> #cons i l : List) (iota n 0 1))": (
        "an array operation has an arena at each index, of at most 1 of `List`",
        True,
    ),
    "map (\\(l : List) -> @sum l) (map (\\(i : i64) -> @upto i) (iota n 0 1))": (
        "an array operation has an arena at each index; it runs again if one is too short",
        True,
    ),
    "map (\\(l : List) -> @sum l) (map (\\(i : i64) -> let (a : []i64) (m : List) = "
    "loop (a : []i64) = replicate 3 i, (m : List) = l for j < 3 do "
    "(update [j] a j, #cons a[0] m : List) in m) (iota n 0 1))": (
        "an array operation runs in order: a loop that allocates changes an array",
        False,
    ),
    "replicate n (@sum (reduce (\\(a : List) (b : List) -> #cons (@sum a) b : List) (l) "
    "(replicate n l)))": (
        "a reduction or scan runs in order: its operator allocates",
        False,
    ),
}


@pytest.mark.parametrize("entry", WAYS, ids=["own", "bounded", "growing", "in order", "reduction"])
def test_how_array_operations_run_is_noted(entry: str) -> None:
    text = f"{LIST}entry main (n : i64) : []i64 = let (l : List) = @upto n in {entry}"
    said: list[tuple[str, bool]] = []
    p = monomorphise(parse_core(text))
    tables(p, note=lambda _, what, parallel: said.append((what, parallel)))
    assert said == [WAYS[entry]]


def test_a_field_that_nobody_uses_is_not_read() -> None:
    text = """
    data Tree = #leaf | #node (Tree, i64, Tree)
    def left : Tree -> i64 =
      \\(t : Tree) -> match t { #leaf -> 0; #node (n : (Tree, i64, Tree)) -> 1 + (@left n.0); }
    entry main (k : i64) : i64 = @left (#node (#leaf : Tree, k, #leaf : Tree) : Tree)
    """
    (left,) = (d for d in after(text).defs if d.name == "left")
    assert sum(isinstance(x, c.Index) for x in inside(left.exp)) == 1


def test_a_histogram_whose_operator_allocates_runs_in_order() -> None:
    """What it computes, the seeded bugs check; a remark says how it runs."""
    said: list[str] = []

    def note(_: str, why: str, parallel: bool) -> None:
        said.extend([] if parallel else [why])

    tables(monomorphise(parse_core(HISTOGRAMS)), note=note)
    assert said == ["a histogram runs in order: its operator allocates"]


# ---------------------------------------------------------------------- refused

REFUSED = {
    "recursive data as an input or a result of an entry point": LIST
    + "entry main (n : i64) : List = @upto n",
    "`five`, a constant that contains recursive data": LIST
    + "def five : List = @upto 5 entry main (n : i64) : i64 = (@sum @five) + n",
    "an array operation that allocates recursive data and gives arrays of arrays": LIST
    + """
        entry main (n : i64) : i64 =
          let (l : List) = @upto n
          let (xs : []([]i64, List)) =
            map (\\(i : i64) -> (iota 3 i 1, @upto (i + (@sum l)))) (iota n 0 1)
          in @sum xs[0].1
    """,
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what: str) -> None:
    with pytest.raises(SourceError) as caught:
        after(REFUSED[what])
    assert caught.value.diagnostic.message == f"not supported: {what}"
    assert caught.value.diagnostic.code == "not-supported"


def test_arrays_are_what_they_were() -> None:
    """Arrays of recursive data are arrays of links, in records as well."""
    text = LIST + (
        "entry main [n] (xs : [n]i64) : [n]i64 = "
        "let (p : (i64, [n]List)) = (1, map (\\(x : i64) -> @upto x) (xs)) "
        "in map (\\(l : List) -> (@sum l) + p.0) (p.1)"
    )
    assert list(funmem.run(text, np.array([0, 3]), language="core")) == [1, 7]
