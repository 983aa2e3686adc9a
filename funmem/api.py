"""The Python API: the verbs of the command line on programs and numpy arrays.

    program = funmem.parse(text)            # or funmem.load("matmul.fun")
    funmem.run(program, a, b)               # the value interpreter
    matmul = funmem.compile(program)        # kernels on the default device
    c = matmul(a, b)                        # stays on the device until numpy reads it
    matmul.main(xs=a, ys=b)                 # entry points are attributes

Every error is a :class:`funmem.FunmemError` and carries a :class:`funmem.Diagnostic`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from funmem.codegen.python_by_name import functions_of
from funmem.compiled import CompiledProgram
from funmem.driver.compilation import build, c_program, compile_c_program
from funmem.driver.engines import prepare
from funmem.driver.entry_points import signature_of
from funmem.driver.options import Engine, Options
from funmem.driver.processors import named
from funmem.driver.source import Source, read
from funmem.driver.stored_tunings import NONE
from funmem.frontends.registry import names as languages
from funmem.ir.check import check as check_tree
from funmem.ir.check import check_imp
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.erase import erase as erase_tree
from funmem.ir.foreign import NONE as NO_FOREIGN
from funmem.ir.foreign import ForeignCode
from funmem.ir.fun import FunProgram, Program
from funmem.ir.signature import Parameter
from funmem.ir.text import show as show_program
from funmem.ir.values import ArgValue, ArrayValue
from funmem.ir.values import Value as AnyValue
from funmem.passes.framework import AnyProgram, StageProgram, as_tree
from funmem.passes.runner import Pipeline
from funmem.values.by_name import called_by_name

Language: TypeAlias = str
"""``fut``, ``fun``, ``funmem``, ``imp``, or a registered front end (``funmem/frontends``)."""
Target: TypeAlias = Literal["opencl", "c"]
Via: TypeAlias = Literal["core", "value", "heap", "imp", "c", "opencl"]
Argument: TypeAlias = Any
"""A value for a parameter: a number, an array, a nested sequence.

For a record it is a dict, a dataclass or a named tuple, and for a sum a ``Variant``.
"""
Results: TypeAlias = Any
"""A single result, or a tuple of several.

A scalar is a Python scalar; an array is a numpy array, or from a device a ``DeviceArray``, which
numpy functions accept; a record is a named tuple, a value of a sum a ``Variant``.  The program
decides which, so the static type is Any.
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
    program: StageProgram | str,
    *args: Argument,
    entry: str | None = None,
    via: Via = "value",
    language: Language | None = None,
    foreign: ForeignCode = NO_FOREIGN,
) -> Results:
    """Return the results of an entry point, run by an interpreter, as C, or on the default device.

    A text is parsed first, as by :func:`parse`.  A program in a language that the engine does not
    run is lowered by the default pipeline.  ``core`` runs texts in source languages, since
    :func:`load` and :func:`parse` return FUN.  ``foreign`` has the foreign functions.  Every engine
    checks bounds.  The returned arrays share no memory with others and may be changed.
    Raises FunmemError: Trap where the program traps, InputError for arguments that do not fit.
    """
    engine = Engine.named(via)
    tree: StageProgram
    if engine is Engine.CORE and isinstance(program, str | os.PathLike):
        tree = _text(program, language, "<text>").tree()
    elif isinstance(program, CoreProgram):
        tree = program
    else:
        tree = _program(program, language)
    runner = prepare(tree, engine, Options(safe=True, tuned=True, foreign=foreign))
    signature = signature_of(tree, entry)

    def call(*parts: ArgValue) -> Results:
        found = runner.run(signature.name, parts).spelled(signature)
        return _answer(tuple([v for v, _ in found]), [p for _, p in found])

    return called_by_name(call, signature)(*args)


def compile(
    program: AnyProgram | str,
    *,
    target: Target = "opencl",
    language: Language | None = None,
    pipeline: Pipeline | str | None = None,
    device: int | str | None = None,
    safe: bool = True,
    cache: bool = True,
    processor: str | None = None,
    foreign: ForeignCode = NO_FOREIGN,
) -> CompiledProgram:
    """Return a program that can be called with numpy arrays and with its own results.

    ``target``: ``opencl`` for kernels on a device, ``c`` for a C library.  From a device, array
    results stay there until their elements are read
    (:class:`funmem.codegen.device_array.DeviceArray`).  A text is parsed first, as by
    :func:`parse`.  ``device`` is a number or a part of a name that ``funmem doctor`` lists.
    ``safe`` keeps every bounds check in the kernels; without them, a wrong program may access
    memory that is not its own.  ``cache`` uses kernels built before and stored tunings.
    ``processor`` is a class of processors, ``sse``, ``avx2`` or ``avx512``: its default chunk, tile
    and group sizes are used instead of this machine's, and no stored tunings.  ``foreign`` has the
    foreign functions.  Raises SourceError, DeviceError, and UsageError for an unknown target or
    class, or a device for C.
    """
    tree = _program(program, language)
    passes = Pipeline.parse(pipeline) if isinstance(pipeline, str) else pipeline
    spec = None if device is None else str(device)
    made_for = None if processor is None else named(processor)
    options = Options(passes, spec, safe, cache, tuned=True, processor=made_for, foreign=foreign)
    if target == "opencl":
        return _on_device(tree, options)
    if target != "c":
        message = f"there is no target `{target}`; there is opencl, c"
        raise UsageError(Diagnostic(NOWHERE, "target", message))
    if device is not None:
        raise UsageError(Diagnostic(NOWHERE, "target", "a C library does not run on a device"))
    return _as_c(tree, options)


def _on_device(tree: AnyProgram, options: Options) -> CompiledProgram:
    executable, passes, tunings = build(tree, options)

    def write(folder: Path, name: str) -> Path:
        from funmem.codegen.artifact import write

        return write(executable, folder, name, functions_of(tree))

    where = executable.device.info.name
    return CompiledProgram(
        tree, executable, passes, tunings, source=executable.source, where=where, write=write
    )


def _as_c(tree: AnyProgram, options: Options) -> CompiledProgram:
    from funmem.codegen.c_artifact import write_c
    from funmem.codegen.c_library import CLibrary, COptions
    from funmem.codegen.cache import Cache

    compiled, passes, options = c_program(tree, options)
    library = CLibrary.load(compiled, cache=Cache.default() if options.cache else None)

    def write(folder: Path, name: str) -> Path:
        same = name == compiled.name
        printed = compiled if same else compile_c_program(tree, name, options)[0]
        return write_c(printed, folder, COptions(), functions_of(tree))

    tunings = options.tunings or NONE
    return CompiledProgram(
        tree, library, passes, tunings, source=compiled.source, where="C", write=write
    )


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


def _answer(values: tuple[AnyValue, ...], params: Sequence[Parameter]) -> Results:
    """Return results as arrays, and rows of different lengths as lists of arrays."""
    import numpy as np

    from funmem.ir.ragged_values import copied, nested

    results = tuple(
        np.array(v.data, order="C")
        if isinstance(v, ArrayValue)
        else copied(v)
        if isinstance(v, list)
        else v
        for v, _ in nested(list(zip(values, params, strict=True)))
    )
    return results[0] if len(results) == 1 else results
