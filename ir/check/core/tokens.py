"""Tokens: Γ ⊢ e uses each token once (C-TOKEN).

A token is the right to the next effect.  Effects have one order if every token is used at most once
on each path through a program:

* two expressions that are both evaluated use different tokens; two branches may use the same;
* a function captures no token, since it may be applied several times, and a function that is
  applied to a token is applied to all its arguments; what it then returns may have functions
  beside the token;
* the body of a loop uses only the tokens that it binds itself or that are the loop's parameters;
* no array, sum or data type has tokens, and no type argument is one.

So an effect cannot be inside an array operation: no token is in scope there.  Here are the rules on
uses; those on types are in expressions.py and context.py.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.check.rules import require
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import has_token, parts
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name

Place: TypeAlias = tuple[str, ...]
"""A variable whose value has a token, and the labels that lead to a part of it."""

Holders: TypeAlias = Mapping[Name, Type]
"""The variables in scope whose values have tokens."""


def uses_tokens_once(e: Exp, types: Holders) -> None:
    """Raise SourceError unless ``e`` uses each token once; ``types`` are the parameters' types."""
    _used(e, {x: t for x, t in types.items() if has_token(t)})


def _used(e: Exp, scope: Holders) -> frozenset[Place]:
    """Return the tokens of ``scope`` that an expression uses."""
    match e:
        case c.Var() | c.Project():
            return _place(e, scope)
        case c.Let(binders, exp, body, at):
            first = _used(exp, scope)
            return _then(first, _inside(body, scope, binders), at)
        case c.If(cond, then, orelse, at):
            return _then(_used(cond, scope), _used(then, scope) | _used(orelse, scope), at)
        case c.Match(exp, arms, default, at):
            found = _NONE if default is None else _used(default, scope)
            for arm in arms:
                found |= _inside(arm.body, scope, arm.binders)
            return _then(_used(exp, scope), found, at)
        case c.Lambda(params, body, at):
            _captures_none(_inside(body, scope, params), "a function captures", at)
            return _NONE
        case c.Mu(binder, fn, at):
            _captures_none(_inside(fn, scope, (binder,)), "a function captures", at)
            return _NONE
        case c.Loop(params, init, form, body, at):
            before = _all(init, scope, at)
            again = _inside(body, scope, params)
            match form:
                case c.For(_, bound):
                    before = _then(before, _used(bound, scope), at)
                case c.While(cond):
                    inner = {**scope, **{b.name: b.type for b in params if has_token(b.type)}}
                    _captures_none(_used(cond, inner), "the condition of a loop uses", at)
            _captures_none(again, "the body of a loop uses", at)
            return before
        case c.Global() | c.Const() | c.App() | c.Foreign() | c.Assert():
            return _all(parts(e), scope, e.at)
        case c.Fields() | c.Construct() | c.ScalarOperation() | c.ArrayOperation():
            return _all(parts(e), scope, e.at)


_NONE: frozenset[Place] = frozenset()


def _place(e: Exp, scope: Holders) -> frozenset[Place]:
    """Return the token that a variable or a part of a value is or has, if any."""
    labels: list[str] = []
    while isinstance(e, c.Project):
        labels.append(e.label)
        e = e.exp
    if not isinstance(e, c.Var):
        return _used(e, scope)
    t = scope.get(e.name)
    for label in reversed(labels):
        t = t.field(label) if isinstance(t, c.Record) else None
    return _NONE if t is None or not has_token(t) else frozenset([(e.name, *reversed(labels))])


def _inside(e: Exp, scope: Holders, binders: Iterable[c.Binder]) -> frozenset[Place]:
    """Return the tokens of ``scope`` that an expression in the scope of binders uses."""
    bound = {b.name: b.type for b in binders}
    inner = {x: t for x, t in {**scope, **bound}.items() if has_token(t)}
    return frozenset(p for p in _used(e, inner) if p[0] not in bound)


def _all(es: Iterable[Exp], scope: Holders, at: Span) -> frozenset[Place]:
    """Return the tokens that expressions use which are all evaluated."""
    found = _NONE
    for e in es:
        found = _then(found, _used(e, scope), at)
    return found


def _then(before: frozenset[Place], after: frozenset[Place], at: Span) -> frozenset[Place]:
    """Return the tokens that are used one after another; each may be used once."""
    for p in sorted(after):
        twice = any(p[: len(q)] == q or q[: len(p)] == p for q in before)
        require(not twice, at, "C-TOKEN", "token {} is used twice", ".".join(p))
    return before | after


def _captures_none(found: frozenset[Place], what: str, at: Span) -> None:
    names = ", ".join(".".join(p) for p in sorted(found))
    hint = "pass it as a parameter"
    require(not found, at, "C-TOKEN", "{} the token {} from outside", what, names, hint=hint)
