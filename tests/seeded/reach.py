"""Which seeded bugs a pass comes across: on any other program a faulty pass does what the right one
does, and need not be run.

After :func:`watch`, which has to be called before any pass is imported (tests.seeded.watched), each
statement that a bug is in says so when it is reached.  Of modules that were there already nothing
is known, and any pass may come across their bugs.
"""

import ast
import sys
from difflib import SequenceMatcher

from tests.seeded.bug import SeededBug
from tests.seeded.finder import Change, Finder
from tests.seeded.table import BUGS

REACHED: set[str] = set()
"""The names of the bugs that were reached since this was cleared."""

ALWAYS = {b.name for b in BUGS}
"""Those that may be reached at any time, for all that is known."""

_SAY = "from tests.seeded.reach import REACHED as _reached_"


def watch() -> None:
    """From now on modules that are imported say which bugs they come across."""
    modules = {b.module for b in BUGS} - sys.modules.keys()
    ALWAYS.difference_update(b.name for b in BUGS if b.module in modules)
    sys.meta_path.insert(0, Finder({m: _watched(m) for m in modules}))


def _watched(module: str) -> Change:
    bugs = [b for b in BUGS if b.module == module]

    def change(text: str) -> ast.Module:
        tree = ast.parse(text)
        places: list[tuple[list[ast.stmt], ast.stmt, str]] = []
        for b in bugs:
            place = _innermost(tree, *_lines(text, b))
            if place is None:
                ALWAYS.add(b.name)
            else:
                places.append((*place, b.name))
        for block, stm, name in places:
            (say,) = ast.parse(f"_reached_.add({name!r})").body
            block.insert(block.index(stm), say)
        first = next(
            k
            for k, s in enumerate(tree.body)
            if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
            and not (isinstance(s, ast.ImportFrom) and s.module == "__future__")
        )
        tree.body[first:first] = ast.parse(_SAY).body
        return ast.fix_missing_locations(tree)

    return change


def _lines(text: str, b: SeededBug) -> tuple[int, int]:
    """The first and the last line that a bug changes."""
    start = text.index(b.old)
    changes = [
        (i, max(i + 1, j))
        for tag, i, j, _, _ in SequenceMatcher(None, b.old, b.new, autojunk=False).get_opcodes()
        if tag != "equal"
    ]
    first, last = start + changes[0][0], start + changes[-1][1] - 1
    return text.count("\n", 0, first) + 1, text.count("\n", 0, last) + 1


def _innermost(tree: ast.Module, first: int, last: int) -> tuple[list[ast.stmt], ast.stmt] | None:
    """The innermost statement around some lines, and the block that it is in; None if it is not
    executed by a function, but when the module is imported.
    """
    found: tuple[list[ast.stmt], ast.stmt] | None = None
    node: ast.AST = tree
    while True:
        inner = next(
            (
                (block, s)
                for block in _blocks(node)
                for s in block
                if _starts(s) <= first and last <= (s.end_lineno or s.lineno)
            ),
            None,
        )
        if inner is None:
            return found
        node = inner[1]
        if found is not None or isinstance(node, ast.FunctionDef):
            found = inner
        if isinstance(node, ast.FunctionDef) and not any(s.lineno <= first for s in node.body):
            return None  # its head: that is executed where it is defined
        if isinstance(node, ast.FunctionDef):
            found = (node.body, next(s for s in node.body if last <= (s.end_lineno or 0)))


def _starts(s: ast.stmt) -> int:
    decorators = getattr(s, "decorator_list", [])
    return min([s.lineno, *(d.lineno for d in decorators)])


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """The blocks of statements directly inside a node."""
    blocks = [b for f in ("body", "orelse", "finalbody") if (b := getattr(node, f, None))]
    parts = [*getattr(node, "handlers", []), *getattr(node, "cases", [])]
    return [b for b in (*blocks, *(p.body for p in parts)) if isinstance(b, list)]
