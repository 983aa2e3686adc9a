"""Types scalar expressions for the host plan, and prints expressions and sizes as C.

Every expression first becomes a typed one of :mod:`plan <funmem.codegen.plan>`.  The host evaluates
it, or it is printed as C; so host and device agree on the type of every operator.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from funmem.codegen.plan import Binary, Cast, Condition, Expr, Test, Unary
from funmem.codegen.scalars_cl import (
    c_bin,
    c_const,
    c_convert,
    c_extremum,
    c_power,
    c_un,
)
from funmem.ir import imp
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.fun import Bin, Const, Convert, MemType, ScalarExp, Un, Var
from funmem.ir.imp_traverse import VarType, type_of
from funmem.ir.names import Name
from funmem.ir.scalars import F32, F64, I64, BinOp, ScalarType, bin_result, normalise, un_result
from funmem.ir.sizes import Monomial, Size

NameOf = Callable[[Name], str]
"""Returns the C name of a variable."""

# ---------------------------------------------------------------------- typing


def typed(e: ScalarExp, types: dict[Name, VarType], at: Span) -> tuple[Expr, ScalarType]:
    """Return the typed form of a scalar expression and its type.  Raises SourceError (T-SCALAR)."""
    match e:
        case Const(_, t):
            return e, t
        case Var(x):
            return e, scalar_type(types, x, at)
        case Bin(op, a, b):
            left, t = typed(a, types, at)
            right, u = typed(b, types, at)
            result = bin_result(op, t) if t is u else None
            return Binary(op, t, left, right), _defined(result, f"{t} {op} {u}", at)
        case Un(op, a):
            operand, t = typed(a, types, at)
            return Unary(op, t, operand), _defined(un_result(op, t), f"{op} {t}", at)
        case Convert(to, a):
            operand, t = typed(a, types, at)
            return Cast(to, t, operand), to


def _defined(t: ScalarType | None, what: str, at: Span) -> ScalarType:
    if t is None:
        raise SourceError(Diagnostic(at, "T-SCALAR", f"{what} is not defined"))
    return t


def scalar_type(types: dict[Name, VarType], x: Name, at: Span) -> ScalarType:
    """Return the type of a scalar variable.  Raises SourceError if it is a block."""
    t = type_of(types, x, at)
    if isinstance(t, MemType):
        raise SourceError(Diagnostic(at, "T-SCALAR", f"`{x}` is a block, not a scalar"))
    return t


def typed_condition(c: imp.Condition, types: dict[Name, VarType], at: Span) -> Condition:
    """Return a condition with typed expressions."""
    return Test(typed(c.cond, types, at)[0]) if isinstance(c, imp.Holds) else c


# ---------------------------------------------------------------------- C


def c_expr(e: Expr, name: NameOf, numbers: frozenset[Name] = frozenset()) -> str:
    """Return a typed expression as C; the text is always a primary expression.

    ``numbers``: the float variables that are never NaN.
    """
    match e:
        case Const(v, t):
            return c_const(v, t)
        case Var(x):
            return name(x)
        case Binary(BinOp.LAND, _, Binary(BinOp.LE, t, Const(0), a), Binary(BinOp.LT, _, b, n)) if (
            a == b and t is I64
        ):
            return _inside(c_expr(a, name, numbers), c_expr(n, name, numbers), n)
        case Binary(BinOp.POW, t, a, Const(k)):
            return c_power(t, c_expr(a, name, numbers), k)
        case Binary(BinOp.MIN | BinOp.MAX as op, t, a, b) if t in (F32, F64) and (
            _is_in(a, numbers) or _is_in(b, numbers)
        ):
            first, second = (a, b) if _is_in(a, numbers) else (b, a)
            return c_extremum(op, t, c_expr(first, name, numbers), c_expr(second, name, numbers))
        case Binary(op, t, a, b):
            return c_bin(op, t, c_expr(a, name, numbers), c_expr(b, name, numbers))
        case Unary(op, t, a):
            return c_un(op, t, c_expr(a, name, numbers))
        case Cast(to, source, a):
            return c_convert(source, to, c_expr(a, name, numbers))


def _is_in(e: Expr, numbers: frozenset[Name]) -> bool:
    return isinstance(e, Var) and e.name in numbers


DEEPEST = 40
"""Cap on the nesting depth of operators in a C expression: clang's limit is 256 brackets, and each
operator has up to four.
"""


def in_parts(e: Expr, part: Callable[[Expr, ScalarType], Name]) -> Expr:
    """Return an expression that is not nested too deeply; ``part`` declares a variable for a
    subexpression.
    """
    return _in_parts(e, part)[0]


def _in_parts(e: Expr, part: Callable[[Expr, ScalarType], Name]) -> tuple[Expr, int]:
    """Return the expression and its depth."""
    found: Expr
    match e:
        case Const() | Var():
            return e, 0
        case Binary(op, t, a, b):
            (a, left), (b, right) = _in_parts(a, part), _in_parts(b, part)
            found, depth, result = Binary(op, t, a, b), max(left, right), bin_result(op, t)
        case Unary(op, t, a):
            a, depth = _in_parts(a, part)
            found, result = Unary(op, t, a), un_result(op, t)
        case Cast(to, source, a):
            a, depth = _in_parts(a, part)
            found, result = Cast(to, source, a), to
    if depth < DEEPEST:
        return found, depth + 1
    assert result is not None  # it was typed
    return Var(part(found, result)), 1


def _inside(i: str, n: str, bound: Expr) -> str:
    """Return ``0 <= i && i < n`` as one unsigned comparison, in which negative numbers are large.

    A negative bound is replaced by zero; in a loop the C compiler hoists that if it is invariant.
    """
    above = isinstance(bound, Const) and not isinstance(bound.value, str) and bound.value >= 0
    most = n if above else c_bin(BinOp.MAX, I64, n, c_const(0, I64))
    return f"((ulong){i} < (ulong){most})"


def c_size(s: Size, name: NameOf) -> str:
    """Return a size as C arithmetic on long; it is exact if the size and its terms fit 64 bits.

    Offsets of existing elements do.  Sizes in checks are computed by ``c_size_checked``.
    """
    if not s.terms:
        return c_const(0, I64)
    text = ""
    for monomial, k in s.terms:
        factors = [name(x) for x in monomial]
        if abs(k) != 1 or not factors:
            factors.insert(0, c_const(normalise(abs(k), I64), I64))
        sign = ("-" if k < 0 else "") if not text else (" - " if k < 0 else " + ")
        text += sign + " * ".join(factors)
    return text


def is_plain(s: Size) -> bool:
    """True if a size is a constant or a variable, so that there is no arithmetic to overflow."""
    k = s.as_const
    return s.as_name is not None or (k is not None and I64.min <= k <= I64.max)


def c_size_checked(s: Size, name: NameOf, over: str) -> str:
    """Return a size as C calls that set the int variable ``over`` if a value exceeds 64 bits."""
    total = ""
    for monomial, k in sorted(s.terms, key=_is_subtracted):
        if not I64.min <= k <= I64.max:
            return f"sz_over(&{over})"
        subtract = _is_subtracted((monomial, k))
        factors = [name(x) for x in monomial]
        if (k != 1 and not subtract) or not factors:
            factors.insert(0, c_const(k, I64))
        term = factors[0]
        for factor in factors[1:]:
            term = f"sz_mul({term}, {factor}, &{over})"
        if subtract:
            total = f"sz_sub({total or c_const(0, I64)}, {term}, &{over})"
        else:
            total = f"sz_add({total}, {term}, &{over})" if total else term
    return total or c_const(0, I64)


def _is_subtracted(term: tuple[Monomial, int]) -> bool:
    monomial, k = term
    return k == -1 and monomial != ()


# ---------------------------------------------------------------------- bounds of loops

Ranges = Mapping[Name, tuple[int, int]]
"""Maps variables to their least and greatest value; other variables may have any i64 value."""


NO_RANGES: Ranges = MappingProxyType({})


def sizes_known(sizes: Iterable[Name]) -> Ranges:
    """Return the ranges of the sizes of arguments, which are not negative."""
    return dict.fromkeys(sizes, (0, I64.max))


def fits(s: Size, ranges: Ranges) -> bool:
    """True if neither a size nor any partial sum of its terms exceeds 64 bits."""
    least = most = 0
    for monomial, k in s.terms:
        ends = (k, k)
        for x in monomial:
            low, high = ranges.get(x, (I64.min, I64.max))
            corners = [a * b for a in ends for b in (low, high)]
            ends = min(corners), max(corners)
        least, most = least + min(0, ends[0]), most + max(0, ends[1])
        if not monomial and k == I64.min:  # `c_size` prints its absolute value, which does not fit
            return False
    return I64.min <= least and most <= I64.max


def c_bound(
    s: Size, name: NameOf, fresh: Callable[[], str], ranges: Ranges
) -> tuple[list[str], str]:
    """Return the trip count of a loop: C lines that compute it, and then a C expression.

    Where the size exceeds 64 bits, the expression is the nearest number that fits.  That is the
    same: a negative count means no iterations, and the largest count never finishes.
    """
    if fits(s, ranges):
        return [], c_size(s, name)
    over, value, factors, room = (fresh() for _ in range(4))
    products = _products(s, name)
    limbs = 1 + max(map(len, products))
    given = ", ".join(x for p in products for x in (str(len(p)), *p))
    lines = [
        f"int {over} = 0;",
        f"long {value} = {c_size_checked(s, name, over)};",
        f"if ({over}) {{",
        f"    const long {factors}[] = {{{given}}};",
        f"    ulong {room}[{2 * limbs}];",
        f"    {value} = sz_clamp({len(products)}, {factors}, {limbs}, {room});",
        "}",
    ]
    return lines, value


def _products(s: Size, name: NameOf) -> list[list[str]]:
    """Return a size as a sum of products of 64-bit numbers; large coefficients are split."""
    digit = 62
    found = []
    for monomial, k in s.terms:
        scale: list[str] = []
        rest = abs(k)
        while rest:
            low = rest % (1 << digit)
            if low:
                factors = [*scale, *map(name, monomial)]
                if k != 1 or not factors:
                    factors.insert(0, c_const(low if k > 0 else -low, I64))
                found.append(factors)
            rest >>= digit
            scale.append(c_const(1 << digit, I64))
    return found


CHECKED_ARITHMETIC = """\
/* 64-bit arithmetic that notices when a result does not fit. */
static inline long sz_over(int *over)
{
    *over = 1;
    return 0;
}
static inline long sz_add(long a, long b, int *over)
{
    long sum = (long)((ulong)a + (ulong)b);
    *over |= ((a ^ sum) & (b ^ sum)) < 0;
    return sum;
}
static inline long sz_sub(long a, long b, int *over)
{
    long difference = (long)((ulong)a - (ulong)b);
    *over |= ((a ^ b) & (a ^ difference)) < 0;
    return difference;
}
static inline long sz_mul(long a, long b, int *over)
{
    long product = (long)((ulong)a * (ulong)b);
    *over |= mul_hi(a, b) != (product >> 63);
    return product;
}
/* A sum of products, or the long that is nearest to it.  `n` holds of each product how many factors
   it has, and these; `sum` has room for twice `limbs` words, of which half are enough for a sum. */
static __attribute__((cold, noinline)) long sz_clamp(int products, const long *n, int limbs,
                                                      ulong *sum)
{
    ulong *product = sum + limbs;
    for (int k = 0; k < limbs; k++)
        sum[k] = 0;
    for (; products > 0; products--) {
        bool negative = false;
        for (int k = 0; k < limbs; k++)
            product[k] = k == 0;
        for (long factors = *n++; factors > 0; factors--, n++) {
            ulong minus = *n < 0, factor = ((ulong)*n ^ (0 - minus)) + minus, carry = 0;
            negative ^= minus != 0;
            for (int k = 0; k < limbs; k++) {
                ulong low = product[k] * factor + carry;
                carry = mul_hi(product[k], factor) + (low < carry);
                product[k] = low;
            }
        }
        ulong carry = negative;
        for (int k = 0; k < limbs; k++) {
            ulong limb = negative ? ~product[k] : product[k];
            ulong next = limb + carry;
            carry = next < limb;
            sum[k] += next;
            carry += sum[k] < next;
        }
    }
    bool negative = (long)sum[limbs - 1] < 0, fits = ((long)sum[0] < 0) == negative;
    for (int k = 1; k < limbs; k++)
        fits &= sum[k] == (negative ? ~0UL : 0);
    return fits ? (long)sum[0] : (long)(negative ? 1UL << 63 : ~0UL >> 1);
}
/* Whether an LMAD has no two indices of one address, in 64 bits as all its addresses are: `n` holds
   the lengths, then the strides, then room for three numbers for each dimension.  Walks through the
   differences of two indices whose distance the smaller strides can still make up for. */
static inline bool sz_injective(int rank, long *n)
{
    long *s = n + rank, *reach = s + rank, *step = reach + rank, *sum = step + rank;
    int q = 0;
    for (int k = 0; k < rank; k++)
        if (n[k] <= 0)
            return true;
    for (int k = 0; k < rank; k++) {
        long most = n[k] - 1;
        if (most == 0)
            continue;
        if (s[k] == 0)
            return false;
        long stride = s[k] < 0 ? -s[k] : s[k];
        int j = q++;
        for (; j > 0 && s[j - 1] < stride; j--)
            n[j] = n[j - 1], s[j] = s[j - 1];
        n[j] = most, s[j] = stride;
    }
    long rest = 0;
    for (int k = q - 1; k >= 0; k--)
        reach[k] = rest, rest += n[k] * s[k];
    int k = 0;
    if (q > 0)
        step[0] = -1, sum[0] = 0;
    while (q > 0) {
        long next = sum[k] + ++step[k] * s[k];
        if (step[k] > n[k] || next > reach[k]) {
            if (k-- == 0)
                break;
        } else if (next == 0 && sum[k] != 0) {
            return false;
        } else if (k + 1 < q) {
            k++;
            sum[k] = next;
            long low = -reach[k] - next;
            low = low > 0 ? (low + s[k] - 1) / s[k] : low / s[k];
            step[k] = (next == 0 ? 0 : low < -n[k] ? -n[k] : low) - 1;
        }
    }
    return true;
}
"""


def names_from(table: Mapping[Name, str]) -> NameOf:
    """Return a lookup in a table."""
    return table.__getitem__
