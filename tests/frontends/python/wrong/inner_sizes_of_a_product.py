import numpy as np

import funmem as fm


@fm.jit
def f(a: fm.f64[2, 3], b: fm.f64[2, 3]):
    return a @ b


f(np.ones((2, 3)), np.ones((2, 3)))
