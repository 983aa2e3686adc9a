import numpy as np

import funmem as fm


@fm.jit
def f(x, n):
    return x[:n].sum()


f(np.ones(3), 5)
