import numpy as np

import funmem as fm


@fm.jit
def f(xs):
    return list(xs)


f(np.ones(3))
