"""The origins of an array's elements, and which arrays have distinct addresses.

``if`` and ``loop`` bind arrays whose places are known only at run time.  Their elements belong to
arrays at the ends of chains of views, branches and iterations, which are fresh or parameters.  A
loop may pass on an array that an earlier iteration made, when names bound in the loop had other
values.
"""

from collections.abc import Mapping
from functools import cache

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Atom,
    Compound,
    DerivedArray,
    FlatSlice,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Opaque,
    Permute,
    RaggedKernel,
    Reshape,
    Reverse,
    Scalar,
    Slice,
    Stm,
    Var,
)
from funmem.ir.lmad import DimRange, Lmad
from funmem.ir.logic import disjoint
from funmem.ir.logic.derive import in_place_of, source_of
from funmem.ir.logic.prove import nonneg
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.traverse import bound_in_stms, walk
from funmem.ir.verify.scene import Scene

Names = frozenset[Name]


class Origins:
    """The chains of views, branches and iterations of an entry point."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.shown: dict[Name, tuple[Name, ...]] = {}
        self.chosen: set[Name] = set()
        self.inside: dict[Name, Names] = {}
        """Array that a loop passes on -> all names bound in the loop."""
        for s in walk(scene.entry.body):
            self._add(s)
        self.of = cache(self._of)

    def _add(self, s: Stm[Ann]) -> None:
        match s.exp:
            case If(_, then, orelse):
                for p, a, b in zip(s.pat, then.result, orelse.result, strict=True):
                    self._bind(p.name, (a, b))
            case Loop(params, _, body):
                inside = bound_in_stms((s,)).difference(p.name for p in s.pat)
                for p, q, again in zip(s.pat, params, body.result, strict=True):
                    for y in (q.binder.name, p.name):
                        self._bind(y, (q.init, again))
                        self.inside[y] = inside
            case DerivedArray() as e:
                source = source_of(e)
                assert source is not None
                self.shown[s.pat[0].name] = (source,)
            case Scalar() | Index() | FreshArray() | InPlace() | Kernel() | Assert() | Alloc():
                for p, x in zip(s.pat, in_place_of(s.exp), strict=False):
                    self.shown[p.name] = (x,)
            case Opaque():
                for p, x in zip(s.pat, in_place_of(s.exp), strict=False):
                    self.shown[p.name] = (x,)
            case RaggedKernel():
                raise unscheduled()

    def _bind(self, x: Name, values: tuple[Atom, ...]) -> None:
        if x in self.scene.homes:
            self.shown[x] = tuple(a.name for a in values if isinstance(a, Var))
            self.chosen.add(x)

    def _of(self, x: Name) -> Mapping[Name, Names]:
        """Return the ends of the chains of ``x``, each with the names bound by loops on the way.

        When the array at the end was made, these names may have had other values.
        """
        found: dict[Name, Names] = {}
        todo: list[tuple[Name, Names]] = [(x, frozenset())]
        while todo:
            y, others = todo.pop()
            if y in found and others <= found[y]:
                continue
            found[y] = found.get(y, frozenset()) | others
            onwards = found[y] | self.inside.get(y, frozenset())
            todo += [(z, onwards) for z in self.shown.get(y, ())]
        return {y: others for y, others in found.items() if y not in self.shown}

    def is_chosen(self, x: Name) -> bool:
        """True if the place of an array depends on a branch or an iteration."""
        todo = [x]
        while todo:
            y = todo.pop()
            if y in self.chosen:  # every cycle contains one: a loop's parameter
                return True
            todo += self.shown.get(y, ())
        return False

    # ------------------------------------------------------------------ elements at two indices

    def shows_once(self, x: Name) -> bool:
        """True if the way an array was made proves that its addresses are distinct."""
        seen: set[Name] = set()
        todo = [x]
        while todo:
            y = todo.pop()
            if y in seen:
                continue
            seen.add(y)
            s = self.scene.made_by.get(y)
            if y in self.shown:
                if s is not None and y not in self.chosen and not self._keeps(s):
                    facts = self.scene.checked(s)
                    if not disjoint.injective(self.scene.spot(y).ix, facts):
                        return False
                    continue
                todo += self.shown[y]
        return True

    def _keeps(self, s: Stm[Ann]) -> bool:
        """True if a view of an array with distinct addresses has distinct addresses."""
        facts = self.scene.checked(s)
        match s.exp:
            case Permute() | Reshape() | Reverse():
                return True
            case Slice(_, dims):
                ranges = [d for d in dims if isinstance(d, DimRange)]
                return all(
                    d.stride.as_const not in (None, 0) or nonneg(1 - d.len, facts) for d in ranges
                )
            case FlatSlice(_, offset, flat):
                return disjoint.injective(Lmad(offset, flat), facts)
            case Scalar() | Index() | FreshArray() | InPlace() | Compound() | Assert() | Alloc():
                return True
