"""A campaign of generated `.kfc` programs: the engine of ``funmem fuzz --harlan``.

c = harlan_campaign(200, first=17, each={Device.C: 20, Device.OPENCL: 50})
print(c.summary())
"""

from collections.abc import Callable, Mapping

from funmem.testing.harlan_generator.judge import Failure, judge
from funmem.testing.harlan_generator.program import generate_harlan
from funmem.testing.harlan_generator.shrink import shrunk
from funmem.testing.jit_generator.campaign import KEPT, Campaign
from funmem.testing.judge.devices import Device


def harlan_campaign(
    count: int,
    first: int = 0,
    each: Mapping[Device, int] | None = None,
    *,
    seconds: float = 60.0,
    after: Callable[[Campaign, str | None], None] = lambda *_: None,
    found: Campaign | None = None,
) -> Campaign:
    """Judge the programs of ``count`` seeds.

    ``each``: run each K-th program on a device, too.  ``seconds``: time to shrink a failing one; 0:
    it is left as it is.  ``after`` is called after each program, with the text of a failure if
    there was one.  What was found is added to ``found`` and returned.
    """
    found = Campaign() if found is None else found
    for seed in range(first, first + count):
        p = generate_harlan(seed)
        devices = tuple(d for d, n in (each or {}).items() if n and seed % n == 0)
        failure = judge(p.text, devices, found.ran)
        found.programs += 1
        script = None
        if failure is not None:
            kind = failure.engine, failure.code
            found.wrong[kind] += 1
            if found.wrong[kind] <= KEPT:
                text = shrunk_alike(p.text, failure, seconds)
                script = found.scripts[seed] = reproducer(f"seed {seed}", text, failure)
        after(found, script)
    return found


def shrunk_alike(text: str, failure: Failure, seconds: float) -> str:
    """Return a smaller text that fails in the same way."""
    if failure.engine in ("oracle", "front end"):  # any wrong text would fail alike
        return text
    devices = tuple(d for d in Device if d.value == failure.engine)
    return shrunk(text, lambda t: failure.like(judge(t, devices)), seconds)


def reproducer(name: str, text: str, failure: Failure) -> str:
    """Return a failing program as a file: its name and what went wrong, as comments."""
    said = "".join(f"; {line}\n" for line in failure.message.splitlines()[-12:])
    return f"; {name}: {failure.engine}, {failure.code}\n{said}{text}"
