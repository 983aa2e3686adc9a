"""The type rules of IMP (paper 002, figs. 11 and 12; the paper calls them trivial and elides them).

    ⊢ def          T-IMP-FUNCTION
    ⊢ entry        T-IMP-PROG
    Γ ⊢ s          T-IMP-…
    Γ ⊢ c          the condition of a check

Every variable is declared once in an entry point, before it is used, and is visible to the end of
the block that declares it; assigned.py checks that it has a value.  Accesses state the element
type; offsets, bounds and sizes are polynomials of i64 variables.  The iterations of a kernel share
the variables outside it, so a kernel assigns none of them.
"""

from collections.abc import Mapping
from types import MappingProxyType

from attrs import field

from funmem.ir.check.context import Gamma
from funmem.ir.check.rules import many, require
from funmem.ir.check.scalar import (
    fresh,
    lengths,
    message,
    name,
    scalar,
    sizes,
    truth,
    well_formed,
)
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.fun import ArrayType, Linkage, MemType, ScalarExp, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    CallStm,
    Check,
    Condition,
    CopyElement,
    Declare,
    ForStm,
    Holds,
    IfStm,
    ImpEntry,
    ImpFunction,
    ImpStm,
    Injective,
    InRange,
    KernelStm,
    NonNegative,
    OpaqueStm,
    Port,
    RangeInside,
    Read,
    ScalarPort,
    Shown,
    SizesEqual,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import is_partial, nested
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, I64, ScalarType
from funmem.ir.sizes import Size

NO_FUNCTIONS: Mapping[Name, ImpFunction] = MappingProxyType({})


@define
class Scope:
    """Γ, and the variables that may be assigned here: not indices, sizes, or variables declared
    outside the kernel.
    """

    gamma: Gamma = field(factory=Gamma)
    own: set[Name] = field(factory=set)
    functions: Mapping[Name, ImpFunction] = NO_FUNCTIONS

    def inner(self) -> "Scope":
        """Return the scope of a block in the same iteration."""
        return Scope(self.gamma.inner(), set(self.own), self.functions)

    def declare(self, x: Name, t: ScalarType | MemType, at: Span, *, own: bool = True) -> None:
        """Γ, (x : t)."""
        fresh(self.gamma, x, at)
        self.gamma.types[x] = t
        if own:
            self.own.add(x)


# ---------------------------------------------------------------------- programs


def function(f: ImpFunction, earlier: Mapping[Name, ImpFunction]) -> tuple[Diagnostic, ...]:
    """⊢ def (T-IMP-FUNCTION): scalars from scalars; it may call ``earlier`` functions."""
    s = Scope(functions=earlier)
    with s.gamma.report.on():
        require(f.name not in earlier, f.at, "T-IMP-FUNCTION", "there are two functions {}", f.name)
        for p in f.params:
            s.declare(p.x, p.type, f.at)
        for stm in nested(f.body):
            require(
                not isinstance(stm, Allocate | Read | Write | CopyElement | KernelStm)
                and not (isinstance(stm, Declare) and isinstance(stm.type, MemType)),
                stm.at,
                "T-IMP-FUNCTION",
                "a function has no blocks and kernels",
                hint="it has scalar variables, if, for, while, check and calls",
            )
            require(
                not isinstance(stm, CallStm) or stm.linkage is Linkage.OWN,
                stm.at,
                "T-IMP-FUNCTION",
                "a function calls no foreign function",
            )
        statements(s, f.body)
        for p in f.results:
            port(s, p, f.at)
    return tuple(s.gamma.report.errors)


def entry(e: ImpEntry, functions: Mapping[Name, ImpFunction]) -> tuple[Diagnostic, ...]:
    """⊢ entry: return the errors in parameters, body and results."""
    s = Scope(functions=functions)
    with s.gamma.report.on():
        for n in e.sizes:
            s.declare(n, I64, e.at, own=False)
        for p in e.params:
            match p:
                case ScalarPort(x, t):
                    s.declare(x, t, e.at)
                case ArrayPort(m):
                    s.declare(m, MemType(), e.at)
        for p in e.params:
            port(s, p, e.at)
        statements(s, e.body)
        for p in e.results:
            port(s, p, e.at)
    return tuple(s.gamma.report.errors)


def port(s: Scope, p: Port, at: Span) -> None:
    """Γ ⊢ (x : t) and Γ ⊢ (m : [d]…[d]t), at the border (T-IMP-PORT)."""
    match p:
        case ScalarPort(x, t):
            found = name(s.gamma, x, at)
            require(found is t, at, "T-IMP-PORT", "{} has type {}, not {}", x, found, t)
        case ArrayPort(m, t, shape):
            found = name(s.gamma, m, at)
            require(found == MemType(), at, "T-IMP-PORT", "{} has type {}, not mem", m, found)
            well_formed(s.gamma, ArrayType(t, shape), at)


# ---------------------------------------------------------------------- statements


def statements(s: Scope, b: Block) -> None:
    """Γ ⊢ s; …; s."""
    for stm in b:
        with s.gamma.report.on():
            statement(s, stm)


def statement(s: Scope, stm: ImpStm) -> None:
    """Γ ⊢ s (fig. 11)."""
    g, at = s.gamma, stm.at
    match stm:
        case Declare(x, t):  # T-IMP-DECLARE
            s.declare(x, t, at)
        case Assign(x, value):  # T-IMP-ASSIGN
            assign(s, x, value, at)
        case Allocate(x, d, space):  # T-IMP-ALLOC
            target = assigned(s, x, at)
            require(
                target == MemType(space),
                at,
                "T-IMP-ALLOC",
                "{} has type {}, the new block {}",
                x,
                target,
                MemType(space),
            )
            sizes(g, (d,), at)
        case Read(x, m, d, elem):  # T-IMP-READ
            target = assigned(s, x, at)
            block(g, m, at)
            sizes(g, (d,), at)
            require(
                target is elem,
                at,
                "T-IMP-READ",
                "{} has type {}, the element that is read {}",
                x,
                target,
                elem,
            )
        case Write(m, d, value, elem):  # T-IMP-WRITE
            block(g, m, at)
            sizes(g, (d,), at)
            t = scalar(g, value, at)
            require(
                t is elem,
                at,
                "T-IMP-WRITE",
                "the value has type {}, the element that is written {}",
                t,
                elem,
            )
        case CopyElement(m, d, k, o, _):  # T-IMP-COPY
            block(g, m, at)
            block(g, k, at)
            sizes(g, (d, o), at)
        case IfStm(cond, then, orelse):  # T-IMP-IF
            truth(g, cond, at)
            statements(s.inner(), then)
            statements(s.inner(), orelse)
        case ForStm(i, d, body):  # T-IMP-FOR
            sizes(g, (d,), at)
            inner = s.inner()
            inner.declare(i, I64, at, own=False)
            statements(inner, body)
        case WhileStm(x, body):  # T-IMP-WHILE
            truth(g, Var(x), at)
            statements(s.inner(), body)
        case KernelStm(dims, body):  # T-IMP-KERNEL
            lengths(g, (d.bound for d in dims), at)
            effects(body)
            inner = Scope(g.inner(), functions=s.functions)
            for dim in dims:
                inner.declare(dim.index, I64, at, own=False)
            statements(inner, body)
        case CallStm():  # T-IMP-CALL
            call(s, stm)
        case OpaqueStm():  # T-IMP-OPAQUE
            opaque(g, stm)
        case Check(cond, _, text, args):  # T-IMP-CHECK
            condition(g, cond, at)
            message(text, len(args), at)
            for a in args:
                message_argument(s, a, at)


def assign(s: Scope, x: Name, value: ScalarExp, at: Span) -> None:
    """Γ ⊢ x <- se: scalars, or one block variable to another of the same space (T-IMP-ASSIGN)."""
    target = assigned(s, x, at)
    if isinstance(target, MemType) and isinstance(value, Var):
        source: ScalarType | MemType = block(s.gamma, value.name, at)
    else:
        source = scalar(s.gamma, value, at)
    require(target == source, at, "T-IMP-ASSIGN", "{} has type {}, the value {}", x, target, source)


def foreign(s: Scope, stm: CallStm) -> None:
    """Γ ⊢ call (x, …) <- f (se, …) foreign, effect (T-IMP-FOREIGN)."""
    given = [scalar(s.gamma, a, stm.at) for a in stm.args]
    results = [assigned(s, x, stm.at) for x in stm.results]
    for x, t in zip(stm.results, results, strict=True):
        require(isinstance(t, ScalarType), stm.at, "T-IMP-FOREIGN", "{} is a block", x)
    if stm.linkage is Linkage.EFFECT:
        found = [ts[0] if ts else None for ts in (given, results)]
        text = "an effect takes and gives a token, a bool, first: {} has {}"
        require(found == [BOOL, BOOL], stm.at, "T-IMP-FOREIGN", text, stm.fn, tuple(found))


def effects(body: Block) -> None:
    """No effect and no foreign code on arrays is inside a kernel (T-IMP-EFFECT)."""
    for stm in nested(body):
        effect = isinstance(stm, CallStm) and stm.linkage is Linkage.EFFECT
        require(not effect, stm.at, "T-IMP-EFFECT", "an effect inside a kernel")
        opaque = isinstance(stm, OpaqueStm)
        require(not opaque, stm.at, "T-IMP-EFFECT", "foreign code on arrays inside a kernel")


def opaque(g: Gamma, stm: OpaqueStm) -> None:
    """Γ ⊢ opaque ((m : t), …) <- f (a, …) grid [d]… (T-IMP-OPAQUE)."""
    at = stm.at
    for a in stm.args:
        if not isinstance(a, ArrayPort):
            scalar(g, a, at)
    sizes(g, stm.grid, at)
    require(len(stm.results) > 0, at, "T-IMP-OPAQUE", "{} has no result", stm.fn)
    given = [p.block for p in stm.arrays]
    for p in (*stm.arrays, *stm.results):
        block(g, p.block, at)
        lengths(g, p.shape, at)
    for p in stm.results:
        text = "{} holds two arrays of the statement"
        require(p.block not in given, at, "T-IMP-OPAQUE", text, p.block)
        given.append(p.block)


def call(s: Scope, stm: CallStm) -> None:
    """Γ ⊢ call (x, …) <- f (se, …) (T-IMP-CALL)."""
    if stm.linkage is not Linkage.OWN:
        foreign(s, stm)
        return
    f, at = s.functions.get(stm.fn), stm.at
    require(f is not None, at, "T-IMP-CALL", "there is no function {} before this call", stm.fn)
    assert f is not None
    require(
        (len(stm.args), len(stm.results)) == (len(f.params), len(f.results)),
        at,
        "T-IMP-CALL",
        "{} has {} and {}, the call {} and {}",
        f.name,
        many(len(f.params), "parameter"),
        many(len(f.results), "result"),
        len(stm.args),
        len(stm.results),
    )
    for a, p in zip(stm.args, f.params, strict=True):
        t = scalar(s.gamma, a, at)
        require(
            t is p.type,
            at,
            "T-IMP-CALL",
            "the argument for {} has type {}, expected {}",
            p.x,
            t,
            p.type,
        )
    for x, r in zip(stm.results, f.results, strict=True):
        target = assigned(s, x, at)
        require(
            target is r.type,
            at,
            "T-IMP-CALL",
            "{} has type {}, the result {} has type {}",
            x,
            target,
            r.x,
            r.type,
        )
    require(
        stm.partial or not is_partial(f),
        at,
        "T-IMP-CALL",
        "{} may trap or not terminate",
        f.name,
        hint="write partial after the arguments",
    )


def message_argument(s: Scope, a: Size | Shown, at: Span) -> None:
    """Γ ⊢ d and Γ ⊢ x : t, in a message (T-IMP-CHECK)."""
    match a:
        case Shown(x, t):
            found = name(s.gamma, x, at)
            require(found is t, at, "T-IMP-CHECK", "{} has type {}, not {}", x, found, t)
        case _:
            sizes(s.gamma, (a,), at)


def assigned(s: Scope, x: Name, at: Span) -> ScalarType | MemType:
    """Γ ⊢ x <- …: x is a variable of this iteration (T-IMP-TARGET)."""
    t = name(s.gamma, x, at)
    require(
        x in s.own,
        at,
        "T-IMP-TARGET",
        "{} is not assigned here: it is an index, a size, or declared outside the kernel",
        x,
        hint="declare a variable in the body of the kernel, or write to a block",
    )
    assert isinstance(t, ScalarType | MemType)
    return t


def block(g: Gamma, m: Name, at: Span) -> MemType:
    """(m : mem) ∈ Γ (T-IMP-BLOCK)."""
    t = name(g, m, at)
    require(isinstance(t, MemType), at, "T-IMP-BLOCK", "{} has type {}, not a block", m, t)
    assert isinstance(t, MemType)
    return t


def condition(g: Gamma, c: Condition, at: Span) -> None:
    """Γ ⊢ c (T-IMP-HOLDS)."""
    match c:
        case InRange(a, b) | SizesEqual(a, b):
            sizes(g, (a, b), at)
        case Injective(dims):
            sizes(g, (p for d in dims for p in (d.len, d.stride)), at)
        case RangeInside(start, length, stride, n):
            sizes(g, (start, length, stride, n), at)
        case NonNegative(d):
            sizes(g, (d,), at)
        case Holds(e):
            t = scalar(g, e, at)
            require(t is BOOL, at, "T-IMP-HOLDS", "the condition has type {}, not bool", t)
