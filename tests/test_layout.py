"""The rooms: where they import from, who may import whom, and what a node may hold."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "ir": {"ir"},
    "passes": {"ir", "passes"},
    "interp": {"ir", "interp"},
    "codegen": {"ir", "codegen"},
    "funmem": {"ir", "passes", "interp", "codegen", "funmem"},
}
ROOMS = sorted(MAY_IMPORT.keys() - {"funmem"})
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
            if isinstance(stmt, ast.AnnAssign) and names(stmt.annotation) & (MUTABLE | {"Any"}):
                yield stmt


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
