"""The state of inference, and the reports of type errors."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import NoReturn

from attrs import field

from funmem.frontends.inference.type_parts import children, substitute
from funmem.frontends.inference.types import Array, Hidden, Meta, Opaque, Type
from funmem.frontends.inference.unify import Clash, Functional, Solver
from funmem.frontends.nova import ast
from funmem.frontends.nova.builtins import BUILT_INS, SPECIAL
from funmem.frontends.nova.errors import Code, fail
from funmem.frontends.nova.type_variables import type_variables
from funmem.frontends.nova.types import NUM, UNKNOWN, Constructor, Declarations
from funmem.frontends.nova.typing import Key, Typing, Use
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.record import define, frozen
from funmem.ir.scalars import F32, I32, ScalarType


@frozen(eq=False)
class Local:
    """A local variable in scope; ``generic`` are the metavariables that its type quantifies."""

    key: Key
    type: Type
    generic: tuple[int, ...]


@define(eq=False)
class Context:
    """The state that the rules share; ``exp`` is the judgement on expressions."""

    exp: "Callable[[Context, ast.Exp], Type]"
    solver: Solver = field(factory=Solver)
    declared: Declarations = field(init=False)
    scope: dict[str, Local] = field(factory=dict)
    foreign: dict[str, Type] = field(factory=dict)
    type_variables: dict[str, Type] = field(factory=dict)
    """The meaning of each ``'a`` that a definition around this place mentions."""
    types: dict[ast.Exp, Type] = field(factory=dict)
    uses: dict[ast.Var, Use] = field(factory=dict)
    bound: dict[Key, Type] = field(factory=dict)
    quantified: dict[Key, tuple[int, ...]] = field(factory=dict)
    generic: set[int] = field(factory=set)
    """All metavariables that some definition quantifies."""
    numbers: list[tuple[Meta, ast.Number]] = field(factory=list)
    """Constants, whose types the context decides; if it does not, they are int or float."""
    errors: list[Diagnostic] | None = None
    """The errors of definitions, if they are collected; None: the first one is raised."""

    def __attrs_post_init__(self) -> None:
        self.declared = Declarations(self.solver)

    # ------------------------------------------------------------------ names

    def bind(self, key: Key, name: str, t: Type, generic: tuple[int, ...] = ()) -> None:
        """Bring a variable into scope."""
        self.scope[name] = Local(key, t, generic)
        self.bound[key] = t
        if generic:
            self.quantified[key] = generic

    @contextmanager
    def block(self) -> Iterator[None]:
        """Variables bound inside are not in scope afterwards."""
        before = dict(self.scope)
        yield
        self.scope = before

    def is_special(self, name: str) -> bool:
        """True if ``name`` means ``map``, ``range``, ``shape`` or ``rows``."""
        taken = name in self.scope or name in self.declared.constructors or name in self.foreign
        return name in SPECIAL and not taken

    def unknown(self, e: ast.Var) -> NoReturn:
        """Raise the error that a name is not in scope."""
        known = [*self.scope, *self.declared.constructors, *self.foreign, *BUILT_INS, *SPECIAL]
        close = get_close_matches(e.name, known, 1)
        hint = f"did you mean `{close[0]}`?" if close else ""
        fail(e.at, Code.NAME, f"`{e.name}` is not in scope", hint)

    # ------------------------------------------------------------------ type variables

    def variable(self, v: ast.TypeVar) -> Type:
        """Return the meaning of ``'a``: that of the definition around, or of the program."""
        if v.name not in self.type_variables:
            level, self.solver.level = self.solver.level, 0
            self.type_variables[v.name] = self.solver.fresh(v.at)
            self.solver.level = level
        return self.type_variables[v.name]

    @contextmanager
    def variables(self, e: ast.Lambda | ast.Mu) -> Iterator[None]:
        """Inside, ``'a`` that no definition around mentions belongs to this one."""
        before = self.type_variables
        own = {v.name: self.solver.fresh(v.at) for v in type_variables(e) if v.name not in before}
        self.type_variables = {**before, **own}
        yield
        self.type_variables = before | {
            name: t for name, t in self.type_variables.items() if name not in own
        }

    def built_in(self, name: str, at: Span) -> Type:
        """Return the type of a built-in at a new instance."""
        row = BUILT_INS[name]
        found: dict[str, Meta] = {}

        def variable(v: ast.TypeVar) -> Type:
            if v.name not in found:
                what = f"an operand of `{name}`"
                t = self.solver.fresh(at)
                if row.options is not None:
                    t = self.solver.one_of(row.options, what, at)
                found[v.name] = t
                if row.eq:
                    self.declared.equality(at, t, what)
            return found[v.name]

        return self.declared.of(row.type, variable)

    def payload(self, made: Constructor, types: Sequence[Type]) -> Type:
        """Return what a constructor holds, at these arguments of its sum."""
        return substitute(made.payload, dict(zip(made.sum.params, types, strict=True)))

    # ------------------------------------------------------------------ demands

    def text(self, t: Type) -> str:
        """Return a type as messages show it."""
        return self.declared.text(t)

    def may_be_function(self, t: Meta) -> bool:
        """True if nothing is demanded of an unknown type that no function fulfils."""
        cell = self.solver.cells[t.id]
        return cell.shape is None and cell.equal is None and cell.order0 is None

    def same(self, at: Span, found: Type, expected: Type, what: str) -> None:
        """Require that two types are equal (``nova-type``, ``nova-simple``)."""
        solver = self.solver
        solver.where = at
        try:
            solver.unify(expected, found)
        except Functional as clash:
            fail(at, Code.SIMPLE, f"{what} is {self.text(found)}: {clash.reason}")
        except Clash as clash:
            f, e = self.text(found), self.text(expected)
            lines = [f"{what} is {f}, but should be {e}" if f != e else f"{what} does not fit: {f}"]
            if e == UNKNOWN:
                lines = [f"{what} cannot be {f}"]
            if clash.reason:
                lines.append(f"  {clash.reason}")
            hint = _conversion(solver.zonk(found), solver.zonk(expected))
            fail(at, Code.TYPE, "\n".join(lines), hint)

    # ------------------------------------------------------------------ the end

    def close(self, program: ast.Program) -> Typing:
        """Decide the types of constants, and return the tables.  Raises SourceError."""
        for meta, number in self.numbers:
            kind = self.solver.resolve(meta)
            if isinstance(kind, Meta) and kind.id not in self.generic:
                self._decide(kind, number)
        for e, t in self.types.items():
            if self._open(t):
                self._ambiguous(e, t)
        return Typing(
            program,
            self.declared,
            self.solver,
            self.types,
            self.uses,
            self.bound,
            self.foreign,
            self.quantified,
        )

    def _decide(self, t: Meta, e: ast.Number) -> None:
        try:
            self.solver.unify(t, F32 if e.fractional else I32)
        except Clash:  # an integer where a float is needed
            self.same(e.at, t, F32, f"the number `{e.text}`")

    def _open(self, t: Type) -> bool:
        t = self.solver.resolve(t)
        if isinstance(t, Meta):
            return t.id not in self.generic
        return any(map(self._open, children(t)))

    def _ambiguous(self, e: ast.Exp, t: Type) -> None:
        what = self.text(t)
        known = "" if what == UNKNOWN else f": it is only known to be {what}"
        fail(e.at, Code.AMBIGUOUS, f"the type of this is not determined{known}", _HINT)


_HINT = "state it, for example as a parameter's type: `(lambda (x : int) …)`"


def _conversion(found: Type, expected: Type) -> str:
    """Return a hint where two types differ."""
    match found, expected:
        case ScalarType(), ScalarType() if found in NUM and expected in NUM:
            return "there are no implicit conversions: use `to_double` and `from_double`"
        case Array(), _ if isinstance(expected, ScalarType):
            return "`map` applies a function to each element"
        case Opaque(Hidden(text)), Array() | Opaque() if text.startswith("vector#"):
            return f"`rows` makes a vector of the rows of a `{text}`"
        case _:
            return ""
