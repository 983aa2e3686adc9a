"""Translate a checked program to Core (:mod:`funmem.ir.core`).

Surface forms that Core lacks are expanded here: patterns, sections, ranges, ``for x in``, record
update, comprehensions, ``let x[i] = e``, size parameters (an i64 that is found in the arguments or
passed), and the checks that sizes are those stated by types.
"""

import re
from collections.abc import Mapping

from funmem.frontends.futhark.elaborate.context import Elaboration, core_type
from funmem.frontends.futhark.elaborate.exp import expression
from funmem.frontends.futhark.elaborate.functions import function, payload_size
from funmem.frontends.futhark.elaborate.patterns import sub_binders
from funmem.frontends.futhark.elaborate.scopes import in_scope
from funmem.frontends.futhark.typing import Definition, Typing
from funmem.frontends.inference import types as ty
from funmem.frontends.regular import regular
from funmem.ir import core as c
from funmem.ir.core_traverse import resize, unplaced
from funmem.ir.diagnostics import Diagnostic
from funmem.ir.names import IDENTIFIER, Fresh, Name
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var
from funmem.ir.text import RESERVED


def elaborate(typing: Typing, remarks: list[Diagnostic] | None = None) -> c.CoreProgram:
    """Return the program's entry points and the definitions that they need, as Core.

    Remarks on the program are added to ``remarks``.  Raises SourceError (``not-supported``).
    """
    ctx = Elaboration(typing, expression)
    defs = tuple(_definition(ctx, d) for d in typing.definitions.values() if not d.abstract)
    entries = tuple(_entry(typing.definitions[name]) for name in typing.entries)
    if remarks is not None:
        remarks += ctx.remarks
    return c.CoreProgram(entries, defs)


def _definition(ctx: Elaboration, d: Definition) -> c.Def:
    scheme, dec = d.scheme, d.dec
    entry = d.name in ctx.typing.entries
    exp = function(ctx, dec.params, dec.ret, dec.exp, ctx.exp, dec.at, scheme, called_outside=entry)
    sizes = [I64 for _ in scheme.explicit_sizes]
    t = c.arrow(list(sizes), core_type(scheme.type))
    if d.prelude:  # errors are reported at the user's call, not in the prelude
        exp = unplaced(exp)
    return c.Def(d.name, scheme.types, t, in_scope(exp, dec.at), dec.at)


def _entry(d: Definition) -> c.Entry:
    """Return an entry point, which calls the definition of that name.

    Its parameters and sizes keep their names from the source, which the caller sees.  A size that
    occurs only in payloads of sums depends on the constructors of the arguments, so it is computed.
    """
    fresh = Fresh(map(Name, RESERVED))
    params: list[c.EntryParam] = []
    t = d.scheme.type
    names = _parameter_names(d, fresh)
    sizes = {n: fresh.reserve(Name(_SUFFIX.sub("", n))) for n in d.scheme.sizes}
    given = list(zip(map(c.Var, names), _parameters(t), strict=True))
    args: list[c.Exp] = []
    for n in d.scheme.explicit_sizes:
        found = payload_size(fresh, n, given, d.dec.at)
        args.append(c.Var(sizes[n]) if found is None else found)
        if found is not None:
            del sizes[n]
    image = {n: var(new) for n, new in sizes.items()}
    computed = frozenset(d.scheme.sizes) - frozenset(sizes)
    while isinstance(t, ty.Arrow):
        unique = c.Unique.CONSUMED if t.consumes else c.Unique.SHARED
        binder = c.Binder(names[len(params)], _resized(t.param, image, computed))
        params.append(c.EntryParam(binder, unique))
        t = t.result
    fn: c.Exp = c.Global(d.name, (), d.dec.at)
    args += [c.Var(p.binder.name) for p in params]
    exp = c.App(fn, tuple(args), d.dec.at) if args else fn
    result = _resized(t, image, computed)
    exp = regular(fresh, exp, result)
    return c.Entry(Name(d.dec.name), tuple(sizes.values()), tuple(params), result, exp, d.dec.at)


_SUFFIX = re.compile(r"_\d+$")


def _parameters(t: ty.Type) -> list[ty.Type]:
    params: list[ty.Type] = []
    while isinstance(t, ty.Arrow):
        params.append(t.param)
        t = t.result
    return params


def _resized(t: ty.Type, image: Mapping[Name, Size], computed: frozenset[Name]) -> c.Type:
    """Return the type with the caller's names for sizes, and without the computed sizes."""
    known = core_type(t)
    return resize(known, lambda d: d.subst(image) if d.free().isdisjoint(computed) else None)


def _parameter_names(d: Definition, fresh: Fresh) -> list[Name]:
    """Return the names in the patterns; a pattern without a single plain name is ``arg`` k."""
    names: list[Name] = []
    for k, pat in enumerate(d.dec.params):
        found = sub_binders(pat)
        plain = len(found) == 1 and IDENTIFIER.fullmatch(found[0].name)
        names.append(fresh.reserve(Name(found[0].name if plain else f"arg{k}")))
    t, k = d.scheme.type, 0
    while isinstance(t, ty.Arrow):
        if k >= len(names):
            names.append(fresh.reserve(Name(f"arg{k}")))
        t, k = t.result, k + 1
    return names
