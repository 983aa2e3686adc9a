"""What the compiler for OpenCL devices does with IMP before it splits it into steps and kernels.

The memory plan (``memory_plan/``) is made from the same program, so it is the plan that runs.
"""

from funmem.codegen.cells import with_cells
from funmem.codegen.hot_paths import split_hot_paths
from funmem.codegen.straight import straightened
from funmem.ir.imp import ImpProgram


def device_program(p: ImpProgram, *, gpu: bool = False) -> ImpProgram:
    """Return the program that is split, for graphics processors or for processors."""
    p = split_hot_paths(p)
    return with_cells(p if gpu else straightened(p))
