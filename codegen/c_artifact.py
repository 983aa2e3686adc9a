"""A program compiled to C, as files.

    NAME.c  NAME.h     the library's source and its header, for C programs
    libNAME.so         built for this machine
    NAME.json          the manifest: what is called how, with which types and shapes
    NAME.plan.json     the host plan, which knows what a failed check says
    NAME.py            a module with one function per entry point

The module finds the other files beside it and calls the library through ctypes.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from funmem.codegen.artifact import loads_plan, module_text, plan_of
from funmem.codegen.c import CProgram, symbols
from funmem.codegen.c_host import abi_type
from funmem.codegen.files import write_files
from funmem.codegen.plan import EntryPlan
from funmem.codegen.plan_json import dumps
from funmem.ir.imp import Port, ScalarPort

if TYPE_CHECKING:
    from funmem.codegen.c_library import CEntryPoint, CLibrary, COptions


def write_c(program: CProgram, folder: Path, options: "COptions") -> Path:
    """Builds a library, writes it into a folder, made if need be, and answers the module's path.

    Those who have loaded an older one go on with that.  Raises DeviceError without a C compiler,
    UsageError for a folder that cannot be written to.
    """
    from funmem.codegen.c_library import build

    content = build(program, options, None)
    name = program.name
    files: dict[str, str | bytes] = {
        f"{name}.py": module_text(_HEAD.format(name=name), program.plan.entries, _TAKEN),
        f"{name}.c": program.source,
        f"{name}.h": program.header,
        f"lib{name}.so": content,
        f"{name}.json": manifest(program, options),
        plan_of(name): dumps(program.plan),
    }
    write_files(folder, files)
    return folder / f"{name}.py"


def manifest(program: CProgram, options: "COptions") -> str:
    """What the library holds, as JSON."""
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


_TAKEN = ("Path", "CArtifact")
_HEAD = '''\
"""A program compiled by funmem: lib{name}.so and {name}.plan.json, beside this file, and how to
call it.

Arguments are numpy arrays and Python or numpy scalars.
"""

from pathlib import Path

from funmem.codegen.c_artifact import CArtifact

_artifact = CArtifact(Path(__file__).parent, "{name}")
'''


class CArtifact:
    """A library in a folder, loaded when it is first used."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._library: CLibrary | None = None

    def entry(self, name: str) -> "CEntryPoint":
        """An entry point, ready to be called.  Raises InputError, DeviceError."""
        from funmem.codegen.c_library import CLibrary

        if self._library is None:
            path = self._folder / f"lib{self._name}.so"
            plan = loads_plan(self._folder, self._name)
            self._library = CLibrary.open(path, self._name, plan)
        return self._library.entry(name)
