"""7. Forces between bodies: a dataclass of arrays is an array of bodies."""

from dataclasses import dataclass

import numpy as np

import funmem as fm


@dataclass
class Bodies:
    x: np.ndarray
    y: np.ndarray
    m: np.ndarray


@fm.jit
def forces(b):
    def on(p):
        dx, dy = b.x - p.x, b.y - p.y
        w = b.m / (dx * dx + dy * dy + 0.01) ** 1.5
        return (w * dx).sum(), (w * dy).sum()

    return fm.map(on, b)


if __name__ == "__main__":
    at = np.arange(4, dtype=np.float32)
    print(forces(Bodies(at, at * at, np.ones(4, np.float32))))
