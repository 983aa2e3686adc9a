import numpy as np

import funmem as fm


@fm.jit
def f(x: fm.f64[3], y: fm.f64[4]):
    return x + y


f(np.ones(3), np.ones(4))
