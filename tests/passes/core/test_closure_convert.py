"""Functions that are chosen at run time become data; the others stay as they are."""

from collections.abc import Callable

import pytest

from funmem.frontends.nova.program import to_core
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import SourceError
from funmem.ir.text import parse_core
from funmem.ir.text.print_core import show_core
from funmem.passes.core.closure_convert import closure_convert, static_functions
from funmem.passes.core.lambda_lift import lambda_lift
from funmem.passes.core.monomorphise import monomorphise
from tests.support.closure_programs import judged
from tests.support.command_line import say
from tests.support.core_judge import judge_file
from tests.support.core_samples import SAMPLES
from tests.support.paths import TESTS
from tests.support.sampling import sampled

FOLDER = TESTS / "programs" / "closures"
NOVA = TESTS / "programs" / "nova" / "functions"
PROGRAMS = sorted([*FOLDER.glob("*.core"), *NOVA.glob("*.nova")])


def lifted(p: CoreProgram) -> CoreProgram:
    return lambda_lift(monomorphise(p))


def converted(text: str) -> CoreProgram:
    return closure_convert(lifted(parse_core(text)))


# ---------------------------------------------------------------------- programs


@pytest.mark.slow
def test_programs() -> None:
    """What was computed by hand comes out, in Core before the passes, and in FUN after them."""
    assert say(f"funmem test {FOLDER} --via core --via value").code == 0


@pytest.mark.exhaustive
def test_programs_on_other_engines() -> None:
    """A sample; ``funmem test tests/programs`` runs all on all engines."""
    vias = " ".join(f"--via {x}" for x in ("heap", "imp", "c", "opencl"))
    paths = " ".join(map(str, PROGRAMS[::18]))
    assert say(f"funmem test {paths} {vias}").code == 0


@pytest.mark.parametrize("path", sampled(PROGRAMS, 5), ids=lambda p: p.stem)
def test_each_pass_keeps_the_meaning(path: object) -> None:
    """After each pass the types, the pass's postcondition, and the outcome are right."""
    assert judge_file(path).wrong == ()  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["rays", "capture_array", "unary_class", "two_args"])
def test_before_and_after(name: str, golden: Callable[[str, str], None]) -> None:
    """Representation, captured variables and dispatch, as text.

    The objects of ``rays`` are no data inside data: each wrapper is a lambda of its own.
    """
    p = converted((FOLDER / f"{name}.core").read_text(encoding="utf-8"))
    assert parse_core(show_core(p)) == p
    golden(f"core/closure-convert/{name}.txt", show_core(p))


@pytest.mark.parametrize(
    "seed", [range(0, 6), pytest.param(range(6, 50), marks=pytest.mark.exhaustive)]
)
def test_generated(seed: range) -> None:
    verdicts = [judged(k) for k in seed]
    assert [(k, v.wrong) for k, v in zip(seed, verdicts, strict=True) if v.wrong] == []
    assert sum(v.converted for v in verdicts) > len(seed) / 2


# ---------------------------------------------------------------------- what stays as it is


@pytest.mark.parametrize("name", ["closures", "higher-order", "power", "nested-mu", "records"])
def test_known_functions_stay(name: str) -> None:
    """The very program comes back, so that no code of programs without such functions changes."""
    p = lifted(SAMPLES[name].program)
    assert static_functions(p) is None
    assert closure_convert(p) is p


UNARY = "i64 -> i64"
CHOICES = {
    "`if` chooses": ("(if b then \\(x : i64) -> x else \\(x : i64) -> 0) 1", ""),
    "a loop computes": (
        f"(loop (f : {UNARY}) = \\(x : i64) -> x for i < 2 do \\(x : i64) -> i) 1",
        "",
    ),
    "an array of functions": (f"([\\(x : i64) -> x] : ({UNARY}))[0] 1", ""),
    "a sum type": (
        f"match (#a (\\(x : i64) -> x) : (#a ({UNARY}))) {{ #a (f : {UNARY}) -> f 1 }}",
        "",
    ),
    "data type t has": (
        f"match (#a (\\(x : i64) -> x) : t) {{ #a (f : {UNARY}) -> f 1 }}",
        f"data t = #a ({UNARY})\n",
    ),
    "recursive go": (
        "@go (\\(x : i64) -> x) 3",
        f"def go : ({UNARY}) -> i64 -> i64 = \\(f : {UNARY}) (n : i64) ->\n"
        "  if n == 0 then f n else @go (\\(y : i64) -> n) (n - 1)\n",
    ),
}


@pytest.mark.parametrize("what", CHOICES)
def test_what_is_chosen_is_noticed_and_goes(what: str) -> None:
    """Each way to choose a function violates the condition; it holds after the pass."""
    body, before = CHOICES[what]
    p = lifted(parse_core(f"{before}entry main (b : bool) : i64 = {body}"))
    found = static_functions(p)
    assert found is not None
    assert what in found.message
    assert static_functions(closure_convert(p)) is None


def test_no_function_crosses_an_entry_point() -> None:
    """A caller could not make its value: the numbers of constructors are the pass's own."""
    text = f"data t = #a ({UNARY})\n"
    with pytest.raises(SourceError, match="parameter x of main holds a function"):
        converted(f"{text}entry main (x : t) : i64 = match x {{ #a (f : {UNARY}) -> f 1 }}")
    with pytest.raises(SourceError, match="the result of main holds a function"):
        converted(f"{text}entry main (k : i64) : t = #a (\\(x : i64) -> x + k) : t")


# ---------------------------------------------------------------------- classes


def test_a_branch_takes_the_argument_without_a_closure() -> None:
    """An application of ``if`` needs neither a data type nor a dispatch function."""
    p = converted((FOLDER / "if_call.core").read_text(encoding="utf-8"))
    assert (p.data, p.defs) == ((), ())


def test_functions_that_do_not_meet_are_in_different_classes() -> None:
    text = """
entry main (b : bool) (k : i64) : i64 =
  let (f : []i64 -> i64) = [\\(x : i64) -> x + k, \\(x : i64) -> 2 * x] : (i64 -> i64) in
  let (g : []i64 -> i64) = [\\(x : i64) -> x, \\(x : i64) -> 3, \\(x : i64) -> 4] : (i64 -> i64) in
  f[0] (g[1] k)
""".replace("[]i64 -> i64", "[](i64 -> i64)")
    sizes = [len(d.type.constructors) for d in converted(text).data]
    assert sorted(sizes) == [2, 3]


def test_copies_of_one_lambda_are_one_constructor() -> None:
    text = r"""
def add : i64 -> i64 -> i64 = \(k : i64) (x : i64) -> x + k
entry main (k : i64) (i : i64) : i64 =
  let (f : [](i64 -> i64)) = [@add 1, @add 2, @add k, \(x : i64) -> x] : (i64 -> i64) in f[i] k
"""
    (data,) = converted(text).data
    assert len(data.type.constructors) == 2


def test_a_function_in_a_function_of_its_class_is_recursive_data() -> None:
    """A fixed number of wrappers is none."""
    path = TESTS / "programs" / "nova" / "functions" / "composed.nova"
    assert closure_convert(lifted(to_core(path.read_text(encoding="utf-8"), path.name))).data
    p = converted(
        "entry main (n : i64) : i64 = (loop (f : i64 -> i64) = \\(x : i64) -> x "
        "for i < n do \\(x : i64) -> f x + i) 5"
    )
    assert "#fn1 i64 closure_1" in show_core(p)
