"""Load a program: the root file and its imports.

``import "a/b"`` means the file ``a/b.fut`` relative to the importing file.  Each file is read once,
by a function that the caller may supply, so tests and other tools need no file system.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail
from funmem.frontends.futhark.parser import parse
from funmem.ir.record import frozen

Read = Callable[[str], str]
"""Returns the text at a path.  Raises OSError or UnicodeDecodeError."""


@frozen
class Loaded:
    """A loaded program.  ``files``: path -> tree, imported files before those that import them."""

    root: str
    files: dict[str, ast.SourceFile]
    imports: dict[ast.Import | ast.ModImport, str] = field(eq=False)
    """The path that each import refers to."""
    texts: dict[str, str] = field(repr=False)


def read_file(path: str) -> str:
    """Return the text of a UTF-8 file."""
    return Path(path).read_bytes().decode("utf-8")


def load(root: str, read: Read = read_file) -> Loaded:
    """Read and parse a program.  Raises SourceError, or OSError for the root itself."""
    return _Loader(read).load(root, read(root))


def load_text(text: str, file: str = "<text>", read: Read = read_file) -> Loaded:
    """Load the program with root ``text``; imports are relative to the path ``file``."""
    return _Loader(read).load(file, text)


class _Loader:
    """The state of loading one program."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self.files: dict[str, ast.SourceFile] = {}
        self.imports: dict[ast.Import | ast.ModImport, str] = {}
        self.texts: dict[str, str] = {}
        self.open: list[str] = []

    def load(self, root: str, text: str) -> Loaded:
        self._file(root, text)
        return Loaded(root, self.files, self.imports, self.texts)

    def _file(self, path: str, text: str) -> None:
        self.texts[path] = text
        self.open.append(path)
        tree = parse(text, path)
        for dec in _imports(tree.decs):
            self._import(path, dec)
        self.open.pop()
        self.files[path] = tree  # after the files that it imports

    def _import(self, importer: str, dec: ast.Import | ast.ModImport) -> None:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), dec.path + ".fut"))
        self.imports[dec] = path
        if path in self.files:
            return
        if path in self.open:
            cycle = " -> ".join([*self.open[self.open.index(path) :], path])
            fail(dec.at, "import-cycle", f"files import each other: {cycle}")
        try:
            text = self.read(path)
        except (OSError, UnicodeDecodeError, KeyError, ValueError):
            fail(dec.at, "import", f"cannot read `{path}`")
        self._file(path, text)


def _imports(parts: Iterable[ast.Dec | ast.ModExp]) -> Iterator[ast.Import | ast.ModImport]:
    """Yield the imports in declarations, also inside modules."""
    for part in parts:
        match part:
            case ast.Import() | ast.ModImport():
                yield part
            case ast.Local(dec):
                yield from _imports((dec,))
            case ast.ModuleDec(exp=exp) | ast.OpenModule(exp) | ast.ModAscript(exp):
                yield from _imports((exp,))
            case ast.ModLambda(body=body):
                yield from _imports((body,))
            case ast.ModApply(fn, arg):
                yield from _imports((fn, arg))
            case ast.ModStruct(decs):
                yield from _imports(decs)
            case ast.ValDec() | ast.TypeDec() | ast.Open() | ast.ModuleTypeDec() | ast.ModName():
                pass
