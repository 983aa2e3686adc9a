"""The interpreter of Core/r: what regions take, and the faults of annotations that it reports."""

import pytest

from funmem.interp.core import run_core
from funmem.interp.core.regions import run_regions
from funmem.ir.diagnostics import FaultKind, MemoryFault
from funmem.ir.regions import erase
from funmem.ir.text import parse_core


def run(text: str, *args: int) -> tuple[object, ...]:
    """The results; those of Core are the same."""
    p = parse_core(text)
    parts, memory = run_regions(p, "main", args)
    results = tuple(part.value for part in parts)
    assert results == run_core(erase(p), "main", args)
    assert memory.live == memory.reserved == 0
    return results


def fault(text: str, *args: int) -> FaultKind:
    with pytest.raises(MemoryFault) as caught:
        run_regions(parse_core(text), "main", args)
    return caught.value.kind


LIST = "data list 'r = #nil | #cons (at 'r []i64) (list 'r)\n"


def test_regions_of_all_kinds_of_values() -> None:
    text = (
        LIST
        + """
    def firsts 'r 's : list 'r -> at 's []i64 =
      \\(l : list 'r) ->
        match l {
          #nil -> @at['s] (iota 0 0 1);
          #cons (x : at 'r []i64) (t : list 'r) ->
            @letregion['u] (@at['s] (concat (@at['u] ([x[0]] : i64)) (@firsts['r, 'u] t)))
        }
    entry main (n : i64) : i64 =
      @letregion['a, 'b, 'f]
        (let (l : list 'a) =
           #cons (@at['a] (iota n 7 1)) (#cons (@at['a] (iota 2 1 1)) (#nil : list 'a) : (list 'a))
             : (list 'a)
         let (f : at 'f (i64 -> i64 -> i64)) = @at['f] (\\(x : i64) (y : i64) -> x * y + n)
         let (g : at 'f (i64 -> i64)) = f 10
         let (xs : at 'b []i64) = update [0] (@firsts['a, 'b] l) (g 1)
         in xs[0] + xs[1])
    """
    )
    text = text.replace("(#nil : list 'a)", "(#nil : (list 'a))")
    assert run(text, 3) == (14,)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            FaultKind.REGION_ENDED,  # a row of an array whose own region lives
            """entry main (n : i64) : i64 =
              @letregion['p]
                (let (xs : at 'p [](at 'p []i64)) =
                   @letregion['r] (@at['p] (replicate 2 (@at['r] (iota n 0 1))))
                 in size 1 xs)""",
        ),
        (
            FaultKind.REGION_ENDED,  # a closure that captures an array
            """entry main (n : i64) : i64 =
              @letregion['f]
                (let (f : at 'f (i64 -> i64)) =
                   @letregion['r]
                     (let (xs : at 'r []i64) = @at['r] (iota n 0 1)
                      in @at['f] (\\(i : i64) -> xs[i]))
                 in f 0)""",
        ),
        (
            FaultKind.REGION_ESCAPE,
            "entry main (n : i64) : i64 = size 0 (@letregion['r] (@at['r] (iota n 0 1)))",
        ),
        (
            FaultKind.REGION_FOREIGN,
            """entry main (n : i64) : i64 =
              @letregion['r, 's] (let (xs : at 's []i64) = @at['r] (iota n 0 1) in size 0 xs)""",
        ),
        (
            FaultKind.REGION_FOREIGN,  # a field
            LIST
            + """entry main (n : i64) : i64 =
              @letregion['r, 's]
                (match (#cons (@at['s] (iota n 0 1)) (#nil : (list 'r)) : (list 'r)) {
                   #nil -> 0;
                   #cons (x : at 'r []i64) (t : list 'r) -> size 0 x
                 })""",
        ),
    ],
)
def test_a_wrong_annotation_is_a_fault(kind: FaultKind, text: str) -> None:
    assert fault(text, 3) is kind


def test_the_static_region_stays_and_tables_grow() -> None:
    text = """
    def table : at 'static []i64 = @at['static] (iota 5 0 1)
    entry main (n : i64) : i64 =
      @letregion['p]
        (let (xs : at 'p []i64) = @at['p] (iota n 0 1)
         let (ys : at 'p []i64) = @at['p] (iota n 0 1)
         in size 0 xs + size 0 ys + size 0 @table)
    """
    _, m = run_regions(parse_core(text), "main", [8])
    assert (m.live, m.allocated, m.peak) == (40, 168, 168)
    assert m.grown == 64  # the first array was copied when the second one came
    assert m.reserved_peak <= 2.5 * m.peak


def test_an_update_takes_no_memory() -> None:
    text = """
    entry main (n : i64) : i64 =
      @letregion['p]
        (let (xs : at 'p []i64) = @at['p] (iota n 0 1)
         let (zs : at 'p []i64) = loop (ys : at 'p []i64) = xs for i < n do update [i] ys (i * i)
         in zs[n - 1])
    """
    _, m = run_regions(parse_core(text), "main", [8])
    assert m.allocated == 64
    assert run(text, 8) == (49,)
