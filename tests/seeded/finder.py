"""Importing modules from changed source."""

from ast import Module
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

Change: TypeAlias = Callable[[str], str | Module]
"""What becomes of a module's text: another text, or a syntax tree."""


class _Loader(SourceFileLoader):
    def __init__(self, change: Change, name: str, path: str) -> None:
        super().__init__(name, path)
        self.change = change

    def get_code(self, fullname: str):  # type: ignore[no-untyped-def]  # no cached bytecode
        text = Path(self.path).read_text(encoding="utf-8")
        return compile(self.change(text), self.path, "exec")


class Finder(MetaPathFinder):
    """Finds the modules that are changed."""

    def __init__(self, changes: Mapping[str, Change]) -> None:
        self.changes = changes

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self.changes:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(self.changes[fullname], fullname, spec.origin)
        return spec
