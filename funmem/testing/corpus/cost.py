"""What the programs of a corpus may cost, and races whose winner nobody knows."""

import numpy as np

from funmem.interp.metered import MOST, Measured, Metered, TooMuch
from funmem.interp.scope import entry_named
from funmem.interp.value import Evaluator, GetValue
from funmem.ir.erase import erase_entry
from funmem.ir.fun import Ann, Exp, Scatter, Stm
from funmem.ir.signature import signature
from funmem.ir.values import Value, bind
from funmem.testing.judge import Case, Outcome


def writes_once(case: Case) -> bool:
    """Whether no scatter writes two elements to one place: nobody knows which of them stays.

    Raises Trap; InputError.
    """
    entry = erase_entry(entry_named(case.program, case.entry))
    sizes, values = bind(signature(entry), case.args)
    try:
        _Once().resolved(entry)([sizes[b.name] for b in entry.implicit], values)
    except TooMuch:
        return False
    return True


def outcome_within(case: Case, statements: int = MOST) -> tuple[Outcome, int]:
    """The program's outcome, and how many statements it executed.  Raises TooMuch; InputError."""
    return measured(case, statements).run(case.args)


def measured(case: Case, statements: int = MOST) -> Measured:
    """A case's entry point, which gives up on races as well."""
    return Measured(case.program, case.entry, statements, _MeteredOnce())


class _Once(Evaluator):
    """An evaluator that gives up if a scatter writes a place twice."""

    def exp(self, e: Exp[Ann], s: Stm[Ann]) -> GetValue:
        """An expression, its indices looked at if it is a scatter."""
        get = super().exp(e, s)
        if not isinstance(e, Scatter):
            return get
        places = self.array(e.indices)

        def once() -> Value:
            data = places().data
            if len(np.unique(data)) < len(data):
                raise TooMuch("it scatters two values to one place")
            return get()

        return once


class _MeteredOnce(_Once, Metered):
    """An evaluator that gives up on that, and if there is too much to do."""
