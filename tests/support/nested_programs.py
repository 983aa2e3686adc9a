"""Generated programs as a front end writes them: every map, reduction and scan is a kernel of one
dimension, nested where the source nests, with rows, views, updates and traps.

``nested_program(seed)`` gives a well-typed FUN program and small arguments.  The generator of
``funmem.testing`` covers the language; this one covers what ``fuse`` and ``nest`` look for.
"""

from random import Random

import numpy as np
from attrs import frozen

from funmem.ir.fun import Ann, Program
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue

SCALAR, VECTOR, ROW, MATRIX = "i64", "[n]i64", "[m]i64", "[n][m]i64"
ZEROS = {"+": "0", "max": "-9223372036854775808", "min": "9223372036854775807"}


@frozen
class Nested:
    """A program, its only entry point being ``main``, and arguments."""

    program: Program[Ann]
    args: tuple[ArgValue, ...]
    text: str


def nested_program(seed: int) -> Nested:
    """The program of a seed."""
    rng = Random(seed)
    text = _Text(rng).program()
    n, m = rng.choice((0, 1, 2, 3, 4)), rng.choice((0, 1, 2, 3))
    cells = [rng.randint(-1, 4) if rng.random() < 0.3 else rng.randint(1, 3) for _ in range(99)]
    k = rng.choice((0, 1, 2, 3, -1, n))

    def some(*shape: int) -> np.ndarray:
        rng.shuffle(cells)
        return np.array(cells[: int(np.prod(shape))], np.int64).reshape(shape)

    args = (some(n), some(n), some(m), some(n, m), some(n), k)
    return Nested(parse_fun(text, f"seed {seed}"), args, text)


class _Text:
    """One program under construction; a scope is a list of (name, type)."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.names = 0
        self.traps = rng.random() < 0.4
        """Whether there are divisions and computed indices."""
        self.viewed: list[tuple[str, str]] = []
        """A view or a loop's result, and what it may share elements with."""

    def new(self, base: str) -> str:
        self.names += 1
        return f"{base}{self.names}"

    def program(self) -> str:
        scope = [("xs", VECTOR), ("ys", VECTOR), ("vs", ROW), ("as", MATRIX), ("k", SCALAR)]
        self.fixed = {"xs", "ys", "vs", "as", "us"}
        out: list[str] = []
        owned = ["us"]
        scope.append(("us", VECTOR))
        for _ in range(self.rng.randint(3, 8)):
            self.top(scope, owned, out)
        arrays = [(x, t) for x, t in scope if t != SCALAR and x not in self.fixed]
        results = self.rng.sample(arrays, min(len(arrays), self.rng.randint(1, 3)))
        scalars = [(x, t) for x, t in scope if t == SCALAR]
        results += self.rng.sample(scalars, min(2, len(scalars)))
        types = " ".join(f"(result{j} : {t})" for j, (_, t) in enumerate(results))
        return (
            "entry main [n] [m] (xs : [n]i64) (ys : [n]i64) (vs : [m]i64) (as : [n][m]i64) "
            f"(us : *[n]i64) (k : i64) -> {types} =\n"
            + "\n".join(out)
            + f"\nin ({', '.join(x for x, _ in results)})"
        )

    # ------------------------------------------------------------------ at the top

    def top(self, scope: list[tuple[str, str]], owned: list[str], out: list[str]) -> None:
        rng = self.rng
        kind = rng.choices(
            ("map", "fold", "view", "fresh", "update", "loop", "scalar"),
            (10, 4, 2, 2, 1, 1, 1),
        )[0]
        match kind:
            case "map":
                self.kernel(scope, [], out, "n", "map", depth=0)
            case "fold":
                self.kernel(scope, [], out, "n", rng.choice(("reduce", "scan", "hist")), depth=0)
            case "view":
                self.view(scope, out)
            case "fresh":
                z = self.new("f_")
                made = rng.choice(("iota [n] 1 2", "iota [n] 0 1", "replicate [n] k"))
                out.append(f"let ({z} : {VECTOR}) = {made}")
                scope.append((z, VECTOR))
            case "update" if owned:
                x = owned.pop()
                z = self.new("w")
                value = self.operand(scope, out, ())
                place = rng.choice(("0", "k", "n - 1")) if self.traps else None
                if place is None:
                    return
                out.append(f"let ({z} : {VECTOR}) = {x} with [{place}] = {value}")
                scope[:] = [(y, t) for y, t in scope if y != x and y not in self.views_of(x)]
                scope.append((z, VECTOR))
            case "loop":
                self.top_loop(scope, out)
            case _:
                self.scalar(scope, out, ())

    def views_of(self, x: str) -> set[str]:
        """What may share elements with ``x``."""
        found = {x}
        for z, y in self.viewed:
            if y in found:
                found.add(z)
        return found

    def view(self, scope: list[tuple[str, str]], out: list[str]) -> None:
        x, t = self.rng.choice([(x, t) for x, t in scope if t != SCALAR])
        z = self.new("z")
        if t == MATRIX:
            exp = self.rng.choice((f"reverse 0 {x}", f"reverse 1 {x}"))
        else:
            d = t[1]
            exp = self.rng.choice((f"reverse 0 {x}", f"{x}[0 : {d}]", f"{x}[{d} - 1 : {d} : -1]"))
        out.append(f"let ({z} : {t}) = {exp}")
        self.viewed.append((z, x))
        scope.append((z, t))

    def top_loop(self, scope: list[tuple[str, str]], out: list[str]) -> None:
        arrays = [x for x, t in scope if t == VECTOR]
        x, a, z = self.rng.choice(arrays), self.new("a"), self.new("l")
        inner: list[str] = []
        within = [*scope, (a, VECTOR)]
        for _ in range(self.rng.randint(1, 3)):
            self.kernel(within, [], inner, "n", "map", depth=1)
        result = next(y for y, t in reversed(within) if t == VECTOR)
        out.append(f"let ({z} : {VECTOR}) = loop ({a} : {VECTOR}) = {x} for {self.new('t')} < 2 do")
        out += inner
        out.append(f"in ({result})")
        self.viewed += [(z, x), (z, result)]
        scope.append((z, VECTOR))

    # ------------------------------------------------------------------ kernels

    def kernel(
        self,
        scope: list[tuple[str, str]],
        indices: list[tuple[str, str]],
        out: list[str],
        size: str,
        kind: str,
        depth: int,
    ) -> None:
        """A kernel over ``size``; its results are added to the scope."""
        rng = self.rng
        i = self.new("j")
        inner: list[str] = []
        within = [*scope]
        at = [*indices, (i, size)]
        fresh = len(within)
        for _ in range(rng.randint(0, 3)):
            self.inside(within, at, inner, depth + 1)
        own = within[fresh:]
        scalars = [self.operand(within, inner, at) for _ in range(rng.randint(1, 2))]
        rows = [x for x, t in own if t == ROW] if size == "n" and kind == "map" else []
        results = [(x, SCALAR) for x in scalars]
        if rows and rng.random() < 0.8:
            results = [(rng.choice(rows), ROW), *(results if rng.random() < 0.4 else [])]
        binders: list[tuple[str, str]]
        match kind:
            case "map":
                head = ""
                binders = [(self.new("y"), f"[{size}]{t}") for _, t in results]
            case "reduce" | "scan":
                ops = [rng.choice(tuple(ZEROS)) for _ in scalars]
                head = f"{kind} {self.operator(ops)} ({', '.join(ZEROS[o] for o in ops)})"
                over = "" if kind == "reduce" else f"[{size}]"
                binders = [(self.new("s"), f"{over}i64") for _ in scalars]
            case _:
                dest = self.new("h")
                out.append(f"let ({dest} : [3]i64) = replicate [3] 0")
                head = f"hist ({dest}) {self.operator(['+'])} (0)"
                results = [("0" if not at else i, SCALAR), (scalars[0], SCALAR)]
                binders = [(self.new("h"), "[3]i64")]
        pattern = " ".join(f"({x} : {t})" for x, t in binders)
        out.append(f"let {pattern} = kernel {i} < {size} {head} do")
        out += inner
        out.append(f"in ({', '.join(x for x, _ in results)})")
        scope += [(x, t) for x, t in binders if t in (SCALAR, VECTOR, ROW, MATRIX)]

    def operator(self, ops: list[str]) -> str:
        left = [self.new("p") for _ in ops]
        right = [self.new("q") for _ in ops]
        stms = []
        for o, p, q in zip(ops, left, right, strict=True):
            exp = f"{p} + {q}" if o == "+" else f"{o}({p}, {q})"
            stms.append((self.new("o"), exp))
        params = " ".join(f"({x} : i64)" for x in (*left, *right))
        lets = " ".join(f"let ({x} : i64) = {e}" for x, e in stms)
        return f"(\\ {params} -> {lets} in ({', '.join(x for x, _ in stms)}))"

    def inside(
        self,
        scope: list[tuple[str, str]],
        at: list[tuple[str, str]],
        out: list[str],
        depth: int,
    ) -> None:
        """A statement in a kernel body."""
        rng = self.rng
        choice = rng.random()
        if len(at) == 1 and at[0][1] == "n" and choice < 0.45 and depth < 3:
            self.kernel(scope, at, out, "m", rng.choice(("map", "map", "reduce", "scan")), depth)
        elif len(at) == 1 and at[0][1] == "n" and choice < 0.65:
            matrices = [x for x, t in scope if t == MATRIX]
            z = self.new("r")
            i = at[0][0]
            made = [f"{x}[{i}, 0 : m]" for x in matrices]
            made += [f"replicate [m] {i}", f"iota [m] {i} 1"]
            rows = [x for x, t in scope if t == ROW]
            made += [f"copy {rng.choice(rows)}", f"reverse 0 {rng.choice(rows)}"]
            out.append(f"let ({z} : {ROW}) = {rng.choice(made)}")
            scope.append((z, ROW))
        elif choice < 0.72 and depth < 3:
            self.inner_loop(scope, at, out)
        else:
            self.scalar(scope, out, at)

    def inner_loop(
        self, scope: list[tuple[str, str]], at: list[tuple[str, str]], out: list[str]
    ) -> None:
        rows = [x for x, t in scope if t == ROW]
        a, z = self.new("a"), self.new("l")
        inner: list[str] = []
        if rows and at[-1][1] == "n" and self.rng.random() < 0.6:
            within = [*scope, (a, ROW)]
            self.kernel(within, at, inner, "m", "map", depth=3)
            result, t, init = next(x for x, t in reversed(within) if t == ROW), ROW, rows[0]
        else:
            within = [*scope, (a, SCALAR)]
            result, t, init = self.operand(within, inner, at), SCALAR, "1"
        bound = self.rng.choice(("2", "m", "0"))
        out.append(f"let ({z} : {t}) = loop ({a} : {t}) = {init} for {self.new('t')} < {bound} do")
        out += inner
        out.append(f"in ({result})")
        scope.append((z, t))

    # ------------------------------------------------------------------ scalars

    def operand(self, scope: list[tuple[str, str]], out: list[str], at: object) -> str:
        """The name of a scalar, most often a new one."""
        scalars = [x for x, t in scope if t == SCALAR]
        if scalars and self.rng.random() < 0.15:
            return self.rng.choice(scalars)
        return self.scalar(scope, out, at)

    def scalar(self, scope: list[tuple[str, str]], out: list[str], at: object) -> str:
        """Bind a scalar, computed from what is in scope."""
        rng = self.rng
        indices = list(at) if isinstance(at, list) else []
        parts = [x for x, t in scope if t == SCALAR][-3:] + [i for i, _ in indices] + ["1", "3"]
        for _ in range(rng.randint(0, 2)):
            if (read := self.element(scope, indices)) is not None:
                x = self.new("e")
                out.append(f"let ({x} : i64) = {read}")
                scope.append((x, SCALAR))
                parts += [x, x]
        a, b = rng.choice(parts), rng.choice(parts)
        ops = ["{} + {}", "{} - {}", "{} * {}", "max({}, {})", "min({}, {})"]
        if self.traps:
            ops += ["{} / {}"]
        z = self.new("c")
        out.append(f"let ({z} : i64) = {rng.choice(ops).format(a, b)}")
        scope.append((z, SCALAR))
        return z

    def element(self, scope: list[tuple[str, str]], indices: list[tuple[str, str]]) -> str | None:
        """An element of an array in scope, most often the iteration's own."""
        rng = self.rng
        recent = [(x, t) for x, t in scope if t != SCALAR]
        rng.shuffle(recent)
        recent.sort(key=lambda a: a not in scope[-4:])
        sizes = {size: i for i, size in indices}
        for x, t in recent:
            dims = t.removesuffix("i64").strip("[]").split("][")
            if all(d in sizes for d in dims):
                own = [sizes[d] for d in dims]
                if rng.random() < 0.15:
                    own = [f"{d} - 1 - {i}" for d, i in zip(dims, own, strict=True)]
                elif self.traps and rng.random() < 0.1:
                    own[0] = "k"
                return f"{x}[{', '.join(own)}]"
        return None
