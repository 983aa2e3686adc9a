"""Scopes: the variables and sizes that a generated expression may use."""

from funmem.ir.record import evolve, frozen
from funmem.testing.fut_generator.library import Callable
from funmem.testing.fut_generator.types import ANY, Size, SVar, Type, holds_array, sizes_of


@frozen
class FutVariable:
    """A variable."""

    name: str
    type: Type
    below: Size | None = None
    """The value is an index: at least 0, and less than this size."""
    fresh: bool = False
    """No other variable shares its elements, and it may be consumed here."""
    root: bool = False
    """A parameter, which is no alias of another variable."""


@frozen
class FutScope:
    """Variables in scope, the latest last, and named sizes."""

    known: tuple[FutVariable, ...] = ()
    sizes: tuple[Size, ...] = ()
    types: tuple[str, ...] = ()
    """Type parameters."""
    local: tuple[Callable, ...] = ()
    """Local functions with type or size parameters."""

    def add(self, *known: FutVariable) -> "FutScope":
        """Return the scope with more variables, which shadow others of the same names."""
        names = {k.name for k in known}
        kept = tuple(k for k in self.known if k.name not in names)
        return evolve(self, known=kept + known)

    def sized(self, *names: str) -> "FutScope":
        """Return the scope with more sizes."""
        return evolve(self, sizes=self.sizes + tuple(map(SVar, names)))

    def without(self, name: str) -> "FutScope":
        """Return the scope after a variable is consumed; later variables may be aliases of it."""
        at = next((i for i, k in enumerate(self.known) if k.name == name), len(self.known))
        kept = tuple(
            k
            for i, k in enumerate(self.known)
            if i < at or k.root or k.fresh or not holds_array(k.type)
        )
        return evolve(self, known=tuple(k for k in kept if k.name != name))

    def inner(self) -> "FutScope":
        """Return the scope of a lambda or a branch that may run several times: it may consume
        nothing.
        """
        return evolve(self, known=tuple(evolve(k, fresh=False) for k in self.known))

    def of(self, t: Type) -> list[FutVariable]:
        """Return the variables of a type."""
        return [k for k in self.known if k.type == t]

    def named(self, t: Type) -> bool:
        """True if all sizes of a type have names here."""
        return ANY not in sizes_of(t)
