"""The state of lowering to FUN: values, scopes, sizes, and which arrays may share elements."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import NoReturn, TypeAlias, TypeGuard

from funmem.ir import core as c
from funmem.ir.arith import size_exp
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.fun import (
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Const,
    Copy,
    DerivedArray,
    Exp,
    Function,
    ScalarExp,
    Slice,
    Stm,
    Type,
    Var,
)
from funmem.ir.lmad import DimRange
from funmem.ir.messages import MAX_VALUES, literal, parts
from funmem.ir.names import IDENTIFIER, Fresh, Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import ONE, ZERO, Size, var
from funmem.ir.text.lexer import RESERVED
from funmem.passes.core.to_fun.exact import DIFFERENCES, LENGTHS, NUMBERS, Interval, Numbers, Ranges

# ---------------------------------------------------------------------- values

MAX_SCALAR_DEPTH = 32
"""The maximum depth of a scalar expression, since later passes and C compilers recurse over it."""


@frozen
class Scalar:
    """A scalar: an expression that cannot trap, over names in scope."""

    exp: ScalarExp
    type: ScalarType
    depth: int = 1
    """The nesting depth of the operators in the expression."""


@frozen
class Arr:
    """An array: a FUN name and its type."""

    name: Name
    type: ArrayType

    @property
    def shape(self) -> tuple[Size, ...]:
        return self.type.shape


Val: TypeAlias = Scalar | Arr
Vals: TypeAlias = tuple[Val, ...]


@frozen
class Dim:
    """Dimension ``k`` of parameter ``j`` of a loop."""

    j: int
    k: int


Varying: TypeAlias = tuple[frozenset[Dim], ...]
"""The classes of a loop's dimensions that vary."""

TRUE, FALSE = Const(True, BOOL), Const(False, BOOL)


def int64(k: int) -> Const:
    """Return an i64 constant."""
    return Const(k, I64)


def val_type(v: Val) -> Type:
    """Return the FUN type of a value."""
    return v.type


def unsupported(at: Span, what: str, hint: str = "") -> NoReturn:
    """Raise SourceError for a construct that FUN cannot express."""
    raise SourceError(Diagnostic(at, "not-supported", f"not supported: {what}", hint))


# ---------------------------------------------------------------------- scopes


class Code:
    """A FUN body under construction: its statements, and the values of the names in it.

    ``names`` are the FUN names bound here, ``env`` the values of Core names; both continue in
    ``outer``.  ``equal`` are the i64 names bound to an expression, so that equal sizes get one
    name; ``ranges`` are the intervals of polynomials.
    """

    __slots__ = ("env", "equal", "names", "outer", "ranges", "stms")

    def __init__(self, outer: "Code | None") -> None:
        self.outer = outer
        self.stms: list[Stm[None]] = []
        self.names: set[Name] = set()
        self.env: dict[Name, Val] = {}
        self.equal: dict[ScalarExp, Name] = {}
        self.ranges: Ranges = Ranges(None if outer is None else outer.ranges)

    def _chain(self) -> "Iterator[Code]":
        code: Code | None = self
        while code is not None:
            yield code
            code = code.outer

    def find(self, name: Name) -> Val:
        """Return the value of a Core name.  Raises KeyError."""
        for code in self._chain():
            if name in code.env:
                return code.env[name]
        raise KeyError(name)

    def known(self, e: ScalarExp) -> Name | None:
        """Return the i64 name that an expression is bound to already, or None."""
        return next((code.equal[e] for code in self._chain() if e in code.equal), None)

    def sees(self, size: Size) -> bool:
        """True if all names of a size are in scope here."""
        return all(any(x in code.names for code in self._chain()) for x in size.free())


# ---------------------------------------------------------------------- the state

NO_FUNCTIONS: Mapping[Name, Function] = MappingProxyType({})


class Work(Numbers, ABC):
    """The state of lowering one entry point: statements go to ``code``, whose depth is ``now``.

    Aliases are tracked as the checker tracks them (``ir/check/uniqueness.py``): the ``roots`` of
    each array, the ``depth`` of each root, the roots in ``kept``, which must not be consumed, and
    those already ``consumed``.  ``touched`` are the arrays that Core code mentioned; ``active`` the
    definitions being inlined; ``constants`` the names of the values of definitions without
    parameters; ``below`` the bounds of loop indices.
    """

    def __init__(
        self,
        names: Iterable[Name],
        defs: Mapping[Name, c.Def],
        functions: Mapping[Name, Function] = NO_FUNCTIONS,
    ) -> None:
        super().__init__()
        self.functions = functions
        """The definitions that are functions of FUN."""
        self.fresh = Fresh([*map(Name, RESERVED), *names])
        self.defs = defs
        self.code = Code(None)
        self.at = NOWHERE
        self.hint = ""
        self.nonneg: set[Name] = set()
        self.made: dict[Name, Exp[None]] = {}
        self.roots: dict[Name, frozenset[Name]] = {}
        self.depth: dict[Name, int] = {}
        self.kept: set[Name] = set()
        self.consumed: set[Name] = set()
        self.touched: set[Name] = set()
        self.below: dict[Name, Size] = {}
        self.now = 0
        self.active: list[Name] = []
        self.constants: dict[Name, tuple[Name, ...]] = {}
        self.lowered: dict[Name, tuple[Varying, ...]] = {}

    @abstractmethod
    def exp(self, e: c.Exp) -> Vals:
        """Return the values of a Core expression; statements that compute them go to ``code``."""

    @property
    def ranges(self) -> Ranges:
        """The intervals that are known here."""
        return self.code.ranges

    def one(self, e: c.Exp) -> Val:
        """Return the value of an expression that has one."""
        (v,) = self.exp(e)
        return v

    def scalar(self, e: c.Exp) -> Scalar:
        v = self.one(e)
        if not isinstance(v, Scalar):
            raise TypeError(f"an array where a scalar is expected: {v.name}")
        return v

    def shallow(self, v: Scalar) -> Scalar:
        """Return ``v``, under a name if it is as deep as an expression may be."""
        return v if v.depth < MAX_SCALAR_DEPTH else self.bound("t", v)

    def array(self, e: c.Exp) -> Arr:
        v = self.one(e)
        if not isinstance(v, Arr):
            raise TypeError(f"a scalar where an array is expected: {v.exp}")
        return v

    def arrays(self, es: Iterable[c.Exp]) -> list[Arr]:
        return [self.array(e) for e in es]

    def unsupported(self, what: str, hint: str = "") -> NoReturn:
        unsupported(self.at, what, hint)

    # ------------------------------------------------------------------ scopes

    @contextmanager
    def into(self, code: Code) -> Iterator[Code]:
        """Append statements to ``code`` while the block runs."""
        before, self.code = self.code, code
        yield code
        self.code = before

    @contextmanager
    def block(self) -> Iterator[Code]:
        """Open a scope inside the present one."""
        with self.into(Code(self.code)) as code:
            yield code

    @contextmanager
    def names(self) -> Iterator[None]:
        """Open a scope for the Core names of an inlined definition, without a new FUN scope."""
        code = Code(self.code)
        code.stms, code.names, code.equal = self.code.stms, self.code.names, self.code.equal
        code.ranges = self.code.ranges
        with self.into(code):
            yield

    @contextmanager
    def inside(self) -> Iterator[Code]:
        """Open the body of a kernel, an operator or a loop."""
        self.now += 1
        with self.block() as code:
            yield code
        self.now -= 1

    def bind(self, name: Name, v: Val) -> None:
        """Bind Core's ``name`` to ``v`` from here on in this scope."""
        self.code.env[name] = v

    def body(self, code: Code, result: Iterable[Atom]) -> Body[None]:
        return Body(tuple(code.stms), tuple(result), self.at)

    # ------------------------------------------------------------------ statements

    def name(self, base: str) -> Name:
        """Return a fresh FUN name that reads like ``base``, bound in this scope."""
        name = self.fresh.reserve(Name(base if IDENTIFIER.fullmatch(base) else "x"))
        self.code.names.add(name)
        return name

    def emit(self, pat: Sequence[Binder[None]], exp: Exp[None]) -> None:
        self.code.stms.append(Stm(tuple(pat), exp, self.at))
        for b in pat:
            self.exists(b.name, b.type, exp)
        if isinstance(exp, Assert):
            self.learn(exp.cond)

    def let(self, base: str, type_: Type, exp: Exp[None]) -> Name:
        """Bind an expression with one result; return its name."""
        name = self.name(base)
        self.emit((Binder(name, type_, None),), exp)
        if isinstance(type_, ArrayType):
            self.made[name] = exp
            self.alias(name, self.roots[exp.x] if isinstance(exp, DerivedArray) else (name,))
        return name

    def array_of(self, base: str, elem: ScalarType, shape: Iterable[Size], exp: Exp[None]) -> Arr:
        """Bind an expression whose result is an array; return the array."""
        t = ArrayType(elem, tuple(shape))
        return Arr(self.let(base, t, exp), t)

    def bound(self, base: str, v: Scalar) -> Scalar:
        """Return the scalar under a name, unless it is a name or a constant already."""
        if isinstance(v.exp, Var | Const):
            return v
        if v.type is I64:
            if (same := self.code.known(v.exp)) is not None:
                return Scalar(Var(same), I64)
            name = self.let(base, I64, v.exp)
            self.code.equal[v.exp] = name
            self.defines(name, v.exp)
            return Scalar(Var(name), I64)
        name = self.let(base, v.type, v.exp)
        if v.type is BOOL:
            self.conds[name] = (v.exp,)
        return Scalar(Var(name), v.type)

    def named(self, base: str, v: Val) -> Val:
        """Return a value that may be mentioned repeatedly."""
        return self.bound(base, v) if isinstance(v, Scalar) else v

    def atom(self, v: Val, base: str = "t") -> Atom:
        """Return a value as an operand."""
        if isinstance(v, Arr):
            return Var(v.name)
        e = self.bound(base, v).exp
        assert isinstance(e, Var | Const)
        return e

    def atom_of(self, e: c.Exp) -> Atom:
        return self.atom(self.one(e))

    def demand(self, cond: ScalarExp, message: str, values: Sequence[ScalarExp] = ()) -> None:
        """Emit an ``assert``, unless the condition is known to be true.

        The message omits its values if there are more than a message can have (shapes of rank 13).
        """
        if cond == TRUE:
            return
        if len(values) > MAX_VALUES:
            message, values = "…".join(literal(text) for text in parts(message)), ()
        given = [self.atom(Scalar(v, I64)) for v in values]
        self.emit((), Assert(self.atom(Scalar(cond, BOOL), "ok"), message, tuple(given)))

    # ------------------------------------------------------------------ sizes

    def size(self, v: Scalar, within: Interval = NUMBERS) -> Size:
        """Return an i64 as a size: its polynomial if the two are provably equal, else its name.

        They may differ where the polynomial lies outside of i64 but within ``within``.
        """
        found = self.exact(v.exp, within)
        if found is None:
            found = self.exact(self.bound("n", v).exp)
        assert found is not None
        return found

    def size_of(self, e: c.Exp, within: Interval = NUMBERS) -> Size:
        return self.size(self.scalar(e), within)

    def length_of(self, e: c.Exp) -> Size:
        """Return a number of elements as a size.

        A negative constant gets a name, and the program traps.  A difference that may exceed i64
        becomes negative, and the program traps.
        """
        v = self.scalar(e)
        fits = self.expanded(v.exp, LENGTHS) is not None
        if not fits and self.expanded(v.exp, DIFFERENCES) is not None:
            self.demand(Bin(BinOp.LE, int64(0), v.exp), "Size {} is negative.", [v.exp])
        return self.extent(self.size(v, LENGTHS))

    def extent(self, size: Size) -> Size:
        """Return the size of a dimension; a negative constant gets a name.

        A type may not state a negative constant.
        """
        k = size.as_const
        if k is None or k >= 0:
            return size
        number = int64(k)
        name = self.code.known(number)
        if name is None:
            name = self.code.equal[number] = self.let("n", I64, number)
        return var(name)

    def returned(self, v: Val, dims: Iterable[int]) -> Val:
        """Return a value whose sizes in these dimensions are atoms, which can be returned."""
        if isinstance(v, Scalar):
            return v
        shape = list(v.shape)
        for k in dims:
            if shape[k].as_const is None and shape[k].as_name is None:
                atom = self.size_atom(shape[k])
                assert isinstance(atom, Var)
                shape[k] = var(atom.name)
        return self.viewed(v, shape)

    def size_atom(self, s: Size, base: str = "n") -> Atom:
        return self.atom(Scalar(size_exp(s), I64), base)

    def type_size(self, d: Size | None) -> Size | None:
        """Return a size of a Core type in terms of FUN names; None if it is not known here."""
        if d is None:
            return None
        image: dict[Name, Size] = {}
        for x in d.free():
            try:
                v = self.code.find(x)
            except KeyError:
                return None
            if not isinstance(v, Scalar):
                return None
            image[x] = self.size(v)
        return self.extent(d.subst(image))

    def never_negative(self, s: Size) -> bool:
        return all(k >= 0 and self.nonneg.issuperset(m) for m, k in s.terms)

    def natural(self, v: Scalar) -> bool:
        """True if an i64 is a name that is never negative."""
        return isinstance(v.exp, Var) and self.never_negative(self.size(v))

    def equal_sizes(self, a: Size, b: Size) -> ScalarExp:
        """Return the condition that two sizes are equal, decided if possible.

        Sizes are in i64, so they are equal if they are equal modulo 2^64.
        """
        difference = (a - b).subst({x: p for x in (a - b).free() if (p := self.values.get(x))})
        if (k := difference.as_const) is not None:
            return FALSE if k % 2**64 else TRUE
        return Bin(BinOp.EQ, size_exp(a), size_exp(b))

    def fit(self, x: Arr, shape: Sequence[Size], message: str = "") -> Arr:
        """Return the array, which is checked to have this shape."""
        want = tuple(shape)
        if x.shape == want:
            return x
        text = "[{}]" * len(want)
        said = message or f"Array of shape {text} where shape {text} is needed."
        values = [size_exp(d) for d in (*x.shape, *want)]
        self.demand(self.same_shape(x.shape, want), said, values)
        return self.viewed(x, want)

    def same_shape(self, a: Sequence[Size], b: Sequence[Size]) -> ScalarExp:
        return conj(self.equal_sizes(m, n) for m, n in zip(a, b, strict=True))

    def same_elements(self, a: Sequence[Size], b: Sequence[Size]) -> ScalarExp:
        """Return the condition that two shapes are equal as far as there are elements.

        The sizes inside a dimension of length 0 may differ.
        """
        total: ScalarExp = TRUE
        for m, n in reversed(list(zip(a, b, strict=True))):
            inner = either(self.equal_sizes(m, ZERO), total)
            total = conj([self.equal_sizes(m, n), inner])
        return total

    def viewed(self, x: Arr, shape: Sequence[Size]) -> Arr:
        """Return the array under sizes that are known to equal its own."""
        if x.shape == tuple(shape):
            return x
        dims = tuple(DimRange(ZERO, d, ONE) for d in shape)
        return self.array_of(x.name, x.type.elem, shape, Slice(x.name, dims))

    # ------------------------------------------------------------------ aliases

    def alias(self, x: Name, roots: Iterable[Name]) -> None:
        self.roots[x] = frozenset(roots)
        self.depth[x] = self.now

    def of(self, a: Atom) -> frozenset[Name]:
        """Return the roots of an operand; a scalar has none."""
        return self.roots.get(a.name, frozenset()) if isinstance(a, Var) else frozenset()

    def readable(self, a: Atom) -> TypeGuard[Var]:
        """True if an operand is an array that may be read here although no Core code mentions it.

        From then on it counts as mentioned.
        """
        if not isinstance(a, Var) or a.name not in self.roots or self.of(a) & self.consumed:
            return False
        self.touched.add(a.name)
        return True

    def may_consume(self, x: Name) -> bool:
        """True if the checker accepts that this array is consumed here."""
        roots = self.roots[x]
        return not (roots & self.kept or roots & self.consumed) and all(
            self.depth[r] >= self.now for r in roots
        )

    def copy(self, x: Arr) -> Arr:
        return self.array_of(x.name, x.type.elem, x.shape, Copy(x.name))

    def own(self, x: Arr) -> Arr:
        """Return the array, or a copy of it, to be consumed by the next statement."""
        if not self.may_consume(x.name):
            x = self.copy(x)
        self.consumed |= self.roots[x.name]
        return x

    def apart(self, v: Arr, x: Arr) -> Arr:
        """Return ``v``, or a copy of it if it may share elements with x, which is consumed."""
        return self.copy(v) if self.roots[v.name] & self.roots[x.name] else v


def conj(conds: Iterable[ScalarExp]) -> ScalarExp:
    """Return ``c && …``, without conditions that are true."""
    total: ScalarExp = TRUE
    for cond in conds:
        if cond == TRUE or total == FALSE:
            continue
        total = cond if total == TRUE or cond == FALSE else Bin(BinOp.LAND, total, cond)
    return total


def either(a: ScalarExp, b: ScalarExp) -> ScalarExp:
    """Return ``a || b``, decided if one of them is constant."""
    if TRUE in (a, b):
        return TRUE
    return b if a == FALSE else a if b == FALSE else Bin(BinOp.LOR, a, b)
