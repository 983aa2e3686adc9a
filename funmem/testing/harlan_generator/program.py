"""The text of a generated `.kfc` program: datatypes, macros, definitions, and what `main` does."""

import random
from collections.abc import Iterator

from funmem.ir.record import frozen
from funmem.testing.harlan_generator.expressions import exp, inner
from funmem.testing.harlan_generator.scope import (
    DATATYPES,
    FEATURES,
    SCALARS,
    Defined,
    Scope,
)
from funmem.testing.harlan_generator.statements import effects

MACROS = """\
  (define-macro swap! () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp))))
  (define-macro square () ((_ e) (let ((t e)) (* t t))))
  (define-macro least () ((_ a b) (let ((x a) (y b)) (if (< x y) x y))))
  (define-macro sum-of () ((_) 0) ((_ a b ...) (+ a (sum-of b ...))))
  (define-macro bound () ((_ ((n e) ...) body) ((lambda (n ...) body) e ...)))
  (define-macro unless () ((_ c s ...) (if (not c) (begin s ...))))
"""
LIBRARY = """\
  (define (same v) v)
  (define (pick c a b) (if c a b))
  (define (twice f v) (f (f v)))
  (define (show v) (print v) (print " ") v)
  (define (total l) (match l ((Nil) 0) ((Cons h r) (+ h (total r)))))
  (define (fold t) (match t ((Leaf h) h) ((Node l r) (- (fold l) (fold r)))))
  (define (put v x) (if (< 0 (length v)) (set! (vector-ref v 0) x)))
  (define (put-get v w x) (put v x) (vector-ref w 0))
  (define (use f v) (f v))
  (define (put-packed p x) (match p ((Pack v n) (put v x))))
  (define (run f n) (match f ((Done) n) ((Then g r) (run r (g n)))))
"""


@frozen
class HarlanProgram:
    """The text that a seed determines, and what it may have (scope.py)."""

    seed: int
    text: str
    features: frozenset[str]


def generate_harlan(seed: int) -> HarlanProgram:
    """Return the program of a seed."""
    rng = random.Random(f"harlan {seed}")
    features = frozenset(f for f in FEATURES if rng.random() < 0.4)
    s = Scope(rng, features)
    defined = "".join(f"  {d}\n" for d in _definitions(s))
    s.host = True
    body = effects(s, rng.randrange(2, 5))
    last = exp(s, "int", 1)
    parts = (DATATYPES, MACROS, LIBRARY, defined)
    text = f"(module\n{''.join(parts)}  (define (main)\n    {body}\n    {last}))\n"
    return HarlanProgram(seed, text, features)


def _definitions(s: Scope) -> Iterator[str]:
    """Yield definitions: recursive ones, and others of random types."""
    rng = s.rng
    if s.has("recursive"):
        for made in rng.sample([_grown, _listed, _mapped, _walked], rng.randrange(1, 4)):
            yield made(s)
    if rng.random() < 0.5:
        yield _counted(s)
    if rng.random() < 0.2:
        yield "(define (even n) (if (<= n 0) #t (odd (- n 1))))"
        yield "(define (odd n) (if (<= n 0) #f (even (- n 1))))"
        s.defined += [Defined(f, ("small",), "bool") for f in ("even", "odd")]
    for k in range(rng.randrange(3)):
        yield _plain(s, f"f{k}")
    if s.has("assign") and rng.random() < 0.4:
        yield _setting(s)


def _plain(s: Scope, name: str) -> str:
    types = ("int", "float", "bool", "Shape", "List", "vec int", "fn", "Tree", "vec fn")
    params = tuple((f"p{k}", s.one_of(types)) for k in range(s.rng.randrange(1, 3)))
    result = s.one_of((*types, "Pack", "vec vec int"))
    body = inner(s, params, result, 2)
    effect = s.rng.random() < 0.2
    said = f'(print "{name} ") ' if effect else ""
    s.defined.append(Defined(name, tuple(u for _, u in params), result, effect))
    return f"(define ({name} {' '.join(x for x, _ in params)}) {said}{body})"


def _counted(s: Scope) -> str:
    """Return a definition that counts down, by a tail call or not; it may print the numbers."""
    t = s.one_of(("int", "float", "bool", "vec int", "Shape", "List"))
    step = inner(s, [("n", "int"), ("acc", t)], t, 2)
    effect = s.rng.random() < 0.2
    said = '(print n) (print " ") ' if effect else ""
    s.defined.append(Defined("count", ("small", t), t, effect))
    if t == "int" and s.rng.random() < 0.5:
        return f"(define (count n acc) {said}(if (<= n 0) acc (+ (count (- n 1) {step}) n)))"
    return f"(define (count n acc) {said}(if (<= n 0) acc (count (- n 1) {step})))"


def _grown(s: Scope) -> str:
    leaf = inner(s, [("n", "int")], "int", 1)
    s.defined.append(Defined("grow", ("small",), "Tree"))
    down = s.rng.randrange(1, 3)
    again = f"(Node (grow (- n 1)) (grow (- n {down})))"
    return f"(define (grow n) (if (<= n 0) (Leaf {leaf}) {again}))"


def _listed(s: Scope) -> str:
    head = inner(s, [("n", "int")], "int", 1)
    s.defined.append(Defined("upto", ("small",), "List"))
    return f"(define (upto n) (if (<= n 0) (Nil) (Cons {head} (upto (- n 1)))))"


def _mapped(s: Scope) -> str:
    head = inner(s, [("h", "int")], "int", 1)
    s.defined.append(Defined("mapped", ("List",), "List"))
    return f"(define (mapped l) (match l ((Cons h r) (Cons {head} (mapped r))) ((Nil) l)))"


def _walked(s: Scope) -> str:
    t = s.one_of(SCALARS)
    step = inner(s, [("h", "int"), ("acc", t)], t, 2)
    s.defined.append(Defined("walk", ("List", t), t))
    return f"(define (walk l acc) (match l ((Nil) acc) ((Cons h r) (walk r {step}))))"


def _setting(s: Scope) -> str:
    """Return a definition that sets the elements of its parameter."""
    new = inner(s, [("i", "int"), ("old", "int")], "int", 1)
    s.defined.append(Defined("change", ("vec int",), "void", sets=(0,)))
    set_ = f"(let ((old (vector-ref v i))) (set! (vector-ref v i) {new}))"
    return f"(define (change v) (for (i 0 (length v)) {set_}))"
