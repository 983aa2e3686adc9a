"""The type rules of FUN (paper 002, fig. 3, and their extensions): types and sizes.

    ⊢ def          T-FUNCTION
    ⊢ entry        T-PROG
    Γ ⊢ p … ← b    T-STM, T-RESULT
    Γ ⊢ s          T-IF, T-LOOP, T-KERNEL, …; expressions without a body are in arrays.py,
                   calls in calls.py

A FUNMEM program is checked by the same rules; homes are checked in mem.py.
"""

from collections.abc import Mapping, Sequence

from funmem.ir.check.arrays import repeated, simple
from funmem.ir.check.calls import call, effects, opaque
from funmem.ir.check.context import Gamma
from funmem.ir.check.rules import many, names, place, require
from funmem.ir.check.scalar import (
    array,
    atom,
    fresh,
    lengths,
    message,
    scalar,
    sizes,
    truth,
    well_formed,
)
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Call,
    Const,
    Convert,
    DerivedArray,
    Entry,
    For,
    FreshArray,
    Function,
    Hist,
    If,
    Index,
    InPlace,
    Kernel,
    Linkage,
    Loop,
    Map,
    MemType,
    Opaque,
    RaggedKernel,
    Reduce,
    Scalar,
    Scan,
    Stm,
    Type,
    Un,
    Var,
    While,
)
from funmem.ir.functions import binders_of
from funmem.ir.messages import MAX_VALUES
from funmem.ir.names import Name
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import Size, const, var
from funmem.ir.traverse import walk

# ---------------------------------------------------------------------- programs


def function(f: Function, earlier: Mapping[Name, Function]) -> tuple[Diagnostic, ...]:
    """⊢ def (T-FUNCTION): scalars from scalars; it may call ``earlier`` functions."""
    g = Gamma(functions=earlier)
    with g.report.on():
        require(f.name not in earlier, f.at, "T-FUNCTION", "there are two functions {}", f.name)
        for p in (*f.params, *f.results):
            require(
                isinstance(p.type, ScalarType),
                place(p, f.at),
                "T-FUNCTION",
                "{} has type {}; a function computes scalars from scalars",
                p.name,
                p.type,
                hint="write the computation on arrays in the entry point",
            )
        pattern(g, f.params, f.at)
        g.add(*f.params)
        pattern(g, f.results, f.at)
        for s in walk(f.body):
            require(
                isinstance(s.exp, Scalar | If | Loop | Assert),
                s.at,
                "T-FUNCTION",
                "a function has no arrays, blocks and kernels",
                hint="it has scalar expressions, if, loop, assert and calls",
            )
            require(
                not isinstance(s.exp, Call) or s.exp.linkage is Linkage.OWN,
                s.at,
                "T-FUNCTION",
                "a function calls no foreign function",
            )
        for p in binders_of(f):
            require(
                p.home is None,
                place(p, f.at),
                "T-FUNCTION",
                "{} lies {}; a function has no memory",
                p.name,
                p.home,
            )
        body(g, f.body, f.results)
    return tuple(g.report.errors)


def entry(e: Entry[Ann], functions: Mapping[Name, Function]) -> tuple[Diagnostic, ...]:
    """⊢ entry: the body, under the parameters, fits the results; return all errors."""
    g = Gamma(functions=functions)
    results = (*e.implicit_results, *e.results)
    with g.report.on():
        parameters = (*e.implicit, *(p.binder for p in e.params))
        border(e)
        pattern(g, parameters, e.at, recursive=True)
        g.add(*parameters)
        pattern(g, results, e.at, recursive=True)
        body(g, e.body, results)
    return tuple(g.report.errors)


def border(e: Entry[Ann]) -> None:
    """⊢ entry (T-PROG): the parameters and results at the border of an entry point."""
    for p in (*e.implicit, *e.implicit_results):
        require(
            p.type in (I64, MemType()),
            place(p, e.at),
            "T-PROG",
            "{} has type {}; only i64 sizes and device blocks are implicit",
            p.name,
            p.type,
        )
    for p in (*(p.binder for p in e.params), *e.results):
        require(
            not isinstance(p.type, MemType),
            place(p, e.at),
            "T-PROG",
            "{} has type {}; a parameter or result is a scalar or an array",
            p.name,
            p.type,
            hint="a block crosses the border with its array: write it in brackets",
        )
    types = [p.binder.type for p in e.params]
    carried = {d.as_name for t in types if isinstance(t, ArrayType) for d in t.shape}
    for p in e.implicit:
        require(
            p.type is not I64 or p.name in carried,
            place(p, e.at),
            "T-PROG",
            "no argument carries the size {}: it is not the size of a parameter's dimension",
            p.name,
            hint="make it a parameter of type i64",
        )


def pattern(g: Gamma, pat: Sequence[Binder[Ann]], at: Span, *, recursive: bool = False) -> None:
    """Γ ⊢ p …: names are fresh, types well-formed in Γ, or in Γ, p … (fig. 3, T-IF)."""
    for p in pat:
        fresh(g, p.name, place(p, at))
    scope = g.inner(*pat) if recursive else g
    for p in pat:
        well_formed(scope, p.type, place(p, at))


# ---------------------------------------------------------------------- bodies


def body(g: Gamma, b: Body[Ann], pat: Sequence[Binder[Ann]]) -> None:
    """Γ ⊢ p … ← b (T-STM): each statement in the scope of those before it, then the result."""
    inner = g.inner()
    for s in b.stms:
        with g.report.on(*s.pat):
            pattern(inner, s.pat, s.at, recursive=isinstance(s.exp, If | Loop))
            statement(inner, s)
        inner.add(*s.pat)
    with g.report.on(*pat):
        fits(inner, pat, b.result, b.at)


def fits(g: Gamma, pat: Sequence[Binder[Ann]], result: Sequence[Atom], at: Span) -> None:
    """Γ ⊢ p … ← in (a, …) (T-RESULT): S = {p ↦ a}, and each a has type S(τ)."""
    require(
        len(pat) == len(result),
        at,
        "T-RESULT",
        "{} for {} {}",
        many(len(result), "result"),
        many(len(pat), "binder"),
        names(pat),
    )
    s = substitution(pat, result)
    for p, a in zip(pat, result, strict=True):
        found, want = atom(g, a, at), substituted(p.type, s)
        require(
            found == want,
            at,
            "T-RESULT",
            "the result for {} has type {}, expected {}",
            p.name,
            found,
            want,
            hint="a size that only the body knows is returned along with the array"
            if isinstance(found, ArrayType)
            else "",
        )


def substitution(pat: Sequence[Binder[Ann]], result: Sequence[Atom]) -> dict[Name, Size]:
    """S = {p ↦ a}: what the i64 binders of a pattern stand for."""
    s: dict[Name, Size] = {}
    for p, a in zip(pat, result, strict=True):
        match a:
            case Var(x) if p.type is I64:
                s[p.name] = var(x)
            case Const(k) if p.type is I64:
                s[p.name] = const(int(k))
            case Var() | Const():
                pass
    return s


def substituted(t: Type, s: dict[Name, Size]) -> Type:
    """S(τ)."""
    if isinstance(t, ArrayType) and s:
        return ArrayType(t.elem, tuple(d.subst(s) for d in t.shape))
    return t


# ---------------------------------------------------------------------- statements


def statement(g: Gamma, s: Stm[Ann]) -> None:
    """Γ ⊢ let p … = e (fig. 3 and extensions)."""
    e = s.exp
    match e:
        case If(cond, then, orelse):  # T-IF
            truth(g, cond, s.at)
            body(g, then, s.pat)
            body(g, orelse, s.pat)
        case Loop():  # T-LOOP
            loop(g, s, e)
        case Kernel():  # T-KERNEL
            kernel(g, s, e)
        case RaggedKernel():  # T-ROWS
            ragged_kernel(g, s, e)
        case Assert(cond, text, values):  # T-ASSERT
            truth(g, cond, s.at)
            require(not s.pat, s.at, "T-ASSERT", "assert binds nothing, not {}", names(s.pat))
            message(text, len(values), s.at)
            require(
                len(values) <= MAX_VALUES,
                s.at,
                "T-ASSERT",
                "the message has {} values; at most {} are possible",
                len(values),
                MAX_VALUES,
            )
            for a in values:
                scalar(g, a, s.at)
        case Call():  # T-CALL
            call(g, s.pat, e, s.at)
        case Opaque():  # T-OPAQUE
            opaque(g, s.pat, e, s.at)
        case (Const() | Var() | Bin() | Un() | Convert()) | (
            Index() | DerivedArray() | FreshArray() | InPlace() | Alloc()
        ):  # T-LET
            require(
                len(s.pat) == 1,
                s.at,
                "T-LET",
                "the expression gives one value, the pattern {} binds {}",
                names(s.pat),
                len(s.pat),
            )
            simple(g, s.pat[0], e, s.at)


def loop(g: Gamma, s: Stm[Ann], e: Loop[Ann]) -> None:
    """Γ ⊢ let p … = loop (q = a) … do b (T-LOOP)."""
    params = tuple(q.binder for q in e.params)
    require(
        len(s.pat) == len(params),
        s.at,
        "T-LOOP",
        "the loop has {}, the pattern {} binds {}",
        many(len(params), "parameter"),
        names(s.pat),
        len(s.pat),
    )
    pattern(g, params, s.at, recursive=True)
    fits(g, params, tuple(q.init for q in e.params), s.at)
    inner = g.inner(*params)
    match e.form:
        case For(i, bound):
            sizes(g, (bound,), s.at)
            fresh(g, i, s.at)
            inner.types[i] = I64
        case While(c):
            require(c in names(params), s.at, "T-LOOP", "{} is not a parameter of the loop", c)
            truth(inner, Var(c), s.at)
    body(inner, e.body, params)
    same = substitution(params, tuple(Var(p.name) for p in s.pat))
    for p, q in zip(s.pat, params, strict=True):
        want = substituted(q.type, same)
        require(
            p.type == want,
            place(p, s.at),
            "T-LOOP",
            "{} is bound with type {}, the loop's parameter {} has type {}",
            p.name,
            p.type,
            q.name,
            want,
        )


# ---------------------------------------------------------------------- kernels


def kernel(g: Gamma, s: Stm[Ann], e: Kernel[Ann]) -> None:
    """Γ ⊢ let p … = kernel i < d, … collective do b (T-KERNEL): b computes the elements of p."""
    require(bool(e.dims), s.at, "T-KERNEL", "a kernel has at least one dimension")
    effects(e)
    shape = tuple(d.size for d in e.dims)
    lengths(g, shape, s.at)
    outer, inner = g.inner(), g.inner()
    for d in e.dims:
        fresh(g, d.index, s.at)
        inner.types[d.index] = I64
    outer.types.update((d.index, I64) for d in e.dims[:-1])

    bucket: tuple[Binder[Ann], ...] = ()
    k, over = 0, shape
    match e.collective:
        case Map():  # T-MAP
            pass
        case Reduce(_, ne):  # T-REDUCE
            k, over = len(ne), shape[:-1]
        case Scan(_, ne):  # T-SCAN
            k = len(ne)
        case Hist(_, _, ne):  # T-HIST
            k, over = len(ne), (*shape[:-1], buckets(g, s, e.collective, shape))
            bucket = (Binder(BUCKET, I64, None),)
    require(
        k <= len(s.pat),
        s.at,
        "T-KERNEL",
        "{} in the pattern {} for {}",
        many(len(s.pat), "binder"),
        names(s.pat),
        many(k, "neutral element"),
    )
    elements = iterated(s, k, over, shape)
    if not isinstance(e.collective, Map):
        operator(g, outer, e.collective, elements[:k], s.at)
    body(inner, e.body, (*bucket, *elements))


def ragged_kernel(g: Gamma, s: Stm[Ann], e: RaggedKernel[Ann]) -> None:
    """Γ ⊢ let p … = kernel i < n, k in offs : m collective do b (T-ROWS)."""
    n, m = e.row.size, e.total
    lengths(g, (n, m), s.at)
    found, want = array(g, e.offsets, s.at), ArrayType(I64, (n + 1,))
    effects(e)
    require(
        found == want,
        s.at,
        "T-ROWS",
        "the offsets {} of {} rows have type {}, expected {}",
        e.offsets,
        n,
        found,
        want,
    )
    outer, inner = g.inner(), g.inner()
    for i in (e.row.index, e.index):
        fresh(g, i, s.at)
        inner.types[i] = I64
    outer.types[e.row.index] = I64
    k = 0 if isinstance(e.collective, Map) else len(e.collective.ne)
    require(
        k <= len(s.pat),
        s.at,
        "T-ROWS",
        "{} in the pattern {} for {}",
        many(len(s.pat), "binder"),
        names(s.pat),
        many(k, "neutral element"),
    )
    elements = iterated(s, k, (n,) if isinstance(e.collective, Reduce) else (m,), (m,))
    if not isinstance(e.collective, Map):
        operator(g, outer, e.collective, elements[:k], s.at)
    body(inner, e.body, elements)


def iterated(
    s: Stm[Ann], k: int, over: tuple[Size, ...], shape: tuple[Size, ...]
) -> tuple[Binder[None], ...]:
    """Return p … as one iteration computes them: k of them have the shape ``over``, the others
    ``shape``.
    """
    return tuple(
        Binder(p.name, element(p, over if j < k else shape, s.at), None, place(p, s.at))
        for j, p in enumerate(s.pat)
    )


BUCKET = Name("the bucket")
"""Not an identifier, so no type mentions it."""


def element(p: Binder[Ann], shape: tuple[Size, ...], at: Span) -> Type:
    """τ, where the kernel's result is bound as p : [d]…[d]τ (T-ELEMENT)."""
    match p.type:
        case ArrayType(elem, _) if p.type.shape[: len(shape)] == shape:
            return repeated(p.type.shape[len(shape) :], elem)
        case _:
            require(
                not shape and not isinstance(p.type, MemType),
                place(p, at),
                "T-ELEMENT",
                "{} has type {}; the kernel's result has the type {}τ",
                p.name,
                p.type,
                "".join(f"[{d}]" for d in shape),
            )
            return p.type


def operator(
    g: Gamma,
    outer: Gamma,
    c: Reduce[Ann] | Scan[Ann] | Hist[Ann],
    elements: Sequence[Binder[Ann]],
    at: Span,
) -> None:
    """Γ, i … ⊢ λ : τ … τ … → τ … and Γ ⊢ ne : τ (T-OPERATOR); i … the outer indices."""
    require(
        len(c.op.params) == 2 * len(c.ne) > 0,
        at,
        "T-OPERATOR",
        "the operator has {} for {}; it needs two for each",
        many(len(c.op.params), "parameter"),
        many(len(c.ne), "neutral element"),
    )
    for q, p in zip(c.op.params, (*elements, *elements), strict=True):
        require(
            q.type == p.type,
            place(q, at),
            "T-OPERATOR",
            "the operator's parameter {} has type {}, the elements of {} have type {}",
            q.name,
            q.type,
            p.name,
            p.type,
        )
    for a, p in zip(c.ne, elements, strict=True):
        t = atom(g, a, at)
        require(
            t == p.type,
            at,
            "T-OPERATOR",
            "the neutral element for {} has type {}, expected {}",
            p.name,
            t,
            p.type,
        )
    pattern(outer, c.op.params, at)
    outer.add(*c.op.params)
    body(outer, c.op.body, elements)


def buckets(g: Gamma, s: Stm[Ann], c: Hist[Ann], shape: tuple[Size, ...]) -> Size:
    """w, where dest : [d_1]…[d_(q-1)][w]τ and the results have dest's types (T-HIST)."""
    require(
        len(c.dest) == len(c.ne) <= len(s.pat),
        s.at,
        "T-HIST",
        "{}, {}, {}: each destination needs one of each",
        many(len(c.dest), "destination"),
        many(len(c.ne), "neutral element"),
        many(len(s.pat), "binder"),
    )
    types = [array(g, x, s.at) for x in c.dest]
    for x, t, p in zip(c.dest, types, s.pat, strict=False):
        require(
            p.type == t,
            place(p, s.at),
            "T-HIST",
            "{} is bound with type {}, its destination {} has type {}",
            p.name,
            p.type,
            x,
            t,
        )
    outer = len(shape) - 1
    require(
        len(types) > 0 and types[0].rank > outer,
        s.at,
        "T-HIST",
        "the destination {} has no dimension for the buckets after {} outer dimensions",
        c.dest,
        outer,
    )
    return types[0].shape[outer]
