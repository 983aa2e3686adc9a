"""A refused rewrite, for a remark."""

from funmem.ir.fun import Ann, Stm
from funmem.ir.record import frozen


@frozen
class Refusal:
    """The condition that fails at a statement, and the reason."""

    at: Stm[Ann]
    condition: str
    reason: str
