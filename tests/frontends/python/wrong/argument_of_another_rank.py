import numpy as np

import funmem as fm


@fm.jit
def f(x: fm.f64["n"]):
    return x


f(np.ones((2, 2)))
