"""Elaborate expressions: one arm for each form.

Evaluation is strict and from left to right.  What has an effect or changes a variable is bound
where it happens (``out``), and later code sees the new token and the new values; the expression
that is returned has no effect.  It may trap, so it is bound before a later operand that binds
something.
"""

from collections.abc import Sequence

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.assign import set_element, set_variable
from funmem.frontends.harlan.elaborate.code import Code, State
from funmem.frontends.harlan.elaborate.control import for_, if_, match_, while_
from funmem.frontends.harlan.elaborate.externs import (
    checked_word,
    is_command_line,
    names_command_line,
    word_count,
)
from funmem.frontends.harlan.elaborate.functions import apply, call, lambda_
from funmem.frontends.harlan.elaborate.output import print_
from funmem.frontends.harlan.elaborate.parts import impossible, operands, statement
from funmem.frontends.harlan.elaborate.scalars import binary, cast, intrinsic, number
from funmem.frontends.harlan.elaborate.stores import as_array, length, unfolded
from funmem.frontends.harlan.elaborate.vectors import fold, kernel, vector
from funmem.frontends.harlan.elaborate.wraps import Wrap, i32, require, text, unit
from funmem.frontends.harlan.types import PTR_TYPE, VEC_TYPE
from funmem.frontends.inference.types import Opaque
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.scalars import BOOL, I32, I64, U8


def expression(k: Code, e: ast.Exp, st: State, out: list[Wrap]) -> Exp:
    """Return the value of an expression; ``out`` gets what must happen before."""
    at = e.at
    match e:
        case ast.Var(local):
            return k.read(st, local)
        case ast.Number():
            return number(k, e)
        case ast.Bool(value):
            return c.Const(value, BOOL, at)
        case ast.Char(code):
            return c.Const(code, U8, at)
        case ast.Str(value):
            return text(value, at)
        case ast.Bin(_, _, a, b):
            x, y = operands(k, (a, b), st, out)
            x = unfolded(k.program, st, x, k.ground(a), at)
            return binary(k, e, x, unfolded(k.program, st, y, k.ground(b), at))
        case ast.Intrinsic(name, args):
            made = intrinsic(name, operands(k, args, st, out), k.type(e), at)
            return vector(k, e, made, st, out)
        case ast.If():
            return if_(k, e, st, out)
        case ast.Begin(parts):
            for part in parts[:-1]:
                statement(k, part, st, out)
            return expression(k, parts[-1], st, out)
        case ast.Let(bindings, body):
            return _let(k, bindings, body, st, out)
        case ast.While():
            return while_(k, e, st, out)
        case ast.For():
            return for_(k, e, st, out)
        case ast.Match():
            return match_(k, e, st, out)
        case ast.Lambda():
            return lambda_(k, e, st)
        case ast.Apply():
            return apply(k, e, st, out)
        case ast.Call():
            return call(k, e, st, out)
        case ast.Construct(constructor, args):
            whole = k.type(e)
            assert isinstance(whole, c.Sum | c.Data)
            name = k.program.types.identifier(constructor)
            return c.Construct(name, tuple(operands(k, args, st, out)), whole, at)
        case ast.SetVar():
            return set_variable(k, e, st, out)
        case ast.SetElem():
            return set_element(k, e, st, out)
        case ast.Print():
            return print_(k, e, st, out)
        case ast.Assert(cond):
            out.append(require(expression(k, cond, st, out), "the assertion does not hold", at))
            return unit(at)
        case ast.Error(message):
            out.append(require(c.Const(False, BOOL, at), message, at))
            return impossible(k.type(e), at)
        case ast.LetRegion(_, body):
            return expression(k, body, st, out)
        case ast.Cast():
            return cast(k, e, expression(k, e.exp, st, out))
        case ast.VectorOf(elems):
            given = tuple(operands(k, elems, st, out))
            return vector(k, e, c.ArrayLit(given, k.elem_type(e), at), st, out)
        case ast.Iota(count):
            n = c.Convert(I64, expression(k, count, st, out), at)
            return vector(k, e, c.Iota(n, i32(0, at), i32(1, at), at), st, out)
        case ast.Length(v) if names_command_line(k, v):
            return c.Convert(I32, word_count(k, at), at)
        case ast.Length(v):
            return c.Convert(I32, length(expression(k, v, st, out), k.ground(v), at), at)
        case ast.VectorRef(v, index) if names_command_line(k, v):
            return checked_word(k, expression(k, index, st, out), out, at)
        case ast.VectorRef(v, index):
            xs, i = operands(k, (v, index), st, out)
            array = as_array(k.program, st, xs, k.ground(v), at)
            return c.Index(array, (c.Fix(c.Convert(I64, i, at)),), at)
        case ast.Reinterpret(exp):
            return expression(k, exp, st, out)
        case ast.Kernel():
            return kernel(k, e, st, out)
        case ast.Fold():
            return fold(k, e, st, out)


def _let(
    k: Code,
    bindings: Sequence[tuple[ast.Local, ast.Exp]],
    body: ast.Exp,
    st: State,
    out: list[Wrap],
) -> Exp:
    values = operands(k, [v for _, v in bindings], st, out)
    for (x, exp), value in zip(bindings, values, strict=True):
        t = k.type(exp)
        if is_command_line(exp) and not x.assigned:
            k.command_lines.add(x)
            k.bind(st, x, value)
            continue
        k.bind(st, x, k.atom(value, t, out, k.program.plain(x.name)))
        view = k.program.places.views.get(x)
        if view is not None and _is_vector(k, exp):
            # the indices are variables or constants in most programs; others are evaluated again
            inner: list[Exp] = []
            for index in view.indices:
                i = c.Convert(I64, expression(k, index, st, out), index.at)
                inner.append(k.atom(i, I64, out, "i"))
            k.indices[x] = tuple(inner)
    return expression(k, body, st, out)


def _is_vector(k: Code, e: ast.Exp) -> bool:
    t = k.ground(e)
    return isinstance(t, Opaque) and t.hidden in (VEC_TYPE, PTR_TYPE)
