"""Python modules as programs: their annotated jitted functions are entry points of one program.

    @fm.jit
    def dot(x: fm.f32["n"], y: fm.f32["n"]): …        entry dot [n] (x : [n]f32) (y : [n]f32) …

The module is executed.  Entry points are the functions that it defines under a public name, or
those in ``__all__``.  A function without annotations that an entry point uses is one of its shared
definitions; any other one is an error.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from funmem.codegen.python_trees import Function, Kind, Leaf, Node, Param, Passing, Tree
from funmem.frontends.python import trees
from funmem.frontends.python.errors import Code, wrong
from funmem.frontends.python.jit import TRACING, Jitted
from funmem.frontends.python.places import of_function
from funmem.frontends.python.signatures import Call
from funmem.frontends.python.trace import Result, Traced1, Tracer
from funmem.ir import core as c
from funmem.ir.diagnostics import NOWHERE, Diagnostic, FunmemError, SourceError, Span
from funmem.ir.foreign import NONE, ForeignCode, joined
from funmem.ir.names import IDENTIFIER, Name

Exported = tuple[c.CoreProgram, tuple[Function, ...]]


def foreign(text: str, name: str) -> ForeignCode:
    """Return the raw functions that a module's entry points call.  Raises SourceError."""
    if not any(word in text for word in ("opencl", "fm.c", "funmem.c")):
        return NONE
    with _executed(text, name) as module:
        return foreign_of(_entry_points(module), text)


def foreign_of(functions: Mapping[str, Jitted], text: str = "") -> ForeignCode:
    """Return the raw functions that these functions call.  Raises SourceError."""
    made = _Program(functions, text)
    with TRACING:
        made.run()
    return joined(made.foreign)


def exported(text: str, name: str) -> Exported:
    """Return the program of a module, and how Python calls its entry points.

    Raises SourceError, also for an exception of the module's.
    """
    with _executed(text, name) as module:
        return program_of(_entry_points(module), text)


def problems(text: str, name: str) -> list[Diagnostic]:
    """Return all errors of a module: one for each function that is wrong."""
    found: list[Diagnostic] = []
    try:
        with _executed(text, name) as module:
            _Program(_entry_points(module), text, found).run()
    except FunmemError as error:
        found.append(error.diagnostic)
    return found


def program_of(functions: Mapping[str, Jitted], text: str = "") -> Exported:
    """Return the program with these entry points, and how Python calls them.

    ``text``: the module's, in which parameters are located.  Raises SourceError.
    """
    made = _Program(functions, text)
    with TRACING:
        made.run()
    declared = tuple(dict.fromkeys(made.declared))
    core = c.CoreProgram(tuple(made.entries), tuple(made.defs), (), declared)
    return core, tuple(made.functions)


# ---------------------------------------------------------------------- the module


@contextmanager
def _executed(text: str, name: str) -> Iterator[ModuleType]:
    """Execute a module, which can be imported from while the block runs."""
    stem = os.path.splitext(os.path.basename(name))[0]
    stem = stem if stem.isidentifier() else "program"
    while stem in sys.modules:
        stem += "_"
    module = ModuleType(stem)
    folder = None
    if os.path.isfile(name):
        module.__file__ = os.path.abspath(name)
        folder = os.path.dirname(module.__file__)
        sys.path.insert(0, folder)
    else:
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    sys.modules[stem] = module
    try:
        with _reported(name):
            exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)
        yield module
    finally:
        del sys.modules[stem]
        if folder is not None:
            sys.path.remove(folder)


@contextmanager
def _reported(file: str) -> Iterator[None]:
    """Turn an exception of the user's code into a SourceError at its line."""
    try:
        yield
    except FunmemError:
        raise
    except SyntaxError as error:
        first = max(error.offset or 1, 1)
        at = Span(error.filename or file, error.lineno or 1, first, first + 1)
        raise SourceError(Diagnostic(at, "syntax", error.msg)) from error
    except (Exception, SystemExit) as error:
        message = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise SourceError(Diagnostic(_raised(error, file), "raised", message)) from error


def _raised(error: BaseException, file: str) -> Span:
    """Return the innermost line of a file that an exception went through, without its indent."""
    line, traceback = 1, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    text = linecache.getline(file, line).rstrip()
    first = len(text) - len(text.lstrip()) + 1
    return Span(file, line, first, max(len(text), first) + 1)


def _entry_points(module: ModuleType) -> dict[str, Jitted]:
    """Return the jitted functions of a module by name.  Raises SourceError if there is none."""
    listed = getattr(module, "__all__", None)
    found: dict[int, tuple[str, Jitted]] = {}
    for name in module.__dict__ if listed is None else listed:
        f = getattr(module, name, None)
        if not isinstance(f, Jitted):
            continue
        if listed is None and (name.startswith("_") or f.__module__ != module.__name__):
            continue
        if id(f) not in found or name == f.__name__:
            found[id(f)] = (name, f)
    if not found:
        message = f"`{module.__name__}` defines no function under @funmem.jit"
        hint = "names that begin with `_` are private; `__all__` lists names from other modules"
        raise SourceError(Diagnostic(NOWHERE, "no-entry", message, hint))
    return dict(found.values())


# ---------------------------------------------------------------------- the program


class _Program:
    """Traces functions one by one; names of definitions are unique in the program."""

    def __init__(
        self, functions: Mapping[str, Jitted], text: str, errors: list[Diagnostic] | None = None
    ) -> None:
        self.given, self.text, self.errors = functions, text, errors
        self.entries: list[c.Entry] = []
        self.defs: list[c.Def] = []
        self.functions: list[Function] = []
        self.declared: list[c.ForeignDef] = []
        self.foreign: list[ForeignCode] = []
        self.taken = {Name(x) for x in functions}
        self.used: set[int] = set()
        self.classes: dict[str, type] = {}

    def run(self) -> None:
        """Trace all functions."""
        missing = {x: error for x, f in self.given.items() if (error := self._unannotated(f))}
        for name, error in missing.items():
            if any(a is not None for a in self.given[name].parameters.annotations.values()):
                self._refuse(error)
                self.used.add(id(self.given[name]))
        for name, f in self.given.items():
            if name not in missing:
                self._guarded(name, f)
        for name, error in missing.items():
            if id(self.given[name]) not in self.used:
                self._refuse(error)

    def _refuse(self, error: FunmemError) -> None:
        if self.errors is None:
            raise error
        self.errors.append(error.diagnostic)

    def _guarded(self, name: str, f: Jitted) -> None:
        try:
            with _reported(f.parameters.function.__code__.co_filename):
                self._add(name, f)
        except SourceError as error:
            self._refuse(error)

    def _unannotated(self, f: Jitted) -> SourceError | None:
        """Return the error for a parameter without a type, or None."""
        p = f.parameters
        for x in p.order:
            if x in p.static:
                what = f"the parameter `{x}` of `{f.__name__}` is static, so it has no type"
                hint = "write a function that passes its value"
            elif p.signature.parameters[x].kind in _VARIADIC:
                what = f"the number of `{f.__name__}`'s arguments is not fixed: `{x}`"
                hint = "name the parameters"
            elif p.annotations[x] is None:
                what = f"the parameter `{x}` of `{f.__name__}` has no type"
                hint = f'annotate it: {x}: fm.f32["n"]'
            else:
                continue
            return wrong(Code.TYPE, what, hint, self._place(f, x))
        return None

    def _place(self, f: Jitted, parameter: str) -> Span:
        """Return the position of a parameter, or of the function where the text is not known."""
        code = f.parameters.function.__code__
        if self.text and (at := _parameter(self.text, code.co_firstlineno, parameter)) is not None:
            return Span(code.co_filename, *at)
        return of_function(code)

    def _add(self, name: str, f: Jitted) -> None:
        at = of_function(f.parameters.function.__code__)
        if not IDENTIFIER.fullmatch(name):
            raise wrong(Code.UNSUPPORTED, f"`{name}` is no ASCII name", "rename it", at)
        call = f.parameters.from_types((), {})
        assert call is not None
        tracer = Tracer(f.parameters, call, Name(name), self.taken)
        found = tracer.run()
        for h in found.captures.hidden:
            message = f"`{name}` uses the array `{h.name}`, which a compiled module does not see"
            raise wrong(Code.UNSUPPORTED, message, "make it a parameter", at)
        self.used |= {id(g.value) for g in found.captures.guards if isinstance(g.value, Jitted)}
        self.used |= {key[0] for key in tracer.tape.defs}
        self.entries += found.core.entries
        self.defs += found.core.defs
        self.declared += found.core.foreign
        self.foreign.append(found.foreign)
        self.taken |= {d.name for d in found.core.defs}
        self.functions.append(self._function(name, f, call, found))

    # ------------------------------------------------------------------ how Python calls it

    def _function(self, name: str, f: Jitted, call: Call, found: Traced1) -> Function:
        at = of_function(f.parameters.function.__code__)
        params = []
        for p, structure in zip(
            f.parameters.signature.parameters.values(), call.key.structures, strict=True
        ):
            default = "" if p.default is p.empty else _literal(p.default)
            if default is None:
                what = f"the default of `{p.name}` is no number"
                raise wrong(Code.UNSUPPORTED, what, "leave it out", self._place(f, p.name))
            tree = self._tree(structure, iter(()), at)
            params.append(Param(p.name, tree, default, _PASSING[p.kind]))
        doc = " ".join((f.__doc__ or "").split())
        return Function(
            name, tuple(params), self._tree(found.structure, iter(found.results), at), doc
        )

    def _tree(self, s: trees.Structure, results: Iterator[Result], at: Span) -> Tree:
        """Return a structure as the compiled module builds it.  Raises SourceError."""
        if isinstance(s, trees.Leaf):
            r = next(results, None)
            return Leaf(numpy=r is not None and not r.rank and not r.weak)
        parts = tuple([self._tree(p, results, at) for p in s.parts])
        kind = _kind(s)
        if kind is None or not all(isinstance(x, str) for x in s.labels):
            what = "a dict whose keys are no texts" if s.kind is dict else f"a {s.kind.__name__}"
            hint = "use tuples, lists, dicts with texts as keys, named tuples or dataclasses"
            raise wrong(Code.UNSUPPORTED, f"a compiled module cannot make {what}", hint, at)
        name = s.kind.__name__ if kind in (Kind.DATACLASS, Kind.NAMED_TUPLE) else ""
        if name and self.classes.setdefault(name, s.kind) is not s.kind:
            what = f"there are two classes called `{name}`"
            raise wrong(Code.UNSUPPORTED, what, "rename one of them", at)
        return Node(kind, s.labels, parts, name)


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_PASSING: dict[inspect._ParameterKind, Passing] = {
    inspect.Parameter.POSITIONAL_ONLY: Passing.POSITION,
    inspect.Parameter.POSITIONAL_OR_KEYWORD: Passing.EITHER,
    inspect.Parameter.KEYWORD_ONLY: Passing.NAME,
}


def _kind(s: trees.Node) -> Kind | None:
    """Return what a node is in a compiled module; None for a subclass of a container."""
    if s.kind in (tuple, list, dict):
        return {tuple: Kind.TUPLE, list: Kind.LIST, dict: Kind.DICT}[s.kind]
    if hasattr(s.kind, "__dataclass_fields__"):
        return Kind.DATACLASS
    return Kind.NAMED_TUPLE if issubclass(s.kind, tuple) and hasattr(s.kind, "_fields") else None


def _literal(x: Any) -> str | None:
    """Return a number as a Python literal, or None."""
    if hasattr(x, "item") and not getattr(x, "shape", None):
        x = x.item()
    if isinstance(x, float):
        return repr(x) if x - x == 0 else f'float("{x}")'
    return repr(x) if type(x) in (bool, int) else None


def _parameter(text: str, line: int, name: str) -> tuple[int, int, int] | None:
    """Return the line and the columns of a parameter of the function that begins in a line."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        if first != line:
            continue
        a = node.args
        extra = [x for x in (a.vararg, a.kwarg) if x is not None]
        for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, *extra):
            if p.arg == name:
                return p.lineno, p.col_offset + 1, p.col_offset + 1 + len(name)
    return None
