"""Which arrays' elements an array may show, and which arrays show no element twice.

``if`` and ``loop`` bind arrays whose places are known at run time only.  But their elements are
elements of the arrays at the ends of the chains of views, branches and iterations: those that were
made fresh, or passed in.  What a loop hands on may have been made in an earlier iteration, when the
names that it binds stood for something else.
"""

from collections.abc import Mapping
from functools import cache

from funmem.ir.fun import Ann, Atom, FlatSlice, If, Loop, Permute, Reshape, Reverse, Slice, Stm, Var
from funmem.ir.lmad import DimRange, Lmad
from funmem.ir.logic import disjoint
from funmem.ir.logic.derive import in_place_of, source_of
from funmem.ir.logic.prove import nonneg
from funmem.ir.names import Name
from funmem.ir.traverse import bound_in_stms, walk
from funmem.ir.verify.scene import Scene

Names = frozenset[Name]


class Origins:
    """The chains of an entry point."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.shown: dict[Name, tuple[Name, ...]] = {}
        self.chosen: set[Name] = set()
        self.inside: dict[Name, Names] = {}
        """Of arrays that a loop hands on: all names that are bound in it."""
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
            case e if (x := source_of(e)) is not None:
                self.shown[s.pat[0].name] = (x,)
            case e:
                for p, x in zip(s.pat, in_place_of(e), strict=False):
                    self.shown[p.name] = (x,)

    def _bind(self, x: Name, values: tuple[Atom, ...]) -> None:
        if x in self.scene.homes:
            self.shown[x] = tuple(a.name for a in values if isinstance(a, Var))
            self.chosen.add(x)

    def _of(self, x: Name) -> Mapping[Name, Names]:
        """The ends of the chains of ``x``, each with the names that loops on the way there bind:
        when it was made, these may have stood for something else than they do where ``x`` is used.
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
        """Whether the place of an array depends on a branch or an iteration."""
        todo = [x]
        while todo:
            y = todo.pop()
            if y in self.chosen:  # as is something in every circle: a loop's parameter
                return True
            todo += self.shown.get(y, ())
        return False

    # ------------------------------------------------------------------ elements at two indices

    def shows_once(self, x: Name) -> bool:
        """Whether no element of an array is at two of its indices, by the way it was made."""
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
        """Whether a view repeats no element that its source does not repeat."""
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
            case _:
                return True
