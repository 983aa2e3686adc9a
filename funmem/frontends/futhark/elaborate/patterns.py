"""Elaborate patterns: take values apart, and choose by their form.

``bind`` is for patterns that always match.  ``match`` compiles the cases of a ``match``
expression to a decision tree of Core's one-level ``match``.  The leftmost refutable pattern of the
first case decides which value is tested, and the cases are distributed to the outcomes.
"""

from collections.abc import Callable, Sequence

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.elaborate.context import Elaboration, Wrap, core_type, let, wrapped
from funmem.frontends.inference import types as ty
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BinOp

# ---------------------------------------------------------------------- patterns that match


def bind(ctx: Elaboration, pat: ast.Pattern, value: Exp, out: list[Wrap]) -> None:
    """Bind the variables of ``pat``, which matches every value, to parts of ``value``."""
    match pat:
        case ast.PVar(_, at):
            out.append(let(c.Binder(ctx.typing.names[pat], ctx.core(pat)), value, at))
        case ast.PWild(at):
            if not isinstance(value, c.Var | c.Const):
                out.append(let(ctx.binder("_", ctx.core(pat)), value, at))
        case ast.PAscript(inner, _, _):
            bind(ctx, inner, value, out)
        case ast.PTuple() | ast.PRecord():
            _bind_fields(ctx, pat, value, out)
        case ast.PConstr():
            _bind_only_constructor(ctx, pat, value, out)
        case ast.PLit(_, at):
            raise TypeError(f"{at}: a literal does not match every value")


def _bind_fields(
    ctx: Elaboration, pat: ast.PTuple | ast.PRecord, value: Exp, out: list[Wrap]
) -> None:
    t = ctx.type(pat)
    assert isinstance(t, ty.Record)
    subs = _fields(pat)
    if len(subs) == 0:
        out.append(let(ctx.binder("_", core_type(t)), value, pat.at))
        return
    if len(subs) > 1 and list(subs) == [label for label, _ in t.fields]:
        binders, later = [], []
        for label, u in t.fields:
            sub = subs[label]
            while isinstance(sub, ast.PAscript):
                sub = sub.pat
            if isinstance(sub, ast.PVar):
                binders.append(c.Binder(ctx.typing.names[sub], ctx.core(sub)))
            else:
                b = ctx.binder("p", core_type(u))
                binders.append(b)
                later.append((sub, b))
        made = tuple(binders)
        out.append(lambda rest: c.Let(made, value, rest, pat.at))
        for sub, b in later:
            bind(ctx, sub, c.Var(b.name), out)
        return
    whole = ctx.atom(value, core_type(t), out, "p")
    for label, sub in subs.items():
        bind(ctx, sub, c.Project(whole, label, pat.at), out)


def _fields(pat: ast.PTuple | ast.PRecord) -> dict[str, ast.Pattern]:
    if isinstance(pat, ast.PTuple):
        return {str(k): p for k, p in enumerate(pat.elems)}
    return dict(pat.fields)


def _bind_only_constructor(ctx: Elaboration, pat: ast.PConstr, value: Exp, out: list[Wrap]) -> None:
    t = core_type(ctx.type(pat))
    assert isinstance(t, c.Sum)
    binders = tuple(ctx.binder("p", u) for u in t.payload(pat.name))
    arm = pat.name
    out.append(lambda rest: c.Match(value, (c.Arm(arm, binders, rest),), None, pat.at))
    for sub, b in zip(pat.args, binders, strict=True):
        bind(ctx, sub, c.Var(b.name), out)


def sub_binders(pat: ast.Pattern) -> list[ast.PVar]:
    """Return the variables of a pattern, from left to right."""
    match pat:
        case ast.PVar():
            return [pat]
        case ast.PWild() | ast.PLit():
            return []
        case ast.PAscript(inner, _, _):
            return sub_binders(inner)
        case ast.PTuple(elems, _):
            return [v for p in elems for v in sub_binders(p)]
        case ast.PRecord(fields, _):
            return [v for _, p in fields for v in sub_binders(p)]
        case ast.PConstr(_, args, _):
            return [v for p in args for v in sub_binders(p)]


# ---------------------------------------------------------------------- patterns that may fail


@frozen
class _Row:
    """A case that may still match: the patterns to test, by the variables that hold the values."""

    tests: tuple[tuple[Name, ast.Pattern], ...]
    bound: tuple[tuple[ast.Pattern, Name], ...]
    """Irrefutable patterns, with the variables that hold the values they bind."""
    body: Callable[[], Exp]


def match(
    ctx: Elaboration,
    scrutinee: Name,
    cases: Sequence[tuple[ast.Pattern, Callable[[], Exp]]],
    at: Span,
) -> Exp:
    """Return the body of the first case that matches ``scrutinee``, of which there is one."""
    rows = [_Row(((scrutinee, pat),), (), body) for pat, body in cases]
    return _decide(ctx, [_settled(r) for r in rows], at)


def _settled(row: _Row) -> _Row:
    """Move the patterns that cannot fail from ``tests`` to ``bound``."""
    tests, bound = [], list(row.bound)
    for name, pat in row.tests:
        while isinstance(pat, ast.PAscript):
            pat = pat.pat
        if isinstance(pat, ast.PWild):
            continue
        if isinstance(pat, ast.PVar):
            bound.append((pat, name))
        else:
            tests.append((name, pat))
    return _Row(tuple(tests), tuple(bound), row.body)


def _decide(ctx: Elaboration, rows: list[_Row], at: Span) -> Exp:
    if not rows:
        raise TypeError(f"{at}: no case matches")
    first = rows[0]
    if not first.tests:
        out: list[Wrap] = []
        for pat, name in first.bound:
            bind(ctx, pat, c.Var(name), out)
        return wrapped(out, first.body())
    name, pat = first.tests[0]
    match pat:
        case ast.PTuple() | ast.PRecord():
            return _open_record(ctx, name, pat, rows, at)
        case ast.PConstr():
            return _by_constructor(ctx, name, pat, rows, at)
        case ast.PLit():
            return _by_literal(ctx, name, pat, rows, at)
        case ast.PVar() | ast.PWild() | ast.PAscript():
            raise TypeError(f"{pat.at}: a pattern that cannot fail is not tested")


def _test_of(row: _Row, name: Name) -> ast.Pattern | None:
    for n, pat in row.tests:
        if n == name:
            return pat
    return None


def _without(row: _Row, name: Name) -> tuple[tuple[Name, ast.Pattern], ...]:
    return tuple((n, p) for n, p in row.tests if n != name)


def _open_record(
    ctx: Elaboration, name: Name, pat: ast.PTuple | ast.PRecord, rows: list[_Row], at: Span
) -> Exp:
    """Bind every field of the record to a name of its own."""
    t = core_type(ctx.type(pat))
    assert isinstance(t, c.Record)
    binders = {label: ctx.binder("p", u) for label, u in t.fields}
    new: list[_Row] = []
    for row in rows:
        test = _test_of(row, name)
        if not isinstance(test, ast.PTuple | ast.PRecord):
            new.append(row)
            continue
        subs = tuple((binders[label].name, p) for label, p in _fields(test).items())
        new.append(_settled(evolve(row, tests=(*subs, *_without(row, name)))))
    out = [let(b, c.Project(c.Var(name), label), at) for label, b in binders.items()]
    return wrapped(out, _decide(ctx, new, at))


def _by_constructor(
    ctx: Elaboration, name: Name, pat: ast.PConstr, rows: list[_Row], at: Span
) -> Exp:
    t = core_type(ctx.type(pat))
    assert isinstance(t, c.Sum)
    heads: dict[str, None] = {}
    for row in rows:
        test = _test_of(row, name)
        if isinstance(test, ast.PConstr):
            heads.setdefault(test.name)
    arms = []
    for head in heads:
        binders = tuple(ctx.binder("p", u) for u in t.payload(head))
        inner: list[_Row] = []
        for row in rows:
            test = _test_of(row, name)
            if test is None:
                inner.append(row)
            elif isinstance(test, ast.PConstr) and test.name == head:
                subs = tuple((b.name, p) for b, p in zip(binders, test.args, strict=True))
                inner.append(_settled(evolve(row, tests=(*subs, *_without(row, name)))))
        arms.append(c.Arm(head, binders, _decide(ctx, inner, at)))
    rest = [row for row in rows if _test_of(row, name) is None]
    complete = len(heads) == len(t.constructors)
    default = None if complete else _decide(ctx, rest, at)
    return c.Match(c.Var(name), tuple(arms), default, at)


def _by_literal(ctx: Elaboration, name: Name, pat: ast.PLit, rows: list[_Row], at: Span) -> Exp:
    value = literal(ctx, pat)
    same, other = [], []
    for row in rows:
        test = _test_of(row, name)
        if not isinstance(test, ast.PLit):
            same.append(row)
            other.append(row)
        elif literal(ctx, test) == value:
            same.append(evolve(row, tests=_without(row, name)))
        else:
            other.append(row)
    cond = c.Bin(BinOp.EQ, c.Var(name), value, at)
    if not other:  # no value is left: both `true` and `false` were tested
        return _decide(ctx, same, at)
    return c.If(cond, _decide(ctx, same, at), _decide(ctx, other, at), at)


def literal(ctx: Elaboration, pat: ast.PLit) -> c.Const:
    """Return the constant of a literal pattern."""
    from funmem.frontends.futhark.elaborate.literals import constant

    return constant(pat.value, ctx.type(pat))
