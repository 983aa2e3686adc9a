import numpy as np

import funmem as fm


@fm.jit
def f(x: fm.i32["n"]):
    return x


f(np.ones(3))
