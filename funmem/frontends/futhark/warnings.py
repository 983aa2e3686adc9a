"""Warnings about valid programs: unused names, worded as in Futhark's compiler."""

from collections.abc import Iterator

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.program import typed
from funmem.frontends.futhark.typing import LocalRef, Ref, Typing
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.names import Name


def warnings(text: str, file: str) -> list[Diagnostic]:
    """Return the warnings about the text of a valid program, in order.  Raises SourceError."""
    typing = typed(text, file)
    used = frozenset(_used(typing))
    found = {
        (at.line, at.col): Diagnostic(at, "unused-name", f'Unused name "{text}".', "", "warning")
        for text, name, at in _bound(typing)
        if name not in used and not text.startswith("_") and at.file == file
    }
    return [found[place] for place in sorted(found)]


def _bound(typing: Typing) -> Iterator[tuple[str, Name, Span]]:
    """Yield source name, unique name and place of each variable and local function."""
    for key, name in typing.names.items():
        if isinstance(key, ast.PVar):
            yield key.name, name, key.at
            continue
        node, text = key
        if isinstance(node, ast.LetFun | ast.ForLess | ast.LetWith):
            yield text, name, node.at


def _used(typing: Typing) -> Iterator[Name]:
    refs: list[Ref] = [*typing.refs.values(), *typing.opened.values(), *typing.initials.values()]
    for ref in refs:
        if isinstance(ref, LocalRef):
            yield ref.name
