"""The type rules of FUNMEM (paper 002, fig. 8, and extensions): where arrays live.

    ⊢ entry             T-MEM-PROG, T-MEM-HOME
    Γ ⊢ p … ← b         T-MEM-STM, T-MEM-RESULT
    Γ ⊢ s               T-MEM-SLICE, …
    Γ ⊢ [d]…[d]t @ m -> L    T-MEM-ARRAY, T-MEM-LMAD

The rules apply to entry points that fun.py accepts, so types and sizes are not checked again.

A *derived* array lies in its source's block and has exactly the LMAD that the operation computes
from its source's; the result of a consuming expression lies where the consumed array lay; a *fresh*
array lies anywhere, if its LMAD has its shape.  Where a result leaves a body, all names in its home
are in scope outside or are returned along with it (its supporting information).  The type rules do
not ensure that homes do not interfere: the heap interpreter and the verifier check that.
"""

from collections.abc import Mapping, Sequence

from funmem.ir.arith import exp_size, expanded, is_i64, literal
from funmem.ir.check.context import Gamma
from funmem.ir.check.fun import substitution
from funmem.ir.check.rules import place, require
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Call,
    Concat,
    Const,
    Convert,
    Copy,
    Entry,
    FlatSlice,
    For,
    Hist,
    Home,
    If,
    Index,
    Iota,
    Kernel,
    Loop,
    Map,
    MemType,
    Opaque,
    Permute,
    RaggedKernel,
    Replicate,
    Reshape,
    Reverse,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Un,
    Update,
    Var,
)
from funmem.ir.lmad import row_major
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size
from funmem.ir.traverse import entry_binders, inner_binders, walk

# ---------------------------------------------------------------------- programs


def entry(e: Entry[Ann]) -> tuple[Diagnostic, ...]:
    """⊢ entry: return the errors in the homes of an entry point that fun.py accepts."""
    g = Gamma()
    results = (*e.implicit_results, *e.results)
    with g.report.on():
        housed(e)
        parameters = (*e.implicit, *(p.binder for p in e.params))
        border(e.implicit, tuple(p.binder for p in e.params), e.at)
        border(e.implicit_results, e.results, e.at)
        g.add(*parameters)
        body(g, e.body, results)
    return tuple(g.report.errors)


def housed(e: Entry[Ann]) -> None:
    """⊢ entry: arrays have a home, scalars and blocks have none (T-MEM-HOME)."""
    inside = ((s.at, (*s.pat, *inner_binders(s.exp))) for s in walk(e.body))
    for at, binders in ((e.at, entry_binders(e)), *inside):
        for p in binders:
            if isinstance(p.type, ArrayType):
                require(
                    p.home is not None,
                    place(p, at),
                    "T-MEM-HOME",
                    "{} : {} has no home, but the program mentions memory",
                    p.name,
                    p.type,
                    hint="write (x : t @ m -> L): block m, index function L",
                )
            else:
                require(
                    p.home is None,
                    place(p, at),
                    "T-MEM-HOME",
                    "{} : {} has a home; only arrays live in memory",
                    p.name,
                    p.type,
                )


def border(implicit: Sequence[Binder[Ann]], binders: Sequence[Binder[Ann]], at: Span) -> None:
    """⊢ entry (T-MEM-PROG): parameters and results are row-major in blocks of their own."""
    free = {p.name for p in implicit if isinstance(p.type, MemType)}
    for p in binders:
        if p.home is None or not isinstance(p.type, ArrayType):
            continue
        want = row_major(p.type.shape)
        require(
            p.home.ix == want,
            place(p, at),
            "T-MEM-PROG",
            "{} crosses the border of the entry point with index function {}, not row-major {}",
            p.name,
            p.home.ix,
            want,
        )
        require(
            p.home.block in free,
            place(p, at),
            "T-MEM-PROG",
            "{} crosses the border in {}, which is not an implicit block of its own",
            p.name,
            p.home.block,
            hint=f"bind [{p.home.block} : mem] along with it, for it alone",
        )
        free.remove(p.home.block)
    require(
        not free, at, "T-MEM-PROG", "no array lies in the implicit block {}", min(free, default="")
    )


# ---------------------------------------------------------------------- binders and bodies


def pattern(g: Gamma, pat: Sequence[Binder[Ann]], at: Span, *, recursive: bool = False) -> None:
    """Γ ⊢ p …, or Γ, p … ⊢ p … where homes may mention the pattern (fig. 8, T-MEM-IF)."""
    scope = g.inner(*pat) if recursive else g
    for p in pat:
        if p.home is not None and isinstance(p.type, ArrayType):
            array(scope, p.name, p.type, p.home, place(p, at))


def array(g: Gamma, x: Name, t: ArrayType, home: Home, at: Span) -> None:
    """Γ ⊢ [d]…[d]t @ m -> L (T-MEM-ARRAY)."""
    require(
        isinstance(g.types.get(home.block), MemType),
        at,
        "T-MEM-ARRAY",
        "{} needs a block in scope: {}",
        x,
        g.what(home.block),
        hint=g.help(home.block, lambda b: isinstance(b, MemType)),
    )
    lmad(g, x, t, home, at)


def lmad(g: Gamma, x: Name, t: ArrayType, home: Home, at: Span) -> None:
    """Γ ⊢ L : [d]…[d] (T-MEM-LMAD)."""
    require(
        home.ix.shape == t.shape,
        at,
        "T-MEM-LMAD",
        "{} has shape {}, its index function {} has shape {}",
        x,
        "".join(f"[{d}]" for d in t.shape),
        home.ix,
        "".join(f"[{d}]" for d in home.ix.shape),
    )
    wrong = g.not_i64((home.ix.offset, *home.ix.strides))
    require(
        wrong is None,
        at,
        "T-MEM-LMAD",
        "the index function {} of {} needs i64 variables in scope: {}",
        home.ix,
        x,
        g.what(wrong),
        hint=g.help_i64(wrong),
    )


def body(g: Gamma, b: Body[Ann], pat: Sequence[Binder[Ann]]) -> None:
    """Γ ⊢ p … ← b (T-MEM-STM): each statement in the scope of those before it, then the result."""
    inner = g.inner()
    stms(inner, b)
    with g.report.on(*pat):
        fits(inner, pat, b.result, b.at)


def stms(g: Gamma, b: Body[Ann]) -> None:
    """Check the statements of a body and add their binders to Γ."""
    for s in b.stms:
        with g.report.on(*s.pat):
            pattern(g, s.pat, s.at, recursive=isinstance(s.exp, If | Loop))
            statement(g, s)
        g.add(*s.pat)


def fits(g: Gamma, pat: Sequence[Binder[Ann]], result: Sequence[Atom], at: Span) -> None:
    """Γ ⊢ p … ← in (a, …) (T-MEM-RESULT): S = {p ↦ a}, and each array lies at S(its home)."""
    sizes = substitution(pat, result)
    blocks = {
        p.name: a.name
        for p, a in zip(pat, result, strict=True)
        if isinstance(p.type, MemType) and isinstance(a, Var)
    }
    for p, a in zip(pat, result, strict=True):
        if p.home is not None and isinstance(a, Var):
            found, want = g.homes[a.name], moved(p.home, blocks, sizes)
            require(
                lies_at(found, want, g),
                at,
                "T-MEM-RESULT",
                "the result {} for {} lies {}, expected {}",
                a.name,
                p.name,
                found,
                want,
                hint="block, offset and strides are in scope outside or returned along with it",
            )


def moved(home: Home, blocks: Mapping[Name, Name], sizes: Mapping[Name, Size]) -> Home:
    """S(@ m -> L)."""
    return Home(blocks.get(home.block, home.block), home.ix.subst(sizes))


def lies_at(found: Home, want: Home, g: Gamma) -> bool:
    """True if two homes are equal once names in offset and strides are replaced by the polynomials
    that ``let`` binds them to (errata 23).

    A name is replaced once or completely, since a sum that is multiplied out may be too long.  Such
    polynomials are equal to the names modulo 2^64.  That determines an i64, but not a polynomial,
    which may be far outside of the block.
    """
    if (found.block, found.ix.shape) != (want.block, want.ix.shape):
        return False
    offsets = (found.ix.offset, want.ix.offset)
    strides = ((d.stride, q.stride) for d, q in zip(found.ix.dims, want.ix.dims, strict=True))
    return all(is_at(p, q, g) for p, q in (offsets, *strides))


def is_at(p: Size, q: Size, g: Gamma) -> bool:
    """True if ``q`` equals the offset or stride ``p`` of an array."""
    if p == q:
        return True
    return is_i64(q) and (p == bound(q, g) or seen(p, g) == seen(q, g))


def bound(q: Size, g: Gamma) -> Size | None:
    """Return the polynomial that ``let`` binds to a name, or None."""
    x = q.as_name
    return literal(g.lets[x]) if x in g.lets else None


def seen(p: Size, g: Gamma) -> Size:
    """Return a size with names replaced by the polynomials that they are bound to."""
    return expanded(p, g.known)


# ---------------------------------------------------------------------- statements


def statement(g: Gamma, s: Stm[Ann]) -> None:
    """Γ ⊢ s (fig. 8 and extensions): homes only."""
    e, at = s.exp, s.at
    match e:
        case Slice(x, dims):  # T-MEM-SLICE
            src = g.homes[x]
            want = Home(src.block, src.ix.slice_f(dims))
            require(s.pat[0].home == want, at, "T-MEM-SLICE", DERIVED, *_homes(s, want))
        case Permute(perm, x):  # T-MEM-PERMUTE (T-MEM-TRANSPOSE)
            src = g.homes[x]
            want = Home(src.block, src.ix.permute(perm))
            require(s.pat[0].home == want, at, "T-MEM-PERMUTE", DERIVED, *_homes(s, want))
        case Reshape(shape, x):  # T-MEM-RESHAPE
            src = g.homes[x]
            ix = src.ix.reshape(shape)
            require(
                ix is not None,
                at,
                "T-MEM-RESHAPE",
                "{} lies {}, which no LMAD describes under the shape {}",
                x,
                src,
                shape,
                hint="copy the array first",
            )
            assert ix is not None
            want = Home(src.block, ix)
            require(s.pat[0].home == want, at, "T-MEM-RESHAPE", DERIVED, *_homes(s, want))
        case Reverse(k, x):  # T-MEM-REVERSE
            src = g.homes[x]
            want = Home(src.block, src.ix.reverse(k))
            require(s.pat[0].home == want, at, "T-MEM-REVERSE", DERIVED, *_homes(s, want))
        case FlatSlice(x, offset, lens):  # T-MEM-FLAT
            src = g.homes[x]
            want = Home(src.block, src.ix.flat_slice(offset, lens))
            require(s.pat[0].home == want, at, "T-MEM-FLAT", DERIVED, *_homes(s, want))
        case Update(x=x):  # T-MEM-UPDATE
            want = g.homes[x]
            require(s.pat[0].home == want, at, "T-MEM-UPDATE", IN_PLACE, *_homes(s, want))
        case Scatter(x=x):  # T-MEM-SCATTER
            want = g.homes[x]
            require(s.pat[0].home == want, at, "T-MEM-SCATTER", IN_PLACE, *_homes(s, want))
        case If():  # T-MEM-IF
            body(g, e.then, s.pat)
            body(g, e.orelse, s.pat)
        case Loop():  # T-MEM-LOOP
            loop(g, s, e)
        case Kernel():  # T-MEM-KERNEL
            kernel(g, s, e)
        case Iota() | Replicate() | ArrayLit() | Copy() | Concat() | Scratch():  # T-MEM-FRESH
            pass
        case Opaque():  # T-MEM-OPAQUE
            opaque(g, s, e)
        case Const() | Var() | Bin() | Un() | Convert():  # T-MEM-SCALAR
            if s.pat[0].type is I64:
                g.lets[s.pat[0].name] = e
                if (d := exp_size(e, g.known)) is not None:
                    g.known[s.pat[0].name] = d
        case Index() | Call() | Assert() | Alloc():  # T-MEM-INDEX, T-MEM-ALLOC
            pass
        case RaggedKernel():
            raise unscheduled()


def opaque(g: Gamma, s: Stm[Ann], e: Opaque) -> None:
    """Arguments and results lie row-major at the beginning of their blocks; the block of a result
    is that of no other array of the statement (T-MEM-OPAQUE).
    """
    blocks: set[Name] = set()
    given = [a.name for a in e.args if isinstance(a, Var) and a.name in g.homes]
    for x in given:
        t, home = g.types[x], g.homes[x]
        assert isinstance(t, ArrayType)
        whole = home.ix == row_major(t.shape)
        text = "{} lies {}; foreign code takes whole blocks"
        require(whole, s.at, "T-MEM-OPAQUE", text, x, home, hint="copy the array first")
        blocks.add(home.block)
    for p in s.pat:
        assert isinstance(p.type, ArrayType)
        assert p.home is not None
        whole = p.home.ix == row_major(p.type.shape)
        text = "{} is bound {}; foreign code fills whole blocks"
        require(whole, place(p, s.at), "T-MEM-OPAQUE", text, p.name, p.home)
        own = p.home.block not in blocks
        text = "{} is bound {}, where another array of the statement lies"
        require(own, place(p, s.at), "T-MEM-OPAQUE", text, p.name, p.home)
        blocks.add(p.home.block)


DERIVED = "{} is bound {}, the derived array lies {}"
IN_PLACE = "{} is bound {}, but the array is updated where it lies, {}"


def _homes(s: Stm[Ann], want: Home) -> tuple[object, object, object]:
    return s.pat[0].name, s.pat[0].home, want


def loop(g: Gamma, s: Stm[Ann], e: Loop[Ann]) -> None:
    """Γ ⊢ let p … = loop (q = a) … do b (T-MEM-LOOP): p … lie where q … do, renamed."""
    params = tuple(q.binder for q in e.params)
    pattern(g, params, s.at, recursive=True)
    fits(g, params, tuple(q.init for q in e.params), s.at)
    inner = g.inner(*params)
    if isinstance(e.form, For):
        inner.types[e.form.index] = I64
    body(inner, e.body, params)
    results = tuple(Var(p.name) for p in s.pat)
    sizes = substitution(params, results)
    blocks = {q.name: p.name for p, q in zip(s.pat, params, strict=True)}
    for p, q in zip(s.pat, params, strict=True):
        if q.home is not None:
            want = moved(q.home, blocks, sizes)
            require(
                p.home == want,
                place(p, s.at),
                "T-MEM-LOOP",
                "{} is bound {}, the loop's parameter {} lies {}",
                p.name,
                p.home,
                q.name,
                want,
            )


def kernel(g: Gamma, s: Stm[Ann], e: Kernel[Ann]) -> None:
    """Γ ⊢ let p … = kernel i < d, … collective do b (T-MEM-KERNEL).

    The home of a result is free (its elements are copied there: errata 10), except for hist.
    """
    outer, inner = g.inner(), g.inner()
    outer.types.update((d.index, I64) for d in e.dims[:-1])
    inner.types.update((d.index, I64) for d in e.dims)
    c = e.collective
    if isinstance(c, Hist):
        for p, x in zip(s.pat, c.dest, strict=False):
            require(
                p.home == g.homes[x],
                place(p, s.at),
                "T-MEM-HIST",
                "{} is bound {}, but its destination {} is updated where it lies, {}",
                p.name,
                p.home,
                x,
                g.homes[x],
            )
    if not isinstance(c, Map):
        pattern(outer, c.op.params, s.at)
        outer.add(*c.op.params)
        stms(outer, c.op.body)
    stms(inner, e.body)
