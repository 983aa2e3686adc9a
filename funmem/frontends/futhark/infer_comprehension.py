"""Rules for array comprehensions (paper 004, fig. 1), with ``order by`` and ``group by``."""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.infer_context import TypeContext
from funmem.frontends.futhark.infer_exhaustive import check_irrefutable
from funmem.frontends.futhark.infer_pat import check_distinct, match_pattern, variables
from funmem.frontends.futhark.scope import LocalVar
from funmem.frontends.inference.types import Array, Arrow, Meta, Record, Type
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, ScalarType


def comprehension(cx: TypeContext, e: ast.Comprehension) -> Type:
    """Return the type of ``[e | q]``."""
    mark = cx.scope.mark()
    bound: dict[str, Span] = {}
    _qualifier(cx, e.qual, bound)
    t = cx.exp(cx, e.exp)
    cx.order0(e.exp.at, t, "an element of an array")
    cx.scope.leave(mark)
    return Array(t)


def _qualifier(cx: TypeContext, q: ast.Qualifier, bound: dict[str, Span]) -> None:
    """Check ``q``; ``bound`` collects the names that qualifiers have bound so far."""
    match q:
        case ast.QBind(pat, exp):
            found = cx.solver.resolve(cx.exp(cx, exp))
            if isinstance(found, Array | Meta):
                elem: Type = cx.solver.fresh(exp.at)
                cx.same(exp.at, found, Array(elem), "the source of `<-`", hint=_instead(pat, exp))
            else:  # a single value, not an array: section 5 of the paper
                elem = found
                cx.order0(exp.at, elem, "the source of `<-`")
            match_pattern(cx, pat, elem, ("an element of ", exp))
            check_irrefutable(cx, pat)
            _note(pat, bound)
        case ast.QFilter(exp):
            cx.same(exp.at, cx.exp(cx, exp), BOOL, "a filter")
        case ast.QSeq(quals):
            for part in quals:
                _qualifier(cx, part, bound)
        case ast.QZip(branches):
            _zip(cx, branches, bound)
        case ast.QOrder(key):
            _key(cx, key, "a key of `order by`")
        case ast.QGroup():
            _group(cx, q, bound)


def _instead(pat: ast.Pattern, exp: ast.Exp) -> str:
    """Return a hint for a source that is not an array; ``x<-1`` may be meant as a comparison."""
    if pat.at.line == exp.at.line and exp.at.col == pat.at.end + len("<-"):
        return "`<-` draws elements; a comparison has a space in it: `x < -1`"
    return "elements are drawn from an array or a range: `x <- 0..<n`"


def _note(pat: ast.Pattern, bound: dict[str, Span]) -> None:
    check_distinct((pat,))
    for v in variables(pat):
        bound[v.name] = v.at


def _zip(cx: TypeContext, branches: tuple[ast.Qualifier, ...], bound: dict[str, Span]) -> None:
    """Check ``q | q``: the names of a branch are in scope after the zip, not in other branches."""
    together: dict[str, tuple[Span, LocalVar]] = {}
    for branch in branches:
        mark = cx.scope.mark()
        own: dict[str, Span] = {}
        _qualifier(cx, branch, own)
        for name, where in own.items():
            if name in together:
                fail(
                    where,
                    "duplicate-name",
                    f"`{name}` is already bound at {place(together[name][0])}",
                )
            var = cx.scope.values[name]
            assert isinstance(var, LocalVar)
            together[name] = (where, var)
        cx.scope.leave(mark)
    for name, (where, var) in together.items():
        cx.scope.bind(name, var)
        bound[name] = where


def _key(cx: TypeContext, key: ast.Exp, what: str) -> Type:
    """Check a key: a scalar, or a tuple of scalars."""
    t = cx.exp(cx, key)

    def final() -> None:
        found = cx.solver.resolve(t)
        parts = [f for _, f in found.fields] if isinstance(found, Record) else [found]
        for part in parts:
            part = cx.solver.resolve(part)
            if not isinstance(part, ScalarType):
                fail(
                    key.at,
                    "key-type",
                    f"{what} must be a scalar or a tuple of scalars, but is {cx.text(t)}",
                )

    cx.finals.append(final)
    return t


def _is_whole(cx: TypeContext, key: ast.Exp) -> None:
    """Reject ``group by x into s`` without ``=``, which is parsed as arguments of the key."""
    while isinstance(key, ast.App):
        match key.arg:
            case ast.Var(ast.QualName((), "into", at)) if "into" not in cx.scope.values:
                hint = "a fold looks like `group by k = e into s = op ne v`"
                fail(at, "unknown-name", "no variable `into` is in scope", hint)
        key = key.fn


def _group(cx: TypeContext, q: ast.QGroup, bound: dict[str, Span]) -> None:
    """Check ``group by k = e into x = op ne e …``; k and the xs are in scope afterwards."""
    _is_whole(cx, q.key)
    key = _key(cx, q.key, "a key of `group by`")
    folds: list[tuple[ast.QFold, Type]] = []
    for fold in q.folds:
        t = cx.exp(cx, fold.exp)
        op, neutral = cx.exp(cx, fold.op), cx.exp(cx, fold.neutral)
        cx.same(
            fold.op.at,
            op,
            Arrow(t, Arrow(t, t)),
            "the operator",
            (fold.op, ("the folded value, ", fold.exp)),
        )
        cx.same(
            fold.neutral.at,
            neutral,
            t,
            "the neutral element",
            (fold.neutral, ("the folded value, ", fold.exp)),
        )
        cx.order0(fold.exp.at, t, "the folded value")
        folds.append((fold, t))
    for name in bound:
        old = cx.scope.values[name]
        if isinstance(old, LocalVar):
            hidden = LocalVar(old.name, old.type, old.at, grouped=q.at)
            cx.scope.bind(name, hidden)
    name = q.key_name if q.key_name is not None else "key"
    cx.bind((q, name), name, key, q.at)
    bound[name] = q.at
    own = {name: q.at}
    for fold, t in folds:
        if fold.name in own:
            called = q.key_name is None and own[fold.name] == q.at
            fail(
                fold.at,
                "duplicate-name",
                f"`{fold.name}` is already bound at {place(own[fold.name])}",
                "the key has this name unless `group by k = …` gives it another" if called else "",
            )
        own[fold.name] = fold.at
        cx.bind((fold, fold.name), fold.name, t, fold.at)
        bound[fold.name] = fold.at
