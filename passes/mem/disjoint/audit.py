"""Second opinions on non-overlap, from z3 and from isl: slow, optional, and only when asked.

    by_smt           integers with products, undecidable in general: z3, with a time limit
    by_presburger    exact where every stride is a number and no variables are multiplied: isl

Nothing in the compiler imports this module; it needs ``pip install 'funmem[audit]'``.  Both see
the question as it is defined -- an index into either LMAD, and one address -- and nothing of how
:mod:`funmem.passes.mem.disjoint` goes about it.
"""

from collections.abc import Iterable, Iterator
from enum import Enum
from importlib import import_module
from types import ModuleType

from attrs import frozen

from funmem.ir.lmad import Lmad
from funmem.ir.names import Name
from funmem.ir.sizes import ZERO, Size, var
from funmem.passes.lower.prove import Facts


class Verdict(Enum):
    """What an oracle says."""

    DISJOINT = "disjoint"
    OVERLAP = "overlap"
    UNKNOWN = "unknown"


class MissingTool(ImportError):
    """An oracle that is not installed."""

    def __init__(self, tool: str) -> None:
        super().__init__(f"{tool} is not installed: pip install 'funmem[audit]'")


@frozen
class _Question:
    """The LMADs share an element if all polynomials can be >= 0 and ``zero`` be 0 at once."""

    variables: tuple[Name, ...]
    nonneg: tuple[Size, ...]
    zero: Size


def by_smt(a: Lmad, b: Lmad, facts: Facts, *, seconds: float = 10) -> Verdict:
    """Whether z3 finds an element that is in both, or shows that there is none.

    Raises :class:`MissingTool`.
    """
    z3 = tool("z3")
    question = _question(a, b, facts)
    known = {x: z3.Int(x) for x in question.variables}

    def term(p: Size) -> object:
        return z3.Sum([z3.IntVal(0), *(_product(z3, k, [known[x] for x in m]) for m, k in p.terms)])

    solver = z3.Solver()
    solver.set("timeout", int(seconds * 1000))
    for p in question.nonneg:
        solver.add(z3.IntVal(0) <= term(p))
    solver.add(z3.IntVal(0) == term(question.zero))
    found = solver.check()
    if found == z3.unsat:
        return Verdict.DISJOINT
    return Verdict.OVERLAP if found == z3.sat else Verdict.UNKNOWN


def _product(z3: ModuleType, k: int, factors: Iterable[object]) -> object:
    return z3.Product([z3.IntVal(k), *factors])


def by_presburger(a: Lmad, b: Lmad, facts: Facts) -> Verdict:
    """Exact, but ``UNKNOWN`` where variables are multiplied.  Raises :class:`MissingTool`."""
    isl = tool("islpy")
    question = _question(a, b, facts)
    if any(len(m) > 1 for p in (*question.nonneg, question.zero) for m, _ in p.terms):
        return Verdict.UNKNOWN
    alias = {x: f"v{at}" for at, x in enumerate(question.variables)}
    constraints = [f"{_affine(p, alias)} >= 0" for p in question.nonneg]
    constraints.append(f"{_affine(question.zero, alias)} = 0")
    points = isl.Set(f"{{ [{', '.join(alias.values())}] : {' and '.join(constraints)} }}")
    return Verdict.DISJOINT if points.is_empty() else Verdict.OVERLAP


def _affine(p: Size, alias: dict[Name, str]) -> str:
    return " + ".join(["0", *("*".join([str(k), *(alias[x] for x in m)]) for m, k in p.terms)])


def _question(a: Lmad, b: Lmad, facts: Facts) -> _Question:
    nonneg: list[Size] = [*facts.assumed]
    nonneg += [var(x) - k for x, k in facts.least]
    nonneg += [p for i, n in facts.indices for p in (var(i), n - 1 - var(i))]
    places = ZERO
    for sign, x, label in ((1, a, "a"), (-1, b, "b")):
        index = [Name(f"{label}[{at}]") for at in range(x.rank)]  # no program has such names
        nonneg += _inside(x, index)
        places = places + sign * x.apply([var(at) for at in index])
    variables = set().union(places.free(), *(p.free() for p in nonneg))
    return _Question(tuple(sorted(variables)), tuple(nonneg), places)


def _inside(x: Lmad, index: Iterable[Name]) -> Iterator[Size]:
    for d, at in zip(x.dims, index, strict=True):
        yield var(at)
        yield d.len - 1 - var(at)


def tool(name: str) -> ModuleType:
    """The package of an oracle.  Raises :class:`MissingTool`."""
    try:
        return import_module(name)
    except ImportError as e:
        raise MissingTool(name) from e
