"""A program as files: the root, and what it imports.

``import "a/b"`` means the file ``a/b.fut`` beside the importing one.  Every file is read once,
through a function, so that tests and other tools need no file system.
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
"""Path -> text.  Raises OSError, or UnicodeDecodeError, if there is none."""


@frozen
class Loaded:
    """A program.  ``files``: path -> tree, imported files before those that import them."""

    root: str
    files: dict[str, ast.SourceFile]
    imports: dict[ast.Import | ast.ModImport, str] = field(eq=False)
    """The path that each import means."""
    texts: dict[str, str] = field(repr=False)


def read_file(path: str) -> str:
    """A file's text, as UTF-8."""
    return Path(path).read_bytes().decode("utf-8")


def load(root: str, read: Read = read_file) -> Loaded:
    """Read and parse a program.  Raises SourceError, and OSError for the root itself."""
    return _Loader(read).load(root, read(root))


def load_text(text: str, file: str = "<text>", read: Read = read_file) -> Loaded:
    """A program whose root is ``text``; imports are relative to the path ``file``."""
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
        self.files[path] = tree  # after those it imports

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


def _imports(parts: Iterable[object]) -> Iterator[ast.Import | ast.ModImport]:
    """The imports in declarations, those inside of modules, too."""
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
            case _:
                pass
