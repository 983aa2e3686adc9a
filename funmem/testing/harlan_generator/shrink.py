"""Make a failing `.kfc` program small: remove parts of its text as long as it fails alike.

    (f a (g b))    ->    (f a)   (f (g b))   a   (g b)   0   …

The text is a tree of brackets, and so every candidate is one.  Most are no programs; the judge of
the caller says so.
"""

import time
from collections.abc import Callable, Iterator
from typing import TypeAlias

from funmem.frontends import sexpr
from funmem.frontends.harlan.tokens import SYNTAX

Tree: TypeAlias = "str | tuple[Tree, ...]"
ATOMS = ("0", "#t", "1.5")


def shrunk(text: str, fails: Callable[[str], bool], seconds: float = 60.0) -> str:
    """Return a smaller text that still ``fails``, after at most so much time."""
    end = time.monotonic() + seconds
    data, _ = sexpr.read(text, "shrink", SYNTAX)
    tree: Tree = tuple(map(_tree, data))
    again = True
    while again:
        again = False
        for candidate in _smaller(tree):
            if time.monotonic() > end:
                return _text(tree)
            if _size(candidate) < _size(tree) and fails(_text(candidate)):
                tree, again = candidate, True
                break
    return _text(tree)


def _tree(d: sexpr.Datum) -> Tree:
    return d.text if isinstance(d, sexpr.Atom) else tuple(map(_tree, d.items))


def _text(t: Tree) -> str:
    """Return a program, each declaration in a line of its own."""
    match t:
        case (("module", *declarations),):
            return "(module\n" + "".join(f"  {_flat(d)}\n" for d in declarations) + ")\n"
        case _:
            return _flat(t)


def _flat(t: Tree) -> str:
    return t if isinstance(t, str) else f"({' '.join(map(_flat, t))})"


def _size(t: Tree) -> int:
    """Return the number of brackets and atoms; a simple atom counts less than a name."""
    if isinstance(t, str):
        return 1 if t in ATOMS else 2
    return 1 + sum(map(_size, t))


def _smaller(t: Tree) -> Iterator[Tree]:
    """Yield trees with one part removed or replaced, those that remove most first."""
    places = sorted(_places(t), key=lambda p: -_size(_at(t, p)))
    for p in places:
        if p:
            yield _put(t, p, None)
    for p in places:
        here = _at(t, p)
        if p and not isinstance(here, str):
            for part in here:
                yield _put(t, p, part)
            for atom in ATOMS:
                yield _put(t, p, atom)


def _places(t: Tree) -> Iterator[tuple[int, ...]]:
    """Yield the paths to all parts."""
    yield ()
    if not isinstance(t, str):
        for k, part in enumerate(t):
            for p in _places(part):
                yield (k, *p)


def _at(t: Tree, path: tuple[int, ...]) -> Tree:
    for k in path:
        assert not isinstance(t, str)
        t = t[k]
    return t


def _put(t: Tree, path: tuple[int, ...], new: "Tree | None") -> Tree:
    """Return a tree with another part at a path; None removes it."""
    if not path:
        assert new is not None
        return new
    assert not isinstance(t, str)
    k, *rest = path
    if not rest:
        middle = () if new is None else (new,)
        return (*t[:k], *middle, *t[k + 1 :])
    return (*t[:k], _put(t[k], tuple(rest), new), *t[k + 1 :])
