"""The types of Core expressions: Γ ⊢ e ⇒ τ for a well-typed e, which is not checked again.

    type_of(e, types of its free names, definitions)

Binders carry types, so the type of a chain of ``let`` is the type of its last expression in the
scope of all its binders; the cost is the length of that path.  A size that mentions a name which
``e`` binds itself is unknown outside.

An array operation may work on several arrays: ``map`` and ``scan`` return an array of records,
``reduce`` a record, ``hist`` a record of the destinations.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import map_type, resize, unsized
from funmem.ir.diagnostics import Stuck
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I8, I16, I32, I64, ScalarType, bin_result, un_result
from funmem.ir.sizes import Size, const

TAGS = (I8, I16, I32)
"""The types for the number of a constructor; the first that is wide enough is used."""

Types = Mapping[Name, Type]
Defs = Mapping[Name, Def]


class _Scope(Mapping[Name, Type]):
    """A table of types over an outer one."""

    __slots__ = ("_outer", "table")

    def __init__(self, outer: Types, binders: Iterable[c.Binder] = ()) -> None:
        self._outer = outer
        self.table = {b.name: b.type for b in binders}

    def __getitem__(self, name: Name) -> Type:
        found = self.table.get(name)
        return self._outer[name] if found is None else found

    def __iter__(self) -> Iterator[Name]:
        yield from self.table
        yield from self._outer

    def __len__(self) -> int:
        return len(self.table) + len(self._outer)


def type_of(e: Exp, types: Types, defs: Defs) -> Type:
    """Return the type of a well-typed expression.  Raise KeyError for a name out of scope."""
    scope = _Scope(types)
    while isinstance(e, c.Let | c.Assert):
        if isinstance(e, c.Let):
            for b in e.binders:
                scope.table[b.name] = b.type
        e = e.body
    if not scope.table:
        return _type(e, types, defs)
    return forget(_type(e, scope, defs), scope.table)


def tag_type(t: c.Sum) -> ScalarType:
    """Return the type for the number of a constructor, which counts from 0."""
    return next(u for u in TAGS if len(t.constructors) <= u.max + 1)


def forget(t: Type, names: Iterable[Name]) -> Type:
    """Return ``t`` as seen outside the scope of ``names``: sizes that mention them are unknown."""
    gone = frozenset(names)
    return resize(t, lambda d: None if d.free() & gone else d)


def portable(t: Type) -> Type:
    """Return ``t`` for use where no name is in scope: only constant sizes stay."""
    return resize(t, lambda d: d if d.as_const is not None else None)


def is_size(d: Def) -> bool:
    """True if sizes may name the definition: it is an i64 without type parameters."""
    return d.type is I64 and not d.tparams


DEEPEST, LARGEST = 100, 10_000
"""Upper bounds on the depth and the number of parts of a type.

A program that needs finitely many instances stays below them.
"""


def endless(types: Iterable[Type]) -> bool:
    """True if a type exceeds DEEPEST or LARGEST, as with polymorphic recursion without end."""
    todo, count = [(t, 1) for t in types], 0
    while todo:
        t, depth = todo.pop()
        count += 1
        if depth > DEEPEST or count > LARGEST:
            return True
        todo += [(u, depth + 1) for u in _inside(t)]
    return False


def _inside(t: Type) -> Sequence[Type]:
    """Return the types directly inside a type."""
    match t:
        case ScalarType() | c.TypeVar() | c.Token():
            return ()
        case c.Array(elem):
            return (elem,)
        case c.Record(fields):
            return [u for _, u in fields]
        case c.Sum(constructors):
            return [u for _, us in constructors for u in us]
        case c.Data(_, args):
            return args
        case c.Arrow(param, result):
            return (param, result)


def applied(t: Type, n: int) -> Type:
    """Return the type of a function of type ``t`` applied to n arguments."""
    for _ in range(n):
        if not isinstance(t, c.Arrow):
            raise Stuck(f"{t} is not a function type")
        t = t.result
    return t


def type_text(t: Type) -> str:
    """Return a type as messages show it: ``(i64, bool)``, ``{x: []f32}``, ``#some i64 | #none``."""
    match t:
        case c.Array(elem, size):
            return f"[{'' if size is None else size}]{type_text(elem)}"
        case c.Record(fields):
            if all(label == str(k) for k, (label, _) in enumerate(fields)):
                return f"({', '.join(type_text(u) for _, u in fields)})"
            return "{" + ", ".join(f"{label}: {type_text(u)}" for label, u in fields) + "}"
        case c.Sum(constructors):
            return " | ".join(
                " ".join([f"#{name}", *map(type_text, us)]) for name, us in constructors
            )
        case c.Arrow(param, result):
            return f"{type_text(param)} -> {type_text(result)}"
        case c.Data(name, args):
            return " ".join([name, *map(type_text, args)])
        case c.TypeVar(name):
            return name
        case c.Token():
            return "token"
        case ScalarType():
            return str(t)


def element_text(t: Type) -> str:
    """Return the text of the innermost element type of an array."""
    while isinstance(t, c.Array):
        t = t.elem
    return type_text(t)


def row(t: Type) -> Type:
    """Return the type of an array's elements."""
    if not isinstance(t, c.Array):
        raise Stuck(f"{t} is not an array type")
    return t.elem


def instance(d: Def, types: tuple[Type, ...]) -> Type:
    """Return the type of a definition at the given type arguments."""
    if not d.tparams:
        return d.type
    image = dict(zip(d.tparams, types, strict=True))

    def go(t: Type) -> Type:
        return image[t.name] if isinstance(t, c.TypeVar) and t.name in image else map_type(t, go)

    return go(d.type)


def _type(e: Exp, types: Types, defs: Defs) -> Type:
    def of(x: Exp) -> Type:
        return type_of(x, types, defs)

    match e:
        case c.Var(name):
            return types[name]
        case c.Global(name, targs):  # its parameters' sizes are names of the definition
            own = instance(defs[name], targs)
            return resize(own, lambda d: d if _stays(d, types, defs) else None)
        case c.Const(_, t) | c.Convert(t, _):
            return t
        case c.Lambda(params, body):
            result = type_of(body, _Scope(types, params), defs)
            return c.arrow([p.type for p in params], forget(result, [p.name for p in params]))
        case c.Mu(binder, _):
            return binder.type
        case c.App(fn, args):
            return applied(of(fn), len(args))
        case c.Foreign(_, _, t, _):
            return portable(t)
        case c.Let() | c.Assert():
            return of(e)
        case c.If(_, then, _):
            return unsized(of(then))  # the other branch may have different sizes
        case c.Match(_, arms, default):
            if not arms:
                return of(_some(default))
            return unsized(type_of(arms[0].body, _Scope(types, arms[0].binders), defs))
        case c.Loop(params, _, _, _):
            ts = [forget(p.type, [q.name for q in params]) for p in params]
            return ts[0] if len(ts) == 1 else c.tuple_type(*ts)
        case c.Fields(fields):
            return c.Record(tuple((label, of(x)) for label, x in fields))
        case c.Project(exp, label):
            return _record(of(exp)).field(label)
        case c.Construct(_, _, t):
            return t
        case c.Bin(op, a, _):
            return _scalar(bin_result(op, _scalar(of(a))))
        case c.Un(unop, a):
            return _scalar(un_result(unop, _scalar(of(a))))
        case c.Equal():
            return BOOL
        case c.ArrayOperation():
            return _array_type(c.array_exp(e), types, defs)


def _stays(d: Size, types: Types, defs: Defs) -> bool:
    """True if a size in a definition's type is known where the definition is mentioned: it names
    definitions only, and no local variable hides one of them.
    """
    return all(x in defs and is_size(defs[x]) and x not in types for x in d.free())


def _array_type(e: c.ArrayExp, types: Types, defs: Defs) -> Type:
    def of(x: Exp) -> Type:
        return type_of(x, types, defs)

    match e:
        case c.Length():
            return I64
        case c.Index(array, dims):
            return _sliced(of(array), dims)
        case c.FlatSlice(array, _, flat):
            t = row(of(array))
            for n, _ in reversed(flat):
                t = c.Array(t, _size(n))
            return t
        case c.Coerce(_, t):
            return t
        case c.ArrayLit(elems, elem):
            return c.Array(elem, const(len(elems)))
        case c.Iota(n, start, _):
            return c.Array(of(start), _size(n))
        case c.Replicate(n, value):
            return c.Array(of(value), _size(n))
        case c.Scratch(n, elem):
            return c.Array(elem, _size(n))
        case c.Copy(exp) | c.Reverse(exp) | c.Update(exp) | c.FlatUpdate(exp) | c.Scatter(exp):
            return of(exp)
        case c.Concat(arrays):
            return c.Array(row(of(arrays[0])))
        case c.Rearrange(perm, array):
            return _rearranged(of(array), perm)
        case c.Flatten(rank, array):
            t = of(array)
            for _ in range(rank):
                t = row(t)
            return c.Array(t)
        case c.Unflatten(sizes, array):
            t = row(of(array))
            for n in reversed(sizes):
                t = c.Array(t, _size(n))
            return t
        case c.Zip(named):
            first = of(named[0][1])
            size = first.size if isinstance(first, c.Array) else None
            return c.Array(c.Record(tuple((label, row(of(x))) for label, x in named)), size)
        case c.Unzip(array):
            t = of(array)
            size = t.size if isinstance(t, c.Array) else None
            return c.Record(tuple((name, c.Array(u, size)) for name, u in _record(row(t)).fields))
        case c.Map(fn, arrays):
            first = of(arrays[0])
            size = first.size if isinstance(first, c.Array) else None
            return c.Array(applied(of(fn), len(arrays)), size)
        case c.Reduce(_, _, arrays):
            rows = [row(of(x)) for x in arrays]
            return rows[0] if len(rows) == 1 else c.tuple_type(*rows)
        case c.Scan(_, _, arrays):
            first = of(arrays[0])
            if len(arrays) == 1:
                return first
            size = first.size if isinstance(first, c.Array) else None
            return c.Array(c.tuple_type(*(row(of(x)) for x in arrays)), size)
        case c.Hist(_, _, dest):
            ts = [of(x) for x in dest]
            return ts[0] if len(ts) == 1 else c.tuple_type(*ts)
        case c.Segmented(fn, _, total, op, _, each):
            size = _size(total) if op is None or each else None
            return c.Array(applied(of(fn), 2), size)
        case c.Filter(_, array):
            return c.Array(row(of(array)))


def _sliced(t: Type, dims: tuple[c.Dim, ...]) -> Type:
    if not dims:
        return t
    inner = _sliced(row(t), dims[1:])
    match dims[0]:
        case c.Fix():
            return inner
        case c.Range(None, None, None):
            return c.Array(inner, t.size if isinstance(t, c.Array) else None)
        case c.Range():
            return c.Array(inner)


def _rearranged(t: Type, perm: tuple[int, ...]) -> Type:
    sizes: list[Size | None] = []
    for _ in perm:
        sizes.append(t.size if isinstance(t, c.Array) else None)
        t = row(t)
    for k in reversed(perm):
        t = c.Array(t, sizes[k])
    return t


def _size(e: Exp) -> Size | None:
    """Return the size that a constant or a variable is; None for other expressions."""
    if isinstance(e, c.Const) and isinstance(e.value, int):
        return const(e.value)
    return Size((((e.name,), 1),)) if isinstance(e, c.Var) else None


def _record(t: Type) -> c.Record:
    if not isinstance(t, c.Record):
        raise Stuck(f"{t} is not a record type")
    return t


def _scalar(t: Type | None) -> ScalarType:
    if not isinstance(t, ScalarType):
        raise Stuck(f"{t} is not a scalar type")
    return t


def _some(e: Exp | None) -> Exp:
    if e is None:
        raise Stuck("a match without arms")
    return e
