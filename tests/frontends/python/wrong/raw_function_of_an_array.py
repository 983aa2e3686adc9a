import numpy as np

import funmem as fm

half = fm.opencl("float half_of(float x) { return x / 2; }", "f32 -> f32")


@fm.jit
def f(xs):
    return half(xs)


f(np.ones(3, np.float32))
