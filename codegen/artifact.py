"""Writes a compiled program as files, and loads it without compiling it again.

    NAME.cl           the OpenCL C source, for any device
    NAME.plan.json    the host plan
    NAME.py           a module with one function per entry point
    NAME.pyi          the types of the module's functions

The module finds the other files beside it and runs them with funmem's runtime.  The files of a
program share its name, so a folder can hold several programs.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from funmem.codegen.files import write_files
from funmem.codegen.plan import CallForeign, Compiled, Plan, every_step
from funmem.codegen.plan_json import dumps, loads
from funmem.codegen.python_module import Loader, texts
from funmem.codegen.python_trees import Function, identifier
from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError, SourceError

if TYPE_CHECKING:  # writing a program needs neither a device nor pyopencl
    from funmem.codegen.runtime import EntryPoint, Executable


def plan_of(name: str) -> str:
    """Return the name of the file with a module's host plan."""
    return f"{name}.plan.json"


def write(
    program: "Compiled | Executable",
    folder: Path,
    name: str = "program",
    functions: Sequence[Function] = (),
) -> Path:
    """Write a compiled program into a folder and return the path of the module.

    ``functions``: how Python calls the entry points whose parameters or results are trees.
    The folder is created if needed.  Raises UsageError if it cannot be written to, SourceError if
    the host would call foreign functions.
    """
    for e in program.plan.entries:
        for s in every_step(e.steps):
            if isinstance(s, CallForeign):
                hint = "compile it as C, which contains its foreign functions"
                message = (
                    f"not supported: `{e.name}` calls the foreign function `{s.fn}` on the host"
                )
                raise SourceError(Diagnostic(s.at, "not-supported", message, hint))
    name = identifier(name)
    doc = _DOC.format(name=name)
    loader = Loader(doc, "funmem.codegen.artifact", "Artifact", _ARRAY)
    made = texts(loader, name, program.plan.entries, functions)
    files = {
        f"{name}.py": made.module,
        f"{name}.pyi": made.stub,
        f"{name}.cl": program.source,
        plan_of(name): dumps(program.plan),
    }
    write_files(folder, files)
    return folder / f"{name}.py"


def load(folder: Path, name: str = "program") -> Compiled:
    """Read a program that ``write`` wrote.  Raises InputError (PlanError) for other content."""
    return Compiled(loads_plan(folder, name), _content(folder, f"{identifier(name)}.cl"))


def loads_plan(folder: Path, name: str) -> Plan:
    """Read a module's host plan.  Raises InputError (PlanError) if there is none."""
    return loads(_content(folder, plan_of(identifier(name))))


def _content(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{folder} contains no compiled program: {error}"
        raise InputError(Diagnostic(NOWHERE, "artifact", message)) from None


class Entries(dict[str, Callable[..., Any]]):
    """The entry points of a program by name; ``load`` returns one at its first use."""

    def __init__(self, load: Callable[[str], Callable[..., Any]]) -> None:
        self._load = load

    def __missing__(self, name: str) -> Callable[..., Any]:
        found = self[name] = self._load(name)
        return found


class Artifact:
    """A program in a folder; it is built for the default device at its first use."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._executable: Executable | None = None
        self.entries = Entries(self.entry)

    def entry(self, name: str) -> "EntryPoint":
        """Return an entry point.  Raises InputError, DeviceError."""
        from funmem.codegen.cache import Cache
        from funmem.codegen.device import open_device
        from funmem.codegen.runtime import Executable

        if self._executable is None:
            device = open_device()
            compiled = load(self._folder, self._name)
            self._executable = Executable.load(compiled, device, Cache.default())
        return self._executable.entry(name)


_ARRAY = "funmem.codegen.device_array.DeviceArray"
_DOC = """\
A program compiled by funmem: {name}.cl and {name}.plan.json, beside this file, and how
to call it.

Arguments are numpy arrays, Python or numpy scalars, and results of other calls.  Results stay on
the device until their elements are used.  The device is the default one, or the one that the
environment variable FUNMEM_DEVICE names.
"""
