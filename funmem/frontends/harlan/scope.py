"""What a symbol means at a place: variables, macros, definitions, keywords.

A symbol with a mark was inserted by a macro.  Without a variable of that name and mark it means
what it means at the top level.  There the order is: macros (the last one of the name), the
module's definitions, the library's, keywords.  The library's own text and templates do not see the
module's definitions, but see its macros, for a macro replaces an earlier one everywhere; keywords
keep their meaning in them.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TypeAlias

from attrs import field

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.errors import Code, fail
from funmem.frontends.harlan.macros import Macro
from funmem.frontends.sexpr import Atom
from funmem.ir.record import define, frozen


@frozen
class Keyword:
    """A form of the language, or an operator."""

    name: str


Top: TypeAlias = ast.Define | ast.Extern | ast.Constructor
Variable: TypeAlias = ast.Local | ast.Region
Meaning: TypeAlias = Variable | Macro | Top | Keyword


@define(eq=False)
class Frame:
    """A function around a place: the variables that it binds and those that it captures."""

    parent: "Frame | None"
    own: set[ast.Local] = field(factory=set)
    captured: dict[ast.Local, None] = field(factory=dict)


@frozen(eq=False)
class Scope:
    """The variables in scope; ``library``: this is the library's text."""

    variables: Mapping[tuple[str, int], Variable]
    frame: Frame
    library: bool

    def bind(self, names: "Mapping[tuple[str, int], Variable]") -> "Scope":
        """Return the scope with more variables."""
        self.frame.own.update(v for v in names.values() if isinstance(v, ast.Local))
        return Scope({**self.variables, **names}, self.frame, self.library)

    def function(self) -> "Scope":
        """Return the scope inside a lambda."""
        return Scope(self.variables, Frame(self.frame), self.library)

    def mention(self, local: ast.Local) -> None:
        """Note that a variable is mentioned here, for the lambdas that capture it."""
        frame: Frame | None = self.frame
        while frame is not None and local not in frame.own:
            frame.captured[local] = None
            frame = frame.parent


@define(eq=False)
class Names:
    """The names of the top level, and the macro expansions so far."""

    keywords: frozenset[str]
    macros: dict[str, Macro] = field(factory=dict)
    """The last macro of each name."""
    library_macros: dict[str, Macro] = field(factory=dict)
    tops: dict[bool, dict[str, Top]] = field(factory=lambda: {True: {}, False: {}})
    """The library's declarations (True) and the module's."""
    marks: list[bool] = field(factory=lambda: [False])
    """For each mark: the macro belongs to the library."""

    def declare(self, found: Top, library: bool) -> None:
        """Enter a declaration."""
        table = self.tops[library]
        if found.name in self.keywords:
            fail(found.at, Code.NAME, f"`{found.name}` is a keyword and cannot be defined")
        if found.name in table:
            other = table[found.name].at
            what = f"`{found.name}` is defined twice"
            fail(found.at, Code.NAME, what, f"the other one is at {other.line}:{other.col}")
        table[found.name] = found

    def mark(self, macro: Macro) -> int:
        """Return the mark of a new expansion."""
        self.marks.append(macro.library)
        return len(self.marks) - 1

    def lookup(self, atom: Atom, scope: Scope) -> Meaning | None:
        """Return what a symbol means; None if nothing."""
        found = scope.variables.get((atom.text, atom.mark))
        if found is not None:
            return found
        library = self.marks[atom.mark] if atom.mark else scope.library
        name = atom.text
        keyword = Keyword(name) if name in self.keywords else None
        if library:
            if keyword is not None:
                return keyword
            macro = self.macros.get(name) or self.library_macros.get(name)
            return macro or self.tops[True].get(name) or self.tops[False].get(name)
        if name.startswith("%"):
            return None
        own = self.tops[False].get(name)
        macro = self.macros.get(name)
        if macro is not None and (own is None or not macro.library):
            return macro
        return own or self.tops[True].get(name) or keyword

    def known(self, scope: Scope) -> Iterator[str]:
        """Return the names in scope."""
        yield from (name for (name, mark) in scope.variables if not mark)
        yield from self.macros
        yield from self.tops[False]
        yield from self.tops[True]
        yield from (k for k in self.keywords if not k.startswith("%"))

    def hint(self, name: str, scope: Scope) -> str:
        """Return a hint for a name that is not in scope."""
        close = get_close_matches(name, list(self.known(scope)), 1)
        return f"did you mean `{close[0]}`?" if close else ""
