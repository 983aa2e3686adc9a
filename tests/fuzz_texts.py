"""Everything that reads a text, given damaged ones: ``python -m tests.fuzz_texts -n 1000000``.

Whatever comes in, what comes out is a value, or an error that says what is wrong: no traceback, no
hang, no memory that grows without bound.  The readers:

    fun, imp, fut   the three parsers; a text that is accepted prints and reads back
    core            Core's parser, likewise, its checker, and the passes on Core
    nova            a `.nova` program to Core, which Core's checker accepts
    kfc             a `.kfc` program, likewise
    front           a `.fut` program through the front end; FUN's checker accepts what it accepts
    check           FUN, FUNMEM and IMP with names exchanged, through the checkers
    comments        the test blocks in a `.fut` program's comments
    values          argument values as text, also as test blocks have them, and as Futhark's binary
                    format; what numpy warns of is an error of ours
    npy, npz        numpy's files
    passes, sizes   the texts of ``--pipeline`` and ``--random``
    plan            the host plan beside a compiled program
    certificate     what ``funmem verify --recheck`` judges
    reproducer      what ``funmem reduce`` has written

Each input has ``SECONDS`` of processor time, after which it is broken off, and each process
``GIBIBYTES`` of memory beyond what it starts with.  An error must be one that can be shown beside
the text.  Input k is the same in every run: ``--only READER --first k -n 1`` repeats it.  A process
that dies ends the run and names the inputs that it may have died of.
"""

import io
import json
import multiprocessing
import random
import re
import resource
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np
from attrs import frozen

from funmem.codegen.opencl import compile_imp
from funmem.codegen.plan_json import dumps, loads
from funmem.driver.source import Source, language_of
from funmem.frontends.futhark.program import to_fun
from funmem.ir.check import check_all, check_imp_all
from funmem.ir.diagnostics import FunmemError, InputError
from funmem.ir.imp import ImpProgram
from funmem.ir.text import RESERVED, parse_fun, parse_imp
from funmem.ir.text.lexer import SCALAR_WORDS
from funmem.passes import registry
from funmem.passes.pipeline import DEFAULT
from funmem.passes.runner import Pipeline
from funmem.suite.reader import read_spec
from funmem.testing.campaign.reproducer import case_of, read_reproducer, reproducer
from funmem.testing.judge.time_limit import OutOfTime, limited
from funmem.testing.reduce import Reduced
from funmem.testing.reduce.oracle import Failure
from funmem.values.arguments import read_values
from funmem.values.futhark_data import read_all
from funmem.values.random_arguments import parse_sizes
from funmem.verify import judge
from funmem.verify.as_json import to_json
from funmem.verify.recheck import recheck
from tests.frontends.futhark import test_fuzz as test_fut_fuzz
from tests.frontends.futhark import test_mutations as test_fut_mutations
from tests.frontends.harlan import test_fuzz as test_harlan_fuzz
from tests.frontends.nova import test_fuzz as test_nova_fuzz
from tests.ir.check import corpus
from tests.ir.text import test_read_core, test_text_fuzz

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
        case "certificate":
            return tuple(json.dumps(to_json(judge(parse_fun(t)))) for t in PROGRAMS)
        case "reproducer":
            passes, why = Pipeline.parse("hoist,merge"), Failure(2, "heap", "data race", "a race")
            cases = (case_of(parse_fun(t), "main", ([1, 2],), 4711) for t in PROGRAMS)
            return tuple(reproducer(Reduced(c, passes, why)) for c in cases)
        case _:
            text = (test_text_fuzz.ROOT / "papers/funmem/fig13.imp").read_text(encoding="utf-8")
            return (dumps(compile_imp(parse_imp(text), safe=True).plan),)


VALUES = (
    "[1, 2, 3]",
    "[[1i8, -2], [3, 0x7f]]",
    "[1.5f32, -2e10, 0x1.8p3, f32.nan, f32.inf, -f64.inf]",
    "true [false, true] 5u64",
    "empty([0][3]i32)",
    "empty([1099511627776][0][70000]i64) empty([9999999][0]bool)",
    "[1_000, 0b1011]  -- a comment\n 7",
    "[1f16, 300, 2.5e1, 0x1.8p3f16] [[7u8, 5], [1]] [1, 2f32]",
)
PROGRAMS = (
    """entry main [n] [a : mem] (xs : [n]i64 @ a -> 0 + {(n : 1)}) -> (r : i64) =
  let (y : [n]i64 @ a -> 0 + {(n : 1)}) = kernel i < n do
    let (x : i64) = xs[n - 1 - i]
    in (x)
  let (r0 : i64) = y[0]
  in (r0)
""",
    """entry main [n] [a : mem] (xs : [n]i64 @ a -> 0 + {(n : 1)}) -> (r : i64) =
  let (b : mem) = alloc 8*n
  let (y : [n]i64 @ b -> 0 + {(n : 1)}) = scratch [n]i64
  let (z : [n]i64 @ b -> 0 + {(n : 1)}) = y with [0] = 7
  let (r0 : i64) = z[1]
  in (r0)
""",
)
"""A race, and a hole that is read: of each the certificate and the reproducer."""

NUMBERS = ("0", "9" * 5, "9" * 20, "9" * 400, "9007199791611905")


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


def _nova(r: random.Random) -> str:
    return test_nova_fuzz.wrong(r, test_nova_fuzz.seeds())


def _harlan(r: random.Random) -> str:
    return test_harlan_fuzz.wrong(r, test_harlan_fuzz.seeds())


def _front(r: random.Random) -> str:
    text = r.choice(test_fut_mutations.texts())
    return test_fut_mutations.renamed(r, text)


def _exchanged(r: random.Random) -> str:
    """An entry point in which words take the places of others of their kind: most still parse."""
    tokens = test_text_fuzz.TOKEN.findall(test_text_fuzz.entry(r, r.choice(_checked())))
    for _ in range(r.randrange(1, 4)):
        a = r.randrange(len(tokens))
        alike = [k for k, t in enumerate(tokens) if _kind(t) == _kind(tokens[a])]
        b = r.choice(alike)
        tokens[a], tokens[b] = tokens[b], tokens[r.choice((a, b))]
    return "".join(tokens)


def _kind(token: str) -> str:
    """Names, numbers, types, the layouts' words and operators are kinds; other tokens are one."""
    if token in SCALAR_WORDS:
        return "type"
    if token in RESERVED or not token[0].isalnum():
        return token if token.isspace() or token in '()[]{},:@="' else "other"
    return "number" if token[0].isdigit() else "name"


@cache
def _checked() -> tuple[str, ...]:
    """The parsers' texts, and what the checkers' tests accept and reject."""
    files = (*test_text_fuzz.FILES, *corpus.ACCEPTED, *corpus.REJECTED)
    texts = (p.read_text(encoding="utf-8") for p in files)
    return tuple(t for t in texts if re.search("^entry ", t, re.MULTILINE))


def _binary(r: random.Random) -> str | bytes:
    """Values as text, or a binary value whose header or content is damaged."""
    if r.random() < 0.5:
        grown = r.choice((0.0, 0.1, 0.5)), r.choice(NUMBERS)
        return re.sub(
            r"(?<![iuf\d])\d+(?!x)",
            lambda m: grown[1] if r.random() < grown[0] else m[0],
            _damaged("values", r),
        )
    shape = [r.choice((0, 1, 3, 2**40, 2**63)) for _ in range(r.randrange(4))]
    kind = r.choice((b" i32", b"  i8", b" f64", b"bool", b" xyz"))
    sizes = b"".join((n % 2**64).to_bytes(8, "little") for n in shape)
    data = bytearray(b"b\x02" + bytes([len(shape)]) + kind + sizes + r.randbytes(r.randrange(40)))
    for _ in range(r.randrange(3)):
        data[r.randrange(len(data))] = r.randrange(256)
    return bytes(data[: r.randrange(len(data) + 1)] if r.random() < 0.3 else data)


def _npy(r: random.Random) -> bytes:
    """A numpy file, damaged: mostly its header, which is a text of Python."""
    arrays = (np.arange(6, dtype=">i4").reshape(2, 3).T, np.array(3.5), np.zeros((0, 2), "f2"))
    file = io.BytesIO()
    np.save(file, r.choice(arrays))
    return _spoilt(file.getvalue(), r)


def _npz(r: random.Random) -> bytes:
    """Several of them, damaged: mostly the first one's header, or the list of names at the end."""
    file = io.BytesIO()
    np.savez(file, a=np.arange(3), b=np.array(3.5))
    data = _spoilt(file.getvalue(), r)
    return data if r.random() < 0.5 else _spoilt(data[::-1], r)[::-1]


def _spoilt(content: bytes, r: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(r.randrange(1, 4)):
        k = r.randrange(min(len(data), 80))
        put = r.choice(
            (b"", bytes([r.randrange(256)]), r.choice(b"09(){}[],:'\"-+b<O|").to_bytes())
        )
        data[k : k + r.randrange(2)] = put
    return bytes(data[: r.randrange(len(data) + 1)] if r.random() < 0.1 else data)


def _json(name: str, r: random.Random) -> str:
    """JSON with another value somewhere, or damaged as a text."""
    if r.random() < 0.5:
        return _damaged(name, r)
    data = json.loads(r.choice(_seeds(name)))
    here = data
    while isinstance(here, dict | list) and here:
        keys: Sequence[str | int] = list(here) if isinstance(here, dict) else range(len(here))
        k = r.choice(keys)
        if r.random() < 0.2 or not isinstance(here[k], dict | list):
            here[k] = r.choice((None, True, -1, 2**70, 1.5, "", "x\0y", [], {}, [[]], "i64"))
            break
        here = here[k]
    return json.dumps(data)


# ---------------------------------------------------------------------- readers


def _text(x: str | bytes) -> str:
    assert isinstance(x, str)
    return x


def _front_end(x: str | bytes) -> bool:
    assert check_all(to_fun(_text(x), "damaged.fut")) == ()
    return True


def _check(x: str | bytes) -> bool:
    """As ``funmem check``."""
    source = Source("damaged", text := _text(x), language_of(text))
    program = source.parse()
    imp = isinstance(program, ImpProgram)
    for said in (errors := check_imp_all(program) if imp else check_all(program)):
        said.render(text)
    return errors == ()


def _accepts(read: Callable[[str], object], x: str | bytes) -> bool:
    read(_text(x))
    return True


def _values(x: str | bytes) -> bool:
    content = x if isinstance(x, bytes) else x.encode(errors="surrogatepass")
    with warnings.catch_warnings(action="error"):
        with suppress(InputError):
            read_all(content, "damaged", exact=True)
        read_all(content, "damaged")
    return True


def _numpy_file(suffix: str, x: str | bytes) -> bool:
    assert isinstance(x, bytes)
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"damaged.{suffix}"
        file.write_bytes(x)
        read_values(str(file))
    return True


def _certificate(x: str | bytes) -> bool:
    try:
        data = json.loads(_text(x))
    except (ValueError, RecursionError):
        return False
    recheck(data)
    return True


READERS: dict[str, Reader] = {
    "fun": Reader(partial(_program, "fun"), lambda x: test_text_fuzz.read(_text(x), parse_fun)),
    "core": Reader(test_read_core.damaged, lambda x: test_read_core.read(_text(x))),
    "imp": Reader(partial(_program, "imp"), lambda x: test_text_fuzz.read(_text(x), parse_imp)),
    "fut": Reader(_futhark, lambda x: test_fut_fuzz.read(_text(x))),
    "front": Reader(_front, _front_end),
    "nova": Reader(_nova, lambda x: test_nova_fuzz.read(_text(x))),
    "kfc": Reader(_harlan, lambda x: test_harlan_fuzz.read(_text(x))),
    "check": Reader(_exchanged, _check),
    "comments": Reader(
        partial(_damaged, "comments"), partial(_accepts, lambda x: read_spec(x, "damaged.fut"))
    ),
    "values": Reader(_binary, _values),
    "npy": Reader(_npy, partial(_numpy_file, "npy")),
    "npz": Reader(_npz, partial(_numpy_file, "npz")),
    "passes": Reader(partial(_damaged, "passes"), partial(_accepts, Pipeline.parse)),
    "sizes": Reader(partial(_damaged, "sizes"), partial(_accepts, parse_sizes)),
    "plan": Reader(partial(_json, "plan"), partial(_accepts, loads)),
    "certificate": Reader(partial(_json, "certificate"), _certificate),
    "reproducer": Reader(
        partial(_damaged, "reproducer"),
        partial(_accepts, lambda x: read_reproducer(x, "damaged.fun")),
    ),
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
    accepted, fault = False, ""
    try:
        with limited(SECONDS):
            accepted = reader.take(x)
    except FunmemError as error:
        if error.diagnostic.code == "internal" or not error.diagnostic.message:
            fault = f"says only: {error}"
        error.diagnostic.render(x if isinstance(x, str) else None)
    except MemoryError:
        fault = f"needs more than {GIBIBYTES} GiB"
    except OutOfTime:
        fault = f"takes more than {SECONDS} s:\n{traceback.format_exc()}"
    except Exception:
        fault = traceback.format_exc()
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
    names = only or tuple(READERS)
    total, accepted, faults = Counter[str](), Counter[str](), 0
    start = time.perf_counter()
    for o in _outcomes(range(first, first + count), names, jobs):
        total[o.reader] += 1
        accepted[o.reader] += o.accepted
        if o.fault:
            faults += 1
            print(o.fault, flush=True)
    seconds = time.perf_counter() - start
    print(f"{total.total()} inputs from {first} in {seconds:.0f} s, {faults} faults")
    for name in names:
        print(f"  {name:<10}{total[name]:8d}, accepted {accepted[name]}")
    raise SystemExit(3 if faults else 0)


PORTION = 200
"""Inputs that a process reads at a time."""


def _outcomes(numbers: range, names: Sequence[str], jobs: int) -> Iterator[Outcome]:
    """What the inputs do, a portion after the other, in the order in which they are done."""
    from rich.progress import track

    portions = [numbers[k : k + PORTION] for k in range(0, len(numbers), PORTION)]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, spawn, initializer=limit_memory) as pool:
        waiting = {pool.submit(attempts, p, names): p for p in portions}
        done = as_completed(waiting)
        for one in track(done, "texts", len(portions), disable=not sys.stderr.isatty()):
            try:
                yield from one.result()
            except BrokenProcessPool:
                lost = [p for f, p in waiting.items() if not f.done() or f.exception()]
                begun = ", ".join(f"{p[0]} to {p[-1]}" for p in lost[:jobs])
                raise SystemExit(f"a process died, probably of an input of {begun}") from None
            del waiting[one]


if __name__ == "__main__":
    main()
