"""Sizes that inference is to find: phase 2 runs on types whose form phase 1 has found.

Every array type now has a size, a polynomial over

    variables   i64 variables and size parameters of the program
    unknowns    what only running makes known: the size of ``filter``'s result, …
    atoms       ``n / 2``, ``f x``: a value that is no polynomial, equal to itself
    metas       ``?k``: to be found; may be bound to a size

Two sizes without metas are equal exactly if they are the same polynomial.  An equation with metas
is solved if it is linear in one of them; otherwise it waits until more is known.

Names have *depths*: how many functions, branches and loops are open where they are bound.  A meta
of depth d stands for a size that is known there, so it is never bound to a deeper name: that is
how ``map iota ns`` is rejected, whose rows would differ in length.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.types import Array, Arrow, Record, Sum, Type
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size, const, var

NOWHERE_DEPTH = 1 << 30
"""Deeper than all: a name that only the arrow around a type binds."""


@frozen
class Atom:
    """``op(args…)``: a scalar that is no polynomial of its parts."""

    op: str
    args: tuple[Size, ...]


class SizeClash(Exception):
    """Two sizes differ; ``escaping``: the name that is not known where it would have to be."""

    def __init__(self, found: Size, expected: Size, escaping: Name | None = None) -> None:
        super().__init__(f"{found} / {expected}")
        self.found = found
        self.expected = expected
        self.escaping = escaping


@frozen
class Waiting:
    """An equation that could not be decided yet; ``report`` raises the error if it is false."""

    found: Size
    expected: Size
    report: "Report"


class Report:
    """How a clash is told to the user; see SizeContext.same."""

    def fail(self, clash: SizeClash) -> None:
        """Raise the SourceError."""
        raise NotImplementedError


Pair: TypeAlias = tuple[Size, Size]
Form: TypeAlias = tuple[str, Size, Size]
"""``a + b`` or ``a * b``."""


@define
class SharedSizes:
    """What the definitions of a program know of each other's sizes."""

    constants: set[Name] = field(factory=set)
    """Unknown sizes of top-level constants: known everywhere."""
    forms: dict[Size, Form | None] = field(factory=dict)
    """How sums and products are written; None: in several ways, but for the order of two parts."""
    atoms: dict[Name, Atom] = field(factory=dict)
    interned: dict[Atom, Name] = field(factory=dict)
    exps: dict[Name, dict[ast.Exp, None]] = field(factory=dict)
    """The expressions that an atom is the value of, in order."""
    copies: dict[Name, tuple[Name, Mapping[Name, Size]]] = field(factory=dict)
    """An atom -> one in the type that an abbreviation stands for, and its parameters' sizes."""


@define
class SizeSolver:
    """All sizes of one definition."""

    fresh: Fresh
    shared: SharedSizes
    binding: dict[Name, Size] = field(factory=dict)
    metas: set[Name] = field(factory=set)
    depths: dict[Name, int] = field(factory=dict)
    soft: set[Name] = field(factory=set)
    """Unknowns that stand for what this checker cannot express; they equal anything."""
    loose: set[Name] = field(factory=set)
    """Metas in function types; one that would be bound to a deeper name becomes soft instead."""
    lifted: set[Name] = field(factory=set)
    """Metas in what `'~a` and `'^a` stand for: such a size may be known only after a call."""
    hidden: set[Name] = field(factory=set)
    """What those are bound to then: each place of the type parameter has a size of its own."""
    given: set[Name] = field(factory=set)
    """Metas in types of parameters: a branch of another size does not determine them."""
    parameters: set[Name] = field(factory=set)
    """Metas for size parameters of what is used: neither does it determine these."""
    atoms: dict[Name, Atom] = field(init=False)
    renamed: dict[Name, Name] = field(factory=dict)
    """An atom -> one of the same value, from before a meta in it was found."""
    forms: list[Form] = field(factory=list)
    """Sums and products as they were written: an equation between two is solved part by part."""
    waiting: list[Waiting] = field(factory=list)
    depth: int = 0
    count: int = 0

    def __attrs_post_init__(self) -> None:
        self.atoms = self.shared.atoms

    # ------------------------------------------------------------------ names

    def meta(self, loose: bool = False) -> Size:
        """A size to be found."""
        self.count += 1
        name = Name(f"?{self.count}")
        self.metas.add(name)
        self.depths[name] = self.depth
        if loose:
            self.loose.add(name)
        return var(name)

    def flexible(self, name: Name) -> None:
        """A size that the program names (``let [n] …``), and that is to be found."""
        self.metas.add(name)
        self.depths[name] = self.depth

    def rigid(self, name: Name) -> None:
        """A variable that is bound here."""
        self.depths[name] = self.depth

    def unknown(self, base: str, soft: bool = False) -> Size:
        """A size that only running makes known."""
        name = self.fresh(f"?{base}")
        self.depths[name] = self.depth
        if soft:
            self.soft.add(name)
        return var(name)

    def atom(self, op: str, args: tuple[Size, ...]) -> Size:
        """The value ``op(args…)``."""
        key = Atom(op, tuple(self.norm(a) for a in args))
        name = self.shared.interned.get(key)
        if name is None:
            name = self.shared.interned[key] = self.fresh("?value")
            self.atoms[name] = key
        return var(name)

    def depth_of(self, name: Name) -> int:
        """Where a name is known."""
        atom = self.atoms.get(name)
        if atom is None:
            return self.depths.get(name, 0 if name in self.shared.constants else NOWHERE_DEPTH)
        return max((self.depth_of(x) for a in atom.args for x in a.free()), default=0)

    # ------------------------------------------------------------------ what is known

    def norm(self, s: Size) -> Size:
        """``s`` with what metas are bound to."""
        while (name := s.as_name) is not None and name not in self.atoms:
            bound = self.binding.get(name)
            if bound is None:
                return s
            s = bound
        while True:
            image: dict[Name, Size] = {}
            for monomial, _ in s.terms:
                for x in monomial:
                    if x in self.binding:
                        image[x] = self.binding[x]
                    elif x in self.atoms:
                        atom = self.atoms[x]
                        args = tuple(self.norm(a) for a in atom.args)
                        if args != atom.args:
                            image[x] = self.atom(atom.op, args)
                            new = image[x].as_name
                            assert new is not None
                            self.renamed.setdefault(new, x)
            if not image:
                return s
            s = s.subst(image)

    def subst(self, s: Size, image: Mapping[Name, Size]) -> Size:
        """Names replaced, also in atoms."""
        name = s.as_name
        if name is not None and name not in self.atoms:
            return image.get(name, s)
        own = dict(image)
        for x in s.free():
            atom = self.atoms.get(x)
            if atom is not None and x not in own:
                args = tuple(self.subst(a, image) for a in atom.args)
                if args != atom.args:
                    own[x] = self.atom(atom.op, args)
        return s.subst(own)

    def mentions(self, s: Size) -> frozenset[Name]:
        """The names in ``s``, also those in its atoms."""
        names = s.free()
        for x in names:
            if x in self.atoms:
                for a in self.atoms[x].args:
                    names |= self.mentions(a)
        return names

    def written(self, op: str, a: Size, b: Size) -> Size:
        """``a op b``, remembered as written."""
        result = a + b if op == "+" else a * b
        self.forms.append((op, a, b))
        known = self.shared.forms.setdefault(result, (op, a, b))
        if known not in ((op, a, b), (op, b, a)):
            self.shared.forms[result] = None
        return result

    def written_as(self, s: Size) -> Form | None:
        """How a sum or product was written, here or in another definition, if in one way only."""
        return self.shared.forms.get(s)

    # ------------------------------------------------------------------ equations

    def unify(self, found: Size, expected: Size, report: Report | None = None) -> None:
        """Make two sizes equal, now or later.  Raises SizeClash."""
        a, b = self.norm(found), self.norm(expected)
        if a == b or self._solve(a, b, report):
            return
        names = self.mentions(a) | self.mentions(b)
        if not names.isdisjoint(self.soft):
            return
        if names.isdisjoint(self.metas) or report is None:
            raise SizeClash(a, b)
        self.waiting.append(Waiting(a, b, report))

    def settle(self) -> None:
        """Try again what waits, as long as that helps.  Fails through the reports."""
        progress = True
        while progress and self.waiting:
            progress = False
            before = self.waiting
            self.waiting = []
            for w in before:
                try:
                    self.unify(w.found, w.expected, w.report)
                except SizeClash as clash:
                    w.report.fail(clash)
            if len(self.waiting) < len(before):
                progress = True

    def _solve(self, a: Size, b: Size, report: Report | None) -> bool:
        """Bind a meta such that ``a`` = ``b``; False if no equation for a meta follows."""
        for left, right in ((a, b), (b, a)):
            name = left.as_name
            if name is not None and name in self.metas:
                if name in self.mentions(right):
                    raise SizeClash(a, b)
                self._bind(name, right, a, b)
                return True
        parts = self._parts(a, b) or self._arguments(a, b)
        if parts is not None:
            for x, y in parts:
                self.unify(x, y, report)
            return True
        difference = a - b
        for monomial, k in difference.terms:
            if len(monomial) != 1 or monomial[0] not in self.metas:
                continue
            name = monomial[0]
            rest = difference - k * var(name)
            if not self.metas.isdisjoint(self.mentions(rest)):
                continue
            value = (-rest).divided_by(const(k))
            if value is not None and not self._too_deep(name, value):
                self._bind(name, value, a, b)
                return True
        return self._divide(difference)

    def _divide(self, difference: Size) -> bool:
        """``n * ?k - n * m = 0``: ?k is m."""
        for monomial, k in difference.terms:
            metas = [x for x in monomial if x in self.metas]
            if len(metas) != 1 or len(monomial) < 2:
                continue
            name = metas[0]
            others = list(monomial)
            others.remove(name)
            rest = difference - Size(((monomial, k),))
            if name in self.mentions(rest) or not rest.terms:
                continue
            value = (-rest).divided_by(Size(((tuple(others), k),)))
            if value is not None and not self._too_deep(name, value):
                self._bind(name, value, difference, const(0))
                return True
        return False

    def _parts(self, a: Size, b: Size) -> list[Pair] | None:
        """``x op y`` against ``u op v``, both as written, metas in x and y: x with u, y with v."""
        for meta_side, other in ((a, b), (b, a)):
            if self.metas.isdisjoint(meta_side.free()):
                continue
            mine = self._form(meta_side, metas=True)
            theirs = self._form(other, metas=False) if mine is not None else None
            if mine is not None and theirs is not None and mine[0] == theirs[0]:
                return [(mine[1], theirs[1]), (mine[2], theirs[2])]
        return None

    def _arguments(self, a: Size, b: Size) -> list[Pair] | None:
        """``f ?k`` against ``f n``: ?k is n."""
        x, y = a.as_name, b.as_name
        if x is None or y is None:
            return None
        mine, theirs = self.atoms.get(x), self.atoms.get(y)
        if mine is None or theirs is None:
            return None
        if mine.op != theirs.op or len(mine.args) != len(theirs.args):
            return None
        if self.metas.isdisjoint(self.mentions(a)) == self.metas.isdisjoint(self.mentions(b)):
            return None
        return list(zip(mine.args, theirs.args, strict=True))

    def _form(self, s: Size, metas: bool) -> Form | None:
        """How ``s`` was written; with or without metas in both parts.

        If in several ways, none; but ``?a + ?b`` and ``?b + ?a`` in a function's type are one size,
        and the first decides which is which.
        """
        found: dict[Form, None] = {}
        for op, x, y in self.forms:
            u, v = self.norm(x), self.norm(y)
            if (u + v if op == "+" else u * v) != s:
                continue
            open_parts = [not self.metas.isdisjoint(part.free()) for part in (u, v)]
            if all(open_parts) if metas else not any(open_parts):
                found[op, u, v] = None
        first = next(iter(found), None)
        if first is None or (len(found) > 1 and not metas):
            return None
        op, x, y = first
        return first if found.keys() <= {(op, x, y), (op, y, x)} else None

    def _too_deep(self, name: Name, value: Size) -> bool:
        limit = self.depths[name]
        return any(self.depth_of(x) > limit for x in self.mentions(value) if x not in self.metas)

    def _bind(self, name: Name, value: Size, a: Size, b: Size) -> None:
        if (value.as_const or 0) < 0 and value not in (a, b):  # only solving makes it negative
            raise SizeClash(a, b)
        limit = self.depths[name]
        for x in sorted(self.mentions(value) - self.atoms.keys()):
            if x in self.metas:
                self.depths[x] = min(limit, self.depths[x])
            elif self.depth_of(x) > limit:
                if name in self.lifted and self.depth_of(x) == NOWHERE_DEPTH:
                    size = self.binding[name] = self.unknown("size")
                    self.hidden |= size.free()
                    self.depths.update(dict.fromkeys(size.free(), NOWHERE_DEPTH))
                    return
                if name in self.loose:
                    depth, self.depth = self.depth, limit
                    self.binding[name] = self.unknown("size", soft=True)
                    self.depth = depth
                    return
                if x not in self.soft or self.depth_of(x) != NOWHERE_DEPTH:
                    raise SizeClash(a, b, escaping=x)
        if name in self.given and (other := value.as_name) is not None and other in self.metas:
            self.given.add(other)
        self.binding[name] = value


# ---------------------------------------------------------------------- types with sizes


def map_sizes(t: Type, f: Callable[[Size | None], Size | None]) -> Type:
    """``t`` with every size replaced; arrows keep what they bind."""
    match t:
        case ScalarType():
            return t
        case Array(elem, size):
            inner, new = map_sizes(elem, f), f(size)
            return t if inner is elem and new is size else Array(inner, new)
        case Record(fields):
            return Record(tuple([(label, map_sizes(u, f)) for label, u in fields]))
        case Sum(constructors):
            return Sum(
                tuple([(c, tuple([map_sizes(a, f) for a in args])) for c, args in constructors])
            )
        case Arrow(param, result, name, consumes, fresh, exists):
            return Arrow(map_sizes(param, f), map_sizes(result, f), name, consumes, fresh, exists)
        case _:
            return t


def sizes_in(t: Type) -> list[Size]:
    """All sizes in a type."""
    match t:
        case Array(elem, size):
            return [*([size] if size is not None else []), *sizes_in(elem)]
        case Record(fields):
            return [s for _, u in fields for s in sizes_in(u)]
        case Sum(constructors):
            return [s for _, args in constructors for a in args for s in sizes_in(a)]
        case Arrow(param, result):
            return [*sizes_in(param), *sizes_in(result)]
        case _:
            return []
