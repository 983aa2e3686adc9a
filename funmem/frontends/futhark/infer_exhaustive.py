"""Do the cases of a ``match`` cover every value, and do other patterns match whatever comes?

Columns of patterns are split by the constructor that the type allows, until a row of wildcards is
left, or none: then the way there spells a value that nothing matches.
"""

from typing import TypeAlias

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail, unsupported
from funmem.frontends.futhark.infer_context import Context
from funmem.frontends.futhark.infer_show import is_tuple
from funmem.frontends.futhark.infer_types import label_order
from funmem.frontends.futhark.types import Record, Sum, Type
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL


@frozen
class Head:
    """A pattern that looks: a constructor, ``{}`` for a record, or a literal; then its parts."""

    key: "str | int | float | bool"
    parts: "tuple[Simple, ...]"


Simple: TypeAlias = Head | None
"""None matches anything."""

Row: TypeAlias = tuple[Simple, ...]

_LIMIT = 20_000
"""Splits of columns after which a match is refused."""


def check_match(cx: Context, e: ast.Match) -> None:
    """When types are known: some case matches, whatever the value."""

    def final() -> None:
        t = cx.solver.zonk(cx.types[e.cases[0].pat])
        rows: list[Row] = [(simplify(case.pat),) for case in e.cases]
        witness = _Search(e).uncovered(rows, [t])
        if witness is not None:
            fail(
                e.at,
                "match-cases",
                f"no case matches {witness[0]}",
                "add a case, or `case _ -> …` for all that is left",
            )

    cx.finals.append(final)


def check_irrefutable(cx: Context, p: ast.Pattern) -> None:
    """A pattern outside ``match`` must match every value of its type."""
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
        case _:
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
    """What decides whether a pattern matches."""
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
        case _:
            return "?"


class _Search:
    """One search for a value that no row matches."""

    def __init__(self, node: ast.Match | ast.Pattern) -> None:
        self.node = node
        self.steps = 0

    def uncovered(self, rows: list[Row], types: list[Type]) -> list[str] | None:
        """Texts of values of ``types`` that no row matches, or None if there are none."""
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
        """The ways a value of type ``t`` can look; for numbers those that occur."""
        match t:
            case Record(fields):
                return [("{}", tuple(f for _, f in fields))]
            case Sum(constructors):
                return [(f"#{name}", args) for name, args in constructors]
            case _ if t is BOOL:
                return [(False, ()), (True, ())]
            case _:
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
        case _:
            return str(key).lower()
