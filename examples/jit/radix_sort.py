"""5. Radix sort: one stable split for each bit."""

import numpy as np

import funmem as fm


@fm.jit
def sort(xs: fm.u32["n"]) -> fm.u32["n"]:
    def step(bit, xs):
        b = fm.i64((xs >> fm.u32(bit)) & 1)
        z = 1 - b
        at = fm.where(b == 0, z.cumsum() - z, b.cumsum() - b + z.sum())
        return fm.scatter(fm.zeros(xs.shape[0], fm.u32), at, xs)

    return fm.loop(32, step, xs)


if __name__ == "__main__":
    print(sort(np.array([5, 3, 2**32 - 1, 0, 3], np.uint32)))
