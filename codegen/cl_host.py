"""Compiles IMP to a C program for a device: kernels, and a host that calls OpenCL.

    NAME.c     the kernels as text, and a function for each entry point: the plan's steps
    NAME.h     the functions, and the launch sizes, which a C compiler's -D or an edit changes
    NAME.cl    the kernels, for readers

The C program is linked with libOpenCL and needs neither Python nor other files (paper 001, section
4.4).  Steps are printed as for C (``c_host``); blocks are buffers, and a call waits where that of
``runtime`` does.  ``cl_runtime.h`` has the functions that the steps call.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from funmem.codegen.c import library_name, symbols
from funmem.codegen.c_host import Function, c_string, error_table, prototype
from funmem.codegen.c_interface import accessor_prototypes, accessors
from funmem.codegen.c_types import c_type
from funmem.codegen.exprs import CHECKED_ARITHMETIC, c_size
from funmem.codegen.files import write_files
from funmem.codegen.foreign import host_unit
from funmem.codegen.opencl import NO_GROUPS, compile_imp
from funmem.codegen.plan import (
    STATUS_HEAD,
    STATUS_OUT,
    STATUS_VALUES,
    BlockArg,
    EntryPlan,
    Launch,
    ReadScalar,
    ScalarArg,
    most_answers,
)
from funmem.codegen.preludes import host_prelude
from funmem.codegen.scalar_helpers import definitions
from funmem.codegen.scalars_cl import build_options, c_load, used
from funmem.ir.foreign import NONE, ForeignCode
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.record import define, frozen


@frozen
class HostedProgram:
    """A C program for a device: its source and header, and the kernels in it."""

    name: str
    source: str
    header: str
    kernels: str


def compile_hosted(
    program: ImpProgram,
    name: str,
    *,
    safe: bool = True,
    gpu: bool = False,
    groups: Mapping[Name, int] = NO_GROUPS,
    foreign: ForeignCode = NONE,
) -> HostedProgram:
    """Compile a program to kernels and a C host whose names begin with ``library_name(name)``.

    Raises as :func:`~funmem.codegen.opencl.compile_imp`.
    """
    compiled = compile_imp(program, safe=safe, gpu=gpu, groups=groups, foreign=foreign)
    library, entries = library_name(name), compiled.plan.entries
    names = symbols(library, entries)
    first, functions = 0, []
    for number, e in enumerate(entries):
        functions.append(HostFunction(e, number, library, names[e.name], first=first).text())
        first += len(e.kernels)
    unit = host_unit(program, foreign)
    body = "\n".join((error_table(entries), *functions))
    source = "\n".join(
        (
            f"/* Made by funmem: the functions of {library}.h, and their kernels. */\n",
            f'#include "{library}.h"\n',
            _macros(library, entries, f64=compiled.plan.f64),
            _kernel_text(compiled.source, [k.name for e in entries for k in e.kernels]),
            host_prelude(unit + body),
            unit,
            "#define char signed char /* as in OpenCL */",
            definitions(used(body)),
            CHECKED_ARITHMETIC,
            body,
            "#undef char",
            _library(library),
        )
    )
    header = _header(library, [prototype(e, library, names[e.name]) for e in entries])
    return HostedProgram(library, source, header, compiled.source)


def write_hosted(p: HostedProgram, folder: Path) -> Path:
    """Write a program into a folder, and return the path of its header.

    The folder is created if needed.  Raises UsageError if it cannot be written to.
    """
    files = {".c": p.source, ".h": p.header, ".cl": p.kernels}
    write_files(folder, {f"{p.name}{end}": text for end, text in files.items()})
    return folder / f"{p.name}.h"


# ---------------------------------------------------------------------- one function


@define
class HostFunction(Function):
    """Prints the C function of one entry point; ``first``: the number of its first kernel."""

    first: int = 0

    def opening(self) -> Sequence[str]:
        """Return the statements that begin a call: the device is opened by the first one."""
        start = ("if ((code = rt_start(context)) != FM_OK)", "    return code;")
        return (*start, *Function.opening(self))

    def closing(self) -> Sequence[str]:
        """Return the statement that waits for all kernels, which may still use the arguments."""
        return (*Function.closing(self), "rt_finish(context);")

    def sync(self) -> None:
        """Print that the host waits for kernels that can fail, and for the first that failed."""
        if any(k.status for k in self.plan.kernels):
            self.line("if ((code = rt_sync(context, status, sizeof status)) != FM_OK)")
            self.line("    goto done;")
            self.line("if (status[0])")
            self.line("    goto failed;")

    def load(self, s: ReadScalar, index: str) -> None:
        """Print the reading of an element that lies inside its block."""
        size, cell = s.elem.bytes, self.fresh()
        self.line(f"uchar {cell}[8];")
        place = f"{self.block(s.block)}, {size} * {index}, {size}, {cell}"
        self.line(f"if ((code = rt_read(context, {place})) != FM_OK)")
        self.line("    goto done;")
        self.line(f"{self.scalar(s.x)} = {c_load(s.elem, cell, '0')};")

    def launch(self, s: Launch) -> None:
        """Print a launch: the number of iterations, the arguments, and the run."""
        info = self.plan.kernels[s.kernel]
        with self.braces():
            sizes = [c_size(d, self.scalar) for d in s.dims] or ["1"]
            self.line(f"const long sizes[] = {{{', '.join(sizes)}}};")
            self.line("long n = 0;")
            given = f"{self.first + s.kernel}, sizes, {len(sizes)}, &n"
            self.line(f"if ((code = rt_kernel(context, {given})) != FM_OK)")
            self.line("    goto done;")
            with self.braces("if (n > 0)"):
                at = 0
                if not info.task:
                    self.line("FM_ARGUMENT(0, long, n);")
                    at = 1
                if info.status:
                    self.line(f"rt_status_arguments(context, {at});")
                    at += 2
                for k, a in enumerate(info.args, at):
                    match a:
                        case BlockArg(x):
                            self.line(f"rt_memory_argument(context, {k}, {self.block(x)});")
                        case ScalarArg(x, t):
                            self.line(f"FM_ARGUMENT({k}, {c_type(t)}, {self.scalar(x)});")
                grain = -1 if info.task else info.grain
                run = f"rt_launch(context, n, {grain}, {self.plan.group})"
                self.line(f"if ((code = {run}) != FM_OK)")
                self.line("    goto done;")
        self.stop()


# ---------------------------------------------------------------------- the texts around them


def _macros(library: str, entries: Sequence[EntryPlan], *, f64: bool) -> str:
    kernels = sum(len(e.kernels) for e in entries)
    words = STATUS_OUT + max(most_answers(e.steps) for e in entries)
    values = {
        "rt_context": f"{library}_context",
        "FM_HEAD": STATUS_HEAD,
        "FM_WORDS": STATUS_VALUES,
        "FM_STATUS": words,
        "FM_KERNELS": max(kernels, 1),
        "FM_F64": int(f64),
        "FM_GROUP": f"{library.upper()}_GROUP",
        "FM_GROUPS": f"{library.upper()}_GROUPS",
    }
    return "".join(f"#define {x} {v}\n" for x, v in values.items())


def _kernel_text(source: str, kernels: Sequence[str]) -> str:
    """Return the declarations of the kernels' text and names, and of the build options."""
    lines = [f"    {c_string(line + chr(10))}," for line in source.splitlines()]
    flags = [" ".join((*build_options(exact), "-w")) for exact in (False, True)]
    options = [f"    {c_string(text)}," for text in flags]
    names = [f"    {c_string(x)}," for x in kernels or ("",)]
    return "\n".join(
        (
            "static const char *const rt_source[] = {",
            *lines,
            "};",
            "static const char *const rt_kernels[] = {",
            *names,
            "};",
            "/* Without and with correctly rounded division of floats. */",
            "static const char *const rt_options[] = {",
            *options,
            "};",
        )
    )


def _library(name: str) -> str:
    return f"""\
struct rt_context *{name}_new(void)
{{
    return calloc(1, sizeof(struct rt_context));
}}

int {name}_open(struct rt_context *c, const char *device)
{{
    return rt_open(c, device);
}}

void {name}_free(struct rt_context *c)
{{
    if (!c)
        return;
    rt_close(c);
    free(c);
}}

void {name}_release(void *result)
{{
    free(result);
}}

{accessors(name)}"""


def _header(name: str, prototypes: Sequence[str]) -> str:
    upper = name.upper()
    every = "\n\n".join(prototypes)
    return f"""\
/* Made by funmem.  Build with: cc -std=gnu11 -O2 {name}.c … -lOpenCL -lm

   A function answers 0, or else: 1, the program trapped; 2, there was no memory; 3, a block was
   too small, which is a fault of the compiler; 4, it was interrupted; 5, the device failed.
   {name}_message then says more.  Arrays are row-major and in memory of the host; arguments are
   only read, and the caller frees the arrays of results with {name}_release.  A context serves
   one call at a time. */

#ifndef {upper}_H
#define {upper}_H

#include <stdint.h>

/* Launch sizes: change them here, or with -D when {name}.c is compiled.
   {upper}_GROUP: the work-items in a work-group; 0: what suits the device.
   {upper}_GROUPS: the most work-groups that run at once; if a kernel has more iterations, each
   work-item computes several, or the rest runs in further launches.  0: what suits the device. */
#ifndef {upper}_GROUP
#define {upper}_GROUP 0
#endif
#ifndef {upper}_GROUPS
#define {upper}_GROUPS 0
#endif

#ifdef __cplusplus
extern "C" {{
#endif

struct {name}_context;

struct {name}_context *{name}_new(void);
/* Opens a device: its number, or a part of its name or of its platform's name.  NULL: the one
   that the environment variable FUNMEM_DEVICE names, or else a GPU, PoCL, or another one.  The
   first call of a program opens that one if nothing else is open. */
int {name}_open(struct {name}_context *, const char *device);
void {name}_free(struct {name}_context *);
{accessor_prototypes(name, "launch or iteration of the host")}
{every}

#ifdef __cplusplus
}}
#endif

#endif
"""
