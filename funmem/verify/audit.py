"""Independent decision procedures for conditions on memory: z3 and isl.

    by_smt           integers with products, undecidable in general: z3, with a time limit
    by_presburger    exact if every stride is a number and no variables are multiplied: isl, with a
                     limit on its operations

They are slow and used only on request; no other part of the compiler imports this module, which
needs ``pip install 'funmem[audit]'``.  They are given the definition of the question only:
    shared           an index into either LMAD, and one address
    repeated         two indices into an LMAD that differ first in one dimension, and one address
    negative         values of the variables at which a polynomial is negative
"""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import TypeAlias

from funmem.ir.lmad import Lmad
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import ZERO, Size, var


class Verdict(Enum):
    """The answer of an oracle."""

    DISJOINT = "disjoint"
    OVERLAP = "overlap"
    UNKNOWN = "unknown"


class MissingTool(ImportError):
    """An oracle is not installed."""

    def __init__(self, tool: str) -> None:
        super().__init__(f"{tool} is not installed: pip install 'funmem[audit]'")


@frozen
class Question:
    """Can all polynomials in ``nonneg`` be >= 0 and ``zero`` be 0 at once?"""

    nonneg: tuple[Size, ...]
    zero: Size = ZERO

    @property
    def variables(self) -> tuple[Name, ...]:
        """All variables, sorted."""
        return tuple(sorted(self.zero.free().union(*(p.free() for p in self.nonneg))))


Asked: TypeAlias = Callable[[Question], bool | None]
"""An oracle: True if a question can be satisfied, False if not, None if it does not know."""


def by_smt(a: Lmad, b: Lmad, facts: Facts, *, seconds: float = 10) -> Verdict:
    """Return z3's verdict on a common address of two LMADs.  Raise :class:`MissingTool`."""
    return VERDICTS[smt(shared(a, b, facts), seconds=seconds)]


def by_presburger(a: Lmad, b: Lmad, facts: Facts) -> Verdict:
    """Return isl's verdict; UNKNOWN if variables are multiplied.  Raise :class:`MissingTool`."""
    return VERDICTS[presburger(shared(a, b, facts))]


VERDICTS = {True: Verdict.OVERLAP, False: Verdict.DISJOINT, None: Verdict.UNKNOWN}

# ---------------------------------------------------------------------- answers


def smt(question: Question, *, seconds: float = 10) -> bool | None:
    """Return z3's answer, None if it does not know.  Raise :class:`MissingTool`."""
    z3 = tool("z3")
    known = {x: z3.Int(x) for x in question.variables}

    def term(p: Size) -> object:
        return z3.Sum([z3.IntVal(0), *(_product(z3, k, [known[x] for x in m]) for m, k in p.terms)])

    solver = z3.Solver()
    solver.set("timeout", int(seconds * 1000))
    for p in question.nonneg:
        solver.add(z3.IntVal(0) <= term(p))
    solver.add(z3.IntVal(0) == term(question.zero))
    found = solver.check()
    return False if found == z3.unsat else True if found == z3.sat else None


def _product(z3: ModuleType, k: int, factors: Iterable[object]) -> object:
    return z3.Product([z3.IntVal(k), *factors])


OPERATIONS = 20_000
"""Cap on isl's operations, at most about a second of work.

The questions that it decides take a few thousand; hard ones do not end.
"""


def presburger(question: Question) -> bool | None:
    """Return isl's answer; None if variables are multiplied, or it takes too long.

    Raise :class:`MissingTool`.
    """
    isl = tool("islpy")
    if any(len(m) > 1 for p in (*question.nonneg, question.zero) for m, _ in p.terms):
        return None
    alias = {x: f"v{at}" for at, x in enumerate(question.variables)}
    constraints = [f"{_affine(p, alias)} >= 0" for p in question.nonneg]
    constraints.append(f"{_affine(question.zero, alias)} = 0")
    text = f"{{ [{', '.join(alias.values())}] : {' and '.join(constraints)} }}"
    limited = isl.Context()
    limited.set_max_operations(OPERATIONS)
    try:
        return not isl.Set.read_from_str(limited, text).is_empty()
    except isl.Error:
        return None


def _affine(p: Size, alias: dict[Name, str]) -> str:
    return " + ".join(["0", *("*".join([str(k), *(alias[x] for x in m)]) for m, k in p.terms)])


# ---------------------------------------------------------------------- questions


def shared(a: Lmad, b: Lmad, facts: Facts) -> Question:
    """Return the question: can two index functions have an address in common?"""
    first, second = _index(a, "a"), _index(b, "b")
    inside = (*_inside(a, first), *_inside(b, second))
    return Question((*_known(facts), *inside), a.apply(first) - b.apply(second))


def repeated(x: Lmad, facts: Facts) -> Iterator[Question]:
    """Yield questions that cover: can an index function have one address at two indices?

    There is one question for each dimension, in which the indices differ first.
    """
    for k in range(x.rank):
        first = _index(x, "a")
        second = [*first[:k], *_index(x, "b")[k:]]
        both = (*_inside(x, first), *_inside(x, second), first[k] - second[k] - 1)
        yield Question((*_known(facts), *both), x.apply(first) - x.apply(second))


def negative(p: Size, facts: Facts) -> Question:
    """Return the question: can a polynomial be negative?"""
    return Question((*_known(facts), -p - 1))


def _known(facts: Facts) -> Iterator[Size]:
    yield from facts.assumed
    yield from (var(x) - k for x, k in facts.least)
    yield from (p for i, n in facts.indices for p in (var(i), n - 1 - var(i)))


def _index(x: Lmad, label: str) -> list[Size]:
    return [var(Name(f"{label}[{at}]")) for at in range(x.rank)]  # not identifiers of programs


def _inside(x: Lmad, index: Iterable[Size]) -> Iterator[Size]:
    for d, at in zip(x.dims, index, strict=True):
        yield at
        yield d.len - 1 - at


def tool(name: str) -> ModuleType:
    """Return the package of an oracle.  Raise :class:`MissingTool`."""
    try:
        return import_module(name)
    except ImportError as e:
        raise MissingTool(name) from e
