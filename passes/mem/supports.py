"""Supporting information that nothing needs: unused results of ``if`` and parameters of ``loop``.

    let (m : mem) (o : i64) (x : … @ b -> 0 + …) = if c then … in (b, 0, x) else … in (b, 0, y)
    ->
    let (x : … @ b -> 0 + …) = if c then … in (x) else … in (y)

A result is needed if a statement, type or home mentions it, or what is returned for a needed
result; a loop's parameter and its final value are needed together.  Only blocks and i64 names are
dropped, and only results: no statement is.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from attrs import evolve, frozen

from funmem.ir.fun import (
    Ann,
    Atom,
    Binder,
    Body,
    Exp,
    If,
    Loop,
    MemType,
    Stm,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size
from funmem.ir.traverse import Mapper, binder_uses, map_exp, map_sub_bodies, sub_bodies


def drop_unused(b: Body[Ann]) -> Body[Ann]:
    """The body without unneeded supporting information."""
    uses = _Uses()
    uses.atoms(b.result)
    uses.body(b)
    return _body(b, uses.needed())


@frozen
class _Edge:
    """Whoever needs ``of`` needs ``on``."""

    of: Name
    on: Name


class _Uses:
    """What is used for sure, and what is used if something else is."""

    def __init__(self) -> None:
        self.names: set[Name] = set()
        self.edges: list[_Edge] = []

    def needed(self) -> frozenset[Name]:
        """Everything that is used, through any chain of results."""
        follow: dict[Name, list[Name]] = {}
        for edge in self.edges:
            follow.setdefault(edge.of, []).append(edge.on)
        seen: set[Name] = set()
        todo = list(self.names)
        while todo:
            x = todo.pop()
            if x not in seen:
                seen.add(x)
                todo += follow.get(x, ())
        return frozenset(seen)

    def body(self, b: Body[Ann]) -> None:
        for s in b.stms:
            self.binders(s.pat)
            self.statement(s)
            for inner in sub_bodies(s.exp):
                self.body(inner)

    def statement(self, s: Stm[Ann]) -> None:
        match s.exp:
            case If(cond, then, orelse):
                self.atoms((cond,))
                self.through(s.pat, then.result)
                self.through(s.pat, orelse.result)
            case Loop(params, _, body) as e:
                binders = [p.binder for p in params]
                self.own(evolve(e, params=()))
                self.binders(binders)
                self.through(binders, [p.init for p in params])
                self.through(binders, body.result)
                self.through(binders, [Var(b.name) for b in s.pat])
                self.through(s.pat, [Var(b.name) for b in binders])
            case e:
                self.own(e)
                for inner in sub_bodies(e):
                    self.atoms(inner.result)

    def own(self, e: Exp[Ann]) -> None:
        """What an expression uses outside of its bodies."""
        map_exp(e, Mapper(name=self.name, size=self.size, atom=self.atom, binder=self.binder))

    def through(self, pat: Sequence[Binder[Ann]], atoms: Sequence[Atom]) -> None:
        """``atoms`` are returned for ``pat``."""
        for b, a in zip(pat, atoms, strict=True):
            if isinstance(a, Var):
                self.edges.append(_Edge(b.name, a.name))

    def name(self, x: Name) -> Name:
        self.names.add(x)
        return x

    def size(self, d: Size) -> Size:
        self.names |= d.free()
        return d

    def atom(self, a: Atom) -> Atom:
        if isinstance(a, Var):
            self.names.add(a.name)
        return a

    def binder(self, b: Binder[Ann]) -> Binder[Ann]:
        self.names |= binder_uses(b)
        return b

    def binders(self, binders: Iterable[Binder[Ann]]) -> None:
        for b in binders:
            self.binder(b)

    def atoms(self, atoms: Iterable[Atom]) -> None:
        for a in atoms:
            self.atom(a)


def _body(b: Body[Ann], needed: frozenset[Name]) -> Body[Ann]:
    return evolve(b, stms=tuple(_statement(s, needed) for s in b.stms))


def _statement(s: Stm[Ann], needed: frozenset[Name]) -> Stm[Ann]:
    e = map_sub_bodies(s.exp, lambda b: _body(b, needed))
    match e:
        case If(cond, then, orelse):
            keep = _kept(s.pat, s.pat, needed)
            e = If(cond, _returning(then, keep), _returning(orelse, keep))
        case Loop(params, form, body):
            keep = _kept(s.pat, [p.binder for p in params], needed)
            e = Loop(_pick(params, keep), form, _returning(body, keep))
        case _:
            return evolve(s, exp=e)
    return evolve(s, pat=_pick(s.pat, keep), exp=e)


def _kept(
    pat: Sequence[Binder[Ann]], params: Sequence[Binder[Ann]], needed: frozenset[Name]
) -> tuple[bool, ...]:
    """Which positions stay; one always does."""
    keep = [
        not is_support(b) or b.name in needed or p.name in needed
        for b, p in zip(pat, params, strict=True)
    ]
    return tuple(keep) if any(keep) else (True, *keep[1:])


def is_support(b: Binder[Ann]) -> bool:
    """Whether a binder may be supporting information: a block, or an i64."""
    return isinstance(b.type, MemType) or b.type is I64


T = TypeVar("T")


def _pick(xs: Sequence[T], keep: Sequence[bool]) -> tuple[T, ...]:
    return tuple(x for x, k in zip(xs, keep, strict=True) if k)


def _returning(b: Body[Ann], keep: Sequence[bool]) -> Body[Ann]:
    return evolve(b, result=_pick(b.result, keep))
