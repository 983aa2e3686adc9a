"""Effects of code: unknown, or IO.  The least solution of ``where e happens, e' does``."""

from collections.abc import Iterable, Mapping

from funmem.frontends.harlan.types import IO
from funmem.frontends.harlan.typing import Flow
from funmem.frontends.inference.types import Meta, Opaque, Type
from funmem.frontends.inference.unify import Solver


def reached(solver: Solver, flows: Iterable[Flow], start: Iterable[Type]) -> tuple[set[int], bool]:
    """Return the unknown effects that happen where ``start`` do, and if IO is one of them."""
    after: dict[Type, list[Type]] = {}
    for a, b in flows:
        after.setdefault(solver.resolve(a), []).append(solver.resolve(b))
    todo = [solver.resolve(t) for t in start]
    seen: set[Type] = set()
    while todo:
        t = todo.pop()
        if t not in seen:
            seen.add(t)
            todo.extend(after.get(t, ()))
    return {t.id for t in seen if isinstance(t, Meta)}, IO in seen


def happening(
    solver: Solver, flows: Iterable[Flow], image: Mapping[int, bool] | None = None
) -> set[int]:
    """Return the unknown effects that are IO, if those in ``image`` are what it says."""
    known = image or {}
    return reached(solver, flows, [IO, *(Meta(k) for k, io in known.items() if io)])[0]


def visible(solver: Solver, flows: tuple[Flow, ...], own: Iterable[int]) -> tuple[Flow, ...]:
    """Return the flows between the effects ``own`` and IO that follow from all flows."""
    out: list[Flow] = []
    wanted = list(own)
    sources: list[Type] = [IO, *(Meta(k) for k in wanted)]
    for source in sources:
        found, _ = reached(solver, flows, [source])
        out.extend((source, Meta(k)) for k in wanted if k in found and Meta(k) != source)
    return tuple(out)


def is_io(t: Type, happens: set[int]) -> bool:
    """True if a resolved effect is IO, where the unknown ones in ``happens`` are."""
    return isinstance(t, Opaque) or (isinstance(t, Meta) and t.id in happens)
