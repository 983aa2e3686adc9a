"""What a generated expression may use."""

from funmem.ir.record import evolve, frozen
from funmem.testing.fut_generator.library import Callable
from funmem.testing.fut_generator.types import ANY, Size, SVar, Type, holds_array, sizes_of


@frozen
class FutVariable:
    """A variable."""

    name: str
    type: Type
    below: Size | None = None
    """It is at least 0 and below this size: an index."""
    fresh: bool = False
    """Nothing else shares its elements, and it may be consumed here."""
    root: bool = False
    """A parameter: it is no alias of anything here."""


@frozen
class FutScope:
    """Variables, the latest last; the sizes that have names."""

    known: tuple[FutVariable, ...] = ()
    sizes: tuple[Size, ...] = ()
    types: tuple[str, ...] = ()
    """Type parameters."""
    local: tuple[Callable, ...] = ()
    """Local functions with type or size parameters."""

    def add(self, *known: FutVariable) -> "FutScope":
        """With variables that hide others of their names."""
        names = {k.name for k in known}
        kept = tuple(k for k in self.known if k.name not in names)
        return evolve(self, known=kept + known)

    def sized(self, *names: str) -> "FutScope":
        """With sizes."""
        return evolve(self, sizes=self.sizes + tuple(map(SVar, names)))

    def without(self, name: str) -> "FutScope":
        """After a variable was consumed: what came later may be an alias of it."""
        at = next((i for i, k in enumerate(self.known) if k.name == name), len(self.known))
        kept = tuple(
            k
            for i, k in enumerate(self.known)
            if i < at or k.root or k.fresh or not holds_array(k.type)
        )
        return evolve(self, known=tuple(k for k in kept if k.name != name))

    def inner(self) -> "FutScope":
        """In a lambda, a branch that may run more than once: nothing can be consumed."""
        return evolve(self, known=tuple(evolve(k, fresh=False) for k in self.known))

    def of(self, t: Type) -> list[FutVariable]:
        """The variables of a type."""
        return [k for k in self.known if k.type == t]

    def named(self, t: Type) -> bool:
        """Whether all sizes of a type can be written here."""
        return ANY not in sizes_of(t)
