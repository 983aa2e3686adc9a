"""1. a * x + y: f32 stays f32, since a Python number is weak."""

import numpy as np

import funmem as fm


@fm.jit
def saxpy(a, x, y):
    return a * x + y


if __name__ == "__main__":
    x = np.arange(5, dtype=np.float32)
    print(saxpy(2.0, x, np.ones_like(x)))
