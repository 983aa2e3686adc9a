import numpy as np

import funmem as fm


@fm.jit
def f(x: fm.f64["n"], y: fm.f64["2*n"]):
    return x.sum() + y.sum()


f(np.ones(3), np.ones(4))
