"""Statements and control: the common part of the interpreters of FUN and FUNMEM.

    E ⊢ s ⇓ E'         stm         a statement binds its expression's values
    E ⊢ b ⇓ (v, …)     body        statements in order, then the results

A judgement is a method that resolves syntax to a function without arguments (scope.py).  The two
subclasses define what a value is, and all expressions on arrays.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias, TypeVar, cast

from funmem.interp import traps
from funmem.interp.places import every_index
from funmem.interp.scope import GetInts, Scope, Step, operator_trap
from funmem.interp.traps import Shape
from funmem.ir.diagnostics import Span, Stuck, Trap, TrapKind
from funmem.ir.foreign_calls import NO_FUNCTIONS as NO_FOREIGN
from funmem.ir.foreign_calls import Result, Table
from funmem.ir.foreign_calls import call as call_foreign
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Call,
    Compound,
    Const,
    Convert,
    DerivedArray,
    Exp,
    For,
    FreshArray,
    Function,
    If,
    Index,
    InPlace,
    Kernel,
    Linkage,
    Loop,
    Opaque,
    RaggedKernel,
    Stm,
    Un,
    Var,
    While,
)
from funmem.ir.functions import apart
from funmem.ir.lmad import SliceDim
from funmem.ir.messages import fill, show_value, slice_message
from funmem.ir.names import Name
from funmem.ir.scalars import I64, OperatorTrap, ScalarType
from funmem.ir.sizes import Size
from funmem.ir.values import Value

V = TypeVar("V")
NO_FUNCTIONS: Mapping[Name, Function] = MappingProxyType({})
Bind: TypeAlias = Callable[[Iterable[V]], None]


class Control(Scope[V], ABC):
    """One run of an entry point."""

    functions: Mapping[Name, Function] = NO_FUNCTIONS
    """The functions of the program."""
    foreign: Table = NO_FOREIGN
    """The implementations of foreign functions."""

    def __init__(self) -> None:
        super().__init__()
        self._callees: dict[Name, Callable[[tuple[V, ...]], tuple[V, ...]]] = {}

    @abstractmethod
    def binds(self, pat: Sequence[Binder[Ann]], at: Span) -> Bind[V]:
        """Declare names; return a function that binds values to them and checks their types."""

    @abstractmethod
    def exp(self, e: Exp[Ann], s: Stm[Ann]) -> Callable[[], V]:
        """Resolve an expression with one result."""

    @abstractmethod
    def kernel(self, e: Kernel[Ann], s: Stm[Ann]) -> Callable[[], tuple[V, ...]]:
        """Resolve a kernel: E-KERNEL and the collectives."""

    @abstractmethod
    def whole(self, x: V, at: Span) -> Value:
        """Return the value of an argument of foreign code: all elements of an array."""

    @abstractmethod
    def filled(self, s: Stm[Ann]) -> Callable[[int, Value], V]:
        """Return a function that makes the cell of the k-th result of foreign code."""

    @abstractmethod
    def ragged_kernel(self, e: RaggedKernel[Ann], s: Stm[Ann]) -> Callable[[], tuple[V, ...]]:
        """Resolve a kernel over rows: E-ROWS."""

    # -- statements

    def body(self, b: Body[Ann]) -> Callable[[], tuple[V, ...]]:
        """E-LET, E-IN: the statements in order, then the results."""
        steps = [self.stm(s) for s in b.stms]
        result = self.atoms(b.result)
        if not steps:
            return result

        def run_body() -> tuple[V, ...]:
            for step in steps:
                step()
            return result()

        return run_body

    def stm(self, s: Stm[Ann]) -> Step:
        """Resolve a statement: its expression, and the binding of its results."""
        match s.exp:
            case Assert():  # E-ASSERT
                return self.assert_stm(s.exp, s.at)
            case Call() as e:  # E-CALL
                return self.call(e, s)
            case Opaque() as e:  # E-OPAQUE
                return self.opaque(e, s)
            case Compound() as e:
                get_all = self.compound(e, s)
                bind_all = self.binds(s.pat, s.at)
                return lambda: bind_all(get_all())
            case (
                (Const() | Var() | Bin() | Un() | Convert())
                | (Index() | DerivedArray() | FreshArray() | InPlace() | Alloc())
            ) as e:
                (binder,) = s.pat
                if isinstance(binder.type, ScalarType):
                    return self.scalar_stm(binder, self.exp(e, s), s.at)
                get = self.exp(e, s)
                bind_one = self.binds(s.pat, s.at)
                return lambda: bind_one((get(),))

    def scalar_stm(self, b: Binder[Ann], get: Callable[[], V], at: Span) -> Step:
        """Resolve the binding of a scalar, whose expression may trap in an operator."""
        self.types[b.name] = b.type
        values, x = self.values, b.name

        def step() -> None:
            try:
                values[x] = get()
            except OperatorTrap as trap:
                raise operator_trap(trap, at) from None

        return step

    def assert_stm(self, e: Assert, at: Span) -> Step:
        """``assert a "message" (a, …)``."""
        holds, values = self.atom(e.cond), [self.scalar(a) for a in e.values]

        def step() -> None:
            if not holds():
                shown = [show_value(get(), t) for get, t in values]
                raise Trap(TrapKind.ASSERTION, fill(e.message, shown), at)

        return step

    # -- calls

    def call(self, e: Call, s: Stm[Ann]) -> Step:
        """E-CALL: resolve a call; a trap has its place in the function."""
        if e.linkage is not Linkage.OWN:
            return self.foreign_call(e, s)
        run, args, bind_all = self.callee(e.fn), self.atoms(e.args), self.binds(s.pat, s.at)
        return lambda: bind_all(run(args()))

    def foreign_call(self, e: Call, s: Stm[Ann]) -> Step:
        """E-FOREIGN: resolve a call of a foreign function; an effect returns its token."""
        args, bind_all, table = self.atoms(e.args), self.binds(s.pat, s.at), self.foreign
        token = 1 if e.linkage is Linkage.EFFECT else 0
        results = [Result(b.type) for b in s.pat[token:] if isinstance(b.type, ScalarType)]

        def step() -> None:
            given = args()
            visible = [cast(Value, v) for v in given[token:]]
            found = call_foreign(table, e.fn, visible, results, s.at)
            bind_all([*given[:token], *(cast(V, v) for v in found)])

        return step

    def opaque(self, e: Opaque, s: Stm[Ann]) -> Step:
        """E-OPAQUE: resolve foreign code on arrays."""
        args, table = self.atoms(e.args), self.foreign
        types = [b.type for b in s.pat if isinstance(b.type, ArrayType)]
        shapes = [(t.elem, self.new_sizes(t.shape, s.at)) for t in types]
        bind_all = self.binds(s.pat, s.at)
        filled = self.filled(s)

        def step() -> None:
            results = [Result(elem, shape()) for elem, shape in shapes]
            given = [self.whole(v, s.at) for v in args()]
            found = call_foreign(table, e.fn, given, results, s.at)
            bind_all([filled(k, v) for k, v in enumerate(found)])

        return step

    def callee(self, name: Name) -> Callable[[tuple[V, ...]], tuple[V, ...]]:
        """Resolve a function, once.

        Its names get its own name in front, so that they differ from all others of this run.
        Functions are not recursive, so one value for each name is enough.
        """
        if name not in self._callees:
            if name not in self.functions:
                raise Stuck(f"there is no function `{name}`")
            f = apart(self.functions[name], lambda x: Name(f"{name} {x}"))
            bind_params, body = self.binds(f.params, f.at), self.body(f.body)

            def run(args: tuple[V, ...]) -> tuple[V, ...]:
                bind_params(args)
                return body()

            self._callees[name] = run
        return self._callees[name]

    # -- expressions with bodies

    def compound(
        self, e: Kernel[Ann] | RaggedKernel[Ann] | If[Ann] | Loop[Ann], s: Stm[Ann]
    ) -> Callable[[], tuple[V, ...]]:
        """Resolve an expression with bodies and any number of results."""
        match e:
            case If(cond, then_body, else_body):  # E-IF-TRUE, E-IF-FALSE
                holds, then, orelse = self.atom(cond), self.body(then_body), self.body(else_body)
                return lambda: then() if holds() else orelse()
            case Loop():  # E-FOR, E-WHILE
                return self.loop(e, s)
            case Kernel():  # E-KERNEL
                return self.kernel(e, s)
            case RaggedKernel():  # E-ROWS
                return self.ragged_kernel(e, s)

    def loop_body(self, b: Body[Ann]) -> Callable[[], tuple[V, ...]]:
        """Resolve the body of a loop, whose results are the next values of its parameters."""
        return self.body(b)

    def loop(self, e: Loop[Ann], s: Stm[Ann]) -> Callable[[], tuple[V, ...]]:
        """Resolve a loop: its parameters are bound to the body's results after each iteration."""
        start = self.atoms([p.init for p in e.params])
        bind_params = self.binds([p.binder for p in e.params], s.at)
        result = self.atoms([Var(p.binder.name) for p in e.params])
        match e.form:
            case For(index, bound):  # E-FOR
                count, indices = self.size(bound), self.indices([index])
                body = self.loop_body(e.body)

                def run_for() -> tuple[V, ...]:
                    n = count()
                    bind_params(start())
                    for _ in indices((n,)):
                        bind_params(body())
                    return result()

                return run_for
            case While(cond):  # E-WHILE
                goes_on, body = self.atom(Var(cond)), self.loop_body(e.body)

                def run_while() -> tuple[V, ...]:
                    bind_params(start())
                    while goes_on():
                        bind_params(body())
                    return result()

                return run_while

    # -- parts

    def indices(self, names: Sequence[Name]) -> Callable[[Shape], Iterator[Shape]]:
        """Return an iterator over the indices 0 … n-1 of some dimensions, in row-major order.

        Each index is bound to the names when the iterator yields it (errata 1).
        """
        for x in names:
            self.types[x] = I64
        ints = self.ints

        def one(sizes: Shape) -> Iterator[Shape]:
            for i in range(sizes[0]):
                ints[x] = i
                yield (i,)

        def several(sizes: Shape) -> Iterator[Shape]:
            for index in every_index(sizes):
                ints.update(zip(names, index, strict=True))
                yield index

        if len(names) == 1:
            x = names[0]
            return one
        return several

    def slice_text(self, x: Name, dims: Sequence[SliceDim]) -> traps.GetText:
        """Return a function that gives the message for a trap of a slice of ``x``."""
        shape = self.array_type(x).shape
        return lambda: self.message(slice_message(dims, shape))

    def array_type(self, x: Name) -> ArrayType:
        """Return the type of an array.  Raises Stuck if the name is not one."""
        t = self.type_of(x)
        if not isinstance(t, ArrayType):
            raise Stuck(f"`{x}` has type {t}, which is not an array type")
        return t

    def elem_of(self, a: Atom) -> ScalarType:
        """Return the element type of a scalar or an array."""
        if isinstance(a, Var) and isinstance(t := self.type_of(a.name), ArrayType):
            return t.elem
        return self.scalar(a)[1]

    def int_atoms(self, *atoms: Atom) -> GetInts:
        """Return a function that gives the values of integer atoms."""
        return cast(GetInts, self.atoms(atoms))

    def new_sizes(self, dims: Sequence[Size], at: Span) -> GetInts:
        """Return a function that computes sizes of a new array; negative ones trap (errata 13)."""
        sizes = self.sizes(dims)

        def get() -> tuple[int, ...]:
            found = sizes()
            traps.nonnegative(found, at)
            return found

        return get
