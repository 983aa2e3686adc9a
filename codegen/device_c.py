"""One kernel in OpenCL C, printed from the IMP statements that it runs.

A work-item is one iteration of a ``kernel``; nested kernels are loops.  Names come from a counter:
``v`` scalars, ``b`` blocks (pointers), ``a`` arrays of private blocks.  Free variables of the
statements become parameters.  A failed check fills in the status buffer (see :mod:`plan
<funmem.codegen.plan>`) and ends the work-item; there are no barriers, so nobody waits for it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from attrs import field

from funmem.codegen.comments import comment, describe
from funmem.codegen.exprs import (
    NO_RANGES,
    Ranges,
    c_bound,
    c_expr,
    c_size,
    c_size_checked,
    in_parts,
    is_plain,
    scalar_type,
    typed,
    typed_condition,
)
from funmem.codegen.facts import facts, inside
from funmem.codegen.plan import (
    STATUS_OUT,
    STATUS_VALUES,
    Arg,
    BlockArg,
    CheckInfo,
    Expr,
    Out,
    ScalarArg,
    Test,
)
from funmem.codegen.scalars_cl import c_const, c_load, c_store, c_type, c_word
from funmem.codegen.scatter import branchless
from funmem.codegen.unroll import ends_early, unrolled
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.fun import MemType, ScalarExp, Space, Var
from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpDim,
    ImpStm,
    Injective,
    InRange,
    KernelStm,
    NonNegative,
    RangeInside,
    Read,
    SizesEqual,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import (
    VarType,
    condition_sizes,
    nested,
    said_names,
    sizes_names,
    type_of,
)
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import UNSIGNED, ScalarType
from funmem.ir.sizes import Size

PRIVATE_LIMIT = 1 << 16
"""Bytes of private memory of one work-item, beyond which a kernel is refused."""


class NotReady(SourceError):
    """The program must go through another pass before it can become kernels."""

    def __init__(self, s: ImpStm, why: str, remedy: str) -> None:
        super().__init__(Diagnostic(s.at, "device", f"`{describe(s)}` {why}", remedy))


@define
class Unit:
    """What the kernels of one entry point share."""

    types: dict[Name, VarType]
    sizes: frozenset[Name] = frozenset()
    """Of arguments: they are not negative."""
    gnu: bool = False
    """Whether the text is C with what gcc has besides, not OpenCL C."""
    ranges: Ranges = NO_RANGES
    """Of variables, where the statement that is printed stands."""
    checks: list[CheckInfo] = field(factory=list)

    @contextmanager
    def inside(self, dims: Sequence[ImpDim], body: Block) -> Iterator[None]:
        """While the body of a loop or kernel is printed."""
        outer = self.ranges
        self.ranges = inside(outer, dims, body)
        yield
        self.ranges = outer

    def check(self, c: Check) -> int:
        """Registers a check and answers its number."""
        cond = typed_condition(c.cond, self.types, c.at)
        stored = sorted(sizes_names(condition_sizes(c.cond)) | said_names(c.args))[:STATUS_VALUES]
        self.checks.append(CheckInfo(cond, c.kind, c.message, c.args, tuple(stored), c.at))
        return len(self.checks) - 1


@define
class Printer:
    """The body of one kernel (or task) while it is printed."""

    unit: Unit
    task: bool
    _args: list[Arg] = field(factory=list)
    data: frozenset[Name] = frozenset()
    """Variables whose values come from memory."""
    chosen: frozenset[Name] = frozenset()
    """Variables that are places which a branch has chosen; see :mod:`funmem.codegen.scatter`."""
    stops: bool = False
    """Whether while-loops look if an earlier iteration has failed, and end then."""
    can_fail: bool = False
    _answers: bool = False
    _lines: list[str] = field(factory=list)
    _arrays: list[str] = field(factory=list)
    _private_bytes: int = 0
    _free: dict[Name, str] = field(factory=dict)
    _scope: dict[Name, str] = field(factory=dict)
    _holders: dict[Name, frozenset[Name]] = field(factory=dict)
    _depth: int = 1
    _loops: int = 0
    _ends_early: bool = False
    """True inside a loop in which a check may end the work-item before its inner loops."""
    _count: int = 0
    _place: Span = NOWHERE
    _mask: tuple[()] | tuple[str, str] = ()

    # -- text

    def line(self, text: str, note: str = "") -> None:
        tail = f"  {comment(note)}" if note else ""
        self._lines.append("    " * self._depth + text + tail)

    @contextmanager
    def braces(self, head: str, note: str = "", *, loop: bool = False) -> Iterator[None]:
        """``head { … }``: a scope of its own."""
        self.line(head + " {", note)
        outer = self._scope
        self._scope = dict(outer)
        self._depth += 1
        self._loops += loop
        yield
        self._loops -= loop
        self._depth -= 1
        self._scope = outer
        self.line("}")

    def text(self) -> list[str]:
        """The lines of the body, arrays first."""
        return [*("    " + a for a in self._arrays), *self._lines]

    # -- names

    def fresh(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def bind(self, x: Name) -> str:
        """A new C variable for x in the current scope."""
        block = isinstance(self.unit.types[x], MemType)
        self._scope[x] = self.fresh("b" if block else "v")
        return self._scope[x]

    def name(self, x: Name) -> str:
        """The C name of x; a variable that is not bound here becomes a parameter."""
        if x in self._scope:
            return self._scope[x]
        if x not in self._free:
            t = type_of(self.unit.types, x, self._place)
            self._free[x] = self.fresh("b" if isinstance(t, MemType) else "v")
            self._args.append(BlockArg(x) if isinstance(t, MemType) else ScalarArg(x, t))
        return self._free[x]

    @property
    def args(self) -> tuple[Arg, ...]:
        """The parameters that the statements need: scalars, then blocks."""
        return tuple(sorted(self._args, key=lambda a: isinstance(a, BlockArg)))

    def legend(self) -> str:
        """Which parameter is which variable."""
        return ", ".join(f"{self._free[a.x]} = {a.x}" for a in self.args)

    @property
    def reports(self) -> bool:
        """Whether the statements write to the status buffer."""
        return self.can_fail or self._answers

    def parameters(self) -> list[str]:
        """The C declarations of ``args``."""
        return [
            f"__global uchar *{self._free[a.x]}"
            if isinstance(a, BlockArg)
            else f"{c_type(a.type)} {self._free[a.x]}"
            for a in self.args
        ]

    # -- expressions

    def size(self, s: Size) -> str:
        return c_size(s, self.name)

    def operand(self, s: Size) -> str:
        """A size as a primary expression."""
        return self.size(s) if is_plain(s) else f"({self.size(s)})"

    def exp(self, e: ScalarExp, at: Span) -> str:
        return self.value(typed(e, self.unit.types, at)[0])

    def value(self, e: Expr) -> str:
        return c_expr(in_parts(e, self.part), self.name)

    def part(self, e: Expr, t: ScalarType) -> Name:
        """A variable of the current scope for an expression that is part of one."""
        v = self.fresh("v")
        self.line(f"const {c_type(t)} {v} = {c_expr(e, self.name)};")
        self._scope[Name(f"{v} of it")] = v
        return Name(f"{v} of it")

    def pointer(self, block: Name) -> tuple[str, str]:
        """A block's C name and address space: parameters are global, the others as declared."""
        t = type_of(self.unit.types, block, self._place)
        if not isinstance(t, MemType):
            raise SourceError(Diagnostic(self._place, "T-SCALAR", f"`{block}` is not a block"))
        name = self.name(block)
        device = block not in self._scope or t.space is Space.DEVICE
        return name, "__global" if device else "__private"

    # -- statements

    def block(self, stms: Block) -> None:
        """Statements in order; a declaration is merged with the statement that follows it."""
        pending: Name | None = None
        for s in stms:
            if pending is not None and not _sets(s, pending):
                self.declare(pending)
                pending = None
            if isinstance(s, Declare):
                pending = s.x
                continue
            self.place(s.at)
            self.statement(s, declares=pending is not None)
            pending = None
        if pending is not None:
            self.declare(pending)

    def place(self, at: Span) -> None:
        """A comment wherever the source line changes."""
        if at not in (NOWHERE, self._place):
            self.line(comment(str(at)))
            self._place = at

    def declare(self, x: Name) -> None:
        """A variable without a value yet; it starts as zero, so that C leaves nothing open."""
        t = self.unit.types[x]
        zero = "0" if isinstance(t, MemType) else c_const(0.0 if t.is_float else 0, t)
        self.line(f"{self.declarator(x)} = {zero};")

    def declarator(self, x: Name) -> str:
        t = self.unit.types[x]
        name = self.bind(x)
        if not isinstance(t, MemType):
            return f"{c_type(t)} {name}"
        return f"{'__global' if t.space is Space.DEVICE else '__private'} uchar *{name}"

    def target(self, x: Name, declares: bool) -> str:
        return self.declarator(x) if declares else self.name(x)

    def statement(self, s: ImpStm, *, declares: bool = False) -> None:
        note = describe(s)
        match s:
            case Declare(x):
                self.declare(x)
            case Assign(x, value):
                text = self.assigned(x, value, s)
                self.line(f"{self.target(x, declares)} = {text};", note)
            case Allocate(x):
                if declares:
                    self.declare(x)
                self.allocate(s)
            case Read(x, block, index, elem):
                pointer, place, space = self.element(block, index)
                load = c_load(elem, pointer, place, space)
                self.line(f"{self.target(x, declares)} = {load};", note)
            case Write(block, index, value, elem):
                pointer, place, space = self.element(block, index)
                self.line(c_store(elem, pointer, place, self.exp(value, s.at), space), note)
            case CopyElement():
                self.copy_element(s, note)
            case IfStm(then=then) if branchless(s, self.chosen, self.data):
                self.masked(s, note)
                self.block(then)
                self._mask = ()
            case IfStm(cond, then, orelse):
                self.conditional(self.exp(cond, s.at), then, orelse, note)
            case ForStm(index, bound, body):
                head = "FM_UNROLL " if self.unit.gnu and unrolled(s, self.data) else ""
                self.loop(ImpDim(index, bound), body, note, head)
            case WhileStm(cond, body):
                with self.braces(f"while ({self.name(cond)})", note, loop=True):
                    launch = "" if self.unit.gnu else "launch, "
                    looks = ["rt_stop"] if self.unit.gnu and (self.stops or self.task) else []
                    looks += [f"rt_stopped(status, {launch}gid)"] if self.stops else []
                    if looks:
                        self.line(f"if ({' || '.join(looks)})")
                        self.line("    return;")
                    self.block(body)
            case KernelStm(dims, body):
                self.nest(dims, body, note)
            case Check():
                self.check(s)

    def assigned(self, x: Name, value: ScalarExp, s: ImpStm) -> str:
        """The right side of an assignment of scalars or of blocks."""
        if not isinstance(type_of(self.unit.types, x, s.at), MemType):
            return self.exp(value, s.at)
        if not isinstance(value, Var):
            raise SourceError(Diagnostic(s.at, "T-SCALAR", f"`{describe(s)}`: not a block"))
        name, space = self.pointer(value.name)
        t = self.unit.types[x]
        device = isinstance(t, MemType) and t.space is Space.DEVICE
        if device != (space == "__global"):
            raise NotReady(s, "mixes blocks of different spaces", "give both the same space")
        return name

    def copy_element(self, s: CopyElement, note: str) -> None:
        """The bits as they are: an integer of the same width moves every NaN unchanged."""
        t = _BITS[s.elem.bytes]
        pointer, place, space = self.element(s.src, s.src_index, "rt_none")
        value = c_load(t, pointer, place, space)
        pointer, place, space = self.element(s.dst, s.dst_index)
        self.line(c_store(t, pointer, place, value, space), note)

    def element(self, block: Name, index: Size, spare: str = "") -> tuple[str, str, str]:
        """Where an element is: pointer, index, and space; if the mask says so, the spare one."""
        pointer, space = self.pointer(block)
        if not self._mask:
            return pointer, self.size(index), space
        mask, own = self._mask
        return (
            f"rt_pick({mask}, {pointer}, &{spare or own})",
            f"({self.size(index)}) & {mask}",
            space,
        )

    def masked(self, s: IfStm, note: str) -> None:
        """From here on elements are spare ones unless the condition holds."""
        mask, spare = self._mask = (self.fresh("v"), self.fresh("v"))
        self.line(f"const long {mask} = rt_mask({self.exp(s.cond, s.at)});", note)
        self.line(f"ulong {spare};")

    def conditional(self, cond: str, then: Block, orelse: Block, note: str) -> None:
        with self.braces(f"if ({cond})", note):
            self.block(then)
        if orelse:
            with self.braces("else"):
                self.block(orelse)

    def loop(self, dim: ImpDim, body: Block, note: str, head: str = "") -> None:
        """``for``; a bound that the body could change is computed before.

        ``head``: what a dialect of C says to its compiler about the loop.
        """
        lines, bound = c_bound(dim.bound, self.name, lambda: self.fresh("v"), self.unit.ranges)
        for line in lines:
            self.line(line)
        changed = not dim.bound.free().isdisjoint(facts(*body).assigns)
        if not lines and (changed or not is_plain(dim.bound)):
            fixed = self.fresh("v")
            self.line(f"const long {fixed} = {bound};")
            bound = fixed
        if self._ends_early and dim.bound.as_const is None and not self.unit.gnu:
            self.line("#pragma unroll 1")
        outer, may_end = self._scope.get(dim.index), self._ends_early
        self._ends_early = may_end or ends_early(body)
        i = self.bind(dim.index)
        head += f"for (long {i} = 0; {i} < {bound}; {i}++)"
        with self.braces(head, note, loop=True), self.unit.inside((dim,), body):
            self.block(body)
        self._ends_early = may_end
        if outer is None:
            del self._scope[dim.index]
        else:
            self._scope[dim.index] = outer

    def nest(self, dims: Sequence[ImpDim], body: Block, note: str) -> None:
        """A nested kernel: one loop inside the other; the inner one's iterations may be vectors.

        Unless they have blocks of their own, which are one array: only in turn can they use it.
        """
        if len(dims) == 1:
            self.loop(dims[0], body, note, head="" if facts(*body).has_alloc else "FM_LANES ")
        else:
            self.loop(dims[0], (KernelStm(tuple(dims[1:]), body),), note)

    # -- private blocks

    def allocate(self, s: Allocate) -> None:
        """A block of one work-item: a C array.

        Inside a loop a block may outlive its iteration in another variable, as in double
        buffering.  With one array more than there are such variables, one is always free.
        """
        size = s.size.as_const
        name, _ = self.pointer(s.x)
        if size is not None and size <= 0:
            self.line(f"{name} = 0;", describe(s))
            return
        if s.space is Space.DEVICE:
            raise NotReady(
                s, "allocates device memory inside a kernel, which a device cannot do",
                "run `expand`, which moves the allocation in front of the kernel",
            )  # fmt: skip
        if size is None:
            raise NotReady(
                s, "needs a size that is known when the program is compiled",
                "allocate in space `device` and run `expand`",
            )  # fmt: skip
        holders = self.holders(s.x) if self._loops else []
        self._private_bytes += size * (len(holders) + 1)
        if self._private_bytes > PRIVATE_LIMIT:
            raise NotReady(
                s, f"needs more than {PRIVATE_LIMIT} bytes of private memory",
                "allocate in space `device` and run `expand`",
            )  # fmt: skip
        arrays = [self.array(size) for _ in range(len(holders) + 1)]
        self.line(f"{name} = {arrays[0]};", describe(s))
        taken = " || ".join(f"{name} == {h}" for h in holders)
        for other in arrays[1:]:
            self.line(f"{name} = {taken} ? {other} : {name};")

    def array(self, size: int) -> str:
        name = self.fresh("a")
        self._arrays.append(f"uchar {name}[{size}] __attribute__((aligned(64)));")
        return name

    def holders(self, x: Name) -> list[str]:
        """The variables in scope, other than x, that may hold a block that x once held."""
        reached = {x}
        while more := {y for z in reached for y in self._holders.get(z, ())} - reached:
            reached |= more
        return [self._scope[y] for y in sorted(reached - {x}) if y in self._scope]

    def note_aliases(self, body: Block) -> None:
        """Records which block variable is assigned from which, anywhere in the kernel."""
        for s in nested(body):
            match s:
                case Assign(x, Var(y)) if isinstance(self.unit.types.get(x), MemType):
                    self._holders[y] = self._holders.get(y, frozenset()) | {x}
                case _:
                    pass

    # -- checks

    def check(self, s: Check) -> None:
        self.can_fail = True
        number = self.unit.check(s)
        info = self.unit.checks[number]
        self.line(comment(f"check: {s.kind.value}"))
        if isinstance(info.cond, Test):
            holds = self.value(info.cond.cond)
        else:
            holds = compared(info.cond, self.exact, self.numbers, self.unit.sizes)
        with self.braces(f"if (!({holds}))"):
            values = ", ".join(map(self.word, info.stored))
            if values:
                self.line(f"const long values[] = {{{values}}};")
            given = f"{len(info.stored)}, {'values' if values else '0'}"
            self.line(f"rt_fail(status, launch, gid, {number + 1}, {given});")
            self.line("return;")

    def word(self, x: Name) -> str:
        """A variable's value in 64 bits."""
        return c_word(scalar_type(self.unit.types, x, self._place), self.name(x))

    def exact(self, s: Size) -> tuple[str, str]:
        """A size as a C operand, and the variable that says that it did not fit, or nothing."""
        if is_plain(s):
            return self.size(s), ""
        value, over = self.fresh("v"), self.fresh("v")
        self.line(f"int {over} = 0;")
        self.line(f"const long {value} = {c_size_checked(s, self.name, over)};", str(s))
        return value, over

    def numbers(self, first: Sequence[str], length: int) -> str:
        """A variable that is an array of so many numbers, of which the first are given."""
        x = self.fresh("v")
        self.line(f"long {x}[{length}] = {{{', '.join(first)}}};")
        return x

    # -- answers of a task

    def answers(self, outs: Sequence[Out]) -> None:
        """Stores the scalars that the host asks for in the status buffer."""
        self._answers = bool(outs)
        for k, out in enumerate(outs):
            t = scalar_type(self.unit.types, out.x, self._place)
            index = str((STATUS_OUT + k) * (8 // t.bytes))
            store = c_store(t, "((__global uchar *)status)", index, self.name(out.x))
            self.line(store, f"answer {out.x}")


_BITS = {t.bytes: t for t in UNSIGNED}


Comparison: TypeAlias = InRange | RangeInside | Injective | NonNegative | SizesEqual
"""A condition over sizes."""

Exact: TypeAlias = Callable[[Size], tuple[str, str]]
"""A size as a C operand, and the variable that says that it did not fit, or nothing."""


Numbers: TypeAlias = Callable[[Sequence[str], int], str]
"""A variable that is an array of so many numbers, of which the first are given."""


def compared(
    cond: Comparison, exact: Exact, numbers: Numbers, sizes: frozenset[Name] = frozenset()
) -> str:
    """A condition over sizes.  What does not fit 64 bits fails it; the host looks closer.

    ``sizes`` are known not to be negative: then an index below zero is, unsigned, above them.
    """
    if cond == Injective(()):
        return "true"
    terms, flags = zip(*map(exact, condition_sizes(cond)), strict=True)
    fits = [f"!{o}" for o in flags if o]
    match cond, terms:
        case InRange(_, size), (i, n) if size.as_name in sizes and not fits:
            return f"(ulong)({i}) < (ulong)({n})"
        case InRange(), (i, n):
            return _all(*fits, f"0 <= {i}", f"{i} < {n}")
        case RangeInside(), (length, start, last, n):
            empty = _all(*fits[: bool(flags[0])], f"{length} == 0")
            bounds = (f"0 <= {start}", f"{start} < {n}", f"0 <= {last}", f"{last} < {n}")
            whole = f"({empty}) || ({_all(*fits, f'{length} > 0', *bounds)})"
            if not flags[2]:
                return whole
            # Where nothing is added to the start, a stride may be of any length.
            first = [f"!{o}" for o in flags[:2] + flags[3:] if o]
            return f"{whole} || ({_all(*first, f'{length} == 1', *bounds[:2])})"
        case Injective(), (length, stride):
            return _all(*fits, f"({stride} != 0 || {length} <= 1)")
        case Injective(dims), lengths_and_strides:
            rank = len(dims)
            room = numbers(lengths_and_strides, 5 * rank)
            return _all(*fits, f"sz_injective({rank}, {room})")
        case NonNegative(), (d,):
            return _all(*fits, f"{d} >= 0")
        case SizesEqual(), (a, b):
            return _all(*fits, f"{a} == {b}")
        case _:
            raise AssertionError(cond)


def _all(*conditions: str) -> str:
    return " && ".join(conditions)


def _sets(s: ImpStm, x: Name) -> bool:
    """Whether s does nothing before it gives x its value."""
    match s:
        case Assign(y) | Read(y) | Allocate(y):
            return x == y
        case _:
            return False
