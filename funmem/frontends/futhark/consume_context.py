"""The state of checking consumption in one definition: what is in scope, and what is consumed.

A variable in scope has a *value shape* whose parts name the variables that it may share elements
with, itself among them.  To consume a value is to consume all these.  A name that has left the
scope stays in the aliases of what came out of it, where it ties values that share elements.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NoReturn, TypeVar

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.consume_types import Aliases, Declared, Record, Value, aliases
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.typing import Typing
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import define

R = TypeVar("R")
Consumed = Mapping[Name, Span]
"""Variable -> where it was consumed."""

PARAMETER = "a parameter without `*`"
LOOP_PARAMETER = "a parameter of a loop that is annotated without `*`"
ELEMENT = "an element of an array that is still there"
FUNCTION = "a local function"
VARIABLE = ""
"""It may be consumed."""


@define
class Entry:
    """A variable.  ``why``: what it is, if that must not be consumed.

    ``level``: how many functions and loops are around its binder.
    """

    value: Value
    why: str
    level: int


@define(eq=False)
class Context:
    """What the rules read and write; ``exp`` is the judgement on expressions."""

    typing: Typing
    signatures: dict[Name, Declared]
    """Of definitions, those that the program uses before."""
    shareless: set[Name]
    """The definitions that are functions which have captured nothing."""
    tied: set[Name]
    """Those whose results are records with components that share elements."""
    exp: "Callable[[Context, ast.Exp], Value]"
    entries: dict[Name, Entry] = field(factory=dict)
    trail: list[Name] = field(factory=list)
    generic: dict[Name, tuple[Name, ...]] = field(factory=dict)
    """The type parameters of local functions."""
    words: dict[Name, str] = field(factory=dict)
    """How messages call a variable."""
    consumed: dict[Name, Span] = field(factory=dict)
    around: list[str] = field(factory=list)
    """The functions, loops and comprehensions that are open."""
    seen: set[Name] = field(factory=set)
    """The variables used since the innermost of them began."""
    loose: set[Name] = field(factory=set)
    """Names of records' own: their components are known to share nothing through them."""
    count: int = 0

    # ------------------------------------------------------------------ scopes

    def bind(self, name: Name, word: str, value: Value, why: str = VARIABLE) -> None:
        """A variable comes into scope."""
        self.entries[name] = Entry(value, why, len(self.around))
        if isinstance(value, Record):
            self.loose.add(name)
        self.trail.append(name)
        self.words[name] = word

    def leave(self, mark: int) -> None:
        """Forget what was bound since the trail had length ``mark``."""
        for name in self.trail[mark:]:
            del self.entries[name]
        del self.trail[mark:]

    def result_of(self, what: str, fn: Name | None = None) -> Name:
        """A name that ties the parts of one result, of ``fn`` if that is a definition."""
        self.count += 1
        name = Name(f"?{self.count}")
        self.words[name] = what
        if fn in self.signatures and fn not in self.tied:
            self.loose.add(name)
        return name

    def inside(self, what: str, act: Callable[[], R]) -> tuple[R, set[Name]]:
        """Act where nothing that is in scope may be consumed; also, the variables used there."""
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
        """A variable is used; None if it shares nothing."""
        entry = self.entries.get(name)
        if entry is None:
            return None
        self.seen.add(name)
        self.still_there(at, aliases(entry.value), word)
        return entry.value

    def still_there(self, at: Span, used: Aliases, word: str) -> None:
        """Nothing of ``used`` has been consumed."""
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
        hint = f"consume a copy at {where}, then this stays usable: `copy {of}`"
        fail(at, "use-after-consume", message, hint)

    def describe(self, name: Name) -> str:
        """A variable in words."""
        word = self.words.get(name)
        if word is None:
            definition = self.typing.definitions.get(name)
            word = definition.dec.name if definition else name
        return word if name.startswith("?") else f"`{word}`"

    def consume(self, at: Span, value: Value, e: ast.Exp | None) -> None:
        """``value``, which ``e`` gives, is consumed here."""
        whole = aliases(value)
        word = called(e)
        for name in sorted(whole):
            self._may_consume(at, name, word)
        self.still_there(at, whole, word)
        for name in whole:
            self.consumed[name] = at

    def _may_consume(self, at: Span, name: Name, word: str) -> None:
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
            this = f"`{word}`" if word else "what is consumed here"
            message = f"{this} may share elements with {other}, which is {why}"
        fail(at, "not-consumable", message, f"{hint}consume a copy: `copy {word or '…'}`")

    def branch(self, act: Callable[[], R]) -> tuple[R, Consumed]:
        """Act, and answer what that consumed, which is not yet noted."""
        before = self.consumed
        self.consumed = dict(before)
        result = act()
        new = {x: at for x, at in self.consumed.items() if x not in before}
        self.consumed = before
        return result, new

    def in_scope(self, names: Iterable[Name]) -> set[Name]:
        """Those that are in scope here, or definitions."""
        return {x for x in names if x in self.entries or x in self.signatures}


def called(e: ast.Exp | None) -> str:
    """A variable's name as written; of other expressions nothing."""
    return str(e.name) if isinstance(e, ast.Var) else ""
