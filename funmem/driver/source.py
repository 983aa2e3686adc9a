"""Reading programs: from a file, standard input or a string, in any of the languages."""

from __future__ import annotations

import re
from os.path import splitext
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from funmem.driver.streams import read_stdin
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, UsageError

if TYPE_CHECKING:  # the trees of a language are loaded by the first program written in it
    from funmem.ir.fun import Ann, Program
    from funmem.ir.imp import ImpProgram

    AnyProgram: TypeAlias = Program[Ann] | ImpProgram

LANGUAGES = ("fut", "fun", "funmem", "imp")
STDIN = "<stdin>"
MAX_BYTES = 16 << 20
"""No program text is longer; what is, is not a program but a mistake."""


class Source(NamedTuple):
    """A program's text: the name it has in messages, and the language it is written in."""

    name: str
    text: str
    language: str

    @classmethod
    def of(cls, name: str, text: str, language: str | None) -> Source:
        """A text in a language, or in the one that it looks like."""
        return cls(name, text, language or language_of(text))

    def parse(self, remarks: list[Diagnostic] | None = None) -> AnyProgram:
        """The program; one of a source language as FUN.

        What the front end has to say of a right program is added to ``remarks``.  Raises
        :class:`SourceError`, and :class:`UsageError` for a language that nobody knows.
        """
        if self.language not in LANGUAGES:
            message = f"no language `{self.language}`"
            known = ", ".join(f"`{name}`" for name in LANGUAGES)
            raise UsageError(Diagnostic(NOWHERE, "language", message, f"there are {known}"))
        if self.language == "fut":
            from funmem.frontends.futhark.program import to_fun

            return to_fun(self.text, self.name, remarks=remarks)
        if self.language == "imp":
            from funmem.ir.text import parse_imp

            return parse_imp(self.text, self.name)
        from funmem.ir.text import parse_fun

        return parse_fun(self.text, self.name)


def read(path: str, language: str | None = None) -> Source:
    """The text of a program file; ``-`` is standard input.

    The language is the file's suffix, or what the text looks like, unless it is given.
    Raises :class:`UsageError` if it cannot be read, :class:`SourceError` if it is no text.
    """
    if path == "-":
        text = _decode(STDIN, read_stdin(MAX_BYTES + 1))
        return Source.of(STDIN, text, language)
    text = _decode(path, _content(path))
    suffix = splitext(path)[1][1:]
    return Source.of(path, text, language or (suffix if suffix in LANGUAGES else None))


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as f:
            return f.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        why = error.strerror if isinstance(error, OSError) else str(error)
        message = f"cannot read `{path}`: {why}"
        command = "`-` is standard input" if isinstance(error, FileNotFoundError) else ""
        raise UsageError(Diagnostic(NOWHERE, "input", message, command=command)) from None


def _decode(name: str, content: bytes) -> str:
    if len(content) > MAX_BYTES:
        message = f"`{name}` is longer than {MAX_BYTES >> 20} MiB"
        raise SourceError(Diagnostic(NOWHERE, "input", message))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"`{name}` is not UTF-8 text (byte {error.start}): no program"
        raise SourceError(Diagnostic(NOWHERE, "encoding", message)) from None


_LANDMARK = re.compile(r'--[^\n]*|"(?:\\.|[^"\\\n])*"|->|[][(){}:=]|\w+|#\[')
_FUTHARK = frozenset(["def", "let", "val", "type", "module", "import", "open", "local", "#["])
"""A program of another language begins with `entry`."""


def language_of(text: str) -> str:
    """What the head of a text's first declaration looks like.

    entry f (x : i32) -> (y : i32) = …     FUN or FUNMEM, which have one parser: ``fun``
    entry f (x : i32) { …                  ``imp``
    entry f (x: i32) : i32 = …             ``fut``, as is what does not begin with an entry
    """
    words = (m[0] for m in _LANDMARK.finditer(text) if not m[0].startswith("--"))
    if (first := next(words, "")) != "entry":
        return "fut" if first in _FUTHARK else "fun"
    depth, typed = 0, False
    for word in words:
        match word:
            case "->" if depth == 0:
                return "fun"
            case "=" if depth == 0:
                return "fut"
            case ":" if depth == 0:
                typed = True
            case "{" if depth == 0 and not typed:
                return "imp"
            case "(" | "[" | "{" | "#[":
                depth += 1
            case ")" | "]" | "}":
                depth -= 1
            case _:
                pass
    return "fun"
