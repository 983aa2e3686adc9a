"""Evaluator of Harlan's syntax trees: the judge of elaboration and of all that follows.

Only the reader, inference (for the types of numbers) and the table of scalar operators are shared
with the compiler.  A vector is a Python list, and whoever shares one sees its changes: this is what
the language says, and what elaboration has to show about a program before it makes values of them.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from attrs import field

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.infer import infer
from funmem.frontends.harlan.parser import parse
from funmem.frontends.harlan.typing import Typing
from funmem.frontends.inference.types import Meta, Type, nearest
from funmem.frontends.inference.unify import OneOf
from funmem.ir.depth import deep
from funmem.ir.record import define, frozen
from funmem.ir.scalars import (
    BOOL,
    F32,
    I32,
    U64,
    BinOp,
    OperatorTrap,
    ScalarType,
    UnOp,
    convert,
    eval_bin,
    eval_un,
)
from funmem.ir.scalars import Value as Plain


class HarlanTrap(Exception):
    """The program ends with an error."""


class TooLong(Exception):
    """The program takes more steps than a generated one may."""


@frozen
class Number:
    """A number or a bool."""

    value: Plain
    type: ScalarType


@frozen
class Char:
    """A character, as its code."""

    code: int


@frozen
class Made:
    """A value of a datatype."""

    constructor: str
    fields: "tuple[Value, ...]"


@frozen(eq=False)
class Function:
    """A closure: what its variables were when it was made."""

    tree: ast.Lambda
    captured: "Mapping[ast.Local, Value]"
    image: "Image"


Value: TypeAlias = "Number | Char | bytes | Made | Function | list[Value] | None"
"""None is no value (`void`)."""
Image: TypeAlias = Mapping[int, Type]
"""The types of an instance's quantified variables."""


@define
class Cell:
    """A variable."""

    value: Value


Env: TypeAlias = dict[ast.Local, Cell]


@frozen
class Outcome:
    """What a program prints, and its exit status; None: it ends with an error."""

    printed: bytes
    status: int | None


def run(text: str, steps: int = 1_000_000) -> Outcome:
    """Return the outcome of a program.  Raises SourceError for a wrong one, and TooLong."""
    with deep():
        evaluator = _Evaluator(infer(parse(text, "oracle.kfc")), steps)
        main = evaluator.typing.program.main
        assert main is not None
        try:
            value = evaluator.eval(main.exp, {}, {})
        except HarlanTrap:
            return Outcome(bytes(evaluator.out), None)
        status = _int(value) & 255 if isinstance(value, Number) else 0
        return Outcome(bytes(evaluator.out), status)


@define
class _Evaluator:
    typing: Typing
    left: int
    out: bytearray = field(factory=bytearray)

    def number_type(self, e: ast.Number, image: Image) -> ScalarType:
        """Return the type of a number: an int if nothing demands another one, and it fits."""
        t = self.closed(self.typing.types[e], image)
        if isinstance(t, Meta):
            shape = self.typing.solver.cells[t.id].shape
            return U64 if isinstance(shape, OneOf) and I32 not in shape.options else I32
        assert isinstance(t, ScalarType)
        return t

    def closed(self, t: Type, image: Image) -> Type:
        """Return a type in which quantified variables have their types in an instance."""
        t = self.typing.solver.resolve(t)
        return image.get(t.id, t) if isinstance(t, Meta) else t

    def all(self, parts: Sequence[ast.Exp], env: Env, image: Image) -> list[Value]:
        return [self.eval(e, env, image) for e in parts]

    def eval(self, e: ast.Exp, env: Env, image: Image) -> Value:
        self.left -= 1
        if self.left < 0:
            raise TooLong
        match e:
            case ast.Var(local):
                return env[local].value
            case ast.Number(text):
                t = self.number_type(e, image)
                return Number(nearest(float(text), t) if t.is_float else int(text), t)
            case ast.Bool(value):
                return Number(value, BOOL)
            case ast.Char(code):
                return Char(code)
            case ast.Str(value):
                return value
            case ast.Bin(op, _, a, b):
                return binary(op, self.eval(a, env, image), self.eval(b, env, image))
            case ast.Intrinsic(name, args):
                return intrinsic(name, self.all(args, env, image))
            case ast.If(cond, then, orelse):
                if _true(self.eval(cond, env, image)):
                    return self.eval(then, env, image)
                return None if orelse is None else self.eval(orelse, env, image)
            case ast.Begin(parts):
                return self.all(parts, env, image)[-1]
            case ast.Let(bindings, body):
                values = [self.eval(v, env, image) for _, v in bindings]
                names = [x for x, _ in bindings]
                return self.eval(body, _bound(env, names, values), image)
            case ast.Match(exp, arms):
                made = self.eval(exp, env, image)
                assert isinstance(made, Made)
                (arm,) = (a for a in arms if a.constructor == made.constructor)
                return self.eval(arm.body, _bound(env, arm.binders, made.fields), image)
            case ast.Lambda(_, _, captured):
                return Function(e, {x: env[x].value for x in captured}, image)
            case ast.Apply(fn, args):
                f = self.eval(fn, env, image)
                assert isinstance(f, Function)
                given = self.all(args, env, image)
                own = {x: Cell(v) for x, v in f.captured.items()}
                return self.eval(f.tree.body, _bound(own, f.tree.params, given), f.image)
            case ast.Call():
                return self.call(e, env, image)
            case ast.Construct(constructor, args):
                return Made(constructor, tuple(self.all(args, env, image)))
            case ast.Error(message):
                raise HarlanTrap(message)
            case ast.LetRegion(_, body):
                return self.eval(body, env, image)
            case ast.Cast():
                raise NotImplementedError("casts are not generated")
            case (
                ast.VectorOf()
                | ast.Iota()
                | ast.Length()
                | ast.VectorRef()
                | ast.Reinterpret()
                | ast.Kernel()
                | ast.Fold()
            ):
                return self.vector(e, env, image)
            case (
                ast.SetVar() | ast.SetElem() | ast.Print() | ast.Assert() | ast.While() | ast.For()
            ):
                self.statement(e, env, image)
                return None

    def call(self, e: ast.Call, env: Env, image: Image) -> Value:
        given = self.all(e.args, env, image)
        if isinstance(e.fn, ast.Extern):
            raise NotImplementedError("foreign functions are not generated")
        inner = image  # that of a definition in its own component
        if e in self.typing.instances:
            here = [self.closed(t, image) for t in self.typing.instances[e].types]
            inner = dict(zip(self.typing.schemes[e.fn].generic, here, strict=True))
        return self.eval(e.fn.exp, _bound({}, e.fn.params, given), inner)

    def vector(self, e: ast.VectorExp, env: Env, image: Image) -> Value:
        match e:
            case ast.VectorOf(elems):
                return self.all(elems, env, image)
            case ast.Iota(count):
                n = _int(self.eval(count, env, image))
                if n < 0:
                    raise HarlanTrap("iota")
                return [Number(k, I32) for k in range(n)]
            case ast.Length(exp):
                return Number(len(_list(self.eval(exp, env, image))), I32)
            case ast.VectorRef(exp, index):
                xs = _list(self.eval(exp, env, image))
                return xs[_index(xs, self.eval(index, env, image))]
            case ast.Kernel(bindings, body):
                vectors = [_list(self.eval(v, env, image)) for _, v in bindings]
                names = [x for x, _ in bindings]
                if any(len(v) < len(vectors[0]) for v in vectors):
                    raise HarlanTrap("a shorter vector")
                rows = list(zip(*vectors, strict=False))[: len(vectors[0])]
                return [self.eval(body, _bound(env, names, row), image) for row in rows]
            case ast.Fold():
                return self.fold(e, env, image)
            case ast.Reinterpret():
                raise NotImplementedError("pointers are not generated")

    def fold(self, e: ast.Fold, env: Env, image: Image) -> Value:
        def f(*args: Value) -> Value:
            return self.eval(e.body, _bound(env, e.params, args), image)

        init = None if e.init is None else self.eval(e.init, env, image)
        xs = _list(self.eval(e.vector, env, image))
        match e.kind:
            case ast.FoldKind.FILTER:
                return [x for x in xs if _true(f(x))]
            case ast.FoldKind.SCAN:
                found: list[Value] = []
                for x in xs:
                    found.append(init)
                    init = f(init, x)
                return found
            case ast.FoldKind.REDUCE | ast.FoldKind.INNER_REDUCE:
                if not xs:
                    raise HarlanTrap("reduce of nothing")
                first, *rest = xs
                for x in rest:
                    first = f(first, x)
                return first

    def statement(self, e: ast.StatementExp, env: Env, image: Image) -> None:
        match e:
            case ast.SetVar(local, value):
                env[local].value = self.eval(value, env, image)
            case ast.SetElem(vector, index, value):
                xs = _list(self.eval(vector, env, image))
                k = self.eval(index, env, image)
                new = self.eval(value, env, image)
                xs[_index(xs, k)] = new
            case ast.Print(value):
                self.out += shown(self.eval(value, env, image))
            case ast.Assert(cond):
                if not _true(self.eval(cond, env, image)):
                    raise HarlanTrap("assert")
            case ast.While(cond, body):
                while _true(self.eval(cond, env, image)):
                    self.eval(body, env, image)
            case ast.For(local, start, stop, step, body):
                i = self.eval(start, env, image)
                end = self.eval(stop, env, image)
                by = Number(1, I32) if step is None else self.eval(step, env, image)
                while _true(binary(BinOp.LT, i, end)):
                    self.eval(body, {**env, local: Cell(i)}, image)
                    i = binary(BinOp.ADD, i, by)


# ---------------------------------------------------------------------- values


def _bound(env: Env, names: Sequence[ast.Local], values: Sequence[Value]) -> Env:
    return {**env, **{x: Cell(v) for x, v in zip(names, values, strict=True)}}


def _int(v: Value) -> int:
    assert isinstance(v, Number)
    return int(v.value)


def _true(v: Value) -> bool:
    assert isinstance(v, Number)
    return bool(v.value)


def _list(v: Value) -> list[Value]:
    assert isinstance(v, list)
    return v


def _index(xs: Sequence[Value], i: Value) -> int:
    k = _int(i)
    if not 0 <= k < len(xs):
        raise HarlanTrap("out of bounds")
    return k


def binary(op: BinOp, a: Value, b: Value) -> Number:
    """Return ``(op a b)``."""
    if op is BinOp.EQ:
        return Number(equal(a, b), BOOL)
    assert isinstance(a, Number)
    assert isinstance(b, Number)
    assert a.type is b.type
    which = BinOp.DIV if op is BinOp.QUOT and a.type.is_float else op
    try:
        found = eval_bin(which, a.type, a.value, b.value)
    except OperatorTrap as trap:
        raise HarlanTrap(str(trap)) from None
    return Number(found, BOOL if isinstance(found, bool) else a.type)


def equal(a: Value, b: Value) -> bool:
    """True if two values are equal: vectors element by element."""
    if isinstance(a, Number) and isinstance(b, Number):
        return a.value == b.value
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b


_CONVERSIONS = {
    "%int->float": F32,
    "%float->int": I32,
    "%u64->float": F32,
    "%int->u64": U64,
    "%u64->int": I32,
}
_UNARY = {"%sqrt": UnOp.SQRT, "%floor": UnOp.FLOOR, "%not": UnOp.LNOT}


def intrinsic(name: str, args: Sequence[Value]) -> Value:
    """Return the value of an operation that the library names."""
    x = args[0]
    match x:
        case bytes():
            return [Char(c) for c in x]
        case Char(code):
            return Number(code, I32)
        case Number(value, t) if name in _CONVERSIONS:
            return Number(convert(value, t, _CONVERSIONS[name]), _CONVERSIONS[name])
        case Number(value, t) if name in _UNARY:
            return Number(eval_un(_UNARY[name], t, value), t)
        case _:
            raise NotImplementedError(f"{name} is not generated")


def shown(v: Value) -> bytes:
    """Return a value as ``print`` writes it."""
    match v:
        case Number(value, t):
            if t is BOOL:
                return b"#t" if value else b"#f"
            return (f"{value:.10g}" if t.is_float else str(int(value))).encode()
        case Char(code):
            return bytes([code])
        case bytes():
            return v
        case Made(constructor, fields):
            parts = [constructor.encode(), *map(shown, fields)]
            return b"(" + b" ".join(parts) + b")"
        case list():
            flat = all(isinstance(x, Number | Char | bytes) for x in v)
            return b"[" + (b" " if flat else b" \n ").join(map(shown, v)) + b"]"
        case Function() | None:
            raise AssertionError("this cannot be printed")
