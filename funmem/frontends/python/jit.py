"""``@funmem.jit``: an ordinary Python function, compiled when it is called.

    @fm.jit
    def saxpy(a, x, y): return a * x + y

The function is traced once for each combination of argument types: dtype, rank, dimensions of size
1 of arguments without annotation, static values; never for lengths.  Traces run one at a time.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from operator import attrgetter
from pickle import PicklingError
from threading import RLock
from types import FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from funmem.driver.options import Engine, Options
from funmem.frontends.python import calls
from funmem.frontends.python.arguments import explain
from funmem.frontends.python.engines import Run, chosen, load, unwrapped
from funmem.frontends.python.fast import MISSED, Missed, Plain, Static, call_function
from funmem.frontends.python.guards import array_spec
from funmem.frontends.python.lowered import Lowered, Program
from funmem.frontends.python.places import shown
from funmem.frontends.python.signatures import Call, Key, Parameters
from funmem.frontends.python.tape import active
from funmem.frontends.python.trace import Result, Tracer
from funmem.frontends.python.tracebacks import Raised, at_expression, call_of
from funmem.frontends.python.trees import Leaf, Node, Structure, rebuilt
from funmem.ir.diagnostics import (
    Diagnostic,
    FunmemError,
    InputError,
    Trap,
    TrapKind,
    UsageError,
)
from funmem.ir.fun import FunProgram
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, ScalarType
from funmem.ir.values import dtype

TRACING = RLock()
"""Held while a function is traced or compiled: the tape of a thread is one at a time."""

_KINDS = (
    ("shape mismatch: ", TrapKind.SHAPE),
    ("Irregular array", TrapKind.SHAPE),
    ("Index [", TrapKind.SLICE),
    ("index ", TrapKind.INDEX),
)
"""Beginnings of the messages of checks that are assertions in FUN, and the kinds of their traps."""


class CacheInfo(NamedTuple):
    """How often a function was traced, and how often a call found its variant."""

    traces: int
    hits: int


class Variant:
    """One trace, and the engines that it was brought to."""

    def __init__(self, program: Program) -> None:
        self.program = program
        found = program.found
        self.guards = tuple(found.captures.guards)
        self.hidden = tuple(found.captures.hidden)
        self._engines: dict[Engine | None, tuple[Engine, Run, Any]] = {}
        self._single = isinstance(found.structure, Leaf)
        self._convert = [_converter(r) for r in found.results]
        self.plain = (self._single or _is_flat_tuple(found.structure)) and not any(self._convert)
        """True if the entry point's result is the function's."""
        self.calls: dict[Engine | None, Callable[..., Any]] = {}

    def holds(self) -> bool:
        """True if what the trace has seen outside of the function has not changed."""
        for g in self.guards:
            if not g.holds():
                return False
        return all(h.holds() for h in self.hidden)

    def engine(self, engine: Engine | None) -> tuple[Engine, Run, Any]:
        """Return an engine with the program loaded."""
        found = self._engines.get(engine)
        if found is None:
            with TRACING:
                found = self._engines.get(engine)
                if found is None:
                    core = self.program.found
                    found = load(self.program.fun, core.entry, engine, core.foreign)
                    self._engines[engine] = found
        return found

    def quick(
        self,
        params: Sequence[Plain | Static] | None,
        engine: Engine | None,
        told: Callable[[FunmemError], Raised],
        count: Callable[[], None],
    ) -> Callable[..., Any] | None:
        """Return the generated function that calls this variant; None if there is none.

        ``told`` makes an error the function's result; ``count`` is called for each accepted call.
        """
        used, entry, _ = self.engine(engine)
        if params is None or used.interprets or any(not h.spec.ones for h in self.hidden):
            return None
        names: dict[str, object] = {"entry": entry, "told": told, "count": count}
        if not self.plain:
            names["finish"] = self.result
        return call_function(params, self.guards, self.hidden, names)

    def arguments(self, values: Sequence[Any]) -> list[Any]:
        """Return the values of a call and the hidden arguments."""
        if not self.hidden:
            return list(values)
        return [*values, *(_hidden_value(h.fetch()) for h in self.hidden)]

    def run(self, call: Call, engine: Engine | None) -> Any:
        """Return the result of a call."""
        _, run, _ = self.engine(engine)
        args = self.arguments(call.values)
        try:
            found = run(*args)
        except InputError:
            types = [t for _, t in self.program.found.params]
            explain([x for x, _ in self.program.found.params], types, args)
            raise
        return self.result(found)

    def interpret(self, call: Call) -> Any:
        """Return the result of a call, by the interpreter of Core."""
        from funmem.driver.compilation import foreign_table
        from funmem.interp.core import run_core

        args = self.arguments(call.values)
        core = self.program.found
        try:
            foreign = foreign_table(Options(foreign=core.foreign), interpreted=True)
            found = unwrapped(run_core(self.program.core, core.entry, args, foreign))
        except InputError:
            explain([x for x, _ in core.params], [t for _, t in core.params], args)
            raise
        return self.result(found)

    def result(self, found: Any) -> Any:
        """Return an engine's result as the tree that the function returned."""
        if self._single:
            (convert,) = self._convert
            return found if convert is None else convert(found)
        many = found if len(self._convert) > 1 else (found,)
        parts = [x if f is None else f(x) for f, x in zip(self._convert, many, strict=True)]
        return rebuilt(self.program.found.structure, parts)


def _is_flat_tuple(s: Structure) -> bool:
    """True for a tuple of several values: an entry point returns the same."""
    parts = s.parts if isinstance(s, Node) and s.kind is tuple else ()
    return len(parts) > 1 and all(isinstance(p, Leaf) for p in parts)


def _converter(r: Result) -> Callable[[Any], Any] | None:
    """Return how a part of a result is handed back; None: as it is."""
    if r.rank or r.weak:
        return None
    return np.bool_ if r.type is BOOL else _scalar(r.type)


def _scalar(t: ScalarType) -> Callable[[Any], Any]:
    return dtype(t).type


def _hidden_value(x: Any) -> Any:
    if array_spec(x) is not None and not x.shape:
        return np.asarray(x).item()
    if isinstance(x, np.ndarray) and not x.dtype.isnative:
        return x.astype(x.dtype.newbyteorder("="))
    return x


class Jitted:
    """A function that is compiled when it is called."""

    def __init__(self, f: FunctionType, static: Sequence[str] = ()) -> None:
        functools.update_wrapper(self, f)
        self._static = tuple(static)
        self._parameters = Parameters(f, self._static)
        self._variants: dict[Key, list[Variant]] = {}
        self._traces = self._hits = 0
        self._fast: dict[Engine | None, tuple[Callable[..., Any], ...]] = {}
        self._call = call_of(f, self._run)

    # ------------------------------------------------------------------ calls

    __call__ = property(attrgetter("_call"), doc="Return the result; see ``_run``.")

    def _run(self, *args: Any, **options: Any) -> Any:
        """Return the result, computed by the chosen engine; in a trace, call a definition.

        Return :class:`Raised` for an error outside of traces.
        """
        tape = active()
        if tape is not None:
            return calls.call(self, self._parameters, tape, args, options)
        engine = chosen()
        if not options:
            for fast in self._fast.get(engine, ()):
                found = fast(*args)
                if found is not MISSED:
                    return found
        try:
            call = self._parameters.call(args, options)
        except (FunmemError, TypeError) as error:
            return Raised(self._told(error))
        try:
            variant = self._variant(call)
            found = variant.run(call, engine)
        except FunmemError as error:
            return Raised(self._told(error))
        self._quicken(call, variant, engine)
        return found

    def _quicken(self, call: Call, variant: Variant, engine: Engine | None) -> None:
        """Put the function that calls a variant first, for the next calls.

        There is one for parameters that are one value each, on C and OpenCL.
        """
        made = variant.calls.get(engine)
        if made is None:
            params = self._parameters.plain(call)
            made = variant.quick(params, engine, self._raised, self._count)
            if made is None:
                return
            variant.calls[engine] = made
        others = [f for f in self._fast.get(engine, ()) if f is not made]
        self._fast[engine] = (made, *others[: _MOST_FAST - 1])

    def _raised(self, error: FunmemError) -> Raised:
        return Raised(self._told(error))

    def _count(self) -> None:
        self._hits += 1

    def _told(self, error: Exception) -> Exception:
        if isinstance(error, FunmemError):
            return at_expression(_told(error), self.__name__)
        error.__traceback__ = None
        return error

    def interpret(self, *args: Any, **options: Any) -> Any:
        """Return the result, computed by the interpreter of Core: the definition of the meaning."""
        try:
            call = self._parameters.call(args, options)
            return self._variant(call).interpret(call)
        except FunmemError as error:
            raise _told(error) from None

    def inline(self, *args: Any, **options: Any) -> Any:
        """In a trace: run the function here, in place of calling a shared definition."""
        tape = active()
        if tape is None:
            return self(*args, **options)
        f = self._parameters.function
        return tape.captures.copy(f)(*args, **options)

    def lower(self, *types: Any, **options: Any) -> Lowered:
        """Return the texts and types for argument types, for example arguments, or for the
        annotations.
        """
        try:
            call = self._parameters.from_types(types, options)
            if call is None:
                call = self._parameters.call(types, options)
            variant = self._variant(call)
        except FunmemError as error:
            raise _told(error) from None
        return Lowered(
            self.__name__, variant.program, lambda e: Compiled(self, call.key, variant, e)
        )

    def fun_and_arguments(self, *args: Any, **options: Any) -> tuple[FunProgram, tuple[Any, ...]]:
        """Return the FUN program for example arguments, and what it is called with: their leaves
        and the hidden arguments.
        """
        call = self._parameters.call(args, options)
        variant = self._variant(call)
        return variant.program.fun, tuple(variant.arguments(call.values))

    def _variant(self, call: Call) -> Variant:
        try:
            known = self._variants.get(call.key)
        except TypeError:
            raise _unhashable(call) from None
        for v in known or ():
            if v.holds():
                self._hits += 1
                return v
        with TRACING:
            for v in self._variants.get(call.key, ()):
                if v.holds():
                    self._hits += 1
                    return v
            found = Tracer(self._parameters, call).run()
            made = Variant(Program(found))
            self._traces += 1
            self._variants[call.key] = [made, *(known or ())[:_MOST_VARIANTS]]
            return made

    # ------------------------------------------------------------------ the cache

    @property
    def parameters(self) -> Parameters:
        """The parameters and their annotations."""
        return self._parameters

    def cache_info(self) -> CacheInfo:
        """Return how often the function was traced, and how often a call found its variant."""
        return CacheInfo(self._traces, self._hits)

    def clear(self) -> None:
        """Forget all variants."""
        self._fast.clear()
        self._variants.clear()

    # ------------------------------------------------------------------ an ordinary function

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<jitted {self.__qualname__}{self._parameters.signature}>"

    def __reduce__(self) -> Any:
        return _found, (self.__module__, self._public_name())

    def _public_name(self) -> str:
        """Return the name in its module: a lambda has none but that of the variable."""
        name: str = self.__qualname__
        if "<lambda>" not in name:
            return name
        names = vars(sys.modules.get(self.__module__, sys))
        found = next((x for x, value in names.items() if value is self), None)
        if found is None:
            raise PicklingError(f"{self!r} is no variable of its module {self.__module__}")
        return found

    __name__: str
    __qualname__: str
    __wrapped__: Callable[..., Any]


_MOST_VARIANTS = 7
"""Variants of one key that are kept besides the newest: a global may change back."""


_MOST_FAST = 4
"""Variants whose call functions are tried before the general way."""


class Compiled:
    """A variant on an engine: a callable for arguments of the types that were lowered."""

    def __init__(self, f: Jitted, key: Key, variant: Variant, engine: Engine | None) -> None:
        self._f, self._key, self._variant, self._engine = f, key, variant, engine
        self._fast: Callable[..., Any] | None = None
        variant.engine(engine)

    @property
    def stats(self) -> Any:
        """Cost of the last call: launches, peak bytes."""
        return getattr(self._variant.engine(self._engine)[2], "stats", None)

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self._fast is not None and not options:
            found = self._fast(*args)
            if found.__class__ is Raised:
                raise found.error from None
            if found is not MISSED:
                return found
        try:
            call = self._f._parameters.call_as(self._key, args, options)
            found = self._variant.run(call, self._engine)
        except FunmemError as error:
            raise _told(error) from None
        if self._fast is None:
            self._fast = self._quick(call) or _missed
        return found

    def _quick(self, call: Call) -> Callable[..., Any] | None:
        """Return the generated function for arguments without the static ones."""
        plain = self._f._parameters.plain(call) or []
        params = [p for p in plain if not isinstance(p, Static)]
        if params != plain[: len(params)]:  # a static parameter stands before another one
            return None
        return self._variant.quick(params, self._engine, lambda e: Raised(_told(e)), _nothing)


def _missed(*_: Any) -> Missed:
    """Accept no call: a variant without a generated function."""
    return MISSED


def _nothing() -> None:
    """Count no hits: a compiled variant has no cache."""


def _found(module: str, name: str) -> Any:
    """Return a function by its name, as pickle finds ordinary ones."""
    found: Any = sys.modules.get(module) or import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _told(error: FunmemError) -> FunmemError:
    """Return the error as the caller sees it: with the source line, without our frames."""
    d = error.diagnostic
    if isinstance(error, Trap) and error.kind is TrapKind.ASSERTION:
        for start, kind in _KINDS:
            if d.message.startswith(start):
                error.kind = kind
                error.diagnostic = evolve(d, code=kind.value)
    shown(error)
    error.__traceback__ = None
    return error


def _unhashable(call: Call) -> UsageError:
    for name, x in call.static.items():
        try:
            hash(x)
        except TypeError:
            what = f"the static argument `{name}` is not hashable: a {type(x).__name__}"
            break
    else:
        what = "the arguments have no hash"
    from funmem.ir.diagnostics import NOWHERE

    return UsageError(Diagnostic(NOWHERE, "argument", what))


def jit(f: Any = None, *, static: Sequence[str] = ()) -> Any:
    """Return a function that is traced and compiled when it is called.

    ``static`` names parameters whose values are part of the program, such as options.
    """
    if f is None:
        return functools.partial(jit, static=static)
    if isinstance(f, Jitted):
        f = f.__wrapped__
    if isinstance(f, staticmethod | classmethod):
        raise TypeError("put @fm.jit below @staticmethod")
    if not isinstance(f, FunctionType):
        raise TypeError(f"fm.jit takes a Python function, not a {type(f).__name__}")
    given = (static,) if isinstance(static, str) else static
    return Jitted(f, given)
