import numpy as np

import funmem as fm


@fm.jit
def f(x, i):
    return x[i] * 2.0


f(np.ones(4), np.array([1, 9]))
