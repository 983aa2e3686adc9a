r"""FUN has no definitions: calls are inlined, and tail recursion becomes a loop.

    def f = \x y -> if c then f e e' else r
    f a b    ->    let (x, y) = loop (more, x, y) = (true, a, b) while more do
                                  if c then (true, e, e') else (false, x, y)
                   in r

The loop's body is the body of f, with ``(true, arguments)`` in place of each recursive call and
``(false, parameters)`` at every other end.  After the loop the body of f is evaluated once more,
along its paths that end without a call.

A parameter that is consumed before an ``if`` cannot be returned by a branch that ends the loop.  So
the consuming expression moves into the branches that continue; if the condition needs its result,
the parameter is copied first.
"""

from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core_traverse import parts
from funmem.ir.fun import Binder, Call, Function, Var
from funmem.ir.functions import is_partial
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, ScalarType
from funmem.passes.core.names import free_names
from funmem.passes.core.to_fun.consumed import Consumption
from funmem.passes.core.to_fun.state import Scalar, Vals, Work

_Chain: TypeAlias = list[c.Let | c.Assert]

_HINT = "only a call that is the last thing its definition does becomes a loop"


def constant(w: Work, name: Name) -> Vals:
    """Return the values of a definition without parameters, which are computed at the start."""
    return tuple(w.code.find(x) for x in w.constants[name])


def call(w: Work, name: Name, args: tuple[c.Exp, ...], hint: str) -> Vals:
    """Lower ``f e …``."""
    d = w.defs[name]
    at = w.at
    fn = lambda_of(d)
    if len(fn.params) != len(args):
        w.unsupported(f"a call of `{name}` with {len(args)} of {len(fn.params)} arguments")
    vals = tuple(w.one(a) for a in args)
    if name in w.functions:
        result = _called(w, w.functions[name], vals, hint)
    else:
        result = applied(w, name, fn, vals, hint)
    w.at = at
    return result


def _called(w: Work, f: Function, args: Vals, hint: str) -> Vals:
    """Emit a call of a function."""
    pat: list[Binder[None]] = []
    values: list[Scalar] = []
    given = tuple(map(w.atom, args))
    for r in f.results:
        assert isinstance(r.type, ScalarType)
        x = w.name(hint if hint and len(f.results) == 1 else f.name)
        pat.append(Binder[None](x, r.type, None))
        values.append(Scalar(Var(x), r.type))
    w.emit(pat, Call(f.name, given, is_partial(f)))
    return tuple(values)


def applied(w: Work, name: Name, fn: c.Lambda, vals: Vals, hint: str) -> Vals:
    """Return the values of a definition's body for some arguments: it is inlined."""
    if name in w.active:
        w.unsupported("recursion that is not a tail call", _HINT)
    w.active.append(name)
    with w.names():
        if calls_itself(name, fn.body):
            result = _tail_recursion(w, name, fn, vals, hint)
        else:
            for p, v in zip(fn.params, vals, strict=True):
                w.bind(p.name, w.named(p.name, v))
            w.hint = hint
            result = w.exp(fn.body)
    w.active.pop()
    return result


def lambda_of(d: c.Def) -> c.Lambda:
    """Return the lambda of a function definition; nested lambdas are joined to one."""
    params: list[c.Binder] = []
    e = d.exp
    while isinstance(e, c.Lambda):
        params += e.params
        e = e.body
    return c.Lambda(tuple(params), e, d.at)


def calls_itself(name: Name, e: c.Exp) -> bool:
    """True if a definition occurs in an expression."""
    todo = [e]
    while todo:
        x = todo.pop()
        if isinstance(x, c.Global) and x.name == name:
            return True
        todo += parts(x)
    return False


def _tail_recursion(w: Work, name: Name, fn: c.Lambda, args: Vals, hint: str) -> Vals:
    more = Name(f"{name} goes on")
    starts = [Name(f"{name} from {k}") for k in range(len(args))]
    for x, v in zip(starts, args, strict=True):
        w.bind(x, v)
    step = _step(w, name, fn.body, fn.params)
    params = (c.Binder(more, BOOL), *fn.params)
    init: tuple[c.Exp, ...] = (c.Const(True, BOOL), *map(c.Var, starts))
    loop = c.Loop(params, init, c.While(c.Var(more)), step, w.at)
    _, *ends = w.exp(loop)
    for p, v in zip(fn.params, ends, strict=True):
        w.bind(p.name, v)
    last = _without_calls(w, name, fn.body)
    if last is None:
        w.unsupported(f"`{name}`, which calls itself on every path")
    w.hint = hint
    return w.exp(last)


def _is_call(name: Name, e: c.Exp) -> bool:
    return isinstance(e, c.App) and isinstance(e.fn, c.Global) and e.fn.name == name


def _free_of(w: Work, name: Name, *es: c.Exp) -> None:
    """Raise SourceError if the function is called in expressions that are not in tail position."""
    for e in es:
        if calls_itself(name, e):
            w.at = e.at
            w.unsupported("recursion that is not a tail call", _HINT)


def _step(w: Work, name: Name, e: c.Exp, here: tuple[c.Binder, ...]) -> c.Exp:
    """Return the loop's body; at an end without a call its results are the parameters ``here``."""
    chain: _Chain = []
    while isinstance(e, c.Let | c.Assert):
        _free_of(w, name, *((e.exp,) if isinstance(e, c.Let) else (e.cond, *e.values)))
        chain.append(e)
        e = e.body
    new: c.Exp
    match e:
        case c.App(_, args) if _is_call(name, e):
            _free_of(w, name, *args)
            new = c.tuple_exp(c.Const(True, BOOL), *args, at=e.at)
        case c.If(cond, then, orelse, at):
            _free_of(w, name, cond)
            if chain and _without_calls(w, name, e) is not None:
                chain, later, here = _spared(chain, cond, here)
                then, orelse = _rewrapped(later, then), _rewrapped(later, orelse)
            new = c.If(cond, _step(w, name, then, here), _step(w, name, orelse, here), at)
        case (
            c.Leaf()
            | c.FunctionOperation()
            | c.Match()
            | c.Loop()
            | c.RecordOperation()
            | c.ScalarOperation()
            | c.ArrayOperation()
        ):
            _free_of(w, name, e)
            new = c.tuple_exp(c.Const(False, BOOL), *(c.Var(b.name) for b in here), at=e.at)
            chain = []  # computed after the loop, where it traps as well
    return _rewrapped(chain, new)


def _spared(
    chain: _Chain, cond: c.Exp, here: tuple[c.Binder, ...]
) -> tuple[_Chain, _Chain, tuple[c.Binder, ...]]:
    """Return the links that stay before an ``if``, those that move into it, and the results.

    If the former consume a parameter, the result is a copy of it that they make first.
    """
    seen = Consumption(b.name for b in here)
    needed, moved = _needed(chain, cond), set[Name]()
    kept: _Chain = []
    later: _Chain = []
    for k, link in enumerate(chain):
        before = set(seen.consumed)
        seen.exp(_rewrapped([link], c.Fields(())))
        uses = not moved.isdisjoint(_free(link))
        if k not in needed and (uses or seen.consumed > before):
            later.append(link)
            moved |= _bound(link)
            seen.consumed = before
        else:
            kept.append(link)
    seen.exp(cond)
    for x in here:
        if x.name in seen.consumed:
            spare = c.Binder(Name(f"{x.name} is spare"), x.type)
            kept.insert(0, c.Let((spare,), c.Copy(c.Var(x.name)), c.Fields(())))
            here = tuple(spare if b is x else b for b in here)
    return kept, later, here


def _needed(chain: _Chain, cond: c.Exp) -> set[int]:
    """Return the positions of the links that compute what a condition needs."""
    names, found = set(free_names(cond)), set[int]()
    for k, link in reversed(list(enumerate(chain))):
        if not names.isdisjoint(_bound(link)):
            found.add(k)
            names |= _free(link)
    return found


def _bound(link: c.Let | c.Assert) -> set[Name]:
    return {b.name for b in link.binders} if isinstance(link, c.Let) else set()


def _free(link: c.Let | c.Assert) -> set[Name]:
    return set(free_names(_rewrapped([link], c.Fields(()))))


def _rewrapped(chain: _Chain, e: c.Exp) -> c.Exp:
    for link in reversed(chain):
        match link:
            case c.Let(binders, exp, _, at):
                e = c.Let(binders, exp, e, at)
            case c.Assert(cond, message, values, _, at):
                e = c.Assert(cond, message, values, e, at)
    return e


def _without_calls(w: Work, name: Name, e: c.Exp) -> c.Exp | None:
    """Return the body along the paths that end without a call; None if there are none."""
    chain: _Chain = []
    while isinstance(e, c.Let | c.Assert):
        chain.append(e)
        e = e.body
    new: c.Exp | None
    if _is_call(name, e):
        return None
    if isinstance(e, c.If):
        then, orelse = _without_calls(w, name, e.then), _without_calls(w, name, e.orelse)
        if then is None or orelse is None:
            new = orelse if then is None else then
        else:
            new = c.If(e.cond, then, orelse, e.at)
    else:
        new = e
    return None if new is None else _rewrapped(chain, new)
