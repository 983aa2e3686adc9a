"""Producers of conditionals and loops; and the table of all expressions with bodies."""

from collections.abc import Mapping
from types import MappingProxyType

from attrs import field

from funmem.ir.fun import (
    ArrayType,
    Atom,
    Bin,
    Binder,
    Body,
    Concat,
    Const,
    Copy,
    For,
    If,
    Loop,
    LoopParam,
    Reshape,
    Stm,
    Var,
    While,
)
from funmem.ir.names import Name
from funmem.ir.record import define, evolve
from funmem.ir.scalars import BinOp, ScalarType
from funmem.ir.sizes import const, var
from funmem.ir.traverse import atom_size
from funmem.testing.generator.kernels import hist, kernel, reduce, scan
from funmem.testing.generator.program import (
    BOOL,
    I64,
    MAX_ELEMENTS,
    SCALARS,
    Generator,
    Out,
    Producer,
)
from funmem.testing.generator.scalars import expression
from funmem.testing.generator.scope import Range, Scope, Variable
from funmem.testing.generator.views import consumable_view, value, view

# ---------------------------------------------------------------------- if


@define
class Slot:
    """A result of an ``if`` or ``loop``, as a variable outside."""

    known: Variable
    values: list[Atom]
    inner: list[frozenset[Name]] = field(factory=list)
    """The arrays inside with which each of the values may share elements."""


def _slot(g: Generator, t: ScalarType | ArrayType, got: list[Variable], outer: Scope) -> Slot:
    """Return the slot of a result that is one of ``got``, with their outer aliases."""
    name = g.fresh("z")
    shared = frozenset[Name]().union(*(k.roots for k in got)) & outer.bound
    roots = shared | {name} if isinstance(t, ArrayType) else frozenset[Name]()
    known = Variable(name, t, roots=roots, defined=all(k.defined for k in got))
    return Slot(known, [Var(k.name) for k in got], [k.roots for k in got])


def _emit(scope: Scope, slots: list[Slot]) -> tuple[Binder[None], ...]:
    """Return the pattern of the slots, and add them to the scope.

    Two results that may be the same array, created inside, share elements outside as well.
    """
    for k, s in enumerate(slots):
        for t in slots[:k]:
            if any(a & b for a, b in zip(s.inner, t.inner, strict=False)):
                s.known = evolve(s.known, roots=s.known.roots | {t.known.name})
        scope.add(s.known, own=isinstance(s.known.type, ArrayType))
    return tuple(Binder(s.known.name, s.known.type, None) for s in slots)


def if_(g: Generator, scope: Scope, out: Out) -> bool:
    """Add a conditional whose branches return scalars and arrays, also of
    branch-dependent sizes.
    """
    cond: Atom = g.operand(scope, BOOL)
    if g.rng.random() < 0.6:
        cond = Var(g.scalar(scope, out, BOOL, expression(g, scope, BOOL, 2)).name)
    wants = _wants(g, scope)
    sides = (scope.branch(), scope.branch())
    bodies: tuple[Out, Out] = ([], [])
    for side, body in zip(sides, bodies, strict=True):
        g.statements(side, body, g.rng.randint(0, 3))
    slots: list[Slot] = []
    for want in wants:
        got = [_branch_value(g, s, b, want) for s, b in zip(sides, bodies, strict=True)]
        if all(k.type == want for k in got):
            slots.append(_slot(g, want, got, scope))
        else:
            slots += _existential(g, scope, sides, bodies, got)
    scope.dead |= (sides[0].dead | sides[1].dead) & scope.bound
    pat = _emit(scope, slots)
    then, orelse = (Body(tuple(b), tuple(s.values[k] for s in slots)) for k, b in enumerate(bodies))
    out.append(Stm(pat, If(cond, then, orelse)))
    return True


def _wants(g: Generator, scope: Scope) -> list[ScalarType | ArrayType]:
    """Return result types for an ``if``: mostly types of arrays in scope."""
    wants: list[ScalarType | ArrayType] = []
    for _ in range(g.rng.choice((1, 1, 2, 3))):
        arrays = scope.arrays()
        if arrays and g.rng.random() < 0.7:
            wants.append(g.rng.choice(arrays).type)
        else:
            wants.append(g.rng.choice(SCALARS))
    return wants


def _branch_value(g: Generator, scope: Scope, body: Out, want: ScalarType | ArrayType) -> Variable:
    """Return a value of the wanted type with any layout; vectors sometimes have another length."""
    if isinstance(want, ArrayType) and want.rank == 1 and g.rng.random() < 0.4:
        others = scope.arrays(lambda k: k.elem is want.elem and len(k.shape) == 1 and k.defined)
        if others:
            return g.rng.choice(others)
    return value(g, scope, body, want)


def _existential(
    g: Generator,
    scope: Scope,
    sides: tuple[Scope, Scope],
    bodies: tuple[Out, Out],
    got: list[Variable],
) -> list[Slot]:
    """Return the slots of a vector whose length depends on the branch, and of that length."""
    lengths: list[Atom] = []
    both = [s.range_of(k.shape[0]) for s, k in zip(sides, got, strict=True)]
    for n, (side, body) in enumerate(zip(sides, bodies, strict=True)):
        _, got[n], inside = g.existential(side, body, got[n], frozenset())
        lengths.append(inside[0][1] if inside else g.size_of_atom(side, body, got[n].shape[0]))
    length = Variable(g.fresh("k"), I64, both[0].join(both[1]))
    t = ArrayType(got[0].elem, (var(length.name),))
    return [Slot(length, lengths), _slot(g, t, got, scope)]


# ---------------------------------------------------------------------- loops


@define
class Carried:
    """A loop parameter: its variable inside, its initial value, and whether it is unique."""

    known: Variable
    init: Atom
    unique: bool


def _carried(g: Generator, scope: Scope, out: Out) -> list[Carried]:
    """Return random loop parameters: scalars, arrays, and arrays to update in place."""
    carried: list[Carried] = []
    taken: frozenset[Name] = frozenset()
    for _ in range(g.rng.choice((1, 1, 2, 3))):
        arrays = scope.arrays(lambda k: k.defined)
        name = g.fresh("w")
        if not arrays or g.rng.random() < 0.35:
            t = g.rng.choice(SCALARS)
            carried.append(Carried(Variable(name, t), g.operand(scope, t), False))
            continue
        x = g.rng.choice(arrays)
        unique = g.rng.random() < 0.5
        if unique:
            assert isinstance(x.type, ArrayType)
            x = g.make_own(scope, out, x.type, taken)
            x = consumable_view(g, scope, out, x) if g.rng.random() < 0.2 else x
            taken |= x.roots
        elif g.rng.random() < 0.3:
            x = view(g, scope, out, x)
        carried.append(
            Carried(Variable(name, x.type, roots=frozenset({name})), Var(x.name), unique)
        )
    if any(
        not c.unique and isinstance(c.init, Var) and scope.known[c.init.name].roots & taken
        for c in carried
    ):
        return []
    return carried


def _loop_body(g: Generator, inside: Scope, body: Out, carried: list[Carried]) -> list[Variable]:
    """Return the next values; for a unique parameter, an array that the body owns."""
    g.statements(inside, body, g.rng.randint(1, 5))
    results: list[Variable] = []
    taken: set[Name] = set()
    for c in carried:
        if not c.unique:
            results.append(value(g, inside, body, c.known.type))
            continue
        assert isinstance(c.known.type, ArrayType)
        params = {d.known.name for d in carried} - {c.known.name}
        r = g.make_own(inside, body, c.known.type, frozenset(taken | params))
        r = view(g, inside, body, r) if g.rng.random() < 0.3 else r
        taken |= r.roots
        results.append(r)
    for k, (c, r) in enumerate(zip(carried, results, strict=True)):
        if not c.unique and r.roots & taken:
            assert isinstance(r.type, ArrayType)
            results[k] = g.array(inside, body, r.type, Copy(r.name))
    return results


def _enter_loop(scope: Scope, carried: list[Carried]) -> Scope:
    for c in carried:
        if c.unique and isinstance(c.init, Var):
            scope.consume(scope.known[c.init.name])
    inside = scope.inner()
    for c in carried:
        inside.add(c.known, own=c.unique)
    return inside


def _loop_slots(
    g: Generator, scope: Scope, carried: list[Carried], results: list[Variable]
) -> list[Slot]:
    """Return the slots of a loop: a result may alias any parameter's next value that reaches it."""
    slots: list[Slot] = []
    for start in range(len(carried)):
        sources: list[Variable] = []
        todo, seen = [start], {start}
        for k in todo:  # grows during the loop
            c, r = carried[k], results[k]
            sources.append(r)
            if isinstance(c.init, Var) and not c.unique:
                sources.append(scope.known[c.init.name])
            more = [j for j, d in enumerate(carried) if d.known.name in r.roots and j not in seen]
            todo += more
            seen.update(more)
        slots.append(_slot(g, carried[start].known.type, sources, scope))
    return slots


def _finish(
    g: Generator,
    scope: Scope,
    out: Out,
    carried: list[Carried],
    form: For | While,
    body: Out,
    results: list[Variable],
) -> None:
    slots = _loop_slots(g, scope, carried, results)
    params = tuple(
        LoopParam(Binder(c.known.name, c.known.type, None), c.init, c.unique) for c in carried
    )
    values = tuple(Var(r.name) for r in results)
    loop = Loop(params, form, Body(tuple(body), values))
    out.append(Stm(_emit(scope, slots), loop))


def loop(g: Generator, scope: Scope, out: Out) -> bool:
    """Add a ``for`` loop; sometimes one whose array grows with each iteration."""
    if g.rng.random() < 0.2:
        return _growing(g, scope, out)
    carried = _carried(g, scope, out)
    if not carried:
        return False
    bound = g.size(scope, 3)
    inside = _enter_loop(scope, carried)
    index = g.fresh("j")
    inside.add(Variable(index, I64, Range(0, scope.range_of(bound).hi - 1), bound=bound))
    body: Out = []
    results = _loop_body(g, inside, body, carried)
    _finish(g, scope, out, carried, For(index, bound), body, results)
    return True


def while_(g: Generator, scope: Scope, out: Out) -> bool:
    """Add a ``while`` loop that ends after a few iterations, by a counter of its own."""
    carried = _carried(g, scope, out)
    if not carried:
        return False
    go = Carried(Variable(g.fresh("go"), BOOL), Const(g.rng.random() < 0.9, BOOL), False)
    count = Carried(Variable(g.fresh("c"), ScalarType.U8), Const(0, ScalarType.U8), False)
    inside = _enter_loop(scope, [*carried, go, count])
    body: Out = []
    results = _loop_body(g, inside, body, carried)
    more = Bin(BinOp.ADD, Var(count.known.name), Const(1, ScalarType.U8))
    next_count = g.scalar(inside, body, ScalarType.U8, more)
    limit = Const(g.rng.randint(1, 3), ScalarType.U8)
    next_go = g.scalar(inside, body, BOOL, Bin(BinOp.LT, Var(next_count.name), limit))
    _finish(
        g,
        scope,
        out,
        [*carried, go, count],
        While(go.known.name),
        body,
        [*results, next_go, next_count],
    )
    return True


def _growing(g: Generator, scope: Scope, out: Out) -> bool:
    """Add a loop that appends a few elements in each iteration."""
    vectors = scope.arrays(lambda k: len(k.shape) == 1 and k.defined)
    if not vectors:
        return False
    x = g.rng.choice(vectors)
    more = g.rng.randint(1, 2)
    bound = g.size(scope, 3)
    start = scope.range_of(x.shape[0])
    top = start.hi + more * max(0, scope.range_of(bound).hi)
    if top > MAX_ELEMENTS:
        return False
    length = g.size_of_atom(scope, out, x.shape[0])
    init = x
    if atom_size(length) != x.shape[0]:
        t = ArrayType(x.elem, (atom_size(length),))
        init = g.derived(scope, out, t, Reshape(t.shape, x.name), x)
    n, a = g.fresh("n"), g.fresh("w")
    inside = scope.inner()
    inside.add(Variable(n, I64, Range(start.lo, top)))
    inside.add(Variable(a, ArrayType(x.elem, (var(n),)), roots=frozenset({a})))
    body: Out = []
    g.statements(inside, body, g.rng.randint(0, 2))
    tail = g.make(inside, body, ArrayType(x.elem, (const(more),)))
    longer = ArrayType(x.elem, (var(n) + more,))
    g.counts["Concat"] += 1
    joined = g.array(inside, body, longer, Concat(0, (a, tail.name)))
    new_n = g.scalar(inside, body, I64, Bin(BinOp.ADD, Var(n), Const(more, I64)))
    t = ArrayType(x.elem, (var(new_n.name),))
    grown = g.derived(inside, body, t, Reshape(t.shape, joined.name), joined)
    size = Variable(g.fresh("k"), I64, Range(start.lo, top))
    params = (
        LoopParam(Binder[None](n, I64, None), length),
        LoopParam(Binder[None](a, ArrayType(x.elem, (var(n),)), None), Var(init.name)),
    )
    result = _slot(g, ArrayType(x.elem, (var(size.name),)), [grown, init], scope)
    values = (Var(new_n.name), Var(grown.name))
    form = For(g.fresh("j"), bound)
    out.append(
        Stm(
            _emit(scope, [Slot(size, []), result]),
            Loop(params, form, Body(tuple(body), values)),
        )
    )
    return True


NESTED: Mapping[str, Producer] = MappingProxyType(
    {
        "Kernel": Producer(kernel, 2.0, nested=True),
        "Reduce": Producer(reduce, 1.5, nested=True),
        "Scan": Producer(scan, 1.2, nested=True),
        "Hist": Producer(hist, 1.2, nested=True),
        "If": Producer(if_, 1.8, nested=True),
        "Loop": Producer(loop, 1.8, nested=True),
        "While": Producer(while_, 0.8, nested=True),
    }
)
"""The expressions with bodies."""
