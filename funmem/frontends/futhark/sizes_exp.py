"""The judgement of phase 2 on expressions: types with sizes; one arm is one rule.

Phase 1 has found the forms of all types, so only equations between sizes can fail here.
"""

from funmem.frontends.futhark import ast, builtins
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.infer_types import record_type
from funmem.frontends.futhark.sizes import NOWHERE_DEPTH, map_sizes, sizes_in
from funmem.frontends.futhark.sizes_array import (
    array_literal,
    index,
    index_section,
    path_section,
    path_update,
    range_,
    update,
)
from funmem.frontends.futhark.sizes_comprehension import comprehension
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.sizes_control import chain, function, join, lambda_, match
from funmem.frontends.futhark.sizes_loop import loop
from funmem.frontends.futhark.sizes_types import sized
from funmem.frontends.futhark.sizes_values import dimension
from funmem.frontends.futhark.typing import BuiltinRef, GlobalRef, LocalRef
from funmem.frontends.inference.types import (
    Array,
    Arrow,
    Meta,
    Opaque,
    Record,
    Rigid,
    Sum,
    Type,
    tuple_type,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size, const


def infer_sizes(cx: SizeContext, e: ast.Exp) -> Type:
    """Return the type of ``e``, with sizes."""
    around, cx.current = cx.current, e
    t = _infer(cx, e)
    cx.current = around
    cx.types[e] = (t, cx.time)
    return t


def _infer(cx: SizeContext, e: ast.Exp) -> Type:
    match e:
        case ast.Var(name):
            return use(cx, name)
        case ast.App():
            return application(cx, e)
        case ast.BinOp():
            return operation(cx, e)
        case ast.Let() | ast.LetFun() | ast.LetWith():
            return chain(cx, e)
        case ast.Lambda():
            return lambda_(cx, e, None)
        case ast.Tuple(elems):
            return tuple_type(*[infer_sizes(cx, x) for x in elems])
        case ast.Index():
            return index(cx, e)
        case ast.If():
            return if_(cx, e)
        case ast.Project(exp, label):
            return field(infer_sizes(cx, exp), label)
        case ast.OpSectionLeft(left, op):
            return section(cx, op, left, left=True)
        case ast.OpSectionRight(op, right):
            return section(cx, op, right, left=False)
        case ast.IntLit() | ast.FloatLit() | ast.BoolLit() | ast.CharLit() | ast.Hole():
            return cx.typing.types[e]
        case ast.StringLit(value):
            t = cx.typing.types[e]
            assert isinstance(t, Array)
            return Array(t.elem, const(len(value)))
        case ast.ArrayLit():
            return array_literal(cx, e)
        case ast.RecordLit(fields):
            return record_type({label: infer_sizes(cx, x) for label, x in fields})
        case ast.Neg(exp) | ast.Not(exp):
            return infer_sizes(cx, exp)
        case ast.Loop():
            return loop(cx, e)
        case ast.Update():
            return update(cx, e)
        case ast.RecordUpdate(exp, labels, value):
            t = part = infer_sizes(cx, exp)
            for label in labels:
                part = field(part, label)
            cx.same(value.at, infer_sizes(cx, value), part, "the new value")
            return t
        case ast.PathUpdate():
            return path_update(cx, e)
        case ast.Ascript(exp, te):
            mark = len(cx.trail)
            wanted = sized(cx, te)
            cx.leave(mark)
            cx.same(exp.at, infer_sizes(cx, exp), wanted, "the expression")
            return wanted
        case ast.Coerce(exp, te):
            mark = len(cx.trail)
            wanted = sized(cx, te)
            cx.leave(mark)
            left_open = cx.annotations[te].left_open
            _open_sizes(cx, wanted, infer_sizes(cx, exp), left_open)
            return wanted
        case ast.Range():
            return range_(cx, e)
        case ast.Match():
            return match(cx, e)
        case ast.Constr(name, args):
            t = cx.with_sizes(cx.typing.types[e])
            assert isinstance(t, Sum)
            payload = dict(t.constructors)[name]
            for a, p in zip(args, payload, strict=True):
                cx.same(a.at, infer_sizes(cx, a), p, f"the value in `#{name}`")
            return t
        case ast.Assert(cond, exp):
            infer_sizes(cx, cond)
            return infer_sizes(cx, exp)
        case ast.ProjectSection(labels):
            arrow = cx.typing.types[e]
            assert isinstance(arrow, Arrow)
            record = t = cx.with_sizes(arrow.param)
            for label in labels:
                t = field(t, label)
            return Arrow(record, t)
        case ast.IndexSection():
            return index_section(cx, e)
        case ast.PathSection():
            return path_section(cx, e)
        case ast.OpenIn(_, exp):
            return infer_sizes(cx, exp)
        case ast.Comprehension():
            return comprehension(cx, e)


def field(t: Type, label: str) -> Type:
    """Return the type of a field."""
    assert isinstance(t, Record)
    return dict(t.fields)[label]


def _open_sizes(cx: SizeContext, wanted: Type, found: Type, left_open: frozenset[Name]) -> None:
    """Check ``e :> []t``: an open size is that of e; a stated size is checked at run time."""
    match wanted:
        case Array(elem, size) if isinstance(found, Array):
            name = None if size is None else size.as_name
            if name in left_open and size is not None and found.size is not None:
                cx.solver.unify(found.size, size)
            _open_sizes(cx, elem, found.elem, left_open)
        case Record(fields) if isinstance(found, Record):
            for (_, x), (_, y) in zip(fields, found.fields, strict=True):
                _open_sizes(cx, x, y, left_open)
        case ScalarType() | Record() | Sum() | Array() | Arrow() | Rigid() | Opaque() | Meta():
            pass


# ---------------------------------------------------------------------- names, application


def use(cx: SizeContext, q: ast.QualName) -> Type:
    """Return the type of a name at one use."""
    ref = cx.typing.refs[q]
    match ref:
        case LocalRef(name, _, types):
            scheme = cx.local_schemes.get(name)
            if scheme is None:
                t = cx.vars[name]
            else:
                t, sizes = cx.instantiate(scheme, types)
                cx.instances[q] = (ref, t, sizes, scheme, cx.time)
        case GlobalRef(name, types, view=view):
            scheme = cx.scheme(name)
            t, sizes = cx.instantiate(scheme, types, cx.lifted(name))
            if view is not None:
                own, (t, _) = t, cx.instantiate(cx.scheme(view.name), view.types)
                cx.same(q.at, own, t, f"`{q}`")
            cx.instances[q] = (ref, t, sizes, scheme, cx.time)
            _note(cx, sizes, q)
        case BuiltinRef("", _, t):
            assert isinstance(t, Arrow)
            operand = cx.with_sizes(t.param)  # of both operands
            inner = t.result
            assert isinstance(inner, Arrow)
            t = Arrow(operand, Arrow(operand, inner.result))
            cx.instances[q] = (ref, t, (), None, cx.time)
        case BuiltinRef(module, name, _):
            member = builtins.member(module, name)
            assert member is not None
            if module == builtins.INTRINSICS_MODULE:
                cx.solver.shared.forms.update(builtins.intrinsic_forms(name))
            t, sizes = cx.instantiate(member, ref.types)
            cx.instances[q] = (ref, t, sizes, member, cx.time)
    for label in ref.labels:
        t = field(t, label)
    return t


def _note(cx: SizeContext, sizes: tuple[Size, ...], q: ast.QualName) -> None:
    for s in sizes:
        name = s.as_name
        if name is not None:
            cx.notes.setdefault(name, f"a size of `{q}` at {q.at.line}:{q.at.col}")


def application(cx: SizeContext, e: ast.App) -> Type:
    """Return the type of ``f e1 e2 …``; lambdas are checked last: other arguments say more."""
    spine: list[ast.App] = []
    head: ast.Exp = e
    while isinstance(head, ast.App):
        spine.append(head)
        head = head.fn
    spine.reverse()
    t = infer_sizes(cx, head)
    called = f"`{head.name}`" if isinstance(head, ast.Var) else "the function"
    late: list[tuple[ast.Exp, Arrow, str]] = []
    for k, app in enumerate(spine):
        assert isinstance(t, Arrow)
        what = f"argument {k + 1} of {called}"
        if isinstance(app.arg, ast.Lambda) and isinstance(t.param, Arrow):
            late.append((app.arg, t.param, what))
        else:
            _check_known(cx, app.arg, t.param, what)
            cx.same(app.arg.at, infer_sizes(cx, app.arg), t.param, what)
        t = applied(cx, t, app.arg, called)
        cx.types[app] = (t, cx.time)
    for fn, expected, what in late:
        _check_known(cx, fn, expected, what)
        cx.same(fn.at, function(cx, fn, expected), expected, what)
    return revealed(cx, t, called, e)


def _check_known(cx: SizeContext, e: ast.Exp, expected: Type, what: str) -> None:
    """Reject an argument whose type has a size known only after a call of another argument."""
    hidden = cx.solver.hidden
    if hidden and any(not s.free().isdisjoint(hidden) for s in sizes_in(cx.norm(expected))):
        fail(
            e.at,
            "size-escape",
            f"{what} takes an array whose size is known only when another argument is called",
            "combine both functions into one, or give the array a type parameter",
        )


def revealed(cx: SizeContext, t: Type, called: str, e: ast.Exp) -> Type:
    """Return the result type of a call, with a new name for each hidden size in it."""
    hidden = cx.solver.hidden
    if not hidden or isinstance(t, ScalarType):
        return t
    note = f"a size of the result of {called} at {place(e.at)}"

    def fresh(s: Size | None) -> Size | None:
        if s is None or cx.solver.norm(s).free().isdisjoint(hidden):
            return s
        return cx.unknown("k", note)

    def go(t: Type) -> Type:
        if not isinstance(t, Arrow):
            return map_sizes(t, fresh)
        _check_known(cx, e, t.param, "the function")
        if isinstance(t.result, Arrow):
            return evolve(t, result=go(t.result))
        depth, cx.solver.depth = cx.solver.depth, NOWHERE_DEPTH
        result = map_sizes(t.result, fresh)
        cx.solver.depth = depth
        before = {x for s in sizes_in(t.result) for x in s.free()}
        new = [x for s in sizes_in(result) for x in sorted(s.free()) if x not in before]
        return evolve(t, result=result, exists=(*t.exists, *new))

    return go(t)


def applied(cx: SizeContext, t: Arrow, arg: ast.Exp, called: str) -> Type:
    """Return the type of a function applied to ``arg``.

    A dependent size in it is the argument's value; an existential size gets a new name.
    """
    if t.name is None and not t.exists:
        return t.result
    image: dict[Name, Size] = {}
    if t.name is not None:
        image[t.name] = dimension(cx, arg)
    for name in t.exists:
        note = f"the size of the result of {called} at {place(arg.at)}"
        image[name] = cx.unknown("k", note, soft=name in cx.solver.soft)
    return cx.replace(t.result, image)


def operation(cx: SizeContext, e: ast.BinOp) -> Type:
    """Return the type of ``e op e``; a loop walks chains to the left."""
    spine: list[ast.BinOp] = [e]
    while isinstance(left := spine[-1].left, ast.BinOp):
        spine.append(left)
    t = infer_sizes(cx, spine[-1].left)
    for node in reversed(spine):
        cx.current = node
        t = _operation(cx, node, t)
        cx.types[node] = (t, cx.time)
    return t


def _operation(cx: SizeContext, e: ast.BinOp, left: Type) -> Type:
    ref = cx.typing.refs[e.op]
    if isinstance(ref, BuiltinRef) and isinstance(left, ScalarType):
        infer_sizes(cx, e.right)
        return cx.typing.types[e]
    if isinstance(ref, GlobalRef) and (pipe := cx.pipes(ref.name)):
        right = infer_sizes(cx, e.right)
        fn, arg, at = (right, left, e.left) if pipe == "|>" else (left, right, e.right)
        assert isinstance(fn, Arrow)
        cx.same(at.at, arg, fn.param, f"the argument of `{pipe}`")
        cx.instances[e.op] = (ref, fn, (), None, cx.time)
        return applied(cx, fn, at, f"`{pipe}`")
    t = use(cx, e.op)
    assert isinstance(t, Arrow)
    cx.same(e.left.at, left, t.param, f"the left operand of `{e.op}`")
    t = applied(cx, t, e.left, f"`{e.op}`")
    assert isinstance(t, Arrow)
    right = infer_sizes(cx, e.right)
    _check_known(cx, e.right, t.param, f"the right operand of `{e.op}`")
    cx.same(e.right.at, right, t.param, f"the right operand of `{e.op}`")
    return revealed(cx, applied(cx, t, e.right, f"`{e.op}`"), f"`{e.op}`", e)


def section(cx: SizeContext, op: ast.QualName, arg: ast.Exp, left: bool) -> Type:
    """Return the type of ``(e op)`` or ``(op e)``."""
    found = infer_sizes(cx, arg)
    t = use(cx, op)
    assert isinstance(t, Arrow)
    if left:
        cx.same(arg.at, found, t.param, f"the left operand of `{op}`")
        return applied(cx, t, arg, f"`{op}`")
    inner = t.result
    assert isinstance(inner, Arrow)
    cx.same(arg.at, found, inner.param, f"the right operand of `{op}`")
    last = Arrow(t.param, Arrow(inner.param, inner.result, inner.name, exists=()), t.name)
    result = last.result
    assert isinstance(result, Arrow)
    image = {} if result.name is None else {result.name: dimension(cx, arg)}
    return Arrow(
        t.param, cx.replace(result.result, image), t.name, t.consumes, inner.fresh, inner.exists
    )


def if_(cx: SizeContext, e: ast.If) -> Type:
    """Return the type of ``if c then a else if … else z``; a loop walks ``else if``."""
    nodes: list[ast.If] = []
    branches: list[ast.Exp] = []
    branch: ast.Exp = e
    while isinstance(branch, ast.If):
        nodes.append(branch)
        infer_sizes(cx, branch.cond)
        branches.append(branch.then)
        branch = branch.orelse
    branches.append(branch)
    result: Type | None = None
    for b in branches:
        cx.solver.depth += 1
        t = infer_sizes(cx, b)
        cx.solver.depth -= 1
        result = t if result is None else join(cx, result, t, "`if`", e)
    assert result is not None
    for node in nodes:
        cx.types[node] = (result, cx.time)
    return result
