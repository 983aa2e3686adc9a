"""The state of inferring one definition, and the reports of type errors."""

from collections.abc import Callable
from typing import TypeAlias

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import Noted, fail, place
from funmem.frontends.futhark.infer_show import Spelling, show
from funmem.frontends.futhark.parse_operators import Level
from funmem.frontends.futhark.scope import Global, LocalVar, Scope, TypeEntry, ValueEntry, unique
from funmem.frontends.futhark.show_inline import show_at
from funmem.frontends.futhark.typing import Bound, LocalRef, Scheme, Typing
from funmem.frontends.inference.types import Meta, Type
from funmem.frontends.inference.unify import Because, Clash, Solver, describe
from funmem.ir.diagnostics import SourceError, Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, F64, ScalarType


@define(eq=False)
class TypeContext:
    """The state that the rules of phase 1 share while they check one definition.

    ``exp`` is the judgement on expressions, called by rules in other files.
    ``require`` computes the scheme of a definition; its body is checked later.
    """

    scope: Scope
    typing: Typing
    fresh: Fresh
    exp: "Callable[[TypeContext, ast.Exp], Type]"
    require: Callable[[Global], Scheme]
    entries: dict[ast.TEName, TypeEntry]
    """The meaning of each type name in type expressions."""
    solver: Solver = field(factory=Solver)

    types: dict[ast.Exp | ast.Pattern, Type] = field(factory=dict)
    """Types as far as they are known; zonked at the end."""
    instances: dict[ast.QualName, tuple[ValueEntry, tuple[Type, ...], tuple[str, ...]]] = field(
        factory=dict
    )
    """Uses of globals, built-in names and local functions: value, type arguments, labels."""
    views: dict[ast.QualName, tuple[Name, tuple[Type, ...]]] = field(factory=dict)
    """The uses above whose value has a module type: the specification's name and type arguments."""
    finals: list[Callable[[], None]] = field(factory=list)
    """Checks that must wait until all types are known."""
    annotations: dict[ast.TypeExp, Type] = field(factory=dict)
    local_schemes: dict[ast.LetFun, Scheme] = field(factory=dict)
    extents: dict[Name, tuple[int, int]] = field(factory=dict)
    """For a type parameter of a local function, the numbers of local functions that end before it
    begins and before it ends."""
    initials: dict[ast.PVar, ast.QualName] = field(factory=dict)
    """For each variable of ``loop x for …``, the use of the outer variable that initialises it."""
    held: list[tuple[str, LocalVar]] | None = None
    """Variables of the pattern being checked, which are not in scope yet."""
    uses: dict[Name, None] = field(factory=dict)
    """The globals that the definition mentions, in order."""
    noted: Noted | None = None
    """Collects the errors, if all are wanted; if None, the first error is raised."""
    failed: bool = False
    """True once an error was noted; results that depend on it are unknown."""

    def attempt(self, act: Callable[[], None]) -> bool:
        """Call ``act`` and return True; after a noted error restore the scope and return False."""
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
        """Bring a new variable ``name`` into scope and return it."""
        var = LocalVar(unique(self.fresh, name), t, at)
        self.typing.names[key] = var.name
        if self.held is not None and isinstance(key, ast.PVar):
            self.held.append((name, var))
        else:
            self.scope.bind(name, var)
        return var

    def hold(self) -> "list[tuple[str, LocalVar]] | None":
        """Delay the bindings of patterns: a pattern's type must not mention its own variables."""
        before, self.held = self.held, []
        return before

    def release(self, before: "list[tuple[str, LocalVar]] | None") -> None:
        """Bring the variables bound since ``hold`` into scope."""
        held, self.held = self.held, before
        for name, var in held or ():
            self.scope.bind(name, var)

    def refer(self, q: ast.QualName, var: LocalVar, labels: tuple[str, ...] = ()) -> None:
        """Record that ``q`` is a use of ``var``."""
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
        """Unify ``found`` with ``expected``; ``origins`` are their origins, in this order."""
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
        """Raise the error that two types differ."""
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
        """Run a demand of the solver on ``t``; raise the error if it is not met."""
        self.solver.where = at
        try:
            demand()
        except Clash as clash:
            fail(at, "type-mismatch", f"{what} is {self.text(t)}: {clash.reason or 'these differ'}")

    def order0(self, at: Span, t: Type, what: str) -> None:
        """Require that ``t`` contains no function."""
        solver = self.solver
        try:
            solver.demand_order0(t, Because(what, at))
        except Clash:
            fail(
                at,
                "functional-result",
                f"{what} must not be or contain a function: it is {self.text(t)}",
                "functions may be bound, passed and returned, but not chosen at run time or stored",
            )

    def text(self, t: Type) -> str:
        """Return a type as a message shows it."""
        return self.texts(t)[0]

    def texts(self, *types: Type) -> tuple[str, ...]:
        """Return the types of one message as it shows them, spelled consistently."""
        spell = Spelling(self.typing.names)
        return spell(*(show_with_demands(self.solver, t) for t in types))


UNKNOWN = "not known"
"""The text that messages show for a type of which nothing is known."""


def show_with_demands(solver: Solver, t: Type) -> str:
    """Return the text of ``t``, or of the demands on it if it is not known yet."""
    t = solver.zonk(t)
    if isinstance(t, Meta):
        shape = solver.cells[t.id].shape
        return UNKNOWN if shape is None else describe(shape)
    return show(t)


Origin: TypeAlias = ast.Exp | str | tuple[str, ast.Exp | Span]
"""The source of a type: an expression, words, or words with an expression or a place."""


def spell(source: Origin) -> str:
    """Return the words for an origin."""
    if isinstance(source, str):
        return source
    if isinstance(source, tuple):
        words, where = source
        return f"{words}{place(where) if isinstance(where, Span) else origin(where)}"
    return origin(source)


def origin(e: ast.Exp) -> str:
    """Return the words for the expression that a type comes from."""
    match e:
        case ast.Literal():
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
        case ast.Annotated():
            return f"the annotation at {place(e.type.at)}"
        case ast.Lambda():
            return f"the function at {place(e.at)}"
        case (
            ast.Hole()
            | ast.Aggregate()
            | ast.Access()
            | ast.Operation()
            | ast.Form()
            | ast.Section()
            | ast.Change()
            | ast.OpenIn()
            | ast.Comprehension()
        ):
            return f"the expression at {place(e.at)}"


def conversion(found: Type, expected: Type, mine: Origin, other: Origin) -> str:
    """Return a hint where two number types differ: ``f32.i64 n``.

    Of an integer and a float, the integer is converted.
    """
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
