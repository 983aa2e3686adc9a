"""Loop unswitching in kernels of processors: branches on all indices but the last one.

    for j < m:                                 if i == 0:
      if i == 0: y <- s                          for j < m: y <- s …
      else: y <- xs[(i - 1)*m + j]      ->     else:
      …                                          for j < m: y <- xs[(i - 1)*m + j] …

LLVM's vectoriser does not do this in PoCL's order of passes.  It makes masked loads of what such a
branch guards, which took twice the time of ordinary loads.  gcc unswitches by itself.  The loop is
printed twice with the same call; the compiler knows in each which way the branch goes.
"""

from collections import Counter

from funmem.codegen.straight import is_simple
from funmem.ir.fun import ScalarExp, Var
from funmem.ir.imp import Allocate, Assign, ForStm, IfStm, ImpStm, KernelStm, WhileStm
from funmem.ir.imp_traverse import exp_names, nested, own_assigns, own_blocks


def outer_condition(s: ImpStm) -> ScalarExp | None:
    """Return the condition of a branch of a kernel that accesses memory and is the same for all of
    a row, and cannot trap; None if there is none, or if the kernel has loops or one dimension.
    """
    if not isinstance(s, KernelStm) or len(s.dims) < 2:
        return None
    every = tuple(nested(s.body))
    if any(isinstance(t, ForStm | WhileStm | KernelStm | Allocate) for t in every):
        return None
    assigned = Counter(x for t in every for x in own_assigns(t))
    same = {
        t.x: t.value
        for t in s.body
        if isinstance(t, Assign)
        and assigned[t.x] == 1
        and is_simple(t.value)
        and s.dims[-1].index not in exp_names(t.value)
        and not any(assigned[x] for x in exp_names(t.value))
    }
    return next(
        (
            same[t.cond.name]
            for t in s.body
            if isinstance(t, IfStm) and isinstance(t.cond, Var) and t.cond.name in same
            if any(own_blocks(inner) for inner in nested((t,)))
        ),
        None,
    )
