"""The causality check: a size must be known before any value whose type mentions it.

    map (+ 1) <| filter p xs

The type of ``map (+ 1)`` mentions the size of ``filter p xs``, but the left operand is evaluated
first.  The check concerns names, sections, empty arrays and parameters of lambdas.  Arguments are
evaluated from right to left, then the function; ``let`` and ``match`` evaluate the bound expression
before their bodies.  Sizes that a lambda computes are unknown outside of it.
"""

from collections.abc import Callable
from typing import get_args

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.infer_show import Spelling, show
from funmem.frontends.futhark.sizes import sizes_in
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.inference.types import Type
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name

EXPRESSIONS = get_args(ast.Exp)


def check_causality(cx: SizeContext, e: ast.Exp) -> None:
    """Check a definition's body once all sizes are found.  Raises SourceError (``causality``)."""
    if cx.makers:
        _Check(cx).visit(e)


class _Check:
    """The walk over a body; ``known`` holds the sizes computed so far."""

    def __init__(self, cx: SizeContext) -> None:
        self.cx = cx
        self.known: set[Name] = set()
        self.made: dict[ast.Exp, list[Name]] = {}
        for name, maker in cx.makers.items():
            self.made.setdefault(maker, []).append(name)

    def visit(self, e: ast.Exp) -> list[Name]:
        """Check ``e`` and return the sizes that it computes."""
        made = self.made.get(e, [])
        match e:
            case ast.Var(name, at):
                self._typed(e, f"`{name}`", at)
            case ast.ProjectSection(at=at) | ast.IndexSection(at=at):
                self._typed(e, "this section", at)
                return self._parts(e) + made
            case ast.OpSectionLeft(at=at) | ast.OpSectionRight(at=at):
                self._typed(e, "this section", at)
                return self._parts(e) + made
            case ast.ArrayLit((), at):
                self._typed(e, "this empty array", at)
            case ast.Lambda(params, _, body):
                for p in params:
                    self._typed(p, "this parameter", p.at)
                self.visit(body)
                return []
            case ast.Let() | ast.LetFun() | ast.LetWith():
                return self._chain(e)
            case ast.Match(scrutinee, cases):
                return self._then([scrutinee], [c.exp for c in cases]) + made
            case ast.App():
                return self._application(e) + made
            case ast.BinOp():
                return self._operation(e)
            case ast.Loop():
                return self._within(made, lambda: self._parts(e)) + made
            case ast.Comprehension(elem, qualifier):
                new = self._within(made, lambda: self._parts(qualifier))
                return [*new, *self._within([*made, *new], lambda: self.visit(elem)), *made]
            case (
                ast.Literal()
                | ast.Hole()
                | ast.Aggregate()
                | ast.Access()
                | ast.Operation()
                | ast.Form()
                | ast.Section()
                | ast.Change()
                | ast.Annotated()
                | ast.OpenIn()
            ):
                return self._parts(e) + made
        return made

    # ------------------------------------------------------------------ orders of evaluation

    def _within(self, names: list[Name], act: Callable[[], list[Name]]) -> list[Name]:
        """Call ``act`` with ``names`` known."""
        before = set(self.known)
        self.known.update(names)
        found = act()
        self.known = before
        return found

    def _then(self, first: list[ast.Exp], rest: list[ast.Exp]) -> list[Name]:
        """Check expressions; the sizes of each one in ``first`` are known to all later ones."""
        before = set(self.known)
        found: list[Name] = []
        for e in first:
            new = self.visit(e)
            self.known.update(new)
            found += new
        for e in rest:
            found += self.visit(e)
        self.known = before
        return found

    def _chain(self, e: ast.Let | ast.LetFun | ast.LetWith) -> list[Name]:
        before = set(self.known)
        found: list[Name] = []
        body: ast.Exp = e
        while isinstance(body, ast.Let | ast.LetFun | ast.LetWith):
            new = self.visit(body.exp)
            if isinstance(body, ast.LetWith):
                new += self._parts(body.dims)
            new += self.made.get(body, [])
            self.known.update(new)
            found += new
            body = body.body
        found += self.visit(body)
        self.known = before
        return found

    def _application(self, e: ast.App) -> list[Name]:
        args: list[ast.Exp] = []
        head: ast.Exp = e
        while isinstance(head, ast.App):
            args.append(head.arg)
            head = head.fn
        return self._then([*args, head], [])

    def _operation(self, e: ast.BinOp) -> list[Name]:
        spine: list[ast.BinOp] = [e]
        while isinstance(left := spine[-1].left, ast.BinOp):
            spine.append(left)
        before = set(self.known)
        found = self.visit(spine[-1].left)
        for node in reversed(spine):
            self.known.update(found)
            found += self.visit(node.right)
            found += self.made.get(node, [])
        self.known = before
        return found

    def _parts(self, node: object) -> list[Name]:
        """Check the parts of a node, none of which knows the sizes of another."""
        if isinstance(node, tuple):
            return [name for part in node for name in self._part(part)]
        if not isinstance(node, ast.Node):
            return []
        return [name for part in ast.parts(node) for name in self._part(part)]

    def _part(self, node: object) -> list[Name]:
        return self.visit(node) if isinstance(node, EXPRESSIONS) else self._parts(node)

    # ------------------------------------------------------------------ what is checked

    def _typed(self, e: ast.Exp | ast.Pattern, what: str, at: Span) -> None:
        found = self.cx.types.get(e)
        if found is None:
            return
        t: Type = self.cx.norm(found[0])
        for s in sizes_in(t):
            for name in sorted(self.cx.solver.mentions(s)):
                maker = self.cx.makers.get(name)
                if maker is not None and name not in self.known:
                    text, size = Spelling(self.cx.typing.names)(show(t), name)
                    fail(
                        at,
                        "causality",
                        f"{what} is {text}, but {size} is computed after it, at {place(maker.at)}",
                        "bind the expression that computes it first: `let x = … in …`",
                    )
