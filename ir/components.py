"""The strongly connected components of a graph, in the order in which they depend on each other."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def strongly_connected(nodes: Sequence[N], uses: Mapping[N, Sequence[N]]) -> list[list[N]]:
    """Return the strongly connected components of a graph (Tarjan).

    A component comes after those that it uses.  Within one, nodes are in the order in which they
    were first reached.
    """
    number: dict[N, int] = {}
    low: dict[N, int] = {}
    stack: list[N] = []
    on_stack: set[N] = set()
    work: list[tuple[N, Iterator[N]]] = []
    out: list[list[N]] = []

    def enter(n: N) -> None:
        number[n] = low[n] = len(number)
        stack.append(n)
        on_stack.add(n)
        work.append((n, iter(uses[n])))

    for root in nodes:
        if root in number:
            continue
        enter(root)
        while work:
            n, rest = work[-1]
            nxt = next(rest, None)
            if nxt is not None:
                if nxt not in number:
                    enter(nxt)
                elif nxt in on_stack:
                    low[n] = min(low[n], number[nxt])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[n])
            if low[n] == number[n]:
                k = stack.index(n)
                out.append(stack[k:])
                on_stack.difference_update(stack[k:])
                del stack[k:]
    return out
