import numpy as np

import funmem as fm


@fm.jit
def f(p):
    x, y = p
    return x + y


f(np.ones(2))
