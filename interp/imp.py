"""The interpreter of IMP (fig. 12): a third, independent result beside values and heap.

It has one match arm per rule of fig. 12.  A statement is first *resolved* to a closure, once; then
the closures run.  Beyond the figure, every access is checked (it lies inside its block, and a read
element was written) and every kernel is observed for races (errata 19).  Iterations run forwards,
backwards or shuffled; a race-free program gives the same results in every order.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from math import gcd, prod
from random import Random
from typing import TypeAlias, cast

from funmem.interp import arrays, places, traps
from funmem.interp.arrays import MOST_BYTES
from funmem.interp.heap_memory import Heap
from funmem.interp.places import Block, Place
from funmem.interp.races import in_row_major_order
from funmem.interp.scope import Get, GetInts, Scope, Step, operator_trap
from funmem.interp.traps import Shape
from funmem.ir import imp
from funmem.ir.diagnostics import NOWHERE, Diagnostic, Span, Stuck, Trap, UsageError
from funmem.ir.foreign_calls import NO_FUNCTIONS, Result, Table
from funmem.ir.foreign_calls import call as call_foreign
from funmem.ir.fun import Atom, Bin, Const, Convert, Linkage, MemType, ScalarExp, Un, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
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
    ImpProgram,
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
from funmem.ir.imp_traverse import apart
from funmem.ir.injective import injective
from funmem.ir.messages import fill, show_value
from funmem.ir.names import Name
from funmem.ir.scalars import I64, OperatorTrap, ScalarType
from funmem.ir.scalars import Value as ScalarValue
from funmem.ir.signature import signature
from funmem.ir.sizes import Size
from funmem.ir.values import ArgValue, ArrayValue, Value, bind

Which: TypeAlias = Callable[[int], int]
"""Maps the position of an iteration in the execution order to its row-major position."""
GetValue: TypeAlias = Callable[[], Value]
Test: TypeAlias = Callable[[], bool]
ImpCell: TypeAlias = ScalarValue | Block
"""The value of a variable."""


class Order(Enum):
    """The order in which the iterations of a kernel run."""

    FORWARDS = "forwards"
    BACKWARDS = "backwards"
    SHUFFLED = "shuffled"


def run_imp(
    program: ImpProgram,
    entry: str,
    args: Sequence[ArgValue],
    *,
    order: Order | str = Order.FORWARDS,
    seed: int = 0,
    check_races: bool = True,
    foreign: Table = NO_FUNCTIONS,
) -> tuple[Value, ...]:
    """Return the results of an entry point; ``foreign`` has the foreign functions.

    Raises InputError for arguments that do not fit, Trap where the program traps, MemoryFault
    (race, poison, access outside its block), UsageError if there is no such entry point.
    """
    found = entry_named(program, entry)
    return Machine(found, functions=program.functions, foreign=foreign).run(
        args, order=order, seed=seed, check_races=check_races
    )


def entry_named(p: ImpProgram, name: str) -> ImpEntry:
    """Return the entry point called ``name``.  Raises UsageError if there is none."""
    for e in p.entries:
        if e.name == name:
            return e
    known = ", ".join(f"`{e.name}`" for e in p.entries)
    raise UsageError(Diagnostic(NOWHERE, "entry", f"no entry point `{name}`; there is {known}"))


class Machine:
    """An entry point that is resolved once and may run any number of times.

    ``largest``: cap on the bytes of a block.
    """

    def __init__(
        self,
        entry: ImpEntry,
        largest: int = MOST_BYTES,
        functions: Sequence[ImpFunction] = (),
        foreign: Table = NO_FUNCTIONS,
    ) -> None:
        self._foreign = foreign
        self._functions = {f.name: f for f in functions}
        self._callees: dict[Name, Callable[[Sequence[ImpCell]], list[ImpCell]]] = {}
        self._entry = entry
        self._signature = signature(entry)
        self._scope: Scope[ImpCell] = Scope()
        self._values = self._scope.values
        self._heap = Heap(check_races=True, largest=largest)
        self._level = 0  # the number of kernels around the statement that is being resolved
        self._order = Order.FORWARDS
        self._random = Random(0)
        self.iterations = 0
        """The largest number of iterations of a kernel in the last run; above 1, orders differ."""
        self._scope.types.update(dict.fromkeys(entry.sizes, I64))
        for p in entry.params:
            self._declare_port(p)
        self._body = self._block(entry.body)
        self._results = [self._result(p) for p in entry.results]

    def run(
        self,
        args: Sequence[ArgValue],
        *,
        order: Order | str = Order.FORWARDS,
        seed: int = 0,
        check_races: bool = True,
    ) -> tuple[Value, ...]:
        """Return the results of the entry point, like :func:`run_imp`."""
        sizes, values = bind(self._signature, args)
        self._heap.restart(check_races=check_races)
        self._order, self._random = Order(order), Random(seed)
        self.iterations = 0
        self._values.clear()
        self._values.update(sizes)
        for p, v in zip(self._entry.params, values, strict=True):
            self._pass(p, v)
        try:
            self._body()
            return tuple(result() for result in self._results)
        except KeyError as e:
            raise Stuck(f"{e} is used before it has a value") from e

    # -- ports

    def _declare_port(self, p: Port) -> None:
        match p:
            case ScalarPort(x, t):
                self._scope.types[x] = t
            case ArrayPort(block):
                self._scope.types[block] = MemType()

    def _pass(self, p: Port, v: Value) -> None:
        match p:
            case ArrayPort(block) if isinstance(v, ArrayValue):
                self._values[block] = self._heap.argument(block, v).block
            case ScalarPort(x) if not isinstance(v, ArrayValue):
                self._values[x] = v
            case ArrayPort() | ScalarPort():
                raise Stuck(f"argument {v} does not fit {p}")

    def _result(self, p: Port) -> GetValue:
        match p:
            case ScalarPort(x):
                return cast(Get, self._scope.atom(Var(x)))
            case ArrayPort(block, t, shape):
                return self._array(self._block_named(block), self._scope.sizes(shape), t)

    def _array(self, block: Callable[[], Block], shape: GetInts, t: ScalarType) -> GetValue:
        """Return a function that reads the array at the beginning of a block."""
        heap, at = self._heap, self._entry.at

        def get() -> Value:
            lens = shape()
            traps.nonnegative(lens, at)
            return heap.value(places.row_major(block(), t, lens), at)

        return get

    # -- parts

    def _place(self, x: Name, t: ScalarType) -> Callable[[], Place]:
        """Return a function that gives the block of a variable as a place of elements."""
        block = self._block_named(x)
        return lambda: Place(block(), t, 0, (), ())

    def _block_named(self, x: Name) -> Callable[[], Block]:
        if not isinstance(self._scope.type_of(x), MemType):
            raise Stuck(f"`{x}` is not a block")
        return cast(Callable[[], Block], self._scope.atom(Var(x)))

    def _block(self, stms: imp.Block) -> Step:
        """E-IMP-SEQ, E-IMP-SKIP."""
        steps = [self._step(s) for s in stms]
        if len(steps) == 1:
            return steps[0]

        def run() -> None:
            for step in steps:
                step()

        return run

    # -- statements: H; E |- s -> H'; E'

    def _step(self, s: ImpStm) -> Step:
        """Resolve a statement of fig. 11."""
        match s:
            case Declare():
                return self._declare(s)
            case Assign():
                return self._assign(s)
            case Allocate():
                return self._allocate(s)
            case Read():
                return self._read(s)
            case Write():
                return self._write(s)
            case CopyElement():
                return self._copy(s)
            case IfStm():
                return self._if(s)
            case ForStm():
                return self._for(s)
            case WhileStm():
                return self._while(s)
            case KernelStm():
                return self._kernel(s)
            case CallStm():
                return self._call(s)
            case OpaqueStm():
                return self._opaque(s)
            case Check():
                return self._check(s)

    def _declare(self, s: Declare) -> Step:
        """E-IMP-DEC-INT, E-IMP-DEC-MEM; but a variable has no value before its assignment."""
        values, x = self._values, s.x
        self._scope.types[x] = s.type

        def step() -> None:
            values.pop(x, None)

        return step

    def _assign(self, s: Assign) -> Step:
        """E-IMP-ASSIGN-INT, E-IMP-ASSIGN-MEM."""
        values, x = self._values, s.x
        match s.value:
            case Const() | Var() as a:
                copy = self._scope.atom(a)

                def assign_atom() -> None:
                    values[x] = copy()

                return assign_atom
            case Bin() | Un() | Convert() as e:
                get = self._get(e, s.at)

                def assign() -> None:
                    values[x] = get()

                return assign

    def _get(self, e: ScalarExp, at: Span) -> Get:
        """Resolve a scalar expression; an operator without a check traps like a checked one."""
        get, _ = self._scope.scalar(e)
        if isinstance(e, Const | Var):
            return get

        def trapping() -> ScalarValue:
            try:
                return get()
            except OperatorTrap as trap:
                raise operator_trap(trap, at) from None

        return trapping

    def _allocate(self, s: Allocate) -> Step:
        """E-IMP-ALLOC."""
        values, heap, x, level = self._values, self._heap, s.x, self._level
        size = self._scope.size(s.size)

        def step() -> None:
            values[x] = heap.allocate(x, size(), level)

        return step

    def _read(self, s: Read) -> Step:
        """E-IMP-READ."""
        values, heap, x, site = self._values, self._heap, s.x, self._heap.site(s)
        place, index = self._place(s.block, s.elem), self._scope.size(s.index)

        def step() -> None:
            values[x] = heap.load(place(), index(), site)

        return step

    def _write(self, s: Write) -> Step:
        """E-IMP-WRITE."""
        heap, site = self._heap, self._heap.site(s)
        place, index = self._place(s.block, s.elem), self._scope.size(s.index)
        value = self._get(s.value, s.at)

        def step() -> None:
            heap.store(place(), index(), value(), site)

        return step

    def _copy(self, s: CopyElement) -> Step:
        """E-IMP-READ, then E-IMP-WRITE, of an element that may be unwritten."""
        heap, site = self._heap, self._heap.site(s)
        dst, dst_index = self._place(s.dst, s.elem), self._scope.size(s.dst_index)
        src, src_index = self._place(s.src, s.elem), self._scope.size(s.src_index)

        def step() -> None:
            heap.move(dst(), dst_index(), src(), src_index(), site)

        return step

    def _if(self, s: IfStm) -> Step:
        """E-IMP-IF-TRUE, E-IMP-IF-FALSE."""
        test, then, orelse = self._scope.atom(s.cond), self._block(s.then), self._block(s.orelse)

        def step() -> None:
            (then if test() else orelse)()

        return step

    def _for(self, s: ForStm) -> Step:
        """Resolve a sequential loop; its bound is read once."""
        values, i = self._values, s.index
        bound = self._scope.size(s.bound)
        self._scope.types[i] = I64
        body = self._block(s.body)

        def step() -> None:
            for k in range(bound()):
                values[i] = k
                body()

        return step

    def _while(self, s: WhileStm) -> Step:
        test, body = self._scope.atom(Var(s.cond)), self._block(s.body)

        def step() -> None:
            while test():
                body()

        return step

    def _kernel(self, s: KernelStm) -> Step:
        """E-IMP-KERNEL, with eq. 4 as its side condition."""
        values, heap, site, level = self._values, self._heap, self._heap.site(s), self._level
        names = tuple(d.index for d in s.dims)
        bounds = self._scope.sizes([d.bound for d in s.dims])
        self._scope.types.update(dict.fromkeys(names, I64))
        self._level += 1
        body = self._block(s.body)
        self._level -= 1

        def step() -> None:
            sizes = bounds()
            count = prod(sizes) if min(sizes, default=1) > 0 else 0
            which = self._in_order(count)
            watch = heap.watch(level, names, sizes, site, which)
            self.iterations = max(self.iterations, count)
            may_race = count != 1
            if may_race:
                heap.enter(watch)
            for index in _indices(sizes, count, which):
                watch.next()
                values.update(zip(names, index, strict=True))
                body()
            if may_race:
                heap.leave()

        return step

    def _in_order(self, count: int) -> Which:
        """Return the execution order of ``count`` iterations."""
        match self._order:
            case Order.FORWARDS:
                return in_row_major_order
            case Order.BACKWARDS:
                return lambda k: count - 1 - k
            case Order.SHUFFLED:
                return shuffled(count, self._random)

    def _call(self, s: CallStm) -> Step:
        """E-IMP-CALL."""
        if s.linkage is not Linkage.OWN:
            return self._foreign_call(s)
        values, run = self._values, self._callee(s.fn)
        args, results = [self._get(a, s.at) for a in s.args], s.results

        def step() -> None:
            values.update(zip(results, run([get() for get in args]), strict=True))

        return step

    def _foreign_call(self, s: CallStm) -> Step:
        """E-IMP-FOREIGN: an effect returns its token."""
        values, table, token = self._values, self._foreign, int(s.linkage is Linkage.EFFECT)
        args = [self._get(a, s.at) for a in s.args]
        types = [self._scope.types[x] for x in s.results[token:]]
        results = [Result(t) for t in types if isinstance(t, ScalarType)]

        def step() -> None:
            given = [get() for get in args]
            visible = [cast(Value, v) for v in given[token:]]
            found = call_foreign(table, s.fn, visible, results, s.at)
            cells = (*given[:token], *(cast(ImpCell, v) for v in found))
            values.update(zip(s.results, cells, strict=True))

        return step

    def _opaque(self, s: OpaqueStm) -> Step:
        """E-IMP-OPAQUE: foreign code reads whole arrays, then fills others."""
        heap, table, site = self._heap, self._foreign, self._heap.site(s)
        args = [self._whole(a, s.at) for a in s.args]
        out = [(p.elem, self._block_named(p.block), self._scope.sizes(p.shape)) for p in s.results]

        def step() -> None:
            given = [get() for get in args]
            shapes = [shape() for _, _, shape in out]
            wanted = [Result(t, shape) for (t, _, _), shape in zip(out, shapes, strict=True)]
            found = call_foreign(table, s.fn, given, wanted, s.at)
            for (t, block, _), shape, v in zip(out, shapes, found, strict=True):
                assert isinstance(v, ArrayValue)
                heap.fill(places.row_major(block(), t, shape), v.data, site)

        return step

    def _whole(self, a: Atom | ArrayPort, at: Span) -> GetValue:
        if not isinstance(a, ArrayPort):
            return cast(Get, self._scope.atom(a))
        get = self._array(self._block_named(a.block), self._scope.sizes(a.shape), a.elem)

        def known() -> Value:
            v = get()
            assert isinstance(v, ArrayValue)
            return ArrayValue(arrays.known(v, at))

        return known

    def _callee(self, name: Name) -> Callable[[Sequence[ImpCell]], list[ImpCell]]:
        """Resolve a function, once; its variables get its own name in front."""
        if name not in self._callees:
            if name not in self._functions:
                raise Stuck(f"there is no function `{name}`")
            f = apart(self._functions[name], lambda x: Name(f"{name} {x}"))
            values = self._values
            params, results = [p.x for p in f.params], [p.x for p in f.results]
            self._scope.types.update((p.x, p.type) for p in f.params)
            body = self._block(f.body)

            def run(args: Sequence[ImpCell]) -> list[ImpCell]:
                values.update(zip(params, args, strict=True))
                body()
                return [values[x] for x in results]

            self._callees[name] = run
        return self._callees[name]

    def _check(self, s: Check) -> Step:
        """Resolve a check: the program traps with its message unless ``s.cond`` holds."""
        holds, args = self._condition(s.cond, s.at), [self._shown(a) for a in s.args]

        def step() -> None:
            if not holds():
                raise Trap(s.kind, fill(s.message, [text() for text in args]), s.at)

        return step

    def _shown(self, a: Size | Shown) -> Callable[[], str]:
        """Return a function that gives the text for a hole of a message."""
        match a:
            case Shown(x, t):
                get, found = self._scope.scalar(Var(x))
                if found is not t:
                    raise Stuck(f"`{x}` is of type {found}, not {t}")
                return lambda: show_value(get(), t)
            case Size():
                size = self._scope.size(a)
                return lambda: str(size())

    def _condition(self, c: Condition, at: Span) -> Test:
        match c:
            case InRange(i, n):
                numbers = self._scope.sizes((i, n))
                return lambda: _in_range(*numbers())
            case RangeInside(start, length, stride, n):
                numbers = self._scope.sizes((start, length, stride, n))
                return lambda: _range_inside(*numbers())
            case Injective(dims):
                lens = self._scope.sizes([d.len for d in dims])
                strides = self._scope.sizes([d.stride for d in dims])
                return lambda: injective(lens(), strides())
            case NonNegative(d):
                size = self._scope.size(d)
                return lambda: size() >= 0
            case SizesEqual(a, b):
                left, right = self._scope.size(a), self._scope.size(b)
                return lambda: left() == right()
            case Holds(e):
                get = self._get(e, at)
                return lambda: bool(get())


def _indices(sizes: Shape, count: int, which: Which) -> Iterator[Shape]:
    """Return the indices of a kernel's iterations in execution order."""
    if which is in_row_major_order:
        return places.every_index(sizes)
    return (places.nth_index(which(k), sizes) for k in range(count))


LISTED = 1 << 16
"""Number of iterations up to which a permutation is stored as a list."""


def shuffled(count: int, random: Random) -> Which:
    """Return a random permutation; above LISTED only an affine one, which needs no memory."""
    if count <= LISTED:
        every = list(range(count))
        random.shuffle(every)
        return every.__getitem__
    start, step = random.randrange(count), random.randrange(1, count)
    while gcd(step, count) > 1:
        step = random.randrange(1, count)
    return lambda k: (start + step * k) % count


def _in_range(i: int, n: int) -> bool:
    return 0 <= i < n


def _range_inside(start: int, length: int, stride: int, n: int) -> bool:
    last = start + (length - 1) * stride
    return length == 0 or (length > 0 and _in_range(start, n) and _in_range(last, n))
