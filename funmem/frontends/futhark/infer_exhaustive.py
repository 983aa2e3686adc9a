"""Check that the cases of a ``match`` cover every value, and that other patterns cannot fail.

The algorithm splits the columns of patterns by the constructors of their type, until a row of
wildcards is left, or no row: then the constructors chosen so far spell a value that no case
matches.
"""

from typing import TypeAlias

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail, unsupported
from funmem.frontends.futhark.infer_context import TypeContext
from funmem.frontends.futhark.infer_show import is_tuple
from funmem.frontends.futhark.infer_types import label_order
from funmem.frontends.inference.types import Array, Arrow, Meta, Opaque, Record, Rigid, Sum, Type
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, ScalarType


@frozen
class Head:
    """A pattern that tests its value: a constructor, ``{}`` for a record, or a literal; parts."""

    key: "str | int | float | bool"
    parts: "tuple[Simple, ...]"


Simple: TypeAlias = Head | None
"""None matches every value."""

Row: TypeAlias = tuple[Simple, ...]

_LIMIT = 20_000
"""Maximum number of column splits before a match is refused."""


def check_match(cx: TypeContext, e: ast.Match) -> None:
    """Check, once types are known, that some case matches each value."""

    def final() -> None:
        t = cx.solver.zonk(cx.types[e.cases[0].pat])
        rows: list[Row] = [(simplify(case.pat),) for case in e.cases]
        witness = _Search(e).uncovered(rows, [t])
        if witness is not None:
            fail(
                e.at,
                "match-cases",
                f"no case matches {witness[0]}",
                "add a case, or `case _ -> …` for the remaining values",
            )

    cx.finals.append(final)


def check_irrefutable(cx: TypeContext, p: ast.Pattern) -> None:
    """Require that a pattern outside ``match`` matches every value of its type."""
    match p:
        case ast.PVar() | ast.PWild():
            return
        case ast.PTuple(elems):
            for q in elems:
                check_irrefutable(cx, q)
            return
        case ast.PRecord(fields):
            for _, q in fields:
                check_irrefutable(cx, q)
            return
        case ast.PAscript(pat, _):
            check_irrefutable(cx, pat)
            return
        case ast.PConstr() | ast.PLit():
            pass

    def final() -> None:
        witness = _Search(p).uncovered([(simplify(p),)], [cx.solver.zonk(cx.types[p])])
        if witness is not None:
            fail(
                p.at,
                "refutable-pattern",
                f"this pattern does not match {witness[0]}",
                "use `match`, which can have a case for each value",
            )

    cx.finals.append(final)


def simplify(p: ast.Pattern) -> Simple:
    """Return the tests of a pattern, without its variables and annotations."""
    match p:
        case ast.PVar() | ast.PWild():
            return None
        case ast.PTuple(elems):
            return Head("{}", tuple(simplify(q) for q in elems))
        case ast.PRecord(fields):
            ordered = sorted(fields, key=lambda f: label_order(f[0]))
            return Head("{}", tuple(simplify(q) for _, q in ordered))
        case ast.PConstr(name, args):
            return Head(f"#{name}", tuple(simplify(q) for q in args))
        case ast.PAscript(pat, _):
            return simplify(pat)
        case ast.PLit(value):
            return Head(_literal(value), ())


def _literal(e: ast.Exp) -> int | float | bool | str:
    match e:
        case ast.IntLit(value) | ast.FloatLit(value) | ast.BoolLit(value) | ast.CharLit(value):
            return value
        case ast.Neg(inner):
            positive = _literal(inner)
            assert not isinstance(positive, str)
            return -positive
        case ast.StringLit(text):
            return repr(text)
        case (
            ast.Var()
            | ast.Hole()
            | ast.Aggregate()
            | ast.Access()
            | ast.Operation()
            | ast.Form()
            | ast.Section()
            | ast.Change()
            | ast.Annotated()
            | ast.OpenIn()
            | ast.Comprehension()
        ):
            return "?"


class _Search:
    """The search for a value that no row matches."""

    def __init__(self, node: ast.Match | ast.Pattern) -> None:
        self.node = node
        self.steps = 0

    def uncovered(self, rows: list[Row], types: list[Type]) -> list[str] | None:
        """Return texts of values of ``types`` that no row matches, or None if there are none."""
        if not types:
            return None if rows else []
        self.steps += 1
        if self.steps > _LIMIT:
            unsupported(self.node.at, "a `match` with this many combinations of patterns")
        t, rest = types[0], types[1:]
        heads = [row[0] for row in rows if row[0] is not None]
        if not heads:
            tail = self.uncovered([row[1:] for row in rows], rest)
            return None if tail is None else ["_", *tail]
        for key, parts in self._choices(t, heads):
            special = [
                (*(row[0].parts if row[0] is not None else (None,) * len(parts)), *row[1:])
                for row in rows
                if row[0] is None or row[0].key == key
            ]
            found = self.uncovered(special, [*parts, *rest])
            if found is not None:
                return [_spell(t, key, found[: len(parts)]), *found[len(parts) :]]
        if isinstance(t, Record | Sum) or t is BOOL:
            return None
        tail = self.uncovered([row[1:] for row in rows if row[0] is None], rest)
        return None if tail is None else ["_", *tail]

    def _choices(
        self, t: Type, heads: list[Head]
    ) -> "list[tuple[str | int | float | bool, tuple[Type, ...]]]":
        """Return the heads that a value of type ``t`` can have, each with the types of its parts.

        For numbers these are the heads that occur.
        """
        if t is BOOL:
            return [(False, ()), (True, ())]
        match t:
            case Record(fields):
                return [("{}", tuple(f for _, f in fields))]
            case Sum(constructors):
                return [(f"#{name}", args) for name, args in constructors]
            case ScalarType() | Array() | Arrow() | Rigid() | Opaque() | Meta():
                return [(key, ()) for key in dict.fromkeys(h.key for h in heads)]


def _spell(t: Type, key: str | int | float | bool, parts: list[str]) -> str:
    match t:
        case Record(fields):
            if is_tuple(t):
                return f"({', '.join(parts)})"
            return (
                "{" + ", ".join(f"{n} = {p}" for (n, _), p in zip(fields, parts, strict=True)) + "}"
            )
        case Sum():
            text = " ".join([str(key), *parts])
            return f"({text})" if parts else text
        case ScalarType() | Array() | Arrow() | Rigid() | Opaque() | Meta():
            return str(key).lower()
