"""Mutations of `.fut` programs: texts that still parse, most of them wrong in one place.

What is changed is what type checkers look at: names, sizes, annotations, stars, the order and the
number of arguments, specifications in module types, whole declarations.
"""

import random
import re
from collections.abc import Callable, Sequence
from itertools import pairwise

TOKEN = re.compile(r"\s+|[A-Za-z_][A-Za-z0-9_']*(?:\.[A-Za-z_0-9]+)*|[0-9][0-9a-z_.]*|->|.")
NAME = re.compile(r"[a-z_A-Z][A-Za-z0-9_']*(?:\.[A-Za-z_0-9]+)*")
KEYWORDS = frozenset(
    (
        "def", "let", "in", "if", "then", "else", "loop", "for", "while", "do", "case", "match",
        "entry", "module", "type", "val", "with", "open", "import", "include", "local", "assert",
        "order", "by", "group", "into",
    )
)  # fmt: skip
SCALARS = ("i8", "i32", "i64", "u8", "f32", "f64", "bool")
OPERATORS = ("+", "-", "*", "/", "<", "==", "&&", "%")
AROUND = (
    "(copy {})", "(id {})", "(filter (const true) {})", "(reverse {})", "(take 1 {})", "({}, {})",
    "(map id {})", "(\\_ -> {})", "(length {})", "({}[0])", "[{}]", "(rep {})", "(i64.i32 {})",
    "(if true then {} else {})", "(let x = {} in x)", "(opaque {})",
)  # fmt: skip
PARENTHESES = {"(": ")", "[": "]", "{": "}"}

Tokens = list[str]
Mutation = Callable[[random.Random, Tokens], Tokens | None]


def without_comments(text: str) -> str:
    """A program without the comments, and so without its test blocks."""
    lines = [re.sub(r"(^|\s)--.*", "", line) for line in text.split("\n")]
    return "\n".join(line for line in lines if line.strip()) + "\n"


def mutant(r: random.Random, text: str) -> str:
    """The program with one change, seldom two."""
    tokens = TOKEN.findall(text)
    for _ in range(1 + (r.random() < 0.15)):
        for _ in range(20):
            changed = r.choice(MUTATIONS)(r, list(tokens))
            if changed is not None and changed != tokens:
                tokens = TOKEN.findall("".join(changed))
                break
    return "".join(tokens)


# ---------------------------------------------------------------------- parts of a text


def _names(tokens: Sequence[str]) -> list[int]:
    return [k for k, t in enumerate(tokens) if NAME.fullmatch(t) and t not in KEYWORDS]


def _end(tokens: Sequence[str], k: int) -> int | None:
    """The end of the atom that begins at token k: a name, a literal, something in parentheses."""
    if tokens[k] not in PARENTHESES:
        plain = tokens[k][0].isalnum() or tokens[k][0] == "_"
        return k + 1 if plain and tokens[k] not in KEYWORDS else None
    depth = 0
    for j in range(k, len(tokens)):
        depth += (tokens[j] in PARENTHESES) - (tokens[j] in PARENTHESES.values())
        if depth == 0:
            return j + 1
    return None


def _atoms(tokens: Sequence[str]) -> list[tuple[int, int]]:
    return [(k, end) for k in range(len(tokens)) if (end := _end(tokens, k)) is not None]


def _pick(r: random.Random, tokens: Tokens, among: Sequence[int], new: Sequence[str]) -> Tokens:
    if among:
        tokens[r.choice(among)] = r.choice(new)
    return tokens


# ---------------------------------------------------------------------- mutations


def other_name(r: random.Random, tokens: Tokens) -> Tokens | None:
    """A name takes the place of another."""
    names = _names(tokens)
    return _pick(r, tokens, names, [tokens[k] for k in names]) if names else None


def other_scalar(r: random.Random, tokens: Tokens) -> Tokens | None:
    """i32 -> i64."""
    return _pick(r, tokens, [k for k, t in enumerate(tokens) if t in SCALARS], SCALARS)


def other_operator(r: random.Random, tokens: Tokens) -> Tokens | None:
    """+ -> ==."""
    return _pick(r, tokens, [k for k, t in enumerate(tokens) if t in OPERATORS], OPERATORS)


def other_literal(r: random.Random, tokens: Tokens) -> Tokens | None:
    """1 -> 2.5."""
    numbers = [k for k, t in enumerate(tokens) if t[0].isdigit()]
    return _pick(r, tokens, numbers, ("0", "1", "2", "3", "2.5", "true", "1i64", "1f32"))


def other_size(r: random.Random, tokens: Tokens) -> Tokens | None:
    """[n]t -> [m]t, []t, [n+1]t."""
    places = [k for k, t in enumerate(tokens[:-1]) if t == "["]
    if not places:
        return None
    k = r.choice(places)
    end = _end(tokens, k)
    if end is None or end > k + 8:
        return None
    inside = [t for t in tokens[k + 1 : end - 1] if NAME.fullmatch(t)]
    sizes = [t for a, t in pairwise(tokens) if a == "[" and NAME.fullmatch(t)]
    base = r.choice(inside or sizes or ["n"])
    new = r.choice((*sizes, "", "_", f"{base}+1", f"2*{base}", "1", f"{base}/2", f"length {base}"))
    return [*tokens[: k + 1], new, *tokens[end - 1 :]]


def size_added(r: random.Random, tokens: Tokens) -> Tokens | None:
    """t -> []t, or [n]t -> t."""
    types = [k for k, t in enumerate(tokens) if t in SCALARS]
    if not types:
        return None
    k = r.choice(types)
    return [*tokens[:k], r.choice(("[]", "[n]", "[1]", "*", "*[n]", "[][]")), *tokens[k:]]


def star(r: random.Random, tokens: Tokens) -> Tokens | None:
    """*t -> t, or t -> *t."""
    stars = [k for k, t in enumerate(tokens[:-1]) if t == "*" and not tokens[k + 1].isspace()]
    if stars and r.random() < 0.5:
        del tokens[r.choice(stars)]
        return tokens
    colons = [k for k, t in enumerate(tokens[:-2]) if t in (":", "->") and tokens[k + 1] == " "]
    if not colons:
        return None
    tokens.insert(r.choice(colons) + 2, "*")
    return tokens


def argument_gone(r: random.Random, tokens: Tokens) -> Tokens | None:
    """f x y -> f y."""
    atoms = _atoms(tokens)
    if not atoms:
        return None
    start, end = r.choice(atoms)
    return tokens[:start] + tokens[end:]


def arguments_swapped(r: random.Random, tokens: Tokens) -> Tokens | None:
    """f x y -> f y x."""
    ends = dict(_atoms(tokens))
    found = [
        (a, b, b + 1, ends[b + 1])
        for a, b in ends.items()
        if b < len(tokens) and tokens[b] == " " and b + 1 in ends
    ]
    if not found:
        return None
    a, b, c, d = r.choice(found)
    return tokens[:a] + tokens[c:d] + tokens[b:c] + tokens[a:b] + tokens[d:]


def other_argument(r: random.Random, tokens: Tokens) -> Tokens | None:
    """An expression takes the place of another."""
    atoms = _atoms(tokens)
    if not atoms:
        return None
    (a, b), (c, d) = r.choice(atoms), r.choice(atoms)
    return tokens[:a] + tokens[c:d] + tokens[b:]


def around(r: random.Random, tokens: Tokens) -> Tokens | None:
    """x -> f x."""
    atoms = _atoms(tokens)
    if not atoms:
        return None
    a, b = r.choice(atoms)
    inner = "".join(tokens[a:b])
    return [*tokens[:a], r.choice(AROUND).replace("{}", inner), *tokens[b:]]


def annotation_gone(r: random.Random, tokens: Tokens) -> Tokens | None:
    """(x: t) -> (x), def f … : t = -> def f … =."""
    colons = [k for k, t in enumerate(tokens) if t == ":"]
    if not colons:
        return None
    k, depth = r.choice(colons), 0
    for j in range(k, len(tokens)):
        depth += (tokens[j] in PARENTHESES) - (tokens[j] in PARENTHESES.values())
        if depth < 0 or (depth == 0 and tokens[j] in ("=", "\n")):
            return tokens[:k] + tokens[j:]
    return None


def definition_gone(r: random.Random, tokens: Tokens) -> Tokens | None:
    """type t = u -> type t."""
    equals = [k for k, t in enumerate(tokens) if t == "=" and "type" in tokens[max(k - 6, 0) : k]]
    if not equals:
        return None
    k = r.choice(equals)
    ends = [j for j in range(k, len(tokens)) if "\n" in tokens[j] or tokens[j] in ("}", "val")]
    return tokens[:k] + tokens[min(ends, default=len(tokens)) :]


def line_gone(r: random.Random, tokens: Tokens) -> Tokens | None:
    """A line less."""
    lines = "".join(tokens).split("\n")
    del lines[r.randrange(len(lines))]
    return TOKEN.findall("\n".join(lines))


def lines_swapped(r: random.Random, tokens: Tokens) -> Tokens | None:
    """Two lines take each other's place, or one is there twice."""
    lines = "".join(tokens).split("\n")
    a, b = r.randrange(len(lines)), r.randrange(len(lines))
    if r.random() < 0.5:
        lines[a], lines[b] = lines[b], lines[a]
    else:
        lines.insert(a, lines[b])
    return TOKEN.findall("\n".join(lines))


MUTATIONS: tuple[Mutation, ...] = (
    other_name, other_name, other_scalar, other_operator, other_literal, other_size, other_size,
    size_added, star, argument_gone, arguments_swapped, arguments_swapped, other_argument, around,
    around, annotation_gone, definition_gone, line_gone, lines_swapped,
)  # fmt: skip
