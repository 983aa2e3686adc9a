"""11. One function, three calls: it is compiled once."""

import numpy as np

import funmem as fm

square = fm.jit(lambda x: x * x + 1)
thrice = fm.jit(lambda xs: fm.map(lambda x: square(x) + square(x + 1) + square(2 * x), xs))


if __name__ == "__main__":
    print(thrice(np.arange(4.0)))
