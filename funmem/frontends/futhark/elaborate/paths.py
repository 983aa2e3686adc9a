"""Paths of fields and elements: ``e with l[d, …].m = v`` and ``(.l[d, …].m)``."""

from funmem.frontends.futhark.elaborate.context import Elaboration, Wrap, core_type
from funmem.frontends.inference import types as ty
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span

Step = str | tuple[c.Dim, ...]
"""One step into a value: the label in ``.l``, or the indices in ``[d, …]``."""


def reached(whole: Exp, path: tuple[Step, ...], at: Span) -> Exp:
    """Return the part of ``whole`` that a path selects."""
    for step in path:
        match step:
            case str():
                whole = c.Project(whole, step, at)
            case dims:
                whole = c.Index(whole, dims, at)
    return whole


def replaced(
    ctx: Elaboration,
    whole: Exp,
    t: ty.Type,
    path: tuple[Step, ...],
    new: Exp,
    out: list[Wrap],
    at: Span,
) -> Exp:
    """Return ``whole``, of type ``t``, with ``new`` at the end of the path.

        xs with [i].l[j] = v  ->  zip {l = (unzip xs).l with [i, j] = v, m = (unzip xs).m}

    Arrays are updated in place, but a part in ``[i, j].l`` or ``[a:b][i]`` is copied first.
    ``whole`` may occur several times in the result.
    """
    if not path:
        return new
    first, rest = path[0], path[1:]
    if isinstance(first, str):
        return _with_field(ctx, whole, t, first, rest, new, out, at)
    if not rest:
        return c.Update(whole, first, new, at)
    second = rest[0]
    if not isinstance(second, str) and all(isinstance(d, c.Fix) for d in first):
        return replaced(ctx, whole, t, ((*first, *second), *rest[1:]), new, out, at)
    if isinstance(second, str) and len(first) == 1:
        assert isinstance(t, ty.Array)
        assert isinstance(t.elem, ty.Record)
        columns = ty.Record(tuple((m, ty.Array(u, t.size)) for m, u in t.elem.fields))
        parts = ctx.atom(c.Unzip(whole, at), core_type(columns), out, "columns")
        path = (first, *rest[1:])
        return c.Zip(_with_field(ctx, parts, columns, second, path, new, out, at).fields, at)
    u = _part(t, first)
    part = ctx.atom(c.Copy(c.Index(whole, first, at), at), core_type(u), out, "part")
    return c.Update(whole, first, replaced(ctx, part, u, rest, new, out, at), at)


def _with_field(
    ctx: Elaboration,
    whole: Exp,
    t: ty.Type,
    label: str,
    rest: tuple[Step, ...],
    new: Exp,
    out: list[Wrap],
    at: Span,
) -> c.Fields:
    assert isinstance(t, ty.Record)
    fields: list[tuple[str, Exp]] = []
    for m, u in t.fields:
        part: Exp = c.Project(whole, m, at)
        fields.append((m, replaced(ctx, part, u, rest, new, out, at) if m == label else part))
    return c.Fields(tuple(fields), at)


def _part(t: ty.Type, dims: tuple[c.Dim, ...]) -> ty.Type:
    """Return the type of a part of an array."""
    if not dims:
        return t
    assert isinstance(t, ty.Array)
    elem = _part(t.elem, dims[1:])
    return elem if isinstance(dims[0], c.Fix) else ty.Array(elem, None)
