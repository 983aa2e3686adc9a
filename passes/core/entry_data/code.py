"""Bindings that are put around an expression, and constructors of expressions."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.diagnostics import Span
from funmem.ir.names import Fresh
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp

Bindings: TypeAlias = "list[c.Let | c.Assert]"


def around(links: Bindings, e: Exp) -> Exp:
    """Return an expression with bindings around it."""
    for link in reversed(links):
        e = evolve(link, body=e)
    return e


def several(es: Sequence[Exp]) -> Exp:
    """Return several results; one is itself."""
    return es[0] if len(es) == 1 else c.tuple_exp(*es)


def plus(a: Exp, b: Exp) -> Exp:
    """Return ``a + b``."""
    return c.Bin(BinOp.ADD, a, b)


class Code:
    """Makes code at one place of the program, with names from one supply."""

    def __init__(self, fresh: Fresh, at: Span) -> None:
        self.fresh, self.at = fresh, at

    def let(self, links: Bindings, base: str, t: Type, e: Exp) -> Exp:
        """Bind an expression unless it is a name or a constant; return what stands for it."""
        if isinstance(e, c.Var | c.Const):
            return e
        b = c.Binder(self.fresh(base), t)
        links.append(c.Let((b,), e, c.Fields(()), self.at))
        return c.Var(b.name, self.at)

    def bind(self, links: Bindings, binders: Sequence[c.Binder], e: Exp) -> None:
        """Bind several results."""
        links.append(c.Let(tuple(binders), e, c.Fields(()), self.at))

    def fields(self, links: Bindings, e: Exp, t: c.Record) -> Iterator[tuple[Exp, str, Type]]:
        """Yield the fields of a record, with their labels and types."""
        if isinstance(e, c.Fields):
            for (x, y), (_, u) in zip(e.fields, t.fields, strict=True):
                yield y, x, u
            return
        whole = self.let(links, "whole", t, e)
        for label, u in t.fields:
            yield c.Project(whole, label, self.at), label, u

    def element(self, xs: Exp, i: Exp) -> Exp:
        """Return ``xs[i]``."""
        return c.Index(xs, (c.Fix(i),), self.at)

    def part(self, xs: Exp, lo: Exp, hi: Exp) -> Exp:
        """Return ``xs[lo:hi]``."""
        return c.Index(xs, (c.Range(lo, hi, None),), self.at)

    def size(self, xs: Exp) -> Exp:
        """Return the length of an array."""
        return c.Length(xs, 0, self.at)

    def chosen(self, number: Exp, cases: Sequence[Exp], otherwise: Exp | None = None) -> Exp:
        """Return case k if a number is k; ``otherwise``, or the last case, for other numbers."""
        *first, last = cases
        whole = last
        if otherwise is not None:
            first, whole = [*first, last], otherwise
        for k, e in reversed(list(enumerate(first))):
            whole = c.If(c.Bin(BinOp.EQ, number, c.Const(k, I64)), e, whole, self.at)
        return whole
