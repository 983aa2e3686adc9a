"""Compiles IMP to OpenCL C and a host plan.

A kernel's dimensions are flattened in row-major order into one global range.  Graphics processors
run one work-item for each iteration.  The host rounds the range up to whole work-groups, so the
kernel begins with ``if (gid >= n) return``.  Processors run few work-items, which share the
iterations; each loops over a part of the range, and calls the function of an iteration as C does
(:mod:`items <funmem.codegen.items>`):

    static inline void k0_0_item(const long v2, const long v3, …)
    __kernel void k0_0(long n, …)
    {
        long at = …; const long end = …;                 the work-item's part of the range
        const long n1 = v1;
        long first = at % n1, rest = at / n1;            the indices of its first iteration
        long v2 = rest;
        while (at < end) {                               rows of it
            const long stop = …;
            FM_LANES for (long v3 = first; v3 < stop; v3++)
                k0_0_item(v2, v3, …);
            at += stop - first;
            first = 0;
            v2++;
        }
    }

:mod:`split <funmem.codegen.split>` decides what becomes a kernel.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

from funmem.codegen.comments import comment, describe, place
from funmem.codegen.device_c import Printer
from funmem.codegen.device_program import device_program
from funmem.codegen.exprs import CHECKED_ARITHMETIC
from funmem.codegen.facts import facts, uses_f64
from funmem.codegen.foreign import device_unit
from funmem.codegen.items import item
from funmem.codegen.plan import PLAN_VERSION, STATUS_HEAD, Compiled, EntryPlan, KernelInfo, Plan
from funmem.codegen.preludes import cl_math, cl_prelude
from funmem.codegen.scalars_cl import used
from funmem.codegen.split import Splitter, one_each
from funmem.codegen.unit import plain_lanes
from funmem.codegen.unswitch import outer_condition
from funmem.codegen.weights import function_weights, grain
from funmem.ir.foreign import NONE, ForeignCode
from funmem.ir.imp import Block, IfStm, ImpProgram, ImpStm
from funmem.ir.imp_traverse import nested
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.sizes import Size
from funmem.ir.unchecked import drop_checks

NO_GROUPS: Mapping[Name, int] = MappingProxyType({})


def compile_imp(
    program: ImpProgram,
    *,
    safe: bool = True,
    gpu: bool = False,
    groups: Mapping[Name, int] = NO_GROUPS,
    foreign: ForeignCode = NONE,
) -> Compiled:
    """Compile a program for OpenCL devices: for graphics processors, or else for processors.

    It runs on devices of the other kind as well, but slowly.  ``safe`` keeps every check in the
    kernels.  ``groups``: on graphics processors the group size of entry points, instead of the
    runtime's choice.  ``foreign`` has the foreign functions.  Raises NotReady, a SourceError, for
    device memory that is allocated inside a kernel, and SourceError with code ``foreign``.
    """
    program = device_program(program if safe else drop_checks(program), gpu=gpu)
    functions = program.functions
    grains = one_each if gpu else partial(grain, weights=function_weights(functions))
    lanes = plain_lanes if gpu else interleaved
    builders = [
        Splitter(e, k, _kernel_c, False, functions, grain=grains, lanes=lanes, masks=not gpu)
        for k, e in enumerate(program.entries)
    ]
    entries = tuple(evolve(b.compile(), group=groups.get(b.entry.name, 0)) for b in builders)
    kernels = [text for b in builders for text in (*b.functions_c, *b.kernels_c)]
    f64 = any(map(uses_f64, functions)) or any(map(uses_f64, program.entries))
    return Compiled(
        Plan(PLAN_VERSION, safe, f64, entries),
        _source(kernels, device_unit(program, foreign), gpu=gpu),
    )


def finely_shared(c: Compiled) -> Compiled:
    """Return the program for tests: even a few iterations are shared among work-items."""

    def fine(e: EntryPlan) -> EntryPlan:
        return evolve(e, kernels=tuple(evolve(k, grain=min(k.grain, 1)) for k in e.kernels))

    return evolve(c, plan=evolve(c.plan, entries=tuple(map(fine, c.plan.entries))))


def _source(kernels: Sequence[str], foreign: str, *, gpu: bool) -> str:
    body = "\n".join(kernels)
    helpers = CHECKED_ARITHMETIC + "\n" if "sz_" in body else ""
    failing = FAIL + "\n" if "status" in body else ""
    lanes = (NO_LANES if gpu else _lanes()) + "\n" if "FM_LANES" in body else ""
    unroll = UNROLL + "\n" if "FM_UNROLL" in body else ""
    masks = MASKS + "\n" if "rt_mask" in body else ""
    share = SHARE + "\n" if "rt_share" in body else ""
    math = "" if gpu else cl_math(body)
    tools = f"{lanes}{unroll}{helpers}{failing}{masks}{share}"
    return f"{cl_prelude(used(body), gpu=gpu)}\n{tools}{foreign}{math}{body}"


NO_LANES = "#define FM_LANES"

VECTOR = 16
"""Lanes of a vector: as many floats as a register has with AVX-512; else they take several."""

INTERLEAVED = (2, 4, 8)
"""Numbers of vectors that are computed at once if a loop has just so many."""


MASKED = 8
"""Lanes of a vector in a loop with branches, for AVX2: a mask has a register's lanes then.  LLVM
packs masks of 16 lanes, which take two registers of floats, to bytes and back.
"""


def interleaved(bound: Size, body: Block) -> str:
    """Return the macro in front of a loop over lanes.

    If it has few vectors, all are computed at once.  Then no loop over them is left, and what an
    outer loop keeps in private blocks stays in registers.  It needs the 32 registers of AVX-512:
    with 16 of them, which hold half as much, matmul then took 2.7 times as long.
    """
    if any(isinstance(s, IfStm) for s in nested(body)):
        return "FM_LANES_MASKED"
    lanes = bound.as_const or 0
    vectors = lanes // VECTOR
    some = vectors in INTERLEAVED and lanes % VECTOR == 0
    return f"FM_LANES_{vectors}" if some else "FM_LANES"


def _lanes() -> str:
    form = "clang loop vectorize(assume_safety) vectorize_width({})".format
    loop, masked = form(VECTOR), "FM_LANES_MASKED"
    every = [f"FM_LANES_{n}" for n in INTERLEAVED]
    at_once = zip(every, INTERLEAVED, strict=True)
    lines = (
        "/* In front of a loop whose iterations are independent of each other. */",
        "#ifdef __clang__",
        f'#define FM_LANES _Pragma("{loop}")',
        "#if defined(__x86_64__) && !defined(__AVX512F__) /* 16 registers: too few */",
        *(f"#define {x} FM_LANES" for x in every),
        "#else",
        *(f'#define {x} _Pragma("{loop} interleave_count({n})")' for x, n in at_once),
        "#endif",
        "#if defined(__AVX2__) && !defined(__AVX512F__)",
        f'#define {masked} _Pragma("{form(MASKED)}")',
        "#else",
        f"#define {masked} FM_LANES",
        "#endif",
        "#else",
        *(f"#define {x}" for x in ("FM_LANES", masked, *every)),
        "#endif",
    )
    return "\n".join(lines)


SHARE = """\
/* The first iteration of a work-item: n iterations are divided evenly. */
static inline long rt_share(long n, long part)
{
    const long parts = get_global_size(0), each = n / parts, more = n % parts;
    return part * each + (part < more ? part : more);
}"""


UNROLL = """\
/* In front of a loop with a short body and an unknown trip count. */
#ifdef __clang__
#define FM_UNROLL _Pragma("clang loop unroll_count(4)")
#else
#define FM_UNROLL
#endif"""

MASKS = """\
/* Stores without branches.  Where clang compiles for the processor itself, there is one address
   space, so a pointer to a private variable may take the place of one to global memory.  Elsewhere
   the branch stays. */
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define FM_IF(holds)
#define FM_HIDE(x) __asm__("" : "+r"(x))
#else
#define FM_IF(holds) if (holds)
#define FM_HIDE(x)
#endif
/* All bits if a condition holds, else none; the compiler would make a branch of what follows. */
static inline long rt_mask(uchar holds)
{
    long mask = -(long)(holds != 0);
    FM_HIDE(mask);
    return mask;
}
__constant ulong rt_none = 0;
#define rt_pick(mask, some, none) \\
    (((ulong)(some) & (ulong)(mask)) | ((ulong)(none) & ~(ulong)(mask)))"""


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
    status = ["long launch", "volatile __global long *status"] if info.status else []
    parameters = [*([] if info.task else ["long n"]), *status, *p.parameters()]
    note = [
        comment(f"{place(s.at)}{'task: ' if info.task else ''}{describe(s)}"),
        comment(p.legend()),
    ]
    head = [f"__kernel void {info.name}({', '.join(parameters)})", "{"]
    if info.grain:
        one = item(info, s, p, indices, bounds, status)
        condition = outer_condition(s)
        known = "" if condition is None else p.exp(condition, s.at)
        shared = facts(s).has_alloc
        loops = _loops(one.call, indices, bounds, known, stops=info.status, shared=shared)
        return "\n".join([*note, *one.text, *head, *("    " + line for line in loops), "}", ""])
    if info.task:
        head += ["    const long gid = 0;"] if info.status else []
    else:
        head += ["    const long gid = get_global_id(0);", "    if (gid >= n) return;"]
    if info.status:
        head.append("    if (rt_stopped(status, launch, gid)) return;")
    own = () if info.task else _indices(indices, bounds)
    return "\n".join([*note, *head, *("    " + line for line in own), *p.text(), "}", ""])


def _indices(indices: Sequence[str], bounds: Sequence[str]) -> list[str]:
    """Return the declarations of a kernel's indices, computed from the work-item's number."""
    rest = "gid"
    head = []
    for index, bound in reversed(list(zip(indices[1:], bounds, strict=True))):
        head.append(f"const long {index} = {rest} % {bound};")
        rest = f"({rest} / {bound})"
    return [*head, f"const long {indices[0]} = {rest};"]


def _loops(
    call: str,
    indices: Sequence[str],
    bounds: Sequence[str],
    known: str,
    *,
    stops: bool,
    shared: bool,
) -> list[str]:
    """Return the loops of a work-item of a processor over its share of the iterations.

    The outer loop runs through the parts of rows that lie in the share.  Indices are computed once
    and then carried.  ``known``: a condition for which a row has a loop of its own, or ""
    (:mod:`~funmem.codegen.unswitch`).  ``stops``: the kernel may have to stop; ``shared``:
    iterations share the memory of private blocks, so the loop must not be declared independent
    (``c._nest``).
    """
    lanes = "" if shared else "FM_LANES "
    head = ["long at = rt_share(n, get_global_id(0));"]
    head += ["const long end = rt_share(n, get_global_id(0) + 1);"]
    head += ["if (rt_stopped(status, launch, at)) return;"] if stops else []
    if not bounds:
        (i,) = indices
        return [*head, f"{lanes}for (long {i} = at; {i} < end; {i}++)", f"    {call}"]
    last, sizes = len(bounds), [f"n{k}" for k in range(1, len(indices))]
    for size, bound in zip(sizes, bounds, strict=True):
        head.append(f"const long {size} = {bound};")
    head += [f"long first = at % n{last}, rest = at / n{last};"]
    for k in range(last - 1, 0, -1):
        head += [f"long {indices[k]} = rest % n{k};", f"rest /= n{k};"]
    head += [f"long {indices[0]} = rest;"]
    carry = [f"{indices[0]}++;"]
    for k in range(1, last):
        carry = [f"if (++{indices[k]} == n{k}) {{", f"    {indices[k]} = 0;", *_in(carry), "}"]
    j = indices[-1]
    row = [f"{lanes}for (long {j} = first; {j} < stop; {j}++)", f"    {call}"]
    if known:
        row = [f"if ({known}) {{", *_in(row), "} else {", *_in(row), "}"]
    return [
        *head,
        "while (at < end) {",
        f"    const long stop = n{last} - first < end - at ? n{last} : first + (end - at);",
        *_in(row),
        "    at += stop - first;",
        "    first = 0;",
        *_in(carry),
        "}",
    ]


def _in(lines: Sequence[str]) -> list[str]:
    return ["    " + line for line in lines]
