"""The state of finding the sizes of one definition, and the reports of size errors."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail
from funmem.frontends.futhark.infer_show import Spelling, show
from funmem.frontends.futhark.scope import TypeEntry
from funmem.frontends.futhark.show_inline import show_exp
from funmem.frontends.futhark.sizes import (
    NOWHERE_DEPTH,
    Report,
    SizeClash,
    SizeSolver,
    map_sizes,
    sizes_in,
)
from funmem.frontends.futhark.typing import Meaning, Ref, Scheme, Typing
from funmem.frontends.inference.types import Array, Arrow, Meta, Opaque, Record, Rigid, Sum, Type
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size, var


class Annotation(NamedTuple):
    """The type of a type expression, the time at its end, and the sizes that it leaves open."""

    type: Type
    time: int
    left_open: frozenset[Name]


@define(eq=False)
class SizeContext:
    """The state that the rules of phase 2 share while they check one definition.

    ``exp`` is the judgement on expressions; ``scheme`` returns a global's scheme with sizes.
    """

    typing: Typing
    entries: Mapping[ast.TEName, TypeEntry]
    solver: SizeSolver
    exp: "Callable[[SizeContext, ast.Exp], Type]"
    scheme: Callable[[Name], Scheme]
    lifted: Callable[[Name], frozenset[Name]]
    """Returns the type parameters `'~a` and `'^a` of a global."""
    length: Callable[[Name], bool]
    """True for the prelude's ``length``."""
    pipes: Callable[[Name], str]
    """Returns ``|>`` or ``<|`` for the prelude's operators of these names, else ""."""

    vars: dict[Name, Type] = field(factory=dict)
    values: dict[Name, Size] = field(factory=dict)
    """The i64 variables that are bound to a size: ``let m = n + 1``."""
    local_schemes: dict[Name, Scheme] = field(factory=dict)
    types: dict[ast.Exp | ast.Pattern, tuple[Type, int]] = field(factory=dict)
    """The type of each node, with the time at its end."""
    stated: dict[ast.Pattern, tuple[Type, int]] = field(factory=dict)
    """The types of the patterns of ``let [n] p``, as written."""
    annotations: dict[ast.TypeExp, Annotation] = field(factory=dict)
    instances: dict[ast.QualName, tuple[Ref, Type, tuple[Size, ...], Scheme | None, int]] = field(
        factory=dict
    )
    schemes: dict[ast.LetFun, Scheme] = field(factory=dict)
    meanings: dict[tuple[Name, Meaning], Name] = field(factory=dict)
    """The names of sizes that are computed differently at different places."""
    let_sizes: list[tuple[Name, ast.Let, str]] = field(factory=list)
    """The sizes that ``let [n] …`` names."""
    current: ast.Exp | None = None
    """The expression being checked."""
    makers: dict[Name, ast.Exp] = field(factory=dict)
    """The expression whose evaluation makes an unknown size known."""
    notes: dict[Name, str] = field(factory=dict)
    """The words for the origin of an unknown size."""
    single: dict[Name, Type] = field(factory=dict)
    """Type parameters that stand for only one type, with its sizes."""
    time: int = 0
    opened: dict[Name, int] = field(factory=dict)
    """The time at which each variable came into scope."""
    closed: dict[Name, int] = field(factory=dict)
    """The time at which each variable left scope."""
    trail: list[Name] = field(factory=list)

    # ------------------------------------------------------------------ scopes

    def bind(self, name: Name, t: Type) -> None:
        """Bring a variable into scope."""
        self.vars[name] = t
        self.solver.rigid(name)
        self.time += 1
        self.opened[name] = self.time
        self.trail.append(name)

    def leave(self, mark: int) -> None:
        """End the scope of the variables bound since ``mark``, a length of the trail."""
        self.time += 1
        while len(self.trail) > mark:
            self.closed[self.trail.pop()] = self.time

    def hide(self, mark: int) -> None:
        """Restrict the variables bound since ``mark`` to the arrows that bind them."""
        for name in self.trail[mark:]:
            self.solver.depths[name] = NOWHERE_DEPTH

    def in_scope(self, name: Name, time: int) -> bool:
        """True if a variable is in scope at a time."""
        start = self.opened.get(name)
        return start is not None and start <= time < self.closed.get(name, 1 << 60)

    def unknown(self, base: str, note: str, soft: bool = False) -> Size:
        """Return a new unknown size; ``note`` describes its origin in messages."""
        size = self.solver.unknown(base, soft)
        name = size.as_name
        assert name is not None
        self.notes[name] = note
        if self.current is not None and not soft:
            self.makers[name] = self.current
        return size

    # ------------------------------------------------------------------ types

    def with_sizes(self, t: Type, loose: bool = False) -> Type:
        """Return a type of phase 1 with a meta for every size."""
        match t:
            case Array(elem):
                return Array(self.with_sizes(elem, loose), self.solver.meta(loose))
            case Record(fields):
                return Record(tuple([(label, self.with_sizes(u, loose)) for label, u in fields]))
            case Sum(constructors):
                return Sum(
                    tuple(
                        [
                            (c, tuple([self.with_sizes(a, loose) for a in args]))
                            for c, args in constructors
                        ]
                    )
                )
            case Arrow(param, result):
                return Arrow(self.with_sizes(param, True), self.with_sizes(result, True))
            case ScalarType() | Rigid() | Opaque() | Meta():
                return t

    def instantiate(
        self, scheme: Scheme, types: tuple[Type, ...], lifted: frozenset[Name] = frozenset()
    ) -> tuple[Type, tuple[Size, ...]]:
        """Return the type of one use and its size arguments; ``types`` are those of phase 1."""
        if not scheme.sizes and not scheme.types:
            return scheme.type, ()
        sizes = tuple([self.solver.meta() for _ in scheme.sizes])
        self.solver.parameters.update(x for s in sizes if (x := s.as_name) is not None)
        size_image = dict(zip(scheme.sizes, sizes, strict=True))
        type_image = {
            n: t if isinstance(t, ScalarType) else self.with_sizes(t)
            for n, t in zip(scheme.types, types, strict=True)
        }
        for n in lifted:
            for s in sizes_in(type_image[n]):
                self.solver.lifted |= s.free()
        return self.replace(scheme.type, size_image, type_image), sizes

    def replace(
        self, t: Type, sizes: Mapping[Name, Size], types: Mapping[Name, Type] | None = None
    ) -> Type:
        """Replace names of sizes and of types in ``t``."""
        solver = self.solver

        def go(t: Type) -> Type:
            match t:
                case ScalarType():
                    return t
                case Array(elem, size):
                    new = None if size is None else _subst(solver, size, sizes)
                    return Array(go(elem), new)
                case Rigid(name):
                    return t if types is None else types.get(name, t)
                case Record(fields):
                    return Record(tuple([(label, go(u)) for label, u in fields]))
                case Sum(constructors):
                    return Sum(
                        tuple([(c, tuple([go(a) for a in args])) for c, args in constructors])
                    )
                case Arrow(param, result, name, consumes, fresh, exists):
                    return Arrow(go(param), go(result), name, consumes, fresh, exists)
                case Opaque() | Meta():
                    return t

        return go(t) if sizes or types else t

    # ------------------------------------------------------------------ equality

    def same(self, at: Span, found: Type, expected: Type, what: str) -> None:
        """Require equal sizes of two types that are equal except for sizes."""
        if isinstance(found, ScalarType) or isinstance(expected, ScalarType):
            return
        report = _Report(self, at, found, expected, what)
        try:
            self._unify(found, expected, report)
        except SizeClash as clash:
            report.fail(clash)

    def _unify(self, a: Type, b: Type, report: Report) -> None:
        match a:
            case Array(elem, size) if isinstance(b, Array):
                if size is not None and b.size is not None:
                    self.solver.unify(size, b.size, report)
                self._unify(elem, b.elem, report)
            case Record(fields) if isinstance(b, Record):
                for (_, x), (_, y) in zip(fields, b.fields, strict=True):
                    self._unify(x, y, report)
            case Sum(constructors) if isinstance(b, Sum):
                for (_, us), (_, vs) in zip(constructors, b.constructors, strict=True):
                    for u, v in zip(us, vs, strict=True):
                        self._unify(u, v, report)
            case Arrow() if isinstance(b, Arrow):
                self._unify(a.param, b.param, report)
                left, right = a.result, b.result
                if a.name is not None and b.name is not None and a.name != b.name:
                    left = self.replace(left, {a.name: var(b.name)})
                if b.exists:
                    depth, self.solver.depth = self.solver.depth, NOWHERE_DEPTH
                    right = self.replace(right, {n: self.solver.meta() for n in b.exists})
                    self.solver.depth = depth
                self._unify(left, right, report)
            case ScalarType() | Record() | Sum() | Array() | Arrow() | Rigid() | Opaque() | Meta():
                pass

    def at(self, t: Type, time: int, stated: bool = False) -> Type:
        """Return ``t`` with the sizes that are expressible at ``time``, and None for the others.

        With ``stated``, sizes in scope stay as they are stated.
        """

        def visible(s: Size | None) -> Size | None:
            if s is None:
                return None
            if stated and all(self.in_scope(x, time) for x in s.free()):
                return s
            s = self.solver.norm(s)
            return s if all(self.in_scope(x, time) for x in s.free()) else None

        return t if isinstance(t, ScalarType) else map_sizes(t, visible)

    def visible(self, t: Type, names: set[Name]) -> Type:
        """Return ``t`` without the sizes that mention names outside of ``names``."""

        def keep(s: Size | None) -> Size | None:
            return None if s is None or not s.free() <= names else s

        return map_sizes(self.norm(t), keep)

    def norm(self, t: Type) -> Type:
        """Return a type with all bound metas replaced."""
        if isinstance(t, ScalarType):
            return t
        return map_sizes(t, lambda s: None if s is None else self.solver.norm(s))


def _subst(solver: SizeSolver, size: Size, image: Mapping[Name, Size]) -> Size:
    """Replace names in a size; keep its form as a sum or product."""
    new = solver.subst(size, image)
    if new != size and (form := solver.written_as(size)) is not None:
        op, x, y = form
        if size not in (x, y):  # n * 1 is n
            solver.forms.append((op, _subst(solver, x, image), _subst(solver, y, image)))
    return new


class _Report(Report):
    """The report that two types differ in a size."""

    def __init__(self, cx: SizeContext, at: Span, found: Type, expected: Type, what: str) -> None:
        self.cx, self.at, self.found, self.expected, self.what = cx, at, found, expected, what

    def fail(self, clash: SizeClash) -> None:
        """Raise the SourceError."""
        cx, solver = self.cx, self.cx.solver
        spell = Spelling(cx.typing.names)
        lines: list[str] = []
        if clash.escaping is not None and solver.depth_of(clash.escaping) == NOWHERE_DEPTH:
            name = clash.escaping
            sides = (clash.found, clash.expected)
            size = next((s for s in sides if name in solver.mentions(s)), clash.found)
            texts = spell(str(size), name)
            lines.append(
                f"{self.what} makes an array of size {texts[0]}, "
                f"but {texts[1]} is known only when it is called"
            )
            hint = "rows of an array must have one length, known before the first row is computed"
            code = "size-escape"
        else:
            found, expected = cx.norm(self.found), cx.norm(self.expected)
            f, e = spell(show(found), show(expected))
            lines.append(f"{self.what} is {f}, but should be {e}")
            lines.append("  {} and {} differ".format(*spell(str(clash.found), str(clash.expected))))
            hint = "if they are equal at run time, assert it: `… :> [n]t`"
            if clash.escaping is not None:
                (inner,) = spell(clash.escaping)
                lines.append(f"  {inner} is not known where the other array's size is determined")
            code = "size-mismatch"
        for name in sorted(solver.mentions(clash.found) | solver.mentions(clash.expected)):
            if name in cx.notes and name not in solver.metas:
                lines.append(f"  {spell(name)[0]} is {cx.notes[name]}")
            elif (known := next(iter(solver.shared.exps.get(name, ())), None)) is not None:
                lines.append(f"  {spell(name)[0]} is `{show_exp(known)}`")
        fail(self.at, code, "\n".join(lines), hint)
