"""Inserts ``Free`` steps after the last use of every block variable.

It is a backward liveness analysis over the steps of a plan.  A variable is live where its value may
still be used, and it is freed after the last step at which it is live.  Variables that the next
iteration uses are live at the end of a loop's body.  So a loop-carried variable is freed after the
last use of its old value, before it is overwritten: double buffering holds two buffers, not three.
Several variables may hold one buffer; the runtime counts them and frees it with the last one.
"""

from collections.abc import Sequence

from funmem.codegen.plan import (
    Alias,
    Alloc,
    BlockArg,
    CallForeign,
    Fetch,
    For,
    Free,
    If,
    KernelInfo,
    Launch,
    ReadScalar,
    SetScalar,
    Step,
    Steps,
    Verify,
    While,
)
from funmem.ir.names import Name

Names = frozenset[Name]
NONE: Names = frozenset()


def with_frees(steps: Steps, given: Names, results: Names, kernels: Sequence[KernelInfo]) -> Steps:
    """Return the steps of an entry point with frees.

    ``given``: the block variables of parameters; ``results``: those that are live at the end.
    """
    freed, live = _Liveness(kernels).steps(steps, results)
    return (*_free(given - live), *freed)


def _free(xs: Names) -> Steps:
    return (Free(tuple(sorted(xs))),) if xs else ()


class _Liveness:
    def __init__(self, kernels: Sequence[KernelInfo]) -> None:
        self._blocks = [frozenset(a.x for a in k.args if isinstance(a, BlockArg)) for k in kernels]

    def steps(self, steps: Steps, live: Names) -> tuple[Steps, Names]:
        """Return the steps with frees and the variables live before them.

        ``live``: the variables live after them.
        """
        done: list[Step] = []
        for step in reversed(steps):
            new, before, touched = self.step(step, live)
            done += reversed((new, *_free(touched - live)))
            live = before
        return tuple(reversed(done)), live

    def step(self, step: Step, live: Names) -> tuple[Step, Names, Names]:
        """Return the step with nested frees, the variables live before it, and those that may hold
        a buffer after it.
        """
        match step:
            case Alloc(x):
                return step, live - {x}, frozenset((x,))
            case Alias(x, y):
                return step, live - {x} | {y}, frozenset((x, y))
            case Launch(kernel):
                used = self._blocks[kernel]
                return step, live | used, used
            case ReadScalar(_, block):
                return step, live | {block}, frozenset((block,))
            case If(cond, then, orelse):
                then, before_then = self.steps(then, live)
                orelse, before_else = self.steps(orelse, live)
                before = before_then | before_else
                then = (*_free(before - before_then), *then)
                orelse = (*_free(before - before_else), *orelse)
                return If(cond, then, orelse), before, NONE
            case For(index, bound, body):
                body, carried = self.loop(body, live)
                return For(index, bound, body), carried, carried
            case While(cond, body):
                body, carried = self.loop(body, live)
                return While(cond, body), carried, carried
            case SetScalar() | Free() | Fetch() | CallForeign() | Verify():
                return step, live, NONE

    def loop(self, body: Steps, live: Names) -> tuple[Steps, Names]:
        """Return the body with frees and the variables live around the loop (least fixed point)."""
        while True:
            freed, before = self.steps(body, live)
            if before <= live:
                return freed, live
            live |= before
