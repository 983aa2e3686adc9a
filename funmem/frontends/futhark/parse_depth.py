"""Check the depth of a syntax tree.

Depth counts nesting, not length: a chain counts as one level, however long it is.  Chains are

    e op e op e …       operators, to the left or to the right
    f e e e …           arguments
    e.l.m[i].n …        fields and elements
    let … let … in e    bindings

The parser bounds the nesting of brackets, but prefix operators and forms without a closing bracket
nest too.  The check uses an explicit stack, since its trees may be too deep for recursion.
"""

from collections.abc import Mapping
from typing import cast

from attrs import fields

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.parse_base import MAX_DEPTH, MAX_LETS, Cursor
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import ScalarType

_LETS = (ast.Let, ast.LetFun, ast.LetWith)
_LINKS: Mapping[type, tuple[str, ...]] = {
    **dict.fromkeys(_LETS, ("body",)),
    ast.BinOp: ("left", "right"),
    ast.App: ("fn",),
    ast.Project: ("exp",),
    ast.Index: ("exp",),
}
"""The fields of a node that continue its chain, if they hold a node with the same entry here."""

MAX_LINKS = 4_000
"""Maximum length of other chains: passes over Core recurse over them, a few frames per link."""

_NO_NODES = (str, int, float, bool, bytes, str | None, tuple[str, ...], ScalarType | None)
_NO_LEVEL = (Span, ast.QualName, ast.ParamKind, ast.RangeEnd)


def _parts() -> Mapping[type, tuple[str, ...]]:
    """Map each class to its fields that hold nodes, if it has any."""
    classes = [t for t in vars(ast).values() if isinstance(t, type) and hasattr(t, "at")]
    kept = {t: [a.name for a in fields(t) if a.type not in _NO_NODES + _NO_LEVEL] for t in classes}
    return {t: tuple(names) for t, names in kept.items() if names}


_PARTS = _parts()


def check_depth(c: Cursor, start: int, root: object) -> None:
    """Raise a SourceError for a tree deeper than MAX_DEPTH levels, or a chain that is too long.

    ``start`` is the token position before ``root``.  Each level has a token of its own, so a tree
    of few tokens is not walked.
    """
    if c.position() - start < MAX_DEPTH:
        return
    stack: list[tuple[object, int, int]] = [(root, 1, 0)]
    while stack:
        node, depth, links = stack.pop()
        kind = type(node)
        if kind is tuple:
            for part in cast(tuple[object, ...], node):
                if type(part) is tuple or type(part) in _PARTS:
                    stack.append((part, depth, 0))
            continue
        at = getattr(node, "at", None)
        if depth > MAX_DEPTH and isinstance(at, Span):
            raise c.too_deep(at)
        if kind in _LETS and links >= MAX_LETS and isinstance(at, Span):
            raise c.mistake(at, f"more than {MAX_LETS} lets in a row", "move some to a function")
        if links >= MAX_LINKS and isinstance(at, Span):
            raise c.mistake(at, f"a chain of more than {MAX_LINKS} parts", "name some with let")
        for name in _PARTS.get(kind, ()):
            child = getattr(node, name)
            if type(child) is tuple or type(child) in _PARTS:
                goes_on = name in _LINKS.get(kind, ()) and _same_chain(kind, type(child))
                stack.append((child, depth, links + 1) if goes_on else (child, depth + 1, 0))


def _same_chain(kind: type, child: type) -> bool:
    return _LINKS.get(kind) == _LINKS.get(child)
