"""lower-verified: lowering without the checks that the verifier has proved.

*Before -> after.*

    check threads nonneg …;  kernel t < threads do              kernel t < threads do
      lo <- t * count;                                            lo <- t * count;
      check lo : count : 1 inside n "index out of bounds" …  ->
      …                                                           …
    done                                                        done

Unlike *unchecked*, this preserves the behaviour of programs: a check is removed only if it can
never fail (:mod:`funmem.ir.verify.checks`), on the host as well as in kernels.  A remark for each
check tells how it was proved, or why it stays; remarks on scatters are those of *lower*.

*Precondition*: FUNMEM, well typed.  *Postcondition*: that of *lower*.
"""

from functools import partial

from funmem.ir.fun import MemProgram
from funmem.ir.functions import as_entry
from funmem.ir.imp import ImpProgram
from funmem.ir.verify.certificate import Verdict
from funmem.ir.verify.checks import judged
from funmem.passes.framework import Context, lowering_pass
from funmem.passes.lower import as_function, entry_point, remarks_in
from funmem.passes.pipeline import VERIFIED


@lowering_pass(VERIFIED, summary="lower, and leave out the checks that the verifier proves (IMP)")
def lower_verified(p: MemProgram, ctx: Context) -> ImpProgram:
    """Lower every entry point."""
    lowering = partial(entry_point, tell=remarks_in(ctx))
    found = [judged(e, lowering) for e in p.entries]
    functions = [judged(as_entry(f), lowering) for f in p.functions]
    for o in (o for entry in (*functions, *found) for o in entry.obligations):
        if o.verdict is Verdict.PROVED:
            assert o.step is not None
            ctx.did(o.place, "check left out", o.step.value)
        else:
            ctx.remark(o.place, "check stays", o.why)
    return ImpProgram(
        tuple(entry.without_proved() for entry in found),
        tuple(as_function(f.without_proved()) for f in functions),
    )
