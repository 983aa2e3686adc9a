"""Evaluator of NOVA's syntax trees: the judge of elaboration.

Only the reader, inference (for the types of constants and instances) and the table of scalar
operators are shared with the compiler.  Values are numbers with their types, Python's tuples and
lists, constructors, and functions of one argument.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

from attrs import frozen

from funmem.frontends.inference.types import Array, Arrow, Meta, Opaque, Record, Type, nearest
from funmem.frontends.nova import ast
from funmem.frontends.nova.infer import infer
from funmem.frontends.nova.parser import parse
from funmem.frontends.nova.typing import (
    BuiltInUse,
    ConstructorUse,
    ForeignUse,
    Key,
    LocalUse,
    SpecialUse,
    Typing,
)
from funmem.ir.depth import deep
from funmem.ir.scalars import (
    BOOL,
    F64,
    I32,
    BinOp,
    OperatorTrap,
    ScalarType,
    UnOp,
    convert,
    eval_bin,
    eval_un,
)
from funmem.ir.scalars import Value as Plain


class NovaTrap(Exception):
    """The program has no value."""


@frozen
class Number:
    """A scalar."""

    value: Plain
    type: ScalarType


@frozen
class Made:
    """A constructor with what it holds."""

    constructor: str
    payload: "Value"


Function: TypeAlias = "Callable[[Value], Value]"
Value: TypeAlias = "Number | Made | tuple[Value, ...] | list[Value] | Function"
Image: TypeAlias = Mapping[int, Type]


@frozen(eq=False)
class Later:
    """A polymorphic definition, evaluated at each use for the types of that use."""

    exp: ast.Exp
    quantified: tuple[int, ...]
    env: "Env"
    image: Image


Env: TypeAlias = "Mapping[Key, Value | Later]"


def run(text: str, args: Sequence[Value]) -> Value:
    """The value of a program.  Raises NovaTrap, and SourceError for a wrong one."""
    with deep():
        typing = infer(parse(text, "oracle.nova"))
        env = dict(zip(typing.program.inputs, args, strict=True))
        return _Evaluator(typing).eval(typing.program.body, env, {})


def value_of(x: object) -> Value:
    """A Python value as one of NOVA: int, float as double, bool, tuple, list."""
    match x:
        case bool():
            return Number(x, BOOL)
        case int():
            return int_(x)
        case float():
            return Number(x, F64)
        case tuple():
            return tuple(map(value_of, x))
        case list():
            return list(map(value_of, x))
        case _:
            raise TypeError(f"{x!r} is no value")


def curried(n: int, f: "Callable[..., Value]", *given: Value) -> Value:
    """A function of n arguments, one after the other."""
    if n == 0:
        return f(*given)
    return lambda x: curried(n - 1, f, *given, x)


def apply(f: Value, *args: Value) -> Value:
    """An application."""
    for x in args:
        assert callable(f)
        f = f(x)
    return f


class _Evaluator:
    def __init__(self, typing: Typing) -> None:
        self.typing = typing

    def type(self, t: Type, image: Image) -> Type:
        t = self.typing.solver.resolve(t)
        return image[t.id] if isinstance(t, Meta) else t

    def closed(self, t: Type, image: Image) -> Type:
        """A type without quantified variables."""
        match self.type(t, image):
            case Array(elem):
                return Array(self.closed(elem, image))
            case Record(fields):
                return Record(tuple((x, self.closed(u, image)) for x, u in fields))
            case Arrow(param, result):
                return Arrow(self.closed(param, image), self.closed(result, image))
            case Opaque(hidden, args):
                return Opaque(hidden, tuple(self.closed(a, image) for a in args))
            case other:
                return other

    def eval(self, e: ast.Exp, env: Env, image: Image) -> Value:
        match e:
            case ast.Var():
                return self.variable(e, env, image)
            case ast.Number(text):
                t = self.type(self.typing.types[e], image)
                assert isinstance(t, ScalarType)
                text = text.removesuffix("L")
                return Number(nearest(float(text), t) if t.is_float else int(text), t)
            case ast.Bool(value):
                return Number(value, BOOL)
            case ast.Nil():
                return ()
            case ast.App(ast.Var(name) as fn, (a, b)) if name in ("and", "or") and isinstance(
                self.typing.uses[fn], BuiltInUse
            ):
                left = self.eval(a, env, image)
                assert isinstance(left, Number)
                return left if left.value is (name == "or") else self.eval(b, env, image)
            case ast.App(fn, args):
                f = self.eval(fn, env, image)
                return apply(f, *[self.eval(x, env, image) for x in args])
            case ast.TupleExp(elems):
                return tuple(self.eval(x, env, image) for x in elems)
            case ast.Project(exp, index):
                whole = self.eval(exp, env, image)
                assert isinstance(whole, tuple)
                return whole[index]
            case ast.Element(vector, index):
                found = self.eval(vector, env, image)
                i = self.eval(index, env, image)
                for k in i if isinstance(i, tuple) else (i,):
                    found = element(found, k)
                return found
            case ast.If(cond, then, orelse):
                test = self.eval(cond, env, image)
                assert isinstance(test, Number)
                return self.eval(then if test.value else orelse, env, image)
            case ast.Case(exp, arms):
                made = self.eval(exp, env, image)
                assert isinstance(made, Made)
                (arm,) = (a for a in arms if a.constructor == made.constructor)
                return self.eval(arm.body, {**env, arm: made.payload}, image)
            case ast.Let(definitions, body):
                for d in definitions:
                    quantified = self.typing.generic.get(d)
                    if quantified is not None:
                        env = {**env, d: Later(d.exp, quantified, env, image)}
                    else:
                        env = {**env, d: self.eval(d.exp, env, image)}
                return self.eval(body, env, image)
            case ast.Lambda(params, _, body):

                def call(*xs: Value) -> Value:
                    return self.eval(body, {**env, **dict(zip(params, xs, strict=True))}, image)

                return curried(len(params), call)
            case ast.Mu(binder, fn):

                def again(x: Value) -> Value:
                    return apply(self.eval(fn, {**env, binder: again}, image), x)

                return again

    def variable(self, e: ast.Var, env: Env, image: Image) -> Value:
        match self.typing.uses[e]:
            case LocalUse(key, types):
                found = env[key]
                if not isinstance(found, Later):
                    return found
                here = [self.closed(t, image) for t in types]
                inner = {**found.image, **dict(zip(found.quantified, here, strict=True))}
                return self.eval(found.exp, found.env, inner)
            case ConstructorUse(constructor):
                return lambda x: Made(constructor.name, x)
            case BuiltInUse(name):
                t = self.closed(self.typing.types[e], image)
                arity, f = _BUILT_INS[name]
                if name == "from_double":
                    assert isinstance(t, Arrow)
                    to = t.result
                    assert isinstance(to, ScalarType)
                    return lambda x: converted(x, to)
                return curried(arity, f)
            case SpecialUse("map", arity, rank):
                return curried(arity, lambda f, *xs: mapped(f, xs, rank))
            case SpecialUse(name, arity, rank):
                return curried(arity, lambda *xs: _SPECIAL[name](rank, *xs))
            case ForeignUse(name):
                raise AssertionError(name)


# ---------------------------------------------------------------------- built-ins


def number(x: Value) -> int:
    assert isinstance(x, Number)
    assert isinstance(x.value, int)
    return x.value


def int_(k: int) -> Number:
    if not I32.min <= k <= I32.max:
        raise NovaTrap("an int")
    return Number(k, I32)


def items(x: Value) -> list[Value]:
    assert isinstance(x, list)
    return x


def element(x: Value, i: Value) -> Value:
    xs, k = items(x), number(i)
    if not 0 <= k < len(xs):
        raise NovaTrap("out of bounds")
    return xs[k]


def operator(op: BinOp) -> "Callable[[Value, Value], Value]":
    def f(a: Value, b: Value) -> Value:
        assert isinstance(a, Number)
        assert isinstance(b, Number)
        assert a.type is b.type
        which = BinOp.DIV if op is BinOp.QUOT and a.type.is_float else op
        try:
            found = eval_bin(which, a.type, a.value, b.value)
        except OperatorTrap as trap:
            raise NovaTrap(str(trap)) from None
        return Number(found, BOOL if isinstance(found, bool) else a.type)

    return f


def unary(op: UnOp) -> "Callable[[Value], Value]":
    def f(a: Value) -> Value:
        assert isinstance(a, Number)
        return Number(eval_un(op, a.type, a.value), a.type)

    return f


def converted(x: Value, to: ScalarType) -> Value:
    assert isinstance(x, Number)
    return Number(convert(x.value, x.type, to), to)


def equal(a: Value, b: Value) -> bool:
    if isinstance(a, Number) and isinstance(b, Number):
        return a.value == b.value
    if isinstance(a, Made) and isinstance(b, Made):
        return a.constructor == b.constructor and equal(a.payload, b.payload)
    assert isinstance(a, tuple | list)
    assert isinstance(b, tuple | list)
    return len(a) == len(b) and all(map(equal, a, b))


def mapped(f: Value, xs: Sequence[Value], rank: int) -> Value:
    vectors = [items(x) for x in xs]
    if len({len(v) for v in vectors}) > 1:
        raise NovaTrap("lengths")
    rows = zip(*vectors, strict=True)
    return [apply(f, *r) if rank == 1 else mapped(f, r, rank - 1) for r in rows]


def fold(f: Value, i: Value, x: Value) -> Value:
    for e in items(x):
        i = apply(f, i, e)
    return i


def prefixes(f: Value, i: Value, x: Value) -> list[Value]:
    return list(accumulate(items(x), lambda a, b: apply(f, a, b), initial=i))


def stepped(b: int, s: int, e: int) -> list[int]:
    count = 0 if s == 0 else -((b - e) // s)
    if s == 0 or count < 0:
        raise NovaTrap("step")
    return [b + k * s for k in range(count)]


def slice_(b: Value, s: Value, e: Value, x: Value) -> Value:
    begin, step, end = map(number, (b, s, e))
    if step != 0 and abs((end - begin) // step) > len(items(x)) + 1:
        raise NovaTrap("step or out of bounds")  # before so many indices are made
    return [element(x, int_(k)) for k in stepped(begin, step, end)]


def permute(i: Value, x: Value) -> Value:
    targets, xs = [number(k) for k in items(i)], items(x)
    if sorted(targets) != list(range(len(xs))):
        raise NovaTrap("permutation")
    return [xs[targets.index(k)] for k in range(len(xs))]


def segments(x: Value) -> Value:
    return [int_(k) for k in accumulate((len(items(r)) for r in items(x)), initial=0)]


def unflatten(s: Value, x: Value) -> Value:
    offsets, xs = [number(k) for k in items(s)], items(x)
    if not offsets or offsets[0] != 0 or offsets[-1] != len(xs) or sorted(offsets) != offsets:
        raise NovaTrap("segments")
    return [xs[a:b] for a, b in pairwise(offsets)]


def ranged(_: int, *args: Value) -> Value:
    if len(args) == 1:
        if number(args[0]) < 0:
            raise NovaTrap("range")
        return [int_(k) for k in range(number(args[0]))]
    return [int_(k) for k in stepped(*map(number, args))]


def shape(rank: int, x: Value) -> Value:
    sizes: list[Value] = []
    for _ in range(rank):
        sizes.append(int_(len(items(x))))
        x = items(x)[0] if items(x) else []
    return tuple(sizes)


def holds(f: Value, x: Value) -> bool:
    found = apply(f, x)
    assert isinstance(found, Number)
    return bool(found.value)


_OPERATORS = {
    **{"+": BinOp.ADD, "-": BinOp.SUB, "*": BinOp.MUL, "/": BinOp.QUOT, "%": BinOp.REM},
    **{"min": BinOp.MIN, "max": BinOp.MAX, "&": BinOp.AND, "|": BinOp.OR, "^": BinOp.XOR},
    **{"<<": BinOp.SHL, ">>": BinOp.SHR, "<": BinOp.LT, "<=": BinOp.LE, ">": BinOp.GT},
    **{">=": BinOp.GE, "and": BinOp.LAND, "or": BinOp.LOR, "pow": BinOp.POW},
}
_UNARY = {
    **{"neg": UnOp.NEG, "abs": UnOp.ABS, "~": UnOp.NOT, "not": UnOp.LNOT, "sqrt": UnOp.SQRT},
    **{"exp": UnOp.EXP, "log": UnOp.LOG, "sin": UnOp.SIN, "cos": UnOp.COS, "floor": UnOp.FLOOR},
}
_BUILT_INS: "Mapping[str, tuple[int, Callable[..., Value]]]" = {
    **{name: (2, operator(op)) for name, op in _OPERATORS.items()},
    **{name: (1, unary(op)) for name, op in _UNARY.items()},
    "=": (2, lambda a, b: Number(equal(a, b), BOOL)),
    "~=": (2, lambda a, b: Number(not equal(a, b), BOOL)),
    "to_double": (1, lambda x: converted(x, F64)),
    "from_double": (1, lambda x: x),
    "reduce": (3, fold),
    "fold": (3, fold),
    "scan": (3, lambda f, i, x: prefixes(f, i, x)[:-1]),
    "iscan": (3, lambda f, i, x: prefixes(f, i, x)[1:]),
    "permute": (2, permute),
    "gather": (2, lambda i, x: [element(x, k) for k in items(i)]),
    "slice": (4, slice_),
    "filter": (2, lambda f, x: [e for e in items(x) if holds(f, e)]),
    "length": (1, lambda x: int_(len(items(x)))),
    "flatten": (1, lambda x: [e for r in items(x) for e in items(r)]),
    "segments": (1, segments),
    "unflatten": (2, unflatten),
}
_SPECIAL: "Mapping[str, Callable[..., Value]]" = {
    "range": ranged,
    "shape": shape,
    "rows": lambda _, x: x,
}
