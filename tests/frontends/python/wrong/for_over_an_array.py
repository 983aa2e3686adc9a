import numpy as np

import funmem as fm


@fm.jit
def f(xs):
    total = 0.0
    for x in xs:
        total = total + x
    return total


f(np.ones(3))
