"""The Futhark data format, text and binary: values outside of programs.

    5   -3i32   0x1Fu8   1.5   1e-3f32   f32.nan   -f64.inf   true
    [1i32, 2i32]   [[1.0, 2.0], [3.0, 4.0]]   empty([0][3]f32)

The package ``futhark-data`` reads and writes the binary form.  It is not used for the text form:
it prints only six digits of a float, cannot read the NaNs and infinities that it prints, takes a
minute for a million numbers, and for empty arrays calls a function that numpy 2 lacks.  A test
compares the two implementations where both work.

A number without a suffix gets the parameter's type.  Futhark's own tools are stricter, and test
comments follow them: see :class:`_Exact`.
"""

import io
import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn, TypeAlias

import futhark_data
import numpy as np

from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, InputError, Span
from funmem.ir.scalars import BOOL, F64, I32, U8, ScalarType, normalise
from funmem.ir.scalars import Value as ScalarValue
from funmem.ir.scalars import read as read_literal
from funmem.ir.values import ArgValue, Data, dtype, elem_type, holdable

Nested: TypeAlias = "Literal | list[Nested]"
NESTING = 32
"""The maximum number of dimensions of an array, as in numpy."""
LONGEST = 1000
"""The maximum number of characters of a number, as in programs."""


class Literal(NamedTuple):
    """A number or truth value; its type is None if it has no suffix."""

    value: ScalarValue
    type: ScalarType | None


# ---------------------------------------------------------------------- reading


def read_all(
    content: bytes,
    name: str,
    *,
    start: int = 0,
    exact: bool = False,
    types: Sequence[ScalarType] = (),
) -> list[ArgValue]:
    """Return all values of a file, whose forms may be mixed.

    Arrays whose numbers have suffixes become numpy arrays; the others become lists of Python
    numbers.  If ``exact``, all values are numpy's, and ``types`` are the types of numbers without a
    suffix in the first, second, … value.  ``name`` is the source's name in messages; ``start`` is
    the offset of the first value in bytes.  Raises InputError.
    """
    values: list[ArgValue] = []
    pos = _skip(content, start)
    while pos < len(content):
        if content.startswith(b"b\2", pos):
            value, pos = _binary(content, pos, name)
        elif exact:
            wanted = types[len(values)] if len(values) < len(types) else None
            value, pos = _Exact(content, pos, name, wanted).value()
        else:
            value, pos = _Text(content, pos, name).value()
        values.append(value)
        pos = _skip(content, pos)
    return values


_SPACE = re.compile(rb"(?:\s+|--[^\n]*)*")


def _skip(content: bytes, pos: int) -> int:
    m = _SPACE.match(content, pos)
    return m.end() if m else pos


def _binary(content: bytes, pos: int, name: str) -> tuple[ArgValue, int]:
    stream = io.BytesIO(content)
    stream.seek(pos)
    try:
        array = futhark_data.Reader(stream).value()
    except (ValueError, OverflowError, MemoryError, futhark_data.struct.error) as error:
        raise bad(f"{name}: broken binary value at byte {pos}: {error}") from None
    if array.dtype == np.bool_:
        array = array.view(np.uint8) != 0  # any non-zero byte is true
    return array[()] if array.ndim == 0 else array, stream.tell()


class _Text:
    """Reads one value in text form."""

    _TOKEN = re.compile(rb"[\[\](),]|[^\s\[\](),]+")
    _TYPED = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?[iuf]\d+")
    _NUMBER = re.compile(r"(-?)(?:0x([0-9a-f_]+)|0b([01_]+))([iu](?:8|16|32|64))?", re.I)
    _HEX_FLOAT = re.compile(r"(-?0x[0-9a-f]+\.[0-9a-f]+p[+-]?\d+)(f16|f32|f64)?", re.I)
    _UNTYPED = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?", re.I)

    def __init__(self, content: bytes, pos: int, name: str) -> None:
        self._content, self._pos, self._name = content, pos, name
        self._start = pos

    def value(self) -> tuple[ArgValue, int]:
        """Return the value, and the offset of its end."""
        token = self._next()
        if token == "empty":
            return self._empty(), self._pos
        item = self._item(token, 0)
        found = self._scalar(*item) if isinstance(item, Literal) else self._array(item)
        return found, self._pos

    def fail(self, message: str) -> NoReturn:
        """Raise InputError at the last token."""
        before = self._content[: self._start].decode("utf-8", "replace")
        line, col = before.count("\n") + 1, len(before) - before.rfind("\n")
        at = Span(self._name, line, col, col + max(1, self._pos - self._start))
        raise bad(message, at)

    def _next(self) -> str:
        self._start = _skip(self._content, self._pos)
        m = self._TOKEN.match(self._content, self._start)
        if m is None:
            self._pos = self._start
            self.fail("the value ends too early")
        self._pos = m.end()
        return m[0].decode("utf-8", "replace")

    def _expect(self, token: str) -> None:
        if (found := self._next()) != token:
            self.fail(f"expected `{token}`, found `{found}`")

    def _item(self, token: str, depth: int) -> Nested:
        """Return a number, or the elements after an opening bracket."""
        return self._list(depth + 1) if token == "[" else self._literal(token)

    def _list(self, depth: int) -> list[Nested]:
        """Return the elements after `[`, and consume `]`."""
        if depth > NESTING:
            self.fail(f"an array has at most {NESTING} dimensions")
        items: list[Nested] = []
        token = self._next()
        while token != "]":
            items.append(self._item(token, depth))
            token = self._next()
            if token == ",":
                token = self._next()
            elif token != "]":
                self.fail(f"expected `,` or `]`, found `{token}`")
        return items

    def _empty(self) -> Data:
        self._expect("(")
        shape: list[int] = []
        while (token := self._next()) == "[":
            size = self._next()
            if not size.isdecimal():
                self.fail(f"expected a size, found `{size}`")
            if len(size) > 18:
                self.fail("a size has at most 18 digits")
            shape.append(int(size))
            self._expect("]")
        t = _SCALARS.get(token)
        if t is None:
            self.fail(f"expected an element type, found `{token}`")
        if 0 not in shape or len(shape) > NESTING:
            self.fail("an empty array has a dimension of size 0")
        self._expect(")")
        try:
            holdable(shape, t)
        except DeviceError as e:
            self.fail(e.diagnostic.message)
        return np.empty(shape, dtype(t))

    def _literal(self, token: str) -> Literal:
        """Return a number or truth value, with or without a suffix."""
        if len(token) > LONGEST:
            self.fail(f"a number has at most {LONGEST} characters")
        try:
            if self._TYPED.fullmatch(token):  # the most frequent case
                return Literal(*read_literal(token))
            text = re.sub(r"(?<=[0-9a-fA-F])_+", "", token)
            if (m := self._HEX_FLOAT.fullmatch(text)) is not None:
                t = _SCALARS.get(m[2])
                value = _from_hex(m[1])
                return Literal(value if t is None else normalise(value, t), t)
            if (m := self._NUMBER.fullmatch(text)) is not None:
                digits = int(m[2], 16) if m[2] else int(m[3], 2)
                text = f"{m[1]}{digits}{m[4] or ''}"
            if (m := self._UNTYPED.fullmatch(text)) is not None:
                return Literal(float(text) if m[1] or m[2] else int(text), None)
            return Literal(*read_literal(text.lower()))
        except ValueError as error:
            self.fail(str(error) if "range" in str(error) else f"`{clip(token)}` is not a value")

    def _scalar(self, value: ScalarValue, t: ScalarType | None) -> ArgValue:
        """Return a Python number if there is no suffix, else numpy's scalar."""
        return value if t is None else dtype(t).type(value)

    def _array(self, items: list[Nested]) -> ArgValue:
        """Return a numpy array if any element has a suffix, else nested lists of numbers."""
        types = {x.type for x in _leaves(items)}
        typed = types - {None}
        if len(typed) > 1:
            names = " and ".join(sorted(map(str, typed)))
            self.fail(f"the elements of an array have different types: {names}")
        if not typed:
            return _values(items)
        (t,) = typed
        assert t is not None
        return self._filled(self._typed(items, t) if None in types else _values(items), t)

    def _typed(self, items: list[Nested], t: ScalarType) -> list[ArgValue]:
        """Return the numbers; those without a suffix are converted like arguments of type ``t``."""
        return [self._cell(x, t) if isinstance(x, Literal) else self._typed(x, t) for x in items]

    def _cell(self, x: Literal, t: ScalarType) -> ScalarValue:
        if x.type is not None:
            return x.value
        if t is BOOL:
            self.fail("an array of bool holds a number")
        if type(x.value) is float and not t.is_float:
            self.fail(f"an array of {t} holds a number with a fraction")
        value = normalise(x.value, t)
        if value != x.value if t.is_int else math.isinf(value) and not _is_infinite(x.value):
            self.fail(f"an element is out of range for {t}")
        return value

    def _filled(self, values: list[ArgValue], t: ScalarType) -> ArgValue:
        """Return an array; a list of arrays, or of lists, if rows have different lengths."""
        try:
            return np.array(values, dtype(t))
        except ValueError:
            rows = [x for x in values if isinstance(x, list)]
            if len(rows) < len(values) or len(set(_depths(values))) > 1:
                self.fail("the rows of an array have different numbers of dimensions")
            return [self._filled(x, t) for x in rows]


def _depths(values: Sequence[ArgValue], depth: int = 1) -> Iterator[int]:
    """Yield for each number in nested lists how many lists it is in."""
    for x in values:
        if isinstance(x, list):
            yield from _depths(x, depth + 1)
        else:
            yield depth


class _Exact(_Text):
    """Reads one value as Futhark's tools do: no type depends on a parameter.

    In files that programs read, a number without a suffix has the type ``wanted``; a number with a
    fraction is then not an integer, and a number is not a truth value.  In test comments,
    ``wanted`` is None; the number is an i32, or an f64 if it has a fraction or an exponent.
    The first element of an array determines the type of the others.  Integers wrap around:
    0xFFFFFFFF is -1.  A text in quotes is an array of its bytes.
    """

    _TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\](),]|[^\s\[\](),"]+|"')
    _INTEGER = re.compile(r"([+-]?)(0x[0-9a-f_]+?|0b[01_]+|[0-9][0-9_]*)([iu](?:8|16|32|64))?")
    _REAL = re.compile(r"([+-]?)([0-9][0-9_]*(?:\.[0-9_]+)?(?:e[+-]?[0-9]+)?)(f16|f32|f64)?")

    def __init__(
        self, content: bytes, pos: int, name: str, wanted: ScalarType | None = None
    ) -> None:
        super().__init__(content, pos, name)
        self._wanted = wanted

    def _type(self, x: Literal) -> ScalarType:
        """Return the type of a number, or of an array that begins with it."""
        t = self._wanted
        if x.type is not None or t in (None, BOOL) or type(x.value) is bool:
            return x.type or _default(x.value)
        assert t is not None
        return t if t.is_float or type(x.value) is int else _default(x.value)

    def _item(self, token: str, depth: int) -> Nested:
        if not token.startswith('"') or len(token) < 2:
            return super()._item(token, depth)
        try:
            content = _ESCAPE.sub(_escaped, token[1:-1])
        except (ValueError, OverflowError):
            self.fail(f"`{clip(token)}` has an invalid escape sequence")
        return [Literal(c, U8) for c in content.encode()]

    def _literal(self, token: str) -> Literal:
        text = token.lower()
        if len(text) > LONGEST:
            return super()._literal(token)
        if (m := self._INTEGER.fullmatch(text)) is not None:
            base = {"0x": 16, "0b": 2}.get(m[2][:2], 10)
            value = int(m[1] + m[2].replace("_", ""), base)
            return Literal(value, _SCALARS.get(m[3]))
        if (m := self._REAL.fullmatch(text)) is not None:
            number = (m[1] + m[2]).replace("_", "").removeprefix("+")
            return Literal(*read_literal(number + m[3])) if m[3] else Literal(float(number), None)
        return super()._literal(token)

    def _scalar(self, value: ScalarValue, t: ScalarType | None) -> ArgValue:
        kind = self._type(Literal(value, t))
        return dtype(kind).type(normalise(value, kind))

    def _array(self, items: list[Nested]) -> ArgValue:
        first = next(_leaves(items), None)
        if first is None and not items and self._content.startswith(b'""', self._start):
            return np.empty(0, dtype(U8))
        if first is None:
            self.fail("an empty array needs its type: empty([0]i32)")
        t = self._type(first)
        for x in _leaves(items):
            if x.type not in (None, t) or (x.type is None and t is BOOL):
                another = x.type or _default(x.value)
                self.fail(
                    f"the first element of the array has type {t}, another has type {another}"
                )
            if type(x.value) is float and not t.is_float:
                self.fail(f"an array of {t} holds a number with a fraction")
        return self._filled(_values(items, t), t)


def _from_hex(text: str) -> float:
    """Return the value of a hexadecimal float; one that is too large is an infinity."""
    try:
        return float.fromhex(text)
    except OverflowError:
        return -math.inf if text.startswith("-") else math.inf


def _is_infinite(value: ScalarValue) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _default(value: ScalarValue) -> ScalarType:
    """Return the type of a number without a suffix."""
    return F64 if type(value) is float else I32


_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]+|o[0-7]+|[0-9]+|.)", re.DOTALL)
_ESCAPES = dict(zip("abfnrtv\\\"'", "\a\b\f\n\r\t\v\\\"'", strict=True))


def _escaped(m: re.Match[str]) -> str:
    """Return the character of an escape sequence.  Raises ValueError, OverflowError."""
    sequence = m[1]
    if sequence[0].isdecimal():
        return chr(int(sequence))
    if len(sequence) > 1:
        return chr(int(sequence[1:], 16 if sequence[0] == "x" else 8))
    if sequence not in _ESCAPES:
        raise ValueError(sequence)
    return _ESCAPES[sequence]


_SCALARS: dict[str | None, ScalarType] = {str(t): t for t in ScalarType}


def _leaves(items: Sequence[Nested]) -> Iterator[Literal]:
    for x in items:
        if isinstance(x, Literal):
            yield x
        else:
            yield from _leaves(x)


def _values(items: Sequence[Nested], t: ScalarType | None = None) -> list[ArgValue]:
    """Return the numbers; if ``t`` is given, they wrap around to it."""
    if t is None:
        return [x.value if isinstance(x, Literal) else _values(x) for x in items]
    return [normalise(x.value, t) if isinstance(x, Literal) else _values(x, t) for x in items]


def clip(text: str, most: int = 40) -> str:
    """Return a text for a message, cut to ``most`` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


SPELLING = (
    "values look like 5, 2.5f32, [1i32, 2i32], [[1.0, 2.0]] or empty([0]f32), "
    "or the name of an existing file"
)


def bad(message: str, at: Span = NOWHERE, hint: str = SPELLING) -> InputError:
    """Return an InputError about values."""
    return InputError(Diagnostic(at, "values", message, hint))


# ---------------------------------------------------------------------- writing


def show_array(
    data: Data, undefined: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None
) -> str:
    """Return an array's text, each number with the fewest digits that read back exactly.

    An element that was never written is ``undefined``; the format itself has no word for it.
    """
    t = elem_type(data.dtype)
    assert t is not None
    if not data.size:
        return f"empty({''.join(f'[{n}]' for n in data.shape)}{t})"
    words = [_spell(x, t) for x in data.ravel().astype(str).tolist()]
    if undefined is not None:
        words = ["undefined" if u else w for w, u in zip(words, undefined.ravel(), strict=True)]
    for n in reversed(data.shape):
        words = [f"[{', '.join(words[k : k + n])}]" for k in range(0, len(words), n)]
    return words[0]


def show_scalar(v: ScalarValue, t: ScalarType) -> str:
    """Return a scalar's text."""
    return _spell(str(np.array(v, dtype(t))), t)


def _spell(text: str, t: ScalarType) -> str:
    """Convert numpy's text of a scalar to the format's spelling."""
    match text:
        case "True" | "False":
            return text.lower()
        case "nan" | "inf":
            return f"{t}.{text}"
        case "-inf":
            return f"-{t}.inf"
        case _:
            return f"{text}{t}".replace("e+", "e")


def write_binary(data: Data) -> bytes:
    """Return an array or a 0-dimensional scalar in binary form."""
    return bytes(futhark_data.dumpb(np.ascontiguousarray(data).reshape(data.shape)))
