"""Generated Core programs with recursive data: types, builders, folds and rebuilders.

    data T = #c0 … | #c1 i64 T …                      one or two types, which may contain each other
    def make_T : i64 -> i64 -> T                      a value from a depth and a seed
    def fold_T : T -> i64                             all of a value, with multipliers that tell
    def change_T : T -> i64 -> T                      the places of its parts apart; a changed value
    entry main                                        values in arrays, loops, kernels; ``equal``

``generated(seed)`` is the text of a program, ``calls(seed)`` its calls.
"""

import random
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from tests.support.core_judge import Call

TYPES = ("i64", "bool", "f64", "i8")


@frozen
class Shape:
    """A constructor: its name, and the types of its payload; a tuple is one argument."""

    name: str
    payload: tuple[str | tuple[str, ...], ...]


def _shapes(r: random.Random, own: str, names: Sequence[str]) -> list[Shape]:
    """Return the constructors of a type; the first one ends a value."""
    out = [Shape(f"{own}0", tuple(r.choice(TYPES) for _ in range(r.choice((0, 0, 1)))))]
    for k in range(1, r.randint(2, 4)):
        leaves = [r.choice((*TYPES, *names)) for _ in range(r.randint(0, 2))]
        if k == 1:
            leaves.append(r.choice(names))
        r.shuffle(leaves)
        if leaves and r.random() < 0.3:
            out.append(Shape(f"{own}{k}", (tuple(leaves),) if len(leaves) > 1 else tuple(leaves)))
        else:
            out.append(Shape(f"{own}{k}", tuple(leaves)))
    return out


def _type(t: str | tuple[str, ...]) -> str:
    return t.upper() if t in ("t", "u") else str(t) if isinstance(t, str) else _tuple(map(_type, t))


def _tuple(parts: "object") -> str:
    assert not isinstance(parts, str)
    return f"({', '.join(parts)})"  # type: ignore[arg-type]


class _Program:
    """The text of one program."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.names = ["t", "u"][: self.r.randint(1, 2)]
        self.shapes = {x: _shapes(self.r, x, self.names) for x in self.names}

    def text(self) -> str:
        out = [self._data(x) for x in self.names]
        for x in self.names:
            out += [self._make(x), self._fold(x), self._change(x)]
        return "\n".join([*out, self._main()])

    def _data(self, x: str) -> str:
        return f"data {x.upper()} = " + " | ".join(
            " ".join([f"#{s.name}", *map(_type, s.payload)]) for s in self.shapes[x]
        )

    # ------------------------------------------------------------------ make

    def _value(self, t: str | tuple[str, ...], k: int) -> str:
        if isinstance(t, tuple):
            return _tuple(self._value(u, k + j) for j, u in enumerate(t))
        made = {
            "i64": f"(s % {k + 5} - {k})",
            "bool": f"(s % {k + 2} == 1)",
            "f64": f"(f64(s % {k + 7}) * 0.5f64)",
            "i8": f"i8(s % {k + 3})",
        }
        return made.get(t) or f"(@make_{t} (d - 1) (s * {2 * k + 3} + {k}))"

    def _make(self, x: str) -> str:
        cases = [
            " ".join([f"#{s.name}", *(self._value(t, j + i) for i, t in enumerate(s.payload))])
            + f" : {x.upper()}"
            for j, s in enumerate(self.shapes[x])
        ]
        body = cases[0]
        for j, case in enumerate(cases[1:], 1):
            body = f"if s % {len(cases)} == {j} then {case} else {body}"
        return (
            f"def make_{x} : i64 -> i64 -> {x.upper()} = \\(d : i64) (s : i64) ->"
            f" if d <= 0 then {cases[0].replace('(d - 1)', '(-1)')} else {body}"
        )

    # ------------------------------------------------------------------ fold, change

    def _arm(self, s: Shape, body: str) -> str:
        binders = "".join(f" (p{j} : {_type(t)})" for j, t in enumerate(s.payload))
        return f"#{s.name}{binders} -> {body};"

    def _number(self, t: str | tuple[str, ...], e: str, k: int) -> str:
        if isinstance(t, tuple):
            return " + ".join(self._number(u, f"{e}.{j}", k + j) for j, u in enumerate(t))
        number = {
            "i64": e,
            "bool": f"(if {e} then 2 else 5)",
            "f64": f"i64({e} * 4.0f64)",
            "i8": f"i64({e})",
        }
        return f"{k + 2} * {number.get(t) or f'(@fold_{t} {e})'}"

    def _fold(self, x: str) -> str:
        arms: list[str] = []
        for j, s in enumerate(self.shapes[x]):
            terms = [self._number(t, f"p{i}", i + j) for i, t in enumerate(s.payload)]
            self.r.shuffle(terms)
            arms.append(self._arm(s, " + ".join([str(j + 1), *terms])))
        return f"def fold_{x} : {x.upper()} -> i64 = \\(v : {x.upper()}) -> match v {{ " + (
            " ".join(arms) + " }"
        )

    def _changed(self, t: str | tuple[str, ...], e: str) -> str:
        if isinstance(t, tuple):
            return _tuple(self._changed(u, f"{e}.{j}") for j, u in enumerate(t))
        if t == "i64":
            return f"({e} + k)"
        if t in self.names and self.r.random() < 0.8:
            return f"(@change_{t} {e} (k + 1))"
        return e

    def _change(self, x: str) -> str:
        arms: list[str] = []
        shapes = self.shapes[x]
        for s in shapes[: len(shapes) - self.r.randint(0, 1)]:
            new = [self._changed(t, f"p{i}") for i, t in enumerate(s.payload)]
            body = " ".join([f"#{s.name}", *new]) + f" : {x.upper()}"
            if self.r.random() < 0.3:
                body = f"if k % 2 == 0 then {body} else v"
            arms.append(self._arm(s, body))
        if len(arms) < len(shapes):
            arms.append("_ -> v;")
        return (
            f"def change_{x} : {x.upper()} -> i64 -> {x.upper()} = "
            f"\\(v : {x.upper()}) (k : i64) -> match v {{ {' '.join(arms)} }}"
        )

    # ------------------------------------------------------------------ main

    def _main(self) -> str:
        r, x = self.r, self.r.choice(self.names)
        t = x.upper()
        shape = r.choice(self.shapes[x])
        simple = " ".join([f"#{shape.name}", *(self._simple(u) for u in shape.payload)])
        arrays = (
            f"map (\\(i : i64) -> @make_{x} d (i + s)) (iota n 0 1)",
            f"map (\\(i : i64) -> {simple} : {t}) (iota n 0 1)",
            f"map (\\(i : i64) -> if i % 2 == 0 then {simple} : {t} else v0) (iota n 0 1)",
            f"loop (vs : []{t}) = replicate n v0 for i < n do "
            f"update [i] vs (@change_{x} vs[(i + 1) % n] i)",
            f"filter (\\(v : {t}) -> (@fold_{x} v) % 3 != 0) (map (\\(i : i64) -> "
            f"@change_{x} v0 i) (iota n 0 1))",
            f"scan (\\(a : {t}) (b : {t}) -> @change_{x} b (@fold_{x} a)) (v0) "
            f"(map (\\(i : i64) -> @make_{x} d i) (iota n 0 1))",
        )
        return f"""
entry main (n : i64) (d : i64) (s : i64) : ([]i64, i64, bool, []i64) =
  let (v0 : {t}) = @make_{x} d s
  let (vs : []{t}) = {r.choice(arrays)}
  let (w : {t}) = loop (w : {t}) = v0 for i < n do @change_{x} w i
  in (map (\\(v : {t}) -> @fold_{x} v) (vs), @fold_{x} w, equal w v0,
      map (\\(i : i64) -> @fold_{x} (@change_{x} (@make_{x} 2 i) s)) (iota n 0 1))"""

    def _simple(self, t: str | tuple[str, ...]) -> str:
        if isinstance(t, tuple):
            return _tuple(map(self._simple, t))
        made = {"i64": "(i * 3)", "bool": "(i == 1)", "f64": "(f64(i) * 0.25f64)", "i8": "i8(i)"}
        first = f"(@change_{t} v0 1)" if len(self.names) == 1 else f"(@make_{t} 1 i)"
        return made.get(t) or self.r.choice((first, f"(@make_{t} 2 s)"))


def generated(seed: int) -> str:
    """Return the text of a program."""
    return _Program(seed).text()


def calls(seed: int) -> list[Call]:
    """Return calls of the program."""
    r = random.Random(seed)
    fixed = [(0, 1, 2), (1, 0, 0), (3, 3, r.randint(0, 99)), (5, 2, r.randint(0, 99))]
    return [Call("main", tuple(np.int64(x) for x in args)) for args in fixed]
