"""The rooms: where they import from, who may import whom, and what a node may hold."""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.support.paths import ROOT

MAY_IMPORT = {
    "ir": {"ir"},
    "passes": {"ir", "passes"},
    "interp": {"ir", "interp"},
    "codegen": {"ir", "codegen"},
    "funmem": {"ir", "passes", "interp", "codegen", "funmem"},
}
ROOMS = sorted(MAY_IMPORT.keys() - {"funmem"})
LAYERS = (
    ("ir",),
    ("ir/regions",),
    ("ir/text",),
    ("ir/check",),
    ("ir/logic",),
    ("ir/verify",),
    ("interp",),
    ("interp/core",),
    ("codegen",),
    ("codegen/memory_plan",),
    ("passes",),
    ("passes/core", "passes/fun", "passes/imp"),
    ("passes/lower",),
    ("passes/mem",),
    ("funmem/frontends",),
    ("funmem/driver",),
    ("funmem/values",),
    ("funmem/suite", "funmem/explain", "funmem/verify"),
    ("funmem/frontends/python",),
    ("funmem/testing",),
    ("funmem/bench",),
    ("funmem/tune",),
    ("funmem",),
    ("funmem/commands",),
)
"""The rooms of the house, lowest first: a module imports its own room and rooms of earlier rows.

Imports inside functions count as well.  The registry of passes and the command line load modules by
name; nothing else does.
"""
LAYER = {room: k for k, row in enumerate(LAYERS) for room in row}
MUTABLE = {"list", "dict", "set", "bytearray", "List", "Dict", "Set"}
MUTABLE |= {"MutableMapping", "MutableSequence", "MutableSet", "defaultdict", "deque", "Counter"}


def sources(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def where(path: Path, node: ast.expr | ast.stmt) -> str:
    return f"{path.relative_to(ROOT)}:{node.lineno}"


def python(*args: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, *args], cwd=cwd, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ------------------------------------------------------------------- checkout


@pytest.mark.parametrize("room", ROOMS)
def test_checkout_imports_its_own_rooms(room: str) -> None:
    out = python("-c", f"import funmem.{room}; print(funmem.{room}.__file__)", cwd=ROOT)
    assert Path(out.strip()) == ROOT / room / "__init__.py"


def test_version_command_is_light() -> None:
    script = """if True:
        import runpy, sys
        sys.argv = ["funmem", "--version"]
        try:
            runpy.run_module("funmem", run_name="__main__")
        except SystemExit as end:
            assert not end.code
        print({"numpy", "pyopencl", "sympy"} & sys.modules.keys() or "light")
    """
    version, loaded = python("-c", script, cwd=ROOT).splitlines()
    assert version.startswith("funmem, version ")
    assert loaded == "light"


def test_every_folder_with_code_is_a_package() -> None:
    folders = {path.parent for room in MAY_IMPORT for path in sources(room)}
    assert [f for f in sorted(folders) if not (f / "__init__.py").is_file()] == []


def test_nothing_in_the_funmem_folder_hides_a_room() -> None:
    assert [r for r in ROOMS if (ROOT / "funmem" / r).exists()] == []
    assert [r for r in ROOMS if (ROOT / "funmem" / f"{r}.py").exists()] == []


# -------------------------------------------------------------------- imports


def imports(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Every module that is imported anywhere in a file, relative ones with their dots."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from ((node, alias.name) for alias in names)
            case ast.ImportFrom("funmem", names, 0):
                yield from ((node, f"funmem.{alias.name}") for alias in names)
            case ast.ImportFrom(module, _, level):
                yield node, "." * (level or 0) + (module or "")
            case ast.Call(ast.Name(f) | ast.Attribute(attr=f), [ast.Constant(str(module)), *_]) if (
                f in ("import_module", "__import__")
            ):
                yield node, module


def wrong_import(room: str, module: str) -> bool:
    """Whether a file of `room` may not import `module`."""
    top, *rest = module.split(".")
    if top == "":
        return True  # relative
    if top in ROOMS or top in ("tests", "papers"):
        return True  # a room imports as funmem.<room>
    if top != "funmem":
        return False  # somebody else's
    if rest and rest[0] in ROOMS:
        return rest[0] not in MAY_IMPORT[room]
    return "funmem" not in MAY_IMPORT[room]


@pytest.mark.slow
@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_go_one_way(room: str) -> None:
    wrong = [
        f"{where(path, node)}: {module}"
        for path in sources(room)
        for node, module in imports(ast.parse(path.read_text()))
        if wrong_import(room, module)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("ir", "import funmem.passes"),
        ("ir", "from funmem import interp"),
        ("ir", "import funmem"),
        ("passes", "from funmem.interp.heap import run"),
        ("passes", "def f():\n import funmem.codegen.opencl as o"),
        ("interp", "from funmem.passes import simplify"),
        ("codegen", "import numpy, funmem.passes"),
        ("codegen", "from funmem.cli import main"),
        ("passes", "from ir import fun"),
        ("passes", "from . import simplify"),
        ("interp", "importlib.import_module('funmem.codegen')"),
        ("funmem", "from tests import generate"),
    ],
)
def test_a_wrong_import_is_seen(room: str, line: str) -> None:
    assert any(wrong_import(room, module) for _, module in imports(ast.parse(line)))


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("ir", "from funmem.ir.names import Name"),
        ("passes", "from funmem import ir"),
        ("interp", "import numpy, funmem.ir.fun"),
        ("funmem", "from funmem import __version__, passes"),
        ("codegen", "import iris, funmemory"),
    ],
)
def test_a_right_import_is_not(room: str, line: str) -> None:
    assert not any(wrong_import(room, module) for _, module in imports(ast.parse(line)))


# ------------------------------------------------------------------ rooms, circles


def modules() -> dict[str, Path]:
    """Every module of the house by its dotted name; a package has that of its folder."""
    found = {}
    for path in (path for room in MAY_IMPORT for path in sources(room)):
        parts = path.relative_to(ROOT).with_suffix("").parts
        parts = parts if parts[0] == "funmem" else ("funmem", *parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room_of(path: Path) -> str:
    """The room a module lies in: the first two folders, ``ir/text``, or the only one.

    The tracer runs what it compiles, so it is a room of its own, above the driver.
    """
    folders = path.relative_to(ROOT).parts[:-1]
    inner = "/".join(folders[:3])
    return inner if inner in LAYER else "/".join(folders[:2])


def run_time_imports(path: Path, known: Iterable[str]) -> set[str]:
    """The modules of the house that a module imports when it runs, also inside functions.

    ``from package import name`` is an import of the module ``package.name`` if there is one.  What
    only a type checker reads, and the version of the package itself, are left out.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typed = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        match node:
            case _ if id(node) in typed:
                pass
            case ast.Import(names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(str(module), names, 0):
                found |= {
                    full if (full := f"{module}.{alias.name}") in known else module
                    for alias in names
                }
            case _:
                pass
    return (found & set(known)) - {"funmem"}


@cache
def graph() -> dict[str, set[str]]:
    known = modules()
    return {name: run_time_imports(path, known) for name, path in known.items()}


def test_every_room_has_a_layer() -> None:
    assert {room_of(path) for path in modules().values()} == LAYER.keys()


@pytest.mark.slow
def test_a_room_imports_lower_rooms_only() -> None:
    where = {name: room_of(path) for name, path in modules().items()}
    wrong = sorted(
        f"{name} ({where[name]}) imports {other} ({where[other]})"
        for name, imported in graph().items()
        for other in imported
        if where[name] != where[other] and LAYER[where[other]] >= LAYER[where[name]]
    )
    assert wrong == []


def test_imports_have_no_circles() -> None:
    """Also not among imports inside functions: a circle is one module in several files."""
    sorter = TopologicalSorter({name: some - {name} for name, some in graph().items()})
    sorter.prepare()  # raises CycleError, which names the modules


# ---------------------------------------------------------------------- nodes


def mutable_fields(tree: ast.Module) -> Iterator[ast.AnnAssign]:
    """The fields of frozen classes that could change, or of which nothing is known."""
    for cls in ast.walk(tree):
        if not isinstance(cls, ast.ClassDef):
            continue
        decorators = {
            n.id for d in cls.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)
        }
        if "frozen" not in decorators:
            continue
        for stmt in cls.body:
            if not isinstance(stmt, ast.AnnAssign) or remembers(stmt):
                continue
            if names(stmt.annotation) & (MUTABLE | {"Any"}):
                yield stmt


def remembers(field: ast.AnnAssign) -> bool:
    """True for a private field that takes no part in equality: answers computed before.

    Such a record is not a tree but an analysis of one (``Blocks._roots`` in ir/logic).
    """
    return (
        isinstance(field.target, ast.Name)
        and field.target.id.startswith("_")
        and isinstance(field.value, ast.Call)
        and any(
            k.arg == "eq" and isinstance(k.value, ast.Constant) and k.value.value is False
            for k in field.value.keywords
        )
    )


def names(annotation: ast.expr) -> set[str]:
    """The identifiers in an annotation, also in a quoted one."""
    found = set()
    for node in ast.walk(annotation):
        match node:
            case ast.Name(name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.Constant(str(text)):
                found |= names(ast.parse(text, mode="eval").body)
    return found


def test_nodes_are_deeply_immutable() -> None:
    wrong = [
        f"{where(path, stmt)}: {ast.unparse(stmt)}"
        for path in sources("ir")
        for stmt in mutable_fields(ast.parse(path.read_text()))
    ]
    assert wrong == []


@pytest.mark.parametrize("annotation", ["list[int]", "tuple['dict[str, int]', ...]", "typing.Any"])
def test_a_mutable_field_is_seen(annotation: str) -> None:
    assert list(mutable_fields(ast.parse(f"@frozen\nclass Node:\n    xs: {annotation}")))


@pytest.mark.slow
@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_records_are_made_in_one_way(room: str) -> None:
    """With several, each pays for another machinery, and equality has several meanings."""
    for path in sources(room):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.ImportFrom("attrs" | "attr", names) if path.name != "record.py":
                    made = {a.name for a in names} & {"define", "frozen", "mutable", "evolve"}
                    assert not made, f"{where(path, node)}: {made} come from funmem.ir.record"
                case ast.ImportFrom("dataclasses", _):
                    pytest.fail(f"{where(path, node)}: records come from funmem.ir.record")
                case _:
                    pass
