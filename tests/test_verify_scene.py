"""What funmem verify knows of numbers: which cannot have wrapped around."""

import pytest

from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.passes.verify.scene import Scene

VIEWS = """\
entry main [n] [a : mem] (x : [n]i8 @ a -> 0 + {(n : 1)}) -> (r : i64) =
  let (x1 : [n - 1]i8 @ a -> 0 + {(n - 1 : 1)}) = x[0 : n - 1 : 1]
  let (x2 : [n - 2]i8 @ a -> 0 + {(n - 2 : 1)}) = x[0 : n - 2 : 1]
  let (x3 : [n - 3]i8 @ a -> 0 + {(n - 3 : 1)}) = x[0 : n - 3 : 1]
  let (x4 : [n - 4]i8 @ a -> 0 + {(n - 4 : 1)}) = x[0 : n - 4 : 1]
  let (x5 : [n - 5]i8 @ a -> 0 + {(n - 5 : 1)}) = x[0 : n - 5 : 1]
  let (p : i64) = FACTOR * n
  in (p)
"""


@pytest.mark.parametrize(("factor", "fits"), [(32, True), (160, False)])
def test_many_views_of_an_array_do_not_make_it_larger(factor: int, fits: bool) -> None:
    """It may have 2^56 elements: 32 times as many are an i64, and 160 times as many are not."""
    p = parse_fun(VIEWS.replace("FACTOR", str(factor)))
    assert (Name("p") in Scene.of_entry(p.entries[0]).exact) is fits
