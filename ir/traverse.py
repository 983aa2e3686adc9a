"""The traversals of FUN and FUNMEM: map, fold, free names.

``map_exp`` rebuilds an expression from its parts with a :class:`Mapper`; ``sub_bodies`` returns the
bodies directly inside it.  Most other functions use these two.  Substitution and renaming are in
:mod:`funmem.ir.substitute`.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import is_
from typing import TypeVar

from attrs import field

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
    Collective,
    Concat,
    Const,
    Convert,
    Copy,
    DerivedArray,
    Entry,
    Exp,
    FlatSlice,
    For,
    FreshArray,
    Hist,
    Home,
    If,
    Index,
    InPlace,
    Iota,
    Kernel,
    KernelDim,
    Lambda,
    Loop,
    LoopParam,
    Map,
    Opaque,
    Param,
    Permute,
    Program,
    RaggedKernel,
    Reduce,
    Replicate,
    Reshape,
    Reverse,
    Scalar,
    ScalarExp,
    Scan,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Type,
    Un,
    Update,
    Var,
    While,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, Part, SliceDim
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size, const, var

A = TypeVar("A", bound=Home | None)

# ---------------------------------------------------------------------- map


def _same_name(x: Name) -> Name:
    return x


def _same_size(s: Size) -> Size:
    return s


def _same_atom(a: Atom) -> Atom:
    return a


def _same_body(b: Body[Ann]) -> Body[Ann]:
    return b


def _same_binder(b: Binder[Ann]) -> Binder[Ann]:
    return b


@frozen
class Mapper:
    """Functions for each kind of part of an expression.

    The kinds are names that are *used* (arrays, blocks), sizes, atoms, sub-bodies, and binders
    (with the bound name, its type and its home).
    """

    name: Callable[[Name], Name] = _same_name
    size: Callable[[Size], Size] = _same_size
    atom: Callable[[Atom], Atom] = _same_atom
    body: Callable[[Body[Ann]], Body[Ann]] = _same_body
    binder: Callable[[Binder[Ann]], Binder[Ann]] = _same_binder
    bound: Callable[[Name], Name] = field(default=_same_name)
    """Names bound without a binder: kernel and loop indices."""


def map_scalar(e: ScalarExp, f: Callable[[Atom], Atom]) -> ScalarExp:
    """Apply ``f`` to the leaves of a scalar expression."""
    match e:
        case Const() | Var():
            return f(e)
        case Bin(op, a, b):
            return Bin(op, map_scalar(a, f), map_scalar(b, f))
        case Un(op, a):
            return Un(op, map_scalar(a, f))
        case Convert(to, a):
            return Convert(to, map_scalar(a, f))


def map_lmad(ix: Lmad, f: Callable[[Size], Size]) -> Lmad:
    """Apply ``f`` to the offset, lengths and strides."""
    return ix.map_sizes(f)


def map_type(t: Type, f: Callable[[Size], Size]) -> Type:
    """Apply ``f`` to the sizes of a type."""
    match t:
        case ArrayType(elem, shape):
            return ArrayType(elem, tuple(f(d) for d in shape))
        case _:
            return t


def map_slice(dims: tuple[SliceDim, ...], f: Callable[[Size], Size]) -> tuple[SliceDim, ...]:
    """Apply ``f`` to the sizes of a slice."""
    return tuple(
        DimFix(f(d.at)) if isinstance(d, DimFix) else DimRange(f(d.start), f(d.len), f(d.stride))
        for d in dims
    )


def map_part(where: Part, f: Callable[[Size], Size]) -> Part:
    """Apply ``f`` to the sizes of a slice or flat slice."""
    return where.map_sizes(f) if isinstance(where, Lmad) else map_slice(where, f)


def map_lambda(op: Lambda[Ann], m: Mapper) -> Lambda[Ann]:
    """Apply ``m`` to an operator's parameters and body."""
    return Lambda(tuple(m.binder(p) for p in op.params), m.body(op.body))


def map_collective(c: Collective[Ann], m: Mapper) -> Collective[Ann]:
    """Apply ``m`` to a collective's operator, neutral elements and destinations."""
    match c:
        case Map():
            return c
        case Hist(dest, op, ne):
            return Hist(
                tuple(m.name(x) for x in dest), map_lambda(op, m), tuple(m.atom(a) for a in ne)
            )
        case Reduce() | Scan():
            return map_fold(c, m)


def map_fold(c: Map | Reduce[Ann] | Scan[Ann], m: Mapper) -> Map | Reduce[Ann] | Scan[Ann]:
    """Apply ``m`` to a collective without destinations."""
    match c:
        case Map():
            return c
        case Reduce(op, ne, comm):
            return Reduce(map_lambda(op, m), tuple(m.atom(a) for a in ne), comm)
        case Scan(op, ne):
            return Scan(map_lambda(op, m), tuple(m.atom(a) for a in ne))


def map_exp(e: Exp[Ann], m: Mapper) -> Exp[Ann]:
    """Return the expression with ``m`` applied to each of its parts."""
    match e:
        case Const() | Var() | Bin() | Un() | Convert():
            return map_scalar(e, m.atom)
        case Call(fn, args, partial, linkage):
            return Call(fn, tuple(m.atom(a) for a in args), partial, linkage)
        case Index(x, index):
            return Index(m.name(x), tuple(m.size(i) for i in index))
        case Slice(x, dims):
            return Slice(m.name(x), map_slice(dims, m.size))
        case Permute(perm, x):
            return Permute(perm, m.name(x))
        case Reshape(shape, x):
            return Reshape(tuple(m.size(d) for d in shape), m.name(x))
        case Reverse(dim, x):
            return Reverse(dim, m.name(x))
        case FlatSlice(x, offset, flat):
            lens = tuple(Dim(m.size(d.len), m.size(d.stride)) for d in flat)
            return FlatSlice(m.name(x), m.size(offset), lens)
        case Iota(n, start, stride):
            return Iota(m.size(n), m.atom(start), m.atom(stride))
        case Replicate(shape, value):
            return Replicate(tuple(m.size(d) for d in shape), m.atom(value))
        case ArrayLit(elems, elem, row_shape):
            return ArrayLit(
                tuple(m.atom(a) for a in elems), elem, tuple(m.size(d) for d in row_shape)
            )
        case Copy(x):
            return Copy(m.name(x))
        case Concat(dim, xs):
            return Concat(dim, tuple(m.name(x) for x in xs))
        case Scratch(shape, elem):
            return Scratch(tuple(m.size(d) for d in shape), elem)
        case Update(x, where, value):
            return Update(m.name(x), map_part(where, m.size), m.atom(value))
        case Scatter(x, indices, values):
            return Scatter(m.name(x), m.name(indices), m.name(values))
        case Kernel(kdims, collective, body):
            return Kernel(
                tuple(KernelDim(m.bound(d.index), m.size(d.size)) for d in kdims),
                map_collective(collective, m),
                m.body(body),
            )
        case RaggedKernel(row, index_name, offsets, total, ragged, body):
            return RaggedKernel(
                KernelDim(m.bound(row.index), m.size(row.size)),
                m.bound(index_name),
                m.name(offsets),
                m.size(total),
                map_fold(ragged, m),
                m.body(body),
            )
        case If(cond, then, orelse):
            return If(m.atom(cond), m.body(then), m.body(orelse))
        case Loop(params, form, body):
            return Loop(
                tuple(LoopParam(m.binder(p.binder), m.atom(p.init), p.unique) for p in params),
                For(m.bound(form.index), m.size(form.bound))
                if isinstance(form, For)
                else While(m.name(form.cond)),
                m.body(body),
            )
        case Opaque(fn, args, grid):
            return Opaque(fn, tuple(m.atom(a) for a in args), tuple(m.size(d) for d in grid))
        case Assert(cond, message, values):
            return Assert(m.atom(cond), message, tuple(m.atom(a) for a in values))
        case Alloc(size, space):
            return Alloc(m.size(size), space)


def map_binder(b: Binder[Ann], m: Mapper) -> Binder[Ann]:
    """Apply ``m`` to the name, the type's sizes and the home of a binder."""
    home = b.home and Home(m.name(b.home.block), map_lmad(b.home.ix, m.size))
    return Binder(m.bound(b.name), map_type(b.type, m.size), home, b.at)


def map_body(b: Body[Ann], m: Mapper) -> Body[Ann]:
    """Apply ``m`` to every statement and result of a body (to sub-bodies through ``m.body``)."""
    stms = tuple(Stm(tuple(m.binder(p) for p in s.pat), map_exp(s.exp, m), s.at) for s in b.stms)
    return Body(stms, tuple(m.atom(a) for a in b.result), b.at)


def map_sub_bodies(e: Exp[Ann], f: Callable[[Body[Ann]], Body[Ann]]) -> Exp[Ann]:
    """Apply ``f`` to every body directly inside an expression, including operators' bodies."""
    return with_bodies(e, map(f, sub_bodies(e)))


def with_bodies(e: Exp[Ann], bodies: Iterable[Body[Ann]]) -> Exp[Ann]:
    """Return the expression with these bodies, in the order of :func:`sub_bodies`.

    Return it unchanged if they are its own.
    """
    new = tuple(bodies)
    if all(map(is_, new, sub_bodies(e))):
        return e
    queue = iter(new)
    return map_exp(e, Mapper(body=lambda _: next(queue)))


def with_stms(b: Body[Ann], stms: Iterable[Stm[Ann]]) -> Body[Ann]:
    """Return the body with these statements; unchanged if they are its own."""
    stms = kept(b.stms, stms)
    return b if stms is b.stms else evolve(b, stms=stms)


def with_exp(s: Stm[Ann], e: Exp[Ann]) -> Stm[Ann]:
    """Return the statement with this expression; unchanged if it is its own."""
    return s if e is s.exp else evolve(s, exp=e)


def with_parts(s: Stm[Ann], pat: Iterable[Binder[Ann]], e: Exp[Ann]) -> Stm[Ann]:
    """Return the statement with this pattern and expression; unchanged if they are its own."""
    pat = kept(s.pat, pat)
    return s if pat is s.pat and e is s.exp else evolve(s, pat=pat, exp=e)


def with_home(b: Binder[Ann], home: Home | None) -> Binder[Ann]:
    """Return the binder with this home; unchanged if it has it already."""
    return b if home == b.home else evolve(b, home=home)


T = TypeVar("T")


def kept(old: tuple[T, ...], new: Iterable[T]) -> tuple[T, ...]:
    """Return the new elements; the old tuple itself if they are its own.

    So identity tells the next pass that a pass changed nothing.
    """
    elems = tuple(new)
    return old if len(elems) == len(old) and all(map(is_, elems, old)) else elems


def map_entries(p: Program[Ann], f: Callable[[Body[Ann]], Body[Ann]]) -> Program[Ann]:
    """Apply ``f`` to the body of every entry point."""
    return Program(tuple(evolve(e, body=f(e.body)) for e in p.entries), p.functions)


# ---------------------------------------------------------------------- parts and folds


def scalar_leaves(e: ScalarExp) -> Iterator[Atom]:
    """Yield the atoms of a scalar expression, from left to right."""
    match e:
        case Const() | Var():
            yield e
        case Bin(_, a, b):
            yield from scalar_leaves(a)
            yield from scalar_leaves(b)
        case Un(_, a) | Convert(_, a):
            yield from scalar_leaves(a)


NESTS = frozenset({Kernel, RaggedKernel, If, Loop})
"""The classes of expressions that contain bodies: a fast test, since most do not."""


def operators(e: Exp[Ann]) -> tuple[Lambda[Ann], ...]:
    """Return the operator of a kernel's collective, if it has one."""
    match e:
        case Kernel(_, Reduce(op) | Scan(op) | Hist(_, op), _):
            return (op,)
        case RaggedKernel(collective=Reduce(op) | Scan(op)):
            return (op,)
        case Kernel() | RaggedKernel() | If() | Loop() | Scalar() | Index():
            return ()
        case DerivedArray() | FreshArray() | InPlace() | Opaque() | Assert() | Alloc():
            return ()


def sub_bodies(e: Exp[Ann]) -> tuple[Body[Ann], ...]:
    """Return the bodies directly inside an expression, including those of operators."""
    if e.__class__ not in NESTS:
        return ()
    match e:
        case Kernel(body=body) | RaggedKernel(body=body):
            return (*(op.body for op in operators(e)), body)
        case If(_, then, orelse):
            return (then, orelse)
        case Loop(_, _, body):
            return (body,)
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert() | Alloc():
            return ()
        case Opaque():
            return ()


def inner_binders(e: Exp[Ann]) -> tuple[Binder[Ann], ...]:
    """Return the parameters that an expression binds itself: those of a loop or an operator."""
    if e.__class__ not in NESTS:
        return ()
    match e:
        case Loop(params):
            return tuple(p.binder for p in params)
        case _:
            return tuple(p for op in operators(e) for p in op.params)


def inner_indices(e: Exp[Ann]) -> tuple[Name, ...]:
    """Return the indices that an expression binds itself: those of a kernel or a loop."""
    if e.__class__ not in NESTS:
        return ()
    match e:
        case Kernel(dims):
            return tuple(d.index for d in dims)
        case RaggedKernel(row, element):
            return (row.index, element)
        case Loop(_, For(index)):
            return (index,)
        case Loop() | If() | Opaque():
            return ()
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert() | Alloc():
            return ()


def walk(b: Body[Ann]) -> Iterator[Stm[Ann]]:
    """Yield every statement at any depth, outer before inner, in textual order."""
    open_ = [iter(b.stms)]
    while open_:
        for s in open_[-1]:
            yield s
            if s.exp.__class__ in NESTS:
                open_.append(chain.from_iterable(inner.stms for inner in sub_bodies(s.exp)))
                break
        else:
            open_.pop()


def bound_in_body(b: Body[Ann]) -> frozenset[Name]:
    """Return every name bound in a body, at any depth; the body caches them."""
    if b.bound is None:
        object.__setattr__(b, "bound", bound_in_stms(b.stms))
    assert b.bound is not None
    return b.bound


def bound_in_stms(stms: Iterable[Stm[Ann]]) -> frozenset[Name]:
    """Return every name that statements bind, at any depth."""
    names: set[Name] = set()
    for s in stms:
        names.update(p.name for p in s.pat)
        inner = sub_bodies(s.exp)
        if inner:
            names.update(p.name for p in inner_binders(s.exp))
            names.update(inner_indices(s.exp))
            names.update(*map(bound_in_body, inner))
    return frozenset(names)


def bound_names(b: Body[Ann]) -> Iterator[Name]:
    """Yield every name bound in a body, at any depth, in textual order."""
    for s in walk(b):
        yield from (p.name for p in s.pat)
        yield from (p.name for p in inner_binders(s.exp))
        yield from inner_indices(s.exp)


def names_of(p: Program[Ann]) -> Iterator[Name]:
    """Yield every name bound in a program, which a :class:`Fresh` supply must avoid."""
    for f in p.functions:
        yield f.name
        yield from (b.name for b in (*f.params, *f.results))
        yield from bound_names(f.body)
    for e in p.entries:
        yield from (b.name for b in entry_binders(e))
        yield from bound_names(e.body)


def sizes_in(p: Program[Ann]) -> frozenset[Size]:
    """Return the sizes in a program: in types, homes, slices, kernels and blocks."""
    found: set[Size] = set()

    def size(d: Size) -> Size:
        found.add(d)
        return d

    own = Mapper(size=size)
    m = Mapper(size=size, binder=lambda b: map_binder(b, own))
    for e in p.entries:
        for b in entry_binders(e):
            m.binder(b)
        for s in walk(e.body):
            map_exp(s.exp, m)
            for b in s.pat:
                m.binder(b)
    return frozenset(found)


def entry_binders(e: Entry[Ann]) -> tuple[Binder[Ann], ...]:
    """Return implicit parameters, parameters, implicit results and results."""
    return (*e.implicit, *(p.binder for p in e.params), *e.implicit_results, *e.results)


def binder_uses(b: Binder[Ann]) -> frozenset[Name]:
    """Return the names that a binder's type and home mention; the binder caches them."""
    if b.uses is None:
        sizes = b.type.shape if isinstance(b.type, ArrayType) else ()
        used = frozenset[Name]().union(*(d.free() for d in sizes))
        if b.home is not None:
            used |= {b.home.block} | b.home.ix.free()
        object.__setattr__(b, "uses", used)
    assert b.uses is not None
    return b.uses


class _Uses:
    """Collects the names that an expression uses, except those bound inside it."""

    def __init__(self) -> None:
        self.names: set[Name] = set()

    def name(self, x: Name) -> Name:
        self.names.add(x)
        return x

    def size(self, s: Size) -> Size:
        self.names |= s.free()
        return s

    def atom(self, a: Atom) -> Atom:
        if isinstance(a, Var):
            self.names.add(a.name)
        return a

    def binder(self, b: Binder[Ann]) -> Binder[Ann]:
        self.names |= binder_uses(b)
        return b

    def body(self, b: Body[Ann]) -> Body[Ann]:
        self.names |= free_in_body(b)
        return b

    def mapper(self) -> Mapper:
        return Mapper(
            name=self.name, size=self.size, atom=self.atom, body=self.body, binder=self.binder
        )


def free_in_exp(e: Exp[Ann]) -> frozenset[Name]:
    """Return the names that an expression uses but does not bind, of any type."""
    if isinstance(e, Const | Var | Bin | Un | Convert):
        return frozenset([a.name for a in scalar_leaves(e) if isinstance(a, Var)])
    uses = _Uses()
    map_exp(e, uses.mapper())
    if e.__class__ not in NESTS:
        return frozenset(uses.names)
    return frozenset(uses.names - {b.name for b in inner_binders(e)} - set(inner_indices(e)))


def free_in_stm(s: Stm[Ann]) -> frozenset[Name]:
    """Return the names that a statement uses, also in types and homes of its pattern.

    The statement caches them.
    """
    if s.free_names is None:
        used = free_in_exp(s.exp).union(*(binder_uses(p) for p in s.pat))
        object.__setattr__(s, "free_names", used - {p.name for p in s.pat})
    assert s.free_names is not None
    return s.free_names


def free_in_body(b: Body[Ann]) -> frozenset[Name]:
    """Return the names that a body uses but does not bind; the body caches them."""
    if b.free_names is None:
        used = {a.name for a in b.result if isinstance(a, Var)}
        for s in reversed(b.stms):
            used -= {p.name for p in s.pat}
            used |= free_in_stm(s)
        object.__setattr__(b, "free_names", frozenset(used))
    assert b.free_names is not None
    return b.free_names


# ---------------------------------------------------------------------- atoms as sizes


def atom_size(a: Atom) -> Size:
    """Return an i64 atom as a size."""
    match a:
        case Const(value):
            return const(int(value))
        case Var(name):
            return var(name)


def size_atom(s: Size) -> Atom | None:
    """Return a size as an atom if it is a constant or a variable, else None."""
    if (k := s.as_const) is not None:
        return Const(k, ScalarType.I64)
    x = s.as_name
    return None if x is None else Var(x)


# ---------------------------------------------------------------------- programs


def program_fresh(p: Program[Ann]) -> Fresh:
    """Return a supply of names that the program does not use."""
    return Fresh(names_of(p))


def map_params(ps: tuple[Param[Ann], ...], m: Mapper) -> tuple[Param[Ann], ...]:
    """Apply ``m`` to the binders of entry parameters."""
    return tuple(Param(m.binder(p.binder), p.unique) for p in ps)
