"""Values of records, tuples and sums as text and as JSON.

    value  =  #name atom …  |  atom
    atom   =  number | #name | (value) | (value, …) | {label = value, …} | [value, …] | "text"

    #cons 1 (#cons 2 #nil)      {"constructor": "cons", "payload": [1, {"constructor": …}]}

Numbers are in the Futhark data format.  A text is an array of its bytes.  Values may be deep:
nothing here recurses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from funmem.ir.diagnostics import Diagnostic, InputError, Span
from funmem.values.futhark_data import read_all, show_array
from funmem.values.variants import Variant

_TOKEN = re.compile(
    r"""(?:\s+|--[^\n]*)*(?:(?P<name>\#[^\s\[\](){},\#"=]+)|(?P<label>[A-Za-z_][\w']*)\s*[=:]
    |(?P<empty>empty\([^)]*\))|(?P<text>"(?:[^"\\]|\\.)*")|(?P<sign>[\[\](){},])
    |(?P<number>[^\s\[\](){},\#"=]+)|(?P<end>\Z))""",
    re.VERBOSE,
)
_MARK = re.compile(r'[#{"]|(?<!empty)\(')
_SIGN = re.compile(
    r"""--[^\n]*|(?P<text>"(?:[^"\\]|\\.)*")|empty\s*\(|(?P<sure>[#{]|\(\s*\))|[\[\](),]"""
)

CLOSING = {"[": "]", "(": ")", "{": "}"}


def is_nested(text: str, *, texts: bool) -> bool:
    """True if a text has a constructor, a record or a tuple, which the Futhark data format has not.

    A number in parentheses is none of them.  If ``texts``, a text in quotes counts too: only the
    values of test comments may be texts in the Futhark data format.  Binary values are not nested.
    """
    if _MARK.search(text) is None or "b\2" in text:
        return False
    opened: list[str] = []
    for m in _SIGN.finditer(text):
        sign = m[0]
        if m["sure"] or (m["text"] and texts) or (sign == "," and opened[-1:] == ["("]):
            return True
        if sign in CLOSING or sign.startswith("empty"):
            opened.append(sign)
        elif sign in ("]", ")") and opened:
            opened.pop()
    return False


def read_literals(text: str, name: str, line: int = 1) -> list[Any]:
    """Return the values in a text, which is called ``name`` and begins at a line.

    Raises InputError.
    """
    return _Reader(text, name, line).values()


class _Open:
    """A value that is being read: what it began with, and the values so far."""

    def __init__(self, sign: str) -> None:
        self.sign, self.items = sign, list[Any]()
        self.labels: list[str] = []
        self.commas = 0


class _Reader:
    """Reads values from left to right; ``_open`` are those that are not complete."""

    def __init__(self, text: str, name: str, line: int) -> None:
        self._text, self._name, self._line, self._pos = text, name, line, 0
        self._start = 0
        self._open = [_Open("")]

    def values(self) -> list[Any]:
        """Return all values."""
        while True:
            m = _TOKEN.match(self._text, self._pos)
            if m is None or m.lastgroup is None:
                self._start = self._pos
                self._fail("this is no value")
            self._start, self._pos = m.start(m.lastgroup), m.end()
            word = m[m.lastgroup]
            match m.lastgroup:
                case "end":
                    self._close_names()
                    if len(self._open) > 1:
                        self._fail(f"`{self._open[-1].sign}` is not closed")
                    return self._open[0].items
                case "name":
                    self._open.append(_Open(word))
                case "label":
                    self._label(word)
                case "sign":
                    self._sign(word)
                case "text":
                    self._item(np.frombuffer(json.loads(word).encode(), np.uint8))
                case _:
                    (value,) = read_all(word.encode(), self._name)
                    self._item(value)

    def _item(self, value: Any) -> None:
        """Add a value to the innermost one that is not complete."""
        here = self._open[-1]
        listed = here.sign in CLOSING and len(here.items) > here.commas
        if listed:
            self._fail("expected `,`")
        here.items.append(value)

    def _label(self, word: str) -> None:
        here = self._open[-1]
        if here.sign != "{" or len(here.labels) > len(here.items):
            self._fail("a label is only in a record")
        here.labels.append(word)

    def _sign(self, sign: str) -> None:
        if sign in CLOSING:
            self._open.append(_Open(sign))
            return
        self._close_names()
        here = self._open[-1]
        if sign == ",":
            if here.sign not in CLOSING or len(here.items) != here.commas + 1:
                self._fail("expected a value, found `,`")
            here.commas += 1
            return
        if CLOSING.get(here.sign) != sign:
            self._fail(f"`{sign}` closes nothing")
        self._open.pop()
        self._item(self._whole(here))

    def _close_names(self) -> None:
        """Complete constructors: what follows them is not part of their payload."""
        while self._open[-1].sign.startswith("#"):
            here = self._open.pop()
            outer = self._open[-1]
            if outer.sign.startswith("#"):  # an atom in the payload of another constructor
                outer.items.append(Variant(here.sign[1:]))
                outer.items += here.items
                continue
            self._item(Variant(here.sign[1:], *here.items))

    def _whole(self, here: _Open) -> Any:
        match here.sign:
            case "[":
                return here.items
            case "{":
                if len(here.labels) != len(here.items):
                    self._fail("a record has a label for each value: {x = 1, y = 2}")
                return dict(zip(here.labels, here.items, strict=True))
            case _:
                single = len(here.items) == 1 and not here.commas
                return here.items[0] if single else tuple(here.items)

    def _fail(self, message: str) -> NoReturn:
        before = self._text[: self._start]
        line = self._line + before.count("\n")
        column = len(before) - (before.rfind("\n") + 1) + 1
        at = Span(self._name, line, column, column + max(1, self._pos - self._start))
        raise InputError(Diagnostic(at, "input", message, "a value: #some 3, (1, 2), {x = 1}"))


# ---------------------------------------------------------------------- writing


def show_literal(value: Any) -> str:
    """Return a value as text, which reads back as the same value."""
    return "".join(_shown(value))


def _shown(value: Any) -> Iterator[str]:
    """Yield the pieces of a value; texts on the stack are pieces themselves."""
    todo: list[tuple[Any, bool] | str] = [(value, False)]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            yield one
            continue
        x, inside = one
        match x:
            case Variant(name, payload):
                pieces: list[tuple[Any, bool] | str] = [f"#{name}"]
                for y in payload:
                    pieces += [" ", (y, True)]
                todo += reversed(["(", *pieces, ")"] if inside and payload else pieces)
            case dict() | tuple() if (fields := _fields(x)) is not None:
                named = [(f"{label} = ", y) for label, y in fields.items()]
                todo += reversed(["{", *_listed(named), "}"])
            case tuple():
                end = ",)" if len(x) == 1 else ")"
                todo += reversed(["(", *_listed([("", y) for y in x]), end])
            case list():
                todo += reversed(["[", *_listed([("", y) for y in x]), "]"])
            case np.ndarray():
                yield show_array(x, None)
            case bool() | np.bool_():
                yield "true" if x else "false"
            case _:
                yield str(x)


def _listed(items: list[tuple[str, Any]]) -> Iterator[tuple[Any, bool] | str]:
    for k, (before, y) in enumerate(items):
        yield f"{', ' if k else ''}{before}"
        yield y, False


def from_json(x: Any) -> Any:
    """Return what JSON stands for: objects with ``constructor`` and ``payload`` are Variants."""
    done: dict[int, Any] = {}
    todo: list[tuple[Any, bool]] = [(x, False)]
    while todo:
        y, ready = todo.pop()
        if not isinstance(y, dict | list) or id(y) in done:
            continue
        inner = list(y.values()) if isinstance(y, dict) else y
        if isinstance(y, dict) and y.keys() == {"constructor", "payload"}:
            inner = y["payload"]
        if not ready:
            todo += [(y, True), *((z, False) for z in inner)]
            continue
        made = [done.get(id(z), z) for z in inner]
        if isinstance(y, list):
            done[id(y)] = made
        elif y.keys() == {"constructor", "payload"}:
            done[id(y)] = Variant(y["constructor"], *made)
        else:
            done[id(y)] = dict(zip(y, made, strict=True))
    return done.get(id(x), x)


def to_json(x: Any) -> Any:
    """Return a value as JSON has it; see :func:`from_json`."""
    root: list[Any] = [None]
    todo: list[tuple[Any, Any, Any]] = [(x, root, 0)]
    while todo:
        y, where, key = todo.pop()
        new: Any
        match y:
            case Variant(name, payload):
                new = {"constructor": name, "payload": [None] * len(payload)}
                todo += [(z, new["payload"], k) for k, z in enumerate(payload)]
            case dict() | tuple() if (fields := _fields(y)) is not None:
                new = dict.fromkeys(fields)
                todo += [(z, new, label) for label, z in fields.items()]
            case tuple() | list():
                new = [None] * len(y)
                todo += [(z, new, k) for k, z in enumerate(y)]
            case np.ndarray():
                new = y.tolist()
            case _:
                new = y.item() if isinstance(y, np.generic) else y
        where[key] = new
    return root[0]


def _fields(value: Any) -> dict[str, Any] | None:
    """Return a record's values by label: of a dict, or of a named tuple; else None."""
    if isinstance(value, dict):
        return value
    if isinstance(value, tuple) and (labels := getattr(value, "_fields", None)) is not None:
        return dict(zip(labels, value, strict=True))
    return None
