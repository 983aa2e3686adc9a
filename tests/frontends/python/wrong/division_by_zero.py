import numpy as np

import funmem as fm


@fm.jit
def f(x, y):
    return x // y


f(np.array([1, 2]), np.array([1, 0]))
