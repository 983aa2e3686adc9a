"""Writes a compiled program as files, and loads it without compiling it again.

    NAME.cl           the OpenCL C source, for any device
    NAME.plan.json    the host plan
    NAME.py           a module with one function per entry point

The module finds the other files beside it and runs them with funmem's runtime.  The files of a
program share its name, so a folder can hold several programs.
"""

import keyword
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from funmem.codegen.files import write_files
from funmem.codegen.plan import Compiled, EntryPlan, Plan
from funmem.codegen.plan_json import dumps, loads
from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError
from funmem.ir.imp import ArrayPort, Port

if TYPE_CHECKING:  # writing a program needs neither a device nor pyopencl
    from funmem.codegen.runtime import EntryPoint, Executable


def plan_of(name: str) -> str:
    """Return the name of the file with a module's host plan."""
    return f"{name}.plan.json"


def write(program: "Compiled | Executable", folder: Path, name: str = "program") -> Path:
    """Write a compiled program into a folder and return the path of the module.

    The folder is created if needed.  Raises UsageError if it cannot be written to.
    """
    name = identifier(name)
    head = _HEAD.format(name=name)
    files = {
        f"{name}.py": module_text(head, program.plan.entries, ("Path", "Artifact")),
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


# ---------------------------------------------------------------------- the module


def identifier(name: str, taken: Iterable[str] = ()) -> str:
    """Return a Python identifier that resembles ``name``.

    It is not a keyword, does not begin with ``_`` and is not in ``taken``.
    """
    text = re.sub(r"[^A-Za-z0-9_]", "_", name).lstrip("_") or "x"
    if text[0].isdigit() or keyword.iskeyword(text) or keyword.issoftkeyword(text):
        text = f"x_{text}"
    while text in taken:
        text += "_"
    return text


def module_text(head: str, entries: Iterable[EntryPlan], names: Iterable[str]) -> str:
    """Return the text of a module with a function for each entry point.

    ``head``: its beginning, which defines ``_entries``; ``names``: the names that it uses.
    """
    taken = set(names)
    functions = []
    for e in entries:
        name = identifier(e.name, taken)
        taken.add(name)
        functions.append(_function(name, e))
    return head + "".join(functions)


_HEAD = '''\
"""A program compiled by funmem: {name}.cl and {name}.plan.json, beside this file, and how
to call it.

Arguments are numpy arrays, Python or numpy scalars, and results of other calls.  Results stay on
the device until their elements are used.  The device is the default one, or the one that the
environment variable FUNMEM_DEVICE names.
"""

from pathlib import Path

from funmem.codegen.artifact import Artifact

_entries = Artifact(Path(__file__).parent, "{name}").entries
'''


def _function(name: str, e: EntryPlan) -> str:
    params: list[str] = []
    for p in e.params:
        params.append(identifier(p.name, params))
    doc = " ".join(f"{_show(e)}.".split())
    return (
        f"\n\ndef {name}({', '.join(params)}):\n"
        f"    {_text(doc)}\n"
        f"    return _entries[{_text(e.name)}]({', '.join(params)})\n"
    )


def _text(s: str) -> str:
    """Return a string literal in ASCII."""
    return ascii(s)


def _show(e: EntryPlan) -> str:
    sizes = "".join(f"[{n}] " for n in e.sizes)
    params, results = (" ".join(map(_show_port, ports)) for ports in (e.params, e.results))
    return f"{e.name} {sizes}{params} -> {results}"


def _show_port(p: Port) -> str:
    shape = "".join(f"[{d}]" for d in p.shape) if isinstance(p, ArrayPort) else ""
    return f"({p.name} : {shape}{p.elem if isinstance(p, ArrayPort) else p.type})"
