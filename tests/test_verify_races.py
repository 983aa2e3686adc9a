"""O3 of funmem verify: what is known of two threads at once."""

import pytest

from funmem.interp.heap import run_heap
from funmem.ir.diagnostics import MemoryFault
from funmem.ir.text import parse_fun
from funmem.passes.verify import Kind, Verdict, verify

UP_AND_DOWN = """\
entry main [n] [a : mem] (xs : [n]i32 @ a -> 0 + {(n : 1)}) -> (r : i32) =
  let (b : mem) = alloc 8*n + 16
  let (w : i32) = kernel i < n reduce (\\ (u : i32) (v : i32) ->
    let (s : i32) = u + v in (s)) (0i32) do
    let (t : [1]i32 @ b -> n + 2 - i + {(1 : 1)}) = replicate [1] 7i32
    let (c : bool) = i > LEAST
    let (e : i32) =
      if c then
        let (t1 : [1]i32 @ b -> n + i + {(1 : 1)}) = replicate [1] 7i32
        in (1i32)
      else
        in (0i32)
    in (e)
  in (w)
"""


@pytest.mark.parametrize(("least", "fine"), [(2, True), (1, False)])
def test_what_a_branch_knows_of_a_thread_holds_of_another_one(least: int, fine: bool) -> None:
    """Threads from 3 on write behind what threads from 0 on write."""
    p = parse_fun(UP_AND_DOWN.replace("LEAST", str(least)))
    (racing,) = [o for o in verify(p).obligations if o.place == "kernel w: t"]
    assert racing.kind is Kind.RACE_FREE
    assert (racing.verdict is Verdict.PROVED) is fine
    if fine:
        run_heap(p, "main", [[1] * 6])
    else:
        with pytest.raises(MemoryFault, match="race"):
            run_heap(p, "main", [[1] * 6])
