"""Random well-typed NOVA programs with inputs: every form and most built-ins, in every context.

Operators of reductions and scans are associative, and those of floats exact, so that all engines
give the same bits.  Programs may trap.
"""

import random
from collections.abc import Callable, Sequence

from attrs import define, field, frozen

INPUTS = (("a", "int"), ("b", "int"), ("c", "bool"), ("y", "double"), ("t", "(int, double)"))
VECTORS = (
    ("X", "vector int"),
    ("Y", "vector int"),
    ("D", "vector double"),
    ("N", "vector vector int"),
)
NUMBERS = ("int", "int16", "int8", "double")
SCALARS = (*NUMBERS, "bool")
TYPES = """(types
  (Maybe 'a : (+ (Some : 'a) (None : unit)))
  (Either : (+ (Left : int) (Right : (int, double))))
  (Pair 'a : ('a, 'a)))
"""
LIBRARY = (
    "(none (lambda (u : unit) : (Maybe int) (None nil)))",
    "(id (lambda (v : 'a) v))",
    "(twice (lambda (f : 'a -> 'a) (v : 'a) (f (f v))))",
    "(first (lambda (v : 'a) (w : 'b) v))",
    "(inc (lambda (v : 'a) (+ v 1)))",
    "(or_else (lambda (m : (Maybe 'a)) (d : 'a) (case m (None u d) (Some v v))))",
    "(flip (lambda (f : 'a -> 'b -> 'c) (v : 'b) (w : 'a) (f w v)))",
    "(last (lambda (v : 'a) (w : 'a) w))",
    "(power (mu (power : int -> int -> int) (lambda (x : int) (k : int)"
    " (if (<= k 0) then 1 else (* x (power x (- k 1)))))))",
    "(turn (mu (turn : int -> (int -> int) -> (int -> int)) (lambda (k : int) (f : (int -> int))"
    " (if (= k 0) then f else (turn (- k 1) (lambda (x : int) (- x k)))))))",
)
ASSOCIATIVE = {
    "int": (
        ("+", "0"),
        ("*", "1"),
        ("min", "5"),
        ("max", "-3"),
        ("&", "-1"),
        ("|", "0"),
        ("^", "7"),
    ),
    "int16": (("+", "3"), ("max", "0")),
    "int8": (("+", "1"), ("min", "127")),
    "double": (("min", "1.5"), ("max", "0")),
    "bool": (("and", "true"), ("or", "false"), ("and", "false"), ("or", "true")),
}


@frozen
class Program:
    """A text and random inputs as Python values: ints, bools, floats, tuples and lists."""

    text: str
    args: tuple[object, ...]


@define
class _Writer:
    r: random.Random
    scope: list[tuple[str, str]] = field(factory=list)
    count: int = 0

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def pick(self, t: str) -> str | None:
        """A variable of a type, rather a recent one."""
        found = [name for name, u in self.scope if u == t]
        return None if not found else self.r.choice(found[-4:])

    # ------------------------------------------------------------------ expressions

    def exp(self, t: str, depth: int) -> str:
        """An expression of a type."""
        if depth <= 0:
            return self.leaf(t)
        makers: list[Callable[[str, int], str]] = [self.branch, self.let, self.called, self.leaf]
        if t.startswith("vector "):
            makers += [self.vector] * 6
        elif t in NUMBERS:
            makers += [self.arithmetic] * 3 + [self.collapsed] * 3 + [self.taken_apart] * 2
        elif t == "bool":
            makers += [self.truth] * 5 + [self.collapsed, self.taken_apart]
        elif t.startswith("(Maybe"):
            makers += [self.maybe] * 4
        elif t == "Either":
            makers += [self.either] * 4
        else:
            makers += [self.pair] * 4
        return self.r.choice(makers)(t, depth - 1)

    def leaf(self, t: str, depth: int = 0) -> str:
        if (x := self.pick(t)) is not None and self.r.random() < 0.8:
            return x
        match t:
            case "int":
                return str(self.r.choice((0, 1, -1, 2, 3, 7, -5, 100, 2147483647)))
            case "int8" | "int16":
                return str(self.r.choice((0, 1, -1, 5, 127)))
            case "double":
                return self.r.choice(("0", "1.5", "-2.25", "3L", "0.5"))
            case "bool":
                return self.r.choice(("true", "false"))
            case "vector int":
                return f"(range {self.r.randrange(5)})"
            case "vector vector int":
                return "(map (lambda (k : int) (range 2)) (range 3))"
            case _ if t.startswith("vector "):
                p = self.name()
                body = self.leaf(t.removeprefix("vector "))
                return f"(map (lambda ({p} : int) {body}) (range {self.r.randrange(4)}))"
            case "(Maybe int)":
                return self.r.choice(("(none nil)", "(Some 3)"))
            case "Either":
                return self.r.choice(("(Left 2)", "(Right (1, 0.5))"))
            case _:
                return "(1, 2.5)"

    def branch(self, t: str, depth: int) -> str:
        return f"(if {self.exp('bool', depth)} then {self.exp(t, depth)} else {self.exp(t, depth)})"

    def let(self, t: str, depth: int) -> str:
        mark = len(self.scope)
        definitions: list[str] = []
        for _ in range(self.r.randrange(1, 3)):
            u = self.r.choice((*SCALARS, "vector int", "(int, double)", "(Maybe int)", t))
            e, x = self.exp(u, depth), self.name()
            definitions.append(f"({x} {e})")
            self.scope.append((x, u))
        body = self.exp(t, depth)
        del self.scope[mark:]
        return f"(let {' '.join(definitions)} in {body})"

    def called(self, t: str, depth: int) -> str:
        e = self.exp(t, depth)
        match self.r.randrange(6):
            case 0:
                return f"(id {e})"
            case 1:
                return f"(first {e} {self.exp(self.r.choice(SCALARS), depth)})"
            case 2:
                return f"(twice (last {self.exp(t, depth)}) {e})"
            case 3 if t == "int":
                return f"(or_else {self.exp('(Maybe int)', depth)} {e})"
            case 4 if t in NUMBERS:
                return f"(inc {e})"
            case 5 if t == "int":
                return f"(power {e} (& 7 {self.exp('int', depth)}))"
            case _:
                u = self.r.choice(SCALARS)
                return f"({self.function((u,), t, depth)} {self.exp(u, depth)})"

    def function(self, params: Sequence[str], result: str, depth: int) -> str:
        """A lambda, or one of several functions, of which one is chosen at run time."""
        if depth > 0 and self.r.random() < 0.2:
            return self.chosen(params, result, depth - 1)
        mark = len(self.scope)
        names = [self.name() for _ in params]
        self.scope += zip(names, params, strict=True)
        body = self.exp(result, depth)
        del self.scope[mark:]
        binders = " ".join(f"({x} : {u})" for x, u in zip(names, params, strict=True))
        said = f": {result} " if self.r.random() < 0.3 else ""
        return f"(lambda {binders} {said}{body})"

    def chosen(self, params: Sequence[str], result: str, depth: int) -> str:
        """A function that ``if``, ``case`` or recursion chooses."""
        f, g = (self.function(params, result, depth) for _ in "fg")
        match self.r.randrange(4):
            case 0:
                return f"(if {self.exp('bool', depth)} then {f} else {g})"
            case 1:
                x = self.name()
                return f"(case {self.exp('Either', depth)} (Left {x} {f}) (Right {x} {g}))"
            case 2 if (*params, result) == ("int", "int"):
                return f"(turn (& 3 {self.exp('int', depth)}) {f})"
            case _:
                x, y = self.name(), self.name()
                first = f"(if {self.exp('bool', depth)} then {f} else {g})"
                second = f"(if {self.exp('bool', depth)} then {x} else {f})"
                return f"(let ({x} {first}) ({y} {second}) in {y})"

    # ------------------------------------------------------------------ scalars

    def arithmetic(self, t: str, depth: int) -> str:
        a, b = self.exp(t, depth), self.exp(t, depth)
        ops = ["+", "-", "*", "min", "max"] + (
            ["/"] if t == "double" else ["/", "%", "&", "|", "^"]
        )
        if self.r.random() < 0.2:
            return f"({self.r.choice(('neg', 'abs'))} {a})"
        return f"({self.r.choice(ops)} {a} {b})"

    def truth(self, t: str, depth: int) -> str:
        match self.r.randrange(5):
            case 0:
                return f"({self.r.choice(('and', 'or'))} {self.exp(t, depth)} {self.exp(t, depth)})"
            case 1:
                return f"(not {self.exp(t, depth)})"
            case 2:
                u = self.r.choice(("(int, double)", "vector int", "(Maybe int)", "Either"))
                return f"({self.r.choice(('=', '~='))} {self.exp(u, depth)} {self.exp(u, depth)})"
            case _:
                u = self.r.choice(NUMBERS)
                op = self.r.choice(("<", "<=", ">", ">=", "=", "~="))
                return f"({op} {self.exp(u, depth)} {self.exp(u, depth)})"

    def collapsed(self, t: str, depth: int) -> str:
        """A scalar from a vector."""
        xs = self.exp(f"vector {t}", depth)
        op, i = self.r.choice(ASSOCIATIVE[t])
        match self.r.randrange(7):
            case 0 if t == "int":
                return f"(length {self.exp(self.r.choice(('vector int', 'vector bool')), depth)})"
            case 1:
                index = self.exp("int", depth)
                return f"({xs} ! {self.r.choice(('0', f'(& 1 {index})', index))})"
            case 2:
                f = self.function((t, "int"), t, depth)
                return f"(fold {f} {self.exp(t, depth)} {self.exp('vector int', depth)})"
            case 3:
                return f"(reduce last {self.exp(t, depth)} {xs})"
            case 4:
                return f"(reduce {op} {self.exp(t, depth)} {xs})"
            case _:
                return f"(reduce {op} {i} {xs})"

    def taken_apart(self, t: str, depth: int) -> str:
        match self.r.randrange(5):
            case 0 if t == "int":
                return f"({self.exp('(int, double)', depth)} . 0)"
            case 1 if t == "double":
                return f"({self.exp('(int, double)', depth)} . 1)"
            case 2 if t == "double":
                return f"(to_double {self.exp(self.r.choice(NUMBERS), depth)})"
            case 3 if t in NUMBERS and t != "double":
                return f"((lambda (z : double) : {t} (from_double z)) {self.exp('double', depth)})"
            case _:
                x, mark = self.name(), len(self.scope)
                m = self.exp("Either", depth)
                self.scope.append((x, "int"))
                left = self.exp(t, depth)
                self.scope[mark:] = [(x, "(int, double)")]
                right = self.exp(t, depth)
                del self.scope[mark:]
                return f"(case {m} (Left {x} {left}) (Right {x} {right}))"

    # ------------------------------------------------------------------ tuples, sums

    def pair(self, t: str, depth: int) -> str:
        return f"({self.exp('int', depth)}, {self.exp('double', depth)})"

    def maybe(self, t: str, depth: int) -> str:
        return f"(Some {self.exp('int', depth)})" if self.r.random() < 0.7 else "(none nil)"

    def either(self, t: str, depth: int) -> str:
        if self.r.random() < 0.5:
            return f"(Left {self.exp('int', depth)})"
        return f"(Right {self.exp('(int, double)', depth)})"

    # ------------------------------------------------------------------ vectors

    def vector(self, t: str, depth: int) -> str:
        elem = t.removeprefix("vector ")
        if elem.startswith("vector "):
            return self.nested(depth)
        own = self.exp(t, depth)
        match self.r.randrange(10):
            case 0:
                return f"(filter {self.function((elem,), 'bool', depth)} {own})"
            case 1:
                indices = self.exp("vector int", depth)
                return f"(gather {self.r.choice((indices, f'(map (& 0) {indices})'))} {own})"
            case 2:
                b, s, e = (self.exp("int", depth - 1) for _ in "bse")
                if self.r.random() < 0.7:
                    x = self.name()
                    n = self.r.choice((f"(length {x})", f"(min (length {x}) (& 3 {e}))"))
                    return f"(let ({x} {own}) in (slice 0 {self.r.choice('12')} {n} {x}))"
                return f"(slice {self.r.choice(('0', b))} {self.r.choice(('1', s))} {e} {own})"
            case 3 if elem in ASSOCIATIVE:
                op, i = self.r.choice(ASSOCIATIVE[elem])
                return f"({self.r.choice(('scan', 'iscan'))} {op} {i} {own})"
            case 4 if elem in ASSOCIATIVE:
                op, i = self.r.choice(ASSOCIATIVE[elem])
                which = self.r.choice(("scan", "iscan"))
                return f"({which} {self.r.choice((op, 'last'))} {self.exp(elem, depth)} {own})"
            case 5:
                x = self.name()
                reverse = f"(range (- (length {x}) 1) -1 -1)"
                return f"(let ({x} {own}) in (permute {reverse} {x}))"
            case 6 if elem == "int":
                return f"(range (& 7 {self.exp('int', depth)}))"
            case 7 if elem == "int":
                return f"(flatten {self.exp('vector vector int', depth)})"
            case 8:
                u = self.r.choice(("int", "double"))
                f = self.function((u, elem), elem, depth)
                return f"(map {f} {self.exp(f'vector {u}', depth)} {own})"
            case _:
                u = self.r.choice(("int", "double", "bool", "(int, double)", "(Maybe int)"))
                return f"(map {self.function((u,), elem, depth)} {self.exp(f'vector {u}', depth)})"

    def nested(self, depth: int) -> str:
        own = self.exp("vector vector int", depth)
        match self.r.randrange(4):
            case 0:
                return f"(map (map {self.function(('int',), 'int', depth)}) {own})"
            case 1:
                return f"(map (map +) {own} {self.exp('vector vector int', depth)})"
            case 2:
                return f"(map (scan + {self.exp('int', depth)}) {own})"
            case _:
                x = self.name()
                return f"(let ({x} {own}) in (unflatten (segments {x}) (flatten {x})))"


def program(seed: int) -> Program:
    """The program of a seed."""
    r = random.Random(seed)
    w = _Writer(r, [*INPUTS, *VECTORS])
    results = r.sample((*SCALARS, "vector int", "vector double", "(int, double)"), 2)
    body = f"({w.exp(results[0], 4)}, {w.exp(results[1], 3)})"
    inputs = " ".join(f"({x} : {t})" for x, t in (*INPUTS, *VECTORS))
    text = f"({inputs})\n{TYPES}(let {' '.join(LIBRARY)}\n in {body})\n"
    ints = [r.randrange(-9, 10) for _ in range(r.randrange(6))]
    width = r.randrange(3)
    nested = [[r.randrange(-9, 10) for _ in range(width)] for _ in range(r.randrange(4))]
    args: tuple[object, ...] = (
        r.randrange(-9, 10),
        r.choice((0, 3, 2147483647)),
        r.random() < 0.5,
        r.choice((0.0, 1.5, -2.5)),
        (r.randrange(5), 2.5),
        ints,
        [*reversed(ints)],
        [k / 2 for k in ints],
        nested,
    )
    return Program(text, args)
