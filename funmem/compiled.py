"""The result of :func:`funmem.compile`: a program whose entry points are functions.

    f = funmem.compile(text)                    # kernels on a device;  target="c": a C library
    f(2.0, x, y)                                # the only entry point, or main
    f.main(2.0, x, y=y)                         # by name; keyword arguments
    f.main.signature                            # "(a: f32, x: f32[n], y: f32[n]) -> f32[n]"
    inspect.signature(f.main)                   # the same for Python's tools
    f.main({"x": 1, "y": 2}, Variant("some", 3))    # records and sums of the source language

A call with positional arguments goes straight to the function that was generated for the entry
point (codegen/fast_call.py).
"""

from __future__ import annotations

import os
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from funmem.codegen.python_trees import identifier
from funmem.codegen.stats import Stats
from funmem.driver.compile_cache import Passes
from funmem.driver.entry_points import signature_of
from funmem.driver.stored_tunings import NONE, Tunings
from funmem.ir.signature import Parameter, Signature
from funmem.passes.framework import AnyProgram
from funmem.passes.runner import Pipeline
from funmem.values.by_name import called_by_name

if TYPE_CHECKING:
    import inspect

    from funmem.codegen.c_library import CEntryPoint, CLibrary
    from funmem.codegen.plan import EntryPlan
    from funmem.codegen.runtime import EntryPoint, Executable
    from funmem.ir.values import ArgValue
    from funmem.ir.values import Value as AnyValue


class CompiledEntry:
    """An entry point of a compiled program: a function of its arguments.

    Arguments are numbers, numpy arrays, arrays of other libraries, buffers, nested sequences, and
    results of other calls.  A single result is returned without a tuple; several whose names the
    program gives are a named tuple.  Records, tuples and sums of a source language are passed and
    returned as such (``funmem/values/by_name.py``).
    """

    def __init__(self, point: EntryPoint | CEntryPoint, signature: Signature, where: str) -> None:
        self._point, self._types, self._where = point, signature, where
        self.call: Callable[..., Any] = point.call
        """The generated function: the entry point for positional arguments only."""
        self.__name__ = self.__qualname__ = signature.name
        self.__doc__ = f"{signature.name}{signature.text}"
        names = [r.name for r in signature.results]
        if signature.interface is not None:
            self.call = called_by_name(point.call, signature)
        elif len(names) > 1 and not any(_generated(x) for x in names):
            self.call = _named(point.call, signature.name, names)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Return the results.  Raises InputError, Trap, DeviceError, and Python's TypeError."""
        if named:
            args = self._positional(args, named)
        return self.call(*args)

    def _positional(self, args: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return all arguments in order.  Raises TypeError as a Python function does."""
        try:
            return self.__signature__.bind(*args, **named).args
        except TypeError as error:
            raise TypeError(f"{self.__name__}() {error}") from None

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature for :mod:`inspect`; types are texts such as ``f32[n]``."""
        import inspect

        taken: list[str] = []
        params = []
        for name, text in self._types.typed:
            taken.append(identifier(name, taken))
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            params.append(inspect.Parameter(taken[-1], kind, annotation=text))
        return inspect.Signature(params, return_annotation=self._types.results_text)

    @property
    def signature(self) -> str:
        """The types of parameters and results: ``(a: f32, x: f32[n]) -> f32[n]``."""
        return self._types.text

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in FUN, with its names: the parts of records and sums."""
        return self._types.params

    @property
    def results(self) -> tuple[Parameter, ...]:
        """The results in FUN, with its names: the parts of records and sums."""
        return self._types.results

    @property
    def stats(self) -> Stats:
        """The cost of the last call."""
        return self._point.stats

    @property
    def plan(self) -> EntryPlan:
        """The host's plan."""
        return self._point.plan

    def run(self, args: Sequence[ArgValue]) -> tuple[AnyValue, ...]:
        """Return the results as values on the host, in a tuple; both sides are parts."""
        return self._point.run(args)

    def __repr__(self) -> str:
        return f"<funmem entry point {self.__name__}{self.signature} on {self._where}>"


def _generated(name: str) -> bool:
    """True if a compiler named a result: ``out``, ``out_3``."""
    return name == "out" or (name.startswith("out_") and name[4:].isdigit())


def _named(point: Callable[..., Any], name: str, names: Sequence[str]) -> Callable[..., Any]:
    """Return a function that returns the results of ``point`` as a named tuple."""
    fields: list[str] = []
    for x in names:
        fields.append(identifier(x, fields))
    make: Any = namedtuple(identifier(name), fields)  # type: ignore[misc]  # names of a program
    return lambda *args: make(*point(*args))


class CompiledProgram:
    """A program on a device or as a C library; it and its entry points are callable.

    Entry points are attributes: ``program.main``.
    """

    def __init__(
        self,
        program: AnyProgram,
        built: Executable | CLibrary,
        passes: Passes,
        tunings: Tunings = NONE,
        *,
        source: str,
        where: str,
        write: Callable[[Path, str], Path],
    ) -> None:
        self.program = program
        self.tunings = tunings
        """The stored tunings that are used, by entry point."""
        self.source = source
        """The kernels as OpenCL C, or the library as C."""
        self.device = where
        """The device's name; ``C`` for a library."""
        self._passes, self._built, self._write = passes, built, write
        self._entries: dict[str, CompiledEntry] = {}
        self._main: CompiledEntry | None = None

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Run the only entry point, or ``main``, and return its results."""
        main = self._main
        if main is None:
            main = self._main = self.entry()
        return main(*args, **named) if named else main.call(*args)

    def entry(self, name: str | None = None) -> CompiledEntry:
        """Return an entry point; without a name, the only one or ``main``.  Raises UsageError."""
        if name is not None and (made := self._entries.get(name)) is not None:
            return made
        types = signature_of(self.program, name)
        if types.name not in self._entries:
            point = self._built.entry(types.name)
            self._entries[types.name] = CompiledEntry(point, types, self.device)
        return self._entries[types.name]

    def __getattr__(self, name: str) -> CompiledEntry:
        if not name.startswith("_") and name in self.entries:
            found = self.__dict__[name] = self.entry(name)
            return found
        known = "" if name.startswith("_") else ", ".join(f"`{x}`" for x in self.entries)
        message = f"a compiled program has no attribute `{name}`; its entry points are {known}"
        raise AttributeError(message, name=name, obj=self)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.entries})

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature of the only entry point, or of ``main``."""
        return self.entry().__signature__

    def signature(self, name: str | None = None) -> Signature:
        """Return the parameters and results of an entry point; ``str`` makes it a text."""
        return signature_of(self.program, name)

    @property
    def pipeline(self) -> Pipeline:
        """The passes that the program went through."""
        return self._passes()

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of the entry points."""
        return tuple(str(e.name) for e in self.program.entries)

    @property
    def stats(self) -> Stats:
        """Cost of the last call of the program itself: launches, peak bytes."""
        return self.entry().stats

    def write(self, folder: str | os.PathLike[str], name: str = "program") -> Path:
        """Write the program and a Python module, as ``funmem compile`` does; return its path."""
        return self._write(Path(folder), name)

    def __repr__(self) -> str:
        return f"<funmem program {', '.join(self.entries)} on {self.device}>"
