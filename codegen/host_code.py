"""Prints the steps of a plan as Python statements, which do what ``plan`` defines.

A program on a device is run by a Python function that is generated for each entry point.  Variables
of the host become local variables of it: ``x<k>`` scalars, ``b<k>`` buffers, None if a block
variable holds none.  Functions and records that the statements refer to are in ``HostCode.names``,
under names that are made here.  No text of a program is part of the function.

Names that the caller defines:

    take(size, at)  drop(buffer)         memory (commands.py)
    sync()  round()                      waiting for the device
    foreign(name, args, results, at)     foreign functions
    answers(types)  read(buffer, index, type, at)

Python limits how deeply blocks are nested, and expressions in parentheses.  So the body of a deeply
nested loop becomes a function of its own, and a deep expression is evaluated by closures.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from attrs import field

from funmem.codegen import plan
from funmem.codegen.host import all_names, held, inside, operator_trap, trap
from funmem.codegen.plan import CheckInfo, Condition, EntryPlan, Expr, Step, Steps, Test
from funmem.codegen.plan_tree import evaluate, expr_names
from funmem.ir.foreign_calls import Result
from funmem.ir.fun import Const, Var
from funmem.ir.imp import (
    ArrayPort,
    Injective,
    InRange,
    NonNegative,
    RangeInside,
    ScalarPort,
    SizesEqual,
)
from funmem.ir.injective import injective
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, OperatorTrap, ScalarType, bin_fn, convert_fn, un_fn
from funmem.ir.sizes import Size

_DEEP = 8
"""Blocks around a statement from which on a body becomes a function; Python allows 20."""

_DEEP_EXPR = 20
"""Operators around an operand from which on an expression is evaluated by closures."""


@define
class HostCode:
    """Prints the steps of one entry point.

    ``launch`` prints a launch, given the Python expression of its number of iterations.
    """

    entry: EntryPlan
    launch: "Callable[[HostCode, plan.Launch, str], Sequence[str]]"
    names: dict[str, object] = field(factory=dict)
    scalars: dict[Name, str] = field(factory=dict)
    blocks: dict[Name, str] = field(factory=dict)
    _lines: list[str] = field(factory=list)
    _depth: int = 0
    _nested: int = 0
    lent: dict[Name, str] = field(factory=dict)
    """For a parameter that only ever holds its argument: the variable with the bytes of the result
    of another call that it holds, None if it holds none."""
    _set: set[Name] = field(factory=set)
    """Blocks that may be held at this step."""

    def body(self) -> list[str]:
        """Return the statements, and before them those that set all variables."""
        steps = tuple(plan.every_step(self.entry.steps))
        moved = {x for s in steps if isinstance(s, plan.Alias) for x in (s.x, s.y)}
        moved |= {s.x for s in steps if isinstance(s, plan.Alloc)} | set(self.entry.written)
        moved |= {r.block for r in self.entry.results if isinstance(r, ArrayPort)}
        for k, p in enumerate(self.entry.params):
            if isinstance(p, ArrayPort):
                self._set.add(p.block)
                if p.block not in moved:
                    self.lent[p.block] = f"lent{k}"
        self.names["OperatorTrap"], self.names["operator_trap"] = OperatorTrap, operator_trap
        self.steps(self.entry.steps)
        return self._lines

    def zeros(self) -> list[str]:
        """Return statements that set the variables which are neither sizes nor arguments."""
        given = set(self.entry.sizes) | {
            p.x if isinstance(p, ScalarPort) else p.block for p in self.entry.params
        }
        types = {v.x: v.type for v in self.entry.variables}
        zeros = [f"{v} = {_zero(types.get(x))}" for x, v in self.scalars.items() if x not in given]
        zeros += [f"{b} = None" for x, b in self.blocks.items() if x not in given]
        return zeros + [f"{lent} = None" for lent in self.lent.values()]

    # -- text

    def line(self, *texts: str) -> None:
        self._lines.extend(" " * self._depth + text for text in texts)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.line(head)
        self._depth += 1
        before = len(self._lines)
        yield
        if len(self._lines) == before:
            self.line("pass")
        self._depth -= 1

    @contextmanager
    def loop(self, head: str) -> Iterator[None]:
        """Print a block that counts as nested; its body is a function if it is nested deeply."""
        outer = self._nested
        self._nested += 1
        with self.block(head):
            if self._nested % _DEEP:
                yield
            else:
                name = f"body{len(self._lines)}"
                with self.block(f"def {name}():"):
                    at = len(self._lines)
                    yield
                    every = [*self.scalars.values(), *self.blocks.values(), *self.lent.values()]
                    if every:
                        self._lines.insert(at, " " * self._depth + f"nonlocal {', '.join(every)}")
                self.line(f"{name}()")
        self._nested = outer

    def name(self, value: object) -> str:
        """Return a new name of a value that the statements refer to."""
        name = f"_{len(self.names)}"
        self.names[name] = value
        return name

    def scalar(self, x: Name) -> str:
        return self.scalars.setdefault(x, f"x{len(self.scalars)}")

    def buffer(self, x: Name) -> str:
        return self.blocks.setdefault(x, f"b{len(self.blocks)}")

    def values(self, xs: Sequence[Name]) -> str:
        """Return the expression of a dictionary of variables and their values."""
        return f"dict(zip({self.name(tuple(xs))}, {tuple_of([self.scalar(x) for x in xs])}))"

    # -- expressions

    def expr(self, e: Expr) -> str:
        """Return an expression as Python."""
        if _depth_of(e) <= _DEEP_EXPR:
            return self.shallow(e)
        return f"{self.name(evaluate(e))}({self.values(sorted(expr_names(e)))})"

    def shallow(self, e: Expr) -> str:
        match e:
            case Const(v):
                return repr(v) if isinstance(v, int) else self.name(v)
            case Var(x):
                return self.scalar(x)
            case plan.Binary(op, t, a, b):
                return f"{self.name(bin_fn(op, t))}({self.shallow(a)}, {self.shallow(b)})"
            case plan.Unary(op, t, a):
                return f"{self.name(un_fn(op, t))}({self.shallow(a)})"
            case plan.Cast(to, source, a):
                return f"{self.name(convert_fn(source, to))}({self.shallow(a)})"

    def size(self, d: Size) -> str:
        """Return a size, computed exactly, as Python."""
        return polynomial(d, self.scalar)

    def condition(self, c: Condition) -> str:
        match c:
            case Test(cond):
                return self.expr(cond)
            case InRange(a, b):
                return f"0 <= {self.size(a)} < {self.size(b)}"
            case NonNegative(d):
                return f"{self.size(d)} >= 0"
            case SizesEqual(a, b):
                return f"{self.size(a)} == {self.size(b)}"
            case RangeInside(start, length, stride, n):
                return f"inside({', '.join(map(self.size, (start, length, stride, n)))})"
            case Injective(dims):
                lens = ", ".join(self.size(d.len) for d in dims)
                strides = ", ".join(self.size(d.stride) for d in dims)
                return f"injective([{lens}], [{strides}])"

    # -- steps

    def steps(self, steps: Steps) -> None:
        for s in steps:
            self.step(s)

    def step(self, step: Step) -> None:
        match step:
            case plan.SetScalar():
                self.set_scalar(step)
            case plan.Alias(x, y):
                self.alias(x, y)
            case plan.Alloc(x, size, at):
                b = self.buffer(x)
                self.free(x)
                self.line(f"{b} = take({self.size(size)}, {self.name(at)})")
                self._set.add(x)
            case plan.Free(xs):
                for x in xs:
                    self.free(x)
            case plan.Launch():
                self.launched(step)
            case plan.Fetch(outs):
                types = self.name([o.type for o in outs])
                given = "".join(f"{self.scalar(o.x)}, " for o in outs)
                self.line(f"{given or '() '}= answers({types})")
            case plan.ReadScalar():
                self.read(step)
            case plan.CallForeign():
                self.foreign(step)
            case plan.If(cond, then, orelse):
                self.branch(cond, then, orelse)
            case plan.For(index, bound, body):
                head = f"for {self.scalar(index)} in range({self.size(bound)}):"
                self.repeat(head, body)
            case plan.While(cond, body):
                self.repeat(f"while {self.scalar(cond)}:", body)
            case plan.Verify(check):
                self.verify(self.entry.checks[check])

    def set_scalar(self, step: plan.SetScalar) -> None:
        x, value = self.scalar(step.x), self.expr(step.value)
        if isinstance(step.value, Const | Var):
            self.line(f"{x} = {value}")
        else:
            self.guarded(f"{x} = {value}", step.at)

    def guarded(self, line: str, at: object) -> None:
        """Print a statement in which an operation may be undefined (only without checks)."""
        self.line("try:", f" {line}", "except OperatorTrap as stop:")
        self.line(f" raise operator_trap(stop, {self.name(at)}, sync) from None")

    def alias(self, x: Name, y: Name) -> None:
        to, source = self.buffer(x), self.buffer(y)
        self.line(f"old = {to}", f"{to} = {source}")
        with self.block(f"if {to} is not None:"):
            self.line(f"{to}.holders += 1")
        with self.block("if old is not None:"):
            self.line("drop(old)")
        self._set.add(x)

    def free(self, x: Name) -> None:
        """Print that a block variable holds nothing from here on, unless that is the case."""
        if x in self._set:
            self.line(*self.freed(x))

    def freed(self, x: Name) -> list[str]:
        """Return statements that let a block variable hold nothing."""
        b, lent = self.buffer(x), self.lent.get(x)
        drop = [f"if {b} is not None:", f" old = {b}", f" {b} = None", " drop(old)"]
        if lent is None:
            return drop
        taken = [f"if {lent} is not None:", f" pool.lent -= {lent}", f" {lent} = {b} = None"]
        return [*taken, f"el{drop[0]}", *drop[1:]]

    def launched(self, step: plan.Launch) -> None:
        if not step.dims:
            self.line(*self.launch(self, step, "1"))
            return
        dims = [f"n{k}" for k in range(len(step.dims))]
        for n, d in zip(dims, step.dims, strict=True):
            self.line(f"{n} = {self.size(d)}")
        with self.block(f"if {' and '.join(f'{n} > 0' for n in dims)}:"):
            self.line(*self.launch(self, step, "*".join(dims)))

    def read(self, step: plan.ReadScalar) -> None:
        b, x = self.buffer(step.block), self.scalar(step.x)
        self.names["held"] = held
        buffer = f"held({b}, {self.name(step.block)})"
        place = f"{self.size(step.index)}, {self.name(step.elem)}, {self.name(step.at)}"
        self.line("sync()", f"{x} = read({buffer}, {place})")

    def foreign(self, step: plan.CallForeign) -> None:
        """Print a call of a foreign function, after all work on the device."""
        token = int(step.effect)
        args, outs = [self.expr(a) for a in step.args], [self.scalar(o.x) for o in step.outs]
        self.line("sync()")
        if token:
            self.guarded(f"{outs[0]} = {args[0]}", step.at)
        given = tuple_of(args[token:])
        types = self.name([Result(o.type) for o in step.outs[token:]])
        got = "".join(f"{x}, " for x in outs[token:])
        call = f"foreign({self.name(step.fn)}, {given}, {types}, {self.name(step.at)})"
        self.guarded(f"{got or '() '}= {call}", step.at)

    def branch(self, cond: Expr, then: Steps, orelse: Steps) -> None:
        before = set(self._set)
        with self.loop(f"if {self.expr(cond)}:"):
            self.steps(then)
        after, self._set = self._set, before
        if orelse:
            with self.loop("else:"):
                self.steps(orelse)
        self._set |= after

    def repeat(self, head: str, body: Steps) -> None:
        for s in plan.every_step(body):
            if isinstance(s, plan.Alloc | plan.Alias):
                self._set.add(s.x)
        with self.loop(head):
            self.steps(body)
            self.line("round()")

    def verify(self, check: CheckInfo) -> None:
        self.names |= {"inside": inside, "injective": injective, "trap": trap}
        self.guarded(f"good = {self.condition(check.cond)}", check.at)
        with self.block("if not good:"):
            self.line("sync()")  # a failure on the device came earlier and takes precedence
            values = self.values(sorted(all_names(check)))
            self.line(f"raise trap({self.name(check)}, {values})")


def polynomial(d: Size, name: Callable[[Name], str]) -> str:
    """Return a size as a Python expression over the names of its variables."""
    terms = []
    for xs, k in d.terms:
        factors = [*([] if k == 1 and xs else [str(k)]), *map(name, xs)]
        terms.append("*".join(factors))
    return f"({' + '.join(terms)})" if len(terms) > 1 else "".join(terms) or "0"


def tuple_of(xs: Sequence[str]) -> str:
    """Return the text of a tuple."""
    return f"({''.join(f'{x}, ' for x in xs)})"


def _depth_of(e: Expr) -> int:
    match e:
        case Const() | Var():
            return 0
        case plan.Binary(_, _, a, b):
            return 1 + max(_depth_of(a), _depth_of(b))
        case plan.Unary(_, _, a) | plan.Cast(_, _, a):
            return 1 + _depth_of(a)


def _zero(t: ScalarType | None) -> str:
    return "False" if t is BOOL else "0.0" if t is not None and t.is_float else "0"
