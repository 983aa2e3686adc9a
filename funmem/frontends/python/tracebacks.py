"""Tracebacks that end in the user's code, without a frame of this package.

An exception records each frame that it passes, and a frame cannot be taken out again.  So the
function that raises it is compiled for the place where the user's function stands, and what it
raises already has a frame at the user's expression (template engines show their lines this way).

    Traceback (most recent call last):
      File "prog.py", line 9, in <module>     the call
        f(xs)
      File "prog.py", line 5, in f            the jitted function
        def f(xs, i):
      File "prog.py", line 6, in f            the expression
        return xs[i]
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from linecache import getline
from types import CodeType, FunctionType
from typing import Any

from funmem.frontends.python.places import STANDS_IN, of_function
from funmem.ir.diagnostics import NOWHERE, FunmemError
from funmem.ir.record import frozen


@frozen
class Raised:
    """An exception, returned as a value."""

    error: Exception


_CALL = """
def {name}(*args, **options):
    found = run(*args, **options)
    if found.__class__ is Raised:
        raise found.error from None
    return found
"""
_RAISE = """
def {name}():
    raise error
"""


def call_of(f: FunctionType, run: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``run`` as a function that stands where ``f`` does, and raises what it returns."""
    at = of_function(f.__code__)
    name = f.__name__ if f.__name__.isidentifier() else "function"
    names = {"run": run, "Raised": Raised}
    return _at(_CALL.format(name=name), at.file, at.line, name, names)


def at_expression(error: FunmemError, name: str) -> FunmemError:
    """Return the error with the user's expression, in the function ``name``, as its traceback."""
    at = error.diagnostic.at
    error.__traceback__ = None
    if at == NOWHERE:
        return error
    name = name if name.isidentifier() else "function"
    fail = _at(_RAISE.format(name=name), at.file, at.line, name, {"error": error})
    try:
        fail()
    except FunmemError as raised:
        trace = raised.__traceback__
        raised.__traceback__ = trace.tb_next if trace is not None else None
    return error


def _at(source: str, file: str, line: int, name: str, names: dict[str, Any]) -> Callable[..., Any]:
    """Return the function of a template, all of it in one line of the user's file."""
    tree = ast.parse(source)
    text = getline(file, line).rstrip().encode()
    start = len(text) - len(text.lstrip())
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr | ast.arg | ast.keyword | ast.excepthandler):
            node.lineno, node.end_lineno = line, line
            node.col_offset, node.end_col_offset = start, max(len(text), start)
    code = compile(tree, file, "exec")
    body = next(x for x in code.co_consts if isinstance(x, CodeType))
    return FunctionType(body.replace(co_qualname=STANDS_IN), names, name)
