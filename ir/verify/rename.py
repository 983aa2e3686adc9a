"""Another iteration: the same names, primed, and facts about both at once."""

from collections.abc import Iterable, Mapping

from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.sizes import Size, var
from funmem.ir.verify.spot import Spot

PRIME = "'"


def primed(names: Iterable[Name], mark: str = PRIME) -> dict[Name, Size]:
    """Each name as that of another iteration; two primes and a dot are no name of a program."""
    return {x: var(Name(f"{x}.{mark}")) for x in names}


def renamed(facts: Facts, image: Mapping[Name, Size]) -> Facts:
    """The facts about names of another iteration; images are names."""

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
    """All names that something is known of."""
    polynomials = (*(n for _, n in facts.indices), *facts.assumed)
    names = (*(i for i, _ in facts.indices), *(x for x, _ in facts.least))
    return frozenset(names).union(*(p.free() for p in polynomials))


def placed(facts: Facts, i: Name, value: Size, extra: tuple[Name, Size] | None) -> Facts:
    """The facts where index ``i`` has a value in terms of others: of ``extra``, an index of its
    own, if there is one, which stands where ``i`` stood.
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
    """The facts, and that ``i < n``, an index that stands before another one."""
    at = _place(before, facts)
    indices = (*facts.indices[:at], (i, n), *facts.indices[at:])
    return Facts(indices, facts.least, facts.assumed)


def _place(i: Name, facts: Facts) -> int:
    """How many indices stand before this one."""
    return [j for j, _ in facts.indices].index(i)


def both(f: Facts, g: Facts) -> Facts:
    """What is known if both are."""
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
    """The facts, and what ``p >= 0`` says about single variables."""
    return evolve(facts, least=Facts(facts.indices, facts.least).with_nonneg(p).least)


def common(f: Facts, g: Facts) -> Facts:
    """What is known either way.  An index of one only is any number."""
    least = dict(g.least)
    return Facts(
        tuple(pair for pair in f.indices if pair in g.indices),
        tuple((x, min(k, least[x])) for x, k in f.least if x in least),
        tuple(p for p in f.assumed if p in g.assumed),
    )


def moved(spot: Spot, image: Mapping[Name, Size]) -> Spot:
    """The place for other values of names."""
    return spot.subst(image, {})
