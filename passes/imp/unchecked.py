"""unchecked: kernels without the checks that a fast build does not pay for.

*Before -> after.*

    kernel i < n do                                  kernel i < n do
      j <- is[i] : i64;                                j <- is[i] : i64;
      check j in m "index out of bounds" …;    ->      ys[i] <- xs[j] : f32;
      ys[i] <- xs[j] : f32;                          done
    done

A program that would have trapped there does anything at all.  What stays: checks of the host, which
cost nothing, and in kernels assertions, divisions and exponents, whose operators have no result
otherwise.

*Precondition*: IMP.
"""

from funmem.ir.imp import ImpProgram
from funmem.ir.unchecked import drop_checks
from funmem.passes.framework import Context, imp_pass


@imp_pass("unchecked", summary="leave out bounds checks in kernels (a fast build)")
def unchecked(p: ImpProgram, _: Context) -> ImpProgram:
    """Every entry point."""
    return drop_checks(p)
