"""unswitch: the branches for which a row has a loop of its own, and those for which it has none.

Protects ``codegen/unswitch.py``.  Both loops call the same function, so a wrong condition costs
time only, unless it names what the kernel does not know; the unseen programs run with it.
"""

import pytest

from funmem.codegen.opencl import compile_imp
from funmem.codegen.unswitch import outer_condition
from funmem.ir.imp import KernelStm
from funmem.ir.imp_traverse import nested
from funmem.ir.text import parse_imp

ROWS = """
entry main [n] [m] (k : i64) (xs : [n][m]f64) {
  var ys : mem;
  ys <- alloc 8*n*m;
  kernel i < n, j < m do
    var first : bool;
    first <- i == n - 1;
    var y : f64;
    if first then
      y <- 1.0;
    else
      y <- xs[i*m + j + m] : f64;
    fi
    ys[i*m + j] : f64 <- y;
  done
  return (ys : [n][m]f64)
}"""


def found(text: str) -> object:
    (kernel,) = (
        s for e in parse_imp(text).entries for s in nested(e.body) if isinstance(s, KernelStm)
    )
    return outer_condition(kernel)


def test_a_row_has_a_loop_for_each_side() -> None:
    assert found(ROWS) is not None
    source = compile_imp(parse_imp(ROWS), gpu=False).source
    assert source.count("FM_LANES for") == 2
    assert compile_imp(parse_imp(ROWS), gpu=True).source.count("first <- i == n - 1") == 1


CHANGES = (
    ("i == n - 1", "j == n - 1"),  # it differs within a row
    ("i == n - 1", "i / k == n"),  # it may trap, and what checks k may come before it
    ("y <- xs[i*m + j + m] : f64;", "y <- 2.0;"),  # compilers select
    ("    var y : f64;", "    first <- i == 0;\n    var y : f64;"),  # it changes
    ("    var first : bool;", "    var t : i64;\n    t <- j;\n    var first : bool;"),
    ("i < n, j < m", "i < n"),  # there are no rows
    (
        "    var y : f64;",
        "    for k < 3 do\n    var t : i64;\n    t <- k;\n    done\n    var y : f64;",
    ),
)


def text_of(change: tuple[str, str]) -> str:
    text = ROWS.replace(*change)
    if "t <- j" in text:  # of what another statement of the body assigned
        text = text.replace("first <- i ==", "first <- t ==")
    return text if "j < m" in text else text.replace("i*m + j", "i*m")


@pytest.mark.parametrize("change", CHANGES)
def test_other_branches(change: tuple[str, str]) -> None:
    assert found(text_of(change)) is None
