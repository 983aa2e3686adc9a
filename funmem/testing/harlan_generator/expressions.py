"""Expressions of generated `.kfc` programs: each function writes one of a type.

Operators of reductions are associative and commutative, and floats are added in sequence only, so
that all engines give the same bits.
"""

from collections.abc import Callable, Sequence

from funmem.testing.harlan_generator.scope import CONSTRUCTORS, SCALARS, Scope

Maker = Callable[[Scope, str, int], str]

INTS = ("0", "1", "2", "3", "-1", "7", "-5", "100", "2147483647")
FLOATS = ("0.0", "1.5", "-2.25", "3.0", "0.5")
COMMUTATIVE = {
    "int": ("+", "*", "max", "min", "bitwise-or", "bitwise-xor", "(lambda (a b) (+ a b))"),
    "float": ("max", "min"),
    "bool": ("and", "or"),
}
"""Operators of `reduce`: some are macros."""
SCANNED = {
    "int": (("+", "0"), ("max", "-9"), ("(lambda (a b) (+ a b))", "0"), ("*", "1")),
    "float": (("max", "0.5"), ("min", "2.0")),
    "bool": (("or", "#f"),),
}
ELEMENTS = ("int", "int", "float", "bool", "Shape", "List", "fn", "vec int")
"""Element types of vectors that a kernel reads."""


def exp(s: Scope, t: str, depth: int) -> str:
    """Return an expression of a type."""
    if depth <= 0:
        return leaf(s, t)
    makers: list[Maker] = [branch, let, called, leaf, blocked]
    if s.has("macros"):
        makers.append(used_macro)
    if t.startswith("vec "):
        makers += [vector] * 7
    elif t in ("int", "float", "u64"):
        makers += [arithmetic] * 4 + [collapsed] * 4 + [matched, element]
    elif t == "bool":
        makers += [truth] * 5 + [collapsed, element]
    elif t == "fn":
        makers += [function] * 5 + [element]
    else:
        makers += [constructed] * 5 + [matched, element]
    return s.rng.choice(makers)(s, t, depth - 1)


def leaf(s: Scope, t: str, _: int = 0) -> str:
    """Return a variable or a small expression of a type."""
    if s.rng.random() < 0.8 and (v := s.pick(lambda v: v.type == t)) is not None:
        return v.name
    rng = s.rng
    match t:
        case "int":
            return rng.choice(INTS)
        case "u64":
            return f"(bitwise-or {rng.choice(('1', '5', '4294967296'))} 4294967297)"
        case "float":
            return rng.choice(FLOATS)
        case "bool":
            return rng.choice(("#t", "#f"))
        case "fn":
            return f"(lambda (x) (+ x {rng.randrange(9)}))"
        case "vec int":
            return f"(iota {rng.randrange(5)})"
        case "vec vec int":
            return f"(kernel ((q (iota {rng.randrange(4)}))) (iota q))"
        case _ if t.startswith("vec "):
            inside = leaf(s, t.removeprefix("vec "))
            return f"(kernel ((q (iota {rng.randrange(4)}))) {inside})"
        case _:
            return constructed(s, t, 0)


def within(s: Scope, names: Sequence[tuple[str, str]], t: str, depth: int) -> str:
    """Return an expression in which more variables are in scope."""
    mark = len(s.vars)
    for name, u in names:
        s.bind(name, u)
    found = exp(s, t, depth)
    del s.vars[mark:]
    return found


def inner(s: Scope, names: Sequence[tuple[str, str]], t: str, depth: int) -> str:
    """Return the body of a kernel or a function: it prints nothing and sets no outer variable."""
    s.level, host, s.host = s.level + 1, s.host, False
    found = within(s, names, t, depth)
    s.level, s.host = s.level - 1, host
    return found


# ---------------------------------------------------------------------- any type


def branch(s: Scope, t: str, depth: int) -> str:
    """Return an `if`, or a `cond`."""
    c, a, b = exp(s, "bool", depth), exp(s, t, depth), exp(s, t, depth)
    if s.rng.random() < 0.3:
        return f"(cond ({c} {a}) ({exp(s, 'bool', 0)} {exp(s, t, 0)}) (else {b}))"
    return f"(if {c} {a} {b})"


def let(s: Scope, t: str, depth: int) -> str:
    """Return a `let`, whose bindings are parallel, or a `let*`."""
    sequential, mark = s.rng.random() < 0.4, len(s.vars)
    made: list[tuple[str, str]] = []
    texts: list[str] = []
    for _ in range(s.rng.randrange(1, 3)):
        u = s.one_of((*SCALARS, "vec int", "Shape", "List", "fn", "Tree", t))
        e, x = exp(s, u, depth), s.fresh()
        if x in [name for name, _ in made]:
            continue
        texts.append(f"({x} {e})")
        made.append((x, u))
        if sequential:
            s.bind(x, u)
    if not sequential:
        for x, u in made:
            s.bind(x, u)
    body = exp(s, t, depth)
    del s.vars[mark:]
    return f"(let{'*' if sequential else ''} ({' '.join(texts)}) {body})"


def called(s: Scope, t: str, depth: int) -> str:
    """Return a call of a definition, of a closure or of a polymorphic definition."""
    known = [d for d in s.defined if d.result == t and (s.host or not d.effect) and not d.sets]
    if known and s.rng.random() < 0.6:
        d = s.rng.choice(known)
        args = " ".join(small(s) if u == "small" else exp(s, u, depth) for u in d.params)
        return f"({d.name} {args})" if args else f"({d.name})"
    f = s.pick(lambda v: v.type == "fn")
    if t == "int" and f is not None:
        return f"({f.name} {exp(s, 'int', depth)})"
    match s.rng.randrange(4):
        case 0 if t == "int" and s.has("fn"):
            return f"(twice {exp(s, 'fn', depth)} {exp(s, 'int', depth)})"
        case 1:
            return f"(pick {exp(s, 'bool', depth)} {exp(s, t, depth)} {exp(s, t, depth)})"
        case 2 if s.has("fn"):
            u, x = s.one_of(SCALARS), s.fresh()
            body = inner(s, [(x, u)], t, depth)
            return f"((lambda ({x}) {body}) {exp(s, u, depth)})"
        case _:
            return f"(same {exp(s, t, depth)})"


def small(s: Scope) -> str:
    """Return a number that bounds a recursion."""
    return str(s.rng.randrange(5))


def blocked(s: Scope, t: str, depth: int) -> str:
    """Return an expression after assignments of a variable of its own, in a loop perhaps."""
    if not s.has("assign"):
        return leaf(s, t)
    u = s.one_of(("int", "float", "bool", "List"))
    x, i = s.fresh(), s.fresh()
    if x == i:
        return leaf(s, t)
    start = exp(s, u, depth)
    mark = len(s.vars)
    s.bind(x, u)
    again = f"(set! {x} {within(s, [(i, 'int')], u, depth)})"
    if s.rng.random() < 0.3:
        again = f"(if {within(s, [(i, 'int')], 'bool', 0)} {again})"
    body = exp(s, t, depth)
    del s.vars[mark:]
    return f"(let (({x} {start})) (for ({i} 0 {s.rng.randrange(4)}) {again}) {body})"


def used_macro(s: Scope, t: str, depth: int) -> str:
    """Return a use of a macro of the program."""
    match t:
        case "int":
            return s.rng.choice(
                (
                    f"(square {exp(s, t, depth)})",
                    f"(least {exp(s, t, depth)} {exp(s, t, depth)})",
                    f"(sum-of {exp(s, t, depth)} {exp(s, t, depth)} {leaf(s, t)})",
                    f"(max {exp(s, t, depth)} {exp(s, t, depth)})",
                )
            )
        case "bool":
            return f"(or {exp(s, t, depth)} (and {exp(s, t, depth)} {leaf(s, t)}))"
        case _:
            x, u = s.fresh(), s.one_of(SCALARS)
            return f"(bound (({x} {exp(s, u, depth)})) {inner(s, [(x, u)], t, depth)})"


def matched(s: Scope, t: str, depth: int) -> str:
    """Return a `match`, whose arms are in any order."""
    owner = s.one_of(("Shape", "Shape", "List", "Tree", "Pack"))
    arms: list[str] = []
    for name, fields in CONSTRUCTORS[owner]:
        binders = [(f"m{s.count}{k}", u) for k, u in enumerate(fields)]
        s.count += 1
        body = within(s, binders, t, depth)
        shown = [x if s.rng.random() < 0.85 or x in body else "_" for x, _ in binders]
        arms.append(f"(({' '.join((name, *shown))}) {body})")
    s.rng.shuffle(arms)
    return f"(match {exp(s, owner, depth)} {' '.join(arms)})"


def element(s: Scope, t: str, depth: int) -> str:
    """Return an element of a vector, mostly of one that has it."""
    least = 0 if s.has("traps") and s.rng.random() < 0.1 else 1
    v = s.pick(lambda v: v.type == f"vec {t}" and v.least >= least)
    if v is None:
        return leaf(s, t)
    index = str(s.rng.randrange(max(v.least, 1)))
    if s.has("traps") and s.rng.random() < 0.05:
        index = exp(s, "int", depth)
    return f"(vector-ref {v.name} {index})"


# ---------------------------------------------------------------------- scalars


def arithmetic(s: Scope, t: str, depth: int) -> str:
    """Return an operation on numbers."""
    a, b = exp(s, t, depth), exp(s, t, depth)
    match t:
        case "int":
            match s.rng.randrange(8):
                case 0:
                    by = b if s.has("traps") and s.rng.random() < 0.1 else s.rng.choice("357")
                    return f"({s.rng.choice(('/', 'mod'))} {a} {by})"
                case 1:
                    return f"({s.rng.choice(('<<', '>>'))} {a} {s.rng.randrange(8)})"
                case 2:
                    return f"({s.rng.choice(('bitwise-or', 'bitwise-xor'))} {a} {b})"
                case 3:
                    return f"(float->int (floor {bounded(s, depth)}))"
                case _:
                    return f"({s.rng.choice('+-*')} {a} {b})"
        case "float":
            match s.rng.randrange(5):
                case 0:
                    return bounded(s, depth)
                case 1:
                    return f"(/ {a} {s.rng.choice(('2.0', '-4.0', '3.0'))})"
                case 2:
                    return f"(* {a} {s.rng.choice(('0.5', '-2.0', '1.25'))})"
                case _:
                    return f"({s.rng.choice('+-')} {a} {b})"
        case _:
            return f"({s.rng.choice(('+', '*', 'bitwise-xor', '-'))} {a} {b})"


def bounded(s: Scope, depth: int) -> str:
    """Return a float that an int has, within small bounds."""
    return f"(* 0.25 (int->float (mod {exp(s, 'int', depth)} 1000)))"


def truth(s: Scope, _: str, depth: int) -> str:
    """Return a bool from other values."""
    match s.rng.randrange(5):
        case 0:
            return f"(not {exp(s, 'bool', depth)})"
        case 1:
            word = s.rng.choice(("and", "or"))
            return f"({word} {exp(s, 'bool', depth)} {exp(s, 'bool', depth)})"
        case 2:
            u = s.one_of(("int", "bool", "vec int", "float"))
            return f"(= {exp(s, u, depth)} {exp(s, u, depth)})"
        case _:
            u = s.one_of(("int", "int", "float", "u64"))
            op = s.rng.choice(("<", "<=", ">", ">="))
            return f"({op} {exp(s, u, depth)} {exp(s, u, depth)})"


def collapsed(s: Scope, t: str, depth: int) -> str:
    """Return what a vector, a list, a tree or functions are collapsed to."""
    if t == "int" and s.rng.random() < 0.5:
        match s.rng.randrange(6):
            case 0:
                return f"(length {exp(s, s.one_of(('vec int', 'vec vec int')), depth)})"
            case 1 if s.has("List"):
                return f"(total {exp(s, 'List', depth)})"
            case 2 if s.has("Tree"):
                return f"(fold {exp(s, 'Tree', depth)})"
            case 3 if s.has("Then"):
                return f"(run {exp(s, 'Then', depth)} {exp(s, 'int', depth)})"
            case 4 if s.has("fn"):
                x = s.fresh()
                vector_ = some(s, "fn", depth)
                arg = inner(s, [(x, "fn")], "int", depth)
                return f"(reduce + (kernel (({x} {vector_})) ({x} {arg})))"
            case _:
                pass
    if t not in COMMUTATIVE:
        return leaf(s, t)
    op = s.rng.choice(COMMUTATIVE[t])
    kind = s.rng.choice(("reduce", "reduce", "inner-reduce"))
    return f"({kind} {op} {some(s, t, depth)})"


# ---------------------------------------------------------------------- data, functions


def constructed(s: Scope, t: str, depth: int) -> str:
    """Return a value of a datatype."""
    known = CONSTRUCTORS[t]
    name, fields = s.rng.choice(known) if depth > 0 else known[0]
    return f"({' '.join((name, *(exp(s, u, depth - 1) for u in fields)))})"


def function(s: Scope, _: str, depth: int) -> str:
    """Return a lambda, or the composition of two functions."""
    if depth > 0 and s.rng.random() < 0.15:
        f, g = s.fresh(), s.fresh()
        both = f"(lambda (z) ({f} ({g} z)))" if f != g else f"(lambda (z) ({f} z))"
        bindings = f"({f} {exp(s, 'fn', depth - 1)})"
        bindings += f" ({g} {exp(s, 'fn', depth - 1)})" if f != g else ""
        return f"(let ({bindings}) {both})"
    x = s.fresh()
    return f"(lambda ({x}) {inner(s, [(x, 'int')], 'int', depth)})"


# ---------------------------------------------------------------------- vectors


def some(s: Scope, t: str, depth: int) -> str:
    """Return a vector that has an element, unless the program may trap."""
    if s.has("traps") and s.rng.random() < 0.1:
        return exp(s, f"vec {t}", depth)
    v = s.pick(lambda v: v.type == f"vec {t}" and v.least > 0)
    if v is not None and s.rng.random() < 0.4:
        return v.name
    if s.rng.random() < 0.5:
        n = s.rng.randrange(1, 4)
        return f"(vector {' '.join(exp(s, t, depth - 1) for _ in range(n))})"
    x = s.fresh()
    return f"(kernel (({x} (iota {s.rng.randrange(1, 5)}))) {inner(s, [(x, 'int')], t, depth)})"


def vector(s: Scope, t: str, depth: int) -> str:
    """Return a vector."""
    of = t.removeprefix("vec ")
    match s.rng.randrange(9):
        case 0:
            n = s.rng.randrange(1, 4)
            return f"(vector {' '.join(exp(s, of, depth - 1) for _ in range(n))})"
        case 1 if of in SCANNED:
            op, ne = s.rng.choice(SCANNED[of])
            return f"(scan {op} {ne} {exp(s, t, depth)})"
        case 2 if of in SCALARS:
            x = s.fresh()
            test = inner(s, [(x, of)], "bool", depth)
            return f"(filter (lambda ({x}) {test}) {exp(s, t, depth)})"
        case 3 if t == "vec int":
            return (
                f"(iota (mod (bitwise-xor {exp(s, 'int', depth)} 0) 4))" if _may(s) else "(iota 3)"
            )
        case 4:
            return f"(make-vector {s.rng.randrange(4)} {exp(s, of, depth)})"
        case 5 if t == "vec vec int":
            x = s.fresh()
            row = s.rng.choice(("(iota {})", "(filter (lambda (z) (< z {})) (iota 3))"))
            return f"(kernel (({x} (iota {s.rng.randrange(5)}))) {row.format(x)})"
        case 6 if t == "vec int":
            f = exp(s, "fn", depth) if s.has("fn") else "(lambda (x) (* x 3))"
            return f"(map {f} {exp(s, t, depth)})"
        case _:
            return kernel(s, of, depth)


def _may(s: Scope) -> bool:
    return s.has("traps") and s.rng.random() < 0.2


def kernel(s: Scope, of: str, depth: int) -> str:
    """Return a kernel over one or two vectors."""
    u, x, y = s.one_of(ELEMENTS), s.fresh(), s.fresh()
    if x != y and s.rng.random() < 0.25:
        n = s.rng.randrange(1, 4)
        elems = " ".join(exp(s, u, depth - 1) for _ in range(n + s.rng.randrange(2)))
        n += s.has("traps") and s.rng.random() < 0.1
        body = inner(s, [(y, "int"), (x, u)], of, depth)
        return f"(kernel (({y} (iota {n})) ({x} (vector {elems}))) {body})"
    return f"(kernel (({x} {exp(s, f'vec {u}', depth)})) {inner(s, [(x, u)], of, depth)})"
