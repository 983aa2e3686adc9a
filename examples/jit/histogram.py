"""9. A histogram of numbers between 0 and 1."""

import numpy as np

import funmem as fm


@fm.jit(static=("bins",))
def histogram(xs, bins):
    i = fm.i64(xs * bins)
    return fm.hist(lambda a, b: a + b, 0, bins, i, fm.ones_like(i))


if __name__ == "__main__":
    print(histogram(np.linspace(0, 0.99, 20), 4))
