"""Writes a program compiled to C as files, and loads it.

    NAME.c  NAME.h     the library's source and its header, for C programs
    libNAME.so         built for this machine
    NAME.json          the manifest: names, types and shapes of the entry points
    NAME.plan.json     the host plan, which has the messages of checks
    NAME.py            a module with one function per entry point
    NAME.pyi           the types of the module's functions

The module finds the other files beside it and calls the library through ctypes.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from funmem.codegen.artifact import Entries, loads_plan, plan_of
from funmem.codegen.c import CProgram, symbols
from funmem.codegen.c_host import abi_type
from funmem.codegen.files import write_files
from funmem.codegen.plan import EntryPlan
from funmem.codegen.plan_json import dumps
from funmem.codegen.python_module import Loader, texts
from funmem.codegen.python_trees import Function
from funmem.ir.imp import Port, ScalarPort

if TYPE_CHECKING:
    from funmem.codegen.c_library import CEntryPoint, CLibrary, COptions


def write_c(
    program: CProgram, folder: Path, options: "COptions", functions: Sequence[Function] = ()
) -> Path:
    """Build a library, write it into a folder, and return the path of the module.

    ``functions``: how Python calls the entry points whose parameters or results are trees.
    The folder is created if needed.  Processes that have loaded an older library keep using that
    one.  Raises DeviceError without a C compiler, UsageError if the folder cannot be written to.
    """
    from funmem.codegen.c_library import build

    content = build(program, options, None)
    name = program.name
    loader = Loader(_DOC.format(name=name), "funmem.codegen.c_artifact", "CArtifact")
    made = texts(loader, name, program.plan.entries, functions)
    files: dict[str, str | bytes] = {
        f"{name}.py": made.module,
        f"{name}.pyi": made.stub,
        f"{name}.c": program.source,
        f"{name}.h": program.header,
        f"lib{name}.so": content,
        f"{name}.json": manifest(program, options),
        plan_of(name): dumps(program.plan),
    }
    write_files(folder, files)
    return folder / f"{name}.py"


def manifest(program: CProgram, options: "COptions") -> str:
    """Return a description of the library as JSON."""
    names = symbols(program.name, program.plan.entries)
    return json.dumps(
        {
            "library": f"lib{program.name}.so",
            "header": f"{program.name}.h",
            "source": f"{program.name}.c",
            "flags": list(options.flags),
            "safe": program.plan.safe,
            "entries": [_entry(e, names[e.name]) for e in program.plan.entries],
        },
        indent=2,
    )


def _entry(e: EntryPlan, symbol: str) -> dict[str, object]:
    return {
        "name": e.name,
        "symbol": symbol,
        "sizes": list(e.sizes),
        "parameters": [_port(p) for p in e.params],
        "results": [_port(p) for p in e.results],
    }


def _port(p: Port) -> dict[str, object]:
    if isinstance(p, ScalarPort):
        return {"name": p.name, "type": str(p.type), "c_type": abi_type(p.type), "shape": []}
    shape = [str(d) for d in p.shape]
    return {"name": p.name, "type": str(p.elem), "c_type": abi_type(p.elem), "shape": shape}


_DOC = """\
A program compiled by funmem: lib{name}.so and {name}.plan.json, beside this file, and how to
call it.

Arguments are numpy arrays and Python or numpy scalars.
"""


class CArtifact:
    """A library in a folder; it is loaded at its first use."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._library: CLibrary | None = None
        self.entries = Entries(self.entry)

    def entry(self, name: str) -> "CEntryPoint":
        """Return an entry point.  Raises InputError, DeviceError."""
        from funmem.codegen.c_library import CLibrary

        if self._library is None:
            path = self._folder / f"lib{self._name}.so"
            plan = loads_plan(self._folder, self._name)
            self._library = CLibrary.open(path, self._name, plan)
        return self._library.entry(name)
