"""Prints the steps of a plan as a C function, which does in C what ``host`` does in Python.

Variables of the host become C variables: ``v`` scalars, ``b`` pointers to reference-counted blocks.
Sizes are computed in 64 bits.  A size that does not fit becomes the nearest number that does: a
block of a negative size has no bytes, and the allocation of too large a block fails.  The status
buffer is a local array that kernels fill in.
"""

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager

from attrs import field

from funmem.codegen.c_types import c_type
from funmem.codegen.comments import comment
from funmem.codegen.conditions_c import c_condition
from funmem.codegen.exprs import (
    c_bound,
    c_expr,
    c_size,
    c_size_checked,
    in_parts,
    is_plain,
    sizes_known,
)
from funmem.codegen.plan import (
    STATUS_HEAD,
    STATUS_OUT,
    STATUS_VALUES,
    Alias,
    Alloc,
    BlockArg,
    CallForeign,
    CheckInfo,
    EntryPlan,
    Expr,
    Fetch,
    For,
    Free,
    If,
    Launch,
    ReadScalar,
    SetScalar,
    Step,
    Steps,
    Test,
    Verify,
    While,
    most_answers,
)
from funmem.codegen.scalars_cl import c_load, c_word
from funmem.ir.foreign import symbol
from funmem.ir.imp import (
    ArrayPort,
    Port,
    ScalarPort,
    Shown,
)
from funmem.ir.imp_traverse import argument_names
from funmem.ir.messages import parts
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, F16, F32, F64, I64, ScalarType
from funmem.ir.sizes import Size

_ABI = {BOOL: "uint8_t", F16: "uint16_t", F32: "float", F64: "double"}


def abi_type(t: ScalarType) -> str:
    """Return the C type of an element or a scalar in the library's interface; f16 is its bits."""
    return _ABI.get(t) or f"{'u' if t.is_unsigned else ''}int{t.bits}_t"


def prototype(e: EntryPlan, library: str, symbol: str) -> str:
    """Return the declaration of an entry point's function, with its shapes in a comment."""
    return f"{comment(_described(e))}\n{_head(e, library, symbol)};"


def _described(e: EntryPlan) -> str:
    given = " ".join(map(_shown, e.params))
    return " ".join(f"{e.name} {given} -> {' '.join(map(_shown, e.results))}".split())


def _shown(p: Port) -> str:
    if isinstance(p, ScalarPort):
        return f"({p.name} : {p.type})"
    return f"({p.name} : {''.join(f'[{d}]' for d in p.shape)}{p.elem})"


def _head(e: EntryPlan, library: str, symbol: str) -> str:
    params = [f"struct {library}_context *context"]
    params += [f"int64_t size{k}" for k in range(len(e.sizes))]
    for k, p in enumerate(e.params):
        match p:
            case ScalarPort(_, t):
                params.append(f"{abi_type(t)} x{k}")
            case ArrayPort(_, t):
                params.append(f"const {abi_type(t)} *x{k}")
    for k, p in enumerate(e.results):
        match p:
            case ScalarPort(_, t):
                params.append(f"{abi_type(t)} *r{k}")
            case ArrayPort(_, t, shape):
                params += [f"{abi_type(t)} **r{k}", f"int64_t r{k}_shape[{len(shape)}]"]
    return f"int {symbol}({', '.join(params)})"


# ---------------------------------------------------------------------- one function


@define
class Function:
    """Prints the C function of one entry point."""

    plan: EntryPlan
    number: int
    library: str
    symbol: str
    _lines: list[str] = field(factory=list)
    _scalars: dict[Name, str] = field(factory=dict)
    _parts: dict[Name, str] = field(factory=dict)
    _blocks: dict[Name, str] = field(factory=dict)
    _depth: int = 1
    _count: int = 0
    _allocs: int = 0

    def text(self) -> str:
        """Return the function's definition."""
        e = self.plan
        body = self.body()
        types = {v.x: v.type for v in e.variables}
        scalars = [f"{c_type(types[x])} {v} = 0;" for x, v in self._scalars.items()]
        blocks = [f"rt_block *{b} = NULL;" for b in self._blocks.values()]
        legend = ", ".join(f"{c} = {x}" for x, c in (*self._scalars.items(), *self._blocks.items()))
        drops = [f"rt_drop(context, &{b});" for b in self._blocks.values()]
        words = f"long status[{STATUS_OUT + most_answers(e.steps)}] = {{0}};"
        fails = any("goto failed;" in line for line in body)
        stops = any("goto stopped;" in line for line in body)
        stopped = ["stopped:", "    code = rt_interrupted(context);", "    goto done;"]
        failed = ["failed:", f"    code = rt_trap_{self.number}(context, status);"]
        return "\n".join(
            (
                comment(_described(e)),
                comment(legend),
                _head(e, self.library, self.symbol),
                "{",
                *(["    " + words] if any("status" in line for line in body) else []),
                "    int code = FM_OK;",
                *("    " + s for s in (*scalars, *blocks)),
                *("    " + line for line in self.opening()),
                "    context->peak = context->live = 0;",
                "    context->check = 0;",
                *body,
                "    goto done;",
                *(stopped if stops else []),
                *(failed if fails else []),
                "done:",
                *("    " + line for line in self.closing()),
                *("    " + d for d in drops),
                "    return code;",
                "}",
                "",
            )
        )

    def body(self) -> list[str]:
        """Return the statements between the declarations and the end."""
        e = self.plan
        for k, x in enumerate(e.sizes):
            self.line(f"{self.scalar(x)} = size{k};")
        for k, p in enumerate(e.params):
            match p:
                case ScalarPort(x, t):
                    self.line(f"{self.scalar(x)} = {_from_abi(t, f'x{k}')};")
                case ArrayPort(block, t, shape):
                    copy = "true" if block in e.written else "false"
                    given = f"&{self.block(block)}, x{k}, {self.bytes_of(shape, t)}, {copy}"
                    self.line(f"if ((code = rt_take(context, {given})) != FM_OK)")
                    self.line("    goto done;")
        self.steps(e.steps)
        self.sync()
        for k, p in enumerate(e.results):
            later = {q.block for q in e.results[k + 1 :] if isinstance(q, ArrayPort)}
            self.result(k, p, later)
        return self._lines

    def result(self, k: int, p: Port, later: Set[Name]) -> None:
        """Print the return of result ``k``; ``later``: the blocks of later results."""
        match p:
            case ScalarPort(x, t):
                self.line(f"*r{k} = {_to_abi(t, self.scalar(x))};")
            case ArrayPort(block, t, shape):
                for i, d in enumerate(shape):
                    self.line(f"r{k}_shape[{i}] = {self.fitting(d)};")
                last = "false" if block in later else "true"
                given = f"&{self.block(block)}, {self.bytes_of(shape, t)}, {last}, (void **)r{k}"
                self.line(f"if ((code = rt_give(context, {given})) != FM_OK)")
                self.line("    goto done;")

    # -- what a host with a device does in another way

    def opening(self) -> Sequence[str]:
        """Return the statements that begin a call."""
        return ("rt_begin();",)

    def closing(self) -> Sequence[str]:
        """Return the statements that end a call, before blocks are dropped."""
        return ("rt_end();",)

    def sync(self) -> None:
        """Print that the host waits for its kernels, and for the first that failed."""

    # -- text

    def line(self, text: str) -> None:
        self._lines.append("    " * self._depth + text)

    @contextmanager
    def braces(self, head: str = "") -> Iterator[None]:
        self.line(f"{head} {{".lstrip())
        self._depth += 1
        yield
        self._depth -= 1
        self.line("}")

    def fresh(self) -> str:
        self._count += 1
        return f"t{self._count}"

    def scalar(self, x: Name) -> str:
        return self._scalars.setdefault(x, f"v{len(self._scalars)}")

    def block(self, x: Name) -> str:
        return self._blocks.setdefault(x, f"b{len(self._blocks)}")

    def value(self, e: Expr) -> str:
        return c_expr(in_parts(e, self.part), self.name)

    def name(self, x: Name) -> str:
        return self._parts.get(x) or self.scalar(x)

    def part(self, e: Expr, t: ScalarType) -> Name:
        """Declare a variable for a subexpression and return its name (see ``in_parts``)."""
        v = self.fresh()
        self.line(f"const {c_type(t)} {v} = {c_expr(e, self.name)};")
        name = Name(f"{v} of it")  # not an identifier, so it differs from all IMP names
        self._parts[name] = v
        return name

    # -- sizes

    def exact(self, d: Size) -> tuple[str, str]:
        """Return a size as a C operand, and the variable that flags overflow, empty if none can."""
        if is_plain(d):
            return c_size(d, self.scalar), ""
        value, over = self.fresh(), self.fresh()
        self.line(f"int {over} = 0;")
        self.line(f"const long {value} = {c_size_checked(d, self.scalar, over)};")
        return value, over

    def nearest(self, d: Size) -> str:
        """Return a size as a C expression: the nearest number that fits 64 bits."""
        lines, value = c_bound(d, self.scalar, self.fresh, sizes_known(self.plan.sizes))
        for line in lines:
            self.line(line)
        return value

    def bound(self, d: Size) -> str:
        """Declare a variable for a loop's trip count and return its name."""
        count = self.fresh()
        self.line(f"const long {count} = {self.nearest(d)};")
        return count

    def numbers(self, first: Sequence[str], length: int) -> str:
        """Declare an array of ``length`` numbers that begins with ``first``; return its name."""
        x = self.fresh()
        self.line(f"long {x}[{length}] = {{{', '.join(first)}}};")
        return x

    def bytes_of(self, shape: Sequence[Size], t: ScalarType) -> str:
        """Return the bytes of an existing array; dimensions of an empty one may be very large."""
        size = Size.of(t.bytes)
        for d in shape:
            size = size * d
        return self.fitting(size)

    def fitting(self, d: Size) -> str:
        """Return a size that fits 64 bits although its terms may not, by unsigned arithmetic."""
        unsigned = "" if is_plain(d) else "(ulong)"
        return c_size(d, lambda x: unsigned + self.scalar(x))

    # -- steps

    def steps(self, steps: Steps) -> None:
        for s in steps:
            self.step(s)

    def step(self, s: Step) -> None:
        match s:
            case SetScalar(x, e):
                self.line(f"{self.scalar(x)} = {self.value(e)};")
            case Alias(x, y):
                self.line(f"rt_alias(context, &{self.block(x)}, {self.block(y)});")
            case Alloc(x, size):
                with self.braces():
                    call = f"rt_alloc(context, &{self.block(x)}, {self.nearest(size)})"
                    self._allocs += 1
                    with self.braces(f"if ((code = {call}) != FM_OK)"):
                        self.sync()
                        self.line(f"context->check = {self._allocs};")
                        self.line("goto done;")
            case Free(xs):
                for x in xs:
                    self.line(f"rt_drop(context, &{self.block(x)});")
            case Launch():
                self.launch(s)
            case Fetch(outs):
                self.sync()
                for k, out in enumerate(outs):
                    index = str((STATUS_OUT + k) * (8 // out.type.bytes))
                    load = c_load(out.type, "((uchar *)status)", index)
                    self.line(f"{self.scalar(out.x)} = {load};")
            case ReadScalar():
                self.read(s)
            case CallForeign():
                self.foreign(s)
            case If(cond, then, orelse):
                with self.braces(f"if ({self.value(cond)})"):
                    self.steps(then)
                if orelse:
                    with self.braces("else"):
                        self.steps(orelse)
            case For(index, bound, body):
                with self.braces():
                    count, i = self.bound(bound), self.fresh()
                    with self.braces(f"for (long {i} = 0; {i} < {count}; {i}++)"):
                        self.stop()
                        self.line(f"{self.scalar(index)} = {i};")
                        self.steps(body)
            case While(cond, body):
                with self.braces(f"while ({self.scalar(cond)})"):
                    self.stop()
                    self.steps(body)
            case Verify(check):
                self.verify(check)

    def launch(self, s: Launch) -> None:
        info = self.plan.kernels[s.kernel]
        with self.braces():
            args = [] if info.task else ["sizes"]
            args += ["0", "status"] if info.status else []
            for a in info.args:
                args.append(
                    f"rt_data({self.block(a.x)})" if isinstance(a, BlockArg) else self.scalar(a.x)
                )
            call = f"{info.name}({', '.join(args)});"
            if info.task:
                self.line(call)
            else:
                sizes = [c_size(d, self.scalar) for d in s.dims]
                self.line(f"const long sizes[] = {{{', '.join(sizes)}}};")
                some = " && ".join(f"sizes[{k}] > 0" for k in range(len(sizes)))
                self.line(f"if ({some})")
                self.line(f"    {call}")
            if info.status:
                self.line("if (status[0])")
                self.line("    goto failed;")
        self.stop()

    def foreign(self, s: CallForeign) -> None:
        self.sync()
        token = int(s.effect)
        args, outs = [self.value(a) for a in s.args], [self.scalar(o.x) for o in s.outs]
        if token:
            self.line(f"{outs[0]} = {args[0]};")
        given = ", ".join((*args[token:], *(f"&{x}" for x in outs[token:])))
        self.line(f"{symbol(s.fn)}({given});")

    def stop(self) -> None:
        """Print a test that ends the call after an interrupt."""
        self.line("if (rt_stop)")
        self.line("    goto stopped;")

    def read(self, s: ReadScalar) -> None:
        self.sync()
        with self.braces():
            index, b = self.fresh(), self.block(s.block)
            self.line(f"const long {index} = {c_size(s.index, self.scalar)};")
            self.line(f"if ({index} < 0 || !{b} || {index} >= {b}->size / {s.elem.bytes}) {{")
            self.line('    snprintf(context->message, sizeof context->message, "outside a block");')
            self.line("    code = FM_BLOCK;")
            self.line("    goto done;")
            self.line("}")
            self.load(s, index)

    def load(self, s: ReadScalar, index: str) -> None:
        """Print the reading of an element that lies inside its block."""
        load = c_load(s.elem, f"{self.block(s.block)}->data", index)
        self.line(f"{self.scalar(s.x)} = {load};")

    def verify(self, number: int) -> None:
        info = self.plan.checks[number]
        with self.braces():
            if isinstance(info.cond, Test):
                holds = self.value(info.cond.cond)
            else:
                holds = c_condition(info.cond, self.exact, self.numbers)
            with self.braces(f"if (!({holds}))"):
                self.sync()
                self.line(f"status[0] = {number + 1};")
                types = {v.x: v.type for v in self.plan.variables}
                for k, x in enumerate(info.stored):
                    word = c_word(types[x], self.scalar(x))
                    self.line(f"status[{STATUS_HEAD + k}] = {word};")
                self.line("goto failed;")


def _from_abi(t: ScalarType, x: str) -> str:
    """Return a scalar argument, converted to the type that emitted C computes with."""
    return f"fm_load_f16({x})" if t is F16 else f"{x} != 0" if t is BOOL else x


def _to_abi(t: ScalarType, x: str) -> str:
    return f"fm_store_f16({x})" if t is F16 else x


# ---------------------------------------------------------------------- errors


def error_table(entries: Sequence[EntryPlan]) -> str:
    """Return for each entry point a C function that writes the message of a failed check."""
    return "\n".join(_trap_function(k, e) for k, e in enumerate(entries))


def _trap_function(number: int, e: EntryPlan) -> str:
    cases = []
    for k, check in enumerate(e.checks):
        form, values = _format(check)
        given = "".join(f", {v}" for v in values)
        cases += [
            f"    case {k + 1}:",
            f"        snprintf(c->message, sizeof c->message, {form}{given});",
            "        break;",
        ]
    return "\n".join(
        (
            f"static __attribute__((cold, unused)) int rt_trap_{number}(struct rt_context *c, "
            "const long *status)",
            "{",
            "    const long *w = status + FM_HEAD;",
            "    (void)w;",
            f"    c->entry = {number};",
            "    c->check = (int)status[0];",
            "    memcpy(c->words, w, sizeof c->words);",
            "    switch (status[0]) {",
            *cases,
            "    }",
            "    return FM_TRAP;",
            "}",
            "",
        )
    )


def _format(check: CheckInfo) -> tuple[str, list[str]]:
    """Return a printf format for a check's message, and the C arguments for it."""
    words = {x: f"w[{k}]" for k, x in enumerate(check.stored[:STATUS_VALUES])}
    texts = parts(check.message)
    text, values = "", []
    for k, piece in enumerate(texts):
        text += piece.replace("%", "%%")
        if k < len(check.args):
            form, value = _hole(check.args[k], words)
            text += form
            values += value
    where = f"{check.at}: " if str(check.at) else ""
    return c_string(where.replace("%", "%%") + text), values


def _hole(a: Size | Shown, words: dict[Name, str]) -> tuple[str, list[str]]:
    if not argument_names((a,)) <= words.keys():
        return "?", []
    if not isinstance(a, Shown):
        return "%ld", [f"(long)({c_size(a, words.__getitem__)})"]
    word = words[a.x]
    if a.type is BOOL:
        return "%s", [f'{word} ? "true" : "false"']
    if a.type is F64:
        return f"%.17g{a.type}", [f"as_double((ulong){word})"]
    if a.type.is_float:
        return f"%.9g{a.type}", [f"(double)as_float((uint){word})"]
    return ("%lu" if a.type.is_unsigned else "%ld"), [word if a.type is I64 else f"(long){word}"]


def c_string(text: str) -> str:
    """Return a C string literal; bytes outside printable ASCII are octal escapes."""
    out = []
    for byte in text.encode("utf-8"):
        c = chr(byte)
        if c in '"\\?':
            out.append("\\" + c)
        elif 32 <= byte < 127:
            out.append(c)
        else:
            out.append(f"\\{byte:03o}")
    return f'"{"".join(out)}"'
