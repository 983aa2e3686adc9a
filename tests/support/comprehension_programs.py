"""Random array comprehensions, each as a program and as Python text that means the same.

The Python text is a list comprehension: bindings are ``for``, filters are ``if``, ``order by`` and
``group by`` sort and group what there is so far, and a zip draws from lists side by side.  What
traps in the program raises in Python (``comprehension_oracle.py``).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from typing import Any

from attrs import define, field, frozen

HEAD = """\
def evens (n: i64) : []i64 = filter (\\v -> v % 2 == 0) (iota n)
def pairs (n: i64) : [](i64, i64) = map (\\v -> (v, v * v)) (evens n)
def both (a: i64) (b: i64) : i64 = if a != 0 then a else b
def compose (a: i64, b: i64) (c: i64, d: i64) : (i64, i64) = (a * c % 97, (b * c + d) % 97)
"""
PARAMETERS = "(n: i64) (xs: []i64) (ys: []i64) (fs: []f64) (m: [][]i64)"


# ---------------------------------------------------------------------- programs


@frozen
class Made:
    """A comprehension in both languages, and the types of its columns."""

    seed: int
    fut: str
    python: str
    columns: tuple[str, ...]

    def program(self, name: str = "main") -> str:
        types = ", ".join(self.columns)
        t = types if len(self.columns) == 1 else f"({types})"
        return f"entry {name} {PARAMETERS} : []{t} =\n  {self.fut}\n"


def arguments(seed: int) -> dict[str, Any]:
    r = random.Random(seed)
    xs = [r.randint(-4, 6) for _ in range(r.choice([0, 1, 2, 3, 5]))]
    ys = [r.randint(-4, 6) for _ in range(r.choice([0, 1, 2, 3, 5, len(xs), len(xs)]))]
    fs = [r.choice([math.nan, 1.5, -2.0, 0.0, 3.25, -math.inf]) for _ in range(r.choice([0, 1, 4]))]
    rows, columns = r.choice([(0, 3), (1, 1), (2, 0), (2, 3), (3, 2)])
    m = [[r.randint(-4, 6) for _ in range(columns)] for _ in range(rows)]
    return {"n": r.randint(-1, 5), "xs": xs, "ys": ys, "fs": fs, "m": m, "columns": columns}


def made(seed: int) -> Made:
    """A random comprehension."""
    g = _Generator(random.Random(seed))
    return g.comprehension(seed)


Pair = tuple[str, str]
"""The same in both languages."""


@define
class _State:
    """What is visible (name -> kind), what of it a row consists of, and the clauses so far.

    ``python``: names in the Python text, where no name is bound twice, since there an inner
    variable does not shadow an outer one, it changes it.
    """

    names: dict[str, str] = field(factory=dict)
    python: dict[str, str] = field(factory=dict)
    own: list[str] = field(factory=list)
    ever: set[str] = field(factory=set)
    clauses: str = ""

    def inside(self) -> _State:
        """What an inner list sees."""
        return _State(dict(self.names), dict(self.python))

    def bind(self, bound: dict[str, str]) -> None:
        self.own = [x for x in self.own if x not in bound] + list(bound)
        self.names.update(bound)
        self.ever |= set(bound)

    def regroup(self, bound: dict[str, str]) -> None:
        """Only these are left of what a row consists of."""
        self.names = {x: k for x, k in self.names.items() if x not in self.own}
        self.own = []
        self.bind(bound)

    @property
    def row(self) -> str:
        return _tuple(self.python[x] for x in self.own)

    def listed(self, element: str) -> str:
        return f"[{element}{self.clauses or ' for _ in [0]'}]"


def _tuple(parts: Iterable[str]) -> str:
    return "(" + "".join(f"{x}, " for x in parts) + ")"


class _Generator:
    def __init__(self, r: random.Random) -> None:
        self.r = r
        self.fresh = 0
        self.nested = 0

    def comprehension(self, seed: int) -> Made:
        state = _State()
        quals = self.sequence(state, self.r.choice([1, 2, 2, 3, 3, 4]))
        elements, columns = [], []
        for _ in range(self.r.choice([1, 1, 2, 3])):
            (fut, py), t = self.element(state)
            elements.append((fut, py))
            columns.append(t)
        fut = elements[0][0] if len(elements) == 1 else f"({', '.join(f for f, _ in elements)})"
        py = _tuple(p for _, p in elements)
        return Made(seed, f"[{fut} | {quals}]", state.listed(py), tuple(columns))

    # ------------------------------------------------------------------ qualifiers

    def sequence(self, state: _State, count: int, *, inner: bool = False) -> str:
        """Qualifiers, the first of which is a binding (mostly)."""
        quals = []
        if not inner and self.r.random() < 0.05:
            quals.append(self.filter(state))
        quals.append(self.zipped(state) if self.r.random() < 0.15 else self.binding(state))
        while len(quals) < count:
            match self.r.choices(["bind", "filter", "order", "group", "zip"], [6, 5, 1.5, 1.5, 1])[
                0
            ]:
                case "bind":
                    quals.append(self.binding(state))
                case "filter":
                    quals.append(self.filter(state))
                case "order":
                    quals.append(self.order(state))
                case "group":
                    quals.append(self.group(state))
                case _:
                    quals.append(self.zipped(state) if self.nested == 0 else self.binding(state))
        return ", ".join(quals)

    def binding(self, state: _State) -> str:
        (fut, py), kind = self.source(state)
        if kind == "pair":
            a, b = self.name(state), self.name(state)
            while a == b:
                b = self.name(state)
            bound = {a: "i64", b: "i64"}
            match self.r.randrange(4):
                case 0:
                    pat = f"(_, {b})"
                    del bound[a]
                case 1:
                    pat = f"({a}, {b})"
                case 2:
                    fut = f"map (\\(u, v) -> {{l = u, r = v}}) ({fut})"
                    pat = f"{{l = {a}, r = {b}}}"
                case _:
                    pat = f"({a}: i64, {b})"
            py_pat = (
                f"({'_' if a not in bound else self.python(state, a)}, {self.python(state, b)})"
            )
        elif self.r.random() < 0.08:
            pat, py_pat, bound = "_", "_", {}
        else:
            pat = self.name(state)
            py_pat, bound = self.python(state, pat), {pat: kind}
        state.bind(bound)
        state.clauses += f" for {py_pat} in {py}"
        return f"{pat} <- {fut}"

    def python(self, state: _State, name: str) -> str:
        """A new name in the Python text."""
        self.fresh += 1
        state.python[name] = f"{name}_{self.fresh}"
        return state.python[name]

    def filter(self, state: _State) -> str:
        fut, py = self.condition(state)
        state.clauses = (state.clauses or " for _ in [0]") + f" if {py}"
        return fut

    def order(self, state: _State) -> str:
        (fut, py), _ = self.key(state)
        whole = state.listed(state.row)
        parameters = ", ".join(state.python[x] for x in state.own)
        key = f"lambda t: (lambda {parameters}: {py})(*t)"
        state.clauses = f" for {state.row} in ordered({whole}, {key})"
        return f"order by {fut}"

    def group(self, state: _State) -> str:
        (fut, py), kind = self.key(state)
        name = self.r.choice(["", "", "k"])
        text = f"group by {name + ' = ' if name else ''}{fut}"
        folds, values, bound = [], [], {name or "key": kind}
        for k in range(self.r.choice([0, 1, 1, 2, 3])):
            fold = f"s{k}"
            e_fut, e_py = self.int(state, 1)
            match self.r.randrange(4):
                case 0:
                    op, ne, p_op, kind = "(+)", "0", "lambda a, b: a + b", "i64"
                case 1:
                    op, ne, kind = "i64.max", "i64.lowest", "i64"
                    p_op = "max"
                case 2:
                    op, ne, kind = "both", "0", "i64"
                    p_op = "lambda a, b: a if a != 0 else b"
                case _:
                    op, ne, p_op, kind = "compose", "(1, 0)", "compose", "pair"
                    e_fut, e_py = f"({e_fut} % 97, {k})", f"({e_py} % 97, {k})"
            text += f" into {fold} = {op} {ne} {e_fut}"
            folds.append(f"({p_op}, None)")
            values.append(e_py)
            bound[fold] = kind
        rows = state.listed(f"({py}, {_tuple(values)})")
        pats = _tuple([self.python(state, x) for x in bound])
        state.clauses = f" for {pats} in grouped({rows}, [{', '.join(folds)}])"
        state.regroup(bound)
        return text

    def zipped(self, state: _State) -> str:
        """Branches side by side, each of which sees what was bound before."""
        self.nested += 1
        branches: list[tuple[str, _State]] = []
        taken: set[str] = set()
        shape = self.r.choice([None, f"0..<{self.r.randint(0, 3)}"])
        for _ in range(self.r.choice([2, 2, 3])):
            branch = state.inside()
            if shape is not None and self.r.random() < 0.9:
                name = self.name(branch)
                branch.bind({name: "i64"})
                branch.clauses = f" for {self.python(branch, name)} in below(0, {shape[4:]})"
                fut = f"{name} <- {shape}"
                if self.r.random() < 0.3:
                    fut += ", " + self.order(branch)
            else:
                fut = self.sequence(branch, self.r.choice([1, 1, 2]), inner=True)
            if branch.own and not branch.ever & taken:
                taken |= branch.ever
                branches.append((fut, branch))
        self.nested -= 1
        if len(branches) < 2:
            return self.binding(state)
        lists = [b.listed(b.row) for _, b in branches]
        state.clauses += f" for {_tuple(b.row for _, b in branches)} in beside({', '.join(lists)})"
        for _, b in branches:
            state.bind({x: b.names[x] for x in b.own})
            state.python.update({x: b.python[x] for x in b.own})
            state.ever |= b.ever
        return f"({' | '.join(f for f, _ in branches)})"

    # ------------------------------------------------------------------ sources

    def source(self, state: _State) -> tuple[Pair, str]:
        """An array expression and the kind of its elements."""
        kinds = [
            self.range,
            self.range,
            self.range,
            self.array,
            self.array,
            self.call,
            self.mapped,
            self.matrix,
            self.other,
            self.opaque,
        ]
        return self.r.choice(kinds)(state)

    def range(self, state: _State) -> tuple[Pair, str]:
        x_fut, x_py = self.int(state, 0)
        k = self.r.randint(0, 4)
        match self.r.randrange(9):
            case 0 | 1:
                return (f"0..<{k}", f"below(0, {k})"), "i64"
            case 2:
                return (f"({x_fut})..<({x_fut} + {k})", f"below({x_py}, {x_py} + {k})"), "i64"
            case 3:
                return (f"0..<(i64.abs {x_fut} % 5)", f"below(0, abs({x_py}) % 5)"), "i64"
            case 4:
                y_fut, y_py = self.int(state, 0)
                low = (f"i64.min {x_fut} {y_fut}", f"min({x_py}, {y_py})")
                high = (f"(i64.max {x_fut} {y_fut} + 1)", f"max({x_py}, {y_py}) + 1")
                return (f"({low[0]})..<{high[0]}", f"below({low[1]}, {high[1]})"), "i64"
            case 5:
                fut = f"({x_fut})..({x_fut} + 2)..<({x_fut} + {k})"
                return (fut, f"below({x_py}, {x_py} + {k}, {x_py} + 2)"), "i64"
            case 6:
                return (f"({x_fut})...({x_fut} + {k})", f"upto({x_py}, {x_py} + {k})"), "i64"
            case 7:
                return (f"{k}..>({x_fut})", f"down({k}, {x_py})"), "i64"
            case _:
                t = self.r.choice(["i32", "i8"])
                fut = f"0{t}..<{t}.i64 (i64.abs {x_fut} % 5)"
                return (fut, f"below(0, abs({x_py}) % 5)"), t

    def array(self, state: _State) -> tuple[Pair, str]:
        rows = [x for x, k in state.names.items() if k == "row"]
        xs = self.r.choice([*rows, "xs", "ys"])
        p_xs = state.python.get(xs, xs)
        a_fut, a_py = self.int(state, 0)
        match self.r.randrange(7):
            case 0:
                fut = f"{xs}[({a_fut} % (length {xs} + 1)):]"
                return (fut, f"part({p_xs}, {a_py} % (len({p_xs}) + 1), len({p_xs}))"), "i64"
            case 1:
                lo, hi, step = self.r.choice([(0, 2, 1), (0, 3, 2), (2, 0, -1), (1, 1, 1)])
                return (f"{xs}[{lo}:{hi}:{step}]", f"part({p_xs}, {lo}, {hi}, {step})"), "i64"
            case 2:
                f = self.r.choice(["take", "drop"])
                i = (f"(i64.abs {a_fut} % (length {xs} + 1))", f"abs({a_py}) % (len({p_xs}) + 1)")
                py = f"part({p_xs}, 0, {i[1]})"
                if f == "drop":
                    py = f"part({p_xs}, {i[1]}, len({p_xs}))"
                return (f"{f} {i[0]} {xs}", py), "i64"
            case 3:
                return (f"reverse {xs}", f"{p_xs}[::-1]"), "i64"
            case 4 if "fs" not in state.names:
                return ("fs", "fs"), "f64"
            case _:
                return (xs, p_xs), "i64"

    def call(self, state: _State) -> tuple[Pair, str]:
        e_fut, e_py = self.int(state, 0)
        size = (f"(i64.abs {e_fut} % 4)", f"abs({e_py}) % 4")
        match self.r.randrange(5):
            case 0:
                return (f"iota {size[0]}", f"below(0, {size[1]})"), "i64"
            case 1:
                v_fut, v_py = self.int(state, 1)
                return (f"replicate {size[0]} {v_fut}", f"repeat({size[1]}, {v_py})"), "i64"
            case 2:
                xs = p_xs = self.r.choice(["xs", "ys"])
                if self.r.random() < 0.5:  # traps, though nobody looks at an element
                    (fut, py), t = self.range(state)
                    xs, p_xs = f"map (\\v -> 6 / i64.{t} v) ({fut})", f"[6 // v for v in {py}]"
                return (f"indices ({xs})", f"below(0, len({p_xs}))"), "i64"
            case 3:
                inner = state.inside()
                inner.names["i"], inner.python["i"] = "i64", "i"
                f_fut, f_py = self.int(inner, 1)
                py = f"[{f_py} for i in below(0, {size[1]})]"
                return (f"tabulate {size[0]} (\\i -> {f_fut})", py), "i64"
            case _:
                return (f"iota {e_fut}", f"below(0, {e_py})"), "i64"

    def mapped(self, state: _State) -> tuple[Pair, str]:
        (fut, py), kind = self.r.choice([self.range, self.array, self.call])(state)
        if kind == "i64" and self.r.random() < 0.2:  # evaluated also if there are no elements
            a_fut, a_py = self.int(state, 0)
            text = f"map (both (6 / {a_fut})) ({fut})"
            found = f"[first if first != 0 else v for v in {py}]"
            return (text, f"(lambda first: {found})(6 // {a_py})"), "i64"
        inner = state.inside()
        inner.names["v"], inner.python["v"] = kind, "v"
        f_fut, f_py = self.int(inner, 1)
        match self.r.randrange(4):
            case 0:
                return (f"map (\\v -> {f_fut}) ({fut})", f"[{f_py} for v in {py}]"), "i64"
            case 1:
                return (f"({fut}) |> map (\\v -> {f_fut})", f"[{f_py} for v in {py}]"), "i64"
            case 2:
                e_fut, e_py = self.int(inner, 0)
                text = f"[({f_fut}, {e_fut}) | v <- {fut}]"
                return (text, f"[({f_py}, {e_py}) for v in {py}]"), "pair"
            case _:
                e_fut, e_py = self.int(inner, 0)
                py = f"[({f_py}, {e_py}) for v in {py}]"
                return (f"map (\\v -> ({f_fut}, {e_fut})) ({fut})", py), "pair"

    def matrix(self, state: _State) -> tuple[Pair, str]:
        e_fut, e_py = self.int(state, 0)
        match self.r.randrange(4):
            case 0:
                return ("m", "m"), "row"
            case 1:
                return (f"m[{e_fut} % length m]", f"at(m, {e_py} % len(m))"), "i64"
            case 2:
                return (f"m[{e_fut}]", f"at(m, {e_py})"), "i64"
            case _:
                j = (f"(i64.abs {e_fut} % 2)", f"abs({e_py}) % 2")
                return (f"m[:, {j[0]}]", f"[at(r, {j[1]}) for r in m]"), "i64"

    def other(self, state: _State) -> tuple[Pair, str]:
        parts = [self.int(state, 1) for _ in range(self.r.randint(1, 4))]
        if self.r.random() < 0.3:
            inner = state.inside()
            inner.names["w"], inner.python["w"] = "i64", "w"
            (fut, py), kind = self.r.choice([self.range, self.array, self.call])(inner)
            e_fut, e_py = self.int(state, 1)
            return (f"(let w = {e_fut} in {fut})", f"(lambda w: {py})({e_py})"), kind
        return (
            f"[{', '.join(f for f, _ in parts)}]",
            f"[{', '.join(p for _, p in parts)}]",
        ), "i64"

    def opaque(self, state: _State) -> tuple[Pair, str]:
        e_fut, e_py = self.int(state, 0)
        size = (f"(i64.abs {e_fut} % 6)", f"abs({e_py}) % 6")
        match self.r.randrange(3):
            case 0:
                return (f"evens {size[0]}", f"evens({size[1]})"), "i64"
            case 1:
                return (f"pairs {size[0]}", f"[(v, v * v) for v in evens({size[1]})]"), "pair"
            case _:
                c_fut, c_py = self.condition(state)
                text = f"(if {c_fut} then xs else map (+ 1) xs)"
                return (text, f"(xs if {c_py} else [v + 1 for v in xs])"), "i64"

    # ------------------------------------------------------------------ expressions

    def name(self, state: _State) -> str:
        if state.names and self.r.random() < 0.07:
            return self.r.choice(list(state.names))
        self.fresh += 1
        return "abcdefghopqrstuvwz"[self.fresh % 18] + str(self.fresh)

    def variable(self, state: _State) -> Pair:
        usable = [(x, k) for x, k in state.names.items() if k != "f64"]
        if not usable or self.r.random() < 0.15:
            return self.r.choice([("n", "n"), (c := f"{self.r.randint(0, 5)}", c)])
        x, kind = self.r.choice(usable)
        return _as_int(x, state.python[x], kind)

    def int(self, state: _State, depth: int) -> Pair:
        """An atom of type i64."""
        if depth <= 0 or self.r.random() < 0.3:
            fut, py = self.variable(state)
            return (f"({fut})", f"({py})")
        (a, pa), (b, pb) = self.int(state, depth - 1), self.int(state, depth - 1)
        match self.r.randrange(8):
            case 0 | 1:
                return f"({a} + {b})", f"({pa} + {pb})"
            case 2:
                return f"({a} - {b})", f"({pa} - {pb})"
            case 3:
                return f"({a} * {b})", f"({pa} * {pb})"
            case 4:
                k = self.r.randint(2, 5)
                return f"({a} % {k})", f"({pa} % {k})"
            case 5:
                return f"xs[{a} % length xs]", f"at(xs, {pa} % len(xs))"
            case 6 if self.nested == 0:
                return self.total(state)
            case _:
                (c, pc) = self.condition(state)
                return f"(if {c} then {a} else {b})", f"({pa} if {pc} else {pb})"

    def total(self, state: _State) -> Pair:
        """A comprehension in an expression."""
        self.nested += 1
        inner = state.inside()
        quals = [self.binding(inner)]
        if self.r.random() < 0.4:
            quals.append(self.filter(inner))
        fut, py = self.int(inner, 1)
        self.nested -= 1
        return f"(i64.sum [{fut} | {', '.join(quals)}])", f"sum({inner.listed(py)})"

    def condition(self, state: _State) -> Pair:
        (a, pa), (b, pb) = self.int(state, 1), self.int(state, 0)
        op = self.r.choice(["<", "<=", "==", "!=", ">", ">="])
        if self.r.random() < 0.25:
            return f"({a} % 2 == 0)", f"({pa} % 2 == 0)"
        return f"({a} {op} {b})", f"({pa} {op} {pb})"

    def key(self, state: _State) -> tuple[Pair, str]:
        scalars = [(x, k) for x, k in state.names.items() if k not in ("row", "pair", "keys")]
        a, b = self.int(state, 1), self.int(state, 0)
        match self.r.randrange(5):
            case 0 if scalars:
                x, kind = self.r.choice(scalars)
                return (x, state.python[x]), kind
            case 1 if scalars:
                x, _ = self.r.choice(scalars)
                return (f"({a[0]} % 3, {x})", f"({a[1]} % 3, {state.python[x]})"), "keys"
            case 2:
                return (f"({a[0]} % 3, 0 - {b[0]})", f"({a[1]} % 3, 0 - {b[1]})"), "keys"
            case 3:
                return self.condition(state), "bool"
            case _:
                return (f"({a[0]} % 4 - 2)", f"({a[1]} % 4 - 2)"), "i64"

    def element(self, state: _State) -> tuple[Pair, str]:
        raw = [(x, k) for x, k in state.names.items() if k in ("f64", "i32", "i8", "bool")]
        if raw and self.r.random() < 0.4:
            x, kind = self.r.choice(raw)
            return (x, state.python[x]), kind
        return self.int(state, 2), "i64"


def _as_int(name: str, py: str, kind: str) -> Pair:
    match kind:
        case "i64":
            return name, py
        case "i32" | "i8":
            return f"i64.{kind} {name}", py
        case "bool":
            return f"i64.bool {name}", f"int({py})"
        case "row":
            return f"i64.sum {name}", f"sum({py})"
        case "pair":
            return f"{name}.0 + {name}.1", f"{py}[0] + {py}[1]"
        case "keys":
            return f"{name}.0", f"{py}[0]"
    raise ValueError(kind)
