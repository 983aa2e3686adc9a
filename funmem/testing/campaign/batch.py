"""The work on a batch of seeds, in any process.

It reads and writes no files: its result contains the findings and the reproducers of disagreements.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import TypeAlias

from attrs import asdict, field

from funmem.ir.record import frozen
from funmem.testing.campaign.orders import Orders
from funmem.testing.campaign.selection import select
from funmem.testing.campaign.trial import Disagreement, Trial, trial
from funmem.testing.corpus.samples import Corpus
from funmem.testing.judge.devices import AnyDevice, Device, NamedDevice


@frozen
class Settings:
    """The settings of a campaign.

    With a ``corpus`` most programs are mutants of its samples; of the others about one in
    ``variants`` is a variant with dead branches.  Every ``opencl``-th program also runs on PoCL, or
    on the OpenCL device that ``device`` names; every ``oclgrind``-th on Oclgrind, and every
    ``c``-th as C, with sanitizers if ``sanitize``; 0 means never.  ``thorough``: all engines run
    after each pass.  ``seconds`` is the time for the reduction of a disagreement.
    """

    orders: Orders = Orders.MIXED
    variants: int = 0
    opencl: int = 0
    oclgrind: int = 0
    c: int = 0
    sanitize: bool = True
    thorough: bool = False
    seconds: float = 60.0
    corpus: Corpus | None = None
    device: str | None = None

    def devices(self, seed: int) -> tuple[AnyDevice, ...]:
        """Return the devices on which a seed's program runs."""
        return tuple(d for d, k in self._turns().items() if k and is_selected(seed, k))

    def requested(self) -> tuple[AnyDevice, ...]:
        """Return the devices on which any seed's program runs."""
        return tuple(d for d, k in self._turns().items() if k)

    def _turns(self) -> Mapping[AnyDevice, int]:
        as_c = Device.SANITIZED if self.sanitize else Device.C
        on = Device.OPENCL if self.device is None else NamedDevice(self.device)
        return {on: self.opencl, Device.OCLGRIND: self.oclgrind, as_c: self.c}

    def key(self) -> dict[str, object]:
        """Return the settings that a state file has to agree on."""
        corpus = None if self.corpus is None else self.corpus.digest
        return {**asdict(self, recurse=False), "orders": self.orders.value, "corpus": corpus}


def is_selected(seed: int, k: int) -> bool:
    """True for one pseudo-random seed in each run of ``k`` consecutive seeds.

    A fixed residue would correlate with other choices that depend on the seed, such as the passes.
    """
    return Random(seed // k).randrange(k) == seed % k


@frozen
class BatchResult:
    """The result of a batch; ``reduced``: seed -> the reduced reproducer of its disagreement."""

    trial: Trial
    reduced: Mapping[int, str] = field(factory=dict)


Work: TypeAlias = Callable[[Settings, range], BatchResult]
"""Processes the seeds of a batch; child processes import it by name."""


@frozen
class Task:
    """The work on each batch of a campaign."""

    settings: Settings
    work: Work

    def do(self, seeds: range) -> BatchResult:
        """Run a batch in this process."""
        return self.work(self.settings, seeds)


def run_batch(settings: Settings, seeds: range) -> BatchResult:
    """Run the trials of these seeds, and reduce disagreements."""
    total, reduced = Trial(), {}
    for seed in seeds:
        t = trial(
            seed,
            orders=settings.orders,
            devices=settings.devices(seed),
            thorough=settings.thorough,
            variants=settings.variants,
            corpus=settings.corpus,
        )
        for d in t.disagreements:
            smaller = _reduced(d, settings)
            if smaller is not None:
                reduced[d.seed] = smaller
        total.add(t)
    return BatchResult(total, reduced)


def _reduced(d: Disagreement, settings: Settings) -> str | None:
    """Return the reproducer of a disagreement, or None if it cannot be reduced."""
    from funmem.testing.campaign.reproducer import reproducer
    from funmem.testing.reduce import reduce

    if not settings.seconds:
        return None
    s = select(d.seed, settings.orders, settings.variants, settings.corpus)
    passes = next(p for p in s.pipelines if f"{p},".startswith(f"{d.passes},"))
    try:
        r = reduce(
            s.on(d.input), passes, seconds=settings.seconds, devices=settings.devices(d.seed)
        )
    except Exception:  # a failure here must not hide the disagreement
        return None
    return None if r is None else reproducer(r, name_of(d))


def name_of(d: Disagreement) -> str:
    """Return the name of a disagreement's file."""
    return f"seed_{d.seed}.fun"
