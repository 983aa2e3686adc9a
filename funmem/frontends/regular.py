"""Results of entry points whose rows have one length, as their types say.

Within a program rows of unknown length may differ (``flatten_nested``).  An entry point of a
language without ragged arrays gives a rectangular array, or traps.
"""

from funmem.ir import core as c
from funmem.ir.core_traverse import unsized
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.names import Fresh

_IRREGULAR = "Irregular array: a result of shape {} where shape {} is expected."


def regular(fresh: Fresh, e: c.Exp, t: c.Type, at: Span = NOWHERE) -> c.Exp:
    """Return a result whose rows have one length, as its type says: the program traps otherwise.

    Only rows of unknown length need that.  ``at`` is the place of the trap.
    """
    match t:
        case c.Array(elem) if _has_unknown_size(elem):
            return c.Coerce(e, c.Array(unsized(elem)), _IRREGULAR, at)
        case c.Record(fields) if any(_has_rows(u) for _, u in fields):
            own = tuple(c.Binder(fresh("result"), unsized(u)) for _, u in fields)
            parts = zip(fields, own, strict=True)
            new = [(label, regular(fresh, c.Var(b.name), u, at)) for (label, u), b in parts]
            return c.Let(own, e, c.Fields(tuple(new)))
        case _:
            return e


def _has_rows(t: c.Type) -> bool:
    """True if a result has rows of unknown length."""
    match t:
        case c.Array(elem):
            return _has_unknown_size(elem)
        case c.Record(fields):
            return any(_has_rows(u) for _, u in fields)
        case _:
            return False


def _has_unknown_size(t: c.Type) -> bool:
    """True if the size of an array in a type is unknown."""
    match t:
        case c.Array(elem, size):
            return size is None or _has_unknown_size(elem)
        case c.Record(fields):
            return any(_has_unknown_size(u) for _, u in fields)
        case _:
            return False
