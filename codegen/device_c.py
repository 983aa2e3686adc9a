"""Prints the IMP statements of one kernel as OpenCL C or GNU C.

A work-item is one iteration of a ``kernel``; nested kernels are loops.  Names come from a counter:
``v`` scalars, ``b`` blocks (pointers), ``a`` arrays of private blocks.  Free variables of the
statements become parameters.  A failed check fills in the status buffer (see :mod:`plan
<funmem.codegen.plan>`) and ends the work-item.  Kernels have no barriers, so no other work-item
waits for it.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from attrs import field

from funmem.codegen.comments import comment, describe
from funmem.codegen.conditions_c import c_condition
from funmem.codegen.exprs import (
    c_bound,
    c_expr,
    c_size,
    c_size_checked,
    in_parts,
    is_plain,
    scalar_type,
    typed,
)
from funmem.codegen.facts import facts
from funmem.codegen.plan import (
    STATUS_OUT,
    Arg,
    BlockArg,
    Expr,
    Out,
    ScalarArg,
    Test,
)
from funmem.codegen.prefetch import AHEAD, LINE, Stream, streams, written
from funmem.codegen.scalars_cl import c_const, c_load, c_store, c_type, c_word
from funmem.codegen.scatter import branchless, chosen_scalar
from funmem.codegen.unit import NotReady, Unit
from funmem.codegen.unroll import ends_early, for_llvm, unrolled
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.foreign import symbol
from funmem.ir.fun import Linkage, MemType, ScalarExp, Space, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpDim,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import (
    is_recurrence,
    nested,
    type_of,
)
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import UNSIGNED, ScalarType
from funmem.ir.sizes import Size

PRIVATE_LIMIT = 1 << 16
"""Bytes of private memory per work-item, beyond which a kernel is refused."""


@define
class Printer:
    """Prints the body of one kernel or task."""

    unit: Unit
    task: bool
    _args: list[Arg] = field(factory=list)
    data: frozenset[Name] = frozenset()
    """Variables whose values depend on memory."""
    chosen: frozenset[Name] = frozenset()
    """Indices that a branch has chosen; see :mod:`funmem.codegen.scatter`."""
    stops: bool = False
    """True: while-loops end if an earlier iteration of the kernel has failed."""
    leave: str = "return;"
    """The statement with which a failed check ends."""
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
    _serial: bool = False
    """True inside a loop in which each iteration depends on the one before."""
    _ends_early: bool = False
    """True inside a loop whose iteration a check may end before its inner loops."""
    _count: int = 0
    _place: Span = NOWHERE
    _test: ScalarExp | None = None
    """What the condition of the conditional to be printed was computed from."""
    _mask: tuple[()] | tuple[str, str] = ()
    _ahead: tuple[Stream, ...] = ()
    """What the next loop fetches in advance."""

    # -- text

    def line(self, text: str, note: str = "") -> None:
        tail = f"  {comment(note)}" if note else ""
        self._lines.append("    " * self._depth + text + tail)

    @contextmanager
    def braces(self, head: str, note: str = "", *, loop: bool = False) -> Iterator[None]:
        """Print ``head { … }``; names bound inside are local to it."""
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
        """Return the lines of the body, arrays first."""
        return [*("    " + a for a in self._arrays), *self._lines]

    # -- names

    def fresh(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def bind(self, x: Name) -> str:
        """Return a new C variable for x in the current scope."""
        block = isinstance(self.unit.types[x], MemType)
        self._scope[x] = self.fresh("b" if block else "v")
        return self._scope[x]

    def name(self, x: Name) -> str:
        """Return the C name of x; a variable that is not bound here becomes a parameter."""
        if x in self._scope:
            return self._scope[x]
        if x not in self._free:
            t = type_of(self.unit.types, x, self._place)
            self._free[x] = self.fresh("b" if isinstance(t, MemType) else "v")
            self._args.append(BlockArg(x) if isinstance(t, MemType) else ScalarArg(x, t))
        return self._free[x]

    @property
    def args(self) -> tuple[Arg, ...]:
        """Return the parameters that the statements need: scalars, then blocks."""
        return tuple(sorted(self._args, key=lambda a: isinstance(a, BlockArg)))

    def legend(self) -> str:
        """Return a text that maps the C names of parameters to IMP variables."""
        return ", ".join(f"{self._free[a.x]} = {a.x}" for a in self.args)

    @property
    def reports(self) -> bool:
        """True if the statements write to the status buffer."""
        return self.can_fail or self._answers

    def parameters(self) -> list[str]:
        """Return the C declarations of ``args``."""
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
        """Return a size as a primary expression."""
        return self.size(s) if is_plain(s) else f"({self.size(s)})"

    def exp(self, e: ScalarExp, at: Span) -> str:
        return self.value(typed(e, self.unit.types, at)[0])

    def value(self, e: Expr) -> str:
        return c_expr(in_parts(e, self.part), self.name, self.unit.numbers)

    def part(self, e: Expr, t: ScalarType) -> Name:
        """Declare a variable for a subexpression and return its name (see ``in_parts``)."""
        v = self.fresh("v")
        self.line(f"const {c_type(t)} {v} = {c_expr(e, self.name, self.unit.numbers)};")
        name = Name(f"{v} of it")  # not an identifier, so it differs from all IMP names
        self._scope[name] = v
        return name

    def pointer(self, block: Name) -> tuple[str, str]:
        """Return a block's C name and address space; parameters are global."""
        t = type_of(self.unit.types, block, self._place)
        if not isinstance(t, MemType):
            raise SourceError(Diagnostic(self._place, "T-SCALAR", f"`{block}` is not a block"))
        name = self.name(block)
        device = block not in self._scope or t.space is Space.DEVICE
        return name, "__global" if device else "__private"

    # -- statements

    def block(self, stms: Block) -> None:
        """Print statements in order; a declaration is merged with a directly following setter."""
        pending: Name | None = None
        last: ImpStm | None = None
        for s in stms:
            if pending is not None and not _sets(s, pending):
                self.declare(pending)
                pending = None
            if isinstance(s, Declare):
                pending = s.x
                continue
            self.place(s.at)
            self._test = _tested(s, last)
            self.statement(s, declares=pending is not None)
            pending, last = None, s
        if pending is not None:
            self.declare(pending)

    def place(self, at: Span) -> None:
        """Print a comment with the source position if it has changed."""
        if at not in (NOWHERE, self._place):
            self.line(comment(str(at)))
            self._place = at

    def declare(self, x: Name) -> None:
        """Declare a variable without a value; it is set to zero, to avoid undefined behaviour."""
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
                store = c_store(elem, pointer, place, self.exp(value, s.at), space)
                self.line(self.when() + store, note)
            case CopyElement():
                self.copy_element(s, note)
            case IfStm(then=then) if branchless(s, self.chosen, self.data):
                self.masked(s, note)
                self.block(then)
                self._mask = ()
            case IfStm() if self._serial and chosen_scalar(s, self.data, self.unit.types):
                self.choice(s, note)
            case IfStm(cond, then, orelse):
                holds = self._test or cond
                self.conditional(self.exp(cond, s.at), holds, (then, orelse), note)
            case ForStm(index, bound, body):
                head = "FM_UNROLL " if self.unrolls(s) else ""
                outer, self._serial = self._serial, self.unit.masks and is_recurrence(body)
                ahead = streams(s) if self.unit.gnu else ()
                with self.fetching(ahead, written(s) if ahead else ()):
                    self.loop(ImpDim(index, bound), body, note, head)
                self._serial = outer
            case WhileStm(cond, body):
                with self.braces(f"while ({self.name(cond)})", note, loop=True):
                    launch = "" if self.unit.gnu else "launch, "
                    looks = ["rt_stop"] if self.unit.gnu and (self.stops or self.task) else []
                    looks += [f"rt_stopped(status, {launch}gid)"] if self.stops else []
                    if looks:
                        self.line(f"if ({' || '.join(looks)})")
                        self.line(f"    {self.leave}")
                    self.block(body)
            case KernelStm(dims, body):
                self.nest(dims, body, note)
            case CallStm():
                self.call(s, note, declares=declares)
            case OpaqueStm():
                self.opaque(s, ())
            case Check():
                self.check(s)

    def unrolls(self, s: ForStm) -> bool:
        """True if the loop is printed with ``FM_UNROLL``."""
        if not unrolled(s, self.data):
            return False
        return self.unit.gnu or (self.unit.masks and for_llvm(s) and not self._ends_early)

    @contextmanager
    def fetching(self, ahead: Sequence[Stream], changed: Collection[Name]) -> Iterator[None]:
        """Print what streams will need at the beginning of each iteration of the next loop, if the
        loop changes private blocks only.
        """
        folds = all(self.pointer(x)[1] == "__private" for x in changed)
        self._ahead = tuple(x for x in ahead if folds and self.pointer(x.block)[1] == "__global")
        yield
        self._ahead = ()

    def fetch(self) -> None:
        """Print the fetches at the beginning of an iteration."""
        for x in self._ahead:
            size = x.elem.bytes
            first = f"{size}L * ({self.size(x.start)})"
            k = self.fresh("k")
            self.line(f"for (long {k} = 0; {k} < {x.lanes * size}L; {k} += {LINE})")
            at = f"(const char *){self.pointer(x.block)[0]} + {first} + {AHEAD} + {k}"
            self.line(f"    __builtin_prefetch({at});")
        self._ahead = ()

    def opaque(self, s: OpaqueStm, indices: Sequence[str]) -> None:
        """Print a call of foreign code on arrays, for one index of its grid."""
        given = [
            f"(__global const {c_type(a.elem)} *){self.name(a.block)}"
            if isinstance(a, ArrayPort)
            else self.exp(a, s.at)
            for a in s.args
        ]
        outs = [f"(__global {c_type(p.elem)} *){self.name(p.block)}" for p in s.results]
        self.line(f"{symbol(s.fn)}({', '.join((*given, *outs, *indices))});", describe(s))

    def call(self, s: CallStm, note: str, *, declares: bool) -> None:
        """Print a call; the caller of a function that fails leaves at once."""
        if s.linkage is not Linkage.OWN:
            self.foreign(s, note, declares=declares)
            return
        f = self.unit.callee(s)
        args = [self.exp(a, s.at) for a in s.args]
        if len(s.results) == 1 and not f.partial:
            target = self.target(s.results[0], declares)
            self.line(f"{target} = {f.name}({', '.join(args)});", note)
            return
        if declares:
            self.declare(s.results[0])
        outs = [f"&{self.name(x)}" for x in s.results]
        if not f.partial:
            self.line(f"{f.name}({', '.join((*args, *outs))});", note)
            return
        self.can_fail = True
        given = ", ".join(("status", "launch", "gid", *args, *outs))
        self.line(f"if ({f.name}({given}))", note)
        self.line(f"    {self.leave}")

    def foreign(self, s: CallStm, note: str, *, declares: bool) -> None:
        """Print a call of a pure foreign function; the type rules exclude effects here."""
        args = [self.exp(a, s.at) for a in s.args]
        if declares:
            self.declare(s.results[0])
        outs = [f"&{self.name(x)}" for x in s.results]
        self.line(f"{symbol(s.fn)}({', '.join((*args, *outs))});", note)

    def assigned(self, x: Name, value: ScalarExp, s: ImpStm) -> str:
        """Return the right-hand side of an assignment of a scalar or a block."""
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
        """Copy the bits as an unsigned integer of the same width, which keeps NaN payloads."""
        t = _BITS[s.elem.bytes]
        pointer, place, space = self.element(s.src, s.src_index, "rt_none")
        value = c_load(t, pointer, place, space)
        pointer, place, space = self.element(s.dst, s.dst_index)
        self.line(self.when() + c_store(t, pointer, place, value, space), note)

    def element(self, block: Name, index: Size, spare: str = "") -> tuple[str, str, str]:
        """Return the pointer, index and space of an element.

        Where a mask is set and false, they select the variable ``spare`` (see ``masked``).
        """
        pointer, space = self.pointer(block)
        if not self._mask:
            return pointer, self.size(index), space
        mask, own = self._mask
        return (
            f"rt_pick({mask}, {pointer}, &{spare or own})",
            f"({self.size(index)}) & {mask}",
            space,
        )

    def when(self) -> str:
        """Return what precedes a store under a mask: OpenCL C has the branch on some devices."""
        return f"FM_IF({self._mask[0]}) " if self._mask and not self.unit.gnu else ""

    def masked(self, s: IfStm, note: str) -> None:
        """Redirect element accesses to a spare variable where the condition is false."""
        mask, spare = self._mask = (self.fresh("v"), self.fresh("v"))
        self.line(f"const long {mask} = rt_mask({self.exp(s.cond, s.at)});", note)
        self.line(f"ulong {spare};")

    def choice(self, s: IfStm, note: str) -> None:
        """Print a choice between two integers without a branch."""
        (then,), (orelse,) = s.then, s.orelse
        assert isinstance(then, Assign)
        assert isinstance(orelse, Assign)
        mask, t = self.fresh("v"), scalar_type(self.unit.types, then.x, s.at)
        self.line(f"const long {mask} = rt_mask({self.exp(s.cond, s.at)});", note)
        a, b = (self.exp(x.value, s.at) for x in (then, orelse))
        both = f"({a} & ({c_type(t)}){mask}) | ({b} & ~({c_type(t)}){mask})"
        self.line(f"{self.name(then.x)} = ({c_type(t)})({both});")

    def conditional(
        self, cond: str, holds: ScalarExp, branches: tuple[Block, Block], note: str
    ) -> None:
        """Print a conditional; ``holds``: what the variable ``cond`` was computed from."""
        then, orelse = branches
        with self.braces(f"if ({cond})", note), self.unit.given(holds, then):
            self.block(then)
        if orelse:
            with self.braces("else"):
                self.block(orelse)

    def loop(self, dim: ImpDim, body: Block, note: str, head: str = "") -> None:
        """Print a ``for`` loop; a bound that the body could change is computed before it.

        ``head``: the macro that tells the C compiler how to treat the loop.
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
            self.fetch()
            self.block(body)
        self._ends_early = may_end
        if outer is None:
            del self._scope[dim.index]
        else:
            self._scope[dim.index] = outer

    def nest(self, dims: Sequence[ImpDim], body: Block, note: str) -> None:
        """Print a nested kernel as nested loops, of which the innermost may be vectorised.

        It may not if iterations allocate private blocks: all iterations share one array for them.
        """
        if len(dims) == 1:
            lanes = self.unit.lanes(dims[0].bound, body) + " "
            self.loop(dims[0], body, note, head="" if facts(*body).has_alloc else lanes)
        else:
            self.loop(dims[0], (KernelStm(tuple(dims[1:]), body),), note)

    # -- private blocks

    def allocate(self, s: Allocate) -> None:
        """Print the allocation of a private block: it becomes a C array.

        Inside a loop another variable may keep the block beyond its iteration, as in double
        buffering.  With one more array than there are such variables, one array is always free.
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
        """Return the C names of the other variables in scope that may hold a block of x."""
        reached = {x}
        while more := {y for z in reached for y in self._holders.get(z, ())} - reached:
            reached |= more
        return [self._scope[y] for y in sorted(reached - {x}) if y in self._scope]

    def note_aliases(self, body: Block) -> None:
        """Record all assignments between block variables of the kernel."""
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
            holds = c_condition(info.cond, self.exact, self.numbers, self.unit.sizes)
        with self.braces(f"if (!({holds}))"):
            values = ", ".join(map(self.word, info.stored))
            if values:
                self.line(f"const long values[] = {{{values}}};")
            given = f"{len(info.stored)}, {'values' if values else '0'}"
            self.line(f"rt_fail(status, launch, gid, {number + 1}, {given});")
            self.line(self.leave)

    def word(self, x: Name) -> str:
        """Return the value of a variable as a 64-bit word."""
        return c_word(scalar_type(self.unit.types, x, self._place), self.name(x))

    def exact(self, s: Size) -> tuple[str, str]:
        """Return a size as a C operand, and the variable that flags overflow, empty if none can."""
        if is_plain(s):
            return self.size(s), ""
        value, over = self.fresh("v"), self.fresh("v")
        self.line(f"int {over} = 0;")
        self.line(f"const long {value} = {c_size_checked(s, self.name, over)};", str(s))
        return value, over

    def numbers(self, first: Sequence[str], length: int) -> str:
        """Declare an array of ``length`` numbers that begins with ``first``; return its name."""
        x = self.fresh("v")
        self.line(f"long {x}[{length}] = {{{', '.join(first)}}};")
        return x

    # -- results of a task

    def answers(self, outs: Sequence[Out]) -> None:
        """Print the stores of a task's scalar results to the status buffer."""
        self._answers = bool(outs)
        for k, out in enumerate(outs):
            t = scalar_type(self.unit.types, out.x, self._place)
            index = str((STATUS_OUT + k) * (8 // t.bytes))
            store = c_store(t, "((__global uchar *)status)", index, self.name(out.x))
            self.line(store, f"answer {out.x}")


_BITS = {t.bytes: t for t in UNSIGNED}


def _tested(s: ImpStm, last: ImpStm | None) -> ScalarExp | None:
    """Return what a conditional tests, if the statement before it assigned its condition."""
    match s, last:
        case IfStm(Var(x)), Assign(y, value) if x == y:
            return value
        case _:
            return None


def _sets(s: ImpStm, x: Name) -> bool:
    """True if the first effect of s is to set x."""
    if isinstance(s, CallStm):
        return s.results == (x,)
    return isinstance(s, Assign | Read | Allocate) and s.x == x
