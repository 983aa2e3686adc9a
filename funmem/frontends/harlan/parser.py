"""Parse the text of a Harlan program, with the libraries that it imports.

Declarations are read in order, because a macro is known after its definition; the bodies of
definitions are parsed when all names are known, each with the macros that were known at its place.
"""

from importlib.resources import files

from attrs import field

from funmem.frontends import sexpr
from funmem.frontends.harlan import ast
from funmem.frontends.harlan.errors import Code, fail
from funmem.frontends.harlan.forms import KEYWORDS, Parser, parameters
from funmem.frontends.harlan.macros import Macro, Rule, rule
from funmem.frontends.harlan.parse_types import datatype, extern, is_list_of
from funmem.frontends.harlan.scope import Frame, Names, Scope
from funmem.frontends.harlan.tokens import SYNTAX, Cursor
from funmem.frontends.sexpr import Atom, Datum, List
from funmem.frontends.sexpr_cursor import shown
from funmem.ir.diagnostics import Span
from funmem.ir.record import define

LIBRARIES = ("core", "graphics", "random", "vectors", "io", "ffi", "rt")
"""The libraries; the first is always imported."""

_DECLARATIONS = ("import", "extern", "define", "define-datatype", "define-macro")


@define(eq=False)
class _Pending:
    """A definition whose body is not parsed yet; ``macros``: those known at its place."""

    made: ast.Define
    head: Cursor
    body: Cursor
    scope: Scope
    macros: dict[str, Macro]


@define(eq=False)
class _Reader:
    """Reads one program."""

    names: Names = field(factory=lambda: Names(KEYWORDS))
    parser: Parser = field(init=False)
    imported: set[str] = field(factory=set)
    datatypes: list[ast.Datatype] = field(factory=list)
    externs: list[ast.Extern] = field(factory=list)
    pending: list[_Pending] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.parser = Parser(self.names)

    def library(self, name: str) -> None:
        """Read a library, unless it has been read."""
        if name in self.imported:
            return
        self.imported.add(name)
        source = files("funmem.frontends.harlan") / "library" / f"{name}.kfc"
        text = source.read_text(encoding="utf-8")
        for d in _module(text, f"{name}.kfc"):
            self.declaration(d, library=True)

    def declaration(self, datum: Datum, library: bool) -> None:
        """Read one declaration; a macro use is expanded first."""
        scope = Scope({}, Frame(None), library)
        while True:
            if not isinstance(datum, List) or not datum.items:
                fail(datum.at, Code.SYNTAX, f"expected a declaration, found {shown(datum)}", _HINT)
            head = datum.items[0]
            found = self.names.lookup(head, scope) if isinstance(head, Atom) else None
            if not isinstance(found, Macro):
                break
            datum = self.parser.expanded(found, datum, scope)
        c = Cursor(datum.items[1:], datum.close)
        word = head.text if isinstance(head, Atom) else ""
        match word:
            case "import":
                self._import(c)
            case "extern":
                made = extern(c, library)
                self.names.declare(made, library)
                self.externs.append(made)
            case "define-datatype":
                self._datatype(c, library)
            case "define-macro":
                self._macro(c, library)
            case "define":
                self._define(c, scope)
            case "begin":
                for d in c.rest():
                    self.declaration(d, library)
            case _:
                fail(datum.at, Code.SYNTAX, f"expected a declaration, found {shown(datum)}", _HINT)

    def _import(self, c: Cursor) -> None:
        name = c.symbol("a library")
        c.finish(hint="`(import lib)`")
        if name.text not in LIBRARIES:
            known = ", ".join(f"`{n}`" for n in LIBRARIES)
            fail(name.at, Code.NAME, f"there is no library `{name.text}`", f"there are {known}")
        self.library(name.text)

    def _datatype(self, c: Cursor, library: bool) -> None:
        made = datatype(c)
        for k in made.constructors:
            self.names.declare(k, library)
        if any(d.name == made.name for d in self.datatypes):
            fail(made.at, Code.NAME, f"the datatype `{made.name}` is defined twice")
        self.datatypes.append(made)

    def _macro(self, c: Cursor, library: bool) -> None:
        name = c.symbol("the name of a macro")
        inner = c.list("the literals `(…)`", "`(define-macro m () ((_ x) e))`")
        literals: list[str] = []
        while not inner.done:
            literals.append(inner.symbol("a literal").text)
        rules: list[Rule] = []
        while not c.done:
            one = c.list("a rule `((_ pattern …) template)`")
            pattern = one.next("a pattern")
            template = one.next("a template", "`begin` joins several statements")
            one.finish(hint="a rule has one template: `begin` joins several statements")
            rules.append(rule(pattern, template, frozenset(literals)))
        made = Macro(name.text, frozenset(literals), tuple(rules), library, name.at)
        self.names.macros[name.text] = made
        if library:
            self.names.library_macros[name.text] = made

    def _define(self, c: Cursor, scope: Scope) -> None:
        head = c.list("`(f x …)`", "a definition is a function: `(define (f x …) e)`")
        name = head.symbol("the name of a function")
        made = ast.Define(name.text, scope.library, name.at)
        self.names.declare(made, scope.library)
        self.pending.append(_Pending(made, head, c, scope, dict(self.names.macros)))

    def finish(self) -> None:
        """Parse the bodies."""
        for found in self.pending:
            self.names.macros = found.macros
            made = found.made
            made.params, scope, patterns = parameters(self.parser, found.head, found.scope)
            made.body = self._body(patterns, found.body, scope)

    def _body(self, patterns: list[tuple[ast.Local, List]], c: Cursor, scope: Scope) -> ast.Exp:
        """Parse a body inside a ``match`` for each parameter that is a pattern."""
        if not patterns:
            return self.parser.body(c, scope, "the body of the function")
        (whole, pattern), *rest = patterns
        head = Cursor(pattern.items, pattern.close)
        name = head.symbol("a constructor")
        found: list[tuple[Atom, ast.Local]] = []
        while not head.done:
            found.append(self.parser.local(head, "a name for what the constructor holds"))
        inner = scope.bind(self.parser.distinct(found, "parameters"))
        body = self._body(rest, c, inner)
        arm = ast.Arm(name.text, tuple(x for _, x in found), body, name.at)
        return ast.Match(ast.Var(whole, pattern.at), (arm,), pattern.at)


_HINT = "declarations are `import`, `extern`, `define`, `define-datatype` and `define-macro`"


def _module(text: str, file: str) -> tuple[Datum, ...]:
    """Return the declarations of a module; a ``(%testspec …)`` before it is ignored."""
    data, end = sexpr.read(text, file, SYNTAX)
    c = Cursor(data, end)
    while not c.done and is_list_of(data[c.pos], "%testspec"):
        c.pos += 1
    inner = c.list("`(module …)`", "a file holds one module: `(module (define (main) …))`")
    inner.expect("module", "a file holds one module: `(module (define (main) …))`")
    if not c.done:
        fail(c.at(), Code.SYNTAX, f"expected the end of the text, found {shown(c.peek())}")
    return inner.rest()


def parse(text: str, file: str) -> ast.Program:
    """Return the tree of a program and its libraries.  Raises SourceError."""
    declarations = _module(text, file)
    reader = _Reader()
    reader.library(LIBRARIES[0])
    for d in declarations:
        reader.declaration(d, library=False)
    reader.finish()
    defines = tuple(p.made for p in reader.pending)
    start = Span(file, 1, 1, 1)
    return ast.Program(tuple(reader.datatypes), tuple(reader.externs), defines, start)
