"""The types, the variables and the random choices of a generated `.kfc` program.

int float bool u64     Shape (plain)     List Tree Pack Then (in a region)     fn = int -> int
vec t                  vectors; `vec vec int` has rows of different lengths
"""

import random
from collections.abc import Callable, Sequence

from attrs import field

from funmem.ir.record import define, frozen

SCALARS = ("int", "float", "bool")
PRINTABLE = (
    *(*SCALARS, "u64", "Shape", "List", "Tree", "Pack"),
    *("vec int", "vec float", "vec bool", "vec Shape", "vec List", "vec vec int"),
)
"""The types of values that are printed."""
DATATYPES = """\
  (define-datatype Shape (Dot int) (Box int float) (Empty))
  (define-datatype List (Nil) (Cons int List))
  (define-datatype Tree (Leaf int) (Node Tree Tree))
  (define-datatype Pack (Pack (vec int) int))
  (define-datatype Then (Done) (Then (closure (int) -> int) Then))
"""
CONSTRUCTORS = {
    "Shape": (("Dot", ("int",)), ("Box", ("int", "float")), ("Empty", ())),
    "List": (("Nil", ()), ("Cons", ("int", "List"))),
    "Tree": (("Leaf", ("int",)), ("Node", ("Tree", "Tree"))),
    "Pack": (("Pack", ("vec int", "int")),),
    "Then": (("Done", ()), ("Then", ("fn", "Then"))),
}
FEATURES = (
    *("closures", "recursive", "ragged", "assign", "macros", "traps", "packed", "unsigned"),
    "aliases",
)
"""What a program may have besides numbers, vectors, kernels, datatypes and output."""
FEATURE_OF = {
    **{"fn": "closures", "vec fn": "closures", "Then": "closures"},
    **{"List": "recursive", "Tree": "recursive", "vec List": "recursive"},
    **{"vec vec int": "ragged", "Pack": "packed", "u64": "unsigned"},
}
"""The feature that a type belongs to."""


@frozen
class Var:
    """A variable in scope; ``least``: a vector has at least so many elements."""

    name: str
    type: str
    level: int
    """The number of kernels and functions around its binder: only there it can be assigned."""
    least: int = 0
    fixed: bool = False
    """True for a counter, which is not assigned, or the loop might not end."""


@frozen
class Defined:
    """A definition that may be called; ``effect``: it prints."""

    name: str
    params: tuple[str, ...]
    result: str
    effect: bool = False
    sets: tuple[int, ...] = ()
    """The parameters whose elements it sets."""


@define(eq=False)
class Scope:
    """The state of a program in the making."""

    rng: random.Random
    features: frozenset[str]
    vars: list[Var] = field(factory=list)
    defined: list[Defined] = field(factory=list)
    level: int = 0
    host: bool = False
    """True where output is allowed."""
    count: int = 0

    def fresh(self) -> str:
        """Return a name, now and then one that hides another or that a macro inserts."""
        self.count += 1
        if self.rng.random() < 0.25:
            return self.rng.choice(("x", "y", "t", "tmp", "a", "b"))
        return f"v{self.count}"

    def visible(self, test: Callable[[Var], bool]) -> list[Var]:
        """Return the variables that pass a test and that no later one hides."""
        latest = {v.name: v for v in self.vars}
        return [v for v in latest.values() if test(v)]

    def pick(self, test: Callable[[Var], bool]) -> Var | None:
        """Return a variable that passes a test, rather a late one; None if there is none."""
        found = self.visible(test)
        return self.rng.choice(found[-5:]) if found else None

    def bind(self, name: str, t: str, least: int = 0, *, fixed: bool = False) -> None:
        """Enter a variable."""
        self.vars.append(Var(name, t, self.level, least, fixed))

    def has(self, t: str) -> bool:
        """True if the program may have a feature, or values of a type."""
        feature = t if t in FEATURES else FEATURE_OF.get(t)
        return feature is None or feature in self.features

    def one_of(self, types: Sequence[str]) -> str:
        """Return one of the types that the program may have."""
        return self.rng.choice([t for t in types if self.has(t)])
