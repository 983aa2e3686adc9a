"""The kinds of statement of generated programs.

Each function appends an assignment to a program, or raises Missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from funmem.testing.jit_generator.program import Generator, Var


class Missing(Exception):
    """A statement needs a variable that there is not, or numpy refuses it."""


OPERATORS = {
    "add": ("lambda a, b: a + b", "0"),
    "max": ("lambda a, b: np.maximum(a, b)", "-100"),
    "min": ("lambda a, b: fm.where(b < a, b, a)", "100"),
}


def _operands(g: Generator, v: Var) -> tuple[str, bool]:
    w = g.partner(v)
    return (g.number(v.kind), True) if w is None else (w.name, w.exact)


def _arithmetic(g: Generator) -> None:
    v = g.array_var("iuf")
    other, exact = _operands(g, v)
    op = g.rng.choice(["+", "-", "*"])
    a, b = (v.name, other) if g.rng.random() < 0.7 else (other, v.name)
    g.add(f"{a} {op} {b}", v.shape, v.exact and exact)


def _compare(g: Generator) -> None:
    v = g.array_var("iuf")
    other, exact = _operands(g, v)
    if not (v.exact and exact):
        raise Missing
    g.add(f"{v.name} {g.rng.choice(['<', '<=', '==', '!=', '>'])} {other}", v.shape)


def _divide(g: Generator) -> None:
    v = g.array_var("iuf")
    if g.rng.random() < 0.4 or not v.exact:
        g.add(f"{v.name} / {g.rng.choice(['2', '4', '3', '8.0'])}", v.shape, v.exact)
    else:
        g.add(f"{v.name} {g.rng.choice(['//', '%'])} {g.rng.choice(['2', '3', '5'])}", v.shape)


def _bits(g: Generator) -> None:
    v = g.array_var("iu")
    text = g.rng.choice(
        [f"{v.name} << 2", f"{v.name} >> 1", f"~{v.name}", f"{v.name} & 6", f"{v.name} ^ 3"]
    )
    g.add(text, v.shape)


def _logic(g: Generator) -> None:
    v = g.array_var("b")
    w = g.pick(lambda w: w.shape == v.shape and w.kind == "b")
    text = [f"{v.name} {op} {w.name}" for op in "&|^"]
    g.add(g.rng.choice([*text, f"~{v.name}", f"np.logical_not({v.name})"]), v.shape)


def _unary(g: Generator) -> None:
    v = g.array_var("iuf")
    if g.rng.random() < 0.5:
        f = g.rng.choice(["abs", "np.negative", "np.square", "np.sign", "np.floor", "np.rint"])
        if f in ("np.sign", "np.floor", "np.rint") and not v.exact:
            raise Missing
        g.add(f"{f}({v.name})", v.shape, v.exact)
    else:
        f = g.rng.choice(["sqrt", "exp", "sin", "cos", "tanh", "log1p"])
        g.add(f"np.{f}(abs({v.name}) * 0.125)", v.shape, exact=False)


def _binary_ufunc(g: Generator) -> None:
    v = g.array_var("iuf")
    other, exact = _operands(g, v)
    f = g.rng.choice(["minimum", "maximum", "add", "multiply", "fmax"])
    g.add(f"np.{f}({v.name}, {other})", v.shape, v.exact and exact)


def _where(g: Generator) -> None:
    c = g.array_var("b")
    v = g.pick(lambda w: w.shape == c.shape)
    other, exact = _operands(g, v)
    f = g.rng.choice(["np", "fm"])
    g.add(f"{f}.where({c.name}, {v.name}, {other})", c.shape, v.exact and exact)


def _convert(g: Generator) -> None:
    v = g.array_var()
    if not v.exact:
        raise Missing
    t = g.rng.choice(["i32", "i64", "f32", "f64"] + (["i8", "u8", "i16"] if v.kind != "f" else []))
    g.add(g.rng.choice([f"fm.{t}({v.name})", f"{v.name}.astype(np.{_long(t)})"]), v.shape)


def _long(t: str) -> str:
    names = {"f32": "float32", "f64": "float64"}
    return names.get(t, t.replace("i", "int").replace("u", "uint") if t not in names else t)


def _slice(g: Generator) -> None:
    v = g.array_var(rank=1)
    if v.shape[0] not in ("n", "m"):
        raise Missing
    n = v.shape[0]
    text, size = g.rng.choice(
        [
            ("1:", f"{n}-1"),
            (":-1", f"{n}-1"),
            ("::-1", n),
            (":2", "2"),
            ("0:2", "2"),
            ("::2", f"({n}+1)/2"),
            ("-2:", "2"),
        ]
    )
    g.add(f"{v.name}[{text}]", (size,), v.exact)


def _index(g: Generator) -> None:
    v = g.array_var()
    i = g.rng.choice(["0", "-1", "1"])
    text, shape = f"{v.name}[{i}]", v.shape[1:]
    if len(v.shape) == 2 and g.rng.random() < 0.5:
        text, shape = f"{v.name}[:, {i}]", tuple(v.shape[:1])
    if any(s.startswith("k") for s in v.shape):
        raise Missing
    g.add(text, shape, v.exact)


def _gather(g: Generator) -> None:
    i = g.array_var("iu", 1)
    v = g.pick(lambda v: len(v.shape) > 0 and not v.shape[0].startswith("k"))
    form = g.rng.randrange(3)
    if form == 0:
        text = f"{v.name}[{i.name} % {v.name}.shape[0]]"
    elif form == 1 and i.kind == "i":
        text = f"{v.name}[abs({i.name} + 0) % {v.name}.shape[0] - 1]"
    else:
        text = f"fm.map(lambda i: {v.name}[i % {v.name}.shape[0]], {i.name})"
    g.add(text, (*i.shape, *v.shape[1:]), v.exact)


def _mask(g: Generator) -> None:
    v = g.array_var("biuf", 1)
    try:
        c = g.pick(lambda w: w.shape == v.shape and w.kind == "b")
        text = c.name
    except Missing:
        if not v.exact or v.kind == "b":
            raise
        text = f"{v.name} > {g.number(v.kind)}"
    g.add(f"{v.name}[{text}]", (g.fresh_size(),), v.exact)


def _filter(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    if not v.exact:
        raise Missing
    g.add(f"fm.filter(lambda x: x % 2 == {g.rng.randint(0, 1)}, {v.name})", (g.fresh_size(),))


def _reduction(g: Generator) -> None:
    v = g.array_var()
    f = g.rng.choice(["sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "mean"])
    if f in ("argmin", "argmax", "any", "all") and not v.exact:
        raise Missing
    if f in ("argmin", "argmax") and v.kind == "b":
        raise Missing
    options = ""
    shape: tuple[str, ...] = ()
    if len(v.shape) == 2 and g.rng.random() < 0.7:
        k = g.rng.randrange(2)
        options, shape = f"axis={g.rng.choice([k, k - 2])}", (v.shape[1 - k],)
        if g.rng.random() < 0.3 and f not in ("argmin", "argmax"):
            options += ", keepdims=True"
            shape = ("1", v.shape[1]) if k == 0 else (v.shape[0], "1")
    if f in ("min", "max", "argmin", "argmax", "mean") and any(s[0] == "k" for s in v.shape):
        raise Missing
    text = (
        f"{v.name}.{f}({options})"
        if g.rng.random() < 0.6
        else (f"np.{f}({v.name}{', ' if options else ''}{options})")
    )
    g.add(text, shape, v.exact and f != "mean")


def _cumulative(g: Generator) -> None:
    v = g.array_var("biuf")
    axis = f"axis={g.rng.randrange(2)}" if len(v.shape) == 2 else ""
    g.add(f"{v.name}.{g.rng.choice(['cumsum', 'cumsum', 'cumprod'])}({axis})", v.shape, v.exact)


def _reduce(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    op, ne = OPERATORS[g.rng.choice(list(OPERATORS))]
    if not v.exact and "where" in op:
        raise Missing
    if ne != "0" and v.kind == "u":
        raise Missing
    g.add(f"fm.reduce({op}, {ne}, {v.name})", (), v.exact)


def _reduce_pairs(g: Generator) -> None:
    v = g.array_var("i", 1)
    name = g.fresh()
    pairs = f"({v.name} % 3, {v.name})"
    op = "lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1])"
    if g.rng.random() < 0.5:
        g.add(f"fm.scan({op}, (1, 0), {pairs})[1]", v.shape, name=name)
    else:
        g.add(f"fm.reduce({op}, (1, 0), {pairs})[{g.rng.randrange(2)}]", (), name=name)


def _scan(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    op, ne = OPERATORS[g.rng.choice(list(OPERATORS))]
    if (not v.exact and "where" in op) or (ne != "0" and v.kind == "u"):
        raise Missing
    g.add(f"fm.scan({op}, {ne}, {v.name})", v.shape, v.exact)


def _map(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    names = {"x": v}
    try:
        names["y"] = g.pick(lambda w: w.shape == v.shape and w.kind in "iuf")
    except Missing:
        names = {"x": v}
    text, exact = g.elementwise(g.env_of(names))
    xs = ", ".join(w.name for w in names.values())
    g.add(f"fm.map(lambda {', '.join(names)}: {text}, {xs})", v.shape, exact)


def _map_pair(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    env = g.env_of({"x": v})
    (a, one), (b, two) = g.elementwise(env), g.elementwise(env, 1)
    text = f"fm.map(lambda x: ({a}, {b}), {v.name})[{g.rng.randrange(2)}]"
    g.add(text, v.shape, one and two)


def _map_rows(g: Generator) -> None:
    v = g.array_var("iuf", 2)
    body, shape = g.rng.choice(
        [
            ("r.sum()", v.shape[:1]),
            ("r * 2", v.shape),
            ("r[::-1]", v.shape),
            ("r[0] + r", v.shape),
            ("r.cumsum()", v.shape),
            ("(r.sum() + r * r)", v.shape),
        ]
    )
    g.add(f"fm.map(lambda r: {body}, {v.name})", shape, v.exact)


def _build(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    if v.shape[0][0] == "k" or not v.exact:
        raise Missing
    if g.rng.random() < 0.5:
        g.add(f"fm.build({v.name}.shape[0], lambda i: {v.name}[i] + i)", v.shape)
    else:
        text = f"fm.build((2, {v.name}.shape[0]), lambda i, j: {v.name}[j] * (i + 1))"
        g.add(text, ("2", *v.shape))


def _hist(g: Generator) -> None:
    i = g.array_var("iu", 1)
    v = g.pick(lambda w: w.shape == i.shape and w.kind in "iuf")
    op, ne = OPERATORS[g.rng.choice(["add", "max"])]
    if v.kind == "u" and ne != "0":
        raise Missing
    n = g.rng.randint(2, 5)
    g.add(f"fm.hist({op}, {ne}, {n}, {i.name}, {v.name})", (str(n),), v.exact)


def _scatter(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    n = f"{v.name}.shape[0]"
    at = g.rng.choice([f"fm.arange({n})[::-1]", f"fm.arange({n}) * 2", f"fm.arange({n}) - 1"])
    dest = g.rng.choice([f"fm.zeros_like({v.name})", f"fm.zeros({n} + 2, fm.f64)", v.name])
    shape = (f"{v.shape[0]}+2",) if "+ 2" in dest else v.shape
    g.add(f"fm.scatter({dest}, {at}, {v.name})", shape, v.exact)


def _at(g: Generator) -> None:
    v = g.array_var("iuf")
    if any(s[0] == "k" for s in v.shape):
        raise Missing
    key = g.rng.choice(["0", "-1", "1:", ":2", "::2", f"fm.arange({v.name}.shape[0])"])
    if key[0] == "f" and len(v.shape) == 2:
        key = "1"
    f = g.rng.choice(["set", "add"])
    g.add(f"{v.name}.at[{key}].{f}({g.rng.choice(['1', '2', '3'])})", v.shape, v.exact)


def _at_add(g: Generator) -> None:
    i = g.array_var("iu", 1)
    v = g.array_var("iuf", 1)
    if v.shape[0][0] == "k":
        raise Missing
    f = g.rng.choice(["add", "max"])
    g.add(f"{v.name}.at[{i.name} % {v.name}.shape[0]].{f}(2)", v.shape, v.exact)


def _cond(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    if not v.exact:
        raise Missing
    test = g.rng.choice([f"({v.name} > 1).any()", f"{v.name}.sum() > 2", f"{v.name}.shape[0] > 3"])
    other, exact = _operands(g, v)
    text = f"fm.cond({test}, lambda: {v.name} + {other}, lambda: {v.name} * 2 + {other})"
    g.add(text, v.shape, exact)


def _loop(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    form = g.rng.randrange(4)
    n = g.rng.randint(1, 3)
    t = g.rng.choice(["i64", "f64"])
    if form == 0:
        text = f"fm.loop({n}, lambda i, s: fm.{t}(s + (i + 1)), fm.{t}({v.name}))"
        g.add(text, v.shape, v.exact)
    elif form == 1 and v.shape[0][0] != "k":
        text = f"fm.loop({v.name}.shape[0], lambda i, s: s + fm.{t}({v.name}[i]), fm.{t}(0))"
        g.add(text, (), v.exact)
    elif form == 2 and v.shape[0][0] != "k":
        body = "lambda i, s: s.at[i].set(s[i] * 2 + s[i // 2])"
        g.add(f"fm.loop({v.name}.shape[0], {body}, {v.name})", v.shape, v.exact)
    else:
        body = "lambda i, a, s: (s + 0, a + s)"
        start = f"(fm.{t}({v.name}), fm.{t}({v.name}) * 2)"
        g.add(f"fm.loop({n}, {body}, {start})[{g.rng.randrange(2)}]", v.shape, v.exact)


def _while(g: Generator) -> None:
    v = g.array_var("iu", 1)
    limit = g.rng.choice([3, 10, 20])
    inner = f"fm.while_loop(lambda i, x: (i < 4) & (x < {limit}), lambda i, x: (i + 1, x * 2 + i)"
    g.add(f"fm.map(lambda x: {inner}, (0, fm.i64(x)))[1], {v.name})", v.shape)


def _call(g: Generator) -> None:
    v = g.array_var("iuf")
    other, exact = _operands(g, v)
    if not (v.exact and exact):
        raise Missing
    f = "h" if "h" in g.names and g.rng.random() < 0.5 else "g"
    g.add(f"{f}({v.name})" if f == "h" else f"g({v.name}, {other})", v.shape)


def _rearrange(g: Generator) -> None:
    v = g.array_var(rank=2)
    text, shape = g.rng.choice(
        [
            (f"{v.name}.T", v.shape[::-1]),
            (f"{v.name}[::-1]", v.shape),
            (f"{v.name}[:, ::-1]", v.shape),
            (f"{v.name}.reshape(-1)", (f"{v.shape[0]}*{v.shape[1]}",)),
            (f"np.transpose({v.name})", v.shape[::-1]),
        ]
    )
    g.add(text, shape, v.exact)


def _outer(g: Generator) -> None:
    v, w = g.array_var("iuf", 1), g.array_var("iuf", 1)
    if v.shape == w.shape or "k" in (v.shape[0][0], w.shape[0][0]):
        raise Missing
    text = f"{v.name}[:, None] {g.rng.choice(['+', '*', '-'])} {w.name}"
    g.add(text, (*v.shape, *w.shape), v.exact and w.exact)


def _matmul(g: Generator) -> None:
    v = g.array_var("iuf", 2)
    w = g.pick(lambda w: bool(w.shape) and w.shape[0] == v.shape[1] and w.kind in "iuf")
    g.add(f"{v.name} @ {w.name}", (*v.shape[:1], *w.shape[1:]), v.exact and w.exact)


def _join(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    w = g.pick(lambda w: len(w.shape) == 1 and w.kind in "iuf")
    f = g.rng.choice(["np.concatenate", "fm.concatenate"])
    if g.rng.random() < 0.3 and v.shape == w.shape:
        g.add(f"np.stack([{v.name}, {w.name}])", ("2", *v.shape), v.exact and w.exact)
    else:
        size = f"{v.shape[0]}+{w.shape[0]}"
        size = f"k_{size}" if "k" in size else size
        g.add(f"{f}([{v.name}, {w.name}])", (size,), v.exact and w.exact)


def _tree(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    text = f"fm.map(lambda p: {{'a': p['u'] + 1, 'b': p['u'] * 2}}, {{'u': {v.name}}})['a']"
    g.add(text, v.shape, v.exact)


def _scalars(g: Generator) -> None:
    v, w = (g.pick(lambda v: not v.shape and v.kind in "iuf") for _ in range(2))
    op = g.rng.choice(["+", "-", "*", "<", "==", "/"])
    if op in "<==" and not (v.exact and w.exact):
        raise Missing
    g.add(f"{v.name} {op} {w.name}", (), v.exact and w.exact)


def _half(g: Generator) -> None:
    v = g.array_var("iuf")
    if not v.exact:
        raise Missing
    form = g.rng.choice(["fm.f16({})", "fm.f16({}) + 1", "fm.f16({}) * 2.0", "fm.f32(fm.f16({}))"])
    g.add(form.format(v.name), v.shape)


def _sort(g: Generator) -> None:
    v = g.array_var()
    if not v.exact:
        raise Missing
    axis = g.rng.choice(["", f", axis={g.rng.randrange(len(v.shape))}"])
    f = g.rng.choice(["sort", "sort", "argsort"])
    kind = ", kind='stable'" if f == "argsort" else ""
    g.add(f"np.{f}({v.name}{axis}{kind})", v.shape)


def _vmap(g: Generator) -> None:
    v = g.array_var("iuf", 2)
    k = g.rng.randrange(2)
    body, shape = g.rng.choice([("r.sum()", v.shape[k : k + 1]), ("r[0] * 2", v.shape[k : k + 1])])
    g.add(f"fm.vmap(lambda r: {body}, {k})({v.name})", shape, v.exact)


def _record(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    w = g.pick(lambda w: w.shape == v.shape and w.kind in "iuf")
    body = g.rng.choice(["p.u + p.w", "p.w * 2 + p.u", "Pair(p.w, p.u).u"])
    exact = v.exact and w.exact
    g.add(f"fm.map(lambda p: {body}, Pair({v.name}, {w.name}))", v.shape, exact)


def _require(g: Generator) -> None:
    v = g.array_var("iuf", 1)
    least = g.rng.randrange(3)
    test = f"fm.require({v.name}.shape[0] >= {least}, 'too few: {{}}', {v.name}.shape[0])"
    g.add(f"({test}, {v.name} + 1)[1]", v.shape, v.exact)


def _far_index(g: Generator) -> None:
    v = g.array_var(rank=1)
    if v.shape[0] not in ("n", "m"):
        raise Missing
    i = g.rng.choice(["2", "3", "-3"])
    text = g.rng.choice([f"{v.name}[{i}]", f"fm.map(lambda i: {v.name}[i], fm.arange({i[-1]}))"])
    g.add(text, () if text[0] == "v" else (i[-1],), v.exact)


STATEMENTS: dict[str, Callable[[Generator], None]] = {
    f.__name__.lstrip("_"): f
    for f in (
        *(_arithmetic, _compare, _divide, _bits, _logic, _unary, _binary_ufunc, _where),
        *(_convert, _slice, _index, _gather, _mask, _filter, _reduction, _cumulative),
        *(_reduce, _reduce_pairs, _scan, _map, _map_pair, _map_rows, _build, _hist, _scatter),
        *(_at, _at_add, _cond, _loop, _while, _call, _rearrange, _outer, _matmul, _join, _tree),
        *(_scalars, _half, _sort, _vmap, _record, _require, _far_index),
    )
}
"""Name of a kind -> what appends a statement of it."""
