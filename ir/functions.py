"""Functions of FUN: which of them are partial, and which calls a body makes.

is_partial(f)    True if f may trap, or may not terminate
table(p)         the functions of a program by name
apart(f, new)    f with new names
renamed_calls(b, names)
called(b)        the functions of the program that a body calls
foreign_called(p) the foreign functions that a program calls
binders_of(f)    all binders of f
"""

from collections.abc import Callable, Iterable, Mapping

from funmem.ir.arith import scalar_type
from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Bin,
    Binder,
    Body,
    Call,
    Const,
    Convert,
    DerivedArray,
    Entry,
    Exp,
    FreshArray,
    Function,
    If,
    Index,
    InPlace,
    Kernel,
    Linkage,
    Loop,
    Opaque,
    Param,
    Program,
    RaggedKernel,
    ScalarExp,
    Stm,
    Type,
    Un,
    Var,
    While,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp, can_trap
from funmem.ir.substitute import rename
from funmem.ir.traverse import (
    bound_names,
    inner_binders,
    inner_indices,
    map_sub_bodies,
    walk,
    with_exp,
    with_stms,
)


def is_partial(f: Function) -> bool:
    """True if a well-typed function may trap or not terminate.

    It has an assertion, a ``while``, a partial call, or an operator that traps on some operands:
    a division whose divisor is no constant, or a power whose exponent is none.
    """
    types = {b.name: b.type for b in binders_of(f)}
    types.update((i, I64) for s in walk(f.body) for i in inner_indices(s.exp))
    return any(_is_partial(s.exp, types) for s in walk(f.body))


def table(p: Program[Ann]) -> Mapping[Name, Function]:
    """Return the functions of a program by name."""
    return {f.name: f for f in p.functions}


def apart(f: Function, new: Callable[[Name], Name]) -> Function:
    """Return a function with ``new(x)`` for each name x that it binds."""
    m = rename({x: new(x) for x in (*(p.name for p in f.params), *bound_names(f.body))})
    params = tuple(m.binder(p) for p in f.params)
    return Function(f.name, params, f.results, m.body(f.body), f.at)


def renamed_calls(b: Body[Ann], names: Mapping[Name, Name]) -> Body[Ann]:
    """Return a body in which calls of some functions are calls of others."""

    def statement(s: Stm[Ann]) -> Stm[Ann]:
        if isinstance(s.exp, Call) and s.exp.linkage is Linkage.OWN:
            return with_exp(s, evolve(s.exp, fn=names.get(s.exp.fn, s.exp.fn)))
        return with_exp(s, map_sub_bodies(s.exp, lambda inner: renamed_calls(inner, names)))

    return with_stms(b, map(statement, b.stms)) if called(b) else b


def as_entry(f: Function) -> Entry[Ann]:
    """Return an entry point that computes what a function computes."""
    return Entry(f.name, (), tuple(Param(p) for p in f.params), (), f.results, f.body, f.at)


def bodies(p: Program[Ann]) -> tuple[Entry[Ann], ...]:
    """Return the functions of a program as entry points, and its entry points."""
    return (*map(as_entry, p.functions), *p.entries)


def called(b: Body[Ann]) -> frozenset[Name]:
    """Return the functions of the program that a body calls, at any depth."""
    own = (s.exp for s in walk(b) if isinstance(s.exp, Call) and s.exp.linkage is Linkage.OWN)
    return frozenset(e.fn for e in own)


def foreign_called(p: Program[Ann]) -> tuple[Name, ...]:
    """Return the foreign functions that a program calls, in alphabetical order."""
    calls = (s.exp for e in p.entries for s in walk(e.body) if isinstance(s.exp, Call))
    return tuple(sorted({e.fn for e in calls if e.linkage is not Linkage.OWN}))


def binders_of(f: Function) -> Iterable[Binder[Ann]]:
    """Yield every binder of a function, in textual order; the results last."""
    yield from f.params
    for s in walk(f.body):
        yield from s.pat
        yield from inner_binders(s.exp)
    yield from f.results


def _is_partial(e: Exp[Ann], types: Mapping[Name, Type]) -> bool:
    match e:
        case Assert():
            return True
        case Call(partial=partial):
            return partial
        case Loop(form=form):
            return isinstance(form, While)
        case Const() | Var() | Bin() | Un() | Convert():
            return _traps(e, types)
        case If() | Index() | DerivedArray() | FreshArray() | InPlace() | Kernel() | Alloc():
            return False
        case RaggedKernel() | Opaque():
            return False


def _traps(e: ScalarExp, types: Mapping[Name, Type]) -> bool:
    match e:
        case Const() | Var():
            return False
        case Un(op, a):
            return _traps(a, types) or can_trap(op, scalar_type(a, types))
        case Convert(_, a):
            return _traps(a, types)
        case Bin(op, a, b):
            safe = not can_trap(op, scalar_type(a, types)) or _is_safe(op, b)
            return not safe or _traps(a, types) or _traps(b, types)


def _is_safe(op: BinOp, b: ScalarExp) -> bool:
    """True if the second operand is a constant on which the operator never traps."""
    if not isinstance(b, Const):
        return False
    return b.value >= 0 if op is BinOp.POW else b.value != 0
