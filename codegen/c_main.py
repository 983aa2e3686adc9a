"""An executable of a program compiled to C: it reads arguments and prints results as text.

    echo '[1.0, 3.0]' | ./mean              the only entry point, or main
    ./moments twice < data.txt              another one

Values are in the data format of tests (``c_data.h``), in the order of the parameters.  The exit
status is 0, or else 1 with a message on standard error.  Rows of different lengths are their
offsets and their elements.
"""

import subprocess
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from funmem.codegen.c import CProgram, symbols
from funmem.codegen.c_host import abi_type, c_string
from funmem.codegen.c_library import COptions, find_compiler
from funmem.codegen.exprs import c_size
from funmem.codegen.files import write_files
from funmem.codegen.plan import EntryPlan
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, SourceError
from funmem.ir.imp import ArrayPort, Port, ScalarPort
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, F16, ScalarType


def write_executable(program: CProgram, folder: Path) -> Path:
    """Write ``NAME_main.c`` beside a library's source, build ``NAME`` from both; return its path.

    Raises SourceError for a value of type f16, DeviceError without a C compiler or with its log.
    """
    name = program.name
    write_files(folder, {f"{name}_main.c": main_source(program)})
    flags = [f for f in COptions().flags if f not in ("-shared", "-fPIC")]
    with tempfile.TemporaryDirectory(prefix="funmem-") as place:
        built = Path(place) / name
        call = [*find_compiler(), *flags, "-o", str(built), str(folder / f"{name}_main.c"), "-lm"]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        if done.returncode:
            log = "\n".join(done.stderr.strip().splitlines()[:20])
            message = f"{call[0]} does not compile the program: {log}"
            raise DeviceError(Diagnostic(NOWHERE, "build", message))
        write_files(folder, {name: built.read_bytes()})
    (folder / name).chmod(0o755)
    return folder / name


def main_source(program: CProgram) -> str:
    """Return the C source of the executable, which includes that of the library."""
    entries = program.plan.entries
    names = symbols(program.name, entries)
    functions = [_function(e, k, program.name, names[e.name]) for k, e in enumerate(entries)]
    table = [f"    {{{c_string(e.name)}, call_{k}}}," for k, e in enumerate(entries)]
    data = files("funmem.codegen").joinpath("c_data.h").read_text(encoding="utf-8")
    return "\n".join(
        (
            "/* Made by funmem: the program as an executable. */",
            f'#include "{program.name}.c"\n',
            data,
            *functions,
            "static const struct {",
            "    const char *name;",
            "    int (*call)(void);",
            "} entries[] = {",
            *table,
            "};\n",
            _MAIN,
        )
    )


_MAIN = """\
int main(int argc, char **argv)
{
    const int count = sizeof entries / sizeof entries[0];
    const char *wanted = argc > 1 ? argv[1] : count == 1 ? entries[0].name : "main";
    for (int k = 0; k < count; k++)
        if (!strcmp(entries[k].name, wanted))
            return entries[k].call();
    fprintf(stderr, "error[entry]: no entry point `%s`; there is", wanted);
    for (int k = 0; k < count; k++)
        fprintf(stderr, "%s `%s`", k ? "," : "", entries[k].name);
    fputc('\\n', stderr);
    return 1;
}
"""


def _function(e: EntryPlan, number: int, library: str, symbol: str) -> str:
    """Return the function that reads the arguments of an entry point and prints its results."""
    body = [*_given(e), *_sizes(e), *_called(e, library, symbol)]
    return "\n".join(
        (
            f"static int call_{number}(void)",
            "{",
            *(f"    {line}" for line in body),
            "}",
            "",
        )
    )


def _given(e: EntryPlan) -> Iterator[str]:
    """Yield the statements that read the arguments."""
    for k, p in enumerate(e.params):
        yield _type(f"t{k}", p, e)
        match p:
            case ScalarPort(_, t):
                yield f"{abi_type(t)} x{k};"
                yield f"data_scalar(&t{k}, &x{k});"
            case ArrayPort(_, _, shape):
                yield f"int64_t s{k}[{len(shape)}];"
                yield f"void *x{k} = data_array(&t{k}, {len(shape)}, s{k});"
    yield "if (data_next() != EOF)"
    yield '    data_fail("there are more values than parameters");'


def _sizes(e: EntryPlan) -> Iterator[str]:
    """Yield the statements that set the sizes and compare all shapes with them."""
    size = {x: f"size{k}" for k, x in enumerate(e.sizes)}
    places = [
        (k, d, n)
        for k, p in enumerate(e.params)
        if isinstance(p, ArrayPort)
        for d, n in enumerate(p.shape)
    ]
    for x, c in size.items():
        k, d = next((k, d) for k, d, n in places if n.as_name == x)
        yield f"const int64_t {c} = s{k}[{d}];"

    def scalar(x: Name) -> str:
        if x in size:
            return size[x]
        return next(f"x{k}" for k, p in enumerate(e.params) if p.name == x)

    for k, d, n in places:
        name = str(e.params[k].name)
        message = f"argument {k + 1} (%s) has another size than its type says"
        yield f"if (s{k}[{d}] != ({c_size(n, scalar)}))"
        yield f"    data_fail({c_string(message)}, {c_string(name)});"


def _called(e: EntryPlan, library: str, symbol: str) -> Iterator[str]:
    """Yield the statements that call the entry point and print its results."""
    yield f"struct {library}_context *context = {library}_new();"
    args = ["context", *(f"size{k}" for k in range(len(e.sizes)))]
    args += [f"x{k}" for k in range(len(e.params))]
    for k, r in enumerate(e.results):
        match r:
            case ScalarPort(_, t):
                yield f"{abi_type(t)} r{k} = 0;"
                args.append(f"&r{k}")
            case ArrayPort(_, t, shape):
                yield f"{abi_type(t)} *r{k} = NULL;"
                yield f"int64_t z{k}[{len(shape)}];"
                args += [f"&r{k}", f"z{k}"]
    yield f"if (!context || {symbol}({', '.join(args)})) {{"
    yield f'    fprintf(stderr, "%s\\n", context ? {library}_message(context) : "no memory");'
    yield "    return 1;"
    yield "}"
    for k, r in enumerate(e.results):
        yield _type(f"u{k}", r, e)
        match r:
            case ScalarPort():
                yield f"data_write(&u{k}, &r{k});"
                yield "putchar('\\n');"
            case ArrayPort(_, _, shape):
                yield f"data_write_array(&u{k}, {len(shape)}, z{k}, r{k});"
                yield f"{library}_release(r{k});"
    for k, p in enumerate(e.params):
        if isinstance(p, ArrayPort):
            yield f"free(x{k});"
    yield f"{library}_free(context);"
    yield "return 0;"


def _type(x: str, p: Port, e: EntryPlan) -> str:
    t: ScalarType = p.type if isinstance(p, ScalarPort) else p.elem
    if t is F16:
        message = f"not supported: an executable that reads or prints an f16, as `{e.name}` does"
        hint = "convert it to f32 in the entry point"
        raise SourceError(Diagnostic(e.at, "not-supported", message, hint))
    kind = "b" if t is BOOL else "f" if t.is_float else "u" if t.is_unsigned else "i"
    return f"static const data_type {x} = {{{c_string(str(t))}, {t.bytes}, '{kind}'}};"
