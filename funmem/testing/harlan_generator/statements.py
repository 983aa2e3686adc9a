"""Statements of generated `.kfc` programs: output, assignment, loops, `let` around what follows."""

from collections.abc import Callable

from funmem.testing.harlan_generator.expressions import exp, inner
from funmem.testing.harlan_generator.scope import PRINTABLE, SCALARS, Scope, Var

BOUND = (
    *(*SCALARS, "vec int", "vec int", "vec fn", "List", "Tree", "Shape", "vec vec int", "fn"),
    *("vec float", "vec Shape", "Pack", "vec bool", "Then", "vec List"),
)
"""The types of variables that `main` binds."""


def effects(s: Scope, count: int) -> str:
    """Return statements: some bind variables for those after them."""
    if count <= 0:
        return printed(s)
    mark = len(s.vars)
    if s.rng.random() < 0.6:
        aliased = s.has("aliases")
        t, x = s.one_of((*BOUND, *(("vec int",) * 40 if aliased else ()))), s.fresh()
        if t.startswith("vec ") and (aliased or s.rng.random() < 0.7):
            e, least = some_of(s, t)
        else:
            e, least = exp(s, t, 3), 0
        s.bind(x, t, least)
        rest = effects(s, count - 1)
        del s.vars[mark:]
        return f"(let (({x} {e})) {rest})"
    return f"{statement(s, 2)} {effects(s, count - 1)}"


def some_of(s: Scope, t: str) -> tuple[str, int]:
    """Return a vector of known length, and this length."""
    if s.has("aliases") and s.rng.random() < 0.5 and (found := _alias(s, t)) is not None:
        return found
    n = s.rng.randrange(1, 5)
    of = t.removeprefix("vec ")
    if s.rng.random() < 0.5:
        return f"(vector {' '.join(exp(s, of, 1) for _ in range(n))})", n
    if of == "vec int":
        return f"(kernel ((i (iota {n}))) (kernel ((j (iota (+ i 1)))) (* i j)))", n
    x = s.fresh()
    mark, s.level, host, s.host = len(s.vars), s.level + 1, s.host, False
    s.bind(x, "int")
    body = exp(s, of, 2)
    del s.vars[mark:]
    s.level, s.host = s.level - 1, host
    return f"(kernel (({x} (iota {n}))) {body})", n


def _alias(s: Scope, t: str) -> tuple[str, int] | None:
    """Return an expression for a vector that has a name, or one with such vectors as rows."""
    held = s.visible(lambda v: v.type == t and v.least > 0)
    rows = s.visible(lambda v: f"vec {v.type}" == t and v.least > 0)
    if rows and s.rng.random() < 0.5:
        v, w = s.rng.choice(rows).name, s.rng.choice(rows).name
        return s.rng.choice(((f"(vector {v} {w} {v})", 3), (f"(make-vector 2 {v})", 2)))
    if not held:
        return None
    one, other = s.rng.choice(held), s.rng.choice(held)
    either = f"(pick {exp(s, 'bool', 1)} {one.name} {other.name})"
    return s.rng.choice(
        (
            (f"(same {one.name})", one.least),
            (either, min(one.least, other.least)),
            (f"((lambda (x) x) {one.name})", one.least),
        )
    )


def _put(s: Scope, _: int) -> str:
    """Set an element of a vector that has other names: in a function, a datatype or a closure."""
    v = s.pick(lambda v: v.level == s.level and v.type == "vec int" and v.least > 0)
    p = s.pick(lambda v: v.level == s.level and v.type == "Pack")
    new = exp(s, "int", 1)
    if p is not None and s.rng.random() < 0.5:
        return f"(put-packed {p.name} {new})"
    if v is None:
        return printed(s)
    if s.has("fn") and s.rng.random() < 0.4:
        return _put_by_closure(s, v, new)
    return s.rng.choice(
        (
            f"(put (same {v.name}) {new})",
            f"(println (put-get {v.name} {v.name} {new}))",
            f"(let ((f (lambda (e) (set! (vector-ref {v.name} 0) e) e))) (println (f {new})))",
            f"(let ((p (Pack {v.name} 1))) (put {v.name} {new}) (println p))",
            f"(let ((f (lambda (e) (+ e (vector-ref {v.name} 0)))))"
            f" (put {v.name} {new}) (println (f 1)))",
        )
    )


def _put_by_closure(s: Scope, v: Var, new: str) -> str:
    """Give a vector to closures that read it, set its elements, or return it."""
    f, again = _on_vector(s), f"(f {v.name})"
    if s.rng.random() < 0.5:
        f = f"(if {exp(s, 'bool', 1)} {f} {_on_vector(s)})"
    other = s.pick(lambda w: w.level == s.level and w.type == "vec int" and w.least > 0) or v
    return s.rng.choice(
        (
            f"(let ((f {f})) (put {v.name} {new}) (println {again}) (println {v.name}))",
            f"(let ((f {f})) (println (+ {again} (use f {other.name}))) (println {v.name}))",
            f"(let ((fs (vector {f} {_on_vector(s)}))) (println ((vector-ref fs 1) {v.name}))"
            f" (println ((vector-ref fs 0) {other.name})))",
            f"(let ((g (lambda (w) (if {exp(s, 'bool', 1)} w {other.name}))))"
            f" (put (g {v.name}) {new}) (println {v.name}))",
        )
    )


def _on_vector(s: Scope) -> str:
    """Return a lambda that takes a vector of ints, sets an element perhaps, and returns an int."""
    body = f"(+ (vector-ref w 0) {inner(s, [('w', 'vec int')], 'int', 1)})"
    setting = f"(put w {body}) " if s.rng.random() < 0.5 else ""
    return f"(lambda (w) {setting}{body})"


def statement(s: Scope, depth: int) -> str:
    """Return one statement."""
    makers: list[Callable[[Scope, int], str]] = [_print, _print, _print, _if]
    if s.has("aliases"):
        makers += [_put] * 6 + [_set_element] * 3
    if s.has("assign"):
        makers += [_set, _set, _for, _while, _set_element, _changed]
        if s.has("macros"):
            makers += [_swap]
    return s.rng.choice(makers)(s, depth)


def printed(s: Scope) -> str:
    """Return an output of a value, with its line."""
    t = s.one_of(PRINTABLE)
    if s.rng.random() < 0.6:
        v = s.pick(lambda v: v.type in PRINTABLE)
        if v is not None:
            return f"(println {v.name})"
    if s.rng.random() < 0.15:
        return f'(println* (show {exp(s, t, 2)}) "," {exp(s, "int", 1)})'
    return f"(println {exp(s, t, 3)})"


def _print(s: Scope, _: int) -> str:
    return printed(s)


def _if(s: Scope, depth: int) -> str:
    if depth <= 0:
        return printed(s)
    c, a = exp(s, "bool", 2), statement(s, depth - 1)
    if s.has("macros") and s.rng.random() < 0.3:
        return f"(unless {c} {a} {printed(s)})"
    if s.rng.random() < 0.5:
        return f"(if {c} {a})"
    return f"(if {c} {a} {statement(s, depth - 1)})"


def _assignable(s: Scope, v: Var) -> bool:
    return v.level == s.level and not v.fixed


def _set(s: Scope, _: int) -> str:
    v = s.pick(lambda v: _assignable(s, v) and v.type in (*SCALARS, "vec int", "List", "fn"))
    if v is None:
        return printed(s)
    if v.type == "vec int":  # others know its least length
        return f"(set! {v.name} (kernel ((z {v.name})) (+ z 1)))"
    return f"(set! {v.name} {exp(s, v.type, 2)})"


def _swap(s: Scope, _: int) -> str:
    v = s.pick(lambda v: _assignable(s, v) and v.type in SCALARS)
    if v is None:
        return printed(s)
    others = s.visible(lambda w: _assignable(s, w) and w.type == v.type)
    return f"(swap! {v.name} {s.rng.choice(others).name})"


def _for(s: Scope, depth: int) -> str:
    if depth <= 0:
        return printed(s)
    i, mark = s.fresh(), len(s.vars)
    bounds = s.rng.choice((f"0 {s.rng.randrange(4)}", "1 6 2", f"{exp(s, 'int', 0)} 3"))
    if bounds.endswith(" 3") and not bounds[0].isdigit():
        bounds = "0 3"
    s.bind(i, "int", fixed=True)
    body = " ".join(statement(s, depth - 1) for _ in range(s.rng.randrange(1, 3)))
    del s.vars[mark:]
    return f"(for ({i} {bounds}) {body})"


def _while(s: Scope, depth: int) -> str:
    if depth <= 0:
        return printed(s)
    s.count += 1
    k, mark = f"k{s.count}", len(s.vars)
    s.bind(k, "int", fixed=True)
    body = statement(s, depth - 1)
    del s.vars[mark:]
    loop = f"(while (< {k} {s.rng.randrange(1, 4)}) {body} (set! {k} (+ {k} 1)))"
    return f"(let (({k} 0)) {loop})"


def _set_element(s: Scope, _: int) -> str:
    v = s.pick(lambda v: v.level == s.level and v.type.startswith("vec ") and v.least > 0)
    if v is None:
        return printed(s)
    of, index = v.type.removeprefix("vec "), s.rng.randrange(v.least)
    if of == "vec int":
        row = f"(vector-ref {v.name} {index})"
        return f"(if (< 0 (length {row})) (set! (vector-ref {row} 0) {exp(s, 'int', 2)}))"
    return f"(set! (vector-ref {v.name} {index}) {exp(s, of, 2)})"


def _changed(s: Scope, _: int) -> str:
    v = s.pick(lambda v: v.level == s.level and v.type == "vec int")
    known = any(d.name == "change" for d in s.defined)
    return f"(change {v.name})" if v is not None and known else printed(s)
