"""A program of a seed: statements of Python, each kept if numpy can run it.

The generator runs a statement as soon as it is written, so that it knows the types and shapes of
all variables.  Floats are *exact* as long as their sums need no rounding; others are never compared
or converted, so that an order of additions cannot change the course of a program.

An index may be out of bounds for the second arguments: the program traps where numpy refuses.
What numpy and funmem define differently is not generated: division of integers by zero, slices that
clip, shifts beyond the width, arrays whose length happens to be 1 (they do not broadcast here).
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from funmem.ir.record import define, frozen
from funmem.testing.jit_generator.eager import Eager, with_at
from funmem.testing.jit_generator.statements import STATEMENTS, Missing

INTS = ("i8", "i16", "i32", "i64", "u8", "u32")
FLOATS = ("f32", "f64")
TYPES = (*INTS, *FLOATS, "bool_")


@frozen(eq=False)
class JitProgram:
    """A program: definitions before the function, the lines of its body, its result.

    ``args``: example arguments; ``more``: arguments of the same types and of other lengths.
    """

    seed: int
    defs: tuple[str, ...]
    params: tuple[str, ...]
    lines: tuple[str, ...]
    result: str
    args: tuple[Any, ...]
    more: tuple[Any, ...]

    @property
    def source(self) -> str:
        """The text of the module."""
        body = "\n".join(f"    {x}" for x in (*self.lines, f"return {self.result}"))
        head = "".join(f"{d}\n\n" for d in self.defs)
        return f"{head}@fm.jit\ndef f({', '.join(self.params)}):\n{body}\n"


@define
class Var:
    """A variable: ``shape`` names its sizes (equal names, equal sizes); ``exact`` as above."""

    name: str
    value: Any
    shape: tuple[str, ...] = ()
    exact: bool = True
    captured: bool = False

    @property
    def kind(self) -> str:
        """``b``, ``i``, ``u`` or ``f``, as numpy names them."""
        return str(np.asarray(self.value).dtype.kind)


def values_of(x: Any) -> Iterable[Any]:
    """Yield the leaves of a tree."""
    if isinstance(x, tuple):
        for part in x:
            yield from values_of(part)
    elif isinstance(x, dict):
        for part in x.values():
            yield from values_of(part)
    else:
        yield x


def environment(defs: Iterable[str]) -> dict[str, Any]:
    """Return the names of a module in which numpy runs the definitions."""
    names: dict[str, Any] = {
        "np": np,
        "fm": Eager,
        "dataclass": dataclasses.dataclass,
        "__name__": "__main__",
    }
    for d in defs:
        exec(d, names)
    return names


def run_eagerly(p: JitProgram, args: tuple[Any, ...]) -> Any:
    """Return what numpy makes of a program."""
    names = environment(p.defs)
    names.update({x: with_at(a) for x, a in zip(p.params, args, strict=True)})
    with np.errstate(all="ignore"):
        for line in p.lines:
            execute(line, names)
        return eval(p.result, names)


def execute(line: str, names: dict[str, Any]) -> None:
    """Run one assignment; arrays get ``at``."""
    before = dict(names)
    exec(line, names)
    for k, v in list(names.items()):
        if before.get(k) is not v:
            names[k] = with_at(v)


class Generator:
    """The state of one program in the making."""

    def __init__(self, seed: int, counts: Counter[str] | None = None) -> None:
        self.rng = random.Random(f"jit {seed}")
        self.seed = seed
        self.vars: list[Var] = []
        self.lines: list[str] = []
        self.counts: Counter[str] = Counter() if counts is None else counts
        self.sizes = {"n": self.rng.randint(3, 6), "m": self.rng.randint(2, 4)}
        self.other = {"n": self.rng.choice([2, 7, 9]), "m": self.rng.randint(2, 5)}
        self.data = np.random.default_rng(seed)
        self.more: list[Any] = []
        self._number = 0
        self._size_number = 0
        self.defs = self._definitions()
        self.names = environment(self.defs)
        self._parameters()

    # ------------------------------------------------------------------ arguments

    def array(self, t: str, shape: tuple[int, ...]) -> Any:
        """Return an array of small elements."""
        if t == "bool_":
            return self.data.integers(0, 2, shape).astype(bool)
        low = 0 if t.startswith("u") else -6
        if t in FLOATS:
            return (self.data.integers(-12, 13, shape) / 4).astype(getattr(Eager, t))
        return self.data.integers(low, 7, shape).astype(getattr(Eager, t))

    def _definitions(self) -> tuple[str, ...]:
        rng = self.rng
        a, b = rng.randint(1, 5), rng.choice(["0.5", "2", "-1", "3"])
        found = [f"SCALE = {b}"]
        t = rng.choice(("np.int32", "np.int64", "np.float32", "np.uint8"))
        found.append(f"TABLE = np.array({[rng.randint(0, 9) for _ in range(4)]}, {t})")
        body = rng.choice(
            [
                f"x * {a} + y",
                f"fm.where(x < y, x + {a}, y * SCALE)",
                f"np.maximum(x, y) - {a}",
                "x * x - SCALE",
                f"abs(x + 0) + abs(y + 0) * {a}",
            ]
        )
        found.append(f"@fm.jit\ndef g(x, y):\n    return {body}")
        found.append("@dataclass\nclass Pair:\n    u: object\n    w: object")
        if rng.random() < 0.4:
            found.append("@fm.jit\ndef h(x):\n    return g(x, x + 1) + g(x + 2, x)")
        return tuple(found)

    def _parameters(self) -> None:
        rng = self.rng
        shapes: list[tuple[str, ...]] = [("n",), ("n",), ("m",), ("n", "m"), ()]
        chosen = [("n",), *(rng.choice(shapes) for _ in range(rng.randint(1, 3)))]
        for shape in chosen:
            t = rng.choice(TYPES)
            name = self.fresh()
            if not shape:
                value = rng.choice([2, 3, 0.5, -1.25, np.float32(1.5), np.int32(3), np.int64(-2)])
                self.more.append(value)
            else:
                value = self.array(t, tuple(self.sizes[d] for d in shape))
                self.more.append(self.array(t, tuple(self.other[d] for d in shape)))
            self.vars.append(Var(name, with_at(value), shape))
            self.names[name] = with_at(value)
        self.params = tuple(v.name for v in self.vars)
        self.args = tuple(
            v.value.view(np.ndarray) if isinstance(v.value, np.ndarray) else v.value
            for v in self.vars
        )
        self.vars.append(Var("TABLE", self.names["TABLE"], ("table",), captured=True))

    # ------------------------------------------------------------------ small parts

    def fresh(self) -> str:
        """Return an unused name of a variable."""
        self._number += 1
        return f"v{self._number}"

    def fresh_size(self) -> str:
        """Return a name for a size that nothing else is known to have."""
        self._size_number += 1
        return f"k{self._size_number}"

    def pick(self, test: Callable[[Var], bool]) -> Var:
        """Return a variable that passes a test, more often a late one.  Raises Missing."""
        found = [v for v in self.vars if test(v) and not isinstance(v.value, tuple | dict)]
        if not found:
            raise Missing
        return self.rng.choice(found + found[-3:])

    def array_var(self, kinds: str = "biuf", rank: int | None = None) -> Var:
        """Return an array."""
        return self.pick(
            lambda v: (
                bool(v.shape)
                and v.kind in kinds
                and (rank is None or len(v.shape) == rank)
                and not v.captured
            )
        )

    def number(self, kind: str) -> str:
        """Return a Python number that suits values of a kind."""
        if kind == "f":
            return self.rng.choice(["0.5", "2", "1.25", "3", "2.0"])
        return self.rng.choice(["1", "2", "3", "5"])

    def partner(self, v: Var) -> Var | None:
        """Return a variable that broadcasts with another one, or None for a number."""
        if self.rng.random() < 0.35:
            return None
        try:
            return self.pick(
                lambda w: w.shape == v.shape[len(v.shape) - len(w.shape) :] and w.kind != "b"
            )
        except Missing:
            return None

    # ------------------------------------------------------------------ expressions of elements

    def elementwise(self, env: Mapping[str, tuple[str, bool]], depth: int = 2) -> tuple[str, bool]:
        """Return an expression of numbers, and whether it is exact.

        ``env``: name -> its kind, and whether it is exact.
        """
        rng = self.rng
        x, (kind, exact) = rng.choice(list(env.items()))
        if depth == 0:
            return x, exact
        a, one = self.elementwise(env, depth - 1)
        b, two = (
            self.elementwise(env, depth - 1) if rng.random() < 0.6 else (self.number(kind), True)
        )
        exact = one and two
        numeric = f"({a} + 0)", f"({b} + 0)"
        form = rng.randrange(10)
        if form < 3:
            return f"({a} {rng.choice(['+', '*'])} {b})", exact
        if form == 3:
            return f"({numeric[0]} - {numeric[1]})", exact
        if form == 4:
            return f"np.{rng.choice(['minimum', 'maximum'])}({a}, {b})", exact
        if form == 5 and exact:
            op = rng.choice(["<", "<=", "==", "!=", ">", ">="])
            c, three = self.elementwise(env, 0)
            return f"fm.where({a} {op} {b}, {a}, {c})", exact and three
        if form == 6:
            return f"abs({numeric[0]})", exact
        if form == 7:
            return f"np.{rng.choice(['sqrt', 'exp', 'sin', 'tanh'])}(fm.f64({a}) * 0.125)", False
        if form == 8 and exact:
            return f"({numeric[0]} // {rng.choice(['2', '3'])})", exact
        if form == 9 and exact:
            return f"({numeric[0]} % {rng.choice(['3', '4'])})", exact
        return (f"g({a}, {b})", True) if exact else (f"({a} + {b})", False)

    def env_of(self, names: Mapping[str, Var]) -> dict[str, tuple[str, bool]]:
        """Return the environment of an expression, with elements named as given."""
        return {x: (v.kind, v.exact) for x, v in names.items()}

    # ------------------------------------------------------------------ statements

    def add(self, text: str, shape: tuple[str, ...], exact: bool = True, name: str = "") -> None:
        """Append an assignment.  Raises Missing if numpy cannot run it, or it gives no number."""
        name = name or self.fresh()
        line = f"{name} = {text}"
        before = dict(self.names)
        try:
            with np.errstate(all="ignore"):
                execute(line, self.names)
        except (ArithmeticError, IndexError, TypeError, ValueError):
            self.names = before
            raise Missing from None
        value = self.names[name]
        if not all(map(_small, values_of(value))) or len(np.shape(value)) != len(shape):
            self.names = before
            raise Missing
        self.lines.append(line)
        self.vars.append(Var(name, value, shape, exact and _is_exact(value)))

    def statement(self) -> None:
        """Append one statement; kinds that were rare so far are likelier."""
        weights = [1.0 / (1 + self.counts[k]) + 0.02 for k in STATEMENTS]
        for _ in range(30):
            (kind,) = self.rng.choices(list(STATEMENTS), weights)
            try:
                STATEMENTS[kind](self)
            except Missing:
                continue
            self.counts[kind] += 1
            return

    def program(self) -> JitProgram:
        """Return the program."""
        for _ in range(self.rng.randint(2, 5)):
            self.statement()
        own = [v for v in self.vars if v.name not in self.params and not v.captured]
        used = own[-3:] or self.vars[:1]
        parts = [v.name for v in used]
        form = self.rng.randrange(3)
        if len(parts) == 1:
            result = parts[0]
        elif form == 0:
            result = "{" + ", ".join(f"{x!r}: {x}" for x in parts) + "}"
        else:
            result = "(" + ", ".join(parts) + ")"
        return JitProgram(
            self.seed,
            self.defs,
            self.params,
            tuple(self.lines),
            result,
            self.args,
            tuple(self.more),
        )


def _small(x: Any) -> bool:
    """True for finite elements of moderate size."""
    a = np.asarray(x)
    if a.dtype.kind not in "biuf":
        return False
    return a.dtype.kind == "b" or bool((np.abs(a.astype(float)) < 1e9).all())


_EXACT = {2: (2.0**3, 2.0**2), 4: (2.0**12, 2.0**7), 8: (2.0**24, 2.0**20)}
"""Size of a float -> below which magnitude, and of which fractions, sums are exact."""


def _is_exact(x: Any) -> bool:
    """True if sums of these elements need no rounding."""
    for part in values_of(x):
        a = np.asarray(part)
        if a.dtype.kind == "f":
            limit, grain = _EXACT[a.dtype.itemsize]
            b = a.astype(np.float64) * grain
            if not bool(((np.abs(a) < limit) & (b == np.floor(b))).all()):
                return False
    return True


def generate_jit(seed: int, counts: Counter[str] | None = None) -> JitProgram:
    """Return the program of a seed; kinds of statement that are rare in ``counts`` are likelier."""
    return Generator(seed, counts).program()
