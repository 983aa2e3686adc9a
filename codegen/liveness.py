"""When a buffer is needed no more: ``Free`` steps after the last use of every block variable.

Backward liveness over the steps of a plan.  A variable is live where its value may still be used;
it is freed after the step behind which it is not.  A loop's body runs with everything live that
the next iteration uses, so a variable carried around a loop is freed when its old value has been
used for the last time, not when it is overwritten: double buffering holds two buffers, not three.
Two variables may hold one buffer; the runtime counts, and frees it with the last of them.
"""

from collections.abc import Sequence

from funmem.codegen.plan import (
    Alias,
    Alloc,
    BlockArg,
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
    """The steps of an entry point with frees; ``given``: block variables that have a value before
    it runs, ``results``: those that must have theirs when it has run.
    """
    freed, live = _Liveness(kernels).steps(steps, results)
    return (*_free(given - live), *freed)


def _free(xs: Names) -> Steps:
    return (Free(tuple(sorted(xs))),) if xs else ()


class _Liveness:
    def __init__(self, kernels: Sequence[KernelInfo]) -> None:
        self._blocks = [frozenset(a.x for a in k.args if isinstance(a, BlockArg)) for k in kernels]

    def steps(self, steps: Steps, live: Names) -> tuple[Steps, Names]:
        """The steps with frees, and what is live before them; ``live``: what is live after."""
        done: list[Step] = []
        for step in reversed(steps):
            new, before, touched = self.step(step, live)
            done += reversed((new, *_free(touched - live)))
            live = before
        return tuple(reversed(done)), live

    def step(self, step: Step, live: Names) -> tuple[Step, Names, Names]:
        """The step with frees inside; what is live before it; what may hold a value after it."""
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
            case SetScalar() | Free() | Fetch() | Verify():
                return step, live, NONE

    def loop(self, body: Steps, live: Names) -> tuple[Steps, Names]:
        """The body with frees, and what is live around the loop: a least fixed point."""
        while True:
            freed, before = self.steps(body, live)
            if before <= live:
                return freed, live
            live |= before
