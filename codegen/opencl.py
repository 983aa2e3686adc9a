"""Compiles IMP to OpenCL C and a host plan.

A kernel's dimensions are flattened in row-major order into one global range.  The host rounds it up
to whole work-groups, so the kernel begins with ``if (gid >= n) return``.  :mod:`split
<funmem.codegen.split>` decides what becomes a kernel.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from funmem.codegen.comments import comment, describe, place
from funmem.codegen.device_c import Printer
from funmem.codegen.exprs import CHECKED_ARITHMETIC
from funmem.codegen.facts import uses_f64
from funmem.codegen.plan import PLAN_VERSION, STATUS_HEAD, Compiled, KernelInfo, Plan
from funmem.codegen.scalars_cl import prelude, used
from funmem.codegen.split import Splitter
from funmem.ir.imp import ImpProgram, ImpStm
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.unchecked import drop_checks

NO_GROUPS: Mapping[Name, int] = MappingProxyType({})


def compile_imp(
    program: ImpProgram, *, safe: bool = True, groups: Mapping[Name, int] = NO_GROUPS
) -> Compiled:
    """Compile a program for OpenCL devices.

    ``safe`` keeps every check in the kernels.  ``groups``: the group size of entry points, instead
    of the runtime's choice.  Raises NotReady, a SourceError, for device memory that is allocated
    inside a kernel.
    """
    program = program if safe else drop_checks(program)
    functions = program.functions
    builders = [
        Splitter(e, k, _kernel_c, gnu=False, functions=functions)
        for k, e in enumerate(program.entries)
    ]
    entries = tuple(evolve(b.compile(), group=groups.get(b.entry.name, 0)) for b in builders)
    kernels = [text for b in builders for text in (*b.functions_c, *b.kernels_c)]
    f64 = any(map(uses_f64, functions)) or any(map(uses_f64, program.entries))
    return Compiled(Plan(PLAN_VERSION, safe, f64, entries), _source(kernels))


def _source(kernels: Sequence[str]) -> str:
    body = "\n".join(kernels)
    helpers = CHECKED_ARITHMETIC + "\n" if "sz_" in body else ""
    failing = FAIL + "\n" if "status" in body else ""
    lanes = "#define FM_LANES\n" if "FM_LANES" in body else ""
    return f"{prelude(used(body))}\n{lanes}{helpers}{failing}{body}"


FAIL = f"""\
/* Whether a work-item must not run: an earlier launch failed, or an earlier work-item of this. */
static inline bool rt_stopped(const volatile __global long *status, long launch, long gid)
{{
    return status[0] != 0 && (status[1] != launch || status[2] <= gid);
}}
/* Reports a failed check; of several work-items of one launch the first in order is kept. */
static void rt_fail(volatile __global long *status, long launch, long gid, long check, int count,
                    const long *values)
{{
    volatile __global int *lock = (volatile __global int *)(status + 3);
    for (bool done = false; !done;) {{
        if (atomic_cmpxchg(lock, 0, 1) == 0) {{
            if (!rt_stopped(status, launch, gid)) {{
                status[1] = launch;
                status[2] = gid;
                for (int k = 0; k < count; k++)
                    status[{STATUS_HEAD} + k] = values[k];
                mem_fence(CLK_GLOBAL_MEM_FENCE);
                status[0] = check;
            }}
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(lock, 0);
            done = true;
        }}
    }}
}}
"""


def _kernel_c(
    info: KernelInfo, s: ImpStm, p: Printer, indices: Sequence[str], bounds: Sequence[str]
) -> str:
    parameters = [
        *([] if info.task else ["long n"]),
        *(["long launch", "volatile __global long *status"] if info.status else []),
        *p.parameters(),
    ]
    lines = [
        comment(f"{place(s.at)}{'task: ' if info.task else ''}{describe(s)}"),
        comment(p.legend()),
        f"__kernel void {info.name}({', '.join(parameters)})",
        "{",
    ]
    if info.task:
        if info.status:
            lines.append("    const long gid = 0;")
    else:
        lines += ["    const long gid = get_global_id(0);", "    if (gid >= n) return;"]
    if info.status:
        lines.append("    if (rt_stopped(status, launch, gid)) return;")
    head = () if info.task else _indices(indices, bounds)
    return "\n".join([*lines, *("    " + h for h in head), *p.text(), "}", ""])


def _indices(indices: Sequence[str], bounds: Sequence[str]) -> list[str]:
    """Return the declarations of a kernel's indices, computed from the work-item's number."""
    rest = "gid"
    head = []
    for index, bound in reversed(list(zip(indices[1:], bounds, strict=True))):
        head.append(f"const long {index} = {rest} % {bound};")
        rest = f"({rest} / {bound})"
    return [*head, f"const long {indices[0]} = {rest};"]
