"""The core of the generator: an expression of a given type.

:meth:`FutGenerator.exp` picks one of the producers that apply to the type (from scalars.py,
arrays.py, functional.py, control.py; table.py lists them).  A producer returns None if it fails
after all. Then another one is tried, and finally a leaf, which always exists.
"""

import random
import re
from collections.abc import Callable as Function
from collections.abc import Sequence
from typing import TypeVar

from attrs import field

from funmem.frontends.futhark.builtins import SCALAR_NAMES
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BOOL, F16, F32, F64, I32, I64, SCALARS, ScalarType
from funmem.testing.fut_generator.library import Callable
from funmem.testing.fut_generator.scope import FutScope, FutVariable
from funmem.testing.fut_generator.types import (
    ANY,
    Arr,
    Fun,
    Param,
    Rec,
    SInt,
    Size,
    Sum,
    Tup,
    Type,
    show,
    show_size,
)

T = TypeVar("T")

Make = Function[["FutGenerator", Type, FutScope, int], str | None]


@frozen
class FutProducer:
    """A producer of expressions: its weight, and the types to which it applies."""

    name: str
    weight: float
    make: Make
    applies: Function[[Type], bool]


_SIMPLE = re.compile(
    r"-?[\w.']+|\((?:[^()\"]|\([^()]*\))*\)|[A-Za-z_][\w.']*\[[\w:]+\]|\[[\w, .]*\]"
)


def atom(e: str) -> str:
    """Return the expression as an argument or operand, in parentheses if necessary."""
    if re.fullmatch(r"[A-Za-z_0-9][\w.']*", e) and ".." not in e:
        return e
    if _SIMPLE.fullmatch(e) and e[0] in "([" and _one_group(e):
        return e
    if re.fullmatch(r"[A-Za-z_][\w.']*\[[\w:, ]+\]", e):
        return e
    return f"({e})"


def _one_group(e: str) -> bool:
    """True if the last character closes the first bracket."""
    depth = 0
    for i, c in enumerate(e):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0:
            return i == len(e) - 1
    return False


@define
class FutGenerator:
    """The state of the generation of one program; the same seed gives the same program."""

    rng: random.Random
    prefix: str
    producers: Sequence[FutProducer]
    rough: bool = False
    """Floats go through functions that implementations round differently, and are not compared."""
    traps: float = 0.0
    """Probability that an expression that may trap is not guarded."""
    functions: list[Callable] = field(factory=list)
    """The functions that the program has defined so far."""
    declared: list[Type] = field(factory=list)
    """Records and sums with names."""
    vector: str = ""
    """The program's abbreviation for ``[n]a``, if it has one."""
    constants: list[FutVariable] = field(factory=list)
    """The constants, which all functions see."""
    named_sizes: dict[str, int] = field(factory=dict)
    """The constants that may be sizes."""
    fuel: int = 150
    """Approximate number of expressions that may still be generated."""
    _count: int = 0

    # ------------------------------------------------------------------ chance

    def fresh(self, hint: str = "x") -> str:
        """Return a new name for a variable."""
        self._count += 1
        name = f"{hint}{self._count}"
        return self.fresh(hint) if name in SCALAR_NAMES else name

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def pick(self, items: Sequence[T]) -> T:
        return self.rng.choice(items)

    def outside(self, *types: str) -> FutScope:
        """Return the scope around a definition with these type parameters."""
        return FutScope(tuple(self.constants), (), types).sized(*self.named_sizes)

    def unsafe(self) -> bool:
        """True if a guard is left out."""
        return self.traps > 0 and self.chance(self.traps)

    # ------------------------------------------------------------------ expressions

    def exp(self, goal: Type, scope: FutScope, depth: int) -> str:
        """Return an expression of the type."""
        self.fuel -= 1
        if depth <= 0 or self.fuel <= 0:
            return self.leaf(goal, scope)
        known = scope.of(goal)
        if known and self.chance(0.25):
            return self.pick(known[-6:]).name
        ways = [p for p in self.producers if p.applies(goal)]
        for _ in range(4):
            if not ways:
                break
            (p,) = self.rng.choices(ways, [p.weight for p in ways])
            made = p.make(self, goal, scope, depth - 1)
            if made is not None:
                return made
        return self.leaf(goal, scope)

    def arg(self, goal: Type, scope: FutScope, depth: int) -> str:
        """Return an expression of the type as an argument."""
        return atom(self.exp(goal, scope, depth))

    def leaf(self, goal: Type, scope: FutScope) -> str:
        """Return a variable, or the simplest expression of the type."""
        known = scope.of(goal)
        if known and self.chance(0.8):
            return self.pick(known[-8:]).name
        match goal:
            case ScalarType():
                return self.literal(goal)
            case Arr(size, elem):
                return self._leaf_array(size, elem, scope)
            case Tup(elems):
                return f"({', '.join(self.leaf(e, scope) for e in elems)})"
            case Rec(fields):
                items = ", ".join(f"{label} = {self.leaf(t, scope)}" for label, t in fields)
                return "{" + items + "}"
            case Sum(constructors):
                name, ts = self.pick(constructors)
                return self.ascribe(
                    " ".join([f"#{name}", *(self._operand(t, scope) for t in ts)]), goal
                )
            case Param():
                return self._opaque(goal, scope)
            case Fun(param, result):
                x = self.fresh("y")
                inner = scope.inner().add(FutVariable(x, param))
                return f"\\{self.param(x, param)} -> {self.leaf(result, inner)}"

    def _operand(self, t: Type, scope: FutScope) -> str:
        return atom(self.leaf(t, scope))

    def _opaque(self, goal: Param, scope: FutScope) -> str:
        known = scope.of(goal)
        if known:
            return known[-1].name
        for k in scope.known:  # a record or tuple that contains one
            match k.type:
                case Tup(elems) if goal in elems:
                    return f"{k.name}.{elems.index(goal)}"
        raise LookupError(f"no value of type {goal.name} in scope")

    def _leaf_array(self, size: Size, elem: Type, scope: FutScope) -> str:
        known = [k for k in scope.known if isinstance(k.type, Arr) and k.type.elem == elem]
        if size == ANY:
            if known:
                return self.pick(known[-8:]).name
            size = SInt(self.rng.randint(1, 3))
        match size:
            case SInt(value) if 0 < value < 5:
                items = ", ".join(self.leaf(elem, scope) for _ in range(value))
                return f"[{items}]"
            case _:
                n = atom(show_size(size))
                if elem == I64 and self.chance(0.5):
                    return f"iota {n}"
                return f"replicate {n} {self._operand(elem, scope)}"

    def param(self, x: str, t: Type, *, bare: float = 0.4) -> str:
        """Return a parameter of a lambda; an unnecessary type may be left out."""
        if isinstance(t, ScalarType | Param) and self.chance(bare):
            return x
        return f"({x}: {show(t)})"

    def ascribe(self, e: str, t: Type) -> str:
        return f"({e} : {show(t)})"

    # ------------------------------------------------------------------ literals

    def literal(self, t: ScalarType, *, suffix: float = 0.5) -> str:
        """Return a number of the type; extreme values are rare."""
        if t is BOOL:
            return self.pick(("true", "false"))
        tag = str(t) if self.chance(suffix) else ""
        if t.is_float:
            if self.chance(0.04):
                return self.pick((f"{t}.nan", f"{t}.inf", f"(-{t}.inf)", f"{t}.highest"))
            text = self.pick(("0", "1", "2", "0.5", "1.5", "3", "10", "0.25", "7.75", "1e2", "0.1"))
            return self._signed(text + tag)
        if self.chance(0.06):
            return self.pick((f"{t}.highest", f"{t}.lowest"))
        if self.chance(0.1):
            most = t.max
            value = self.rng.randint(0, most)
            return f"{value}{t}"
        value = self.pick((0, 1, 1, 2, 3, 4, 5, 7, 10, 13, 42, 100))
        if self.chance(0.03):
            return f"{self.pick((hex, bin))(value)}{t}"
        return f"{value}{tag}" if t.min == 0 else self._signed(f"{value}{tag}")

    def _signed(self, text: str) -> str:
        return f"-{text}" if self.chance(0.2) else text

    # ------------------------------------------------------------------ types

    def scalar(self) -> ScalarType:
        """Return a scalar type, mostly a usual one; f16 only if results may differ."""
        if self.chance(0.6):
            return self.pick((I32, I64, BOOL, F32, F64))
        t = self.pick(SCALARS)
        return I32 if t is F16 and not self.rough else t

    def size(self, scope: FutScope) -> Size:
        """Return a size that can be written: a name in scope, or a number."""
        if scope.sizes and self.chance(0.8):
            return self.pick(scope.sizes)
        return SInt(self.pick((0, 1, 2, 2, 3, 3, 4)))

    def factor(self, scope: FutScope) -> Size:
        """Return a size for a product: 0 and 1 would hide the other factors."""
        size = self.size(scope)
        return SInt(self.rng.randint(2, 4)) if isinstance(size, SInt) else size

    def type(self, scope: FutScope, depth: int = 2, *, arrays: bool = True) -> Type:
        """Return a type without functions, with sizes of the scope."""
        held = [k.type for k in scope.known if not isinstance(k.type, Fun) and scope.named(k.type)]
        if held and self.chance(0.4):
            t = self.pick(held)
            if arrays or not isinstance(t, Arr):
                return t
        if self.declared and depth > 0 and self.chance(0.2):
            return self.pick(self.declared)
        if depth <= 0 or self.chance(0.55):
            if scope.types and self.chance(0.4):
                return Param(self.pick(scope.types))
            return self.scalar()
        if arrays and self.chance(0.45):
            return Arr(self.size(scope), self.type(scope, depth - 1))
        if self.declared and self.chance(0.4):
            return self.pick(self.declared)
        return Tup(
            tuple(self.type(scope, depth - 1, arrays=arrays) for _ in range(self.pick((2, 2, 3))))
        )
