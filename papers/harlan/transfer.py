"""Measure the time to move a block between host and device, by size (paper 000, figure 5).

    python papers/harlan/transfer.py
    python papers/harlan/transfer.py --device 0 --largest 26 --rounds 31

It prints a Markdown table: microseconds, medians of the rounds, in which all sizes take turns.  A
block of the device is filled from an array of the host and read back, as an argument and a result
of a call are where the device has memory of its own.  The last line says up to which size the time
is *flat*: at most twice the least time.  In the paper that is 8 KB.
"""

import argparse
import time
from collections.abc import Sequence

import numpy as np
import pyopencl as cl
from attrs import frozen

from funmem.bench.table import markdown
from funmem.codegen.device import Device, open_device
from funmem.codegen.memory_limits import human

SMALLEST = 2
"""The smallest block has 2 ** SMALLEST bytes."""


@frozen
class Move:
    """The seconds that one block of ``size`` bytes takes, to the device and back."""

    size: int
    there: float
    back: float


def once(device: Device, data: np.ndarray) -> Move:
    """Move an array to the device and back."""
    buffer = device.pool.take(data.nbytes)
    result = np.empty_like(data)
    start = time.perf_counter()
    cl.enqueue_copy(device.queue, buffer.handle, data, is_blocking=True)
    middle = time.perf_counter()
    cl.enqueue_copy(device.queue, result, buffer.handle, is_blocking=True)
    end = time.perf_counter()
    device.pool.drop(buffer)
    if not np.array_equal(result, data):
        raise SystemExit(f"a block of {data.nbytes} bytes came back changed")
    return Move(data.nbytes, middle - start, end - middle)


def medians(device: Device, exponents: Sequence[int], rounds: int) -> list[Move]:
    """Return the median times of each size; the first round warms up."""
    blocks = [np.arange(1 << e, dtype=np.int64).astype(np.uint8) for e in exponents]
    found: list[list[Move]] = []
    for _ in range(rounds + 1):
        once(device, blocks[0])  # the largest block has emptied the caches
        found.append([once(device, x) for x in blocks])
    return [
        Move(
            moves[0].size,
            float(np.median([m.there for m in moves])),
            float(np.median([m.back for m in moves])),
        )
        for moves in zip(*found[1:], strict=True)
    ]


def flat(sizes: Sequence[int], seconds: Sequence[float]) -> int:
    """Return the largest size up to which no block takes more than twice the least time."""
    long = [size for size, t in zip(sizes, seconds, strict=True) if t > 2 * min(seconds)]
    return max((size for size in sizes if not long or size < min(long)), default=0)


def main(args: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--device", help="as of `funmem run --device`")
    parser.add_argument("--largest", type=int, default=26, help="2^N bytes (default: 26)")
    parser.add_argument("--rounds", type=int, default=31)
    asked = parser.parse_args(args)
    device = open_device(asked.device)
    moves = medians(device, range(SMALLEST, asked.largest + 1, 2), asked.rounds)
    sizes, there, back = zip(*((m.size, m.there, m.back) for m in moves), strict=True)
    rows = [
        (
            human(m.size),
            f"{1e6 * m.there:.1f}",
            f"{1e6 * m.back:.1f}",
            f"{m.size / m.there / 1e9:.3g}",
        )
        for m in moves
    ]
    print("\n".join(markdown([("block", "to the device, us", "back, us", "GB/s there"), *rows])))
    print(f"\n{device.info.name}: flat up to {human(flat(sizes, there))} there, ", end="")
    print(f"{human(flat(sizes, back))} back")


if __name__ == "__main__":
    main()
