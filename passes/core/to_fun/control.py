"""``if``, ``loop`` and ``assert``: their results include the sizes that are known only inside.

    if c then xs else ys  ->  let (k : i64) (zs : [k]t) = if c then … in (n, xs) else … in (m, ys)

A dimension with the same size in both branches, in scope outside, needs no result.  Dimensions
with the same pair of sizes share one result.

A loop's array parameter has the sizes of its initial value if the body's result has these sizes.
Otherwise the dimensions that differ become parameters of the loop, and the body is lowered again.
Dimensions that begin with the same size share a parameter, unless the body's results differ.

A parameter is unique (``*``) if the body consumes it.  Its initial value is copied if it may be
used elsewhere, and its next values must not alias other values.
"""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.core_types import forget
from funmem.ir.fun import (
    ArrayType,
    Assert,
    Atom,
    Binder,
    Body,
    Const,
    For,
    If,
    Loop,
    LoopParam,
    Type,
    Var,
    While,
)
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, I64, ScalarType
from funmem.ir.sizes import Size, var
from funmem.passes.core.to_fun.exact import BOUNDS
from funmem.passes.core.to_fun.state import Arr, Code, Dim, Scalar, Val, Vals, Work

# ---------------------------------------------------------------------- assert


def check(w: Work, cond: Scalar, message: str, values: Sequence[Atom]) -> None:
    """Lower ``assert c "…"``."""
    if cond.exp != Const(True, BOOL):
        w.emit((), Assert(w.atom(cond, "ok"), message, tuple(values)))


# ---------------------------------------------------------------------- if


def if_(w: Work, cond: Scalar, then: c.Exp, orelse: c.Exp, hint: str) -> Vals:
    """Lower ``if c then e else e``."""
    if isinstance(cond.exp, Const):
        return w.exp(then if cond.exp.value else orelse)
    c_atom, at = w.atom(cond, "c"), w.at
    before = set(w.consumed)
    with w.block() as yes:
        w.learn(c_atom)
        a = w.exp(then)
    by_then, w.consumed = w.consumed, set(before)
    with w.block() as no:
        w.at = at
        b = w.exp(orelse)
    w.consumed |= by_then
    w.at = at
    return choose(w, c_atom, (yes, a), (no, b), hint, before)


def choose(
    w: Work,
    cond: Atom,
    then: tuple[Code, Vals],
    orelse: tuple[Code, Vals],
    hint: str,
    before: set[Name],
) -> Vals:
    """Emit an ``if`` with two lowered bodies; ``before`` is what was consumed earlier."""
    (yes, xs), (no, ys) = then, orelse
    sizes: dict[tuple[Size, Size], Name] = {}
    pat: list[Binder[None]] = []
    out: list[Val] = []
    for x, y in zip(xs, ys, strict=True):
        if isinstance(x, Scalar):
            name = w.name(hint or "t")
            pat.append(Binder(name, x.type, None))
            out.append(Scalar(Var(name), x.type))
            continue
        assert isinstance(y, Arr)
        shape = tuple(_joined(w, pair, sizes) for pair in zip(x.shape, y.shape, strict=True))
        t = ArrayType(x.type.elem, shape)
        name = w.name(hint or x.name)
        pat.append(Binder(name, t, None))
        out.append(Arr(name, t))
    extra = tuple(Binder[None](k, I64, None) for k in sizes.values())
    bodies: list[Body[None]] = []
    for code, vals, side in ((yes, xs, 0), (no, ys, 1)):
        with w.into(code):
            ks = [w.size_atom(pair[side]) for pair in sizes]
            found = [w.returned(v, _named_dims(p, sizes)) for p, v in zip(pat, vals, strict=True)]
            bodies.append(w.body(code, (*ks, *map(w.atom, found))))
    w.emit((*extra, *pat), If(cond, *bodies))
    known = len(extra)
    _inherit(w, pat, bodies[0].result[known:], bodies[1].result[known:], before)
    return tuple(out)


def _named_dims(p: Binder[None], sizes: dict[tuple[Size, Size], Name]) -> list[int]:
    """Return the dimensions whose sizes are results of the ``if``."""
    shape = p.type.shape if isinstance(p.type, ArrayType) else ()
    names = set(sizes.values())
    return [k for k, d in enumerate(shape) if d.as_name in names]


def _joined(w: Work, pair: tuple[Size, Size], sizes: dict[tuple[Size, Size], Name]) -> Size:
    """Return a dimension of an ``if``'s result; if the branches differ, it is a new result."""
    a, b = pair
    if a == b and w.code.sees(a):
        return a
    if pair not in sizes:
        sizes[pair] = w.name("n")
        w.nonneg.add(sizes[pair])
    return var(sizes[pair])


def _inherit(
    w: Work,
    pat: Sequence[Binder[None]],
    then: Sequence[Atom],
    orelse: Sequence[Atom],
    before: set[Name],
) -> None:
    """Set the aliases of the results of an ``if``.

    An array that one branch consumed passes to the first result that may be made of it.
    """
    heirs: dict[Name, Name] = {}
    for p, a, b in zip(pat, then, orelse, strict=True):
        if not isinstance(p.type, ArrayType):
            continue
        aliases = {p.name}
        for r in sorted(w.of(a) | w.of(b)):
            taken = r in w.consumed and r not in before
            aliases.add(heirs.setdefault(r, p.name) if taken else r)
        w.alias(p.name, aliases)


# ---------------------------------------------------------------------- loop


OFTEN = 4
"""From so many times on a loop is lowered as it was before.

Each loop around it lowers it again, so a guess saves time that is exponential in their number.
The guess may have more parameters than are needed, so it is not made for what is nested less.
"""


@define
class _Attempt:
    """A loop, lowered on the assumption that certain dimensions vary.

    ``extra`` are the parameters that hold the varying sizes, one for each class of dimensions.
    """

    code: Code
    extra: list[Name]
    inits: list[Size]
    params: list[Binder[None]]
    index: Name | None = None
    cond: Name | None = None
    results: Vals = ()
    cond_after: Atom | None = None


def loop(w: Work, e: c.Loop, hint: str) -> Vals:
    """Lower ``loop p = e … form do body``."""
    at = w.at
    init = tuple(w.named(b.name, w.one(x)) for x, b in zip(e.init, e.params, strict=True))
    bound = w.size_of(e.form.bound, BOUNDS) if isinstance(e.form, c.For) else None
    first: Atom | None = None
    if isinstance(e.form, c.While):
        with_params(w, e, init)
        first = w.atom(w.scalar(e.form.cond), "go")
        if isinstance(first, Const) and not first.value:
            return init
    name = e.params[0].name  # names are unique
    before = w.lowered.get(name, ())
    classes = [set(d) for d in before[-1]] if len(before) >= OFTEN else []
    consumed, touched = set(w.consumed), w.touched
    while True:
        w.at, w.consumed, w.touched = at, set(consumed), set()
        attempt = _lower(w, e, init, bound, classes)
        wrong = _vary(w, e, init, attempt, classes)
        if wrong is None:
            break
        classes = wrong
    w.lowered[name] = (*before, tuple(map(frozenset, classes)))[-OFTEN:]
    used, w.touched = w.touched, touched | w.touched
    w.at = at
    return _finish(w, init, bound, first, classes, attempt, used, hint)


def with_params(w: Work, e: c.Loop, vals: Vals) -> None:
    """Bind the loop's parameters to these values."""
    for b, v in zip(e.params, vals, strict=True):
        w.bind(b.name, v)


def _lower(w: Work, e: c.Loop, init: Vals, bound: Size | None, classes: list[set[Dim]]) -> _Attempt:
    """Lower the loop's body, on the assumption that the dimensions of each class vary together."""
    with w.inside() as code:
        extra = [w.name("n") for _ in classes]
        w.nonneg.update(extra)
        for x in extra:
            code.ranges.note(var(x), (0, I64.max))
        inits: list[Size] = []
        for members in classes:
            d = min(members, key=lambda m: (m.j, m.k))
            v = init[d.j]
            assert isinstance(v, Arr)
            inits.append(v.shape[d.k])
        place = {d: var(x) for members, x in zip(classes, extra, strict=True) for d in members}
        attempt = _Attempt(code, extra, inits, [])
        for j, (b, v) in enumerate(zip(e.params, init, strict=True)):
            name = w.name(b.name)
            t: Type = v.type
            if isinstance(v, Arr):
                shape = tuple(place.get(Dim(j, k), s) for k, s in enumerate(v.shape))
                t = ArrayType(v.type.elem, shape)
                w.alias(name, (name,))
                w.bind(b.name, Arr(name, t))
            else:
                w.bind(b.name, Scalar(Var(name), v.type))
            attempt.params.append(Binder(name, t, None))
        if isinstance(e.form, c.For):
            attempt.index = w.name(e.form.index)
            assert bound is not None
            w.nonneg.add(attempt.index)
            w.counts(attempt.index, bound)
            w.below[attempt.index] = bound
            w.bind(e.form.index, Scalar(Var(attempt.index), I64))
        else:
            attempt.cond = w.name("go")
        attempt.results = w.exp(e.body)
        if isinstance(e.form, c.While):
            with_params(w, e, attempt.results)
            attempt.cond_after = w.atom(w.scalar(e.form.cond), "go")
    return attempt


def _vary(
    w: Work, e: c.Loop, init: Vals, a: _Attempt, classes: list[set[Dim]]
) -> list[set[Dim]] | None:
    """Return the classes of dimensions that vary, if there are more than was assumed; else None.

    A dimension whose size the loop's types state is checked to keep it, unless the size mentions
    the loop's own parameters.
    """
    of_class = {d: k for k, members in enumerate(classes) for d in members}
    found: dict[tuple[object, ...], set[Dim]] = {}
    results: list[Val] = []
    grew = False
    own = [b.name for b in e.params]
    for j, (b, p, r) in enumerate(zip(e.params, a.params, a.results, strict=True)):
        if isinstance(r, Scalar):
            results.append(r)
            continue
        assert isinstance(p.type, ArrayType)
        stated = _stated(w, forget(b.type, own), len(r.shape))
        keep = tuple(
            want if want == now or (said is not None and said == want) else now
            for want, now, said in zip(p.type.shape, r.shape, stated, strict=True)
        )
        if keep != r.shape:
            with w.into(a.code):
                r = w.fit(r, keep)
        results.append(r)
        v = init[j]
        assert isinstance(v, Arr)
        for k, (want, now) in enumerate(zip(p.type.shape, r.shape, strict=True)):
            d = Dim(j, k)
            if d in of_class:
                found.setdefault((of_class[d], v.shape[k], now), set()).add(d)
            elif want != now:
                grew = True
                found.setdefault((v.shape[k],), set()).add(d)
    a.results = tuple(results)
    if not grew and len(found) == len(classes):
        return None
    return sorted(found.values(), key=lambda m: min((d.j, d.k) for d in m))


def _stated(w: Work, t: c.Type, rank: int) -> list[Size | None]:
    """Return the sizes that a Core type states."""
    out: list[Size | None] = []
    for _ in range(rank):
        out.append(w.type_size(t.size) if isinstance(t, c.Array) else None)
        t = t.elem if isinstance(t, c.Array) else t
    return out


def _finish(
    w: Work,
    init: Vals,
    bound: Size | None,
    first: Atom | None,
    classes: list[set[Dim]],
    a: _Attempt,
    used: set[Name],
    hint: str,
) -> Vals:
    """Emit the loop; return its results."""
    names = [p.name for p in a.params]
    unique = w.consumed & set(names)
    w.consumed -= unique
    handed_on, nexts = _independent(w, a, unique)
    starts = _starts(w, init, names, unique, handed_on, used)
    with w.into(a.code):
        for j, v in enumerate(nexts):
            nexts[j] = w.returned(v, [d.k for m in classes for d in m if d.j == j])
        ks = _class_sizes(w, classes, nexts)
        after = (*ks, *(w.atom(v) for v in nexts))
        if a.cond_after is not None:
            after = (a.cond_after, *after)
        body = w.body(a.code, after)
    for j, v in enumerate(starts):
        starts[j] = w.returned(v, [d.k for m in classes for d in m if d.j == j])
    sizes = [w.size_atom(s) for s in a.inits]
    params = [
        *(LoopParam(Binder[None](x, I64, None), k) for x, k in zip(a.extra, sizes, strict=True)),
        *(LoopParam(p, w.atom(v), p.name in unique) for p, v in zip(a.params, starts, strict=True)),
    ]
    if a.cond is not None and first is not None:
        params.insert(0, LoopParam(Binder[None](a.cond, BOOL, None), first))
    form: For | While
    if a.index is not None and bound is not None:
        form = For(a.index, bound)
    else:
        assert a.cond is not None
        form = While(a.cond)
    image = {x: var(w.name(x)) for x in a.extra}
    w.nonneg.update(str_name(s) for s in image.values())
    pat = [Binder[None](w.name("go"), BOOL, None)] if a.cond is not None else []
    pat += [Binder[None](str_name(s), I64, None) for s in image.values()]
    out: list[Val] = []
    for p in a.params:
        name = w.name(hint if hint and len(a.params) == 1 else p.name)
        t = p.type
        if isinstance(t, ArrayType):
            t = ArrayType(t.elem, tuple(d.subst(image) for d in t.shape))
            out.append(Arr(name, t))
        else:
            assert isinstance(t, ScalarType)
            out.append(Scalar(Var(name), t))
        pat.append(Binder(name, t, None))
    flows = _flows(w, a, starts, nexts, unique)
    w.emit(pat, Loop(tuple(params), form, body))
    for p, v in zip(a.params, out, strict=True):
        if isinstance(v, Arr):
            w.alias(v.name, {v.name} | (set() if p.name in unique else flows[p.name]))
    return tuple(out)


def str_name(s: Size) -> Name:
    """Return the name of a size that is a name."""
    x = s.as_name
    assert x is not None
    return x


def _class_sizes(w: Work, classes: list[set[Dim]], nexts: Sequence[Val]) -> list[Atom]:
    """Return the next sizes of the classes of dimensions that vary."""
    out: list[Atom] = []
    for members in classes:
        d = min(members, key=lambda m: (m.j, m.k))
        v = nexts[d.j]
        assert isinstance(v, Arr)
        out.append(w.size_atom(v.shape[d.k]))
    return out


def _independent(w: Work, a: _Attempt, unique: set[Name]) -> tuple[set[Name], list[Val]]:
    """Return the next values with those of unique parameters copied where they alias other values.

    A parameter that becomes the next value of a unique one becomes unique as well.  The first
    result is the set of those parameters.
    """
    names = [p.name for p in a.params]
    nexts = list(a.results)
    handed_on: set[Name] = set()
    roots = [w.of(w.atom(v)) if isinstance(v, Arr) else frozenset[Name]() for v in nexts]
    changed = True
    while changed:
        changed = False
        for j, x in enumerate(names):
            if x not in unique or not roots[j]:
                continue
            shared = any(roots[j] & other for k, other in enumerate(roots) if k != j)
            foreign = any(w.depth[r] <= w.now for r in roots[j])
            others = {r for r in roots[j] if r in names and r != x and r not in unique}
            if shared or foreign:
                with w.into(a.code):
                    v = nexts[j]
                    assert isinstance(v, Arr)
                    w.now += 1
                    nexts[j] = w.copy(v)
                    w.now -= 1
                    roots[j] = w.of(w.atom(nexts[j]))
                changed = True
            elif others:
                unique |= others
                handed_on |= others
                changed = True
    return handed_on, nexts


def _starts(
    w: Work,
    init: Vals,
    names: Sequence[Name],
    unique: set[Name],
    handed_on: set[Name],
    used: set[Name],
) -> list[Val]:
    """Return the initial values; those of unique parameters are copied if they have aliases."""
    elsewhere = frozenset[Name]().union(*(w.roots.get(x, frozenset()) for x in used))
    starts = list(init)
    for j, (x, v) in enumerate(zip(names, init, strict=True)):
        if x not in unique or not isinstance(v, Arr):
            continue
        mine = w.roots[v.name]
        others = frozenset[Name]().union(
            *(w.roots[o.name] for k, o in enumerate(init) if k != j and isinstance(o, Arr))
        )
        if x in handed_on or mine & (others | elsewhere):
            starts[j] = w.copy(v)
        v = starts[j]
        assert isinstance(v, Arr)
        starts[j] = w.own(v)
    return starts


def _flows(
    w: Work, a: _Attempt, starts: Sequence[Val], nexts: Sequence[Val], unique: set[Name]
) -> dict[Name, set[Name]]:
    """Return, for each parameter that is not unique, the outer arrays that it may alias.

    This is computed as the checker computes it.
    """
    shared = {
        p.name: w.of(w.atom(s)) | w.of(w.atom(v))
        for p, s, v in zip(a.params, starts, nexts, strict=True)
        if p.name not in unique and isinstance(s, Arr)
    }
    out: dict[Name, set[Name]] = {}
    for x in shared:
        found: set[Name] = set()
        todo = {x}
        while todo:
            found |= todo
            todo = {r for y in todo for r in shared.get(y, frozenset())} - found
        out[x] = found - shared.keys()
    return out
