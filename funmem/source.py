"""Reading programs: from a file, standard input or a string, in any of the languages."""

from __future__ import annotations

import re
from os.path import splitext
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, UsageError
from funmem.ir.record import evolve
from funmem.streams import read_stdin

if TYPE_CHECKING:  # the trees of a language are loaded by the first program written in it
    from funmem.ir.fun import Ann, Program
    from funmem.ir.imp import ImpProgram

    AnyProgram: TypeAlias = Program[Ann] | ImpProgram

LANGUAGES = ("fun", "funmem", "imp", "fut")
STDIN = "<stdin>"
MAX_BYTES = 16 << 20
"""No program text is longer; what is, is not a program but a mistake."""


class Source(NamedTuple):
    """A program's text: the name it has in messages, and the language it is written in.

    ``guessed``: whether the language is only what the text looks like.
    """

    name: str
    text: str
    language: str
    guessed: bool = False

    @classmethod
    def of(cls, name: str, text: str, language: str | None) -> Source:
        """A text in a language, or in the one that it looks like."""
        if language is None:
            return cls(name, text, language_of(text), guessed=True)
        return cls(name, text, language)

    def parse(self, remarks: list[Diagnostic] | None = None) -> AnyProgram:
        """The program; one of a source language as FUN.

        What the front end has to say of a right program is added to ``remarks``.  Raises
        :class:`SourceError`, and :class:`UsageError` for a language that nobody knows.
        """
        if self.language not in LANGUAGES:
            message = f"no language `{self.language}`"
            known = ", ".join(f"`{name}`" for name in LANGUAGES)
            raise UsageError(Diagnostic(NOWHERE, "language", message, f"there are {known}"))
        try:
            return self._parsed(remarks)
        except SourceError as error:
            if not (self.guessed and self._reads_as_futhark()):
                raise
            hint = "this is how a `.fut` program looks: say so with `--language fut`"
            raise SourceError(evolve(error.diagnostic, hint=hint)) from None

    def _reads_as_futhark(self) -> bool:
        from funmem.frontends.futhark.parser import parse

        try:
            return bool(parse(self.text, self.name).decs)
        except SourceError:
            return False

    def _parsed(self, remarks: list[Diagnostic] | None) -> AnyProgram:
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
        hint = "`-` is standard input" if isinstance(error, FileNotFoundError) else ""
        raise UsageError(Diagnostic(NOWHERE, "input", message, hint)) from None


def _decode(name: str, content: bytes) -> str:
    if len(content) > MAX_BYTES:
        message = f"`{name}` is longer than {MAX_BYTES >> 20} MiB"
        raise SourceError(Diagnostic(NOWHERE, "input", message))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"`{name}` is not UTF-8 text (byte {error.start}): no program"
        raise SourceError(Diagnostic(NOWHERE, "encoding", message)) from None


_LANDMARK = re.compile(r'--[^\n]*|"(?:\\.|[^"\\\n])*"|[(){=]')


def language_of(text: str) -> str:
    """``imp`` if the first entry point's head is followed by ``{``, else ``fun``.

    FUN and FUNMEM have one parser, which needs no telling apart.
    """
    depth = 0
    for m in _LANDMARK.finditer(text):
        match m[0]:
            case "(":
                depth += 1
            case ")":
                depth -= 1
            case "{" if depth <= 0:
                return "imp"
            case "=" if depth <= 0:
                return "fun"
    return "fun"
