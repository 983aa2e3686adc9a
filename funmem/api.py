"""The Python API: the verbs of the command line on programs and numpy arrays.

    program = funmem.parse(text)            # or funmem.load("matmul.fun")
    funmem.run(program, a, b)               # what it means: the value interpreter
    matmul = funmem.compile(program)        # kernels on the default device
    c = matmul(a, b)                        # stays there until numpy, say, looks at it

Whatever goes wrong is a :class:`funmem.FunmemError`, which carries a :class:`funmem.Diagnostic`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from funmem.driver.compilation import build
from funmem.driver.compile_cache import Passes
from funmem.driver.engines import prepare
from funmem.driver.entry_points import signature_of
from funmem.driver.options import Engine, Options
from funmem.driver.source import LANGUAGES, Source, read
from funmem.driver.stored_tunings import NONE, Tunings
from funmem.ir.check import check as check_tree
from funmem.ir.check import check_imp
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.erase import erase as erase_tree
from funmem.ir.fun import FunProgram, Program
from funmem.ir.signature import Signature
from funmem.ir.text import show as show_program
from funmem.ir.values import ArgValue, ArrayValue
from funmem.ir.values import Value as AnyValue
from funmem.passes.framework import AnyProgram, as_tree
from funmem.passes.runner import Pipeline

if TYPE_CHECKING:
    from funmem.codegen.runtime import EntryPoint, Executable, Stats

Language: TypeAlias = Literal["fut", "fun", "funmem", "imp"]
Via: TypeAlias = Literal["value", "heap", "imp", "c", "opencl"]
Results: TypeAlias = Any
"""One result stands for itself, several are a tuple; a scalar is Python's, an array numpy's, or
on a device a ``DeviceArray``, which numpy takes for one of its own.

Which of these it is says the program, not its Python type: hence Any.
"""


def parse(text: str, language: Language | None = None, *, name: str = "<text>") -> AnyProgram:
    """The program that a text spells; its types are not checked.

    Without a language the text tells.  ``name`` is what messages call it.  Raises SourceError,
    and UsageError for a language that nobody knows, and for the name of a file.
    """
    return _text(text, language, name).parse()


def load(path: str | os.PathLike[str], language: Language | None = None) -> AnyProgram:
    """The program in a file; its language is the file's suffix, or else what the text looks like.

    Raises SourceError, and UsageError for a file that cannot be read.
    """
    return read(os.fspath(path), language).parse()


def check(program: AnyProgram) -> None:
    """Raises SourceError, whose code is the broken rule, unless the program is well typed."""
    if isinstance(program, Program):
        check_tree(program)
    else:
        check_imp(program)


def show(program: AnyProgram) -> str:
    """The program's text: ``parse(show(p)) == p``."""
    return show_program(program)


def erase(program: AnyProgram) -> FunProgram:
    """A FUNMEM program without its memory (fig. 9).  Raises UsageError for IMP."""
    return erase_tree(as_tree(program))


def run(
    program: AnyProgram | str,
    *args: ArgValue,
    entry: str | None = None,
    via: Via = "value",
    language: Language | None = None,
) -> Results:
    """The results of an entry point by an interpreter, as C, or by the default device.

    A text is parsed first, as :func:`parse` does.  A program in a language that the engine does not
    run is brought there by the default pipeline.  Every engine checks bounds.  Nobody else holds
    the arrays that come back; they may be changed.
    Raises FunmemError: Trap where the program traps, InputError for arguments that do not fit.
    """
    tree = _program(program, language)
    runner = prepare(tree, Engine.named(via), Options(safe=True, tuned=True))
    outcome = runner.run(signature_of(tree, entry).name, args)
    return _answer(outcome.values)


def compile(
    program: AnyProgram | str,
    *,
    language: Language | None = None,
    pipeline: Pipeline | str | None = None,
    device: int | str | None = None,
    safe: bool = True,
    cache: bool = True,
) -> CompiledProgram:
    """A program ready to be called on a device with numpy arrays, and with what it answers: arrays
    that stay there until somebody asks for their elements
    (:class:`funmem.codegen.device_array.DeviceArray`).

    A text is parsed first, as :func:`parse` does.  ``device`` is a number or a part of a name that
    ``funmem doctor`` lists; ``safe`` keeps every bounds check in the kernels, without which a
    program that is wrong may read and write memory that is not its own; ``cache`` looks for kernels
    built before, and for what ``funmem tune`` has found for programs as safe.  Raises SourceError,
    DeviceError.
    """
    tree = _program(program, language)
    passes = Pipeline.parse(pipeline) if isinstance(pipeline, str) else pipeline
    spec = None if device is None else str(device)
    executable, passes_run, tunings = build(tree, Options(passes, spec, safe, cache, tuned=True))
    return CompiledProgram(tree, executable, passes_run, tunings)


class CompiledProgram:
    """A program on a device: call it, or one of its entry points."""

    def __init__(
        self,
        program: AnyProgram,
        executable: Executable,
        passes: Passes,
        tunings: Tunings = NONE,
    ) -> None:
        self.program = program
        self._passes = passes
        self.tunings = tunings
        """What ``funmem tune`` has found and is used, by entry point."""
        self._executable = executable

    def __call__(self, *args: ArgValue) -> Results:
        """The results of the only entry point, or of ``main``."""
        return self.entry()(*args)

    def entry(self, name: str | None = None) -> EntryPoint:
        """An entry point, callable as well; its ``stats`` say what the last call cost."""
        return self._executable.entry(signature_of(self.program, name).name)

    def signature(self, name: str | None = None) -> Signature:
        """What a caller passes to an entry point and receives."""
        return signature_of(self.program, name)

    @property
    def pipeline(self) -> Pipeline:
        """The passes that the program went through."""
        return self._passes()

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of the entry points."""
        return tuple(self._executable.names)

    @property
    def stats(self) -> Stats:
        """What the last call of the program itself cost: launches, peak bytes."""
        return self.entry().stats

    @property
    def device(self) -> str:
        """The device's name."""
        return self._executable.device.info.name

    @property
    def source(self) -> str:
        """The kernels, OpenCL C."""
        return self._executable.source

    def write(self, folder: str | os.PathLike[str], name: str = "program") -> Path:
        """Writes what ``funmem compile`` does: kernels, plan, a Python module, whose path it is."""
        from funmem.codegen.artifact import write

        return write(self._executable, Path(folder), name)

    def __repr__(self) -> str:
        return f"<funmem program {', '.join(self.entries)} on {self.device}>"


def _program(program: AnyProgram | str, language: Language | None) -> AnyProgram:
    if isinstance(program, str | os.PathLike):
        return _text(program, language, "<text>").parse()
    return program


def _text(text: str | os.PathLike[str], language: Language | None, name: str) -> Source:
    """A program's text.  Raises UsageError for the name of a file."""
    if isinstance(text, os.PathLike) or _names_a_file(text):
        message = f"`{os.fspath(text)}` is the name of a file; a program's text is wanted here"
        hint = f"funmem.load({os.fspath(text)!r}) is the program in it"
        raise UsageError(Diagnostic(NOWHERE, "input", message, hint))
    return Source.of(name, text, language)


def _names_a_file(text: str) -> bool:
    """Whether a text is one word that ends like the name of a program, or that names a file."""
    if not text.strip() or any(c in text for c in "\n=("):
        return False
    return os.path.splitext(text)[1][1:] in LANGUAGES or os.path.isfile(text)


def _answer(values: tuple[AnyValue, ...]) -> Results:
    import numpy as np

    results = tuple(np.array(v.data, order="C") if isinstance(v, ArrayValue) else v for v in values)
    return results[0] if len(results) == 1 else results
