"""The shared regions: those whose vectors may be seen through several names when they change.

    (let* ((v (vector 1 2)) (d (D v))) (set! (vector-ref v 0) 9) (println d))

Elaboration begins without any: a vector is a value, and a change of an element makes a new one.
Where another name may see the change it gives up (:class:`Aliased`), the region of the vector
becomes a shared one, and elaboration begins again.  The vectors of a shared region are references
into stores (stores.py).

A region of a definition's type and those that it stands for at the calls are one class here, so a
definition treats its vectors in one way.  If the vectors of a shared region hold vectors or
datatypes, the regions of these are shared as well.
"""

from collections.abc import Iterable, Iterator

from attrs import field

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.types import PTR_TYPE, VEC_TYPE
from funmem.frontends.harlan.typing import Typing
from funmem.frontends.harlan.walk import walk
from funmem.frontends.inference.types import Meta, Opaque, Type
from funmem.ir.record import define
from funmem.ir.scalars import BinOp


class Aliased(Exception):
    """Raised for a change of a vector, in one of ``regions``, that another name may see."""

    def __init__(self, regions: Iterable[Type]) -> None:
        super().__init__()
        self.regions = frozenset(regions)


@define(eq=False)
class Regions:
    """The classes of regions of a program, and what its code does with the stores."""

    typing: Typing
    _parents: dict[Type, Type] = field(factory=dict)
    _shared: set[Type] = field(factory=set)
    _writes: set[ast.Define] = field(factory=set)
    _reads: set[ast.Define] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        for e, found in self.typing.instances.items():
            assert isinstance(e.fn, ast.Define)
            scheme = self.typing.schemes[e.fn]
            # quantified types and effects are joined as well, but nobody asks for their classes
            for k, t in zip(scheme.generic, found.types, strict=True):
                self._join(Meta(k), t)

    # ------------------------------------------------------------------ classes

    def of(self, region: Type) -> Type:
        """Return the region that stands for a class."""
        region = self.typing.solver.resolve(region)
        while region in self._parents:
            region = self._parents[region]
        return region

    def _join(self, a: Type, b: Type) -> None:
        a, b = self.of(a), self.of(b)
        if a != b:
            self._parents[a] = b

    def shared(self, region: Type) -> bool:
        """True for a shared region."""
        return bool(self._shared) and self.of(region) in self._shared

    def share(self, regions: Iterable[Type]) -> None:
        """Make regions shared, one of which was not."""
        before = len(self._shared)
        self._shared.update(map(self.of, regions))
        assert len(self._shared) > before
        while self._include_elements():
            pass
        self._find_uses()

    def _include_elements(self) -> bool:
        """Share the regions of what shared vectors hold; return True if there are more."""
        before = len(self._shared)
        for t in (*self.typing.types.values(), *self.typing.bound.values()):
            for elem in self._elements(t):
                self._shared.update(map(self.of, self.typing.declared.regions_in(elem)))
        return len(self._shared) > before

    def _elements(self, t: Type) -> Iterator[Type]:
        """Yield the types of the elements of shared vectors in a type."""
        t = self.typing.solver.resolve(t)
        if not isinstance(t, Opaque) or self.typing.declared.is_closure(t):
            return
        parts, _ = self.typing.declared.parts(t)
        for u in parts:
            yield from self._elements(u)
        if self.references(t) and not self.typing.declared.is_closure(t.args[0]):
            yield t.args[0]

    def references(self, t: Type) -> bool:
        """True for the type of vectors of a shared region."""
        t = self.typing.solver.resolve(t)
        return (
            isinstance(t, Opaque) and t.hidden in (VEC_TYPE, PTR_TYPE) and self.shared(t.args[-1])
        )

    # ------------------------------------------------------------------ uses of the stores

    def _find_uses(self) -> None:
        """Find the definitions that read the stores, and those that write: least fixed points."""
        self._writes.clear()
        self._reads.clear()
        changed = True
        while changed:
            changed = False
            for d in self.typing.program.defines:
                if d not in self._writes and self.writing(d.exp):
                    self._writes.add(d)
                    changed = True
                if d not in self._reads and self.reading(d.exp):
                    self._reads.add(d)
                    changed = True

    def writes(self, d: ast.Define) -> bool:
        """True if a definition may make shared vectors or change their elements."""
        return d in self._writes

    def reads(self, d: ast.Define) -> bool:
        """True if a definition may use shared vectors."""
        return d in self._reads

    def writing(self, *parts: ast.Exp) -> bool:
        """True if code may make shared vectors or change their elements."""
        return bool(self._shared) and any(self._write(p) for e in parts for p in walk(e))

    def reading(self, e: ast.Exp) -> bool:
        """True if code may use shared vectors."""
        return bool(self._shared) and any(self._read(p) for p in walk(e))

    def _write(self, e: ast.Exp) -> bool:
        types = self.typing.types
        match e:
            case ast.SetElem(vector):
                return self.references(types[vector])
            case ast.VectorOf() | ast.Iota() | ast.Kernel() | ast.Fold() | ast.Intrinsic():
                return self.references(types[e])
            case ast.Call(fn):
                made = isinstance(fn, ast.Extern) and self.references(types[e])
                return made or fn in self._writes
            case ast.Apply(ast.Lambda()):
                return False
            case ast.Apply(fn):
                return self._may_be_shared(types[fn])  # it threads the stores (grounds.py)
            case _:
                return False

    def _read(self, e: ast.Exp) -> bool:
        types = self.typing.types
        if self._write(e) or (isinstance(e, ast.Call) and e.fn in self._reads):
            return True
        match e:
            case ast.Print(value):
                return self._may_be_shared(types[value])
            case ast.Bin(BinOp.EQ, _, a):
                return self._may_be_shared(types[a])
            case _:
                return self._may_be_shared(types[e], unknown=False)

    def _may_be_shared(self, t: Type, unknown: bool = True) -> bool:
        """True if a type has a shared region, or (``unknown``) if an instance may have one."""
        t = self.typing.solver.resolve(t)
        if isinstance(t, Meta):
            return unknown and self.typing.solver.cells[t.id].shape is None
        if not isinstance(t, Opaque):
            return False
        parts, region = self.typing.declared.parts(t)
        own = region is not None and self.shared(region)
        return own or any(self._may_be_shared(u, unknown) for u in parts)
