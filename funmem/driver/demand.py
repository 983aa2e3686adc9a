"""A lower bound on the memory that an interpreter needs for a run, computed before it starts.

An interpreter keeps every array until the entry point ends.  At the end it therefore holds the
arguments and, for the statements outside loops and kernels,

    value    the arrays that they create (iota, literals, concat, kernels)
    heap     the blocks
    imp      the blocks

if their sizes follow from sizes and scalar arguments.  Sizes that depend on data are left out.
For compiled code, :mod:`funmem.codegen.demand` computes a better bound from the plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import prod

from funmem.codegen.host import holds
from funmem.codegen.memory_limits import ALWAYS_THERE, Need, budget, host_limit, require
from funmem.interp.scope import Scope
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Assert,
    Bin,
    Binder,
    Body,
    Call,
    Concat,
    Const,
    Convert,
    Copy,
    DerivedArray,
    Entry,
    If,
    Index,
    InPlace,
    Iota,
    Kernel,
    Loop,
    Opaque,
    Program,
    RaggedKernel,
    Replicate,
    ScalarExp,
    Scratch,
    Un,
    Var,
)
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
    ImpProgram,
    KernelStm,
    OpaqueStm,
    Read,
    ScalarPort,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import (
    condition_sizes,
    exp_names,
    nested,
    own_assigns,
    sizes_names,
    variable_types,
)
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import OperatorTrap, ScalarType, Value
from funmem.ir.signature import signature
from funmem.ir.sizes import Size
from funmem.ir.values import ArgValue, bind


def require_memory(
    program: Program[Ann] | ImpProgram,
    entry: str,
    args: Sequence[ArgValue],
    max_bytes: int | None,
) -> None:
    """Raise DeviceError if a run needs more than ``max_bytes``, or None: than the machine has."""
    chosen = next((e for e in program.entries if e.name == entry), None)
    if chosen is None:
        return  # the interpreter reports it
    need = least(chosen, *bind(signature(chosen), args))
    if max_bytes is not None:
        require(need, budget(max_bytes))
    elif need.bytes > ALWAYS_THERE:
        require(need, host_limit())


def least(e: Entry[Ann] | ImpEntry, sizes: Mapping[Name, int], args: Sequence[object]) -> Need:
    """Return the bytes that a run with these sizes and arguments needs at least.

    Array arguments count with the size of their types.
    """
    found = _Least(Scope[Value]())
    with suppress(_Ended):
        if isinstance(e, ImpEntry):
            found.imp_entry(e, sizes, args)
        else:
            found.entry(e, sizes, args)
    return Need(found.bytes, found.at, exact=False)


class _Ended(Exception):
    """The run ends here: an assertion or an operator is known to fail."""


@define(eq=False)
class _Least:
    """An abstract run.  ``scope`` holds the scalars whose values are known."""

    scope: Scope[Value]
    bytes: int = 0
    largest: int = 0
    at: Span = NOWHERE

    # -- trees

    def entry(self, e: Entry[Ann], sizes: Mapping[Name, int], args: Sequence[object]) -> None:
        self.scope.values.update(sizes)
        self._bind(e.implicit)
        for p, v in zip(e.params, args, strict=True):
            self._bind((p.binder,))
            if isinstance(v, bool | int | float):
                self.scope.values[p.binder.name] = v
            elif isinstance(p.binder.type, ArrayType):
                self._hold(self._array(p.binder.type), e.at)
        self._body(e.body)

    def _body(self, b: Body[Ann]) -> None:
        for s in b.stms:
            self._bind(s.pat)
            match s.exp:
                case (Const() | Var() | Bin() | Un() | Convert()) as e:
                    self._set(s.pat[0].name, e)
                case Call():
                    pass  # its results are not known here
                case Alloc(size):
                    self._hold(self._size(size), s.at)
                case Iota() | ArrayLit() | Concat() | Kernel() | Opaque():
                    for binder in s.pat:
                        if isinstance(binder.type, ArrayType) and binder.home is None:
                            self._hold(self._array(binder.type), s.at)
                case If(cond, then, orelse):
                    self._branch(s.pat, self._value(cond), then, orelse)
                case Assert(cond):
                    if self._value(cond) is False:
                        raise _Ended
                case Index() | DerivedArray() | InPlace():
                    pass
                case Replicate() | Copy() | Scratch():
                    pass  # broadcast, shared or untouched memory: not certain to be held
                case Loop():
                    pass
                case RaggedKernel():
                    pass  # its results are not known here

    def _branch(
        self,
        pat: Sequence[Binder[Ann]],
        taken: Value | None,
        then: Body[Ann],
        orelse: Body[Ann],
    ) -> None:
        if taken is None:
            return
        body = then if taken else orelse
        self._body(body)
        for binder, result in zip(pat, body.result, strict=True):
            if isinstance(binder.type, ScalarType):
                self._set(binder.name, result)

    def _bind(self, binders: Sequence[Binder[Ann]]) -> None:
        for b in binders:
            self.scope.types[b.name] = b.type

    # -- IMP

    def imp_entry(self, e: ImpEntry, sizes: Mapping[Name, int], args: Sequence[object]) -> None:
        self.scope.values.update(sizes)
        self.scope.types.update(variable_types(e))
        for p, v in zip(e.params, args, strict=True):
            match p:
                case ArrayPort(_, t, shape):
                    self._hold(self._array(ArrayType(t, shape)), e.at)
                case ScalarPort(x):
                    if isinstance(v, bool | int | float):
                        self.scope.values[x] = v
        self._block(e.body)

    def _block(self, b: Block) -> None:
        for s in b:
            match s:
                case Assign(x, value):
                    if isinstance(self.scope.types[x], ScalarType):
                        self._set(x, value)
                case Allocate(_, size):
                    self._hold(self._size(size), s.at)
                case IfStm(cond, then, orelse):
                    taken = self._value(cond)
                    if taken is None:
                        self._forget((s,))
                    else:
                        self._block(then if taken else orelse)
                case Check(cond):
                    self._check(cond)
                case (
                    Declare()
                    | Read()
                    | Write()
                    | CopyElement()
                    | ForStm()
                    | WhileStm()
                    | KernelStm()
                    | CallStm()
                    | OpaqueStm()
                ):
                    self._forget((s,))

    def _forget(self, b: Block) -> None:
        """Forget the scalars that ``b`` assigns; it may run any number of times."""
        for s in nested(b):
            for x in own_assigns(s):
                self.scope.values.pop(x, None)

    def _check(self, cond: Condition) -> None:
        if isinstance(cond, Holds):
            fails = self._value(cond.cond) is False
        else:
            names = sizes_names(condition_sizes(cond))
            known = names <= self.scope.values.keys()
            fails = known and not holds(cond, self.scope.ints.__getitem__)
        if fails:
            raise _Ended

    # -- values

    def _value(self, e: ScalarExp) -> Value | None:
        """Return the value of ``e``, or None if it is not known."""
        if not exp_names(e) <= self.scope.values.keys():
            return None
        try:
            return self.scope.scalar(e)[0]()
        except OperatorTrap:
            raise _Ended from None

    def _set(self, x: Name, e: ScalarExp) -> None:
        value = self._value(e)
        if value is None:
            self.scope.values.pop(x, None)
        else:
            self.scope.values[x] = value

    def _size(self, d: Size) -> int:
        """Return the value of ``d``, or 0 if it is not known."""
        if not d.free() <= self.scope.values.keys():
            return 0
        return max(0, d.eval(self.scope.ints.__getitem__))

    def _array(self, t: ArrayType) -> int:
        return t.elem.bytes * prod(map(self._size, t.shape))

    def _hold(self, size: int, at: Span) -> None:
        """Count ``size`` bytes; ``at`` is kept if they are the largest block so far."""
        self.bytes += size
        if size > self.largest:
            self.largest, self.at = size, at
