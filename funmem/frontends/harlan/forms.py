"""Parse expressions: macro uses are expanded, names resolved, each form checked.

``FORMS`` maps a keyword to the function that parses what follows it.
"""

from collections.abc import Callable, Mapping, Sequence

from attrs import field

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.errors import Code, fail, failure
from funmem.frontends.harlan.intrinsics import INTRINSICS
from funmem.frontends.harlan.literals import literal, text_bytes
from funmem.frontends.harlan.macros import Macro, expand
from funmem.frontends.harlan.parse_types import parse_type
from funmem.frontends.harlan.scope import Keyword, Names, Scope, Variable
from funmem.frontends.harlan.tokens import Cursor, is_symbol
from funmem.frontends.sexpr import Atom, Datum, List
from funmem.frontends.sexpr_cursor import shown
from funmem.ir.diagnostics import Span
from funmem.ir.record import define
from funmem.ir.scalars import BinOp

MAX_NESTING = 1_200
"""The deepest nesting of expressions after expansion; the passes over the tree recurse."""
MAX_EXPANSIONS = 100_000
"""The most macro uses of a program."""

OPERATORS: Mapping[str, BinOp] = {
    "+": BinOp.ADD,
    "-": BinOp.SUB,
    "*": BinOp.MUL,
    "/": BinOp.QUOT,
    "mod": BinOp.REM,
    "<<": BinOp.SHL,
    ">>": BinOp.SHR,
    "bitwise-or": BinOp.OR,
    "bitwise-xor": BinOp.XOR,
    "bitwise-and": BinOp.AND,
    "=": BinOp.EQ,
    "<": BinOp.LT,
    "<=": BinOp.LE,
    ">": BinOp.GT,
    ">=": BinOp.GE,
}
"""``/`` is QUOT on integers and DIV on floats."""


@define(eq=False)
class Parser:
    """Parses expressions of one program."""

    names: Names
    depth: int = 0
    expansions: int = 0
    locals: list[ast.Local] = field(factory=list)

    def exp(self, datum: Datum, scope: Scope) -> ast.Exp:
        """Parse one expression."""
        if isinstance(datum, Atom):
            return self._atom(datum, scope)
        self.depth += 1
        if self.depth > MAX_NESTING:
            what = "expressions are nested too deeply after the expansion of macros"
            fail(datum.at, Code.MACRO, what, "does a macro expand to itself?")
        found = self._list(datum, scope)
        self.depth -= 1
        return found

    def _atom(self, atom: Atom, scope: Scope) -> ast.Exp:
        if not is_symbol(atom):
            return literal(atom)
        found = self.names.lookup(atom, scope)
        match found:
            case ast.Local():
                scope.mention(found)
                return ast.Var(found, atom.at)
            case None:
                hint = self.names.hint(atom.text, scope)
                raise failure(atom.at, Code.NAME, f"`{atom.text}` is not in scope", hint)
            case ast.Region():
                raise failure(atom.at, Code.NAME, f"the region `{atom.text}` is no value")
            case ast.Define() | ast.Extern() | ast.Constructor() | Macro() | Keyword():
                what = f"`{atom.text}` is no value: it can only be applied"
                hint = f"`(lambda (x) ({atom.text} x))` is a function as a value"
                raise failure(atom.at, Code.NAME, what, hint)

    def _list(self, datum: List, scope: Scope) -> ast.Exp:
        while True:
            if not datum.items:
                fail(datum.at, Code.SYNTAX, "expected an expression, found `()`")
            head, c = datum.items[0], Cursor(datum.items[1:], datum.close)
            if not isinstance(head, Atom) or not is_symbol(head):
                return self._apply(self.exp(head, scope), c, scope, datum.at)
            found = self.names.lookup(head, scope)
            match found:
                case Macro():
                    new = self.expanded(found, datum, scope)
                    if isinstance(new, Atom):
                        return self.exp(new, scope)
                    datum = new
                case Keyword(name):
                    return self._keyword(name, c, scope, datum.at)
                case ast.Define() | ast.Extern():
                    return ast.Call(found, self.each(c, scope), datum.at)
                case ast.Constructor():
                    return ast.Construct(found.name, self.each(c, scope), datum.at)
                case ast.Local() | ast.Region() | None:
                    return self._apply(self._atom(head, scope), c, scope, datum.at)

    def _apply(self, fn: ast.Exp, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
        return ast.Apply(fn, self.each(c, scope), at)

    def _keyword(self, name: str, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
        if name in OPERATORS:
            a, b = self.operands(c, scope, 2, name)
            return ast.Bin(OPERATORS[name], name, a, b, at)
        if name in INTRINSICS:
            count = len(INTRINSICS[name][0])
            return ast.Intrinsic(name, self.operands(c, scope, count, name), at)
        form = FORMS.get(name)
        if form is None:
            fail(at, Code.SYNTAX, f"`{name}` has no meaning here")
        return form(self, c, scope, at)

    def expanded(self, macro: Macro, use: List, scope: Scope) -> Datum:
        """Return what a macro use stands for."""
        self.expansions += 1
        if self.expansions > MAX_EXPANSIONS:
            fail(use.at, Code.MACRO, "there are too many macro uses", "does one expand to itself?")

        def means(symbol: Atom, text: str) -> bool:
            found = self.names.lookup(symbol, scope)
            return symbol.text == text and not isinstance(found, ast.Local | ast.Region)

        return expand(macro, use, self.names.mark(macro), means)

    # ------------------------------------------------------------------ parts of forms

    def each(self, c: Cursor, scope: Scope) -> tuple[ast.Exp, ...]:
        """Parse all data that are left as expressions."""
        return tuple(self.exp(d, scope) for d in c.rest())

    def operands(
        self, c: Cursor, scope: Scope, count: int, name: str, hint: str = ""
    ) -> tuple[ast.Exp, ...]:
        """Parse all data that are left, which must be ``count`` expressions."""
        at, given = c.end, len(c.items) - c.pos
        if given != count:
            plural = "" if count == 1 else "s"
            where = c.items[c.pos + count].at if given > count else at
            what = f"`{name.lstrip('%')}` takes {count} operand{plural}, not {given}"
            fail(where, Code.ARITY, what, hint)
        return self.each(c, scope)

    def body(self, c: Cursor, scope: Scope, what: str) -> ast.Exp:
        """Parse the statements and the expression that end a form."""
        if c.done:
            c.fail(what, "the last expression is the value")
        start = c.at()
        parts = self.each(c, scope)
        return parts[0] if len(parts) == 1 else ast.Begin(parts, start)

    def local(self, c: Cursor, what: str) -> tuple[Atom, ast.Local]:
        """Parse the name of a new variable."""
        atom = c.symbol(what)
        if atom.text in ("...", ".", "->"):
            fail(atom.at, Code.SYNTAX, f"expected {what}, found `{atom.text}`")
        return atom, ast.Local(atom.text, atom.at)

    def distinct(
        self, found: Sequence[tuple[Atom, ast.Local]], what: str
    ) -> Mapping[tuple[str, int], Variable]:
        """Return the scope's entries for variables; ``_`` may occur several times."""
        out: dict[tuple[str, int], Variable] = {}
        for atom, made in found:
            key = (atom.text, atom.mark)
            if key in out and atom.text != "_":
                fail(atom.at, Code.NAME, f"there are two {what} `{atom.text}`")
            out[key] = made
        return out

    def bindings(self, c: Cursor, scope: Scope, form: str) -> list[tuple[Atom, ast.Local, ast.Exp]]:
        """Parse ``((x e) …)``."""
        inner = c.list(f"the bindings of `{form}`", f"`({form} ((x e) …) e)`")
        found: list[tuple[Atom, ast.Local, ast.Exp]] = []
        while not inner.done:
            one = inner.list("a binding `(x e)`")
            atom, made = self.local(one, "a name")
            value = self.exp(one.next(f"the value of `{atom.text}`"), scope)
            one.finish(hint="a binding has one value: `(x e)`")
            found.append((atom, made, value))
        return found

    def region(self, c: Cursor, scope: Scope) -> ast.Region:
        """Parse the name of a region in scope."""
        atom = c.symbol("a region")
        found = self.names.lookup(atom, scope)
        if not isinstance(found, ast.Region):
            hint = f"`(let-region ({atom.text}) …)` binds it"
            fail(atom.at, Code.NAME, f"there is no region `{atom.text}`", hint)
        return found


Form = Callable[[Parser, Cursor, Scope, Span], ast.Exp]

# ---------------------------------------------------------------------- control


def _if(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    cond = p.exp(c.next("a condition"), scope)
    then = p.exp(c.next("what to do if it holds"), scope)
    orelse = None if c.done else p.exp(c.next("the other case"), scope)
    c.finish(hint="`(if e e e)`; `begin` joins several statements")
    return ast.If(cond, then, orelse, at)


def _begin(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:  # noqa: ARG001
    return p.body(c, scope, "an expression after `begin`")


def _let(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    found = p.bindings(c, scope, "let")
    inner = scope.bind(p.distinct([(a, x) for a, x, _ in found], "variables"))
    body = p.body(c, inner, "the body of `let`")
    return ast.Let(tuple((x, e) for _, x, e in found), body, at)


def _let_region(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    inner = c.list("the region `(r)`", "`(let-region (r) e)`")
    made: dict[tuple[str, int], Variable] = {}
    while not inner.done or not made:
        atom = inner.symbol("the name of a region")
        made[atom.text, atom.mark] = ast.Region(atom.text, atom.at)
    body = p.body(c, scope.bind(made), "the body of `let-region`")
    return ast.LetRegion(tuple(r for r in made.values() if isinstance(r, ast.Region)), body, at)


def _while(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    cond = p.exp(c.next("a condition"), scope)
    return ast.While(cond, p.body(c, scope, "the body of `while`"), at)


def _for(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    head = c.list("`(i from to)`", "`(for (i from to step) s …)`")
    atom, made = p.local(head, "a name")
    start = p.exp(head.next("where the loop begins"), scope)
    stop = p.exp(head.next("where the loop ends"), scope)
    step = None if head.done else p.exp(head.next("the step"), scope)
    head.finish(hint="`(for (i from to step) s …)`")
    inner = scope.bind({(atom.text, atom.mark): made})
    return ast.For(made, start, stop, step, p.body(c, inner, "the body of `for`"), at)


def _match(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    exp = p.exp(c.next("what is examined"), scope)
    arms: list[ast.Arm] = []
    hint = "`(match e ((C x …) e) …)`"
    while not c.done or not arms:
        arm = c.list("an arm `((C x …) e)`", hint)
        pattern = arm.list("a pattern `(C x …)`", hint)
        name = pattern.symbol("a constructor")
        found: list[tuple[Atom, ast.Local]] = []
        while not pattern.done:
            found.append(p.local(pattern, "a name for what the constructor holds"))
        inner = scope.bind(p.distinct(found, "variables"))
        body = p.body(arm, inner, "the arm's expression")
        arms.append(ast.Arm(name.text, tuple(x for _, x in found), body, name.at))
    return ast.Match(exp, tuple(arms), at)


def _assert(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    (cond,) = p.operands(c, scope, 1, "assert")
    return ast.Assert(cond, at)


def _error(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:  # noqa: ARG001
    atom = c.next("a text")
    if not isinstance(atom, Atom) or atom.text[0] != '"':
        fail(atom.at, Code.SYNTAX, f"expected a text, found {shown(atom)}", '`(error! "text")`')
    c.finish(hint='`(error! "text")`')
    return ast.Error(text_bytes(atom).decode(errors="replace"), at)


# ---------------------------------------------------------------------- functions, assignment


def parameters(
    p: Parser, c: Cursor, scope: Scope
) -> tuple[tuple[ast.Local, ...], Scope, list[tuple[ast.Local, List]]]:
    """Parse ``b …``: the variables, the scope with them, and the patterns to take apart."""
    found: list[tuple[Atom, ast.Local]] = []
    patterns: list[tuple[ast.Local, List]] = []
    while not c.done:
        datum = c.peek()
        if isinstance(datum, List):
            c.pos += 1
            atom = Atom("_", datum.at)
            found.append((atom, ast.Local("whole", datum.at)))
            patterns.append((found[-1][1], datum))
        else:
            found.append(p.local(c, "a parameter"))
    inner = scope.bind(p.distinct(found, "parameters"))
    inner.frame.own.update(x for _, x in found)
    return tuple(x for _, x in found), inner, patterns


def _lambda(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    head = c.list("the parameters `(x …)`", "`(lambda (x …) e)`")
    inner = scope.function()
    found: list[tuple[Atom, ast.Local]] = []
    while not head.done:
        found.append(p.local(head, "a parameter"))
    within = inner.bind(p.distinct(found, "parameters"))
    inner.frame.own.update(x for _, x in found)
    body = p.body(c, within, "the body of `lambda`")
    return ast.Lambda(tuple(x for _, x in found), body, tuple(inner.frame.captured), at)


def _set(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    hint = "`(set! x e)` or `(set! (vector-ref v i) e)`"
    datum = c.next("a variable or an element", hint)
    place = p.exp(datum, scope)
    value = p.exp(c.next("the new value", hint), scope)
    c.finish(hint=hint)
    match place:
        case ast.Var(local):
            local.assigned = True
            return ast.SetVar(local, value, at)
        case ast.VectorRef(vector, index):
            return ast.SetElem(vector, index, value, at)
        case _:
            raise failure(datum.at, Code.SYNTAX, f"{shown(datum)} cannot be assigned", hint)


def _print(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    value = p.exp(c.next("what is printed"), scope)
    stream = None if c.done else p.exp(c.next("a stream"), scope)
    c.finish(hint="`(print e)` or `(print e stream)`; `print*` takes several")
    return ast.Print(value, stream, at)


def _cast(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    hint = "`(unsafe-explicit-cast (t -> t) e)`"
    inner = c.list("the types `(t -> t)`", hint)
    source = parse_type(inner.next("a type", hint))
    inner.expect("->", hint)
    target = parse_type(inner.next("a type", hint))
    inner.finish(hint=hint)
    exp = p.exp(c.next("an expression", hint), scope)
    c.finish(hint=hint)
    return ast.Cast(source, target, exp, at)


# ---------------------------------------------------------------------- vectors


def _vector(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    return ast.VectorOf(p.each(c, scope), None, at)


def _vector_r(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    region = p.region(c, scope)
    return ast.VectorOf(p.each(c, scope), region, at)


def _iota(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    return ast.Iota(p.operands(c, scope, 1, "iota")[0], None, at)


def _iota_r(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    region = p.region(c, scope)
    return ast.Iota(p.operands(c, scope, 1, "iota-r")[0], region, at)


def _length(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    return ast.Length(p.operands(c, scope, 1, "length")[0], at)


def _vector_ref(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    vector, index = p.operands(c, scope, 2, "vector-ref")
    return ast.VectorRef(vector, index, at)


def _pointer(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    return ast.Reinterpret(p.operands(c, scope, 1, "unsafe-vec-ptr")[0], None, at)


def _deref(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    elem = parse_type(c.next("a type"))
    pointer, index = p.operands(c, scope, 2, "unsafe-deref")
    return ast.VectorRef(ast.Reinterpret(pointer, elem, at), index, at)


def _kernel(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    return _kernel_in(p, c, scope, None, at)


def _kernel_r(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
    return _kernel_in(p, c, scope, p.region(c, scope), at)


def _kernel_in(p: Parser, c: Cursor, scope: Scope, region: ast.Region | None, at: Span) -> ast.Exp:
    found = p.bindings(c, scope, "kernel")
    if not found:
        fail(at, Code.SYNTAX, "a kernel needs at least one vector", "`(kernel ((x xs)) e)`")
    inner = scope.bind(p.distinct([(a, x) for a, x, _ in found], "variables"))
    body = p.body(c, inner, "the body of `kernel`")
    return ast.Kernel(tuple((x, e) for _, x, e in found), body, region, at)


def _fold(kind: ast.FoldKind) -> Form:
    def parse(p: Parser, c: Cursor, scope: Scope, at: Span) -> ast.Exp:
        head = c.list("the parameters")
        found: list[tuple[Atom, ast.Local]] = []
        while not head.done:
            found.append(p.local(head, "a parameter"))
        body, *rest = c.rest()
        *init, vector = [p.exp(d, scope) for d in rest]
        inner = scope.bind(p.distinct(found, "parameters"))
        made = p.exp(body, inner)
        start = init[0] if init else None
        return ast.Fold(kind, tuple(x for _, x in found), made, start, vector, at)

    return parse


FORMS: Mapping[str, Form] = {
    "if": _if,
    "begin": _begin,
    "let": _let,
    "let-region": _let_region,
    "while": _while,
    "%for": _for,
    "match": _match,
    "assert": _assert,
    "error!": _error,
    "lambda": _lambda,
    "set!": _set,
    "print": _print,
    "unsafe-explicit-cast": _cast,
    "vector": _vector,
    "vector-r": _vector_r,
    "iota": _iota,
    "iota-r": _iota_r,
    "length": _length,
    "vector-ref": _vector_ref,
    "unsafe-vector-ref": _vector_ref,
    "unsafe-vec-ptr": _pointer,
    "%deref": _deref,
    "kernel": _kernel,
    "kernel-r": _kernel_r,
    **{f"%{kind.value}": _fold(kind) for kind in ast.FoldKind},
}

KEYWORDS = frozenset([*FORMS, *OPERATORS, *INTRINSICS])
"""The names that a definition cannot take."""
