"""Producers of scalar expressions: operators, and functions of the scalar modules."""

from funmem.ir.scalars import BOOL, I32, ScalarType
from funmem.testing.fut_generator.generator import FutGenerator, atom
from funmem.testing.fut_generator.library import Callable, scalar_members
from funmem.testing.fut_generator.scope import FutScope
from funmem.testing.fut_generator.types import ANY, Arr, Param, Type, holds_function, parts

JUMPS = frozenset(("floor", "ceil", "trunc", "round", "%", "sgn", "==", "!=", "<", ">", "<=", ">="))
"""Float functions that amplify small differences."""


def is_number(t: Type) -> bool:
    """True if the type is numeric."""
    return isinstance(t, ScalarType) and t is not BOOL


def is_int(t: Type) -> bool:
    """True if the type is an integer type."""
    return isinstance(t, ScalarType) and t.is_int


def infix(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return a chain ``a + b * c``, which is parsed by precedence."""
    assert isinstance(goal, ScalarType)
    if goal.is_float:
        ops = ["+", "-", "*", "+", "-", "*", "/"]
    else:
        ops = ["+", "-", "*", "+", "-", "*", "&", "|", "^"]
    own = [c.name for c in g.functions if c.is_operator and c.result is goal]
    ops += own * 4
    text = g.arg(goal, scope, depth)
    for _ in range(g.pick((1, 1, 1, 2, 3))):
        text += f" {g.pick(ops)} {g.arg(goal, scope, depth)}"
    return text


def divide(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return an integer division, normally by a nonzero number."""
    assert isinstance(goal, ScalarType)
    op = g.pick(("/", "%", "//", "%%"))
    a = g.arg(goal, scope, depth)
    if g.unsafe():
        return f"{a} {op} {g.arg(goal, scope, depth)}"
    if g.chance(0.3):
        return f"{a} {op} ({g.arg(goal, scope, depth)} | 1)"
    return f"{a} {op} {g.pick((1, 2, 3, 5, 7, 10))}"


def remainder(g: FutGenerator, goal: Type, scope: FutScope, _: int) -> str | None:
    """Return ``%`` of floats of the same sign; see ``MISSING`` in library.py."""
    given = [k.name for k in scope.of(goal) if k.root]
    if g.rough or not given:
        return None
    return f"({goal}.abs {g.pick(given)}) % {g.pick(('0.5', '2', '3.25'))}"


def power(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``a ** b``, normally with nonnegative b."""
    assert isinstance(goal, ScalarType)
    if goal.is_float and not g.rough:
        return None
    a = g.arg(goal, scope, depth)
    if goal.is_int and g.unsafe():
        return f"{a} ** {g.arg(goal, scope, depth)}"
    return f"{a} ** {g.pick((0, 1, 2, 3, 5))}"


def shift(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return a shift by less than the number of bits of the type."""
    assert isinstance(goal, ScalarType)
    a = g.arg(goal, scope, depth)
    count = g.rng.randint(0, goal.bits - 1)
    if g.chance(0.3):
        return f"({goal}.{g.pick(('<<', '>>>', '>>' if goal.min else '<<'))}) {a} {count}"
    return f"{a} {g.pick(('<<', '>>'))} {count}"


def negate(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``-a``, or ``!a`` for integers."""
    assert isinstance(goal, ScalarType)
    e = g.arg(goal, scope, depth)
    literal = e[0].isdigit() and goal.is_int and goal.min == 0  # its negation has another type
    return f"{'!' if literal or (goal.is_int and g.chance(0.3)) else '-'}{e}"


def compare(g: FutGenerator, _: Type, scope: FutScope, depth: int) -> str | None:
    """Return a comparison of numbers, or an equality of any values."""
    if g.chance(0.75):
        t = g.scalar()
        if t is BOOL or (t.is_float and g.rough):
            t = I32
        op = g.pick(("<", "<=", ">", ">=", "==", "!="))
        return f"{g.arg(t, scope, depth)} {op} {g.arg(t, scope, depth)}"
    kind = g.type(scope, 1)
    if holds_function(kind) or has_parameter(kind) or (g.rough and has_float(kind)):
        return None
    return f"{g.arg(kind, scope, depth)} {g.pick(('==', '!='))} {g.arg(kind, scope, depth)}"


def connect(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``a && b`` or ``!a``."""
    if g.chance(0.2):
        return f"!{g.arg(goal, scope, depth)}"
    op = g.pick(("&&", "||"))
    return f"{g.arg(goal, scope, depth)} {op} {g.arg(goal, scope, depth)}"


# ---------------------------------------------------------------------- modules


def allowed(g: FutGenerator, c: Callable) -> bool:
    """True if the program may call the function, depending on its treatment of floats."""
    floats = any(isinstance(a.type, ScalarType) and a.type.is_float for a in c.args)
    short = c.chosen.split(".")[1]
    if "f16" in c.chosen or any(str(a.type) == "f16" for a in c.args):
        return g.rough and short not in JUMPS and not _narrows(c)
    if g.rough:
        return not (floats and (short in JUMPS or _narrows(c)))
    return not c.rough


def _narrows(c: Callable) -> bool:
    """True if a float becomes another type: small differences would become large ones."""
    seen = [a for a in c.args if a.role != "literal"]
    floats = any(isinstance(a.type, ScalarType) and a.type.is_float for a in seen)
    return floats and isinstance(c.result, ScalarType) and not c.result.is_float


def member(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return a call of a function of a scalar module, or one of its constants."""
    ways = [c for c in scalar_members() if c.result is goal and allowed(g, c)]
    if not ways:
        return None
    return apply_member(g, g.pick(ways), scope, depth)


def apply_member(g: FutGenerator, c: Callable, scope: FutScope, depth: int) -> str:
    """Return ``T.f a b``."""
    if c.traps and not g.unsafe():
        return _safe_division(g, c, scope, depth)
    args = [member_arg(g, a.type, a.role, c.result, scope, depth) for a in c.args]
    return " ".join([c.name, *args])


def _safe_division(g: FutGenerator, c: Callable, scope: FutScope, depth: int) -> str:
    t = c.args[0].type
    return f"{c.name} {g.arg(t, scope, depth)} {g.pick((1, 2, 3, 7))}"


def member_arg(
    g: FutGenerator, t: Type, role: str, result: Type, scope: FutScope, depth: int
) -> str:
    """Return an argument that is sensible for its role."""
    match t, role:
        case ScalarType(), "literal":
            return atom(g.literal(t))
        case _, "bit":
            return str(g.rng.randint(0, 7))
        case _, "truth":
            return str(g.rng.randint(0, 1))
        case _, "unit":
            return g.pick(("0", "0.25", "0.5", "1"))
        case _, "few":
            return str(g.rng.randint(0, 5))
        case ScalarType(), "moderate":
            signed = not isinstance(result, ScalarType) or result.is_float or result.min < 0
            least = -100 if signed else 0
            return f"({t}.max ({least}) ({t}.min 100 {g.arg(t, scope, depth)}))"
        case Arr(_, elem), _:
            return g.arg(Arr(ANY, elem), scope, depth)
        case _:
            return g.arg(t, scope, depth)


# ---------------------------------------------------------------------- helpers


def has_float(t: Type) -> bool:
    """True if floats occur in the type."""
    return any(isinstance(p, ScalarType) and p.is_float for p in parts(t))


def has_parameter(t: Type) -> bool:
    """True if a type parameter occurs in the type."""
    return any(isinstance(p, Param) for p in parts(t))
