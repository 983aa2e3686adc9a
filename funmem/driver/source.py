"""Reading programs: from a file, standard input or a string, in any of the languages."""

from __future__ import annotations

import re
from os.path import splitext
from typing import TYPE_CHECKING, NamedTuple

from funmem.driver.streams import read_stdin
from funmem.frontends import registry
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, UsageError

if TYPE_CHECKING:  # the trees of a language are loaded by the first program written in it
    from funmem.codegen.python_trees import Function
    from funmem.frontends.front_end import FrontEnd
    from funmem.passes.context import Report
    from funmem.passes.framework import AnyProgram, StageProgram
    from funmem.passes.runner import Pipeline

STDIN = "<stdin>"
MAX_BYTES = 16 << 20
"""Longest accepted program text: 16 MiB."""


class Source(NamedTuple):
    """A program's text, its name in messages, and its language."""

    name: str
    text: str
    language: str

    @classmethod
    def of(cls, name: str, text: str, language: str | None) -> Source:
        """Return a text in ``language``, or None: in the language that it looks like."""
        return cls(name, text, language or language_of(text))

    def parse(self, remarks: list[Diagnostic] | None = None) -> AnyProgram:
        """Return the program; one of a source language, and Core, is translated to FUN.

        Remarks of the front end are appended to ``remarks``.  Raises :class:`SourceError`, and
        :class:`UsageError` for an unknown language.
        """
        from funmem.ir.fun import Program

        tree = self.tree(remarks)
        if isinstance(tree, Program):
            return tree
        from funmem.driver.stages import to_fun

        return to_fun(tree, typed=self.front_end.typed)

    def through(
        self, passes: Pipeline | None, report: Report | None = None
    ) -> tuple[AnyProgram, Pipeline | None]:
        """Return the program after the passes on Core in a given pipeline, and the other passes.

        ``report`` receives what these passes say.  Raises as :meth:`parse`, and PassFailed.
        """
        from funmem.driver.stages import through_core

        return through_core(self.tree(), passes, typed=self.front_end.typed, report=report)

    def exported(
        self, passes: Pipeline | None
    ) -> tuple[AnyProgram, Pipeline | None, tuple[Function, ...]]:
        """Like :meth:`through`, with how Python calls the entry points."""
        from funmem.driver.stages import through_core

        front_end = self.front_end
        if front_end.exported is None:
            return (*self.through(passes), ())
        tree, functions = front_end.exported(self.text, self.name)
        return (*through_core(tree, passes, typed=front_end.typed), functions)

    def tree(self, remarks: list[Diagnostic] | None = None) -> StageProgram:
        """Return the program as its front end reads it: Core for a source language.

        Remarks are appended to ``remarks``.  Raises as :meth:`parse`.
        """
        return self.front_end.read(self.text, self.name, remarks)

    @property
    def front_end(self) -> FrontEnd:
        """The front end of the language.  Raises :class:`UsageError` if there is none."""
        return registry.find(self.language)


def read(path: str, language: str | None = None) -> Source:
    """Return the text of a program file; ``-`` is standard input.

    Unless given, the language is that of the file's suffix, or else what the text looks like.
    Raises :class:`UsageError` if the file cannot be read, :class:`SourceError` if it is not UTF-8.
    """
    if path == "-":
        text = _decode(STDIN, read_stdin(MAX_BYTES + 1))
        return Source.of(STDIN, text, language)
    text = _decode(path, _content(path))
    suffix = splitext(path)[1][1:]
    return Source.of(path, text, language or (suffix if registry.is_language(suffix) else None))


def content_of(path: str) -> str:
    """Return a text file.  Raises UsageError, SourceError as :func:`read`."""
    return _decode(path, _content(path))


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
        byte = content[error.start]
        message = f"`{name}` is not UTF-8: invalid byte 0x{byte:02x} at offset {error.start}"
        raise SourceError(Diagnostic(NOWHERE, "encoding", message)) from None


_LANDMARK = re.compile(r'--[^\n]*|"(?:\\.|[^"\\\n])*"|->|[][(){}:=]|\w+|#\[')
_MODULE = re.compile(r"(\s|;[^\n]*\n)*\(\s*(module|%testspec|define|import)\b")
_FUTHARK = frozenset(["def", "let", "val", "type", "module", "import", "open", "local", "#["])
"""First words that only a ``.fut`` program has; all others begin with ``entry``."""


def language_of(text: str) -> str:
    """Return the language that the first declaration of a text looks like.

    entry f (x : i32) -> (y : i32) = …     FUN or FUNMEM, which have one parser: ``fun``
    entry f (x : i32) { …                  ``imp``
    entry f (x: i32) : i32 = …             ``fut``, also for a text that begins otherwise
    def f (x : i32) -> (y : i32) = …       likewise; ``def`` otherwise begins a ``.fut`` program
    data t = …   foreign f …   effect f …  ``core``, whose entries and definitions look like ``fut``
    (module …   (define …                  ``kfc``
    ((x : int) …) …                        ``nova``, whose comments begin with ``;``
    """
    if _MODULE.match(text):
        return "kfc"
    if text.lstrip().startswith(("(", ";")):
        return "nova"
    words = (m[0] for m in _LANDMARK.finditer(text) if not m[0].startswith("--"))
    if (first := next(words, "")) in ("data", "foreign", "effect"):
        return "core"
    if first not in ("entry", "def"):
        return "fut" if first in _FUTHARK else "fun"
    depth, typed = 0, False
    for word in words:
        match word:
            case "->" if depth == 0 and not typed:
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
