"""Size inference: phase 2, on the types whose form phase 1 has found.

Every array type now has a size, a polynomial over

    variables   i64 variables and size parameters of the program
    unknowns    sizes known only at run time: of the result of ``filter``, …
    atoms       ``n / 2``, ``f x``: values that are not polynomials, each equal only to itself
    metas       ``?k``: sizes to be found, which may be bound to a size

Two sizes without metas are equal if and only if they are the same polynomial.  An equation with
metas is solved if it is linear in one of them; otherwise it waits until more is known.

Each name has a *depth*: the number of functions, branches and loops around its binder.  A meta of
depth d stands for a size that is known at this depth, so it is never bound to a deeper name.  This
rejects ``map iota ns``, whose rows would differ in length.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.inference.types import Array, Arrow, Meta, Opaque, Record, Rigid, Sum, Type
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size, const, var

NOWHERE_DEPTH = 1 << 30
"""The depth of a name that only the arrow around a type binds, deeper than all others."""


@frozen
class Atom:
    """``op(args…)``: a scalar that is not a polynomial in its arguments."""

    op: str
    args: tuple[Size, ...]


class SizeClash(Exception):
    """Two sizes differ; ``escaping``: the name that is used outside of its scope, if any."""

    def __init__(self, found: Size, expected: Size, escaping: Name | None = None) -> None:
        super().__init__(f"{found} / {expected}")
        self.found = found
        self.expected = expected
        self.escaping = escaping


@frozen
class Waiting:
    """An equation that is still undecided; ``report`` raises the error if it turns out false."""

    found: Size
    expected: Size
    report: "Report"


class Report:
    """Reports a clash of sizes; see SizeContext.same."""

    def fail(self, clash: SizeClash) -> None:
        """Raise the SourceError."""
        raise NotImplementedError


Pair: TypeAlias = tuple[Size, Size]
SizeForm: TypeAlias = tuple[str, Size, Size]
"""``a + b`` or ``a * b``."""


@define
class SharedSizes:
    """The knowledge of sizes that the definitions of a program share."""

    constants: set[Name] = field(factory=set)
    """Unknown sizes of top-level constants, which are known everywhere."""
    forms: dict[Size, SizeForm | None] = field(factory=dict)
    """The form of each sum or product; None if written in several ways beyond swapped operands."""
    atoms: dict[Name, Atom] = field(factory=dict)
    interned: dict[Atom, Name] = field(factory=dict)
    exps: dict[Name, dict[ast.Exp, None]] = field(factory=dict)
    """The expressions whose value is an atom, in order."""
    copies: dict[Name, tuple[Name, Mapping[Name, Size]]] = field(factory=dict)
    """Maps an atom to the atom in the definition of an abbreviation, with the sizes of its
    parameters."""


@define
class SizeSolver:
    """The sizes of one definition."""

    fresh: Fresh
    shared: SharedSizes
    binding: dict[Name, Size] = field(factory=dict)
    metas: set[Name] = field(factory=set)
    depths: dict[Name, int] = field(factory=dict)
    soft: set[Name] = field(factory=set)
    """Unknowns for sizes that this checker cannot express; they equal every size."""
    loose: set[Name] = field(factory=set)
    """Metas in function types; such a meta becomes soft rather than bound to a deeper name."""
    lifted: set[Name] = field(factory=set)
    """Metas in the types for `'~a` and `'^a`: such a size may be known only after a call."""
    hidden: set[Name] = field(factory=set)
    """Unknowns for sizes known only after a call; each occurrence has a size of its own."""
    given: set[Name] = field(factory=set)
    """Metas in parameter types; joining branches of different sizes does not bind these."""
    parameters: set[Name] = field(factory=set)
    """Metas for the size parameters of used definitions; joining branches does not bind these."""
    atoms: dict[Name, Atom] = field(init=False)
    renamed: dict[Name, Name] = field(factory=dict)
    """Maps an atom to one with the same value, from before a meta in it was bound."""
    forms: list[SizeForm] = field(factory=list)
    """Sums and products as written; an equation between two of them is solved part by part."""
    waiting: list[Waiting] = field(factory=list)
    depth: int = 0
    count: int = 0

    def __attrs_post_init__(self) -> None:
        self.atoms = self.shared.atoms

    # ------------------------------------------------------------------ names

    def meta(self, loose: bool = False) -> Size:
        """Return a new size to be found."""
        self.count += 1
        name = Name(f"?{self.count}")
        self.metas.add(name)
        self.depths[name] = self.depth
        if loose:
            self.loose.add(name)
        return var(name)

    def flexible(self, name: Name) -> None:
        """Declare a size that the program names (``let [n] …``) and that is to be found."""
        self.metas.add(name)
        self.depths[name] = self.depth

    def rigid(self, name: Name) -> None:
        """Declare a variable that is bound at the current depth."""
        self.depths[name] = self.depth

    def unknown(self, base: str, soft: bool = False) -> Size:
        """Return a new size that is known only at run time."""
        name = self.fresh(f"?{base}")
        self.depths[name] = self.depth
        if soft:
            self.soft.add(name)
        return var(name)

    def atom(self, op: str, args: tuple[Size, ...]) -> Size:
        """Return the value ``op(args…)``."""
        key = Atom(op, tuple(self.norm(a) for a in args))
        name = self.shared.interned.get(key)
        if name is None:
            name = self.shared.interned[key] = self.fresh("?value")
            self.atoms[name] = key
        return var(name)

    def depth_of(self, name: Name) -> int:
        """Return the depth at which a name is known."""
        atom = self.atoms.get(name)
        if atom is None:
            return self.depths.get(name, 0 if name in self.shared.constants else NOWHERE_DEPTH)
        return max((self.depth_of(x) for a in atom.args for x in a.free()), default=0)

    # ------------------------------------------------------------------ what is known

    def norm(self, s: Size) -> Size:
        """Return ``s`` with all bound metas replaced."""
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
        """Replace names in ``s``, also in its atoms."""
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
        """Return the names in ``s``, including those in its atoms."""
        names = s.free()
        for x in names:
            if x in self.atoms:
                for a in self.atoms[x].args:
                    names |= self.mentions(a)
        return names

    def written(self, op: str, a: Size, b: Size) -> Size:
        """Return ``a op b``, and record this form."""
        result = a + b if op == "+" else a * b
        self.forms.append((op, a, b))
        known = self.shared.forms.setdefault(result, (op, a, b))
        if known not in ((op, a, b), (op, b, a)):
            self.shared.forms[result] = None
        return result

    def written_as(self, s: Size) -> SizeForm | None:
        """Return the form in which a sum or product was written anywhere, if it is unique."""
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
        """Retry the waiting equations while this makes progress.  Fails through the reports."""
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
        """Solve ``n * ?k - n * m = 0``: ?k is m."""
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
        """Match ``x op y`` with ``u op v``, both as written, with metas in x and y only."""
        for meta_side, other in ((a, b), (b, a)):
            if self.metas.isdisjoint(meta_side.free()):
                continue
            mine = self._form(meta_side, metas=True)
            theirs = self._form(other, metas=False) if mine is not None else None
            if mine is not None and theirs is not None and mine[0] == theirs[0]:
                return [(mine[1], theirs[1]), (mine[2], theirs[2])]
        return None

    def _arguments(self, a: Size, b: Size) -> list[Pair] | None:
        """Match ``f ?k`` with ``f n``."""
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

    def _form(self, s: Size, metas: bool) -> SizeForm | None:
        """Return the form in which ``s`` was written, with or without metas in both parts.

        Return None if there are several forms.  The exception is ``?a + ?b`` and ``?b + ?a`` in a
        function's type, which are one size: the first form decides which is which.
        """
        found: dict[SizeForm, None] = {}
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
        if (value.as_const or 0) < 0 and value not in (a, b):  # negative only as a solution
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
    """Return ``t`` with every size replaced; arrows keep the names that they bind."""
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
        case Rigid() | Opaque() | Meta():
            return t


def sizes_in(t: Type) -> list[Size]:
    """Return all sizes in a type."""
    match t:
        case Array(elem, size):
            return [*([size] if size is not None else []), *sizes_in(elem)]
        case Record(fields):
            return [s for _, u in fields for s in sizes_in(u)]
        case Sum(constructors):
            return [s for _, args in constructors for a in args for s in sizes_in(a)]
        case Arrow(param, result):
            return [*sizes_in(param), *sizes_in(result)]
        case ScalarType() | Rigid() | Opaque() | Meta():
            return []
