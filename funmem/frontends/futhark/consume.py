"""The uniqueness check: a consumed value must not be used again.

    let ys = xs with [0] = 1        consumes xs: ys may take its place in memory

A value may *share* elements with variables: a slice with its array, a function's result with the
arguments unless the result is declared ``*t``.  Consuming a value makes every value that may share
elements with it unusable.  Values are consumed by ``with`` and ``let x[i] = …``, by parameters
declared ``*t`` (``scatter``, …), and as initial values of loops that consume their parameters.  A
value may be consumed if it is bound in the same function and the same loop, and shares elements
only with such values; a parameter must also be declared ``*t``.

A definition without a return type has a unique result where its body makes it so.  Programs that
this check accepts are accepted by Futhark 0.25.
"""

from funmem.frontends.futhark.consume_apply import fits
from funmem.frontends.futhark.consume_context import ConsumeContext
from funmem.frontends.futhark.consume_exp import check
from funmem.frontends.futhark.consume_function import function_result, function_type
from funmem.frontends.futhark.consume_types import (
    NOTHING,
    Declared,
    Function,
    consumed_whole,
    declared,
    fill,
    shape,
)
from funmem.frontends.futhark.errors import Noted, fail
from funmem.frontends.futhark.typing import Definition, Typing
from funmem.frontends.inference.types import Arrow
from funmem.ir.diagnostics import SourceError
from funmem.ir.names import Name


def consume(typing: Typing, all: bool = False, noted: Noted | None = None) -> None:
    """Check all definitions of the program.  Raises SourceError.

    ``all``: check the prelude too.  ``noted``: collect the errors here instead.
    """
    signatures: dict[Name, Declared] = {}
    shareless: set[Name] = set()
    tied: set[Name] = set()
    for definition in typing.definitions.values():
        cx = ConsumeContext(typing, signatures, shareless, tied, check)
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
            found = fill(NOTHING, signatures[spec.of])
            fits(spec.at, stated, found, f"the type of `{spec.spec.name}` in the module type")


def _definition(cx: ConsumeContext, d: Definition, trusted: bool) -> None:
    """Check a definition and record its type for its users."""
    dec = d.dec
    if dec.ret is not None:
        stated = declared(cx.typing, dec.ret)
        if not dec.params and not d.abstract and consumed_whole(stated):
            fail(
                dec.ret.at,
                "not-consumable",
                f"the type of `{dec.name}` has a `*`, but a top-level constant is never consumed",
                "remove the `*`, or make it a function: `def f () : *t = …`",
            )
        cx.signatures[d.name] = function_type(cx, dec.params, stated)
        if dec.params or (d.abstract and isinstance(stated, Function)):
            cx.shareless.add(d.name)
        if trusted:
            return
    if dec.params:
        if dec.ret is None:  # in its own body, its results may share elements with arguments
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
        cx.signatures[d.name] = fill(False, value)
        cx.shareless.add(d.name)
    else:
        cx.signatures[d.name] = shape(d.scheme.type)


def _result(d: Definition) -> Declared:
    """Return the type of a definition's result, with no part unique."""
    t = d.scheme.type
    for _ in d.dec.params:
        assert isinstance(t, Arrow)
        t = t.result
    return shape(t)
