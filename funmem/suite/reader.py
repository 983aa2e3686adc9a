"""Read test comments.

A block begins with a line ``-- ==`` and continues while lines begin with ``--`` in column 1 (or
with the front end's other comment marker):

    first      =  ["tags" "{" TAG* "}"] ("error:" REGEX | cases structure* warning*)
    later      =  cases
    cases      =  ["entry:" NAME* NEWLINE] case*
    case       =  [STRING] TAG* "input" values [result]
                  the tag `random`: "input" "{" (TYPE | NUMBER)* "}"
                  the tag `script`: "input" ("{" SCRIPT "}" | "@" FILE)
    result     =  "output" values | "auto" "output" | "error:" REGEX
    values     =  "{" VALUE* "}" | "@" FILE
    structure  =  "structure" [STAGE] "{" (NODE COUNT)* "}"
    warning    =  "warning:" REGEX

A regular expression extends to the end of its line.  A malformed test comment is an error: it is
never skipped, since a test that silently does not run is worse than none.
"""

import re
from typing import Any, NoReturn

import numpy as np

from funmem.ir.diagnostics import Diagnostic, InputError, SourceError, Span
from funmem.ir.scalars import SCALARS, ScalarType
from funmem.ir.values import ArgValue
from funmem.suite.posix import posix
from funmem.suite.spec import (
    AutoOutput,
    Block,
    Case,
    Count,
    Expected,
    InFile,
    Inline,
    Input,
    Message,
    Output,
    Random,
    RandomValue,
    Script,
    Source,
    Spec,
    Success,
)
from funmem.values.futhark_data import read_all
from funmem.values.literals import is_nested, read_literals

STAGES = ("gpu-mem", "gpu", "mc-mem", "mc", "seq-mem", "internalised")
VALUES = "values are written { 5 [1.0, 2.0] } or @ FILE"


def read_spec(text: str, name: str, marker: str = "--") -> Spec:
    """Return the test comments of a program.  ``name`` is its name in messages, ``marker`` begins
    a comment.  Raises SourceError.
    """
    comments = _comments(text, name, marker)
    if not comments:
        return Spec()
    spec, rest = comments[0].first(), comments[1:]
    if rest and spec.rejected is not None:
        rest[0].fail("a program that must not compile has a single test comment")
    return Spec(
        spec.tags,
        spec.rejected,
        spec.blocks + tuple(c.later() for c in rest),
        spec.counts,
        spec.warnings,
    )


def _comments(text: str, name: str, marker: str) -> list["_Comment"]:
    """Return the blocks; blanks replace the comment markers."""
    start = f"{marker} =="
    comments: list[_Comment] = []
    lines = text.split("\n")
    k = 0
    while k < len(lines):
        if not lines[k].startswith(start):
            k += 1
            continue
        first, rows = k, [" " * len(start) + lines[k].removeprefix(start)]
        k += 1
        while k < len(lines) and lines[k].startswith(marker):
            rows.append(" " * len(marker) + lines[k].removeprefix(marker))
            k += 1
        # preceding newlines keep the line numbers of the file
        comments.append(_Comment("\n" * first + "\n".join(rows), first, name))
    return comments


class _Comment:
    """Reads one block from left to right."""

    _WORD = re.compile(r"[\w-]+")
    _STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
    _ITEM = re.compile(r'"|structure\b|warning:|(?:[\w-]+[ \t]+)*input\s*[{@]')
    _BODY = re.compile(r'(?:[^"{}]+|"(?:[^"\\]|\\.)*+")*+\}')
    _DASHES = re.compile(r'"(?:[^"\\]|\\.)*+"|(--)')
    _TYPE = re.compile(rf"((?:\[\d+(?:_\d+)*\])*)({'|'.join(map(str, SCALARS))})(?![\w.])")
    _NUMBER = re.compile(r"[^\s{}\[\](),\"]+")
    _FILE = re.compile(r"\S+")
    _COUNT = re.compile(r"([A-Za-z/]+)\s*(\d{1,18}+)(?!\d)")

    def __init__(self, text: str, pos: int, name: str) -> None:
        self._text, self._pos, self._name = text, pos, name
        self._skip()

    # ------------------------------------------------------------------ the grammar

    def first(self) -> Spec:
        """Read the first block."""
        tags = self._tags() if self._peek() == "tags" else frozenset()
        if self._accept("error:"):
            rejected = self._message()
            self._end("a program that must not compile has no test cases")
            return Spec(tags, rejected)
        block = self._block()
        counts: list[Count] = []
        while self._peek() == "structure":
            counts.append(self._structure())
        warnings: list[Message] = []
        while self._accept("warning:"):
            warnings.append(self._message())
        self._end("expected `input`, `structure` or `warning:`, in this order")
        return Spec(tags, None, (block,), tuple(counts), tuple(warnings))

    def later(self) -> Block:
        """Read a block after the first one."""
        block = self._block()
        if self._peek() == "structure" or self._text.startswith("warning:", self._pos):
            self.fail("only the first test comment of a program counts nodes or expects warnings")
        self._end("expected `input`")
        return block

    def _tags(self) -> frozenset[str]:
        self._expect("tags", "{")
        tags: set[str] = set()
        while not self._accept("}"):
            word = self._peek()
            if not word:
                self.fail("expected a tag or `}`; tags are separated by blanks")
            tags.add(word)
            self._advance(len(word))
        return frozenset(tags)

    def _block(self) -> Block:
        entries: tuple[str, ...] = ("main",)
        if self._accept("entry:", over_lines=False):
            at = self._pos
            entries = tuple(self._line().split())
            if any(sign in e for e in entries for sign in "{}"):
                self._pos = at
                self.fail("the line of `entry:` contains names of entry points only")
        cases: list[Case] = []
        while (case := self._case(len(cases))) is not None:
            cases.append(case)
        return Block(entries, tuple(cases))

    def _case(self, index: int) -> Case | None:
        start, at = self._pos, self._here()
        name = ""
        if (m := self._STRING.match(self._text, self._pos)) is not None:
            name = re.sub(r"\\(.)", r"\1", m[1])
            self._advance(len(m[0]))
        elif self._peek() in ("", "structure") or self._text.startswith("warning:", self._pos):
            return None
        tags: set[str] = set()
        while (word := self._peek()) != "input":
            if not word:
                self._pos = start
                self.fail(f"expected a test case, found {self._found()}", "a case: input { 5 }")
            tags.add(word)
            self._advance(len(word))
        self._expect("input")
        given = self._input(tags)
        return Case(index, name, frozenset(tags), given, self._result(), at)

    def _input(self, tags: set[str]) -> Input:
        if "script" in tags:
            return self._script()
        return self._random() if "random" in tags else self._source()

    def _result(self) -> Expected:
        if self._peek() == "auto":
            self._expect("auto", "output")
            return AutoOutput()
        if self._peek() == "output":
            self._expect("output")
            return Output(self._source())
        return self._message() if self._accept("error:", over_lines=False) else Success()

    def _structure(self) -> Count:
        at = self._here()
        self._expect("structure")
        stage = self._peek()
        if stage and stage not in STAGES:
            known = ", ".join(STAGES)
            self.fail(f"there is no stage `{stage}`", f"there is {known}, or none is named")
        self._advance(len(stage))
        self._expect("{")
        nodes: list[tuple[str, int]] = []
        while not self._accept("}"):
            m = self._COUNT.match(self._text, self._pos)
            if m is None:
                self.fail("expected a node and its number of occurrences", "example: { Alloc 1 }")
            nodes.append((m[1], int(m[2])))
            self._advance(len(m[0]))
        return Count(stage, tuple(nodes), at)

    def _message(self) -> Message:
        """Read the rest of the line, or, if that is empty and no case follows, the next line."""
        if not (text := self._line()):
            if self._pos == len(self._text) or self._ITEM.match(self._text, self._pos):
                return Message()
            text = self._line()
        try:
            return Message(text, posix(text))
        except ValueError as error:
            self._pos = self._text.rindex(text, 0, self._pos)
            self.fail(f"invalid regular expression: {error}", "the syntax is POSIX's (extended)")

    # ------------------------------------------------------------------ values

    def _source(self) -> Source:
        if self._text.startswith("{", self._pos):
            return Inline(tuple(self._values()))
        if not self._accept("@"):
            self.fail(f"expected values, found {self._found()}", VALUES)
        return self._file()

    def _file(self) -> InFile:
        at = self._here()
        m = self._FILE.match(self._text, self._pos)
        if m is None:
            self.fail("expected the name of a file")
        self._advance(len(m[0]))
        return InFile(m[0], Span(at.file, at.line, at.col, at.col + len(m[0])))

    def _values(self) -> list[ArgValue]:
        m = self._BODY.match(self._text, self._pos + 1)
        if m is None:
            self.fail("the `{` is not closed, or contains another `{`")
        for dashes in self._DASHES.finditer(self._text, self._pos, m.end()):
            if dashes[1]:
                self._pos = dashes.start()
                self.fail("comments are not allowed within a test comment", VALUES)
        values = self._read(self._pos + 1, m.end() - 1)
        self._pos = m.end()
        self._skip()
        return values

    def _read(self, start: int, end: int) -> list[ArgValue]:
        if is_nested(self._text[start:end], texts=False):
            return self._literals(start, end)
        content = self._text[:end].encode("utf-8", "surrogatepass")
        before = len(self._text[:start].encode("utf-8", "surrogatepass"))
        try:
            return read_all(content, self._name, start=before, exact=True)
        except InputError as error:
            d = error.diagnostic
            raise SourceError(Diagnostic(d.at, CODE, d.message, VALUES)) from None

    def _literals(self, start: int, end: int) -> list[Any]:
        """Return values of records, tuples and sums."""
        line = self._text.count("\n", 0, start) + 1
        try:
            return read_literals(self._text[start:end], self._name, line)
        except InputError as error:
            raise SourceError(error.diagnostic) from None

    def _random(self) -> Random:
        if not self._accept("{"):
            self.fail("expected `{` and the types of random values", "for example: { [10]i32 }")
        items: list[RandomValue | np.generic] = []
        while not self._accept("}"):
            items.append(self._random_item())
        return Random(tuple(items))

    def _random_item(self) -> RandomValue | np.generic:
        if (m := self._TYPE.match(self._text, self._pos)) is not None:
            self._advance(len(m[0]))
            return RandomValue(tuple(map(int, re.findall(r"[\d_]+", m[1]))), ScalarType(m[2]))
        m = self._NUMBER.match(self._text, self._pos)
        if m is None or m[0] == "empty":
            hint = "random values are types and numbers: { [10]i32 f32 5i64 }"
            self.fail(f"expected a type or a number, found {self._found()}", hint)
        (value,) = self._read(m.start(), m.end())
        assert isinstance(value, np.generic)
        self._advance(len(m[0]))
        return value

    def _script(self) -> Script:
        at = self._here()
        if self._accept("@"):
            return Script("", self._file(), at)
        if not self._text.startswith("{", self._pos):
            self.fail(f"expected `{{` and a script, found {self._found()}")
        start = end = self._pos
        depth = 0
        while end == start or depth > 0:
            if end == len(self._text):
                self.fail("the `{` is not closed")
            depth += {"{": 1, "}": -1}.get(self._text[end], 0)
            end += 1
        self._advance(end - start)
        return Script(self._text[start + 1 : end - 1], None, at)

    # ------------------------------------------------------------------ signs

    def fail(self, what: str, hint: str = "") -> NoReturn:
        """Raise SourceError at the next character."""
        raise SourceError(Diagnostic(self._here(), CODE, what, hint))

    def _here(self) -> Span:
        line = self._text.count("\n", 0, self._pos) + 1
        col = self._pos - self._text.rfind("\n", 0, self._pos)
        width = max(1, len(self._peek()))
        return Span(self._name, line, col, col + width)

    def _found(self) -> str:
        if self._pos == len(self._text):
            return "the end of the comment"
        word = self._peek()
        return f"`{word or self._text[self._pos]}`"

    def _end(self, what: str) -> None:
        if self._text.startswith("==", self._pos):
            hint = "separate test comments by a line that is not a comment"
            self.fail(f"{what}; found `==`", hint)
        if self._pos < len(self._text):
            self.fail(f"{what}; found {self._found()}")

    def _peek(self) -> str:
        """Return the word at the current position, or the empty string."""
        m = self._WORD.match(self._text, self._pos)
        return m[0] if m else ""

    def _skip(self, *, over_lines: bool = True) -> None:
        blanks = " \t\r\n\f\v" if over_lines else " \t"
        while self._pos < len(self._text) and self._text[self._pos] in blanks:
            self._pos += 1

    def _advance(self, signs: int) -> None:
        self._pos += signs
        self._skip()

    def _accept(self, sign: str, *, over_lines: bool = True) -> bool:
        if not self._text.startswith(sign, self._pos):
            return False
        self._pos += len(sign)
        self._skip(over_lines=over_lines)
        return True

    def _expect(self, *signs: str) -> None:
        for sign in signs:
            if not self._accept(sign):
                self.fail(f"expected `{sign}`, found {self._found()}")

    def _line(self) -> str:
        """Read the rest of the line."""
        end = self._text.find("\n", self._pos)
        line = self._text[self._pos : end if end >= 0 else len(self._text)]
        self._advance(len(line))
        return line.strip()


CODE = "test comment"
"""The code of all errors of this module."""
