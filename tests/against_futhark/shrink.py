"""A smaller program that shows the same difference.

    shrunk = smaller(text, keeps)        keeps(text): whether a program still shows it

Steps are tried from large to small until none helps, or the budget is spent: a definition goes; an
expression becomes one of its parts, or a literal; a tuple, a call or an array literal loses a part.
What is no longer well typed does not show the difference, so no step needs to know about types.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar, get_args

import attrs
from attrs import evolve

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.parser import parse
from funmem.frontends.futhark.show import show
from funmem.ir.diagnostics import NOWHERE, SourceError
from tests.against_futhark.coverage import is_node
from tests.against_futhark.judge import Finding, Trial, judge
from tests.against_futhark.ours import Ours
from tests.against_futhark.outcome import Kind, Refused
from tests.against_futhark.peer import Executable, Interpreted, Peer

BUDGET = 300
"""Programs that are tried."""

EXPRESSIONS = get_args(ast.Exp)
LEAVES = (ast.IntLit, ast.FloatLit, ast.BoolLit, ast.Var)

Keeps = Callable[[str], bool]
T = TypeVar("T")


def smaller(text: str, keeps: Keeps, budget: int = BUDGET) -> str:
    """The smallest program that was found; the text itself if it cannot be parsed."""
    try:
        program = parse(text, "shrink.fut")
    except SourceError:
        return text
    best = show(program)
    if not keeps(best):
        return text
    tried, start = {best}, 0
    while True:
        found: tuple[int, ast.SourceFile, str] | None = None
        for k, candidate in enumerate(_steps(program)):
            new = show(candidate)
            if k < start or new in tried or len(new) > len(best):
                continue
            tried.add(new)
            budget -= 1
            if budget < 0:
                return best
            if _fits(new, keeps):
                found = k, candidate, new
                break
        if found is not None:
            start, program, best = found
        elif start:
            start = 0  # steps before those that helped may help now
        else:
            return best


def _fits(text: str, keeps: Keeps) -> bool:
    try:
        parse(text, "shrink.fut")
    except SourceError:
        return False
    return keeps(text)


def _steps(program: ast.SourceFile) -> Iterator[ast.SourceFile]:
    """Programs that have a little less."""
    for d in program.decs:
        if not (isinstance(d, ast.ValDec) and d.entry):
            yield evolve(program, decs=tuple(x for x in program.decs if x is not d))
    for e in _expressions(program):
        for less in _less(e):
            yield replaced(program, e, less)


def _expressions(tree: object) -> Iterator[ast.Exp]:
    """All expressions, those outside first."""
    if isinstance(tree, EXPRESSIONS):
        yield tree
    for part in _parts(tree):
        yield from _expressions(part)


def _parts(tree: object) -> Iterator[object]:
    if isinstance(tree, tuple):
        yield from tree
    elif is_node(tree):
        for f in attrs.fields(type(tree)):
            yield getattr(tree, f.name)


def _less(e: ast.Exp) -> Iterator[ast.Exp]:
    """What an expression may become."""
    if isinstance(e, LEAVES):
        return
    match e:
        case ast.Let() | ast.LetFun() | ast.LetWith():
            yield e.body
        case ast.Tuple(elems) | ast.ArrayLit(elems) if len(elems) > 2:
            for x in elems:
                yield evolve(e, elems=tuple(y for y in elems if y is not x))
        case ast.Match(_, cases) if len(cases) > 1:
            for case in cases:
                yield evolve(e, cases=tuple(c for c in cases if c is not case))
        case _:
            pass
    for part in _parts(e):
        yield from _outermost(part)
    yield ast.IntLit(0, None, NOWHERE)
    yield ast.BoolLit(True, NOWHERE)


def _outermost(tree: object) -> Iterator[ast.Exp]:
    """The expressions in a tree that are in no other."""
    if isinstance(tree, EXPRESSIONS):
        yield tree
        return
    for part in _parts(tree):
        yield from _outermost(part)


def replaced(tree: T, old: object, new: object) -> T:
    """The tree with another node in the place of one of its nodes."""
    result = _replaced(tree, old, new)
    assert isinstance(result, type(tree))
    return result


def _replaced(tree: object, old: object, new: object) -> object:
    if tree is old:
        return new
    if isinstance(tree, tuple):
        parts = tuple(_replaced(x, old, new) for x in tree)
        return tree if all(a is b for a, b in zip(parts, tree, strict=True)) else parts
    if not is_node(tree):
        return tree
    fields = {f.name: getattr(tree, f.name) for f in attrs.fields(type(tree))}
    changed = {name: _replaced(x, old, new) for name, x in fields.items()}
    if all(changed[name] is x for name, x in fields.items()):
        return tree
    make: Callable[..., object] = type(tree)
    return make(**changed)


# ---------------------------------------------------------------------- findings


def shrunk(f: Finding, peer: Peer, via: str) -> Finding:
    """The finding with a smaller program that both compilers judge as differently."""

    def keeps(text: str) -> bool:
        return _again(f, text, peer, via) is not None

    text = smaller(f.trial.text, keeps)
    again = _again(f, text, peer, via)
    return f if again is None else again


def _again(f: Finding, text: str, peer: Peer, via: str) -> Finding | None:
    """The same difference in another program."""
    kind = f.difference.kind
    ours = Ours(text, "shrink.fut", via)
    refuses = kind in (Kind.WE_REFUSE, Kind.CRASH)
    if refuses != (ours.rejection is not None) and kind is not Kind.CRASH:
        return None
    path = peer.folder / "shrink.fut"
    path.write_text(text)
    message = peer.check(path)
    if (message is not None) != (kind is Kind.THEY_REFUSE):
        return None
    theirs: Executable | Interpreted | Refused
    if message is not None:
        theirs = Refused(message)
    elif isinstance(f.trial.theirs, Interpreted) or refuses:
        calls = [] if refuses else [c for c in (f.call,) if c is not None]
        theirs = Interpreted(tuple((c.args, peer.interpret(path, c.entry, c.args)) for c in calls))
    else:
        made = peer.compile(path)
        if not isinstance(made, Executable):
            return None
        theirs = made
    calls_ = (f.call,) if f.call is not None else ()
    trial = Trial(f.trial.name, path, text, calls_, theirs)
    found = judge(trial, peer, ours).findings
    return next((g for g in found if _alike(f, g)), None)


def _alike(f: Finding, g: Finding) -> bool:
    """Differences of one kind; what is refused is refused for the same reason."""
    a, b = f.difference, g.difference
    if a.kind is not b.kind or bool(a.known) != bool(b.known):
        return False
    return a.kind is not Kind.WE_REFUSE or a.what.split(":")[0] == b.what.split(":")[0]
