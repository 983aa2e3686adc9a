"""2. The dot product: a size in the annotations is checked where the function is called."""

import numpy as np

import funmem as fm


@fm.jit
def dot(x: fm.f32["n"], y: fm.f32["n"]):
    return fm.reduce(lambda a, b: a + b, 0.0, x * y)


if __name__ == "__main__":
    x = np.arange(5, dtype=np.float32)
    print(dot(x, x))
