r"""Place ``letregion``: choose the expression around which each local region lives.

    \x -> let y = iota x 0 1 in f (g y)        ENTRY: @letregion['r1, 'r2] (let y = …)
                                               TIGHT: let … in f (@letregion['r2] …)

A region is local to a definition, an entry point or a closure if it is not in its type.  At first
it begins at the entry of the body that it is local to (paper 000, section 5.1).  TIGHT moves it to
the smallest expression that contains all its uses and does not have it in its type: into the body
of a loop, so that an iteration frees what it made, and into the body of a map.  In a chain of
``let`` it ends (``endregion``) before the rest of the chain that neither mentions it nor uses a
name whose type does.
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
    parts: "list[_Node]" = field(factory=list)


def place(
    body: Draft, given: frozenset[Name], regions: Regions, how: Placement, group: Group
) -> None:
    """Bind the regions of a body that are not ``given`` by ``letregion``.

    ``group`` has the regions of the definitions of the same group, which calls mention.
    """
    uses = _uses(body, regions, group)
    for r, (node, users) in uses.items():
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
        rest = _rest(node, users) if how is Placement.TIGHT else None
        if rest is not None:
            rest.draft.ended = (*rest.draft.ended, r)


def _may_hold(node: _Node, r: Name, regions: Regions) -> bool:
    """True if r may end with the expression: it is no code in place, and its type has no r."""
    code = node.draft.code
    return not code and r not in {regions.find(x) for x in regions_in(node.draft.type)}


def _rest(node: _Node, users: list[_Node]) -> _Node | None:
    """Return the rest of a chain of ``let`` from ``node`` on that does not use a region.

    None if the chain uses it to its end, or if what is left is a name, a record or an operator.
    """
    chain = [node]
    while isinstance(chain[-1].draft.exp, c.Let | c.Assert):
        chain.append(chain[-1].parts[-1])
    where = {id(n): k for k, n in enumerate(chain)}
    last = 0
    for user in users:
        while id(user) not in where:
            if user.outer is None:
                return None
            user = user.outer
        last = max(last, where[id(user)])
    if last + 1 == len(chain):
        return None
    rest = chain[last + 1]
    small = c.Leaf | c.RecordOperation | c.ScalarOperation
    return None if isinstance(rest.draft.exp, small) else rest


def _uses(body: Draft, regions: Regions, group: Group) -> dict[Name, tuple[_Node, list[_Node]]]:
    """Return the lowest expression that mentions each region, in order of first use, and its users.

    A user mentions the region, or is a name whose type does.
    """
    lowest: dict[Name, _Node] = {}
    users: dict[Name, list[_Node]] = {}
    todo = [_Node(body, None, 0, root=True)]
    while todo:
        node = todo.pop()
        d = node.draft
        mentioned = [x for t in d.types for x in regions_in(t)]
        if d.group is not None:
            mentioned += group[d.group]
        for x in (*d.made, *d.args, *mentioned):
            r = regions.find(x)
            lowest[r] = _common(lowest[r], node) if r in lowest else node
            users.setdefault(r, []).append(node)
        if isinstance(d.exp, c.Var):
            for x in regions_in(d.type):
                users.setdefault(regions.find(x), []).append(node)
        closure = isinstance(d.exp, c.Lambda | c.Mu) and not d.code
        node.parts = [_Node(x, node, node.depth + 1, root=closure) for x in d.parts]
        todo += reversed(node.parts)
    return {r: (node, users[r]) for r, node in lowest.items()}


def _common(a: _Node, b: _Node) -> _Node:
    """Return the lowest node around two nodes."""
    while a is not b:
        if a.depth >= b.depth and a.outer is not None:
            a = a.outer
        elif b.outer is not None:
            b = b.outer
    return a
