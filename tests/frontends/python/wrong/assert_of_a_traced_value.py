import numpy as np

import funmem as fm


@fm.jit
def f(x):
    assert (x > 0).all()
    return x


f(np.ones(3))
