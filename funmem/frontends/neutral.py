r"""Which values are neutral for an operator: proofs on Core.

    known  + 0, * 1, min and max the extreme, and true, or false, & -1, | 0, ^ 0
    proved f i x = x = f x i by evaluating f with an unknown x, componentwise for tuples

``reduce f i`` counts i once, and Core's ``Reduce`` may count its neutral element any number of
times, so i may be passed as one only if it is neutral.  Zero is called neutral for + of floats, and
an infinity for min and max, as everywhere (0 + -0 is 0; min ignores NaN); where the operator alone
is known, the exact ones are taken: -0, NaN.
"""

import math
from collections.abc import Mapping
from typing import TypeAlias

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import (
    BOOL,
    BinOp,
    OperatorTrap,
    ScalarType,
    Value,
    eval_bin,
    eval_un,
    normalise,
)

COMMUTATIVE = frozenset(
    [
        *(BinOp.ADD, BinOp.MUL, BinOp.MIN, BinOp.MAX),
        *(BinOp.AND, BinOp.OR, BinOp.XOR, BinOp.LAND, BinOp.LOR),
    ]
)


@frozen
class Unknown:
    """An operand or a component of it: ``side`` 0 or 1, and the labels that lead to it."""

    side: int
    path: tuple[str, ...]
    type: c.Type


@frozen
class Known:
    """A constant."""

    value: Value
    type: ScalarType

    @property
    def bits(self) -> tuple[str, ScalarType]:
        return repr(self.value), self.type


@frozen
class Pair:
    """A tuple."""

    elems: "tuple[Term, ...]"


@frozen
class Applied:
    """An operator on scalars that is not known further."""

    op: BinOp
    a: "Term"
    b: "Term"
    type: ScalarType


@frozen
class Function:
    """A lambda where it stands."""

    fn: c.Lambda
    env: "Mapping[Name, Term]"


Term: TypeAlias = Unknown | Known | Pair | Applied | Function


class _Stuck(Exception):
    """The value of an expression is not followed further."""


MAX_STEPS = 20_000
"""How many expressions a proof may evaluate."""


@define(eq=False)
class Prover:
    """Proofs about operators; ``known`` are the values of names that ``let`` binds."""

    known: Mapping[Name, Exp]
    values: dict[Name, Term] = field(factory=dict)
    """Those that were needed."""
    steps: int = 0

    def is_neutral(self, fn: Exp, i: Exp, t: c.Type) -> bool:
        """True if f i x = x = f x i for all x of type ``t`` is proved."""
        try:
            f, neutral = self._eval(fn, {}), self._eval(i, {})
            x = _unknown(1, t)
            return all(self._apply(f, args) == x for args in ((neutral, x), (x, neutral)))
        except _Stuck:
            return False

    def candidate(self, fn: Exp, t: c.Type) -> Exp | None:
        """Return the neutral element of an operator that works on each component on its own."""
        try:
            found = self._apply(self._eval(fn, {}), (_unknown(0, t), _unknown(1, t)))
        except _Stuck:
            return None
        return _exact(found, _unknown(0, t), _unknown(1, t))

    def commutes(self, fn: Exp, t: c.Type) -> bool:
        """True if an operator consists of commutative ones, one for each component."""
        return self.candidate(fn, t) is not None

    # ------------------------------------------------------------------ evaluation

    def _eval(self, e: Exp, env: Mapping[Name, Term]) -> Term:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise _Stuck
        match e:
            case c.Var(name):
                if name in env:
                    return env[name]
                if name not in self.known:
                    raise _Stuck
                if name not in self.values:
                    self.values[name] = self._eval(self.known[name], {})
                return self.values[name]
            case c.Const(value, t):
                return Known(value, t)
            case c.Lambda():
                return Function(e, env)
            case c.App(fn, args):
                return self._apply(self._eval(fn, env), tuple(self._eval(x, env) for x in args))
            case c.Let((binder,), exp, body):
                return self._eval(body, {**env, binder.name: self._eval(exp, env)})
            case c.Fields(fields):
                return Pair(tuple(self._eval(x, env) for _, x in fields))
            case c.Project(exp, label):
                return _element(self._eval(exp, env), int(label))
            case c.Bin(op, a, b):
                return _combined(op, self._eval(a, env), self._eval(b, env))
            case c.Un(op, a):
                operand = self._eval(a, env)
                if isinstance(operand, Known):
                    return Known(eval_un(op, operand.type, operand.value), operand.type)
                raise _Stuck
            case c.If(cond, then, orelse):
                test = self._eval(cond, env)
                if isinstance(test, Known):
                    return self._eval(then if test.value else orelse, env)
                raise _Stuck
            case c.Global() | c.Mu() | c.Let() | c.Match() | c.Loop() | c.Assert() | c.Foreign():
                raise _Stuck
            case c.Construct() | c.Convert() | c.Equal() | c.ArrayOperation():
                raise _Stuck

    def _apply(self, f: Term, args: tuple[Term, ...]) -> Term:
        if not isinstance(f, Function) or len(args) != len(f.fn.params):
            raise _Stuck
        names = [b.name for b in f.fn.params]
        return self._eval(f.fn.body, {**f.env, **dict(zip(names, args, strict=True))})


def _unknown(side: int, t: c.Type, path: tuple[str, ...] = ()) -> Term:
    if isinstance(t, c.Record):
        return Pair(tuple(_unknown(side, u, (*path, label)) for label, u in t.fields))
    return Unknown(side, path, t)


def _element(t: Term, k: int) -> Term:
    if not isinstance(t, Pair) or k >= len(t.elems):
        raise _Stuck
    return t.elems[k]


def _scalar(t: Term) -> ScalarType:
    match t:
        case Unknown(_, _, ScalarType() as found) | Known(_, found) | Applied(_, _, _, found):
            return found
        case Unknown() | Pair() | Function():
            raise _Stuck


def _combined(op: BinOp, a: Term, b: Term) -> Term:
    """``a op b``; a known neutral operand leaves the other one."""
    t = _scalar(a)
    if isinstance(a, Known) and isinstance(b, Known):
        try:
            value = eval_bin(op, t, a.value, b.value)
        except OperatorTrap:
            raise _Stuck from None
        return Known(value, BOOL if isinstance(value, bool) else t)
    if isinstance(a, Known) and op in COMMUTATIVE and _is_neutral(op, a):
        return b
    if isinstance(b, Known) and op in COMMUTATIVE and _is_neutral(op, b):
        return a
    return Applied(op, a, b, t)


def _is_neutral(op: BinOp, k: Known) -> bool:
    """True for the operator's neutral elements, by the table."""
    exact = neutral(op, k.type)
    if exact is None:
        return False
    if k.type.is_float and op in (BinOp.MIN, BinOp.MAX):
        return k.value == (math.inf if op is BinOp.MIN else -math.inf) or math.isnan(k.value)
    return k.value == exact


def neutral(op: BinOp, t: ScalarType) -> Value | None:
    """Return the exact neutral element of an operator on scalars; None if there is none."""
    match op:
        case BinOp.ADD:
            return -0.0 if t.is_float else 0
        case BinOp.MUL:
            return normalise(1, t)
        case BinOp.MIN:
            return math.nan if t.is_float else t.max
        case BinOp.MAX:
            return math.nan if t.is_float else t.min
        case BinOp.AND:
            return True if t is BOOL else -1
        case BinOp.OR | BinOp.XOR:
            return False if t is BOOL else 0
        case BinOp.LAND:
            return True
        case BinOp.LOR:
            return False
        case _:
            return None


def _exact(found: Term, a: Term, b: Term) -> Exp | None:
    """Return the neutral element of ``found``, an operator on a and b, if it is componentwise."""
    match found, a, b:
        case Applied(op, x, y, t), Unknown(), Unknown():
            value = neutral(op, t)
            if value is None or (x, y) not in ((a, b), (b, a)):
                return None
            return c.Const(value, t)
        case Pair(es), Pair(xs), Pair(ys) if len(es) == len(xs):
            parts: list[Exp] = []
            for e, x, y in zip(es, xs, ys, strict=True):
                part = _exact(e, x, y)
                if part is None:
                    return None
                parts.append(part)
            return c.tuple_exp(*parts)
        case _:
            return None
