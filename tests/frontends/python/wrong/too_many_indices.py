import numpy as np

import funmem as fm


@fm.jit
def f(x):
    return x[0, 0]


f(np.ones(3))
