"""The refusals of the traversals; those of the last round become the remarks of the pass."""

from funmem.ir.fun import Ann, Stm

CANNOT_TRAP = "(1) dead code cannot trap"
SAME_SIZE = "(2) a name in a size equals its polynomial"
NOT_UPDATED = "(3) merged arrays are not updated in place"


class Refusals:
    """Statements that stay as they are, the condition that failed, and the reason."""

    def __init__(self) -> None:
        self.found: list[tuple[Stm[Ann], str, str]] = []

    def note(self, s: Stm[Ann], condition: str, reason: str) -> None:
        """Record a refusal."""
        self.found.append((s, condition, reason))

    def include(self, other: "Refusals") -> None:
        """Record the refusals of another traversal."""
        self.found += other.found
