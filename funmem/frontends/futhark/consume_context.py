"""The state of the uniqueness check of one definition: the variables in scope, and consumed ones.

A variable in scope has a *value shape* whose parts name the variables that it may share elements
with, including itself.  Consuming a value consumes all of these.  A name that has left its scope
stays in the aliases of the values computed from it, and so relates values that share elements.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NoReturn, TypeVar

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.consume_types import Aliases, Declared, RecordShape, Value, aliases
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.typing import Typing
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import define

R = TypeVar("R")
Consumed = Mapping[Name, Span]
"""Maps each consumed variable to the place that consumed it."""

PARAMETER = "a parameter without `*`"
LOOP_PARAMETER = "a parameter of a loop that is annotated without `*`"
ELEMENT = "an element of an array that is still in use"
FUNCTION = "a local function"
VARIABLE = ""
"""The reason of a variable that may be consumed."""


@define
class Entry:
    """A variable in scope.  ``why``: the reason why it must not be consumed, or VARIABLE.

    ``level``: the number of functions and loops around its binder.
    """

    value: Value
    why: str
    level: int


@define(eq=False)
class ConsumeContext:
    """The state that the rules share; ``exp`` is the judgement on expressions."""

    typing: Typing
    signatures: dict[Name, Declared]
    """The types of the definitions that come before this one."""
    shareless: set[Name]
    """The functions among the definitions that captured nothing."""
    tied: set[Name]
    """The definitions whose result is a record with components that share elements."""
    exp: "Callable[[ConsumeContext, ast.Exp], Value]"
    entries: dict[Name, Entry] = field(factory=dict)
    trail: list[Name] = field(factory=list)
    generic: dict[Name, tuple[Name, ...]] = field(factory=dict)
    """The type parameters of each local function."""
    words: dict[Name, str] = field(factory=dict)
    """The name of each variable in messages."""
    consumed: dict[Name, Span] = field(factory=dict)
    around: list[str] = field(factory=list)
    """The enclosing functions, loops and comprehensions."""
    seen: set[Name] = field(factory=set)
    """The variables used since the innermost of these began."""
    loose: set[Name] = field(factory=set)
    """Names that do not relate components: the components of their record share nothing by them."""
    count: int = 0

    # ------------------------------------------------------------------ scopes

    def bind(self, name: Name, word: str, value: Value, why: str = VARIABLE) -> None:
        """Bring a variable into scope; ``word`` is its name in messages."""
        self.entries[name] = Entry(value, why, len(self.around))
        if isinstance(value, RecordShape):
            self.loose.add(name)
        self.trail.append(name)
        self.words[name] = word

    def leave(self, mark: int) -> None:
        """Remove the variables bound since the trail had length ``mark``."""
        for name in self.trail[mark:]:
            del self.entries[name]
        del self.trail[mark:]

    def result_of(self, what: str, fn: Name | None = None) -> Name:
        """Return a name that relates the parts of a result, of ``fn`` if that is a definition."""
        self.count += 1
        name = Name(f"?{self.count}")
        self.words[name] = what
        if fn in self.signatures and fn not in self.tied:
            self.loose.add(name)
        return name

    def inside(self, what: str, act: Callable[[], R]) -> tuple[R, set[Name]]:
        """Call ``act`` inside a function or loop, which must not consume outer variables.

        Return its result and the outer variables that it used.
        """
        seen, self.seen = self.seen, set()
        mark = len(self.trail)
        self.around.append(what)
        result, _ = self.branch(act)
        self.leave(mark)
        self.around.pop()
        used = {x for x in self.seen if x in self.entries}
        self.seen = seen | used
        return result, used

    # ------------------------------------------------------------------ using and consuming

    def use(self, at: Span, name: Name, word: str) -> Value | None:
        """Record a use and return the variable's value, or None if it shares no elements."""
        entry = self.entries.get(name)
        if entry is None:
            return None
        self.seen.add(name)
        self.check_usable(at, aliases(entry.value), word)
        return entry.value

    def check_usable(self, at: Span, used: Aliases, word: str) -> None:
        """Require that none of ``used`` has been consumed."""
        if not self.consumed or self.consumed.keys().isdisjoint(used):
            return
        name = min(x for x in used if x in self.consumed)
        where = place(self.consumed[name])
        other = self.describe(name)
        if other == f"`{word}`":
            message = f"{other} is used here, but was consumed at {where}"
        elif word:
            message = f"`{word}` may share elements with {other}, which was consumed at {where}"
        else:
            message = f"this may share elements with {other}, which was consumed at {where}"
        of = "…" if name.startswith("?") else other.strip("`")
        hint = f"consume a copy at {where}, so that this stays usable: `copy {of}`"
        fail(at, "use-after-consume", message, hint)

    def describe(self, name: Name) -> str:
        """Return the words for a variable."""
        word = self.words.get(name)
        if word is None:
            definition = self.typing.definitions.get(name)
            word = definition.dec.name if definition else name
        return word if name.startswith("?") else f"`{word}`"

    def consume(self, at: Span, value: Value, e: ast.Exp | None) -> None:
        """Consume ``value``, the value of ``e``."""
        whole = aliases(value)
        word = called(e)
        for name in sorted(whole):
            self._check_consumable(at, name, word)
        self.check_usable(at, whole, word)
        for name in whole:
            self.consumed[name] = at

    def _check_consumable(self, at: Span, name: Name, word: str) -> None:
        entry = self.entries.get(name)
        if entry is None:
            if name in self.signatures:
                self._refuse(at, name, word, "a top-level definition", "")
        elif entry.why:
            hint = "declare it with `*`, or " if entry.why is PARAMETER else ""
            self._refuse(at, name, word, entry.why, hint)
        elif entry.level < len(self.around):
            what = self.around[entry.level]
            self._refuse(at, name, word, f"bound outside of {what}, which may run many times", "")

    def _refuse(self, at: Span, name: Name, word: str, why: str, hint: str) -> NoReturn:
        other = self.describe(name)
        if other == f"`{word}`":
            message = f"{other} is consumed here, but it is {why}"
        else:
            this = f"`{word}`" if word else "the consumed value"
            message = f"{this} may share elements with {other}, which is {why}"
        fail(at, "not-consumable", message, f"{hint}consume a copy: `copy {word or '…'}`")

    def branch(self, act: Callable[[], R]) -> tuple[R, Consumed]:
        """Call ``act``; return its result and what it consumed, which is not recorded yet."""
        before = self.consumed
        self.consumed = dict(before)
        result = act()
        new = {x: at for x, at in self.consumed.items() if x not in before}
        self.consumed = before
        return result, new

    def in_scope(self, names: Iterable[Name]) -> set[Name]:
        """Return the names that are variables in scope or definitions."""
        return {x for x in names if x in self.entries or x in self.signatures}


def called(e: ast.Exp | None) -> str:
    """Return a variable's name as written, or "" for other expressions."""
    return str(e.name) if isinstance(e, ast.Var) else ""
