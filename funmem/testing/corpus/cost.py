"""The budget of programs in a corpus, and scatters whose result is undefined."""

import numpy as np

from funmem.interp.counted import TooMuch
from funmem.interp.metered import MOST, Measured, Metered
from funmem.interp.scope import entry_named
from funmem.interp.value import Evaluator, GetValue
from funmem.ir.erase import erase_entry
from funmem.ir.fun import Ann, Exp, Scatter, Stm
from funmem.ir.functions import table
from funmem.ir.signature import signature
from funmem.ir.values import ArrayValue, Data, Value, bind
from funmem.testing.judge.program import Case, Outcome


def writes_once(case: Case) -> bool:
    """True if no scatter writes two different values to one place, which leaves it undefined.

    Raises Trap; InputError.
    """
    entry = erase_entry(entry_named(case.program, case.entry))
    sizes, values = bind(signature(entry), case.args)
    try:
        once = _Once()
        once.functions, once.foreign = table(case.program), case.functions
        once.resolved(entry)([sizes[b.name] for b in entry.implicit], values)
    except TooMuch:
        return False
    return True


def outcome_within(case: Case, statements: int = MOST) -> tuple[Outcome, int]:
    """Return the outcome and the number of executed statements.  Raises TooMuch; InputError."""
    return measured(case, statements).run(case.args)


def measured(case: Case, statements: int = MOST) -> Measured:
    """Return a case's entry point with a budget; it also raises TooMuch for
    conflicting scatters.
    """
    return Measured(case.program, case.entry, statements, _MeteredOnce(), case.functions)


class _Once(Evaluator):
    """An evaluator that raises TooMuch if a scatter writes two different values to one place."""

    def exp(self, e: Exp[Ann], s: Stm[Ann]) -> GetValue:
        """Evaluate an expression; for a scatter, check its indices first."""
        get = super().exp(e, s)
        if not isinstance(e, Scatter):
            return get
        into, places, values = self.array(e.x), self.array(e.indices), self.array(e.values)

        def once() -> Value:
            to = places()  # traps on uninitialised indices
            if to.mask().all() and _differ(to.data, into().data.shape[0], values()):
                raise TooMuch("it scatters two values to one place")
            return get()

        return once


def _differ(places: Data, length: int, values: ArrayValue) -> bool:
    """True if one of the places gets two different values."""
    first: dict[int, int] = {}
    for k, place in enumerate(places.tolist()):
        if 0 <= place < length:
            j = first.setdefault(place, k)
            if j != k and not _same(values, j, k):
                return True
    return False


def _same(values: ArrayValue, j: int, k: int) -> bool:
    """True if two rows are equal: the same elements are defined, and have the same bits or are
    NaNs.
    """
    data, written = np.ascontiguousarray(values.data), values.mask()
    bits = data.view(f"u{data.itemsize}")
    equal = np.atleast_1d(bits[j] == bits[k])
    if values.elem.is_float:
        equal |= np.isnan(data[j]) & np.isnan(data[k])
    return bool(np.all(written[j] == written[k]) and np.all(equal | ~written[j]))


class _MeteredOnce(_Once, Metered):
    """An evaluator that checks scatters and counts statements and elements."""
