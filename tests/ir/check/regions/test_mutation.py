"""Each premise of the rules of regions is needed: without it a wrong annotation is accepted."""

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

import funmem.ir.check.regions
from funmem.ir.diagnostics import SourceError
from tests.ir.check.regions.test_regions import REJECTED, SOURCES, read
from tests.seeded.finder import Finder
from tests.support.sampling import sampled

PACKAGE = "funmem.ir.check.regions"
JUDGEMENTS = ("require", "same", "makes", "in_scope", "only", "takes_apart", "well_formed")


def premises(tree: ast.Module) -> Iterator[ast.Expr]:
    """The statements that require something."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(ast.Call(ast.Name(name))) if name in JUDGEMENTS:
                yield node
            case _:
                pass


def module_of(path: Path) -> str:
    return PACKAGE if path.stem == "__init__" else f"{PACKAGE}.{path.stem}"


ALL = [
    pytest.param(module_of(path), k, id=f"{path.stem}:{s.lineno}")
    for path in SOURCES
    for k, s in enumerate(premises(ast.parse(path.read_text(encoding="utf-8"))))
]


class Without(ast.NodeTransformer):
    """Removes one statement."""

    def __init__(self, gone: ast.Expr) -> None:
        self.gone = gone

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        return ast.copy_location(ast.Pass(), node) if node is self.gone else node


def without(text: str, k: int) -> ast.Module:
    tree = ast.parse(text)
    return ast.fix_missing_locations(Without(list(premises(tree))[k]).visit(tree))


@contextmanager
def changed(module: str, k: int) -> Iterator[object]:
    """The checker without a premise."""
    names = [x for x in sys.modules if x == PACKAGE or x.startswith(f"{PACKAGE}.")]
    kept = {x: sys.modules.pop(x) for x in names}
    finder = Finder({module: lambda text: without(text, k)})
    sys.meta_path.insert(0, finder)
    try:
        yield import_module(PACKAGE)
    finally:
        sys.meta_path.remove(finder)
        for x in [x for x in sys.modules if x == PACKAGE or x.startswith(f"{PACKAGE}.")]:
            del sys.modules[x]
        sys.modules.update(kept)
        vars(sys.modules["funmem.ir.check"])["regions"] = funmem.ir.check.regions


@pytest.mark.parametrize(("module", "k"), sampled(ALL, 0, slow=12))
def test_a_premise_is_needed(module: str, k: int) -> None:
    with changed(module, k) as checker:
        for path in REJECTED:
            try:
                vars(checker)["check_regions"](read(path))
            except SourceError as e:
                if not path.stem.startswith(f"{e.diagnostic.code}-"):
                    return
            except Exception:  # what the premise excludes
                return
            else:
                return
    pytest.fail("no wrong annotation needs it")
