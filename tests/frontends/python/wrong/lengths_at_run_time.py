import numpy as np

import funmem as fm


@fm.jit
def f(x, y):
    return x + y


f(np.ones(3), np.ones(4))
