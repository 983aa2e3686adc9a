"""Measure what paper 000 measures (section 7): `.kfc` beside `.fut`, numpy and C, in turns.

    python papers/harlan/measure.py --threads 1                      # about ten minutes
    python papers/harlan/measure.py ray_tracing --via c --scale 0.25 --rounds 7
    python papers/harlan/measure.py ray_tracing --picture spheres.png

It prints a Markdown table.  Each row is a program of papers/harlan/programs, called with the
arguments of the `.fut` version, in the form that Harlan's takes.  Each result is checked first.
Times are milliseconds, medians over rounds in which all run in turns; a ratio is the median of the
rounds' ratios, `.kfc` over the other.  Two more rows: `sorted` is the ray tracer on a scene sorted
by the kinds of its objects, over the one where they alternate (table 1), and `doubled` n-body with
twice the bodies, over once (figure 9).
"""

import argparse
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from attrs import evolve, frozen

from funmem.bench import apart
from funmem.bench.contenders import Absent, Contender
from funmem.bench.ours import VIAS, contender
from funmem.bench.peers import named
from funmem.bench.rounds import Times, compete, ratio
from funmem.bench.table import markdown
from funmem.bench.tasks import Arrays, Choice, Task, difference, load_module, tasks
from funmem.bench.threads import limit_threads
from funmem.codegen.files import write_file
from funmem.driver.entry_points import signature_of
from funmem.driver.options import Options
from funmem.driver.source import read
from funmem.ir.values import ArgValue

HERE = Path(__file__).resolve().parent
PAPERS = HERE.parent
Args = tuple[ArgValue, ...]


def same(args: Args) -> Args:
    """Return the arguments as they are."""
    return args


def results_as_they_are(results: Arrays) -> Arrays:
    """Return the results as they are."""
    return results


def ints(args: Args) -> Args:
    """Return the arguments of the Mandelbrot set: sizes are ints."""
    return tuple(np.int32(x) for x in args)  # type: ignore[arg-type]


def adjacency(args: Args) -> Args:
    """Return offsets and edges as vectors of neighbours, all of one length here."""
    starts, edges, source = args
    nodes = len(np.asarray(starts)) - 1
    return np.asarray(edges).reshape(nodes, -1).astype(np.int32), np.int32(source)  # type: ignore[arg-type]


def scene(args: Args) -> Args:
    """Return a picture's side and its objects, with coordinates apart and packed colours."""
    n, kinds, factors, moves, colours = map(np.asarray, args)
    red, green, blue = (colours * np.float32(255) + np.float32(0.5)).astype(np.int32).T
    places = (np.ascontiguousarray(x) for x in moves.T)
    packed = red << 16 | green << 8 | blue
    return np.int32(n), kinds.astype(np.int32), factors, *places, packed


def stacked(results: Arrays) -> Arrays:
    """Return three vectors as rows of one."""
    return (np.stack([np.asarray(x) for x in results]),)


def signed(results: Arrays) -> Arrays:
    """Return colours as ints."""
    return (np.asarray(results[0]).astype(np.int32),)


@frozen
class Subject:
    """A program: the folder of its `.fut` version, the entry point of the `.kfc` version, and how
    the arguments and results of the one become those of the other.
    """

    folder: Path
    entry: str
    args: Callable[[Args], Args] = same
    results: Callable[[Arrays], Arrays] = results_as_they_are

    @property
    def name(self) -> str:
        return self.folder.name

    def tasks(self, scale: float) -> tuple[Task, Task]:
        """Return the calls of the `.fut` and of the `.kfc` version."""
        (given,) = tasks(read(str(self.folder / f"{self.name}.fut")), Choice(scale=scale))
        return given, self.harlan(given)

    def harlan(self, given: Task) -> Task:
        """Return the call of the `.kfc` version that corresponds to one of the `.fut` version."""
        path = HERE / "programs" / f"{self.name}.kfc"
        program = read(str(path)).parse()
        return evolve(
            given,
            path=str(path),
            program=program,
            signature=signature_of(program, self.entry),
            args=self.args(given.args),
            expected=lambda: self.results(given.expected()),
        )


BENCHMARKS, OWN = PAPERS / "benchmarks", HERE / "benchmarks"
SUBJECTS = {
    s.name: s
    for s in (
        Subject(OWN / "vector_add", "add"),
        Subject(BENCHMARKS / "dot", "dot"),
        Subject(OWN / "point_masses", "accelerations", results=stacked),
        Subject(BENCHMARKS / "matmul", "matmul"),
        Subject(BENCHMARKS / "mandelbrot", "picture", ints),
        Subject(OWN / "bfs", "rounds", adjacency),
        Subject(OWN / "ray_tracing", "picture", scene, signed),
    )
}
WANTED = {
    **dict.fromkeys(("vector_add", "dot", "point_masses", "matmul", "mandelbrot"), "at most 1.10"),
    "bfs": "at most 2.0",
    "ray_tracing": "at most 1.5",
    "sorted": "0.9 to 1.1",
    "doubled": "3.6 to 4.4",
}
"""The ratios that a program ought to have."""


# ---------------------------------------------------------------------- runs


def verified(task: Task, name: str, via: str, options: Options) -> Contender:
    """Return a compiled call.  Raises SystemExit if its result is wrong."""
    found = contender(task, via, options).contender
    wrong = difference(task, task.expected(), found.run().results())
    if wrong is not None:
        raise SystemExit(f"{task.name}, {name}: a wrong result: {wrong}")
    return evolve(found, name=name)


def peers_of(task: Task, names: Sequence[str]) -> Iterator[Contender]:
    """Yield the peers that are installed, and that are right."""
    expected = task.expected()
    for found in apart.contenders(task, names, expected):
        if isinstance(found, Absent):
            print(f"skipped {found.name}: {found.why}")
        elif (wrong := difference(task, expected, found.run().results())) is not None:
            print(f"skipped {found.name}: {wrong}")
            found.close()
        else:
            yield found


def in_turns(contenders: Sequence[Contender], rounds: int) -> Sequence[Times]:
    """Return the times of several contenders, which are closed."""
    try:
        return compete(contenders, rounds, warm_up=1)
    finally:
        for c in contenders:
            c.close()


def row(s: Subject, via: str, scale: float, asked: argparse.Namespace) -> list[str]:
    """Return the cells of a program: its time, and its ratios to the others."""
    fut, kfc = s.tasks(scale)
    options = Options(safe=not asked.fast)
    ours = [verified(kfc, ".kfc", via, options), verified(fut, ".fut", via, options)]
    first, *others = in_turns([*ours, *peers_of(fut, named(asked.peers))], asked.rounds)
    by_name = {t.name: f"{ratio(first, t):.2f}" for t in others if not t.lost}
    names = (".fut", *asked.peers.split(","))
    fut, *peers = (by_name.get(n, "-") for n in names)
    return [s.name, via, f"{1e3 * first.median:.3f}", fut, WANTED[s.name], *peers]


def extra(name: str, via: str, scale: float, asked: argparse.Namespace) -> list[str]:
    """Return the cells of `sorted` (table 1) or `doubled` (figure 9)."""
    options = Options(safe=not asked.fast)
    if name == "doubled":
        s = SUBJECTS["point_masses"]
        pair = [s.tasks(k * scale)[1] for k in (2, 1)]
    else:
        s = SUBJECTS["ray_tracing"]
        given, kfc = s.tasks(scale)
        n, *objects = given.args
        order = np.argsort(np.asarray(objects[0]), kind="stable")
        arranged = (n, *(np.ascontiguousarray(np.asarray(x)[order]) for x in objects))
        reference = load_module(s.folder / "reference.py").reference
        pair = [s.harlan(evolve(given, args=arranged, expected=lambda: reference(*arranged))), kfc]
    both = [verified(t, f"{name} {k}", via, options) for k, t in enumerate(pair)]
    first, second = in_turns(both, asked.rounds)
    return [name, via, f"{1e3 * first.median:.3f}", f"{ratio(first, second):.2f}", WANTED[name]]


# ---------------------------------------------------------------------- a picture


def png(colours: np.ndarray) -> bytes:
    """Return a picture of packed colours as a PNG file."""
    height, width = colours.shape
    rgb = np.stack([colours >> k & 255 for k in (16, 8, 0)], axis=-1).astype(np.uint8)
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rgb.reshape(height, -1)], axis=1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines.tobytes()))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")


def picture(file: Path, via: str, scale: float) -> None:
    """Write the ray tracer's picture."""
    _, kfc = SUBJECTS["ray_tracing"].tasks(scale)
    (colours,) = contender(kfc, via, Options()).contender.run().results()
    write_file(file, png(np.asarray(colours)))


# ---------------------------------------------------------------------- the command


def main(args: Sequence[str] | None = None) -> None:
    """Print the table, or write a picture."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("programs", nargs="*", help=f"of {', '.join(SUBJECTS)}, sorted, doubled")
    parser.add_argument("--via", action="append", choices=VIAS)
    parser.add_argument("--peers", default="numpy,gcc", help="default: %(default)s")
    parser.add_argument("--scale", type=float, default=1.0, help="of the sizes (default: 1)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, help="threads of every contender")
    parser.add_argument("--fast", action="store_true", help="kernels do not check bounds")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="write the picture as PNG")
    asked = parser.parse_args(args)
    known = (*SUBJECTS, "sorted", "doubled")
    unknown = [x for x in asked.programs if x not in known]
    if unknown:
        parser.error(f"there is no program `{unknown[0]}`; there is {', '.join(known)}")
    if asked.threads is not None:
        limit_threads(asked.threads)
    vias = asked.via or VIAS
    if asked.picture is not None:
        picture(asked.picture, vias[0], asked.scale)
        return
    cells = [["", "via", "ms", "/ .fut", "wanted", *(f"/ {x}" for x in asked.peers.split(","))]]
    for name in asked.programs or known:
        for via in vias:
            s = SUBJECTS.get(name)
            make = (
                extra(name, via, asked.scale, asked)
                if s is None
                else row(s, via, asked.scale, asked)
            )
            cells.append([*make, *["-"] * (len(cells[0]) - len(make))])
    print("\n".join(markdown(cells)))


if __name__ == "__main__":
    main()
