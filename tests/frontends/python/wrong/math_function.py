import math

import funmem as fm


@fm.jit
def f(x):
    return math.sqrt(x)


f(2.0)
