r"""Place ``letregion``: choose the expression around which each local region lives.

    \x -> let y = iota x 0 1 in f (g y)        ENTRY: @letregion['r1, 'r2] (let y = …)
                                               TIGHT: let … in f (@letregion['r2] …)

A region is local to a definition, an entry point or a closure if it is not in its type.  At first
it begins at the entry of the body that it is local to (paper 000, section 5.1).  TIGHT moves it to
the smallest expression that contains all its uses and does not have it in its type: into the body
of a loop, so that an iteration frees what it made, and into the body of a map.
"""

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from attrs import field

from funmem.ir import core as c
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.regions.forms import STATIC, regions_in
from funmem.passes.core.regions.draft import Draft, Regions

Group: TypeAlias = Mapping[Name, tuple[Name, ...]]


class Placement(Enum):
    """Where a local region begins."""

    ENTRY = "entry"
    """At the entry of the body that it is local to."""
    TIGHT = "tight"
    """At the smallest expression that allows it."""


@define(eq=False)
class _Node:
    """A draft in a body, the node around it, and its depth."""

    draft: Draft
    outer: "_Node | None"
    depth: int
    root: bool = field(default=False)
    """True for the body of a definition, an entry point or a closure."""


def place(
    body: Draft, given: frozenset[Name], regions: Regions, how: Placement, group: Group
) -> None:
    """Bind the regions of a body that are not ``given`` by ``letregion``.

    ``group`` has the regions of the definitions of the same group, which calls mention.
    """
    places = _lowest(body, regions, group)
    for r, node in places.items():
        if r in given or r == STATIC:
            continue
        while not _may_hold(node, r, regions):
            if node.outer is None:
                break
            node = node.outer
        if how is Placement.ENTRY:
            while not node.root and node.outer is not None:
                node = node.outer
        node.draft.local = (*node.draft.local, r)


def _may_hold(node: _Node, r: Name, regions: Regions) -> bool:
    """True if r may end with the expression: it is no code in place, and its type has no r."""
    code = node.draft.code
    return not code and r not in {regions.find(x) for x in regions_in(node.draft.type)}


def _lowest(body: Draft, regions: Regions, group: Group) -> dict[Name, _Node]:
    """Return the lowest expression that contains all uses of each region, in order of first use."""
    found: dict[Name, _Node] = {}
    todo = [_Node(body, None, 0, root=True)]
    while todo:
        node = todo.pop()
        d = node.draft
        mentioned = [x for t in d.types for x in regions_in(t)]
        if d.group is not None:
            mentioned += group[d.group]
        for x in (*d.made, *d.args, *mentioned):
            r = regions.find(x)
            found[r] = _common(found[r], node) if r in found else node
        closure = isinstance(d.exp, c.Lambda | c.Mu) and not d.code
        parts = [_Node(x, node, node.depth + 1, root=closure) for x in d.parts]
        todo += reversed(parts)
    return found


def _common(a: _Node, b: _Node) -> _Node:
    """Return the lowest node around two nodes."""
    while a is not b:
        if a.depth >= b.depth and a.outer is not None:
            a = a.outer
        elif b.outer is not None:
            b = b.outer
    return a
