"""Uniqueness: what has been consumed is not used again.

    let ys = xs with [0] = 1        consumes xs: ys may take its place in memory

A value may *share* elements with variables: a slice with the array it is of, a function's result
with its arguments unless the result is declared ``*t``.  Consuming a value makes all that may
share elements with it unusable.  Consuming are ``with`` and ``let x[i] = …``, arguments of
parameters declared ``*t`` (``scatter``, …), and initial values of loops whose parameters are
consumed.  What may be consumed is what is bound in the same function and the same loop, and
shares with nothing that may not; a parameter only if it is declared ``*t``.

A definition without a return type has a unique result where its body says so.  What this accepts,
Futhark 0.25 accepts.
"""

from funmem.frontends.futhark.consume_apply import fits
from funmem.frontends.futhark.consume_context import Context
from funmem.frontends.futhark.consume_exp import check
from funmem.frontends.futhark.consume_function import function_result, function_type
from funmem.frontends.futhark.consume_types import (
    NOTHING,
    Declared,
    Function,
    consumed_whole,
    declared,
    say,
    shape,
)
from funmem.frontends.futhark.errors import Noted, fail
from funmem.frontends.futhark.types import Arrow
from funmem.frontends.futhark.typing import Definition, Typing
from funmem.ir.diagnostics import SourceError
from funmem.ir.names import Name


def consume(typing: Typing, all: bool = False, noted: Noted | None = None) -> None:
    """Check all definitions of the program; ``all``: and of the prelude.  Raises SourceError.

    ``noted``: where to note errors instead.
    """
    signatures: dict[Name, Declared] = {}
    shareless: set[Name] = set()
    tied: set[Name] = set()
    for definition in typing.definitions.values():
        cx = Context(typing, signatures, shareless, tied, check)
        try:
            _definition(cx, definition, definition.prelude and not all)
        except SourceError as error:
            if noted is None:
                raise
            noted.note(error)
            signatures.setdefault(definition.name, shape(definition.scheme.type))
    for spec in typing.specs.values():
        if spec.of is not None:
            stated = declared(typing, spec.spec.type)
            found = say(NOTHING, signatures[spec.of])
            fits(spec.at, stated, found, f"the type of `{spec.spec.name}` in the module type")


def _definition(cx: Context, d: Definition, trusted: bool) -> None:
    """Check a definition, and note what its users must know."""
    dec = d.dec
    if dec.ret is not None:
        stated = declared(cx.typing, dec.ret)
        if not dec.params and not d.abstract and consumed_whole(stated):
            fail(
                dec.ret.at,
                "not-consumable",
                f"the type of `{dec.name}` has a `*`, but a top-level constant is never given away",
                "leave the `*` out, or make it a function: `def f () : *t = …`",
            )
        cx.signatures[d.name] = function_type(cx, dec.params, stated)
        if dec.params or (d.abstract and isinstance(stated, Function)):
            cx.shareless.add(d.name)
        if trusted:
            return
    if dec.params:
        if dec.ret is None:  # in its own body, its results may share with its arguments
            cx.signatures[d.name] = function_type(cx, dec.params, _result(d))
            cx.shareless.add(d.name)
        cx.tied.add(d.name)
        found, tied = function_result(cx, dec.params, dec.ret, dec.exp)
        if not tied:
            cx.tied.remove(d.name)
        cx.signatures[d.name] = function_type(cx, dec.params, found)
        cx.shareless.add(d.name)
        return
    value = check(cx, dec.exp)
    if dec.ret is not None:
        fits(dec.exp.at, stated, value, "the annotated type")
    if isinstance(value, Function):
        cx.signatures[d.name] = say(False, value)
        cx.shareless.add(d.name)
    else:
        cx.signatures[d.name] = shape(d.scheme.type)


def _result(d: Definition) -> Declared:
    """The type of a definition's result, nothing of it unique."""
    t = d.scheme.type
    for _ in d.dec.params:
        assert isinstance(t, Arrow)
        t = t.result
    return shape(t)
