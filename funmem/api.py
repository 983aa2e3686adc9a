"""The Python API: the verbs of the command line on programs and numpy arrays.

    program = funmem.parse(text)            # or funmem.load("matmul.fun")
    funmem.run(program, a, b)               # the value interpreter
    matmul = funmem.compile(program)        # kernels on the default device
    c = matmul(a, b)                        # stays on the device until numpy reads it

Every error is a :class:`funmem.FunmemError` and carries a :class:`funmem.Diagnostic`.
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
from funmem.driver.source import Source, read
from funmem.driver.stored_tunings import NONE, Tunings
from funmem.frontends.registry import names as languages
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

Language: TypeAlias = str
"""``fut``, ``fun``, ``funmem``, ``imp``, or a registered front end (``funmem/frontends``)."""
Via: TypeAlias = Literal["value", "heap", "imp", "c", "opencl"]
Results: TypeAlias = Any
"""A single result, or a tuple of several.

A scalar is a Python scalar; an array is a numpy array, or from a device a ``DeviceArray``, which
numpy functions accept.  The program decides which, so the static type is Any.
"""


def parse(text: str, language: Language | None = None, *, name: str = "<text>") -> AnyProgram:
    """Return the program that a text spells; its types are not checked.

    Without a language, the text decides (``driver/source.py``).  ``name`` is the text's name in
    messages.  Raises SourceError, and UsageError for an unknown language or a file name.
    """
    return _text(text, language, name).parse()


def load(path: str | os.PathLike[str], language: Language | None = None) -> AnyProgram:
    """Return the program in a file; its language is the file's suffix, or decided by the text.

    Raises SourceError, and UsageError for a file that cannot be read.
    """
    return read(os.fspath(path), language).parse()


def check(program: AnyProgram) -> None:
    """Raise SourceError, whose code is the violated rule, unless the program is well typed."""
    if isinstance(program, Program):
        check_tree(program)
    else:
        check_imp(program)


def show(program: AnyProgram) -> str:
    """Return the program's text: ``parse(show(p)) == p``."""
    return show_program(program)


def erase(program: AnyProgram) -> FunProgram:
    """Return a FUNMEM program without its annotations (fig. 9).  Raises UsageError for IMP."""
    return erase_tree(as_tree(program))


def run(
    program: AnyProgram | str,
    *args: ArgValue,
    entry: str | None = None,
    via: Via = "value",
    language: Language | None = None,
) -> Results:
    """Return the results of an entry point, run by an interpreter, as C, or on the default device.

    A text is parsed first, as by :func:`parse`.  A program in a language that the engine does not
    run is lowered by the default pipeline.  Every engine checks bounds.  The returned arrays share
    no memory with others and may be changed.
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
    """Return a program that can be called on a device with numpy arrays and with its own results.

    Array results stay on the device until their elements are read
    (:class:`funmem.codegen.device_array.DeviceArray`).  A text is parsed first, as by
    :func:`parse`.  ``device`` is a number or a part of a name that ``funmem doctor`` lists.
    ``safe`` keeps every bounds check in the kernels; without them, a wrong program may access
    memory that is not its own.  ``cache`` uses kernels built before and stored tunings.
    Raises SourceError, DeviceError.
    """
    tree = _program(program, language)
    passes = Pipeline.parse(pipeline) if isinstance(pipeline, str) else pipeline
    spec = None if device is None else str(device)
    executable, passes_run, tunings = build(tree, Options(passes, spec, safe, cache, tuned=True))
    return CompiledProgram(tree, executable, passes_run, tunings)


class CompiledProgram:
    """A program on a device; it and its entry points are callable."""

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
        """The stored tunings that are used, by entry point."""
        self._executable = executable

    def __call__(self, *args: ArgValue) -> Results:
        """Run the only entry point, or ``main``, and return its results."""
        return self.entry()(*args)

    def entry(self, name: str | None = None) -> EntryPoint:
        """Return a callable entry point; its ``stats`` hold the cost of the last call."""
        return self._executable.entry(signature_of(self.program, name).name)

    def signature(self, name: str | None = None) -> Signature:
        """Return the parameters and results of an entry point."""
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
        """Cost of the last call of the program itself: launches, peak bytes."""
        return self.entry().stats

    @property
    def device(self) -> str:
        """The device's name."""
        return self._executable.device.info.name

    @property
    def source(self) -> str:
        """The kernels as OpenCL C."""
        return self._executable.source

    def write(self, folder: str | os.PathLike[str], name: str = "program") -> Path:
        """Write kernels, plan and a Python module, as ``funmem compile`` does; return its path."""
        from funmem.codegen.artifact import write

        return write(self._executable, Path(folder), name)

    def __repr__(self) -> str:
        return f"<funmem program {', '.join(self.entries)} on {self.device}>"


def _program(program: AnyProgram | str, language: Language | None) -> AnyProgram:
    if isinstance(program, str | os.PathLike):
        return _text(program, language, "<text>").parse()
    return program


def _text(text: str | os.PathLike[str], language: Language | None, name: str) -> Source:
    """Return a text with its language.  Raises UsageError for a file name."""
    if isinstance(text, os.PathLike) or _names_a_file(text):
        message = f"`{os.fspath(text)}` is the name of a file; a program's text is expected here"
        hint = f"funmem.load({os.fspath(text)!r}) loads the program in it"
        raise UsageError(Diagnostic(NOWHERE, "input", message, hint))
    return Source.of(name, text, language)


def _names_a_file(text: str) -> bool:
    """True for one word that has the suffix of a program or is the name of a file."""
    if not text.strip() or any(c in text for c in "\n=("):
        return False
    return os.path.splitext(text)[1][1:] in languages() or os.path.isfile(text)


def _answer(values: tuple[AnyValue, ...]) -> Results:
    import numpy as np

    results = tuple(np.array(v.data, order="C") if isinstance(v, ArrayValue) else v for v in values)
    return results[0] if len(results) == 1 else results
