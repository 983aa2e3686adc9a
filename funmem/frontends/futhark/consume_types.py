"""Types as the uniqueness checker sees them: the parts of a value that may share elements.

    s  ::=  scalar | u | {l: s, …} | #c s… | … | u (s -> s)

An array is one part, whatever its elements; ``u`` is information about it.  In a *declared* type
``u`` is True if the part is unique (``*``).  In the type of a value ``u`` is the *aliases* of the
part, the variables that it may share elements with.
"""

from collections.abc import Callable, Iterator
from typing import Generic, TypeAlias, TypeVar

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.typing import Typing
from funmem.frontends.inference import types
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType

U = TypeVar("U")
V = TypeVar("V")


@frozen
class Scalar:
    """A value that shares no elements."""


@frozen
class Part(Generic[U]):
    """An array, or a value of the type parameter ``var``."""

    u: U
    var: Name | None = None


@frozen
class RecordShape(Generic[U]):
    """``{l: s, …}``."""

    fields: "tuple[tuple[str, Shape[U]], ...]"


@frozen
class SumShape(Generic[U]):
    """``#c s… | …``."""

    constructors: "tuple[tuple[str, tuple[Shape[U], ...]], ...]"


@frozen
class Function(Generic[U]):
    """``s -> s``.  ``u`` is the information about the variables that the function captured.

    ``consumes``: it consumes its argument.  The result's parts are unique or may share elements
    with the arguments.  ``announced``: the result type if the function itself is an argument, where
    a local function has a unique result only if its return type states it.
    """

    u: U
    consumes: bool
    param: "Shape[bool]"
    result: "Shape[bool]"
    announced: "Shape[bool] | None" = None


Shape: TypeAlias = Scalar | Part[U] | RecordShape[U] | SumShape[U] | Function[U]
Aliases: TypeAlias = frozenset[Name]
Declared: TypeAlias = Shape[bool]
Value: TypeAlias = Shape[Aliases]

SCALAR = Scalar()
NOTHING: Aliases = frozenset()

# ---------------------------------------------------------------------- parts


def map_parts(f: Callable[[U], V], s: Shape[U]) -> Shape[V]:
    """Return ``s`` with ``f`` applied to the information of each part."""
    match s:
        case Scalar():
            return s
        case Part(u, var):
            return Part(f(u), var)
        case RecordShape(fields):
            return RecordShape(tuple([(label, map_parts(f, x)) for label, x in fields]))
        case SumShape(constructors):
            return SumShape(
                tuple([(c, tuple([map_parts(f, x) for x in xs])) for c, xs in constructors])
            )
        case Function(u, consumes, param, result, announced):
            return Function(f(u), consumes, param, result, announced)


def fill(u: V, s: Shape[U]) -> Shape[V]:
    """Return ``s`` with the information ``u`` for every part."""
    return map_parts(lambda _: u, s)


def parts(s: Shape[U], functions: bool = True) -> Iterator[U]:
    """Yield the information of each part of ``s``; with ``functions``, also of functions."""
    match s:
        case Scalar():
            pass
        case Part(u):
            yield u
        case RecordShape(fields):
            for _, x in fields:
                yield from parts(x, functions)
        case SumShape(constructors):
            for _, xs in constructors:
                for x in xs:
                    yield from parts(x, functions)
        case Function(u):
            if functions:
                yield u


def aliases(s: Value) -> Aliases:
    """Return the variables that a value may share elements with or has captured."""
    return NOTHING.union(*parts(s))


def consumed_whole(s: Declared) -> bool:
    """True if a parameter declared so is consumed; a tuple is if a component is."""
    return True in parts(s, functions=False)


def has_function(s: Shape[U]) -> bool:
    """True if ``s`` contains a function."""
    match s:
        case Scalar() | Part():
            return False
        case RecordShape(fields):
            return any(has_function(x) for _, x in fields)
        case SumShape(constructors):
            return any(has_function(x) for _, xs in constructors for x in xs)
        case Function():
            return True


def field(s: Shape[U], label: str) -> Shape[U]:
    """Return a field of a record, or ``s`` itself if it is not known to be a record."""
    if isinstance(s, RecordShape):
        return dict(s.fields)[label]
    return s


def with_field(s: Shape[U], labels: tuple[str, ...], value: Shape[U]) -> Shape[U]:
    """Return ``s`` with field ``.l.m`` replaced."""
    if not labels:
        return value
    if not isinstance(s, RecordShape):
        return s
    return RecordShape(
        tuple(
            [
                (label, with_field(x, labels[1:], value) if label == labels[0] else x)
                for label, x in s.fields
            ]
        )
    )


def join(a: Value, b: Value) -> Value:
    """Return a choice of two values, which may share elements with the aliases of both."""
    match a:
        case RecordShape(fields) if isinstance(b, RecordShape):
            pairs = zip(fields, b.fields, strict=True)
            return RecordShape(tuple([(label, join(x, y)) for (label, x), (_, y) in pairs]))
        case SumShape(constructors) if isinstance(b, SumShape):
            payloads = zip(constructors, b.constructors, strict=True)
            return SumShape(
                tuple(
                    [
                        (c, tuple([join(x, y) for x, y in zip(xs, ys, strict=True)]))
                        for (c, xs), (_, ys) in payloads
                    ]
                )
            )
        case Scalar() | Part() | RecordShape() | SumShape() | Function():
            more = aliases(b)
            return map_parts(lambda u: u | more, a)


# ---------------------------------------------------------------------- from types


def shape(t: types.Type) -> Declared:
    """Return a type with uniqueness only where its function types state it."""
    match t:
        case types.Array():
            return Part(False)
        case types.Rigid(name):
            return Part(False, name)
        case types.Record(fields):
            return RecordShape(tuple([(label, shape(x)) for label, x in fields]))
        case types.Sum(constructors):
            return SumShape(tuple([(c, tuple([shape(x) for x in xs])) for c, xs in constructors]))
        case types.Arrow(param, result):
            given = shape(result)
            return Function(False, t.consumes, shape(param), fill(t.fresh, given))
        case ScalarType() | types.Meta():
            return SCALAR
        case types.Opaque():
            raise AssertionError("the tables contain no hidden types")


def declared(typing: Typing, te: ast.TypeExp) -> Declared:
    """Return the type that a type expression denotes, with its ``*``.

    A ``*`` in the definition of an abbreviation counts only inside a function type.
    """
    match te:
        case ast.TEUnique(elem):
            return fill(True, declared(typing, elem))
        case ast.TEExists(_, elem):
            return declared(typing, elem)
        case ast.TETuple(elems):
            return RecordShape(tuple([(str(k), declared(typing, x)) for k, x in enumerate(elems)]))
        case ast.TERecord(fields):
            found = {label: declared(typing, x) for label, x in fields}
            order = typing.annotations[te]
            assert isinstance(order, types.Record)
            return RecordShape(tuple([(label, found[label]) for label, _ in order.fields]))
        case ast.TESum(constructors):
            return SumShape(
                tuple(
                    sorted((c, tuple([declared(typing, x) for x in xs])) for c, xs in constructors)
                )
            )
        case ast.TEArrow(_, param, result):
            given = declared(typing, param)
            return Function(False, consumed_whole(given), given, declared(typing, result))
        case ast.TEArray():
            return Part(False)
        case ast.TEName() | ast.TEApply():
            plain = shape(typing.annotations[te])
            return _abbreviated(typing, te, plain) if has_function(plain) else plain


def _abbreviated(typing: Typing, te: ast.TEName | ast.TEApply, plain: Declared) -> Declared:
    """Return ``plain`` with the uniqueness in the function types of the definition."""
    args: list[ast.TypeExp | ast.TESize] = []
    head: ast.TypeExp = te
    while isinstance(head, ast.TEApply):
        args.append(head.arg)
        head = head.fn
    dec = typing.abbreviations.get(head) if isinstance(head, ast.TEName) else None
    if dec is None or dec.type not in typing.annotations:
        return plain
    image: dict[Name, Declared] = {}
    for p, arg in zip(dec.tparams, reversed(args), strict=True):
        if not isinstance(arg, ast.TESize):
            image[typing.names[(p, p.name)]] = declared(typing, arg)
    return _in_functions(instance(declared(typing, dec.type), image))


def _in_functions(s: Declared) -> Declared:
    """Return ``s`` without the ``*`` outside of function types."""
    match s:
        case Part(_, var):
            return Part(False, var)
        case RecordShape(fields):
            return RecordShape(tuple([(label, _in_functions(x)) for label, x in fields]))
        case SumShape(constructors):
            return SumShape(tuple([(c, tuple(map(_in_functions, xs))) for c, xs in constructors]))
        case Scalar() | Function():
            return s


# ---------------------------------------------------------------------- type parameters


def instance(s: Shape[U], image: dict[Name, Declared]) -> Shape[U]:
    """Return ``s`` with its type parameters replaced."""
    match s:
        case Part(u, var):
            return fill(u, image[var]) if var is not None and var in image else s
        case Scalar():
            return s
        case RecordShape(fields):
            return RecordShape(tuple([(label, instance(x, image)) for label, x in fields]))
        case SumShape(constructors):
            return SumShape(
                tuple([(c, tuple([instance(x, image) for x in xs])) for c, xs in constructors])
            )
        case Function(u, consumes, param, result, announced):
            shown = None if announced is None else instance(announced, image)
            return Function(u, consumes, _argument(param, image), instance(result, image), shown)


def _argument(s: Declared, image: dict[Name, Declared]) -> Declared:
    """Return a parameter type with its type parameters replaced.

    ``a -> *a`` requires a function whose result is declared with ``*``, whatever the type a is.
    """
    if not isinstance(s, Function):
        return instance(s, image)
    given = _argument(s.result, image)
    match s.result:
        case Part(True, var) if var in image and isinstance(image[var], Scalar):
            given = Part(True)
        case _:
            pass
    return Function(s.u, s.consumes, instance(s.param, image), given, None)


def bound_by(param: Declared, found: Value, image: dict[Name, Declared]) -> None:
    """Record the types of type parameters for which a function is passed."""
    match param:
        case Part(_, var):
            if var is not None and has_function(found):
                image.setdefault(var, fill(False, found))
        case RecordShape(fields) if isinstance(found, RecordShape):
            for (_, x), (_, y) in zip(fields, found.fields, strict=True):
                bound_by(x, y, image)
        case Function() if isinstance(found, Function):
            bound_by(param.param, fill(NOTHING, found.param), image)
            bound_by(param.result, fill(NOTHING, found.result), image)
        case Scalar() | RecordShape() | SumShape() | Function():
            pass
