"""What is done with a portion of the seeds, wherever it is done: here, in a process, or far away.

A portion reads no file and writes none: what it found, and the reproducers of what disagrees, are
its result.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import TypeAlias

from attrs import asdict, field

from funmem.ir.record import frozen
from funmem.testing.campaign.orders import Orders
from funmem.testing.campaign.selection import subject
from funmem.testing.campaign.trial import Disagreement, Trial, trial
from funmem.testing.corpus.samples import Corpus
from funmem.testing.judge.devices import Device


@frozen
class Settings:
    """What is done with each seed.

    With a ``corpus`` most programs are mutants of its samples; of the others about one in
    ``variants`` is a variant with dead branches.  Every ``opencl``-th program
    runs on PoCL as well, every ``oclgrind``-th on Oclgrind, every ``c``-th as C, with sanitizers
    where ``sanitize``; 0: none.  ``thorough``: all engines after each pass.  A disagreement is
    reduced for so many ``seconds``.
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

    def devices(self, seed: int) -> tuple[Device, ...]:
        """The devices that the program of a seed runs on."""
        return tuple(d for d, k in self._turns().items() if k and has_a_turn(seed, k))

    def asked(self) -> tuple[Device, ...]:
        """The devices that the program of some seed runs on."""
        return tuple(d for d, k in self._turns().items() if k)

    def _turns(self) -> Mapping[Device, int]:
        as_c = Device.SANITIZED if self.sanitize else Device.C
        return {Device.OPENCL: self.opencl, Device.OCLGRIND: self.oclgrind, as_c: self.c}

    def key(self) -> dict[str, object]:
        """What a state file must agree on."""
        corpus = None if self.corpus is None else self.corpus.digest
        return {**asdict(self, recurse=False), "orders": self.orders.value, "corpus": corpus}


def has_a_turn(seed: int, k: int) -> bool:
    """Whether a seed is the one among ``k`` in a row that something is done with: any of them, so
    that it meets all that seeds choose by turns, such as the passes.
    """
    return Random(seed // k).randrange(k) == seed % k


@frozen
class Done:
    """What a portion gave; ``reduced``: seed -> what reproduces its disagreement, made small."""

    trial: Trial
    reduced: Mapping[int, str] = field(factory=dict)


Work: TypeAlias = Callable[[Settings, range], Done]
"""What is done with the seeds of a portion; processes import it by its name."""


@frozen
class Task:
    """What is done with each portion of a campaign."""

    settings: Settings
    work: Work

    def do(self, seeds: range) -> Done:
        """A portion, in this process."""
        return self.work(self.settings, seeds)


def run_portion(settings: Settings, seeds: range) -> Done:
    """The trials of these seeds; what disagrees is reduced."""
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
    return Done(total, reduced)


def _reduced(d: Disagreement, settings: Settings) -> str | None:
    """The reproducer of a disagreement; None if it cannot be made."""
    from funmem.testing.campaign.reproducer import reproducer
    from funmem.testing.reduce import reduce

    if not settings.seconds:
        return None
    s = subject(d.seed, settings.orders, settings.variants, settings.corpus)
    passes = next(p for p in s.pipelines if f"{p},".startswith(f"{d.passes},"))
    try:
        r = reduce(
            s.on(d.input), passes, seconds=settings.seconds, devices=settings.devices(d.seed)
        )
    except Exception:  # the report of a failure must not fail
        return None
    return None if r is None else reproducer(r, name_of(d))


def name_of(d: Disagreement) -> str:
    """The name of a disagreement's file."""
    return f"seed_{d.seed}.fun"
