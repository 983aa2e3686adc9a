"""What is right, and probably not meant: names that nothing uses, as Futhark's compiler says."""

from collections.abc import Iterator

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.program import typed
from funmem.frontends.futhark.typing import LocalRef, Ref, Typing
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.names import Name


def warnings(text: str, file: str) -> list[Diagnostic]:
    """The warnings about a right program's own text, in order.  Raises SourceError."""
    typing = typed(text, file)
    used = frozenset(_used(typing))
    found = {
        (at.line, at.col): Diagnostic(at, "unused-name", f'Unused name "{text}".', "", "warning")
        for text, name, at in _bound(typing)
        if name not in used and not text.startswith("_") and at.file == file
    }
    return [found[place] for place in sorted(found)]


def _bound(typing: Typing) -> Iterator[tuple[str, Name, Span]]:
    """The variables and local functions that definitions bind: as written, uniquely, and where."""
    for key, name in typing.names.items():
        match key:
            case ast.PVar(text, at):
                yield text, name, at
            case (ast.LetFun(at=at) | ast.ForLess(at=at) | ast.LetWith(at=at), str(text)):
                yield text, name, at
            case _:
                pass


def _used(typing: Typing) -> Iterator[Name]:
    refs: list[Ref] = [*typing.refs.values(), *typing.opened.values(), *typing.initials.values()]
    for ref in refs:
        if isinstance(ref, LocalRef):
            yield ref.name
