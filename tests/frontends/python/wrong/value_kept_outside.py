import numpy as np

import funmem as fm

kept = []


@fm.jit
def f(xs):
    fm.map(lambda x: kept.append(x) or x, xs)
    return kept[0] + 1


f(np.ones(3))
