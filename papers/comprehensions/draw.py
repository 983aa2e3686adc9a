"""Draw a picture with the programs of this folder: lines, filled triangles, filled circles.

python papers/comprehensions/draw.py                 writes lines.png beside this file
python papers/comprehensions/draw.py -o other.png --via value
"""

import argparse
import math
import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import funmem
from funmem.codegen.files import write_file

HERE = Path(__file__).parent
SIZE = 320
"""Width and height of each of the three images, in pixels."""
I32 = NDArray[np.int32]
RGB = NDArray[np.uint8]


def lines() -> I32:
    """Return straight lines around a centre whose envelopes are curves."""
    m = SIZE // 2 - 8
    corners = [(math.cos(k * math.pi / 3), math.sin(k * math.pi / 3)) for k in range(6)]
    ends = []
    for k in range(6):
        (ax, ay), (bx, by) = corners[k], corners[(k + 1) % 6]
        for step in range(25):
            t = step / 24
            ends.append((ax * t, ay * t, bx * (1 - t), by * (1 - t)))
    return np.round(np.array(ends) * m + SIZE // 2).astype(np.int32)


def triangles() -> I32:
    """Return the Sierpinski triangle: five times, three of half its size replace each triangle."""
    whole = np.array([[[SIZE / 2, 12], [10, SIZE - 24], [SIZE - 10, SIZE - 24]]])
    for _ in range(5):
        whole = np.concatenate([(whole + whole[:, [k]]) / 2 for k in range(3)])
    return np.round(whole).astype(np.int32).reshape(-1, 6)


def circles() -> I32:
    """Return the seeds of a sunflower: consecutive seeds are one golden angle apart."""
    k = np.arange(1, 260)
    angle, far = k * math.pi * (3 - math.sqrt(5)), 9.2 * np.sqrt(k)
    x, y = SIZE / 2 + far * np.cos(angle), SIZE / 2 + far * np.sin(angle)
    return np.stack([x, y, 2 + far / 32], axis=1).round().astype(np.int32)


def coloured(image: I32, turns: float) -> RGB:
    """Return the image in colours: white for 0, otherwise a hue that depends on the number."""
    hue = image / max(1, int(image.max())) * turns
    shades = np.stack([np.cos(2 * math.pi * (hue + shift)) for shift in (0.0, 0.33, 0.67)], axis=-1)
    colours = np.round(118 + 96 * shades).astype(np.uint8)
    return np.where(image[:, :, None] == 0, np.uint8(255), colours)


def png(pixels: RGB) -> bytes:
    """Return the bytes of an image file (PNG specification, part 2, sections 5 and 11)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    height, width, _ = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits each of R, G, B
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)  # 0: no prediction
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def picture(via: str = "opencl") -> RGB:
    """Return the three images side by side, computed by the engine ``via``."""
    parts = []
    for name, shapes, turns in (
        ("points_of_lines", lines(), 1.0),
        ("filled_triangles", triangles(), 0.8),
        ("filled_circles", circles(), 3.0),
    ):
        program = funmem.load(HERE / f"{name}.fut")
        if via == "opencl":
            image = funmem.compile(program, safe=True).entry("main")(SIZE, SIZE, shapes)
        else:
            image = funmem.run(program, SIZE, SIZE, shapes, entry="main", via=via)
        parts.append(coloured(np.asarray(image), turns))
    return np.concatenate(parts, axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=HERE / "lines.png")
    parser.add_argument("--via", choices=["value", "opencl"], default="opencl")
    options = parser.parse_args()
    write_file(options.output, png(picture(options.via)))
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
