"""Everything that reads a text, given damaged ones: ``python -m tests.fuzz_texts -n 1000000``.

Whatever comes in, what comes out is a value, or an error that says what is wrong: no traceback, no
hang, no memory that grows without bound.  The readers:

    fun, imp, fut   the three parsers; a text that is accepted prints and reads back
    front           a `.fut` program through the front end; FUN's checker accepts what it accepts
    comments        the test blocks in a `.fut` program's comments
    values          argument values as text, and as Futhark's binary format
    passes, sizes   the texts of ``--pipeline`` and ``--random``
    plan            the host plan beside a compiled program

Each input has ``SECONDS`` of processor time, and each process ``GIBIBYTES`` of memory beyond what
it starts with.  Input k is the same in every run: ``--only READER --first k -n 1`` repeats it.
"""

import json
import multiprocessing
import random
import re
import resource
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path

import click
from attrs import frozen

from funmem.codegen.opencl import compile_imp
from funmem.codegen.plan_json import dumps, loads
from funmem.frontends.futhark.program import to_fun
from funmem.futhark import read_all
from funmem.ir.check import check
from funmem.ir.diagnostics import FunmemError
from funmem.ir.text import parse_fun, parse_imp
from funmem.passes import registry
from funmem.passes.framework import Pipeline
from funmem.passes.pipeline import DEFAULT
from funmem.random_args import parse_sizes
from funmem.suite.reader import read_spec
from tests import test_fut_fuzz, test_fut_mutations, test_text_fuzz

SECONDS = 2.0
"""Of processor time for one input."""
GIBIBYTES = 1

Make = Callable[[random.Random], str | bytes]
Take = Callable[[str | bytes], bool]


@frozen
class Reader:
    """Where damaged texts come from, and what reads them; True: one was accepted."""

    make: Make
    take: Take


# ---------------------------------------------------------------------- inputs


@cache
def _seeds(name: str) -> tuple[str, ...]:
    """Right texts for a reader."""
    match name:
        case "fun" | "imp":
            files = [p for p in test_text_fuzz.FILES if (p.suffix == ".imp") == (name == "imp")]
            return tuple(p.read_text(encoding="utf-8") for p in files)
        case "fut":
            return tuple(test_fut_fuzz.seeds())
        case "comments":
            texts = (re.findall(r"^--.*\n", t, re.MULTILINE) for t in test_fut_mutations.texts())
            return tuple("".join(lines) + "def x = 1\n" for lines in texts if lines)
        case "values":
            return VALUES
        case "passes":
            return (DEFAULT, *registry.names(), "expand{layout=interleaved},schedule{threads=4}")
        case "sizes":
            return ("n=4,m=5", "n=0", "k=9223372036854775807", "n=1,m=2,k=3")
        case _:
            text = (test_text_fuzz.ROOT / "papers/funmem/fig13.imp").read_text(encoding="utf-8")
            return (dumps(compile_imp(parse_imp(text), safe=True).plan),)


VALUES = (
    "[1, 2, 3]",
    "[[1i8, -2], [3, 0x7f]]",
    "[1.5f32, -2e10, 0x1.8p3, f32.nan, f32.inf, -f64.inf]",
    "true [false, true] 5u64",
    "empty([0][3]i32)",
    "[1_000, 0b1011]  -- a comment\n 7",
)


def _damaged(name: str, r: random.Random) -> str:
    seeds = _seeds(name)
    if r.random() < 0.1:
        return test_text_fuzz.noise(r)
    tokens = test_text_fuzz.TOKEN.findall(r.choice(seeds))
    for _ in range(r.randrange(1, 4)):
        if tokens:
            r.choice(test_text_fuzz.MUTATIONS)(r, tokens)
    return "".join(tokens)


def _program(name: str, r: random.Random) -> str:
    """A small program of FUN or IMP, damaged."""
    return test_text_fuzz.damaged(r, r.choice(_seeds(name)))


def _futhark(r: random.Random) -> str:
    return test_fut_fuzz.damaged(r, r.choice(_seeds("fut")))


def _front(r: random.Random) -> str:
    text = r.choice(test_fut_mutations.texts())
    return test_fut_mutations.renamed(r, text)


def _binary(r: random.Random) -> str | bytes:
    """Values as text, or a binary value whose header or content is damaged."""
    if r.random() < 0.5:
        return _damaged("values", r)
    shape = [r.choice((0, 1, 3, 2**40, 2**63)) for _ in range(r.randrange(4))]
    kind = r.choice((b" i32", b"  i8", b" f64", b"bool", b" xyz"))
    sizes = b"".join((n % 2**64).to_bytes(8, "little") for n in shape)
    data = bytearray(b"b\x02" + bytes([len(shape)]) + kind + sizes + r.randbytes(r.randrange(40)))
    for _ in range(r.randrange(3)):
        data[r.randrange(len(data))] = r.randrange(256)
    return bytes(data[: r.randrange(len(data) + 1)] if r.random() < 0.3 else data)


def _plan(r: random.Random) -> str:
    """A plan with another value somewhere, or damaged as a text."""
    if r.random() < 0.5:
        return _damaged("plan", r)
    plan = json.loads(_seeds("plan")[0])
    here = plan
    while isinstance(here, dict | list) and here:
        keys: Sequence[str | int] = list(here) if isinstance(here, dict) else range(len(here))
        k = r.choice(keys)
        if r.random() < 0.2 or not isinstance(here[k], dict | list):
            here[k] = r.choice((None, True, -1, 2**70, 1.5, "", "x\0y", [], {}, [[]], "i64"))
            break
        here = here[k]
    return json.dumps(plan)


# ---------------------------------------------------------------------- readers


def _text(x: str | bytes) -> str:
    assert isinstance(x, str)
    return x


def _front_end(x: str | bytes) -> bool:
    check(to_fun(_text(x), "damaged.fut"))
    return True


def _accepts(read: Callable[[str], object], x: str | bytes) -> bool:
    read(_text(x))
    return True


def _values(x: str | bytes) -> bool:
    read_all(x if isinstance(x, bytes) else x.encode(errors="surrogatepass"), "damaged")
    return True


READERS: dict[str, Reader] = {
    "fun": Reader(partial(_program, "fun"), lambda x: test_text_fuzz.read(_text(x), parse_fun)),
    "imp": Reader(partial(_program, "imp"), lambda x: test_text_fuzz.read(_text(x), parse_imp)),
    "fut": Reader(_futhark, lambda x: test_fut_fuzz.read(_text(x))),
    "front": Reader(_front, _front_end),
    "comments": Reader(
        partial(_damaged, "comments"), partial(_accepts, lambda x: read_spec(x, "damaged.fut"))
    ),
    "values": Reader(_binary, _values),
    "passes": Reader(partial(_damaged, "passes"), partial(_accepts, Pipeline.parse)),
    "sizes": Reader(partial(_damaged, "sizes"), partial(_accepts, parse_sizes)),
    "plan": Reader(_plan, partial(_accepts, loads)),
}
"""By name; input k goes to reader k modulo their number."""


# ---------------------------------------------------------------------- the check


@frozen
class Outcome:
    """What one input did: ``fault`` is empty, unless something is wrong with funmem."""

    reader: str
    accepted: bool
    fault: str


def attempt(name: str, k: int) -> Outcome:
    """Reads input ``k`` of a reader."""
    reader = READERS[name]
    x = reader.make(random.Random(f"{name} {k}"))
    start = time.process_time()
    accepted, fault = False, ""
    try:
        accepted = reader.take(x)
    except FunmemError as error:
        if error.diagnostic.code == "internal" or not error.diagnostic.message:
            fault = f"says only: {error}"
    except MemoryError:
        fault = f"needs more than {GIBIBYTES} GiB"
    except Exception:
        fault = traceback.format_exc()
    seconds = time.process_time() - start
    if not fault and seconds > SECONDS:
        fault = f"takes {seconds:.1f} s"
    return Outcome(name, accepted, fault and f"{name} input {k}: {ascii(x)[:2000]}\n{fault}")


def limit_memory() -> None:
    """This process gets ``GIBIBYTES`` more than it has now."""
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = used * resource.getpagesize() + (GIBIBYTES << 30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def attempts(numbers: Iterable[int], names: Sequence[str]) -> list[Outcome]:
    """Several inputs."""
    return [attempt(names[k % len(names)], k) for k in numbers]


@click.command(help=__doc__)
@click.option("-n", "count", default=10_000, show_default=True, help="number of inputs")
@click.option("--first", default=0, show_default=True, help="the first input")
@click.option("--jobs", default=multiprocessing.cpu_count(), show_default=True)
@click.option("--only", multiple=True, type=click.Choice(list(READERS)), help="these readers")
def main(count: int, first: int, jobs: int, only: tuple[str, ...]) -> None:
    """Runs the campaign; exit code 3 if anything went wrong."""
    from rich.progress import track

    names = only or tuple(READERS)
    portions = [range(k, min(k + 200, first + count)) for k in range(first, first + count, 200)]
    total, accepted, faults = Counter[str](), Counter[str](), list[str]()
    start = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(jobs, limit_memory) as pool:
        work = partial(attempts, names=names)
        done = pool.imap_unordered(work, portions)
        for outcomes in track(done, "texts", len(portions), disable=not sys.stderr.isatty()):
            for o in outcomes:
                total[o.reader] += 1
                accepted[o.reader] += o.accepted
                if o.fault:
                    faults.append(o.fault)
                    print(o.fault)
    seconds = time.perf_counter() - start
    print(f"{total.total()} inputs in {seconds:.0f} s, {len(faults)} faults")
    for name in names:
        print(f"  {name:<10}{total[name]:8d}, accepted {accepted[name]}")
    raise SystemExit(3 if faults else 0)


if __name__ == "__main__":
    main()
