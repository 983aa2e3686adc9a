"""The state of inferring one definition, and how its rules report what does not fit."""

from collections.abc import Callable
from typing import TypeAlias

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import Noted, fail, place
from funmem.frontends.futhark.infer_show import Spelling, show
from funmem.frontends.futhark.parse_operators import Level
from funmem.frontends.futhark.scope import Global, LocalVar, Scope, TypeEntry, Value, unique
from funmem.frontends.futhark.show_inline import show_at
from funmem.frontends.futhark.types import Meta, Type
from funmem.frontends.futhark.typing import Bound, LocalRef, Scheme, Typing
from funmem.frontends.futhark.unify import Because, Clash, Solver, describe
from funmem.ir.diagnostics import SourceError, Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, F64, ScalarType


@define(eq=False)
class Context:
    """What the rules of phase 1 read and write while they go through one definition.

    ``exp`` is the judgement on expressions, which rules in other files call.
    ``require``: has a definition's scheme computed, and its body checked later.
    """

    scope: Scope
    typing: Typing
    fresh: Fresh
    exp: "Callable[[Context, ast.Exp], Type]"
    require: Callable[[Global], Scheme]
    entries: dict[ast.TEName, TypeEntry]
    """What the names in type expressions stand for."""
    solver: Solver = field(factory=Solver)

    types: dict[ast.Exp | ast.Pattern, Type] = field(factory=dict)
    """Types as far as known; zonked at the end."""
    instances: dict[ast.QualName, tuple[Value, tuple[Type, ...], tuple[str, ...]]] = field(
        factory=dict
    )
    """Uses of globals, built-in names and local functions: with their types."""
    views: dict[ast.QualName, tuple[Name, tuple[Type, ...]]] = field(factory=dict)
    """Those among them that a module type shows: as what, with its types."""
    finals: list[Callable[[], None]] = field(factory=list)
    """What can be checked only when all types are known."""
    annotations: dict[ast.TypeExp, Type] = field(factory=dict)
    local_schemes: dict[ast.LetFun, Scheme] = field(factory=dict)
    extents: dict[Name, tuple[int, int]] = field(factory=dict)
    """Of a type parameter of a local function: how many of these end before it begins, and ends."""
    initials: dict[ast.PVar, ast.QualName] = field(factory=dict)
    """The use of a variable that ``loop x for …`` stands for."""
    held: list[tuple[str, LocalVar]] | None = None
    """Variables of the pattern that is being checked."""
    uses: dict[Name, None] = field(factory=dict)
    """The globals that the definition mentions."""
    noted: Noted | None = None
    """Where errors are noted, if all are wanted; else the first one is raised."""
    failed: bool = False
    """Whether one was noted: what depends on it is not known."""

    def attempt(self, act: Callable[[], None]) -> bool:
        """Act.  Whether that went well; if an error was noted, all is as before."""
        if self.noted is None:
            act()
            return True
        mark, names, held = self.scope.mark(), self.scope.names, self.held
        level = self.solver.level
        try:
            act()
        except SourceError as error:
            self.noted.note(error)
            self.failed = True
            self.scope.leave(mark)
            self.scope.names, self.held, self.solver.level = names, held, level
            return False
        return True

    # ------------------------------------------------------------------ binding

    def bind(self, key: ast.PVar | Bound, name: str, t: Type, at: Span) -> LocalVar:
        """A new variable ``name``, in scope from here on."""
        var = LocalVar(unique(self.fresh, name), t, at)
        self.typing.names[key] = var.name
        if self.held is not None and isinstance(key, ast.PVar):
            self.held.append((name, var))
        else:
            self.scope.bind(name, var)
        return var

    def hold(self) -> "list[tuple[str, LocalVar]] | None":
        """From here on patterns bind nothing: their types must not mention their own variables."""
        before, self.held = self.held, []
        return before

    def release(self, before: "list[tuple[str, LocalVar]] | None") -> None:
        """What patterns bound since ``hold`` comes into scope."""
        held, self.held = self.held, before
        for name, var in held or ():
            self.scope.bind(name, var)

    def refer(self, q: ast.QualName, var: LocalVar, labels: tuple[str, ...] = ()) -> None:
        """``q`` is a use of ``var``."""
        self.typing.refs[q] = LocalRef(var.name, labels)

    # ------------------------------------------------------------------ demands

    def same(
        self,
        at: Span,
        found: Type,
        expected: Type,
        what: str,
        origins: "tuple[Origin, Origin] | None" = None,
        hint: str = "",
    ) -> None:
        """``found`` is ``expected``; ``origins`` says where the two come from: found, expected."""
        solver = self.solver
        solver.where = at
        try:
            solver.unify(expected, found)
        except Clash as clash:
            self.mismatch(at, clash, found, expected, what, origins, hint)

    def mismatch(
        self,
        at: Span,
        clash: Clash,
        found: Type,
        expected: Type,
        what: str,
        origins: "tuple[Origin, Origin] | None",
        hint: str = "",
    ) -> None:
        """Report that two types differ."""
        zonk = self.solver.zonk
        f, e = self.texts(found, expected)
        if e == UNKNOWN:
            lines = [f"{what} cannot be {f}"]
        else:
            lines = [f"{what} is {f}, but should be {e}" if f != e else f"{what} does not fit: {f}"]
        left, right = self.texts(clash.left, clash.right)
        if origins is not None:
            lines.append(f"  {f}: {spell(origins[0])}")
            if e != UNKNOWN:
                lines.append(f"  {e}: {spell(origins[1])}")
        if clash.reason:
            lines.append(f"  {clash.reason}")
        elif zonk(clash.left) != zonk(expected):
            lines.append(f"  {right} is not {left}")
        if not hint and origins is not None:
            hint = conversion(zonk(found), zonk(expected), *origins)
        fail(at, "type-mismatch", "\n".join(lines), hint)

    def demand(self, at: Span, t: Type, what: str, demand: Callable[[], None]) -> None:
        """Run a demand of the solver on ``t``; report where it is not met."""
        self.solver.where = at
        try:
            demand()
        except Clash as clash:
            fail(at, "type-mismatch", f"{what} is {self.text(t)}: {clash.reason or 'this differs'}")

    def order0(self, at: Span, t: Type, what: str) -> None:
        """``t`` holds no function."""
        solver = self.solver
        try:
            solver.demand_order0(t, Because(what, at))
        except Clash:
            fail(
                at,
                "functional-result",
                f"{what} must not be a function, or hold one: it is {self.text(t)}",
                "functions may be bound, passed and returned, but not chosen at run time or stored",
            )

    def text(self, t: Type) -> str:
        """A type as a message shows it."""
        return self.texts(t)[0]

    def texts(self, *types: Type) -> tuple[str, ...]:
        """Several types that one message shows."""
        spell = Spelling(self.typing.names)
        return spell(*(show_with_demands(self.solver, t) for t in types))


UNKNOWN = "not known"
"""How a message shows a type about which nothing is known."""


def show_with_demands(solver: Solver, t: Type) -> str:
    """``t``; if it is not known yet, what is known about it."""
    t = solver.zonk(t)
    if isinstance(t, Meta):
        shape = solver.cells[t.id].shape
        return UNKNOWN if shape is None else describe(shape)
    return show(t)


Origin: TypeAlias = ast.Exp | str | tuple[str, ast.Exp | Span]
"""Where a type comes from: an expression, words, or words and an expression or a place."""


def spell(source: Origin) -> str:
    """An origin in words."""
    match source:
        case str():
            return source
        case (words, Span() as at):
            return f"{words}{place(at)}"
        case (words, e):
            return f"{words}{origin(e)}"
        case e:
            return origin(e)


def origin(e: ast.Exp) -> str:
    """Where the type of an expression comes from, in words."""
    match e:
        case ast.IntLit() | ast.FloatLit() | ast.BoolLit() | ast.CharLit() | ast.StringLit():
            return f"the literal at {place(e.at)}"
        case ast.Var(name):
            return f"`{name}` at {place(e.at)}"
        case ast.App():
            head: ast.Exp = e
            while isinstance(head, ast.App):
                head = head.fn
            if isinstance(head, ast.Var):
                return f"the result of `{head.name}` at {place(e.at)}"
            return f"the result of a function at {place(e.at)}"
        case ast.BinOp(op):
            return f"the result of `{op}` at {place(op.at)}"
        case ast.Ascript() | ast.Coerce():
            return f"the annotation at {place(e.type.at)}"
        case ast.Lambda():
            return f"the function at {place(e.at)}"
        case _:
            return f"the expression at {place(e.at)}"


def conversion(found: Type, expected: Type, mine: Origin, other: Origin) -> str:
    """A hint where two number types differ, ``f32.i64 n``; integers beside floats become floats."""
    if isinstance(mine, ast.FloatLit) and not isinstance(found, ScalarType):
        found = F64
    if not isinstance(found, ScalarType) or not isinstance(expected, ScalarType):
        return ""
    if BOOL in (found, expected) or found is expected or isinstance(mine, str | tuple):
        return ""
    if isinstance(other, tuple) and other[0].startswith("the other"):
        beside = other[1]
        if found.is_float and expected.is_int and not isinstance(beside, Span):
            return f"convert the other one: `{found}.{expected} {_short(beside)}`"
    return f"convert it: `{expected}.{found} {_short(mine)}`"


def _short(e: ast.Exp) -> str:
    text = show_at(e, Level.ATOM)
    return text if len(text) <= 30 else "(…)"
