import numpy as np

import funmem as fm


@fm.jit
def f(x):
    x[0] = 1.0
    return x


f(np.ones(3))
