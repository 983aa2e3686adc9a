"""What the programs of a run consist of: constructs of the language, functions of the library.

A comparison says nothing about what no program has, so the report ends with that.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TypeGuard, get_args

import attrs

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.parser import parse
from funmem.ir.diagnostics import SourceError
from funmem.testing.fut_generator.library import BY_HAND, functions, scalar_members

CONSTRUCTS: tuple[type, ...] = (
    *(
        kind
        for union in (ast.Exp, ast.Pattern, ast.TypeExp, ast.Dim, ast.Dec)
        for kind in get_args(union)
    ),
    *(ast.ForLess, ast.ForIn, ast.While, ast.TypeParam, ast.TESize),
)
"""The classes of the syntax tree."""

SHOWN = 40
"""So many are listed."""

BEYOND = {
    "CharLit": "Tier 3",
    "StringLit": "Tier 3",
    "Hole": "Tier 3",
    "OpenIn": "Tier 3",
    "Open": "Tier 3",
    "Comprehension": "not Futhark's",
    "Import": "programs are single files",
    "Local": "programs are single files",
    **dict.fromkeys(("PathUpdate", "PathSection"), "newer than Futhark 0.25"),
    **dict.fromkeys(("ModuleDec", "ModuleTypeDec", "OpenModule"), "Tier 3"),
}
"""Constructs that generated programs do not have, and why."""


def library() -> frozenset[str]:
    """The functions that generated programs may use."""
    named = (*functions(), *scalar_members())
    return frozenset({*(c.chosen for c in named), *BY_HAND})


@attrs.define
class Coverage:
    """How often each construct and each function occurred."""

    constructs: Counter[str] = attrs.field(factory=Counter)
    names: Counter[str] = attrs.field(factory=Counter)

    def add(self, text: str, file: str) -> None:
        """Count a program; one that cannot be parsed counts as nothing."""
        try:
            program = parse(text, file)
        except SourceError:
            return
        for x in nodes(program):
            self.constructs[type(x).__name__] += 1
            if isinstance(x, ast.QualName):
                self.names[".".join((*x.quals, x.name))] += 1

    def summary(self) -> list[str]:
        """How many of what there is occurred, and what did not."""
        wanted = [kind.__name__ for kind in CONSTRUCTS if kind.__name__ not in BEYOND]
        known = sorted(library())
        lines: list[str] = []
        for what, all_, seen in (
            ("constructs", wanted, self.constructs),
            ("library functions", known, self.names),
        ):
            absent = [x for x in all_ if not seen[x]]
            lines.append(f"{what}: {len(all_) - len(absent)} of {len(all_)} occurred")
            if absent:
                more = f" and {len(absent) - SHOWN} more" if len(absent) > SHOWN else ""
                lines.append(f"  never: {', '.join(absent[:SHOWN])}{more}")
            else:
                rare = sorted(all_, key=lambda x: (seen[x], x))[:5]
                lines.append(f"  rarest: {', '.join(f'{x} ({seen[x]})' for x in rare)}")
        return lines


def nodes(tree: object) -> Iterator[object]:
    """The nodes of a syntax tree, names among them."""
    todo = [tree]
    while todo:
        x = todo.pop()
        if isinstance(x, tuple):
            todo += x
        elif is_node(x):
            yield x
            todo += [getattr(x, f.name) for f in attrs.fields(type(x))]


def is_node(x: object) -> TypeGuard[attrs.AttrsInstance]:
    """True for a node of the syntax tree."""
    return isinstance(x, ast.Node)
