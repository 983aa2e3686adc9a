"""Another iteration: primed copies of names, and facts about two iterations at once."""

from collections.abc import Iterable, Mapping

from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.sizes import Size, var
from funmem.ir.verify.spot import Spot

PRIME = "'"


def primed(names: Iterable[Name], mark: str = PRIME) -> dict[Name, Size]:
    """Return a primed copy for each name; no identifier of a program has a dot and a prime."""
    return {x: var(Name(f"{x}.{mark}")) for x in names}


def renamed(facts: Facts, image: Mapping[Name, Size]) -> Facts:
    """Return the facts with names replaced; each image is a name."""

    def name(x: Name) -> Name:
        y = image[x].as_name if x in image else x
        assert y is not None
        return y

    return Facts(
        tuple((name(i), n.subst(image)) for i, n in facts.indices),
        tuple((name(x), k) for x, k in facts.least),
        tuple(p.subst(image) for p in facts.assumed),
    )


def names_of(facts: Facts) -> frozenset[Name]:
    """Return all names that the facts mention."""
    polynomials = (*(n for _, n in facts.indices), *facts.assumed)
    names = (*(i for i, _ in facts.indices), *(x for x, _ in facts.least))
    return frozenset(names).union(*(p.free() for p in polynomials))


def placed(facts: Facts, i: Name, value: Size, extra: tuple[Name, Size] | None) -> Facts:
    """Return the facts with index ``i`` replaced by a value.

    ``extra``, if given, is a new index with its bound, on which the value may depend; it takes the
    position of ``i`` among the indices.
    """
    image = {i: value}
    indices = [(j, n.subst(image)) for j, n in facts.indices if j != i]
    if extra is not None:
        indices.insert(_place(i, facts), extra)
    least = tuple((x, k) for x, k in facts.least if x != i)
    low = [value - k for x, k in facts.least if x == i]
    assumed = tuple(dict.fromkeys((*low, *(p.subst(image) for p in facts.assumed))))
    return Facts(tuple(indices), least, assumed)


def inside_too(facts: Facts, i: Name, n: Size, before: Name) -> Facts:
    """Return the facts with an index ``i < n`` added in front of the index ``before``."""
    at = _place(before, facts)
    indices = (*facts.indices[:at], (i, n), *facts.indices[at:])
    return Facts(indices, facts.least, facts.assumed)


def _place(i: Name, facts: Facts) -> int:
    """Return the position of an index."""
    return [j for j, _ in facts.indices].index(i)


def both(f: Facts, g: Facts) -> Facts:
    """Return the conjunction of facts."""
    have = {i for i, _ in f.indices}
    least = dict(f.least)
    for x, k in g.least:
        least[x] = max(k, least.get(x, k))
    return Facts(
        (*f.indices, *((i, n) for i, n in g.indices if i not in have)),
        tuple(least.items()),
        tuple(dict.fromkeys((*f.assumed, *g.assumed))),
    )


def some(facts: Facts, p: Size) -> Facts:
    """Return the facts with the bounds of single variables that ``p >= 0`` implies."""
    return evolve(facts, least=Facts(facts.indices, facts.least).with_nonneg(p).least)


def common(f: Facts, g: Facts) -> Facts:
    """Return the facts that hold in both cases; an index of only one case becomes unbounded."""
    least = dict(g.least)
    return Facts(
        tuple(pair for pair in f.indices if pair in g.indices),
        tuple((x, min(k, least[x])) for x, k in f.least if x in least),
        tuple(p for p in f.assumed if p in g.assumed),
    )


def moved(spot: Spot, image: Mapping[Name, Size]) -> Spot:
    """Return the place with names replaced by values."""
    return spot.subst(image, {})
