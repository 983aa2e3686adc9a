"""Small values of the variables of a query: counterexamples.

An instance at which two LMADs share an element refutes that they are disjoint, and a remark shows
it.  An instance at which a polynomial is negative makes an attempt to prove the opposite needless.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from itertools import product as cartesian
from typing import TypeAlias

from funmem.ir.lmad import Lmad
from funmem.ir.logic.disjoint.integers import Pattern, common, pattern
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import Size

TRIES = 500
"""Largest number of instances that are tried for a remark."""

VALUATIONS = 8 * TRIES
"""Largest number of valuations among which these are sought.  With ten sizes there are a million,
and facts such as equalities may hold at none of them."""

Valuation: TypeAlias = Mapping[Name, int]


@frozen
class Instance:
    """Values of the variables, and an element that both LMADs have for these."""

    values: tuple[tuple[Name, int], ...]
    element: int

    def __str__(self) -> str:
        where = ", ".join(f"{x} = {k}" for x, k in self.values)
        return (f"for {where} " if where else "") + f"both have element {self.element}"


def shared(a: Lmad, b: Lmad, instances: Iterable[Valuation]) -> Instance | None:
    """Return the first of the instances at which ``a`` and ``b`` share an element; None if there is
    none.
    """
    names = sorted(a.free() | b.free())
    for values in instances:
        if (element := common(at(a, values), at(b, values))) is not None:
            return Instance(tuple((x, values[x]) for x in names), element)
    return None


def at(x: Lmad, values: Valuation) -> Pattern:
    """Return the elements of an LMAD for values of its variables."""
    value = values.__getitem__
    dims = ((d.len.eval(value), d.stride.eval(value)) for d in x.dims)
    return pattern(x.offset.eval(value), dims)


@frozen
class Domain:
    """The variables on which a query depends, also through index ranges, and their facts."""

    sizes: tuple[tuple[Name, int], ...]
    """The variables other than indices, each with a lower bound."""
    indices: tuple[tuple[Name, Size, int], ...]
    """The indices, outermost first, each with an exclusive upper bound and a lower bound."""
    assumed: tuple[Size, ...]

    @staticmethod
    def of(names: Iterable[Name], facts: Facts) -> "Domain":
        wanted = set(names).union(*(p.free() for p in facts.assumed))
        least = dict(facts.least)
        indices: list[tuple[Name, Size, int]] = []
        for i, n in reversed(facts.indices):
            if i in wanted:
                wanted |= n.free()
                indices.append((i, n, max(0, least.get(i, 0))))
        sizes = sorted(wanted - {i for i, _, _ in indices})
        return Domain(
            tuple((x, least.get(x, 0)) for x in sizes), tuple(reversed(indices)), facts.assumed
        )

    def samples(self) -> list[Valuation]:
        """Return a few instances that differ much from each other."""
        found: list[Valuation] = []
        for more, part in ((2, 1), (1, 0), (4, 2), (3, 2)):
            values = {x: k + more + (at % 2) * (part - 1) for at, (x, k) in enumerate(self.sizes)}
            for i, n, low in self.indices:
                high = n.eval(values.__getitem__) - 1
                if low > high:
                    break
                values[i] = low + (high - low) * part // 2
            else:
                if self.holds(values):
                    found.append(values)
        return found

    def instances(self, most: int = VALUATIONS) -> Iterator[Valuation]:
        """Yield the instances among the first ``most`` valuations with sizes near their lower
        bounds and indices at ends and midpoints.
        """
        for values in islice(self._valuations(), most):
            if values is not None and self.holds(values):
                yield values

    def _valuations(self) -> Iterator[Valuation | None]:
        for more in cartesian((2, 1, 0, 4), repeat=len(self.sizes)):
            sizes = {x: k + extra for (x, k), extra in zip(self.sizes, more, strict=True)}
            yield from _with_indices(sizes, self.indices)

    def holds(self, values: Valuation) -> bool:
        return all(p.eval(values.__getitem__) >= 0 for p in self.assumed)


def _with_indices(
    values: dict[Name, int], indices: Sequence[tuple[Name, Size, int]]
) -> Iterator[Valuation | None]:
    """Yield the values with indices at ends and midpoints; None for each index without any."""
    if not indices:
        yield values
        return
    (i, n, low), *rest = indices
    high = n.eval(values.__getitem__) - 1
    if low > high:
        yield None
        return
    for k in dict.fromkeys(((low + high + 1) // 2, low, high)):
        yield from _with_indices({**values, i: k}, rest)


def witness(a: Lmad, b: Lmad, facts: Facts) -> Instance | None:
    """Return an instance at which ``a`` and ``b`` share an element; None if none of the first
    ``TRIES`` is one.
    """
    domain = Domain.of(a.free() | b.free(), facts)
    return shared(a, b, islice(domain.instances(), TRIES))
