"""Where elements lie: a block, an index function, and the size of an element in bytes."""

from collections.abc import Mapping

from funmem.ir.lmad import Dim, Lmad
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import ONE, Size, SizeLike


@frozen
class Spot:
    """The elements that ``ix`` addresses in ``block``, of ``bytes`` bytes each.

    Offset and strides of ``ix`` count elements.
    """

    block: Name
    ix: Lmad
    bytes: int

    def __str__(self) -> str:
        return f"{self.block} -> {self.ix}"

    def row(self, *index: SizeLike) -> "Spot":
        """Return the part at which the outermost indices are fixed."""
        return Spot(self.block, self.ix.prefix(index), self.bytes)

    def subst(self, sizes: Mapping[Name, Size], blocks: Mapping[Name, Name]) -> "Spot":
        """Return the spot with sizes and blocks replaced."""
        block = blocks.get(self.block, self.block)
        return Spot(block, self.ix.subst(sizes), self.bytes)

    def free(self) -> frozenset[Name]:
        """Return the variables of the index function."""
        return self.ix.free()

    @property
    def over_bytes(self) -> Lmad:
        """Return the index function over bytes."""
        if self.bytes == 1:
            return self.ix
        whole = self.ix.scaled(self.bytes)
        return Lmad(whole.offset, (*whole.dims, Dim(Size.of(self.bytes), ONE)))
