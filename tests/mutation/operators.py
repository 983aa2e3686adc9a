"""Small wrong turns in Python code: each is one change at one place of one function.

    arithmetic    a + b -> a - b,  a * b -> a + b,  a // b -> a * b,  -a -> a
    comparison    a < b -> a <= b,  a <= b -> a < b,  a == b -> a != b,  a in b -> a not in b
    logic         a and b -> a or b,  not a -> a,  all -> any,  any -> all
    number        0 -> 1,  1 -> 0,  k -> k + 1
    condition     if c -> if True, if False
    omission      a statement that only has an effect (``x += e``, a call) goes
    verdict       in a condition: `return why` -> `return None`, and all of it answers None

Docstrings, messages, assertions and annotations are left alone: they decide nothing.
"""

import ast
import copy
from collections.abc import Callable, Iterator

from attrs import field, frozen


@frozen
class Mutant:
    """A changed module, and where: ``function`` is its dotted name."""

    path: str
    function: str
    line: int
    what: str
    _changed: Callable[[], str] = field(eq=False, repr=False)

    @property
    def source(self) -> str:
        """The text of the changed module."""
        return self._changed()

    @property
    def key(self) -> str:
        """What identifies it while the function's text stays: no line number."""
        return f"{self.path}::{self.function}: {self.what}"


ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
QUANTIFIERS = {"all": "any", "any": "all"}
LEFT_ALONE = (ast.JoinedStr, ast.Assert, ast.Raise)
"""Messages, and what only guards against mistakes of ours."""


def mutants(path: str, source: str, wanted: Callable[[str], bool]) -> Iterator[Mutant]:
    """Every mutant of the functions with wanted names.

    A condition (a function that answers ``str | None``, or ``Refusal | None``) also gets those that
    answer None.
    """
    tree = ast.parse(source)
    for name, function in functions(tree):
        if not wanted(name):
            continue
        for node, statement in _nodes(function):
            for what, change in changes(node):
                assert isinstance(node, ast.stmt | ast.expr)
                if isinstance(node, ast.Constant):
                    what = f"{what} in `{statement}`"
                yield _mutant(path, name, tree, node, what, change)
        if is_condition(function):
            yield _mutant(path, name, tree, function, "allows everything", _allow)


def functions(tree: ast.AST, around: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods, not those inside functions, with dotted names."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.FunctionDef(name):
                yield around + name, node
            case ast.ClassDef(name):
                yield from functions(node, f"{around}{name}.")


def is_condition(f: ast.FunctionDef) -> bool:
    """Whether a function says why something is not allowed, or None."""
    return f.returns is not None and ast.unparse(f.returns) in ("str | None", "Refusal | None")


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    """What may be changed at a node: a description, and what does it to a copy of the node."""
    before = ast.unparse(node) if isinstance(node, ast.expr) else ""
    match node:
        case ast.BinOp(op=op) if type(op) in ARITHMETIC:
            yield from _set(node, before, "op", ARITHMETIC[type(op)]())
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield from _set(node, before, "operand", ast.UnaryOp(ast.USub(), operand))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _set(node, before, "operand", ast.UnaryOp(ast.Not(), operand))
        case ast.Compare(ops=ops):
            for k, op in enumerate(ops):
                if type(op) in COMPARISON:
                    new = [*ops[:k], COMPARISON[type(op)](), *ops[k + 1 :]]
                    yield from _set(node, before, "ops", new)
        case ast.BoolOp(op=op):
            yield from _set(node, before, "op", ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.Call(func=ast.Name(id=name)) if name in QUANTIFIERS:
            yield from _set(node, before, "func", ast.Name(QUANTIFIERS[name], ast.Load()))
        case ast.Constant(value=bool()):
            return
        case ast.Constant(value=int(k)):
            yield from _set(node, before, "value", 0 if k == 1 else k + 1)
        case ast.If(test=test) | ast.IfExp(test=test):
            said = f"if {ast.unparse(test)}"
            yield from _set(node, said, "test", ast.Constant(True), "if True")
            yield from _set(node, said, "test", ast.Constant(False), "if False")
        case ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield from [(f"{ast.unparse(node)} -> pass", _omit)]
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            if isinstance(value, ast.JoinedStr):
                yield from _set(node, "return why", "value", ast.Constant(None), "return None")


def _set(
    node: ast.AST, before: str, field: str, value: object, after: str = ""
) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    changed = copy.deepcopy(node)
    setattr(changed, field, value)
    after = after or ast.unparse(changed)
    if before != after:
        yield f"{before} -> {after}", lambda n: setattr(n, field, value)


def _omit(node: ast.AST) -> None:
    node.__class__ = ast.Pass  # type: ignore[assignment]
    node.__dict__ = {k: v for k, v in node.__dict__.items() if k in node._attributes}


def _allow(node: ast.AST) -> None:
    assert isinstance(node, ast.FunctionDef)
    node.body = [ast.Return(ast.Constant(None))]


def _nodes(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, str]]:
    """The nodes of a function's body that decide something, in order, each with the first line of
    the statement that it is part of.
    """
    todo: list[tuple[ast.AST, str]] = [(s, "") for s in reversed(function.body)]
    while todo:
        node, statement = todo.pop()
        if isinstance(node, LEFT_ALONE) or _is_text(node):
            continue
        if isinstance(node, ast.stmt):
            statement = ast.unparse(node).partition("\n")[0]
        yield node, statement
        if not (isinstance(node, ast.Return) and isinstance(node.value, ast.JoinedStr)):
            children = [c for c in ast.iter_child_nodes(node) if not _is_annotation(node, c)]
            todo += ((c, statement) for c in reversed(children))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_annotation(parent: ast.AST, child: ast.AST) -> bool:
    return isinstance(parent, ast.AnnAssign | ast.arg) and child is parent.annotation


def _mutant(
    path: str,
    name: str,
    tree: ast.Module,
    node: ast.stmt | ast.expr,
    what: str,
    change: Callable[[ast.AST], None],
) -> Mutant:
    def changed() -> str:
        memo: dict[int, object] = {}
        module = copy.deepcopy(tree, memo)
        target = memo[id(node)]
        assert isinstance(target, ast.AST)
        change(target)
        return ast.unparse(ast.fix_missing_locations(module))

    return Mutant(path, name, node.lineno, what, changed)
