"""The causality check: a size is known before what has a type with it.

    map (+ 1) <| filter p xs

The type of ``map (+ 1)`` has the size that only ``filter p xs`` makes known, and what stands on the
left of an operator is evaluated first.  A name, a section, an empty array and a parameter of a
lambda must not have such a type.  Arguments are evaluated from right to left, then the function;
``let`` and ``match`` evaluate what they bind before their bodies.  What a lambda makes known is not
known outside of it.
"""

from collections.abc import Callable
from typing import get_args

from attrs import fields, has

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.infer_show import Spelling, show
from funmem.frontends.futhark.sizes import sizes_in
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.types import Type
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name

EXPRESSIONS = get_args(ast.Exp)


def check_causality(cx: SizeContext, e: ast.Exp) -> None:
    """Check a definition's body, when all sizes are found.  Raises SourceError (``causality``)."""
    if cx.makers:
        _Check(cx).visit(e)


class _Check:
    """``known``: the sizes that have been computed where the walk is."""

    def __init__(self, cx: SizeContext) -> None:
        self.cx = cx
        self.known: set[Name] = set()
        self.made: dict[ast.Exp, list[Name]] = {}
        for name, maker in cx.makers.items():
            self.made.setdefault(maker, []).append(name)

    def visit(self, e: ast.Exp) -> list[Name]:
        """Check ``e``; the sizes that it makes known."""
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
            case _:
                return self._parts(e) + made
        return made

    # ------------------------------------------------------------------ orders of evaluation

    def _within(self, names: list[Name], act: Callable[[], list[Name]]) -> list[Name]:
        """Act where ``names`` are known."""
        before = set(self.known)
        self.known.update(names)
        found = act()
        self.known = before
        return found

    def _then(self, first: list[ast.Exp], rest: list[ast.Exp]) -> list[Name]:
        """What one after the other makes known, each of the first for all that follow."""
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
        """The parts of a node, none of which knows of another."""
        if isinstance(node, tuple):
            return [name for part in node for name in self._part(part)]
        kind = type(node)
        if kind.__module__ != ast.__name__ or not has(kind):
            return []
        return [name for f in fields(kind) for name in self._part(getattr(node, f.name))]

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
                        "bind what computes it before: `let x = … in …`",
                    )
