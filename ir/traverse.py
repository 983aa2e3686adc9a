"""The traversals that serve all passes: map, fold, free names, substitution, renaming.

``map_exp`` rebuilds one expression from its parts with a :class:`Mapper`; ``parts`` lists an
expression's operands; everything else here is written with these two, so a new expression is
added in exactly two matches.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
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
    Param,
    Permute,
    Program,
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
    """What to do with each kind of part: names that are *used* (arrays, blocks), sizes, atoms,
    sub-bodies, and binders (which carry the bound name, its type and its home).
    """

    name: Callable[[Name], Name] = _same_name
    size: Callable[[Size], Size] = _same_size
    atom: Callable[[Atom], Atom] = _same_atom
    body: Callable[[Body[Ann]], Body[Ann]] = _same_body
    binder: Callable[[Binder[Ann]], Binder[Ann]] = _same_binder
    bound: Callable[[Name], Name] = field(default=_same_name)
    """Names bound without a binder: kernel and loop indices."""


def map_scalar(e: ScalarExp, f: Callable[[Atom], Atom]) -> ScalarExp:
    """``f`` at the leaves of a scalar expression."""
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
    """``f`` at the offset, lengths and strides."""
    return ix.map_sizes(f)


def map_type(t: Type, f: Callable[[Size], Size]) -> Type:
    """``f`` at the sizes of a type."""
    match t:
        case ArrayType(elem, shape):
            return ArrayType(elem, tuple(f(d) for d in shape))
        case _:
            return t


def map_slice(dims: tuple[SliceDim, ...], f: Callable[[Size], Size]) -> tuple[SliceDim, ...]:
    """``f`` at the sizes of a slice."""
    return tuple(
        DimFix(f(d.at)) if isinstance(d, DimFix) else DimRange(f(d.start), f(d.len), f(d.stride))
        for d in dims
    )


def map_part(where: Part, f: Callable[[Size], Size]) -> Part:
    """``f`` at the sizes of a slice, flat or not."""
    return where.map_sizes(f) if isinstance(where, Lmad) else map_slice(where, f)


def map_lambda(op: Lambda[Ann], m: Mapper) -> Lambda[Ann]:
    """``m`` at an operator's parameters and body."""
    return Lambda(tuple(m.binder(p) for p in op.params), m.body(op.body))


def map_collective(c: Collective[Ann], m: Mapper) -> Collective[Ann]:
    """``m`` at a collective's operator, neutral elements and destinations."""
    match c:
        case Map():
            return c
        case Reduce(op, ne, comm):
            return Reduce(map_lambda(op, m), tuple(m.atom(a) for a in ne), comm)
        case Scan(op, ne):
            return Scan(map_lambda(op, m), tuple(m.atom(a) for a in ne))
        case Hist(dest, op, ne):
            return Hist(
                tuple(m.name(x) for x in dest), map_lambda(op, m), tuple(m.atom(a) for a in ne)
            )


def map_exp(e: Exp[Ann], m: Mapper) -> Exp[Ann]:
    """The same expression with ``m`` applied to each of its parts."""
    match e:
        case Const() | Var() | Bin() | Un() | Convert():
            return map_scalar(e, m.atom)
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
        case Assert(cond, message, values):
            return Assert(m.atom(cond), message, tuple(m.atom(a) for a in values))
        case Alloc(size, space):
            return Alloc(m.size(size), space)


def map_binder(b: Binder[Ann], m: Mapper) -> Binder[Ann]:
    """``m`` at the name, the type's sizes and the home of a binder."""
    home = b.home and Home(m.name(b.home.block), map_lmad(b.home.ix, m.size))
    return Binder(m.bound(b.name), map_type(b.type, m.size), home, b.at)


def map_body(b: Body[Ann], m: Mapper) -> Body[Ann]:
    """``m`` at every statement and result of a body (sub-bodies through ``m.body``)."""
    stms = tuple(Stm(tuple(m.binder(p) for p in s.pat), map_exp(s.exp, m), s.at) for s in b.stms)
    return Body(stms, tuple(m.atom(a) for a in b.result), b.at)


def map_sub_bodies(e: Exp[Ann], f: Callable[[Body[Ann]], Body[Ann]]) -> Exp[Ann]:
    """``f`` at every body directly inside an expression, operators' bodies included."""
    return with_bodies(e, map(f, sub_bodies(e)))


def with_bodies(e: Exp[Ann], bodies: Iterable[Body[Ann]]) -> Exp[Ann]:
    """The expression with these bodies, in the order of :func:`sub_bodies`; itself, if they are
    its own.
    """
    new = tuple(bodies)
    if all(map(is_, new, sub_bodies(e))):
        return e
    queue = iter(new)
    return map_exp(e, Mapper(body=lambda _: next(queue)))


def with_stms(b: Body[Ann], stms: Iterable[Stm[Ann]]) -> Body[Ann]:
    """The body with these statements: itself, if they are its own."""
    stms = kept(b.stms, stms)
    return b if stms is b.stms else evolve(b, stms=stms)


def with_exp(s: Stm[Ann], e: Exp[Ann]) -> Stm[Ann]:
    """The statement with this expression: itself, if it is its own."""
    return s if e is s.exp else evolve(s, exp=e)


def with_parts(s: Stm[Ann], pat: Iterable[Binder[Ann]], e: Exp[Ann]) -> Stm[Ann]:
    """The statement with this pattern and this expression: itself, if they are its own."""
    pat = kept(s.pat, pat)
    return s if pat is s.pat and e is s.exp else evolve(s, pat=pat, exp=e)


def with_home(b: Binder[Ann], home: Home | None) -> Binder[Ann]:
    """The binder of the same array at this home: itself, if it is there."""
    return b if home == b.home else evolve(b, home=home)


T = TypeVar("T")


def kept(old: tuple[T, ...], new: Iterable[T]) -> tuple[T, ...]:
    """The new elements: the old tuple itself, if they are its own.

    A pass that keeps what it does not change lets the next one see that nothing has changed.
    """
    elems = tuple(new)
    return old if len(elems) == len(old) and all(map(is_, elems, old)) else elems


def map_entries(p: Program[Ann], f: Callable[[Body[Ann]], Body[Ann]]) -> Program[Ann]:
    """``f`` at the body of every entry point."""
    return Program(tuple(evolve(e, body=f(e.body)) for e in p.entries))


# ---------------------------------------------------------------------- parts and folds


def scalar_leaves(e: ScalarExp) -> Iterator[Atom]:
    """The atoms of a scalar expression, from left to right."""
    match e:
        case Const() | Var():
            yield e
        case Bin(_, a, b):
            yield from scalar_leaves(a)
            yield from scalar_leaves(b)
        case Un(_, a) | Convert(_, a):
            yield from scalar_leaves(a)


NESTS = frozenset({Kernel, If, Loop})
"""The expressions that have bodies inside.  Most statements have none, which this tells at once."""


def operators(e: Exp[Ann]) -> tuple[Lambda[Ann], ...]:
    """The operator of a kernel's collective, if it has one."""
    match e:
        case Kernel(_, Reduce(op) | Scan(op) | Hist(_, op), _):
            return (op,)
        case _:
            return ()


def sub_bodies(e: Exp[Ann]) -> tuple[Body[Ann], ...]:
    """The bodies directly inside an expression: branches, loop and kernel bodies, operators'."""
    if e.__class__ not in NESTS:
        return ()
    match e:
        case Kernel(_, _, body):
            return (*(op.body for op in operators(e)), body)
        case If(_, then, orelse):
            return (then, orelse)
        case Loop(_, _, body):
            return (body,)
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert() | Alloc():
            return ()


def inner_binders(e: Exp[Ann]) -> tuple[Binder[Ann], ...]:
    """The binders an expression introduces itself: loop parameters and operators' parameters."""
    if e.__class__ not in NESTS:
        return ()
    match e:
        case Loop(params):
            return tuple(p.binder for p in params)
        case _:
            return tuple(p for op in operators(e) for p in op.params)


def inner_indices(e: Exp[Ann]) -> tuple[Name, ...]:
    """The i64 names an expression introduces itself: kernel and loop indices."""
    if e.__class__ not in NESTS:
        return ()
    match e:
        case Kernel(dims):
            return tuple(d.index for d in dims)
        case Loop(_, For(index)):
            return (index,)
        case Loop() | If():
            return ()
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert() | Alloc():
            return ()


def walk(b: Body[Ann]) -> Iterator[Stm[Ann]]:
    """Every statement, outer before inner, in textual order."""
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
    """Every name bound in a body, at any depth; it remembers them, since it never changes."""
    if b.bound is None:
        object.__setattr__(b, "bound", bound_in_stms(b.stms))
    assert b.bound is not None
    return b.bound


def bound_in_stms(stms: Iterable[Stm[Ann]]) -> frozenset[Name]:
    """Every name that statements bind, at any depth."""
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
    """Every name bound in a body, at any depth, in textual order."""
    for s in walk(b):
        yield from (p.name for p in s.pat)
        yield from (p.name for p in inner_binders(s.exp))
        yield from inner_indices(s.exp)


def names_of(p: Program[Ann]) -> Iterator[Name]:
    """Every name bound in a program: what a :class:`Fresh` supply must avoid."""
    for e in p.entries:
        yield from (b.name for b in entry_binders(e))
        yield from bound_names(e.body)


def sizes_in(p: Program[Ann]) -> frozenset[Size]:
    """The sizes in a program: of types, homes, slices, kernels, blocks."""
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
    """Implicit parameters, parameters, implicit results, results."""
    return (*e.implicit, *(p.binder for p in e.params), *e.implicit_results, *e.results)


def binder_uses(b: Binder[Ann]) -> frozenset[Name]:
    """The names that a binder's type and home mention; it remembers them."""
    if b.uses is None:
        sizes = b.type.shape if isinstance(b.type, ArrayType) else ()
        used = frozenset[Name]().union(*(d.free() for d in sizes))
        if b.home is not None:
            used |= {b.home.block} | b.home.ix.free()
        object.__setattr__(b, "uses", used)
    assert b.uses is not None
    return b.uses


class _Uses:
    """Collects the names an expression uses, those bound inside it excepted."""

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
    """The names an expression uses and does not bind: arrays, blocks, scalars, sizes."""
    if isinstance(e, Const | Var | Bin | Un | Convert):
        return frozenset([a.name for a in scalar_leaves(e) if isinstance(a, Var)])
    uses = _Uses()
    map_exp(e, uses.mapper())
    if e.__class__ not in NESTS:
        return frozenset(uses.names)
    return frozenset(uses.names - {b.name for b in inner_binders(e)} - set(inner_indices(e)))


def free_in_stm(s: Stm[Ann]) -> frozenset[Name]:
    """The names a statement uses, its pattern's types and homes included; it remembers them,
    since it never changes.
    """
    if s.free_names is None:
        used = free_in_exp(s.exp).union(*(binder_uses(p) for p in s.pat))
        object.__setattr__(s, "free_names", used - {p.name for p in s.pat})
    assert s.free_names is not None
    return s.free_names


def free_in_body(b: Body[Ann]) -> frozenset[Name]:
    """The names a body uses and does not bind; it remembers them."""
    if b.free_names is None:
        used = {a.name for a in b.result if isinstance(a, Var)}
        for s in reversed(b.stms):
            used -= {p.name for p in s.pat}
            used |= free_in_stm(s)
        object.__setattr__(b, "free_names", frozenset(used))
    assert b.free_names is not None
    return b.free_names


# ---------------------------------------------------------------------- substitution

Image = Mapping[Name, Atom]
"""What each name is to be replaced by; a size variable's image is an i64 atom."""


def atom_size(a: Atom) -> Size:
    """An i64 atom as a size."""
    match a:
        case Const(value):
            return const(int(value))
        case Var(name):
            return var(name)


def size_atom(s: Size) -> Atom | None:
    """A size as an atom, if it is a constant or a variable."""
    if (k := s.as_const) is not None:
        return Const(k, ScalarType.I64)
    x = s.as_name
    return None if x is None else Var(x)


def substitution(image: Image, sizes: Mapping[Name, Size] | None = None) -> Mapper:
    """A mapper that replaces *uses* of names everywhere, types, homes and sub-bodies included.

    ``sizes`` gives polynomials for size variables that are no atoms; such a name must occur in
    sizes only.  No capture is possible: names are bound once.
    """
    in_sizes = {
        x: atom_size(a) for x, a in image.items() if isinstance(a, Var) or a.type is ScalarType.I64
    } | dict(sizes or {})

    def atom(a: Atom) -> Atom:
        return image.get(a.name, a) if isinstance(a, Var) else a

    def name(x: Name) -> Name:
        a = image.get(x)
        if isinstance(a, Const):
            raise TypeError(f"array or block {x} cannot become a constant")
        return x if a is None else a.name

    def size(s: Size) -> Size:
        return s.subst(in_sizes)

    def body(b: Body[Ann]) -> Body[Ann]:
        return map_body(b, m)

    def binder(b: Binder[Ann]) -> Binder[Ann]:
        return map_binder(b, m)

    m = Mapper(name=name, size=size, atom=atom, body=body, binder=binder)
    return m


def subst_body(b: Body[Ann], image: Image, sizes: Mapping[Name, Size] | None = None) -> Body[Ann]:
    """A body with uses of names replaced."""
    return map_body(b, substitution(image, sizes)) if image or sizes else b


def subst_stm(s: Stm[Ann], image: Image) -> Stm[Ann]:
    """A statement with uses of names replaced, in its pattern's types and homes as well."""
    if not image:
        return s
    m = substitution(image)
    return Stm(tuple(m.binder(p) for p in s.pat), map_exp(s.exp, m), s.at)


def rename(names: Mapping[Name, Name]) -> Mapper:
    """A mapper that renames, where names are bound as well as where they are used."""
    image = {x: Var(y) for x, y in names.items()}
    sub = substitution(image)

    def bound(x: Name) -> Name:
        return names.get(x, x)

    def body(b: Body[Ann]) -> Body[Ann]:
        return map_body(b, m)

    def binder(b: Binder[Ann]) -> Binder[Ann]:
        return map_binder(b, m)

    m = evolve(sub, body=body, binder=binder, bound=bound)
    return m


def freshen_body(b: Body[Ann], fresh: Fresh) -> Body[Ann]:
    """A copy of a body in which everything it binds has a new name."""
    return map_body(b, rename({x: fresh(x) for x in bound_names(b)}))


def freshen_lambda(op: Lambda[Ann], fresh: Fresh) -> Lambda[Ann]:
    """A copy of an operator in which its parameters and all it binds have new names."""
    names = {x: fresh(x) for x in (*(p.name for p in op.params), *bound_names(op.body))}
    return map_lambda(op, rename(names))


def program_fresh(p: Program[Ann]) -> Fresh:
    """A supply of names that the program does not use."""
    return Fresh(names_of(p))


def map_params(ps: tuple[Param[Ann], ...], m: Mapper) -> tuple[Param[Ann], ...]:
    """``m`` at the binders of entry parameters."""
    return tuple(Param(m.binder(p.binder), p.unique) for p in ps)
