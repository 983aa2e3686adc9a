"""10. A filter: a mask as an index; the result has k <= n elements."""

import numpy as np

import funmem as fm

positive = fm.jit(lambda xs: xs[xs > 0])


if __name__ == "__main__":
    print(positive(np.array([3, -1, 4, -1, 5], np.float32)))
