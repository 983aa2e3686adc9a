"""Compiles IMP to C with OpenMP: one file with the kernels and a function for each entry point.

    static inline void k0_0_item(long v2, …)      one iteration, as for a device
    static void k0_0(const long *n, …)            the loops around it, in parallel
    int NAME_f(struct NAME_context *, …)          an entry point: the plan's steps (``c_host``)

Without OpenMP the same text is sequential C.  It is C11 with extensions of gcc and clang
(``__int128``).  An iteration is a function of its own: a failed check returns from it without
leaving the loop, and the C compiler sees a loop whose body is a call that it can inline.
"""

import re
from collections.abc import Sequence
from functools import partial

from funmem.codegen.c_host import Function, error_table, prototype
from funmem.codegen.c_interface import accessor_prototypes, accessors
from funmem.codegen.comments import comment, describe, place
from funmem.codegen.device_c import Printer
from funmem.codegen.exprs import CHECKED_ARITHMETIC
from funmem.codegen.facts import facts, uses_f64
from funmem.codegen.foreign import c_unit
from funmem.codegen.foreign_bulk import in_bulk
from funmem.codegen.items import item
from funmem.codegen.plan import (
    PLAN_VERSION,
    STATUS_HEAD,
    STATUS_VALUES,
    EntryPlan,
    KernelInfo,
    Plan,
)
from funmem.codegen.preludes import c_prelude
from funmem.codegen.python_trees import identifier
from funmem.codegen.scalar_helpers import definitions
from funmem.codegen.scalars_cl import used
from funmem.codegen.split import Splitter
from funmem.codegen.straight import straightened
from funmem.codegen.weights import Weights, computes, function_weights, grain
from funmem.ir.foreign import NONE, ForeignCode
from funmem.ir.imp import (
    ImpProgram,
    ImpStm,
    KernelStm,
)
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.unchecked import drop_checks


@frozen
class CProgram:
    """A C library: its source and header, and the plan that its functions follow."""

    name: str
    source: str
    header: str
    plan: Plan


def library_name(name: str) -> str:
    """Return the name of a program's library."""
    library = identifier(name)
    return f"x_{library}" if library.split("_")[0].lower() in _TAKEN else library


def symbols(library: str, entries: Sequence[EntryPlan]) -> dict[Name, str]:
    """Map entry points to C names: LIBRARY_ENTRY, with ``_`` appended while the name is taken."""
    taken = {f"{library}_{x}" for x in _RUNTIME}
    found: dict[Name, str] = {}
    for e in entries:
        symbol = identifier(f"{library}_{e.name}")
        while symbol in taken or _RESERVED.fullmatch(symbol):
            symbol += "_"
        found[e.name] = symbol
        taken.add(symbol)
    return found


_RUNTIME = ("new", "open", "free", "release", "message", "check", "context", "peak", "interrupt")
_TAKEN = frozenset(("atomic", "fm", "omp", "posix", "rt", "sz"))
"""First parts of names that emitted sources, OpenMP or POSIX use."""
_RESERVED = re.compile(
    r"""(?x) (?:
      [A-Z0-9_]+ | [A-Z]_\w+                                # macros
    | [fk]\d+_\d+ (?: _\w+ )?                              # functions and kernels
    | (?: acc | GOACC | GOMP | OACC | pthread )_\w+         # what a source is linked with
    | (?: arc4random | as | co | fd | memory | mul | sem | shm | va )_\w+
    | \w+_(?: cast | eq | exit | l | r | t | unlocked )
    | aligned_alloc | explicit_bzero | kill_dependency | math_errhandling | open_memstream
    | static_assert | thread_local | u_(?: char | int | long | short )
    ) (?<! _)"""
)
"""Other names that an entry point must not have, since C, C++ or C libraries use such names; none
of those ends with ``_``.
"""


def compile_c(
    program: ImpProgram, name: str, *, safe: bool = True, foreign: ForeignCode = NONE
) -> CProgram:
    """Compile a program to a C library whose names begin with ``library_name(name)``.

    ``safe`` keeps every check in the kernels; ``foreign`` has the foreign functions.  Raises
    NotReady, a SourceError, for device memory that is allocated inside a kernel, and SourceError
    with code ``foreign``.
    """
    library = library_name(name)
    program = straightened(program if safe else drop_checks(program))
    program = in_bulk(program, foreign)
    functions = program.functions
    emit = partial(_kernel_c, weights=function_weights(functions))
    builders = [
        Splitter(e, k, emit, gnu=True, functions=functions, masks=True)
        for k, e in enumerate(program.entries)
    ]
    entries = tuple(b.compile() for b in builders)
    f64 = any(map(uses_f64, functions)) or any(map(uses_f64, program.entries))
    plan = Plan(PLAN_VERSION, safe, f64, entries)
    names = symbols(library, entries)
    entry_points = [Function(e, k, library, names[e.name]).text() for k, e in enumerate(entries)]
    kernels = [text for b in builders for text in (*b.functions_c, *b.kernels_c)]
    unit = c_unit(program, foreign)
    body = "\n".join((*kernels, error_table(entries), *entry_points))
    macros = (
        f"#define rt_context {library}_context\n#define FM_HEAD {STATUS_HEAD}\n"
        f"#define FM_WORDS {STATUS_VALUES}\n"
    )
    source = "\n".join(
        (
            f"/* Made by funmem: the functions of {library}.h. */\n",
            macros,
            c_prelude(unit + body),
            unit,
            "#define char signed char /* as in OpenCL */",
            definitions(used(body)),
            CHECKED_ARITHMETIC,
            body,
            "#undef char",
            _library(library),
        )
    )
    prototypes = [prototype(e, library, names[e.name]) for e in entries]
    return CProgram(library, source, _header(library, prototypes), plan)


# ---------------------------------------------------------------------- kernels


def _kernel_c(
    info: KernelInfo,
    s: ImpStm,
    p: Printer,
    indices: Sequence[str],
    bounds: Sequence[str],
    *,
    weights: Weights,
) -> str:
    status = ["long launch", "volatile long *status"] if info.status else []
    parameters = [*status, *p.parameters()]
    note = [comment(f"{place(s.at)}{'task: ' if info.task else ''}{describe(s)}")]
    note.append(comment(p.legend()))
    if info.task:
        gid = ["    const long gid = 0;", "    (void)gid;"] if info.status else []
        head = f"static void {info.name}({', '.join(parameters) or 'void'})"
        return "\n".join([*note, head, "{", *gid, *p.text(), "}", ""])
    one = item(info, s, p, indices, bounds, status)
    loops = _loops(indices, one.call, _parallel(s, weights), facts(s).has_alloc)
    outer = [
        f"static void {info.name}({', '.join(('const long *sizes', *parameters))})",
        "{",
        *("    " + line for line in loops),
        "}",
        "",
    ]
    return "\n".join([*note, *one.text, *outer])


def _parallel(s: ImpStm, weights: Weights) -> str:
    """Return the macro in front of a kernel's loop, which chooses the OpenMP schedule.

    Compute-bound iterations are scheduled in small parts, since iterations and threads may differ
    in speed.  Otherwise each thread has the same part of the range in every kernel, since that part
    of memory may still be in its cache.
    """
    schedule = "FM_PARTS" if computes(s, weights) else "FM_PLACES"
    least = max(2, grain(s, weights)) if isinstance(s, KernelStm) and len(s.dims) == 1 else 2
    return f"FM_PARALLEL({least}, {schedule})"


def _loops(indices: Sequence[str], call: str, parallel: str, shared: bool) -> list[str]:
    """Return the loops of a kernel; the outer one is parallel, or the second one if it is short.

    ``shared``: iterations allocate private blocks, and all use the same memory for them.
    """
    if len(indices) == 1:
        return ["const long n = sizes[0];", parallel, *_nest(indices, 0, call, shared)]
    first = indices[0]
    return [
        "if (FM_WIDE(sizes[0])) {",
        "    const long n = sizes[0];",
        f"    {parallel}",
        *("    " + line for line in _nest(indices, 0, call, shared)),
        "} else {",
        f"    for (long {first} = 0; {first} < sizes[0]; {first}++) {{",
        "        const long n = sizes[1];",
        f"        {parallel}",
        *("        " + line for line in _nest(indices, 1, call, shared)),
        "    }",
        "}",
    ]


def _nest(indices: Sequence[str], start: int, call: str, shared: bool) -> list[str]:
    """Return the loops from dimension ``start`` on, around ``call``; the first bound is ``n``.

    Each bound is copied to a variable, so that the C compiler sees that no iteration changes it.
    With ``shared`` blocks the loop must not be declared independent: after inlining, an array of
    the called function is one variable for all iterations.
    """
    lines: list[str] = []
    deep = 0
    for k in range(start, len(indices)):
        i, bound = indices[k], "n" if k == start else f"n{k}"
        if k > start:
            lines[-1] += " {"
            lines.append("    " * deep + f"const long {bound} = sizes[{k}];")
        lanes = "FM_LANES " if k == len(indices) - 1 and k > start and not shared else ""
        lines.append("    " * deep + f"{lanes}for (long {i} = 0; {i} < {bound}; {i}++)")
        deep += 1
    lines.append("    " * deep + call)
    return [*lines, *("    " * d + "}" for d in range(deep - 2, -1, -1))]


# ---------------------------------------------------------------------- the library


def _library(name: str) -> str:
    return f"""\
struct rt_context *{name}_new(void)
{{
    return calloc(1, sizeof(struct rt_context));
}}

void {name}_free(struct rt_context *c)
{{
    if (!c)
        return;
    for (int k = 0; k < c->kept; k++)
        rt_free(c->spare[k].data);
    rt_forget();
    free(c);
}}

void {name}_release(void *result)
{{
    rt_release(result);
}}

{accessors(name)}"""


def _header(name: str, prototypes: Sequence[str]) -> str:
    guard = f"{name.upper()}_H"
    every = "\n\n".join(prototypes)
    return f"""\
/* Made by funmem.  Build with: cc -std=gnu11 -O3 -march=native -fopenmp -ffp-contract=off
   -fno-math-errno -fno-trapping-math -lm
   Without -fno-math-errno and -fno-trapping-math no loop with exp or log becomes vectors.

   A function answers 0, or else: 1, the program trapped; 2, there was no memory; 3, a block was
   too small, which is a fault of the compiler; 4, it was interrupted.  {name}_message then says
   more.  Arrays are
   row-major.  The caller gives the arrays of results back with {name}_release, which keeps some of
   their memory for later results until {name}_free.  Arrays of arguments are only read.  A context
   serves one call at a time. */

#ifndef {guard}
#define {guard}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

struct {name}_context;

struct {name}_context *{name}_new(void);
void {name}_free(struct {name}_context *);
{accessor_prototypes(name, "kernel or iteration")}
{every}

#ifdef __cplusplus
}}
#endif

#endif
"""
