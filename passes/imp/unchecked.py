"""unchecked: kernels without bounds checks, for a fast build.

*Before -> after.*

    kernel i < n do                                  kernel i < n do
      j <- is[i] : i64;                                j <- is[i] : i64;
      check j in m "index out of bounds" …;    ->      ys[i] <- xs[j] : f32;
      ys[i] <- xs[j] : f32;                          done
    done

The behaviour of a program whose check would have failed is undefined.  Checks of the host stay,
because they cost nothing.  In kernels, assertions stay, and so do the checks of divisors and
exponents, because the operators have no result if these fail.

*Precondition*: IMP.
"""

from funmem.ir.imp import ImpProgram
from funmem.ir.unchecked import drop_checks
from funmem.passes.framework import Context, imp_pass


@imp_pass("unchecked", summary="leave out bounds checks in kernels (a fast build)")
def unchecked(p: ImpProgram, _: Context) -> ImpProgram:
    """Remove the bounds checks from the kernels of every entry point."""
    return drop_checks(p)
