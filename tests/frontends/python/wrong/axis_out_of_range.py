import numpy as np

import funmem as fm


@fm.jit
def f(x):
    return x.sum(axis=2)


f(np.ones((2, 3)))
