import numpy as np

import funmem as fm


@fm.jit
def f(x: fm.f64[6]):
    return x.reshape(4, 2)


f(np.ones(6))
