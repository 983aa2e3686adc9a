import numpy as np

import funmem as fm


@fm.jit
def f(x: fm.f64["n"]) -> fm.f64["n"]:
    return x[1:]


f(np.ones(3))
