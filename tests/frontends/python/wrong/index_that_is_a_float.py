import numpy as np

import funmem as fm


@fm.jit
def f(x, i):
    return x[i]


f(np.ones(3), 1.0)
