"""A campaign of generated programs for ``@funmem.jit``: each seed is judged on its own.

c = campaign(200, first=17, devices=every(10, Device.C))
print(c.summary())
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from attrs import field

from funmem.ir.record import define
from funmem.testing.jit_generator.judge import judge, reproducer, shortened
from funmem.testing.jit_generator.program import generate_jit
from funmem.testing.judge.devices import Device

KEPT = 3
"""Number of programs that are shortened for each kind of failure."""


@define
class Campaign:
    """What was found: runs of each engine, failures by engine and kind, scripts that fail."""

    programs: int = 0
    ran: Counter[str] = field(factory=Counter)
    wrong: Counter[tuple[str, str]] = field(factory=Counter)
    scripts: dict[int, str] = field(factory=dict)

    @property
    def failures(self) -> int:
        """The number of programs that failed."""
        return sum(self.wrong.values())

    def summary(self) -> str:
        """Return the numbers as text."""
        lines = [f"{self.programs} programs, {self.failures} wrong"]
        lines.append("runs: " + ", ".join(f"{x} {n}" for x, n in sorted(self.ran.items())))
        lines += [f"  {n:5d}  {engine}: {code}" for (engine, code), n in self.wrong.most_common()]
        return "\n".join(lines)


def campaign(
    count: int,
    first: int = 0,
    each: Mapping[Device, int] | None = None,
    *,
    engines: bool = True,
    after: Callable[[Campaign, str | None], None] = lambda *_: None,
    found: Campaign | None = None,
) -> Campaign:
    """Judge the programs of ``count`` seeds.

    ``each``: run each K-th program on a device, too.  ``engines``: run more than numpy and Core.
    ``after`` is called after each program, with the script of a failure if there was one.  What was
    found is added to ``found`` and returned.
    """
    found = Campaign() if found is None else found
    for k in range(count):
        p = generate_jit(first + k)
        devices = tuple(d for d, n in (each or {}).items() if n and k % n == 0)
        failure = judge(p, devices, found.ran, engines=engines)
        found.programs += 1
        script = None
        if failure is not None:
            kind = failure.engine, failure.code
            found.wrong[kind] += 1
            if found.wrong[kind] <= KEPT:
                least = devices if failure.engine in ("c", "opencl") else ()
                script = reproducer(shortened(p, failure, least), failure)
                found.scripts[p.seed] = script
        after(found, script)
    return found
