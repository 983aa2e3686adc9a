"""The checker with switches: each premise of each rule can be dropped, one at a time.

``funmem.ir.check`` is loaded a second time from its sources, in which every premise

    require(condition, at, "T-SLICE", …)        a premise that is a condition
    sizes(g, index, at)                         a premise that is another judgement

has become ``_premise(k) or require(…)``.  ``_premise`` notes that premise k was reached and says
whether it is the one that is dropped.
"""

import ast
import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import cast
from unittest.mock import patch

from attrs import define, field, frozen

import funmem.ir.check
from funmem.ir.diagnostics import Diagnostic
from funmem.ir.fun import Ann, Program
from funmem.ir.imp import ImpProgram

PACKAGE = "funmem.ir.check"
SOURCES = sorted(Path(funmem.ir.check.__file__).parent.glob("*.py"))


@frozen
class Premise:
    """A premise and where it stands; ``rule`` is None for a judgement."""

    module: str
    function: str
    rule: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.module}.{self.function}: {self.text}"


def _judgements(trees: Sequence[ast.Module]) -> frozenset[str]:
    """The functions that are called for their premises: those that are called as statements."""
    return frozenset(f.name for t in trees for f in t.body if isinstance(f, ast.FunctionDef))


TREES = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
JUDGEMENTS = _judgements(list(TREES.values()))


def _premise(s: ast.stmt, module: str, function: str) -> Premise | None:
    """The premise that a statement is, if it is one."""
    if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)):
        return None
    match s.value:
        case ast.Call(ast.Name("require"), [condition, _, ast.Constant(str(rule)), *_]):
            return Premise(module, function, rule, f"{rule} {ast.unparse(condition)}")
        case ast.Call(ast.Name(name)) if name in JUDGEMENTS:
            return Premise(module, function, None, ast.unparse(s))
        case _:
            return None


def _in_order(module: str, tree: ast.Module) -> Iterator[tuple[ast.stmt, Premise]]:
    for function in tree.body:
        for s in ast.walk(function):
            name = getattr(function, "name", "")
            if isinstance(s, ast.stmt) and (p := _premise(s, module, name)) is not None:
                yield s, p


PREMISES = tuple(p for module, tree in TREES.items() for _, p in _in_order(module, tree))


class _Switches(ast.NodeTransformer):
    """Puts a switch before each premise."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        first = next(k for k, p in enumerate(PREMISES) if p.module == module)
        self._number = {s: first + k for k, (s, _) in enumerate(_in_order(module, tree))}

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        if node not in self._number:
            return node
        switch = ast.parse(f"_premise({self._number[node]})", mode="eval").body
        either = ast.BoolOp(ast.Or(), [switch, node.value])
        return ast.copy_location(ast.Expr(ast.copy_location(either, node)), node)


@define
class Switched:
    """The second copy of the checker: its modules by name."""

    modules: dict[str, ModuleType] = field(factory=dict)
    dropped: int | None = None
    reached: set[int] = field(factory=set)

    def premise(self, k: int) -> bool:
        self.reached.add(k)
        return k == self.dropped

    @contextmanager
    def without(self, k: int) -> Iterator[None]:
        """Premise k is dropped."""
        self.dropped = k
        try:
            yield
        finally:
            self.dropped = None

    def check_all(self, program: Program[Ann] | ImpProgram) -> tuple[Diagnostic, ...]:
        package = self.modules[PACKAGE]
        check = package.check_imp_all if isinstance(program, ImpProgram) else package.check_all
        with patch.dict(sys.modules, self.modules):  # for what is imported at first use
            return cast(tuple[Diagnostic, ...], check(program))


class _Loader(SourceFileLoader):
    """Compiles the source with switches; never reads or writes bytecode files."""

    switched: Switched

    def get_code(self, fullname: str) -> CodeType:
        module = "__init__" if fullname == PACKAGE else fullname.rpartition(".")[2]
        tree = ast.parse(self.get_data(self.path), self.path)
        if any(p.module == module for p in PREMISES):
            tree = ast.fix_missing_locations(_Switches(module, tree).visit(tree))
        return compile(tree, self.path, "exec")

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["_premise"] = self.switched.premise
        super().exec_module(module)


def load() -> Switched:
    """Load the checker with switches; the real one stays what everybody else imports."""
    switched = Switched()

    class Finder(PathFinder):
        @classmethod
        def find_spec(
            cls,
            fullname: str,
            path: Sequence[str] | None = None,
            target: ModuleType | None = None,
        ) -> ModuleSpec | None:
            spec = PathFinder.find_spec(fullname, path, target)
            if not fullname.startswith(PACKAGE) or spec is None or spec.origin is None:
                return None
            spec.loader = _Loader(fullname, spec.origin)
            spec.loader.switched = switched
            return spec

    real = {name: sys.modules[name] for name in sys.modules if name.startswith(PACKAGE)}
    with patch.dict(sys.modules), patch.object(sys, "meta_path", [Finder(), *sys.meta_path]):
        for name in real:
            del sys.modules[name]
        importlib.import_module(PACKAGE)
        for path in SOURCES:
            if path.stem != "__init__":
                importlib.import_module(f"{PACKAGE}.{path.stem}")
        switched.modules |= {n: m for n, m in sys.modules.items() if n.startswith(PACKAGE)}
    vars(sys.modules["funmem.ir"])["check"] = real[PACKAGE]
    return switched
