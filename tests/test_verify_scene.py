"""What funmem verify knows of numbers: which cannot have wrapped around."""

import numpy as np
import pytest

from funmem.interp.heap import run_heap
from funmem.ir.diagnostics import MemoryFault
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.passes.verify import Kind, Verdict, verify
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


ITSELF = """\
entry main (n : i64) -> (r : i32) =
  let (s : i64) = n * 4
  let (b : mem) = alloc BYTES
  let (x : [n]i32 @ b -> 0 + {(n : 1)}) = MADE
  in (5i32)
"""


@pytest.mark.parametrize("made", ["scratch [n]i32", "kernel i < n do in (5i32)"])
def test_that_an_array_exists_is_no_reason_why_it_is_inside_its_block(made: str) -> None:
    """4*n wraps around for n = 2^62, and the block has no bytes.  No array of so many elements
    exists, but to say so of this one begs the question.
    """
    wrong, right = (
        parse_fun(ITSELF.replace("MADE", made).replace("BYTES", b)) for b in ("s", "4*n")
    )
    with pytest.raises(MemoryFault, match="of 0 bytes"):
        run_heap(wrong, "main", [np.int64(2**62)])
    for p, verdict in ((wrong, Verdict.UNKNOWN), (right, Verdict.PROVED)):
        (inside,) = [o for o in verify(p).obligations if o.kind is Kind.INSIDE]
        assert inside.verdict is verdict
